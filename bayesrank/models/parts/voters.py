"""Votes that share voters, questions or both: draws of strengths from random weights of these units.

With one kind of unit, each voter has a weight with the standard exponential distribution in each
draw, and the draw is the mode of the weighted posterior (a weighted-likelihood bootstrap).
Deviations from the mode are multiplied by √c. Here c corrects the variance for few or unequal units
as Bell and McCaffrey (2002) do; of G equal units it is G/(G - 1).

With voters and questions, the weight of a vote is the product of both weights. The deviations are
then mapped linearly, so that the covariance is the smallest upper bound of c₁V₁, c₂V₂ and c₁V₁ +
c₂V₂ - V₁₂. V₁ and V₂ are the variances by voters and by questions, V₁₂ that by their combinations
(Cameron, Gelbach and Miller 2011).

The votes of the prior have the weight of one unit: its precision is multiplied by the number of
votes of a unit on one pair. In each draw its centre is drawn from the prior itself.

References
----------
Newton and Raftery (1994), Approximate Bayesian inference with the weighted likelihood bootstrap,
Journal of the Royal Statistical Society B 56:3-48. Bell and McCaffrey (2002), Bias reduction in
standard errors for linear regression with multi-stage samples, Survey Methodology 28:169-181.
Cameron, Gelbach and Miller (2011), Robust inference with multiway clustering, Journal of Business
and Economic Statistics 29:238-249.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._core.random import fingerprint
from bayesrank.evidence.units import unit_freedom
from bayesrank.models.parts.pairs import Pairs

#: Numbers of draws times cells that are in memory at once.
MEMORY = 4_000_000
#: Newton's method stops where a step would gain less than this in the log density.
GAIN = 1e-8
#: With more cells, as of many votes with covariates, it stops earlier, at 1% of the standard
#: deviation of each parameter; if one step is enough for this many draws, all draws take one.
LARGE, ENOUGH, TRIED = 20_000, 1e-4, 20
#: Common steps go on while they shrink what is left to gain to less than this share.
QUICK = 0.1
STEPS, HALVINGS = 60, 30


@dataclass(frozen=True)
class SharedVotes:
    """Votes on cells (pairs with equal covariates) by the units that they share."""

    pairs: Pairs  #: The votes on each cell, with the prior of independent votes.
    cell: np.ndarray  #: The cell of each battle.
    results: np.ndarray  #: Votes for the first, for the second, and ties (battle, result).
    units: dict[
        str, np.ndarray
    ]  #: Codes of voters ("cluster") and questions ("case") of each battle.

    @cached_property
    def key(self) -> str:
        return fingerprint(
            self.pairs.first, self.pairs.second, self.cell, self.results, *self.units.values()
        )

    @cached_property
    def codes(self) -> list[np.ndarray]:
        """Return the units of each kind; of voters and questions also their combinations."""
        own = list(self.units.values())
        if len(own) == 1:
            return own
        return [*own, pd.factorize(own[0].astype(np.int64) * (int(own[1].max()) + 1) + own[1])[0]]

    @cached_property
    def sizes(self) -> list[Any]:
        """Return the votes of each unit on each entity (unit, entity) as sparse matrices, by the kind of unit."""
        from scipy.sparse import csr_array

        number = self.results.sum(axis=1)
        result: list[Any] = []
        for code in self.codes[: len(self.units)]:
            ends = [self.pairs.first[self.cell], self.pairs.second[self.cell]]
            where = (np.concatenate([code, code]), np.concatenate(ends))
            shape = (int(code.max()) + 1, self.pairs.entities)
            result.append(csr_array((np.concatenate([number, number]), where), shape=shape))
        return result

    @cached_property
    def freedom(self) -> np.ndarray:
        """Return the degrees of freedom of each entity: the smallest of voters and questions (entity)."""
        by_kind = [
            [unit_freedom(held[:, [i]].toarray().ravel())[0] for i in range(self.pairs.entities)]
            for held in self.sizes
        ]
        return np.min(by_kind, axis=0)

    @cached_property
    def number(self) -> np.ndarray:
        """Return how many units voted on each entity: the fewer of voters and questions (entity)."""
        return np.min([np.diff(held.tocsc().indptr) for held in self.sizes], axis=0)

    @cached_property
    def corrections(self) -> list[float]:
        """Return the factor c of the variance by each kind of unit, of a single unit that of two."""
        by_kind = [unit_freedom(np.asarray(held.sum(axis=1)).ravel())[1] for held in self.sizes]
        return np.where(np.isinf(by_kind), 2.0, by_kind).tolist()

    @cached_property
    def prior_weight(self) -> float:
        """Return the votes of a unit on one pair, as a mean over votes: the weight of one vote of the prior."""
        number, means = self.results.sum(axis=1), []
        for code in self.codes[: len(self.units)]:
            votes = np.bincount(pd.factorize(self.pair * (int(code.max()) + 1) + code)[0], number)
            means.append(float((votes**2).sum() / votes.sum()))
        return max(1.0, *means)

    @cached_property
    def pair(self) -> np.ndarray:
        """Return the pair of entities of each battle, as one code."""
        return (self.pairs.first.astype(np.int64) * self.pairs.entities + self.pairs.second)[
            self.cell
        ]

    @cached_property
    def weighted(self) -> Pairs:
        """Return the votes, with the prior that has the weight of a unit."""
        return replace(self.pairs, precision=np.asarray(self.pairs.precision) * self.prior_weight)

    @cached_property
    def mode(self) -> np.ndarray:
        return self.weighted.mode()

    @cached_property
    def inverse(self) -> np.ndarray:
        """Return the inverse curvature at the mode (parameter, parameter)."""
        root = self.weighted.whiten(self.mode)
        return root.T @ root

    def _sums(self, code: np.ndarray) -> np.ndarray:
        """Return the sums of the slopes of the votes of each unit (unit, parameter)."""
        return self._add_slopes(self._votes_by(code))

    def _add_slopes(self, votes: Any) -> np.ndarray:
        """Return the slope of the log likelihood at the mode by votes (result and cell, unit) (unit, parameter).

        Only sums over cells are dense: of a million votes on cells of their own, slopes would take
        gigabytes.
        """
        from scipy.sparse import csr_array

        pairs, cells = self.pairs, len(self.pairs.first)
        win, lose, tie = (
            np.broadcast_to(part[:, 0], cells) for part in pairs.probabilities(self.mode[None])[3:]
        )
        parts = [csr_array(votes[k * cells : (k + 1) * cells].T) for k in range(3)]
        along = sum(
            part * (side - (win - lose)) for part, side in zip(parts, (1.0, -1.0, 0.0), strict=True)
        )
        slopes = (csr_array(along) @ pairs.design).toarray() @ pairs.frame
        if not pairs.with_ties:
            return np.asarray(slopes)
        level = [part @ own for part, own in zip(parts, (-tie, -tie, 1 - tie), strict=True)]
        return np.column_stack([slopes, np.sum(level, axis=0)])

    @cached_property
    def parts(self) -> tuple[list[np.ndarray], np.ndarray]:
        """Return sums of squares of the slopes of the units of each kind, and that of the prior, as covariances."""
        inverse, squares = self.inverse, []
        for code in self.codes:
            sums = self._sums(code)
            squares.append(inverse @ (sums.T @ sums) @ inverse)
        return squares, self._prior()

    def _prior(self) -> np.ndarray:
        """Return the covariance that the prior adds."""
        inverse = self.inverse
        precision = np.broadcast_to(self.weighted.precision, len(inverse))
        prior = np.zeros_like(inverse)
        if precision.any():
            spread = precision**2 / np.broadcast_to(self.pairs.precision, len(inverse))
            prior = (inverse * spread) @ inverse
        return prior

    @cached_property
    def covariance(self) -> np.ndarray:
        """Return the covariance of the parameters by the units, corrected for their number."""
        squares, prior = self.parts
        corrected = [c * (own + prior) for c, own in zip(self.corrections, squares, strict=False)]
        if len(corrected) == 1:
            return corrected[0]
        both = squares[-1] + prior
        return larger(larger(*corrected), corrected[0] + corrected[1] - both)

    @cached_property
    def spreading(self) -> np.ndarray:
        """Return the map of deviations from the mode that gives draws this covariance (parameter, parameter)."""
        squares, prior = self.parts
        if len(self.units) == 1:
            return np.sqrt(self.corrections[0]) * np.eye(len(prior))
        # Products of weights count a voter, a question, and both together.
        drawn = sum(squares) + prior
        root, back = _roots(drawn)
        middle = _roots(root @ self.covariance @ root)[0]
        return np.asarray(back @ middle @ back)

    @property
    def alone(self) -> np.ndarray:
        """Return the covariance of the parameters if votes were independent."""
        return self.inverse

    @cached_property
    def excess(self) -> np.ndarray:
        """Return the ratio of standard deviations of independent votes to those of units, at least 1 (entity, rival).

        Units that vary less than their votes would by themselves are usually luck.
        """
        basis = self.pairs.basis
        free = basis.shape[1]
        alone, shared = (
            _of_differences(basis @ held[:free, :free] @ basis.T)
            for held in (self.alone, self.covariance)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(alone > 0, np.maximum(np.sqrt(alone / shared), 1.0), 1.0)

    @cached_property
    def on_pairs(self) -> np.ndarray:
        """Return how many units voted on each pair (entity, rival), by the kind that has fewer."""
        size = self.pairs.entities
        by_kind = []
        for code in self.codes[: len(self.units)]:
            pairs_met = pd.unique(self.pair * (int(code.max()) + 1) + code) // (int(code.max()) + 1)
            numbers = (
                np.bincount(pairs_met, minlength=size * size).reshape(size, size).astype(float)
            )
            by_kind.append(numbers + numbers.T)
        return np.min(by_kind, axis=0)

    def _votes_by(self, column: np.ndarray) -> Any:
        """Return the votes in each place (result and place, column), by the column of each battle: a sparse matrix."""
        from scipy.sparse import csr_array

        (positions, places), number = self._places, self.results.T.ravel()
        kinds, retained = self.results.shape[1], number > 0
        where = (
            np.concatenate([positions + k * places for k in range(kinds)])[retained],
            np.tile(column, kinds)[retained],
        )
        return csr_array((number[retained], where), shape=(kinds * places, int(column.max()) + 1))

    @property
    def _places(self) -> tuple[np.ndarray, int]:
        """Return where the votes of each battle are counted, and the number of such places."""
        return self.cell, len(self.pairs.first)

    @cached_property
    def _gather(self) -> Any:
        """Return the votes of each unit, or of each battle if units cross, on the cells."""
        return self._votes_by(self.codes[0] if len(self.units) == 1 else np.arange(len(self.cell)))

    @cached_property
    def _slopes_of_sources(self) -> np.ndarray:
        """Return the slope of the log likelihood at the mode of each unit, or battle if units cross (source, p)."""
        return self._add_slopes(self._gather)

    def sample(self, draws: int, rng: np.random.Generator) -> np.ndarray:
        """Return independent draws of the parameters (draw, parameter)."""
        cells, sources = len(self.pairs.first), self._gather.shape[1]
        wide = cells if self._iterates else (len(self.mode) + 1) ** 2
        step = int(np.clip(MEMORY // max(wide, sources), 20, draws))
        parts = [self._sample(min(step, draws - at), rng) for at in range(0, draws, step)]
        return np.concatenate(parts)

    def _sample(self, draws: int, rng: np.random.Generator) -> np.ndarray:
        weights, centre = self._draw_weights(draws, rng)
        if len(self.pairs.first) <= LARGE:
            start = np.tile(self.mode, (draws, 1))
            modes = modes_of(self._weigh(weights), centre, start, self.inverse)
        else:
            modes = self._step(weights, centre)
            if self._iterates:
                enough = ENOUGH * len(self.mode)
                modes = modes_of(self._weigh(weights), centre, modes, self.inverse, enough)
        return np.asarray(self.mode + (modes - self.mode) @ self.spreading)

    def _draw_weights(self, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return weights of the units, or battles if units cross (source, draw), and centres of the prior (draw, p)."""
        weights = [
            rng.standard_exponential((int(code.max()) + 1, draws)) for code in self.units.values()
        ]
        centre = draw_prior(self.pairs.precision, len(self.mode), draws, rng)
        if len(weights) == 1:
            return weights[0], centre
        of_battles = [each[code] for each, code in zip(weights, self.units.values(), strict=True)]
        return np.prod(of_battles, axis=0), centre

    def _weigh(self, each: np.ndarray) -> Pairs:
        """Return the votes under weights of their sources (source, draw)."""
        wins, losses, ties = np.split(self._gather @ each, 3)
        return replace(
            self.weighted, wins=wins, losses=losses, ties=ties, no_ties=self.pairs.no_ties
        )

    @cached_property
    def _iterates(self) -> bool:
        """Return whether many cells need more than one step of Newton's method, by a few draws of their own."""
        if len(self.pairs.first) <= LARGE:
            return True
        weights, centre = self._draw_weights(TRIED, np.random.default_rng(TRIED))
        drawn, stepped = self._weigh(weights), self._step(weights, centre)
        slope = _with_centre(drawn, stepped, centre * drawn.precision)[1]
        gain = ((slope @ self.inverse) * slope).sum(axis=1).mean()
        return bool(gain > ENOUGH * len(self.mode))

    def _step(self, each: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Return the parameters after one step from the mode by Newton's method, with weights of the sources.

        The curvature at the mode is a sum over sources, so that no draw passes through all cells.
        """
        wide, upper = self.pairs.frame.shape[0], np.triu_indices(self.pairs.frame.shape[0])
        slope = (each - 1).T @ self._slopes_of_sources + centre * self.weighted.precision
        curvatures = self._curvatures_of_sources @ each
        squares = np.empty((wide, wide, each.shape[1]))
        squares[upper] = curvatures[: len(upper[0])]
        squares[upper[::-1]] = curvatures[: len(upper[0])]
        cross, own = curvatures[len(upper[0]) : -1][None], curvatures[-1:]
        return np.asarray(self.mode + solve_steps(self.weighted, squares, cross, own, slope))

    @cached_property
    def _curvatures_of_sources(self) -> Any:
        """Return the curvature of each source at the mode (entry, source), as a sparse matrix.

        Entries are pairs of strengths and coefficients, one not after the other; each of these with
        log ν; and log ν.
        """
        from scipy.sparse import csr_array, vstack

        pairs, cells, wide = self.pairs, len(self.pairs.first), self.pairs.frame.shape[0]
        win, lose, tie = (
            np.broadcast_to(part[:, 0], cells) for part in pairs.probabilities(self.mode[None])[3:]
        )
        votes = csr_array(
            self._gather[:cells] + self._gather[cells : 2 * cells] + self._gather[2 * cells :]
        )
        row, column = np.triu_indices(wide)
        upper = csr_array(pairs.squares)[row * wide + column]
        entries = [
            upper * ((win + lose) - (win - lose) ** 2),
            csr_array(pairs.design.T) * (-(win - lose) * tie),
            csr_array((tie * (1 - tie))[None]),
        ]
        return csr_array(csr_array(vstack(entries)) @ votes)


def slopes_of_votes(pairs: Pairs, theta: np.ndarray) -> list[np.ndarray]:
    """Return the slopes of the log likelihood of one vote: for the first, for the second, a tie (cell, parameter)."""
    win, lose, tie = (part[:, 0] for part in pairs.probabilities(theta[None])[3:])
    design = pairs.design @ pairs.frame
    slopes = [design * (side - (win - lose))[:, None] for side in (1.0, -1.0, 0.0)]
    if pairs.with_ties:
        levels = pairs.levels.toarray()
        along = [levels * each[:, None] for each in (-tie, -tie, 1 - tie)]
        slopes = [np.column_stack(both) for both in zip(slopes, along, strict=True)]
    return [np.asarray(each) for each in slopes]


def modes_of(
    pairs: Pairs, centre: np.ndarray, start: np.ndarray, inverse: np.ndarray, enough: float = GAIN
) -> np.ndarray:
    """Return the mode of each draw's votes (pair, draw) (draw, parameter).

    The prior of each draw has a ``centre`` of its own (draw, parameter). Steps from ``start``
    (draw, parameter) use the ``inverse`` curvature at the mode of all votes while they converge
    quickly, as with many units; other draws need Newton's method with halved steps. They end where
    a step would gain less than ``enough``.
    """
    result = start.copy()
    active, votes, theta, pull = (
        np.arange(len(centre)),
        pairs,
        result.copy(),
        centre * pairs.precision,
    )
    value, slope = _with_centre(votes, theta, pull)
    gain, quick = np.full(len(centre), np.inf), True
    for _ in range(STEPS):
        before, gain = gain, ((slope @ inverse) * slope).sum(axis=1)
        moving = gain > enough
        if not moving.all():
            result[active[~moving]] = theta[~moving]
            active, votes = active[moving], _columns(votes, moving)
            theta, pull, value, slope, before, gain = (
                part[moving] for part in (theta, pull, value, slope, before, gain)
            )
            if not len(active):
                return result
        quick = quick and float(np.median(gain / before)) < QUICK
        step = slope @ inverse if quick else newton_steps(votes, theta, slope)
        requested = 1e-4 * (step * slope).sum(axis=1)
        share = np.ones(len(active))
        for _ in range(HALVINGS):
            position = theta + share[:, None] * step
            ahead, slant = _with_centre(votes, position, pull)
            low = ahead < value + share * requested - 1e-12 * np.abs(value)
            if not low.any():
                break
            share = np.where(low, share / 2, share)
        theta, value, slope = position, ahead, slant
    result[active] = theta
    return result


def _with_centre(
    pairs: Pairs, theta: np.ndarray, pull: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    value, slope = pairs.value_and_slope(theta)
    return value + (pull * theta).sum(axis=1), slope + pull


def _columns(pairs: Pairs, draws: np.ndarray) -> Pairs:
    """Return the votes of some draws."""
    wins, losses, ties = (votes[:, draws] for votes in (pairs.wins, pairs.losses, pairs.ties))
    return replace(pairs, wins=wins, losses=losses, ties=ties)


def newton_steps(pairs: Pairs, theta: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the Newton step of each draw (draw, parameter)."""
    win, lose, tie = pairs.probabilities(theta)[3:]
    wide, draws = pairs.frame.shape[0], len(theta)
    squares = pairs.squares @ (pairs.number * ((win + lose) - (win - lose) ** 2))
    both = -pairs.number * (win - lose) * tie
    levels = [pairs.of_level(k) for k in range(pairs.levels.shape[1])]
    cross = np.stack([pairs.design[here].T @ both[here] for here in levels])
    own = pairs.levels.T @ (pairs.number * tie * (1 - tie))
    return solve_steps(pairs, squares.reshape(wide, wide, draws), cross, own, slope)


def solve_steps(
    pairs: Pairs, squares: np.ndarray, cross: np.ndarray, own: np.ndarray, slope: np.ndarray
) -> np.ndarray:
    """Return the steps (draw, parameter) by curvatures of the votes.

    Those of strengths and coefficients are ``squares`` (column, column, draw), those with each log
    ν ``cross`` (level, column, draw), and those of log ν ``own`` (level, draw). The equations are
    those of all strengths, whose sum gets a curvature of its own: it does not move.
    """
    wide, free = pairs.frame.shape
    size, draws = wide + pairs.size - free, len(slope)
    matrix, right = np.zeros((draws, size, size)), np.empty((draws, size))
    matrix[:, :wide, :wide] = np.moveaxis(squares, -1, 0)
    right[:, :wide] = slope[:, :free] @ pairs.frame.T
    precision = np.broadcast_to(pairs.precision, pairs.size)
    if pairs.with_ties:
        matrix[:, :wide, wide:] = np.moveaxis(cross, (2, 1), (0, 1))
        matrix[:, wide:, :wide] = np.moveaxis(cross, 2, 0)
        level = np.arange(wide, size)
        matrix[:, level, level] = own.T
        right[:, wide:] = slope[:, free:]
    diagonal = np.arange(size)
    matrix[:, diagonal, diagonal] += np.append(precision[0], precision)
    strengths = slice(0, pairs.entities)
    matrix[:, strengths, strengths] += matrix[:, 0, 0][:, None, None]
    solution = np.linalg.solve(matrix, right[..., None])[..., 0]
    steps = solution[:, :wide] @ pairs.frame
    return np.column_stack([steps, solution[:, wide:]])


def draw_prior(precision: Any, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return draws of the centre of a normal prior (draw, parameter), 0 where it is flat."""
    precision = np.broadcast_to(precision, size)
    noise = rng.standard_normal((draws, size))
    return np.divide(noise, np.sqrt(precision), out=np.zeros_like(noise), where=precision > 0)


def larger(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the smallest symmetric matrix in its eigenvectors that no contrast finds smaller than either matrix."""
    root, back = _roots(one)
    values, vectors = np.linalg.eigh(back @ other @ back)
    rotated = root @ vectors
    return np.asarray((rotated * np.maximum(values, 1.0)) @ rotated.T)


def _roots(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the square root of a symmetric matrix, and the inverse of this root where it is not 0."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    root = np.sqrt(np.maximum(values, 0.0))
    back = np.divide(1.0, root, out=np.zeros_like(root), where=root > 1e-7 * root.max(initial=0.0))
    return (vectors * root) @ vectors.T, (vectors * back) @ vectors.T


def _of_differences(covariance: np.ndarray) -> np.ndarray:
    own = np.diag(covariance)
    return own[:, None] + own - 2 * covariance
