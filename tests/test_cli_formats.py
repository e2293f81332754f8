"""In what forms results leave the command, and in what forms data come in."""

import csv
import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank._escape import LATEX, latex_text
from bayesrank.cli import cli
from bayesrank.cli._formats import latex, markdown

NASTY = ["a|b", "R&D_50%", "#1 ${x}^~\\", "[x] *y*", "<b> `q` --z"]
BENEFIT = ["--benefit", "tn=0,fp=-1,fn=-10,tp=0"]
COMMANDS = {
    "rank": ["rank", "--score", "informedness"],
    "tile": ["tile"],
    "tile credible": ["tile", "--credible", "--resolution", "5"],
    "tile preference": ["tile", "--preference", "over tile"],
    "ops": ["ops"],
    "decide": ["decide", *BENEFIT, "--reference", "a|b"],
    "scores": ["scores"],
}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "nasty.csv"
    lines = io.StringIO()
    rows = [[name, 70 + 2 * i, 30 - 2 * i, 9 + i, 21 + 3 * i] for i, name in enumerate(NASTY)]
    csv.writer(lines).writerows([["model", "tn", "fp", "fn", "tp"], *rows])
    path.write_text(lines.getvalue(), encoding="utf-8")
    return str(path)


def invoke(command, data, *more, **options):
    name, *arguments = command
    result = CliRunner().invoke(
        cli, [name, data, *arguments, "--draws", "50", *more], catch_exceptions=False, **options
    )
    assert result.exit_code == 0, result.output
    return result.output


def error(*arguments, **options):
    result = CliRunner().invoke(cli, list(arguments), **options)
    assert result.exit_code != 0
    return f"{result.output} {result.exception}"


def unescape_markdown(cell):
    return re.sub(r"\\([\\`*_\[\]<>|~$&#])", r"\1", cell)


def unlatex_text(cell):
    """What LaTeX would print: an independent reading, sign by sign."""
    words = {
        "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">",
        "textbar": "|", "textendash": "–",
    }  # fmt: skip
    cell = re.sub(r"\\(text\w+)\{\}", lambda found: f"\0{list(words).index(found[1])}\0", cell)
    assert not re.search(r"(?<!\\)[&%#_^~<>|]", cell), cell
    cell = re.sub(r"\\([&%$#_{}])|\{([\[\]*])\}|\{\}|\$(-)\$", lambda f: f[1] or f[2] or f[3] or "", cell)
    return re.sub("\0(\\d+)\0", lambda found: list(words.values())[int(found[1])], cell)


@pytest.mark.parametrize("command", COMMANDS)
def test_names_survive_markdown_and_latex(command, data):
    parts = invoke(COMMANDS[command], data, "--format", "markdown").split("\n\n")
    as_markdown = next(part for part in parts if part.startswith("|")).splitlines()
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in as_markdown]
    assert len({len(row) for row in cells}) == 1
    names = [unescape_markdown(row[0].strip()) for row in cells[2:]]
    lines = invoke(COMMANDS[command], data, "--format", "latex").splitlines()
    body = [line for line in lines if not line.startswith("%")]
    assert body[0].startswith(r"\begin{tabular}{lr")
    end = body.index(r"\end{tabular}")
    rows = [line.removesuffix(r" \\").split(" & ") for line in body[4 : end - 1]]
    assert [unlatex_text(row[0]) for row in rows] == names
    assert set(names) <= set(NASTY)
    assert len(names) == 5 or command.startswith("tile")
    plain = [[unescape_markdown(cell.strip()) for cell in row] for row in cells[2:]]
    assert [[unlatex_text(cell) for cell in row] for row in rows] == plain


def test_every_sign_of_a_keyboard_survives():
    signs = [chr(code) for code in range(32, 127) if chr(code) not in '"']
    text = "x".join(signs)
    assert unlatex_text(latex_text(text)) == text.strip()
    row = markdown(["a"], [[text]]).splitlines()[-1]
    assert unescape_markdown(row[2:-2]) == text.strip()
    assert '"' not in latex_text('"')
    assert set(LATEX) >= set(r"&%$#_{}~^\<>|[]*")


def test_a_name_never_belongs_to_a_line_break_or_a_dash():
    text = latex(["entity", "f1"], [["a--b", "–"], ["[2pt]", "-1.5 to -0.5"], ["*", "1"]])
    assert "a-{}-b & \\textendash{} \\\\" in text
    assert "\n{[}2pt{]} & $-$1.5 to $-$0.5 \\\\" in text
    assert "\n{*} & 1" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_csv_and_json_agree_and_top_changes_no_number(command, data):
    arguments = COMMANDS[command]
    whole = pd.read_csv(io.StringIO(invoke(arguments, data, "--format", "csv")))
    part = pd.read_csv(io.StringIO(invoke(arguments, data, "--format", "csv", "--top", "2")))
    each = 7 if command == "scores" else 1
    assert len(part) == 2 * each
    pd.testing.assert_frame_equal(part, whole.head(2 * each), check_dtype=False)
    found = json.loads(invoke(arguments, data, "--format", "json"))
    [rows] = [held for held in found.values() if isinstance(held, list) and held and isinstance(held[0], dict)]
    assert [row["entity"] for row in rows] == whole["entity"].tolist()
    for name in ("lower", "upper", "tier", "share", "probability_best"):
        if name in whole:
            assert [row[name] for row in rows] == pytest.approx(whole[name].tolist(), abs=1e-9), name
    table = invoke(arguments, data, "--top", "2")
    if command != "tile":
        assert "Not shown (--top 2): 3 more." in table
    if command == "rank":
        shown = next(part for part in table.split("\n\n") if "──" in part)
        tiers = [line.split()[-1] for line in shown.splitlines()[2:]]
        assert tiers == [f"{tier:.0f}" for tier in whole["tier"][:2]]


@pytest.mark.parametrize("command", ["rank", "ops", "decide", "scores", "tile credible"])
def test_digits(command, data):
    def decimals(*more):
        lines = invoke(COMMANDS[command], data, "--format", "markdown", *more).splitlines()
        body = [line for line in lines if line.startswith("|")][2]
        return len(re.search(r"\d\.(\d+)", body)[1])

    assert decimals("--digits", "5") == 5
    assert decimals("--digits", "1") == 1
    for output in ("csv", "json"):
        message = error(*COMMANDS[command][:1], data, *COMMANDS[command][1:], "--format", output, "--digits", "2")
        assert f"--digits must be left out of --format {output}" in message


@pytest.mark.parametrize(
    ("command", "ending"), [*((command, "svg") for command in COMMANDS), ("rank", "pdf"), ("rank", "PNG")]
)
def test_pictures(command, ending, data, tmp_path):
    path = tmp_path / f"picture.{ending}"
    output = invoke(COMMANDS[command], data, "--picture", str(path))
    assert f"Picture: {path}" in output
    start = path.read_bytes()[:2000]
    assert {"svg": b"<svg" in start, "pdf": start.startswith(b"%PDF"), "PNG": b"PNG" in start}[ending]


def test_the_board_is_that_of_the_library_whatever_the_order_of_rows(data, tmp_path):
    text = invoke(COMMANDS["rank"], data, "--format", "board")
    first, *rest = Path(data).read_text(encoding="utf-8").splitlines()
    turned = tmp_path / "turned.csv"
    turned.write_text("\n".join([first, *rest[::-1]]), encoding="utf-8")
    assert invoke(COMMANDS["rank"], str(turned), "--format", "board") == text
    assert len(json.loads(invoke(COMMANDS["rank"], data, "--format", "board", "--top", "1"))["entities"]) == 1
    assert json.loads(text)["size"] == 5
    message = error("rank", data, "--format", "board", "--ask", "x > y")
    assert "--ask must be left out of --format board" in message
    assert "--digits must be left out of --format board" in error("rank", data, "--format", "board", "--digits", "2")
    assert "Invalid value for '--format'" in error("ops", data, "--format", "board")


def test_standard_input(data):
    text = Path(data).read_text(encoding="utf-8")
    assert invoke(COMMANDS["rank"], "-", input="\ufeff" + text) == invoke(COMMANDS["rank"], data)
    assert "standard input must have a heading and at least one row; it is empty" in error("rank", "-", input="")
    assert "standard input, line 2: tp must be a count" in error("rank", "-", input="entity,tn,fp,fn,tp\na,1,2,3,x\n")
    assert "standard input must be text in UTF-8" in error("rank", "-", input="é".encode("latin-1"))


@pytest.mark.parametrize("heading", ["entity", "Model", "classifier", "system", "detector", "algorithm", "method"])
def test_entities_by_another_name(heading):
    rows = "a,70,10,9,21\nb,79,1,1,29\n"
    expected = invoke(["rank"], "-", input=f"entity,tn,fp,fn,tp\n{rows}")
    found = invoke(["rank"], "-", input=f"{heading},TN,false positives,False-Negative,true_positives\n{rows}")
    assert f"Ranking of 2 {'entities' if heading == 'entity' else f'{heading.lower()}s'} by " in found
    assert found.split("─\n")[1].split() == expected.split("─\n")[1].split()


def test_other_names_are_taken_only_where_they_can_be_nothing_else():
    both = "model,method,tn,fp,fn,tp\na,x,70,10,9,21\nb,y,79,1,1,29\n"
    assert "must have one column that names the entities; its heading has model and method" in error(
        "rank", "-", input=both
    )
    assert "a " in invoke(["rank"], "-", "--ignore", "method", input=both)
    studies = "test,study,tn,fp,fn,tp\na,x,70,10,9,21\nb,x,79,1,1,29\na,y,70,10,9,21\nb,y,79,1,1,29\n"
    assert "--entity test --dataset-column study or --entity study says which" in error("rank", "-", input=studies)
    # Beside entity it is any column, and among the columns of cases it is an entity.
    beside = "model,entity,tn,fp,fn,tp\nx,a,70,10,9,21\nx,b,79,1,1,29\n"
    assert set(csv_names(beside)) == {"a", "b"}
    cases = "model,system\n" + "1,0\n0,1\n1,1\n" * 5
    assert set(csv_names(cases)) == {"model", "system"}
    message = error("rank", "-", input="device,tn,fp,fn,tp\na,1,2,3,4\n")
    assert "without entity: rename device to entity or pass --entity device" in message


def csv_names(text):
    return pd.read_csv(io.StringIO(invoke(["rank"], "-", "--format", "csv", input=text)))["entity"].tolist()


@pytest.mark.parametrize("command", ["rank", "ops", "decide", "scores", "tile"])
def test_a_prevalence_in_percent(command, data):
    assert invoke(COMMANDS[command], data, "--prevalence", "2%") == invoke(
        COMMANDS[command], data, "--prevalence", "0.02"
    )
    assert "prevalence must lie between 0 and 1; got 1.5" in error(
        *COMMANDS[command][:1], data, *COMMANDS[command][1:], "--prevalence", "150%"
    )


@pytest.mark.parametrize(("typed", "name"), [("lr+", "positive_likelihood_ratio"), ("sens", "tpr"), ("spec", "tnr")])
def test_scores_as_people_type_them(typed, name, data):
    found = json.loads(invoke(["rank"], data, "--score", typed, "--format", "json"))
    assert found["score"] == name == br.scores.get(typed).name
