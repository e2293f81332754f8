"""bayesrank check: every problem at once, with its line, and commands that rank what is there."""

import json
import shlex

import pandas as pd
import pytest

from bayesrank.inspection import inspect_table
from bayesrank.io.tables.table import Roles
from tests.commands import invoke, json_of, run
from tests.corpus_answers import ENTRIES, FOLDER

BAD = "entity,tn,fp,fn,tp\na,70,10,9,21\nb,x,5,6,24\nc,61,19,3\nd,61,-2,3,27\na,61,2,3,27\n,1,2,3,4\ne,60,20,3,27\n"


def test_a_row_with_an_error_does_not_hide_the_next_one(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(BAD)
    said = invoke("check", path, status=1)
    assert "Problems:   5" in said
    for line, words in (
        (4, "must have 5 fields; got 4"),
        (3, "tn must be a count"),
        (5, "fp must be a count"),
        (6, "entity must name each entity once; got 'a' in line 2"),
        (7, "entity must not be empty"),
    ):
        assert f"line {line}: {words}" in said
    found = inspect_table(str(path), Roles())
    assert found.sections["Systems"] == ["2: a, e."]
    assert str(found).startswith("What:       One table with 6 rows")


def test_a_table_without_problems_has_its_command(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\na,70,10,9,21\nb,75,5,6,24\n")
    said = invoke("check", path)
    assert "Problems:   none." in said
    assert said.splitlines()[-1] == f"  bayesrank rank {path}"


def test_each_answer_to_the_first_question_has_a_command_that_ranks(tmp_path):
    path = tmp_path / "metrics.csv"
    rows = [
        (c, m, of, 0.5 + 0.01 * c * (k + 1))
        for of in ("dice", "iou")
        for c in range(8)
        for k, m in enumerate("ab")
    ]
    pd.DataFrame(rows, columns=["case", "model", "metric", "value"]).to_csv(path, index=False)
    found = json.loads(invoke("check", path, "--json", status=1))
    assert [one["where"] for one in found["problems"]] == [str(path)] * 2
    assert len(found["commands"]) == 2
    for command, metric in zip(found["commands"], ("dice", "iou"), strict=True):
        assert command == f"bayesrank rank {path} --where metric={metric} --outcome value"
        ranked = json_of(*shlex.split(command)[1:], "--draws", 20)
        assert {row["entity"] for row in ranked["ranking"]} == {"a", "b"}


@pytest.mark.parametrize(
    "one", [one for one in ENTRIES if one.get("remedies")], ids=lambda one: one["file"]
)
def test_the_commands_of_the_corpus_are_its_remedies(one):
    """What check prints is read without a further question, if the first remedy is enough."""
    options = shlex.split(one.get("options", ""))
    found = json.loads(run("check", FOLDER / one["file"], *options, "--json").stdout)
    assert found["problems"]
    assert any(
        one["asks"] in f"{p['where']} {p['wanted']}; got {p['got']} ({p['hint']})"
        for p in found["problems"]
    )
    for command in found["commands"]:
        assert run(*shlex.split(command, comments=True)[1:], "--draws", 20).exit_code == 0, command


def test_submissions_are_checked_together(tmp_path):
    truth = tmp_path / "truth.csv"
    truth.write_text("id,label\n" + "".join(f"{i},{('no', 'yes')[i % 2]}\n" for i in range(8)))
    folder = tmp_path / "teams"
    folder.mkdir()
    good = "id,label\n" + "".join(f"{i},{('no', 'yes')[i % 3 % 2]}\n" for i in range(8))
    for name, text in (
        ("a", good),
        ("b", good.replace("0,no", "0,yes")),
        ("c", "id,label\n1,maybe\n"),
        ("d", ""),
    ):
        (folder / f"{name}.csv").write_text(text)
    found = json.loads(invoke("check", folder, "--truth", truth, "--json", status=1))
    assert len(found["problems"]) == 2
    assert found["sections"]["Systems"] == ["2: a, b."]
    ranked = json_of(*shlex.split(found["commands"][0])[1:], "--draws", 20)
    assert {row["entity"] for row in ranked["ranking"]} == {"a", "b"}


def test_logs_are_checked_as_doctor_does(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(
        '[{"task_id": 1, "reward": 1, "info": {}}, {"task_id": 2, "reward": 0, "info": {}}]'
    )
    said = invoke("check", path)
    assert "tau-bench: 1 file with cases." in said
    assert f"bayesrank rank {path}" in said
