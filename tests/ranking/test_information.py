"""How many independent units stand behind a ranking: against matrices, sums over all outcomes, and counts by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank._core.source import groups_of, parse_source
from bayesrank.claims.effective import FEWEST_OF_CLASS, Information
from bayesrank.claims.information import information_of, parts_of_pair, sampling_variance, skewness
from bayesrank.claims.information.influence import class_strength
from bayesrank.claims.information.skewness import (
    ratios_of_differences,
    reach_of_pairs,
    skewness_ratio,
)
from bayesrank.claims.information.tables import average_inflation
from bayesrank.evidence.kinds import CaseEvidence
from bayesrank.evidence.units import cluster_information
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import score_values

SIZES = [
    [[3.0, 5.0, 9.0, 2.0]],
    [[3.0, 5.0, 9.0, 2.0], [4.0, 4.0, 1.0]],
    [[1.0, 7.0, 2.0], [6.0, 2.0, 5.0, 8.0, 1.0]],
]


@pytest.mark.parametrize(("field", "enough", "code"), [
    ("repeats", 2, "one_run_of_folds"),
    ("datasets", 5, "datasets_too_few"),
    ("seeds", 4, "seeds_too_few"),
    ("of_class", 5, "cases_of_class_too_few"),
    ("clusters", np.full(2, 5.0), "clusters_too_few"),
])  # fmt: skip
def test_rank_sets_are_withheld_below_the_smallest_number_only(field, enough, code):
    known = {"cases": np.full(2, 99.0), "clusters": np.full(2, np.nan)}
    assert Information(**(known | {field: enough})).withheld() is None
    few = Information(**(known | {field: enough - 1})).withheld()
    assert few is not None
    assert few.code == code


def test_rank_sets_of_few_cases_without_a_prior_are_withheld():
    for cases, code in ((5.0, None), (4.0, "cases_too_few")):
        found = Information(
            np.full(2, cases), np.full(2, np.nan), freedom=np.full((2, 2), 4.0)
        ).withheld()
        assert (found and found.code) == code


@pytest.mark.parametrize("sizes", SIZES)
def test_degrees_of_freedom_are_those_of_the_quadratic_form(sizes):
    """The variance of a mean over clusters is y'My: its freedom is tr(M)²/tr(M²), as Satterthwaite has it."""
    weights = np.array([0.7, 0.3][: len(sizes)])
    blocks, true = [], 0.0
    for size, weight in zip(sizes, weights, strict=True):
        share = np.array(size) / np.sum(size)
        residual = np.eye(len(share)) - np.outer(np.ones(len(share)), share)
        form = residual.T @ np.diag(share**2) @ residual
        blocks.append(weight**2 * len(share) / (len(share) + 1) * form)
        true += weight**2 * (share**2).sum()
    trace = sum(np.trace(form) for form in blocks)
    square = sum(np.trace(form @ form) for form in blocks)
    freedom, factor = cluster_information([np.array(size) for size in sizes], weights)
    assert freedom == pytest.approx(trace**2 / square, rel=1e-12)
    assert factor == pytest.approx(np.sqrt(true / trace), rel=1e-12)


def test_equal_clusters_have_one_degree_of_freedom_less_than_clusters():
    freedom, factor = cluster_information([np.full(6, 10.0)], np.ones(1))
    assert (freedom, factor) == pytest.approx((5, np.sqrt(7 / 5)), rel=1e-12)
    two = cluster_information([np.full(6, 10.0)] * 2, np.array([0.5, 0.5]))
    assert two == pytest.approx((10, np.sqrt(7 / 5)), rel=1e-12)
    assert cluster_information([np.array([60.0, 0.0])], np.ones(1)) == (0.0, np.inf)


def by_enumeration(cases, mass, weights, rate):
    """Ratio of the standard deviations, from every number of right answers of each class or data set."""
    spread = stated = 0.0
    for n, a, weight in zip(cases, mass, weights, strict=True):
        right = np.arange(n + 1)
        chance = stats.binom.pmf(right, n, rate)
        posterior = stats.beta(right + a * rate + 1e-12, n - right + a * (1 - rate) + 1e-12)
        mean = posterior.mean()
        spread += weight**2 * (chance @ mean**2 - (chance @ mean) ** 2)
        stated += weight**2 * (chance @ posterior.var())
    return np.sqrt(max(spread / stated, 1.0))


@pytest.mark.parametrize(
    ("cases", "mass", "weights"),
    [
        ([7], [0.0], [1.0]),
        ([7], [0.5], [1.0]),
        ([3, 20], [0.5, 0.25], [0.5, 0.5]),
        ([5, 9], [0.0, 1.0], [0.8, 0.2]),
    ],
)
@pytest.mark.parametrize("rate", [0.2, 0.5])
def test_posteriors_of_few_cases_are_widened_by_what_all_outcomes_show(cases, mass, weights, rate):
    given = (np.array(cases, float), np.array(mass), np.array(weights))
    wanted = by_enumeration(cases, mass, weights, rate)
    assert wanted > 1.05
    assert average_inflation(*given) == pytest.approx(wanted, rel=1e-6)


def test_a_prior_of_two_cases_needs_no_widening_and_a_single_case_is_too_few():
    ten, one = np.array([10.0]), np.ones(1)
    assert average_inflation(ten, np.array([2.0]), one) == 1.0
    assert average_inflation(np.array([FEWEST_OF_CLASS - 1.0]), np.zeros(1), one) == np.inf
    assert average_inflation(np.array([float(FEWEST_OF_CLASS)]), np.zeros(1), one) == pytest.approx(
        np.sqrt(3)
    )
    # Classes without weight or without cases do not count.
    assert average_inflation(np.zeros(1), np.zeros(1), one) == 1.0
    two = average_inflation(np.array([10.0, 1.0]), np.zeros(2), np.array([1.0, 0.0]))
    assert two == pytest.approx(np.sqrt(11 / 9))


@pytest.mark.parametrize(("prior", "least"), [("haldane", True), ("uniform", False)])
def test_discordant_cases_are_the_freedom_of_a_pair_without_a_prior(prior, least):
    rows = [(1, 0, 1)] * 4 + [(0, 1, 1)] * 3 + [(1, 1, 1)] * 20 + [(0, 0, 1)] * 13
    joint = br.from_outcomes(pd.DataFrame(rows, columns=["a", "b", "c"]))
    posterior = br.fit(joint, prior=prior, draws=50, seed=1)
    values = groups_of(posterior)["posterior"]["mean_outcome"]
    information = information_of(evidence_of(posterior, None, values, None), None, 3)
    # a and b differ on 4 + 3 cases, a and c on 3 + 13, b and c on 4 + 13; no entity differs from itself.
    discordant = np.array([[0, 7, 16], [7, 0, 17], [16, 17, 0]])
    np.testing.assert_array_equal(information.discordant, discordant)
    if least:
        np.testing.assert_array_equal(information.freedom, np.maximum(discordant - 1, 0))
    else:
        assert np.isinf(information.freedom).all()


def test_entities_without_a_common_case_did_not_agree():
    """Without a common case, no outcome differs, which is no agreement."""
    frame = pd.DataFrame(
        {"a": [1, 0, 1, 1, 0, 1] + [None] * 6, "b": [None] * 6 + [1, 1, 0, 1, 0, 0]}, dtype=float
    )
    apart = br.credible_ranking(br.fit(br.from_outcomes(frame, missing="own"), seed=1, draws=100))
    assert apart.attrs["needed_evidence"] != "other cases"
    alike = pd.DataFrame({"a": [1, 0, 1, 1, 0, 1], "b": [1, 0, 1, 1, 0, 1]})
    together = br.credible_ranking(br.fit(br.from_outcomes(alike), seed=1, draws=100))
    assert together.attrs["needed_evidence"] == "other cases"


def excess_between(posterior, score):
    """Return the excess of the first pair of entities, as a ranking by this score finds it."""
    source = parse_source(posterior)
    found = score_values(source, score, None, None)
    known = evidence_of(source, found.variable, found.values, None)
    return information_of(
        known, None if found.variable else found.score, found.values.sizes["entity"]
    ).excess[0, 1]


#: Ten clusters of six cases, whose differences cancel within each cluster more than chance would do.
RIGHT = pd.DataFrame(
    {"a": [1, 1, 0, 1, 0, 1] * 10, "b": [1, 0, 1, 1, 0, 0] * 8 + [1, 0, 0, 0, 0, 1] * 2}
)
CLUSTERS = np.arange(60) // 6


@pytest.mark.parametrize(
    ("prior", "of_prior"), [("one_case", 0.5), ("four_cases", 2.0), ("uniform", 1.0)]
)
def test_claims_on_right_and_wrong_have_two_discordant_cases_beside_those_of_the_data(
    prior, of_prior
):
    """Half of the prior's cases differ; a light prior makes claims need the spread of two such cases."""
    frame = pd.DataFrame({"a": [1] * 7 + [0] * 3 + [1] * 20, "b": [0] * 7 + [1] * 3 + [1] * 20})
    excess = excess_between(br.fit(br.from_outcomes(frame), prior=prior, draws=100, seed=1), None)
    assert excess == pytest.approx(np.sqrt((10 + 2) / (10 + of_prior)))


def test_clusters_that_vary_less_than_cases_count_as_independent_cases():
    posterior = br.fit(br.from_outcomes(RIGHT, cluster=CLUSTERS), draws=50, seed=1)
    difference = (RIGHT["a"] - RIGHT["b"]).to_numpy()
    off = difference - difference.mean()
    sums = np.bincount(CLUSTERS, off)
    # Squares of cases against squares of clusters with their G / (G - 1): the sizes are equal.
    wanted = np.sqrt((off @ off) / (sums @ sums * 10 / 9))
    assert wanted > 1.5
    assert excess_between(posterior, None) == pytest.approx(wanted, rel=1e-6)
    [note] = [
        note
        for note in notes_of(br.credible_ranking(posterior).attrs["notes"])
        if note.code == "clusters_vary_less"
    ]
    assert note.fields == {"pairs": 1, "of": 1}
    alike = br.from_outcomes(RIGHT, cluster=np.arange(60))
    assert excess_between(br.fit(alike, draws=50, seed=1), None) == 1


@pytest.mark.parametrize("target", ["case", "cluster"])
@pytest.mark.parametrize("score", ["accuracy", "f1"])
def test_the_influence_of_a_case_is_the_derivative_of_the_score(score, target):
    actual = np.array([0, 1, 1] * 20)
    predicted = np.where(RIGHT == 1, actual[:, None], 1 - actual[:, None])
    joint = br.joint_outcomes(actual, dict(zip("ab", predicted.T, strict=True)), cluster=CLUSTERS)
    posterior = br.fit(joint, draws=50, seed=1, target=target)
    influence = []
    for answers in predicted.T:
        hit, wrong = (actual & answers).astype(float), (actual != answers).astype(float)
        if score == "accuracy":
            influence.append((1 - wrong - (1 - wrong).mean()) / 60)
        else:  # F1 = 2 TP / (2 TP + FP + FN)
            whole = (2 * hit + wrong).sum()
            influence.append((2 * hit - 2 * hit.sum() / whole * (2 * hit + wrong)) / whole)
    off = influence[0] - influence[1]
    sums = np.bincount(CLUSTERS, off)
    wanted = np.sqrt((off @ off) / (sums @ sums * 10 / 9))
    assert wanted > 1.2
    assert excess_between(posterior, score) == pytest.approx(wanted, rel=1e-4)


def test_the_larger_variance_needs_a_larger_lead():
    wide = Information(
        np.full(2, 60.0),
        np.full(2, 10.0),
        freedom=9.0,
        inflation=1.5,
        excess=np.array([[1, 2], [2, 1]]),
    )
    needed = wide.threshold(np.arange(2), 1.96)
    # Independent cases would need 1.96 of their standard deviations, which are twice as large.
    assert needed[0, 1] == pytest.approx(2 * 1.5 * 1.96)
    assert needed[0, 0] == pytest.approx(1.5 * stats.t(9).isf(stats.norm.sf(1.96)))


def test_clusters_without_positive_cases_tell_nothing_about_their_rate():
    actual = np.where(CLUSTERS < 3, np.arange(60) % 2, 0)
    predicted = {name: np.where(RIGHT[name] == 1, actual, 1 - actual) for name in "ab"}
    posterior = br.fit(br.joint_outcomes(actual, predicted, cluster=CLUSTERS), draws=50, seed=1)
    clusters = {}
    for score in ("tpr", "tnr", "accuracy"):
        source = parse_source(posterior)
        found = score_values(source, score, None, None)
        known = evidence_of(source, found.variable, found.values, None)
        clusters[score] = information_of(known, found.score, 2).clusters
    np.testing.assert_allclose(
        clusters["tpr"], 3
    )  # equal numbers of positive cases in three clusters
    assert (clusters["tnr"] > 8).all()
    assert (clusters["accuracy"] > 8).all()
    ranking = br.credible_ranking(posterior, "tpr")
    assert "clusters_too_few" in ranking.attrs["caps"]
    assert "clusters_too_few" not in br.credible_ranking(posterior, "accuracy").attrs["caps"]


def test_means_without_numbers_of_cases_leave_every_rank_possible():
    board = pd.DataFrame({"entity": list("abc"), "mean": [0.9, 0.5, 0.1], "se": [0.01] * 3})
    without = br.credible_ranking(br.fit(br.from_frame(board), seed=1, draws=250))
    assert without["rank_lower"].values.tolist() == [1, 1, 1]
    assert without["rank_upper"].values.tolist() == [3, 3, 3]
    assert (without.attrs["headline"], without.attrs["caps"]) == ("leads", ["means_without_n"])
    known = br.credible_ranking(br.fit(br.from_frame(board.assign(n=40)), seed=1, draws=250))
    assert known["rank_lower"].values.tolist() == [1, 2, 3]
    assert known.attrs["headline"] == "best"


def test_the_variance_by_chance_is_that_of_the_observed_score():
    counts = br.from_counts(tn=[70, 60], fp=[10, 20], fn=[9, 4], tp=[21, 26], entity=["a", "b"])
    source = parse_source(br.fit(counts, draws=50, seed=1))
    for score in ("accuracy", "f1"):
        found = score_values(source, score, None, None)
        known = evidence_of(source, found.variable, found.values, None)
        p = found.score(counts).values
        if score == "accuracy":
            wanted = p * (1 - p) / 110
        else:  # F1 = 2 TP / M with M = 2 TP + FP + FN: errors are wrong cases (F1 / M each), and hits ((2 - 2 F1) / M)
            tp, wrong = np.array([21, 26]), np.array([19, 24])
            wanted = (tp * (2 - 2 * p) ** 2 + wrong * p**2) / (2 * tp + wrong) ** 2
        np.testing.assert_allclose(sampling_variance(known, found.score, 2), wanted, rtol=1e-4)


def test_shrinkage_that_a_population_intends_contradicts_nothing():
    rng = np.random.default_rng(4)
    right = rng.binomial(30, rng.beta(16, 8, 60))
    board = pd.DataFrame({"entity": range(60), "correct": right, "wrong": 30 - right})
    ranking = br.credible_ranking(
        br.fit(br.from_frame(board), "hierarchical_beta_binomial", seed=1, draws=250)
    )
    outside = (ranking["observed"] < ranking["lower"]) | (ranking["observed"] > ranking["upper"])
    assert outside.any()
    assert not ranking["contradicted"].any()
    # A prior that is wrong still contradicts the data.
    wrong = br.fit(br.from_frame(board), prior=[30, 270], seed=1, draws=250)
    assert br.credible_ranking(wrong)["contradicted"].any()


def test_a_prior_of_two_cases_at_each_end_contradicts_no_runs_that_are_nearly_always_right():
    outcomes = pd.DataFrame(np.random.default_rng(1).binomial(4, 0.99, (60, 5)) / 4)
    posterior = br.fit(
        br.from_outcomes(outcomes.add_prefix("e")), base={0: 2, 1: 2}, seed=1, draws=250
    )
    ranking = br.credible_ranking(posterior)
    assert (ranking["observed"] > ranking["upper"]).any()
    assert not ranking["contradicted"].any()


@pytest.mark.parametrize("score", ["f1", "accuracy"])
def test_an_order_that_comes_from_prevalences_caps_the_headline(score):
    """Equal rates of 0.9 and 0.8 at prevalences of 0.1 and 0.5."""
    counts = br.from_counts(
        tn=[810, 450], fp=[90, 50], fn=[20, 100], tp=[80, 400], entity=["rare", "common"]
    )
    ranking = br.credible_ranking(br.fit(counts, draws=250, seed=1), score)
    assert ranking.attrs["caps"] == ["prevalences_differ"]
    assert ranking["in_best_set"].all()
    assert ranking.attrs["headline"] == "leads"
    level = br.credible_ranking(br.at_prevalence(br.fit(counts, draws=250, seed=1), 0.3), score)
    assert "prevalences_differ" not in level.attrs["caps"]
    assert level["in_best_set"].all()


def test_an_entity_that_never_says_yes_is_not_best_by_precision():
    counts = br.from_counts(tn=[90, 85], fp=[0, 5], fn=[10, 6], tp=[0, 4], entity=["never", "some"])
    ranking = br.credible_ranking(br.fit(counts, draws=250, seed=1), "ppv")
    assert np.isnan(ranking["observed"].sel(entity="never"))
    assert ranking["consensus_position"].values.tolist() == [2, 1]
    assert ranking.attrs["headline"] != "best"


def test_a_constant_column_has_no_skewness():
    values = np.column_stack([np.full(8, 0.3), np.arange(8.0) ** 2, np.full(8, np.nan)])
    wanted = abs(stats.skew(values[:, 1])) / np.sqrt(8)
    np.testing.assert_allclose(skewness_ratio(values), [0, wanted, 0], rtol=1e-12)


def test_skewness_limits_the_critical_values_of_a_pair():
    """The critical value times the skewness ratio of a difference is at most 0.5, and that of two ratios 0.6."""
    x = np.column_stack([np.zeros(12), np.arange(12.0) ** 2, -(np.arange(12.0) ** 2)])
    ratio = stats.skew(x[:, 1]) / np.sqrt(12)
    reach = reach_of_pairs(x, np.ones(12), None)
    # Twice a variable has its skewness; mirrored, the difference of the signed ratios is twice the ratio.
    np.testing.assert_allclose(reach[0, 1:], 0.5 / ratio, rtol=1e-12)
    assert reach[1, 2] == pytest.approx(min(0.5 / ratio, 0.6 / (2 * ratio)), rel=1e-12)
    np.testing.assert_array_equal(reach, reach.T)
    assert np.isinf(np.diag(reach)).all()
    # Of many units, two signed ratios differ less by chance: 0.4 and 6 per unit.
    many = reach_of_pairs(np.repeat(x, 20, axis=0), np.ones(240), None)
    assert many[1, 2] == pytest.approx((0.4 + 6 / 240) / (2 * ratio) * np.sqrt(20), rel=1e-12)
    # Each case twice has the same skewness, of twice as many cases; clusters are units.
    twice = reach_of_pairs(x, np.full(12, 2.0), None)
    np.testing.assert_allclose(twice[0, 1:], np.sqrt(2) * reach[0, 1:], rtol=1e-12)
    pairs = np.repeat(np.arange(12), 2)
    for other in (1.0, np.nan):  # the other case of a cluster may have no outcome
        double = (np.multiply.outer([1.0, other], x)).swapaxes(0, 1).reshape(24, 3)
        np.testing.assert_allclose(reach_of_pairs(double, np.ones(24), pairs), reach, rtol=1e-12)


def test_a_difference_of_entities_varies_in_the_clusters_on_which_they_differ():
    information = Information(
        np.full(3, 99.0),
        np.full(3, 20.0),
        freedom_of_interval=np.array([19.0, 9.0, 14.0]),
        factor_of_interval=np.array([1.0, 1.2, 1.1]),
        varying=np.array([2.0, 3.0, 40.0]),
        observed=np.array([0.9, 0.8, 0.5]),
    )
    normal, inflation = stats.norm.isf(0.025), np.array([1.0, 1.2, 1.1])
    differing = np.array([[0.0, 3.0, 9.0], [3.0, 0.0, 9.0], [9.0, 9.0, 0.0]])
    for discordant, freedom in ((None, [3, 4, 14]), (differing, [np.nan, 2, 8])):
        allowed = replace(information, discordant=discordant).allowance_of_differences(
            0.95, (0, 1), 0
        )
        np.testing.assert_allclose(
            allowed.factor, inflation * stats.t.isf(0.025, [19, 9, 14]) / normal
        )
        thin = np.nan_to_num(inflation * stats.t.isf(0.025, freedom) / normal, nan=np.inf)
        np.testing.assert_allclose(allowed.thin, thin)


def test_no_lead_is_enough_beyond_the_reach_of_a_skewed_pair():
    reach = np.array([[np.inf, 2.0], [2.0, np.inf]])
    known = Information(
        np.full(2, 50.0), np.full(2, np.nan), freedom=np.full((2, 2), 49.0), reach=reach
    )
    both = np.arange(2)
    assert known.threshold(both, 1.96)[0, 1] == pytest.approx(stats.t.isf(stats.norm.sf(1.96), 49))
    assert np.isinf(known.threshold(both, 2.01)[0, 1])
    assert np.isinf(replace(known, freedom=np.inf).threshold(both, 2.01)[0, 1])
    assert known.of_pair(0, 1)[0] == 49
    assert replace(known, reach=reach - 0.05).of_pair(0, 1)[0] == 0


def test_the_variance_of_a_difference_within_each_class_is_that_of_its_proportions():
    """The F1 of independent tables, 2 TP / (1 + TP - TN in shares), by the delta method within each class."""
    tables = np.array([[[930, 40], [10, 20]], [[950, 20], [18, 12]]])
    counts = br.from_counts(
        tn=tables[:, 0, 0],
        fp=tables[:, 0, 1],
        fn=tables[:, 1, 0],
        tp=tables[:, 1, 1],
        entity=["a", "b"],
    )
    source = parse_source(br.fit(counts, draws=4, seed=1))
    found = score_values(source, "f1", None, None)
    variance, cases = parts_of_pair(
        evidence_of(source, found.variable, found.values, None), found.score, 0, 1
    )
    assert cases.tolist() == [970, 30]
    wanted = np.zeros(2)
    for (tn, fp), (fn, tp) in tables / 1000:
        down = 2 * tp + fp + fn
        slope = np.array([[0, -2 * tp / down**2], [-2 * tp / down**2, 2 / down - 4 * tp / down**2]])
        shares = np.array([[tn, fp], [fn, tp]])
        within = shares / shares.sum(axis=1, keepdims=True)
        mean = (within * slope).sum(axis=1, keepdims=True)
        wanted += (shares * (slope - mean) ** 2).sum(axis=1) / 1000
    np.testing.assert_allclose(variance, wanted, rtol=2e-4)  # slopes are finite differences


def test_clusters_with_wrong_labels_only_are_labelled():
    """Ten documents, and people have read four answers, one document each: right in two, wrong in two."""
    truth = np.full(40, np.nan)
    truth[[0, 4, 8, 12]] = [1, 0, 1, 0]
    frame = pd.DataFrame({"document": np.arange(40) // 4, "gpt": [1, 0] * 20, "human": truth})
    judged = br.from_judged(frame, judge="gpt", truth="human", cluster="document")
    source = parse_source(br.fit(judged, draws=4, seed=1))
    values = score_values(source, None, None, None)
    found = information_of(evidence_of(source, values.variable, values.values, None), None, 1)
    assert np.ravel(found.clusters).tolist() == [4]


@pytest.mark.parametrize("prior", ["haldane", "uniform"])
@pytest.mark.parametrize("cases", [4, 30, 200])
def test_claims_on_a_data_set_are_those_of_its_cases_alone(prior, cases):
    """Cases of other data sets do not count: 4 are too few without a prior, whatever there is elsewhere."""
    rng = np.random.default_rng(3)
    right = rng.random((cases + 150, 3)) < [0.9, 0.5, 0.48]
    frame, where = (
        pd.DataFrame(right.astype(int), columns=list("abc")),
        np.repeat(["x", "y"], [cases, 150]),
    )
    both = br.fit(br.from_outcomes(frame, dataset=where), "paired", prior=prior, seed=1)
    part = br.credible_ranking(both, kind="observed").sel(dataset="x")
    alone = br.credible_ranking(
        br.fit(br.from_outcomes(frame[:cases]), "paired", prior=prior, seed=1)
    )
    assert part["cases"].values.tolist() == alone["cases"].values.tolist() == [cases] * 3
    for name in ("headline", "sets", "cap_notes"):
        assert part[name].item() == alone.attrs[name]
    for name in ("rank_lower", "rank_upper", "tier"):
        assert part[name].values.tolist() == alone[name].values.tolist()
    assert (alone.attrs["sets"] == "none") == (prior == "haldane" and cases == 4)


def test_predictions_on_data_sets_count_their_own_cases():
    truth, where = np.tile([0, 1], 45), np.repeat(["x", "y", "z"], [10, 30, 50])
    answers = {
        name: np.where(np.arange(90) % k == 0, 1 - truth, truth) for name, k in (("a", 4), ("b", 5))
    }
    ranking = br.credible_ranking(
        br.fit(br.joint_outcomes(truth, answers, dataset=where), "paired", seed=1), "f1"
    )
    assert ranking["cases"].sel(entity="a").to_series().to_dict() == {"x": 10, "y": 30, "z": 50}


def test_the_typical_influence_of_a_class_is_the_root_mean_square_over_cases_and_entities():
    influence = np.array([[3.0, 1.0], [0.0, 1.0], [2.0, 4.0]])
    count, weight = np.array([1.0, 3.0, 2.0]), np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
    patterns = CaseEvidence(
        ["a", "b"], count, predicted=np.full((3, 2), "x"), actual=np.array(["x", "x", "y"])
    )
    x, y = np.sqrt((9 + 1 + 3 * 1) / 8), np.sqrt((1 + 4) / 2)
    np.testing.assert_allclose(class_strength(influence, patterns, weight), [x, x, y])
    assert class_strength(0 * influence, patterns, weight) is None


@pytest.mark.parametrize(
    ("negatives", "score", "headline"),
    [
        ([0, 0], "accuracy", "best"),
        ([1, 1], "accuracy", "best"),
        ([0, 2], "accuracy", "best"),
        ([0, 0], "tpr", "best"),
        ([1, 1], "informedness", "leads"),
        ([1, 1], "tnr", "leads"),
    ],
)
def test_a_class_of_few_cases_matters_as_far_as_the_score_depends_on_it(negatives, score, headline):
    """900 and 700 of 1,000 positive cases are right, and all negative ones."""
    counts = br.from_counts(
        tn=negatives, fp=[0, 0], fn=[100, 300], tp=[900, 700], entity=["a", "b"]
    )
    ranking = br.credible_ranking(br.fit(counts, seed=1, draws=300), score)
    assert ranking.attrs["headline"] == headline


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("board", ["grades", "heavy", "constant", "alike", "huge", "tiny"])
def test_skewness_of_many_differences_is_that_of_each(monkeypatch, board, weighted):
    """Products of matrices give the ratios of single differences, which are made for few pairs only."""
    rng = np.random.default_rng(1)
    x = np.round(rng.beta(2, 1, (60, 70)), 2)
    if board == "heavy":
        x = rng.standard_t(2, (60, 70))
    if board == "constant":
        x[:, ::7] = 1.0
    if board == "alike":
        x[:, 1::2] = x[:, ::2] + 1e-9 * rng.normal(size=(60, 35))
    x = x * {"huge": 1e250, "tiny": 1e-250}.get(board, 1.0)
    count = rng.integers(1, 4, 60) * (0.7 if weighted else 1.0)
    each = rng.uniform(0.5, 1.5, 60) if weighted else None
    one, singles = np.triu_indices(70, 1), []
    expected = np.abs(
        [skewness_ratio(x[:, j] - x[:, i], count, each).item() for i, j in zip(*one, strict=True)]
    )
    single = skewness.skewness_ratio

    def counted(values, *weights):
        singles.append(values.shape[1])
        return single(values, *weights)

    monkeypatch.setattr(skewness, "skewness_ratio", counted)
    found = ratios_of_differences(x, count, each)

    np.testing.assert_allclose(found[one], expected, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found, found.T)
    assert sum(singles) <= (35 + 45 if board != "heavy" else 70)
