"""What evidence is, as users hold it before a model is fitted: an array of counts, or a Dataset of another kind."""

from collections.abc import Collection, Mapping
from typing import Any

import xarray as xr

#: Variables of outcomes that are numbers.
OUTCOMES = {"outcome", "mean_outcome", "fold_score", "verdict"}


def holds_means(evidence: Any) -> bool:
    """Return whether evidence consists of mean outcomes and their standard errors."""
    return isinstance(evidence, xr.Dataset) and "standard_error" in evidence


def holds_votes(evidence: Any) -> bool:
    """Return whether evidence consists of votes on pairs of entities."""
    return isinstance(evidence, xr.Dataset) and "wins" in evidence


def holds_seeds(evidence: Any) -> bool:
    """Return whether evidence consists of outcomes of several training seeds."""
    return isinstance(evidence, xr.Dataset) and "seed_mean" in evidence


def holds_probabilities(evidence: Any) -> bool:
    """Return whether evidence consists of predicted probabilities of cases."""
    return isinstance(evidence, xr.Dataset) and "probability" in evidence and "pattern" not in evidence.dims


def sizes_of_space(evidence: xr.DataArray | xr.Dataset) -> Mapping[Any, int]:
    """Return the sizes of the dims of counts, or the number of classes or outcomes of other evidence."""
    if isinstance(evidence, xr.DataArray):
        return evidence.sizes
    if "wins" in evidence:
        return {"votes": 2}
    if "probability" in evidence and "pattern" not in evidence.dims:
        return {"cases": 2}
    if OUTCOMES & set(evidence.data_vars):
        return {"outcome": 2} | ({"runs": 2} if "runs" in evidence else {})
    return {"actual": evidence.sizes["label"]}


def natural_score_of(names: Collection[Any]) -> str | None:
    """Return the name of the default score of what has these dims and variables; None without one."""
    if {"strength", "win_probability"} <= {*names} or {"wins", "ties"} <= {*names}:
        return "strength"
    return "mean_outcome" if OUTCOMES & {*names} else None
