"""Read files of users: recognised by content, within limits, and each failure is an error that names the file.

Every byte that the package reads from a user's path or from standard input passes through this
module.
"""

import csv
import io
import json
import os
import re
import stat
import sys
import threading
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from bayesrank._core.errors import ArgumentError, ArgumentFileError

#: The hidden file that aider writes for each exercise.
AIDER = ".aider.results.json"
#: What messages call the file -.
STDIN = "standard input"
#: Bytes of a file, and of all that it unpacks to. Parsed values take several times this memory.
MAX_BYTES = 2**30
#: Unpacked bytes for each packed byte. Logs have 5 to 30, tables of equal rows about 100, bombs
#: over 1,000.
MAX_RATIO = 250
#: Unpacked bytes that are always allowed, since they do no harm.
FREE_BYTES = 2**24
#: Members of an archive, and files of a folder. The largest public runs have about 20,000 files.
MAX_FILES = 100_000
#: Archives and compressed files within one another, such as a .gz in a .zip in a .zip.
MAX_LAYERS = 4
#: Digits of an integer in JSON. A float has at most 309 of them.
MAX_DIGITS = 300
#: Bytes that are read to recognise a file.
HEAD = 2**18
#: The first bytes of compressed files, and the module that opens them. Some builds of Python lack
#: bz2 or lzma.
OPENERS = {
    ".gz": (re.compile(rb"\x1f\x8b\x08"), "gzip"),
    ".bz2": (re.compile(rb"BZh[1-9]1AY&SY"), "bz2"),
    ".xz": (re.compile(rb"\xfd7zXZ\0"), "lzma"),
}
#: Errors of damaged data by gzip and lzma, by name.
BROKEN = ("BadGzipFile", "LZMAError")
#: Members of a workbook of Excel. Some programs write the first one last.
WORKBOOK = re.compile(
    rb"\[Content_Types\]\.xml|xl/(_rels|workbook|worksheets|theme|styles|sharedStrings)"
)
#: Zstandard in zip archives, which Python reads from version 3.14 on.
ZSTANDARD = 93
CHUNK = 2**20
#: The limit on fields of the csv module is a global variable.
FIELD_LIMIT = threading.Lock()


@contextmanager
def guard(name: str) -> Iterator[None]:
    """Turn any failure of reading one file into an ArgumentFileError that names it."""
    try:
        yield
    except (ArgumentError, ImportError, MemoryError):
        raise
    except Exception as error:
        raise ArgumentFileError(name, "must be a file that can be read", reason_of(error)) from None


def reason_of(error: Exception) -> str:
    """Return why a file could not be read, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, UnicodeError):
        return "bytes that are not text in UTF-8"
    if isinstance(error, RecursionError):
        return "brackets within brackets, too deep to be read"
    if (
        isinstance(error, EOFError | zlib.error | zipfile.BadZipFile)
        or type(error).__name__ in BROKEN
    ):
        return f"damaged data: {_first_line(error)}"
    return _first_line(error)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


# --- Bytes ----------------------------------------------------------------------------------------------------------


@contextmanager
def open_file(path: str | os.PathLike[str], name: str = "") -> Iterator[IO[bytes]]:
    """Open a regular file of at most ``MAX_BYTES``; ``name`` is the file in messages, by default its path."""
    name = name or os.fspath(path)
    with guard(name):
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device or a pipe"
            raise ArgumentFileError(name, "must be a file", kind, "- reads standard input")
        _check_size(name, status.st_size, MAX_BYTES)
        with open(path, "rb") as file:
            yield file


def read_bytes(path: str | os.PathLike[str], name: str = "") -> bytes:
    with open_file(path, name) as file:
        return file.read()


def read_stdin() -> bytes:
    """Return all of standard input, and leave it to be read again."""
    with guard(STDIN):
        if sys.stdin is None:
            raise ArgumentFileError(STDIN, "must be open", "closed")
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        _check_size(STDIN, len(data), MAX_BYTES)
        sys.stdin = io.TextIOWrapper(io.BytesIO(data))
        return data


class Room:
    """The bytes to which one file of the user may unpack, shared by the archives within it."""

    def __init__(self, size: int) -> None:
        self.size = min(MAX_BYTES, max(FREE_BYTES, MAX_RATIO * size))
        self.taken = 0

    def check(self, size: int, name: str) -> None:
        """Raise an error unless there is room for this number of bytes."""
        _check_size(name, self.taken + size, self.size, "unpack to")

    def take(self, size: int, name: str) -> None:
        self.check(size, name)
        self.taken += size


def read_unpacked(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for "-", without layers of compression."""
    with _open_unpacked(path) as (file, name, room):
        result = io.BytesIO()
        _copy(file, result, name, room)
        return result.getvalue()


def read_unpacked_head(path: str) -> bytes:
    """Return the first bytes of what :func:`read_unpacked` returns."""
    with _open_unpacked(path) as (file, _, _):
        return file.read(HEAD)


@contextmanager
def _open_unpacked(path: str) -> Iterator[tuple[IO[bytes], str, Room]]:
    if path == "-":
        data = read_stdin()
        with guard(STDIN):
            yield (
                _unpack(io.BufferedReader(cast(Any, io.BytesIO(data))), STDIN),
                STDIN,
                Room(len(data)),
            )
        return
    with open_file(path) as file:
        yield _unpack(file, path), path, Room(os.fstat(file.fileno()).st_size)


def _unpack(file: IO[bytes], name: str) -> IO[bytes]:
    """Return a stream without its layers of compression, which its first bytes show."""
    for _ in range(MAX_LAYERS):
        begin = cast(io.BufferedReader, file).peek(16)
        opener = next((module for magic, module in OPENERS.values() if magic.match(begin)), None)
        if opener is None:
            return file
        file = cast(IO[bytes], io.BufferedReader(import_module(opener).open(file)))
    raise ArgumentFileError(name, f"must be compressed at most {MAX_LAYERS - 1} times")


def _copy(file: IO[bytes], to: IO[bytes], name: str, room: Room, chunk: int = CHUNK) -> None:
    """Copy a stream that unpacks as it is read; raise as soon as there is no room for it."""
    while data := file.read(chunk):
        room.take(len(data), name)
        to.write(data)


def _check_size(name: str, size: int, room: int, verb: str = "have") -> None:
    if size > room:
        raise ArgumentFileError(
            name,
            f"must {verb} at most {room / 2**20:,.0f} MiB",
            "more",
            "split it, or leave out what is not needed",
        )


def read_head(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read(HEAD)


# --- Folders and archives -------------------------------------------------------------------------------------------


def list_files(folder: Path) -> tuple[list[Path], list[ArgumentFileError]]:
    """Return all files below a folder in order, and the errors of folders that could not be listed.

    Links to folders are followed once. Hidden files are left out.
    """
    problems: list[ArgumentFileError] = []
    found: list[Path] = []
    seen: set[str] = set()

    def add_problem(error: OSError) -> None:
        problems.append(
            ArgumentFileError(error.filename, "must be a folder that can be read", reason_of(error))
        )

    for position, folders, files in os.walk(folder, onerror=add_problem, followlinks=True):
        real = os.path.realpath(position)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not is_hidden(name))
        found += [Path(position, name) for name in files if not is_hidden(name)]
        if len(found) > MAX_FILES:
            raise ArgumentFileError(
                str(folder), f"must contain at most {MAX_FILES:,} files", "more"
            )
    return sorted(found), problems


def is_hidden(member: str) -> bool:
    """Return whether a file or one of its folders is hidden; aider hides the results of its benchmark."""
    parts = [part for part in member.split("/") if part != AIDER]
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def is_zip(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_workbook(data: bytes) -> bool:
    """Return whether bytes are a workbook of Excel; the beginning of the file is enough."""
    return is_zip(data) and bool(WORKBOOK.search(data[:HEAD]))


@contextmanager
def open_archive(path: Path, name: str, room: Room | None = None) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive whose directory claims at most ``MAX_FILES`` members, and no more bytes than there is room.

    By default the room is that of the file itself.
    """
    with guard(name), open_file(path, name) as file, zipfile.ZipFile(file) as archive:
        _check_members(archive, name, room or Room(path.stat().st_size))
        yield archive


def _check_members(archive: zipfile.ZipFile, name: str, room: Room) -> None:
    members = archive.infolist()
    if len(members) > MAX_FILES:
        raise ArgumentFileError(
            name, f"must contain at most {MAX_FILES:,} files", f"{len(members):,}"
        )
    room.check(sum(one.file_size for one in members), name)


def list_members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the visible files of an archive by name; of a name that occurs twice, the last one counts."""
    members = {one.filename: one for one in archive.infolist()}
    return {
        name: one for name, one in members.items() if not name.endswith("/") and not is_hidden(name)
    }


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    """Return a member of an archive; ``name`` is the member in messages."""
    with guard(name):
        if member.compress_type == ZSTANDARD and sys.version_info < (3, 14):
            return _read_zstandard(archive, member, name)
        # Members of the older methods unpack without a limit for each read, so that reads are
        # small.
        chunk = (
            CHUNK if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else 4096
        )
        result, room = io.BytesIO(), Room(member.compress_size)
        with archive.open(member) as file:
            _copy(file, result, name, room, chunk)
        return result.getvalue()


def _read_zstandard(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise ArgumentError(
            name,
            "must not be compressed by Zstandard, which Python reads from version 3.14 on: 'pip install zstandard' "
            "adds it, or 'inspect log convert --to json --output-dir json LOG' writes JSON",
        ) from None
    # The length of the member's own header is known only from that header.
    file = cast(IO[bytes], archive.fp)
    file.seek(member.header_offset + 26)
    skip = int.from_bytes(file.read(2), "little") + int.from_bytes(file.read(2), "little")
    file.seek(member.header_offset + 30 + skip)
    packed = io.BytesIO(file.read(member.compress_size))
    data = zstandard.ZstdDecompressor().stream_reader(packed).read(member.file_size)
    if zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile("the checksum is wrong")
    return data


def unpack_file(path: Path, to: Path, name: str, room: Room) -> None:
    """Write a file without its layers of compression."""
    with open_file(path, name) as file:
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("wb") as target:
            _copy(_unpack(file, name), target, name, room)


def is_compressed(head: bytes) -> bool:
    return any(magic.match(head) for magic, _ in OPENERS.values())


# --- Text -----------------------------------------------------------------------------------------------------------


def decode(data: bytes, name: str) -> str:
    """Return text in UTF-8, without a byte order mark."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ArgumentFileError(name, "must be text in UTF-8; it is UTF-16", hint="convert it")
    with guard(name):
        return data.decode("utf-8-sig")


def parse_json(text: str, name: str) -> Any:
    """Return the value of JSON text."""
    with guard(name):
        try:
            return json.loads(text, parse_int=lambda digits: _parse_integer(digits, name))
        except json.JSONDecodeError as error:
            raise ArgumentFileError(
                name, f"must be complete JSON; it ends early in line {error.lineno} ({error.msg})"
            ) from None


def _parse_integer(digits: str, name: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ArgumentFileError(
            name, f"must contain numbers of at most {MAX_DIGITS} digits", f"{len(digits):,} digits"
        )
    return int(digits)


def parse_csv(text: str, name: str, delimiter: str = ",") -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, with the numbers of the lines on which they end."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    with FIELD_LIMIT:
        before = csv.field_size_limit(MAX_BYTES)
        try:
            return [(reader.line_num, row) for row in reader if any(field.strip() for field in row)]
        except csv.Error:
            raise ArgumentFileError(
                f"{name}, line {reader.line_num}:",
                "must close each quotation mark, and have nothing between "
                "the closing one and the next separator",
            ) from None
        finally:
            csv.field_size_limit(before)


def split_line(line: str) -> list[str]:
    """Return the fields of one line of separated values; none if the line is no whole row."""
    try:
        return next((row for _, row in parse_csv(line, "")), [])
    except ArgumentError:
        return []


def read_workbook(data: bytes, name: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a workbook that are not blank, as text, with their numbers."""
    try:
        import openpyxl
    except ImportError:
        raise ArgumentFileError(
            name,
            "must be text, or a workbook that openpyxl reads; openpyxl is not installed",
            hint="'pip install openpyxl' adds it; or, in Excel, save the sheet as \"CSV UTF-8\"",
        ) from None

    def read_sheets(values: bool) -> dict[str, list[tuple[Any, ...]]]:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=values)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # programs write wrong ones
        return {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book.worksheets}

    # openpyxl warns of missing styles and unknown extensions, which have no effect on values.
    with guard(name), warnings.catch_warnings(action="ignore"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_members(archive, name, Room(len(data)))
        # A formula has a value only if the program that saved the workbook computed it.
        written = {
            title: rows for title, rows in read_sheets(False).items() if any(map(_is_filled, rows))
        }
        if len(written) != 1:
            sheets_text = f"{len(written)}: {', '.join(written)}" if written else "none"
            raise ArgumentFileError(
                name,
                "must have one sheet with cells",
                sheets_text,
                "save that sheet in a file of its own",
            )
        [title] = written
        values = read_sheets(True)[title]
    rows = []
    for number, (row, formulas) in enumerate(zip(values, written[title], strict=True), 1):
        _refuse_formulas_without_values(row, formulas, f"{name}, line {number}:")
        if _is_filled(row):
            rows.append((number, [_cell_text(value) for value in row]))
    width = max(len(row) for _, row in rows)
    return [(number, row + [""] * (width - len(row))) for number, row in rows]


def _refuse_formulas_without_values(
    row: tuple[Any, ...], formulas: tuple[Any, ...], where: str
) -> None:
    """Raise an error if the program that wrote a workbook computed no value of a formula."""
    cells = zip(row, formulas, strict=True)
    if any(value is None and formula is not None for value, formula in cells):
        raise ArgumentFileError(
            where,
            "must contain values",
            "a formula without one",
            "open the workbook in Excel and save it",
        )


def _is_filled(row: Sequence[Any]) -> bool:
    return any(value is not None for value in row)


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
