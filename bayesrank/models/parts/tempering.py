"""Sample a posterior that may have ridges or several modes: particles move from the prior, by rising powers.

Del Moral, Doucet, Jasra (2006), Sequential Monte Carlo samplers, Journal of the Royal Statistical
Society B 68:411-436.
"""

from collections.abc import Callable

import numpy as np

#: A log density (particle) and its gradient (particle, parameter).
Density = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

#: Particles of a chain, at least and at most; later draws are further moves of the particles.
FEWEST, MOST = 100, 250
#: Share of particles that count after each rise of the power.
KEPT = 0.5
#: Moves after each rise, after the last one, and between two draws of a particle; the wanted
#: acceptance.
MOVES, LAST, BETWEEN, ACCEPT = 2, 8, 4, 0.8
#: Parameters stay within these ends, also where a move goes astray.
FAR = 1e3
#: With fewer particles a parameter, covariances of parameters are shrunk towards 0.
ENOUGH = 10
#: Length of a move in standard deviations, and its most steps.
LENGTH, STEPS = 1.5, 16


def temper(
    start: np.ndarray, prior: Density, likelihood: Density, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return draws (draw, parameter) of the posterior, and their acceptance rates (draw), from draws of the prior.

    The likelihood is raised to powers from 0 to 1, each so that half of the particles count.
    Particles are then selected by weight, and moved by Hamiltonian steps in the scale of their
    covariance. Draws of common origin are neighbours, so that an effective sample size counts them
    as dependent.
    """
    state: tuple[np.ndarray, ...] = (start, *likelihood(start), *prior(start))
    power, width = 0.0, 0.4
    while power < 1:
        power, weight = _rise(state[1], power)
        places = (rng.random() + np.arange(len(start))) / len(start)
        chosen = np.minimum(np.searchsorted(np.cumsum(weight), places), len(start) - 1)
        state = tuple(part[chosen] for part in state)
        for _ in range(MOVES if power < 1 else LAST):
            state, rate = _move(state, prior, likelihood, power, width, rng)
            width = float(np.clip(width * np.exp(rate.mean() - ACCEPT), 0.02, 1.0))
    retained, rates = [state[0]], [rate]
    while len(retained) * len(start) < draws:
        for _ in range(BETWEEN):
            state, rate = _move(state, prior, likelihood, 1.0, width, rng)
        retained.append(state[0])
        rates.append(rate)
    stacked, rate = (np.stack(part, axis=1) for part in (retained, rates))
    stacked, rate = stacked.reshape(-1, stacked.shape[-1]), rate.ravel()
    places = np.linspace(0, len(stacked) - 1, draws).astype(int)
    return stacked[places], rate[places]


def _rise(value: np.ndarray, power: float) -> tuple[float, np.ndarray]:
    """Return the next power, and the weights of the particles."""

    def weigh(step: float) -> np.ndarray:
        weight = np.exp(step * (value - value.max()))
        return weight / weight.sum()

    low, high = 0.0, 1 - power
    if 1 / np.square(weigh(high)).sum() >= KEPT * len(value):
        return 1.0, weigh(high)
    for _ in range(60):
        middle = (low + high) / 2
        enough = 1 / np.square(weigh(middle)).sum() >= KEPT * len(value)
        low, high = (middle, high) if enough else (low, middle)
    return power + high, weigh(high)


def _move(
    state: tuple,
    prior: Density,
    likelihood: Density,
    power: float,
    width: float,
    rng: np.random.Generator,
) -> tuple[tuple, np.ndarray]:
    """Return particles after one Hamiltonian move each, and acceptance rates (particle)."""
    spread = np.cov(state[0].T).reshape(state[0].shape[1], -1)
    shrinkage = max(0.0, 1 - len(state[0]) / (ENOUGH * len(spread)))
    spread = (1 - shrinkage) * spread + shrinkage * np.diag(np.diag(spread))
    mapping = np.linalg.cholesky(
        spread + 1e-6 * np.diag(np.diag(spread)) + 1e-12 * np.eye(len(spread))
    )
    momentum = rng.standard_normal(state[0].shape)
    step = width * rng.uniform(0.6, 1.4, (len(momentum), 1))
    new, push = state, momentum
    for _ in range(min(int(np.ceil(LENGTH / width)), STEPS)):
        push = push + step / 2 * ((power * new[2] + new[4]) @ mapping)
        position = np.clip(new[0] + step * push @ mapping.T, -FAR, FAR)
        new = (position, *likelihood(position), *prior(position))
        push = push + step / 2 * ((power * new[2] + new[4]) @ mapping)
    with np.errstate(invalid="ignore"):
        change = (
            power * (new[1] - state[1])
            + new[3]
            - state[3]
            + (momentum**2 - push**2).sum(axis=1) / 2
        )
    rate = np.exp(np.minimum(np.nan_to_num(change, nan=-np.inf), 0.0))
    accepted = rng.random(len(rate)) < rate
    return tuple(
        np.where(accepted.reshape(-1, *[1] * (a.ndim - 1)), a, b)
        for a, b in zip(new, state, strict=True)
    ), rate
