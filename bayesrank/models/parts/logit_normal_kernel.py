"""Compiled Metropolis sampler of tables with logits = median of the entity - difficulty + deviation.

Difficulties have mean 0, or the mean that a ``basis`` (data set, column) and its coefficients give:
see the model of crossed effects. Without columns there are no coefficients.

Effects are standardised by their normal approximation given the spreads, in which the counts of a
table are one normal observation, the empirical logit with its information. Spreads can then change
while the standard normal variables stay, for any amount of data, which avoids funnels. The steps
target the exact posterior.
"""

import numpy as np

from bayesrank._core.compiled import njit

OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}
#: Target acceptance rates of joint steps, of steps with fixed effects, and of steps for single
#: parameters.
RATE_OF_JOINT_STEPS, RATE_OF_SPREADS, RATE_OF_SINGLE_STEPS = 0.25, 0.3, 0.4
#: Warm-up sweeps between updates of the proposal covariance, and before the first.
INTERVAL = 50
#: LKJ shape: the power of 1 - ρ² in the density of artanh ρ.
CORRELATION = 2.0


@njit(**OPTIONS)
def log_cosh(x):
    """Return log(cosh(x)) without overflow."""
    return abs(x) + np.log1p(np.exp(-2 * abs(x))) - np.log(2.0)


@njit(**OPTIONS)
def softplus(x):
    """Return log(1 + exp(x)) without overflow."""
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@njit(**OPTIONS)
def log_prior(spread, scales):
    """Return the log density of log standard deviations (half-normal) and artanh ρ (LKJ(2)) of both terms."""
    result = 0.0
    for term in range(2):
        for row in range(2):
            log_sd = spread[3 * term + row]
            result += log_sd - 0.5 * (np.exp(log_sd) / scales[term]) ** 2
        result -= 2 * CORRELATION * log_cosh(spread[3 * term + 2])
    return result


@njit(**OPTIONS)
def gain_of_median(i, total, mu, mu_new, alpha, precision):
    """Return the change of the log prior density if entity ``i`` moves; ``total`` is the sum of the current medians.

    With a ``precision`` of contrasts, the mean of the medians is the logit of a Beta rate, and
    their distances from it are normal. If it is 0, each median is the logit of a Beta rate of its
    own.
    """
    result = 0.0
    for row in range(2):
        old, new = mu[i, row], mu_new[i, row]
        if precision > 0:
            level, level_new = total[row] / len(mu), (total[row] + new - old) / len(mu)
            result -= (
                0.5
                * precision
                * (new * new - old * old - len(mu) * (level_new * level_new - level * level))
            )
            old, new = level, level_new
        result -= alpha[i, row, 0] * (softplus(-new) - softplus(-old))
        result -= alpha[i, row, 1] * (softplus(new) - softplus(old))
    return result


@njit(**OPTIONS)
def gain_of_medians(mu, mu_new, alpha, precision):
    """Return the gain in the log prior density if all entities move."""
    result, total = 0.0, mu.sum(0)
    for i in range(len(mu)):
        result += gain_of_median(i, total, mu, mu_new, alpha, precision)
        total += mu_new[i] - mu[i]
    return result


@njit(**OPTIONS)
def log_normal(s00, s01, s11, size, spread, term):
    """Return the log density of ``size`` normal pairs from their sums of squares and products."""
    at = 3 * term
    one, two, rho = np.exp(-spread[at]), np.exp(-spread[at + 1]), np.tanh(spread[at + 2])
    distance = s00 * one * one - 2 * rho * s01 * one * two + s11 * two * two
    log_half = log_cosh(spread[at + 2])
    return -0.5 * distance * np.exp(2 * log_half) - size * (spread[at] + spread[at + 1] - log_half)


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
def multiply(low, x0, x1):
    """Multiply a pair by a factor."""
    return low[0] * x0, low[1] * x0 + low[2] * x1


@njit(**OPTIONS)
def solve(low, x0, x1):
    """Solve for a pair with a factor."""
    first = x0 / low[0]
    return first, (x1 - low[1] * first) / low[2]


@njit(**OPTIONS)
def solve_transposed(low, x0, x1):
    """Solve for a pair with a transposed factor."""
    second = x1 / low[2]
    return (x0 - low[1] * second) / low[0], second


@njit(**OPTIONS)
def approximate_table(p, mu, t, centre, factors, pairs, data):
    """Return the mean logits of a table, and the factor and linear term of its standardised deviations."""
    i, j, i0, i1 = pairs[p, 0], pairs[p, 1], data[p, 2], data[p, 3]
    d0, d1 = multiply(factors[1], t[j, 0], t[j, 1])
    e0, e1 = mu[i, 0] - centre[j, 0] - d0, mu[i, 1] - centre[j, 1] - d1
    a, b, c = factors[0]
    low = cholesky_factor(1 + i0 * a * a + i1 * b * b, i1 * b * c, 1 + i1 * c * c)
    r0, r1 = i0 * (data[p, 0] - e0), i1 * (data[p, 1] - e1)
    return e0, e1, low, solve(low, a * r0 + b * r1, c * r1)


@njit(**OPTIONS)
def compute_table(p, approximation, v0, v1, factors, data):
    """Return two logits, two standardised deviations and the log density of a table from its approximation."""
    e0, e1, low, (w0, w1) = approximation
    u0, u1 = solve_transposed(low, w0 + v0, w1 + v1)
    d0, d1 = multiply(factors[0], u0, u1)
    x0, x1 = e0 + d0, e1 + d1
    result = -0.5 * (u0 * u0 + u1 * u1)
    if data[p, 6] > 0:
        result += data[p, 4] * x0 - data[p, 6] * softplus(x0)
    if data[p, 7] > 0:
        result += data[p, 5] * x1 - data[p, 7] * softplus(x1)
    return x0, x1, u0, u1, result


@njit(**OPTIONS)
def compute_tables(mu, t, centre, v, factors, pairs, data):
    """Compute all tables from medians, difficulties and standard normal variables: (table, 6).

    The last column is the determinant of the factor of a table's approximation.
    """
    out = np.empty((len(v), 6))
    for p in range(len(v)):
        approximation = approximate_table(p, mu, t, centre, factors, pairs, data)
        out[p, :5] = compute_table(p, approximation, v[p, 0], v[p, 1], factors, data)
        out[p, 5] = approximation[2][0] * approximation[2][2]
    return out


@njit(**OPTIONS)
def approximate_difficulties(mu, centre, factors, pairs, data, both, datasets):
    """Approximate the standardised difficulties by normals: factors of precisions, and their solutions."""
    low, pull = np.zeros((datasets, 3)), np.zeros((datasets, 2))
    if not both:
        low[:, 0] = low[:, 2] = 1.0
        return low, pull
    a, b, c = factors[0]
    c00, c01, c11 = a * a, a * b, b * b + c * c
    l0, l1, l2 = factors[1]
    for p in range(len(pairs)):
        i, j, i0, i1 = pairs[p, 0], pairs[p, 1], data[p, 2], data[p, 3]
        f, s, x = 1 + i0 * c00, 1 + i1 * c11, i0 * i1 * c01
        det = f * s - x * c01
        w00, w01, w11 = i0 * s / det, -x / det, i1 * f / det
        r0, r1 = data[p, 0] - mu[i, 0] + centre[j, 0], data[p, 1] - mu[i, 1] + centre[j, 1]
        low[j, 0] += w00
        low[j, 1] += w01
        low[j, 2] += w11
        pull[j, 0] += w00 * r0 + w01 * r1
        pull[j, 1] += w01 * r0 + w11 * r1
    for j in range(datasets):
        # L'WL and -L'(W r), since difficulty is subtracted.
        w00, w01, w11 = low[j, 0], low[j, 1], low[j, 2]
        m0, m1 = w00 * l0 + w01 * l1, w01 * l0 + w11 * l1
        low[j] = cholesky_factor(1 + l0 * m0 + l1 * m1, l2 * m1, 1 + l2 * l2 * w11)
        pull[j] = solve(low[j], -(l0 * pull[j, 0] + l1 * pull[j, 1]), -l2 * pull[j, 1])
    return low, pull


@njit(**OPTIONS)
def compute_effects(mu, z, centre, v, factors, pairs, data, both):
    """Compute difficulties and tables from the standard normal variables, after the log density of both."""
    low, pull = approximate_difficulties(mu, centre, factors, pairs, data, both, len(z))
    t, total = np.empty_like(z), 0.0
    for j in range(len(t)):
        t[j] = solve_transposed(low[j], pull[j, 0] + z[j, 0], pull[j, 1] + z[j, 1])
        total -= 0.5 * (t[j, 0] ** 2 + t[j, 1] ** 2) + np.log(low[j, 0] * low[j, 2])
    out = compute_tables(mu, t, centre, v, factors, pairs, data)
    for p in range(len(out)):
        total += out[p, 4] - np.log(out[p, 5])
    return total, t, out


@njit(**OPTIONS)
def standardise_effects(mu, t, centre, out, factors, pairs, data, both):
    """Compute the standard normal variables of the effects, the inverse of :func:`compute_effects`."""
    low, pull = approximate_difficulties(mu, centre, factors, pairs, data, both, len(t))
    z, v = np.empty_like(t), np.empty((len(out), 2))
    for j in range(len(t)):
        z[j, 0] = low[j, 0] * t[j, 0] + low[j, 1] * t[j, 1] - pull[j, 0]
        z[j, 1] = low[j, 2] * t[j, 1] - pull[j, 1]
    for p in range(len(out)):
        _, _, f, (w0, w1) = approximate_table(p, mu, t, centre, factors, pairs, data)
        v[p, 0] = f[0] * out[p, 2] + f[1] * out[p, 3] - w0
        v[p, 1] = f[2] * out[p, 3] - w1
    return z, v


@njit(**OPTIONS)
def move_spreads(rng, spread, term, effect, log_step, adaptation, scales, is_sampled):
    """Move the spreads of a term with its effects fixed, and standardise these again; return the log step length."""
    own = covariance_factor(spread, term)
    moved, spread_new = np.empty((len(effect), 2)), spread.copy()
    s00, s01, s11 = 0.0, 0.0, 0.0
    for p in range(len(effect)):
        d0, d1 = multiply(own, effect[p, 0], effect[p, 1])
        moved[p] = d0, d1
        s00 += d0 * d0
        s01 += d0 * d1
        s11 += d1 * d1
    for _ in range(3):
        spread_new[:] = spread
        for k in range(3 * term, 3 * term + 3):
            if is_sampled[k]:
                spread_new[k] += np.exp(log_step) * rng.standard_normal()
        gain = log_prior(spread_new, scales) - log_prior(spread, scales)
        gain += log_normal(s00, s01, s11, len(effect), spread_new, term)
        gain -= log_normal(s00, s01, s11, len(effect), spread, term)
        ok = np.log(rng.random()) < gain
        if ok:
            spread[:] = spread_new
        log_step += adaptation * (ok - RATE_OF_SPREADS)
    new = covariance_factor(spread, term)
    for p in range(len(effect)):
        effect[p] = solve(new, moved[p, 0], moved[p, 1])
    return log_step


@njit(**OPTIONS)
def gain_of_tables(which, out, out_new, number):
    """Return the gain in log density of the tables of each of ``number`` entities or data sets."""
    gain = np.zeros(number)
    for p in range(len(out)):
        gain[which[p]] += out_new[p, 4] - out[p, 4]
    return gain


@njit(**OPTIONS)
def accept_tables(which, is_accepted, out, out_new):
    """Replace the tables of the accepted entities or data sets."""
    for p in range(len(out)):
        if is_accepted[which[p]]:
            out[p] = out_new[p]


@njit(**OPTIONS)
def accept_medians(rng, which, mu, mu_new, alpha, precision, log_step, adaptation, out, out_new):
    """Accept or reject the proposed median of each entity, one after the other."""
    gain, total = gain_of_tables(which, out, out_new, len(mu)), mu.sum(0)
    is_accepted = np.zeros(len(mu), np.bool_)
    for i in range(len(mu)):
        ok = np.log(rng.random()) < gain[i] + gain_of_median(i, total, mu, mu_new, alpha, precision)
        log_step[i] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
        is_accepted[i] = ok
        if ok:
            total += mu_new[i] - mu[i]
            mu[i] = mu_new[i]
    accept_tables(which, is_accepted, out, out_new)


@njit(**OPTIONS)
def accept_difficulties(rng, which, t, t_new, log_step, adaptation, out, out_new):
    """Accept or reject the proposed standard normal difficulty of each data set."""
    gain = gain_of_tables(which, out, out_new, len(t))
    is_accepted = np.zeros(len(t), np.bool_)
    for j in range(len(t)):
        gain[j] += 0.5 * (t[j, 0] ** 2 + t[j, 1] ** 2 - t_new[j, 0] ** 2 - t_new[j, 1] ** 2)
        ok = np.log(rng.random()) < gain[j]
        log_step[j] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
        is_accepted[j] = ok
        if ok:
            t[j] = t_new[j]
    accept_tables(which, is_accepted, out, out_new)


@njit(**OPTIONS)
def shift_all(rng, mu, t, factor, alpha, precision):
    """Move all medians and difficulties together, so that no table changes."""
    datasets = len(t)
    d0, d1 = t[:, 0].sum() / datasets, t[:, 1].sum() / datasets
    root = np.sqrt(datasets)
    s0, s1 = rng.standard_normal() / root - d0, rng.standard_normal() / root - d1
    c0, c1 = multiply(factor, s0, s1)
    mu_new = mu.copy()
    for i in range(len(mu)):
        mu_new[i, 0] += c0
        mu_new[i, 1] += c1
    if np.log(rng.random()) < gain_of_medians(mu, mu_new, alpha, precision):
        mu[:] = mu_new
        for j in range(datasets):
            t[j, 0] += s0
            t[j, 1] += s1


@njit(**OPTIONS)
def average_basis(basis, pairs, entities):
    """Return the mean of each column of a basis over the tables of each entity (entity, column)."""
    result, number = np.zeros((entities, basis.shape[1])), np.zeros(entities)
    for p in range(len(pairs)):
        result[pairs[p, 0]] += basis[pairs[p, 1]]
        number[pairs[p, 0]] += 1
    for i in range(entities):
        result[i] /= max(number[i], 1.0)
    return result


@njit(**OPTIONS)
def draw_coefficients(rng, delta, centre, basis, t, factor):
    """Draw the coefficients of the basis with the difficulties fixed, and set their means and standardised rests.

    Columns are orthogonal and of equal length, and the coefficients standard normal, so that they
    are independent.
    """
    datasets, columns = basis.shape
    hard = np.empty((datasets, 2))
    for j in range(datasets):
        d0, d1 = multiply(factor, t[j, 0], t[j, 1])
        hard[j] = centre[j, 0] + d0, centre[j, 1] + d1
    a, b, c = factor
    length = (basis[:, 0] ** 2).sum()
    # The precision of the difficulties, LL' inverted; then that of a pair of coefficients.
    det = (a * c) ** 2
    p00, p01, p11 = (b * b + c * c) / det, -a * b / det, a * a / det
    low = cholesky_factor(1 + length * p00, length * p01, 1 + length * p11)
    centre[:] = 0.0
    for k in range(columns):
        s0, s1 = (basis[:, k] * hard[:, 0]).sum(), (basis[:, k] * hard[:, 1]).sum()
        w0, w1 = solve(low, p00 * s0 + p01 * s1, p01 * s0 + p11 * s1)
        delta[k] = solve_transposed(low, w0 + rng.standard_normal(), w1 + rng.standard_normal())
        for j in range(datasets):
            centre[j, 0] += basis[j, k] * delta[k, 0]
            centre[j, 1] += basis[j, k] * delta[k, 1]
    for j in range(datasets):
        t[j] = solve(factor, hard[j, 0] - centre[j, 0], hard[j, 1] - centre[j, 1])


@njit(**OPTIONS)
def run(rng, tables, scales, is_sampled, spread, mu, steps, warm, draws, thin):
    """Run one chain: medians (draw, entity, 2), spreads (draw, 6), difficulties, their means, logits, acceptance.

    ``tables`` are the evidence. ``scales`` are those of the half-normal priors of the standard
    deviations, of deviations and of difficulties. ``is_sampled`` marks the spreads (6) and rows (2)
    that are sampled; a missing row has no cases. ``spread`` and ``mu`` are initial values,
    ``steps`` (entity, 2) the lengths of steps of medians, and ``thin`` the number of sweeps between
    draws.
    """
    pairs, datasets, data, alpha, precision, both, basis = tables
    entities, number = len(mu), len(pairs)
    spread, mu = spread.copy(), mu.copy()
    spread_new, mu_new, t_new = spread.copy(), mu.copy(), np.zeros((datasets, 2))
    which = np.flatnonzero(is_sampled)
    size = len(which)
    log_step, near = np.log(0.3), np.log(np.full(2, 0.5))
    of_entity, of_dataset, of_table = np.zeros(entities), np.zeros(datasets), np.zeros(number)
    shape, history, first = np.eye(size), np.zeros((warm, size)), INTERVAL
    kept_mu, kept_spread = np.zeros((draws, entities, 2)), np.zeros((draws, 6))
    kept_difficulty, kept_logits = np.zeros((draws, datasets, 2)), np.zeros((draws, number, 2))
    kept_centre = np.zeros((draws, datasets, 2))
    columns = basis.shape[1]
    delta, centre = np.zeros((columns, 2)), np.zeros((datasets, 2))
    of_column, mean_of_entity = (
        np.full((2, columns, 2), np.log(0.3)),
        average_basis(basis, pairs, entities),
    )
    accepted = 0
    z, v = np.zeros((datasets, 2)), np.zeros((number, 2))
    factors = covariance_factor(spread, 0), covariance_factor(spread, 1)
    total, t, out = compute_effects(mu, z, centre, v, factors, pairs, data, both)
    for sweep in range(warm + draws * thin):
        adaptation = 0.0 if sweep >= warm else 1 / (sweep + 1) ** 0.6
        # 1. Spreads and a shift of all medians with the standard normal variables fixed: all
        # together, then one with a long step, since a standard deviation near 0 has a long tail of
        # logarithms.
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
            factors = covariance_factor(spread_new, 0), covariance_factor(spread_new, 1)
            other, others, out_new = compute_effects(
                mu_new, z, centre, v, factors, pairs, data, both
            )
            gain = other - total + log_prior(spread_new, scales) - log_prior(spread, scales)
            gain += gain_of_medians(mu, mu_new, alpha, precision)
            ok = np.log(rng.random()) < gain
            if ok:
                total, t, out = other, others, out_new
                spread[:], mu[:] = spread_new, mu_new
            if not single:
                log_step += adaptation * (ok - RATE_OF_JOINT_STEPS)
                accepted += ok
        # 2. Spreads with the effects fixed.
        near[0] = move_spreads(rng, spread, 0, out[:, 2:4], near[0], adaptation, scales, is_sampled)
        if both:
            near[1] = move_spreads(rng, spread, 1, t, near[1], adaptation, scales, is_sampled)
        factors = covariance_factor(spread, 0), covariance_factor(spread, 1)
        z, v = standardise_effects(mu, t, centre, out, factors, pairs, data, both)
        out = compute_tables(mu, t, centre, v, factors, pairs, data)
        # 3. The median of each entity, with the difficulties fixed.
        for i in range(entities):
            for row in range(2):
                mu_new[i, row] = mu[i, row]
                if is_sampled[6 + row]:
                    mu_new[i, row] += steps[i, row] * np.exp(of_entity[i]) * rng.standard_normal()
        out_new = compute_tables(mu_new, t, centre, v, factors, pairs, data)
        accept_medians(
            rng, pairs[:, 0], mu, mu_new, alpha, precision, of_entity, adaptation, out, out_new
        )
        # 4. The difficulty of each data set.
        if both:
            low, _ = approximate_difficulties(mu, centre, factors, pairs, data, both, datasets)
            for j in range(datasets):
                d0, d1 = solve_transposed(low[j], rng.standard_normal(), rng.standard_normal())
                t_new[j, 0] = t[j, 0] + np.exp(of_dataset[j]) * d0
                t_new[j, 1] = t[j, 1] + np.exp(of_dataset[j]) * d1
            out_new = compute_tables(mu, t_new, centre, v, factors, pairs, data)
            accept_difficulties(rng, pairs[:, 1], t, t_new, of_dataset, adaptation, out, out_new)
            shift_all(rng, mu, t, factors[1], alpha, precision)
        # 5. The means of the difficulties, if a basis gives them.
        if columns:
            draw_coefficients(rng, delta, centre, basis, t, factors[1])
            for kind in range(2):
                k, row = (
                    int(rng.random() * columns),
                    1 if is_sampled[7] and rng.random() < 0.5 else 0,
                )
                step = np.exp(of_column[kind, k, row]) * rng.standard_normal()
                centre_new = centre.copy()
                mu_new[:] = mu
                centre_new[:, row] += step * basis[:, k]
                gain = 0.5 * (delta[k, row] ** 2 - (delta[k, row] + step) ** 2)
                if kind:  # all entities move along, so that their mean logits stay
                    mu_new[:, row] += step * mean_of_entity[:, k]
                    gain += gain_of_medians(mu, mu_new, alpha, precision)
                out_new = compute_tables(mu_new, t, centre_new, v, factors, pairs, data)
                gain += (out_new[:, 4] - out[:, 4]).sum()
                ok = np.log(rng.random()) < gain
                of_column[kind, k, row] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
                if ok:
                    delta[k, row] += step
                    centre, out = centre_new, out_new
                    mu[:] = mu_new
        # 6. The logits of each table: proposals from the approximation, then a random walk.
        for p in range(number):
            approximation = approximate_table(p, mu, t, centre, factors, pairs, data)
            for is_walk in range(2):
                if is_walk:
                    length = np.exp(of_table[p])
                    v0, v1 = (
                        v[p, 0] + length * rng.standard_normal(),
                        v[p, 1] + length * rng.standard_normal(),
                    )
                    gain = 0.0
                else:
                    v0, v1 = rng.standard_normal(), rng.standard_normal()
                    gain = 0.5 * (v0 * v0 + v1 * v1 - v[p, 0] ** 2 - v[p, 1] ** 2)
                new = compute_table(p, approximation, v0, v1, factors, data)
                ok = np.log(rng.random()) < gain + new[4] - out[p, 4]
                if is_walk:
                    of_table[p] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
                if ok:
                    out[p, :5] = new
                    v[p] = v0, v1
        z, v = standardise_effects(mu, t, centre, out, factors, pairs, data, both)
        total, t, out = compute_effects(mu, z, centre, v, factors, pairs, data, both)
        if sweep < warm:
            for k in range(size):
                history[sweep, k] = spread[which[k]] if which[k] < 6 else mu[:, which[k] - 6].mean()
            if sweep % INTERVAL == 0 and sweep + 1 - first >= 2 * INTERVAL:
                if sweep % (8 * INTERVAL) == 0 and sweep < warm // 2:
                    first = sweep + 1  # discard the approach to the posterior
                else:
                    seen = history[first : sweep + 1]
                    away = seen - seen.sum(0) / len(seen)
                    shape = np.linalg.cholesky(away.T @ away / len(seen) + 1e-4 * np.eye(size))
                    if sweep < 4 * INTERVAL:
                        log_step = np.log(1.5 / np.sqrt(size))
        elif (sweep - warm) % thin == thin - 1:
            at = (sweep - warm) // thin
            kept_mu[at], kept_spread[at], kept_logits[at] = mu, spread, out[:, :2]
            kept_centre[at] = centre
            for j in range(datasets):
                d0, d1 = multiply(factors[1], t[j, 0], t[j, 1])
                kept_difficulty[at, j] = centre[j, 0] + d0, centre[j, 1] + d1
    return (
        kept_mu,
        kept_spread,
        kept_difficulty,
        kept_centre,
        kept_logits,
        accepted / (warm + draws * thin),
    )
