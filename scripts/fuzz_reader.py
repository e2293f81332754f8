"""Damage logs and tables at random, by a seed, and read them: nothing but refusals, and no unrelated row changes.

    python scripts/fuzz_reader.py --mutations 2000 --nested 400 --seed 1 [FOLDER ...]

Each file of the logs that the tests write, of the shipped tables, of a folder of submissions, and of any folder given,
may be damaged. A finding is an exception that is no refusal, a changed row of another file, or a reading of more than 5
seconds, which is stopped. Submissions are also written in other ways that say the same, as other programs do: these
must be read as the same answers. Data frames with any headings and values are read or refused.

Nested logs are of no known format, and are read by the mapping that doctor proposes. Half of them are written in
another way that changes nothing: they must be read right. The other half is damaged: a file that is not read must be
named.
"""

import argparse
import csv
import gzip
import io
import json
import shutil
import signal
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import bayesrank as br  # noqa: E402
from bayesrank._core.errors import ArgumentError  # noqa: E402
from bayesrank.cli._logs import evidence_of_frame  # noqa: E402
from bayesrank.diagnosis import diagnose  # noqa: E402
from bayesrank.io.logs.choices import Choices, LogError  # noqa: E402
from bayesrank.io.logs.files import collect  # noqa: E402
from bayesrank.io.tables.columns import squeeze  # noqa: E402
from bayesrank.io.tables.files import read_csv, read_evidence  # noqa: E402
from bayesrank.io.tables.roles import METADATA, STANDARD, TRUTH_NAMES  # noqa: E402
from bayesrank.io.tables.table import Roles, Table  # noqa: E402
from bayesrank.words.sentences import say  # noqa: E402

#: Seconds after which a reading is stopped, and files that are not damaged since they alone take long to read.
SECONDS, LARGEST = 5, 2**21
#: What is put into a file, or in the place of one of its numbers.
TOKENS = [
    b"\0",
    b"\x1b[2J",
    b'"',
    b"\r",
    b"\n",
    b"\xff\xfe",
    b",",
    b";",
    b"{",
    b"]",
    b"<",
    b"-->",
    b"\xe2\x80\xa8",
    b"=",
]
VALUES = [
    b"null",
    b"[]",
    b"{}",
    b'"x"',
    b"1e999",
    b"NaN",
    b"-1",
    b"true",
    b"[[1]]",
    b'""',
    b"9" * 400,
    b"0.5",
    b"1e-400",
]
#: Long repetitions, which a slow pattern or a deep recursion would show.
LONG = [
    b"[",
    b"{",
    b" ",
    b"\n",
    b'"',
    b"<!-- c -->",
    b"<a>",
    b",[x] ",
    b"_",
    b"(",
    b"inst# ",
    b'{"a":',
    b"\t",
    b"9",
]


class Stopped(BaseException):
    """A reading took too long; no handler of exceptions takes it for a refusal."""


@dataclass
class Group:
    """Files that are read together: their folder, the choices with which they are read, and their rows by file."""

    folder: Path
    choices: Choices
    rows: dict[str, pd.DataFrame]
    files: list[Path]


@dataclass
class Result:
    findings: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@contextmanager
def stopping() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- Damage ----------------------------------------------------------------------------------------------------------


def damage(data: bytes, rng: np.random.Generator) -> bytes:
    """Return damaged bytes: mostly one small change, sometimes a long repetition or another container."""
    at, end = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    near = min(end, at + int(rng.integers(1, 40)))
    part = data[at:near]
    ways: list[Callable[[], bytes]] = [
        lambda: data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :],
        lambda: data[:at] + data[near:],
        lambda: data[:at] + part + data[at:],
        lambda: data[:at],
        lambda: data[:at] + _pick(TOKENS, rng) + data[at:],
        lambda: _replace_number(data, at, _pick(VALUES, rng)),
        lambda: _replace_number(data, at, _pick(VALUES, rng)),
        lambda: data[:at] + _pick(LONG, rng) * int(rng.integers(100, 100_000)) + data[at:],
        lambda: data[:at] + part * 2000 + data[at:],
        lambda: data.replace(b"\n", b"\r"),
        lambda: gzip.compress(data)[: int(rng.integers(1, 400))],
        lambda: gzip.compress(gzip.compress(data)),
        lambda: _flip(_zip(data), rng),
        lambda: data.decode("utf-8", "replace").encode("utf-16"),
        lambda: bytes(rng.integers(0, 256, 300, dtype=np.uint8)),
    ]
    return ways[int(rng.integers(len(ways)))]()


def _pick(choices: list[bytes], rng: np.random.Generator) -> bytes:
    return choices[int(rng.integers(len(choices)))]


def _replace_number(data: bytes, at: int, value: bytes) -> bytes:
    """Return data with another value instead of the first number after a place."""
    digits = b"0123456789."
    start = next((i for i in range(at, len(data)) if data[i : i + 1] in digits), len(data))
    end = next((i for i in range(start, len(data)) if data[i : i + 1] not in digits), len(data))
    return data[:start] + value + data[end:]


def _zip(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.json", data)
    return file.getvalue()


def _flip(data: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(len(data)))
    return data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]


# --- Logs ------------------------------------------------------------------------------------------------------------


def group_of(folder: Path) -> Group | None:
    """Return the logs of a folder; None if they cannot be read even undamaged."""
    choices = Choices(shell=True)
    for _ in range(8):
        try:
            logs = collect(folder, choices)
        except LogError as error:
            choices = choices.also(**error.remedy)
        except ArgumentError:
            return None
        else:
            files = [
                path
                for path in sorted(folder.rglob("*"))
                if path.is_file() and path.stat().st_size <= LARGEST
            ]
            return Group(folder, choices, rows_by_file(logs), files)
    return None


def rows_by_file(logs: Any) -> dict[str, pd.DataFrame]:
    parts = logs.rows.drop(columns="file").groupby(logs.rows["file"].to_numpy(), sort=False)
    return {logs.names[i]: part.reset_index(drop=True) for i, part in parts}


def check_logs(group: Group, path: Path) -> str:
    """Read logs of which one is damaged, and return what happened; raise AssertionError if another file changed."""
    choices, what = group.choices, "read"
    for _ in range(len(group.files) + 2):
        try:
            found = rows_by_file(collect(group.folder, choices))
            break
        except LogError as error:
            if "name" not in error.remedy:
                return "refused"
            what, choices = "refused, and read without it", choices.also(**error.remedy)
        except ArgumentError:
            return "refused"
    else:
        raise AssertionError("the remedy leaves the file in")
    # A file without cases of its own may describe all files of its folder.
    label = str(path)
    related = (
        {label}
        if label in group.rows
        else {name for name in group.rows if Path(name).parent == path.parent}
    )
    for name, rows in group.rows.items():
        if name not in related:
            assert name in found, f"{name} is lost"
            assert same_rows(found[name], rows), f"{name} has changed"
    told = diagnose(group.folder, choices)
    if told.frame is not None:
        try:
            evidence_of_frame(told.frame, Roles(missing="own"), ())
        except ArgumentError:
            what = f"{what}, refused as evidence"
    return what


def same_rows(found: pd.DataFrame, expected: pd.DataFrame) -> bool:
    """Compare values; columns of files that are read together may have another type."""
    return bool(
        found.astype(object)
        .where(found.notna(), None)
        .equals(expected.astype(object).where(expected.notna(), None))
    )


# --- Tables ----------------------------------------------------------------------------------------------------------


def check_table(path: Path, before: bytes, after: bytes) -> str:
    """Read a damaged table, and return what happened; raise AssertionError if a row above the damage has changed."""
    path.write_bytes(before)
    expected = read_csv(str(path))
    path.write_bytes(after)
    try:
        found = read_csv(str(path))
        rows = rows_of(found)
        same = next(
            (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(after)
        )
        above = max(before[:same].count(b"\n") - 1, 0)
        if list(found.columns) == list(expected.columns):
            assert rows[:above] == rows_of(expected)[:above], "a row above the damage has changed"
        read_evidence(str(path))
    except ArgumentError:
        return "refused"
    return "read"


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    return list(zip(*table.columns.values(), strict=True))


# --- Submissions -----------------------------------------------------------------------------------------------------

#: Numbers of cases and teams of a folder of submissions.
CASES, TEAMS = 30, 3


def write_submissions(
    folder: Path, rng: np.random.Generator
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame], str]:
    """Write a truth and a file for each team; return these tables, and the positive class."""
    codes = bool(rng.integers(2))
    classes = [["0", "1"], ["ham", "spam"], ["cat", "cow", "dog"]][int(rng.integers(3))]
    kind = ["labels", "probabilities", "classes"][int(rng.integers(3))]
    if len(classes) == 3 and kind == "probabilities":
        kind = "classes"
    ids = [f"{i + 1}" if codes else f"img{i:03d}.png" for i in range(CASES)]
    actual = np.array(classes)[
        [*range(len(classes)), *rng.integers(0, len(classes), CASES - len(classes))]
    ]
    truth = pd.DataFrame({"id": ids, "actual": actual})
    teams = {}
    for i in range(TEAMS):
        chances = rng.dirichlet(np.ones(len(classes)), CASES).round(3)
        chances[:, -1] = (1 - chances[:, :-1].sum(axis=1)).round(3)
        columns: dict[str, Any] = {"label": np.array(classes)[chances.argmax(axis=1)]}
        if kind == "probabilities":
            columns = {"prediction": chances[:, -1]}
        elif kind == "classes":
            columns = {f"p_{label}": chances[:, k] for k, label in enumerate(classes)}
        teams[f"team{i}"] = pd.DataFrame({"id": ids, **columns})
    folder.mkdir(parents=True, exist_ok=True)
    truth.to_csv(folder / "truth.csv", index=False)
    (folder / "all").mkdir(exist_ok=True)
    for name, table in teams.items():
        table.to_csv(folder / "all" / f"{name}.csv", index=False)
    return truth, teams, classes[-1]


def rewrite(path: Path, table: pd.DataFrame, rng: np.random.Generator, own: bool) -> None:
    """Write a table as another program would, with one to four harmless changes; ``own`` is whether it is a team's."""
    table, how, suffix = table.copy(), {"sep": ",", "index": False, "lineterminator": "\n"}, ".csv"
    head, tail, numbers = b"", b"", "prediction" in table
    changes: list[str] = [
        "rows",
        "columns",
        "sep",
        "bom",
        "quotes",
        "ends",
        "blank",
        "index",
        "id",
        "case",
        "gz",
    ]
    changes += ["float", "words", "extra"] if own else ["extra"]
    for change in rng.choice(changes, int(rng.integers(1, 5)), replace=False):
        if change == "rows":
            table = table.sample(frac=1, random_state=int(rng.integers(1000)))
        elif change == "columns":
            table = table[[table.columns[i] for i in rng.permutation(table.shape[1])]]
        elif change == "sep":
            how["sep"] = ",;\t|"[int(rng.integers(4))]
        elif change == "bom":
            head = b"\xef\xbb\xbf"
        elif change == "quotes":
            how["quoting"] = csv.QUOTE_ALL
        elif change == "ends":
            how["lineterminator"] = ["\r\n", "\r"][int(rng.integers(2))]
        elif change == "blank":
            tail = how["lineterminator"].encode() * 2
        elif change == "index":
            how["index"] = True
        elif change == "id":
            table = table.rename(
                columns={"id": ["image_id", "Id", "case", "question_id"][int(rng.integers(4))]}
            )
        elif change == "case":
            table = (
                table.rename(columns=str.upper)
                if "P_" not in "".join(table.columns).upper()
                else table
            )
        elif change == "gz":
            suffix = ".csv.gz" if own else suffix
        elif change == "float":
            whole = [name for name in table if table[name].astype(str).str.fullmatch(r"\d+").all()]
            table = table.assign(**{name: table[name].astype(float) for name in whole})
        elif change == "words" and numbers:
            name = next(name for name in table if squeeze(name) == "prediction")
            table = table.assign(**{name: (100 * table[name]).round(1).astype(str) + "%"})
        elif change == "extra":
            table = table.assign(split="test")
    data = head + table.to_csv(**how).encode() + tail
    path.unlink(missing_ok=True)
    path.with_suffix(suffix).write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)


def read_answers(folder: Path, positive: str) -> pd.DataFrame:
    """Return the answers of all teams by case, and read them as evidence."""
    given = {"positive": positive} if positive != "dog" else {}
    frame = br.read(folder / "all", truth=folder / "truth.csv", **given)
    br.from_frame(frame, **given)
    return frame.drop(columns=frame.attrs["truth_columns"]).set_index("case").sort_index()


def check_rewritten(folder: Path, rng: np.random.Generator) -> str:
    """Write submissions in another way; raise AssertionError unless they are read as the same answers."""
    truth, teams, positive = write_submissions(folder, rng)
    expected = read_answers(folder, positive)
    for path, table in [(folder / "all" / f"{name}.csv", table) for name, table in teams.items()]:
        if rng.random() < 0.7:
            rewrite(path, table, rng, True)
    if rng.random() < 0.3:
        rewrite(folder / "truth.csv", truth, rng, False)
    try:
        found = read_answers(folder, positive)
    except ArgumentError as error:
        return f"refused: {str(error)[-200:]}"
    found.index = found.index.str.removesuffix(".0")
    found = found.sort_index()
    assert list(found) == list(expected), f"{list(found)} for {list(expected)}"
    for name in expected:
        numbers = expected[name].dtype.kind == "f"
        same = (
            np.allclose(found[name], expected[name], atol=1e-3)
            if numbers
            else (found[name] == expected[name]).all()
        )
        assert same, f"{name} has changed"
    return "read as the same answers"


def check_damaged(folder: Path, rng: np.random.Generator) -> str:
    """Damage the file of a team or the truth; raise AssertionError if the answers of another team change."""
    _, teams, positive = write_submissions(folder, rng)
    expected = read_answers(folder, positive)
    name = [*teams, "truth"][int(rng.integers(TEAMS + 1))]
    path = folder / "truth.csv" if name == "truth" else folder / "all" / f"{name}.csv"
    path.write_bytes(damage(path.read_bytes(), rng))
    try:
        found = read_answers(folder, positive)
    except ArgumentError:
        return "submissions refused"
    if name != "truth":
        others = [column for column in expected if not column.startswith(name)]
        assert found[others].equals(expected[others]), "the answers of another team have changed"
    return "submissions read"


def fuzz_submissions(mutations: int, seed: int) -> Result:
    """Write and damage so many folders of submissions: half of them say the same in another way."""
    rng, result = np.random.default_rng(seed), Result()
    for number in range(mutations):
        with tempfile.TemporaryDirectory() as place:
            check = check_damaged if number % 2 else check_rewritten
            _run(result, f"mutation {number} of submissions", check, Path(place), rng)
    return result


# --- Data frames -----------------------------------------------------------------------------------------------------

HEADINGS = sorted(
    {*(name for names in STANDARD.values() for name in names), *METADATA, *TRUTH_NAMES}
)
#: Values of cells, several in a column.
CELLS = [
    [0, 1], ["yes", "no"], [0.5, 0.25, 1.0], [1, 2, 3, 400], ["a", "b", "c"], [None, 1, 0], [float("nan"), "x"],
    [[1, 2], [3]], [{"a": 1}, {}], ["x" * 50_000, "y"], [True, False], [pd.Timestamp("2024-01-01"), pd.NaT],
    [(1, 2), "z"], [np.array([1, 2]), None], [b"bytes", b""], ["90%", "1,5"], [10**30, -1], [float("inf"), 0.0],
    [1 + 2j, 0], ["", " "], [pd.NA, 1], [{1}, {2}],
]  # fmt: skip


def check_frame(rng: np.random.Generator) -> str:
    """Read a data frame of 1 to 40 columns with any headings and values, some of whose columns have roles."""
    size, rows = int(rng.integers(1, 41)), int(rng.integers(0, 12))
    simple = rng.random() < 0.5
    names = (
        [f"model{i}" for i in range(size)]
        if simple
        else list(rng.choice(HEADINGS, size, replace=False))
    )
    columns = {}
    for name in names:
        held = CELLS[0] if simple and rng.random() < 0.9 else CELLS[int(rng.integers(len(CELLS)))]
        columns[name] = pd.Series(
            [held[int(rng.integers(len(held)))] for _ in range(rows)], dtype=object
        )
    frame = pd.DataFrame(columns)
    if rng.random() < 0.3 and rows:
        frame[names[0]] = pd.Categorical([f"c{i % 3}" for i in range(rows)])
    roles = (
        "entity",
        "dataset",
        "case",
        "run",
        "cluster",
        "count",
        "weight",
        "truth",
        "cost",
        "group",
        "category",
    )
    given = {role: names[int(rng.integers(size))] for role in roles if rng.random() < 0.1}
    given |= {"entities": names[: int(rng.integers(1, size + 1))]} if rng.random() < 0.2 else {}
    given |= {"missing": ["own", "common", 0][int(rng.integers(3))]} if rng.random() < 0.3 else {}
    try:
        br.from_frame(frame, **given)
    except ArgumentError as error:
        return "frame refused" if "\n" not in str(error) else "frame refused in several lines"
    return "frame read"


def fuzz_frames(mutations: int, seed: int) -> Result:
    """Read so many data frames."""
    rng, result = np.random.default_rng(seed), Result()
    for number in range(mutations):
        _run(result, f"data frame {number}", check_frame, rng)
    return result


# --- Runs ------------------------------------------------------------------------------------------------------------


def write_logs(folder: Path) -> list[Path]:
    """Write the logs of the tests, one folder for each format."""
    from tests.evidence.test_formats import WRITERS, both

    folders = []
    for writer in WRITERS:
        place = folder / writer.__name__
        place.mkdir()
        both(writer, place)
        folders.append(place)
    return folders


def fuzz(mutations: int, seed: int, folders: list[Path] | None = None) -> Result:
    """Damage and read files so many times, three quarters of them logs and the others tables."""
    rng, result = np.random.default_rng(seed), Result()
    with tempfile.TemporaryDirectory() as place:
        copies = write_logs(Path(place))
        for i, folder in enumerate(folders or []):
            copies.append(Path(place, f"given-{i}", folder.name))
            shutil.copytree(folder, copies[-1])
        groups = [group for group in map(group_of, copies) if group is not None and group.files]
        tables = [
            path.read_bytes() for path in sorted((ROOT / "bayesrank/datasets/data").glob("*.csv"))
        ]
        tables = [data for data in tables if len(data) < 2**16]
        for number in range(mutations):
            if number % 4:
                group = groups[int(rng.integers(len(groups)))]
                path = group.files[int(rng.integers(len(group.files)))]
                before = path.read_bytes()
                after = damage(before, rng)
                path.write_bytes(after)
                _run(
                    result,
                    f"mutation {number} of {path.relative_to(place)}",
                    check_logs,
                    group,
                    path,
                )
                path.write_bytes(before)
            else:
                before = tables[int(rng.integers(len(tables)))]
                after = damage(before, rng)
                _run(
                    result,
                    f"mutation {number} of a table",
                    check_table,
                    Path(place, "table.csv"),
                    before,
                    after,
                )
    return result


# --- Nested logs -----------------------------------------------------------------------------------------------------


def nested_records(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return records of three systems on twelve cases, with fields at several levels."""
    other = {
        **{
            f"field{i}": [None, "long " * 200, [1, [2]], {"a": {"b": None}}, 0.5][i % 5]
            for i in range(rng.integers(40))
        },
        "usage": {"tokens": 5, "parts": [{"n": 1}, {"n": 2}]},
    }
    right = rng.integers(0, 2, (3, 12)).tolist()
    right[0][:2] = [0, 1]
    return [
        {
            "qid": f"q{j}",
            "run": {"model": f"modèle-{i}"},
            "verifier": {"reward": right[i][j], "log": None},
        }
        | other
        for i in range(3)
        for j in range(12)
    ]


def write_alike(records: list[dict[str, Any]], path: Path, rng: np.random.Generator) -> Path:
    """Write records in another order, with other separators, encodings and types, which change nothing."""
    records = json.loads(json.dumps(records))
    if rng.integers(2):
        records = [records[i] for i in rng.permutation(len(records))]
    if rng.integers(2):
        records = [
            {key: one[key] for key in rng.permutation(list(one)).tolist()} for one in records
        ]
    kinds: list[Callable[[int], Any]] = [
        int,
        float,
        bool,
        str,
        lambda v: "pass" if v else "fail",
        lambda v: f"{v}.0",
    ]
    kind = kinds[int(rng.integers(len(kinds)))]
    for one in records:
        one["verifier"]["reward"] = kind(one["verifier"]["reward"])
    plain, form = bool(rng.integers(2)), int(rng.integers(4))
    if form == 0:
        text = "\n".join(json.dumps(one, ensure_ascii=plain) for one in records) + "\n" * int(
            rng.integers(3)
        )
    elif form == 1:
        text = json.dumps(records, ensure_ascii=plain, indent=[None, 1, 4][rng.integers(3)])
    elif form == 2:
        text = json.dumps(
            {"version": 1, "results": records}, ensure_ascii=plain, separators=(",", ":")
        )
    else:
        rows = [
            {
                "qid": o["qid"],
                "run.model": o["run"]["model"],
                "verifier.reward": o["verifier"]["reward"],
            }
            for o in records
        ]
        text = pd.DataFrame(rows).to_csv(index=False, sep=",;\t|"[rng.integers(4)])
    data = text.replace("\n", ["\n", "\r\n"][rng.integers(2)]).encode(
        ["utf-8", "utf-8-sig"][rng.integers(2)]
    )
    path = path.with_suffix([".json", ".jsonl", ".log"][rng.integers(3)] if form < 3 else ".csv")
    if rng.integers(4) == 0:
        data, path = gzip.compress(data), path.with_name(f"{path.name}.gz")
    path.write_bytes(data)
    return path


def check_alike(records: list[dict[str, Any]], path: Path) -> str:
    """Read a harmless variant by the mapping that doctor proposes; raise AssertionError unless it is read right."""
    found = diagnose([str(path)], Choices(shell=True))
    assert found.frame is not None, f"nothing is read: {found}"
    frame = found.frame
    held = {
        (e, c): o for e, c, o in zip(frame["entity"], frame["case"], frame["outcome"], strict=True)
    }
    expected = {(one["run"]["model"], one["qid"]): one["verifier"]["reward"] for one in records}
    assert held == expected, "the rows differ"
    return "harmless, read right"


def check_damaged_nested(folder: Path, damaged: Path) -> str:
    """Read a whole log beside a damaged one by a typed mapping; raise AssertionError if one is lost in silence."""
    given = {"case": "qid", "entity": "run.model", "outcome": "verifier.reward"}
    for errors in (None, "skip"):
        try:
            logs = collect(folder, Choices(map=given, errors=errors, shell=True))
        except ArgumentError as error:
            if errors == "skip":
                return "damaged, refused"
            if not (damaged.name in str(error) or "--map" in str(error)):
                raise AssertionError(f"the file is not named: {error}") from None
            continue
        named = damaged.name in " ".join(map(say, logs.doubts))
        assert named or any(damaged.name in name for name in logs.names), (
            "a file is lost in silence"
        )
        return (
            "damaged, read" if errors is None else "damaged, refused, and left out by --errors skip"
        )
    raise AssertionError("no reading ended")


def fuzz_nested(mutations: int, seed: int) -> Result:
    """Write and read so many nested logs, half of them damaged."""
    rng, result = np.random.default_rng(seed), Result()
    with tempfile.TemporaryDirectory() as place:
        for number in range(mutations):
            folder = Path(place, str(number))
            folder.mkdir()
            records = nested_records(rng)
            path = write_alike(records, folder / "log.json", rng)
            if number % 2:
                damaged = folder / f"damaged{path.name.removeprefix('log')}"
                damaged.write_bytes(damage(path.read_bytes(), rng))
                _run(result, f"damage {number}", check_damaged_nested, folder, damaged)
            else:
                _run(result, f"variant {number} of {path.name}", check_alike, records, path)
    return result


def _run(result: Result, name: str, check: Callable[..., str], *arguments: Any) -> None:
    try:
        with stopping():
            result.counts[check(*arguments)] += 1
    except Stopped:
        result.findings.append(f"{name}: more than {SECONDS} s\n{traceback.format_exc()}")
    except Exception as error:
        result.findings.append(f"{name}: {type(error).__name__}\n{traceback.format_exc()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "folders", nargs="*", type=Path, help="Folders of logs, each of which is read as one."
    )
    parser.add_argument("--mutations", type=int, default=2000)
    parser.add_argument(
        "--nested", type=int, default=0, help="How many nested logs to write and read."
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--frames", type=int, default=2000)
    given = parser.parse_args()
    result = fuzz(given.mutations, given.seed, given.folders)
    others = (
        fuzz_submissions(given.submissions, given.seed),
        fuzz_frames(given.frames, given.seed),
        fuzz_nested(given.nested, given.seed),
    )
    for other in others:
        result.findings += other.findings
        result.counts += other.counts
    for finding in result.findings:
        print(finding)
    for what, number in result.counts.most_common():
        print(f"{number:6} {what}")
    print(f"{len(result.findings):6} findings")
    sys.exit(bool(result.findings))


if __name__ == "__main__":
    main()
