"""The verdict on drift: which rate got worse, when, and what score and OPS did meanwhile."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import DriftRecord
from bayesrank.ops.alarms import RECENT
from bayesrank.scores.display import display_name
from bayesrank.words.parts import Verdict, compose

NEEDED = {"alarm", "p_worse", "since_baseline_mean"}
#: What a rate does when it gets worse.
VERBS = {"tpr": "fell", "fpr": "rose"}


def verdict_of_drift(drift: xr.Dataset) -> Verdict:
    """Return the verdict on the result of :func:`bayesrank.ops.drift` of draws."""
    record = DriftRecord.of(drift)
    if not set(drift["alarm"].dims) <= {"entity", "dataset", "rate", "against"}:
        raise ArgumentError(
            "result", "must have only the dims entity and dataset", drift["alarm"].dims
        )
    drift = drift if "entity" in drift["alarm"].dims else drift.expand_dims("entity")
    periods = [str(name) for name in drift["dataset"].values.tolist()]
    names = (
        [str(name) for name in drift["entity"].values.tolist()]
        if "entity" in drift.coords
        else [""]
    )
    alarm = drift["alarm"].transpose("entity", "dataset", "rate", "against").values
    first = periods.index(record.baseline)
    looks = len(periods) - 1 - first
    descriptions = {
        position: f"{_describe(drift, *position)}{f' ({names[position[0]]})' if len(names) > 1 else ''}"
        for position in sorted(
            map(tuple, np.argwhere(alarm)), key=lambda place: (place[1], place[0])
        )
    }
    notes: list[str] = []
    if descriptions:
        # The last look with an alarm, and in it the smallest p-value.
        p = drift["p_worse"].transpose("entity", "dataset", "rate", "against").values
        chosen = min(descriptions, key=lambda place: (-place[1], p[place]))
        worst, last = chosen[0], int(chosen[1])
        since = min(position[1] for position in descriptions)
        headline = f"Alarm in {periods[last]}: {descriptions[chosen]}."
        if since < last:
            headline = f"{headline[:-1]}; the first alarm was in {periods[since]}."
        elif last < len(periods) - 1:
            headline = f"{headline[:-1]}; later looks have no alarm."
        notes += [
            f"Alarm in {periods[position[1]]}: {text}."
            for position, text in descriptions.items()
            if position != chosen
        ]
    else:
        headline = (
            f"No alarm in {prose.count(looks, 'look')} since {record.baseline}: no rate got worse by more than chance "
            "explains."
        )
        change = drift["since_baseline_mean"].sel(part="rates").transpose("entity", "dataset")
        last_change, last = change.values[:, -1], len(periods) - 1
        worst = 0 if np.isnan(last_change).all() else int(np.nanargmin(last_change))
    notes.append(
        f"In {prose.count(record.looks, 'successive look')} the probability of any false alarm is at most "
        f"{1 - record.prob:.2g}, if the {record.unit or 'cases'} of each period are independent."
    )
    if record.monitor not in ("", record.score):
        notes.append(
            f"The OPS of {display_name(record.score)} also changes with the prevalence; that of "
            f"{display_name(record.monitor)} changes with the rates alone."
        )
    kind = "alarm" if descriptions else "no alarm"
    return compose(
        kind,
        headline,
        notes,
        _values(drift.isel(entity=worst), names[worst], len(names), first, last),
    )


def _describe(drift: xr.Dataset, entity: int, period: int, rate: int, against: int) -> str:
    """Return which rate got worse, from which value to which."""
    name = str(drift["rate"].values[rate])
    means = drift[f"{name}_mean"].isel(entity=entity).values
    first = drift["dataset"].values.tolist().index(_label(drift))
    measured = [i for i in range(first + 1, period + 1) if np.isfinite(means[i])]
    if drift["against"].values[against] == "previous":
        before, now, over = means[measured[-2]], means[period], ""
        where = str(drift["dataset"].values[measured[-2]])
    else:
        # The look alone, or the last looks together: whichever is worse.
        recent, sign = measured[-RECENT:], -1 if name == "tpr" else 1
        recent = max(recent[-1:], recent, key=lambda few: sign * means[few].mean())
        before, now, where = means[first], means[recent].mean(), DriftRecord.of(drift).baseline
        over = f" (mean of the last {len(recent)} looks)" if len(recent) > 1 else ""
    from_to = f"from {prose.number(before, 3)} in {where} to {prose.number(now, 3)}{over}"
    return f"{display_name(name)} {VERBS[name]} {from_to}"


def _label(drift: xr.Dataset) -> object:
    """Return the baseline, which attrs hold as text."""
    baseline = DriftRecord.of(drift).baseline
    matching = [name for name in drift["dataset"].values.tolist() if str(name) == baseline]
    if not matching:
        raise ArgumentError(
            "result", f"must contain the baseline {baseline!r}", describe_value(drift)
        )
    return matching[0]


def _values(one: xr.Dataset, name: str, entities: int, first: int, last: int) -> str:
    """Return the score and its OPS in the baseline and in a look, as a sentence."""
    record = DriftRecord.of(one)
    ends = {
        what: " to ".join(prose.number(float(one[f"{what}_mean"][i]), 3) for i in (first, last))
        for what in ("score", "ops")
    }
    whose = f" of {name}" if entities > 1 else ""
    return (
        f"From {record.baseline} to {one['dataset'].values[last]}, {display_name(record.score)}{whose} went from "
        f"{ends['score']}, and its OPS from {ends['ops']}."
    )


def name_alarms(alarm: xr.DataArray) -> str:
    """Return the rates of one entity and period that raised an alarm; empty if none did."""
    return ", ".join(
        str(rate).upper() for rate in alarm["rate"].values[alarm.any("against").values]
    )
