"""Change the files of tests/corpus at random, and count what is ranked wrongly without a word.

Usage: python scripts/mutate_corpus.py [NUMBER] [SEED]

Harmless changes (order of rows and columns, separator, encoding, ends of lines, quotes) must leave the right answer.
Harmful ones (a heading renamed, a column dropped, doubled or of another type, a row of totals, a code for missing
answers) must be refused, or leave the right answer; entities that are left out or renamed must keep their values.
"""

import csv
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from bayesrank import ArgumentError
from tests.corpus_answers import ENTRIES, FOLDER, evidence_of, observed_of

HARMLESS = ("rows", "columns", "separator", "encoding", "ends", "quotes", "blanks", "floats")
HARMFUL = ("rename", "rename", "drop", "drop", "double", "retype", "shift", "total", "code", "percent")
NAMES = ["foo", "value", "x", "label", "group", "id", "score", "n", "model", "count", "actual", "mean", "result", "fold"]


def tables() -> list[dict[str, Any]]:
    """The entries that are ranked as they are, in files of separated values."""
    return [
        one for one in ENTRIES
        if "asks" not in one and one.get("mutate", True) and one["file"].endswith(".csv") and one["score"] != "auc_roc"
    ]  # fmt: skip


def read(path: Path) -> tuple[list[str], list[list[str]], str]:
    text = path.read_text("utf-8")
    mark = next((mark for mark in ";\t|" if mark in text.split("\n", 1)[0]), ",")
    heading, *rows = csv.reader(io.StringIO(text), delimiter=mark)
    return heading, rows, mark


def mutate(rng: np.random.Generator, how: str, heading: list[str], rows: list[list[str]], mark: str) -> bytes:
    """The bytes of the file after one change."""
    heading, rows = list(heading), [list(row) for row in rows]
    j, i = int(rng.integers(len(heading))), int(rng.integers(len(rows)))
    encoding, end, quoting = "utf-8", "\n", csv.QUOTE_MINIMAL
    if how == "rows":
        rows = [rows[k] for k in rng.permutation(len(rows))]
    elif how == "columns":
        order = rng.permutation(len(heading))
        heading, rows = [heading[k] for k in order], [[row[k] for k in order] for row in rows]
    elif how == "separator":
        mark = str(rng.choice([",", ";", "\t", "|"]))
    elif how == "encoding":
        encoding = str(rng.choice(["utf-8-sig", "utf-16"]))
    elif how == "ends":
        end = str(rng.choice(["\r\n", "\r"]))
    elif how == "quotes":
        quoting = csv.QUOTE_ALL
    elif how == "blanks":
        rows = [[f" {field} " for field in row] for row in rows]
    elif how == "floats":
        whole = [k for k in range(len(heading)) if all(row[k].isdecimal() for row in rows)]
        rows = [[f"{f}.0" if k in whole else f for k, f in enumerate(row)] for row in rows]
    elif how == "rename":
        heading[j] = str(rng.choice([name for name in NAMES if name not in heading]))
    elif how == "drop":
        heading, rows = heading[:j] + heading[j + 1 :], [row[:j] + row[j + 1 :] for row in rows]
    elif how == "double":
        heading, rows = [*heading, heading[j] + "_2"], [[*row, row[j]] for row in rows]
    elif how == "retype":
        rows = [[f"{f} pts" if k == j else f for k, f in enumerate(row)] for row in rows]
    elif how == "shift":
        rows[i] = [*rows[i][j:], *rows[i][:j]]
    elif how == "total":
        numbers = [[float(row[k]) if _is_number(row[k]) else None for row in rows] for k in range(len(heading))]
        sums = [f"{sum(column):g}" if None not in column else "Total" for column in numbers]  # type: ignore[arg-type]
        rows.append(sums)
    elif how == "code":
        rows[i][j] = str(rng.choice(["-1", "999", "-999", "99"]))
    elif how == "percent":
        rows = [[f"{100 * float(f):g}" if k == j and _is_number(f) else f for k, f in enumerate(row)] for row in rows]
    text = io.StringIO()
    csv.writer(text, delimiter=mark, quoting=quoting, lineterminator=end).writerows([heading, *rows])
    return text.getvalue().encode(encoding)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def judge(found: dict[str, float], right: dict[str, float], how: str) -> str:
    """What a reading is: right, partly right (entities are left out or renamed), or wrong."""
    if set(found) == set(right) and all(abs(found[name] - right[name]) < 1e-9 for name in found):
        return "right"
    alike = sorted(found.values())
    values = sorted(right.values())
    if len(alike) == len(values) and np.allclose(alike, values, atol=1e-9):
        return "renamed"
    common = [name for name in found if name in right and abs(found[name] - right[name]) < 1e-9]
    if how == "drop" and set(found) < set(right) and len(common) == len(found):
        return "fewer"
    # A doubled entity has the values of the one that it copies.
    if how == "double" and len(common) == len(right) and len(found) == len(right) + 1:
        return "doubled"
    return "wrong"


def run(number: int, seed: int, hows: tuple[str, ...], show: bool = True) -> Counter[str]:
    """The number of changed files by what became of them."""
    rng, held, tally = np.random.default_rng(seed), tables(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(number):
            one = held[int(rng.integers(len(held)))]
            how = str(rng.choice(hows))
            heading, rows, mark = read(FOLDER / one["file"])
            path = Path(folder, one["file"])
            path.write_bytes(mutate(rng, how, heading, rows, mark))
            if path.read_bytes() == (FOLDER / one["file"]).read_bytes():
                continue
            try:
                found = observed_of(evidence_of(path, one.get("options", "")), one["score"])
                what = judge({n: float(v) for n, v in found.items()}, one["observed"], how)
            except ArgumentError:
                what = "refused"
            tally[what] += 1
            if show and (what == "wrong" or (what == "refused" and how in HARMLESS)):
                first = path.read_bytes()[:160]
                print(f"{what}: {one['file']} {how} {one.get('options', '')}\n  {first!r}")
    return tally


def main() -> None:
    words = sys.argv[1:]
    number = int(words[0]) if words else 500
    seed = int(words[1]) if len(words) > 1 else 1
    for hows in (HARMLESS, HARMFUL):
        tally = run(number, seed, hows)
        print(", ".join(hows), dict(tally))


if __name__ == "__main__":
    main()
