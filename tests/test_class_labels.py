"""Class labels decide, positions do not: every function that takes a performance or counts gives the same for each
order of ``actual`` and ``predicted``."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.sensitivities.conflicts import prior_conflict

ORDERS = [{"predicted": -1}, {"actual": -1}, {"actual": -1, "predicted": -1}]
#: Of all functions: an order that differs between the axes, and one that is the same on both.
TURNED = [ORDERS[0], ORDERS[2]]
COUNTS = br.from_counts(tn=[70, 79, 66], fp=[10, 1, 14], fn=[9, 11, 2], tp=[21, 19, 28], entity=["a", "b", "c"])
SETS = br.from_counts(
    tn=[70, 79, 66, 50], fp=[10, 1, 14, 20], fn=[9, 11, 2, 5], tp=[21, 19, 28, 30], entity=["a", "a", "b", "b"],
    dataset=["x", "y", "x", "y"],
)  # fmt: skip
POSTERIOR = br.fit(COUNTS, draws=30, chains=2, seed=1)
PERFORMANCE = br.as_performance(POSTERIOR)
POINT = br.as_performance(COUNTS)
HIERARCHY = br.fit(SETS, "hierarchical_beta_binomial", draws=50, chains=1, seed=1)
BENEFIT = br.importance(tn=0.1, fp=-0.2 + 0.3, fn=0.0, tp=1.0)
#: Functions of whatever holds a performance.
OF_PERFORMANCES = {
    **{f"scores.{name}": getattr(br.scores, name) for name in ("f1", "mcc", "tpr", "accuracy", "npv", "cohen_kappa")},
    **{
        f"tile.{name}": partial(getattr(br.tile, name), resolution=4)
        for name in (
            *("baseline", "chance_corrected", "credible", "probability_best", "rank_probability", "relative_skill"),
            *("state_of_the_art", "value", "value_interval"),
        )
    },
    "credible_ranking": partial(br.credible_ranking, score="f1"),
    "rank": partial(br.rank, score="f1"),
    "as_performance": br.as_performance,
    "at_prevalence": lambda p: br.at_prevalence(p, 0.1),
    "canonical_score": lambda p: br.canonical_score(p, 0.3, 0.8),
    "expected_utility": lambda p: br.decisions.expected_utility(p, BENEFIT),
    "expected_utility_at": lambda p: br.decisions.expected_utility(p, [[1, -2], [-9, 5]], prevalence=0.2),
    "filter_by_importance": lambda p: br.theory.filter_by_importance(p, br.importance(fp=1, tp=2)),
    "credible_ranking, method=auto": lambda p: br.credible_ranking(p, "f1", method="auto"),
    "mix": lambda p: br.theory.mix(p, {"a": 0.5, "b": 0.25, "c": 0.25}),
    "noninferiority": lambda p: br.decisions.noninferiority(p, "a", tpr=0.05, tnr=0.05),
    "one_vs_rest": lambda p: br.one_vs_rest(br.as_performance(p)),
    "probability": lambda p: br.probability(p, "a > b", "f1"),
    "probable_orders": lambda p: br.statements.probable_orders(p, "f1"),
    "ranking_score": lambda p: br.ranking_score(p, br.importance(fp=1, tp=3, fn=1)),
    "score_table": lambda p: br.score_table(p, ["f1", "mcc"]),
    "top_set": lambda p: br.top_set(p, "f1", 1),
    "performance.relabel": lambda p: br.performance.relabel(p, "change_actual"),
    "performance.no_skill_twin": br.performance.no_skill_twin,
    "performance.shift_prior": lambda p: br.performance.shift_prior(p, 0.2),
    "tile.best_consistency": lambda p: br.tile.best_consistency("f1", p),
    "tile.correlation": lambda p: br.tile.correlation("f1", resolution=4, performances=p),
    "tile.preference_ranking": lambda p: br.tile.preference_ranking(p, br.tile.around("f1", 0.2)),
    "tile.entity_rank": lambda p: br.tile.entity_rank(p, "a", 4),
    "tile.volume": br.tile.volume,
    "ops.of_draws": lambda p: br.ops.of_draws(p, "f1"),
    "ops.on_tile": lambda p: br.ops.on_tile(p, 3),
    "ops.drift": lambda p: br.ops.drift({"May": p, "June": br.fit(COUNTS, draws=30, chains=2, seed=2)}, "f1"),
    "posterior_predictive": lambda p: br.posterior_predictive(p, 50, seed=1),
}
#: Functions of one performance, without draws.
OF_POINTS = {
    "tile.entity": lambda p: br.tile.entity(p, resolution=4),
    "tile.frontier": lambda p: br.tile.frontier(p, "a", "b", points=4),
    "tile.regions": br.tile.regions,
    "tile.robustness": lambda p: br.tile.robustness(p, 4),
    "tile.shares": br.tile.shares,
    "tile.zone": lambda p: br.tile.zone(p, ["a"], ["b"], points=4),
}
#: Functions of counts.
OF_COUNTS = {
    "fit": lambda c: br.as_performance(br.fit(c, draws=20, chains=1, seed=1)),
    "fit_prior": lambda c: br.as_performance(br.fit(c, prior=[[1, 2], [3, 4]], draws=20, chains=1, seed=1)),
    "beta_binomial": lambda c: br.as_performance(br.fit(c, "beta_binomial", draws=20, chains=1, seed=1)),
    "credible_ranking, method=exact": lambda c: br.credible_ranking(c, "f1", method="exact"),
    "prior_conflict": prior_conflict,
    "sensitivity": lambda c: br.sensitivity(c, "f1", draws=50, seed=1),
    "one_vs_rest": br.one_vs_rest,
    "score_posterior": lambda c: br.score_posterior(c, "f1").quantile([0.1, 0.5]),
    "confusion_pmf": lambda c: br.predictive.confusion_pmf(c.sel(entity="a"), positives=5, negatives=6),
    "score_pmf": lambda c: br.predictive.score_pmf(br.predictive.confusion_pmf(c.sel(entity="a")), "f1"),
    "by_class": lambda c: br.predictive.by_class(c.sel(entity="a"), "f1"),
    "compare": lambda c: br.compare({"it": br.fit(c, draws=20, chains=1, seed=1)}),
    "relations": lambda c: br.theory.relations(br.scores.f1(c), c),
}
#: Functions of posteriors over several data sets.
OF_HIERARCHIES = {
    "heterogeneity": lambda p: br.heterogeneity(p, "f1"),
    "shrinkage": lambda p: br.populations.shrinkage(p, "f1"),
    "summary_points": br.performance.summary_points,
    "mean_over_datasets": br.performance.mean_over_datasets,
    "at_prevalence": lambda p: br.at_prevalence(p, 0.3),
    "predictive_check": lambda p: br.predictive.predictive_check(p, seed=1),
    "credible_ranking": lambda p: br.credible_ranking(p, "f1", kind="new"),
}


def moved(source, order):
    """The source with some axes turned round; groups of a container too."""
    if isinstance(source, xr.DataArray | xr.Dataset):
        return source.isel({dim: slice(None, None, step) for dim, step in order.items() if dim in source.dims})
    return br._compat.to_container({name: moved(group, order) for name, group in groups(source).items()})


def groups(container):
    return br._compat.groups_of(container)


def assert_same(found, wanted):
    """Identical, whatever kind of result it is."""
    fields = getattr(wanted, "__dataclass_fields__", ())
    if isinstance(wanted, xr.DataArray | xr.Dataset):
        xr.testing.assert_identical(found, wanted)
    elif isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(found, wanted, check_exact=True)
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name, each in wanted.items():
            assert_same(found[name], each)
    elif br._compat.is_container(wanted):
        assert_same(groups(found)["posterior"], groups(wanted)["posterior"])
    elif hasattr(wanted, "values") and not isinstance(wanted, np.ndarray):  # an OPS reference
        np.testing.assert_array_equal(found.values, wanted.values)
    elif fields:
        for name in fields:
            assert_same(getattr(found, name), getattr(wanted, name))
    else:
        np.testing.assert_array_equal(found, wanted)


#: Functions whose compiled loops take seconds to build.
COMPILED = (
    *("credible", "probability_best", "rank_probability", "robustness", "correlation", "preference_ranking"),
    *("sensitivity", "credible_ranking, method=exact"),
)
SOURCES = {f"performance: {name}": (function, PERFORMANCE) for name, function in OF_PERFORMANCES.items()}
SOURCES |= {f"point: {name}": (function, POINT) for name, function in OF_POINTS.items()}
SOURCES |= {f"counts: {name}": (function, COUNTS) for name, function in OF_COUNTS.items()}
SOURCES |= {f"container: {name}": (function, HIERARCHY) for name, function in OF_HIERARCHIES.items()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * name.endswith(COMPILED)) for name in SOURCES]
)
def test_sources_are_read_by_label(name):
    function, source = SOURCES[name]
    wanted = function(source)
    for order in TURNED:
        assert_same(function(moved(source, order)), wanted)


def test_datasets_and_counts_are_read_by_label_too():
    held = PERFORMANCE.to_dataset(name="performance")
    assert_same(br.credible_ranking(moved(held, ORDERS[1]), "f1"), br.credible_ranking(held, "f1"))
    assert_same(br.tile.entity(moved(COUNTS, ORDERS[1]), resolution=4), br.tile.entity(POINT, resolution=4))


def test_other_pairs_keep_the_order_of_actual():
    named = COUNTS.assign_coords(actual=["well", "ill"], predicted=["well", "ill"])
    turned = moved(named, {"actual": -1})
    assert br.as_performance(turned)["predicted"].values.tolist() == ["ill", "well"]
    for order in ORDERS:
        assert br.scores.mcc(moved(named, order)).equals(br.scores.mcc(COUNTS))
        with pytest.raises(ValueError, match="positive must name the positive class for tpr"):
            br.scores.tpr(moved(named, order))


def test_the_positive_class_comes_last_whatever_the_order():
    for positive, score in (("ill", br.scores.tpr), ("well", br.scores.tnr)):
        named = COUNTS.assign_coords(actual=["well", "ill"], predicted=["well", "ill"], positive=positive)
        for order in ORDERS:
            assert br.as_performance(moved(named, order))["predicted"].values[-1] == positive
            assert br.scores.tpr(moved(named, order)).values.tolist() == score(COUNTS).values.tolist()


def test_three_classes_follow_actual():
    labels = ["x", "y", "z"]
    table = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 3, 4]], "actual_rows", labels=labels)
    for score in (br.scores.macro_f1, br.scores.mcc, br.scores.accuracy):
        for place in ([2, 0, 1], [1, 0, 2]):
            for order in ({"predicted": place}, {"actual": place}, {"actual": place, "predicted": [2, 1, 0]}):
                np.testing.assert_allclose(score(table.isel(order)), score(table), rtol=1e-14)
    assert br.scores.get("quadratic_kappa")(table.isel(predicted=[2, 0, 1])).equals(
        br.scores.get("quadratic_kappa")(table)
    )


def test_unlabelled_arrays_keep_their_positions():
    bare = POINT.drop_vars(["actual", "predicted"])
    assert br.scores.f1(bare).equals(br.scores.f1(POINT))
    assert not br.scores.f1(bare.isel(predicted=[1, 0])).equals(br.scores.f1(POINT))


def test_importances_and_benefits_are_read_by_label():
    weights = br.importance(tn=1, fp=2, fn=3, tp=4)
    for order in ORDERS:
        turned = br.ranking_score(PERFORMANCE, moved(weights, order))
        assert turned.equals(br.ranking_score(PERFORMANCE, weights))
    named = COUNTS.assign_coords(actual=["no", "yes"], predicted=["no", "yes"])
    assert br.ranking_score(named, moved(weights, ORDERS[0])).equals(br.ranking_score(named, weights))


@pytest.mark.parametrize("bad", ["negative", "sum"])
@pytest.mark.parametrize("chunks", [{"draw": 20}, {"entity": 1}, {"actual": 1, "draw": 30}])
def test_lazy_performances_are_checked_when_they_are_computed(bad, chunks):
    values = PERFORMANCE.copy(deep=True)
    values[1, 25, 2] = [[-0.2, 0.4], [0.4, 0.4]] if bad == "negative" else [[0.9, 0.7], [0.7, 0.7]]
    lazy = values.chunk(chunks)
    assert br.as_performance(lazy).chunks is not None
    with pytest.raises(ValueError, match=r"must hold probabilities that sum to 1.*-0.2|sum to 1.*got 3"):
        br.credible_ranking(lazy, "f1")
    with pytest.raises(ValueError, match="sum to 1"):
        br.scores.f1(lazy).compute()


def test_what_is_lazy_and_right_stays_lazy_and_is_checked_once():
    lazy = PERFORMANCE.chunk(draw=20)
    once = br.as_performance(lazy)
    assert br.as_performance(once).data.name == once.data.name
    xr.testing.assert_identical(once.compute(), PERFORMANCE)
    xr.testing.assert_identical(br.scores.f1(lazy.isel(predicted=[1, 0])).compute(), br.scores.f1(PERFORMANCE))
