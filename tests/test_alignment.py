"""Everything with an index or a coordinate is joined by label, and ambiguity is refused."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank.words.sentences import say

NAMES = list("abcdefgh")
TRUTH = pd.Series([0, 0, 0, 1, 1, 1, 1, 0], NAMES)
GUESS = pd.Series([0, 0, 0, 1, 1, 1, 1, 0], NAMES)
POOR = pd.Series([0, 1, 0, 1, 1, 0, 1, 0], NAMES)
CHANCE = pd.Series([0.1, 0.2, 0.6, 0.7, 0.8, 0.9, 0.5, 0.3], NAMES)
WEIGHT = pd.Series([1.0, 2.0, 0.5, 3.0, 1.0, 0.0, 1.5, 1.0], NAMES)
COUNT = pd.Series([1, 2, 1, 3, 1, 0, 1, 1], NAMES)
CLUSTER = pd.Series([1, 1, 2, 2, 3, 3, 4, 4], NAMES)
CASE = pd.Series(range(8), NAMES)
DATASET = pd.Series(list("xxyyxxyy"), NAMES)


def codes(result):
    return [note.code for note in notes_of(result.attrs.get("notes", ""))]


def test_a_permuted_index_of_the_review():
    y = pd.Series(["no"] * 3 + ["yes"] * 3, index=range(6))
    with pytest.raises(
        br.ArgumentError, match=r"predictions\['m'\].loc\[y_true.index\] goes by label"
    ):
        br.from_predictions(y, {"m": y.iloc[::-1]})
    found = br.from_predictions(y, {"m": y.iloc[::-1].loc[y.index]})
    assert br.scores.accuracy(found).item() == 1.0
    named = y.set_axis(list("abcdef"))
    found = br.from_predictions(named, {"m": named.iloc[::-1]})
    assert br.scores.accuracy(found).item() == 1.0
    assert codes(found) == ["joined_by_label"]


def test_submissions_in_other_orders_join():
    frame = pd.DataFrame({"m": GUESS, "p": POOR})
    expected = br.from_predictions(TRUTH, frame)
    shuffled = frame.sample(frac=1, random_state=1)
    xr.testing.assert_equal(expected, br.from_predictions(TRUTH, shuffled))
    each = {"m": GUESS.sample(frac=1, random_state=2), "p": POOR.sample(frac=1, random_state=3)}
    found = br.from_predictions(TRUTH, each)
    xr.testing.assert_equal(expected, found)
    note = notes_of(found.attrs["notes"])[0]
    assert note.fields == {"arguments": ["predictions['m']", "predictions['p']"], "by": "y_true"}
    assert say(note).startswith(
        "Cases are joined by label: predictions['m'], predictions['p'] were put"
    )


def test_a_split_of_scikit_learn_goes_by_position():
    y = pd.Series([0, 1, 1, 0], [7, 2, 9, 4])
    frame = pd.DataFrame({"m": [0, 1, 1, 0]})
    for truth, guesses in ((y, frame), (y.reset_index(drop=True), frame.set_axis(y.index))):
        found = br.from_predictions(truth, guesses)
        assert br.scores.accuracy(found).item() == 1.0
        assert codes(found) == ["joined_by_position"]
    found = br.from_predictions(y, {"m": y.to_numpy()})
    assert "notes" not in found.attrs


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            [0, 1, 2],
            [2, 1, 0],
            r"m'\].loc\[y_true.index\] goes by label, predictions\['m'\].to_numpy\(\) goes by pos",
        ),
        ([2, 1, 0], [0, 1, 2], r"default index of predictions\['m'\] may be a position or a label"),
        ([0, 1, 2], list("abc"), r"predictions\['m'\].to_numpy\(\) goes by position"),
        (list("abc"), [0, 1, 2], r"predictions\['m'\].to_numpy\(\) goes by position"),
        (list("abc"), list("abd"), r"must have the labels of y_true; got 'd', which y_true lacks"),
        ([5, 6, 7], [5, 6, 8], r"got 8, which y_true lacks"),
        (list("aab"), list("baa"), r"must have each label of its cases once.*'a' more than once"),
        ([5, 5, 6], [0, 1, 2], "5 more than once"),
    ],
)
def test_ambiguous_labels_are_refused(first, second, said):
    with pytest.raises(br.ArgumentError, match=said):
        br.from_predictions(pd.Series([0, 1, 1], first), {"m": pd.Series([0, 1, 1], second)})


def test_the_lines_in_refusals_work():
    y, m = pd.Series([0, 1, 1], [0, 1, 2]), pd.Series([1, 1, 0], [2, 1, 0])
    assert br.scores.accuracy(br.from_predictions(y, {"m": m.loc[y.index]})).item() == 1.0
    assert br.scores.accuracy(br.from_predictions(y, {"m": m.to_numpy()})).item() == pytest.approx(
        1 / 3
    )


def test_repeated_labels_in_equal_order_are_matched():
    y = pd.Series([0, 1, 1], list("aab"))
    assert br.scores.accuracy(br.from_predictions(y, {"m": y.copy()})).item() == 1.0


def test_lists_beside_two_orders_are_refused():
    with pytest.raises(
        br.ArgumentError, match=r"since y_true has no labels to join by.*\['p'\].loc\["
    ):
        br.from_predictions(TRUTH.tolist(), {"m": GUESS, "p": POOR.iloc[::-1]})


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2024-01-01", periods=8),
        pd.MultiIndex.from_product([[1, 2], list("wxyz")]),
        pd.Index([3.5, 1.0, 2.0, 9.0, 8.0, 7.0, 6.0, 5.0]),
    ],
)
def test_other_kinds_of_index(index):
    y, guess = TRUTH.set_axis(index), POOR.set_axis(index)
    found = br.from_predictions(y, {"m": guess.sample(frac=1, random_state=1)})
    xr.testing.assert_equal(found, br.from_predictions(y.to_numpy(), {"m": guess.to_numpy()}))
    assert codes(found) == ["joined_by_label"]


def shuffle(value, seed):
    if isinstance(value, dict):
        return {name: shuffle(held, seed + i) for i, (name, held) in enumerate(value.items())}
    if isinstance(value, xr.DataArray):
        return value.isel(case=np.random.default_rng(seed).permutation(value.sizes["case"]))
    return value.sample(frac=1, random_state=seed)


BOTH = {"good": GUESS, "poor": POOR}
SCORES = {"chance": CHANCE, "other": CHANCE.iloc[::-1].set_axis(NAMES)}
OUTCOMES = pd.DataFrame({name: (held == TRUTH).astype(int) for name, held in BOTH.items()})
DRAWN = br.case_weights(TRUTH, count=COUNT, draws=50, chains=2, seed=1)
ARRAY = pd.DataFrame(SCORES).rename_axis(index="case", columns="entity").stack().to_xarray()
RUNS = pd.DataFrame({"m": CHANCE, "p": POOR.astype(float)})
#: Every public function that takes several things a case: the function and its arguments, of which the first leads.
TAKERS = {
    "from_predictions": (
        br.from_predictions,
        {"y_true": TRUTH, "predictions": BOTH, "dataset": DATASET, "weight": WEIGHT},
    ),
    "from_predictions, count": (
        br.from_predictions,
        {"y_true": TRUTH, "predictions": pd.DataFrame(BOTH), "count": COUNT},
    ),
    "joint_outcomes": (
        br.joint_outcomes,
        {
            "y_true": TRUTH,
            "predictions": BOTH,
            "weight": WEIGHT,
            "cluster": CLUSTER,
            "dataset": CLUSTER > 2,
            "case": CASE,
        },
    ),
    "joint_outcomes, run": (
        br.joint_outcomes,
        {"y_true": TRUTH, "predictions": BOTH, "case": CLUSTER, "run": CASE % 2},
    ),
    "from_outcomes": (
        br.from_outcomes,
        {
            "frame": OUTCOMES,
            "count": COUNT,
            "weight": WEIGHT,
            "cluster": CLUSTER,
            "cost": pd.DataFrame(SCORES).set_axis(["good", "poor"], axis=1),
        },
    ),
    "from_outcomes, run": (
        br.from_outcomes,
        {"frame": OUTCOMES, "case": CLUSTER, "run": CASE % 2, "dataset": CLUSTER > 2},
    ),
    "variance_components": (
        br.cases.variance_components,
        {"frame": RUNS, "case": CLUSTER, "run": CASE, "cluster": CLUSTER % 3},
    ),
    "variance_components, runs": (
        br.cases.variance_components,
        {"frame": OUTCOMES / 2, "runs": pd.Series([2, 4] * 4, NAMES), "cluster": CLUSTER},
    ),
    "case_weights": (
        lambda **given: br.case_weights(draws=20, chains=1, seed=1, **given),
        {"cases": TRUTH, "count": COUNT, "cluster": CLUSTER, "dataset": CLUSTER > 2},
    ),
    "weighted_metric": (
        lambda **given: br.cases.weighted_metric("auc_roc", **given)["posterior"]["auc_roc"],
        {"y_true": TRUTH, "predictions": SCORES, "weights": DRAWN},
    ),
    "weighted_metric, array": (
        lambda **given: br.cases.weighted_metric("brier", **given)["posterior"]["brier"],
        {"y_true": TRUTH, "predictions": ARRAY, "weights": DRAWN},
    ),
    "weighted_metric, mean": (
        lambda **given: br.cases.weighted_metric("mean", None, **given)["posterior"]["mean"],
        {"predictions": CHANCE, "weights": DRAWN},
    ),
    "of_curve": (
        lambda **given: br.ops.of_curve(metric="auc_roc", **given),
        {"y_true": TRUTH, "y_score": SCORES, "weights": DRAWN},
    ),
    "threshold_curves": (
        br.ops.threshold_curves,
        {"y_true": TRUTH, "y_score": SCORES},
    ),
    "best_threshold": (
        lambda **given: br.ops.best_threshold(score="f1", draws=5, seed=1, **given),
        {"y_true": TRUTH, "y_score": pd.DataFrame(SCORES)},
    ),
    "decision_curve": (
        lambda **given: br.decisions.decision_curve(
            thresholds=[0.3, 0.5], draws=50, seed=1, **given
        ),
        {"y_true": TRUTH, "predictions": SCORES},
    ),
}


@pytest.mark.parametrize("taker", TAKERS)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1000))
def test_shuffled_rows_change_no_result(taker, seed):
    function, arguments = TAKERS[taker]
    expected = function(**arguments)
    first, *others = arguments
    mixed = {first: arguments[first]} | {
        name: shuffle(arguments[name], seed + i) for i, name in enumerate(others)
    }
    xr.testing.assert_equal(function(**mixed), expected)


@pytest.mark.parametrize("taker", TAKERS)
def test_every_function_refuses_foreign_labels(taker):
    function, arguments = TAKERS[taker]
    last = list(arguments)[-1]
    held = arguments[last]
    names = [*NAMES[:-1], "foreign"]
    if isinstance(held, dict):
        held = {name: column.set_axis(names) for name, column in held.items()}
    else:
        held = (
            held.assign_coords(case=names)
            if isinstance(held, xr.DataArray)
            else held.set_axis(names, axis=0)
        )
    with pytest.raises(br.ArgumentError, match="'foreign'"):
        function(**{**arguments, last: held})


def test_notes_are_kept_by_counts_of_joint_outcomes():
    joint = br.joint_outcomes(TRUTH, {"good": GUESS.iloc[::-1]}, weight=WEIGHT)
    assert codes(joint) == ["joined_by_label", "weighted_cases"]
    from bayesrank.evidence.predictions import counts_of

    assert codes(counts_of(joint)) == ["joined_by_label", "weighted_cases", "cases_summed"]


LABELS = [f"c{i}" for i in range(20)]
TRUE = pd.Series(["no"] * 8 + ["yes"] * 12, index=LABELS)
TURNED = TRUE.iloc[np.random.default_rng(4).permutation(20)]


@pytest.mark.parametrize(
    ("y_true", "guess"),
    [
        (dict(TRUE), dict(TURNED)),
        (
            xr.DataArray(TRUE.values, dims="i", coords={"id": ("i", LABELS)}),
            xr.DataArray(TURNED.values, dims="i", coords={"id": ("i", TURNED.index.tolist())}),
        ),
    ],
    ids=["mappings from the case", "a coordinate that is no index"],
)
def test_other_carriers_of_labels_are_joined(y_true, guess):
    assert br.scores.accuracy(br.from_predictions(y_true, {"m": guess})).item() == 1.0


def test_datasets_of_predictions_and_mappings_of_clusters_are_joined():
    guesses = xr.Dataset({"m": ("case", TURNED.values)}, coords={"case": TURNED.index.tolist()})
    assert br.scores.accuracy(br.from_predictions(TRUE, guesses)).item() == 1.0
    cluster = pd.Series(np.repeat(list("wxyz"), 5), index=LABELS)
    wanted = br.joint_outcomes(TRUE, {"m": TURNED}, cluster=cluster)
    xr.testing.assert_identical(
        br.joint_outcomes(TRUE, {"m": TURNED}, cluster=dict(cluster)), wanted
    )


def test_dates_beside_their_texts_are_refused():
    days = pd.date_range("2024", periods=4)
    with pytest.raises(br.ArgumentError, match="must have the labels of y_true"):
        br.from_predictions(
            pd.Series([0, 1, 0, 1], days), {"m": pd.Series([0, 1, 0, 1], days.astype(str))}
        )


@pytest.mark.parametrize("spelt", ["yes ", "Yes", " YES"])
def test_labels_of_another_spelling_make_no_class(spelt):
    with pytest.raises(br.ArgumentError, match="must spell labels as in y_true, such as 'yes'"):
        br.from_predictions(TRUE, {"m": TRUE.replace("yes", spelt)})


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        (["001", "002"], [1, 2], "1 and '001' are names of two types: convert one of them"),
        ([1, 2], ["1", "2"], "'1' and 1 are names of two types: convert one of them"),
        (["001", "002"], ["1", "2"], "did you mean '001'"),
        (["Case a", "Case b"], ["case a", "case  b"], "did you mean 'Case a'"),
    ],
)
def test_labels_that_look_alike_and_differ_are_named(first, second, hint):
    truth, guess = (pd.Series([0, 1], index=names) for names in (first, second))
    with pytest.raises(
        ValueError, match=rf"^predictions\['a'\] must have the labels of y_true.*{hint}"
    ):
        br.from_predictions(truth, {"a": guess})


def test_names_that_look_alike_and_differ_are_named():
    counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["001", "b"])
    with pytest.raises(
        KeyError, match=r"^reference must be one of .*1 and '001' are names of two types"
    ):
        br.decisions.noninferiority(counts, 1)
    with pytest.raises(KeyError, match=r"did you mean 'b'"):
        br.decisions.noninferiority(counts, "B ")
