"""Pictures of future test sets: of matrices and of scores, after Lovell et al., *Never mind the metrics*."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._colors import ink, paper, shade
from bayesrank.plots._style import OKABE_ITO, new_axes
from bayesrank.plots.roc import _draw_contours, _name
from bayesrank.predictive import confusion_pmf
from bayesrank.predictive.scores import matrix_values
from bayesrank.scores import as_score
from bayesrank.scores.contours import contour_curve

__all__ = ["effect_of_size", "matrix_pmf", "pmf_over_contours", "score_pmf", "score_pmf_by_tpr"]


def matrix_pmf(pmf: xr.DataArray, figure: Any = None) -> Any:
    """A future confusion matrix: the joint pmf in the ROC square and its margins (Lovell et al., Figures 3 and E.1).

    Parameters
    ----------
    pmf : xarray.DataArray
        From :func:`bayesrank.predictive.confusion_pmf`, with both class sizes known. Areas are proportional to masses.
    figure : matplotlib Figure or SubFigure, optional

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(matrix_pmf(br.predictive.confusion_pmf(counts)).axes)
    4
    """
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(6.4, 5.2), layout="constrained")
    grid = figure.subplots(2, 2, width_ratios=(3, 1), height_ratios=(1, 2.2), squeeze=True)
    above, joint, beside = grid[0, 0], grid[1, 0], grid[1, 1]
    grid[0, 1].set_axis_off()
    fpr, tpr = _rates(pmf)
    _draw_points(joint, pmf)
    joint.set(xlabel="FPR", ylabel="TPR", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    above.vlines(fpr, 0, pmf.sum("tp"), color=OKABE_ITO[0], linewidth=1)
    above.plot(fpr, pmf.sum("tp"), "o", color=OKABE_ITO[0], markersize=3 if len(fpr) <= 100 else 0)
    beside.hlines(tpr, 0, pmf.sum("tn"), color=OKABE_ITO[0], linewidth=1)
    beside.plot(pmf.sum("tn"), tpr, "o", color=OKABE_ITO[0], markersize=3 if len(tpr) <= 100 else 0)
    above.set(xlim=joint.get_xlim(), ylabel="probability", ylim=(0, None))
    beside.set(ylim=joint.get_ylim(), xlabel="probability", xlim=(0, None))
    for ax in (above, beside):
        ax.spines[["top", "right"]].set_visible(False)
    above.tick_params(labelbottom=False)
    beside.tick_params(labelleft=False)
    return figure


def score_pmf(pmfs: Mapping[str, xr.Dataset] | xr.Dataset, observed: float | None = None, ax: Any = None) -> Any:
    """The values of a future score and their probabilities, and how many matrices share each (Lovell et al., Figure 4).

    Parameters
    ----------
    pmfs : Dataset, or mapping from names to Datasets
        From :func:`bayesrank.predictive.score_pmf`, of one or more models.
    observed : float, optional
        A value to mark.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        With a second one for the numbers of matrices.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> score_pmf({"beta-binomial": f1}).get_legend_handles_labels()[1][0]
    'beta-binomial'
    """
    ax = new_axes(ax, 6.0, 3.6)
    named = {"": pmfs} if isinstance(pmfs, xr.Dataset) else dict(pmfs)
    first = next(iter(named.values())).dropna("value")
    count = ax.twinx()
    count.plot(
        first["value"], first["multiplicity"], ".", color=OKABE_ITO[2], markersize=3, alpha=0.5, label="matrices"
    )
    count.set_ylim(0, 2.2 * float(first["multiplicity"].max()))
    count.set_ylabel("matrices with this value", color=OKABE_ITO[2])
    for (name, pmf), colour in zip(named.items(), (OKABE_ITO[5], OKABE_ITO[0], *OKABE_ITO[1:5]), strict=False):
        ax.plot(pmf["value"], pmf["probability"], ".", color=colour, markersize=4, label=name or None)
    if observed is not None:
        ax.axvline(observed, color=shade(ax, 0.7), linewidth=1, linestyle="--")
    label = first["value"].attrs.get("long_name", "value")
    ax.set(xlabel=label, ylabel="probability", ylim=(0, None))
    ax.set_zorder(count.get_zorder() + 1)
    ax.patch.set_visible(False)
    if "" not in named:
        ax.legend(frameon=False, loc="upper left")
    return ax


def score_pmf_by_tpr(pmf: xr.DataArray, score: Any, ax: Any = None) -> Any:
    """Masses of the matrices against their score, joined where they share the TP (Lovell et al., Figure F.2).

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(score_pmf_by_tpr(br.predictive.confusion_pmf(counts), "f1").lines)
    7
    """
    ax = new_axes(ax, 6.0, 3.6)
    value = matrix_values(pmf, score).values
    from matplotlib import colormaps

    for i in range(len(value)):
        colour = colormaps["viridis"](i / max(len(value) - 1, 1))
        ax.plot(value[i], pmf.values[i], ".-", color=colour, linewidth=0.7, markersize=3)
    ax.set(xlabel=_name(score), ylabel="probability of the matrix", ylim=(0, None))
    return ax


def effect_of_size(counts: xr.DataArray, factors: Sequence[int] = (1, 4, 16), axes: Any = None) -> Any:
    """Pmfs of the next test set after ever more of the same evidence (Lovell et al., Figure 5).

    Parameters
    ----------
    counts : xarray.DataArray
        Of one entity.
    factors : sequence of int
        The counts are multiplied by each.
    axes : sequence of matplotlib Axes, optional
        One a factor.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(effect_of_size(counts, factors=(1, 4)).axes)
    2
    """
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(1, len(factors), figsize=(3.4 * len(factors), 3.5), layout="constrained", squeeze=False)[1][
            0
        ]
    for factor, ax in zip(factors, axes, strict=True):
        pmf = confusion_pmf(counts * factor)
        fpr, tpr = _rates(pmf)
        levels = pmf.values.max() * np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9])
        ax.contour(fpr, tpr, pmf.values, levels=levels, cmap="viridis", linewidths=1)
        ax.set(xlabel="false positives", ylabel="true positives", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        sizes = pmf["positives"].item(), pmf["negatives"].item()
        for axis, cases in ((ax.xaxis, sizes[1]), (ax.yaxis, sizes[0])):
            ticks = np.unique(np.linspace(0, cases, 5).round())  # counts are whole
            axis.set_ticks(ticks / max(cases, 1), [f"{t:g}" for t in ticks])
        ax.set_title(f"N = {sum(sizes)}")
    return axes[0].figure


def pmf_over_contours(
    pmf: xr.DataArray, score: Any, values: Sequence[float] = (), ridges: bool = False, ax: Any = None
) -> Any:
    """The joint pmf over the contours of a score, in circles or in ridge lines (Lovell et al., Figure F.1).

    Parameters
    ----------
    pmf : xarray.DataArray
        From :func:`bayesrank.predictive.confusion_pmf`, with both class sizes known.
    score : Score, str or callable
        Whose contours to draw.
    values : sequence of float
        Contours to draw in black.
    ridges : bool
        One line for each number of true positives, raised by the mass, instead of circles.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> pmf_over_contours(br.predictive.confusion_pmf(counts), "f1").get_xlabel()
    'FPR'
    """
    ax = new_axes(ax, 5.4, 4.6)
    score, (fpr, tpr) = as_score(score), _rates(pmf)
    prevalence = pmf["positives"].item() / (pmf["positives"].item() + pmf["negatives"].item())
    _draw_contours(ax, score, prevalence, None, (0.0, 1.0), bar=True)
    for value in values:
        curve = contour_curve(score, [float(value)], prevalence).isel(value=0)
        ax.plot(curve["fpr"], curve["tpr"], color=ink(), linewidth=1.4)
    if ridges:
        height = 2.5 * np.min(np.diff(tpr)) / pmf.values.max()
        for i in range(len(tpr))[::-1]:
            line = tpr[i] + height * pmf.values[i]
            ax.fill_between(fpr, tpr[i], line, color=paper(ax), alpha=0.7, zorder=3 + (len(tpr) - i) / 1000)
            ax.plot(fpr, line, color=shade(ax, 0.75), linewidth=0.8, zorder=3 + (len(tpr) - i + 0.5) / 1000)
    else:
        _draw_points(ax, pmf)
    ax.set(xlabel="FPR", ylabel="TPR", xlim=(-0.02, 1.02), ylim=(-0.02, 1.12 if ridges else 1.02))
    return ax


def _rates(pmf: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    if pmf.dims != ("tp", "tn") or min(pmf["positives"].item(), pmf["negatives"].item()) < 1:
        raise ValueError(f"pmf must have the dims tp and tn, and cases of both classes; got {pmf.dims}")
    return 1 - pmf["tn"].values / pmf["negatives"].item(), pmf["tp"].values / pmf["positives"].item()


def _draw_points(ax: Any, pmf: xr.DataArray) -> None:
    """All points of the lattice, faintly, and circles with areas proportional to the masses."""
    x, y = np.meshgrid(*_rates(pmf))
    if pmf.size <= 20_000:
        ax.plot(x.ravel(), y.ravel(), ".", color=shade(ax, 0.25), markersize=1, zorder=2)
    mass = pmf.values.ravel()
    area = 90 * mass / mass.max()
    seen = area > 0.01
    ax.scatter(x.ravel()[seen], y.ravel()[seen], s=area[seen], color=OKABE_ITO[0], edgecolors="none", zorder=3)
