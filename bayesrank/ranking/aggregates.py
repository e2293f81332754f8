"""Aggregates of a score over groups, data sets or their categories, in each draw, and the evidence behind them.

Mean, worst and gap are functions of the scores of one entity. Win rate and Borda points count the
rivals that an entity beats, so that they depend on which rivals there are (Arrow 1951, Social
choice and individual values).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from bayesrank import models
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, describe_value
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import Advice, ArgumentError, InPython, Typed
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.records import RankingRecord
from bayesrank._core.source import Over, Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.claims.effective import Information
from bayesrank.claims.information import information_of
from bayesrank.claims.units import Units
from bayesrank.evidence.kinds import DrawsAlone
from bayesrank.inference import fit
from bayesrank.performance.arrays import KINDS
from bayesrank.performance.means import aggregate_over, mean_over_datasets
from bayesrank.ranking._loops import positions
from bayesrank.ranking.evidence import RankingEvidence, cases_of, evidence_of
from bayesrank.ranking.extremes import Extremes, draw_alone
from bayesrank.ranking.strata import Strata, keep_strata, strata_of
from bayesrank.ranking.support import support
from bayesrank.ranking.values import DIRECTION, ScoreValues, score_values
from bayesrank.scores import Score, as_score
from bayesrank.scores.names import find

#: Aggregates that depend on which rivals there are.
OF_RIVALS = ("borda", "win_rate")
#: Aggregates for which the number of further cases is known.
OF_PLANS = ("mean",)
WORDS = {
    "mean": "mean {}",
    "worst": "worst {}",
    "gap": "gap in {}",
    "borda": "Borda points by {}",
    "win_rate": "win rate by {}",
}
#: Codes of notes on means that the note on the aggregate replaces.
OF_MEANS = ("means_over_datasets", "mean_of_one_dataset")
#: Largest ratio of the sizes of a group for which few equal entities have different gaps by
#: mistake.
UNEQUAL = 1.5
#: Codes of the notes that follow from the score alone.
OF_SCORE = ("positive_class", "score_should_not_rank")
#: With fewer tasks of one score each, no entity can be better than another by a sign-flip test at
#: 95%.
FEWEST_TASKS = 6
#: With up to as many tasks, all changes of signs are tried.
MOST_FLIPPED = 12
#: With more entities than this, their absences are not tried.
MOST_TRIED = 200


@dataclass(frozen=True)
class Scored:
    """What is ranked: values of a score, or of an aggregate of it, and the evidence behind them.

    An aggregate has notes, results by name, facts and caps of its own.
    """

    found: ScoreValues
    find_evidence: Callable[[], RankingEvidence]
    source: Source | None = None  #: Where the values are from; None for an aggregate.
    notes: list[Note] = field(default_factory=list)
    results: dict[str, np.ndarray] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    caps: list[Note] = field(default_factory=list)
    extremes: Extremes | None = None  #: The groups behind a worst score or a gap.
    exact: xr.DataArray | None = (
        None  #: Known values, if the draws are of their spread over tasks like these.
    )

    @cached_property
    def evidence(self) -> RankingEvidence:
        return self.find_evidence()

    @property
    def score(self) -> Score | None:
        """Return the score, unless the values are a variable or an aggregate."""
        return None if self.found.variable else self.found.score

    @cached_property
    def information(self) -> Information:
        return information_of(self.evidence, self.score, self.found.values.sizes["entity"])

    @cached_property
    def likely(self) -> xr.DataArray:
        """Return the values that probabilities are of: their differences are spread where units are few."""
        return self.units.spread_differences(self.found.values, self.found.range, self.found.sign)

    @property
    def units(self) -> Units:
        return Units.of(self.evidence, self.score, self.found.values)


def scored(
    source: Container,
    score: ScoreLike | None,
    higher_is_better: bool | None,
    kind: str | None,
    given: Any = None,
) -> Scored:
    """Return what is ranked of a source, with or without an aggregate over groups or data sets.

    ``given`` is evidence behind draws of a model that is not of the package.
    """
    source = others_like(source, kind)
    if isinstance(source, Over):
        if given is not None:
            raise ArgumentError("evidence", "cannot be used with over=", describe_value(given))
        return _aggregated(source, score, higher_is_better, kind)
    parsed = parse_source(source)
    parsed = (
        parsed.with_datasets() if isinstance(kind, str) and kind in ("typical", "new") else parsed
    )
    result = score_values(parsed, score, higher_is_better, kind)
    parsed = result.source or parsed

    def find_evidence() -> RankingEvidence:
        return support(
            evidence_of(parsed, result.variable, result.values, kind), result, parsed, kind, given
        )

    return Scored(result, find_evidence, parsed)


def others_like(source: Container, kind: str | None) -> Container:
    """Return the source without a mean that its own typical or new group stands for."""
    if not isinstance(source, Over) or source.aggregate != "mean" or source.weights is not None:
        return source
    return source.source if isinstance(kind, str) and kind in ("typical", "new") else source


@check_call
def aggregate_score(
    source: Container,
    score: ScoreLike | None = None,
    *,
    over: str,
    aggregate: str = "mean",
    weights: Any = None,
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> xr.DataArray:
    """Return an aggregate of a score over groups, data sets or categories, in each draw.

    Parameters
    ----------
    source, score, higher_is_better, kind
        As for :func:`bayesrank.credible_ranking`, over ``group`` or ``dataset``.
    over : str
        The dim ``"group"`` or ``"dataset"``, or a coord along it, such as ``"category"``.
    aggregate : {"mean", "worst", "gap", "borda", "win_rate"}
        - ``"mean"``: the weighted mean of the scores;
        - ``"worst"``: the worst score; ``"gap"``: the largest score minus the smallest one;
        - ``"win_rate"``: the mean share of rivals that the entity beats, ties as halves;
          ``"borda"``: the mean number of rivals that it beats.
    weights : "cases", str, mapping or DataArray, optional
        Weights of the data sets; equal by default, proportional to their cases with ``"cases"``
        (under importance weights, to the sums of these). The name of a coord, such as
        ``"category"``, or a mapping from data set to category, gives equal weight to the
        categories, and to the data sets within each. A nested mapping ``{category: {dataset:
        weight}}`` sets the weights within the categories; ``{category: [dataset, ...]}`` only
        assigns the data sets. A weight of 0 leaves a data set out. With ``over="category"``, a
        mapping from category to number sets the weights of the categories.

    Returns
    -------
    xarray.DataArray
        Over ``entity`` and the dims of the draws of ``source``, in units of the score (win rates
        are between 0 and 1, Borda points between 0 and the number of rivals). NaN for an entity
        without cases in one of the groups.

    Raises
    ------
    ValueError, TypeError
        If the source has no groups or data sets, or the weights name others.

    Examples
    --------
    >>> counts = br.from_counts(
    ...     tn=[45, 40, 30, 48], fp=[5, 10, 20, 2], fn=[4, 6, 5, 9], tp=[46, 44, 45, 41],
    ...     entity=["a", "a", "b", "b"], group=["old", "young", "old", "young"],
    ... )
    >>> posterior = br.fit(counts, "dirichlet_multinomial", seed=1)
    >>> worst = br.scores.aggregate_score(posterior, "accuracy", over="group", aggregate="worst")
    >>> worst.mean(["chain", "draw"]).round(2).values
    array([0.83, 0.75])
    """
    result = scored(aggregate_over(source, over, aggregate, weights), score, higher_is_better, kind)
    return result.found.values if result.exact is None else result.exact


def _aggregated(
    aim: Over, score: ScoreLike | None, higher_is_better: bool | None, kind: str | None
) -> Scored:
    """Return an aggregate over the groups or data sets of a source, and what a ranking by it needs."""
    if kind is not None and check_choice("kind", kind, KINDS) != "observed":
        raise ArgumentError(
            "kind",
            Advice(
                "cannot be used with ",
                Typed("over", aim.over),
                ", unless the aggregate is 'mean' without weights",
            ),
            repr(kind),
        )
    parts = _Parts.of(aim, score, higher_is_better)
    notes = parts.notes()
    return parts.linear_mean(notes) or parts.tasks_without_draws(notes) or parts.combined(notes)


@dataclass(frozen=True)
class _Parts:
    """The scores of the groups or data sets that an aggregate is over, and the evidence behind them."""

    aim: Over
    source: Source
    base: ScoreValues  #: The scores of all data sets.
    evidence: RankingEvidence
    cases: xr.DataArray | None
    strata: Strata  #: The used data sets.
    used: np.ndarray  #: Which data sets have weight and cases.
    has_value: np.ndarray  #: (entity, used data set)

    @classmethod
    def of(cls, aim: Over, score: ScoreLike | None, higher_is_better: bool | None) -> "_Parts":
        """Return the parts of an aggregate; raise if there are no groups or data sets of positive weight."""
        source = aim.source.with_datasets()
        direction = _any_direction(score, higher_is_better, aim.aggregate)
        base = score_values(source, score, direction, kind_of(source))
        if base.source is not None:
            aim, source = replace(aim, source=base.source), base.source
        dims = base.values.dims
        if "dataset" not in dims:
            raise ArgumentError(
                "over", "must be a dim of source, or a coord along its groups or data sets", f"the dims {dims}",
                InPython("group= or dataset= of the constructor names them; br.pool sums over them"),
            )  # fmt: skip
        evidence = evidence_of(source, base.variable, base.values, kind_of(source))
        if evidence.model.model not in models.names() and draw_dims(base.values):
            evidence = replace(evidence, unsupported=Note("draws_alone"))
        cases = cases_of(source, base.values)
        strata = strata_of(aim, base.values, cases)
        if set(dims) - {*draw_dims(base.values), "entity", "dataset"}:
            raise ArgumentError(
                "source",
                "must have only the dim entity and a dim of groups or data sets",
                f"the dims {dims}",
            )
        has_value = np.ones([base.values.sizes[dim] for dim in ("entity", "dataset")], bool)
        if cases is not None and "dataset" in cases.dims:
            has_value = cases.transpose("entity", "dataset").values > 0
        used = (strata.weight > 0) & has_value.any(axis=0)
        strata = keep_strata(strata, used, aim)
        if len(strata.labels) < 2 and aim.aggregate == "gap":
            raise ArgumentError(
                "aggregate", f"cannot be used with a single {strata.unit}", f"{aim.aggregate!r}"
            )
        return cls(aim, source, base, evidence, cases, strata, used, has_value[:, used])

    @property
    def score(self) -> Score | None:
        """Return the score, unless the values are a variable."""
        return None if self.base.variable else self.base.score

    @cached_property
    def scores(self) -> xr.DataArray:
        """Return the scores (draws, entity, dataset) of all data sets."""
        values = self.base.values
        return values.transpose(*draw_dims(values), ..., "entity", "dataset")

    @cached_property
    def x(self) -> np.ndarray:
        """Return the scores (draws, entity, used data set), NaN where an entity has no cases."""
        values = np.asarray(self.scores.values, float)[..., self.used]
        return np.where(self.has_value, values, np.nan)

    @cached_property
    def observed(self) -> np.ndarray | None:
        """Return the observed scores (entity, used data set); None if unknown."""
        values = self.evidence.observed(self.score)
        if values is None or "dataset" not in values.dims:
            return None
        known = values.transpose("entity", "dataset").values[:, self.used].astype(float)
        return np.where(self.has_value, known, np.nan)

    @property
    def names(self) -> np.ndarray:
        """Return the entities."""
        values = self.scores
        return (
            values["entity"].values
            if "entity" in values.coords
            else np.arange(values.sizes["entity"])
        )

    @property
    def met_cases(self) -> xr.DataArray | None:
        """Return the cases of each entity in the used data sets; None if unknown."""
        if self.cases is None or "dataset" not in self.cases.dims:
            return None
        return self.cases.isel(dataset=self.used).sum("dataset")

    @property
    def these(self) -> Note | None:
        """Return a note that claims are about these data sets, if there are several."""
        number = len(self.strata.labels)
        fields = {"datasets": number, "unit": self.strata.unit}
        return Note("pooled_datasets", fields) if number > 1 else None

    @property
    def further(self) -> str:
        """Return what further evidence is counted in: nothing, if more cases in the same shares do not tell.

        New cases in the same shares of the groups tell of a mean as today's do, but not which group
        is the worst.
        """
        single = not self.evidence.behind.clustered
        return "cases" if single and self.aim.aggregate in OF_PLANS else ""

    @property
    def facts(self) -> dict[str, Any]:
        record = RankingRecord(
            over=self.aim.over, aggregate=self.aim.aggregate, stratum=self.strata.unit
        )
        return record.to_attrs()

    def notes(self) -> list[Note]:
        """Return what is to be said of the aggregate."""
        aggregate, names = self.aim.aggregate, self.names
        notes = _notes(self.strata, aggregate, self.has_value, names, self.evidence, self.cases)
        pair = None
        if aggregate in OF_RIVALS and self.observed is not None:
            pair = _reversed_pair(self.strata, self.observed, self.base.sign)
        if pair is not None:
            first, second, absent = (str(names[i]) for i in pair)
            fields = {"one": first, "other": second, "absent": absent}
            notes.append(Note("pair_reversed_by_absence", fields))
        return notes + [note for note in self.evidence.notes(self.score) if note.code in OF_SCORE]

    def linear_mean(self, notes: list[Note]) -> Scored | None:
        """Return a mean that is a score of the mean performance; None for other aggregates and scores."""
        if self.aim.aggregate != "mean" or not self.has_value.all():
            return None
        found = _of_mean(self.source, self.base, self.strata)
        if found is None:
            return None
        result, evidence = found
        result = replace(result, name=f"mean_{self.base.name}", label=_display(self.base, "mean"))
        held = notes_of(evidence.assembled.notes)
        own = notes_text(note for note in held if note.code not in OF_MEANS)
        evidence = replace(
            evidence,
            assembled=replace(evidence.assembled, notes=own),
            these=self.these,
            further=self.further,
            cases=evidence.cases if self.met_cases is None else self.met_cases,
            unsupported=self.evidence.unsupported,
        )
        return Scored(result, lambda: evidence, None, notes, facts=self.facts)

    @cached_property
    def combine(self) -> Callable[[np.ndarray], np.ndarray]:
        return _combiner(self.strata, self.aim.aggregate, self.base.sign)

    @cached_property
    def result(self) -> ScoreValues:
        """Return the aggregate of each draw."""
        values = self.scores.isel(dataset=0, drop=True).copy(data=self.combine(self.x))
        of_datasets = [name for name in values.coords if "dataset" in self.scores.coords[name].dims]
        values = values.drop_vars(of_datasets, errors="ignore")
        return _found(self.base, values, self.aim.aggregate, self.x.shape[-2])

    def tasks_without_draws(self, notes: list[Note]) -> Scored | None:
        """Return points against rivals of known scores, spread over tasks like these; None for other aggregates."""
        if self.aim.aggregate not in OF_RIVALS or draw_dims(self.scores):
            return None
        result, share = self.result, self.strata.weight_of_labels()
        points = points_against_rivals(
            self.base.sign * self.strata.within(self.x), self.aim.aggregate
        )
        if len(share) < 2 or np.ptp(share) >= 1e-9 or not np.isfinite(points).all():
            return None
        drawn, behind = _over_tasks(points, self.names, self.strata.unit)
        drawn = drawn.clip(*result.range).rename(result.name).assign_attrs(result.values.attrs)
        return Scored(
            replace(result, values=drawn),
            lambda: behind,
            None,
            notes,
            facts=self.facts,
            exact=result.values,
        )

    def combined(self, notes: list[Note]) -> Scored:
        """Return the aggregate of the scores of each draw."""
        total, evidence = None, self.evidence
        if self.observed is not None:
            with np.errstate(invalid="ignore"):  # differences of two infinite values
                known = self.combine(self.observed)
            first = dict.fromkeys(draw_dims(self.scores), 0)
            total = self.result.values.isel(first, drop=True).copy(data=known)
        information, extremes = self._worth(None if total is None else total.values)
        behind = RankingEvidence(
            about=evidence.about,
            assembled=evidence.assembled,
            sampler=evidence.sampler,
            cases=self.met_cases,
            values=total,
            kind=evidence.kind,
            bootstrap=evidence.bootstrap,
            tables=evidence.tables,
            prior=evidence.prior,
            behind=evidence.joint_cases or DrawsAlone(),
            unsupported=evidence.unsupported,
            known=information,
            these=self.these,
            extreme=self.aim.aggregate != "mean",
            further=self.further,
        )
        results = {}
        if self.aim.aggregate == "worst":
            results = _worst(self.strata, self.x, self.base.sign, self.names, notes)
        caps = _caps(self.strata, self.aim.aggregate, evidence, self.cases, self.used)
        return Scored(self.result, lambda: behind, None, notes, results, self.facts, caps, extremes)

    def _worth(self, observed: np.ndarray | None) -> tuple[Information, Extremes | None]:
        """Return the information behind the aggregate, and the groups behind a worst score or a gap."""
        entities = self.x.shape[-2]
        information = _join(
            [
                information_of(self.evidence.at("dataset", int(i)), self.score, entities)
                for i in np.flatnonzero(self.used)
            ],
            observed,
        )
        if self.aim.aggregate not in ("worst", "gap"):
            return information, None
        drawn, alone = self.x.reshape(-1, *self.x.shape[-2:]), None
        if len(drawn) > 1:
            alone = draw_alone(self.evidence, self.score, self.names, self.used, len(drawn))
        if alone is not None:  # the model's population moves groups towards each other
            drawn = np.where(self.has_value, alone, np.nan)
            information = replace(information, population="", observed=observed)
        return information, Extremes(
            self.strata.within(drawn),
            None if self.observed is None else self.strata.within(self.observed),
            self.base,
            self.aim.aggregate == "gap",
        )


def over_of(source: Container, over: str | None, aggregate: str | None, weights: Any) -> Container:
    """Return the source with its aggregate; unchanged without one."""
    arguments = [
        name
        for name, value in (("over", over), ("aggregate", aggregate), ("weights", weights))
        if value is not None
    ]
    if isinstance(source, Over):
        if arguments:
            raise ArgumentError(
                arguments[0], "cannot be used for a source that has an aggregate", f"{arguments}"
            )
        return source
    if over is not None:
        return aggregate_over(source, over, "mean" if aggregate is None else aggregate, weights)
    check_needs_over(aggregate, weights)
    return source


def check_needs_over(aggregate: str | None, weights: Any) -> None:
    """Raise an error if there is an aggregate or weights, without what they are over."""
    for name, given in (("aggregate", aggregate), ("weights", weights)):
        if given is not None:
            raise ArgumentError(
                name, Advice("cannot be used without ", Typed("over")), describe_value(given)
            )


def kind_of(source: Source) -> str | None:
    """Return the kind of the observed groups, where a posterior has others."""
    return None if source.array is not None else "observed"


def _any_direction(score: Any, given: bool | None, aggregate: str) -> bool | None:
    """Return a direction for a gap, which has none of its score: a smaller gap is better."""
    if aggregate != "gap" or given is not None or score is None:
        return given
    parsed = find(score) if isinstance(score, str) else as_score(score)
    return True if parsed is not None and parsed.higher_is_better is None else None


def _combiner(strata: Strata, aggregate: str, sign: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from values (..., entity, data set) to the aggregate (..., entity)."""
    weight = strata.weight_of_labels()

    def combine(x: np.ndarray) -> np.ndarray:
        by_label = strata.within(x)
        if aggregate == "mean":
            return by_label @ weight
        if aggregate == "worst":
            return sign * (sign * by_label).min(axis=-1)
        if aggregate == "gap":
            return by_label.max(axis=-1) - by_label.min(axis=-1)
        return points_against_rivals(sign * by_label, aggregate) @ weight

    return combine


def points_against_rivals(by_label: np.ndarray, aggregate: str) -> np.ndarray:
    """Return the number, or the share, of rivals that each entity beats by each label (..., entity, label)."""
    size, points = by_label.shape[-2], np.empty(by_label.shape)
    for i in range(by_label.shape[-1]):
        flat = by_label[..., i].reshape(-1, size)
        first, last = positions(flat)
        beaten = (~np.isnan(flat)).sum(axis=1, keepdims=True) - 1 - (first + last) / 2
        points[..., i] = np.where(np.isnan(flat), np.nan, beaten).reshape(by_label.shape[:-1])
    return points / max(size - 1, 1) if aggregate == "win_rate" else points


def _over_tasks(
    points: np.ndarray, names: np.ndarray, unit: str
) -> tuple[xr.DataArray, RankingEvidence]:
    """Return draws of mean points over tasks like these, and the evidence, from points (entity, task).

    The points of all entities on one task are one observation, as the scores of learners on one
    data set are. Few points are discrete, so that a claim also needs a sign-flip test.
    """
    number = points.shape[1]
    coords = {"entity": names, "dataset": ("split", np.arange(number))}
    posterior = parse_source(
        fit(xr.Dataset({"fold_score": (("entity", "split"), points)}, coords), seed=0)
    )
    scored_posterior = score_values(posterior, "mean_outcome", True, None)
    evidence = evidence_of(posterior, scored_posterior.variable, scored_posterior.values, None)
    note = Note("points_of_tasks", {"number": number, "unit": unit})
    few = (
        Note("datasets_too_few", {"datasets": number, "enough": FEWEST_TASKS})
        if number < FEWEST_TASKS
        else None
    )
    information = information_of(evidence, None, len(points))
    return scored_posterior.values, replace(
        evidence,
        assembled=replace(evidence.assembled, notes=notes_text([note])),
        known=replace(information, refusal=few, reach=reach_of_flips(points)),
    )


def reach_of_flips(points: np.ndarray) -> np.ndarray:
    """Return the normal quantile of the sign-flip test of each mean difference (entity, rival).

    ``points`` are over (entity, task). The test is exact for equal entities (Fisher 1935, The
    design of experiments). Of many tasks, the quantile is that of the smallest possible p-value,
    which is all that differs much from a t test.
    """
    size, number = points.shape
    off = points[:, None] - points
    p = 0.5 ** (off != 0).sum(axis=2)
    if number <= MOST_FLIPPED:
        signs = 1 - 2 * (np.arange(2**number)[:, None] >> np.arange(number) & 1)
        total = np.abs(off.sum(axis=2))
        for i in range(size):
            p[i] = (off[i] @ signs.T >= total[i][:, None] - 1e-9).mean(axis=1)
    return np.asarray(-ndtri(p))


def _found(base: ScoreValues, values: xr.DataArray, aggregate: str, size: int) -> ScoreValues:
    """Return the values of an aggregate with its name, direction and range."""
    low, high = base.range
    better = {"gap": False}.get(
        aggregate, True if aggregate in OF_RIVALS else base.higher_is_better
    )
    ends: tuple[float, float] | None = (low, high) if np.isfinite([low, high]).all() else None
    if aggregate == "gap" and ends is not None:
        ends = (0.0, high - low)
    if aggregate in OF_RIVALS:
        ends = (0.0, 1.0 if aggregate == "win_rate" else float(max(size - 1, 1)))
    name = f"{aggregate}_{base.name}"
    values = values.rename(name).drop_attrs().assign_attrs(direction=DIRECTION[better])
    at_ends = aggregate not in (
        *OF_RIVALS,
        "gap",
    )  # a gap of equal groups is at the end of its range
    return ScoreValues(
        values, name, better, None, None, ends, label=_display(base, aggregate), stretched=at_ends
    )


def _display(base: ScoreValues, aggregate: str) -> str:
    """Return the display name of an aggregate of a score."""
    display = base.display
    return (
        display
        if aggregate == "mean" and display.startswith("mean ")
        else WORDS[aggregate].format(display)
    )


def _of_mean(
    source: Source, base: ScoreValues, strata: Strata
) -> tuple[ScoreValues, RankingEvidence] | None:
    """Return score and evidence of the mean performance if the score of the mean is the mean of the scores."""
    if base.values.chunks is not None:
        return None
    if "dataset" not in base.values.coords:
        return None
    names = base.values["dataset"].values.tolist()
    mapping = dict.fromkeys(names, 0.0) | strata.mapping
    mean = parse_source(mean_over_datasets(source, mapping))
    kind = None if mean.array is not None else "observed"
    result = score_values(mean, base.variable or base.score, base.higher_is_better, kind)
    weight = xr.DataArray([mapping[name] for name in names], {"dataset": names}, ["dataset"])
    mean_values = (
        base.values.where(weight > 0, 0.0).dot(weight, dim="dataset").transpose(*result.values.dims)
    )
    if not np.allclose(
        result.values.values, mean_values.values, rtol=1e-9, atol=1e-12, equal_nan=True
    ):
        return None
    return result, evidence_of(mean, result.variable, result.values, kind)


def _join(parts: Sequence[Information], observed: np.ndarray | None) -> Information:
    """Return the information behind an aggregate: that of the group with the least, pair by pair."""
    first = parts[0]
    size = len(first.cases)
    pairs = [np.broadcast_to(part.freedom, (size, size)) for part in parts]
    return replace(
        first,
        cases=np.fmin.reduce([part.cases for part in parts]),
        clusters=np.fmin.reduce([part.clusters for part in parts]),
        discordant=None,
        freedom=np.minimum.reduce(pairs),
        inflation=np.maximum.reduce([np.broadcast_to(part.inflation, size) for part in parts]),
        freedom_of_interval=np.minimum.reduce(
            [np.broadcast_to(part.freedom_of_interval, size) for part in parts]
        ),
        factor_of_interval=np.maximum.reduce(
            [np.broadcast_to(part.factor_of_interval, size) for part in parts]
        ),
        excess=np.maximum.reduce([np.broadcast_to(part.excess, (size, size)) for part in parts]),
        reach=np.minimum.reduce([np.broadcast_to(part.reach, (size, size)) for part in parts]),
        observed=None if first.population else observed,
    )


def _notes(
    strata: Strata,
    aggregate: str,
    met: np.ndarray,
    names: np.ndarray,
    evidence: RankingEvidence,
    cases: xr.DataArray | None,
) -> list[Note]:
    """Return what the aggregate is over, which entities lack a group, and whether groups are independent."""
    weight = strata.weight_of_labels()
    shares = None
    if np.ptp(weight) > 1e-9:
        shares = [f"{name} {share:.3g}" for name, share in zip(strata.labels, weight, strict=True)]
    record = {
        "aggregate": aggregate,
        "number": len(strata.labels),
        "unit": strata.unit,
        "weights": shares,
    }
    result = [Note("aggregated", {**record, "categories": len(strata.labels) < len(strata.names)})]
    if not met.all():
        incomplete = np.flatnonzero(~met.all(axis=1))
        lacking = [str(strata.names[i]) for i in np.flatnonzero(~met[incomplete[0]])]
        fields = {
            "entities": [str(names[i]) for i in incomplete],
            "lacking": lacking,
            "unit": strata.unit,
        }
        result.append(Note("entities_lack_groups", fields))
    counted = (
        cases.values[cases.values > 0]
        if cases is not None and "dataset" in cases.dims
        else np.array([])
    )
    if aggregate in ("worst", "gap") and _independent(evidence) and len(counted):
        result.append(
            Note("groups_independent", {"cases": int(counted.min()), "unit": strata.unit})
        )
    return result


def _independent(evidence: RankingEvidence) -> bool:
    """Return whether a model has no population of the groups."""
    return evidence.about is not None and not evidence.about.population_of_tables


def _caps(
    strata: Strata,
    aggregate: str,
    evidence: RankingEvidence,
    cases: xr.DataArray | None,
    used: np.ndarray,
) -> list[Note]:
    """Return a cap for gaps of groups whose sizes differ between entities."""
    if aggregate != "gap" or cases is None or "dataset" not in cases.dims:
        return []
    size = cases.transpose("entity", "dataset").values[:, used].astype(float)
    size = size[(size > 0).all(axis=1)]
    ratio = float((size.max(axis=0) / size.min(axis=0)).max()) if len(size) else 1.0
    return (
        [Note("groups_unequal", {"ratio": ratio, "unit": strata.unit})] if ratio > UNEQUAL else []
    )


def _reversed_pair(strata: Strata, observed: np.ndarray, sign: int) -> tuple[int, int, int] | None:
    """Return two entities and a third one, without which the observed order of the two is the other way round."""
    by_label, weight = strata.within(sign * observed), strata.weight_of_labels()
    complete = np.flatnonzero(~np.isnan(by_label).any(axis=1))
    if not 3 <= len(complete) <= MOST_TRIED:
        return None
    points = np.zeros((len(complete), len(complete)))  # of each entity against each rival
    for share, one in zip(weight, by_label[complete].T, strict=True):
        points += share * ((one[:, None] > one) * 1.0 - (one[:, None] < one))
    total = points.sum(axis=1)
    for first in np.argsort(-total, kind="stable"):
        lead = total[first] - total
        # Without a third entity, the points against it are gone.
        lead_without = lead[:, None] - (points[first] - points)
        flipped = (lead_without < -1e-9) & (lead > 1e-9)[:, None]
        flipped[:, first] = False
        np.fill_diagonal(flipped, False)
        if flipped.any():
            second = min(np.flatnonzero(flipped.any(axis=1)), key=lambda i: lead[i])
            third = int(np.argmax(flipped[second]))
            return int(complete[first]), int(complete[second]), int(complete[third])
    return None


def _worst(
    strata: Strata, x: np.ndarray, sign: int, names: np.ndarray, notes: list[Note]
) -> dict[str, np.ndarray]:
    """Return the most probable worst label of each entity and its probability, and add a note on them."""
    by_label = sign * strata.within(x).reshape(-1, x.shape[-2], len(strata.labels))
    complete = ~np.isnan(by_label).any(axis=(0, 2))
    share = np.zeros((len(names), len(strata.labels)))
    for i in np.flatnonzero(complete):
        lowest = by_label[:, i] == by_label[:, i].min(axis=1, keepdims=True)
        share[i] = (lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0)
    where = share.argmax(axis=1)
    worst = np.array(
        [str(strata.labels[i]) if k else "" for i, k in zip(where, complete, strict=True)]
    )
    p = np.where(complete, share.max(axis=1), np.nan)
    listed = [[str(names[i]), str(worst[i]), float(p[i])] for i in np.flatnonzero(complete)]
    notes.append(
        Note("worst_of_each", {"worst": listed, "draws": len(by_label), "unit": strata.unit})
    )
    return {"worst": worst, "worst_probability": p}
