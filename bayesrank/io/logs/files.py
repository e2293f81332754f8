"""Files of evaluation logs, read by their formats."""

import fnmatch
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError, ArgumentFileError
from bayesrank._core.escape import quote_word
from bayesrank._core.inputs import HEAD, OPENERS, STDIN, guard, open_file, read_head, reason_of
from bayesrank._core.notes import Note, notes_text
from bayesrank._core.outputs import is_page_or_board
from bayesrank._core.prose import list_names
from bayesrank.io import formats
from bayesrank.io.formats import _mapped as mapped
from bayesrank.io.formats._common import forget_folders, stem_of
from bayesrank.io.logs.choices import Choices, EveryFileLeftOut, LogError
from bayesrank.io.logs.sources import LogSource, find_sources

#: The format of files that are read by a mapping.
MAPPED = "_mapped"
#: What files are that begin so.
UNREADABLE = {
    b"version https://git-lfs": (
        "must be a log",
        "a pointer of Git LFS",
        "'git lfs pull' fetches the file",
    ),
    b"\xff\xfe": ("must be text in UTF-8", "UTF-16", "convert it"),
    b"\xfe\xff": ("must be text in UTF-8", "UTF-16", "convert it"),
}
#: Endings of logs whatever the other files are; of other endings, those that a format recognised.
ENDINGS = frozenset({".json", ".jsonl"})
#: Endings whose files end as they begin, and the marks at both ends.
PARSED = {*ENDINGS, ".xml"}
CLOSED = {"{": ("}", "]"), "[": ("}", "]"), "<": (">",)}
#: Bytes at the end of a file that show whether it is cut, and the longest file that is refused for
#: having one line.
TAIL = 256
#: Columns whose values are one text or one number each, as keys of tables must be.
KEYS = tuple(
    name
    for name in formats.COLUMNS
    if name not in ("outcome", "cost", "seconds", "scored", "better")
)
PLAIN = {str, int, float, bool, type(None)}


@dataclass(frozen=True)
class Logs:
    """Rows of all files as their formats read them, what is known of the files, and the files' names."""

    rows: pd.DataFrame
    about: list[dict[Any, Any]]
    names: list[str]
    doubts: list[Note]
    variant: str

    def called(self, file: int) -> str:
        """Return the shortest end of a file's path that no other file has, for the option ``name``."""
        return self._short[file]

    @cached_property
    def _short(self) -> list[str]:
        return short_names(self.names)


class Patterns:
    """Files, folders and patterns that the user named, with the ones that a file fits and the ones that were used."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.used: set[str] = set()
        # The last of several fitting patterns counts. Most are no patterns, but ends of paths,
        # which are looked up.
        self.place = {pattern: i for i, pattern in enumerate(patterns)}
        self._runs: dict[str, list[str]] = {}
        for pattern in self.place:
            self._runs.setdefault(pattern.rstrip("/"), []).append(pattern)
        self._globs = [pattern for pattern in self.place if set("*?[") & set(pattern)]

    def find(self, name: str) -> str | None:
        """Return the last pattern that fits a file; None if none does."""
        runs = (
            [part for run in _runs_of(name) for part in self._runs.get(run, [])]
            if self._runs
            else []
        )
        globs = [
            pattern for pattern in self._globs if fnmatch.fnmatchcase(name, pattern.rstrip("/"))
        ]
        stdin = [pattern for pattern in self._runs.get("-", []) if name == STDIN]
        fitting = {*runs, *globs, *stdin}
        self.used |= fitting
        return max(fitting, key=self.place.__getitem__, default=None)


def _runs_of(name: str) -> Iterator[str]:
    """Yield the path of a file and all parts of it, from one separator to another."""
    parts = name.split("/")
    for start in range(len(parts)):
        for end in range(start + 1, len(parts) + 1):
            yield "/".join(parts[start:end])


def collect(paths: Any, choices: Choices) -> Logs:
    record: list[dict[Any, Any]] = []
    parts, without = [], []
    others: dict[str, LogSource] = {}
    problems: dict[str, ArgumentError] = {}
    patterns = Patterns(choices.name)

    def name_of(file: str) -> str | None:
        pattern = patterns.find(file)
        return None if pattern is None else choices.name[pattern]

    forget_folders()
    with tempfile.TemporaryDirectory() as folder:
        sources = find_sources(paths, folder, lambda file: name_of(file) == "")
        short = short_names([source.name for source in sources])
        for source, called in zip(sources, short, strict=True):
            label, path, problem = source.name, source.path, source.problem
            named = name_of(label)
            if named == "":
                continue
            if path is not None:
                try:
                    kind, holds = _recognise(path, label)
                    if choices.map and (kind or not (problem := _damage(source, ENDINGS))):
                        kind, holds = MAPPED, "cases"
                    if problem is None and holds == "cases":
                        frame = _read_one(label, path, kind, choices)
                except ArgumentFileError as error:
                    problem = error
            if problem is not None:
                problems[called] = problem
            elif path is None or not kind:
                others[called] = source
            elif holds == "scores":
                without.append((label, kind, path))
            elif holds == "cases":
                record.append(
                    {"name": label, "format": kind, "source": "", "setup": {}} | frame.attrs
                )
                if named:
                    frame["entity"], record[-1]["source"] = named, "name"
                parts.append(frame.assign(file=len(record) - 1))
        endings = {*ENDINGS, *(_ending(one["name"]) for one in record)}
        damage = {called: _damage(source, endings) for called, source in others.items()}
        problems |= {called: problem for called, problem in damage.items() if problem is not None}
        unrecognised = [source for called, source in others.items() if damage[called] is None]
        if problems and choices.errors != "skip":
            _refuse_unreadable(problems, choices)
        unknown = [source.name for source in unrecognised]
        if not parts and not without:
            unknown = _propose_mapping(unrecognised, choices)
    lost = [pattern for pattern in choices.name if pattern not in patterns.used]
    if lost:
        raise ArgumentError(
            f"{'--name' if choices.shell else 'name'}",
            f"must start with the name of a file that was read, such as {short[0]}",
            f"{lost[0]!r}",
        )
    _check_found(parts, without, unknown, problems, choices)
    rows = pd.concat(
        [part.reindex(columns=[*formats.COLUMNS, "file"]) for part in parts], ignore_index=True
    )
    doubts = _doubts_of_files(record)
    if unknown:
        doubts.append(Note("unknown_files", {"files": len(unknown), "first": unknown[0]}))
    if problems:
        files = [f"{problem.argument} ({_reason(problem)})" for problem in problems.values()]
        doubts.append(Note("unreadable_files", {"files": files}))
    used_as_well = {one.get("beside") for one in record}
    alone = [label for label, _, path in without if path not in used_as_well]
    if alone:
        doubts.append(Note("scores_alone", {"files": len(alone), "first": alone[0]}))
    variant = next((one["variant"] for one in record if "variant" in one), "variant")
    return Logs(rows, record, [one["name"] for one in record], doubts, variant)


def _ending(name: str) -> str:
    """Return the ending of a file's name, without that of its compression."""
    path = Path(name)
    return (path.with_suffix("") if path.suffix.lower() in OPENERS else path).suffix.lower()


def _damage(source: LogSource, endings: Set[str]) -> ArgumentFileError | None:
    """Return why a file that no format recognises is no whole log, if its ending is one of logs; else None."""
    if source.path is None:
        return None
    size, expected = os.path.getsize(source.path), _ending(source.name) in endings
    if not size and (expected or source.given):
        return ArgumentFileError(
            source.name, "must contain cases", "an empty file, as a run that crashed leaves it"
        )
    if not expected:
        return None
    with open_file(source.path, source.name) as file:
        begin = file.read(HEAD).decode("utf-8", "replace").removeprefix("\ufeff").strip()
        file.seek(max(size - TAIL, 0))
        end = file.read().decode("utf-8", "replace").strip()
    closed = CLOSED.get(begin[:1])
    if closed is not None and _ending(source.name) in PARSED and not end.endswith(closed):
        got = f"one that ends in {end[-20:]!r}, as cut files do"
        return ArgumentFileError(source.name, "must be a whole file", got)
    if closed is None and size <= TAIL and "\n" not in begin:
        return ArgumentFileError(
            source.name, "must contain a heading and rows", f"the one line {begin[:40]!r}"
        )
    return None


def _refuse_unreadable(problems: Mapping[str, ArgumentError], choices: Choices) -> None:
    """Refuse logs that cannot be read; all are named."""
    (called, first), *rest = problems.items()
    others = [f"{name} ({_reason(problem)})" for name, problem in rest]
    text = [
        first.hint,
        choices.leave_out(called),
        f"{choices.say('errors', 'skip')} leaves out and names all files that cannot be read",
        f"{prose.count(len(others), 'more file')} cannot be read: {list_names(others, 8)}"
        if others
        else "",
    ]
    hint = "; ".join(filter(None, text))
    raise LogError(first.argument, first.wanted, first.got, hint, name=dict.fromkeys(problems, ""))


def _propose_mapping(others: list[LogSource], choices: Choices) -> list[str]:
    """Raise an error that proposes a mapping for files of cases that no format knows; return them if none fits.

    Names of files that look like logs and cannot be read come with the reason.
    """
    files: list[mapped.Fields] = []
    unknown = []
    for source in others:
        assert source.path is not None
        try:
            with guard(source.name):
                if mapped.looks_mappable(formats.head_text(read_head(source.path))):
                    files.append(mapped.read_fields(source.path, stem_of(source.path)))
            unknown.append(source.name)
        except ArgumentError as error:
            unknown.append(f"{source.name} ({_reason(error)})")
    files = [one for one in files if one.values]
    if not files or not (given := mapped.propose(files)):
        return unknown
    typed = f"--map {quote_word(mapped.write_map(given))}" if choices.shell else f"map={given!r}"
    raise LogError(
        others[0].name,
        "must have a mapping from roles to its fields, since no format knows it",
        f"the fields {list_names(files[0].names(), 12)}",
        f"this one may fit: {typed}",
        map=given,
    )


def _recognise(path: Path, label: str) -> tuple[str, str]:
    """Return the format of a file and what it holds, as :func:`formats.recognise` does."""
    head = read_head(path)
    for start, words in UNREADABLE.items():
        if head.startswith(start):
            raise ArgumentFileError(label, *words)
    if is_page_or_board(head):
        return "bayesrank", "about"
    with guard(label):
        return formats.recognise(formats.head_text(head))


def _reason(problem: ArgumentError) -> str:
    """Return why a file cannot be read, without its name."""
    if problem.wanted.endswith("that can be read"):
        return problem.got
    return f"{problem.wanted}{'; got ' * bool(problem.got)}{problem.got}"


def _doubts_of_files(about: list[dict[Any, Any]]) -> list[Note]:
    """Return the notes of formats with the names of the files that they are about; equal notes once."""
    files: dict[str, list[str]] = {}
    notes: dict[str, Note] = {}
    for one in about:
        for note in one.get("doubts", []):
            key = notes_text([note])
            notes[key] = note
            files.setdefault(key, []).append(Path(one["name"]).name)
    return [
        Note("about_files", {"files": files[key], "code": note.code, "fields": note.fields})
        for key, note in notes.items()
    ]


def _read_one(label: str, path: Path, kind: str, choices: Choices) -> pd.DataFrame:
    module = formats.load(kind)
    if kind == MAPPED:
        try:
            with guard(label):
                fields = mapped.read_fields(path, stem_of(path), mapped.fields_of(choices.map))
        except ArgumentFileError as error:
            raise ArgumentFileError(label, error.wanted, error.got, error.hint) from None
        return mapped.read_rows(fields, choices.map, "--map" if choices.shell else "map")
    try:
        frame: pd.DataFrame = module.read(path)
        _check_rows(frame, path.name)
        return frame
    except (ImportError, MemoryError):
        raise
    except ArgumentError as error:
        own = error.argument.startswith(path.name)
        position = (
            f"{label}{error.argument.removeprefix(path.name)}"
            if own
            else f"{error.argument} beside {label}"
        )
        requested, got, hint = error.wanted, error.got, error.hint
    except Exception as error:
        lost = isinstance(error, KeyError)
        position, requested, hint = label, f"must be a whole log of {module.TITLE}", ""
        problem = (
            f"field {error} is missing" if lost else f"fields are not as usual ({reason_of(error)})"
        )
        got = f"a file whose {problem}"
    raise ArgumentFileError(position, requested, got, hint)


def _check_rows(frame: pd.DataFrame, name: str) -> None:
    """Refuse a table of a format without rows, or with lists and objects where one value must be."""
    if frame.empty:
        raise ArgumentError(name, "must contain cases; it has none")
    size = frame.attrs.get("expected")
    if size is not None and not (isinstance(size, int | float) and size >= 0 and size % 1 == 0):
        raise ArgumentError(
            name, "must give the number of its cases as a whole number", f"{str(size)[:60]}"
        )
    for key in KEYS:
        if key in frame and frame[key].dtype == object and set(map(type, frame[key])) - PLAIN:
            odd = next(value for value in frame[key] if type(value) not in PLAIN)
            raise ArgumentError(
                name, f"must have one text or number in the field {key}", f"{str(odd)[:60]}"
            )


def _check_found(
    parts: list[Any],
    without: list[tuple[str, str, Path]],
    unknown: list[str],
    problems: Mapping[str, ArgumentError],
    choices: Choices,
) -> None:
    if parts:
        return
    if problems and not (without or unknown):
        raise LogError(
            "paths",
            "must name logs that can be read",
            f"none: {list_names(problems, 3)} cannot be read",
        )
    if not (without or unknown):
        if "" in choices.name.values():
            raise EveryFileLeftOut("paths", "must name a log that is not left out; every file is")
        raise LogError(
            "paths", "must name logs that contain cases", "files that only describe others"
        )
    if without:
        label, kind, _ = without[0]
        raise LogError(
            label,
            "must contain the outcomes of cases",
            f"scores of {formats.load(kind).TITLE}, which are aggregates without cases",
            "run the tool so that it writes samples, or rank a table with the columns entity, correct, total, or "
            "entity, mean, se; such a comparison is unpaired",
        )
    tables = [name for name in unknown if name.endswith((".csv", ".tsv"))]
    first = (
        f"bayesrank rank reads a table such as {tables[0]} without doctor or convert; "
        if tables
        else ""
    )
    titles = ", ".join(formats.load(name).TITLE for name in formats.names())
    raise LogError(
        "paths",
        "must name logs of a known format",
        f"{prose.count(len(unknown), 'file')} of other formats, such as {unknown[0]}",
        f"{first}any other log can be ranked as a CSV table with the columns entity, case, outcome, or by a mapping of "
        f"its fields: {'--map case=FIELD,entity=FIELD,outcome=FIELD' if choices.shell else 'map='}; known formats: "
        f"{titles}",
    )


def matches(label: str, pattern: str) -> bool:
    pattern = pattern.rstrip("/")
    return (
        f"/{label}".endswith(f"/{pattern}")
        or f"/{pattern}/" in f"/{label}"
        or label.startswith(f"{pattern}/")
        or fnmatch.fnmatchcase(label, pattern)
        or (pattern == "-" and label == "standard input")
    )


def short_names(labels: list[str]) -> list[str]:
    """Return the shortest end of each path that no other path has."""
    times = Counter(end for label in labels for end in _ends_of(label))
    return [next((end for end in _ends_of(label) if times[end] == 1), label) for label in labels]


def _ends_of(label: str) -> list[str]:
    """Return the ends of a path at its separators, the shortest first."""
    parts = label.split("/")
    return ["/".join(parts[-size:]) for size in range(1, len(parts) + 1)]
