"""``bayesrank gate``: whether a new version is worse than the one before, as an exit status."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._errors import ArgumentError
from bayesrank._escape import json_text, markdown_text
from bayesrank._inputs import STDIN
from bayesrank._notes import notes_of
from bayesrank._records import GateRecord
from bayesrank._text import list_names
from bayesrank.cli._analysis import chosen_score, quiet
from bayesrank.cli._export import markdown
from bayesrank.cli._help import Grouped
from bayesrank.cli._logs import are_logs, choices_of
from bayesrank.cli._options import SCORE, adding, reading_logs
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import print_block, progress
from bayesrank.diagnosis import diagnose
from bayesrank.evidence.ledger import ledger_of
from bayesrank.logs import Choices
from bayesrank.scores import Score
from bayesrank.tables.columns import LONG_CASE_NAMES, squeeze
from bayesrank.tables.files import read_csv
from bayesrank.tables.forms import find_entity, find_form, name_roles
from bayesrank.tables.frames import read_table
from bayesrank.tables.table import Roles, table_of
from bayesrank.words.gates import describe_difference, format_signed
from bayesrank.words.results import verdict_parts
from bayesrank.words.sentences import say

EXAMPLES = """
\b
Examples:
  bayesrank gate main.csv change.csv --margin 0.01
  bayesrank gate logs/main logs/change --only metric=acc --by category
  bayesrank gate main.csv a.csv b.csv --looks any --format markdown
  bayesrank gate main.csv change.csv --group language --aggregate worst
\b
Exit status: 0, 1 if a new version is worse, 2 for wrong use,
3 if undecided with --fail-on undecided.
"""
#: Exit statuses.
WORSE, UNDECIDED = 1, 3
COLUMNS = ("verdict", "difference", "lower", "upper", "p_worse", "p_not_worse", "cases", "discordant", "needed")


def _looks(context: click.Context, option: click.Parameter, typed: str) -> int | str:
    if typed == "any":
        return typed
    if not typed.isdecimal() or int(typed) < 1:
        raise ArgumentError("--looks", "must be a whole number of at least 1, or any", f"{typed!r}")
    return int(typed)


@click.command(cls=Grouped, epilog=EXAMPLES)
@click.argument("base", metavar="BASE")
@click.argument("new", metavar="NEW...", nargs=-1, required=True)
@adding(
    SCORE,
    click.option(
        "--margin", type=click.FloatRange(0), default=0.0, help="The largest loss of score that does not matter."
    ),
    click.option(
        "--looks",
        callback=_looks,
        default="1",
        help="The number of times that you run the gate while cases arrive, or any.",
    ),
    click.option(
        "--prob", type=click.FloatRange(0, 1, True, True), default=0.95, help="1 minus the one-sided error probability."
    ),
    click.option("--by", help="Column of groups of cases; the worst group is named."),
    click.option("--group", help="Column of groups of cases: decide by an aggregate over them."),
    click.option(
        "--aggregate",
        type=click.Choice(["mean", "worst", "gap"]),
        help="With --group: mean, worst, or gap (best minus worst) of the scores. [default: mean]",
    ),
    click.option("--case", help="Column that names the cases."),
    click.option("--cluster", help="Column of clusters of cases."),
    click.option("--positive", help="The positive label, if there are two labels."),
    click.option(
        "--fail-on",
        type=click.Choice(["worse", "undecided"]),
        default="worse",
        help="worse: only a worse version fails; undecided: an undecided one fails, too.",
    ),
    click.option("--seed", default=1, help="Seed of all randomness."),
    click.option("--format", "form", type=click.Choice(["line", "json", "markdown", "junit"]), default="line"),
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
    fail_on: str,
    seed: int,
    form: str,
    **how: Any,
) -> None:
    """Decide whether NEW is worse than BASE by more than the margin.

    The decision is worse, not worse, or undecided.

    BASE and each NEW are a CSV file as for 'bayesrank rank', or evaluation logs; cases are paired by their names. If a
    table has no column for the entity, the entity is named after the file.
    """
    logs = choices_of(how)
    columns = [name for name in dict.fromkeys((by, group)) if name is not None]
    if aggregate is not None and group is None:
        raise ArgumentError("--aggregate", "must be left out without --group", f"{aggregate!r}")
    with progress() as step:
        step("reading")
        frame, baseline, better = _join(base, new, logs, how["case"], columns)
        evidence = _evidence(frame, how, by, group)
        used = chosen_score(evidence, score)
        direction = better if used.space == "outcomes" else None
        step("drawing")
        with quiet():
            # The mean needs no population of groups; pairs of cases tell more.
            paired = group is not None and aggregate in (None, "mean") and isinstance(evidence, xr.Dataset)
            source = br.fit(evidence, "paired" if paired else None, seed=seed)
        if group is not None:
            source = br.performance.aggregate_over(source, "group", aggregate or "mean")
        found = br.decisions.gate(
            source, baseline, used, margin=margin, looks=looks, prob=prob, higher_is_better=direction
        )
        worst = {} if by is None else _worst_groups(frame, baseline, by, found)
    ledger = ledger_of(evidence)
    read = say(ledger.read_note("entity"))
    parts = verdict_parts(found)
    if form == "json":
        table = found[list(COLUMNS)].to_dataframe()
        about = {name: value for name, value in found.attrs.items() if name != "ledger"}
        about |= {"read": read, "sentences": parts.sentences(), "notes": list(parts.notes), "worst_group": worst}
        records = json.loads(table.reset_index().to_json(orient="records"))
        print_block(json_text(json.dumps(about | {"entities": records}, ensure_ascii=False, indent=2)))
    elif form == "markdown":
        print_block("\n\n".join(_markdown(found, parts.sentences(), [read, *worst.values()])))
    elif form == "junit":
        print_block(_junit(found, fail_on, worst))
    else:
        print_line(" ".join([*parts.sentences(), *worst.values(), *([read] if ledger.dropped else [])]))
        for line in parts.notes if len(found["entity"]) > 1 else ():
            print_line(line)
    verdict = GateRecord.of(found).verdict
    if verdict == "worse":
        click.get_current_context().exit(WORSE)
    if verdict == "undecided" and fail_on == "undecided":
        click.get_current_context().exit(UNDECIDED)


def _join(
    base: str, new: Sequence[str], logs: Choices, case: str | None, columns: list[str]
) -> tuple[pd.DataFrame, str, bool | None]:
    """Return one table of all versions, the name of the baseline, and whether higher is better, if the files say so.

    ``columns`` are kept: those of groups of cases.
    """
    read = [_read(path, logs, case, columns) for path in (base, *new)]
    (first, better), *others = read
    entities = list(dict.fromkeys(first["entity"].astype(str)))
    if len(entities) > 1:
        raise ArgumentError(
            "BASE",
            "must hold one entity",
            list_names(entities),
            "keep one: --only entity=NAME for logs, or a table of one entity",
        )
    forms = {"outcome" in frame for frame, _ in read}
    if len(forms) > 1:
        raise ArgumentError("NEW", "must have the columns of BASE", list_names(map(str, others[0][0].columns)))
    taken, frames = set(entities), [first]
    for frame, _ in others:
        names = dict.fromkeys(frame["entity"].astype(str))
        renamed = {name: name if name not in taken else _free(name, taken) for name in names}
        taken |= set(renamed.values())
        frames.append(frame.assign(entity=frame["entity"].astype(str).map(renamed)))
    shared = [name for name in first.columns if all(name in frame for frame in frames)]
    first["entity"] = first["entity"].astype(str)
    if {"case", "outcome"} <= set(shared) or {"case", "predicted"} <= set(shared):
        keys = [set(frame["case"].astype(str)) for frame in frames]
        for path, own in zip(new, keys[1:], strict=True):
            if not keys[0] & own:
                got = f"none: {min(keys[0])!r} is in BASE, {min(own)!r} in {path}"
                raise ArgumentError("NEW", "must hold cases of BASE, by which the two are paired", got)
    joined = pd.concat([frame[shared].reset_index(drop=True) for frame in frames], ignore_index=True)
    joined.attrs = {}
    if "dataset" in joined and "case" in joined:
        # A case of several data sets has a name in each; all cases count alike.
        joined["case"] = joined["dataset"].astype(str) + " " + joined["case"].astype(str)
        joined = joined if "dataset" in columns else joined.drop(columns="dataset")
    return joined, entities[0], better


def _free(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, for a version called like another one."""
    found, number = f"{name} (new)", 2
    while found in taken:
        found, number = f"{name} (new {number})", number + 1
    return found


def _stem(path: str) -> str:
    return STDIN if path == "-" else Path(path).name.split(".")[0] or path


def _read(path: str, logs: Choices, case: str | None, columns: list[str]) -> tuple[pd.DataFrame, bool | None]:
    """Return the rows of one version or several: entity, and the columns of the file."""
    if are_logs([path]):
        found = diagnose([path], logs)
        if found.stops:
            raise found.stops[0]
        assert isinstance(found.frame, pd.DataFrame)
        frame, better = found.frame, found.frame.attrs.get("higher_is_better")
        kept = dict.fromkeys(["entity", "dataset", "case", "run", "outcome", *columns])
        return frame[[name for name in kept if name in frame]].copy(), better
    table = read_csv(path)
    roles = Roles(case=case)
    known = name_roles(table, roles)
    entity = find_entity(table, known, roles)
    form = find_form(table, known, entity, roles)
    frame = pd.DataFrame(table.columns)
    if form is not None:
        held = frame if "entity" in known.of or entity is None else frame.rename(columns={entity: "entity"})
        if "entity" in known.of:
            held = frame.rename(columns={known.of["entity"]: "entity"})
        return (held if "entity" in held else held.assign(entity=_stem(path))), None
    # One column for each entity: a row is a case.
    named = known.of.get("case") or next((name for name in table.columns if squeeze(name) in LONG_CASE_NAMES), None)
    if named is None:
        raise ArgumentError(
            path,
            "must have a column that names the cases, by which versions are paired",
            table.heading(),
            "--case says which",
        )
    about = [*known.of.values(), *(name for name in columns if name in frame), named]
    about = list(dict.fromkeys(about))
    outcome = "predicted" if "actual" in known.of else "outcome"
    long = frame.melt(id_vars=about, var_name="entity", value_name=outcome)
    return long.rename(columns={named: "case"}), None


def _evidence(frame: pd.DataFrame, how: dict[str, Any], by: str | None, group: str | None) -> xr.DataArray | xr.Dataset:
    """Return the evidence of all versions, paired by case; cases that not all versions met are left out."""
    if group is not None:
        _check_column("--group", frame, group)
        frame = frame.rename(columns={group: "group"})
        by = "group" if by == group else by
    cases = bool({"outcome", "predicted"} & {squeeze(name) for name in frame}) and "count" not in frame
    named = {name: how[name] for name in ("case", "cluster", "positive") if how[name] is not None}
    named |= {} if group is None else {"group": "group"}
    if named.get("case") not in frame:
        named.pop("case", None)
    table = frame.drop(columns=[by] if by in frame and by not in named.values() else [])
    common = {"missing": "common"} if cases or {"correct", "case"} <= set(frame) else {}
    evidence = read_table(table_of(table), Roles(entity="entity", **named, **common))
    return br.pool(evidence) if "dataset" in evidence.coords else evidence


def _check_column(option: str, frame: pd.DataFrame, name: str) -> None:
    if name not in frame:
        known = list_names(map(str, frame.columns), 12)
        raise ArgumentError(option, f"must name a column of BASE and NEW ({known})", f"{name!r}")


def _worst_groups(frame: pd.DataFrame, baseline: str, by: str, found: xr.Dataset) -> dict[str, str]:
    """Return the sentence on the group of cases in which each version loses most, as it was observed."""
    _check_column("--by", frame, by)
    if "outcome" not in frame or "case" not in frame:
        raise ArgumentError("--by", "must be left out unless the files have a row for each case", f"{by!r}")
    keys = list(dict.fromkeys([*(["dataset"] if "dataset" in frame else []), "case"]))
    evidence = frame.assign(outcome=pd.to_numeric(frame["outcome"].map(_number), errors="coerce"))
    wide = evidence.pivot_table(
        index=list(dict.fromkeys([by, *keys])), columns="entity", values="outcome", aggfunc="mean"
    )
    sign = GateRecord.of(found).sign
    said = {}
    for name in map(str, found["entity"].values.tolist()):
        apart = (sign * (wide[name] - wide[baseline])).dropna().groupby(level=0)
        table = apart.agg(["mean", "size"])
        if not len(table):
            continue
        place = int(table["mean"].argmin())
        group, worst = table.index[place], table.iloc[place]
        said[name] = (
            f"Worst {by} of {name}: {group}, {worst['mean']:+.3f} as observed ({int(worst['size']):,} of "
            f"{int(table['size'].sum()):,} cases)."
        )
    return said


def _number(value: Any) -> Any:
    from bayesrank.tables.values import as_outcomes

    return as_outcomes([value])[0]


def _markdown(found: xr.Dataset, sentences: list[str], more: list[str]) -> list[str]:
    """Return the paragraphs of a comment on a pull request."""
    header = ["entity", "verdict", GateRecord.of(found).display, "bounds", "cases"]
    rows = [
        [
            str(name),
            str(one["verdict"].item()),
            format_signed(float(one["difference"])),
            f"{format_signed(float(one['lower']))} to {format_signed(float(one['upper']))}",
            f"{float(one['cases']):,.0f}",
        ]
        for name, one in ((name, found.sel(entity=name)) for name in found["entity"].values.tolist())
    ]
    notes = [say(note) for note in notes_of(found["notes"])]
    first, *rest = sentences
    return [f"**{markdown_text(first)}**", markdown(header, rows), *map(markdown_text, [*rest, *more, *notes])]


def _junit(found: xr.Dataset, fail_on: str, worst: dict[str, str]) -> str:
    """Return a test suite with one test for each new version."""
    verdicts = found["verdict"].values.tolist()
    fails = [verdict == "worse" or (verdict == "undecided" and fail_on == "undecided") for verdict in verdicts]
    skipped = sum(verdict == "undecided" and not failed for verdict, failed in zip(verdicts, fails, strict=True))
    about = GateRecord.of(found)
    counts = {"tests": len(verdicts), "failures": sum(fails), "skipped": skipped}
    suite = xml.Element("testsuite", {"name": "bayesrank gate", **{name: str(n) for name, n in counts.items()}})
    for i, (name, verdict, failed) in enumerate(zip(found["entity"].values.tolist(), verdicts, fails, strict=True)):
        what = {"classname": f"{about.score} against {about.baseline}", "name": str(name)}
        test = xml.SubElement(suite, "testcase", what)
        text = f"{verdict}: {describe_difference(found.isel(entity=i))}"
        text = " ".join(filter(None, [text, worst.get(str(name), "")]))
        if verdict != "not worse":
            xml.SubElement(test, "failure" if failed else "skipped", {"message": text})
    xml.indent(suite)
    return xml.tostring(suite, encoding="unicode", xml_declaration=True)
