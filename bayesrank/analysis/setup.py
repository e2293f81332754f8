"""What is fitted and ranked: the model, how data sets are pooled, and the direction, if the user leaves them open."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import (
    label_values,
)
from bayesrank._core.errors import Advice, ArgumentError, Typed
from bayesrank._core.labels import (
    known_classes,
    select_names,
)
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nouns import ENTITY
from bayesrank._core.percent import using_words_of
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.types import Evidence
from bayesrank.analysis.default_score import choose_score
from bayesrank.evidence.counts import common_datasets, pool
from bayesrank.evidence.groups import groups_as_datasets, has_groups
from bayesrank.evidence.kinds.given import GivenEvidence, parse_given
from bayesrank.evidence.ledger import Ledger, count_evidence, ledger_of
from bayesrank.evidence.predictions import counts_of
from bayesrank.io.tables.columns import may_be_low, squeeze
from bayesrank.models import (
    chosen_by_evidence,
    find_model,
    model_for_datasets,
    names,
    options_of,
    population_of,
    takes_cases,
)
from bayesrank.performance import aggregate_over
from bayesrank.ranking.notes import positive_class_notes
from bayesrank.scores import Score
from bayesrank.words.sentences import say

AnySetup = TypeVar("AnySetup", bound="Setup")
#: The note on a score that is named like an error or a cost.
LOW = "low_may_be_good"


@dataclass(frozen=True)
class Setup:
    """What is fitted and ranked: the evidence, how it was pooled, the model with its options, and the direction."""

    evidence: Evidence
    #: The data sets separately, unless one was chosen, so that each can be omitted.
    by_dataset: Evidence
    remarks: list[Note | str]
    model: str
    options: dict[str, Any]
    #: What was read, also of data sets that are not used.
    ledger: Ledger
    #: The direction that the user or the files give; None if they give none.
    higher_is_better: bool | None = None
    #: Arguments of br.performance.aggregate_over; None if the ranking is not over groups or data
    #: sets.
    aim: dict[str, Any] | None = None

    def source_of(self, posterior: Any) -> Any:
        """Return what is ranked: the posterior, or its aggregate over groups or data sets."""
        return posterior if self.aim is None else aggregate_over(posterior, **self.aim)

    def direction(self, score: Score) -> bool | None:
        """Return the direction for br.credible_ranking; None if the score determines it."""
        if self.higher_is_better is None or score.higher_is_better is None:
            return self.higher_is_better
        if score.space == "outcomes":
            return None if self.higher_is_better else False
        if not self.higher_is_better:
            raise ArgumentError(
                "higher_is_better", "cannot be used for scores that have a direction", score.name
            )
        return None

    @property
    def origin(self) -> EvidenceRecord:
        """Return what the evidence says of itself, such as what an entity is called."""
        return EvidenceRecord.of(self.by_dataset)

    @property
    def noun(self) -> str:
        """Return what the data call an entity, such as model, test or team; else entity."""
        return self.origin.noun or ENTITY

    def say_remarks(self, *scores: Score | None) -> list[str]:
        """Return how the data were read, and the positive class unless no score depends on it."""
        named = [note for score in scores for note in positive_class_notes(self.by_dataset, score)]
        with using_words_of(self.origin):
            return list(dict.fromkeys(map(say, [*self.remarks, *named])))

    def read_note(self, unit: str = "data set") -> Note:
        """Return the note on what was read; ``unit`` is what a data set is called."""
        return self.ledger.read_note(self.noun, unit)

    @property
    def labels(self) -> dict[str, str]:
        """Return the positive label, unless it is "positive"."""
        classes = known_classes(self.by_dataset)
        return {} if classes is None or classes[1] == "positive" else {"positive": str(classes[1])}


def set_up(
    evidence: Evidence,
    *,
    model: Any = None,
    usual: str | None = None,
    prior: Any = None,
    prevalence: Any = None,
    dataset: str | None = None,
    join: Any = "exact",
    apart: bool = False,
    over: str | None = None,
    aggregate: str | None = None,
    weights: Any = None,
    covariates: Sequence[str] = (),
    at: dict[str, float] | None = None,
    scale: str | None = None,
    anchor: dict[str, float] | None = None,
    higher_is_better: bool | None = None,
    remarks: Sequence[Note | str] = (),
    source: str = "",
    ignored: Sequence[str] = (),
    place: str = "the data",
) -> Setup:
    """Choose the model and what is pooled, as far as the arguments leave it open.

    Parameters
    ----------
    evidence
        Counts or a Dataset of another kind.
    model, prior, prevalence
        As for :func:`bayesrank.fit`; the default is chosen by the evidence.
    usual
        The usual model of shipped data, which may need all data sets.
    dataset
        The only data set to use.
    join
        How to pool data sets that differ between the entities, as for :func:`bayesrank.pool`.
    apart
        Whether each data set has an analysis of its own, as the categories of ``--by``.
    over, aggregate, weights
        As for :func:`bayesrank.performance.aggregate_over`. Groups or data sets then stay apart.
    covariates, at
        Columns on which the rates may depend, and the values of interest.
    scale, anchor
        The scale of the ratings of votes, such as "elo", and the rating of an entity on it.
    higher_is_better
        The direction of outcomes that the user or the files give.
    remarks
        Further notes on how the data were read.
    source, ignored
        What the data are called, and the columns that were not used.
    place
        Where single cases would be, for messages.
    """
    _check_over(over, aggregate, weights, dataset)
    if over is None and has_groups(evidence):
        evidence = groups_as_datasets(evidence)
    together = dataset is None and not apart
    default = _default_model(evidence, together, usual, prior)
    name = default if model is None else model
    parsed = parse_given(evidence)
    if parsed.of_cases and not takes_cases(name):
        evidence = counts_of(parsed.held)
        parsed = parse_given(evidence)
    _check_model(
        parsed,
        name,
        {"prior": prior, "prevalence": prevalence, "scale": scale, "anchor": anchor},
        place,
    )
    model_options = _covariates(parsed, name, covariates, at)
    evidence, scale_options = _scale(evidence, scale, anchor)
    _check_direction(evidence, higher_is_better)
    every, pooling = evidence, list[Note | str]()
    if not apart and over is None:
        evidence, pooling = _one_table_each(evidence, dataset, join, name)
    ledger = replace(ledger_of(every), source=source, ignored=tuple(dict.fromkeys(ignored)))
    notes = pooling + _reading_notes(every, together)
    notes += _case_notes(parsed, evidence, name if model is None else None)
    notes += [note for note in remarks if note not in notes]
    notes += ledger.run_notes()
    used = ledger if dataset is None else replace(count_evidence(evidence), source=source)
    evidence = evidence.assign_attrs(used.to_attrs())
    if parsed.draws_scores and "dataset" in evidence.coords:
        model_options = {"average": True}
    priors = {"prior": prior, "prevalence": prevalence}
    options = model_options | {key: value for key, value in priors.items() if value is not None}
    return Setup(
        evidence,
        by_dataset=every if dataset is None else evidence,
        remarks=notes,
        model=name,
        options=options | scale_options,
        ledger=ledger,
        higher_is_better=higher_is_better,
        aim=None if over is None else _aim(evidence, over, aggregate, weights),
    )


def _check_over(over: str | None, aggregate: str | None, weights: Any, dataset: str | None) -> None:
    """Refuse options of an aggregate without ``over``, and one data set beside it."""
    if over is not None:
        if dataset is not None:
            requested = Advice("cannot be used with ", Typed("over"), " or ", Typed("group"))
            raise ArgumentError("dataset", requested, f"{dataset!r}")
        return
    for argument, value in (("aggregate", aggregate), ("weights", weights)):
        if value is not None:
            requested = Advice("cannot be used without ", Typed("over"), " or ", Typed("group"))
            raise ArgumentError(argument, requested, f"{value!r}")


def _default_model(evidence: Evidence, together: bool, usual: str | None, prior: Any) -> str:
    """Return the model of an analysis that names none.

    The usual model of shipped data may learn from all data sets, so that it needs them together.
    """
    chosen = chosen_by_evidence(evidence, together, () if prior is None else ("prior",))
    if usual is None or isinstance(evidence, xr.Dataset):
        return chosen
    return usual if together or population_of(usual) != "data sets" else chosen


def _reading_notes(evidence: Evidence, together: bool) -> list[Note]:
    """Return the notes of the evidence itself, without the doubt on the direction, which is settled here."""
    notes = [note for note in notes_of(EvidenceRecord.of(evidence).notes) if note.code != LOW]
    return [note for note in notes if together or not note.fields.get("if_pooled")]


def _case_notes(parsed: GivenEvidence, evidence: Evidence, default: str | None) -> list[Note]:
    """Return notes on the clusters of cases, and on the model if it is the default."""
    if not parsed.of_cases and not parsed.draws_scores:
        return []
    notes = []
    if default is not None and parsed.of_cases:
        notes.append(Note("model_of_cases", {"model": default}))
    if "cluster" in evidence.coords:
        clusters = len(set(evidence["cluster"].values.tolist()))
        notes.append(Note("cases_in_clusters", {"clusters": clusters}))
    return notes


def with_scores(setup: AnySetup, scores: Sequence[Score | None]) -> AnySetup:
    """Name the scores, or None for the default, to models of predicted probabilities, which draw them."""
    if not parse_given(setup.evidence).draws_scores or not scores:
        return setup
    requested = dict.fromkeys(choose_score(setup.evidence, score).name for score in scores)
    return replace(setup, options=setup.options | {"scores": tuple(requested)})


def _aim(evidence: Evidence, over: str, aggregate: str | None, weights: Any) -> dict[str, Any]:
    """Return the arguments of br.performance.aggregate_over, with weights by the names in the evidence."""
    if isinstance(weights, dict):
        label_lists = [
            evidence[dim].values.tolist()
            for dim in ("dataset", "group", "category")
            if dim in evidence.coords
        ]
        by_text = {str(name): name for labels in label_lists for name in labels}
        weights = {by_text.get(name, name): weight for name, weight in weights.items()}
    return {"over": over, "aggregate": aggregate or "mean", "weights": weights}


def _check_model(parsed: GivenEvidence, model: str, options: dict[str, Any], place: str) -> None:
    """Refuse models and options that do not fit the form of the evidence."""
    outcomes = "outcome" in parsed.space
    if takes_cases(model) and not parsed.of_cases and not parsed.summary:
        raise ArgumentError(
            "model",
            f"must not be {model} for counts, which do not show which errors coincide: this model needs "
            f"one row for each case in {place}",
        )
    if outcomes and not parsed.summary and getattr(find_model(model), "needs_classes", False):
        fit = chosen_by_evidence(parsed.held, False)
        raise ArgumentError(
            "model", f"must be {fit} for counts of outcomes, which have no classes", model
        )
    if "outcome" in parsed.held.dims and label_values(parsed.held["outcome"].values) is None:
        text = ", ".join(map(str, parsed.held["outcome"].values.tolist()))
        raise ArgumentError(
            "data", "must have numbers as outcomes, which are ranked by their mean", text
        )
    for option, why in parsed.refused.items():
        if options.get(option) is not None:
            raise ArgumentError(option, f"cannot be used {why}", f"{options[option]!r}")


def _covariates(
    parsed: GivenEvidence, model: str, typed: Sequence[str], at: dict[str, float] | None
) -> dict[str, Any]:
    """Return the options of the model for covariates, by the names of their columns, which may differ in case."""
    if not typed:
        if at is not None:
            raise ArgumentError(
                "at", Advice("cannot be used without ", Typed("covariates")), f"{at}"
            )
        return {}
    if at is not None and (why := parsed.refused.get("at")):
        raise ArgumentError("at", f"cannot be used {why}", f"{at}")
    if parsed.holds_covariates:
        return {}
    if "covariates" not in options_of(find_model(model)):
        models = ", ".join(name for name in names() if "covariates" in options_of(find_model(name)))
        raise ArgumentError(
            "covariates",
            f"cannot be used for the model {model}",
            f"{typed[0]!r}",
            f"models with covariates: {models}",
        )
    columns = [name for name, *_ in ledger_of(parsed.held).covariates]
    by_heading = {squeeze(name): name for name in columns}
    return {"covariates": columns} | (
        {}
        if at is None
        else {"at": {by_heading.get(squeeze(name), name): value for name, value in at.items()}}
    )


def _scale(
    evidence: Evidence, scale: str | None, anchor: dict[str, float] | None
) -> tuple[Evidence, dict[str, Any]]:
    """Return votes that are rated on a scale, and the option of the model for the anchor."""
    if anchor is not None and scale is None:
        raise ArgumentError("anchor", Advice("needs ", Typed("scale", "elo")), f"{anchor}")
    if scale is None:
        return evidence, {}
    by_text = {str(name): name for name in evidence["entity"].values.tolist()}
    ratings = {by_text.get(name, name): rating for name, rating in (anchor or {}).items()}
    return evidence.assign_attrs(scale=scale), {"anchor": ratings} if ratings else {}


def _check_direction(evidence: Evidence, higher_is_better: bool | None) -> None:
    """Ask for the direction of outcomes whose headings speak of errors, losses, times, costs or ranks."""
    if higher_is_better is not None or "outcome" not in parse_given(evidence).space:
        return
    entities = [str(name) for name in evidence["entity"].values.tolist()]
    named = [
        note.fields["name"]
        for note in notes_of(EvidenceRecord.of(evidence).notes)
        if note.code == LOW
    ]
    named = named or entities
    if all(map(may_be_low, named)):
        low, high = (
            Typed("lower_is_better", python="higher_is_better=False"),
            Typed("higher_is_better", python="higher_is_better=True"),
        )
        raise ArgumentError(
            "data",
            "must say which outcomes are good, because headings name errors, losses, times, costs or ranks",
            f"{named[0]!r}",
            Advice(low, " ranks low ones first, ", high, " high ones"),
        )


def _one_table_each(
    evidence: Evidence, dataset: str | None, join: Any, model: str
) -> tuple[Evidence, list[Note | str]]:
    """Return the evidence of one data set, or pooled, or unpooled for models that need that; and remarks."""
    if "dataset" not in evidence.coords:
        if dataset is not None:
            raise ArgumentError(
                "dataset", "cannot be used for data without data sets", f"{dataset!r}"
            )
        return evidence, []
    by_text = {str(name): name for name in dict.fromkeys(evidence["dataset"].values.tolist())}
    if dataset is not None and dataset not in by_text:
        raise ArgumentError("dataset", f"must be one of {', '.join(by_text)}", f"{dataset!r}")
    if dataset is None and len(by_text) > 1:
        return _pool(evidence, join, model, len(by_text))
    chosen = by_text[dataset] if dataset is not None else next(iter(by_text.values()))
    if isinstance(evidence, xr.Dataset):
        dim = str(evidence["dataset"].dims[0])
        return evidence.isel({dim: (evidence["dataset"] == chosen).values}).drop_vars("dataset"), []
    counts = select_names(evidence, dataset=chosen, drop=True)
    return counts.isel(entity=counts["measured"].values).drop_vars("measured"), []


def _pool(
    evidence: Evidence, join: Any, model: str, size: int
) -> tuple[Evidence, list[Note | str]]:
    """Pool all data sets, or the data sets of all entities, unless the model learns from them together."""
    pooled = size
    if (note := parse_given(evidence).never_pooled(size)) is not None:
        return evidence, [note]
    if isinstance(evidence, xr.DataArray):
        if getattr(find_model(model), "over_datasets_together", False):
            return evidence, [Note("datasets_learned", {"datasets": size})]
        common, lacking = common_datasets(evidence)
        number_shared = prose.count(int(common.sum()), "data set")
        if lacking and (join == "exact" or not common.any()):
            inner = (
                (Typed("join", "inner"), f" keeps the {number_shared} that every entity saw, ")
                if common.any()
                else ()
            )
            learning = Typed(
                "model", model_for_datasets(evidence.shape[-1], evidence.sizes["entity"])
            )
            raise ArgumentError(
                "data",
                "must have the same data sets for every entity to be pooled",
                lacking,
                Advice(
                    *inner,
                    learning,
                    " learns from all of them, and ",
                    Typed("dataset"),
                    " chooses one",
                ),
            )
        pooled = int(common.sum()) if lacking else size
    return pool(evidence, join=join), [Note("datasets_pooled", {"datasets": pooled, "total": size})]
