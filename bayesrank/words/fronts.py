"""The verdict on a Pareto front of a score and a cost."""

import numpy as np
import xarray as xr

from bayesrank._checks import check_result
from bayesrank._notes import read_notes
from bayesrank.ranking.summary import score_name
from bayesrank.words._parts import Verdict, compose, few_names


def verdict_of_front(front: xr.Dataset) -> Verdict:
    """Return the verdict on a front, of :func:`bayesrank.decisions.pareto_front`."""
    check_result("br.decisions.pareto_front", "result", front, ("probability_front", "score", "cost"))
    share, prob = front["probability_front"].values, front.attrs["prob"]
    names = [str(name) for name in front["entity"].values.tolist()]
    groups = {"": share >= prob, "undecided": (share > 1 - prob) & (share < prob), "not on it": share <= 1 - prob}
    listed = {
        what: few_names([names[i] for i in sorted(np.flatnonzero(held), key=lambda i: -share[i])])
        for what, held in groups.items()
        if held.any()
    }
    if not listed:
        return compose("front", "Nothing is known of the Pareto front: no entity has a score and a cost.", [])
    sure = "" if np.isnan(front["probability_front_error"].values).all() else f" with probability at least {prob:g}"
    said = listed.pop("", "no entity")
    rest = "".join(f"; {what}: {who}" for what, who in listed.items())
    headline = f"On the Pareto front of {score_name(front)} and cost{sure}: {said}{rest}."
    return compose("front", headline, read_notes(front))
