"""A credible ranking: what the draws of a score say about the order of the entities."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._monte_carlo import effective_sample_size, proportion_error
from bayesrank.performance import draw_dims
from bayesrank.ranking.consensus import consensus_order, share_ranks
from bayesrank.ranking.ranks import check_values, positions

__all__ = ["credible_ranking"]


def credible_ranking(
    values: xr.DataArray,
    prob: float = 0.95,
    rope: float = 0.0,
    higher_is_better: bool | None = None,
) -> xr.Dataset:
    """Rank probabilities, intervals, consensus and tiers from draws of a score.

    Parameters
    ----------
    values : xarray.DataArray
        Draws of a score (chain, draw, entity), or (sample, entity) where chains and draws were stacked; without
        any of these dims there is one draw. Any other dim, such as ``dataset``, gives one ranking for each of its
        items. Read into memory if lazy.
    prob : float
        Credible probability of intervals, tiers and the best set, between 0 and 1.
    rope : float
        Region of practical equivalence, in units of the score: differences up to it do not count as superiority.
    higher_is_better : bool, optional
        By default the direction of the score that made the values, else True.

    Returns
    -------
    xarray.Dataset
        With the dims ``entity``, ``rank`` (1 is best) and ``rival``:

        - ``rank_probability`` (entity, rank), ``probability_best``, ``expected_rank``: tied entities share evenly
          the positions that they occupy.
        - ``rank_lower``, ``rank_upper``: equal-tailed rank interval of each entity at ``prob``.
        - ``simultaneous_lower``, ``simultaneous_upper``: the intervals with the narrowest common tail that jointly
          hold the ranks of all entities in at least ``prob`` of the draws; the share that they attain is
          ``simultaneous_probability``.
        - ``superiority`` (entity, rival): probability that the entity beats the rival by more than the ROPE, among
          the draws in which both are defined; ``equivalence``: 1 minus superiority both ways.
        - ``consensus_rank``: rank in the order with the smallest expected Kendall distance; entities that the
          draws cannot tell apart, within twice the Monte-Carlo error, share a rank. ``consensus_distance`` is that
          distance and ``consensus_lower_bound`` what no order can beat.
        - ``tier``: the first entity not yet placed, in consensus order, takes with it all unplaced ones that it
          does not beat with probability ``prob``. A comparison with the tier's first entity, not an equivalence
          between all its members; tiers need not be contiguous in any ranking.
        - ``in_best_set``: whether in the smallest set that holds the best entity with probability ``prob``.
        - ``expected_regret``: mean shortfall against the best of each draw, in units of the score; NaN for scores
          whose mean may be infinite.
        - ``undefined``: share of draws without a value. What is said of ranks is then among the other draws, and
          rank probabilities sum to 1 minus this share.
        - Monte-Carlo standard errors ``<name>_mcse``; they allow for autocorrelation, and are never 0.

    Raises
    ------
    ValueError, TypeError
        Naming the argument, what it held and what it should hold.

    Notes
    -----
    Under the prior that the model was fitted with, the intervals cover at least ``prob`` of true ranks on average.
    At fixed, nearly tied truths they may cover less; the documentation has the numbers.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ranking = credible_ranking(br.scores.informedness(br.fit(counts, seed=1)))
    >>> ranking["tier"].values.tolist()
    [2, 1]
    """
    prob = _between("prob", prob, 0.0, 1.0)
    rope = _between("rope", rope, -np.finfo(float).tiny, np.inf)
    values, sign = check_values(values, higher_is_better)
    names = values["entity"].values.tolist() if "entity" in values.coords else list(range(values.sizes["entity"]))
    if len(set(names)) != len(names):
        raise ValueError(f"values must name each entity once; got {len(names) - len(set(names))} repeated names")
    if not values.size:
        raise ValueError(f"values must hold at least one entity and one draw; got the sizes {dict(values.sizes)}")
    taken = {"rank", "rival"} & set(values.dims)
    if taken:
        raise ValueError(f"values must not have dims called rank or rival, which the result has; got {values.dims}")
    draws = draw_dims(values)
    extra = [str(d) for d in values.dims if d not in (*draws, "entity")]
    if extra:
        one = extra[0]
        each = [credible_ranking(values.isel({one: i}), prob, rope, higher_is_better) for i in range(values.sizes[one])]
        index = values[one] if one in values.coords else range(values.sizes[one])
        return xr.concat([r.drop_vars(one, errors="ignore") for r in each], dim=one).assign_coords({one: index})

    ordered = values.transpose(*draws, "entity").astype(float)
    # Equal orders are settled by expected rank, then name; never by the order of input.
    x = sign * ordered.values.reshape(-1, len(names))
    if np.isinf(x).any():
        raise ValueError("values must be finite or NaN; got an infinite one")
    finite_mean = bool(values.attrs.get("finite_mean", True))
    result = _summarize(x, ordered.isel(entity=0), np.array([str(n) for n in names]), prob, rope, finite_mean)
    coords = {"entity": names, "rival": names, "rank": np.arange(1, len(names) + 1)}
    # What is known of the entities (what they lack, who made them) stays with them.
    coords |= {str(name): coord for name, coord in values.coords.items() if coord.dims == ("entity",)}
    return xr.Dataset(
        {name: (_dims(name, np.ndim(v)), v) for name, v in result.items()},
        coords=coords,
        attrs={
            "score": str(values.name or "score"),
            "prob": prob,
            "rope": rope,
            "higher_is_better": int(sign > 0),
            "draws": len(x),
        },
    )


def _summarize(
    x: np.ndarray, draws: xr.DataArray, names: np.ndarray, prob: float, rope: float, finite_mean: bool
) -> dict[str, np.ndarray]:
    """Everything, from values (draw, entity) of which the highest is best; ``draws`` tells chains from draws."""
    n_draws, size = x.shape
    defined = ~np.isnan(x)
    first, last = positions(x)
    n_defined = defined.sum(axis=0)
    some = np.where(n_defined > 0, n_defined, np.nan)
    average = np.where(defined, (first + last) / 2 + 1, np.nan)
    expected_rank = np.nansum(average, axis=0) / some
    # An undefined entity is last as far as autocorrelation goes.
    effective = effective_sample_size(np.where(defined, average, size + 1.0), draws)

    mass = _rank_mass(first, last, defined)
    probability = mass / n_draws
    lower, upper = rank_intervals(mass / some[:, None], (1 - prob) / 2)
    joint_lower, joint_upper, attained = _simultaneous(average, mass / some[:, None], prob)

    wins, both = _compare(x, defined, rope)
    superiority = wins / both
    equivalence = 1 - superiority - superiority.T
    np.fill_diagonal(equivalence, np.where(n_defined > 0, 1.0, np.nan))

    preference = superiority if rope == 0 else np.divide(*_compare(x, defined, 0.0))
    preference = np.where(np.isnan(preference), 0.5, (1 + preference - preference.T) / 2)
    pair_effective = np.minimum(effective[:, None], effective)
    ranked = np.flatnonzero(n_defined > 0)
    ranked = ranked[np.lexsort((names[ranked], np.round(expected_rank[ranked], 12)))]
    order, distance, bound = consensus_order(preference[np.ix_(ranked, ranked)])
    order = ranked[order]
    shared = share_ranks(order, preference, np.nan_to_num(proportion_error(preference, pair_effective)))
    consensus = _with_gaps(shared, n_defined > 0)
    tier = _with_gaps(_tiers(order, superiority, prob), n_defined > 0)

    best = probability[:, 0]
    regret = np.full(size, np.nan)
    regret_error = np.full(size, np.nan)
    if finite_mean and len(ranked):
        loss = np.fmax.reduce(x, axis=1)[:, None] - x
        regret = np.nansum(loss, axis=0) / some
        spread = np.sqrt(np.nansum((loss - regret) ** 2, axis=0) / some)
        regret_error = np.maximum(spread, np.finfo(float).eps) / np.sqrt(effective)
    rank_spread = np.sqrt(np.nansum((average - expected_rank) ** 2, axis=0) / some)
    return {
        "rank_probability": probability,
        "rank_probability_mcse": proportion_error(probability, effective[:, None]),
        "probability_best": best,
        "probability_best_mcse": proportion_error(best, effective),
        "expected_rank": expected_rank,
        # A rank that never moved in n draws may still have moved in the next: as one success in n more.
        "expected_rank_mcse": np.maximum(rank_spread, 1 / np.sqrt(effective)) / np.sqrt(effective),
        "rank_lower": lower,
        "rank_upper": upper,
        "simultaneous_lower": joint_lower,
        "simultaneous_upper": joint_upper,
        "simultaneous_probability": np.float64(attained),
        "superiority": superiority,
        "superiority_mcse": proportion_error(superiority, pair_effective),
        "equivalence": equivalence,
        "consensus_rank": consensus,
        "consensus_distance": np.float64(distance),
        "consensus_lower_bound": np.float64(bound),
        "tier": tier,
        "in_best_set": _best_set(best, prob),
        "expected_regret": regret,
        "expected_regret_mcse": regret_error,
        "undefined": 1 - n_defined / n_draws,
    }


def _rank_mass(first: np.ndarray, last: np.ndarray, defined: np.ndarray) -> np.ndarray:
    """Draws at each rank (entity, rank); a tied group's mass is spread evenly over the positions it occupies."""
    size = first.shape[1]
    row = np.broadcast_to(np.arange(size) * (size + 1), first.shape)[defined]
    weight = 1.0 / (last - first + 1.0)[defined]
    # As steps up at the first position and down after the last; their running sum is the mass.
    steps = np.bincount(row + first[defined], weight, size * (size + 1))
    steps -= np.bincount(row + last[defined] + 1, weight, size * (size + 1))
    mass = np.cumsum(steps.reshape(size, size + 1), axis=1)[:, :size]
    return np.where(np.abs(mass) < 1e-9, 0.0, mass)


def rank_intervals(probability: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Narrowest rank interval of each entity with no more than ``tail`` beyond either end."""
    below = np.cumsum(probability, axis=1)
    above = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]
    lower = 1 + np.argmax(below > tail + 1e-12, axis=1)
    upper = probability.shape[1] - np.argmax((above > tail + 1e-12)[:, ::-1], axis=1)
    known = ~np.isnan(probability).any(axis=1)
    return _with_gaps(lower, known), _with_gaps(upper, known)


def _simultaneous(average: np.ndarray, probability: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Intervals with the largest common tail that jointly hold the ranks in at least ``prob`` of the draws.

    The depth of a rank is the smaller of the probabilities at or below and at or above it: the tail at which it
    drops out of its interval. A draw drops out at the smallest depth of its ranks.
    """
    below = np.cumsum(probability, axis=1)
    above = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]
    entity = np.arange(average.shape[1])
    known = ~np.isnan(average)
    low = np.where(known, np.floor(average), 1).astype(int) - 1
    high = np.where(known, np.ceil(average), 1).astype(int) - 1
    depth = np.where(known, np.minimum(below[entity, low], above[entity, high]), np.inf).min(axis=1)
    allowed = int(np.floor((1 - prob) * len(depth) + 1e-9))
    # A tail of 1/2 would empty an interval whose median is between two ranks.
    level = min(np.sort(depth)[min(allowed, len(depth) - 1)], 0.5) - 1e-12
    lower, upper = rank_intervals(probability, level - 1e-12)
    return lower, upper, float(np.mean(depth >= level))


def _compare(x: np.ndarray, defined: np.ndarray, rope: float) -> tuple[np.ndarray, np.ndarray]:
    """Wins (entity, rival) by more than ``rope``, and draws in which both are defined (NaN if none)."""
    from bayesrank.ranking._kernel import count_wins

    wins = count_wins(np.ascontiguousarray(x.T), float(rope)).astype(float)
    both = defined.T.astype(np.float32) @ defined.astype(np.float32)
    return wins, np.where(both > 0, both, np.nan)


def _tiers(order: np.ndarray, superiority: np.ndarray, prob: float) -> np.ndarray:
    tier = np.zeros(len(superiority), int)
    left, number = list(order), 0
    while left:
        number += 1
        anchor = left[0]
        placed = [e for e in left if e == anchor or not superiority[anchor, e] >= prob]
        tier[placed] = number
        left = [e for e in left if not tier[e]]
    return tier


def _best_set(best: np.ndarray, prob: float) -> np.ndarray:
    """The smallest set that holds the best with probability ``prob``; equals of its last member belong to it.

    Draws in which nobody has a value have no best and do not count.
    """
    descending = np.sort(best)[::-1]
    reached = np.cumsum(descending) >= prob * best.sum() - 1e-12
    return (best > 0) & (best >= descending[np.argmax(reached)] - 1e-15)


def _with_gaps(whole: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Whole numbers, or floats with NaN where something is not known."""
    return whole if known.all() else np.where(known, whole.astype(float), np.nan)


def _dims(name: str, ndim: int) -> tuple[str, ...]:
    if ndim < 2:
        return ("entity",)[:ndim]
    return ("entity", "rank" if name.startswith("rank_probability") else "rival")


def _between(argument: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError(f"{argument} must be a number; got {value!r}")
    if not low < value < high:
        bounds = "between 0 and 1" if high == 1 else "non-negative and finite"
        raise ValueError(f"{argument} must be {bounds}; got {value}")
    return float(value)
