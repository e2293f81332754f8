"""Orders of posteriors: exact probabilities against integrals, and each broken axiom shown by its own fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, special, stats

import bayesrank as br
from bayesrank.theory import posteriors
from bayesrank.theory.posteriors import ORDERS, exact_best, exact_superiority

HALF = Fraction(1, 2)
MIXTURES = ["axiom_3_upper", "axiom_3_lower"]
BROKEN = {
    "predictive": [],
    "mean": [],
    "median": MIXTURES,
    "expected_rank": ["axiom_1", *MIXTURES],
    "probability_best": ["axiom_1", "axiom_3_lower"],
    "pairwise": ["axiom_1", *MIXTURES],
    "consensus": ["axiom_1", *MIXTURES],
}


def beta(counts):
    return stats.beta(counts[0] + 1, counts[1] + 1)


@pytest.mark.parametrize("pair", [((1, 3), (0, 1)), ((0, 0), (0, 0)), ((7, 2), (30, 12)), ((0, 9), (3, 0))])
def test_superiority_is_the_integral(pair):
    first, second = pair
    found = integrate.quad(lambda x: beta(first).pdf(x) * beta(second).cdf(x), 0, 1, epsabs=1e-12)[0]
    assert float(exact_superiority(*pair)) == pytest.approx(found, abs=1e-10)
    assert exact_superiority(first, second) + exact_superiority(second, first) == 1


def test_superiority_of_a_mixture_is_the_double_integral():
    first, other, rival = (0, 1), (2, 3), (1, 3)

    def beyond(x, y):
        return beta(first).pdf(x) * beta(other).pdf(y) * beta(rival).cdf((x + y) / 2)

    found = integrate.dblquad(beyond, 0, 1, 0, 1, epsabs=1e-10)[0]
    assert float(exact_superiority([first, other], rival)) == pytest.approx(found, abs=1e-8)
    assert exact_superiority([first, other], rival) == exact_superiority([other, first], rival)


def test_the_best_of_three_sums_to_one_and_is_the_integral():
    three = [(1, 3), (0, 1), (1, 0)]
    found = [exact_best(three, i) for i in range(3)]
    assert sum(found) == 1
    for i, (j, k) in enumerate(((1, 2), (0, 2), (0, 1))):

        def density(x, i=i, j=j, k=k):
            return beta(three[i]).pdf(x) * beta(three[j]).cdf(x) * beta(three[k]).cdf(x)

        assert float(found[i]) == pytest.approx(integrate.quad(density, 0, 1)[0], abs=1e-9)


def test_the_twins_of_the_median():
    first, second = posteriors.MEDIANS
    a, c = posteriors.TWINS["A"], posteriors.TWINS["C"]
    for counts, rate in ((a, first), (c, first), (c, second)):
        assert float(posteriors._at_most(counts, rate)) == pytest.approx(beta(counts).cdf(float(rate)), abs=1e-12)
    found = integrate.quad(lambda x: beta(a).pdf(x) * beta(a).cdf(2 * float(second) - x), 0, 2 * float(second))[0]
    assert float(posteriors._twins_at_most(second)) == pytest.approx(found, abs=1e-10)
    # Medians of A, of C and of the even mixture of A and B rise in this order.
    assert posteriors._at_most(a, first) > HALF > posteriors._at_most(c, first)
    assert posteriors._at_most(c, second) > HALF > posteriors._twins_at_most(second)


def test_each_counterexample_proves_its_case():
    twins = posteriors.TWINS
    above, passed = exact_superiority(twins["C"], twins["A"]), exact_superiority([twins["A"], twins["B"]], twins["C"])
    assert above > HALF
    assert passed > HALF
    assert 3 - passed < 2 + above  # expected ranks among all four: mixture, and A or B
    cycle = list(posteriors.CYCLE.values())
    assert all(exact_superiority(cycle[i], cycle[(i + 1) % 3]) > HALF for i in range(3))
    a, b, c = posteriors.REVERSED_BEST.values()
    assert exact_superiority(a, b) > HALF
    assert exact_best([a, b, c], 0) < exact_best([a, b, c], 1)
    a, b, c = posteriors.REVERSED_RANK.values()
    ranks = [1 + exact_superiority(b, a), 1 + exact_superiority(a, b)]
    assert ranks[0] < ranks[1]
    assert ranks[0] + exact_superiority(c, a) > ranks[1] + exact_superiority(c, b)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("score", ["tpr", "f1", "accuracy"])
def test_what_each_order_breaks(order, score):
    row = br.audit(score, 0.3, order=order)
    broken = MIXTURES if (order, score) == ("mean", "f1") else BROKEN[order]
    assert [str(test) for test in row["test"].values if not row[test]] == broken
    shown = row["counterexample"].notnull().any(["role", "actual", "predicted"])
    assert [not bool(row[test]) for test in row["test"].values] == shown.values.tolist()
    assert (row["proof"] != "").all()


def test_the_ranking_itself_reverses_as_the_audit_says():
    """The counts of the counterexample, ranked by the package: A before B, until C joins."""
    for order, name in (("expected_rank", "expected_rank"), ("probability_best", "probability_best")):
        row = br.audit("tpr", 0.5, order=order)
        table = row["counterexample"].sel(test="axiom_1", actual="positive").values
        counts = br.from_counts(tn=[1] * 3, fp=[1] * 3, fn=table[:, 0], tp=table[:, 1], entity=list("ABC"))
        sign = 1 if order == "expected_rank" else -1
        gaps = []
        for kept in ("AB", "ABC"):
            ranking = br.credible_ranking(
                counts.sel(entity=list(kept)), "tpr", method="exact", model="beta_binomial", order="consensus"
            )
            a, b = (sign * ranking[name].sel(entity=one).item() for one in "AB")
            gaps.append(b - a)
        assert gaps[0] > 0 > gaps[1]


def test_the_mean_of_a_curved_score_breaks_axiom_3_in_fractions():
    f1 = lambda tp, wrong: 2 * tp / (2 * tp + wrong)  # noqa: E731
    worst, middle, best = (f1(Fraction(k, 2), 1 - Fraction(k, 2)) for k in range(3))
    own, mixed = (worst + best) / 2, (worst + 2 * middle + best) / 4
    assert (own, mixed) == (HALF, Fraction(7, 12))
    row = br.audit("f1", order="mean")
    assert not row["axiom_3_upper"]
    first, second = row["counterexample"].sel(test="axiom_3_upper").values[:2].reshape(2, 4)
    values = [br.scores.f1.of_cells(*cells) for cells in (first, second, (first + second) / 2)]
    assert values[2] > (values[0] + values[1]) / 2 + 1e-3


def test_a_score_that_breaks_an_axiom_breaks_it_in_every_order():
    for order in ORDERS:
        assert not br.audit("mcc", 0.3, order=order)["axiom_3_upper"]
        assert not br.audit("error_rate", order=order)["axiom_2"]


def test_equal_numbers_of_cases_never_cycle():
    """More right cases of the same number: the likelihood ratio rises, so one posterior dominates the other."""
    for cases in (1, 4, 11):
        for right in range(cases):
            first, second = (right + 1, cases - right - 1), (right, cases - right)
            assert exact_superiority(first, second) > HALF
            for k in range(1, 12):  # a lower distribution function everywhere
                rate = Fraction(k, 12)
                assert posteriors._at_most(first, rate) < posteriors._at_most(second, rate)


def cycle_bound(parameters):
    """Return the Berry-Esseen bound of a cycle: 1/2 plus the largest error of its three pairs."""
    found = []
    for i in range(3):
        shapes = np.array([*parameters[i], *parameters[(i + 1) % 3]], float)
        third, second = special.zeta(3, shapes).sum(), special.zeta(2, shapes).sum()
        found.append(0.56 * (12 / np.e - 2) * third / second**1.5)
    return 0.5 + max(found)


def test_the_bound_of_cycles_by_counts():
    # log Gamma(a) is a sum of independent -E / (a + k): its cumulants are those of the digamma function.
    for a in (1.0, 3.5, 40.0):
        assert special.zeta(2, a) == pytest.approx(special.polygamma(1, a))
        assert 2 * special.zeta(3, a) == pytest.approx(-special.polygamma(2, a))
    moment = integrate.quad(lambda x: abs(x - 1) ** 3 * np.exp(-x), 0, 60)[0]
    assert moment == pytest.approx(12 / np.e - 2, abs=1e-9)
    rng = np.random.default_rng(1)
    for least in (20, 100, 400):
        shapes = least * np.exp(rng.exponential(1.0, (40, 3, 2)))
        simple = 0.5 + (0.68 + 1.36 / least) / np.sqrt(least)
        assert all(cycle_bound(each) <= simple for each in shapes)
        # The error is that of the normal approximation of the difference of log-odds.
        for (a, b), (c, d) in shapes[:10, :2]:
            x = np.linspace(0, 1, 20_001)[1:-1]
            beats = np.trapezoid(stats.beta(a, b).pdf(x) * stats.beta(c, d).cdf(x), x)
            mean = special.digamma(a) - special.digamma(b) - special.digamma(c) + special.digamma(d)
            sd = np.sqrt(sum(special.zeta(2, one) for one in (a, b, c, d)))
            assert abs(beats - stats.norm.cdf(mean / sd)) <= simple - 0.5


def test_arguments():
    with pytest.raises(ValueError, match="must be one of"):
        br.audit("f1", order="mode")
    with pytest.raises(ValueError, match="order must be left out"):
        br.audit("f1", order="median", operations="relabel")
    with pytest.raises(TypeError, match="must be a pair"):
        exact_superiority((1, 2, 3), (0, 1))
    with pytest.raises(ValueError, match="monotone in TPR or TNR"):
        br.audit(lambda tn, fp, fn, tp: 0 * tn + 0.5, order="median")
