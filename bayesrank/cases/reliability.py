"""How reliable runs are: the spread between runs beside that between cases, and what would decide a comparison."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_number, check_prob
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import name_coord
from bayesrank._core.records import ReliabilityRecord
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.evidence.attempts import RateMoments
from bayesrank.evidence.kinds import parse_evidence
from bayesrank.models.parts.attempts import AttemptsPosterior
from bayesrank.scores import Score, get

#: Numbers of runs of a case that a plan shows, beside today's, and the largest that is searched.
PLANNED, MOST = (1, 2, 4, 8, 16, 32, 64), 2**14


@check_call
def reliability(
    posterior: Container,
    score: Score | str = "pass@1",
    *,
    entity: Any = None,
    rival: Any = None,
    difference: float | None = None,
    prob: float = 0.95,
    assurance: float = 0.8,
) -> xr.Dataset:
    r"""Return how much a score varies between runs and between cases, and how many of each separate two entities.

    With rates :math:`p_i` of the cases, the variance of pass^k between cases is that of
    :math:`p_i^k`; of pass@k, that of :math:`(1 - p_i)^k`. The variance between runs is that of the
    outcome of k attempts at one case. Both are estimated from moments of the rates, for which a
    case needs 2 k runs.

    The plan is for two entities whose true scores differ by ``difference``. On N cases with r runs
    each, their difference has the variance :math:`(B + W_r) / N`: B between cases, of the
    difference, and :math:`W_r` within cases. The variances are today's.

    Parameters
    ----------
    posterior : InferenceData or DataTree
        The result of :func:`bayesrank.fit` with the model ``"paired"``, for right or wrong runs of
        each case of one data set.
    score : Score or str
        pass@k or pass^k.
    entity, rival : hashable, optional
        The two entities of the plan; by default the one with the highest observed score, and the
        next one.
    difference : float, optional
        Their assumed true difference; by default the observed one, which is too large on average
        for entities that were chosen because they lead.
    prob, assurance : float
        Level of the two-sided claim, and the probability of reaching it.

    Returns
    -------
    xarray.Dataset
        Over ``entity``: ``observed``; ``between_cases`` and ``between_runs``, standard deviations
        in units of the score, NaN if no case has 2 k runs; and ``flickering``, the number of cases
        that it solves in some runs only. Over ``case`` and ``entity``: ``right`` and ``runs`` of
        the cases that flicker for any entity, those that do for most entities first. Over
        ``planned_runs``: ``cases_needed``, the total number of cases that are needed with this number of runs each.
        Scalars: ``runs_needed``, the number of runs of today's cases; NaN if no number is enough.
        Attrs: ``score``, ``entity``, ``rival``, ``difference``, ``prob``, ``assurance``, ``cases``,
        and ``runs``, the smallest number of runs of a case today.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the score is not of attempts, the posterior does not know the runs of its cases or has
        several data sets, an entity is unknown, or ``difference`` is no positive number.

    References
    ----------
    Hoeffding (1948), A class of statistics with asymptotically normal distribution, Annals of
    Mathematical Statistics 19:293-325, has the variance of an estimate from all subsets of runs.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"case": np.repeat(range(20), 4), "run": [1, 2, 3, 4] * 20})
    >>> runs = runs.assign(a=[1, 0, 0, 1] * 20, b=([1] * 4 + [0] * 4) * 10)
    >>> found = br.cases.reliability(br.fit(br.from_outcomes(runs, case="case", run="run"), seed=1), difference=0.1)
    >>> found["flickering"].values.tolist(), found["between_cases"].sel(entity="b").item()
    ([20, 0], 0.5)
    >>> found["runs_needed"].item()
    nan
    """
    event_score = score if isinstance(score, Score) else get(score)
    if event_score.attempts is None or event_score.attempts.majority:
        raise ArgumentError("score", "must be pass@k or pass^k", f"{event_score.name!r}")
    prob, assurance = check_prob("prob", prob), check_prob("assurance", assurance)
    if difference is not None:
        difference = check_number("difference", difference, 0.0, finite=True, ends=False)
    event = event_score.attempts
    attempts = _attempts_of(posterior, event.k, event_score.display)
    names, count = attempts.evidence.entities, attempts.evidence.count[attempts.kept]
    observed, made = attempts.means(event), attempts.used.runs
    moments = RateMoments.of(attempts.used, count, event.every)
    right, runs = attempts.used.cells
    fewest = int(made[made > 0].min())
    estimable = attempts.used.most >= 2 * event.k
    unknown = np.full(len(names), np.nan)
    result: dict[str, Any] = {
        "observed": observed,
        "between_cases": np.sqrt(moments.between(event.k)) if estimable else unknown,
        "between_runs": np.sqrt(moments.within(event.k, event.k)) if estimable else unknown,
        "flickering": attempts.used.numbers(count)[(right > 0) & (right < runs)]
        .sum(axis=0)
        .round()
        .astype(int),
    }
    measured = xr.Dataset(
        {name: ("entity", values) for name, values in result.items()}, {"entity": name_coord(names)}
    )
    measured = measured.merge(_flickering(attempts))
    record = ReliabilityRecord(
        score=event_score.name,
        display=event_score.display,
        higher_is_better=True,
        prob=prob,
        assurance=assurance,
        cases=round(float(count.sum())),
        runs=fewest,
    )
    pair = _pair(names, observed, entity, rival)
    planned = np.array(sorted({k for k in PLANNED if k >= event.k} | {fewest}))
    cases_needed, runs_needed = np.full(len(planned), np.nan), np.nan
    if pair is not None:
        i, j = pair
        difference_used = float(observed[i] - observed[j]) if difference is None else difference
        record = replace(
            record, entity=str(names[i]), rival=str(names[j]), difference=difference_used
        )
        if difference_used > 0 and estimable:
            estimates, both = (
                attempts.estimates(event)[:, [i, j]],
                (made[:, [i, j]] > 0).all(axis=1),
            )
            covariance = float(np.cov(estimates[both].T, aweights=count[both], ddof=0)[0, 1])
            between = moments.between(event.k)[[i, j]].sum() - 2 * covariance
            needed = _cases_needed(
                max(between, 0.0), moments, event.k, [i, j], prob, assurance, difference_used
            )
            cases_needed = np.array([np.ceil(needed(r)) for r in planned.tolist()])
            runs_needed = _runs_needed(needed, float(count[both].sum()), event.k)
    measured = measured.assign(cases_needed=("planned_runs", cases_needed), runs_needed=runs_needed)
    return measured.assign_coords(planned_runs=planned).assign_attrs(record.to_attrs())


def _attempts_of(posterior: Container, k: int, display: str) -> AttemptsPosterior:
    """Return what a posterior of one data set says of ``k`` attempts."""
    attempts = AttemptsPosterior.of(parse_source(posterior, "posterior"), k, display)
    if attempts.names:
        raise ArgumentError(
            "posterior",
            "must be a fit of one data set",
            f"{len(attempts.names)} data sets",
            "fit each alone",
        )
    return attempts


def reliability_where_runs(source: Container) -> xr.Dataset | None:
    """Return the reliability of one attempt, of a posterior of one data set with two runs of some case; else None."""
    source = parse_source(source)
    joint = None if source.container is None else parse_evidence(source).joint_cases
    runs = None if joint is None else joint.case_runs
    if joint is None or runs is None or joint.datasets or not source.model.paired or runs.most < 2:
        return None
    return reliability(source)


def _cases_needed(
    between: float,
    moments: RateMoments,
    k: int,
    pair: list[int],
    prob: float,
    assurance: float,
    difference: float,
) -> Callable[[int], float]:
    """Return the function from the number of runs of a case to the number of cases that separates two entities."""
    factor = ((ndtri((1 + prob) / 2) + ndtri(assurance)) / difference) ** 2
    return lambda runs: float(factor * (between + moments.within(k, runs)[pair].sum()))


def _runs_needed(needed: Callable[[int], float], cases: float, k: int) -> float:
    """Return the smallest number of runs with which these cases are enough; NaN if there is none."""
    if needed(MOST) > cases:
        return np.nan
    low, high = k, MOST
    while low < high:  # the number of cases falls with that of runs
        middle = (low + high) // 2
        low, high = (low, middle) if needed(middle) <= cases else (middle + 1, high)
    return float(low)


def _pair(
    names: list[Any], observed: np.ndarray, entity: Any, rival: Any
) -> tuple[int, int] | None:
    """Return the places of the two entities of the plan; None for a single entity."""
    for argument, name in (("entity", entity), ("rival", rival)):
        if name is not None:
            check_choice(argument, name, names, ArgumentKeyError)
    if entity is not None and entity == rival:
        raise ArgumentError("rival", "must be another entity", f"{rival!r} twice")
    if len(names) < 2:
        return None
    order = [int(i) for i in np.argsort(-observed, kind="stable")]
    rival_place = None if rival is None else names.index(rival)
    first = (
        names.index(entity) if entity is not None else next(i for i in order if i != rival_place)
    )
    second = rival_place if rival_place is not None else next(i for i in order if i != first)
    return first, second


def _flickering(attempts: AttemptsPosterior) -> xr.Dataset:
    """Return the right runs and all runs of the cases that flicker (case, entity), if their names are known."""
    observed, names = attempts.source.observed, attempts.evidence.entities
    if "flickering_right" not in observed:
        none = (("case", "entity"), np.empty((0, len(names)), int))
        return xr.Dataset({"right": none, "runs": none}, {"case": np.empty(0, str)})
    right, runs = (
        observed[f"flickering_{name}"].transpose("flickering_case", "entity")
        for name in ("right", "runs")
    )
    flickers = ((right.values > 0) & (right.values < runs.values)).sum(axis=1)
    order = np.argsort(-flickers, kind="stable")
    order = order[flickers[order] > 0]  # some entities may have been left out
    held_of = {"right": right.values[order], "runs": runs.values[order]}
    cases = observed["flickering_case"].values[order]
    return xr.Dataset(
        {name: (("case", "entity"), values) for name, values in held_of.items()}, {"case": cases}
    )
