"""Direction, finite mean, range and name belong to the score; name and attrs of values only ever refuse."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.claims.ends import CLOSED

COUNTS = br.from_counts(
    tn=[70, 79, 60], fp=[10, 1, 20], fn=[9, 1, 8], tp=[21, 29, 22], entity=["bad", "good", "worse"]
)
POSTERIOR = br.fit(COUNTS, draws=50, seed=1)
HOLDERS = [POSTERIOR, POSTERIOR["posterior"], br.as_performance(POSTERIOR), COUNTS]


@pytest.mark.parametrize("source", HOLDERS, ids=["container", "dataset", "performance", "counts"])
@pytest.mark.parametrize("score", ["f1", "fnr", "miss rate", br.scores.error_rate])
def test_whatever_holds_a_performance_is_ranked_by_a_score(source, score):
    ranking = br.credible_ranking(source, score)
    assert ranking["consensus_rank"].sel(entity="good").item() == 1
    assert ranking.attrs["higher_is_better"] == int(score == "f1")
    assert (br.rank(source, score).sel(entity="good").mean() < 1.5).item()


@pytest.mark.parametrize("keep", [True, False])
def test_attrs_never_decide(keep):
    """Whether xarray keeps them through arithmetic or not, the same call gives the same ranks or none."""
    with xr.set_options(keep_attrs=keep):
        fnr = br.scores.fnr(POSTERIOR)
        turned = 1 - fnr
        kept = turned.attrs.get("direction") or turned.name == "fnr"
        for function in (br.rank, br.credible_ranking, br.theory.relations):
            with pytest.raises(ValueError, match="must be given for values whose name or attrs"):
                function(fnr)
            if kept:
                with pytest.raises(
                    ValueError, match="must be given for values whose name or attrs"
                ):
                    function(turned)
        for values, better in ((turned, True), (fnr, False)):
            assert br.rank(values, higher_is_better=better).sel(entity="good").mean() < 1.5
        assert br.rank(fnr, "fnr").sel(entity="good").mean() < 1.5
        # A better end is told by no name: this one is better the higher it is, whatever its attrs were.
        plain = turned.rename("sensitivity").drop_attrs()
        assert br.rank(plain).sel(entity="good").mean() < 1.5


def test_only_a_known_finite_mean_has_a_regret():
    def misses(tn, fp, fn, tp):
        return -fn

    f1 = br.scores.f1(POSTERIOR)
    known = [(POSTERIOR, "f1"), (f1, "f1"), (f1.rename("mine").drop_attrs(), br.scores.f1)]
    for source, score in (
        *known,
        (f1, None),
        (POSTERIOR, "dor"),
        (POSTERIOR, misses),
        (f1.rename("x"), misses),
    ):
        ranking, finite = br.credible_ranking(source, score), score in ("f1", br.scores.f1)
        for name in ("expected_regret", "expected_regret_error"):
            assert (ranking[name].notnull() == finite).all()
        assert ranking.attrs["finite_mean"] == finite


def test_attrs_say_what_is_known():
    attrs = br.credible_ranking(POSTERIOR, "mcc", prob=0.9, rope=0.01).attrs
    expected = {
        "score": "mcc", "display": "MCC", "prob": 0.9, "rope": 0.01, "higher_is_better": 1, "draws": 200,
        "range": [-1.0, 1.0], "finite_mean": 1, "depends_on_prevalence": 1, "method": "draws",
        "headline": "best", "sets": "confidence", "caps": [], "schema": 3, "interval": CLOSED, "cap_notes": "[]",
        "needed_evidence": attrs["needed_evidence"], "notes": attrs["notes"], "separation": "[]",
    }  # fmt: skip
    assert attrs == expected
    bare = br.credible_ranking(br.scores.mcc(POSTERIOR).rename("mine")).attrs
    assert bare["score"] == "mine"
    assert bare["range"] == [-np.inf, np.inf]
    assert "depends_on_prevalence" not in bare


def with_variables(**variables):
    groups = groups_of(POSTERIOR)
    variables = {name: (("chain", "draw", "entity"), values) for name, values in variables.items()}
    observed = groups["observed_data"].assign(mean_outcome=("entity", [1.0, 2.0, 3.0]))
    return xr.DataTree.from_dict(
        {"posterior": groups["posterior"].assign(variables), "observed_data": observed}
    )


def test_a_variable_of_the_posterior_counts_as_a_score():
    rising = np.broadcast_to([0.0, 1.0, 2.0], (4, 50, 3))
    tree = with_variables(mean_outcome=rising, miss_rate=rising)
    ranking = br.credible_ranking(tree, "mean_outcome")
    assert ranking["consensus_rank"].values.tolist() == [3, 2, 1]
    assert ranking["expected_regret"].isnull().all()
    assert ranking["observed"].values.tolist() == [1, 2, 3]
    assert ranking.attrs["score"] == "mean_outcome"
    # The name of a score of the catalogue brings its direction, and nothing observed is called so.
    lower = br.credible_ranking(tree, "miss_rate")
    assert lower["consensus_rank"].values.tolist() == [1, 2, 3]
    assert lower["observed"].isnull().all()
    assert lower["expected_regret"].isnull().all()
    assert br.rank(tree["posterior"].to_dataset(), "mean_outcome")[0, 0].values.tolist() == [
        3,
        2,
        1,
    ]
    with pytest.raises(KeyError, match="absent"):
        br.rank(tree, "absent")


def test_what_was_observed():
    f1 = br.scores.f1(COUNTS)
    for source in (POSTERIOR, COUNTS):
        np.testing.assert_array_equal(br.credible_ranking(source, "f1")["observed"], f1)
    for source in (POSTERIOR["posterior"], br.as_performance(POSTERIOR)):
        assert br.credible_ranking(source, "f1")["observed"].isnull().all()
    assert br.credible_ranking(br.scores.f1(POSTERIOR), "f1")["observed"].isnull().all()


def test_observed_on_several_data_sets():
    counts = br.datasets.load("anomaly_detectors").isel(entity=slice(0, 4), dataset=slice(0, 3))
    posterior = br.fit(counts, "dirichlet_multinomial", draws=20, seed=1)
    xr.testing.assert_equal(
        br.credible_ranking(posterior, "accuracy")["observed"].reset_coords(drop=True),
        br.scores.accuracy(counts).transpose("dataset", "entity").reset_coords(drop=True),
    )
    pooled = br.credible_ranking(br.fit(br.pool(counts), draws=20, seed=1), "accuracy")
    np.testing.assert_allclose(pooled["observed"], br.scores.accuracy(counts.sum("dataset")))


def test_a_variable_that_says_that_lower_is_better_is_refused():
    losses = xr.Dataset({"loss": br.scores.fnr(POSTERIOR)})
    with pytest.raises(ValueError, match="came from a score of which lower is better"):
        br.credible_ranking(losses, "loss")
    ranking = br.credible_ranking(losses, "loss", higher_is_better=False)
    np.testing.assert_array_equal(ranking["tier"], br.credible_ranking(POSTERIOR, "fnr")["tier"])
    with pytest.raises(KeyError, match="entity"):
        br.credible_ranking(POSTERIOR, "entity")


def test_coords_of_the_entities_are_kept():
    values = xr.DataArray(
        np.random.default_rng(1).normal(size=(50, 2)), {"entity": ["a", "b"]}, ("draw", "entity")
    )
    ranking = br.credible_ranking(values.assign_coords(team=("entity", ["x", "y"])))
    assert ranking["team"].sel(entity="b").item() == "y"
