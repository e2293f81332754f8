"""The consensus order: the one that the draws disagree with least.

Of all orders it has the smallest posterior expected Kendall distance, the expected number of pairs that it orders
the wrong way round (Kemeny's rule on the posterior). Where the pairwise majorities have no cycle, sorting by them is
optimal. Cycles live inside strongly connected components, which are solved on their own.
"""

from typing import Any

import numpy as np

from bayesrank.ranking._intervals import with_gaps

__all__ = ["best_set", "consensus_of", "consensus_order", "share_ranks", "make_tiers"]

#: Components up to this size are solved exactly, by dynamic programming over their subsets.
EXACT_SIZE = 16


def consensus_of(
    names: np.ndarray,
    expected: np.ndarray,
    preference: np.ndarray,
    error: np.ndarray,
    superiority: np.ndarray,
    ranked: np.ndarray,
    prob: float,
) -> dict[str, Any]:
    """What a ranking says of one order, by the names that the result has for it.

    Parameters
    ----------
    names, expected : ndarray
        Names and expected ranks of the entities: they settle equal orders; the order of input never does.
    preference, error, superiority : ndarray
        As for :func:`share_ranks` and :func:`make_tiers`, of all entities.
    ranked : ndarray
        Which entities have a place.
    prob : float
        Of the tiers.

    Examples
    --------
    >>> sure = np.array([[0.5, 0.02], [0.98, 0.5]])
    >>> found = consensus_of(np.array(["a", "b"]), np.array([1.98, 1.02]), sure, 0 * sure, sure, np.ones(2, bool), 0.95)
    >>> found["consensus_rank"].tolist(), found["tier"].tolist()
    ([2, 1], [2, 1])
    """
    order = np.flatnonzero(ranked)
    order = order[np.lexsort((names[order], np.round(expected[order], 12)))]
    placed, distance, bound = consensus_order(preference[np.ix_(order, order)])
    order = order[placed]
    position = np.zeros(len(names), int)
    position[order] = np.arange(1, len(order) + 1)
    return {
        "consensus_rank": with_gaps(share_ranks(order, preference, error), ranked),
        "consensus_position": with_gaps(position, ranked),
        "consensus_distance": distance,
        "consensus_lower_bound": bound,
        "tier": with_gaps(make_tiers(order, superiority, prob), ranked),
    }


def consensus_order(preference: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The order with the smallest expected Kendall distance.

    Parameters
    ----------
    preference : ndarray
        Probability (i, j) that i is before j, ties split evenly; preference + its transpose is 1.

    Returns
    -------
    order : ndarray
        Entities from first to last. Where several orders are optimal, that of the input decides.
    distance : float
        Expected number of discordant pairs.
    lower_bound : float
        Σ min(p_ij, p_ji) over pairs: no order can do better. Equal to the distance where there is no cycle.

    Examples
    --------
    >>> order, distance, bound = consensus_order(np.array([[0.5, 0.2, 0.9], [0.8, 0.5, 0.6], [0.1, 0.4, 0.5]]))
    >>> order.tolist(), round(distance, 3), round(bound, 3)
    ([1, 0, 2], 0.7, 0.7)
    """
    preference = np.asarray(preference, dtype=float)
    order = []
    for members in _components(preference):
        inside = preference[np.ix_(members, members)]
        solve = _exact if len(members) <= EXACT_SIZE else _improve
        order.extend(members[solve(inside)].tolist())
    arranged = preference[np.ix_(order, order)]
    distance = float(np.tril(arranged, -1).sum())
    return np.array(order, dtype=int), distance, float(np.tril(np.minimum(preference, preference.T), -1).sum())


def share_ranks(order: np.ndarray, preference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Ranks from an order; entities whose order the draws cannot tell, within Monte-Carlo error, share a rank.

    An entity that the draws cannot tell from all of the group before it joins that group. In a cycle so do whole
    blocks whose exchange leaves the expected distance as it is: a, b, c that beat each other in a circle equally
    often share a rank, for no order of theirs is better than its rotations.

    Parameters
    ----------
    order : ndarray
        Entities from first to last.
    preference, error : ndarray
        Probability (i, j) that i is before j, and its Monte-Carlo standard error.

    Returns
    -------
    ndarray
        Rank of each entity: the position of the first of its group; 0 for those not in the order.

    Examples
    --------
    >>> share_ranks(np.array([1, 0]), np.array([[0.5, 0.499], [0.501, 0.5]]), np.full((2, 2), 0.01)).tolist()
    [1, 1]
    """
    ranks = np.zeros(len(preference), int)
    group: list[int] = []
    circular = _circular(preference[np.ix_(order, order)], error[np.ix_(order, order)])
    for position, entity in enumerate(order):
        alike = np.abs(preference[group, entity] - 0.5) <= 2 * error[group, entity]
        if not (group and (alike.all() or circular[position])):
            group, start = [], position + 1
        group.append(int(entity))
        ranks[entity] = start
    return ranks


def make_tiers(order: np.ndarray, superiority: np.ndarray, prob: float) -> np.ndarray:
    """Tier of each entity, from 1; 0 for those not in the order.

    The first entity not yet placed takes with it all unplaced ones that it does not beat with probability ``prob``.

    Examples
    --------
    >>> make_tiers(np.array([1, 0]), np.array([[0.0, 0.02], [0.98, 0.0]]), 0.95).tolist()
    [2, 1]
    """
    tier = np.zeros(len(superiority), int)
    left, number = list(order), 0
    while left:
        number += 1
        anchor = left[0]
        placed = [e for e in left if e == anchor or not superiority[anchor, e] >= prob]
        tier[placed] = number
        left = [e for e in left if not tier[e]]
    return tier


def best_set(best: np.ndarray, prob: float) -> np.ndarray:
    """The smallest set that holds the best with probability ``prob``; equals of its last member belong to it.

    Draws in which nobody has a value have no best and do not count.

    Examples
    --------
    >>> best_set(np.array([0.6, 0.3, 0.1]), 0.8).tolist()
    [True, True, False]
    """
    descending = np.sort(best)[::-1]
    reached = np.cumsum(descending) >= prob * best.sum() - 1e-12
    return (best > 0) & (best >= descending[np.argmax(reached)] - 1e-15)


def _components(preference: np.ndarray) -> list[np.ndarray]:
    """Strongly connected components of the strict majorities, in an order that contradicts none of them."""
    from scipy.sparse.csgraph import connected_components

    beats = preference > 0.5
    number, label = connected_components(beats, directed=True, connection="strong")
    members = [np.flatnonzero(label == i) for i in range(number)]
    # Majorities between components have no cycle: take the first component that nobody left beats.
    members.sort(key=lambda m: m[0])
    place = np.empty(len(label), int)
    for i, component in enumerate(members):
        place[component] = i
    above = np.zeros((number, number), bool)
    winner, loser = np.nonzero(beats)
    above[place[winner], place[loser]] = True
    np.fill_diagonal(above, False)
    waiting = above.sum(axis=0)
    ordered = []
    for _ in range(number):
        first = int(np.argmin(waiting))
        ordered.append(members[first])
        waiting = waiting - above[first]
        waiting[first] = number + 1
    return ordered


def _circular(preference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Which positions of an order share a rank with the one before, because adjacent blocks of a cycle may swap.

    The errors of the preferences are added as if they were independent.
    """
    shared = np.zeros(len(preference), bool)
    for members in _components(preference):
        if not 3 <= len(members) <= EXACT_SIZE:
            continue
        start, stop = members.min(), members.max() + 1
        for i in range(start, stop):
            for j in range(i + 1, stop):
                for k in range(max(j + 1, i + 3), stop + 1):
                    worse = (2 * preference[i:j, j:k] - 1).sum()
                    if worse <= 4 * np.sqrt((error[i:j, j:k] ** 2).sum()) + 1e-12:
                        shared[i + 1 : k] = True
    return shared


def _exact(preference: np.ndarray) -> np.ndarray:
    """Best order of a few entities, by dynamic programming over the set of those placed so far."""
    size = len(preference)
    if size == 1:
        return np.zeros(1, int)
    masks = np.arange(1 << size)
    bits = 1 << np.arange(size)
    # What it costs to place k after all of a set: Σ over its members m of P(k before m).
    cost = ((masks[:, None] & bits) > 0).astype(float) @ preference.T
    best = np.full(1 << size, np.inf)
    last = np.zeros(1 << size, int)
    best[0] = 0.0
    inside = (masks[:, None] & bits) > 0
    count = inside.sum(axis=1)
    for level in range(1, size + 1):
        of_level = masks[count == level]
        before = of_level[:, None] ^ bits
        total = np.where(inside[of_level], best[before] + cost[before, np.arange(size)], np.inf)
        # The later of equals goes last, so that equal orders keep that of the input.
        pick = size - 1 - np.argmin(np.round(total[:, ::-1], 12), axis=1)
        best[of_level], last[of_level] = total[np.arange(len(of_level)), pick], pick
    order, mask = [], (1 << size) - 1
    while mask:
        order.append(last[mask])
        mask ^= 1 << last[mask]
    return np.array(order[::-1])


def _improve(preference: np.ndarray) -> np.ndarray:
    """A good order of many entities: Borda's, then moves of one entity at a time while they help."""
    order = np.argsort(-preference.sum(axis=1), kind="stable").tolist()
    improved = True
    while improved:
        improved = False
        for entity in list(order):
            at = order.index(entity)
            rest = order[:at] + order[at + 1 :]
            # Discordance of each place among the rest: those before that it beats, those after that beat it.
            before = np.concatenate([[0.0], np.cumsum(preference[entity, rest])])
            after = np.concatenate([np.cumsum(preference[rest, entity][::-1])[::-1], [0.0]])
            place = int(np.argmin(before + after))
            if (before + after)[place] < (before + after)[at] - 1e-12:
                order = [*rest[:place], entity, *rest[place:]]
                improved = True
    return np.array(order)
