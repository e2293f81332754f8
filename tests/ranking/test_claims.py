"""What rankings claim about the truth: who could be best, thin evidence, clear winners and lucky leaders."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank.claims.effective import Information
from bayesrank.claims.information import information_of
from bayesrank.claims.information.tables import average_inflation
from bayesrank.evidence.patterns import count_discordant
from bayesrank.evidence.units import cluster_information
from bayesrank.ranking._confidence import rank_sets
from bayesrank.ranking.claims import leader_overestimate
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import ScoreValues, score_values
from bayesrank.scores import get
from tests.strategies import draws_of


def best_set(x, information=None):
    found = ScoreValues(xr.DataArray(0.0), "accuracy", True, get("accuracy"))
    sets = rank_sets(x, np.ones(x.shape[1], bool), found, 0.95, len(x), information)
    return sets.ranks(np.ones(x.shape[1], bool))[0] == 1


def is_unjustified(ranking, code):
    """Whether every rank is possible, for this reason."""
    size = ranking.sizes["entity"]
    every = bool((ranking["rank_lower"] == 1).all() and (ranking["rank_upper"] == size).all())
    assert ranking.attrs["sets"] == "none"
    assert ranking.attrs["headline"] == "leads"
    return every and code in ranking.attrs["caps"]


@pytest.mark.parametrize(
    ("size", "boards"), [*(pytest.param(n, 300, marks=pytest.mark.slow) for n in (2, 5)), (20, 50)]
)
def test_equal_entities_are_rarely_called_worse(size, boards):
    """Accuracies on 200 cases; two standard errors about 0.05 are allowed twice."""
    rng = np.random.default_rng(size)
    worse = winners = pairwise = 0
    for _ in range(boards):
        right = rng.binomial(200, 0.8, size)
        x = rng.beta(2 + right, 202 - right, (500, size))
        worse += not best_set(x).all()
        first = int(x.mean(0).argmax())
        beats = np.delete((x[:, [first]] > x).mean(0), first)
        winners += best_set(x).sum() == 1 and (beats >= 0.95).all()
        pairwise += (beats >= 0.95).any()
    assert worse / boards <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / boards)
    assert winners / boards <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / boards)
    assert size == 2 or pairwise / boards > 0.3  # which is what a sentence must not rest on


def test_freedom_and_factor_against_matrices():
    rng = np.random.default_rng(2)
    for size in (np.full(6, 3.0), rng.integers(1, 40, 9).astype(float), 100 / np.arange(1, 30)):
        w = size / size.sum()
        residual = np.eye(len(w)) - np.ones((len(w), 1)) * w
        b = residual.T @ np.diag(w**2) @ residual
        freedom, factor = cluster_information([size], np.ones(1))
        assert freedom == pytest.approx(np.trace(b) ** 2 / np.trace(b @ b))
        shrunk = len(w) / (len(w) + 1) * np.trace(b)
        assert factor == pytest.approx(np.sqrt((w**2).sum() / shrunk))
    # The bootstrap of k equal clusters has (k - 1) / (k + 1) of the variance of their mean on average.
    assert cluster_information([np.ones(6)], np.ones(1))[1] ** 2 == pytest.approx(7 / 5)
    # Two strata of equal weight add their degrees of freedom, by Satterthwaite.
    assert cluster_information([np.ones(6), np.ones(6)], np.ones(2))[0] == pytest.approx(10)
    assert cluster_information([np.ones(1)], np.ones(1)) == (0.0, np.inf)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.97])
def test_small_classes_without_a_prior_are_too_narrow_by_a_known_factor(p):
    for n in (2, 3, 10):
        x = np.arange(n + 1)
        share = x / n
        expected = (stats.binom.pmf(x, n, p) * share * (1 - share) / (n + 1)).sum()
        factor = average_inflation(np.full(7, float(n)), np.zeros(7), np.ones(7))
        assert factor**2 == pytest.approx(p * (1 - p) / n / expected)
    assert average_inflation(np.array([1.0, 9.0]), np.full(2, 0.1), np.ones(2)) == np.inf
    assert average_inflation(np.array([3.0, 0.0]), np.full(2, 0.4), np.array([0.0, 1.0])) == 1.0


@given(st.integers(0, 10**6), st.booleans())
def test_discordant_cases_against_loops(seed, clustered):
    rng = np.random.default_rng(seed)
    answers, count = rng.integers(-1, 3, (12, 4)), rng.integers(1, 5, 12)
    cluster = rng.integers(0, 4, 12) if clustered else None
    found = count_discordant(answers, count, cluster)
    for i in range(4):
        for j in range(4):
            differ = (answers[:, i] != answers[:, j]) & (answers[:, i] >= 0) & (answers[:, j] >= 0)
            expected = count[differ].sum() if cluster is None else len(set(cluster[differ]))
            assert found[i, j] == expected


def clustered(groups, seed=4, rates=(0.2, 0.5, 0.9)):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {name: rng.random(len(groups)) < rate for name, rate in zip("abc", rates, strict=True)}
    )
    return br.from_outcomes(frame.astype(int).assign(group=groups), cluster="group")


def test_few_or_unequal_clusters_withhold_the_sets():
    equal = br.credible_ranking(
        br.fit(clustered(np.repeat(range(6), 10)), "paired", seed=1), "mean_outcome"
    )
    assert equal.attrs["sets"] == "confidence"
    assert equal.attrs["caps"] == []
    four = np.repeat(range(4), [10, 10, 10, 13])
    zipf = np.repeat(range(40), np.ceil(100 / np.arange(1, 41)).astype(int))
    for groups in (four, zipf):
        ranking = br.credible_ranking(br.fit(clustered(groups), "paired", seed=1), "mean_outcome")
        assert is_unjustified(ranking, "clusters_too_few")
        assert ranking["probability_best"].max() > 0.95
        assert "effective clusters are too few to rule out any other" in br.verdict(ranking)[0]
    # Where all clusters weigh the same, their sizes do not matter.
    posterior = br.fit(clustered(zipf), "paired", target="cluster", seed=1)
    assert br.credible_ranking(posterior, "mean_outcome").attrs["sets"] == "confidence"
    top = br.top_set(br.fit(clustered(four), "paired", seed=1), "mean_outcome", 1)
    assert top["in_confidence_set"].all()
    assert not top["surely_top"].any()
    assert top.attrs["sets"] == "none"


@pytest.mark.parametrize(
    ("sizes", "supported"),
    [
        ([15] * 4, True),
        ([10, 11, 12, 12], True),
        ([10, 10, 10, 13], False),
        ([20] * 3, False),
        ([5, 10, 15, 20, 40], False),
    ],
)
def test_four_nearly_equal_clusters_are_enough(sizes, supported):
    groups = np.repeat(range(len(sizes)), sizes)
    ranking = br.credible_ranking(
        br.fit(clustered(groups), "paired", seed=1, draws=200), "mean_outcome"
    )
    assert (ranking.attrs["sets"] == "confidence") == supported
    assert ("clusters_too_few" in ranking.attrs["caps"]) != supported


@pytest.mark.parametrize(("units", "entities"), [(5, 20), (6, 20), (8, 12)])
def test_many_pairs_on_few_units_are_rarely_ruled_out(units, entities):
    """Without the Bonferroni bound, the share of false claims is above 0.2 for 20 entities on 5 units."""
    rng, unknown, false = np.random.default_rng(units), np.full(entities, np.nan), 0
    factor = np.full(entities, np.sqrt((units + 1) / (units - 1)))
    about = Information(unknown, unknown, freedom=float(units - 1), inflation=factor)
    found = ScoreValues(
        xr.DataArray(0.0), "mean_outcome", True, None, "mean_outcome", (-np.inf, np.inf)
    )
    for _ in range(60):
        grades = rng.normal(size=(units, entities))
        weights = rng.standard_exponential((400, units))
        x = weights @ grades / weights.sum(axis=1, keepdims=True)
        sets = rank_sets(x, np.ones(entities, bool), found, 0.95, 400, about)
        false += bool(sets.above.any() or sets.not_best.any())
    assert false <= 7  # two standard errors above 0.05, and one board


def test_a_population_has_sets_of_its_posterior():
    counts = br.from_counts(tn=[70, 79, 30], fp=[10, 1, 50], fn=[9, 1, 20], tp=[21, 29, 10])
    ranking = br.credible_ranking(br.fit(counts, "hierarchical_beta_binomial", seed=1), "f1")
    assert (ranking.attrs["sets"], ranking.attrs["headline"]) == ("posterior", "best")
    assert ranking["overestimate"].isnull().all()
    assert any("rank sets (posterior probability 0.95)" in note for note in br.notes(ranking))


def test_few_discordant_cases_separate_nothing_without_a_prior():
    """Of 60 cases five are right for a alone: an exact sign test gives 0.0625."""
    a = np.r_[np.ones(5), np.ones(40), np.zeros(15)]
    frame = pd.DataFrame({"a": a, "b": np.r_[np.zeros(5), a[5:]]})
    posterior = br.fit(br.from_outcomes(frame), "paired", prior="haldane", seed=1)
    ranking = br.credible_ranking(posterior, "mean_outcome")
    x = posterior.posterior["mean_outcome"].values.reshape(-1, 2)
    assert best_set(x).tolist() == [True, False]  # what draws alone would say
    assert ranking["in_best_set"].values.tolist() == [True, True]
    # The exact test has p = 0.18 for 7 cases against 2, and 0.021 for 9 against 1.
    for more, less, expected in ((7, 2, [True, True]), (9, 1, [True, False])):
        a = np.r_[np.ones(more), np.zeros(less), np.ones(60 - more - less)]
        b = np.r_[np.zeros(more), np.ones(60 - more)]
        posterior = br.fit(
            br.from_outcomes(pd.DataFrame({"a": a, "b": b})), "paired", prior="haldane", seed=1
        )
        assert (
            br.credible_ranking(posterior, "mean_outcome")["in_best_set"].values.tolist()
            == expected
        )


def test_averages_over_small_classes_are_widened_or_withheld():
    rng = np.random.default_rng(5)

    def ranking(cases, score, prior="four_cases"):
        tables = np.stack(
            [[rng.multinomial(cases, p) for p in np.full((10, 10), 0.02) + 0.8 * np.eye(10)]] * 2
        )
        counts = br.from_matrix(tables, "actual_rows")
        return br.credible_ranking(
            br.fit(counts, seed=1, prior=prior, force=True, draws=200), score
        )

    assert "cases_of_class_too_few" in ranking(1, "macro_f1").attrs["caps"]
    assert ranking(3, "macro_f1").attrs["sets"] == "confidence"
    assert ranking(1, "accuracy").attrs["sets"] == "confidence"


def test_margins_are_those_of_t_distributions():
    critical = stats.norm.ppf(0.975)
    both, unknown = np.array([0, 1]), np.full(2, np.nan)
    about = Information(unknown, unknown, freedom=np.array([[np.inf, 5.0], [0.0, 1e9]]))
    wanted = [[critical, stats.t.ppf(0.975, 5)], [np.inf, critical]]
    np.testing.assert_allclose(about.threshold(both, critical), wanted, rtol=1e-6)
    about = Information(
        unknown, unknown, freedom=np.array([[1.0, 0.4], [1.0, 1.0]])
    )  # two clusters
    wanted = stats.t.ppf(0.975, [[1, 0.4], [1, 1]])
    np.testing.assert_allclose(about.threshold(both, critical), wanted, rtol=1e-6)
    about = Information(
        unknown, unknown, freedom=np.full((2, 2), 5.0), inflation=np.array([1.0, 1.2])
    )
    assert about.threshold(both, critical)[0, 1] == pytest.approx(1.2 * stats.t.ppf(0.975, 5))


def test_the_direction_and_undefined_values_of_overestimates():
    rng = np.random.default_rng(7)
    x = rng.beta(50, 50, (1000, 6))
    up = br.credible_ranking(draws_of(x), "accuracy")["overestimate"].values
    down = br.credible_ranking(draws_of(1 - x, name="fpr"), "fpr")["overestimate"].values
    np.testing.assert_allclose(up, down, atol=1e-12)
    x[:, 5] = np.nan
    ranking = br.credible_ranking(draws_of(x), "accuracy")
    assert ranking["overestimate"].isnull().values.tolist() == [False] * 5 + [True]
    assert br.credible_ranking(draws_of(x[:, :2]), "accuracy")["overestimate"].isnull().all()
    name, loss, _ = leader_overestimate(ranking)
    assert loss == ranking["overestimate"].sel(entity=name).item()


@pytest.mark.parametrize(("cases", "rate"), [(3, 0.8), (5, 0.77), (5, 0.95), (8, 0.98), (12, 0.95)])
def test_few_cases_beside_many_are_no_proof(cases, rate):
    """Both entities have the same rate; the exact share of boards on which one is called worse is at most 0.05."""
    correct = np.arange(cases + 1)
    chance = stats.binom.pmf(correct, cases, rate)
    wrong = 0.0
    for k in correct[chance > 1e-3]:
        many = round(10_000 * rate)
        counts = br.from_counts(tn=[9, 9], fp=[1, 1], fn=[cases - k, 10_000 - many], tp=[k, many])
        ranking = br.credible_ranking(br.fit(counts, "beta_binomial", seed=1, draws=500), "tpr")
        wrong += chance[k] * bool((~ranking["in_best_set"]).any())
    assert wrong <= 0.05


def test_the_degrees_of_freedom_are_those_of_the_cases_behind_the_score():
    counts = br.from_counts(tn=[500, 500], fp=[9, 9], fn=[2, 90], tp=[6, 900])
    posterior, ranked = br.fit(counts, seed=1, draws=50), {}
    for score in ("tpr", "tnr", "informedness", "accuracy"):
        values = score_values(posterior, score, None, None).values
        evidence = evidence_of(posterior, None, values, None)
        ranked[score] = information_of(evidence, br.scores.get(score), 2).freedom
    assert ranked["tpr"].tolist() == [[7, 7], [7, np.inf]]
    assert ranked["informedness"][0, 0] == pytest.approx(
        7, abs=0.1
    )  # nearly all variance is of the 8 positive cases
    assert np.isinf(ranked["tnr"]).all()
    assert np.isinf(ranked["accuracy"]).all()


@pytest.mark.parametrize(("score", "cells", "lacking"), [
    ("tnr", {"tp": 20, "fn": 5}, "negative cases"),
    ("tpr", {"tn": 20, "fp": 5}, "positive cases"),
    ("ppv", {"tn": 20, "fn": 5}, "positive calls"),
    ("npv", {"tp": 20, "fp": 5}, "negative calls"),
])  # fmt: skip
def test_why_a_score_is_undefined(score, cells, lacking):
    each = {name: [cells.get(name, 0), 9] for name in ("tn", "fp", "fn", "tp")}
    ranking = br.credible_ranking(
        br.fit(br.from_counts(**each, entity=["a", "b"]), force=True, seed=1, draws=50), score
    )
    [note] = [note for note in notes_of(ranking.attrs["notes"]) if note.code == "score_undefined"]
    assert (note.fields["entities"], note.fields["lacking"]) == (["a"], lacking)


def test_class_shares_of_sampled_cases_have_the_variance_of_a_share():
    counts = br.from_counts(tn=[50, 5], fp=[10, 1], fn=[6, 0], tp=[24, 3], entity=["a", "b"])
    found = {}
    for prevalence in ("sampled", "observed"):
        posterior = br.fit(counts, "dirichlet_multinomial", prevalence=prevalence, seed=1, draws=50)
        values = score_values(posterior, "f1", None, None).values
        mean, found[prevalence] = evidence_of(posterior, None, values, None).class_shares()
        np.testing.assert_allclose(mean.values, [[2 / 3, 1 / 3], [2 / 3, 1 / 3]])
    np.testing.assert_allclose(found["sampled"], np.array([[1, 1], [10, 10]]) * 2 / 9 / 90)
    assert not found["observed"].any()
