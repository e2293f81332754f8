"""Pictures of populations: the shrinkage of each member's score, and the summary ROC of diagnostic meta-analysis."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_entities, check_sequence
from bayesrank._core.errors import ArgumentKeyError
from bayesrank._core.labels import select_names
from bayesrank._core.records import ResultRecord
from bayesrank._core.types import Container, ScoreLike
from bayesrank.comparisons import populations
from bayesrank.performance.regions import summary_points
from bayesrank.plots.kit.colors import OKABE_ITO, entity_colors, grey_shade, paper_color
from bayesrank.plots.kit.style import (
    figure_legend,
    finish_list,
    finish_plot,
    interval_label,
    list_names,
    list_size,
    names_ratio,
    new_axes,
    new_panels,
    plain_names,
    side_legend,
)
from bayesrank.scores.display import display_name

#: Default number of entities side by side, and largest number of rows; longer lists show their
#: first and last rows.
PANELS, ROWS = 3, 60
#: Area in square points of the mark of the largest and the smallest number of cases.
LARGEST, SMALLEST = 90.0, 8.0
OBSERVED, OWN = OKABE_ITO[5], OKABE_ITO[0]
#: Names in the legend of a summary ROC, and the area of its largest circle.
NAMED, CIRCLE = 16, 220.0
#: Ends of a whole axis. If points use less than this share of it, the axis ends where they do.
WHOLE, PART = (-0.02, 1.02), 0.85
#: Markers distinguish entities with similar or equal colours.
MARKS = "sD^vPXp*"


@check_call
def shrinkage(
    posterior: Container,
    score: ScoreLike | None = None,
    *,
    entities: Sequence[Any] | None = None,
    prob: float = 0.95,
    axes: Any = None,
) -> Any:
    """Draw the observed score and the shrunk posterior of each data set, one column per entity.

    Hollow circles are observed scores; their size grows with the number of cases. Filled circles
    with a line are posterior medians and intervals. The vertical line is the typical data set with
    its interval, the wide band the interval of a new data set. For a population of entities, the
    rows are the entities, and the line is the mean of all.

    Parameters
    ----------
    posterior : InferenceData, DataTree or Dataset
        Posterior of a hierarchical model.
    score : Score, str or callable, optional
        A score, or the name of a posterior variable; for outcomes without classes, the default is
        their mean.
    entities : sequence, optional
        The entities to draw, in order; by default the three best on the typical data set, or all of
        a population of entities. Rows are in the order of the first entity's posterior.
    prob : float
        Probability of the credible intervals (equal tails).
    axes : sequence of matplotlib Axes, optional

    Examples
    --------
    >>> axes = shrinkage(br.fit(br.datasets.load("ascus_hc2_repc"), "hierarchical_beta_binomial", seed=1), "tpr")
    >>> [ax.get_title() for ax in axes]
    ['HC2', 'RepC']
    """
    shrunk = populations.shrinkage(posterior, score, prob=prob)
    record = ResultRecord.of(shrunk)
    names = shrunk["entity"].values.tolist()
    chosen = (
        names
        if entities is None
        else check_entities("entities", check_sequence("entities", entities))
    )
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise ArgumentKeyError(
            "entities", f"must be among {names[:5]}{' ...' * (len(names) > 5)}", f"{unknown[:5]}"
        )
    over = "dataset" if "dataset" in shrunk.dims else "entity"
    fewer = ""
    if over == "dataset" and entities is None:
        order = np.argsort(-record.sign * shrunk["typical"].values, kind="stable")[:PANELS]
        fewer = f"first {len(order)} of {len(names)} entities" if len(order) < len(names) else ""
        chosen = [names[i] for i in order]
    columns = (
        [select_names(shrunk, entity=name) for name in chosen]
        if over == "dataset"
        else [select_names(shrunk, entity=chosen)]
    )
    # Members by the posterior, unknown ones last; of many, the first and the last.
    order = np.argsort(
        np.nan_to_num(-record.sign * columns[0]["median"].values, nan=np.inf), kind="stable"
    )
    members, left_out = columns[0][over].values[order].tolist(), max(len(order) - ROWS, 0)
    if left_out:
        members = members[: ROWS // 2] + members[-ROWS // 2 :]
    several = len(columns) > 1
    width = 3.2 + (3.6 if several else 4.8) * len(columns)
    axes = new_panels(
        axes, 1, len(columns), *list_size(len(members), width), sharey=True, sharex=True
    )
    most = float(np.nanmax([1.0, *(float(column["cases"].max()) for column in columns)]))
    ratio, gap = (
        names_ratio(record.score),
        "\n" if several else " ",
    )  # labels of panels must not touch
    parts = [fewer, f"{left_out} in the middle left out" if left_out else ""]
    label = interval_label(display_name(record.score), record.prob, ratio, gap)
    label = f";{gap}".join([label, *filter(None, parts)])
    list_names(axes[0], plain_names(members, 34) if several else members)
    for ax, column, title in zip(axes, columns, plain_names(chosen, 34), strict=False):
        _draw_column(ax, select_names(column, {over: members}), over, most)
        finish_list(ax, None, label, ratio)
        ax.xaxis.label.set_size(9)
        if over == "dataset":
            ax.set_title(title, fontsize=10, pad=22 if len(members) > 40 else 6)
        if left_out:
            ax.axhline(ROWS // 2 - 0.5, color=grey_shade(ax, 0.5), linewidth=0.8, linestyle=":")
    figure_legend(axes[0], "upper", 4)
    return axes


def _draw_column(ax: Any, column: xr.Dataset, over: str, most: float) -> None:
    y = np.arange(column.sizes[over])
    new, typical = (
        [float(column[f"{kind}_{end}"]) for end in ("lower", "upper")]
        for kind in ("new", "typical")
    )
    if not np.isnan(new[0]):
        ax.axvspan(*new, color=grey_shade(ax, 0.08), label="new data set")
    ax.axvspan(*typical, color=grey_shade(ax, 0.18), linewidth=0)
    middle = "typical data set" if over == "dataset" else "mean of all"
    ax.axvline(float(column["typical"]), color=grey_shade(ax, 0.65), linewidth=1.2, label=middle)
    observed, median = column["observed"].values, column["median"].values
    ax.hlines(y, observed, median, color=OBSERVED, linewidth=0.8, zorder=2)
    ax.hlines(y, column["lower"], column["upper"], color=OWN, linewidth=1.6, zorder=3)
    ax.plot(
        median, y, "o", color=OWN, markersize=3.5, linestyle="none", zorder=4, label="posterior"
    )
    area = np.maximum(LARGEST * np.nan_to_num(column["cases"].values, nan=most) / most, SMALLEST)
    look: Any = {"facecolor": "none", "edgecolor": OBSERVED, "linewidth": 1.0, "zorder": 5}
    ax.scatter(observed, y, area, label="observed, by cases", **look)


@check_call
def summary_roc(source: Container, ax: Any = None, *, prob: float = 0.95) -> Any:
    """Draw the summary ROC of each entity: the typical data set, and the region of a new one.

    Circles are the entity's data sets, with areas proportional to their cases. The mark is the
    summary point. The filled region contains it with probability ``prob``; the dashed region
    contains the rates on a new data set. The line is the summary curve, if it exists
    (:func:`bayesrank.performance.summary_points`). For five entities or more, only the summary
    points and their filled regions are drawn. The axes show only the part that is needed.

    Parameters
    ----------
    source : InferenceData, DataTree or Dataset
        A posterior of a hierarchical model of two classes, or the result of
        :func:`bayesrank.performance.summary_points`, from which entities may have been selected.
    prob : float
        Probability of the regions; ignored for a Dataset of summary points, which has its own.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> ax = summary_roc(br.fit(br.datasets.load("ascus_hc2_repc"), "hierarchical_beta_binomial", seed=1))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('FPR', 'TPR')
    """
    ready = isinstance(source, xr.Dataset) and {"prediction_fpr", "credible_fpr"} <= set(
        source.data_vars
    )
    points: Any = source if ready else summary_points(source, prob=prob)
    names = (
        points["entity"].values.tolist()
        if "entity" in points.coords
        else list(range(points.sizes["entity"]))
    )
    colors, can_fill = list(entity_colors(names).values()), len(names) < 5
    studies = can_fill and "cases" in points
    ax = new_axes(ax, 7.8, 4.6)
    for i, color in enumerate(colors):
        summary = points.isel(entity=i)
        ax.fill(
            summary["credible_fpr"],
            summary["credible_tpr"],
            facecolor=color,
            alpha=0.25,
            edgecolor=color,
            zorder=2,
        )
        if can_fill:
            ax.plot(
                summary["prediction_fpr"],
                summary["prediction_tpr"],
                "--",
                color=color,
                linewidth=1.2,
                zorder=2,
            )
            ax.plot(
                summary["curve_fpr"],
                summary["curve_tpr"],
                "-",
                color=color,
                linewidth=1.4,
                zorder=3,
            )
        if studies:
            area = CIRCLE * summary["cases"].values / max(float(points["cases"].max()), 1.0)
            look: Any = {
                "facecolors": "none",
                "edgecolors": [color],
                "linewidths": 0.9,
                "alpha": 0.8,
                "zorder": 3,
            }
            ax.scatter(summary["observed_fpr"], summary["observed_tpr"], s=area, **look)
        mark = MARKS[i % len(MARKS)]
        ax.plot(
            summary["fpr"],
            summary["tpr"],
            mark,
            color=color,
            markeredgecolor=paper_color(ax),
            markersize=8,
            zorder=4,
        )
    grey, level = (
        grey_shade(ax, 0.6),
        ResultRecord.of(points).percent if "prob" in points.attrs else f"{100 * prob:g}%",
    )
    handles: list[Any] = [
        Line2D([], [], marker=MARKS[i % len(MARKS)], color=colors[i], linestyle="none", label=text)
        for i, text in enumerate(plain_names(names, 30)[:NAMED])
    ]
    if len(names) > NAMED:
        handles.append(Patch(facecolor="none", label=f"and {len(names) - NAMED} more"))
    handles.append(
        Patch(facecolor=grey, alpha=0.25, edgecolor=grey, label=f"{level} credible region")
    )
    if can_fill:
        handles.append(
            Line2D([], [], color=grey, linestyle="--", label=f"{level} prediction region")
        )
        if bool(points["curve_tpr"].notnull().any()):
            handles.append(Line2D([], [], color=grey, label="summary curve\n(Rutter and Gatsonis)"))
    if studies:
        circle: Any = {
            "marker": "o",
            "fillstyle": "none",
            "linestyle": "none",
            "markersize": CIRCLE**0.5 / 1.5,
        }
        handles.append(Line2D([], [], color=grey, label="data sets, by cases", **circle))
    side_legend(ax, handles=handles, loc="center left", bbox_to_anchor=(1.02, 0.5))
    shown = ["", "credible_", *["prediction_", "curve_"] * can_fill, *["observed_"] * studies]
    limits = [
        _limits(np.concatenate([points[f"{what}{rate}"].values.ravel() for what in shown]))
        for rate in ("fpr", "tpr")
    ]
    aspect = "equal" if limits == [WHOLE, WHOLE] else "auto"
    ax.set(xlim=limits[0], ylim=limits[1], xlabel="FPR", ylabel="TPR", aspect=aspect)
    ax.locator_params(nbins=6)
    return finish_plot(ax)


def _limits(values: np.ndarray) -> tuple[float, float]:
    """Return axis limits that show all points: the full range, or the used part of it."""
    used = values[~np.isnan(values)]
    if used.size == 0 or np.ptp(used) > PART:
        return WHOLE
    low, high = float(used.min()), float(used.max())
    room = 0.05 * max(high - low, 1e-3)
    return low - room, high + room
