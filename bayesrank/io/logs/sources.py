"""Files of evaluation logs as paths on disk: folders, globs, compressed files, zip archives and standard input."""

import glob
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayesrank._core.checks import check_paths
from bayesrank._core.errors import ArgumentError, ArgumentFileError
from bayesrank._core.inputs import (
    MAX_LAYERS,
    OPENERS,
    STDIN,
    Room,
    guard,
    is_compressed,
    is_workbook,
    is_zip,
    list_files,
    list_members,
    open_archive,
    read_head,
    read_member,
    read_stdin,
    unpack_file,
)
from bayesrank._core.labels import suggest_file


@dataclass(frozen=True)
class LogSource:
    """A file of logs: its name for messages and its path, or why it cannot be read; neither if it is left out.

    Files keep the names of their folders, which may name their system. ``given`` is whether the
    user named the file itself, and not a folder, a pattern or an archive.
    """

    name: str
    path: Path | None = None
    problem: ArgumentError | None = None
    given: bool = False


def find_sources(paths: Any, folder: str, is_left_out: Callable[[str], bool]) -> list[LogSource]:
    """Return all files that ``paths`` name; compressed files and archives are unpacked to ``folder``."""
    seen: set[str] = set()
    result: list[LogSource] = []
    for source in (one for path in check_paths("paths", paths) for one in _matching(path, folder)):
        position = os.path.realpath(source.path or source.name)
        if position in seen:
            continue
        seen.add(position)
        size = os.path.getsize(position) if os.path.isfile(position) else 0
        result += _unpack(source, Path(folder, str(len(seen))), is_left_out, Room(size))
    return result


def _matching(text: str, folder: str) -> list[LogSource]:
    if text == "-":
        path = Path(folder, "-", "standard_input")
        data = read_stdin()
        with guard(STDIN):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        return [LogSource(STDIN, path, given=True)]
    if os.path.isdir(text):
        result = _list_folder(text)
        if not result:
            raise ArgumentError("paths", f"must name files; the folder {text} contains none")
        return result
    if os.path.lexists(text):
        return [LogSource(text, Path(text), given=True)]
    with guard(text):
        matching = sorted(glob.glob(text, recursive=True))
    if not matching:
        raise ArgumentFileError(
            "paths", "must name files that exist", f"{text!r}", suggest_file(text)
        )
    return [
        one
        for name in matching
        for one in (_list_folder(name) if os.path.isdir(name) else [LogSource(name, Path(name))])
    ]


def _list_folder(folder: str) -> list[LogSource]:
    files, problems = list_files(Path(folder))
    return [LogSource(str(file), file) for file in files] + [
        LogSource(str(problem.argument), None, problem) for problem in problems
    ]


def _unpack(
    source: LogSource, folder: Path, is_left_out: Callable[[str], bool], room: Room, layer: int = 0
) -> Iterator[LogSource]:
    """Yield a file, or the files in it; a file that cannot be unpacked has a problem instead of a path."""
    if is_left_out(source.name):
        yield LogSource(source.name)
    elif source.path is None:
        yield source
    else:
        try:
            path = _decompress(source.path, source.name, folder, room)
            head = read_head(path)
            if is_zip(head) and not is_workbook(head) and not is_log_archive(path, source.name):
                yield from _unpack_archive(source.name, path, folder, is_left_out, room, layer)
            else:
                yield LogSource(source.name, path, given=source.given)
        except ArgumentError as error:
            yield LogSource(source.name, None, error, source.given)


def _decompress(path: Path, name: str, folder: Path, room: Room) -> Path:
    """Return the path of a file without its layers of compression: its own if it has none."""
    if not is_compressed(read_head(path)):
        return path
    to = Path(folder, path.parent.name, path.stem if path.suffix.lower() in OPENERS else path.name)
    unpack_file(path, to, name, room)
    return to


def _unpack_archive(
    name: str, path: Path, folder: Path, is_left_out: Callable[[str], bool], room: Room, layer: int
) -> list[LogSource]:
    if layer == MAX_LAYERS:
        raise ArgumentFileError(name, f"must contain at most {MAX_LAYERS} nested archives")
    result: list[LogSource] = []
    with open_archive(path, name, room) as archive:
        members = list_members(archive)
        if any(
            Path(member).is_absolute() or ".." in Path(member).parts
            for member in archive.namelist()
        ):
            raise ArgumentFileError(
                name, "must refer only to files in its own folder", "a path that leaves it"
            )
        for number, (member, info) in enumerate(sorted(members.items())):
            label, to = f"{name}/{member}", Path(folder, "archive", path.stem, member)
            source = LogSource(label, to)
            if not is_left_out(label):
                try:
                    _write_member(archive, info, label, to, room)
                except ArgumentError as error:
                    source = LogSource(label, None, error)
            result += _unpack(source, Path(folder, str(number)), is_left_out, room, layer + 1)
    return result


def _write_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, to: Path, room: Room
) -> None:
    data = read_member(archive, member, name)
    room.take(len(data), name)
    with guard(name):
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(data)


def is_log_archive(path: Path, name: str) -> bool:
    """Return whether an archive is one log, as those of Inspect are, and not a collection of logs."""
    with open_archive(path, name) as archive:
        return bool({"_journal/start.json", "header.json"} & set(archive.namelist()))
