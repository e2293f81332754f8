"""A posterior that is never held has the numbers of one that is, bit by bit, and so has what is made of it."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.source import groups_of
from tests.strategies import PERIODS as COUNTS

pytest.importorskip("dask")

RUN = {"draws": 2300, "chains": 2, "seed": 7}
POOLED = br.pool(COUNTS)
MATRICES = br.from_matrix(np.random.default_rng(1).integers(1, 30, (3, 4, 4)), "actual_rows")
OUTCOMES = xr.DataArray(
    [[3, 4, 5], [6, 1, 1]], {"entity": ["a", "b"], "outcome": [0, 1, 2]}, ("entity", "outcome")
)
CASES = pd.DataFrame({"a": [1, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
LABELS = br.joint_outcomes([0, 0, 1, 1] * 9, {"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9})
#: Of every chain's first draw one class has no share: the rows are kept apart, though few chunks need them.
SHARES = xr.DataArray(np.where(np.arange(2300) % 2300 == 0, 0.0, 0.3), dims="draw")

PREDICTIVE = ["prior_predictive", "posterior_predictive"]

MODELS = {
    "dirichlet_multinomial": lambda **run: br.fit(MATRICES, groups=["prior", *PREDICTIVE], **run),
    "a pair not measured": lambda **run: br.fit(
        COUNTS.where(COUNTS.entity != "b", 0, drop=False), force=True, **run
    ),
    "log_likelihood": lambda **run: br.fit(COUNTS, groups=["log_likelihood"], **run),
    "beta_binomial": lambda **run: br.fit(POOLED, "beta_binomial", **run),
    "shares of draws": lambda **run: br.fit(
        POOLED, prevalence=SHARES, groups=PREDICTIVE[1:], **run
    ),
    "outcomes": lambda **run: br.fit(OUTCOMES, groups=["prior", *PREDICTIVE], **run),
    "paired": lambda **run: br.fit(LABELS, "paired", **run),
    "paired shares of draws": lambda **run: br.fit(LABELS, "paired", prevalence=SHARES, **run),
    "paired outcomes": lambda **run: br.fit(
        br.from_outcomes(CASES, cluster=list(range(10)) * 2), "paired", **run
    ),
    "hierarchical_beta_binomial": lambda **run: br.fit(
        COUNTS, "hierarchical_beta_binomial", groups=PREDICTIVE[1:], **run
    ),
    "hierarchical_classes": lambda **run: br.fit(MATRICES[:1], "hierarchical_classes", **run),
}


@pytest.mark.parametrize("name", MODELS)
def test_chunks_are_what_a_run_in_memory_has_there(name):
    held = groups_of(MODELS[name](**RUN))
    lazy = groups_of(MODELS[name](**RUN, chunks=1000))
    assert set(lazy) == set(held)
    for group in set(held) - {"observed_data", "constant_data"}:
        for variable in lazy[group].data_vars.values():
            assert variable.chunksizes["chain"] == (1, 1)
            assert variable.chunksizes["draw"] == (1000, 1000, 300)
        # A later chunk alone, before the others.
        part = {"chain": [1], "draw": slice(1000, 2000)}
        xr.testing.assert_identical(lazy[group].isel(part).compute(), held[group].isel(part))
        xr.testing.assert_identical(lazy[group].compute(), held[group])


@pytest.mark.parametrize(
    "chunks", [1000, 2000, -1, "auto", {"chain": -1, "draw": 1000}, {"draw": (1000, 1300)}, {}]
)
def test_any_whole_blocks_give_one_answer(chunks):
    found = groups_of(br.fit(POOLED, chunks=chunks, **RUN))["posterior"]
    assert found["performance"].chunks is not None
    xr.testing.assert_identical(found.compute(), groups_of(br.fit(POOLED, **RUN))["posterior"])


def test_more_draws_than_fit_into_memory(monkeypatch):
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 100}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    with pytest.raises(ValueError, match="draws must be fewer"):
        br.fit(POOLED, draws=20_000, chains=1, seed=1)
    lazy = br.as_performance(br.fit(POOLED, draws=20_000, chains=1, chunks=1000, seed=1))
    assert lazy.nbytes > 409_600
    with pytest.raises(ValueError, match="chunks must be smaller"):
        br.fit(POOLED, draws=20_000, chains=1, chunks=-1, seed=1)
