"""Pictures of a score's draws: differences to one entity, and the posterior against the prior."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._style import OKABE_ITO, list_legend, list_names, list_size, new_axes, plain_names, strip
from bayesrank.scores.draws import differences, histograms

__all__ = ["difference", "posterior_against_prior"]


def difference(values: xr.DataArray, to: Any, rope: float = 0.0, prob: float = 0.95, ax: Any = None) -> Any:
    """Every entity's difference to one of them, with the region of practical equivalence.

    Parameters
    ----------
    values : xarray.DataArray
        Draws of a score (chain, draw, entity).
    to : hashable
        The entity to compare with.
    rope : float
        Half-width of the region of practical equivalence, in units of the score.
    prob : float
        Credible probability of the intervals (equal tails).
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    KeyError
        If there is no such entity.
    ValueError
        If there is no other.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = difference(br.scores.f1(br.fit(counts, seed=1)), to="a", rope=0.02)
    >>> ax.get_xlabel()
    'f1 minus that of a (median and 95% interval)'
    """
    found = differences(values, to, rope, prob)
    size = found.sizes["entity"]
    ax = new_axes(ax, *list_size(size))
    if rope:
        ax.axvspan(-rope, rope, color="0.9", label="practically equivalent")
    ax.axvline(0, color="0.4", linewidth=1)
    y = np.arange(size)
    for label, color in (("above", OKABE_ITO[0]), ("below", OKABE_ITO[5]), ("undecided", OKABE_ITO[7])):
        here = (found["verdict"] == label).values
        if here.any():
            ax.hlines(y[here], found["lower"][here], found["upper"][here], color=color, linewidth=2)
            ax.plot(found["median"][here], y[here], "o", color=color, markersize=4.5, label=label)
    list_names(ax, found["entity"].values.tolist())
    name = str(values.name or "score").replace("_", " ")
    ax.set_xlabel(f"{name} minus that of {plain_names([to], 46)[0]} (median and {100 * prob:g}% interval)")
    strip(ax)
    list_legend(ax, 4)
    return ax


def posterior_against_prior(values: xr.DataArray, prior: xr.DataArray, ax: Any = None) -> Any:
    """Each entity's posterior of a score over its prior, as densities scaled to one height.

    Parameters
    ----------
    values, prior : xarray.DataArray
        Posterior and prior draws of a score (chain, draw, entity).
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> posterior = br.fit(counts, seed=1, groups=["prior"])
    >>> ax = posterior_against_prior(br.scores.f1(posterior), br.scores.f1(posterior["prior"]))
    >>> ax.get_xlabel()
    'f1'
    """
    found = histograms(values, prior)
    names = found["entity"].values.tolist()
    ax = new_axes(ax, *list_size(len(names)))
    edges = np.append(found["left"], found["right"][-1])
    for y in range(len(names)):
        for label, color, alpha in (("prior", "0.75", 1.0), ("posterior", OKABE_ITO[0], 0.75)):
            density = found[label].values[y]
            ax.stairs(
                y + 0.45 - 0.9 * density / max(density.max(), 1), edges, baseline=y + 0.45, fill=True, color=color,
                alpha=alpha, label=None if y else label,
            )  # fmt: skip
    list_names(ax, names)
    ax.set_ylim(len(names) - 0.5, -0.6)
    ax.set_xlabel(str(values.name or "score").replace("_", " "))
    strip(ax)
    list_legend(ax, 2)
    return ax
