"""The PyMC graph that both conjugate models share: multinomial rows, and row totals that are sampled or known."""

from typing import Any

import numpy as np
import xarray as xr


def group_test_sets(row_totals: xr.DataArray, row_prior: xr.DataArray, shared: bool) -> tuple[xr.DataArray, list[str]]:
    """Which entities share a test set: the same data set, row totals and row prior.

    Parameters
    ----------
    row_totals, row_prior : xarray.DataArray
        Cases and prior concentration of each class (entity, [dataset], actual).
    shared : bool
        False gives every entity a test set of its own.

    Returns
    -------
    index : xarray.DataArray
        Position of each entity's test set (entity, [dataset]).
    keys : list of str
        One key a test set, made of nothing but what is shared, in order of first appearance.
    """
    totals, prior = xr.broadcast(row_totals, row_prior)
    cells = [d for d in totals.dims if d != "actual"]
    stacked, priors = (x.transpose(*cells, "actual") for x in (totals, prior))
    shape = stacked.shape[:-1]
    keys = []
    for position in np.ndindex(shape):
        where = {d: stacked[d].values[i] for d, i in zip(cells, position, strict=True)}
        owner = where.pop("entity")
        parts = [
            *where.values(),
            "" if shared else owner,
            stacked.values[position].tolist(),
            priors.values[position].tolist(),
        ]
        keys.append(repr([str(part) for part in parts]))
    unique = list(dict.fromkeys(keys))
    place = {key: i for i, key in enumerate(unique)}
    index = np.array([place[key] for key in keys]).reshape(shape)
    return xr.DataArray(index, {d: totals[d] for d in cells if d in totals.coords}, cells), unique


def build(counts: xr.DataArray, concentration: xr.DataArray, prevalence: Any, shared: bool) -> Any:
    """Rows are multinomial given their totals; row totals are multinomial once per test set, or known."""
    import pymc as pm

    dims = list(map(str, counts.dims))
    row_totals = counts.sum("predicted")
    row_prior = concentration.sum("predicted")
    coords = {d: counts[d].values for d in dims}
    index, keys = group_test_sets(row_totals, row_prior, shared)
    coords["test_set"] = np.arange(len(keys))

    with pm.Model(coords=coords) as model:
        # shape= beside dims=: PyMC 6 does not compile a dim of length 1 whose length it knows from coords alone.
        row = pm.Dirichlet("row", a=concentration.values, dims=dims, shape=concentration.shape)
        pm.Multinomial("counts", n=row_totals.values, p=row, observed=counts.values, dims=dims)
        if isinstance(prevalence, str):
            at = [tuple(np.argwhere(index.values == i)[0]) for i in range(len(keys))]
            cases = np.stack([row_totals.values[position] for position in at])
            prior = np.stack([row_prior.values[position] for position in at])
            pi = pm.Dirichlet("prevalence", a=prior, dims=("test_set", "actual"), shape=prior.shape)
            pm.Multinomial("cases", n=cases.sum(-1), p=pi, observed=cases, dims=("test_set", "actual"))
            share = pm.math.dot(np.eye(len(keys))[index.values], pi)
        else:
            share = prevalence.values
        pm.Deterministic("performance", share[..., None] * row, dims=dims)
    return model
