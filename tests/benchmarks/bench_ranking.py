"""credible_ranking beside a plain NumPy loop over the draws, and its growth with draws and entities.

Run: python tests/benchmarks/bench_ranking.py
"""

import time

import numpy as np
import xarray as xr
from scipy.stats import rankdata

import bayesrank as br


def simulated(draws: int, entities: int) -> xr.DataArray:
    rng = np.random.default_rng(1)
    values = rng.normal(np.linspace(0, 1, entities), 0.3, size=(4, draws // 4, entities))
    return xr.DataArray(values, dims=("chain", "draw", "entity"))


def loop(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank probabilities and superiority, draw by draw."""
    draws, size = values.shape
    probability, superiority = np.zeros((size, size)), np.zeros((size, size))
    for row in values:
        ranks = rankdata(-row, method="ordinal")
        probability[np.arange(size), ranks - 1] += 1
        superiority += row[:, None] > row
    return probability / draws, superiority / draws


def seconds(function, *arguments, repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    br.credible_ranking(simulated(400, 5))  # compile
    for entities in (10, 108, 500):
        values = simulated(4000, entities)
        flat = values.values.reshape(-1, entities)
        probability, superiority = loop(flat)
        ranking = br.credible_ranking(values)
        np.testing.assert_allclose(ranking["rank_probability"], probability, atol=1e-12)
        np.testing.assert_allclose(ranking["superiority"], superiority, atol=1e-12)
        ours, theirs = seconds(br.credible_ranking, values), seconds(loop, flat, repeat=1)
        print(
            f"4,000 draws x {entities:4} entities: {ours:6.3f} s; "
            f"NumPy loop for rank probabilities and superiority alone / ours = {theirs / ours:5.1f}"
        )
    base = seconds(br.credible_ranking, simulated(4000, 108))
    print(f"twice the draws: {seconds(br.credible_ranking, simulated(8000, 108)) / base:.2f} times as long")
    print(f"twice the entities: {seconds(br.credible_ranking, simulated(4000, 216)) / base:.2f} times as long")
    print(f"4,000 draws x 2,000 entities: {seconds(br.credible_ranking, simulated(4000, 2000), repeat=1):.1f} s")


if __name__ == "__main__":
    main()
