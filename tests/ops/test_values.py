"""OPS of values: closed forms against brute-force areas and against quadrature, published numbers, properties."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.ops.values import value_range
from bayesrank.scores.contour_area import probability_worse
from bayesrank.scores.contours import closed_area
from bayesrank.scores.names import SCORES
from bayesrank.scores.score import cells_at

# Adjacent accuracy is constant for two classes.
DIRECTED = [
    name
    for name, score in SCORES.items()
    if score.higher_is_better is not None
    and score.space not in ("outcomes", "votes", "cases")
    and name != "adjacent_accuracy"
]
CLOSED = [name for name in DIRECTED if closed_area(SCORES[name]) is not None]
#: Ranking scores of any importance.
ANY = [
    br.scores.families.by_importance("random", tn=tn, fp=fp, fn=fn, tp=tp)
    for tn, fp, fn, tp in np.random.default_rng(5).gamma(0.5, size=(20, 4))
]

# Zhao et al., Outperformance Score, Table 5: prevalence, F1, OPS(F1), MCC, OPS(MCC).
TABLE_5 = [
    (0.091, 0.408, 0.892, 0.348, 0.874),
    (0.190, 0.453, 0.799, 0.300, 0.779),
    (0.300, 0.614, 0.850, 0.468, 0.859),
    (0.112, 0.361, 0.825, 0.268, 0.798),
    (0.203, 0.475, 0.806, 0.316, 0.787),
    (0.300, 0.514, 0.735, 0.344, 0.780),
]


def random_cases(score, size, seed, decades=4):
    """Values that the score takes at random rates, and prevalences down to 1e-4 and up to 1 - 1e-4."""
    rng = np.random.default_rng(seed)
    small = 10 ** rng.uniform(-decades, np.log10(0.5), size)
    prevalence = np.where(rng.random(size) < 0.5, small, 1 - small)
    return score.of_cells(*cells_at(*rng.random((2, size)), prevalence)), prevalence


@pytest.mark.parametrize("name", DIRECTED)
def test_area_against_brute_force(name):
    """A monotone contour crosses at most 2n of the n² squares around the midpoints: an error of 2/n at most."""
    score, n = SCORES[name], 400
    grid = (np.arange(n) + 0.5) / n
    for value, prevalence in zip(*random_cases(score, 2, seed=1), strict=True):
        found = score.of_cells(*cells_at(grid[None, :], grid[:, None], prevalence))
        worse = np.mean(found < value if score.higher_is_better else found > value)
        assert br.ops.of_value(score, value, prevalence).item() == pytest.approx(worse, abs=2 / n)


@pytest.mark.parametrize("score", [*map(SCORES.get, CLOSED), *ANY], ids=lambda score: score.name)
def test_closed_form_against_quadrature(score):
    value, prevalence = random_cases(score, 150, seed=2)
    numeric = probability_worse(score, value, prevalence, lambda u: u, lambda fpr, tpr: tpr)
    np.testing.assert_allclose(closed_area(score)(value, prevalence), numeric, rtol=0, atol=1e-9)


def test_quadrature_against_scipy():
    # P4 has no closed form here: the root by Brent's method, the integral by QUADPACK, split where the contour turns.
    from scipy import integrate, optimize

    def p4(x, y, prevalence):
        return SCORES["p4"].of_cells(*cells_at(x, y, prevalence)).item()

    for value, prevalence in ((0.3, 0.1), (0.7, 0.4), (0.05, 0.01)):

        def contour(x, value=value, prevalence=prevalence):
            ends = [p4(x, y, prevalence) - value for y in (1e-12, 1 - 1e-12)]
            if ends[1] < 0:
                return 1.0
            return optimize.brentq(
                lambda y: p4(x, y, prevalence) - value, 1e-12, 1 - 1e-12, xtol=1e-13
            )

        turn = optimize.brentq(
            lambda x, v=value, p=prevalence: p4(x, 1 - 1e-12, p) - v, 1e-12, 1 - 1e-12, xtol=1e-14
        )
        expected = integrate.quad(contour, 1e-12, turn, epsabs=1e-11, limit=200)[0] + 1 - turn
        assert br.ops.of_value("p4", value, prevalence).item() == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", DIRECTED)
def test_ops_rise_with_the_value_from_zero_to_one(name):
    score = SCORES[name]
    for prevalence in (1e-4, 0.5, 0.999):
        low, high = (end.item() for end in value_range(score, xr.DataArray(prevalence)))
        values = np.linspace(max(low, -50), min(high, 50), 12)
        ops = br.ops.of_value(score, values, prevalence).values
        ops = ops if score.higher_is_better else ops[::-1]
        assert (np.diff(ops) >= -1e-9).all()
        assert ((ops >= 0) & (ops <= 1)).all()
        if np.abs([low, high]).max() <= 50:
            assert ops[[0, -1]] == pytest.approx([0, 1], abs=1e-9)


@pytest.mark.filterwarnings("error")
def test_closed_forms_at_extremes():
    """Values at and next to the ends of the range, prevalences next to 0 and 1: still probabilities, no warning."""
    for name in CLOSED:
        low, high = np.clip(SCORES[name].range, -1e6, 1e6)
        value = np.array([low, low + 1e-12, low + 0.3, high - 0.3, high - 1e-12, high, 1e-320])
        for prevalence in (1e-12, 0.5, 1 - 1e-12):
            ops = closed_area(SCORES[name])(value, np.full(value.shape, prevalence))
            assert (np.abs(ops - 0.5) <= 0.5 + 1e-9).all(), name


def test_f1_is_equation_7():
    for prevalence in (0.01, 0.1, 0.5, 0.9):
        value = np.linspace(0.01, 1, 50)
        first = (1 + prevalence) * value / (2 * prevalence * (2 - value))
        second = ((1 + prevalence) * value - 2 * prevalence) ** 2 / (
            2 * prevalence * (1 - prevalence) * value * (2 - value)
        )
        expected = np.where(value <= 2 * prevalence / (1 + prevalence), first, first - second)
        np.testing.assert_allclose(br.ops.of_value("f1", value, prevalence), expected, atol=1e-12)


@pytest.mark.parametrize(("prevalence", "f1", "ops_f1", "mcc", "ops_mcc"), TABLE_5)
def test_table_5(prevalence, f1, ops_f1, mcc, ops_mcc):
    # The inputs are printed to three digits, as the OPS is.
    assert br.ops.of_value("f1", f1, prevalence).item() == pytest.approx(ops_f1, abs=1e-3)
    assert br.ops.of_value("mcc", mcc, prevalence).item() == pytest.approx(ops_mcc, abs=1e-3)


@pytest.mark.parametrize(
    ("numeric", "closed"),
    [
        ("lift", "ppv"), ("yule_q", "diagnostic_odds_ratio"), ("yule_y", "diagnostic_odds_ratio"),
        ("log_positive_likelihood_ratio", "positive_likelihood_ratio"), ("bennett_s", "accuracy"),
        ("log_negative_likelihood_ratio", "negative_likelihood_ratio"), ("jaccard_distance", "f1"),
        ("determinant", "informedness"), ("balanced_mcc", "mcc"), ("balanced_f1", "f1"),
        ("balanced_markedness", "markedness"),
    ],
)  # fmt: skip
def test_scores_that_order_alike_have_the_same_ops(numeric, closed):
    # A monotone map at each prevalence changes no order (linear invariance of Zhao et al., Section 3.1, for one), so
    # quadrature must meet the closed form of the other score; a balanced score orders like the plain one at a
    # prevalence of one half.
    rng = np.random.default_rng(6)
    rates, prevalence = rng.random((2, 60)), 10 ** rng.uniform(-4, np.log10(0.5), 60)
    other = np.full(60, 0.5) if numeric.startswith("balanced") else prevalence
    found = br.ops.of_value(
        numeric, SCORES[numeric].of_cells(*cells_at(*rates, prevalence)), prevalence
    )
    expected = br.ops.of_value(closed, SCORES[closed].of_cells(*cells_at(*rates, other)), other)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_kinks_and_scores_that_go_up_and_down():
    def worse_rate(tn, fp, fn, tp):
        return np.minimum(tn / (tn + fp), tp / (tp + fn))

    # P(min(U, V) < v) = 1 - (1 - v)²
    value = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(
        br.ops.of_value(worse_rate, value, 0.3), 1 - (1 - value) ** 2, atol=1e-8
    )

    def balance(tn, fp, fn, tp):
        return -np.abs(tp / (tp + fn) - tn / (tn + fp))

    # P(-|U - V| < -d) = (1 - d)²
    np.testing.assert_allclose(br.ops.of_value(balance, -value, 0.3), (1 - value) ** 2, atol=1e-6)


PREVALENCES = [1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 0.5]


@pytest.mark.slow
def test_larger_of_recall_and_precision_has_a_kink_in_a_thin_strip():
    # Simpson < v: TPR < v and FPR > c TPR, with c = π(1 - v) / (v(1 - π)): the area is v - c v² / 2 where c v <= 1.
    # Braun-Blanquet < v: TPR < v or FPR > c TPR. Both areas have the sum of those of TPR and PPV.
    for prevalence in PREVALENCES:
        value = np.array([0.001849, 0.3, 0.87848, 0.9, 0.99, 0.999])
        slope = prevalence * (1 - value) / (value * (1 - prevalence))
        triangle = np.where(slope * value <= 1, slope * value**2 / 2, value - 1 / (2 * slope))
        above = np.where(slope <= 1, slope / 2, 1 - 1 / (2 * slope))  # PPV >= v
        simpson, braun = (
            br.ops.of_value(name, value, prevalence) for name in ("simpson", "braun_blanquet")
        )
        np.testing.assert_allclose(simpson, value - triangle, rtol=0, atol=1e-9)
        np.testing.assert_allclose(braun, 1 - above + triangle, rtol=0, atol=1e-9)
    assert br.ops.of_value("simpson", 0.9, 0.03).item() == pytest.approx(0.8986082, abs=5e-8)


@pytest.mark.parametrize(
    ("one", "other"),
    [("tpr", "accuracy"), *(pytest.param(*pair, marks=pytest.mark.slow) for pair in
     (("tpr", "jaccard_negative"), ("ppv", "npv"), ("npv", "f1"), ("accuracy", "f1"), ("mcc", "tnr")))],
)  # fmt: skip
def test_maximum_and_minimum_share_the_area_of_both_scores(one, other):
    """P(max < v) + P(min < v) = P(A < v) + P(B < v), where the right side has closed forms."""
    functions = [SCORES[name].of_cells for name in (one, other)]
    rng = np.random.default_rng(8)
    for prevalence in PREVALENCES[::3]:
        value = np.concatenate([rng.random(3), rng.random(2) ** 6, 1 - rng.random(2) ** 6])
        larger, smaller = (
            br.ops.of_value(
                lambda *cells, of=of: of(*(f(*cells) for f in functions)), value, prevalence
            )
            for of in (np.fmax, np.fmin)
        )
        expected = sum(br.ops.of_value(name, value, prevalence) for name in (one, other))
        np.testing.assert_allclose(larger + smaller, expected, rtol=0, atol=1e-8)


def test_a_condition_on_one_rate():
    # NPV if TPR > 1/2, else 0, is below v unless TPR > 1/2 and NPV >= v, whose share the closed form of NPV gives.
    def strict(tn, fp, fn, tp):
        return np.where(tp > fn, tn / (tn + fn), 0.0)

    value = np.array([0.1, 0.5, 0.9])
    for prevalence in (0.001, 0.1, 0.5):
        odds = (
            value / (1 - value) * prevalence / (1 - prevalence)
        )  # NPV >= v: TNR >= odds (1 - TPR)
        missed = np.minimum(0.5, 1 / odds)  # of 1 - TPR below 1/2
        reached = missed - odds * missed**2 / 2
        np.testing.assert_allclose(
            br.ops.of_value(strict, value, prevalence), 1 - reached, rtol=0, atol=1e-8
        )


def test_broadcasts_and_keeps_labels():
    value = xr.DataArray([0.3, 0.6], {"entity": ["a", "b"]}, ("entity",))
    prevalence = xr.DataArray([0.1, 0.2, 0.3], {"dataset": ["x", "y", "z"]}, ("dataset",))
    ops = br.ops.of_value("f1", value, prevalence)
    assert ops.dims == ("entity", "dataset")
    assert ops.name == "ops"
    assert ops.sel(entity="b", dataset="y").item() == br.ops.of_value("f1", 0.6, 0.2).item()
    assert br.ops.of_value("p4", np.array([[0.3], [0.6]]), np.array([0.1, 0.2])).shape == (2, 2)
    assert np.isnan(br.ops.of_value("f1", np.nan, 0.2).item())
