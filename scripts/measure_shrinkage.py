"""Measure what learning from the other entities does for leaderboards of unequal sizes.

Run ``python scripts/measure_shrinkage.py`` (about two minutes). Each leaderboard has 20 entities with true rates of
a Beta distribution of mean 0.80 and standard deviation 0.04, on 5, 20, 100 or 500 cases. Half-widths are two
standard errors.
"""

import sys

import numpy as np
import xarray as xr

import bayesrank as br

ENTITIES = 20
MODELS = ("dirichlet_multinomial", "hierarchical_beta_binomial")
COLUMNS = (
    "intervals hold",
    "that of the leader holds",
    "leader overrated by",
    "P(best) claimed",
    "P(best) met",
    "regret claimed",
    "regret met",
)


def leaderboard(seed: int, model: str) -> list[float]:
    """One leaderboard: what was claimed of all entities, of the one of the highest mean, and of the likeliest best."""
    rng = np.random.default_rng(seed)
    rate = rng.beta(80, 20, ENTITIES)
    cases = rng.choice([5, 20, 100, 500], ENTITIES)
    right = rng.binomial(cases, rate)
    coords = {"entity": [f"entity {i}" for i in range(ENTITIES)], "outcome": [0, 1]}
    counts = xr.DataArray(
        np.stack([cases - right, right], -1), coords, ("entity", "outcome"), name="counts"
    )
    posterior = br.fit(counts, model, seed=seed, draws=250)["posterior"]
    draws = posterior["mean_outcome"].values.reshape(-1, ENTITIES)
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    held = (low <= rate) & (rate <= high)
    leader = int(draws.mean(0).argmax())
    best = np.bincount(draws.argmax(1), minlength=ENTITIES) / len(draws)
    likeliest = int(best.argmax())
    return [
        held.mean(),
        held[leader],
        draws[:, leader].mean() - rate[leader],
        best[likeliest],
        rate[likeliest] == rate.max(),
        (draws.max(1) - draws[:, leader]).mean(),
        rate.max() - rate[leader],
    ]


def main(boards: int) -> None:
    """Print one line a model."""
    for model in MODELS:
        found = np.array([leaderboard(seed, model) for seed in range(boards)], float)
        errors = 2 * found.std(0) / np.sqrt(boards)
        means = zip(COLUMNS, found.mean(0), errors, strict=True)
        print(
            f"{model}: "
            + ", ".join(f"{name} {mean:.3f} ± {error:.3f}" for name, mean, error in means)
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
