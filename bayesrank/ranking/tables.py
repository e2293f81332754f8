"""Tables of several scores of the same entities."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_prob, describe_value
from bayesrank._draws import draw_dims, load_arrays
from bayesrank._errors import ArgumentError, ArgumentTypeError
from bayesrank._records import ModelRecord
from bayesrank._source import parse_source
from bayesrank._types import Container
from bayesrank.models.parts.priors import in_words
from bayesrank.performance import as_performance, at_prevalence
from bayesrank.ranking.credible import quantiles_of
from bayesrank.ranking.evidence import Evidence, evidence_of
from bayesrank.ranking.values import ScoreValues, score_values_together


def score_table(
    source: Container, scores: Sequence[Any], *, prob: float = 0.95, prevalence: Any = None, kind: str | None = None
) -> xr.Dataset:
    """Return several scores at once: median, interval, and observed value.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performances. For point estimates, both ends of an interval are the value itself.
    scores : list or tuple
        Scores, names or aliases, functions, or names of posterior variables over ``entity``, each once. They need no
        direction.
    prob : float
        Probability of the credible intervals (equal tails).
    prevalence : number or DataArray, optional
        Prevalence of the target population, as in :func:`bayesrank.at_prevalence`.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.Dataset
        ``median``, ``lower``, ``upper``, ``observed`` (at the target prevalence, NaN if unknown) and ``undefined``
        (share of draws without a value, which quantiles ignore): (entity, any other dim, score), in units of each
        score. The attrs are ``prob``, ``method`` ("draws"), and ``prevalence`` if given.

    Raises
    ------
    ValueError, TypeError, KeyError
        If ``scores`` is no list, names a score twice or an unknown one, ``prob`` is not between 0 and 1, or the source
        already holds values of a score.

    Examples
    --------
    >>> posterior = br.fit(br.from_counts(tn=90, fp=10, fn=5, tp=45, entity=["kit"]), seed=1)
    >>> table = br.score_table(posterior, ["sensitivity", "ppv", "LR+"], prevalence=0.02)
    >>> table.to_dataframe().round(2)[["median", "lower", "upper", "observed"]]
                                      median  lower  upper  observed
    entity score
    kit    tpr                          0.89   0.78   0.96      0.90
           ppv                          0.15   0.09   0.25      0.16
           positive_likelihood_ratio    8.33   4.89  15.94      9.00
    """
    prob = check_prob("prob", prob)
    if not isinstance(scores, list | tuple) or not scores:
        raise ArgumentTypeError("scores", "must be a list of scores, one or more", describe_value(scores))
    source = parse_source(source)
    if source.array is not None:
        as_performance(source)  # raises for bare values of a score
    moved = source if prevalence is None else parse_source(at_prevalence(source, prevalence))
    # In any direction, as nothing is ranked here.
    found = score_values_together(moved, scores, True, kind)
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise ArgumentError("scores", "must name each score once", names)
    first = found[0].values
    dims = ["entity", *(str(d) for d in first.dims if d not in (*draw_dims(first), "entity"))]
    coords = {dim: first.coords[dim].variable for dim in dims if dim in first.coords}
    sizes = {dim: first.sizes[dim] for dim in dims}
    shape = tuple(sizes.values())
    # All scores of the performance have the same evidence.
    plain = next((one for one in found if not one.variable), None)
    evidence = Evidence() if plain is None else evidence_of(source, None, plain.values, kind)
    evidence.observe([one.score for one in found if one.score is not None and not one.variable])
    table = {name: np.empty((*shape, len(found))) for name in ("median", "lower", "upper", "observed", "undefined")}
    loaded = load_arrays(*(one.values.transpose(..., *dims) for one in found))
    for i, (one, values) in enumerate(zip(found, loaded, strict=True)):
        x = values.values.reshape(-1, prod(shape)).astype(float, copy=False)
        median, lower, upper, _, defined = quantiles_of(x, (1 - prob) / 2)
        undefined = (len(x) - defined) / len(x)
        for name, numbers in (("median", median), ("lower", lower), ("upper", upper), ("undefined", undefined)):
            table[name][..., i] = numbers.reshape(shape)
        known = evidence_of(source, one.variable, one.values, kind) if one.variable else evidence
        if known.hidden is not None:  # the interval of an area is withheld
            hidden = known.hidden.variable.set_dims(sizes).transpose(*dims).values
            for name in ("lower", "upper"):
                table[name][..., i] = np.where(hidden, np.nan, table[name][..., i])
        seen = _observed(one, known, prevalence)
        table["observed"][..., i] = np.nan if seen is None else seen.variable.set_dims(sizes).transpose(*dims).values
    table["observed"][np.isinf(table["observed"])] = np.nan
    about: dict[str, Any] = {"prob": prob, "method": "draws"}
    if prevalence is not None:
        about["prevalence"] = float(prevalence) if np.ndim(prevalence) == 0 else in_words(prevalence, "")
    return xr.Dataset(
        {name: ((*dims, "score"), held) for name, held in table.items()}, coords | {"score": names}, about
    )


def _observed(one: ScoreValues, evidence: Evidence, prevalence: Any) -> xr.DataArray | None:
    """Return the observed value of a score, at the target prevalence; None if unknown."""
    if one.variable:
        return evidence.observed(None)
    if prevalence is None or one.score is None or evidence.table is None or not one.score.depends_on_prevalence:
        return evidence.observed(one.score)
    estimate = prevalence.attrs.get("estimate") if isinstance(prevalence, xr.DataArray) else None
    share = prevalence if estimate is None else ModelRecord(prevalence=estimate).prevalence_number
    try:
        return one.score(at_prevalence(as_performance(evidence.table), share))
    except ValueError:  # draws of a prevalence, which counts do not have
        return None
