"""Entities with identical evidence, whose numbers must be identical: draws alone would differ by Monte-Carlo error."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.evidence.counts import parts_of
from bayesrank.evidence.kinds.swaps import groups_of
from bayesrank.evidence.weighting import unit_weight_of
from bayesrank.ranking._confidence import RankSets
from bayesrank.ranking.evidence import Evidence
from bayesrank.scores import Score

#: Means of draws of exchangeable entities differ by more standard errors almost never.
FAR = 6.0


def identical_groups(evidence: Evidence, entities: int, by_prevalence: bool = True) -> list[np.ndarray]:
    """Return the groups of entities (indices) that the model may swap without a change, two members at least.

    These have equal counts and priors, on their own or on a common test set, or on any test sets if the score does not
    depend on the prevalence (``by_prevalence``); in paired evidence, swapping the columns
    of two members leaves the patterns of answers as they are. Only posteriors of :func:`bayesrank.fit` have groups:
    the model of another posterior may distinguish its entities.
    """
    if evidence.model.model is None:
        return []
    if (alike := evidence.behind.interchangeable(entities)) is not None:
        return alike
    if evidence.tables is None or evidence.tables.sizes["entity"] != entities:
        return []
    arrays = [_rows(evidence.tables), _rows(evidence.tables.copy(data=unit_weight_of(evidence.tables)))]
    if (parts := parts_of(evidence.tables)) is not None:
        arrays.append(_rows(parts))
    if evidence.prior is not None and "entity" in evidence.prior.dims:
        arrays.append(_rows(evidence.prior))
    test_set = evidence.tables.coords.get("test_set")
    shared = _shared_names(test_set) if test_set is not None and by_prevalence else np.full(entities, "")
    return groups_of([(name, *(row.tobytes() for row in rows)) for name, *rows in zip(shared, *arrays, strict=True)])


def depends_on_prevalence(score: Score | None) -> bool:
    """Return whether a score depends on the prevalence, or may do so if it is not known."""
    return score is None or score.depends_on_prevalence


def agree(groups: list[np.ndarray], x: np.ndarray, effective_size: np.ndarray) -> list[np.ndarray]:
    """Return the groups whose means over draws ``x`` (draw, entity) agree; draws may have been replaced by others."""
    kept = []
    for group in groups:
        part = x[:, group]
        known = ~np.isnan(part)
        if not known.any(axis=0).all():
            continue
        mean = np.nanmean(part, axis=0)
        error = np.nanstd(part, axis=0) / np.sqrt(np.nan_to_num(effective_size[group], nan=len(x)))
        if np.ptp(mean) <= FAR * np.sqrt(2) * error.max() + 1e-12 * np.abs(mean).max():
            kept.append(group)
    return kept


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
        apart = ~np.eye(len(group), dtype=bool)
        averaged[inside] = np.where(apart, values[inside][apart].mean(), values[inside])
    return averaged


def hold_within(groups: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """Return truth values (entity, ...) that are true for a group if they were true for all of its members."""
    held = values.copy()
    for group in groups:
        held[group] = held[group].all(axis=0)
    return held


def hold_pairs(groups: list[np.ndarray], sure: np.ndarray) -> np.ndarray:
    """Return sure pairs (entity, rival) that hold for all members of the groups of both; no pair within a group."""
    held = hold_within(groups, hold_within(groups, sure).T).T
    for group in groups:
        held[np.ix_(group, group)] = False
    return held


def hold_sets(groups: list[np.ndarray], sets: RankSets) -> RankSets:
    """Return what is sure of all members of each group."""
    alone = sets.alone
    if alone is not None:
        alone = hold_pairs(groups, alone[0]), hold_pairs(groups, alone[1])
    return sets._replace(above=hold_pairs(groups, sets.above), not_best=hold_within(groups, sets.not_best), alone=alone)


def _rows(array: xr.DataArray) -> np.ndarray:
    """Return the values of each entity in one row."""
    return np.ascontiguousarray(array.transpose("entity", ...).values.reshape(array.sizes["entity"], -1).astype(float))


def _shared_names(test_set: xr.DataArray) -> np.ndarray:
    """Return the names of the test sets of each entity; empty for test sets that no other entity has."""
    names = test_set.transpose("entity", ...).values.astype(str)
    names = names.reshape(len(names), -1)
    for column in names.T:
        labels, number = np.unique(column, return_counts=True)
        column[np.isin(column, labels[number == 1])] = ""
    return np.array(["\n".join(row) for row in names])
