"""The parts of a verdict, how sentences list names, and what tables show of the evidence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bayesrank._core import prose
from bayesrank._core.escape import escape_invisible
from bayesrank._core.notes import Note
from bayesrank._core.nouns import noun
from bayesrank._core.percent import in_percent, score_text, using_words_of
from bayesrank.ranking.summary import EVIDENCE
from bayesrank.words.caveats import Caveat
from bayesrank.words.sentences import caveat_of, say

#: Largest number of names that a sentence lists; for more it gives the number.
NAMED = 5


@dataclass(frozen=True)
class Verdict:
    """A verdict in its four parts, and its notes; empty parts are omitted."""

    kind: str
    headline: str
    loss: str = ""
    next_step: str = ""
    caveat: str = ""
    noun: str = ""  #: What an entity is called in its sentences.
    in_percent: bool = False  #: Whether its sentences have scores in percent.
    #: The notes that are no caveat of the verdict: facts, and sentences on the result itself.
    others: tuple[Note | str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes as sentences."""
        with using_words_of(self):
            return tuple(escape_invisible(say(note)) for note in self.others)

    def without(self, *codes: str) -> "Verdict":
        """Return the verdict without the notes of these codes."""
        return replace(
            self, others=tuple(n for n in self.others if isinstance(n, str) or n.code not in codes)
        )

    def sentences(self) -> list[str]:
        """Return the headline, the expected loss, the next step and the caveat, as far as there are any."""
        return [part for part in (self.headline, self.loss, self.next_step, self.caveat) if part]


def compose(
    kind: str, headline: str, notes: Sequence[Note | str], loss: str = "", next_step: str = ""
) -> Verdict:
    """Return a verdict whose fourth sentence is the note with the highest caveat; the others stay notes.

    Plain strings are sentences on what the result itself says, which words make and which are no
    caveats.
    """
    ordered = sorted(notes, key=lambda note: -caveat_of(note))
    if not ordered or caveat_of(ordered[0]) is Caveat.NONE:
        sentences, rest = [], list(notes)
    else:  # that the score should not rank is said whatever else limits the result
        sentences = ordered[:1] + [
            note for note in ordered[1:] if caveat_of(note) is Caveat.SHOULD_NOT_RANK
        ]
        rest = [note for note in ordered if note not in sentences]
    # Names of entities may contain control characters.
    texts = [
        escape_invisible(text)
        for text in (headline, loss, next_step, " ".join(map(say, sentences)))
    ]
    return Verdict(kind, texts[0], texts[1], texts[2], texts[3], noun(), in_percent(), tuple(rest))


def evidence_columns(table: Any) -> list[str]:
    """Return the columns of the evidence that a ranking table has: observed value and number of cases."""
    return [name for name in EVIDENCE if table[name].notna().any()]


def evidence_cells(row: Any, columns: Sequence[str], undefined: bool, digits: int = 3) -> list[str]:
    """Format these columns of a row; the observed value has the decimals of the interval.

    An observed value that is missing is infinite, unless it is ``undefined``.
    """
    observed = prose.format_with_interval(row["observed"], row["lower"], row["upper"], digits)
    if math.isnan(row["observed"]) and row["cases"] > 0:
        observed = "undefined" if undefined else "infinite"
    cases = "–" if math.isnan(row["cases"]) else f"{row['cases']:,.0f}"
    return [{"observed": score_text(observed), "cases": cases}[name] for name in columns]
