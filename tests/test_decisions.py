"""Decisions against closed forms and quadrature."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayesrank as br
from bayesrank.decisions import expected_utility
from bayesrank.decisions.tables import utility_table
from tests.strategies import INCOMPLETE

COUNTS = br.from_counts(
    tn=[70, 79, 75],
    fp=[10, 1, 5],
    fn=[1, 9, 4],
    tp=[29, 21, 26],
    entity=["eager", "shy", "between"],
)
WORTH = {"tn": 0.5, "fp": -1.0, "fn": -20.0, "tp": 3.0}
TABLE = [[0.5, -1.0], [-20.0, 3.0]]
DRAWS = 8_000


@pytest.fixture(scope="module")
def designed():
    """Independent Beta rates of three entities."""
    return br.fit(COUNTS, "beta_binomial", draws=DRAWS // 4, seed=5)


def utilities(posterior, prevalence):
    """By hand: draws (draw, entity)."""
    p = br.as_performance(posterior).transpose("chain", "draw", "entity", ...).values
    p = p.reshape(-1, *p.shape[2:])
    rows = p / p.sum(-1, keepdims=True)
    shares = np.array([1 - prevalence, prevalence]) if prevalence is not None else p.sum(-1)
    return (shares * (rows * TABLE).sum(-1)).sum(-1)


@pytest.mark.parametrize("prevalence", [None, 0.05, 1.0])
def test_the_expected_utility_is_that_of_the_definition(designed, prevalence):
    found = expected_utility(designed, WORTH, prevalence=prevalence)
    x = utilities(designed, prevalence)
    np.testing.assert_allclose(found["mean"], x.mean(0), rtol=1e-12)
    np.testing.assert_allclose(found["lower"], np.quantile(x, 0.025, axis=0), rtol=1e-10)
    np.testing.assert_allclose(
        found["expected_regret"], (x.max(1, keepdims=True) - x).mean(0), rtol=1e-9
    )
    np.testing.assert_allclose(found["probability_best"], (x == x.max(1, keepdims=True)).mean(0))
    # The value of perfect information is the least expected regret: E[max] - max E.
    np.testing.assert_allclose(
        found["value_of_perfect_information"], x.max(1).mean() - x.mean(0).max(), rtol=1e-9
    )
    assert found["choice"].item() == COUNTS["entity"].values[x.mean(0).argmax()]


def test_the_mean_is_that_of_the_betas_within_its_error(designed):
    found = expected_utility(designed, WORTH, prevalence=0.2)
    table = COUNTS.values + 0.5
    rates = table / table.sum(-1, keepdims=True)
    exact = ([0.8, 0.2] * (rates * TABLE).sum(-1)).sum(-1)
    assert (np.abs(found["mean"] - exact) < 4.5 * found["mean_error"]).all()
    # Batch means of 40 batches: the error of an error is 1 / sqrt(2 · 39). It is never below that of independent draws.
    error = utilities(designed, 0.2).std(0) / np.sqrt(DRAWS)
    assert (found["mean_error"] > 0.999 * error).all()
    assert (found["mean_error"] < error * (1 + 4.5 / np.sqrt(2 * 39))).all()


def test_regret_and_perfect_information_against_quadrature(designed):
    """Only true positives count: the utility is π TPR, and E[max] an integral of distribution functions."""
    found = expected_utility(designed, {"tn": 0, "fp": 0, "fn": 0, "tp": 1}, prevalence=0.5)
    betas = [stats.beta(tp + 0.5, fn + 0.5) for (_, (fn, tp)) in COUNTS.values]
    best = 1 - integrate.quad(lambda t: np.prod([b.cdf(t) for b in betas]), 0, 1)[0]
    regret = 0.5 * (best - np.array([b.mean() for b in betas]))
    assert (np.abs(found["expected_regret"] - regret) < 4.5 * found["expected_regret_error"]).all()
    error = float(found["value_of_perfect_information_error"])
    assert abs(float(found["value_of_perfect_information"]) - regret.min()) < 4.5 * error
    assert error < 0.07 * regret.min()
    for i in range(3):
        p = integrate.quad(
            lambda t, i=i: (
                betas[i].pdf(t) * np.prod([b.cdf(t) for j, b in enumerate(betas) if j != i])
            ),
            0,
            1,
        )[0]
        assert abs(float(found["probability_best"][i]) - p) < 4.5 * float(
            found["probability_best_error"][i]
        )


def test_at_the_prevalence_of_the_source_it_is_the_ranking_by_the_benefit():
    posterior = br.fit(COUNTS, seed=3)
    found = expected_utility(posterior, TABLE)
    ranking = br.credible_ranking(posterior, br.scores.decision_benefit(TABLE))
    for name in (
        "median",
        "lower",
        "upper",
        "observed",
        "expected_regret",
        "probability_best",
        "tier",
        "contradicted",
    ):
        np.testing.assert_allclose(found[name], ranking[name], rtol=1e-9, err_msg=name)
    assert br.ranking_table(found).index.tolist() == br.ranking_table(ranking).index.tolist()


def test_a_prevalence_of_equal_draws_is_that_number():
    posterior = br.fit(COUNTS, seed=3, draws=100)
    same = xr.DataArray(np.full((4, 100), 0.07), dims=("chain", "draw"))
    one, other = (expected_utility(posterior, WORTH, prevalence=p) for p in (0.07, same))
    for name in ("mean", "lower", "observed", "expected_regret", "value_of_perfect_information"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-12)
    assert float(one["value_of_prevalence_information"]) == 0.0
    assert float(one["value_of_prevalence_information_error"]) == 0.0
    assert abs(float(other["value_of_prevalence_information"])) < 1e-12


def test_the_uncertainty_of_the_prevalence_counts():
    """Of known rates nothing else is uncertain: what there is to know is the prevalence."""
    pi = xr.DataArray(np.random.default_rng(1).beta(2, 8, (4, 5000)), dims=("chain", "draw"))
    point = br.as_performance(COUNTS)
    found = expected_utility(point, TABLE, prevalence=pi)
    rows = point.values / point.values.sum(-1, keepdims=True)
    each = (rows * TABLE).sum(-1)
    slope = each[:, 1] - each[:, 0]
    x = each[:, 0] + slope * pi.values.reshape(-1, 1)
    np.testing.assert_allclose(found["mean"], x.mean(0), rtol=1e-12)
    gain = x.max(1).mean() - x.mean(0).max()
    assert gain > 0
    np.testing.assert_allclose(found["value_of_prevalence_information"], gain, rtol=1e-9)
    np.testing.assert_allclose(found["value_of_perfect_information"], gain, rtol=1e-9)
    # Closed form, of two lines that cross at one prevalence: E[(d(π))₊] under Beta(2, 8).
    two = expected_utility(point.isel(entity=[0, 1]), TABLE, prevalence=pi)
    d0, d1 = each[0, 0] - each[1, 0], slope[0] - slope[1]
    up = integrate.quad(
        lambda p: max(d0 + d1 * p, 0) * stats.beta(2, 8).pdf(p), 0, 1, points=[-d0 / d1]
    )[0]
    exact = up - max(d0 + d1 * 0.2, 0)
    error = float(two["value_of_prevalence_information_error"])
    assert abs(float(two["value_of_prevalence_information"]) - exact) < 4.5 * error


def test_partial_information_has_no_more_value_than_perfect_information(designed):
    pi = xr.DataArray(np.random.default_rng(2).beta(2, 30, (4, DRAWS // 4)), dims=("chain", "draw"))
    found = expected_utility(
        designed, {"tn": 0, "fp": -1, "fn": -8, "tp": 0}, prevalence=pi, strategies=True
    )
    part, whole = (
        float(found[f"value_of_{what}_information"]) for what in ("prevalence", "perfect")
    )
    assert 0 < part < whole
    assert any("only the prevalence" in line for line in br.notes(found))


def test_strategies_are_entities_of_known_benefit(designed):
    found = expected_utility(designed, WORTH, prevalence=0.1, strategies=True)
    assert found["entity"].values.tolist() == [
        "eager",
        "shy",
        "between",
        "always negative",
        "always positive",
    ]
    assert found["strategy"].values.tolist() == [False] * 3 + [True] * 2
    np.testing.assert_allclose(
        found["mean"][3:], [0.9 * 0.5 - 0.1 * 20, -0.9 + 0.1 * 3], rtol=1e-12
    )
    np.testing.assert_allclose(found["observed"][3:], found["mean"][3:], rtol=1e-12)
    alone = expected_utility(designed, WORTH, prevalence=0.1)
    for name in ("mean", "lower", "observed"):
        np.testing.assert_array_equal(found[name][:3], alone[name])
    # A rarer condition: nobody is worth asking.
    rare = expected_utility(designed, WORTH, prevalence=1e-5, strategies=True)
    assert rare["choice"].item() == "always negative"
    assert any(line.endswith("which gives every case the same answer.") for line in br.notes(rare))


def test_strategies_stand_at_the_prevalence_of_the_entities():
    posterior = br.fit(COUNTS, seed=3)
    found = expected_utility(posterior, TABLE, strategies=True)
    share = (
        br.as_performance(posterior).isel(entity=0).sum("predicted").mean(("chain", "draw")).values
    )
    np.testing.assert_allclose(found["mean"][3:], share @ np.array(TABLE), rtol=1e-12)
    apart = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[1, 9], tp=[29, 31], entity=["a", "b"])
    with pytest.raises(ValueError, match=r"^prevalence must be given to compare with strategies"):
        expected_utility(br.fit(apart, seed=1), TABLE, strategies=True)
    found = expected_utility(br.fit(apart, seed=1), TABLE, strategies=True, prevalence=0.2)
    assert found.sizes["entity"] == 4
    with pytest.raises(ValueError, match=r"^source must not give an entity the name of a strategy"):
        expected_utility(
            COUNTS.assign_coords(entity=["always negative", "b", "c"]), TABLE, strategies=True
        )


@pytest.mark.parametrize("classes", [2, 10])
def test_right_answers_alone_make_it_the_accuracy(classes):
    rng = np.random.default_rng(classes)
    counts = br.from_matrix(
        rng.poisson(3, (3, classes, classes)) + 30 * np.eye(classes, dtype=int), "actual_rows"
    )
    posterior = br.fit(counts, draws=50, seed=1)
    plain = expected_utility(posterior, np.eye(classes))
    accuracy = br.credible_ranking(posterior, "accuracy")
    np.testing.assert_allclose(
        plain["mean"], br.scores.accuracy(posterior).mean(("chain", "draw")), rtol=1e-10
    )
    np.testing.assert_allclose(plain["observed"], accuracy["observed"], rtol=1e-12)
    held = (plain["lower"] <= plain["observed"]) & (plain["observed"] <= plain["upper"])
    assert (held | plain["contradicted"]).all()
    shares = xr.DataArray(
        rng.dirichlet(np.ones(classes)), {"actual": counts["actual"].values}, ["actual"]
    )
    weighed = expected_utility(posterior, np.eye(classes), prevalence=shares, strategies=True)
    p = br.as_performance(posterior).values
    recall = np.diagonal(p, axis1=-2, axis2=-1) / p.sum(-1)
    np.testing.assert_allclose(
        weighed["mean"][:3], (recall @ shares.values).mean((0, 1)), rtol=1e-9
    )
    np.testing.assert_allclose(weighed["mean"][3:], shares.values, rtol=1e-12)


def test_benefits_are_matched_by_label():
    labels = ["a", "b", "c"]
    counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows", labels=labels)
    rng = np.random.default_rng(0)
    worth = xr.DataArray(
        rng.normal(size=(3, 3)), {"actual": labels, "predicted": labels}, ("actual", "predicted")
    )
    turned = worth.sel(actual=["c", "a", "b"], predicted=["b", "c", "a"]).transpose(
        "predicted", "actual"
    )
    for one in (worth, turned):
        wanted = (counts.values * worth.values).sum() / counts.values.sum()
        np.testing.assert_allclose(expected_utility(counts, one)["mean"], wanted, rtol=1e-12)


@settings(max_examples=4)
@given(st.permutations(range(3)), st.floats(0.01, 0.99), st.floats(0.1, 100))
def test_order_and_unit_change_nothing(order, prevalence, unit):
    posterior = br.as_performance(br.fit(COUNTS, draws=50, chains=2, seed=1))
    found = expected_utility(posterior, TABLE, prevalence=prevalence)
    turned = expected_utility(
        posterior.isel(entity=order), unit * np.array(TABLE) + 7, prevalence=prevalence
    )
    turned = turned.sel(entity=found["entity"].values)
    np.testing.assert_allclose(turned["mean"], unit * found["mean"] + 7, rtol=1e-9)
    np.testing.assert_allclose(turned["probability_best"], found["probability_best"])
    for name in ("expected_regret", "value_of_perfect_information"):
        np.testing.assert_allclose(turned[name], unit * found[name], rtol=1e-6, atol=1e-9 * unit)
    assert turned["choice"].item() == found["choice"].item()


def test_entities_and_data_sets_that_were_not_measured():
    found = expected_utility(
        br.fit(INCOMPLETE, draws=50, seed=1), TABLE, strategies=True, prevalence=0.3
    )
    assert dict(found["mean"].sizes) == {"dataset": 2, "entity": 4}
    assert np.isnan(found["mean"].sel(entity="b", dataset="y"))
    assert found["choice"].sel(dataset="y").item() in ("a", "always negative", "always positive")
    regret = found["expected_regret"].min("entity")
    np.testing.assert_allclose(found["value_of_perfect_information"], regret)
    with pytest.raises(ValueError, match=r"^decision must be one decision"):
        br.verdict(found)
    assert "Not ranked: b has no defined utility." in br.notes(found.sel(dataset="y"))


def test_draws_may_be_stacked():
    """They are then one chain, which changes the errors only."""
    draws = br.as_performance(br.fit(COUNTS, draws=100, seed=1))
    pi = xr.DataArray(
        np.random.default_rng(1).beta(2, 9, (4, 100)), {"draw": range(5, 105)}, ("chain", "draw")
    )
    found = expected_utility(draws, TABLE, prevalence=pi)
    pi = pi.assign_coords(draw=range(100), chain=range(4)).stack(sample=("chain", "draw"))
    stacked = expected_utility(draws.stack(sample=("chain", "draw")), TABLE, prevalence=pi)
    information = [f"value_of_{what}_information" for what in ("perfect", "prevalence")]
    for name in ("mean", "lower", "probability_best", *information):
        np.testing.assert_allclose(stacked[name], found[name], rtol=1e-9)


def test_perfect_and_empty_tables_contradict_nothing():
    counts = br.from_counts(
        tn=[50, 45], fp=[0, 5], fn=[0, 30], tp=[30, 0], entity=["perfect", "half"]
    )
    for prevalence in (None, 0.1):
        found = expected_utility(
            br.fit(counts, seed=1), TABLE, prevalence=prevalence, strategies=True
        )
        assert not found["contradicted"].any()
        assert not any("outside" in line for line in [*br.verdict(found), *br.notes(found)])
    wrong = br.fit(COUNTS, seed=1, prior=[[2000, 2000], [2000, 2000]])
    found = expected_utility(wrong, TABLE, prevalence=0.3)
    assert found["contradicted"].all()
    assert "is outside its 95% interval" in br.verdict(found)[-1]


def test_a_class_that_never_occurs_has_no_benefit():
    """Its rates are lost, and do not matter where it does not occur."""
    never = expected_utility(br.fit(COUNTS, seed=1, draws=50, prevalence=0.0), TABLE)
    tnr = br.scores.tnr(br.fit(COUNTS, seed=1, draws=50))
    np.testing.assert_allclose(never["mean"], (1.5 * tnr - 1).mean(("chain", "draw")), rtol=1e-9)
    moved = expected_utility(
        br.fit(COUNTS, seed=1, draws=50, prevalence=0.0), TABLE, prevalence=0.5
    )
    assert moved["mean"].isnull().all()
    assert moved["choice"].item() == ""


def test_the_prevalence_of_the_fit_is_that_of_what_was_observed():
    fixed = expected_utility(br.fit(COUNTS, seed=1, prevalence=0.1), TABLE)
    given = expected_utility(br.fit(COUNTS, seed=1), TABLE, prevalence=0.1)
    np.testing.assert_allclose(fixed["observed"], given["observed"], rtol=1e-9)
    np.testing.assert_allclose(fixed["mean"], given["mean"], rtol=1e-9)
    depends = "Utility depends on the prevalence, which was set by hand: at another one the ranking may differ."
    assert depends in [*br.verdict(fixed), *br.notes(fixed)]
    assert depends not in [*br.verdict(given), *br.notes(given)]


def test_entities_with_the_same_table_have_the_same_mean_utility():
    counts = br.from_counts(
        tn=[80, 80, 60], fp=[20, 20, 40], fn=[15, 15, 15], tp=[35, 35, 35], entity=list("abc")
    )
    decision = br.decisions.expected_utility(
        br.fit(counts, seed=1), {"tn": 0, "fp": -1, "fn": -3, "tp": 0}
    )
    mean = decision["mean"].to_series()
    assert mean["a"] == mean["b"] != mean["c"]


@pytest.mark.parametrize(
    ("factor", "shift", "decimals"), [(1, 0, 2), (1, 1000, 2), (100, 0, 0), (0.01, 0, 4)]
)
def test_the_widths_of_intervals_determine_the_digits(designed, factor, shift, decimals):
    """Two decimals if an interval is 1 to 10 wide, wherever it lies."""
    worth = {outcome: factor * value + shift for outcome, value in WORTH.items()}
    found = expected_utility(designed, worth, prevalence=0.2)
    assert 1 <= np.median(found["upper"] - found["lower"]) / factor < 10
    for row in utility_table(found)[1]:
        assert len(row[1].partition(".")[2]) == decimals
