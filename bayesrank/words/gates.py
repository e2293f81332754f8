"""The verdict on a gate: whether new entities are worse than a baseline."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.prose import few_names
from bayesrank._core.records import GateRecord
from bayesrank.words.parts import Verdict, compose

#: What two versions have in common, by the codes of the variable ``identical``.
IDENTICAL = {
    "answers": "gave identical answers on all {cases}",
    "outcomes": "had identical outcomes on all {cases}",
    "errors": "were right and wrong on the same cases, of all {cases}",
    "positive": "gave identical answers on all positive cases",
    "negative": "gave identical answers on all negative cases",
    "draws": "have the same score in every draw",
}
NEEDED = {"p_worse", "p_not_worse", "difference"}


def verdict_of_gate(gate: xr.Dataset) -> Verdict:
    """Return the verdict on the result of :func:`bayesrank.decisions.gate`."""
    record, verdict = GateRecord.of(gate), gate["verdict"].values
    names = [str(name) for name in gate["entity"].values.tolist()]
    by = "" if not record.margin else f" by more than {record.margin:g}"
    than = f"worse than {record.baseline}{by}"

    def name_those(what: str) -> str:
        return few_names([name for name, each in zip(names, verdict, strict=True) if each == what])

    if record.verdict == "worse":
        headline = f"Worse: {name_those('worse')} {'is' if (verdict == 'worse').sum() == 1 else 'are'} {than}"
    elif record.verdict == "undecided":
        headline = f"Undecided: {name_those('undecided')} may or may not be {than}"
    else:
        headline = (
            f"Not worse: {name_those('not worse')} {'is' if len(names) == 1 else 'are'} not {than}"
        )
    ones = [gate.isel(entity=i) for i in range(len(names))]
    text = [describe_identity(one) or describe_difference(one) for one in ones]
    if len(names) == 1:
        headline += f" ({text[0]})"
    notes: list[Note | str] = [*notes_of(gate["notes"])]
    if len(names) > 1:
        notes += [
            f"{name}: {each}, {words}."
            for name, each, words in zip(names, verdict, text, strict=True)
        ]
    return compose(record.verdict, f"{headline}.", notes, next_step=_next_step(gate))


def describe_identity(one: xr.Dataset) -> str:
    """Return what an entity and the baseline have in common on all cases; empty if they differ on some case."""
    common = str(one["identical"].item())
    if not common:
        return ""
    number = float(one["cases"])
    return f"the two versions {IDENTICAL[common].format(cases=prose.count(int(np.nan_to_num(number)), 'case'))}"


def describe_difference(one: xr.Dataset) -> str:
    """Return the difference of one entity with its bounds, and the cases behind it."""
    low, high = (format_signed(float(one[end])) for end in ("lower", "upper"))
    bounds = (
        f"bounds {low} to {high}"
        if np.isfinite([one["lower"], one["upper"]]).any()
        else "bounds unknown"
    )
    text = f"{GateRecord.of(one).display} {format_signed(float(one['difference']))}, {bounds}"
    cases, differ = float(one["cases"]), float(one["discordant"])
    if np.isnan(cases):
        return text
    split = "" if np.isnan(differ) else f", {differ:,.0f} of which differ"
    return f"{text}; {prose.count(int(cases), 'case')}{split}"


def format_signed(value: float) -> str:
    """Format a difference with its sign."""
    return f"{round(value, 3) + 0.0:+.3f}" if np.isfinite(value) else "unknown"


def _next_step(gate: xr.Dataset) -> str:
    """Return how many more cases would decide on the entities that are undecided."""
    needed = gate["needed"].values[gate["verdict"].values == "undecided"]
    if not needed.size or np.isnan(needed).all():
        return ""
    most = float(np.nanmax(needed))
    if np.isinf(most):
        return "More than 100 times as many cases would be needed if today's difference is the true one."
    return (
        f"About {prose.round_up(most):,} more cases decide it with 80% assurance if today's "
        "difference is the true one."
    )
