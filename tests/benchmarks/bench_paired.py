"""The paired model on many entities and many cases, and how often its intervals hold the truth, with few clusters too.

Run: python tests/benchmarks/bench_paired.py
"""

import time

import numpy as np
import pandas as pd

import bayesrank as br


def evaluation(rng: np.random.Generator, entities: int, cases: int, error: float) -> tuple[np.ndarray, dict]:
    """Labels and answers of entities that all fail on one case in twenty, and on some of their own."""
    truth, hard = rng.integers(0, 2, cases), rng.random(cases) < 0.05
    wrong = {f"m{i}": hard | (rng.random(cases) < error * (1 + i / entities)) for i in range(entities)}
    return truth, {name: np.where(w, 1 - truth, truth) for name, w in wrong.items()}


def clusters(rng: np.random.Generator, number: int) -> pd.DataFrame:
    """Clusters of five cases, half of which are right; intraclass correlation 1/2, of each entity with itself only."""
    cluster = np.repeat(np.arange(number), 5)

    def right() -> np.ndarray:
        own, each = rng.random(number) < 0.5, rng.random(cluster.size) < 0.5
        return np.where(rng.random(cluster.size) < 0.5**0.5, own[cluster], each).astype(int)

    return pd.DataFrame({"a": right(), "b": right(), "cluster": cluster})


def held(rng: np.random.Generator, number: int, by_cluster: bool) -> float:
    """How often the 95% interval of a mean of 1/2 holds it."""
    inside = []
    for seed in range(400):
        frame = clusters(rng, number)
        outcomes = br.from_outcomes(
            frame if by_cluster else frame[["a", "b"]], cluster="cluster" if by_cluster else None
        )
        mean = br.fit(outcomes, "paired", seed=seed, chains=1)["posterior"]["mean_outcome"].sel(entity="a")
        low, high = np.quantile(mean, [0.025, 0.975])
        inside.append(low <= 0.5 <= high)
    return float(np.mean(inside))


def main() -> None:
    rng = np.random.default_rng(0)
    br.fit(br.joint_outcomes(*evaluation(rng, 2, 50, 0.1)), "paired", draws=10)  # imports
    for entities, cases, error in ((100, 10_000, 0.1), (10, 1_000_000, 0.01)):
        truth, answers = evaluation(rng, entities, cases, error)
        start = time.perf_counter()
        joint = br.joint_outcomes(truth, answers)
        counted = time.perf_counter()
        br.fit(joint, "paired", seed=1)
        drawn = time.perf_counter()
        print(
            f"{entities} entities x {cases:,} cases, {joint.sizes['pattern']:,} patterns: {counted - start:.1f} s to "
            f"count, {drawn - counted:.1f} s for 4,000 draws"
        )
    for number in (10, 20, 50, 100):
        shares = [held(rng, number, by_cluster) for by_cluster in (True, False)]
        print(
            f"{number} clusters of 5: 95% intervals hold {shares[0]:.2f}, of cases taken as independent {shares[1]:.2f}"
        )


if __name__ == "__main__":
    main()
