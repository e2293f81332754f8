"""The verdict on the reliability of runs: what varies, what separates two entities, and which cases flicker."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result
from bayesrank._core.prose import few_names
from bayesrank._core.records import ReliabilityRecord
from bayesrank.words.parts import NAMED, Verdict, compose

NEEDED = {"between_cases", "between_runs", "flickering", "cases_needed", "runs_needed"}


def verdict_of_reliability(result: xr.Dataset) -> Verdict:
    """Return the verdict on a result of :func:`bayesrank.cases.reliability`."""
    check_result("br.cases.reliability", "result", result, NEEDED, ("display", "cases", "runs"))
    record = ReliabilityRecord.of(result)
    names = [str(name) for name in result["entity"].values]
    shown = [i for i, name in enumerate(names) if name in (record.entity, record.rival)] or [0]
    notes = [] if (flickers := _flickers(result, names)) is None else [flickers]
    if np.isnan(result["between_runs"].values[shown]).all():
        enough = f"No case has twice as many runs as {record.display} has attempts"
        return compose("none", f"{enough}, which the spread between runs needs.", notes)
    spreads = [
        f"{prose.number(float(result['between_cases'][i]))} between cases and "
        f"{prose.number(float(result['between_runs'][i]))} between runs ({names[i]})"
        for i in shown
    ]
    headline = f"{record.display} varies by {', and '.join(spreads)}, as standard deviations."
    return compose("reliability", headline, notes, "", _plan(result, record))


def _plan(result: xr.Dataset, record: ReliabilityRecord) -> str:
    """Return how many cases and runs separate the two entities."""
    if not record.entity:
        return ""
    if not record.difference > 0:
        return f"{record.entity} and {record.rival} have the same {record.display}: no number of runs separates them."
    today, runs = record.runs, result["planned_runs"].values
    needed = result["cases_needed"].values
    if np.isnan(needed).all():
        return ""

    def cases(r: int) -> str:
        return f"{prose.round_up(max(needed[runs == r].item(), 1)):,}"

    more = int(runs[-1])
    parts = [f"about {cases(today)} cases with {prose.count(today, 'run')} each separate them"]
    if more > today:
        parts.append(f"or about {cases(more)} cases with {more} runs each")
    requested = float(result["runs_needed"])
    last = f"no number of runs of {record.cases:,} cases does"
    if not np.isnan(requested):
        last = f"{prose.count(int(requested), 'run')} of each of {record.cases:,} cases are enough"
    difference = prose.number(record.difference)
    truly = (
        f"If {record.entity} and {record.rival} truly differ by {difference} in {record.display}"
    )
    return f"{truly}, {', '.join(parts)}, with {record.assurance:.0%} power; {last}."


def _flickers(result: xr.Dataset, names: list[str]) -> str | None:
    """Return the cases that flicker for most entities; None if no case does, or their names are unknown."""
    if not result.sizes.get("case", 0):
        return None
    right, runs = result["right"].values, result["runs"].values
    cases = []
    for name, good, made in zip(result["case"].values.tolist(), right, runs, strict=True):
        some = np.flatnonzero((good > 0) & (good < made))[:NAMED]
        shares = ", ".join(f"{names[i]} {good[i]} of {made[i]}" for i in some)
        cases.append(f"{name} ({shares})")
    return f"Cases that flicker: {few_names(cases)}."
