"""The consensus order, with the smallest posterior expected Kendall distance (Kemeny's rule on the posterior)."""

from typing import Any

import numpy as np

from bayesrank.ranking.intervals import with_gaps

#: Maximum size of components that are solved exactly, by dynamic programming over subsets.
EXACT_SIZE = 16


def consensus_of(
    names: np.ndarray,
    expected: np.ndarray,
    preference: np.ndarray,
    error: np.ndarray,
    ranked: np.ndarray,
    last: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the consensus order by the variable names of the result; entities marked in ``last`` come last.

    Ties are broken by expected ranks and names, not by the input order. The distance and its bound
    are those of the preferences, wherever the entities marked in ``last`` would stand by them.
    """
    # Without draws a tie has preference 1/2 up to rounding errors, which may not decide who comes
    # first.
    preference, expected = np.round(preference, 10), np.round(expected, 10)
    allowed = preference
    if last is not None:
        allowed = put_last(preference, last)
        error = np.where(last == last[:, None], error, 0.0)
    order = np.flatnonzero(ranked)
    order = order[np.lexsort((names[order], expected[order]))]
    placed, *_ = consensus_order(allowed[np.ix_(order, order)])
    order = order[placed]
    distance, bound = _distance_and_bound(preference[np.ix_(order, order)])
    position = np.zeros(len(names), int)
    position[order] = np.arange(1, len(order) + 1)
    return {
        "consensus_rank": with_gaps(share_ranks(order, allowed, error), ranked),
        "consensus_position": with_gaps(position, ranked),
        "consensus_distance": distance,
        "consensus_lower_bound": bound,
    }


def put_last(preference: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return preferences (entity, rival) in which the marked entities are surely behind all others."""
    behind, ahead = last[:, None] & ~last, ~last[:, None] & last
    return np.where(behind, 0.0, np.where(ahead, 1.0, preference))


def consensus_order(preference: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return the order with the smallest expected Kendall distance from P(i before j), with ties split evenly.

    Also return the expected number of discordant pairs, and Σ min(p_ij, p_ji), a bound for all
    orders that is reached without cycles. Ties between optimal orders are broken by the input
    order.
    """
    preference = np.asarray(preference, dtype=float)
    order = []
    for members in _components(preference):
        inside = preference[np.ix_(members, members)]
        solve = _exact if len(members) <= EXACT_SIZE else _improve
        order.extend(members[solve(inside)].tolist())
    return np.array(order, dtype=int), *_distance_and_bound(preference[np.ix_(order, order)])


def _distance_and_bound(arranged: np.ndarray) -> tuple[float, float]:
    """Return the expected discordant pairs of the order in which the preferences are arranged, and a bound for any."""
    return float(np.tril(arranged, -1).sum()), float(
        np.tril(np.minimum(arranged, arranged.T), -1).sum()
    )


def share_ranks(order: np.ndarray, preference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return ranks from an order; entities with equal preference up to Monte-Carlo error share a rank.

    An entity joins the group before it if it is not separated from any of its members. So do blocks
    of a cycle whose exchange does not change the expected distance: if a, b, c beat each other in a
    circle equally often, they share a rank. Entities outside the order have the rank 0.
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


def _components(preference: np.ndarray) -> list[np.ndarray]:
    """Return strongly connected components of the strict majorities, in an order consistent with all of them."""
    beats = preference > 0.5
    members = [np.array([i]) for i in range(len(beats))]
    order = _sort(beats)
    if order is None:  # SciPy's graphs are imported for cycles only
        from scipy.sparse.csgraph import connected_components

        number, label = connected_components(beats, directed=True, connection="strong")
        members = sorted((np.flatnonzero(label == i) for i in range(number)), key=lambda m: m[0])
        inside = np.array([label == label[m[0]] for m in members], np.float32)
        above = inside @ beats.astype(np.float32) @ inside.T > 0
        np.fill_diagonal(above, False)
        order = _sort(above)
    assert order is not None
    return [members[i] for i in order]


def _sort(above: np.ndarray) -> list[int] | None:
    """Return an order in which nothing is above what is before it, first places by position; None in a cycle."""
    waiting, order = above.sum(axis=0), []
    for _ in range(len(above)):
        first = int(np.argmin(waiting))
        if waiting[first]:
            return None
        order.append(first)
        waiting = waiting - above[first]
        waiting[first] = len(above) + 1
    return order


def _circular(preference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return which positions share a rank with the previous one, because adjacent blocks of a cycle may be exchanged.

    The errors of the preferences are added as if independent.
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
    """Return the best order of a few entities, by dynamic programming over the set already placed."""
    size = len(preference)
    if size == 1:
        return np.zeros(1, int)
    masks = np.arange(1 << size)
    bits = 1 << np.arange(size)
    inside = (masks[:, None] & bits) > 0
    # Cost of placing k after a set: Σ over its members m of P(k before m).
    cost, count = inside.astype(float) @ preference.T, inside.sum(axis=1)
    best, last = np.full(1 << size, np.inf), np.zeros(1 << size, int)
    best[0] = 0.0
    for level in range(1, size + 1):
        of_level = masks[count == level]
        before = of_level[:, None] ^ bits
        total = np.where(inside[of_level], best[before] + cost[before, np.arange(size)], np.inf)
        # In a tie the later entity goes last, so that equal orders keep the input order.
        pick = size - 1 - np.argmin(np.round(total[:, ::-1], 12), axis=1)
        best[of_level], last[of_level] = total[np.arange(len(of_level)), pick], pick
    order, mask = [], (1 << size) - 1
    while mask:
        order.append(last[mask])
        mask ^= 1 << last[mask]
    return np.array(order[::-1])


def _improve(preference: np.ndarray) -> np.ndarray:
    """Return a good order of many entities: Borda's, improved by moves of single entities."""
    order = np.argsort(-preference.sum(axis=1), kind="stable").tolist()
    improved = True
    while improved:
        improved = False
        for entity in list(order):
            at = order.index(entity)
            rest = order[:at] + order[at + 1 :]
            # Discordance of each position: entities before it that it beats, entities after it that
            # beat it.
            before = np.concatenate([[0.0], np.cumsum(preference[entity, rest])])
            after = np.concatenate([np.cumsum(preference[rest, entity][::-1])[::-1], [0.0]])
            position = int(np.argmin(before + after))
            if (before + after)[position] < (before + after)[at] - 1e-12:
                order = [*rest[:position], entity, *rest[position:]]
                improved = True
    return np.array(order)
