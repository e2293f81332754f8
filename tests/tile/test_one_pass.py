"""Maps of draws are made in one pass: each chunk is computed once, little is held, and threads change nothing."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core import threads as _threads
from bayesrank.tile import posterior
from tests.ops.test_draws import counted
from tests.strategies import peak_of

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

COUNTS = br.from_counts(
    tn=[70, 75, 60, 75, 0],
    fp=[10, 5, 20, 5, 0],
    fn=[6, 9, 3, 9, 0],
    tp=[24, 21, 27, 21, 0],
    entity=list("abcde"),
)
#: The posterior of four, one unmeasured; "d" is made a copy of "b", so that there are ties.
DRAWS = br.as_performance(br.fit(COUNTS.isel(entity=slice(0, 4)), draws=53, chains=3, seed=1))
DRAWS[:, :, 3] = DRAWS[:, :, 1].values
CHUNKS = [
    {"draw": 7},
    {"chain": 1, "draw": 20},
    {"chain": 2, "draw": 33, "entity": 2},
    {"actual": 1, "draw": 53},
]
MAPS = {
    "credible": lambda s: br.tile.credible(s, 5).drop_vars("winner"),
    "probability_best": lambda s: br.tile.probability_best(s, 5),
    "rank_probability": lambda s: br.tile.rank_probability(s, 5),
    "ranking": lambda s: br.tile.entity_rank(s, "b", 5),
    "value_interval": lambda s: br.tile.value_interval(s, 5),
    "preference_ranking": lambda s: br.tile.preference_ranking(
        s, br.tile.around("f1", 0.3, points=7)
    ),
}


@pytest.mark.parametrize("name", MAPS)
def test_stacked_draws_are_draws(name):
    found, expected = MAPS[name](DRAWS.stack(sample=("chain", "draw"))), MAPS[name](DRAWS)
    if isinstance(
        found, xr.Dataset
    ):  # which chain a draw is of is not known, and with it the batches of errors
        names = [n for n in expected if not n.endswith(("_error", "_lower", "_upper"))]
        found, expected = found[names], expected[names]
    xr.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(("chunks", "workers"), zip(CHUNKS, (1, 2, 5, 1), strict=True), ids=str)
@pytest.mark.parametrize("name", MAPS)
def test_each_chunk_once_and_the_same_answer(name, chunks, workers, monkeypatch):
    expected = MAPS[name](DRAWS)
    monkeypatch.setattr(_threads, "workers", lambda: workers)
    calls = []
    lazy = counted(DRAWS, calls, **chunks)
    found = MAPS[name](lazy)
    assert len(calls) == lazy.data.npartitions
    xr.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_counts_are_identical_whatever_the_threads(monkeypatch):
    # Without ties, sums of ranks and of who is best are sums of whole numbers.
    array = DRAWS.isel(entity=slice(0, 3))
    found = []
    for workers in (1, 2, 5):
        monkeypatch.setattr(_threads, "workers", lambda workers=workers: workers)
        found.append(
            (
                br.tile.credible(array.chunk(draw=10 * workers), 5),
                br.tile.rank_probability(array, 5),
            )
        )
    for tile, ranks in found[1:]:
        np.testing.assert_array_equal(ranks, found[0][1])
        for name in ("probability_best", "probability_skilled", "expected_rank", "undefined"):
            np.testing.assert_array_equal(tile[name], found[0][0][name])


def test_intervals_of_values_pass_again_over_what_cannot_be_held(monkeypatch):
    monkeypatch.setattr(posterior, "HELD", 3 * 53 * 4 * 2)  # two entities
    calls = []
    found = br.tile.value_interval(counted(DRAWS, calls, draw=20), 5)
    assert len(calls) == 2 * 3
    xr.testing.assert_identical(found, br.tile.value_interval(DRAWS, 5))


@pytest.mark.parametrize(
    "name",
    ["probability_best", "rank_probability", pytest.param("credible", marks=pytest.mark.slow)],
)
def test_draws_are_never_held_as_a_whole(name):
    rows = np.random.default_rng(1).dirichlet([16, 4, 3, 7], (100, 8))

    def load(block_info=None):
        return np.tile(rows, (10, 1, 1)).reshape(1000, 8, 2, 2)  # 0.25 MB

    data = da.map_blocks(
        load, chunks=((1000,) * 50, (8,), (2,), (2,)), dtype=float, meta=np.zeros((0, 0, 0, 0))
    )
    array = xr.DataArray(
        data, {"entity": list("abcdefgh")}, ("draw", "entity", "actual", "predicted")
    )
    MAPS[name](array.isel(draw=slice(0, 20)).chunk({}))  # compile
    with dask.config.set(scheduler="synchronous"):
        peak = peak_of(MAPS[name], array)
    # All are 13 MB. The areas of a credible Tile, one number for each draw and entity, are 3.2 MB, copied once.
    limits = {"credible": 17e6, "probability_best": 12e6}  # these buffer blocks
    assert peak < limits.get(name, 4e6)


def test_one_map_whatever_the_threads(monkeypatch):
    array = br.as_performance(
        br.fit(
            br.from_counts(**dict.fromkeys(("tn", "fp", "fn", "tp"), [30] * 20)), draws=9, seed=1
        )
    )
    size = 51 * 20 * 20 * 52 * 8
    peaks = []
    for workers in (1, 4):
        monkeypatch.setattr(_threads, "workers", lambda workers=workers: workers)
        br.tile.rank_probability(array.isel(draw=[0, 1]), 5)
        peaks.append(peak_of(br.tile.rank_probability, array, 51))
    # The counts and, at the end, the probabilities.
    assert max(peaks) < 2.2 * size


def test_the_tile_compiles_each_kernel_for_one_layout_whatever_maps_and_threads(monkeypatch):
    """A second signature would double the seconds that a first Tile takes."""
    from bayesrank.tile.kernels import _credible, _partition

    counts = br.from_counts(tn=[7, 8], fp=[3, 2], fn=[2, 3], tp=[8, 7], entity=["a", "b"])
    posterior = br.fit(counts, draws=50, seed=1)
    for threads in (1, 2):
        monkeypatch.setattr("bayesrank._core.threads.workers", lambda number=threads: number)
        br.tile.credible(posterior, 5)
        br.tile.credible(posterior, 5, maps=())
    assert len(_credible.tally.signatures) == len(_partition.shares.signatures) == 1
