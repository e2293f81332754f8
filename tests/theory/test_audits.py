"""The audit against Table 1 of Piérard et al., Foundations of the theory of performance-based ranking."""

import inspect
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau

import bayesrank as br
from bayesrank._core.kendall import dense_ranks, tau_b
from bayesrank.performance import as_performance
from bayesrank.scores import as_score
from bayesrank.theory import audits
from bayesrank.theory.axioms import counterexamples
from tests.scores.test_placement import f1, over, precision

# Score: (tests, tau_min, tau_max) without constraint, at prevalence 0.2, at prevalence 0.5. V: held, X: failed.
PRINTED = {
    "accuracy": [("VVV", 0.469, 1), ("VVV", 0.157, 1), ("VVV", 0.505, 1)],
    "f0_5": [("VVV", 0.079, 1), ("VVV", 0.451, 1), ("VVV", 0.352, 1)],
    "f1": [("VVV", 0.161, 1), ("VVV", 0.352, 1), ("VVV", 0.194, 1)],
    "f2": [("VVV", 0.079, 1), ("VVV", 0.194, 1), ("VVV", 0.072, 1)],
    "npv": [("VVV", 0.000, 1), ("VVV", 0.503, 1), ("VVV", 0.503, 1)],
    "ppv": [("VVV", 0.000, 1), ("VVV", 0.503, 1), ("VVV", 0.503, 1)],
    "tnr": [("VVV", 0.000, 1), ("VVV", 0.000, 1), ("VVV", 0.000, 1)],
    "tpr": [("VVV", 0.000, 1), ("VVV", 0.000, 1), ("VVV", 0.000, 1)],
    "balanced_accuracy": [("VXX", 0.486, 0.713), ("VVV", 0.504, 1), ("VVV", 0.505, 1)],
    "cohen_kappa": [("XXX", 0.476, 0.697), ("VVV", 0.503, 1), ("VVV", 0.505, 1)],
    "informedness": [("VXX", 0.486, 0.713), ("VVV", 0.504, 1), ("VVV", 0.505, 1)],
    "positive_likelihood_ratio": [("VXX", 0.420, 0.677), ("VVV", 0.491, 1), ("VVV", 0.491, 1)],
    "true_negative_probability": [("XVV", -0.007, 0.818), ("VVV", 0.000, 1), ("VVV", 0.000, 1)],
    "true_positive_probability": [("XVV", -0.006, 0.818), ("VVV", 0.000, 1), ("VVV", 0.000, 1)],
    # At prevalence 0.5 the table prints X for the first test, but the text says that the score, which is constant
    # there, satisfies the axioms; and a constant does.
    "chance_agreement": [("XXX", 0.194, 0.498), ("XVV", -0.157, 0.849), ("VVV", 0, 0)],
    "error_rate": [("XVV", -1, -0.469), ("XVV", -1, -0.157), ("XVV", -1, -0.505)],
    "false_discovery_rate": [("XVV", -1, 0.000), ("XVV", -1, -0.503), ("XVV", -1, -0.503)],
    "fnr": [("XVV", -1, 0.000), ("XVV", -1, 0.000), ("XVV", -1, 0.000)],
    "false_omission_rate": [("XVV", -1, 0.000), ("XVV", -1, -0.503), ("XVV", -1, -0.503)],
    "fpr": [("XVV", -1, 0.000), ("XVV", -1, 0.000), ("XVV", -1, 0.000)],
    "g_mean": [("VXX", 0.461, 0.653), ("VXV", 0.503, 0.831), ("VXV", 0.503, 0.830)],
    "markedness": [("VXX", 0.486, 0.713), ("VXX", 0.418, 0.887), ("VXX", 0.503, 0.913)],
    "mcc": [("VXX", 0.503, 0.746), ("VXX", 0.458, 0.944), ("VXX", 0.503, 0.963)],
    "negative_likelihood_ratio": [
        ("XXX", -0.677, -0.418),
        ("XVV", -1, -0.491),
        ("XVV", -1, -0.491),
    ],
    "diagnostic_odds_ratio": [("VXX", 0.499, 0.671), ("VXX", 0.503, 0.894), ("VXX", 0.503, 0.892)],
    "positive_prediction_rate": [
        ("XVV", -0.469, 0.469),
        ("XVV", -0.849, 0.157),
        ("XVV", -0.504, 0.505),
    ],
    "d_prime": [("VXX", 0.502, 0.786), ("VXX", 0.503, 0.926), ("VXX", 0.503, 0.924)],
}


def search_coarsely(monkeypatch):
    """Compare with few positions of the Tile: verdicts do not depend on the extremes of tau between named positions."""
    monkeypatch.setattr(audits, "GRID", 4)
    monkeypatch.setattr(audits, "ZOOMS", 0)
    monkeypatch.setattr(audits, "_grid_ranks", audits._grid_ranks.__wrapped__)


@pytest.fixture(autouse=True)
def _search_only_for_tau(request, monkeypatch):
    """The search for the extremes of tau is half of an audit: only tests of tau wait for it."""
    if "tau" not in inspect.getsource(request.function):
        search_coarsely(monkeypatch)


#: Scores of different kinds in the quick run; all of Table 1 takes longer.
QUICK = ("f1", "fnr", "mcc")
NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in PRINTED]


@pytest.mark.parametrize("name", NAMES)
def test_table_1_and_its_counterexamples(name):
    """The printed tests and taus; each counterexample proves its case from scratch."""
    table = br.theory.audit_table([name]).isel(score=0)
    np.testing.assert_array_equal(table["prevalence"], [np.nan, 0.2, 0.5])
    if name == "mcc":  # accidental ties of the lattice raise tau at the centre
        assert table["tau_max_tied"][0].item() == pytest.approx(0.760, abs=0.0005)
    score = as_score(name)
    for column, (tests, tau_min, tau_max) in enumerate(PRINTED[name]):
        row = table.isel(prevalence=column)
        assert "".join("V" if row[test] else "X" for test in audits.TESTS) == tests
        # The page's number; the search is coarse to fine, as the paper's was.
        assert row["tau_min"].item() == pytest.approx(tau_min, abs=0.0025)
        assert row["tau_max"].item() == pytest.approx(tau_max, abs=0.0025)
        raised = (
            row["tau_max_tied"].item() - row["tau_max"].item(),
            row["tau_min"].item() - row["tau_min_tied"].item(),
        )
        assert max(raised) < (0.016 if name == "d_prime" else 0.015)  # by accidental ties
        for test, held in zip(audits.TESTS, tests, strict=True):
            example = row["counterexample"].sel(test=test)
            assert np.isnan(example).all() == (held == "V")
            if held == "V":
                continue
            parts = example.sel(role=["first", "second"])
            values = score(as_performance(parts)).values
            if column > 0:
                assert parts.sel(actual="positive").sum("predicted").values == pytest.approx(
                    (0.2, 0.5)[column - 1]
                )
            if test == "axiom_2":
                correct = np.trace(parts.transpose("actual", "predicted", "role").values)
                assert correct[0] == 0 or correct[1] == pytest.approx(1)
                assert values[0] > values[1]
            else:
                mixed = score(parts.mean("role")).item()
                assert mixed > values.max() if test == "axiom_3_upper" else mixed < values.min()


def test_every_score_of_table_1_is_audited():
    assert [as_score(entry).name for entry in audits.TABLE_1] == list(PRINTED)


def test_values_that_differ_by_rounding_tie_and_the_tau_of_a_constant_is_0():
    assert tau_b(np.ones(5), dense_ranks(np.arange(5.0)[None])).tolist() == [0.0]
    assert dense_ranks(np.array([0.1 + 0.2, 0.3, 0.4, np.nan])).tolist() == [0, 0, 1, -1]


@pytest.mark.slow
def test_extremes_lie_where_they_are_said_to():
    row = br.audit("markedness", prevalence=0.2)
    fpr, tpr = np.meshgrid(np.linspace(0, 1, 81), np.linspace(0, 1, 81))
    cells = np.array([[0.8 * (1 - fpr), 0.8 * fpr], [0.2 * (1 - tpr), 0.2 * tpr]])
    points = xr.DataArray(cells.reshape(2, 2, -1), dims=("actual", "predicted", "entity"))
    markedness = br.scores.markedness(points).values
    for end in ("min", "max"):
        at = row[f"tau_{end}_a"].item(), row[f"tau_{end}_b"].item()
        canonical = br.canonical_score(points, *at).values
        both = np.isfinite(markedness) & np.isfinite(canonical)
        # scipy splits ties that only rounding separates, of which there are few in general position.
        assert row[f"tau_{end}"].item() == pytest.approx(
            kendalltau(markedness[both], canonical[both]).statistic, abs=1e-3
        )


def test_accidental_ties_make_tau_jump():
    """The lattice of the page, cell by cell: 0.726 at (½, ½) and 0.714 nearby; not higher for each score."""
    cells = np.array(
        [
            (i, j, k, 32 - i - j - k)
            for i in range(33)
            for j in range(33 - i)
            for k in range(33 - i - j)
        ]
    )
    tn, fp, fn, tp = cells.T.astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        balanced, ratio = (tp / (tp + fn) + tn / (tn + fp)) / 2, fn / (tp + fn) / (tn / (tn + fp))

        def tau(values, a, b):
            canonical = ((1 - a) * tn + a * tp) / ((1 - a) * tn + a * tp + (1 - b) * fp + b * fn)
            both = np.isfinite(values) & np.isfinite(canonical)
            return kendalltau(values[both].round(9), canonical[both].round(9)).statistic

        nearby = [(0.5 + x, 0.5 + y) for x in (-0.01, 0, 0.01) for y in (-0.01, 0, 0.01) if x or y]
        assert tau(balanced, 0.5, 0.5) == pytest.approx(0.726, abs=5e-4)
        assert max(tau(balanced, *at) for at in nearby) == pytest.approx(0.714, abs=5e-4)
        assert tau(ratio, 0.5, 0.5) < min(tau(ratio, *at) for at in nearby) - 0.005
        named = [(0.5, 0.5), (1, 0.5), (1, 0.2), (1, 0.8), (0, 0), (1, 1), (0, 1), (1, 0), (0, 0.5)]
        taus = [tau(balanced, *at) for at in named]
    row = br.audit("balanced_accuracy")
    assert row["tau_max_tied"].item() == pytest.approx(max(taus), abs=1e-6)
    assert row["tau_min_tied"].item() == pytest.approx(min(taus), abs=1e-6)


def test_the_place_of_a_score_that_needs_a_fixed_prevalence():
    assert br.place("cohen_kappa", 0.2) != br.place("cohen_kappa", 0.5)
    assert (
        br.place("positive_likelihood_ratio", 0.2)
        == br.place("positive_likelihood_ratio", 0.5)
        == (1, 0)
    )
    assert br.place("positive_likelihood_ratio") is br.place("cohen_kappa") is None


@pytest.mark.slow
def test_what_lies_between_the_points_of_the_lattices_is_not_found():
    def bump(tn, fp, fn, tp):
        return 2 * tp / (2 * tp + fp + fn) + 0.2 * (
            (abs(tn - 0.333) < 0.004) & (abs(tp - 0.217) < 0.004)
        )

    middle, ends = (
        (0.333, 0.35, 0.1, 0.217),
        [(0.333 + x, 0.35, 0.1, 0.217 - x) for x in (-0.01, 0.01)],
    )
    assert bump(*middle) > max(bump(*end) for end in ends)  # a mixture of both ends
    row = br.audit(bump)
    assert row["axiom_3_upper"]
    found = "may rank, as far as was found: on a lattice it orders as the ranking score at (a, b) = (1, 0.5)"
    assert row["verdict"].item().startswith(found)
    reverse = br.audit(lambda *cells: -bump(*cells))["verdict"].item()
    assert reverse.startswith(
        "may rank if lower is better, as far as was found: on a lattice it orders against"
    )
    assert (
        br.audit(br.scores.f1)["verdict"].item()
        == "may rank: it orders as the ranking score at (a, b) = (1, 0.5)"
    )
    order = br.audit(bump, order="predictive")
    assert order["verdict"].item().endswith("satisfies all three axioms, as far as was found")
    assert order["proof"].sel(test="axiom_3_upper").item().endswith("as far as was found")
    assert (
        br.audit("f1", 0.5, order="predictive")["verdict"]
        .item()
        .endswith("all three axioms at prevalence 0.5")
    )


@pytest.mark.parametrize(
    "prevalence",
    [pytest.param(0.1, marks=pytest.mark.slow), 0.2, pytest.param(0.3, marks=pytest.mark.slow)],
)
def test_a_jump_met_by_rounding_error_is_no_counterexample(prevalence):
    rounded = br.audit(
        lambda tn, fp, fn, tp: np.round(tp / (tp + fn), 1), prevalence
    )  # TPR 0.75 went up or down
    assert rounded["axiom_3_upper"].item()
    assert rounded["axiom_3_lower"].item()


def test_a_jump_at_the_edge_is_a_counterexample():
    # No false alarm, value 1; TPR 1 with false alarms, 0.3; their even mixture, 0.15.
    row = br.audit(lambda tn, fp, fn, tp: tp + (fp == 0), 0.3)
    assert row["axiom_3_upper"].item()
    assert not row["axiom_3_lower"].item()


@pytest.mark.parametrize(
    ("name", "scale"),
    [("mcc", 1e-15), pytest.param("balanced_accuracy", 1e15, marks=pytest.mark.slow)],
)
def test_the_scale_of_a_score_does_not_matter(name, scale):
    score = br.scores.get(name)
    scaled = as_score(lambda *cells: scale * score.of_cells(*cells))
    np.testing.assert_array_equal(*(counterexamples(one, 0.2) for one in (score, scaled)))
    taus = (audits._correlations(one, 0.2, exactly=False)[0] for one in (score, scaled))
    for (_, one), (_, other) in zip(*(found.values() for found in taus), strict=True):
        assert one == pytest.approx(other)


def test_averages_of_ranking_scores_may_not_rank():
    """The Tile, Section 3.2: the average of four probabilities, and the volume under the Tile."""
    for name in ("acp", "vut"):
        for prevalence in (None, 0.2):
            found = np.isnan(counterexamples(as_score(name), prevalence)[:, 0, 0])
            assert found.tolist() == [True, False, False]


def test_a_mixture_outside_the_domain_fails_both_sides():
    found = counterexamples(
        as_score(lambda tn, fp, fn, tp: np.where(np.abs(fp - fn) < 0.01, np.nan, tp)), None
    )
    for _, fp, fn, _ in found[1:, 2]:
        assert abs(fp - fn) < 0.01


def test_counterexamples_at_the_ends_of_the_domain():
    row = br.audit(precision(0.0))
    first, second = row["counterexample"].sel(test="axiom_2", role=["first", "second"])
    assert second.values.tolist() == [[1, 0], [0, 0]]  # all right, not one positive call
    assert row["counterexample_value"].sel(test="axiom_2", role="second") == 0
    assert first.sel(predicted="positive").sum() > 0


@pytest.mark.parametrize("name", ["macro_f1", "macro_ppv"])
def test_averages_over_classes_break_axiom_3(name):
    """Foundations, A.2.1: both counterexamples are checked from scratch."""
    score = br.scores.get(name)
    row = br.audit(name, classes=3)
    assert row["axiom_2"]
    assert not row["axiom_3_upper"]
    assert "tau_max" not in row
    assert "3 classes" in row["verdict"].item()
    for test, beats in (("axiom_3_upper", np.greater), ("axiom_3_lower", np.less)):
        example = row["counterexample"].sel(test=test, drop=True)
        if row[test]:
            assert np.isnan(example).all()
            continue
        parts, mixed = example.sel(role=["first", "second"]), example.sel(role="mixture", drop=True)
        xr.testing.assert_allclose(mixed, parts.mean("role"))
        assert beats(score.of_tables(mixed.values), score.of_tables(parts.values)).all()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["micro", "macro", "weighted"])
@pytest.mark.parametrize("name", ["accuracy", "f0_5", "f1", "f2", "npv", "ppv", "tnr", "tpr"])
def test_no_average_is_below_1_without_errors(name, how):
    shares = np.array([[0.2, 0.3, 0.5], [0.4, 0.6, 0.0], [1.0, 0.0, 0.0]])
    values = br.scores.average(name, how).of_tables(np.array([np.diag(share) for share in shares]))
    np.testing.assert_allclose(values[~np.isnan(values)], 1)
    assert not np.isnan(values[0])


def test_ranking_scores_of_more_classes_pass():
    # Accuracy is a ranking score of three classes, and micro F1 equals it.
    for score in ("accuracy", "micro_f1"):
        verdict = br.audit(score, classes=3)["verdict"].item()
        assert verdict == "may rank 3 classes, as far as was found: no counterexample to the axioms"
    assert br.audit("accuracy", classes=8)["axiom_3_upper"]
    matter = xr.DataArray([1.0, 2.0, 5.0], dims="actual", coords={"actual": list("abc")})
    row = br.audit(matter, classes=3)
    assert all(row[test] for test in audits.TESTS)
    assert row["actual"].values.tolist() == list("abc")


def test_a_fixed_prediction_rate_is_a_fixed_prevalence_with_truth_and_prediction_exchanged():
    row = br.audit("mcc", prediction_rate=0.2)
    other = br.audit("mcc", prevalence=0.2)  # the score is symmetric
    assert [bool(row[test]) for test in audits.TESTS] == [
        bool(other[test]) for test in audits.TESTS
    ]
    assert row["tau_max"].item() == other["tau_max"].item()
    assert row["tau_max_b"] == 1 - other["tau_max_b"]
    example = row["counterexample"].sel(test="axiom_3_upper", predicted="positive").sum("actual")
    assert example.values == pytest.approx(0.2)
    assert "prediction rate 0.2" in row["verdict"].item()


def passes(score, operations):
    """Whether axiom 3 holds, upper and lower."""
    return np.isnan(
        counterexamples(as_score(score), None, operations=operations)[1:, 0, 0]
    ).tolist()


def test_what_relabelling_and_shuffling_do():
    row = br.audit("accuracy", operations="relabel")
    example = row["counterexample"].sel(test="axiom_3_upper")
    first, image = example.sel(role="first").values, example.sel(role="mixture").values
    assert np.trace(image) > np.trace(first)
    assert image.sum(axis=1) == pytest.approx(first.sum(axis=1))
    assert "changed copy" in row["verdict"].item()
    row = br.audit("informedness", operations=["shuffle"], prevalence=0.5)
    first, image = (
        row["counterexample"].sel(test="axiom_3_lower", role=role).values
        for role in ("first", "mixture")
    )
    assert image.sum(axis=0) == pytest.approx(first.sum(axis=0))
    skill = br.scores.informedness.of_tables
    assert skill(image) == pytest.approx(skill(first) / 2)
    assert skill(first) > 0
    # A constant passes with all operations; what passes with mixtures alone may fail with more.
    assert passes(lambda tn, fp, fn, tp: 0 * tp, audits.OPERATIONS) == [True, True]
    assert not passes("f1", ["mix", "relabel"])[0]


NOISE = [[0.9, 0.1], [0.3, 0.7]]


def test_what_noise_does():
    # An informative channel takes informedness down by 1 - .1 - .3, to all alike: it is worse where it was positive.
    row = br.audit("informedness", operations=NOISE, prevalence=0.5)
    for test, sign in (("axiom_3_lower", 1), ("axiom_3_upper", -1)):
        example = row["counterexample"].sel(test=test)
        first, image = (example.sel(role=role).values for role in ("first", "mixture"))
        np.testing.assert_allclose(image, first @ NOISE, atol=1e-12)
        skill = br.scores.informedness.of_tables
        assert skill(image) == pytest.approx(0.6 * skill(first))
        assert sign * skill(first) > 0
    # Noise that relabels is relabelling; noise that keeps all labels is nothing; among others it is one more operation.
    assert not passes("f1", [np.array([[0, 1], [1, 0]])])[0]
    assert passes("f1", [np.eye(2)])[0]
    assert passes("f1", ["mix", np.eye(2)])[0]
    assert not br.audit("accuracy", operations=[np.full((3, 3), 1 / 3)], classes=3)["axiom_3_lower"]


@pytest.mark.parametrize(
    ("function", "prevalence", "tests", "verdict"),
    [
        (precision(np.nan), None, "VVV", "as the ranking score at (a, b) = (1, 0)"),
        # The faultless "never" below all others; the one that misses every case above all others.
        (precision(0.0), None, "XVV", "surely no more satisfying can score higher"),
        (precision(1.0), None, "XVV", "surely no more satisfying can score higher"),
        (f1(0.0), None, "XVV", "it may while the prevalence"),
        # With cases of both classes "never" is neither surely right nor surely wrong.
        (precision(0.0), 0.2, "VVV", "(1, 0); it also ranks performances outside"),
        (f1(1.0), None, "VVV", "(1, 0.5); it also ranks performances"),
        (f1(1.0), 0.2, "VVV", "ranking score at (a, b) = (1, 0.5)"),
        (
            "positive_likelihood_ratio",
            0.2,
            "VVV",
            "(1, 0); it leaves out some of that score's domain",
        ),
        ("false_discovery_rate", None, "XVV", "may rank if lower is better: it orders against"),
        (lambda tn, fp, fn, tp: over(fp, tp + fp, 0.0), None, "XVV", "should not rank"),
    ],
)
def test_what_is_said_of_0_over_0(function, prevalence, tests, verdict):
    """The axioms speak of the domain alone (F Theorem 1); a number for 0/0 makes it larger."""
    row = br.audit(function, prevalence)
    assert "".join("V" if row[test] else "X" for test in audits.TESTS) == tests
    assert verdict in row["verdict"].item()
    if "(a, b)" in verdict:
        assert row["verdict"].item().endswith(verdict)


@pytest.mark.parametrize("prevalence", [None, 0.2, 0.5])
def test_no_score_passes_a_relabelling_test(prevalence):
    for name in audits.TABLE_1:
        found = counterexamples(br.scores.get(name), prevalence, operations=("relabel",))
        constant = prevalence == 0.5 and as_score(name).name == "chance_agreement"
        assert np.isnan(found[1:]).all(axis=(1, 2)).tolist() == [constant, constant], name
    # What relabelling does not change passes; of one prevalence it ranks nothing.
    found = counterexamples(br.scores.prevalence, prevalence, operations=("relabel",))
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize(("score", "prevalence"), [
    ("log_negative_likelihood_ratio", 0.3),
    (lambda tn, fp, fn, tp: np.log((fp + fn) / (tp + tn)), None),
])  # fmt: skip
def test_a_score_that_is_infinite_where_all_is_right_may_rank_if_lower_is_better(score, prevalence):
    with np.errstate(divide="ignore"):
        row = br.audit(score, prevalence)
    assert (
        row["verdict"]
        .item()
        .startswith(f"may rank{'' if prevalence is None else ' at prevalence 0.3'} if lower")
    )


def test_a_score_that_may_rank_at_one_prevalence_only_is_not_said_to_be_fixable():
    odd = lambda tn, fp, fn, tp: tn + tp + (fn + tp - 0.5) ** 2 * (tp / (tp + fn)) ** 2  # noqa: E731
    assert br.place(odd, 0.5) is not None
    assert br.audit(odd)["verdict"].item().startswith("should not rank: ")


@pytest.mark.parametrize(("score", "prevalence", "parts"), [
    ("fowlkes_mallows", 0.99, ((0, 0.001), (1, 0.004))),
    pytest.param("gwet_ac1", 0.01, ((0.99, 0), (1, 0.99)), marks=pytest.mark.slow),
])  # fmt: skip
def test_a_pass_of_a_score_without_a_place_is_as_far_as_was_found(score, prevalence, parts):
    """Their counterexamples at extreme prevalences lie between the points of the lattice."""
    function = br.scores.get(score)
    first, second = (
        br.from_rates(fpr=[fpr], tpr=[tpr], prevalence=prevalence).isel(entity=0, drop=True)
        for fpr, tpr in parts
    )
    values = [
        function(table.expand_dims(entity=["x"])).item()
        for table in (first, second, (first + second) / 2)
    ]
    assert values[2] < min(values[:2])
    assert ", as far as was found" in br.audit(score, prevalence)["verdict"].item()
    assert (
        br.audit(score, prevalence, order="predictive")["verdict"]
        .item()
        .endswith(", as far as was found")
    )
    assert "as far" not in br.audit("f1", prevalence)["verdict"].item()


@pytest.mark.parametrize("prevalence", [0.02, pytest.param(0.98, marks=pytest.mark.slow)])
def test_the_extremes_are_found_where_a_class_is_rare(prevalence):
    row, points = br.audit("d_prime", prevalence), audits._correlation_points(prevalence)
    a, b = (0.9805, 0.98) if prevalence < 0.5 else (0.0195, 0.02)
    there = tau_b(
        br.scores.d_prime.of_cells(*points), audits._ranks(points, np.array([a]), np.array([b]))
    )
    assert row["tau_max"].item() >= there.item() > 0.92


@pytest.mark.slow
@pytest.mark.parametrize("score", [
    lambda *cells: np.exp(300 * br.scores.mcc.of_cells(*cells)),
    lambda tn, fp, fn, tp: tp / (tp + fn) / (fp / (fp + tn) + 1e-12),
    lambda *cells: 1 / (1 - br.scores.g_mean.of_cells(*cells) + 1e-12),
])  # fmt: skip
def test_huge_values_hide_no_counterexample(score):
    """The axioms do not change under a rising transform."""
    row = br.audit(score)
    assert not row["axiom_3_upper"]
    assert not row["axiom_3_lower"]


@pytest.mark.slow
def test_correlations_do_not_change_under_a_rising_transform():
    raised = br.audit(lambda *cells: np.exp(30 * br.scores.mcc.of_cells(*cells)))
    assert raised["tau_max"].item() == pytest.approx(br.audit("mcc")["tau_max"].item(), abs=1e-4)


def test_a_score_that_may_rank_at_one_prevalence_in_reverse_is_said_to():
    assert (
        "may while the prevalence is fixed, if lower"
        in br.audit("negative_likelihood_ratio")["verdict"].item()
    )
    assert "may while the prevalence is fixed)" in br.audit("informedness")["verdict"].item()


@pytest.mark.slow
def test_a_function_with_rare_faults_has_the_correlation_of_its_values():
    """Random performances miss the fault, lattices do not."""

    def faulty(tn, fp, fn, tp):
        inside = (fp > 0) & (tn > 0) & (fn > 0) & (tp > 0)
        return np.where(inside & (tn / (tn + fp) > 0.95) & (tp / (tp + fn) > 0.95), -1, tn + tp)

    assert br.place(faulty, 0.5) == (0.5, 0.5)
    row = br.audit(faulty, 0.5)
    assert row["verdict"].item().startswith("should not rank")
    assert row["tau_max"].item() < 0.995


def test_orders_of_a_score_in_small_units_are_audited():
    row = br.audit(lambda tn, fp, fn, tp: (tn + tp) / 1e8, order="predictive")
    assert (
        row["verdict"]
        .item()
        .startswith("the order of posteriors by predictive of score satisfies all three")
    )


@pytest.mark.parametrize("prevalence", [0.2, pytest.param(0.5, marks=pytest.mark.slow)])
def test_the_largest_float_in_place_of_infinity_hides_no_counterexample(prevalence):
    def filled(tn, fp, fn, tp):
        with np.errstate(divide="ignore"):
            return np.nan_to_num(np.log(tp / (tp + fn) / np.sqrt(fp / (fp + tn))))

    assert not br.audit(filled, prevalence)["axiom_3_lower"]


@pytest.mark.parametrize("function", [np.sqrt, pytest.param(np.log, marks=pytest.mark.slow)])
@pytest.mark.parametrize("prevalence", [0.1, 0.3])
def test_rounding_outside_of_a_domain_is_no_counterexample(function, prevalence):
    """Kappa may rank at one prevalence, so performances of kappa 0 have mixtures of kappa 0."""

    def rising(*cells):
        with np.errstate(all="ignore"):
            return function(br.scores.cohen_kappa.of_cells(*cells))

    assert (
        br.audit(rising, prevalence)["verdict"]
        .item()
        .startswith(f"may rank at prevalence {prevalence}")
    )


@pytest.mark.parametrize(("score", "prevalence", "place"), [
    ("cohen_kappa", 0.005, "(0.99997475, 0.5)"),
    ("balanced_accuracy", 1e-5, "(0.99999, 0.99999)"),
    ("f1", None, "(1, 0.5)"),
])  # fmt: skip
def test_a_place_near_1_is_not_written_as_1(score, prevalence, place):
    assert br.audit(score, prevalence)["verdict"].item().endswith(f"(a, b) = {place}")


@pytest.mark.slow
def test_a_function_that_fails_at_each_prevalence_is_not_said_to_be_fixable():
    def faulty(tn, fp, fn, tp):
        fpr, tpr = fp / (tn + fp), tp / (tp + fn)
        return np.where(
            (fpr > 0) & (fpr < 0.03) & (tpr > 0.97) & (tpr < 1), -1, (1 - fpr + tpr) / 2
        )

    assert all(br.place(faulty, share) is not None for share in (0.2, 0.5, 0.8))
    assert br.audit(faulty)["verdict"].item().startswith("should not rank: ")


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_orders_by_the_mean_do_not_depend_on_the_unit(scale):
    linear = br.audit(lambda tn, fp, fn, tp: scale * (tn + tp), 0.2, order="mean")
    curved = br.audit(lambda tn, fp, fn, tp: scale * 2 * tp / (2 * tp + fp + fn), order="mean")
    assert linear[["axiom_3_upper", "axiom_3_lower"]].to_array().all()
    assert not curved[["axiom_3_upper", "axiom_3_lower"]].to_array().any()


def test_orders_of_scores_with_extreme_importances_are_audited():
    assert br.audit(br.importance(tn=0, fp=0, fn=1e-7, tp=1), order="predictive")["axiom_1"]
    for weights in ({"fp": 1e10, "fn": 1}, {"fp": 1, "fn": 1 + 1e-9}):
        assert not br.audit(br.importance(tn=1, tp=1, **weights), order="mean")["axiom_3_lower"]


def test_a_function_of_accuracy_that_is_0_for_the_best_has_its_place():
    assert br.place(lambda tn, fp, fn, tp: np.log(tn + tp), 0.2) == (0.5, 0.5)


def covariance(tn, fp, fn, tp):
    return tp - (tp + fp) * (tp + fn)


def kappa(tn, fp, fn, tp):
    chance = (tn + fn) * (tn + fp) + (tp + fp) * (tp + fn)
    return (tn + tp - chance) / (1 - chance)


@pytest.mark.parametrize(
    ("function", "prevalence"),
    [
        (lambda *cells: np.sqrt(covariance(*cells)), 0.1),
        (lambda *cells: np.sqrt(kappa(*cells)), 0.1),
        (lambda *cells: np.where(kappa(*cells) < 0, np.nan, kappa(*cells)), 0.24264605840934694),
        (lambda *cells: (kappa(*cells) > 0) * 1.0, 1.1e-4),
    ],
)
def test_amplified_rounding_at_the_edge_of_a_domain_is_no_counterexample(function, prevalence):
    """Always negative and always positive are exactly 0; a mixture of them is 0 up to rounding."""
    assert np.isnan(counterexamples(as_score(function), prevalence)).all()


@pytest.mark.slow
def test_a_counterexample_that_rounding_removes_does_not_count():
    """A bonus for equal numbers of errors, which the place by exact arithmetic sees."""

    def bonus(tn, fp, fn, tp):
        right = tn + tp
        return right + right * (1 - right) / 2 * (fp == fn)

    assert br.place(bonus) is None
    assert br.audit(bonus)["verdict"].item() == (
        "may rank, as far as was found: no counterexample to the axioms, and no place on the Tile was found"
    )


def test_other_operations_are_asked_of_the_reverse_order_and_of_fixed_prevalences():
    assert (
        br.audit("accuracy", operations="relabel")["verdict"].item().startswith("should not rank: ")
    )
    for score, operation in (("error_rate", "relabel"), ("fpr", "shuffle")):
        assert (
            br.audit(score, 0.5, operations=operation)["verdict"]
            .item()
            .startswith("should not rank at")
        )
    noise = [[0.9, 0.1], [0.3, 0.7]]
    for score in ("f1", "accuracy", br.importance(tn=1, fp=1, fn=3, tp=1)):
        assert (
            br.audit(score, operations=noise)["verdict"]
            .item()
            .startswith("should not rank: a changed copy")
        )
    with pytest.raises(
        ValueError, match="order cannot be used with classes, operations or prediction_rate"
    ):
        br.audit("f1", order="predictive", operations=noise)


def test_a_known_place_at_a_prediction_rate_is_a_theorem():
    verdict = br.audit("markedness", prediction_rate=0.25)["verdict"].item()
    assert (
        verdict
        == "may rank at prediction rate 0.25: it orders as the ranking score at (a, b) = (0.75, 0.25)"
    )


def test_another_function_does_not_keep_the_importance():
    precision_as_f1 = replace(br.scores.f1, function=lambda tn, fp, fn, tp: tp / (tp + fp))
    assert precision_as_f1.importance is None
    assert (
        br.audit(precision_as_f1)["verdict"]
        .item()
        .startswith("may rank, as far as was found: it orders as")
    )
    assert replace(br.scores.f1, name="other").importance is not None


@pytest.mark.slow
def test_a_performance_that_rounding_moves_does_not_break_axiom_2():
    """A bonus for equal numbers of errors; and the odds of accuracy, infinite where all is right, as 1 - 1 is not 0."""
    assert br.audit(lambda tn, fp, fn, tp: tn + tp + 0.1 * (fp == fn))["axiom_2"]
    for prevalence in (0.1, 0.2, 0.42):
        assert br.audit(lambda tn, fp, fn, tp: (tn + tp) / (1 - tn - tp), prevalence)["axiom_2"]


def test_an_undefined_mixture_is_not_said_to_score_higher():
    row = br.audit(lambda tn, fp, fn, tp: np.where(np.abs(fp - fn) < 0.05, np.nan, tn + tp))
    assert (
        row["verdict"].item() == "should not rank: a mixture of parts with values can be undefined"
    )
    row = br.audit("ppv", 0.5, operations=[[1, 0], [1, 0]])  # nothing is called positive
    assert row["verdict"].item().endswith("a changed copy of parts with values can be undefined")


@pytest.mark.slow
def test_an_order_that_agrees_on_a_lattice_only_is_said_to():
    """Gwet's AC1 at prevalence 0.001, in fractions: always negative is behind in accuracy, and ahead in AC1."""
    verdict = br.audit("gwet_ac1", 0.001)["verdict"].item()
    assert verdict.startswith(
        "may rank at prevalence 0.001, as far as was found: on a lattice it orders as"
    )
    assert br.place("gwet_ac1", 0.001) is None

    def parts(fpr, tpr, share=Fraction(1, 1000)):
        right = share * tpr + (1 - share) * (1 - fpr)
        called = share * tpr + (1 - share) * fpr
        middle = (share + called) / 2
        chance = 2 * middle * (1 - middle)
        return right, (right - chance) / (1 - chance)

    never, other = parts(Fraction(0), Fraction(0)), parts(Fraction(1, 1000), Fraction(1))
    assert never[0] < other[0]
    assert never[1] > other[1]
    assert (
        "it orders as the ranking score at" in br.audit("cohen_kappa", 1e-4)["verdict"].item()
    )  # in exact arithmetic
    assert "at prevalence 0.9999999: it orders" in br.audit("accuracy", 0.9999999)["verdict"].item()


def test_rows_of_a_noise_matrix_sum_to_one_to_the_last_digit():
    row = br.audit("accuracy", operations=[[0.99999, 0], [0, 1]])  # changes nothing
    assert row["axiom_3_upper"]
    assert row["axiom_3_lower"]


@pytest.mark.parametrize(("score", "prevalence", "place"), [
    (lambda tn, fp, fn, tp: (tn + tp) ** 4, 0.001, (0.5, 0.5)),
    pytest.param(lambda tn, fp, fn, tp: (tn + tp) ** 6, 0.2, (0.5, 0.5), marks=pytest.mark.slow),
    pytest.param(lambda tn, fp, fn, tp: tn / (tn + 0.7 * fp + 0.3 * fn), None, (0, 0.3), marks=pytest.mark.slow),
    (lambda tn, fp, fn, tp: tn / (tn + 0.7 * fp + 0.3 * fn), 0.5, (0, 0.3)),
], ids=["power 4", "power 6", "edge", "edge at a prevalence"])  # fmt: skip
def test_the_verdict_names_the_place_that_was_found(score, prevalence, place):
    """Powers have values so different that rounding ties the small ones; rounding moves places off edges."""
    row = br.audit(score, prevalence)
    found = br.place(score, prevalence)
    assert found == pytest.approx(place, abs=1e-14)
    assert (
        row["verdict"]
        .item()
        .endswith(f"the ranking score at (a, b) = ({place[0]:g}, {place[1]:g})")
    )
    assert (row["tau_max_a"].item(), row["tau_max_b"].item()) == found
    assert row["tau_max"] > 0.99
    assert str(found[0]) == f"{place[0]:.1f}"


def test_a_verdict_says_which_direction_was_tested():
    said = [br.audit("error_rate", classes=n)["verdict"].item() for n in (2, 3)]
    assert said[0].startswith("may rank if lower is better")
    assert said[1].startswith("should not rank 3 classes, higher values counting as better: ")
    assert "counting" not in br.audit("balanced_accuracy")["verdict"].item()


def test_a_place_that_rounds_to_an_edge_is_next_to_it():
    """Its score of one true negative is not 0, as that of F1 is."""
    said = br.audit(br.importance(tn=1e-17, tp=1, fp=1, fn=1))["verdict"].item()
    assert "orders as the ranking score next to (a, b) = (1, 0.5)" in said
    near = br.audit(br.importance(tn=1, tp=1, fp=1e-20, fn=1), prediction_rate=0.3)[
        "verdict"
    ].item()
    assert "next to (a, b) = (0.5, 1)" in near


@pytest.mark.parametrize(("score", "prevalence"), [
    (lambda tn, fp, fn, tp: np.minimum(2 * tp / (2 * tp + fp + fn), 0.5), 0.01),
    pytest.param(lambda tn, fp, fn, tp: np.minimum(2 * tp / (2 * tp + fp + fn), 0.93), None, marks=pytest.mark.slow),
    (lambda tn, fp, fn, tp: np.maximum(tn + tp, 0.04), None),
], ids=["F1 up to 0.5", "F1 up to 0.93", "accuracy from 0.04"])  # fmt: skip
def test_equal_values_of_different_performances_are_no_rounding(score, prevalence):
    """A bounded function does not have the order of its score, though few random performances show it."""
    assert br.place(score, prevalence) is not None
    assert "no counterexample to the axioms" in br.audit(score, prevalence)["verdict"].item()


@pytest.mark.parametrize("prevalence", [pytest.param(1e-5, marks=pytest.mark.slow), 1e-8])
def test_a_loss_has_the_place_of_its_complement_at_rare_prevalences(prevalence):
    for score in ("error_rate", "jaccard_distance", "false_omission_rate", "false_discovery_rate"):
        said = br.audit(score, prevalence)["verdict"].item()
        assert said.startswith(
            f"may rank at prevalence {prevalence:.6g} if lower is better: it orders against"
        ), score
    assert br.place("false_omission_rate", prediction_rate=0.3) == br.place(
        "npv", prediction_rate=0.3
    )


def test_the_order_of_a_loss_names_its_direction():
    said = br.audit("error_rate", order="predictive")["verdict"].item()
    assert said.startswith(
        "the order of posteriors by predictive of error_rate, higher values counting as better, br"
    )


@pytest.mark.parametrize(
    "b", [0.8, pytest.param(0.7, marks=pytest.mark.slow)]
)  # F2 lies at the first one
def test_equivalent_losses_have_one_verdict(b):
    def loss(tn, fp, fn, tp):
        return 1 - tp / (tp + (1 - b) * fp + b * fn)

    wanted = f"if lower is better, as far as was found: it orders against the ranking score at (a, b) = (1, {b})"
    assert br.audit(loss)["verdict"].item() == f"may rank {wanted}"
    assert (
        br.audit(lambda tn, fp, fn, tp: fp + 2 * fn)["verdict"]
        .item()
        .startswith(
            "should not rank (it may while the prevalence is fixed, if lower is better, as far as was found)"
        )
    )


def test_a_loss_without_a_place_has_the_verdict_of_its_complement():
    def gain(tn, fp, fn, tp):
        return np.minimum(tp / (tp + 0.3 * fp + 0.7 * fn), 0.9)

    nothing = (
        "as far as was found: no counterexample to the axioms, and no place on the Tile was found"
    )
    assert br.audit(gain)["verdict"].item() == f"may rank, {nothing}"
    row = br.audit(lambda *cells: 1 - gain(*cells))
    assert row["verdict"].item() == f"may rank if lower is better, {nothing}"
    assert not row["axiom_2"]  # higher values count as better there


def test_many_classes_are_searched_where_one_has_no_cases():
    with pytest.raises(
        ValueError, match="defined for some performances in which a class has no cases"
    ):
        br.audit("balanced_accuracy", classes=4)
