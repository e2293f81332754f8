"""Closed forms for scores: contours in ROC space, and the area where a score is worse.

Notation: x (FPR), y (TPR), p and n (prevalence of the positive and negative class), k (value of the
score). All are plain arrays; areas are under the uniform distribution of the rates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Area", "Contour", "ExactRatio", "Turning", "corners", "half_plane", "ranking_area"]

#: A function of the value k, FPR x, and the prevalences p and n.
Form = Callable[[Any, Any, Any, Any], Any]
#: Outperformance score of values and prevalences.
Area = Callable[[Any, Any], Any]
#: Whole numbers n, d and m of whole cells: the score, or its signed square, is n / (d m), with one
#: m for all tables.
ExactRatio = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any]]
#: FPRs and TPRs at a prevalence.
Meeting = Callable[[float], tuple[tuple[float, float], ...]]


def corners(*points: tuple[float, float]) -> Meeting:
    """Return meeting points that do not depend on the prevalence."""
    return lambda p: points


def _nowhere(p: float) -> tuple[tuple[float, float], ...]:
    return ()


@dataclass(frozen=True)
class Turning:
    """A contour that turns back beyond the square, so that one FPR has two TPRs, as a parametric curve.

    ``rates`` returns FPR and TPR at value k, parameter t, p and n; ``parameter`` returns t at FPR,
    TPR, p and n; ``ends`` is the range of t, by default that of the plot.
    """

    rates: Callable[[Any, Any, Any, Any], tuple[Any, Any]]
    parameter: Form
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class Contour:
    """Contours in closed form.

    ``tpr`` returns the TPR at value k, FPR x, p and n, on the branch that crosses the square if
    there are two; ``meeting`` the points where all contours of a prevalence meet; ``upright`` the
    FPR of vertical contours at value k, p and n. ``turning`` are the curves of contours that turn
    back.
    """

    tpr: Form
    meeting: Meeting = _nowhere
    turning: Turning | None = None
    upright: Callable[[Any, Any, Any], Any] | None = None

    def at(self, value: Callable[[Any], Any]) -> "Contour":
        """Return contours of a transformed score, which is k where the score is ``value(k)``."""
        return self._change(value, lambda p: p)

    def balanced(self) -> "Contour":
        """Return contours of the score at a prevalence of 1/2."""
        return self._change(lambda k: k, lambda p: 0.5 + 0 * p)

    def _change(self, value: Callable[[Any], Any], share: Callable[[Any], Any]) -> "Contour":
        tpr, meeting, turning, upright = self.tpr, self.meeting, self.turning, self.upright
        if turning is not None:
            rates, parameter = turning.rates, turning.parameter
            turning = Turning(
                lambda k, t, p, n: rates(value(k), t, share(p), 1 - share(p)),
                lambda x, y, p, n: parameter(x, y, share(p), 1 - share(p)),
                turning.ends,
            )
        return Contour(
            lambda k, x, p, n: tpr(value(k), x, share(p), 1 - share(p)),
            lambda p: meeting(share(p)),
            turning,
            None if upright is None else lambda k, p, n: upright(value(k), share(p), 1 - share(p)),
        )


def half_plane(tnr: Any, tpr: Any, bound: Any) -> np.ndarray:
    """Return the area of {tnr·TNR + tpr·TPR < bound} in the unit square, for coefficients >= 0.

    It is the mean over one rate of the clipped bound on the other. Division by the larger
    coefficient avoids cancellation when the other approaches 0.
    """
    first, second, bound = np.broadcast_arrays(
        *(np.asarray(x, dtype=float) for x in (tnr, tpr, bound))
    )
    large, small = np.maximum(first, second), np.maximum(np.minimum(first, second), 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope = small / large
        height = np.clip(bound / large, 0.0, 1.0 + slope)
    area = _ramp(height, slope) - _ramp(height - 1.0, slope)
    return np.where(
        large > 0, np.clip(area, 0.0, 1.0), np.where(np.isnan(bound), np.nan, bound > 0)
    )


def _ramp(height: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the integral of (height - slope·x)₊ over x in [0, 1]."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        triangle = np.maximum(height, 0.0) ** 2 / (2 * slope)
    return np.where(height >= slope, height - slope / 2, np.where(height > 0, triangle, 0.0))


def ranking_area(value: Any, prevalence: Any, *, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
    """Return OPS of the ranking score of an importance; all arguments broadcast.

    R < v means (1 - v)(π₋ I(tn) TNR + π₊ I(tp) TPR) < v (π₋ I(fp) FPR + π₊ I(fn) FNR), which is a
    half-plane.
    """
    positive, negative = prevalence, 1 - prevalence
    return half_plane(
        negative * (tn * (1 - value) + fp * value),
        positive * (tp * (1 - value) + fn * value),
        value * (negative * fp + positive * fn),
    )
