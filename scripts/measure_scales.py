"""Measure how often a lead of right answers exceeds a critical value, on the scales of rank sets: exact, by all counts.

Run: python scripts/measure_scales.py (two minutes). It prints the tables of docs/measured/rankings.md ("Why fourth
roots"): of n cases beside a known rate, and of two entities of equal rates with different numbers of cases. A lead must
exceed the critical value on the values and on the second scale. The posteriors are Beta(k + 1/2, n - k + 1/2).
"""

from collections.abc import Callable

import numpy as np
from scipy.special import logit
from scipy.stats import beta, binom, norm

RATES = (
    0.5,
    0.55,
    0.6,
    0.65,
    0.7,
    0.75,
    0.8,
    0.85,
    0.9,
    0.93,
    0.95,
    0.97,
    0.98,
    0.99,
    0.995,
    0.999,
    0.9999,
)


def power(exponent: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda p: p**exponent - (1 - p) ** exponent


SCALES = {
    "logit": logit,
    "fourth root": power(1 / 4),
    "third root": power(1 / 3),
    "arcsine": lambda p: np.arcsin(p**0.5),
}


def draws_of(cases: int, points: int) -> np.ndarray:
    """Return evenly spread quantiles of the posterior of each number of right answers (right, point)."""
    right, u = np.arange(cases + 1)[:, None], (np.arange(points) + 0.5) / points
    return np.clip(beta.ppf(u, right + 0.5, cases - right + 0.5), 1e-300, 1 - 1e-16)


def lower(lead: np.ndarray) -> np.ndarray:
    """Return the mean of leads (..., point) in spreads of their lower tails."""
    mean = lead.mean(axis=-1)
    below = np.minimum(lead - mean[..., None], 0)
    return mean / np.sqrt((below**2).sum(axis=-1) / (below < 0).sum(axis=-1))


def beside_a_rate(scale: Callable[[np.ndarray], np.ndarray], cases: int, critical: float) -> float:
    """Return the largest probability of a lead over a known rate, divided by that of a normal variable."""
    draws, right, most = draws_of(cases, 20_000), np.arange(cases + 1), 0.0
    for rate in RATES:
        seen = np.minimum(draws.mean(axis=1), right / cases) - rate
        enough = (seen / draws.std(axis=1) > critical) & (
            lower(scale(draws) - scale(np.array(rate))) > critical
        )
        most = max(most, binom.pmf(right[enough], cases, rate).sum())
    return float(most / norm.sf(critical))


def of_two(
    scale: Callable[[np.ndarray], np.ndarray], cases: tuple[int, int], critical: float
) -> float:
    """Return the largest probability, over rates, that two entities with the same rate are separated."""
    one, other = draws_of(cases[0], 1000), draws_of(cases[1], 1000)
    other = other[:, np.random.default_rng(0).permutation(1000)]
    first, second = (np.arange(n + 1) / n for n in cases)
    apart = np.zeros((len(first), len(second)), bool)
    for i in range(len(first)):
        lead = one[i] - other
        mean, observed, spread = lead.mean(axis=1), first[i] - second, lead.std(axis=1)
        stretched = scale(one[i]) - scale(other)
        for sign in (1, -1):
            enough = np.minimum(sign * mean, sign * observed) > critical * spread
            apart[i] |= enough & (lower(sign * stretched) > critical)
    chances = [
        binom.pmf(np.arange(cases[0] + 1), cases[0], rate)
        @ apart
        @ binom.pmf(np.arange(cases[1] + 1), cases[1], rate)
        for rate in RATES
    ]
    return float(max(chances))


if __name__ == "__main__":
    for name, scale in SCALES.items():
        for critical, sizes in ((3.29, (10, 30, 100, 300)), (4.5, (30, 100, 300))):
            found = ", ".join(f"{beside_a_rate(scale, cases, critical):.1f}" for cases in sizes)
            print(f"{name}, {critical}: {found} for {sizes} cases")
    for cases in ((10, 10), (10, 100), (10, 1000), (30, 1000)):
        found = ", ".join(
            f"{name} {of_two(scale, cases, 1.96):.3f}" for name, scale in SCALES.items()
        )
        print(f"{cases} cases at 1.96: {found}")
