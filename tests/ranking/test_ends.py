"""Closed ends of intervals, and the default prior, which every output has."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from scipy.special import betaincinv

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.claims.ends import CLOSED, at_ends, close_ends, near_ends
from bayesrank.models import conjugate_posterior
from bayesrank.scores.ranking_scores import of_importance
from bayesrank.scores.score import values_of_tables
from tests.told import codes_in, fields_of

#: Right answers of 80 negatives and 30 positives: no error, one, one, two, and one in each class.
COUNTS = br.from_counts(
    tn=[80, 79, 80, 78, 79],
    fp=[0, 1, 0, 2, 1],
    fn=[0, 0, 1, 0, 1],
    tp=[30, 30, 29, 30, 29],
    entity=list("abcde"),
)
ONE_ERROR = [True, True, True, False, False]


def interval(right, wrong):
    return [betaincinv(right + 0.5, wrong + 0.5, level) for level in (0.025, 0.975)]


def closed_rates(cases):
    """The modified Jeffreys interval of each number of right answers (Brown, Cai and DasGupta 2001)."""
    right = np.arange(cases + 1)
    low, high = interval(right, cases - right)
    return close_ends(low, high, right / cases, (0.0, 1.0), (right <= 1, right >= cases - 1))


def test_only_the_near_end_moves_and_only_with_at_most_one_case():
    low, high = closed_rates(30)
    assert low[30] == pytest.approx(stats.beta(30.5, 0.5).ppf(0.025))  # not at 0.05
    assert (high[30], high[29], low[0], low[1]) == (1, 1, 0, 0)
    assert high[28] == pytest.approx(stats.beta(28.5, 2.5).ppf(0.975))
    np.testing.assert_allclose(low, 1 - high[::-1], atol=1e-12)
    one, two = closed_rates(1), closed_rates(2)
    assert one[0][1] > 0  # 1 of 1 is one case away from 0, but at 1
    assert 0 < two[0][1] < two[1][1] < 1  # 1 of 2 is as near to both ends


@pytest.mark.parametrize("cases", [10, 30, 100, 1000])
def test_the_exact_coverage_of_rates(cases):
    """At every truth from 0.5 to 0.9999, and on average over truths whose distances from 1 differ by 1.43."""
    miss = np.geomspace(0.5, 1e-4, 241)
    low, high = closed_rates(cases)
    right = np.arange(cases + 1)
    each = stats.binom.pmf(right, cases, 1 - miss[:, None])
    held = (each * ((low <= 1 - miss[:, None]) & (1 - miss[:, None] <= high))).sum(axis=1)
    assert held.min() > 0.86
    assert np.convolve(held, np.full(10, 0.1), "valid").min() > 0.915
    assert 0.94 < held.mean() < 0.99


def test_a_score_is_near_an_end_if_one_answer_keeps_it_from_there():
    for name in ("informedness", "accuracy", "f1", "mcc", "cohen_kappa", "balanced_accuracy"):
        score = br.scores.get(name)
        low, high = near_ends(COUNTS, score, score.range)
        assert high.tolist() == ONE_ERROR
        assert not low.any()
    tpr, fpr = br.scores.get("tpr"), br.scores.get("fpr")
    assert near_ends(COUNTS, tpr, tpr.range)[1].tolist() == [True, True, True, True, True]
    assert near_ends(COUNTS, fpr, fpr.range)[0].tolist() == [True, True, True, False, True]


def test_a_value_that_rounding_keeps_from_an_end_is_at_it():
    low, high = at_ends(np.array([0.0, 1e-10, 1e-8, 1 - 1e-10, 1.0, np.nan]), (0.0, 1.0))
    assert low.tolist() == [True, True, False, False, False, False]
    assert high.tolist() == [False, False, False, True, True, False]
    assert not at_ends(np.array([np.inf, 3.0]), (-np.inf, np.inf))[1].any()


def test_tables_of_three_classes_are_closed_with_one_error():
    tables = [
        np.diag([10, 10, 10]),
        [[9, 1, 0], [0, 10, 0], [0, 0, 10]],
        [[8, 1, 1], [0, 10, 0], [0, 0, 10]],
    ]
    counts = br.from_matrix(
        np.array(tables), "actual_rows", labels=["cat", "dog", "owl"], entity=list("abc")
    )
    posterior = br.fit(counts, "dirichlet_multinomial", seed=1, draws=200)
    table = br.score_table(posterior, ["accuracy", "macro_f1", "error_rate", "tpr:cat", "ppv:dog"])
    upper = (table["upper"] == 1).to_pandas()
    assert upper["accuracy"].tolist() == upper["macro_f1"].tolist() == [True, True, False]
    assert upper["tpr:cat"].tolist() == [True, True, False]
    assert upper["ppv:dog"].tolist() == [
        True,
        True,
        True,
    ]  # one owl or cat is called a dog in the last two
    assert (table["lower"].sel(score="error_rate") == 0).values.tolist() == [True, True, False]


def test_a_class_whose_only_right_answer_could_be_wrong_may_have_a_rate_of_0():
    tables = [[[right, 10 - right, 0], [0, 10, 0], [0, 0, 10]] for right in (0, 1, 2)]
    counts = br.from_matrix(
        np.array(tables), "actual_rows", labels=["cat", "dog", "owl"], entity=list("abc")
    )
    cat = br.scores.get("tpr:cat")
    low, high = near_ends(counts, cat, (0.0, 1.0))
    assert low.tolist() == [True, True, False]
    assert not high.any()


def test_the_rate_of_a_class_without_an_error_may_be_1():
    """The interval of the score holds its value there, at the end of the interval of the other class's rate."""
    cells = {"tn": [76, 4, 5], "fp": [4, 76, 0], "fn": [0, 30, 2], "tp": [30, 0, 23]}
    counts = br.from_counts(**cells, entity=list("abc"))
    posterior = br.fit(counts, seed=1)
    prob = 0.8
    rate, of_positives = (
        betaincinv(right + 0.5, wrong + 0.5, (1 + prob) / 2) for right, wrong in ((76, 4), (23, 2))
    )
    accuracy = (30 + 80 * rate) / 110
    for score, ends in (
        ("informedness", (rate, -rate, of_positives)),
        ("accuracy", (accuracy, 1 - accuracy, (5 + 25 * of_positives) / 30)),
        ("error_rate", (1 - accuracy, accuracy, 25 * (1 - of_positives) / 30)),
    ):
        drawn = br.scores.get(score)(posterior)
        quantiles = drawn.quantile([(1 - prob) / 2, (1 + prob) / 2], ("chain", "draw")).values
        for method in ("draws", "exact"):
            found = br.credible_ranking(posterior, score, method=method, prob=prob)
            moved = [found["upper"][0], found["lower"][1], found["upper"][2]]
            other = [found["lower"][0], found["upper"][1], found["lower"][2]]
            if score == "error_rate":
                moved, other = other, moved
            np.testing.assert_allclose(moved, ends, rtol=1e-9)
            still = [
                quantiles[k][i]
                for i, k in enumerate((0, 1, 0) if score != "error_rate" else (1, 0, 1))
            ]
            np.testing.assert_allclose(other, still, atol=0.01)


def test_coverage_where_three_positives_are_right():
    """The draws alone hold an informedness of 0.949 in 0.85 of tables: the prior keeps the TPR from 1."""
    right = np.arange(15, 28)
    counts = br.from_counts(
        tn=right, fp=27 - right, fn=0 * right, tp=0 * right + 3, entity=[str(r) for r in right]
    )
    posterior = br.fit(counts, seed=1)
    table = br.score_table(posterior, ["informedness"]).isel(score=0)
    weight = stats.binom.pmf(right, 27, 0.95)
    drawn = br.scores.get("informedness")(posterior).quantile([0.025, 0.975], ("chain", "draw"))

    def held(lower, upper):
        return weight @ ((lower <= 0.949) & (upper >= 0.949))

    assert held(*drawn.transpose("quantile", "entity").values) < 0.86
    assert held(table["lower"].values, table["upper"].values) > 0.93


@pytest.mark.parametrize("score", ["informedness", "tpr", "accuracy", "fpr", "mcc"])
def test_all_outputs_have_the_same_ends(score):
    posterior = br.fit(COUNTS, "beta_binomial", seed=1)
    drawn, exact, together = (
        br.credible_ranking(posterior, score, method=method)
        for method in ("draws", "exact", "auto")
    )
    table = br.score_table(posterior, [score]).isel(score=0)
    values = br.scores.get(score)(posterior)
    ends = br.scores.get(score).range
    for one in (drawn, exact, together, table):
        assert one.attrs["interval"] == CLOSED
        for name, end in zip(("lower", "upper"), ends, strict=True):
            np.testing.assert_array_equal(one[name] == end, drawn[name] == end)
    np.testing.assert_array_equal(drawn["lower"], table["lower"])
    np.testing.assert_array_equal(drawn["upper"], table["upper"])
    free = (drawn["upper"] != ends[1]).values
    quantile = values.quantile(0.975, ("chain", "draw"))
    alike = free & ((COUNTS.values.diagonal(0, 1, 2) < COUNTS.sum("predicted").values).all(axis=1))
    np.testing.assert_allclose(drawn["upper"].values[alike], quantile.values[alike])
    board = json.loads(br.board(together))
    for entity in board["entities"]:
        assert entity["upper"] == pytest.approx(
            together["upper"].sel(entity=entity["entity"]).item(), rel=1e-5
        )


def test_a_perfect_test_can_be_perfect_and_says_so():
    ranking = br.credible_ranking(
        br.fit(COUNTS, "beta_binomial", seed=1), "informedness", method="auto"
    )
    assert (ranking["upper"] == 1).values.tolist() == ONE_ERROR
    fields = fields_of(ranking, "interval_closed")
    assert (fields["entities"], fields["end"]) == (["a", "b", "c"], 1.0)
    assert not ranking["contradicted"].any()
    assert br.ranking_table(ranking).loc["a", "upper"] == 1
    spread = br.credible_ranking(
        br.fit(COUNTS.sel(entity=["d", "e"]), "beta_binomial", seed=1), "informedness"
    )
    assert "interval_closed" not in codes_in(spread)


def test_cases_with_outcomes_are_closed_as_their_counts_are():
    answers = pd.DataFrame(
        {"a": [1] * 30, "b": [1] * 29 + [0], "c": [1] * 28 + [0] * 2, "d": [0] * 29 + [1]}
    )
    paired = br.credible_ranking(br.fit(br.from_outcomes(answers), seed=1))
    right = answers.sum().to_numpy()
    counts = br.from_frame(
        pd.DataFrame({"entity": list("abcd"), "correct": right, "wrong": 30 - right})
    )
    apart = br.credible_ranking(br.fit(counts, seed=1), method="exact")
    for ranking in (paired, apart):
        assert (ranking["upper"] == 1).values.tolist() == [True, True, False, False]
        assert (ranking["lower"] == 0).values.tolist() == [False, False, False, True]
    np.testing.assert_allclose(
        apart["lower"].values[:3], interval(right, 30 - right)[0][:3], rtol=1e-9
    )


def test_at_another_prevalence_only_an_observed_end_counts():
    """With one false positive in 80, the precision at a prevalence of 0.02 is 0.62, far from 1."""
    table = br.score_table(br.fit(COUNTS, "beta_binomial", seed=1), ["ppv", "tnr"], prevalence=0.02)
    assert (table["upper"] == 1).sel(score="ppv").values.tolist() == [
        True,
        False,
        True,
        False,
        False,
    ]
    assert (table["upper"] == 1).sel(score="tnr").values.tolist() == [True, True, True, False, True]


def test_members_of_a_learned_population_stay_open():
    frame = pd.DataFrame(
        {"entity": list("abcd"), "correct": [3, 80, 83, 79], "wrong": [0, 20, 17, 21]}
    )
    ranking = br.credible_ranking(
        br.fit(br.from_frame(frame), "hierarchical_beta_binomial", seed=1)
    )
    assert ranking["observed"].values[0] == 1 > ranking["upper"].values[0]


def test_the_default_prior_is_the_same_everywhere():
    """Half a case in every cell: of the model, its graph, its prior and its predictions, and exact posteriors."""
    counts = COUNTS.sel(entity=["e"])
    known = conjugate_posterior("beta_binomial", counts, {})
    np.testing.assert_array_equal(known.posterior - counts, np.full((1, 2, 2), 0.5))
    graph = br.to_pymc(counts, "beta_binomial")
    alpha = graph["rate"].owner.inputs[-1].eval()
    np.testing.assert_array_equal(alpha, np.full((1, 2, 2), 0.5))
    groups = groups_of(
        br.fit(counts, "beta_binomial", seed=1, groups=["prior", "prior_predictive"])
    )
    assert groups["posterior"].attrs["prior"] == "one_case"
    prior = br.scores.tpr(groups["prior"]).values.ravel()
    assert stats.kstest(prior, stats.beta(0.5, 0.5).cdf).pvalue > 1e-3
    predicted = (
        groups["prior_predictive"]["counts"]
        .sel(actual="positive", predicted="positive")
        .values.ravel()
    )
    expected = stats.betabinom(30, 0.5, 0.5).pmf([0, 15, 30])
    seen = [(predicted == n).mean() for n in (0, 15, 30)]
    np.testing.assert_allclose(seen, expected, atol=5 * np.sqrt(expected.max() / predicted.size))
    pmf = br.predictive.confusion_pmf(counts.isel(entity=0), positives=1, negatives=1)
    assert pmf.sel(tp=1).sum().item() == pytest.approx(29.5 / 31)
    exact = br.credible_ranking(counts, "tpr", method="exact", model="beta_binomial")
    posterior = br.score_posterior(counts, "tpr", "beta_binomial")
    assert exact["lower"].item() == pytest.approx(posterior.quantile(0.025).item(), rel=1e-9)
    assert exact["lower"].item() == pytest.approx(interval(29, 1)[0], rel=1e-9)


def test_scores_of_bare_tables_are_those_of_labelled_counts():
    """Of classes in any order, of which some take no part in averages, and of importances by label."""
    tables = np.random.default_rng(1).poisson(0.6, (40, 3, 3))
    counts = br.from_matrix(tables, "actual_rows", labels=["cat", "dog", "owl"])
    chosen = counts.assign_coords(averaged=("actual", [True, False, True], {"named": 1}))
    labels = ["owl", "cat", "dog"]
    importance = xr.DataArray(
        np.arange(1.0, 10).reshape(3, 3),
        {"actual": labels, "predicted": labels},
        ("actual", "predicted"),
    )
    scores = [
        br.scores.get(name) for name in ("accuracy", "macro_f1", "balanced_accuracy", "tpr:cat")
    ]
    for score in (*scores, of_importance(importance)):
        for each in (counts, chosen):
            np.testing.assert_array_equal(values_of_tables(score, tables, each), score(each))
