"""``bayesrank gate``: whether a new version is worse than the one before, as an exit status."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn
from xml.etree import ElementTree as xml

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import json_text, markdown_text
from bayesrank._core.labels import select_names
from bayesrank._core.notes import notes_of
from bayesrank._core.prose import list_names
from bayesrank._core.records import GateRecord
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.draws import silence_samplers
from bayesrank.cli._export import markdown
from bayesrank.cli._help import Grouped
from bayesrank.cli._logs import choices_of, print_skipped
from bayesrank.cli._options import (
    HIGHER,
    IGNORE,
    LOWER,
    POSITIVE,
    SCORE,
    adding,
    naming_cells,
    naming_columns,
    reading_logs,
)
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import print_block, progress
from bayesrank.cli._typed import number_or_word
from bayesrank.cli._versions import GROUP_OF, Lack, Versions, read_versions
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.evidence.ledger import ledger_of
from bayesrank.io.tables.table import Roles
from bayesrank.io.tables.values import as_outcomes
from bayesrank.scores import Score
from bayesrank.words.gates import describe_difference, describe_identity, format_signed
from bayesrank.words.parts import Verdict
from bayesrank.words.results import verdict_parts
from bayesrank.words.sentences import say

EXAMPLES = """
\b
Examples:
  bayesrank gate main.csv change.csv --margin 0.01
  bayesrank gate logs/main logs/change --only metric=acc --by category
  bayesrank gate main.csv a.csv b.csv --looks any --format markdown
  bayesrank gate main.csv change.csv --group language --aggregate worst
  bayesrank gate main.csv change.csv --missing wrong
\b
Exit status: 0, 1 if a new version is worse, 2 for wrong use or if
answers are missing without --missing, 3 if undecided with
--fail-on undecided.
"""
#: What to type if answers are missing.
REMEDY = (
    "--missing wrong counts a missing answer as wrong; --missing common uses only the cases "
    "that all versions answered."
)
#: Exit statuses.
WORSE, UNDECIDED = 1, 3
COLUMNS = (
    "verdict",
    "difference",
    "lower",
    "upper",
    "p_worse",
    "p_not_worse",
    "cases",
    "discordant",
    "needed",
    "identical",
)


def _looks(context: click.Context, option: click.Parameter, typed: str) -> int | str:
    if typed == "any":
        return typed
    if not typed.isdecimal() or int(typed) < 1:
        raise ArgumentError("--looks", "must be a whole number of at least 1, or any", f"{typed!r}")
    return int(typed)


def _missing(
    context: click.Context, option: click.Parameter, typed: str | None
) -> float | str | None:
    value = None if typed is None else number_or_word(typed, "--missing")
    if isinstance(value, str) and value not in ("wrong", "common"):
        raise ArgumentError("--missing", "must be wrong, common or a number", f"{typed!r}")
    return value


@click.command(cls=Grouped, epilog=EXAMPLES)
@click.argument("base", metavar="BASE")
@click.argument("new", metavar="NEW...", nargs=-1, required=True)
@adding(
    SCORE,
    click.option(
        "--margin",
        type=click.FloatRange(0),
        default=0.0,
        help="The largest loss of score that does not matter.",
    ),
    click.option(
        "--looks",
        callback=_looks,
        default="1",
        help="The number of times that you run the gate while cases arrive, or any.",
    ),
    click.option(
        "--prob",
        type=click.FloatRange(0, 1, True, True),
        default=0.95,
        help="1 minus the one-sided error probability.",
    ),
    click.option("--by", help="Column of groups of cases; the worst group is named."),
    click.option("--group", help="Column of groups of cases: decide by an aggregate over them."),
    click.option(
        "--aggregate",
        type=click.Choice(["mean", "worst", "gap"]),
        help="With --group: mean, worst, or gap (best minus worst) of the scores. [default: mean]",
    ),
    click.option(
        "--missing",
        callback=_missing,
        help="wrong: a missing answer counts as wrong; common: only cases that all versions answered count; a number: "
        "the outcome of a missing answer. [default: missing answers stop the gate]",
    ),
    LOWER,
    HIGHER,
    *naming_columns,
    *naming_cells,
    IGNORE,
    POSITIVE,
    click.option(
        "--fail-on",
        type=click.Choice(["worse", "undecided"]),
        default="worse",
        help="worse: only a worse version fails; undecided: an undecided one fails, too.",
    ),
    click.option("--seed", default=1, help="Seed of all randomness."),
    click.option(
        "--format", "form", type=click.Choice(["line", "json", "markdown", "junit"]), default="line"
    ),
)
@reading_logs
def gate(
    base: str,
    new: Sequence[str],
    score: Score | None,
    margin: float,
    looks: Any,
    prob: float,
    by: str | None,
    group: str | None,
    aggregate: str | None,
    missing: float | str | None,
    lower_is_better: bool,
    higher_is_better: bool,
    fail_on: str,
    seed: int,
    form: str,
    ignore: Sequence[str],
    dataset_column: str | None,
    **how: Any,
) -> None:
    """Decide whether NEW is worse than BASE by more than the margin.

    The decision is worse, not worse, or undecided.

    BASE and each NEW are a CSV file as for 'bayesrank rank', or evaluation logs; cases are paired
    by their names. If a table has no column for the entity, the entity is named after the file. A
    version that lacks answers, or files that cannot be read, stop the gate unless --missing says
    how they count.
    """
    if lower_is_better and higher_is_better:
        raise ArgumentError("--higher-is-better", "cannot be used with --lower-is-better", "both")
    if aggregate is not None and group is None:
        raise ArgumentError("--aggregate", "cannot be used without --group", f"{aggregate!r}")
    logs = choices_of(how).also(lower=lower_is_better)
    if logs.cases is not None:
        raise ArgumentError(
            "--cases", "cannot be used for the gate, which pairs cases by their names", logs.cases
        )
    roles = Roles(**how, dataset=dataset_column, group=group)
    with progress() as step:
        step("reading")
        versions = read_versions(
            base, new, logs, roles, ignore, by, lower_is_better or higher_is_better
        )
        lacks, unreadable = versions.lacks(), versions.unreadable()
        if missing is None and (lacks or (unreadable and logs.errors != "skip")):
            _stop(versions, lacks, unreadable, form)
        print_skipped(versions.doubts)
        settled = versions.settle(missing, lower_is_better)
        evidence = settled.evidence()
        evidence = br.pool(evidence) if "dataset" in evidence.coords else evidence
        used = choose_score(evidence, score)
        better = _direction(versions, used, lower_is_better, higher_is_better)
        step("drawing")
        source = _fit_versions(evidence, used, group, aggregate, seed)
        verdicts = br.decisions.gate(
            source,
            versions.baseline,
            used,
            margin=margin,
            looks=looks,
            prob=prob,
            higher_is_better=better,
        )
        worst = {} if by is None else _worst_groups(settled, by, verdicts)
    lacking = [
        *_missing_words(versions, lacks, missing),
        *_unreadable_words(unreadable),
        *_sizes(versions, evidence),
    ]
    doubts = [say(note) for note in versions.doubts if note.code != "unreadable_files"]
    ledger = ledger_of(evidence)
    output = _Output(verdicts, say(ledger.read_note("entity")), worst, lacking, doubts)
    if form == "json":
        output.print_json(_missing_fields(lacks, unreadable))
    elif form == "markdown":
        output.print_markdown()
    elif form == "junit":
        _print_xml(_junit(verdicts, fail_on, worst, [*lacking, *doubts]))
    else:
        output.print_text(with_cases=bool(ledger.dropped))
    verdict = GateRecord.of(verdicts).verdict
    if verdict == "worse":
        click.get_current_context().exit(WORSE)
    if verdict == "undecided" and fail_on == "undecided":
        click.get_current_context().exit(UNDECIDED)


def _fit_versions(
    evidence: Any, score: Score, group: str | None, aggregate: str | None, seed: int
) -> Any:
    """Return the posterior of the versions, or its aggregate over groups."""
    of_mean = group is not None and aggregate in (None, "mean")
    # The mean needs no population of groups; pairs of cases tell more.
    model = "paired" if of_mean and isinstance(evidence, xr.Dataset) else None
    options: dict[str, Any] = {}
    if parse_given(evidence).draws_scores:
        options["scores"] = (score.name,)
    with silence_samplers():
        source = br.fit(evidence, model, seed=seed, **options)
    if group is None:
        return source
    return br.performance.aggregate_over(source, "group", aggregate or "mean")


@dataclass(frozen=True)
class _Output:
    """The result of a gate, and the sentences beside it."""

    verdicts: xr.Dataset
    read: str  #: what was read
    worst: dict[str, str]  #: the worst group of each version, in words
    lacking: list[str]  #: missing answers, unreadable files and numbers of cases
    doubts: list[str]

    @cached_property
    def parts(self) -> Verdict:
        return verdict_parts(self.verdicts)

    def print_json(self, missing: dict[str, Any]) -> None:
        table = self.verdicts[list(COLUMNS)].to_dataframe()
        record = {name: value for name, value in self.verdicts.attrs.items() if name != "ledger"}
        record |= {
            "read": self.read,
            "sentences": [*self.parts.sentences(), *self.lacking],
            "notes": [*self.parts.notes, *self.doubts],
            "worst_group": self.worst,
        }
        entities = json.loads(table.reset_index().to_json(orient="records"))
        text = json.dumps(record | missing | {"entities": entities}, ensure_ascii=False, indent=2)
        print_block(json_text(text))

    def print_markdown(self) -> None:
        beside = [*self.lacking, self.read, *self.worst.values(), *self.doubts]
        print_block("\n\n".join(_markdown(self.verdicts, self.parts.sentences(), beside)))

    def print_text(self, with_cases: bool) -> None:
        sentences = [*self.parts.sentences(), *self.worst.values(), *self.lacking]
        print_line(" ".join([*sentences, *[self.read] * with_cases]))
        for line in self.parts.notes if len(self.verdicts["entity"]) > 1 else ():
            print_line(line)
        for line in self.doubts:
            print_line(f"Note: {line}")


def _direction(versions: Versions, used: Score, lower: bool, higher: bool) -> bool | None:
    """Return whether higher outcomes are better, as the user or the files say; None for scores with a direction."""
    if used.space != "outcomes":
        if lower or higher:
            option = "--lower-is-better" if lower else "--higher-is-better"
            raise ArgumentError(
                option, "cannot be used for scores that have a direction", used.name
            )
        return None
    return not lower if lower or higher else versions.higher_is_better


def _stop(versions: Versions, lacks: dict[str, Lack], unreadable: list[str], form: str) -> NoReturn:
    """Print what is missing in the wanted format, and raise an error that says what to type."""
    remedy = REMEDY if lacks else "--errors skip goes on without these files."
    lines = [*_missing_words(versions, lacks, None), *_unreadable_words(unreadable), remedy]
    if form == "json":
        record = {"verdict": "stopped", "baseline": versions.baseline, "sentences": lines}
        record |= _missing_fields(lacks, unreadable)
        print_block(json_text(json.dumps(record, ensure_ascii=False, indent=2)))
    elif form == "markdown":
        print_block(
            "\n\n".join(
                [f"**{markdown_text(f'Stopped: {lines[0]}')}**", *map(markdown_text, lines[1:])]
            )
        )
    elif form == "junit":
        suite = xml.Element(
            "testsuite", {"name": "bayesrank gate", "tests": "1", "failures": "0", "errors": "1"}
        )
        test = xml.SubElement(
            suite, "testcase", {"classname": versions.baseline, "name": "missing answers"}
        )
        xml.SubElement(test, "error", {"message": " ".join(lines)})
        _print_xml(suite)
    got = [f"no answer of {name} to {lack.describe()}" for name, lack in lacks.items()]
    got += [f"files that cannot be read: {list_names(unreadable, 3)}"] * bool(unreadable)
    raise ArgumentError(
        "BASE and NEW", "must have an answer to every case", "; ".join(got), remedy.rstrip(".")
    )


def _missing_words(
    versions: Versions, lacks: Mapping[str, Lack], missing: float | str | None
) -> list[str]:
    """Return which answers are missing, and how they count, as sentences."""
    if not lacks:
        return []
    text = [
        f"Missing answers: {'; '.join(f'{name} {lack.describe()}' for name, lack in lacks.items())}."
    ]
    if missing == "common":
        return [
            *text,
            f"Only the {len(versions.common()):,} cases that all versions answered count.",
        ]
    return [
        *text,
        *(
            []
            if missing is None
            else [f"They count as {'wrong' if missing == 'wrong' else f'{missing:g}'}."]
        ),
    ]


def _unreadable_words(unreadable: list[str]) -> list[str]:
    return (
        [f"Files that cannot be read: {len(unreadable):,} ({list_names(unreadable, 3)})."]
        if unreadable
        else []
    )


def _sizes(versions: Versions, evidence: Any) -> list[str]:
    """Return a sentence on versions with different numbers of cases, of which the files have no names."""
    cases = {one.entity: one.cases for one in ledger_of(evidence).entries}
    if versions.answer or len(set(cases.values())) < 2:
        return []
    sizes = list_names([f"{name} {number:,}" for name, number in cases.items()], 8)
    return [f"The numbers of cases differ ({sizes}): counts do not show which cases are missing."]


def _missing_fields(lacks: Mapping[str, Lack], unreadable: list[str]) -> dict[str, Any]:
    """Return what is missing for programs."""
    fields = {
        name: {"number": lack.number, "of": lack.total, "absent": lack.absent, "empty": lack.empty}
        for name, lack in lacks.items()
    }
    return {"missing": fields, "unreadable": unreadable}


def _worst_groups(versions: Versions, by: str, verdicts: xr.Dataset) -> dict[str, str]:
    """Return the sentence on the group of cases in which each version loses most, as it was observed."""
    if versions.answer != "outcome":
        raise ArgumentError(
            "--by", "cannot be used unless the files have an outcome for each case", f"{by!r}"
        )
    columns = versions.table.columns
    frame = pd.DataFrame({name: columns[name] for name in ("entity", "case", GROUP_OF)})
    missing = versions.roles.missing
    outcome = pd.to_numeric(pd.Series(as_outcomes(columns["outcome"])), errors="coerce")
    frame["outcome"] = outcome if missing in (None, "common") else outcome.fillna(missing)
    wide = frame.pivot_table(
        index=[GROUP_OF, "case"], columns="entity", values="outcome", aggfunc="mean"
    )
    wide = wide if missing in (None, "common") else wide.fillna(missing)
    sign, baseline = GateRecord.of(verdicts).sign, versions.baseline
    text = {}
    for name in map(str, verdicts["entity"].values.tolist()):
        by_group = (sign * (wide[name] - wide[baseline])).dropna().groupby(level=0)
        table = by_group.agg(["mean", "size"])
        if not len(table):
            continue
        position = int(table["mean"].argmin())
        group, worst = table.index[position], table.iloc[position]
        text[name] = (
            f"Worst {by} of {name}: {group}, {worst['mean']:+.3f} as observed ({int(worst['size']):,} of "
            f"{int(table['size'].sum()):,} cases)."
        )
    return text


def _markdown(verdicts: xr.Dataset, sentences: list[str], more: list[str]) -> list[str]:
    """Return the paragraphs of a comment on a pull request."""
    header = ["entity", "verdict", GateRecord.of(verdicts).display, "bounds", "cases"]
    rows = [
        [
            str(name),
            str(one["verdict"].item()),
            format_signed(float(one["difference"])),
            f"{format_signed(float(one['lower']))} to {format_signed(float(one['upper']))}",
            f"{float(one['cases']):,.0f}",
        ]
        for name, one in (
            (name, select_names(verdicts, entity=name))
            for name in verdicts["entity"].values.tolist()
        )
    ]
    notes = [say(note) for note in notes_of(verdicts["notes"])]
    first, *rest = sentences
    return [
        f"**{markdown_text(first)}**",
        markdown(header, rows),
        *map(markdown_text, [*rest, *more, *notes]),
    ]


def _junit(found: xr.Dataset, fail_on: str, worst: dict[str, str], more: list[str]) -> xml.Element:
    """Return a test suite with one test for each new version."""
    verdicts = found["verdict"].values.tolist()
    fails = [
        verdict == "worse" or (verdict == "undecided" and fail_on == "undecided")
        for verdict in verdicts
    ]
    skipped = sum(
        verdict == "undecided" and not failed
        for verdict, failed in zip(verdicts, fails, strict=True)
    )
    record = GateRecord.of(found)
    counts = {"tests": len(verdicts), "failures": sum(fails), "skipped": skipped}
    suite = xml.Element(
        "testsuite", {"name": "bayesrank gate", **{name: str(n) for name, n in counts.items()}}
    )
    for i, (name, verdict, failed) in enumerate(
        zip(found["entity"].values.tolist(), verdicts, fails, strict=True)
    ):
        names = {"classname": f"{record.score} against {record.baseline}", "name": str(name)}
        test = xml.SubElement(suite, "testcase", names)
        comparison = found.isel(entity=i)
        text = f"{verdict}: {describe_identity(comparison) or describe_difference(comparison)}."
        text = " ".join(filter(None, [text, worst.get(str(name), ""), *more]))
        if verdict != "not worse":
            xml.SubElement(test, "failure" if failed else "skipped", {"message": text})
        xml.SubElement(test, "system-out").text = text
    return suite


def _print_xml(suite: xml.Element) -> None:
    xml.indent(suite)
    print_block(xml.tostring(suite, encoding="unicode", xml_declaration=True))
