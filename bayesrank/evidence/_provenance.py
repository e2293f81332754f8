"""Sentences on how evidence was assembled: pooled data sets, clusters, runs, missing answers."""

from collections.abc import Mapping
from typing import Any

from bayesrank import _text
from bayesrank.evidence._pooled import record_of


def provenance(about: Mapping[Any, Any]) -> list[str]:
    """Describe, from attrs of evidence or its posterior, how the evidence was assembled."""
    lines = []
    if (record := record_of(about)) is not None:
        names = record["datasets"]
        lines.append(f"Pooled over {_text.count(len(names), 'data set')}: {', '.join(names)}.")
    if "clusters" in about:
        lines.append(f"Cases come in {_text.count(int(about['clusters']), 'cluster')}, each counted as one unit.")
    if "most_runs" in about:
        fewest, most = int(about["fewest_runs"]), int(about["most_runs"])
        runs = _text.count(most, "run") if fewest == most else f"{fewest} to {most} runs"
        lines.append(f"A case has {runs}; its outcome is their mean.")
    if "missing" in about:
        how, what = about["missing"], "runs" if "most_runs" in about else "cases"
        said = f"each counts as {how}."
        if how == "common":
            kept = int(about["cases"])
            said = f"the {kept} of {kept + int(about['cases_left_out'])} {what} that all entities met are kept."
        elif how == "own":
            said = "each entity has its own cases, which are assumed to represent the missing ones."
        lines.append(f"Answers are missing: {said}")
    return lines
