"""The Pareto front of a score and a cost: the entities that no other entity beats in both."""

from dataclasses import replace

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prob
from bayesrank._core.compat import get_variable
from bayesrank._core.draws import draw_dims, load_arrays, median_and_interval
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import select_names
from bayesrank._core.notes import Note, notes_text
from bayesrank._core.source import Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.claims.information import allowance_of
from bayesrank.claims.units import Units
from bayesrank.decisions._means import (
    effective_size,
    mean_over_draws,
    name_pair,
    share_and_error,
    widen,
)
from bayesrank.performance.arrays import posterior_of
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import one_ranking, score_values

#: With fewer cases or clusters, intervals of mean costs are too narrow: those at 0.95 of simulated
#: mean costs covered 0.67 (uniform costs) and 0.59 (lognormal) with 3 cases, 0.92 and 0.77 with 12,
#: 0.95 and 0.89 with 50.
FEW_COSTS = 50


@check_call
def pareto_front(
    source: Container,
    score: ScoreLike | None = None,
    cost: xr.DataArray | None = None,
    *,
    prob: float = 0.95,
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return the probability that each entity is on the Pareto front of a score and a cost.

    An entity is on the front unless another one is at least as good in score and in cost, and
    strictly better in one of them. Lower costs are better. Joint draws of scores and costs keep the
    dependence between the two.

    Parameters
    ----------
    source, score, higher_is_better, kind
        As for :func:`bayesrank.credible_ranking`.
    cost : xarray.DataArray, optional
        Draws of the mean cost (chain, draw, entity), or one number for each entity; the result
        keeps its attr ``units``. By default the variable ``mean_cost`` of the posterior, which
        :func:`bayesrank.fit` draws if the evidence has costs: see ``cost`` of
        :func:`bayesrank.from_frame`.
    prob : float
        Probability of the credible intervals.

    Returns
    -------
    xarray.Dataset
        Over ``entity``: ``probability_front`` and its Monte-Carlo standard error
        ``probability_front_error``; ``score`` and ``cost``, the medians, with ``_lower`` and
        ``_upper``, equal tails at ``prob``; ``undefined``, the share of draws in which the score or
        the cost is undefined; the probability ignores these draws.

    Raises
    ------
    ValueError, TypeError
        If there are no costs, or entities or draws of costs and scores differ.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"entity": list("aaabbb"), "case": [1, 2, 3] * 2, "outcome": [1, 1, 0, 1, 0, 0],
    ...                       "usd": [0.2, 0.3, 0.2, 0.4, 0.5, 0.3]})
    >>> front = pareto_front(br.fit(br.from_frame(frame, cost="usd"), seed=1))
    >>> front["probability_front"].sel(entity="a").item()
    1.0
    """
    prob, source = check_prob("prob", prob), parse_source(source)
    scores = score_values(source, score, higher_is_better, kind)
    one_ranking(scores.values.dims)
    costs = _costs(source, cost)
    units = costs.attrs.get("units")
    values, costs = _align_costs(scores.values, costs)
    defined = values.notnull() & costs.notnull()
    evidence = evidence_of(source, scores.variable, scores.values, kind)
    plain = None if scores.variable else scores.score
    likely = Units.of(evidence, plain, values).spread_differences(values, scores.range, scores.sign)
    likely_costs = costs
    if cost is None:
        of_costs = evidence_of(source, "mean_cost", costs, None)
        likely_costs = Units.of(of_costs, None, costs).spread_differences(costs, _limits(costs), -1)
    front = on_front(scores.sign * likely.values, likely_costs.values)
    events = defined.copy(data=front.astype(float)).where(defined)
    variables = name_pair("probability_front", share_and_error(events, values, costs))
    interval = median_and_interval("score", values, prob)
    if evidence.behind.clustered:
        allowance = allowance_of(evidence, plain, scores.values, prob, scores.range)
        interval = widen(interval, allowance, scores.range)
    variables |= interval | _interval_of_costs(source, costs, prob, own=cost is None)
    variables["undefined"] = 1 - mean_over_draws(defined.astype(float))
    record = replace(scores.facts, prob=prob, effective_draws=effective_size(values, costs))
    result = xr.Dataset(
        {name: array.drop_attrs() for name, array in variables.items()}, attrs=record.to_attrs()
    )
    if units:
        result["cost"].attrs["units"] = units
    if cost is None:
        size = int(min(parse_source(source).model.units, default=FEW_COSTS))
        notes = (
            [Note("few_costs", {"units": size, "enough": FEW_COSTS})] if size < FEW_COSTS else []
        )
        result["notes"] = notes_text([*notes, Note("costs_without_prior")])
    return result


def _align_costs(scores: xr.DataArray, costs: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Return scores and costs of the same entities and draws, in memory (draws, entity)."""
    names = scores.coords.get("entity")
    if (
        names is not None
        and "entity" in costs.coords
        and set(costs["entity"].values) == set(names.values)
    ):
        costs = select_names(costs, entity=names.values)
    try:
        scores, costs = xr.align(scores, costs, join="exact")
    except ValueError:
        raise ArgumentError(
            "cost", "must have the entities and the draws of the scores", "different ones"
        ) from None
    scores, costs = xr.broadcast(scores, costs)
    scores, costs = load_arrays(scores, costs)
    dims = (*draw_dims(scores), "entity")
    return scores.transpose(*dims), costs.transpose(*dims)


def _interval_of_costs(
    source: Source, costs: xr.DataArray, prob: float, own: bool
) -> dict[str, xr.DataArray]:
    """Return the median and interval of costs; those of the posterior's ``own`` cases allow for few clusters."""
    interval = median_and_interval("cost", costs, prob)
    if not own or not (evidence := evidence_of(source, "mean_cost", costs, None)).behind.clustered:
        return interval
    limits = _limits(costs)
    return widen(interval, allowance_of(evidence, None, costs, prob, limits), limits)


def _limits(costs: xr.DataArray) -> tuple[float, float]:
    """Return the range of costs."""
    return (0.0 if float(costs.min()) >= 0 else -np.inf), np.inf


def _costs(source: Source, cost: xr.DataArray | None) -> xr.DataArray:
    """Return the given costs, or those of the posterior."""
    if cost is None:
        mean_cost = (
            None if source.array is not None else get_variable(posterior_of(source), "mean_cost")
        )
        if mean_cost is None:
            raise ArgumentError(
                "cost",
                "must be given for a source without the variable mean_cost",
                "None",
                "br.from_frame(frame, cost=COLUMN) reads costs of cases, and br.fit draws their mean",
            )
        return mean_cost
    if (
        not isinstance(cost, xr.DataArray)
        or "entity" not in cost.dims
        or cost.dtype.kind not in "iuf"
    ):
        raise ArgumentTypeError(
            "cost", "must be a DataArray of numbers with the dim entity", type(cost).__name__
        )
    return cost


def on_front(score: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Return which entities (..., entity) no other one dominates; an undefined value never dominates."""
    result = np.ones(score.shape, bool)
    for i in range(score.shape[-1]):
        own_score, own_cost = score[..., i, None], cost[..., i, None]
        as_good = (score >= own_score) & (cost <= own_cost)
        result[..., i] = ~(as_good & ((score > own_score) | (cost < own_cost))).any(axis=-1)
    return result
