"""Proposals: which columns of a table, or fields of a log, may name the entity, the case and the outcome of a row.

A proposal is printed, and read only when a user types it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Any

from bayesrank.io.tables.columns import (
    is_metric_name,
    is_quantity_name,
    is_truth_name,
    role_of,
    squeeze,
)
from bayesrank.io.tables.roles import METRIC_HEADINGS, METRIC_WORDS, PROPOSED
from bayesrank.io.tables.values import as_outcomes, to_number

#: The share of names with such a word from which all of them are metrics.
METRIC_SHARE = 0.5
#: Roles of a mapping, in the order in which they are typed; the names are those of the table of
#: roles.
MAPPED = ("case", "entity", "outcome", "dataset", "run", "cluster", "category", "cost")
#: The penalty and the mapping where nothing fits.
NOTHING: tuple[float, dict[str, str]] = (float("inf"), {})


@dataclass(frozen=True, eq=False)
class Option:
    """A column that may have a role."""

    name: str
    values: tuple[Any, ...]
    penalty: float

    @cached_property
    def size(self) -> int:
        return len(set(self.values))


def are_metrics(names: Iterable[Any]) -> bool:
    """Return whether names are those of metrics, such as successes and sum_rewards."""
    words = {re.sub("(?<=[a-z])(?=[A-Z])", "_", str(name)) for name in names}
    return sum(bool(METRIC_WORDS.search(name)) for name in words) >= METRIC_SHARE * max(
        len(words), 1
    )


def could_be_score(name: str, values: Sequence[Any]) -> bool:
    """Return whether a column may hold outcomes: right and wrong, or numbers under the name of a score."""
    outcomes = as_outcomes(list(values))
    numbers = [value for value in outcomes if isinstance(value, float)]
    if (
        any(value is not None and not isinstance(value, float) for value in outcomes)
        or len(set(numbers)) < 2
    ):
        return False
    return set(numbers) <= {0.0, 1.0} or telling("outcome", name) == 0


def is_beside_answers(name: str) -> bool:
    """Return whether a field is a label, a count or a vote by its name: no entity, case or outcome."""
    last = name.rpartition(".")[2]
    if any(squeeze(last) in names for names in PROPOSED.values()):
        return False
    is_listed = (
        role_of(last) in ("actual", "predicted")
        or is_quantity_name(last)
        or squeeze(last).startswith("winner")
    )
    return is_listed or is_truth_name(last, ())


@cache
def telling(role: str, name: str) -> float:
    """Return 0 for the name of a field that is usual for a role, and more for others."""
    parts = name.split(".")
    words = [squeeze(part) for part in (parts[-1], *parts[-2:-1])]
    for i, word in enumerate(words):
        if any(
            word == known or (len(known) > 3 and word.startswith(known)) for known in PROPOSED[role]
        ):
            return 0.3 * i
    return 1.0


def propose_long(
    columns: Mapping[str, Sequence[Any]], outcome: str, several: bool = False
) -> tuple[float, dict[str, str]] | None:
    """Return the penalty and the roles of a table with a row for each entity and case; None if none fit.

    ``columns`` are those beside ``outcome``; ``@row`` and ``@file`` name rows and files.
    ``several`` is whether there are several files.
    """
    rows = max((len(column) for column in columns.values()), default=0)
    options = [
        Option(name, tuple(map(str, column)), {"@row": 2.0, "@file": 0.5}.get(name, 0.0))
        for name, column in columns.items()
        if not is_beside_answers(name)
        and not any(isinstance(value, list | dict) or value in (None, "") for value in column)
    ]
    score = 2 * telling("outcome", outcome)
    systems = [one for one in options if (1 < one.size < rows or (several and one.name == "@file"))]
    systems = [one for one in systems if one.name == "@file" or _could_be_entity(one)]
    # One file without an entity is a log of one entity.
    alone = not systems and score == 0 and any(telling("case", one.name) < 1 for one in options)
    systems = [one for one in options if one.name == "@file"] if alone else systems
    if several and not any(
        one.name != "@file" and telling("entity", one.name) == 0 for one in systems
    ):
        systems = [one for one in systems if one.name == "@file"]
    extras = {
        role: [one for one in options if telling(role, one.name) == 0 and one.size > 1]
        for role in ("dataset", "run")
    }
    best: tuple[float, dict[str, str]] | None = None
    for system, case in product(systems, options):
        if case is system or case.size < 2 or case.name == "@file":
            continue
        for extra in ((), ("dataset",), ("run",), ("dataset", "run")):
            completed = _complete(system, case, extra, extras, rows)
            if completed is None:
                continue
            penalty, roles = completed
            penalty += score + (system.size > case.size)
            roles["outcome"] = outcome
            if alone:
                del roles["entity"]
            if best is None or penalty < best[0]:
                best = penalty, {role: roles[role] for role in MAPPED if role in roles}
            break
    return best


def _could_be_entity(option: Option) -> bool:
    """Return whether a field may name entities; numbers do so only in a field that says so, else they are outcomes."""
    says_so = telling("entity", option.name) == 0
    return not (_names_metrics(option) or _names_cases(option)) and (
        says_so or None in map(to_number, option.values)
    )


def _names_cases(option: Option) -> bool:
    """Return whether a field names cases, data sets or runs, and no entities."""
    of = [telling(role, option.name) == 0 for role in ("entity", "case", "dataset", "run")]
    return any(of[1:]) and not of[0]


def _names_metrics(option: Option) -> bool:
    """Return whether a field is a metric, or its values are names of metrics; neither names entities."""
    last = option.name.rpartition(".")[2]
    return (
        squeeze(last) in METRIC_HEADINGS
        or is_metric_name(last)
        or are_metrics([last])
        or are_metrics(option.values)
    )


def _complete(
    system: Option,
    case: Option,
    extra: tuple[str, ...],
    extras: Mapping[str, list[Option]],
    rows: int,
) -> tuple[float, dict[str, str]] | None:
    """Return the penalty and the roles of an entity and a case that name each row once, with ``extra`` roles."""
    roles = {"case": case.name, "entity": system.name}
    keys: list[tuple[Any, ...]] = [case.values, system.values]
    for role in extra:
        named = [one for one in extras[role] if one is not system and one is not case]
        if not named:
            return None
        roles[role] = named[0].name
        keys.append(named[0].values)
    if len(set(zip(*keys, strict=True))) < rows:
        return None
    crossed = rows / (system.size * len(set(zip(*[keys[0], *keys[2:]], strict=True))))
    penalty = system.penalty + case.penalty + 0.2 * len(extra) + 2 * (1 - min(crossed, 1.0))
    for role, one in (("entity", system), ("case", case)):
        penalty += 0.4 if one.name.startswith("@") else telling(role, one.name)
    return penalty, roles
