"""Notes on a result, and the caveats among them: sentences that a reader needs beside the numbers."""

from enum import IntEnum

__all__ = ["Caveat", "Note"]


class Caveat(IntEnum):
    """How much a note changes the reading of a result. The verdict prints the note with the highest value."""

    NONE = 0
    POSITIVE_LABEL = 10
    PREVALENCE_SET = 20
    PRIOR_OUTWEIGHS_DATA = 30
    FEW_UNITS = 40
    MODEL_CONTRADICTED = 50
    DATASETS_DIFFER = 60
    OUTSIDE_INTERVAL = 70
    NOT_CONVERGED = 80


class Note(str):
    """A sentence that knows whether it changes the reading.

    Examples
    --------
    >>> Note("The chains have not converged.", Caveat.NOT_CONVERGED).caveat.name
    'NOT_CONVERGED'
    """

    caveat: Caveat

    def __new__(cls, text: str, caveat: Caveat = Caveat.NONE) -> "Note":
        note = super().__new__(cls, text)
        note.caveat = caveat
        return note
