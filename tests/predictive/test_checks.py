"""Predictive checks: their statistics by hand, their size where the model holds, their power where it does not."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.random import root_sequence
from bayesrank._core.source import groups_of
from bayesrank.models import model_of
from bayesrank.predictive import checks
from bayesrank.predictive.checks import _statistics

HIERARCHICAL = "hierarchical_beta_binomial"


def outcomes(right, cases):
    """Right and wrong (entity, data set)."""
    right = np.asarray(right)
    names = [f"set {d:02d}" for d in range(right.shape[1])]
    return xr.DataArray(
        np.stack([cases - right, right], -1),
        {"entity": list("abcdef"[: len(right)]), "dataset": names, "outcome": [0, 1]},
        ("entity", "dataset", "outcome"),
        name="counts",
    )


def test_statistics_by_hand():
    """Two entities, two data sets of ten: shares of 1/2, so that n p (1 - p)(1 - n/N) is 1.25."""
    counts = outcomes([[8, 2], [7, 3]], 10).values[None, :, :, None]
    difficulty, overdispersion = _statistics(counts, np.array([False, True]))
    # z is ±3/√1.25 and ±2/√1.25: sums of ±5/√1.25, squared by two entities.
    assert difficulty[0] == pytest.approx(25 / 1.25 / 2)
    # Four cells an entity: 4 × 3²/5 and 4 × 2²/5, of one degree of freedom each.
    assert overdispersion[0] == pytest.approx((4 * 9 / 5 + 4 * 4 / 5) / 2)


def test_chance_alone_is_about_one():
    """Binomial counts of one rate, unequal sizes, one entity that was not everywhere."""
    rng = np.random.default_rng(1)
    cases = rng.integers(5, 60, (3, 9)) * (rng.random((3, 9)) < 0.9)
    right = rng.binomial(cases, [[0.8], [0.6], [0.3]], (1000, 3, 9))
    counts = np.stack([cases - right, right], -1)[:, :, :, None]
    for values in _statistics(counts, np.array([False, True])):
        assert values.mean() == pytest.approx(1, abs=5 * values.std() / np.sqrt(1000))


@pytest.fixture(scope="module")
def worlds():
    """Same rates everywhere; rates of each entity's own; data sets that are hard for all."""
    rng = np.random.default_rng(3)
    cases = rng.integers(20, 80, (1, 20))
    plain = np.full((4, 20), 0.7)
    own = rng.beta(0.7 * 15, 0.3 * 15, (4, 20))
    hard = np.broadcast_to(rng.beta(0.7 * 8, 0.3 * 8, (1, 20)), (4, 20))
    return {
        k: outcomes(rng.binomial(cases, p), cases)
        for k, p in (("plain", plain), ("own", own), ("hard", hard))
    }


@pytest.fixture(scope="module")
def fits(worlds):
    """Pooled, and with a population of data sets."""
    pooled = {
        k: br.fit(br.pool(counts), "dirichlet_multinomial", seed=1, draws=250)
        for k, counts in worlds.items()
    }
    return pooled, {k: br.fit(worlds[k], HIERARCHICAL, seed=1, draws=250) for k in ("own", "hard")}


def p_values(fit):
    return br.predictive.predictive_check(fit, seed=2)["p_value"].values


def test_models_fail_where_they_are_wrong(fits):
    """Pooling where data sets differ; a population of own rates where a data set is hard for all."""
    plain, own, hard = map(p_values, fits[0].values())
    assert ((plain > 0.02) & (plain < 0.98)).all()
    assert own[1] < 0.002
    assert (hard < 0.002).all()
    own, hard = map(p_values, fits[1].values())
    assert ((own > 0.02) & (own < 0.98)).all()
    assert hard[0] < 0.01
    assert 0.02 < hard[1] < 0.98


def test_the_same_data_sets_are_replicated_on_request(fits):
    """Rates that have seen the difficulty have it."""
    check = br.predictive.predictive_check(fits[1]["hard"], kind="observed", seed=2)
    new = br.predictive.predictive_check(fits[1]["hard"], seed=2)
    assert (check.attrs["kind"], new.attrs["kind"]) == ("observed", "new")
    seen, other = (x["replicated"].sel(statistic="difficulty").median() for x in (check, new))
    assert seen > 1.5 * other
    assert br.predictive.predictive_check(fits[0]["hard"], seed=2).attrs["kind"] == "observed"


def test_new_data_sets_have_the_sizes_of_those_observed(worlds):
    counts = worlds["own"].isel(dataset=[4, 1, 2, 0])
    groups = groups_of(br.fit(counts, HIERARCHICAL, seed=1, draws=500))
    new = model_of(groups)[0].renew(groups["posterior"], root_sequence(1), "x")
    assert (new.sum("outcome") == counts.sum("outcome")).all()
    share = (new / new.sum("outcome")).sel(outcome=1).mean(["chain", "draw"])
    mean = groups["posterior"]["mean_rate"].sel(outcome=1).mean(["chain", "draw"])
    np.testing.assert_allclose(share, np.broadcast_to(mean.values[:, None], share.shape), atol=0.02)


def test_tables_of_classes_and_words():
    rng = np.random.default_rng(4)
    tp, tn = rng.binomial(30, rng.beta(4, 1, 12)), rng.binomial(60, 0.9, 12)
    counts = br.from_counts(
        tn=tn, fp=60 - tn, fn=30 - tp, tp=tp, entity=["a"] * 12, dataset=list(range(12))
    )
    check = br.predictive.predictive_check(
        br.fit(br.pool(counts), "beta_binomial", seed=1, draws=250), seed=1
    )
    assert check["replicated"].dims == ("chain", "draw", "statistic")
    assert (check["p_value_error"] > 0).all()
    for line in check.attrs["words"].split("\n"):
        assert line.endswith("the model predicts less than was observed.")
        assert "with probability <0.01: " in line
    held = br.predictive.predictive_check(br.fit(counts, HIERARCHICAL, seed=1, draws=250), seed=1)
    assert "no sign that the model is wrong" in held.attrs["words"]


def test_replicates_do_not_depend_on_the_order(worlds):
    counts = worlds["own"]
    for model, evidence in ((HIERARCHICAL, lambda c: c), ("dirichlet_multinomial", br.pool)):
        one, other = (
            br.predictive.predictive_check(br.fit(evidence(c), model, seed=1, draws=50), seed=1)[
                "replicated"
            ]
            for c in (counts, counts.isel(entity=[2, 0, 1, 3], dataset=list(range(19, -1, -1))))
        )
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_extreme_tables():
    """Nothing ever right says nothing; of one case right and one wrong, half of the replicates differ as much."""
    check = br.predictive.predictive_check(
        br.fit(br.pool(outcomes([[0, 0, 0]], 10)), seed=1, draws=50), seed=1
    )
    assert check["observed"].isnull().all()
    assert check["p_value"].isnull().all()
    assert check.attrs["words"].count("not enough data") == 2
    br.plots.predictive_check(check)
    check = br.predictive.predictive_check(
        br.fit(br.pool(outcomes([[1, 0]], 1)), seed=1, draws=250), seed=1
    )
    assert (check["p_value"] > 0.2).all()


@pytest.mark.parametrize(
    ("p", "word"), [(0.02, "less"), (0.03, "no sign"), (0.97, "no sign"), (0.98, "more")]
)
def test_words_go_by_both_tails(p, word):
    one = xr.Dataset(
        {"observed": 2.0, "p_value": p, "replicated": (("chain", "draw"), np.ones((1, 9)))}
    )
    said = checks._words(one, "difficulty", 1000).split(" with probability ")[1]
    assert word in said
