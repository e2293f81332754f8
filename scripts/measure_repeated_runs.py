"""How often two identical systems are called different, from repeated runs of few cases, by default and by bootstrap.

Both systems answer case i correctly with the same probability p_i, in each of four runs. A claim is that one beats the
other with probability 0.95 or more: 10% of the boards are nominal. Run: python scripts/measure_repeated_runs.py
"""

import sys

import numpy as np
import pandas as pd

import bayesrank as br

CASES, RUNS, PROB = 60, 4, 0.95
DESIGNS = {
    "p = 0.99 everywhere": lambda rng: np.full(CASES, 0.99),
    "p = 0.997 everywhere": lambda rng: np.full(CASES, 0.997),
    "p = 0.9 everywhere": lambda rng: np.full(CASES, 0.9),
    "p = 0.5 everywhere": lambda rng: np.full(CASES, 0.5),
    "p from Beta(0.5, 0.5)": lambda rng: rng.beta(0.5, 0.5, CASES),
    "p = 1, but 0.5 on 3 cases": lambda rng: np.where(np.arange(CASES) < 3, 0.5, 1.0),
}


def claims(design, boards, seed=1, draws=500, **options):
    """Return the share of boards with a claim, and its Monte-Carlo error."""
    rng = np.random.default_rng(seed)
    found = []
    for board in range(boards):
        p = np.repeat(DESIGNS[design](rng), RUNS)
        frame = pd.DataFrame({name: (rng.random(p.size) < p).astype(int) for name in "AB"})
        frame = frame.assign(
            case=np.repeat(np.arange(CASES), RUNS), run=np.tile(np.arange(RUNS), CASES)
        )
        outcomes = br.from_outcomes(frame, case="case", run="run")
        mean = br.fit(outcomes, "paired", draws=draws, seed=board, **options)["posterior"][
            "mean_outcome"
        ]
        a, b = (mean.sel(entity=name).values for name in "AB")
        found.append(max((a > b).mean(), (b > a).mean()) >= PROB)
    share = float(np.mean(found))
    return share, float(np.sqrt(max(share * (1 - share), 1 / boards) / boards))


def main(boards):
    print(
        f"{CASES} cases, {RUNS} runs, {boards} boards: share with a claim at {PROB} (nominal 0.10)\n"
    )
    print("| design | by default | Bayesian bootstrap |\n|---|---:|---:|")
    for design in DESIGNS:
        cells = [claims(design, boards, **options) for options in ({}, {"prior": "haldane"})]
        print(
            f"| {design} | "
            + " | ".join(f"{share:.3f} ± {error:.3f}" for share, error in cells)
            + " |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
