"""Scores of outcomes without classes, such as grades, costs, or right and wrong answers."""

import numpy as np

from bayesrank.scores.names import INFINITY, add
from bayesrank.scores.score import Score, ratio


def _mean(tables: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    # A product of matrices would sum equal rows in different orders.
    return ratio(np.einsum("...i,i->...", tables, outcomes), tables.sum(axis=-1))


add(
    Score(
        "mean_outcome",
        None,
        formula="E(outcome), from the smallest to the largest outcome of a case",
        # Both follow from the outcomes.
        range=(-INFINITY, INFINITY),
        finite_mean=False,
        depends_on_prevalence=False,
        outcome_function=_mean,
        domain="outcomes are numbers",
        reference="Definition",
    )
)
