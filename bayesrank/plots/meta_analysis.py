"""The summary ROC plot of diagnostic meta-analysis: studies, summary points and their regions."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._types import Container
from bayesrank.plots._colors import grey_shade, ink_color, paper_color
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import entity_colors, new_axes, plain_names

__all__ = ["summary_roc"]

#: From this number of entities on, their studies and prediction regions would cover each other.
CROWD = 5
#: Names in a legend.
NAMED = 16
#: Area of the circle of the largest study, in square points.
LARGEST = 220.0
#: Ends of an axis; one of which less than this part is used shows no more than that.
WHOLE, PART = (-0.02, 1.02), 0.85
#: Markers distinguish entities with similar or equal colours.
MARKS = "sD^vPXp*"


def summary_roc(source: Container, ax: Any = None, *, prob: float = 0.95) -> Any:
    """Draw the summary ROC of each entity: the typical data set, and the region of a new one.

    Circles are the entity's data sets, with areas proportional to their cases. The mark is the summary point. The
    filled region contains it with probability ``prob``; the dashed region contains the rates on a new data set. The
    line is the summary curve, if it exists (:func:`bayesrank.performance.summary_points`). For five entities or more,
    only points and their regions are drawn. The axes show only the part that is needed.

    Parameters
    ----------
    source : InferenceData, DataTree or Dataset
        A posterior of a hierarchical model of two classes, or the result of
        :func:`bayesrank.performance.summary_points`, from which entities may have been selected.
    prob : float
        Probability of the regions; ignored for a Dataset of summary points, which has its own.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> studies = br.from_counts(
    ...     tn=[45, 38, 90, 27], fp=[5, 12, 10, 3], fn=[4, 9, 2, 3], tp=[16, 11, 28, 7],
    ...     entity=["A"] * 4, dataset=["Oslo", "Rome", "Lima", "Kyiv"],
    ... )
    >>> ax = summary_roc(br.fit(studies, "hierarchical_beta_binomial", seed=1))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('FPR', 'TPR')
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    from bayesrank.performance.regions import summary_points

    ready = isinstance(source, xr.Dataset) and {"prediction_fpr", "credible_fpr"} <= set(source.data_vars)
    points: Any = source if ready else summary_points(source, prob=prob)
    names = points["entity"].values.tolist() if "entity" in points.coords else list(range(points.sizes["entity"]))
    colors, few = entity_colors(names), len(names) < CROWD
    ax = new_axes(ax, 7.8, 4.6)
    largest = float(points["cases"].max()) if "cases" in points else 1.0
    for i, name in enumerate(names):
        one, color = points.isel(entity=i), colors[name]
        ax.fill(one["credible_fpr"], one["credible_tpr"], facecolor=color, alpha=0.25, edgecolor=color, zorder=2)
        if few:
            ax.plot(one["prediction_fpr"], one["prediction_tpr"], "--", color=color, linewidth=1.2, zorder=2)
            ax.plot(one["curve_fpr"], one["curve_tpr"], "-", color=color, linewidth=1.4, zorder=3)
        if few and "cases" in one:
            area = LARGEST * one["cases"].values / max(largest, 1.0)
            ax.scatter(
                one["observed_fpr"], one["observed_tpr"], s=area, facecolors="none", edgecolors=[color],
                linewidths=0.9, alpha=0.8, zorder=3,
            )  # fmt: skip
        mark = MARKS[i % len(MARKS)]
        ax.plot(one["fpr"], one["tpr"], mark, color=color, markeredgecolor=paper_color(ax), markersize=8, zorder=4)
    grey = grey_shade(ax, 0.6)
    level = f"{100 * points.attrs.get('prob', prob):g}%"
    labels = plain_names(names, 30)[:NAMED]
    handles: list[Any] = [
        Line2D([], [], marker=MARKS[i % len(MARKS)], color=colors[name], linestyle="none", label=text)
        for i, (name, text) in enumerate(zip(names, labels, strict=False))
    ]
    if len(names) > NAMED:
        handles.append(Patch(facecolor="none", label=f"and {len(names) - NAMED} more"))
    handles.append(Patch(facecolor=grey, alpha=0.25, edgecolor=grey, label=f"{level} credible region"))
    if few:
        handles.append(Line2D([], [], color=grey, linestyle="--", label=f"{level} prediction region"))
        if bool(points["curve_tpr"].notnull().any()):
            handles.append(Line2D([], [], color=grey, label="summary curve\n(Rutter and Gatsonis)"))
        if "cases" in points:
            handles.append(
                Line2D([], [], marker="o", color=grey, fillstyle="none", linestyle="none",
                       markersize=float(np.sqrt(LARGEST) / 1.5), label="data sets, by cases")
            )  # fmt: skip
    ax.legend(
        handles=handles,
        loc="center left",
        bbox_to_anchor=(1.02, 0.5),
        fontsize=8,
        frameon=False,
        labelcolor=ink_color(),
    )
    shown = ["", "credible_", *["prediction_", "curve_"] * few, *["observed_"] * (few and "cases" in points)]
    ends = [
        _ends(np.concatenate([points[f"{what}{rate}"].values.ravel() for what in shown])) for rate in ("fpr", "tpr")
    ]
    full_square = ends == [WHOLE, WHOLE]
    ax.set(xlim=ends[0], ylim=ends[1], xlabel="FPR", ylabel="TPR", aspect="equal" if full_square else "auto")
    ax.locator_params(nbins=6)
    ax.grid(color=grey_shade(ax, 0.08))
    ax.set_axisbelow(True)
    return add_missing_fonts(ax)


def _ends(values: np.ndarray) -> tuple[float, float]:
    """Return axis limits that show all points: the full range, or the used part of it."""
    used = values[~np.isnan(values)]
    if used.size == 0 or np.ptp(used) > PART:
        return WHOLE
    low, high = float(used.min()), float(used.max())
    room = 0.05 * max(high - low, 1e-3)
    return low - room, high + room
