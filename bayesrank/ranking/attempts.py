"""Who is best for how many attempts: the scores of several runs along the number of attempts, with claims on all."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from bayesrank._core.checks import check_choice, check_integer, check_prob
from bayesrank._core.draws import product_of, share_error
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import name_coord
from bayesrank._core.notes import Note, notes_text
from bayesrank._core.records import EvidenceRecord, RankingRecord
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.claims.caps import Limit, check_caps, is_limited
from bayesrank.claims.effective import Information
from bayesrank.claims.ends import CLOSED
from bayesrank.claims.information import information_of
from bayesrank.evidence.attempts import Attempts
from bayesrank.evidence.kinds import parse_evidence
from bayesrank.models.parts.attempts import AttemptsPosterior
from bayesrank.ranking._confidence import MILD, ROUNDING, bonferroni, measure_lower_leads
from bayesrank.ranking._loops import largest, lower_spreads
from bayesrank.ranking.evidence import RankingEvidence, evidence_of
from bayesrank.ranking.identical import average_within, identical_groups
from bayesrank.scores.attempts import CASES, pass_at_k, pass_hat_k
from bayesrank.scores.score import Score, log, mean_of_estimates

EVENTS = ("any", "all")


def attempts_curve(
    posterior: Container, k: int | None = None, *, prob: float = 0.95, cases: str = "like these"
) -> xr.Dataset:
    """Return which entity is best for each number of attempts: pass@1 to pass@k, pass^1 to pass^k, with joint claims.

    Systems cross: one that solves few cases surely is best where all attempts must succeed, and one
    that may solve many where one success is enough. A reader sees all numbers of attempts together,
    so that the bands and the claims here hold for all of them; for one number that was fixed
    beforehand, :func:`bayesrank.credible_ranking` by :func:`bayesrank.scores.pass_at_k` is sharper.

    Parameters
    ----------
    posterior : InferenceData or DataTree
        The result of :func:`bayesrank.fit` with the model ``"paired"``, for right or wrong runs of
        each case. All numbers of attempts are computed on one set of cases, those with at least
        ``k`` runs of all entities that met them.
    k : int, optional
        Largest number of attempts; by default the largest one that keeps all cases, at least 2 if
        any case has 2 runs.
    prob : float
        Probability of the bands and of the claims.
    cases : {"like these", "these"}
        What the scores are of. For cases like these, the cases are a sample. For these cases, as of
        a fixed benchmark, only the runs vary: bands are narrower, and systems are compared as if
        their runs were independent. With few runs a case, the variance of runs is hardly known, and
        bands are as wide as for cases like these.

    Returns
    -------
    xarray.Dataset
        Over ``event`` ("any": at least one of the attempts succeeds, pass@k; "all": all of them do,
        pass^k), ``attempts`` (1 to k), ``entity`` and ``rival``:

        - ``observed``: the observed score, the mean of unbiased estimates of the cases; ``median``:
          of the draws; ``lower``, ``upper``: a band that contains the whole curve of the entity,
          over both events, with probability ``prob``, closed at the ends of the range as intervals
          of rankings are;
        - ``probability_best`` with ``probability_best_error`` (Monte-Carlo);
        - ``in_best_set``: the entities that could be best. With a probability of about ``prob`` the
          sets contain the truly best entities for all events and numbers of attempts at once;
        - ``surely_above`` (entity, rival): pairs whose order is right for all pairs, events and
          numbers of attempts at once;
        - ``crosses`` (entity, rival): whether the entity is surely above the rival for one number
          of attempts, and surely below it for another, or for the other event;
        - ``mean_cost`` (attempts, entity), if the evidence has costs of runs: the observed mean
          cost of up to so many attempts at a case that stop at the first success;
        - ``leader`` (event, attempts): the most probable best entity; ``headline``: "best" if it
          alone could be best, else "leads", or "none" without rivals.

        Attrs: ``prob``, ``draws``, ``cases``, the number of cases, ``cases_left_out`` with fewer
        than k runs, and the ``notes`` that :func:`bayesrank.notes` prints.

    Raises
    ------
    ValueError, TypeError
        If the posterior does not know the runs of its cases, is of several data sets, has fewer
        than k runs of each case, or lacks draws; or if ``k`` or ``prob`` is no such number.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374. Romano
    and Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing, Journal
    of the American Statistical Association 100:94-108.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> steady, bold = np.repeat([1.0, 0.0], [36, 24]), np.full(60, 0.6)
    >>> runs = [(case, run) for case in range(60) for run in range(8)]
    >>> frame = pd.DataFrame(runs, columns=["case", "run"])
    >>> frame = frame.assign(steady=rng.random(480) < steady[frame["case"]], bold=rng.random(480) < bold[frame["case"]])
    >>> curve = attempts_curve(br.fit(br.from_outcomes(frame * 1, case="case", run="run"), seed=1))
    >>> curve["leader"].sel(attempts=4).to_series().to_dict(), curve["headline"].sel(attempts=4).values.tolist()
    ({'any': 'bold', 'all': 'steady'}, ['best', 'best'])
    """
    source, prob = parse_source(posterior, "posterior"), check_prob("prob", prob)
    these = check_choice("cases", cases, CASES) == "these"
    every = AttemptsPosterior.of(source, 1, "attempts_curve")
    full = max(n for n in every.enough if every.runs.enough_for(n).sum() == every.kept.sum())
    most = max(full, min(2, max(every.enough))) if k is None else check_integer("k", k, 1)
    attempts = AttemptsPosterior.of(source, most, f"attempts_curve(k={most})", these)
    if attempts.names:
        raise ArgumentError(
            "posterior",
            "must come from one data set for a curve",
            f"{len(attempts.names)} data sets",
            "fit each alone",
        )
    if attempts.shape[0] * attempts.shape[1] * (1 - prob) < 1:
        raise ArgumentError(
            "posterior",
            f"must have at least {int(np.ceil(1 / (1 - prob)))} draws",
            str(attempts.shape),
        )
    return _Curve(attempts, most, prob, () if k is not None else every.fewest_runs(most)).result()


def curve_where_runs(posterior: Container, prob: float, score: Any = None) -> xr.Dataset | None:
    """Return the curve of attempts of a posterior that knows at least two runs of some case; else None.

    It is of these cases if the ``score`` of a ranking beside it is.
    """
    these = isinstance(score, Score) and score.attempts is not None and score.attempts.these
    source = parse_source(posterior)
    joint = None if source.container is None else parse_evidence(source).joint_cases
    runs = None if joint is None else joint.case_runs
    if (
        joint is None
        or runs is None
        or joint.datasets
        or not source.model.paired
        or not runs.enough_for(2).any()
    ):
        return None
    return attempts_curve(source, prob=prob, cases="these" if these else "like these")


@dataclass(frozen=True, eq=False)
class _Place:
    """One event with one number of attempts: its draws, and what the evidence allows to claim."""

    score: Score
    draws: np.ndarray  #: (draw, entity)
    observed: np.ndarray  #: (entity)
    evidence: RankingEvidence
    groups: list[np.ndarray]  #: Entities with identical evidence.
    prob: float

    @cached_property
    def information(self) -> Information:
        return information_of(self.evidence, self.score, self.draws.shape[1])

    @cached_property
    def leads(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return means and spreads of the leads (entity, rival), and the centred draws with their mean lead."""
        lead, spread, rows, shift = _leads_of(self.draws)
        # The prior moves few cases further than many.
        return np.fmin(lead, self.observed[:, None] - self.observed), spread, rows, shift

    @property
    def weight(self) -> np.ndarray:
        _, spread, rows, _ = self.leads
        return np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0).astype(
            rows.dtype
        )

    @cached_property
    def stretched(self) -> tuple[np.ndarray, np.ndarray]:
        """Return means of the leads in logits (entity, rival), and the spreads of their lower tails."""
        values = log(self.draws) - log(1 - self.draws)
        if np.isnan(values).any():  # draws at an end of the range
            lead, spread, *_ = measure_lower_leads(values)
            return lead, spread
        lead, rows, shift = _centre(values)
        return lead, np.where(self.leads[1] > 0, lower_spreads(rows, shift), 0.0)

    @cached_property
    def mild(self) -> np.ndarray:
        """Return which leads in logits exceed the largest threshold that they need exceed (entity, rival)."""
        return self._exceeds_stretched(MILD, MILD)

    def _exceeds_stretched(self, critical: Any, bound: float) -> np.ndarray:
        lead, spread = self.stretched
        with np.errstate(invalid="ignore"):
            return np.asarray(
                lead > self.information.threshold(np.arange(len(lead)), critical, bound) * spread
            )

    def exceeds(self, critical: Any, comparisons: int) -> np.ndarray:
        """Return which leads are large enough (entity, rival), by themselves and, as in rankings, in logits."""
        (lead, spread, _, _), bound = self.leads, bonferroni(self.prob, comparisons)
        with np.errstate(invalid="ignore"):
            enough = (
                lead > self.information.threshold(np.arange(len(lead)), critical, bound) * spread
            )
        if np.ndim(critical) == 0 and critical >= MILD and bound >= MILD:
            return np.asarray(enough & self.mild)
        return np.asarray(
            enough & self._exceeds_stretched(np.minimum(critical, MILD), min(bound, MILD))
        )


class _Curve:
    """The places of a curve, and what is sure at all of them at once."""

    def __init__(
        self, attempts: AttemptsPosterior, most: int, prob: float, limiting: Sequence[Any] = ()
    ) -> None:
        self.attempts, self.most, self.prob = attempts, most, prob
        self.limiting = limiting  #: Entities without more runs of each case, if others have more.
        # Draws for these cases go together along the curve as those for cases like these, which is
        # too much.
        self.level = (1 + prob) / 2 if attempts.these else prob
        self.entities = attempts.evidence.entities
        requested = [Attempts(k) for k in range(1, most + 1)] + [
            Attempts(k, True) for k in range(2, most + 1)
        ]
        drawn = attempts.draws(requested)
        self.places = [self._place(one, draws) for one, draws in zip(requested, drawn, strict=True)]

    def _place(self, one: Attempts, drawn: np.ndarray) -> _Place:
        name = (pass_hat_k if one.every else pass_at_k)(one.k)
        source = self.attempts.posterior(one, name.name, drawn)
        posterior = source.group("posterior")
        assert posterior is not None
        score = mean_of_estimates(name)
        evidence = evidence_of(source, None, posterior[name.name], None)
        groups = identical_groups(evidence, len(self.entities))
        draws = drawn.reshape(-1, len(self.entities))
        assert evidence.values is not None
        return _Place(score, draws, evidence.values.values, evidence, groups, self.prob)

    def result(self) -> xr.Dataset:
        above, behind = self._decide()
        dims = ("event", "attempts", "entity")
        size = len(self.entities)
        results: dict[str, np.ndarray] = {
            "observed": np.stack([position.observed for position in self.places]),
            "median": np.stack([np.median(position.draws, axis=0) for position in self.places]),
        }
        results["lower"], results["upper"] = self._bands()
        best = np.stack([_share_best(position.draws, position.groups) for position in self.places])
        draws = len(self.places[0].draws)
        results["probability_best"] = best
        results["probability_best_error"] = share_error(
            best, np.sqrt(best * (1 - best) / draws), draws, draws
        )
        results["in_best_set"] = ~behind
        coords = {"event": list(EVENTS), "attempts": range(1, self.most + 1)}
        names = name_coord(self.entities)
        frame = xr.Dataset(coords={**coords, "entity": names})
        curve = frame.assign(
            {name: (dims, self._by_event(values)) for name, values in results.items()}
        )
        curve = curve.assign_coords(rival=names)
        pairs = self._by_event(above)
        curve["surely_above"] = (*dims, "rival"), pairs
        up = pairs.any(axis=(0, 1))
        curve["crosses"] = ("entity", "rival"), up & up.T
        if (costs := self.attempts.mean_costs(self.most)) is not None:
            curve["mean_cost"] = ("attempts", "entity"), costs
        leaders = best.argmax(axis=1)
        curve["leader"] = dims[:2], self._by_event(names[leaders])
        curve["headline"] = dims[:2], self._by_event(self._headlines(behind, leaders, size))
        about = RankingRecord(
            higher_is_better=True,
            prob=self.prob,
            draws=draws,
            interval=CLOSED,
            range=(0.0, 1.0),
            population=self.places[0].evidence.population(),
        )
        cases = self._cases()
        evidence = self.attempts.source.assembled
        record = EvidenceRecord(
            ledger=evidence.ledger,
            noun=evidence.noun,
            in_percent=evidence.in_percent,
            notes=notes_text(self._notes(cases)),
        )
        facts = (
            about.to_attrs()
            | record.to_attrs()
            | {"cases": cases[0], "cases_left_out": cases[1] - cases[0]}
        )
        return curve.assign_attrs(facts)

    def _by_event(self, values: np.ndarray) -> np.ndarray:
        """Return values of the places by event and number of attempts; with one attempt, both events are one."""
        values = np.asarray(values)
        return np.stack([values[: self.most], np.concatenate([values[:1], values[self.most :]])])

    def _cases(self) -> tuple[int, int]:
        evidence = self.attempts.evidence
        count = evidence.count if evidence.each is None else evidence.count / evidence.each
        return round(float(count[self.attempts.kept].sum())), round(float(count.sum()))

    def _notes(self, cases: tuple[int, int]) -> list[Note]:
        result = [
            Note(
                "curve_of_cases", {"k": self.most, "prob": self.prob, "these": self.attempts.these}
            )
        ]
        if cases[0] < cases[1]:
            result.append(
                Note(
                    "cases_with_few_runs", {"least": self.most, "used": cases[0], "total": cases[1]}
                )
            )
        if self.limiting:
            names = [str(name) for name in self.limiting]
            result.append(Note("curve_ends", {"k": self.most, "entities": names}))
        if (costs := self.attempts.mean_costs(self.most)) is not None:
            paid = dict(zip(map(str, self.entities), costs[-1].tolist(), strict=True))
            result.append(Note("cost_of_attempts", {"k": self.most, "costs": paid}))
        return result + self.caps

    @cached_property
    def caps(self) -> list[Note]:
        """Return what limits the claims, which is the same at all places."""
        first = self.places[0]
        reason = first.information.withheld()
        return check_caps(
            [
                *([] if reason is None else [reason]),
                *first.evidence.limits(first.evidence.notes(first.score)),
            ]
        )

    def _headlines(self, behind: np.ndarray, leaders: np.ndarray, size: int) -> np.ndarray:
        if size < 2 or is_limited(self.caps, Limit.ALL):
            return np.full(len(leaders), "none")
        alone = ((~behind).sum(axis=1) == 1) & ~behind[np.arange(len(leaders)), leaders]
        return np.where(alone & (not is_limited(self.caps, Limit.HEADLINE)), "best", "leads")

    def _bands(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of the bands (place, entity): each contains the whole curve with the probability."""
        centre = np.stack([position.draws.mean(axis=0) for position in self.places])
        below, above = np.empty_like(centre), np.empty_like(centre)
        worst = np.zeros(self.places[0].draws.shape)
        for i, position in enumerate(self.places):
            off = position.draws - centre[i]
            up = off > 0
            square = np.square(off)
            number = np.maximum(up.sum(axis=0), 1)
            above[i] = np.sqrt((square * up).sum(axis=0) / number)
            below[i] = np.sqrt((square * ~up).sum(axis=0) / np.maximum(len(off) - number, 1))
            size = np.where(up, above[i], below[i])
            np.maximum(
                worst,
                np.divide(np.abs(off), size, out=np.zeros_like(off), where=size > 0),
                out=worst,
            )
        wide = np.quantile(worst, self.level, axis=0)
        lower, upper = (
            np.clip(centre - wide * below, 0.0, 1.0),
            np.clip(centre + wide * above, 0.0, 1.0),
        )
        for i, position in enumerate(self.places):
            lower[i], upper[i] = position.evidence.close(
                position.score, (lower[i], upper[i]), (0.0, 1.0), self.prob
            )
            lower[i], upper[i] = (
                average_within(position.groups, end) for end in (lower[i], upper[i])
            )
        return lower, upper

    def _decide(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which entities are surely above which, and which are surely not best, at all places at once."""
        size, places = len(self.entities), self.places
        above = np.zeros((len(places), size, size), bool)
        behind = np.zeros((len(places), size), bool)
        if size < 2 or is_limited(self.caps, Limit.SETS):
            return above, behind
        above, behind = (
            self._step_down(by_pairs=True),
            np.asarray(self._step_down(by_pairs=False).any(axis=1)),
        )
        for i, winner in self._winners().items():
            behind[i] = np.arange(size) != winner
        for i, position in enumerate(places):
            for group in position.groups:  # entities with identical evidence
                behind[i, group] = behind[i, group].all()
                above[i, group] = above[i, group].all(axis=0)
                above[i][:, group] = above[i][:, group].all(axis=1)[:, None]
        return above, behind

    def _critical(self, left: Sequence[np.ndarray]) -> float:
        """Return the critical value of the leads with positive weights at all places."""
        found: Any = 0.0
        for position, weight in zip(self.places, left, strict=True):
            _, _, rows, shift = position.leads
            found = np.maximum(found, largest(-rows, -shift, weight)) if weight.any() else found
        return self._quantile(found) if np.ndim(found) else 0.0

    @cached_property
    def _first(self) -> float:
        """Return the critical value of all leads at all places."""
        return self._critical([position.weight for position in self.places])

    def _quantile(self, values: np.ndarray) -> float:
        beyond = max(int(np.floor((1 - self.level) * (len(values) + 1) + 1e-9)), 1)
        return float(np.partition(values, -beyond)[-beyond])

    def _step_down(self, by_pairs: bool) -> np.ndarray:
        """Return what is sure of the pairs at all places (place, entity, rival), by the rule of rankings."""
        left = [position.weight for position in self.places]
        sure = np.zeros((len(left), *left[0].shape), bool)
        single = float(ndtri((1 + self.prob) / 2))
        while True:
            critical = (self._critical(left) if sure.any() else self._first) or single
            number = sum(int(np.count_nonzero(weight)) for weight in left)
            more = (
                np.stack([position.exceeds(critical, number) for position in self.places]) & ~sure
            )
            if not by_pairs:
                out = np.asarray(sure.any(axis=1))
                more &= ~out[:, :, None] & ~out[:, None, :]
            if not more.any():
                return sure
            sure |= more
            for weight, own in zip(left, sure, strict=True):
                weight[own] = 0
                if not by_pairs:
                    out = own.any(axis=0)
                    weight[out], weight[:, out] = 0, 0

    def _winners(self) -> dict[int, int]:
        """Return the entity that beats every rival at a place, without a correction for the number of rivals.

        The critical value of a pair is that of its largest lead over all places.
        """
        size = len(self.entities)
        never = np.where(np.eye(size, dtype=bool), np.inf, 0.0)
        ahead = [int((position.leads[0] + never).min(axis=1).argmax()) for position in self.places]
        result: dict[int, int] = {}
        for winner in sorted(set(ahead)):
            top = np.zeros((size, len(self.places[0].draws)), np.float32)
            for position in self.places:
                _, _, rows, _ = position.leads
                weight = position.weight[winner][:, None]
                np.maximum(top, np.abs(rows[winner] - rows) * weight, out=top)
            critical = np.array([self._quantile(one) for one in top])
            critical = np.maximum(critical, float(ndtri((1 + self.prob) / 2)))
            wide = np.broadcast_to(critical, (size, size))
            for i in (i for i, first in enumerate(ahead) if first == winner):
                beats = self.places[i].exceeds(wide, 2)[winner]
                if np.delete(beats, winner).all():
                    result[i] = winner
        return result


def _leads_of(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the same as ``measure_leads``, for values (draw, entity) that are all defined."""
    lead, rows, shift = _centre(values)
    product = product_of(values, values.mean(axis=0)) / len(values)
    own = np.diag(product)[:, None] + np.diag(product)
    variance = own - 2 * product
    variance[variance <= ROUNDING * own] = 0.0
    return lead, np.sqrt(variance), rows, shift


def _centre(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean leads (entity, rival), the centred values (entity, draw), and their mean leads, which are 0."""
    centre = values.mean(axis=0)
    lead = centre[:, None] - centre
    return (
        lead,
        np.array((values - centre).T, np.float32, order="C"),
        np.zeros(lead.shape, np.float32),
    )


def _share_best(draws: np.ndarray, groups: list[np.ndarray]) -> np.ndarray:
    """Return the share of draws in which each entity is best, shared by tied entities."""
    first = draws == draws.max(axis=1, keepdims=True)
    share = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return np.asarray(average_within(groups, share))
