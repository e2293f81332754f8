"""The Tile of a posterior: the probability of being best, for every preference at once, in one pass over the draws."""

from collections.abc import Collection
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_prob, check_sequence
from bayesrank._core.compiled import can_compile
from bayesrank._core.draws import (
    ERROR,
    Batches,
    EffectiveDraws,
    load_arrays,
    mean_error,
    part_error,
    reduce,
    share_error,
)
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import factorize, name_coord, object_array
from bayesrank._core.source import Over
from bayesrank._core.threads import in_threads, thread_pool
from bayesrank._core.types import Container
from bayesrank.evidence.counts import one_vs_rest
from bayesrank.performance.arrays import as_performance
from bayesrank.ranking.aggregates import over_of
from bayesrank.ranking.performances import likely_performance, mean_performance
from bayesrank.tile._reducers import OPTIONAL, Credible, MeanOfGroups, WorstOfGroups
from bayesrank.tile.grid import (
    TOLERANCE,
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

#: The label of the mean over classes.
MEAN = "mean over classes"
#: Number of cells held in memory where all draws are needed at once: 256 MB.
HELD = 2**25
#: Number of scores (draws, entities and points) up to which NumPy takes less time than compiling:
#: half a second.
FEW = 10**8
#: Cells below this could underflow in products; the kernels then use logarithms.
TINY = 1e-100


@check_call
def credible(
    source: Container,
    resolution: int = 101,
    *,
    prob: float = 0.95,
    maps: Collection[str] = OPTIONAL,
    kind: str | None = None,
    window: Any = None,
    over: str | None = None,
    aggregate: str | None = None,
    weights: Any = None,
    by: str | None = None,
) -> xr.Dataset:
    """Return the probability of being best, and related maps, at each point of the Tile.

    Ranks are among defined entities. Tied entities share their ranks; scores tie if their odds
    differ by a relative 1e-12 at most. With a window, shares and areas refer to the window, and
    ``probability_skilled`` is omitted. Source: Piérard et al., The Tile, Definitions 1 and 2 (the
    scores), Section 4.3 (rankings) and A.5.1 (no skill).

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors.
    prob : float
        Probability of the credible intervals; a winner with a lower probability counts as
        undecided.
    maps : collection of {"expected_rank", "probability_skilled", "expected_regret"}
        Maps to compute in addition to ``probability_best``, which alone is several times as fast;
        all by default. Without Numba there are none, and areas are computed on the grid.
    over, aggregate, weights : optional
        Map the weighted mean performance over ``"group"``, ``"dataset"`` or a coord, as for
        :func:`bayesrank.credible_ranking`. With ``aggregate="worst"``, map at each point the lowest
        score of an entity in any group; areas are then computed on the grid, and the other maps are
        omitted. Other aggregates raise an error, because they are not performances.
    by : str, optional
        A coord of the entities, such as ``classifier`` from :func:`bayesrank.ops.apply_threshold`.
        The Tile then compares the values of the coord; a value is best where one of its entities
        is. Other maps are left out.

    Returns
    -------
    xarray.Dataset
        - ``probability_best``, ``expected_rank``, ``expected_regret`` (mean difference from the
          best score), ``probability_skilled`` (P(better than calling all cases negative and all
          positive), at the entity's own prevalence) and ``undefined`` (share of draws without a
          score), each (entity, b, a);
        - ``winner`` (b, a): the entity with the highest probability, "" if several share it or none
          is defined, and ``winner_probability`` (b, a);
        - ``share``, ``share_lower``, ``share_upper`` (entity): mean and equal-tailed interval of
          the area on which the entity is best, exact for each draw; ties over an area are shared
          evenly;
        - ``undecided_area``: the share of the Tile where the winner's probability is below
          ``prob``;
        - with ``by``, ``member`` (b, a): the most probable best entity among those of the winner,
          with ``member_probability``, and its ``threshold`` if the entities have that coord;
        - Monte-Carlo standard errors ``<name>_error``, which account for autocorrelation; NaN for a
          performance without draws. ``expected_rank_error`` is too large where the score is
          undefined in some draws.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> tile = br.tile.credible(br.fit(counts, seed=1), resolution=5)
    >>> tile["probability_best"].dims, tile["winner"].sel(a=1, b=0).item()
    (('entity', 'b', 'a'), 'b')
    """
    prob = check_prob("prob", prob)
    aim = over_of(source, over, aggregate, weights)
    worst = isinstance(aim, Over) and aim.aggregate == "worst"
    source, kind = likely_performance(mean_performance(aim, "a Tile", worst=True), kind)
    maps = [check_choice("maps", name, OPTIONAL) for name in check_sequence("maps", maps)]
    # Without Numba (in a browser) the only group of each entity is its worst one: the same maps,
    # areas on the grid.
    in_numpy = worst or not can_compile()
    if by is not None or in_numpy:
        maps = []
    if window is not None:  # skill needs all cells, and a window does not keep them
        maps = [name for name in maps if name != "probability_skilled"]
    dim = "dataset" if worst else None
    array = with_entity(*zoom(source, kind, window, dim), dim)
    return place_maps(
        _maps_of(array, resolution, prob, maps, by, dim, WorstOfGroups if in_numpy else Credible),
        window,
    )


def _maps_of(
    array: xr.DataArray,
    resolution: int,
    prob: float,
    maps: Collection[str] = (),
    by: str | None = None,
    dim: str | None = None,
    count: type[Credible] = Credible,
) -> xr.Dataset:
    """Return the maps of performances by a reducer; ``dim`` has the groups over which it takes one score."""
    points = axis(resolution, 8)
    cells = on_the_tile(_in_columns(array, dim) if dim else array)
    array, batches = array.isel({dim: 0}) if dim else cells, Batches.of(cells)
    with thread_pool() as share_out:
        reduced, effective = reduce(
            cells, count(array.sizes["entity"], points, maps, share_out), EffectiveDraws()
        )
    # A single performance without draws has no measurable Monte-Carlo error.
    sampled = 1.0 if batches.sampled else np.nan
    probability, names = reduced.mean["probability_best"], array["entity"].values
    if by is not None:
        group, names = _merge(reduced, array, by)
    result = _result(reduced, sampled * batches.number, sampled * effective.min(), prob)
    best = result["probability_best"]
    filled = np.where(np.isnan(best), -1.0, best)
    at = filled.argmax(0)[None]
    for end in ("", "_error"):
        of_best = result[f"probability_best{end}"]
        result[f"winner_probability{end}"] = np.take_along_axis(of_best, at, 0)[0]
    alone = (filled >= filled.max(0) - 1e-12).sum(0) == 1
    winner = np.where(alone & (filled.max(0) >= 0), names[at[0]].astype(object), "")
    dims = {1: ("entity",), 2: ("b", "a"), 3: ("entity", "b", "a")}
    tile = xr.Dataset(
        {"winner": (("b", "a"), winner)}
        | {
            name: (dims[values.ndim], values, {"method": ERROR} if name.endswith("_error") else {})
            for name, values in result.items()
        },
        {"entity": names, "b": points, "a": points},
        {"prob": prob, "draws": batches.number},
    )
    if by is not None:
        own = np.where(group[:, None, None] == at, probability, -1.0)
        member = own.argmax(0)
        tile["member"] = (
            ("b", "a"),
            np.where(winner == "", "", array["entity"].values.astype(object)[member]),
        )
        tile["member_probability"] = ("b", "a"), np.where(winner == "", np.nan, own.max(0))
        if "threshold" in array.coords:
            tile["threshold"] = (
                ("b", "a"),
                np.where(winner == "", np.nan, array["threshold"].values[member]),
            )
    top = tile["winner_probability"]
    weight = area_weights(resolution).where(top.notnull(), 0.0)
    tile["undecided_area"] = (weight * (top < prob)).sum() / weight.sum().where(weight.sum() > 0)
    return tile


@check_call
def credible_by_class(
    source: Container, resolution: int = 51, *, prob: float = 0.95, kind: str | None = None
) -> xr.Dataset:
    """Return the Tile of each class against the others, and that of the mean over the classes.

    At each point, the mean over classes is the mean of the canonical scores of each class against
    the others. In general it is not a ranking score: a mixture of two entities can be better than
    both.

    Parameters
    ----------
    source : Container
        A posterior, counts or performance of more than two classes; or two-class ones with the dim
        ``label``.
    resolution, prob, kind
        As for :func:`credible`.

    Returns
    -------
    xarray.Dataset
        The variables of :func:`credible` without the optional maps, over ``label``: the classes,
        then "mean over classes". An entity has no mean where the score of a class is undefined.
        Areas of the mean are computed on the grid.

    Raises
    ------
    ValueError
        If there are two classes, or a class has the name "mean over classes".

    Examples
    --------
    >>> counts = br.from_matrix([[[50, 1, 0], [2, 70, 9], [0, 8, 4]], [[48, 3, 0], [5, 71, 5], [0, 3, 9]]],
    ...                         "actual_rows", labels=["a", "b", "c"], entity=["u", "v"])
    >>> tiles = credible_by_class(counts, 5)
    >>> tiles["winner"].sel(a=1, b=1).values.tolist()
    ['u', 'v', 'v', 'v']
    """
    prob, performance = check_prob("prob", prob), as_performance(*likely_performance(source, kind))
    if "label" not in performance.dims:
        if performance.sizes.get("actual", 0) < 3:
            raise ArgumentError(
                "source",
                "must have more than two classes, or the dim label",
                dict(performance.sizes),
            )
        performance = one_vs_rest(performance)
    array = with_entity(performance, None, "label")
    labels = array["label"].values.tolist()
    if MEAN in labels:
        raise ArgumentError("source", f"must have no class with the name {MEAN!r}", labels)
    tiles = [_maps_of(array.sel(label=label, drop=True), resolution, prob) for label in labels]
    tiles.append(_maps_of(array, resolution, prob, dim="label", count=MeanOfGroups))
    return xr.concat(tiles, "label", combine_attrs="override").assign_coords(
        label=object_array([*labels, MEAN])
    )


def _in_columns(array: xr.DataArray, dim: str) -> xr.DataArray:
    """Return the performances of all items of a dim as entities, those of one entity together."""
    bare = array.drop_vars(
        [name for name, coord in array.coords.items() if {"entity", dim} & set(coord.dims)]
    )
    return bare.stack(column=("entity", dim), create_index=False).rename(column="entity")


def _merge(reduced: Credible, array: xr.DataArray, by: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sum the maps over the entities with the same value of a coord; return the group of each, and their names.

    Errors of sums are bounds, since being best excludes the others.
    """
    retained = [
        name
        for name, coord in array.coords.items()
        if coord.dims == ("entity",) and name != "entity"
    ]
    group, names = factorize(array[check_choice("by", by, retained, ArgumentKeyError)].values)
    sums = np.eye(len(names))[group].T

    def add(values: np.ndarray) -> np.ndarray:
        return np.tensordot(sums, values, 1)

    assert reduced.areas is not None
    reduced.mean = {name: add(values) for name, values in reduced.mean.items()}
    reduced.error = {name: np.sqrt(add(values**2)) for name, values in reduced.error.items()}
    reduced.undefined = np.stack(
        [reduced.undefined[group == i].min(axis=0) for i in range(len(names))]
    )
    reduced.areas, reduced.areas_error = (
        reduced.areas @ sums.T,
        np.sqrt(add(reduced.areas_error**2)),
    )
    return group, name_coord(names)


def leaders(credible: xr.Dataset) -> xr.Dataset:
    """Return the entity that alone has the highest probability of being best, and where several share it.

    The result of :func:`credible` gives ``leader`` (b, a), "" without a sole leader; ``shared`` (b,
    a), True where several lead; ``among`` (entity), the two or more joint leaders if these are the
    same on nearly all of that area; and ``exact``, True for a Tile without draws, where ties are
    exact. Entities within three Monte-Carlo errors of the highest probability share it. (Among ten
    equal entities, the lowest estimate is about that far from the highest.)
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


@check_call
def probability_best(
    source: Container, resolution: int = 101, *, kind: str | None = None, window: Any = None
) -> xr.DataArray:
    """Return the probability that each entity is best: :func:`credible` without the slower maps.

    Source: Piérard et al., The Tile, Section 4.3.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        Probabilities (entity, b, a), with ties shared; NaN where no entity has a score in any draw.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> probability_best(counts, resolution=3).sel(entity="a", a=1).values.tolist()
    [0.0, 0.5, 1.0]
    """
    source, kind = zoom(source, kind, window)
    return place_maps(best_on_grid(source, resolution, kind)["probability_best"], window)


def best_on_grid(source: Container, resolution: int, kind: str | None = None) -> xr.Dataset:
    """Return P(best) and its error (entity, b, a), in NumPy where compiling would take longer than the work."""
    points = axis(resolution, 8)
    array = on_the_tile(with_entity(source, kind))
    batches, effective = Batches.of(array), EffectiveDraws()
    is_small = array.chunks is None and array.size // 4 * resolution**2 <= FEW
    if is_small and not ((array > 0) & (array < TINY)).any():
        mean, error = _count_best(array, points, batches)
        [worth] = reduce(array, effective)
    else:
        with thread_pool() as share_out:
            maps = Credible(array.sizes["entity"], points, (), share_out, areas=False)
            reduced, worth = reduce(array, maps, effective)
        mean, error = reduced.mean["probability_best"], reduced.error["probability_best"]
        mean[:, (reduced.undefined > 1 - 1e-12).all(0)] = np.nan
    sampled = 1.0 if batches.sampled else np.nan
    error = np.where(
        np.isnan(mean),
        np.nan,
        share_error(mean, error, sampled * batches.number, sampled * worth.min()),
    )
    dims = ("entity", "b", "a")
    return xr.Dataset(
        {"probability_best": (dims, mean), "probability_best_error": (dims, error)},
        {"entity": array["entity"].values, "b": points, "a": points},
        {"draws": batches.number},
    )


def _count_best(
    array: xr.DataArray, points: np.ndarray, batches: Batches
) -> tuple[np.ndarray, np.ndarray]:
    """Return P(best) (entity, b, a) and its error from batch means."""
    sizes = batches.sizes[batches.sizes > 0]
    cells = array.values.reshape(batches.number, 4, -1).transpose(1, 2, 0)
    wins = np.empty((len(sizes), cells.shape[1], points.size, points.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        for batch, (tn, fp, fn, tp) in enumerate(
            np.split(cells[..., None], np.cumsum(sizes)[:-1], axis=2)
        ):
            wrong = (1 - points) * fp + points * fn
            for i, a in enumerate(points.tolist()):
                odds = wrong / ((1 - a) * tn + a * tp)
                first = odds <= np.fmin.reduce(odds, axis=0) / (1 - TOLERANCE)
                number = np.add.reduce(first, axis=0, dtype=np.uint16)
                shared = (
                    first / np.maximum(number, 1) if number.max() > 1 else first
                )  # tied entities share a win
                wins[batch, ..., i] = shared.sum(axis=1)
    mean = wins.sum(axis=0) / batches.number
    mean[:, mean.sum(axis=0) == 0] = np.nan
    return mean, mean_error(wins, sizes)


@check_call
def value_interval(
    source: Container,
    resolution: int = 101,
    *,
    prob: float = 0.95,
    kind: str | None = None,
    window: Any = None,
) -> xr.Dataset:
    """Return the posterior mean and an equal-tailed interval of every canonical score.

    Quantiles need all draws at once: entities are processed in blocks of 256 MB, and lazy data are
    computed block by block. Source: Piérard et al., The Tile, Definition 1.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors; the source has draws.
    prob : float
        Probability of the credible interval (equal tails).

    Returns
    -------
    xarray.Dataset
        ``mean``, ``lower``, ``upper`` (entity, b, a), over the draws with a defined score.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> tile = value_interval(br.fit(counts, seed=1), resolution=3)
    >>> bool((tile["lower"] <= tile["mean"]).all())
    True
    """
    prob = check_prob("prob", prob)
    points = axis(resolution, 8)
    array = two_class(*zoom(source, kind, window))
    values_of_tile = on_the_tile(with_entity(array, None))
    number, n = Batches.of(values_of_tile).number, values_of_tile.sizes["entity"]
    step = max(HELD // (4 * number), 1)
    quantiles = np.empty((3, n, points.size, points.size))
    for start in range(0, n, step):
        [part] = load_arrays(values_of_tile.isel(entity=slice(start, start + step)))
        cells = part.values.reshape(number, 4, -1).transpose(2, 1, 0)

        def summarize(row: int, cells: np.ndarray = cells, start: int = start) -> None:
            for entity, own in enumerate(cells, start):
                quantiles[:, entity, row] = _mean_and_tails(
                    own, points, points[row], (1 - prob) / 2
                )

        in_threads(summarize, range(points.size))
    dims = ("entity", "b", "a") if "entity" in array.dims else ("b", "a")
    maps = {
        name: label_map(
            xr.Variable(dims, values if "entity" in dims else values[0]), array, points, name
        )
        for name, values in zip(("mean", "lower", "upper"), quantiles, strict=True)
    }
    return place_maps(xr.Dataset(maps).assign_attrs(prob=prob), window)


def _mean_and_tails(cells: np.ndarray, a: np.ndarray, b: float, tail: float) -> np.ndarray:
    """Return the mean and both quantiles (3, a) of one entity's scores in a row of the Tile, from cells (4, draw)."""
    tn, fp, fn, tp = cells
    value = ratio(*parts(tn, fp, fn, tp, a[:, None], b))
    if not np.isnan(value).any():
        return np.stack([value.mean(axis=1), *np.quantile(value, [tail, 1 - tail], axis=1)])
    # Skip entities without any score before NumPy can warn: threads share the warning filters.
    result, some = np.full((3, len(value)), np.nan), ~np.isnan(value).all(axis=1)
    if some.any():
        value = value[some]
        result[:, some] = [
            np.nanmean(value, axis=1),
            *np.nanquantile(value, [tail, 1 - tail], axis=1),
        ]
    return result


def _result(
    reduced: Credible, number: float, effective: float, prob: float
) -> dict[str, np.ndarray]:
    """Summarise the maps of ``number`` draws with an effective sample size ``effective``; NaN without draws."""
    undefined = reduced.undefined
    nowhere = undefined > 1 - 1e-12
    result: dict[str, np.ndarray] = {}
    for name, mean in reduced.mean.items():
        error = reduced.error[name]
        if name == "expected_rank":
            defined = np.where(nowhere, np.nan, 1 - undefined)
            mean /= defined
            # A rank that is constant over n draws may change in the next: assume one success in n
            # more draws.
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
    assert reduced.areas is not None
    areas = reduced.areas[~np.isnan(reduced.areas[:, 0])]
    share, low, high = np.full((3, areas.shape[1]), np.nan)
    if len(areas):
        share = areas.mean(axis=0)
        low, high = np.quantile(areas, [(1 - prob) / 2, (1 + prob) / 2], axis=0)
    return result | {
        "undefined": undefined,
        "share": share,
        "share_error": part_error(share, reduced.areas_error, effective),
        "share_lower": low,
        "share_upper": high,
    }
