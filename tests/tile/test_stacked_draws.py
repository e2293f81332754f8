"""Draws that were stacked, and entities that were not measured, come through all maps without a warning."""

import warnings

import numpy as np
import pytest
import xarray as xr

import bayesrank as br

COUNTS = br.from_counts(tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 3], tp=[24, 21, 30], entity=["a", "b", "c"])
DRAWS = br.as_performance(br.fit(COUNTS, draws=25, chains=2, seed=1))
MAPS = {
    "credible": lambda s: br.tile.credible(s, 3)[["probability_best", "expected_rank", "share"]],
    "probability_best": lambda s: br.tile.probability_best(s, 3),
    "rank_probability": lambda s: br.tile.rank_probability(s, 3),
    "ranking": lambda s: br.tile.entity_rank(s, "b", 3),
    "value_interval": lambda s: br.tile.value_interval(s, 3),
    "preference_ranking": lambda s: br.tile.preference_ranking(s, 0.5, 0.5)["rank_probability"],
}


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("name", MAPS)
def test_stacked_draws_are_draws(name):
    stacked = DRAWS.stack(sample=("chain", "draw"))
    xr.testing.assert_allclose(MAPS[name](stacked), MAPS[name](DRAWS))


@pytest.mark.parametrize("name", MAPS)
def test_an_entity_that_was_not_measured_raises_no_warning(name):
    rest = DRAWS.sel(entity=["b", "c"])
    found = MAPS[name](DRAWS.where(DRAWS["entity"] != "a"))
    if name in ("probability_best", "value_interval"):
        xr.testing.assert_allclose(found.sel(entity=["b", "c"]), MAPS[name](rest))
    if name == "value_interval":
        assert found.sel(entity="a").to_dataarray().isnull().all()  # and not 0
        assert found.sel(entity=["b", "c"]).to_dataarray().notnull().all()


def test_a_credible_ranking_of_stacked_draws_is_one_ranking():
    values = br.scores.f1(DRAWS)
    stacked = values.stack(sample=("chain", "draw"))
    found, expected = br.credible_ranking(stacked), br.credible_ranking(values)
    # Which chain a draw is of is not known, and with it the batches and the halves.
    loose = ("_error", "effective_sample_size")
    exact = [name for name in expected if not name.endswith(loose) and "simultaneous" not in name]
    xr.testing.assert_allclose(found[exact], expected[exact])
    table = br.ranking_table(found)
    np.testing.assert_allclose(table["median"], br.ranking_table(expected)["median"])
