"""Plots of posterior predictive checks: observed and replicated statistics."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_result
from bayesrank.plots._colors import grey_shade, ink_color
from bayesrank.plots._style import OKABE_ITO, log_axis, new_figure

__all__ = ["predictive_check"]

LABELS = {
    "difficulty": "difficulty: spread of data-set means",
    "overdispersion": "overdispersion: spread of each entity's answers",
}


def predictive_check(check: xr.Dataset, figure: Any = None) -> Any:
    """Draw each observed statistic as a line over a histogram of its replicates; 1 is the value under chance.

    Parameters
    ----------
    check : xarray.Dataset
        The result of :func:`bayesrank.predictive.predictive_check`.
    figure : matplotlib Figure or SubFigure, optional

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    ValueError
        If ``check`` is not such a check.

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
        ends = [*np.quantile(positive, [0.001, 0.999])] if positive.size else []
        ends += [1.0, seen] if seen > 0 else [1.0]
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
    handles, labels = axes[-1].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9, labelcolor=ink_color()
    )
    return figure
