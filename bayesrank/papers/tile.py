"""Plots of scores on the Tile and in ROC space, after Piérard et al., *The Tile*."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_number,
    check_numbers,
    check_prevalence,
    check_prevalences,
    rename_argument,
)
from bayesrank._core.errors import ArgumentError
from bayesrank._core.types import Container
from bayesrank.plots.kit.colors import (
    OKABE_ITO,
    draw_halo,
    entity_colors,
    grey_shade,
    ink_color,
    paper_color,
    scale_on,
)
from bayesrank.plots.kit.furniture import SEQUENTIAL, draw_tile_axes
from bayesrank.plots.kit.style import (
    add_missing_fonts,
    new_axes,
    new_panels,
    plain_names,
    side_legend,
)
from bayesrank.plots.maps import value_tile
from bayesrank.scores import get
from bayesrank.scores.placement import place
from bayesrank.tile import isoperformance, no_skill_curve, prior_grid, vertex

#: Maximum number of ROC panels beside a Tile, and of entities whose points have names.
MOST = 12
#: Number of lines of a pencil or a grid; default values of a, of b, and of the prevalence.
LINES, VALUES = 11, (0.1, 0.3, 0.5, 0.7, 0.9)
ORANGE, BLUE, GREEN, PURPLE, RED = (OKABE_ITO[i] for i in (1, 0, 2, 3, 5))
#: Places (a, b) of scores at all prevalences, and below them further scores that are there only at
#: a fixed prevalence.
PLACES = {
    "TNR": (0.0, 0.0), "J₋": (0.0, 0.5), "NPV": (0.0, 1.0), "P(right | no FN)": (0.5, 0.0),
    "accuracy, Bennett’s S": (0.5, 0.5), "P(right | no FP)": (0.5, 1.0), "PPV": (1.0, 0.0), "F₀.₅": (1.0, 0.2),
    "F₁, J₊": (1.0, 0.5), "F₂": (1.0, 0.8), "TPR": (1.0, 1.0),
}  # fmt: skip
JOINED = {
    "TNR": "P(tn)†, P(fp)†",
    "NPV": "SNPV†, NLR†",
    "PPV": "SPPV†, PLR†",
    "TPR": "P(tp)†, P(fn)†",
}


@check_call
def roc_beside_tile(
    tile: xr.DataArray, a: Any, b: Any, prevalence: float, source: Container | None = None
) -> Any:
    """Draw a Tile with selected scores, and ROC space with the iso-performance lines of each (The Tile, Figure 1).

    Parameters
    ----------
    tile : xarray.DataArray
        A map of numbers (b, a).
    a, b : float or sequence of float
        The chosen scores, up to twelve, each with its own ROC panel.
    prevalence : float
        Share of the positive class in the panels.
    source : DataArray, optional
        Performances (entity, actual, predicted) to mark as points, with names for up to twelve.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27)
    >>> tile = br.tile.value(counts).isel(entity=0)
    >>> len(roc_beside_tile(tile, a=0.9, b=0.4, prevalence=0.25).axes)  # with colour bars
    4
    """
    import matplotlib
    import matplotlib.pyplot as plt

    prevalence = check_prevalence(prevalence)
    places = [
        np.atleast_1d(check_numbers(name, given, 0.0, 1.0)) for name, given in (("a", a), ("b", b))
    ]
    sizes = sorted({one.size for one in places} - {1}) or [1]
    if any(one.ndim > 1 for one in places) or len(sizes) > 1 or not 1 <= sizes[0] <= MOST:
        raise ArgumentError(
            "a and b",
            f"must be numbers, or sequences of the same length, of at most {MOST} numbers",
            [p.shape for p in places],
        )
    across, up = np.broadcast_arrays(*places)
    number = across.size
    room = 2.4 if 0 < getattr(source, "sizes", {}).get("entity", 0) <= MOST else 0.0
    figure, axes = plt.subplots(
        1, 1 + number, figsize=(5.0 + 4.4 * number + room, 4), layout="constrained"
    )
    tile_axes, *squares = axes
    value_tile(tile, ax=tile_axes, prevalence=prevalence)
    scale = scale_on(tile_axes, SEQUENTIAL)
    for k, (ax, x, y) in enumerate(zip(squares, across.tolist(), up.tolist(), strict=True)):
        mark = str(k + 1) if number > 1 else ""
        _dot(tile_axes, x, y, RED, 12 if mark else 9)
        tile_axes.annotate(
            mark, (x, y), color="white", fontsize=8, ha="center", va="center", zorder=6
        )
        for level in np.linspace(0, 1, LINES).tolist():
            line = isoperformance(x, y, level, prevalence, points=201)
            ax.plot(line["fpr"], line["tpr"], color=scale(level), linewidth=1.5)
        ax.plot([0, 1], [0, 1], color=grey_shade(ax, 0.6), linewidth=1, linestyle=":")
        if source is not None:
            _draw_performances(ax, source)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="FPR", ylabel="TPR", aspect="equal")
        ax.set_title(f"{mark}{': ' if mark else 'the score at '}a = {x:g}, b = {y:g}", fontsize=9)
    tile_axes.set_title(f"prevalence {prevalence:g}; beside it, lines of 0, 0.1, …, 1", fontsize=9)
    if squares[-1].get_legend_handles_labels()[0]:
        side_legend(squares[-1])
    figure.colorbar(
        matplotlib.cm.ScalarMappable(cmap=scale),
        ax=squares,
        label="value of the score",
        shrink=0.85,
        location="right",
    )
    add_missing_fonts(squares[-1])
    return figure


@check_call
def placement_tile(
    prevalence: float | None = None, ax: Any = None, *, prediction_rate: float | None = None
) -> Any:
    """Draw the places of common scores on the Tile (Piérard et al., The Tile, Figures 3 and 6).

    Parameters
    ----------
    prevalence : float, optional
        Also show the places that scores have at this prevalence only (†), and the curve γ_π of the
        scores that are equal for all no-skill performances.
    prediction_rate : float, optional
        The same for this share of positive predictions: the curve γ_τ and the place of the
        markedness (‡).
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> ax = placement_tile(0.3)
    >>> any("κ" in text.get_text() for text in ax.texts)
    True
    """
    ax = new_axes(ax, 5.4, 5.4)
    draw_tile_axes(ax, None, marks=False)
    notes = []
    if prevalence is not None:
        share = check_prevalence(prevalence)
        notes.append("† at a fixed prevalence")
        grey = grey_shade(ax, 0.5)
        ax.plot([0, 1], [0, 1], color=grey, linewidth=1, label="weighted accuracies†")
        ax.plot(
            [0, 1],
            [0.5, 0.5],
            color=grey,
            linewidth=1,
            linestyle=":",
            label="Cohen’s κ, as priors change",
        )
        curve = no_skill_curve(prevalence=share)
        label = f"γ_π at prevalence {share:g}"
        ax.plot(curve["a"], curve["b"], color=ORANGE, linestyle="--", linewidth=1.4, label=label)
        for label, score in (
            ("balanced accuracy†, informedness†, |C|†", "balanced_accuracy"),
            ("Cohen’s κ†", "cohen_kappa"),
        ):
            at = place(score, share)
            if at is not None:
                _mark(ax, label, at, GREEN, below=True)
    if prediction_rate is not None:
        rate = check_number("prediction_rate", prediction_rate, 0.0, 1.0, ends=False)
        notes.append("‡ at a fixed prediction rate")
        curve = no_skill_curve(prediction_rate=rate)
        label = f"γ_τ at prediction rate {rate:g}"
        ax.plot(curve["a"], curve["b"], color=BLUE, linestyle="-.", linewidth=1.4, label=label)
        _mark(ax, "markedness‡", (1 - rate, rate), BLUE, below=False)
    for label, at in PLACES.items():
        joined = prevalence is not None and label in JOINED
        _mark(
            ax, f"{label}, {JOINED[label]}" if joined else label, at, ink_color(), below=at[1] > 0.5
        )
    if notes:
        ax.set_title("   ".join(notes), fontsize=8, loc="left", pad=10)
        ax.legend(
            frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2
        )
    return add_missing_fonts(ax)


@check_call
def pencil(a: float, b: float, prevalence: float, ax: Any = None) -> Any:
    """Draw the iso-performance lines of a canonical score, and the vertex where they meet (The Tile, Figure 2a).

    The thick lines have the values 0 (green) and 1 (orange); along the purple line the value
    changes linearly. A vertex outside the grey areas would rank some performance above the
    faultless one or below the one that is always wrong.

    Parameters
    ----------
    a, b : float
        Place of the score on the Tile.
    prevalence : float
        Share of the positive class, strictly between 0 and 1.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> ax = pencil(0.95, 0.7, 0.2)
    >>> ax.get_title()
    'the score at a = 0.95, b = 0.7, prevalence 0.2'
    """
    a, b = check_number("a", a, 0.0, 1.0), check_number("b", b, 0.0, 1.0)
    prevalence = check_prevalence(prevalence)
    ax = new_axes(ax, 5.6, 5.2)
    point = vertex(a, b, prevalence)
    x, y = point["fpr"].item(), point["tpr"].item()
    meets = np.isfinite([x, y]).all()
    _square(ax, 0.35, (x, y) if meets else (0.0, 1.0))
    scale = scale_on(ax, SEQUENTIAL)
    for level in np.linspace(0, 1, LINES).tolist():
        line = isoperformance(a, b, level, prevalence)
        ends = line["fpr"].values, line["tpr"].values
        if np.isnan(ends).any():
            continue
        inner = 0 < level < 1
        color = scale(level) if inner else (GREEN, ORANGE)[level == 1]
        label = None if inner else f"value {level:g}"
        ax.plot(*ends, color=color, linewidth=1.4 if inner else 2.4, zorder=3, label=label)
        if meets:  # continue to the vertex
            near = int(np.argmin((ends[0] - x) ** 2 + (ends[1] - y) ** 2))
            style = {"linewidth": 0.7, "linestyle": ":"} if inner else {"linewidth": 1.2}
            ax.plot([x, ends[0][near]], [y, ends[1][near]], color=color, zorder=2, **style)
    slope = (1 - prevalence) / prevalence
    across = 0.5 + np.array([-0.5, 0.5]) / max(1, slope)
    ax.plot(
        across,
        0.5 - slope * (across - 0.5),
        color=PURPLE,
        linewidth=1.4,
        zorder=3,
        label="value changes linearly",
    )
    if meets:
        _dot(ax, x, y, RED, 8, label="vertex")
    ax.set_title(f"the score at a = {a:g}, b = {b:g}, prevalence {prevalence:g}", fontsize=10)
    side_legend(ax)
    return add_missing_fonts(ax)


@check_call
def vertices(prevalence: float, axes: Any = None) -> Any:
    """Draw the vertices of canonical scores in the plane of ROC space at a prevalence, by values of a and of b.

    Each line through the bottom right corner belongs to one a, each line through the top left
    corner to one b. A line is solid where the vertices lie. Source: Piérard et al., The Tile,
    Section 3.3 and Figures 2b and 2c.

    Parameters
    ----------
    prevalence : float
    axes : sequence of matplotlib Axes, optional

    Examples
    --------
    >>> [ax.get_title() for ax in vertices(0.2)]
    ['vertices with one a', 'vertices with one b']
    """
    prevalence = check_prevalence(prevalence)
    axes = new_panels(axes, 1, 2, 9.6, 4.4)
    scale = scale_on(axes[0], SEQUENTIAL)
    points_along = np.linspace(0, 1, 401)
    for ax, name, corner, end in zip(
        axes, "ab", ((1, 0), (0, 1)), ("slope_zero", "slope_one"), strict=True
    ):
        _square(ax, 2.0)
        for value in VALUES:
            style = {"color": scale(value), "linewidth": 1.8, "label": f"{name} = {value:g}"}
            for side in (points_along[points_along < value], points_along[points_along > value]):
                points = xr.DataArray(side, dims="point")
                vertex_of = (
                    vertex(value, points, prevalence)
                    if name == "a"
                    else vertex(points, value, prevalence)
                )
                ax.plot(vertex_of["fpr"], vertex_of["tpr"], zorder=3, **style)
                style.pop("label", None)
            slope = vertex(value, value, prevalence)[end].item()
            ax.axline(
                corner, slope=slope, color=scale(value), linewidth=0.6, linestyle=":", zorder=2
            )
        ax.plot(*corner, "o", color=ink_color(), markersize=5, zorder=4)
        ax.set_title(f"vertices with one {name}", fontsize=10)
        side_legend(ax)
        add_missing_fonts(ax)
    return axes


@check_call
def prior_grids(prevalences: Any = VALUES, axes: Any = None) -> Any:
    """Draw a regular grid of the Tile after a shift from balanced classes to each prevalence (The Tile, Figure 8).

    The thick line is the shifted descending diagonal, the no-skill curve.

    Parameters
    ----------
    prevalences : sequence of float
        One panel each.
    axes : sequence of matplotlib Axes, optional

    Examples
    --------
    >>> [ax.get_title() for ax in prior_grids([0.2, 0.5])]
    ['prevalence 0.2', 'prevalence 0.5']
    """
    with rename_argument("prevalences", "prevalence"):
        shares = np.ravel(check_prevalences(prevalences))
    if not shares.size:
        raise ArgumentError("prevalences", "must contain at least one share", "none")
    axes = new_panels(axes, 1, len(shares), 2.9 * len(shares), 3.1)
    for ax, share in zip(axes, shares.tolist(), strict=True):
        for position in prior_grid(share, LINES).values:
            ax.plot([position, position], [0, 1], color=grey_shade(ax, 0.45), linewidth=0.8)
            ax.plot([0, 1], [position, position], color=grey_shade(ax, 0.45), linewidth=0.8)
        curve = no_skill_curve(prevalence=share)
        ax.plot(curve["a"], curve["b"], color=BLUE, linewidth=2.2)
        draw_tile_axes(ax, None, marks=False, small=True)
        ax.set_title(f"prevalence {share:g}", fontsize=10)
    return axes


def _draw_performances(ax: Any, source: Any) -> None:
    """Draw performances as points in ROC space, with names if they are few."""
    across, up = get("fpr")(source), get("tpr")(source)
    names = across["entity"].values.tolist() if across.dims == ("entity",) else []
    if not 0 < len(names) <= MOST:
        ax.plot(across.values.ravel(), up.values.ravel(), ".", color=ink_color(), markersize=5)
        return
    paints = entity_colors(names)
    for name, label, x, y in zip(
        names, plain_names(names, 28), across.values, up.values, strict=True
    ):
        _dot(ax, x, y, paints[name], 7, zorder=4, label=label)


def _dot(ax: Any, x: float, y: float, color: Any, size: float, **style: Any) -> None:
    style = {"markeredgecolor": paper_color(ax), "clip_on": False, "zorder": 5} | style
    ax.plot(x, y, "o", color=color, markersize=size, **style)


def _mark(ax: Any, label: str, at: tuple[float, float], color: Any, below: bool) -> None:
    """Mark a place of the Tile, with a label towards its middle; on the right edge beside it, where no curve runs."""
    _dot(ax, *at, color, 6, zorder=4)
    if at[0] == 1 and 0 < at[1] < 1:
        ax.annotate(label, at, (7, 0), textcoords="offset points", va="center", fontsize=8)
        return
    side = np.sign(0.5 - at[0])
    style = {
        "ha": ("right", "center", "left")[int(side) + 1],
        "va": "top" if below else "bottom",
        "fontsize": 8,
    }
    offset = (6 * side, -6 if below else 6)
    ax.annotate(
        label,
        at,
        offset,
        textcoords="offset points",
        zorder=5,
        path_effects=draw_halo(ax, 2.5),
        **style,
    )


def _square(ax: Any, reach: float, point: tuple[float, float] = (0.0, 1.0)) -> None:
    """Draw ROC space in its plane, with the grey areas where a vertex may lie, wide enough to show a point."""
    from matplotlib.patches import Rectangle

    far = np.clip(point, -8, 9)
    low, high = min(-reach, *(far - 0.1)), max(1 + reach, *(far + 0.1))
    for corner, size in (((low, low), -low), ((1.0, 1.0), high - 1)):
        ax.add_patch(
            Rectangle(corner, size, size, color=grey_shade(ax, 0.12), linewidth=0, zorder=0)
        )
    ax.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=ink_color(), linewidth=1.2, zorder=2)
    ax.set(
        xlim=(low, high),
        ylim=(low, high),
        aspect="equal",
        xlabel="FPR",
        ylabel="TPR",
        xticks=[0, 1],
        yticks=[0, 1],
    )
