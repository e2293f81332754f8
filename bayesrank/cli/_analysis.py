"""What all analysing commands share: reading the data, choosing the model, and the posterior."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.checks import rename_argument
from bayesrank._core.errors import Advice, ArgumentError
from bayesrank._core.inputs import STDIN
from bayesrank._core.labels import find_lookalike, suggest_file
from bayesrank._core.percent import using_words_of
from bayesrank._core.source import groups_of
from bayesrank._core.types import Evidence
from bayesrank.analysis.default_score import lacks_true_negatives
from bayesrank.analysis.draws import draw
from bayesrank.analysis.setup import Setup, set_up, with_scores
from bayesrank.analysis.sources import shipped_data
from bayesrank.cli._export import READ
from bayesrank.cli._logs import are_logs, choices_of, evidence_of_frame, print_skipped
from bayesrank.cli._sink import print_error
from bayesrank.cli._typed import target_prevalence
from bayesrank.diagnosis import diagnose
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.evidence.ledger import ledger_of
from bayesrank.io.logs import Choices, read_submissions
from bayesrank.io.tables.files import read_evidence
from bayesrank.io.tables.frames import TEAMS, of_submissions, read_table
from bayesrank.io.tables.roles import OPTIONS
from bayesrank.io.tables.table import Roles, table_of
from bayesrank.performance.arrays import posterior_of
from bayesrank.ranking.credible import check_ranks
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import score_values
from bayesrank.scores import Score
from bayesrank.words.parts import Verdict
from bayesrank.words.sentences import say


@dataclass(frozen=True)
class CommandAnalysis(Setup):
    """The analysis of :mod:`bayesrank.analysis`, what the command says of its data, and the posterior."""

    about: dict[str, str] = field(default_factory=dict)
    #: None before the fit.
    posterior: Any = field(default=None, repr=False)

    @property
    def source(self) -> Any:
        """Return what is analysed: the posterior, or its aggregate over groups or data sets."""
        return self.source_of(self.posterior)

    @property
    def performance(self) -> xr.DataArray:
        return br.as_performance(self.posterior)

    @property
    def counts(self) -> xr.DataArray:
        observed = groups_of(self.posterior, "observed_data")["observed_data"]
        return observed["counts"].drop_vars("test_set", errors="ignore")

    def check_two_classes(self, what: str) -> None:
        sizes = parse_given(self.evidence).space
        if lacks_true_negatives(self.evidence):
            raise ArgumentError(
                "DATA",
                f"must have true negatives for {what}",
                "none",
                "'bayesrank rank --score f1' needs none",
            )
        if sizes.get("actual") != 2:
            if "cases" in sizes:
                raise ArgumentError(
                    "DATA",
                    f"must contain performances for {what}",
                    "predicted probabilities, which have none before a threshold is chosen",
                    "'bayesrank rank --score auc_roc' ranks them",
                )
            if "votes" in sizes:
                raise ArgumentError(
                    "DATA",
                    f"must contain performances for {what}",
                    "votes: their strengths compare entities, and are not performances",
                    "'bayesrank rank' ranks them",
                )
            description = (
                "outcomes without classes" if "outcome" in sizes else f"{sizes['actual']} classes"
            )
            raise ArgumentError(
                "DATA",
                f"must have two classes for {what}",
                description,
                "'bayesrank rank' ranks them",
            )

    def entity(self, option: str, typed: str | None) -> Any:
        """Return the entity whose name was typed; None if none was."""
        names = {str(name): name for name in posterior_of(self.posterior)["entity"].values.tolist()}
        if typed is not None and typed not in names:
            raise ArgumentError(option, f"must be one of {prose.list_names(names)}", f"{typed!r}")
        return None if typed is None else names[typed]

    def notes(
        self, score: Score | None = None, kind: str | None = None, ranked: bool = True
    ) -> list[str]:
        """Return the notes of a ranking on the evidence, and how the data were read.

        Values that are not ``ranked`` have no note that their score should not rank.
        """
        if score is None:
            values = br.as_performance(self.posterior, kind)
        else:
            values = score_values(self.posterior, score, True, kind).values
        notes = evidence_of(self.posterior, None, values, kind).notes(score)
        notes = [note for note in notes if ranked or note.code != "score_should_not_rank"]
        return list(dict.fromkeys([*map(say, notes), *self.say_remarks(score)]))

    def say_verdict(
        self, parts: Verdict, notes: bool, *scores: Score | None
    ) -> tuple[list[str], list[str], dict[str, Any]]:
        """Return the verdict on a result with its notes, how the data were read, and the verdict by name for programs.

        The first two are lines to print.
        """
        lines = [*parts.sentences(), *(parts.notes if notes else ())]
        stated = [f"Note: {line}" for line in self.say_remarks(*scores) if line not in lines]
        return (
            lines,
            stated,
            {"verdict": parts.sentences(), "notes": list(parts.notes)} | self.labels,
        )

    def direction(self, score: Score) -> bool | None:
        with rename_argument("lower_is_better", "higher_is_better"):
            return super().direction(score)


def analyse(
    step: Callable[[str], None],
    *,
    draws: int,
    seed: int,
    sampler: Any,
    groups: Sequence[str] = (),
    scores: Sequence[Score | None] = (),
    ranked: bool = False,
    **how: Any,
) -> CommandAnalysis:
    """Read, choose or pool, and fit; ``groups`` are additional ones of :func:`bayesrank.fit`.

    ``scores`` are the ones that are wanted; None is the default score. Entities that will be
    ``ranked`` must not be too many.
    """
    inputs = with_scores(read_data(step, draws=draws, seed=seed, **how), scores)
    if ranked:  # draws of more entities than fit may take minutes
        check_ranks(inputs.evidence.sizes.get("entity", 0))
    step("drawing")
    drawn = draw(inputs, draws=draws, seed=seed, sampler=sampler, prior="prior" in groups)
    return replace(inputs, posterior=drawn)


def read_data(
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
) -> CommandAnalysis:
    """Read, and choose or pool; ``how`` are the options on columns of the file, and on evaluation logs if any.

    The groups of cases in the column ``by`` take the place of data sets, and stay apart. Data sets
    or groups also stay apart where the ranking is ``over`` them.
    """
    over = "group" if over is None and by is None and how.get("group") is not None else over
    if lower_is_better and higher_is_better:
        raise ArgumentError("--higher-is-better", "cannot be used with --lower-is-better", "both")
    step("reading")
    paths = [data] if isinstance(data, str) else list(data)
    how["dataset"] = how.pop("dataset_column")
    how["covariates"] = list(covariates) or None
    evidence, record, table_attrs = _read_paths(
        paths, how, model, dataset, ignore, by, lower_is_better
    )
    shipped = paths[0] in br.datasets.names()
    unused = () if shipped else [*map(str, ignore), *ledger_of(evidence).ignored]
    parsed = parse_given(evidence)
    if not parsed.names_datasets and by is None and how["dataset"] is not None:
        column = how["dataset"]
        raise ArgumentError(
            "--dataset-column",
            f"cannot be used for {parsed.noun}",
            f"{column!r}",
            f"--by {column} ranks each of its categories",
        )
    setup = set_up(
        evidence,
        model=model,
        usual=record.get("model"),
        prior=prior,
        prevalence=prevalence,
        dataset=dataset,
        join=join,
        apart=by is not None,
        over=over,
        aggregate=aggregate,
        weights=weights,
        covariates=covariates,
        at=at,
        scale=scale,
        anchor=anchor,
        higher_is_better=False
        if lower_is_better
        else True
        if higher_is_better
        else table_attrs.get("higher_is_better"),
        remarks=[*table_attrs.get("remarks", ()), *table_attrs.get("doubts", ())],
        source=paths[0] if shipped else record["title"],
        ignored=unused,
        place=f"{paths[0]} (see 'bayesrank rank --help-all')",
    )
    if prevalence is not None:
        setup = replace(
            setup,
            options=setup.options | {"prevalence": target_prevalence(prevalence, draws, seed)},
        )
    # All sentences of this command use the noun of the data.
    click.get_current_context().with_resource(using_words_of(setup.origin))
    # Every command prints this line above its result.
    read = setup.read_note("data set" if by in (None, "dataset") else "category")
    click.get_current_context().meta[READ] = say(read)
    return CommandAnalysis(**vars(setup), about=record)


def _read_paths(
    paths: list[str],
    how: dict[str, Any],
    model: str | None,
    dataset: str | None,
    ignore: Sequence[str],
    by: str | None,
    lower_is_better: bool,
) -> tuple[Evidence, dict[str, str], dict[Any, Any]]:
    """Return the evidence in submissions, logs or a table, its description, and the attrs of its table."""
    submitted = how["truth"] is not None and Path(how["truth"]).is_file()
    logs = choices_of(how, columns=submitted).also(lower=lower_is_better) if "only" in how else None
    if not submitted and logs is not None and (logs.map or are_logs(paths)):
        return _read_logs(paths, dataset, Roles(**how), ignore, logs, by)
    if not submitted and logs is not None:
        typed = logs.typed().removesuffix("--lower-is-better")
        if typed:
            raise ArgumentError(
                typed.split()[0], "is for logs, and cannot be used for a table", paths[0]
            )
    how["dataset"] = by if by not in (None, "dataset") else how["dataset"]
    if submitted:
        choices = logs or Choices(shell=True)
        return _read_submissions(paths, Roles(**how), ignore, choices)
    return *_read(paths[0], model, Roles(**how), ignore), {}


def _read(
    data: str, model: str | None, roles: Roles, ignore: Sequence[str]
) -> tuple[Evidence, dict[str, str]]:
    """Return the evidence and its description, from the name of a shipped data set or a CSV file."""
    if data not in br.datasets.names():
        if data != "-" and not os.path.isfile(data):
            raise ArgumentError(
                "DATA",
                "must be a file that exists, a name that 'bayesrank datasets' lists, or - for standard input",
                f"{data!r}",
                find_lookalike(data, br.datasets.names()) or suggest_file(data),
            )
        return read_evidence(data, ignore, **vars(roles)), {
            "title": STDIN if data == "-" else Path(data).name
        }
    options = {
        f"--{OPTIONS.get(k, k).replace('_', '-')}": value
        for k, value in vars(roles).items()
        if k != "positive"
    }
    if "group" in (
        options["--group"],
        options["--dataset-column"],
    ):  # what the groups of shipped data are called
        options["--group"] = options["--dataset-column"] = None
    for option, given in (options | {"--ignore": ", ".join(ignore)}).items():
        if given not in (None, ""):
            raise ArgumentError(
                option,
                "cannot be used for a shipped data set, whose columns are known",
                f"{given!r}",
            )
    return shipped_data(data, model, roles.positive)


def _read_submissions(
    paths: list[str], roles: Roles, ignore: Sequence[str], logs: Choices
) -> tuple[Evidence, dict[str, str], dict[Any, Any]]:
    """Return evidence from the submissions of teams, and the attrs of their table; other files are named at once."""
    for option in (
        *("entity", "entities", "case", "run", "training_seed", "count", "cost", "judge"),
        *("outcome", "fold", "repeat", "train", "test"),
    ):
        if (given := getattr(roles, option)) is not None:
            raise ArgumentError(
                f"--{option.replace('_', '-')}", "cannot be used for submissions", f"{given!r}"
            )
    frame = read_submissions(paths, roles.truth, logs, roles.missing, roles.positive)
    for note in frame.attrs["remarks"]:
        if note.code == "submissions_skipped":
            print_error(say(note))
    table = replace(table_of(frame), source="the submissions", shell=True)
    frame = frame.drop(columns=(left_out := [table.find("ignore", name) for name in ignore]))
    table = table.drop(left_out)
    named = replace(of_submissions(frame, roles), truth=None, missing=None)
    title = ", ".join(Path(path).name or path for path in paths[:3])
    return read_table(table, named).assign_attrs(TEAMS), {"title": title}, frame.attrs


def _read_logs(
    paths: list[str],
    dataset: str | None,
    roles: Roles,
    ignore: Sequence[str],
    logs: Choices,
    by: str | None,
) -> tuple[Evidence, dict[str, str], dict[Any, Any]]:
    """Return evidence from evaluation logs, what was found in them, and the attrs of their table."""
    logs = logs.also(
        missing=roles.missing, **({"only": {"dataset": [dataset]}} if dataset is not None else {})
    )
    diagnosis = diagnose(paths, logs)
    if diagnosis.stops:
        first, *others = diagnosis.stops
        more = f"{len(others)} more: 'bayesrank doctor' lists them" if others else ""
        contents = f"the logs hold {diagnosis.contents}" if diagnosis.contents else ""
        raise ArgumentError(
            first.argument, first.wanted, first.got, Advice.of(first.hint, more, contents)
        )
    frame = diagnosis.frame
    assert isinstance(frame, pd.DataFrame)
    print_skipped(frame.attrs["doubts"])
    words = "\n".join(f"{title}: {' '.join(text)}" for title, text in diagnosis.sections.items())
    title = ", ".join(Path(path).name or path for path in paths[:3])
    return (
        evidence_of_frame(frame, roles, ignore, by),
        {"title": title, "found": words},
        frame.attrs,
    )
