"""OPS of draws, the OPS Tile, labels, references."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br


@pytest.fixture(scope="module")
def posterior():
    counts = br.from_counts(
        tn=[900, 850],
        fp=[10, 60],
        fn=[40, 10],
        tp=[50, 80],
        entity=["careful", "eager"],
        dataset=["spring"] * 2,
    )
    return br.fit(counts, draws=200, chains=2, seed=1)


@pytest.mark.parametrize(
    "name", ["f1", "mcc", "false_discovery_rate", "p4", "diagnostic_odds_ratio"]
)
def test_draws_equal_a_loop_over_values(posterior, name):
    ops = br.ops.of_draws(posterior, name)
    assert ops.dims == ("chain", "draw", "entity", "dataset")
    values = br.scores.get(name)(posterior)
    prevalence = br.scores.prevalence(posterior)
    for i in range(0, 200, 40):
        where = {"chain": 1, "draw": i, "entity": 0, "dataset": 0}
        one = br.ops.of_value(name, values.isel(where).item(), prevalence.isel(where).item())
        assert ops.isel(where).item() == pytest.approx(one.item(), abs=1e-9)


def pooled(rivals):
    return br.ops.Sample(br.scores.fpr(rivals).values, br.scores.tpr(rivals).values)


def counted(array, calls, **chunks):
    """The same array, lazy, its chunks counted as they are computed."""
    da = pytest.importorskip("dask.array")

    def load(block):
        calls.append(block.shape)
        return block

    lazy = array.chunk(chunks)
    return lazy.copy(
        data=da.map_blocks(load, lazy.data, dtype=float, meta=np.zeros((0,) * lazy.ndim))
    )


def test_each_chunk_is_computed_once(posterior):
    performance, calls = br.as_performance(posterior), []
    ops = br.ops.of_draws(counted(performance, calls, draw=50), "f1")
    summary = br.ops.summarize(ops)
    assert not calls
    summary.compute()
    assert len(calls) == 4
    sets = performance.isel(dataset=0, drop=True)
    calls.clear()
    br.tile.correlation("mcc", 3, performances=counted(sets, calls, draw=50))
    assert len(calls) == 4


def test_higher_ops_is_better_whatever_the_score(posterior):
    draws = br.scores.false_discovery_rate(posterior)
    for ops in (
        br.ops.of_draws(posterior, "false_discovery_rate"),
        br.ops.of_value("false_discovery_rate", draws, br.scores.prevalence(posterior)),
    ):
        ranking = br.credible_ranking(ops.isel(dataset=0, drop=True))
        best = ranking.probability_best.idxmax("entity").item()
        assert best == draws.mean(("chain", "draw")).isel(dataset=0).idxmin("entity").item()
    assert ops.name == "ops"


def test_tile_is_of_value(posterior):
    performance = br.as_performance(posterior).isel(chain=0, draw=[0, 7])
    tile = br.ops.on_tile(performance, 6)
    assert tile.dims == ("draw", "entity", "dataset", "b", "a")
    prevalence = br.scores.prevalence(performance)
    for a in tile["a"].values:
        for b in tile["b"].values:
            score = br.scores.families.by_importance("r_ab", tn=1 - a, fp=1 - b, fn=b, tp=a)
            expected = br.ops.of_value(score, score(performance), prevalence)
            np.testing.assert_allclose(tile.sel(a=a, b=b), expected, atol=1e-12)


def test_undefined_is_nan():
    counts = br.from_counts(
        tn=[90, 100, 0], fp=[10, 0, 0], fn=[0, 30, 3], tp=[0, 0, 4], entity=["a", "b", "c"]
    )
    assert np.isnan(
        br.ops.of_draws(counts, "ppv")
    ).all()  # no positives; nothing called positive; no negatives
    np.testing.assert_array_equal(br.ops.of_draws(counts, "tpr"), [np.nan, 0, np.nan])
    never = br.ops.on_tile(counts, 3).sel(entity="b")
    assert np.isnan(never.sel(a=1, b=0))  # PPV
    assert never.sel(a=0.5, b=0.5).notnull()


def test_summary_of_a_difference(posterior):
    ops = br.ops.of_draws(posterior, "tnr")
    summary = br.ops.summarize(ops.sel(entity="eager") - ops.sel(entity="careful"))
    assert summary.negative.item() == 1
    assert 0 < summary.negative_error.item() < 0.01
    assert summary.negative_error.attrs["method"].startswith("Monte-Carlo standard error")
    assert set(summary.dims) == {"dataset"}
    # Stacked draws are draws; which chain a draw is of, and so the error, is not known.
    stacked, expected = br.ops.summarize(ops.stack(sample=("chain", "draw"))), br.ops.summarize(ops)
    xr.testing.assert_allclose(
        stacked.drop_vars("negative_error"), expected.drop_vars("negative_error")
    )
    assert (stacked["negative_error"] > 0).all()


def test_labels_are_averaged():
    counts = br.from_matrix(
        [[50, 1, 0], [2, 70, 9], [0, 8, 4]], "actual_rows", labels=["a", "b", "c"]
    )
    posterior = br.fit(counts, draws=100, chains=2, seed=1)
    result = br.ops.by_label(posterior, "f1")
    table = br.one_vs_rest(br.as_performance(posterior)).sel(label="c")
    np.testing.assert_allclose(result.ops.sel(label="c"), br.ops.of_draws(table, "f1"))
    np.testing.assert_allclose(result.average, result.ops.mean("label"))
    only = br.ops.by_label(posterior, "f1", weights={"a": 0, "b": 2, "c": 0})
    np.testing.assert_allclose(only.average, only.ops.sel(label="b"))
    # Tables of a multi-label problem have the dim label already.
    np.testing.assert_allclose(
        br.ops.by_label(br.one_vs_rest(counts), "mcc").ops, br.ops.by_label(counts, "mcc").ops
    )


class TestReferences:
    def test_betas(self):
        flat = br.ops.independent_betas((1, 1), (1, 1))
        for name in ("f1", "mcc", "p4", "false_omission_rate"):
            uniform = br.ops.of_value(name, 0.4, [0.001, 0.2])
            np.testing.assert_allclose(
                br.ops.of_value(name, 0.4, [0.001, 0.2], reference=flat), uniform, atol=1e-9
            )
        # OPS of one rate are the Beta distribution function.
        reference, value = br.ops.independent_betas((0.5, 4), (3, 2)), np.array([0.1, 0.5, 0.8])
        for name, parameters in (("tpr", (3, 2)), ("tnr", (4, 0.5))):
            ops = br.ops.of_value(name, value, 0.2, reference=reference)
            np.testing.assert_allclose(ops, stats.beta.cdf(value, *parameters), atol=1e-8)

    def test_better_than_chance(self):
        # Twice the area of {0 < TPR - FPR < j}: 1 - (1 - j)²
        value = np.array([0.0, 0.3, 1.0])
        ops = br.ops.of_value("informedness", value, 0.2, reference=br.ops.better_than_chance())
        np.testing.assert_allclose(ops, 1 - (1 - value) ** 2, atol=1e-8)

    @pytest.mark.parametrize("name", ["f1", "mcc", "false_discovery_rate"])
    def test_sampler_agrees_with_the_density(self, name):
        exact = br.ops.independent_betas((1, 3), (3, 1))
        sampled = br.ops.from_sampler(lambda rng, n: (rng.beta(1, 3, n), rng.beta(3, 1, n)), seed=3)
        value, prevalence = np.array([0.2, 0.5, 0.7]), np.array([0.02, 0.1, 0.4])
        ops = br.ops.of_value(name, value, prevalence, reference=sampled)
        assert (ops.ops_error < 0.003).all()
        assert (
            np.abs(ops - br.ops.of_value(name, value, prevalence, reference=exact))
            < 4 * ops.ops_error
        ).all()

    def test_pool(self):
        rivals = br.from_counts(
            tn=[80, 70, 60], fp=[20, 30, 40], fn=[5, 5, 5], tp=[5, 5, 5], entity=["x", "y", "z"]
        )
        reference = pooled(rivals)
        # at 1-in-2 positives their accuracies are 0.65, 0.6, 0.55; no entity beats itself
        ops = br.ops.of_value("accuracy", [0.54, 0.6, 0.64, 0.7], 0.5, reference=reference)
        np.testing.assert_allclose(ops, [0, 1 / 3, 2 / 3, 1])
        cells = dict(
            zip(
                ("tn", "fp", "fn", "tp"),
                np.random.default_rng(4).integers(1, 99, (4, 50)),
                strict=True,
            )
        )
        rivals = br.from_counts(**cells, entity=[f"r{i}" for i in range(50)])
        reference = pooled(rivals)
        for name in (
            "tpr",
            "informedness",
            "negative_likelihood_ratio",
        ):  # the same at every prevalence
            rank = br.rank(rivals, name, method="max")
            np.testing.assert_allclose(
                br.ops.of_draws(rivals, name, reference), (50 - rank) / 50, atol=1e-12
            )
