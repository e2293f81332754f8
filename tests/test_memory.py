"""What is made of a posterior in chunks is what is made of one in memory, and takes no more memory for more draws.

The draws of a chunk are some megabytes, whatever there are of them; of a score the values are held, which its quantiles
need: 8 bytes a draw and entity, and twice as many more while they are ranked.
"""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core import chunks as _chunks
from bayesrank.scores.draws import rate_regions
from bayesrank.sensitivities.leaving_out import leave_out_entities
from tests.strategies import PERIODS, peak_of

dask = pytest.importorskip("dask")

RNG = np.random.default_rng(5)
ENTITIES = 12
TABLES = br.from_counts(
    tn=RNG.integers(60, 95, ENTITIES), fp=RNG.integers(5, 40, ENTITIES), fn=RNG.integers(3, 20, ENTITIES),
    tp=RNG.integers(20, 40, ENTITIES), entity=[f"e{i:02d}" for i in range(ENTITIES)],
)  # fmt: skip
MATRICES = br.from_matrix(RNG.integers(1, 30, (4, 5, 5)), "actual_rows")
#: Bytes of a draw of the values of one score.
VALUES = 8 * ENTITIES
UTILITY = {"tn": 0, "fp": -1, "fn": -9, "tp": 0}


def over_draws(found):
    return found.mean(["chain", "draw"])


#: What is small whatever the draws: no number of a draw is held.
SMALL = {
    "as_performance": lambda p: over_draws(br.as_performance(p)),
    "score": lambda p: over_draws(br.scores.f1(p)),
    "rank": lambda p: over_draws(br.rank(p, "f1")),
    "probability": lambda p: br.probability(p, "e00 < e01", "f1"),
    "probable_orders": lambda p: br.statements.probable_orders(
        br.as_performance(p).isel(entity=slice(3)), "f1"
    ),
    "at_prevalence": lambda p: over_draws(br.scores.f1(br.at_prevalence(p, 0.2))),
    "tile.value": lambda p: over_draws(br.tile.value(p, 5)),
    "tile.volume": lambda p: over_draws(br.tile.volume(p)),
    "tile.preference_ranking": lambda p: br.tile.preference_ranking(p, [0.2, 0.5], [0.5, 0.5]),
    "tile.correlation": lambda p: br.tile.correlation("f1", 3, performances=p, method="pearson"),
    "posterior_predictive": lambda p: over_draws(br.posterior_predictive(p, seed=1)),
    "ops.of_draws": lambda p: over_draws(br.ops.of_draws(p, "f1")),
    "canonical_score": lambda p: over_draws(br.canonical_score(p, 0.3, 0.4)),
    "ranking_score": lambda p: over_draws(br.ranking_score(p, br.importance(fn=1, tp=1))),
    "credible_ranking, exact": lambda p: br.credible_ranking(p, "tpr", method="exact"),
}
#: What holds the values of a score, or of some, since its quantiles need them all.
OF_VALUES = {
    "credible_ranking": lambda p: br.credible_ranking(p, "f1"),
    "rope": lambda p: br.credible_ranking(p, "f1", rope=0.01),
    "score_table": lambda p: br.score_table(p, ["f1", "tpr"]),
    "top_set": lambda p: br.top_set(p, "f1", 3),
    "stability": lambda p: leave_out_entities(p, "f1"),
    "expected_utility": lambda p: br.decisions.expected_utility(p, UTILITY),
    "tile.credible": lambda p: br.tile.credible(p, 7),  # the shares of the Tile, of each draw
    "noninferiority": lambda p: br.decisions.noninferiority(p, "e00"),
}


def posterior(draws, **run):
    return br.fit(TABLES, draws=draws, chains=2, seed=3, **run)


def assert_same(found, expected):
    """To the last digit of what xarray sums itself; all else exactly."""
    if isinstance(found, xr.Dataset) or "entity" not in getattr(found, "dims", ()):
        xr.testing.assert_identical(found, expected)
    else:
        xr.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("name", SMALL | OF_VALUES)
def test_what_is_made_of_chunks_is_what_is_made_in_memory(name):
    made = (SMALL | OF_VALUES)[name]
    found = made(posterior(2300, chunks=1000)).compute()
    assert_same(found, made(posterior(2300)).compute())


def over_a_border(posterior):
    """Twenty draws of each chain, of two chunks."""
    return br.as_performance(posterior).isel(draw=slice(990, 1010))


OTHERS = {
    "matrices": (MATRICES, "dirichlet_multinomial", lambda p: br.credible_ranking(p, "macro_f1")),
    "several scores": (
        MATRICES,
        "dirichlet_multinomial",
        lambda p: br.score_table(p, ["macro_f1", "mcc"]),
    ),
    "classes apart": (
        MATRICES,
        "dirichlet_multinomial",
        lambda p: br.scores.f1(br.one_vs_rest(br.as_performance(p))),
    ),
    "data sets": (PERIODS, "dirichlet_multinomial", lambda p: br.credible_ranking(p, "f1")),
    "their mean": (
        PERIODS,
        "dirichlet_multinomial",
        lambda p: br.credible_ranking(br.performance.mean_over_datasets(p), "f1"),
    ),
    "typical": (
        PERIODS,
        "hierarchical_beta_binomial",
        lambda p: br.credible_ranking(p, "f1", kind="typical"),
    ),
    "heterogeneity": (PERIODS, "hierarchical_beta_binomial", lambda p: br.heterogeneity(p, "f1")),
    "summary points": (
        PERIODS,
        "hierarchical_beta_binomial",
        lambda p: br.performance.summary_points(p),
    ),
    "checks": (
        br.pool(PERIODS),
        "dirichlet_multinomial",
        lambda p: br.predictive.predictive_check(p, seed=1),
    ),
    "predictions": (
        br.pool(PERIODS),
        "dirichlet_multinomial",
        lambda p: br.posterior_predictive(p, seed=1),
    ),
    "rank correlation": (
        br.pool(PERIODS),
        "beta_binomial",
        lambda p: br.tile.correlation("f1", 3, performances=p),
    ),
    "consistency": (
        TABLES,
        "beta_binomial",
        lambda p: br.tile.best_consistency("f1", over_a_border(p)),
    ),
    "regions": (br.pool(PERIODS), "beta_binomial", lambda p: rate_regions(p, points=5)),
    "report": (
        br.pool(PERIODS),
        "beta_binomial",
        lambda p: xr.DataArray(br.ranking_report(p, "informedness")),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_models_and_results(name):
    evidence, model, made = OTHERS[name]
    run = {"draws": 1300, "chains": 2, "seed": 2}
    held, lazy = (made(br.fit(evidence, model, **run, **how)) for how in ({}, {"chunks": 1000}))
    if name == "heterogeneity":  # means, which Dask takes chunk by chunk
        xr.testing.assert_allclose(lazy.compute(), held, rtol=1e-12)
    else:
        xr.testing.assert_identical(lazy.compute(), held.compute())


@pytest.mark.parametrize(
    "name", ["credible_ranking", "score_table", "tile.credible", "probability", "stability"]
)
def test_every_chunk_is_drawn_once(name, monkeypatch):
    drawn = []
    chunk = _chunks._chunk
    monkeypatch.setattr(_chunks, "_chunk", lambda *args: drawn.append(args[1:5]) or chunk(*args))
    lazy = posterior(2300, chunks=1000)
    (SMALL | OF_VALUES)[name](lazy).compute()
    assert sorted(drawn) == [
        (c, c + 1, at, min(at + 1000, 2300)) for c in (0, 1) for at in (0, 1000, 2000)
    ]


MAIN = ["probability"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name not in MAIN))
        for name in SMALL | OF_VALUES
    ],
)
def test_memory_does_not_grow_with_the_draws(name):
    made = (SMALL | OF_VALUES)[name]
    few, many = 2000, 8000
    # Large problems load compiled loops, which small ones do without: their code is not of the draws.
    made(posterior(many, chunks=1000)).compute()
    with dask.config.set(scheduler="synchronous"):
        peaks = [
            peak_of(lambda p: made(p).compute(), posterior(draws, chunks=1000))
            for draws in (few, many)
        ]
    more = 2 * (many - few)
    # The coord of the draws, and what Dask knows of a chunk; the values of a score, and two more arrays of that size.
    # A comparison of two scores has its events as well, and allocators add about a tenth. A performance would have 4
    # times the size of the values, before any result.
    # A ranking by F1 has the values at four common prevalences, too, each with the cells that it comes from.
    arrays = {"noninferiority": 6, "credible_ranking": 12}.get(
        name, 3.5 if name in OF_VALUES else 0
    )
    allowed = 50 * more + VALUES * more * arrays
    assert peaks[1] - peaks[0] < allowed, peaks
