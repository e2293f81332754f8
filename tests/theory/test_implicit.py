"""Implicit scores: they solve their own equation, lie between the parts of mixtures, and are no ranking scores."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import brentq

import bayesrank as br

LOW, HIGH = (0.35, 0.65), (0.65, 0.35)
SCORE = br.scores.implicit(LOW, HIGH)
ENDS = [
    (LOW, HIGH),
    ((0.01, 0.99), (0.99, 0.01)),
    ((1.0, 0.3), (1.0, 0.7)),
    ((0.9, 0.0), (0.1, 0.0)),
]


def performances(number, seed):
    return np.random.default_rng(seed).dirichlet(np.full(4, 0.4), number).T


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_the_value_is_the_one_root_of_its_equation(low, high):
    points = performances(20, 1)
    values = br.scores.implicit(low, high).of_cells(*points)

    def canonical(point, v):
        a, b = ((1 - v) * first + v * last for first, last in zip(low, high, strict=True))
        tn, fp, fn, tp = point
        right = (1 - a) * tn + a * tp
        return right / (right + (1 - b) * fp + b * fn)

    grid = np.linspace(1e-6, 1 - 1e-6, 2001)
    for point, value in zip(points.T, values, strict=True):
        off = canonical(point, grid) - grid
        assert np.sum(off[:-1] * off[1:] < 0) == 1
        assert value == pytest.approx(
            brentq(lambda v, point=point: canonical(point, v) - v, 1e-9, 1 - 1e-9), abs=1e-9
        )


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_mixtures_lie_between_and_ends_are_worst_and_best(low, high):
    score = br.scores.implicit(low, high)
    first, second = performances(2_000, 2), performances(2_000, 3)
    share = np.random.default_rng(4).random(2_000)
    mixed = score.of_cells(*(share * first + (1 - share) * second))
    ends = np.array([score.of_cells(*first), score.of_cells(*second)])
    assert (mixed >= ends.min(axis=0) - 1e-12).all()
    assert (mixed <= ends.max(axis=0) + 1e-12).all()
    assert score.of_cells(0.0, 0.3, 0.7, 0.0) == 0
    assert score.of_cells(0.3, 0.0, 0.0, 0.7) == pytest.approx(1)


def test_a_moving_coordinate_at_the_edge_would_give_two_values():
    """From (1, 1/2) to (0, 1/2), both 0 and 17/18 solve v = R(a(v), b(v)), so `implicit` refuses it."""
    right, wrong = Fraction(9, 10), Fraction(1, 10)  # true negatives and misses
    for v in (Fraction(0), Fraction(17, 18)):
        assert v == v * right / (v * right + wrong / 2)
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        br.scores.implicit((1.0, 0.5), (0.0, 0.5))


def test_the_audit_finds_no_fault_and_no_place():
    row = br.audit(SCORE)
    assert all(bool(row[test]) for test in ("axiom_2", "axiom_3_upper", "axiom_3_lower"))
    assert row["tau_max"].item() == pytest.approx(0.951, abs=5e-4)
    assert "and no place on the Tile" in row["verdict"].item()
    assert [br.place(SCORE, prevalence) for prevalence in (None, 0.2, 0.5)] == [None] * 3


def equation(low, high, share):
    """What is 0 where the level lines of an implicit score are parallel or meet, in fractions."""
    (a, b), (c, d) = low, high
    da, db = c - a, d - b
    return ((1 - share) * (1 - a + da) + share * b) * (db - da) + (
        (1 - share) * da - share * db
    ) * (da + b - a)


def test_at_which_prevalence_it_has_a_place():
    tenths = [Fraction(k, 10) for k in range(11)]
    a, b, c, d = (tenths[k] for k in (1, 1, 2, 2))
    assert equation((a, b), (c, d), Fraction(1, 2)) == 0 != equation((a, b), (c, d), Fraction(2, 5))
    ends = [(Fraction(str(x)), Fraction(str(y))) for x, y in (LOW, HIGH)]
    assert equation(*ends, Fraction(13, 6)) == 0
    assert all(equation(*ends, share) != 0 for share in tenths)
    parallel = [(tenths[5], tenths[3]), (tenths[7], tenths[5])]
    assert all(equation(*parallel, share) == 0 for share in tenths)
    rng = np.random.default_rng(3)
    for _ in range(12):
        w, x, y, z = (tenths[k] for k in rng.integers(1, 10, 4))
        at_0, at_1 = (equation((w, x), (y, z), Fraction(share)) for share in (0, 1))
        if at_0 == at_1 or not 0 < at_0 / (at_0 - at_1) < 1:
            continue
        share = at_0 / (at_0 - at_1)
        score = br.scores.implicit((float(w), float(x)), (float(y), float(z)))
        assert br.place(score, float(share)) == pytest.approx((float(w), float(z)), abs=1e-6)
        assert br.place(score, float(share) * 0.8) is None


def test_level_lines_are_straight_and_meet_in_no_point():
    x, values = np.array([0.1, 0.3, 0.5]), np.array([0.3, 0.5, 0.7])
    lines = np.array([br.contour(SCORE, value, x, 0.3) for value in values])
    np.testing.assert_allclose(np.diff(lines, 2), 0, atol=1e-12)
    cells = 0.7 * (1 - x), 0.7 * x, 0.3 * (1 - lines), 0.3 * lines
    np.testing.assert_allclose(
        SCORE.of_cells(*cells), np.repeat(values[:, None], 3, axis=1), atol=1e-12
    )
    slopes = (lines[:, 1] - lines[:, 0]) / 0.2
    starts = lines[:, 0] - 0.1 * slopes
    meetings = -np.diff(starts) / np.diff(slopes)
    assert abs(meetings[0] - meetings[1]) > 0.1


def test_with_one_place_it_is_the_canonical_score():
    same = br.scores.implicit((1.0, 0.5), (1.0, 0.5))
    points = performances(50, 5)
    np.testing.assert_allclose(same.of_cells(*points), br.scores.f1.of_cells(*points))
    assert br.place(same) == (1.0, 0.5)


def test_when_other_weights_of_the_value_give_one_solution():
    """One for all performances where (1 - v) I(right) / (v I(wrong)) falls for each pair, else several for some."""
    v, rng = np.linspace(0.001, 0.999, 4001), np.random.default_rng(6)
    seen = []
    for _ in range(12):
        swing, turns = rng.uniform(0.05, 0.45), rng.uniform(1, 9)
        a, b = 0.5 + swing * np.sin(turns * v), 0.5 + swing * np.cos(turns * v)
        right, wrong = {0: 1 - a, 3: a}, {1: 1 - b, 2: b}
        ratios = {(r, w): (1 - v) * right[r] / (v * wrong[w]) for r in right for w in wrong}
        rising = {pair: ratio for pair, ratio in ratios.items() if (np.diff(ratio) > 0).any()}

        def solutions(tn, fp, fn, tp, a=a, b=b):
            off = (1 - v) * ((1 - a) * tn + a * tp) - v * ((1 - b) * fp + b * fn)
            return np.sum(off[:-1] * off[1:] < 0)

        assert min(right[0][0], right[3][0], wrong[1][-1], wrong[2][-1]) > 0
        seen.append(bool(rising))
        if not rising:
            assert all(solutions(*point) == 1 for point in performances(40, 7).T)
        for (r, w), ratio in rising.items():
            k = int(np.argmax(np.diff(ratio)))
            cells = [0.0] * 4
            cells[r], cells[w] = 1.0, (ratio[k] + ratio[k + 1]) / 2
            assert solutions(*cells) > 1
    assert len(set(seen)) == 2


def test_a_ratio_that_falls_is_not_enough_where_an_importance_starts_at_0():
    """From (1, ½) to (0, ½) each ratio falls, but true negatives do not count at value 0: two values, in fractions."""

    def importance(v):
        return {"tn": v, "fp": Fraction(1, 2), "fn": Fraction(1, 2), "tp": 1 - v}

    for right, wrong in product(("tn", "tp"), ("fp", "fn")):
        values = [Fraction(k, 50) for k in range(1, 50)]
        ratios = [(1 - v) * importance(v)[right] / (v * importance(v)[wrong]) for v in values]
        assert all(one > other for one, other in pairwise(ratios))
    tn, fn = Fraction(9, 10), Fraction(1, 10)
    for v in (Fraction(0), Fraction(17, 18)):
        matter = importance(v)
        assert matter["tn"] * tn / (matter["tn"] * tn + matter["fn"] * fn) == v


def test_a_ratio_that_falls_is_not_enough_where_an_importance_ends_at_0():
    """With a(v) = (1 - v) / 2 each ratio falls, and true positives count at each value but 1: no value is theirs."""

    def importance(v):
        return {"tn": (1 + v) / 2, "fp": Fraction(1, 2), "fn": Fraction(1, 2), "tp": (1 - v) / 2}

    values = [Fraction(k, 50) for k in range(51)]
    for right, wrong in product(("tn", "tp"), ("fp", "fn")):
        ratios = [(1 - v) * importance(v)[right] / (v * importance(v)[wrong]) for v in values[1:]]
        assert all(one > other for one, other in pairwise(ratios))
    assert min(importance(Fraction(0)).values()) > 0
    for v in values[:-1]:
        matter = importance(v)["tp"]
        assert matter / matter == 1 != v
    assert importance(values[-1])["tp"] == 0  # 0/0 at 1
