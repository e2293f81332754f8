"""Results in words: the verdict of at most four sentences, the notes, and the board for a web page."""

from bayesrank.words.board import board
from bayesrank.words.results import notes, verdict

__all__ = ["board", "notes", "verdict"]
