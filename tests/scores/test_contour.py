"""Contours: substituted back over random inputs, held against the paper's count forms, and their meeting points."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.scores import as_score
from bayesrank.scores.contours import _reach, closed_form, contour_curve, contour_meeting_points
from bayesrank.scores.derived import logarithm
from bayesrank.scores.families import by_importance

#: Every score of U's appendices B and C that the catalogue holds, and further ranking scores.
CLOSED = [
    "mcc", "f1", "jaccard", "accuracy", "ppv", "npv", "markedness", "cohen_kappa", "fowlkes_mallows",
    "tpr", "g_mean", "positive_likelihood_ratio", "negative_likelihood_ratio", "informedness", "balanced_accuracy",
    "prevalence_threshold", "diagnostic_odds_ratio", "f2", "error_rate", "fnr", "false_discovery_rate",
    "false_omission_rate", "jaccard_negative", "balanced_mcc", "balanced_markedness", "balanced_f1",
    "balanced_threat_score", "balanced_fowlkes_mallows", "standardized_ppv", "standardized_npv", "bias_index",
    "cohen_kappa_quadratic", "jaccard_distance", "precision_gain", "recall_gain", "f1_gain",
    "log_positive_likelihood_ratio", "log_negative_likelihood_ratio", "log_diagnostic_odds_ratio",
    br.scores.decision_benefit([[4, 3], [1, 7]]),  # Figure B.8
]  # fmt: skip


def rates(size=1000, seed=7):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.01, 0.99, (3, size))


def value_at(score, x, y, p):
    return as_score(score).of_cells((1 - p) * (1 - x), (1 - p) * x, p * (1 - y), p * y)


@pytest.mark.parametrize("name", CLOSED, ids=lambda name: as_score(name).name)
def test_contours_come_back_to_the_tpr_they_started_from(name):
    """In closed form, and by bisection."""
    x, y, p = rates()
    score = as_score(name)
    assert closed_form(score) is not None
    k, x, p = (xr.DataArray(a, dims="case") for a in (value_at(name, x, y, p), x, p))
    np.testing.assert_allclose(br.contour(name, k, x, p), y, rtol=1e-7, atol=1e-8)
    plain = br.scores.Score("unknown", score.function, range=score.range)
    k, x, p = k[:300], x[:300], p[:300]
    np.testing.assert_allclose(br.contour(plain, k, x, p), y[:300], atol=1e-6)


P, N, D = 20, 40, np.arange(1, 40)


@pytest.mark.parametrize(
    ("name", "k", "counts"),
    [
        ("f1", 0.4, lambda k, p, n, d: k * (d - n - p) / (k - 2)),  # Eq. 47
        ("jaccard", 0.3, lambda k, p, n, d: k * (p + n - d)),  # Eq. 49
        ("accuracy", 0.7, lambda k, p, n, d: k * (p + n) - d),  # Eq. 51
        ("ppv", 0.6, lambda k, p, n, d: k * (d - n) / (k - 1)),  # Eq. 55
        ("npv", 0.8, lambda k, p, n, d: p + d * (k - 1) / k),  # Eq. 57
        ("markedness", 0.3, lambda k, p, n, d:
            (np.sqrt((k * n + k * p + n) ** 2 - 4 * d * k * (n + p)) + 2 * d * k - k * n + k * p - n) / (2 * k)),
        ("cohen_kappa", 0.5, lambda k, p, n, d:
            (d * k * (n - p) + 2 * d * p - k * (n**2 + p**2) - 2 * n * p) / ((k - 2) * n - k * p)),  # Eq. 61
        ("fowlkes_mallows", 0.5, lambda k, p, n, d: (np.sqrt(k**2 * p * (-4 * d + k**2 * p + 4 * n)) + k**2 * p) / 2),
        ("g_mean", 0.6, lambda k, p, n, d: k**2 * n * p / d),  # Eq. 70
        ("informedness", 0.4, lambda k, p, n, d: p * (k + 1 - d / n)),  # Eq. 84
        ("prevalence_threshold", 0.4, lambda k, p, n, d: (k - 1) ** 2 * p * (n - d) / (k**2 * n)),  # Eq. 86
        ("diagnostic_odds_ratio", 5.0, lambda k, p, n, d: k * (d - n) * p / (d * (k - 1) - k * n)),  # Eq. 89
    ],
)  # fmt: skip
def test_contours_are_the_count_forms_of_the_paper(name, k, counts):
    """Within and beyond the ROC square."""
    tpr = br.contour(name, k, 1 - D / N, P / (P + N))
    np.testing.assert_allclose(tpr, counts(k, P, N, D) / P, rtol=1e-9, atol=1e-12)


def test_mcc_contours_beyond_the_square_are_on_the_side_of_their_sign():
    """Left of 0 both roots have a positive value, right of 1 both a negative one."""
    for x, known in ((0.3, [True, True]), (-0.05, [False, True]), (1.05, [True, False])):
        assert np.isfinite(br.contour("mcc", [-0.8, 0.8], x, 0.5)).values.tolist() == known


def test_markedness_is_smooth_through_zero():
    tpr = [br.contour("markedness", k, 0.3, 0.2).item() for k in (-1e-9, 0.0, 1e-9)]
    assert tpr[1] == pytest.approx(0.3, abs=1e-12)  # no skill: TPR = FPR
    np.testing.assert_allclose(tpr, 0.3, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("f1", [(-0.25, 0)]), ("jaccard", [(-0.25, 0)]), ("ppv", [(0, 0)]), ("npv", [(1, 1)]), ("accuracy", []),
        ("mcc", [(0, 0), (1, 1)]), ("markedness", [(0, 0), (1, 1)]), ("cohen_kappa", [(-1 / 3, -1 / 3)]),
        ("f1_gain", [(-0.25, 0)]), ("precision_gain", [(0, 0)]), ("balanced_f1", [(-1, 0)]), ("fpr", []),
        ("informedness", []), ("diagnostic_odds_ratio", [(0, 0), (1, 1)]),
    ],
)  # fmt: skip
def test_contours_meet_where_the_paper_says(name, points):
    meeting = contour_meeting_points(name, 0.2)
    np.testing.assert_allclose(
        np.stack([meeting["fpr"], meeting["tpr"]], axis=-1).reshape(-1, 2),
        np.array(points).reshape(-1, 2),
        atol=1e-12,
    )
    for x, y in points:
        for k in (0.3, 0.6):
            # At FPR 0 the contour of k has two TPRs, and 0 is the one that the contour of -k has in the square.
            k = -k if name == "mcc" and x == 0 else k
            assert br.contour(name, k, x, 0.2).item() == pytest.approx(y, abs=1e-9)


def test_contours_of_random_ranking_scores_meet():
    rng = np.random.default_rng(2)
    for _ in range(20):
        tn, fp, fn, tp = rng.uniform(0.1, 1, 4)
        score = by_importance("random", tn=tn, fp=fp, fn=fn, tp=tp)
        place = contour_meeting_points(score, 0.3)
        tpr = br.contour(score, [0.2, 0.5, 0.9], place["fpr"].item(), 0.3)
        np.testing.assert_allclose(tpr, place["tpr"].item(), rtol=1e-9)


def test_dims_and_values_out_of_reach():
    tpr = br.contour("f1", [0.2, 0.5], [0.0, 0.1, 0.2], [0.1, 0.5])
    assert tpr.dims == ("value", "prevalence", "fpr")
    assert tpr.name == "tpr"
    # Cubed TPR: within the square only.
    cube = br.contour(lambda tn, fp, fn, tp: (tp / (fn + tp)) ** 3, [0.125, 2.0], 0.3, 0.4)
    np.testing.assert_allclose(cube, [0.5, np.nan])
    assert np.isnan(br.contour("tnr", 0.4, 0.3, 0.5))


def test_curves_of_tnr_are_vertical():
    for name, k in (("tnr", 0.75), ("fpr", 0.25)):
        curve = contour_curve(name, [k], 0.3)
        np.testing.assert_allclose(curve["fpr"], 0.25)
        assert (curve["tpr"].min().item(), curve["tpr"].max().item()) == (0, 1)


def between(score, k, x, y, p):
    """Whether the score, where defined, crosses k within 1e-9 of a TPR: substitution that knows of rounding."""
    step = 1e-9 * (1 + np.abs(y))
    below, above = (value_at(score, x, y + side * step, p) for side in (-1, 1))
    defined = np.isfinite(below) & np.isfinite(above)
    slack = 1e-9 * (1 + np.abs(k))
    return (np.minimum(below, above) - slack <= k) & (
        k <= np.maximum(below, above) + slack
    ) | ~defined, defined


def beyond(size=1000, seed=11):
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.2, 1.2, (2, size)), rng.uniform(0.02, 0.98, size)


@pytest.mark.parametrize("name", CLOSED, ids=lambda name: as_score(name).name)
def test_contours_beyond_the_square_hold_when_substituted_back(name):
    (x, _), p = beyond()
    low, high = as_score(name).range
    k = np.random.default_rng(12).uniform(max(low, -4), min(high, 4), x.size)
    y = br.contour(name, *(xr.DataArray(a, dims="case") for a in (k, x, p))).values
    known = np.isfinite(y)
    holds, defined = between(name, k[known], x[known], y[known], p[known])
    assert holds.all()
    assert defined.mean() > 0.9
    assert (x[known] < 0).any() or name == "prevalence_threshold"
    assert (x[known] > 1).any()


TURNING = [
    "mcc",
    "markedness",
    "fowlkes_mallows",
    "balanced_mcc",
    "balanced_markedness",
    "balanced_fowlkes_mallows",
]


def distance(point, curve):
    """Of a point (2) from the chords of a curve (2, point) with gaps."""
    start, chord = curve[:, :-1], np.diff(curve, axis=1)
    with np.errstate(invalid="ignore"):
        share = np.clip(
            ((point[:, None] - start) * chord).sum(axis=0) / (chord**2).sum(axis=0), 0, 1
        )
    return np.nanmin(np.hypot(*(start + share * chord - point[:, None])))


@pytest.mark.parametrize("name", CLOSED, ids=lambda name: as_score(name).name)
def test_every_performance_beyond_the_square_is_on_the_contour_of_its_value(name):
    """So that no contour stops where it turns back."""
    (x, y), p = beyond(40 if name in TURNING else 300)
    k, (low, high) = value_at(name, x, y, p), as_score(name).range
    seen = (low <= k) & (k <= high)
    assert seen.mean() > 0.4
    if name in TURNING:
        for value, *point, share in zip(k[seen], x[seen], y[seen], p[seen], strict=True):
            curve = contour_curve(name, [value], share, (-0.3, 1.3), points=2001).isel(value=0)
            # 4,002 points of a smooth curve: chords as long as 0.02 are off by less than 0.001 where it bends.
            assert distance(np.array(point), np.array([curve["fpr"], curve["tpr"]])) < 1e-3
    else:
        back = br.contour(name, *(xr.DataArray(a[seen], dims="case") for a in (k, x, p))).values
        assert np.all(np.isclose(back, y[seen], rtol=1e-6, atol=1e-6))


@pytest.mark.parametrize("name", TURNING)
@pytest.mark.parametrize("prevalence", [0.03, 0.5, 0.8])
def test_curves_that_turn_back_keep_their_value(name, prevalence):
    values = [v for v in (-0.7, -0.2, 0.2, 0.7) if v >= as_score(name).range[0]]
    curves = contour_curve(name, values, prevalence, (-0.2, 1.2), points=201)
    for value in values:
        curve = curves.sel(value=value).dropna("point")
        x, y = curve["fpr"].values, curve["tpr"].values
        assert curve.sizes["point"] > 30
        # Where the contour is upright the score is flat along the TPR: substitute along the FPR as well.
        upright, _ = between(name, value, x, y, prevalence)
        found = value_at(name, x, y, prevalence)
        corner = np.hypot(x, y).clip(max=np.hypot(x - 1, y - 1)) < 1e-4  # where all contours meet
        assert (upright | corner | np.isclose(found, value, atol=1e-6)).all()


def test_values_that_a_root_cannot_take_have_no_contour():
    for name, values in {
        "g_mean": [-0.5],
        "fowlkes_mallows": [-0.5],
        "prevalence_threshold": [-1.0, 2.0],
    }.items():
        assert np.isnan(br.contour(name, values, 0.3, 0.4)).all()
        assert np.isnan(contour_curve(name, values, 0.4, (-0.2, 1.2))["fpr"]).all()


def test_a_value_at_an_end_of_the_square_has_its_end_and_a_score_without_tpr_has_none():
    for score, values, ends in (
        ("f1", [-0.1, 0, 0.8, 0.9], [np.nan, 0, 1, np.nan]),
        ("tnr", [0.5], [np.nan]),
    ):
        plain = br.scores.Score("unknown", br.scores.get(score).function)
        np.testing.assert_allclose(br.contour(plain, values, 0.5, 0.5), ends, atol=1e-6)


def test_curves_that_turn_back_far_from_the_square_have_their_points_in_it():
    """At this prevalence the ellipse is a hundred times as wide as the square: evenly spaced points would miss it."""
    for name in ("mcc", "markedness"):
        curve = (
            contour_curve(name, [0.5], 0.9999, (-0.05, 1.05), points=101)
            .isel(value=0)
            .dropna("point")
        )
        assert curve.sizes["point"] > 90
        assert curve["fpr"].diff("point").max() < 0.02


def test_curves_of_a_logarithm_turn_back_with_those_of_its_score():
    log = logarithm(br.scores.fowlkes_mallows, "log_fowlkes_mallows")
    curve, plain = (
        contour_curve(score, [k], 0.3, (-0.3, 1.3))
        for score, k in ((log, np.log(0.4)), (log.name[4:], 0.4))
    )
    assert (plain["fpr"] < 0).any()
    for rate in ("fpr", "tpr"):
        np.testing.assert_allclose(curve[rate], plain[rate])


def test_benefits_that_do_not_mind_the_positives_have_vertical_contours():
    score, p = (
        br.scores.decision_benefit([[1, 0], [2, 2]]),
        0.3,
    )  # Eq. 53 with equal benefits of TP and FN
    values = np.array([0.7, 0.95, 1.2])
    curves = contour_curve(score, values, p, points=5)
    np.testing.assert_allclose(
        curves["fpr"], np.repeat((0.7 + 0.6 - values)[:, None] / 0.7, 5, axis=1)
    )
    found = value_at(score, curves["fpr"].values, curves["tpr"].values, p)
    np.testing.assert_allclose(found, np.repeat(values[:, None], 5, axis=1))
    assert contour_curve(score, [5.0], p)["fpr"].isnull().all()
    nothing = br.scores.decision_benefit([[1, 1], [2, 2]])
    assert contour_curve(nothing, [1.2], p)["tpr"].isnull().all()


@pytest.mark.parametrize(
    ("name", "values"), [("npv", [0.2, 0.5, 0.8]), ("accuracy", [0.15, 0.5]), ("f1", [0.1, 0.9])]
)
@pytest.mark.parametrize("prevalence", [0.02, 0.1, 0.7])
def test_steep_curves_reach_the_edge_of_the_square(name, values, prevalence):
    curves = contour_curve(name, values, prevalence, points=101)
    for value in values:
        curve = curves.sel(value=value).dropna("point")
        x, y = curve["fpr"].values, curve["tpr"].values
        found = value_at(name, x, y, prevalence)
        np.testing.assert_allclose(
            found[~np.isnan(found)], value, atol=1e-9
        )  # straight: on the line to its ends
        for end in (0, -1):
            assert min(x[end], y[end], 1 - x[end], 1 - y[end]) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "y", [0.01 / (np.linspace(0, 1, 12) - 0.5), [0.1, 0.2, 0.3, 50.0]], ids=["turns", "leaps"]
)
def test_a_pole_is_no_edge(y):
    found = np.array(y)
    _reach(np.linspace(0, 1, len(y)), found, 0.0, 1.0)
    np.testing.assert_array_equal(found, y)


def test_equal_benefits_of_right_cases_have_the_contours_of_accuracy():
    """Lovell et al., B.5; a common factor and a common shift of the benefits keep the order: three degrees are left."""
    rng = np.random.default_rng(6)
    tables = rng.integers(1, 30, (40, 2, 2)).astype(float)
    tables *= 60 / tables.sum((1, 2), keepdims=True)
    diagonal = br.scores.decision_benefit(np.array([[2.0, 0.0], [0.0, 2.0]])).of_tables(tables)
    accuracy = br.scores.accuracy.of_tables(tables)
    assert np.ptp(diagonal / accuracy) == pytest.approx(0, abs=1e-9)
    benefits = np.array([[1.0, -3.0], [-10.0, 5.0]])
    one, other = (
        br.scores.decision_benefit(each).of_tables(tables) for each in (benefits, 2 * benefits + 7)
    )
    assert np.ptp(other - 2 * one) == pytest.approx(0, abs=1e-9)
    x = np.linspace(0.1, 0.4, 4)
    for value in (0.6, 0.8):  # benefits of 0 and 1 by the case: the value is the accuracy
        found = br.contour(br.scores.decision_benefit(np.eye(2)), value, x, 0.4)
        np.testing.assert_allclose(found, br.contour("accuracy", value, x, 0.4), atol=1e-9)
