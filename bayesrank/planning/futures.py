"""Future posteriors without refitting: simulated units update today's posterior, size by size.

Counts and joint outcomes are updated as conjugate models update them, and scores have the delta
method's covariance. Where no counts can be updated (hierarchical models, more cases of the same
clusters), scores are taken as normal.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

#: A score of tables (..., entity, class, answer); higher is better.
TableScore = Callable[[np.ndarray], np.ndarray]


class Updates(ABC):
    """Simulated futures of one posterior."""

    #: Scores (future, entity) under each simulated truth; today's units (entity), the prior's
    #: included; those added.
    truth: np.ndarray
    before: np.ndarray
    added: float = 0

    @abstractmethod
    def extend(self, more: int) -> None:
        """Add units to every future."""

    @abstractmethod
    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean (future, entity) and the covariance (future, entity, entity) of the updated scores."""

    def past(self) -> np.ndarray:
        """Return the share of today's units among all (entity)."""
        return self.before / (self.before + self.added)


def gradient(score: TableScore, tables: np.ndarray) -> np.ndarray:
    """Return the derivative of a score by each cell of its table, by central differences."""
    slopes = np.empty(tables.shape)
    moved = tables.copy()
    for c, o in np.ndindex(tables.shape[-2:]):
        cell = tables[..., c, o]
        step = 1e-3 * cell + 1e-9
        moved[..., c, o] = cell + step
        high = score(moved)
        moved[..., c, o] = cell - step
        slopes[..., c, o] = (high - score(moved)) / (2 * step)
        moved[..., c, o] = cell
    return np.nan_to_num(slopes)


class NormalScores(Updates):
    """Scores with a normal posterior; further units can reduce the part ``within`` of its covariance.

    One more unit is as informative as an observed one, its noise ``within`` times the number of
    observed ``units``, unless its ``noise`` is known.
    """

    def __init__(
        self,
        draws: np.ndarray,
        within: np.ndarray,
        units: np.ndarray,
        futures: int,
        rng: np.random.Generator,
        noise: np.ndarray | None = None,
    ) -> None:
        self.centre, total = draws.mean(0), np.cov(draws.T).reshape(draws.shape[1], -1)
        self.before, self.rng = units.astype(float), rng
        self.within = _between(within, total)
        self.rest = total - self.within
        self.noise = (
            self.within * np.sqrt(self.before[:, None] * self.before) if noise is None else noise
        )
        self.truth = draws[np.linspace(0, len(draws) - 1, futures).round().astype(int)]
        # The part of each truth that new units show, given all of it.
        gain = self.within @ np.linalg.pinv(total)
        spread = self.within - gain @ self.within
        self.visible = (self.truth - self.centre) @ gain.T + self._normal(spread, futures)
        self.sums = np.zeros_like(self.visible)

    def extend(self, more: float) -> None:
        """Add ``more`` units to every future; infinitely many reduce ``within`` to 0."""
        if np.isfinite(more):
            self.sums += more * self.visible + np.sqrt(more) * self._normal(
                self.noise, len(self.sums)
            )
        self.added += more

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        size = self.truth.shape
        if not np.isfinite(self.added):
            return self.centre + self.visible, np.broadcast_to(self.rest, (*size, size[1]))
        gain = (
            self.added
            * self.within
            @ np.linalg.pinv(self.added * self.within + self.noise, hermitian=True)
        )
        mean = self.centre + (self.sums / max(self.added, 1)) @ gain.T
        covariance = self.rest + self.within - gain @ self.within
        return mean, np.broadcast_to(covariance, (*size, size[1]))

    def _normal(self, covariance: np.ndarray, size: int) -> np.ndarray:
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        return (
            self.rng.standard_normal((size, len(values)))
            @ (vectors * np.sqrt(np.maximum(values, 0))).T
        )


def split_cases(before: float, more: float, shares: np.ndarray) -> np.ndarray:
    """Return how many of ``more`` cases fall into each class, when ``before`` cases were split by the same shares."""
    ends = np.append(0.0, np.cumsum(shares / shares.sum()))
    ends[-1] = 1.0
    return np.diff(np.rint((before + more) * ends)).astype(int) - np.diff(
        np.rint(before * ends)
    ).astype(int)


def _between(part: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the part of a covariance, bounded by 0 and the total covariance."""
    values, vectors = np.linalg.eigh((total + total.T) / 2)
    scale = np.sqrt(np.maximum(values, 1e-12 * max(values.max(), 1e-300)))
    root, inverse = vectors * scale, vectors / scale
    inner, axes = np.linalg.eigh(inverse.T @ ((part + part.T) / 2) @ inverse)
    return root @ (axes * inner.clip(0, 1)) @ axes.T @ root.T
