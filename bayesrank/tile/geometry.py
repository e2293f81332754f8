"""Exact geometry of rankings on the Tile, for equal or unequal class priors.

Entities 1 and 2 tie where s₁(a) u₂(b) = s₂(a) u₁(b). Each a has one such b, a Möbius function of a, so a frontier is
one monotone curve. A region where an entity holds a rank is cut into slabs: ranges of a between the same two
frontiers. The area of a slab has a closed form.
"""

from itertools import combinations, product
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_integer, check_numbers
from bayesrank._checks import check_window as checked_window
from bayesrank._types import Container
from bayesrank.performance import two_class_cells
from bayesrank.scores import vut
from bayesrank.tile._grid import CELLS, point_cells, two_class, zoom

__all__ = ["frontier", "frontiers", "holders", "isovalue", "regions", "shares", "volume"]

#: Distance from the border of the Tile at which its sides are evaluated.
EDGE = 1e-12
#: Smallest area of a region; rounding makes smaller ones where three frontiers meet.
SMALLEST = 1e-9


def frontier(source: Container, entity: Any, rival: Any, points: int = 201, *, kind: str | None = None) -> xr.Dataset:
    """Return the curve on which two entities swap ranks.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws.
    entity, rival : hashable
        Names of the two entities.
    points : int
        Number of points in a, and again in b; at least 2.
    kind : str, optional
        As for :func:`value`.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` along ``point``, a monotone curve; empty if one of the two is nowhere worse, or undefined.
        Sides of the Tile on which both scores are 0, or both 1, do not belong to it.

    Raises
    ------
    KeyError, TypeError, ValueError
        If an entity is unknown, ``points`` is not a whole number of at least 2, or the source has draws, other dims or
        more than two classes.

    References
    ----------
    Piérard et al., The Tile, Eq. 6 and 7 (equal class priors, for which the curve is a line).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[30, 20], tp=[70, 80], entity=["a", "b"])
    >>> curve = frontier(counts, "a", "b", points=3)
    >>> curve.sizes["point"] > 0
    True
    """
    check_integer("points", points, 2)
    cells, names = point_cells(source, kind)
    for argument, name in (("entity", entity), ("rival", rival)):
        check_choice(argument, name, names, KeyError)
    p, q = (dict(zip(CELLS, cells[:, names.index(name)], strict=True)) for name in (entity, rival))
    # s1 u2 - s2 u1 at the corners (a, b); it is linear along each axis.
    corner = np.empty((2, 2))
    size = 0.0
    for (i, correct), (j, wrong) in product(enumerate(("tn", "tp")), enumerate(("fp", "fn"))):
        one, two = p[correct] * q[wrong], q[correct] * p[wrong]
        corner[i, j], size = one - two, max(size, one + two)
    if (np.abs(corner) <= 1e-12 * size).all():
        return xr.Dataset({"a": ("point", np.empty(0)), "b": ("point", np.empty(0))})
    # Slightly inside the Tile: on a side where both scores are 0 or 1, two entities tie without swapping ranks.
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
    rises = (p["tp"] * q["tn"] - q["tp"] * p["tn"]) * (p["fn"] * q["fp"] - q["fn"] * p["fp"]) >= 0
    order = np.argsort(a + b if rises else a - b, kind="stable")
    return xr.Dataset({"a": ("point", a[order]), "b": ("point", b[order])})


def frontiers(source: Container, points: int = 201, *, kind: str | None = None) -> xr.Dataset:
    """Return the curves on which two entities swap ranks, for all pairs.

    Parameters
    ----------
    source, points, kind
        As for :func:`frontier`, with its errors.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` (pair, point), padded with NaN, and the names ``entity`` and ``rival`` (pair). A pair without a
        curve is omitted.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50, 60], fp=[30, 50, 40], fn=[30, 20, 31], tp=[70, 80, 69], entity=list("abc"))
    >>> found = frontiers(counts)
    >>> list(zip(found["entity"].values.tolist(), found["rival"].values.tolist()))
    [('a', 'b'), ('b', 'c')]
    """
    _, names = point_cells(source, kind)
    curves = {(one, two): frontier(source, one, two, points, kind=kind) for one, two in combinations(names, 2)}
    curves = {pair: curve for pair, curve in curves.items() if curve.sizes["point"]}
    size = max((curve.sizes["point"] for curve in curves.values()), default=0)
    held = {axis: np.full((len(curves), size), np.nan) for axis in "ab"}
    for i, curve in enumerate(curves.values()):
        for axis, values in held.items():
            values[i, : curve.sizes["point"]] = curve[axis]
    ends = {name: ("pair", np.array([pair[k] for pair in curves])) for k, name in enumerate(("entity", "rival"))}
    return xr.Dataset({axis: (("pair", "point"), values) for axis, values in held.items()}, ends)


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
        ``a`` and ``b`` of both ends (entity, [value], point); NaN where no score has the value, or all scores have it.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=70, fp=30, fn=20, tp=80, entity="a")
    >>> ends = isovalue(counts, 0.75).isel(entity=0)
    >>> at = list(zip(ends["a"].values.tolist(), ends["b"].values.tolist()))
    >>> [round(br.canonical_score(counts, a, b).item(), 12) for a, b in at]
    [0.75, 0.75]
    """
    cells, names = point_cells(source, kind)
    level = check_numbers("value", value, 0.0, 1.0)
    tn, fp, fn, tp = (cell[:, None] for cell in cells)
    v = np.atleast_1d(level)[None]
    # The line is p + q a + r b = 0; find where it crosses each side of the Tile.
    p, q, r = (1 - v) * tn - v * fp, (1 - v) * (tp - tn), v * (fp - fn)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = [(-(p + r * b) / q, np.full_like(p, b)) for b in (0.0, 1.0)]
        crossings += [(np.full_like(p, a), -(p + q * a) / r) for a in (0.0, 1.0)]
    a, b = (np.stack([crossing[k] for crossing in crossings], -1) for k in (0, 1))
    on = (a > -EDGE) & (a < 1 + EDGE) & (b > -EDGE) & (b < 1 + EDGE)
    a, b = np.where(on, a, 0.0), np.where(on, b, 0.0)
    # The ends are the first and last crossing along the line (-r, q); at a corner two crossings coincide.
    along = q[..., None] * b - r[..., None] * a
    ends = [np.argmax(np.where(on, side * along, -np.inf), -1) for side in (-1, 1)]
    found = {}
    for name, axis in (("a", a), ("b", b)):
        picked = np.stack([np.take_along_axis(axis, end[..., None], -1)[..., 0] for end in ends], -1)
        found[name] = (
            ("entity", "value", "point"),
            np.where(np.any(on, axis=-1, keepdims=True), np.clip(picked, 0, 1) + 0.0, np.nan),
        )
    out = xr.Dataset(found, {"entity": names, "value": np.atleast_1d(level)})
    return out if level.ndim else out.isel(value=0)


def regions(
    source: Container, rank: int = 1, points: int = 65, *, kind: str | None = None, window: Any = None
) -> xr.Dataset:
    """Return the regions of the Tile in which each entity holds a rank, as closed curves.

    Entities whose cells agree to 12 digits are identical. Regions with an area below 1e-9 are omitted.

    Parameters
    ----------
    source, kind
        As for :func:`frontier`, with its errors.
    rank : int
        1 for the best.
    points : int
        Number of points on each frontier of a slab, at least 2.
    window
        As for :func:`value`; areas are then shares of the window.

    Returns
    -------
    xarray.Dataset
        Along ``region``: ``entity`` (names of identical entities joined by " = "), ``first`` (the first of them),
        ``position`` (its index in the source), ``tied`` (their number), ``area`` (closed form), and the curve ``a``,
        ``b`` (region, vertex), padded with NaN. An entity may have several regions. Along ``slab`` (ranges of a):
        ``slab_region``, ``slab_a_lower``, ``slab_a_upper``, ``slab_area``, and ``slab_below``, ``slab_above``: the
        entity beyond the frontier, or "" at the border.

    Raises
    ------
    ValueError
        If the rank does not exist, or no entity is defined.

    References
    ----------
    Compare Piérard et al., The Tile, A.4.1, which uses balanced priors and discretised edges.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[30, 20], tp=[70, 80], entity=["a", "b"])
    >>> round(regions(counts)["area"].sum().item(), 12)
    1.0
    """
    check_integer("points", points, 2)
    cells, names = point_cells(*zoom(source, kind, window))
    lines, slabs, areas, groups = _cut(cells, rank)
    labels = [" = ".join(str(names[k]) for k in group) for group in groups]
    chains = [chain for chain in _chain(lines, slabs) if areas[chain].sum() > SMALLEST]
    kept = np.sort(np.concatenate(chains))
    curves = [_outline(lines, slabs[chain], points) for chain in chains]
    longest = max(len(curve) for curve in curves)
    padded = np.full((len(curves), longest, 2), np.nan)
    for i, curve in enumerate(curves):
        padded[i, : len(curve)] = curve
    holder = [int(slabs[chain[0], 2]) for chain in chains]
    region_of = np.empty(len(slabs), int)
    for i, chain in enumerate(chains):
        region_of[chain] = i
    slabs, areas_of_slabs, region_of = slabs[kept], areas[kept], region_of[kept]
    rival = np.array([*labels, ""], dtype=object)
    found = xr.Dataset(
        {
            "entity": ("region", np.array([labels[k] for k in holder], dtype=object)),
            "first": ("region", np.array([str(names[groups[k][0]]) for k in holder], dtype=object)),
            "position": ("region", [int(groups[k][0]) for k in holder]),
            "tied": ("region", [len(groups[k]) for k in holder]),
            "area": ("region", [areas[chain].sum() for chain in chains]),
            "a": (("region", "vertex"), padded[..., 0]),
            "b": (("region", "vertex"), padded[..., 1]),
            "slab_region": ("slab", region_of),
            "slab_a_lower": ("slab", slabs[:, 0]),
            "slab_a_upper": ("slab", slabs[:, 1]),
            "slab_area": ("slab", areas_of_slabs),
            "slab_below": ("slab", rival[slabs[:, 3].astype(int)]),
            "slab_above": ("slab", rival[slabs[:, 4].astype(int)]),
        }
    )
    if window is None:
        return found
    left, right, low, high = edges = checked_window("window", window)
    for name in ("a", "slab_a_lower", "slab_a_upper"):
        found[name] = left + (right - left) * found[name]
    found["b"] = low + (high - low) * found["b"]
    return found.assign_attrs(window=list(edges))


def holders(regions: xr.Dataset) -> xr.Dataset:
    """Return the entities that hold a rank anywhere, and their areas of the Tile, largest first.

    The result of :func:`regions` gives ``area``, ``first``, ``position`` and ``tied`` (entity), as defined there.
    """
    each = regions[["entity", "first", "position", "tied", "area"]].to_dataframe().groupby("entity")
    table = each.agg({"first": "first", "position": "first", "tied": "first", "area": "sum"})
    return table.sort_values("area", ascending=False, kind="stable").to_xarray()


def shares(source: Container, rank: int = 1, *, kind: str | None = None, window: Any = None) -> xr.DataArray:
    """Return the area of the Tile on which each entity holds a rank, in closed form.

    Parameters
    ----------
    source, rank, kind, window
        As for :func:`regions`, with its errors.

    Returns
    -------
    xarray.DataArray
        Areas (entity) that sum to 1, as shares of the window if there is one; NaN for an undefined entity. They are
        accurate to about 1e-9 (1e-5 between entities that first differ in the eleventh digit). Identical entities share
        their area evenly.

    References
    ----------
    Piérard et al., The Tile, Definition 1.

    Examples
    --------
    >>> import bayesrank as br
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


def _cut(cells: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[list[int]]]:
    """Return the cells of distinct entities that may hold the rank, slabs, areas, and the members of each entity."""
    from bayesrank.tile.kernels import _partition

    known = int((~np.isnan(cells).any(0)).sum())
    if known == 0:
        raise ValueError("source must hold the performance of at least one entity; got NaN alone")
    entities, group, lines, slabs, areas = _partition.cut(cells, check_integer("rank", rank, 1, known))
    return lines, slabs, areas, [entities[group == i].tolist() for i in range(lines.shape[1])]


def _chain(lines: np.ndarray, slabs: np.ndarray) -> list[list[int]]:
    """Join touching slabs of one entity from left to right."""
    from bayesrank.tile.kernels import _partition

    ends = _partition.ends(lines, slabs, 1e-7)
    chains: list[list[int]] = []
    open_chains: dict[tuple[float, float], list[list[int]]] = {}  # by right end and entity
    for i in np.argsort(slabs[:, 0], kind="stable").tolist():
        touching = open_chains.get((slabs[i, 0], slabs[i, 2]), [])
        for chain in touching:
            low, high = max(ends[chain[-1], 1, 0], ends[i, 0, 0]), min(ends[chain[-1], 1, 1], ends[i, 0, 1])
            if high - low > 1e-6:
                touching.remove(chain)
                break
        else:
            chain = []
            chains.append(chain)
        chain.append(i)
        open_chains.setdefault((slabs[i, 1], slabs[i, 2]), []).append(chain)
    return chains


def _outline(lines: np.ndarray, slabs: np.ndarray, points: int) -> np.ndarray:
    """Return the closed curve around slabs: along their lower borders and back along the upper ones."""
    from bayesrank.tile.kernels import _partition

    lower, upper = [], []
    for a0, a1, *holders_of_slab in slabs:
        k, below, above = map(int, holders_of_slab)
        lower.append(
            _partition.curve(lines, below, k, a0, a1, points) if below >= 0 else np.array([[a0, 0.0], [a1, 0.0]])
        )
        upper.append(
            _partition.curve(lines, k, above, a0, a1, points) if above >= 0 else np.array([[a0, 1.0], [a1, 1.0]])
        )
    around = np.concatenate([*lower, np.concatenate(upper)[::-1]])
    return np.concatenate([around, around[:1]])


def volume(source: Container, *, kind: str | None = None) -> xr.DataArray:
    """Return the mean of all canonical scores, the volume under the Tile.

    The same quantity as a score is ``br.scores.vut``. Its order violates axiom 3, so it is not a ranking score.

    Parameters
    ----------
    source, kind
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        Volumes between 0 and 1, with draws if the source has them. Lazy if the source is.

    References
    ----------
    Piérard et al., The Tile, Eq. 9 to 15.

    Examples
    --------
    >>> import bayesrank as br
    >>> round(volume(br.from_counts(tn=45, fp=5, fn=5, tp=45, entity="a")).item(), 12)
    0.9
    """
    cells = two_class_cells(two_class(source, kind)).values()
    return xr.apply_ufunc(vut.of_cells, *cells, dask="parallelized", output_dtypes=[np.float64]).rename("volume")
