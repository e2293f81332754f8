"""Distributions of a score of independent Beta rates, of many entities at once.

Where the score is v, TPR and TNR lie on a contour that all entities share. With zeta and eta the logits of TNR and TPR,
s = zeta - eta runs along it from -infinity to infinity, both logits are smooth functions of s, and their slopes are
at most 1: nothing has kinks or ends. The score is at most v with the probability of what lies below the contour,

    P(score <= v) = ∫ P(TPR below the contour at zeta) dP(TNR <= zeta),

an integral over panels of s that are as narrow as the sharpest posterior there asks for.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from bayesrank.ranking._beta_tables import FAR, BetaTables, beta_tables, window
from bayesrank.ranking._board import Scale, slopes_at
from bayesrank.scores._contour_area import root
from bayesrank.scores.score import Score

__all__ = ["Rates", "is_defined", "value_at"]

#: Values that differ by less, and in as many decimals, are one.
SAME, DECIMALS = 1e-12, 12
#: Panels along a contour: as wide as so many standard deviations, and no wider.
DEVIATIONS, PANEL = 3.5, 1.75
#: Pieces of the score across the contours: their length, their degree, and what may be left of them beyond it.
STRIDE, DEGREE, REST = 2.0, 15, 1e-11
#: Places on contours that are held at a time.
MOST = 4e6


def value_at(score: Score, zeta: Any, eta: Any, share: Any) -> np.ndarray:
    """The score, higher is better, where TNR and TPR have these logits.

    Examples
    --------
    >>> from bayesrank.scores import as_score
    >>> value_at(as_score("informedness"), 0.0, np.inf, 0.5).item()
    0.5
    """
    right, wrong = special.expit(zeta), special.expit(-np.asarray(zeta))
    hit, miss = special.expit(eta), special.expit(-np.asarray(eta))
    values = score.unclipped((1 - share) * right, (1 - share) * wrong, share * miss, share * hit)
    return values if score.higher_is_better else -values


@dataclass(frozen=True)
class _Along:
    """Where the posteriors of entities live along the contours."""

    tables: BetaTables
    of_tnr: np.ndarray  #: Which table is that of an entity's TNR.
    of_tpr: np.ndarray
    beta: np.ndarray  #: Parameters of TNR and the logarithm of their Beta function (entity, 3).
    first: np.ndarray  #: The first panel of an entity, and one beyond its last.
    last: np.ndarray
    s: np.ndarray  #: (panel, 1 + node + 1): its nodes between its ends.
    half: np.ndarray  #: Half the length of a panel.
    corners: np.ndarray  #: The least and the greatest score (prevalence, entity, 2).
    far: float  #: The mean logit of both rates is sought so far from 0.


@dataclass(frozen=True)
class Rates:
    """The distributions of a score, entity by entity, given each of some prevalences.

    Parameters
    ----------
    score : Score
        Rises with TPR and TNR, or falls where lower is better.
    shares : ndarray
        Prevalences of the positive class.
    tnr, tpr : ndarray
        Beta parameters (entity, 2): right first. One of 0 makes the rate 0 or 1.
    nodes : int
        Of each panel along a contour.
    scale : Scale
        One on which the score rises steadily.
    """

    score: Score
    shares: np.ndarray
    tnr: np.ndarray
    tpr: np.ndarray
    nodes: int
    scale: Scale

    @cached_property
    def free(self) -> np.ndarray:
        """Entities with two rates that vary."""
        return np.flatnonzero(((self.tnr > 0) & (self.tpr > 0)).all(axis=1))

    @cached_property
    def fixed(self) -> np.ndarray:
        """The others."""
        return np.setdiff1d(np.arange(len(self.tnr)), self.free)

    @cached_property
    def atoms(self) -> np.ndarray:
        """The one value that the score always has (prevalence, entity); NaN where it varies."""
        out = np.full((len(self.shares), len(self.tnr)), np.nan)
        for i in self.fixed:
            seen = self._on_edge(i, np.array([-2.0, 0.0, 2.0]), self.shares[:, None])
            same = np.ptp(seen, axis=1) <= SAME * np.maximum(np.abs(seen[:, 0]), 1)
            out[:, i] = np.where(same, np.round(seen[:, 1], DECIMALS), np.nan)
        return out

    @cached_property
    def span(self) -> tuple[float, float]:
        """Values between which all scores lie that are not one value alone, but for next to no mass."""
        ends = [self._along.corners] if len(self.free) else []
        for i in self.fixed:
            low, high = window(*(self.tnr if (self.tnr[i] > 0).all() else self.tpr)[i])
            at = self._on_edge(i, np.array([low, high]), self.shares[:, None])
            ends.append(at[np.isnan(self.atoms[:, i])][:, None])
        every = np.concatenate([[[np.inf, -np.inf]], *(part.reshape(-1, 2) for part in ends)])
        return float(every[:, 0].min()), float(every[:, 1].max())

    def cdf(self, values: np.ndarray) -> np.ndarray:
        """P(score <= value), given each prevalence: (prevalence, entity, value)."""
        out = np.empty((len(self.shares), len(self.tnr), len(values)))
        if len(self.free):
            most = max(int(MOST / (self._along.s.size * len(self.shares))), 1)
            for start in range(0, len(values), most):
                part = values[start : start + most]
                out[:, self.free, start : start + most] = self._of_free(part)
        for i in self.fixed:
            out[:, i] = self._of_fixed(i, values)
        return out

    @cached_property
    def _along(self) -> _Along:
        tnr, tpr = self.tnr[self.free], self.tpr[self.free]
        pairs, which = np.unique(np.concatenate([tnr, tpr]), axis=0, return_inverse=True)
        tables = beta_tables(pairs)
        of_tnr, of_tpr = which.reshape(2, -1)
        # Below its window an entity's TNR has no mass yet, or its TPR all of it; above, the other way round.
        low, high = tables.low[of_tnr] - tables.high[of_tpr], tables.high[of_tnr] - tables.low[of_tpr]
        deviation = np.sqrt((1 / pairs).sum(axis=1))
        wide = np.minimum(DEVIATIONS * np.minimum(deviation[of_tnr], deviation[of_tpr]), PANEL)
        edges = _edges(low, high, wide)
        half = np.diff(edges) / 2
        node = np.polynomial.legendre.leggauss(self.nodes)[0]
        share = self.shares[:, None]
        corners = [value_at(self.score, z[of_tnr], z[of_tpr], share) for z in (tables.low, tables.high)]
        ends = np.abs(np.concatenate([tables.low, tables.high]))
        return _Along(
            tables,
            of_tnr,
            of_tpr,
            np.column_stack([tnr, special.betaln(*tnr.T)]),
            np.clip(np.searchsorted(edges, low, "right") - 1, 0, len(half) - 1),
            np.clip(np.searchsorted(edges, high, "left"), 1, len(half)),
            edges[:-1, None] + half[:, None] * np.concatenate([[0.0], 1 + node, [2.0]]),
            half,
            np.stack(corners, axis=-1),
            min(ends.max() + np.abs(edges).max() / 2, 2 * FAR),
        )

    @cached_property
    def _across(self) -> tuple[np.ndarray, np.ndarray, float, float]:
        """The score across the contours: pieces over the mean logit (as Chebyshev series), ends, start and length."""
        far = self._along.far
        number = int(np.ceil(2 * far / STRIDE))
        stride = 2 * far / number
        t = np.cos(np.pi * np.arange(DEGREE, -1, -1) / DEGREE)
        m = -far + stride * (np.arange(number)[:, None] + (t + 1) / 2)
        place = self._along.s[..., None, None] / 2
        values = value_at(self.score, m + place, m - place, self.shares[:, None, None, None, None])
        pieces = self.scale.x(values)
        ends = np.concatenate([pieces[..., 0], pieces[..., -1:, -1]], axis=-1)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            # Near the ends of a range values are rounded: a search would meet the same steps.
            rounding = (np.abs(values) / self.scale.slope(pieces)).max(axis=-1) * np.finfo(float).eps
            pieces = pieces @ np.linalg.inv(np.polynomial.chebyshev.chebvander(t, DEGREE)).T
            rest = np.abs(pieces[..., -2:]).max(axis=-1)
            # Where the score bends sharply, or nearly stops to rise, the contour is to be looked for.
            pieces[~(rest < REST * np.abs(pieces[..., 1]) + 4 * rounding), 0] = np.nan
        return pieces, ends, -far, stride

    def _of_free(self, values: np.ndarray) -> np.ndarray:
        from bayesrank.ranking._exact_kernel import along_contours

        b, tables = self._along, self._along.tables
        node, weight = np.polynomial.legendre.leggauss(self.nodes)
        middle = self._middle(values)
        zeta, eta = middle + b.s / 2, middle - b.s / 2
        weight = zeta[..., 1:-1] @ slopes_at(node).T * weight
        out = np.empty((len(self.shares), len(self.free), len(values)))
        along_contours(
            zeta, eta, weight, b.corners, b.first, b.last, b.beta, b.of_tnr, b.of_tpr,
            tables.low, tables.step, tables.starts, tables.coefficients, values, out,
        )  # fmt: skip
        return out

    def _middle(self, values: np.ndarray) -> np.ndarray:
        """The mean of both logits on the contour of each value: (value, prevalence, panel, 1 + node + 1)."""
        from bayesrank.ranking._exact_kernel import cross

        b, panel = self._along, np.arange(len(self._along.half))
        held = (panel >= b.first[:, None]) & (panel < b.last[:, None])
        active = (values[:, None, None] > b.corners[..., 0]) & (values[:, None, None] < b.corners[..., 1])
        needed = active.astype(np.float32) @ held.astype(np.float32) > 0
        middle = np.empty((len(values), len(self.shares), *b.s.shape))
        cross(*self._across, self.scale.x(values), needed, middle)
        rest = np.nonzero(np.isnan(middle))
        level, share, s = values[rest[0]], self.shares[rest[1]], b.s[rest[2:]] / 2

        def gap(m: np.ndarray, i: np.ndarray) -> np.ndarray:
            return value_at(self.score, m + s[i], m - s[i], share[i]) - level[i]

        end = np.full(len(s), b.far)
        middle[rest] = root(gap, -end, end)
        return middle

    def _of_fixed(self, i: int, values: np.ndarray) -> np.ndarray:
        """Where one rate is 0 or 1 the score is a rising function of the other: (prevalence, value)."""
        out = np.empty((len(self.shares), len(values)))
        beta = self.tnr[i] if (self.tnr[i] > 0).all() else self.tpr[i]
        end = np.full(values.shape, FAR)
        for q, share in enumerate(self.shares):
            if np.isnan(self.atoms[q, i]):
                found = root(lambda x, j: self._on_edge(i, x, share) - values[j], -end, end)  # noqa: B023
                out[q] = special.betainc(*beta, special.expit(found))
            else:
                out[q] = values >= self.atoms[q, i]
        return out

    def _on_edge(self, i: int, logit: np.ndarray, share: Any) -> np.ndarray:
        """The score where the rates of an entity that are not fixed have this logit."""
        zeta, eta = (
            logit if np.isnan(x) else np.full(np.shape(logit), x) for x in map(_fixed, (self.tnr[i], self.tpr[i]))
        )
        return value_at(self.score, zeta, eta, share)


def is_defined(score: Score, tnr: np.ndarray, tpr: np.ndarray, share: float) -> bool:
    """Whether the score of an entity with these Beta parameters has a value.

    Examples
    --------
    >>> from bayesrank.scores import as_score
    >>> [is_defined(as_score(name), np.array([9.0, 0.0]), np.array([5.0, 2.0]), 0.5) for name in ("tpr", "lr+")]
    [True, False]
    """
    zeta, eta = (
        np.nan if not rate.any() else np.nan_to_num(_fixed(rate), posinf=np.inf, neginf=-np.inf) for rate in (tnr, tpr)
    )
    return bool(np.isfinite(value_at(score, zeta, eta, share)))


def _fixed(rate: np.ndarray) -> float:
    """The logit of a rate that is 0 or 1; NaN where it may be anything."""
    right, wrong = rate
    return np.inf if wrong <= 0 else -np.inf if right <= 0 else np.nan


def _edges(low: np.ndarray, high: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """Edges of panels that are as narrow as each item asks for between its ends."""
    edges = [low.min()]
    while edges[-1] < high.max():
        near = (low < edges[-1] + wide) & (high > edges[-1])
        edges.append(edges[-1] + wide[near].min(initial=PANEL))
    return np.array(edges)
