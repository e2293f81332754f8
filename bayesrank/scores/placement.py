"""The position on the Tile of the order that a score induces."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_number, check_prevalence
from bayesrank._core.errors import ArgumentError
from bayesrank._core.kendall import typical_size
from bayesrank._core.types import ScoreLike
from bayesrank.scores.contour_area import root
from bayesrank.scores.names import as_score
from bayesrank.scores.rational import exact_order, exact_places, simplest
from bayesrank.scores.score import SCORES, Score, cells_at, ratio

Place = tuple[float, float]

# Named orders: corners, edges and centre are the probabilistic ranking scores of The Tile, Table 2,
# and monotone functions of them (error rate, Bennett's S, likelihood ratios, ...); the last two are
# F0.5 and F2.
NAMED = (*((a, b) for a in (0.0, 0.5, 1.0) for b in (0.0, 0.5, 1.0)), (1.0, 0.2), (1.0, 0.8))
ROUNDING = 1e-9
#: Distance from a level line of a canonical score, relative to the range of three values, that
#: counts as none.
OFF_LINE = 2e-9
#: Distance of a place from an edge that may be rounding.
OFF_EDGE = 1e-11
#: Rounding error of a value, relative to the value.
LAST_BITS = 64 * np.finfo(float).eps
#: Prevalence, or its complement, below which rounding hides the differences between positions.
RAREST = 1e-6
#: Distance along both axes of ROC space over which a level line is followed.
REACH = 0.4


class FixedRate(NamedTuple):
    """The quantity fixed in all performances: prevalence, rate of positive predictions, or neither."""

    share: float | None
    predicted: bool

    @property
    def name(self) -> str:
        return "prediction_rate" if self.predicted else "prevalence"

    def words(self) -> str:
        return (
            ""
            if self.share is None
            else f" at {self.name.replace('_', ' ')} {prose.below_one(self.share, 6)}"
        )


def fixed_rate(
    prevalence: float | None, prediction_rate: float | None, *, ends: bool = False
) -> FixedRate:
    """Return the given rate, checked: strictly between 0 and 1, or with ``ends`` also at 0 and 1."""
    if prediction_rate is None:
        return FixedRate(
            None if prevalence is None else check_prevalence(prevalence, ends=ends), False
        )
    share = check_number("prediction_rate", prediction_rate, 0.0, 1.0, ends=ends)
    if prevalence is not None:
        raise ArgumentError(
            "prediction_rate", "cannot be used with prevalence=", f"{prediction_rate!r}"
        )
    return FixedRate(share, True)


def swap_roles(score: Score) -> Score:
    """Return the score with the roles of truth and predictions exchanged."""
    weights = score.importance and {
        **score.importance,
        "fp": score.importance["fn"],
        "fn": score.importance["fp"],
    }
    return Score(
        score.name,
        lambda tn, fp, fn, tp: score.of_cells(tn, fn, fp, tp),
        higher_is_better=score.higher_is_better,
        importance=weights,
        range=score.range,
        complement=score.complement and swap_roles(score.complement),
    )


@check_call
def place(
    score: ScoreLike, prevalence: float | None = None, *, prediction_rate: float | None = None
) -> Place | None:
    """Return the exact position on the Tile of the ranking score that orders performances as a score does.

    The position of a ranking score follows from its importance. Any other score is compared with
    all named orders, then with the point where its level lines meet. It has a position if it is
    constant where the canonical score is, and rises (or falls, if lower is better) with it.

    The score must also be undefined wherever the canonical score is (Foundations, Theorem 1):
    precision with 0/0 = 0 has no position, as it ranks performances without a positive call. It may
    be undefined at further performances, such as likelihood ratios where they are infinite, but
    only if a cell is empty.

    Parameters
    ----------
    score : Score, str or callable
        A two-class score.
    prevalence, prediction_rate : float, optional
        Fix one, strictly between 0 and 1 (else ValueError); by default all performances are
        compared.

    Returns
    -------
    tuple of float or None
        (a, b), or None if no position was found: no ranking score gives the same order, or rounding
        hides it. If the formula has no other operations than those of rational numbers, exact
        arithmetic decides on random performances; a float stands for the simplest number within
        rounding, such as 1/5 for 0.2. Other scores have no position at a prevalence closer to 0 or
        1 than one in a million, and are compared up to 2e-9 of the range of their values; their
        position without a named order is exact up to rounding.

    References
    ----------
    Piérard et al., The Tile, Section 4.2, A.2, A.3 and Table 2; Foundations of the theory of
    performance-based ranking, A.7.3 and A.7.4.

    Examples
    --------
    >>> place("jaccard"), place("error_rate"), place("mcc")
    ((1.0, 0.5), (0.5, 0.5), None)
    >>> place("balanced_accuracy"), place("balanced_accuracy", prevalence=0.25)
    (None, (0.75, 0.75))
    >>> place("markedness", prediction_rate=0.25)
    (0.75, 0.25)
    """
    fixed = fixed_rate(prevalence, prediction_rate)
    parsed = as_score(score)
    if fixed.predicted:
        # The Tile, Table 1: exchanging truth and prediction moves (a, b) to (a, 1 - b).
        mirrored = place(swap_roles(parsed), fixed.share)
        return None if mirrored is None else (mirrored[0], 1 - mirrored[1])
    upward = parsed if parsed.higher_is_better else parsed.complement
    if upward is not None and upward.importance is not None and upward.higher_is_better:
        right, wrong = (
            upward.importance[x] + upward.importance[y] for x, y in (("tn", "tp"), ("fp", "fn"))
        )
        # A score is constant if all right or all wrong outcomes weigh 0.
        constant = right <= 0 or wrong <= 0
        return (
            None
            if constant
            else (float(upward.importance["tp"] / right), float(upward.importance["fn"] / wrong))
        )
    return _find_place(parsed, prevalence, parsed.name in SCORES)


@lru_cache(maxsize=512)
def _find_place(parsed: Score, prevalence: float | None, smooth: bool) -> Place | None:
    """Return the position of a score without an importance; audits and verdicts ask for it again and again.

    A function of a user is not ``smooth``: it may have jumps between the random performances, which a
    lattice can show.
    """
    decide = exact_order(parsed, prevalence)
    if decide is not None:
        for exact in exact_places(parsed, prevalence, NAMED):
            at = float(exact[0]), float(exact[1])
            if decide(exact) and (smooth or _has_no_jump(parsed, at, prevalence)):
                return at
    if prevalence is not None and min(prevalence, 1 - prevalence) < RAREST * (1 - ROUNDING):
        return None
    candidates = chain(places(prevalence), _meeting_point(parsed, prevalence or 0.4))
    for at in candidates:
        simple = None if decide is None else simplest(at)
        if decide is not None and simple is not None and not decide(simple):
            continue
        if (smooth and decide is not None and simple is not None) or _orders_alike(
            parsed, at, prevalence
        ):
            return at
    return None


#: The scores of the last two positions of :func:`places`, which depend on the prevalence.
AT_ONE_PREVALENCE = ("balanced_accuracy", "cohen_kappa")


def places(prevalence: float | None) -> list[Place]:
    """Return the positions of named orders, among all performances or those with a given prevalence."""
    if prevalence is None:
        return list(NAMED)
    negative, positive = 1 - prevalence, prevalence
    balanced_accuracy = negative, negative
    kappa = negative**2 / (negative**2 + positive**2), 0.5
    return [*NAMED, balanced_accuracy, kappa]


def _meeting_point(score: Score, prevalence: float) -> Iterator[Place]:
    """Yield the position of the pencil spanned by two level lines of the score in ROC space, if there is one.

    In homogeneous coordinates (FPR, TPR, 1) the lines meet at the vertex. The line from the vertex
    through (1, 0) has canonical score 0, the line through (0, 1) has score 1; their slopes
    determine a and b.
    """
    # Up and to the left is better for every preference, so the lines differ.
    below, above = (
        _level_line(score, prevalence, 0.4, 0.2),
        _level_line(score, prevalence, 0.2, 0.4),
    )
    if below is None or above is None:
        return
    x, y, w = np.cross(below, above)
    negative, positive = 1 - prevalence, prevalence
    # a : 1 - a and b : 1 - b, up to a common sign
    for_a, for_b = (
        np.array([(x - w) / positive, y / negative]),
        np.array([x / positive, (y - w) / negative]),
    )
    if for_a.sum() and for_b.sum():
        a, b = for_a[0] / for_a.sum(), for_b[0] / for_b.sum()
        if min(a, b) > -ROUNDING and max(a, b) < 1 + ROUNDING:
            near = [abs(round(min(max(float(x), 0.0), 1.0), 15)) for x in (a, b)]
            # Rounding may move a place off an edge, where the domain is another one.
            on_edge = [float(round(x)) if abs(x - round(x)) < OFF_EDGE else x for x in near]
            yield from dict.fromkeys([(on_edge[0], on_edge[1]), (near[0], near[1])])


def _level_line(score: Score, prevalence: float, fpr: float, tpr: float) -> np.ndarray | None:
    """Return the level line through a performance, in homogeneous coordinates; None if there is none.

    Up and to the left is better, so the line crosses the path from a point further right to one
    further up.
    """

    def value(share: Any) -> np.ndarray:
        return score.of_cells(*cells_at(fpr + REACH * (1 - share), tpr + REACH * share, prevalence))

    level = score.of_cells(*cells_at(fpr, tpr, prevalence))
    worse, better = value(np.array([0.0, 1.0])) - level
    if not np.isfinite([worse, better]).all() or worse * better > 0:
        return None
    sign = -1.0 if worse > 0 else 1.0
    [share] = root(lambda share, _: sign * (value(share) - level), np.zeros(1), np.ones(1))
    return np.cross([fpr, tpr, 1.0], [fpr + REACH * (1 - share), tpr + REACH * share, 1.0])


def _has_no_jump(score: Score, at: tuple[float, float], prevalence: float | None) -> bool:
    """Return whether a lattice shows no other order; a function with fractions in it divides by zero there."""
    try:
        return _orders_alike(score, at, prevalence)
    except ZeroDivisionError:
        return True


def _orders_alike(score: Score, at: Place, prevalence: float | None) -> bool:
    """Return whether the score, by its direction, orders as the canonical score at a point wherever it is defined.

    In three performances ordered by the canonical score, the middle one is equivalent to a mixture
    of the others. The score must agree on that, and on the order. One of the three may have empty
    cells, where the score may be undefined but must not rank what the canonical score does not.
    """
    cells, inner = _triples(prevalence)
    canonical, values = canonical_values(cells, *at), score.of_cells(*cells)
    defined = ~np.isnan(values)
    if (defined & np.isnan(canonical)).any() or not defined[:, inner].all():
        return False
    comparable = defined.all(axis=0)
    cells, canonical, values = (
        cells[:, :, comparable],
        canonical[:, comparable],
        values[:, comparable],
    )
    # Performances without empty cells lie strictly between the best and the worst: compare those
    # among themselves.
    extremes = (values[canonical == end] for end in (0.0, 1.0))
    slack = ROUNDING * typical_size(values.ravel())
    if not all(
        (np.abs(extreme - extreme[:1]) <= ROUNDING * np.abs(extreme) + slack).all()
        for extreme in extremes
    ):
        return False
    order = np.argsort(canonical, axis=0)
    cells = np.take_along_axis(cells, order[None], axis=1)
    right, total = _canonical_parts(cells, *at)
    low, middle, high = right / total
    share = (middle - low) * total[0]
    share = share / (share + (high - middle) * total[2])
    twin = (1 - share) * cells[:, 0] + share * cells[:, 2]
    values, same = np.take_along_axis(values, order, axis=0), score.of_cells(*twin)
    rises, falls = (np.diff(values, axis=0) > 0).all(), (np.diff(values, axis=0) < 0).all()
    # A score without a direction takes the direction that has a position.
    directed = {True: rises, False: falls, None: rises or falls}[score.higher_is_better]
    doubt = OFF_LINE + LAST_BITS * high / (high - low)  # of the share
    close = doubt * np.abs(values[2] - values[0]) + LAST_BITS * np.abs(values[1])
    return bool(directed and (np.abs(same - values[1]) <= close).all())


def _triples(prevalence: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return random performances (cell, 3, triple), and which triples are interior.

    In other triples the first performance has empty cells; all possible sets occur equally often.
    """
    number = 64
    full = np.array(list(product((True, False), repeat=4))[:-1])
    if prevalence is not None:  # neither class is empty
        full = full[full[:, :2].any(axis=1) & full[:, 2:].any(axis=1)]
    rng = np.random.default_rng(0)
    weights = rng.random((4, 3, len(full), number))
    weights[:, 0] *= full.T[:, :, None]
    weights = weights.reshape(4, 3, -1)
    if prevalence is None:
        cells = weights / weights.sum(axis=0)
    else:
        cells = np.concatenate(
            [
                share * row / row.sum(axis=0)
                for share, row in ((1 - prevalence, weights[:2]), (prevalence, weights[2:]))
            ]
        )
    return cells, np.repeat(full.all(axis=1), number)


def canonical_values(cells: np.ndarray, a: Any, b: Any) -> np.ndarray:
    """Return the canonical score at a point, or at points that broadcast against each cell."""
    return ratio(*_canonical_parts(cells, a, b))


def _canonical_parts(cells: np.ndarray, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the canonical importance of the right answers, and of all answers, at a point."""
    tn, fp, fn, tp = cells
    right = (1 - a) * tn + a * tp
    return right, right + (1 - b) * fp + b * fn
