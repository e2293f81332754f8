"""Change the files of tests/corpus at random, and count what is ranked wrongly without a word.

Usage: python scripts/mutate_corpus.py [NUMBER] [SEED]

Harmless changes (order of rows and columns, separator, encoding, ends of lines, quotes) must leave the right answer.
Harmful ones (a heading renamed, a column dropped, doubled or retyped, a row of totals) must be refused, or leave the
right answer; entities that are left out or renamed must keep their values.
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
from tests.told import codes_in

#: Notes on labels that are true for no case, and on numbers in a table without a truth.
SAYING = {
    "labels_never_true",
    "ones_taken_as_right",
    "numbers_taken_as_grades",
    "no_true_negatives",
}
HARMLESS = ("rows", "columns", "separator", "encoding", "ends", "quotes", "blanks", "floats")
HARMFUL = ("rename", "drop", "double", "retype", "total")
#: New headings; those that state a truth are left out, since such a statement is believed.
NAMES = [
    "foo",
    "value",
    "x",
    "label",
    "group",
    "id",
    "score",
    "n",
    "model",
    "count",
    "mean",
    "result",
    "fold",
    "stone",
]


def tables() -> list[dict[str, Any]]:
    """The entries that are ranked as they are, in files of separated values."""
    return [
        one
        for one in ENTRIES
        if "asks" not in one
        and one.get("mutate", True)
        and one["file"].endswith(".csv")
        and one["score"] != "auc_roc"
    ]


def read(path: Path) -> tuple[list[str], list[list[str]], str]:
    text = path.read_text("utf-8")
    mark = next((mark for mark in ";\t|" if mark in text.split("\n", 1)[0]), ",")
    heading, *rows = csv.reader(io.StringIO(text), delimiter=mark)
    return heading, rows, mark


def mutate(
    rng: np.random.Generator, how: str, heading: list[str], rows: list[list[str]], mark: str
) -> bytes:
    """The bytes of the file after one change."""
    heading, rows = list(heading), [list(row) for row in rows]
    j = int(rng.integers(len(heading)))
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
    elif how == "total":
        numbers = [
            [float(row[k]) if _is_number(row[k]) else None for row in rows]
            for k in range(len(heading))
        ]
        sums = [f"{sum(column):g}" if None not in column else "Total" for column in numbers]  # type: ignore[arg-type]
        rows.append(sums)
    text = io.StringIO()
    csv.writer(text, delimiter=mark, quoting=quoting, lineterminator=end).writerows(
        [heading, *rows]
    )
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
    if (
        how == "double"
        and len(found) == len(right) + 1
        and {round(v, 9) for v in alike} == {round(v, 9) for v in values}
    ):
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
            if how == "retype" and one["score"] == "strength":
                continue  # an entity with another name is another one
            if path.read_bytes() == (FOLDER / one["file"]).read_bytes():
                continue
            try:
                evidence = evidence_of(path, one.get("options", ""))
                found = observed_of(evidence, one["score"])
                what = judge({n: float(v) for n, v in found.items()}, one["observed"], how)
                # The notes that the command prints say what was assumed.
                said = SAYING & set(codes_in(evidence.attrs))
                what = "said in a note" if what == "wrong" and said else what
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
