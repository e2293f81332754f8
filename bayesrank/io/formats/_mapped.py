"""Any other log of cases: JSON, JSON lines and separated values under any names, read by a mapping that the user types.

A field is the path of a value, its names with dots between them: ``run.model``. Lists and tables by
key have no name in it: their positions are ``@row``, and their keys ``@key`` and ``@key2``. The
names of the file and of its folder are ``@file`` and ``@folder``.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import decode, parse_csv, read_bytes
from bayesrank._core.prose import list_names
from bayesrank.io.formats._common import begin_of, read_json, read_lines
from bayesrank.io.tables.columns import squeeze
from bayesrank.io.tables.proposals import (
    MAPPED,
    NOTHING,
    are_metrics,
    could_be_score,
    is_beside_answers,
    propose_long,
    telling,
)
from bayesrank.io.tables.values import as_outcomes

TITLE = "cases under other names, by a mapping"
#: Roles that every row needs.
NEEDED = ("case", "outcome")
#: Steps of a path without a name: into a list, and into a table by key.
ROW, KEY = "[]", "{}"
DELIMITERS = ",\t;|"
#: A table by key has values alike: this share of their keys is common. Fewer bare values are fields
#: of one record.
COMMON, BARE = 0.5, 8

Path_ = tuple[str, ...]


@dataclass
class Fields:
    """The values of a file, by their path and by the positions and keys along it."""

    file: str
    values: dict[Path_, dict[tuple, Any]] = field(default_factory=dict)
    folder: str = ""

    def names(self) -> list[str]:
        """Return the fields, and the positions and keys that a mapping may use."""
        depth = max((path.count(KEY) for path in self.values), default=0)
        keys = ["@key" if i == 1 else f"@key{i}" for i in range(1, depth + 1)]
        return [*dict.fromkeys(map(name_of, self.values)), *keys, "@row", "@file", "@folder"]

    def column(self, name: str, rows: list[tuple], path: Path_) -> list[Any] | None:
        """Return a field in the rows of ``path``, which have it on their own level or on one above; None without it."""
        steps = [step for step in path if step in (ROW, KEY)]
        if name in ("@file", "@folder"):
            return [self.file if name == "@file" else self.folder] * len(rows)
        if name.startswith(("@key", "@row")):
            requested = KEY if name.startswith("@key") else ROW
            places = [i for i, step in enumerate(steps) if step == requested]
            which = int(name[4:] or 1) - 1 if requested == KEY else len(places) - 1
            return [row[places[which]] for row in rows] if 0 <= which < len(places) else None
        fitting = [other for other in self.values if name_of(other) == name and _holds(other, path)]
        if not fitting:
            return None
        best = max(fitting, key=len)
        own_values, depth = self.values[best], sum(step in (ROW, KEY) for step in best)
        return [own_values.get(row[:depth]) for row in rows]


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
    return (
        len(lines) == 2
        and bool(mark)
        and lines[0].count(mark) == lines[1].count(mark)
        and text[:1] not in "<%#"
    )


def _delimiter(heading: str) -> str:
    often = max(DELIMITERS, key=heading.count)
    return often if often in heading else ""


def read_fields(path: Path, file: str, typed: Iterable[str] = ()) -> Fields:
    """Return all values of a file by their paths.

    Names that a user typed, such as verifier.reward, are ``typed``: their steps are fields, and not
    keys of a table.
    """
    result = Fields(file, folder=path.parent.name)
    keyed: dict[Path_, bool] = {}
    beginnings = {
        name[:end]
        for name in typed
        for end in (*(m.start() for m in re.finditer(r"\.", name)), len(name))
    }
    if begin_of(path)[:1] in ("{", "["):
        try:
            document = read_json(path)
        except ArgumentError:
            document = list(read_lines(path))
    else:
        text = decode(read_bytes(path, path.name), path.name)
        (_, heading), *rows = parse_csv(text, path.name, _delimiter(text.split("\n", 1)[0]) or ",")
        document = [dict(zip(heading, row, strict=False)) for _, row in rows]
    for way, position, value in _walk(document, (), (), keyed, beginnings):
        result.values.setdefault(way, {})[position] = value
    return result


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
            keyed[way] = _is_keyed(node) and not any(
                name_of((*way, str(key))) in typed for key in node
            )
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
    are_scalars = all(not isinstance(value, Mapping | list) for c in cells for value in c)
    same = len({tuple(c) if dicts else len(c) for c in columns}) == 1
    kinds = {frozenset(type(value) for value in c) & {str} for c in cells}
    if not (are_scalars and same and len(kinds) > 1):
        return node
    return [dict(zip(node, row, strict=True)) for row in zip(*cells, strict=True)]


def _is_keyed(node: Mapping) -> bool:
    """Return whether the keys of an object are names of systems or cases, and not of fields: its values are alike."""
    values = list(node.values())
    if len(values) < 2 or are_metrics(node):
        return False
    if all(isinstance(value, Mapping) for value in values):
        keys = [set(map(str, value)) for value in values]
        return len(set.intersection(*keys)) >= COMMON * len(set.union(*keys)) > 0
    if all(isinstance(value, list) for value in values):
        return True
    bare = not any(isinstance(value, Mapping | list) for value in values)
    return len(values) >= BARE and bare and set(as_outcomes(values)) <= {0.0, 1.0}


def parse_map(text: Any, argument: str) -> dict[str, str]:
    """Return a mapping from roles to fields, given as such or as text: "case=qid,entity=run.model,outcome=acc"."""
    if isinstance(text, str):
        pairs = [
            part.partition("=")
            for part in next(csv.reader(io.StringIO(text), skipinitialspace=True), [])
        ]
        mapping = {role.strip(): name.strip() for role, _, name in pairs}
    elif isinstance(text, Mapping):
        mapping = {str(role): str(name) for role, name in text.items()}
    else:
        raise ArgumentError(
            argument, "must be a mapping from roles to fields", describe_value(text)
        )
    odd = [role for role in mapping if role not in MAPPED]
    empty = [role for role, name in mapping.items() if not name]
    lacking = [role for role in NEEDED if role not in mapping]
    if odd or empty or lacking:
        raise ArgumentError(
            argument,
            f"must map case, entity and outcome to fields, and may map {', '.join(MAPPED[3:])} one: "
            "case=FIELD,entity=FIELD,outcome=FIELD",
            f"{text!r}",
        )
    return mapping


def fields_of(mapping: Mapping[str, str]) -> list[str]:
    """Return the fields that a mapping names."""
    return [
        name
        for field in mapping.values()
        for name in (field, *field.split("+"))
        if not name.startswith("@")
    ]


def write_map(mapping: Mapping[str, str]) -> str:
    """Return a mapping as it is typed."""
    pairs = [f"{role}={name}" for role, name in mapping.items()]
    return ",".join(f'"{pair}"' if "," in pair else pair for pair in pairs)


def read_rows(fields: Fields, mapping: Mapping[str, str], argument: str) -> pd.DataFrame:
    """Return the table of one file by a mapping; ``outcome=A+B`` means that A and B are entities."""
    all_names = fields.names()
    wide = (
        [mapping["outcome"]] if mapping["outcome"] in all_names else mapping["outcome"].split("+")
    )
    parts = []
    for score in wide:
        paths = [path for path in fields.values if name_of(path) == score]
        if not paths:
            raise ArgumentError(
                argument,
                f"must name fields of {fields.file}, {list_names(all_names, 20)}",
                f"outcome={score}",
            )
        path = max(paths, key=lambda one: len(fields.values[one]))
        rows = list(fields.values[path])
        held: dict[str, Any] = {"outcome": _numbers(fields, path, score, argument)}
        for role, name in mapping.items():
            if role == "outcome":
                continue
            column = fields.column(name, rows, path)
            if column is None:
                fit = [other for other in all_names if fields.column(other, rows, path) is not None]
                raise ArgumentError(
                    argument,
                    f"must name a field beside {score} of {fields.file}, {list_names(fit, 20)}",
                    f"{role}={name}",
                )
            if role in NEEDED and any(value is None or value == "" for value in column):
                raise ArgumentError(
                    argument, f"must name a {role} in every row of {fields.file}", f"{role}={name}"
                )
            held[role] = column
        if len(wide) > 1:
            held["entity"] = [score.rpartition(".")[2]] * len(rows)
        parts.append(pd.DataFrame(held))
    frame = pd.concat(parts, ignore_index=True)
    frame["case"] = frame["case"].map(_as_name)
    metric = (
        mapping["outcome"].rpartition(".")[2]
        if len(wide) == 1 and mapping["outcome"] != "value"
        else None
    )
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
    odd = next(
        (value for value in values if value is not None and not isinstance(value, float)), None
    )
    if odd is not None:
        raise ArgumentError(
            argument,
            "must name a field of numbers, or of words such as pass and fail",
            f"outcome={score}, which has {odd!r}",
        )
    return values


# --- Proposals --------------------------------------------------------------------------------------------------------


def propose(files: list[Fields]) -> dict[str, str]:
    """Return the mapping that fits best: each entity and case once, scores of right and wrong, clear names.

    The choice is among fields of the first file, or of all files as records of one list; empty if
    nothing fits. It is a proposal, which a user has to type.
    """
    best = _propose_of(files[0], files[1:])
    records = len(files) > 1 and all(
        any(() in held for held in one.values.values()) for one in files
    )
    if records and best[1].get("case", "@row") == "@row":
        best = min(best, _propose_of(_as_one_file(files), []), key=lambda found: found[0])
    mapping = best[1]
    if (
        mapping.get("entity") == "@file"
        and len(files) > 1
        and len({one.file for one in files}) == 1
    ):
        mapping = mapping | {
            "entity": "@folder"
        }  # each entity has a folder with a file of the same name
    return mapping


def _propose_of(fields: Fields, others: list[Fields]) -> tuple[float, dict[str, str]]:
    """Return the penalty and the mapping of one file, or of the first of several."""
    scores = [
        path
        for path, held in fields.values.items()
        if len(held) > 1 and _could_be_score(path, held)
    ]
    scores = [path for path in scores if not is_beside_answers(name_of(path))]
    proposals = [_propose_for(fields, path, others) for path in scores]
    return min(
        *filter(None, proposals), _propose_wide(fields, scores), NOTHING, key=lambda one: one[0]
    )


def _as_one_file(files: list[Fields]) -> Fields:
    """Return files that are one record each as a list of records, without the names of the files."""
    joined = Fields("")
    for i, one in enumerate(files):
        for path, held in one.values.items():
            joined.values.setdefault((ROW, *path), {}).update(
                {(i, *position): value for position, value in held.items()}
            )
    return joined


def _could_be_score(path: Path_, values: Mapping[tuple, Any]) -> bool:
    return could_be_score(name_of(path), list(values.values()))


def _propose_for(
    fields: Fields, path: Path_, others: list[Fields]
) -> tuple[float, dict[str, str]] | None:
    """Return the penalty and the mapping of one score; None if no fields name its rows."""
    rows, several = list(fields.values[path]), bool(others)
    columns = {
        name: fields.column(name, rows, path)
        for name in fields.names()
        if name not in (name_of(path), "@folder")
    }
    result = propose_long(
        {name: held for name, held in columns.items() if held is not None}, name_of(path), several
    )
    if result is None or not several or result[1].get("entity") != "@file":
        return result
    # Cases of several files have the same names in all of them.
    penalty, mapping = result
    cases = set(map(str, columns[mapping["case"]] or ()))
    shared = {
        name: held
        for name, held in columns.items()
        if held is not None
        and name not in ("@row", "@file")
        and len(set(map(str, held))) == len(rows)
    }
    for one in others[:1]:
        again = [other for other in one.values if name_of(other) == name_of(path)]
        if not again:
            continue
        path_of_name = list(one.values[again[0]])

        def common(
            name: str,
            one: Fields = one,
            path_of_name: list[tuple] = path_of_name,
            way: Path_ = again[0],
        ) -> bool:
            ids = set(map(str, one.column(name, path_of_name, way) or ()))
            return bool(ids & set(map(str, columns[name] or ())))

        fitting = [name for name in shared if common(name)]
        if cases and not common(mapping["case"]) and fitting:
            mapping = mapping | {"case": min(fitting, key=lambda name: telling("case", name))}
    return penalty, mapping


def _propose_wide(fields: Fields, scores: list[Path_]) -> tuple[float, dict[str, str]]:
    """Return the penalty and the mapping of a table with a column of right and wrong for each entity."""
    levels: dict[Path_, list[Path_]] = {}
    for path in scores:
        levels.setdefault(path[:-1], []).append(path)
    several = max(levels.values(), key=len, default=[])
    names = [path[-1] for path in several]
    # Metrics are no entities, nor are the winners of votes with a column for each.
    if (
        len(several) < 2
        or are_metrics(names)
        or all(squeeze(name).startswith("winner") for name in names)
    ):
        return NOTHING
    rows = list(fields.values[several[0]])
    cases = [
        name for name in fields.names()
        if name not in ("@row", "@file", "@folder") and name not in map(name_of, several)
        and not is_beside_answers(name)
        and (column := fields.column(name, rows, several[0])) is not None and len(set(map(str, column))) == len(rows)
    ]  # fmt: skip
    if not cases:
        return NOTHING
    case = min(cases, key=lambda name: (name.startswith("@"), telling("case", name)))
    return 2.5, {"case": case, "outcome": "+".join(map(name_of, several))}
