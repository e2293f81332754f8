"""Compiled likelihood of whole data sets under normal logits: difficulty and deviations are integrated out.

Both integrals are adaptive Gauss-Hermite sums (Liu and Pierce 1994, Biometrika 81:624-629) over the
standardised effects of the sampler. Their centres are modes: Newton steps replace the empirical
logit of each table and its information by the working logit and the information at the current
logit.
"""

import numpy as np

from bayesrank._core.compiled import njit
from bayesrank.models.parts.logit_normal_kernel import (
    HELPER,
    OPTIONS,
    approximate_difficulties,
    approximate_table,
    cholesky_factor,
    compute_table,
    solve_transposed,
)

#: Nodes along each axis: of tables with one effect, of difficulties, and of tables given their
#: difficulty.
SINGLE, OUTER, INNER = 11, 7, 5
#: Maximum number of Newton steps, their maximum length in logits, and the length at which they
#: stop.
STEPS, REACH, NEAR = 20, 3.0, 1e-3
#: Least information of a row with cases, so that its working logit is finite.
LEAST = 1e-8


def nodes_of(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Hermite nodes, and their weights times the exponential of their squares."""
    nodes, weights = np.polynomial.hermite.hermgauss(number)
    return nodes, weights * np.exp(nodes**2)


@njit(**HELPER)
def work_on(p, x, work, at):
    """Set the working logits and informations of a table at the logits ``x``; return how far ``at`` has moved."""
    far = 0.0
    for row in range(2):
        cases = work[p, 6 + row]
        move = min(max(x[row] - at[p, row], -REACH), REACH)
        at[p, row] += move
        far = max(far, abs(move))
        if cases > 0:
            rate = 0.5 * (1 + np.tanh(0.5 * at[p, row]))
            work[p, 2 + row] = max(cases * rate * (1 - rate), LEAST)
            work[p, row] = at[p, row] + (work[p, 4 + row] - cases * rate) / work[p, 2 + row]
    return far


@njit(**HELPER)
def integrate_table(p, mean, t, centre, factors, pairs, work, at, nodes, weights):
    """Return the log likelihood of a table, but a constant, with its deviation integrated out."""
    for _ in range(STEPS):
        integral = compute_table(
            p, approximate_table(p, mean, t, centre, factors, pairs, work), 0.0, 0.0, factors, work
        )
        if work_on(p, integral, work, at) < NEAR:
            break
    approximation = approximate_table(p, mean, t, centre, factors, pairs, work)
    top = compute_table(p, approximation, 0.0, 0.0, factors, work)[4]
    total = 0.0
    for k in range(len(nodes)):
        for m in range(len(nodes)):
            v0, v1 = np.sqrt(2.0) * nodes[k], np.sqrt(2.0) * nodes[m]
            value = compute_table(p, approximation, v0, v1, factors, work)[4]
            total += weights[k] * weights[m] * np.exp(value - top)
    low = approximation[2]
    return top + np.log(total) - np.log(np.pi * low[0] * low[2])


@njit(**HELPER)
def integrate_dataset(j, own, mean, low, pull, centre, factors, pairs, work, at, outer, inner):
    """Return the log likelihood of the tables ``own`` of a data set, but a constant, with both terms integrated out."""
    nodes, weights = outer
    size = len(nodes)
    densities, t = np.empty(size * size), np.zeros((len(centre), 2))
    for k in range(size):
        for m in range(size):
            v0, v1 = pull[0] + np.sqrt(2.0) * nodes[k], pull[1] + np.sqrt(2.0) * nodes[m]
            t[j] = solve_transposed(low, v0, v1)
            value = np.log(weights[k] * weights[m]) - 0.5 * (t[j, 0] ** 2 + t[j, 1] ** 2)
            for p in own:
                value += integrate_table(
                    p, mean, t, centre, factors, pairs, work, at, inner[0], inner[1]
                )
            densities[k * size + m] = value
    top = densities.max()
    return top + np.log(np.exp(densities - top).sum()) - np.log(np.pi * low[0] * low[2])


@njit(**OPTIONS)
def log_likelihoods(means, spreads, both, datasets, pairs, data, alone, outer, inner):
    """Return the log likelihood (draw, data set), but a constant, of the tables of each data set.

    ``means`` (draw, table, 2) are the logits without effects, ``spreads`` (draw, 2, 3) the factors
    of the covariances of deviations and difficulties, and ``pairs`` (table, 2) the number of each
    table and its data set. The nodes ``alone`` (for tables with one effect), ``outer`` and
    ``inner`` come from :func:`nodes_of`.
    """
    number = np.zeros(datasets, np.int64)
    for p in range(len(pairs)):
        number[pairs[p, 1]] += 1
    order = np.argsort(pairs[:, 1])
    result, centre = np.zeros((len(means), datasets)), np.zeros((datasets, 2))
    zero = np.zeros((datasets, 2))
    for draw in range(len(means)):
        mean, (a, b, c), (d, e, f) = means[draw], spreads[draw, 0], spreads[draw, 1]
        factors = (a, b, c), (d, e, f)
        # One table has one effect, the sum of both.
        total = cholesky_factor(a * a + d * d, a * b + d * e, b * b + c * c + e * e + f * f)
        work, at, t = data.copy(), data[:, :2].copy(), zero.copy()
        if both:
            for _ in range(STEPS):
                low, pull = approximate_difficulties(
                    mean, centre, factors, pairs, work, both, datasets
                )
                for j in range(datasets):
                    t[j] = solve_transposed(low[j], pull[j, 0], pull[j, 1])
                far = 0.0
                for p in range(len(pairs)):
                    approximation = approximate_table(p, mean, t, centre, factors, pairs, work)
                    far = max(
                        far,
                        work_on(
                            p, compute_table(p, approximation, 0.0, 0.0, factors, work), work, at
                        ),
                    )
                if far < NEAR:
                    break
            low, pull = approximate_difficulties(mean, centre, factors, pairs, work, both, datasets)
        start = 0
        for j in range(datasets):
            own = order[start : start + number[j]]
            start += number[j]
            if both and number[j] > 1:
                result[draw, j] = integrate_dataset(
                    j, own, mean, low[j], pull[j], centre, factors, pairs, work, at, outer, inner
                )
                continue
            single = (total, factors[1]) if both else factors
            for p in own:
                result[draw, j] += integrate_table(
                    p, mean, zero, centre, single, pairs, work, at, alone[0], alone[1]
                )
    return result
