"""Several runs of a case: what a number of attempts at it would give, and runs that are no fixed number."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Any

import numpy as np

from bayesrank._core.errors import Advice, ArgumentError, InPython
from bayesrank._core.labels import factorize

#: So many cases of an entity must have stopped early, before its runs are taken to stop at an
#: outcome.
FEWEST_STOPPED = 3


@dataclass(frozen=True)
class Attempts:
    """The event that one of k attempts at a case succeeds, that all of them do, or the answer of most of them.

    Examples
    --------
    >>> Attempts(2).estimate(np.array([1, 2]), np.array([2, 4])).tolist()
    [1.0, 0.8333333333333334]
    """

    k: int
    every: bool = False  #: Whether all attempts must succeed.
    majority: bool = False  #: Whether the most frequent answer of the attempts must be right.
    these: bool = False  #: Whether the cases are fixed, so that only their runs vary.

    def estimate(self, successes: np.ndarray, runs: np.ndarray) -> np.ndarray:
        """Return the share of k of the runs of a case, drawn without replacement, that have the event.

        It is an unbiased estimate of the probability of the event; NaN for cases with fewer than k
        runs.
        """
        return self.of_cells(CaseRuns(np.asarray(successes), np.asarray(runs)))

    def of_cells(self, cases: "CaseRuns") -> np.ndarray:
        """Return the estimate of each case (pattern, entity)."""
        return self.of_each_cell(cases)[cases.codes]

    def of_each_cell(self, cases: "CaseRuns") -> np.ndarray:
        """Return the estimate of each outcome of a case that occurs (cell)."""
        if self.majority:
            if cases.answers is None:
                raise ArgumentError(
                    "score",
                    "needs evidence with the answers of the runs, for the most frequent answer",
                    "right or wrong runs alone",
                    Advice("give the answers", InPython(" (answers= of br.from_outcomes)")),
                )
            return np.array([share_of_majority(text, self.k) for text in cases.answer_cells])
        successes, runs = cases.cells
        return np.array(
            [self._share(c, n) for c, n in zip(successes.tolist(), runs.tolist(), strict=True)],
            float,
        )

    def _share(self, successes: int, runs: int) -> float:
        if runs < self.k:
            return np.nan
        total = comb(runs, self.k)
        right = comb(successes, self.k) if self.every else total - comb(runs - successes, self.k)
        return right / total


@dataclass(frozen=True, eq=False)
class CaseRuns:
    """How many runs of each case were made and how many were right (pattern, entity); no run where it was not met."""

    successes: np.ndarray
    runs: np.ndarray
    answers: np.ndarray | None = (
        None  #: How often each answer was given (pattern, entity), as text, if known.
    )

    @cached_property
    def _cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the outcomes of cases as numbers, and the place of each case among them."""
        width = int(self.runs.max(initial=0)) + 1
        code = self.runs.astype(int) * width + self.successes.astype(int)
        found, first, position = np.unique(code, return_index=True, return_inverse=True)
        if self.answers is not None:
            among = np.unique(self.answers, return_inverse=True)[1].reshape(code.shape)
            _, first, position = np.unique(
                code.ravel() * (int(among.max(initial=0)) + 1) + among.ravel(),
                return_index=True,
                return_inverse=True,
            )
            found = code.ravel()[first]
        return np.stack([*np.divmod(found, width), first]), position.reshape(self.runs.shape)

    @property
    def answer_cells(self) -> list[str]:
        """Return how often each answer was given, of all outcomes of a case that occur."""
        assert self.answers is not None
        return [str(text) for text in self.answers.ravel()[self._cells[0][2]]]

    @property
    def cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the successes and the runs of all outcomes of a case that occur."""
        runs, successes, _ = self._cells[0]
        return successes, runs

    @property
    def codes(self) -> np.ndarray:
        """Return the place of the outcome of each case among ``cells`` (pattern, entity)."""
        return self._cells[1]

    def of(self, kept: np.ndarray) -> "CaseRuns":
        """Return the runs of some cases."""
        answers = None if self.answers is None else self.answers[kept]
        return CaseRuns(self.successes[kept], self.runs[kept], answers)

    def numbers(self, count: np.ndarray) -> np.ndarray:
        """Return how many cases have each outcome of ``cells`` (cell, entity); ``count`` is of each pattern."""
        size = len(self._cells[0][0])
        return np.stack([np.bincount(codes, count, size) for codes in self.codes.T], axis=1)

    @property
    def most(self) -> int:
        """Return the largest number of runs of a case."""
        return int(self.runs.max(initial=0))

    @property
    def equal(self) -> bool:
        """Return whether all cases that were met have the same number of runs."""
        return bool((self.runs[self.runs > 0] == self.most).all())

    def enough_for(self, k: int) -> np.ndarray:
        """Return the cases with at least k runs of every entity that met them (pattern)."""
        met = self.runs > 0
        return np.asarray(met.any(axis=1) & ((self.runs >= k) | ~met).all(axis=1))


@dataclass(frozen=True, eq=False)
class RateMoments:
    r"""Moments of the rates of success, or of failure, of cases (order, entity), estimated from their runs.

    The share of :math:`j` of the runs of a case that are all right is an unbiased estimate of
    :math:`p^j`. Moments of orders above the number of runs are the smallest ones that agree with
    the last two: logarithms of moments are convex in the order. Variances within cases are then the
    largest possible ones.

    Two shares of :math:`k` of the same :math:`n` runs have :math:`j` runs in common with the
    hypergeometric probability :math:`h_j`, and the expected value :math:`p^{2k - j}` of their
    product. So the mean variance of the estimate within cases is :math:`\sum_j h_j M_{2k - j} -
    M_{2k}`, and the variance of :math:`p^k` between cases :math:`M_{2k} - M_k^2`.
    """

    values: np.ndarray

    @classmethod
    def of(cls, cases: CaseRuns, count: np.ndarray, every: bool) -> "RateMoments":
        """Estimate the moments of the rates of success (``every``) or failure; ``count`` is the number of cases."""
        right, made = cases.cells
        number = cases.numbers(count)
        result = np.full((cases.most + 1, number.shape[1]), np.nan)
        for order in range(cases.most + 1):
            enough = (made >= order) & (made > 0)
            share = Attempts(order, True).estimate(right if every else made - right, made)[enough]
            with np.errstate(invalid="ignore"):
                result[order] = share @ number[enough] / number[enough].sum(axis=0)
        return cls(result)

    def order(self, order: int) -> np.ndarray:
        """Return a moment (entity)."""
        if order < len(self.values):
            return np.asarray(self.values[order])
        last, before = self.values[-1], self.values[-2]
        ratio = np.divide(last, before, out=np.zeros_like(last), where=before > 0)
        return np.asarray(last * np.minimum(ratio, 1.0) ** (order - len(self.values) + 1))

    def within(self, k: int, runs: int) -> np.ndarray:
        """Return the mean variance of the estimate from so many runs, given the rate of its case (entity)."""
        total = comb(runs, k)
        common = [comb(k, j) * comb(runs - k, k - j) / total for j in range(k + 1)]
        square = sum(share * self.order(2 * k - j) for j, share in enumerate(common) if share)
        return np.maximum(np.asarray(square - self.order(2 * k)), 0.0)

    def between(self, k: int) -> np.ndarray:
        """Return the variance of the score between cases (entity)."""
        return np.maximum(self.order(2 * k) - self.order(k) ** 2, 0.0)


def describe_answers(answers: np.ndarray, right: np.ndarray) -> str:
    """Return how often each answer (run) was given, right ones first, as text: "3+ 2- 1-".

    Raises an error that names the answer if it was right in one run and wrong in another.
    """
    found: dict[Any, tuple[int, bool]] = {}
    for answer, good in zip(answers.tolist(), right.tolist(), strict=True):
        times, before = found.get(answer, (0, bool(good)))
        if before != bool(good):
            raise ArgumentError(
                "answers",
                "must be right in all runs of a case, or wrong in all runs",
                f"{answer!r}",
            )
        found[answer] = times + 1, before
    order = sorted(found.values(), key=lambda held: (not held[1], -held[0]))
    return " ".join(f"{times}{'+' if good else '-'}" for times, good in order)


@cache
def share_of_majority(text: str, k: int) -> float:
    """Return the share of draws of k runs, without replacement, whose most frequent answer is right.

    ``text`` is from :func:`describe_answers`. Of several most frequent answers, one is chosen at
    random. NaN for fewer than k runs.

    Examples
    --------
    >>> share_of_majority("2+ 1-", 3), share_of_majority("1+ 1-", 2)
    (1.0, 0.5)
    """
    held = [(int(part[:-1]), part[-1] == "+") for part in text.split()]
    total = sum(times for times, _ in held)
    if total < k or not held:
        return np.nan
    result = 0.0
    for top in range(1, k + 1):
        # The numbers of ways by the runs drawn so far, and the right and wrong answers that were
        # drawn ``top`` times.
        ways: dict[tuple[int, int, int], int] = {(0, 0, 0): 1}
        for times, good in held:
            more: dict[tuple[int, int, int], int] = {}
            for (drawn, right, wrong), number in ways.items():
                for each in range(min(times, top, k - drawn) + 1):
                    first = each == top
                    state = drawn + each, right + (first and good), wrong + (first and not good)
                    more[state] = more.get(state, 0) + number * comb(times, each)
            ways = more
        result += sum(
            number * right / (right + wrong)
            for (drawn, right, wrong), number in ways.items()
            if drawn == k and right + wrong
        )
    return result / comb(total, k)


def refuse_stopped_runs(
    values: np.ndarray, case: Sequence[Hashable], run: Sequence[Hashable], names: Sequence[Any]
) -> None:
    """Raise an error for an entity whose runs of a case stopped at its first success, or at its first failure.

    ``values`` (row, entity) are 0 and 1, NaN where no run was made. The number of runs then depends
    on their outcomes, so that neither their mean nor any function of successes and runs is
    unbiased.
    """
    which = factorize(case)[0]
    order = np.lexsort((_places(run), which))
    values, which = values[order], which[order]
    size = int(which.max(initial=-1)) + 1
    for column, name in zip(values.T, names, strict=True):
        made = ~np.isnan(column)
        runs = np.bincount(which, made, size)
        for end, word in ((1.0, "success"), (0.0, "failure")):
            hits = np.bincount(which[made], column[made] == end, size)
            last = np.zeros(size)
            last[which[made]] = column[
                made
            ]  # rows are in the order of runs, so that the last one stays
            early = (runs > 0) & (runs < runs.max(initial=0))
            stopped = (hits == 1) & (last == end)
            if early.sum() < FEWEST_STOPPED or not stopped[early].all() or (hits > 1).any():
                continue
            if not (stopped | (hits == 0))[runs > 0].all():
                continue
            raise ArgumentError(
                "run",
                f"must not stop at the first {word} of a case: the mean of so many runs is biased",
                f"{int(early.sum())} cases of {str(name)!r} with fewer than {int(runs.max())} runs, each of which "
                f"ended with its only {word}",
                "keep the first run of each case; or give one outcome for each case, whether it was solved within "
                "the largest number of runs",
            )


def _places(run: Sequence[Hashable]) -> np.ndarray:
    """Return the place of each run, by number if all have one, else in the order of appearance."""
    try:
        numbers = np.array([float(str(name)) for name in run])
    except ValueError:
        numbers = np.full(1, np.nan)
    return factorize(run)[0] if np.isnan(numbers).any() else numbers
