"""What a column may be by its name, read from the table of roles, and by its values beside the other columns."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bayesrank.io.tables.roles import (
    COSTS,
    ENTITY_NAMES,
    LONG_CASE_NAMES,
    LOW_IS_GOOD,
    METADATA,
    NUMBERED,
    PEOPLE,
    QUALIFIERS,
    RATES,
    STANDARD,
    TRUTH_NAMES,
    TRUTH_WORDS,
)

_BY_NAME = {name: role for role, names in STANDARD.items() for name in names}
#: Roles of votes and folds have tables of their own: elsewhere their headings mean nothing.
_ELSEWHERE = ("a", "b", "winner", "fold", "repeat")


def squeeze(name: Any) -> str:
    """Normalise a column name for comparisons: lower case, letters and digits only."""
    return _squeeze(str(name))


@lru_cache(2**16)  # every role and question asks for all names again
def _squeeze(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def role_of(name: Any) -> str | None:
    """Return the role of a column name, or None."""
    role = _BY_NAME.get(squeeze(name))
    return None if role in _ELSEWHERE else role


def is_metadata_name(name: Any) -> bool:
    """Return whether a column name is a known id, group or cost, and so unlikely to be an entity."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", str(name)).lower())
    named_id = len(words) > 1 and words[-1] in ("id", "ids", "index", "idx")
    is_listed = squeeze(name) in METADATA or role_of(name) in ("total", "mean", "count")
    return is_listed or bool(COSTS & set(words)) or named_id or is_row_number(name)


def may_name_units(name: Any) -> bool:
    """Return whether a heading is that of people, of questions or of other ids: rows of one of them are no cases."""
    word = squeeze(name)
    return (
        word in LONG_CASE_NAMES
        or word.removesuffix("id").removesuffix("s") in PEOPLE
        or word.endswith("id")
    )


def is_metric_name(name: Any) -> bool:
    """Return whether a heading is that of a score and of nothing else, such as F1 (macro) or metrics/precision(B)."""
    words = re.findall(r"[a-z]+\d*|\d+", re.sub(r"([a-z])([A-Z])", r"\1 \2", str(name)).lower())
    if not words:
        return False
    scores = squeeze(name) in RATES or any(word in RATES for word in words)
    return scores and all(word in RATES or word in QUALIFIERS or word.isdigit() for word in words)


def may_be_low(name: Any) -> bool:
    """Return whether low values of a score may be good by its name; those of neg_mean_squared_error are not."""
    return LOW_IS_GOOD.search(str(name)) is not None and not squeeze(name).startswith("neg")


def is_quantity_name(name: Any) -> bool:
    """Return whether a heading is that of a number of something, such as total or n_patients."""
    return (
        role_of(name) in ("count", "total")
        or re.match(r"(n|num|number)[_ ](of[_ ])?\w", str(name), re.I) is not None
    )


def is_row_number(name: Any) -> bool:
    """Return whether a heading is that of row numbers, as a table has that was written with its index."""
    unnamed = re.match(r"unnamed: ?\d|level_\d", str(name).strip(), re.I)
    return unnamed is not None or squeeze(name) in ("index", "idx", "row", "rownumber", "rownames")


def is_truth_name(name: Any, beside: Iterable[Any]) -> bool:
    """Return whether a column may hold the truth by its name; a letter among letters, as in a, b, c, d, does not."""
    word = squeeze(name)
    letters = len(word) == 1 and _are_letters(beside, word)
    words = set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", str(name)).lower()))
    return (word in TRUTH_NAMES and not letters) or bool(TRUTH_WORDS & words)


def _are_letters(names: Iterable[Any], word: str) -> bool:
    """Return whether there are headings beside ``word``, and all are letters."""
    others = {squeeze(name) for name in names} - {word}
    return bool(others) and all(len(other) == 1 for other in others)


def _stem_of(name: str) -> str:
    """Return a heading without the number or the letter at its end, as rater of rater_b; empty without one."""
    stem = name.strip().rstrip("0123456789")
    if stem == name.strip():
        stem = stem[:-1] if stem[-2:-1] in ("_", " ", "-", ".") else ""
    return squeeze(stem)


def unlike_the_others(names: Sequence[Any]) -> Any:
    """Return the only heading that is not numbered, as d in d, y1, y2; None without one."""
    bases = [_stem_of(str(name)) for name in names]
    bases = [base if len(base) == 1 or base in ENTITY_NAMES | NUMBERED else "" for base in bases]
    odd = [name for name, base in zip(names, bases, strict=True) if not base]
    return (
        odd[0] if len(odd) == 1 and len(names) > 2 and len(set(filter(None, bases))) == 1 else None
    )


def odd_columns(columns: Mapping[Any, np.ndarray]) -> dict[Any, str]:
    """Return the columns of outcomes (floats, NaN if missing) that are unlike the others, with reasons."""
    present = {
        name: held for name, values in columns.items() if (held := values[~np.isnan(values)]).size
    }
    others = {
        name: values for name, values in present.items() if not np.isin(values, (0.0, 1.0)).all()
    }
    # A constant 0 or 1 is no evidence that the other columns are right or wrong.
    binary = [name for name, values in present.items() if name not in others and np.ptp(values) > 0]
    if len(present) < 2 or not others:
        return {}
    if not binary:
        return _odd_numbers(present)
    result = {name: why for name, values in others.items() if (why := _why_not_binary(values))}
    if len(result) == len(others) > len(binary):
        # A minority of binary columns among numeric ones is odd, unless it fits their range.
        low, high = _range(others.values())
        fits = low <= 0 and high == 1
        return (
            {} if fits else dict.fromkeys(binary, f"0 and 1 beside values from {low:g} to {high:g}")
        )
    return result


def _why_not_binary(values: np.ndarray) -> str:
    """Explain why a column is unlike right and wrong answers; "" if it may hold partial credit."""
    low, high = _range([values])
    if low < 0 or high > 1:
        return f"values from {low:g} to {high:g} beside columns of 0 and 1"
    # Partial credit is mostly 0 and 1, or has a few levels.
    partial = np.isin(values, (0.0, 1.0)).mean() >= 0.5 or np.unique(values).size <= min(
        6, values.size // 2
    )
    return "" if partial else f"fractions from {low:g} to {high:g} beside columns of 0 and 1"


def _odd_numbers(known: Mapping[Any, np.ndarray]) -> dict[Any, str]:
    """Return the columns that number the rows, or exceed the few levels that all others share."""
    result = {}
    rows = {
        name
        for name, values in known.items()
        if values.size > 2 and (np.diff(np.sort(values)) == 1).all()
    }
    for name, values in known.items():
        rest = [held for other, held in known.items() if other != name]
        (least, most), (low, high) = _range([values]), _range(rest)
        graded = np.unique(np.concatenate(rest)).size <= 12 and all(
            np.unique(held).size < held.size for held in rest
        )
        if rows == {name} and least % 1 == 0:
            result[name] = f"the whole numbers from {least:g} to {most:g}, each once"
        elif graded and ((values < low) | (values > high)).mean() > 0.5:
            result[name] = (
                f"values from {least:g} to {most:g} beside values from {low:g} to {high:g}"
            )
    return result


def _range(columns: Iterable[np.ndarray]) -> tuple[float, float]:
    together = np.concatenate(list(columns))
    return float(together.min()), float(together.max())
