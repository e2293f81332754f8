"""Any other log of cases: JSON, JSON lines and separated values under any names, read by a mapping that the user types.

A field is the path of a value, its names with dots between them: ``run.model``. Lists and tables by key have no name in
it: their positions are ``@row``, their keys ``@key`` and ``@key2``, and the name of the file is ``@file``.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._checks import describe_value
from bayesrank._errors import ArgumentError
from bayesrank._inputs import decode, parse_csv, read_bytes
from bayesrank._text import list_names
from bayesrank.logs.formats._common import begin_of, read_json, read_lines
from bayesrank.tables.columns import is_quantity_name, is_truth_name, role_of, squeeze
from bayesrank.tables.roles import METRIC_HEADINGS, METRIC_WORDS, PROPOSED
from bayesrank.tables.values import as_outcomes, to_number

TITLE = "cases under other names, by a mapping"
#: Roles that a mapping may have, and the columns that they fill.
ROLES = {
    "case": "case", "system": "entity", "score": "outcome", "dataset": "dataset", "run": "run", "cluster": "cluster",
    "category": "category", "cost": "cost",
}  # fmt: skip
NEEDED = ("case", "score")
#: Steps of a path without a name: into a list, and into a table by key.
ROW, KEY = "[]", "{}"
DELIMITERS = ",\t;|"
#: The share of names with such a word from which all of them are metrics.
METRIC_SHARE = 0.5
#: A table by key has values alike: this share of their keys is common. Fewer bare values are fields of one record.
COMMON, BARE = 0.5, 8

Path_ = tuple[str, ...]


@dataclass
class Fields:
    """The values of a file: by path with its steps, and by the positions and keys that the steps took."""

    file: str
    values: dict[Path_, dict[tuple, Any]] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the fields, and the positions and keys that a mapping may use."""
        depth = max((path.count(KEY) for path in self.values), default=0)
        keys = ["@key" if i == 1 else f"@key{i}" for i in range(1, depth + 1)]
        return [*dict.fromkeys(map(name_of, self.values)), *keys, "@row", "@file"]

    def column(self, name: str, rows: list[tuple], path: Path_) -> list[Any] | None:
        """Return a field in the rows of ``path``, which have it on their own level or on one above; None without it."""
        steps = [step for step in path if step in (ROW, KEY)]
        if name == "@file":
            return [self.file] * len(rows)
        if name.startswith(("@key", "@row")):
            wanted = KEY if name.startswith("@key") else ROW
            places = [i for i, step in enumerate(steps) if step == wanted]
            which = int(name[4:] or 1) - 1 if wanted == KEY else len(places) - 1
            return [row[places[which]] for row in rows] if 0 <= which < len(places) else None
        fitting = [other for other in self.values if name_of(other) == name and _holds(other, path)]
        if not fitting:
            return None
        best = max(fitting, key=len)
        held, depth = self.values[best], sum(step in (ROW, KEY) for step in best)
        return [held.get(row[:depth]) for row in rows]


def name_of(path: Path_) -> str:
    return ".".join(step for step in path if step not in (ROW, KEY)) or "value"


def _holds(other: Path_, path: Path_) -> bool:
    """Return whether a value of ``other`` belongs to each row of ``path``: it has the same steps, or fewer."""
    last = max((i for i, step in enumerate(other) if step in (ROW, KEY)), default=-1)
    return other[: last + 1] == path[: last + 1]


def looks_mappable(head: str) -> bool:
    """Return whether a file begins as JSON, or as a table of separated values with a heading and a row."""
    text = head.lstrip(" \r\n")
    if text[:1] in ("{", "["):
        return True
    lines = [line for line in text.splitlines()[:2] if line.strip()]
    mark = _delimiter(lines[0]) if lines else ""
    return len(lines) == 2 and bool(mark) and lines[0].count(mark) == lines[1].count(mark) and text[:1] not in "<%#"


def _delimiter(heading: str) -> str:
    often = max(DELIMITERS, key=heading.count)
    return often if often in heading else ""


def read_fields(path: Path, file: str, typed: Iterable[str] = ()) -> Fields:
    """Return all values of a file by their paths.

    Names that a user typed, such as verifier.reward, are ``typed``: their steps are fields, and not keys of a table.
    """
    found = Fields(file)
    keyed: dict[Path_, bool] = {}
    beginnings = {name[:end] for name in typed for end in (*(m.start() for m in re.finditer(r"\.", name)), len(name))}
    if begin_of(path)[:1] in ("{", "["):
        try:
            document = read_json(path)
        except ArgumentError:
            document = list(read_lines(path))
    else:
        text = decode(read_bytes(path, path.name), path.name)
        (_, heading), *rows = parse_csv(text, path.name, _delimiter(text.split("\n", 1)[0]) or ",")
        document = [dict(zip(heading, row, strict=False)) for _, row in rows]
    for way, place, value in _walk(document, (), (), keyed, beginnings):
        found.values.setdefault(way, {})[place] = value
    return found


def _walk(
    node: Any, way: Path_, place: tuple, keyed: dict[Path_, bool], typed: set[str]
) -> Iterator[tuple[Path_, tuple, Any]]:
    if isinstance(node, Mapping):
        node = _as_rows(node)
    if isinstance(node, list):
        for i, item in enumerate(node):
            yield from _walk(item, (*way, ROW), (*place, i), keyed, typed)
    elif isinstance(node, Mapping):
        if way not in keyed:
            keyed[way] = _is_keyed(node) and not any(name_of((*way, str(key))) in typed for key in node)
        for key, item in node.items():
            if keyed[way]:
                yield from _walk(item, (*way, KEY), (*place, str(key)), keyed, typed)
            elif str(key).strip():
                yield from _walk(item, (*way, str(key)), place, keyed, typed)
    else:
        yield way, place, node


def _as_rows(node: Mapping) -> Any:
    """Return the rows of a table that is written column by column, with columns of different types; else the node."""
    columns = list(node.values())
    dicts = len(columns) > 1 and all(isinstance(c, Mapping) and len(c) > 1 for c in columns)
    lists = len(columns) > 1 and all(isinstance(c, list) and len(c) > 1 for c in columns)
    if not (dicts or lists):
        return node
    cells = [list(c.values()) if dicts else c for c in columns]
    plain = all(not isinstance(value, Mapping | list) for c in cells for value in c)
    same = len({tuple(c) if dicts else len(c) for c in columns}) == 1
    kinds = {frozenset(type(value) for value in c) & {str} for c in cells}
    if not (plain and same and len(kinds) > 1):
        return node
    return [dict(zip(node, row, strict=True)) for row in zip(*cells, strict=True)]


def _are_metrics(names: Iterable[Any]) -> bool:
    """Return whether names are those of metrics, such as successes and sum_rewards."""
    words = {re.sub("(?<=[a-z])(?=[A-Z])", "_", str(name)) for name in names}
    return sum(bool(METRIC_WORDS.search(name)) for name in words) >= METRIC_SHARE * max(len(words), 1)


def _is_keyed(node: Mapping) -> bool:
    """Return whether the keys of an object are names of systems or cases, and not of fields: its values are alike."""
    values = list(node.values())
    if len(values) < 2 or _are_metrics(node):
        return False
    if all(isinstance(value, Mapping) for value in values):
        keys = [set(map(str, value)) for value in values]
        return len(set.intersection(*keys)) >= COMMON * len(set.union(*keys)) > 0
    if all(isinstance(value, list) for value in values):
        return True
    bare = not any(isinstance(value, Mapping | list) for value in values)
    return len(values) >= BARE and bare and set(as_outcomes(values)) <= {0.0, 1.0}


def parse_map(text: Any, argument: str) -> dict[str, str]:
    """Return a mapping from roles to fields, given as such or as text: "case=qid,system=run.model,score=acc"."""
    if isinstance(text, str):
        pairs = [part.partition("=") for part in next(csv.reader(io.StringIO(text), skipinitialspace=True), [])]
        given = {role.strip(): name.strip() for role, _, name in pairs}
    elif isinstance(text, Mapping):
        given = {str(role): str(name) for role, name in text.items()}
    else:
        raise ArgumentError(argument, "must be a mapping from roles to fields", describe_value(text))
    odd = [role for role in given if role not in ROLES]
    empty = [role for role, name in given.items() if not name]
    lacking = [role for role in NEEDED if role not in given]
    if odd or empty or lacking:
        raise ArgumentError(
            argument,
            f"must give case, system and score a field, and may give {', '.join(list(ROLES)[3:])} one: "
            "case=FIELD,system=FIELD,score=FIELD",
            f"{text!r}",
        )
    return given


def fields_of(given: Mapping[str, str]) -> list[str]:
    """Return the fields that a mapping names."""
    return [name for field in given.values() for name in (field, *field.split("+")) if not name.startswith("@")]


def write_map(given: Mapping[str, str]) -> str:
    """Return a mapping as it is typed."""
    pairs = [f"{role}={name}" for role, name in given.items()]
    return ",".join(f'"{pair}"' if "," in pair else pair for pair in pairs)


def read_rows(fields: Fields, given: Mapping[str, str], argument: str) -> pd.DataFrame:
    """Return the table of one file by a mapping; ``score=A+B`` means that A and B are systems."""
    known = fields.names()
    wide = [given["score"]] if given["score"] in known else given["score"].split("+")
    parts = []
    for score in wide:
        paths = [path for path in fields.values if name_of(path) == score]
        if not paths:
            raise ArgumentError(
                argument, f"must name fields of {fields.file}, {list_names(known, 20)}", f"score={score}"
            )
        path = max(paths, key=lambda one: len(fields.values[one]))
        rows = list(fields.values[path])
        held: dict[str, Any] = {"outcome": _numbers(fields, path, score, argument)}
        for role, name in given.items():
            if role == "score":
                continue
            column = fields.column(name, rows, path)
            if column is None:
                fit = [other for other in known if fields.column(other, rows, path) is not None]
                raise ArgumentError(
                    argument,
                    f"must name a field beside {score} of {fields.file}, {list_names(fit, 20)}",
                    f"{role}={name}",
                )
            if role in NEEDED and any(value is None or value == "" for value in column):
                raise ArgumentError(argument, f"must name a {role} in every row of {fields.file}", f"{role}={name}")
            held[ROLES[role]] = column
        if len(wide) > 1:
            held["entity"] = [score.rpartition(".")[2]] * len(rows)
        parts.append(pd.DataFrame(held))
    frame = pd.concat(parts, ignore_index=True)
    frame["case"] = frame["case"].map(_as_name)
    metric = given["score"].rpartition(".")[2] if len(wide) == 1 and given["score"] != "value" else None
    source = "--map" if argument.startswith("--") else "map"
    if "entity" not in frame:
        frame["entity"], source = fields.file, "the name of the file"
    frame["entity"] = frame["entity"].map(_as_name)
    frame.attrs = {"source": source}
    return frame.assign(metric=metric)


def _as_name(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _numbers(fields: Fields, path: Path_, score: str, argument: str) -> list[Any]:
    values = as_outcomes(list(fields.values[path].values()))
    odd = next((value for value in values if value is not None and not isinstance(value, float)), None)
    if odd is not None:
        raise ArgumentError(
            argument,
            "must name a score of numbers, or words such as pass and fail",
            f"score={score}, which has {odd!r}",
        )
    return values


# --- Proposals --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Option:
    name: str
    values: tuple[Any, ...]
    penalty: float

    @property
    def size(self) -> int:
        return len(set(self.values))


#: The penalty and the mapping where nothing fits.
NOTHING: tuple[float, dict[str, str]] = (float("inf"), {})


def propose(files: list[Fields]) -> dict[str, str]:
    """Return the mapping that fits best: each system and case once, a score of right and wrong, telling names.

    The choice is among fields of the first file, or of all files as records of one list; empty if nothing fits. It is a
    proposal, which a user has to type.
    """
    best = _propose_of(files[0], len(files) > 1)
    records = len(files) > 1 and all(any(() in held for held in one.values.values()) for one in files)
    if records and best[1].get("case", "@row") == "@row":
        best = min(best, _propose_of(_as_one_file(files), False), key=lambda found: found[0])
    return best[1]


def _propose_of(fields: Fields, several: bool) -> tuple[float, dict[str, str]]:
    """Return the penalty and the mapping of one file, or of the first of ``several``."""
    scores = [path for path, held in fields.values.items() if len(held) > 1 and _could_be_score(path, held)]
    scores = [path for path in scores if not _is_beside_answers(name_of(path))]
    found = [_propose_for(fields, path, several) for path in scores]
    return min(*filter(None, found), _propose_wide(fields, scores), NOTHING, key=lambda one: one[0])


def _as_one_file(files: list[Fields]) -> Fields:
    """Return files that are one record each as a list of records, without the names of the files."""
    joined = Fields("")
    for i, one in enumerate(files):
        for path, held in one.values.items():
            joined.values.setdefault((ROW, *path), {}).update({(i, *place): value for place, value in held.items()})
    return joined


def _could_be_score(path: Path_, held: Mapping[tuple, Any]) -> bool:
    values = as_outcomes(list(held.values()))
    numbers = [value for value in values if isinstance(value, float)]
    if any(value is not None and not isinstance(value, float) for value in values) or len(set(numbers)) < 2:
        return False
    return set(numbers) <= {0.0, 1.0} or _telling("score", name_of(path)) == 0


def _is_beside_answers(name: str) -> bool:
    """Return whether a field is a label, a count or a vote by its name: no system, case or score."""
    last = name.rpartition(".")[2]
    if any(squeeze(last) in names for names in PROPOSED.values()):
        return False
    known = role_of(last) in ("actual", "predicted") or is_quantity_name(last) or squeeze(last).startswith("winner")
    return known or is_truth_name(last, ())


def _telling(role: str, name: str) -> float:
    """Return 0 for the name of a field that is usual for a role, and more for others."""
    parts = name.split(".")
    words = [squeeze(part) for part in (parts[-1], *parts[-2:-1])]
    for i, word in enumerate(words):
        if any(word == known or (len(known) > 3 and word.startswith(known)) for known in PROPOSED[role]):
            return 0.3 * i
    return 1.0


def _propose_for(fields: Fields, path: Path_, several: bool) -> tuple[float, dict[str, str]] | None:
    """Return the penalty and the mapping of one score; None if no fields name its rows."""
    rows = list(fields.values[path])
    options = []
    for name in fields.names():
        column = fields.column(name, rows, path)
        if (
            column is None
            or name == name_of(path)
            or _is_beside_answers(name)
            or any(isinstance(value, list | dict) for value in column)
        ):
            continue
        if any(value is None or value == "" for value in column):
            continue
        options.append(_Option(name, tuple(map(str, column)), {"@row": 2.0, "@file": 0.5}.get(name, 0.0)))
    score = 2 * _telling("score", name_of(path))
    systems = [one for one in options if (1 < one.size < len(rows) or (several and one.name == "@file"))]
    systems = [one for one in systems if one.name == "@file" or _could_be_system(one)]
    # One file without a system is a log of one system.
    alone = not systems and score == 0 and any(_telling("case", one.name) < 1 for one in options)
    systems = [one for one in options if one.name == "@file"] if alone else systems
    if several and not any(one.name != "@file" and _telling("system", one.name) == 0 for one in systems):
        systems = [one for one in systems if one.name == "@file"]
    best: tuple[float, dict[str, str]] | None = None
    for system, case in product(systems, options):
        if case is system or case.size < 2 or case.name == "@file":
            continue
        for extra in ((), ("dataset",), ("run",), ("dataset", "run")):
            found = _complete(system, case, extra, options, len(rows))
            if found is None:
                continue
            penalty, given = found
            penalty += score + (system.size > case.size)
            given["score"] = name_of(path)
            if alone:
                del given["system"]
            if best is None or penalty < best[0]:
                best = penalty, {role: given[role] for role in ROLES if role in given}
            break
    return best


def _could_be_system(option: _Option) -> bool:
    """Return whether a field may name systems; numbers do so only in a field that says so, else they are outcomes."""
    says_so = _telling("system", option.name) == 0
    return not (_names_metrics(option) or _names_cases(option)) and (says_so or None in map(to_number, option.values))


def _names_cases(option: _Option) -> bool:
    """Return whether a field names cases, data sets or runs, and no systems."""
    telling = [_telling(role, option.name) == 0 for role in ("system", "case", "dataset", "run")]
    return any(telling[1:]) and not telling[0]


def _names_metrics(option: _Option) -> bool:
    """Return whether a field is a metric, or its values are names of metrics; neither names systems."""
    last = option.name.rpartition(".")[2]
    return squeeze(last) in METRIC_HEADINGS or _are_metrics([last]) or _are_metrics(option.values)


def _complete(
    system: _Option, case: _Option, extra: tuple[str, ...], options: list[_Option], rows: int
) -> tuple[float, dict[str, str]] | None:
    """Return the penalty and the mapping of a system and a case that name each row once, with ``extra`` roles."""
    given = {"case": case.name, "system": system.name}
    keys: list[tuple[Any, ...]] = [case.values, system.values]
    for role in extra:
        named = [one for one in options if one not in (system, case) and _telling(role, one.name) == 0 and one.size > 1]
        if not named:
            return None
        given[role] = named[0].name
        keys.append(named[0].values)
    if len(set(zip(*keys, strict=True))) < rows:
        return None
    crossed = rows / (system.size * len(set(zip(*[keys[0], *keys[2:]], strict=True))))
    penalty = system.penalty + case.penalty + 0.2 * len(extra) + 2 * (1 - min(crossed, 1.0))
    for role, one in (("system", system), ("case", case)):
        penalty += 0.4 if one.name.startswith("@") else _telling(role, one.name)
    return penalty, given


def _propose_wide(fields: Fields, scores: list[Path_]) -> tuple[float, dict[str, str]]:
    """Return the penalty and the mapping of a table with a column of right and wrong for each system."""
    levels: dict[Path_, list[Path_]] = {}
    for path in scores:
        levels.setdefault(path[:-1], []).append(path)
    several = max(levels.values(), key=len, default=[])
    names = [path[-1] for path in several]
    # Metrics are no systems, nor are the winners of votes with a column for each.
    if len(several) < 2 or _are_metrics(names) or all(squeeze(name).startswith("winner") for name in names):
        return NOTHING
    rows = list(fields.values[several[0]])
    cases = [
        name for name in fields.names() if name not in ("@row", "@file") and name not in map(name_of, several)
        and not _is_beside_answers(name)
        and (column := fields.column(name, rows, several[0])) is not None and len(set(map(str, column))) == len(rows)
    ]  # fmt: skip
    if not cases:
        return NOTHING
    case = min(cases, key=lambda name: (name.startswith("@"), _telling("case", name)))
    return 2.5, {"case": case, "score": "+".join(map(name_of, several))}
