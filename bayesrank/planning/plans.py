"""How many more cases are needed: the assurance that a future posterior meets a target."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_absent, check_bool, check_integer, check_number, check_prob, describe_value
from bayesrank._errors import ArgumentError
from bayesrank._labels import name_coord
from bayesrank._random import Seed, root_sequence, stream
from bayesrank._records import PlanRecord
from bayesrank._types import Container, ScoreLike
from bayesrank.planning._evidence import Source, kinds_of, read_source, with_units
from bayesrank.planning._goals import Goal

#: The rival that stands for every rival.
ALL = "all"
#: Sizes that are tried, from this share of today's units to this many times them.
SIZES, LEAST, LARGEST = 12, 0.1, 100


def plan(
    posterior: Container,
    score: ScoreLike | None = None,
    target: float = 0.95,
    assurance: float = 0.8,
    *,
    entity: Any = None,
    rival: Any = None,
    k: int | None = None,
    width: float | None = None,
    margin: float | None = None,
    rope: float = 0.0,
    more: str | None = None,
    positives: float | None = None,
    sizes: Sequence[int] | None = None,
    kind: str | None = None,
    higher_is_better: bool | None = None,
    alternatives: bool = False,
    futures: int = 500,
    seed: Seed = None,
) -> xr.Dataset:
    """Return how many more cases are needed until the future posterior probably meets a target.

    Future cases are drawn from today's posterior and update it. The answer is the smallest number with which at least
    the share ``assurance`` of these futures meets the target.
    Source: O'Hagan, Stevens and Campbell (2005), Assurance in clinical trial design, Pharmaceutical Statistics
    4:187-201.

    Parameters
    ----------
    posterior : InferenceData or DataTree
        The result of :func:`bayesrank.fit`.
    score : Score, str or callable, optional
        The score to rank by; by default the mean outcome, if cases have outcomes instead of classes.
    target : float
        The posterior probability that the future posterior has to reach.
    assurance : float
        Today's probability that the future posterior reaches the target.
    entity : hashable, optional
        The entity that has to meet the target. By default, the entity that leads in the future posterior.
    rival : hashable, optional
        Without a rival, the target is P(best). With a rival, the entity has to beat this rival only; with
        ``rival="all"``, it has to beat each rival with probability ``target``, pair by pair.
    k : int, optional
        The target is that the ``k`` entities that lead in the future posterior are the true top ``k``.
    width : float, optional
        The target is an interval of the score with probability ``target`` and at most this width.
    margin : float, optional
        Non-inferiority to the rival: the entity has to be less than ``margin`` worse.
    rope : float
        The entity has to beat others by more than this.
    more : str, optional
        The kind of new units: "cases", "clusters", "data sets", "runs" or "training seeds". The default is the unit
        that the model assumes to be independent: data sets for a hierarchical model, training seeds of retrained
        models, clusters if there are any, else cases. New "cases" belong to the observed data sets or clusters, new
        "runs" and "training seeds" to the observed cases.
    positives : float, optional
        Share of positives among the new cases, if class sizes are set by design; by default as observed.
    sizes : sequence of int, optional
        Numbers of new units to try; by default 12 numbers, from a tenth to a hundred times the observed number. The
        answer is interpolated between two numbers within a factor of 4 of each other.
    kind : str, optional
        Which performance of a hierarchical posterior: "typical" or "new".
    higher_is_better : bool, optional
        Overrides the direction of the score.
    alternatives : bool
        Plan for other kinds of new units too.
    futures : int
        Simulated futures.
    seed : int, SeedSequence or Generator, optional
        Source of all random numbers.

    Returns
    -------
    xarray.Dataset
        Over ``n``, the number of new units: ``success``, the share of futures that meet the target;
        ``probability_best``, the expected P(best) of the entity that leads in the future posterior; ``expected_loss``
        from choosing it, in units of the score; each with its Monte-Carlo error, ``<name>_error``. Scalars: ``needed``,
        the answer (0 if the target is met today, NaN if no number does); ``needed_lower``, ``needed_upper``: its range
        from twice the Monte-Carlo error; ``limit``, the limit of ``success`` for unlimited n; ``now``, today's
        posterior probability (or width); ``cases_each``, the number of cases in a unit. If there is no number,
        ``attrs["reason"]`` is "limit" or "fixed" (no number suffices) or "size" (none of ``sizes`` does). With
        ``alternatives``, ``alternative_needed``, ``alternative_cases`` and ``alternative_limit`` over ``alternative``.

    Raises
    ------
    ValueError, TypeError, KeyError
        If an argument is wrong; the message names it, its value and what it should be.

    Notes
    -----
    Counts and joint outcomes are updated as in the conjugate models. The updated scores are assumed to be normal, apart
    from the skewness of today's differences. Hierarchical posteriors are assumed to be normal, and each new data set as
    informative as an observed one.

    Examples
    --------
    >>> counts = br.from_counts(tn=[80, 84], fp=[20, 16], fn=[15, 14], tp=[35, 36], entity=["a", "b"])
    >>> found = plan(br.fit(counts, seed=1), "mcc", entity="b", rival="a", seed=1)
    >>> found["limit"].item() < 0.8, found["needed"].item(), found.attrs["reason"]
    (True, nan, 'limit')
    """
    target, assurance = check_prob("target", target), check_prob("assurance", assurance)
    rope, futures = check_number("rope", rope, 0.0, finite=True), check_integer("futures", futures, 20)
    check_bool("alternatives", alternatives)
    root = root_sequence(seed)
    given = {"entity": entity, "rival": None if isinstance(rival, str) and rival == ALL else rival}
    named = {argument: name for argument, name in given.items() if name is not None}
    top = 1 if k is None else check_integer("k", k, 1)
    source = read_source(posterior, score, kind, higher_is_better, top, named)
    goal = _goal(source, target, entity, rival, k, width, margin, rope)
    chosen = with_units(source, more, positives)
    found = _plan_sizes(chosen, goal, assurance, _sizes(sizes, chosen.units, chosen.most), futures, root)
    if not alternatives:
        return found
    rows = []
    kinds = kinds_of(source)
    for options in kinds.values():
        other = with_units(source, **options)
        one = _plan_sizes(other, goal, assurance, _sizes(None, other.units, other.most), futures, root)
        rows.append((float(one["needed"]), float(one["needed"]) * other.cases_each, float(one["limit"])))
    columns = zip(("needed", "cases", "limit"), np.array(rows).reshape(-1, 3).T, strict=True)
    more_found = {f"alternative_{name}": ("alternative", column) for name, column in columns}
    return found.assign(more_found).assign_coords(alternative=name_coord([*kinds]) if kinds else np.empty(0, str))


def cases_to_separate(p: float, cases: float, target: float = 0.95, assurance: float = 0.8) -> float:
    """Return how many more cases separate two entities, whichever is better, if their difference is normal.

    The answer is 0 if today's probability already reaches the target.

    Parameters
    ----------
    p : float
        Today's probability that one entity beats the other.
    cases : float
        Number of cases on which this probability is based.
    target, assurance : float
        As for :func:`bayesrank.plan`.

    Examples
    --------
    >>> round(cases_to_separate(0.9, 100)), cases_to_separate(0.96, 100)
    (732, 0.0)
    """
    from scipy.special import ndtr, ndtri

    z, wanted = abs(float(ndtri(p))), float(ndtri(target))
    if z >= wanted:
        return 0.0

    def shortfall(share: float) -> float:
        left, scale = wanted * np.sqrt(1 - share), np.sqrt(share)
        return float(ndtr((z - left) / scale) + ndtr((-z - left) / scale)) - assurance

    low, high = 0.0, 1.0
    for _ in range(50):
        share = (low + high) / 2
        low, high = (share, high) if shortfall(share) < 0 else (low, share)
    return float(cases * high / (1 - high)) if high < 1 else np.inf


def _goal(source: Source, target: float, entity: Any, rival: Any, k: Any, width: Any, margin: Any, rope: float) -> Goal:
    """Check the arguments that state the target, and return it."""
    names = source.names
    which = None if entity is None else names.index(entity)
    asked = [name for name, given in (("k", k), ("width", width), ("rival", rival)) if given is not None]
    if len(asked) > 1:
        raise ArgumentError("k, width and rival", "are targets of their own: pass one of them", " and ".join(asked))
    if width is not None:
        width = check_number("width", width, 0.0, finite=True, ends=False)
        check_absent("rope", rope or None, "an interval")
        check_absent("margin", margin, "an interval")
        return Goal("interval", target, which, width=width)
    if len(names) < 2:
        raise ArgumentError(
            "posterior", "must hold two entities or more for this target", len(names), "width= needs one"
        )
    if k is not None:
        check_absent("entity", entity, "the top k")
        check_absent("margin", margin, "the top k")
        return Goal("top", target, k=check_integer("k", k, 1, len(names) - 1), margin=rope)
    if margin is not None:
        margin = check_number("margin", margin, 0.0, finite=True)
        if entity is None or rival is None or rival == ALL or rope:
            raise ArgumentError("margin", "must come with an entity and a rival, and without a rope")
    if rival is None:
        return Goal("best", target, which, margin=rope)
    if isinstance(rival, str) and rival == ALL:
        if ALL in names:
            raise ArgumentError(
                "rival='all' stands for every rival, but", "is the name of an entity too; rename the entity"
            )
        return Goal("each", target, which, margin=rope)
    other = names.index(rival)
    if other == which:
        raise ArgumentError("rival", "must be another entity", f"{rival!r} twice")
    return Goal("rival", target, which, other, margin=rope if margin is None else -margin)


def _sizes(sizes: Any, units: np.ndarray, limit: float = np.inf) -> np.ndarray:
    """Return the numbers of new units to try, ascending."""
    if sizes is None:
        most = float(units.max())
        ends = max(LEAST * most, 1), max(LARGEST * most, LARGEST)
        return np.unique(np.geomspace(min(ends[0], limit), min(ends[1], limit), SIZES).round().astype(int))
    if isinstance(sizes, str) or not np.ndim(sizes) == 1 or not len(sizes):
        raise ArgumentError("sizes", "must be a sequence of whole numbers", describe_value(sizes))
    return np.unique([check_integer("sizes", size, 1) for size in list(sizes)])


def _plan_sizes(
    source: Source, goal: Goal, assurance: float, sizes: np.ndarray, futures: int, root: np.random.SeedSequence
) -> xr.Dataset:
    draws, now = source.draws, goal.now(source.draws)
    met = now <= goal.width if goal.kind == "interval" else now >= goal.target
    updates = source.updates(futures, stream(root, "plan", source.unit))
    average, spread = draws.mean(0), source.covariance
    today = updates.moments()
    with np.errstate(invalid="ignore", divide="ignore"):
        wider = np.nan_to_num(np.sqrt(np.diag(spread) / np.diag(today[1][0])), nan=1.0, posinf=1.0)
    truth, skewness = updates.truth, _skewness(draws, spread)
    top = truth.max(1, keepdims=True)
    best = (truth == top) / (truth == top).sum(1, keepdims=True)
    rows = []
    for more in np.diff(sizes, prepend=0).tolist():
        updates.extend(more)
        mean, covariance = updates.moments()
        past = updates.past()
        # What the approximation misses today it misses in proportion to what is left of today's evidence.
        factor = 1 + (wider - 1) * past
        mean = np.where(np.isnan(mean), average, mean + (average - today[0][0]) * past)
        covariance = np.nan_to_num(covariance) * factor[:, None] * factor
        leader = mean.argmax(1)[:, None]
        shares = _share(goal.met(mean, covariance, skewness * np.sqrt(np.sqrt(past[:, None] * past))))
        of_leader = (np.take_along_axis(values, leader, 1)[:, 0] for values in (best, top - truth))
        rows.append([*shares, *(number for x in of_leader for number in (x.mean(), x.std() / np.sqrt(x.size)))])
    curve = np.array(rows).T
    if not source.found.finite_mean:
        curve[4:] = np.nan
    limit, limit_error = _limit(source, goal, futures, root)
    if met:
        needed, lower, upper, reason = 0.0, 0.0, 0.0, "met"
    elif limit < assurance:
        needed, lower, upper, reason = np.nan, np.nan, np.nan, "fixed" if source.fixed else "limit"
    else:
        needed, lower, upper = (_crossing(sizes, curve[0] + k * curve[1], assurance) for k in (0, 2, -2))
        reason = "size" if np.isnan(needed) else ""
    names = ("success", "probability_best", "expected_loss")
    columns = [f"{name}{end}" for name in names for end in ("", "_error")]
    found = {name: ("n", values) for name, values in zip(columns, curve, strict=True)}
    scalars = {
        "needed": needed, "needed_lower": lower, "needed_upper": upper, "limit": limit, "limit_error": limit_error,
        "now": now, "units": float(source.units.max()), "cases_each": source.cases_each,
    }  # fmt: skip
    entity, rival = ("" if which is None else str(source.names[which]) for which in (goal.entity, goal.rival))
    about = PlanRecord(
        **vars(replace(source.found.facts, range=None, unit=source.unit)),
        goal=goal.kind,
        target=goal.target,
        k=goal.k,
        width=goal.width,
        margin=goal.margin,
        entity=entity,
        rival=rival,
        fixed=source.fixed,
        entities=len(source.names),
        contenders=tuple(map(str, source.names)) if source.unit == "labels" else (),
        others=source.found.values.sizes["entity"] - len(source.names),
        alike=tuple(source.alike),
        assurance=assurance,
        futures=futures,
        reason=reason,
    )
    return xr.Dataset(found | scalars, {"n": sizes}, about.to_attrs())


def _skewness(draws: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the skewness of today's differences (entity, entity)."""
    centred = draws - draws.mean(0)
    third = (centred**2).T @ centred / len(draws)
    own, variance = np.diag(third), np.diag(covariance)
    # The third moment of a difference a - b is E[a³] - 3 E[a²b] + 3 E[ab²] - E[b³].
    moment = own[:, None] - 3 * third + 3 * third.T - own
    spread = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
    return np.divide(moment, spread**3, out=np.zeros_like(moment), where=spread > 1e-12)


def _limit(source: Source, goal: Goal, futures: int, root: np.random.SeedSequence) -> tuple[float, float]:
    """Return the share of futures that meet the target with unlimited units."""
    if not source.fixed:
        return _share(goal.holds(source.draws))
    updates = source.updates(max(futures, 1000), stream(root, "plan limit", source.unit))
    updates.extend(np.inf)
    mean, covariance = updates.moments()
    return _share(goal.met(mean, covariance, np.zeros(covariance.shape[1:])))


def _crossing(sizes: np.ndarray, success: np.ndarray, level: float) -> float:
    """Return the size at which a curve reaches a level, interpolated between sizes within a factor of 4; or NaN."""
    # The curve rises; Monte-Carlo error is smoothed away.
    rising = (np.maximum.accumulate(success) + np.minimum.accumulate(success[::-1])[::-1]) / 2
    above = np.flatnonzero(rising >= level)
    if not above.size:
        return np.nan
    i = int(above[0])
    if i == 0 or sizes[i] > 4 * sizes[i - 1]:
        return float(sizes[i])
    part = (level - rising[i - 1]) / (rising[i] - rising[i - 1])
    return float(np.ceil(np.exp(np.log(sizes[i - 1]) + part * np.log(sizes[i] / sizes[i - 1]))))


def _share(met: np.ndarray) -> tuple[float, float]:
    """Return a share and its Monte-Carlo error, which is never 0."""
    size, hits = met.size, met.sum()
    p = (hits + 1) / (size + 2)
    return float(hits / size), float(np.sqrt(p * (1 - p) / size))
