"""Pictures of outperformance scores: against the value, as an area, along a curve, over time."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.colors import to_hex
from rich.cells import cell_len

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_array, check_choice, check_result
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import select_names
from bayesrank._core.records import ResultRecord
from bayesrank.plots.kit.colors import (
    OKABE_ITO,
    Colors,
    entity_colors,
    frequent_winners,
    grey_shade,
    ink_color,
    paper_color,
    scale_on,
)
from bayesrank.plots.kit.style import (
    add_missing_fonts,
    draw_curves,
    label_curves,
    new_axes,
    new_panels,
    plain_names,
    write_title,
)
from bayesrank.scores.display import display_name

AXES = {
    "recall": "recall",
    "share": "share of cases called positive",
    "fpr": "false positive rate",
    "k": "cases K",
}
#: The most prevalences with a label; of more curves, evenly spaced ones have it.
NAMED = 12
#: What is drawn of a curve.
CURVE = ("entity", "value", "ops", "no_skill", "ops_no_skill", "prevalence")
LINES = {
    "ops": {"color": OKABE_ITO[0], "marker": "o", "linestyle": "-"},
    "tpr": {"color": OKABE_ITO[2], "marker": "^", "linestyle": "--"},
    "fpr": {"color": OKABE_ITO[1], "marker": "v", "linestyle": ":"},
}
PART_COLORS = {"prevalence": OKABE_ITO[4], "rates": OKABE_ITO[5]}


@check_call
def ops_values(ops: xr.DataArray, ax: Any = None) -> Any:
    """Draw OPS against the value of a score, by prevalence; of many prevalences some are labelled.

    Parameters
    ----------
    ops : xarray.DataArray
        The result of :func:`bayesrank.ops.value_curves`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> ax = ops_values(br.ops.value_curves("f1", [0.01, 0.1, 0.5]))
    >>> ax.get_xlabel(), len(ax.lines)
    ('F1', 3)
    """
    check_array("ops", ops, ("prevalence", "point"), " (br.ops.value_curves gives one)")
    ax = new_axes(ax, 5.5, 4.2)
    shares = ops["prevalence"].values
    shades = scale_on(ax, "cividis")(np.linspace(0, 0.9, len(shares)))
    every = -(-len(shares) // NAMED)
    for position, (share, shade) in enumerate(zip(shares, shades, strict=True)):
        curve = ops.sel(prevalence=share)
        label = f"{share:.3g}" if position % every == 0 else None
        ax.plot(curve["value"], curve, color=to_hex(shade), linewidth=1.8, label=label)
    ax.set(
        xlabel=display_name(ResultRecord.of(ops).score or "value"), ylabel="OPS", ylim=(-0.02, 1.02)
    )
    ax.grid(color=grey_shade(ax, 0.1))
    label_curves(ax, ends=False, title="prevalence")
    return ax


@check_call
def ops_square(square: xr.Dataset, ax: Any = None) -> Any:
    """Draw the area of rates that a value outperforms, which is its OPS.

    Parameters
    ----------
    square : xarray.Dataset
        The result of :func:`bayesrank.ops.square`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> ax = ops_square(br.ops.square("f1", 0.6, 0.1))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')
    """
    check_result(
        "br.ops.square",
        "square",
        square,
        ("score", "worse", "ops", "value", "prevalence", "fpr", "tpr"),
    )
    ax = new_axes(ax, 4.6, 4.8)
    square = square.transpose("tpr", "fpr")
    fpr, tpr, worse = square["fpr"].values, square["tpr"].values, square["worse"].values
    if worse.all():
        ax.set_facecolor(OKABE_ITO[4])
    elif worse.any():
        # A filled contour of the score at the value has smoother edges than the cells of a map.
        gap = (square["score"] - square["value"]).values
        gap = np.clip(np.nan_to_num(-gap if (worse & (gap > 0)).any() else gap), -1e6, 1e6)
        ax.contourf(
            fpr,
            tpr,
            gap,
            levels=[gap.min() - 1, 0, gap.max() + 1],
            colors=[OKABE_ITO[4], paper_color(ax)],
        )
        ax.contour(fpr, tpr, gap, levels=[0], colors=[OKABE_ITO[0]], linewidths=1.8)
    ax.plot([0, 1], [0, 1], color=grey_shade(ax, 0.5), linestyle=":", linewidth=1)
    ax.set(
        xlim=(0, 1),
        ylim=(0, 1),
        xlabel="false positive rate",
        ylabel="true positive rate",
        aspect="equal",
    )
    value, prevalence, ops = (square[name].item() for name in ("value", "prevalence", "ops"))
    name = display_name(ResultRecord.of(square).score or "score")
    ax.set_title(f"{name} = {value:.3g} at prevalence {prevalence:.3g}: OPS {ops:.3f}", fontsize=10)
    return ax


@check_call
def ops_curve(
    result: xr.Dataset | Mapping[Any, xr.Dataset], axes: Any = None, *, colors: Colors = None
) -> Any:
    """Draw a curve and the curve of its OPS beside those of a random ranking: PRC and OPRC, or lift and OPS(lift).

    Parameters
    ----------
    result : xarray.Dataset, or mapping of such
        The result of :func:`bayesrank.ops.of_curve` with a sequence ``at``; credible bands are
        drawn if it has draws. For several test sets, a mapping from their names to results: each
        has a colour and a no-skill line.
    axes : sequence of matplotlib Axes, optional
    colors : mapping, optional
        Colours by curve (:func:`colors`).

    Examples
    --------
    >>> result = br.ops.of_curve([0, 0, 0, 1, 0, 1], [1, 2, 3, 4, 5, 6], "precision_at_recall", at=[0.25, 0.5, 0.9])
    >>> [ax.get_ylabel() for ax in ops_curve(result)]
    ['precision', 'OPS of precision']
    """
    by_set = isinstance(result, Mapping) and not isinstance(result, xr.Dataset)
    results: dict[Any, Any] = dict(result) if by_set else {None: result}
    along, metric = _check_curves(results, by_set)
    axes = new_panels(axes, 1, 2, 9.5, 4.2)
    single = by_set and all(one.sizes["entity"] == 1 for one in results.values())
    labels = [
        str(test_set) if single else f"{test_set}: {entity}" if by_set else entity
        for test_set, one in results.items()
        for entity in one["entity"].values.tolist()
    ]
    curves = [
        select_names(one, entity=entity)
        for one in results.values()
        for entity in one["entity"].values
    ]
    paints = list(entity_colors(labels, colors).values())
    shown: Any = range(len(curves))
    banded = None
    if not by_set:
        banded = frequent_winners(results[None]["ops"].transpose("entity", along).values)
        shown = shown if len(curves) <= NAMED else banded
    ordinate = metric.split("_at_")[0]
    for ax, variable, label in zip(
        axes, ("value", "ops"), (ordinate, f"OPS of {ordinate}"), strict=True
    ):
        parts = (along, variable, f"{variable}_lower", f"{variable}_upper")
        names = plain_names(labels, 40 if by_set else 32)
        draw_curves(ax, curves, shown, names, paints, parts, marks=True, banded=banded)
        for position, one in enumerate(results.values()):
            chance = one["no_skill" if variable == "value" else "ops_no_skill"]
            ax.plot(
                one[along],
                chance,
                color=paints[position] if single else grey_shade(ax, 0.5),
                linestyle=":",
            )
        ax.set(xlabel=AXES[along], ylabel=label)
        ax.grid(color=grey_shade(ax, 0.1))
        if variable == "ops" or ordinate != "lift":
            ax.set_ylim(-0.02, 1.02)
    shares = ", ".join(f"{one['prevalence'].item():.3g}" for one in results.values())
    write_title(axes[0], f"dotted: no skill, prevalence {shares}", 10)
    if by_set or len(curves) > 1:
        label_curves(axes[1])
    add_missing_fonts(axes[0])
    return axes


def _check_curves(results: dict[Any, xr.Dataset], by_set: bool) -> tuple[str, str]:
    """Return the dim and the metric of the curves, which must be the same for each test set."""
    if not results:
        raise ArgumentError(
            "result", "must come from br.ops.of_curve, or map names to such results", "none"
        )
    for test_set, one in results.items():
        check_result("br.ops.of_curve", f"result[{test_set!r}]" if by_set else "result", one, CURVE)
    kinds = {
        (str(one["value"].dims[-1]), ResultRecord.of(one).metric or "value")
        for one in results.values()
    }
    (along, metric), *others = sorted(kinds)
    if others or along not in AXES:
        raise ArgumentError(
            "result", "must contain curves of one metric, with a sequence at", sorted(kinds)
        )
    return along, metric


@check_call
def ops_drift(result: xr.Dataset, entity: Any = None, axes: Any = None) -> Any:
    """Draw OPS, TPR and FPR of one entity over the periods, and below them the changes of OPS in two parts.

    A star marks a rate that raised an alarm. The parts of a change are due to the prevalence and to
    the rates.

    Parameters
    ----------
    result : xarray.Dataset
        The result of :func:`bayesrank.ops.drift`, with draws.
    entity : hashable, optional
        The entity, if there are several.
    axes : sequence of matplotlib Axes, optional

    Examples
    --------
    >>> counts = br.from_counts(tn=[80, 170], fp=[20, 30], fn=[10, 9], tp=[90, 71], entity=["m", "m"],
    ...                         dataset=["May", "June"])
    >>> axes = ops_drift(br.ops.drift(br.fit(counts, seed=1), "f1"))
    >>> axes[0].get_ylabel()
    'OPS of F1, and rates'
    """
    check_result(
        "br.ops.drift of draws",
        "result",
        result,
        ("degraded", "degraded_error", "alarm", "change_mean"),
    )
    if "entity" in result["ops_mean"].dims:
        names = result["entity"].values.tolist()
        if entity is not None or len(names) != 1:
            check_choice("entity", entity, names, ArgumentKeyError)
        result = result.isel(entity=0 if entity is None else names.index(entity))
    if result["ops_mean"].ndim != 1:
        raise ArgumentError(
            "result",
            "must have only periods and entities as dims",
            f"the dims {result['ops_mean'].dims}",
        )
    periods = result[str(result["ops_mean"].dims[0])].values.tolist()
    above, below = axes = new_panels(axes, 2, 1, max(6.0, 1.5 + 0.8 * len(periods)), 6, sharex=True)
    x, changes = np.arange(len(periods)), result.sel(part=list(PART_COLORS))
    for (name, look), offset in zip(LINES.items(), (0, -0.06, 0.06), strict=True):
        style = {"color": look["color"], "linewidth": 1.2}
        above.plot(
            x + offset,
            result[f"{name}_mean"],
            label=name.upper(),
            **look,
            linewidth=1.2,
            markersize=5,
        )
        _draw_bars(
            above, x + offset, result[f"{name}_lower"], result[f"{name}_upper"], **style, capsize=3
        )
        if name in result["rate"].values:
            raised = result["alarm"].sel(rate=name).any("against").values
            stars = result[f"{name}_mean"].values[raised]
            above.plot(
                x[raised] + offset,
                stars,
                "*",
                color=look["color"],
                markersize=15,
                markeredgecolor=ink_color(),
            )
    if bool(result["alarm"].any()):
        above.set_title("stars: alarms", fontsize=9, loc="left")
    above.set_ylabel(f"OPS of {display_name(ResultRecord.of(result).score or 'score')}, and rates")
    for offset, (part, color) in zip((-0.2, 0.2), PART_COLORS.items(), strict=True):
        mean, low, high = (
            changes[f"change_{what}"].sel(part=part).values for what in ("mean", "lower", "upper")
        )
        below.bar(x + offset, np.nan_to_num(mean), 0.38, color=color, label=f"due to the {part}")
        _draw_bars(below, x + offset, low, high, color=ink_color(), linewidth=1, capsize=2)
    top = np.nanmax([0.0, *changes["change_upper"].values.ravel()])
    bottom = np.nanmin([0.0, *changes["change_lower"].values.ravel()])
    margin = 0.2 * (top - bottom) or 0.1
    for i, fell, error in zip(
        x, result["degraded"].values, result["degraded_error"].values, strict=True
    ):
        if np.isfinite(fell):
            text = prose.format_probability_with_error(fell, error)
            below.text(i, top + margin / 4, text, ha="center", va="bottom", fontsize=9)
    below.axhline(0, color=ink_color(), linewidth=0.8)
    below.set(
        xlabel="period", ylabel="change of OPS", ylim=(bottom - margin / 2, top + 1.4 * margin)
    )
    below.set_title("numbers: probability that the rates got worse", fontsize=9, loc="left")
    legends = [ax.get_legend_handles_labels() for ax in axes]
    if not below.figure.legends:
        handles, labels = (above + below for above, below in zip(*legends, strict=True))
        below.figure.legend(
            handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9
        )
    names = plain_names(periods, 18)
    # Names lie flat where each fits below its bars: a letter is some six points wide.
    room = 72 / below.figure.dpi * below.get_window_extent().width / len(names)
    below.set_xticks(x, names, rotation=90 if 6 * max(map(cell_len, names)) > room else 0)
    for ax in axes:
        ax.grid(axis="y", color=grey_shade(ax, 0.1))
        ax.set_axisbelow(True)
    add_missing_fonts(above)
    return axes


def _draw_bars(ax: Any, x: np.ndarray, low: Any, high: Any, **look: Any) -> None:
    """Draw the bars of intervals, which need not hold a mean."""
    ax.errorbar(x, (low + high) / 2, (high - low) / 2, fmt="none", **look)
