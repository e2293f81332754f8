"""Entities with identical evidence, whose numbers must be identical: draws alone would differ by Monte-Carlo error."""

from typing import Any

import numpy as np

from bayesrank.evidence.kinds.swaps import Fitted
from bayesrank.ranking._confidence import RankSets
from bayesrank.ranking.evidence import RankingEvidence
from bayesrank.scores import Score

#: Means of draws of exchangeable entities differ by more standard errors almost never.
FAR = 6.0


def identical_groups(
    evidence: RankingEvidence, entities: int, by_prevalence: bool = True
) -> list[np.ndarray]:
    """Return the groups of entities (indices) that the model may swap without a change, two members at least.

    Only posteriors of :func:`bayesrank.fit` have groups: the model of another posterior may
    distinguish its entities.
    """
    if evidence.model.model is None:
        return []
    fitted = Fitted(entities, evidence.tables, evidence.prior, by_prevalence)
    return evidence.behind.interchangeable(fitted)


def depends_on_prevalence(score: Score | None) -> bool:
    """Return whether a score depends on the prevalence, or may do so if it is not known."""
    return score is None or score.depends_on_prevalence


def agree(groups: list[np.ndarray], x: np.ndarray, effective_size: np.ndarray) -> list[np.ndarray]:
    """Return the groups whose means over draws ``x`` (draw, entity) agree; draws may have been replaced by others."""
    retained = []
    for group in groups:
        part = x[:, group]
        defined = ~np.isnan(part)
        if not defined.any(axis=0).all():
            continue
        mean = np.nanmean(part, axis=0)
        error = np.nanstd(part, axis=0) / np.sqrt(np.nan_to_num(effective_size[group], nan=len(x)))
        if np.ptp(mean) <= FAR * np.sqrt(2) * error.max() + 1e-12 * np.abs(mean).max():
            retained.append(group)
    return retained


def average_within(groups: list[np.ndarray], values: Any) -> Any:
    """Return values (entity, ...) in which each member of a group has the mean of the group."""
    averaged = np.array(values, float)
    for group in groups:
        averaged[group] = averaged[group].mean(axis=0)
    return averaged


def lowest_within(groups: list[np.ndarray], ranks: np.ndarray) -> np.ndarray:
    """Return ranks (entity), each the lowest of its group."""
    ranks = ranks.copy()
    for group in groups:
        ranks[group] = ranks[group].min()
    return ranks


def average_pairs(groups: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """Return values (entity, rival), averaged over the members of the groups of both; the diagonal stays."""
    averaged = average_within(groups, average_within(groups, values).T).T
    np.fill_diagonal(averaged, np.diag(values))
    for group in groups:
        inside = np.ix_(group, group)
        off_diagonal = ~np.eye(len(group), dtype=bool)
        averaged[inside] = np.where(
            off_diagonal, values[inside][off_diagonal].mean(), values[inside]
        )
    return averaged


def hold_within(groups: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """Return truth values (entity, ...) that are true for a group if they were true for all of its members."""
    shared = values.copy()
    for group in groups:
        shared[group] = shared[group].all(axis=0)
    return shared


def hold_pairs(groups: list[np.ndarray], sure: np.ndarray) -> np.ndarray:
    """Return sure pairs (entity, rival) that hold for all members of the groups of both; no pair within a group."""
    shared = hold_within(groups, hold_within(groups, sure).T).T
    for group in groups:
        shared[np.ix_(group, group)] = False
    return shared


def hold_sets(groups: list[np.ndarray], sets: RankSets) -> RankSets:
    """Return what is sure of all members of each group."""
    alone = sets.alone
    if alone is not None:
        alone = hold_pairs(groups, alone[0]), hold_pairs(groups, alone[1])
    return sets._replace(
        above=hold_pairs(groups, sets.above),
        not_best=hold_within(groups, sets.not_best),
        alone=alone,
    )
