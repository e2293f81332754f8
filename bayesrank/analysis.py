"""One analysis for the command and for Python: the model, pooling, score, method and direction of who says nothing."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import label_values
from bayesrank._errors import Advice, ArgumentError, Typed
from bayesrank._labels import known_classes, select_names
from bayesrank._notes import Note, notes_of
from bayesrank._records import EvidenceRecord
from bayesrank.evidence.counts import common_datasets, pool
from bayesrank.evidence.groups import groups_as_datasets, has_groups
from bayesrank.evidence.kinds.given import holds_means, holds_probabilities, holds_votes, sizes_of_space
from bayesrank.evidence.ledger import Ledger, count_evidence, ledger_of
from bayesrank.evidence.predictions import counts_of
from bayesrank.inference import draw_groups
from bayesrank.models import (
    chosen_by_evidence,
    find_model,
    form_of_summary,
    model_for_datasets,
    names,
    options_of,
    population_of,
    takes_cases,
)
from bayesrank.models.parts.margins import are_shares
from bayesrank.performance import aggregate_over
from bayesrank.ranking import credible_ranking
from bayesrank.ranking.notes import positive_class_notes
from bayesrank.ranking.values import natural_score
from bayesrank.scores import Score, as_score
from bayesrank.scores.score import SCORES
from bayesrank.tables.columns import may_be_low, squeeze
from bayesrank.words.sentences import say

Evidence = xr.DataArray | xr.Dataset
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
    #: Arguments of br.performance.aggregate_over; None if the ranking is not over groups or data sets.
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
            raise ArgumentError("higher_is_better", "must be left out for scores that have a direction", score.name)
        return None

    def stated(self, *scores: Score | None) -> list[str]:
        """Return how the data were read, and the positive class unless no score depends on it."""
        named = [note for score in scores for note in positive_class_notes(self.by_dataset, score)]
        return list(dict.fromkeys(map(say, [*self.remarks, *named])))

    def read_note(self, noun: str, unit: str = "data set") -> Note:
        """Return the note on what was read, with the words for an entity and for a data set."""
        return self.ledger.read_note(noun, unit)

    @property
    def labels(self) -> dict[str, str]:
        """Return the positive label, unless it is "positive"."""
        known = known_classes(self.by_dataset)
        return {} if known is None or known[1] == "positive" else {"positive": str(known[1])}


def set_up(
    evidence: Evidence,
    *,
    model: str | None = None,
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
            wanted = Advice("must be left out without ", Typed("over"), " or ", Typed("group"))
            raise ArgumentError(argument, wanted, f"{value!r}")
    if over is not None and dataset is not None:
        wanted = Advice("must be left out beside ", Typed("over"), " or ", Typed("group"))
        raise ArgumentError("dataset", wanted, f"{dataset!r}")
    if over is None and has_groups(evidence):
        evidence = groups_as_datasets(evidence)
    together = dataset is None and not apart
    chosen = chosen_by_evidence(evidence, together, () if prior is None else ("prior",))
    usual = chosen if usual is None or isinstance(evidence, xr.Dataset) else usual
    # The usual model of shipped data may need all data sets.
    name = model or (usual if together or population_of(usual) != "data sets" else chosen)
    summary = bool(form_of_summary(evidence))
    if isinstance(evidence, xr.Dataset) and not (summary or takes_cases(name)):
        evidence = counts_of(evidence)
    _check_model(evidence, name, prior, prevalence, place)
    moved = _covariates(evidence, name, covariates, at)
    _check_direction(evidence, higher_is_better)
    every, found = evidence, list[Note | str]()
    if not apart and over is None:
        evidence, found = _one_table_each(evidence, dataset, join, name)
    # The direction is typed.
    notes = [note for note in notes_of(EvidenceRecord.of(every).notes) if note.code != LOW]
    found += [note for note in notes if together or not note.fields.get("if_pooled")]
    if isinstance(evidence, xr.Dataset) and (not summary or holds_probabilities(evidence)):
        if model is None and not summary:
            found.append(Note("model_of_cases", {"model": name}))
        if "cluster" in evidence.coords:
            clusters = len(set(evidence["cluster"].values.tolist()))
            found.append(Note("cases_in_clusters", {"clusters": clusters}))
    found += [note for note in remarks if note not in found]
    ledger = replace(ledger_of(every), source=source, ignored=tuple(dict.fromkeys(ignored)))
    found += ledger.run_notes()
    used = ledger if dataset is None else replace(count_evidence(evidence), source=source)
    evidence = evidence.assign_attrs(used.to_attrs())
    averaged = holds_probabilities(evidence) and "dataset" in evidence.coords
    options: dict[str, Any] = {"average": True} if averaged else moved
    options |= {key: value for key, value in (("prior", prior), ("prevalence", prevalence)) if value is not None}
    aim = None if over is None else _aim(evidence, over, aggregate, weights)
    by_dataset = every if dataset is None else evidence
    return Setup(evidence, by_dataset, found, name, options, ledger, higher_is_better, aim)


def with_scores(setup: AnySetup, scores: Sequence[Score | None]) -> AnySetup:
    """Name the scores, or None for the default, to models of predicted probabilities, which draw them."""
    if not holds_probabilities(setup.evidence) or not scores:
        return setup
    wanted = dict.fromkeys(choose_score(setup.evidence, score).name for score in scores)
    return replace(setup, options=setup.options | {"scores": tuple(wanted)})


def draw(setup: Setup, *, draws: int, seed: Any, sampler: Any = "auto", prior: bool = False) -> xr.DataTree:
    """Draw from the posterior; ``prior`` adds draws of the prior, if there is one."""
    groups = ("prior",) if prior and setup.aim is None and _has_prior(setup) else ()
    with quiet():
        found = draw_groups(
            setup.evidence, setup.model, draws=draws, seed=seed, sampler=sampler, groups=groups, **setup.options
        )
    return xr.DataTree.from_dict(found)


def choose_score(evidence: Evidence, score: Score | None) -> Score:
    """Return a score after a check against the evidence; without one the default.

    The default for classes is informedness, which needs no prevalence; accuracy unless both of two classes have cases.
    """
    sizes = sizes_of_space(evidence)
    score = natural_score(evidence) if score is None else score
    if score is None and "cases" in sizes:
        held = [name for name, one in SCORES.items() if one.space == "cases"]
        wanted = f"must be one of {', '.join(held)} for predicted probabilities"
        raise ArgumentError("score", wanted, "none", Advice(Typed("score", held[0])))
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
    return credible_ranking(source, score, prob=prob, rope=rope, higher_is_better=better, kind=kind, method="auto")


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
        held = [evidence[dim].values.tolist() for dim in ("dataset", "group", "category") if dim in evidence.coords]
        known = {str(name): name for labels in held for name in labels}
        weights = {known.get(name, name): weight for name, weight in weights.items()}
    return {"over": over, "aggregate": aggregate or "mean", "weights": weights}


def _check_model(evidence: Evidence, model: str, prior: Any, prevalence: Any, place: str) -> None:
    """Refuse models and options that do not fit the form of the evidence."""
    outcomes = "outcome" in sizes_of_space(evidence)
    if isinstance(evidence, xr.DataArray):
        if takes_cases(model):
            raise ArgumentError(
                "model",
                f"must not be {model} for counts, which do not show which errors coincide: this model needs "
                f"one row for each case in {place}",
            )
        if outcomes and getattr(find_model(model), "needs_classes", False):
            fit = chosen_by_evidence(evidence, False)
            raise ArgumentError("model", f"must be {fit} for counts of outcomes, which have no classes", model)
        if outcomes and label_values(evidence["outcome"].values) is None:
            given = ", ".join(map(str, evidence["outcome"].values.tolist()))
            raise ArgumentError("data", "must have numbers as outcomes, which are ranked by their mean", given)
    if (outcomes or holds_votes(evidence)) and prevalence is not None:
        what = "outcomes" if outcomes else "votes"
        raise ArgumentError("prevalence", f"must be left out for {what}, which have no classes", f"{prevalence!r}")
    for option, given in (("prior", prior), ("prevalence", prevalence)) if holds_probabilities(evidence) else ():
        if given is not None:
            raise ArgumentError(option, "must be left out for predicted probabilities", f"{given!r}")
    if holds_means(evidence) and prior is not None:
        raise ArgumentError(
            "prior", "must be left out for means and standard errors, whose prior is flat", f"{prior!r}"
        )


def _covariates(evidence: Evidence, model: str, typed: Sequence[str], at: dict[str, float] | None) -> dict[str, Any]:
    """Return the options of the model for covariates, by the names of their columns, which may differ in case."""
    if not typed:
        if at is not None:
            raise ArgumentError("at", Advice("must be left out without ", Typed("covariates")), f"{at}")
        return {}
    if "covariates" not in options_of(find_model(model)):
        known = ", ".join(name for name in names() if "covariates" in options_of(find_model(name)))
        raise ArgumentError(
            "covariates",
            f"must be left out for the model {model}",
            f"{typed[0]!r}",
            f"models with covariates: {known}",
        )
    found = [name for name, *_ in ledger_of(evidence).covariates]
    held = {squeeze(name): name for name in found}
    return {"covariates": found} | (
        {} if at is None else {"at": {held.get(squeeze(name), name): value for name, value in at.items()}}
    )


def _check_direction(evidence: Evidence, higher_is_better: bool | None) -> None:
    """Ask for the direction of outcomes whose headings speak of errors, losses, times, costs or ranks."""
    if higher_is_better is not None or "outcome" not in sizes_of_space(evidence):
        return
    entities = [str(name) for name in evidence["entity"].values.tolist()]
    named = [note.fields["name"] for note in notes_of(EvidenceRecord.of(evidence).notes) if note.code == LOW]
    named = named or entities
    if all(map(may_be_low, named)):
        low, high = (
            Typed("lower_is_better", python="higher_is_better=False"),
            Typed("higher_is_better", python="higher_is_better=True"),
        )
        raise ArgumentError(
            "data",
            "must say which outcomes are good, where headings name errors, losses, times, costs or ranks",
            f"{named[0]!r}",
            Advice(low, " ranks low ones first, ", high, " high ones"),
        )


def _has_prior(setup: Setup) -> bool:
    """Return whether there is a prior to draw from; means have none, and graded outcomes only a given one."""
    evidence, prior = setup.evidence, setup.options.get("prior")
    if form_of_summary(evidence):
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
            raise ArgumentError("dataset", "must be left out for data without data sets", f"{dataset!r}")
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


def _pool(evidence: Evidence, join: Any, model: str, size: int) -> tuple[Evidence, list[Note | str]]:
    """Pool all data sets, or the data sets of all entities, unless the model learns from them together."""
    pooled = size
    if holds_probabilities(evidence):
        return evidence, [Note("datasets_averaged", {"datasets": size})]
    if isinstance(evidence, xr.Dataset) and "fold_score" in evidence:
        return evidence, [Note("datasets_learned", {"datasets": size})]
    if isinstance(evidence, xr.DataArray):
        if getattr(find_model(model), "over_datasets_together", False):
            return evidence, [Note("datasets_learned", {"datasets": size})]
        common, lacking = common_datasets(evidence)
        many = _text.count(int(common.sum()), "data set")
        if lacking and (join == "exact" or not common.any()):
            inner = (Typed("join", "inner"), f" keeps the {many} that every entity saw, ") if common.any() else ()
            learning = Typed("model", model_for_datasets(evidence.shape[-1], evidence.sizes["entity"]))
            raise ArgumentError(
                "data",
                "must have the same data sets for every entity to be pooled",
                lacking,
                Advice(*inner, learning, " learns from all of them, and ", Typed("dataset"), " chooses one"),
            )
        pooled = int(common.sum()) if lacking else size
    return pool(evidence, join=join), [Note("datasets_pooled", {"datasets": pooled, "total": size})]
