"""The paired model on many entities and many cases.

Run: python tests/benchmarks/bench_paired.py
"""

import time

import numpy as np

import bayesrank as br


def evaluation(rng: np.random.Generator, entities: int, cases: int, error: float) -> tuple[np.ndarray, dict]:
    """Labels and answers of entities that all fail on one case in twenty, and on some of their own."""
    truth, hard = rng.integers(0, 2, cases), rng.random(cases) < 0.05
    wrong = {f"m{i}": hard | (rng.random(cases) < error * (1 + i / entities)) for i in range(entities)}
    return truth, {name: np.where(w, 1 - truth, truth) for name, w in wrong.items()}


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


if __name__ == "__main__":
    main()
