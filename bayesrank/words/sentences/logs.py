"""Sentences about what was read from tables and evaluation logs."""

from collections.abc import Mapping, Sequence
from typing import Any

from bayesrank._core import prose
from bayesrank._core.prose import list_names
from bayesrank.evidence.ballots import NOUNS
from bayesrank.words.sentences import sentences


def evidence_read(source: str, ignored: Sequence[str], **about: Any) -> str:
    """Say what was read, as the first line of a command; ``about`` is as in :func:`evidence_used`."""
    line = f"Read {_describe(**about)}{f', from {source}' if source else ''}{_describe_lacking(**about)}"
    return f"{line}; ignored: {list_names(ignored, 8)}." if ignored else f"{line}."


def evidence_used(source: str, ignored: Sequence[str], **about: Any) -> str:
    """Say what the evidence was, as a paragraph on methods does."""
    return f"The evidence was {_describe(**about)}{_describe_lacking(**about)}."


def _describe(
    entities: int,
    noun: str,
    cases: int,
    fewest: int,
    most: int,
    runs: int,
    classes: int,
    datasets: int,
    missing: str,
    unit: str = "case",
    labels: Sequence[int] = (),
    covariates: Sequence[tuple[str, float, float]] = (),
    stratum: str = "data set",
    units: Mapping[str, int] | None = None,
    **_: Any,
) -> str:
    counted = prose.count(entities, noun)
    if unit == "vote":
        votes_each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
        votes = f"{prose.count(cases, 'vote')} on pairs of {counted}, {votes_each} on each {noun}"
    elif not most:
        votes = f"means of {counted}"
    elif runs:
        votes = f"{prose.count(runs, 'run')} of {prose.count(cases, 'case')} × {counted}"
    elif missing or fewest == most:
        votes = f"{prose.count(cases, unit)} × {counted}"
    else:
        votes = f"{fewest:,} to {prose.count(most, 'case')} × {counted}"
    named = [f"{name} ({low:.4g} to {high:.4g})" for name, low, high in covariates]
    parts = [f"{classes} classes"] * bool(classes)
    parts += [prose.count(datasets, stratum)] * (datasets > 1)
    if labels:
        number_of_labels = " to ".join(dict.fromkeys(f"{number:,}" for number in labels))
        parts.append(f"the truth known for {number_of_labels}")
    parts += [prose.count(number, NOUNS[role]) for role, number in (units or {}).items()]
    parts += [f"covariate{'s' * (len(named) > 1)} {list_names(named)}"] if named else []
    return ", ".join([votes, *parts])


def _describe_lacking(
    noun: str, fewest: int, most: int, missing: str, dropped: Sequence[Mapping[str, Any]], **_: Any
) -> str:
    """Say how missing outcomes are treated, and how many cases and runs that leaves out."""
    text = ""
    if missing not in ("", "common", "own"):
        text += f"; missing outcomes count as {missing}"
    elif missing == "own" and fewest < most:
        text += f"; each {noun} has {fewest:,} to {prose.count(most, 'case')} of its own"
    for reason in dict.fromkeys(drop["reason"] for drop in dropped):
        first, *others = [
            f"{drop['number']:,} of {drop['total']:,} {drop['what']}"
            for drop in dropped
            if drop["reason"] == reason
        ]
        remark = f" ({', '.join(others)})" if others else ""
        why = (
            f", which not all {_plural(noun)} met"
            if reason == "not_common"
            else " without any outcome"
        )
        text += f"; left out: {first}{remark}{why}"
    return text


def runs_by_outcome(
    runs: int, outcomes: Mapping[str, int], ruled: Sequence[str], absent: Mapping[str, int]
) -> str:
    """Say what came of the runs; outcomes of ``ruled`` ones count; ``absent`` are cases that an entity never met."""
    text = [f"{number:,} {status}{' (their outcomes count)' * (status in ruled)}"
            for status, number in outcomes.items()]  # fmt: skip
    line = f"{prose.count(runs, 'run')}: {list_names(text, 8)}"
    if list(outcomes) == ["scored"]:
        line = f"{prose.count(runs, 'run')}, all scored"
    numbers = [f"{name} {number:,}" for name, number in absent.items()]
    return f"{line}. Cases never met: {list_names(numbers, 6)}." if absent else f"{line}."


def missing_runs_counted(value: float, runs: int) -> str:
    return f"Missing answers count as {value:g}: {prose.count(runs, 'run')} without an outcome."


def about_files(files: Sequence[str], code: str, fields: Mapping[str, Any]) -> str:
    """Say a note of a format with the names of its files."""
    return f"{list_names(files, 1)}: {sentences()[code](**fields)}"


def human_baseline() -> str:
    return "The system 'human' is a baseline of people; the files may lack its failed runs."


def board_total(cases: int, totals: Mapping[str, int]) -> str:
    sizes = ", ".join(f"{size:,} ({what})" for what, size in totals.items())
    return (
        f"The files list {prose.count(cases, 'case')}, and the tool's board divides by all cases: {sizes}. cases=N, "
        "or --cases N, counts the unlisted ones as wrong."
    )


def cases_unlisted(total: int, listed: int, runs: int) -> str:
    return (
        f"The logs list {listed:,} of {total:,} cases. Every unlisted case counts as wrong, in "
        f"{prose.count(runs, 'run')} altogether."
    )


def more_submitted(submitted: int, total: int) -> str:
    return f"{submitted} instances were submitted, and {total} were in the run."


def run_status(status: str) -> str:
    return f"The run has the status {status}."


def case_is_task() -> str:
    return "Each case is a whole task; the standard error of its score is not used."


def self_reported() -> str:
    return "Its scores are self-reported."


def fewer_rows(rows: int, expected: int) -> str:
    return f"The file holds {rows} of {expected} rows."


def unknown_domain(domains: Sequence[str]) -> str:
    return (
        f"The file does not show its domain. The domains {list_names(domains)} use the same "
        "numbers, so equal ids may be different tasks."
    )


def unknown_files(files: int, first: str) -> str:
    return f"No format recognises {prose.count(files, 'file')}, such as {first}."


def unreadable_files(files: Sequence[str]) -> str:
    return f"Files that cannot be read are left out: {', '.join(files)}."


def scores_alone(files: int, first: str) -> str:
    return f"{prose.count(files, 'file')} with scores but no cases, such as {first}: not ranked."


def datasets_left_out(key: str, wanted: Sequence[str], datasets: Sequence[str]) -> str:
    return f"Left out, since they lack the {key} {', '.join(wanted)}: {list_names(datasets)}."


def files_left_out(key: str, wanted: Sequence[str], files: Sequence[str], total: int) -> str:
    lacking = f"Left out, since they lack the {key} {', '.join(wanted)}"
    return f"{lacking}: {len(files)} of {total} files, {list_names(files, 8)}."


def no_number(column: str, rows: int, first: str) -> str:
    return f"The {column} of {prose.count(rows, 'row')} is no number, such as {first!r}, and is left out."


def variant(called: str, values: Sequence[str]) -> str:
    return f"The {called} is {list_names(values)}."


def logs_are_runs() -> str:
    return "Several logs of a system on the same cases are runs of it."


def latest_submission_counts(teams: int) -> str:
    return f"{prose.count(teams, 'team')} submitted several times: the last file by name counts."


def submissions_lack_cases(missing: int, total: int, most: int, team: str) -> str:
    return (
        f"Missing answers count as wrong: {missing:,} of {total:,}, at most {most:,} of one team ({team}). With more "
        "than two classes, a missing answer is none of the classes."
    )


def submissions_skipped(files: Sequence[str], suffixes: Sequence[str]) -> str:
    return f"Not read, since submissions end in {', '.join(suffixes)}: {', '.join(files)}."


def latest_log_counts() -> str:
    return "Of several logs of a system on the same cases, the latest counts."


def setups_differ(key: str, setups: Mapping[str, str]) -> str:
    return f"Systems differ in {key}: {list_names([f'{name} {held[:60]}' for name, held in setups.items()])}."


def scales_differ(dataset: str, share: str, other: str, highest: float) -> str:
    return (
        f"Outcomes of {dataset} are at most 1 for {share} and at most {highest:g} for "
        f"{other}: their scales may differ."
    )


def cut_file(file: str, cases: int, expected: int) -> str:
    return (
        f"{file} holds {cases} of {expected} cases of its run or data set. cases={expected}, or --cases {expected}, "
        "counts the others as wrong."
    )


def cases_by_position(dataset: str, first: str) -> str:
    return (
        f"Cases of {dataset} are matched by numbers alone, such as {first}; the files hold no content that shows that "
        "they are the same cases."
    )


def _plural(noun: str) -> str:
    return prose.count(2, noun).removeprefix("2 ")
