"""Plots of a credible ranking: scores with intervals, rank probabilities, and pairwise probabilities."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_integer
from bayesrank.plots._colors import choose_text_color, fade_colors, grey_shade, ink_color, list_colors
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import (
    is_ratio,
    list_legend,
    list_names,
    list_size,
    log_axis,
    matrix_size,
    new_axes,
    rank_ticks,
    strip,
)
from bayesrank.ranking.summary import check_pairs, ranking_table, score_name

__all__ = ["forest", "rank_heatmap", "superiority"]

#: What the bands of a forest are.
TIERS = "tiers: pairwise posterior comparisons with the tier's first entity"


def forest(
    ranking: xr.Dataset, ax: Any = None, *, top: int | None = None, colors: Mapping[Any, Any] | None = None
) -> Any:
    """Draw each entity's median, interval and tier, in the order of the table; diamonds are observed values.

    For ratios, such as odds ratios, the axis is logarithmic, and its label says so. Numbered bands are tiers: pairwise
    posterior comparisons with the first entity of the tier, which do not hold jointly.

    Parameters
    ----------
    ranking : xarray.Dataset
        The result of :func:`bayesrank.credible_ranking`; the intervals have its ``prob``.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    top : int, optional
        Number of entities to draw, from the first; all by default.
    colors : mapping, optional
        Colours by entity; the other entities are grey. By default the colour depends on the place among all entities;
        more than twelve entities share one colour.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = forest(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a']
    >>> ax.get_xlabel().split("\\n")
    ['F1 (median and 95% interval)', "tiers: pairwise posterior comparisons with the tier's first entity"]
    """
    table, left_out = _first(ranking, top)
    size = len(table)
    ax = new_axes(ax, *list_size(size))
    y = np.arange(size)
    tiers = table["tier"].to_numpy(dtype=float) if "tier" in table else None
    paints = list_colors(ax, ranking["entity"].values.tolist(), colors)
    row = _mark_size(ax, size)
    ranked = table["rank_lower"].notna().to_numpy()
    for those, mark, label in ((ranked, "o", None), (~ranked, "x", "not ranked")):
        here = those & table["median"].notna().to_numpy()
        if here.any():
            color = [paints[name] if mark == "o" else grey_shade(ax, 0.5) for name in table.index[here]]
            ax.hlines(y[here], table["lower"][here], table["upper"][here], color=color, linewidth=0.45 * row)
            ax.scatter(table["median"][here], y[here], s=row**2, marker=mark, color=color, label=label, zorder=3)
    if table["observed"].notna().any():
        ax.plot(
            table["observed"], y, "D", color=ink_color(), fillstyle="none", markersize=0.9 * row, markeredgewidth=0.8,
            linestyle="none", label="observed",
        )  # fmt: skip
    list_names(ax, table.index.tolist())
    ratio = is_ratio(ranking.attrs)
    if ratio:
        log_axis(ax)
    about_tiers = f"\n{TIERS}" if tiers is not None and not np.isnan(tiers).all() else ""
    ax.set_xlabel(
        f"{score_name(ranking)} (median and {100 * ranking.attrs['prob']:g}% interval{', log scale' * ratio})"
        f"{about_tiers}{left_out}"
    )
    strip(ax)
    if tiers is not None:
        _bands(ax, tiers)
    if ax.get_legend_handles_labels()[0]:
        list_legend(ax, 6)
    return add_missing_fonts(ax)


def _bands(ax: Any, tiers: np.ndarray) -> None:
    """Draw tiers as bands behind the rows, with their numbers on the right; a tier may have several bands."""
    start = 0
    numbers = [None if np.isnan(tier) else int(tier) for tier in tiers]
    for tier, rows in groupby(numbers):
        end = start + len(list(rows))
        if tier is not None:
            if tier % 2:
                ax.axhspan(start - 0.5, end - 0.5, color=grey_shade(ax, 0.06), linewidth=0, zorder=0)
            # In the middle of its band; a band of one row has room for small letters only.
            font = min(8.0, 0.8 * 72 * ax.get_window_extent().height / ax.figure.dpi / len(tiers) * (end - start))
            ax.annotate(
                f"tier {tier}", (1.0, (start + end - 1) / 2), (4, 0), ("axes fraction", "data"),
                textcoords="offset points", va="center", fontsize=font, color=grey_shade(ax, 0.75),
            )  # fmt: skip
        start = end


def _mark_size(ax: Any, rows: int) -> float:
    """Return the size of a mark in points, for a list of ``rows`` rows."""
    return float(np.clip(0.4 * 72 * ax.get_window_extent().height / ax.figure.dpi / max(rows, 1), 1.5, 4.5))


def _first(ranking: xr.Dataset, top: int | None) -> tuple[pd.DataFrame, str]:
    """Return the rows of plots of a ranking, and a sentence on the omitted ones."""
    table = ranking_table(ranking)
    shown = table if top is None else table.iloc[: check_integer("top", top, 1)]
    rest = len(table) - len(shown)
    return shown, f"\n{rest} more are not shown" if rest else ""


def rank_heatmap(ranking: xr.Dataset, ax: Any = None, *, top: int | None = None) -> Any:
    """Draw the probability of each rank for each entity as a heat map, in consensus order.

    The colour scale is a square root, as its label says, so that small probabilities are visible.

    Parameters
    ----------
    ranking : xarray.Dataset
        The result of :func:`bayesrank.credible_ranking`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    top : int, optional
        Number of entities to draw, from the first; all by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = rank_heatmap(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    >>> ax.get_xlabel()
    'rank'
    """
    from matplotlib.colors import PowerNorm

    ordered, left_out = _in_order(ranking, top)
    size = ordered.sizes["entity"]
    ax = new_axes(ax, *(list_size(size) if size <= 60 else matrix_size(size, width=9.0)))
    image = ax.pcolormesh(
        np.arange(ordered.sizes["rank"] + 1) + 0.5,
        np.arange(size + 1) - 0.5,
        ordered["rank_probability"].transpose("entity", "rank").values,
        cmap=fade_colors(ax),
        # One certain entity must not hide the probabilities of a hundred uncertain ones.
        norm=PowerNorm(0.5, vmin=0, vmax=float(ordered["rank_probability"].max()) or 1.0),
        rasterized=True,
    )
    list_names(ax, ordered["entity"].values.tolist())
    ax.set_xlabel(f"rank{left_out}")
    rank_ticks(ax.xaxis, ordered.sizes["rank"])
    ax.figure.colorbar(image, ax=ax, label="probability\n(not linear: √)", shrink=0.8, aspect=30)
    return add_missing_fonts(ax)


def superiority(ranking: xr.Dataset, ax: Any = None, *, top: int | None = None) -> Any:
    """Draw the probability that the entity of the row beats the entity of the column by more than the ROPE.

    If there is no room for all names, only some are shown, with their place in the consensus order.

    Parameters
    ----------
    ranking : xarray.Dataset
        The result of :func:`bayesrank.credible_ranking`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    top : int, optional
        Number of entities to draw, from the first; all by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = superiority(br.credible_ranking(br.fit(counts, seed=1), "f1", rope=0.01))
    >>> print(ax.get_title())
    P(row beats column
    by more than 0.01)
    """
    check_pairs(ranking)
    ordered, left_out = _in_order(ranking, top)
    size = ordered.sizes["entity"]
    # Of few entities the names and the title need more room than the cells.
    ax = new_axes(ax, *matrix_size(max(size, 4), 0.42))
    values = ordered["superiority"].values.copy()
    np.fill_diagonal(values, np.nan)
    image = ax.imshow(values, cmap="PuOr", vmin=0, vmax=1, interpolation="nearest")
    names = ordered["entity"].values.tolist()
    list_names(ax, names)
    list_names(ax, names, axis="x")
    if size <= 12:
        for (i, j), p in np.ndenumerate(values):
            if not np.isnan(p):
                text = "<.01" if p < 0.01 else ">.99" if p > 0.99 else f"{p:.2f}"
                color = choose_text_color(image.cmap(image.norm(p))[:3])
                ax.text(j, i, text, ha="center", va="center", fontsize=8, color=color)
    rope = ranking.attrs["rope"]
    gap = "\n" if size < 8 else " "
    more = f"{gap}by more than {rope:g}" if rope else ""
    ax.set_title(f"P(row beats column{more}){left_out}", fontsize=10)
    ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=30)
    return add_missing_fonts(ax)


def _in_order(ranking: xr.Dataset, top: int | None) -> tuple[xr.Dataset, str]:
    """Return entities and rivals in the order of the table, and a sentence on the omitted ones."""
    table, left_out = _first(ranking, top)
    place = {name: i for i, name in enumerate(ranking["entity"].values.tolist())}
    order = [place[name] for name in table.index]
    return ranking.isel({"entity": order, "rival": order}, missing_dims="ignore"), left_out
