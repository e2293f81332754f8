"""The consensus against brute force over all orders, with cycles, ties and large components."""

from itertools import combinations, permutations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import bayesrank as br
from bayesrank.ranking.consensus import EXACT_SIZE, consensus_of, consensus_order, share_ranks


def distance_of(order, preference):
    return sum(preference[later, earlier] for earlier, later in combinations(order, 2))


def random_preference(rng, size, levels=None):
    upper = (
        rng.random((size, size))
        if levels is None
        else rng.integers(0, levels + 1, (size, size)) / levels
    )
    p = np.triu(upper, 1)
    return p + np.tril(1 - p.T, -1) + 0.5 * np.eye(size)


def circle(size):
    """Everybody beats the next half of the circle with probability 0.9."""
    ahead = (np.arange(size)[None, :] - np.arange(size)[:, None]) % size
    return np.select([ahead == 0, 2 * ahead < size, 2 * ahead > size], [0.5, 0.9, 0.1], 0.5)


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([None, 2, 4]))
def test_no_order_is_better(seed, size, levels):
    preference = random_preference(np.random.default_rng(seed), size, levels)
    order, distance, bound = consensus_order(preference)
    assert sorted(order.tolist()) == list(range(size))
    assert distance == pytest.approx(distance_of(order, preference), abs=1e-12)
    best = min(distance_of(o, preference) for o in permutations(range(size)))
    assert distance == pytest.approx(best, abs=1e-9)
    assert bound <= best + 1e-12


def test_majorities_without_a_cycle_are_sorted_whatever_the_size():
    """Also where ties connect everybody: 40 entities in 20 levels, neighbours in a level tied."""
    rng = np.random.default_rng(3)
    level = np.repeat(np.arange(20), 2)
    preference = 0.5 + 0.3 * np.sign(level[None, :] - level[:, None])
    # Ties across levels, which join all in one component of "at least as good as", but make no strict cycle.
    i, j = np.triu_indices(40, 1)
    some = rng.random(i.size) < 0.3
    preference[i[some], j[some]] = preference[j[some], i[some]] = 0.5
    shuffle = rng.permutation(40)
    _, distance, bound = consensus_order(preference[np.ix_(shuffle, shuffle)])
    assert distance == pytest.approx(bound, abs=1e-9)


def test_a_component_too_large_to_solve_keeps_the_bound_honest():
    size = EXACT_SIZE + 5
    preference = circle(size)
    order, distance, bound = consensus_order(preference)
    assert sorted(order.tolist()) == list(range(size))
    assert distance > bound
    assert distance == pytest.approx(distance_of(order, preference))
    borda = np.argsort(-preference.sum(axis=1), kind="stable")
    assert distance <= distance_of(borda, preference) + 1e-9
    # No single move helps.
    for entity in range(size):
        rest = [e for e in order.tolist() if e != entity]
        moves = [distance_of([*rest[:i], entity, *rest[i:]], preference) for i in range(size)]
        assert distance <= min(moves) + 1e-9


def test_a_lopsided_circle_does_not_share():
    preference = circle(3)
    preference[2, 0], preference[0, 2] = 0.6, 0.4
    order, *_ = consensus_order(preference)
    assert order.tolist() == [0, 1, 2]
    assert share_ranks(order, preference, np.zeros((3, 3))).tolist() == [1, 2, 3]
    # ... until the error covers the difference of its rotations.
    assert share_ranks(order, preference, np.full((3, 3), 0.2)).tolist() == [1, 1, 1]


def test_sharing_is_with_the_whole_group():
    """b cannot be told from a, nor c from b, but c can be told from a: c starts a group."""
    preference = np.array([[0.5, 0.51, 0.6], [0.49, 0.5, 0.51], [0.4, 0.49, 0.5]])
    assert share_ranks(np.arange(3), preference, np.full((3, 3), 0.01)).tolist() == [1, 1, 3]


def test_condorcet_cycle_of_draws_is_shared_whatever_the_order_of_input():
    values = xr.DataArray(
        [[3.0, 2.0, 1.0], [1.0, 3.0, 2.0], [2.0, 1.0, 3.0]] * 40,
        {"entity": ["a", "b", "c"]},
        ("draw", "entity"),
    )
    for order in permutations("abc"):
        ranking = br.credible_ranking(values.sel(entity=list(order)))
        assert ranking["consensus_rank"].values.tolist() == [1, 1, 1]
        assert float(ranking["consensus_distance"]) == pytest.approx(4 / 3)
        assert float(ranking["consensus_lower_bound"]) == pytest.approx(1.0)


@pytest.mark.parametrize("rounding", [1e-13, -1e-13])
def test_rounding_errors_do_not_choose_who_comes_first(rounding):
    preference = np.array(
        [[0.5, 0.5 + rounding, 0.951], [0.5 - rounding, 0.5, 0.949], [0.049, 0.051, 0.5]]
    )
    expected = np.array([1.5 - rounding, 1.5 + rounding, 3])
    found = consensus_of(
        np.array(["a", "b", "c"]), expected, preference, 0 * preference, np.ones(3, bool)
    )
    assert found["consensus_position"].tolist() == [1, 2, 3]
    assert found["consensus_rank"].tolist() == [1, 1, 3]


def test_marked_entities_come_last():
    preference = np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.6], [0.1, 0.4, 0.5]])
    found = consensus_of(
        np.array(["a", "b", "c"]),
        np.arange(3.0),
        preference,
        0 * preference,
        np.ones(3, bool),
        np.array([True, False, False]),
    )
    assert found["consensus_rank"].tolist() == [3, 1, 2]
    assert found["consensus_distance"] == pytest.approx(0.9 + 0.9 + 0.4)
    assert found["consensus_lower_bound"] == pytest.approx(0.1 + 0.1 + 0.4)


def test_a_circle_stands_between_those_above_and_below_it():
    """Two circles of three (a, b, c and x, y, z), one above the other; p is above and q below both."""
    names = list("qxcpaybz")
    circle = {"ab", "bc", "ca", "xy", "yz", "zx"}
    level = {"p": 0, **dict.fromkeys("abc", 1), **dict.fromkeys("xyz", 2), "q": 3}
    beats = np.array(
        [[level[i] < level[j] or i + j in circle for j in names] for i in names], float
    )
    order, *_ = consensus_order(0.3 + 0.4 * beats + 0.2 * np.eye(len(names)))
    assert [level[names[i]] for i in order] == sorted(level.values())
