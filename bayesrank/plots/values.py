"""Pictures of scores: differences to one entity, the posterior against the prior, and tables of intervals."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_array, describe_value, rename_argument
from bayesrank._core.compat import is_container
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.records import RankingRecord, ResultRecord
from bayesrank._core.types import ScoreLike
from bayesrank.performance.arrays import posterior_of
from bayesrank.plots.kit.colors import (
    OKABE_ITO,
    Colors,
    grey_shade,
    ink_color,
    list_colors,
    paper_color,
)
from bayesrank.plots.kit.style import (
    finish_list,
    first_rows,
    interval_label,
    is_ratio,
    list_size,
    names_ratio,
    new_axes,
    new_panels,
    plain_names,
    rows_of,
)
from bayesrank.ranking import credible_ranking
from bayesrank.ranking.values import score_values
from bayesrank.scores.display import display_name
from bayesrank.scores.draws import differences, histograms
from bayesrank.scores.names import find


@check_call
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
    colors: Colors = None,
) -> Any:
    """Draw the difference of each entity from the best or another entity, with the region of practical equivalence.

    Differences are taken within each draw, so that common effects (the prevalence, paired cases)
    cancel. Ratios, such as odds ratios, are divided by the ratio of the other entity, on a
    logarithmic axis. Filled triangles are intervals beyond the region: pointing upwards above it,
    downwards below it. Hollow marks are undecided.

    Parameters
    ----------
    values : DataArray, Dataset, InferenceData or DataTree
        Draws of a score (chain, draw, entity), or with ``score`` a container of a performance. A
        container may be followed by the score.
    to : hashable
        The entity to compare with; "best" is the first entity of the ranking, unless an entity has
        this name.
    rope : float
        Half-width of the region of practical equivalence, in units of the score; 0 for ratios.
    prob : float
        Probability of the credible intervals (equal tails).
    score : Score, str or callable, optional
        The score of the values, or the score to compute.
    ranking : xarray.Dataset, optional
        The ranking that gives the best entity and the order of the rows. By default the ranking of
        these values if ``to`` is "best" or ``score`` is given; else the rows are in the order of
        the medians.
    ax, top, colors : optional
        As for :func:`forest`.

    Examples
    --------
    >>> score_differences(br.fit(br.datasets.load("breast_cancer"), seed=1), score="f1", rope=0.02).get_xlabel()
    'F1 minus that of logreg (median and 95% interval)'
    """
    if (
        score is None
        and is_container(values)
        and not _is_entity(values, to)
        and isinstance(to, str)
        and find(to)
    ):
        score, to = to, "best"
    labelled = isinstance(values, xr.DataArray | xr.Dataset) and "entity" in values.coords
    best = (
        isinstance(to, str)
        and to == "best"
        and not (labelled and "best" in values["entity"].values.tolist())
    )
    with rename_argument("values", "source"):
        if ranking is None and (score is not None or best):
            ranking = credible_ranking(values, score, prob=prob, rope=rope)
        if score is not None:
            values = score_values(values, score, None, None).values
    _check_draws("values", values)
    names, ratio = values["entity"].values.tolist(), is_ratio(values)
    order = None if ranking is None else [names[i] for i in rows_of(ranking, names)]
    if best and order:
        to = order[0]
    if ratio and rope:
        raise ArgumentError(
            "rope",
            f"must be 0 for {values.name or 'a ratio'}, since a difference of ratios means less at larger values",
            f"{rope!r}",
        )
    differences_of = differences(_logarithms(values) if ratio else values, to, rope, prob=prob)
    if ratio:
        differences_of = differences_of.assign(
            {name: np.exp(differences_of[name]) for name in ("median", "lower", "upper")}
        )
    rows = (
        differences_of["entity"].values.tolist()
        if order is None
        else [name for name in order if name != to]
    )
    rows, left_out = first_rows(rows, top)
    differences_of = select_names(differences_of, entity=rows)
    ax = new_axes(ax, *list_size(len(rows)))
    if rope:
        ax.axvspan(
            -rope, rope, color=grey_shade(ax, 0.12), linewidth=0, label="practically equivalent"
        )
    ax.axvline(1 if ratio else 0, color=grey_shade(ax, 0.6), linewidth=1)
    y, paints = np.arange(len(rows)), list_colors(ax, names, colors, ranking)
    color = np.array([paints[name] for name in rows], dtype=object)
    ax.hlines(
        y, differences_of["lower"], differences_of["upper"], color=color.tolist(), linewidth=2
    )
    for label, mark in (("above", "^"), ("below", "v"), ("undecided", "o")):
        same_verdict = (differences_of["verdict"] == label).values
        if same_verdict.any():
            hollow, edges = label == "undecided", color[same_verdict].tolist()
            fill = paper_color(ax) if hollow else edges
            ax.scatter(
                differences_of["median"][same_verdict],
                y[same_verdict],
                s=24,
                marker=mark,
                c=fill,
                edgecolors=edges,
                zorder=3,
            )
            key = {"facecolor": "none" if hollow else ink_color(), "edgecolor": ink_color()}
            ax.scatter([], [], s=24, marker=mark, label=label, **key)
    ranked = RankingRecord() if ranking is None else RankingRecord.of(ranking)
    name = str(values.name or ranked.score or "score")
    label = f"{display_name(name)} {'divided by' if ratio else 'minus'} that of {plain_names([to], 40)[0]}"
    label = interval_label(label, prob, ratio)
    return finish_list(ax, rows, label + left_out, ratio, columns=4)


def _is_entity(source: Any, name: Any) -> bool:
    """Return whether a container has an entity of that name."""
    return name in posterior_of(source)["entity"].values.tolist()


def _check_draws(argument: str, values: Any) -> None:
    draws = draw_dims(values) if isinstance(values, xr.DataArray) else ()
    check_array(argument, values, (*draws, "entity"))
    if "entity" not in values.coords:
        raise ArgumentError(argument, "must name its entities", describe_value(values))


@check_call
def posterior_against_prior(
    values: xr.DataArray,
    prior: xr.DataArray,
    ax: Any = None,
    *,
    ranking: xr.Dataset | None = None,
    colors: Colors = None,
) -> Any:
    """Draw each entity's posterior of a score over its prior, as densities scaled to the same height.

    For ratios, such as odds ratios, the axis is logarithmic, and the densities are densities of the
    logarithm.

    Parameters
    ----------
    values, prior : xarray.DataArray
        Posterior and prior draws of a score (chain, draw, entity).
    ranking : xarray.Dataset, optional
        The ranking that orders the rows; by default they are in the order of posterior medians,
        highest first.
    ax, colors : optional
        As for :func:`forest`.

    Examples
    --------
    >>> posterior = br.fit(br.datasets.load("breast_cancer"), seed=1, groups=["prior"])
    >>> posterior_against_prior(br.scores.f1(posterior), br.scores.f1(posterior["prior"])).get_xlabel()
    'F1'
    """
    _check_draws("values", values)
    _check_draws("prior", prior)
    ratio = is_ratio(values)
    densities = (
        histograms(_logarithms(values), _logarithms(prior)) if ratio else histograms(values, prior)
    )
    if ranking is not None:
        densities = densities.isel(entity=rows_of(ranking, densities["entity"].values.tolist()))
    names = densities["entity"].values.tolist()
    ax = new_axes(ax, *list_size(len(names)))
    edges = np.append(densities["left"], densities["right"][-1])
    edges = np.exp(edges) if ratio else edges
    paints = list_colors(ax, names, colors, ranking)
    for y, name in enumerate(names):
        for label, color, alpha in (
            ("prior", grey_shade(ax, 0.16), 1.0),
            ("posterior", paints[name], 0.75),
        ):
            density = densities[label].values[y]
            top = y + 0.45 - 0.9 * density / max(density.max(), 1)
            words = None if y else label
            ax.stairs(
                top, edges, baseline=y + 0.45, fill=True, color=color, alpha=alpha, label=words
            )
    label = display_name(str(values.name or "score")) + " (log scale)" * ratio
    finish_list(ax, names, label, ratio, columns=2)
    ax.set_ylim(len(names) - 0.5, -0.6)
    return ax


def _logarithms(values: xr.DataArray) -> xr.DataArray:
    """Return logarithms; NaN for 0 and infinity, which a logarithmic axis cannot show."""
    result = values.where((values > 0) & np.isfinite(values))
    return result.copy(data=np.log(result.values))


@check_call
def intervals(table: xr.Dataset, label: str | None = None, axes: Any = None) -> Any:
    """Draw points and intervals of entities, one panel per score, in the table's order; diamonds are observed values.

    For ratios, such as odds ratios, and other positive numbers of different magnitude, the axis is
    logarithmic, and its label says so.

    Parameters
    ----------
    table : xarray.Dataset
        A table with ``lower``, ``upper`` and ``median`` or ``mean`` (entity, [score]), and
        ``observed`` if known: the result of :func:`bayesrank.score_table`,
        :func:`bayesrank.decisions.expected_utility` or :func:`bayesrank.ops.summarize`.
    label : str, optional
        Label of the axis, for a table without the dim ``score``.
    axes : sequence of matplotlib Axes, optional

    Examples
    --------
    >>> axes = intervals(br.score_table(br.fit(br.datasets.load("breast_cancer"), seed=1), ["tpr", "LR+"]))
    >>> [ax.get_xlabel() for ax in axes]
    ['sensitivity (TPR)', 'positive likelihood ratio']
    """
    points = [
        name for name in ("median", "mean") if isinstance(table, xr.Dataset) and name in table
    ]
    _check_intervals(table, points)
    if "score" not in table["lower"].dims:
        table = table.drop_vars("score", errors="ignore").expand_dims(score=[label or points[0]])
    number, size = table.sizes["score"], table.sizes["entity"]
    across = min(number, 4) if axes is None else number
    down, (width, height) = -(-number // across), list_size(size)
    axes = new_panels(axes, down, across, width if across == 1 else 3 + 2.6 * across, down * height)
    for ax in axes[number:]:
        ax.remove()
    axes = axes[:number]
    y, has_observed = np.arange(size), "observed" in table
    for i, ax in enumerate(axes):
        part, name = table.isel(score=i), str(table["score"].values[i])
        least, most = float(part["lower"].min()), max(float(part["upper"].max()), 0.0)
        ax.hlines(y, part["lower"], part["upper"], color=OKABE_ITO[0], linewidth=2)
        ax.plot(part[points[0]], y, "o", color=OKABE_ITO[0], markersize=4.5)
        if has_observed and bool(part["observed"].notnull().any()):
            ax.plot(part["observed"], y, "D", color=ink_color(), fillstyle="none", markersize=5)
        far = most > max(1, 20.0 * min(least, 1))
        log = bool(least > 0 and (far or names_ratio(name)))
        finish_list(
            ax, table["entity"].values.tolist(), display_name(name) + " (log scale)" * log, log
        )
        if number > 1 and not log:  # ticks of narrow panels would collide
            ax.locator_params(axis="x", nbins=4)
        ax.tick_params(
            axis="y", labelleft=ax.get_subplotspec() is None or ax.get_subplotspec().is_first_col()
        )
    if (record := ResultRecord.of(table)).prob > 0:
        words = f"{points[0]} and {record.percent} interval{', diamonds: observed' * has_observed}"
        axes[0].figure.suptitle(words, fontsize=9)
    return axes


def _check_intervals(table: Any, points: list[str]) -> None:
    """Raise an error unless a table has points and intervals of entities, of one score or several."""
    if not points or not {"lower", "upper"} <= set(table):
        raise ArgumentError(
            "table",
            "must have lower, upper and a median or mean over entity",
            describe_value(table),
        )
    if set(table["lower"].dims) not in ({"entity"}, {"entity", "score"}):
        raise ArgumentError(
            "table", "must have the dims entity and score, or entity", table["lower"].dims
        )
