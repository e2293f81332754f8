"""How much the note of a code changes the reading of a result."""

from collections.abc import Callable
from enum import IntEnum


class Caveat(IntEnum):
    """How much a note changes the reading of a result. The verdict prints the note with the highest value."""

    NONE = 0
    UNSEEN_VALUES = 5
    POSITIVE_LABEL = 10
    PREVALENCE_SET = 20
    SHOULD_NOT_RANK = 22
    PREVALENCES_DIFFER = 25
    PRIOR_OUTWEIGHS_DATA = 30
    FEW_UNITS = 40
    MODEL_CONTRADICTED = 50
    DATASETS_DIFFER = 60
    OUTSIDE_INTERVAL = 70
    NOT_CONVERGED = 80


#: The caveats of codes; all others have none.
_CAVEATS: dict[str, Caveat] = {}


def caveat(level: Caveat) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """Return a decorator that records the caveat of a code, whose sentence the decorated function makes."""

    def record(sentence: Callable[..., str]) -> Callable[..., str]:
        _CAVEATS[sentence.__name__] = level
        return sentence

    return record


def caveat_of_code(code: str) -> Caveat:
    """Return the caveat of a code whose sentence has been imported."""
    return _CAVEATS.get(code, Caveat.NONE)
