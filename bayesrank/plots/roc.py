"""Pictures of all confusion matrices of a test set and of the contours of scores among them.

After Lovell et al., *Never mind the metrics*.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bayesrank._checks import flag, numbers, one_prevalence, sequence, span, whole
from bayesrank.plots._colors import halo, ink, mixed, scale_on, shade
from bayesrank.plots._style import new_axes
from bayesrank.predictive import multiplicity
from bayesrank.scores import Score, as_score
from bayesrank.scores.contours import closed_form, contour_curve, contour_meeting_points
from bayesrank.scores.lattice import lattice_values, pr_lattice, roc_lattice, roc_to_pr

__all__ = ["contours", "count_ticks", "multiplicities", "pr_points", "roc_points"]

#: From red, low, to blue, high; on paper grey, not white, between, so that lines are seen.
PAINT = "coolwarm_r"
#: Of a number of steps, to rounding.
SLACK = 1e-9
#: Contours, and points of a lattice, in a picture: of more nothing can be told.
MOST, POINTS = 200, 1_000_000


def contours(
    score: Any,
    prevalence: float,
    values: Sequence[float] | None = None,
    extent: tuple[float, float] = (0.0, 1.0),
    ax: Any = None,
) -> Any:
    """Contours of a score in the ROC square, or beyond it with a wider ``extent`` (Lovell et al., Figures B.1 to C.15).

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
    score, prevalence, extent = as_score(score), one_prevalence(prevalence), span("extent", extent)
    if not np.isfinite(extent).all() or extent[0] == extent[1]:
        raise ValueError(f"extent must be finite, its low below its high; got {extent}")
    shown = None if values is None else _values(values)
    ax = new_axes(ax, 4.6, 4.2)
    _draw_contours(ax, score, prevalence, shown, extent, bar=True)
    _roc_axes(ax, extent)
    ax.set_title(f"{_name(score)}, prevalence {prevalence:.3g}")
    return ax


def roc_points(positives: int, negatives: int, score: Any, as_counts: bool = False, ax: Any = None) -> Any:
    """All points of a test set in the ROC square, coloured by a score, over its contours (Lovell et al., Figure 2).

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
    wide = flag("as_counts", as_counts) and negatives > 2 * positives
    ax = new_axes(ax, *((8.4, 4.2) if wide else (5.0, 4.2)))
    scale = (negatives, positives) if as_counts else (1, 1)
    for line in _draw_contours(ax, score, positives / (positives + negatives), None, (0.0, 1.0), scale=scale):
        _above(ax, line)
    x, y = points["fpr"].values * scale[0], points["tpr"].values * scale[1]
    size = 5 if as_counts else 11
    words = ("false positives", "true positives") if as_counts else ("FPR", "TPR")
    ax.set(xlabel=words[0], ylabel=words[1])
    return _draw_points(
        ax, x, y, (positives, negatives), score, "bottom" if wide else "right", s=size, edgecolors=shade(ax, 0.7),
        linewidths=0.2,
    )  # fmt: skip


def pr_points(positives: int, negatives: int, score: Any, ax: Any = None) -> Any:
    """All points of a test set in the precision-recall square, coloured by a score, under its contours.

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
    for line in _draw_contours(ax, score, share, None, (0.0, 1.0)):
        rates = np.array(line.get_data())
        inside = ~np.isnan(rates).any(axis=0)
        curve = roc_to_pr(rates[0, inside], rates[1, inside], share)
        rates[:, inside] = curve["recall"], curve["precision"]
        line.set_data(rates)
        _above(ax, line)
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    return _draw_points(ax, points["recall"], points["precision"], (positives, negatives), score, s=9)


def count_ticks(ax: Any, positives: int, negatives: int) -> Any:
    """Counts of cases along the axes of a picture of the ROC square, in the place of rates: how many stand behind it.

    Parameters
    ----------
    ax : matplotlib Axes
        With FPR across and TPR up, both from 0 to 1: of any picture here that has such.
    positives, negatives : int
        Cases of each class.

    Returns
    -------
    matplotlib Axes

    References
    ----------
    Lovell et al., Never mind the metrics, Section 4.

    Examples
    --------
    >>> ax = count_ticks(contours("f1", 0.2), 20, 80)
    >>> ax.get_xlabel(), [label.get_text() for label in ax.get_xticklabels()]
    ('false positives', ['0', '20', '40', '60', '80'])
    """
    if ax is None:
        raise TypeError("ax must be a Matplotlib Axes; got None")
    ax = new_axes(ax, 0, 0)
    whole("positives", positives)
    whole("negatives", negatives)
    for axis, cases, words in ((ax.xaxis, negatives, "false positives"), (ax.yaxis, positives, "true positives")):
        ticks = np.unique(np.linspace(0, cases, 5).round())  # counts are whole
        axis.set_ticks(ticks / max(cases, 1), [f"{t:g}" for t in ticks])
        axis.set_label_text(words)
    return ax


def multiplicities(positives: int, negatives: int, score: Any, ax: Any = None) -> Any:
    """How many matrices share the value of each, over the contours of the score (Lovell et al., Figure F.3).

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
    _draw_contours(ax, score, positives / (positives + negatives), None, (0.0, 1.0))
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
    ax.set(xlabel="FPR", ylabel="TPR", title=f"{_name(score)}: {positives} positives, {negatives} negatives")
    return ax


def _values(values: Any) -> np.ndarray:
    """Values of which each has a contour."""
    found = numbers("values", sequence("values", values))
    if found.ndim != 1 or found.size > MOST:
        raise ValueError(f"values must be a sequence of {MOST} numbers at most; got shape {found.shape}")
    return found


def _lattice(positives: Any, negatives: Any, lattice: Callable[[int, int], Any] = roc_lattice) -> Any:
    """All points of a test set, which has cases of both classes."""
    for name, cases in (("positives", positives), ("negatives", negatives)):
        whole(name, cases, 1)
    if (positives + 1) * (negatives + 1) > POINTS:
        raise ValueError(
            f"positives and negatives must make {POINTS:,} matrices at most; got {positives} and {negatives}"
        )
    return lattice(positives, negatives)


def _draw_points(
    ax: Any, x: Any, y: Any, sizes: tuple[int, int], score: Score, bar: str = "right", **style: Any
) -> Any:
    """The points of a lattice, coloured by a score."""
    low, high = _limits(score)
    value = lattice_values(*sizes, score).values.ravel()
    dots = ax.scatter(x, y, c=value, cmap=scale_on(ax, PAINT), vmin=low, vmax=high, **style)
    ax.figure.colorbar(dots, ax=ax, label=_name(score), location=bar)
    ax.set_aspect("equal")
    ax.set_title(f"{sizes[0]} positives, {sizes[1]} negatives")
    return ax


def _above(ax: Any, line: Any) -> None:
    """A contour over points of its own colour: darker, with an edge of paper."""
    line.set(zorder=3, color=mixed(line.get_color(), ink(), 0.45), path_effects=halo(ax, 2.0))


def _draw_contours(
    ax: Any,
    score: Score,
    prevalence: float,
    values: Sequence[float] | np.ndarray | None,
    extent: tuple[float, float],
    scale: tuple[float, float] = (1, 1),
    bar: bool = False,
) -> list[Any]:
    """One line for each value, coloured by it."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shown = _steps(*_limits(score)) if values is None else np.asarray(values, dtype=float)
    norm = Normalize(*_limits(score))
    paint = ScalarMappable(norm, scale_on(ax, PAINT))
    lines = []
    for value in shown.tolist():
        curve = contour_curve(score, [value], prevalence, extent).isel(value=0)
        x, y = curve["fpr"] * scale[0], curve["tpr"] * scale[1]
        lines += ax.plot(x, y, color=paint.to_rgba(value), linewidth=1.2, zorder=0)
    if bar:
        ax.figure.colorbar(paint, ax=ax, label=_name(score))
    if extent != (0.0, 1.0):
        ax.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=ink(), linewidth=1)
        if closed_form(score) is not None:
            meeting = contour_meeting_points(score, prevalence)
            near = meeting.where(np.abs(meeting["fpr"] - np.mean(extent)) <= np.ptp(extent) / 2)
            ax.plot(near["fpr"], near["tpr"], "o", color=ink(), markersize=4)
    return lines


def _limits(score: Score) -> tuple[float, float]:
    """Ends of the colour scale: the score's range; for infinite ones as far as the contours go."""
    low, high = score.range
    return (low if np.isfinite(low) else -10.0, high if np.isfinite(high) else 10.0)


def _steps(low: float, high: float) -> np.ndarray:
    """Round values strictly between two ends, 1, 2 or 5 times a power of ten apart: as many in any unit.

    The step is a tenth at least of the way from an end to 0, if that lies between them, else to the other end.
    """
    span = max(-low, high) if low <= 0 <= high else high - low
    if span == 0:
        return np.array([])
    power = np.floor(np.log10(span / 10) + SLACK)
    size = next(size for size in (1, 2, 5, 10) if size * (1 + SLACK) >= span / 10 / 10**power)
    step = size * 10**power
    first, last = np.floor(low / step + SLACK) + 1, np.ceil(high / step - SLACK) - 1
    # Whole numbers of steps by a division where that is exact, so that 3 steps of 0.1 are 0.3.
    times = np.arange(first, last + 1) * size
    return times / 10**-power if power < 0 else times * 10**power


def _name(score: Any) -> str:
    score = as_score(score)
    # A symbol with an index is not for plain text.
    return score.symbol if score.symbol and "_" not in score.symbol else score.display


def _roc_axes(ax: Any, extent: tuple[float, float]) -> None:
    ax.set(xlim=extent, ylim=extent, xlabel="FPR", ylabel="TPR", aspect="equal")
