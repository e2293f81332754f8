"""Rows, metrics and entities of several columns: what is selected is what a table of these rows alone has."""

import shlex

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.io.tables.files import read_evidence
from tests.commands import csv_of, refused, run

rng = np.random.default_rng(6)
CASES = pd.DataFrame(
    [
        (i, m, v, of)
        for of in ("dice", "iou", "hd95")
        for i in range(12)
        for m in "AB"
        for v in ("s", "l")
    ],
    columns=["case", "model", "variant", "metric"],
).assign(
    value=lambda held: np.where(held["metric"] == "hd95", 30, 1) * rng.random(len(held)).round(3)
)
DICE = CASES[CASES["metric"] == "dice"].drop(columns="metric")
LARGE = DICE[DICE["variant"] == "l"].drop(columns="variant")
HALVES = ["dev", "dev", "test", "test"]
TYPED = "--entity model,variant --where metric=dice --outcome value"


def both(frame, tmp_path, **roles):
    """The evidence of the command, whose columns of entities and conditions are text, and in Python."""
    file = tmp_path / "table.csv"
    frame.to_csv(file, index=False)
    typed = roles | (
        {"entity": ",".join(roles["entity"])} if isinstance(roles.get("entity"), list) else {}
    )
    if "where" in roles:
        held = {name: of if isinstance(of, list) else [of] for name, of in roles["where"].items()}
        typed["where"] = {name: list(map(str, of)) for name, of in held.items()}
    found, evidence = read_evidence(str(file), **typed), br.from_frame(frame, **roles)
    xr.testing.assert_equal(found.assign_coords(evidence.coords), evidence)
    return evidence


def test_rows_with_a_value_are_those_of_a_table_of_these_rows(tmp_path):
    found = both(CASES, tmp_path, outcome="value", where={"metric": "dice", "variant": "l"})
    xr.testing.assert_equal(found, br.from_frame(LARGE, outcome="value"))
    said = (
        '["rows_selected", {"conditions": ["metric = dice", "variant = l"], "rows": 24, "of": 144}]'
    )
    assert said in found.attrs["notes"]
    printed = run(
        "rank",
        tmp_path / "table.csv",
        *shlex.split("--outcome value --where metric=dice --where variant=l"),
    )
    assert "24 of 144 rows are read: those with metric = dice and variant = l." in printed.output
    several = both(
        CASES,
        tmp_path,
        outcome="value",
        where={"metric": "dice", "case": [0, 3, 5], "variant": "l"},
    )
    assert several["count"].sum() == 3
    xr.testing.assert_equal(
        several, br.from_frame(LARGE[LARGE["case"].isin([0, 3, 5])], outcome="value")
    )


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"case": range(8), "A": [1, 0] * 4, "B": [1, 1, 0, 0] * 2, "split": ["dev"] * 4 + ["test"] * 4}),
        pd.DataFrame({"entity": list("abab"), "tn": 9, "fp": [1, 2, 3, 4], "fn": 2, "tp": 8, "split": HALVES}),
        pd.DataFrame({"model_a": list("abab"), "model_b": list("babc"), "winner": "model_a", "split": HALVES}),
        pd.DataFrame({"actual": list("xyxyxyx"), "predicted": list("xyyyxxx"), "split": ["dev"] * 2 + ["test"] * 5}),
    ],
)  # fmt: skip
def test_every_form_takes_conditions(frame, tmp_path):
    found = both(frame, tmp_path, where={"split": "test"})
    xr.testing.assert_equal(
        found, br.from_frame(frame[frame["split"] == "test"].drop(columns="split"))
    )


def test_a_column_with_a_role_stays(tmp_path):
    frame = pd.DataFrame(
        {"entity": list("abab"), "dataset": list("uuvv"), "correct": [3, 4, 5, 6], "wrong": 2}
    )
    found = both(frame, tmp_path, where={"dataset": "v"})
    assert found["dataset"].values.tolist() == ["v"]
    assert found.sel(outcome=1, dataset="v").values.tolist() == [5, 6]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (
            {"metric": "Dice"},
            r"where must keep at least one row; got metric=Dice .metric holds dice, iou, hd95",
        ),
        ({"nope": 1}, "where must name a column of frame"),
        ({}, "where must be a dictionary of columns and values"),
        ("metric=dice", "where must be a dictionary of columns and values"),
    ],
)
def test_conditions_that_keep_nothing(where, words):
    with pytest.raises(ValueError, match=words):
        br.from_frame(CASES, where=where)


def test_conditions_of_the_command(tmp_path):
    CASES.to_csv(tmp_path / "table.csv", index=False)
    assert "--where must have the form COLUMN=VALUE; got 'metric'" in refused(
        "rank", tmp_path / "table.csv", "--where", "metric"
    )
    said = refused("rank", tmp_path / "table.csv", "--where", "metric=x")
    assert "--where must keep at least one row; got metric=x (metric holds dice, iou, hd95)" in said
    assert "--where cannot be used for a shipped data set" in refused(
        "rank", "antibody_tests", "--where", "a=b"
    )


# --- Metrics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heading", ["metric", "Metric", ".metric", "metric_name"])
def test_several_metrics_are_never_averaged(heading, tmp_path):
    frame = (
        CASES[CASES["variant"] == "l"].drop(columns="variant").rename(columns={"metric": heading})
    )
    with pytest.raises(br.ArgumentError, match="must contain only one metric") as caught:
        br.from_frame(frame, outcome="value")
    assert f"where={ {heading: 'dice'}!r}, where={ {heading: 'iou'}!r} or" in str(caught.value)
    file = tmp_path / "metrics.csv"
    frame.to_csv(file, index=False)
    said = refused("rank", file)
    assert (
        f"--where {heading}=dice, --where {heading}=iou or --where {heading}=hd95 keeps one" in said
    )
    means = frame.groupby([heading, "model"])["value"].mean()
    for metric in ("dice", "iou", "hd95"):
        # The printed lines, one after the other, lead to the ranking by this metric.
        typed = ["--where", f"{heading}={metric}"]
        assert "--outcome value ranks" in refused("rank", file, *typed)
        typed += ["--outcome", "value"]
        if metric == "hd95":
            assert "--lower-is-better ranks low ones first" in refused("rank", file, *typed)
            typed += ["--lower-is-better"]
        found = csv_of("rank", file, *typed, "--draws", 20)["observed"]
        assert found.to_dict() == pytest.approx(means[metric].to_dict())
        assert found.is_monotonic_decreasing or metric == "hd95"


def test_one_metric_and_metrics_in_other_tables(tmp_path):
    one = LARGE.assign(metric="dice")
    xr.testing.assert_equal(
        both(one, tmp_path, outcome="value"), br.from_frame(LARGE, outcome="value")
    )
    wide = pd.DataFrame({"metric": ["acc", "f1"] * 4, "A": [1, 0] * 4, "B": [1, 1, 0, 0] * 2})
    with pytest.raises(
        br.ArgumentError, match=r"acc, f1 in the column metric .where=\{'metric': 'acc'\} or"
    ):
        br.from_frame(wide)
    found = both(wide, tmp_path, where={"metric": "f1"})
    xr.testing.assert_equal(found, br.from_outcomes(wide[wide["metric"] == "f1"][["A", "B"]]))
    with pytest.raises(br.ArgumentError, match="must contain only one metric"):
        br.from_frame(CASES, outcome="value", dataset="metric", entity=["model", "variant"])


# --- Entities of several columns --------------------------------------------------------------------------------------


def test_entities_are_named_by_several_columns(tmp_path):
    found = both(
        CASES, tmp_path, entity=["model", "variant"], outcome="value", where={"metric": "dice"}
    )
    assert found["entity"].values.tolist() == ["A, s", "A, l", "B, s", "B, l"]
    named = DICE.assign(entity=DICE["model"] + ", " + DICE["variant"])
    xr.testing.assert_equal(found, br.from_frame(named, outcome="value"))
    table = csv_of("rank", tmp_path / "table.csv", *shlex.split(TYPED), "--draws", 20)
    means = DICE.groupby(["model", "variant"])["value"].mean()
    assert table["observed"].to_dict() == pytest.approx(
        {f"{m}, {v}": x for (m, v), x in means.items()}
    )
    counts = pd.DataFrame(
        {"team": list("aab"), "entry": [1, 2, 1], "correct": [5, 6, 7], "total": 9}
    )
    right = both(counts, tmp_path, entity=["team", "entry"])
    assert right["entity"].values.tolist() == ["a, 1", "a, 2", "b, 1"]
    assert right.sel(outcome=1).values.tolist() == [5, 6, 7]


def test_a_column_with_a_comma_in_its_name_is_one_column(tmp_path):
    frame = DICE.assign(**{"model,variant": DICE["model"] + DICE["variant"]})
    frame.to_csv(tmp_path / "table.csv", index=False)
    found = read_evidence(str(tmp_path / "table.csv"), entity="model,variant", outcome="value")
    assert found["entity"].values.tolist() == ["As", "Al", "Bs", "Bl"]


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"entity": ["model", "nope"]}, "entity must name a column of frame"),
        ({"entity": ["model", "model"]}, "entity must name different columns; got model, model"),
        (
            {"entity": ["model", "case"], "case": "case"},
            "entity must name different columns; got 'case', the case",
        ),
        ({"entity": ["model"]}, "entity must be the name of a column"),
    ],
)
def test_columns_that_cannot_name_entities(roles, words):
    with pytest.raises(ValueError, match=words):
        br.from_frame(DICE, outcome="value", **roles)
    unclear = pd.DataFrame({"x": ["a, b", "a"], "y": ["c", "b, c"], "correct": 3, "wrong": 4})
    with pytest.raises(br.ArgumentError, match="joined values differ; got 'a, b, c'"):
        br.from_frame(unclear, entity=["x", "y"])


def test_the_gate_takes_the_same_options(tmp_path):
    for name, shift in (("base", 0), ("new", 0.3)):
        frame = CASES.assign(value=CASES["value"] + shift).drop(columns="model")
        frame[frame["variant"] == "l"].iloc[::2].to_csv(tmp_path / f"{name}.csv", index=False)

    def gate(metric, *typed):
        files = (tmp_path / "base.csv", tmp_path / "new.csv")
        return run(
            "gate",
            *files,
            "--where",
            f"metric={metric}",
            "--outcome",
            "value",
            "--margin",
            0.05,
            *typed,
        )

    assert "mean outcome +0.300" in gate("dice").output
    assert "12 cases" in gate("dice").output
    assert "must say which outcomes are good" in str(gate("hd95").exception)
    assert "mean outcome +0.300" in gate("hd95", "--higher-is-better").output
    assert "mean outcome -0.300" in gate("hd95", "--lower-is-better").output
