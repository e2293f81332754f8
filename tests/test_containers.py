"""Posteriors and results keep in netCDF and Zarr: what is read back is what was written, and ranks the same."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.compat import import_arviz
from bayesrank._core.records import GateRecord, PlanRecord, RankingRecord, ResultRecord
from bayesrank._core.source import groups_of
from tests.strategies import PERIODS as COUNTS
from tests.strategies import peak_of

SMALL = {"draws": 20, "chains": 2, "seed": 1}
CHUNKS = {"chain": 1, "draw": 1000}
GROUPS = ["prior", "posterior_predictive", "log_likelihood"]


def paired():
    cases = pd.DataFrame({"a": [1, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    return br.fit(br.from_outcomes(cases, cluster=list(range(10)) * 2), "paired", **SMALL)


POSTERIORS = {
    "all groups": (lambda: br.fit(COUNTS, groups=GROUPS, **SMALL), "f1"),
    "pooled": (lambda: br.fit(br.pool(COUNTS), "beta_binomial", **SMALL), "accuracy"),
    "moved": (lambda: br.at_prevalence(br.fit(br.pool(COUNTS), **SMALL), 0.1), "ppv"),
    "ten classes": (lambda: br.fit(br.pool(br.datasets.load("mnist_folds")), **SMALL), "accuracy"),
    "paired": (paired, "mean_outcome"),
    "typical": (lambda: br.fit(COUNTS, "hierarchical_beta_binomial", **SMALL), "f1"),
    "names beyond ASCII": (
        lambda: br.fit(br.pool(COUNTS).assign_coords(entity=["β/ü", "国 1"]), **SMALL),
        "f1",
    ),
}


def written(posterior, path, kind, chunks=None):
    """Written as a tree of groups, and read again, lazily where ``chunks`` are given."""
    # ArviZ 0.23 knows old Zarr only.
    tree = posterior.to_datatree() if hasattr(posterior, "to_datatree") else posterior
    if kind == "zarr":
        pytest.importorskip("zarr")
        tree.to_zarr(str(path))
        return xr.open_datatree(
            str(path), engine="zarr", chunks=chunks and {}
        )  # the chunks that were written
    if chunks:
        tree.to_netcdf(str(path), engine="h5netcdf")
        return xr.open_datatree(str(path), engine="h5netcdf", chunks=chunks)
    posterior.to_netcdf(str(path))
    return import_arviz().from_netcdf(str(path))


@cache
def ranked(name):
    """Return a posterior and its ranking, for both kinds of files."""
    fit, score = POSTERIORS[name]
    posterior = fit()
    return posterior, br.credible_ranking(posterior, score)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=[pytest.mark.slow] * (name != "all groups"))
        for name in POSTERIORS
        for kind in ("netcdf", "zarr")
    ],
)
def test_a_posterior_comes_back_as_it_was(name, kind, tmp_path):
    posterior, one = ranked(name)
    back = written(posterior, tmp_path / "posterior", kind)
    before, read = groups_of(posterior), groups_of(back)
    assert set(read) == set(before)
    for group, dataset in before.items():
        xr.testing.assert_equal(read[group].load(), dataset)
        for key, value in dataset.attrs.items():  # netCDF takes a list of one for a number
            assert np.array_equal(np.ravel(read[group].attrs[key]), np.ravel(value)), (group, key)
    other = br.credible_ranking(back, POSTERIORS[name][1])
    xr.testing.assert_identical(other, one)
    if one["tier"].ndim == 1:
        assert br.verdict(other) == br.verdict(one)
        assert br.notes(other) == br.notes(one)
        assert br.board(other) == br.board(one)


@cache
def results_of_each_kind():
    posterior = br.fit(br.pool(COUNTS), **SMALL)
    return {
        "ranking": br.credible_ranking(posterior, "f1"),
        "table": br.score_table(posterior, ["tpr", "LR+"], prevalence=0.1),
        "decision": br.decisions.expected_utility(
            posterior, {"tn": 0, "fp": -1, "fn": -9, "tp": 0}
        ),
        "tile": br.tile.credible(posterior, 5),
        "plan": br.plan(br.fit(br.pool(COUNTS), seed=1), "f1", futures=20, seed=1),
        "gate": br.decisions.gate(posterior, "a", "f1"),
    }


@pytest.mark.parametrize("kind", ["netcdf", "zarr"])
def test_results_come_back_as_they_were(kind, tmp_path):
    spoken = ("ranking", "decision", "plan", "gate")
    for name, result in results_of_each_kind().items():
        path = str(tmp_path / name)
        if kind == "zarr":
            pytest.importorskip("zarr")
            result.to_zarr(path)
            back = xr.open_zarr(path).load()
        else:
            result.to_netcdf(path, engine="h5netcdf")
            back = xr.load_dataset(path, engine="h5netcdf")
        xr.testing.assert_equal(back, result)
        record = {"ranking": RankingRecord, "plan": PlanRecord, "gate": GateRecord}.get(
            name, ResultRecord
        )
        assert str(record.of(back)) == str(record.of(result))  # NaN equals NaN
        if name in spoken:
            assert br.verdict(back) == br.verdict(result)
            assert br.notes(back) == br.notes(result)


def in_chunks(draws):
    return br.fit(br.pool(COUNTS), draws=draws, chains=2, seed=1, chunks=1000)


MADE = (
    lambda p: br.credible_ranking(p, "f1"),
    lambda p: br.score_table(p, ["tpr", "mcc"]),
    lambda p: br.tile.credible(p, 5),
)


@cache
def in_memory():
    """Return the posterior without chunks, and its results."""
    held = br.fit(br.pool(COUNTS), draws=2300, chains=2, seed=1)
    return held, [make(held) for make in MADE]


@pytest.mark.parametrize("kind", ["netcdf", "zarr"])
def test_a_posterior_in_chunks_is_kept_in_chunks(kind, tmp_path):
    pytest.importorskip("dask")
    lazy, (held, results) = in_chunks(2300), in_memory()
    back = written(lazy, tmp_path / "posterior", kind, CHUNKS)
    assert (
        back["posterior"]["performance"].chunksizes
        == groups_of(lazy)["posterior"]["performance"].chunksizes
    )
    xr.testing.assert_equal(groups_of(back)["posterior"].compute(), groups_of(held)["posterior"])
    found = [make(back) for make in MADE]
    for one, other in zip(found, results, strict=True):
        xr.testing.assert_identical(one, other)
    assert br.verdict(found[0]) == br.verdict(results[0])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["netcdf", "zarr"])
def test_chunks_are_written_and_read_one_by_one(kind, tmp_path):
    dask = pytest.importorskip("dask")
    peaks = []
    with dask.config.set(scheduler="synchronous"):
        written(in_chunks(1000), tmp_path / "first", kind, CHUNKS)
        for draws in (2000, 22_000):
            posterior = in_chunks(draws)
            path = tmp_path / f"{draws}"
            peaks.append(
                peak_of(
                    lambda p, to: br.probability(written(p, to, kind, CHUNKS), "a < b", "f1"),
                    posterior,
                    path,
                )
            )
    # 40,000 more draws of 2 tables are 2.6 MB. Up to 1.3 MB were seen: the coord of the draws, Dask's graph of chunks,
    # and the buffers of Zarr's threads.
    assert peaks[1] - peaks[0] < 0.75 * 40_000 * 64
