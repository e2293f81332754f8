"""A caveat on the model: whether replicated data sets differ as much as the observed ones."""

from typing import Any

import xarray as xr

from bayesrank._core.notes import Note
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.records import ModelRecord
from bayesrank._core.source import parse_source
from bayesrank.evidence.counts import parts_of
from bayesrank.models import model_for_datasets
from bayesrank.performance.arrays import observed_counts, posterior_of
from bayesrank.predictive import predictive_check

#: Largest number of counts to replicate, which takes less than a second.
CHEAP = 10_000_000
#: A share of replicates below which the model contradicts the data.
LEVEL = 0.001


def check_model(posterior: Any, most: int = CHEAP) -> xr.Dataset | None:
    """Return the predictive check of a posterior; None for one data set, or if it takes too long."""
    posterior = parse_source(posterior)
    counts = observed_counts(posterior) if posterior.container is not None else None
    if counts is None:
        return None
    parts = counts if "dataset" in counts.dims else parts_of(counts)
    draws = posterior_of(posterior).sizes
    work = 0 if parts is None else parts.size * draws.get("chain", 1) * draws.get("draw", 1)
    if parts is None or parts.sizes["dataset"] < 2 or work > most:
        return None
    try:
        return predictive_check(posterior, seed=0)
    except ValueError:  # the model does not replicate counts
        return None


def model_notes(check: xr.Dataset | None, posterior: Any) -> list[Note]:
    """Return a note if data sets differ more than the model predicts, with models for such differences."""
    if check is None:
        return []
    p = float(check["p_value"].min())
    draws = check.sizes["chain"] * check.sizes["draw"]
    if not p < LEVEL:
        return []
    counts, model = observed_counts(posterior), parse_source(posterior).model.model
    alternative = (
        None if counts is None else model_for_datasets(counts.shape[-1], counts.sizes["entity"])
    )
    notes = [Note("datasets_not_replicated", {"share": p, "draws": draws})]
    if alternative not in (None, model):
        notes.append(Note("model_that_learns_differences", {"model": alternative}))
    return notes


def population_words(posterior: Any) -> str | None:
    """Return the population of a model without data sets; None for other models."""
    group = posterior_of(posterior)
    if ModelRecord.of(group).population != "entities":
        return None
    size = group.sizes["entity"]
    if size == 1:
        return (
            f"There is one data set and one {noun()}, so there is no population to learn from: the result rests on the "
            f"prior and the {noun()}'s own cases."
        )
    return (
        f"There is one data set, so the population is that of the {size} {nouns()}: each is shrunk towards the mean of "
        f"all {nouns()}, most strongly if it has few cases."
    )
