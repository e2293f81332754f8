"""Orders of posteriors: exact probabilities against integrals, and each broken axiom shown by its own fractions."""

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
import xarray as xr
from scipy import integrate, optimize, special, stats

import bayesrank as br
from bayesrank.sensitivities.leaving_out import leave_out_entities
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


@pytest.mark.parametrize(
    "pair", [((1, 3), (0, 1)), ((0, 0), (0, 0)), ((7, 2), (30, 12)), ((0, 9), (3, 0))]
)
def test_superiority_is_the_integral(pair):
    first, second = pair
    found = integrate.quad(lambda x: beta(first).pdf(x) * beta(second).cdf(x), 0, 1, epsabs=1e-12)[
        0
    ]
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
        assert float(posteriors._at_most(counts, rate)) == pytest.approx(
            beta(counts).cdf(float(rate)), abs=1e-12
        )
    found = integrate.quad(
        lambda x: beta(a).pdf(x) * beta(a).cdf(2 * float(second) - x), 0, 2 * float(second)
    )[0]
    assert float(posteriors._twins_at_most(second)) == pytest.approx(found, abs=1e-10)
    # Medians of A, of C and of the even mixture of A and B rise in this order.
    assert posteriors._at_most(a, first) > HALF > posteriors._at_most(c, first)
    assert posteriors._at_most(c, second) > HALF > posteriors._twins_at_most(second)


def test_each_counterexample_proves_its_case():
    twins = posteriors.TWINS
    above, passed = (
        exact_superiority(twins["C"], twins["A"]),
        exact_superiority([twins["A"], twins["B"]], twins["C"]),
    )
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


def consensus(twins):
    """Return the orders of A, B, C and the even mixture M of A and B with the least expected Kendall distance."""

    def beats(one, other):
        if "M" not in (one, other):
            return exact_superiority(twins[one], twins[other])
        if "C" not in (one, other):  # the mixture is ahead of one part where it is behind the other
            return HALF
        above = exact_superiority([twins["A"], twins["B"]], twins["C"])
        return above if one == "M" else 1 - above

    costs = {
        order: sum(beats(y, x) for x, y in combinations(order, 2)) for order in permutations("ABCM")
    }
    return {"".join(order) for order, cost in costs.items() if cost == min(costs.values())}


def test_the_consensus_puts_a_mixture_ahead_of_or_behind_both_parts():
    assert consensus(posteriors.TWINS) == {"MCAB", "MCBA"}
    assert consensus({name: counts[::-1] for name, counts in posteriors.TWINS.items()}) == {
        "ABCM",
        "BACM",
    }


def test_the_consensus_of_a_cycle_reverses_a_pair_without_the_third():
    def distance(order):
        return sum(
            exact_superiority(posteriors.CYCLE[y], posteriors.CYCLE[x])
            for x, y in combinations(order, 2)
        )

    best = min(permutations("ABC"), key=distance)
    assert sum(distance(order) == distance(best) for order in permutations("ABC")) == 1
    reversed_pairs = [
        (x, y) for x, y in combinations(best, 2) if distance((y, x)) < distance((x, y))
    ]
    assert (best, reversed_pairs) == (
        ("B", "C", "A"),
        [("B", "A")],
    )  # as the proof of the audit says


def gamma_cycle(first, second, third=np.inf):
    """Return the depth of the cycle of gamma variables of these shapes, at the scales that make it deepest."""

    def shortfall(depth):
        # The scales at which the second beats the third and the third the first with this probability.
        if third == np.inf:
            scales = (
                1 / special.gammaincinv(first, depth),
                1 / special.gammaincinv(second, 1 - depth),
            )
        else:
            odds = special.betaincinv(third, second, depth), special.betaincinv(first, third, depth)
            scales = 1 / odds[1] - 1, odds[0] / (1 - odds[0])
        return special.betainc(second, first, scales[0] / sum(scales)) - depth

    return optimize.brentq(shortfall, 0.45, 0.55, xtol=1e-12)


def test_a_mixture_can_be_best_most_often_where_its_parts_are_undefined_in_turn():
    """Precision of A, B and their even mixture in two draws of equal probability, in fractions (tn, fp, fn, tp)."""
    calls, none = (Fraction(1, 4),) * 4, (HALF, Fraction(0), HALF, Fraction(0))
    shared, counted = [Fraction(0)] * 3, [0] * 3
    for one, other in ((calls, none), (none, calls)):
        mixture = [(x + y) / 2 for x, y in zip(one, other, strict=True)]
        values = [tp / (tp + fp) if tp + fp else None for _, fp, _, tp in (one, other, mixture)]
        best = [
            i for i, value in enumerate(values) if value == max(v for v in values if v is not None)
        ]
        for i in best:
            shared[i] += Fraction(1, 2 * len(best))
            counted[i] += 1
    # However ties are counted, the mixture is ahead of both.
    assert (shared, counted) == ([Fraction(1, 4), Fraction(1, 4), HALF], [1, 1, 2])
    row = br.audit("ppv", order="probability_best")
    assert row["axiom_3_upper"]
    assert (
        row["proof"]
        .sel(test="axiom_3_upper")
        .item()
        .startswith("where the score is defined with probability 1,")
    )


def test_a_mixture_can_be_best_of_two_where_its_parts_are_not_on_the_board():
    """A and B are each probably worse than C, and their even mixture is probably better."""
    part, rival = (0, 1), (1, 3)
    assert (
        br.theory.exact_superiority(part, rival)
        < HALF
        < br.theory.exact_superiority([part, part], rival)
    )
    proof = br.audit("tpr", 0.5, order="probability_best")["proof"].sel(test="axiom_3_upper").item()
    assert "on a board with them" in proof


def test_without_a_prior_right_answers_need_not_show_in_p_best():
    """Rates of 0 and 1 are then certain, and certain rates can tie."""
    counts = br.from_counts(
        tp=[3, 3, 1, 0], fn=[0, 0, 2, 3], tn=[1] * 4, fp=[1] * 4, entity=list("ABCD")
    )
    posterior = br.fit(counts, "beta_binomial", prior="haldane", seed=1, force=True)
    for method in ("draws", "exact"):
        found = br.credible_ranking(posterior, "tpr", method=method)
        assert found["probability_best"].sel(entity=list("ABCD")).values.tolist() == [
            0.5,
            0.5,
            0,
            0,
        ]


def test_an_entity_without_an_observed_score_is_last_in_the_predictive_order():
    """So a mixture with it can be ahead of both parts: axiom 3 holds among entities with an observed score only."""
    never, poor = (
        [Fraction(n + 1) for n in cells] for cells in ((30, 0, 5, 0), (18, 12, 4, 1))
    )  # tn, fp, fn, tp
    means = [[cell / sum(cells) for cell in cells] for cells in (never, poor)]
    mixture = [(one + other) / 2 for one, other in zip(*means, strict=True)]
    values = [tp / (tp + fp) for _, fp, _, tp in (*means, mixture)]
    assert values[0] == HALF
    assert values[1] == Fraction(2, 15) < values[2]
    tn, fp, fn, tp = ([int(cells[i]) - 1 for cells in (never, poor)] for i in range(4))
    counts = br.from_counts(tn=tn, fp=fp, fn=fn, tp=tp, entity=["never", "poor"])
    how = {"method": "exact", "prior": "uniform", "order": "predictive"}
    ranking = br.credible_ranking(counts, "ppv", model="dirichlet_multinomial", **how)
    np.testing.assert_allclose(ranking["predictive"], [float(value) for value in values[:2]])
    assert ranking["predictive_rank"].values.tolist() == [2, 1]


@pytest.mark.parametrize("order", ["consensus", "predictive"])
@pytest.mark.parametrize("score", ["positive_likelihood_ratio", "diagnostic_odds_ratio"])
def test_an_infinite_observed_ratio_is_an_observed_one(order, score):
    """Z has no false positives, Y no positive calls."""
    counts = br.from_counts(
        tn=[700, 690, 800, 800],
        fp=[100, 110, 0, 0],
        fn=[9, 9, 9, 100],
        tp=[91, 91, 91, 0],
        entity=list("ABZY"),
    )
    posterior = br.fit(counts, seed=1)
    ranking = br.credible_ranking(posterior, score, order=order)
    assert ranking["observed"].isnull().values.tolist() == [False, False, True, True]
    assert ranking["unobserved"].values.tolist() == [False, False, False, True]
    assert br.verdict(ranking)[0].startswith("Z is ahead")  # Y is not ruled out
    listed = ranking[f"{order}_position"].values.tolist()
    assert (listed[2], listed[3]) == (1, 4)
    assert any("those without an observed score last" in note for note in br.notes(ranking))
    without = leave_out_entities(posterior, score, order=order)
    assert without["position"].sel(left_out="A").values.tolist()[1:] == [2, 1, 3]
    without_z = br.fit(counts.sel(entity=["A", "B", "Y"]), seed=1)
    assert br.verdict(br.credible_ranking(without_z, score, order=order))[0].startswith(
        "A is ahead"
    )


def test_further_cases_are_planned_beside_an_infinite_score():
    log_odds = br.scores.Score(
        "log odds", lambda tn, fp, fn, tp: np.log(tp / fp), range=(-np.inf, np.inf)
    )
    counts = br.from_counts(
        tn=[40, 42, 50], fp=[10, 8, 0], fn=[9] * 3, tp=[91] * 3, entity=list("ABZ")
    )
    ranking = br.credible_ranking(br.fit(counts, seed=1), log_odds)
    assert not ranking["unobserved"].any()
    assert ranking["overestimate"].notnull().all()
    assert ranking.attrs["separation"] or ranking.attrs["headline"] == "best"
    # A logarithm is infinite where its score is 0.
    counts = br.from_counts(tp=[100, 70], fp=[5, 30], fn=[0, 30], tn=[95, 70], entity=["P", "A"])
    said = [
        br.verdict(br.credible_ranking(br.fit(counts, seed=1), score))[0]
        for score in ("negative_likelihood_ratio", "log_negative_likelihood_ratio")
    ]
    assert said == ["P is best: P(best) > 0.999."] * 2
    # Where no entity has an observed score, none is marked.
    counts = br.from_counts(tn=[50, 50], fp=[0, 0], fn=[30, 50], tp=[0, 0], entity=list("AB"))
    assert not br.credible_ranking(br.fit(counts, seed=1), "ppv")["unobserved"].any()


@pytest.mark.parametrize("order", ["consensus", "predictive"])
def test_an_entity_that_the_prior_alone_makes_best_leads_with_a_cap(order):
    """Z has no positive calls: a strong prior puts its precision near 1."""
    counts = br.from_counts(
        tn=[7000, 7000, 4000, 8000], fp=[1000, 1000, 4000, 0], fn=[90, 90, 90, 1000], tp=[910, 910, 910, 0],
        entity=list("ABCZ"),
    )  # fmt: skip
    posterior = br.fit(counts, prior=[[1.0, 1e-3], [1.0, 99.0]], seed=1)
    ranking = br.credible_ranking(posterior, "ppv", order=order)
    assert ranking["superiority"].sel(entity="Z", rival="A") == 1
    assert ranking[["rank_lower", "rank_upper"]].sel(entity="Z").to_array().values.tolist() == [
        1,
        1,
    ]
    assert ranking["tier"].values.tolist() == [2, 2, 3, 1]
    said = br.verdict(ranking)
    assert (
        said[0]
        == "Z is ahead (over 99.9% chance of being best), but the observed precision (PPV) of Z is undefined."
    )
    assert ranking.attrs["headline"] == "leads"
    named = [
        note
        for note in br.notes(ranking)
        if "posterior mean performance, those without an observed" in note
    ]
    assert len(named) == (order == "predictive")
    top = br.top_set(posterior, "ppv", 1)
    for name in ("rank_lower", "rank_upper"):
        assert top[name].values.tolist() == ranking[name].values.tolist()


def test_a_constant_classifier_is_ruled_out_though_its_mcc_is_undefined():
    """Its posterior is near 0, whatever the prior: a rare call changes MCC little."""
    counts = br.from_counts(
        tn=[200, 190, 0], fp=[12, 22, 212], fn=[10, 20, 0], tp=[347, 337, 357], entity=list("abz")
    )
    ranking = br.credible_ranking(br.fit(counts, seed=1), "mcc")
    assert ranking["unobserved"].values.tolist() == [False, False, True]
    assert ranking["rank_lower"].sel(entity="z") == 3


def test_identical_entities_share_the_first_tier_and_stay_together_without_a_leader():
    counts = br.from_counts(
        tn=[795, 700, 700], fp=[5, 100, 100], fn=[9] * 3, tp=[91] * 3, entity=list("LAB")
    )
    posterior = br.fit(counts, seed=1)
    assert br.credible_ranking(posterior, "dor")["tier"].values.tolist() == [1, 2, 2]
    without = leave_out_entities(posterior, "dor")["tier"].sel(left_out="L")
    assert without.values.tolist()[1:] == [1, 1]
    # Without the only one that could be best, the best set is that of the others, by the same pairs.
    wide = br.from_counts(
        tn=[10**7, 450, 440], fp=[0, 150, 160], fn=[60, 30, 30], tp=[60, 20, 20], entity=list("UCB")
    )
    posterior = br.fit(wide, "beta_binomial", prevalence=0.5, seed=1)
    assert br.credible_ranking(posterior, "ppv")["tier"].values.tolist() == [1, 2, 2]
    without = leave_out_entities(posterior, "ppv")
    assert without["tier"].sel(left_out="U").values.tolist()[1:] == [1, 1]
    # An entity joins the first tier if only the omitted one was surely above.
    board = br.from_counts(
        tp=[800, 3, 980], fn=[200, 2, 20], tn=[100] * 3, fp=[10] * 3, entity=["A", "B", "C"]
    )
    posterior = br.fit(board, "beta_binomial", seed=1)
    assert br.credible_ranking(posterior, "tpr")["tier"].values.tolist() == [2, 1, 1]
    assert leave_out_entities(posterior, "tpr")["tier"].sel(left_out="C").values.tolist()[:2] == [
        1,
        1,
    ]


@pytest.mark.filterwarnings("ignore:overflow encountered in multiply")  # the variance of huge draws
def test_a_huge_predictive_value_decides_no_ties():
    counts = br.from_counts(
        tn=[70, 79, 80, 40],
        fp=[10, 1, 0, 40],
        fn=[9, 1, 5, 9],
        tp=[21, 29, 25, 21],
        entity=list("abzd"),
    )
    score, how = "positive_likelihood_ratio", {"model": "beta_binomial", "prior": 1e-9}
    drawn = br.credible_ranking(br.fit(counts, seed=1, **how), score, order="predictive")
    assert drawn["predictive"].sel(entity="z") > 1e10
    assert drawn["predictive_rank"].values.tolist() == [3, 2, 1, 4]
    exact = br.credible_ranking(counts, score, method="exact", order="predictive", **how)
    np.testing.assert_array_equal(drawn["predictive_rank"], exact["predictive_rank"])


def test_a_predictive_leader_may_beat_its_rival_with_probability_below_one_half():
    leader, rival = (0, 1), (5, 12)
    assert Fraction(1, 3) > Fraction(6, 19)  # the posterior means
    assert exact_superiority(leader, rival) < HALF
    counts = br.from_counts(tp=[0, 5], fn=[1, 12], tn=[9, 9], fp=[1, 1], entity=["leader", "rival"])
    for order in ("predictive", "consensus"):
        how = {"method": "exact", "model": "beta_binomial", "prior": "uniform"}
        ranking = br.credible_ranking(counts, "tpr", order=order, **how)
        assert br.verdict(ranking)[0].startswith(
            f"{'leader' if order == 'predictive' else 'rival'} is ahead"
        )
        named = [note for note in br.notes(ranking) if "posterior mean performance" in note]
        assert len(named) == (order == "predictive")


def test_how_deep_cycles_are():
    depths = [
        exact_superiority(*pair)
        for pair in pairwise([*posteriors.CYCLE.values(), posteriors.CYCLE["A"]])
    ]
    assert round(float(min(depths)), 6) == 0.500316
    assert round(gamma_cycle(1, 2), 6) == 0.500360
    assert round(gamma_cycle(1, 2.4), 6) == 0.500370
    assert round(gamma_cycle(0.5, 1.5), 5) == 0.50118
    # More cases come nearer to the limit, and other shapes are below it.
    assert gamma_cycle(1, 2, 31) < gamma_cycle(1, 2, 1e4) < gamma_cycle(1, 2)
    assert float(min(depths)) < gamma_cycle(1, 3, 50) < gamma_cycle(1, 2)
    rng = np.random.default_rng(2)
    for first, second, third in 1 + np.exp(rng.normal(1, 2, (300, 3))):
        assert gamma_cycle(first, second, third) < 0.5003697


def test_equal_cases_sort_by_right_answers_in_tpr_but_not_in_accuracy_at_a_known_prevalence():
    rows = [(3, 0, 50, 50), (0, 3, 52, 48)]  # tp, fn, tn, fp
    share = Fraction(3, 103)
    means = [
        share * Fraction(tp + 1, tp + fn + 2) + (1 - share) * Fraction(tn + 1, tn + fp + 2)
        for tp, fn, tn, fp in rows
    ]
    assert rows[0][0] + rows[0][2] > rows[1][0] + rows[1][2]
    assert means[0] < means[1]
    # Under a Dirichlet prior accuracy is Beta, and one case more is a posterior that dominates.
    assert Fraction(53 + 2, 107) > Fraction(52 + 2, 107)
    tn, fp, fn, tp = np.array([(tn, fp, fn, tp) for tp, fn, tn, fp in rows]).T
    counts = br.from_counts(tn=tn, fp=fp, fn=fn, tp=tp, entity=["more", "fewer"])
    how = {"method": "exact", "prior": "uniform", "order": "predictive"}
    found = br.credible_ranking(counts, "accuracy", model="beta_binomial", **how)
    np.testing.assert_allclose(
        found["predictive"].sel(entity=["more", "fewer"]), [float(x) for x in means]
    )
    assert found["superiority"].sel(entity="more", rival="fewer").item() < 0.5
    found = br.credible_ranking(counts, "accuracy", model="dirichlet_multinomial", **how)
    assert found["superiority"].sel(entity="more", rival="fewer").item() > 0.5


def test_where_one_posterior_dominates_no_order_reverses():
    """Boards with equal numbers of cases of A and B: no probability of A is below that of B, in fractions."""
    rng = np.random.default_rng(4)
    for _ in range(25):
        cases = int(rng.integers(1, 12))
        a, b = sorted(rng.integers(0, cases + 1, 2).tolist(), reverse=True)
        first, second = (a, cases - a), (b, cases - b)
        third = tuple(rng.integers(0, 9, 2).tolist())
        pair = exact_superiority(first, second)
        assert pair >= HALF
        assert exact_superiority(first, third) >= exact_superiority(second, third)
        assert exact_best([first, second, third], 0) >= exact_best([first, second, third], 1)


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
    for order, name in (
        ("expected_rank", "expected_rank"),
        ("probability_best", "probability_best"),
    ):
        row = br.audit("tpr", 0.5, order=order)
        table = row["counterexample"].sel(test="axiom_1", actual="positive").values
        counts = br.from_counts(
            tn=[1] * 3, fp=[1] * 3, fn=table[:, 0], tp=table[:, 1], entity=list("ABC")
        )
        sign = 1 if order == "expected_rank" else -1
        gaps = []
        for kept in ("AB", "ABC"):
            how = {"method": "exact", "model": "beta_binomial", "prior": "uniform"}
            ranking = br.credible_ranking(counts.sel(entity=list(kept)), "tpr", **how)
            a, b = (sign * ranking[name].sel(entity=one).item() for one in "AB")
            gaps.append(b - a)
        assert gaps[0] > 0 > gaps[1]


@pytest.mark.parametrize(
    ("prevalence", "mean"),
    [(Fraction(1), Fraction(7, 12)), (HALF, HALF), (Fraction(1, 4), Fraction(5, 12))],
)
def test_the_mean_of_a_curved_score_breaks_axiom_3_in_fractions(prevalence, mean):
    f1 = lambda tp, wrong: 2 * tp / (2 * tp + wrong)  # noqa: E731
    shares = (
        Fraction(k, 2) for k in range(3)
    )  # of right answers: the parts are independently 0 or 1
    worst, middle, best = (f1(prevalence * share, 1 - share) for share in shares)
    own, mixed = (worst + best) / 2, (worst + 2 * middle + best) / 4
    assert (own, mixed) == (HALF, mean)
    row = br.audit("f1", order="mean")
    assert not row["axiom_3_upper"]
    first, second = row["counterexample"].sel(test="axiom_3_upper").values[:2].reshape(2, 4)
    values = [br.scores.f1.of_cells(*cells) for cells in (first, second, (first + second) / 2)]
    assert values[2] > (values[0] + values[1]) / 2 + 1e-3


def test_the_mean_of_a_concave_or_convex_score_keeps_half_of_axiom_3():
    """2A / (1 + A) and A / (2 - A) are ranking scores of the accuracy A, concave and convex, in fractions."""
    rng = np.random.default_rng(5)
    for right, wrong, kept, broken in ((2, 1, "axiom_3_lower", "axiom_3_upper"), (1, 2, *MIXTURES)):

        def score(share, right=right, wrong=wrong):
            return right * share / (right * share + wrong * (1 - share))

        def mean(one, other, mixed):
            pairs = [(x, y) for x in one for y in other]
            return sum(score(mixed * x + (1 - mixed) * y) for x, y in pairs) / len(pairs)

        for _ in range(40):  # posteriors of three performances
            one, other = ([Fraction(int(k), 9) for k in rng.integers(0, 10, 3)] for _ in range(2))
            parts = [mean(one, other, mixed) for mixed in (1, 0)]
            between = mean(one, other, Fraction(int(rng.integers(1, 5)), 5))
            assert between <= max(parts) if kept == "axiom_3_upper" else between >= min(parts)
        ends = [Fraction(0), Fraction(1)]
        assert (mean(ends, ends, HALF) > HALF) == (broken == "axiom_3_upper")
        assert mean(ends, ends, HALF) != mean(ends, ends, 1) == HALF
        importance = br.importance(tn=right, fp=wrong, fn=wrong, tp=right)
        for prevalence in (None, 0.3):
            row = br.audit(importance, prevalence, order="mean")
            assert (bool(row[kept]), bool(row[broken])) == (True, False)
            shape = "concave" if kept == "axiom_3_lower" else "convex"
            assert f"{shape} or linear" in row["proof"].sel(test=kept).item()


@pytest.mark.parametrize(("score", "sign"), [("tpr", 1), ("fnr", -1)])
def test_the_medians_of_the_proof_are_those_of_the_counterexample(score, sign):
    row = br.audit(score, 0.3, order="median")
    assert row.attrs["rate"] == "tpr"
    for test, side in (("axiom_3_upper", sign), ("axiom_3_lower", -sign)):
        (wrong, right), *_, (wrong_c, right_c) = (
            row["counterexample"].sel(test=test, actual="positive").values
        )
        a, c = beta((right, wrong)), beta((right_c, wrong_c))
        share = [a.cdf(0.3), c.cdf(0.3)] if side > 0 else [a.sf(0.7), c.sf(0.7)]
        assert share == pytest.approx([0.51, 23589 / 50000])
        start = (
            "P(A < 3/10) = 51/100 > 1/2 > P(C < 3/10)"
            if side > 0
            else "P(A > 7/10) = 51/100 > 1/2 > P(C > 7/10)"
        )
        assert row["proof"].sel(test=test).item().startswith(start)


def test_a_score_that_breaks_an_axiom_breaks_it_in_every_order():
    for order in ORDERS:
        assert not br.audit("mcc", 0.3, order=order)["axiom_3_upper"]
        assert not br.audit("error_rate", order=order)["axiom_2"]


def test_rivals_that_share_their_cases_make_the_entity_with_fewer_right_answers_best():
    """A is right in 9 cases, B and C in 10 of which they share 9: dependent posteriors, so P(best) is another order."""

    def arrivals(rate, size):
        """Return the distribution of the arrivals of a unit process until an exponential time of this rate."""
        return [rate * (1 + rate) ** Fraction(-k - 1) for k in range(size)]

    def beats(rates):
        """Return the probability that the 9th arrival of A comes after successive times of these rates."""
        ways = [Fraction(1), *[Fraction(0)] * 8]
        for rate in map(Fraction, rates):
            steps = arrivals(rate, 9)
            ways = [sum(ways[i] * steps[k - i] for i in range(k + 1)) for k in range(9)]
        return sum(ways)

    # The weights of the Bayesian bootstrap are times of arrival. The 9 cases that B and C share come first, then the
    # other case of B; or the later of the other cases of B and C, the first of them at rate 2, the second at rate 1.
    first = beats([1] * 9 + [2, 1])
    assert beats([1] * 10) < HALF
    assert first == Fraction(468055253, 1289945088)
    assert first > (1 - first) / 2  # B and C are alike
    assert [round(float(x), 3) for x in (first, (1 - first) / 2)] == [0.363, 0.319]
    guesses = {
        "A": [1] * 9 + [0] * 11,
        "B": [0] * 9 + [1] * 10 + [0],
        "C": [0] * 9 + [1] * 9 + [0, 1],
    }
    cases = br.joint_outcomes(
        [1] * 20 + [0] * 4, {name: [*each, *[0] * 4] for name, each in guesses.items()}
    )
    posterior = br.fit(cases, "paired", prior="haldane", force=True, draws=5000, seed=1)
    best = br.credible_ranking(posterior, "tpr")["probability_best"]
    for name, exact in (("A", first), ("B", (1 - first) / 2), ("C", (1 - first) / 2)):
        assert best.sel(entity=name).item() == pytest.approx(
            float(exact), abs=4 * np.sqrt(0.25 / 20_000)
        )
    # Independent posteriors of the same counts follow the right answers.
    assert exact_best([(9, 11), (10, 10), (10, 10)], 0) < exact_best(
        [(9, 11), (10, 10), (10, 10)], 1
    )


@pytest.mark.parametrize("sd", [0.01, 0.1, 1.0, 10.0])
def test_a_population_reverses_two_entities_in_every_order(sd):
    """The page's shrunken A against a known B: 13/15 and 4/5 alone, 7/10 and 4/5 once C has joined with a known 0."""
    known = Fraction(4, 5)
    for mean, sign in ((Fraction(13, 15), 1), (Fraction(7, 10), -1)):
        beats = stats.norm.sf(float(known), float(mean), sd)
        joined = sign < 0
        behind_c = stats.norm.cdf(0, float(mean), sd) if joined else 0
        ranks = 2 - beats + behind_c, 1 + beats  # C never beats B
        assert sign * (mean - known) > 0  # predictive, mean and median
        assert sign * (beats - 0.5) > 0  # pairwise; P(best) of B is the rest
        assert sign * (ranks[1] - ranks[0]) > 0
        if joined:  # the consensus has A behind B in each of its least orders
            pairs = {"AB": beats, "AC": 1 - behind_c, "BC": 1.0}
            pairs |= {pair[::-1]: 1 - p for pair, p in pairs.items()}
            loss = {
                order: sum(pairs[y + x] for x, y in combinations(order, 2))
                for order in permutations("ABC")
            }
            least = min(loss.values())
            assert all(
                order.index("B") < order.index("A")
                for order in loss
                if loss[order] <= least + 1e-12
            )


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
    assert round(0.5 + (0.68 + 1.36 / 100) / 10, 3) == 0.569
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


def bends(importance, prevalence):
    """Return whether the mean of a score of an importance allows no gain, and no loss, in fractions.

    The score is N / D. Along a direction in which N changes by n and D by d, its second derivative has the sign of
    -d (n D - d N).
    """
    tn, fp, fn, tp = map(Fraction, importance)
    if prevalence is None:
        changes = [(tn - tp, tn - tp), (-tp, fp - tp), (-tp, fn - tp)]
        right, every = (tn + tp) / 4, (tn + fp + fn + tp) / 4
    else:
        changes = [
            (-(1 - prevalence) * tn, (1 - prevalence) * (fp - tn)),
            (prevalence * tp, prevalence * (tp - fn)),
        ]
        right, every = (
            ((1 - prevalence) * tn + prevalence * tp) / 2,
            sum([tn, fp]) * (1 - prevalence) / 2,
        )
        every += (fn + tp) * prevalence / 2
    if any(n * e != m * d for (n, d), (m, e) in combinations(changes, 2)):
        return False, False  # n and d are independent
    slope = next((n / d for n, d in changes if d), None)
    if slope is None:
        return True, True
    return right >= slope * every, right <= slope * every


@pytest.mark.slow
def test_the_mean_of_a_score_of_an_importance_is_decided_by_its_curvature():
    rng = np.random.default_rng(5)
    shares = None, Fraction(1, 5), Fraction(1, 2), Fraction(1, 20)
    cases = [(rng.integers(1, 4, 4).tolist(), shares[i % 4]) for i in range(16)]
    cases += [
        ([1, 20, 1, 1], Fraction(1, 5)),
        ([5, 10, 100, 2], Fraction(9, 10)),
        ([1, 300, 1, 1], Fraction(1, 50)),
    ]
    cases += [
        ([1000, 1, 0, 2], Fraction(1, 5)),
        ([1, 300, 400, 1], None),
        ([300, 1, 1, 400], None),
        ([1, 50, 60, 1], Fraction(1, 5)),
    ]
    cases += [
        (symmetric, share)
        for symmetric in ([1, 1, 1, 1], [2, 1, 1, 2], [1, 2, 2, 1])
        for share in shares[:2]
    ]
    seen = []
    for importance, prevalence in cases:
        score = br.importance(**dict(zip(("tn", "fp", "fn", "tp"), importance, strict=True)))
        row = br.audit(score, None if prevalence is None else float(prevalence), order="mean")
        found = row["axiom_3_upper"].item(), row["axiom_3_lower"].item()
        assert found == bends(importance, prevalence), (importance, prevalence)
        assert "as far as was found" not in "".join(row["proof"].values)
        seen.append(found)
    assert set(seen) == {(True, True), (True, False), (False, True), (False, False)}


def test_curvature_that_follows_from_an_importance_needs_no_example():
    """The search finds no mixture above the mean; of (1 - 5e-7, 0) and (1, 1 - 1e-5) in ROC space, it is by 6e-8."""
    row = br.audit(br.importance(tn=1, fp=1e10, fn=1, tp=1), 1e-6, order="mean")
    assert not row["axiom_3_upper"]
    assert not row["axiom_3_lower"]
    assert row["proof"].sel(test="axiom_3_upper").item().endswith("no example was found")


@pytest.mark.parametrize(
    ("importance", "prevalence"),
    [
        ((2, 1, 1, 1), 0.2),
        ((1, 10, 12, 1), None),
        ((1, 2, 2.1, 1), None),
        ((1, 1, 1, 1 + 1e-9), None),
        ((1, 5e-13, 1e-12, 1), None),
        ((1, 0, 1e-12, 1), None),
        ((1, 0, 1e-4, 1), 1e-9),
    ],
)
def test_the_counterexamples_of_the_mean_hold_in_fractions(importance, prevalence):
    """The two performances as the audit gives them, each with probability 1/2 for A and for B."""
    score = br.importance(**dict(zip(("tn", "fp", "fn", "tp"), importance, strict=True)))
    row = br.audit(score, prevalence, order="mean")
    weights = [Fraction(x) for x in importance]

    def value(cells):
        return (weights[0] * cells[0] + weights[3] * cells[3]) / sum(
            w * p for w, p in zip(weights, cells, strict=True)
        )

    for test, sign in (("axiom_3_upper", 1), ("axiom_3_lower", -1)):
        one, two, _ = row["counterexample"].sel(test=test).values.reshape(3, 4)
        one, two = ([Fraction(x) for x in part] for part in (one, two))
        halfway = [(x + y) / 2 for x, y in zip(one, two, strict=True)]
        assert sign * (value(halfway) - (value(one) + value(two)) / 2) > 0


@pytest.mark.slow
def test_a_linear_score_of_an_importance_keeps_the_mean_at_every_prevalence():
    """tn fn = tp fp and equal sums: the two products are equal but for their last bits."""
    for share in (1e-6, 0.1, 0.2, 0.3, 0.7, 0.99):
        for a in (1 - share, 0.3):
            row = br.audit((a, a), share, order="mean")
            assert row["axiom_3_upper"]
            assert row["axiom_3_lower"]
    for weights in (
        dict.fromkeys(("tn", "fp", "fn", "tp"), 3),
        {"tn": 0.3, "fp": 0.1 + 0.2, "fn": 0.3, "tp": 0.3},
    ):
        for share in (None, 0.1):
            row = br.audit(br.importance(**weights), share, order="mean")
            assert row["axiom_3_upper"]
            assert row["axiom_3_lower"]
    slightly_concave = br.audit(
        br.importance(tn=1 + 1e-6, fp=1, fn=1, tp=1 + 1e-6), 0.1, order="mean"
    )
    assert not slightly_concave["axiom_3_upper"]
    assert slightly_concave["axiom_3_lower"]


@pytest.mark.parametrize(
    "scale", [*(pytest.param(scale, marks=pytest.mark.slow) for scale in (1e160, 1e306)), 1e-165]
)
def test_only_ratios_of_importances_matter(scale):
    weights = {"tn": 20, "fp": 1, "fn": 1, "tp": 20}
    large = br.importance(**{cell: scale * weight for cell, weight in weights.items()})
    rows = [br.audit(one, 0.01, order="mean") for one in (br.importance(**weights), large)]
    assert rows[0]["axiom_3_lower"] == rows[1]["axiom_3_lower"]
    assert br.place(large) == br.place(br.importance(**weights)) == (0.5, 0.5)
    counts = br.from_counts(tn=[70, 75, 80], fp=[30, 25, 20], fn=[9, 19, 4], tp=[91, 81, 96])
    ranks = [
        br.credible_ranking(br.fit(counts, seed=1), one, order="predictive", method="exact")[
            "predictive_rank"
        ]
        for one in (br.importance(**weights), large)
    ]
    np.testing.assert_array_equal(*ranks)
    observed = [br.ranking_score(counts, one) for one in (br.importance(**weights), large)]
    np.testing.assert_allclose(*observed, rtol=1e-12)
    several = xr.concat([br.importance(**weights), large, large / scale / scale], "setting")
    np.testing.assert_allclose(
        br.ranking_score(counts, several).transpose("setting", ...), [observed[0]] * 3, rtol=1e-9
    )


def test_orders_that_use_no_rate_need_no_monotone_score():
    def constant(tn, fp, fn, tp):
        return 0 * tn + 0.5

    assert (
        br.audit(constant, order="predictive")["verdict"]
        .item()
        .endswith("all three axioms, as far as was found")
    )
    for function in (
        lambda tn, fp, fn, tp: (tp / (tp + fn)) ** 3,
        lambda tn, fp, fn, tp: 1 - (1 - tn / (tn + fp)) ** 3,
        lambda tn, fp, fn, tp: np.exp(40 * (tn + tp)),
    ):
        assert br.audit(function, order="median")["verdict"].item().endswith("breaks axiom 3")
    assert (
        br.audit("f1", 0.9999999, order="median")["verdict"]
        .item()
        .endswith("axiom 3 at prevalence 0.9999999")
    )


def test_the_counterexample_of_p_best_is_one_where_the_score_fails_too():
    """Of known performances the mixture has P(best) 0, and so has the worse part."""
    row = br.audit("mcc", 0.2, order="probability_best")
    assert not row["axiom_3_lower"]
    assert "P(A best) = P(B best) = 1/2" in row["proof"].sel(test="axiom_3_lower").item()
    assert "the score itself breaks it" in row["proof"].sel(test="axiom_3_upper").item()


def test_the_mean_of_a_function_is_searched_on_fine_lattices():
    def ripples(tn, fp, fn, tp):
        rate = tp / (tp + fn)
        return rate + 0.01 * np.sin(8 * np.pi * rate)

    row = br.audit(ripples, 0.5, order="mean")
    assert not row["axiom_3_upper"]
    assert not row["axiom_3_lower"]
    for score, prevalence in (("informedness", 0.3), ("balanced_accuracy", 0.7)):
        row = br.audit(score, prevalence, order="mean")
        assert (
            row["verdict"]
            .item()
            .endswith(f"satisfies all three axioms at prevalence {prevalence}, as far as was found")
        )


def test_p_best_of_a_function_can_prefer_a_mixture_that_ties_with_the_better_part():
    """Precision with 0 for 0/0: a mixture with a performance without positive calls ties with the other part."""

    def filled(tn, fp, fn, tp):
        return np.where(tp + fp > 0, tp / np.where(tp + fp > 0, tp + fp, 1), 0.0)

    row = br.audit(filled, 0.5, order="probability_best")
    assert not row["axiom_3_upper"]
    assert (
        "P(A best) = P(B best) = 7/24, P(mixture best) = 5/12"
        in row["proof"].sel(test="axiom_3_upper").item()
    )
    one, two, _ = row["counterexample"].sel(test="axiom_3_upper").values.reshape(3, 4)
    best = dict.fromkeys("ABM", Fraction(0))
    for a, b in product((one, two), repeat=2):
        values = dict(
            zip("ABM", (filled(*cells).item() for cells in (a, b, (a + b) / 2)), strict=True)
        )
        first = [name for name, value in values.items() if value == max(values.values())]
        for name in first:
            best[name] += Fraction(1, 4 * len(first))
    assert best == {"A": Fraction(7, 24), "B": Fraction(7, 24), "M": Fraction(5, 12)}
    proof = br.audit("ppv", 0.5, order="probability_best")["proof"].sel(test="axiom_3_upper").item()
    assert proof.endswith("it is best only where all tie")
    squared = br.audit(lambda tn, fp, fn, tp: (tn + tp) ** 2, 0.5, order="probability_best")
    assert (
        squared["proof"].sel(test="axiom_3_upper").item().endswith("all tie, as far as was found")
    )


def test_a_function_with_steps_has_no_counterexamples_of_posteriors():
    def turns(tn, fp, fn, tp):
        rate = tp / (tp + fn)
        return np.where(rate < 0.005, 1 - rate, rate)

    for function in (lambda tn, fp, fn, tp: np.round(tp / (tp + fn), 3), turns):
        with pytest.raises(ValueError, match="score must be strictly monotone in TPR or TNR"):
            br.audit(function, 0.5, order="pairwise")


def test_arguments():
    with pytest.raises(ValueError, match="must be one of"):
        br.audit("f1", order="mode")
    with pytest.raises(ValueError, match="order cannot be used"):
        br.audit("f1", order="median", operations="relabel")
    with pytest.raises(TypeError, match="must be a pair"):
        exact_superiority((1, 2, 3), (0, 1))
    with pytest.raises(ValueError, match="monotone in TPR or TNR"):
        br.audit(lambda tn, fp, fn, tp: 0 * tn + 0.5, order="median")


@pytest.mark.parametrize(("score", "prevalence"), [
    (lambda tn, fp, fn, tp: tp / (tp + fn) + tn / (tn + fp) - 1, 0.2),
    (lambda tn, fp, fn, tp: tn + tp - 0.7, 0.3), ("prevalence_index", 0.3), ("cohen_kappa", 2e-4),
], ids=["informedness", "accuracy", "prevalence index", "kappa"])  # fmt: skip
def test_two_values_that_are_0_up_to_rounding_are_no_counterexample(score, prevalence):
    """Both performances have the value 0, and with them their even mixture."""
    row = br.audit(score, prevalence, order="probability_best")
    assert row["axiom_3_upper"]
