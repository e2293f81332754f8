"""Pictures of a credible ranking: scores with intervals, rank probabilities, and pairwise probabilities."""

from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.colors import LinearSegmentedColormap, PowerNorm

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.percent import score_heading, using_words_of
from bayesrank._core.records import RankingRecord
from bayesrank.plots.kit.colors import (
    Colors,
    blue_on,
    choose_text_color,
    fade_colors,
    grey_shade,
    ink_color,
    list_colors,
    paper_color,
)
from bayesrank.plots.kit.ranked import rank_posterior
from bayesrank.plots.kit.style import (
    add_missing_fonts,
    finish_list,
    first_rows,
    fit_text,
    interval_label,
    is_narrow,
    is_ratio,
    list_names,
    list_size,
    new_axes,
    rank_ticks,
    write_title,
)
from bayesrank.ranking.summary import (
    best_texts,
    check_pairs,
    first_of_order,
    ranking_table,
    score_name,
)


@check_call
def forest(
    ranking: xr.Dataset, ax: Any = None, *, top: int | None = None, colors: Colors = None
) -> Any:
    """Draw each entity's median, interval and tier, in the order of the ranking; diamonds are observed values.

    Entities that could be best are blue, the others grey. For ratios, such as odds ratios, the axis
    is logarithmic, and its label says so. Numbered bands are tiers: the first holds the entities
    that could be best.

    Parameters
    ----------
    ranking : xarray.Dataset
        The result of :func:`bayesrank.credible_ranking`; the intervals have its ``prob``. A
        posterior works too; the second argument is then the score to rank by, as in
        ``forest(posterior, "f1")``.
    ax : matplotlib Axes, optional
    top : int, optional
        Number of entities to draw, from the first; all by default.
    colors : mapping, optional
        Colours by entity (:func:`colors`), instead of blue and grey.

    Examples
    --------
    >>> ax = forest(br.credible_ranking(br.fit(br.datasets.load("breast_cancer"), seed=1), "f1"), top=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['logreg', 'svm_rbf']
    >>> ax.get_xlabel().split("\\n")[:2]
    ['F1 (median and 95% interval)', 'tier 1: could be best; tier 2: no other entity outside tier 1 is surely above']
    """
    ranking, ax = rank_posterior(ranking, ax)
    table, left_out = _first(ranking, top)
    ax = new_axes(ax, *list_size(len(table)))
    room = _draw_scores(ax, ranking, table, left_out, colors)
    _draw_tiers(ax, _tiers(table), room)
    return ax


@check_call
def ranking(
    ranking: xr.Dataset, ax: Any = None, *, top: int | None = None, colors: Colors = None
) -> Any:
    """Draw a ranking as a table with a picture: score and interval, then P(best), possible ranks and tier.

    The picture in each row is that of :func:`forest`.

    Parameters
    ----------
    ranking, ax, top, colors
        As for :func:`forest`.

    Examples
    --------
    >>> ax = ranking(br.credible_ranking(br.fit(br.datasets.load("breast_cancer"), seed=1), "f1"), top=2)
    >>> [text.get_text() for text in ax.texts]
    ['P(best)', 'ranks', 'tier', '0.534', '1 to 6', '1', '0.289', '1 to 7', '1']
    """
    ranking, ax = rank_posterior(ranking, ax)
    table, left_out = _first(ranking, top)
    width, height = list_size(len(table))
    ax = new_axes(ax, width + 1.6, height)
    _draw_scores(ax, ranking, table, left_out, colors)
    size, best, narrow = ax.get_yticklabels()[0].get_fontsize(), best_texts(ranking), is_narrow(ax)
    size = min(size, 7.5) if narrow else size
    tiers = _tiers(table) or [None] * len(table)
    cells = {None: ("P(best)", "ranks", "tier")}
    for y in ax.get_yticks().astype(int).tolist():
        row, tier = table.iloc[y], tiers[y]
        ranks = prose.interval(row["rank_lower"], row["rank_upper"], 0)
        cells[y] = (best[table.index[y]], ranks, "" if tier is None else str(tier))
    for y, texts in cells.items():
        at: Any = (
            ((1.0, 1.0), "axes fraction") if y is None else ((1.0, y), ("axes fraction", "data"))
        )
        up = size if y is None else 0.0
        for right, text in zip((2.8, 9.4, 14.9), texts[:2] if narrow else texts, strict=False):
            ax.annotate(
                text, at[0], (right * size, up), at[1], textcoords="offset points",
                ha="center", va="center", fontsize=size, annotation_clip=False,
            )  # fmt: skip
    return ax


def _tiers(table: pd.DataFrame) -> list[int | None]:
    """Return the tier of each row, if there are any."""
    return (
        [None if np.isnan(tier) else int(tier) for tier in table["tier"]] if "tier" in table else []
    )


def _draw_scores(
    ax: Any, ranking: xr.Dataset, table: pd.DataFrame, left_out: str, colors: Colors
) -> float:
    """Draw medians, intervals and observed values; return the height of a row, in points."""
    y = np.arange(len(table))
    paints = list_colors(ax, ranking["entity"].values.tolist(), colors, ranking)
    # Marks and small letters fit the height of a row, in points.
    room = 72 * ax.get_window_extent().height / ax.figure.dpi / max(len(table), 1)
    mark_size = float(np.clip(0.4 * room, 1.5, 4.5))
    ranked, defined = table["expected_rank"].notna().to_numpy(), table["median"].notna().to_numpy()
    if "tier" in table:
        ranked = table["tier"].notna().to_numpy()
    for drawn, mark, label in (
        (ranked & defined, "o", None),
        (~ranked & defined, "x", "not ranked"),
    ):
        if drawn.any():
            rows, at = table[drawn], y[drawn]
            color = [paints[name] if mark == "o" else grey_shade(ax, 0.5) for name in rows.index]
            ax.hlines(at, rows["lower"], rows["upper"], color=color, linewidth=0.45 * mark_size)
            look = {"s": mark_size**2, "marker": mark, "color": color, "zorder": 3}
            ax.scatter(rows["median"], at, label=label, **look)
    if table["observed"].notna().any():
        ax.plot(
            table["observed"], y, "D", color=ink_color(), fillstyle="none", markersize=0.9 * mark_size,
            markeredgewidth=0.8, linestyle="none", label="observed",
        )  # fmt: skip
    ratio = is_ratio(ranking)
    record = RankingRecord.of(ranking)
    with using_words_of(record):
        label = interval_label(score_heading(score_name(ranking)), record.prob, ratio)
    if any(_tiers(table)):
        label += "\ntier 1: could be best; tier 2: no other entity outside tier 1 is surely above"
    finish_list(ax, table.index.tolist(), label + left_out, ratio, columns=6)
    if record.in_percent:
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}")
    return room


def _draw_tiers(ax: Any, tiers: list[int | None], room: float) -> None:
    """Draw tiers as bands behind the rows, with their numbers on the right; a tier may have several bands."""
    start = 0
    for tier, rows in groupby(tiers):
        end = start + len(list(rows))
        if tier is not None:
            if tier % 2:
                ax.axhspan(
                    start - 0.5, end - 0.5, color=grey_shade(ax, 0.06), linewidth=0, zorder=0
                )
            ax.annotate(
                f"tier {tier}", (1.0, (start + end - 1) / 2), (4, 0), ("axes fraction", "data"),
                textcoords="offset points", va="center", fontsize=min(8.0, 0.8 * room * (end - start)),
                color=grey_shade(ax, 0.75),
            )  # fmt: skip
        start = end


@check_call
def rank_heatmap(ranking: xr.Dataset, ax: Any = None, *, top: int | None = None) -> Any:
    """Draw the probability of each rank for each entity as a heat map, in the order of the ranking.

    The colour scale is a square root, as its label says, so that small probabilities are visible.

    Parameters
    ----------
    ranking, ax, top
        As for :func:`forest`.

    Examples
    --------
    >>> rank_heatmap(br.credible_ranking(br.fit(br.datasets.load("breast_cancer"), seed=1), "f1")).get_xlabel()
    'rank'
    """
    ranking, ax = rank_posterior(ranking, ax)
    ordered, left_out = _in_order(ranking, top)
    size = ordered.sizes["entity"]
    ax = new_axes(ax, *(list_size(size) if size <= 60 else (9.0, _side(size) - 1.4)))
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


@check_call
def superiority(ranking: xr.Dataset, ax: Any = None, *, top: int | None = None) -> Any:
    """Draw the probability that the entity of the row beats the entity of the column by more than the ROPE.

    Columns have the numbers of the rows. Blue: the entity of the row is ahead; grey: it is behind.

    Parameters
    ----------
    ranking, ax, top
        As for :func:`forest`.

    Examples
    --------
    >>> ranking = br.credible_ranking(br.fit(br.datasets.load("breast_cancer"), seed=1), "f1", rope=0.01)
    >>> superiority(ranking).get_title()
    'P(row beats column by more than 0.01)'
    """
    ranking, ax = rank_posterior(ranking, ax)
    check_pairs(ranking)
    ordered, left_out = _in_order(ranking, top)
    size = ordered.sizes["entity"]
    side = _side(max(size, 4))
    ax = new_axes(ax, side + 1.2, side - 1.2)
    values = ordered["superiority"].values.copy()
    np.fill_diagonal(values, np.nan)
    shades = [grey_shade(ax, 0.3), paper_color(ax), blue_on(ax)]
    image = ax.imshow(
        values, cmap=LinearSegmentedColormap.from_list("behind_ahead", shades), vmin=0, vmax=1,
        interpolation="nearest", extent=(0.5, size + 0.5, size - 0.5, -0.5),
    )  # fmt: skip
    list_names(ax, ordered["entity"].values.tolist(), numbered=True)
    rank_ticks(ax.xaxis, size)
    if size <= 12 and 72 * ax.bbox.width / ax.figure.dpi >= 22 * size:
        for (i, j), p in np.ndenumerate(values):
            if not np.isnan(p):
                color = choose_text_color(image.cmap(image.norm(p))[:3])
                ax.text(j + 1, i, _short(p), ha="center", va="center", fontsize=8, color=color)
    rope = RankingRecord.of(ranking).rope
    more = f" by more than {rope:g}" if rope else ""
    write_title(ax, f"P(row beats column{more}){left_out}", 10)
    words = "column: number of its row" if size > 1 else "one entity has no rival"
    ax.set_xlabel(fit_text(ax, words))
    where: Any = "bottom" if is_narrow(ax) else "right"
    ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=30, location=where)
    return add_missing_fonts(ax)


def _in_order(ranking: xr.Dataset, top: int | None) -> tuple[xr.Dataset, str]:
    """Return entities and rivals in the order of the table, and words on the omitted ones."""
    table, left_out = _first(ranking, top)
    order = ranking.indexes["entity"].get_indexer(table.index)
    return ranking.isel({"entity": order, "rival": order}, missing_dims="ignore"), left_out


def _first(ranking: xr.Dataset, top: int | None) -> tuple[pd.DataFrame, str]:
    """Return the table of the leader and the first entities of the order, by tier, and words on the others."""
    rows, left_out = first_rows(ranking_table(ranking), top)
    return first_of_order(ranking, len(rows)), left_out


def _short(p: float) -> str:
    """Return a probability for a small cell: two digits without the zero before them."""
    if p < 0.01:
        return "<.01"
    return ">.99" if p > 0.99 else f"{p:.2f}".lstrip("0")


def _side(size: int) -> float:
    """Return the side in inches of a picture with one row and one column an entity, of one screen at most."""
    if size <= 12:
        return 3.0 + 0.42 * size
    return 8.0 if size <= 30 else min(4.4 + 0.12 * size, 13.5)
