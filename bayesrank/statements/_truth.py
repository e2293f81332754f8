"""The share of each draw in which a statement on the order holds.

Comparisons use values. Ranks come from the order of the draw; tied entities take every order
equally often, and the statement holds in a share of these orders. Probabilities of statements are
therefore additive, "A is best" agrees with the credible ranking, and no two entities are best at
once. Claims on undefined values are false.
"""

from collections.abc import Mapping

import numpy as np

from bayesrank._core.errors import ArgumentError
from bayesrank.ranking._loops import positions
from bayesrank.statements._parser import (
    MIRROR,
    Beats,
    Bound,
    Either,
    Every,
    Not,
    Place,
    Statement,
    claims_of,
)

#: Maximum number of distinct tie patterns and placements that are counted, over all draws.
MOST = 2**16


def share_true(statement: Statement, values: np.ndarray, sign: int, rope: float) -> np.ndarray:
    """Return the share of each draw in which a statement holds, from values (draw, entity), NaN where undefined.

    ``sign`` is -1 if lower is better, else 1; to be better, an entity must exceed another by more
    than ``rope``.
    """
    better = sign * values.astype(float, copy=False)
    statement = statement if sign > 0 else _mirror(statement)
    members = sorted({claim.entity for claim in claims_of(statement) if isinstance(claim, Place)})
    if not members:
        return _holds(statement, better, rope, {}, np.zeros(len(better), int)).astype(float)
    defined = ~np.isnan(better)
    number = defined.sum(axis=1)
    first, last = positions(better)
    ranks = {entity: np.where(defined[:, entity], last[:, entity] + 1, 0) for entity in members}
    out = _holds(statement, better, rope, ranks, number).astype(float)
    tied = np.flatnonzero(((first < last) & defined)[:, members].any(axis=1))
    if len(tied):
        groups = np.where(defined, first, -1)[tied], last[tied]
        out[tied] = _over_orders(statement, better[tied], rope, members, groups, number[tied])
    return out


def _mirror(statement: Statement) -> Statement:
    """Return the statement on values of the opposite sign: bounds change their sides."""
    match statement:
        case Not(inner):
            return Not(_mirror(inner))
        case Every(parts) | Either(parts):
            return type(statement)(tuple(map(_mirror, parts)))
        case Bound(entity, sign, value):
            return Bound(entity, MIRROR[sign], -value)
    return statement


def _over_orders(
    statement: Statement,
    better: np.ndarray,
    rope: float,
    members: list[int],
    groups: tuple[np.ndarray, np.ndarray],
    number: np.ndarray,
) -> np.ndarray:
    """Return the share of the orders of tied entities in which a statement holds.

    Positions form classes that no claim of the statement separates. Members are placed one after
    another; each free position of the member's group is equally probable.
    """
    first, last = groups
    edges = _edges(statement, number)
    starts = np.concatenate([np.zeros_like(edges[:, :1]), edges[:, :-1]], axis=1)
    most = int(
        ((first[:, members] < last[:, members]) & (first[:, members] >= 0)).sum(axis=1).max()
    )
    if edges.shape[1] ** most > MOST:
        raise ArgumentError(
            "statement",
            "asks for the ranks of too many tied entities",
            f"{most} of them tied in one draw, with {edges.shape[1]} sets of ranks to distinguish",
        )
    out = np.zeros(len(better))

    def place(at: int, rows: np.ndarray, weight: np.ndarray, taken: list[int]) -> None:
        if not len(rows):
            return
        if at == len(members):
            ranks = {
                entity: edges[rows, c] if c >= 0 else np.zeros(len(rows), int)
                for entity, c in zip(members, taken, strict=True)
            }
            out[rows] += weight * _holds(statement, better[rows], rope, ranks, number[rows])
            return
        low, high = first[rows, members[at]], last[rows, members[at]] + 1
        unplaced = low < 0
        place(at + 1, rows[unplaced], weight[unplaced], [*taken, -1])
        with_it = [first[rows, entity] == low for entity in members[:at]]
        between = high - low - np.sum(with_it, axis=0, dtype=int)
        for c in range(edges.shape[1]):
            free = np.minimum(edges[rows, c], high) - np.maximum(starts[rows, c], low)
            free = free - sum(
                same for same, other in zip(with_it, taken, strict=True) if other == c
            )
            some = (free > 0) & ~unplaced
            place(at + 1, rows[some], weight[some] * free[some] / between[some], [*taken, c])

    place(0, np.arange(len(better)), np.ones(len(better)), [])
    return out


def _edges(statement: Statement, number: np.ndarray) -> np.ndarray:
    """Return the last position of each class (draw, class); no claim separates the ranks in a class."""
    ends = {(0, True)} | {
        (claim.number, claim.bottom) for claim in claims_of(statement) if isinstance(claim, Place)
    }
    cuts = [number - at if bottom else np.full_like(number, at) for at, bottom in sorted(ends)]
    # Empty classes, where two cuts coincide, are never used.
    return np.sort(np.clip(np.stack(cuts, axis=1), 0, number[:, None]), axis=1)


def _holds(
    statement: Statement,
    better: np.ndarray,
    rope: float,
    ranks: Mapping[int, np.ndarray],
    number: np.ndarray,
) -> np.ndarray:
    """Return whether a statement holds, given the ranks of the entities in its claims, 0 if undefined."""
    match statement:
        case Not(inner):
            return ~_holds(inner, better, rope, ranks, number)
        case Every(parts):
            return np.logical_and.reduce(
                [_holds(part, better, rope, ranks, number) for part in parts]
            )
        case Either(parts):
            return np.logical_or.reduce(
                [_holds(part, better, rope, ranks, number) for part in parts]
            )
        case Beats(entity, sign, rival):
            x, y = better[:, entity], better[:, rival]
            # As in a credible ranking: within the ROPE neither entity is better.
            above, below = x > y + rope, y > x + rope
            return above if sign == ">" else ~np.isnan(x + y) & ~below & ~(above & (sign == "="))
        case Bound(entity, sign, value):
            x = better[:, entity]
            return {
                ">": x > value,
                ">=": x >= value,
                "=": x == value,
                "<=": x <= value,
                "<": x < value,
            }[sign]
        case Place(entity, place, bottom):
            rank = ranks[entity]
            return (rank > 0) & ((number + 1 - rank if bottom else rank) <= place)
