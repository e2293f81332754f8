"""Exact geometry of rankings on the Tile, for equal or unequal class priors.

Entities 1 and 2 tie where s₁(a) u₂(b) = s₂(a) u₁(b). Each a has one such b, a Möbius function of a,
so a frontier is one monotone curve. A region where an entity holds a rank is cut into slabs: ranges
of a between the same two frontiers.
"""

from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_entities,
    check_integer,
    check_numbers,
    check_size,
    check_window,
    describe_value,
)
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.types import Container
from bayesrank.performance.arrays import two_class_cells
from bayesrank.scores import get
from bayesrank.scores.score import ratio
from bayesrank.tile.grid import gain_at_corners, point_cells, two_class, zoom

#: Distance from the border of the Tile at which its sides are evaluated.
EDGE = 1e-12
#: Smallest area of a region; rounding makes smaller ones where three frontiers meet.
SMALLEST = 1e-9


@check_call
def frontier(
    source: Container, entity: Any, rival: Any, points: int = 201, *, kind: str | None = None
) -> xr.Dataset:
    """Return the curve on which two entities swap ranks.

    Source: Piérard et al., The Tile, Eq. 6 and 7 (equal class priors, for which the curve is a
    line).

    Parameters
    ----------
    source, kind
        As for :func:`value`, with its errors; the source has no draws.
    entity, rival : hashable
        Names of the two entities, else a KeyError.
    points : int
        Number of points in a, and again in b; at least 2.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` along ``point``, a monotone curve; empty if one of the two is nowhere worse
        than the other, or is undefined. Sides of the Tile on which both scores are 0, or both 1, do
        not belong to it.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[30, 20], tp=[70, 80], entity=["a", "b"])
    >>> frontier(counts, "a", "b", points=3).sizes["point"] > 0
    True
    """
    check_size("points", points, 2)
    cells, names = point_cells(source, kind)
    for argument, name in (("entity", entity), ("rival", rival)):
        check_choice(argument, name, names, ArgumentKeyError)
    a, b = _curve(cells[:, names.index(entity)], cells[:, names.index(rival)], points)
    return xr.Dataset({"a": ("point", a), "b": ("point", b)})


def _curve(first: np.ndarray, second: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the curve (a, b) on which two entities (cells) swap ranks."""
    corner = gain_at_corners(first, second).reshape(2, 2).T  # (a, b)
    if not corner.any():
        return np.empty(0), np.empty(0)
    # Slightly inside the Tile: on a side where both scores are 0 or 1, two entities tie without
    # swapping ranks.
    inset = np.array([[1 - EDGE, EDGE], [EDGE, 1 - EDGE]])
    corner = inset @ corner @ inset
    steps = np.linspace(0.0, 1.0, points)
    across = np.stack([1 - steps, steps])

    def crossing(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        swaps = low * high < 0
        return np.where(swaps, low / np.where(swaps, low - high, 1.0), np.nan)

    a = np.concatenate([steps, crossing(*(corner @ across))])
    b = np.concatenate([crossing(*(corner.T @ across)), steps])
    on = ~(np.isnan(a) | np.isnan(b))
    a, b = a[on], b[on]
    # Both ratios, of s in a and of u in b, are monotone, so a and b rise or fall together.
    (tn, fp, fn, tp), (tn2, fp2, fn2, tp2) = first, second
    rises = (tp * tn2 - tp2 * tn) * (fn * fp2 - fn2 * fp) >= 0
    order = np.argsort(a + b if rises else a - b, kind="stable")
    return a[order], b[order]


@check_call
def frontiers(source: Container, points: int = 201, *, kind: str | None = None) -> xr.Dataset:
    """Return the curves on which two entities swap ranks, for all pairs.

    Parameters
    ----------
    source, points, kind
        As for :func:`frontier`, with its errors.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` (pair, point), padded with NaN, and the names ``entity`` and ``rival``
        (pair). A pair without a curve is omitted.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 50, 60], fp=[30, 50, 40], fn=[30, 20, 31], tp=[70, 80, 69], entity=list("abc"))
    >>> found = frontiers(counts)
    >>> list(zip(found["entity"].values.tolist(), found["rival"].values.tolist()))
    [('a', 'b'), ('b', 'c')]
    """
    check_size("points", points, 2)
    cells, names = point_cells(source, kind)
    pairs = list(combinations(range(len(names)), 2))
    curves = {
        pair: np.stack(_curve(cells[:, pair[0]], cells[:, pair[1]], points)) for pair in pairs
    }
    curves = {pair: curve for pair, curve in curves.items() if curve.size}
    a, b = np.moveaxis(_pad(list(curves.values())), 1, 0)
    variables = {"a": (("pair", "point"), a), "b": (("pair", "point"), b)}
    ends = {
        name: ("pair", np.array([names[pair[k]] for pair in curves]))
        for k, name in enumerate(("entity", "rival"))
    }
    return xr.Dataset(variables, ends)


def _pad(curves: list[np.ndarray]) -> np.ndarray:
    """Return curves (2, point) as one array (curve, 2, point), padded with NaN."""
    result = np.full((len(curves), 2, max((curve.shape[1] for curve in curves), default=0)), np.nan)
    for i, curve in enumerate(curves):
        result[i, :, : curve.shape[1]] = curve
    return result


@check_call
def isovalue(source: Container, value: Any, *, kind: str | None = None) -> xr.Dataset:
    """Return the segment of the Tile on which the canonical scores of a performance take a value.

    The segment lies on the line (1 - v) ((1 - a) TN + a TP) = v ((1 - b) FP + b FN).

    Parameters
    ----------
    source, kind
        As for :func:`frontier`, with its errors.
    value : float or sequence of float
        Between 0 and 1; a sequence gives the dim ``value``.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` of both ends (entity, [value], point); NaN where no score has the value, or
        all scores have it.

    Examples
    --------
    >>> counts = br.from_counts(tn=70, fp=30, fn=20, tp=80, entity="a")
    >>> ends = isovalue(counts, 0.75).isel(entity=0)
    >>> at = list(zip(ends["a"].values.tolist(), ends["b"].values.tolist()))
    >>> [round(br.canonical_score(counts, a, b).item(), 12) for a, b in at]
    [0.75, 0.75]
    """
    cells, names = point_cells(source, kind)
    level = check_numbers("value", value, 0.0, 1.0)
    if level.ndim > 1:
        raise ArgumentError(
            "value", "must be a number or a sequence of numbers", describe_value(value)
        )
    tn, fp, fn, tp = (cell[:, None] for cell in cells)
    v = np.atleast_1d(level)[None]
    # The line is p + q a + r b = 0; find where it crosses each side of the Tile.
    p, q, r = (1 - v) * tn - v * fp, (1 - v) * (tp - tn), v * (fp - fn)
    zero, unit = np.zeros_like(p), np.ones_like(p)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.stack([-p / q, -(p + r) / q, zero, unit], -1)
        b = np.stack([zero, unit, -p / r, -(p + q) / r], -1)
    on = (a > -EDGE) & (a < 1 + EDGE) & (b > -EDGE) & (b < 1 + EDGE)
    a, b = np.where(on, a, 0.0), np.where(on, b, 0.0)
    # The ends are the first and last crossing along the line (-r, q); at a corner two crossings
    # coincide.
    along = q[..., None] * b - r[..., None] * a
    ends = np.stack([np.argmax(np.where(on, side * along, -np.inf), -1) for side in (-1, 1)], -1)
    some = on.any(axis=-1, keepdims=True)
    segments = {}
    for name, axis in (("a", a), ("b", b)):
        picked = np.take_along_axis(axis, ends, -1).clip(0, 1) + 0.0
        segments[name] = (("entity", "value", "point"), np.where(some, picked, np.nan))
    out = xr.Dataset(segments, {"entity": names, "value": np.atleast_1d(level)})
    return out if level.ndim else out.isel(value=0)


@check_call
def regions(
    source: Container,
    rank: int = 1,
    points: int = 65,
    *,
    kind: str | None = None,
    window: Any = None,
) -> xr.Dataset:
    """Return the regions of the Tile in which each entity holds a rank, as closed curves.

    Entities whose cells agree to 12 digits are identical. Regions with an area below 1e-9 are
    omitted. Source: Compare Piérard et al., The Tile, A.4.1, which uses balanced priors and
    discretised edges.

    Parameters
    ----------
    source, kind
        As for :func:`frontier`, with its errors.
    rank : int
        1 for the best; a ValueError if the rank does not exist, or no entity is defined.
    points : int
        Number of points on each piece of a frontier, at least 2.
    window
        As for :func:`value`; areas are then shares of the window.

    Returns
    -------
    xarray.Dataset
        Along ``region``: ``entity`` (names of identical entities joined by " = "), ``first`` (the
        first of them), ``position`` (its index in the source), ``tied`` (their number), ``area``
        (closed form), and the curve ``a``, ``b`` (region, vertex), padded with NaN. An entity may
        have several regions.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[30, 20], tp=[70, 80], entity=["a", "b"])
    >>> round(regions(counts)["area"].sum().item(), 12)
    1.0
    """
    check_size("points", points, 2)
    cells, names = point_cells(*zoom(source, kind, window))
    lines, slabs, areas, groups = _cut(cells, rank)
    chains = [chain for chain in _chain(lines, slabs) if areas[chain].sum() > SMALLEST]
    a, b = np.moveaxis(_pad([_outline(lines, slabs[chain], points) for chain in chains]), 1, 0)
    west, east, low, high = (
        (0.0, 1.0, 0.0, 1.0) if window is None else check_window("window", window)
    )
    holders_of = [groups[int(slabs[chain[0], 2])] for chain in chains]
    along = {
        "entity": np.array(
            [" = ".join(str(names[k]) for k in group) for group in holders_of], dtype=object
        ),
        "first": np.array([str(names[group[0]]) for group in holders_of], dtype=object),
        "position": [group[0] for group in holders_of],
        "tied": [len(group) for group in holders_of],
        "area": [areas[chain].sum() for chain in chains],
    }
    curves = {"a": west + (east - west) * a, "b": low + (high - low) * b}
    return xr.Dataset(
        {name: ("region", values) for name, values in along.items()}
        | {name: (("region", "vertex"), values) for name, values in curves.items()},
        attrs={} if window is None else {"window": [west, east, low, high]},
    )


def holders(regions: xr.Dataset) -> xr.Dataset:
    """Return the entities that hold a rank anywhere, and their areas of the Tile, largest first.

    The result of :func:`regions` gives ``area``, ``first``, ``position`` and ``tied`` (entity), as
    defined there.
    """
    by_entity = (
        regions[["entity", "first", "position", "tied", "area"]].to_dataframe().groupby("entity")
    )
    table = by_entity.agg({"first": "first", "position": "first", "tied": "first", "area": "sum"})
    return table.sort_values("area", ascending=False, kind="stable").to_xarray()


@check_call
def shares(
    source: Container, rank: int = 1, *, kind: str | None = None, window: Any = None
) -> xr.DataArray:
    """Return the area of the Tile on which each entity holds a rank, in closed form.

    Source: Piérard et al., The Tile, Definition 1.

    Parameters
    ----------
    source, rank, kind, window
        As for :func:`regions`, with its errors.

    Returns
    -------
    xarray.DataArray
        Areas (entity) that sum to 1, as shares of the window if there is one; NaN for an undefined
        entity. They are accurate to about 1e-9 (1e-5 between entities that first differ in the
        eleventh digit). Identical entities share their area evenly.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 70], fp=[30, 30], fn=[30, 30], tp=[70, 70], entity=["a", "b"])
    >>> shares(counts).values.tolist()
    [0.5, 0.5]
    """
    cells, names = point_cells(*zoom(source, kind, window))
    _, slabs, areas, groups = _cut(cells, rank)
    share = np.where(np.isnan(cells).any(0), np.nan, 0.0)
    for i, group in enumerate(groups):
        share[group] = areas[slabs[:, 2] == i].sum() / len(group)
    return xr.DataArray(share, {"entity": names}, "entity", name="share")


def _cut(
    cells: np.ndarray, rank: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[list[int]]]:
    """Return the cells of distinct entities that may hold the rank, slabs, areas, and the members of each entity."""
    from bayesrank.tile.kernels import _partition

    occupied = int((~np.isnan(cells).any(0)).sum())
    if occupied == 0:
        raise ArgumentError(
            "source", "must contain the performance of at least one entity", "NaN alone"
        )
    entities, group, lines, slabs, areas = _partition.cut(
        cells, check_integer("rank", rank, 1, occupied)
    )
    return lines, slabs, areas, [entities[group == i].tolist() for i in range(lines.shape[1])]


def _border(lines: np.ndarray, i: np.ndarray, j: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return the b at which entities i and j tie in column a, within [0, 1]; -1 stands for the border of the Tile."""
    (tn, fp, fn, tp), (tn2, fp2, fn2, tp2) = lines[:, i], lines[:, j]
    s, s2 = (1 - a) * tn + a * tp, (1 - a) * tn2 + a * tp2
    e0, e1 = s2 * fp - s * fp2, s2 * fn - s * fn2
    # The frontier is a vertical line or a limit; the derivative in a gives the limit.
    limit = e0 == e1
    e0 = np.where(limit, (tp2 - tn2) * fp - (tp - tn) * fp2, e0)
    e1 = np.where(limit, (tp2 - tn2) * fn - (tp - tn) * fn2, e1)
    b = np.divide(e0, e0 - e1, out=np.zeros_like(e0), where=e0 != e1).clip(0, 1)
    return np.where(i < 0, 0.0, np.where(j < 0, 1.0, b))


def _chain(lines: np.ndarray, slabs: np.ndarray) -> list[list[int]]:
    """Join touching slabs of one entity from left to right."""
    holder, below, above = slabs[:, 2:].T.astype(int)
    inside = np.minimum(1e-7, 0.5 * (slabs[:, 1] - slabs[:, 0]))
    starts, ends = (
        (_border(lines, below, holder, a), _border(lines, holder, above, a))
        for a in (slabs[:, 0] + inside, slabs[:, 1] - inside)
    )
    chains: list[list[int]] = []
    open_chains: dict[tuple[float, float], list[list[int]]] = {}  # by right end and entity
    for i in np.argsort(slabs[:, 0], kind="stable").tolist():
        touching = open_chains.get((slabs[i, 0], slabs[i, 2]), [])
        for chain in touching:
            if min(ends[1][chain[-1]], starts[1][i]) - max(ends[0][chain[-1]], starts[0][i]) > 1e-6:
                touching.remove(chain)
                break
        else:
            chain = []
            chains.append(chain)
        chain.append(i)
        open_chains.setdefault((slabs[i, 1], slabs[i, 2]), []).append(chain)
    return chains


def _outline(lines: np.ndarray, slabs: np.ndarray, points: int) -> np.ndarray:
    """Return the closed curve (2, point) around slabs: along their lower borders and back along the upper ones."""
    lower, upper = [], []
    for a0, a1, *holders_of_slab in slabs:
        holder, below, above = map(int, holders_of_slab)
        lower.append(_side(lines, below, holder, a0, a1, points))
        upper.append(_side(lines, holder, above, a0, a1, points))
    around = np.concatenate([*lower, np.concatenate(upper, axis=1)[:, ::-1]], axis=1)
    return np.concatenate([around, around[:, :1]], axis=1)


def _side(lines: np.ndarray, i: int, j: int, a0: float, a1: float, points: int) -> np.ndarray:
    """Return points (2, point) of the frontier of i and j over [a0, a1], evenly spread along the hyperbola."""
    a = np.array([a0, a1])
    if i >= 0 and j >= 0:
        (tn, fp, fn, tp), (tn2, fp2, fn2, tp2) = lines[:, i], lines[:, j]
        slope = ((1 - a) * tn2 + a * tp2) * (fp - fn) - ((1 - a) * tn + a * tp) * (fp2 - fn2)
        stretch = np.log((slope[1] / slope[0]).clip(1e-15, 1e15)) if slope.prod() > 0 else 0.0
        t = np.linspace(0.0, 1.0, points)
        t = np.expm1(t * stretch) / np.expm1(stretch) if abs(stretch) > 1e-6 else t
        a = np.append(a0 + (a1 - a0) * t[:-1], a1)
    return np.stack([a, _border(lines, np.full(a.size, i), np.full(a.size, j), a)])


@check_call
def zone(
    source: Container, entities: Any, rivals: Any, points: int = 201, *, kind: str | None = None
) -> xr.Dataset:
    """Return the zone of the Tile where each of the entities is better than or equivalent to every rival.

    Source: Piérard et al., The Tile, A.4.1 with Eq. 6 to 8 (equal priors, for which the zone is a
    convex polygon).

    Parameters
    ----------
    source, kind
        As for :func:`frontier`, with its errors.
    entities, rivals : hashable or list of hashable
        Names of the entities, and of their rivals, each once.
    points : int
        Number of values of a, at least 2.

    Returns
    -------
    xarray.Dataset
        ``lower`` and ``upper`` (a): the exact range of b in the zone; NaN where it is empty.
        ``area``: its share of the Tile, by the trapezoidal rule over 4,001 values of a. An
        undefined score (0/0) counts as equivalent.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 50, 40], fp=[30, 50, 60], fn=[30, 20, 25], tp=[70, 80, 75], entity=list("abc"))
    >>> found = zone(counts, "a", ["b", "c"], points=3)
    >>> found["lower"].values.tolist(), found["upper"].values.round(3).tolist(), round(found["area"].item(), 3)
    ([0.0, 0.0, 0.0], [0.952, 0.738, 0.524], 0.738)
    """
    check_size("points", points, 2)
    cells, names = point_cells(source, kind)
    chosen = []
    for argument, given in (("entities", entities), ("rivals", rivals)):
        requested = list(given) if isinstance(given, list | tuple | np.ndarray) else [given]
        requested = check_entities(
            argument, [check_choice(argument, name, names, ArgumentKeyError) for name in requested]
        )
        for name in requested:
            check_choice(argument, name, names, ArgumentKeyError)
        chosen.append([names.index(name) for name in requested])
    gain = gain_at_corners(*(cells[:, each.ravel()] for each in np.meshgrid(*chosen)))
    a = np.linspace(0.0, 1.0, points)
    low, high = _borders(gain, a)
    below, above = _borders(gain, np.linspace(0.0, 1.0, 4001))
    variables = {
        "lower": ("a", np.where(low <= high, low, np.nan)),
        "upper": ("a", np.where(low <= high, high, np.nan)),
    }
    area = np.trapezoid(np.maximum(above - below, 0.0)) / 4000
    return xr.Dataset({**variables, "area": ((), float(area))}, {"a": a})


def _borders(gain: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest b, for each a, at which no gain (pair, corner) is negative.

    The smallest is above the largest if there is none.
    """
    at_0, at_1 = (gain[:, [k]] * (1 - a) + gain[:, [k + 1]] * a for k in (0, 2))
    b = ratio(at_0, at_0 - at_1)
    # A gain of at least 0 at an end means ahead; a tie at one end alone is a single point.
    low = np.select([at_0 >= 0, at_1 == 0, at_1 < 0], [0.0, 1.0, np.inf], b)
    high = np.select([at_1 >= 0, at_0 == 0, at_0 < 0], [1.0, 0.0, -np.inf], b)
    return low.max(axis=0), high.min(axis=0)


@check_call
def volume(source: Container, *, kind: str | None = None) -> xr.DataArray:
    """Return the mean of all canonical scores, the volume under the Tile.

    The same quantity as a score is ``br.scores.vut``. Its order violates axiom 3, so it is not a
    ranking score. Source: Piérard et al., The Tile, Eq. 9 to 15.

    Parameters
    ----------
    source, kind
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        Volumes between 0 and 1, with draws if the source has them. Lazy if the source is.

    Examples
    --------
    >>> round(volume(br.from_counts(tn=45, fp=5, fn=5, tp=45, entity="a")).item(), 12)
    0.9
    """
    cells = two_class_cells(two_class(source, kind)).values()
    return xr.apply_ufunc(
        get("vut").of_cells, *cells, dask="parallelized", output_dtypes=[np.float64]
    ).rename("volume")
