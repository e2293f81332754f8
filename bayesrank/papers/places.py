"""Plots of the places of scores on the Tile, and of canonical scores in ROC space (The Tile, Figures 2 and 3)."""

from typing import Any

import numpy as np

from bayesrank._checks import check_number, check_prevalence, rename_argument
from bayesrank.plots._colors import OKABE_ITO, draw_halo, grey_shade, ink_color, paper_color, scale_on
from bayesrank.plots._furniture import draw_tile_axes
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import new_axes, new_panels

__all__ = ["pencil", "placement_tile", "prior_grids", "vertices"]

#: Lines of a pencil, and of a grid along either axis; values of a, of b, and of the prevalence, one curve each.
LINES, VALUES = 11, (0.1, 0.3, 0.5, 0.7, 0.9)
ORANGE, BLUE, GREEN, PURPLE, RED = (OKABE_ITO[i] for i in (1, 0, 2, 3, 5))
#: Orders with one place at all priors: what is written, (a, b), and where it is written.
EVERYWHERE = (
    ("TNR", (0.0, 0.0), (6, 6), ("left", "bottom")),
    ("accuracy, Bennett’s S", (0.5, 0.5), (6, 6), ("left", "bottom")),
    ("TPR", (1.0, 1.0), (-6, -6), ("right", "top")),
    ("J₋", (0.0, 0.5), (6, 5), ("left", "bottom")),
    ("F₁, J₊", (1.0, 0.5), (-6, 5), ("right", "bottom")),
    ("F₂", (1.0, 0.8), (-6, 0), ("right", "center")),
    ("F₀.₅", (1.0, 0.2), (-6, 0), ("right", "center")),
    ("P(right | no FN)", (0.5, 0.0), (0, 6), ("center", "bottom")),
    ("P(right | no FP)", (0.5, 1.0), (0, -6), ("center", "top")),
)
#: Those where scores join that order so at a fixed prevalence alone.
CORNERS = (
    (("NPV", "SNPV†, NLR†"), (0.0, 1.0), (6, -6), ("left", "top")),
    (("PPV", "SPPV†, PLR†"), (1.0, 0.0), (-6, 6), ("right", "bottom")),
    (("P(tn), P(fp)", "†"), (0.0, 0.0), (6, 18), ("left", "bottom")),
    (("P(tp), P(fn)", "†"), (1.0, 1.0), (-6, -18), ("right", "top")),
)


def placement_tile(prevalence: float | None = None, ax: Any = None, *, prediction_rate: float | None = None) -> Any:
    """Draw the places of common scores on the Tile.

    Parameters
    ----------
    prevalence : float, optional
        Also show the orders that lie there for performances of this prevalence alone (†): balanced accuracy and
        informedness, on the line of all weighted accuracies, and Cohen's κ on its own; and the curve γ_π of the scores
        that put all no-skill performances on one footing.
    ax : matplotlib Axes, optional
        Where to draw.
    prediction_rate : float, optional
        Draw the curve γ_τ of this share of positive predictions, and the place of the markedness there (‡).

    Returns
    -------
    matplotlib.axes.Axes

    References
    ----------
    Piérard et al., The Tile, Figures 3 and 6.

    Examples
    --------
    >>> ax = placement_tile(0.3)
    >>> any("κ" in text.get_text() for text in ax.texts)
    True
    """
    from bayesrank.scores.placement import place
    from bayesrank.tile import no_skill_curve

    ax = new_axes(ax, 5.4, 5.4)
    draw_tile_axes(ax, None, marks=False)
    if prevalence is not None:
        share = check_prevalence(prevalence)
        for line, label in (
            (([0, 1], [0, 1]), "weighted accuracies†"),
            (([0, 1], [0.5, 0.5]), "Cohen’s κ, as priors change"),
        ):
            ax.plot(*line, color=grey_shade(ax, 0.5), linewidth=1, linestyle=":" if "κ" in label else "-", label=label)
        curve = no_skill_curve(prevalence=share)
        ax.plot(
            curve["a"], curve["b"], color=ORANGE, linestyle="--", linewidth=1.4, label=f"γ_π at prevalence {share:g}"
        )
        for text, score, offset, (horizontal, vertical) in (
            ("balanced accuracy†, informedness†, |C|†", "balanced_accuracy", (7, -7), ("left", "top")),
            ("Cohen’s κ†", "cohen_kappa", (0, -8), ("center", "top")),
        ):
            at = place(score, share)
            if at is not None:
                horizontal = "right" if at[0] > 0.55 else horizontal
                _mark(
                    ax, text, at, (-7 if horizontal == "right" else offset[0], offset[1]), horizontal, vertical, GREEN
                )
    if prediction_rate is not None:
        rate = check_number("prediction_rate", prediction_rate, 0.0, 1.0, ends=False)
        curve = no_skill_curve(prediction_rate=rate)
        label = f"γ_τ at prediction rate {rate:g}"
        ax.plot(curve["a"], curve["b"], color=BLUE, linestyle="-.", linewidth=1.4, label=label)
        _mark(ax, "markedness‡", (1 - rate, rate), (7, -7), "left", "top", BLUE)
    for text, where, offset, (horizontal, vertical) in EVERYWHERE:
        _mark(ax, text, where, offset, horizontal, vertical, ink_color())
    for (text, more), where, offset, (horizontal, vertical) in CORNERS:
        if more == "†":
            if prevalence is not None:
                _mark(ax, text.replace(",", "†,") + "†", where, offset, horizontal, vertical, ink_color())
        else:
            _mark(
                ax,
                f"{text}, {more}" if prevalence is not None else text,
                where,
                offset,
                horizontal,
                vertical,
                ink_color(),
            )
    notes = [("† at a fixed prevalence", prevalence), ("‡ at a fixed prediction rate", prediction_rate)]
    said = "   ".join(note for note, given in notes if given is not None)
    if said:
        ax.set_title(said, fontsize=8, loc="left")
        ax.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    return add_missing_fonts(ax)


def _mark(ax: Any, text: str, at: tuple[float, float], offset: Any, across: str, up: str, color: Any) -> None:
    ax.plot(*at, "o", color=color, markeredgecolor=paper_color(ax), markersize=6, clip_on=False, zorder=4)
    ax.annotate(
        text.replace("$", r"\$"), at, offset, textcoords="offset points", ha=across, va=up, fontsize=8, zorder=5,
        path_effects=draw_halo(ax, 2.5),
    )  # fmt: skip


def pencil(a: float, b: float, prevalence: float, ax: Any = None) -> Any:
    """Draw the iso-performance lines of a canonical score in ROC space, and the vertex where they meet.

    Parameters
    ----------
    a, b : float
        Place of the score on the Tile.
    prevalence : float
        Share of the positive class, strictly between 0 and 1.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Green is the line of value 0, orange that of value 1, as in the paper; purple is a line along which the value
        changes linearly. Grey are the areas where a vertex may lie: elsewhere, some performance would be better than
        the faultless one, or worse than the one that is always wrong. Where a = b the lines are parallel, and there is
        no vertex.

    References
    ----------
    Piérard et al., The Tile, Section 3.3 and Figure 2a.

    Examples
    --------
    >>> ax = pencil(0.95, 0.7, 0.2)
    >>> ax.get_title()
    'the score at a = 0.95, b = 0.7, prevalence 0.2'
    """
    from bayesrank.plots._furniture import SEQUENTIAL
    from bayesrank.tile import isoperformance, vertex

    a, b = check_number("a", a, 0.0, 1.0), check_number("b", b, 0.0, 1.0)
    prevalence = check_prevalence(prevalence)
    ax = new_axes(ax, 5.6, 5.2)
    point = vertex(a, b, prevalence)
    x, y = point["fpr"].item(), point["tpr"].item()
    meets = np.isfinite([x, y]).all()
    _square(ax, (x, y) if meets else None)
    scale = scale_on(ax, SEQUENTIAL)
    for level in np.linspace(0, 1, LINES):
        line = isoperformance(a, b, float(level), prevalence)
        ends = line["fpr"].values, line["tpr"].values
        if np.isnan(ends).any():
            continue
        outer = 0 < level < 1
        color = scale(level) if outer else GREEN if level == 0 else ORANGE
        ax.plot(*ends, color=color, linewidth=1.4 if outer else 2.4, zorder=3)
        if meets:  # on to the vertex
            near = int(np.argmin((ends[0] - x) ** 2 + (ends[1] - y) ** 2))
            ax.plot([x, ends[0][near]], [y, ends[1][near]], color=color, zorder=2,
                    linewidth=0.7 if outer else 1.2, linestyle=":" if outer else "-")  # fmt: skip
    slope = -(1 - prevalence) / prevalence
    ends_x = np.array([0.5 - 0.5 / max(1, -slope), 0.5 + 0.5 / max(1, -slope)])
    ax.plot(ends_x, 0.5 + slope * (ends_x - 0.5), color=PURPLE, linewidth=1.4, zorder=3, label="value changes linearly")
    ax.plot([], [], color=GREEN, linewidth=2.4, label="value 0")
    ax.plot([], [], color=ORANGE, linewidth=2.4, label="value 1")
    if meets:
        ax.plot(
            x, y, "o", color=RED, markeredgecolor=paper_color(ax), markersize=8, clip_on=False, zorder=5, label="vertex"
        )
    ax.set_title(f"the score at a = {a:g}, b = {b:g}, prevalence {prevalence:g}", fontsize=10)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return add_missing_fonts(ax)


def vertices(prevalence: float, axes: Any = None) -> Any:
    """Draw the vertices of canonical scores in the plane of ROC space, by values of a and of b.

    Parameters
    ----------
    prevalence : float
        Share of the positive class, strictly between 0 and 1.
    axes : pair of matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        Lines through the bottom right corner of ROC, one for each a, and through the top left one, one for each b;
        solid where the vertices lie.

    References
    ----------
    Piérard et al., The Tile, Section 3.3 and Figures 2b and 2c.

    Examples
    --------
    >>> [ax.get_title() for ax in vertices(0.2)]
    ['vertices with one a', 'vertices with one b']
    """
    from bayesrank.plots._furniture import SEQUENTIAL
    from bayesrank.tile import vertex

    prevalence = check_prevalence(prevalence)
    axes = new_panels(axes, 1, 2, 9.6, 4.4)
    scale = scale_on(axes[0], SEQUENTIAL)
    other = np.linspace(0, 1, 401)
    for ax, name, corner in zip(axes, "ab", ((1.0, 0.0), (0.0, 1.0)), strict=True):
        _square(ax, None, reach=2.0)
        for value in VALUES:
            for side in (other < value, other > value):
                if not side.any():
                    continue
                places = {"a": value, "b": other[side]} if name == "a" else {"a": other[side], "b": value}
                found = vertex(_label_points(places["a"]), _label_points(places["b"]), prevalence)
                ax.plot(found["fpr"], found["tpr"], color=scale(value), linewidth=1.8, zorder=3)
            slopes = vertex(value, value, prevalence)
            slope = slopes["slope_zero" if name == "a" else "slope_one"].item()
            label = f"{name} = {value:g}"
            ax.axline(corner, **({"slope": slope} if np.isfinite(slope) else {"xy2": (corner[0], corner[1] + 1)}),
                      color=scale(value), linewidth=0.6, linestyle=":", zorder=2)  # fmt: skip
            ax.plot([], [], color=scale(value), linewidth=1.8, label=label)
        ax.plot(*corner, "o", color=ink_color(), markersize=5, zorder=4)
        ax.set_title(f"vertices with one {name}", fontsize=10)
        ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        add_missing_fonts(ax)
    return axes


def prior_grids(prevalences: Any = VALUES, axes: Any = None) -> Any:
    """Draw how a shift to each prevalence deforms the Tile of balanced priors, one panel per prevalence.

    Parameters
    ----------
    prevalences : sequence of float
        Shares of the positive class, strictly between 0 and 1.
    axes : sequence of matplotlib Axes, optional
        One for each prevalence.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        Where the lines of the grid go, and, thick, where the descending diagonal does: the no-skill curve.

    References
    ----------
    Piérard et al., The Tile, Figure 8, and Eq. 4 and 5.

    Examples
    --------
    >>> [ax.get_title() for ax in prior_grids([0.2, 0.5])]
    ['prevalence 0.2', 'prevalence 0.5']
    """
    from bayesrank._checks import check_prevalences
    from bayesrank.tile import no_skill_curve, prior_grid

    with rename_argument("prevalences", "prevalence"):
        shares = np.ravel(check_prevalences(prevalences))
    if not shares.size:
        raise ValueError("prevalences must hold one share or more; got none")
    axes = new_panels(axes, 1, len(shares), 2.9 * len(shares), 3.1)
    for ax, share in zip(axes, shares.tolist(), strict=True):
        for place in prior_grid(share, LINES).values:
            ax.plot([place, place], [0, 1], color=grey_shade(ax, 0.45), linewidth=0.8)
            ax.plot([0, 1], [place, place], color=grey_shade(ax, 0.45), linewidth=0.8)
        curve = no_skill_curve(prevalence=share)
        ax.plot(curve["a"], curve["b"], color=BLUE, linewidth=2.2)
        draw_tile_axes(ax, None, marks=False, small=True)
        ax.set_title(f"prevalence {share:g}", fontsize=10)
    return axes


def _label_points(values: Any) -> Any:
    import xarray as xr

    return xr.DataArray(values, dims="point") if np.ndim(values) else float(values)


def _square(ax: Any, point: tuple[float, float] | None, reach: float = 0.35) -> None:
    """ROC space in its plane, with the grey areas to its lower left and upper right, wide enough for a point."""
    far = (0.0, 1.0) if point is None else tuple(np.clip(point, -8, 9))
    low = min(-reach, *(value - 0.1 for value in far))
    high = max(1 + reach, *(value + 0.1 for value in far))
    for corner, size in (((low, low), -low), ((1.0, 1.0), high - 1)):
        from matplotlib.patches import Rectangle

        ax.add_patch(Rectangle(corner, size, size, color=grey_shade(ax, 0.12), linewidth=0, zorder=0))
    ax.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=ink_color(), linewidth=1.2, zorder=2)
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal", xlabel="FPR", ylabel="TPR")
    ax.set_xticks([0, 1])
    ax.set_yticks([0, 1])
