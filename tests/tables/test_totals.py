"""Rows of totals are found by arithmetic in any language; ordinary tables raise no false alarm."""

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank.io.tables.totals import find_summary, unit_of
from tests.commands import invoke, refused

CELLS = pd.DataFrame(
    {
        "team": list("abc"),
        "tn": [70, 75, 60],
        "fp": [10, 5, 20],
        "fn": [9, 6, 3],
        "tp": [21, 24, 27],
    }
)
RIGHT = pd.DataFrame({"team": list("abc"), "correct": [170, 140, 20], "total": [200, 190, 30]})
rng = np.random.default_rng(1)
CASES = pd.DataFrame(
    {
        "case": [f"c{i}" for i in range(300)],
        "A": rng.integers(0, 2, 300),
        "B": rng.integers(0, 2, 300),
    }
)


def with_row(frame, *row):
    return pd.concat(
        [frame.astype(object), pd.DataFrame([row], columns=frame.columns)], ignore_index=True
    )


@pytest.mark.parametrize("name", ["Summe", "Общее", "Zusammen", "Total"])
@pytest.mark.parametrize("frame", [CELLS, RIGHT])
def test_a_row_of_sums_is_no_team(frame, name, tmp_path):
    file = tmp_path / "counts.csv"
    table = with_row(frame, name, *frame.iloc[:, 1:].sum())
    table.to_csv(file, index=False)
    with pytest.raises(
        br.ArgumentError, match=f"'{name}' must not be a row, since it holds the sums"
    ):
        br.from_frame(table)
    assert "line 5" in refused("rank", file)
    # What the message says to do.
    assert br.from_frame(table[:3])["entity"].values.tolist() == ["a", "b", "c"]
    with pytest.raises(br.ArgumentError, match="holds the sums"):
        br.from_frame(table.iloc[[3, 0, 1, 2]])


def test_no_row_summarises_infinite_values():
    above = np.array([[1.0, np.inf], [2.0, np.inf]])
    assert find_summary(above, [3.0, np.inf], [1.0, 1.0], "Total") == ""


def test_a_row_of_means_is_no_team():
    means = CELLS.iloc[:, 1:].mean().round().astype(int)
    with pytest.raises(br.ArgumentError, match="holds the means"):
        br.from_frame(with_row(CELLS, "Durchschnitt", *means))
    # Any team may happen to be the middle one.
    assert br.from_frame(with_row(CELLS, "d", *means)).sizes["entity"] == 4


def test_a_data_set_of_sums_is_none():
    studies = CELLS.rename(columns={"team": "dataset"}).assign(entity="it")
    row = [*["Insgesamt", *studies[["tn", "fp", "fn", "tp"]].sum()], "it"]
    with pytest.raises(br.ArgumentError, match=r"'Insgesamt' must not be a row.*leaves it out"):
        br.from_frame(with_row(studies, *row))


@pytest.mark.parametrize(("scale", "digits"), [(1, 3), (1, 2), (1, 15), (100, 1)])
@pytest.mark.parametrize("long", [False, True])
def test_the_share_of_right_answers_below_a_table_is_no_case(scale, digits, long, tmp_path):
    """The bottom row "Accuracy, 0.727, ..." was case 301."""
    table = with_row(CASES, "Genauigkeit", *(scale * CASES[["A", "B"]].mean()).round(digits))
    if long:
        table = table.melt("case", ["A", "B"], "entity", "outcome")
    with pytest.raises(br.ArgumentError, match="its values are the means of the rows above"):
        br.from_frame(table)
    table.to_csv(tmp_path / "cases.csv", index=False)
    assert "its values are the means" in refused("rank", tmp_path / "cases.csv")


def test_the_number_of_right_answers_below_a_table_is_no_case():
    with pytest.raises(br.ArgumentError, match="its values are the sums"):
        br.from_frame(with_row(CASES, "Summe", *CASES[["A", "B"]].sum()))


@pytest.mark.parametrize("label", ["Accuracy", "Treffer"])
def test_scores_below_a_table_of_labels_are_no_labels(label):
    truth = ["cat", "dog", "cow"] * 20
    guesses = {"A": ["cat", "dog", "dog"] * 20, "B": [*truth[:50], *["cat"] * 10]}
    table = pd.DataFrame({"actual": truth, **guesses})
    right = [
        np.mean([a == b for a, b in zip(truth, guess, strict=True)]).round(3)
        for guess in guesses.values()
    ]
    with pytest.raises(br.ArgumentError, match="its values are the means"):
        br.from_frame(with_row(table, label, *right))


def test_a_class_of_sums_is_no_class():
    cells = [(a, p, 5 + 3 * i + 7 * j) for i, a in enumerate("xy") for j, p in enumerate("xy")]
    frame = pd.DataFrame(cells, columns=["actual", "predicted", "count"])
    margins = frame.groupby("actual")["count"].sum().reset_index().assign(predicted="Summe")
    columns = frame.groupby("predicted")["count"].sum().reset_index().assign(actual="Summe")
    whole = pd.DataFrame(
        {"actual": ["Summe"], "predicted": ["Summe"], "count": [frame["count"].sum()]}
    )
    with pytest.raises(
        br.ArgumentError, match="'Summe' must not be a label of actual: its rows hold the sums"
    ):
        br.from_frame(pd.concat([frame, margins, columns, whole]).assign(entity="it"))


def test_means_of_means_are_no_entity():
    frame = pd.DataFrame(
        {"model": list("abc"), "mean": [0.712, 0.655, 0.601], "se": [0.011, 0.012, 0.019]}
    )
    with pytest.raises(br.ArgumentError, match="holds the means of the other rows"):
        br.from_frame(with_row(frame, "Media", 0.656, 0.014))


def test_a_row_of_zeros_and_ones_is_a_case_like_the_others(tmp_path):
    file = tmp_path / "cases.csv"
    pd.DataFrame({"A": [0, 1, 0, 0, 1], "B": [1, 0, 0, 0, 1]}).to_csv(file, index=False)
    assert "A" in invoke("rank", file, "--draws", 50)


@pytest.mark.parametrize(
    ("text", "unit"), [("3", 1), ("0.72", 0.01), ("0,5", 0.1), (0.725, 0.001), (7, 1)]
)
def test_units_are_those_of_the_last_digit(text, unit):
    assert unit_of(text) == pytest.approx(unit)


def matched(rng, n, sizes):
    right = [rng.binomial(size, rate, n) for size, rate in zip(sizes, (0.8, 0.7), strict=True)]
    return np.stack([right[0], sizes[0] - right[0], sizes[1] - right[1], right[1]], 1)


ORDINARY = {
    "right and wrong": lambda rng, n, k: rng.integers(0, 2, (n, k)),
    "half credit": lambda rng, n, k: rng.integers(0, 3, (n, k)) / 2,
    "some half credit": lambda rng, n, k: rng.choice([0, 1, 0.5], p=[0.4, 0.5, 0.1], size=(n, k)),
    "quarters": lambda rng, n, k: rng.integers(0, 5, (n, k)) / 4,
    "grades to 2": lambda rng, n, k: rng.integers(0, 3, (n, k)),
    "grades to 5": lambda rng, n, k: rng.integers(0, 6, (n, k)),
    "tenths": lambda rng, n, k: rng.random((n, k)).round(1),
    "hundredths": lambda rng, n, k: rng.normal(0.5, 0.1, (n, k)).round(2),
    "difficulty": lambda rng, n, k: (
        rng.normal(0.5, 0.1, (n, 1)) + rng.normal(0, 0.01, (n, k))
    ).round(3),
    "tiny counts": lambda rng, n, k: rng.poisson(0.5, (n, k)),
    "small counts": lambda rng, n, k: rng.poisson(2, (n, k)),
    "counts": lambda rng, n, k: rng.poisson(20, (n, k)),
    "costs": lambda rng, n, k: np.exp(
        rng.normal(2, 1.5, (n, 1)) + rng.normal(0, 0.5, (n, k))
    ).round(1),
    "small matrices": lambda rng, n, k: matched(rng, n, (5, 5)),
    "matrices": lambda rng, n, k: matched(rng, n, (80, 20)),
}


#: Tables of counts, whose values are as fine as their digits.
COUNTS = ("tiny counts", "small counts", "counts", "small matrices", "matrices")


@pytest.mark.parametrize("kind", ORDINARY)
@pytest.mark.parametrize("tables", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_ordinary_tables_raise_an_alarm_less_often_than_once_in_a_thousand(kind, tables):
    rng, alarms, number = np.random.default_rng(1), 0, 0
    for n in (3, 4, 6, 8, 12, 30):
        for k in (1, 2, 4):
            for _ in range(tables):
                table = np.asarray(ORDINARY[kind](rng, n, k), float)
                units = [1.0 if value % 1 == 0 else unit_of(value) for value in table[-1].tolist()]
                alarms += bool(find_summary(table[:-1], table[-1], units, grid=kind not in COUNTS))
                number += 1
    assert alarms <= max(0.001 * number, 1)


def test_totals_of_right_answers_are_found_where_answers_are_missing():
    frame = pd.DataFrame({"a": [1, 0, 1, None, 1, 0, 3], "b": [0, None, 1, 1, 1, 0, 3]})
    with pytest.raises(br.ArgumentError, match="must be a case"):
        br.from_frame(frame, missing="own")
    assert br.from_frame(frame.iloc[:-1], missing="own").sizes["entity"] == 2


def test_a_first_row_of_totals_is_found():
    teams = pd.DataFrame(
        {
            "team": list("abc"),
            "tn": [90, 80, 70],
            "fp": [5, 10, 20],
            "fn": [9, 8, 7],
            "tp": [30, 40, 50],
        }
    )
    total = pd.DataFrame({"team": ["Gesamt"], "tn": [240], "fp": [35], "fn": [24], "tp": [120]})
    with pytest.raises(br.ArgumentError, match="sums of the other rows"):
        br.from_frame(pd.concat([total, teams]).reset_index(drop=True))
    assert br.from_frame(teams).sizes["entity"] == 3


@pytest.mark.parametrize(
    "last",
    [(4, 4, 4), (4, 4, 1), (4, 5, 5), (4, 2, 4), (5, 5, 5)],
    ids=lambda row: "-".join(map(str, row)),
)
def test_a_last_case_with_a_label_of_its_own_is_a_case(last, tmp_path):
    """Rows were called totals without any arithmetic."""
    rows = [(1, 1, 2), (2, 2, 2), (3, 3, 1), (1, 1, 1), (2, 1, 2), last]
    frame = pd.DataFrame(rows, columns=["actual", "A", "B"])
    assert br.from_frame(frame)["count"].sum() == 6
    frame.to_csv(tmp_path / "labels.csv", index=False)
    assert "Read 6 cases" in invoke("rank", tmp_path / "labels.csv", "--draws", 20)


def test_the_number_of_right_labels_is_found_beside_the_number_of_cases():
    truth = [1, 2, 3] * 10
    guesses = {"A": [1, 2, 1] * 10, "B": [*truth[:23], *[1] * 7]}
    right = [sum(a == b for a, b in zip(truth, guess, strict=True)) for guess in guesses.values()]
    frame = pd.DataFrame({"actual": truth, **guesses})
    for last in (30, "Summe"):
        with pytest.raises(br.ArgumentError, match="its values are the sums"):
            br.from_frame(with_row(frame, last, *right))
    # Not the number of cases, or not the numbers of right answers: a case.
    for row in ((31, *right), (30, right[0], right[1] + 1)):
        assert br.from_frame(with_row(frame, *row))["count"].sum() == 31
