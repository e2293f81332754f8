"""Compiled Metropolis sampler of tables with logits = median of the entity - difficulty + deviation.

Difficulties have mean 0, or the mean that a ``basis`` (data set, column) and its coefficients give:
see the model of crossed effects. Without columns there are no coefficients.

Effects are standardised by their normal approximation given the spreads, in which the counts of a
table are one normal observation, the empirical logit with its information. Spreads can then change
while the standard normal variables stay, for any amount of data, which avoids funnels. The steps
target the exact posterior.

Most of the code is loops over single numbers, since expressions of arrays take seconds to compile.
"""

import numpy as np

from bayesrank._core.compiled import njit

OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
#: Options of functions that only compiled functions call: calls from Python would need a wrapper,
#: which takes a third of the time of their compilation.
HELPER = OPTIONS | {"no_cpython_wrapper": True}
#: Target acceptance rates of joint steps, of steps with fixed effects, and of steps for single
#: parameters.
RATE_OF_JOINT_STEPS, RATE_OF_SPREADS, RATE_OF_SINGLE_STEPS = 0.25, 0.3, 0.4
#: Warm-up sweeps between updates of the proposal covariance, and before the first.
INTERVAL = 50
#: LKJ shape: the power of 1 - ρ² in the density of artanh ρ.
CORRELATION = 2.0


@njit(**HELPER)
def draw_normal(rng):
    """Draw a standard normal number."""
    return rng.standard_normal()


@njit(**HELPER)
def draw_log_uniform(rng):
    """Draw the logarithm of a uniform number, the threshold of a Metropolis step."""
    return np.log(rng.random())


@njit(**HELPER)
def copy_pairs(source, target):
    """Copy pairs (item, 2) into another array."""
    for i in range(len(source)):
        target[i, 0], target[i, 1] = source[i, 0], source[i, 1]


@njit(**HELPER)
def positions(is_in):
    """Return the positions that are marked."""
    result, size = np.empty(len(is_in), np.int64), 0
    for k in range(len(is_in)):
        if is_in[k]:
            result[size] = k
            size += 1
    return result[:size]


@njit(**HELPER)
def sum_pairs(pairs):
    """Return the sum of pairs (item, 2)."""
    first, second = 0.0, 0.0
    for i in range(len(pairs)):
        first += pairs[i, 0]
        second += pairs[i, 1]
    return first, second


@njit(**HELPER)
def log_cosh(x):
    """Return log(cosh(x)) without overflow."""
    return abs(x) + np.log1p(np.exp(-2 * abs(x))) - np.log(2.0)


@njit(**HELPER)
def softplus(x):
    """Return log(1 + exp(x)) without overflow."""
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@njit(**HELPER)
def log_prior(spread, scales):
    """Return the log density of log standard deviations (half-normal) and artanh ρ (LKJ(2)) of both terms."""
    result = 0.0
    for term in range(2):
        for row in range(2):
            log_sd = spread[3 * term + row]
            result += log_sd - 0.5 * (np.exp(log_sd) / scales[term]) ** 2
        result -= 2 * CORRELATION * log_cosh(spread[3 * term + 2])
    return result


@njit(**HELPER)
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


@njit(**HELPER)
def total_after(i, total, mu, mu_new):
    """Return the sum of the medians after entity ``i`` has moved."""
    return total[0] + (mu_new[i, 0] - mu[i, 0]), total[1] + (mu_new[i, 1] - mu[i, 1])


@njit(**HELPER)
def gain_of_medians(mu, mu_new, alpha, precision):
    """Return the gain in the log prior density if all entities move."""
    result, total = 0.0, sum_pairs(mu)
    for i in range(len(mu)):
        result += gain_of_median(i, total, mu, mu_new, alpha, precision)
        total = total_after(i, total, mu, mu_new)
    return result


@njit(**HELPER)
def log_normal(s00, s01, s11, size, spread, term):
    """Return the log density of ``size`` normal pairs from their sums of squares and products."""
    at = 3 * term
    one, two, rho = np.exp(-spread[at]), np.exp(-spread[at + 1]), np.tanh(spread[at + 2])
    distance = s00 * one * one - 2 * rho * s01 * one * two + s11 * two * two
    log_half = log_cosh(spread[at + 2])
    return -0.5 * distance * np.exp(2 * log_half) - size * (spread[at] + spread[at + 1] - log_half)


@njit(**HELPER)
def covariance_factors(spread):
    """Return the Cholesky factors of the covariances of both terms, each as three numbers."""
    return (
        covariance_factor(spread[0], spread[1], spread[2]),
        covariance_factor(spread[3], spread[4], spread[5]),
    )


@njit(**HELPER)
def covariance_factor(log_first, log_second, artanh_rho):
    """Return the Cholesky factor of a covariance, as three numbers."""
    first, second = np.exp(log_first), np.exp(log_second)
    return first, second * np.tanh(artanh_rho), second * np.exp(-log_cosh(artanh_rho))


@njit(**HELPER)
def cholesky_factor(a, b, d):
    """Return the Cholesky factor of a 2 x 2 matrix, as three numbers."""
    first = np.sqrt(a)
    below = b / first
    return first, below, np.sqrt(d - below * below)


@njit(**HELPER)
def multiply(low, x0, x1):
    """Multiply a pair by a factor."""
    return low[0] * x0, low[1] * x0 + low[2] * x1


@njit(**HELPER)
def solve(low, x0, x1):
    """Solve for a pair with a factor."""
    first = x0 / low[0]
    return first, (x1 - low[1] * first) / low[2]


@njit(**HELPER)
def solve_transposed(low, x0, x1):
    """Solve for a pair with a transposed factor."""
    second = x1 / low[2]
    return (x0 - low[1] * second) / low[0], second


@njit(**HELPER)
def approximate_table(p, mu, t, centre, factors, pairs, data):
    """Return the mean logits of a table, and the factor and linear term of its standardised deviations."""
    i, j, i0, i1 = pairs[p, 0], pairs[p, 1], data[p, 2], data[p, 3]
    d0, d1 = multiply(factors[1], t[j, 0], t[j, 1])
    e0, e1 = mu[i, 0] - centre[j, 0] - d0, mu[i, 1] - centre[j, 1] - d1
    a, b, c = factors[0]
    low = cholesky_factor(1 + i0 * a * a + i1 * b * b, i1 * b * c, 1 + i1 * c * c)
    r0, r1 = i0 * (data[p, 0] - e0), i1 * (data[p, 1] - e1)
    return e0, e1, low, solve(low, a * r0 + b * r1, c * r1)


@njit(**HELPER)
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


@njit(**HELPER)
def store_table(table, out, p):
    """Write the result of :func:`compute_table` into row ``p``."""
    out[p, 0], out[p, 1], out[p, 2], out[p, 3], out[p, 4] = table


@njit(**HELPER)
def compute_tables(mu, t, centre, v, factors, pairs, data):
    """Compute all tables from medians, difficulties and standard normal variables: (table, 6).

    The last column is the determinant of the factor of a table's approximation.
    """
    out = np.zeros((len(v), 6))
    for p in range(len(v)):
        approximation = approximate_table(p, mu, t, centre, factors, pairs, data)
        store_table(compute_table(p, approximation, v[p, 0], v[p, 1], factors, data), out, p)
        out[p, 5] = approximation[2][0] * approximation[2][2]
    return out


@njit(**HELPER)
def approximate_difficulties(mu, centre, factors, pairs, data, both, datasets):
    """Approximate the standardised difficulties by normals: factors of precisions, and their solutions."""
    low, pull = np.zeros((datasets, 3)), np.zeros((datasets, 2))
    if not both:
        for j in range(datasets):
            low[j, 0] = low[j, 2] = 1.0
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
        factor = cholesky_factor(1 + l0 * m0 + l1 * m1, l2 * m1, 1 + l2 * l2 * w11)
        low[j, 0], low[j, 1], low[j, 2] = factor
        p0, p1 = l0 * pull[j, 0] + l1 * pull[j, 1], l2 * pull[j, 1]
        pull[j, 0], pull[j, 1] = solve(factor, -p0, -p1)
    return low, pull


@njit(**HELPER)
def compute_effects(mu, z, centre, v, factors, pairs, data, both):
    """Compute difficulties and tables from the standard normal variables, after the log density of both."""
    low, pull = approximate_difficulties(mu, centre, factors, pairs, data, both, len(z))
    t, total = np.zeros((len(z), 2)), 0.0
    for j in range(len(t)):
        factor = low[j, 0], low[j, 1], low[j, 2]
        t[j, 0], t[j, 1] = solve_transposed(factor, pull[j, 0] + z[j, 0], pull[j, 1] + z[j, 1])
        total -= 0.5 * (t[j, 0] ** 2 + t[j, 1] ** 2) + np.log(low[j, 0] * low[j, 2])
    out = compute_tables(mu, t, centre, v, factors, pairs, data)
    for p in range(len(out)):
        total += out[p, 4] - np.log(out[p, 5])
    return total, t, out


@njit(**HELPER)
def standardise_effects(mu, t, centre, out, factors, pairs, data, both):
    """Compute the standard normal variables of the effects, the inverse of :func:`compute_effects`."""
    low, pull = approximate_difficulties(mu, centre, factors, pairs, data, both, len(t))
    z, v = np.zeros((len(t), 2)), np.zeros((len(out), 2))
    for j in range(len(t)):
        z[j, 0] = low[j, 0] * t[j, 0] + low[j, 1] * t[j, 1] - pull[j, 0]
        z[j, 1] = low[j, 2] * t[j, 1] - pull[j, 1]
    for p in range(len(out)):
        _, _, f, (w0, w1) = approximate_table(p, mu, t, centre, factors, pairs, data)
        v[p, 0] = f[0] * out[p, 2] + f[1] * out[p, 3] - w0
        v[p, 1] = f[2] * out[p, 3] - w1
    return z, v


@njit(**HELPER)
def move_spreads(rng, spread, term, effect, log_step, adaptation, scales, is_sampled):
    """Move the spreads of a term with its effects fixed, and standardise these again; return the log step length."""
    own = covariance_factors(spread)[term]
    moved, spread_new = np.zeros((len(effect), 2)), spread.copy()
    s00, s01, s11 = 0.0, 0.0, 0.0
    for p in range(len(effect)):
        d0, d1 = multiply(own, effect[p, 0], effect[p, 1])
        moved[p, 0], moved[p, 1] = d0, d1
        s00 += d0 * d0
        s01 += d0 * d1
        s11 += d1 * d1
    for _ in range(3):
        for k in range(3 * term, 3 * term + 3):
            spread_new[k] = spread[k]
            if is_sampled[k]:
                spread_new[k] += np.exp(log_step) * draw_normal(rng)
        gain = log_prior(spread_new, scales) - log_prior(spread, scales)
        gain += log_normal(s00, s01, s11, len(effect), spread_new, term)
        gain -= log_normal(s00, s01, s11, len(effect), spread, term)
        ok = draw_log_uniform(rng) < gain
        if ok:
            for k in range(3 * term, 3 * term + 3):
                spread[k] = spread_new[k]
        log_step += adaptation * (ok - RATE_OF_SPREADS)
    new = covariance_factors(spread)[term]
    for p in range(len(effect)):
        effect[p, 0], effect[p, 1] = solve(new, moved[p, 0], moved[p, 1])
    return log_step


@njit(**HELPER)
def gain_of_tables(which, out, out_new, number):
    """Return the gain in log density of the tables of each of ``number`` entities or data sets."""
    gain = np.zeros(number)
    for p in range(len(out)):
        gain[which[p]] += out_new[p, 4] - out[p, 4]
    return gain


@njit(**HELPER)
def gain_of_all_tables(out, out_new):
    """Return the gain in log density of all tables."""
    gain = 0.0
    for p in range(len(out)):
        gain += out_new[p, 4] - out[p, 4]
    return gain


@njit(**HELPER)
def accept_tables(which, is_accepted, out, out_new):
    """Replace the tables of the accepted entities or data sets."""
    for p in range(len(out)):
        if is_accepted[which[p]]:
            for k in range(6):
                out[p, k] = out_new[p, k]


@njit(**HELPER)
def accept_medians(rng, which, mu, mu_new, alpha, precision, log_step, adaptation, out, out_new):
    """Accept or reject the proposed median of each entity, one after the other."""
    gain, total = gain_of_tables(which, out, out_new, len(mu)), sum_pairs(mu)
    is_accepted = np.zeros(len(mu), np.bool_)
    for i in range(len(mu)):
        ok = draw_log_uniform(rng) < gain[i] + gain_of_median(
            i, total, mu, mu_new, alpha, precision
        )
        log_step[i] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
        is_accepted[i] = ok
        if ok:
            total = total_after(i, total, mu, mu_new)
            mu[i, 0], mu[i, 1] = mu_new[i, 0], mu_new[i, 1]
    accept_tables(which, is_accepted, out, out_new)


@njit(**HELPER)
def accept_difficulties(rng, which, t, t_new, log_step, adaptation, out, out_new):
    """Accept or reject the proposed standard normal difficulty of each data set."""
    gain = gain_of_tables(which, out, out_new, len(t))
    is_accepted = np.zeros(len(t), np.bool_)
    for j in range(len(t)):
        gain[j] += 0.5 * (t[j, 0] ** 2 + t[j, 1] ** 2 - t_new[j, 0] ** 2 - t_new[j, 1] ** 2)
        ok = draw_log_uniform(rng) < gain[j]
        log_step[j] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
        is_accepted[j] = ok
        if ok:
            t[j, 0], t[j, 1] = t_new[j, 0], t_new[j, 1]
    accept_tables(which, is_accepted, out, out_new)


@njit(**HELPER)
def shift_all(rng, mu, t, factor, alpha, precision):
    """Move all medians and difficulties together, so that no table changes."""
    datasets = len(t)
    total, root = sum_pairs(t), np.sqrt(datasets)
    s0 = draw_normal(rng) / root - total[0] / datasets
    s1 = draw_normal(rng) / root - total[1] / datasets
    c0, c1 = multiply(factor, s0, s1)
    mu_new = mu.copy()
    for i in range(len(mu)):
        mu_new[i, 0] += c0
        mu_new[i, 1] += c1
    if draw_log_uniform(rng) < gain_of_medians(mu, mu_new, alpha, precision):
        copy_pairs(mu_new, mu)
        for j in range(datasets):
            t[j, 0] += s0
            t[j, 1] += s1


@njit(**HELPER)
def average_basis(basis, pairs, entities):
    """Return the mean of each column of a basis over the tables of each entity (entity, column)."""
    result, number = np.zeros((entities, basis.shape[1])), np.zeros(entities)
    for p in range(len(pairs)):
        number[pairs[p, 0]] += 1
        for k in range(basis.shape[1]):
            result[pairs[p, 0], k] += basis[pairs[p, 1], k]
    for i in range(entities):
        for k in range(basis.shape[1]):
            result[i, k] /= max(number[i], 1.0)
    return result


@njit(**HELPER)
def draw_coefficients(rng, delta, centre, basis, t, factor):
    """Draw the coefficients of the basis with the difficulties fixed, and set their means and standardised rests.

    Columns are orthogonal and of equal length, and the coefficients standard normal, so that they
    are independent.
    """
    datasets, columns = basis.shape
    hard, length = np.zeros((datasets, 2)), 0.0
    for j in range(datasets):
        d0, d1 = multiply(factor, t[j, 0], t[j, 1])
        hard[j, 0], hard[j, 1] = centre[j, 0] + d0, centre[j, 1] + d1
        centre[j, 0] = centre[j, 1] = 0.0
        length += basis[j, 0] ** 2
    a, b, c = factor
    # The precision of the difficulties, LL' inverted; then that of a pair of coefficients.
    det = (a * c) ** 2
    p00, p01, p11 = (b * b + c * c) / det, -a * b / det, a * a / det
    low = cholesky_factor(1 + length * p00, length * p01, 1 + length * p11)
    for k in range(columns):
        s0, s1 = 0.0, 0.0
        for j in range(datasets):
            s0 += basis[j, k] * hard[j, 0]
            s1 += basis[j, k] * hard[j, 1]
        w0, w1 = solve(low, p00 * s0 + p01 * s1, p01 * s0 + p11 * s1)
        v0, v1 = w0 + draw_normal(rng), w1 + draw_normal(rng)
        delta[k, 0], delta[k, 1] = solve_transposed(low, v0, v1)
        for j in range(datasets):
            centre[j, 0] += basis[j, k] * delta[k, 0]
            centre[j, 1] += basis[j, k] * delta[k, 1]
    for j in range(datasets):
        h0, h1 = hard[j, 0] - centre[j, 0], hard[j, 1] - centre[j, 1]
        t[j, 0], t[j, 1] = solve(factor, h0, h1)


@njit(**HELPER)
def draw_step(rng, shape, log_step, is_single):
    """Draw a step of all spreads and of the shift of all medians, or a long step of one of them.

    ``shape`` is a factor of the covariance of the steps.
    """
    size = len(shape)
    step = np.zeros(size)
    if is_single:
        k, square = int(rng.random() * size), 0.0
        for m in range(size):
            square += shape[k, m] ** 2
        length = 1.5 * np.sqrt(square) * np.exp(0.8 * draw_normal(rng))
        step[k] = length * draw_normal(rng)
        return step
    for k in range(size):
        step[k] = draw_normal(rng)
    step = shape @ step
    for k in range(size):
        step[k] *= np.exp(log_step)
    return step


@njit(**HELPER)
def add_step(step, which, spread, mu, spread_new, mu_new):
    """Write the spreads and the medians after a step; ``which`` are the spreads (0 to 5) and rows (6, 7) that move."""
    for k in range(6):
        spread_new[k] = spread[k]
    copy_pairs(mu, mu_new)
    for k in range(len(which)):
        if which[k] < 6:
            spread_new[which[k]] += step[k]
        else:
            for i in range(len(mu)):
                mu_new[i, which[k] - 6] += step[k]


@njit(**HELPER)
def propose_medians(rng, mu, mu_new, steps, of_entity, is_sampled):
    """Write a proposal for the median of each entity."""
    for i in range(len(mu)):
        for row in range(2):
            mu_new[i, row] = mu[i, row]
            if is_sampled[6 + row]:
                mu_new[i, row] += steps[i, row] * np.exp(of_entity[i]) * draw_normal(rng)


@njit(**HELPER)
def propose_difficulties(rng, low, t, t_new, of_dataset):
    """Write a proposal for the standardised difficulty of each data set."""
    for j in range(len(t)):
        factor = low[j, 0], low[j, 1], low[j, 2]
        d0, d1 = solve_transposed(factor, draw_normal(rng), draw_normal(rng))
        t_new[j, 0] = t[j, 0] + np.exp(of_dataset[j]) * d0
        t_new[j, 1] = t[j, 1] + np.exp(of_dataset[j]) * d1


@njit(**HELPER)
def add_to_row(target, source, row, column, factor):
    """Add a multiple of a column of ``source`` to a row of logits (item, 2)."""
    for i in range(len(target)):
        target[i, row] += factor * source[i, column]


@njit(**HELPER)
def move_tables(rng, mu, t, centre, v, out, factors, pairs, data, of_table, adaptation):
    """Move the logits of each table: a proposal from its approximation, then a random walk."""
    for p in range(len(pairs)):
        approximation = approximate_table(p, mu, t, centre, factors, pairs, data)
        for is_walk in range(2):
            v0, v1 = draw_normal(rng), draw_normal(rng)
            if is_walk:
                length = np.exp(of_table[p])
                v0, v1 = v[p, 0] + length * v0, v[p, 1] + length * v1
                gain = 0.0
            else:
                gain = 0.5 * (v0 * v0 + v1 * v1 - v[p, 0] ** 2 - v[p, 1] ** 2)
            new = compute_table(p, approximation, v0, v1, factors, data)
            ok = draw_log_uniform(rng) < gain + new[4] - out[p, 4]
            if is_walk:
                of_table[p] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
            if ok:
                store_table(new, out, p)
                v[p, 0], v[p, 1] = v0, v1


@njit(**HELPER)
def record(history, sweep, which, spread, mu):
    """Write the spreads, and the mean medians of the rows, that move together."""
    mean = sum_pairs(mu)
    for k in range(len(which)):
        history[sweep, k] = spread[which[k]] if which[k] < 6 else mean[which[k] - 6] / len(mu)


@njit(**HELPER)
def factor_of_history(history, first, end):
    """Return a Cholesky factor of the covariance (parameter, parameter) of a history (sweep, parameter)."""
    number, size = end - first, history.shape[1]
    away = np.zeros((number, size))
    for k in range(size):
        mean = 0.0
        for i in range(number):
            mean += history[first + i, k]
        for i in range(number):
            away[i, k] = history[first + i, k] - mean / number
    covariance = away.T @ away
    for k in range(size):
        for m in range(size):
            covariance[k, m] /= number
        covariance[k, k] += 1e-4
    return np.linalg.cholesky(covariance)


@njit(**HELPER)
def keep_draw(kept, draw, mu, spread, t, factor, centre, out):
    """Write a draw of the medians, spreads, difficulties, their means and logits."""
    kept_mu, kept_spread, kept_difficulty, kept_centre, kept_logits = kept
    copy_pairs(mu, kept_mu[draw])
    copy_pairs(centre, kept_centre[draw])
    for k in range(6):
        kept_spread[draw, k] = spread[k]
    for j in range(len(t)):
        d0, d1 = multiply(factor, t[j, 0], t[j, 1])
        kept_difficulty[draw, j, 0] = centre[j, 0] + d0
        kept_difficulty[draw, j, 1] = centre[j, 1] + d1
    for p in range(len(out)):
        kept_logits[draw, p, 0], kept_logits[draw, p, 1] = out[p, 0], out[p, 1]


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
    which = positions(is_sampled)
    size = len(which)
    log_step, near = np.log(0.3), np.zeros(1 + both)
    of_entity, of_dataset, of_table = np.zeros(entities), np.zeros(datasets), np.zeros(number)
    shape, history = np.zeros((size, size)), np.zeros((warm, size))
    first = int(INTERVAL)  # of a constant, Numba would compile factor_of_history a second time
    for k in range(size):
        shape[k, k] = 1.0
    for term in range(len(near)):
        near[term] = np.log(0.5)
    kept = (
        np.zeros((draws, entities, 2)),
        np.zeros((draws, 6)),
        np.zeros((draws, datasets, 2)),
        np.zeros((draws, datasets, 2)),
        np.zeros((draws, number, 2)),
    )
    columns = basis.shape[1]
    delta, centre = np.zeros((columns, 2)), np.zeros((datasets, 2))
    of_column, mean_of_entity = np.zeros((2 * columns, 2)), average_basis(basis, pairs, entities)
    for k in range(2 * columns):
        of_column[k, 0] = of_column[k, 1] = np.log(0.3)
    accepted = 0
    z, v = np.zeros((datasets, 2)), np.zeros((number, 2))
    factors = covariance_factors(spread)
    total, t, out = compute_effects(mu, z, centre, v, factors, pairs, data, both)
    for sweep in range(warm + draws * thin):
        adaptation = 0.0 if sweep >= warm else 1 / (sweep + 1) ** 0.6
        # 1. Spreads and a shift of all medians with the standard normal variables fixed: all
        # together, then one with a long step, since a standard deviation near 0 has a long tail of
        # logarithms.
        for is_single in range(2):
            step = draw_step(rng, shape, log_step, is_single)
            add_step(step, which, spread, mu, spread_new, mu_new)
            factors = covariance_factors(spread_new)
            other, others, out_new = compute_effects(
                mu_new, z, centre, v, factors, pairs, data, both
            )
            gain = other - total + log_prior(spread_new, scales) - log_prior(spread, scales)
            gain += gain_of_medians(mu, mu_new, alpha, precision)
            ok = draw_log_uniform(rng) < gain
            if ok:
                total, t, out = other, others, out_new
                spread, spread_new, mu, mu_new = spread_new, spread, mu_new, mu
            if not is_single:
                log_step += adaptation * (ok - RATE_OF_JOINT_STEPS)
                accepted += ok
        # 2. Spreads with the effects fixed.
        for term in range(1 + both):
            effect = t[:, 0:2] if term else out[:, 2:4]
            near[term] = move_spreads(
                rng, spread, term, effect, near[term], adaptation, scales, is_sampled
            )
        factors = covariance_factors(spread)
        z, v = standardise_effects(mu, t, centre, out, factors, pairs, data, both)
        out = compute_tables(mu, t, centre, v, factors, pairs, data)
        # 3. The median of each entity, with the difficulties fixed.
        propose_medians(rng, mu, mu_new, steps, of_entity, is_sampled)
        out_new = compute_tables(mu_new, t, centre, v, factors, pairs, data)
        accept_medians(
            rng, pairs[:, 0], mu, mu_new, alpha, precision, of_entity, adaptation, out, out_new
        )
        # 4. The difficulty of each data set.
        if both:
            low, _ = approximate_difficulties(mu, centre, factors, pairs, data, both, datasets)
            propose_difficulties(rng, low, t, t_new, of_dataset)
            out_new = compute_tables(mu, t_new, centre, v, factors, pairs, data)
            accept_difficulties(rng, pairs[:, 1], t, t_new, of_dataset, adaptation, out, out_new)
            shift_all(rng, mu, t, factors[1], alpha, precision)
        # 5. The means of the difficulties, if a basis gives them.
        if columns:
            draw_coefficients(rng, delta, centre, basis, t, factors[1])
            for kind in range(2):
                k = int(rng.random() * columns)
                row = 1 if is_sampled[7] and rng.random() < 0.5 else 0
                step = np.exp(of_column[kind * columns + k, row]) * draw_normal(rng)
                centre_new = centre.copy()
                copy_pairs(mu, mu_new)
                add_to_row(centre_new, basis, row, k, step)
                gain = 0.5 * (delta[k, row] ** 2 - (delta[k, row] + step) ** 2)
                if kind:  # all entities move along, so that their mean logits stay
                    add_to_row(mu_new, mean_of_entity, row, k, step)
                    gain += gain_of_medians(mu, mu_new, alpha, precision)
                out_new = compute_tables(mu_new, t, centre_new, v, factors, pairs, data)
                gain += gain_of_all_tables(out, out_new)
                ok = draw_log_uniform(rng) < gain
                of_column[kind * columns + k, row] += adaptation * (ok - RATE_OF_SINGLE_STEPS)
                if ok:
                    delta[k, row] += step
                    centre, out = centre_new, out_new
                    mu, mu_new = mu_new, mu
        # 6. The logits of each table.
        move_tables(rng, mu, t, centre, v, out, factors, pairs, data, of_table, adaptation)
        z, v = standardise_effects(mu, t, centre, out, factors, pairs, data, both)
        total, t, out = compute_effects(mu, z, centre, v, factors, pairs, data, both)
        if sweep < warm:
            record(history, sweep, which, spread, mu)
            if sweep % INTERVAL == 0 and sweep + 1 - first >= 2 * INTERVAL:
                if sweep % (8 * INTERVAL) == 0 and sweep < warm // 2:
                    first = sweep + 1  # discard the approach to the posterior
                else:
                    shape = factor_of_history(history, first, sweep + 1)
                    if sweep < 4 * INTERVAL:
                        log_step = np.log(1.5 / np.sqrt(size))
        elif (sweep - warm) % thin == thin - 1:
            keep_draw(kept, (sweep - warm) // thin, mu, spread, t, factors[1], centre, out)
    return (*kept, accepted / (warm + draws * thin))
