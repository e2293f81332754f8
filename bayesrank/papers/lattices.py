"""Plots of all confusion matrices of a test set and of contours of scores (Lovell et al., *Never mind the metrics*)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_bool,
    check_integer,
    check_interval,
    check_numbers,
    check_prevalence,
    check_sequence,
    describe_value,
)
from bayesrank._core.errors import ArgumentError
from bayesrank._core.types import ScoreLike
from bayesrank.plots.kit.colors import draw_halo, grey_shade, ink_color, mix_colors, scale_on
from bayesrank.plots.kit.contours import PAINT, draw_contours, score_label, score_limits
from bayesrank.plots.kit.contours import count_ticks as count_ticks
from bayesrank.plots.kit.style import new_axes, new_panels
from bayesrank.predictive import multiplicity
from bayesrank.scores import Score, as_score
from bayesrank.scores.lattice import (
    lattice_values,
    roc_lattice,
    roc_to_pr,
    simplex_corners,
    simplex_slice,
)

#: Maximum numbers of contours and of points in a plot.
MOST, POINTS = 200, 1_000_000
#: Elevation and azimuth from which no corner of the simplex is behind a slice.
SIDE = (20.0, -40.0)


@check_call
def contours(
    score: ScoreLike,
    prevalence: float,
    values: Sequence[float] | None = None,
    extent: tuple[float, float] = (0.0, 1.0),
    ax: Any = None,
) -> Any:
    """Draw score contours in the ROC square, or beyond it with a wider ``extent`` (Lovell et al., Figures B.1 to C.15).

    Parameters
    ----------
    score, prevalence
        As for :func:`bayesrank.contour`.
    values : sequence of float, optional
        One contour each; by default round numbers within the score's range.
    extent : pair of float
        Range of both axes.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> contours("f1", prevalence=0.2).get_xlabel()
    'FPR'
    """
    score, prevalence, extent = (
        as_score(score),
        check_prevalence(prevalence),
        check_interval("extent", extent),
    )
    if not np.isfinite(extent).all() or extent[0] == extent[1]:
        raise ArgumentError("extent", "must be finite, its low below its high", extent)
    shown = None if values is None else check_numbers("values", check_sequence("values", values))
    if shown is not None and (shown.ndim != 1 or shown.size > MOST):
        raise ArgumentError(
            "values", f"must be a sequence of at most {MOST} numbers", f"shape {shown.shape}"
        )
    ax = new_axes(ax, 4.6, 4.2)
    draw_contours(ax, score, prevalence, shown, extent, bar=True)
    suffix = f", prevalence {prevalence:.3g}" if score.depends_on_prevalence else ""
    ax.set(
        xlim=extent,
        ylim=extent,
        xlabel="FPR",
        ylabel="TPR",
        aspect="equal",
        title=f"{score_label(score)}{suffix}",
    )
    return ax


@check_call
def roc_points(
    positives: int, negatives: int, score: ScoreLike, as_counts: bool = False, ax: Any = None
) -> Any:
    """Draw all points of a test set in the ROC square, coloured by a score, over contours (Lovell et al., Figure 2).

    Parameters
    ----------
    positives, negatives : int
        Cases of each class.
    score : Score, str or callable
    as_counts : bool
        Count cases on the axes, at one scale, as in a slice of the simplex.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> roc_points(5, 8, "f1").get_ylabel()
    'TPR'
    """
    score = as_score(score)
    _check_sizes(positives, negatives)
    wide = check_bool("as_counts", as_counts) and negatives > 2 * positives
    ax = new_axes(ax, *((8.4, 4.2) if wide else (5.0, 4.2)))
    scale = (negatives, positives) if as_counts else (1, 1)
    for line in draw_contours(
        ax, score, positives / (positives + negatives), None, (0.0, 1.0), scale=scale
    ):
        _darken(ax, line)
    style: dict[str, Any] = {
        "s": 5 if as_counts else 11,
        "edgecolors": grey_shade(ax, 0.7),
        "linewidths": 0.2,
    }
    _scatter(ax, positives, negatives, score, scale, "bottom" if wide else "right", **style)
    words = ("false positives", "true positives") if as_counts else ("FPR", "TPR")
    ax.set(xlabel=words[0], ylabel=words[1], title=f"{positives} positives, {negatives} negatives")
    return ax


@check_call
def pr_points(positives: int, negatives: int, score: ScoreLike, ax: Any = None) -> Any:
    """Draw what :func:`roc_points` does in the precision-recall square (Lovell et al., Eq. 113 and Figure D.3).

    Parameters
    ----------
    positives, negatives, score, ax
        As for :func:`roc_points`.

    Examples
    --------
    >>> pr_points(5, 8, "f1").get_ylabel()
    'precision'
    """
    score = as_score(score)
    _check_sizes(positives, negatives)
    share = positives / (positives + negatives)
    ax = new_axes(ax, 5.0, 4.2)
    for line in draw_contours(ax, score, share, None, (0.0, 1.0)):
        rates = np.array(line.get_data())
        inside = ~np.isnan(rates).any(axis=0)
        curve = roc_to_pr(rates[0, inside], rates[1, inside], share)
        rates[:, inside] = curve["recall"], curve["precision"]
        line.set_data(rates)
        _darken(ax, line)
    ax.set(
        xlabel="recall", ylabel="precision", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal"
    )
    ax.set_title(f"{positives} positives, {negatives} negatives")
    points = roc_lattice(positives, negatives)
    _scatter(ax, positives, negatives, score, points=(points["tpr"], points["precision"]), s=9)
    return ax


@check_call
def multiplicities(positives: int, negatives: int, score: ScoreLike, ax: Any = None) -> Any:
    """Draw how many matrices share each value, over the contours of the score (Lovell et al., Figure F.3).

    Parameters
    ----------
    positives, negatives, score, ax
        As for :func:`roc_points`.

    Examples
    --------
    >>> multiplicities(5, 8, "accuracy").get_xlabel()
    'FPR'
    """
    from matplotlib.colors import LogNorm

    score = as_score(score)
    _check_sizes(positives, negatives)
    ax = new_axes(ax, 5.0, 4.2)
    number = (
        multiplicity(positives, negatives, score).isel(tn=slice(None, None, -1)).values
    )  # by FP
    most = max(number.max(), 2)
    draw_contours(ax, score, positives / (positives + negatives), None, (0.0, 1.0))
    points = roc_lattice(positives, negatives)
    style = {"cmap": scale_on(ax, "viridis_r"), "norm": LogNorm(1, most)}
    dots = ax.scatter(points["fpr"], points["tpr"], c=number.ravel(), s=12, **style)
    bar = ax.figure.colorbar(dots, ax=ax, label="matrices with this value (not linear: logarithms)")
    ticks = [n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if n <= most]
    bar.set_ticks(ticks, labels=[str(n) for n in ticks])
    bar.minorticks_off()
    title = f"{score_label(score)}: {positives} positives, {negatives} negatives"
    ax.set(xlabel="FPR", ylabel="TPR", title=title, aspect="equal")
    return ax


@check_call
def animate_contours(
    score: ScoreLike, total: int = 100, positives: Sequence[int] | None = None
) -> Any:
    """Animate the contours of a score over test sets of one size with more and more positives.

    The left panel is the ROC square; the right one has the numbers of false and true positives on
    its axes, at one scale for all frames (Lovell et al., Appendix D.4). Write it to a file with its
    method ``save``.

    Parameters
    ----------
    score : Score, str or callable
    total : int
        Number of cases.
    positives : sequence of int, optional
        One frame each; by default at most fifty, from 1 to ``total`` less 1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> film = animate_contours("ppv", total=10, positives=[2, 5])
    >>> _ = film._init_draw()  # draws the first frame
    >>> plt.close("all")
    """
    from matplotlib.animation import FuncAnimation
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    score, total = as_score(score), check_integer("total", total, 2)
    frames = check_slices(
        range(1, total, max(1, total // 50)) if positives is None else positives, total
    )
    square, lattice = axes = new_panels(None, 1, 2, 9.6, 4.4)
    drawn: list[Any] = []

    def draw(p: int) -> list[Any]:
        n = total - p
        for part in drawn:
            part.remove()
        drawn.clear()
        for ax, scale, size in zip(axes, ((1, 1), (n, p)), (9, 4), strict=True):
            lines = draw_contours(ax, score, p / total, None, (0.0, 1.0), scale=scale)
            for line in lines:  # in one colour, to be seen on points of the same value
                line.set(color=ink_color(), linewidth=0.8, zorder=3)
            drawn.extend([*lines, _scatter(ax, p, n, score, scale, None, s=size, zorder=2)])
        square.set_title(f"{score_label(score)}: {p} positives, {n} negatives")
        return drawn

    ends = np.array([-0.02, 1.02])
    square.set(xlim=ends, ylim=ends, xlabel="FPR", ylabel="TPR", aspect="equal")
    lattice.set(
        xlim=ends * total,
        ylim=ends * total,
        xlabel="false positives",
        ylabel="true positives",
        aspect="equal",
    )
    lattice.set_title(f"the same matrices, to scale: all {total} cases")
    # The upper right corners of all frames lie on this line.
    lattice.plot([0, total], [total, 0], color=grey_shade(lattice, 0.3), linewidth=0.8)
    colors = ScalarMappable(Normalize(*score_limits(score)), scale_on(square, PAINT))
    square.figure.colorbar(colors, ax=lattice, label=score_label(score), shrink=0.8)
    return FuncAnimation(square.figure, draw, frames=frames, interval=120)


@check_call
def confusion_simplex(
    total: int, positives: Sequence[int], score: ScoreLike, ax: Any = None
) -> Any:
    """Draw slices of the simplex of all confusion matrices of one size, coloured by a score (Lovell et al., Figure 1).

    Parameters
    ----------
    total : int
        Number of cases.
    positives : sequence of int
        One slice for each number of positives.
    score : Score, str or callable
        Matrices for which it is undefined are grey.
    ax : matplotlib Axes, optional
        With the projection 3d.

    Examples
    --------
    >>> confusion_simplex(20, [5, 10, 15], "mcc").name
    '3d'
    """
    score, slices = as_score(score), check_slices(positives, check_integer("total", total, 2))
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(figsize=(5.6, 4.8), layout="constrained").add_subplot(projection="3d")
    if getattr(new_axes(ax, 0, 0), "name", "") != "3d":
        raise ArgumentError("ax", "must have the projection 3d", describe_value(ax))
    corners = simplex_corners(total)
    ends = corners.values
    for i in range(4):
        for j in range(i):
            ax.plot(*ends[[i, j]].T, color=grey_shade(ax, 0.4), linewidth=0.8)
    for name, end in zip(corners["cell"].values, ends, strict=True):
        ax.text(*(end * 1.12), f"{name} = {total}", ha="center", fontsize=8, zorder=9)
    for p in slices:
        points = simplex_slice(p, total - p).values
        ax.text(*points[-1, -1], f"  p = {p}", fontsize=8, zorder=9)  # all called positive
        places = np.moveaxis(points, -1, 0).reshape(3, -1)
        dots = _scatter(
            ax,
            p,
            total - p,
            score,
            bar=None,
            points=places,
            s=5,
            plotnonfinite=True,
            depthshade=False,
        )
    ax.figure.colorbar(dots, ax=ax, label=score_label(score), shrink=0.7, pad=0.02)
    ax.set_axis_off()
    ax.set_box_aspect((1, 1, 1), zoom=1.1)
    ax.view_init(*SIDE)
    return ax


def check_slices(positives: Any, total: int) -> list[int]:
    """Check numbers of positives: at least one, each with cases of both classes, and few enough matrices."""
    result = [
        check_integer("positives", p, 1, total - 1) for p in check_sequence("positives", positives)
    ]
    if not result:
        raise ArgumentError("positives", "must contain at least one whole number", "none")
    for p in result:
        _check_sizes(p, total - p)
    return result


def _check_sizes(positives: Any, negatives: Any) -> None:
    for name, cases in (("positives", positives), ("negatives", negatives)):
        check_integer(name, cases, 1)
    if (positives + 1) * (negatives + 1) > POINTS:
        raise ArgumentError(
            "positives and negatives",
            f"must give at most {POINTS:,} matrices",
            f"{positives} and {negatives}",
        )


def _scatter(
    ax: Any,
    positives: int,
    negatives: int,
    score: Score,
    scale: tuple[float, float] = (1, 1),
    bar: str | None = "right",
    points: Any = None,
    **style: Any,
) -> Any:
    """Draw all matrices of a test set, coloured by a score, at ``points``, by default those of ROC space."""
    if points is None:
        rates = roc_lattice(positives, negatives)
        points = rates["fpr"] * scale[0], rates["tpr"] * scale[1]
        ax.set_aspect("equal")
    low, high = score_limits(score)
    value = lattice_values(positives, negatives, score).values.ravel()
    dots = ax.scatter(*points, c=value, cmap=scale_on(ax, PAINT), vmin=low, vmax=high, **style)
    if bar is not None:
        ax.figure.colorbar(dots, ax=ax, label=score_label(score), location=bar)
    return dots


def _darken(ax: Any, line: Any) -> None:
    """Darken a contour and give it a halo, to be seen on points of its own colour."""
    line.set(
        zorder=3,
        color=mix_colors(line.get_color(), ink_color(), 0.45),
        path_effects=draw_halo(ax, 2.0),
    )
