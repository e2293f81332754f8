"""One analysis for the command and for Python: the model, pooling, score, method and direction of who says nothing."""

import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import xarray as xr
from rich.cells import cell_len

from bayesrank import datasets
from bayesrank._core import prose
from bayesrank._core.calls import check_call, in_own_words
from bayesrank._core.checks import (
    arguments_of,
    check_bool,
    check_column_names,
    check_keywords,
    describe_value,
    label_values,
    rename_argument,
)
from bayesrank._core.compat import is_container, to_container
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, Typed
from bayesrank._core.escape import escape_invisible
from bayesrank._core.frames import as_pandas
from bayesrank._core.labels import (
    find_lookalike,
    has_positive_class,
    known_classes,
    select_names,
    suggest_entity,
    suggest_file,
)
from bayesrank._core.names import short_names
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nouns import ENTITY
from bayesrank._core.percent import score_text, using_words_of
from bayesrank._core.random import Seed
from bayesrank._core.records import EvidenceRecord, RankingRecord
from bayesrank._core.types import ModelName, ScoreLike
from bayesrank.evidence.counts import common_datasets, pool, put_in_class_order
from bayesrank.evidence.groups import groups_as_datasets, has_groups
from bayesrank.evidence.kinds.given import GivenEvidence, parse_given
from bayesrank.evidence.ledger import Ledger, count_evidence, ledger_of
from bayesrank.evidence.predictions import counts_of, joint_outcomes
from bayesrank.evidence.probabilities import from_probabilities, probabilities_of
from bayesrank.inference import draw_groups
from bayesrank.io.tables.columns import may_be_low, squeeze
from bayesrank.io.tables.files import read_evidence
from bayesrank.io.tables.frames import from_frame
from bayesrank.models import (
    chosen_by_evidence,
    find_model,
    model_for_datasets,
    names,
    options_of,
    population_of,
    takes_cases,
)
from bayesrank.models.parts.margins import are_shares
from bayesrank.models.parts.priors import in_words
from bayesrank.performance import aggregate_over
from bayesrank.performance.arrays import as_performance, posterior_of
from bayesrank.ranking import credible_ranking
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.notes import positive_class_notes
from bayesrank.ranking.summary import ranking_table, score_name
from bayesrank.ranking.values import natural_score
from bayesrank.scores import Score, as_score
from bayesrank.scores.score import NO_TRUE_NEGATIVES, SCORES
from bayesrank.tile.coarse import coarse_shares
from bayesrank.words.cells import ranking_cells
from bayesrank.words.models import check_model, model_notes
from bayesrank.words.parts import Verdict
from bayesrank.words.results import verdict_parts
from bayesrank.words.sentences import say
from bayesrank.words.tile import weighting_sentence

Evidence = xr.DataArray | xr.Dataset
AnySetup = TypeVar("AnySetup", bound="Setup")
#: The note on a score that is named like an error or a cost.
LOW = "low_may_be_good"
#: The number of entities that the text of an analysis shows.
SHOWN = 20
#: Codes of notes that the title of a ranking repeats.
JOINED = {
    "datasets_pooled": "pooled over",
    "datasets_averaged": "averaged over",
    "datasets_learned": "fitted to",
}


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

    def stated(self, *scores: Score | None) -> list[str]:
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
        known = known_classes(self.by_dataset)
        return {} if known is None or known[1] == "positive" else {"positive": str(known[1])}


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
    for argument, value in (("aggregate", aggregate), ("weights", weights)) if over is None else ():
        if value is not None:
            requested = Advice("cannot be used without ", Typed("over"), " or ", Typed("group"))
            raise ArgumentError(argument, requested, f"{value!r}")
    if over is not None and dataset is not None:
        requested = Advice("cannot be used with ", Typed("over"), " or ", Typed("group"))
        raise ArgumentError("dataset", requested, f"{dataset!r}")
    if over is None and has_groups(evidence):
        evidence = groups_as_datasets(evidence)
    together = dataset is None and not apart
    chosen = chosen_by_evidence(evidence, together, () if prior is None else ("prior",))
    usual = chosen if usual is None or isinstance(evidence, xr.Dataset) else usual
    # The usual model of shipped data may need all data sets.
    by_default = usual if together or population_of(usual) != "data sets" else chosen
    name = by_default if model is None else model
    given = parse_given(evidence)
    if given.of_cases and not takes_cases(name):
        evidence = counts_of(given.held)
        given = parse_given(evidence)
    _check_model(
        given,
        name,
        {"prior": prior, "prevalence": prevalence, "scale": scale, "anchor": anchor},
        place,
    )
    moved = _covariates(given, name, covariates, at)
    evidence, rated = _scale(evidence, scale, anchor)
    _check_direction(evidence, higher_is_better)
    every, result = evidence, list[Note | str]()
    if not apart and over is None:
        evidence, result = _one_table_each(evidence, dataset, join, name)
    # The direction is typed.
    notes = [note for note in notes_of(EvidenceRecord.of(every).notes) if note.code != LOW]
    result += [note for note in notes if together or not note.fields.get("if_pooled")]
    if given.of_cases or given.draws_scores:
        if model is None and given.of_cases:
            result.append(Note("model_of_cases", {"model": name}))
        if "cluster" in evidence.coords:
            clusters = len(set(evidence["cluster"].values.tolist()))
            result.append(Note("cases_in_clusters", {"clusters": clusters}))
    result += [note for note in remarks if note not in result]
    ledger = replace(ledger_of(every), source=source, ignored=tuple(dict.fromkeys(ignored)))
    result += ledger.run_notes()
    used = ledger if dataset is None else replace(count_evidence(evidence), source=source)
    evidence = evidence.assign_attrs(used.to_attrs())
    averaged = given.draws_scores and "dataset" in evidence.coords
    options: dict[str, Any] = {"average": True} if averaged else moved
    options |= {
        key: value
        for key, value in (("prior", prior), ("prevalence", prevalence))
        if value is not None
    }
    options |= rated
    aim = None if over is None else _aim(evidence, over, aggregate, weights)
    by_dataset = every if dataset is None else evidence
    return Setup(evidence, by_dataset, result, name, options, ledger, higher_is_better, aim)


def with_scores(setup: AnySetup, scores: Sequence[Score | None]) -> AnySetup:
    """Name the scores, or None for the default, to models of predicted probabilities, which draw them."""
    if not parse_given(setup.evidence).draws_scores or not scores:
        return setup
    requested = dict.fromkeys(choose_score(setup.evidence, score).name for score in scores)
    return replace(setup, options=setup.options | {"scores": tuple(requested)})


def draw(
    setup: Setup, *, draws: int, seed: Any, sampler: Any = "auto", prior: bool = False
) -> xr.DataTree:
    """Draw from the posterior; ``prior`` adds draws of the prior, if there is one."""
    groups = ("prior",) if prior and setup.aim is None and _has_prior(setup) else ()
    with quiet():
        found = draw_groups(
            setup.evidence,
            setup.model,
            draws=draws,
            seed=seed,
            sampler=sampler,
            groups=groups,
            **setup.options,
        )
    return xr.DataTree.from_dict(found)


def lacks_true_negatives(evidence: Evidence) -> bool:
    """Return whether evidence is that of detection, which counts no true negatives."""
    return any(
        note.code == NO_TRUE_NEGATIVES for note in notes_of(EvidenceRecord.of(evidence).notes)
    )


def choose_score(evidence: Evidence, score: Score | None) -> Score:
    """Return a score after a check against the evidence; without one the default.

    Accuracy is the mean of right and wrong answers. The default for classes is informedness, which
    needs no prevalence; accuracy unless both of two classes have cases.
    """
    sizes = parse_given(evidence).space
    natural = natural_score(evidence)
    if score is None and (scale := evidence.attrs.get("scale")):
        score = as_score(scale)
    score = (
        as_score("f1")
        if score is None and natural is None and lacks_true_negatives(evidence)
        else score
    )
    if score is None or (
        score.name == "accuracy" and natural is not None and _are_right_or_wrong(evidence)
    ):
        score = natural
    if score is None and "cases" in sizes:
        held = [name for name, one in SCORES.items() if one.space == "cases"]
        requirement = f"must be one of {', '.join(held)} for predicted probabilities"
        raise ArgumentError("score", requirement, "none", Advice(Typed("score", held[0])))
    if score is None:
        if isinstance(evidence, xr.Dataset):
            met = len({*evidence["actual"].values.tolist()} - {None})
        else:
            met = int((evidence.sum([d for d in evidence.dims if d != "actual"]) > 0).sum())
        score = as_score("informedness" if sizes["actual"] == met == 2 else "accuracy")
    score.check_space(sizes)
    return score


def rank_posterior(
    setup: Setup, posterior: Any, score: Score, *, prob: float, rope: float, kind: str | None
) -> xr.Dataset:
    """Rank by the method of the analysis: exactly within limits of work and error, else from draws."""
    better = setup.direction(score)
    source = setup.source_of(posterior)
    return credible_ranking(
        source, score, prob=prob, rope=rope, higher_is_better=better, kind=kind, method="auto"
    )


def title_of(setup: Setup, ranking: xr.Dataset, score: Score, top: int | None = None) -> str:
    """Return what is ranked by what, with the choices that decide how to read it."""
    size, given = ranking.sizes["entity"], setup.options.get("prevalence")
    first = ""
    if top is not None and top < size:
        first = f"the first {top} of " if top > 1 else "the first of "
    words = [
        f"Ranking of {first}{prose.count(size, setup.noun)} by {score_name(ranking)}{_over_words(ranking)}"
    ]
    if given is not None:
        words.append(
            f"prevalence {f'{100 * given:g}%' if isinstance(given, float) else in_words(given, '')}"
        )
    if positive_class_notes(setup.by_dataset, score):
        words += [f"positive class {label}" for label in setup.labels.values()]
    words += [
        _joined_words(note)
        for note in setup.remarks
        if isinstance(note, Note) and note.code in JOINED
    ]
    return "; ".join(words) + "."


def _over_words(ranking: xr.Dataset) -> str:
    """Return what an aggregate is over, such as " over 4 groups"; empty without one."""
    note = next(
        (note for note in notes_of(get_fact(ranking, "notes")) if note.code == "aggregated"), None
    )
    return f" over {prose.count(note.fields['number'], note.fields['unit'])}" if note else ""


def _joined_words(note: Note) -> str:
    """Return how data sets were joined, as the title says it."""
    datasets, total = note.fields["datasets"], note.fields.get("total", note.fields["datasets"])
    of = f" of {total}" if datasets < total else ""
    return f"{JOINED[note.code]} {prose.count(datasets, 'data set')}{of}"


def describe_weighting(setup: Setup, posterior: Any, ranking: xr.Dataset) -> str:
    """Return on which share of the Tile each entity is best, in words; empty if there is no Tile of these entities."""
    group = posterior_of(posterior)
    fits = (
        setup.aim is None and "performance" in group and "outcome" not in group["performance"].dims
    )
    if not fits or ranking.sizes["entity"] < 2 or lacks_true_negatives(setup.evidence):
        return ""
    performance, prob = as_performance(posterior), RankingRecord.of(ranking).prob
    if (
        performance.sizes["actual"] != 2
        or not has_positive_class(performance)
        or "dataset" in performance.dims
    ):
        return ""
    with using_words_of(setup.origin):
        return weighting_sentence(*coarse_shares(performance, prob), prob)


def default_note(setup: Setup, ranking: xr.Dataset, score: Score) -> str:
    """Return the sentence on a score that nobody named."""
    low, high = (RankingRecord.of(ranking).range if setup.aim is None else score.range) or (
        -np.inf,
        np.inf,
    )
    what = (
        f", the mean of outcomes from {score_text(f'{low:g} to {high:g}')}"
        if score.space == "outcomes" and high < np.inf
        else ""
    )
    what += "; lower is better" * (setup.higher_is_better is False)
    return f"No score was given: the ranking is by {score.display}{what}."


def _are_right_or_wrong(evidence: Evidence) -> bool:
    """Return whether all outcomes are 0 or 1, whose mean is the accuracy."""
    if isinstance(evidence, xr.DataArray):
        return "outcome" in evidence.dims and set(evidence["outcome"].values.tolist()) <= {0, 1}
    seen = evidence["outcome"].values if "outcome" in evidence else np.array([np.nan])
    return bool(np.isin(seen[~np.isnan(seen)], [0, 1]).all()) and not np.isnan(seen).all()


@contextmanager
def quiet() -> Iterator[None]:
    """Keep from the terminal what samplers log and warn of; what matters of it the rankings say themselves."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(before)


def _aim(evidence: Evidence, over: str, aggregate: str | None, weights: Any) -> dict[str, Any]:
    """Return the arguments of br.performance.aggregate_over, with weights by the names in the evidence."""
    if isinstance(weights, dict):
        held = [
            evidence[dim].values.tolist()
            for dim in ("dataset", "group", "category")
            if dim in evidence.coords
        ]
        known = {str(name): name for labels in held for name in labels}
        weights = {known.get(name, name): weight for name, weight in weights.items()}
    return {"over": over, "aggregate": aggregate or "mean", "weights": weights}


def _check_model(given: GivenEvidence, model: str, options: dict[str, Any], place: str) -> None:
    """Refuse models and options that do not fit the form of the evidence."""
    outcomes = "outcome" in given.space
    if takes_cases(model) and not given.of_cases and not given.summary:
        raise ArgumentError(
            "model",
            f"must not be {model} for counts, which do not show which errors coincide: this model needs "
            f"one row for each case in {place}",
        )
    if outcomes and not given.summary and getattr(find_model(model), "needs_classes", False):
        fit = chosen_by_evidence(given.held, False)
        raise ArgumentError(
            "model", f"must be {fit} for counts of outcomes, which have no classes", model
        )
    if "outcome" in given.held.dims and label_values(given.held["outcome"].values) is None:
        found = ", ".join(map(str, given.held["outcome"].values.tolist()))
        raise ArgumentError(
            "data", "must have numbers as outcomes, which are ranked by their mean", found
        )
    for option, why in given.refused.items():
        if options.get(option) is not None:
            raise ArgumentError(option, f"cannot be used {why}", f"{options[option]!r}")


def _covariates(
    given: GivenEvidence, model: str, typed: Sequence[str], at: dict[str, float] | None
) -> dict[str, Any]:
    """Return the options of the model for covariates, by the names of their columns, which may differ in case."""
    if not typed:
        if at is not None:
            raise ArgumentError(
                "at", Advice("cannot be used without ", Typed("covariates")), f"{at}"
            )
        return {}
    if at is not None and (why := given.refused.get("at")):
        raise ArgumentError("at", f"cannot be used {why}", f"{at}")
    if given.holds_covariates:
        return {}
    if "covariates" not in options_of(find_model(model)):
        known = ", ".join(name for name in names() if "covariates" in options_of(find_model(name)))
        raise ArgumentError(
            "covariates",
            f"cannot be used for the model {model}",
            f"{typed[0]!r}",
            f"models with covariates: {known}",
        )
    found = [name for name, *_ in ledger_of(given.held).covariates]
    held = {squeeze(name): name for name in found}
    return {"covariates": found} | (
        {}
        if at is None
        else {"at": {held.get(squeeze(name), name): value for name, value in at.items()}}
    )


def _scale(
    evidence: Evidence, scale: str | None, anchor: dict[str, float] | None
) -> tuple[Evidence, dict[str, Any]]:
    """Return votes that are rated on a scale, and the option of the model for the anchor."""
    if anchor is not None and scale is None:
        raise ArgumentError("anchor", Advice("needs ", Typed("scale", "elo")), f"{anchor}")
    if scale is None:
        return evidence, {}
    known = {str(name): name for name in evidence["entity"].values.tolist()}
    held = {known.get(name, name): rating for name, rating in (anchor or {}).items()}
    return evidence.assign_attrs(scale=scale), {"anchor": held} if held else {}


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


def _has_prior(setup: Setup) -> bool:
    """Return whether there is a prior to draw from; means have none, and graded outcomes only a given one."""
    evidence, prior = setup.evidence, setup.options.get("prior")
    if parse_given(evidence).summary:
        return False
    if prior is None and isinstance(evidence, xr.Dataset) and "outcome" in evidence:
        seen = np.unique(evidence["outcome"].values)
        seen = seen[~np.isnan(seen)]
        return bool(np.isin(seen, [0, 1]).all()) or are_shares(seen, evidence)
    return prior not in ("haldane", 0)


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
    known = {str(name): name for name in dict.fromkeys(evidence["dataset"].values.tolist())}
    if dataset is not None and dataset not in known:
        raise ArgumentError("dataset", f"must be one of {', '.join(known)}", f"{dataset!r}")
    if dataset is None and len(known) > 1:
        return _pool(evidence, join, model, len(known))
    chosen = known[dataset] if dataset is not None else next(iter(known.values()))
    if isinstance(evidence, xr.Dataset):
        dim = str(evidence["dataset"].dims[0])
        return evidence.isel({dim: (evidence["dataset"] == chosen).values}).drop_vars("dataset"), []
    one = select_names(evidence, dataset=chosen, drop=True)
    return one.isel(entity=one["measured"].values).drop_vars("measured"), []


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
        many = prose.count(int(common.sum()), "data set")
        if lacking and (join == "exact" or not common.any()):
            inner = (
                (Typed("join", "inner"), f" keeps the {many} that every entity saw, ")
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


class Analysis:
    """An analysis with its results: what :func:`analyze` returns. Its text and its HTML are the verdict and the table.

    Attributes
    ----------
    evidence : DataArray or Dataset
        What was analysed, after data sets were pooled or chosen.
    score : Score
        The score of the ranking.
    model : str
        The name of the model.
    ranking : xarray.Dataset
        The result of :func:`bayesrank.credible_ranking`.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["old", "new"])
    >>> found = br.analyze(counts, "f1")
    >>> found.verdict[0]
    'new is best: P(best) > 0.999.'
    >>> found.differences.round(2)[["difference", "lower", "upper"]]
            difference  lower  upper
    entity
    old          -0.27  -0.42  -0.14
    """

    def __init__(
        self, setup: Setup, score: Score, drawn: xr.DataTree, ranking: xr.Dataset, asked: "Asked"
    ) -> None:
        self.evidence, self.model, self.score, self.ranking = (
            setup.evidence,
            setup.model,
            score,
            ranking,
        )
        self._setup, self._drawn, self._asked = setup, drawn, asked

    @cached_property
    def posterior(self) -> Any:
        """The posterior, as from :func:`bayesrank.fit`, with the group ``prior`` if there is a prior to draw from."""
        return to_container(
            {name: node.to_dataset() for name, node in self._drawn.children.items()}
        )

    @cached_property
    def table(self) -> pd.DataFrame:
        """The ranking as a table, best first (:func:`bayesrank.ranking_table`)."""
        return ranking_table(self.ranking)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The difference of each other entity from the leader, in the order of the ranking.

        Indexed by entity: ``difference`` (median of the score minus that of the leader), ``lower``
        and ``upper`` (its interval at ``prob``), in units of the score; ``probability``, that the
        leader is better by more than the ROPE; and ``separated``, whether the confidence sets
        separate it from the leader.
        """
        leader, rest = self.table.index[0], self.table.iloc[1:]
        pair = select_names(self.ranking, entity=leader)
        order = [pair["rival"].values.tolist().index(name) for name in rest.index]
        result = rest[["difference", "difference_lower", "difference_upper"]]
        result = result.set_axis(["difference", "lower", "upper"], axis=1)
        return result.assign(
            probability=pair["superiority"].values[order],
            separated=pair["surely_above"].values[order].astype(bool),
        )

    @property
    def verdict(self) -> list[str]:
        """The verdict in at most four sentences, as :func:`bayesrank.verdict` gives it."""
        return self._parts.sentences()

    @cached_property
    def weighting(self) -> str:
        """On which share of the Tile each entity is best, in words; empty if there is no Tile of these entities."""
        return describe_weighting(self._setup, self._drawn, self.ranking)

    @property
    def notes(self) -> list[str]:
        """The notes of :func:`bayesrank.notes`, how the data were read, and what was chosen for want of an argument."""
        chosen = (
            [default_note(self._setup, self.ranking, self.score)]
            if self._asked.score is None
            else []
        )
        text = [*self._parts.notes, *self._setup.stated(self.score), *chosen]
        return list(dict.fromkeys(text))

    def plot(self, ax: Any = None) -> Any:
        """Draw the ranking with :func:`bayesrank.plots.forest`, and return the Axes."""
        from bayesrank.plots import forest

        return forest(self.ranking, ax)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the report of :func:`bayesrank.ranking_report` as HTML, and write it to a file if a path is given."""
        from bayesrank.report import ranking_report

        data = {"title": self._setup.ledger.source} if self._setup.ledger.source else None
        source = self._setup.source_of(self._drawn)
        return ranking_report(
            source, self.score, path, ranking=self.ranking, kind=self._asked.kind, data=data
        )

    @cached_property
    def _parts(self) -> Verdict:
        return verdict_parts(self.ranking, model_notes(check_model(self._drawn), self._drawn))

    def _sentences(self) -> list[str]:
        """Return the verdict, and the sentence on the Tile if there is one."""
        return [*self.verdict, *[self.weighting] * bool(self.weighting)]

    def _shown(self) -> tuple[str, list[str], list[list[str]], int]:
        """Return title, heading and cells of the first entities, and the number of the others."""
        first = self.table.head(SHOWN)
        with using_words_of(self._setup.origin):
            header, rows = ranking_cells(self.ranking, first, [], 3)
        title = title_of(self._setup, self.ranking, self.score)
        return title, header, rows, len(self.table) - len(first)

    def __repr__(self) -> str:
        title, header, rows, others = self._shown()
        shown = zip(short_names([row[0] for row in rows], 40), rows, strict=True)
        cells = [header, *([name, *row[1:]] for name, row in shown)]
        widths = [max(cell_len(row[i]) for row in cells) for i in range(len(header))]
        lines = [
            "  ".join(
                (cell + " " * (width - cell_len(cell)))
                if not i
                else (" " * (width - cell_len(cell)) + cell)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in cells
        ]
        more = [f"... and {prose.count(others, 'more ' + self._setup.noun)}"] if others else []
        return "\n".join([title, *self._sentences(), "", *map(str.rstrip, lines), *more])

    def _repr_html_(self) -> str:
        title, header, rows, others = self._shown()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        lines = []
        for name, *cells in rows:
            shown = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            lines.append(f"<tr><th>{escape(escape_invisible(name))}</th>{shown}</tr>")
        body = "".join(lines)
        first, *rest = self._sentences()
        more = (
            f"<p>... and {escape(prose.count(others, 'more ' + self._setup.noun))}</p>"
            if others
            else ""
        )
        text = "".join(f"<p>{escape(line)}</p>" for line in rest)
        return (
            f"<div><p>{escape(title)}</p><p><strong>{escape(first)}</strong></p>{text}"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
        )


class Asked(NamedTuple):
    """What the user asked for: the score, None for the default, and the kind of the ranking."""

    score: Any
    kind: str | None


@check_call
def analyze(
    data: Any,
    predictions: Any = None,
    score: ScoreLike | None = None,
    *,
    model: ModelName | None = None,
    prior: Any = None,
    prevalence: Any = None,
    over: str | None = None,
    aggregate: str | None = None,
    weights: Any = None,
    join: Literal["exact", "inner"] = "exact",
    higher_is_better: bool | None = None,
    kind: str | None = None,
    at: Mapping[str, float] | None = None,
    scale: str | None = None,
    anchor: Mapping[str, float] | None = None,
    prob: float = 0.95,
    rope: float = 0.0,
    draws: int = 1000,
    sampler: Literal["auto", "exact", "nuts", "nutpie", "numpyro"] = "auto",
    seed: Seed = 1,
    **roles: Any,
) -> Analysis:
    """Fit a model, rank the entities and state the conclusions, with the defaults of ``bayesrank rank``.

    Parameters
    ----------
    data : DataArray, Dataset, DataFrame, str or sequence
        One of:

        - evidence, as from :func:`bayesrank.from_counts`, :func:`bayesrank.joint_outcomes` and the
          like;
        - a table for :func:`bayesrank.from_frame`, also the one that :func:`bayesrank.read`
          returns;
        - the true label of each case, with ``predictions``;
        - the name of a shipped data set, or of a file with a table.
    predictions : mapping, DataFrame or array, optional
        The predicted labels of each entity, as for :func:`bayesrank.joint_outcomes`, or its
        probabilities, as for :func:`bayesrank.from_probabilities`, if the score is one of
        probabilities. Beside evidence or a table, the second argument is the score.
    score : Score, str or callable, optional
        The score to rank by. The default is the mean of outcomes; of two classes that both have
        cases, informedness; of other classes, accuracy. The notes say so.
    model, prior, prevalence : optional
        As for :func:`bayesrank.fit`; the default model is chosen by the evidence.
    over, aggregate, weights : optional
        Rank by an aggregate over groups or data sets, as for :func:`bayesrank.credible_ranking`.
        Groups named by ``group=`` are ranked over by default.
    join : str
        How to pool data sets, as for :func:`bayesrank.pool`, where the model does not learn from
        them together.
    higher_is_better : bool, optional
        The direction of outcomes; needed if their name speaks of errors, losses, times, costs or
        ranks.
    kind, prob, rope : optional
        As for :func:`bayesrank.credible_ranking`. The ranking is exact within limits of work and
        error, else from draws.
    at : mapping, optional
        Values of the ``covariates`` at which results hold, as for :func:`bayesrank.fit`.
    scale, anchor : optional
        For votes: ``scale="elo"`` ranks by Elo ratings, and ``anchor`` is the rating of an entity,
        by its name.
    draws, sampler, seed : optional
        As for :func:`bayesrank.fit`; four chains.
    **roles
        Arguments of :func:`bayesrank.from_frame` for a table, such as ``entity="model"``, and of
        :func:`bayesrank.joint_outcomes` beside predictions, such as ``positive="yes"``.

    Returns
    -------
    Analysis
        With the attributes ``evidence``, ``posterior``, ``ranking``, ``table``, ``differences``,
        ``verdict`` and ``notes``, and the methods ``plot`` and ``report``.

    Raises
    ------
    ArgumentError
        If the data or an argument cannot be used; the message names the place and the fix.

    Examples
    --------
    >>> y = [0] * 60 + [1] * 40
    >>> old, new = [0] * 50 + [1] * 10 + [0] * 9 + [1] * 31, [0] * 58 + [1] * 2 + [0] * 2 + [1] * 38
    >>> br.analyze(y, {"old": old, "new": new}, "f1").verdict[0]
    'new is best: P(best) > 0.999.'
    """
    if score is None and (isinstance(predictions, str | Score | tuple) or callable(predictions)):
        predictions, score = None, predictions
    if (
        score is None
        and isinstance(predictions, xr.DataArray)
        and set(predictions.dims) == {"actual", "predicted"}
    ):
        predictions, score = None, predictions
    fitted = isinstance(data, Mapping) and any(hasattr(held, "predict") for held in data.values())
    requirement = None if score is None or fitted else as_score(score)
    with rename_argument("data", "y_true"):
        evidence, given = evidence_in(
            data, predictions, requirement, in_own_words(roles, ("positive", "weight"))
        )
    for argument, value in (("at", at), ("anchor", anchor)):
        if value is not None and not isinstance(value, Mapping):
            raise ArgumentTypeError(
                argument, "must be a mapping from names to numbers", describe_value(value)
            )
    if "entity" not in evidence.dims:
        hint = suggest_entity(evidence.dims, "data")
        raise ArgumentError(
            "data", "must have the dim entity", f"the dims {tuple(evidence.dims)}", hint
        )
    covariates = (
        check_column_names("covariates", roles["covariates"], ()) if roles.get("covariates") else ()
    )
    return analyze_evidence(
        evidence,
        given,
        score,
        draws=draws,
        sampler=sampler,
        seed=seed,
        kind=kind,
        prob=prob,
        rope=rope,
        model=model,
        prior=prior,
        prevalence=prevalence,
        over=over,
        aggregate=aggregate,
        weights=weights,
        join=join,
        higher_is_better=higher_is_better,
        at=None if at is None else dict(at),
        scale=scale,
        anchor=None if anchor is None else dict(anchor),
        covariates=covariates,
    )


def analyze_evidence(
    evidence: Evidence,
    given: "Given",
    score: ScoreLike | None,
    *,
    draws: int = 1000,
    sampler: Any = "auto",
    seed: Seed = 1,
    kind: str | None = None,
    prob: float = 0.95,
    rope: float = 0.0,
    over: str | None = None,
    higher_is_better: bool | None = None,
    **choices: Any,
) -> Analysis:
    """Return the analysis of evidence, of which more may be known; ``choices`` are those of :func:`set_up`."""
    if higher_is_better is not None:
        check_bool("higher_is_better", higher_is_better)
    requirement = None if score is None else as_score(score)
    if over is None and has_groups(evidence) and not given.shipped:
        over = "group"
    if requirement is not None and requirement.space == "cases":
        evidence = probabilities_of(evidence)
    setup = set_up(
        evidence,
        over=over,
        higher_is_better=given.higher_is_better if higher_is_better is None else higher_is_better,
        usual=given.usual,
        remarks=given.remarks,
        source=given.source,
        ignored=ledger_of(evidence).ignored,
        **choices,
    )
    setup = with_scores(setup, [requirement])
    used = choose_score(setup.evidence, requirement)
    if kind is not None and population_of(setup.model) != "data sets":
        raise ArgumentError(
            "kind", "cannot be used for models that do not learn from data sets", f"{kind!r}"
        )
    drawn = draw(setup, draws=draws, seed=seed, sampler=sampler, prior=True)
    ranking = rank_posterior(setup, drawn, used, prob=prob, rope=rope, kind=kind)
    return Analysis(setup, used, drawn, ranking, Asked(score, kind))


class Given(NamedTuple):
    """What is known of data beside the evidence: their name, usual model, direction and notes."""

    source: str = ""
    usual: str | None = None
    higher_is_better: bool | None = None
    remarks: Sequence[Note | str] = ()
    shipped: bool = False


def evidence_in(
    data: Any, predictions: Any, score: Score | None, roles: dict[str, Any]
) -> tuple[Evidence, Given]:
    """Return the evidence in the data of :func:`analyze`, and what else is known of them."""
    if isinstance(data, Mapping) and any(hasattr(held, "predict") for held in data.values()):
        hint = "bayesrank.integrations.sklearn.compare_estimators(estimators, X, y, 'f1')"
        raise ArgumentTypeError(
            "data", "must be evidence, a table, or true labels", "estimators", hint
        )
    if is_container(data):
        hint = (
            f"br.verdict(br.credible_ranking(posterior, {'f1' if score is None else score.name!r}))"
        )
        raise ArgumentTypeError(
            "data", "must be evidence, a table, or true labels", "a fitted posterior", hint
        )
    if hasattr(data, "columns") and not isinstance(data, pd.DataFrame):
        data = as_pandas("data", data)
    if predictions is not None:
        return _of_predictions(data, predictions, score, roles), Given()
    if isinstance(data, pd.DataFrame):
        check_keywords(roles, arguments_of(from_frame), "br.analyze for a table")
        known = data.attrs
        better = (
            known.get("higher_is_better")
            if isinstance(known.get("higher_is_better"), bool)
            else None
        )
        remarks = [note for name in ("remarks", "doubts") for note in known.get(name, ())]
        return from_frame(data, **roles), Given(higher_is_better=better, remarks=remarks)
    if isinstance(data, str | os.PathLike):
        return _of_name(os.fspath(data), roles)
    check_keywords(roles, [], "br.analyze for evidence")
    if not isinstance(data, xr.DataArray | xr.Dataset):
        raise ArgumentTypeError(
            "data",
            "must be evidence, a table, or true labels beside predictions",
            describe_value(data),
        )
    return data, Given()


def _of_predictions(
    y_true: Any, predictions: Any, score: Score | None, roles: dict[str, Any]
) -> Evidence:
    """Return joint outcomes of predicted labels, or predicted probabilities for a score of them."""
    if score is not None and score.space == "cases":
        check_keywords(
            roles, arguments_of(from_probabilities), "br.analyze for predicted probabilities"
        )
        return from_probabilities(y_true, predictions, **roles)
    check_keywords(roles, arguments_of(joint_outcomes), "br.analyze for predictions")
    return joint_outcomes(y_true, predictions, **roles)


def _of_name(name: str, roles: dict[str, Any]) -> tuple[Evidence, Given]:
    """Return the evidence of a shipped data set, or of a file with a table, as the command reads it."""
    if name in datasets.names():
        check_keywords(roles, ["positive"], "br.analyze for a shipped data set")
        evidence, record = shipped_data(name, None, roles.get("positive"))
        return evidence, Given(name, record["model"], shipped=True)
    if not os.path.isfile(name):
        raise ArgumentError(
            "data",
            "must be the name of a file or one of br.datasets.names()",
            f"{name!r}",
            _nearest_name(name),
        )
    check_keywords(roles, arguments_of(from_frame), "br.analyze for a table")
    return read_evidence(name, **roles), Given(os.path.basename(name))


def _nearest_name(name: str) -> str:
    """Return a hint at the shipped data set, or the file of the same folder, whose name is nearest."""
    near = find_lookalike(name, datasets.names()) or suggest_file(name)
    return near or "br.read takes folders of evaluation logs"


def shipped_data(name: str, model: str | None, positive: Any) -> tuple[Evidence, dict[str, str]]:
    """Return a shipped data set in the form that the model takes, or its usual model, and its description."""
    record = datasets.describe(name)
    cases = takes_cases(model or record["model"]) and name in datasets.CASES
    evidence = datasets.load_joint(name) if cases else datasets.load(name)
    if positive is None:
        return evidence, record
    if not {"actual", "label"} & set(evidence.coords):
        raise ArgumentError(
            "positive", "cannot be used for outcomes, which have no classes", f"{positive!r}"
        )
    return put_in_class_order(evidence, positive), record
