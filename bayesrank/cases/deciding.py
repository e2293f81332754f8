"""The cases that decide a ranking: the cases on which entities differ. On all others they agree."""

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result, describe_value
from bayesrank._core.errors import ArgumentError


@check_call
def deciding_cases(joint: xr.Dataset) -> xr.Dataset:
    """Sort entities from best to worst and cases from easy to hard, and mark the cases on which entities differ.

    Parameters
    ----------
    joint : xarray.Dataset
        Joint outcomes from :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`.

    Returns
    -------
    xarray.Dataset
        ``outcome`` (pattern, entity): 1 if the entity was right and 0 if it was wrong, or its
        outcome; NaN if missing. ``mean_outcome`` (entity): the mean over cases. ``decides``
        (pattern): whether outcomes differ between entities. ``count`` (pattern): the number of
        cases. Entities are sorted by ``mean_outcome``, patterns by their mean over entities, both
        from high to low. Patterns that differ only in classes or clusters are merged.

    Examples
    --------
    >>> joint = br.joint_outcomes([0, 0, 1, 1, 1], {"a": [0, 1, 1, 0, 0], "b": [0, 0, 1, 1, 0]})
    >>> cases = deciding_cases(joint)
    >>> cases["entity"].values.tolist(), cases["outcome"].values.tolist()
    (['b', 'a'], [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    >>> int(cases["count"].where(cases["decides"]).sum()), int(cases["count"].sum())
    (2, 5)
    """
    check_result("br.joint_outcomes or br.from_outcomes", "joint", joint, ("count", "entity"))
    right = joint["outcome"] if "outcome" in joint else _right(joint)
    outcome = right.transpose("pattern", "entity").values.astype(float)
    count = joint["count"].values
    mean = _mean(outcome, count[:, None], 0)
    # Ties are sorted by name, so that the order of the input does not matter.
    names = [repr(name) for name in joint["entity"].values.tolist()]
    order = sorted(range(len(names)), key=lambda i: (-mean[i], names[i]))
    patterns, which = np.unique(outcome[:, order], axis=0, return_inverse=True, equal_nan=True)
    cases = np.bincount(which.ravel(), count).astype(np.int64)
    ease = _mean(patterns, np.ones_like(patterns), 1)
    # Equally easy cases are sorted by the outcomes of the best entities, so that their failures
    # stand out.
    sort = np.lexsort([*(-patterns.T[::-1]), -ease])
    patterns = patterns[sort]
    differ = np.nanmax(patterns, axis=1) > np.nanmin(patterns, axis=1)
    return xr.Dataset(
        {
            "outcome": (("pattern", "entity"), patterns),
            "count": ("pattern", cases[sort]),
            "decides": ("pattern", differ),
            "mean_outcome": ("entity", mean[order]),
        },
        {"entity": joint["entity"].values[order]},
    )


def _right(joint: xr.Dataset) -> xr.DataArray:
    """Return whether each entity was right on each pattern (pattern, entity)."""
    if not {"predicted", "actual"} <= set(joint.variables):
        made = "verdicts of a judge" if "verdict" in joint else describe_value(joint)
        raise ArgumentError("joint", "must come from br.joint_outcomes or br.from_outcomes", made)
    unknown = int(joint["count"].where(joint["actual"].isnull(), 0).sum())
    if unknown:
        raise ArgumentError(
            "joint", "must have the true class of every case", f"{unknown} cases without one"
        )
    return joint["predicted"] == joint["actual"]


def _mean(values: np.ndarray, weight: np.ndarray, axis: int) -> np.ndarray:
    """Return the weighted mean of the defined values."""
    defined = ~np.isnan(values)
    return np.where(defined, values * weight, 0).sum(axis) / (defined * weight).sum(axis)
