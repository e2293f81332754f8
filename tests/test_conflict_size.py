"""Prior-data conflict takes the same time and memory for ten cases and for a billion."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import betabinom

import bayesrank as br
from bayesrank.sensitivities import conflicts
from bayesrank.sensitivities.conflicts import beta_binomial_tails, prior_conflict


@pytest.mark.parametrize("size", [1, 10, 5000])
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (0.5, 0.5), (0.02, 3.0), (90.0, 10.0), (2000.0, 7.0)])
def test_tails_are_those_of_the_lattice(size, alpha, beta):
    for seen in sorted({0, 1, size // 3, size - 1, size} - {-1}):
        low, high = beta_binomial_tails(seen, size, alpha, beta)
        assert low == pytest.approx(betabinom.cdf(seen, size, alpha, beta), rel=1e-7, abs=1e-10)
        assert high == pytest.approx(betabinom.sf(seen - 1, size, alpha, beta), rel=1e-7, abs=1e-10)
        mass = betabinom.pmf(seen, size, alpha, beta)
        assert low + high - 1 == pytest.approx(mass, rel=1e-6, abs=1e-9)


def table(size, right=0.9):
    tn, tp = int(0.6 * size * right), int(0.4 * size * right)
    return br.from_counts(tn=tn, fp=int(0.6 * size) - tn, fn=int(0.4 * size) - tp, tp=tp)


@pytest.mark.parametrize("prior", ["jeffreys", [[30, 10], [5, 50]], [[3000, 1000], [500, 5000]]])
def test_bins_of_the_sum_agree_with_the_counts(monkeypatch, prior):
    counts = table(60_000, 0.7)
    exact = prior_conflict(counts, prior=prior)
    monkeypatch.setattr(conflicts, "EXACT", 1000)
    binned = prior_conflict(counts, prior=prior)
    np.testing.assert_allclose(binned["tail_probability"], exact["tail_probability"], rtol=1e-2, atol=1e-4)
    for name in ("observed", "expected", "pull"):
        np.testing.assert_array_equal(binned[name], exact[name])


def test_memory_does_not_grow_with_the_cases():
    prior_conflict(table(1000))
    tracemalloc.start()
    found = prior_conflict(table(10**15), prior=[[90, 10], [10, 90]])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20e6
    assert bool(found["tail_probability"].notnull().all())
