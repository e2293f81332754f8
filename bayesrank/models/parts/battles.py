"""Votes of judges on all pairs and of people on some: how the first predict the others, and complete them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.random import fingerprint
from bayesrank.models.parts.pairs import Pairs, sample_each

#: Standard deviations of what the judges miss of each entity, in logits; the density is uniform.
SPREADS = 2.0 ** np.arange(-5, 1.5, 0.5)
#: Draws times rows that are in memory at once.
MEMORY = 4_000_000


@dataclass(frozen=True)
class Battles:
    """Rows with the same pair, first before second, and the same votes of judges: 0, 1, 2 (tie) or 3 (none)."""

    entities: int
    judges: list[str]
    first: np.ndarray
    second: np.ndarray
    votes: np.ndarray  #: Of judges (row, judge).
    human: (
        np.ndarray
    )  #: How many people voted for the first, the second, a tie, or did not vote (row, result).
    precision: float  #: 1 / variance of the prior of strengths, coefficients and log ν.

    @classmethod
    def of(cls, evidence: xr.Dataset, names: list, precision: float) -> "Battles":
        """Return the rows of evidence between the entities ``names``, in this order."""
        position = {name: i for i, name in enumerate(names)}
        side = np.array(
            [[position.get(name, -1) for name in row] for row in evidence["side"].values.tolist()]
        )
        retained = (side >= 0).all(axis=1)
        side, votes, human = (
            side[retained],
            evidence["judge_vote"].values[retained],
            evidence["human_votes"].values[retained],
        )
        turned = side[:, 0] > side[:, 1]
        votes = np.where(turned[:, None], exchange(votes), votes)
        human = np.where(turned[:, None], human[:, [1, 0, 2, 3]], human)
        keys, row = np.unique(
            np.column_stack([np.sort(side, axis=1), votes]), axis=0, return_inverse=True
        )
        total = np.zeros((len(keys), 4), np.int64)
        np.add.at(total, row.ravel(), human)
        judges = evidence["judge"].values.tolist()
        return cls(len(names), judges, keys[:, 0], keys[:, 1], keys[:, 2:], total, precision)

    @cached_property
    def key(self) -> str:
        return fingerprint(self.first, self.second, self.votes, self.human)

    @property
    def known(self) -> np.ndarray:
        """Return the votes of people (row, result)."""
        return self.human[:, :3]

    @cached_property
    def pair(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs that met (pair, side), and the pair of each row."""
        pairs, which = np.unique(
            np.column_stack([self.first, self.second]), axis=0, return_inverse=True
        )
        return pairs, which.ravel()

    @cached_property
    def gather(self) -> Any:
        """Return which rows a pair has (pair, row), as a sparse matrix of 0 and 1."""
        from scipy.sparse import csr_array

        pairs, which = self.pair
        rows = np.arange(len(which))
        return csr_array((np.ones(len(rows)), (which, rows)), shape=(len(pairs), len(rows)))

    def votes_of(self, judge: int) -> Pairs:
        """Return the votes of one judge on the pairs."""
        number, text = self.human.sum(axis=1), self.votes[:, judge]
        return self._of_pairs(
            np.stack([number * (text == result) for result in range(3)], axis=-1)[None]
        )

    def _of_pairs(self, results: np.ndarray) -> Pairs:
        """Return results (draw, row, result) as votes on the pairs."""
        pairs, _ = self.pair
        wins, losses, ties = (np.squeeze(self.gather @ results[..., i].T, axis=-1) if len(results) == 1
                              else self.gather @ results[..., i].T for i in range(3))  # fmt: skip
        return Pairs(
            self.entities,
            pairs[:, 0],
            pairs[:, 1],
            wins,
            losses,
            ties,
            self.precision,
            no_ties=not results[..., 2].any(),
        )

    @cached_property
    def strengths(self) -> np.ndarray:
        """Return the strengths by the votes of each judge alone (entity, judge), with unit standard deviation."""
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
        shift = np.hstack([shift, (self.strengths[self.first] - self.strengths[self.second]) / 2])
        wins, losses, ties = self.known.T.astype(float)
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
    def posterior_of_spread(self) -> np.ndarray:
        """Return the posterior of the spreads, by Laplace's approximation."""
        log = np.empty(len(SPREADS))
        for i, spread in enumerate(SPREADS):
            pairs = self.given_judges(spread)
            mode = pairs.mode()
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
        pairs = self.given_judges(SPREADS[int(np.argmax(self.posterior_of_spread))])
        share = np.stack([part[:, 0] for part in self._shares(pairs, pairs.mode()[None])], axis=-1)
        return self._of_pairs((self.known + self.human[:, 3:] * share)[None])

    def _shares(self, pairs: Pairs, theta: np.ndarray) -> list[np.ndarray]:
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
            shares = np.stack(self._shares(pairs, theta), axis=-1).transpose(1, 0, 2)
            shares /= shares.sum(axis=-1, keepdims=True)
            done[start : start + number[i]] = self.known + rng.multinomial(self.human[:, 3], shares)
            start += number[i]
        completed = self._of_pairs(done[rng.permutation(draws)])
        return sample_each(completed, draws, rng, self.expected())


def exchange(votes: np.ndarray) -> np.ndarray:
    """Return votes with the two entities exchanged."""
    return np.array([1, 0, 2, 3])[votes]
