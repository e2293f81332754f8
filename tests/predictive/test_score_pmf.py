"""The exact distribution of a future score: the paper's numbers, rational arithmetic, merging, summaries."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import bayesrank as br
from bayesrank.predictive import summaries
from bayesrank.predictive.scores import equal_runs
from bayesrank.scores.names import SCORES

OBSERVED = br.from_counts(tn=32, fp=8, fn=4, tp=16)
JOINT = br.predictive.confusion_pmf(OBSERVED, prior="uniform")

P = br.predictive


def mass_between(pmf, lower=-np.inf, upper=np.inf):
    return pmf["probability"].where((pmf["value"] >= lower) & (pmf["value"] <= upper)).sum().item()


def ratios(tn, fp, fn, tp):
    """Scores, or their signed squares, as part and whole."""
    p, n, pp, pn = tp + fn, tn + fp, tp + fp, tn + fn
    cross = tp * tn - fp * fn
    sign = (cross > 0) - (cross < 0)
    return {
        "accuracy": (tp + tn, p + n),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "f2": (5 * tp, 5 * tp + fp + 4 * fn),
        "f0_5": (5 * tp, 5 * tp + 4 * fp + fn),
        "ppv": (tp, pp),
        "fpr": (fp, n),
        "false_omission_rate": (fn, pn),
        "balanced_accuracy": (tp * n + tn * p, 2 * p * n),
        "informedness": (cross, p * n),
        "g_mean": (tp * tn, p * n),
        "mcc": (sign * cross * cross, p * n * pp * pn),
        "cohen_kappa": (2 * cross, pp * n + p * pn),
        "markedness": (cross, pp * pn),
        "fowlkes_mallows": (tp * tp, p * pp),
        "p4": (4 * tp * tn, (4 * tp * tn + (tp + tn) * (fp + fn) or 1) if p * n * pp * pn else 0),
        "positive_likelihood_ratio": (tp * n, p * fp),
        "negative_likelihood_ratio": (fn * n, p * tn),
        "diagnostic_odds_ratio": (tp * tn, fp * fn),
    }


def key(name, *cells):
    """The score as a Fraction, or the signed square of it; None where it is undefined."""
    part, whole = ratios(*cells)[name]
    return Fraction(part, whole) if whole else None


@pytest.mark.parametrize("name", ratios(1, 1, 1, 1))
@pytest.mark.parametrize("sizes", [(20, 40), (17, 23), (0, 6), 11])
def test_values_are_merged_as_in_rational_arithmetic(name, sizes):
    """Of known class sizes, and of a total whose class sizes are unknown."""
    if sizes == 11:
        pmf = P.confusion_pmf(OBSERVED, model="dirichlet_multinomial", total=11)
        classes = [(p, 11 - p) for p in range(12)]
    else:
        pmf, classes = P.confusion_pmf(OBSERVED, *sizes), [sizes]
    got, masses = P.score_pmf(pmf, name), pmf.values.reshape(len(classes), *pmf.shape[-2:])
    exact, mass = defaultdict(int), defaultdict(float)
    for i, (positives, negatives) in enumerate(classes):
        for tp, tn in product(range(positives + 1), range(negatives + 1)):
            value = key(name, tn, negatives - tn, positives - tp, tp)
            exact[value] += 1
            mass[value] += masses[i, tp, tn]
    order = [*sorted(v for v in exact if v is not None), *([None] if None in exact else [])]
    assert got["multiplicity"].values.tolist() == [exact[v] for v in order]
    np.testing.assert_allclose(
        got["probability"], [mass[v] for v in order], rtol=1e-12, atol=1e-300
    )
    assert np.isnan(got["value"].values[-1]) == (None in exact)


def test_near_values_of_a_large_lattice_stay_distinct():
    """Markedness on a window of large counts has distinct values closer than a unit in the last place."""
    rng = np.random.default_rng(5)
    # A table, its double, and neighbours of both.
    base = rng.integers(50_000, 100_000, size=(400, 4))
    tables = np.concatenate(
        [base, 2 * base, base + np.eye(4, dtype=int)[0], base + np.eye(4, dtype=int)[3]]
    )
    tn, fp, fn, tp = tables.T
    for name in ("markedness", "cohen_kappa", "diagnostic_odds_ratio"):
        values = SCORES[name].of_cells(tn, fp, fn, tp)
        order, starts = equal_runs(values, lambda at: tuple(tables[at].T), SCORES[name].fraction)
        exact = defaultdict(int)
        for row in tables.tolist():
            exact[key(name, *row)] += 1
        sizes = np.diff(np.append(starts, len(order)))
        assert sizes.tolist() == [exact[v] for v in sorted(exact)]


def test_values_closer_than_floating_point_stay_distinct():
    """Neighbours a/b and c/d with ad - bc = 1 and denominators near 3e9 differ by 1e-19."""
    a, b = 1_836_311_903, 2_971_215_073  # Fibonacci numbers: consecutive ratios differ by 1 / (b d)
    c, d = 1_134_903_170, 1_836_311_903
    tables = np.array([[a, b], [c, d], [a, b], [c, d]])
    values = tables[:, 0] / tables[:, 1]

    def cells(at):
        zero = np.zeros(len(at), np.int64)
        return tables[at, 0], tables[at, 1], zero, zero

    order, starts = equal_runs(values, cells, lambda tn, fp, fn, tp: (tn, fp, 1))
    groups = [sorted(group.tolist()) for group in np.split(order, starts[1:])]
    expected = [[1, 3], [0, 2]] if Fraction(c, d) < Fraction(a, b) else [[0, 2], [1, 3]]
    assert groups == expected


def test_the_papers_numbers():
    f1, ba = (P.score_pmf(JOINT, name) for name in ("f1", "balanced_accuracy"))
    mcc = P.score_pmf(JOINT, "mcc", undefined=0)
    assert (f1.sizes["value"], ba.sizes["value"], mcc.sizes["value"]) == (594, 81, 725)
    for pmf, mean, sd in (
        (f1, 0.702111, 0.096222),
        (ba, 0.779221, 0.077559),
        (mcc, 0.543710, 0.150519),
    ):
        assert summaries.mean(pmf) == pytest.approx(mean, abs=5e-7)
        assert summaries.variance(pmf) ** 0.5 == pytest.approx(sd, abs=5e-7)
        assert abs(pmf["probability"].sum().item() - 1) < 1e-10
        assert pmf["multiplicity"].sum() == 21 * 41
    assert mass_between(f1, upper=0.6) == pytest.approx(0.148052, abs=5e-7)
    times = f1["multiplicity"]
    assert [times.sel(value=v, method="nearest").item() for v in (0, 2 / 5, 2 / 3)] == [41, 11, 11]


def test_undefined_mass_comes_last_or_at_the_given_value():
    last = P.score_pmf(JOINT, "mcc")
    assert np.isnan(last["value"].values[-1])
    assert last["multiplicity"].values[-1] == 2  # nobody called positive, or everybody
    corner = JOINT.sel(tp=0, tn=40) + JOINT.sel(tp=20, tn=0)
    assert last["probability"].values[-1] == pytest.approx(corner.item())
    low = P.score_pmf(JOINT, "mcc", undefined=-2)
    assert low["value"].values[0] == -2
    assert not np.isnan(low["value"]).any()
    assert P.summary(last)["undefined"].item() == pytest.approx(corner.item(), rel=1e-6)


def test_plain_functions_agree_with_named_scores():
    exact = P.score_pmf(JOINT, lambda tn, fp, fn, tp: tp / (tp + fn) - fp / (fp + tn))
    named = P.score_pmf(JOINT, "informedness")
    assert exact.sizes == named.sizes
    np.testing.assert_allclose(exact["probability"], named["probability"], rtol=1e-9)


def test_summaries_agree_with_a_slow_count():
    pmf = P.score_pmf(JOINT, "f1")
    value, mass = pmf["value"].values, pmf["probability"].values
    for q in (0.0, 0.05, 0.5, 0.9, 1.0):
        slow = next(v for v, upto in zip(value, np.cumsum(mass), strict=True) if upto >= q - 1e-12)
        assert summaries.quantile(pmf, [q])[0] == slow
    upto = np.append(0, np.cumsum(mass))
    inside = upto[None, 1:] - upto[:-1, None] >= 0.9 - 1e-12
    width = (value[None, :] - value[:, None])[inside & np.triu(inside)].min()
    low, high = summaries.hdi(pmf, 0.9)
    assert high - low == pytest.approx(width, abs=1e-12)
    assert mass_between(pmf, low, high) >= 0.9 - 1e-12
    spread = np.sqrt(mass @ (value - mass @ value) ** 2)
    near = [mass[np.abs(value - v) <= 0.1 * spread + 1e-12].sum() for v in value]
    most = [v for v, held in zip(value, near, strict=True) if held >= max(near) - 1e-12]
    assert P.summary(pmf)["mode"] == max(most, key=lambda v: (mass[value == v].sum(), -v))
    flat = P.score_pmf(P.confusion_pmf(br.from_counts(tn=0, fp=0, fn=0, tp=0), 3, 0), "tpr")
    assert P.summary(flat)["mode"] == 0  # the lowest of several


def test_a_difference_is_the_convolution():
    a = P.score_pmf(P.confusion_pmf(OBSERVED, 6, 5), "f1")
    b = P.score_pmf(P.confusion_pmf(OBSERVED, 4, 7), "f1")
    difference = P.difference(a, b)
    assert summaries.mean(difference) == pytest.approx(
        summaries.mean(a) - summaries.mean(b), abs=1e-12
    )
    assert summaries.variance(difference) == pytest.approx(
        summaries.variance(a) + summaries.variance(b), abs=1e-12
    )
    assert difference["probability"].sum().item() == pytest.approx(1, abs=1e-10)
    pairs = [zip(side["value"].values, side["probability"].values, strict=True) for side in (a, b)]
    ties = sum(p * q for (v, p), (w, q) in product(*pairs) if abs(v - w) < 1e-12)
    assert difference["probability"].sel(value=0).item() == pytest.approx(ties)


@pytest.mark.slow
def test_a_difference_of_many_values_is_binned_within_its_bound():
    counts = [br.from_counts(tn=n, fp=20, fn=30, tp=100) for n in (100, 110)]
    sides = [P.score_pmf(P.confusion_pmf(c, 160, 155), "mcc") for c in counts]
    assert sides[0].sizes["value"] * sides[1].sizes["value"] > 2**24
    difference = P.difference(*sides)
    exact = summaries.mean(sides[0]) - summaries.mean(sides[1])
    assert abs(summaries.mean(difference) - exact) <= difference["mean_error"].item()
    assert difference["mean_error"] < 1e-3
    assert summaries.variance(difference) == pytest.approx(
        summaries.variance(sides[0]) + summaries.variance(sides[1]), rel=1e-4
    )


@pytest.mark.slow
def test_ten_billion_points():
    counts = br.from_counts(tn=60_000, fp=40_000, fn=30_000, tp=70_000)
    pmf = P.confusion_pmf(counts)
    f1 = P.score_pmf(pmf, "f1")
    assert abs(f1["probability"].sum().item() - 1) < 1e-10
    # E[TPR] and E[FPR] are exact; F1 is nearly linear over so narrow a window (second order: var / 2 < 1e-5).
    plug_in = 2 * 0.7 / (2 * 0.7 + 0.4 + 0.3)
    assert summaries.mean(f1) == pytest.approx(plug_in, abs=1e-5)
    assert summaries.mean(P.score_pmf(pmf, "tpr")) == pytest.approx(70_001 / 100_002, abs=1e-11)


def test_multiplicity_of_every_matrix():
    """U Appendix F: 21 matrices share the 0 of MCC (two more are undefined) and of BA's 1/2, 41 that of F1."""
    f1, mcc, ba = (P.multiplicity(20, 40, name) for name in ("f1", "mcc", "balanced_accuracy"))
    assert (f1.sel(tp=0) == 41).all()
    assert (f1 == 11).sum() == 22
    assert mcc.sel(tp=10, tn=20) == 19
    assert mcc.sel(tp=0, tn=40) == 0
    assert ba.sel(tp=0, tn=40) == 21
    # One more negative, and every value of BA but 1/2 is met once.
    odd = P.multiplicity(20, 41, "balanced_accuracy")
    assert set(np.unique(odd)) == {1, 2}
