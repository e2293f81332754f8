"""Several scores of the same entities side by side: what a paper tabulates before it ranks by one of them."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_prob, describe_value
from bayesrank._draws import draw_dims, load_arrays
from bayesrank._types import Container
from bayesrank.performance import as_performance, at_prevalence
from bayesrank.ranking.credible import quantiles_of
from bayesrank.ranking.evidence import Evidence, evidence_of
from bayesrank.ranking.values import ScoreValues, score_values_together
from bayesrank.scores import Score

__all__ = ["score_table"]


def score_table(
    source: Container, scores: Sequence[Any], *, prob: float = 0.95, prevalence: Any = None, kind: str | None = None
) -> xr.Dataset:
    """Several scores at once: median, interval, and what was observed.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Whatever holds a performance. Of a point estimate, integer counts among them, both ends of an interval are the
        value itself.
    scores : list or tuple
        Of what a ``score`` may be elsewhere: Scores, names or aliases, functions, names of a posterior's variables over
        ``entity``; each name once. They need no direction.
    prob : float
        Credible probability of the intervals (equal tails).
    prevalence : number or DataArray, optional
        The target population's, as in :func:`bayesrank.at_prevalence`: predictive values change with it, rates and
        likelihood ratios do not.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.Dataset
        ``median``, ``lower``, ``upper``, ``observed``, ``undefined`` (entity, score), in units of each score, with any
        other dim of the source, such as ``dataset``, between the two. The first three are of the draws in which the
        score is defined, and are those of :func:`bayesrank.credible_ranking`; ``undefined`` is the share of the others.
        A ratio whose denominator is 0 is undefined, not infinite. Ratios such as the diagnostic odds ratio may have an
        infinite mean; their quantiles are finite. ``observed`` is at the target prevalence as well, and NaN where it is
        not known or not defined. The attrs are ``prob``, ``method`` ("draws"), and ``prevalence`` if one was given.

    Raises
    ------
    ValueError, TypeError, KeyError
        Naming the argument, what it held and what it should hold.

    Notes
    -----
    The quantiles carry Monte-Carlo error, so that entities with the same evidence differ by as much.
    :func:`bayesrank.score_posterior` has exact ones of one score of two classes.

    Examples
    --------
    >>> import bayesrank as br
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
        raise TypeError(f"scores must be a list of scores, one or more; got {describe_value(scores)}")
    if isinstance(source, xr.DataArray):
        as_performance(source)  # which refuses bare values of a score
    moved = source if prevalence is None else at_prevalence(source, prevalence)
    # Whatever their direction: nothing is ranked here.
    found = score_values_together(moved, scores, True, kind)
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise ValueError(f"scores must name each score once; got {names}")
    first = found[0].values
    dims = ["entity", *(str(d) for d in first.dims if d not in (*draw_dims(first), "entity"))]
    coords = {dim: first.coords[dim].variable for dim in dims if dim in first.coords}
    shape = tuple(first.sizes[dim] for dim in dims)
    table = _quantiles(found, dims, shape, prob)
    table["observed"] = np.full((*shape, len(found)), np.nan)
    for i, seen in enumerate(_observed(source, found, prevalence, kind)):
        if seen is not None:
            table["observed"][..., i] = (
                seen.variable.set_dims({dim: first.sizes[dim] for dim in dims}).transpose(*dims).values
            )
    about: dict[str, Any] = {"prob": prob, "method": "draws"}
    if prevalence is not None:
        about["prevalence"] = float(prevalence) if np.ndim(prevalence) == 0 else "given as an array"
    order = ("median", "lower", "upper", "observed", "undefined")
    return xr.Dataset({name: ((*dims, "score"), table[name]) for name in order}, coords | {"score": names}, about)


def _quantiles(found: list[ScoreValues], dims: list[str], shape: tuple[int, ...], prob: float) -> dict[str, np.ndarray]:
    """Quantiles of the values of each score, entity by entity: (..., score)."""
    columns: dict[str, list[np.ndarray]] = {name: [] for name in ("median", "lower", "upper", "undefined")}
    ordered = (
        one.values if one.values.dims[-len(dims) :] == tuple(dims) else one.values.transpose(..., *dims)
        for one in found
    )
    for values in load_arrays(*ordered):
        x = values.values.reshape(-1, prod(shape)).astype(float, copy=False)
        middle, low, high, _ = quantiles_of(x, (1 - prob) / 2)
        for name, column in zip(columns, (middle, low, high, np.isnan(x).mean(axis=0)), strict=True):
            columns[name].append(column.reshape(shape))
    return {name: np.stack(parts, axis=-1) for name, parts in columns.items()}


def _observed(source: Any, found: list[ScoreValues], prevalence: Any, kind: str | None) -> list[xr.DataArray | None]:
    """What was observed of each score, at the target prevalence."""
    others = [one for one in found if not one.variable]
    # The evidence of one score of the performance is that of all.
    evidence = evidence_of(source, None, others[0].values, kind) if others else None
    if evidence is not None and prevalence is None:
        seen = iter(evidence.observed_of([one.score for one in others if one.score]))
    else:
        seen = iter([_observed_of(evidence, one.score, prevalence) for one in others] if evidence else [])
    return [
        evidence_of(source, one.variable, one.values, kind).observed(None) if one.variable else next(seen)
        for one in found
    ]


def _observed_of(evidence: Evidence, score: Score | None, prevalence: Any) -> xr.DataArray | None:
    seen = evidence.counts if evidence.shares is None else evidence.shares
    if prevalence is None or score is None or seen is None or not score.depends_on_prevalence:
        return evidence.observed(score)
    try:
        return score(at_prevalence(as_performance(seen), prevalence))
    except ValueError:  # draws of it, which counts do not have
        return None
