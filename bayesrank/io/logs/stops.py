"""What stops a ranking of evaluation logs until the user decides, and doubts, which do not."""

import re
from typing import Any

import pandas as pd

from bayesrank._core import prose
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.io.logs.choices import Choices, LogError
from bayesrank.io.logs.files import Logs

#: The columns that name a run.
RUN = ["entity", "dataset", "case", "run"]
TIME = re.compile(r"\d{4}-?\d\d-?\d\d[T_ -]?\d\d[-:]?\d\d[-:]?\d\d(?:\.\d+)?")
LOWER = re.compile(
    r"(?i)(^|[^a-z])(loss|error|err|mae|mse|rmse|wer|cer|ter|perplexity|ppl|latency|seconds|cost|brier)"
)


def list_contents(logs: Logs) -> str:
    """Return the data sets, systems and metrics of logs; empty if there is one data set at most."""
    rows = logs.rows
    systems, sets = list(rows["entity"].dropna().unique()), list(rows["dataset"].dropna().unique())
    if len(sets) < 2:
        return ""
    text = [
        f"{len(sets)} data sets: {list_names(sets, 20)}",
        f"{prose.count(len(systems), 'system')}: {list_names(systems, 8)}",
    ]
    metrics = (
        rows.groupby("metric")["dataset"].nunique().sort_values(ascending=False, kind="stable")
    )
    if len(metrics):
        lines = [f"{name} ({prose.count(int(n), 'data set')})" for name, n in metrics.items()]
        text.append(f"{prose.count(len(metrics), 'metric')}: {list_names(lines, 8)}")
    return "; ".join(text)


def refuse_nameless(rows: pd.DataFrame, logs: Logs, choices: Choices) -> None:
    """Refuse files whose systems have no name, or one that is blank or holds a NUL."""
    text = rows["entity"].astype(str)
    nameless = (
        rows["entity"].isna() | text.str.contains("\0", regex=False) | (text.str.strip() == "")
    )
    if not nameless.any():
        return
    files = rows.loc[nameless, "file"].unique().tolist()
    patterns: dict[str, None] = {}
    for i in files:
        stamp = TIME.search(logs.called(i))
        alike = stamp and sum(stamp[0] in logs.called(j) for j in files) > 1
        patterns[f"*{stamp[0]}*" if stamp and alike else logs.called(i)] = None
    remedy = {pattern: f"NAME{i}" for i, pattern in enumerate(patterns, 1)}
    typed = " ".join(choices.say("name", text, key) for key, text in remedy.items())
    typed = typed if choices.shell else f"name={remedy!r}"
    source = logs.about[files[0]]["source"]
    raise LogError(
        logs.names[files[0]],
        "must name its system",
        f"{prose.count(len(files), 'file')} without a name{f': {source}' if source else ''}",
        f"type the names: {typed}",
        name=remedy,
    )


def refuse_judges(rows: pd.DataFrame, choices: Choices) -> None:
    judges = (
        rows[rows["judge"].notna()]
        .groupby("entity", sort=False)["judge"]
        .agg(lambda j: ", ".join(sorted(set(j))))
    )
    if judges.nunique() < 2:
        return
    listed = "; ".join(f"{entity} by {judge}" for entity, judge in list(judges.items())[:4])
    most = judges.value_counts().index[0]
    raise LogError(
        "the logs",
        "must be graded by one judge for all systems",
        listed,
        f"grade all again with one judge, or rank the systems of one judge: {choices.say('only', most, 'judge')}",
        only={"judge": [most]},
    )


def refuse_scales(rows: pd.DataFrame, logs: Logs, choices: Choices) -> None:
    """Refuse right and wrong as 0 and 1 in one file, and as 0 and 100 in another."""
    scored = rows[rows["outcome"].notna()]
    for dataset, part in scored.groupby("dataset", sort=False):
        seen: dict[Any, frozenset[float]] = {
            i: frozenset(v.unique()) for i, v in part.groupby("file")["outcome"]
        }
        ones = [
            int(i)
            for i, values in seen.items()
            if values and values <= {0.0, 1.0} and 1.0 in values
        ]
        hundreds = [
            int(i)
            for i, values in seen.items()
            if values and values <= {0.0, 100.0} and 100.0 in values
        ]
        if ones and hundreds:
            name = logs.called(hundreds[0])
            raise LogError(
                f"the outcomes of {dataset}",
                "must use the same scale",
                f"0 and 1 in {logs.called(ones[0])}, but 0 and 100 in {name}",
                f"divide those by 100, or {choices.leave_out(name)}",
                name={name: ""},
            )


def refuse_reruns(again: pd.DataFrame, logs: Logs, choices: Choices) -> None:
    """Refuse runs that occur twice; ``again`` are their rows."""
    first = again.iloc[0]
    same = again[(again[RUN].fillna("") == first[RUN].fillna("")).all(axis=1)]
    files = [int(i) for i in same["file"].unique()]
    names, last = [logs.called(i) for i in files[:2]], logs.called(files[-1])
    several = len(files) > 1
    setups = [logs.about[i].get("setup") or {} for i in files[:2]]
    differ = [
        f"{key} ({held} and {setups[-1].get(key)})"
        for key, held in setups[0].items()
        if held != setups[-1].get(key)
    ]
    equal = again.groupby(RUN, dropna=False)["outcome"].nunique(dropna=False).le(1)
    timed = all(TIME.search(logs.called(i)) for i in files) or not several
    text = [f"{choices.say('reruns', 'runs')} takes them as repeated runs"]
    text += [f"{choices.say('reruns', 'latest')} keeps the last"] * timed
    if several:
        text += [f"{choices.say('name', '', last)} leaves a copy out"]
        text += [f"{choices.say('name', 'NAME', last)} names another system"]
    remedy: dict[str, Any] = {"reruns": "latest"} if timed else {"name": {last: ""}}
    raise LogError(
        first["entity"],
        "must have each run of a case once",
        f"case {first['case']} of {first['dataset']} in {' and '.join(names)}{'' if several else ' more than once'}, "
        f"a copy or a rerun: {int(equal.sum())} of {prose.count(len(equal), 'run')} have equal outcomes"
        f"{'; they differ in ' * bool(differ)}{', '.join(differ)}",
        ", ".join(text),
        **(remedy if equal.all() else {"reruns": "runs"}),
    )


def refuse_copied_datasets(rows: pd.DataFrame, choices: Choices) -> None:
    """Refuse a data set whose cases are all in others with the same outcomes, as a group of tasks beside its tasks."""
    names = rows["dataset"].value_counts().index.tolist()
    key = ["entity", "hash", "run", "outcome"]
    for name in names if len(names) > 1 else []:
        own, rest = rows[rows["dataset"] == name], rows[rows["dataset"] != name]
        # With fewer than five cases, equal outcomes may be chance.
        if own["hash"].isna().any() or own["case"].nunique() < 5 or own["outcome"].nunique() < 2:
            continue
        if len(own.merge(rest[key].drop_duplicates(), on=key)) == len(own):
            retained = [str(other) for other in rows["dataset"].unique() if other != name]
            raise LogError(
                f"the data set {name}",
                "must contain at least one case",
                f"{own['case'].nunique()} that are all in other data sets by content and outcome, as those of a group "
                "of tasks are, and would count twice",
                f"{choices.say('only', retained, 'dataset')} leaves it out",
                only={"dataset": retained},
            )


def find_direction(rows: pd.DataFrame, choices: Choices) -> bool | None:
    directed = rows[rows["better"].notna()]
    better = directed["better"].astype(bool)
    if better.nunique() < 2:
        return bool(better.iloc[0]) if len(better) else None
    high, low = (
        directed.loc[better == end, ["metric", "dataset"]].iloc[0].tolist() for end in (True, False)
    )
    key = "metric" if high[0] != low[0] else "dataset"
    value = [str(v) for v in directed.loc[better, key].unique()]
    raise LogError(
        "the logs",
        "must have outcomes with the same direction",
        f"higher is better for {high[0]} ({high[1]}), lower for {low[0]} ({low[1]})",
        f"rank each by itself: {choices.say('only', value, key)}",
        only={key: value},
    )


def find_stop(frame: pd.DataFrame, choices: Choices) -> LogError | None:
    """Return what a ranking must not pass over, an unknown direction or missing outcomes, as an error; else None."""
    better, metrics = frame.attrs["higher_is_better"], list(frame.attrs["metric"].values())
    if better and choices.lower:
        return LogError(
            "--lower-is-better",
            f"cannot be used for {metrics[0]}; higher is better, as the logs say",
        )
    odd = next(
        (m for m in metrics if better is None and not choices.lower and LOWER.search(m)), None
    )
    if odd is not None:
        return LogError(
            "the logs",
            f"must say whether higher is better for {odd}, which is usually better if lower; they do not",
            hint="--lower-is-better says that it is",
            lower=True,
        )
    return None if choices.missing is not None else _find_missing(frame, choices)


def _find_missing(frame: pd.DataFrame, choices: Choices) -> LogError | None:
    """Return missing outcomes as an error that says what each treatment makes of the means; None if none is missing."""
    rules, scored = (
        frame.attrs["rules"],
        frame.attrs["means_with_errors"] if choices.errors != "scored" else {},
    )
    # Pandas copies attrs, which name all entities, with every table that it makes.
    frame = frame.copy()
    frame.attrs = {}
    parts = {str(name): part for name, part in frame.groupby("entity", sort=False)}
    entities = list(parts)
    keys, cases = (frame.drop_duplicates(RUN[1:size]) for size in (4, 3))
    lines = []
    for name in entities:
        own = parts[name]
        absent = len(cases) - len(own.drop_duplicates(["dataset", "case"]))
        states = own.loc[own["outcome"].isna(), "status"].value_counts()
        text = [f"{n} {state}" for state, n in states.items()] + (
            [f"{absent} absent"] if absent else []
        )
        if text:
            lines.append(f"{name} ({', '.join(text)})")
    problem = "missing outcomes"
    if not lines and len(frame) < len(keys) * len(entities):
        made = frame.groupby("entity", sort=False).size()
        problem, lines = (
            "runs that differ in number",
            [f"{name} ({number})" for name, number in made.items()],
        )
    if not lines:
        return None
    table = _case_means(frame.pivot(index=RUN[1:], columns="entity", values="outcome")[entities])
    full = table.dropna()
    common = len(full)
    # A run that was never made is not missing if its case was met.
    wrong = frame.assign(outcome=frame["outcome"].fillna(0)).pivot(
        index=RUN[1:], columns="entity", values="outcome"
    )
    offers = [
        f"{choices.say('missing', 0)} counts them as wrong{_say_means(_case_means(wrong).fillna(0))}"
    ]
    if common:
        keep = f"keeps {common} of {len(table)} cases, which all met"
        offers.append(f"{choices.say('missing', 'common')} {keep}{_say_means(full)}")
    pairs = table.notna().groupby(level="dataset", sort=False).any().sum(axis=1)
    if not common and len(pairs) > 1 and pairs.max() > 1:
        offers.append(
            f"{choices.say('only', pairs.idxmax(), 'dataset')} ranks the systems with that data set"
        )
    offers.append(
        f"{choices.say('missing', 'own')} leaves each system on its own cases and runs{_say_means(table)}"
    )
    if scored:
        means = _list_means(pd.Series(scored)[entities])
        offers.append(
            f"{choices.say('errors', 'scored')} uses the scores in the files for errors{means}"
        )
    remedy: dict[str, Any] = {"missing": "common" if common else "own"}
    if scored and "errors" in rules:
        remedy = {"errors": rules["errors"]}
    elif "missing" in rules:
        remedy = {"missing": rules["missing"]}
    ruled = [
        choices.say(option, value) for option, value in remedy.items() if rules.get(option) == value
    ]
    offers += [f"{text} is the rule of the tool" for text in ruled]
    return LogError(
        "every system",
        f"must have an outcome on every case of {len(cases)}",
        f"{problem}: {list_names(lines, 6)}",
        "; ".join(offers),
        **remedy,
    )


def means_of(rows: pd.DataFrame) -> dict[str, float]:
    """Return the mean of each entity over its cases, whose outcome is the mean over their runs."""
    cases = rows.groupby(RUN[:3], sort=False)["outcome"].mean()
    means = cases.groupby(level="entity", sort=False).mean()
    return dict(zip(map(str, means.index), means.tolist(), strict=True))


def _case_means(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean outcome of each case over its runs, the rows of a table with a column for each entity."""
    return table.groupby(level=["dataset", "case"], sort=False).mean()


def _say_means(cases: pd.DataFrame) -> str:
    return _list_means(cases.mean())


def _list_means(means: pd.Series) -> str:
    ordered = means.sort_values(ascending=False, kind="stable")
    return f" (means: {list_names([f'{name} {mean:.3f}' for name, mean in ordered.items()], 4)})"


def name_setups(rows: pd.DataFrame, logs: Logs) -> list[Note]:
    """List differences between the setups of systems."""
    first = rows.drop_duplicates(["entity", "dataset"])[["entity", "dataset", "file"]]
    found: dict[str, Note] = {}
    for _, part in first.groupby("dataset", sort=False):
        setups = {
            e: logs.about[int(f)].get("setup") or {}
            for e, f in zip(part["entity"], part["file"], strict=True)
        }
        for key in next(iter(setups.values())):
            settings = {e: str(s.get(key)) for e, s in setups.items()}
            if len(set(settings.values())) > 1:
                found.setdefault(
                    f"{key} {settings}", Note("setups_differ", {"key": key, "setups": settings})
                )
    return list(found.values())


def name_scales(rows: pd.DataFrame) -> list[Note]:
    """List data sets whose outcomes are shares for one system, and perhaps percentages for another."""
    ends = rows.groupby(["dataset", "entity"], sort=False)["outcome"].agg(["min", "max"]).dropna()
    result = []
    for name, part in ends.groupby(level="dataset", sort=False):
        shares, others = (
            part[(part["min"] >= 0) & (part["max"] <= 1)],
            part[part["max"].between(10, 100)],
        )
        if len(shares) and len(others):
            fields = {"dataset": name, "share": shares.index[0][1], "other": others.index[0][1]}
            result.append(Note("scales_differ", fields | {"highest": others["max"].iloc[0]}))
    return result


def name_cut_files(rows: pd.DataFrame, logs: Logs) -> list[Note]:
    """List files that hold fewer cases than their run had."""
    held: dict[Any, int] = rows.groupby("file")["case"].nunique().to_dict()
    short = [(int(i), n, logs.about[int(i)].get("expected")) for i, n in held.items()]
    return [
        Note("cut_file", {"file": logs.called(i), "cases": n, "expected": int(size)})
        for i, n, size in short
        if size and n < size
    ][:3]


def name_positions(rows: pd.DataFrame) -> list[Note]:
    """List data sets whose cases are matched by positions, such as 0, 1, ..., without content to compare."""
    result = []
    for name, part in rows.groupby("dataset", sort=False):
        several = part["file"].nunique() > 1 and part["entity"].nunique() > 1
        if several and part["hash"].isna().all() and part["case"].str.fullmatch(r"\d+").all():
            result.append(
                Note("cases_by_position", {"dataset": name, "first": part["case"].iloc[0]})
            )
    return result
