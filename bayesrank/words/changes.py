"""What changed between two boards, and which changes of rank their rank sets support."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.prose import few_names
from bayesrank.words.schemas import check_schema

#: Fields that must agree, or ranks are not comparable.
SAME = ("score", "positive", "rope", "prob")


@dataclass(frozen=True)
class Changes:
    """The changes between two boards: a row for each entity of either, and sentences."""

    table: pd.DataFrame
    sentences: list[str]


def parse_board(text: str, name: str) -> dict[str, Any]:
    """Return a board from its JSON text; ``name`` is the file in messages."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != "bayesrank board":
        raise ArgumentError(
            name,
            "must be a board in JSON",
            "something else",
            "bayesrank rank DATA --format board > FILE writes one",
        )
    check_schema(
        content, json.loads(Path(__file__).with_name("board.schema.json").read_text("utf-8")), name
    )
    names = Counter(str(one["entity"]) for one in content["entities"])
    twice = next((name for name, number in names.items() if number > 1), None)
    if twice is not None:
        raise ArgumentError(name, "must have each entity once", f"{twice!r} more than once")
    return content


def compare_boards(old: Mapping[str, Any], new: Mapping[str, Any]) -> Changes:
    """Return what changed from one board to another.

    Ranks of the entities on both boards are compared among these entities alone, so that entities
    which come or go move no other. A change of rank is supported if the rank sets of the two
    boards, shortened by entities that came or went, have no rank in common.

    Parameters
    ----------
    old, new : mapping
        Boards, as :func:`bayesrank.board` writes them, of one score.

    Returns
    -------
    Changes
        ``table`` with a row for each entity, in the order of the new board, entities that went
        last: ``change`` ("added", "removed", "up", "down" or "same"), ``supported``, and for both
        boards, with the endings ``_old`` and ``_new``: ``common_rank``, the rank among the entities
        of both boards, which sentences name, and ``rank``, ``rank_lower``, ``rank_upper``,
        ``tier``, ``median`` and ``cases`` as on the board. ``sentences``.

    Raises
    ------
    ValueError
        If the boards have different scores, levels or positive classes, or hold only their first
        entities.

    Examples
    --------
    >>> from bayesrank.words.changes import compare_boards
    >>> def make(**tp):
    ...     right, size = list(tp.values()), len(tp)
    ...     wrong = [100 - n for n in right]
    ...     counts = br.from_counts(tn=[80] * size, fp=[0] * size, fn=wrong, tp=right, entity=[*tp])
    ...     ranking = br.credible_ranking(br.fit(counts, seed=1), "tpr")
    ...     return json.loads(br.board(ranking))
    >>> import json
    >>> print(*compare_boards(make(a=95, b=50), make(a=30, b=80, c=75)).sentences, sep="\\n")
    1 entity was added: c.
    Supported by the rank sets: a went down (1 to 2), among the 2 entities on both boards.
    Not supported (the rank sets overlap): b went up (2 to 1), among the 2 entities on both boards.
    The best set was a, and is b and c.
    """
    for field in SAME:
        if old.get(field) != new.get(field):
            raise ArgumentError(
                "NEW", f"must have the {field} of OLD", f"{old.get(field)!r} and {new.get(field)!r}"
            )
    for argument, held in (("OLD", old), ("NEW", new)):
        if held.get("size", len(held["entities"])) != len(held["entities"]):
            raise ArgumentError(
                argument,
                "must contain all entities",
                f"the first {len(held['entities'])}",
                "leave --top out",
            )
    before, after = ({str(one["entity"]): one for one in held["entities"]} for held in (old, new))
    common = [name for name in after if name in before]
    added, removed = [n for n in after if n not in before], [n for n in before if n not in after]
    places = [_places(side, common) for side in (before, after)]
    rows = []
    for name in [*after, *removed]:
        pair = before.get(name), after.get(name)
        row: dict[str, Any] = {
            "entity": name,
            "change": "added" if pair[0] is None else "removed",
            "supported": None,
        }
        for end, one in zip(("old", "new"), pair, strict=True):
            row |= {f"{key}_{end}": None if one is None else one[key] for key in
                    ("rank", "rank_lower", "rank_upper", "tier", "median", "cases")}  # fmt: skip
        first, second = (position.get(name) for position in places)
        row |= {"common_rank_old": first, "common_rank_new": second}
        if pair[0] is not None and pair[1] is not None:
            row["change"] = "same"
            if first is not None and second is not None and first != second:
                row["change"] = "up" if second < first else "down"
                row["supported"] = _apart(pair[0], pair[1], len(removed), len(added), row["change"])
        rows.append(row)
    table = pd.DataFrame(rows).set_index("entity")
    return Changes(table, _sentences(table, added, removed, before, after))


def _places(side: Mapping[str, Any], common: list[str]) -> dict[str, int]:
    """Return the rank of each entity among those of both boards, shared as on the board."""
    ranks = {name: side[name]["rank"] for name in common if side[name]["rank"] is not None}
    return {name: 1 + sum(other < rank for other in ranks.values()) for name, rank in ranks.items()}


def _apart(
    one: Mapping[str, Any], other: Mapping[str, Any], removed: int, added: int, change: str
) -> bool:
    """Return whether two rank sets have no rank in common, if those who left or came may have been above."""
    ends = (one["rank_lower"], one["rank_upper"], other["rank_lower"], other["rank_upper"])
    if None in ends:
        return False
    low_old, high_old, low_new, high_new = ends
    if change == "up":
        return bool(high_new < low_old - removed)
    return bool(low_new - added > high_old)


def _sentences(
    table: pd.DataFrame,
    added: list[str],
    removed: list[str],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> list[str]:
    text = []
    for names, what in ((added, "added"), (removed, "removed")):
        if names:
            text.append(
                f"{prose.count(len(names), 'entity')} {'was' if len(names) == 1 else 'were'} {what}: "
                f"{few_names(names)}."
            )
    moved = table[table["change"].isin(["up", "down"])]
    for supported, title in (
        (True, "Supported by the rank sets"),
        (False, "Not supported (the rank sets overlap)"),
    ):
        names = moved.index[moved["supported"] == supported].tolist()
        among = (
            f", among the {len(table) - len(added) - len(removed)} entities on both boards"
            * bool(added or removed)
        )
        moves = [
            f"{name} went {change} ({old:.0f} to {new:.0f})"
            for name, change, old, new in moved.loc[
                names[:5], ["change", "common_rank_old", "common_rank_new"]
            ]
            .reset_index()
            .to_numpy()
        ]
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        if names:
            text.append(f"{title}: {', '.join(moves)}{more}{among}.")
    if not len(moved):
        text.append("Among the entities on both boards, none changed its rank.")
    best = [[name for name, one in side.items() if one["in_best_set"]] for side in (before, after)]
    if set(best[0]) != set(best[1]):
        text.append(
            f"The best set was {few_names(best[0]) or 'empty'}, and is {few_names(best[1]) or 'empty'}."
        )
    both = table[~table["change"].isin(["added", "removed"])]
    cases = both[
        (both["cases_old"] != both["cases_new"])
        & both["cases_old"].notna()
        & both["cases_new"].notna()
    ]
    if len(cases):
        difference = (cases["cases_new"] - cases["cases_old"]).astype(float)
        low, high = difference.min(), difference.max()
        ends = f"{low:+,.0f}" if low == high else f"{low:+,.0f} to {high:+,.0f}"
        text.append(f"Cases changed for {prose.count(len(cases), 'entity')}: {ends}.")
    return text
