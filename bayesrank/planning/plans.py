"""How many more cases are needed: the assurance that a future posterior meets a target."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_absent,
    check_bool,
    check_choice,
    check_integer,
    check_number,
    check_prob,
    check_sequence,
    describe_value,
)
from bayesrank._core.draws import DRAW_DIMS
from bayesrank._core.errors import Advice, ArgumentError, ArgumentKeyError, InPython, Typed
from bayesrank._core.labels import name_coord, select_names
from bayesrank._core.notes import notes_text
from bayesrank._core.random import Seed, root_sequence, stream
from bayesrank._core.records import PlanRecord
from bayesrank._core.source import Over
from bayesrank._core.types import Container, ScoreLike
from bayesrank.claims.caps import cap_of
from bayesrank.planning._goals import Goal
from bayesrank.planning.futures import Updates
from bayesrank.planning.preposterior import Preposterior, Request, check_posterior, read_source
from bayesrank.planning.updates import alternative_requests, with_units
from bayesrank.ranking.aggregates import OF_PLANS, Scored, scored
from bayesrank.ranking.claims import caps_of
from bayesrank.ranking.credible import rank_pair
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.intervals import position_of
from bayesrank.ranking.separation import Pair, Separation
from bayesrank.ranking.summary import score_name
from bayesrank.ranking.values import RankingOptions
from bayesrank.scores import Score
from bayesrank.scores.names import find

#: The rival that stands for every rival.
ALL = "all"
#: Sizes that are tried, from this share of today's units to this many times them.
SIZES, LEAST, LARGEST = 12, 0.1, 100
#: Numbers in the futures of tables, if the target is an interval.
INTERVALS = 400_000
#: Relative width at which the search for the number ends.
PRECISION = 5e-3


@check_call
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
    true_scores: str | None = None,
    futures: int = 500,
    seed: Seed = None,
) -> xr.Dataset:
    """Return how many more cases separate two entities if they truly differ by a given amount, or meet another target.

    By default the number is conditional on a true difference. It is the number in the verdict of a
    ranking. It assumes that the true scores of the two entities differ by ``margin`` or ``rope``;
    without these, by the difference that a learned population of entities gives them. With that
    many more cases, only one of the two could still be best by the rank sets, with probability
    ``assurance``. For other targets the number is unconditional: it averages over simulated
    futures, that is, possible results of the new cases. Their true scores come from the learned
    population of entities, or as ``true_scores`` says. Source: O'Hagan, Stevens and Campbell
    (2005), Assurance in clinical trial design, Pharmaceutical Statistics 4:187-201.

    Parameters
    ----------
    posterior : InferenceData or DataTree
        The result of :func:`bayesrank.fit`; or its mean or worst group from
        :func:`bayesrank.performance.aggregate_over`, for which the new cases have the observed
        shares of the groups.
    score : Score, str or callable, optional
        The score to rank by; by default the mean outcome, if cases have outcomes instead of
        classes.
    target : float
        The joint level of the rank sets, or the posterior probability to reach.
    assurance : float
        The probability that the target is met.
    entity, rival : hashable, optional
        The two entities; by default the leader and its closest rival.
    margin, rope : float, optional
        In a conditional plan, one of them is the assumed true difference, in units of the score. In
        an unconditional one, they change the target, as described with ``true_scores``.
    k, width : optional
        Other targets of an unconditional plan, described with ``true_scores``.
    true_scores : {"difference", "population", "posterior"}, optional
        Where the true scores of the futures come from. ``"difference"``: a known difference of two
        entities (a conditional plan). ``"population"``: the learned population of entities.
        ``"posterior"``: the posterior under independent priors. The default is a known difference,
        or the learned population if ``k``, ``width``, ``rival="all"``, ``more``, ``positives`` or
        ``alternatives`` is given: these need an unconditional plan. Its targets are:

        - by default P(best) ≥ ``target``: that ``entity`` (if not given, the entity that then
          leads) is best by more than ``rope``;
        - with ``rival``: ``entity`` beats it with this probability; with ``rival="all"`` each
          rival, pair by pair;
        - with ``margin``: ``entity`` is less than this worse than ``rival``;
        - with ``k``: the ``k`` entities that then lead are the true top ``k``;
        - with ``width``: the interval of the score with probability ``target`` has at most this
          width.
    more : str, optional
        The kind of new units: "cases", "clusters", "data sets", "runs" or "training seeds". The
        default is the unit that the model assumes to be independent: data sets for a hierarchical
        model, training seeds of retrained models, clusters if there are any, else cases. New
        "cases" belong to the observed data sets or clusters, new "runs" and "training seeds" to the
        observed cases.
    positives : float, optional
        Share of positives among the new cases, if class sizes are set by design; by default as
        observed.
    sizes : sequence of int, optional
        Numbers of new units of the curve; by default 12 numbers, from a tenth to a hundred times
        the observed number. The answer lies between two of them, and is refined by bisection.
    kind : str, optional
        Which performance of a hierarchical posterior: "typical" or "new".
    higher_is_better : bool, optional
        Overrides the direction of the score.
    alternatives : bool
        Plan for other kinds of new units too.
    futures : int
        Simulated futures of an unconditional plan.
    seed : int, SeedSequence or Generator, optional
        Source of all random numbers of an unconditional plan; a conditional one has none.

    Returns
    -------
    xarray.Dataset
        Over ``n``, the number of new units: ``success``, the share of futures that meet the target,
        and ``success_error``. Scalars: ``needed``, the answer (0 if the target is met today, NaN if
        no number is known); ``limit``, the limit of ``success`` for unlimited n; ``now``, the
        posterior probability (or width) today; ``cases_each``, the number of cases in a unit. A
        conditional plan has ``difference``, the assumed true one, and ``separation``, the note that
        the verdict states. An unconditional plan has ``probability_best`` (n), the expected P(best)
        of the entity that then leads; ``expected_loss`` (n) from choosing it, in units of the
        score; their errors; and ``needed_lower``, ``needed_upper``: the range of the answer from
        twice the Monte-Carlo error. If there is no number, ``attrs["reason"]`` is "cap" (something
        else limits the headline; ``caps`` says what), "equal" (no difference is expected), "limit"
        or "fixed" (no number is enough) or "size" (no tried number is enough). With
        ``alternatives``, ``alternative_needed``, ``alternative_cases`` and ``alternative_limit``
        over ``alternative``.

    Raises
    ------
    ValueError, TypeError, KeyError
        If targets exclude each other (``k``, ``width`` and ``rival``, or ``margin`` and ``rope``),
        an entity is unknown, the posterior has fewer than 100 draws with a defined score, or
        ``more`` or ``positives`` does not suit the evidence. For example, ``more="data sets"``
        needs a hierarchical model.

    Notes
    -----
    A conditional plan keeps today's data. It assumes normal estimates, and new cases as informative
    as the observed ones. The mean score of the two entities, and the scores of all others, are at
    their posterior means. In an unconditional plan, counts and joint outcomes are updated as in the
    conjugate models, and scores are normal apart from the skewness of today's differences.
    Hierarchical posteriors are assumed to be normal, and each new data set as informative as an
    observed one. If the evidence of the posterior does not say what new cases would add, the
    default plan is unconditional.

    Examples
    --------
    >>> counts = br.from_counts(tn=[80, 84], fp=[20, 16], fn=[15, 14], tp=[35, 36], entity=["a", "b"])
    >>> posterior = br.fit(counts, seed=1)
    >>> found = plan(posterior, "mcc", margin=0.1)
    >>> found.attrs["entity"], found.attrs["rival"], 500 < found["needed"].item() < 1500
    ('b', 'a', True)
    >>> found = plan(posterior, "mcc", entity="b", rival="a", true_scores="posterior", seed=1)
    >>> found["limit"].item() < 0.8, found["needed"].item(), found.attrs["reason"]
    (True, nan, 'limit')
    """
    target, assurance = check_prob("target", target), check_prob("assurance", assurance)
    rope, futures = (
        check_number("rope", rope, 0.0, finite=True),
        check_integer("futures", futures, 20),
    )
    check_bool("alternatives", alternatives)
    _refuse_these_cases(score)
    root, posterior = root_sequence(seed), check_posterior(posterior)
    unconditional = {
        "k": k,
        "width": width,
        "rival='all'": (isinstance(rival, str) and rival == ALL) or None,
        "more": more,
        "positives": positives,
        "alternatives": alternatives or None,
    }
    others = [name for name, value in unconditional.items() if value is not None]
    if true_scores is not None:
        check_choice("true_scores", true_scores, ("difference", "population", "posterior"))
    if true_scores == "difference" and others:
        raise ArgumentError(
            "true_scores", f"must be 'population' or 'posterior' with {others[0]}", "'difference'"
        )
    if isinstance(posterior, Over):
        posterior.check(OF_PLANS, "a plan", "how others change with more cases is not known")
        for name in [*others, *["true_scores"] * (true_scores not in (None, "difference"))]:
            raise ArgumentError(
                name,
                Advice(
                    "cannot be used for a plan over groups, which needs a known difference (",
                    Typed("margin"),
                    ")",
                ),
            )
    else:
        posterior = posterior.with_datasets()
    scored_source = scored(posterior, score, higher_is_better, kind)
    if true_scores in (None, "difference") and not others:
        least = _true_difference(margin, rope)
        settings, pair = RankingOptions(target, rope), Pair(entity, rival, least)
        result = _of_difference(scored_source, settings, kind, pair, assurance, sizes)
        if result is not None:
            return result
        if true_scores is not None or isinstance(posterior, Over):
            raise ArgumentError(
                "posterior",
                "must come from evidence that shows what new cases add, for a conditional plan",
            )
    entities = {
        "entity": entity,
        "rival": None if isinstance(rival, str) and rival == ALL else rival,
    }
    named = {argument: name for argument, name in entities.items() if name is not None}
    top = 1 if k is None else check_integer("k", k, 1)
    source = read_source(scored_source, score, kind, top, named)
    if true_scores == "posterior":
        source = replace(source, population=None)
    goal = _goal(source, target, entity, rival, k, width, margin, rope)
    chosen = with_units(source, Request(more, positives))
    result = _plan_sizes(
        chosen, goal, assurance, _sizes(sizes, chosen.units, chosen.most), futures, root
    )
    if not alternatives:
        return result
    return result.assign(_plan_alternatives(source, goal, assurance, futures, root))


def _true_difference(margin: float | None, rope: float) -> float:
    """Return the least true difference of a conditional plan: the margin, or the ROPE."""
    if margin is not None and rope:
        raise ArgumentError(
            "margin and rope",
            "both name the true difference: pass one of them",
            f"{margin}, {rope}",
        )
    return rope if margin is None else check_number("margin", margin, 0.0, finite=True)


def _plan_alternatives(
    source: Preposterior,
    goal: Goal,
    assurance: float,
    futures: int,
    root: np.random.SeedSequence,
) -> xr.Dataset:
    """Return the needed units, their cases and the limit of plans for other kinds of new units."""
    rows = []
    kinds = alternative_requests(source)
    for request in kinds.values():
        other = with_units(source, request)
        sizes = _sizes(None, other.units, other.most)
        other_plan = _plan_sizes(other, goal, assurance, sizes, futures, root)
        needed = float(other_plan["needed"])
        rows.append((needed, needed * other.cases_each, float(other_plan["limit"])))
    columns = zip(("needed", "cases", "limit"), np.array(rows).reshape(-1, 3).T, strict=True)
    return xr.Dataset(
        {f"alternative_{name}": ("alternative", column) for name, column in columns},
        {"alternative": name_coord([*kinds]) if kinds else np.empty(0, str)},
    )


def _refuse_these_cases(score: Any) -> None:
    """Refuse a score of these cases, which no new case can change."""
    parsed = find(score) if isinstance(score, str) else score
    if isinstance(parsed, Score) and parsed.attempts is not None and parsed.attempts.these:
        raise ArgumentError(
            "score",
            "must be for cases like these, since a plan is for new cases",
            f"{parsed.aliases[0]!r}",
            InPython(
                f"br.cases.reliability(posterior, {parsed.display!r}) is a plan for more runs"
            ),
        )


def _of_difference(
    one: Scored,
    settings: RankingOptions,
    kind: str | None,
    pair: Pair,
    assurance: float,
    sizes: Any,
) -> xr.Dataset | None:
    """Return a conditional plan; None if the posterior does not say what new cases add, and nothing limits a claim."""
    names = one.found.values
    if not set(names.dims) <= {*DRAW_DIMS, "entity"} or names.sizes["entity"] < 2:
        return None
    named = {"entity": pair.entity, "rival": pair.rival}
    for argument, which in named.items():
        if which is not None:
            check_choice(argument, which, names["entity"].values.tolist(), ArgumentKeyError)
    if pair.entity is not None and pair.entity == pair.rival:
        raise ArgumentError("rival", "must be another entity", f"{pair.rival!r} twice")
    ranking, compared = rank_pair(one, settings, kind, pair)
    caps = [note for note in caps_of(ranking) if not cap_of(note).allows_numbers]
    position = position_of(ranking).values
    if np.isnan(position).all():
        raise ArgumentError("score", "must be defined for at least one entity", score_name(ranking))
    leader = ranking["entity"].values[int(np.nanargmin(position))]
    if compared is None and not caps and one.source is None and pair.entity is None:
        # A sole leader of an aggregate, whose plan is of no other kind: with its closest rival.
        return _of_difference(one, settings, kind, pair._replace(entity=leader), assurance, sizes)
    if compared is None and not caps:
        return None
    retained = ("score", "display", "higher_is_better", "noun")
    record: dict[str, Any] = {
        name: ranking.attrs[name] for name in retained if name in ranking.attrs
    }
    record["true_scores"] = "difference"
    record |= {
        "goal": "separation",
        "target": settings.prob,
        "assurance": assurance,
        "entity": "",
        "rival": "",
    }
    record |= {"unit": "cases", "reason": "cap"}
    record |= {"k": 1, "width": np.nan, "margin": 0.0, "fixed": "", "alike": [], "futures": 0}
    record["entities"] = ranking.sizes["entity"]
    record["leader"] = str(leader)
    limits = {"caps": notes_text(caps), "separation": get_fact(ranking, "separation")}
    if compared is None:
        empty = {name: ("n", np.empty(0)) for name in ("success", "success_error")}
        unknown = dict.fromkeys(("needed", "limit", "now", "difference", "cases_each"), np.nan)
        return xr.Dataset(empty | unknown | limits, {"n": np.empty(0, int)}, record)
    note = compared.note(assurance)
    tried = _sizes(sizes, compared.units[:2] - compared.prior[:2])
    success = np.array(
        [compared.success(n) if compared.difference > 0 else 0.0 for n in tried.tolist()]
    )
    needed = note.fields.get("needed")
    reason = "cap" if caps else _reason(compared, needed)
    number = {"cap": np.nan, "met": 0.0}.get(reason, np.nan if needed is None else needed)
    scalars = {
        "needed": number, "limit": float(compared.difference > 0), "difference": compared.difference,
        "now": float(select_names(ranking["superiority"], entity=compared.entity, rival=compared.rival)),
        "units": float(compared.units[:2].max()), "cases_each": compared.cases_each,
    }  # fmt: skip
    curve = {"success": ("n", success), "success_error": ("n", 0 * success)}
    record |= {
        "entity": str(compared.entity),
        "rival": str(compared.rival),
        "unit": compared.unit,
        "reason": reason,
    }
    return xr.Dataset(
        curve | scalars | limits | {"separation": notes_text([note])}, {"n": tried}, record
    )


def _reason(compared: Separation, needed: float | None) -> str:
    """Return why a conditional plan has no number, or that the target is met; empty if it has one."""
    if compared.apart:
        return "met"
    if needed:
        return ""
    return "size" if compared.difference > 0 else "equal"


def _goal(
    source: Preposterior,
    target: float,
    entity: Any,
    rival: Any,
    k: Any,
    width: Any,
    margin: Any,
    rope: float,
) -> Goal:
    """Check the arguments that state the target, and return it."""
    names = source.names
    which = None if entity is None else names.index(entity)
    asked = [
        name for name, given in (("k", k), ("width", width), ("rival", rival)) if given is not None
    ]
    if len(asked) > 1:
        raise ArgumentError(
            "k, width and rival", "are targets of their own: pass one of them", " and ".join(asked)
        )
    if width is not None:
        width = check_number("width", width, 0.0, finite=True, ends=False)
        check_absent("rope", rope or None, "with width, the target of one interval")
        check_absent("margin", margin, "with width, the target of one interval")
        return Goal("interval", target, which, width=width)
    if len(names) < 2:
        raise ArgumentError(
            "posterior",
            "must contain at least two entities for this target",
            len(names),
            "width= needs one",
        )
    if k is not None:
        check_absent("entity", entity, "with k, the target of the k best")
        check_absent("margin", margin, "with k, the target of the k best")
        return Goal("top", target, k=check_integer("k", k, 1, len(names) - 1), margin=rope)
    if margin is not None:
        margin = check_number("margin", margin, 0.0, finite=True)
        if entity is None or rival is None or rival == ALL or rope:
            raise ArgumentError(
                "margin", "must come with an entity and a rival, and without a rope"
            )
    if rival is None:
        return Goal("best", target, which, margin=rope)
    if isinstance(rival, str) and rival == ALL:
        if ALL in names:
            raise ArgumentError(
                "rival='all' stands for every rival, but",
                "also names an entity; rename the entity",
            )
        return Goal("each", target, which, margin=rope)
    rival_place = names.index(rival)
    if rival_place == which:
        raise ArgumentError("rival", "must be another entity", f"{rival!r} twice")
    return Goal("rival", target, which, rival_place, margin=rope if margin is None else -margin)


def _sizes(sizes: Any, units: np.ndarray, limit: float = np.inf) -> np.ndarray:
    """Return the numbers of new units to try, ascending."""
    if sizes is None:
        most = float(units.max())
        ends = max(LEAST * most, 1), max(LARGEST * most, LARGEST)
        return np.unique(
            np.geomspace(min(ends[0], limit), min(ends[1], limit), SIZES).round().astype(int)
        )
    requested = check_sequence("sizes", sizes)
    if not requested:
        raise ArgumentError("sizes", "must be a sequence of whole numbers", describe_value(sizes))
    return np.unique([check_integer("sizes", size, 1) for size in requested])


def _plan_sizes(
    source: Preposterior,
    goal: Goal,
    assurance: float,
    sizes: np.ndarray,
    futures: int,
    root: np.random.SeedSequence,
) -> xr.Dataset:
    if goal.kind == "interval" and source.cells:
        # A width needs no pairs, and more futures make it exact.
        futures = max(futures, min(INTERVALS // source.cells, INTERVALS // 20))
    now = goal.now(source.draws)
    forecast = _Forecast.of(source, goal, futures, root)
    rows = forecast.follow(sizes)
    curve = np.array([*rows.values()]).T
    if not source.found.finite_mean:
        curve[4:] = np.nan
    limit, limit_error = _limit(source, goal, futures, root)
    needed, lower, upper, reason = np.nan, np.nan, np.nan, ""
    if now <= goal.width if goal.kind == "interval" else now >= goal.target:
        needed, lower, upper, reason = 0.0, 0.0, 0.0, "met"
    elif limit < assurance:
        reason = "fixed" if source.fixed else "limit"
    elif (curve[0] >= assurance).any():
        needed, lower, upper = forecast.search(rows, sizes, curve[0], assurance)
    else:
        reason = "size"
    names = ("success", "probability_best", "expected_loss")
    columns = [f"{name}{end}" for name in names for end in ("", "_error")]
    variables = {name: ("n", values) for name, values in zip(columns, curve, strict=True)}
    scalars = {
        "needed": needed, "needed_lower": lower, "needed_upper": upper, "limit": limit, "limit_error": limit_error,
        "now": now, "units": float(source.units.max()), "cases_each": source.cases_each,
    }  # fmt: skip
    record = _record_of(source, goal, assurance, futures, reason)
    return xr.Dataset(variables | scalars, {"n": sizes}, record.to_attrs())


@dataclass(frozen=True)
class _Forecast:
    """Futures of a plan: their posteriors after any number of new units, and the scores that are then true."""

    source: Preposterior
    goal: Goal
    futures: int
    root: np.random.SeedSequence
    #: The futures before any new unit, which ``follow`` extends.
    updates: Updates
    #: The mean of the updates before any new unit (entity).
    today: np.ndarray
    #: The spread of the posterior over that of the updates today (entity).
    wider: np.ndarray
    #: How far the true scores lie from the truth of the updates (future, entity).
    moved: np.ndarray
    skewness: np.ndarray
    #: P(best) and the loss of each entity, given the true scores (future, entity).
    best: np.ndarray
    loss: np.ndarray

    @classmethod
    def of(
        cls, source: Preposterior, goal: Goal, futures: int, root: np.random.SeedSequence
    ) -> "_Forecast":
        updates = source.updates(futures, stream(root, "plan", source.unit))
        mean, covariance = updates.moments()
        draws, spread = source.draws, source.covariance
        with np.errstate(invalid="ignore", divide="ignore"):
            wider = np.sqrt(np.diag(spread) / np.diag(covariance[0]))
        wider = np.nan_to_num(wider, nan=1.0, posinf=1.0)
        wider[np.abs(wider - 1) < 3 / np.sqrt(2 * len(draws))] = 1.0  # an error of draws
        truth = source.true_scores(updates.truth, stream(root, "plan population"))
        top = truth.max(1, keepdims=True)
        is_best = truth == top
        return cls(
            source,
            goal,
            futures,
            root,
            updates,
            today=mean[0],
            wider=wider,
            moved=truth - updates.truth,
            skewness=_skewness(draws, spread),
            best=is_best / is_best.sum(1, keepdims=True),
            loss=top - truth,
        )

    def follow(self, sizes: np.ndarray) -> dict[int, list[float]]:
        """Return the row of each number of new units, which rise."""
        rows = {}
        for size, more in zip(sizes.tolist(), np.diff(sizes, prepend=0).tolist(), strict=True):
            self.updates.extend(more)
            rows[size] = self.row(self.updates)
        return rows

    def row(self, updates: Updates) -> list[float]:
        """Return the share of futures that meet the target, P(best) of the leader and its loss, with errors."""
        mean, covariance = updates.moments()
        past = updates.past()
        average = self.source.draws.mean(0)
        # What the approximation misses today it misses in proportion to what is left of today's
        # evidence.
        factor = 1 + (self.wider - 1) * past
        mean = np.where(np.isnan(mean), average, mean + (average - self.today) * past)
        mean = mean + self.moved * (1 - past)
        covariance = np.nan_to_num(covariance) * factor[:, None] * factor
        leader = mean.argmax(1)[:, None]
        skewness = self.skewness * np.sqrt(np.sqrt(past[:, None] * past))
        numbers = [*_share(self.goal.met(mean, covariance, skewness))]
        for values in (self.best, self.loss):
            of_leader = np.take_along_axis(values, leader, 1)[:, 0]
            numbers += [of_leader.mean(), of_leader.std() / np.sqrt(of_leader.size)]
        return numbers

    def search(
        self, rows: dict[int, list[float]], sizes: np.ndarray, success: np.ndarray, assurance: float
    ) -> tuple[float, float, float]:
        """Return the least number of units that is enough, and its range; ``rows`` gains the tried numbers."""
        first = int(np.argmax(success >= assurance))
        low, high = float(sizes[first - 1]) if first else 0.5, float(sizes[first])
        while high / low > 1 + PRECISION and high - np.floor(low) > 1:
            middle = float(np.round(np.sqrt(low * high)).clip(np.floor(low) + 1, high - 1))
            updates = self.source.updates(self.futures, stream(self.root, "plan", self.source.unit))
            updates.extend(int(middle))
            rows[int(middle)] = self.row(updates)
            low, high = (low, middle) if rows[int(middle)][0] >= assurance else (middle, high)
        tried = sorted(rows)
        share, error = np.array([rows[size][:2] for size in tried]).T
        lower, upper = (_crossing(np.array(tried), share + k * error, assurance) for k in (2, -2))
        return high, lower, upper


def _record_of(
    source: Preposterior, goal: Goal, assurance: float, futures: int, reason: str
) -> PlanRecord:
    entity, rival = (
        "" if which is None else str(source.names[which]) for which in (goal.entity, goal.rival)
    )
    return PlanRecord(
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
        true_scores="posterior" if source.population is None else "population",
    )


def _skewness(draws: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the skewness of today's differences (entity, entity)."""
    centred = draws - draws.mean(0)
    third = (centred**2).T @ centred / len(draws)
    own, variance = np.diag(third), np.diag(covariance)
    # The third moment of a difference a - b is E[a³] - 3 E[a²b] + 3 E[ab²] - E[b³].
    moment = own[:, None] - 3 * third + 3 * third.T - own
    spread = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
    return np.divide(moment, spread**3, out=np.zeros_like(moment), where=spread > 1e-12)


def _limit(
    source: Preposterior, goal: Goal, futures: int, root: np.random.SeedSequence
) -> tuple[float, float]:
    """Return the share of futures that meet the target with unlimited units."""
    if not source.fixed:
        return _share(goal.holds(source.true_scores(source.draws, stream(root, "plan population"))))
    updates = source.updates(max(futures, 1000), stream(root, "plan limit", source.unit))
    updates.extend(np.inf)
    mean, covariance = updates.moments()
    return _share(goal.met(mean, covariance, np.zeros(covariance.shape[1:])))


def _crossing(sizes: np.ndarray, success: np.ndarray, level: float) -> float:
    """Return the size at which a curve reaches a level, interpolated; NaN if it does not."""
    # The curve rises; Monte-Carlo error is smoothed away.
    rising = (np.maximum.accumulate(success) + np.minimum.accumulate(success[::-1])[::-1]) / 2
    above = np.flatnonzero(rising >= level)
    if not above.size:
        return np.nan
    i = int(above[0])
    if i == 0:
        return float(sizes[i])
    part = (level - rising[i - 1]) / (rising[i] - rising[i - 1])
    return float(np.ceil(np.exp(np.log(sizes[i - 1]) + part * np.log(sizes[i] / sizes[i - 1]))))


def _share(reached: np.ndarray) -> tuple[float, float]:
    """Return a share and its Monte-Carlo error, which is never 0."""
    size, hits = reached.size, reached.sum()
    p = (hits + 1) / (size + 2)
    return float(hits / size), float(np.sqrt(p * (1 - p) / size))
