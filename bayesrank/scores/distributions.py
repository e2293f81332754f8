"""Distributions of a score whose TNR and TPR are independent Beta variables, given the prevalence.

The score rises with both rates, so that it is at most v below a contour, on which TPR falls as TNR
rises:

    P(score <= v) = ∫ P(TPR <= contour(v, TNR)) dP(TNR),

an integral over log odds of the TNR. Most scores state their contours
(:class:`bayesrank.scores.Contour`); those of others are solved for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bayesrank.scores import betas as _betas
from bayesrank.scores.contour_area import NEAR_ENDS, extrapolation, highest_degrees, root
from bayesrank.scores.contours import closed_form
from bayesrank.scores.dirichlet import of_dirichlet
from bayesrank.scores.score import Score

#: Log odds beyond which a product of four rates could underflow.
FAR = 150.0
#: Values nearer than this share of the range to one of its ends cannot be distinguished from that
#: end.
EDGE = 1e-12
#: Places between which a score of infinite range is integrated: logarithms of ratios.
FARTHEST = 300.0
#: Values that differ by less, relative to their size, and in later decimals, are the same.
SAME, DECIMALS = 1e-12, 12
#: A concentration below the first number puts so much next to 0 or 1 that a TPR within the second one of them must be
#: solved for as log odds.
FAINT, NEAR = 0.3, 1e-6
#: Panels to start with, and further ones for this length in log odds.
PANELS, LONGEST = 2, 16.0
#: Log odds of rates at which a score is asked what it depends on, and whether it keeps to its
#: range.
LOGITS = np.array([-30.0, -15.0, -5.0, -1.0, 0.5, 3.0, 10.0, 25.0])
#: Integrals over the distribution function of one TPR that cost more than its table.
MANY = 20
#: Integrals that are computed together: few enough for the cache, and for products in one thread.
CHUNK = 1000
#: What integrals may err by.
TOLERANCE = 1e-9
#: Panels are halved until the coefficients of the highest degrees are below the first number, and the extrapolation
#: to the ends of a panel errs by less than the second. Gauss's rule integrates polynomials of twice the degree, so that
#: it errs by far less than those coefficients, unless there are kinks.
SMOOTH, AT_ENDS = 1e-5, 1e-9
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
TO_ENDS, HIGHEST = extrapolation(NODES), highest_degrees(NODES)
#: The shortest panel, as a share of an integral.
SHORTEST = 2.0**-36


class Scale(NamedTuple):
    """A monotone map between places (-inf, inf) and values of a score, higher is better."""

    value: Callable[[Any], np.ndarray]  #: The value at a place.
    place: Callable[[Any], np.ndarray]  #: The place of a value; infinite at the ends of the range.
    limits: tuple[
        float, float
    ]  #: Places beyond which values cannot be distinguished from the ends of the range.


def range_scale(low: float, high: float) -> Scale:
    """Return the scale of a score from ``low`` to ``high``: log odds of the distances from both ends."""

    def log(distance: Any) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(distance, 0.0))

    if np.isfinite([low, high]).all():
        width, far = high - low, -float(np.log(EDGE))
        return Scale(
            lambda x: np.where(
                np.less(x, 0),
                low + width * special.expit(x),
                high - width * special.expit(np.negative(x)),
            ),
            lambda v: log(np.subtract(v, low)) - log(np.subtract(high, v)),
            (-far, far),
        )
    if np.isfinite(low):
        return Scale(
            lambda x: low + np.exp(x), lambda v: log(np.subtract(v, low)), (-FARTHEST, FARTHEST)
        )
    if np.isfinite(high):
        return Scale(
            lambda x: high - np.exp(-x), lambda v: -log(np.subtract(high, v)), (-FARTHEST, FARTHEST)
        )
    return Scale(
        lambda x: np.asarray(x, dtype=float), lambda v: np.asarray(v, dtype=float), (-1e300, 1e300)
    )


def scale_of(score: Score, shares: set[float]) -> Scale:
    """Return the scale of the score's range, if all values are within it."""
    low, high = (0.0, 1.0) if score.importance else score.range
    if not score.higher_is_better:
        low, high = -high, -low
    for share in shares if score.function else ():
        values = value_at(score, LOGITS, LOGITS[:, None], np.asarray(share))
        if (values < low - 1e-9).any() or (values > high + 1e-9).any():
            return range_scale(-np.inf, np.inf)
    return range_scale(low, high)


def value_at(score: Score, tnr: Any, tpr: Any, share: Any) -> np.ndarray:
    """Return the score, negated if lower is better, where TNR and TPR have these log odds."""
    right, wrong = special.expit(tnr), special.expit(-np.asarray(tnr))
    hit, miss = special.expit(tpr), special.expit(-np.asarray(tpr))
    values = score.unclipped((1 - share) * right, (1 - share) * wrong, share * miss, share * hit)
    return values if score.higher_is_better else -values


def fixed_rate(beta: np.ndarray) -> np.ndarray:
    """Return the log odds of rates that are certainly 0 or 1 (..., right and wrong); NaN where a rate varies."""
    right, wrong = _columns(beta)
    return np.where(wrong <= 0, np.inf, np.where(right <= 0, -np.inf, np.nan))


def rate_scale(value: Callable[[Any], np.ndarray]) -> Scale:
    """Return the scale of a score of one rate, ``value`` of its log odds: these log odds themselves."""

    def place(values: Any) -> np.ndarray:
        requested = np.asarray(values, dtype=float)
        flat = requested.ravel()
        end = np.full(flat.size, FAR)
        solution = root(lambda x, i: value(x) - flat[i], -end, end)
        low, high = value(np.array([-np.inf, np.inf]))
        return np.where(flat >= high, np.inf, np.where(flat <= low, -np.inf, solution)).reshape(
            requested.shape
        )

    return Scale(value, place, (-np.inf, np.inf))


def _columns(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the two columns of an array (..., 2)."""
    return pairs[..., 0], pairs[..., 1]


class ScoreTable(NamedTuple):
    """The distribution of a ranking score of a Dirichlet table: the prevalence is averaged over in closed form."""

    cdf: Callable[[np.ndarray], np.ndarray]  #: Of values.
    support: np.ndarray  #: Places between which the score lies.


def table_of(score: Score, scale: Scale, rates: tuple[float, ...]) -> ScoreTable | None:
    """Return the distribution of a score for these parameters of TNR and TPR; None if it has no closed form."""
    cells = dict(zip(("tn", "fp", "tp", "fn"), rates, strict=True))
    weights = {cell: weight for cell, weight in (score.importance or {}).items() if weight > 0}
    right, wrong = (
        [(weights[c], cells[c]) for c in side if c in weights]
        for side in (("tn", "tp"), ("fn", "fp"))
    )
    if not right or not wrong or min(cells[cell] for cell in weights) <= 0:
        return None
    odds = _betas.support(*(sum(a for _, a in side) for side in (right, wrong)))
    low = min(w for w, _ in right) / max(w for w, _ in wrong)
    high = max(w for w, _ in right) / min(w for w, _ in wrong)
    return ScoreTable(
        of_dirichlet(right, wrong)[0], np.clip(np.stack(odds) + np.log([low, high]), *scale.limits)
    )


@dataclass(frozen=True)
class Rates:
    """Distributions (rows), each of one entity given a prevalence."""

    #: One that rises with TPR and TNR, or falls where lower is better.
    score: Score
    scale: Scale
    beta: (
        np.ndarray
    )  #: Beta parameters (row, TNR and TPR, right and wrong). One of 0 fixes the rate at 0 or 1.
    share: np.ndarray  #: Prevalence of the positive class (row).
    rate: int  #: The rate that the score depends on, if it is one alone; places are then its log odds. Else -1.
    tables: Mapping[int, ScoreTable]  #: Rows that are tables instead.
    slack: float = 1.0  #: How many times larger than usual the errors of integrals may be.

    @cached_property
    def fixed(self) -> np.ndarray:
        """Return log odds of the rates that do not vary (row, TNR and TPR), else NaN."""
        return fixed_rate(self.beta)

    @cached_property
    def atom(self) -> np.ndarray:
        """Return the value of a score that does not vary (row), a point mass; NaN where it varies."""
        points = np.array([[-2.0, -2.0], [0.0, 0.0], [2.0, 2.0], [-2.0, 2.0], [2.0, -2.0]])
        logits = np.where(np.isnan(self.fixed), points[:, None], self.fixed)
        every = value_at(self.score, *_columns(logits), self.share)
        same = np.ptp(every, axis=0) <= SAME * np.maximum(np.abs(every[0]), 1)
        return np.where(same, np.round(every[1], DECIMALS), np.nan)

    @cached_property
    def window(self) -> np.ndarray:
        """Return log odds between which each rate lies: (row, TNR and TPR, low and high)."""
        out, free = np.repeat(self.fixed[..., None], 2, axis=2), np.isnan(self.fixed)
        ends = np.stack(_betas.support(*_columns(self.beta[free])), axis=1)
        out[free] = ends if self.rate >= 0 else np.clip(ends, -FAR, FAR)
        return out

    @cached_property
    def support(self) -> tuple[np.ndarray, np.ndarray]:
        """Places between which each score lies, except for next to no probability; twice that of a point mass."""
        if self.rate >= 0:
            places = self.window[:, self.rate].T
        else:
            values = [
                value_at(self.score, *_columns(self.window[..., k]), self.share) for k in (0, 1)
            ]
            places = np.clip(self.scale.place(np.stack(values)), *self.scale.limits)
        for row, table in self.tables.items():
            places[:, row] = table.support
        return tuple(np.where(np.isnan(self.atom), places, self.scale.place(self.atom)))

    @cached_property
    def _tpr_of_row(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of each row's TPR, and the parameters of the TPRs that need not be solved for."""
        plain = np.flatnonzero((self.beta[:, 1] >= FAINT).all(axis=1))
        different, number = np.unique(self.beta[plain, 1], axis=0, return_inverse=True)
        which = np.zeros(len(self.beta), int)
        which[plain] = number.ravel()
        return which, different

    @cached_property
    def _tpr_table(self) -> _betas.CdfTable:
        return _betas.CdfTable.of(*_columns(self._tpr_of_row[1]))

    def cdf(self, row: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Return P(score <= the value at a place) of rows that vary, elementwise."""
        if self.rate >= 0:
            return _betas.cdf(*_columns(self.beta[row, self.rate]), place)
        out, free = np.zeros(len(row)), np.isnan(self.fixed[row]).sum(axis=1)
        for number, table in self.tables.items():
            of_row = row == number
            free[of_row] = 0
            out[of_row] = table.cdf(self.scale.value(place[of_row]))
        one, both = np.flatnonzero(free == 1), np.flatnonzero(free == 2)
        out[one] = self._of_one_rate(row[one], place[one])
        tabulated = len(both) > MANY * len(self._tpr_of_row[1]) > 0
        for start in range(0, len(both), CHUNK):
            some = both[start : start + CHUNK]
            out[some] = self._of_two_rates(row[some], place[some], tabulated)
        return out

    def _of_one_rate(self, row: np.ndarray, place: np.ndarray) -> np.ndarray:
        value, free = self.scale.value(place), np.isnan(self.fixed[row])
        end = np.full(len(row), FAR)

        def gap(logit: np.ndarray, i: np.ndarray) -> np.ndarray:
            rates = np.where(free[i], logit[:, None], self.fixed[row[i]])
            return value_at(self.score, *_columns(rates), self.share[row[i]]) - value[i]

        return _betas.cdf(*_columns(self.beta[row][free]), root(gap, -end, end))

    def _of_two_rates(self, row: np.ndarray, place: np.ndarray, tabulated: bool) -> np.ndarray:
        value, share, window = self.scale.value(place), self.share[row], self.window[row]
        tnr_beta, tpr_beta = self.beta[row, 0], self.beta[row, 1]
        a, b = _columns(tnr_beta)
        peak = _betas.log_at_mode(a, b)

        end, every = window[:, 1, ::-1].ravel(), np.repeat(np.arange(len(row)), 2)

        def gap(tnr: np.ndarray, k: np.ndarray) -> np.ndarray:
            return value_at(self.score, tnr, end[k], share[every[k]]) - value[every[k]]

        # Left of ``start`` TPR lies below the contour, right of ``stop`` above it: bends if a rate
        # may reach 0 or 1.
        start, stop = root(gap, *_columns(window[every, 0])).reshape(-1, 2).T
        contour = closed_form(self.score)
        faint = (tpr_beta < FAINT).any(axis=1)
        level = value if self.score.higher_is_better else -value
        which, table = self._tpr_of_row[0][row], self._tpr_table if tabulated else None

        def below_contour(i: np.ndarray, tnr: np.ndarray) -> np.ndarray:
            below = np.full(tnr.shape, np.nan)
            if contour is not None:
                with np.errstate(all="ignore"):
                    tpr = contour.tpr(level[i], special.expit(-tnr), share[i], 1 - share[i])
                tpr = np.clip(tpr, 0.0, 1.0)
                direct = faint[i] & (np.abs(tpr - 0.5) < 0.5 - NEAR)
                if table is None:
                    direct |= ~faint[i]
                else:
                    by_table = table.at(which[i], special.logit(tpr))
                    below = np.where(faint[i], np.nan, by_table) if faint.any() else by_table
                if direct.any():
                    j = np.broadcast_to(i, tnr.shape)[direct]
                    below[direct] = special.betainc(*_columns(tpr_beta[j]), tpr[direct])
            rest = np.isnan(below)
            if rest.any():
                j, x = np.broadcast_to(i, tnr.shape)[rest], tnr[rest]
                solution = root(
                    lambda y, k: value_at(self.score, x[k], y, share[j[k]]) - value[j[k]],
                    *_columns(window[j, 1]),
                )
                below[rest] = _betas.cdf(*_columns(tpr_beta[j]), solution)
            return below

        def height(i: np.ndarray, tnr: np.ndarray) -> np.ndarray:
            return below_contour(i, tnr) * _betas.density(a[i], b[i], tnr, peak[i])

        # The contour of a maximum or minimum of scores has a kink; those in closed form have none.
        roughest = TOLERANCE if contour is None else SMOOTH
        area = _integrate(height, start, stop, (self.slack * roughest, self.slack * AT_ENDS))
        outer = _betas.cdf(a, b, start)
        if np.isfinite(self.score.range).all():
            # A TNR beyond its window is 0 or 1 to such a score; the odds of a ratio go on.
            every = np.arange(len(row))
            low, high = _columns(window[:, 0])
            outer = outer * np.where(start <= low, below_contour(every, start), 1.0)
            outer += _betas.cdf(b, a, -stop) * np.where(
                stop >= high, below_contour(every, stop), 0.0
            )
        return np.clip(outer + area, 0.0, 1.0)


def _integrate(
    height: Callable[[np.ndarray, np.ndarray], np.ndarray],
    start: np.ndarray,
    stop: np.ndarray,
    most: tuple[float, float],
) -> np.ndarray:
    """Return ∫ height(i, x) dx from start[i] to stop[i] for each i, by Gauss's rule on panels that are halved.

    ``height`` takes a column of items and a row of places for each. ``most`` limits the
    coefficients of the highest degrees and the errors at the ends of a panel.
    x = start + (stop - start) (t² (3 - 2 t)) makes powers of the distance from an end, which rates with few cases
    have there, smooth.
    """
    total, length = np.zeros(len(start)), stop - start
    number = np.where(length > 0, PANELS + length / LONGEST, 0).astype(int)
    item = np.repeat(np.arange(len(start)), number)
    low = (np.arange(len(item)) - (np.cumsum(number) - number)[item]) / number[item]
    size = 1 / number[item]
    nodes = (np.append(NODES, NEAR_ENDS) + 1) / 2
    while len(item):
        t = low[:, None] + size[:, None] * nodes
        x = start[item, None] + length[item, None] * (t * t * (3 - 2 * t))
        y = height(item[:, None], x) * t * (1 - t) * (3 * size * length[item])[:, None]
        inner, ends = y[:, : len(NODES)], y[:, len(NODES) :]
        rough = np.abs(inner @ HIGHEST).max(axis=1) > most[0]
        rough |= (1 + NODES[0]) * np.abs(ends - inner @ TO_ENDS).sum(axis=1) > most[1]
        done, area = ~rough | (size < SHORTEST), inner @ WEIGHTS
        np.add.at(total, item[done], area[done])
        item, low, size = item[~done], low[~done], size[~done] / 2
        item, low, size = np.tile(item, 2), np.concatenate([low, low + size]), np.tile(size, 2)
    return total
