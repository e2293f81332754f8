"""Pictures of all confusion matrices of one size: slices of their simplex, still and one after the other.

After Lovell et al., *Never mind the metrics*.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesrank._checks import check_integer, check_sequence, describe_value
from bayesrank._types import ScoreLike
from bayesrank.papers.roc import _lattice, _roc_axes, _values
from bayesrank.plots._colors import grey_shade, ink_color, scale_on
from bayesrank.plots._contours import PAINT, draw_contours, score_label, score_limits
from bayesrank.plots._style import new_axes, new_panels
from bayesrank.scores import as_score
from bayesrank.scores.lattice import lattice_values, simplex_corners, simplex_slice

__all__ = ["SIDE", "animate_contours", "check_positive_count", "confusion_simplex"]

#: Elevation and azimuth from where slices show their faces, and no corner of the simplex is behind one.
SIDE = (20.0, -40.0)


def animate_contours(
    score: ScoreLike,
    total: int = 100,
    positives: Sequence[int] | None = None,
    values: Sequence[float] | None = None,
    axes: Any = None,
) -> Any:
    """Animate the contours of a score over all test sets of one size, by rising numbers of positives.

    The animation shows the ROC square and the simplex, with all cases at one scale (Lovell et al., Appendix D.4). Write
    it to a file with its method ``save``.

    Parameters
    ----------
    score : Score, str or callable
        Colour and contours.
    total : int
        Cases.
    positives : sequence of int, optional
        One frame each; by default fifty at most, from 1 to ``total`` less 1.
    values : sequence of float, optional
        One contour each; by default as for :func:`contours`.
    axes : pair of matplotlib Axes, optional

    Returns
    -------
    matplotlib.animation.FuncAnimation

    Raises
    ------
    ValueError
        If a number of positives is not between 1 and ``total`` less 1.

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

    score = as_score(score)
    check_integer("total", total, 2)
    frames = list(range(1, total, max(1, total // 50))) if positives is None else check_positive_count(positives, total)
    _lattice((total + 1) // 2, total // 2)  # refuses what is too large to be drawn
    shown = None if values is None else _values(values)
    axes = new_panels(axes, 1, 2, 9.6, 4.4)
    square, lattice = axes
    drawn: list[Any] = []
    norm, paint = Normalize(*score_limits(score)), scale_on(square, PAINT)

    def draw(p: int) -> list[Any]:
        n = total - p
        for part in drawn:
            part.remove()
        drawn.clear()
        points, value = _lattice(p, n), lattice_values(p, n, score).values.ravel()
        for ax, scale, size in ((square, (1, 1), 9), (lattice, (n, p), 4)):
            lines = draw_contours(ax, score, p / total, shown, (0.0, 1.0), scale=scale)
            for line in lines:  # in one colour: those of their values vanish on points of the same value
                line.set(color=ink_color(), linewidth=0.8, zorder=3)
            drawn.extend(lines)
            drawn.append(ax.scatter(
                points["fpr"] * scale[0], points["tpr"] * scale[1], c=value, s=size, cmap=paint, norm=norm, zorder=2
            ))  # fmt: skip
        square.set_title(f"{score_label(score)}: {p} positives, {n} negatives")
        return drawn

    _roc_axes(square, (-0.02, 1.02))
    lattice.set(
        xlim=(-0.02 * total, 1.02 * total), ylim=(-0.02 * total, 1.02 * total), xlabel="false positives",
        ylabel="true positives", aspect="equal", title=f"the same matrices, to scale: all {total} cases",
    )  # fmt: skip
    lattice.plot(
        [0, total], [total, 0], color=grey_shade(lattice, 0.3), linewidth=0.8
    )  # the upper right corners of all
    square.figure.colorbar(ScalarMappable(norm, paint), ax=lattice, label=score_label(score), shrink=0.8)
    return FuncAnimation(square.figure, draw, frames=frames, interval=120)


def confusion_simplex(total: int, positives: Sequence[int], score: ScoreLike, ax: Any = None) -> Any:
    """Draw slices of the simplex of all confusion matrices of one size, coloured by a score (Lovell et al., Figure 1).

    Parameters
    ----------
    total : int
        Cases.
    positives : sequence of int
        One slice for each number of positives.
    score : Score, str or callable
        Colour; matrices for which it is undefined are grey.
    ax : matplotlib Axes, optional
        With the projection 3d.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> axes = confusion_simplex(20, [5, 10, 15], "mcc")
    >>> axes.name
    '3d'
    """
    score, slices = as_score(score), check_positive_count(positives, check_integer("total", total, 2))
    for p in slices:
        _lattice(p, total - p)  # refuses what is too large to be drawn
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(figsize=(5.6, 4.8), layout="constrained").add_subplot(projection="3d")
    if getattr(new_axes(ax, 0, 0), "name", "") != "3d":
        raise ValueError(f"ax must have the projection 3d; got {describe_value(ax)}")
    corners = simplex_corners(total)
    ends = corners.values
    for i in range(4):
        for j in range(i):
            ax.plot(*ends[[i, j]].T, color=grey_shade(ax, 0.4), linewidth=0.8)
    for name, end in zip(corners["cell"].values, ends, strict=True):
        ax.text(*(end * 1.12), f"{name} = {total}", ha="center", fontsize=8, zorder=9)
    dots = None
    for p in slices:
        points = simplex_slice(p, total - p)
        corner = points.isel(tp=-1, fp=-1).values  # all called positive
        ax.text(*corner, f"  p = {p}", fontsize=8, zorder=9)
        colour = lattice_values(p, total - p, score).values
        low, high = score_limits(score)
        dots = ax.scatter(
            *np.moveaxis(points.values, -1, 0).reshape(3, -1), c=colour.ravel(), s=5, cmap=scale_on(ax, PAINT),
            vmin=low, vmax=high,
            plotnonfinite=True, depthshade=False,
        )  # fmt: skip
    if dots is not None:
        ax.figure.colorbar(dots, ax=ax, label=score_label(score), shrink=0.7, pad=0.02)
    ax.set_axis_off()
    ax.set_box_aspect((1, 1, 1), zoom=1.1)
    ax.view_init(*SIDE)
    return ax


def check_positive_count(positives: Any, total: int) -> list[int]:
    """Check numbers of positives: at least one, each with cases of both classes."""
    found = [check_integer("positives", p, 1, total - 1) for p in check_sequence("positives", positives)]
    if not found:
        raise ValueError("positives must hold one whole number or more; got none")
    return found
