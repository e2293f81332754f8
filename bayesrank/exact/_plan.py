"""The distribution of each entity: entities become items of groups, in an order independent of the order of input.

Entities of one test set share its class shares, and are independent given these: they are a group.
All others are independent: they make one group. Entities of a group with the same counts are one
item, and the numbers of an entity are those of the first group with the same items, so that
identical evidence gets identical numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bayesrank.exact._closed_form import ClosedForm, NoClosedForm
from bayesrank.exact._measures import Group
from bayesrank.scores.contour_area import monotone
from bayesrank.scores.dirichlet import gauss_jacobi
from bayesrank.scores.distributions import (
    LOGITS,
    SAME,
    Rates,
    Scale,
    ScoreTable,
    fixed_rate,
    rate_scale,
    scale_of,
    table_of,
    value_at,
)
from bayesrank.scores.names import get
from bayesrank.scores.score import Score

#: A prevalence: a number, or the parameters of its Beta posterior.
Share = float | tuple[float, float]
#: A prevalence and the Beta parameters of TNR and TPR.
Item = tuple[Share, tuple[float, ...]]


class _Content(NamedTuple):
    shared: bool  #: Whether the items share their prevalence.
    items: tuple[Item, ...]
    times: tuple[int, ...]


class Board(NamedTuple):
    """The groups with their distributions."""

    groups: list[Group]
    rates: Rates
    #: The distributions of each item alone (item, part), and their weights.
    rows: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Plan:
    """The groups of a board, built with any number of prevalences."""

    score: Score
    contents: tuple[_Content, ...]
    tables: Mapping[Item, ScoreTable]  #: Closed forms of items whose prevalence is averaged over.
    scale: Scale
    rate: int  #: The rate that the score depends on, if it is one alone: 0 for TNR, 1 for TPR; else -1.
    item: np.ndarray  #: The item of each entity, -1 where the score has no value.
    second: np.ndarray  #: The same item of the second group with the same items, if there is one.
    group: (
        np.ndarray
    )  #: The test set of each entity, for entities that share one; else a number of its own.

    @property
    def items(self) -> list[Item]:
        """Return the items of all groups."""
        return [item for content in self.contents for item in content.items]

    @property
    def averaged(self) -> bool:
        """Return whether quadrature averages over a prevalence."""
        return any(isinstance(share, tuple) for share, _ in self.items)

    @property
    def seconds(self) -> float:
        """Return the approximate CPU time of an answer, from boards of 3 to 1,000 entities."""
        pairs = ((content.shared, item) for content in self.contents for item in content.items)
        averaged = (
            isinstance(item[0], tuple) and (shared or item not in self.tables)
            for shared, item in pairs
        )
        rows = sum(12 if each else 1 for each in averaged)  # distributions
        entities = int((self.item >= 0).sum())
        return 0.02 + 1.6e-3 * rows + 4e-7 * rows * entities**1.5

    def of_item(self, number: int) -> "Plan":
        """Return the plan of one item alone."""
        content = _Content(False, (self.items[number],), (1,))
        first = np.zeros(1, int)
        return replace(self, contents=(content,), item=first, second=first, group=first)

    def build(self, prevalences: int) -> Board:
        """Return the board with this number of nodes for each prevalence that is averaged over."""
        parts: list[tuple[float, tuple[float, ...]]] = []
        tables: dict[int, ScoreTable] = {}

        def add(item: Item, table: ScoreTable | None) -> tuple[list[int], list[float]]:
            """Return new rows of an item, and their weights; a table is one row."""
            share, rates = item
            shares, weights = np.array([0.5 if table else share]), np.ones(1)
            if table:
                tables[len(parts)] = table
            elif isinstance(share, tuple):
                shares, weights = gauss_jacobi(prevalences, *share)
            parts.extend((share, rates) for share in shares.tolist())
            return [*range(len(parts) - len(shares), len(parts))], weights.tolist()

        groups, alone = [], []
        for content in self.contents:
            closed = [self.tables.get(item) for item in content.items]
            pairs = list(zip(content.items, closed, strict=True))
            own = [add(item, None if content.shared else table) for item, table in pairs]
            rows, weights = _pad(own)
            groups.append(Group(rows.T, weights.T, content.shared, np.array(content.times)))
            if content.shared:
                own = [add(*pair) if pair[1] else one for pair, one in zip(pairs, own, strict=True)]
            alone += own
        beta = np.array([rates for _, rates in parts]).reshape(-1, 2, 2)
        at = np.array([share for share, _ in parts], dtype=float)
        made = Rates(self.score, self.scale, beta, at, self.rate, tables)
        atom = np.nan_to_num(made.atom, nan=np.inf)
        differ = any((atom[group.rows] != atom[group.rows[0]]).any() for group in groups)
        if differ and not (len(groups) == 1 and groups[0].shared):
            raise NoClosedForm(
                "source",
                "must not contain scores that are one value at one prevalence and another at another, where "
                "entities have several test sets (method='draws' ranks them)",
            )
        return Board(groups, made, *_pad(alone))


def _pad(own: list[tuple[list[int], list[float]]]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and weights as arrays (item, part); items with few parts get others of weight 0."""
    width = max(len(rows) for rows, _ in own)
    rows = np.array([rows + [rows[0]] * (width - len(rows)) for rows, _ in own])
    return rows, np.array([weight + [0.0] * (width - len(weight)) for _, weight in own])


def plan_of(score: Score, known: ClosedForm) -> Plan:
    """Return the groups of a score's posteriors; raise :class:`NoClosedForm` if its distributions are not known."""
    if known.concentration.shape[-1] > 2:
        raise NoClosedForm(
            "source",
            "must have two classes for a closed form",
            f"{known.concentration.shape[-1]}",
            "method='draws' ranks them",
        )
    # Right or wrong is the TPR of cases that are all positive.
    score = get("tpr") if score.space == "outcomes" else score
    items, rate = _items_of(score, known)
    shares = {_middle(item[0]) for item in items if item is not None}
    scale = scale_of(score, shares)
    if rate >= 0:
        [share] = shares
        scale = rate_scale(
            lambda odds: value_at(score, 0.0 if rate else odds, odds if rate else 0.0, share)
        )
    members: dict[str | None, list[int]] = {}
    for k, item in enumerate(items):
        if item is not None:
            members.setdefault(
                str(known.test_set[k]) if isinstance(item[0], tuple) else None, []
            ).append(k)
    # A test set of one entity: its prevalence concerns no other entity.
    alone = [k for name, group in members.items() if name is None or len(group) == 1 for k in group]
    together = [group for name, group in members.items() if name is not None and len(group) > 1]
    contents = []
    for group in ([alone] if alone else []) + together:
        own: Any = [items[k] for k in group]
        different = tuple(sorted(set(own), key=repr))
        contents.append(
            (
                _Content(
                    group is not alone, different, tuple(own.count(item) for item in different)
                ),
                group,
            )
        )
    contents.sort(key=lambda pair: repr(pair[0]))
    starts: dict[_Content, list[int]] = {}
    start, number = 0, np.full((2, len(items)), -1)
    for content, _ in contents:
        starts.setdefault(content, []).append(start)
        start += len(content.items)
    which = -1 - np.arange(len(items))
    for content, group in contents:
        for k in group:
            at: Any = starts[content][0], starts[content][:2][-1]
            number[:, k] = np.add(at, content.items.index(items[k]))
            which[k] = group[0] if content.shared else which[k]
    sampled: Any = {item for item in items if item is not None and isinstance(item[0], tuple)}
    tables = {item: table for item in sampled if (table := table_of(score, scale, item[1]))}
    different = tuple(content for content, _ in contents)
    return Plan(score, different, tables, scale, rate, number[0], number[1], which)


def _middle(share: Share) -> float:
    return share[0] / sum(share) if isinstance(share, tuple) else share


def _items_of(score: Score, known: ClosedForm) -> tuple[list[Item | None], int]:
    """Return the item of each entity, None if undefined; and the only rate that the score depends on, or -1."""
    result: list[Item | None] = []
    required: dict[float, tuple[bool, bool]] = {}
    for k, table in enumerate(known.concentration):
        (tn, fp), (fn, tp) = table.tolist()
        share = _share(score, known, k)
        at = _middle(share)
        rates = np.array([[tn, fp], [tp, fn]])
        # Log odds of rates that are 0, 1 or undefined; others may be anything.
        logits = np.where(
            rates.any(axis=1),
            np.nan_to_num(fixed_rate(rates), posinf=np.inf, neginf=-np.inf),
            np.nan,
        )
        if not known.test_set[k] or not np.isfinite(value_at(score, logits[0], logits[1], at)):
            result.append(None)
            continue
        if at not in required:
            if not monotone(score, np.array([at])):
                raise NoClosedForm(
                    "score",
                    "must be monotone in TPR and in TNR",
                    score.name,
                    "method='draws' ranks by it",
                )
            on_grid = value_at(score, LOGITS[:, None], LOGITS, at)
            slack = SAME * max(np.abs(on_grid).max(), 1)
            required[at] = (
                bool((np.ptp(on_grid, axis=0) > slack).any()),
                bool((np.ptp(on_grid, axis=1) > slack).any()),
            )
        # A rate that the score does not need may have no known distribution.
        alone = sum(required[at]) == 1
        for rate, need in zip(rates, required[at], strict=True):
            if not rate.any() or (alone and not need):
                rate[:] = 1.0, 0.0
        result.append((share, tuple(rates.ravel().tolist())))
    shares = {item[0] for item in result if item is not None}
    if len(shares) == 1 and not isinstance(next(iter(shares)), tuple):  # one value for each rate
        for rate, needed in enumerate([(True, False), (False, True)]):
            if set(required.values()) == {needed}:
                return result, rate
    return result, -1


def _share(score: Score, known: ClosedForm, k: int) -> Share:
    """Return the prevalence of the positive class, or the parameters of its Beta posterior."""
    if known.totals is not None:
        share = float(known.totals[k, 1])
        return share if score.depends_on_prevalence or share in (0.0, 1.0) else 0.5
    here = np.flatnonzero(known.test_set == known.test_set[k])[0]
    negative, positive = known.concentration[here].sum(axis=1).tolist()
    if negative <= 0 or positive <= 0:
        return float(positive > 0)
    return (positive, negative) if score.depends_on_prevalence else 0.5
