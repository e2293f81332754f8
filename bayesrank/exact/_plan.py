"""The distribution of each entity: entities become items of groups, in an order independent of the order of input.

Entities of one test set share its class shares, and are independent given these: they are a group. All others are
independent: they make one group. Entities of a group with the same counts are one item, and groups with the same items
are one group with copies, so that identical evidence gets identical numbers.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from bayesrank.exact._closed_form import ClosedForm
from bayesrank.exact._distributions import (
    LOGITS,
    SAME,
    Mixtures,
    OneRate,
    Rates,
    Table,
    fixed_rate,
    rate_scale,
    value_at,
)
from bayesrank.exact._grid import Group
from bayesrank.exact._scales import NoClosedForm, Scale, range_scale
from bayesrank.scores._contour_area import monotone
from bayesrank.scores._quadrature import gauss_jacobi
from bayesrank.scores.score import Score

__all__ = ["Plan", "plan_of"]

#: Distributions that an item which is averaged over prevalences needs in three steps or four.
FEW = 40
#: CPU seconds of a distribution, of the check of an item, and of ranks by a distribution and entities^1.5.
OF_ROW, OF_ITEM, OF_RANKS = 4.2e-3, 2e-3, 5e-7
#: Log odds of rates at which a score is asked whether it keeps to its range.
GRID = np.array([-30.0, -10.0, -3.0, 0.0, 3.0, 10.0, 30.0])

#: A prevalence: a number, or the parameters of its Beta posterior.
Share = float | tuple[float, float]
#: A prevalence and the Beta parameters of TNR and TPR.
Item = tuple[Share, tuple[float, ...]]


@dataclass(frozen=True)
class _Content:
    share: Share | None  #: That all items have; None where each has its own.
    items: tuple[Item, ...]
    times: tuple[int, ...]
    copies: int


@dataclass(frozen=True)
class Plan:
    """The groups of a board, built with any number of prevalences."""

    score: Score
    contents: tuple[_Content, ...]
    scale: Scale
    #: The rate that the score depends on, if it is one alone: 0 for TNR, 1 for TPR; else -1.
    rate: int
    #: The item of each entity, -1 where the score has no value.
    item: np.ndarray
    #: The test set of each entity, for entities that share one; else a number of its own.
    group: np.ndarray
    #: Whether prevalences are averaged over.
    averaged: bool

    @property
    def seconds(self) -> float:
        """Return the approximate CPU time of an answer, from boards of 3 to 1,000 entities."""
        every = [(content, share, rates) for content in self.contents for share, rates in content.items]
        rows = sum(
            FEW if isinstance(share, tuple) and not (content.share is None and self._table(share, rates)) else 1
            for content, share, rates in every
        )
        entities = int((self.item >= 0).sum())
        return OF_ROW * rows + OF_ITEM * len(every) + OF_RANKS * rows * entities**1.5

    def of_item(self, number: int) -> "Plan":
        """Return the plan of one item alone."""
        every = [item for content in self.contents for item in content.items]
        content = _Content(None, (every[number],), (1,), 1)
        return replace(self, contents=(content,), item=np.zeros(1, int), group=np.zeros(1, int))

    def build(self, prevalences: int) -> tuple[list[Group], Mixtures, np.ndarray, np.ndarray]:
        """Return groups, their distributions, and those of single entities (item, part) with weights."""
        parts: list[tuple[float, tuple[float, ...]]] = []
        weights: list[float] = []
        first, tables = [0], {}

        def add(shares: list[float], weight: list[float], rates: tuple[float, ...]) -> int:
            parts.extend((share, rates) for share in shares)
            weights.extend(weight)
            first.append(len(parts))
            return len(first) - 2

        def add_single(share: Share, rates: tuple[float, ...]) -> int:
            table = self._table(share, rates)
            if table is not None:
                tables[len(first) - 1] = table
                return add([], [], rates)
            return add(*_prevalences(share, prevalences), rates)

        groups, own, own_weights = [], [], []
        for content in self.contents:
            if content.share is None:
                rows = np.array([[add_single(share, rates) for share, rates in content.items]])
                groups.append(Group(rows, np.ones(1), np.array(content.times), content.copies))
                own += [[row] for row in rows[0].tolist()]
                own_weights += [[1.0]] * len(content.items)
                continue
            shares, weight = _prevalences(content.share, prevalences)
            rows = np.array([[add([share], [1.0], rates) for _, rates in content.items] for share in shares])
            groups.append(Group(rows, np.array(weight), np.array(content.times), content.copies))
            for k, (_, rates) in enumerate(content.items):
                if self._table(content.share, rates) is not None:
                    own.append([add_single(content.share, rates)])
                    own_weights.append([1.0])
                else:
                    own.append(rows[:, k].tolist())
                    own_weights.append(weight)
        width = max(map(len, own))
        own_rows = np.array([rows + [rows[0]] * (width - len(rows)) for rows in own])
        of_rows = np.array([row + [0.0] * (width - len(row)) for row in own_weights])
        betas = np.array([rates for _, rates in parts]).reshape(-1, 4)
        tnr, tpr, share = betas[:, :2], betas[:, 2:], np.array([share for share, _ in parts], dtype=float)
        made = (
            Rates(self.score, self.scale, tnr, tpr, share)
            if self.rate < 0
            else OneRate(self.scale, (tnr, tpr)[self.rate])
        )
        return groups, Mixtures(made, np.array(first), np.array(weights), tables), own_rows, of_rows

    def _table(self, share: Share, rates: tuple[float, ...]) -> Table | None:
        """Return the closed form of a ranking score whose prevalence was sampled with the cases, or None."""
        weights = self.score.importance
        if weights is None or not isinstance(share, tuple) or self.rate >= 0:
            return None
        cells = dict(zip(("tn", "fp", "tp", "fn"), rates, strict=True))
        two_sides = any(weights[c] > 0 for c in ("tn", "tp")) and any(weights[c] > 0 for c in ("fp", "fn"))
        if not two_sides or min(cells[c] for c in cells if weights[c] > 0) <= 0:
            return None
        return Table(weights, cells, self.scale)


def _prevalences(share: Share, number: int) -> tuple[list[float], list[float]]:
    if not isinstance(share, tuple):
        return [share], [1.0]
    nodes, weights = gauss_jacobi(number, *share)
    return nodes.tolist(), weights.tolist()


def plan_of(score: Score, known: ClosedForm) -> Plan:
    """Return the groups of a score's posteriors; raise :class:`NoClosedForm` if its distributions are not known."""
    classes = known.concentration.shape[-1]
    if classes > 2:
        found, value, rate = _of_accuracy(score, known), _value_at_accuracy(score, classes), 1
    else:
        found, rate = _of_two_classes(score, known)
        value = None
    items = {k: item for k, (_, item) in enumerate(found) if item is not None}
    shares = [share for share, _ in items.values()]
    if rate >= 0 and value is None:
        value = _value_at_rate(score, rate, _middle(shares[0]) if shares else 0.5)
    scale = _scale(score, shares) if value is None else rate_scale(value)
    numbers, groups = np.full(len(found), -1), -1 - np.arange(len(found))
    contents: list[_Content] = []
    start = 0
    for (shared, different, times), copies in _groups_by_content([name for name, _ in found], items):
        contents.append(_Content(shared, different, times, len(copies)))
        for entities in copies:
            for k in entities:
                numbers[k] = start + different.index(items[k])
                if shared is not None:
                    groups[k] = entities[0]
        start += len(different)
    averaged = any(isinstance(share, tuple) for share in shares)
    return Plan(score, tuple(contents), scale, rate, numbers, groups, averaged)


def _groups_by_content(names: list[str], items: dict[int, Item]) -> list[tuple[Any, list[list[int]]]]:
    """Return shared prevalence, different items and their numbers, with the entities of each group that has these."""
    members: dict[str | None, list[int]] = {}
    for k, (share, _) in items.items():
        members.setdefault(names[k] if isinstance(share, tuple) else None, []).append(k)
    # A test set of one entity: its prevalence concerns no other entity.
    alone = [k for name, group in members.items() if name is None or len(group) == 1 for k in group]
    together = [group for name, group in members.items() if name is not None and len(group) > 1]
    contents: dict[Any, list[list[int]]] = {}
    for group in ([alone] if alone else []) + together:
        rows = [items[k] for k in group]
        different = tuple(sorted(set(rows), key=repr))
        shared = None if group is alone else rows[0][0]
        contents.setdefault((shared, different, tuple(rows.count(item) for item in different)), []).append(group)
    return sorted(contents.items(), key=repr)


def _middle(share: Share) -> float:
    return share[0] / sum(share) if isinstance(share, tuple) else share


def _scale(score: Score, shares: list[Share]) -> Scale:
    """Return the scale of the score's range, if all values are within it."""
    low, high = (0.0, 1.0) if score.importance else score.range
    if not score.higher_is_better:
        low, high = -high, -low
    for share in {_middle(share) for share in shares} if score.function else ():
        values = value_at(score, GRID, GRID[:, None], np.asarray(share))
        if (values < low - 1e-9).any() or (values > high + 1e-9).any():
            return range_scale(-np.inf, np.inf)
    return range_scale(low, high)


def _of_two_classes(score: Score, known: ClosedForm) -> tuple[list[tuple[str, Item | None]], int]:
    """Return test set and item of each entity, None if undefined; and the only rate that the score depends on."""
    found: list[tuple[str, Item | None]] = []
    required: dict[float, tuple[bool, bool]] = {}
    for k, table in enumerate(known.concentration):
        (tn, fp), (fn, tp) = table.tolist()
        share, name = _share(score, known, k), str(known.test_set[k])
        at = _middle(share)
        tnr, tpr = np.array([tn, fp]), np.array([tp, fn])
        if not name or not _is_defined(score, tnr, tpr, at):
            found.append((name, None))
            continue
        if at not in required:
            if not monotone(score, np.array([at])):
                raise NoClosedForm(
                    f"score must rise, or fall, with TPR and with TNR; got {score.name} (method='draws' ranks by it)"
                )
            required[at] = _needs(score, at)
        # A rate that the score does not need may have no known distribution.
        alone = sum(required[at]) == 1
        rows = [
            pair if pair.any() and (need or not alone) else np.array([1.0, 0.0])
            for pair, need in zip((tnr, tpr), required[at], strict=True)
        ]
        found.append((name, (share, tuple(np.concatenate(rows).tolist()))))
    needed, shares = set(required.values()), {item[0] for _, item in found if item is not None}
    same_value = len(shares) == 1 and not any(isinstance(share, tuple) for share in shares)
    if needed == {(True, False)} and same_value:
        return found, 0
    return found, 1 if needed == {(False, True)} and same_value else -1


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


def _is_defined(score: Score, tnr: np.ndarray, tpr: np.ndarray, share: float) -> bool:
    """Return whether the score of an entity with these Beta parameters has a value."""
    tnr_logit, tpr_logit = (
        np.nan_to_num(fixed_rate(rate), posinf=np.inf, neginf=-np.inf) if rate.any() else np.nan for rate in (tnr, tpr)
    )
    return bool(np.isfinite(value_at(score, tnr_logit, tpr_logit, share)))


def _needs(score: Score, share: float) -> tuple[bool, bool]:
    """Return whether a score depends on TNR, and on TPR."""
    seen = value_at(score, LOGITS[:, None], LOGITS, share)
    slack = SAME * max(np.abs(seen).max(), 1)
    return tuple(bool((np.ptp(seen, axis=axis) > slack).any()) for axis in (0, 1))  # type: ignore[return-value]


def _value_at_rate(score: Score, rate: int, share: float) -> Any:
    """Return the score as a function of the log odds of one rate; the other rate is 1/2 and does not matter."""
    if rate == 0:
        return lambda tnr: value_at(score, tnr, 0.0, share)
    return lambda tpr: value_at(score, 0.0, tpr, share)


# More than two classes


def _of_accuracy(score: Score, known: ClosedForm) -> list[tuple[str, Item | None]]:
    """Return the Beta items of accuracies (or of a function of them) of entities with separate test sets."""
    classes = known.concentration.shape[-1]
    refused = f"got {score.name} of {classes} classes (method='draws' ranks by it)"
    if not _is_of_accuracy_alone(score, classes):
        raise NoClosedForm(
            f"score must be the accuracy, or a function of it alone, for more than two classes; {refused}"
        )
    names = [name for name in known.test_set.tolist() if name]
    if known.totals is not None or len(set(names)) < len(names):
        raise NoClosedForm(
            "source must have a test set for every entity, whose class shares were sampled with the cases, for more "
            f"than two classes: the accuracies are not Beta variables otherwise; {refused}"
        )
    right = np.trace(known.concentration, axis1=1, axis2=2)
    wrong = known.concentration.sum(axis=(1, 2)) - right
    return [
        (str(name), (0.5, (1.0, 0.0, float(a), float(b))) if name and a > 0 and b > 0 else None)
        for name, a, b in zip(known.test_set.tolist(), right, wrong, strict=True)
    ]


def _value_at_accuracy(score: Score, classes: int) -> Any:
    """Return the score, negated if lower is better, as a function of the log odds of one accuracy of all classes."""

    eye = np.eye(classes)

    def value(logit: Any) -> np.ndarray:
        right, wrong = special.expit(logit)[..., None, None], special.expit(-np.asarray(logit))[..., None, None]
        values = _of_matrix(score, right * eye / classes + wrong * (1 - eye) / (classes * (classes - 1)))
        return values if score.higher_is_better else -values

    return value


def _of_matrix(score: Score, matrix: np.ndarray) -> np.ndarray:
    assert score.matrix_function is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(score.matrix_function(matrix, True), dtype=float)


def _is_of_accuracy_alone(score: Score, classes: int) -> bool:
    """Return whether a score depends on the accuracy alone, by its values at a few tables."""

    if score.matrix_function is None:
        return False
    tables = np.random.default_rng(1).dirichlet(np.ones(classes**2), 6).reshape(-1, classes, classes)
    seen = _of_matrix(score, tables) * (1 if score.higher_is_better else -1)
    at = _value_at_accuracy(score, classes)(special.logit(np.trace(tables, axis1=1, axis2=2)))
    return bool(np.allclose(seen, at, rtol=1e-10))
