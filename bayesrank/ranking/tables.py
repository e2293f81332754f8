"""Tables of several scores of the same entities."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prob, describe_value
from bayesrank._core.draws import draw_dims, load_arrays
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.claims.effective import Allowance
from bayesrank.claims.ends import CLOSED
from bayesrank.claims.information import allowance_of
from bayesrank.models.parts.priors import in_words
from bayesrank.performance import as_performance, at_prevalence
from bayesrank.ranking.evidence import RankingEvidence, evidence_of
from bayesrank.ranking.intervals import quantiles_of
from bayesrank.ranking.values import ScoreValues, score_values_together
from bayesrank.scores.verdicts import verdict_on


@check_call
def score_table(
    source: Container,
    scores: Sequence[Any],
    *,
    prob: float = 0.95,
    prevalence: Any = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return several scores at once: median, interval, and observed value.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performances. For point estimates, both ends of an interval are the value itself.
    scores : list or tuple
        Scores, names or aliases, functions, or names of posterior variables over ``entity``, each
        once. They need no direction.
    prob : float
        Probability of the credible intervals (equal tails).
    prevalence : number or DataArray, optional
        Prevalence of the target population, as in :func:`bayesrank.at_prevalence`.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.Dataset
        ``median``, ``lower``, ``upper``, ``observed`` (at the target prevalence, NaN if unknown)
        and ``undefined`` (share of draws without a value, which quantiles ignore): (entity, any
        other dim, score), in units of each score. Intervals are closed at an end of the score's
        range, and wider for few clusters, as those of a ranking. The coord ``may_rank`` (score)
        says whether an order by the score keeps the axioms of ranking: "yes", "at one prevalence",
        "no" (the score should not rank), or "" if unknown, as for averages, own functions and
        scores without direction (see :func:`bayesrank.audit`). The attrs are ``prob``, ``method``
        ("draws"), ``interval`` (how intervals were made), and ``prevalence`` if given.

    Raises
    ------
    ValueError, TypeError, KeyError
        If ``scores`` is no list, names a score twice or an unknown one, ``prob`` is not between 0
        and 1, or the source already holds values of a score.

    Examples
    --------
    >>> posterior = br.fit(br.from_counts(tn=90, fp=10, fn=5, tp=45, entity=["kit"]), seed=1)
    >>> table = br.score_table(posterior, ["sensitivity", "ppv", "LR+"], prevalence=0.02)
    >>> table.to_dataframe().round(2)[["median", "lower", "upper", "observed"]]
                                      median  lower  upper  observed
    entity score
    kit    tpr                          0.90   0.80   0.96      0.90
           ppv                          0.15   0.09   0.26      0.16
           positive_likelihood_ratio    8.75   5.14  16.88      9.00
    """
    prob = check_prob("prob", prob)
    if not isinstance(scores, list | tuple) or not scores:
        raise ArgumentTypeError(
            "scores", "must be a list of at least one score", describe_value(scores)
        )
    source = parse_source(source)
    if source.array is not None:
        as_performance(source)  # raises for bare values of a score
    moved = source if prevalence is None else parse_source(at_prevalence(source, prevalence))
    # In any direction, as nothing is ranked here.
    scored = score_values_together(moved, scores, True, kind)
    names = [one.name for one in scored]
    if len(set(names)) < len(names):
        raise ArgumentError("scores", "must name each score once", names)
    first = scored[0].values
    dims = ["entity", *(str(d) for d in first.dims if d not in (*draw_dims(first), "entity"))]
    coords = {dim: first.coords[dim].variable for dim in dims if dim in first.coords}
    sizes = {dim: first.sizes[dim] for dim in dims}
    shape = tuple(sizes.values())
    # All scores of the performance have the same evidence.
    of_performance = next((one for one in scored if not one.variable and one.source is None), None)
    evidence = _at(
        RankingEvidence()
        if of_performance is None
        else evidence_of(source, None, of_performance.values, kind),
        prevalence,
    )
    evidence.observe(
        [
            one.score
            for one in scored
            if one.score is not None and not one.variable and one.source is None
        ]
    )
    names_of_numbers = ("median", "lower", "upper", "observed", "undefined")
    table = {name: np.full((*shape, len(scored)), np.nan) for name in names_of_numbers}
    loaded = load_arrays(*(one.values for one in scored))
    for i, (one, values) in enumerate(zip(scored, loaded, strict=True)):
        own_evidence = evidence
        if one.variable or one.source is not None:
            own_evidence = evidence_of(one.source or source, one.variable, one.values, kind)
        draws = values.variable.transpose(..., *dims).values
        x = draws.reshape(-1, prod(shape)).astype(float, copy=False)
        numbers = {name: column[..., i] for name, column in table.items()}
        _summarise(x, numbers, one, own_evidence, prob, sizes)
    table["observed"][np.isinf(table["observed"])] = np.nan
    record: dict[str, Any] = {"prob": prob, "method": "draws", "interval": CLOSED}
    if prevalence is not None:
        record["prevalence"] = (
            float(prevalence) if np.ndim(prevalence) == 0 else in_words(prevalence, "")
        )
    of_classes = any(
        one.score is not None and one.score.space in ("binary", "classes") for one in scored
    )
    classes = as_performance(source, kind).sizes.get("actual", 2) if of_classes else 2
    ranks = [
        "" if one.score is None or one.variable else verdict_on(one.score, classes).may_rank
        for one in scored
    ]
    return xr.Dataset(
        {name: ((*dims, "score"), held) for name, held in table.items()},
        coords | {"score": names, "may_rank": ("score", ranks)},
        record,
    )


def _summarise(
    x: np.ndarray,
    numbers: dict[str, np.ndarray],
    one: ScoreValues,
    evidence: RankingEvidence,
    prob: float,
    sizes: dict[str, int],
) -> None:
    """Write the summary of draws (draw, item) of one score to ``numbers`` by name (entity, ...)."""
    dims, score = [*sizes], None if one.variable else one.score
    median, lower, upper, _, defined = quantiles_of(x, (1 - prob) / 2)
    undefined = (len(x) - defined) / len(x)
    drawn = {"median": median, "lower": lower, "upper": upper, "undefined": undefined}
    for name, column in drawn.items():
        numbers[name][...] = column.reshape(numbers[name].shape)
    observed = evidence.observed(score)
    if observed is not None:
        numbers["observed"][...] = observed.variable.set_dims(sizes).transpose(*dims).values
    ends = numbers["lower"], numbers["upper"]
    if evidence.behind.clustered:
        allowance = allowance_of(evidence, score, one.values, prob, one.range)
        fields = {str(name): field.transpose(*dims).values for name, field in allowance.items()}
        wide = Allowance(**fields).widen(numbers["median"], ends, one.range)
        for end, widened in zip(ends, wide, strict=True):
            end[...] = widened
    if observed is not None:
        _close(numbers, one, evidence, prob, dims[1:])
    if evidence.behind.withheld is not None:  # the interval of an area is withheld
        hidden = evidence.behind.withheld.variable.set_dims(sizes).transpose(*dims).values
        for end in ends:
            end[...] = np.where(hidden, np.nan, end)


def _at(evidence: RankingEvidence, prevalence: Any) -> RankingEvidence:
    """Return the evidence with observed values at the target prevalence, unknown for draws of it."""
    if prevalence is None:
        return evidence
    share = str(float(prevalence)) if np.ndim(prevalence) == 0 else in_words(prevalence, "")
    return replace(evidence, about=replace(evidence.model, prevalence=share))


def _close(
    numbers: dict[str, np.ndarray],
    one: ScoreValues,
    evidence: RankingEvidence,
    prob: float,
    dims: Sequence[str],
) -> None:
    """Close the intervals (entity, *dims) of a score, as rankings do."""
    shape = numbers["lower"].shape
    for dim, size in zip(dims, shape[1:], strict=True):
        evidence = evidence.flat(dim, size)
    interval = numbers["lower"].ravel(), numbers["upper"].ravel()
    ends = evidence.close(one.score, interval, one.range, prob)
    for name, end in zip(("lower", "upper"), ends, strict=True):
        numbers[name][...] = end.reshape(shape)
