"""Every placement against the orders themselves, over random performances."""

import operator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import bayesrank as br
from bayesrank.scores import Score, as_score
from bayesrank.scores.families import by_importance
from bayesrank.scores.names import SCORES
from bayesrank.scores.placement import places
from bayesrank.scores.rational import Rational, from_fraction, to_fraction
from bayesrank.scores.score import cells_at, ratio

PREVALENCES = (0.03, 0.2, 0.5, 0.7, 0.95)


def performances(prevalence, number=100, steps=5):
    """Cells (4, performance): random ones, and a lattice with every set of cells empty."""
    rng = np.random.default_rng(0)
    positive = rng.random(number) if prevalence is None else np.full(number, prevalence)
    rates = rng.random((2, number))
    if prevalence is None:
        rest = np.array([c for c in np.ndindex(*[steps + 1] * 4) if sum(c) == steps]).T / steps
    else:
        rest = np.array(
            cells_at(*np.meshgrid(*[np.arange(steps + 1) / steps] * 2), prevalence)
        ).reshape(4, -1)
    return np.concatenate([cells_at(*rates, positive), rest], axis=1)


def signs(values):
    """Which of two performances is higher, for all pairs; -1, 0 or 1, equal up to rounding."""
    gap = values[:, None] - values[None, :]
    scale = np.maximum(1, np.abs(values[:, None]) + np.abs(values[None, :]))
    return np.where(np.abs(gap) < 1e-12 * scale, 0, np.sign(gap))


def orders_alike(score, at, prevalence, *size):
    """Whatever a score says of two performances, the canonical score at its place says too."""
    tn, fp, fn, tp = performances(prevalence, *size)
    a, b = at
    right = (1 - a) * tn + a * tp
    canonical, values = ratio(right, right + (1 - b) * fp + b * fn), score.of_cells(tn, fp, fn, tp)
    defined = ~np.isnan(values)
    up = 1 if score.higher_is_better else -1
    known = not np.isnan(canonical[defined]).any()
    return known and (up * signs(values[defined]) == signs(canonical[defined])).all()


def weighted_accuracy(alpha):
    return lambda tn, fp, fn, tp: (1 - alpha) * ratio(tn, tn + fp) + alpha * ratio(tp, tp + fn)


# The Tile, Table 2 and Lemma 7; Foundations, A.7.3.
TABLE_2 = {
    "npv": (0.0, 1.0), "tpr": (1.0, 1.0), "tnr": (0.0, 0.0), "ppv": (1.0, 0.0), "accuracy": (0.5, 0.5),
    "jaccard_negative": (0.0, 0.5), "jaccard": (1.0, 0.5), "f1": (1.0, 0.5), "f2": (1.0, 0.8), "f0_5": (1.0, 0.2),
    "error_rate": (0.5, 0.5), "fpr": (0.0, 0.0), "fnr": (1.0, 1.0), "false_discovery_rate": (1.0, 0.0),
    "false_omission_rate": (0.0, 1.0), "bennett_s": (0.5, 0.5), "p_tn_tp_given_tn_fn_tp": (0.5, 1.0),
    "p_tn_tp_given_tn_fp_tp": (0.5, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_places_for_all_performances(prevalence):
    assert {name: br.place(name, prevalence) for name in TABLE_2} == TABLE_2


# The Tile, Section 4.2 and A.3; Foundations, A.7.4.
AT_PREVALENCE = {
    "balanced_accuracy": lambda p: (1 - p, 1 - p),
    "informedness": lambda p: (1 - p, 1 - p),
    "determinant": lambda p: (1 - p, 1 - p),
    "cohen_kappa": lambda p: ((1 - p) ** 2 / ((1 - p) ** 2 + p**2), 0.5),
    "positive_likelihood_ratio": lambda p: (1.0, 0.0),
    "standardized_ppv": lambda p: (1.0, 0.0),
    "negative_likelihood_ratio": lambda p: (0.0, 1.0),
    "standardized_npv": lambda p: (0.0, 1.0),
    "true_negative_probability": lambda p: (0.0, 0.0),
    "false_positive_probability": lambda p: (0.0, 0.0),
    "false_negative_probability": lambda p: (1.0, 1.0),
    "true_positive_probability": lambda p: (1.0, 1.0),
}


@pytest.mark.parametrize("name", AT_PREVALENCE)
def test_places_at_a_prevalence(name):
    score = br.scores.get(name)
    assert br.place(score) is None
    for prevalence in PREVALENCES:
        at = br.place(score, prevalence)
        assert at == pytest.approx(AT_PREVALENCE[name](prevalence), abs=1e-15)
        assert orders_alike(score, at, prevalence)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8, 1.0])
def test_weighted_accuracies(alpha):
    """The Tile, Lemma 9."""
    for prevalence in PREVALENCES:
        score = as_score(weighted_accuracy(alpha))
        at = br.place(score, prevalence)
        assert orders_alike(score, at, prevalence)
        expected = alpha * (1 - prevalence) / (alpha * (1 - prevalence) + (1 - alpha) * prevalence)
        assert br.place(br.scores.weighted_accuracy(alpha), prevalence) == pytest.approx(
            at, abs=1e-11
        )
        assert at == pytest.approx((expected, expected), abs=1e-11)


def test_any_importance_has_the_place_of_its_order():
    for seed in range(20):
        weights = np.random.default_rng(seed).gamma(0.5, size=4)
        score = by_importance("random", **dict(zip(("tn", "fp", "fn", "tp"), weights, strict=True)))
        assert orders_alike(score, br.place(score), None)


def test_scores_without_a_place():
    assert br.place(by_importance("always one", tn=1, tp=1)) is None
    assert br.place("prevalence", 0.2) is None
    assert (
        br.place(replace(br.scores.f1, higher_is_better=False)) is None
    )  # a dual order of a ranking score
    # A name proves nothing.
    assert br.place(Score("informedness", lambda tn, fp, fn, tp: tn * tp), 0.2) is None


@pytest.mark.parametrize(
    ("a", "b", "prevalence"),
    [(0.0, 0.0, None), (0.0, 0.37, 1 / 3), (0.0, 1.0, 0.05), (0.1, 0.0, 0.05), (0.1, 0.37, None), (0.1, 1.0, 1 / 3),
     (2 / 3, 0.0, 1 / 3), (2 / 3, 0.37, 0.05), (2 / 3, 1.0, None), (1.0, 0.0, None), (1.0, 0.37, 1 / 3),
     (1.0, 1.0, 0.05)],
)  # fmt: skip
def test_functions_without_a_name_are_placed_where_their_level_lines_meet(a, b, prevalence):
    def odds(tn, fp, fn, tp):
        return ((1 - a) * tn + a * tp) / ((1 - b) * fp + b * fn)

    assert br.place(lambda *cells: np.log(odds(*cells)), prevalence) == pytest.approx(
        (a, b), abs=1e-9
    )
    assert br.place(
        replace(as_score(lambda *cells: 1 / odds(*cells)), higher_is_better=False)
    ) == pytest.approx((a, b), abs=1e-9)
    if a + b > 0:  # a monotone step of it is another order
        assert br.place(lambda *cells: np.floor(3 * odds(*cells)), prevalence) is None


def test_chance_corrected_scores_are_placed_where_the_tile_sends_them():
    """The Tile, Section 4.4: (R - R of the no-skill twin) / (1 - R of the no-skill twin)."""
    a, b, prevalence = 0.8, 0.3, 0.2

    def corrected(tn, fp, fn, tp):
        def value(tn, fp, fn, tp):
            right = (1 - a) * tn + a * tp
            return right / (right + (1 - b) * fp + b * fn)

        total, positive, predicted = tn + fp + fn + tp, fn + tp, fp + tp
        negative, rest = total - positive, total - predicted
        twin = value(negative * rest, negative * predicted, positive * rest, positive * predicted)
        return (value(tn, fp, fn, tp) - twin) / (1 - twin)

    assert br.place(corrected, prevalence) == pytest.approx(
        br.tile.chance_corrected_place(a, b, prevalence), abs=1e-9
    )
    assert br.place(corrected) is None


@pytest.mark.parametrize("alpha", [0.2, 0.7, 1 / 3])
@pytest.mark.parametrize("beta", [0.2, 0.7, 0.9])
def test_misleading_formulas_have_the_place_of_their_score(alpha, beta):
    """Foundations, A.4.1: without positives, rounding makes 0/0 a number."""

    def accuracy(tn, fp, fn, tp):
        return (1 - alpha) * tn - alpha * fp - alpha * fn + (1 - alpha) * tp + alpha

    def tpr(tn, fp, fn, tp):
        right = -alpha * tn - alpha * fp - alpha * fn + (1 - alpha) * tp + alpha
        return right / (-beta * tn - beta * fp + (1 - beta) * fn + (1 - beta) * tp + beta)

    assert br.place(accuracy) == (0.5, 0.5)
    assert br.place(tpr) == (1, 1)


def test_floats_stand_for_the_simplest_number_within_rounding():
    found = [to_fraction(x) for x in (0.2, 1 - 0.7, 0.1 + 0.2, 1 / 3, 1e-4, 0.0, 2**-40)]
    tenths = Fraction(3, 10)
    assert found == [
        Fraction(1, 5),
        tenths,
        tenths,
        Fraction(1, 3),
        Fraction(1, 10**4),
        0,
        Fraction(1, 2**40),
    ]


def test_exact_arithmetic_sees_what_rounding_hides():
    """F1 with an importance that differs by one in 10 million millions."""
    near = Fraction(1, 10**13)
    function = lambda tn, fp, fn, tp: 2 * tp / (2 * tp + (1 + near) * fp + (1 - near) * fn)  # noqa: E731
    assert br.place(function) == (1.0, float((1 - near) / 2)) != (1.0, 0.5)
    assert br.place(lambda tn, fp, fn, tp: tp / (tp + fp) + 1e-30 * tn) is None


def test_a_place_is_not_an_approximation():
    for near in (1e-7, -1e-7):
        score = by_importance("near F1", fp=1 + near, fn=1 - near, tp=2)
        assert br.place(score) != (1, 0.5)
        assert br.place(score.function) == pytest.approx((1, (1 - near) / 2), abs=1e-12)


def over(part, whole, empty):
    """A ratio that gives 0/0 a number, or NaN."""
    with np.errstate(invalid="ignore"):
        return np.where(whole > 0, part / whole, empty)


def precision(empty):
    return lambda tn, fp, fn, tp: over(tp, tp + fp, empty)


def f1(empty):
    return lambda tn, fp, fn, tp: over(2 * tp, 2 * tp + fp + fn, empty)


def balanced(empty):
    return lambda tn, fp, fn, tp: (over(tn, tn + fp, empty) + over(tp, tp + fn, empty)) / 2


@pytest.mark.parametrize(
    ("function", "everywhere", "at_a_fifth"),
    [
        # 0/0 outside the domain, as in dom(R_I) of Foundations, Section 4.3
        (precision(np.nan), (1, 0), (1, 0)),
        (f1(np.nan), (1, 0.5), (1, 0.5)),
        (balanced(np.nan), None, (0.8, 0.8)),
        (lambda tn, fp, fn, tp: tn + tp, (0.5, 0.5), (0.5, 0.5)),
        # "never" has no precision, at any prevalence
        (precision(0.0), None, None),
        (precision(0.5), None, None),
        # 0/0 for the one performance without a positive: not at a prevalence
        (f1(0.0), None, (1, 0.5)),
        (f1(1.0), None, (1, 0.5)),
        (balanced(0.0), None, (0.8, 0.8)),
        # a smaller domain: what the score says, accuracy says
        (lambda tn, fp, fn, tp: np.where(fn + tp > 0, tn + tp, np.nan), (0.5, 0.5), (0.5, 0.5)),
        (lambda tn, fp, fn, tp: np.where(fp > 0, tn + tp, np.nan), (0.5, 0.5), (0.5, 0.5)),
        # but none without an empty cell may be left out
        (lambda tn, fp, fn, tp: np.where(fp > 0.1, tn + tp, np.nan), None, None),
        # another order on a face, on an edge, at a corner
        (lambda tn, fp, fn, tp: tn + tp + 1e-6 * (fp == 0), None, None),
        (lambda tn, fp, fn, tp: tn + tp - 1e-6 * (tp + fp == 0), None, None),
        (lambda tn, fp, fn, tp: tn + tp + 1e-6 * (tp + fp + fn == 0), None, (0.5, 0.5)),
        (
            lambda tn, fp, fn, tp: np.where(
                fp == 0, over(tp + tp**2, tp, np.nan), over(tp, tp + fp, np.nan)
            ),
            None,
            None,
        ),
        (
            lambda tn, fp, fn, tp: np.where(
                tp == 0, over(-(fp**2), fp, np.nan), over(tp, tp + fp, np.nan)
            ),
            None,
            None,
        ),
    ],
)
def test_a_place_says_nothing_of_performances_that_the_canonical_score_leaves_out(
    function, everywhere, at_a_fifth
):
    assert br.place(function) == everywhere
    assert br.place(function, 0.2) == (
        None if at_a_fifth is None else pytest.approx(at_a_fifth, abs=1e-11)
    )


CATALOGUE = [
    score
    for score in SCORES.values()
    if score.space not in ("outcomes", "votes", "cases") and score.higher_is_better is not None
]


@pytest.mark.parametrize(
    "prevalence", [None, *(pytest.param(p, marks=pytest.mark.slow) for p in (0.2, 0.5))]
)
def test_places_of_the_catalogue_are_those_and_there_are_no_others(prevalence):
    for score in CATALOGUE:
        at = br.place(score, prevalence)
        if at is not None:
            assert orders_alike(score, at, prevalence), score.name
        else:  # few performances are enough to tell two orders from each other
            assert not any(
                orders_alike(score, other, prevalence, 20, 3) for other in places(prevalence)
            ), score.name


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_places_at_a_fixed_prediction_rate(rate):
    """The Tile, Section 4.4: by symmetry, with truth and predictions exchanged."""
    assert br.place("markedness", prediction_rate=rate) == pytest.approx(
        (1 - rate, rate), abs=1e-11
    )
    kappa = (1 - rate) ** 2 / ((1 - rate) ** 2 + rate**2)
    assert br.place("cohen_kappa", prediction_rate=rate) == pytest.approx((kappa, 0.5), abs=1e-11)
    assert br.place("ppv", prediction_rate=rate) == (1.0, 0.0)
    assert br.place(br.importance(tn=1, fp=2, fn=6, tp=3), prediction_rate=rate) == (0.75, 0.75)
    assert br.place("informedness", prediction_rate=rate) is None


@pytest.mark.parametrize(
    ("score", "prevalence", "position"),
    [
        ("false_omission_rate", 1 - 1e-6, (0.0, 1.0)),
        ("p_fn_given_tn_fp_fn", 1 - 5e-6, (1.0, 1.0)),
        ("p_fn_given_tn_fp_fn", 1 - 1e-6, (1.0, 1.0)),
        ("negative_likelihood_ratio", 1e-6, (0.0, 1.0)),
        ("fowlkes_mallows", 1 - 1e-6, None),
        ("balanced_accuracy", 1e-7, (1 - 1e-7, 1 - 1e-7)),
        ("cohen_kappa", 1e-4, pytest.approx((0.9999**2 / (0.9999**2 + 1e-8), 0.5), abs=1e-15)),
        ("f1", 1e-9, (1.0, 0.5)),
    ],
)
def test_a_rare_class_does_not_move_a_score_to_a_position_near_by(score, prevalence, position):
    """False omission rate is 1 - NPV, whose values are about 1e-6: other positions differ by 1e-12 only."""
    assert br.place(score, prevalence) == position


# --- Exact arithmetic -------------------------------------------------------------------------------------------------

NUMBERS = [Fraction(top, bottom) for top in (-3, 0, 2, 5) for bottom in (1, 4, 7)]
OPERATIONS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.__name__)
def test_operations_are_those_of_fractions(operation):
    for x, y in product(NUMBERS, NUMBERS):
        first, second = from_fraction(x), from_fraction(y)
        for one, other in ((first, second), (first, float(y)), (float(x), second)):
            found = operation(one, other)
            if operation is operator.truediv and not y:
                assert found == x * np.inf or (np.isnan(found) and not x)
            elif isinstance(found, Rational):
                assert found.value == operation(x, y)
                # A comparison multiplies by denominators, which must be positive.
                assert (found > 0) == (operation(x, y) > 0)
            else:
                assert found is operation(x, y)


def test_long_numbers_lose_their_common_divisors():
    third, total = from_fraction(Fraction(1, 3)), from_fraction(Fraction(0))
    for _ in range(2000):
        total = total * third / third + third - 1 / (1 / third)
        total = total + 0.25 * third**-2
    assert total.value == 2000 * Fraction(9, 4)
    assert total.bottom.bit_length() < 600
