"""Convert single cases to counts, for functions that treat entities separately."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._labels import positive_label
from bayesrank.evidence.counts import arrange_outcomes, mark_positive
from bayesrank.evidence.predictions import from_predictions

__all__ = ["counts_of"]

#: The note on models of counts.
UNPAIRED = "Single cases were summed to counts, which do not tell which cases entities share: pairing is not used."


def counts_of(joint: xr.Dataset) -> xr.DataArray:
    """Return the counts of each entity, by data set, from joint outcomes, with their attrs.

    Right and wrong are always both present. Missing outcomes are not counted.
    """
    if "cluster" in joint.coords:
        raise ValueError(
            "model must be 'paired' for cases in clusters, since counts take cases as independent of each other; with "
            "'paired' each data set has an analysis of its own, or br.pool puts them together"
        )
    names, count = joint["entity"].values.tolist(), joint["count"].values
    where = joint["dataset"].values.tolist() if "dataset" in joint.coords else None
    if "outcome" not in joint:
        answers = {name: joint["predicted"].sel(entity=name).values for name in names}
        labels = joint["label"].values.tolist()
        counts = from_predictions(joint["actual"].values, answers, labels=labels, weight=count, dataset=where)
        return mark_positive(counts, positive_label(joint)).assign_attrs(_about(joint))
    outcome = joint["outcome"].transpose("pattern", "entity").values
    values = np.unique(outcome[~np.isnan(outcome)])
    if np.isin(values, [0, 1]).all():
        values = np.array([0, 1])
    sets, at = (None, [""]) if where is None else pd.factorize(np.array(where, object))
    rows, entities, datasets = [], [], []
    for name, answers in zip(names, outcome.T, strict=True):
        for i, dataset in enumerate(list(at)):
            here = ~np.isnan(answers) & (True if sets is None else sets == i)
            rows.append(np.bincount(np.searchsorted(values, answers[here]), count[here], values.size))
            entities.append(name)
            datasets.append(dataset)
    table = np.array(rows).astype(np.int64)
    counts = arrange_outcomes(table, entities, None if where is None else datasets, values.tolist())
    if where is not None:  # without outcomes on a data set, an entity is not measured there
        counts["measured"] = (counts > 0).any("outcome")
    return counts.assign_attrs(_about(joint))


def _about(joint: xr.Dataset) -> dict[str, Any]:
    """Return attrs that record how the cases were assembled, and a note on what their counts lack."""
    return joint.attrs | {"note": "\n".join(filter(None, [joint.attrs.get("note", ""), UNPAIRED]))}
