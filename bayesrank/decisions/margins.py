"""Superiority, equivalence and non-inferiority against a reference, with a margin for each of the two rates."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_number, check_prob, check_unique
from bayesrank._core.draws import draw_dims, load_arrays, median_and_interval
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import select_names, suggest_entity
from bayesrank._core.notes import notes_text
from bayesrank._core.types import Container
from bayesrank.claims.information import allowance_of
from bayesrank.decisions._means import (
    effective_size,
    mean_over_draws,
    name_pair,
    share_and_error,
    widen,
)
from bayesrank.performance.arrays import as_performance, only_two_classes
from bayesrank.ranking.evidence import RankingEvidence, evidence_of
from bayesrank.ranking.performances import mean_performance
from bayesrank.scores import as_score

RATES = ("tpr", "tnr")


@check_call
def noninferiority(
    source: Container,
    reference: Any,
    *,
    tpr: float = 0.05,
    tnr: float = 0.05,
    prob: float = 0.95,
    kind: str | None = None,
) -> xr.Dataset:
    """Test whether entities are non-inferior, equivalent or superior to a reference in TPR and TNR together.

    The comparison uses joint draws: a paired posterior allows for errors of two entities on the
    same cases.

    Parameters
    ----------
    source, kind
        As for :func:`bayesrank.as_performance`, with two classes.
    reference : hashable
        The entity that the others are compared with.
    tpr, tnr : float
        The margins, between 0 and 1: by how much a rate may be lower than that of the reference.
        For equivalence, the largest difference in either direction.
    prob : float
        Probability that a verdict needs, and probability of the credible intervals.

    Returns
    -------
    xarray.Dataset
        Results over ``entity``, without the reference:

        - ``tpr_difference``, ``tnr_difference``: median of the rate minus that of the reference,
          with ``_lower`` and ``_upper``, equal tails at ``prob``;
        - ``tpr_noninferior``, ``tnr_noninferior``, ``noninferior``: probability that the TPR, the
          TNR, or both exceed the reference minus the margin; ``superior``: probability that both
          exceed the reference; ``equivalent``: probability that both differ from it by less than
          their margins; with Monte-Carlo standard errors ``<name>_error``;
        - ``undefined``: share of draws in which a rate is undefined; the probabilities are over the
          other draws;
        - ``verdict``: "superior", "equivalent" or both, if the probability is at least ``prob``;
          otherwise "non-inferior" by the same rule; "inferior" if a rate is below the reference by
          more than its margin with probability ``prob``; otherwise "undecided". Each verdict is
          about a single entity: with ``prob=0.95``, expect one error among twenty verdicts.

        ``notes`` holds the notes on the evidence, as JSON; the attr ``effective_draws`` is the
        effective size.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the reference is not an entity, a margin or ``prob`` is not between 0 and 1, there is
        only one entity, or there are not two classes.

    Examples
    --------
    >>> counts = br.from_counts(tn=[900, 910, 800], fp=[100, 90, 200], fn=[50, 52, 10], tp=[450, 448, 490],
    ...                         entity=["old", "new", "eager"])
    >>> found = noninferiority(br.fit(counts, seed=1), "old")
    >>> found["entity"].values.tolist(), found["verdict"].values.tolist()
    (['new', 'eager'], ['equivalent', 'inferior'])
    """
    margins = {"tpr": check_number("tpr", tpr, 0.0, 1.0), "tnr": check_number("tnr", tnr, 0.0, 1.0)}
    prob = check_prob("prob", prob)
    source = mean_performance(source, "two rates")
    only_two_classes(as_performance(source, kind))
    rates = {name: as_score(name)(source, kind) for name in RATES}
    evidence = evidence_of(source, None, rates["tpr"], kind)
    differences_of_rates = load_arrays(*(_minus(values, reference) for values in rates.values()))
    # A fixed memory layout, so that sums over draws agree to the last digit for every source.
    differences_of_rates = [
        values.copy(data=np.ascontiguousarray(values.data)) for values in differences_of_rates
    ]
    differences = dict(zip(rates, differences_of_rates, strict=True))
    defined = differences["tpr"].notnull() & differences["tnr"].notnull()
    above = {name: differences[name] > -margins[name] for name in RATES}
    better = {name: differences[name] > 0 for name in RATES}
    alike = {name: abs(differences[name]) < margins[name] for name in RATES}
    variables: dict[str, Any] = {}
    for name, values in differences.items():
        interval = median_and_interval(f"{name}_difference", values, prob)
        if evidence.behind.clustered:
            allowance = _allow(evidence, name, rates[name], reference, prob)
            interval = widen(interval, allowance, (-1.0, 1.0))
        variables |= interval
        events = above[name].where(values.notnull()).astype(float)
        variables |= name_pair(f"{name}_noninferior", share_and_error(events, values))
    for name, both in (("noninferior", above), ("superior", better), ("equivalent", alike)):
        events = (both["tpr"] & both["tnr"]).where(defined).astype(float)
        variables |= name_pair(name, share_and_error(events, *differences_of_rates))
    variables["undefined"] = 1 - mean_over_draws(defined.astype(float))
    result = xr.Dataset({name: value.drop_attrs() for name, value in variables.items()})
    # The posterior of an entity without observed cases of a class is the prior: it is undecided.
    lacking = xr.zeros_like(defined.isel(dict.fromkeys(draw_dims(defined), 0), drop=True), bool)
    for name in RATES:
        if (seen := evidence.observed(as_score(name))) is not None:
            missing = seen.isnull()
            lacking |= select_names(missing, entity=lacking["entity"]) | select_names(
                missing, entity=reference, drop=True
            )
    result["verdict"] = _verdict(result, prob).where(~lacking, "undecided")
    result["notes"] = notes_text(evidence.notes(as_score("tpr")))
    facts = {
        "reference": str(reference),
        "prob": prob,
        **margins,
        "effective_draws": effective_size(*differences_of_rates),
    }
    return result.assign_attrs(facts | evidence.called())


def _allow(
    evidence: RankingEvidence, name: str, rates: xr.DataArray, reference: Any, prob: float
) -> xr.Dataset:
    """Return how much wider differences from the reference are than their draws, for few clusters."""
    names = rates["entity"].values.tolist()
    at = names.index(reference)
    allowance = allowance_of(evidence, as_score(name), rates, prob, (0.0, 1.0), at)
    return allowance.isel(entity=[i for i in range(len(names)) if i != at])


def _minus(values: xr.DataArray, reference: Any) -> xr.DataArray:
    """Return each entity's values minus those of the reference, without the reference."""
    if "entity" not in values.dims:
        raise ArgumentError(
            "source", "must have the dim entity", values.dims, suggest_entity(values.dims)
        )
    if "entity" not in values.coords:
        values = values.assign_coords(entity=np.arange(values.sizes["entity"]))
    names = values["entity"].values.tolist()
    check_unique("entity", names)
    check_choice("reference", reference, names, ArgumentKeyError)
    if len(names) < 2:
        raise ArgumentError(
            "source", f"must contain a second entity to compare with {reference!r}", "one entity"
        )
    at = names.index(reference)
    others = values.isel(entity=[i for i in range(len(names)) if i != at])
    return (others - values.isel(entity=at, drop=True)).transpose(*draw_dims(values), ...)


def _verdict(comparison: xr.Dataset, prob: float) -> xr.DataArray:
    """Return the verdict on each entity; empty without draws, since probabilities need draws."""
    sure = {
        name: (comparison[name] >= prob).values
        for name in ("superior", "equivalent", "noninferior")
    }
    # One rate alone must fall short with the required probability; "either of them" would be a
    # weaker claim.
    inferior = np.logical_or.reduce(
        [(1 - comparison[f"{name}_noninferior"] >= prob).values for name in RATES]
    )
    words = np.select(
        [
            sure["superior"] & sure["equivalent"],
            sure["superior"],
            sure["equivalent"],
            sure["noninferior"],
            inferior,
        ],
        ["superior and equivalent", "superior", "equivalent", "non-inferior", "inferior"],
        "undecided",
    )
    return comparison["noninferior"].copy(
        data=np.where(comparison["noninferior_error"].notnull(), words, "undecided")
    )
