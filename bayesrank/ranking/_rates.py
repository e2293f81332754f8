"""Distributions of a score of independent Beta rates, of many entities at once.

Where the score is v, TPR and TNR lie on a contour that all entities share. With zeta and eta the logits of TNR and TPR,
s = zeta - eta runs along it from -infinity to infinity, both logits are smooth functions of s, and their slopes are
at most 1: nothing has kinks or ends. The score is at most v with the probability of what lies below the contour,

    P(score <= v) = ∫ P(TPR below the contour at zeta) dP(TNR <= zeta),

an integral over panels of s that are as narrow as the sharpest posterior there asks for.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bayesrank.ranking._beta_tables import FAR, BetaTables, beta_tables, window
from bayesrank.ranking._board import Scale, slopes_at
from bayesrank.ranking._kinds import DECIMALS, LOGITS, SAME, is_correlation, ratio_of, value_at
from bayesrank.ranking._kinds import fixed as fixed_rate
from bayesrank.ranking._one_rate import below, ends_of, logit_at, place_at
from bayesrank.ranking._pieces import Pieces, pieces_of
from bayesrank.scores._contour_area import root
from bayesrank.scores.score import Score

__all__ = ["Rates"]

#: Panels along a contour: as wide as so many standard deviations, and no wider.
DEVIATIONS, PANEL = 3.5, 1.75
#: Pieces of the score across the contours: their length, their degree, and what may be left of them beyond it.
STRIDE, DEGREE, REST = 2.0, 15, 1e-11
#: Places on contours that are held at a time.
MOST = 4e6


class _Across(NamedTuple):
    """The score across the contours: pieces over the mean logit, where the entities of a panel live."""

    pieces: np.ndarray  #: Chebyshev coefficients (prevalence, piece, 1 + node + 1, degree).
    ends: np.ndarray  #: What a piece begins and ends with (prevalence, piece, 1 + node + 1, 2).
    starts: np.ndarray  #: The first piece of each panel, and one beyond the last.
    low: np.ndarray  #: Where the pieces of each panel begin.
    step: np.ndarray  #: Their length.


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
        """Entities with two rates that vary, if the score does: of one class alone it may be one number."""
        seen = value_at(self.score, LOGITS[:, None], LOGITS, self.shares[:, None, None])
        varies = bool((np.ptp(seen, axis=(1, 2)) > SAME * np.maximum(np.abs(seen).max(axis=(1, 2)), 1)).any())
        return np.flatnonzero(((self.tnr > 0) & (self.tpr > 0)).all(axis=1) & varies)

    @cached_property
    def fixed(self) -> np.ndarray:
        """The others, along one rate of which the score varies, if it does."""
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
        """Places between which all scores lie that are not one value alone, but for next to no mass."""
        places = [self.scale.near(self._along.corners)] if len(self.free) else []
        for i in self.fixed:
            places += [self._places(i, q) for q in np.flatnonzero(np.isnan(self.atoms[:, i])).tolist()]
        every = np.concatenate([[[np.inf, -np.inf]], *(part.reshape(-1, 2) for part in places)])
        return float(every[:, 0].min()), float(every[:, 1].max())

    @property
    def endless(self) -> bool:
        """Whether all that varies does so along one rate, and is told by its logarithm."""
        return not len(self.free) and self._has_lines

    def cdf(self, places: np.ndarray) -> np.ndarray:
        """P(score <= that of places on the scale), given each prevalence: (prevalence, entity, place)."""
        out = np.empty((len(self.shares), len(self.tnr), len(places)))
        if len(self.free):
            out[:, self.free] = self._pieces(places).reshape(len(self.shares), len(self.free), -1)
        for i in self.fixed:
            out[:, i] = self._of_fixed(i, places)
        return out

    @cached_property
    def _pieces(self) -> Pieces:
        """Cdfs of those with two rates that vary, prevalence by prevalence, on the scale."""
        return pieces_of(self._of_free, *self.scale.near(self._along.corners).reshape(-1, 2).T)

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
        )

    @cached_property
    def _across(self) -> _Across:
        b = self._along
        low, high = self._boxes()
        number = np.ceil((high - low) / STRIDE).astype(int)
        step = (high - low) / number
        starts = np.concatenate([[0], np.cumsum(number)])
        panel = np.repeat(np.arange(len(low)), number)
        start = low[panel] + step[panel] * (np.arange(starts[-1]) - starts[panel])
        t = np.cos(np.pi * np.arange(DEGREE, -1, -1) / DEGREE)
        m = (start[:, None] + step[panel][:, None] * (t + 1) / 2)[:, None]
        place = b.s[panel][..., None] / 2
        values = value_at(self.score, m + place, m - place, self.shares[:, None, None, None])
        pieces = self.scale.x(values)
        ends = np.ascontiguousarray(pieces[..., [0, -1]])
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            # Near the ends of a range values are rounded: a search would meet the same steps.
            rounding = (np.abs(values) / self.scale.slope(pieces)).max(axis=-1) * np.finfo(float).eps
            pieces = pieces @ np.linalg.inv(np.polynomial.chebyshev.chebvander(t, DEGREE)).T
            rest = np.abs(pieces[..., -2:]).max(axis=-1)
            # Where the score bends sharply, or nearly stops to rise, the contour is to be looked for.
            pieces[~(rest < REST * np.abs(pieces[..., 1]) + 4 * rounding), 0] = np.nan
        return _Across(pieces, ends, starts, low, step)

    @cached_property
    def _ratio(self) -> np.ndarray:
        """The two bilinear functions of each prevalence; none if they do not tell the score."""
        found = [ratio_of(self.score, self.scale, share) for share in self.shares.tolist()]
        return np.empty((0, 2, 2, 2)) if any(ratio is None for ratio in found) else np.array(found)

    @cached_property
    def _is_correlation(self) -> bool:
        """Whether the score is MCC, whose contours are known, too."""
        return all(is_correlation(self.score, self.scale, share) for share in self.shares.tolist())

    def _boxes(self) -> tuple[np.ndarray, np.ndarray]:
        """Between which mean logits the entities of each panel live, and a panel's length beyond."""
        b = self._along
        zeta, eta = ((b.tables.low[x][:, None], b.tables.high[x][:, None]) for x in (b.of_tnr, b.of_tpr))
        left, right = b.s[:, 0] / 2, b.s[:, -1] / 2
        low = np.maximum(zeta[0] - right, eta[0] + left)
        high = np.minimum(zeta[1] - left, eta[1] + right)
        panel = np.arange(len(b.half))
        held = (panel >= b.first[:, None]) & (panel < b.last[:, None])
        low, high = np.where(held, low, np.inf).min(axis=0), np.where(held, high, -np.inf).max(axis=0)
        # Nobody lives in some.
        low, high = np.where(low < high, low, 0.0), np.where(low < high, high, 0.0)
        return low - 2 * b.half, high + 2 * b.half

    def _of_free(self, rows: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The cdfs of these (prevalence, entity), counted through, at these places of the scale."""
        q, i = np.divmod(rows, len(self.free))
        sizes = np.cumsum((self._along.last - self._along.first)[i] * self._along.s.shape[1])
        out = np.empty(len(x))
        start = 0
        while start < len(x):
            before = sizes[start - 1] if start else 0
            stop = max(int(np.searchsorted(sizes, before + MOST, "right")), start + 1)
            here = slice(start, stop)
            out[here] = self._some(q[here], i[here], x[here])
            start = stop
        return out

    def _some(self, q: np.ndarray, i: np.ndarray, x: np.ndarray) -> np.ndarray:
        from bayesrank.ranking._exact_kernel import along_contours, cross, shared_out

        b, tables, panels = self._along, self._along.tables, (self._along.last - self._along.first)[i]
        first = np.concatenate([[0], np.cumsum(panels)])
        middle = np.zeros((first[-1], b.s.shape[1]))
        windows = np.stack([tables.low[b.of_tnr], tables.high[b.of_tnr], tables.low[b.of_tpr], tables.high[b.of_tpr]])
        ratio, nothing = self._ratio, np.empty((0, 0, 0, 0))
        correlated = np.empty(0) if len(ratio) or not self._is_correlation else self.shares
        closed = len(ratio) or len(correlated)
        across = _Across(nothing, nothing, *np.empty((3, 0))) if closed else self._across
        across = across._replace(starts=across.starts.astype(int))
        ways = (*across, ratio, correlated, self.scale.sides(x), 2 * FAR)
        shared_out(cross, len(x), *ways, q, i, x, b.first, b.last, b.s, windows, first, middle)
        rest = np.nonzero(np.isnan(middle))
        if len(rest[0]):
            job = np.searchsorted(first, rest[0], "right") - 1
            panel = b.first[i[job]] + rest[0] - first[job]
            level, share, s = self.scale.of(x)[job], self.shares[q[job]], b.s[panel, rest[1]] / 2

            def gap(m: np.ndarray, k: np.ndarray) -> np.ndarray:
                return value_at(self.score, m + s[k], m - s[k], share[k]) - level[k]

            low = self._across.low[panel]
            middle[rest] = root(gap, low, low + self._across.step[panel] * np.diff(self._across.starts)[panel])
        node, weight = np.polynomial.legendre.leggauss(self.nodes)
        out = np.empty(len(x))
        along_contours(
            i, middle, first, b.s, weight[:, None] * slopes_at(node), b.first, b.last, b.beta, b.of_tnr, b.of_tpr,
            windows, tables.low, tables.step, tables.starts, tables.coefficients, out,
        )  # fmt: skip
        return out

    @cached_property
    def _has_lines(self) -> bool:
        """Whether along one rate the score is a ratio of linear functions, whose logarithm is its place."""
        return len(self._ratio) > 0 and bool(np.isfinite([self.scale.low, self.scale.high]).any())

    def _line(self, i: int, q: int) -> tuple[np.ndarray, np.ndarray]:
        """Beta parameters of the one rate of an entity that varies, and the lines along it (side, rate of 0 and 1)."""
        if (self.tnr[i] > 0).all():
            return self.tnr[i], self._ratio[q][:, :, int(fixed_rate(self.tpr[i]) > 0)]
        return self.tpr[i], self._ratio[q][:, int(fixed_rate(self.tnr[i]) > 0)]

    def _places(self, i: int, q: int) -> np.ndarray:
        """Between which places the score of an entity with one rate lives, at a prevalence."""
        if self._has_lines:
            beta, lines = self._line(i, q)
            return place_at(lines, ends_of(beta[0], beta[1]))
        beta = self.tnr[i] if (self.tnr[i] > 0).all() else self.tpr[i]
        return self.scale.near(self._on_edge(i, np.array(window(*beta)), self.shares[q]))

    def _of_fixed(self, i: int, places: np.ndarray) -> np.ndarray:
        """Where one rate is 0 or 1 the score is a rising function of the other: (prevalence, place)."""
        out = np.empty((len(self.shares), len(places)))
        values = self.scale.of(places)
        end = np.full(places.shape, FAR)
        for q, share in enumerate(self.shares):
            if not np.isnan(self.atoms[q, i]):
                out[q] = places >= self.scale.x(self.atoms[q, i])
            elif self._has_lines:
                beta, lines = self._line(i, q)
                out[q] = below(beta[0], beta[1], logit_at(lines, places))
            else:
                beta = self.tnr[i] if (self.tnr[i] > 0).all() else self.tpr[i]
                found = root(lambda x, j: self._on_edge(i, x, share) - values[j], -end, end)  # noqa: B023
                out[q] = special.betainc(*beta, special.expit(found))
        return out

    def _on_edge(self, i: int, logit: np.ndarray, share: Any) -> np.ndarray:
        """The score where the rates of an entity that are not fixed have this logit."""
        zeta, eta = (
            logit if np.isnan(x) else np.full(np.shape(logit), x) for x in map(fixed_rate, (self.tnr[i], self.tpr[i]))
        )
        return value_at(self.score, zeta, eta, share)


def _edges(low: np.ndarray, high: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """Edges of panels that are as narrow as each item asks for between its ends."""
    edges = [low.min()]
    while edges[-1] < high.max():
        near = (low < edges[-1] + wide) & (high > edges[-1])
        edges.append(edges[-1] + wide[near].min(initial=PANEL))
    return np.array(edges)
