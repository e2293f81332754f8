"""Exact rankings beside draws: how many draws P(best) would need for its error, and how long these would take.

Run: python tests/benchmarks/bench_exact.py
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

import bayesrank as br

DRAWS = 4000


def simulated(entities: int) -> xr.DataArray:
    """Tests on 80 + 30 samples, as the antibody tests are, but with different counts."""
    rng = np.random.default_rng(1)
    fp, fn = rng.binomial(80, rng.beta(1, 15, entities)), rng.binomial(30, rng.beta(1, 6, entities))
    return br.from_counts(tn=80 - fp, fp=fp, fn=fn, tp=30 - fn, entity=[str(i) for i in range(entities)])


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = function()
    return time.perf_counter() - start, found


def main() -> None:
    warm = simulated(3)
    br.credible_ranking(warm, "mcc", method="exact")
    br.credible_ranking(br.fit(warm, seed=1), "mcc")
    boards = {"108 antibody tests": br.datasets.load("antibody_tests"), "300 simulated tests": simulated(300)}
    for name, counts in boards.items():
        for score, model in (
            ("informedness", "beta_binomial"),
            ("mcc", "beta_binomial"),
            ("f1", "dirichlet_multinomial"),
        ):
            ours, exact = seconds(lambda: br.credible_ranking(counts, score, model=model, method="exact"))  # noqa: B023
            theirs, draws = seconds(
                lambda: br.credible_ranking(br.fit(counts, model, seed=1, draws=DRAWS // 4), score)  # noqa: B023
            )
            i = int(exact["probability_best"].argmax())
            best = float(exact["probability_best"][i])
            error = float(exact["probability_best_error"].max())
            needed = best * (1 - best) / error**2
            print(
                f"{name}, {score}, {model}: {ours:.2f} s, error of P(best) {error:.0e}; {DRAWS} draws "
                f"{theirs:.2f} s, error {float(draws['probability_best_error'][i]):.0e}; draws of the same error / "
                f"ours = {needed / DRAWS * theirs / ours:.0e}"
            )


if __name__ == "__main__":
    main()
