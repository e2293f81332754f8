"""Sentences on whether a score may rank."""

from bayesrank.scores import Score
from bayesrank.scores.names import SCORES
from bayesrank.scores.verdicts import ScoreVerdict

__all__ = ["FAULTS", "capitalise", "describe_verdict", "nearest_sentence"]

#: Why a score should not rank, by its fault.
FAULTS = {
    "above": "a mixture of two entities can have a better {score} than both",
    "below": "a mixture of two entities can have a worse {score} than both",
    "surely worse": "an entity that is surely no better than another can have a better {score}",
    "undefined": "a mixture of two entities with a value can be without {score}",
}


def describe_verdict(score: Score, verdict: ScoreVerdict) -> list[str]:
    """Return a verdict on a score in sentences: whether it may rank, why not, and the score that orders most alike."""
    name, fault = capitalise(score.display), FAULTS.get(verdict.fault, "").format(score=score.display)
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
    return f" Of the scores that may {which}, {nearest} orders all performances{where} most alike (tau = {tau:.2f})."


def capitalise(text: str) -> str:
    """Return a text with a capital first letter; other letters stay."""
    return text[:1].upper() + text[1:]
