"""The catalogue: each score is one entry, with its formula and metadata.

To add a score is to write its formula under :func:`bayesrank.scores.names.score` in the file of its
kind.
"""

# In the order of the catalogue.
from bayesrank.scores.formulas import (
    agreement,
    cases,
    ordered,
    outcomes,
    overlap,
    probabilities,
    rates,
    volume,
    votes,
)  # isort: skip

__all__ = [
    "agreement",
    "cases",
    "ordered",
    "outcomes",
    "overlap",
    "probabilities",
    "rates",
    "volume",
    "votes",
]
