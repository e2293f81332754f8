"""More labels for cases that a judge, or the tests themselves, gave verdicts on."""

from dataclasses import replace

import numpy as np

from bayesrank._core.draws import draw_dims
from bayesrank.evidence.kinds import JudgedEvidence
from bayesrank.performance.arrays import as_performance
from bayesrank.planning.futures import gradient
from bayesrank.planning.preposterior import Preposterior, Request


def update_judged(evidence: JudgedEvidence, source: Preposterior, request: Request) -> Preposterior:
    """Return how much more labels of the same cases would reduce the uncertainty.

    The rest is the variance between cases of what their verdicts say on the scores.
    """
    moves = (_moves_of_rates if evidence.of_outcomes else _moves_of_tables)(evidence, source)
    fixed = (moves * evidence.count[:, None]).T @ moves
    values, vectors = np.linalg.eigh(source.covariance - fixed)
    within = (vectors * np.maximum(values, 0.0)) @ vectors.T
    labels = evidence.labels[source.keep]
    most = max(float((evidence.cases[source.keep] - labels).min()), 1.0)
    retained = "verdicts" if evidence.of_outcomes else "cases"
    return replace(
        source.normal(labels, within, unit=evidence.independent_unit, fixed=retained), most=most
    )


def _moves_of_rates(evidence: JudgedEvidence, source: Preposterior) -> np.ndarray:
    """Return how far each case moves the mean outcome (pattern, entity) by its verdict, whose rate has one more case.

    The additional case has the rate of the entity.
    """
    verdict, truth, count = (
        evidence.verdict[:, source.keep],
        evidence.truth[:, source.keep],
        evidence.count,
    )
    moves = np.zeros(verdict.shape)
    for k in range(verdict.shape[1]):
        has_verdict, has_truth = verdict[:, k] >= 0, truth[:, k] >= 0
        size = int(verdict[:, k].max()) + 1
        labels, hits = (
            np.bincount(verdict[has_truth, k], count[has_truth] * one, size)
            for one in (1, truth[has_truth, k])
        )
        common = (hits.sum() + 1) / (labels.sum() + 2)
        own = ((hits + common) / (labels + 1))[verdict[has_verdict, k]]
        moves[has_verdict, k] = (own - np.average(own, weights=count[has_verdict])) / count[
            has_verdict
        ].sum()
    return moves


def _moves_of_tables(evidence: JudgedEvidence, source: Preposterior) -> np.ndarray:
    """Return how far each case moves the score of a table (pattern, entity) by the predictions of all tests.

    The class of a case has the shares of the verified cases with equal predictions, and of one case
    more.
    """
    verdict, truth, count = evidence.verdict, evidence.truth[:, 0], evidence.count
    performance = as_performance(source.posterior, source.kind).isel(entity=source.keep)
    tables = (
        performance.mean(draw_dims(performance)).transpose("entity", "actual", "predicted").values
    )
    stratum = np.unique(verdict, axis=0, return_inverse=True)[1].ravel()
    labelled = np.zeros((stratum.max() + 1, tables.shape[1]))
    has_truth = truth >= 0
    np.add.at(labelled, (stratum[has_truth], truth[has_truth]), count[has_truth])
    pooled = labelled.sum(axis=0) + 1
    share = (labelled + pooled / pooled.sum()) / (labelled.sum(axis=1, keepdims=True) + 1)
    slope = gradient(source.table_score(np.ones(tables.shape[:2], bool)), tables)
    guesses = verdict[:, source.keep]
    gains = [
        (share[stratum] * own[:, guess].T).sum(axis=1)
        for own, guess in zip(slope, guesses.T, strict=True)
    ]
    moves = np.stack(gains, axis=1)
    return (moves - np.average(moves, axis=0, weights=count)) / count.sum()
