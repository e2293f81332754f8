"""Side-by-side times of the Tile: bayesrank beside plain NumPy, SciPy and, where installed, sorbetto.

Run it as ``python tests/benchmarks/bench_tile.py``. Slow rivals run on a part of
the work and are scaled, which is said. Times are CPU seconds over all threads, since the machine may be shared.
"""

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.stats import kendalltau, pearsonr, rankdata, spearmanr

import bayesrank as br

try:
    import sorbetto.flavor as _flavors  # noqa: F401
except ImportError as error:
    SORBETTO = str(error)
else:
    SORBETTO = ""
MISSING = f"  sorbetto is left out: {SORBETTO} (it needs Python 3.12 or newer)"


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


def mcc(p: object) -> np.ndarray:
    """Matthews' coefficient as sorbetto takes it: a function of all its performances."""
    scale = (p.ptp + p.pfp) * (p.ptp + p.pfn) * (p.ptn + p.pfp) * (p.ptn + p.pfn)
    return (p.ptp * p.ptn - p.pfp * p.pfn) / np.sqrt(scale)


def flavours() -> None:
    print("flavours of 10 entities: ours, sorbetto's, sorbetto's / ours")
    if SORBETTO:
        print(MISSING)
        return
    from sorbetto.flavor.best_flavor import BestFlavor
    from sorbetto.flavor.entity_flavor import EntityFlavor
    from sorbetto.flavor.ranking_flavor import RankingFlavor
    from sorbetto.flavor.value_flavor import ValueFlavor
    from sorbetto.flavor.worst_flavor import WorstFlavor
    from sorbetto.performance.finite_set_of_two_class_classification_performances import (
        FiniteSetOfTwoClassClassificationPerformances,
    )

    array = performances(1, 10).isel(draw=0)
    entities = sorbetto_entities(array.values.reshape(10, 4))
    finite = FiniteSetOfTwoClassClassificationPerformances([e.performance for e in entities])
    first = array.isel(entity=0)
    pairs = {
        "value": (br.tile.value, (first,), lambda: ValueFlavor(entities[0].performance)),
        "baseline": (br.tile.baseline, (array,), lambda: WorstFlavor(finite, entities)),
        "state_of_the_art": (br.tile.state_of_the_art, (array,), lambda: BestFlavor(finite, entities)),
        "ranking": (br.tile.entity_rank, (array, 0), lambda: RankingFlavor(entities[0], entities)),
        "entity": (br.tile.entity, (array, 1), lambda: EntityFlavor(1, entities)),
    }
    for resolution in (101, 1001):  # 1001 is sorbetto's default
        for name, (ours, arguments, flavor) in pairs.items():
            mine = timed(lambda f=ours, x=arguments, r=resolution: f(*x, resolution=r), 5)
            theirs = timed(lambda f=flavor, r=resolution: sorbetto_map(f(), r), 5)
            print(f"  {name:17} {resolution:4}² {1e3 * mine:8.2f} ms {1e3 * theirs:8.2f} ms {theirs / mine:6.2f} x")
    mine = timed(lambda: br.tile.no_skill(0.3), 5)
    print(f"  no_skill           101² {1e3 * mine:8.2f} ms; sorbetto has none")


def sorbetto_loops(array: xr.DataArray, best: float, ranks: float) -> None:
    """P(best) and the ranks of all entities by loops of sorbetto over draws, beside our times."""
    if SORBETTO:
        print(MISSING)
        return
    from sorbetto.flavor.ranking_flavor import RankingFlavor

    draws, n = array.sizes["draw"], array.sizes["entity"]
    some = array.isel(draw=slice(0, draws // 50))

    def winners() -> None:
        sorbetto_winners(some, 101)

    def all_ranks() -> None:
        held = np.zeros((n, n, 101, 101))
        for cells in some.values.reshape(-1, n, 4):
            entities = sorbetto_entities(cells)
            for k, one in enumerate(entities):
                held[k] += sorbetto_map(RankingFlavor(one, entities), 101) == np.arange(1, n + 1)[:, None, None]

    for name, loop, ours in (("P(best)", winners, best), ("all ranks", all_ranks, ranks)):
        theirs = timed(loop, 2) * draws / some.sizes["draw"]
        told = f"{some.sizes['draw']} draws, scaled"
        print(f"  sorbetto loop, {name:10}          {theirs:8.2f} s ({told}): {theirs / ours:.1f} x")


def sorbetto_correlation(array: xr.DataArray, method: str, ours: float) -> None:
    if SORBETTO:
        print(MISSING)
        return
    from sorbetto.flavor.correlation_flavor import CorrelationFlavor
    from sorbetto.performance.finite_set_of_two_class_classification_performances import (
        FiniteSetOfTwoClassClassificationPerformances,
    )

    cells = [e.performance for e in sorbetto_entities(array.values.reshape(-1, 4))]
    names = {"kendall": "kendall_tau", "spearman": "spearman_rho", "pearson": "pearson_r"}
    flavor = CorrelationFlavor(FiniteSetOfTwoClassClassificationPerformances(cells), mcc, names[method])
    # In full, not scaled from fewer points: its array of performances x Tile is part of its cost (4 GB).
    theirs = timed(lambda: sorbetto_map(flavor, 101), 1)
    print(f"  sorbetto                           {theirs:8.1f} s: {theirs / ours:.1f} x")


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


def correlation() -> None:
    array = br.tile.sample_performances(10_000, seed=1)
    score, value = br.scores.mcc(array).values, br.tile.value(array, 5).values
    points = [(i, j) for i in range(5) for j in range(5)]
    print("correlation Tile of MCC, 101², 10,000 performances")
    for method, rival in (("kendall", kendalltau), ("spearman", spearmanr), ("pearson", pearsonr)):
        br.tile.correlation("mcc", 3, performances=array, method=method)
        ours = timed(lambda m=method: br.tile.correlation("mcc", 101, performances=array, method=m), 2)
        scipy = timed(lambda f=rival: [f(score, value[:, i, j]) for i, j in points], 1) * 101**2 / len(points)
        print(f"  {method:9} SciPy at each point      {scipy:8.1f} s (25 points, scaled)")
        print(f"  {method:9} tile.correlation         {ours:8.2f} s: {scipy / ours:.1f} x")
        sorbetto_correlation(array, method, ours)


def ranks() -> None:
    array = performances(1000, 10)
    br.tile.rank_probability(array.isel(draw=slice(0, 4)))
    ours = timed(lambda: br.tile.rank_probability(array), 2)
    print("1,000 draws x 10 entities x 101², all rank probabilities")
    print(f"  tile.rank_probability              {ours:8.2f} s")
    best = timed(lambda: br.tile.probability_best(array), 3)
    print(f"  tile.probability_best              {best:8.3f} s")
    loop = timed(lambda: numpy_loop(array.isel(draw=slice(0, 20)), 101, ranks=True), 1) * 50
    print(f"  NumPy loop with rankdata           {loop:8.1f} s (20 draws, scaled): {loop / ours:.1f} x")
    sorbetto_loops(array, best, ours)


if __name__ == "__main__":
    flavours()
    robustness()
    credible()
    scaling()
    correlation()
    ranks()
