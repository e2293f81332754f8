"""Pictures of all confusion matrices of a test set and of the contours of scores among them.

After Lovell et al., *Never mind the metrics*.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bayesrank._checks import check_bool, check_integer, check_interval, check_numbers, check_prevalence, check_sequence
from bayesrank._types import ScoreLike
from bayesrank.plots._colors import draw_halo, grey_shade, ink_color, mix_colors, scale_on
from bayesrank.plots._contours import PAINT, draw_contours, score_label, score_limits
from bayesrank.plots._style import new_axes
from bayesrank.predictive import multiplicity
from bayesrank.scores import Score, as_score
from bayesrank.scores.lattice import lattice_values, pr_lattice, roc_lattice, roc_to_pr

__all__ = ["contours", "multiplicities", "pr_points", "roc_points"]

#: Most contours, and most points of a lattice, in a picture; more would be illegible.
MOST, POINTS = 200, 1_000_000


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
    score : Score, str or callable
        What to draw.
    prevalence : float
        Share of the positive class.
    values : sequence of float, optional
        One contour each; by default round numbers within the score's range, at most ten between 0 and its end further
        from 0: 0.1, ..., 0.9, and -0.9, ..., 0.9 for scores that may be -1.
    extent : pair of float
        Range of both axes.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> contours("f1", prevalence=0.2).get_xlabel()
    'FPR'
    """
    score, prevalence, extent = as_score(score), check_prevalence(prevalence), check_interval("extent", extent)
    if not np.isfinite(extent).all() or extent[0] == extent[1]:
        raise ValueError(f"extent must be finite, its low below its high; got {extent}")
    shown = None if values is None else _values(values)
    ax = new_axes(ax, 4.6, 4.2)
    draw_contours(ax, score, prevalence, shown, extent, bar=True)
    _roc_axes(ax, extent)
    suffix = f", prevalence {prevalence:.3g}" if score.depends_on_prevalence else ""
    ax.set_title(f"{score_label(score)}{suffix}")
    return ax


def roc_points(positives: int, negatives: int, score: ScoreLike, as_counts: bool = False, ax: Any = None) -> Any:
    """Draw all points of a test set in the ROC square, coloured by a score, over contours (Lovell et al., Figure 2).

    Parameters
    ----------
    positives, negatives : int
        Cases of each class.
    score : Score, str or callable
        Colour and contours.
    as_counts : bool
        Label the axes with counts of cases at the same scale: the slice of the simplex as it is.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> roc_points(5, 8, "f1").get_ylabel()
    'TPR'
    """
    score, points = as_score(score), _lattice(positives, negatives)
    wide = check_bool("as_counts", as_counts) and negatives > 2 * positives
    ax = new_axes(ax, *((8.4, 4.2) if wide else (5.0, 4.2)))
    scale = (negatives, positives) if as_counts else (1, 1)
    for line in draw_contours(ax, score, positives / (positives + negatives), None, (0.0, 1.0), scale=scale):
        _above(ax, line)
    x, y = points["fpr"].values * scale[0], points["tpr"].values * scale[1]
    size = 5 if as_counts else 11
    words = ("false positives", "true positives") if as_counts else ("FPR", "TPR")
    ax.set(xlabel=words[0], ylabel=words[1])
    return _draw_points(
        ax, x, y, (positives, negatives), score, "bottom" if wide else "right", s=size, edgecolors=grey_shade(ax, 0.7),
        linewidths=0.2,
    )  # fmt: skip


def pr_points(positives: int, negatives: int, score: ScoreLike, ax: Any = None) -> Any:
    """Draw all points of a test set in the precision-recall square, coloured by a score, under its contours.

    Parameters
    ----------
    positives, negatives : int
        Cases of each class.
    score : Score, str or callable
        Colour and contours.
    ax : matplotlib Axes, optional

    References
    ----------
    Lovell et al., Never mind the metrics, Eq. 113 and Figure D.3.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> pr_points(5, 8, "f1").get_ylabel()
    'precision'
    """
    score, points = as_score(score), _lattice(positives, negatives, pr_lattice)
    share = positives / (positives + negatives)
    ax = new_axes(ax, 5.0, 4.2)
    for line in draw_contours(ax, score, share, None, (0.0, 1.0)):
        rates = np.array(line.get_data())
        inside = ~np.isnan(rates).any(axis=0)
        curve = roc_to_pr(rates[0, inside], rates[1, inside], share)
        rates[:, inside] = curve["recall"], curve["precision"]
        line.set_data(rates)
        _above(ax, line)
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    return _draw_points(ax, points["recall"], points["precision"], (positives, negatives), score, s=9)


def multiplicities(positives: int, negatives: int, score: ScoreLike, ax: Any = None) -> Any:
    """Draw how many matrices share each value, over the contours of the score (Lovell et al., Figure F.3).

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> multiplicities(5, 8, "accuracy").get_xlabel()
    'FPR'
    """
    from matplotlib.colors import LogNorm

    score, points = as_score(score), _lattice(positives, negatives)
    ax = new_axes(ax, 5.0, 4.2)
    number = multiplicity(positives, negatives, score).isel(tn=slice(None, None, -1)).values  # by FP
    draw_contours(ax, score, positives / (positives + negatives), None, (0.0, 1.0))
    dots = ax.scatter(
        points["fpr"],
        points["tpr"],
        c=number.ravel(),
        s=12,
        cmap=scale_on(ax, "viridis_r"),
        norm=LogNorm(1, max(number.max(), 2)),
    )
    bar = ax.figure.colorbar(dots, ax=ax, label="matrices with this value (not linear: logarithms)")
    ticks = [n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if n <= max(number.max(), 2)]
    bar.set_ticks(ticks, labels=[str(n) for n in ticks])
    bar.minorticks_off()
    ax.set_aspect("equal")
    ax.set(xlabel="FPR", ylabel="TPR", title=f"{score_label(score)}: {positives} positives, {negatives} negatives")
    return ax


def _values(values: Any) -> np.ndarray:
    """Return the values of the contours."""
    found = check_numbers("values", check_sequence("values", values))
    if found.ndim != 1 or found.size > MOST:
        raise ValueError(f"values must be a sequence of {MOST} numbers at most; got shape {found.shape}")
    return found


def _lattice(positives: Any, negatives: Any, lattice: Callable[[int, int], Any] = roc_lattice) -> Any:
    """Return all points of a test set with cases of both classes."""
    for name, cases in (("positives", positives), ("negatives", negatives)):
        check_integer(name, cases, 1)
    if (positives + 1) * (negatives + 1) > POINTS:
        raise ValueError(
            f"positives and negatives must make {POINTS:,} matrices at most; got {positives} and {negatives}"
        )
    return lattice(positives, negatives)


def _draw_points(
    ax: Any, x: Any, y: Any, sizes: tuple[int, int], score: Score, bar: str = "right", **style: Any
) -> Any:
    """Draw the points of a lattice, coloured by a score."""
    low, high = score_limits(score)
    value = lattice_values(*sizes, score).values.ravel()
    dots = ax.scatter(x, y, c=value, cmap=scale_on(ax, PAINT), vmin=low, vmax=high, **style)
    ax.figure.colorbar(dots, ax=ax, label=score_label(score), location=bar)
    ax.set_aspect("equal")
    ax.set_title(f"{sizes[0]} positives, {sizes[1]} negatives")
    return ax


def _above(ax: Any, line: Any) -> None:
    """A contour over points of its own colour: darker, with an edge of paper."""
    line.set(zorder=3, color=mix_colors(line.get_color(), ink_color(), 0.45), path_effects=draw_halo(ax, 2.0))


def _roc_axes(ax: Any, extent: tuple[float, float]) -> None:
    ax.set(xlim=extent, ylim=extent, xlabel="FPR", ylabel="TPR", aspect="equal")
