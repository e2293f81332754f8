"""Pictures of several data sets: how often an entity holds which rank."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import array_over, in_words, whole
from bayesrank._draws import draw_dims
from bayesrank.plots._colors import contrasting, ink, list_colors
from bayesrank.plots._letters import legible
from bayesrank.plots._style import list_names, list_size, new_axes, rank_ticks, rows_of, strip

__all__ = ["rank_blobs"]


def rank_blobs(
    ranks: xr.DataArray,
    ax: Any = None,
    *,
    ranking: xr.Dataset | None = None,
    top: int | None = None,
    colors: Mapping[Any, Any] | None = None,
) -> Any:
    """Ranks per data set as blobs, whose areas say on how many data sets an entity holds a rank.

    A number in a blob is that of data sets; with draws, blobs add up the probabilities of all data sets. Lines go from
    the best to the worst rank that is drawn, triangles are above medians.

    Parameters
    ----------
    ranks : xarray.DataArray
        Of :func:`bayesrank.rank`, dims entity and dataset, with or without draws.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    ranking : xarray.Dataset, optional
        Whose order the rows have; by default that of the mean ranks.
    top : int, optional
        How many entities to draw, the first ones; all by default.
    colors : mapping, optional
        As for :func:`bayesrank.plots.forest`.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If ``ranks`` are none of several data sets.

    References
    ----------
    After Wiesenfarth et al., Methods and open-source toolkit for analyzing and visualizing challenge results, whose
    blobs are of bootstrap samples or tasks.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[7, 9, 8, 7], fp=[3, 1, 2, 3], fn=[4, 1, 2, 3], tp=[6, 9, 8, 7],
    ...                         entity=["a", "b", "b", "a"], dataset=["one", "one", "two", "two"])
    >>> ax = rank_blobs(br.rank(counts, "f1"))
    >>> [text.get_text() for text in ax.texts]  # both data sets have b first
    ['2', '2']
    """
    if not isinstance(ranks, xr.DataArray) or not {"entity", "dataset"} <= set(ranks.dims):
        raise TypeError(f"ranks must be a DataArray over entity and dataset, of br.rank; got {in_words(ranks)}")
    dims = draw_dims(ranks)
    array_over("ranks", ranks, (*dims, "entity", "dataset"))
    names, of = ranks["entity"].values.tolist(), ranks.sizes["dataset"]
    table = ranks.transpose("entity", "dataset", *dims).values.reshape(len(names), -1)
    known = ~np.isnan(table)
    if ranking is None:
        total = known.sum(axis=1)
        mean = np.divide(np.nansum(table, axis=1), total, out=np.full(len(names), np.inf), where=total > 0)
        order = np.argsort(mean, kind="stable").tolist()
    else:
        order = rows_of(ranking, names)
    rest = len(order)
    order = order if top is None else order[: whole("top", top, 1)]
    rest -= len(order)
    ax = new_axes(ax, *list_size(max(len(order), 3)))
    paints = list(list_colors(ax, names, colors).values())
    most = float(np.nanmax(table)) if known.any() else 1.0
    box = ax.get_window_extent()
    height = 72 * box.height / ax.figure.dpi / len(order)
    across = min(height, 72 * box.width / ax.figure.dpi / max(most, 3.0) * 1.5)
    each = table.shape[1] / of
    for y, i in enumerate(order):
        held, times = np.unique(table[i, known[i]], return_counts=True)
        if not held.size:
            continue
        ax.hlines(y, held[0], held[-1], color=paints[i], linewidth=1)
        ax.scatter(held, np.full(held.size, y), s=times / table.shape[1] * (0.95 * across) ** 2, color=paints[i], lw=0)
        ax.plot(np.median(table[i, known[i]]), y - 0.45, "v", color=ink(), markersize=min(0.35 * height, 5.0))
        for rank, number in zip(held, times / each, strict=True):
            diameter = 0.95 * across * np.sqrt(number / of)
            if not dims and diameter >= 8:
                ax.text(
                    rank, y, f"{number:g}", ha="center", va="center", fontsize=min(0.6 * diameter, 8),
                    color=contrasting(paints[i]),
                )  # fmt: skip
    list_names(ax, [names[i] for i in order])
    left_out = f"\n{rest} more are not shown" if rest else ""
    ax.set_xlabel(f"rank on {of} data set{'s' * (of > 1)} (areas: how many of them, triangle: median){left_out}")
    ax.set_xlim(0.3, most + 0.7)
    rank_ticks(ax.xaxis, int(np.ceil(most)))
    strip(ax)
    return legible(ax)
