"""The claim of a ranking, made once for all that print it: possible ranks, tiers, and the headline with its caps.

An entity may be called best only if it is the only one that could be best, and nothing caps the
headline, except that data sets were pooled. Thin evidence never makes a claim bolder: where no rank
set can be justified, every rank is possible.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.records import RankingRecord
from bayesrank.claims.caps import Limit, check_caps, is_limited
from bayesrank.ranking._confidence import RankSets
from bayesrank.ranking.facts import facts_as_attrs, get_fact, join_rankings
from bayesrank.ranking.intervals import order_name, position_of

#: Report the leader's expected loss on new cases if it exceeds this share of its interval's width.
NOTABLE = 0.25
#: Effective draws that a probability of 0.95 needs. With fewer, the true probability may be lower
#: even if all agree.
FEWEST = 60

#: Variables on the difference of each entity from the leader.
OF_LEADER = ("difference", "difference_lower", "difference_upper")


def ranks_and_tiers(sets: RankSets, ranked: np.ndarray) -> dict[str, np.ndarray]:
    """Return the possible ranks, the best set and the tiers, by the variable names of a ranking.

    Tier 1 is the best set. Tier 2 has the remaining entities that no other remaining entity is
    surely above, and so on.
    """
    (lower, upper), alone = sets.ranks(ranked), sets.ranks_alone(ranked)
    best = ranked & ~sets.not_best
    tier = tiers_of(best, sets.above, ranked)
    return {
        "rank_lower": lower,
        "rank_upper": upper,
        "rank_alone_lower": alone[0],
        "rank_alone_upper": alone[1],
        "in_best_set": best,
        "surely_above": sets.above,
        "tier": tier if ranked.all() else np.where(ranked, tier, np.nan),
    }


def tiers_of(best: np.ndarray, above: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the tier of each entity, 0 for entities that are not ``members``: the best set first."""
    tier, number = best.astype(int), 1
    while (left := members & (tier == 0)).any():
        number += 1
        free = left & ~above[left].any(axis=0)
        tier[free if free.any() else left] = number  # a circle of sure pairs is not split
    return tier


def headline_of(
    ranking: Mapping[str, Any],
    names: Sequence[Any],
    caps: Sequence[Note],
    prob: float,
    rope: float,
    identical: Sequence[np.ndarray] = (),
) -> tuple[str, list[Note]]:
    """Return the headline, "best", "shared", "leads" or "none", and its caps, from the variables of a ranking."""
    caps = check_caps(caps)
    best, position = np.asarray(ranking["in_best_set"]), np.asarray(position_of(ranking))
    if (~np.isnan(position)).sum() < 2 or is_limited(caps, Limit.ALL):
        return "none", caps
    superiority = np.asarray(ranking["superiority"])
    leader, members = int(np.nanargmin(position)), np.flatnonzero(best)
    rivals = np.delete(superiority[leader], leader)[np.delete(~np.isnan(position), leader)]
    if np.isnan(rivals).all():
        return "none", caps
    if len(members) > 1:
        alike = any(set(members) <= set(group) for group in identical)
        if not alike:  # without a ROPE, equivalent entities tie in nearly all draws
            alike = bool(
                (np.asarray(ranking["equivalence"])[np.ix_(members, members)] >= prob).all()
            )
        return ("shared" if alike else "leads"), caps
    others = np.where(np.arange(len(best)) == leader, np.nan, superiority[leader])
    if rope > 0 and np.nanmin(others) < prob:  # the set for the best does not ask by how much
        below = {
            "rival": str(names[int(np.nanargmin(others))]),
            "p": float(np.nanmin(others)),
            "prob": prob,
        }
        caps = [*caps, Note("probability_below", {**below, "rope": rope})]
    return ("leads" if is_limited(caps, Limit.HEADLINE) else "best"), caps


def facts_of_claim(headline: str, sets: str, caps: Sequence[Note]) -> dict[str, Any]:
    """Return the claim as the attrs of a ranking, which files can hold."""
    codes = tuple(dict.fromkeys(cap.code for cap in caps))
    record = RankingRecord(headline=headline, sets=sets, caps=codes)
    return record.to_attrs() | {"cap_notes": notes_text(caps)}


def caps_of(ranking: xr.Dataset) -> list[Note]:
    """Return the caps of the headline of one ranking."""
    return notes_of(get_fact(ranking, "cap_notes"))


def cap(ranking: xr.Dataset, caps: Sequence[Note]) -> xr.Dataset:
    """Return rankings with more caps on their headline; caps that leave no set justified make every rank possible."""
    if not caps:
        return ranking
    if "headline" in ranking.data_vars and ranking["headline"].ndim:
        dim = str(ranking["headline"].dims[0])
        return join_rankings(
            [cap(ranking.isel({dim: i}), caps) for i in range(ranking.sizes[dim])], dim
        )
    ranking = facts_as_attrs(ranking)
    if "headline" not in ranking.attrs:
        return ranking
    caps = check_caps([*caps_of(ranking), *caps])
    changed, kind = ranking.copy(), get_fact(ranking, "sets")
    if is_limited(caps, Limit.SETS):
        ranked = ranking["tier"].notnull().values
        none = np.zeros((len(ranked), len(ranked)), bool)
        sets = RankSets(none, np.zeros(len(ranked), bool), "none")
        for name, values in ranks_and_tiers(sets, ranked).items():
            changed[name] = (("entity", "rival")[: values.ndim], values)
        kind = "none"
    record, position = RankingRecord.of(ranking), f"{order_name(ranking)}_position"
    arrays = {name: changed[name].values for name in ("in_best_set", position, "probability_best")}
    arrays |= {
        name: changed[name].transpose("entity", "rival").values
        for name in ("superiority", "equivalence")
    }
    names = ranking["entity"].values.tolist()
    headline, facts = headline_of(arrays, names, caps, record.prob, record.rope)
    # The members of this best set may have identical evidence, which the ranking does not hold:
    # they stay alike.
    same = bool((changed["in_best_set"] == ranking["in_best_set"]).all()) and headline != "none"
    headline = "shared" if same and get_fact(ranking, "headline") == "shared" else headline
    return changed.assign_attrs(facts_of_claim(headline, kind, facts))


def leader_overestimate(ranking: xr.Dataset) -> tuple[str, float, bool]:
    """Return the most probable best entity, its expected overestimate (NaN if unknown), and whether that is large."""
    ranked = ~np.isnan(ranking["rank_lower"].values)
    first = int(np.argmax(np.where(ranked, ranking["probability_best"].values, -1.0)))
    loss = float(ranking["overestimate"].values[first]) if "overestimate" in ranking else np.nan
    width = float(ranking["upper"].values[first] - ranking["lower"].values[first])
    return str(ranking["entity"].values[first]), loss, loss > NOTABLE * width
