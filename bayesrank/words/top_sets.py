"""The entities that may be among the k best, in words."""

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_result
from bayesrank._core.prose import join_names, list_names
from bayesrank.words.parts import Verdict, compose

#: The variables of br.top_set that no other result has.
NEEDED = {"in_confidence_set", "surely_top", "probability_top"}
#: The number of entities that a sentence lists.
LISTED = 12


def verdict_of_top_set(top_set: xr.Dataset) -> Verdict:
    """Return which entities may be among the k best, and which surely are, from :func:`bayesrank.top_set`."""
    check_result("br.top_set", "result", top_set, NEEDED, ("k", "prob", "sets"))
    k, prob = int(top_set.attrs["k"]), float(top_set.attrs["prob"])
    order = np.argsort(-top_set["probability_top"].values, kind="stable")
    names = np.array([str(name) for name in top_set["entity"].values.tolist()], object)[order]
    possible, sure = (top_set[name].values[order] for name in ("in_confidence_set", "surely_top"))
    by = "confidence set" if top_set.attrs["sets"] == "confidence" else "credible set"
    which = f"{possible.sum()} of {len(names)} entities"
    if len(names) == 1:
        which = "The only entity"
    number = f"{which} could be in the top {k}"
    headline = f"{number} ({prob:.0%} {by}): {list_names(names[possible].tolist(), LISTED)}."
    surely = names[sure].tolist()
    text = (
        f"{join_names(surely)} {'is' if len(surely) == 1 else 'are'} in the top {k} at this level."
        if surely
        else ""
    )
    undecided = [
        f"{name} {share:.2f}"
        for name, share, open_ in zip(
            names, top_set["probability_top"].values[order], possible & ~sure, strict=True
        )
        if open_
    ]
    notes = [f"P(in the top {k}): {list_names(undecided, LISTED)}."] if undecided else []
    return compose("top_set", headline, notes, text)
