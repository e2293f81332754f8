"""Contour lines of a score in the ROC square, and what pictures of that square share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesrank._core.checks import check_integer
from bayesrank._core.errors import ArgumentTypeError
from bayesrank.plots.kit.colors import ink_color, scale_on
from bayesrank.plots.kit.style import new_axes
from bayesrank.scores import Score, as_score
from bayesrank.scores.contours import closed_form, contour_curve, contour_meeting_points

#: From red, low, to blue, high; on paper grey, not white, between, so that lines are seen.
PAINT = "coolwarm_r"
#: Of a number of steps, to rounding.
SLACK = 1e-9


def count_ticks(ax: Any, positives: int, negatives: int) -> Any:
    """Label Axes with FPR across and TPR up by counts of cases of both classes (Lovell et al., Section 4).

    Parameters
    ----------
    ax : matplotlib Axes
    positives, negatives : int
        Cases of each class.

    Examples
    --------
    >>> ax = count_ticks(br.papers.contours("f1", 0.2), 20, 80)
    >>> ax.get_xlabel(), [label.get_text() for label in ax.get_xticklabels()]
    ('false positives', ['0', '20', '40', '60', '80'])
    """
    if ax is None:
        raise ArgumentTypeError("ax", "must be a Matplotlib Axes", "None")
    ax = new_axes(ax, 0, 0)
    check_integer("positives", positives)
    check_integer("negatives", negatives)
    for axis, cases, words in (
        (ax.xaxis, negatives, "false positives"),
        (ax.yaxis, positives, "true positives"),
    ):
        ticks = np.unique(np.linspace(0, cases, 5).round())  # counts are whole
        axis.set_ticks(ticks / max(cases, 1), [f"{t:g}" for t in ticks])
        axis.set_label_text(words)
    return ax


def draw_contours(
    ax: Any,
    score: Score,
    prevalence: float,
    values: Sequence[float] | np.ndarray | None,
    extent: tuple[float, float],
    scale: tuple[float, float] = (1, 1),
    bar: bool = False,
) -> list[Any]:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shown = (
        round_values(*score_limits(score)) if values is None else np.asarray(values, dtype=float)
    )
    norm = Normalize(*score_limits(score))
    paint = ScalarMappable(norm, scale_on(ax, PAINT))
    lines = []
    for value in shown.tolist():
        curve = contour_curve(score, [value], prevalence, extent).isel(value=0)
        x, y = curve["fpr"] * scale[0], curve["tpr"] * scale[1]
        lines += ax.plot(x, y, color=paint.to_rgba(value), linewidth=1.2, zorder=0)
    if bar:
        ax.figure.colorbar(paint, ax=ax, label=score_label(score))
    if extent != (0.0, 1.0):
        ax.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=ink_color(), linewidth=1)
        if closed_form(score) is not None:
            meeting = contour_meeting_points(score, prevalence)
            near = meeting.where(np.abs(meeting["fpr"] - np.mean(extent)) <= np.ptp(extent) / 2)
            ax.plot(near["fpr"], near["tpr"], "o", color=ink_color(), markersize=4)
    return lines


def score_limits(score: Score) -> tuple[float, float]:
    """Return ends of the colour scale: the score's range; for infinite ones as far as the contours go."""
    low, high = score.range
    return (low if np.isfinite(low) else -10.0, high if np.isfinite(high) else 10.0)


def round_values(low: float, high: float) -> np.ndarray:
    """Return round values strictly between two ends, 1, 2 or 5 times a power of ten apart.

    The step is a tenth at least of the way from an end to 0, if that lies between them, else to the
    other end.
    """
    from matplotlib.ticker import MaxNLocator

    span = max(-low, high) if low <= 0 <= high else high - low
    if span == 0:
        return np.array([])
    first, second, *_ = MaxNLocator(10, steps=[1, 2, 5, 10]).tick_values(0, span)
    step = second - first
    times = np.arange(np.floor(low / step + SLACK) + 1, np.ceil(high / step - SLACK))
    return np.array([float(f"{k * step:.12g}") for k in times])  # 3 steps of 0.1 are 0.3


def score_label(score: Any) -> str:
    score = as_score(score)
    # A symbol with an index is not for plain text.
    return score.symbol if score.symbol and "_" not in score.symbol else score.display
