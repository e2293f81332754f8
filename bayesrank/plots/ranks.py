"""Pictures of a credible ranking: scores with their intervals, who may hold which rank, and who beats whom."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._style import (
    OKABE_ITO,
    list_legend,
    list_names,
    list_size,
    new_axes,
    plain_names,
    rank_ticks,
    strip,
)

__all__ = ["forest", "rank_distribution", "rank_heatmap", "score_lines", "superiority"]


def forest(ranking: xr.Dataset, ax: Any = None) -> Any:
    """Draw each entity's median and interval, in consensus order, coloured by tier; diamonds are what was observed.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of :func:`bayesrank.credible_ranking`, whose ``prob`` the intervals have.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

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
    """
    from bayesrank.ranking.summary import ranking_table

    table = ranking_table(ranking)
    size = len(table)
    ax = new_axes(ax, *list_size(size))
    y = np.arange(size)
    tiers = table["tier"].to_numpy(dtype=float)
    for tier in sorted(set(tiers[~np.isnan(tiers)])):
        here = tiers == tier
        color = OKABE_ITO[(int(tier) - 1) % 6]
        ax.hlines(y[here], table["lower"][here], table["upper"][here], color=color, linewidth=2)
        # Marks tell apart what colours alone do not: to some people, or after the sixth.
        mark = "os^vD"[(int(tier) - 1) % 5]
        ax.plot(table["median"][here], y[here], mark, color=color, markersize=4.5, label=f"tier {tier:g}")
    unranked = np.isnan(tiers) & table["median"].notna().to_numpy()
    if unranked.any():
        ax.hlines(y[unranked], table["lower"][unranked], table["upper"][unranked], color="0.6", linewidth=2)
        ax.plot(table["median"][unranked], y[unranked], "x", color="0.6", markersize=4.5, label="not ranked")
    if table["observed"].notna().any():
        ax.plot(
            table["observed"], y, "D", color="black", fillstyle="none", markersize=4, linestyle="none", label="observed"
        )
    list_names(ax, table.index.tolist())
    ax.set_xlabel(f"{ranking.attrs['score'].replace('_', ' ')} (median and {100 * ranking.attrs['prob']:g}% interval)")
    strip(ax)
    list_legend(ax, 6)
    return ax


def rank_heatmap(ranking: xr.Dataset, ax: Any = None) -> Any:
    """The probability of each rank for each entity, as a heat map in consensus order.

    The colour scale is that of the square root, so that small probabilities are seen.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of :func:`bayesrank.credible_ranking`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

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

    ordered = _in_order(ranking)
    size = ordered.sizes["entity"]
    ax = new_axes(ax, *list_size(size))
    image = ax.pcolormesh(
        np.arange(size + 1) + 0.5,
        np.arange(size + 1) - 0.5,
        ordered["rank_probability"].values,
        cmap="Blues",
        # One sure entity must not hide what is known of a hundred unsure ones.
        norm=PowerNorm(0.5, vmin=0, vmax=float(ordered["rank_probability"].max()) or 1.0),
        rasterized=True,
    )
    list_names(ax, ordered["entity"].values.tolist())
    ax.set_xlabel("rank")
    rank_ticks(ax.xaxis, size)
    ax.figure.colorbar(image, ax=ax, label="probability", shrink=0.6, aspect=30)
    return ax


def rank_distribution(ranking: xr.Dataset, ax: Any = None) -> Any:
    """Every entity's distribution over the ranks: circles with areas proportional to probability.

    The line is the rank interval at the ranking's ``prob``, the tick its median.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of :func:`bayesrank.credible_ranking`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = rank_distribution(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a']
    """
    ordered = _in_order(ranking)
    size = ordered.sizes["entity"]
    ax = new_axes(ax, *list_size(size))
    probability = ordered["rank_probability"].values
    # A circle of probability 1 just fills its row, whose height in points is that of the axes over the rows.
    height = 72 * ax.get_window_extent().height / ax.figure.dpi / size
    rows, ranks = np.nonzero(probability > 0)
    area = probability[rows, ranks] / probability.max() * (0.9 * height) ** 2
    ax.scatter(ranks + 1, rows, s=area, color=OKABE_ITO[4], linewidth=0)
    median = 1 + np.argmax(np.cumsum(probability, axis=1) >= 0.5 * probability.sum(axis=1, keepdims=True), axis=1)
    y = np.arange(size)
    ax.hlines(y, ordered["rank_lower"], ordered["rank_upper"], color=OKABE_ITO[0], linewidth=1)
    ax.plot(median, y, "|", color="black", markersize=0.7 * height, markeredgewidth=1.5)
    list_names(ax, ordered["entity"].values.tolist())
    ax.set_xlabel(f"rank (circles: probability, line: {100 * ranking.attrs['prob']:g}% interval, tick: median)")
    ax.set_xlim(0.2, size + 0.8)
    rank_ticks(ax.xaxis, size)
    strip(ax)
    return ax


def superiority(ranking: xr.Dataset, ax: Any = None) -> Any:
    """The probability that the entity of a row beats that of a column by more than the ROPE.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of :func:`bayesrank.credible_ranking`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = superiority(br.credible_ranking(br.fit(counts, seed=1), "f1", rope=0.01))
    >>> ax.get_title()
    'P(row beats column by more than 0.01)'
    """
    ordered = _in_order(ranking)
    size = ordered.sizes["entity"]
    side = 3.0 + (0.42 if size <= 30 else 0.13) * size
    ax = new_axes(ax, side + 1.0, side)
    values = ordered["superiority"].values.copy()
    np.fill_diagonal(values, np.nan)
    image = ax.imshow(values, cmap="PuOr", vmin=0, vmax=1)
    names = ordered["entity"].values.tolist()
    list_names(ax, names)
    list_names(ax, names, axis="x")
    if size <= 12:
        for (i, j), p in np.ndenumerate(values):
            if not np.isnan(p):
                text = "<.01" if p < 0.01 else ">.99" if p > 0.99 else f"{p:.2f}"
                ink = "black" if 0.15 < p < 0.85 else "white"
                ax.text(j, i, text, ha="center", va="center", fontsize=8, color=ink)
    rope = ranking.attrs["rope"]
    ax.set_title(f"P(row beats column{f' by more than {rope:g}' if rope else ''})", fontsize=10)
    ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=30)
    return ax


def score_lines(rankings: Mapping[str, xr.Dataset], highlight: int = 8, ax: Any = None) -> Any:
    """Expected ranks across several scores, one line an entity.

    Parameters
    ----------
    rankings : mapping
        From the name of each score to its credible ranking of the same entities.
    highlight : int
        How many entities get a colour and their name: those with the best expected rank over all scores.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> posterior = br.fit(counts, seed=1)
    >>> ax = score_lines({name: br.credible_ranking(posterior, name) for name in ("tpr", "tnr")})
    >>> ax.get_ylabel()
    'expected rank'
    """
    if len(rankings) < 2:
        raise ValueError(f"rankings must hold two or more scores; got {list(rankings)}")
    table = xr.concat([r["expected_rank"] for r in rankings.values()], "score").transpose("entity", "score")
    mean = table.mean("score").values
    order = np.argsort(mean, kind="stable")
    ax = new_axes(ax, 3.0 + 1.4 * len(rankings), 6.0)
    names = plain_names(table["entity"].values[order].tolist(), 40)
    x = np.arange(len(rankings))
    for place, i in enumerate(order):
        shown = place < highlight
        color = OKABE_ITO[place % len(OKABE_ITO)] if shown else "0.8"
        # Marks tell apart what colours alone do not: to some people, or after the eighth.
        mark = "os^vDPX"[place % 7]
        ax.plot(
            x, table.values[i], f"{mark}-" if shown else "-", color=color, linewidth=1.8 if shown else 0.7,
            markersize=4, zorder=2 + shown, label=names[place] if shown else None,
        )  # fmt: skip
    ax.set_xticks(x, [name.replace("_", " ") for name in rankings])
    ax.set_ylabel("expected rank")
    rank_ticks(ax.yaxis, len(names))
    ax.set_ylim(len(names) + 0.02 * len(names) + 0.1, 1 - 0.02 * len(names) - 0.1)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def _in_order(ranking: xr.Dataset) -> xr.Dataset:
    """Entities and rivals in consensus order, equals by expected rank."""
    order = np.lexsort((ranking["expected_rank"].values, ranking["consensus_rank"].values))
    return ranking.isel(entity=order, rival=order)
