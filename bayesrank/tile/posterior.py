"""The Tile of a posterior: the probability of being best, for every preference at once.

Compiled, threaded kernels make one pass over the draws. No array of size draws × entities × Tile is ever allocated.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_prob, check_sequence
from bayesrank._draws import ERROR, Batches, EffectiveDraws, part_error, reduce, share_error
from bayesrank._threads import thread_pool
from bayesrank._types import Container
from bayesrank.tile._grid import (
    area_weights,
    axis,
    label_map,
    on_the_tile,
    parts,
    place_maps,
    ratio,
    two_class,
    with_entity,
    zoom,
)
from bayesrank.tile._reducers import OPTIONAL, Cells, Credible, Maps

__all__ = ["credible", "leaders", "probability_best", "value_interval"]

#: Number of cells held in memory where all draws are needed at once: 256 MB.
HELD = 2**25


def credible(
    source: Container,
    resolution: int = 101,
    *,
    prob: float = 0.95,
    maps: Collection[str] = OPTIONAL,
    kind: str | None = None,
    window: Any = None,
) -> xr.Dataset:
    """Return the probability of being best, and related maps, at each point of the Tile.

    Ranks are among defined entities. Tied entities share their ranks; scores tie if their odds differ by a relative
    1e-12 at most. With a window, shares and areas refer to the window, and ``probability_skilled`` is omitted.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors.
    prob : float
        Credibility of the intervals; a winner with a lower probability counts as undecided.
    maps : collection of {"expected_rank", "probability_skilled", "expected_regret"}
        Maps to compute in addition to ``probability_best``, which alone is several times as fast; all by default.

    Returns
    -------
    xarray.Dataset
        - ``probability_best``, ``expected_rank``, ``expected_regret`` (mean difference from the best score),
          ``probability_skilled`` (P(better than calling all cases negative and all positive), at the entity's own
          prevalence) and ``undefined`` (share of draws without a score), each (entity, b, a);
        - ``winner`` (b, a): the entity with the highest probability, "" if several share it or none is defined, and
          ``winner_probability`` (b, a);
        - ``share``, ``share_lower``, ``share_upper`` (entity): mean and equal-tailed interval of the area on which the
          entity is best, exact for each draw; ties over an area are shared evenly;
        - ``undecided_area``: the share of the Tile where the winner's probability is below ``prob``;
        - Monte-Carlo standard errors ``<name>_error``, which account for autocorrelation; NaN for a performance
          without draws. ``expected_rank_error`` is too large where the score is undefined in some draws.

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
    prob = check_prob("prob", prob)
    maps = [check_choice("maps", name, OPTIONAL) for name in check_sequence("maps", maps)]
    if window is not None:  # skill needs all cells, and a window does not keep them
        maps = [name for name in maps if name != "probability_skilled"]
    points = axis(resolution, 8)
    array = on_the_tile(with_entity(*zoom(source, kind, window)))
    batches = Batches.of(array)
    with thread_pool() as share_out:
        found, effective = reduce(array, Credible(array.sizes["entity"], points, maps, share_out), EffectiveDraws())
    # A single performance without draws has no measurable Monte-Carlo error.
    known = 1.0 if batches.sampled else np.nan
    result = _result(found, known * batches.number, known * effective.min(), prob)
    names = array["entity"].values
    winner, at = _winner(result["probability_best"], names)
    result["winner"] = winner
    for name in ("probability_best", "probability_best_error"):
        result[name.replace("probability_best", "winner_probability")] = np.take_along_axis(result[name], at, 0)[0]
    dims = {0: (), 1: ("entity",), 2: ("b", "a"), 3: ("entity", "b", "a")}
    tile = xr.Dataset(
        {
            name: (dims[values.ndim], values, {"method": ERROR} if name.endswith("_error") else {})
            for name, values in result.items()
        },
        {"entity": names, "b": points, "a": points},
        {"prob": prob, "draws": batches.number},
    )
    top = tile["winner_probability"]
    weight = area_weights(resolution).where(top.notnull(), 0.0)
    tile["undecided_area"] = (weight * (top < prob)).sum() / weight.sum().where(weight.sum() > 0)
    return place_maps(tile, window)


def leaders(credible: xr.Dataset) -> xr.Dataset:
    """Return the entity that alone has the highest probability of being best, and where several share it.

    The result of :func:`credible` gives ``leader`` (b, a), "" without a sole leader; ``shared`` (b, a), True where
    several lead; ``among`` (entity), the two or more joint leaders if these are the same on nearly all of that area;
    and ``exact``, True for a Tile without draws, where ties are exact. Entities within three Monte-Carlo errors of the
    highest probability share it. (Among ten equal entities, the lowest estimate is about that far from the highest.)
    """
    best = credible["probability_best"].transpose("entity", "b", "a").fillna(-1.0).values
    error = credible["probability_best_error"].transpose("entity", "b", "a").fillna(0.0).values
    entities = credible["entity"].values
    at = best.argmax(0)[None]
    top, top_error = np.take_along_axis(best, at, 0), np.take_along_axis(error, at, 0)
    leading = (best >= top - 3 * np.hypot(error, top_error) - 1e-12) & (top >= 0)
    alone, shared = leading.sum(0) == 1, leading.sum(0) > 1
    among = np.zeros(len(entities), bool)
    if shared.any():
        often = leading[:, shared].mean(1) >= 0.5
        often &= ~np.isin(np.arange(len(entities)), at[0][alone])
        most = leading[often][:, shared].sum(0) > max(often.sum() / 2, 1)
        among = often if most.mean() >= 0.9 else among
    return xr.Dataset(
        {
            "leader": (("b", "a"), np.where(alone, entities[at[0]].astype(object), "")),
            "shared": (("b", "a"), shared),
            "among": ("entity", among),
            "exact": not bool((credible["probability_best_error"] > 0).any()),
        },
        {"entity": entities, "b": credible["b"], "a": credible["a"]},
    )


def probability_best(
    source: Container, resolution: int = 101, *, kind: str | None = None, window: Any = None
) -> xr.DataArray:
    """Return the probability that each entity is best: :func:`credible` without the slower maps.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        Probabilities (entity, b, a), with ties shared; NaN where no entity has a score in any draw.

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
    points = axis(resolution, 8)
    array = on_the_tile(with_entity(*zoom(source, kind, window)))
    with thread_pool() as share_out:
        [found] = reduce(array, Credible(array.sizes["entity"], points, (), share_out, areas=False))
    values = found.mean["probability_best"]
    values[:, (found.undefined > 1 - 1e-12).all(0)] = np.nan
    coords = {"entity": array["entity"].values, "b": points, "a": points}
    return place_maps(xr.DataArray(values, coords, ("entity", "b", "a"), name="probability_best"), window)


def value_interval(
    source: Container, resolution: int = 101, *, prob: float = 0.95, kind: str | None = None, window: Any = None
) -> xr.Dataset:
    """Return the posterior mean and an equal-tailed interval of every canonical score.

    Quantiles need all draws at once: entities are processed in blocks of 256 MB, and lazy data are computed block by
    block.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors; the source has draws.
    prob : float
        Credibility of the interval.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``lower``, ``upper`` (entity, b, a), over the draws with a defined score.

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
    prob = check_prob("prob", prob)
    points = axis(resolution, 8)
    array = two_class(*zoom(source, kind, window))
    each = on_the_tile(with_entity(array, None))
    n, step = each.sizes["entity"], max(HELD // (4 * Batches.of(each).number), 1)
    found = np.empty((3, n, points.size, points.size))
    with thread_pool() as share_out:
        for start in range(0, n, step):
            part = slice(start, start + step)
            [cells] = reduce(each.isel(entity=part), Cells(), across=True)

            def summarize(rows: slice, cells: np.ndarray = cells, part: slice = part) -> None:
                for row in range(rows.start, rows.stop):
                    for entity, own in enumerate(cells.swapaxes(0, 1), part.start):
                        found[:, entity, row] = _mean_and_tails(own, points, points[row], (1 - prob) / 2)

            share_out(summarize, points.size)
    dims = ("entity", "b", "a") if "entity" in array.dims else ("b", "a")
    maps = {
        name: label_map(xr.Variable(dims, values if "entity" in dims else values[0]), array, points, name)
        for name, values in zip(("mean", "lower", "upper"), found, strict=True)
    }
    return place_maps(xr.Dataset(maps).assign_attrs(prob=prob), window)


def _mean_and_tails(cells: np.ndarray, a: np.ndarray, b: float, tail: float) -> np.ndarray:
    """Return the mean and both quantiles (3, a) of one entity's scores in a row of the Tile, from cells (4, draw)."""
    tn, fp, fn, tp = cells
    value = ratio(*parts(tn, fp, fn, tp, a[:, None], b))
    if not np.isnan(value).any():
        return np.stack([value.mean(axis=1), *np.quantile(value, [tail, 1 - tail], axis=1)])
    # Skip entities without any score before NumPy can warn: threads share the warning filters.
    found, some = np.full((3, len(value)), np.nan), ~np.isnan(value).all(axis=1)
    if some.any():
        value = value[some]
        found[:, some] = [np.nanmean(value, axis=1), *np.nanquantile(value, [tail, 1 - tail], axis=1)]
    return found


def _result(found: Maps, number: float, effective: float, prob: float) -> dict[str, np.ndarray]:
    """Summarise the maps of ``number`` draws with an effective sample size ``effective``; NaN without draws."""
    # Separate arrays: for a thousand entities each map has tens of megabytes.
    undefined = found.undefined
    nowhere = undefined > 1 - 1e-12
    result: dict[str, np.ndarray] = {}
    for name, mean in found.mean.items():
        error = found.error[name]
        if name == "expected_rank":
            defined = np.where(nowhere, np.nan, 1 - undefined)
            mean /= defined
            # A rank that is constant over n draws may change in the next: assume one success in n more draws.
            error /= defined
            np.fmax(error, 1 / effective, out=error)
        elif name == "expected_regret":
            np.maximum(mean, 0.0, out=mean)
            mean[undefined > 0] = np.nan
            np.fmax(error, np.finfo(float).eps / np.sqrt(effective), out=error)
        else:
            mean[:, nowhere.all(0)] = np.nan
            if name == "probability_skilled":
                mean[nowhere] = np.nan
            error[:] = share_error(mean, error, number, effective)
        error[np.isnan(mean) | np.isnan(effective)] = np.nan
        result |= {name: mean, f"{name}_error": error}
    assert found.areas is not None
    none = np.isnan(found.areas[:, 0])
    areas = found.areas[~none] if none.any() else found.areas
    share, low, high = np.full((3, areas.shape[1]), np.nan)
    if len(areas):
        share, (low, high) = areas.mean(axis=0), np.quantile(areas, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
    return result | {
        "undefined": undefined,
        "share": share,
        "share_error": part_error(share, found.areas_error, effective),
        "share_lower": low,
        "share_upper": high,
    }


def _winner(best: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the entity with the largest probability, "" if tied or undefined, and that probability (1, b, a)."""
    known = ~np.isnan(best).all(0)
    filled = np.where(np.isnan(best), -1.0, best)
    at = filled.argmax(0)
    single = (filled >= filled.max(0) - 1e-12).sum(0) == 1
    return np.where(known & single, names[at].astype(object), ""), at[None]
