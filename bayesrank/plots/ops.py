"""Pictures of outperformance scores: against the value, as an area, along a curve, over the Tile, over time."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from rich.cells import cell_len

from bayesrank import _text
from bayesrank._checks import check_array, check_choice, check_result
from bayesrank.plots._colors import frequent_winners, grey_shade, ink_color, marks_and_dashes, paper_color, scale_on
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import OKABE_ITO, entity_colors, new_axes, new_panels, plain_names
from bayesrank.scores._display import display_name

__all__ = ["ops_curve", "ops_drift", "ops_square", "ops_values"]

AXES = {"recall": "recall", "share": "share of cases called positive", "fpr": "false positive rate", "k": "cases K"}
#: Of more entities than these, only those that are best somewhere have a name and a colour.
NAMED = 12
#: What is drawn of a curve.
CURVE = ("entity", "value", "ops", "no_skill", "ops_no_skill", "prevalence")
PART_COLORS = {"prevalence": OKABE_ITO[4], "rates": OKABE_ITO[5]}


def ops_values(ops: xr.DataArray, ax: Any = None) -> Any:
    """Draw OPS against the value of a score, one line per prevalence.

    Parameters
    ----------
    ops : xarray.DataArray
        The result of :func:`bayesrank.ops.value_curves`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> ax = ops_values(br.ops.value_curves("f1", [0.01, 0.1, 0.5]))
    >>> ax.get_xlabel(), len(ax.lines)
    ('F1', 3)
    """
    check_array("ops", ops, ("prevalence", "value"), " (br.ops.value_curves gives one)")
    ax = new_axes(ax, 5.5, 4.2)
    scale = scale_on(ax, "cividis")
    ops = ops.transpose("prevalence", "value")
    size = ops.sizes["prevalence"]
    for i, share in enumerate(ops["prevalence"].values):
        color = scale(0.9 * i / max(size - 1, 1))
        ax.plot(ops["value"], ops.isel(prevalence=i), color=color, linewidth=1.8, label=f"{share:g}")
    ax.set(xlabel=display_name(str(ops.attrs.get("score", "value"))), ylabel="OPS", ylim=(-0.02, 1.02))
    ax.grid(color=grey_shade(ax, 0.1))
    ax.legend(title="prevalence", frameon=False)
    return ax


def ops_square(square: xr.Dataset, ax: Any = None) -> Any:
    """Draw the unit square of rates and the area that a value outperforms, which is its OPS.

    Parameters
    ----------
    square : xarray.Dataset
        The result of :func:`bayesrank.ops.square`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> ax = ops_square(br.ops.square("f1", 0.6, 0.1))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')
    """
    check_result("br.ops.square", "square", square, ("score", "worse", "ops", "value", "prevalence", "fpr", "tpr"))
    ax = new_axes(ax, 4.6, 4.8)
    worse = square["worse"].transpose("tpr", "fpr")
    fpr, tpr = square["fpr"].values, square["tpr"].values
    # A filled contour of the score at the value has smoother edges than the cells of a map.
    gap = (square["score"] - square["value"]).transpose("tpr", "fpr").values
    sign = -1.0 if (worse.values & (gap > 0)).any() else 1.0
    if worse.values.any() and not worse.values.all():
        gap = np.clip(np.nan_to_num(sign * gap), -1e6, 1e6)
        ax.contourf(fpr, tpr, gap, levels=[gap.min() - 1, 0, gap.max() + 1], colors=[OKABE_ITO[4], paper_color(ax)])
        ax.contour(fpr, tpr, gap, levels=[0], colors=[OKABE_ITO[0]], linewidths=1.8)
    elif worse.values.all():
        ax.set_facecolor(OKABE_ITO[4])
    ax.plot([0, 1], [0, 1], color=grey_shade(ax, 0.5), linestyle=":", linewidth=1)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    name = display_name(str(square.attrs.get("score", "score")))
    ax.set_title(
        f"{name} = {square['value'].item():.3g} at prevalence {square['prevalence'].item():.3g}: "
        f"OPS {square['ops'].item():.3f}",
        fontsize=10,
    )
    return ax


def ops_curve(
    result: xr.Dataset | Mapping[Any, xr.Dataset], axes: Any = None, *, colors: Mapping[Any, Any] | None = None
) -> Any:
    """Draw a curve and the curve of its OPS, both with a random ranking: PRC and OPRC, or lift and OPS(lift).

    Parameters
    ----------
    result : xarray.Dataset, or mapping of such
        The result of :func:`bayesrank.ops.of_curve` with a sequence ``at``; credible bands are drawn if it has draws.
        For several test sets, a mapping from their names to results: each has a colour and a no-skill line.
    axes : pair of matplotlib.axes.Axes, optional
        Where to draw.
    colors : mapping, optional
        Colours by entity; the other entities are grey. By default the colour depends on the place among all entities.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> result = br.ops.of_curve([0, 0, 0, 1, 0, 1], [1, 2, 3, 4, 5, 6], "precision_at_recall", at=[0.25, 0.5, 0.9])
    >>> [ax.get_ylabel() for ax in ops_curve(result)]
    ['precision', 'OPS of precision']
    """
    if isinstance(result, Mapping) and not isinstance(result, xr.Dataset):
        return _ops_curves(result, axes, colors)
    check_result("br.ops.of_curve", "result", result, CURVE)
    along = str(result["value"].dims[-1])
    if along not in AXES:
        raise ValueError(
            f"result must have been computed along a curve, with a sequence at; got {result['value'].dims}"
        )
    axes = new_panels(axes, 1, 2, 9.5, 4.2)
    entities = result["entity"].values.tolist()
    names = plain_names(entities, 32)
    paints = list(entity_colors(entities, colors).values())
    of_all = len(entities) <= NAMED
    shown = list(range(len(entities))) if of_all else frequent_winners(result["ops"].transpose("entity", along).values)
    rest = sorted(set(range(len(entities))) - set(shown))
    alpha = min(0.2, 0.5 / max(len(shown), 1))
    ordinate = str(result.attrs.get("metric", "value")).split("_at_")[0]
    for ax, variable, label in zip(axes, ("value", "ops"), (ordinate, f"OPS of {ordinate}"), strict=True):
        for i in rest:
            one = result.isel(entity=i)
            ax.plot(one[along], one[variable], color=grey_shade(ax, 0.3), linewidth=0.7, zorder=1.5)
        for i in shown:
            one, color, name = result.isel(entity=i), paints[i], names[i]
            mark, dash = next(marks_and_dashes([i]))
            ax.plot(
                one[along], one[variable], color=color, marker=mark, markersize=3, linestyle=dash, linewidth=1.5,
                label=name,
            )  # fmt: skip
            if variable == "ops" and "ops_lower" in one:
                ax.fill_between(one[along], one["ops_lower"], one["ops_upper"], color=color, alpha=alpha, linewidth=0)
        if rest:
            ax.plot([], [], color=grey_shade(ax, 0.3), linewidth=0.7, label=f"{len(rest)} more")
        ax.set(xlabel=AXES[along], ylabel=label)
        ax.grid(color=grey_shade(ax, 0.1))
    axes[1].set_ylim(-0.02, 1.02)
    if ordinate != "lift":
        axes[0].set_ylim(-0.02, 1.02)
    for ax, variable in zip(axes, ("no_skill", "ops_no_skill"), strict=True):
        ax.plot(result[along], result[variable], color=grey_shade(ax, 0.5), linestyle=":")
    axes[0].set_title(f"dotted: no skill, prevalence {result['prevalence'].item():.3g}", fontsize=10)
    if len(entities) > 1:
        axes[1].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    add_missing_fonts(axes[0])
    return axes


def _ops_curves(results: Mapping[Any, xr.Dataset], axes: Any, colors: Mapping[Any, Any] | None) -> Any:
    """Draw curves of several test sets, each for one or several entities, with a no-skill line per test set."""
    if not results:
        raise ValueError("result must be of br.ops.of_curve, or a mapping from names to such; got none")
    for name, one in results.items():
        check_result("br.ops.of_curve", f"result[{name!r}]", one, CURVE)
    kinds = {(str(one["value"].dims[-1]), str(one.attrs.get("metric"))) for one in results.values()}
    (along, metric), *others = sorted(kinds)
    if others or along not in AXES:
        raise ValueError(f"result must hold curves of one metric, with a sequence at; got {sorted(kinds)}")
    axes = new_panels(axes, 1, 2, 9.5, 4.2)
    keys = [(test_set, who) for test_set, one in results.items() for who in one["entity"].values.tolist()]
    single = all(one.sizes["entity"] == 1 for one in results.values())
    labels = [str(test_set) if single else f"{test_set}: {who}" for test_set, who in keys]
    paints = list(entity_colors(labels, colors).values())
    ordinate = metric.split("_at_")[0]
    for ax, variable, label in zip(axes, ("value", "ops"), (ordinate, f"OPS of {ordinate}"), strict=True):
        for i, (test_set, who) in enumerate(keys):
            one = results[test_set].sel(entity=who)
            mark, dash = next(marks_and_dashes([i]))
            ax.plot(
                one[along], one[variable], color=paints[i], marker=mark, markersize=3, linestyle=dash, linewidth=1.5,
                label=plain_names([labels[i]], 40)[0],
            )  # fmt: skip
            if variable == "ops" and "ops_lower" in one:
                ax.fill_between(
                    one[along], one["ops_lower"], one["ops_upper"], color=paints[i], alpha=0.15, linewidth=0
                )
        for test_set, one in results.items():
            first = next(i for i, key in enumerate(keys) if key[0] == test_set)
            chance = one["no_skill" if variable == "value" else "ops_no_skill"]
            ax.plot(one[along], chance, color=paints[first] if single else grey_shade(ax, 0.5), linestyle=":")
        ax.set(xlabel=AXES[along], ylabel=label)
        ax.grid(color=grey_shade(ax, 0.1))
    for ax in axes if ordinate != "lift" else axes[1:]:
        ax.set_ylim(-0.02, 1.02)
    shares = ", ".join(f"{one['prevalence'].item():.3g}" for one in results.values())
    axes[0].set_title(f"dotted: no skill, prevalence {shares}", fontsize=10)
    axes[1].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    add_missing_fonts(axes[0])
    return axes


def ops_drift(result: xr.Dataset, entity: Any = None, axes: Any = None) -> Any:
    """Draw OPS over the periods, and below it each change with its prevalence part and its rate part.

    Parameters
    ----------
    result : xarray.Dataset
        The result of :func:`bayesrank.ops.drift`, with draws.
    entity : label, optional
        The entity to draw; optional if there is only one.
    axes : pair of matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[80, 170], fp=[20, 30], fn=[10, 9], tp=[90, 71], entity=["m", "m"],
    ...                         dataset=["May", "June"])
    >>> axes = ops_drift(br.ops.drift(br.fit(counts, seed=1), "f1"))
    >>> axes[0].get_ylabel()
    'OPS of F1'
    """
    check_result("br.ops.drift of draws", "result", result, ("degraded", "degraded_error", "ops_mean", "change_mean"))
    if "entity" in result["ops_mean"].dims:
        names = result["entity"].values.tolist()
        if entity is not None or len(names) != 1:
            check_choice("entity", entity, names, KeyError)
        result = result.isel(entity=0 if entity is None else names.index(entity))
    if result["ops_mean"].ndim != 1:
        raise ValueError(f"result must be of periods and entities alone; got the dims {result['ops_mean'].dims}")
    dim = str(result["ops_mean"].dims[0])
    periods = result[dim].values.tolist()
    axes = new_panels(axes, 2, 1, max(6.0, 1.5 + 0.8 * len(periods)), 6, sharex=True)
    x = np.arange(len(periods))
    above, below = axes
    mean, low, high = (result[f"ops_{what}"].values for what in ("mean", "lower", "upper"))
    above.plot(x, mean, color=OKABE_ITO[0], marker="o", linewidth=1.2)
    # Bars of intervals, which need not hold a mean.
    above.errorbar(x, (low + high) / 2, (high - low) / 2, fmt="none", color=OKABE_ITO[0], linewidth=1.2, capsize=3)
    above.set_ylabel(f"OPS of {display_name(str(result.attrs.get('score', 'score')))}")
    for offset, (part, color) in zip((-0.2, 0.2), PART_COLORS.items(), strict=True):
        mean, low, high = (result[f"change_{what}"].sel(part=part).values for what in ("mean", "lower", "upper"))
        label = f"{part} (the other held)"
        below.bar(x + offset, np.nan_to_num(mean), 0.38, color=color, label=label)
        below.errorbar(
            x + offset, (low + high) / 2, (high - low) / 2, fmt="none", color=ink_color(), linewidth=1, capsize=2
        )
    top = np.nanmax([0.0, *result["change_upper"].sel(part=list(PART_COLORS)).values.ravel()])
    bottom = np.nanmin([0.0, *result["change_lower"].sel(part=list(PART_COLORS)).values.ravel()])
    margin = 0.2 * (top - bottom) or 0.1
    for i, (probability, error) in enumerate(
        zip(result["degraded"].values, result["degraded_error"].values, strict=True)
    ):
        if np.isfinite(probability):
            below.text(
                i,
                top + margin / 4,
                _text.format_probability_with_error(probability, error),
                ha="center",
                va="bottom",
                fontsize=9,
            )
    below.set_ylim(bottom - margin / 2, top + 1.4 * margin)
    below.axhline(0, color=ink_color(), linewidth=0.8)
    below.set_ylabel("change of OPS")
    below.set_title("numbers: probability that the rates got worse", fontsize=9, loc="left")
    figure = below.figure
    if not figure.legends:  # beside another entity it is there already
        handles, labels = below.get_legend_handles_labels()
        figure.legend(
            handles, labels, frameon=False, fontsize=9, loc="outside lower center", ncols=2, labelcolor=ink_color()
        )
    names = plain_names(periods, 18)
    # Names lie flat where each fits below its bars: a letter is some six points wide.
    room = 72 / figure.dpi * below.get_window_extent().width / len(names)
    below.set_xticks(x, names, rotation=90 if 6 * max(map(cell_len, names)) > room else 0)
    for ax in axes:
        ax.grid(axis="y", color=grey_shade(ax, 0.1))
        ax.set_axisbelow(True)
    add_missing_fonts(above)
    return axes
