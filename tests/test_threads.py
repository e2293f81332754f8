"""One seed, one answer: neither threads nor blocks change a number, and neither costs memory."""

import os

import numpy as np
import pytest
import xarray as xr
from threadpoolctl import threadpool_info, threadpool_limits

import bayesrank as br
from bayesrank._core import threads as _threads
from bayesrank._core.source import groups_of
from bayesrank._core.threads import in_threads, pieces, workers
from bayesrank.models.latent_class import LatentClass
from bayesrank.models.parts.latent_classes import LatentClasses, Reference
from bayesrank.ranking import _kernel
from tests.strategies import peak_of

TABLES = np.random.default_rng(1).integers(1, 30, (3, 4, 4))
TABLES[1, 2] = 0  # a class without cases
PAIRS = {"entity": ["a", "a", "b"], "dataset": ["x", "y", "x"]}
NAMES = {"entity": ["a", "b"], "outcome": [0, 1, 2]}
OUTCOMES = xr.DataArray([[3, 4, 5], [6, 1, 1]], NAMES, ("entity", "outcome"))
EVIDENCE = {
    "four classes": (br.from_matrix(TABLES, "actual_rows"), {}),
    "shares known": (br.from_matrix(TABLES, "actual_rows"), {"prevalence": "observed"}),
    "a pair not measured": (
        br.from_counts(tn=[8, 60, 7], fp=[2, 4, 3], fn=[1, 3, 2], tp=[9, 7, 8], **PAIRS),
        {},
    ),
    "outcomes": (OUTCOMES, {}),
}


def with_threads(monkeypatch, count):
    monkeypatch.setattr(_threads, "LITTLE", 0)
    monkeypatch.setattr(_threads, "workers", lambda: count)


@pytest.mark.parametrize("name", EVIDENCE)
def test_draws_are_bit_for_bit_the_same_whatever_the_threads(monkeypatch, name):
    evidence, options = EVIDENCE[name]
    found = []
    for count in (1, 2, 5):
        with_threads(monkeypatch, count)
        posterior = br.fit(evidence, draws=1300, chains=2, seed=1, groups=["prior"], **options)
        found.append(groups_of(posterior))
    for other in found[1:]:
        for group in ("prior", "posterior"):
            xr.testing.assert_identical(other[group], found[0][group])


def test_scores_and_rankings_are_the_same_whatever_the_threads(monkeypatch):
    monkeypatch.setattr("bayesrank.scores.score.TABLES", 2**10)
    monkeypatch.setattr(_kernel, "WORTH", 2**10)
    posterior = br.fit(EVIDENCE["four classes"][0], draws=600, chains=2, seed=1)
    for score in ("macro_f1", "mcc", "accuracy"):
        found = []
        for count in (1, 3):
            with_threads(monkeypatch, count)
            found.append((br.scores.get(score)(posterior), br.credible_ranking(posterior, score)))
        xr.testing.assert_identical(found[0][0], found[1][0])
        xr.testing.assert_identical(found[0][1], found[1][1])


def test_a_score_in_pieces_is_that_of_each_table(monkeypatch):
    tables = np.random.default_rng(2).dirichlet(np.ones(9), (2, 50, 3)).reshape(2, 50, 3, 3, 3)
    tables[1, 7, 1] = np.nan
    array = xr.DataArray(tables, dims=("chain", "draw", "entity", "actual", "predicted"))
    for score in map(br.scores.get, ("macro_f1", "micro_f1", "weighted_tnr", "mcc", "cohen_kappa")):
        whole = score(array)
        monkeypatch.setattr("bayesrank.scores.score.TABLES", 9 * 4)
        np.testing.assert_allclose(score(array), whole, rtol=1e-13)
        for at in ((0, 0, 0), (1, 7, 1), (1, 49, 2)):
            one = score(xr.DataArray(tables[at], dims=("actual", "predicted")))
            np.testing.assert_allclose(whole.values[at], one, rtol=1e-13)
        monkeypatch.undo()


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 1, 9), (0, 4), (4, 0)])
@pytest.mark.parametrize("most", [1, 2, 4, 100])
def test_pieces_cover_everything_once(shape, most):
    seen = np.zeros(shape, int)
    for piece in pieces(shape, most):
        assert seen[piece].size <= most
        seen[piece] += 1
    assert (seen == 1).all()


def test_workers(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    for told, wanted in (("", 4), ("1", 1), ("3", 3), ("64", 4), ("0", 4), ("many", 4)):
        monkeypatch.setenv("OMP_NUM_THREADS", told)
        assert workers() == wanted


def test_maxima_of_latent_classes_use_one_thread_of_linear_algebra(monkeypatch):
    """Threads of two libraries that factorize tiny matrices in turn wait for each other."""
    seen, climb = [], LatentClasses.climb

    def threads():
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    def watch(*args):
        seen.append(threads())
        return climb(*args)

    monkeypatch.setattr(LatentClasses, "climb", watch)
    joint = br.joint_outcomes(None, {"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, count=[9, 2, 3, 8])
    verified = br.joint_outcomes(
        [1, 1, 0, 0], {"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, count=[9, 2, 3, 8]
    )
    with threadpool_limits(2, "blas"):
        for each in (joint, verified):
            model = LatentClass(each)
            Reference.of(model.prior)
        assert threads() == {2}
    assert seen
    assert all(each == {1} for each in seen)


def test_errors_in_threads_are_raised(monkeypatch):
    with_threads(monkeypatch, 3)

    def fails(i):
        if i == 2:
            raise ValueError("two")

    with pytest.raises(ValueError, match="two"):
        in_threads(fails, range(4))


@pytest.mark.slow
def test_peak_memory_of_draws_and_scores(monkeypatch):
    with_threads(monkeypatch, 2)
    counts = br.from_matrix(np.random.default_rng(1).integers(1, 9, (10, 8, 8)), "actual_rows")
    size = 4 * 1000 * 10 * 64 * 8  # 20 MB
    for model, times in (("dirichlet_multinomial", 1.3), ("hierarchical_classes", 2.4)):
        assert peak_of(lambda model=model: br.fit(counts, model, seed=1)) < times * size
    posterior = br.fit(counts, seed=1)
    br.scores.macro_f1(posterior)
    # A piece of a megabyte for each thread, a few times over; the values are 1/64 of the tables.
    for score in ("macro_f1", "mcc"):
        assert peak_of(br.scores.get(score), posterior) < 0.6 * size
