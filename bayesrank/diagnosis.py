"""Describe evaluation logs in words: systems, cases, outcomes, runs, clusters, missing outcomes, and the command."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_paths, is_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import escape_lines, quote_word
from bayesrank._core.labels import select_names
from bayesrank._core.notes import notes_of
from bayesrank._core.prose import list_names
from bayesrank.evidence.judged import outcome_of_verdicts
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.evidence.ledger import SCORED, Entry, count_runs, ledger_of
from bayesrank.io import formats
from bayesrank.io.logs.choices import Choices, EveryFileLeftOut, LogError, check_choices
from bayesrank.io.logs.files import Logs, collect
from bayesrank.io.logs.stops import find_stop, list_contents, means_of
from bayesrank.io.logs.table import settle
from bayesrank.io.tables.files import read_csv
from bayesrank.io.tables.frames import read_table
from bayesrank.io.tables.table import Roles, table_of
from bayesrank.io.tables.values import plain
from bayesrank.models import make_model, model_for_datasets
from bayesrank.words.sentences import say

#: Groups of at least this many cases are categories, to be ranked one by one; many smaller ones are
#: clusters.
CATEGORY_CASES, CLUSTERS = 10, 12
#: The number of data sets below which a slope has little evidence.
SETS_FOR_SLOPE = 5


@dataclass(frozen=True)
class Diagnosis:
    """A description of logs; printing it shows all parts.

    ``sections`` are sentences by title, ``stops`` what forbids a ranking until the user decides,
    ``command`` the command that ranks, with one choice made for each stop (empty if none does), and
    ``frame`` the table that it ranks (None if there is none). ``contents`` lists the data sets,
    systems and metrics of logs of several data sets.
    """

    sections: dict[str, list[str]]
    stops: list[ArgumentError]
    command: str
    frame: pd.DataFrame | None
    contents: str = ""

    def __str__(self) -> str:
        return "\n".join(escape_lines(self.lines()))

    def lines(self) -> list[str]:
        """Return the description as sentences; names in them may hold line breaks, which a printer must escape."""
        lines = [f"{title + ':' if not i else '':12}{line}" for title, text in self.sections.items()
                 for i, line in enumerate(text)]  # fmt: skip
        for stop in self.stops:
            lines.append(f"{'Stops:':12}{stop}")
        if not self.command:
            return [*lines, "No command ranks these logs as they are."]
        heading = "Command, with one choice for each stop:" if self.stops else "Command:"
        return [*lines, heading, f"  {self.command}"]

    __repr__ = __str__


@check_call
def doctor(
    paths: Any,
    *,
    name: Mapping[str, str] | None = None,
    only: Mapping[str, Any] | None = None,
    match: Literal["id", "content"] = "id",
    reruns: Literal["runs", "latest"] | None = None,
    errors: Literal["scored", "skip"] | None = None,
    map: Mapping[str, str] | None = None,
    cases: int | None = None,
    missing: Any = None,
    truth: str | None = None,
    judge: str | Sequence[str] | None = None,
) -> Diagnosis:
    """Describe evaluation logs: their formats and content, any obstacle to a ranking, and the command that ranks them.

    Parameters
    ----------
    paths, name, only, match, reruns, errors, map, cases
        As for :func:`bayesrank.read`.
    missing : "common", "own" or number, optional
        How to treat missing outcomes, as for :func:`bayesrank.from_frame`.
    truth, judge : str or list of str, optional
        For one table of judged cases: the columns with the truth of some cases and with the
        verdicts of judges, as for :func:`bayesrank.from_frame`.

    Returns
    -------
    Diagnosis
        It prints as text. Its parts: ``sections``, the description; ``stops``, the choices to make
        before a ranking; ``command``, which ranks; and ``frame``, the table of cases.

    Raises
    ------
    ValueError
        If no file can be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.json")
    >>> _ = path.write_text('[{"task_id": 1, "reward": 1, "info": {}}, {"task_id": 2, "reward": 0, "info": {}}]')
    >>> doctor(path).sections["Cases"][0]
    '2.'
    """
    if missing is not None and not is_number(missing):
        check_choice("missing", missing, ("common", "own"), other="a number")
    if truth is not None or judge is not None:
        return diagnose_judged(paths, Roles(truth=truth, judge=judge))
    return diagnose(
        paths,
        check_choices(name, only, match, reruns, errors, map=map, cases=cases).also(
            missing=missing
        ),
    )


def diagnose_judged(paths: Any, roles: Roles) -> Diagnosis:
    """Describe one table of cases whose truth is known in part: labels, their choice, and each judge's errors."""
    names = check_paths("paths", paths)
    if len(names) != 1:
        raise ArgumentError("paths", "must be one table beside truth", f"{len(names)} paths")
    table = read_csv(names[0])
    try:
        evidence = read_table(table, roles)
        votes = isinstance(evidence, xr.Dataset) and "judge_vote" in evidence
        if not isinstance(evidence, xr.Dataset) or not (
            votes or parse_given(evidence).truth_in_part
        ):
            raise ArgumentError(
                "--truth", "cannot be used for a table whose truth is known for all cases"
            )
    except ArgumentError as error:
        return Diagnosis({}, [error], "", None)
    ledger = ledger_of(evidence)
    entities = list(map(str, evidence["entity"].values.tolist()))
    content = "cases whose truth is known in part"
    if votes:
        content = "votes of a judge, and of people on some pairs"
    text = {"What": [f"One table of {content}."]}
    text["Systems"] = [f"{len(entities)}: {list_names(entities, 8)}."]
    text["Votes" if votes else "Cases"] = [f"{ledger.cases:,}."]
    text["Labels"] = _labels(evidence, entities)
    model = make_model(None, evidence, {})
    notes = [*getattr(model, "notes", ()), *notes_of(model.settings.get("notes", ""))]
    text["Labels"] += list(map(say, notes))
    if votes:
        text["Judges"] = _agreement(evidence)
    elif "verdict" in evidence:
        text["Judges"] = _judges(evidence)
    words = ["bayesrank", "rank", quote_word(os.fspath(names[0]))]
    for option in ("truth", "judge", "entities", "count"):
        if (value := getattr(roles, option)) is not None:
            words.append(
                f"--{option} {quote_word(value if isinstance(value, str) else ','.join(value))}"
            )
    return Diagnosis(text, [], " ".join(words), None)


def diagnose_covariates(paths: Sequence[str], roles: Roles) -> Diagnosis:
    """Describe the covariates of one table of counts: their values, and whether slopes can be estimated."""
    if len(paths) != 1:
        raise ArgumentError("paths", "must be one table beside --covariate", f"{len(paths)} paths")
    try:
        evidence = read_table(read_csv(paths[0]), roles)
    except ArgumentError as error:
        return Diagnosis({}, [error], "", None)
    ledger, entities = ledger_of(evidence), list(map(str, evidence["entity"].values.tolist()))
    text = {"What": ["One table of counts on several data sets."], "Covariates": []}
    text["Systems"] = [f"{len(entities)}: {list_names(entities, 8)}."]
    text["Data sets"] = [f"{evidence.sizes['dataset']}."]
    names = [name for name, *_ in ledger.covariates]
    for name, low, high in ledger.covariates:
        where = "one value for each data set"
        if "entity" in evidence[name].dims:
            where = "values differ between the systems of a data set"
        text["Covariates"].append(f"{name}: {low:.4g} to {high:.4g}; {where}.")
    sets = dict(zip(entities, evidence["measured"].sum("dataset").values.tolist(), strict=True))
    too_few = [f"{name} {n}" for name, n in sets.items() if n < SETS_FOR_SLOPE]
    if too_few:
        text["Doubts"] = [
            f"Few data sets for a slope: {list_names(too_few, 8)}. Their slopes follow those of the others."
        ]
    try:
        made = make_model(model_for_datasets(evidence.shape[-1]), evidence, {"covariates": names})
    except ArgumentError as error:
        return Diagnosis(text, [error], "", None)
    text["At"] = [
        f"{list_names([f'{n} {v:.4g}' for n, v in zip(names, made.settings['at'], strict=True)])}: their means."
    ]
    words = ["bayesrank", "rank", quote_word(paths[0])]
    for option, value in (("entity", roles.entity), ("dataset-column", roles.dataset)):
        words += [f"--{option}", quote_word(value)] if value is not None else []
    words += [word for name in names for word in ("--covariate", quote_word(name))]
    at = ",".join(
        f"{name}={value:.4g}" for name, value in zip(names, made.settings["at"], strict=True)
    )
    return Diagnosis(text, [], " ".join([*words, "--at", quote_word(at)]), None)


def _labels(evidence: xr.Dataset, entities: list[str]) -> list[str]:
    """Describe the number of cases with a known truth, by system where they differ."""
    if "labels" not in evidence:
        return []
    labels = evidence["labels"].values.tolist()
    if len(set(labels)) == 1:
        return []
    return [
        f"{list_names([f'{name} {n:,}' for name, n in zip(entities, labels, strict=True)], 8)}."
    ]


def _agreement(evidence: xr.Dataset) -> list[str]:
    """Describe how often people agree with each judge, and how often it prefers what stands first."""
    votes, human = evidence["judge_vote"].values, evidence["human_votes"].values
    text = []
    for judge, vote in zip(evidence["judge"].values.tolist(), votes.T, strict=True):
        number = human.sum(axis=1)
        first, sided = number[vote == 0].sum(), number[vote < 2].sum()
        judged_votes = human[vote < 3, :3]
        share = (np.eye(4, dtype=bool)[vote[vote < 3], :3] * judged_votes).sum() / max(
            judged_votes.sum(), 1
        )
        text.append(
            f"{judge}: people agree in {share:.0%} of {judged_votes.sum():,} votes of both. "
            f"It prefers the first of the two in {first / max(sided, 1):.0%} of its {sided:,} votes that are no ties."
        )
    return text


def _judges(evidence: xr.Dataset) -> list[str]:
    """Describe how often each judge errs on the labelled cases, for the systems with the most and the fewest errors."""
    outcome, truth, count = outcome_of_verdicts(evidence), evidence["truth"], evidence["count"]
    text = []
    for judge in evidence["judge"].values.tolist():
        verdict = select_names(outcome, judge=judge)
        if verdict.isnull().all():
            text.append(f"{judge} gives classes, whose meaning the labels show.")
            continue
        for right, what in (
            (0, "wrong answers that it accepts"),
            (1, "right answers that it rejects"),
        ):
            errs = (truth == right) & verdict.notnull()
            number = (count * errs).sum("pattern")
            errors = (
                (count * (errs & (verdict != truth))).sum("pattern") / number.where(number > 0)
            ).to_series()
            shares = [f"{name} {share:.0%} of {n:,}" for (name, share), n in
                    zip(errors.items(), number.values.tolist(), strict=True) if n]  # fmt: skip
            text.append(f"{judge}, {what}, of those with a known truth: {list_names(shares, 8)}.")
    return text


def diagnose(paths: Any, choices: Choices) -> Diagnosis:
    """Describe logs; choices that must be made are made one by one, and listed as stops."""
    names = check_paths("paths", paths)
    stops: list[ArgumentError] = []
    logs, frame = None, None
    # Choices are made for the user, so that the remaining ones can be described.
    for _ in range(12):
        try:
            logs = logs or collect(paths, choices)
            frame = settle(logs, choices)
            lacking = find_stop(frame, choices)
            if lacking is not None:
                raise lacking
            break
        except LogError as error:
            stops.append(error)
            if not error.remedy:
                break
            choices = choices.also(**error.remedy)
            # A file has another name, or is left out.
            logs = None if "name" in error.remedy else logs
        except ArgumentError as error:
            if not stops:
                raise
            # The choices that were made for the user may leave no file.
            stops += [] if isinstance(error, EveryFileLeftOut) else [error]
            break
    else:
        stops.append(ArgumentError("the logs", "needs several choices; make these first"))
        frame = None
    sections: dict[str, list[str]] = {}
    contents = "" if logs is None else list_contents(logs)
    if logs is not None:
        kinds = Counter(formats.load(one["format"]).TITLE for one in logs.about)
        sections["What"] = [
            f"{title}: {prose.count(n, 'file')} with cases." for title, n in kinds.items()
        ]
        sections["What"] += [f"{contents}."] if contents else []
        sections |= {} if frame is None else _describe_table(logs, frame, choices)
    failure = None if frame is None else _try(frame, choices)
    if frame is None or failure is not None:
        return Diagnosis(
            sections, stops + ([] if failure is None else [failure]), "", frame, contents
        )
    words = ["bayesrank", "rank", *(quote_word(os.fspath(path)) for path in names), choices.typed()]
    return Diagnosis(sections, stops, " ".join(filter(None, words)), frame, contents)


def _try(frame: pd.DataFrame, choices: Choices) -> ArgumentError | None:
    """Return why the table of the logs cannot be ranked with these choices; None if it can."""
    table = replace(
        table_of(frame[["entity", "dataset", "case", "run", "outcome"]]),
        source="the logs",
        shell=True,
    )
    try:
        evidence = read_table(table, Roles(missing=choices.missing, outcome="outcome"))
    except ArgumentError as error:
        return error
    ranked = set(map(str, evidence["entity"].values.tolist()))
    named = {str(plain(name)) for name in frame["entity"]}  # tables write names without line breaks
    if ranked != named:
        return ArgumentError(
            "the logs", f"must rank {list_names(sorted(named))}", list_names(sorted(ranked))
        )
    return None


def _describe_table(logs: Logs, frame: pd.DataFrame, choices: Choices) -> dict[str, list[str]]:
    entities = list(dict.fromkeys(frame["entity"]))
    sources = frame.attrs["source"]
    entries = count_runs(frame)
    text = {"Systems": [f"{len(entities)}: {list_names(entities, 8)}."]}
    for source in dict.fromkeys(filter(None, sources.values())):
        named = [entity for entity, other in sources.items() if other == source]
        which = "" if len(named) == len(sources) else f": {list_names(named)}"
        text["Systems"].append(f"Their names come from {source}{which}.")
    text["Cases"] = _cases(logs, frame, entities, choices)
    absent = [f"{entry.entity} {entry.absent:,}" for entry in entries if entry.absent]
    text["Cases"] += [f"Never met: {list_names(absent, 8)}."] * bool(absent)
    text["Outcome"] = _outcomes(frame)
    runs = frame.groupby(["entity", "dataset", "case"], sort=False).size()
    low, high = int(runs.min()), int(runs.max())
    text["Runs"] = [
        prose.count(low, "run") + " of each case."
        if low == high
        else f"{low} to {high} runs of a case."
    ]
    if high > 1:
        text["Runs"].append(
            "The outcome of a case is its mean over runs; runs are no further cases."
        )
    if "status" in frame:
        text["Status"] = _statuses(frame, entries)
    text["Clusters"] = _clusters(frame)
    if "category" in frame:
        text["Categories"] = _categories(frame)
    costs = [c for c in ("cost", "seconds") if c in frame]
    spent = {c: frame.groupby("entity", sort=False)[c].mean().dropna() for c in costs}
    means = [
        f"{c}, mean {list_names([f'{e} {v:.3g}' for e, v in held.items()], 8)}."
        for c, held in spent.items()
    ]
    text["Costs"] = means or ["None in the files."]
    text["Doubts"] = [say(note) for note in (*frame.attrs["remarks"], *frame.attrs["doubts"])] or [
        "None."
    ]
    return text


def _statuses(frame: pd.DataFrame, entries: Sequence[Entry]) -> list[str]:
    """Describe the runs that are not simply scored, and the means without the ones that count."""
    tallies = [
        (entry.entity, tally)
        for entry in entries
        for tally in entry.outcomes
        if tally.status != SCORED
    ]
    text = []
    for status in dict.fromkeys(tally.status for _, tally in tallies):
        own = {name: tally for name, tally in tallies if tally.status == status}
        text.append(
            f"{status}: {list_names([f'{name} {tally.runs:,}' for name, tally in own.items()], 8)}."
        )
        counted = sum(tally.counted for tally in own.values())
        if not counted:
            continue
        before, after = means_of(frame), means_of(frame[frame["status"] != status])
        moved = [
            name
            for name in own
            if name in after and round(after[name], 3) != round(before[name], 3)
        ]
        moved.sort(key=lambda name: -abs(after[name] - before[name]))
        means = list_names(
            [f"{name} {after[name]:.3f} instead of {before[name]:.3f}" for name in moved]
        )
        without = f" Without them the means would be {means}." if moved else ""
        text.append(
            f"The tool counts the score of {prose.count(counted, 'run')} with status {status}.{without}"
        )
    return text or ["All runs are scored."]


def _categories(frame: pd.DataFrame) -> list[str]:
    """Describe the groups of cases, and how to rank each of them if all entities met them."""
    cases = frame.drop_duplicates(["dataset", "case"])
    counts = cases["category"].value_counts()
    text = [f"{len(counts)}: {list_names([f'{c} ({n})' for c, n in counts.items()], 8)}."]
    entities_in = (
        frame[frame["outcome"].notna()]
        .groupby("category")["entity"]
        .nunique()
        .reindex(counts.index, fill_value=0)
    )
    full = bool(frame["category"].notna().all()) and bool(
        (entities_in == frame["entity"].nunique()).all()
    )
    if len(counts) > 1 and len(cases) / len(counts) >= CATEGORY_CASES and full:
        text.append(
            "--by category ranks the mean over categories, the worst category, and each category."
        )
    return text


def _cases(logs: Logs, frame: pd.DataFrame, entities: list[str], choices: Choices) -> list[str]:
    cases = frame.groupby(["dataset", "case"], sort=False)["entity"].nunique()
    same = int((cases == len(entities)).sum())
    by = "content" if choices.match == "content" else "id"
    number = f"{len(cases):,}" + (
        f" in {frame['dataset'].nunique()} data sets" if frame["dataset"].nunique() > 1 else ""
    )
    shared = (
        f", the same for all systems by {by}"
        if same == len(cases)
        else f"; {same:,} are in all systems by {by}"
    )
    text = [f"{number}{shared if len(entities) > 1 else ''}."]
    hashed = logs.rows[logs.rows["hash"].notna()]
    if len(hashed):
        content = hashed.groupby(hashed["dataset"].astype(str) + hashed["hash"].astype(str))[
            "entity"
        ].nunique()
        common = int((content == hashed["entity"].nunique()).sum())
        text.append(f"By content, {common:,} of {len(content):,} are in all systems.")
    else:
        text.append("The files do not contain the content of cases.")
    sizes = (
        frame.drop_duplicates(["entity", "dataset", "case"])
        .groupby("dataset", sort=False)["case"]
        .nunique()
    )
    if len(sizes) > 1:
        text.append(f"Data sets: {list_names([f'{d} ({n})' for d, n in sizes.items()], 8)}.")
    return text


def _outcomes(frame: pd.DataFrame) -> list[str]:
    values = frame["outcome"].dropna().unique()
    several = len(set(frame.attrs["metric"].values())) > 1
    metrics = [f"{m} ({d})" if several else m for d, m in frame.attrs["metric"].items()]
    heading = f"{list_names(dict.fromkeys(metrics))}: " if metrics else ""
    grid = "0 for wrong and 1 for right"
    if not set(values) <= {0, 1}:
        grid = f"{len(values)} values from {values.min():g} to {values.max():g}"
    better = frame.attrs["higher_is_better"]
    end = f"{'Higher' if better else 'Lower'} is better, as the files say."
    end = "Higher is assumed to be better; the files do not say." if better is None else end
    means = pd.Series(means_of(frame)).sort_values(ascending=better is False)
    return [
        f"{heading}{grid}.",
        end,
        f"Means: {list_names([f'{e} {m:.4g}' for e, m in means.items()], 8)}.",
    ]


def _clusters(frame: pd.DataFrame) -> list[str]:
    """Describe the effect of groups of cases on intervals: the ratio of standard errors with and without them."""
    candidates = [
        c for c in ("cluster", "category", "dataset") if c in frame and frame[c].nunique() > 1
    ]
    if not candidates:
        return ["No candidates."]
    means = frame.groupby("entity")["outcome"].mean().sort_values(ascending=False).index[:2]
    of = frame[frame["entity"].isin(means)]
    table = of.pivot_table(
        index=["dataset", "case"], columns="entity", values="outcome", aggfunc="mean"
    )
    table = table[list(means)].dropna()
    values = (table.iloc[:, 0] - (table.iloc[:, 1] if len(means) > 1 else 0)).to_numpy()
    quantity = f"the mean of {means[0]}"
    if len(means) > 1:
        quantity = f"the difference of {means[0]} and {means[1]}"
    text = []
    for column in candidates:
        groups = frame.assign(group=frame[column]).groupby(["dataset", "case"])["group"].first()
        codes, names = pd.factorize(groups.reindex(table.index).to_numpy())
        code, value = codes[codes >= 0], values[codes >= 0]
        if len(names) < 2:
            continue
        if (
            len(names) < CLUSTERS
            or len(value) <= len(names)
            or len(value) / len(names) >= CATEGORY_CASES
        ):
            text.append(
                f"{column}: {len(names)} groups of {len(value)} cases, which are not many small clusters."
            )
            continue
        rest = value - value.mean()
        of_groups = (np.bincount(code, rest) ** 2).sum() * len(names) / (len(names) - 1)
        ratio = np.sqrt(of_groups / max((rest**2).sum(), 1e-300))
        effect = f"{ratio:.2g} times as wide" if (rest**2).any() else "as wide"
        text.append(
            f"{column}: {len(names)} groups; intervals of {quantity} would be {effect} (--cluster {column})."
        )
    return text or ["No candidates."]
