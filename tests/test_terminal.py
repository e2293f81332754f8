"""What the command prints on terminals of any width: whole numbers, distinct names, words on what is left out."""

import csv
import io
import math
import os
import pty
import re
import subprocess
import sys

import numpy as np
import pytest
from rich.cells import cell_len

import bayesrank as br
from bayesrank._core import prose
from bayesrank.cli import cli
from bayesrank.cli._help import EXAMPLES
from bayesrank.cli._output import fit_columns, print_text
from tests.commands import invoke, run

LONG = "An Institute of Many Words " * 3
ALIKE = [f"{LONG}Kit A (IgG)", f"{LONG}Kit B (IgG)"]
JAPANESE = [
    "国立研究所の迅速抗体検査キット第一号(血清)",
    "国立研究所の迅速抗体検査キット第二号(血清)",
]


def on_terminals(commands, *widths, **environment):
    """What a person sees on terminals of so many columns, for each width; all commands in one process, for speed."""
    code = (
        "import sys, termios\nfrom bayesrank.cli import cli\n"
        "for line in sys.argv[1:]:\n    columns, *command = line.split('|')\n"
        "    termios.tcsetwinsize(1, (24, int(columns)))\n"
        "    cli.main(command, standalone_mode=False)\n    print('<end>')"
    )
    lines = ["|".join([str(columns), *command]) for columns in widths for command in commands]
    leader, follower = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *lines],
        stdin=follower,
        stdout=follower,
        stderr=subprocess.PIPE,
        env={**clean, "TERM": "xterm", **environment},
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            seen += (chunk := os.read(leader, 65536))
        except OSError:  # how Linux says that the other end is closed
            break
        if not chunk:
            break
    os.close(leader)
    errors = process.communicate()[1].decode()
    assert process.returncode == 0, errors
    text = re.sub(r"\x1b\[[0-9;]*m", "", seen.decode()).replace("\r\n", "\n")
    seen = text.split("<end>\n")[:-1]
    return [seen[i : i + len(commands)] for i in range(0, len(seen), len(commands))]


def split_table(text):
    """The heading, the cells of the rows and the lines of the table, and what is printed below it."""
    parts = text.strip("\n").split("\n\n")
    place = next(i for i, part in enumerate(parts) if "──" in part)
    lines, below = parts[place].splitlines(), "\n\n".join(parts[place + 1 :])
    rule = next(i for i, line in enumerate(lines) if set(line) <= {"─", " "})
    cells = [re.split(r"\s{2,}", line.strip()) for line in lines[rule + 1 :]]
    return _heading(lines[:rule]), cells, lines, below


def _heading(lines):
    """The headings of columns; a long one stands on several lines, its parts below one another."""
    *above, last = lines
    found = [(match.span(), match.group()) for match in re.finditer(r"\S+( \S+)*", last)]
    for line in reversed(above):
        for match in re.finditer(r"\S+( \S+)*", line):
            (i,) = [
                i
                for i, ((start, end), _) in enumerate(found)
                if match.start() < end and start < match.end()
            ]
            (start, end), text = found[i]
            found[i] = (min(start, match.start()), max(end, match.end())), f"{match.group()} {text}"
    return [text for _, text in found]


@pytest.fixture
def names(tmp_path):
    path = tmp_path / "names.csv"
    named = [*ALIKE, *JAPANESE, "short", *(f"entity {i}" for i in range(8))]
    rows = [f"{name},{70 + i},10,9,{21 + i}" for i, name in enumerate(named)]
    path.write_text("\n".join(["entity,tn,fp,fn,tp", *rows]), encoding="utf-8")
    return str(path)


def printed(row):
    """The cells of a row of the CSV output as the table should show them."""
    number = {name: float(text or "nan") for name, text in row.items() if name != "entity"}
    return {
        "informedness (Youden's J)": prose.number(number["median"]),
        "95% interval": prose.interval(number["lower"], number["upper"]),
        "observed": prose.number(number["observed"]),
        "cases": f"{number['cases']:,.0f}",
        "P(best)": prose.probability(number["probability_best"], math.inf),
        "95% ranks": prose.interval(number["rank_lower"], number["rank_upper"], 0),
        "tier": prose.number(number["tier"], 0),
    }


LEFT_OUT = {40: 6, 80: 1}


def test_a_terminal_shows_whole_numbers(names):
    command = ["rank", names, "--draws", "100", "--score", "informedness"]
    expected = list(csv.DictReader(io.StringIO(invoke(*command, "--format", "csv"))))
    for [text], columns in zip(on_terminals([command], *LEFT_OUT), LEFT_OUT, strict=True):
        heading, rows, lines, below = split_table(text)
        assert max(map(cell_len, lines)) <= columns
        # As many rows as a screen of 24 lines has room for below the headline and above the next step.
        assert (len(rows), len(expected)) == (10, 13)
        assert "Not shown (--top 13 shows all): 3 more." in " ".join(below.split())
        for cells, row in zip(rows, expected, strict=False):
            wanted = printed(row)
            assert cells[1:] == [wanted[name] for name in heading[1:]]
        assert len({cells[0] for cells in rows}) == len(rows)
        left_out = [name for name in wanted if name not in heading]
        assert len(left_out) == LEFT_OUT[columns]
        note = f"Left out to fit {columns} columns: {', '.join(left_out)}. A pipe or a wider terminal shows all."
        assert (note in " ".join(below.split())) == bool(left_out)
        assert [
            line for line in below.splitlines() if cell_len(line) > columns and " " in line
        ] == []


@pytest.mark.slow
def test_nothing_is_wider_than_a_terminal_of_60_columns(names):
    decide = [
        "--benefit",
        "tn=0,fp=-1,fn=-10,tp=0",
        "--prevalence",
        "2%",
        "--always",
        "--reference",
        ALIKE[0],
    ]
    of_names = [
        *(
            ["rank", "--ask", f"{JAPANESE[0]} > {JAPANESE[1]}"],
            ["scores"],
            ["scores", "-s", "LR+", "-s", "DOR"],
        ),
        *(["tile"], ["tile", "--preference", "over tile"], ["ops"]),
        *(["decide", *decide], ["sensitivity", "--other-score", "f1"]),
    ]
    commands = [[name, names, "--draws", "50", *more] for name, *more in of_names] + [
        ["tile", names, "--observed"],
        ["datasets"],
        ["scores"],
    ]
    # A dumb terminal has a width, too.
    for command, text in zip(commands, on_terminals(commands, 60, TERM="dumb")[0], strict=True):
        lines = text.splitlines()
        assert [line for line in lines if cell_len(line) > 60] == [], command
        assert len(lines) >= 3


def test_help_fits_a_terminal_of_80_columns():
    for command in ([], *([name] for name in cli.list_commands(None))):
        for option in ("--help", *["--help-all"] * (command == ["rank"])):
            text = run(*command, option, terminal_width=80).output
            assert [line for line in text.splitlines() if len(line) > 80] == []
            assert text.startswith("Usage:")
    assert "bayesrank rank antibody_tests" in run("--help").output
    assert run("--version").output.strip().endswith(br.__version__)
    assert run().output.startswith("Usage: ")


def test_options_that_commands_share_are_explained_once():
    shown = {
        name: run(name, "--help", terminal_width=80).output for name in cli.list_commands(None)
    }
    short, shown["rank"] = shown["rank"], run("rank", "--help-all", terminal_width=80).output
    for name, text in shown.items():
        assert ("Evidence options:" in text) >= ("--case " in text), name
        brief = "explained by 'bayesrank rank --help-all'" in " ".join(text.split())
        assert brief == (
            name != "rank"
            and any(one.name == "model" for one in cli.get_command(None, name).params)
        ), name
    assert "The column that names the cases" in shown["rank"]
    assert "The column that names the cases" not in shown["report"]
    assert len(shown["report"].splitlines()) < 95 < len(shown["rank"].splitlines())
    assert len(short.splitlines()) <= 60
    assert len(re.findall(r"^  --?\w", short, re.MULTILINE)) == 11


def test_the_examples_of_the_help_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts.csv").write_text("entity,tn,fp,fn,tp\na,70,10,9,21\nb,79,1,1,29\n")
    (tmp_path / "labels.csv").write_text(
        "actual,a,b\n" + 3 * "malignant,malignant,benign\nbenign,benign,benign\n"
    )
    (tmp_path / "answers.csv").write_text(
        "question,a,b\n" + "".join(f"{i // 2},{i % 2},1\n" for i in range(12))
    )
    for line, _ in EXAMPLES:
        found = run(*line.split()[1:], "--draws", "20")
        assert found.exit_code == 0, found.output


def test_a_pipe_has_no_width(names):
    environment = {"COLUMNS": "20", "TERM": "dumb", "FORCE_COLOR": "1"}

    def table(*words):
        return split_table(re.sub(r"\x1b\[[0-9;]*m", "", run(*words, env=environment).output))

    heading, rows, _, below = table("rank", names, "--draws", "20")
    assert {len(heading)} == {len(cells) for cells in rows} == {8}
    assert "Left out" not in below
    shown = {cells[0] for cells in rows}
    assert len(shown) == 13
    assert set(JAPANESE) < shown
    # One line each, and every word of it.
    assert len(table("datasets")[1]) == len(br.datasets.names())
    # Each group of scores has a line of its own above the table.
    parts = [
        part.partition("\n")[2]
        for part in run("scores", env=environment).output.split("\n\n")
        if "──" in part
    ]
    groups = [split_table(part) for part in parts]
    rows = {cells[0]: cells[1] for _, group, *_ in groups for cells in group}
    assert rows == br.scores.catalog()["formula"].to_dict()


HEADER = ["entity", "f1", "95% interval", "P(best)", "E(rank)", "95% ranks", "tier"]
ROW = [
    "a name of some thirty letters..",
    "0.966",
    "0.880 to 0.996",
    "<0.01",
    "108.5",
    "100 to 108",
    "12",
]


@pytest.mark.parametrize(
    ("width", "name", "left_out"),
    [
        (float("inf"), 31, []),
        (89, 30, []),
        (75, 16, []),
        (74, 24, ["E(rank)"]),
        (66, 16, ["E(rank)"]),
        (65, 21, ["E(rank)", "tier"]),
        (59, 27, ["E(rank)", "95% ranks", "tier"]),
        (38, 31, ["95% interval", "P(best)", "E(rank)", "95% ranks", "tier"]),
        (22, 22, HEADER[1:]),
        (3, 3, HEADER[1:]),
    ],
)
def test_names_shrink_before_columns_leave(width, name, left_out):
    widths = fit_columns(HEADER, [ROW], width, "E(rank)")
    assert widths[0] == name
    assert [HEADER[i] for i in range(len(HEADER)) if i not in widths] == left_out
    assert sum(widths.values()) + 2 * (len(widths) - 1) <= width
    assert all(room >= cell_len(ROW[i]) for i, room in widths.items() if i)


def test_text_wraps_and_is_not_lost(monkeypatch, capsys):
    import bayesrank.cli._output as output

    words = [["a_long_name_of_a_score", "one two three " * 6, "κ, φ, " * 9]]
    for width in (4, 40, 60):
        monkeypatch.setattr(output, "_width", lambda width=width: width)
        print_text(["name", "formula", "aliases"], words)
        text = capsys.readouterr().out
        assert max(map(cell_len, text.splitlines())) <= max(width, 7)
        if width > 4:
            assert all(text.count(word) == 6 for word in ("one", "two", "three"))
            assert all(text.count(letter) == 9 for letter in "κφ")
        if width == 60:
            assert words[0][0] in text


@pytest.mark.parametrize("digits", [0, 1, 3])
def test_a_positive_end_of_a_ratio_is_never_printed_as_0(digits):
    """Over many powers of ten no end is 0 that is none, and two digits of the smaller one are seen."""
    for low in 10.0 ** np.linspace(-12, 3, 46):
        for wide in (1.1, 30.0, 1e4, 1e12):
            ends = [
                float(end) for end in prose.interval_digits(low, low * wide, digits).split(" to ")
            ]
            assert ends[0] > 0
            # Half a unit in the last place of what is printed: of two digits 5%, of the decimals asked for no more.
            assert ends[0] == pytest.approx(low, rel=0.051, abs=0.5001 * 10.0**-digits)
            assert ends[1] == pytest.approx(low * wide, rel=0.051, abs=0.5001 * 10.0**-digits)
    assert prose.interval_digits(0.0, 156.0) == "0 to 156.0"
    assert prose.interval_digits(-0.0002, 0.0003) == "0.000 to 0.000"


@pytest.mark.parametrize("columns", [math.inf, 60, 30, 8])
def test_rich_lays_out_one_row_and_the_others_stand_below_it_alike(monkeypatch, capsys, columns):
    """The time of Rich for a row of thousands is longer than that of ranking it."""
    from rich.table import Table

    import bayesrank.cli._output as output

    names = ["short", *JAPANESE, *ALIKE, "e\u0301", "[bold]", ":smile:"]
    rows = [[name, *ROW[1:]] for name in names]
    monkeypatch.setattr(output, "_width", lambda: columns)
    added, add = [], Table.add_row
    monkeypatch.setattr(Table, "add_row", lambda *cells: added.append(1) or add(*cells))
    output.print_numbers(HEADER, rows)
    alone = len(added)
    text = capsys.readouterr().out
    monkeypatch.setattr(output, "_fits_into", lambda row, widths: False)
    output.print_numbers(HEADER, rows)

    assert alone == 1
    assert len(added) == 1 + len(rows)
    assert text == capsys.readouterr().out
