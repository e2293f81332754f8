"""Simulated futures of joint outcomes of cases, or of clusters of them."""

from dataclasses import dataclass

import numpy as np

from bayesrank._core.sampling import dirichlet
from bayesrank.models.parts.dirichlet_process import gather
from bayesrank.planning.futures import TableScore, Updates, gradient, split_cases

#: Cases that stand for the prior of a paired model: its base measure, in small pieces.
PIECES = 200
#: Most numbers in memory at once.
MOST = 2**24


@dataclass(frozen=True, eq=False)
class PairedPatterns:
    """Joint outcomes of paired cases, and the prior of a model of them."""

    score: TableScore
    #: The class and the answers of each pattern (pattern, 1 + entity), its number of cases, and its
    #: cluster if any.
    codes: np.ndarray
    count: np.ndarray
    cluster: np.ndarray | None
    #: Concentration of each answer (entity, class, answer).
    prior: np.ndarray
    #: The value of each answer if outcomes are numbers, NaN if missing; else None.
    values: np.ndarray | None = None
    #: The known class shares of the performance (class); None where classes are sampled.
    known: np.ndarray | None = None
    #: For each entity, the first one with the same outcomes.
    twin: np.ndarray | None = None
    #: The weight of one case of each pattern, whose ``count`` is the sum of them; None if all are
    #: equal.
    each: np.ndarray | None = None

    @property
    def number(self) -> np.ndarray:
        """Return the number of cases of each pattern."""
        return self.count if self.each is None else (self.count / self.each).round(9)

    @property
    def weight_of_class(self) -> np.ndarray:
        """Return the weight of a case of the prior in each class (class)."""
        weight = np.ones(len(self.count)) if self.each is None else self.each
        total, square = (
            np.bincount(self.codes[:, 0], self.count * one, self.prior.shape[1])
            for one in (1, weight)
        )
        return np.divide(square, total, out=np.ones(len(total)), where=total > 0)


class JointOutcomes(Updates):
    """Joint outcomes of paired cases, or of clusters of them: the posterior is a Dirichlet process.

    Its base measure is cut into PIECES cases with the exact class shares, on which entities answer
    independently. ``shares`` (class) are as in FutureTables. All cases have the same weight
    (``by_case``), or all clusters. Without ``pair`` the updated posterior does not know which
    outcomes belong together.
    """

    def __init__(
        self,
        joint: PairedPatterns,
        shares: np.ndarray | None,
        futures: int,
        rng: np.random.Generator,
        by_case: bool = True,
        pair: bool = True,
    ) -> None:
        prior, values = joint.prior, joint.values
        self.score, self.known, self.rng, self.pair = joint.score, joint.known, rng, pair
        self.shape = (*prior.shape[:-1], prior.shape[-1] if values is None else 1)
        patterns, unit, size, count = gather(
            joint.codes, joint.count, joint.cluster, by_case, joint.each
        )
        mass = prior[0].sum()
        pieces, weight = (
            _pieces(prior, rng) if mass else (np.empty((0, joint.codes.shape[1]), int), np.empty(0))
        )
        if joint.twin is not None:
            pieces[:, 1:] = pieces[:, 1 + joint.twin]
        patterns, size = (
            np.vstack([patterns, pieces]),
            np.append(size, joint.weight_of_class[pieces[:, 0]]),
        )
        unit = np.append(unit, len(count) + np.arange(len(pieces)))
        start = np.append(count, weight)
        # What a unit adds to the sums of each entity (entity, unit, cell), and to the number of
        # cases (entity, unit).
        entities, classes, cells = self.shape
        if values is None:
            position = patterns[:, [0]] * cells + patterns[:, 1:]
            added, answered = (
                np.repeat(size[:, None], entities, 1),
                np.repeat(size[:, None], entities, 1),
            )
        else:
            position = np.zeros((len(patterns), entities), int)
            value = values[patterns[:, 1:]]
            added, answered = np.nan_to_num(value) * size[:, None], ~np.isnan(value) * size[:, None]
        self.content = np.zeros((entities, len(start), classes * cells))
        self.cases = np.zeros((entities, len(start), classes))
        for e in range(entities):
            np.add.at(self.content[e], (unit, position[:, e]), added[:, e])
            np.add.at(self.cases[e], (unit, patterns[:, 0]), answered[:, e])
        self.start, self.before = start, np.full(len(prior), start.sum())
        self.weights = dirichlet(rng, start, futures)
        self.count = np.repeat(start[None], futures, axis=0)
        self.groups: list[tuple[np.ndarray, float]] = []
        if shares is not None and joint.cluster is None:
            of = np.zeros(len(start), int)
            of[unit] = patterns[:, 0]
            self.groups = [
                (np.flatnonzero(of == c), share) for c, share in enumerate(shares.tolist())
            ]
        self.truth = self.score(self._tables(self.weights)[0])

    def extend(self, more: int) -> None:
        """Draw ``more`` cases or clusters: of those observed, and of the prior's."""
        if not self.groups:
            self.count += self.rng.multinomial(more, self.weights)
        else:
            cases = split_cases(self.added, more, np.array([share for _, share in self.groups]))
            for (members, _), number in zip(self.groups, cases.tolist(), strict=True):
                inside = self.weights[:, members]
                self.count[:, members] += self.rng.multinomial(
                    number, inside / inside.sum(-1, keepdims=True)
                )
        self.added += more

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        tables, by_content, by_case = self._slopes(self.count)
        mean, total = self.score(tables), self.count.sum(-1)
        covariance = np.empty((len(mean), mean.shape[1], mean.shape[1]))
        step = max(MOST // self.content[..., 0].size, 1)
        for start in range(0, len(mean), step):
            chunk = slice(start, start + step)
            moves = np.matmul(self.content, by_content[chunk].transpose(1, 2, 0))
            moves -= np.matmul(
                self.cases, by_case[chunk].transpose(1, 2, 0)
            )  # (entity, unit, future)
            moves = moves.transpose(2, 0, 1) * np.sqrt(self.count[chunk, None])
            covariance[chunk] = (
                moves
                @ np.swapaxes(moves, 1, 2)
                * (total[chunk] / (total[chunk] + 1))[:, None, None]
            )
        return mean, covariance if self.pair else covariance * np.eye(mean.shape[1])

    def moves(self) -> np.ndarray:
        """Return how much one more of each unit moves today's scores (unit, entity)."""
        _, [by_content], [by_case] = self._slopes(self.start[None])
        moves = np.einsum("euc,ec->ue", self.content, by_content) - np.einsum(
            "euc,ec->ue", self.cases, by_case
        )
        return np.nan_to_num(moves)

    def _slopes(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return tables, and how much one more count of each cell and of each class moves the scores they give."""
        tables, cases = self._tables(weight)
        slope = gradient(self.score, tables)
        # How much one more unit moves each score: its content, less what the table already holds.
        if self.known is not None:
            rows = tables / np.maximum(self.known, 1e-300)[:, None]
            slope = slope * (self.known / np.maximum(cases, 1e-300))[..., None]
            level = (slope * rows).sum(-1, keepdims=True)
        else:
            slope = slope / cases.sum(-1)[..., None, None]
            level = (slope * tables).sum((-2, -1), keepdims=True)
        by_case = np.broadcast_to(level, (*slope.shape[:-1], 1))[..., 0]
        return tables, slope.reshape(*slope.shape[:2], -1), by_case

    def _tables(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Tables (future, entity, class, answer) of weights (future, unit), and the cases of each class."""
        sums = np.stack([weight @ content for content in self.content], 1).reshape(
            len(weight), *self.shape
        )
        cases = np.stack([weight @ cases for cases in self.cases], 1)
        with np.errstate(invalid="ignore"):
            if self.known is not None:
                return sums / cases[..., None] * self.known[:, None], cases
            return sums / cases.sum(-1)[..., None, None], cases


def _pieces(prior: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the base measure of a paired prior as cases (piece, 1 + entity), and the mass of each."""
    rows = prior[0].sum(-1)
    classes = np.flatnonzero(rows)
    per_class = PIECES // len(classes)
    blocks = []
    for c in classes.tolist():
        # Evenly spaced levels give every entity its own shares of answers, in an order of its own.
        level = (np.arange(per_class) + 0.5) / per_class
        ends = np.cumsum(prior[:, c] / prior[:, c].sum(-1, keepdims=True), -1)[:, :-1]
        answers = [rng.permutation(np.searchsorted(end, level, side="right")) for end in ends]
        blocks.append(np.column_stack([np.full(per_class, c), *answers]))
    return np.vstack(blocks), np.repeat(rows[classes] / per_class, per_class)
