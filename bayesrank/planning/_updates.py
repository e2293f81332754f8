"""Future posteriors without refitting: simulated cases update today's posterior, size by size.

Counts and joint outcomes are updated as conjugate models update them, and scores have the delta method's covariance.
Where no counts can be updated (hierarchical models, more cases of the same clusters), scores are taken as normal.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayesrank._sampling import dirichlet
from bayesrank.models.parts.dirichlet_process import gather

#: Cases that stand for the prior of a paired model: its base measure, in small pieces.
PIECES = 200
#: Most numbers in memory at once.
MOST = 2**24

#: A score of tables (..., entity, class, answer); higher is better.
TableScore = Callable[[np.ndarray], np.ndarray]


class Updates(ABC):
    """Simulated futures of one posterior.

    ``extend(more)`` adds units to every future.
    """

    #: Scores (future, entity) under each simulated truth; today's units (entity), the prior's included; those added.
    truth: np.ndarray
    before: np.ndarray
    added: float = 0

    @abstractmethod
    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean (future, entity) and the covariance (future, entity, entity) of the updated scores."""

    def past(self) -> np.ndarray:
        """Return the share of today's units among all (entity)."""
        return self.before / (self.before + self.added)


def gradient(score: TableScore, tables: np.ndarray) -> np.ndarray:
    """Return the derivative of a score by each cell of its table, by central differences."""
    found = np.empty(tables.shape)
    moved = tables.copy()
    for c, o in np.ndindex(tables.shape[-2:]):
        cell = tables[..., c, o]
        step = 1e-3 * cell + 1e-9
        moved[..., c, o] = cell + step
        high = score(moved)
        moved[..., c, o] = cell - step
        found[..., c, o] = (high - score(moved)) / (2 * step)
        moved[..., c, o] = cell
    return np.nan_to_num(found)


class Tables(Updates):
    """Tables of counts: rows are Dirichlet; row totals are known, or Dirichlet and shared by a test set.

    ``alpha`` (entity, class, answer) holds the prior and the counts; ``known`` the known class shares (entity, class)
    of the performance, and ``shares`` those of the new cases: both are None where classes are sampled.
    """

    def __init__(
        self,
        score: TableScore,
        alpha: np.ndarray,
        known: np.ndarray | None,
        shares: np.ndarray | None,
        test_set: np.ndarray,
        futures: int,
        rng: np.random.Generator,
    ) -> None:
        self.score, self.known, self.shares, self.test_set, self.rng = score, known, shares, test_set, rng
        self.before = alpha.sum((-2, -1))
        self.alpha = np.repeat(alpha[None], futures, axis=0)
        self.rates = dirichlet(rng, alpha, futures)
        self.sets = [np.flatnonzero(test_set == name) for name in np.unique(test_set)]
        if known is not None:
            self.prevalence = np.broadcast_to(known, (futures, *known.shape))
        else:
            self.prevalence = np.empty((futures, *alpha.shape[:-1]))
            for members in self.sets:
                self.prevalence[:, members] = dirichlet(rng, alpha[members[0]].sum(-1), futures)[:, None]
        self.truth = score(self.rates * self.prevalence[..., None])

    def extend(self, more: int) -> None:
        """Draw the classes of ``more`` cases, the same ones for the entities of a test set, and the answers."""
        for members in self.sets:
            first = members[0]
            if self.shares is None:
                cases = self.rng.multinomial(more, self.prevalence[:, first])
            else:
                cases = split_cases(self.added, more, self.shares[first])[None]
            self.alpha[:, members] += self.rng.multinomial(cases[:, None], self.rates[:, members])
        self.added += more

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        size = self.alpha.sum(-1)
        rates = self.alpha / size[..., None]
        share = size / size.sum(-1, keepdims=True) if self.known is None else self.prevalence
        tables = rates * share[..., None]
        slope = gradient(self.score, tables)
        by_rate = slope * share[..., None]
        variance = (rates * by_rate**2).sum(-1) - (rates * by_rate).sum(-1) ** 2
        variance = (variance / (size + 1)).sum(-1)
        covariance = variance[:, :, None] * np.eye(variance.shape[1])
        if self.known is None:
            by_share = (rates * slope).sum(-1)
            centred = (by_share - (by_share * share).sum(-1, keepdims=True)) * np.sqrt(share)
            common = centred @ np.swapaxes(centred, 1, 2) / (size.sum(-1)[..., None] + 1)
            covariance += common * (self.test_set[:, None] == self.test_set)
        return self.score(tables), covariance


def overlapping_noise(
    score: TableScore, tables: np.ndarray, known: bool, shares: np.ndarray | None, test_set: np.ndarray
) -> np.ndarray:
    """Return the covariance of what one new case says on the scores, if errors overlap as far as rates allow.

    ``tables`` (entity, class, answer) are the truth; the new cases of a test set have the class ``shares``.
    """
    prevalence = tables.sum(-1)
    rates = tables / np.maximum(prevalence, 1e-300)[..., None]
    shares = prevalence if shares is None else shares
    slope = gradient(score, tables)
    # How much one case of each class and answer moves the score, times the number of cases.
    level = (slope * rates).sum(-1)
    within = (slope - level[..., None]) * (prevalence / np.maximum(shares, 1e-300))[..., None]
    root = np.sqrt(shares)
    classes = range(tables.shape[-2])
    noise = sum(comonotone(within[:, c], rates[:, c]) * np.outer(root[:, c], root[:, c]) for c in classes)
    if not known:
        centred = (level - (level * prevalence).sum(-1, keepdims=True)) * np.sqrt(prevalence)
        noise = noise + centred @ centred.T
    return noise * (np.eye(len(test_set), dtype=bool) | (test_set[:, None] == test_set))


def comonotone(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the largest possible mean products (entity, entity) of values (entity, answer) that occur with shares.

    A product is largest if the order of the values is the same for both entities.
    """
    order = np.argsort(values, axis=-1)
    values = np.take_along_axis(values, order, -1)
    ends = np.cumsum(np.take_along_axis(shares, order, -1), -1)
    ends[:, -1] = 1.0
    steps = np.union1d(0.0, ends)
    middle = (steps[1:] + steps[:-1]) / 2
    quantiles = np.stack([own[np.searchsorted(end, middle)] for own, end in zip(values, ends, strict=True)])
    return quantiles * np.diff(steps) @ quantiles.T


@dataclass(frozen=True, eq=False)
class Patterns:
    """Joint outcomes of paired cases, and the prior of a model of them."""

    score: TableScore
    #: The class and the answers of each pattern (pattern, 1 + entity), its number of cases, and its cluster if any.
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


class JointOutcomes(Updates):
    """Joint outcomes of paired cases, or of clusters of them: the posterior is a Dirichlet process.

    Its base measure is cut into PIECES cases with the exact class shares, on which entities answer independently.
    ``shares`` (class) are as in Tables. All cases have the same weight (``by_case``), or all clusters. Without ``pair``
    the updated posterior does not know which outcomes belong together.
    """

    def __init__(
        self,
        joint: Patterns,
        shares: np.ndarray | None,
        futures: int,
        rng: np.random.Generator,
        by_case: bool = True,
        pair: bool = True,
    ) -> None:
        prior, values = joint.prior, joint.values
        self.score, self.known, self.rng, self.pair = joint.score, joint.known, rng, pair
        self.shape = (*prior.shape[:-1], prior.shape[-1] if values is None else 1)
        patterns, unit, size, count = gather(joint.codes, joint.count, joint.cluster, by_case)
        mass = prior[0].sum()
        pieces, weight = _pieces(prior, rng) if mass else (np.empty((0, joint.codes.shape[1]), int), np.empty(0))
        if joint.twin is not None:
            pieces[:, 1:] = pieces[:, 1 + joint.twin]
        patterns, size = np.vstack([patterns, pieces]), np.append(size, np.ones(len(pieces)))
        unit = np.append(unit, len(count) + np.arange(len(pieces)))
        start = np.append(count, weight)
        # What a unit adds to the sums of each entity (entity, unit, cell), and to the number of cases (entity, unit).
        entities, classes, cells = self.shape
        if values is None:
            place = patterns[:, [0]] * cells + patterns[:, 1:]
            added, met = np.repeat(size[:, None], entities, 1), np.repeat(size[:, None], entities, 1)
        else:
            place = np.zeros((len(patterns), entities), int)
            value = values[patterns[:, 1:]]
            added, met = np.nan_to_num(value) * size[:, None], ~np.isnan(value) * size[:, None]
        self.content = np.zeros((entities, len(start), classes * cells))
        self.cases = np.zeros((entities, len(start), classes))
        for e in range(entities):
            np.add.at(self.content[e], (unit, place[:, e]), added[:, e])
            np.add.at(self.cases[e], (unit, patterns[:, 0]), met[:, e])
        self.start, self.before = start, np.full(len(prior), start.sum())
        self.weights = dirichlet(rng, start, futures)
        self.count = np.repeat(start[None], futures, axis=0)
        self.groups: list[tuple[np.ndarray, float]] = []
        if shares is not None and joint.cluster is None:
            of = np.zeros(len(start), int)
            of[unit] = patterns[:, 0]
            self.groups = [(np.flatnonzero(of == c), share) for c, share in enumerate(shares.tolist())]
        self.truth = self.score(self._tables(self.weights)[0])

    def extend(self, more: int) -> None:
        """Draw ``more`` cases or clusters: of those observed, and of the prior's."""
        if not self.groups:
            self.count += self.rng.multinomial(more, self.weights)
        else:
            cases = split_cases(self.added, more, np.array([share for _, share in self.groups]))
            for (members, _), number in zip(self.groups, cases.tolist(), strict=True):
                inside = self.weights[:, members]
                self.count[:, members] += self.rng.multinomial(number, inside / inside.sum(-1, keepdims=True))
        self.added += more

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        tables, by_content, by_case = self._slopes(self.count)
        mean, total = self.score(tables), self.count.sum(-1)
        covariance = np.empty((len(mean), mean.shape[1], mean.shape[1]))
        step = max(MOST // self.content[..., 0].size, 1)
        for start in range(0, len(mean), step):
            here = slice(start, start + step)
            moves = np.matmul(self.content, by_content[here].transpose(1, 2, 0))
            moves -= np.matmul(self.cases, by_case[here].transpose(1, 2, 0))  # (entity, unit, future)
            moves = moves.transpose(2, 0, 1) * np.sqrt(self.count[here, None])
            covariance[here] = moves @ np.swapaxes(moves, 1, 2) * (total[here] / (total[here] + 1))[:, None, None]
        return mean, covariance if self.pair else covariance * np.eye(mean.shape[1])

    def moves(self) -> np.ndarray:
        """Return how much one more of each unit moves today's scores (unit, entity)."""
        _, [by_content], [by_case] = self._slopes(self.start[None])
        moves = np.einsum("euc,ec->ue", self.content, by_content) - np.einsum("euc,ec->ue", self.cases, by_case)
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
        sums = np.stack([weight @ content for content in self.content], 1).reshape(len(weight), *self.shape)
        cases = np.stack([weight @ cases for cases in self.cases], 1)
        with np.errstate(invalid="ignore"):
            if self.known is not None:
                return sums / cases[..., None] * self.known[:, None], cases
            return sums / cases.sum(-1)[..., None, None], cases


class NormalScores(Updates):
    """Scores with a normal posterior; further units can reduce the part ``within`` of its covariance.

    One more unit is as informative as an observed one, its noise ``within`` times the number of observed ``units``,
    unless its ``noise`` is known.
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
        self.noise = self.within * np.sqrt(self.before[:, None] * self.before) if noise is None else noise
        self.truth = draws[np.linspace(0, len(draws) - 1, futures).round().astype(int)]
        # The part of each truth that new units show, given all of it.
        gain = self.within @ np.linalg.pinv(total)
        spread = self.within - gain @ self.within
        self.visible = (self.truth - self.centre) @ gain.T + self._normal(spread, futures)
        self.sums = np.zeros_like(self.visible)

    def extend(self, more: float) -> None:
        """Add ``more`` units to every future; infinitely many reduce ``within`` to 0."""
        if np.isfinite(more):
            self.sums += more * self.visible + np.sqrt(more) * self._normal(self.noise, len(self.sums))
        self.added += more

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        size = self.truth.shape
        if not np.isfinite(self.added):
            return self.centre + self.visible, np.broadcast_to(self.rest, (*size, size[1]))
        gain = self.added * self.within @ np.linalg.pinv(self.added * self.within + self.noise, hermitian=True)
        mean = self.centre + (self.sums / max(self.added, 1)) @ gain.T
        covariance = self.rest + self.within - gain @ self.within
        return mean, np.broadcast_to(covariance, (*size, size[1]))

    def _normal(self, covariance: np.ndarray, size: int) -> np.ndarray:
        values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        return self.rng.standard_normal((size, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0))).T


def split_cases(before: float, more: float, shares: np.ndarray) -> np.ndarray:
    """Return how many of ``more`` cases fall into each class, when ``before`` cases were split by the same shares."""
    ends = np.append(0.0, np.cumsum(shares / shares.sum()))
    ends[-1] = 1.0
    return np.diff(np.rint((before + more) * ends)).astype(int) - np.diff(np.rint(before * ends)).astype(int)


def _pieces(prior: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The base measure of a paired prior as cases (piece, 1 + entity), and the mass of each."""
    rows = prior[0].sum(-1)
    classes = np.flatnonzero(rows)
    each = PIECES // len(classes)
    blocks = []
    for c in classes.tolist():
        # Evenly spaced levels give every entity its own shares of answers, in an order of its own.
        level = (np.arange(each) + 0.5) / each
        ends = np.cumsum(prior[:, c] / prior[:, c].sum(-1, keepdims=True), -1)[:, :-1]
        answers = [rng.permutation(np.searchsorted(end, level, side="right")) for end in ends]
        blocks.append(np.column_stack([np.full(each, c), *answers]))
    return np.vstack(blocks), np.repeat(rows[classes] / each, each)


def _between(part: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the part of a covariance, bounded by 0 and the total covariance."""
    values, vectors = np.linalg.eigh((total + total.T) / 2)
    scale = np.sqrt(np.maximum(values, 1e-12 * max(values.max(), 1e-300)))
    root, inverse = vectors * scale, vectors / scale
    inner, axes = np.linalg.eigh(inverse.T @ ((part + part.T) / 2) @ inverse)
    return root @ (axes * inner.clip(0, 1)) @ axes.T @ root.T
