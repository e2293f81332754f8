"""The exact distribution of a future confusion matrix: the paper's numbers, rational arithmetic, windows and bins."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank.predictive.confusion import beta_binomial, bin_masses, binomial, kept_range

OBSERVED = br.from_counts(tn=32, fp=8, fn=4, tp=16)


def rising(a, k):
    """The rising factorial of a Fraction."""
    out = Fraction(1)
    for i in range(k):
        out *= a + i
    return out


def exact_beta_binomial(size, alpha, beta):
    """U Eq. 4 in rational arithmetic."""
    whole = rising(alpha + beta, size)
    return [
        comb(size, k) * rising(alpha, k) * rising(beta, size - k) / whole for k in range(size + 1)
    ]


@pytest.mark.parametrize(
    ("alpha", "beta"), [("17", "5"), ("1", "1"), ("1/2", "1/2"), ("1/4", "7/3"), ("90", "1/10")]
)
def test_beta_binomial_is_the_rational_one(alpha, beta):
    alpha, beta = Fraction(alpha), Fraction(beta)
    exact = [float(mass) for mass in exact_beta_binomial(23, alpha, beta)]
    np.testing.assert_allclose(beta_binomial(23, float(alpha), float(beta)), exact, rtol=1e-12)


def test_binomial_is_scipys_and_degenerate_rates_put_all_mass_at_one_end():
    np.testing.assert_allclose(
        binomial(57, 0.3), stats.binom(57, 0.3).pmf(np.arange(58)), rtol=1e-11
    )
    for alpha, beta, end in ((0, 3, 0), (3, 0, 5)):
        np.testing.assert_array_equal(beta_binomial(5, alpha, beta), np.arange(6) == end)


def test_mode_of_the_papers_example():
    pmf = br.predictive.confusion_pmf(OBSERVED, prior="uniform")
    assert pmf.sel(tp=16, tn=32).item() == pytest.approx(0.017361347, abs=5e-10)
    assert pmf.sel(tp=16, tn=32) == pmf.max()
    assert pmf["lost_mass"].item() == 0


def test_joint_is_the_rational_product():
    pmf = br.predictive.confusion_pmf(OBSERVED, positives=7, negatives=4, prior=[[2, 3], [3, 2]])
    tp = exact_beta_binomial(7, Fraction(18), Fraction(7))
    tn = exact_beta_binomial(4, Fraction(34), Fraction(11))
    exact = [[float(a * b) for b in tn] for a in tp]
    np.testing.assert_allclose(pmf, exact, rtol=1e-12)


def test_binomial_plugs_in_the_observed_rates():
    cocaine = br.from_counts(tn=6, fp=2, fn=0, tp=26)
    pmf = br.predictive.confusion_pmf(cocaine, model="binomial", prior=[[99, 1], [1, 99]])
    assert pmf.sum("tn").sel(tp=26).item() == 1  # U Appendix E: all mass at TPR = 1
    np.testing.assert_allclose(pmf.sum("tp"), stats.binom(8, 0.75).pmf(np.arange(9)), rtol=1e-12)


def test_dirichlet_multinomial_with_a_total_is_the_rational_one():
    counts = br.from_counts(tn=3, fp=1, fn=0, tp=2)
    pmf = br.predictive.confusion_pmf(counts, model="dirichlet_multinomial", total=5)
    assert pmf.dims == ("positives", "tp", "tn")
    alpha = {"tn": Fraction(7, 2), "fp": Fraction(3, 2), "fn": Fraction(1, 2), "tp": Fraction(5, 2)}
    cells = [c for c in product(range(6), repeat=4) if sum(c) == 5]
    assert len(cells) == comb(8, 3)
    for tn, fp, fn, tp in cells:
        exact = Fraction(120) / rising(Fraction(8), 5)
        for a, n in zip(alpha.values(), (tn, fp, fn, tp), strict=True):
            exact *= rising(a, n) / rising(Fraction(1), n)
        assert pmf.sel(positives=tp + fn, tp=tp, tn=tn).item() == pytest.approx(
            float(exact), rel=1e-12
        )
    assert pmf.sum().item() == pytest.approx(1, abs=1e-12)


def test_dirichlet_multinomial_given_row_totals_is_the_beta_binomial():
    prior = [[1.0, 2.0], [0.5, 3.0]]
    given = br.predictive.confusion_pmf(OBSERVED, 12, 9, "dirichlet_multinomial", prior)
    rows = br.predictive.confusion_pmf(OBSERVED, 12, 9, "beta_binomial", prior)
    xr.testing.assert_equal(given, rows)
    total = br.predictive.confusion_pmf(
        OBSERVED, model="dirichlet_multinomial", prior=prior, total=21
    )
    slice_ = total.sel(positives=12, tp=slice(0, 12), tn=slice(0, 9))
    np.testing.assert_allclose(slice_ / slice_.sum(), rows, rtol=1e-10)


def test_lattices_up_to_a_million_are_whole():
    counts = br.from_counts(tn=900, fp=99, fn=10, tp=989)
    whole = br.predictive.confusion_pmf(counts)
    assert whole.shape == (1000, 1000)
    assert whole["lost_mass"] == 0
    cut = br.predictive.confusion_pmf(counts, positives=1000)
    assert cut.size < 10**6
    assert 0 < cut["lost_mass"].item() < 1e-12


@pytest.mark.parametrize("model", ["beta_binomial", "binomial"])
def test_a_window_loses_what_it_says(model):
    counts = br.from_counts(tn=30_000, fp=20_000, fn=5_000, tp=45_000)
    pmf = br.predictive.confusion_pmf(counts, model=model)
    if model == "binomial":
        for rate, dim in ((0.9, "tp"), (0.6, "tn")):
            inside = stats.binom(50_000, rate).cdf(pmf[dim].values[[0, -1]] - [1, 0])
            assert np.diff(inside) > 1 - 1e-12
    assert pmf["lost_mass"].item() < 1e-12
    assert abs(1 - pmf.sum().item() - pmf["lost_mass"].item()) < 1e-13


def test_the_window_is_as_narrow_as_can_be():
    masses = beta_binomial(5000, 50.0, 70.0)
    low, high, lost = kept_range(masses, 1e-9)
    assert masses[:low].sum() <= 1e-9 < masses[: low + 1].sum()
    assert masses[high + 1 :].sum() <= 1e-9 < masses[high:].sum()
    assert lost == pytest.approx(masses[:low].sum() + masses[high + 1 :].sum(), rel=1e-6)


def test_few_past_and_many_future_cases_are_binned():
    counts = br.from_counts(tn=5, fp=3, fn=2, tp=8)
    pmf = br.predictive.confusion_pmf(counts, 20_000, 30_000)
    first, last = pmf["tp_first"].values, pmf["tp_last"].values
    assert (first[1:] == last[:-1] + 1).all()
    assert ((first <= pmf["tp"]) & (pmf["tp"] <= last)).all()
    masses = beta_binomial(20_000, 8.5, 2.5)
    np.testing.assert_allclose(pmf.sum("tn")[50], masses[first[50] : last[50] + 1].sum(), rtol=1e-9)
    assert abs(pmf.sum().item() - 1) < 1e-10


def test_bins_keep_the_ends_apart():
    first, last, middle = bin_masses(np.full(101, 1 / 101), 0, 100, 12)
    assert (first[0], last[0], first[-1], last[-1]) == (0, 0, 100, 100)
    assert len(first) <= 12
    assert (np.diff(middle) > 0).all()
