"""Comparison of the orders that two scores induce."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import rename_argument
from bayesrank._core.errors import ArgumentError
from bayesrank._core.types import ScoreLike
from bayesrank.scores.names import as_score
from bayesrank.scores.placement import fixed_rate
from bayesrank.scores.score import cells_at
from bayesrank.theory.axioms import lattice

#: Steps of the lattice, with many ties, and number of random performances.
STEPS, RANDOM = 12, 4000


@check_call
def compare_orders(
    score: ScoreLike,
    other: Any,
    prevalence: float | None = None,
    *,
    prediction_rate: float | None = None,
) -> xr.Dataset:
    """Test whether two scores order performances alike, each by its own direction (The Tile, Lemma 10).

    A difference is proved by the counterexample. Agreement means that none was found among 4,000
    random performances and a lattice. It is a theorem if both scores are of the catalogue or of an
    importance, and :func:`bayesrank.place` gives them the same position.

    Parameters
    ----------
    score, other : Score, str, callable, importance or place
        A score without direction counts as higher-is-better.
    prevalence, prediction_rate : float, optional
        Compare only performances with this prevalence, or this share of positive predictions; not
        both.

    Returns
    -------
    xarray.Dataset
        ``alike``: whether both give the same order where both are defined; ``opposite``: whether
        one gives the reverse order; ``same_domain``: whether both are defined for the same
        performances (infinite counts as undefined). ``counterexample`` (``role``, ``actual``,
        ``predicted``), ``score_value`` and ``other_value`` (``role``): two performances in
        different orders; NaN if alike. ``verdict``: the result in words.

    Examples
    --------
    >>> compare_orders("informedness", "balanced_accuracy")["verdict"].item()
    'informedness and balanced_accuracy order alike'
    >>> compare_orders("f1", "accuracy")["alike"].item()
    False
    """
    fixed = fixed_rate(prevalence, prediction_rate)
    first_score = as_score(score)
    with rename_argument("other", "score"):
        two = as_score(other)
    points = _performances(fixed.share)
    if fixed.predicted:
        points = points[[0, 2, 1, 3]]
    values, others = (
        one.of_cells(*points) * (-1.0 if one.higher_is_better is False else 1.0)
        for one in (first_score, two)
    )
    defined = ~np.isnan(values), ~np.isnan(others)
    both = defined[0] & defined[1]
    if both.sum() < 2:
        raise ArgumentError(
            "score",
            f"and other must be defined for common performances; {first_score.name!r} and {two.name!r} have none",
        )
    points, values, others = points[:, both], values[both], others[both]
    disagreement = _disagreement(values, others)
    opposite = disagreement is not None and _disagreement(values, -others) is None
    same = bool((defined[0] == defined[1]).all())
    pair = np.full((2, 4), np.nan) if disagreement is None else points[:, list(disagreement)].T
    order = "alike"
    if disagreement is not None:
        order = "in opposite ways" if opposite else "differently"
    words = f"{first_score.name} and {two.name} order {order}{fixed.words()}"
    if order != "differently" and not same:
        words += ", where both are defined"
    labels = ["negative", "positive"]
    return xr.Dataset(
        {
            "alike": ((), disagreement is None),
            "opposite": ((), opposite),
            "same_domain": ((), same),
            "counterexample": (("role", "actual", "predicted"), pair.reshape(2, 2, 2)),
            "score_value": ("role", first_score.of_cells(*pair.T)),
            "other_value": ("role", two.of_cells(*pair.T)),
            "verdict": ((), words),
        },
        {"role": ["first", "second"], "actual": labels, "predicted": labels},
    )


def _disagreement(values: np.ndarray, others: np.ndarray) -> tuple[int, int] | None:
    """Return two performances in different orders; None if there are none.

    Ties count: if one score is equal, the other must be equal too.
    """
    from bayesrank._core.kendall import dense_ranks

    first, second = dense_ranks(values), dense_ranks(others)
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    # Comparing neighbours suffices: in equal orders, both ranks rise together, one at a time.
    steps = np.sign(np.diff(first)), np.sign(np.diff(second))
    wrong = np.flatnonzero(steps[0] != steps[1])
    if not wrong.size:
        return None
    # Among neighbours that disagree, choose those with differences above rounding.
    gaps = np.sum(
        [np.abs(np.diff(x[order])) / (np.ptp(x) or 1.0) for x in (values, others)], axis=0
    )
    best = wrong[np.argmax(gaps[wrong])]
    return int(order[best]), int(order[best + 1])


def _performances(prevalence: float | None) -> np.ndarray:
    """Return performances (cell, point): a lattice, with ties and empty cells, and random ones."""
    rng = np.random.default_rng(0)
    if prevalence is None:
        others = rng.dirichlet(np.ones(4), RANDOM).T
    else:
        fpr, tpr = rng.random((2, RANDOM))
        others = np.array(cells_at(fpr, tpr, prevalence))
    return np.hstack([lattice(STEPS, prevalence), others])
