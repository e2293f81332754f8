"""Orders of posteriors, audited by the axioms of performance-based ranking: proofs, or counterexamples in fractions.

An order that compares values only sees the order of the values. So a counterexample for one rate,
with the other rate known, is one for every score that is strictly monotone in that rate. It has a
Beta posterior for each entity, from counts and a uniform prior: all its probabilities are
fractions.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import comb
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.kendall import typical_size
from bayesrank.scores.families import CELLS
from bayesrank.scores.placement import FixedRate
from bayesrank.scores.score import Score, cells_at
from bayesrank.theory.axioms import (
    FAR,
    HIGHER,
    as_far_as_found,
    counterexamples,
    even_mixtures,
    lattice,
)

#: The audited orders of posteriors.
ORDERS = (
    "predictive",
    "mean",
    "median",
    "expected_rank",
    "probability_best",
    "pairwise",
    "consensus",
)
AXIOMS = ("axiom_1", "axiom_2", "axiom_3_upper", "axiom_3_lower")
#: (right, wrong) of counterexamples. A and B have the same evidence, and their even mixture passes
#: C.
TWINS: dict[str, tuple[int, int]] = {"A": (0, 1), "B": (0, 1), "C": (1, 3)}
#: A is ahead of B by expected rank, and behind B once C has joined; the same by P(best); and a
#: cycle in which P(A > B) is the lowest, so that the consensus puts B ahead of A.
REVERSED_RANK: dict[str, tuple[int, int]] = {"A": (0, 1), "B": (2, 6), "C": (0, 3)}
REVERSED_BEST: dict[str, tuple[int, int]] = {"A": (1, 3), "B": (0, 1), "C": (1, 0)}
CYCLE: dict[str, tuple[int, int]] = {"A": (49, 1907), "B": (0, 26), "C": (2, 102)}
#: Curvature below this share of the values is rounding error; so is a smaller relative difference
#: of importances.
FLAT = 1e-12
#: The median of A is below the first, that of C between both, and that of the mixture above the
#: second.
MEDIANS = Fraction(3, 10), Fraction(8, 25)
#: Relative difference from which two values that are not equal are surely different.
APART = 1e-6
#: How far centres of chords are moved from the border of all performances to their middle.
INWARDS = 1.0, 0.3, 0.01, 0.0003
#: Values of a rate at which a known score, and a function, must rise.
VALUES, MANY_VALUES = np.linspace(0.005, 0.995, 199), np.linspace(0.00005, 0.99995, 19_999)
#: FPRs (or TPRs) at which a score may be strictly monotone in the other rate.
KNOWN_RATES = (0.5, 0.25, 0.75, 0.0, 1.0)
Counts = tuple[int, int]


@check_call
def exact_superiority(first: Any, second: Any) -> Fraction:
    """Return the probability that one rate is higher than another, as a fraction.

    Each rate has the Beta posterior of counts under a uniform prior, independent of the others. Let
    ``second`` have k right cases of n. The result is the probability that ``first`` is right in
    more than k of n + 1 new cases (for one pair of counts, a tail of a beta-binomial distribution).

    Parameters
    ----------
    first : pair of int, or list of two such pairs
        Numbers of right and wrong cases. Two pairs stand for the even mixture of two entities,
        which chooses one of them at random for each case.
    second : pair of int

    Returns
    -------
    fractions.Fraction

    Examples
    --------
    >>> exact_superiority((1, 3), (0, 1)), exact_superiority([(0, 1), (0, 1)], (1, 3))
    (Fraction(11, 21), Fraction(1019, 2016))
    """
    parts = (
        [_counts(f"first[{i}]", part) for i, part in enumerate(first)]
        if _is_pair_of_pairs(first)
        else None
    )
    right, wrong = _counts("second", second)
    size = right + wrong + 1
    if parts is None:
        ways, every = _new_cases(size, _counts("first", first))
        return Fraction(sum(ways[right + 1 :]), every)
    total = Fraction(0)
    for k in range(size + 1):  # the number of new cases that the first part gets
        (ways_first, every), (ways_second, all_other) = (
            _new_cases(n, part) for n, part in zip((k, size - k), parts, strict=True)
        )
        favourable = sum(
            ways * sum(ways_second[max(right + 1 - i, 0) :]) for i, ways in enumerate(ways_first)
        )
        total += Fraction(comb(size, k) * favourable, 2**size * every * all_other)
    return total


def exact_best(counts: Sequence[Counts], index: int) -> Fraction:
    """Return the probability that one of three independent rates is the highest, as a fraction; uniform priors."""
    (right, wrong), *rivals = (counts[i] for i in (index, *(i for i in range(3) if i != index)))
    sizes = [sum(rival) + 1 for rival in rivals]
    size, total = sum(sizes), Fraction(0)
    ways, every = _new_cases(size, (right, wrong))
    for i in range(rivals[0][0] + 1, sizes[0] + 1):
        for j in range(rivals[1][0] + 1, sizes[1] + 1):
            total += Fraction(
                comb(sizes[0], i) * comb(sizes[1], j) * ways[i + j], comb(size, i + j) * every
            )
    return total


def _at_most(counts: Counts, rate: Fraction) -> Fraction:
    """Return the probability that a rate with these counts is at most ``rate``."""
    right, size = counts[0], sum(counts) + 1
    return sum(
        (comb(size, k) * rate**k * (1 - rate) ** (size - k) for k in range(right + 1, size + 1)),
        Fraction(0),
    )


def _twins_at_most(rate: Fraction) -> Fraction:
    """Return the probability that the even mixture of A and B of ``TWINS`` is at most ``rate``, at most 1/2.

    Both rates have the density 2 (1 - x), so it is the integral of 2 (1 - x) (1 - (1 - 2 rate +
    x)²) from 0 to 2 rate.
    """
    u = 2 * rate
    return 2 * ((1 - u) * (u**2 - u**3 / 3) + 2 * u**3 / 3 - u**4 / 4)


def _new_cases(size: int, counts: Counts) -> tuple[list[int], int]:
    """Return whole numbers proportional to the probability of each number of right new cases, and their sum."""
    right, wrong = counts
    ways = [comb(k + right, right) * comb(size - k + wrong, wrong) for k in range(size + 1)]
    return ways, comb(size + right + wrong + 1, size)


def _is_pair_of_pairs(counts: Any) -> bool:
    return (
        isinstance(counts, list | tuple)
        and len(counts) == 2
        and all(isinstance(x, list | tuple) for x in counts)
    )


def _counts(name: str, counts: Any) -> Counts:
    if not isinstance(counts, list | tuple) or len(counts) != 2:
        raise ArgumentTypeError(
            name, "must be a pair of right and wrong cases, as (8, 2)", describe_value(counts)
        )
    return check_integer(f"{name}[0]", counts[0], 0), check_integer(f"{name}[1]", counts[1], 0)


def audit_order(score: Score, order: Any, prevalence: float | None) -> xr.Dataset:
    """Audit the order of posteriors by one summary of a score; see :func:`bayesrank.audit`."""
    check_choice("order", order, ORDERS)
    moves = None if order in ("predictive", "mean") else _moving_rate(score, prevalence)
    table = np.full((4, 3, 2, 2), np.nan)
    passed, proof = np.ones(4, bool), np.full(4, "", object)
    # A known performance is a posterior, so that no order mends a score.
    own = counterexamples(score, prevalence)
    if order == "probability_best":
        own[2] = np.nan  # of known performances, the worse part and the mixture both have P(best) 0
    for test, example in zip((1, 2, 3), own, strict=True):
        if not np.isnan(example).all():
            passed[test], table[test] = False, example.reshape(3, 2, 2)
            proof[test] = (
                "the score itself breaks it for known performances (br.audit without order)"
            )
    for axiom, (examples, text) in _broken(order, score, prevalence, moves).items():
        test = AXIOMS.index(axiom)
        if not passed[test]:
            continue
        passed[test], proof[test] = False, text
        if isinstance(examples, np.ndarray):
            table[test, : len(examples)] = examples.reshape(-1, 2, 2)
            continue
        assert moves is not None
        for role, (right, wrong) in enumerate(examples.values()):
            high, low = (right, wrong) if moves.sign > 0 else (wrong, right)
            table[test, role, moves.row] = (low, high) if moves.rate == "tpr" else (high, low)
    reasons = _proofs(order, score, prevalence)
    proof = np.where(passed, [reasons[name] for name in AXIOMS], proof)
    names = [f"axiom {name[6]}" for name, holds in zip(AXIOMS, passed, strict=True) if not holds]
    where = FixedRate(prevalence, predicted=False).words()
    broken = " and ".join(dict.fromkeys(names))
    far = as_far_as_found(score, prevalence)
    if order == "mean":
        far = FAR if score.importance is None else ""
    higher = f"{HIGHER}," if score.higher_is_better is False else ""
    verdict = f"breaks {broken}{where}" if broken else f"satisfies all three axioms{where}{far}"
    return xr.Dataset(
        {
            **{name: ((), bool(holds)) for name, holds in zip(AXIOMS, passed, strict=True)},
            "proof": ("test", proof.astype(str)),
            "counterexample": (("test", "role", "actual", "predicted"), table),
            "verdict": (
                (),
                f"the order of posteriors by {order} of {score.name}{higher} {verdict}",
            ),
        },
        {
            "score": score.name,
            "order": order,
            "prevalence": np.nan if prevalence is None else prevalence,
            "test": list(AXIOMS),
            "role": ["A", "B", "C"],
            "actual": ["negative", "positive"],
            "predicted": ["negative", "positive"],
        },
        {} if moves is None else {"rate": moves.rate, "other_rate": moves.known},
    )


class Moves(NamedTuple):
    """A rate in which a score is strictly monotone, where the other rate is known."""

    rate: str
    known: float
    sign: int  #: 1 if the score rises with the rate, such as "tpr", and -1 if it falls

    @property
    def row(self) -> int:
        return 1 if self.rate == "tpr" else 0


def _moving_rate(score: Score, prevalence: float | None) -> Moves:
    steps = MANY_VALUES if as_far_as_found(score, prevalence) else VALUES
    share = 0.5 if prevalence is None else prevalence
    for known in KNOWN_RATES:
        for rate in ("tpr", "tnr"):
            fpr, tpr = (known, steps) if rate == "tpr" else (1 - steps, known)
            values = score.of_cells(*np.broadcast_arrays(*cells_at(fpr, tpr, share)))
            for sign in (1, -1):
                if (
                    sign * np.diff(values) > 0
                ).all():  # rounding alone would not rise at every step
                    return Moves(rate, known, sign)
    raise ArgumentError(
        "score", "must be strictly monotone in TPR or TNR to audit orders of posteriors", score.name
    )


def _broken(
    order: str, score: Score, prevalence: float | None, moves: Moves | None
) -> dict[str, tuple[Any, str]]:
    """Return the axioms that the order breaks by itself, each with its counterexample and the numbers that prove it."""
    if moves is None:
        return _of_means(score, prevalence) if order == "mean" else {}
    broken: dict[str, tuple[Any, str]] = {}
    if order == "probability_best":
        pair = exact_superiority(REVERSED_BEST["A"], REVERSED_BEST["B"])
        first, second = (exact_best(list(REVERSED_BEST.values()), i) for i in (0, 1))
        text = f"P(A best) = {pair} without C; with C, P(A best) = {first} < P(B best) = {second}"
        lower = "P(A best) = P(B best) = 1/2, and their mixture, which lies between them, is never best: 0"
        pair_of = {name: TWINS[name] for name in ("A", "B")}
        broken |= {"axiom_1": (REVERSED_BEST, text), "axiom_3_lower": (pair_of, lower)}
        if (
            as_far_as_found(score, prevalence)
            and (tied := _tie_with_the_better(score, prevalence)) is not None
        ):
            upper = (
                "A and B are each, independently, the first or the second of two performances with probability 1/2, "
                "and the even mixture of these ties with the better one: P(A best) = P(B best) = 7/24, P(mixture best) "
                "= 5/12"
            )
            broken["axiom_3_upper"] = tied, upper
        return broken
    above = exact_superiority(TWINS["C"], TWINS["A"])
    passed = exact_superiority([TWINS["A"], TWINS["B"]], TWINS["C"])
    mirrored = {name: (wrong, right) for name, (right, wrong) in TWINS.items()}
    upper = f"P(C > A) = P(C > B) = {above}, but P(mixture > C) = {passed}"
    lower = f"P(A > C) = P(B > C) = {above}, but P(C > mixture) = {passed}"
    if order == "expected_rank":
        pair = exact_superiority(REVERSED_RANK["A"], REVERSED_RANK["B"])
        ranks = [2 - pair, 1 + pair]
        joined = [
            rank + exact_superiority(REVERSED_RANK["C"], REVERSED_RANK[name])
            for rank, name in zip(ranks, "AB", strict=True)
        ]
        text = f"expected ranks of A and B: {ranks[0]} < {ranks[1]} without C, {joined[0]} > {joined[1]} with C"
        broken["axiom_1"] = REVERSED_RANK, text
        upper += f"; expected ranks among all four: mixture {3 - passed} < A, B {2 + above}"
        lower += f"; expected ranks among all four: mixture {2 + passed} > A, B {3 - above}"
    elif order in ("pairwise", "consensus"):
        cycle = list(CYCLE.values())
        beats = [exact_superiority(cycle[i], cycle[(i + 1) % 3]) for i in range(3)]
        shown = ", ".join(
            f"P({x}) = {float(p):.6f}"
            for x, p in zip(("A > B", "B > C", "C > A"), beats, strict=True)
        )
        failure = (
            "no preorder"
            if order == "pairwise"
            else "the consensus is A before B without C, and B before C before A with C"
        )
        broken["axiom_1"] = CYCLE, f"{shown}: {failure}"
    else:
        first, second = MEDIANS
        shares = [_at_most(TWINS["A"], first), _at_most(TWINS["C"], first)]
        shares += [_at_most(TWINS["C"], second), _twins_at_most(second)]
        text = "P(A {r} {0}) = {2} > 1/2 > P(C {r} {0}) = {3}, and P(C {r} {1}) = {4} > 1/2 > P(mixture {r} {1}) = {5}"
        if moves.sign < 0:
            text += f", where A, C and mixture are {moves.rate.upper()}, with which the score falls"
        low, high = (
            text.format(first, second, *shares, r="<"),
            text.format(1 - first, 1 - second, *shares, r=">"),
        )
        upper, lower = (low, high) if moves.sign > 0 else (high, low)
    return broken | {"axiom_3_upper": (TWINS, upper), "axiom_3_lower": (mirrored, lower)}


def _of_means(score: Score, prevalence: float | None) -> dict[str, tuple[Any, str]]:
    """Return the halves of axiom 3 that the mean breaks: two performances, each with probability 1/2 for A and for B.

    The mean of the mixture differs from that of A and B by half the curvature of the score between
    the two.
    """
    broken: dict[str, tuple[Any, str]] = {}
    pairs = chain(
        even_mixtures(prevalence, finest=score.importance is None), _chords(score, prevalence)
    )
    for points, first, second, mixtures in pairs:
        values = score.of_cells(*points)
        parts, middle = (values[first], values[second]), score.of_cells(*mixtures)
        curvature = np.nan_to_num(middle - (parts[0] / 2 + parts[1] / 2))
        slack = FLAT * np.nan_to_num(
            np.fmax(np.abs(middle), np.fmax(*map(np.abs, parts))) + typical_size(values)
        )
        for axiom, sign, word in (("axiom_3_upper", 1, "higher"), ("axiom_3_lower", -1, "lower")):
            at = np.argmax(sign * curvature - slack)
            if axiom in broken or sign * curvature.flat[at] <= slack.flat[at]:
                continue
            lower_point, two = (
                np.broadcast_to(part, curvature.shape).flat[at] for part in (first, second)
            )
            text = (
                f"A and B are each, independently, the first or the second of two performances with probability 1/2: "
                f"their mean is {values[lower_point] / 2 + values[two] / 2:.6g}, that of their even mixture is "
                f"{abs(curvature.flat[at]) / 2:.3g} {word}"
            )
            broken[axiom] = points[:, [lower_point, two]].T, text
        if len(broken) == 2:
            break
    for way in _ways_it_bends(score, prevalence):
        axiom = "axiom_3_upper" if way == "concave" else "axiom_3_lower"
        text = f"by its importance the score is {way} in some direction; no example was found"
        broken.setdefault(axiom, (np.full((2, 4), np.nan), text))
    return broken


def _ways_it_bends(score: Score, prevalence: float | None) -> tuple[str, ...]:
    """Return how the score S bends in some direction, as its importance implies; nothing without an importance.

    Along a direction in which the importance of all answers changes by d and that of the right ones
    by n, the second derivative of S has the sign of -d (n - d S). If n and d are independent, n may
    have either sign and any size beside d, so the score bends both ways.

    At a known prevalence, (n, d) is a multiple of (-tn, fp - tn) along false positives, and of (tp,
    tp - fn) along true positives. They are parallel if tn fn = tp fp, whatever the prevalence.
    Otherwise the directions are the differences of any two cells, and they are all parallel only if
    tn = tp and fp = fn. In both cases wrong answers have r times the importance of right ones in
    each class, so S = N / ((1 - r) N + constant) for the importance N of right answers.
    """
    if score.importance is None:
        return ()
    tn, fp, fn, tp = (Fraction(float(score.importance[cell])) for cell in CELLS)
    pairs = [(tn, tp), (fp, fn)] if prevalence is None else [(tn * fn, tp * fp)]
    if any(abs(one - other) > Fraction(FLAT) * max(one, other) for one, other in pairs):
        return "concave", "convex"
    right, wrong = tn + tp, fp + fn
    if abs(right - wrong) <= Fraction(FLAT) * max(right, wrong):
        return ()
    return ("concave",) if right > wrong else ("convex",)


def _chords(
    score: Score, prevalence: float | None
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield performances at equal distances from centres, for each way that a score of an importance bends.

    There are many centres, as a score can be nearly straight around one.
    """
    ways = _ways_it_bends(score, prevalence)
    if not ways:
        return
    assert score.importance is not None
    weights = np.array([score.importance[cell] for cell in CELLS], dtype=float)
    forms = np.array([weights, weights * [1, 0, 0, 1]])[: len(ways)] / weights.max()
    if prevalence is None:
        totals, sums = np.array([[1.0, 1.0, 1.0, 1.0]]), np.array([1.0])
    else:
        totals = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
        sums = np.array([1 - prevalence, prevalence])
    middle, spread = (sums / totals.sum(axis=1)) @ totals, lattice(4, prevalence)
    for centres in (
        _centres_of_equal_importance(weights / weights.max(), totals, sums),
        *(share * middle + (1 - share) * spread.T for share in INWARDS),
    ):
        for centre in centres:
            value = score.of_cells(*centre)
            for slopes in ([1.0, value + 1], [1.0, value - 1])[
                : len(ways)
            ]:  # n / d is above, and below, S
                requested = np.concatenate([np.zeros(len(totals)), slopes[: len(ways)]])
                # Changes relative to the cells of the centre, so that rare cells move as far as
                # they can.
                change = np.concatenate([totals, forms]) * centre
                sizes = np.linalg.norm(change, axis=1)
                if not sizes.all():
                    continue
                way = np.linalg.lstsq(change / sizes[:, None], requested / sizes, rcond=None)[0]
                if not np.allclose(
                    change / sizes[:, None] @ way,
                    requested / sizes,
                    rtol=1e-6,
                    atol=FLAT * np.abs(way).max(),
                ):
                    continue
                points = centre[:, None] * (1 + np.outer(way, [1, -1]) / np.abs(way).max())
                yield points, np.array([0]), np.array([1]), centre[:, None]


def _centres_of_equal_importance(
    weights: np.ndarray, totals: np.ndarray, sums: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield performances in which cells contribute equally as far as they can; the least important ones fill up."""
    for contribution in np.geomspace(1e-16, 1.0, 33):
        cells = np.zeros(4)
        for members, total in zip(totals > 0, sums, strict=True):
            most = total / members.sum()
            cells[members] = contribution / np.maximum(weights[members], contribution / most)
            least = np.flatnonzero(members)[np.argmin(weights[members])]
            cells[least] += total - cells[members].sum()
        yield cells


def _tie_with_the_better(score: Score, prevalence: float | None) -> np.ndarray | None:
    """Return two performances whose even mixture has the value of the better one, though they differ."""
    for points, first, second, mixtures in even_mixtures(prevalence):
        values = score.of_cells(*points)
        first_values, two = np.broadcast_arrays(values[first], values[second])
        # Values of scores with positive and negative values may be rounding errors of 0.
        gap = np.abs(first_values - two) > APART * np.fmax(
            np.fmax(np.abs(first_values), np.abs(two)), typical_size(values.ravel())
        )
        tied = (
            gap
            & np.isfinite(first_values)
            & np.isfinite(two)
            & (score.of_cells(*mixtures) == np.fmax(first_values, two))
        )
        if tied.any():
            at = np.argmax(tied)
            return points[
                :, [np.broadcast_to(part, tied.shape).flat[at] for part in (first, second)]
            ].T
    return None


def _proofs(order: str, score: Score, prevalence: float | None) -> dict[str, str]:
    """Return why each axiom holds, where it does."""
    rivals = "it depends on the posterior of one entity alone (Foundations, Theorem 1)"
    sure = (
        "outcomes that surely have at most, or at least, some satisfaction have it under the posterior mean, too"
        if order == "predictive"
        else "it holds in every draw, whatever the rivals"
    )
    above = below = (
        "the posterior mean of a mixture is the mixture of the posterior means, and the score orders mixtures"
        + as_far_as_found(score, prevalence)
    )
    if order == "mean":
        far = FAR if score.importance is None else ""
        curved = f"the score is {{}} among these performances{far}: a mixture has at {{}} the mean of its parts"
        above, below = (
            curved.format("convex or linear", "most"),
            curved.format("concave or linear", "least"),
        )
    elif order == "probability_best":
        above = (
            "where the score is defined with probability 1, a mixture never exceeds the better of its parts, so on a "
            "board with them it is best only where all tie"
        ) + as_far_as_found(score, prevalence)
    return {"axiom_1": rivals, "axiom_2": sure, "axiom_3_upper": above, "axiom_3_lower": below}
