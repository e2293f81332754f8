"""More cases, clusters or runs of evidence that is known case by case, and more training seeds of its models."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names, unique_rows
from bayesrank.evidence.kinds import CaseEvidence
from bayesrank.evidence.kinds.cases import TrainingSeeds
from bayesrank.performance.arrays import as_performance
from bayesrank.planning.preposterior import Preposterior, Request, known_shares, outcome_score
from bayesrank.planning.updates.joint import JointOutcomes, PairedPatterns
from bayesrank.planning.updates.tables import alternative_classes
from bayesrank.scores._against_rest import mark_classes


def units_of_cases(evidence: CaseEvidence) -> list[str]:
    """Return which units can be added."""
    if evidence.training is not None:
        return ["training seeds"]
    return [*["clusters"] * evidence.clustered, "cases", *["runs"] * (evidence.runs > 0)]


def update_cases(evidence: CaseEvidence, source: Preposterior, request: Request) -> Preposterior:
    """Return how more units would update the scores of cases."""
    if evidence.training is not None:
        return _of_seeds(evidence.training, source)
    if not source.about.paired:
        raise ArgumentError(
            "posterior",
            "must come from cases with a known truth, which shows how much one more case adds",
        )
    if request.more == "runs":
        return _of_runs(evidence, source)
    # Entities with the same answers to all cases have the same draws: only the prior could separate
    # them.
    twin = evidence.first_identical(source.keep)
    source = replace(source, draws=source.draws[:, twin], twin=twin)
    if evidence.clustered and request.more == "cases":
        return _same_clusters(evidence, source)
    return _of_patterns(evidence, source, request)


def alternatives_of_cases(evidence: CaseEvidence, source: Preposterior) -> dict[str, Request]:
    """Return requests for other kinds of new units, by their names."""
    if evidence.training is not None:
        return {"more training seeds": Request()}
    kinds = {}
    if evidence.clustered:
        kinds = {
            "more clusters": Request("clusters"),
            "more cases of the same clusters": Request("cases"),
        }
    elif evidence.runs:
        kinds = {"more cases": Request(), "more runs of the same cases": Request("runs")}
    kinds = kinds or alternative_classes(source)
    if len(source.groups["posterior"]["entity"]) > 1:
        kinds = (kinds or {"more cases": Request()}) | {
            "without pairing (tables alone)": Request(pair=False)
        }
    return kinds


def _of_patterns(evidence: CaseEvidence, source: Preposterior, request: Request) -> Preposterior:
    joint, shares, positives = _patterns(evidence, source), None, request.positives
    if joint.known is not None:
        cases = np.bincount(joint.codes[:, 0], joint.number, len(joint.known))
        shares = cases / cases.sum() if positives is None else np.array([1 - positives, positives])
    by_case = source.about.target in (None, "case")
    make = partial(JointOutcomes, joint, shares, by_case=by_case, pair=request.pair)
    size = float(joint.number.sum())
    number = size if joint.cluster is None else float(joint.cluster.max() + 1)
    unit, units = (
        "cases" if joint.cluster is None else "clusters",
        np.full(len(joint.prior), number),
    )
    return replace(source, unit=unit, units=units, cases_each=size / number, updates=make)


def _same_clusters(evidence: CaseEvidence, source: Preposterior) -> Preposterior:
    """Return the source for more cases of the same clusters, which reduce the variance within clusters only."""
    joint = _patterns(evidence, source)
    count, cluster = joint.count.astype(float), joint.cluster
    assert cluster is not None
    cases = replace(joint, count=count, cluster=None, prior=0 * joint.prior, each=None)
    _, which = unique_rows(joint.codes)
    moves = JointOutcomes(cases, None, 1, np.random.default_rng(0)).moves()[which]
    size = np.bincount(cluster, count)
    if source.about.target == "cluster":
        moves = moves * (size.mean() / size)[cluster][:, None]
    sums = np.zeros((len(size), moves.shape[1]))
    np.add.at(sums, cluster, moves * count[:, None])
    deviations = moves - (sums / size[:, None])[cluster]
    factor = np.where(size > 1, size / np.maximum(size - 1, 1), 0.0)[cluster] * count
    within = (deviations * factor[:, None]).T @ deviations
    return source.normal(np.full(len(joint.prior), count.sum()), within, fixed="clusters")


def _patterns(evidence: CaseEvidence, source: Preposterior) -> PairedPatterns:
    """Return the joint outcomes behind a posterior, and its prior."""
    return (
        _of_classes(evidence, source)
        if evidence.outcome is None
        else _of_outcomes(evidence, source)
    )


def _of_outcomes(evidence: CaseEvidence, source: Preposterior) -> PairedPatterns:
    if not outcome_score(source).is_mean:
        raise ArgumentError(
            "score", "must be 'mean_outcome' for joint outcomes", f"{source.found.name!r}"
        )
    outcome, prior, sign = evidence.given[:, source.keep], source.prior(), source.found.sign
    points = prior["outcome"].values.astype(float) if "outcome" in prior.dims else np.empty(0)
    values = np.union1d(outcome[~np.isnan(outcome)], points)
    alpha = np.zeros((outcome.shape[1], 1, len(values) + 1))
    if points.size:
        alpha[:, 0, np.searchsorted(values, points)] = prior.transpose("entity", "outcome").values
    codes = np.where(np.isnan(outcome), len(values), np.searchsorted(values, outcome))
    codes = np.insert(codes, 0, 0, axis=1)
    values = np.append(values, np.nan)
    score = partial(_mean_outcome, sign)
    weighing: dict[str, Any] = {"cluster": evidence.cluster, "each": evidence.each}
    return PairedPatterns(
        score, codes, evidence.count, prior=alpha, values=values, twin=source.twin, **weighing
    )


def _of_classes(evidence: CaseEvidence, source: Preposterior) -> PairedPatterns:
    labels = as_performance(source.posterior)["actual"].values.tolist()
    assert evidence.actual is not None  # a paired model of classes knows the truth
    labels_met = np.column_stack([evidence.actual, evidence.given[:, source.keep]])
    codes = pd.Index(labels).get_indexer(labels_met.ravel()).reshape(labels_met.shape)
    order = {"actual": labels, "predicted": labels}
    alpha = select_names(source.prior(), order).transpose("entity", "actual", "predicted").values
    occurs = (codes[..., None] == np.arange(len(labels))).any(
        axis=0
    )  # of the truth, then of the answers of each entity
    shares, score = known_shares(source), source.table_score(mark_classes(occurs[0], occurs[1:]))
    shares_known = None if shares is None else shares[0]
    weighing: dict[str, Any] = {"cluster": evidence.cluster, "each": evidence.each}
    return PairedPatterns(
        score, codes, evidence.count, prior=alpha, known=shares_known, twin=source.twin, **weighing
    )


def _mean_outcome(sign: int, tables: np.ndarray) -> Any:
    return sign * tables[..., 0, 0]


def _of_seeds(training: TrainingSeeds, source: Preposterior) -> Preposterior:
    """Return the source for more training seeds on the same cases, which reduce the variance between fitted models."""
    means, noise = training.means[source.keep], training.noise[source.keep]
    seeds = (~np.isnan(means)).sum(axis=1).astype(float)
    # The mean of the variance under its t-like posterior, where it has one.
    net = (
        np.maximum(np.nanvar(means, axis=1, ddof=1) - noise, 0.0)
        * (seeds - 1)
        / np.maximum(seeds - 3, 1)
    )
    return source.normal(
        seeds, np.diag((net + noise) / seeds), unit="training seeds", fixed="cases"
    )


def _of_runs(evidence: CaseEvidence, source: Preposterior) -> Preposterior:
    """Return the source for more runs of the same cases, which reduce the variance within cases only."""
    outcome = evidence.given[:, source.keep]
    weight = evidence.count[:, None] * ~np.isnan(outcome)
    value = np.nan_to_num(outcome)
    noise = (weight * value * (1 - value)).sum(0) / (evidence.runs - 1) / weight.sum(0) ** 2
    units = np.full(outcome.shape[1], float(evidence.runs))
    return source.normal(
        units, np.diag(noise), unit="runs", cases_each=float(weight.sum(0).max()), fixed="cases"
    )
