"""Who is best for how many attempts: curves of the scores, and a strip of the probable best below."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_result
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import ResultRecord
from bayesrank.plots.kit.colors import (
    Colors,
    choose_text_color,
    entity_colors,
    frequent_winners,
    mix_colors,
    paper_color,
)
from bayesrank.plots.kit.style import (
    band_words,
    draw_curves,
    finish_plot,
    is_narrow,
    label_curves,
    new_axes,
    plain_names,
    write_title,
)

#: With more entities, only those that are the highest somewhere have a name and a colour.
NAMED = 8
#: The height of the strip and its distance from the curves, as shares of the height of the Axes.
STRIP, GAP = 0.13, 0.20


@check_call
def attempts(
    curve: xr.Dataset, ax: Any = None, *, colors: Colors = None, by: str = "attempts"
) -> Any:
    """Draw each entity's score over the number of attempts, and below it which entity is best, and how surely.

    The axis runs from "all of k attempts must succeed" on the left over one attempt to "one of k is
    enough" on the right. Bands hold the whole curve of an entity with the curve's ``prob``. In the
    strip, the colour is that of the most probable best entity, the stronger the larger P(best),
    which is printed in it; a star marks where this entity alone could be best.

    Parameters
    ----------
    curve : xarray.Dataset
        The result of :func:`bayesrank.scores.attempts_curve`.
    ax : matplotlib Axes, optional
    colors : mapping, optional
        Colours by entity (:func:`colors`). Of more than eight entities, only those that lead
        somewhere have one.
    by : {"attempts", "cost"}
        The horizontal axis. With ``"cost"`` it is the mean cost of up to 1, 2, ... attempts at a
        case that stop at a success, for evidence with costs: who is best for how much money or
        time. There is no strip then.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"case": np.repeat(range(20), 4), "run": [1, 2, 3, 4] * 20})
    >>> runs = runs.assign(a=[1, 0, 0, 1] * 20, b=([1] * 4 + [0] * 4) * 10)
    >>> posterior = br.fit(br.from_outcomes(runs, case="case", run="run"), seed=1)
    >>> [label.get_text() for label in attempts(br.scores.attempts_curve(posterior)).get_xticklabels()]
    ['all\\nof 4', '3', '2', '1', '2', '3', 'any\\nof 4']
    """
    needed = ("observed", "median", "lower", "upper", "probability_best", "leader", "headline")
    check_result("br.scores.attempts_curve", "curve", curve, needed, ("prob",))
    if check_choice("by", by, ("attempts", "cost")) == "cost":
        return _draw_by_cost(curve, ax, colors)
    ax = new_axes(ax, 7.4, 4.8)
    line = _along(curve)
    entities, x = curve["entity"].values.tolist(), line["place"].values
    shown = range(len(entities)) if len(entities) <= NAMED else _leaders(line)
    names, paints = plain_names(entities, 34), entity_colors(entities, colors)
    lines = [line.isel(entity=i) for i in range(len(entities))]
    draw_curves(
        ax,
        lines,
        shown,
        names,
        list(paints.values()),
        ("place", "median", "lower", "upper"),
        len(x) <= 41,
        _leaders(line),
    )
    most = int(curve.sizes["attempts"])
    ax.set(
        ylim=(-0.02, 1.02), xlim=(x[0] - 0.5, x[-1] + 0.5), ylabel="probability for a case (median)"
    )
    ticks = _ticks(most)
    ax.set_xticks(ticks, [_name_place(position, most) for position in ticks])
    gap = " " if is_narrow(ax) else "   "
    ax.set_xlabel(gap.join(("all must succeed", "←", "attempts", "→", "one is enough")))
    write_title(ax, band_words(shown, _leaders(line), ResultRecord.of(curve).prob, "best"))
    label_curves(ax, under=GAP + STRIP - 0.08)
    _draw_strip(ax, line, entities, paints)
    return finish_plot(ax)


def _draw_by_cost(curve: xr.Dataset, ax: Any, colors: Colors) -> Any:
    """Draw the probability of a success over the mean cost of attempts that stop at it."""
    if "mean_cost" not in curve:
        raise ArgumentError("by", "must be 'attempts' for runs without costs", "'cost'")
    ax = new_axes(ax, 7.4, 4.2)
    line = curve.sel(event="any")
    entities = curve["entity"].values.tolist()
    best = line["probability_best"].transpose("entity", "attempts").values
    shown = range(len(entities)) if len(entities) <= NAMED else frequent_winners(best)
    names, paints = plain_names(entities, 34), entity_colors(entities, colors)
    lines = [line.isel(entity=i) for i in range(len(entities))]
    drawn = ("mean_cost", "median", "lower", "upper")
    first, marks = frequent_winners(best), curve.sizes["attempts"] <= 20
    draw_curves(ax, lines, shown, names, list(paints.values()), drawn, marks, first)
    ax.set(ylim=(-0.02, 1.02), ylabel="one of the attempts succeeds (median)")
    ax.set_xlim(left=0)
    ax.set_xlabel(
        f"mean cost of a case: up to 1, ..., {curve.sizes['attempts']} attempts, stopped at a success"
    )
    label_curves(ax)
    return finish_plot(ax)


def _along(curve: xr.Dataset) -> xr.Dataset:
    """Return the curve along one axis: all of k as 1 - k, one attempt as 0, one of k as k - 1."""
    curve = curve[["median", "lower", "upper", "probability_best", "leader", "headline"]]
    all_of_k = curve.sel(event="all").isel(attempts=slice(None, 0, -1))
    both = xr.concat(
        [all_of_k, curve.sel(event="any")],
        "attempts",
        "all",
        coords="minimal",
        compat="override",
        join="exact",
    )
    most = curve.sizes["attempts"]
    return both.assign_coords(place=("attempts", np.arange(1 - most, most)))


def _leaders(line: xr.Dataset) -> list[int]:
    """Return the entities that lead somewhere, the most frequent first."""
    return frequent_winners(line["probability_best"].transpose("entity", "attempts").values)


def _ticks(most: int) -> list[int]:
    step = next(n for n in (1, 2, 5, 10, 20, 50, 100, most) if most - 1 <= 8 * n)
    right = [0, *(k for k in range(step, most - 1, step) if most - 1 - k >= max(step, 1)), most - 1]
    right = list(dict.fromkeys(right))
    return [*(-k for k in reversed(right[1:])), *right]


def _name_place(place: int, most: int) -> str:
    if abs(place) == most - 1 and most > 1:
        return f"{'any' if place > 0 else 'all'}\nof {most}"
    return str(abs(place) + 1)


def _draw_strip(ax: Any, line: xr.Dataset, entities: list[Any], paints: dict[Any, Any]) -> None:
    """Draw who is best for how many attempts in a strip of its own below the Axes."""
    strip = ax.inset_axes((0, -GAP - STRIP, 1, STRIP), sharex=ax)
    best = line["probability_best"].transpose("attempts", "entity").values
    leaders = [entities.index(name) for name in line["leader"].values.tolist()]
    can_name = len(leaders) <= 21
    for position, i, chance, headline in zip(
        line["place"].values, leaders, best.max(axis=1), line["headline"].values, strict=True
    ):
        color = mix_colors(paper_color(ax), paints[entities[i]], 0.1 + 0.9 * chance)
        strip.bar(position, 1, width=1, color=color, linewidth=0)
        words = ("★" if headline == "best" else "") + (
            f"{chance:.2f}".lstrip("0") if can_name and chance < 0.995 else ""
        )
        strip.text(
            position,
            0.5,
            words,
            ha="center",
            va="center",
            fontsize=7,
            color=choose_text_color(color),
        )
    strip.set(ylim=(0, 1), yticks=[])
    strip.set_ylabel("best", rotation=0, ha="right", va="center", fontsize=8)
    strip.tick_params(bottom=False, labelbottom=False)
    for spine in strip.spines.values():
        spine.set_visible(False)
