"""Aggregates of a score over groups, data sets or their categories, in each draw, and the evidence behind them.

Mean, worst and gap are functions of the scores of one entity. Win rate and Borda points count the
rivals that an entity beats, so that they depend on which rivals there are (Arrow 1951, Social
choice and individual values).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from bayesrank import models
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_weights, describe_value
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.records import RankingRecord
from bayesrank._core.source import Over, Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.claims.effective import Information
from bayesrank.claims.information import Units, information_of
from bayesrank.evidence.kinds import DrawsAlone, parse_evidence
from bayesrank.inference import fit
from bayesrank.performance.arrays import KINDS, as_performance
from bayesrank.performance.means import aggregate_over, mean_over_datasets
from bayesrank.ranking._loops import positions
from bayesrank.ranking.evidence import Evidence, cases_of, evidence_of
from bayesrank.ranking.extremes import Extremes, draw_alone
from bayesrank.ranking.support import support
from bayesrank.ranking.values import DIRECTION, ScoreValues, natural_score, score_values
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
class Strata:
    """The data sets (or groups) that an aggregate is over, and their labels.

    ``weight`` of each data set sums to 1. ``place`` is the position of its label; without
    categories, each data set has its own label. ``unit`` is what a label is called.
    """

    names: list[Any]
    weight: np.ndarray
    place: np.ndarray
    labels: list[Any]
    unit: str

    @property
    def mapping(self) -> dict[Any, float]:
        return dict(zip(self.names, self.weight.tolist(), strict=True))

    def within(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted mean of each label (..., label) from values (..., data set) of positive weight."""
        share = np.zeros((len(self.names), len(self.labels)))
        share[np.arange(len(self.names)), self.place] = self.weight
        share /= share.sum(axis=0)
        if len(self.labels) == len(self.names):
            return values[..., np.argsort(self.place)]
        if not np.isinf(values).any():
            return values @ share
        with np.errstate(
            invalid="ignore"
        ):  # 0 times an infinite value is NaN: other labels take no part
            return np.where(share > 0, values[..., None] * share, 0.0).sum(axis=-2)

    def weight_of_labels(self) -> np.ndarray:
        return np.bincount(self.place, self.weight, len(self.labels))


@dataclass(frozen=True)
class Scored:
    """What is ranked: values of a score, or of an aggregate of it, and the evidence behind them.

    An aggregate has notes, results by name, facts and caps of its own.
    """

    found: ScoreValues
    find_evidence: Callable[[], Evidence]
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
    def evidence(self) -> Evidence:
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
        """Return the values that probabilities are of: further from their mean where units are few."""
        return self.units.spread(self.found.values, self.found.range)

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

    def find_evidence() -> Evidence:
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
    source, over, aggregate = aim.source.with_datasets(), aim.over, aim.aggregate
    if kind is not None and check_choice("kind", kind, KINDS) != "observed":
        raise ArgumentError(
            "kind",
            Advice(
                "cannot be used with ",
                Typed("over", over),
                ", unless the aggregate is 'mean' without weights",
            ),
            repr(kind),
        )
    base = score_values(
        source, score, _any_direction(score, higher_is_better, aggregate), _kind_of(source)
    )
    if base.source is not None:
        aim, source = replace(aim, source=base.source), base.source
    if "dataset" not in base.values.dims:
        raise ArgumentError(
            "over", "must be a dim of source, or a coord along its groups or data sets", f"the dims {base.values.dims}",
            InPython("group= or dataset= of the constructor names them; br.pool sums over them"),
        )  # fmt: skip
    evidence = evidence_of(source, base.variable, base.values, _kind_of(source))
    if evidence.model.model not in models.names() and draw_dims(base.values):
        evidence = replace(evidence, unsupported=Note("draws_alone"))
    plain_score = None if base.variable else base.score
    cases = cases_of(source, base.values)
    strata = strata_of(aim, base.values, cases)
    retained = base.values.transpose(*draw_dims(base.values), ..., "entity", "dataset")
    if set(retained.dims) - {*draw_dims(retained), "entity", "dataset"}:
        raise ArgumentError(
            "source",
            "must have only the dim entity and a dim of groups or data sets",
            f"the dims {retained.dims}",
        )
    has_value = np.ones(retained.shape[-2:], bool)
    if cases is not None and "dataset" in cases.dims:
        has_value = cases.transpose("entity", "dataset").values > 0
    used = (strata.weight > 0) & has_value.any(axis=0)
    strata = _keep(strata, used, aim)
    if len(strata.labels) < 2 and aggregate == "gap":
        raise ArgumentError(
            "aggregate", f"cannot be used with a single {strata.unit}", f"{aggregate!r}"
        )
    has_value = has_value[:, used]
    x = np.where(has_value, np.asarray(retained.values, float)[..., used], np.nan)
    observed_values = evidence.observed(plain_score)
    observed = None
    if observed_values is not None and "dataset" in observed_values.dims:
        observed = np.where(
            has_value,
            observed_values.transpose("entity", "dataset").values[:, used].astype(float),
            np.nan,
        )
    names = (
        retained["entity"].values
        if "entity" in retained.coords
        else np.arange(retained.sizes["entity"])
    )
    notes = _notes(strata, aggregate, has_value, names, evidence, cases)
    pair = (
        _reversed_pair(strata, observed, base.sign)
        if aggregate in OF_RIVALS and observed is not None
        else None
    )
    if pair is not None:
        first_name, second_name, absent = (str(names[i]) for i in pair)
        notes.append(
            Note(
                "pair_reversed_by_absence",
                {"one": first_name, "other": second_name, "absent": absent},
            )
        )
    notes += [note for note in evidence.notes(plain_score) if note.code in OF_SCORE]
    number = len(strata.labels)
    these_groups = (
        Note("pooled_datasets", {"datasets": number, "unit": strata.unit}) if number > 1 else None
    )
    facts = RankingRecord(over=over, aggregate=aggregate, stratum=strata.unit).to_attrs()
    met_cases = (
        None
        if cases is None or "dataset" not in cases.dims
        else cases.isel(dataset=used).sum("dataset")
    )
    # New cases in the same shares of the groups tell of a mean as today's do, but not which group
    # is the worst.
    single = not evidence.behind.clustered
    further = "cases" if single and aggregate in OF_PLANS else ""
    if (
        aggregate == "mean"
        and has_value.all()
        and (linear := _of_mean(source, base, strata)) is not None
    ):
        result, evidence_of_aggregate = linear
        result = replace(result, name=f"mean_{base.name}", label=_display(base, "mean"))
        own = notes_text(
            note
            for note in notes_of(evidence_of_aggregate.assembled.notes)
            if note.code not in OF_MEANS
        )
        evidence_of_aggregate = replace(
            evidence_of_aggregate, assembled=replace(evidence_of_aggregate.assembled, notes=own)
        )
        counted = evidence_of_aggregate.cases if met_cases is None else met_cases
        evidence_of_aggregate = replace(
            evidence_of_aggregate,
            these=these_groups,
            further=further,
            cases=counted,
            unsupported=evidence.unsupported,
        )
        return Scored(result, lambda: evidence_of_aggregate, None, notes, facts=facts)
    combine = _combiner(strata, aggregate, base.sign)
    values = retained.isel(dataset=0, drop=True).copy(data=combine(x))
    values = values.drop_vars(
        [name for name in values.coords if "dataset" in retained.coords[name].dims], errors="ignore"
    )
    result = _found(base, values, aggregate, x.shape[-2])
    if aggregate in OF_RIVALS and not draw_dims(values):
        share = strata.weight_of_labels()
        points = points_against_rivals(base.sign * strata.within(x), aggregate)
        if len(share) > 1 and np.ptp(share) < 1e-9 and np.isfinite(points).all():
            sampled, behind_points = _over_tasks(points, names, strata.unit)
            sampled = (
                sampled.clip(*result.range).rename(result.name).assign_attrs(result.values.attrs)
            )
            return Scored(
                replace(result, values=sampled),
                lambda: behind_points,
                None,
                notes,
                facts=facts,
                exact=result.values,
            )
    if observed is None:
        total = None
    else:
        with np.errstate(invalid="ignore"):  # differences of two infinite values
            combined = combine(observed)
        total = values.isel(dict.fromkeys(draw_dims(values), 0), drop=True).copy(data=combined)
    parts = [
        information_of(evidence.at("dataset", int(i)), plain_score, x.shape[-2])
        for i in np.flatnonzero(used)
    ]
    behind = None if total is None else total.values
    information, extremes = _join(parts, behind), None
    if aggregate in ("worst", "gap"):
        drawn = x.reshape(-1, *x.shape[-2:])
        alone = (
            draw_alone(evidence, plain_score, names, used, len(drawn)) if len(drawn) > 1 else None
        )
        if alone is not None:  # the model's population moves groups towards each other
            drawn = np.where(has_value, alone, np.nan)
            information = replace(information, population="", observed=behind)
        extremes = Extremes(
            strata.within(drawn),
            None if observed is None else strata.within(observed),
            base,
            aggregate == "gap",
        )
    evidence_of_aggregate = Evidence(
        about=evidence.about,
        assembled=evidence.assembled,
        sampler=evidence.sampler,
        cases=met_cases,
        values=total,
        kind=evidence.kind,
        bootstrap=evidence.bootstrap,
        tables=evidence.tables,
        prior=evidence.prior,
        behind=evidence.joint_cases or DrawsAlone(),
        unsupported=evidence.unsupported,
        known=information,
        these=these_groups,
        extreme=aggregate != "mean",
        further=further,
    )
    results = _worst(strata, x, base.sign, names, notes) if aggregate == "worst" else {}
    caps = _caps(strata, aggregate, evidence, cases, used)
    return Scored(
        result, lambda: evidence_of_aggregate, None, notes, results, facts, caps, extremes
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


def mean_performance(source: Container, purpose: str, worst: bool = False) -> Container:
    """Return the mean performance of an aggregate, where others have no meaning; another source unchanged.

    With ``worst``, the worst group has a meaning too, and the performances (..., dataset) are
    returned for it.
    """
    if not isinstance(source, Over):
        return source
    source.check(
        ("mean", "worst") if worst else ("mean",), purpose, "other aggregates are no performance"
    )
    by_dataset = source.source.with_datasets()
    values = score_values(
        by_dataset, natural_score(by_dataset) or "accuracy", True, _kind_of(by_dataset)
    ).values
    cases = cases_of(by_dataset, values)
    strata = strata_of(source, values, cases)
    if source.aggregate == "mean":
        return parse_source(mean_over_datasets(source.source, strata.mapping))
    if len(strata.labels) < len(strata.names):
        raise ArgumentError(
            "over",
            f"must be {_dim_of(source)} for the worst {_dim_of(source)} on a Tile",
            f"{source.over!r}",
        )
    used = strata.weight > 0
    if cases is not None and "dataset" in cases.dims:
        used &= (cases.sum("entity") > 0).values
    _keep(strata, used, source)
    return as_performance(by_dataset, _kind_of(by_dataset)).isel(dataset=used)


def likely_performance(source: Container, kind: str | None) -> tuple[Container, str | None]:
    """Return the performance that probabilities are of, and its kind: further from its mean where clusters are few.

    The units are those of the accuracy. A source without clusters is returned unchanged.
    """
    held = parse_source(source)
    if held.container is None or not parse_evidence(held).clustered:
        return source, kind
    cells, both = as_performance(held, kind), ["actual", "predicted"]
    likely = scored(held, "accuracy", None, kind).units.spread(cells, (0.0, 1.0))
    return likely / likely.sum(both, skipna=False) * cells.sum(both, skipna=False), None


def _dim_of(aim: Over) -> str:
    """Return what the user calls the dim of groups or data sets."""
    return "group" if aim.source.over_groups else "dataset"


def _kind_of(source: Source) -> str | None:
    """Return the kind of the observed groups, where a posterior has others."""
    return None if source.array is not None else "observed"


def _any_direction(score: Any, given: bool | None, aggregate: str) -> bool | None:
    """Return a direction for a gap, which has none of its score: a smaller gap is better."""
    if aggregate != "gap" or given is not None or score is None:
        return given
    parsed = find(score) if isinstance(score, str) else as_score(score)
    return True if parsed is not None and parsed.higher_is_better is None else None


def strata_of(aim: Over, values: xr.DataArray, cases: xr.DataArray | None) -> Strata:
    """Return the data sets of ``values`` with their labels and weights."""
    over, source = aim.over, aim.source.with_datasets()
    dim = _dim_of(aim)
    if "dataset" not in values.dims:
        raise ArgumentError(
            "over", "cannot be used for a source without groups or data sets", f"{over!r}"
        )
    names = (
        values["dataset"].values.tolist()
        if "dataset" in values.coords
        else list(range(values.sizes["dataset"]))
    )
    labels = names if over == dim else _labels(source, values, over, dim)
    distinct = list(dict.fromkeys(labels))
    position = np.array([distinct.index(label) for label in labels])
    unit = source.model.stratum if over == "dataset" else over.replace("_", " ")
    return Strata(
        names,
        _weights(aim, values, cases, names, distinct, position, dim),
        position,
        distinct,
        unit,
    )


def _labels(
    source: Source, values: xr.DataArray, over: str, dim: str, argument: str = "over"
) -> list[Any]:
    """Return the label of each data set in a coord that an argument names."""
    for held in (values, source.array, source.observed, source.dataset):
        coord = None if held is None else held.coords.get(over)
        if coord is not None and coord.dims == ("dataset",):
            return coord.values.tolist()
    coords = {
        str(n)
        for held in (values, source.observed)
        for n, c in held.coords.items()
        if c.dims == ("dataset",)
    }
    coords_text = ", ".join([dim, *sorted(coords - {"dataset"})])
    raise ArgumentError(
        argument,
        f"must be {coords_text}",
        f"{over!r}",
        Advice(Typed("category"), InPython(" of br.from_frame"), " adds categories"),
    )


def _weights(
    aim: Over,
    values: xr.DataArray,
    cases: xr.DataArray | None,
    names: list[Any],
    labels: list[Any],
    place: np.ndarray,
    dim: str,
) -> np.ndarray:
    """Return the weight of each data set, with sum 1."""
    weights, source = aim.weights, aim.source.with_datasets()
    size = np.bincount(place)
    if weights is None:  # labels weigh the same, and the data sets of each
        return 1 / size[place] / len(labels)
    if isinstance(weights, str) and weights == "cases":
        if cases is None or "dataset" not in cases.dims:
            raise ArgumentError(
                "weights", "must be a mapping for a source without numbers of cases", "'cases'"
            )
        total = cases.sum("entity").values.astype(float)
        if sums := source.assembled.dataset_weight_sums:
            total = np.array([json.loads(sums)[str(name)] for name in names])
        return total / total.sum()
    if isinstance(weights, str):
        weights = dict(zip(names, _labels(source, values, weights, dim, "weights"), strict=True))
    if isinstance(weights, xr.DataArray):
        if (
            weights.ndim != 1
            or str(weights.dims[0]) not in (dim, "dataset")
            or weights.dims[0] not in weights.coords
        ):
            raise ArgumentError(
                "weights", f"must be over {dim}, and name them", describe_value(weights)
            )
        weights = dict(
            zip(weights[weights.dims[0]].values.tolist(), weights.values.tolist(), strict=True)
        )
    if not isinstance(weights, Mapping) or not weights:
        raise ArgumentTypeError(
            "weights", f"must be 'cases', a coord, or a mapping from {dim}", describe_value(weights)
        )
    if any(isinstance(held, Mapping | list | tuple) for held in weights.values()):
        return _nested(weights, names, dim)
    if all(isinstance(held, str) for held in weights.values()):  # categories
        result: dict[Any, list[Any]] = {}
        for name, category in weights.items():
            result.setdefault(category, []).append(name)
        return _nested(result, names, dim)
    if labels != names and set(weights) == set(labels):
        checked = check_weights("weights", [weights[label] for label in labels])
        return (checked / checked.sum())[place] / size[place]
    _check_named(weights, names, dim)
    checked = check_weights("weights", [weights[name] for name in names])
    return checked / checked.sum()


def _nested(weights: Mapping[Any, Any], names: list[Any], dim: str) -> np.ndarray:
    """Return weights of data sets in categories that weigh the same."""
    found: dict[Any, float] = {}
    for category, held in weights.items():
        if not isinstance(held, Mapping | list | tuple) or not held:
            raise ArgumentTypeError(
                "weights",
                f"must be mappings or lists for all categories, such as {category!r}",
                describe_value(held),
            )
        own = dict(held) if isinstance(held, Mapping) else dict.fromkeys(held, 1.0)
        own_weights = check_weights("weights", list(own.values()))
        for name, weight in zip(own, own_weights / own_weights.sum() / len(weights), strict=True):
            if name in found:
                raise ArgumentError(
                    "weights", f"must have each {dim} in one category", f"{name!r} in several"
                )
            found[name] = float(weight)
    _check_named(found, names, dim)
    return np.array([found[name] for name in names])


def _check_named(given: Mapping[Any, Any], names: list[Any], dim: str) -> None:
    if set(given) != set(names):
        lacking, unknown = (
            [n for n in names if n not in given],
            [n for n in given if n not in names],
        )
        raise ArgumentError(
            "weights", f"must name every {dim} once", f"none for {lacking}, unknown {unknown}"
        )


def _keep(strata: Strata, used: np.ndarray, aim: Over) -> Strata:
    """Return the strata of the used data sets, with their labels and weights."""
    if not used.any():
        raise ArgumentError(
            "source", "must have cases in a group or data set of positive weight", "none"
        )
    position, weight = strata.place[used], strata.weight[used]
    retained = sorted(set(position.tolist()))
    labels = [strata.labels[i] for i in retained]
    result = Strata(
        [name for name, use in zip(strata.names, used, strict=True) if use],
        weight / weight.sum(),
        np.array([retained.index(i) for i in position.tolist()]),
        labels,
        strata.unit,
    )
    label_weights = result.weight_of_labels()
    if (
        aim.aggregate in ("worst", "gap")
        and aim.weights is not None
        and np.ptp(label_weights) > 1e-9
    ):
        raise ArgumentError(
            "weights",
            f"must be equal for the aggregate {aim.aggregate!r}, or 0 for a {strata.unit} to ignore",
            "different weights",
        )
    return result


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


def _over_tasks(points: np.ndarray, names: np.ndarray, unit: str) -> tuple[xr.DataArray, Evidence]:
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
) -> tuple[ScoreValues, Evidence] | None:
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
    evidence: Evidence,
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


def _independent(evidence: Evidence) -> bool:
    """Return whether a model has no population of the groups."""
    return evidence.about is not None and not evidence.about.population_of_tables


def _caps(
    strata: Strata, aggregate: str, evidence: Evidence, cases: xr.DataArray | None, used: np.ndarray
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
