"""What all analysing commands share: reading the data, its options, and the posterior."""

import csv
import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._checks import label_values
from bayesrank._compat import groups_of
from bayesrank._labels import check_positive, known_classes
from bayesrank.cli._files import read_evidence
from bayesrank.cli._logs import evidence_of_frame
from bayesrank.cli._preferences import fixed_prevalence
from bayesrank.cli._scores import read_score
from bayesrank.cli._table import STDIN
from bayesrank.evidence._table import Roles
from bayesrank.evidence.counts import common_datasets, put_in_class_order
from bayesrank.evidence.logs import Choices
from bayesrank.evidence.logs.doctor import diagnose
from bayesrank.evidence.predictions import counts_of
from bayesrank.inference import draw_groups
from bayesrank.models import chosen_by_evidence, find_model, holds_means, model_for_datasets, names, takes_cases
from bayesrank.models._margins import are_shares
from bayesrank.ranking._notes import positive_class_notes
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import natural_score, score_values, sizes_of_space
from bayesrank.scores import Score, as_score


def _once(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Return the value of an option; refuse several values, of which click would silently take the last."""
    if len(values) > 1:
        raise click.BadParameter(
            f"must be given once; got {' and '.join(values)} (rank each by itself)",
            context,
            option,
        )
    return values[0] if values else None


#: Names of columns that also name what is ranked.
NOUNS = ("algorithm", "classifier", "detector", "method", "model", "system", "team", "test")
#: What the columns of the file are; arguments of br.from_frame have the same names.
READING = (
    click.option(
        "--entity", help="The file's column that names the entities. [default: entity, model, team, test, ...]"
    ),
    click.option("--entities", help="The columns of the entities, in a file with one column per entity: A,B,C."),
    click.option("--dataset-column", help="The column that names the data sets. [default: dataset]"),
    click.option("--case", help="The column that names the cases. [default: case]"),
    click.option("--run", help="The column that names the runs of a case. [default: run]"),
    click.option("--cluster", help="The column that names the cluster of each case. [default: cluster]"),
    click.option("--ignore", multiple=True, help="A column to ignore; may be repeated."),
    click.option("--positive", help="The positive class, if the two labels are not a known pair such as no and yes."),
)
OPTIONS = (
    click.option(
        "-m",
        "--model",
        type=click.Choice(names()),
        metavar="MODEL",
        help=f"How the data arose: {', '.join(names())}. [default: depends on the form of the data]",
    ),
    click.option(
        "--prior",
        help="four_cases, uniform, jeffreys, haldane, unit, or a number. [default: four_cases; unit for hierarchical "
        "models; haldane (no prior) for graded outcomes of single cases]",
    ),
    click.option(
        "--prevalence", help="sampled, observed, or the share of positives: 0.02 or 2%. [default: depends on the model]"
    ),
    click.option(
        "--dataset",
        callback=_once,
        multiple=True,
        help="Use one data set. [default: all; pooled, except for hierarchical models]",
    ),
    *READING,
    click.option(
        "--missing",
        help="Single cases only: how to treat empty fields. common: use only cases that all entities have; own: use "
        "each entity's own cases; a number: use it as the outcome. [default: an error]",
    ),
    click.option(
        "--join",
        type=click.Choice(["exact", "inner"]),
        default="exact",
        show_default=True,
        help="Data sets to pool. exact: refuse if they differ between entities; inner: use the common ones.",
    ),
    click.option(
        "--prob",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Credible probability of intervals and tiers.",
    ),
    click.option("--draws", default=1000, show_default=True, help="Draws in each of four chains."),
    click.option("--seed", default=1, show_default=True, help="Seed of all randomness."),
)
SAMPLER = click.option("--sampler", type=click.Choice(["auto", "exact", "nuts"]), default="auto", show_default=True)


@dataclass(frozen=True)
class Question:
    """The input of a fit: the evidence and its description, how it was pooled, the model and its options.

    ``by_dataset`` keeps the data sets separate, unless one was chosen, so that each can be omitted.
    """

    evidence: xr.DataArray | xr.Dataset
    by_dataset: xr.DataArray | xr.Dataset
    about: dict[str, str]
    remarks: list[str]
    model: str
    options: dict[str, Any]
    #: Whether the files say that lower outcomes are better.
    lower: bool = False
    #: What an entity is called: the name of its column, such as model, test or team.
    noun: str = "entity"

    def stated(self, *scores: Any) -> list[str]:
        """How the data were read, and which class is the positive one unless no score depends on that."""
        named = [positive_class_notes(self.by_dataset, score if isinstance(score, Score) else None) for score in scores]
        return list(dict.fromkeys([*self.remarks, *(line for lines in named for line in lines)]))

    @property
    def labels(self) -> dict[str, str]:
        """Return the positive label, unless it is "positive"."""
        known = known_classes(self.by_dataset)
        return {} if known is None or known[1] == "positive" else {"positive": str(known[1])}

    @property
    def outcomes(self) -> bool:
        """Return whether there are no classes."""
        return "outcome" in sizes_of_space(self.evidence)


@dataclass(frozen=True)
class Analysis:
    """The data (pooled or one data set), their description, how they were pooled, and their posterior.

    ``counts`` are tables, or None where there are no classes.
    """

    inputs: Question
    counts: xr.DataArray | None
    posterior: Any

    @property
    def performance(self) -> xr.DataArray:
        return br.as_performance(self.posterior)

    @property
    def about(self) -> dict[str, str]:
        """Return what programs must know of the data: the positive label, unless it is "positive"."""
        return self.inputs.labels

    def tables(self, what: str, data: str) -> xr.DataArray:
        """Return the two-class tables, which ``what`` needs."""
        if self.counts is None:
            raise ValueError(
                f"DATA must have classes for {what}; {data} holds outcomes without classes (bayesrank rank ranks them)"
            )
        check_positive(self.counts, what)
        classes = self.counts.sizes["actual"]
        if classes != 2:
            raise ValueError(f"DATA must have two classes for {what}; got {classes} in {data}")
        return self.counts

    def notes(self, score: Score | None = None) -> list[str]:
        """Return the notes of a ranking on the evidence, and how the data were read."""
        values = self.performance if score is None else score_values(self.posterior, score, True, None).values
        found = evidence_of(self.posterior, None, values, None).notes(score)
        return list(dict.fromkeys([*found, *self.inputs.stated(score)]))


def asking(command: Callable[..., None], required: bool = True, nargs: int = 1) -> Callable[..., None]:
    """Give a command the options that say how to get from DATA to a model of it."""
    for option in reversed(OPTIONS):
        command = option(command)
    return click.argument("data", required=required, nargs=nargs, metavar="DATA")(command)


def analysing(command: Callable[..., None], required: bool = True, nargs: int = 1) -> Callable[..., None]:
    """Give a command the options that say how to get from DATA to a posterior."""
    return asking(SAMPLER(command), required, nargs)


def analyse(step: Callable[[str], None], *, draws: int, seed: int, sampler: Any, **how: Any) -> Analysis:
    """Read, choose or pool, and fit."""
    inputs = question(step, **how)
    evidence = inputs.evidence
    step("drawing")
    with quiet():
        posterior = xr.DataTree.from_dict(
            draw_groups(
                evidence,
                inputs.model,
                draws=draws,
                seed=seed,
                sampler=sampler,
                groups=("prior",) if _has_prior(evidence, inputs.options.get("prior")) else (),
                **inputs.options,
            )
        )
    counts = None
    if not inputs.outcomes:
        kept = groups_of(posterior)["observed_data"]["counts"] if isinstance(evidence, xr.Dataset) else evidence
        counts = kept.drop_vars("test_set", errors="ignore") if kept is not evidence else kept
    return Analysis(inputs, counts, posterior)


def question(
    step: Callable[[str], None],
    data: str,
    model: str | None,
    prior: str | None,
    prevalence: str | None,
    dataset: str | None,
    ignore: Sequence[str],
    join: Any,
    logs: Choices | None = None,
    by: str | None = None,
    **columns: Any,
) -> Question:
    """Read, and choose or pool; ``logs`` are choices about evaluation logs, whose paths DATA has a line each.

    The groups of cases in the column ``by`` take the place of data sets, and stay apart. ``columns`` are the options on
    columns of the file.
    """
    step("reading")
    named = columns.pop("dataset_column")
    columns["dataset"] = by if by not in (None, "dataset") and logs is None else named
    columns["entities"] = None if columns["entities"] is None else _split_names(columns["entities"])
    columns["missing"] = None if columns["missing"] is None else number_or_word(columns["missing"])
    roles = Roles(**columns)
    frame = None
    if logs is None:
        evidence, about = _read(data, model, roles, ignore)
    else:
        evidence, about, frame = _read_logs(data, dataset, roles, ignore, logs, by)
    chosen = chosen_by_evidence(evidence)
    name = model or (chosen if isinstance(evidence, xr.Dataset) else about.get("model", chosen))
    means = holds_means(evidence)
    if means and name != chosen:
        raise ValueError(
            f"--model must be {chosen} for means and standard errors, which hold neither counts nor cases; got {name}"
        )
    if means and prior is not None:
        raise ValueError(f"--prior must be left out for means and standard errors, whose prior is flat; got {prior!r}")
    if isinstance(evidence, xr.Dataset) and not means and not takes_cases(name):
        evidence = counts_of(evidence)
    whole = evidence
    together = getattr(find_model(name), "over_datasets_together", False)
    evidence, remarks = (evidence, []) if by is not None else _one_table_each(evidence, dataset, join, together)
    for said in ("remarks", *(["remarks_pooled"] if dataset is None and by is None else [])):
        remarks += whole.attrs.get(said, "").splitlines()
    whole = whole if dataset is None else evidence
    if isinstance(evidence, xr.DataArray) and not bool((evidence > 0).any()):
        raise ValueError(f"DATA must hold at least one case; all counts are 0 in {data}")
    if isinstance(evidence, xr.Dataset) and not means:
        if model is None:
            remarks.append(f"Per-case data are available, so the model is {name}; --model chooses another.")
        if "cluster" in evidence.coords:
            many = _text.count(len(set(evidence["cluster"].values.tolist())), "cluster")
            remarks.append(f"Cases are in {many}; cases of one cluster are not assumed independent.")
    elif takes_cases(name):
        raise ValueError(
            f"--model must not be {name} for counts, which do not tell how errors go together; {data} must have "
            "one row a case for it (see 'bayesrank rank --help')"
        )
    outcomes = Question(evidence, whole, about, remarks, name, {}).outcomes
    if outcomes and isinstance(evidence, xr.DataArray) and getattr(find_model(name), "needs_classes", False):
        raise ValueError(
            f"--model must be {chosen_by_evidence(evidence)} for counts of outcomes, which have no classes; got {name}"
        )
    if outcomes and isinstance(evidence, xr.DataArray) and label_values(evidence["outcome"].values) is None:
        given = ", ".join(map(str, evidence["outcome"].values.tolist()))
        raise ValueError(f"DATA must have numbers as outcomes, which are ranked by their mean; got {given} in {data}")
    if outcomes and prevalence is not None:
        raise ValueError(f"--prevalence must be left out for outcomes, which have no classes; got {prevalence!r}")
    options: dict[str, Any] = {} if prior is None else {"prior": number_or_word(prior)}
    if prevalence is not None:
        share = fixed_prevalence(prevalence)
        options["prevalence"] = prevalence if share is None else share
    if frame is not None:
        remarks += [line for line in (*frame.attrs["remarks"], *frame.attrs["doubts"]) if line not in remarks]
    lower = frame is not None and frame.attrs["higher_is_better"] is False
    found = (re.fullmatch(r"The column (.+) names the entities\.", line) for line in remarks)
    column = str(roles.entity or next((match[1] for match in found if match), "")).lower()
    return Question(evidence, whole, about, remarks, name, options, lower, noun=column if column in NOUNS else "entity")


def _has_prior(evidence: xr.DataArray | xr.Dataset, prior: Any) -> bool:
    """Return whether there is a prior to draw from; means have none, and graded outcomes only a given one."""
    if holds_means(evidence):
        return False
    if prior is None and isinstance(evidence, xr.Dataset) and "outcome" in evidence:
        seen = np.unique(evidence["outcome"].values)
        seen = seen[~np.isnan(seen)]
        return bool(np.isin(seen, [0, 1]).all()) or are_shares(seen, evidence.attrs)
    return prior not in ("haldane", 0)


def chosen_score(evidence: xr.DataArray | xr.Dataset, typed: str | None, data: str) -> Score:
    """Return the score option after a check against the data; the default depends on the evidence."""
    score = (natural_score(evidence) or _default_score(evidence)) if typed is None else read_score(typed)
    check_space(evidence, score, data)
    return score


def check_space(evidence: xr.DataArray | xr.Dataset, score: Score, data: str) -> None:
    """Refuse a score of another sample space than the data have."""
    try:
        score.check_space(sizes_of_space(evidence))
    except ValueError as error:
        raise ValueError(f"--{error} (DATA is {data})") from None


def _default_score(evidence: xr.DataArray | xr.Dataset) -> Score:
    """Informedness, which needs no prevalence; accuracy of more classes, or where only one of two has cases."""
    both = sizes_of_space(evidence)["actual"] == 2
    if isinstance(evidence, xr.Dataset):
        both = both and np.unique(evidence["actual"].values).size == 2
    else:
        both = both and bool((evidence.sum([d for d in evidence.dims if d != "actual"]) > 0).all())
    return as_score("informedness" if both else "accuracy")


@contextmanager
def quiet() -> Iterator[None]:
    """Keep from the terminal what samplers log and warn of; what matters of it the rankings say themselves."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


@contextmanager
def progress() -> Iterator[Any]:
    """Show a progress line on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting")
        yield lambda stage: progress.update(task, description=stage)


def _split_names(text: str) -> list[str]:
    """Return names with commas between them, in quotation marks where they hold some."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name.strip()]


def _read(
    data: str, model: str | None, roles: Roles, ignore: Sequence[str]
) -> tuple[xr.DataArray | xr.Dataset, dict[str, str]]:
    """Return the evidence and its description, from the name of a shipped data set or a CSV file."""
    if data in br.datasets.names():
        options = {f"--{name}": value for name, value in vars(roles).items() if name != "positive"}
        options["--dataset-column"] = options.pop("--dataset")
        for option, given in (options | {"--ignore": ", ".join(ignore)}).items():
            if given not in (None, ""):
                raise ValueError(
                    f"{option} must be left out for a shipped data set, whose columns are known; got {given!r}"
                )
        about = br.datasets.describe(data)
        cases = takes_cases(model or about["model"]) and data in br.datasets.CASES
        evidence = br.datasets.load_joint(data) if cases else br.datasets.load(data)
        if roles.positive is None:
            return evidence, about
        if not {"actual", "label"} & set(evidence.coords):
            raise ValueError(f"--positive must be left out for outcomes, which have no classes; got {roles.positive!r}")
        return put_in_class_order(evidence, roles.positive), about
    if data != "-" and (not Path(data).exists() or Path(data).is_dir()):
        raise ValueError(
            f"DATA must be a CSV file or one of {', '.join(br.datasets.names())}, or - for standard input; got {data!r}"
        )
    return read_evidence(data, ignore, **vars(roles)), {"title": STDIN if data == "-" else Path(data).name}


def _one_table_each(
    evidence: xr.DataArray | xr.Dataset, dataset: str | None, join: Any, together: bool
) -> tuple[xr.DataArray | xr.Dataset, list[str]]:
    """Return the evidence of one data set, or pooled, or unpooled for models that need that; and remarks."""
    if "dataset" not in evidence.coords:
        if dataset is not None:
            raise ValueError(f"--dataset must be left out for data without data sets; got {dataset!r}")
        return evidence, []
    names = {str(name): name for name in dict.fromkeys(evidence["dataset"].values.tolist())}
    if dataset is not None and dataset not in names:
        raise ValueError(f"--dataset must be one of {', '.join(names)}; got {dataset!r}")
    chosen = names[dataset] if dataset is not None else next(iter(names.values()))
    several = dataset is None and len(names) > 1
    if isinstance(evidence, xr.Dataset):
        if several:
            said = f"Pooled over {_text.count(len(names), 'data set')}; --dataset chooses one."
            return br.pool(evidence, join=join), [said]
        return evidence.isel(pattern=(evidence["dataset"] == chosen).values).drop_vars("dataset"), []
    if several and together:
        return evidence, [f"Learned from {len(names)} data sets, each with rates of its own."]
    if several:
        return _pool(evidence, join)
    one = evidence.sel(dataset=chosen, drop=True)
    return one.isel(entity=one["measured"].values).drop_vars("measured"), []


def _pool(counts: xr.DataArray, join: Any) -> tuple[xr.DataArray, list[str]]:
    """Pool all data sets, or the data sets of all entities."""
    common, lacking = common_datasets(counts)
    learning = model_for_datasets(counts.shape[-1])
    many, all_of_them = _text.count(int(common.sum()), "data set"), common.size
    if not common.any():
        raise ValueError(
            f"--dataset must name one data set, or --model be {learning}, which learns from all of them, where no data "
            f"set was seen by every entity; got {lacking}"
        )
    if lacking and join == "exact":
        raise ValueError(
            f"--join must be inner (which keeps the {many} that every entity saw), or --model {learning} (which learns "
            f"from all of them), or --dataset must name one, where entities saw different data sets; got {lacking}"
        )
    which = f"{many} of {all_of_them}, seen by every entity" if lacking else many
    return br.pool(counts, join=join), [f"Pooled over {which}; --dataset chooses one."]


def _read_logs(
    data: str, dataset: str | None, roles: Roles, ignore: Sequence[str], logs: Choices, by: str | None
) -> tuple[xr.DataArray | xr.Dataset, dict[str, str], pd.DataFrame]:
    """Evidence from evaluation logs, what was found in them, and their table."""
    logs = logs.also(missing=roles.missing, **({"only": {"dataset": [dataset]}} if dataset is not None else {}))
    found = diagnose(data.splitlines(), logs)
    if found.stops:
        more = f" ({len(found.stops) - 1} more: 'bayesrank doctor' lists them)" if len(found.stops) > 1 else ""
        raise ValueError(found.stops[0] + more)
    frame = found.frame
    assert frame is not None
    words = "\n".join(f"{title}: {' '.join(said)}" for title, said in found.sections.items())
    title = ", ".join(Path(path).name or path for path in data.splitlines()[:3])
    return evidence_of_frame(frame, roles, ignore, by), {"title": title, "found": words}, frame


def number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
