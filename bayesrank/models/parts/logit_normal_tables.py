"""Tables of right answers whose logits are normal: data of the sampler, effects, and integrals over deviations."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from bayesrank._core.threads import in_threads
from bayesrank.models.parts.normal_logits import empirical_logits

#: Draws in each piece of work of the likelihood.
LIKELIHOOD_BLOCK = 250


class Tables(NamedTuple):
    """What the compiled sampler reads of the evidence."""

    #: Entity and data set of each table.
    pairs: np.ndarray
    datasets: int
    #: Empirical logits, their information, right answers and cases (table, 8), each for both rows.
    data: np.ndarray
    #: Prior concentrations of right and wrong (entity, row, 2).
    alpha: np.ndarray
    #: Precision of an entity's logit about the level that entities share, or 0 if there is no such
    #: level.
    precision: float
    #: Whether there is a difficulty besides deviations.
    both: bool
    #: Columns whose coefficients are the means of the difficulties (data set, column); no column if
    #: these are 0.
    basis: np.ndarray


def table_data(hits: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """Return empirical logits of tables, their information, right answers and cases (table, 4, 2).

    Of tables with one row, the second one is 0.
    """
    data = np.zeros((len(hits), 4, 2))
    data[..., : hits.shape[1]] = np.stack([*empirical_logits(hits, cases), hits, cases], 1)
    return data


def integrate_groups(
    hits: np.ndarray,
    cases: np.ndarray,
    means: np.ndarray,
    spreads: np.ndarray,
    both: bool,
    group: np.ndarray,
) -> np.ndarray:
    """Return the log probability (draw, group) of groups of tables, with deviations, or both terms, integrated out.

    ``means`` (draw, table, row) are the logits without the terms, and ``spreads`` (draw, 2, 3) the
    factors of the covariances of deviations and difficulties. ``group`` is the number of each
    table's group, whose tables share a difficulty.
    """
    from bayesrank.models.parts.logit_normal_likelihood import (
        INNER,
        OUTER,
        SINGLE,
        log_likelihoods,
        nodes_of,
    )

    size = int(group.max()) + 1
    centre = np.zeros((len(means), len(group), 2))
    centre[..., : means.shape[-1]] = means
    data = table_data(hits, cases).reshape(-1, 8)
    pairs = np.stack([np.arange(len(group)), group], -1)
    nodes = [nodes_of(n) for n in (SINGLE, OUTER, INNER)]
    result = np.empty((len(means), size))

    def fill(part: slice) -> None:
        result[part] = log_likelihoods(centre[part], spreads[part], both, size, pairs, data, *nodes)

    starts = range(0, len(means), LIKELIHOOD_BLOCK)
    in_threads(fill, [slice(at, at + LIKELIHOOD_BLOCK) for at in starts])
    orders = gammaln(cases + 1) - gammaln(hits + 1) - gammaln(cases - hits + 1)
    return result + np.bincount(group, orders.sum(1), size)


def beta_logits(rng: np.random.Generator, alpha: np.ndarray, size: int) -> np.ndarray:
    """Draw logits of Beta rates with concentrations (..., 2) of right and wrong."""
    right, wrong = (
        np.log(np.maximum(rng.standard_gamma(alpha[..., i], (size, *alpha.shape[:-1])), 1e-300))
        for i in (0, 1)
    )
    return right - wrong


def effects_in_graph(sd: Any, half: Any, z: Any) -> Any:
    """Return normal effects (member, row) in a PyMC model from standard normal ones.

    ``half`` is (correlation + 1) / 2 of two rows, Beta(2, 2), so that the correlation is LKJ(2);
    None for one row.
    """
    import pymc as pm

    if half is None:
        return sd * z
    rho = 2 * half - 1
    return sd * pm.math.stack([z[:, 0], rho * z[:, 0] + pm.math.sqrt(1 - rho**2) * z[:, 1]], axis=1)


def draw_effects(factor: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw one normal effect (draw, row) for each factor of a covariance."""
    return np.einsum("drk,dk->dr", factor, rng.standard_normal(factor.shape[:2]))
