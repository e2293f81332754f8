"""Plots of the draws of a score: differences to one entity, and the posterior against the prior."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_array, check_integer, describe_value, rename_argument
from bayesrank._draws import draw_dims
from bayesrank._types import ScoreLike
from bayesrank.plots._colors import grey_shade, ink_color, list_colors, paper_color
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import (
    is_ratio,
    list_legend,
    list_names,
    list_size,
    log_axis,
    new_axes,
    plain_names,
    rows_of,
    strip,
)
from bayesrank.ranking import credible_ranking
from bayesrank.ranking.values import score_values
from bayesrank.scores._display import display_name
from bayesrank.scores.draws import differences, histograms

__all__ = ["score_differences", "posterior_against_prior"]


def score_differences(
    values: Any,
    to: Any = "best",
    rope: float = 0.0,
    ax: Any = None,
    *,
    prob: float = 0.95,
    score: ScoreLike | None = None,
    ranking: xr.Dataset | None = None,
    top: int | None = None,
    colors: Mapping[Any, Any] | None = None,
) -> Any:
    """Draw the difference of each entity from the best or another entity, with the region of practical equivalence.

    Differences are taken within each draw, so that common effects (the prevalence, paired cases) cancel. Ratios, such
    as odds ratios, are divided by the ratio of the other entity, on a logarithmic axis. Filled triangles are intervals
    beyond the region: pointing upwards above it, downwards below it. Hollow marks are undecided.

    Parameters
    ----------
    values : DataArray, Dataset, InferenceData or DataTree
        Draws of a score (chain, draw, entity), or with ``score`` a container of a performance.
    to : hashable
        The entity to compare with; "best" is the first entity of the ranking, unless an entity has this name.
    rope : float
        Half-width of the region of practical equivalence, in units of the score; 0 for ratios.
    prob : float
        Credible probability of the intervals (equal tails).
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    score : Score, str or callable, optional
        The score of the values, or the score to compute.
    ranking : xarray.Dataset, optional
        The ranking that gives the best entity and the order of the rows. By default the ranking of these values if
        ``to`` is "best" or ``score`` is given; else the rows are in the order of the medians.
    top : int, optional
        Number of entities to draw, from the first; all by default.
    colors : mapping, optional
        As for :func:`bayesrank.plots.forest`.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    KeyError
        If the entity is unknown.
    ValueError
        If there is only one entity, or ``rope`` is given for a ratio.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = score_differences(br.fit(counts, seed=1), score="f1", rope=0.02)
    >>> ax.get_xlabel()
    'F1 minus that of b (median and 95% interval)'
    >>> score_differences(br.fit(counts, seed=1), score="lr+").get_xlabel()
    'positive likelihood ratio divided by that of b\\n(median and 95% interval, log scale)'
    """
    best = isinstance(to, str) and to == "best"
    with rename_argument("values", "source"):
        if ranking is None and (score is not None or (best and "best" not in _names(values))):
            ranking = credible_ranking(values, score, prob=prob, rope=rope)
        if score is not None:
            values = score_values(values, score, None, None).values
    _check_draws("values", values)
    names = values["entity"].values.tolist()
    order = None if ranking is None else [names[i] for i in rows_of(ranking, names)]
    if best and "best" not in names and order:
        to = order[0]
    ratio = is_ratio(values.attrs)
    if ratio and rope:
        raise ValueError(
            f"rope must be 0 for {values.name or 'a ratio'}, since a difference of ratios means less at larger values; "
            f"got {rope!r}"
        )
    found = differences(_logarithms(values) if ratio else values, to, rope, prob=prob)
    if ratio:
        found = found.assign({name: np.exp(found[name]) for name in ("median", "lower", "upper")})
    rows = found["entity"].values.tolist() if order is None else [name for name in order if name != to]
    rest = len(rows)
    rows = rows if top is None else rows[: check_integer("top", top, 1)]
    rest -= len(rows)
    found = found.isel(entity=[found["entity"].values.tolist().index(name) for name in rows])
    size = len(rows)
    ax = new_axes(ax, *list_size(size))
    if rope:
        ax.axvspan(-rope, rope, color=grey_shade(ax, 0.12), linewidth=0, label="practically equivalent")
    ax.axvline(1 if ratio else 0, color=grey_shade(ax, 0.6), linewidth=1)
    y = np.arange(size)
    paints = list_colors(ax, names, colors)
    color = np.array([paints[name] for name in rows], dtype=object)
    ax.hlines(y, found["lower"], found["upper"], color=color.tolist(), linewidth=2)
    for label, mark in (("above", "^"), ("below", "v"), ("undecided", "o")):
        here = (found["verdict"] == label).values
        if here.any():
            fill = paper_color(ax) if label == "undecided" else color[here].tolist()
            ax.scatter(
                found["median"][here], y[here], s=24, marker=mark, c=fill, edgecolors=color[here].tolist(), zorder=3
            )
            key = {"facecolor": "none" if label == "undecided" else ink_color(), "edgecolor": ink_color()}
            ax.scatter([], [], s=24, marker=mark, label=label, **key)
    list_names(ax, rows)
    name = str((ranking.attrs["score"] if values.name is None and ranking is not None else values.name) or "score")
    left_out = f"\n{rest} more are not shown" if rest else ""
    words = f"{display_name(name)} {'divided by' if ratio else 'minus'} that of {plain_names([to], 46)[0]}"
    gap = " " if len(words) < 40 else "\n"
    ax.set_xlabel(f"{words}{gap}(median and {100 * prob:g}% interval{', log scale' * ratio}){left_out}")
    if ratio:
        log_axis(ax)
    strip(ax)
    list_legend(ax, 4)
    return add_missing_fonts(ax)


def _check_draws(argument: str, values: Any) -> None:
    """Raise unless these are draws of a score."""
    draws = draw_dims(values) if isinstance(values, xr.DataArray) else ()
    check_array(argument, values, (*draws, "entity"))
    if "entity" not in values.coords:
        raise ValueError(f"{argument} must name its entities; got {describe_value(values)}")


def _names(values: Any) -> list[Any]:
    """Return the names of entities; empty if the source has none."""
    return (
        values["entity"].values.tolist()
        if isinstance(values, xr.DataArray | xr.Dataset) and "entity" in values.coords
        else []
    )


def posterior_against_prior(
    values: xr.DataArray,
    prior: xr.DataArray,
    ax: Any = None,
    *,
    ranking: xr.Dataset | None = None,
    colors: Mapping[Any, Any] | None = None,
) -> Any:
    """Draw each entity's posterior of a score over its prior, as densities scaled to the same height.

    For ratios, such as odds ratios, the axis is logarithmic, and the densities are densities of the logarithm.

    Parameters
    ----------
    values, prior : xarray.DataArray
        Posterior and prior draws of a score (chain, draw, entity).
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    ranking : xarray.Dataset, optional
        The ranking that orders the rows; by default they are in the order of posterior medians, highest first.
    colors : mapping, optional
        As for :func:`bayesrank.plots.forest`.

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
    'F1'
    """
    _check_draws("values", values)
    _check_draws("prior", prior)
    ratio = is_ratio(values.attrs)
    found = histograms(_logarithms(values), _logarithms(prior)) if ratio else histograms(values, prior)
    names = found["entity"].values.tolist()
    if ranking is not None:
        found = found.isel(entity=rows_of(ranking, names))
        names = found["entity"].values.tolist()
    ax = new_axes(ax, *list_size(len(names)))
    edges = np.append(found["left"], found["right"][-1])
    edges = np.exp(edges) if ratio else edges
    paints = list_colors(ax, values["entity"].values.tolist(), colors)
    for y, name in enumerate(names):
        for label, color, alpha in (("prior", grey_shade(ax, 0.25), 1.0), ("posterior", paints[name], 0.75)):
            density = found[label].values[y]
            ax.stairs(
                y + 0.45 - 0.9 * density / max(density.max(), 1), edges, baseline=y + 0.45, fill=True, color=color,
                alpha=alpha, label=None if y else label,
            )  # fmt: skip
    list_names(ax, names)
    ax.set_ylim(len(names) - 0.5, -0.6)
    if ratio:
        log_axis(ax)
    ax.set_xlabel(display_name(str(values.name or "score")) + " (log scale)" * ratio)
    strip(ax)
    list_legend(ax, 2)
    return add_missing_fonts(ax)


def _logarithms(values: xr.DataArray) -> xr.DataArray:
    """Return logarithms; NaN for 0 and infinity, which a logarithmic axis cannot show."""
    found = values.where((values > 0) & np.isfinite(values))
    return found.copy(data=np.log(found.values))
