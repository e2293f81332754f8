"""Which cases decide: those on which entities differ. On all others the whole field is right, or wrong, together."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_result

__all__ = ["deciding_cases"]


def deciding_cases(joint: xr.Dataset) -> xr.Dataset:
    """Cases by entities, the best entity and the easiest cases first, and which cases tell entities apart.

    Parameters
    ----------
    joint : xarray.Dataset
        Of :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`.

    Returns
    -------
    xarray.Dataset
        ``outcome`` (pattern, entity): 1 where an entity was right and 0 where it was wrong, or its outcome, NaN where
        it has none; ``mean_outcome`` (entity) over all cases and ``ease`` (pattern), that of all entities; ``decides``
        (pattern): not all entities with an outcome have the same; ``count`` (pattern). Entities are sorted by
        ``mean_outcome``, patterns by ``ease``, both from high to low. Patterns that differ only in classes or clusters
        are one.

    Raises
    ------
    TypeError
        If ``joint`` is no Dataset of joint outcomes.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.joint_outcomes([0, 0, 1, 1, 1], {"a": [0, 1, 1, 0, 0], "b": [0, 0, 1, 1, 0]})
    >>> cases = deciding_cases(joint)
    >>> cases["entity"].values.tolist(), cases["outcome"].values.tolist()
    (['b', 'a'], [[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    >>> int(cases["count"].where(cases["decides"]).sum()), int(cases["count"].sum())
    (2, 5)
    """
    outcome = _outcomes(joint)
    count = joint["count"].values
    mean = _mean(outcome, count[:, None], 0)
    # By name where means are equal, so that the order of the input says nothing.
    names = [repr(name) for name in joint["entity"].values.tolist()]
    order = sorted(range(len(names)), key=lambda i: (-mean[i], names[i]))
    patterns, which = np.unique(outcome[:, order], axis=0, return_inverse=True, equal_nan=True)
    cases = np.bincount(which.ravel(), count).astype(np.int64)
    ease = _mean(patterns, np.ones_like(patterns), 1)
    # The order of equally easy cases follows the best entities: who fails a case that others solve stands out.
    sort = np.lexsort([*(-patterns.T[::-1]), -ease])
    patterns, ease = patterns[sort], ease[sort]
    differ = np.nanmax(patterns, axis=1) > np.nanmin(patterns, axis=1)
    return xr.Dataset(
        {
            "outcome": (("pattern", "entity"), patterns),
            "count": ("pattern", cases[sort]),
            "decides": ("pattern", differ),
            "ease": ("pattern", ease),
            "mean_outcome": ("entity", mean[order]),
        },
        {"entity": joint["entity"].values[order]},
    )


def _outcomes(joint: Any) -> np.ndarray:
    """What came of each pattern for each entity (pattern, entity), as numbers."""
    check_result("br.joint_outcomes or br.from_outcomes", "joint", joint, ("count", "entity"))
    if "outcome" in joint:
        return joint["outcome"].transpose("pattern", "entity").values.astype(float)
    right = joint["predicted"] == joint["actual"]
    return right.transpose("pattern", "entity").values.astype(float)


def _mean(values: np.ndarray, weight: np.ndarray, axis: int) -> np.ndarray:
    """The weighted mean of what is there."""
    there = ~np.isnan(values)
    return np.where(there, values * weight, 0).sum(axis) / (there * weight).sum(axis)
