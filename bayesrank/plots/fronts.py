"""The picture of a Pareto front: score and cost of each entity with intervals, and the front of their medians."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_result
from bayesrank.decisions.fronts import on_front
from bayesrank.plots._colors import entity_colors, grey_shade, ink_color, paper_color
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import new_axes, plain_names

__all__ = ["pareto_front"]

#: With more entities, the legend names only the ones most probably on the front.
NAMED = 12


def pareto_front(front: xr.Dataset, ax: Any = None, *, colors: Mapping[Any, Any] | None = None) -> Any:
    """Draw the score over the cost, with intervals of both, and the front of the medians.

    Filled marks are entities that are on the front with probability 0.5 or more. The legend lists the entities by this
    probability. If there are more than twelve, the others are grey and have no legend entry.

    Parameters
    ----------
    front : xarray.Dataset
        The result of :func:`bayesrank.decisions.pareto_front`.
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
        If ``front`` is not a Pareto front.

    Examples
    --------
    >>> import bayesrank as br
    >>> scores = xr.DataArray([0.8, 0.7, 0.6], {"entity": ["a", "b", "c"]}, ["entity"])
    >>> ax = pareto_front(br.decisions.pareto_front(scores, cost=scores.copy(data=[3.0, 1.0, 2.0])))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['front of the medians', 'a', 'b', 'c']
    """
    check_result("br.decisions.pareto_front", "front", front, ("probability_front", "score", "cost"))
    ax = new_axes(ax, 7.8, 4.8)
    names = front["entity"].values.tolist() if "entity" in front.coords else list(range(front.sizes["entity"]))
    paints = entity_colors(names, colors)
    share, score, cost = (front[name].values for name in ("probability_front", "score", "cost"))
    order = sorted(np.flatnonzero(~np.isnan(share)), key=lambda i: -share[i])
    kept = np.flatnonzero(on_front(score * (1 if front.attrs["higher_is_better"] else -1), cost) & ~np.isnan(share))
    kept = kept[np.argsort(cost[kept], kind="stable")]
    ax.plot(cost[kept], score[kept], drawstyle="steps-post", color=grey_shade(ax, 0.4), linewidth=1.2, zorder=1)
    texts, size = plain_names(names, 34), front.attrs.get("effective_draws", np.inf)
    for place, i in enumerate(order):
        named = place < NAMED or len(order) <= NAMED
        color = paints[names[i]] if named else grey_shade(ax, 0.3)
        bars = [[[mid[i] - front[f"{name}_lower"].values[i]], [front[f"{name}_upper"].values[i] - mid[i]]]
                for name, mid in (("cost", cost), ("score", score))]  # fmt: skip
        chance = f": {_text.probability(float(share[i]), size)}" if size > 1 else ""
        label = f"{texts[i]}{chance}" if named else None
        fill = color if share[i] >= 0.5 else paper_color(ax)
        ax.errorbar(cost[i], score[i], bars[1], bars[0], "o", color=color, markerfacecolor=fill, elinewidth=1,
                    markersize=7, label=label, zorder=3 if named else 2)  # fmt: skip
    ax.plot([], [], color=grey_shade(ax, 0.4), linewidth=1.2, label="front of the medians")
    level = f"median and {100 * front.attrs['prob']:g}% interval"
    ax.set_xlabel(f"mean cost ({level})")
    ax.set_ylabel(f"{front.attrs['display']} ({level})")
    ax.grid(color=grey_shade(ax, 0.1))
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(title="P(on the Pareto front)", title_fontsize=8, frameon=False, fontsize=8, loc="upper left",
              bbox_to_anchor=(1.01, 1.0), borderaxespad=0, labelcolor=ink_color())  # fmt: skip
    return add_missing_fonts(ax)
