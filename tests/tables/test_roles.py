"""One table of roles: each is an option and an argument of the same name, and has published headings."""

import inspect
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank.cli.check import check
from bayesrank.cli.rank import rank
from bayesrank.io.tables.files import read_evidence
from bayesrank.io.tables.roles import FOLDS, MATRIX, OPTIONS, TABLE, standard_headings
from bayesrank.io.tables.table import Roles
from tests.commands import invoke, refused

ROLES = [*TABLE, *MATRIX, *FOLDS]
ANSWERS = pd.DataFrame({"gpt": [1, 0, 1, 1, 0], "llama": [1, 1, 0, 0, 1]})
BOXES = pd.DataFrame({"entity": ["a", "b"], "fp": [10, 5], "fn": [9, 6], "tp": [70, 75]})


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_role_is_an_argument_and_an_option_of_the_same_name(role):
    assert role.name in inspect.signature(br.from_frame).parameters
    assert role.name in {one.name for one in fields(Roles)}
    for command in (rank, check):
        assert role.option in {name for one in command.params for name in one.opts}


def test_every_argument_of_a_table_is_a_field_and_an_option():
    arguments = set(inspect.signature(br.from_frame).parameters) - {"frame"}
    assert arguments == {one.name for one in fields(Roles)}
    options = {name for one in rank.params for name in one.opts}
    assert {f"--{OPTIONS.get(name, name).replace('_', '-')}" for name in arguments} <= options


def test_the_help_has_the_headings():
    said = " ".join(invoke("rank", "--help-all").split())
    for role, names in standard_headings().items():
        assert f"{role} {', '.join(names)}" in said


@pytest.mark.parametrize("heading", standard_headings()["actual"])
def test_a_standard_heading_is_taken_without_an_option(heading):
    frame = ANSWERS.assign(**{heading: [1, 0, 0, 1, 1]})
    assert br.from_frame(frame).equals(br.joint_outcomes([1, 0, 0, 1, 1], ANSWERS))


@pytest.mark.parametrize("missing", [None, "", 0])
def test_detection_has_scores_without_true_negatives_only(missing, tmp_path):
    frame = BOXES if missing is None else BOXES.assign(tn=missing)
    path = tmp_path / "boxes.csv"
    frame.to_csv(path, index=False)
    for counts in (br.from_frame(frame), read_evidence(str(path))):
        assert br.scores.f1(counts).values == pytest.approx([140 / 159, 150 / 161])
        assert br.scores.jaccard(counts).values == pytest.approx([70 / 89, 75 / 86])
        for score in ("informedness", "accuracy", "mcc", "tnr"):
            with pytest.raises(br.ArgumentError, match="it needs true negatives"):
                br.credible_ranking(br.fit(counts, draws=20, seed=1), score)
    assert "the ranking is by F1" in invoke("rank", path, "--draws", 50)
    assert "must have true negatives for a Tile" in refused("tile", path, "--draws", 50)


def test_ends_of_an_interval_are_those_of_a_normal_distribution():
    frame = pd.DataFrame(
        {"model": ["a", "b"], "score": [0.7, 0.6], "lower": [0.6, 0.55], "upper": [0.8, 0.65]}
    )
    found = br.from_frame(frame)
    assert found["standard_error"].values == pytest.approx(np.array([0.2, 0.1]) / 3.919928)
    named = frame.set_axis(["model", "score", "from", "to"], axis=1)
    assert br.from_frame(named, outcome="score", lower="from", upper="to").equals(found)
    with pytest.raises(br.ArgumentError, match="must be the end of an interval around score"):
        br.from_frame(frame.assign(lower=[0.1, 0.65]))
    with pytest.raises(br.ArgumentError, match="se cannot be used for a table without means"):
        br.from_frame(ANSWERS.assign(x=0.1), se="x")


def test_rows_are_data_sets_of_one_entity_or_entities():
    cells = pd.DataFrame({"tn": [70, 75], "fp": [10, 5], "fn": [9, 6], "tp": [21, 24]})
    assert br.from_frame(cells, dataset="@row").sizes == {
        "entity": 1,
        "dataset": 2,
        "actual": 2,
        "predicted": 2,
    }
    assert br.from_frame(cells, entity="@row")["entity"].values.tolist() == ["row 1", "row 2"]
    with pytest.raises(br.ArgumentError, match="must name a different column"):
        br.from_frame(cells, entity="@row", dataset="@row")


def test_columns_of_votes_are_named_together():
    frame = pd.DataFrame({"left": list("aab"), "right": list("bcc"), "choice": list("aac")})
    found = br.from_frame(frame, a="left", b="right", winner="choice")
    assert found.equals(br.from_votes(frame, a="left", b="right", winner="choice"))
    with pytest.raises(br.ArgumentError, match="b must name a column beside left and choice"):
        br.from_frame(frame, a="left", winner="choice")
    with pytest.raises(br.ArgumentError, match="a='left', b='right', winner='choice' says so"):
        br.from_frame(frame)


@pytest.mark.parametrize("change", [
    lambda f: f.convert_dtypes(), lambda f: f.astype("category"), lambda f: f.astype(str),
    lambda f: f.astype("float32"),
    lambda f: f.astype("Int8"), lambda f: f.astype(bool).astype("boolean"),
])  # fmt: skip
def test_types_of_columns_do_not_matter(change):
    found = br.from_frame(change(ANSWERS))
    assert found["outcome"].values.tolist() == br.from_frame(ANSWERS)["outcome"].values.tolist()


def test_frames_of_polars_are_read():
    polars = pytest.importorskip("polars")
    pytest.importorskip("narwhals")
    for frame in (
        polars.from_dicts(ANSWERS.to_dict("records")),
        polars.from_dicts(ANSWERS.to_dict("records")).lazy(),
    ):
        assert br.from_frame(frame).equals(br.from_frame(ANSWERS))


def test_what_is_no_frame_is_refused():
    for value in ([1, 2], {"a": [1]}, None, np.ones((2, 2))):
        with pytest.raises(TypeError, match="frame must be a pandas DataFrame"):
            br.from_frame(value)
