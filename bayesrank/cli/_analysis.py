"""What all analysing commands share: reading the data, choosing the model, and the posterior."""

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._checks import label_values
from bayesrank._errors import Advice, ArgumentError
from bayesrank._inputs import STDIN
from bayesrank._labels import known_classes, select_names
from bayesrank._notes import Note, notes_of
from bayesrank._records import EvidenceRecord
from bayesrank._source import groups_of
from bayesrank.cli._export import READ
from bayesrank.cli._logs import are_logs, choices_of, evidence_of_frame, print_skipped
from bayesrank.cli._sink import print_error
from bayesrank.cli._typed import target_prevalence
from bayesrank.diagnosis import diagnose
from bayesrank.evidence.counts import common_datasets, put_in_class_order
from bayesrank.evidence.groups import groups_as_datasets, has_groups
from bayesrank.evidence.kinds.given import holds_means, holds_probabilities, holds_votes, sizes_of_space
from bayesrank.evidence.ledger import count_evidence, ledger_of
from bayesrank.evidence.predictions import counts_of
from bayesrank.inference import draw_groups
from bayesrank.logs import Choices, read_submissions
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
from bayesrank.performance.arrays import posterior_of
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.notes import positive_class_notes
from bayesrank.ranking.values import natural_score, score_values
from bayesrank.scores import Score, as_score
from bayesrank.scores.score import NO_TRUE_NEGATIVES, SCORES
from bayesrank.tables.columns import may_be_low, squeeze
from bayesrank.tables.files import read_evidence
from bayesrank.tables.frames import of_submissions, read_table
from bayesrank.tables.roles import OPTIONS
from bayesrank.tables.table import Roles, table_of
from bayesrank.words.parts import Verdict
from bayesrank.words.sentences import say

Evidence = xr.DataArray | xr.Dataset
#: The note on a score that is named like an error or a cost.
LOW = "low_may_be_good"
#: Names of columns that also name what is ranked.
NOUNS = ("algorithm", "classifier", "detector", "method", "model", "system", "team", "test")


@dataclass(frozen=True)
class Analysis:
    """The evidence, how it was read and pooled, the model with its options, and the posterior."""

    evidence: Evidence
    #: The data sets separately, unless one was chosen, so that each can be omitted.
    by_dataset: Evidence
    about: dict[str, str]
    remarks: list[Note | str]
    model: str
    options: dict[str, Any]
    #: Whether the user or the files say that lower outcomes are better.
    lower: bool = False
    #: What an entity is called: the name of its column, such as model, test or team.
    noun: str = "entity"
    #: The remark that a title with this noun makes superfluous.
    in_title: str = ""
    #: Arguments of br.performance.aggregate_over; None if the ranking is not over groups or data sets.
    aim: dict[str, Any] | None = None
    #: None before the fit.
    posterior: Any = field(default=None, repr=False)

    @property
    def source(self) -> Any:
        """Return what is analysed: the posterior, or its aggregate over groups or data sets."""
        return self.posterior if self.aim is None else br.performance.aggregate_over(self.posterior, **self.aim)

    @property
    def performance(self) -> xr.DataArray:
        return br.as_performance(self.posterior)

    @property
    def labels(self) -> dict[str, str]:
        """Return the positive label, unless it is "positive"."""
        known = known_classes(self.by_dataset)
        return {} if known is None or known[1] == "positive" else {"positive": str(known[1])}

    @property
    def counts(self) -> xr.DataArray:
        observed = groups_of(self.posterior, "observed_data")["observed_data"]
        return observed["counts"].drop_vars("test_set", errors="ignore")

    def check_two_classes(self, what: str) -> None:
        sizes = sizes_of_space(self.evidence)
        if lacks_true_negatives(self.evidence):
            raise ArgumentError(
                "DATA", f"must have true negatives for {what}", "none", "'bayesrank rank --score f1' needs none"
            )
        if sizes.get("actual") != 2:
            if "cases" in sizes:
                raise ArgumentError(
                    "DATA",
                    f"must hold performances for {what}",
                    "predicted probabilities, which have none before a threshold is chosen",
                    "'bayesrank rank --score auc_roc' ranks them",
                )
            if "votes" in sizes:
                raise ArgumentError(
                    "DATA",
                    f"must hold performances for {what}",
                    "votes: their strengths compare entities with one another, which is no performance",
                    "'bayesrank rank' ranks them",
                )
            held = "outcomes without classes" if "outcome" in sizes else f"{sizes['actual']} classes"
            raise ArgumentError("DATA", f"must have two classes for {what}", held, "'bayesrank rank' ranks them")

    def entity(self, option: str, typed: str | None) -> Any:
        """Return the entity whose name was typed; None if none was."""
        names = {str(name): name for name in posterior_of(self.posterior)["entity"].values.tolist()}
        if typed is not None and typed not in names:
            raise ArgumentError(option, f"must be one of {_text.list_names(names)}", f"{typed!r}")
        return None if typed is None else names[typed]

    def stated(self, *scores: Score | None) -> list[str]:
        """Return how the data were read, and the positive class unless no score depends on it."""
        named = [note for score in scores for note in positive_class_notes(self.by_dataset, score)]
        return list(dict.fromkeys(map(say, [*self.remarks, *named])))

    def notes(self, score: Score | None = None, kind: str | None = None, ranked: bool = True) -> list[str]:
        """Return the notes of a ranking on the evidence, and how the data were read.

        Values that are not ``ranked`` have no note that their score should not rank.
        """
        if score is None:
            values = br.as_performance(self.posterior, kind)
        else:
            values = score_values(self.posterior, score, True, kind).values
        found = evidence_of(self.posterior, None, values, kind).notes(score)
        found = [note for note in found if ranked or note.code != "score_should_not_rank"]
        return list(dict.fromkeys([*map(say, found), *self.stated(score)]))

    def tell(self, parts: Verdict, notes: bool, *scores: Score | None) -> tuple[list[str], list[str], dict[str, Any]]:
        """Return the verdict on a result with its notes, how the data were read, and the verdict by name for programs.

        The first two are lines to print.
        """
        lines = [*parts.sentences(), *(parts.notes if notes else ())]
        stated = [f"Note: {line}" for line in self.stated(*scores) if line not in lines]
        return lines, stated, {"verdict": parts.sentences(), "notes": list(parts.notes)} | self.labels

    def direction(self, score: Score) -> bool | None:
        """Return False if low outcomes are better; None if the score determines the direction."""
        if not self.lower:
            return None
        if score.space != "outcomes":
            raise ArgumentError("--lower-is-better", "must be left out for scores that have a direction", score.name)
        return False


def lacks_true_negatives(evidence: Evidence) -> bool:
    """Return whether evidence is that of detection, which counts no true negatives."""
    return any(note.code == NO_TRUE_NEGATIVES for note in notes_of(EvidenceRecord.of(evidence).notes))


def analyse(
    step: Callable[[str], None],
    *,
    draws: int,
    seed: int,
    sampler: Any,
    groups: Sequence[str] = (),
    scores: Sequence[Score | None] = (),
    **how: Any,
) -> Analysis:
    """Read, choose or pool, and fit; ``groups`` are additional ones of :func:`bayesrank.fit`.

    ``scores`` are the ones that are wanted; None is the default score.
    """
    inputs = ask(step, draws=draws, seed=seed, **how)
    if holds_probabilities(inputs.evidence) and scores:
        wanted = dict.fromkeys(chosen_score(inputs.evidence, score).name for score in scores)
        inputs = replace(inputs, options=inputs.options | {"scores": tuple(wanted)})
    if inputs.aim is not None or not _has_prior(inputs):
        groups = ()
    step("drawing")
    with quiet():
        found = draw_groups(
            inputs.evidence, inputs.model, draws=draws, seed=seed, sampler=sampler, groups=groups, **inputs.options
        )
    return replace(inputs, posterior=xr.DataTree.from_dict(found))


def ask(
    step: Callable[[str], None],
    data: str | Sequence[str],
    *,
    draws: int,
    seed: int,
    model: str | None,
    prior: float | str | None,
    prevalence: float | str | None,
    dataset: str | None,
    ignore: Sequence[str],
    join: Any,
    lower_is_better: bool = False,
    higher_is_better: bool = False,
    by: str | None = None,
    over: str | None = None,
    covariates: Sequence[str] = (),
    at: dict[str, float] | None = None,
    aggregate: str | None = None,
    weights: Any = None,
    scale: str | None = None,
    anchor: dict[str, float] | None = None,
    **how: Any,
) -> Analysis:
    """Read, and choose or pool; ``how`` are the options on columns of the file, and on evaluation logs if any.

    The groups of cases in the column ``by`` take the place of data sets, and stay apart. Data sets or groups also stay
    apart where the ranking is ``over`` them.
    """
    over = "group" if over is None and by is None and how.get("group") is not None else over
    for option, value in (("--aggregate", aggregate), ("--weights", weights)) if over is None else ():
        if value is not None:
            raise ArgumentError(option, "must be left out without --over or --group", f"{value!r}")
    if over is not None and dataset is not None:
        raise ArgumentError("--dataset", "must be left out beside --over or --group", f"{dataset!r}")
    step("reading")
    paths = [data] if isinstance(data, str) else list(data)
    submitted = how["truth"] is not None and Path(how["truth"]).is_file()
    logs = choices_of(how, columns=submitted).also(lower=lower_is_better) if "only" in how else None
    how["dataset"] = how.pop("dataset_column")
    how["covariates"] = list(covariates) or None
    found: dict[Any, Any] = {}
    if submitted:
        roles = Roles(**how | {"dataset": by if by not in (None, "dataset") else how["dataset"]})
        evidence, about, found = _read_submissions(paths, roles, ignore, logs or Choices(shell=True))
    elif logs is not None and (logs.map or are_logs(paths)):
        roles = Roles(**how)
        evidence, about, found = _read_logs(paths, dataset, roles, ignore, logs, by)
    else:
        if logs is not None and (typed := logs.typed().removesuffix("--lower-is-better")):
            raise ArgumentError(typed.split()[0], "must be left out of a table, which is no log", paths[0])
        how["dataset"] = by if by not in (None, "dataset") else how["dataset"]
        roles = Roles(**how)
        evidence, about = _read(paths[0], model, roles, ignore)
    if over is None and isinstance(evidence, xr.DataArray | xr.Dataset) and has_groups(evidence):
        evidence = groups_as_datasets(evidence)
    together = dataset is None and by is None
    chosen = chosen_by_evidence(evidence, together, () if prior is None else ("prior",))
    usual = chosen if isinstance(evidence, xr.Dataset) else about.get("model", chosen)
    # The usual model of shipped data may need all data sets.
    name = model or (usual if together or population_of(usual) != "data sets" else chosen)
    summary = bool(form_of_summary(evidence))
    votes = holds_votes(evidence)
    if votes and by is None and how["dataset"] is not None:
        column = how["dataset"]
        raise ArgumentError(
            "--dataset-column",
            "must be left out of votes",
            f"{column!r}",
            f"--by {column} ranks each of its categories",
        )
    if isinstance(evidence, xr.Dataset) and not (summary or takes_cases(name)):
        evidence = counts_of(evidence)
    _check_model(evidence, name, prior, prevalence, paths[0])
    moved = _covariates(evidence, name, covariates, at)
    evidence, rated = _scale(evidence, scale, anchor)
    _check_direction(evidence, lower_is_better, higher_is_better, "higher_is_better" in found)
    every, remarks = evidence, list[Note | str]()
    if by is None and over is None:
        evidence, remarks = _one_table_each(evidence, dataset, join, name)
    # The direction is typed.
    notes = [note for note in notes_of(EvidenceRecord.of(every).notes) if note.code != LOW]
    remarks += [note for note in notes if together or not note.fields.get("if_pooled")]
    if isinstance(evidence, xr.Dataset) and (not summary or holds_probabilities(evidence)):
        if model is None and not summary:
            remarks.append(Note("model_of_cases", {"model": name}))
        if "cluster" in evidence.coords:
            clusters = len(set(evidence["cluster"].values.tolist()))
            remarks.append(Note("cases_in_clusters", {"clusters": clusters}))
    remarks += [note for note in (*found.get("remarks", ()), *found.get("doubts", ())) if note not in remarks]
    shipped = paths[0] in br.datasets.names()
    ledger = replace(ledger_of(every), source=paths[0] if shipped else about["title"])
    unused = [] if shipped else dict.fromkeys([*map(str, ignore), *ledger.ignored])
    ledger = replace(ledger, ignored=tuple(unused))
    remarks += ledger.run_notes()
    used = ledger if dataset is None else replace(count_evidence(evidence), source=ledger.source)
    evidence = evidence.assign_attrs(used.to_attrs())
    averaged = holds_probabilities(evidence) and "dataset" in evidence.coords
    options: dict[str, Any] = {"average": True} if averaged else moved
    target = target_prevalence(prevalence, draws, seed)
    options |= {key: value for key, value in (("prior", prior), ("prevalence", target)) if value is not None}
    options |= rated
    lower = lower_is_better or found.get("higher_is_better") is False
    named = next((note for note in notes if note.code == "column_names_entities"), None)
    column = str(roles.entity or (named.fields["column"] if named else "")).lower()
    column = "model" if votes else "team" if submitted else column
    noun, title = (column, say(named) if named else "") if column in NOUNS else ("entity", "")
    # Every command prints this line above its result.
    click.get_current_context().meta[READ] = say(
        ledger.read_note(noun, "data set" if by in (None, "dataset") else "category")
    )
    apart = every if dataset is None else evidence
    aim = None if over is None else _aim(evidence, over, aggregate, weights)
    return Analysis(evidence, apart, about, remarks, name, options, lower, noun, title, aim)


def _aim(evidence: Evidence, over: str, aggregate: str | None, weights: Any) -> dict[str, Any]:
    """Return the arguments of br.performance.aggregate_over, with weights by the names in the evidence."""
    if isinstance(weights, dict):
        held = [evidence[dim].values.tolist() for dim in ("dataset", "group", "category") if dim in evidence.coords]
        names = {str(name): name for known in held for name in known}
        weights = {names.get(name, name): weight for name, weight in weights.items()}
    return {"over": over, "aggregate": aggregate or "mean", "weights": weights}


def _check_model(evidence: Evidence, model: str, prior: Any, prevalence: Any, data: str) -> None:
    """Refuse models and options that do not fit the form of the evidence."""
    outcomes = "outcome" in sizes_of_space(evidence)
    if isinstance(evidence, xr.DataArray):
        if takes_cases(model):
            raise ArgumentError(
                "--model",
                f"must not be {model} for counts, which do not show which errors coincide: this model needs "
                f"one row for each case in {data} (see 'bayesrank rank --help')",
            )
        if outcomes and getattr(find_model(model), "needs_classes", False):
            fit = chosen_by_evidence(evidence, False)
            raise ArgumentError("--model", f"must be {fit} for counts of outcomes, which have no classes", model)
        if outcomes and label_values(evidence["outcome"].values) is None:
            given = ", ".join(map(str, evidence["outcome"].values.tolist()))
            raise ArgumentError("DATA", "must have numbers as outcomes, which are ranked by their mean", given)
    if (outcomes or holds_votes(evidence)) and prevalence is not None:
        what = "outcomes" if outcomes else "votes"
        raise ArgumentError("--prevalence", f"must be left out for {what}, which have no classes", f"{prevalence!r}")
    for option, given in (("--prior", prior), ("--prevalence", prevalence)) if holds_probabilities(evidence) else ():
        if given is not None:
            raise ArgumentError(option, "must be left out for predicted probabilities", f"{given!r}")
    if holds_means(evidence) and prior is not None:
        raise ArgumentError(
            "--prior", "must be left out for means and standard errors, whose prior is flat", f"{prior!r}"
        )


def _covariates(evidence: Evidence, model: str, typed: Sequence[str], at: dict[str, float] | None) -> dict[str, Any]:
    """Return the options of the model for covariates, by the names of their columns, which may differ in case."""
    if not typed:
        if at is not None:
            raise ArgumentError("--at", "must be left out without --covariate", f"{at}")
        return {}
    if holds_votes(evidence):
        if at is not None:
            raise ArgumentError("--at", "must be left out of votes, whose strengths are those at equal values", f"{at}")
        return {}
    if "covariates" not in options_of(find_model(model)):
        known = ", ".join(name for name in names() if "covariates" in options_of(find_model(name)))
        raise ArgumentError(
            "--covariate",
            f"must be left out for the model {model}",
            f"{typed[0]!r}",
            f"models with covariates: {known}",
        )
    found = [name for name, *_ in ledger_of(evidence).covariates]
    held = {squeeze(name): name for name in found}
    return {"covariates": found} | (
        {} if at is None else {"at": {held.get(squeeze(name), name): value for name, value in at.items()}}
    )


def _scale(evidence: Evidence, scale: str | None, anchor: dict[str, float] | None) -> tuple[Evidence, dict[str, Any]]:
    """Return votes that are rated on a scale, and the option of the model for the anchor."""
    for option, given in (("--scale", scale), ("--anchor", anchor)):
        if given is not None and not holds_votes(evidence):
            raise ArgumentError(option, "must be left out for evidence other than votes", f"{given}")
    if anchor is not None and scale is None:
        raise ArgumentError("--anchor", "must stand beside --scale elo", f"{anchor}")
    if scale is None:
        return evidence, {}
    names = {str(name): name for name in evidence["entity"].values.tolist()}
    held = {names.get(name, name): rating for name, rating in (anchor or {}).items()}
    return evidence.assign_attrs(scale=scale), {"anchor": held} if held else {}


def _check_direction(evidence: Evidence, lower: bool, higher: bool, known: bool) -> None:
    """Ask for the direction of outcomes whose headings speak of errors, losses, times, costs or ranks."""
    if lower and higher:
        raise ArgumentError("--higher-is-better", "must be left out beside --lower-is-better", "both")
    if lower or higher or known or "outcome" not in sizes_of_space(evidence):
        return
    names = [str(name) for name in evidence["entity"].values.tolist()]
    named = [note.fields["name"] for note in notes_of(EvidenceRecord.of(evidence).notes) if note.code == LOW]
    names = named or names
    if all(map(may_be_low, names)):
        raise ArgumentError(
            "DATA",
            "must say which outcomes are good, where headings name errors, losses, times, costs or ranks",
            f"{names[0]!r}",
            "--lower-is-better ranks low ones first, --higher-is-better high ones",
        )


def _has_prior(inputs: Analysis) -> bool:
    """Return whether there is a prior to draw from; means have none, and graded outcomes only a given one."""
    evidence, prior = inputs.evidence, inputs.options.get("prior")
    if form_of_summary(evidence):
        return False
    if prior is None and isinstance(evidence, xr.Dataset) and "outcome" in evidence:
        seen = np.unique(evidence["outcome"].values)
        seen = seen[~np.isnan(seen)]
        return bool(np.isin(seen, [0, 1]).all()) or are_shares(seen, evidence)
    return prior not in ("haldane", 0)


def chosen_score(evidence: Evidence, typed: Score | None) -> Score:
    """Return the score option after a check against the data.

    The default for classes is informedness, which needs no prevalence; accuracy unless both of two classes have cases.
    """
    sizes = sizes_of_space(evidence)
    score = natural_score(evidence) if typed is None else typed
    if typed is None and (scale := evidence.attrs.get("scale")):
        score = as_score(scale)
    score = as_score("f1") if score is None and lacks_true_negatives(evidence) else score
    if score is None and "cases" in sizes:
        held = [name for name, one in SCORES.items() if one.space == "cases"]
        raise ArgumentError(
            "--score", f"must be one of {', '.join(held)} for predicted probabilities", "none", f"--score {held[0]}"
        )
    if score is None:
        if isinstance(evidence, xr.Dataset):
            met = len({*evidence["actual"].values.tolist()} - {None})
        else:
            met = int((evidence.sum([d for d in evidence.dims if d != "actual"]) > 0).sum())
        score = as_score("informedness" if sizes["actual"] == met == 2 else "accuracy")
    score.check_space(sizes)
    return score


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


def _read(data: str, model: str | None, roles: Roles, ignore: Sequence[str]) -> tuple[Evidence, dict[str, str]]:
    """Return the evidence and its description, from the name of a shipped data set or a CSV file."""
    if data not in br.datasets.names():
        if data != "-" and not os.path.isfile(data):
            raise ArgumentError(
                "DATA",
                "must be a file that exists, a name that 'bayesrank datasets' lists, or - for standard input",
                f"{data!r}",
            )
        return read_evidence(data, ignore, **vars(roles)), {"title": STDIN if data == "-" else Path(data).name}
    options = {f"--{OPTIONS.get(k, k).replace('_', '-')}": value for k, value in vars(roles).items() if k != "positive"}
    if "group" in (options["--group"], options["--dataset-column"]):  # what the groups of shipped data are called
        options["--group"] = options["--dataset-column"] = None
    for option, given in (options | {"--ignore": ", ".join(ignore)}).items():
        if given not in (None, ""):
            raise ArgumentError(
                option, "must be left out for a shipped data set, whose columns are known", f"{given!r}"
            )
    about = br.datasets.describe(data)
    cases = takes_cases(model or about["model"]) and data in br.datasets.CASES
    evidence = br.datasets.load_joint(data) if cases else br.datasets.load(data)
    if roles.positive is None:
        return evidence, about
    if not {"actual", "label"} & set(evidence.coords):
        raise ArgumentError("--positive", "must be left out for outcomes, which have no classes", f"{roles.positive!r}")
    return put_in_class_order(evidence, roles.positive), about


def _one_table_each(
    evidence: Evidence, dataset: str | None, join: Any, model: str
) -> tuple[Evidence, list[Note | str]]:
    """Return the evidence of one data set, or pooled, or unpooled for models that need that; and remarks."""
    if "dataset" not in evidence.coords:
        if dataset is not None:
            raise ArgumentError("--dataset", "must be left out for data without data sets", f"{dataset!r}")
        return evidence, []
    names = {str(name): name for name in dict.fromkeys(evidence["dataset"].values.tolist())}
    if dataset is not None and dataset not in names:
        raise ArgumentError("--dataset", f"must be one of {', '.join(names)}", f"{dataset!r}")
    if dataset is None and len(names) > 1:
        return _pool(evidence, join, model, len(names))
    chosen = names[dataset] if dataset is not None else next(iter(names.values()))
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
            inner = f"--join inner keeps the {many} that every entity saw, " if common.any() else ""
            learning = model_for_datasets(evidence.shape[-1], evidence.sizes["entity"])
            raise ArgumentError(
                "DATA",
                "must have the same data sets for every entity to be pooled",
                lacking,
                f"{inner}--model {learning} learns from all of them, and --dataset chooses one",
            )
        pooled = int(common.sum()) if lacking else size
    return br.pool(evidence, join=join), [Note("datasets_pooled", {"datasets": pooled, "total": size})]


def _read_submissions(
    paths: list[str], roles: Roles, ignore: Sequence[str], logs: Choices
) -> tuple[Evidence, dict[str, str], dict[Any, Any]]:
    """Return evidence from the submissions of teams, and the attrs of their table; other files are named at once."""
    for option in (
        *("entity", "entities", "case", "run", "training_seed", "count", "cost", "judge"),
        *("outcome", "fold", "repeat", "train", "test"),
    ):
        if (given := getattr(roles, option)) is not None:
            raise ArgumentError(f"--{option.replace('_', '-')}", "must be left out of submissions", f"{given!r}")
    frame = read_submissions(paths, roles.truth, logs, roles.missing, roles.positive)
    for note in frame.attrs["remarks"]:
        if note.code == "submissions_skipped":
            print_error(say(note))
    table = replace(table_of(frame), source="the submissions", shell=True)
    frame = frame.drop(columns=(left_out := [table.find("ignore", name) for name in ignore]))
    table = table.drop(left_out)
    named = replace(of_submissions(frame, roles), truth=None, missing=None)
    title = ", ".join(Path(path).name or path for path in paths[:3])
    return read_table(table, named), {"title": title}, frame.attrs


def _read_logs(
    paths: list[str], dataset: str | None, roles: Roles, ignore: Sequence[str], logs: Choices, by: str | None
) -> tuple[Evidence, dict[str, str], dict[Any, Any]]:
    """Return evidence from evaluation logs, what was found in them, and the attrs of their table."""
    logs = logs.also(missing=roles.missing, **({"only": {"dataset": [dataset]}} if dataset is not None else {}))
    found = diagnose(paths, logs)
    if found.stops:
        first, *others = found.stops
        more = f"{len(others)} more: 'bayesrank doctor' lists them" if others else ""
        contents = f"the logs hold {found.contents}" if found.contents else ""
        raise ArgumentError(first.argument, first.wanted, first.got, Advice.of(first.hint, more, contents))
    frame = found.frame
    assert isinstance(frame, pd.DataFrame)
    print_skipped(frame.attrs["doubts"])
    words = "\n".join(f"{title}: {' '.join(said)}" for title, said in found.sections.items())
    title = ", ".join(Path(path).name or path for path in paths[:3])
    return evidence_of_frame(frame, roles, ignore, by), {"title": title, "found": words}, frame.attrs
