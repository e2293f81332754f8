"""The facts of a ranking: attrs of one ranking; variables of several, which have facts of their own."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from bayesrank._core.notes import notes_of
from bayesrank._core.records import RankingRecord

#: Texts that belong to one ranking. ``cap_notes`` holds the caps, whose codes are in ``caps``.
FACTS = ("headline", "sets", "cap_notes", "notes", "separation", "needed_evidence")


def get_fact(ranking: xr.Dataset, name: str) -> str:
    """Return a fact of one ranking; empty if it does not have it."""
    if name in ranking.attrs:
        return str(ranking.attrs[name])
    return str(ranking[name].item()) if name in ranking.data_vars else ""


def set_facts(ranking: xr.Dataset, **facts: str) -> xr.Dataset:
    """Return rankings with facts that hold for each of them."""
    joined = {name: ranking[name] for name in facts if name in ranking.data_vars}
    own = {name: text for name, text in facts.items() if name not in joined}
    filled = {
        name: variable.copy(data=np.full(variable.shape, facts[name], dtype=object))
        for name, variable in joined.items()
    }
    return ranking.assign(filled).assign_attrs(own)


def facts_as_attrs(ranking: xr.Dataset) -> xr.Dataset:
    """Return one ranking, perhaps selected from several, with all its facts in attrs."""
    names = [name for name in FACTS if name in ranking.data_vars]
    own = {name: get_fact(ranking, name) for name in names}
    if "cap_notes" in own:
        codes = tuple(dict.fromkeys(note.code for note in notes_of(own["cap_notes"])))
        own |= RankingRecord(caps=codes).to_attrs()
    return ranking.drop_vars(names).assign_attrs(own)


def join_rankings(rankings: Sequence[xr.Dataset], dim: str) -> xr.Dataset:
    """Return rankings joined along a dim, with the facts of each as variables."""
    parts = [
        part.assign({name: part.attrs[name] for name in FACTS if name in part.attrs})
        for part in rankings
    ]
    joined = xr.concat(
        parts, dim=dim, combine_attrs="override", coords="minimal", compat="override", join="exact"
    )
    common = {name: held for name, held in joined.attrs.items() if name not in (*FACTS, "caps")}
    return joined.drop_attrs(deep=False).assign_attrs(common)
