"""Counts of outcomes without classes: right and wrong, grades; evidence, posterior, ranking, notes and refusals."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayesrank as br
from bayesrank._core.compat import to_container
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.source import groups_of
from bayesrank.claims.pooling import differing_datasets
from bayesrank.evidence.counts import parts_of
from bayesrank.evidence.pooled import record_of
from bayesrank.models import conjugate_posterior
from tests.strategies import right_of
from tests.told import codes_in, fields_of

RIGHT = pd.DataFrame({"entity": ["a", "b", "c"], "correct": [170, 140, 20], "wrong": [30, 60, 0]})
GRADES = pd.DataFrame(
    {"entity": list("aaabb"), "outcome": [1, 2, 5, 2, 5], "count": [10, 30, 20, 25, 35]}
)  # fmt: skip


def right_wrong(**columns):
    return br.from_frame(RIGHT.assign(**columns))


# Evidence


def test_outcomes_are_sorted_and_absent_ones_are_0():
    counts = br.from_frame(GRADES.sample(frac=1, random_state=2))
    assert counts["outcome"].values.tolist() == [1, 2, 5]
    assert counts.sel(entity="b").values.tolist() == [0, 25, 35]
    right = br.from_frame(pd.DataFrame({"entity": ["a"], "outcome": [True], "count": [7]}))
    assert right["outcome"].values.tolist() == [0, 1]
    assert right.values.tolist() == [[0, 7]]


def test_text_and_ordered_categories():
    frame = pd.DataFrame({"entity": "a", "outcome": ["poor", "good"], "count": [3, 4]})
    assert br.from_frame(frame)["outcome"].values.tolist() == ["good", "poor"]
    order = ["poor", "fair", "good"]
    counts = br.from_frame(frame.assign(outcome=pd.Categorical(frame["outcome"], order)))
    assert counts["outcome"].values.tolist() == order
    assert counts.values.tolist() == [[3, 0, 4]]


def test_pairs_that_were_not_measured():
    frame = RIGHT.assign(set=["x", "x", "y"])
    counts = br.from_frame(frame, dataset="set")
    assert counts["measured"].values.tolist() == [[True, False], [True, False], [False, True]]
    posterior = br.fit(counts, draws=5, seed=1)["posterior"]
    assert (posterior["mean_outcome"].isnull() == ~counts["measured"]).all()
    assert (posterior["performance"].isnull().any("outcome") == ~counts["measured"]).all()


# The posterior, against closed forms


def test_right_and_wrong_have_a_beta_posterior():
    posterior = br.fit(right_wrong(), seed=1, draws=2000)["posterior"]
    for name, right, wrong in RIGHT.itertuples(index=False):
        draws = posterior["mean_outcome"].sel(entity=name).values.ravel()
        assert stats.kstest(draws, stats.beta(right + 0.5, wrong + 0.5).cdf).pvalue > 0.001
    np.testing.assert_array_equal(
        posterior["mean_outcome"], posterior["performance"].sel(outcome=1)
    )
    np.testing.assert_allclose(posterior["performance"].sum("outcome"), 1)


@pytest.mark.parametrize(
    ("prior", "each"),
    [
        (None, 1 / 3),
        ("four_cases", 4 / 3),
        ("uniform", 1),
        ("jeffreys", 0.5),
        (2, 2),
        ([3, 1, 2], None),
    ],
)
def test_grades_have_the_moments_of_a_dirichlet(prior, each):
    counts = br.from_frame(GRADES)
    options = {} if prior is None else {"prior": prior}
    alpha = counts.values + (np.array(prior) if each is None else each)
    known = conjugate_posterior("dirichlet_multinomial", counts, options)
    assert known.posterior.dims == ("entity", "outcome")
    np.testing.assert_allclose(known.posterior, alpha)
    of_entities = conjugate_posterior(
        "dirichlet_multinomial", counts, {"prior": {"a": 1, "b": [1, 2, 3]}}
    )
    np.testing.assert_allclose(of_entities.posterior - counts, [[1, 1, 1], [1, 2, 3]])
    mean = br.fit(counts, seed=1, draws=2500, **options)["posterior"]["mean_outcome"]
    total, values = alpha.sum(1), np.array([1, 2, 5])
    share = alpha / total[:, None]
    expected = share @ values
    variance = (share @ values**2 - expected**2) / (total + 1)
    n = 10_000
    assert (np.abs(mean.mean(("chain", "draw")) - expected) < 5 * np.sqrt(variance / n)).all()
    # The variance of a sample's variance, of something close to normal.
    assert (np.abs(mean.var(("chain", "draw")) / variance - 1) < 5 * np.sqrt(2 / n)).all()


def test_the_prior_is_one_case_whatever_the_number_of_outcomes():
    """Of three grades the moments of the posterior say it."""
    beta = br.fit(right_wrong(), seed=1, draws=4000, groups=["prior"])["prior"]["mean_outcome"]
    assert stats.kstest(beta.values[..., 0].ravel(), stats.beta(0.5, 0.5).cdf).pvalue > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts", [right_wrong(), br.from_frame(GRADES)], ids=["right and wrong", "grades"]
)
def test_nuts_finds_the_exact_posterior(counts):
    options = {"tune": 500, "target_accept": 0.95}
    sampled = br.fit(counts, sampler="nuts", draws=1500, chains=2, seed=1, nuts=options)
    ranking = br.credible_ranking(sampled, "mean_outcome")
    assert ranking["observed"].notnull().all()
    sampled = sampled["posterior"]
    assert set(sampled) == {"performance", "mean_outcome"}
    assert sampled["mean_outcome"].dims == ("chain", "draw", "entity")
    alpha = conjugate_posterior("dirichlet_multinomial", counts, {}).posterior
    total, values = alpha.sum("outcome"), counts["outcome"].values
    share = (alpha / total).values
    sd = np.sqrt((share @ values**2 - (share @ values) ** 2) / (total + 1)).values
    # Some 1,000 effective draws at least, of 3,000.
    assert (
        np.abs(sampled["mean_outcome"].mean(("chain", "draw")) - share @ values)
        < 5 * sd / np.sqrt(1000)
    ).all()
    assert (
        np.abs(sampled["mean_outcome"].std(("chain", "draw")) / sd - 1) < 5 / np.sqrt(2 * 1000)
    ).all()


def test_the_likelihood_is_multinomial():
    counts = br.from_frame(GRADES)
    fit = br.fit(counts, seed=1, draws=3, chains=1, groups=["log_likelihood"])
    for name in "ab":
        p = fit["posterior"]["performance"].sel(entity=name, chain=0)
        n = counts.sel(entity=name).values
        expected = [stats.multinomial(n.sum(), row).logpmf(n) for row in p.values]
        np.testing.assert_allclose(
            fit["log_likelihood"]["counts"].sel(entity=name, chain=0), expected
        )


# Ranking


@settings(max_examples=8)
@given(
    st.lists(
        st.lists(st.integers(0, 40), min_size=3, max_size=3).filter(any), min_size=1, max_size=4
    ),
    st.sampled_from([(0, 1, 2), (-3.5, 0.0, 100.0), (1, 2, 5)]),
)
def test_observed_means_are_right_and_two_or_more_cases_of_two_grades_lie_inside(tables, grades):
    rows = [
        {"entity": f"e{i}", "outcome": g, "count": 3 * n}
        for i, t in enumerate(tables)
        for g, n in zip(grades, t, strict=True)
    ]
    counts = br.from_frame(pd.DataFrame(rows))
    ranking = br.credible_ranking(br.fit(counts, draws=250, seed=1), "mean_outcome", prob=0.99)
    expected = [np.average(grades, weights=table) for table in tables]
    np.testing.assert_allclose(ranking["observed"], expected)
    assert ranking.attrs["range"] == [float(grades[0]), float(grades[-1])]
    spread = [sum(n > 0 for n in table) > 1 and sum(table) >= 10 for table in tables]
    assert not ranking["contradicted"].values[spread].any()


def test_a_ranking_by_a_score_on_outcomes_is_that_of_the_mean():
    posterior = br.fit(br.from_frame(GRADES), seed=1)
    grade = xr.DataArray([1.0, 2.0, 5.0], {"outcome": [1, 2, 5]}, ("outcome",))
    values = br.ranking_score(posterior, xr.ones_like(grade), grade)
    np.testing.assert_allclose(values, posterior["posterior"]["mean_outcome"])
    one, other = br.credible_ranking(values), br.credible_ranking(posterior, "mean_outcome")
    np.testing.assert_allclose(one["probability_best"], other["probability_best"])


def test_counts_and_performances_have_a_mean_outcome_too():
    counts = right_wrong()
    for source in (counts, br.as_performance(counts), br.as_performance(counts).to_dataset()):
        assert br.rank(source).values.tolist() == [2, 3, 1]
    point = br.credible_ranking(counts)
    np.testing.assert_allclose(point["observed"], [0.85, 0.7, 1])
    assert point.attrs["range"] == [0, 1]


def test_who_met_the_same_cases_can_be_said():
    counts = right_wrong(wrong=[30, 60, 180]).assign_coords(test_set=("entity", ["x"] * 3))
    fields = fields_of(br.credible_ranking(br.fit(counts, seed=1), "mean_outcome"), "same_cases")
    assert all(fields[name] for name in ("one", "of_outcomes", "named"))


def test_a_perfect_board_and_a_hopeless_one():
    frame = pd.DataFrame(
        {"entity": list("abcd"), "correct": [50, 50, 0, 0], "wrong": [0, 0, 50, 50]}
    )
    ranking = br.credible_ranking(br.fit(br.from_frame(frame), seed=1, draws=200), "mean_outcome")
    assert ranking["tier"].values.tolist() == [1, 1, 2, 2]
    assert not ranking["contradicted"].any()


def test_right_and_wrong_are_ranked_without_draws():
    """Of Beta posteriors, which tests/ranking/test_exact.py integrates; equal counts have equal numbers."""
    frame = pd.DataFrame(
        {"entity": list("abcd"), "correct": [46, 38, 46, 51], "wrong": [14, 22, 14, 4]}
    )
    counts = br.from_frame(frame)
    betas = [
        stats.beta(0.5 + right, 0.5 + wrong)
        for right, wrong in zip(frame["correct"], frame["wrong"], strict=True)
    ]
    for posterior in (counts, br.fit(counts, seed=1, draws=50)):
        ranking = br.credible_ranking(posterior, "mean_outcome", method="exact")
        np.testing.assert_allclose(ranking["lower"], [beta.ppf(0.025) for beta in betas], rtol=1e-6)
        np.testing.assert_allclose(
            ranking["observed"], frame["correct"] / (frame["correct"] + frame["wrong"])
        )
        twins = ranking.isel(entity=[0, 2])
        for name in ("median", "upper", "probability_best", "expected_rank", "expected_regret"):
            assert twins[name][0].item() == twins[name][1].item()
    drawn = br.credible_ranking(br.fit(counts, seed=1), "mean_outcome", method="auto")
    assert (drawn.attrs["method"], drawn["probability_best"][1].item()) == (
        "exact",
        ranking["probability_best"][1],
    )
    # Only with draws are there rank sets.
    assert br.verdict(ranking)[0].endswith("(method='auto' computes rank sets from draws).")
    assert (ranking.attrs["sets"], drawn.attrs["sets"]) == ("none", "confidence")


def test_only_right_and_wrong_of_one_ranking_need_no_draws():
    def method(source):
        return br.credible_ranking(source, "mean_outcome", method="auto").attrs["method"]

    grades = br.from_frame(
        pd.DataFrame({"entity": ["a", "a", "b"], "outcome": [1, 2, 3], "count": [14, 22, 5]})
    )
    drawn = br.fit(grades, seed=1, draws=50)
    for source in (grades, drawn):
        with pytest.raises(
            ValueError, match=r"source must have the outcomes 0 and 1.*got \[1, 2, 3\]"
        ):
            br.credible_ranking(source, "mean_outcome", method="exact")
    assert method(drawn) == "draws"
    frame = pd.DataFrame(
        {"entity": list("aabb"), "dataset": list("xyxy"), "correct": [9, 8, 5, 4], "wrong": 1}
    )
    sets = br.from_frame(frame, dataset="dataset")
    alone = {name: sets.sel(dataset=name).drop_vars(["dataset", "measured"]) for name in "xy"}
    best = br.credible_ranking(sets, "mean_outcome", method="exact")["probability_best"]
    for name, counts in alone.items():
        one = br.credible_ranking(counts, "mean_outcome", method="exact")["probability_best"]
        np.testing.assert_allclose(best.sel(dataset=name), one, rtol=1e-12)
    assert (
        method(br.performance.mean_over_datasets(br.fit(sets, seed=1, draws=50, split_prior=True)))
        == "draws"
    )
    # Draws that somebody replaced are ranked as they are.
    other = {
        name: held.copy() for name, held in groups_of(br.fit(alone["x"], seed=1, draws=50)).items()
    }
    other["posterior"]["mean_outcome"] = 1 - other["posterior"]["mean_outcome"]
    assert method(to_container(other)) == "draws"


def test_a_ranking_of_each_data_set():
    ranking = br.credible_ranking(
        br.fit(right_of([[9, 30], [4, 31]], np.array([[10, 39], [8, 34]])), seed=1), "mean_outcome"
    )
    np.testing.assert_allclose(
        ranking["observed"].transpose("entity", "dataset"), [[0.9, 30 / 39], [0.5, 31 / 34]]
    )
    assert ["few_cases" in codes_in(ranking.sel(dataset=name)) for name in (0, 1)] == [
        True,
        False,
    ]


# Data sets together


def test_one_prior_is_added_to_the_sum():
    counts = right_of([[9] * 30, [8] * 30], 10)
    pooled = br.pool(counts)
    assert pooled.values.tolist() == [[30, 270], [60, 240]]
    known = conjugate_posterior("dirichlet_multinomial", pooled, {})
    assert known.posterior.values.tolist() == [[30.5, 270.5], [60.5, 240.5]]
    parts = parts_of(pooled.isel(entity=[1]))
    np.testing.assert_array_equal(parts, counts.isel(entity=[1]))
    assert parts_of(pooled.isel(outcome=[1])) is None


def test_simpsons_paradox_without_classes():
    """Two treatments of kidney stones: A cures more of the small and of the large ones, B more of all."""
    stones = right_of([[81, 192], [234, 55]], np.array([[87, 263], [270, 80]]))
    ranking = br.credible_ranking(br.fit(br.pool(stones), seed=1, draws=100), "mean_outcome")
    assert "on which both have a score ranks 0 above 1; the pool ranks the opposite." in " ".join(
        [*br.verdict(ranking), *br.notes(ranking)]
    )


def test_data_sets_that_differ_have_a_note_and_others_have_none():
    rng = np.random.default_rng(4)
    rates = {"apart": np.linspace(0.2, 0.8, 12), "alike": np.full(12, 0.5)}
    found = {}
    for name, rate in rates.items():
        right = rng.binomial(100, rate, (5, 12))
        found[name] = differing_datasets(
            record_of(EvidenceRecord.of(br.pool(right_of(right, 100)))), None
        )
    fields = found["apart"][0].fields
    assert (fields["different"], fields["entities"]) == (5, 5)
    assert found["alike"] == []


# Future cases, and what is refused


def test_future_cases_are_beta_binomial():
    posterior = br.fit(right_wrong(), seed=1, draws=2500)
    future = br.posterior_predictive(posterior, size=12, seed=2)
    assert future.dims == ("chain", "draw", "entity", "outcome")
    assert (future.sum("outcome") == 12).all()
    for name, right, wrong in RIGHT.itertuples(index=False):
        expected = stats.betabinom(12, right + 0.5, wrong + 0.5).pmf(np.arange(13))
        seen = np.bincount(future.sel(entity=name, outcome=1).values.ravel(), minlength=13) / 10_000
        assert (np.abs(seen - expected) < 5 * np.sqrt(expected / 10_000) + 1e-3).all()
    as_many = br.posterior_predictive(posterior, seed=2).sum("outcome")
    assert (as_many == [200, 200, 20]).all()
    replicated = br.fit(right_wrong(), seed=1, draws=9, groups=["posterior_predictive"])[
        "posterior_predictive"
    ]
    assert (replicated["counts"].sum("outcome") == [200, 200, 20]).all()


def test_the_order_of_outcomes_changes_nothing():
    """Numbers or text, in the posterior, before any data, and in a future test set."""
    for names in ([1, 3, 10], ["bad", "fair", "good"]):
        counts = xr.DataArray(
            [[5, 8, 2], [1, 6, 8]], {"entity": ["a", "b"], "outcome": names}, ("entity", "outcome")
        )
        prior = xr.DataArray([1.0, 2.0, 3.0], {"outcome": names}, ("outcome",))
        one, other = (
            br.fit(c, prior=prior, draws=50, seed=1, groups=("prior",))
            for c in (counts, counts.isel(outcome=[2, 0, 1]))
        )
        for group in ("posterior", "prior"):
            drawn = [br.as_performance(groups_of(fitted)[group]) for fitted in (one, other)]
            np.testing.assert_array_equal(drawn[1].sel(outcome=names), drawn[0])
        future = [br.posterior_predictive(fitted, 30, seed=2) for fitted in (one, other)]
        np.testing.assert_array_equal(future[1].sel(outcome=names), future[0])


@pytest.mark.parametrize("largest", [2**53, 1e300])
def test_the_largest_outcomes_keep_their_digits(largest):
    frame = pd.DataFrame({"entity": ["a", "a"], "outcome": [largest, 0], "count": [3, 4]})
    assert br.from_frame(frame)["outcome"].values.tolist() == [0, largest]


@pytest.mark.slow
def test_no_best_entity_is_named_where_quadrature_cannot():
    """Nodes hardly reach what faint priors say of both rates of entities that were always right."""
    counts = br.from_counts(
        tn=[10, 10, 8], fp=[0, 0, 0], fn=[0, 0, 0], tp=[9, 9, 9], entity=["a", "b", "c"]
    )
    ranking = br.credible_ranking(
        counts, "informedness", model="beta_binomial", prior=0.08, method="exact"
    )
    assert 5e-4 < ranking["probability_best_error"].max() < 0.01
    said = " ".join([*br.verdict(ranking), *br.notes(ranking)])
    assert "Probabilities may be off by up to" in said
    with pytest.raises(
        ValueError, match=r"quadrature resolves to 0\.01; got an error of 1: .*'draws' ranks"
    ):
        br.credible_ranking(
            counts, "informedness", model="beta_binomial", prior=1e-3, method="exact"
        )
    with pytest.raises(
        ValueError, match=r"got an error of 0\.0[2-9]"
    ):  # little above what is let through
        br.credible_ranking(
            counts, "informedness", model="beta_binomial", prior=0.05, method="exact"
        )
    drawn = br.credible_ranking(
        br.fit(counts, "beta_binomial", prior=1e-3, seed=1), "informedness", method="auto"
    )
    assert drawn.attrs["method"] == "draws"
