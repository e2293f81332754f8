"""Coverage of the Bayesian bootstrap's interval of a mean where outcomes have heavy tails, and which sample shows it.

A sample is flagged where |skewness| / sqrt(cases) exceeds a limit. For each distribution and number of cases: coverage
of the 95% interval of the mean, and the share of flagged samples. Run: python scripts/measure_heavy_tails.py
"""

import numpy as np

from bayesrank.claims.information.skewness import HEAVY_TAIL, skewness_ratio

BOARDS, DRAWS = 2000, 1000
MADE = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "lognormal, sd of logs 1": (lambda rng, shape: rng.lognormal(0, 1, shape), np.exp(0.5)),
    "lognormal, sd of logs 1.5": (lambda rng, shape: rng.lognormal(0, 1.5, shape), np.exp(1.125)),
    "lognormal, sd of logs 2": (lambda rng, shape: rng.lognormal(0, 2, shape), np.exp(2.0)),
    "Student's t, 3 degrees": (lambda rng, shape: rng.standard_t(3, shape), 0.0),
}


def measure(name, cases, seed=1):
    """Return the coverage, and the share of flagged samples."""
    rng = np.random.default_rng(seed)
    make, mean = MADE[name]
    x = make(rng, (BOARDS, cases))
    weight = rng.exponential(size=(DRAWS, cases))
    draws = x @ (weight / weight.sum(axis=1, keepdims=True)).T
    low, high = np.quantile(draws, [0.025, 0.975], axis=1)
    flagged = skewness_ratio(x.T) > HEAVY_TAIL
    return ((low <= mean) & (mean <= high)).mean(), flagged.mean()


def main():
    print(
        f"{BOARDS} samples each: coverage of the 95% interval "
        f"(share flagged by |skewness| / sqrt(cases) > {HEAVY_TAIL:g})\n"
    )
    sizes = (30, 60, 120, 250, 1000)
    print(
        "| distribution | "
        + " | ".join(f"{n} cases" for n in sizes)
        + " |\n|---|"
        + "---:|" * len(sizes)
    )
    for name in MADE:
        cells = [measure(name, n) for n in sizes]
        print(
            f"| {name} | "
            + " | ".join(f"{coverage:.3f} ({flag:.2f})" for coverage, flag in cells)
            + " |"
        )


if __name__ == "__main__":
    main()
