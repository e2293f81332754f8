"""One table from the rows of evaluation logs: a metric, a variant and a run of each case."""

import re
from collections.abc import Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._core import prose
from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.io import formats
from bayesrank.io.logs import stops
from bayesrank.io.logs.choices import Choices, LogError
from bayesrank.io.logs.files import Logs, matches
from bayesrank.io.logs.stops import RUN, TIME

#: Columns for users; the first five are always there.
SHOWN = formats.COLUMNS[:10]


def settle(logs: Logs, choices: Choices) -> pd.DataFrame:
    """Return the table of the chosen rows; raise where the logs leave open what it would be."""
    remarks: list[Note] = []
    rows = _choose_rows(logs, choices, remarks)
    stops.refuse_nameless(rows, logs, choices)
    rows["entity"] = rows["entity"].astype(str)
    rows["dataset"] = rows["dataset"].fillna("data").astype(str)
    rows["case"] = rows["case"].astype(str)
    rows = _as_numbers(rows, logs, choices)
    rows = _read_costs(rows, remarks)
    rows = _choose_metric(rows, logs, choices, remarks)
    stops.refuse_judges(rows, choices)
    stops.refuse_scales(rows, logs, choices)
    better = stops.find_direction(rows, choices)
    rows = _match_cases(rows, logs, choices)
    rows = _settle_reruns(rows, logs, choices, remarks)
    stops.refuse_copied_datasets(rows, choices)
    rows = _settle_errors(rows, logs, choices)
    total = _doubt_total(rows, logs)
    if choices.cases is not None:
        rows, total = _add_unlisted(rows, choices.cases, remarks), []
    frame = rows[[c for c in SHOWN if c in SHOWN[:5] or rows[c].notna().any()]].reset_index(
        drop=True
    )
    numbers = pd.to_numeric(frame["run"], errors="coerce")
    if numbers.notna().all() and (numbers % 1 == 0).all():
        frame["run"] = numbers.astype(int)
    metrics = (
        rows[rows["metric"].notna()].groupby("dataset", sort=False)["metric"].first().to_dict()
    )
    frame.attrs = {
        "formats": list(dict.fromkeys(formats.load(one["format"]).TITLE for one in logs.about)),
        "source": {
            str(e): logs.about[int(f)]["source"]
            for e, f in rows.groupby("entity")["file"].first().items()
        },
        "metric": metrics,
        "higher_is_better": better,
        "in_percent": all(one.get("in_percent", False) for one in logs.about),
        "means_with_errors": _means_with_errors(rows),
        "rules": formats.rules_of(one["format"] for one in logs.about),
        "remarks": remarks,
        "doubts": [
            *logs.doubts,
            *total,
            *stops.name_setups(rows, logs),
            *stops.name_cut_files(rows, logs),
            *stops.name_scales(rows),
            *stops.name_positions(rows),
        ],
    }
    return frame


def _doubt_total(rows: pd.DataFrame, logs: Logs) -> list[Note]:
    """Return a note where files list fewer cases than the board of their tool divides by, and do not say how many."""
    totals = formats.totals_of(one["format"] for one in logs.about)
    cases = len(rows.drop_duplicates(RUN[1:3]))
    stated = any(one.get("expected") for one in logs.about)
    if not totals or stated or cases in totals.values():
        return []
    return [Note("board_total", {"cases": cases, "totals": totals})]


def _add_unlisted(rows: pd.DataFrame, total: int, remarks: list[Note]) -> pd.DataFrame:
    """Return the rows with a wrong outcome for every run of a system, and every of ``total`` cases that it lacks."""
    names = list(rows["dataset"].unique())
    if len(names) > 1:
        raise ArgumentError(
            "cases",
            "must be the number of cases of one data set",
            f"{len(names)}: {list_names(names)}",
        )
    values = set(rows["outcome"].dropna())
    if not values <= {0.0, 1.0} or (rows["better"] == False).any():  # noqa: E712  (a column of objects)
        raise ArgumentError(
            "cases", "cannot be used for logs without right or wrong answers", f"{total}"
        )
    listed = list(dict.fromkeys(rows["case"]))
    if total < len(listed):
        raise ArgumentError(
            "cases", f"must be at least {len(listed)}, the number of listed cases", f"{total}"
        )
    listed_names = set(listed)
    fresh = (name for name in map("unlisted {}".format, count(1)) if name not in listed_names)
    every = [*listed, *islice(fresh, total - len(listed))]
    record = rows.drop_duplicates("case").set_index("case")[["cluster", "category", "hash"]]
    parts = [rows]
    for _, own in rows.groupby(["entity", "run"], sort=False):
        own_cases = set(own["case"])
        lacking = [case for case in every if case not in own_cases]
        part = record.reindex(lacking).reset_index(names="case").reindex(columns=rows.columns)
        first: dict[Any, Any] = own.iloc[0].to_dict()
        same = ("entity", "run", "dataset", "metric", "variant", "judge", "better", "file")
        parts.append(
            part.assign(outcome=0.0, status="not listed", **{name: first[name] for name in same})
        )
    result = pd.concat([part for part in parts if len(part)], ignore_index=True)
    runs = len(result) - len(rows)
    remarks.append(Note("cases_unlisted", {"total": total, "listed": len(listed), "runs": runs}))
    return result


def _means_with_errors(rows: pd.DataFrame) -> dict[str, float]:
    """Return the mean of each entity if errors have the scores of the file; empty if the file scores none of them."""
    if not (rows["scored"].notna() & rows["outcome"].isna()).any():
        return {}
    outcome = rows["outcome"].where(rows["outcome"].notna(), rows["scored"].astype(float))
    return stops.means_of(rows.assign(outcome=outcome))


def _choose_rows(logs: Logs, choices: Choices, remarks: list[Note]) -> pd.DataFrame:
    rows = logs.rows.copy()
    for key, requested in choices.only.items():
        column = rows["file"].map(dict(enumerate(logs.names))) if key == "file" else rows[key]
        every = logs.names if key == "file" else list(map(str, logs.rows[key].dropna().unique()))
        requested = _split_values(requested, every, key == "file")
        named = [
            name
            for name in every
            if any(matches(name, w) if key == "file" else name == w for w in requested)
        ]
        retained = column.astype(str).isin(named)
        unknown = [w for w in requested if key != "file" and w not in every]
        if unknown or not retained.any():
            choices_known = list(map(str, column.dropna().unique()))
            requirement = (
                f"one of {list_names(choices_known, 8)}"
                if choices_known
                else f"left out of logs that name no {key}"
            )
            raise ArgumentError(
                choices.say("only", unknown or requested, key), f"must be {requirement}"
            )
        if key in ("metric", "variant"):
            # A run that broke off has no metric; a data set with another filter alone keeps it.
            has = rows["dataset"].isin(set(rows.loc[retained, "dataset"])) | rows["dataset"].isna()
            retained |= column.isna() & has if key == "metric" else ~has
            lost = sorted(set(rows["dataset"].dropna()) - set(rows.loc[retained, "dataset"]))
            if lost:
                remarks.append(
                    Note("datasets_left_out", {"key": key, "wanted": requested, "datasets": lost})
                )
        if key in ("metric", "variant", "judge"):
            files, used = rows["file"].unique().tolist(), set(rows.loc[retained, "file"])
            unused = [logs.called(i) for i in files if i not in used]
            fields = {"key": key, "wanted": requested, "files": unused, "total": len(files)}
            remarks += [Note("files_left_out", fields)] if unused else []
        rows = rows[retained]
    return rows


def _as_numbers(rows: pd.DataFrame, logs: Logs, choices: Choices) -> pd.DataFrame:
    """Return outcomes as numbers; refuse metrics that have no number for a case."""
    outcomes = rows["outcome"]
    numbers = outcomes
    if outcomes.dtype != float:
        numbers = pd.to_numeric(
            outcomes.where(outcomes.map(lambda v: isinstance(v, int | float | np.number))),
            errors="coerce",
        )
    foreign = outcomes.notna() & numbers.isna()
    if foreign.any():
        metric = rows["metric"].fillna("")
        some = metric.isin(set(metric[numbers.notna()]))
        if (foreign & some).any():
            i: Any = (foreign & some).idxmax()
            row: dict[str, Any] = rows.loc[i].to_dict()
            where, leave = f"{row['case']} of {row['entity']}", logs.called(int(row["file"]))
            raise LogError(
                f"the outcomes of {metric[i] or 'cases'}",
                "must be numbers",
                f"{describe_value(outcomes[i])} for case {where}",
                f"correct that row, or {choices.leave_out(leave)}",
                name={leave: ""},
            )
        if not numbers.notna().any():
            i = foreign.idxmax()
            raise LogError(
                "the logs",
                "must contain a number for each case",
                f"{str(outcomes[i])[:60]!r}: {metric[i] or 'the outcome'} is a {type(outcomes[i]).__name__}, "
                "whose score is "
                "computed over all cases or by rules of its own",
                "rank by a metric that scores single cases, which the tool must write",
            )
        rows, numbers = rows[~foreign], numbers[~foreign]
    infinite = np.isinf(numbers)
    rows = rows.assign(outcome=numbers.where(~infinite))
    rows["status"] = rows["status"].where(~infinite, "not finite")
    return rows


def _read_costs(rows: pd.DataFrame, remarks: list[Note]) -> pd.DataFrame:
    """Return costs and times as numbers, and add a remark if some are text."""
    for column in ("cost", "seconds"):
        numbers = pd.to_numeric(rows[column], errors="coerce")
        text = rows.loc[rows[column].notna() & numbers.isna(), column]
        if len(text):
            remarks.append(
                Note("no_number", {"column": column, "rows": len(text), "first": str(text.iloc[0])})
            )
        rows = rows.assign(**{column: numbers})
    return rows


def _split_values(wanted: Sequence[str], known: Sequence[str], files: bool) -> list[str]:
    """Return the values to keep; a text is one value if that is known, else several with commas between them."""
    full = [
        text
        for text in wanted
        if (any(matches(name, text) for name in known) if files else text in known)
    ]
    return [
        part.strip() for text in wanted for part in ([text] if text in full else text.split(","))
    ]


def _choose_metric(
    rows: pd.DataFrame, logs: Logs, choices: Choices, remarks: list[Note]
) -> pd.DataFrame:
    """Check that each data set has one metric and one variant."""
    for key in ("metric", "variant"):
        with_key = rows[rows[key].notna()]
        values = with_key.groupby("dataset", sort=False)[key].unique()
        of = {dataset: names.tolist() for dataset, names in values.items()}
        several = {d: names for d, names in of.items() if len(names) > 1}
        every = list(dict.fromkeys(name for names in of.values() for name in names))
        if not several and (len(every) < 2 or key == "variant" or key in choices.only):
            continue
        word = logs.variant if key == "variant" else key
        # The proposal has the most systems, then the most data sets.
        spread = with_key.groupby(key)
        systems, sets = (spread[column].nunique().to_dict() for column in ("entity", "dataset"))
        common = sorted(every, key=lambda name: (-systems[name], -sets[name]))
        chosen = [
            next(name for name in common if name in names) for names in (several or of).values()
        ]
        value = list(dict.fromkeys(map(str, chosen)))
        if several:
            where, alternatives = next(iter(several.items()))
            text = f"{where} has {len(alternatives)} {word}s, {list_names(alternatives, 8)}"
            text += f", and so have {len(several) - 1} other data sets" if len(several) > 1 else ""
        else:
            alternatives = [names[0] for names in of.values()]
            each = [f"{names[0]} ({dataset})" for dataset, names in of.items()]
            text = f"data sets have different {word}s, {list_names(each, 8)}"
        best = [name for name in common if name in alternatives]
        typed = [choices.say("only", option, key) for option in (value, *map(str, best))]
        remedies = ", ".join(list(dict.fromkeys(typed))[:4])
        why = "would count cases more than once" if several else "would mix scales"
        requirement = f"must be ranked by one {word} of each case, since several {word}s {why}"
        raise LogError("the logs", requirement, text, f"choose one: {remedies}", only={key: value})
    named = rows["variant"].dropna().unique()
    if set(named) - {"none", "filter 1", "original"}:
        remarks.append(Note("variant", {"called": logs.variant, "values": list(named)}))
    return rows


def _match_cases(rows: pd.DataFrame, logs: Logs, choices: Choices) -> pd.DataFrame:
    """Give cases of the same content one name, if the user wants it; refuse different content under one name."""
    has_hash = rows["hash"].notna()
    if choices.match == "content":
        if not has_hash.all():
            raise ArgumentError(
                "match",
                "cannot be content for logs without the content of cases; omit the option",
            )
        of_run = ["file", "dataset", "hash", "run"]
        order = rows.groupby(of_run, dropna=False, sort=False).cumcount()
        code = pd.Series(pd.factorize(rows["hash"])[0], rows.index)
        first = rows.groupby(code)["case"].transform("first")
        repeated = rows.groupby(["dataset", "case"])["hash"].transform("nunique") > 1
        case = first.where(~repeated, "content " + (code + 1).astype(str))
        return rows.assign(case=case.where(order == 0, case + " (" + (order + 1).astype(str) + ")"))
    if not has_hash.any():
        return rows
    pairs = rows.loc[has_hash, ["dataset", "case", "hash"]].drop_duplicates()
    twice = pairs.duplicated(["dataset", "case"])
    if not twice.any():
        return rows
    dataset, case = pairs.loc[twice, ["dataset", "case"]].iloc[0]
    of_case = rows[(rows["dataset"] == dataset) & (rows["case"] == case) & has_hash]
    both = of_case.drop_duplicates("hash").iloc[:2]
    where = " and ".join(
        f"{e} ({logs.called(int(f))})" for e, f in zip(both["entity"], both["file"], strict=True)
    )
    last = logs.called(int(both["file"].iloc[-1]))
    remedy: dict[str, Any] = {"match": "content"} if has_hash.all() else {"name": {last: ""}}
    advice = f"{choices.say('match', 'content')} matches cases by their content"
    raise LogError(
        f"case {case} of {dataset}",
        "must be the same for all systems",
        f"{prose.count(int(twice.sum()), 'case')} whose content differs; for this one between {where}",
        advice if has_hash.all() else choices.leave_out(last),
        **remedy,
    )


def _settle_reruns(
    rows: pd.DataFrame, logs: Logs, choices: Choices, remarks: list[Note]
) -> pd.DataFrame:
    """Keep each run once; the user decides what a second log of the same cases is."""
    # A log without numbers of runs may stand beside another one of the same cases that has some.
    first = "1" if rows["run"].map(lambda run: isinstance(run, str)).any() else 1
    rows = rows.assign(run=rows["run"].where(rows["run"].notna(), first))
    again = rows.duplicated(RUN, keep=False)
    if again.any() and choices.reruns is None:
        stops.refuse_reruns(rows[again], logs, choices)
    if again.any() and choices.reruns == "runs":
        number = rows.groupby(RUN, dropna=False).cumcount() + 1
        numbered = rows["run"].notna() & (rows.groupby(RUN[:3])["run"].transform("nunique") > 1)
        rows["run"] = number.astype(object).where(
            ~numbered, rows["run"].astype(str) + "/" + number.astype(str)
        )
        remarks.append(Note("logs_are_runs"))
        return rows
    if again.any():
        age = rows["file"].map(
            lambda i: (m := TIME.search(logs.names[i])) and re.sub(r"\D", "", m[0])
        )
        timeless = rows.loc[again & age.isna(), "file"].unique()
        if rows.loc[again, "file"].nunique() > 1 and len(timeless):
            file = logs.called(int(timeless[0]))
            raise LogError(
                "reruns",
                "cannot be latest for files without a time in their names",
                file,
                choices.leave_out(file),
                name={file: ""},
                reruns=None,
            )
        order = rows.assign(age=age).sort_values("age", kind="stable", na_position="first")
        rows = rows.loc[order.drop_duplicates(RUN, keep="last").index.sort_values()]
        remarks.append(Note("latest_log_counts"))
    return rows


def _settle_errors(rows: pd.DataFrame, logs: Logs, choices: Choices) -> pd.DataFrame:
    """Set the status of each run; the outcome of an error is missing, unless the user keeps the file's score."""
    failed = rows["status"] == "error"
    scored = rows["scored"].where(rows["scored"].notna(), rows["outcome"]).astype(float)
    rows = rows.assign(
        outcome=rows["outcome"].where(~failed, scored if choices.errors == "scored" else np.nan)
    )
    default = pd.Series(np.where(rows["outcome"].notna(), "scored", "no outcome"), rows.index)
    rows["status"] = rows["status"].where(rows["status"].notna(), default)
    none = rows.groupby("entity", sort=False)["outcome"].count().eq(0)
    if none.any():
        name = none.idxmax()
        part = rows[rows["entity"] == name]
        why = ", ".join(f"{n} with status {s}" for s, n in part["status"].value_counts().items())
        retained = f"; {choices.say('errors', 'scored')} keeps what the file counts errors as"
        retained = retained if scored[part.index].notna().any() else ""
        file = logs.called(int(part["file"].iloc[0]))
        remedy = {"errors": "scored"} if retained else {"name": {file: ""}}
        raise LogError(
            name,
            "must have an outcome of at least one case",
            f"none: {why}",
            f"run it again{retained}, or {choices.leave_out(file)}",
            **remedy,
        )
    return rows
