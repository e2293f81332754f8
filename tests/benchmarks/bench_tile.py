"""Side-by-side times of the Tile: bayesrank beside plain NumPy and SciPy.

Run it as ``python tests/benchmarks/bench_tile.py``. Slow rivals run on a part of
the work and are scaled, which is said. Times are CPU seconds over all threads, since the machine may be shared.
"""

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.stats import kendalltau, rankdata

import bayesrank as br


def timed(function: Callable, repeats: int = 3) -> float:
    """The best of some runs, in CPU seconds of all threads."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def performances(draws: int, entities: int, seed: int = 0) -> xr.DataArray:
    rng = np.random.default_rng(seed)
    x, y, pi = rng.beta(2, 8, (draws, entities)), rng.beta(8, 2, (draws, entities)), rng.beta(20, 30, (draws, 1))
    table = np.stack([(1 - pi) * (1 - x), (1 - pi) * x, pi * (1 - y), pi * y], -1).reshape(draws, entities, 2, 2)
    return xr.DataArray(table, {"entity": range(entities)}, ("draw", "entity", "actual", "predicted"))


def numpy_loop(array: xr.DataArray, resolution: int, ranks: bool = False) -> np.ndarray:
    """P(best) by a loop over the draws, and on request all ranks."""
    a = np.linspace(0, 1, resolution)
    entities = np.arange(array.sizes["entity"])[:, None, None]
    total = np.zeros((entities.size, resolution, resolution))
    for tn, fp, fn, tp in array.values.reshape(-1, entities.size, 4).transpose(0, 2, 1)[..., None, None]:
        s, u = (1 - a) * tn + a * tp, (1 - a)[:, None] * fp + a[:, None] * fn
        score = s / (s + u)
        total += rankdata(-score, axis=0) if ranks else score.argmax(0) == entities
    return total


def credible() -> None:
    draws, entities, resolution = 4000, 74, 101
    array = performances(draws, entities)
    br.tile.credible(array.isel(draw=slice(0, 40)), resolution)
    part = array.isel(draw=slice(0, 40))
    slow = timed(lambda: numpy_loop(part, resolution), 1) * draws / 40
    ranks = timed(lambda: numpy_loop(array.isel(draw=slice(0, 4)), resolution, ranks=True), 1) * draws / 4
    full = timed(lambda: br.tile.credible(array, resolution), 2)
    tracemalloc.start()
    br.tile.credible(array, resolution)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"{draws} draws x {entities} entities x {resolution}²")
    print(f"  NumPy loop, P(best)                {slow:8.1f} s (40 draws, scaled)")
    alone = timed(lambda: br.tile.probability_best(array, resolution))
    print(f"  tile.probability_best              {alone:8.2f} s: {slow / alone:.1f} x")
    print(f"  NumPy loop, ranks                  {ranks:8.1f} s (4 draws, scaled)")
    print(
        f"  tile.credible, all its maps        {full:8.2f} s: {slow / full:.1f} x P(best), {ranks / full:.1f} x ranks"
    )
    print(f"  its peak of NumPy memory           {peak:8.0f} MB")


def scaling() -> None:
    base = performances(400, 20)
    reference = timed(lambda: br.tile.credible(base, 51))
    for name, array, resolution in [
        ("draws x 4", performances(1600, 20), 51),
        ("entities x 4", performances(400, 80), 51),
        ("cells x 4", base, 101),
    ]:
        print(f"  {name:14} takes {timed(lambda a=array, r=resolution: br.tile.credible(a, r)) / reference:5.1f} x")


def correlation() -> None:
    array = br.tile.sample_performances(10_000, seed=1)
    br.tile.correlation("mcc", 3, performances=array)
    ours = timed(lambda: br.tile.correlation("mcc", 101, performances=array), 1)
    score, value = br.scores.mcc(array).values, br.tile.value(array, 5).values
    points = [(i, j) for i in range(5) for j in range(5)]
    scipy = timed(lambda: [kendalltau(score, value[:, i, j]) for i, j in points], 1) * 101**2 / len(points)
    print("Kendall's correlation Tile, 101², 10,000 performances")
    print(f"  SciPy at each point                {scipy:8.1f} s (25 points, scaled)")
    print(f"  tile.correlation                   {ours:8.2f} s: {scipy / ours:.1f} x")


def ranks() -> None:
    array = performances(1000, 10)
    br.tile.rank_probability(array.isel(draw=slice(0, 4)))
    ours = timed(lambda: br.tile.rank_probability(array), 2)
    print("1,000 draws x 10 entities x 101², all rank probabilities")
    print(f"  tile.rank_probability              {ours:8.2f} s")
    loop = timed(lambda: numpy_loop(array.isel(draw=slice(0, 20)), 101, ranks=True), 1) * 50
    print(f"  NumPy loop with rankdata           {loop:8.1f} s (20 draws, scaled): {loop / ours:.1f} x")


if __name__ == "__main__":
    credible()
    scaling()
    correlation()
    ranks()
