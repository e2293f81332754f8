"""Pictures of decisions: decision curves, Pareto fronts, plans of more cases, and sensitivities."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import PlanRecord, ResultRecord
from bayesrank.decisions.fronts import on_front
from bayesrank.plots.kit.colors import (
    MARKS,
    OKABE_ITO,
    Colors,
    entity_colors,
    frequent_winners,
    grey_shade,
    ink_color,
    paper_color,
)
from bayesrank.plots.kit.style import (
    draw_curves,
    finish_list,
    finish_plot,
    first_rows,
    label_curves,
    list_size,
    log_axis,
    new_axes,
    plain_names,
    side_legend,
)
from bayesrank.scores.display import display_name

#: Of persons that are found, missed and alarmed falsely: seen on white and on black, and without
#: colour vision.
OUTCOME_COLORS = (OKABE_ITO[2], OKABE_ITO[5], OKABE_ITO[4])
#: With more entities, only entities that are best somewhere have a name and a colour.
NAMED = 12


@check_call
def decision_curve(curve: xr.Dataset, ax: Any = None, *, colors: Colors = None) -> Any:
    """Draw the net benefit over the threshold probability.

    Curves far below treating none are cut off. Of more than four models, the four with the highest
    mean at the most thresholds have intervals. If there are more than twelve models, at most eight
    are named: models with the highest mean at some threshold. The others are grey lines.

    Parameters
    ----------
    curve : xarray.Dataset
        The result of :func:`bayesrank.decisions.decision_curve`, with at least two thresholds.
    ax : matplotlib Axes, optional
    colors : mapping, optional
        Colours by model (:func:`colors`).

    Examples
    --------
    >>> risk = {"marker": [0.1, 0.3, 0.6, 0.4, 0.9]}
    >>> ax = decision_curve(br.decisions.decision_curve([0, 0, 0, 1, 1], risk, [0.2, 0.5], seed=1))
    >>> sorted(text.get_text() for text in ax.texts if text.get_text())
    ['marker', 'treat all', 'treat none']
    """
    check_result(
        "br.decisions.decision_curve",
        "curve",
        curve,
        ("mean", "lower", "upper", "strategy", "threshold"),
    )
    if curve.sizes.get("threshold", 1) < 2:
        raise ArgumentError("curve", "must have at least two thresholds", curve["threshold"].size)
    ax = new_axes(ax, 8.0, 4.8)
    curve = curve.sortby("threshold")
    t, always = curve["threshold"].values, curve["strategy"].values
    models, size = curve.isel(entity=~always), int((~always).sum())
    names = np.array(plain_names(curve["entity"].values.tolist(), 46), dtype=object)
    paints = list(entity_colors(models["entity"].values.tolist(), colors).values())
    shown = range(size) if size <= NAMED else frequent_winners(models["mean"].values)
    curves = [models.isel(entity=i) for i in range(size)]
    variables, first = (
        ("threshold", "mean", "lower", "upper"),
        frequent_winners(models["mean"].values),
    )
    draw_curves(ax, curves, shown, names[~always], paints, variables, banded=first)
    for i, width in zip(np.flatnonzero(always), (1.0, 2.0), strict=True):
        ax.plot(
            t, curve["mean"][i], color=ink_color(), linewidth=width, linestyle="-", label=names[i]
        )
    top = float(curve["upper"].max())
    low = max(float(curve["lower"].min()), -0.25 * top) - 0.03 * top
    ax.set(xlim=t[[0, -1]], ylim=(low, 1.06 * top), xlabel="threshold probability")
    ax.set_ylabel(f"net benefit (mean and {ResultRecord.of(curve).percent} interval)")
    label_curves(ax)
    return finish_plot(ax)


@check_call
def natural_frequencies(frequencies: xr.Dataset, ax: Any = None, *, top: int | None = None) -> Any:
    """Draw how many of 1,000 tested persons each test finds, misses and alarms falsely, all on one axis.

    Parameters
    ----------
    frequencies : xarray.Dataset
        The result of :func:`bayesrank.decisions.natural_frequencies`. The rows are in its order.
    ax : matplotlib Axes, optional
    top : int, optional
        Number of rows to draw, from the first; all by default.

    Examples
    --------
    >>> kits = br.from_rates(tpr=[0.9, 0.7], fpr=[0.1, 0.02], prevalence=0.5, entity=["fast", "slow"])
    >>> ax = natural_frequencies(br.decisions.natural_frequencies(kits, prevalence=0.02))
    >>> ax.get_xlabel()
    'of 1,000 tested persons, at prevalence 0.02 (mean and 95% interval)'
    """
    check_result(
        "br.decisions.natural_frequencies",
        "frequencies",
        frequencies,
        ("mean", "lower", "upper", "ppv", "heading"),
    )
    names, left_out = first_rows(frequencies["entity"].values.tolist(), top)
    can_label = len(names) <= 20
    width, height = list_size(len(names))
    ax = new_axes(ax, width, 1.6 + 0.5 * len(names) if can_label else height)
    rows = np.arange(len(names))
    for position, (outcome, mark) in enumerate({"tp": "o", "fn": "v", "fp": "s"}.items()):
        part = frequencies.sel(outcome=outcome).isel(entity=slice(len(names)))
        label = str(part["heading"].item())
        y, color = rows + 0.26 * (position - 1), OUTCOME_COLORS[position]
        ax.hlines(y, part["lower"], part["upper"], color=color, linewidth=2 if can_label else 0.8)
        size = 5 if can_label else 2.5
        ax.plot(part["mean"], y, mark, color=color, markersize=size, label=label, linestyle="none")
    ax.hlines(
        rows[1:] - 0.5,
        0,
        1,
        transform=ax.get_yaxis_transform(),
        color=grey_shade(ax, 0.15),
        linewidth=0.8,
    )
    record = ResultRecord.of(frequencies)
    at = f", at prevalence {record.prevalence}" if record.prevalence else ""
    label = f"of {frequencies.attrs['persons']:,.4g} tested persons{at} (mean and {record.percent} interval)"
    ax.set_xlim(left=0)
    return finish_list(ax, names, label + left_out, columns=3)


@check_call
def pareto_front(front: xr.Dataset, ax: Any = None, *, colors: Colors = None) -> Any:
    """Draw score over cost, with intervals and the front.

    The front is that of the medians. Filled marks are entities that are on the front with
    probability 0.5 or more. The legend lists the entities by this probability. If there are more
    than twelve, the others are grey and not listed.

    Parameters
    ----------
    front : xarray.Dataset
        The result of :func:`bayesrank.decisions.pareto_front`.
    ax : matplotlib Axes, optional
    colors : mapping, optional
        Colours by entity (:func:`colors`).

    Examples
    --------
    >>> scores = xr.DataArray([0.8, 0.7, 0.6], {"entity": ["a", "b", "c"]}, ["entity"])
    >>> ax = pareto_front(br.decisions.pareto_front(scores, cost=scores.copy(data=[3.0, 1.0, 2.0])))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['front of the medians', 'a', 'b', 'c']
    """
    check_result(
        "br.decisions.pareto_front", "front", front, ("probability_front", "score", "cost")
    )
    ax = new_axes(ax, 7.8, 4.8)
    names = (
        front["entity"].values.tolist()
        if "entity" in front.coords
        else list(range(front.sizes["entity"]))
    )
    paints, texts = entity_colors(names, colors), plain_names(names, 34)
    share, score, cost = (front[name].values for name in ("probability_front", "score", "cost"))
    above, below, right, left = (
        np.abs(front[f"{name}_{end}"].values - front[name].values)
        for name in ("score", "cost")
        for end in ("upper", "lower")
    )
    record = ResultRecord.of(front)
    order = sorted(np.flatnonzero(~np.isnan(share)), key=lambda i: -share[i])
    retained = np.flatnonzero(on_front(score * record.sign, cost) & ~np.isnan(share))
    retained = retained[np.argsort(cost[retained], kind="stable")]
    ax.plot(
        cost[retained], score[retained], drawstyle="steps-post", color=grey_shade(ax, 0.4), linewidth=1.2, zorder=1,
        label="front of the medians",
    )  # fmt: skip
    for position, i in enumerate(order):
        named = position < NAMED
        color = paints[names[i]] if named else grey_shade(ax, 0.3)
        chance = (
            f": {prose.probability(float(share[i]), record.effective_draws)}"
            if record.effective_draws > 1
            else ""
        )
        ax.errorbar(
            cost[i], score[i], [[below[i]], [above[i]]], [[left[i]], [right[i]]],
            MARKS[position % len(MARKS)] if named else "o", color=color, elinewidth=1,
            markerfacecolor=color if share[i] >= 0.5 else paper_color(ax), markersize=7,
            label=f"{texts[i]}{chance}" if named else None, zorder=3 if named else 2,
        )  # fmt: skip
    level = f"median and {record.percent} interval"
    unit = f"{units}; " if (units := front["cost"].attrs.get("units")) else ""
    ax.set(xlabel=f"mean cost ({unit}{level})", ylabel=f"{record.display} ({level})")
    side_legend(ax, title="P(on the Pareto front)", title_fontsize=8)
    return finish_plot(ax)


@check_call
def plan(result: xr.Dataset, ax: Any = None) -> Any:
    """Draw the probability that more cases meet the target, and its limit.

    Parameters
    ----------
    result : xarray.Dataset
        The result of :func:`bayesrank.plan`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> plan(br.plan(br.fit(br.datasets.load("breast_cancer")[:2], seed=1), "mcc", seed=1)).get_xlabel()
    'more cases'
    """
    check_result("br.plan", "result", result, ("success", "success_error", "needed", "limit"))
    record = PlanRecord.of(result)
    ax = new_axes(ax, 6.4, 4.0)
    sizes, success, error = (result[name].values for name in ("n", "success", "success_error"))
    if not len(sizes):
        raise ArgumentError(
            "result",
            "must contain sizes; something other than the number of cases limits the claim",
        )
    conditional = record.goal == "separation"
    label = "entities separated" if conditional else "target met"
    [line] = ax.plot(sizes, success, "o-", markersize=4, label=label)
    color, assurance = line.get_color(), record.assurance
    low, high = np.clip(success - 2 * error, 0, 1), np.clip(success + 2 * error, 0, 1)
    limit, needed = float(result["limit"]), float(result["needed"])
    if not conditional:
        ax.fill_between(
            sizes, low, high, color=color, alpha=0.2, linewidth=0, label="± 2 Monte-Carlo errors"
        )
        ax.axhline(limit, linestyle=":", linewidth=1.2, color=color, label=f"limit {limit:.2f}")
    ax.axhline(
        assurance, linestyle="--", linewidth=1, color="0.5", label=f"assurance {assurance:g}"
    )
    if needed > 0:
        ax.axvline(needed, linewidth=1, color=color, alpha=0.6)
    ax.set(ylim=(-0.02, 1.02), ylabel="probability")
    log_axis(ax)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return finish_list(ax, None, f"more {record.unit}", columns=2)


@check_call
def sensitivity(result: xr.Dataset, ax: Any = None, *, colors: Colors = None) -> Any:
    """Draw P(best) of the leading entities under every alternative.

    The base analysis is on top. A hollow mark means that the entity is not in the first tier.

    Parameters
    ----------
    result : xarray.Dataset
        The result of :func:`bayesrank.sensitivity`.
    ax : matplotlib Axes, optional
    colors : mapping, optional
        Colours by entity (:func:`colors`).

    Examples
    --------
    >>> ax = sensitivity(br.sensitivity(br.datasets.load("breast_cancer")[:2], "f1", seed=1))
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['base', 'prior uniform']
    """
    check_result(
        "br.sensitivity", "result", result, ("survives", "probability_best", "tier", "alternative")
    )
    best, alternatives = result["probability_best"].values, result["alternative"].values.tolist()
    # The entities with high P(best) under any alternative, in the order of the base.
    chosen = np.argsort(-best.max(axis=0), kind="stable")[:6]
    chosen = chosen[np.argsort(-best[0, chosen], kind="stable")]
    rows = len(alternatives)
    ax = new_axes(ax, 9.0, 1.6 + (0.3 if rows <= 30 else 0.17) * rows)
    y = np.arange(rows)
    names = plain_names(result["entity"].values[chosen].tolist(), 34)
    paints = list(entity_colors(result["entity"].values.tolist(), colors).values())
    for mark, name, i in zip(MARKS, names, chosen, strict=False):
        ax.axvline(best[0, i], color=paints[i], linewidth=0.8, alpha=0.5, zorder=1)
        first = result["tier"].values[:, i] == 1
        label: str | None = name
        for here, fill in ((first, "full"), (~first, "none")):
            if here.any():
                ax.plot(
                    best[here, i],
                    y[here],
                    mark,
                    color=paints[i],
                    markersize=6,
                    fillstyle=fill,
                    label=label,
                )
                label = None
    right = min(max(1.15 * float(np.nanmax(best)), 0.1), 1.0)
    ax.set_xlim(-0.02 * right, 1.02 * right)
    others = " or the score of the row" if "score" in result["kind"].values else ""
    by = f"by {display_name(ResultRecord.of(result).score)}{others}"
    label = f"probability of being the best {by}\n(hollow: not in the first tier)"
    return finish_list(ax, alternatives, label, columns=2 if max(map(len, names)) > 18 else 6)
