"""Compiled Metropolis sampler of tables with logits = median of the entity - difficulty + deviation.

Effects are parametrised by standard normal variables: they are standardised by their normal approximation, given the
standard deviations and correlations. The approximation treats the counts of a table as one normal observation, the
empirical logit with its information. Standard deviations can then change while these variables stay, for any amount of
data, which avoids funnels. The steps target the exact posterior; the approximation only changes variables.

One sweep has these steps. Each step leaves the posterior invariant:

1. standard deviations, correlations and a shift of all medians, with the standard normal variables fixed: first all
   together, then one with a long step, since a standard deviation near 0 has a long tail of logarithms;
2. standard deviations and correlations with the effects fixed;
3. the median of each entity with the difficulties fixed, all entities at once;
4. the difficulty of each data set, all data sets at once;
5. the logits of each table, all tables at once.

Every table has two rows; a missing row has no cases and does not change.
"""

import numpy as np

from bayesrank._compiled import njit

OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}
#: Target acceptance rates of joint steps and of steps for single parameters.
RATE_OF_JOINT_STEPS, RATE_OF_SINGLE_STEPS = 0.25, 0.4
#: Warm-up sweeps between updates of the proposal covariance, and before the first.
INTERVAL = 50
#: LKJ shape: the power of 1 - ρ² in the density of artanh ρ.
CORRELATION = 2.0


@njit(**OPTIONS)
def log_prior(spread, scale):
    """Return the log density of log standard deviations (half-normal) and artanh ρ (LKJ(2)) of both terms."""
    found = 0.0
    for term in range(2):
        for row in range(2):
            log_sd = spread[3 * term + row]
            found += log_sd - 0.5 * (np.exp(log_sd) / scale) ** 2
        found -= 2 * CORRELATION * log_cosh(spread[3 * term + 2])
    return found


@njit(**OPTIONS)
def log_cosh(x):
    """Return log(cosh(x)) without overflow."""
    return abs(x) + np.log1p(np.exp(-2 * abs(x))) - np.log(2.0)


@njit(**OPTIONS)
def softplus(x):
    """Return log(1 + exp(x)) without overflow."""
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@njit(**OPTIONS)
def covariance_factor(spread, term):
    """Return the Cholesky factor of a term's covariance, as three numbers."""
    at = 3 * term
    first, second = np.exp(spread[at]), np.exp(spread[at + 1])
    return first, second * np.tanh(spread[at + 2]), second * np.exp(-log_cosh(spread[at + 2]))


@njit(**OPTIONS)
def cholesky_factor(a, b, d):
    """Return the Cholesky factor of a 2 x 2 matrix, as three numbers."""
    first = np.sqrt(a)
    below = b / first
    return first, below, np.sqrt(d - below * below)


@njit(**OPTIONS)
def precision_factor(i0, i1, scale):
    """Return the Cholesky factor of the precision of a table's standardised deviations."""
    a, b, c = scale
    return cholesky_factor(1 + i0 * a * a + i1 * b * b, i1 * b * c, 1 + i1 * c * c)


@njit(**OPTIONS)
def solve_linear_term(i0, i1, r0, r1, scale, low):
    """Solve for the linear term with the factor, from residuals of the empirical logits."""
    a, b, c = scale
    w0 = (a * i0 * r0 + b * i1 * r1) / low[0]
    return w0, (c * i1 * r1 - low[1] * w0) / low[2]


@njit(**OPTIONS)
def solve_transposed(low, w0, w1):
    """Solve with the transposed factor."""
    x1 = w1 / low[2]
    return (w0 - low[1] * x1) / low[0], x1


@njit(**OPTIONS)
def multiply_by_factor(low, x0, x1):
    """Multiply a pair by the factor."""
    return low[0] * x0, low[1] * x0 + low[2] * x1


@njit(**OPTIONS)
def compute_table(p, e0, e1, v0, v1, spread_scale, data, out):
    """Write the logits of a table and their log density into row ``p``, from its means and standard normal variables.

    ``out`` has the columns: two logits, two standardised deviations, log density, log determinant.
    """
    low = precision_factor(data[p, 2], data[p, 3], spread_scale)
    w0, w1 = solve_linear_term(data[p, 2], data[p, 3], data[p, 0] - e0, data[p, 1] - e1, spread_scale, low)
    u0, u1 = solve_transposed(low, w0 + v0, w1 + v1)
    x0 = e0 + spread_scale[0] * u0
    x1 = e1 + spread_scale[1] * u0 + spread_scale[2] * u1
    out[p, 0], out[p, 1], out[p, 2], out[p, 3] = x0, x1, u0, u1
    found = data[p, 4] * x0 - data[p, 6] * softplus(x0) + data[p, 5] * x1 - data[p, 7] * softplus(x1)
    out[p, 4] = found - 0.5 * (u0 * u0 + u1 * u1)
    out[p, 5] = -np.log(low[0] * low[2])


@njit(**OPTIONS)
def approximate_difficulty(mu, spread, pairs, data, both, low, pull):
    """Approximate each data set's standardised difficulty by a normal: factors of precisions, and their solutions."""
    a, b, c = covariance_factor(spread, 0)
    c00, c01, c11 = a * a, a * b, b * b + c * c
    l0, l1, l2 = covariance_factor(spread, 1)
    low[:], pull[:] = 0.0, 0.0
    for p in range(len(pairs)):
        i0, i1, j = data[p, 2], data[p, 3], pairs[p, 1]
        f, s, x = 1 + i0 * c00, 1 + i1 * c11, i0 * i1 * c01
        det = f * s - x * c01
        w00, w01, w11 = i0 * s / det, -x / det, i1 * f / det
        r0, r1 = data[p, 0] - mu[pairs[p, 0], 0], data[p, 1] - mu[pairs[p, 0], 1]
        low[j, 0] += w00
        low[j, 1] += w01
        low[j, 2] += w11
        pull[j, 0] += w00 * r0 + w01 * r1
        pull[j, 1] += w01 * r0 + w11 * r1
    for j in range(len(low)):
        if not both:
            low[j], pull[j] = (1.0, 0.0, 1.0), 0.0
            continue
        w00, w01, w11 = low[j]
        # L'WL and -L'(W r), since difficulty is subtracted.
        m0, m1 = w00 * l0 + w01 * l1, w01 * l0 + w11 * l1
        low[j] = cholesky_factor(1 + l0 * m0 + l1 * m1, l2 * m1, 1 + l2 * l2 * w11)
        b0, b1 = -(l0 * pull[j, 0] + l1 * pull[j, 1]), -l2 * pull[j, 1]
        pull[j, 0] = b0 / low[j, 0]
        pull[j, 1] = (b1 - low[j, 1] * pull[j, 0]) / low[j, 2]


@njit(**OPTIONS)
def compute_effects(mu, z, v, spread, pairs, data, both, low, pull, t, out):
    """Compute all effects from the standard normal variables; return their log density and that of the counts."""
    approximate_difficulty(mu, spread, pairs, data, both, low, pull)
    total = 0.0
    for j in range(len(t)):
        t[j] = solve_transposed(low[j], pull[j, 0] + z[j, 0], pull[j, 1] + z[j, 1])
        total -= 0.5 * (t[j, 0] ** 2 + t[j, 1] ** 2) + np.log(low[j, 0] * low[j, 2])
    compute_tables(mu, t, v, spread, pairs, data, both, out)
    for p in range(len(pairs)):
        total += out[p, 4] + out[p, 5]
    return total


@njit(**OPTIONS)
def compute_tables(mu, t, v, spread, pairs, data, both, out):
    """Compute the logits of all tables from medians, difficulties and standard normal variables."""
    scale, difficulty_factor = covariance_factor(spread, 0), covariance_factor(spread, 1)
    for p in range(len(pairs)):
        e0, e1 = mean_logits(p, mu, t, difficulty_factor, both, pairs)
        compute_table(p, e0, e1, v[p, 0], v[p, 1], scale, data, out)


@njit(**OPTIONS)
def accept_proposals(rng, at, gain, held, held_new, log_step, adaptation, pairs, out, out_new):
    """Accept or reject the proposals of all entities (``at`` 0) or data sets (1); return the number accepted.

    ``gain`` is the gain in log density of each without its tables, ``out_new`` holds the proposed tables.
    """
    for p in range(len(pairs)):
        gain[pairs[p, at]] += out_new[p, 4] - out[p, 4]
    accepted = 0
    for i in range(len(gain)):
        ok = np.log(rng.random()) < gain[i]
        log_step[i] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
        gain[i] = ok
        accepted += ok
        if ok:
            held[i] = held_new[i]
    for p in range(len(pairs)):
        if gain[pairs[p, at]] > 0:
            out[p] = out_new[p]
    return accepted


@njit(**OPTIONS)
def mean_logits(p, mu, t, difficulty_factor, both, pairs):
    """Return the means of a table's logits."""
    e0, e1 = mu[pairs[p, 0], 0], mu[pairs[p, 0], 1]
    if both:
        d0, d1 = multiply_by_factor(difficulty_factor, t[pairs[p, 1], 0], t[pairs[p, 1], 1])
        e0 -= d0
        e1 -= d1
    return e0, e1


@njit(**OPTIONS)
def standardise_effects(mu, spread, pairs, data, both, low, pull, t, out, z, v):
    """Compute the standard normal variables of the effects, the inverse of :func:`compute_effects`."""
    approximate_difficulty(mu, spread, pairs, data, both, low, pull)
    for j in range(len(t)):
        z[j, 0] = low[j, 0] * t[j, 0] + low[j, 1] * t[j, 1] - pull[j, 0]
        z[j, 1] = low[j, 2] * t[j, 1] - pull[j, 1]
    scale, difficulty_factor = covariance_factor(spread, 0), covariance_factor(spread, 1)
    for p in range(len(pairs)):
        e0, e1 = mean_logits(p, mu, t, difficulty_factor, both, pairs)
        f = precision_factor(data[p, 2], data[p, 3], scale)
        w0, w1 = solve_linear_term(data[p, 2], data[p, 3], data[p, 0] - e0, data[p, 1] - e1, scale, f)
        v[p, 0] = f[0] * out[p, 2] + f[1] * out[p, 3] - w0
        v[p, 1] = f[2] * out[p, 3] - w1


@njit(**OPTIONS)
def log_normal(s00, s01, s11, size, spread, term):
    """Return the log density of ``size`` normal pairs from their sums of squares and products."""
    at = 3 * term
    one, two, rho = np.exp(-spread[at]), np.exp(-spread[at + 1]), np.tanh(spread[at + 2])
    distance = s00 * one * one - 2 * rho * s01 * one * two + s11 * two * two
    log_half = log_cosh(spread[at + 2])
    return -0.5 * distance * np.exp(2 * log_half) - size * (spread[at] + spread[at + 1] - log_half)


@njit(**OPTIONS)
def log_beta(mu, alpha):
    """Return the log density of logits of Beta rates."""
    found = 0.0
    for i in range(len(mu)):
        for row in range(2):
            found -= alpha[i, row, 0] * softplus(-mu[i, row]) + alpha[i, row, 1] * softplus(mu[i, row])
    return found


@njit(**OPTIONS)
def run(rng, pairs, datasets, data, alpha, sd, both, is_sampled, spread, mu, steps, warm, draws, thin):
    """Run one chain: medians (draw, entity, 2), spreads (draw, 6), difficulties, logits and acceptance rates.

    Parameters
    ----------
    rng : Generator
    pairs : (table, 2)
        Entity and data set.
    datasets : int
    data : (table, 8)
        Empirical logits, their information, right answers and cases, for both rows.
    alpha : (entity, 2, 2)
        Prior concentrations of right and wrong.
    sd : float
        Prior scale of the standard deviations.
    both : bool
        Whether there is a difficulty besides deviations.
    is_sampled : (8,) bool
        Which spreads and rows are sampled.
    spread, mu : (6,), (entity, 2)
        Initial values.
    steps : (entity, 2)
        Step lengths of medians.
    warm, draws, thin : int
        Warm-up sweeps, draws, and sweeps between draws.
    """
    entities, tables = len(mu), len(pairs)
    spread, mu = spread.copy(), mu.copy()
    z, v, t, out = np.zeros((datasets, 2)), np.zeros((tables, 2)), np.zeros((datasets, 2)), np.zeros((tables, 6))
    low, pull = np.zeros((datasets, 3)), np.zeros((datasets, 2))
    low_new, pull_new, t_new, out_new = low.copy(), pull.copy(), t.copy(), out.copy()
    mu_new, spread_new = mu.copy(), spread.copy()
    which = np.flatnonzero(is_sampled)
    size = len(which)
    log_step, near = np.log(0.3), np.log(np.full(2, 0.5))
    of_entity, of_dataset, of_table = np.zeros(entities), np.zeros(datasets), np.zeros(tables)
    accepted = np.zeros(5)
    proposed = np.zeros(5)
    shape = np.eye(size)
    place, place_mean, place_square = np.zeros(size), np.zeros(size), np.zeros((size, size))
    seen = 0
    kept_mu, kept_spread = np.zeros((draws, entities, 2)), np.zeros((draws, 6))
    kept_difficulty, kept_logits = np.zeros((draws, datasets, 2)), np.zeros((draws, tables, 2))
    gain_entity, gain_dataset = np.zeros(entities), np.zeros(datasets)
    total = compute_effects(mu, z, v, spread, pairs, data, both, low, pull, t, out)
    for sweep in range(warm + draws * thin):
        adaptation = 0.0 if sweep >= warm else 1 / (sweep + 1) ** 0.6
        # 1. All spreads and a shift of the medians, with standard normal variables fixed.
        for single in range(2):
            if single:
                k = int(rng.random() * size)
                length = 1.5 * np.sqrt((shape[k] ** 2).sum()) * np.exp(0.8 * rng.standard_normal())
                noise = np.zeros(size)
                noise[k] = length * rng.standard_normal()
            else:
                noise = shape @ rng.standard_normal(size) * np.exp(log_step)
            spread_new[:] = spread
            mu_new[:] = mu
            for k in range(size):
                if which[k] < 6:
                    spread_new[which[k]] += noise[k]
                else:
                    mu_new[:, which[k] - 6] += noise[k]
            other = compute_effects(mu_new, z, v, spread_new, pairs, data, both, low_new, pull_new, t_new, out_new)
            gain = other - total + log_prior(spread_new, sd) - log_prior(spread, sd)
            gain += log_beta(mu_new, alpha) - log_beta(mu, alpha)
            ok = np.log(rng.random()) < gain
            if ok:
                total = other
                spread[:], mu[:], t[:], out[:], low[:], pull[:] = spread_new, mu_new, t_new, out_new, low_new, pull_new
            if not single:
                log_step += adaptation * (ok - RATE_OF_JOINT_STEPS)
                accepted[0] += ok
                proposed[0] += 1
        # 2. Spreads with the effects fixed.
        for term in range(1 + both):
            s00, s01, s11 = 0.0, 0.0, 0.0
            own = covariance_factor(spread, term)
            effect = out[:, 2:4] if term == 0 else t
            number = len(effect)
            for p in range(number):
                d0, d1 = multiply_by_factor(own, effect[p, 0], effect[p, 1])
                s00 += d0 * d0
                s01 += d0 * d1
                s11 += d1 * d1
            for _ in range(3):
                spread_new[:] = spread
                for k in range(3 * term, 3 * term + 3):
                    if is_sampled[k]:
                        spread_new[k] += np.exp(near[term]) * rng.standard_normal()
                gain = log_prior(spread_new, sd) - log_prior(spread, sd)
                gain += log_normal(s00, s01, s11, number, spread_new, term)
                gain -= log_normal(s00, s01, s11, number, spread, term)
                ok = np.log(rng.random()) < gain
                if ok:
                    spread[:] = spread_new
                near[term] += adaptation * (ok - 0.3)
                accepted[1] += ok
                proposed[1] += 1
            new = covariance_factor(spread, term)
            for p in range(number):
                d0, d1 = multiply_by_factor(own, effect[p, 0], effect[p, 1])
                effect[p, 0] = d0 / new[0]
                effect[p, 1] = (d1 - new[1] * effect[p, 0]) / new[2]
        standardise_effects(mu, spread, pairs, data, both, low, pull, t, out, z, v)
        scale, difficulty_factor = covariance_factor(spread, 0), covariance_factor(spread, 1)
        compute_tables(mu, t, v, spread, pairs, data, both, out)
        # 3. Medians, with difficulties fixed.
        gain_entity[:] = 0.0
        for i in range(entities):
            length = np.exp(of_entity[i])
            for row in range(2):
                mu_new[i, row] = mu[i, row]
                if is_sampled[6 + row]:
                    mu_new[i, row] += steps[i, row] * length * rng.standard_normal()
                gain_entity[i] -= alpha[i, row, 0] * (softplus(-mu_new[i, row]) - softplus(-mu[i, row]))
                gain_entity[i] -= alpha[i, row, 1] * (softplus(mu_new[i, row]) - softplus(mu[i, row]))
        compute_tables(mu_new, t, v, spread, pairs, data, both, out_new)
        accepted[2] += accept_proposals(rng, 0, gain_entity, mu, mu_new, of_entity, adaptation, pairs, out, out_new)
        proposed[2] += entities
        # 4. Difficulties.
        if both:
            approximate_difficulty(mu, spread, pairs, data, both, low, pull)
            for j in range(datasets):
                d0, d1 = solve_transposed(low[j], rng.standard_normal(), rng.standard_normal())
                length = np.exp(of_dataset[j])
                t_new[j, 0] = t[j, 0] + length * d0
                t_new[j, 1] = t[j, 1] + length * d1
                gain_dataset[j] = 0.5 * (t[j, 0] ** 2 + t[j, 1] ** 2 - t_new[j, 0] ** 2 - t_new[j, 1] ** 2)
            compute_tables(mu, t_new, v, spread, pairs, data, both, out_new)
            accepted[3] += accept_proposals(rng, 1, gain_dataset, t, t_new, of_dataset, adaptation, pairs, out, out_new)
            proposed[3] += datasets
        # 5. Logits of the tables: proposals from the approximation, then a random walk.
        for p in range(tables):
            e0, e1 = mean_logits(p, mu, t, difficulty_factor, both, pairs)
            for is_walk in range(2):
                if is_walk:
                    length = np.exp(of_table[p])
                    v0, v1 = v[p, 0] + length * rng.standard_normal(), v[p, 1] + length * rng.standard_normal()
                    gain = 0.0
                else:
                    v0, v1 = rng.standard_normal(), rng.standard_normal()
                    gain = 0.5 * (v0 * v0 + v1 * v1 - v[p, 0] ** 2 - v[p, 1] ** 2)
                compute_table(p, e0, e1, v0, v1, scale, data, out_new)
                ok = np.log(rng.random()) < gain + out_new[p, 4] - out[p, 4]
                if is_walk:
                    of_table[p] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
                else:
                    accepted[4] += ok
                    proposed[4] += 1
                if ok:
                    out[p] = out_new[p]
                    v[p, 0], v[p, 1] = v0, v1
        standardise_effects(mu, spread, pairs, data, both, low, pull, t, out, z, v)
        total = compute_effects(mu, z, v, spread, pairs, data, both, low, pull, t, out)
        if sweep < warm:
            # Adapt the covariance of the joint step, from the second update on.
            if sweep >= INTERVAL:
                seen += 1
                for k in range(size):
                    place[k] = spread[which[k]] if which[k] < 6 else mu[:, which[k] - 6].mean()
                place -= place_mean
                place_mean += place / seen
                place_square += np.outer(place, place) * ((seen - 1) / seen)
            if seen >= 2 * INTERVAL and sweep % INTERVAL == 0:
                if sweep % (8 * INTERVAL) == 0 and sweep < warm // 2:
                    seen = 0  # discard the approach to the posterior
                    place_mean[:] = 0.0
                    place_square[:] = 0.0
                else:
                    shape[:] = np.linalg.cholesky(place_square / seen + 1e-4 * np.eye(size))
                    if sweep < 4 * INTERVAL:
                        log_step = np.log(1.5 / np.sqrt(size))
        elif (sweep - warm) % thin == thin - 1:
            at = (sweep - warm) // thin
            kept_mu[at], kept_spread[at] = mu, spread
            for j in range(datasets):
                kept_difficulty[at, j, 0], kept_difficulty[at, j, 1] = multiply_by_factor(
                    difficulty_factor, t[j, 0], t[j, 1]
                )
            kept_logits[at] = out[:, :2]
    return kept_mu, kept_spread, kept_difficulty, kept_logits, accepted / np.maximum(proposed, 1)
