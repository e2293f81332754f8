"""What cases with the answers of all entities are worth."""

from dataclasses import replace
from functools import partial

import numpy as np

from bayesrank.claims.effective import Information
from bayesrank.claims.information.clusters import NEARLY_EQUAL, count_varying, excess_of_cases
from bayesrank.claims.information.influence import class_strength, influence_of_tables
from bayesrank.claims.information.skewness import reach_of_pairs
from bayesrank.claims.information.tables import parts_of_tables, rare_class_of_pair, with_observed
from bayesrank.claims.observed import Observed
from bayesrank.evidence.kinds import CaseEvidence
from bayesrank.evidence.patterns import count_discordant
from bayesrank.evidence.units import cluster_information
from bayesrank.scores import Score

#: Discordant cases that a claim about right and wrong answers adds to those of the data. Fewer are
#: in the prior: with these alone, one of two equal entities was called best in 0.068 of boards of
#: 20 cases (standard error 0.013).
PRIOR_CASES = 2.0
#: A prior equivalent to fewer cases does not compensate for few discordant cases.
FEWEST_PRIOR_CASES = 1.0 - 1e-9


def weigh_cases(
    evidence: CaseEvidence, observed: Observed, score: Score | None, information: Information
) -> Information:
    """Return the effective counts of cases or clusters, and of those on which entities differ."""
    information = _weigh(evidence, observed, score, information)
    if not (spread := observed.model.draws_spread):
        return information
    # The draws have been spread as few cases need, as the claims do by themselves; of data sets,
    # the least is known.
    entities = evidence.answers.shape[1]
    done = (
        np.array(spread).reshape(entities, -1).min(axis=1)
        if len(spread) % entities == 0
        else np.ones(entities)
    )
    return replace(information, inflation=information.inflation / done)


def _weigh(
    evidence: CaseEvidence, observed: Observed, score: Score | None, information: Information
) -> Information:
    information = with_observed(observed, score, information)
    discordant = count_discordant(evidence.answers, evidence.count, evidence.cluster, evidence.each)
    information = replace(information, discordant=discordant)
    prior = observed.prior
    mass = np.inf if prior is None else float(prior.sum() / max(prior.sizes.get("entity", 1), 1))
    if (
        observed.model.prior == "haldane"
        and evidence.outcome is not None
        and not evidence.right_or_wrong
    ):
        reach = reach_of_pairs(evidence.outcome, evidence.count, evidence.cluster, evidence.each)
        information = replace(information, reach=reach)
    if (
        evidence.cluster is None
        and mass >= FEWEST_PRIOR_CASES
        and (evidence.outcome is None or evidence.right_or_wrong)
    ):
        # Of the prior's cases, half differ.
        excess = np.sqrt((discordant + PRIOR_CASES) / (discordant + min(mass / 2, PRIOR_CASES)))
        return replace(information, excess=excess)
    if evidence.cluster is None and mass >= PRIOR_CASES:
        return information
    influence = None if evidence.cluster is None else influence_of(evidence, observed, score)
    strength = (
        None
        if influence is None
        else class_strength(influence, evidence, evidence.weights(observed.weights))
    )
    sizes = [evidence.sizes(i, strength) for i in range(evidence.answers.shape[1])]
    weights = np.ones(1) if observed.weights is None else observed.weights
    if len(sizes[0]) != len(weights):  # sums over data sets
        sizes, weights = [[np.concatenate(parts)] for parts in sizes], np.ones(1)
    freedom, factor = _information_of_sizes(sizes, weights)
    joint = np.minimum(np.minimum(freedom[:, None], freedom), information.freedom)
    if mass < PRIOR_CASES:
        joint = np.minimum(joint, np.maximum(discordant - 1, 0.0))
    information = replace(
        information, freedom=joint, inflation=np.maximum(information.inflation, factor)
    )
    if evidence.cluster is None:
        return information
    if influence is not None and np.isfinite(factor).all():
        excess = excess_of_cases(influence, evidence, factor)
        information = replace(information, excess=excess)
    if not observed.model.draws_spread:
        # Of a single cluster, no variance is known: its interval is the whole range.
        information = replace(
            information,
            freedom_of_interval=np.where(np.isfinite(factor), freedom, np.inf),
            factor_of_interval=factor,
            varying=np.inf if influence is None else count_varying(influence, evidence, strength),
        )
    nearly_equal = all(
        part.max(initial=0.0) <= NEARLY_EQUAL * part.min(initial=np.inf)
        for own in sizes
        for part in own
    )
    return replace(information, clusters=freedom + 1, nearly_equal=nearly_equal)


def _information_of_sizes(
    sizes: list[list[np.ndarray]], weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the degrees of freedom and the factor of variances of each entity, from sizes of its clusters."""
    # Entities with the same cases, as usual, have the same numbers.
    keys = [b"|".join(part.tobytes() for part in parts) for parts in sizes]
    by_key = {
        key: cluster_information(parts, weights)
        for key, parts in dict(zip(keys, sizes, strict=True)).items()
    }
    freedom, factor = np.array([by_key[key] for key in keys]).T
    return freedom, factor


def influence_of(
    evidence: CaseEvidence, observed: Observed, score: Score | None
) -> np.ndarray | None:
    """Return the change of the ranked quantity by each case of a pattern (pattern, entity); None if unknown."""
    weight = evidence.weights(observed.weights)
    if evidence.outcome is not None:
        mean = np.nansum(evidence.count[:, None] * weight * evidence.outcome, axis=0)
        observed_values = None if observed.values is None else observed.values.values
        if observed_values is None or not np.allclose(observed_values, mean, rtol=1e-6, atol=1e-9):
            return None  # another quantity than the mean outcome is ranked
        return np.where(weight > 0, weight * (evidence.outcome - mean), 0.0)
    if score is None or evidence.actual is None or observed.prior is None:
        return None
    frame = (
        observed.prior
        if "dataset" not in observed.prior.dims
        else observed.prior.isel(dataset=0, drop=True)
    )
    return influence_of_tables(partial(observed.score_of, score), frame, evidence, weight)


def variance_of_cases(
    evidence: CaseEvidence, observed: Observed, score: Score | None, entities: int
) -> np.ndarray:
    """Return the variance of the observed value by chance (entity), NaN if unknown."""
    influence = influence_of(evidence, observed, score)
    if influence is None:
        return np.full(entities, np.nan)
    square = evidence.squares @ np.square(influence)
    return (
        square if evidence.cluster is None else np.maximum(square, evidence.of_clusters(influence))
    )


def parts_of_cases(
    evidence: CaseEvidence, observed: Observed, score: Score | None, one: int, other: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the variance of a difference within each class (negative, positive), and the cases of the class."""
    if evidence.actual is None:
        return parts_of_tables(observed, score, one, other)
    pair = rare_class_of_pair(observed, score, one, other)
    influence = None if pair is None else influence_of(evidence, observed, score)
    if pair is None or influence is None:
        return None
    off, variance = influence[:, one] - influence[:, other], np.zeros(2)
    for c, label in enumerate(pair.table["actual"].values.tolist()):
        of_label = evidence.actual == label
        mean = np.average(off[of_label], weights=evidence.count[of_label])
        variance[c] = evidence.squares[of_label] @ np.square(off[of_label] - mean)
    return variance, pair.sizes[0]
