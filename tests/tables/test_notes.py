"""What was inferred from a table is a note with a code and fields, which the command says."""

import pandas as pd

import bayesrank as br
from bayesrank._core.notes import Note, notes_of
from bayesrank.words.sentences import say
from tests.commands import invoke

COUNTS = pd.DataFrame({"team": ["a", "b"], "tn": [8, 9], "fp": [2, 1], "fn": [1, 3], "tp": [9, 7]})
LABELS = pd.DataFrame(
    {"actual": ["x", "y", "x", "y"], "A": ["x", "y", "y", "x"], "B": ["x", "y", "z", "y"]}
)
FOLDS = pd.DataFrame(
    {"case": [1, 2, 1, 2], "dataset": ["u", "u", "v", "v"], "A": [1, 0, 1, 1], "B": [1, 1, 0, 1]}
)


def notes(frame):
    return notes_of(br.from_frame(frame).attrs.get("notes", ""))


def test_the_column_of_entities_is_a_field():
    assert notes(COUNTS.rename(columns={"team": "site"})) == [
        Note("column_names_entities", {"column": "site"})
    ]
    assert notes(COUNTS) == []  # sentences speak of teams
    assert notes(COUNTS.rename(columns={"team": "entity"})) == []


def test_labels_are_fields():
    assert notes(LABELS) == [Note("labels_never_true", {"labels": ["z"]})]
    two = notes(LABELS.drop(columns="B"))
    assert two == [
        Note(
            "positive_class_unknown",
            {"labels": ["x", "y"], "options": "positive='x' or positive='y'"},
        )
    ]


def test_runs_and_cases_are_notes():
    long = pd.DataFrame(
        {"entity": ["A"] * 4 + ["B"] * 4, "question": [1, 1, 2, 2] * 2, "run": [1, 2] * 4}
    )
    found = notes(long.assign(outcome=[1, 0, 1, 1, 0, 0, 1, 0]))
    assert [note.code for note in found][:2] == [
        "column_names_cases",
        "outcomes_are_means_over_runs",
    ]
    assert say(found[0]) == "The column question names the cases."


def test_names_of_cases_that_data_sets_share_matter_only_if_they_are_pooled(tmp_path):
    shared = Note("case_names_shared", {"cases": 2, "if_pooled": True})
    assert notes(FOLDS) == [Note("ones_taken_as_right", {}), shared]
    FOLDS.to_csv(tmp_path / "folds.csv", index=False)
    said = "Several data sets have cases of the same name (2)"
    assert said in invoke("rank", tmp_path / "folds.csv", "--draws", 50)
    assert said not in invoke("rank", tmp_path / "folds.csv", "--draws", 50, "--dataset", "u")


def test_the_title_has_the_noun_of_the_column(tmp_path):
    COUNTS.to_csv(tmp_path / "counts.csv", index=False)
    found = invoke("rank", tmp_path / "counts.csv", "--draws", 50)
    assert "Ranking of 2 teams" in found
    assert "names the entities" not in found
    COUNTS.rename(columns={"team": "site"}).to_csv(tmp_path / "sites.csv", index=False)
    assert "The column site names the entities." in invoke(
        "rank", tmp_path / "sites.csv", "--draws", 50
    )
