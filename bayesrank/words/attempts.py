"""Who is best for how many attempts, in words."""

from itertools import groupby
from typing import NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nouns import noun
from bayesrank._core.prose import few_names
from bayesrank._core.records import EvidenceRecord, RankingRecord, ResultRecord
from bayesrank.words.parts import Verdict, compose
from bayesrank.words.sentences import say
from bayesrank.words.standing import POPULATIONS

NEEDED = {"event", "attempts", "leader", "headline", "surely_above", "crosses", "probability_best"}
WORDS = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
#: A sentence has at most so many stretches; of more, it has the first, the longest of the others
#: and the last.
STRETCHES = 3


class Stretch(NamedTuple):
    """Consecutive numbers of attempts with the same leader and the same claim."""

    first: int
    last: int
    leader: str
    headline: str
    chance: str  #: The smallest P(best) of the leader, as words.


def verdict_of_attempts(curve: xr.Dataset) -> Verdict:
    """Return the verdict on a curve of attempts."""
    check_result("br.scores.attempts_curve", "result", curve, NEEDED, ("prob", "draws"))
    parts = {event: stretches(curve, event) for event in ("any", "all")}
    notes: list[Note | str] = [*notes_of(EvidenceRecord.of(curve).notes), *_crossings(curve)]
    if curve.sizes["entity"] < 2:
        return compose("none", _of_one(curve), notes)
    if all(one.headline == "none" for one in parts["any"]):
        return compose("none", "No ranking by the number of attempts.", notes)
    every = f"If all attempts must succeed, for {_said(parts['all'], 'for')}."
    limits = [say(note) for note in notes if isinstance(note, Note) and note.code == "curve_ends"]
    where = POPULATIONS[RankingRecord.of(curve).population].capitalize()
    sentence = f"{where}, by {_said(parts['any'], 'by')}."
    return compose(
        parts["any"][-1].headline,
        sentence,
        [note for note in notes if not isinstance(note, Note) or note.code != "curve_ends"],
        " ".join([every, *limits] if curve.sizes["attempts"] > 1 else limits),
    )


def stretches(curve: xr.Dataset, event: str) -> list[Stretch]:
    """Return who leads for how many attempts: from one on, or from two on where all must succeed."""
    first = 1 if event == "any" else 2
    stretch = curve.sel(event=event, attempts=slice(first, None))
    size, names = ResultRecord.of(curve).draws, curve["entity"].values.tolist()
    rows = list(
        zip(stretch["leader"].values.tolist(), stretch["headline"].values.tolist(), strict=True)
    )
    best = stretch["probability_best"].transpose("attempts", "entity").values
    result = []
    for (leader, headline), places in groupby(range(len(rows)), key=lambda i: rows[i]):
        ks = list(places)
        chance = prose.probability(float(best[ks, names.index(leader)].min()), size)
        mark = (
            f"{chance[0]} {chance[1:]}"
            if chance[0] in "<>"
            else f"{'=' if len(ks) == 1 else '≥'} {chance}"
        )
        result.append(
            Stretch(first + ks[0], first + ks[-1], str(leader), str(headline), f"P {mark}")
        )
    return result


def _said(found: list[Stretch], word: str) -> str:
    """Return the stretches as one sentence, without its first word."""
    if len(found) > STRETCHES:
        middle = max(found[1:-1], key=lambda one: (one.last - one.first, -one.first))
        found = [found[0], middle, found[-1]]
    parts = [f"{number_of_attempts(one.first, one.last)} {_claim(one)}" for one in found]
    return f"; {word} ".join(parts)


def _claim(one: Stretch) -> str:
    return (
        f"{one.leader} is best ({one.chance})" if one.headline == "best" else f"{one.leader} leads"
    )


def number_of_attempts(first: int, last: int) -> str:
    """Return a range of numbers of attempts in words."""
    if first == last:
        word = WORDS[first - 1] if first <= len(WORDS) else str(first)
        return f"{word} attempt{'s' * (first > 1)}"
    return f"{first} to {last} attempts"


def _crossings(curve: xr.Dataset) -> list[str]:
    """Return a sentence on the pairs that surely change their order."""
    crosses, names = curve["crosses"].values, [str(name) for name in curve["entity"].values]
    pairs = [f"{names[i]} and {names[j]}" for i, j in np.argwhere(np.triu(crosses))]
    if not pairs:
        return []
    changes = (
        "pair surely changes its order" if len(pairs) == 1 else "pairs surely change their order"
    )
    return [
        f"{len(pairs)} {changes} with the number of attempts that must succeed: {few_names(pairs)}."
    ]


def _of_one(curve: xr.Dataset) -> str:
    name, size = str(curve["entity"].values[0]), curve.sizes["attempts"]
    values = curve["observed"].isel(entity=0)
    ends = [f"pass@1 {prose.number(float(values.sel(event='any', attempts=1)))}"]
    if size > 1:
        ends += [
            f"pass{mark}{size} {prose.number(float(values.sel(event=event, attempts=size)))}"
            for event, mark in (("any", "@"), ("all", "^"))
        ]
    return f"Nothing to rank: {name} is the only {noun()}. It has {prose.list_names(ends)}."
