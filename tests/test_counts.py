"""Evidence: every way in gives the same labelled counts; nothing is guessed, coerced or reordered."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

import bayesrank as br
from tests.strategies import INCOMPLETE, matrices, two_class_counts


def test_from_counts_places_the_cells():
    counts = br.from_counts(tn=1, fp=2, fn=3, tp=4)
    assert counts.dims == ("entity", "actual", "predicted")
    assert counts.name == "counts"
    assert counts.dtype == np.int64
    assert counts["entity"].values.tolist() == ["entity 1"]
    assert (
        counts["actual"].values.tolist()
        == counts["predicted"].values.tolist()
        == ["negative", "positive"]
    )
    assert counts.values.tolist() == [[[1, 2], [3, 4]]]


def test_incomplete_designs_keep_what_was_measured():
    assert INCOMPLETE.dims == ("entity", "dataset", "actual", "predicted")
    assert INCOMPLETE["measured"].values.tolist() == [[True, True], [True, False]]
    assert INCOMPLETE.sel(entity="b", dataset="y").sum().item() == 0
    assert (
        INCOMPLETE.sel(entity="a", dataset="y", actual="positive", predicted="positive").item() == 6
    )


@pytest.mark.parametrize(
    "labels",
    [
        ["cat", "dog", "fox"],
        [0, 1, 2],
        [-1.5, 0.0, 2.5],
        [False, True],
        ["ja", "nein"],
        [b"a", b"b"],
    ],
    ids=str,
)
def test_from_predictions_agrees_with_scikit_learn(labels):
    """Of a single case, too, so that classes are absent."""
    rng = np.random.default_rng(5)
    for size in (1, 200):
        truth, guess = rng.choice(len(labels), (2, size))
        y, p = [labels[i] for i in truth], [labels[i] for i in guess]
        counts = br.from_predictions(y, {"model": p}, labels=labels)
        expected = confusion_matrix(truth, guess, labels=range(len(labels)))
        assert counts.sel(entity="model").values.tolist() == expected.tolist()
        assert counts["actual"].values.tolist() == labels


def test_weights_repeat_cases_of_each_data_set():
    y, p, w, sets = np.array([[0, 0, 1, 1, 0], [0, 1, 1, 0, 0], [3, 1, 2, 0, 1], [0, 1, 1, 0, 0]])
    weighted = br.from_predictions(y, {"m": p}, count=w, dataset=sets, labels=[0, 1])
    repeated = br.from_predictions(
        np.repeat(y, w), {"m": np.repeat(p, w)}, dataset=np.repeat(sets, w), labels=[0, 1]
    )
    assert weighted.identical(repeated)
    assert weighted.sel(dataset=0).values.tolist() == [[[4, 0], [0, 0]]]
    assert bool(weighted["measured"].all())


def test_labels_of_different_types_stay_apart():
    counts = br.from_predictions([1, "1"], {"m": ["1", "1"]}, labels=[1, "1"])
    assert counts.sel(entity="m").values.tolist() == [[0, 1], [0, 1]]


def test_orientation_transposes():
    matrix = [[5, 1, 0], [2, 7, 1], [0, 0, 4]]
    rows = br.from_matrix(matrix, "actual_rows")
    columns = br.from_matrix(np.transpose(matrix), "predicted_rows")
    assert rows.identical(columns)


def test_from_matrix_takes_labels_of_a_frame_and_stacks():
    frame = pd.DataFrame([[5, 1], [2, 7]], index=["no", "yes"], columns=["no", "yes"])
    counts = br.from_matrix(frame, "actual_rows", entity="m")
    assert counts.sel(entity="m", actual="no", predicted="yes").item() == 1
    stack = br.from_matrix([[[5, 1], [2, 7]], [[6, 0], [1, 8]]], "actual_rows", entity=["m", "n"])
    assert stack.sel(entity="n", actual="positive", predicted="positive").item() == 8


@pytest.mark.parametrize("order", [["pos", "neg"], ["neg", "pos"]])
def test_the_order_of_categories_is_kept(order):
    frame = pd.DataFrame(
        {"entity": "a", "actual": ["pos", "neg"], "predicted": ["pos", "neg"], "count": [3, 5]}
    )
    frame["actual"] = pd.Categorical(frame["actual"], order)
    assert br.from_frame(frame)["actual"].values.tolist() == order


@given(two_class_counts(), st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing(counts, random):
    stacked = counts.stack(c=["actual", "predicted"]).transpose("c", "entity")
    cells = dict(zip(("tn", "fp", "fn", "tp"), stacked.values, strict=True))
    names = counts["entity"].values.tolist()
    order = list(range(len(names)))
    random.shuffle(order)
    shuffled = br.from_counts(
        **{c: v[order] for c, v in cells.items()}, entity=[names[i] for i in order]
    )
    assert shuffled.sel(entity=names).equals(counts)


@given(matrices())
def test_one_vs_rest_keeps_every_case(matrix):
    counts = br.from_matrix(matrix, "actual_rows")
    binary = br.one_vs_rest(counts)
    assert binary.dims == ("entity", "label", "actual", "predicted")
    assert (binary.sum(["actual", "predicted"]) == matrix.sum()).all()
    for i, label in enumerate(counts["actual"].values):
        (tn, fp), (fn, tp) = binary.sel(entity="entity 1", label=label).values
        assert tp == matrix[i, i]
        assert (fp, fn) == (matrix[:, i].sum() - tp, matrix[i].sum() - tp)
        assert tn == np.delete(np.delete(matrix, i, 0), i, 1).sum()


@given(matrices())
def test_one_vs_rest_commutes_with_normalising(matrix):
    counts = br.from_matrix(matrix + 1, "actual_rows")
    direct = br.as_performance(br.one_vs_rest(counts))
    by_rates = br.one_vs_rest(br.as_performance(counts))
    np.testing.assert_allclose(direct.values, by_rates.values, atol=1e-12)
    assert (by_rates >= 0).all()
