"""Check a table, evaluation logs or submissions: all problems at once, what is there, and commands that rank it."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import escape_lines, quote_word
from bayesrank._core.notes import notes_of
from bayesrank._core.prose import count as count_words
from bayesrank._core.prose import list_names
from bayesrank._core.records import EvidenceRecord
from bayesrank.diagnosis import diagnose
from bayesrank.evidence.ledger import ledger_of
from bayesrank.io.logs import Choices, read_submissions
from bayesrank.io.logs.submissions import SeveralProblems
from bayesrank.io.tables.files import read_csv
from bayesrank.io.tables.frames import read_table
from bayesrank.io.tables.roles import OPTIONS
from bayesrank.io.tables.table import Roles, Table, merge_offers
from bayesrank.words.sentences import say

#: The largest number of problems that are listed, and of commands.
MOST_PROBLEMS, MOST_COMMANDS = 100, 6
#: So often a table is read to find answers to its questions.
MOST_TRIES = 2 * MOST_PROBLEMS


@dataclass(frozen=True)
class Inspection:
    """What was found: sentences by title, problems with their places, and commands that rank what is there.

    A problem is an error that a ranking would raise. Each command contains one answer to each
    question.
    """

    sections: dict[str, list[str]]
    problems: list[ArgumentError]
    commands: list[str]

    def lines(self) -> list[str]:
        """Return the description as lines of text, which a printer must escape."""
        lines = [
            f"{title + ':' if not i else '':12}{line}"
            for title, text in self.sections.items()
            for i, line in enumerate(text)
        ]
        lines.append(f"{'Problems:':12}{len(self.problems) or 'none.'}")
        lines += [f"  {number}. {problem}" for number, problem in enumerate(self.problems, 1)]
        if not self.commands:
            return [*lines, "No command ranks these data as they are."]
        answer = ", with one answer to each question" if self.problems else ""
        return [
            *lines,
            f"{'Commands' if len(self.commands) > 1 else 'Command'}{answer}:",
            *(f"  {c}" for c in self.commands),
        ]

    def __str__(self) -> str:
        return "\n".join(escape_lines(self.lines()))

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as lists and dictionaries of text."""
        problems = [
            {
                "where": str(one.argument),
                "wanted": str(one.wanted),
                "got": str(one.got),
                "hint": str(one.hint),
            }
            for one in self.problems
        ]
        return {"sections": self.sections, "problems": problems, "commands": self.commands}


# --- Tables -----------------------------------------------------------------------------------------------------------


def inspect_table(
    path: str,
    roles: Roles,
    ignore: Sequence[str] = (),
    choices: Callable[[Any], list[str]] = lambda evidence: [""],
) -> Inspection:
    """Check one table: rows with an error are left out one after another, and questions get their first answer.

    ``choices`` returns what an analysis of evidence may add to the command, or raises what stops
    it.
    """
    problems: list[ArgumentError] = []
    try:
        table = read_csv(path, (), problems)
    except ArgumentError as error:
        return Inspection({}, [error], [])
    named = {role: value for role, value in vars(roles).items() if value is not None} | {
        "ignore": list(ignore)
    }
    settled = _settle(table, named, choices, iter(range(MOST_TRIES)))
    problems += settled.problems
    evidence = settled.evidence
    sections = {
        "What": [
            f"One table with {count_words(len(table.where), 'row')} and the columns {table.heading()}."
        ]
    }
    if evidence is not None:
        sections |= _describe(evidence, path)
    commands = []
    for answer in settled.first or [{}]:
        # Each answer to the first question leads to a command of its own, if all else can be
        # settled.
        if "map" in answer:
            commands.append(f"bayesrank rank {quote_word(path)} --map {quote_map(answer['map'])}")
            continue
        if answer:
            settled = _settle(table, merge_offers(named, answer), choices, iter(range(MOST_TRIES)))
        if settled.evidence is not None:
            commands += [
                _command(path, table, settled.answers, more) for more in choices(settled.evidence)
            ]
    return Inspection(
        sections, problems[:MOST_PROBLEMS], list(dict.fromkeys(commands))[:MOST_COMMANDS]
    )


@dataclass(frozen=True)
class _Settled:
    """A table whose questions have answers; ``evidence`` is None if a problem has no remedy."""

    evidence: Any
    answers: dict[str, Any]
    problems: list[ArgumentError]
    #: The answers to the first question.
    first: list[dict[str, Any]]


def _settle(
    table: Table,
    roles: dict[str, Any],
    choices: Callable[[Any], list[str]],
    tries: Iterator[int],
    dropped: bool = False,
) -> _Settled:
    """Answer the questions of a table one after another, with the first answers that lead to evidence.

    Rows with errors are left out. The problems are those on the way.
    """
    problems: list[ArgumentError] = []
    for _ in tries:
        named = {role: value for role, value in roles.items() if role != "ignore"}
        try:
            retained = table.drop([table.find("ignore", name) for name in roles["ignore"]])
            evidence = read_table(retained, Roles(**named))
            choices(evidence)
            return _Settled(evidence, roles | {"rows": dropped}, problems, [])
        except ArgumentError as error:
            problems.append(error)
            offers = [one for one in table.offers_in(str(error)) if "COLUMN" not in one.values()]
            table.offers.clear()
            row = table.row_of(str(error.argument))
        fresh = [one for one in offers if merge_offers(roles, one) != roles]
        if row is not None and not fresh:
            table, dropped = table.drop_rows([row]), True
            continue
        states = [_Settled(None, roles, [], [])]
        for offer in fresh:
            if "map" not in offer:
                states.append(_settle(table, merge_offers(roles, offer), choices, tries, dropped))
            if states[-1].evidence is not None:
                break
        best = states[-1] if states[-1].evidence is not None else states[:2][-1]
        return _Settled(best.evidence, best.answers, problems + best.problems, fresh)
    return _Settled(None, roles, problems, [])


def _describe(evidence: Any, path: str) -> dict[str, list[str]]:
    """Describe what a table holds: what was read, entities, data sets, and what was assumed."""
    ledger = replace(ledger_of(evidence), source=Path(path).name)
    names = list(map(str, evidence["entity"].values.tolist()))
    text = {
        "Read": [say(ledger.read_note("entity"))],
        "Systems": [f"{len(names)}: {list_names(names, 12)}."],
    }
    if "dataset" in evidence.coords:
        datasets = list(dict.fromkeys(map(str, evidence["dataset"].values.tolist())))
        text["Data sets"] = [f"{len(datasets)}: {list_names(datasets, 12)}."]
    notes = notes_of(EvidenceRecord.of(evidence).notes)
    text |= {"Notes": list(map(say, notes))} if notes else {}
    return text


def _command(path: str, table: Table, answers: dict[str, Any], more: str) -> str:
    """Return the command that ranks a table with these roles; rows with errors must be put right before."""
    typed = []
    for role, value in answers.items():
        if role == "where":
            typed += [
                table.conditions(name, held if isinstance(held, list) else [held])
                for name, held in value.items()
            ]
        elif role == "ignore":
            typed += [table.without(value)] if value else []
        elif role == "covariates":
            typed += [f"--{OPTIONS[role]} {quote_word(str(name))}" for name in value]
        elif role != "rows":
            typed.append(table.option(role, value))
    after = "  # after these lines were put right" if answers.get("rows") else ""
    return " ".join(filter(None, ["bayesrank", "rank", quote_word(path), *typed, more])) + after


def quote_map(mapping: dict[str, str]) -> str:
    """Return a mapping as it is typed in a shell."""
    return quote_word(",".join(f"{role}={name}" for role, name in mapping.items()))


# --- Submissions and logs ---------------------------------------------------------------------------------------------


def inspect_submissions(
    paths: Sequence[str], truth: str, choices: Choices, missing: Any, positive: Any
) -> Inspection:
    """Check a folder of submissions; the command leaves out the files that cannot be read."""
    problems: list[ArgumentError] = []
    treated, names = missing, dict(choices.name)
    frame = None
    for _ in range(2):
        try:
            frame = read_submissions(paths, truth, replace(choices, name=names), treated, positive)
            break
        except SeveralProblems as error:
            wrong = error.problems
        except ArgumentError as error:
            wrong = [error]
        problems += [one for one in wrong if str(one) not in set(map(str, problems))]
        files = [str(one.argument).partition(": ")[0] for one in wrong]
        names |= {file: "" for file in files if os.path.isfile(file) and file != truth}
        treated = "wrong" if any(one.argument == "each submission" for one in wrong) else treated
    if frame is None:
        return Inspection({}, problems, [])
    record = {"case", "actual", *frame.attrs["truth_columns"]}
    teams = list(
        dict.fromkeys(str(name).partition(": ")[0] for name in frame if name not in record)
    )
    labels = list(dict.fromkeys(map(str, frame["actual"])))
    sections = {
        "What": ["Submissions beside the truth."],
        "Systems": [f"{len(teams)}: {list_names(teams, 12)}."],
        "Cases": [f"{len(frame):,}, with the labels {list_names(sorted(labels), 8)}."],
    }
    notes = [say(note) for note in frame.attrs["remarks"]]
    sections |= {"Notes": notes} if notes else {}
    words = ["bayesrank", "rank", *map(quote_word, paths), "--truth", quote_word(truth)]
    words += [f"--name {quote_word(f'{file}={name}')}" for file, name in names.items()]
    words += ["--missing", "wrong"] if treated == "wrong" else []
    words += ["--positive", quote_word(str(positive))] if positive is not None else []
    return Inspection(sections, problems, [" ".join(words)])


def inspect_logs(paths: Sequence[str], choices: Choices) -> Inspection:
    """Check evaluation logs, as ``br.doctor`` does."""
    diagnosis = diagnose(paths, choices)
    return Inspection(
        diagnosis.sections, list(diagnosis.stops), [diagnosis.command] if diagnosis.command else []
    )
