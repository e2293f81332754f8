"""What every map of the Tile takes: the performance of the kind asked for, of draws and entities alone."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br

COUNTS = br.from_counts(tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 3], tp=[24, 21, 27], entity=list("abc"))
DRAWS = br.as_performance(br.fit(COUNTS, draws=20, chains=2, seed=1))
POINT = br.as_performance(COUNTS)
OF_DRAWS = {
    "value": lambda s, **kind: br.tile.value(s, 3, **kind),
    "baseline": lambda s, **kind: br.tile.baseline(s, 3, **kind),
    "state_of_the_art": lambda s, **kind: br.tile.state_of_the_art(s, 3, **kind),
    "relative_skill": lambda s, **kind: br.tile.relative_skill(s, 3, **kind),
    "ranking": lambda s, **kind: br.tile.entity_rank(s, "a", 3, **kind),
    "credible": lambda s, **kind: br.tile.credible(s, 3, **kind),
    "probability_best": lambda s, **kind: br.tile.probability_best(s, 3, **kind),
    "rank_probability": lambda s, **kind: br.tile.rank_probability(s, 3, **kind),
    "value_interval": lambda s, **kind: br.tile.value_interval(s, 3, **kind),
    "preference_ranking": lambda s, **kind: br.tile.preference_ranking(s, 0.3, 0.4, **kind),
    "volume": lambda s, **kind: br.tile.volume(s, **kind),
}
OF_POINTS = {
    "entity": lambda s, **kind: br.tile.entity(s, 1, 3, **kind),
    "robustness": lambda s, **kind: br.tile.robustness(s, 3, **kind),
    "frontier": lambda s, **kind: br.tile.frontier(s, "a", "b", 5, **kind),
    "regions": lambda s, **kind: br.tile.regions(s, **kind),
    "shares": lambda s, **kind: br.tile.shares(s, **kind),
}
CASES = [(name, call, DRAWS) for name, call in OF_DRAWS.items()]
CASES += [(name, call, POINT) for name, call in OF_POINTS.items()]
EACH = pytest.mark.parametrize(("name", "call", "array"), CASES, ids=[name for name, *_ in CASES])


@EACH
def test_the_kind_of_performance(name, call, array):
    other = array.isel(entity=[1, 2, 0]).assign_coords(entity=array["entity"]) ** 2
    other = other / other.sum(("actual", "predicted"))
    posterior = xr.Dataset({"performance": array, "performance_new": other})
    xr.testing.assert_identical(call(posterior, kind="new"), call(other))
    xr.testing.assert_identical(call(posterior), call(array))
    assert not call(array).equals(call(other))
    with pytest.raises(ValueError, match="source must hold a variable 'performance_typical'"):
        call(posterior, kind="typical")
    with pytest.raises(ValueError, match="kind must be one of"):
        call(posterior, kind="old")


def test_correlations_over_a_kind():
    rng = np.random.default_rng(1)
    one, other = (
        xr.DataArray(rng.dirichlet(np.ones(4), 30).reshape(30, 2, 2), dims=DRAWS.dims[1:2] + DRAWS.dims[-2:])
        for _ in "ab"
    )
    both = xr.Dataset({"performance": one, "performance_new": other})
    found = br.tile.correlation("mcc", 3, performances=both, kind="new")
    xr.testing.assert_identical(found, br.tile.correlation("mcc", 3, performances=other))
    assert not found.equals(br.tile.correlation("mcc", 3, performances=one))
