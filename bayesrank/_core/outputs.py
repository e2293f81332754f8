"""Write output files atomically, and never over a file of another kind, so that data files are safe."""

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from bayesrank._core.checks import check_path
from bayesrank._core.errors import ArgumentError, ArgumentFileError
from bayesrank._core.escape import quote_word

#: Marks that ``savefig`` writes into pictures of this package, by file ending. Without dates, equal
#: results are equal files.
PICTURE_MARKS: dict[str, dict[str, str | None]] = {
    ".png": {"Software": "bayesrank"},
    ".pdf": {"Creator": "bayesrank", "CreationDate": None},
    ".svg": {"Creator": "bayesrank", "Date": None},
}


def _page(generator: str) -> re.Pattern[bytes]:
    return re.compile(
        rb'\s*<!doctype html>.{0,400}<meta name="generator" content="%b">' % generator.encode(),
        re.S,
    )


#: File endings of each kind of output, and the patterns of their content.
KINDS = {
    "report": {".html": _page("bayesrank report")},
    "page": {".html": _page("bayesrank")},
    "record": {".json": re.compile(rb'\{\s*"schema_version": "')},
    # A board begins so, as its keys are sorted.
    "board": {".json": re.compile(rb'\{\s*"caps": \[[^]]*\],\s*"definitions": \{')},
    # A table has no mark by which to tell an earlier output from a file of the user.
    "table": {".csv": re.compile(rb"(?!)")},
    "picture": {
        ".png": re.compile(rb"\x89PNG\r\n\x1a\n.{0,400}Software\0bayesrank", re.S),
        ".pdf": re.compile(rb"%PDF-.*/Creator \(bayesrank\)", re.S),
        ".svg": re.compile(
            rb"<\?xml .{0,2000}<dc:creator>\s*<cc:Agent>\s*<dc:title>bayesrank</dc:title>", re.S
        ),
    },
}


def is_page_or_board(head: bytes) -> bool:
    """Return whether a file that begins with ``head`` is a report, another page or a board of this package."""
    return any(
        mark.match(head) for kind in ("report", "page", "board") for mark in KINDS[kind].values()
    )


def check_output(argument: str, path: str | os.PathLike[str], kind: str) -> Path:
    """Return the resolved path of an output file; raise an error unless it may be written.

    Its ending must fit the kind ("report", "page", "picture", "table"), its folder must exist and
    take new files, and it must be new, empty or an earlier output of this kind. ``argument`` names
    the path in messages.
    """
    requested, suffixes = check_path(argument, path), KINDS[kind]
    target = Path(os.path.realpath(requested))
    endings = {Path(requested).suffix.lower(), target.suffix.lower()}
    if not endings <= set(suffixes) or len(endings) > 1:
        raise ArgumentError(argument, f"must end in {', '.join(suffixes)}", _short(requested))
    if not target.parent.is_dir():
        raise ArgumentError(argument, "must lie in a folder that exists", _short(requested))
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise ArgumentFileError(
            argument,
            f"must lie in a folder that takes new files; {_short(os.fspath(target.parent))} is write-protected; type "
            "another folder",
        )
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return target
    except OSError as error:
        raise ArgumentFileError(
            argument, f"cannot be written to {_short(requested)}: {error.strerror}"
        ) from None
    if not target.is_file():
        raise ArgumentError(argument, "must be a file", f"{_short(requested)}; that is not a file")
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise ArgumentFileError(
            argument,
            f"must not replace {_short(requested)}, which is write-protected; type another name, "
            f"or chmod u+w {quote_word(requested)}",
        )
    size, content = status.st_size, suffixes[target.suffix.lower()]
    # An earlier output, or an empty file; larger files are no outputs of this package.
    if size > 2**28 or (size and not content.match(_read(argument, target))):
        raise ArgumentError(
            argument,
            f"must not replace {_short(requested)}"
            f"{f', which is not an earlier {kind} of bayesrank' * (kind != 'table')}; "
            "type another name, or move that file away",
        )
    return target


def _read(argument: str, target: Path) -> bytes:
    try:
        return target.read_bytes()
    except OSError as error:
        raise ArgumentFileError(argument, f"cannot be read: {error.strerror}") from None


def write_output(
    argument: str, path: str | os.PathLike[str], kind: str, content: str | bytes
) -> Path:
    """Write a file completely or not at all, if :func:`check_output` allows it."""
    target = check_output(argument, path, kind)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    temporary = target.with_name(f".bayesrank-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        # The module tempfile creates files that other users cannot read.
        with os.fdopen(
            os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666), "wb"
        ) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        retained = "; the file that was there is unchanged" if target.exists() else ""
        reason = f"cannot be written to {_short(os.fspath(path))}: {error.strerror}{retained}"
        raise ArgumentFileError(argument, reason) from None
    return target


def _short(path: str) -> str:
    return repr(path) if len(path) <= 120 else repr(f"...{path[-110:]}")
