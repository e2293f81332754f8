"""Votes of judges on all pairs and of people on some: how the first predict the others, and complete them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.labels import factorize
from bayesrank._core.random import fingerprint
from bayesrank.evidence.ballots import covariates_of
from bayesrank.models.parts.pairs import Pairs, sample_each

#: Standard deviations of what the judges miss of each entity, in logits; the density is uniform.
SPREADS = 2.0 ** np.arange(-5, 1.5, 0.5)
#: Draws times rows that are in memory at once.
MEMORY = 4_000_000


@dataclass(frozen=True)
class Battles:
    """Rows with the same pair, first before second, covariates, and votes of judges: 0, 1, 2 (tie) or 3 (none)."""

    entities: int
    judges: list[str]
    first: np.ndarray
    second: np.ndarray
    votes: np.ndarray  #: Of judges (row, judge).
    human: (
        np.ndarray
    )  #: How many people voted for the first, the second, a tie, or did not vote (row, result).
    precision: float  #: 1 / variance of the prior of strengths, coefficients and log ν.
    values: np.ndarray  #: Covariates, in units of their root mean squares (row, covariate).
    scales: dict[str, float]  #: These root mean squares, by name.
    #: How many votes of people count as one where the errors of judges are learned: those of a unit
    #: on one pair.
    repeats: float = 1.0

    @classmethod
    def of(cls, evidence: xr.Dataset, names: list, precision: float) -> "Battles":
        """Return the rows of evidence between the entities ``names``, in this order."""
        return cls.with_rows(evidence, names, precision)[0]

    @classmethod
    def with_rows(
        cls, evidence: xr.Dataset, names: list, precision: float
    ) -> "tuple[Battles, np.ndarray, np.ndarray, np.ndarray]":
        """Return the rows, and of each battle its row, the votes of people (battle, result), and its place."""
        position = {name: i for i, name in enumerate(names)}
        code, side_names = factorize(evidence["side"].values.ravel())
        side = np.array([position.get(name, -1) for name in side_names])[code].reshape(-1, 2)
        retained = (side >= 0).all(axis=1)
        side, votes, human = (
            side[retained],
            evidence["judge_vote"].values[retained],
            evidence["human_votes"].values[retained],
        )
        turned = side[:, 0] > side[:, 1]
        votes = np.where(turned[:, None], exchange(votes), votes)
        human = np.where(turned[:, None], human[:, [1, 0, 2, 3]], human)
        covariates = covariates_of(evidence)
        values = np.empty((len(side), len(covariates)))
        for k, name in enumerate(covariates):
            values[:, k] = np.where(turned, -1, 1) * evidence[f"covariate_{name}"].values[retained]
        number = human.sum(axis=1)
        scale = np.sqrt(number @ values**2 / number.sum())
        scale = np.where(scale > 0, scale, 1.0)
        keys, row = np.unique(
            np.column_stack([np.sort(side, axis=1), votes, values]), axis=0, return_inverse=True
        )
        row = row.ravel()
        total = np.zeros((len(keys), 4), human.dtype)
        np.add.at(total, row, human)
        judges = evidence["judge"].values.tolist()
        ends, keyed = keys[:, : 2 + len(judges)].astype(np.int64), keys[:, 2 + len(judges) :]
        battles = cls(
            len(names),
            judges,
            ends[:, 0],
            ends[:, 1],
            ends[:, 2:],
            total,
            precision,
            keyed / scale,
            dict(zip(covariates, scale.tolist(), strict=True)),
        )
        return battles, row, human, np.flatnonzero(retained)

    @cached_property
    def key(self) -> str:
        return fingerprint(
            self.first, self.second, self.votes, self.human, *([self.values] * bool(self.scales))
        )

    @property
    def known(self) -> np.ndarray:
        """Return the votes of people (row, result)."""
        return self.human[:, :3]

    @cached_property
    def cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs that met with their covariates (cell, side or covariate), and the cell of each row."""
        cells, which = np.unique(
            np.column_stack([self.first, self.second, self.values]), axis=0, return_inverse=True
        )
        return cells, which.ravel()

    @cached_property
    def gather(self) -> Any:
        """Return which rows a cell has (cell, row), as a sparse matrix of 0 and 1."""
        from scipy.sparse import csr_array

        cells, which = self.cells
        rows = np.arange(len(which))
        return csr_array((np.ones(len(rows)), (which, rows)), shape=(len(cells), len(rows)))

    def votes_of(self, judge: int) -> Pairs:
        """Return the votes of one judge on the pairs."""
        number, text = self.human.sum(axis=1), self.votes[:, judge]
        return self.of_cells([number * (text == result) for result in range(3)])

    @property
    def people(self) -> Pairs:
        """Return the votes of people alone."""
        return self.of_cells(self.known.T.astype(float))

    def of_cells(self, results: Any) -> Pairs:
        """Return the votes for the first, for the second, and ties (result, row, ...) as votes on the cells."""
        cells, _ = self.cells
        first, second = cells[:, :2].T.astype(np.int64)
        wins, losses, ties = (self.gather @ held for held in results)
        shift = cells[:, 2:] / 2 if self.scales else None
        return Pairs(
            self.entities,
            first,
            second,
            wins,
            losses,
            ties,
            self.precision,
            shift,
            no_ties=not ties.any(),
        )

    @cached_property
    def strengths(self) -> np.ndarray:
        """Return the strengths by the votes of each judge alone (entity, judge), with unit standard deviation.

        They are at equal covariates.
        """
        result = np.zeros((self.entities, len(self.judges)))
        for k in range(len(self.judges)):
            pairs = self.votes_of(k)
            strength = pairs.split(pairs.mode()[None])[0][0]
            result[:, k] = strength / max(float(strength.std()), 1e-6)
        return result

    def given_judges(self, spread: float) -> Pairs:
        """Return the votes of people given those of judges, where these miss ``spread`` of each entity."""
        code = self.votes @ 4 ** np.arange(len(self.judges))
        mirror = exchange(self.votes) @ 4 ** np.arange(len(self.judges))
        level = np.unique(np.minimum(code, mirror), return_inverse=True)[1].ravel()
        sided = code != mirror
        shift = np.zeros((len(code), level.max() + 1))
        shift[sided, level[sided]] = np.where(code < mirror, 1.0, -1.0)[sided]
        shift = shift[:, np.abs(shift).any(axis=0)]
        ahead = self.strengths[self.first] - self.strengths[self.second]
        shift = np.hstack([shift, ahead / 2, self.values / 2])
        wins, losses, ties = self.known.T / self.repeats
        free = self.entities - 1
        result = Pairs(
            self.entities,
            self.first,
            self.second,
            wins,
            losses,
            ties,
            0.0,
            shift,
            level,
            no_ties=not ties.any(),
        )
        precision = np.full(result.size, self.precision)
        precision[:free] = 1 / spread**2
        return replace(result, precision=precision)

    @cached_property
    def modes(self) -> list[np.ndarray]:
        """Return the mode of the votes of people given those of judges (parameter), for each of the spreads."""
        return [self.given_judges(spread).mode() for spread in SPREADS]

    @cached_property
    def posterior_of_spread(self) -> np.ndarray:
        """Return the posterior of the spreads, by Laplace's approximation."""
        log = np.empty(len(SPREADS))
        for i, spread in enumerate(SPREADS):
            pairs, mode = self.given_judges(spread), self.modes[i]
            determinant = np.linalg.slogdet(pairs.curvature(mode))[1]
            log[i] = (
                pairs.value_and_slope(mode[None])[0][0]
                - (self.entities - 1) * np.log(spread)
                - determinant / 2
            )
        log += np.log(SPREADS)  # Steps of the grid are equal in the logarithm.
        mass = np.exp(log - log.max())
        return np.asarray(mass / mass.sum())

    def expected(self) -> Pairs:
        """Return the expected counts of the completed votes at the mode of the most probable spread."""
        i = int(np.argmax(self.posterior_of_spread))
        shares = self.shares(self.given_judges(SPREADS[i]), self.modes[i][None])
        return self.of_cells(
            [
                own + self.human[:, 3] * share[:, 0]
                for own, share in zip(self.known.T, shares, strict=True)
            ]
        )

    def shares(self, pairs: Pairs, theta: np.ndarray) -> list[np.ndarray]:
        """Return the probabilities that a person votes for the first, the second, or a tie (row, draw)."""
        win, lose, tie = pairs.probabilities(theta)[3:]
        return [win, lose, np.broadcast_to(tie, win.shape)]

    def sample(self, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return independent draws of strengths and log ν (draw, parameter), and acceptance rates (draw)."""
        step = int(np.clip(MEMORY // len(self.first), 20, draws))
        parts = [self._sample(min(step, draws - at), rng) for at in range(0, draws, step)]
        theta, rates = (np.concatenate(each) for each in zip(*parts, strict=True))
        return theta, rates

    def _sample(self, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        number = rng.multinomial(draws, self.posterior_of_spread)
        done = np.empty((draws, len(self.first), 3))
        start = 0
        for i in np.flatnonzero(number):
            pairs = self.given_judges(SPREADS[i])
            theta, _ = sample_each(pairs, int(number[i]), rng)
            shares = np.stack(self.shares(pairs, theta), axis=-1).transpose(1, 0, 2)
            shares /= shares.sum(axis=-1, keepdims=True)
            done[start : start + number[i]] = self.known + rng.multinomial(self.human[:, 3], shares)
            start += number[i]
        completed = self.of_cells(done[rng.permutation(draws)].transpose(2, 1, 0))
        return sample_each(completed, draws, rng, self.expected())


def exchange(votes: np.ndarray) -> np.ndarray:
    """Return votes with the two entities exchanged."""
    return np.array([1, 0, 2, 3])[votes]
