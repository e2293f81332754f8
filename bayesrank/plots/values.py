"""Pictures of a score's draws: differences to one entity, and the posterior against the prior."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import credibility, number
from bayesrank._draws import draw_dims
from bayesrank.plots._style import OKABE_ITO, list_legend, list_names, list_size, new_axes, plain_names, strip

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
    names = values["entity"].values.tolist()
    if to not in names:
        raise KeyError(f"to must be one of the entities {names[:5]}...; got {to!r}")
    if len(names) < 2:
        raise ValueError(f"values must hold another entity to compare with {to!r}; got no other")
    rope, tail = number("rope", rope, 0.0, finite=True), (1 - credibility("prob", prob)) / 2
    others = values.sel(entity=[name for name in names if name != to]) - values.sel(entity=to, drop=True)
    low, middle, high = others.quantile([tail, 0.5, 1 - tail], draw_dims(others), skipna=True).values
    order = np.argsort(-middle)
    low, middle, high = low[order], middle[order], high[order]
    ax = new_axes(ax, *list_size(len(order)))
    if rope:
        ax.axvspan(-rope, rope, color="0.9", label="practically equivalent")
    ax.axvline(0, color="0.4", linewidth=1)
    y = np.arange(len(order))
    kinds = (("above", low > rope, 0), ("below", high < -rope, 5), ("undecided", (low <= rope) & (high >= -rope), 7))
    for label, here, color in kinds:
        if here.any():
            ax.hlines(y[here], low[here], high[here], color=OKABE_ITO[color], linewidth=2)
            ax.plot(middle[here], y[here], "o", color=OKABE_ITO[color], markersize=4.5, label=label)
    list_names(ax, others["entity"].values[order].tolist())
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
    median = values.median(draw_dims(values)).values
    order = np.argsort(-median)
    names = values["entity"].values[order].tolist()
    ax = new_axes(ax, *list_size(len(names)))
    both = [np.asarray(x.transpose("entity", ...).values).reshape(len(names), -1) for x in (values, prior)]
    # Beyond the extreme tails of either there is nothing to see.
    low, high = np.nanquantile(np.concatenate([x.ravel() for x in both]), [0.001, 0.999])
    middle, reach = (low + high) / 2, max((high - low) / 2, 1e-3)  # equal draws, too, have a width
    edges = np.linspace(middle - reach, middle + reach, 81)
    for y, i in enumerate(order):
        for draws, color, alpha, label in (
            (both[1][i], "0.75", 1.0, "prior"),
            (both[0][i], OKABE_ITO[0], 0.75, "posterior"),
        ):
            density = np.histogram(draws, edges)[0]
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
