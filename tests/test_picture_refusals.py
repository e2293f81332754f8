"""Bad input to curves, references and pictures names the argument that the caller gave, on one short line."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank import ops, papers, plots
from bayesrank.papers import interactive

COUNTS = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
ONE = COUNTS.sel(entity="a")
POSTERIOR = br.fit(COUNTS, draws=20, chains=1, seed=1)
F1 = br.scores.f1(POSTERIOR)
RANKING = br.credible_ranking(F1)
OTHERS = br.credible_ranking(F1.assign_coords(entity=["x", "y"]))
POINT = br.as_performance(COUNTS)
MATRIX_PMF = br.predictive.confusion_pmf(ONE, positives=5, negatives=6)
SCORE_PMF = br.predictive.score_pmf(MATRIX_PMF, "f1")
TILE = br.tile.value(POINT, 3)
CREDIBLE = br.tile.credible(POSTERIOR, 3)
Y, RISK = [0, 1] * 4, {"m": np.linspace(0.1, 0.9, 8)}
CURVE = ops.of_curve(Y, RISK, "precision_at_recall", at=[0.3, 0.6], draws=5, seed=1)
PERIODS = {"old": POINT, "new": POINT.isel(entity=[1, 0]).assign_coords(entity=["a", "b"])}
DRIFT = ops.drift({n: br.fit(COUNTS, draws=5, chains=1, seed=s) for n, s in (("old", 1), ("new", 2))}, "f1")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


CASES = [
    ("depth", ValueError, lambda: ops.directed_binary_tree(depth=10**6 + 1)),
    ("depth or samples", ValueError, lambda: ops.directed_binary_tree(depth=30, samples=2**30)),
    ("samples", ValueError, lambda: ops.directed_binary_tree(samples=2**70)),
    ("sampler", TypeError, lambda: ops.from_sampler(3)),
    ("sampler", TypeError, lambda: ops.from_sampler(lambda rng, n: None)),
    ("sampler", TypeError, lambda: ops.from_sampler(lambda rng, n: ("x", "y"))),
    ("size", ValueError, lambda: ops.from_sampler(lambda rng, n: (rng.random(n),) * 2, size=10**12)),
    ("fpr_quantile", TypeError, lambda: ops.Distribution("x", None, lambda fpr, tpr: tpr)),
    ("exact", TypeError, lambda: ops.Distribution("x", np.square, lambda fpr, tpr: tpr, exact=3)),
    ("fpr", TypeError, lambda: ops.Sample("x", None, np.array([0.5]))),
    ("tpr", ValueError, lambda: ops.Sample("x", [0.5], [1.5])),
    ("fpr and tpr", ValueError, lambda: ops.Sample("x", [0.5, 0.6], [0.5])),
    ("dim", TypeError, lambda: ops.drift(PERIODS, "f1", dim=None)),
    ("dim", TypeError, lambda: ops.drift(PERIODS, "f1", dim=1)),
    ("dim", ValueError, lambda: ops.drift(PERIODS, "f1", dim="entity")),
    ("baseline", ValueError, lambda: ops.drift(PERIODS, "f1", baseline=np.arange(3))),
    ("curve", KeyError, lambda: ops.ideal_area(np.arange(2000), 0.3)),
    ("at", ValueError, lambda: ops.of_curve(Y, RISK, "precision_at_recall", at=[])),
    ("at", TypeError, lambda: ops.of_curve(Y, RISK, "precision_at_recall", at=xr.Dataset())),
    ("positive", ValueError, lambda: ops.of_curve(Y, RISK, "auc_roc", positive="x")),
    ("y_true", ValueError, lambda: ops.of_curve([[1], [2, 3]], RISK, "auc_roc")),
    ("y_score", ValueError, lambda: ops.threshold_curves(Y, [[1], [2, 3]])),
    ("draws", ValueError, lambda: ops.of_curve(Y, RISK, "auc_roc", draws=10**12)),
    ("draws", ValueError, lambda: ops.best_threshold(Y, RISK, "f1", draws=10**12)),
    ("draws", ValueError, lambda: br.decisions.decision_curve(Y, RISK, [0.3], draws=10**12)),
    ("score", KeyError, lambda: ops.of_value("nothing", 0.5, 0.3, at=1)),
    ("score", TypeError, lambda: ops.of_value(3, 0.5, 0.3, at=1)),
    ("at", ValueError, lambda: ops.of_value("f1", 0.5, 0.3, at=np.arange(2000))),
    ("size", ValueError, lambda: ops.of_value("auc_roc", 0.5, 0.3, size=TILE)),
    ("weights", TypeError, lambda: ops.by_label(br.from_matrix(np.eye(3, dtype=int), "actual_rows"), "f1", weights=3)),
    ("prevalence", ValueError, lambda: ops.value_curves("auc_roc", [])),
    ("points", ValueError, lambda: ops.value_curves("f1", [0.3], points=10**12)),
    ("resolution", ValueError, lambda: ops.on_tile(COUNTS, 10**12)),
    ("resolution", ValueError, lambda: ops.square("f1", 0.5, 0.3, 2**70)),
    ("tile", TypeError, lambda: plots.value_tile("x")),
    ("tiles", TypeError, lambda: plots.value_tiles(None)),
    ("prevalence", ValueError, lambda: plots.value_tiles(TILE, [0.1, 0.2, 0.3])),
    ("columns", ValueError, lambda: plots.value_tiles(TILE, columns=0)),
    ("lines", TypeError, lambda: plots.value_tile(TILE[0], lines="x")),
    ("a and b", ValueError, lambda: papers.roc_beside_tile(TILE[0], [0.1, 0.2], [0.1, 0.2, 0.3], 0.3)),
    ("ops", TypeError, lambda: plots.ops_values(None)),
    ("square", ValueError, lambda: plots.ops_square(xr.Dataset())),
    ("result", ValueError, lambda: plots.ops_curve(None)),
    (r"result\['x'\]", ValueError, lambda: plots.ops_curve({"x": None})),
    ("result", ValueError, lambda: plots.ops_drift(None)),
    ("entity", KeyError, lambda: plots.ops_drift(DRIFT, "nobody")),
    ("entity", KeyError, lambda: plots.expected_rank_tile(CREDIBLE, "nobody")),
    ("credible", ValueError, lambda: plots.credible_tile(None)),
    ("top", TypeError, lambda: plots.shares(CREDIBLE, top="x")),
    ("regions", ValueError, lambda: plots.winner_tile(xr.Dataset())),
    ("cases", ValueError, lambda: plots.case_grid(None)),
    ("check", ValueError, lambda: plots.predictive_check(None)),
    ("prevalences", ValueError, lambda: papers.prior_grids([2.0])),
    ("prevalences", ValueError, lambda: papers.prior_grids([])),
    ("ranking", ValueError, lambda: plots.roc_regions(POSTERIOR, OTHERS)),
    ("ranking", ValueError, lambda: plots.score_differences(F1, ranking=OTHERS)),
    ("values", TypeError, lambda: plots.score_differences(3, score="f1")),
    ("values", TypeError, lambda: plots.score_differences(None, "a")),
    ("to", KeyError, lambda: plots.score_differences(F1, to=np.arange(3))),
    ("prior", TypeError, lambda: plots.posterior_against_prior(F1, None)),
    ("square", TypeError, lambda: plots.roc_regions(POSTERIOR, square=3)),
    ("pmf", TypeError, lambda: plots.matrix_pmf(None)),
    ("pmf", TypeError, lambda: plots.score_pmf_by_tpr(None, "f1")),
    ("observed", TypeError, lambda: plots.matrix_pmf(MATRIX_PMF, observed=3)),
    ("factors", TypeError, lambda: plots.effect_of_size(ONE, 3)),
    ("values", TypeError, lambda: plots.pmf_over_contours(MATRIX_PMF, "f1", values=["x"])),
    ("pmfs", TypeError, lambda: plots.score_pmf(3)),
    ("observed", TypeError, lambda: plots.score_pmfs({"x": SCORE_PMF}, observed=3)),
    ("observed", ValueError, lambda: plots.score_pmfs({"x": SCORE_PMF}, observed={"y": 0.5})),
    ("values", TypeError, lambda: papers.contours("f1", 0.3, 3)),
    ("extent", TypeError, lambda: papers.contours("f1", 0.3, extent=3)),
    ("positives", TypeError, lambda: papers.roc_points("x", 3, "f1")),
    ("positives and negatives", ValueError, lambda: papers.roc_points(10**6, 10**6, "f1")),
    ("positives", TypeError, lambda: papers.count_ticks(plt.figure().gca(), "x", 3)),
    ("total", TypeError, lambda: papers.animate_contours("f1", "x")),
    ("positives", TypeError, lambda: papers.confusion_simplex(10, 3, "f1")),
    ("ax", ValueError, lambda: papers.confusion_simplex(10, [3], "f1", plt.figure().gca())),
    ("entities", TypeError, lambda: plots.colors(3)),
    ("sizes", TypeError, lambda: interactive.pmf_slider(ONE, "f1", [3])),
    ("positives", TypeError, lambda: interactive.turning_simplex(10, 3, "f1")),
]


@pytest.mark.parametrize(("argument", "error", "call"), CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
def test_refused_by_name(argument, error, call):
    with pytest.raises(error, match=rf"^['\"]?{argument}(?:'s \w+)? must ") as caught:
        call()
    message = str(caught.value.args[0])
    assert type(caught.value) is error
    assert "\n" not in message
    assert len(message) < 400


AXES = {
    "ax": [
        lambda x: plots.forest(RANKING, x),
        lambda x: plots.ops_values(ops.value_curves("f1", [0.3], 3), x),
        lambda x: plots.value_tile(TILE[0], x),
        lambda x: papers.contours("f1", 0.3, ax=x),
        lambda x: papers.confusion_simplex(10, [3], "f1", x),
        lambda x: papers.count_ticks(x, 3, 4),
    ],
    "axes": [
        lambda x: plots.ops_curve(CURVE, x),
        lambda x: plots.ops_curve({"x": CURVE}, x),
        lambda x: plots.ops_drift(DRIFT, "a", x),
        lambda x: papers.vertices(0.3, x),
        lambda x: papers.prior_grids([0.3, 0.4], x),
        lambda x: plots.effect_of_size(ONE, (1, 2), x),
        lambda x: papers.animate_contours("f1", 10, axes=x),
        lambda x: plots.intervals(br.score_table(POSTERIOR, ["tpr", "tnr"]), axes=x),
    ],
    "figure": [lambda x: plots.matrix_pmf(MATRIX_PMF, figure=x)],
}


@pytest.mark.parametrize("bad", ["x", 3, [1, 2], {}, np.eye(2), xr.Dataset()], ids=repr)
@pytest.mark.parametrize(("argument", "call"), [(name, call) for name, calls in AXES.items() for call in calls])
def test_where_to_draw_is_axes(argument, call, bad):
    with pytest.raises(TypeError, match=f"^{argument} must .*Matplotlib"):
        call(bad)


def test_as_many_axes_as_panels():
    one = plt.figure().gca()
    for call in AXES["axes"]:
        with pytest.raises(ValueError, match=r"^axes must hold 2 Axes; got 1"):
            call(one)


def test_entities_of_shrinkage_are_named():
    posterior = br.fit(COUNTS, "hierarchical_beta_binomial", seed=1, draws=10)
    for bad in ("a", 3, [], ["a", "a"], [["a"]]):
        with pytest.raises((TypeError, ValueError), match=r"^entities must "):
            plots.shrinkage(posterior, "tpr", entities=bad)
    with pytest.raises(KeyError, match="entities must be among"):
        plots.shrinkage(posterior, "tpr", entities=["nobody"])
