"""Votes on pairs by the differences of strengths: densities, modes, and Hamiltonian Monte Carlo around them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

#: Steps that adapt the step size, and the wanted share of accepted proposals.
WARM_UP, ACCEPT = 100, 0.9
#: Length of a trajectory: a quarter of the period of a standard normal distribution, after which a
#: draw is independent.
LENGTH = np.pi / 2
#: Trajectories that take each draw of a normal approximation to the posterior itself.
TURNS = 4

#: Curvatures below this share are 0 but for rounding errors.
FLAT = 1e-8

Look = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Pairs:
    """Votes on the pairs that met, and the prior's precision.

    The parameters are free strengths, the coefficients of ``shift``, and log ν of each of the
    ``levels``. A pair may occur several times, with different shifts or levels.
    """

    entities: int
    first: np.ndarray
    second: np.ndarray
    wins: np.ndarray  #: Of the first entity of each pair (pair), or also (pair, draw).
    losses: np.ndarray
    ties: np.ndarray
    precision: float | np.ndarray  #: 1 / variance of the prior of the parameters; 0 if it is flat.
    shift: np.ndarray | None = (
        None  #: What is added to half the difference, per unit (pair, coefficient).
    )
    level: np.ndarray | None = None  #: The position of log ν among the levels (pair).
    no_ties: bool = False  #: Whether ties are left out.

    @classmethod
    def of(cls, wins: np.ndarray, ties: np.ndarray, precision: float) -> "Pairs":
        first, second = np.nonzero(np.triu(wins + wins.T + ties, 1))
        up, down, even = (
            votes.astype(float)
            for votes in (wins[first, second], wins[second, first], ties[first, second])
        )
        return cls(len(wins), first, second, up, down, even, precision, no_ties=not even.any())

    @cached_property
    def number(self) -> np.ndarray:
        return self.wins + self.losses + self.ties

    @cached_property
    def with_ties(self) -> bool:
        return not self.no_ties

    @cached_property
    def basis(self) -> np.ndarray:
        """Return orthonormal columns of strengths that sum to 0 (entity, free strength)."""
        from scipy.linalg import helmert

        return np.ascontiguousarray(helmert(self.entities).T)

    @cached_property
    def frame(self) -> np.ndarray:
        """Return strengths and coefficients (entity or coefficient, parameter)."""
        from scipy.linalg import block_diag

        return (
            self.basis
            if self.shift is None
            else block_diag(self.basis, np.eye(self.shift.shape[1]))
        )

    @cached_property
    def design(self) -> Any:
        """Return half the differences of pairs per unit (pair, entity or coefficient), as a sparse matrix."""
        from scipy.sparse import csr_array, hstack

        row = np.arange(len(self.first))
        where = (np.concatenate([row, row]), np.concatenate([self.first, self.second]))
        signs = np.concatenate([np.full(len(row), 0.5), np.full(len(row), -0.5)])
        design = csr_array((signs, where), shape=(len(row), self.entities))
        return design if self.shift is None else csr_array(hstack([design, csr_array(self.shift)]))

    @cached_property
    def squares(self) -> Any:
        """Return the products of the columns of the design (column x column, pair), as a sparse matrix."""
        from scipy.sparse import csr_array

        cells, wide = len(self.first), self.frame.shape[0]
        half = np.full((cells, 1), 0.5)
        ends = np.column_stack([self.first, self.second])
        columns, values = ends, np.hstack([half, -half])
        if self.shift is not None:
            more = np.arange(self.entities, wide)
            columns = np.hstack([ends, np.tile(more, (cells, 1))])
            values = np.hstack([values, self.shift])
        where = (columns[:, :, None] * wide + columns[:, None, :]).reshape(cells, -1)
        products = (values[:, :, None] * values[:, None, :]).reshape(cells, -1)
        row = np.repeat(np.arange(cells), where.shape[1])
        return csr_array((products.ravel(), (where.ravel(), row)), shape=(wide * wide, cells))

    @cached_property
    def levels(self) -> Any:
        """Return which log ν each pair has (pair, level), as a sparse matrix of 0 and 1."""
        from scipy.sparse import csr_array

        row = np.arange(len(self.first))
        level = np.zeros(len(row), int) if self.level is None else self.level
        return csr_array(
            (np.ones(len(row)), (row, level)), shape=(len(row), int(level.max(initial=0)) + 1)
        )

    def of_level(self, k: int) -> Any:
        """Return the pairs with one of the log ν."""
        return slice(None) if self.level is None else np.flatnonzero(self.level == k)

    @cached_property
    def size(self) -> int:
        """Return the number of parameters."""
        return int(self.frame.shape[1] + self.with_ties * self.levels.shape[1])

    def has_maximum(self) -> bool:
        """Return whether the likelihood has a maximum, at finite strengths and ν.

        It has none if it never falls along a line of strengths s and log ν. If ν stays, no group of
        entities may have won all its votes against the rest, where a tie is a vote for both: Ford's
        condition. If log ν grows by 1, the strengths on the line satisfy |s_i - s_j| ≤ 2 for each
        tie and s_i - s_j ≥ 2 for each win of i over j, as where all votes are ties. With shifts,
        the curvature vanishes where Newton's method leads, along such a line.
        """
        if not self._strongly_connected():
            return False
        if self.shift is not None:
            return self._is_curved()
        return not (self.with_ties and self._ties_may_grow())

    def _is_curved(self) -> bool:
        """Return whether the log density is curved in all directions at its mode, as at 0."""
        first = np.linalg.eigvalsh(self.curvature(np.zeros(self.size)))
        if first[0] < FLAT * first[-1]:
            return False
        return bool(np.linalg.eigvalsh(self.curvature(self.mode()))[0] > FLAT * first[0])

    def _strongly_connected(self) -> bool:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        up, down = self.wins + self.ties > 0, self.losses + self.ties > 0
        ends = (
            np.append(self.first[up], self.second[down]),
            np.append(self.second[up], self.first[down]),
        )
        graph = csr_array((np.ones(len(ends[0])), ends), shape=(self.entities,) * 2)
        return int(connected_components(graph, connection="strong")[0]) == 1

    def _ties_may_grow(self) -> bool:
        """Return whether strengths satisfy all s_i - s_j ≤ 2 of ties and s_j - s_i ≤ -2 of wins of i over j."""
        up, down, even = self.wins > 0, self.losses > 0, self.ties > 0
        if (up & down).any():
            return False
        # Of a pair with wins of i and ties, s_i - s_j is 2.
        ends = [
            (self.first[even], self.second[even], 2.0),
            (self.second[even], self.first[even], 2.0),
        ]
        ends += [
            (self.second[up], self.first[up], -2.0),
            (self.first[down], self.second[down], -2.0),
        ]
        below, above = (np.concatenate([end[k] for end in ends]) for k in (0, 1))
        most = np.concatenate([np.full(len(end[0]), end[2]) for end in ends])
        # Shortest paths settle within as many rounds as there are entities, unless a cycle
        # contradicts itself.
        strength = np.zeros(self.entities)
        for _ in range(self.entities):
            before = strength.copy()
            np.minimum.at(strength, below, before[above] + most)
            if (strength == before).all():
                return True
        return False

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return strengths (..., entity) and the last log ν (...), minus infinity without ties, of parameters."""
        strength = theta[..., : self.entities - 1] @ self.basis.T
        none = np.full(theta.shape[:-1], -np.inf)
        return strength, theta[..., -1] if self.with_ties else none

    def probabilities(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return half the differences, log ν, log Z, and the probabilities of a win, a loss and a tie (pair, ...)."""
        free = self.frame.shape[1]
        half = self.design @ (self.frame @ theta[:, :free].T)
        log_nu = self.levels @ theta[:, free:].T if self.with_ties else np.full((1, 1), -np.inf)
        far = np.abs(half)
        log_z = far + np.log1p(np.exp(-2 * far) + np.exp(log_nu - far))
        win, lose = np.exp(half - log_z), np.exp(-half - log_z)
        return half, log_nu, log_z, win, lose, np.exp(log_nu - log_z)

    def value_and_slope(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log posterior density (...) and its gradient (..., parameter) of parameters (..., parameter)."""
        half, log_nu, log_z, win, lose, tie = self.probabilities(theta)
        more, number, ties = (
            _column(votes) for votes in (self.wins - self.losses, self.number, self.ties)
        )
        value = (more * half - number * log_z).sum(axis=0) - (self.precision * theta**2).sum(
            axis=-1
        ) / 2
        slope = (self.design.T @ (more - number * (win - lose))).T @ self.frame
        if self.with_ties:
            value += (ties * log_nu).sum(axis=0)
            slope = np.concatenate([slope, (self.levels.T @ (ties - number * tie)).T], axis=-1)
        return value, slope - self.precision * theta

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """Return minus the Hessian of the log posterior density at one point (parameter, parameter)."""
        win, lose, tie = (part[:, 0] for part in self.probabilities(theta[None])[3:])
        of_pairs = self.number * ((win + lose) - (win - lose) ** 2)
        result = self.frame.T @ ((self.design.T @ (self.design * of_pairs[:, None])) @ self.frame)
        if self.with_ties:
            cross = (
                self.frame.T
                @ (
                    self.design.T @ (self.levels * (-self.number * (win - lose) * tie)[:, None])
                ).toarray()
            )
            own = (
                self.levels.T @ (self.levels * (self.number * tie * (1 - tie))[:, None])
            ).toarray()
            result = np.block([[result, cross], [cross.T, own]])
        return result + np.diag(np.broadcast_to(self.precision, len(result)))

    def mode(self) -> np.ndarray:
        """Return the parameters with the largest posterior density, by Newton's method with halved steps."""
        theta = np.zeros(self.size)
        value, slope = (part[0] for part in self.value_and_slope(theta[None]))
        for _ in range(200):
            step = np.linalg.solve(self.curvature(theta), slope)
            gain = float(step @ slope)
            if gain < 1e-14:
                break
            for share in 0.5 ** np.arange(40):
                following, downhill = (
                    part[0] for part in self.value_and_slope((theta + share * step)[None])
                )
                if following >= value + 1e-4 * share * gain - 1e-12 * abs(value):
                    break
            theta, value, slope = theta + share * step, following, downhill
        return theta

    def whiten(self, theta: np.ndarray) -> np.ndarray:
        """Return A (coordinate, parameter) with AᵀA the inverse curvature at one point."""
        from scipy.linalg import solve_triangular

        root = np.linalg.cholesky(self.curvature(theta))
        return np.asarray(solve_triangular(root, np.eye(len(theta)), lower=True))

    def win_probability(self, strength: np.ndarray, log_nu: np.ndarray) -> np.ndarray:
        """Return the mean of P(win) + P(tie) / 2 over all rivals (..., entity)."""
        total = np.zeros(strength.shape)
        nu = np.exp(log_nu)[..., None]
        for j in range(self.entities):
            up = np.exp((strength - strength[..., [j]]) / 2)
            share = (up + nu / 2) / (up + 1 / up + nu)
            total += share
        return (total - 0.5) / (self.entities - 1)


def sample_around_mode(
    pairs: Pairs, draws: int, rngs: list[np.random.Generator]
) -> tuple[np.ndarray, np.ndarray]:
    """Return draws of the parameters (chain, draw, parameter) and acceptance rates (chain, draw).

    The coordinates z of parameters mode + z A, with AᵀA the inverse curvature at the mode, are
    almost independent and standard normal.
    """
    mode = pairs.mode()
    mapping = pairs.whiten(mode)
    look = _look_along(pairs, mode, mapping)
    size, width = len(mode), _width(len(mode))
    z = np.stack([rng.standard_normal(size) for rng in rngs])
    at = _Point(z, *look(z))
    retained, rates = np.empty((len(rngs), draws, size)), np.empty((len(rngs), draws))
    for turn in range(WARM_UP + draws):
        momentum = np.stack([rng.standard_normal(size) for rng in rngs])
        jitter, level = np.array([rng.random(2) for rng in rngs]).T
        at, rate = _travel(look, at, momentum, jitter, level, width)
        if turn < WARM_UP:
            width = float(
                np.clip(width * np.exp((rate.mean() - ACCEPT) / np.sqrt(1 + turn)), 0.01, LENGTH)
            )
        else:
            retained[:, turn - WARM_UP], rates[:, turn - WARM_UP] = at.z, rate
    return mode + retained @ mapping, rates


def sample_each(
    pairs: Pairs, draws: int, rng: np.random.Generator, about: Pairs | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return independent draws of the parameters (draw, parameter), and the last acceptance rates (draw).

    Each draw starts from the normal distribution around its own mode, and moves along a few
    trajectories that leave the posterior as it is. With votes (pair, draw) each draw has a
    posterior of its own; ``about`` is near all of them.
    """
    near = about or pairs
    mode = near.mode()
    mapping = near.whiten(mode)
    theta = np.tile(mode, (draws, 1))
    if about is not None:
        theta = _climb(pairs, theta, mapping.T @ mapping)
    look = _look_along(pairs, theta, mapping)
    z = rng.standard_normal(theta.shape)
    at = _Point(z, *look(z))
    rate = np.ones(draws)
    for _ in range(TURNS):
        jitter, level = rng.random((2, draws))
        momentum = rng.standard_normal(theta.shape)
        at, rate = _travel(look, at, momentum, jitter, level, _width(len(mode)))
    return theta + at.z @ mapping, rate


def _climb(pairs: Pairs, theta: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Return parameters (draw, parameter) near the mode of each draw, by steps with a common inverse curvature."""
    share = np.ones((len(theta), 1))
    value, slope = pairs.value_and_slope(theta)
    for _ in range(6):
        position = theta + share * (slope @ inverse)
        level, slant = pairs.value_and_slope(position)
        better = (level >= value)[:, None]
        theta, slope = np.where(better, position, theta), np.where(better, slant, slope)
        value = np.where(better[:, 0], level, value)
        share = np.where(better, share, share / 2)
    return theta


def _look_along(pairs: Pairs, start: np.ndarray, mapping: np.ndarray) -> Look:
    def look(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = pairs.value_and_slope(start + z @ mapping)
        return value, slope @ mapping.T

    return look


def _width(size: int) -> float:
    return float(1.2 * size**-0.25)


class _Point(NamedTuple):
    """Coordinates (..., parameter), and the value and the slope of the log density there."""

    z: np.ndarray
    value: np.ndarray
    slope: np.ndarray


def _travel(
    look: Look,
    at: _Point,
    momentum: np.ndarray,
    jitter: np.ndarray,
    level: np.ndarray,
    width: float,
) -> tuple[_Point, np.ndarray]:
    """Return the points after one Hamiltonian trajectory each, and the acceptance rates."""
    step = width * (0.8 + 0.4 * jitter)[:, None]
    position, push, value, slant = at.z, momentum, at.value, at.slope
    for _ in range(int(np.ceil(LENGTH / width))):
        push = push + step / 2 * slant
        position = position + step * push
        value, slant = look(position)
        push = push + step / 2 * slant
    change = value - at.value - (push**2).sum(-1) / 2 + (momentum**2).sum(-1) / 2
    rate = np.exp(np.minimum(np.nan_to_num(change, nan=-np.inf), 0.0))
    accepted = level < rate
    moved = accepted[:, None]
    z, slope = np.where(moved, position, at.z), np.where(moved, slant, at.slope)
    return _Point(z, np.where(accepted, value, at.value), slope), rate


def _column(votes: np.ndarray) -> np.ndarray:
    return votes if votes.ndim == 2 else votes[:, None]
