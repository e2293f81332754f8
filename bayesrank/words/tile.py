"""Sentences on the Tile: on which share of all weightings of errors each entity is best."""

import numpy as np
import xarray as xr

from bayesrank._core.checks import ArgumentError
from bayesrank._core.escape import escape_invisible
from bayesrank._core.nouns import noun
from bayesrank._core.records import ResultRecord
from bayesrank.words.parts import Verdict, compose

__all__ = ["DECIDED_NOWHERE", "NEEDED", "format_share", "verdict_of_tile", "weighting_sentence"]

#: The variables that the share of the Tile has, and no other result.
NEEDED = {"share", "undecided_area"}

#: Share of the Tile without a decision that counts as all of it.
DECIDED_NOWHERE = 0.995
#: Entities that the sentence names, and the smallest share that it tells.
NAMED, LEAST = 3, 0.005
#: Expected share of the Tile below which the sentence names no entity, if no point of the Tile is
#: decided.
SHARED = 0.2


def verdict_of_tile(tile: xr.Dataset) -> Verdict:
    """Return the verdict on a credible Tile, from :func:`bayesrank.tile.credible`."""
    if extra := list(tile["undecided_area"].dims):
        raise ArgumentError(
            "result", "must be one Tile (select it with .isel)", f"the dims {extra} too"
        )
    prob, undecided = ResultRecord.of(tile).prob, float(tile["undecided_area"])
    text = weighting_sentence(tile["share"], undecided, prob)
    if not text:
        return compose(
            "none", f"Nothing to rank: no {noun()} has a defined score anywhere on the Tile.", []
        )
    where = (
        f"On {format_share(undecided)} of the Tile no {noun()} is best with probability {prob:g}."
    )
    return compose("tile", text, [], where if 0 < undecided < DECIDED_NOWHERE else "")


def weighting_sentence(share: xr.DataArray, undecided: float, prob: float) -> str:
    """Return on which share of the Tile each entity is expected to be best; empty if no entity has a score there."""
    defined = share.dropna("entity")
    defined = defined.isel(entity=np.argsort(-defined.values, kind="stable"))[:NAMED]
    parts = [
        (escape_invisible(str(name)), float(held))
        for name, held in defined.to_series().items()
        if held >= LEAST
    ]
    if not parts:
        return ""
    (first, most), *others = parts
    if undecided >= DECIDED_NOWHERE and most < SHARED:
        return f"No weighting of errors decides: no {noun()} is best on more than {format_share(most)} of the Tile."
    text = [
        f"{first} is best on {format_share(most)} of the Tile",
        *(f"{name} on {format_share(x)}" for name, x in others),
    ]
    nowhere = (
        f" No weighting decides with probability {prob:g}." if undecided >= DECIDED_NOWHERE else ""
    )
    return f"By the weighting of errors: {', '.join(text)}.{nowhere}"


def format_share(share: float) -> str:
    """Return an expected share in percent, never 0% or 100%, since draws cannot show these."""
    if np.isnan(share):
        return "–"
    if share < 0.005:
        return "<1%"
    return ">99%" if share > 0.995 else f"{100 * share:.0f}%"
