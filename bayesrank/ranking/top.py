"""Sets that hold the k best entities: credible sets and confidence sets."""

from dataclasses import replace

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer, check_prob
from bayesrank._core.draws import (
    BLOCK,
    ERROR,
    Batches,
    EffectiveDraws,
    check_size,
    draw_dims,
    load_arrays,
    mean_error,
    reduce,
    share_error,
)
from bayesrank._core.types import Container, ScoreLike
from bayesrank.ranking._confidence import rank_sets
from bayesrank.ranking._loops import positions
from bayesrank.ranking.aggregates import scored
from bayesrank.ranking.credible import MOSTLY
from bayesrank.ranking.identical import depends_on_prevalence, hold_sets, identical_groups
from bayesrank.ranking.prevalence import values_at_common
from bayesrank.ranking.values import finite, one_ranking

#: Maximum number of doubtful entities for which all subsets are tried.
EXACT_SIZE = 16


@check_call
def top_set(
    source: Container,
    score: ScoreLike | None,
    k: int,
    *,
    prob: float = 0.95,
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return two sets of entities that hold the k best: a credible set and a confidence set.

    Parameters
    ----------
    source, score, higher_is_better, kind
        As for :func:`bayesrank.credible_ranking`, with its errors. The source must give a single
        ranking.
    k : int
        Number of best entities. An entity is among the k best if fewer than k are better, so all
        ties for the last place are included.
    prob : float
        Probability, and confidence, with which the sets hold all of the k best.

    Returns
    -------
    xarray.Dataset
        Over ``entity``:

        - ``probability_top``: probability of being among the k best.
        - ``in_credible_set``: whether the entity is in the smallest set that holds all of the k
          best with posterior probability ``prob``. ``credible_probability``: the probability of
          this set, cross-validated on halves of the draws. If it is below ``prob``, there are too
          few draws; the set then holds every entity that is among the k best in any draw.
        - ``in_confidence_set``: whether the possible ranks of the entity contain a rank of at most
          k. In about ``prob`` of repeated experiments this holds for all k best, for any true
          scores and all k at once. ``surely_top``: whether all its possible ranks are at most k.
        - ``rank_lower``, ``rank_upper`` and errors ``<name>_error``: as in a ranking, with
          ``attrs["sets"]``.

        The attrs are those of a ranking, ``k``, and ``smallest``: 1 if the credible set is known to
        be the smallest, 0 if there were too many subsets to try. Entities undefined in more than
        half of the draws are in no set.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks (the tau best).

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79, 50], fp=[10, 1, 30], fn=[9, 1, 15], tp=[21, 29, 15], entity=["a", "b", "c"])
    >>> top = top_set(br.fit(counts, seed=1), "informedness", 1)
    >>> top["in_credible_set"].values.tolist(), top["in_confidence_set"].values.tolist()
    ([False, True, False], [False, True, False])
    """
    prob, k = check_prob("prob", prob), check_integer("k", k, 1)
    scored_source = scored(source, score, higher_is_better, kind)
    score_found = scored_source.found
    values = score_found.values
    one_ranking(values.dims)
    check_size(values)
    size, names = values.sizes["entity"], values["entity"].values
    check_integer("k", k, 1, size)
    dims = *draw_dims(values), "entity"
    values, likely = (
        part.transpose(*dims).astype(float, copy=False)
        for part in load_arrays(values, scored_source.likely)
    )
    batches = Batches.of(values)
    x, spread = (finite(part.values).reshape(batches.number, size) for part in (values, likely))

    ranked = np.isnan(x).mean(axis=0) <= MOSTLY
    effective_size = np.nan
    if batches.sampled:
        [of_each] = reduce(x, EffectiveDraws(), batches=batches)
        effective_size = of_each[ranked].min(initial=batches.number)
    decide = None if scored_source.extremes is None else scored_source.extremes.decide
    parts = values_at_common(
        scored_source.source, scored_source.score, kind, scored_source.evidence.own_counts
    )
    loaded = load_arrays(*(part.transpose(*values.dims) for part in parts))
    alternatives = [part.values.reshape(-1, size) for part in loaded]
    sets = rank_sets(
        x,
        ranked,
        score_found,
        prob,
        effective_size,
        scored_source.information,
        alternatives,
        decide,
    )
    groups = identical_groups(
        scored_source.evidence, size, depends_on_prevalence(scored_source.score)
    )
    sets = hold_sets(groups, sets)
    first, last = sets.ranks(ranked)
    top, chunk = np.empty(x.shape, bool), max(BLOCK // size, 1)
    for start in range(0, len(x), chunk):
        part = np.where(ranked, spread[start : start + chunk], np.nan)
        top[start : start + chunk] = (positions(score_found.sign * part)[0] < k) & ~np.isnan(part)
    # Draws without any value have no best entity.
    some = top.any(axis=1)
    batch = np.repeat(np.arange(len(batches.sizes)), batches.sizes)[some]
    share, share_off = _share(top[some], batch, len(batches.sizes), effective_size)
    # Ties are broken by name, never by input order.
    order = np.argsort([str(name) for name in names], kind="stable")
    ordered = top[np.ix_(some, order)]
    chosen = np.zeros(size, bool)
    lost, held_probability = _allowed_losses(ordered, batches.half(batch), prob)
    chosen[order], smallest = smallest_set(ordered, lost)
    probability, error = _share(held_probability, batch, len(batches.sizes), effective_size)
    variables = {
        "probability_top": ("entity", share),
        "probability_top_error": ("entity", share_off, {"method": ERROR}),
        "in_credible_set": ("entity", chosen),
        "credible_probability": ((), probability),
        "credible_probability_error": ((), error, {"method": ERROR}),
        "in_confidence_set": ("entity", ranked & (first <= k)),
        "surely_top": ("entity", ranked & (last <= k)),
        "rank_lower": ("entity", first),
        "rank_upper": ("entity", last),
    }
    record = replace(score_found.facts, prob=prob, draws=batches.number, method="draws").to_attrs()
    record |= {"k": k, "smallest": int(smallest), "sets": sets.kind}
    return xr.Dataset(variables, {"entity": names}, record)


def smallest_set(top: np.ndarray, lost: int) -> tuple[np.ndarray, bool]:
    """Return the smallest set that holds all that is ``top`` (draw, entity) in all draws except ``lost``.

    Ties are broken by the number of held draws, then by dropping later entities. Also return
    whether the set is known to be the smallest.
    """
    count = top.sum(axis=0)
    retained = count > 0
    doubtful = np.flatnonzero(retained & (count <= lost))
    if len(doubtful) <= EXACT_SIZE:
        retained[doubtful] = _best_subset(top[:, doubtful], lost)
        return retained, True
    # From the last entity on, so that ties drop the last.
    doubtful = doubtful[::-1]
    out = top[:, doubtful]
    costs = out.sum(axis=0)
    full = np.ones(len(top), bool)
    while (cost := costs.min()) <= lost:
        least = int(np.argmin(costs))
        lost -= int(cost)
        retained[doubtful[least]] = False
        gone = full & out[:, least]
        full &= ~gone
        costs -= out[gone].sum(axis=0)
        costs[least] = len(top) + 1
    return retained, bool((top.sum(axis=1) <= 1).all())


def _best_subset(top: np.ndarray, lost: int) -> np.ndarray:
    """Return the entities to keep so that at most ``lost`` draws lose one of theirs, by trying all subsets."""
    size = top.shape[1]
    bits = 1 << np.arange(size)
    counts = np.bincount(top @ bits, minlength=1 << size)
    # Draws with all members in a subset: sums over its subsets, one entity at a time.
    for i in range(size):
        pairs = counts.reshape(-1, 2, 1 << i)
        pairs[:, 1] += pairs[:, 0]
    subset = np.arange(1 << size)
    number = (subset[:, None] & bits > 0).sum(axis=1)
    enough = np.flatnonzero(counts >= len(top) - lost)
    # Earlier entities are the lower bits, so the smaller number keeps them in a tie.
    best = enough[np.lexsort((enough, -counts[enough], number[enough]))[0]]
    return best & bits > 0


def _allowed_losses(top: np.ndarray, half: np.ndarray, prob: float) -> tuple[int, np.ndarray]:
    """Return the number of draws that the set may lose to hold ``prob`` of the other half, and the draws it holds.

    The held draws are those of each half in the set of the other half; NaN without halves.
    """
    most = int(np.floor((1 - prob) * len(top) + 1e-9))
    sizes = [int((half == h).sum()) for h in (0, 1)]
    if min(sizes) < 2:
        return most, np.full(len(top), np.nan)

    def held(lost: int) -> np.ndarray:
        result = np.empty(len(top))
        for h in (0, 1):
            chosen, _ = smallest_set(top[half != h], lost * sizes[1 - h] // len(top))
            result[half == h] = ~(top[half == h] & ~chosen).any(axis=1)
        return result

    # The largest number that holds enough, or none.
    enough, result = 0, held(0)
    first, last = 1, most
    while first <= last:
        middle = (first + last + 1) // 2
        trial = held(middle)
        if trial.mean() >= prob - 1e-9:
            enough, result, first = middle, trial, middle + 1
        else:
            last = middle - 1
    return enough, result


def _share(
    events: np.ndarray, batch: np.ndarray, number: int, effective_size: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of draws (draw, ...) and its error."""
    sizes = np.bincount(batch, minlength=number)
    sums = np.zeros((number, *events.shape[1:]))
    np.add.at(sums, batch, events)
    share = (
        sums.sum(axis=0) / max(len(events), 1) if len(events) else np.full(events.shape[1:], np.nan)
    )
    return share, share_error(
        share, mean_error(sums, sizes), len(events) + 0 * effective_size, effective_size
    )
