"""Values of table fields: counts, outcomes and labels, and hints for fields that are none of these."""

import math
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from bayesrank._core.checks import EXACT, is_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import STANDING_PAIRS

#: Words for (wrong, right); a column uses a single pair.
VERDICTS = (
    *(
        ("false", "true"),
        ("no", "yes"),
        ("n", "y"),
        ("fail", "pass"),
        ("failed", "passed"),
        ("i", "c"),
        ("f", "t"),
    ),
    *(
        ("incorrect", "correct"),
        ("wrong", "correct"),
        ("wrong", "right"),
        ("failure", "success"),
        ("✗", "✓"),
    ),
    *(("✘", "✔"), ("unsolved", "solved"), ("unresolved", "resolved"), ("not resolved", "resolved")),
)
MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "–", "—", "?", ".", "missing"}
#: Texts that pandas reads as missing; they cannot be labels.
NO_LABELS = {"NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"}
GROUPED = re.compile(r"\d{1,3}([ ,.'’ ]\d{3})+")
#: A count as text: digits, also with ".0" or ".00". 1.000 and 1_000 are ambiguous (thousands
#: separators).
COUNT = re.compile(r"(\d{1,16})(?:\.0{1,2})?")
#: Codes that look like numbers: the labels 01 and 1 differ.
CODE = re.compile(r"[+-]?0\d|\+|.*_")
#: Numbers that stand for missing answers in some files; positive ones are this many times the largest
#: value.
MISSING_CODES, FAR = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0), 9
#: Percentages of folds are at least so high; grades are lower.
LEAST_PERCENT = 10
COMMA = re.compile(r"[+-]?\d*,\d+")


#: Types of fields whose equal values mean the same, apart from numbers of several types (1 and True).
SIMPLE, NUMBERS = {str, int, float, bool, type(None)}, {int, float, bool}


def distinct_fields(column: Sequence[Any]) -> list[Any]:
    """Return the distinct fields of a column; all fields if equal ones can differ in meaning."""
    types = set(map(type, column))
    if types <= SIMPLE and len(types & NUMBERS) <= 1:
        return list(dict.fromkeys(column))
    return list(column)


def map_fields(function: Callable[[Any], Any], column: Sequence[Any]) -> list[Any]:
    """Return what a function makes of each field, from one call for each distinct field."""
    fields = distinct_fields(column)
    if len(fields) == len(column):
        return [function(value) for value in column]
    results = {value: function(value) for value in fields}
    return [results[value] for value in column]


def plain(value: Any) -> Any:
    """Return a text with normalised blanks; other values unchanged."""
    return " ".join(value.split()) if isinstance(value, str) else value


def is_missing(value: Any, words: bool = False) -> bool:
    """Return whether a field is empty or, with ``words``, says so, as "NA" does."""
    if isinstance(value, str):
        return value.strip().lower() in MISSING if words else not value.strip()
    return value is None or bool(isinstance(value, float | np.floating) and math.isnan(value))


def to_number(value: Any) -> float | None:
    """Return the finite number in a field (true is 1, false 0), or None."""
    if isinstance(value, bool | np.bool_):
        return float(value)
    if is_number(value):
        return float(value) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    if value.strip().lower() in ("true", "false"):
        return float(value.strip().lower() == "true")
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in value else None


def to_share(value: Any) -> float | None:
    """Return the number in a field, where 90% is 0.9."""
    percent = isinstance(value, str) and value.strip().endswith("%")
    number = to_number(value.strip()[:-1]) if percent else to_number(value)
    return number / 100 if percent and number is not None else number


def is_percent(column: Sequence[Any]) -> bool:
    """Return whether a column has numbers with a percent sign."""
    return any(isinstance(value, str) and value.strip().endswith("%") for value in column)


def as_count(value: Any) -> int | None:
    """Return the count in a field, or None."""
    if isinstance(value, str):
        digits = COUNT.fullmatch(value)
        number = None if digits is None else float(int(digits[1]))
    else:
        number = None if isinstance(value, bool | np.bool_) else to_number(value)
    return int(number) if number is not None and 0 <= number < EXACT and number % 1 == 0 else None


def count_hint(value: Any) -> str:
    """Describe what a field holds instead of a count, and what to type; "" if unknown."""
    text = str(value).strip()
    number = to_number(text.replace(",", ".", 1) if COMMA.fullmatch(text) else text)
    kind = "a rate" if number is not None and 0 < number < 1 else ""
    if "%" in text:
        kind = "a percentage"
    elif "±" in text or "+-" in text or "+/-" in text or re.search(r"\d\s*[\[(]", text):
        kind = "an estimate with its error"
    elif GROUPED.fullmatch(text) and not text.startswith("0"):
        return f"a number with separators: write '{re.sub('[^0-9]', '', text)}'"
    return f"{kind}: write how many cases, such as 45 of 50" if kind else ""


def as_outcomes(column: Sequence[Any]) -> list[Any]:
    """Return outcomes as floats, None for missing ones; other values stay unchanged.

    Words for right and wrong are 1 and 0 if all words of the column belong to one pair. A comma is
    a decimal comma if no field of the column allows another reading.
    """
    if set(map(type, column)) <= {int, float, bool, type(None)}:
        return map_fields(
            lambda v: None if v is None else float(v) if math.isfinite(v) else v, column
        )
    texts = {
        value.strip().lower()
        for value in distinct_fields(column)
        if isinstance(value, str) and not is_missing(value, words=True)
    }
    words = {text for text in texts if to_number(text) is None}
    pair = next((pair for pair in VERDICTS if words and words <= set(pair)), None)
    commas = (
        bool(words)
        and all(COMMA.fullmatch(word) for word in words)
        and not any("." in text for text in texts)
    )
    commas = commas and any(
        len(word.split(",")[1]) != 3 or word.split(",")[0] in ("0", "-0", "") for word in words
    )

    def read(value: Any) -> Any:
        # "n" (no) is a verdict, not a missing answer.
        text = value.strip().lower() if isinstance(value, str) else ""
        if pair is not None and text in pair:
            return float(text == pair[1])
        if is_missing(value, words=True):
            return None
        number = float(text.replace(",", ".")) if commas and text in words else to_number(value)
        # In a column with words for right and wrong, numbers must be 0 or 1.
        return value if number is None or (pair is not None and number not in (0, 1)) else number

    return map_fields(read, column)


def are_scores(values: Collection[float]) -> bool:
    """Return whether numbers are fractions, or percentages with decimals, as scores of folds are."""
    if not values:
        return False
    low, high = min(values), max(values)
    decimals = sum(value % 1 != 0 for value in values) > len(values) / 2
    return low > 0 and (high < 1 or (low >= LEAST_PERCENT and high < 100 and decimals))


def missing_code(values: Collection[float]) -> float | None:
    """Return the number that may stand for a missing answer: far from all others, or negative among none such."""
    for code in MISSING_CODES:
        rest = [value for value in values if value != code]
        if code not in values or len(rest) < 2 or min(rest) < 0:
            continue
        if code < 0 or (max(rest) * FAR <= code and all(value % 1 == 0 for value in rest)):
            return code
    return None


def check_exact(values: Sequence[Any]) -> None:
    large = [
        v
        for v in values
        if isinstance(v, int | np.integer) and not isinstance(v, bool) and abs(int(v)) > EXACT
    ]
    if large:
        raise ArgumentError(
            "outcome",
            "must contain whole numbers up to 2**53, beyond which digits are lost",
            large[0],
        )


def as_label_columns(*columns: Sequence[Any]) -> list[list[Any]]:
    """Return columns of labels with one type: all numbers, all booleans, or text; None if missing."""
    labels = [
        map_fields(lambda v: None if is_missing(v) or v in NO_LABELS else plain(v), column)
        for column in columns
    ]
    values = [value for column in labels for value in distinct_fields(column) if value is not None]
    codes = any(isinstance(value, str) and CODE.match(value) for value in values)
    for kind in (_parse_boolean,) if codes else (_parse_boolean, _parse_integer, _parse_number):
        kinds = {repr(value): kind(value) for value in values}
        if values and None not in kinds.values():
            return [
                [None if value is None else kinds[repr(value)] for value in column]
                for column in labels
            ]
    texts = sorted({value for value in values if isinstance(value, str)})
    lower = [text.lower() for text in texts]
    twice = next((text for text in sorted(set(lower)) if lower.count(text) > 1), None)
    if twice is None:
        return labels
    if any(set(lower) <= set(pair) for pair in STANDING_PAIRS):
        return [
            [value.lower() if isinstance(value, str) else value for value in column]
            for column in labels
        ]
    first, second = [text for text in texts if text.lower() == twice][:2]
    raise ArgumentError(
        "labels",
        "must be written in the same way",
        f"{first!r} and {second!r}",
        f"write {second!r} in both places",
    )


def _parse_boolean(value: Any) -> bool | None:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return (
        value.lower() == "true"
        if isinstance(value, str) and value.lower() in ("true", "false")
        else None
    )


def _parse_integer(value: Any) -> int | None:
    if isinstance(value, str) and value.removeprefix("-").isdecimal():
        return int(value)
    number = _parse_number(value)
    return (
        None if number is None or number % 1 else int(value if isinstance(value, int) else number)
    )


def _parse_number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if isinstance(value, bool | np.bool_) or not math.isfinite(number) else number
