"""Evaluation logs as one table: files are read by their formats, and what silence would hide is refused with words."""

import fnmatch
import re
import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from bayesrank import _text
from bayesrank._checks import check_choice, describe_value
from bayesrank.evidence import formats
from bayesrank.evidence._sources import expand, read_head

__all__ = ["Choices", "LogError", "Logs", "collect", "find_stop", "is_log", "read", "settle"]

SHOWN = ["entity", "dataset", "case", "run", "outcome", "cluster", "category", "cost", "seconds", "status"]
#: Words for what a user may choose between; formats may have others for variants.
CHOOSABLE = ("metric", "variant", "judge", "dataset", "category", "entity", "status", "file")
TIME = re.compile(r"\d{4}-?\d\d-?\d\d[T_ -]?\d\d[-:]?\d\d[-:]?\d\d(?:\.\d+)?")
#: Systems with equal outcomes on so many runs may be copies.
MANY_EQUAL = 20
LOWER = re.compile(r"(?i)(^|[^a-z])(loss|error|err|mae|mse|rmse|wer|cer|ter|perplexity|ppl|latency|seconds|cost|brier)")


class LogError(ValueError):
    """Logs that cannot be ranked as they are. ``remedy`` holds one choice that lets reading go on."""

    def __init__(self, message: str, **remedy: Any) -> None:
        super().__init__(message)
        self.remedy = remedy


class AllLeftOut(LogError):
    """No file is left to read."""


@dataclass(frozen=True)
class Choices:
    """What a user says about logs; ``shell`` is whether remedies are typed in a shell."""

    name: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    match: str = "id"
    reruns: str | None = None
    errors: str | None = None
    missing: Any = None
    lower: bool = False
    shell: bool = False

    def say(self, option: str, value: Any, key: str = "") -> str:
        """Return a remedy as it is typed."""
        if self.shell:
            return f"--{option} {shlex.quote(f'{key}={value}' if key else str(value))}"
        return f"{option}={ {key: value}!r}" if key else f"{option}={value!r}"

    def also(self, **more: Any) -> "Choices":
        """Return these choices with more of them."""
        merged: dict[str, Any] = {
            k: {**getattr(self, k), **v} if isinstance(v, Mapping) else v for k, v in more.items()
        }
        return replace(self, **merged)

    def typed(self) -> str:
        """Return all options as they are typed in a shell."""
        shell = replace(self, shell=True)
        said = [shell.say(option, value if isinstance(value, str) else ",".join(value), key)
                for option in ("name", "only") for key, value in getattr(self, option).items()]  # fmt: skip
        said += [shell.say("match", self.match)] * (self.match != "id")
        said += [
            shell.say(o, getattr(self, o)) for o in ("reruns", "errors", "missing") if getattr(self, o) is not None
        ]
        return " ".join(said + ["--lower-is-better"] * self.lower)


@dataclass(frozen=True)
class Logs:
    """Rows of all files as their formats read them, and what is known of the files."""

    rows: pd.DataFrame
    files: pd.DataFrame
    about: list[Mapping[str, Any]]
    doubts: list[str]
    variant: str

    def called(self, file: int) -> str:
        """Return what names a file for the option name: as much of its path as sets it apart."""
        return _short_names(list(self.files["name"]))[file]


def read(
    paths: Any,
    *,
    name: Mapping[str, str] | None = None,
    only: Mapping[str, Any] | None = None,
    match: Literal["id", "content"] = "id",
    reruns: Literal["runs", "latest"] | None = None,
    errors: Literal["scored"] | None = None,
) -> pd.DataFrame:
    """Read evaluation logs as one table with a row for each system, case and run.

    Formats are recognised by what files hold: lm-evaluation-harness, Inspect, SWE-bench, Every Eval Ever, HELM,
    promptfoo, EvalPlus, JUnit XML, predictions and more (see the guide "From your harness to a ranking").

    Parameters
    ----------
    paths : path or list of paths
        Files, folders, patterns such as ``"logs/*.jsonl"``, compressed files and zip archives; ``"-"`` is standard
        input.
    name : mapping, optional
        Names of systems by file, folder or pattern, where files do not say them. An empty name leaves a file out.
    only : mapping, optional
        Values to keep, one or a list, by ``"metric"``, ``"variant"`` (a filter or perturbation), ``"judge"``,
        ``"dataset"``, ``"category"``, ``"entity"``, ``"status"`` or ``"file"``.
    match : {"id", "content"}
        What makes two cases the same.
    reruns : {"runs", "latest"}, optional
        What a system's second log of the same cases is: further runs, or a replacement. Refused by default.
    errors : {"scored"}, optional
        Keep what files count errored runs as. By default their outcome is missing.

    Returns
    -------
    pandas.DataFrame
        ``entity``, ``dataset``, ``case``, ``run`` and ``outcome``, and as far as the files have them ``category``,
        ``cost``, ``seconds``, ``status``. A case that a system did not meet has no row; ``status`` is "scored",
        "abstained", "timeout", "error" or the like, and the outcome of an error is NaN. ``attrs`` hold what was
        recognised: ``formats``, ``source`` (of names), ``metric``, ``higher_is_better``, ``remarks``, ``doubts``.

    Raises
    ------
    ValueError
        If no format recognises a file, or if files mix metrics, filters, judges, directions, contents of cases or runs.
        The message says what to type.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import bayesrank as br
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, rewards in {"a": [1, 0, 1], "b": [1, 0, 0]}.items():
    ...     runs = [{"task_id": i, "reward": r, "info": {}, "traj": [], "trial": 0} for i, r in enumerate(rewards)]
    ...     _ = (folder / f"{model}.json").write_text(json.dumps(runs))
    >>> frame = read(folder)
    >>> frame.groupby("entity")["outcome"].sum().to_dict()
    {'a': 2.0, 'b': 1.0}
    >>> br.from_frame(frame).sizes["pattern"]
    3
    """
    choices = check_choices(name, only, match, reruns, errors)
    return settle(collect(paths, choices), choices)


def check_choices(name: Any, only: Any, match: Any, reruns: Any, errors: Any, shell: bool = False) -> Choices:
    """Check what a user says about logs."""
    check_choice("match", match, ("id", "content"))
    if reruns is not None:
        check_choice("reruns", reruns, ("runs", "latest"))
    if errors is not None:
        check_choice("errors", errors, ("scored",))
    for argument, value in (("name", name), ("only", only)):
        if value is not None and not isinstance(value, Mapping):
            raise TypeError(f"{argument} must be a mapping; got {describe_value(value)}")
    kept = {}
    for key, value in (only or {}).items():
        check_choice("only", key, CHOOSABLE)
        kept[key] = [str(v) for v in ([value] if isinstance(value, str | int | float) else value)]
    return Choices(dict(name or {}), kept, match, reruns, errors, shell=shell)


def is_log(path: Path) -> bool:
    """Return whether a format recognises a file."""
    return bool(formats.recognise(read_head(path))[0])


def collect(paths: Any, choices: Choices) -> Logs:
    """Read all files by their formats."""
    about: list[Mapping[str, Any]] = []
    parts, without, unknown, used = [], [], [], set()
    with tempfile.TemporaryDirectory() as folder:
        found = list(expand(paths, folder))
        short = _short_names([name for name, _ in found])
        for i, (label, path) in enumerate(found):
            named = None
            for pattern, text in choices.name.items():
                if _matches(label, pattern):
                    named = text
                    used.add(pattern)
            if named == "":
                continue
            head = read_head(path)
            kind, holds = formats.recognise(head)
            leave = choices.say("name", "", short[i])
            if head.startswith("version https://git-lfs"):
                raise LogError(
                    f"{label} must be a log; it is a pointer of Git LFS ('git lfs pull' fetches the file, or {leave} "
                    "leaves it out)",
                    name={short[i]: ""},
                )
            if not kind:
                unknown.append((label, short[i]))
            elif holds == "scores":
                without.append((label, kind, path))
            elif holds == "cases":
                frame = _read_one(label, path, kind, short[i], leave)
                facts: dict[str, Any] = {"name": label, "format": kind, "source": "", "setup": {}}
                facts.update({str(key): held for key, held in frame.attrs.items()})
                if named:
                    frame["entity"], facts["source"] = named, "name"
                parts.append(frame.assign(file=len(about)))
                about.append(facts)
    lost = [pattern for pattern in choices.name if pattern not in used]
    if lost:
        raise ValueError(
            f"{'--name' if choices.shell else 'name'} must begin with a file that is read, such as {short[0]}; "
            f"got {lost[0]!r}"
        )
    _check_found(parts, without, unknown, choices)
    rows = pd.concat([part.reindex(columns=[*formats.COLUMNS, "file"]) for part in parts], ignore_index=True)
    said: dict[str, list[str]] = {}
    for one in about:
        for text in one.get("doubts", []):
            said.setdefault(text, []).append(Path(one["name"]).name)
    doubts = [f"{_list(names, 1)}: {text}." for text, names in said.items()]
    if unknown:
        doubts.append(f"No format recognises {_text.count(len(unknown), 'file')}, such as {unknown[0][0]}.")
    used_as_well = {one.get("beside") for one in about}
    alone = [label for label, _, path in without if path not in used_as_well]
    if alone:
        doubts.append(f"{_text.count(len(alone), 'file')} with scores but no cases, such as {alone[0]}: not ranked.")
    variant = next((one["variant"] for one in about if "variant" in one), "variant")
    return Logs(rows, pd.DataFrame(about), about, doubts, variant)


def _read_one(label: str, path: Path, kind: str, short: str, leave: str) -> pd.DataFrame:
    module = formats.load(kind)
    try:
        frame = module.read(path)
        if frame.empty:
            raise ValueError("must hold cases; it holds none")
        return frame
    except ModuleNotFoundError:
        raise
    except (ValueError, UnicodeError) as error:
        message = f"{label} {error}" if str(error).startswith("must") else f"{label} must be text in UTF-8; {error}"
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        what = (
            f"the field {error} is missing" if isinstance(error, KeyError) else f"its fields are not as usual ({error})"
        )
        message = f"{label} must be a whole log of {module.TITLE}; {what}"
    raise LogError(f"{message} ({leave} leaves the file out)", name={short: ""})


def _check_found(
    parts: list[Any], without: list[tuple[str, str, Path]], unknown: list[tuple[str, str]], choices: Choices
) -> None:
    if parts:
        return
    if not (without or unknown):
        if "" in choices.name.values():
            raise AllLeftOut("paths must name a log that is not left out; every file is")
        raise LogError("paths must name logs that hold cases; these files only describe others")
    if without:
        label, kind, _ = without[0]
        raise LogError(
            f"{label} must hold the outcomes of cases; it holds scores of {formats.load(kind).TITLE} alone, aggregates "
            "without cases. Systems would be compared unpaired, from counts at best. Run the tool so that it writes "
            "samples, or write a table with the columns entity, correct, total, and rank that"
        )
    known = ", ".join(formats.load(name).TITLE for name in formats.names())
    which = f"none of {_text.count(len(unknown), 'file')}, such as {unknown[0][0]},"
    raise LogError(
        f"paths must name logs of {known}; {which} is one. Any other log can be ranked as a CSV table with the columns "
        "entity, case, outcome"
    )


def _matches(label: str, pattern: str) -> bool:
    pattern = pattern.rstrip("/")
    return (
        f"/{label}".endswith(f"/{pattern}")
        or f"/{pattern}/" in f"/{label}"
        or label.startswith(f"{pattern}/")
        or fnmatch.fnmatchcase(label, pattern)
        or (pattern == "-" and label == "standard input")
    )


def _short_names(labels: list[str]) -> list[str]:
    """As many of the last parts of each path as set it apart."""
    parts = [label.split("/") for label in labels]
    found = []
    for own in parts:
        size = next((n for n in range(1, len(own)) if sum(p[-n:] == own[-n:] for p in parts) == 1), len(own))
        found.append("/".join(own[-size:]))
    return found


# From rows to a table


def settle(logs: Logs, choices: Choices) -> pd.DataFrame:
    """Return the table of the chosen rows; raise where the logs leave open what it would be."""
    rows, remarks = _choose(logs, choices)
    _refuse_nameless(rows, logs, choices)
    rows["entity"] = rows["entity"].astype(str)
    rows["dataset"] = rows["dataset"].fillna("data").astype(str)
    rows["case"] = rows["case"].astype(str)
    rows = _as_numbers(rows, logs, choices)
    rows, said = _one_of_each(rows, logs, choices)
    remarks += said
    _refuse_judges(rows, choices)
    _refuse_scales(rows, logs, choices)
    better = _direction(rows, logs, choices)
    rows = _match(rows, logs, choices)
    rows, said = _without_reruns(rows, logs, choices)
    remarks += said
    rows = _states(rows, logs, choices)
    frame = rows[[c for c in SHOWN if c in SHOWN[:5] or rows[c].notna().any()]].reset_index(drop=True)
    numbers = pd.to_numeric(frame["run"], errors="coerce")
    if numbers.notna().all() and (numbers % 1 == 0).all():
        frame["run"] = numbers.astype(int)
    metrics = rows[rows["metric"].notna()].groupby("dataset", sort=False)["metric"].first().to_dict()
    frame.attrs = {
        "formats": list(dict.fromkeys(formats.load(kind).TITLE for kind in logs.files["format"])),
        "files": len(logs.files),
        "source": {str(e): logs.about[int(f)]["source"] for e, f in rows.groupby("entity")["file"].first().items()},
        "metric": metrics,
        "higher_is_better": better,
        "scored": bool((rows["scored"].notna() & rows["outcome"].isna()).any()),
        "remarks": remarks,
        "doubts": [*logs.doubts, *_setups(rows, logs), *_cut(rows, logs), *_twice(rows), *_copies(rows)],
    }
    return frame


def _choose(logs: Logs, choices: Choices) -> tuple[pd.DataFrame, list[str]]:
    rows, remarks = logs.rows.copy(), []
    for key, wanted in choices.only.items():
        column = rows["file"].map(dict(enumerate(logs.files["name"]))) if key == "file" else rows[key]
        text = column.astype(str)
        if key == "file":
            kept = text.isin([name for name in logs.files["name"] if any(_matches(name, w) for w in wanted)])
        else:
            kept = text.isin(wanted)
        if not kept.any():
            known = list(map(str, column.dropna().unique()))
            held = f"one of {_list(known, 8)}" if known else f"left out of logs that name no {key}"
            raise ValueError(f"{choices.say('only', ','.join(wanted), key)} must be {held}")
        if key in ("metric", "variant"):
            # A run that broke off has no metric; a data set with another filter alone keeps it.
            has = rows["dataset"].isin(set(rows.loc[kept, "dataset"])) | rows["dataset"].isna()
            kept |= column.isna() & has if key == "metric" else ~has
            lost = sorted(set(rows["dataset"].dropna()) - set(rows.loc[kept, "dataset"]))
            if lost:
                remarks.append(f"Left out, without the {key} {', '.join(wanted)}: {_list(lost)}.")
        rows = rows[kept]
    return rows, remarks


def _list(names: Iterable[Any], most: int = 4) -> str:
    names = list(map(str, names))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _refuse_nameless(rows: pd.DataFrame, logs: Logs, choices: Choices) -> None:
    if rows["entity"].notna().all():
        return
    files = rows.loc[rows["entity"].isna(), "file"].unique().tolist()
    patterns: dict[str, None] = {}
    for i in files:
        stamp = TIME.search(logs.called(i))
        alike = stamp and sum(stamp[0] in logs.called(j) for j in files) > 1
        patterns[f"*{stamp[0]}*" if stamp and alike else logs.called(i)] = None
    remedy = {pattern: f"NAME{i}" for i, pattern in enumerate(patterns, 1)}
    typed = (
        " ".join(choices.say("name", text, key) for key, text in remedy.items())
        if choices.shell
        else f"name={remedy!r}"
    )
    source = logs.about[files[0]]["source"]
    raise LogError(
        f"{logs.files['name'][files[0]]} must name its system, which has no name in {_text.count(len(files), 'file')}"
        f"{f': {source}' if source else ''}. Type the names: {typed}",
        name=remedy,
    )


def _as_numbers(rows: pd.DataFrame, logs: Logs, choices: Choices) -> pd.DataFrame:
    """Outcomes as numbers; metrics without numbers are no outcomes of cases."""
    held = rows["outcome"]
    if held.dtype != float:
        numbers = pd.to_numeric(held.where(held.map(lambda v: isinstance(v, int | float | np.number))), errors="coerce")
    else:
        numbers = held
    foreign = held.notna() & numbers.isna()
    if foreign.any():
        metric = rows["metric"].fillna("")
        some = metric.isin(set(metric[numbers.notna()]))
        if (foreign & some).any():
            i: Any = (foreign & some).idxmax()
            row: dict[str, Any] = rows.loc[i].to_dict()
            where, leave = f"{row['case']} of {row['entity']}", logs.called(int(row["file"]))
            raise LogError(
                f"the outcomes of {metric[i] or 'cases'} must be numbers; got {describe_value(held[i])} "
                f"{str(held[i])[:40]!r} for case {where}. Correct that row, or {choices.say('name', '', leave)} leaves "
                "the file out",
                name={leave: ""},
            )
        if not numbers.notna().any():
            i = foreign.idxmax()
            raise LogError(
                f"the logs must hold a number for each case; {metric[i] or 'the outcome'} is a "
                f"{type(held[i]).__name__}, such as {str(held[i])[:60]!r}, whose score is computed over all cases or "
                "by rules of its own. Rank by a metric that scores single cases, which the tool must write"
            )
        rows, numbers = rows[~foreign], numbers[~foreign]
    infinite = np.isinf(numbers)
    rows = rows.assign(outcome=numbers.where(~infinite))
    rows["status"] = rows["status"].where(~infinite, "not finite")
    return rows


def _one_of_each(rows: pd.DataFrame, logs: Logs, choices: Choices) -> tuple[pd.DataFrame, list[str]]:
    """One metric and one variant of each data set."""
    for key in ("metric", "variant"):
        held = rows[rows[key].notna()]
        of = {d: names.tolist() for d, names in held.groupby("dataset", sort=False)[key].unique().items()}
        several = {d: names for d, names in of.items() if len(names) > 1}
        every = list(dict.fromkeys(name for names in of.values() for name in names))
        if not several and (len(every) < 2 or key == "variant" or key in choices.only):
            continue
        word = logs.variant if key == "variant" else key
        chosen = [next(n for n in (*every[:1], *names) if n in names) for names in (several or of).values()]
        value = ",".join(dict.fromkeys(map(str, chosen)))
        if several:
            where, names = next(iter(several.items()))
            many = f"{where} has {len(names)} {word}s, {_list(names, 8)}"
            each = names
        else:
            many = f"data sets have different {word}s, " + _list([f"{n[0]} ({d})" for d, n in of.items()], 8)
            each = [value, *(n[0] for n in of.values())]
        if several and len(several) > 1:
            many += f", and so have {len(several) - 1} other data sets"
        options = dict.fromkeys([value, *map(str, each)])
        remedies = ", ".join(choices.say("only", option, key) for option in list(options)[:4])
        why = "would count cases more than once" if several else "would mix scales"
        raise LogError(
            f"the logs must be ranked by one {word} of each case, since {word}s that are mixed {why}; {many}. "
            f"Choose one: {remedies}",
            only={key: value.split(",")},
        )
    named = rows["variant"].dropna().unique()
    said = (
        [f"The {logs.variant} is {_list(named)}."]
        if len(named) and set(named) - {"none", "filter 1", "original"}
        else []
    )
    return rows, said


def _refuse_judges(rows: pd.DataFrame, choices: Choices) -> None:
    held = rows[rows["judge"].notna()].groupby("entity", sort=False)["judge"].agg(lambda j: ", ".join(sorted(set(j))))
    if held.nunique() < 2:
        return
    listed = "; ".join(f"{entity} by {judge}" for entity, judge in list(held.items())[:4])
    most = held.value_counts().index[0]
    raise LogError(
        f"the logs must be graded by one judge for all systems; got {listed}. Grade all again with one judge, or rank "
        f"those of one judge: {choices.say('only', most, 'judge')}",
        only={"judge": [most]},
    )


def _refuse_scales(rows: pd.DataFrame, logs: Logs, choices: Choices) -> None:
    """Refuse right and wrong as 0 and 1 in one file, and as 0 and 100 in another."""
    held = rows[rows["outcome"].notna()]
    for dataset, part in held.groupby("dataset", sort=False):
        seen: dict[Any, frozenset[float]] = {i: frozenset(v.unique()) for i, v in part.groupby("file")["outcome"]}
        ones = [int(i) for i, values in seen.items() if values and values <= {0.0, 1.0} and 1.0 in values]
        hundreds = [int(i) for i, values in seen.items() if values and values <= {0.0, 100.0} and 100.0 in values]
        if ones and hundreds:
            name = logs.called(hundreds[0])
            raise LogError(
                f"the outcomes of {dataset} must have one scale; they are 0 and 1 in {logs.called(ones[0])}, but 0 and "
                f"100 in {name}. Divide those by 100, or {choices.say('name', '', name)} leaves the file out",
                name={name: ""},
            )


def _direction(rows: pd.DataFrame, logs: Logs, choices: Choices) -> bool | None:
    known = rows[rows["better"].notna()]
    ends = set(known["better"].astype(bool))
    if len(ends) == 2:
        metrics = {bool(b): part["metric"].iloc[0] for b, part in known.groupby(known["better"].astype(bool))}
        sets = {bool(b): part["dataset"].iloc[0] for b, part in known.groupby(known["better"].astype(bool))}
        key = "metric" if metrics[True] != metrics[False] else "dataset"
        value = [str(v) for v in known.loc[known["better"].astype(bool), key].unique()]
        raise LogError(
            f"the logs must have outcomes of one direction; higher is better for {metrics[True]} ({sets[True]}), lower "
            f"for {metrics[False]} ({sets[False]}). Rank each by itself: {choices.say('only', ','.join(value), key)}",
            only={key: value},
        )
    if ends:
        return ends.pop()
    return None


def _match(rows: pd.DataFrame, logs: Logs, choices: Choices) -> pd.DataFrame:
    """Cases of the same content under one name."""
    known = rows["hash"].notna()
    if choices.match == "content":
        if not known.all():
            raise ValueError("match cannot be content for logs that do not hold the content of cases; leave it out")
        order = rows.groupby(["file", "dataset", "hash", "run"], dropna=False, sort=False).cumcount()
        code = pd.Series(pd.factorize(rows["hash"])[0], rows.index)
        first = rows.groupby(code)["case"].transform("first")
        repeated = rows.groupby(["dataset", "case"])["hash"].transform("nunique") > 1
        case = first.where(~repeated, "content " + (code + 1).astype(str))
        return rows.assign(case=case.where(order == 0, case + " (" + (order + 1).astype(str) + ")"))
    if not known.any():
        return rows
    pairs = rows.loc[known, ["dataset", "case", "hash"]].drop_duplicates()
    twice = pairs.duplicated(["dataset", "case"])
    if not twice.any():
        return rows
    dataset, case = pairs.loc[twice, ["dataset", "case"]].iloc[0]
    both = rows[(rows["dataset"] == dataset) & (rows["case"] == case) & known].drop_duplicates("hash").iloc[:2]
    where = " and ".join(f"{e} ({logs.called(int(f))})" for e, f in zip(both["entity"], both["file"], strict=True))
    raise LogError(
        f"case {case} of {dataset} must be the same for all systems; its content differs between {where}, as for "
        f"{_text.count(int(twice.sum()), 'case')}. {choices.say('match', 'content')} matches cases by their content",
        match="content",
    )


def _without_reruns(rows: pd.DataFrame, logs: Logs, choices: Choices) -> tuple[pd.DataFrame, list[str]]:
    """Each run once; a second log of the same cases is what the user says."""
    own = ["entity", "dataset", "case", "run"]
    again = rows.duplicated(own, keep=False)
    if not again.any():
        rows["run"] = rows["run"].where(rows["run"].notna(), 1)
        return rows, []
    first = rows[again].iloc[0]
    same = rows[again & (rows[own].fillna("") == first[own].fillna("")).all(axis=1)]
    files = same["file"].unique().tolist()
    if choices.reruns == "runs":
        number = rows.groupby(own, dropna=False).cumcount() + 1
        given = rows["run"].notna() & (rows.groupby(own[:3])["run"].transform("nunique") > 1)
        rows["run"] = number.astype(object).where(~given, rows["run"].astype(str) + "/" + number.astype(str))
        return rows, ["Several logs of a system on the same cases are runs of it."]
    if choices.reruns == "latest":
        age = rows["file"].map(lambda i: (m := TIME.search(logs.files["name"][i])) and re.sub(r"\D", "", m[0]))
        if len(files) > 1 and age[again].isna().any():
            raise LogError(
                f"reruns cannot be latest for files whose names hold no time; got {logs.called(files[0])} "
                f"({choices.say('name', '', logs.called(files[0]))} leaves it out)",
                name={logs.called(files[0]): ""},
                reruns=None,
            )
        order = rows.assign(age=age).sort_values("age", kind="stable", na_position="first")
        rows = rows.loc[order.drop_duplicates(own, keep="last").index.sort_values()]
        rows["run"] = rows["run"].where(rows["run"].notna(), 1)
        return rows, ["Of several logs of a system on the same cases, the latest counts."]
    equal = rows[again].groupby(own, dropna=False)["outcome"].nunique(dropna=False).le(1)
    where = (
        " and ".join(logs.called(i) for i in files[:2]) if len(files) > 1 else f"{logs.called(files[0])} more than once"
    )
    setups = [logs.about[i].get("setup") or {} for i in files[:2]]
    differ = [k for k in setups[0] if len(setups) > 1 and setups[0][k] != setups[1].get(k)]
    differs = (
        f"; they differ in {', '.join(f'{k} ({setups[0][k]} and {setups[1].get(k)})' for k in differ)}"
        if differ
        else ""
    )
    name, timed = "", all(TIME.search(logs.called(i)) for i in files) or len(files) == 1
    if len(files) > 1:
        last = logs.called(files[-1])
        name = (
            f", {choices.say('name', '', last)} leaves a copy out, {choices.say('name', 'NAME', last)} names another "
        )
        name += "system"
    remedy: dict[str, Any] = {"reruns": "latest"} if timed else {"name": {logs.called(files[-1]): ""}}
    if not equal.all():
        remedy = {"reruns": "runs"}
    latest = f", {choices.say('reruns', 'latest')} keeps the last" if timed else ""
    raise LogError(
        f"{first['entity']} must have each run of a case once; case {first['case']} of {first['dataset']} is in "
        f"{where}, a copy or a rerun: {int(equal.sum())} of {_text.count(len(equal), 'run')} have equal "
        f"outcomes{differs}. "
        f"{choices.say('reruns', 'runs')} takes them as repeated runs{latest}{name}",
        **remedy,
    )


def _states(rows: pd.DataFrame, logs: Logs, choices: Choices) -> pd.DataFrame:
    """What became of each run; the outcome of an error is missing, whatever the file counts it as."""
    failed = rows["status"] == "error"
    scored = rows["scored"].where(rows["scored"].notna(), rows["outcome"]).astype(float)
    rows = rows.assign(outcome=rows["outcome"].where(~failed, scored if choices.errors else np.nan))
    default = pd.Series(np.where(rows["outcome"].notna(), "scored", "no outcome"), rows.index)
    rows["status"] = rows["status"].where(rows["status"].notna(), default)
    none = rows.groupby("entity", sort=False)["outcome"].count().eq(0)
    if none.any():
        name = none.idxmax()
        part = rows[rows["entity"] == name]
        why = ", ".join(f"{n} with status {s}" for s, n in part["status"].value_counts().items())
        kept = (
            f"; {choices.say('errors', 'scored')} keeps what the file counts errors as"
            if scored[part.index].notna().any()
            else ""
        )
        leave = choices.say("name", "", logs.called(int(part["file"].iloc[0])))
        remedy = {"errors": "scored"} if kept else {"name": {logs.called(int(part["file"].iloc[0])): ""}}
        raise LogError(
            f"{name} must have an outcome of at least one case; it has none: {why}. Run it again{kept}, or {leave} "
            "leaves the file out",
            **remedy,
        )
    return rows


def _setups(rows: pd.DataFrame, logs: Logs) -> list[str]:
    """What differs between the systems besides their names."""
    first = rows.drop_duplicates(["entity", "dataset"])[["entity", "dataset", "file"]]
    said: dict[str, None] = {}
    for _, part in first.groupby("dataset", sort=False):
        setups = {e: logs.about[int(f)].get("setup") or {} for e, f in zip(part["entity"], part["file"], strict=True)}
        for key in next(iter(setups.values())):
            held = {e: str(s.get(key)) for e, s in setups.items()}
            if len(set(held.values())) > 1:
                said[f"Systems differ in {key}: {_list([f'{e} {v[:60]}' for e, v in held.items()])}."] = None
    return list(said)


def _twice(rows: pd.DataFrame) -> list[str]:
    """Cases of the same content in several data sets."""
    pairs = rows.loc[rows["hash"].notna(), ["hash", "dataset"]].drop_duplicates()
    shared = pairs[pairs.duplicated("hash", keep=False)]
    if shared.empty:
        return []
    many = _text.count(shared["hash"].nunique(), "case")
    return [
        f"The content of {many} is in several data sets ({_list(shared['dataset'].unique())}); if they ask the same, "
        "they count twice."
    ]


def _copies(rows: pd.DataFrame) -> list[str]:
    """Systems with equal outcomes on many cases, as a log that was copied under another name has."""
    order = rows.sort_values(["dataset", "case"], kind="stable")
    seen: dict[Any, list[str]] = {}
    for name, part in order.groupby("entity", sort=False):
        if len(part) >= MANY_EQUAL and part["outcome"].nunique() > 1:
            columns = (tuple(part[c].fillna(-1) if c == "outcome" else part[c]) for c in ("dataset", "case", "outcome"))
            seen.setdefault(hash(tuple(columns)), []).append(str(name))
    return [
        f"{_list(names)} have equal outcomes on all cases: one may be a copy." for names in seen.values() if names[1:]
    ]


def _cut(rows: pd.DataFrame, logs: Logs) -> list[str]:
    """Files that hold fewer cases than their run had."""
    held: dict[Any, int] = rows.groupby("file")["case"].nunique().to_dict()
    short = [(int(i), n, logs.about[int(i)].get("expected")) for i, n in held.items()]
    return [
        f"{logs.called(i)} holds {n} of {int(size)} cases of its run or data set."
        for i, n, size in short
        if size and n < size
    ][:3]


def find_stop(frame: pd.DataFrame, choices: Choices) -> LogError | None:
    """Return what a ranking must not pass over, an unknown direction or missing outcomes, as an error; else None."""
    better, metrics = frame.attrs["higher_is_better"], list(frame.attrs["metric"].values())
    if better and choices.lower:
        return LogError(f"--lower-is-better must be left out of {metrics[0]}; higher is better, as the logs say")
    odd = next((m for m in metrics if better is None and not choices.lower and LOWER.search(m)), None)
    if odd is not None:
        return LogError(
            f"the logs must say whether higher is better for {odd}, which is usually better if lower; they do not. "
            "--lower-is-better says that it is",
            lower=True,
        )
    if choices.missing is not None:
        return None
    entities = list(dict.fromkeys(frame["entity"]))
    keys = frame.drop_duplicates(["dataset", "case", "run"])
    cases = frame.drop_duplicates(["dataset", "case"])
    lines, runs = [], False
    for name in entities:
        own = frame[frame["entity"] == name]
        absent = len(cases) - len(own.drop_duplicates(["dataset", "case"]))
        fewer = len(keys) - len(own) - absent
        states = own.loc[own["outcome"].isna(), "status"].value_counts()
        said = [f"{n} {state}" for state, n in states.items()] + ([f"{absent} absent"] if absent else [])
        if not said and fewer and len(keys) > len(cases):
            said, runs = [f"{fewer} runs fewer"], True
        if said:
            lines.append(f"{name} ({', '.join(said)})")
    if not lines:
        return None
    lacking = frame["outcome"].isna().any() or len(frame) < len(keys) * len(entities)
    if not lacking:
        return None
    what = "runs differ in number" if runs and not frame["outcome"].isna().any() else "outcomes are missing"
    has = frame.attrs["scored"] and choices.errors is None
    scored = f", {choices.say('errors', 'scored')} keeps what the files count errors as" if has else ""
    met = frame[frame["outcome"].notna()].groupby(["dataset", "case", "run"])["entity"].nunique()
    common = int((met == len(entities)).sum())
    shared = [d for d, n in met.groupby("dataset", sort=False).max().items() if n == len(entities)]
    pairs = [d for d, n in met.groupby("dataset", sort=False).max().items() if n > 1]
    keep = f", {choices.say('missing', 'common')} keeps the {common} that all met" if common else ""
    if not shared and pairs and frame["dataset"].nunique() > 1:
        keep = f", {choices.say('only', pairs[0], 'dataset')} ranks those that met it"
    return LogError(
        f"every system must have an outcome on every case of {len(cases)}; {what}: {_list(lines, 6)}. "
        f"{choices.say('missing', 0)} counts them as wrong{keep}, {choices.say('missing', 'own')} leaves each system "
        f"on its own cases and runs{scored}",
        **({"missing": "common"} if common and not runs else {"missing": "own"}),
    )
