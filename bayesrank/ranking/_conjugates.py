"""What is known in closed form of the entities' scores: groups of entities for a board.

Entities of one test set share its class shares: given these they are independent. Entities of one group that have the
same concentrations are one item of the board, and groups that are equal are one group: whoever has the same evidence
gets the same numbers, and the order of input is forgotten.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bayesrank.ranking._beta_tables import FAR, TAIL, window
from bayesrank.ranking._board import Group, NoClosedForm, Scale
from bayesrank.ranking._kinds import is_defined, needs, value_at
from bayesrank.ranking._rates import Rates
from bayesrank.scores._contour_area import monotone, root
from bayesrank.scores._quadrature import gauss_jacobi, of_dirichlet
from bayesrank.scores.score import Score

__all__ = ["Known", "Plan", "plan_of"]

#: Prevalences that are mostly enough.
FEW = 8
#: Logits of rates at which a score is asked whether it keeps to its range.
GRID = np.array([-30.0, -10.0, -3.0, 0.0, 3.0, 10.0, 30.0])


class Known(NamedTuple):
    """The posterior of one data set, in closed form."""

    #: Concentrations (entity, actual, predicted).
    concentration: np.ndarray
    #: Class shares (entity, actual) where they are known; else those of a test set are Dirichlet, as its row totals.
    totals: np.ndarray | None
    #: Names of test sets, "" where nothing was measured.
    test_set: np.ndarray


class Plan(NamedTuple):
    """Which entities make which groups: built with any number of nodes."""

    #: Groups with that many nodes along contours, and that many prevalences.
    build: Callable[[int, int], list[Group]]
    scale: Scale
    #: The item of the board of every entity, -1 where the score has no value.
    item: np.ndarray
    #: The group that an entity is in: items of one group depend on each other.
    group: np.ndarray
    #: Whether prevalences are averaged over.
    averaged: bool
    #: How many distributions there are at a few prevalences.
    work: int


class _Content(NamedTuple):
    """A group before it has nodes: its prevalence, a number or a Beta (or how many classes), and distinct entities."""

    share: float | tuple[float, float]
    rows: tuple[tuple[float, ...], ...]
    times: tuple[int, ...]


@dataclass(frozen=True)
class Curves:
    """Entities whose distribution is one curve each, of values that lie ``between`` two."""

    curves: tuple[Callable[[np.ndarray], np.ndarray], ...]
    between: tuple[float, float]
    scale: Scale
    endless = False

    @property
    def atoms(self) -> np.ndarray:
        """They vary."""
        return np.full((1, len(self.curves)), np.nan)

    @property
    def span(self) -> np.ndarray:
        """Where on the scale the values lie."""
        return self.scale.near(np.array(self.between))

    def cdf(self, places: np.ndarray) -> np.ndarray:
        """P(value <= that of places): (1, entity, place)."""
        values = self.scale.of(places)
        return np.stack([curve(values) for curve in self.curves])[None]


def plan_of(score: Score, known: Known) -> Plan:
    """The groups of a score's posteriors.

    Raises
    ------
    NoClosedForm
        If the score's distributions are not known.
    """
    contents = (_of_two_classes if known.concentration.shape[-1] == 2 else _of_more_classes)(score, known)
    scale = _scale(score, [key[-1] for key, _ in contents if key is not None])
    keys = [key for key, _ in contents if key is not None]
    members: dict[Any, list[tuple[float, ...]]] = {key: [] for key in keys}
    for key, row in contents:
        if key is not None:
            members[key].append(row)
    found: dict[Any, _Content] = {}
    for key, rows in members.items():
        distinct = sorted(set(rows))
        found[key] = _Content(key[-1], tuple(distinct), tuple(rows.count(row) for row in distinct))
    different = sorted(set(found.values()), key=repr)
    copies = [list(found.values()).count(content) for content in different]
    firsts = np.cumsum([0, *(len(content.rows) for content in different)])
    item, group = np.full((2, len(contents)), -1)
    numbers = {key: i for i, key in enumerate(found)}
    for i, (key, row) in enumerate(contents):
        if key is not None:
            item[i] = firsts[different.index(found[key])] + found[key].rows.index(row)
            group[i] = numbers[key]

    def build(nodes: int, shares: int) -> list[Group]:
        sources = [_source(score, content, nodes, shares, scale) for content in different]
        return [
            Group(source, share, np.array(content.times), n)
            for (source, share), content, n in zip(sources, different, copies, strict=True)
        ]

    averaged = [isinstance(content.share, tuple) for content in different]
    work = sum(len(c.rows) * (FEW if each else 1) for c, each in zip(different, averaged, strict=True))
    return Plan(build, scale, item, group, any(averaged), work)


def _scale(score: Score, prevalences: list[Any]) -> Scale:
    """That of the score's range, if the score keeps to it."""
    low, high = (0.0, 1.0) if score.importance else score.range
    if not score.higher_is_better:
        low, high = -high, -low
    for share in {s[0] / sum(s) if isinstance(s, tuple) else s for s in prevalences} if score.function else ():
        values = value_at(score, GRID, GRID[:, None], np.asarray(share))
        if (values < low - 1e-9).any() or (values > high + 1e-9).any():
            return Scale(-np.inf, np.inf)
    return Scale(low, high)


def _of_two_classes(score: Score, known: Known) -> list[tuple[Any, tuple[float, ...]]]:
    """Of every entity the group's key, its prevalence last, and the Beta parameters of TNR and TPR; None: undefined."""
    found: list[tuple[Any, tuple[float, ...]]] = []
    required: dict[float, tuple[bool, bool]] = {}
    for k, table in enumerate(known.concentration):
        (tn, fp), (fn, tp) = table.tolist()
        share = _share(score, known, k)
        at = share[0] / sum(share) if isinstance(share, tuple) else share
        tnr, tpr = np.array([tn, fp]), np.array([tp, fn])
        if not known.test_set[k] or not is_defined(score, tnr, tpr, at):
            found.append((None, ()))
            continue
        if at not in required:
            if not monotone(score, np.array([at])):
                raise NoClosedForm(
                    f"score must rise, or fall, with TPR and with TNR; got {score.name} (br.credible_ranking takes "
                    "draws)"
                )
            required[at] = needs(score, at)
        # A rate that the score does not need tells nothing, and may have nothing known of it.
        alone = sum(required[at]) == 1
        rows = [
            pair if pair.any() and (need or not alone) else np.array([1.0, 0.0])
            for pair, need in zip((tnr, tpr), required[at], strict=True)
        ]
        together = (known.test_set[k], share) if isinstance(share, tuple) else (share,)
        found.append((together, tuple(np.concatenate(rows).tolist())))
    return found


def _share(score: Score, known: Known, k: int) -> float | tuple[float, float]:
    """The prevalence of a table's positive class, or the parameters of its Beta."""
    if known.totals is not None:
        share = float(known.totals[k, 1])
        return share if score.depends_on_prevalence or share in (0.0, 1.0) else 0.5
    here = np.flatnonzero(known.test_set == known.test_set[k])[0]
    negative, positive = known.concentration[here].sum(axis=1).tolist()
    if negative <= 0 or positive <= 0:
        return float(positive > 0)
    return (positive, negative) if score.depends_on_prevalence else 0.5


def _source(score: Score, content: _Content, nodes: int, shares: int, scale: Scale) -> tuple[Any, np.ndarray]:
    rows = np.array(content.rows)
    if len(rows[0]) == 2:
        return _of_accuracies(score, rows, int(content.share), scale), np.ones(1)  # type: ignore[arg-type]
    if isinstance(content.share, tuple) and sum(content.times) == 1 and _is_ranking(score, rows[0]):
        return _of_table(score, rows[0], scale), np.ones(1)
    share, weight = np.array([content.share]), np.ones(1)
    if isinstance(content.share, tuple):
        share, weight = gauss_jacobi(shares, *content.share)
    return Rates(score, share, rows[:, :2], rows[:, 2:], nodes, scale), weight


def _is_ranking(score: Score, row: np.ndarray) -> bool:
    """Whether the whole table's Dirichlet tells the score's distribution."""
    if score.importance is None:
        return False
    weights = score.importance
    needed = [a for cell, a in zip(("tn", "fp", "tp", "fn"), row, strict=True) if weights[cell] > 0]
    two_sides = any(weights[c] > 0 for c in ("tn", "tp")) and any(weights[c] > 0 for c in ("fp", "fn"))
    return min(needed) > 0 and two_sides


def _of_table(score: Score, row: np.ndarray, scale: Scale) -> Curves:
    weights = dict(score.importance or {})
    cells = dict(zip(("tn", "fp", "tp", "fn"), row.tolist(), strict=True))
    right, wrong = ([(weights[c], cells[c]) for c in side if weights[c] > 0] for side in (("tn", "tp"), ("fn", "fp")))
    curve = of_dirichlet(right, wrong)[0]
    alpha, beta = (sum(a for _, a in side) for side in (right, wrong))
    low, high = special.betaincinv(alpha, beta, TAIL), 1 - special.betaincinv(beta, alpha, TAIL)
    (s0, s1), (u0, u1) = ((min(w for w, _ in side), max(w for w, _ in side)) for side in (right, wrong))
    span = float(low * s0 / (low * s0 + (1 - low) * u1)), float(high * s1 / (high * s1 + (1 - high) * u0))
    chunk = 64

    def cdf(values: np.ndarray) -> np.ndarray:
        inside = np.clip(values, 0.0, 1.0)
        return np.concatenate([curve(inside[i : i + chunk]) for i in range(0, len(inside), chunk)] or [inside])

    return Curves((cdf,), span, scale)


# More than two classes


def _of_more_classes(score: Score, known: Known) -> list[tuple[Any, tuple[float, ...]]]:
    """A rising function of the accuracy alone, each entity on a test set of its own: a Beta variable."""
    classes = known.concentration.shape[-1]
    refused = f"got {score.name} of {classes} classes (br.credible_ranking takes draws)"
    if not _of_accuracy_alone(score, classes):
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
        ((name, classes), (float(a), float(b))) if name and a > 0 and b > 0 else (None, ())
        for name, a, b in zip(known.test_set.tolist(), right, wrong, strict=True)
    ]


def _at_accuracy(score: Score, accuracy: np.ndarray, classes: int) -> np.ndarray:
    """The score, higher is better, where all classes are told with that accuracy."""
    eye = np.eye(classes)
    matrix = accuracy[..., None, None] * eye / classes + (1 - accuracy[..., None, None]) * (1 - eye) / (
        classes * (classes - 1)
    )
    values = _of_matrix(score, matrix)
    return values if score.higher_is_better else -values


def _of_matrix(score: Score, matrix: np.ndarray) -> np.ndarray:
    assert score.matrix_function is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(score.matrix_function(matrix, True), dtype=float)


def _of_accuracy_alone(score: Score, classes: int) -> bool:
    """Seen at a few tables."""
    if score.matrix_function is None:
        return False
    tables = np.random.default_rng(1).dirichlet(np.ones(classes**2), 6).reshape(-1, classes, classes)
    seen = _of_matrix(score, tables) * (1 if score.higher_is_better else -1)
    return bool(np.allclose(seen, _at_accuracy(score, np.trace(tables, axis1=1, axis2=2), classes), rtol=1e-10))


def _of_accuracies(score: Score, rows: np.ndarray, classes: int, scale: Scale) -> Curves:
    def at(logit: np.ndarray) -> np.ndarray:
        return _at_accuracy(score, special.expit(logit), classes)

    def curve(a: float, b: float) -> Callable[[np.ndarray], np.ndarray]:
        def cdf(values: np.ndarray) -> np.ndarray:
            end = np.full(values.shape, FAR)
            return special.betainc(a, b, special.expit(root(lambda x, i: at(x) - values[i], -end, end)))

        return cdf

    low, high = window(*rows.T)
    between = float(at(low).min()), float(at(high).max())
    return Curves(tuple(curve(a, b) for a, b in rows.tolist()), between, scale)
