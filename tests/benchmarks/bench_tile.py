"""The credible Tile of many entities beside a NumPy loop over the draws, its growth, and exact robustness.

Run: python tests/benchmarks/bench_tile.py. Slow rivals run on a stated part of the work and are scaled. Times are CPU
seconds of all threads, since the machine may be shared. ``table.py`` compares the Tile with sorbetto and SciPy.
"""

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.stats import rankdata

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


def sorbetto_entities(cells: np.ndarray) -> list:
    from sorbetto.core.entity import Entity
    from sorbetto.performance.two_class_classification_performance import TwoClassClassificationPerformance

    names = [f"e{i}" for i in range(len(cells))]
    return [Entity(TwoClassClassificationPerformance(*map(float, c)), n) for c, n in zip(cells, names, strict=True)]


def sorbetto_map(flavor: object, resolution: int) -> np.ndarray:
    from sorbetto.parameterization.parameterization_default import ParameterizationDefault
    from sorbetto.tile.tile import Tile

    return Tile(ParameterizationDefault(), flavor, resolution=resolution).mat_value


def sorbetto_winners(array: xr.DataArray, resolution: int) -> np.ndarray:
    """P(best) by a loop of sorbetto over the draws."""
    from sorbetto.flavor.entity_flavor import EntityFlavor

    n = array.sizes["entity"]
    total = np.zeros((n, resolution, resolution))
    for cells in array.values.reshape(-1, n, 4):
        won = sorbetto_map(EntityFlavor(1, sorbetto_entities(cells)), resolution)
        total += won == np.arange(1, n + 1)[:, None, None]
    return total


def robustness() -> None:
    from scipy.spatial import cKDTree

    array = br.as_performance(br.datasets.load("antibody_tests"))
    br.tile.robustness(array, 3)
    ours = timed(lambda: br.tile.robustness(array))
    names, points = array["entity"].values, np.linspace(0, 1, 101)

    def sampled() -> None:
        curves = [br.tile.frontier(array, x, y, points=512) for i, x in enumerate(names) for y in names[i + 1 :]]
        marks = np.concatenate([np.column_stack([curve["a"], curve["b"]]) for curve in curves])
        cKDTree(marks).query(np.stack(np.meshgrid(points, points), -1))

    theirs = timed(sampled, 1)
    print(f"robustness of {names.size} entities, 101²: {1e3 * ours:.0f} ms, exact")
    print(f"  KD-tree of 512 points of each frontier {1e3 * theirs:.0f} ms: {theirs / ours:.0f} x")


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


if __name__ == "__main__":
    robustness()
    credible()
    scaling()
