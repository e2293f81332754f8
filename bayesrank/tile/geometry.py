"""Exact geometry of rankings on the Tile, for any priors, equal or not.

Entities 1 and 2 tie where s₁(a) u₂(b) = s₂(a) u₁(b). For each a that is one b, a Möbius function of a, and the whole
frontier is one monotone curve. Regions where an entity holds a rank are cut into slabs: ranges of a over which they
lie between the same two frontiers. The area of a slab has a closed form.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.tile._grid import CELLS, draw_dims, only_draws_and_entities, with_entity

__all__ = ["frontier", "regions", "shares"]


def frontier(source: Any, first: Any, second: Any, points: int = 201) -> xr.Dataset:
    """The curve on which two entities tie.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws.
    first, second : hashable
        Names of the entities.
    points : int
        Points of a, and as many of b, at which the curve is given.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` along ``point``, ordered along the curve; empty where the two never tie or tie everywhere.

    Raises
    ------
    KeyError
        If an entity is unknown.

    References
    ----------
    Piérard et al., The Tile, Eq. 6 and 7, which are the case of equal class priors: then the curve is a line.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[30, 20], tp=[70, 80], entity=["a", "b"])
    >>> curve = frontier(counts, "a", "b", points=3)
    >>> curve.sizes["point"] > 0
    True
    """
    cells, names = _point(source)
    for argument, name in (("first", first), ("second", second)):
        if name not in names:
            raise KeyError(f"{argument} must be one of the entities; got {name!r}, not in {names}")
    p, q = (dict(zip(CELLS, cells[:, names.index(name)], strict=True)) for name in (first, second))
    # s1 u2 - s2 u1 at the corners (a, b); it is linear along each axis.
    corner = {
        (i, j): p[correct] * q[wrong] - q[correct] * p[wrong]
        for i, correct in enumerate(("tn", "tp"))
        for j, wrong in enumerate(("fp", "fn"))
    }
    steps = np.linspace(0.0, 1.0, points)

    def crossing(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            at = low / (low - high)
        return np.where((at >= 0) & (at <= 1) & np.isfinite(at), at, np.nan)

    b_of_a = crossing(
        (1 - steps) * corner[0, 0] + steps * corner[1, 0], (1 - steps) * corner[0, 1] + steps * corner[1, 1]
    )
    a_of_b = crossing(
        (1 - steps) * corner[0, 0] + steps * corner[0, 1], (1 - steps) * corner[1, 0] + steps * corner[1, 1]
    )
    a, b = np.concatenate([steps, a_of_b]), np.concatenate([b_of_a, steps])
    on = ~(np.isnan(a) | np.isnan(b))
    a, b = a[on], b[on]
    # Both ratios, of s in a and of u in b, are monotone: together they rise or fall.
    rises = (p["tp"] * q["tn"] - q["tp"] * p["tn"]) * (p["fn"] * q["fp"] - q["fn"] * p["fp"]) >= 0
    order = np.lexsort((b if rises else -b, a))
    return xr.Dataset({"a": ("point", a[order]), "b": ("point", b[order])})


def regions(source: Any, rank: int = 1, points: int = 65) -> xr.Dataset:
    """The regions of the Tile in which each entity holds a rank, as closed curves that cover the Tile once.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws.
    rank : int
        1 for the best.
    points : int
        Points of a at which the frontier of each slab is given.

    Returns
    -------
    xarray.Dataset
        Along ``region``: ``entity`` (identical entities are joined by " = "), ``first`` (the first of these) and
        ``tied`` (how many they are), ``area`` (closed form), and the curve ``a``, ``b`` (region, vertex), padded with
        NaN. Along ``slab``, the exact parts: ``slab_region``,
        ``slab_a_lower``, ``slab_a_upper``, ``slab_area``, and ``slab_below``, ``slab_above``: the entity beyond the
        frontier, or "" at the border of the Tile.

    Raises
    ------
    ValueError
        If there is no such rank, the source has draws, or no entity is defined.

    References
    ----------
    Compare Piérard et al., The Tile, A.4.1, which goes by way of balanced priors and discretised edges.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[30, 20], tp=[70, 80], entity=["a", "b"])
    >>> round(regions(counts)["area"].sum().item(), 12)
    1.0
    """
    lines, slabs, areas, groups, names = _cut(source, rank)
    labels = [" = ".join(str(names[k]) for k in group) for group in groups]
    chains = _chain(lines, slabs)
    curves = [_outline(lines, slabs[chain], points) for chain in chains]
    longest = max(len(curve) for curve in curves)
    padded = np.full((len(curves), longest, 2), np.nan)
    for i, curve in enumerate(curves):
        padded[i, : len(curve)] = curve
    holder = [int(slabs[chain[0], 2]) for chain in chains]
    region_of = np.empty(len(slabs), int)
    for i, chain in enumerate(chains):
        region_of[chain] = i
    rival = np.array([*labels, ""], dtype=object)
    return xr.Dataset(
        {
            "entity": ("region", np.array([labels[k] for k in holder], dtype=object)),
            "first": ("region", np.array([str(names[groups[k][0]]) for k in holder], dtype=object)),
            "tied": ("region", [len(groups[k]) for k in holder]),
            "area": ("region", [areas[chain].sum() for chain in chains]),
            "a": (("region", "vertex"), padded[..., 0]),
            "b": (("region", "vertex"), padded[..., 1]),
            "slab_region": ("slab", region_of),
            "slab_a_lower": ("slab", slabs[:, 0]),
            "slab_a_upper": ("slab", slabs[:, 1]),
            "slab_area": ("slab", areas),
            "slab_below": ("slab", rival[slabs[:, 3].astype(int)]),
            "slab_above": ("slab", rival[slabs[:, 4].astype(int)]),
        }
    )


def shares(source: Any, rank: int = 1) -> xr.DataArray:
    """The area of the Tile on which each entity holds a rank, in closed form.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws.
    rank : int
        1 for the best.

    Returns
    -------
    xarray.DataArray
        Areas (entity) that sum to 1; identical entities share theirs evenly; NaN for an entity without performance.

    References
    ----------
    Follows from Piérard et al., The Tile, Definition 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 70], fp=[30, 30], fn=[30, 30], tp=[70, 70], entity=["a", "b"])
    >>> shares(counts).values.tolist()
    [0.5, 0.5]
    """
    _, slabs, areas, groups, names = _cut(source, rank)
    out = xr.DataArray(np.full(len(names), np.nan), {"entity": names}, "entity", name="share")
    for i, group in enumerate(groups):
        out[group] = areas[slabs[:, 2] == i].sum() / len(group)
    return out


def _point(source: Any) -> tuple[np.ndarray, list]:
    """The cells (4, entity) of performances without draws, and the names."""
    array = with_entity(source)
    only_draws_and_entities(array)
    if draw_dims(array):
        raise ValueError(f"source must hold no draws; got dims {array.dims} (br.tile.credible takes a posterior)")
    ordered = array.transpose("actual", "predicted", "entity")
    if ordered.shape[:2] != (2, 2):
        raise ValueError(f"source must have two classes on actual and predicted; got {ordered.shape[:2]}")
    return np.ascontiguousarray(ordered.values.reshape(4, -1), dtype=float), array["entity"].values.tolist()


def _cut(source: Any, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[list[int]], list]:
    """Cells of distinct entities, slabs, their areas, who is behind each distinct entity, and all names."""
    from bayesrank.tile import _walk

    cells, names = _point(source)
    known = np.flatnonzero(~np.isnan(cells).any(0))
    if len(known) == 0:
        raise ValueError("source must hold the performance of at least one entity; got NaN alone")
    if isinstance(rank, bool) or rank not in range(1, len(known) + 1):
        raise ValueError(f"rank must be one of 1 to {len(known)}; got {rank!r}")
    mine = np.ascontiguousarray(cells[:, known])
    kept, group = np.empty(len(known), np.int64), np.empty(len(known), np.int64)
    count = _walk.merge_identical(mine, kept, group)
    lines = np.ascontiguousarray(mine[:, kept[:count]])
    weight = np.bincount(group, minlength=count).astype(np.int64)
    rows, used = 64, -1
    while used < 0:
        rows *= 8
        slabs = np.empty((rows, 5))
        used = _walk.partition(lines, weight, rank, slabs)
    slabs = slabs[:used]
    areas = np.array([_walk.slab_area(lines, slab) for slab in slabs])
    return lines, slabs, areas, [known[group == i].tolist() for i in range(count)], names


def _edge(lines: np.ndarray, holder: float, rival: float, border: float, a: np.ndarray) -> np.ndarray:
    """A slab's border at the columns a: a frontier, or the Tile's border."""
    from bayesrank.tile import _walk

    if rival < 0:
        return np.full(a.shape, border)
    return np.array([_walk.border(lines, int(holder), int(rival), x) for x in a])


def _chain(lines: np.ndarray, slabs: np.ndarray) -> list[list[int]]:
    """Slabs of one entity that touch, joined from left to right."""
    ends = {}
    for i, (a0, a1, k, below, above) in enumerate(slabs):
        inside = np.clip(np.array([a0, a1]), a0 + 1e-7, max(a1 - 1e-7, a0))
        ends[i] = _edge(lines, k, below, 0.0, inside), _edge(lines, k, above, 1.0, inside)
    order = np.argsort(slabs[:, 0], kind="stable")
    chains: list[list[int]] = []
    for i in order:
        for chain in chains:
            last = chain[-1]
            low = max(ends[last][0][1], ends[i][0][0])
            high = min(ends[last][1][1], ends[i][1][0])
            if slabs[last, 1] == slabs[i, 0] and slabs[last, 2] == slabs[i, 2] and high - low > 1e-6:
                chain.append(int(i))
                break
        else:
            chains.append([int(i)])
    return chains


def _outline(lines: np.ndarray, slabs: np.ndarray, points: int) -> np.ndarray:
    """The closed curve around slabs: along their lower borders and back along the upper ones."""
    lower, upper = [], []
    for a0, a1, k, below, above in slabs:
        # Cosine spacing: frontiers are steepest at the ends.
        a = a0 + (a1 - a0) * (1 - np.cos(np.linspace(0, np.pi, points))) / 2
        lower.append(np.column_stack([a, _edge(lines, k, below, 0.0, a)]))
        upper.append(np.column_stack([a, _edge(lines, k, above, 1.0, a)]))
    around = np.concatenate([*lower, np.concatenate(upper)[::-1]])
    return np.concatenate([around, around[:1]])
