"""Counts that tables write as fractions: sensitivity 45/50, or 90% (45/50), beside specificity."""

import re
from dataclasses import replace
from typing import Any

from bayesrank._core.notes import Note
from bayesrank.io.tables.columns import squeeze
from bayesrank.io.tables.roles import ACCURACIES, SENSITIVITIES, SPECIFICITIES
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.values import map_fields

#: A fraction alone, or beside the number that it is: 45/50, 90% (45/50), 45/50 (90.0%), 0.9
#: [45/50].
FRACTION = re.compile(
    r"(?:[\d.,]+ ?%? ?[(\[] ?)?(\d{1,9}) ?/ ?(\d{1,9}) ?[)\]]?(?: ?[(\[]?[\d.,]+ ?%? ?[)\]]?)?"
)


def with_counts(table: Table, roles: Roles) -> tuple[Table, list[Note]]:
    """Return a table of counts where the columns of sensitivity and specificity, or of accuracy, hold fractions."""
    if roles.entities is not None:
        return table, []
    of = {squeeze(name): name for name in reversed(table.columns)}
    positives, negatives, right = (
        next((of[name] for name in names if name in of), None)
        for names in (SENSITIVITIES, SPECIFICITIES, ACCURACIES)
    )
    if positives is not None and negatives is not None:
        sick, healthy = _read(table, positives), _read(table, negatives)
        if sick is not None and healthy is not None:
            return _with_cells(table, (positives, negatives), _cells_of(sick, healthy))
    elif right is not None and (pairs := _read(table, right)) is not None:
        return _with_cells(
            table, (right,), {"correct": [k for k, _ in pairs], "total": [n for _, n in pairs]}
        )
    return table, []


def _read(table: Table, name: Any) -> list[tuple[int, int]] | None:
    """Return the numerator and the denominator of each field; None unless every field is a fraction of at most 1."""
    matches = map_fields(lambda value: FRACTION.fullmatch(str(value).strip()), table.columns[name])
    pairs = [(int(match[1]), int(match[2])) for match in matches if match is not None]
    return pairs if pairs and len(pairs) == len(matches) and all(k <= n for k, n in pairs) else None


def _cells_of(
    positives: list[tuple[int, int]], negatives: list[tuple[int, int]]
) -> dict[str, list[int]]:
    return {
        "tn": [k for k, _ in negatives],
        "fp": [n - k for k, n in negatives],
        "fn": [n - k for k, n in positives],
        "tp": [k for k, _ in positives],
    }


def _with_cells(
    table: Table, used: tuple[Any, ...], cells: dict[str, list[int]]
) -> tuple[Table, list[Note]]:
    rest = {name: held for name, held in table.columns.items() if name not in used}
    if set(cells) & set(map(squeeze, rest)):
        return table, []  # the counts have columns of their own
    note = Note("counts_from_fractions", {"columns": list(map(str, used))})
    return replace(table, columns={**rest, **cells}), [note]
