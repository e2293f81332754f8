"""Plot of a sensitivity: P(best) under each alternative analysis."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_result
from bayesrank.plots._colors import entity_colors
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import list_legend, list_names, new_axes, plain_names, strip
from bayesrank.scores._display import display_name

__all__ = ["sensitivity"]

#: Entities that are drawn: those that may be the best somewhere.
DRAWN = 6
MARKS = "os^vDP"


def sensitivity(result: xr.Dataset, ax: Any = None, *, colors: Mapping[Any, Any] | None = None) -> Any:
    """Draw P(best) of the leading entities under every alternative, with the base analysis on top.

    A hollow mark means that the entity is not in the first tier.

    Parameters
    ----------
    result : xarray.Dataset
        The result of :func:`bayesrank.sensitivity`.
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
        If ``result`` is not a sensitivity.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = sensitivity(br.sensitivity(counts, "f1", seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['base', 'prior jeffreys']
    """
    check_result("br.sensitivity", "result", result, ("survives", "probability_best", "tier", "alternative"))
    best = result["probability_best"].values
    # The entities with high P(best) under any alternative, in the order of the base.
    chosen = np.argsort(-best.max(axis=0), kind="stable")[:DRAWN]
    chosen = chosen[np.argsort(-best[0, chosen], kind="stable")]
    rows = result.sizes["alternative"]
    ax = new_axes(ax, 9.0, 1.6 + (0.3 if rows <= 30 else 0.17) * rows)
    y = np.arange(rows)
    names = plain_names(result["entity"].values[chosen].tolist(), 34)
    paints = list(entity_colors(result["entity"].values.tolist(), colors).values())
    for k, i in enumerate(chosen):
        color = paints[i]
        ax.axvline(best[0, i], color=color, linewidth=0.8, alpha=0.5, zorder=1)
        first = result["tier"].values[:, i] == 1
        label: str | None = names[k]
        for here, fill in ((first, "full"), (~first, "none")):
            if here.any():
                ax.plot(best[here, i], y[here], MARKS[k], color=color, markersize=6, fillstyle=fill, label=label)
                label = None
    list_names(ax, result["alternative"].values.tolist())
    right = min(max(1.15 * float(np.nanmax(best)), 0.1), 1.0)
    ax.set_xlim(-0.02 * right, 1.02 * right)
    others = "score" in result["kind"].values
    by = f"by {display_name(str(result.attrs['score']))}{' or the score of the row' * others}"
    ax.set_xlabel(f"probability of being the best {by}\n(hollow: not in the first tier, pairwise)")
    strip(ax)
    list_legend(ax, 2 if max(map(len, names)) > 18 else 6)
    return add_missing_fonts(ax)
