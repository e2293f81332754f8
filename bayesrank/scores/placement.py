"""Where the order that a score induces lies on the Tile.

A ranking score orders performances as the canonical score at one point (a, b) does. Some scores do so only while the
prevalence is fixed, and their point moves with it; most scores have no place at all, and rank by no importance.
A score of which less is better has the place of the order that it induces by its own direction.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from bayesrank._checks import check_number, check_prevalence
from bayesrank._types import ScoreLike
from bayesrank.scores.families import OfRates
from bayesrank.scores.names import as_score
from bayesrank.scores.score import Score, cells_at, ratio

__all__ = ["FixedRate", "canonical_values", "fixed_rate", "place", "place_of_importance", "places", "swapped"]

Place = tuple[float, float]

# The orders with a name: corners, edges and centre are the probabilistic ranking scores of The Tile, Table 2, and what
# is monotone in them (error rate, Bennett's S, likelihood ratios, ...); the last two are F0.5 and F2.
NAMED = (*((a, b) for a in (0.0, 0.5, 1.0) for b in (0.0, 0.5, 1.0)), (1.0, 0.2), (1.0, 0.8))
ROUNDING = 1e-9
#: How far along both axes of ROC space a level line is followed.
REACH = 0.4


class FixedRate(NamedTuple):
    """What is the same in all performances: the prevalence, the rate of positive predictions, or neither."""

    share: float | None
    predicted: bool

    @property
    def name(self) -> str:
        return "prediction_rate" if self.predicted else "prevalence"

    def words(self) -> str:
        return "" if self.share is None else f" at {self.name.replace('_', ' ')} {self.share:g}"


def fixed_rate(prevalence: float | None, prediction_rate: float | None, *, ends: bool = False) -> FixedRate:
    """The one of both that is given, checked; strictly between 0 and 1, unless its ``ends`` may be.

    Examples
    --------
    >>> fixed_rate(None, 0.25)
    FixedRate(share=0.25, predicted=True)
    """
    if prediction_rate is None:
        return FixedRate(None if prevalence is None else check_prevalence(prevalence, ends=ends), False)
    share = check_number("prediction_rate", prediction_rate, 0.0, 1.0, ends=ends)
    if prevalence is not None:
        raise ValueError(f"prediction_rate must be left out where a prevalence is given; got {prediction_rate!r}")
    return FixedRate(share, True)


def swapped(score: Score) -> Score:
    """The score of performances whose truth and predictions have changed roles.

    Examples
    --------
    >>> swapped(as_score("ppv")).of_cells(0.5, 0.1, 0.2, 0.2).item()  # TPR
    0.5
    """
    weights = score.importance and {**score.importance, "fp": score.importance["fn"], "fn": score.importance["fp"]}
    return Score(
        score.name,
        lambda tn, fp, fn, tp: score.of_cells(tn, fn, fp, tp),
        higher_is_better=score.higher_is_better,
        importance=weights,
        range=score.range,
    )


def place(score: ScoreLike, prevalence: float | None = None, *, prediction_rate: float | None = None) -> Place | None:
    """Where the order that a score induces lies on the Tile, exactly.

    A score with an importance is placed by it. Any other, a plain function included, is held against the places of
    all orders with a name, then against the place where its own level lines meet: it has a place if it is constant
    where the canonical score there is, and rises (or falls, if less is better) with it.

    The order of a score holds between the performances of its domain alone (Foundations, Theorem 1); where 0/0 is given
    a number, the domain grows. A place says that whatever the score says of two performances, the canonical score
    says too. So the score must be undefined wherever the canonical score is: a precision that takes 0/0 for 0 has no
    place, as it ranks performances without a positive call. It may be undefined at more performances, such as
    likelihood ratios where they are infinite, but at none without an empty cell.

    Parameters
    ----------
    score : Score, str or callable
    prevalence : float, optional
        Strictly between 0 and 1, for the order among performances of that prevalence. Without it, among all.
    prediction_rate : float, optional
        The same for performances of that rate of positive predictions; not of both.

    Returns
    -------
    tuple of float or None
        (a, b), or None if the score orders as no ranking score does. Where neither an importance nor a name tells the
        place of a plain function, it is exact to rounding.

    Raises
    ------
    ValueError
        If a rate is not strictly between 0 and 1, or both are given.

    References
    ----------
    Piérard et al., The Tile, Section 4.2, A.2, A.3 and Table 2; Foundations of the theory of performance-based ranking,
    A.7.3 and A.7.4.

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
    found = as_score(score)
    if fixed.predicted:
        # The Tile, Table 1: with truth and prediction exchanged, what is at (a, b) is at (a, 1 - b).
        mirrored = place(swapped(found), fixed.share)
        return None if mirrored is None else (mirrored[0], 1 - mirrored[1])
    if found.importance is not None and found.higher_is_better:
        return place_of_importance(found.importance)
    candidates = chain(places(prevalence), _of_rates(found, prevalence), _meeting_point(found, prevalence or 0.4))
    return next((at for at in candidates if _orders_alike(found, at, prevalence)), None)


def place_of_importance(importance: Mapping[str, float]) -> Place | None:
    """The place of a ranking score; None where it is constant, as all correct or all wrong outcomes weigh nothing.

    Examples
    --------
    >>> place_of_importance({"tn": 0.0, "fp": 1.0, "fn": 4.0, "tp": 5.0})
    (1.0, 0.8)
    """
    right, wrong = importance["tn"] + importance["tp"], importance["fp"] + importance["fn"]
    if right <= 0 or wrong <= 0:
        return None
    return float(importance["tp"] / right), float(importance["fn"] / wrong)


def places(prevalence: float | None) -> list[Place]:
    """The places of the orders that have a name, among all performances or those of a prevalence.

    Examples
    --------
    >>> len(places(None)), places(0.2)[-2:]
    (11, [(0.8, 0.8), (0.941..., 0.5)])
    """
    if prevalence is None:
        return list(NAMED)
    negative, positive = 1 - prevalence, prevalence
    balanced_accuracy = negative, negative
    kappa = negative**2 / (negative**2 + positive**2), 0.5
    return [*NAMED, balanced_accuracy, kappa]


def _of_rates(score: Score, prevalence: float | None) -> Iterator[Place]:
    """The place of a weighted accuracy (The Tile, Lemma 9)."""
    if isinstance(score.function, OfRates) and prevalence is not None:
        for_a = score.function.weight * (1 - prevalence)
        a = for_a / (for_a + (1 - score.function.weight) * prevalence)
        yield a, a


def _meeting_point(score: Score, prevalence: float) -> Iterator[Place]:
    """The place of the pencil that two level lines of the score in ROC space span, if they do.

    In homogeneous coordinates (FPR, TPR, 1) their meeting point is the vertex. The line from there through (1, 0) holds
    the performances of canonical score 0, that through (0, 1) those of score 1; their slopes tell a and b.
    """
    # Up and to the left is better for every preference, so that the lines differ.
    below, above = _level_line(score, prevalence, 0.4, 0.2), _level_line(score, prevalence, 0.2, 0.4)
    if below is None or above is None:
        return
    x, y, w = np.cross(below, above)
    negative, positive = 1 - prevalence, prevalence
    # a : 1 - a and b : 1 - b, up to a common sign
    for_a, for_b = np.array([(x - w) / positive, y / negative]), np.array([x / positive, (y - w) / negative])
    if for_a.sum() and for_b.sum():
        a, b = for_a[0] / for_a.sum(), for_b[0] / for_b.sum()
        if min(a, b) > -ROUNDING and max(a, b) < 1 + ROUNDING:
            yield round(min(max(float(a), 0.0), 1.0), 15), round(min(max(float(b), 0.0), 1.0), 15)


def _level_line(score: Score, prevalence: float, fpr: float, tpr: float) -> np.ndarray | None:
    """The line, in homogeneous coordinates, through the performances that score as one does; None if there is none.

    Better is up and to the left, so that the line crosses the way from a point further right to one further up.
    """
    from scipy.optimize import brentq

    def value(x: float, y: float) -> float:
        return float(score.of_cells(*cells_at(x, y, prevalence)))

    def excess(share: float) -> float:
        return value(fpr + REACH * (1 - share), tpr + REACH * share) - level

    level = value(fpr, tpr)
    worse, better = excess(0.0), excess(1.0)
    if not np.isfinite([worse, better]).all() or worse * better > 0:
        return None
    try:
        share = brentq(excess, 0.0, 1.0, xtol=1e-15)
    except ValueError:  # undefined on the way
        return None
    return np.cross([fpr, tpr, 1.0], [fpr + REACH * (1 - share), tpr + REACH * share, 1.0])


def _orders_alike(score: Score, at: Place, prevalence: float | None) -> bool:
    """Whether the score, by its direction, orders as the canonical score at a place wherever it is defined.

    Of three performances ordered by the canonical score, the middle one is equivalent to some mixture of the others.
    The score must agree on that, and on the order. One of the three may have empty cells, any of them: there the score
    may be undefined, but must not rank what the canonical score does not. The other two have none.
    """
    cells, inner = _triples(prevalence)
    canonical, values = canonical_values(cells, *at), score.of_cells(*cells)
    defined = ~np.isnan(values)
    if (defined & np.isnan(canonical)).any() or not defined[:, inner].all():
        return False
    seen = defined.all(axis=0)
    cells, canonical, values = cells[:, :, seen], canonical[:, seen], values[:, seen]
    # No performance without empty cells is as good as the best ones or as bad as the worst: these among themselves.
    extremes = (values[canonical == end] for end in (0.0, 1.0))
    if not all(_equal(extreme, extreme[:1]) for extreme in extremes):
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
    # A score without a direction is placed by the one direction that has a place.
    directed = {True: rises, False: falls, None: rises or falls}[score.higher_is_better]
    return bool(directed) and _equal(same, values[1])


def _equal(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether values agree up to rounding."""
    size = np.abs(others)
    return bool((np.abs(values - others) <= ROUNDING * (size + size.mean())).all()) if values.size else True


def _triples(prevalence: float | None, number: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Random performances (cell, 3, triple), and which triples lie inside; of the others the first has empty cells.

    Every set of cells that can be empty is, in as many triples.
    """
    full = np.array(list(product((True, False), repeat=4))[:-1])
    if prevalence is not None:  # both classes have cases
        full = full[full[:, :2].any(axis=1) & full[:, 2:].any(axis=1)]
    rng = np.random.default_rng(0)
    weights = rng.random((4, 3, len(full), number))
    weights[:, 0] *= full.T[:, :, None]
    weights = weights.reshape(4, 3, -1)
    if prevalence is None:
        cells = weights / weights.sum(axis=0)
    else:
        cells = np.concatenate(
            [share * row / row.sum(axis=0) for share, row in ((1 - prevalence, weights[:2]), (prevalence, weights[2:]))]
        )
    return cells, np.repeat(full.all(axis=1), number)


def canonical_values(cells: np.ndarray, a: Any, b: Any) -> np.ndarray:
    """The canonical score at a place, or at places that broadcast against each cell.

    Examples
    --------
    >>> canonical_values(np.array([0.5, 0.1, 0.1, 0.3]), 1.0, np.array([0.0, 0.5])).round(9).tolist()
    [0.75, 0.75]
    """
    return ratio(*_canonical_parts(cells, a, b))


def _canonical_parts(cells: np.ndarray, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """The importance of the right answers, and of all, by the canonical score at a place."""
    tn, fp, fn, tp = cells
    right = (1 - a) * tn + a * tp
    return right, right + (1 - b) * fp + b * fn
