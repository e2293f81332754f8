"""Bad input to any public function is refused by the name of the argument, never by NumPy's or xarray's words."""

import math

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank import ops, performance, predictive, scores, tile

COUNTS = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
POINT = br.as_performance(COUNTS)
DRAWS = br.as_performance(br.fit(COUNTS, draws=5, chains=1, seed=1))
F1 = scores.f1(DRAWS)
IMPORTANCE = br.importance(tn=1, fp=1, fn=1, tp=1)
MATRIX_PMF = predictive.confusion_pmf(COUNTS.sel(entity="a"), positives=5, negatives=6)
SCORE_PMF = predictive.score_pmf(MATRIX_PMF, "f1")
JOINT = br.joint_outcomes([0, 1] * 4, {"a": [0, 1] * 4, "b": [1, 0, 0, 1] * 2})


@pytest.mark.parametrize("bad", ["x", None, 1j, {}, [0.1, "x"], True])
@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("a", lambda x: br.canonical_score(POINT, x, 0.5)),
        ("b", lambda x: tile.preference_ranking(POINT, 0.5, x)),
        ("weights", lambda x: tile.preference_ranking(POINT, [0.5, 0.6], 0.5, "x" if x is None else x)),
        ("radius", lambda x: tile.around("f1", x)),
        ("a", lambda x: tile.beta_preferences(x, (1, 1))),
        ("prevalence", lambda x: tile.no_skill(x, 3)),
        ("prevalence", lambda x: tile.sample_performances(5, prevalence="x" if x is None else x)),
        ("size", tile.sample_performances),
        ("prevalence", lambda x: performance.shift_prior(POINT, x)),
        ("value", lambda x: br.contour("f1", x, 0.1, 0.3)),
        ("tp", lambda x: br.importance(fp=1, tp=x)),
        ("q", lambda x: br.score_posterior(COUNTS, "f1").quantile(x)),
        ("value", lambda x: br.score_posterior(COUNTS, "f1").cdf(x)),
        ("positives", lambda x: predictive.multiplicity(x, 5, "f1")),
        ("positives", lambda x: predictive.paired_difference(JOINT, "a", "b", "f1", "x" if x is None else x, 4)),
        ("prior", lambda x: predictive.paired_difference(JOINT, "a", "b", "f1", prior="x" if x is None else x)),
        ("undefined", lambda x: predictive.score_pmf(MATRIX_PMF, "f1", undefined="x" if x is None else x)),
        ("fpr", lambda x: ops.independent_betas(x, (1, 1))),
        ("benefit", scores.decision_benefit),
        ("weights", lambda x: br.theory.mix(POINT, {"a": x, "b": 1.0})),
    ],
)
def test_what_is_no_number_is_refused_by_name(argument, call, bad):
    with pytest.raises((TypeError, ValueError), match=rf"^{argument} must "):
        call(bad)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("weights must be a DataArray or a mapping", lambda: br.theory.mix(POINT, [0.5, 0.5])),
        ("weights must have one length|a, b and weights", lambda: tile.preference_ranking(POINT, 0.5, 0.5, [[1, 2]])),
        ("a place on the Tile must hold numbers", lambda: tile.around(("x", 1))),
        ("region must be one of", lambda: tile.over(["tile"])),
        ("dim must be a dim of source; got 'actual'", lambda: tile.baseline(POINT, 3, "actual")),
        ("rank must be a whole number", lambda: tile.entity(POINT, True, 3)),
        ("rank must lie between 1 and 2; got 3", lambda: tile.entity(POINT, 3, 3)),
        ("rank must lie between 1 and 2; got 3", lambda: tile.regions(POINT, 3)),
        ("importance must be non-negative", lambda: scores.of_importance(IMPORTANCE * 0)),
        ("positives must be at least 0", lambda: predictive.multiplicity(-1, 5, "f1")),
        ("pmf must come from", lambda: predictive.summary(MATRIX_PMF)),
        ("other must come from", lambda: predictive.difference(SCORE_PMF, None)),
        ("pmf must hold at least one", lambda: predictive.summary({})),
        ("joint must come from", lambda: predictive.paired_difference(COUNTS, "a", "b", "f1")),
        ("other must be another entity", lambda: predictive.paired_difference(JOINT, "a", "a", "f1")),
        ("source must hold two or more periods", lambda: ops.drift({}, "f1")),
        ("ops must be a DataArray", lambda: ops.summarize(None)),
        ("score must be a Score", lambda: scores.balanced(3, "name")),
        ("order must come from br.theory.relations", lambda: br.theory.rank_bounds(F1)),
        ("result must come from br.credible_ranking", lambda: br.verdict(xr.Dataset())),
        ("ranking must come from br.credible_ranking", lambda: br.ranking_table(None)),
        ("ranking must be one ranking", lambda: br.verdict(br.credible_ranking(F1.expand_dims(dataset=["x", "y"])))),
        ("scores and prevalences must hold", lambda: br.theory.audit_table([])),
        ("prevalences must be a sequence", lambda: br.theory.audit_table(["f1"], 0.2)),
        ("importance must hold numbers", lambda: br.ranking_score(POINT, IMPORTANCE.astype(str))),
        ("satisfaction must hold numbers", lambda: br.ranking_score(POINT, IMPORTANCE, IMPORTANCE.astype(complex))),
        ("source must hold no negative counts", lambda: br.canonical_score(-COUNTS, 0.5, 0.5)),
        ("matrix must have the shape", lambda: br.from_matrix(np.zeros((0, 2, 2), int), "actual_rows")),
    ],
)
def test_bad_arguments_are_refused_by_name(message, call):
    with pytest.raises((TypeError, ValueError, KeyError), match=message):
        call()


@pytest.mark.parametrize(
    "labels", [5, True, "ab", {"a", "b"}, {"a": 0, "b": 1}, ["a", None], [("a",), ("b",)], [["a"], ["b"]]]
)
@pytest.mark.parametrize(
    "call",
    [
        lambda labels: br.from_matrix([[1, 2], [3, 4]], "actual_rows", labels=labels),
        lambda labels: br.from_predictions(["a", "b"], {"m": ["a", "b"]}, labels=labels),
        lambda labels: br.joint_outcomes(["a", "b"], {"m": ["a", "b"]}, labels=labels),
    ],
)
def test_classes_are_a_sequence_of_single_names(call, labels):
    with pytest.raises((TypeError, ValueError), match=r"^labels must "):
        call(labels)


@pytest.mark.parametrize("name", [None, math.nan, ("a", 1)])
@pytest.mark.parametrize("function", [br.from_predictions, br.joint_outcomes])
def test_entities_of_predictions_have_single_names(function, name):
    with pytest.raises((TypeError, ValueError), match=r"^predictions must "):
        function([0, 1], {name: [0, 1]})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda y_true, y_predicted: 1.0, r"must be a function of \(tn, fp, fn, tp\)"),
        (
            lambda tn, fp, fn, tp: tp / (tp + fp) if tp > 0 else 0.0,
            r"must take arrays tn, fp, fn, tp \(np.where for if",
        ),
        (lambda tn, fp, fn, tp: math.sqrt(tp), "must take arrays"),
        (lambda tn, fp, fn, tp: None, "must give numbers"),
        (lambda tn, fp, fn, tp: "a", "must give numbers"),
        (lambda tn, fp, fn, tp: [1.0, 2.0, 3.0], "must give one number for each table"),
    ],
)
@pytest.mark.parametrize(
    "call",
    [
        br.place,
        lambda f: scores.as_score(f)(POINT),
        lambda f: ops.of_value(f, 0.5, 0.3),
        lambda f: tile.correlation(f, 3, size=10),
    ],
)
def test_functions_that_are_no_scores_are_told_so(call, function, message):
    with pytest.raises((TypeError, ValueError), match=f"^score {message}"):
        call(function)


@pytest.mark.parametrize("bad", [None, "x", np.eye(2), COUNTS.to_dataset(name="counts"), POINT, COUNTS.astype(str)])
def test_counts_of_an_exact_posterior_are_checked(bad):
    with pytest.raises((TypeError, ValueError), match=r"^counts must "):
        br.score_posterior(bad, "f1")


def test_an_exact_posterior_of_one_selected_entity():
    one, both = (br.score_posterior(counts, "f1").cdf([0.5, 0.8]) for counts in (COUNTS.sel(entity="b"), COUNTS))
    assert one.dims == ("value",)
    np.testing.assert_array_equal(one, both.sel(entity="b"))


@pytest.mark.parametrize(
    "call",
    [
        lambda s: tile.credible(s, 3),
        lambda s: tile.probability_best(s, 3),
        lambda s: tile.rank_probability(s, 3),
        lambda s: tile.value_interval(s, 3),
        lambda s: tile.entity_rank(s, "a", 3),
        lambda s: tile.preference_ranking(s, 0.5, 0.5),
    ],
)
def test_maps_of_no_draws_are_refused(call):
    with pytest.raises(ValueError, match="source must hold at least one entity and one draw"):
        call(DRAWS.isel(draw=[]))


@pytest.mark.parametrize("call", [tile.baseline, tile.state_of_the_art])
def test_a_set_of_one_or_none(call):
    xr.testing.assert_allclose(
        call(POINT.sel(entity="a"), 3), tile.value(POINT.sel(entity="a", drop=True), 3), check_dim_order=True
    )
    with pytest.raises(ValueError, match="source must hold something along entity"):
        call(POINT.isel(entity=[]), 3)


def test_performances_with_holes_are_refused():
    with pytest.raises(ValueError, match="source must hold probabilities, or NaN for all of predicted"):
        br.as_performance(POINT.where(POINT > 0.06))
    spaces = xr.DataArray([0.2, np.nan, 0.5], dims="outcome")
    with pytest.raises(ValueError, match="source must hold probabilities, or NaN for all of outcome"):
        br.as_performance(spaces)
    br.as_performance(spaces * np.nan)


def test_a_class_of_which_nothing_is_known_leaves_the_other():
    only_negatives = performance.shift_prior(br.from_counts(tn=8, fp=2, fn=0, tp=0), 0.3)
    assert scores.tnr(only_negatives).item() == pytest.approx(0.8)
    assert np.isnan(scores.tpr(only_negatives)).all()


def test_an_unknown_prevalence_leaves_the_performance_unknown():
    shares = xr.DataArray([0.3, np.nan], {"entity": ["a", "b"]}, ("entity",))
    shifted = performance.shift_prior(POINT, shares)
    assert shifted.isnull().all(["actual", "predicted"]).values.tolist() == [False, True]
    assert shifted.isnull().any(["actual", "predicted"]).values.tolist() == [False, True]
    with pytest.raises(ValueError, match="prevalence must lie between 0 and 1"):
        performance.shift_prior(POINT, shares.fillna(1.5))


def test_one_against_the_rest_only_once_and_of_numbers():
    tables = br.one_vs_rest(br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows"))
    with pytest.raises(ValueError, match="counts must not have the dim label"):
        br.one_vs_rest(tables)
    with pytest.raises(TypeError, match="counts must hold numbers"):
        br.one_vs_rest(COUNTS.astype(str))
    with pytest.raises(ValueError, match="counts must not be negative"):
        br.one_vs_rest(-COUNTS)


def test_relations_match_entities_by_name():
    values = scores.ppv(br.from_counts(tn=[8, 9, 9], fp=[1, 0, 0], fn=[0, 1, 1], tp=[1, 0, 0], entity=["a", "b", "c"]))
    performance = br.as_performance(
        br.from_counts(tn=[9, 8, 9], fp=[0, 1, 0], fn=[1, 0, 1], tp=[0, 1, 0], entity=["c", "a", "b"])
    )
    found = br.theory.relations(values, performance)
    assert found["equivalent"].sel(entity="b", rival="c")
    assert found["incomparable"].sel(entity="a", rival="b")
    with pytest.raises(ValueError, match="performance must be that of the entities of values"):
        br.theory.relations(values, performance.isel(entity=[0, 1]))


def test_a_selected_entity_keeps_its_name():
    one = DRAWS.sel(entity="b")
    assert tile.credible(one, 3)["entity"].values.tolist() == ["b"]
    assert tile.preference_ranking(one, 0.5, 0.5)["entity"].values.tolist() == ["b"]
    intervals = tile.value_interval(one, 3)
    assert intervals["mean"].dims == ("b", "a")
    xr.testing.assert_allclose(intervals["mean"], tile.value_interval(DRAWS, 3)["mean"].sel(entity="b"))
