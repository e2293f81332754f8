"""Pictures of future confusion matrices (Lovell et al., *Never mind the metrics*), and of predictive checks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text, scores
from bayesrank._checks import (
    check_array,
    check_bool,
    check_integer,
    check_numbers,
    check_result,
    check_sequence,
    describe_value,
    rename_argument,
)
from bayesrank._types import ScoreLike
from bayesrank.plots._colors import OKABE_ITO, draw_halo, grey_shade, ink_color, paper_color, scale_on
from bayesrank.plots._contours import count_ticks, draw_contours
from bayesrank.plots._style import figure_legend, log_axis, new_axes, new_figure, new_panels
from bayesrank.predictive import confusion_pmf
from bayesrank.scores import as_score
from bayesrank.scores.contours import contour_curve

__all__ = ["effect_of_size", "matrix_pmf", "pmf_over_contours", "pr_pmf", "predictive_check"]

#: Names of the statistics of a predictive check.
LABELS = {
    "difficulty": "difficulty: spread of data-set means",
    "overdispersion": "overdispersion: spread of each entity's answers",
}


def matrix_pmf(
    pmf: xr.DataArray | Mapping[str, xr.DataArray], observed: xr.DataArray | None = None, figure: Any = None
) -> Any:
    """Draw a future confusion matrix: joint pmf in the ROC square and margins (Lovell et al., Figures 3 and E.1).

    Parameters
    ----------
    pmf : xarray.DataArray, or mapping from names to such
        From :func:`bayesrank.predictive.confusion_pmf`, with both class sizes known. Areas are proportional to masses;
        several are drawn side by side, at one scale.
    observed : xarray.DataArray, optional
        Counts of one entity; the plot marks their rates.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(matrix_pmf(br.predictive.confusion_pmf(counts), observed=counts).axes)
    4
    """
    pmfs = {"": pmf} if not isinstance(pmf, Mapping) or isinstance(pmf, xr.Dataset) else dict(pmf)
    if not pmfs:
        raise ValueError("pmf must hold a pmf or more; got none")
    rates = [_rates(one, f"pmf[{name!r}]" if name else "pmf") for name, one in pmfs.items()]
    seen = None if observed is None else _rates_of(observed)
    figure = new_figure(figure, 6.4 * len(pmfs), 5.2)
    parts = [figure] if len(pmfs) == 1 else figure.subfigures(1, len(pmfs))
    largest, *tops = (max(one.sum(over).max().item() for one in pmfs.values()) for over in ((), "tp", "tn"))
    for part, (name, one), (fpr, tpr) in zip(parts, pmfs.items(), rates, strict=True):
        (above, corner), (joint, beside) = part.subplots(2, 2, width_ratios=(3, 1), height_ratios=(1, 2.2))
        corner.set_axis_off()
        _draw_points(joint, fpr, tpr, one, largest)
        if seen is not None:
            _mark_observed(joint, *seen)
        joint.set(xlabel="FPR", ylabel="TPR", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        across, up = one.sum("tp"), one.sum("tn")
        above.vlines(fpr, 0, across, color=OKABE_ITO[0], linewidth=1)
        above.plot(fpr, across, "o", color=OKABE_ITO[0], markersize=3 if len(fpr) <= 100 else 0)
        beside.hlines(tpr, 0, up, color=OKABE_ITO[0], linewidth=1)
        beside.plot(up, tpr, "o", color=OKABE_ITO[0], markersize=3 if len(tpr) <= 100 else 0)
        above.set(xlim=joint.get_xlim(), ylabel="probability", ylim=(0, 1.05 * tops[0]), title=name)
        beside.set(ylim=joint.get_ylim(), xlabel="probability", xlim=(0, 1.05 * tops[1]))
        for ax in (above, beside):
            ax.spines[["top", "right"]].set_visible(False)
        above.tick_params(labelbottom=False)
        beside.tick_params(labelleft=False)
    return figure


def pr_pmf(pmf: xr.DataArray, observed: xr.DataArray | None = None, ax: Any = None) -> Any:
    """Draw a future confusion matrix in the precision-recall square; areas are proportional to masses.

    Without positive calls the precision is undefined; the title states the probability of this (Lovell et al., Section
    7 and Eq. 113).

    Parameters
    ----------
    pmf : xarray.DataArray
        From :func:`bayesrank.predictive.confusion_pmf`, with both class sizes known.
    observed : xarray.DataArray, optional
        Counts of one entity, to mark.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> pr_pmf(br.predictive.confusion_pmf(counts), observed=counts).get_ylabel()
    'precision'
    """
    _rates(pmf)
    if observed is not None:
        _rates_of(observed)
    ax = new_axes(ax, 4.8, 4.6)
    tp, fp = xr.broadcast(pmf["tp"], pmf["negatives"].item() - pmf["tn"])
    called = tp + fp
    precision = (tp / called.where(called > 0)).transpose("tp", "tn").values
    recall = (tp / pmf["positives"].item()).transpose("tp", "tn").values
    _draw_points(ax, recall, precision, pmf, pmf.values.max())
    if observed is not None:
        _mark_observed(ax, scores.tpr(observed).item(), scores.ppv(observed).item())
    without = pmf.values[np.isnan(precision)].sum()
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ax.set_title(f"nothing called positive: probability {without:.2g}", fontsize=9)
    return ax


def effect_of_size(counts: xr.DataArray, factors: Sequence[int] = (1, 4, 16), axes: Any = None) -> Any:
    """Draw pmfs of the next test set after increasing amounts of the same evidence (Lovell et al., Figure 5).

    Parameters
    ----------
    counts : xarray.DataArray
        Counts of one entity.
    factors : sequence of int
        Factors by which the counts are multiplied.
    axes : sequence of matplotlib Axes, optional
        Where to draw, one for each factor.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(effect_of_size(counts, factors=(1, 4)).axes)
    2
    """
    times = [check_integer("factors", factor, 1) for factor in check_sequence("factors", factors)]
    if not times:
        raise ValueError("factors must hold one whole number or more; got none")
    confusion_pmf(counts)  # refuses what is no counts of one entity
    pmfs = [confusion_pmf(counts * factor) for factor in times]
    axes = new_panels(axes, 1, len(times), 3.4 * len(times), 3.5)
    for pmf, ax in zip(pmfs, axes, strict=True):
        fpr, tpr = _rates(pmf)
        levels = pmf.values.max() * np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9])
        ax.contour(fpr, tpr, pmf.values, levels=levels, cmap=scale_on(ax, "viridis"), linewidths=1)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        sizes = pmf["positives"].item(), pmf["negatives"].item()
        count_ticks(ax, *sizes)
        ax.set_title(f"N = {sum(sizes)}")
    return axes[0].figure


def pmf_over_contours(
    pmf: xr.DataArray, score: ScoreLike, values: Sequence[float] = (), ridges: bool = False, ax: Any = None
) -> Any:
    """Draw the joint pmf over the contours of a score, in circles or in ridge lines (Lovell et al., Figure F.1).

    Parameters
    ----------
    pmf : xarray.DataArray
        From :func:`bayesrank.predictive.confusion_pmf`, with both class sizes known.
    score : Score, str or callable
        Score whose contours are drawn.
    values : sequence of float
        Contours to draw in black.
    ridges : bool
        Instead of circles, draw one line for each number of true positives, raised by the probability mass.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> pmf_over_contours(br.predictive.confusion_pmf(counts), "f1").get_xlabel()
    'FPR'
    """
    check_bool("ridges", ridges)
    score, (fpr, tpr) = as_score(score), _rates(pmf)
    marked = check_numbers("values", check_sequence("values", values)).ravel().tolist()
    ax = new_axes(ax, 5.4, 4.6)
    prevalence = pmf["positives"].item() / (pmf["positives"].item() + pmf["negatives"].item())
    draw_contours(ax, score, prevalence, None, (0.0, 1.0), bar=True)
    for value in marked:
        curve = contour_curve(score, [value], prevalence).isel(value=0)
        ax.plot(curve["fpr"], curve["tpr"], color=ink_color(), linewidth=1.4)
    if ridges:
        height = 2.5 * np.min(np.diff(tpr)) / pmf.values.max()
        for i in range(len(tpr))[::-1]:
            line = tpr[i] + height * pmf.values[i]
            ax.fill_between(fpr, tpr[i], line, color=paper_color(ax), alpha=0.7, zorder=3 + (len(tpr) - i) / 1000)
            ax.plot(fpr, line, color=grey_shade(ax, 0.75), linewidth=0.8, zorder=3 + (len(tpr) - i + 0.5) / 1000)
    else:
        _draw_points(ax, fpr, tpr, pmf, pmf.values.max())
    ax.set(xlabel="FPR", ylabel="TPR", xlim=(-0.02, 1.02), ylim=(-0.02, 1.12 if ridges else 1.02))
    return ax


def predictive_check(check: xr.Dataset, figure: Any = None) -> Any:
    """Draw each observed statistic as a line over a histogram of its replicates; 1 is the value under chance.

    Parameters
    ----------
    check : xarray.Dataset
        The result of :func:`bayesrank.predictive.predictive_check`.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw.

    Examples
    --------
    >>> import bayesrank as br
    >>> studies = br.from_counts(
    ...     tn=[45, 38, 90], fp=[5, 12, 10], fn=[4, 9, 2], tp=[16, 11, 28], entity=["A"] * 3, dataset=["x", "y", "z"]
    ... )
    >>> check = br.predictive.predictive_check(br.fit(br.pool(studies), seed=1), seed=1)
    >>> len(predictive_check(check).axes)
    2
    """
    check_result("br.predictive.predictive_check", "check", check, ("observed", "replicated", "p_value", "statistic"))
    names = check["statistic"].values.tolist()
    figure = new_figure(figure, 8.6, 3.2)
    axes = figure.subplots(1, len(names), squeeze=False)[0]
    for ax, name in zip(axes, names, strict=True):
        one = check.sel(statistic=name)
        replicated, seen = one["replicated"].values.ravel(), float(one["observed"])
        replicated = replicated[np.isfinite(replicated)]
        # Spreads are compared by their ratios: on this axis twice as much and half as much are equally far.
        positive = replicated[replicated > 0]
        ends = [1.0, *[seen] * (seen > 0), *(np.quantile(positive, [0.001, 0.999]) if positive.size else [])]
        edges = np.geomspace(min(ends) / 1.1, max(ends) * 1.1, 60)
        ax.hist(replicated, edges, histtype="stepfilled", color=OKABE_ITO[4], label="replicated")
        # Lines end below the title.
        ax.axvline(1, ymax=0.94, color=grey_shade(ax, 0.6), linewidth=1, linestyle=":", label="chance alone")
        ax.axvline(seen, ymax=0.94, color=OKABE_ITO[5], linewidth=2, label="observed")
        ax.set_xlim(*edges[[0, -1]])
        log_axis(ax)
        ax.set(xlabel=LABELS.get(name, name), yticks=[])
        p = _text.probability(float(one["p_value"]), replicated.size)
        ax.set_title(f"share as large or larger: {p}", fontsize=10)
        ax.spines[["top", "left", "right"]].set_visible(False)
    axes[0].set_ylabel("replicates")
    figure_legend(axes[-1], "lower", 3)
    return figure


def _rates(pmf: Any, argument: str = "pmf") -> tuple[np.ndarray, np.ndarray]:
    """Return FPR and TPR along the axes of a pmf, after a check."""
    check_array(argument, pmf, ("tp", "tn"), " (br.predictive.confusion_pmf gives one, of both class sizes)")
    if not {"positives", "negatives"} <= set(pmf.coords) or min(pmf["positives"], pmf["negatives"]) < 1:
        raise ValueError(f"{argument} must be of cases of both classes; got {describe_value(pmf)}")
    return 1 - pmf["tn"].values / pmf["negatives"].item(), pmf["tp"].values / pmf["positives"].item()


def _draw_points(ax: Any, x: np.ndarray, y: np.ndarray, pmf: xr.DataArray, largest: float) -> None:
    """Draw the points of the lattice, and circles with areas proportional to the masses that can be seen."""
    if x.ndim == 1:
        x, y = np.meshgrid(x, y)
    if pmf.size <= 20_000:
        ax.plot(x.ravel(), y.ravel(), ".", color=grey_shade(ax, 0.25), markersize=1, zorder=2)
    area = 90 * pmf.values / largest
    seen = (area > 0.01) & ~np.isnan(x + y)
    ax.scatter(x[seen], y[seen], s=area[seen], color=OKABE_ITO[0], edgecolors="none", zorder=3)


def _rates_of(observed: xr.DataArray) -> tuple[float, float]:
    """Return FPR and TPR of the counts of one entity, after a check."""
    with rename_argument("observed", "source"):
        rates = scores.fpr(observed), scores.tpr(observed)
    if rates[0].size != 1:
        raise ValueError(f"observed must be counts of one entity; got {dict(rates[0].sizes)}")
    return rates[0].item(), rates[1].item()


def _mark_observed(ax: Any, x: float, y: float) -> None:
    ax.plot(x, y, "x", color=OKABE_ITO[5], markersize=9, markeredgewidth=2, path_effects=draw_halo(ax), zorder=5)
