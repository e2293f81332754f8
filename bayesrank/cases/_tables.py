"""From single cases back to counts, for whatever takes entities one by one."""

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._labels import positive_label
from bayesrank.cases.predictions import from_predictions
from bayesrank.counts import arrange_outcomes, mark_positive

__all__ = ["counts_of"]


def counts_of(joint: xr.Dataset) -> xr.DataArray:
    """The counts of each entity that joint outcomes hold, for models that take entities one by one.

    Right and wrong are two outcomes, even where only one of them occurred. A missing outcome is none.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.from_outcomes(pd.DataFrame({"a": [1, 1, 0, 1], "b": [1, 1, 1, 1]}))
    >>> counts_of(joint).values.tolist()
    [[1, 3], [0, 4]]
    """
    if "cluster" in joint.coords:
        raise ValueError("model must be 'paired' for cases in clusters: counts take cases as independent of each other")
    names, count = joint["entity"].values.tolist(), joint["count"].values
    where = joint["dataset"].values.tolist() if "dataset" in joint.coords else None
    if "outcome" not in joint:
        answers = {name: joint["predicted"].sel(entity=name).values for name in names}
        labels = joint["label"].values.tolist()
        counts = from_predictions(joint["actual"].values, answers, labels=labels, weight=count, dataset=where)
        return mark_positive(counts, positive_label(joint))
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
    return arrange_outcomes(table, entities, None if where is None else datasets, values.tolist())
