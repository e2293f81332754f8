"""Measure how often intervals of the hierarchical beta-binomial model hold a typical rate, and one more data set's.

Run ``python docs/measure_typical.py`` (about three minutes). True rates of data sets have a Beta distribution of stated
mean and standard deviation. The typical rate is that mean. Each cell is the share of 95% intervals that hold it, over
simulated evaluations of one entity; of a new data set it is the mean probability of its true rate within the interval.
Half-widths are two standard errors. The posterior of mean and spread is that of the model, on a grid that serves all
evaluations at once.
"""

import sys

import numpy as np
from scipy import stats
from scipy.special import betaln

from bayesrank.models._population import SPREAD, log_prior_of_spread

#: Data sets, and cases of each.
DESIGNS = ((3, 20), (5, 20), (15, 20), (5, 200))
#: Mean and standard deviation of the true rates.
TRUTHS = (
    *((mean, sd) for sd in (0.0, 0.02) for mean in (0.5, 0.8, 0.95, 0.99)),
    *((mean, 0.1) for mean in (0.5, 0.8, 0.95)),
    *((mean, 0.3) for mean in (0.5, 0.8)),
)
DRAWS, TAILS = 1000, (0.025, 0.975)
#: The grid: the mean is Beta(1/2, 1/2), of which the quantiles are even; the cube root of the spread is even.
MEANS = np.sin((np.arange(500) + 0.5) / 500 * np.pi / 2) ** 2
ROOTS = (np.arange(64) + 0.5) / 64
SPREADS = ROOTS**3
PRIOR = np.repeat(log_prior_of_spread(SPREADS, SPREAD) + 2 * np.log(ROOTS), MEANS.size)


def concentrations(mean: float, sd: float) -> tuple[float, float]:
    """Return those of the Beta distribution with this mean and standard deviation."""
    kappa = mean * (1 - mean) / sd**2 - 1
    return mean * kappa, (1 - mean) * kappa


def likelihoods(cases: int) -> np.ndarray:
    """Return log probabilities (right answers, cell) of the right answers among as many cases, in cells of the grid."""
    right = np.arange(cases + 1)[:, None, None]
    kappa = np.broadcast_to(1 / SPREADS[:, None] ** 2 - 1, (SPREADS.size, MEANS.size))
    chance = betaln(MEANS * kappa + right, (1 - MEANS) * kappa + cases - right)
    return (chance - betaln(MEANS * kappa, (1 - MEANS) * kappa)).reshape(cases + 1, -1)


def intervals(rng: np.random.Generator, boards: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return the 95% intervals (board, typical or new, end) for boards of right answers (board, dataset)."""
    times = (boards[:, :, None] == np.arange(len(chances))).sum(1)
    posterior = times @ chances + PRIOR
    posterior = np.exp(posterior - posterior.max(1, keepdims=True))
    found = np.empty((len(boards), 2, 2))
    edges = np.linspace(0, 1, MEANS.size + 1)
    for i, mass in enumerate(posterior):
        along = np.cumsum(mass.reshape(SPREADS.size, -1).sum(0))
        found[i, 0] = np.sin(np.interp(TAILS, np.r_[0, along / along[-1]], edges) * np.pi / 2) ** 2
        whole = np.cumsum(mass)
        cell = np.searchsorted(whole, rng.random(DRAWS) * whole[-1]).clip(max=mass.size - 1)
        spread, mean = divmod(cell, MEANS.size)
        alpha, beta = MEANS[mean] * (1 / SPREADS[spread] ** 2 - 1), (1 - MEANS[mean]) * (1 / SPREADS[spread] ** 2 - 1)
        found[i, 1] = np.quantile(rng.beta(alpha, beta), TAILS)
    return found


def coverage(rng: np.random.Generator, datasets: int, cases: int, truth: tuple[float, float], number: int) -> list[str]:
    """Return the shares for the typical rate and for that of a new data set, with two standard errors."""
    mean, sd = truth
    rates = rng.beta(*concentrations(mean, sd), (number, datasets)) if sd else np.full((number, datasets), mean)
    boards, which = np.unique(np.sort(rng.binomial(cases, rates), axis=1), axis=0, return_inverse=True)
    chances = likelihoods(cases)
    parts = np.array_split(boards, np.ceil(len(boards) / 200))
    ends = np.concatenate([intervals(rng, part, chances) for part in parts])[which.ravel()]
    found = ((ends[..., 0] <= mean) & (mean <= ends[..., 1])).astype(float)
    if sd:
        found[:, 1] = np.diff(stats.beta.cdf(ends[:, 1], *concentrations(mean, sd)))[:, 0]
    errors = 2 * found.std(0) / np.sqrt(number)
    return [f"{share:.3f} ± {error:.3f}" for share, error in zip(found.mean(0), errors, strict=True)]


def main(number: int) -> None:
    """Print a table of the typical rate, and one of a new data set's rate."""
    rng = np.random.default_rng(1)
    cells = {(truth, design): coverage(rng, *design, truth, number) for truth in TRUTHS for design in DESIGNS}
    for kind, what in enumerate(("typical", "new")):
        print(f"\n| {what}: mean, standard deviation | " + " | ".join(f"{d} × {n}" for d, n in DESIGNS) + " |")
        print("|---|" + "---|" * len(DESIGNS))
        for mean, sd in TRUTHS:
            shares = [cells[(mean, sd), design][kind] for design in DESIGNS]
            print(f"| {mean:g}, {sd:g} | " + " | ".join(shares) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
