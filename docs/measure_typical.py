"""Measure how often intervals of the hierarchical beta-binomial model hold a typical rate, and one more data set's.

Run ``python docs/measure_typical.py`` (about ten minutes). True rates of data sets have a Beta distribution of stated
mean and standard deviation. The typical rate is that mean. Each cell is the share of 95% intervals that hold it, over
simulated evaluations of one entity; of a new data set it is the mean probability of its true rate within the interval.
Half-widths are two standard errors.
"""

import sys

import numpy as np
from scipy import stats

from bayesrank.models._population import learn
from bayesrank.models._priors import of_shape

#: Data sets, and cases of each.
DESIGNS = ((3, 20), (5, 20), (15, 20), (5, 200))
#: Mean and standard deviation of the true rates.
TRUTHS = (
    *((mean, sd) for sd in (0.0, 0.02) for mean in (0.5, 0.8, 0.95, 0.99)),
    *((mean, 0.1) for mean in (0.5, 0.8, 0.95)),
    *((mean, 0.3) for mean in (0.5, 0.8)),
)
DRAWS, TAILS = 2000, (0.025, 0.975)


def concentrations(mean: float, sd: float) -> tuple[float, float]:
    """Return those of the Beta distribution with this mean and standard deviation."""
    kappa = mean * (1 - mean) / sd**2 - 1
    return mean * kappa, (1 - mean) * kappa


def interval(rng: np.random.Generator, right: np.ndarray, cases: int) -> np.ndarray:
    """Return the 95% intervals (typical or new, end) for right answers on each data set."""
    population = learn(right, np.full(right.size, cases), of_shape("unit", (2,)))
    mean, spread = population.draw(rng, DRAWS)
    kappa = np.minimum(1 / np.maximum(spread, 1e-9) ** 2 - 1, 1e12)
    new = rng.beta(np.maximum(mean * kappa, 1e-300), np.maximum((1 - mean) * kappa, 1e-300))
    return np.quantile(np.stack([mean, new]), TAILS, axis=1).T


def coverage(rng: np.random.Generator, datasets: int, cases: int, truth: tuple[float, float], number: int) -> list[str]:
    """Return the shares for the typical rate and for that of a new data set, with two standard errors."""
    mean, sd = truth
    rates = rng.beta(*concentrations(mean, sd), (number, datasets)) if sd else np.full((number, datasets), mean)
    known: dict[tuple[int, ...], np.ndarray] = {}
    found = np.empty((number, 2))
    for i, right in enumerate(np.sort(rng.binomial(cases, rates), axis=1)):
        key = tuple(right.tolist())
        if key not in known:
            known[key] = interval(rng, right, cases)
        (low, high), (new_low, new_high) = known[key]
        found[i, 0] = low <= mean <= high
        if sd:
            found[i, 1] = np.diff(stats.beta.cdf([new_low, new_high], *concentrations(mean, sd)))[0]
        else:
            found[i, 1] = new_low <= mean <= new_high
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
