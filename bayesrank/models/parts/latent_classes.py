"""Patterns of verdicts that arise from two latent classes: likelihood, gradient, maximum, and identification.

A parameter vector holds, on the scale of logits, the share of the positive class in each
population, the sensitivity and the specificity of each test; then the parameters of the dependence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import betaln, expit, log_ndtr, ndtr, ndtri

from bayesrank._core.threads import one_blas_thread

#: Kinds of dependence of the tests within a class.
DEPENDENCES = ("none", "pairs", "common", "by_class")
#: Nodes of the quadrature over the random effect: of the draws, and of the maximum of the
#: likelihood.
NODES, FINE_NODES = 15, 41
#: Random starts of the search for the maximum, beside a plain one: with up to ALL_PATTERNS tests,
#: and with more.
STARTS, FEW_STARTS = 6, 1
#: The reference: random starts, differences of equal maxima and of logs that do not count, width,
#: share of the prior.
REFERENCE_STARTS, SAME, NEGLIGIBLE, WIDE, PRIOR_SHARE = 5, 0.02, 40.0, 1.4, 0.25
#: Logits are kept within these ends, where probabilities differ from 0 and 1 by 1e-13.
END = 30.0
#: Up to this number of tests, the information has all patterns; above it, this many drawn ones a
#: test, and at least.
ALL_PATTERNS, DRAWN, LEAST_DRAWN = 10, 8, 400
#: Share of the largest singular value below which another one counts as 0, and length of a column
#: that counts as 0.
RANK, NO_LENGTH = 1e-6, 1e-8
#: Difference of logits in numerical derivatives.
STEP = 1e-4
LOG_ROOT = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class LatentClasses:
    """Cells of verdicts by population, with the truth where it is known, and the kind of dependence."""

    verdict: np.ndarray  #: 0 or 1 (cell, test).
    population: np.ndarray  #: Code of each cell.
    truth: np.ndarray  #: 0, 1, or -1 where unknown.
    count: np.ndarray
    populations: int
    dependence: str
    pairs: tuple[tuple[int, int], ...] = ()
    nodes: int = NODES

    @property
    def tests(self) -> int:
        return self.verdict.shape[1]

    @property
    def rates(self) -> int:
        """Return the number of parameters that are probabilities: prevalences, sensitivities and specificities."""
        return self.populations + 2 * self.tests

    @property
    def effects(self) -> int:
        """Return the number of parameters of the dependence."""
        return {"none": 0, "pairs": 2 * len(self.pairs), "common": 1, "by_class": 2}[
            self.dependence
        ]

    @property
    def size(self) -> int:
        return self.rates + self.effects

    @cached_property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Return nodes and log weights of a standard normal distribution."""
        z, weight = np.polynomial.hermite_e.hermegauss(self.nodes)
        return z, np.log(weight / weight.sum())

    @cached_property
    def members(self) -> np.ndarray:
        """Return which cells belong to each population (cell, population)."""
        return (self.population[:, None] == np.arange(self.populations)).astype(float)

    def logits(self, theta: np.ndarray, positive: bool) -> np.ndarray:
        """Return the logit of a positive verdict of each test in a class (..., test)."""
        first = self.populations
        if positive:
            return theta[..., first : first + self.tests]
        return -theta[..., first + self.tests : self.rates]

    def strength(self, theta: np.ndarray, positive: bool) -> np.ndarray:
        """Return the standard deviation of the random effect in a class (...)."""
        return theta[..., self.rates + (1 if positive and self.dependence == "by_class" else 0)]

    def value(self, theta: np.ndarray) -> np.ndarray:
        """Return the log likelihood of parameters (particle, parameter)."""
        return self._mix(theta)[0] @ self.count

    def cells(self, theta: np.ndarray) -> np.ndarray:
        """Return the probability of each cell in its population, of a known truth together with it (particle, cell)."""
        return np.exp(self._mix(theta)[0])

    def value_and_slope(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log likelihood (particle) and its gradient (particle, parameter)."""
        log, positive, parts = self._mix(theta)
        slope = np.empty_like(theta)
        share = expit(np.clip(theta[:, : self.populations], -END, END))
        weight = positive * self.count
        slope[:, : self.populations] = weight @ self.members - share * (self.count @ self.members)
        slope[:, self.rates :] = 0.0
        for k, each in enumerate((self.count - weight, weight)):
            rates, effects = self._pull(theta, bool(k), each, parts[k])
            first = self.populations + (0 if k else self.tests)
            slope[:, first : first + self.tests] = rates if k else -rates
            if self.dependence == "pairs":
                slope[:, self.rates + k :: 2] = effects
            elif self.effects:
                slope[:, self.rates + (k if self.dependence == "by_class" else 0)] += effects[:, 0]
        return log @ self.count, slope

    def _mix(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, list]:
        """Return log probabilities and shares of the positive class (particle, cell), and parts of the gradient."""
        logit = np.clip(theta[:, : self.populations], -END, END)[:, self.population]
        logs, parts = [], []
        for k in range(2):
            log, retained = self._of_class(theta, bool(k))
            logs.append(log - np.logaddexp(0.0, -logit if k else logit))
            parts.append(retained)
        negative, positive = logs
        both = np.logaddexp(negative, positive)
        unknown = self.truth < 0
        log = np.where(unknown, both, np.where(self.truth == 1, positive, negative))
        return log, np.where(unknown, np.exp(positive - both), self.truth == 1), parts

    def _of_class(self, theta: np.ndarray, positive: bool) -> tuple[np.ndarray, tuple]:
        """Return the log probability of each cell's verdicts in a class (particle, cell)."""
        x = np.clip(self.logits(theta, positive), -END, END)
        if self.dependence in ("common", "by_class"):
            return self._with_effect(x, self.strength(theta, positive))
        free = self.free
        log = x[:, free] @ self.verdict[:, free].T - np.logaddexp(0.0, x[:, free]).sum(
            axis=1, keepdims=True
        )
        tables = []
        for position, (i, j) in enumerate(self.pairs):
            table = pair_table(
                expit(x[:, i]), expit(x[:, j]), theta[:, self.rates + 2 * position + positive]
            )
            log = log + np.log(table)[:, 2 * self.verdict[:, i] + self.verdict[:, j]]
            tables.append(table)
        return log, (x, tables)

    @cached_property
    def free(self) -> np.ndarray:
        """Return the tests that are independent of all others."""
        return np.setdiff1d(np.arange(self.tests), np.array(self.pairs, int).ravel())

    def _with_effect(self, x: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, tuple]:
        z, weight = self.grid
        quantile = np.where(x > 0, -1.0, 1.0) * ndtri(expit(-np.abs(x)))
        root = np.sqrt(1 + b**2)[:, None]
        # (particle, node, test), within ends where logarithms of the tails keep their digits.
        middle = np.clip((quantile * root)[:, None] + (b[:, None] * z)[..., None], -END, END)
        up, down = log_ndtr(middle), log_ndtr(-middle)
        terms = (up - down) @ self.verdict.T + down.sum(axis=2, keepdims=True) + weight[:, None]
        most = terms.max(axis=1, keepdims=True)
        np.exp(terms - most, out=terms)
        total = terms.sum(axis=1)
        return np.log(total) + most[:, 0], (x, quantile, root, middle, up, down, terms, total)

    def _pull(
        self, theta: np.ndarray, positive: bool, weight: np.ndarray, parts: tuple
    ) -> tuple[np.ndarray, ...]:
        """Return the gradient of the weighted log probabilities (particle, cell) by logits and by dependence."""
        x = parts[0]
        p = expit(x)
        if self.dependence in ("none", "pairs"):
            slope = weight @ self.verdict - weight.sum(axis=1, keepdims=True) * p
            effects = np.empty((len(theta), len(self.pairs)))
            for position, ((i, j), table) in enumerate(zip(self.pairs, parts[1], strict=True)):
                cell = 2 * self.verdict[:, i] + self.verdict[:, j]
                w00, w01, w10, w11 = (
                    (weight @ (cell == c).astype(float)) / table[:, c] for c in range(4)
                )
                odds = (
                    1 / table
                )  # the both-positive probability moves with the odds ratio and the two rates
                g, h = odds.sum(axis=1), w11 + w00 - w10 - w01
                slope[:, i] = (
                    (w10 - w00 + h * (odds[:, 2] + odds[:, 0]) / g) * p[:, i] * (1 - p[:, i])
                )
                slope[:, j] = (
                    (w01 - w00 + h * (odds[:, 1] + odds[:, 0]) / g) * p[:, j] * (1 - p[:, j])
                )
                effects[:, position] = h / g
            return slope, effects
        _, quantile, root, middle, up, down, terms, total = parts
        pulls = terms * (weight / total)[:, None]
        ones, all_ = pulls @ self.verdict, pulls.sum(axis=2, keepdims=True)
        log = -0.5 * middle**2 - LOG_ROOT
        by_middle = ones * np.exp(log - up) - (all_ - ones) * np.exp(log - down)
        # The derivative of the normal quantile by the logit.
        steep = p * expit(-x) * np.exp(0.5 * quantile**2 + LOG_ROOT)
        b = self.strength(theta, positive)[:, None]
        of_tests = by_middle.sum(axis=1)
        by_effect = (by_middle.sum(axis=2) @ self.grid[0])[:, None]
        by_effect += (of_tests * quantile).sum(axis=1, keepdims=True) * b / root
        return of_tests * root * steep, by_effect

    def swap(self, theta: np.ndarray) -> np.ndarray:
        """Return parameters of the same likelihood with the two classes exchanged; truths must be unknown."""
        result = theta.copy()
        first, last = self.populations, self.rates
        result[: self.populations] = -theta[: self.populations]
        result[first : first + self.tests] = -theta[first + self.tests : last]
        result[first + self.tests : last] = -theta[first : first + self.tests]
        if self.dependence == "by_class":
            result[last:] = theta[last:][::-1]
        elif self.dependence == "pairs":
            result[last:] = theta[last:].reshape(-1, 2)[:, ::-1].ravel()
        return result

    def climb(self, start: np.ndarray, prior: "Prior | None" = None) -> tuple[np.ndarray, float]:
        """Return the next maximum of the likelihood, or of the posterior, from a start, and its logarithm."""
        from scipy.optimize import minimize

        fine = replace(self, nodes=FINE_NODES)

        def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = fine.value_and_slope(theta[None])
            if prior is not None:
                more, change = prior.density(theta[None])
                value, slope = value + more, slope + change
            return -float(value[0]), -slope[0]

        ends = [(-END / 2, END / 2)] * self.rates + [(-8.0, 8.0)] * self.effects
        finish = {"maxiter": 2000, "ftol": 1e-13, "gtol": 1e-7}
        run = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=ends, options=finish)
        return run.x, -float(run.fun)

    def starts(self, anchor: int | None, number: int) -> list[np.ndarray]:
        """Return parameters from which to climb: plain ones, where the anchor or the truths agree, and random ones."""
        rng = np.random.default_rng(0)
        start = np.full(self.size, 0.8)
        start[: self.populations] = 0.0
        sign = np.where(
            (self._with_truth if anchor is None else self._agreement[anchor]) < 0, -1.0, 1.0
        )
        start[self.populations : self.rates] = 1.5 * np.tile(sign, 2)
        return [start, *(start + rng.normal(0, 1.2, self.size) for _ in range(number))]

    def maximum(
        self, anchor: int | None, more: Sequence[np.ndarray] = ()
    ) -> tuple[np.ndarray, float]:
        """Return the parameters with the largest likelihood from several starts, and ``more``.

        The anchor is informative there; without one, known truths name the classes.
        """
        starts = [*self.starts(anchor, STARTS if self.tests <= ALL_PATTERNS else FEW_STARTS), *more]
        with one_blas_thread():
            theta, log = max((self.climb(each) for each in starts), key=lambda found: found[1])
        if (
            anchor is not None
            and self.informedness(theta[None], anchor)[0] < 0
            and (self.truth < 0).all()
        ):
            theta = self.swap(theta)
        if self.dependence in ("common", "by_class"):
            theta[self.rates :] = np.abs(theta[self.rates :])
        return theta, log

    @cached_property
    def _agreement(self) -> np.ndarray:
        """Return the covariance of the verdicts of two tests over all cases (test, test)."""
        share = self.count / self.count.sum()
        mean = share @ self.verdict
        return (self.verdict.T * share) @ self.verdict - mean[:, None] * mean

    @cached_property
    def _with_truth(self) -> np.ndarray:
        """Return the covariance of each verdict with the truth, over the cases with a known one (test)."""
        has_truth = self.truth >= 0
        share = self.count[has_truth] / self.count[has_truth].sum()
        truth = self.truth[has_truth] - share @ self.truth[has_truth]
        return (share * truth) @ self.verdict[has_truth]

    def most_central(self, names: list) -> int:
        """Return the test with the largest correlations with the others, the first by name of equals."""
        spread = np.sqrt(np.maximum(np.diag(self._agreement), 1e-12))
        total = np.abs(self._agreement / spread[:, None] / spread).sum(axis=1).round(9)
        return min(range(self.tests), key=lambda i: (-total[i], repr(names[i])))

    def informedness(self, theta: np.ndarray, test: int) -> np.ndarray:
        """Return P(positive | positive class) - P(positive | negative class) of a test (particle)."""
        return expit(self.logits(theta, True)[:, test]) - expit(self.logits(theta, False)[:, test])

    @cached_property
    def saturated(self) -> tuple[float, int]:
        """Return the log likelihood of the observed shares, and their number of free parameters.

        The truth is missing at random given the verdicts, so cells are those of verdicts, and of
        the truth given them.
        """
        code = np.column_stack([self.population, self.verdict])
        names, cell = np.unique(code, axis=0, return_inverse=True)
        cell = cell.ravel()
        all_cases = np.bincount(cell, self.count, len(names))
        size = self.count @ self.members
        log = float(self.count @ np.log(all_cases[cell] / size[self.population]))
        has_truth = self.truth >= 0
        labels = np.bincount(cell[has_truth], self.count[has_truth], len(names))
        log += float(
            self.count[has_truth] @ np.log(self.count[has_truth] / labels[cell[has_truth]])
        )
        return log, int(self.populations * (2.0**self.tests - 1) + (labels > 0).sum())

    def fit_statistics(self, log: float) -> tuple[float, int]:
        """Return twice the log likelihood ratio of the saturated model (G²), and its degrees of freedom."""
        best, free = self.saturated
        return 2 * (best - log), free - self.size

    def expected(self, theta: np.ndarray) -> tuple["LatentClasses", np.ndarray]:
        """Return possible cells, and their expected numbers of cases at parameters (parameter).

        Up to ALL_PATTERNS tests these are all cells. With more tests, cells are drawn from each
        class with weights.
        """
        every = (
            (np.arange(2**self.tests)[:, None] >> np.arange(self.tests)) & 1
            if self.tests <= ALL_PATTERNS
            else None
        )
        drawn = (
            [(every, None)] * 2
            if every is not None
            else [self._draw(theta, bool(k)) for k in range(2)]
        )
        share = expit(theta[: self.populations])
        parts: list[tuple] = []
        for p in range(self.populations):
            in_population = self.population == p
            labelled = self.count[in_population & (self.truth >= 0)].sum()
            for label, size in (
                (-1, self.count[in_population].sum() - labelled),
                (0, labelled),
                (1, labelled),
            ):
                if size == 0:
                    continue
                if every is not None:
                    parts.append((every, p, label, np.full(len(every), size)))
                    continue
                for k in (0, 1) if label < 0 else (label,):
                    verdict, weight = drawn[k]
                    parts.append(
                        (verdict, p, label, weight * size * (share[p] if k else 1 - share[p]))
                    )
        verdict = np.concatenate([part[0] for part in parts])
        lengths = [len(part[0]) for part in parts]
        population, truth = (np.repeat([part[i] for part in parts], lengths) for i in (1, 2))
        number = np.concatenate([part[3] for part in parts])
        cells = replace(self, verdict=verdict, population=population, truth=truth, count=number)
        if every is not None:
            number = number * cells.cells(theta[None])[0]
        return cells, number

    def _draw(self, theta: np.ndarray, positive: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return verdicts (pattern, test) of cases of a class, and weights (pattern) with a sum near 1.

        One verdict of each pattern, of each test in turn, is a fair coin, so that rare verdicts
        occur for all tests.
        """
        rng = np.random.default_rng(0)
        size = self.tests * max(DRAWN, -(-LEAST_DRAWN // self.tests))
        x = np.clip(self.logits(theta, positive), -END, END)
        p = np.tile(expit(x), (size, 1))
        if self.dependence in ("common", "by_class"):
            b = self.strength(theta, positive)
            p = ndtr(ndtri(expit(x)) * np.sqrt(1 + b**2) + b * rng.standard_normal((size, 1)))
        u = rng.random((size, self.tests))
        verdict = (u < p).astype(int)
        for position, (i, j) in enumerate(self.pairs):
            [table] = pair_table(
                expit(x[[i]]), expit(x[[j]]), theta[[self.rates + 2 * position + positive]]
            )
            p[:, j] = (table[[1, 3]] / (table[[0, 2]] + table[[1, 3]]))[verdict[:, i]]
            verdict[:, j] = u[:, j] < p[:, j]
            p[:, i] = (table[2:] / (table[:2] + table[2:]))[verdict[:, j]]
        row = np.arange(size)
        coin = row % self.tests
        verdict[row, coin] = rng.random(size) < 0.5
        return verdict, 2 * np.where(verdict[row, coin] == 1, p[row, coin], 1 - p[row, coin]) / size

    def information_root(self, theta: np.ndarray) -> np.ndarray:
        """Return a matrix (cell, parameter) whose product with itself is the Fisher information of all cases.

        Rows are derivatives of the log probability of a cell by the parameters on the scale of
        logits, times the root of the expected number of its cases; logarithms keep their digits
        with any number of tests.
        """
        cells, number = self.expected(theta)
        step = STEP * np.eye(self.size)
        change = (cells._mix(theta + step)[0] - cells._mix(theta - step)[0]) / (2 * STEP)
        return change.T * np.sqrt(number)[:, None]

    def identify(self, theta: np.ndarray) -> tuple[int, float, np.ndarray]:
        """Return rank, smallest singular value, and standard errors at draws (draw, parameter): medians over draws.

        The rank is that of the Fisher information, whose columns have length 1, so that their scale
        does not matter. The singular value is that of the root of the information of one case by
        probabilities and strengths of dependence. Standard errors (parameter) belong to all cases;
        they are infinite where the rank is not full.
        """
        ranks, smallest, errors = [], [], []
        for each in theta:
            root = self.information_root(each) / np.sqrt(self.count.sum())
            length = np.sqrt(np.square(root).sum(axis=0))
            _, values, right = np.linalg.svd(
                root / np.maximum(length, NO_LENGTH), full_matrices=False
            )
            ranks.append(int((values > RANK * values[0]).sum()))
            per = np.ones(self.size)
            per[: self.rates] = expit(each[: self.rates]) * expit(-each[: self.rates])
            smallest.append(np.linalg.svd(root / np.maximum(per, 1e-12), compute_uv=False)[-1])
            inverse = np.square(right / np.maximum(values, RANK)[:, None]).sum(axis=0)
            errors.append(per * np.sqrt(inverse / self.count.sum()) / np.maximum(length, NO_LENGTH))
        rank = int(np.median(ranks))
        if rank < self.size:
            return rank, 0.0, np.full(self.size, np.inf)
        return rank, float(np.median(smallest)), np.median(errors, axis=0)


def pair_table(one: Any, other: Any, log_odds_ratio: Any, library: Any = np) -> Any:
    """Return probabilities (..., 4) of 00, 01, 10, 11 with these margins and odds ratio (Plackett 1965).

    ``library`` is NumPy or pytensor.tensor.
    """
    # An odds ratio of exactly 1 has a removable singularity.
    ratio = library.exp(library.clip(log_odds_ratio, -15, 15)) * (1 + 1e-12)
    s = 1 + (one + other) * (ratio - 1)
    root = library.sqrt(library.maximum(s**2 - 4 * ratio * (ratio - 1) * one * other, 0.0))
    both = 2 * ratio * one * other / (s + root)
    table = library.stack([1 - one - other + both, other - both, one - both, both], axis=-1)
    return library.maximum(table, 1e-14)


@dataclass(frozen=True)
class Prior:
    """Beta priors of the probabilities, normal ones of the dependence, where the anchor is informative, if any."""

    cells: LatentClasses
    shapes: (
        np.ndarray
    )  #: Of the Beta distribution of each probability (rate, 2): of the event, and of its absence.
    scale: float  #: Standard deviation of the parameters of dependence.
    anchor: int | None  #: The informative test; None if known truths name the classes.

    def named(self, theta: np.ndarray) -> np.ndarray:
        """Return whether the classes have their names (particle)."""
        return (
            np.full(len(theta), True)
            if self.anchor is None
            else self.cells.informedness(theta, self.anchor) > 0
        )

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw parameters (draw, parameter)."""
        retained: list[np.ndarray] = []
        while sum(map(len, retained)) < size:
            first, second = (
                np.log(rng.standard_gamma(a, (size, len(a))) + 1e-300) for a in self.shapes.T
            )
            theta = np.clip(first - second, -END + 1e-6, END - 1e-6)
            theta = np.hstack([theta, self.scale * rng.standard_normal((size, self.cells.effects))])
            retained.append(theta[self.named(theta)])
        return np.concatenate(retained)[:size]

    def density(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log density on the scale of logits without the anchor (particle), and its gradient."""
        last = self.cells.rates
        x, effect = theta[:, :last], theta[:, last:]
        value = -np.logaddexp(0, -x) @ self.shapes[:, 0] - np.logaddexp(0, x) @ self.shapes[:, 1]
        value -= (effect**2).sum(axis=1) / (2 * self.scale**2)
        value -= betaln(*self.shapes.T).sum() + effect.shape[1] * (np.log(self.scale) + LOG_ROOT)
        rate = expit(x)
        slope = np.hstack(
            [self.shapes[:, 0] * (1 - rate) - self.shapes[:, 1] * rate, -effect / self.scale**2]
        )
        return value, slope

    def value_and_slope(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log density on the scale of logits (particle), and its gradient."""
        value, slope = self.density(theta)
        far = (np.abs(theta[:, : self.cells.rates]) > END).any(axis=1)
        return np.where(far | ~self.named(theta), -np.inf, value), slope

    def information(self, theta: np.ndarray) -> np.ndarray:
        """Return the Fisher information of all cases at these parameters, plus the curvature of the log prior."""
        rate = expit(theta[: self.cells.rates])
        curvature = np.full(len(theta), self.scale**-2.0)
        curvature[: len(rate)] = self.shapes.sum(axis=1) * rate * (1 - rate)
        root = self.cells.information_root(theta)
        return root.T @ root + np.diag(curvature)


@dataclass(frozen=True)
class Reference:
    """A mixture of the prior and of wide normal distributions at maxima of a posterior, from which its draws can start.

    With many tests, few particles from the prior all miss the maxima with nearly all mass. From
    here, tempering gives each maximum its mass in the posterior. The prior covers what the normal
    distributions miss.
    """

    prior: Prior
    centers: np.ndarray  #: Maxima (component, parameter).
    roots: (
        np.ndarray
    )  #: Lower triangular roots of the covariances (component, parameter, parameter).

    @classmethod
    def of(cls, prior: Prior) -> "Reference | None":
        """Return the reference of the posterior; None if no maximum has an informative anchor."""
        with one_blas_thread():
            found = cls._maxima(prior)
        centers = [
            theta for theta, log in found if log > max(each for _, each in found) - NEGLIGIBLE
        ]
        inverses = [np.linalg.inv(prior.information(theta)) for theta in centers]
        roots = [WIDE * np.linalg.cholesky((each + each.T) / 2) for each in inverses]
        return cls(prior, np.stack(centers), np.stack(roots)) if centers else None

    @staticmethod
    def _maxima(prior: Prior) -> list[tuple[np.ndarray, float]]:
        """Return the different maxima of the posterior with an informative anchor, and their logarithms."""
        cells = prior.cells
        found: list[tuple[np.ndarray, float]] = []
        for start in cells.starts(prior.anchor, REFERENCE_STARTS):
            theta, log = cells.climb(start, prior)
            if not prior.named(theta[None])[0]:
                theta, log = cells.climb(cells.swap(theta), prior)
            is_new = all(np.abs(expit(theta) - expit(each)).max() > SAME for each, _ in found)
            if is_new and prior.named(theta[None])[0]:
                found.append((theta, log))
        return found

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw parameters (draw, parameter), where the anchor is informative."""
        retained: list[np.ndarray] = []
        while sum(map(len, retained)) < size:
            which = rng.integers(len(self.centers), size=size)
            noise = rng.standard_normal((size, self.prior.cells.size))
            theta = self.centers[which] + np.einsum("dij,dj->di", self.roots[which], noise)
            theta = np.where(rng.random((size, 1)) < PRIOR_SHARE, self.prior.draw(size, rng), theta)
            retained.append(theta[np.isfinite(self.prior.value_and_slope(theta)[0])])
        return np.concatenate(retained)[:size]

    def value_and_slope(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log density (particle) up to the constant of the anchor, and its gradient."""
        value, slope = self.prior.density(theta)
        values, slopes = [np.log(PRIOR_SHARE) + value], [slope]
        for center, root in zip(self.centers, self.roots, strict=True):
            z = solve_triangular(root, (theta - center).T, lower=True)
            size = np.log(np.diag(root)).sum() + len(root) * LOG_ROOT
            values.append(
                np.log((1 - PRIOR_SHARE) / len(self.roots)) - 0.5 * np.square(z).sum(axis=0) - size
            )
            slopes.append(-solve_triangular(root, z, lower=True, trans="T").T)
        value = np.logaddexp.reduce(values)
        return value, np.einsum("cp,cpj->pj", np.exp(np.array(values) - value), np.array(slopes))

    def ratio(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log of the posterior over the reference (particle), and its gradient."""
        parts = (self.prior.value_and_slope(theta), self.prior.cells.value_and_slope(theta))
        (prior, by_prior), (log, by_log), (own, by_own) = *parts, self.value_and_slope(theta)
        return prior + log - own, by_prior + by_log - by_own
