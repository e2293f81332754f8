"""Escape names from files in every output, so that control characters, text direction and formulas have no effect."""

import re
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from unicodedata import category

if TYPE_CHECKING:
    import pandas as pd

#: Control and format characters, line separators and surrogates.
INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
#: Joiners, which scripts and emoji need, and direction marks, which affect no other letters.
NEEDED = "\u200c\u200d\u200e\u200f"
#: Markup characters of Markdown.
MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&#])")
#: The sign before a name that notifies a person; in an address such as a@b it does not.
MENTION = re.compile(r"(?<!\w)@(?=\w)")
#: Special characters of LaTeX in text; brackets and stars could become arguments of a line break.
LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "–": r"\textendash{}",
}
#: First characters of spreadsheet formulas, narrow and wide.
FORMULA = "=+-@＝＋－＠"
NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")


def escape_invisible(text: str, keep: str = "") -> str:
    """Escape control characters, escape sequences and bidirectional overrides."""
    if text.isprintable():
        return text
    codes = {
        ord(letter): letter.encode("unicode_escape").decode()
        for letter in set(text).difference(keep)
        if _is_invisible(letter)
    }
    return text.translate(codes) if codes else text


def quote_word(text: str) -> str:
    """Return a word as a shell takes it, on one line: invisible characters are escaped, as bash and zsh read them."""
    if not any(_is_invisible(letter) for letter in text):
        return shlex.quote(text)
    return f"$'{''.join(_shell_escape(letter) for letter in text)}'"


def _shell_escape(letter: str) -> str:
    code = ord(letter)
    if letter in "\\'":
        return f"\\{letter}"
    if not _is_invisible(letter):
        return letter
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return (
        f"\\x{code:02x}" if code < 128 else f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"
    )


def escape_lines(lines: Iterable[str]) -> list[str]:
    """Escape sentences with :func:`escape_invisible`."""
    return [escape_invisible(line) for line in lines]


def csv_cell(value: Any) -> Any:
    """Put an apostrophe before a text that spreadsheets would run as a formula; numbers stay.

    :func:`csv_text` returns the text, also if it begins with apostrophes itself.
    """
    if not isinstance(value, str):
        return value
    return (
        f"'{escape_invisible(value)}" if _is_formula(value.lstrip("'")) else escape_invisible(value)
    )


def csv_text(cell: str) -> str:
    """Return the text of which :func:`csv_cell` made a cell."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell.lstrip("'")) else cell


def _is_formula(text: str) -> bool:
    begin = text.lstrip()[:1]
    return bool(
        (begin and begin in FORMULA) or text[:1] in ("\t", "\r", "\n")
    ) and not NUMBER.fullmatch(text)


def csv_table(frame: "pd.DataFrame", index: bool = True) -> str:
    """Return a table as CSV with all digits, and its index unless told; texts are escaped by :func:`csv_cell`."""
    safe = frame.set_axis([csv_cell(name) for name in frame.columns], axis=1)
    safe.index = frame.index.astype(object).map(csv_cell)
    for name in [name for name in safe if safe[name].dtype.kind not in "biufc"]:
        safe[name] = safe[name].map(csv_cell)
    return str(safe.to_csv(index=index, lineterminator="\n"))


def json_text(text: str) -> str:
    """Escape invisible characters in JSON, so that programs read the same names."""
    return "".join(
        _utf16(letter) if letter != "\n" and _is_invisible(letter) else letter for letter in text
    )


def markdown_text(text: str) -> str:
    """Escape Markdown markup; a zero-width space in a mention such as @name keeps it from notifying people."""
    return MENTION.sub("@&#8203;", MARKDOWN.sub(r"\\\1", escape_invisible(" ".join(text.split()))))


def latex_text(text: str) -> str:
    """Escape LaTeX markup; two hyphens stay two."""
    line = escape_invisible(" ".join(text.split()))
    return re.sub("-(?=-)", "-{}", "".join(LATEX.get(sign, sign) for sign in line))


def mathtext(text: str) -> str:
    return escape_invisible(text).replace("$", r"\$")


def _is_invisible(letter: str) -> bool:
    return not letter.isprintable() and category(letter) in INVISIBLE and letter not in NEEDED


def _utf16(letter: str) -> str:
    """Return the JSON escape of a letter, two escapes beyond the first plane."""
    halves = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{halves[i : i + 2].hex()}" for i in range(0, len(halves), 2))
