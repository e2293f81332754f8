"""How much the evidence says about a ranked score: effective counts, degrees of freedom, and variances by chance."""

from dataclasses import replace
from functools import partial

import numpy as np
import xarray as xr

from bayesrank._notes import Note, notes_of
from bayesrank.performance.arrays import OUTCOME_DIMS, outcome_dims
from bayesrank.ranking._influence import class_strength, influence_of_tables, slopes_of
from bayesrank.ranking._information import (
    ENOUGH_FREEDOM,
    PRIOR_CASES,
    Information,
    average_inflation,
    cluster_information,
    count_discordant,
    excess_of_cases,
    freedom_of_cases,
)
from bayesrank.ranking._pairings import pairing_factor
from bayesrank.ranking.claims import NO_HEADLINE
from bayesrank.ranking.notes import is_average
from bayesrank.ranking.observed import Observed
from bayesrank.scores import Score

#: A class with at most this share of the cases is rare: a designed share may need a tenth of the cases.
RARE = 0.1


def information_of(evidence: Observed, score: Score | None, entities: int) -> Information:
    """Return the effective counts behind a ranking by ``score``."""
    if evidence.known is not None:
        return evidence.known
    own = notes_of(evidence.assembled.notes)
    found = Information(
        cases=evidence.size(entities),
        clusters=np.full(entities, np.nan),
        population=evidence.model.population or "",
        inflation=_inflation(evidence, score, entities),
        freedom=evidence.model.freedom_of_sets,
        datasets=float(evidence.model.datasets_of_learners or np.nan),
        repeats=float(evidence.model.repeats or np.nan),
        seeds=float(evidence.model.seeds or np.nan),
        errors_known=not evidence.model.errors_assumed,
        unidentified=next((note for note in own if note.code in NO_HEADLINE), None),
    )
    if evidence.model.probabilities:
        return _of_probabilities(evidence, found)
    if evidence.votes is not None:
        found = _of_votes(found, evidence.votes)
        return _of_few_labels(found, evidence.votes["labels"].values) if "labels" in evidence.votes else found
    if evidence.judged is not None:
        return _of_labels(evidence, found, score)
    if not found.population:
        seen = evidence.observed(score)
        found = replace(found, observed=None if seen is None else seen.values.astype(float))
    patterns = evidence.patterns
    if patterns is None or patterns.answers.shape[1] != entities:
        freedom = None if found.population else _freedom_of_table(evidence, score)
        return found if freedom is None else replace(found, freedom=np.minimum(freedom[:, None], freedom))
    discordant = count_discordant(patterns.answers, patterns.count, patterns.cluster)
    found = replace(found, discordant=discordant)
    prior = evidence.prior
    mass = np.inf if prior is None else float(prior.sum() / max(prior.sizes.get("entity", 1), 1))
    if patterns.cluster is None and mass >= PRIOR_CASES:
        return found
    weights = np.ones(1) if evidence.weights is None else evidence.weights
    influence = None if patterns.cluster is None else _influence(evidence, score)
    strength = None if influence is None else class_strength(influence, patterns, patterns.weights(evidence.weights))
    each = [patterns.sizes(i, strength) for i in range(entities)]
    if len(each[0]) != len(weights):  # sums over data sets
        each, weights = [[np.concatenate(parts)] for parts in each], np.ones(1)
    # Entities with the same cases, as usual, have the same numbers.
    keys = [b"|".join(part.tobytes() for part in parts) for parts in each]
    known = {key: cluster_information(parts, weights) for key, parts in dict(zip(keys, each, strict=True)).items()}
    freedom, factor = np.array([known[key] for key in keys]).T
    joint = np.minimum(freedom[:, None], freedom)
    if mass < PRIOR_CASES:
        joint = np.minimum(joint, np.maximum(discordant - 1, 0.0))
    found = replace(found, freedom=joint, inflation=np.maximum(found.inflation, factor))
    if patterns.cluster is None:
        return found
    if influence is not None and np.isfinite(factor).all():
        excess = excess_of_cases(influence, patterns.count, patterns.cluster, factor)
        found = replace(found, excess=excess)
    return replace(found, clusters=freedom + 1)


def _of_votes(found: Information, votes: xr.Dataset) -> Information:
    """Return the counts of votes, with wider sets if earlier votes may have chosen the pairs of a connected pool."""
    pool, wins, ties = (votes[name].values for name in ("pool", "wins", "ties"))
    # Votes do not compare entities of pools that no vote connects, however sure both strengths are.
    found = replace(found, freedom=np.where(pool[:, None] == pool, np.inf, 0.0))
    factor, uneven = 1.0, None
    for name in np.unique(pool):
        here = np.flatnonzero(pool == name)
        if len(here) < 3:
            continue
        among = np.ix_(here, here)
        own, close = pairing_factor(wins[among], ties[among])
        if own > factor:
            factor, fields = own, {"percent": 100 * (own - 1)}
            if not close:
                on_pairs = (wins + wins.T + ties)[among][np.triu_indices(len(here), 1)]
                fields |= {"fewest": int(on_pairs.min()), "most": int(on_pairs.max())}
            uneven = Note("close_strengths_met" if close else "votes_uneven", fields)
    return replace(found, inflation=found.inflation * factor, uneven=uneven)


def _of_probabilities(evidence: Observed, found: Information) -> Information:
    """Return the effective counts of predicted probabilities: cases, or clusters, of the rarest class."""
    area = evidence.hidden is not None
    least = evidence.model.fewest_of_class if area else sum(evidence.model.units)
    freedom = least - 1 if least < ENOUGH_FREEDOM else np.inf
    found = replace(found, freedom=freedom, observed=None if evidence.values is None else evidence.values.values)
    if evidence.model.clustered:
        found = replace(found, clusters=np.full(len(found.cases), least))
    return replace(found, of_class=least if area else np.nan)


def _of_labels(evidence: Observed, found: Information, score: Score | None) -> Information:
    """Return the effective counts of truth known in part: labelled cases, or clusters with a labelled case."""
    assert evidence.judged is not None
    seen, held = evidence.observed(score), evidence.judged["labels"]
    labels = held.sum([dim for dim in held.dims if dim != "entity"]).values.astype(float)
    found = replace(found, observed=None if seen is None else seen.values.astype(float))
    size = len(labels)
    if "judged_cluster" not in evidence.judged:
        return _of_few_labels(found, labels)
    found = replace(found, cases=labels)
    cluster = np.unique(evidence.judged["judged_cluster"].values, return_inverse=True)[1]
    known = np.broadcast_to(evidence.judged["judged_truth"].values >= 0, (len(cluster), size))
    count = evidence.judged["judged_count"].values
    each = [np.bincount(cluster, count * known[:, k]) for k in range(size)]
    freedom, factor = np.array([cluster_information([own[own > 0]], np.ones(1)) for own in each]).T
    found = replace(found, freedom=np.minimum(freedom[:, None], freedom), clusters=freedom + 1)
    return replace(found, inflation=np.maximum(found.inflation, factor))


def _of_few_labels(found: Information, labels: np.ndarray) -> Information:
    """Return the counts with known truths as cases, and fewer degrees of freedom where these are few."""
    few = np.where(labels < ENOUGH_FREEDOM, np.maximum(labels - 1.0, 0.0), np.inf)
    freedom = np.minimum(found.freedom, np.minimum(few[:, None], few))
    return replace(found, cases=labels.astype(float), freedom=freedom)


def _influence(evidence: Observed, score: Score | None) -> np.ndarray | None:
    """Return the change of the ranked quantity by each case of a pattern (pattern, entity); None if unknown."""
    patterns = evidence.patterns
    assert patterns is not None
    weight = patterns.weights(evidence.weights)
    if patterns.outcome is not None:
        mean = np.nansum(patterns.count[:, None] * weight * patterns.outcome, axis=0)
        known = None if evidence.values is None else evidence.values.values
        if known is None or not np.allclose(known, mean, rtol=1e-6, atol=1e-9):
            return None  # another quantity than the mean outcome is ranked
        return np.where(weight > 0, weight * (patterns.outcome - mean), 0.0)
    if score is None or patterns.actual is None or evidence.prior is None:
        return None
    frame = evidence.prior if "dataset" not in evidence.prior.dims else evidence.prior.isel(dataset=0, drop=True)
    return influence_of_tables(partial(evidence.score_of, score), frame, patterns, weight)


def sampling_variance(evidence: Observed, score: Score | None, entities: int) -> np.ndarray:
    """Return the variance of the observed value by chance (entity), NaN if unknown."""
    patterns, counts = evidence.patterns, evidence.counts
    unknown = np.full(entities, np.nan)
    if patterns is not None and patterns.answers.shape[1] == entities:
        influence = _influence(evidence, score)
        if influence is None:
            return unknown
        square = patterns.count @ np.square(influence)
        if patterns.cluster is None:
            return square
        return np.maximum(square, patterns.of_clusters(influence))
    if counts is None or score is None or "dataset" in counts.dims or evidence.shares is not None:
        return unknown
    dims = outcome_dims(counts)
    table = counts.transpose("entity", *dims)
    cases = table.values.reshape(entities, -1)
    total = cases.sum(axis=1, keepdims=True)
    if (total == 0).any() or (score.space == "outcomes") != ("outcome" in dims):
        return unknown
    slope = slopes_of(partial(evidence.score_of, score), table, cases / total)
    if slope is None:
        return unknown
    return (cases * np.where(cases > 0, np.square(slope), 0.0)).sum(axis=1) / total[:, 0] ** 2


def prior_cases(evidence: Observed, entities: int) -> np.ndarray:
    """Return the number of cases that the prior of each entity stands for (entity)."""
    if evidence.prior is None:
        return np.zeros(entities)
    return np.broadcast_to(evidence.prior.sum([d for d in evidence.prior.dims if d != "entity"]).values, entities)


def parts_of_pair(
    evidence: Observed, score: Score | None, one: int, other: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the variance of a difference within each class (negative, positive), and the cases of the class.

    None unless cases have two classes, one of them RARE, and all data sets are one.
    """
    counts, patterns = evidence.counts, evidence.patterns
    known = counts is not None and evidence.shares is None and "dataset" not in counts.dims
    if score is None or not known or counts is None or counts.sizes.get("actual") != 2:
        return None
    table = counts.transpose("entity", *OUTCOME_DIMS)
    cells = table.values[[one, other]].astype(float)
    cases = cells.sum(axis=2)
    if not (cases > 0).all() or (cases / cases.sum(axis=1, keepdims=True)).min() > RARE:
        return None
    if patterns is not None and patterns.actual is not None:
        influence = _influence(evidence, score)
        if influence is None:
            return None
        off, variance = influence[:, one] - influence[:, other], np.zeros(2)
        for c, label in enumerate(table["actual"].values.tolist()):
            here = patterns.actual == label
            mean = np.average(off[here], weights=patterns.count[here])
            variance[c] = patterns.count[here] @ np.square(off[here] - mean)
        return variance, cases[0]
    shares = cells / cells.sum(axis=(1, 2), keepdims=True)
    slope = slopes_of(partial(evidence.score_of, score), table[[one, other]], shares.reshape(2, 4))
    if slope is None:
        return None
    slope = np.where(shares > 0, slope.reshape(shares.shape), 0.0)
    mean = (shares * slope).sum(axis=2, keepdims=True) / shares.sum(axis=2, keepdims=True)
    within = (shares * np.square(slope - mean)).sum(axis=2) / cells.sum(axis=(1, 2))[:, None]
    return within.sum(axis=0), cases.min(axis=0)


def _freedom_of_table(evidence: Observed, score: Score | None) -> np.ndarray | None:
    """Return the degrees of freedom of scores of independent tables (entity); None if unknown or enough."""
    counts = evidence.counts
    if counts is None or evidence.prior is None or "dataset" in counts.dims or evidence.shares is not None:
        return None
    dims = outcome_dims(counts)
    if score is None or (score.space == "outcomes") != ("outcome" in dims):
        return None
    table = counts.transpose("entity", *dims)
    cells = table.values.reshape(len(table), -1 if "outcome" in dims else table.sizes["actual"], table.shape[-1])
    cases = cells.sum(axis=2)
    if not len(table) or (cases[cases.sum(axis=1) > 0] > ENOUGH_FREEDOM).all():
        return None
    cells = cells + evidence.prior.transpose("entity", *dims).values.reshape(cells.shape)
    cells[cells.sum(axis=(1, 2)) == 0] = 1.0  # nothing is known of them, so any shares serve
    shares = cells / cells.sum(axis=(1, 2), keepdims=True)
    slope = slopes_of(partial(evidence.score_of, score), table, shares.reshape(len(table), -1))
    if slope is None:
        return None
    variance = (shares * np.square(slope.reshape(shares.shape))).sum(axis=2)
    return freedom_of_cases(variance, cases)


def _inflation(evidence: Observed, score: Score | None, entities: int) -> np.ndarray:
    """Return the factor by which intervals of averages over small classes or data sets are too narrow (entity)."""
    found = np.ones(entities)
    if evidence.counts is None or evidence.prior is None or evidence.about is None or evidence.about.population:
        return found
    for dim, averaged in (("actual", is_average(score)), ("dataset", evidence.weights is not None)):
        if not averaged or dim not in evidence.counts.dims:
            continue
        cases, mass = (
            array.sum([d for d in array.dims if d not in ("entity", dim)]).transpose("entity", dim).values
            for array in (evidence.counts, evidence.prior)
        )
        weights = evidence.weights if dim == "dataset" else np.ones(cases.shape[1])
        if weights is not None and len(weights) == cases.shape[1]:  # no data set has weight 0
            each = [average_inflation(n, a, weights) for n, a in zip(cases, mass, strict=True)]
            found = np.maximum(found, each)
    return found
