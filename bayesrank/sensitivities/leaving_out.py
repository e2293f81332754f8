"""Whether tiers and order need all of their entities."""

from math import comb
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.ranking._hierarchy import poth_of
from bayesrank.ranking.consensus import EXACT_SIZE, consensus_order, make_tiers
from bayesrank.ranking.credible import credible_ranking
from bayesrank.ranking.values import one_ranking

__all__ = ["leave_out_entities"]


def leave_out_entities(
    source: Any,
    score: Any = None,
    *,
    prob: float = 0.95,
    rope: float = 0.0,
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """What becomes of the tiers and the consensus order when an entity is left out: see ``br.sensitivity``.

    No model is fitted again, the draws of the others stay what they are: nothing changes in models whose entities are
    drawn one by one, and in those whose entities share a distribution the one left out still speaks in it. Of equally
    good orders it is the one that the whole ranking shows, and so it is in circles too large to be solved exactly.

    A tier is a comparison with its first entity: only without that one, or where the majorities of pairs run in a
    circle, others can come into other tiers.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79, 75], fp=[10, 1, 5], fn=[9, 1, 9], tp=[21, 29, 21], entity=["A", "B", "C"])
    >>> found = leave_out_entities(br.fit(counts, seed=1), "f1")
    >>> found["tier"].sel(left_out="B").values.tolist(), found["changed"].values.tolist()
    ([1.0, nan, 1.0], [0.0, 0.0, 0.0])
    """
    from scipy.sparse.csgraph import connected_components

    options: dict[str, Any] = {"prob": prob, "higher_is_better": higher_is_better, "kind": kind}
    ranking = credible_ranking(source, score, rope=rope, **options)
    one_ranking([dim for dim in ranking.dims if dim not in ("rank", "rival")])
    # Whom draws have before whom does not depend on the ROPE.
    plain = credible_ranking(source, score, **options) if rope else ranking
    superiority = ranking["superiority"].values
    before = plain["superiority"].values
    preference = np.nan_to_num((1 + before - before.T) / 2, nan=0.5)
    position = ranking["consensus_position"].values
    order = np.argsort(position, kind="stable")[: int((~np.isnan(position)).sum())]
    size, names = len(position), ranking["entity"].values
    tier, places = np.full((2, size, size), np.nan)
    changed, moved, poth = np.zeros(size), np.zeros(size, bool), np.full(size, np.nan)
    whole_tier = ranking["tier"].values
    beats = preference[np.ix_(order, order)] > 0.5
    circle = connected_components(beats, connection="strong")[1]
    wins = preference[:, order].sum(axis=1) - 0.5
    for one in range(size):
        [place] = np.flatnonzero(order == one) if one in order else [None]
        rest = order if place is None else _without(int(place), order, circle, preference)
        places[one, rest] = np.arange(1, len(rest) + 1)
        tier[one, rest] = make_tiers(rest, superiority, prob)[rest]
        changed[one] = _differing(whole_tier[rest], tier[one, rest])
        moved[one] = (rest[:1] != order[order != one][:1]).any()
        held = wins[rest] - preference[rest, one] * (place is not None)
        poth[one] = poth_of(held / max(len(rest) - 1, 1))
    variables = {
        "tier": (("left_out", "entity"), tier),
        "position": (("left_out", "entity"), places),
        "changed": ("left_out", changed),
        "leader_changed": ("left_out", moved),
        "poth": ("left_out", poth),
    }
    return xr.Dataset(variables, {"left_out": names, "entity": names}, ranking.attrs)


def _without(place: int, order: np.ndarray, circle: np.ndarray, preference: np.ndarray) -> np.ndarray:
    """A consensus order without the entity at a place, given the circle of majorities that each place belongs to.

    Circles are next to each other in it, and pairs of different ones stand as their majority has them: no order does
    better without the one, except inside its own circle, which is solved again unless it is too large to be.
    """
    inside = np.flatnonzero(circle == circle[place])
    if not 1 < len(inside) <= EXACT_SIZE:
        return np.delete(order, place)
    start, others = inside[0], order[inside[inside != place]]
    again, *_ = consensus_order(preference[np.ix_(others, others)])
    return np.concatenate([order[:start], others[again], order[inside[-1] + 1 :]])


def _differing(before: np.ndarray, after: np.ndarray) -> float:
    """Share of the pairs that compare otherwise; NaN if there are none."""
    if len(before) < 2:
        return np.nan
    before, after = (np.unique(tier, return_inverse=True)[1] for tier in (before, after))
    if (before == after).all():
        return 0.0
    return float(
        np.triu(np.sign(before[:, None] - before) != np.sign(after[:, None] - after)).sum() / comb(len(before), 2)
    )
