"""Tests without a gold standard: published maxima, gradients, exact weights, calibration, and identification."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, logit

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank._core.source import groups_of
from bayesrank.models import latent_class
from bayesrank.models.latent_class import LatentClass
from bayesrank.models.parts import latent_classes
from bayesrank.models.parts.latent_classes import LatentClasses, pair_table
from bayesrank.report import sections

TUBERCULOSIS, HEARTS, TEETH = (
    br.datasets.load(name) for name in ("tuberculosis_tests", "myocardial_indicators", "dentists")
)


def simulate(prevalence, se, sp, size, seed=1):
    """Draw joint outcomes of tests a, b, ... that are independent within a class, without truths."""
    rng = np.random.default_rng(seed)
    truth = [rng.random(size) < p for p in prevalence]
    rows = [
        np.where(t[:, None], rng.random((size, len(se))) < se, rng.random((size, len(sp))) > sp)
        for t in truth
    ]
    frame = pd.DataFrame(np.concatenate(rows).astype(int), columns=list("abcdefgh"[: len(se)]))
    return frame, np.concatenate(truth).astype(int), np.repeat(np.arange(len(prevalence)), size)


def evidence(prevalence, se, sp, size, seed=1):
    frame, _, population = simulate(prevalence, se, sp, size, seed)
    return br.joint_outcomes(
        None, frame, population=population if len(prevalence) > 1 else None, labels=[0, 1]
    )


def estimates(joint, **options):
    return LatentClass(joint, **options).observed()["observed_data"]


# --- Published answers ------------------------------------------------------------------------------------------------


def test_the_maximum_of_hui_and_walter():
    """Hui and Walter (1980), table 2."""
    found = estimates(TUBERCULOSIS).sel(dependence="none")
    assert found["prevalence_estimate"].values == pytest.approx([0.0268, 0.7168], abs=1e-3)
    assert 1 - found["sensitivity_estimate"].sel(
        entity=["mantoux", "tine"]
    ).values == pytest.approx([0.0339, 0.0312], abs=1e-3)
    assert 1 - found["specificity_estimate"].values == pytest.approx([0.0067, 0.0159], abs=1e-3)
    assert found["g2"].item() == pytest.approx(0, abs=1e-6)
    assert found["freedom"].item() == 0


def test_the_maximum_of_myocardial_infarction():
    found = estimates(HEARTS).sel(dependence="none")
    assert found["prevalence_estimate"].item() == pytest.approx(0.4578, abs=1e-3)
    assert (round(found["g2"].item(), 2), found["freedom"].item()) == (4.29, 6)
    assert found["sensitivity_estimate"].values == pytest.approx([0.767, 0.791, 0.828, 1], abs=1e-3)
    assert found["specificity_estimate"].values == pytest.approx([1, 0.805, 0.973, 0.804], abs=1e-3)


@pytest.mark.slow
def test_dentists_under_three_kinds_of_dependence():
    found = estimates(TEETH)
    assert found["dependence"].values.tolist() == ["none", "common", "by_class"]
    assert found["freedom"].values.tolist() == [20, 19, 18]
    assert found["g2"].values[:2] == pytest.approx([129.85, 44.64], abs=0.01)
    assert found["prevalence_estimate"].values[:2, 0] == pytest.approx([0.196, 0.179], abs=1e-3)
    # The published maximum by class is a local one: it is reached from that of the common effect.
    common = LatentClass(TEETH, dependence="common")
    cells = replace(common.cells, dependence="by_class")
    theta, log = cells.climb(np.append(common.fits["common"][0], common.fits["common"][0][-1]))
    assert cells.fit_statistics(log) == (pytest.approx(42.74, abs=0.01), 18)
    assert expit(theta[0]) == pytest.approx(0.111, abs=1e-3)
    assert found["g2"].values[2] < 42.5  # with a sensitivity of 1


# --- The likelihood ---------------------------------------------------------------------------------------------------

KINDS = [
    ("none", None),
    ("pairs", [("V1", "V3"), ("V2", "V5")]),
    ("common", None),
    ("by_class", None),
]


@pytest.mark.parametrize(("kind", "pairs"), KINDS)
def test_gradients_and_probabilities(kind, pairs):
    """The gradient is that of differences; probabilities of all cells sum to 1; swapped classes have the same one."""
    cells = LatentClass(TEETH, dependence=kind, pairs=pairs).cells
    # Some truths are known.
    cells = replace(
        cells,
        truth=np.where(np.arange(len(cells.truth)) % 5 == 0, np.arange(len(cells.truth)) % 2, -1),
    )
    theta = np.random.default_rng(2).normal(0, 1.2, (3, cells.size))
    slope = cells.value_and_slope(theta)[1]
    step = 1e-5 * np.eye(cells.size)
    numeric = np.stack(
        [(cells.value(theta + each) - cells.value(theta - each)) / 2e-5 for each in step], axis=1
    )
    np.testing.assert_allclose(slope, numeric, atol=1e-7 * np.abs(numeric).max())
    # Expected cases are all cases, and the expected score is 0.
    for each in theta:
        _, number = cells.expected(each)
        assert number.sum() == pytest.approx(cells.count.sum())
        np.testing.assert_allclose(
            np.sqrt(number) @ cells.information_root(each), 0, atol=1e-5 * cells.count.sum()
        )
    unknown = replace(cells, truth=np.full(32, -1))
    swapped = np.stack([unknown.swap(each) for each in theta])
    np.testing.assert_allclose(unknown.value(swapped), unknown.value(theta))


def test_a_random_effect_keeps_the_margins():
    """Sensitivity and specificity are those of all cases of a class: Φ(a / √(1 + b²))."""
    cells = replace(LatentClass(TEETH, dependence="by_class").cells, nodes=61)
    theta = np.random.default_rng(3).normal(0, 1, (2, cells.size))
    alone = theta.copy()
    alone[:, 0] = 16.0  # nearly all cases are positive
    for each in alone:
        possible, number = cells.expected(each)
        share = number @ possible.verdict / number.sum()
        np.testing.assert_allclose(share, expit(each[1:6]), atol=1e-6)


def test_the_most_central_test_has_the_largest_correlations():
    """The best test is rarely positive, so that it varies least."""
    cells = LatentClass(evidence([0.2], [0.9, 0.8, 0.6], [0.99, 0.7, 0.9], 2000)).cells
    verdicts = np.repeat(cells.verdict, cells.count.astype(int), axis=0)
    assert np.abs(np.corrcoef(verdicts.T)).sum(axis=1).argmax() == 0
    assert verdicts.var(axis=0).argmin() == 0
    assert cells.most_central(list("abc")) == 0


@pytest.mark.parametrize("kind", ["none", "by_class"])
def test_the_prior_is_a_product_of_beta_and_normal_densities(kind):
    prior = LatentClass(TEETH, dependence=kind).prior
    theta = np.random.default_rng(4).normal(0, 1.2, (3, prior.cells.size))
    x, effect = np.split(theta, [prior.cells.rates], axis=1)
    of_rates = stats.beta.logpdf(expit(x), *prior.shapes.T) + np.log(expit(x) * expit(-x))
    of_effects = stats.norm.logpdf(effect, scale=prior.scale)
    np.testing.assert_allclose(
        prior.density(theta)[0], of_rates.sum(axis=1) + of_effects.sum(axis=1)
    )


def test_pairs_have_their_margins_and_odds_ratio():
    one, other, odds = (
        np.array([0.9, 0.3, 0.5]),
        np.array([0.6, 0.2, 0.5]),
        np.array([1.2, -3.0, 0.0]),
    )
    table = pair_table(one, other, odds)
    np.testing.assert_allclose(table[:, 2:].sum(axis=1), one)
    np.testing.assert_allclose(table[:, [1, 3]].sum(axis=1), other)
    np.testing.assert_allclose(
        np.log(table[:, 0] * table[:, 3] / table[:, 1] / table[:, 2]), odds, atol=1e-9
    )


def at_rates(cells, *rates):
    p = np.concatenate([np.atleast_1d(each) for each in rates])[None]
    return cells.identify(np.log(p / (1 - p)))


def test_singular_values_of_two_populations():
    """Prevalences of 0.30 and 0.33 hardly identify, those of 0.05 and 0.5 do; equal ones identify 4 of 6."""
    cells = LatentClass(TUBERCULOSIS).cells
    found = {
        each: at_rates(cells, each, [0.9, 0.8, 0.95, 0.9])[:2]
        for each in ((0.30, 0.33), (0.05, 0.5), (0.3, 0.3))
    }
    assert [rank for rank, _ in found.values()] == [6, 6, 4]
    assert [smallest for _, smallest in found.values()] == pytest.approx(
        [0.0418, 0.6672, 0], abs=1e-4
    )
    # Derivatives of plain probabilities by rates have smaller ones: 0.024 and 0.34.
    for shares, expected in (((0.30, 0.33), 0.024), ((0.05, 0.5), 0.34)):
        rates = np.array([*shares, 0.9, 0.8, 0.95, 0.9])
        every, _ = cells.expected(logit(rates))
        step = 1e-6 * np.eye(6)
        ends = (every.cells(logit(rates + sign * step)) for sign in (1, -1))
        jacobian = np.subtract(*ends).T / 2e-6
        assert np.linalg.svd(jacobian, compute_uv=False)[-1] == pytest.approx(expected, rel=0.02)
    three = LatentClass(evidence([0.3], [0.9, 0.8, 0.7], [0.9, 0.8, 0.7], 50)).cells
    assert at_rates(three, 0.3, [0.9, 0.8, 0.5, 0.95, 0.9, 0.5])[0] == 5


@pytest.mark.parametrize(
    ("tests", "shares", "expected"),
    [(2, [0.3], 3), (3, [0.3], 7), (10, [0.3], 21), (50, [0.3], 101), (2, [0.1, 0.6], 6), (2, [0.3, 0.3], 4),
     (50, [0.3, 0.3], 102)],
)  # fmt: skip
def test_what_cases_identify_with_few_and_many_tests(tests, shares, expected):
    """Two tests need populations that differ in prevalence; with 50 tests, patterns have probabilities of 1e-10."""
    rates = np.r_[np.linspace(0.95, 0.7, tests), np.linspace(0.9, 0.999, tests)]
    verdict = np.random.default_rng(1).integers(0, 2, (60, tests))
    population = np.arange(60) % len(shares)
    cells = LatentClasses(verdict, population, np.full(60, -1), np.ones(60), len(shares), "none")
    assert at_rates(cells, shares, rates)[0] == expected


@pytest.mark.parametrize(
    "kind",
    [
        "none",
        "pairs",
        pytest.param("common", marks=pytest.mark.slow),
        pytest.param("by_class", marks=pytest.mark.slow),
    ],
)
def test_drawn_patterns_have_the_information_of_all(kind, monkeypatch):
    """Standard errors from drawn patterns, as with many tests, are those from all 32 patterns, within their error."""
    cells = LatentClass(
        TEETH, dependence=kind, pairs=[("V1", "V3")] if kind == "pairs" else None
    ).cells
    cells = replace(cells, truth=np.where(np.arange(32) % 5 == 0, np.arange(32) % 2, -1))
    theta = np.append(
        np.array([-0.5, 1, 2, 0.5, 1, 1.5, 2, 1, 0.5, 2, 1]), np.full(cells.effects, 0.9)
    )[None]
    exact = cells.identify(theta)
    for name, number in (("ALL_PATTERNS", 1), ("LEAST_DRAWN", 40_000)):
        monkeypatch.setattr(latent_classes, name, number)
    drawn = cells.identify(theta)
    assert drawn[0] == exact[0] == cells.size
    np.testing.assert_allclose(drawn[2], exact[2], rtol=0.05)
    assert drawn[1] == pytest.approx(exact[1], rel=0.05)


# --- Draws ------------------------------------------------------------------------------------------------------------


OTHERS = [("pairs", (1,)), ("none", (2,)), ("by_class", (1,))]


def weigh(model, number=400_000):
    """Return draws of the prior and their weights, which are exact for few cases."""
    rng = np.random.default_rng(5)
    theta = model.prior.draw(number, rng)
    log = np.concatenate([model.cells.value(part) for part in np.array_split(theta, 40)])
    weight = np.exp(log - log.max())
    return theta, weight / weight.sum()


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [("none", (1,)), *(pytest.param(*each, marks=pytest.mark.slow) for each in OTHERS)],
)
def test_draws_agree_with_weighted_draws_of_the_prior(kind, sizes):
    """Also where parameters are not identified, so that the posterior is a curved ridge."""
    tests = 3 if kind == "by_class" else 2
    joint = evidence([0.4, 0.1][: sizes[0]], [0.9, 0.7, 0.8][:tests], [0.8, 0.9, 0.7][:tests], 30)
    model = LatentClass(joint, dependence=kind)
    theta, weight = weigh(model)
    effective = 1 / np.square(weight).sum()
    assert effective > 300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        groups = groups_of(br.fit(joint, "latent_class", dependence=kind, seed=1))
    drawn = model._parameters(groups["posterior"])
    error = np.sqrt(1 / effective + 1 / groups["sample_stats"].attrs["ess_bulk"])
    p, q = expit(theta[:, : model.cells.rates]), expit(drawn[:, : model.cells.rates])
    mean = weight @ p
    sd = np.sqrt(weight @ np.square(p - mean))
    assert (np.abs(q.mean(axis=0) - mean) / sd).max() < 4.5 * error
    assert np.abs(np.log(q.std(axis=0) / sd)).max() < 4.5 * error


@pytest.mark.parametrize(
    ("joint", "kind"),
    [
        (HEARTS, "none"),
        (evidence([0.4], [0.9, 0.7], [0.8, 0.9], 30), "none"),  # a ridge
        pytest.param(
            evidence([0.4], [0.9, 0.7, 0.8], [0.8, 0.9, 0.7], 30),
            "by_class",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_draws_from_a_reference_agree_with_draws_from_the_prior(joint, kind, monkeypatch):
    """With many tests, draws start near maxima of the posterior: the posterior is the same."""
    moments = []
    for least in (10, 1):
        monkeypatch.setattr(latent_class, "ALL_PATTERNS", least)
        model = LatentClass(joint, dependence=kind)
        groups = model.sample_chains((2, 1000), br._core.random.root_sequence(1))
        drawn = expit(model._parameters(groups["posterior"])[:, : model.cells.rates])
        moments.append(
            (drawn.mean(axis=0), drawn.std(axis=0), groups["sample_stats"].attrs["ess_bulk"])
        )
    (one, spread, first), (other, wide, second) = moments
    error = np.sqrt(1 / first + 1 / second)
    assert (np.abs(one - other) / spread).max() < 4.5 * error
    assert np.abs(np.log(wide / spread)).max() < 4.5 * error


def test_a_reference_is_a_density_with_the_gradient_of_its_ratio():
    model = LatentClass(HEARTS, dependence="common")
    reference = latent_classes.Reference.of(model.prior)
    theta = reference.draw(3, np.random.default_rng(1))
    for function in (reference.value_and_slope, reference.ratio):
        step = 1e-5 * np.eye(theta.shape[1])
        numeric = np.stack(
            [(function(theta + each)[0] - function(theta - each)[0]) / 2e-5 for each in step],
            axis=1,
        )
        np.testing.assert_allclose(function(theta)[1], numeric, atol=1e-6 * np.abs(numeric).max())


@pytest.mark.parametrize("kind", ["none", pytest.param("common", marks=pytest.mark.slow)])
def test_many_tests_settle_with_few_draws(kind, monkeypatch):
    """With 30 tests the classes of cases are nearly known, and so are the rates."""
    monkeypatch.setattr(LatentClass, "fits", {})  # the slow part, and no part of the draws
    rng = np.random.default_rng(1)
    truth = rng.random(200) < 0.4
    tests = 30 if kind == "none" else 20
    rates = rng.uniform(0.7, 0.97, (2, tests))
    verdict = np.where(
        rng.random((200, tests)) < np.where(truth[:, None], rates[1], 1 - rates[0]), 1, 0
    )
    joint = br.joint_outcomes(
        None, pd.DataFrame(verdict, columns=[f"t{i:02}" for i in range(tests)])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LatentClass(joint, dependence=kind)
        groups = model.sample_chains((2, 100), br._core.random.root_sequence(1))
    assert groups["sample_stats"].attrs["rhat"] < 1.1
    counts = [np.where(truth[:, None], verdict, 0).sum(axis=0), truth.sum()]
    known = (counts[0] + 1) / (counts[1] + 2)
    error = np.sqrt(known * (1 - known) / (counts[1] + 3))
    found = groups["posterior"]["sensitivity"].mean(("chain", "draw")).values
    assert (np.abs(found - known) / error).max() < (0.5 if kind == "none" else 2)


@pytest.mark.slow
def test_intervals_are_calibrated_where_parameters_are_identified():
    """Simulation-based: ranks of parameters drawn from the prior among posterior draws are uniform."""
    rng = np.random.default_rng(7)
    model = LatentClass(evidence([0.2, 0.6], [0.9, 0.8], [0.9, 0.8], 5), anchor="a")
    below = []
    for turn in range(40):
        [theta] = model.prior.draw(1, rng)
        p = expit(theta)
        joint = evidence(p[:2], p[2:4], p[4:6], 60, seed=100 + turn)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = LatentClass(joint, anchor="a")
            drawn = found._parameters(
                found.sample_chains((1, 100), br._core.random.root_sequence(turn))["posterior"]
            )
        below.append((drawn < theta).mean(axis=0))
    shares = np.array(below)
    # The mean of 40 uniform numbers, and their spread, each within 4 standard errors.
    assert np.abs(shares.mean(axis=0) - 0.5).max() < 4 / np.sqrt(12 * 40)
    assert np.abs(shares.var(axis=0) - 1 / 12).max() < 4 * np.sqrt(1 / 180 / 40)


# --- What is claimed --------------------------------------------------------------------------------------------------


def rank(joint, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = br.fit(joint, "latent_class", seed=1, draws=500, **options)
    return posterior, br.credible_ranking(posterior, "informedness")


@cache
def rank_teeth():
    return rank(TEETH)


@pytest.mark.slow
def test_two_tests_in_one_population_have_no_headline():
    joint = evidence([0.3], [0.95, 0.6], [0.95, 0.8], 2000)
    posterior, ranking = rank(joint)
    about = groups_of(posterior)["posterior"].attrs
    assert (about["jacobian_rank"], len(about["parameters"])) == (3, 5)
    assert ranking.attrs["headline"] == "none"
    assert ranking.attrs["caps"][0] == "not_identified"
    assert (ranking["rank_upper"] == 2).all()
    assert br.verdict(ranking) == [
        "No ranking: the cases identify 3 of 5 parameters without a gold standard.",
        "A third test, a second population of another prevalence, or ten verified cases of each class would identify "
        "the others.",
    ]
    # As wide as the cells allow: with one test perfect, the other's errors are the disagreements, and conversely.
    se = groups_of(posterior)["posterior"]["sensitivity"].sel(entity="a")
    assert float(se.quantile(0.975) - se.quantile(0.025)) > 0.2
    more = evidence([0.3], [0.95, 0.6], [0.95, 0.8], 200_000)
    wide = groups_of(rank(more)[0])["posterior"]["sensitivity"].sel(entity="a")
    assert float(wide.std() / se.std()) > 0.7  # a hundred times as many cases do not help


@pytest.mark.parametrize(
    ("what", "joint", "options", "rank_of", "headlines"),
    [
        ("third test", evidence([0.3], [0.95, 0.6, 0.8], [0.95, 0.8, 0.9], 2000), {}, 7, {"leads"}),
        (
            "fourth test",
            evidence([0.3], [0.95, 0.6, 0.8, 0.8], [0.95, 0.8, 0.9, 0.9], 3000),
            {},
            9,
            {"best"},
        ),
        (
            "second population",
            evidence([0.1, 0.6], [0.95, 0.6], [0.95, 0.8], 1000),
            {},
            6,
            {"leads"},
        ),
        (
            "equal prevalences",
            evidence([0.3, 0.3], [0.95, 0.6], [0.95, 0.8], 1000),
            {},
            6,
            {"none"},
        ),
        ("useless test", evidence([0.3], [0.9, 0.8, 0.5], [0.9, 0.8, 0.5], 1000), {}, 7, {"none"}),
        pytest.param(
            "dependence",
            evidence([0.3], [0.9, 0.8, 0.7], [0.9, 0.8, 0.7], 500),
            {"dependence": "common"},
            7,
            {"none"},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_identifies(what, joint, options, rank_of, headlines):
    posterior, ranking = rank(joint, **options)
    assert groups_of(posterior)["posterior"].attrs["jacobian_rank"] == rank_of
    assert ranking.attrs["headline"] in headlines
    # Without a free cell, the dependence cannot be checked.
    unchecked = {"third test", "second population", "equal prevalences", "useless test"}
    assert ("latent_fit_unchecked" in ranking.attrs["caps"]) == (what in unchecked)


def test_known_truths_identify_and_enter_the_likelihood():
    frame, truth, _ = simulate([0.4], [0.95, 0.6], [0.95, 0.8], 1500)
    known = np.where(np.arange(1500) < 300, truth, -1)
    part = br.joint_outcomes([None if t < 0 else t for t in known.tolist()], frame)
    posterior, ranking = rank(part)
    assert groups_of(posterior)["posterior"].attrs["jacobian_rank"] == 5
    assert ranking.attrs["headline"] != "none"
    # With all truths known, the maximum is the observed table.
    whole = br.joint_outcomes(truth, frame)
    np.testing.assert_allclose(
        estimates(whole)["sensitivity_estimate"].sel(dependence="none"),
        br.scores.tpr(br.from_predictions(truth, frame)), atol=1e-5,
    )  # fmt: skip


def test_verified_cases_name_the_classes_against_the_tests():
    """Tests that are worse than chance stay so: 100 known truths outweigh the agreement of the tests."""
    frame, truth, _ = simulate([0.4], [0.2, 0.25, 0.15], [0.2, 0.1, 0.3], 1500)
    known = np.where(np.arange(1500) < 100, truth, -1)
    part = br.joint_outcomes([None if t < 0 else t for t in known.tolist()], frame)
    posterior, ranking = rank(part)
    held = groups_of(posterior)["posterior"]
    for name, rates in (("sensitivity", [0.2, 0.25, 0.15]), ("specificity", [0.2, 0.1, 0.3])):
        np.testing.assert_allclose(held[name].mean(("chain", "draw")), rates, atol=0.06)
    assert float(held["prevalence_of"].mean()) == pytest.approx(0.4, abs=0.05)
    assert "these cases define the positive class" in " ".join(br.notes(ranking))
    assert (estimates(part)["sensitivity_estimate"] < 0.4).all()
    # Labels of all cases as a joint likelihood: the maximum is the observed table, however bad the tests.
    whole = br.joint_outcomes(truth, frame)
    np.testing.assert_allclose(
        estimates(whole)["specificity_estimate"].sel(dependence="none"),
        br.scores.tnr(br.from_predictions(truth, frame)), atol=1e-5,
    )  # fmt: skip


def test_a_dependence_that_contains_another_fits_no_worse():
    """For these biopsies, random starts found G² 2.41 by class, and 2.00 for a common effect."""
    cases = br.datasets.load_cases("breast_cancer")
    g2 = estimates(br.joint_outcomes(None, cases[["logreg", "rf", "knn5", "tree"]]))["g2"]
    assert (g2.diff("dependence") < 1e-6).all()


def test_dependence_that_contradicts_the_data_caps_the_headline():
    ranking = rank_teeth()[1]
    assert "latent_fit_poor" in ranking.attrs["caps"]
    assert ranking.attrs["headline"] == "leads"
    codes = [note.code for note in notes_of(ranking.attrs["notes"])]
    assert {"latent_dependences", "latent_identified", "latent_class_named"} <= set(codes)


@pytest.mark.slow
def test_another_first_test_under_a_dependence_that_fits_caps_the_headline():
    """At the maxima V2 is first by informedness under independence, V3 under effects; V3 is first by F1 under all."""
    posterior = rank_teeth()[0]
    firsts = {}
    for score in ("informedness", "f1"):
        ranking = br.credible_ranking(posterior, score)
        found = [
            note.fields
            for note in notes_of(ranking.attrs["notes"])
            if note.code == "latent_first_depends"
        ]
        assert ("latent_first_depends" in ranking.attrs["caps"]) == bool(found)
        firsts[score] = [fields["rows"] for fields in found]
    assert firsts == {
        "informedness": [[["none", ["V2"]], ["common", ["V3"]], ["by_class", ["V3"]]]],
        "f1": [],
    }
    # Where independence is the dependence that fits best, others have no say.
    good = evidence([0.3], [0.9, 0.8, 0.75, 0.7], [0.9, 0.85, 0.8, 0.75], 20_000)
    assert "latent_first_depends" not in rank(good)[1].attrs["caps"]


def test_the_report_has_identification_and_each_dependence(monkeypatch):
    monkeypatch.setattr(sections.find("latent"), "SEEN", 10)
    page = br.ranking_report(rank_teeth()[0], "informedness", sections=["latent"])
    assert all(
        f'<td class="span">{text}</td>' in page
        for text in ("129.85", "44.64", "42.46", "0.196", "0.179")
    )
    assert "All 11 parameters are identified" in page
    assert "depends on the dependence" in page
    two = br.ranking_report(
        rank(evidence([0.3], [0.95, 0.6], [0.95, 0.8], 500))[0], "f1", sections=["latent"]
    )
    assert "would identify the others" in two
    assert "the prior decides between them, however small" in two
    assert "Show all 11" in page


def test_names_and_order_do_not_matter():
    frame = br.datasets.load_cases("myocardial_indicators")
    tests = frame.drop(columns="count")
    joint = br.joint_outcomes(
        None, tests[tests.columns[::-1]].iloc[::-1], count=frame["count"].iloc[::-1]
    )
    words = br.joint_outcomes(
        None, tests.replace({0: "neg", 1: "pos"}), count=frame["count"], labels=["neg", "pos"]
    )
    # Equal to the last bit, so few draws show it; they need not have converged.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = [br.fit(each, "latent_class", seed=1, draws=20) for each in (HEARTS, joint, words)]
    one, other, named = (groups_of(each)["posterior"]["sensitivity"] for each in fits)
    np.testing.assert_array_equal(one, other.sel(entity=one["entity"].values))
    np.testing.assert_array_equal(named, one)


def test_the_anchor_names_the_classes():
    """A test that is worse than chance does not turn the classes; as the anchor it does."""
    joint = evidence([0.3], [0.9, 0.8, 0.85, 0.1], [0.9, 0.8, 0.85, 0.2], 1500)
    normal, turned = (
        rank(joint, anchor=name)[0]["posterior"]["prevalence_of"].mean() for name in "ad"
    )
    assert float(normal) == pytest.approx(0.3, abs=0.06)
    assert float(normal + turned) == pytest.approx(1, abs=0.02)


def test_priors_by_name():
    options = {
        "priors": {"sensitivity": {"mantoux": (90, 10)}, "prevalence": (1, 3), "dependence": 0.5}
    }
    model = LatentClass(TUBERCULOSIS, **options)
    shapes = model.prior.shapes
    assert shapes.tolist() == [[1, 3], [1, 3], [90, 10], [1, 1], [1, 1], [1, 1]]
    constant = model.observed()["constant_data"]
    assert constant["prior_concentration"].sel(entity="mantoux").values.tolist() == [
        [1, 1],
        [10, 90],
    ]
    drawn = groups_of(
        br.fit(TUBERCULOSIS, draws=2000, chains=1, seed=1, groups=["prior"], **options)
    )["prior"]
    assert float(drawn["sensitivity"].sel(entity="mantoux").mean()) == pytest.approx(0.9, abs=0.01)
    # The anchor is informative in all draws.
    ahead = drawn["sensitivity"] + drawn["specificity"] > 1
    assert ahead.sel(entity=model.settings["anchor"]).all()


@pytest.mark.slow
def test_sensitivity_to_dependence_and_priors():
    found = br.sensitivity(
        HEARTS, "informedness", draws=20, seed=1, priors={"sure": {"specificity": (40, 1)}}
    )
    assert found["alternative"].values.tolist() == [
        "base", "dependence common", "dependence by_class", "prior at half its weight", "prior at twice its weight",
        "prior sure",
    ]  # fmt: skip
    assert found["kind"].values.tolist() == ["base", "model", "model", "prior", "prior", "prior"]
    assert found["median"].notnull().all()
    with pytest.raises(br.ArgumentError, match="must be a mapping from name to priors"):
        br.sensitivity(HEARTS, "informedness", priors=["uniform"])


def test_the_picture_has_each_dependence_and_hollow_marks_where_nothing_is_learned():
    joint = evidence([0.3], [0.95, 0.6], [0.95, 0.8], 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = {
            kind: br.fit(joint, dependence=kind, seed=1, draws=60, chains=2)
            for kind in ("none", "pairs")
        }
    shown = []
    for ax, rate in zip(br.plots.latent_rates(fits), ("sensitivity", "specificity"), strict=True):
        for marks, fit in zip(ax.collections[1::2], fits.values(), strict=True):
            held = groups_of(fit)["posterior"]
            np.testing.assert_allclose(
                marks.get_offsets()[:, 0], held[rate].median(("chain", "draw"))
            )
            hollow = (marks.get_facecolors() != marks.get_edgecolors()).any(axis=1)
            of = dict(zip(held.attrs["parameters"], held.attrs["contraction"], strict=True))
            assert hollow.tolist() == [of[f"{rate} of {test}"] < 0.25 for test in "ab"]
            shown += hollow.tolist()
    assert any(shown)
    with pytest.raises(br.ArgumentError, match="must be a mapping"):
        br.plots.latent_rates(list(fits))
    with pytest.raises(
        br.ArgumentError, match="must contain posteriors of tests without a gold standard"
    ):
        br.plots.latent_rates({"none": br.fit(br.datasets.load("breast_cancer"), seed=1, draws=20)})


ONE = {"a": [0, 1, 1, 0]}
TWO = ONE | {"b": [0, 1, 0, 0]}


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: LatentClass(br.joint_outcomes(None, ONE)), "must have at least two tests"),
        (lambda: LatentClass(br.joint_outcomes(None, {"a": [0, 1, 2], "b": [0, 1, 1]})), "must have two classes"),
        (lambda: LatentClass(br.joint_outcomes(None, TWO, dataset=list("xxyy"))), "dataset cannot be used.*popul"),
        (lambda: LatentClass(br.joint_outcomes(None, TWO, cluster=list("xxyy"))), "cluster cannot be used"),
        (lambda: LatentClass(br.joint_outcomes(None, TWO), dependence="some"), "dependence must be"),
        (lambda: LatentClass(HEARTS, dependence="pairs"), "must name the pairs"),
        (lambda: LatentClass(HEARTS, pairs=[("LDH", "CPK")]), "must be None unless"),
        (lambda: LatentClass(TEETH, "pairs", [("V1", "V2"), ("V2", "V3")]), "'V2' in two pairs"),
        (lambda: LatentClass(TEETH, "pairs", ["V1"]), "must contain pairs of two tests"),
        (lambda: LatentClass(TEETH, anchor="V9"), "anchor must be"),
        (lambda: LatentClass(TEETH, priors=1), "priors must be a mapping"),
        (lambda: LatentClass(TEETH, priors={"sensitivity": (1, 0)}), "two positive shapes"),
        (lambda: LatentClass(TEETH, priors={"specificity": {"V9": (1, 1)}}), "must be one of"),
        (lambda: LatentClass(TEETH, priors={"dependence": -1}), "must be a standard deviation"),
        (lambda: br.joint_outcomes([0, 1, 1, 0], TWO, population=list("xxyy")), "population must be None"),
        (lambda: br.joint_outcomes(None, TWO, population=list("xy")), "population"),
        (lambda: br.joint_outcomes(None, {"a": [1, 1]}), "must name at least two classes"),
        (lambda: br.fit(br.joint_outcomes(None, TWO, weight=[1, 2, 3, 4]), "latent_class"), "whole numbers of cases"),
        (lambda: br.fit(br.joint_outcomes(None, TWO), "paired"), "must be latent_class"),
    ],
)  # fmt: skip
def test_refusals(make, wrong):
    with pytest.raises(br.ArgumentError, match=wrong):
        make()
