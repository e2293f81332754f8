"""Plots of a table of intervals: one panel per score."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import describe_value
from bayesrank.plots._colors import ink_color
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import OKABE_ITO, list_names, list_size, log_axis, names_ratio, new_panels, strip
from bayesrank.scores._display import display_name

__all__ = ["intervals"]

#: Panels beside each other.
ACROSS = 4
#: Ratio of interval ends from which the axis is logarithmic.
FAR = 20.0


def intervals(table: xr.Dataset, label: str | None = None, axes: Any = None) -> Any:
    """Draw points and intervals of entities, one panel per score, in the table's order; diamonds are observed values.

    For ratios, such as odds ratios, and other positive numbers of different magnitude, the axis is logarithmic, and its
    label says so.

    Parameters
    ----------
    table : xarray.Dataset
        A table with ``lower``, ``upper`` and ``median`` or ``mean`` (entity, [score]), and ``observed`` if known: the
        result of :func:`bayesrank.score_table`, :func:`bayesrank.decisions.expected_utility` or
        :func:`bayesrank.ops.summarize`.
    label : str, optional
        Label of the axis, for a table without the dim ``score``.
    axes : array of matplotlib.axes.Axes, optional
        Where to draw, one for each score.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If ``table`` is not such a table, or has other dims.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> axes = intervals(br.score_table(br.fit(counts, seed=1), ["tpr", "LR+"]))
    >>> [ax.get_xlabel() for ax in axes]
    ['sensitivity (TPR)', 'positive likelihood ratio (log scale)']
    """
    points = [name for name in ("median", "mean") if isinstance(table, xr.Dataset) and name in table]
    if not points or not {"lower", "upper"} <= set(table):
        raise ValueError(f"table must have lower, upper and a median or mean over entity; got {describe_value(table)}")
    if set(table["lower"].dims) not in ({"entity"}, {"entity", "score"}):
        raise ValueError(f"table must have the dims entity and score, or entity; got {table['lower'].dims}")
    several = "score" in table["lower"].dims
    parts = [table.isel(score=i) for i in range(table.sizes["score"])] if several else [table]
    size = table.sizes["entity"]
    axes = _panels(len(parts), size) if axes is None else new_panels(axes, 1, len(parts), 0, 0)
    y = np.arange(size)
    for ax, part in zip(axes, parts, strict=True):
        name = str(part["score"].item()) if several else label or points[0]
        low, high = part["lower"].values, part["upper"].values
        least, most = np.nanmin(low, initial=np.inf), np.nanmax(high, initial=0)
        far = bool(most > 1 and most > FAR * min(least, 1))
        ax.hlines(y, low, high, color=OKABE_ITO[0], linewidth=2)
        ax.plot(part[points[0]], y, "o", color=OKABE_ITO[0], markersize=4.5, label=points[0])
        if "observed" in part and bool(part["observed"].notnull().any()):
            ax.plot(part["observed"], y, "D", color=ink_color(), fillstyle="none", markersize=5, linestyle="none")
        if least > 0 and (far or names_ratio(name)):
            log_axis(ax)
        list_names(ax, table["entity"].values.tolist())
        strip(ax)
        ax.set_xlabel(display_name(name) + (" (log scale)" if ax.get_xscale() == "log" else ""))
        ax.tick_params(axis="y", labelleft=ax.get_subplotspec() is None or ax.get_subplotspec().is_first_col())
    if "prob" in table.attrs:
        axes[0].figure.suptitle(
            f"{points[0]} and {100 * table.attrs['prob']:g}% interval, diamonds: observed"
            if "observed" in table
            else f"{points[0]} and {100 * table.attrs['prob']:g}% interval",
            fontsize=9,
        )
    add_missing_fonts(axes[0])
    return axes


def _panels(number: int, size: int) -> np.ndarray:
    """Return axes, one for each score, for lists of ``size`` entities."""
    import matplotlib.pyplot as plt

    across = min(number, ACROSS)
    down = -(-number // across)
    width, height = list_size(size)
    figure, axes = plt.subplots(
        down,
        across,
        figsize=(width if across == 1 else 3 + 2.6 * across, down * height),
        layout="constrained",
        squeeze=False,
    )
    for ax in axes.ravel()[number:]:
        figure.delaxes(ax)
    return axes.ravel()[:number]
