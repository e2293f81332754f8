"""Rank sets against loops, the z-test, and what they promise at fixed truths."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtr, ndtri
from scipy.stats import beta, binom

import bayesrank as br
from bayesrank.ranking._confidence import (
    MILD,
    LowerLeads,
    RankSets,
    _critical,
    fourth_roots,
    measure_leads,
    measure_lower_leads,
    scales,
    separate,
)
from tests.strategies import draws_of


def sets_of(ranking):
    return [ranking[f"rank_{end}"].values.tolist() for end in ("lower", "upper")]


def by_loops(y, prob):
    """Who is surely ahead of whom, pair by pair; and what one step alone decides."""
    draws, size = y.shape
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    standard = {}
    for i, j in pairs:
        d = y[:, i] - y[:, j]
        if np.isfinite(d).any():
            m, s = np.nanmean(d), np.nanstd(d)
            standard[i, j] = m, s, (m - d) / s if s > 1e-9 else np.zeros(draws)
    alone, sure = None, set()
    while True:
        left = [np.nan_to_num(standard[pair][2]) for pair in standard.keys() - sure]
        largest = np.max([np.zeros(draws), *left], axis=0)
        c = np.sort(largest)[::-1][int((1 - prob) * (draws + 1) + 1e-9) - 1]
        more = {pair for pair, (m, s, _) in standard.items() if m > 1e-9 and m > c * s} - sure
        alone = more if alone is None else alone
        if not more:
            table = np.zeros((2, size, size), bool)
            for which, found in enumerate((sure, alone)):
                for pair in found:
                    table[which][pair] = True
            return table[0], table[1], c
        sure |= more


def not_best_by_loops(y, prob):
    """Those that some candidate is surely ahead of, with a critical value over pairs of candidates, until no more."""
    left = list(range(y.shape[1]))
    while True:
        leads = {(i, j): y[:, i] - y[:, j] for i in left for j in left if i != j}
        spread = {pair: d.std() if d.std() > 1e-9 else 0.0 for pair, d in leads.items()}
        standard = [(d.mean() - d) / spread[pair] for pair, d in leads.items() if spread[pair]]
        largest = np.max([np.zeros(len(y)), *standard], axis=0)
        c = np.sort(largest)[::-1][int((1 - prob) * (len(y) + 1) + 1e-9) - 1]
        out = {pair[1] for pair, d in leads.items() if d.mean() > max(c * spread[pair], 1e-9)}
        if not out:
            return [i not in left for i in range(y.shape[1])]
        left = [i for i in left if i not in out]


@given(
    st.integers(0, 10**6),
    st.integers(20, 90),
    st.integers(1, 7),
    st.sampled_from([0.5, 0.9, 0.95]),
    st.booleans(),
)
def test_against_loops(seed, draws, size, prob, gaps):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(draws, 1))
    y = (
        5
        + rng.normal(size=size) * 4
        + rng.gamma(2.0, 1, (draws, size)) * rng.uniform(0.2, 2, size)
        + common
    )
    if size > 3:
        y[:, 1] = y[:, 0]  # identical evidence
        y[:, 2] = y[:, 0] - 0.5  # surely behind, always by the same
    if gaps:
        y[rng.random(y.shape) < 0.2] = np.nan
        y[:, -1:] = np.where(rng.random() < 0.2, np.nan, y[:, -1:])
    expected, alone, c = by_loops(y, prob)
    sure, behind, *_, critical = separate(y.copy(), prob)
    np.testing.assert_array_equal(sure, expected)
    assert critical == pytest.approx(c, rel=1e-4)
    assert (sure >= alone).all()  # the stepdown only ever decides more
    lower, upper = 1 + sure.sum(axis=0), size - sure.sum(axis=1)
    assert (lower <= upper).all()
    if not gaps:
        # A strict partial order, which holds the order of the means.
        assert not (sure & sure.T).any()
        assert (sure >= (sure.astype(int) @ sure > 0)).all()
        mean = y.mean(axis=0)
        assert not (sure & (mean[:, None] <= mean)).any()
        # The set for the best is never larger than the set that the ranks leave, and never empty.
        assert behind.tolist() == not_best_by_loops(y, prob)
        assert (behind >= sure.any(axis=0)).all()
        assert not behind.all()


def test_two_entities_are_a_z_test():
    z = np.random.default_rng(1).normal(size=(40_000, 2))
    critical = separate(z.copy(), 0.95).critical
    # The quantile of |z| from n draws: the error of a share over the density there.
    error = np.sqrt(0.95 * 0.05 / 40_000) / (2 * stats.norm.pdf(1.96))
    assert abs(critical - stats.norm.ppf(0.975)) < 4.5 * error
    d = z[:, 0] - z[:, 1]
    for times, expected in ((0.999, False), (1.001, True)):
        lead = np.array([times * critical * d.std() - d.mean(), 0])
        assert separate(z + lead, 0.95)[0].tolist() == [[False, expected], [False, False]]


@pytest.mark.slow
def test_at_different_truths_all_ranks_are_covered():
    """The tied ones may have all the ranks of their group, and all of these must be in their sets."""
    rng, boards = np.random.default_rng(3), 250
    truth = np.array([0.0, 0.0, 0.5, 0.5, 2.0, 8.0])
    first, last = 1 + (truth[:, None] > truth).sum(axis=0), 6 - (truth[:, None] < truth).sum(axis=0)
    hits, singletons = 0, 0
    for _ in range(boards):
        sure, *_ = separate(rng.normal(rng.normal(truth, 1), 1, (200, 6)), 0.9)
        lower, upper = 1 + sure.sum(axis=0), 6 - sure.sum(axis=1)
        hits += ((lower <= first) & (upper >= last)).all()
        singletons += lower[5] == upper[5] == 1
    assert hits / boards > 0.9 - 4 * np.sqrt(0.9 * 0.1 / boards)
    assert singletons > boards / 2  # and they say something


@pytest.fixture(scope="module")
def close():
    """Of eight tests, with sets of several ranks."""
    return np.random.default_rng(5).beta(
        *np.transpose([[120 + 10 * i, 120 - 10 * i] for i in range(8)]), (4000, 8)
    )


def test_order_names_and_rope_change_nothing(close):
    names = list("hgfedcba")
    ranking = br.credible_ranking(draws_of(close, names), "accuracy")
    assert 2 < (ranking["rank_upper"] - ranking["rank_lower"]).mean() < 6
    order = np.random.default_rng(6).permutation(8)
    for other in (
        draws_of(close[:, order], [names[i] for i in order]),
        draws_of(close, list("stuvwxyz")),
    ):
        found = br.credible_ranking(other, "accuracy", rope=0.05)
        if other["entity"][0] in names:
            found = found.sel(entity=names)
        assert sets_of(found) == sets_of(ranking)


def test_the_same_score_in_another_form_has_the_same_sets(close):
    expected = sets_of(br.credible_ranking(draws_of(close), "accuracy"))
    assert sets_of(br.credible_ranking(draws_of(1 - close), "error_rate")) == expected
    assert sets_of(br.credible_ranking(draws_of(2 * close - 1), "informedness")) == expected
    ratio = close / (1 - close)
    odds = sets_of(br.credible_ranking(draws_of(ratio), "positive_likelihood_ratio"))
    assert sets_of(br.credible_ranking(draws_of(1 / ratio), "negative_likelihood_ratio")) == odds
    # As odds a ratio is the share that it comes from, and its logarithm the logit.
    assert odds == expected
    # A gain ends at 1, and what it lacks of it is a ratio.
    assert sets_of(br.credible_ranking(draws_of(1 - 1 / ratio), "precision_gain")) == expected


def test_scales_increase_and_bare_values_keep_theirs(close):
    x = np.array([0.0, 0.25, 1.0, 1.5])
    for low, high, finite in (
        (0, 2, True),
        (0, np.inf, True),
        (0, np.inf, False),
        (-np.inf, 2, False),
    ):
        found = [scale(x) for scale in scales(x, low, high, finite)]
        assert len(found) == 2
        for y in found:
            assert (np.diff(y[~np.isnan(y)]) > 0).all()
    assert np.isnan(found[1]).sum() == 0
    for low, high in ((-np.inf, np.inf), (0.1, 2), (0, 1.2), (-np.inf, 1)):
        [scale] = scales(x, low, high, True)
        assert scale(x).tolist() == x.tolist()
    for factor in (1e-6, 1e6):
        other = sets_of(br.credible_ranking(draws_of(factor * close + factor)))
        assert other == sets_of(br.credible_ranking(draws_of(close)))


def test_a_test_on_many_and_one_on_few_cases_need_both_scales():
    """Near the end of the range: 19 of 20 and 9,900 of 10,000 are told apart by logits, and not by rates."""
    rng = np.random.default_rng(7)
    x = rng.beta([21, 9902], [3, 102], (4000, 2))
    rate, logit = (separate(scale(x) + 0.0, 0.95)[0].any() for scale in scales(x, 0, 1, True))
    assert (rate, logit) == (False, True)
    assert sets_of(br.credible_ranking(draws_of(x), "accuracy")) == [[1, 1], [2, 2]]


@pytest.mark.parametrize("cases", [10, 30, 100])
def test_fourth_roots_say_how_improbable_a_lead_is(cases):
    """Of right answers on few cases over a known rate, by all binomial counts; logits say far less."""
    right, u = np.arange(cases + 1), (np.arange(4000) + 0.5) / 4000
    draws = beta.ppf(u[:, None], right + 0.5, cases - right + 0.5)
    for rate in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99):
        both = np.column_stack([draws, np.full(len(u), rate)])
        errors = []
        for scale in (np.copy, partial(fourth_roots, low=0, high=1), scales(both, 0, 1, True)[1]):
            lead, spread, *_ = (
                measure_leads(scale(both)) if scale is np.copy else measure_lower_leads(scale(both))
            )
            errors.append(lead[:-1, -1] / spread[:-1, -1])
        values, roots, logits = errors
        probability = binom.pmf(right, cases, rate)
        for critical in (3.0, 3.3, 3.6, 4.0, 4.5):
            false = probability[np.minimum(values, roots) > critical].sum()
            assert false < (2.1 if cases == 10 else 1.6) * ndtr(-critical)
        if 1e-9 < rate**cases < 1e-3:  # of none wrong, by the exact test
            exact = -ndtri(rate**cases)
            assert abs(roots[-1] / exact - 1) < 0.15
            assert logits[-1] < 0.9 * exact


def test_an_entity_without_an_error_is_above_poor_ones():
    """Of 40 tests on 30 cases: all right, and 39 with a third right, which logits alone do not separate."""
    counts = br.from_counts(tn=[0] * 40, fp=[0] * 40, fn=[0] + [20] * 39, tp=[30] + [10] * 39)
    ranking = br.credible_ranking(br.fit(counts, "beta_binomial", seed=1), "tpr")
    assert ranking["surely_above"][0].values.tolist() == [False] + [True] * 39


@pytest.mark.parametrize(("entities", "enough"), [(2, 1.96), (40, MILD)])
def test_a_lead_must_exceed_the_critical_value_on_the_other_scale_too_but_no_more_than_mild(
    entities, enough
):
    y = np.random.default_rng(9).normal([9] + [0] * (entities - 1), 1, (4000, entities))
    one = np.ones((entities, entities))
    for lead, decided in ((0.97 * enough, False), (1.03 * enough, True)):
        beside = LowerLeads(y.copy())
        beside.lead, beside.spread = lead * one, one
        found = separate(y.copy(), 0.95, directional=True, at_least=beside)
        assert found.above[0, 1:].all() == decided
        assert found.above.any() == decided


def test_undefined_entities_have_no_set_and_take_no_rank():
    rng = np.random.default_rng(8)
    x = rng.normal([0.3, 0.9, 0.5, 0.7], 0.01, (4000, 4))
    x[:, 1] = np.nan
    x[:3000, 3] = np.nan
    x[:1500, 0] = np.nan
    ranking = br.credible_ranking(draws_of(x), "accuracy")
    np.testing.assert_array_equal(sets_of(ranking), [[2, np.nan, 1, np.nan]] * 2)
    assert np.isnan(sets_of(br.credible_ranking(draws_of(np.full((50, 3), np.nan))))).all()


def test_the_end_of_the_range_and_constants():
    x = np.column_stack(
        [np.full(400, 1.0), np.full(400, 0.6), np.full(400, 0.5), np.full(400, 0.5)]
    )
    # Of a posterior that has no doubt; what never leaves the end of the range has no logit, and nothing is sure of it.
    assert sets_of(br.credible_ranking(draws_of(x), "accuracy")) == [[1, 1, 2, 2], [4, 2, 4, 4]]
    assert sets_of(br.credible_ranking(draws_of(x))) == [[1, 2, 3, 3], [1, 2, 4, 4]]


def test_too_few_draws_leave_all_ranks():
    x = np.random.default_rng(10).normal([0.3, 0.9, 0.5], 0.01, (4000, 3))
    assert sets_of(br.credible_ranking(draws_of(x).isel(draw=0))) == [[1] * 3, [3] * 3]
    assert sets_of(br.credible_ranking(draws_of(x[:19]))) == [[1] * 3, [3] * 3]
    for enough in (100, 800):
        assert sets_of(br.credible_ranking(draws_of(x[:enough]))) == [[3, 1, 2]] * 2
    # Draws that hardly move are worth few: here, some 40.
    assert sets_of(br.credible_ranking(draws_of(x), prob=0.99)) == [[3, 1, 2]] * 2
    sticky = draws_of(np.repeat(x[:8], 500, axis=0))
    assert sets_of(br.credible_ranking(sticky, prob=0.99)) == [[1] * 3, [3] * 3]


def leads_of(means, draws=4000):
    """Independent normal draws with unit variance of each lead, and these means."""
    z = np.random.default_rng(11).normal(size=(draws, len(means)))
    z = np.linalg.solve(np.linalg.cholesky(np.cov(z.T)), (z - z.mean(axis=0)).T).T
    return z / np.sqrt(2) + np.array(means)


def test_a_verified_winner_beats_each_rival_at_the_two_sided_level():
    """Ten entities: 1.96 standard deviations ahead of each is enough for "best", and not for a pair among all."""
    for lead, wins in ((1.95, False), (1.97, True)):
        decided = separate(leads_of([lead, *[0.0] * 9]), 0.95)
        assert decided.wins.tolist() == [wins, *[False] * 9]
        assert decided.ruled_out().tolist() == ([False] + [True] * 9 if wins else [False] * 10)
        assert not decided.above.any()  # the critical value of all 45 pairs is about 3.2
    # A winner over all but one is none.
    decided = separate(leads_of([2.5, 1.0, *[0.0] * 8]), 0.95)
    assert not decided.wins.any()
    assert not decided.ruled_out().any()


def test_two_promises_agree_by_extending():
    """A winner has rank 1 without a sure relation to its runner-up, whose best possible rank is 2."""
    decided = separate(leads_of([2.05, 0.0, -9.0]), 0.95)
    assert decided.above.tolist() == [[False, False, True], [False, False, True], [False] * 3]
    sets = RankSets(decided.above, decided.ruled_out(), "confidence")
    lower, upper = sets.ranks(np.ones(3, bool))
    assert (lower.tolist(), upper.tolist()) == ([1, 2, 3], [1, 2, 3])


def test_the_rank_of_one_entity_named_beforehand_is_narrower():
    """Against k - 1 rivals the critical value is smaller than over all pairs; for two entities it is the same."""
    y = leads_of([2.9, *[0.0] * 9])
    decided = separate(y.copy(), 0.95)
    assert decided.alone_below[0].sum() == 9
    assert not decided.above.any()
    two = separate(y[:, :2].copy(), 0.95)
    assert two.alone_below.tolist() == two.above.tolist()
    assert two.alone_above.tolist() == two.above.T.tolist()


def test_the_spread_is_that_of_the_lower_tail():
    """A lead with a long upper tail: its standard deviation is 1.19, the spread of its lower tail 0.97."""
    levels = (np.arange(4000) + 0.5) / 4000
    lead = np.where(levels < 0.5, 2 * levels - 1, 3 * (2 * levels - 1))
    y = np.column_stack([np.random.default_rng(1).permutation(lead), np.zeros(4000)])
    mean, off = lead.mean(), np.minimum(lead - lead.mean(), 0.0)
    below = np.sqrt((off @ off) / (off < 0).sum())
    assert below < lead.std()
    for factor, sure in ((1.94, False), (1.98, True)):
        shifted = y + np.array([factor * below - mean, 0.0])
        assert separate(shifted.copy(), 0.95, directional=True).wins[0] == sure
        assert not separate(shifted.copy(), 0.95).wins[0]


@pytest.mark.parametrize("undefined", [0.0, 0.1])
def test_leads_are_the_same_whether_their_spreads_are_computed_at_once_or_when_asked_for(undefined):
    """Requests of growing and of overlapping pairs, with entities of identical evidence."""
    rng = np.random.default_rng(21)
    y = rng.gamma(2.0, 1, (300, 12)) + np.linspace(0, 2, 12)
    y[:, 3] = y[:, 4]
    y[rng.random(y.shape) < undefined] = np.nan
    lead, spread, *_ = measure_lower_leads(y.copy())
    lazy = LowerLeads(y.copy())
    for critical in (2.0, 1.0, 0.5, 0.1):
        pairs = rng.random(lead.shape) < 1 - critical / 3
        np.testing.assert_array_equal(
            lazy.exceed(critical, pairs), pairs & (lead > critical * spread)
        )
    everything = lazy.exceed(0.5, np.ones_like(pairs))
    np.testing.assert_array_equal(everything, lead > 0.5 * spread)
    assert 20 < everything.sum() < lead.size / 2


def test_the_critical_value_is_that_of_the_pairs_that_remain():
    """Without eight of twelve entities, and without some pairs of the other four."""
    rng = np.random.default_rng(22)
    rows = rng.normal(size=(12, 200)).astype(np.float32)
    shift, weight = np.zeros((2, 12, 12), np.float32)
    weight[:] = rng.uniform(0.5, 2, (12, 12))
    leads = np.maximum(rows[:, None] - rows, 0) * weight[:, :, None]
    found = leads.max(axis=(0, 1))
    weight[:8], weight[:, :8], weight[9, 10] = 0, 0, 0
    expected = np.sort((leads * (weight > 0)[:, :, None]).max(axis=(0, 1)))[-10]
    assert expected < np.sort(found)[-10]
    stale = np.ones(200, bool)
    assert _critical(rows, shift, weight, found, stale, 10) == pytest.approx(expected, rel=1e-6)
    stale[:] = True
    assert _critical(rows, shift, np.zeros_like(weight), found, stale, 10) == 0
