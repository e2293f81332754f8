"""Sentences on whether a score may rank."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.nouns import a_noun, nouns
from bayesrank.scores import Score
from bayesrank.scores.names import SCORES, find
from bayesrank.scores.verdicts import ScoreVerdict
from bayesrank.words.parts import Verdict, compose

__all__ = [
    "NEEDED",
    "capitalise",
    "describe_fault",
    "describe_verdict",
    "nearest_sentence",
    "verdict_of_audit",
]

#: The variables that an audit has, and no other result.
NEEDED = {"axiom_2", "axiom_3_upper", "axiom_3_lower"}
#: The tests of an audit, the one whose counterexample is shown first.
TESTS = ("axiom_3_upper", "axiom_3_lower", "axiom_2")
#: Why a score should not rank, by its fault.
FAULTS = {
    "above": "a mixture of two {nouns} can have a better {score} than both",
    "below": "a mixture of two {nouns} can have a worse {score} than both",
    "surely worse": "{a_noun} that is surely no better than another can have a better {score}",
    "undefined": "a mixture of two {nouns} with a value can be without {score}",
}


def describe_fault(fault: str, score: str) -> str:
    """Return why a score should not rank, by its fault; empty without one."""
    return FAULTS.get(fault, "").format(score=score, nouns=nouns(), a_noun=a_noun())


def describe_verdict(score: Score, verdict: ScoreVerdict) -> list[str]:
    """Return a verdict on a score in sentences: whether it may rank, why not, and the score that orders most alike."""
    name, fault = capitalise(score.display), describe_fault(verdict.fault, score.display)
    if verdict.may_rank == "yes":
        return [f"{name} may rank."]
    if verdict.may_rank == "at one prevalence":
        lines = [f"{name} may rank only while the prevalence is fixed. Otherwise, {fault}."]
    elif verdict.may_rank == "no":
        lines = [f"{name} should not rank, even at one prevalence: {fault}."]
    elif score.higher_is_better is None:
        return [f"{name} has no direction, so it is not used for ranking."]
    else:
        return [f"{name} has no stored verdict."]
    near = verdict.nearest()
    if near is not None:
        lines.append(nearest_sentence(SCORES[near[0]].display, *near[1:]).strip())
    return lines


def nearest_sentence(nearest: str | None, tau: float | None, at: float | None) -> str:
    """Return a sentence on the score that may rank and orders most alike, after a space; empty if there is none."""
    if nearest is None:
        return ""
    which, where = ("always rank", "") if at is None else ("rank", f" at prevalence {at:g}")
    return f" Of the scores that may {which}, {nearest} has the most similar order{where} (tau = {tau:.2f})."


def capitalise(text: str) -> str:
    """Return a text with a capital first letter; other letters stay."""
    return text[:1].upper() + text[1:]


def verdict_of_audit(row: xr.Dataset) -> Verdict:
    """Return the verdict on one score, from :func:`bayesrank.audit`: whether it may rank, and a counterexample."""
    if row["verdict"].dims:
        hint = f"br.verdict(table.sel(score={str(np.ravel(row['score'].values)[0])!r}, prevalence=0.5))"
        raise ArgumentError(
            "result", "must be the audit of one score", f"the dims {row['verdict'].dims}", hint
        )
    text = row["verdict"].item()
    if "order" in row.coords or "proof" in row:
        return compose("audit", f"{capitalise(text)}.", [])
    score = find(row["score"].item())
    name = score.display if score else row["score"].item()
    failed = [test for test in TESTS if not row[test]]
    return compose(
        "audit",
        f"{capitalise(name)} {text}.",
        [],
        _counterexample(row, name, failed[0]) if failed else "",
    )


def _counterexample(row: xr.Dataset, name: str, test: str) -> str:
    """Return the performances that fail a test in whole numbers of cases; empty where that takes too many."""
    counterexample = row[["counterexample_cases", "counterexample_value"]].sel(test=test)
    parts = []
    for role in counterexample["role"].values:
        cells = counterexample["counterexample_cases"].sel(role=role).values
        value = counterexample["counterexample_value"].sel(role=role).values
        if not np.isnan(cells).any():
            number = "no value" if np.isnan(value) else prose.number(float(value))
            parts.append(f"{', '.join(f'{n:g}' for n in cells.ravel())} ({number})")
    if len(parts) < 2:
        return ""
    headings = (
        "TN, FP, FN, TP" if row.sizes["actual"] == 2 else "row by row of the confusion matrix"
    )
    third = f"; the even mixture of both: {parts[2]}" if len(parts) > 2 else ""
    return f"Cases ({headings}) and {name}: first {parts[0]}, second {parts[1]}{third}."
