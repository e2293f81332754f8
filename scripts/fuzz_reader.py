"""Damage logs and tables at random, by a seed, and read them: nothing but refusals, and no unrelated row changes.

    python scripts/fuzz_reader.py --mutations 2000 --seed 1 [FOLDER ...]

Each file of the logs that the tests write, of the shipped tables, and of any folder given, may be damaged. A finding is
an exception that is no refusal, a changed row of another file, or a reading of more than 5 seconds, which is stopped.
"""

import argparse
import gzip
import io
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

from bayesrank._errors import ArgumentError  # noqa: E402
from bayesrank.cli._logs import evidence_of_frame  # noqa: E402
from bayesrank.diagnosis import diagnose  # noqa: E402
from bayesrank.logs.choices import Choices, LogError  # noqa: E402
from bayesrank.logs.files import collect  # noqa: E402
from bayesrank.tables.files import read_csv, read_evidence  # noqa: E402
from bayesrank.tables.table import Roles, Table  # noqa: E402

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
LONG = [b"[", b"{", b" ", b"\n", b'"', b"<!-- c -->", b"<a>", b",[x] ", b"_", b"(", b"inst# ", b'{"a":', b"\t", b"9"]


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
            files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size <= LARGEST]
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
    related = {label} if label in group.rows else {name for name in group.rows if Path(name).parent == path.parent}
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
        found.astype(object).where(found.notna(), None).equals(expected.astype(object).where(expected.notna(), None))
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
        same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(after))
        above = max(before[:same].count(b"\n") - 1, 0)
        if list(found.columns) == list(expected.columns):
            assert rows[:above] == rows_of(expected)[:above], "a row above the damage has changed"
        read_evidence(str(path))
    except ArgumentError:
        return "refused"
    return "read"


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    return list(zip(*table.columns.values(), strict=True))


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
        tables = [path.read_bytes() for path in sorted((ROOT / "bayesrank/datasets/data").glob("*.csv"))]
        tables = [data for data in tables if len(data) < 2**16]
        for number in range(mutations):
            if number % 4:
                group = groups[int(rng.integers(len(groups)))]
                path = group.files[int(rng.integers(len(group.files)))]
                before = path.read_bytes()
                after = damage(before, rng)
                path.write_bytes(after)
                _run(result, f"mutation {number} of {path.relative_to(place)}", check_logs, group, path)
                path.write_bytes(before)
            else:
                before = tables[int(rng.integers(len(tables)))]
                after = damage(before, rng)
                _run(result, f"mutation {number} of a table", check_table, Path(place, "table.csv"), before, after)
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
    parser.add_argument("folders", nargs="*", type=Path, help="Folders of logs, each of which is read as one.")
    parser.add_argument("--mutations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    result = fuzz(given.mutations, given.seed, given.folders)
    for finding in result.findings:
        print(finding)
    for what, number in result.counts.most_common():
        print(f"{number:6} {what}")
    print(f"{len(result.findings):6} findings")
    sys.exit(bool(result.findings))


if __name__ == "__main__":
    main()
