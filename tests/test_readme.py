"""Every line of the table of evidence ranks what its page ranks, on the files that this page prints."""

import re
from pathlib import Path

import pandas as pd
import pytest

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.evidence.ledger import Ledger, count_evidence
from tests.pages import blocks, run_command, run_doctest

ROOT = Path(__file__).parent.parent
START = ROOT / "docs" / "start"
README, INDEX = (
    (folder / name).read_text("utf-8")
    for folder, name in ((ROOT, "README.md"), (START, "index.md"))
)
TABLE = re.findall(r"^\| \[.*?\]\((\w+\.md)\).*? \| (`.+?) \| `(.+?)` \|$", INDEX, re.MULTILINE)
MODELS = [
    *(
        "claude-2.1",
        "gpt-4-1106-preview",
        "mixtral-8x7b-instruct",
        "gpt-3.5-turbo-0613-openai",
        "gpt-4-0613",
    ),
    *("gpt-3.5-turbo-1106", "llama-v2-70b-chat", "mistral-7b-instruct", "llama-v2-13b-chat"),
]
#: What each page ranks, on how many cases, as its text says.
WANTED = {
    "counts": (["A", "B", "C"], 110),
    "labels": (["logreg", "svm_rbf", "rf", "tree"], 569),
    "probabilities": (["logreg", "svm_rbf", "rf", "knn5"], 569),
    "submissions": (["logreg", "svm_rbf", "tree"], 569),
    "right_and_wrong": (MODELS, 20),
    "grades": (["ada", "bob", "cleo"], 12),
    "runs_and_clusters": (["GPT-4O-2024-05-13", "Codestral-Latest"], 479),
    "attempts": (["bold", "careful"], 60),
    "training_seeds": (["small", "large"], 300),
    "many_data_sets": (["A", "B"], 390),
    "judged": (["ours", "gpt-small", "llama"], 600),
    "votes": (br.datasets.load("arena_battles")["entity"].values.tolist(), 27045),
    "harness_logs": (["agent_a", "agent_b", "agent_c"], 120),
}


def write_files(page):
    """Write the files that a page prints, or that its Python lines write before the first command."""
    names = {}
    for kind, file, source in blocks(page.read_text(encoding="utf-8")):
        if kind.endswith("console"):
            return
        if kind == "csv":
            Path(file).write_text(source, encoding="utf-8")
        elif kind == "python":
            names = run_doctest(source, names, page)


def test_the_table_has_a_line_for_each_page():
    pages = {path.stem for path in START.glob("*.md")} - {"index", "install"}
    assert [Path(page).stem for page, _, _ in TABLE] == list(WANTED)
    # Of estimators, folds and tests without a gold standard there is no file; a browser needs no line.
    others = {"estimators", "cross_validation", "no_gold_standard"}
    assert pages == {*WANTED, *others, "browser"}
    assert set(re.findall(r"^\| .*?\]\((\w+)\.md\).* \| \| `br", INDEX, re.MULTILINE)) == others


def test_the_readme_has_lines_of_the_table():
    rows = re.findall(r"^\| \[.*`.*\|$", README, re.MULTILINE)
    assert len(rows) == 3
    assert all(row.replace("docs/start/", "") in INDEX for row in rows)
    assert len(README.split()) <= 700


@pytest.mark.parametrize(
    ("page", "shell", "python"), TABLE, ids=[Path(page).stem for page, _, _ in TABLE]
)
def test_a_line_of_the_table_ranks_what_its_page_says(page, shell, python, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    write_files(START / page)
    entities, cases = WANTED[Path(page).stem]
    # The Python line as it stands, with each table by the name of its file.
    tables = {path.stem: pd.read_csv(path) for path in tmp_path.glob("*.csv")}
    posterior = eval(python, {"br": br} | tables)
    found = groups_of(posterior, "posterior", "observed_data")
    assert sorted(found["posterior"]["entity"].values.tolist()) == sorted(entities)
    ledger = Ledger.from_attrs(found["posterior"].attrs) or count_evidence(
        found["observed_data"]["counts"]
    )
    assert ledger.cases == cases
    if ledger.unit == "case":
        assert {entry.entity: entry.cases for entry in ledger.entries} == dict.fromkeys(
            entities, cases
        )
    # The commands as they stand; the first line of the ranking says how many entities there are.
    commands = re.findall(r"`(bayesrank .+?)`", shell)
    *others, rank = commands
    assert all(run_command(command) for command in others)
    printed = run_command(rank)
    what = "cases ×" if ledger.unit == "case" else "votes on pairs of"
    assert re.match(rf"Read ([\d,]+ runs of )?{cases:,} {what} {len(entities)} ", printed)
    assert all(
        re.search(rf"^ *{re.escape(entity)} +-?\d", printed, re.MULTILINE) for entity in entities
    )


def test_the_report_of_the_readme_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(START / "counts.md")
    [line] = re.findall(r"`(bayesrank report .+?)`", README)
    run_command(line)
    assert all(f">{name}<" in Path("report.html").read_text(encoding="utf-8") for name in "ABC")
