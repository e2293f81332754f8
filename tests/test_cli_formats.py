"""In what forms results leave the command, and in what forms data come in."""

import csv
import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest

import bayesrank as br
from bayesrank._core.escape import LATEX, latex_text
from bayesrank.cli._export import latex, markdown
from tests.commands import csv_of, invoke, json_of, refused

NASTY = ["a|b", "R&D_50%", "#1 ${x}^~\\", "[x] *y*", "<b> `q` --z"]
BENEFIT = ["--benefit", "tn=0,fp=-1,fn=-10,tp=0"]
COMMANDS = {
    "rank": ["rank", "--score", "informedness"],
    "tile": ["tile", "--resolution", "5"],
    "tile observed": ["tile", "--observed"],
    "tile preference": ["tile", "--preference", "over tile"],
    "ops": ["ops"],
    "decide": ["decide", *BENEFIT, "--reference", "a|b"],
    "scores": ["scores"],
}


def write_counts(path, names):
    lines = io.StringIO()
    rows = [[name, 70 + 2 * i, 30 - 2 * i, 9 + i, 21 + 3 * i] for i, name in enumerate(names)]
    csv.writer(lines).writerows([["model", "tn", "fp", "fn", "tp"], *rows])
    path.write_text(lines.getvalue(), encoding="utf-8")
    return str(path)


@pytest.fixture
def data(tmp_path):
    return write_counts(tmp_path / "nasty.csv", NASTY)


def words_of(command, data, *more):
    name, *arguments = COMMANDS[command]
    draws = () if "--observed" in arguments else ("--draws", "20")
    return name, data, *arguments, *draws, *more


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
    cell = re.sub(
        r"\\([&%$#_{}])|\{([\[\]*])\}|\{\}|\$(-)\$", lambda f: f[1] or f[2] or f[3] or "", cell
    )
    return re.sub("\0(\\d+)\0", lambda found: list(words.values())[int(found[1])], cell)


@pytest.mark.parametrize("command", COMMANDS)
def test_names_survive_markdown_and_latex(command, data):
    parts = invoke(*words_of(command, data, "--format", "markdown")).split("\n\n")
    as_markdown = next(part for part in parts if part.startswith("|")).splitlines()
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in as_markdown]
    assert len({len(row) for row in cells}) == 1
    names = [unescape_markdown(row[0].strip()) for row in cells[2:]]
    lines = invoke(*words_of(command, data, "--format", "latex")).splitlines()
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
    text = "x".join(chr(code) for code in range(32, 127) if chr(code) not in '"')
    assert unlatex_text(latex_text(text)) == text.strip()
    assert unescape_markdown(markdown(["a"], [[text]]).splitlines()[-1][2:-2]) == text.strip()
    assert '"' not in latex_text('"')
    assert set(LATEX) >= set(r"&%$#_{}~^\<>|[]*")
    # A name never belongs to a line break or a dash.
    text = latex(["entity", "f1"], [["a--b", "–"], ["[2pt]", "-1.5 to -0.5"], ["*", "1"]])
    assert "a-{}-b & \\textendash{} \\\\" in text
    assert "\n{[}2pt{]} & $-$1.5 to $-$0.5 \\\\" in text
    assert "\n{*} & 1" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_csv_and_json_agree_and_top_changes_no_number(command, data):
    whole = csv_of(*words_of(command, data), index=None)
    part = csv_of(*words_of(command, data, "--top", "2"), index=None)
    each = 7 if command == "scores" else 1
    pd.testing.assert_frame_equal(part, whole.head(2 * each), check_dtype=False)
    found = json_of(*words_of(command, data))
    [rows] = [
        held
        for held in found.values()
        if isinstance(held, list) and held and isinstance(held[0], dict)
    ]
    assert [row["entity"] for row in rows] == whole["entity"].tolist()
    for name in {"lower", "upper", "tier", "share", "probability_best"} & set(whole):
        assert [row[name] for row in rows] == pytest.approx(whole[name].tolist(), abs=1e-9), name


@pytest.mark.parametrize("command", ["rank", "ops", "decide", "scores", "tile"])
def test_options_of_the_output(command, data, tmp_path):
    def decimals(digits):
        lines = invoke(
            *words_of(command, data, "--format", "markdown", "--digits", digits)
        ).splitlines()
        return len(re.search(r"\d\.(\d+)", [line for line in lines if line.startswith("|")][2])[1])

    assert (decimals("5"), decimals("1")) == (5, 1)
    message = refused(*words_of(command, data, "--format", "json", "--digits", "2"))
    assert "--digits cannot be used for --format json" in message
    path = tmp_path / "picture.svg"
    shown = invoke(*words_of(command, data, "--top", "2", "--picture", path))
    assert f"Picture: {path}" in shown
    assert "<svg" in path.read_text()[:2000]
    assert command.startswith("tile") or "Not shown (--top 2): 3 more." in shown
    if not command.startswith("tile"):
        percent, share = (
            invoke(*words_of(command, data, "--prevalence", text)) for text in ("2%", "0.02")
        )
        assert percent == share


def test_the_board_is_that_of_the_library_whatever_the_order_of_rows(data, tmp_path):
    board = words_of("rank", data, "--format", "board")
    text = invoke(*board)
    first, *rest = Path(data).read_text(encoding="utf-8").splitlines()
    turned = tmp_path / "turned.csv"
    turned.write_text("\n".join([first, *rest[::-1]]), encoding="utf-8")
    assert invoke(*words_of("rank", turned, "--format", "board")) == text
    posterior = br.fit(br.from_frame(pd.read_csv(data)), draws=20, seed=1)
    assert text == br.board(br.credible_ranking(posterior, "informedness", method="auto"))
    assert len(json.loads(invoke(*board, "--top", "1"))["entities"]) == 1
    assert json.loads(text)["size"] == 5
    assert "--ask cannot be used for --format board" in refused(*board, "--ask", "x > y")
    assert "--cost cannot be used for --format board" in refused(*board, "--cost", "tp")


def test_standard_input(data):
    text = Path(data).read_text(encoding="utf-8")
    piped, read = (
        invoke(*words_of("rank", "-"), input="\ufeff" + text),
        invoke(*words_of("rank", data)),
    )
    assert piped == read.replace(", from nasty.csv", ", from standard input")
    assert "standard input must have a heading and at least one row; it is empty" in refused(
        "rank", "-", input=""
    )
    assert "standard input, line 2: tp must be a count" in refused(
        "rank", "-", input="entity,tn,fp,fn,tp\na,1,2,3,x\n"
    )
    assert "standard input must be text in UTF-8" in refused(
        "rank", "-", input="é".encode("latin-1")
    )
