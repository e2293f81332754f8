"""Several attempts at a case: pass@k and pass^k of runs, and who is best for how many attempts."""

import json
from functools import cache
from itertools import combinations, permutations, product
from math import comb, prod

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.source import groups_of, parse_source
from bayesrank.evidence.attempts import (
    Attempts,
    CaseRuns,
    RateMoments,
    describe_answers,
    share_of_majority,
)
from bayesrank.models.parts.attempts import AttemptsPosterior
from bayesrank.plots.attempts import _along, _ticks
from bayesrank.ranking.attempts import curve_where_runs
from bayesrank.scores.attempts import pass_at_k, pass_hat_k
from bayesrank.words.attempts import number_of_attempts, stretches
from tests.commands import invoke, refused

#: A solves each case sometimes; B solves 60% of the cases nearly always, and the others rarely.
STEADY, SPLIT = np.full(60, 0.55), np.where(np.arange(60) < 36, 0.95, 0.2)


def table(rates, runs, seed=1):
    """A row for each case and run, a column for each system."""
    rng, cases = np.random.default_rng(seed), len(next(iter(rates.values())))
    held = {"case": np.repeat(np.arange(cases), runs), "run": np.tile(np.arange(runs), cases)}
    return pd.DataFrame(
        held
        | {name: (rng.random((cases, runs)) < p[:, None]).ravel() * 1 for name, p in rates.items()}
    )


def evidence(frame, **roles):
    return br.from_outcomes(frame, case="case", run="run", **roles)


FRAME = table({"A": STEADY, "B": SPLIT}, 8)
POSTERIOR = br.fit(evidence(FRAME), seed=1, draws=500)
CURVE = br.scores.attempts_curve(POSTERIOR)


def right_runs(frame=FRAME, names=("A", "B")):
    return frame.groupby("case")[list(names)].sum().to_numpy()


# ---- estimates


@pytest.mark.parametrize("n", range(1, 13))
def test_estimates_equal_enumeration_of_all_draws_of_k_runs(n):
    for c in range(n + 1):
        runs = [1] * c + [0] * (n - c)
        for k in range(1, n + 1):
            drawn = list(combinations(runs, k))
            anyone, everyone = (np.mean([test(one) for one in drawn]) for test in (any, all))
            made = np.array([c]), np.array([n])
            assert Attempts(k).estimate(*made) == pytest.approx([anyone], abs=1e-12)
            assert Attempts(k, True).estimate(*made) == pytest.approx([everyone], abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(5, 1), (20, 10), (200, 100)])
def test_one_success_has_the_estimator_of_humaneval(n, k):
    """The published product over the wrong runs; 1 where fewer than k are wrong."""
    c = np.arange(n + 1)
    published = [
        1 - prod(1 - k / i for i in range(n - right + 1, n + 1)) if n - right >= k else 1.0
        for right in c
    ]
    assert Attempts(k).estimate(c, np.full(n + 1, n)) == pytest.approx(published, abs=1e-12)


def test_one_of_two_and_two_of_four_differ():
    assert Attempts(2).estimate(np.array([1, 2]), np.array([2, 4])).tolist() == [1, 5 / 6]
    assert np.isnan(Attempts(3).estimate(np.array([1]), np.array([2]))).all()


def test_estimates_are_unbiased_for_every_success_rate():
    for p in (0.1, 0.5, 0.93):
        chance = np.array([1.0])
        for _ in range(7):  # binomial probabilities by Pascal's rule
            chance = np.convolve(chance, [1 - p, p])
        c, n = np.arange(8), np.full(8, 7)
        for k in range(1, 8):
            assert chance @ Attempts(k).estimate(c, n) == pytest.approx(1 - (1 - p) ** k, abs=1e-12)
            assert chance @ Attempts(k, True).estimate(c, n) == pytest.approx(p**k, abs=1e-12)


def test_with_equal_runs_both_are_ranking_scores_of_importance_one():
    right = right_runs()
    counts = np.stack([(right == c).sum(axis=0) for c in range(9)], axis=1)
    table = xr.DataArray(
        counts, {"entity": ["A", "B"], "outcome": np.arange(9) / 8}, ("entity", "outcome")
    )
    for score in (pass_at_k(4), pass_hat_k(4)):
        satisfaction = score.attempts.estimate(np.arange(9), np.full(9, 8))
        linear = br.scores.of_satisfaction(
            xr.DataArray(satisfaction, {"outcome": table["outcome"]}, ("outcome",))
        )
        observed = br.credible_ranking(POSTERIOR, score)["observed"]
        assert observed.values == pytest.approx(linear(table).values, abs=1e-12)


# ---- evidence


def test_evidence_keeps_the_runs_of_each_case():
    frame = FRAME.drop(FRAME.index[(FRAME["case"] < 10) & (FRAME["run"] > 4)])
    joint = evidence(frame)
    whole = joint["outcome"] * joint["runs"]
    assert np.allclose(whole, np.round(whole))
    assert (joint["count"] * (joint["runs"].isel(entity=0) == 5)).sum() == 10
    assert "runs" not in br.from_outcomes(FRAME[["A", "B"]])
    graded = FRAME.assign(A=FRAME["A"] / 2, B=FRAME["B"] * 0.7)
    assert "runs" not in evidence(graded)


def test_the_same_share_of_other_runs_is_another_outcome():
    frame = pd.DataFrame({"case": [1, 1, 2, 2, 2, 2, 3, 3, 3, 3], "run": [1, 2, *[1, 2, 3, 4] * 2]})
    frame["a"] = [1, 0, 1, 1, 0, 0, 1, 1, 1, 1]
    joint = evidence(frame)
    assert joint["outcome"].values.ravel().tolist() == [0.5, 0.5, 1.0]
    assert joint["runs"].values.ravel().tolist() == [2, 4, 4]
    posterior = br.fit(joint, seed=1)
    assert br.credible_ranking(posterior, "pass@2")["observed"].item() == pytest.approx(
        (1 + 5 / 6 + 1) / 3
    )


@pytest.mark.parametrize(("end", "word"), [(1, "success"), (0, "failure")])
def test_runs_that_stop_at_an_outcome_are_refused(end, word):
    rng, rows = np.random.default_rng(3), []
    for case in range(40):
        for run in range(8):
            right = int(rng.random() < 0.3)
            rows.append((case, run, right if end else 1 - right))
            if right:
                break
    frame = pd.DataFrame(rows, columns=["case", "run", "a"])
    with pytest.raises(br.ArgumentError, match=f"must not stop at the first {word}"):
        evidence(frame)
    # So many runs whatever comes of them are no stop, nor are lost runs.
    evidence(FRAME)
    evidence(
        FRAME.drop(FRAME.index[np.random.default_rng(1).random(len(FRAME)) < 0.2]), missing="own"
    )


def test_means_over_runs_that_stop_at_success_are_biased_as_the_refusal_says():
    """0.3 each, at most 8 runs: the mean of c/n is 0.51."""
    p, most = 0.3, 8
    mean = sum(p * (1 - p) ** (n - 1) / n for n in range(1, most + 1))
    assert mean == pytest.approx(0.51, abs=0.005)


def moments_of(rates, order):
    return RateMoments(np.mean(np.asarray(rates)[:, None] ** np.arange(order + 1), axis=0)[:, None])


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 1), (3, 2), (4, 3), (4, 4)])
def test_variance_within_and_between_cases_equals_enumeration_of_all_runs(n, k):
    rates = [0.0, 0.2, 0.7, 1.0]
    within = []
    for p in rates:
        runs = np.array(list(product([0, 1], repeat=n)))
        chance = np.prod(np.where(runs, p, 1 - p), axis=1)
        each = Attempts(k, True).estimate(runs.sum(axis=1), np.full(len(runs), n))
        within.append(chance @ each**2 - (chance @ each) ** 2)
    moments = moments_of(rates, 2 * k)  # all that matter are known
    assert moments.within(k, n) == pytest.approx([np.mean(within)], abs=1e-12)
    assert moments.between(k) == pytest.approx([np.var(np.array(rates) ** k)], abs=1e-12)


def test_moments_of_rates_are_unbiased_and_those_of_higher_orders_are_the_smallest():
    right, made = np.array([[0], [1], [3], [4]]), np.full((4, 1), 4)
    cases, count = CaseRuns(right, made), np.array([2.0, 1.0, 3.0, 4.0])
    for every, hits in ((True, right[:, 0]), (False, 4 - right[:, 0])):
        found = RateMoments.of(cases, count, every)
        shares = [Attempts(j, True).estimate(hits, made[:, 0]) for j in range(1, 5)]
        assert found.values[0] == 1
        assert found.values[1:, 0] == pytest.approx([share @ count / 10 for share in shares])
    rates = np.array([0.1, 0.4, 0.8])
    few, whole = moments_of(rates, 3), moments_of(rates, 8)
    for order in range(4, 9):
        assert few.order(order) <= whole.order(order)
    assert few.within(4, 6) >= whole.within(4, 6)
    one, same = np.full(3, 0.6), np.array([0.0, 1.0, 1.0])
    for held in (one, same):  # all cases alike, or none varies: the bound is exact
        assert moments_of(held, 2).order(6) == pytest.approx(np.mean(held**6))
    assert moments_of(np.zeros(2), 2).order(5) == 0


def test_with_one_run_nothing_is_known_of_the_variance_within_cases():
    frame = FRAME[FRAME["run"] == 0]
    held = AttemptsPosterior.of(parse_source(br.fit(evidence(frame), seed=1)), 1, "pass@1", True)
    assert held.narrowing(Attempts(1)) == pytest.approx([1, 1], abs=0.01)


def test_case_runs_count_cases_with_enough_runs_of_all_entities():
    runs = CaseRuns(np.array([[1, 1], [2, 0], [0, 0]]), np.array([[2, 4], [4, 0], [0, 0]]))
    assert [runs.enough_for(k).tolist() for k in (2, 3)] == [
        [True, True, False],
        [False, True, False],
    ]
    assert runs.most == 4
    assert runs.of(np.array([True, False, False])).runs.tolist() == [[2, 4]]
    assert [held.tolist() for held in runs.cells] == [[0, 1, 1, 2], [0, 2, 4, 4]]
    assert Attempts(1).of_cells(runs)[0].tolist() == [0.5, 0.25]


# ---- posterior


@cache
def many_draws():
    return br.fit(evidence(FRAME), seed=2, draws=10_000)


@pytest.mark.parametrize("score", ["pass@1", "pass@4", "pass^2", "pass^8"])
def test_draws_have_the_moments_of_the_dirichlet_process_and_its_spread(score):
    posterior = many_draws()
    drawn, one = br.scores.get(score)(posterior), br.scores.get(score).attempts
    each = one.estimate(right_runs(), np.full((60, 2), 8))
    total = 60 + 1
    mean = (each.sum(axis=0) + 0.5) / total
    square = ((each**2).sum(axis=0) + 0.5) / total
    spread = AttemptsPosterior.of(parse_source(posterior), one.k, score).spread(one)
    sd = spread * np.sqrt((square - mean**2) / (total + 1))
    assert drawn.mean(["chain", "draw"]).values == pytest.approx(mean, abs=5 * sd.max() / 200)
    assert drawn.std(["chain", "draw"]).values == pytest.approx(sd, rel=0.03)
    correlation = np.corrcoef(drawn.values.reshape(-1, 2).T)[0, 1]
    both = (each.prod(axis=1).sum() + 0.5 * 0.5) / total  # the prior's answers are independent
    wanted = (both - mean.prod()) / np.prod(np.sqrt(square - mean**2))
    assert correlation == pytest.approx(wanted, abs=0.03)


@pytest.mark.parametrize("score", ["pass@1", "pass@4", "pass^4", "pass^8"])
def test_spread_has_the_factor_of_few_cases_that_are_off_an_end(score):
    one = br.scores.get(score).attempts
    held = AttemptsPosterior.of(parse_source(POSTERIOR), one.k, score)
    each = one.estimate(right_runs(), np.full((60, 2), 8))
    effective = [(far.sum(axis=0) ** 2 / (far**2).sum(axis=0)) for far in (each, 1 - each)]
    freedom = np.clip(np.min(effective, axis=0) - 1, 30, 59)
    assert score != "pass@1" or freedom.max() > 40
    wanted = np.sqrt(61 / 59) * stats.t.ppf(0.975, freedom) / stats.norm.ppf(0.975)
    assert held.spread(one) == pytest.approx(wanted, rel=1e-9)


def test_a_single_case_leaves_the_whole_range():
    frame = FRAME[FRAME["case"] == FRAME["case"].iloc[0]]
    held = AttemptsPosterior.of(parse_source(br.fit(evidence(frame), seed=1)), 1, "pass@1")
    assert (held.spread(Attempts(1)) > 1000).all()


def test_order_and_names_of_cases_have_no_effect_and_other_scores_share_the_weights():
    moved = evidence(FRAME[["run", "B", "case", "A"]].sample(frac=1, random_state=1))
    other = br.fit(moved, seed=1, draws=500)
    for score in ("pass@4", "pass^4"):
        one, two = (br.credible_ranking(held, score) for held in (POSTERIOR, other))
        assert two.sel(entity=["A", "B"])["median"].values == pytest.approx(
            one["median"].values, abs=1e-12
        )
    again = br.credible_ranking(POSTERIOR, "pass@4")
    assert again.identical(br.credible_ranking(POSTERIOR, "pass@4"))


def test_one_attempt_is_the_mean_outcome():
    for score in ("pass@1", "pass^1"):
        ranking, mean = br.credible_ranking(POSTERIOR, score), br.credible_ranking(POSTERIOR)
        assert ranking["observed"].values == pytest.approx(mean["observed"].values)
        assert ranking["median"].values == pytest.approx(mean["median"].values, abs=0.01)
    plain = br.fit(br.from_outcomes(FRAME[["A", "B"]]), seed=1)  # one run of each case
    assert br.credible_ranking(plain, "pass@1")["observed"].values == pytest.approx(
        FRAME[["A", "B"]].mean()
    )


def test_the_prior_of_the_posterior_is_used():
    light = br.credible_ranking(br.fit(evidence(FRAME), seed=1, prior="haldane"), "pass@4")
    assert light["median"].values == pytest.approx(light["observed"].values, abs=0.005)
    heavy = br.credible_ranking(
        br.fit(evidence(FRAME), seed=1, base={0: 30.0, 0.5: 20.0, 1: 30.0}), "pass@4"
    )
    middle = Attempts(4).estimate(np.array([4]), np.array([8])).item()
    wanted = (60 * heavy["observed"] + 30 + 20 * middle) / 140
    assert heavy["median"].values == pytest.approx(wanted.values, abs=0.01)


def test_intervals_are_closed_where_all_cases_succeed():
    ranking = br.credible_ranking(POSTERIOR, "pass@8")
    assert ranking["observed"].sel(entity="A") == 1
    assert ranking["upper"].sel(entity="A") == 1
    assert 0.9 < ranking["lower"].sel(entity="A") < 1


def test_claims_use_the_spread_once():
    """The critical value of a pair is that of the t distribution, times the spread of unspread draws."""
    from bayesrank.ranking.aggregates import scored

    information = scored(POSTERIOR, "pass@4", None, None).information
    plain = scored(POSTERIOR, "mean_outcome", None, None).information
    held = AttemptsPosterior.of(parse_source(POSTERIOR), 4, "pass@4")
    spread = held.spread(Attempts(4))
    assert information.inflation == pytest.approx(plain.inflation / spread)
    assert information.inflation == pytest.approx(np.sqrt(61 / 59) / spread, rel=1e-6)


def test_scores_of_runs_need_runs():
    counts = br.fit(br.datasets.load("breast_cancer"), seed=1)
    with pytest.raises(br.ArgumentError, match="needs evidence with several runs of each case"):
        br.credible_ranking(counts, "pass@4")
    with pytest.raises(br.ArgumentError, match="no runs that are known"):
        br.credible_ranking(br.fit(evidence(FRAME), "dirichlet_multinomial", seed=1), "pass@2")
    with pytest.raises(br.ArgumentError, match="at most 8 attempts"):
        br.credible_ranking(POSTERIOR, "pass@9")
    seeds = br.fit(br.from_outcomes(FRAME, case="case", training_seed="run"), seed=1)
    with pytest.raises(br.ArgumentError, match="training seeds"):
        br.credible_ranking(seeds, "pass@2")
    with pytest.raises(br.ArgumentError, match="needs the runs of each case"):
        br.sensitivity(br.from_outcomes(FRAME[["A", "B"]]), score="pass@2", seed=1)
    one = FRAME.assign(B=FRAME["B"].where(FRAME["run"] < 2))
    with pytest.raises(br.ArgumentError, match="at most 2 attempts"):
        br.credible_ranking(br.fit(evidence(one, missing="own"), seed=1), "pass@3")


def test_entities_without_cases_of_so_many_runs_are_named():
    frame = FRAME.assign(
        B=FRAME["B"].where((FRAME["run"] < 2) & (FRAME["case"] < 20)), A=FRAME["A"].astype(float)
    )
    posterior = br.fit(evidence(frame, missing="own"), seed=1)
    with pytest.raises(br.ArgumentError, match="'B' has no case"):
        br.credible_ranking(posterior, "pass@4")


def test_names_and_aliases():
    for name in ("pass_at_4", "pass@4", "Pass@4", "pass at 4"):
        assert br.scores.get(name) == br.scores.pass_at_k(4) == br.scores.pass_at_4
    for name in ("pass_hat_4", "pass^4", "pass hat 4"):
        assert br.scores.get(name) == br.scores.pass_hat_k(4)
    assert br.scores.pass_at_k(4).space == "runs"
    for wrong in ("pass@k", "pass^k"):
        with pytest.raises(KeyError, match="a member of its family"):
            br.scores.get(wrong)
    for wrong in (0, 1.5, "4"):
        with pytest.raises((ValueError, TypeError)):
            br.scores.pass_at_k(wrong)


# ---- everything that takes a score


def test_scores_of_runs_can_be_used_wherever_a_score_can():
    drawn = br.scores.pass_at_4(POSTERIOR)
    assert drawn.dims == ("chain", "draw", "entity")
    assert br.rank(POSTERIOR, "pass@4").mean(["chain", "draw"]).values == pytest.approx(
        [1, 2], abs=0.01
    )
    both = br.score_table(POSTERIOR, ["mean_outcome", "pass@4", "pass^4"])
    for i, score in enumerate(("mean_outcome", "pass@4", "pass^4")):
        ranking = br.credible_ranking(POSTERIOR, score)
        for name in ("median", "lower", "upper", "observed"):
            assert both[name].isel(score=i).values == pytest.approx(ranking[name].values), (
                score,
                name,
            )
    assert br.probability(POSTERIOR, "A > B", "pass@4")["probability"] > 0.99
    assert br.top_set(POSTERIOR, "pass^4", 1)["in_confidence_set"].values.tolist() == [False, True]
    gate = br.decisions.gate(POSTERIOR, "A", "pass@4")
    assert gate["verdict"].sel(entity="B").item() == "worse"
    assert (
        br.decisions.gate(POSTERIOR, "A", "pass@4", looks="any")["verdict"].sel(entity="B").item()
        == "worse"
    )
    assert br.plan(POSTERIOR, "pass@1", seed=1)["needed"] > 60
    assert "pass@4" in br.ranking_report(POSTERIOR, "pass@4")
    found = br.sensitivity(evidence(FRAME), score="pass@4", seed=1, draws=200)
    assert bool(found["survives"].all())


def test_data_sets_clusters_and_weights():
    joint = evidence(FRAME, dataset=np.where(FRAME["case"] % 2, "odd", "even"))
    posterior = br.fit(joint, seed=1, draws=200)
    apart = br.credible_ranking(posterior, "pass@4")
    each = Attempts(4).estimate(right_runs(), np.full((60, 2), 8))
    names = apart["dataset"].values.tolist()
    wanted = np.stack([each[int(name == "odd") :: 2].mean(axis=0) for name in names], axis=1)
    assert apart["observed"].transpose("entity", "dataset").values == pytest.approx(wanted)
    over = br.credible_ranking(posterior, "pass@4", over="dataset")
    assert over["observed"].values == pytest.approx(each.mean(axis=0))
    with pytest.raises(br.ArgumentError, match="one data set"):
        br.scores.attempts_curve(posterior)
    clustered = br.fit(evidence(FRAME, cluster=FRAME["case"] // 3), seed=1, draws=200)
    ranking = br.credible_ranking(clustered, "pass@4")
    assert ranking["observed"].values == pytest.approx(each.mean(axis=0))
    weight = 1.0 + FRAME["case"] % 3
    weighted = br.credible_ranking(
        br.fit(evidence(FRAME, weight=weight), seed=1, draws=200), "pass@4"
    )
    assert weighted["observed"].values == pytest.approx(
        np.average(each, axis=0, weights=1 + np.arange(60) % 3)
    )


def test_cases_with_few_runs_are_left_out_and_counted():
    frame = FRAME.drop(FRAME.index[(FRAME["case"] < 10) & (FRAME["run"] > 4)])
    posterior = br.fit(evidence(frame), seed=1, draws=200)
    ranking = br.credible_ranking(posterior, "pass@6")
    assert ranking["cases"].values.tolist() == [50, 50]
    assert any(note.startswith("50 of 60 cases have at least 6 runs") for note in br.notes(ranking))
    each = Attempts(6).estimate(right_runs()[10:], np.full((50, 2), 8))
    assert ranking["observed"].values == pytest.approx(each.mean(axis=0))
    assert br.scores.attempts_curve(posterior).sizes["attempts"] == 5  # keeps all cases
    curve = br.scores.attempts_curve(posterior, 8)
    assert (curve.attrs["cases"], curve.attrs["cases_left_out"]) == (50, 10)
    one = (
        curve["observed"].sel(event="any", attempts=1).values
    )  # the same cases for all numbers of attempts
    assert one == pytest.approx(right_runs()[10:].mean(axis=0) / 8)


# ---- the curve


def test_the_curve_has_the_numbers_of_the_rankings():
    for event, mark in (("any", "@"), ("all", "^")):
        for k in (1, 4, 8):
            ranking, place = (
                br.credible_ranking(POSTERIOR, f"pass{mark}{k}"),
                CURVE.sel(event=event, attempts=k),
            )
            for name in ("observed", "median", "probability_best"):
                assert place[name].values == pytest.approx(ranking[name].values, abs=1e-12), (
                    event,
                    k,
                    name,
                )
            # What holds for all numbers of attempts is no sharper than what holds for one, and bands are no narrower.
            assert (place["in_best_set"] | ~ranking["in_best_set"]).all()
            assert (place["lower"] <= ranking["lower"] + 1e-3).all()
            assert (place["upper"] >= ranking["upper"] - 1e-3).all()


def test_bands_hold_whole_curves_of_draws():
    held = AttemptsPosterior.of(parse_source(POSTERIOR), 8, "curve")
    places = [Attempts(k) for k in range(1, 9)] + [Attempts(k, True) for k in range(2, 9)]
    drawn = held.draws(places).reshape(len(places), -1, 2)
    band = [
        np.concatenate(
            [CURVE[end].sel(event="any").values, CURVE[end].sel(event="all").values[1:]]
        )[:, None]
        for end in ("lower", "upper")
    ]
    inside = ((band[0] <= drawn + 1e-12) & (drawn <= band[1] + 1e-12)).all(axis=0).mean(axis=0)
    assert (inside >= 0.949).all()
    assert (inside <= 0.98).all()


def test_systems_cross():
    """By the mean and by pass^4 B is ahead, by pass@4 A."""
    assert CURVE["leader"].sel(event="any", attempts=[1, 4]).values.tolist() == ["B", "A"]
    assert CURVE["headline"].sel(event="any", attempts=[1, 4]).values.tolist() == ["leads", "best"]
    assert CURVE["leader"].sel(event="all", attempts=4).item() == "B"
    assert CURVE["crosses"].values.tolist() == [[False, True], [True, False]]
    assert CURVE["surely_above"].sel(event="any", attempts=4, entity="A", rival="B")
    assert CURVE["surely_above"].sel(event="all", attempts=4, entity="B", rival="A")
    said = br.verdict(CURVE)
    assert said[0].startswith("On cases like these, by one attempt B leads; by ")
    assert "by 3 to 6 attempts A is best (P" in said[0]
    assert said[1].startswith("If all attempts must succeed, for 2 to 8 attempts B is best (P")
    assert "1 pair surely changes its order" in br.notes(CURVE)[1]


def test_of_these_cases_only_the_runs_vary():
    """The spread is that of independent runs, whose variance within each case is known here."""
    frame = table({"half": np.full(200, 0.5), "sure": np.repeat([1.0, 0.0], 100)}, 8, seed=2)
    posterior = br.fit(evidence(frame), seed=1)
    held = AttemptsPosterior.of(parse_source(posterior), 1, "curve", True)
    drawn = held.draws([Attempts(1)])[0].reshape(-1, 2)
    prior = 0.5 / 201**2  # the prior's case counts as one that flips
    wanted = np.sqrt([0.25 / 8 / 200, prior / 2])
    assert drawn.std(axis=0) == pytest.approx(wanted, rel=0.08)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.06
    these, like = (
        br.scores.attempts_curve(posterior, 4, cases=cases) for cases in ("these", "like these")
    )
    narrow, wide = ((held["upper"] - held["lower"]).sel(entity="sure") for held in (these, like))
    assert (narrow < wide / 4).all()
    assert these["observed"].equals(like["observed"])
    assert br.verdict(these)[0].startswith("On these cases, by ")
    assert br.notes(these)[0].startswith(
        "The scores are probabilities for these cases, of which only the runs vary"
    )
    assert these.attrs["population"] == "these_cases"
    with pytest.raises(br.ArgumentError, match="cases"):
        br.scores.attempts_curve(posterior, cases="new")
    pairs = br.fit(evidence(frame, cluster=frame["case"] // 7), target="cluster", seed=1)
    with pytest.raises(br.ArgumentError, match="equal weights"):
        br.scores.attempts_curve(pairs, cases="these")


def test_rankings_can_be_of_these_cases():
    """The interval is that of independent runs: 200 cases of rate 1/2 with 8 runs each."""
    frame = table({"half": np.full(200, 0.5), "sure": np.repeat([0.9, 0.1], 100)}, 8, seed=2)
    posterior = br.fit(evidence(frame), seed=1)
    like, these = (
        br.credible_ranking(posterior, br.scores.pass_at_k(1, cases=cases))
        for cases in ("like these", "these")
    )
    width = {
        name: (held["upper"] - held["lower"]).to_series()
        for name, held in (("like", like), ("these", these))
    }
    assert width["these"]["half"] == pytest.approx(3.92 * np.sqrt(0.25 / 8 / 200), rel=0.15)
    assert width["these"]["sure"] == pytest.approx(3.92 * np.sqrt(0.09 / 8 / 200), rel=0.15)
    assert width["like"]["sure"] > 2.5 * width["these"]["sure"]
    assert these["observed"].equals(like["observed"])
    assert these.attrs["population"] == "these_cases"
    assert "on these cases" in br.verdict(these)[0]
    assert "More runs of these cases would help." in br.verdict(these)
    assert "cases" not in br.verdict(these)[1]
    assert "Only their runs vary" in " ".join(br.notes(these))
    for name in ("pass@4 of these cases", "pass_hat_4_of_these_cases"):
        score = br.scores.get(name)
        assert score.attempts.these
        assert br.scores.get(score.name) == score
    assert br.scores.get("pass@4") != br.scores.get("pass@4 of these cases")
    with pytest.raises(br.ArgumentError, match=r"br\.cases\.reliability"):
        br.plan(posterior, "pass@1 of these cases")
    # Runs are independent, whichever cluster their case belongs to.
    together = br.fit(evidence(frame, cluster=frame["case"] // 20), seed=1)
    clustered = br.credible_ranking(together, "pass@1 of these cases")
    np.testing.assert_allclose(
        (clustered["upper"] - clustered["lower"]).values, width["these"].values, rtol=0.08
    )
    assert "cluster" not in " ".join([*br.verdict(clustered), *br.notes(clustered)])
    several = br.fit(evidence(frame, dataset=np.where(frame["case"] < 100, "x", "y")), seed=1)
    with pytest.raises(br.ArgumentError, match="'like these' for several data sets"):
        br.credible_ranking(several, "pass@1 of these cases")
    with pytest.raises(br.ArgumentError, match="cases must be"):
        br.scores.pass_hat_k(2, cases="all")


def test_few_cases_off_the_end_leave_intervals_as_wide_as_for_cases_like_these():
    """Of 100 cases, one never succeeds and 20 fail once of 16: the effective number off the end is barely above 1."""
    rates = np.concatenate([[0.0], np.full(20, 15 / 16), np.ones(79)])
    right = np.round(rates * 16).astype(int)
    rows = [
        (case, run, int((run + case) % 16 < n))
        for case, n in enumerate(right.tolist())
        for run in range(16)
    ]
    frame = pd.DataFrame(rows, columns=["case", "run", "A"])
    held = AttemptsPosterior.of(parse_source(br.fit(evidence(frame), seed=1)), 16, "x", True)
    off = 1 - Attempts(8).of_each_cell(held.used)
    number = held.used.numbers(held.evidence.count)[:, 0]
    assert (number @ off) ** 2 / (number @ off**2) == pytest.approx(1.0)
    assert held.narrowing(Attempts(8)) == pytest.approx(1.0)
    assert held.narrowing(Attempts(1, True))[0] < 1.0


def test_identical_systems_share_the_first_place_everywhere():
    frame = table({"a": SPLIT}, 4).assign(b=lambda held: held["a"])
    curve = br.scores.attempts_curve(br.fit(evidence(frame), seed=1))
    assert (curve["probability_best"] == 0.5).all()
    assert curve["in_best_set"].all()
    assert not curve["surely_above"].any()


def test_a_better_system_is_best_at_every_number_of_attempts_and_one_system_has_no_rival():
    frame = table({"good": np.full(80, 0.9), "bad": np.full(80, 0.3), "worse": np.full(80, 0.1)}, 3)
    curve = br.scores.attempts_curve(br.fit(evidence(frame), seed=1))
    assert (curve["leader"] == "good").all()
    assert (curve["headline"] == "best").all()
    assert (
        br.verdict(curve)[0] == "On cases like these, by 1 to 3 attempts good is best (P > 0.999)."
    )
    alone = br.scores.attempts_curve(br.fit(evidence(frame[["case", "run", "good"]]), seed=1))
    assert (alone["headline"] == "none").all()
    assert br.verdict(alone)[0].startswith(
        "Nothing to rank: good is the only entity. It has pass@1 0.9"
    )


def test_few_cases_allow_no_claim():
    frame = table({"good": np.full(4, 0.95), "bad": np.full(4, 0.05)}, 6)
    curve = br.scores.attempts_curve(br.fit(evidence(frame), seed=1))
    assert curve["in_best_set"].all()
    assert "best" not in curve["headline"]
    few = br.fit(evidence(frame), seed=1, draws=5, chains=1)
    with pytest.raises(br.ArgumentError, match="at least 20 draws"):
        br.scores.attempts_curve(few)


def test_arguments_of_the_curve():
    with pytest.raises(br.ArgumentError, match="at most 8"):
        br.scores.attempts_curve(POSTERIOR, 9)
    for wrong in ({"k": 0}, {"prob": 1.0}):
        with pytest.raises((ValueError, TypeError)):
            br.scores.attempts_curve(POSTERIOR, **wrong)
    short = br.scores.attempts_curve(POSTERIOR, 3)
    assert short["observed"].values == pytest.approx(
        CURVE["observed"].sel(attempts=[1, 2, 3]).values
    )
    wide = br.scores.attempts_curve(POSTERIOR, prob=0.5)
    assert (wide["lower"] >= CURVE["lower"]).all()
    assert (
        curve_where_runs(br.fit(br.from_outcomes(FRAME[["A", "B"]]), seed=1, draws=100), 0.95)
        is None
    )
    assert curve_where_runs(POSTERIOR, 0.95).identical(CURVE)
    assert curve_where_runs(CURVE["observed"], 0.95) is None


def test_the_curve_survives_a_file(tmp_path):
    path = tmp_path / "curve.nc"
    CURVE.assign(leader=CURVE["leader"].astype(str)).to_netcdf(path)
    assert br.verdict(xr.load_dataset(path)) == br.verdict(CURVE)
    held = {name: group.load() for name, group in groups_of(POSTERIOR).items()}
    tree = xr.DataTree.from_dict(held)
    tree.to_netcdf(tmp_path / "posterior.nc", engine="h5netcdf")
    again = xr.open_datatree(tmp_path / "posterior.nc", engine="h5netcdf")
    assert br.credible_ranking(again, "pass@4")["median"].values == pytest.approx(
        br.credible_ranking(POSTERIOR, "pass@4")["median"].values
    )


# ---- words, pictures, pages and the command


def test_stretches_in_words():
    found = stretches(CURVE, "any")
    assert [(one.first, one.last, one.leader, one.headline) for one in found] == [
        (1, 1, "B", "leads"), (2, 2, "A", "leads"), (3, 6, "A", "best"), (7, 8, "A", "leads"),
    ]  # fmt: skip
    assert stretches(CURVE, "all")[0].first == 2
    assert number_of_attempts(4, 4) == "four attempts"
    assert number_of_attempts(1, 1) == "one attempt"
    assert number_of_attempts(14, 14) == "14 attempts"
    assert number_of_attempts(2, 8) == "2 to 8 attempts"


def test_the_picture_shows_curves_and_who_is_best():
    figure, ax = plt.subplots()
    assert br.plots.attempts(CURVE, ax) is ax
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert lines["A"].get_xdata().tolist() == list(range(-7, 8))
    wanted = [
        *CURVE["median"].sel(entity="A", event="all").values[:0:-1],
        *CURVE["median"].sel(entity="A", event="any"),
    ]
    assert lines["A"].get_ydata() == pytest.approx(np.array(wanted, float))
    [strip] = ax.child_axes
    said = [text.get_text() for text in strip.texts]
    assert said[:7] == ["★"] * 7
    assert said[7].startswith(".9")
    assert _along(CURVE).sizes["attempts"] == 15
    assert [_ticks(most) for most in (1, 2, 3)] == [[0], [-1, 0, 1], [-2, -1, 0, 1, 2]]
    assert _ticks(17)[-3:] == [12, 14, 16]
    plt.close(figure)
    with pytest.raises(br.ArgumentError, match="attempts_curve"):
        br.plots.attempts(br.credible_ranking(POSTERIOR, "pass@4"))


def test_report_has_the_curve_wherever_there_are_runs():
    page = br.ranking_report(POSTERIOR)
    assert "Several attempts" in page
    assert "Cases that flicker: " in page
    assert "On cases like these, by one attempt B leads" in page
    page = br.ranking_report(POSTERIOR, "pass@4")
    assert "pass@4, the mean over cases of 1 - C(n - c, 4) / C(n, 4), for c right of n runs" in page
    plain = br.ranking_report(br.fit(br.from_outcomes(FRAME[["A", "B"]]), seed=1, draws=100))
    assert "Several attempts" not in plain


def test_the_command_ranks_by_attempts(tmp_path):
    path = tmp_path / "runs.csv"
    FRAME.melt(["case", "run"], var_name="agent", value_name="correct").to_csv(path, index=False)
    lines = invoke("rank", path, "--score", "pass@4")
    assert "Ranking of 2 agents by pass@4." in lines
    assert "A is best on cases like these: P(best) > 0.999." in lines
    assert "On cases like these, by one attempt B leads" in invoke("rank", path, "--draws", "500")
    held = json.loads(invoke("rank", path, "--draws", "500", "--format", "json"))
    assert held["attempts"] == br.verdict(CURVE)
    assert "Cases that flicker: " in invoke("rank", path, "--notes", "--draws", "100")
    assert "at most 8 attempts" in refused("rank", path, "--score", "pass@9")
    of_these = invoke("rank", path, "--score", "pass@4 of these cases")
    assert "A is best on these cases: P(best) > 0.999." in of_these
    assert "On these cases, by one attempt B " in of_these


# ---- reliability


def test_reliability_splits_the_spread_and_lists_the_cases_that_flicker():
    found = br.cases.reliability(POSTERIOR)
    p, n = right_runs() / 8, 8
    within = p * (1 - p) * n / (n - 1)
    between = (p * (p * n - 1) / (n - 1)).mean(axis=0) - p.mean(axis=0) ** 2
    assert found["between_runs"].values == pytest.approx(np.sqrt(within.mean(axis=0)), abs=1e-12)
    assert found["between_cases"].values == pytest.approx(
        np.sqrt(np.maximum(between, 0)), abs=1e-12
    )
    parts = br.cases.variance_components(FRAME, case="case", run="run")
    assert found["between_runs"].values == pytest.approx(np.sqrt(parts["between_runs"].values))
    flickers = (right_runs() > 0) & (right_runs() < 8)
    assert found["flickering"].values.tolist() == flickers.sum(axis=0).tolist()
    assert sorted(found["case"].values, key=int) == [
        str(i) for i in np.flatnonzero(flickers.any(axis=1))
    ]
    assert found["right"].sel(case="7").values.tolist() == right_runs()[7].tolist()
    assert (found["runs"] == 8).all()
    both = ((found["right"] > 0) & (found["right"] < 8)).sum("entity").values
    assert (np.diff(both) <= 0).all()


@pytest.mark.parametrize(
    ("score", "k", "every"), [("pass@1", 1, False), ("pass^3", 3, True), ("pass@4", 4, False)]
)
def test_plans_in_runs_and_cases_follow_from_the_variance_of_the_difference(score, k, every):
    found = br.cases.reliability(
        POSTERIOR, score, entity="B", rival="A", difference=0.1, assurance=0.9
    )
    x, n = (right_runs() if every else 8 - right_runs()), np.full((60, 2), 8)
    z = 1.959964 + 1.281552

    def moment(order):
        return Attempts(order, True).estimate(x, n).mean(axis=0)

    for runs in (4, 8, 64):
        common = [prod_of(k, j, runs) for j in range(k + 1)]
        within = sum(h * moment(2 * k - j) for j, h in enumerate(common)) - moment(2 * k)
        covariance = np.cov(Attempts(k, True).estimate(x, n).T, ddof=0)[0, 1]
        between = np.maximum(moment(2 * k) - moment(k) ** 2, 0).sum() - 2 * covariance
        wanted = (z / 0.1) ** 2 * (max(between, 0) + np.maximum(within, 0).sum())
        assert found["cases_needed"].sel(planned_runs=runs).item() == np.ceil(wanted)
    needed = found["runs_needed"].item()
    assert np.isnan(needed) == (found["cases_needed"][-1] > 60) or needed > 64


def prod_of(k, j, runs):
    """The hypergeometric probability of j common runs of two draws of k."""
    return comb(k, j) * comb(runs - k, k - j) / comb(runs, k)


def test_runs_alone_decide_between_cases_that_do_not_differ():
    frame = table({"a": np.full(100, 0.6), "b": np.full(100, 0.5)}, 4, seed=3)
    posterior = br.fit(evidence(frame), seed=1)
    found = br.cases.reliability(posterior, difference=0.1)
    few, many = (found["cases_needed"].sel(planned_runs=r).item() for r in (2, 32))
    assert many < few
    again = br.cases.reliability(posterior, difference=10.0)
    assert again["runs_needed"].item() == 1
    assert found.attrs["entity"] == "a"
    with pytest.raises(br.ArgumentError, match="pass@k"):
        br.cases.reliability(posterior, "f1")
    with pytest.raises(KeyError):
        br.cases.reliability(posterior, entity="c")
    with pytest.raises(br.ArgumentError, match="another entity"):
        br.cases.reliability(posterior, entity="a", rival="a")
    short = br.cases.reliability(posterior, "pass@3")  # 6 runs would be needed
    assert np.isnan(short["between_runs"]).all()
    assert np.isnan(short["cases_needed"]).all()
    assert br.verdict(short)[0].startswith("No case has twice as many runs as pass@3 has attempts")


def test_reliability_in_words():
    found = br.cases.reliability(POSTERIOR, "pass@1", difference=0.1)
    said = br.verdict(found)
    assert said[0].startswith("pass@1 varies by ")
    assert "between cases" in said[0]
    assert "between runs" in said[0]
    assert said[1].startswith(
        "If B and A truly differ by 0.100 in pass@1, about 150 cases with 8 runs each"
    )
    assert br.notes(found)[0].startswith("Cases that flicker: ")


# ---- costs


def test_costs_of_attempts_that_stop_at_a_success_equal_enumeration_of_all_orders():
    """Each order of the runs of a case is as probable; the runs up to the first success, at most k, are paid."""
    outcomes = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    paid = np.array([[5.0, 1, 2], [1, 4, 1], [3, 6, 2], [1, 1, 4]])
    frame = pd.DataFrame(
        {"case": np.repeat(range(4), 3), "run": [0, 1, 2] * 4, "a": outcomes.ravel()}
    )
    cost = pd.DataFrame({"a": paid.ravel()})
    curve = br.scores.attempts_curve(br.fit(evidence(frame, cost=cost), seed=1), 3)
    for k in (1, 2, 3):
        wanted = []
        for right, each in zip(outcomes, paid, strict=True):
            totals = []
            for order in permutations(range(3)):
                stop = next((j + 1 for j, i in enumerate(order[:k]) if right[i]), k)
                totals.append(each[list(order[:stop])].sum())
            wanted.append(np.mean(totals))
        assert curve["mean_cost"].sel(attempts=k).item() == pytest.approx(
            np.mean(wanted), abs=1e-12
        )
    assert curve["mean_cost"].sel(attempts=1).item() == pytest.approx(paid.mean())
    said = f"Up to 3 attempts at a case that stop at a success cost on average: a {curve['mean_cost'][-1].item():.3g}"
    assert any(note.startswith(said) for note in br.notes(curve))


def test_the_picture_by_cost():
    cost = pd.DataFrame({"A": np.full(len(FRAME), 2.0), "B": 1.0 + FRAME["B"]})
    curve = br.scores.attempts_curve(br.fit(evidence(FRAME, cost=cost), seed=1))
    figure, ax = plt.subplots()
    br.plots.attempts(curve, ax, by="cost")
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert lines["A"].get_xdata() == pytest.approx(curve["mean_cost"].sel(entity="A").values)
    assert lines["A"].get_ydata() == pytest.approx(
        curve["median"].sel(entity="A", event="any").values
    )
    assert not ax.child_axes
    plt.close(figure)
    with pytest.raises(br.ArgumentError, match="without costs"):
        br.plots.attempts(CURVE, by="cost")


# ---- the most frequent answer


@pytest.mark.parametrize("given", ["aab", "aabbc", "abcd", "aaabbccd", "bbbb", "a"])
@pytest.mark.parametrize("right", ["a", "ac", ""])
def test_majorities_equal_enumeration_of_all_draws(given, right):
    answers = np.array(list(given))
    text = describe_answers(answers, np.isin(answers, list(right)))
    for k in range(1, len(given) + 1):
        shares = []
        for drawn in combinations(given, k):
            top = max(drawn.count(one) for one in drawn)
            first = [one for one in set(drawn) if drawn.count(one) == top]
            shares.append(np.mean([one in right for one in first]))
        assert share_of_majority(text, k) == pytest.approx(np.mean(shares), abs=1e-12)
    assert np.isnan(share_of_majority(text, len(given) + 1))


def test_majorities_rank_and_need_answers():
    rng = np.random.default_rng(1)
    # A says one of many wrong answers, B always the same one.
    wrong = pd.DataFrame({"A": rng.integers(0, 50, len(FRAME)).astype(str), "B": "w"})
    said = wrong.where(FRAME[["A", "B"]] == 0, "right")
    posterior = br.fit(evidence(FRAME, answers=said), seed=1, draws=500)
    each = np.array(
        [
            [
                share_of_majority(describe_answers(own.to_numpy(), (own == "right").to_numpy()), 5)
                for own in (a, b)
            ]
            for a, b in ((held["A"], held["B"]) for _, held in said.groupby(FRAME["case"]))
        ]
    )
    ranking = br.credible_ranking(posterior, "maj@5")
    assert ranking["observed"].values == pytest.approx(each.mean(axis=0))
    assert ranking["observed"].sel(entity="A") > br.credible_ranking(posterior)["observed"].sel(
        entity="A"
    )
    assert br.verdict(ranking)[0] == "A is best on cases like these: P(best) > 0.999."
    assert any("most frequent answer of 5 attempts is right" in note for note in br.notes(ranking))
    one = br.credible_ranking(posterior, "majority@1")
    assert one["observed"].values == pytest.approx(right_runs().mean(axis=0) / 8)
    assert br.scores.get("majority_at_5") == br.scores.majority_at_k(5)
    for name in ("pass@4", "pass^2"):  # answers have no effect on other scores
        with_answers, without = (
            br.credible_ranking(held, name)["observed"].values for held in (posterior, POSTERIOR)
        )
        assert with_answers == pytest.approx(without)
    with pytest.raises(br.ArgumentError, match="answers of the runs"):
        br.credible_ranking(POSTERIOR, "maj@5")
    with pytest.raises(br.ArgumentError, match="pass@k or"):
        br.cases.reliability(posterior, "maj@5")
    with pytest.raises(br.ArgumentError, match="right in all runs of a case"):
        evidence(FRAME, answers=said.assign(A="same"))
    with pytest.raises(br.ArgumentError, match="an answer for each outcome"):
        evidence(FRAME, answers=said.assign(A=None))
    with pytest.raises(br.ArgumentError, match="right or wrong runs"):
        br.from_outcomes(FRAME[["A", "B"]], answers=said)


def test_a_curve_says_which_entities_end_it():
    rows = [
        (name, case, run, (case + run * (name == "a")) % 2)
        for name, most in (("a", 4), ("b", 4), ("few", 3))
        for case in range(6)
        for run in range(most)
    ]
    frame = pd.DataFrame(rows, columns=["entity", "case", "run", "outcome"])
    posterior = br.fit(br.from_frame(frame, missing="own"), draws=100, seed=1)
    curve = br.scores.attempts_curve(posterior)
    assert curve.sizes["attempts"] == 3
    told = "The curve ends at 3 attempts, since few has no more runs of some case."
    assert told in " ".join(br.verdict(curve))
    assert told not in " ".join(br.verdict(br.scores.attempts_curve(posterior, 2)))
    alike = br.fit(br.from_frame(frame[frame["run"] < 3]), draws=100, seed=1)
    assert "The curve ends" not in " ".join(br.verdict(br.scores.attempts_curve(alike)))


def test_each_data_set_has_the_score_of_its_own_cases():
    rows = [
        (name, dataset, case, run, int((run + case) % 4 < right))
        for name in "ab"
        for dataset, right in (("hard", 1), ("easy", 3))
        for case in range(40)
        for run in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["entity", "dataset", "case", "run", "outcome"])
    posterior = br.fit(br.from_frame(frame), "paired", draws=200, seed=1)
    ranking = br.credible_ranking(posterior, "pass@2")
    observed = ranking["observed"].transpose("entity", "dataset").sel(dataset=["hard", "easy"])
    np.testing.assert_allclose(observed, [[0.5, 1.0]] * 2)
    # The prior's case has the mean 1/2 in each.
    wanted = (40 * observed + 0.5) / 41
    np.testing.assert_allclose(
        ranking["median"].sel(dataset=["hard", "easy"]).transpose(*wanted.dims), wanted, atol=0.03
    )
