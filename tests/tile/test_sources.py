"""What scores, OPS and every map of the Tile take: a performance of the kind asked for."""

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
    "correlation": lambda s, **kind: br.tile.correlation("mcc", 3, performances=s, **kind),
    "of_draws": lambda s, **kind: br.ops.of_draws(s, "f1", **kind),
    "on_tile": lambda s, **kind: br.ops.on_tile(s, 3, **kind),
    "by_label": lambda s, **kind: br.ops.by_label(s.expand_dims(label=["x"]), "f1", **kind),
    "score": lambda s, **kind: br.scores.f1(s, **kind),
    "average": lambda s, **kind: br.scores.macro_tnr(s, **kind),
    "ranking_score": lambda s, **kind: br.ranking_score(s, br.importance(fp=1, fn=1, tp=2), **kind),
    "canonical_score": lambda s, **kind: br.canonical_score(s, 1.0, 0.5, **kind),
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
    with pytest.raises(ValueError, match=r"(source|performances) must hold a variable 'performance_typical'"):
        call(posterior, kind="typical")
    with pytest.raises(ValueError, match="kind must be one of"):
        call(posterior, kind="old")
