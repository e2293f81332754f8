"""What may be known of a score in closed form: its contours in ROC space, and the area where it is worse.

Rates and prevalences come as x (FPR), y (TPR), p and n (shares of the positive and of the negative class), values of
the score as k. All on plain arrays, with the uniform distribution over the square of the rates.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = ["Area", "Contour", "ExactRatio", "Turning", "corners", "half_plane", "ranking_area"]

#: Something of value k, FPR x, and the shares p and n.
Form = Callable[[Any, Any, Any, Any], Any]
#: The outperformance score of values and prevalences.
Area = Callable[[Any, Any], Any]
#: Whole numbers n, d and m of whole cells such that the score, or its square with the same sign, is n / (d m), and m is
#: the same for all tables given.
ExactRatio = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any]]
#: FPRs and TPRs at a prevalence.
Meeting = Callable[[float], tuple[tuple[float, float], ...]]


@dataclass(frozen=True)
class Corners:
    """Points that are the same at every prevalence."""

    points: tuple[tuple[float, float], ...]

    def __call__(self, p: float) -> tuple[tuple[float, float], ...]:
        return self.points


def corners(*points: tuple[float, float]) -> Meeting:
    """Contours that meet there, whatever the prevalence."""
    return Corners(points)


PARALLEL = corners()


@dataclass(frozen=True)
class Turning:
    """A contour that turns back beyond the square, where two TPRs go with one FPR, as a curve.

    Parameters
    ----------
    rates : callable
        FPR and TPR at value k, parameter t, p and n.
    parameter : callable
        t at FPR, TPR, p and n.
    ends : pair of float, optional
        Of t; by default those of the picture.
    """

    rates: Callable[[Any, Any, Any, Any], tuple[Any, Any]]
    parameter: Form
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class Contour:
    """Contours in closed form.

    Parameters
    ----------
    tpr : callable
        At value k, FPR x, p and n; on the branch that crosses the square where there are two.
    meeting : callable
        The points where all contours of a prevalence meet.
    turning : Turning, optional
        Where contours turn back.
    upright : callable, optional
        FPR at value k, p and n, where contours are vertical lines.
    """

    tpr: Form
    meeting: Meeting = PARALLEL
    turning: Turning | None = None
    upright: Callable[[Any, Any, Any], Any] | None = None

    def at(self, value: Callable[[Any], Any]) -> "Contour":
        """Contours of a function of the score, which is k where the score is ``value(k)``."""
        tpr, turning, upright = self.tpr, self.turning, self.upright
        if turning is not None:
            rates = turning.rates
            turning = replace(turning, rates=lambda k, t, p, n: rates(value(k), t, p, n))
        return Contour(
            lambda k, x, p, n: tpr(value(k), x, p, n),
            self.meeting,
            turning,
            None if upright is None else lambda k, p, n: upright(value(k), p, n),
        )

    def balanced(self) -> "Contour":
        """Contours of the score at a prevalence of 1/2."""
        tpr, turning, meeting, upright = self.tpr, self.turning, self.meeting, self.upright
        if turning is not None:
            rates, parameter = turning.rates, turning.parameter
            turning = replace(
                turning,
                rates=lambda k, t, p, n: rates(k, t, 0.5, 0.5),
                parameter=lambda x, y, p, n: parameter(x, y, 0.5, 0.5),
            )
        return Contour(
            lambda k, x, p, n: tpr(k, x, 0.5 + 0 * p, 0.5 + 0 * p),
            lambda p: meeting(0.5),
            turning,
            None if upright is None else lambda k, p, n: upright(k, 0.5, 0.5),
        )


def half_plane(tnr: Any, tpr: Any, bound: Any) -> np.ndarray:
    """Area of {tnr·TNR + tpr·TPR < bound} in the unit square, for coefficients >= 0.

    As the mean over one rate of the clipped bound on the other. Divided by the larger coefficient, so that nothing
    cancels when the other one goes to 0.
    """
    first, second, bound = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (tnr, tpr, bound)))
    large, small = np.maximum(first, second), np.maximum(np.minimum(first, second), 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope = small / large
        height = np.clip(bound / large, 0.0, 1.0 + slope)
    area = _ramp(height, slope) - _ramp(height - 1.0, slope)
    return np.where(large > 0, np.clip(area, 0.0, 1.0), np.where(np.isnan(bound), np.nan, bound > 0))


def _ramp(height: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Integral of (height - slope·x)₊ over x in [0, 1]."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        triangle = np.maximum(height, 0.0) ** 2 / (2 * slope)
    return np.where(height >= slope, height - slope / 2, np.where(height > 0, triangle, 0.0))


def ranking_area(value: Any, prevalence: Any, *, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
    """OPS of the ranking score of an importance; everything broadcasts.

    R < v means (1 - v)(π₋ I(tn) TNR + π₊ I(tp) TPR) < v (π₋ I(fp) FPR + π₊ I(fn) FNR), which is a half-plane.
    """
    positive, negative = prevalence, 1 - prevalence
    return half_plane(
        negative * (tn * (1 - value) + fp * value),
        positive * (tp * (1 - value) + fn * value),
        value * (negative * fp + positive * fn),
    )
