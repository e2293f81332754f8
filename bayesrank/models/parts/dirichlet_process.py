"""Draws of a Dirichlet process over the joint answers of entities, summed into a table for each entity.

Marginals and covariances are exact wherever the stick is cut, since the rest of the stick, a
process of the same kind, is drawn from its marginals: Dirichlet tables of each entity with shared
class totals.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesrank._core.labels import unique_rows
from bayesrank._core.sampling import dirichlet

#: Expected share of the prior's mass at which the stick is cut, and the maximum number of sticks.
REST, STICKS = 1e-6, 1000
#: Number of units in a stream, and of patterns summed at once.
UNITS, PATTERNS = 1000, 1000
#: Minimum prior mass, which keeps the rates of a class without cases defined.
TINY = 1e-150


@dataclass(frozen=True)
class Process:
    """The posterior of a process whose base measure has independent answers of the entities given the class."""

    #: Concentrations (entity, class, answer); all entities have the same sums over answers.
    prior: np.ndarray
    #: The class of a case, and the answer of each entity (pattern, 1 + entity); then values without
    #: a prior, as costs.
    codes: np.ndarray
    #: The unit of each pattern, in order, and its weight there. Units carry the mass: patterns, or
    #: clusters of cases.
    unit: np.ndarray
    size: np.ndarray
    #: Number of times that each unit was observed.
    count: np.ndarray
    #: The summands (answer, feature): indicators or values of the observed answers, then of the
    #: answers of ``prior``.
    features: np.ndarray
    base: np.ndarray
    #: The weight of a case of the prior in each class (prior, class): a prior for each stratum of
    #: weights, 0 for none.
    prior_weight: np.ndarray

    @property
    def fewest(self) -> int:
        """Return the smallest positive number of units that an entity answered."""
        answered = (self.features != 0).max(axis=1)[self.codes[:, 1:]]
        has = np.zeros((self.count.size, answered.shape[1]), bool)
        np.logical_or.at(has, self.unit, answered)
        units = self.count @ has
        return int(units[units > 0].min(initial=self.count.sum()))

    @property
    def sticks(self) -> int:
        mass = self.prior[0].sum()
        return min(STICKS, int(np.ceil(np.log(REST) / np.log(mass / (1 + mass))))) if mass else 0

    @property
    def rest(self) -> float:
        """Return the expected share of the prior's mass that is drawn separately for each entity."""
        mass = self.prior[0].sum()
        return float((mass / (1 + mass)) ** self.sticks) if mass else 0.0

    def observed(self, stream: Callable[..., np.random.Generator], draws: int) -> np.ndarray:
        """Draw unnormalised sums over observed patterns: (draw, entity, class, feature)."""
        entities, classes = self.codes.shape[1] - 1, self.prior.shape[1]
        by_features = (
            len(self.features) < self.features.shape[1]
        )  # the mass of each answer is faster than all its features
        summands = np.eye(len(self.features)) if by_features else self.features
        total = np.zeros((draws, entities, classes, summands.shape[1]))
        for start in range(0, self.count.size, UNITS):
            count = self.count[start : start + UNITS]
            mass = stream("units", start // UNITS).standard_gamma(
                np.broadcast_to(count, (draws, count.size))
            )
            first, last = np.searchsorted(self.unit, (start, start + UNITS))
            for i in range(classes):
                of_entity = first + np.flatnonzero(self.codes[first:last, 0] == i)
                for part in (
                    of_entity[k : k + PATTERNS] for k in range(0, of_entity.size, PATTERNS)
                ):
                    weight = mass[:, self.unit[part] - start] * self.size[part]
                    answers = summands[self.codes[part, 1:]].reshape(part.size, -1)
                    given = np.flatnonzero(answers.any(axis=0))  # a few, where classes are many
                    entity, summand = np.divmod(given, summands.shape[1])
                    total[:, entity, i, summand] += weight @ answers[:, given]
        return total @ self.features if by_features else total

    def unseen(
        self, stream: Callable[..., np.random.Generator], names: list, draws: int
    ) -> np.ndarray:
        """Draw from the prior: (draw, entity, class, answer), which sums to 1 if all its cases have the weight 1."""
        if (self.prior_weight == 1).all():
            return self._unseen(stream, names, draws)
        return self._prior_sums(stream, names, draws)

    def _prior_sums(
        self, stream: Callable[..., np.random.Generator], names: list, draws: int
    ) -> np.ndarray:
        """Draw unnormalised sums of all priors: (draw, entity, class, answer)."""
        result, mass = np.zeros((draws, *self.prior.shape)), self.prior[0].sum()
        for i, weight in enumerate(self.prior_weight):

            def of(*purpose: Any, stratum: tuple = (i,) if i else ()) -> np.random.Generator:
                return stream(*purpose, *stratum)

            total = np.maximum(of("prior").standard_gamma(mass, draws), TINY)
            result += total[:, None, None, None] * weight[:, None] * self._unseen(of, names, draws)
        return result

    def _unseen(
        self, stream: Callable[..., np.random.Generator], names: list, draws: int
    ) -> np.ndarray:
        """Draw from one prior, summing to 1 over classes and answers: (draw, entity, class, answer)."""
        rows = self.prior[0].sum(-1)
        mass = rows.sum()
        # The remaining share of the stick at each break; for tiny masses the broken share would
        # round to 1.
        retained = stream("sticks").beta(mass, 1, (draws, self.sticks))
        remaining = np.cumprod(retained, axis=1)
        weight = 1 - retained
        weight[:, 1:] *= remaining[:, :-1]
        kind = _choose(stream("classes").random(retained.shape), rows)
        rest = remaining[:, -1:] * dirichlet(stream("rest"), rows, draws)
        draw, result = np.arange(draws)[:, None], np.empty((draws, *self.prior.shape))
        for i, (name, alpha) in enumerate(zip(names, self.prior, strict=True)):
            uniform, answers = stream("answers", name).random(kind.shape), np.zeros(kind.shape, int)
            for c in np.flatnonzero(alpha.sum(-1)):
                of_kind = kind == c
                answers[of_kind] = _choose(uniform[of_kind], alpha[c])
            cell = (draw * alpha.shape[0] + kind) * alpha.shape[1] + answers
            result[:, i] = np.bincount(cell.ravel(), weight.ravel(), draws * alpha.size).reshape(
                draws, *alpha.shape
            )
            answers_of_rest = dirichlet(stream("rest", name), alpha, draws)
            answers_of_rest[:, alpha.sum(-1) == 0] = 0.0
            answers_of_rest *= rest[..., None]
            result[:, i] += answers_of_rest
        return result

    def draw(
        self, stream: Callable[..., np.random.Generator], names: list, draws: int
    ) -> np.ndarray:
        """Draw unnormalised posterior sums: (draw, entity, class, feature)."""
        total = self.observed(stream, draws)
        if self.prior[0].sum():
            total[:, : len(self.prior)] += self.featured(self._prior_sums(stream, names, draws))
        return total

    def featured(self, answers: np.ndarray) -> np.ndarray:
        """Return sums of features from sums of answers of the prior: the same if each answer is its only feature."""
        alone = np.array_equal(self.base, np.eye(len(self.base)))
        return answers if alone else answers @ self.base


def gather(
    codes: np.ndarray,
    count: np.ndarray,
    cluster: np.ndarray | None,
    by_case: bool = True,
    weight: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return patterns, their units and sizes, and the counts of the units, in an order that depends on content only.

    ``count`` is the number of cases, or with ``weight`` (of one case of each pattern) the sum of
    their weights. Without clusters each pattern is a unit. With clusters, equal contents of
    clusters are a unit. Cases have equal weights (``by_case``), or clusters do.
    """
    weights, of_weight = (np.ones(1), np.zeros(len(codes), int))
    if weight is not None:
        weights, of_weight = np.unique(weight, return_inverse=True)
    rows, which = unique_rows(np.column_stack([codes, of_weight]))
    patterns, weight_of_row = rows[:, :-1], weights[rows[:, -1]]
    if cluster is None:
        units = np.arange(len(patterns))
        return (
            patterns,
            units,
            weight_of_row,
            np.bincount(which, count / weights[of_weight]).round(9),
        )
    held: dict[int, Counter[int]] = defaultdict(Counter)
    for group, position, n in zip(cluster.tolist(), which.tolist(), count.tolist(), strict=True):
        held[group][position] += n
    repeats = Counter(tuple(sorted(content.items())) for content in held.values())
    contents = sorted(repeats)
    times = np.array([float(repeats[content]) for content in contents])
    pattern, size = (
        np.array([pair[i] for content in contents for pair in content]) for i in (0, 1)
    )
    unit = np.repeat(np.arange(len(contents)), [len(content) for content in contents])
    if not by_case:
        # Scale by the mean size, so that a prior case and a case of the data have equal weights.
        cases = np.bincount(unit, size)
        size = size / cases[unit] * (cases @ times / times.sum())
    return patterns[pattern], unit, size.astype(float), times


def _choose(uniform: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return positions drawn in proportion to their weights."""
    return np.searchsorted(np.cumsum(weight)[:-1] / weight.sum(), uniform, side="right")
