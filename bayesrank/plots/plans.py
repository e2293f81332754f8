"""Plans: how probably more cases meet a target."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_result
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import list_legend, new_axes, strip

__all__ = ["plan"]


def plan(result: xr.Dataset, ax: Any = None) -> Any:
    """Draw the probability that more cases meet the target, with its Monte-Carlo error, the assurance and the limit.

    Parameters
    ----------
    result : xarray.Dataset
        The result of :func:`bayesrank.plan`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If ``result`` is not a plan.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[80, 84], fp=[20, 16], fn=[15, 14], tp=[35, 36], entity=["a", "b"])
    >>> ax = plan(br.plan(br.fit(counts, seed=1), "mcc", seed=1))
    >>> ax.get_xlabel()
    'more cases'
    """
    check_result("br.plan", "result", result, ("success", "success_error", "needed", "limit"))
    ax = new_axes(ax, 6.4, 4.0)
    sizes, success, error = (result[name].values for name in ("n", "success", "success_error"))
    [line] = ax.plot(sizes, success, "o-", markersize=4, label="target met")
    color = line.get_color()
    low, high = np.clip(success - 2 * error, 0, 1), np.clip(success + 2 * error, 0, 1)
    ax.fill_between(sizes, low, high, color=color, alpha=0.2, linewidth=0, label="± 2 Monte-Carlo errors")
    wanted = f"assurance {result.attrs['assurance']:g}"
    ax.axhline(result.attrs["assurance"], linestyle="--", linewidth=1, color="0.5", label=wanted)
    limit = float(result["limit"])
    ax.axhline(limit, linestyle=":", linewidth=1.2, color=color, label=f"limit {limit:.2f}")
    needed = float(result["needed"])
    if needed > 0:
        ax.axvline(needed, linewidth=1, color=color, alpha=0.6)
    ax.set_xscale("log")
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(f"more {result.attrs['unit']}")
    ax.set_ylabel("probability")
    strip(ax)
    list_legend(ax, 2)
    return add_missing_fonts(ax)
