"""Entities with identical evidence, whose numbers must be identical: draws alone would differ by Monte-Carlo error."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.evidence.counts import parts_of
from bayesrank.ranking._information import Patterns
from bayesrank.ranking.evidence import Evidence

#: Means of draws of exchangeable entities differ by more standard errors almost never.
FAR = 6.0


def identical_groups(evidence: Evidence, entities: int) -> list[np.ndarray]:
    """Return the groups of entities (indices) that the model may swap without a change, two members at least.

    These have equal counts and priors, on their own or on a common test set; in paired evidence, swapping the columns
    of two members leaves the patterns of answers as they are. Only posteriors of :func:`bayesrank.fit` have groups:
    the model of another posterior may distinguish its entities.
    """
    if evidence.model.model is None:
        return []
    if evidence.seeds is not None:
        # Equal outcomes of averages do not show equal models.
        return []
    if evidence.patterns is not None:
        return _of_patterns(evidence.patterns, entities)
    if evidence.judged is not None:
        return _of_patterns(_of_judged(evidence.judged, entities), entities)
    if evidence.votes is not None:
        if "labels" in evidence.votes:
            return []  # votes of judges distinguish entities, too
        return _of_votes(*(evidence.votes[name].values for name in ("wins", "ties")))
    if evidence.tables is None or evidence.tables.sizes["entity"] != entities:
        return []
    arrays = [_rows(evidence.tables)]
    if (parts := parts_of(evidence.tables)) is not None:
        arrays.append(_rows(parts))
    if evidence.prior is not None and "entity" in evidence.prior.dims:
        arrays.append(_rows(evidence.prior))
    test_set = evidence.tables.coords.get("test_set")
    shared = np.full(entities, "") if test_set is None else _shared_names(test_set)
    return _groups([(name, *(row.tobytes() for row in rows)) for name, *rows in zip(shared, *arrays, strict=True)])


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


def _groups(keys: list[Any]) -> list[np.ndarray]:
    members: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    return [np.array(group) for group in members.values() if len(group) > 1]


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


def _of_votes(wins: np.ndarray, ties: np.ndarray) -> list[np.ndarray]:
    """Return the groups of entities with the same votes against every other one, and even votes among themselves."""
    found, left = [], list(range(len(wins)))
    while left:
        first, *others = left
        alike = [i for i in others if _same_votes(wins, ties, first, i)]
        if alike:
            found.append(np.array([first, *alike]))
        left = [i for i in others if i not in alike]
    return found


def _same_votes(wins: np.ndarray, ties: np.ndarray, one: int, other: int) -> bool:
    order = np.arange(len(wins))
    order[[one, other]] = other, one
    return all((votes == votes[np.ix_(order, order)]).all() for votes in (wins, ties))


def _of_judged(judged: xr.Dataset, entities: int) -> Patterns:
    """Return patterns whose answers are pairs of a verdict and a truth, known or not."""
    verdict, truth = (judged[name].values for name in ("judged_verdict", "judged_truth"))
    truth = np.broadcast_to(truth, verdict.shape)
    pair = verdict * (truth.max() + 2) + truth + 1
    named = (judged.get("judged_cluster"), judged.get("judged_dataset"))
    cluster, dataset = (None if held is None else held.values for held in named)
    count = judged["judged_count"].values.astype(float)
    return Patterns(np.where(verdict < 0, -1, pair), count, cluster, dataset, by_case=True)


def _of_patterns(patterns: Patterns, entities: int) -> list[np.ndarray]:
    """Return the groups of columns that may be swapped; only columns with equal answers in number are tried."""
    answers = patterns.answers
    if answers.shape[1] != entities:
        return []
    where: Callable[[int], np.ndarray] = lambda i: answers[:, i]  # noqa: E731
    margins = [tuple(np.bincount(where(i) + 1, patterns.count).tolist()) for i in range(entities)]
    found = []
    for candidates in _groups(margins):
        left = candidates.tolist()
        while len(left) > 1:
            first, *others = left
            alike = [other for other in others if _may_swap(patterns, first, other)]
            if alike:
                found.append(np.array([first, *alike]))
            left = [other for other in others if other not in alike]
    return found


def _may_swap(patterns: Patterns, one: int, other: int) -> bool:
    """Return whether swapping the answers of two entities leaves the weighted patterns as they are."""
    answers = patterns.answers
    differ = answers[:, one] != answers[:, other]
    if not differ.any():
        return True
    swapped = answers[differ].copy()
    swapped[:, [one, other]] = swapped[:, [other, one]]
    return _tally(patterns, answers[differ], differ) == _tally(patterns, swapped, differ)


def _tally(patterns: Patterns, rows: np.ndarray, kept: np.ndarray) -> dict[Any, float]:
    """Return the number of cases of each pattern, cluster and data set."""
    places = [
        part[kept].tolist() if part is not None else [0] * len(rows) for part in (patterns.cluster, patterns.dataset)
    ]
    found: dict[Any, float] = defaultdict(float)
    for row, count, *where in zip(rows, patterns.count[kept].tolist(), *places, strict=True):
        found[row.tobytes(), *where] += count
    return found
