"""The Tile of a posterior: for every preference at once, who is best and how sure that is.

One pass over the draws, compiled and threaded; nothing of the size draws × entities × Tile is ever held.
"""

import warnings
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._arguments import credibility
from bayesrank.performance import as_performance, draw_dims
from bayesrank.tile._grid import (
    area_weights,
    axis,
    batches,
    halves,
    not_empty,
    only_draws_and_entities,
    quotient,
    threaded,
    with_entity,
    workers,
)

__all__ = ["credible", "probability_best", "rank_probability", "value_interval"]


def credible(source: Any, resolution: int = 101, prob: float = 0.95) -> xr.Dataset:
    """Who is best at each point of the Tile, and how probably.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    resolution : int
        Points along each axis, ends included.
    prob : float
        Credibility of the shares' intervals, and below which the winner of a point counts as undecided.

    Returns
    -------
    xarray.Dataset
        - ``probability_best``, ``expected_rank``, ``expected_regret`` (how much lower the score is than the best one's
          on average), ``probability_skilled`` (better than always negative and always positive at the entity's own
          prevalence) and ``undefined`` (share of draws without a score), each (entity, b, a);
        - ``winner`` (b, a): the entity with the highest probability, "" where several share it or none is
          defined, and ``confidence`` (b, a): that probability;
        - ``share``, ``share_lower``, ``share_upper`` (entity): mean and equal-tailed interval of the area on which the
          entity is best, exact for each draw; ties over an area are shared evenly;
        - ``undecided_area``: the share of the Tile where the confidence is below ``prob``;
        - Monte-Carlo standard errors ``<name>_mcse`` from means of batches of draws, so that autocorrelation counts;
          those of ``probability_best`` and ``probability_skilled`` are never below the binomial one of the probability
          shrunk by one draw each way. All are 0 for a performance without draws.

        Ranks are among those defined and tied ones share theirs; odds within 1e-12 of each other, relatively, tie.

    Raises
    ------
    ValueError, TypeError
        If the source has other dims (data sets, say) or more classes, or an argument is out of range.

    References
    ----------
    Piérard et al., The Tile, Definitions 1 and 2 (the scores), Section 4.3 (rankings) and A.5.1 (no skill).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> tile = br.tile.credible(br.fit(counts, seed=1), resolution=5)
    >>> tile["probability_best"].dims, tile["winner"].sel(a=1, b=0).item()
    (('entity', 'b', 'a'), 'b')
    """
    prob = credibility("prob", prob)
    points = axis(resolution)
    array = with_entity(source)
    only_draws_and_entities(array)
    n_draws = int(np.prod([array.sizes[dim] for dim in draw_dims(array)]))
    sums, squares, shares = _accumulate(array, points)
    for total in (*sums.values(), *squares.values()):
        total /= n_draws
    best, rank, undefined, skilled = (sums[name] for name in ("best", "rank", "undefined", "skilled"))
    nowhere = undefined > 1 - 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        expected_rank = np.where(nowhere, np.nan, rank / (1 - undefined))
        regret = np.where(undefined > 0, np.nan, np.maximum(sums["regret"], 0.0))
    best = np.where(nowhere.all(0), np.nan, best)
    error = {name: _batch_error(sums[name], squares[name], len(shares)) for name in squares}

    def binomial(probability: np.ndarray) -> np.ndarray:
        shrunk = (probability * n_draws + 1) / (n_draws + 2)
        return np.sqrt(shrunk * (1 - shrunk) / n_draws) if draw_dims(array) else 0.0 * shrunk

    confidence, winner = _winner(best, array["entity"].values)

    mean, share_error, low, high = _summary_of_shares(shares, prob)

    maps = ("entity", "b", "a")
    coords = {"entity": array["entity"].values, "b": points, "a": points}
    result = xr.Dataset(
        {
            "probability_best": (maps, best),
            "probability_best_mcse": (maps, np.fmax(error["best"], binomial(best))),
            "expected_rank": (maps, expected_rank),
            "expected_rank_mcse": (maps, np.where(nowhere, np.nan, error["rank"])),
            "expected_regret": (maps, regret),
            "expected_regret_mcse": (maps, np.where(np.isnan(regret), np.nan, error["regret"])),
            "probability_skilled": (maps, np.where(nowhere, np.nan, skilled)),
            "probability_skilled_mcse": (
                maps,
                np.where(nowhere, np.nan, np.fmax(error["skilled"], binomial(skilled))),
            ),
            "undefined": (maps, undefined),
            "winner": (("b", "a"), winner),
            "confidence": (("b", "a"), confidence),
            "share": ("entity", mean),
            "share_mcse": ("entity", share_error),
            "share_lower": ("entity", low),
            "share_upper": ("entity", high),
        },
        coords,
    )
    weight = area_weights(resolution).where(result["confidence"].notnull(), 0.0)
    undecided = (weight * (result["confidence"] < prob)).sum() / weight.sum() if weight.sum() > 0 else np.nan
    result["undecided_area"] = xr.DataArray(undecided)
    return result.assign_attrs(prob=prob, draws=n_draws)


def probability_best(source: Any, resolution: int = 101) -> xr.DataArray:
    """The probability that each entity is best, alone: :func:`credible` without its costlier maps.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    resolution : int
        Points along each axis.

    Returns
    -------
    xarray.DataArray
        Probabilities (entity, b, a), ties shared; NaN where no entity has a score in any draw.

    Raises
    ------
    ValueError, TypeError
        If the source has other dims (data sets, say), more classes or no draw, or the resolution is below 2.

    References
    ----------
    Piérard et al., The Tile, Section 4.3.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> probability_best(counts, resolution=3).sel(entity="a", a=1).values.tolist()
    [0.0, 0.5, 1.0]
    """
    from bayesrank.tile import _kernel

    points = axis(resolution)
    array = with_entity(source)
    only_draws_and_entities(array)
    shape = (points.size, array.sizes["entity"], points.size + 1)

    def one(block: np.ndarray) -> tuple[np.ndarray, int]:
        out = np.zeros(shape)
        _kernel.tally_best(block, points, out)
        return out, block.shape[0]

    total, draws = np.zeros(shape), 0
    for part, size in threaded(one, batches(array, workers())):
        total += part
        draws += size
    won = np.cumsum(total, -1, out=total)[..., :-1]
    # Each draw in which some entity has a score has one winner, whole or in shares.
    nowhere = won.sum(1) < 0.5
    if nowhere.any():
        won.swapaxes(1, 2)[nowhere] = np.nan
    values = (won / draws).transpose(1, 2, 0)
    coords = {"entity": array["entity"].values, "b": points, "a": points}
    return xr.DataArray(values, coords, ("entity", "b", "a"), name="probability_best")


def rank_probability(source: Any, resolution: int = 101) -> xr.DataArray:
    """The probability that each entity holds each rank, at each point of the Tile.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    resolution : int
        Points along each axis.

    Returns
    -------
    xarray.DataArray
        Probabilities (entity, rank, b, a), a tied group's spread evenly over the positions that it occupies; they sum
        over the ranks to 1 less the undefined share.

    Raises
    ------
    ValueError, TypeError
        If the source has other dims (data sets, say), more classes or no draw, or the resolution is below 2.

    References
    ----------
    Piérard et al., The Tile, Section 4.3.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> rank_probability(counts, resolution=3).sel(entity="a", rank=1).values.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [1.0, 1.0, 1.0]]
    """
    from bayesrank.tile import _rank_steps

    points = axis(resolution)
    array = with_entity(source)
    only_draws_and_entities(array)
    n = array.sizes["entity"]
    shape = (points.size, n, n, points.size + 1)
    total, draws = np.zeros(shape), 0

    def one(block: np.ndarray) -> tuple[np.ndarray, int]:
        out = np.zeros(shape)
        _rank_steps.tally_rank_steps(block, points, out)
        return out, block.shape[0]

    for part, size in threaded(one, batches(array, workers())):
        total += part
        draws += size
    # Shares of ties do not always cancel to the last digit.
    values = np.maximum(np.cumsum(total, -1)[..., :-1].transpose(1, 2, 3, 0) / draws, 0.0)
    coords = {"entity": array["entity"].values, "rank": np.arange(1, n + 1), "b": points, "a": points}
    return xr.DataArray(values, coords, ("entity", "rank", "b", "a"), name="rank_probability")


def value_interval(source: Any, resolution: int = 101, prob: float = 0.95) -> xr.Dataset:
    """The posterior mean and an equal-tailed interval of every canonical score.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances with draws; all dims but those of the draws are kept.
    resolution : int
        Points along each axis.
    prob : float
        Credibility of the interval.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``lower``, ``upper``, with the dims b and a last; over the draws in which the score is defined.

    Raises
    ------
    ValueError, TypeError
        If the source has more classes or no draw, the resolution is below 2, or ``prob`` is no number between 0 and 1.

    References
    ----------
    Piérard et al., The Tile, Definition 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> tile = value_interval(br.fit(counts, seed=1), resolution=3)
    >>> bool((tile["lower"] <= tile["mean"]).all())
    True
    """
    prob = credibility("prob", prob)
    array = as_performance(source)
    not_empty(array)
    dims = draw_dims(array)
    points = axis(resolution)
    a = xr.DataArray(points, {"a": points}, "a")
    rows = []
    for b in points:  # a row at a time, so that draws × Tile is never held
        value = quotient(*halves(array, a, float(b)))
        row = xr.Dataset({"mean": value.mean(dims)})
        for name, q in (("lower", (1 - prob) / 2), ("upper", (1 + prob) / 2)):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "All-NaN", RuntimeWarning)  # a score that is never defined
                row[name] = value.quantile(q, dims, skipna=True).drop_vars("quantile")
        rows.append(row.assign_coords(b=b))
    return xr.concat(rows, "b").transpose(..., "b", "a").assign_attrs(prob=prob)


def _accumulate(
    array: xr.DataArray, points: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], list[np.ndarray]]:
    """Sums over draws of each map, sums of squared batch means for errors, and each batch's shares, draw by draw."""
    from bayesrank.tile import _kernel, _walk

    n, size = array.sizes["entity"], points.size

    def one(block: np.ndarray) -> tuple[dict[str, np.ndarray], int, np.ndarray]:
        maps = {name: np.zeros((size, n, size + 1)) for name in ("best", "rank", "undefined", "skilled")}
        _kernel.tally(block, points, *maps.values())
        for steps in maps.values():
            np.cumsum(steps, -1, out=steps)
        value, top = np.zeros((n, size, size)), np.zeros((size, size))
        _kernel.sum_values(block, points, value, top)
        regret = np.subtract(top, value, out=value)
        shares = np.empty((block.shape[0], n))
        _walk.shares(block, shares)
        return maps | {"regret": regret}, block.shape[0], shares

    sums: dict[str, np.ndarray] = {}
    squares: dict[str, np.ndarray] = {}
    shares = []
    for maps, draws, share in threaded(one, batches(array)):
        for name, part in maps.items():
            if name not in sums:
                sums[name], squares[name] = np.zeros(part.shape), np.zeros(part.shape)
            sums[name] += part
            np.multiply(part, part, out=part)
            squares[name] += np.divide(part, draws, out=part)
        shares.append(share)
    del squares["undefined"]  # it is shown without an error
    for totals in (sums, squares):
        for name in totals.keys() - {"regret"}:
            totals[name] = np.ascontiguousarray(totals[name][..., :-1].transpose(1, 2, 0))
    return sums, squares, shares


def _summary_of_shares(batches: list[np.ndarray], prob: float) -> tuple[np.ndarray, ...]:
    """Mean, its error and the interval of each entity's share, over the draws that have a winner."""
    parts = [part[~np.isnan(part[:, 0])] for part in batches]
    parts = [part for part in parts if len(part)]
    if not parts:
        return tuple(np.full((4, batches[0].shape[1]), np.nan))
    share = np.concatenate(parts)
    mean, tails = share.mean(0), [(1 - prob) / 2, (1 + prob) / 2]
    squares = np.sum([part.sum(0) ** 2 / len(part) for part in parts], axis=0) / len(share)
    return mean, _batch_error(mean, squares, len(parts)), *np.quantile(share, tails, axis=0)


def _batch_error(mean: np.ndarray, squares: np.ndarray, count: int) -> np.ndarray:
    """Standard error of the mean from the spread of the batches' means, weighted by their sizes."""
    return mean * 0.0 if count < 2 else np.sqrt(np.maximum(squares - mean**2, 0.0) / (count - 1))


def _winner(best: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest probability and whose it is; "" where several have it or none."""
    known = ~np.isnan(best).all(0)
    filled = np.where(np.isnan(best), -1.0, best)
    top = filled.max(0)
    single = (filled >= top - 1e-12).sum(0) == 1
    winner = np.where(known & single, names[filled.argmax(0)].astype(object), "")
    return np.where(known, top, np.nan), winner
