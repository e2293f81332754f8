"""Decision curves: net benefit over threshold probabilities."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_result
from bayesrank.plots._colors import DASHES, entity_colors, frequent_winners, grey_shade, ink_color
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import new_axes, plain_names

__all__ = ["decision_curve"]

#: Of more models than these, only those that are best somewhere have a name and a colour.
NAMED = 12


def decision_curve(curve: xr.Dataset, ax: Any = None, *, colors: Mapping[Any, Any] | None = None) -> Any:
    """Draw the net benefit over the threshold, with intervals, for entities, treating all and treating none.

    Curves far below treating none are cut off. If there are more than twelve models, at most eight are named: models
    with the highest mean at some threshold. The others are grey lines.

    Parameters
    ----------
    curve : xarray.Dataset
        The result of :func:`bayesrank.decisions.decision_curve`, with at least two thresholds.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    colors : mapping, optional
        Colours by entity; the other entities are grey. By default the colour depends on the place among all entities.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If ``curve`` is not a decision curve, or has only one threshold.

    Examples
    --------
    >>> import bayesrank as br
    >>> risk = {"marker": [0.1, 0.3, 0.6, 0.4, 0.9]}
    >>> ax = decision_curve(br.decisions.decision_curve([0, 0, 0, 1, 1], risk, [0.2, 0.5], seed=1))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['marker', 'treat all', 'treat none']
    """
    check_result("br.decisions.decision_curve", "curve", curve, ("mean", "lower", "upper", "strategy", "threshold"))
    if curve.sizes.get("threshold", 1) < 2:
        raise ValueError(f"curve must be of two thresholds or more; got {curve['threshold'].size}")
    curve = curve.sortby("threshold")
    t = curve["threshold"].values
    ax = new_axes(ax, 8.0, 4.8)
    always = curve["strategy"].values
    names = plain_names(curve["entity"].values.tolist(), 46)
    several = int((~always).sum())
    paints = list(entity_colors(curve["entity"].values[~always].tolist(), colors).values())
    shown = list(range(several)) if several <= NAMED else frequent_winners(curve["mean"].values[~always])
    rest = sorted(set(range(several)) - set(shown))
    models = np.flatnonzero(~always)
    for place in shown:
        band = (curve["lower"][models[place]], curve["upper"][models[place]])
        ax.fill_between(t, *band, color=paints[place], alpha=min(0.15, 0.5 / len(shown)), linewidth=0)
    for place in rest:
        ax.plot(t, curve["mean"][models[place]], color=grey_shade(ax, 0.3), linewidth=0.7, zorder=1.5)
    for place in shown:
        i, dash = models[place], DASHES[place % len(DASHES)]
        ax.plot(t, curve["mean"][i], color=paints[place], linestyle=dash, linewidth=1.8, label=names[i])
    if rest:
        ax.plot([], [], color=grey_shade(ax, 0.3), linewidth=0.7, label=f"{len(rest)} more")
    for i, width in zip(np.flatnonzero(always), (1.0, 2.0), strict=True):
        ax.plot(t, curve["mean"][i], color=ink_color(), linewidth=width, linestyle="-", label=names[i])
    top = float(curve["upper"].max())
    ax.set_ylim(max(float(curve["lower"].min()), -0.25 * top) - 0.03 * top, 1.06 * top)
    ax.set_xlim(t[0], t[-1])
    ax.set_xlabel("threshold probability")
    ax.set_ylabel(f"net benefit (mean and {100 * curve.attrs['prob']:g}% interval)")
    ax.grid(color=grey_shade(ax, 0.1))
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return add_missing_fonts(ax)
