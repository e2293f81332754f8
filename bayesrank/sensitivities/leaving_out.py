"""Whether tiers and order need all of their entities."""

from math import comb
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.ranking.claims import tiers_of
from bayesrank.ranking.consensus import EXACT_SIZE, consensus_order, put_last
from bayesrank.ranking.credible import credible_ranking
from bayesrank.ranking.hierarchy import poth_of
from bayesrank.ranking.values import one_ranking


def leave_out_entities(
    source: Any, score: Any = None, *, prob: float = 0.95, rope: float = 0.0, **options: Any
) -> xr.Dataset:
    """Recompute the tiers and the consensus order without each entity: see ``br.sensitivity``.

    Arguments are those of :func:`bayesrank.credible_ranking`. The draws of the other entities are
    reused. Models whose entities share a distribution keep the influence of the omitted one. Among
    equally good orders, and in cycles too large for an exact solution, the whole order is kept.
    """
    from scipy.sparse.csgraph import connected_components

    ranking = credible_ranking(source, score, prob=prob, rope=rope, **options)
    one_ranking([dim for dim in ranking.dims if dim not in ("rank", "rival")])
    # The order within a draw does not depend on the ROPE.
    without_rope = credible_ranking(source, score, prob=prob, **options) if rope else ranking
    above, best = (
        ranking["surely_above"].transpose("entity", "rival").values,
        ranking["in_best_set"].values,
    )
    before = without_rope["superiority"].values
    preference = np.nan_to_num((1 + before - before.T) / 2, nan=0.5)
    allowed = put_last(preference, ranking["unobserved"].values)
    position = ranking["consensus_position"].values
    order = np.argsort(position, kind="stable")[: int((~np.isnan(position)).sum())]
    size, names = len(position), ranking["entity"].values
    tier, places = np.full((2, size, size), np.nan)
    changed, moved, poth = np.zeros(size), np.zeros(size, bool), np.full(size, np.nan)
    whole_tier = ranking["tier"].values
    beats = allowed[np.ix_(order, order)] > 0.5
    circle = connected_components(beats, connection="strong")[1]
    wins = preference[:, order].sum(axis=1) - 0.5
    for left_out in range(size):
        [index] = np.flatnonzero(order == left_out) if left_out in order else [None]
        rest = order if index is None else _without(int(index), order, circle, allowed)
        places[left_out, rest] = np.arange(1, len(rest) + 1)
        tier[left_out, rest] = _tiers_without(best, above, rest)[rest]
        changed[left_out] = _differing(whole_tier[rest], tier[left_out, rest])
        moved[left_out] = (rest[:1] != order[order != left_out][:1]).any()
        wins_of_rest = wins[rest] - preference[rest, left_out] * (index is not None)
        poth[left_out] = poth_of(wins_of_rest / max(len(rest) - 1, 1))
    pairs = ("left_out", "entity")
    variables: dict[str, Any] = {"tier": (pairs, tier), "position": (pairs, places)}
    columns = {"changed": changed, "leader_changed": moved, "poth": poth}
    variables |= {name: ("left_out", values) for name, values in columns.items()}
    return xr.Dataset(variables, {"left_out": names, "entity": names}, ranking.attrs)


def _tiers_without(best: np.ndarray, above: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Return the tiers of the rest by the same sure pairs.

    The first tier has the rest of the best set, and the entities that only the omitted one was
    surely above.
    """
    members = np.zeros(len(best), bool)
    members[rest] = True
    free = members & ~above[members].any(axis=0)
    first = (best & members) | (free & above.any(axis=0))
    return tiers_of(first if first.any() else free, above, members)


def _without(
    place: int, order: np.ndarray, circle: np.ndarray, preference: np.ndarray
) -> np.ndarray:
    """Return a consensus order without the entity at a position, given the majority cycle of each position.

    Only the cycle of the omitted entity can get a better order: pairs from different cycles follow
    their majority.
    """
    inside = np.flatnonzero(circle == circle[place])
    if not 1 < len(inside) <= EXACT_SIZE:
        return np.delete(order, place)
    start, others = inside[0], order[inside[inside != place]]
    again, *_ = consensus_order(preference[np.ix_(others, others)])
    return np.concatenate([order[:start], others[again], order[inside[-1] + 1 :]])


def _differing(before: np.ndarray, after: np.ndarray) -> float:
    """Return the share of pairs that compare differently; NaN without pairs."""
    if len(before) < 2:
        return np.nan
    before, after = (np.unique(tier, return_inverse=True)[1] for tier in (before, after))
    if (before == after).all():
        return 0.0
    turned = np.sign(before[:, None] - before) != np.sign(after[:, None] - after)
    return float(np.triu(turned).sum() / comb(len(before), 2))
