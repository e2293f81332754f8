"""Scores of outcomes without classes, such as grades, costs, or right and wrong answers."""

from bayesrank.scores.names import INFINITY, add
from bayesrank.scores.score import Score, mean_of_outcomes

add(
    Score(
        "mean_outcome",
        None,
        formula="E(outcome), from the smallest to the largest outcome of a case",
        # Both follow from the outcomes.
        range=(-INFINITY, INFINITY),
        finite_mean=False,
        depends_on_prevalence=False,
        outcome_function=mean_of_outcomes,
        domain="outcomes are numbers",
        reference="Definition",
    )
)
