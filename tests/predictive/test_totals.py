"""Large test sets of which only the total is known: binned numbers of positives, against the whole lattice."""

from math import comb

import numpy as np
import pytest
from scipy import stats

import bayesrank as br
from bayesrank.predictive import confusion, summaries
from bayesrank.predictive.confusion import beta_binomial
from bayesrank.predictive.scores import _evaluate, _lattice
from bayesrank.scores import as_score
from tests.predictive.test_score_pmf import mass_between

P = br.predictive


FEW = br.from_counts(tn=5, fp=3, fn=2, tp=8)
DIMS = ("positives", "tp", "tn")


def pmf_of(counts, total, prior=None):
    return P.confusion_pmf(counts, model="dirichlet_multinomial", prior=prior, total=total)


def set_limits(monkeypatch, **limits):
    for name, size in limits.items():
        monkeypatch.setattr(confusion, name, size)


def bin_of(pmf, dim, size):
    """The bin of the counts 0, ..., size along a dim; -1 outside of the window."""
    first = pmf.coords.get(f"{dim}_first", pmf[dim]).values
    last = pmf.coords.get(f"{dim}_last", pmf[dim]).values
    count = np.arange(size + 1)
    found = np.searchsorted(first, count, side="right") - 1
    return np.where((found >= 0) & (count <= last[found]), found, -1)


def bins_of_matrices(pmf, total):
    """Every matrix (positives, TP, TN) of a total, and its bin; without matrices outside of the window."""
    matrix = np.indices([total + 1] * 3).reshape(3, -1)
    bins = np.array([bin_of(pmf, dim, total)[x] for dim, x in zip(DIMS, matrix, strict=True)])
    p, tp, tn = matrix
    known = (tp <= p) & (tn <= total - p) & (bins >= 0).all(axis=0)
    return matrix[:, known], np.ravel_multi_index(bins[:, known], pmf.shape)


# Few and many cases, none of a class, all right (TP are then all positives), a rate near 1, a rare class.
TABLES = [
    (FEW, None),
    (br.from_counts(tn=500, fp=300, fn=200, tp=800), None),
    (br.from_counts(tn=5, fp=3, fn=0, tp=0), None),
    (br.from_counts(tn=4, fp=2, fn=0, tp=7), 0.0),
    (br.from_counts(tn=0, fp=3, fn=2, tp=7), 0.0),
    (br.from_counts(tn=4, fp=2, fn=0, tp=7), 1e-6),
    (br.from_counts(tn=10**6, fp=100, fn=10, tp=10**6), None),
    (br.from_counts(tn=10**6, fp=10**5, fn=100, tp=10**4), None),
]


@pytest.mark.parametrize(("counts", "prior"), TABLES)
def test_the_mass_of_a_bin_is_that_of_its_matrices(monkeypatch, counts, prior):
    total = 70
    whole = pmf_of(counts, total, prior)
    assert whole.shape == (71, 71, 71)
    set_limits(monkeypatch, WHOLE=1000, LARGEST=500, TOTAL_BINS=3000, POSITIVES=9)
    pmf = pmf_of(counts, total, prior)
    assert pmf.sizes["positives"] <= 9
    matrix, bins = bins_of_matrices(pmf, total)
    summed = np.bincount(bins, whole.values[tuple(matrix)], pmf.size).reshape(pmf.shape)
    np.testing.assert_allclose(pmf, summed, rtol=1e-11, atol=1e-14)
    assert abs(1 - pmf.sum().item()) < 1e-12 + pmf["lost_mass"].item()


@pytest.mark.parametrize("total", [5_000, pytest.param(60_000, marks=pytest.mark.slow)])
def test_marginals_of_totals_that_were_refused(total):
    pmf = pmf_of(FEW, total)
    assert pmf.size < 2**23
    assert abs(1 - pmf.sum().item()) < 2e-12
    for dim, right in (("positives", 11.0), ("tp", 8.5), ("tn", 5.5)):
        masses = beta_binomial(total, right, 20.0 - right)
        first, last = (pmf[f"{dim}_{end}"].values for end in ("first", "last"))
        exact = [masses[a : b + 1].sum() for a, b in zip(first, last, strict=True)]
        marginal = pmf.sum([other for other in DIMS if other != dim])
        np.testing.assert_allclose(marginal, exact, rtol=1e-8, atol=2e-12)
        # A bin stands at its mean, rounded.
        assert float((marginal * pmf[dim]).sum()) == pytest.approx(total * right / 20, abs=0.5)


NAMES = (
    "f1",
    "accuracy",
    "informedness",
    "mcc",
    "ppv",
    "tpr",
    "p4",
    "fpr",
    "positive_likelihood_ratio",
)


@pytest.mark.parametrize("name", NAMES)
def test_no_matrix_is_further_from_its_bin_than_said(monkeypatch, name):
    set_limits(monkeypatch, WHOLE=1000, LARGEST=6000, TOTAL_BINS=3000, POSITIVES=9)
    total = 40
    pmf, score = pmf_of(FEW, total), as_score(name)
    first, last = pmf["positives_first"].values, pmf["positives_last"].values
    assert (first[1:] == last[:-1] + 1).all()
    assert ((first <= pmf["positives"]) & (pmf["positives"] <= last)).all()
    assert (pmf["positives"] + pmf["negatives"] == total).all()
    lattice = _lattice(pmf)
    (values, error), where = _evaluate(lattice, score), lattice.where
    (p, tp, tn), point = bins_of_matrices(pmf, total)
    assert len(p) == comb(total + 3, 3)
    # Every matrix is in a bin that counts as one of matrices, and every such bin has as many as said.
    np.testing.assert_array_equal(np.unique(point), where)
    np.testing.assert_array_equal(np.bincount(point, minlength=pmf.size)[where], lattice.number)
    at = np.searchsorted(where, point)
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.abs(score.of_cells(tn, total - p - tn, p - tp, tp) - values[at])
    seen = np.isfinite(off)
    assert (off[seen] <= error[at][seen] + 1e-12).all()


@pytest.mark.parametrize(
    ("how", "limits"),
    [
        ({"positives": 300, "negatives": 500}, {"LARGEST": 4000, "BINS": 2000}),
        (
            {"model": "dirichlet_multinomial", "total": 120},
            {"LARGEST": 10**5, "TOTAL_BINS": 50_000, "POSITIVES": 32},
        ),
    ],
)
def test_bins_move_a_score_by_no_more_than_they_say(monkeypatch, how, limits):
    whole = P.confusion_pmf(FEW, **how)
    exact = {name: P.score_pmf(whole, name) for name in ("f1", "mcc", "ppv")}
    set_limits(monkeypatch, WHOLE=1000, **limits)
    coarse = P.confusion_pmf(FEW, **how)
    assert coarse.size < whole.size / 5
    for name, fine in exact.items():
        rough = P.score_pmf(coarse, name)
        assert (
            abs(summaries.mean(fine) - summaries.mean(rough)) <= rough["mean_error"].item() < 0.12
        )
        # What the bound leaves room for is hardly used: the errors of many bins cancel.
        assert summaries.mean(rough) == pytest.approx(summaries.mean(fine), abs=0.004)
        reach = float(rough["value_error"].max())
        for cut in (0.3, 0.6, 0.8):
            low, high = (mass_between(rough, upper=cut + sign * reach) for sign in (-1, 1))
            assert low - 1e-12 <= mass_between(fine, upper=cut) <= high + 1e-12


@pytest.mark.slow
def test_a_large_test_set_tells_the_posterior_of_the_score(monkeypatch):
    """Scores of ever larger test sets tend to the score of the performance itself."""
    set_limits(monkeypatch, TOTAL_BINS=2**20, POSITIVES=2**7)  # for speed
    pmf = pmf_of(FEW, 50_000)
    assert pmf.sizes["positives"] <= confusion.POSITIVES
    for name in ("f1", "informedness"):
        score, posterior = P.score_pmf(pmf, name), br.score_posterior(FEW, name)
        assert score["mean_error"] < 0.04
        cuts = posterior.quantile([0.025, 0.25, 0.5, 0.75, 0.975]).values.ravel()
        said = [mass_between(score, upper=cut) for cut in cuts]
        np.testing.assert_allclose(said, [0.025, 0.25, 0.5, 0.75, 0.975], atol=0.005)
        np.testing.assert_allclose(
            summaries.hdi(score, 0.9), summaries.quantile(score, [0.05, 0.95]), atol=0.1
        )
        assert P.summary(score)["undefined"] < 1e-6
    # Accuracy is a Beta in the limit, and has its expectation for every total.
    accuracy = P.score_pmf(pmf, "accuracy")
    assert summaries.mean(accuracy) == pytest.approx(15 / 22, abs=1e-4)
    assert summaries.variance(accuracy) == pytest.approx(stats.beta(15, 7).var(), rel=0.005)
