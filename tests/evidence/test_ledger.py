"""The ledger: cases and runs of each entity, from the reader to the sentences that are published."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank.diagnosis import diagnose
from bayesrank.evidence.ledger import Drop, Entry, Ledger, Tally, ledger_of
from bayesrank.io.logs import Choices
from bayesrank.io.logs.stops import means_of
from bayesrank.words.sentences import say
from tests.commands import csv_of, invoke, json_of, refused


def write(path, rows, lines=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows))


@pytest.fixture
def runs(tmp_path):
    """Runs of METR: a met two tasks, b one; two of the runs of a ended at a usage limit, one of b in an error."""
    made = [
        *(
            ("a", "t1", 1, None),
            ("a", "t1", 0, "usageLimits"),
            ("a", "t1", 0, "usageLimits"),
            ("a", "t2", 1, None),
        ),
        *(("b", "t1", 1, None), ("b", "t1", 1, "server")),
    ]
    rows = [
        {"run_id": "r", "task_family": "f", "alias": alias, "task_id": task, "score_binarized": score,
         "fatal_error_from": error} for alias, task, score, error in made
    ]  # fmt: skip
    write(tmp_path / "logs" / "runs.jsonl", rows, lines=True)
    return str(tmp_path / "logs")


ONLY = ["--only", "metric=score_binarized"]


@pytest.fixture
def labels(tmp_path):
    """Four hundred cases of three classes; one model has no answer on 51 of them."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        [
            (model, i, i % 3, (i + (rng.random() < 0.3)) % 3, "x")
            for model in "abcdef"
            for i in range(400)
        ],
        columns=["model", "case", "actual", "predicted", "comment"],
    ).astype({"predicted": "Int64"})
    frame.loc[(frame["model"] == "c") & (frame["case"] < 51), "predicted"] = pd.NA
    path = tmp_path / "labels.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_ledger_survives_as_text():
    entries = (
        Entry("a", 3, 1, 7, (Tally("scored", 5, 5), Tally("error", 2, 0)), 2.5),
        Entry("ü", 4),
    )
    ledger = Ledger(
        entries, 4, 2, 1, "common", (Drop("cases", 1, 4, "not_common"),), "x.csv", ("comment",)
    )
    assert Ledger.from_attrs(ledger.to_attrs()) == ledger
    assert Ledger.from_attrs({}) is None


def test_the_first_line_says_what_was_read_and_what_was_left_out(labels):
    first = invoke("rank", labels, "--missing", "common", "--draws", "50").splitlines()[0]
    assert first == (
        "Read 400 cases × 6 models, 3 classes, from labels.csv; left out: 51 of 400 cases, which not all models met; "
        "ignored: comment."
    )
    assert json_of("rank", labels, "--missing", "common", "--draws", "50")["read"] == first
    assert "Read" not in ",".join(
        csv_of("rank", labels, "--missing", "common", "--draws", "50").columns
    )
    for command in ("rank", "scores", "tile", "ops"):
        said = invoke(command, "tornado", "--draws", "50").splitlines()[0]
        assert said == "Read 2,803 cases × 2 forecasters, 2 classes, from tornado."


def test_ignored_columns_are_named_whoever_ignored_them(labels):
    first = invoke(
        "rank", labels, "--missing", "common", "--ignore", "comment", "--draws", "50"
    ).splitlines()[0]
    assert first.endswith("; ignored: comment.")


def test_counts_and_means_are_read_aloud_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("team,correct,total\na,3,9\nb,4,12\n")
    assert invoke("rank", path, "--draws", "50").startswith(
        "Read 9 to 12 cases × 2 teams, from t.csv.\n"
    )
    path.write_text("team,mean,se\na,3,1\nb,4,1\n")
    assert invoke("rank", path, "--draws", "50").startswith("Read means of 2 teams, from t.csv.\n")


def test_usage_limits_are_failures_and_runs_that_were_never_made_are_not_missing(runs):
    frame = br.read(runs, only={"metric": "score_binarized"})
    assert frame["status"].tolist() == [
        "scored",
        "usage limit",
        "usage limit",
        "scored",
        "scored",
        "error",
    ]
    assert means_of(frame) == pytest.approx({"a": 2 / 3, "b": 1})
    found = diagnose(runs, Choices(only={"metric": ["score_binarized"]}, shell=True))
    assert found.command.endswith("--missing common")
    assert "a 1.000 instead of 0.667" in " ".join(found.sections["Status"])
    [stop] = found.stops
    assert "b (1 error, 1 absent)" in stop.got
    # A run that was never made is no failure: 2/3 and 1 for a; 1, 0 and the case never met for b.
    assert "--missing 0 counts them as wrong (means: a 0.667, b 0.250)" in stop.hint
    zero = json_of("rank", runs, *ONLY, "--missing", "0", "--draws", "50")["ranking"]
    assert {row["entity"]: row["observed"] for row in zero} == pytest.approx(
        {"a": 2 / 3, "b": 0.25}
    )
    shown = invoke("rank", runs, *ONLY, "--missing", "own", "--draws", "50")
    assert shown.startswith(
        "Read 6 runs of 2 cases × 2 entities, from logs; each entity has 1 to 2 cases of its own."
    )
    told = "6 runs: 3 scored, 2 usage limit (their outcomes count), 1 error. Cases never met: b 1"
    assert told in shown
    assert "are missing" not in shown


def test_common_cases_have_one_number_everywhere(runs):
    """Both systems met t1: one case of two, with three runs of a and two of b, one of them without an outcome."""
    stop = diagnose(runs, Choices(only={"metric": ["score_binarized"]}, shell=True)).stops[0]
    assert (
        "--missing common keeps 1 of 2 cases, which all met (means: b 1.000, a 0.333)" in stop.hint
    )
    words = ["rank", runs, *ONLY, "--missing", "common", "--draws", "50"]
    shown = invoke(*words, "--notes")
    left = "left out: 1 of 2 cases (1 of 5 runs), which not all entities met."
    assert shown.startswith(f"Read 6 runs of 2 cases × 2 entities, from logs; {left}\n")
    assert "Answers are missing: 1 of 2 cases are kept; all entities met these." in shown
    observed = {row["entity"]: row["observed"] for row in json_of(*words)["ranking"]}
    assert observed == pytest.approx({"a": 1 / 3, "b": 1})
    board = json.loads(invoke(*words, "--format", "board"))
    assert {one["entity"]: one["cases"] for one in board["entities"]} == {"a": 1, "b": 1}


def test_board_and_methods_have_the_cases_of_each_entity(runs, tmp_path):
    words = [runs, *ONLY, "--missing", "own", "--draws", "50"]
    board = json.loads(invoke("rank", *words, "--format", "board"))
    assert {one["entity"]: one["cases"] for one in board["entities"]} == {"a": 2, "b": 1}
    page = tmp_path / "page.html"
    said = invoke("report", *words, "-o", page)
    assert said.startswith("Read 6 runs of 2 cases")
    assert (
        "The evidence was 6 runs of 2 cases × 2 entities; each entity has 1 to 2 cases"
        in page.read_text()
    )


def test_the_ledger_survives_fits_and_files(runs, tmp_path):
    frame = br.read(runs, only={"metric": "score_binarized"})
    evidence = br.from_frame(frame[["entity", "case", "run", "outcome"]], missing="own")
    ranking = br.credible_ranking(br.fit(evidence, draws=50, seed=1))
    ranking.to_netcdf(tmp_path / "r.nc")
    import xarray as xr

    again = Ledger.from_attrs(xr.load_dataset(tmp_path / "r.nc").attrs)
    assert again == ledger_of(evidence)
    assert [(entry.cases, entry.absent, entry.runs) for entry in again.entries] == [
        (2, 0, 4),
        (1, 1, 2),
    ]
    assert again.entry("b").outcomes == (Tally("scored", 1, 1), Tally("no outcome", 1, 0))


def tau(path, domain, values, task=True, error=()):
    rows = []
    tools = {"airline": "book_reservation", "retail": "exchange_delivered_order_items"}
    for i, value in enumerate(values):
        about = (
            {"task": {"instruction": f"{domain} {i}", "actions": [{"name": tools[domain]}]}}
            if task
            else {}
        )
        about |= {"error": "x"} if i in error else {}
        rows.append({"task_id": i, "reward": value, "trial": 0, "info": about})
    write(path, rows)


def test_tasks_of_two_domains_are_not_paired(tmp_path):
    tau(tmp_path / "a.json", "airline", [1, 0, 1])
    tau(tmp_path / "b.json", "retail", [1, 1, 0])
    assert br.read(tmp_path)["dataset"].unique().tolist() == [
        "tau-bench airline",
        "tau-bench retail",
    ]
    assert "every system must have an outcome on every case of 6" in refused("rank", tmp_path)


def test_two_contents_under_one_id_stop(tmp_path):
    tau(tmp_path / "a.json", "airline", [1, 0, 1])
    tau(tmp_path / "b.json", "airline", [1, 1, 0])
    path = tmp_path / "b.json"
    path.write_text(path.read_text().replace("airline 1", "another task"))
    message = refused("rank", tmp_path)
    assert "case 1 of tau-bench airline must be the same for all systems" in message
    assert "--match content" in message


def test_ids_without_domain_or_content_are_doubted(tmp_path):
    tau(tmp_path / "a.json", "airline", [1, 0, 1], task=False)
    tau(tmp_path / "b.json", "retail", [1, 1, 0], task=False)
    doubts = "\n".join(br.doctor(tmp_path).sections["Doubts"])
    assert "does not show its domain" in doubts
    assert "matched by numbers alone, such as 0" in doubts
    tau(tmp_path / "airline" / "c.json", "airline", [1, 0, 1], task=False)
    assert br.read(tmp_path / "airline")["dataset"].unique().tolist() == ["tau-bench airline"]


def test_the_rule_of_the_tool_is_the_default_suggestion(tmp_path):
    tau(tmp_path / "tau" / "a.json", "airline", [1, 0, 1])
    tau(tmp_path / "tau" / "b.json", "airline", [1, 0, 0], error=[2])
    found = diagnose(str(tmp_path / "tau"), Choices(shell=True))
    assert shlex.split(found.command)[3:] == ["--errors", "scored"]
    assert (
        "(means: a 0.667, b 0.333); --errors scored is the rule of the tool" in found.stops[0].hint
    )
    for name, solved in (("a", ["o__r-1", "o__r-2"]), ("b", ["o__r-1"])):
        rest = [] if name == "b" else ["o__r-3"]
        log = {
            "total_instances": 3,
            "submitted_instances": 3,
            "resolved_ids": solved,
            "unresolved_ids": rest,
        }
        write(tmp_path / "swe" / f"{name}.json", log)
    found = diagnose(str(tmp_path / "swe"), Choices(shell=True))
    assert shlex.split(found.command)[3:] == ["--missing", "0"]
    assert "keeps 1 of 3 cases, which all met (means: a 1.000, b 1.000)" in found.stops[0].hint
    assert "--missing 0 is the rule of the tool" in found.stops[0].hint


@pytest.mark.parametrize(("end", "status", "mean"), [
    ("max_steps", "max steps", 0.5), ("too_many_errors", "too many errors", 0.5), ("infrastructure_error", "error", 1.0)
])  # fmt: skip
def test_tau2_leaves_out_errors_of_the_infrastructure_alone(end, status, mean, tmp_path):
    one = {"trial": 0, "agent_cost": 0, "duration": 1}
    ends = [("0", "user_stop", 1.0), ("1", end, 0.0)]
    made = [
        one | {"task_id": i, "termination_reason": why, "reward_info": {"reward": reward}}
        for i, why, reward in ends
    ]
    log = {
        "info": {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "airline"}},
        "simulations": made,
    }
    write(tmp_path / "m.json", log)
    frame = br.read(tmp_path / "m.json")
    assert frame["status"].tolist() == ["scored", status]
    assert means_of(frame) == {"m": mean}


def test_a_command_that_fails_is_not_printed(tmp_path, monkeypatch):
    tau(tmp_path / "a.json", "airline", [1, 0, 1])
    tau(tmp_path / "b.json", "airline", [1, 1, 0])
    assert diagnose(str(tmp_path), Choices(shell=True)).command
    import bayesrank.diagnosis as module

    read = module.read_table
    monkeypatch.setattr(module, "read_table", lambda *of: read(*of).isel(entity=[0]))
    found = diagnose(str(tmp_path), Choices(shell=True))
    assert not found.command
    assert "the logs must rank a, b; got a" in str(found)
    assert "No command ranks these logs" in str(found)


def test_few_large_groups_are_categories_and_many_small_ones_clusters(tmp_path):
    for size, groups, words in ((20, 3, "--by category ranks"), (2, 30, "(--cluster category)")):
        for model in "ab":
            rng = np.random.default_rng(ord(model) + size)
            rows = [
                {"run_id": "r", "task_family": f"f{k}", "alias": model, "task_id": f"{k}/{i}",
                 "score_binarized": int(rng.random() < 0.5)} for k in range(groups) for i in range(size)
            ]  # fmt: skip
            write(tmp_path / str(size) / f"{model}.jsonl", rows, lines=True)
        text = str(
            diagnose(
                str(tmp_path / str(size)), Choices(only={"metric": ["score_binarized"]}, shell=True)
            )
        )
        assert words in text
        assert ("--cluster" in text) == ("--cluster" in words)


def test_weights_are_summed_over_the_cases_that_are_used():
    """The largest weight is 1, as evidence keeps weights."""
    frame = pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, np.nan, 0]})
    for missing, sums in (("own", [2.5, 1.75]), ("common", [1.75, 1.75]), (0, [2.5, 2.5])):
        entries = ledger_of(br.from_outcomes(frame, weight=[1, 2, 3, 4], missing=missing)).entries
        assert [entry.weight for entry in entries] == sums


def test_cases_that_are_matched_by_content_and_repeated_in_a_file_have_numbers(tmp_path):
    tau(tmp_path / "a.json", "airline", [1, 0, 1])
    tau(tmp_path / "b.json", "airline", [1, 1, 0])
    for name in "ab":
        path = tmp_path / f"{name}.json"
        path.write_text(path.read_text().replace("airline 2", "airline 1"))
    frame = br.read(tmp_path, match="content")
    assert frame.groupby("case").size().to_dict() == {"0": 2, "1": 2, "1 (2)": 2}
    assert frame.pivot(index="case", columns="entity", values="outcome")["b"].tolist() == [1, 1, 0]


def test_a_column_status_of_a_table_goes_to_the_ledger():
    rows = [
        (name, case, run, (run + case) % 2)
        for name in "ab"
        for case in range(6)
        for run in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["entity", "case", "run", "outcome"])
    frame["status"] = np.where(frame["run"] * frame["case"] > 3, "usage limit", "scored")
    ledger = Ledger.from_attrs(br.from_frame(frame).attrs)
    assert {name: (one.runs, one.counted) for name, one in ledger.by_status().items()} == {
        "scored": (20, 20),
        "usage limit": (4, 4),
    }
    assert ledger.ignored == ()
    [note] = ledger.run_notes()
    assert say(note) == "24 runs: 20 scored, 4 usage limit (their outcomes count)."
    # A run without an outcome has its status and does not count.
    frame.loc[frame["status"] != "scored", "outcome"] = np.nan
    ledger = Ledger.from_attrs(br.from_frame(frame, missing="own").attrs)
    assert ledger.by_status()["usage limit"] == Tally("usage limit", 4, 0)
