"""Class labels decide, positions do not: every function that takes a performance or counts gives the same for each
order of ``actual`` and ``predicted``."""

import inspect
from functools import wraps

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.sensitivities.conflicts import prior_conflict
from tests.calls import GOOD, GOOD_OF, MODULES, required
from tests.refusals import POPULATION

ORDERS = [{"predicted": -1}, {"actual": -1}, {"actual": -1, "predicted": -1}]
#: Of all functions: an order that differs between the axes, and one that is the same on both.
TURNED = [ORDERS[0], ORDERS[2]]
COUNTS = br.from_counts(
    tn=[70, 79, 66], fp=[10, 1, 14], fn=[9, 11, 2], tp=[21, 19, 28], entity=["a", "b", "c"]
)
POSTERIOR = br.fit(COUNTS, draws=30, chains=2, seed=1)
PERFORMANCE = br.as_performance(POSTERIOR)
POINT = br.as_performance(COUNTS)
JUNE = br.fit(COUNTS, draws=30, chains=2, seed=2)
#: Arguments that hold a performance, counts or cases; good values of the others are those of tests/test_refusals.py.
HELD = ("source", "counts", "posterior", "evidence", "joint")
CHEAP = {"resolution": 4, "draws": 20, "seed": 1}
GIVEN = {
    **{
        name: {"score": "f1"}
        for name in ("credible_ranking", "rank", "rank_draws", "probable_orders")
    },
    "isovalue": {"source": POINT, "value": 0.8},
    "predictive_check": {"posterior": POPULATION},
    "shares": {"source": POINT},
    "summary_points": {"source": POPULATION},
}
#: Functions of several sources, of more draws, or whose result is no array: the cases below speak of them.
#: The order of three classes or more is that of the source (credible_by_class).
NOT_HERE = {
    "credible_by_class",
    "to_pymc",
    "judge_errors",
    "compare",
    "plan",
    "score_posterior",
    "drift",
    "pareto_front",
    "credible_curves",
}
CASES = {
    **{name: (getattr(br.scores, name), PERFORMANCE) for name in ("f1", "mcc", "tpr", "npv", "cohen_kappa")},
    "as_performance": (br.as_performance, PERFORMANCE),
    "expected_utility, a matrix": (
        lambda p: br.decisions.expected_utility(p, [[1, -2], [-9, 5]], prevalence=0.2), PERFORMANCE,
    ),
    "one_vs_rest of rates": (br.one_vs_rest, PERFORMANCE),
    "credible_ranking, method=auto": (lambda p: br.credible_ranking(p, "f1", method="auto"), PERFORMANCE),
    "credible_ranking, method=exact": (lambda c: br.credible_ranking(c, "f1", method="exact"), COUNTS),
    "credible_ranking, kind=new": (lambda p: br.credible_ranking(p, "f1", kind="new"), POPULATION),
    "at_prevalence of populations": (lambda p: br.at_prevalence(p, 0.3), POPULATION),
    "correlation": (lambda p: br.tile.correlation("f1", resolution=4, performances=p), PERFORMANCE),
    "drift": (lambda p: br.ops.drift({"May": p, "June": JUNE}, "f1"), PERFORMANCE),
    "fit, prior": (lambda c: br.fit(c, prior=[[1, 2], [3, 4]], draws=20, chains=1, seed=1), COUNTS),
    "fit, beta_binomial": (lambda c: br.fit(c, "beta_binomial", draws=20, chains=1, seed=1), COUNTS),
    "prior_conflict": (prior_conflict, COUNTS),
    "score_posterior": (lambda c: br.score_posterior(c, "f1").quantile([0.1, 0.5]), COUNTS),
    "confusion_pmf": (lambda c: br.predictive.confusion_pmf(c.sel(entity="a"), positives=5, negatives=6), COUNTS),
    "compare": (lambda c: br.compare({"it": br.fit(c, draws=20, chains=1, seed=1)}), COUNTS),
    "relations": (lambda c: br.theory.relations(br.scores.f1(c), c), COUNTS),
}  # fmt: skip


def public_cases():
    """Yield the name of each public function that reads class labels, the function of its source, and the source."""
    modules = [module for module in (*MODULES, br.statements) if module is not br.plots]
    functions = [getattr(module, name) for module in modules for name in module.__all__]
    for function in dict.fromkeys(filter(inspect.isfunction, functions)):
        name, needed = function.__name__, required(function)
        given = (
            {key: GOOD[key] for key in needed if key in GOOD}
            | CHEAP
            | GOOD_OF.get(name, {})
            | GIVEN.get(name, {})
        )
        given = {
            key: given[key] for key in given.keys() & inspect.signature(function).parameters.keys()
        }
        held = [argument for argument in HELD if argument in given]
        if held and name not in NOT_HERE and given.keys() >= set(needed):

            @wraps(function)
            def call(source, function=function, given=given, argument=held[0], **more):
                return function(**given | {argument: source} | more)

            yield f"{function.__module__}.{name}", (call, given[held[0]])


def moved(source, order):
    """The source with some axes turned round; groups of a container too."""
    if isinstance(source, xr.DataArray | xr.Dataset):
        return source.isel(
            {dim: slice(None, None, step) for dim, step in order.items() if dim in source.dims}
        )
    return br._core.compat.to_container(
        {name: moved(group, order) for name, group in groups(source).items()}
    )


def groups(container):
    return br._core.source.groups_of(container)


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
    elif br._core.compat.is_container(wanted):
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
    *(
        "credible",
        "probability_best",
        "rank_probability",
        "robustness",
        "correlation",
        "preference_ranking",
    ),
    *("best_consistency", "ranking_report"),
    *("sensitivity", "credible_ranking, method=exact"),
)
SOURCES = {**dict(public_cases()), **CASES}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * name.endswith(COMPILED)) for name in SOURCES],
)
def test_sources_are_read_by_label(name):
    function, source = SOURCES[name]
    wanted = function(source)
    for order in TURNED:
        assert_same(function(moved(source, order)), wanted)


def test_datasets_and_counts_are_read_by_label_too():
    held = PERFORMANCE.to_dataset(name="performance")
    assert_same(br.credible_ranking(moved(held, ORDERS[1]), "f1"), br.credible_ranking(held, "f1"))
    assert_same(
        br.tile.entity(moved(COUNTS, ORDERS[1]), resolution=4), br.tile.entity(POINT, resolution=4)
    )


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
        named = COUNTS.assign_coords(
            actual=["well", "ill"], predicted=["well", "ill"], positive=positive
        )
        for order in ORDERS:
            assert br.as_performance(moved(named, order))["predicted"].values[-1] == positive
            assert (
                br.scores.tpr(moved(named, order)).values.tolist() == score(COUNTS).values.tolist()
            )


def test_three_classes_follow_actual():
    labels = ["x", "y", "z"]
    table = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 3, 4]], "actual_rows", labels=labels)
    for score in (br.scores.macro_f1, br.scores.mcc, br.scores.accuracy):
        for place in ([2, 0, 1], [1, 0, 2]):
            for order in (
                {"predicted": place},
                {"actual": place},
                {"actual": place, "predicted": [2, 1, 0]},
            ):
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
    assert br.ranking_score(named, moved(weights, ORDERS[0])).equals(
        br.ranking_score(named, weights)
    )


@pytest.mark.parametrize("bad", ["negative", "sum"])
@pytest.mark.parametrize("chunks", [{"draw": 20}, {"entity": 1}, {"actual": 1, "draw": 30}])
def test_lazy_performances_are_checked_when_they_are_computed(bad, chunks):
    values = PERFORMANCE.copy(deep=True)
    values[1, 25, 2] = [[-0.2, 0.4], [0.4, 0.4]] if bad == "negative" else [[0.9, 0.7], [0.7, 0.7]]
    lazy = values.chunk(chunks)
    assert br.as_performance(lazy).chunks is not None
    with pytest.raises(
        ValueError, match=r"must contain probabilities that sum to 1.*-0.2|sum to 1.*got 3"
    ):
        br.credible_ranking(lazy, "f1")
    with pytest.raises(ValueError, match="sum to 1"):
        br.scores.f1(lazy).compute()


def test_what_is_lazy_and_right_stays_lazy_and_is_checked_once():
    lazy = PERFORMANCE.chunk(draw=20)
    once = br.as_performance(lazy)
    assert br.as_performance(once).data.name == once.data.name
    xr.testing.assert_identical(once.compute(), PERFORMANCE)
    xr.testing.assert_identical(
        br.scores.f1(lazy.isel(predicted=[1, 0])).compute(), br.scores.f1(PERFORMANCE)
    )
