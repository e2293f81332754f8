"""What tables of independent cases are worth."""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.labels import classes_in_averages
from bayesrank.claims.effective import ENOUGH_FREEDOM, FEWEST_OF_CLASS, FEWEST_UNITS, Information
from bayesrank.claims.information.influence import slopes_of
from bayesrank.claims.observed import Observed
from bayesrank.evidence.weighting import effective_cases, unit_weight_of
from bayesrank.performance.arrays import OUTCOME_DIMS, outcome_dims
from bayesrank.scores import Score
from bayesrank.scores.averages import is_average

#: A class with at most this share of the cases is rare: a designed share may need a tenth of the
#: cases.
RARE = 0.1


def weigh_tables(
    evidence: Any, observed: Observed, score: Score | None, information: Information
) -> Information:
    """Return the degrees of freedom of scores of independent tables, unless a population is learned."""
    if information.population:
        return information
    information = with_observed(observed, score, information)
    freedom = _freedom_of_table(observed, score)
    return (
        information
        if freedom is None
        else replace(information, freedom=np.minimum(freedom[:, None], freedom))
    )


def with_observed(observed: Observed, score: Score | None, information: Information) -> Information:
    """Return the counts with the observed scores, unless a population moves them."""
    if information.population:
        return information
    estimate = observed.observed(score)
    return replace(
        information, observed=None if estimate is None else estimate.values.astype(float)
    )


def variance_of_tables(observed: Observed, score: Score | None, entities: int) -> np.ndarray:
    """Return the variance of the observed value of tables by chance (entity), NaN if unknown."""
    counts, unknown = observed.counts, np.full(entities, np.nan)
    if counts is None or score is None or "dataset" in counts.dims or observed.shares is not None:
        return unknown
    dims = outcome_dims(counts)
    table = counts.transpose("entity", *dims)
    cases = table.values.reshape(entities, -1)
    total = cases.sum(axis=1, keepdims=True)
    if (total == 0).any() or (score.space == "outcomes") != ("outcome" in dims):
        return unknown
    slope = slopes_of(partial(observed.score_of, score), table, cases / total)
    if slope is None:
        return unknown
    squares = cases * unit_weight_of(table).reshape(entities, -1)
    return (squares * np.where(cases > 0, np.square(slope), 0.0)).sum(axis=1) / total[:, 0] ** 2


class PairOfTables(NamedTuple):
    """Two tables of two classes, one of them rare."""

    table: xr.DataArray  #: (entity, actual, predicted)
    sizes: np.ndarray  #: Effective cases (entity, actual).


def rare_class_of_pair(
    observed: Observed, score: Score | None, one: int, other: int
) -> PairOfTables | None:
    """Return the tables of two entities; None unless a class of two is RARE, and all data sets are one."""
    counts = observed.counts
    whole_counts = counts is not None and observed.shares is None and "dataset" not in counts.dims
    if score is None or not whole_counts or counts is None or counts.sizes.get("actual") != 2:
        return None
    cells = counts.variable.transpose("entity", *OUTCOME_DIMS).values[[one, other]]
    cases = cells.astype(float).sum(axis=2)
    if not (cases > 0).all() or (cases / cases.sum(axis=1, keepdims=True)).min() > RARE:
        return None
    pair = counts.transpose("entity", *OUTCOME_DIMS)[[one, other]]
    return PairOfTables(pair, effective_cases(pair, "entity", "actual"))


def parts_of_tables(
    observed: Observed, score: Score | None, one: int, other: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the variance of a difference within each class (negative, positive), and the cases of the class.

    None unless :func:`rare_class_of_pair` finds tables.
    """
    pair = rare_class_of_pair(observed, score, one, other)
    if pair is None or score is None:
        return None
    cells = pair.table.values.astype(float)
    shares = cells / cells.sum(axis=(1, 2), keepdims=True)
    slope = slopes_of(partial(observed.score_of, score), pair.table, shares.reshape(2, 4))
    if slope is None:
        return None
    slope = np.where(shares > 0, slope.reshape(shares.shape), 0.0)
    mean = (shares * slope).sum(axis=2, keepdims=True) / shares.sum(axis=2, keepdims=True)
    squares = shares * unit_weight_of(pair.table)
    within = (squares * np.square(slope - mean)).sum(axis=2) / cells.sum(axis=(1, 2))[:, None]
    return within.sum(axis=0), pair.sizes.min(axis=0)


def _freedom_of_table(observed: Observed, score: Score | None) -> np.ndarray | None:
    """Return the degrees of freedom of scores of independent tables (entity); None if unknown or enough."""
    counts = observed.counts
    if (
        counts is None
        or observed.prior is None
        or "dataset" in counts.dims
        or observed.shares is not None
    ):
        return None
    dims = outcome_dims(counts)
    if score is None or (score.space == "outcomes") != ("outcome" in dims):
        return None
    cases = effective_cases(counts, "entity", *dims[:-1])
    cases = cases[:, None] if "outcome" in dims else cases
    if not len(cases) or (cases[cases.sum(axis=1) > 0] > ENOUGH_FREEDOM).all():
        return None
    table = counts.transpose("entity", *dims)
    cells = table.values.reshape(*cases.shape, -1)
    cells = cells + observed.prior.transpose("entity", *dims).values.reshape(cells.shape)
    cells[cells.sum(axis=(1, 2)) == 0] = 1.0  # nothing is known of them, so any shares serve
    shares = cells / cells.sum(axis=(1, 2), keepdims=True)
    slope = slopes_of(partial(observed.score_of, score), table, shares.reshape(len(table), -1))
    if slope is None:
        return None
    squares = shares * unit_weight_of(table).reshape(cells.shape)
    variance = (squares * np.square(slope.reshape(shares.shape))).sum(axis=2)
    return freedom_of_cases(variance, cases)


def freedom_of_cases(variance: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """Return the degrees of freedom (entity) of scores whose variance has these parts (entity, class).

    The cases of each class estimate its part, as in Satterthwaite (1946), Biometrics Bulletin
    2:110-114. Infinite if enough, and 0 if rank sets are not justified: without them, the entity
    that has few cases is called worse than a rival with many too often.
    """
    # A class of one case, or none, matters as far as the score depends on it.
    part = np.where(variance > 0, np.square(variance) / np.maximum(cases - 1, 0.5), 0.0).sum(axis=1)
    freedom = np.divide(
        np.square(variance.sum(axis=1)), part, out=np.full(len(part), np.inf), where=part > 0
    )
    freedom[freedom < FEWEST_UNITS - 1 - 1e-9] = 0.0
    return np.where(freedom < ENOUGH_FREEDOM, freedom, np.inf)


def inflation_of_averages(observed: Observed, score: Score | None, entities: int) -> np.ndarray:
    """Return the factor by which intervals of averages over small classes or data sets are too narrow (entity)."""
    result = np.ones(entities)
    if (
        observed.counts is None
        or observed.prior is None
        or observed.about is None
        or observed.about.population
    ):
        return result
    for dim, averaged in (("actual", is_average(score)), ("dataset", observed.weights is not None)):
        if not averaged or dim not in observed.counts.dims:
            continue
        cases, mass = (
            effective_cases(array, "entity", dim) for array in (observed.counts, observed.prior)
        )
        weights = (
            observed.weights
            if dim == "dataset"
            else classes_in_averages(observed.counts, observed.counts) * 1.0
        )
        if weights is not None and len(weights) == cases.shape[1]:  # no data set has weight 0
            inflations = [
                average_inflation(n, a, weights) for n, a in zip(cases, mass, strict=True)
            ]
            result = np.maximum(result, inflations)
    return result


def average_inflation(cases: np.ndarray, mass: np.ndarray, weights: np.ndarray) -> float:
    """Return the factor by which the posterior of an average over classes or data sets is too narrow.

    For n cases at rate p and a prior of a cases, the posterior mean (x + ap)/(n + a) has the
    variance np(1 - p)/(n + a)². The expected posterior variance is (1 - n/(n + a)²) p(1 - p)/(n + a
    + 1). Their ratio is (n + 1)/(n - 1) without a prior, and below 1 for a = 2.
    """
    counted = (weights > 0) & (cases > 0)
    n, a, share = cases[counted], mass[counted], np.square(weights[counted])
    if not counted.any():
        return 1.0
    retained = n / (n + a) ** 2
    expected = (share * (1 - retained) / (n + a + 1)).sum()
    alone = n + a < FEWEST_OF_CLASS  # a single case makes any rate seem certain
    if alone.any() or expected <= 0:
        return np.inf
    return float(np.sqrt(max((share * retained).sum() / expected, 1.0)))
