"""The verdict on the reliability of runs: what varies, what separates two entities, and which cases flicker."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result
from bayesrank._core.prose import few_names
from bayesrank._core.records import ReliabilityRecord
from bayesrank.words.parts import NAMED, Verdict, compose

NEEDED = {"between_cases", "between_runs", "flickering", "cases_needed", "runs_needed"}


def verdict_of_reliability(found: xr.Dataset) -> Verdict:
    """Return the verdict on a result of :func:`bayesrank.cases.reliability`."""
    check_result("br.cases.reliability", "result", found, NEEDED, ("display", "cases", "runs"))
    record = ReliabilityRecord.of(found)
    names = [str(name) for name in found["entity"].values]
    shown = [i for i, name in enumerate(names) if name in (record.entity, record.rival)] or [0]
    notes = [] if (flickers := _flickers(found, names)) is None else [flickers]
    if np.isnan(found["between_runs"].values[shown]).all():
        enough = f"No case has twice as many runs as {record.display} has attempts"
        return compose("none", f"{enough}, which the spread between runs needs.", notes)
    spreads = [
        f"{prose.number(float(found['between_cases'][i]))} between cases and "
        f"{prose.number(float(found['between_runs'][i]))} between runs ({names[i]})"
        for i in shown
    ]
    headline = f"{record.display} varies by {', and '.join(spreads)}, as standard deviations."
    return compose("reliability", headline, notes, "", _plan(found, record))


def _plan(found: xr.Dataset, about: ReliabilityRecord) -> str:
    """Return how many cases and runs separate the two entities."""
    if not about.entity:
        return ""
    if not about.difference > 0:
        return f"{about.entity} and {about.rival} have the same {about.display}: no number of runs separates them."
    today, runs = about.runs, found["planned_runs"].values
    needed = found["cases_needed"].values
    if np.isnan(needed).all():
        return ""

    def cases(r: int) -> str:
        return f"{prose.round_up(max(needed[runs == r].item(), 1)):,}"

    more = int(runs[-1])
    parts = [f"about {cases(today)} cases with {prose.count(today, 'run')} each separate them"]
    if more > today:
        parts.append(f"or about {cases(more)} cases with {more} runs each")
    requested = float(found["runs_needed"])
    last = f"no number of runs of {about.cases:,} cases does"
    if not np.isnan(requested):
        last = f"{prose.count(int(requested), 'run')} of each of {about.cases:,} cases are enough"
    truly = f"If {about.entity} and {about.rival} truly differ by {prose.number(about.difference)} in {about.display}"
    return f"{truly}, {', '.join(parts)}, with {about.assurance:.0%} power; {last}."


def _flickers(found: xr.Dataset, names: list[str]) -> str | None:
    """Return the cases that flicker for most entities; None if no case does, or their names are unknown."""
    if not found.sizes.get("case", 0):
        return None
    right, runs = found["right"].values, found["runs"].values
    cases = []
    for name, good, made in zip(found["case"].values.tolist(), right, runs, strict=True):
        some = np.flatnonzero((good > 0) & (good < made))[:NAMED]
        shares = ", ".join(f"{names[i]} {good[i]} of {made[i]}" for i in some)
        cases.append(f"{name} ({shares})")
    return f"Cases that flicker: {few_names(cases)}."
