"""Differences between ArviZ versions: 0.23 uses InferenceData, 1.x xarray DataTrees."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.classes import order_classes


def import_arviz() -> Any:
    """Import ArviZ without the announcement of version 0.23."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            import arviz
        except FileNotFoundError:
            # Another process has just moved the file in which 0.23 notes the day of its last
            # announcement.
            import arviz
    return arviz


def to_container(groups: Mapping[str, xr.Dataset]) -> Any:
    """Return groups of Datasets as the container of the installed ArviZ."""
    if _takes_trees():  # without importing ArviZ, which takes longer than most fits
        return xr.DataTree.from_dict(dict(groups))
    # ArviZ 0.23 would convert a DataTree; Datasets are faster.
    return import_arviz().InferenceData(**groups)


@cache
def _takes_trees() -> bool:
    """Return whether the installed ArviZ is 1.0 or later; without ArviZ (in a browser), trees need xarray alone."""
    try:
        return int(version("arviz").split(".")[0]) >= 1
    except PackageNotFoundError:
        return True


def is_container(source: Any) -> bool:
    """Return whether ``source`` is an InferenceData or a DataTree with groups."""
    if isinstance(source, xr.DataTree):
        return True
    return type(source).__name__ == "InferenceData" and hasattr(source, "_groups_all")


def open_groups(source: Any, *names: str) -> dict[str, xr.Dataset]:
    """Return the groups of a container, or those of some names, as plain Datasets with ordered classes."""
    selected = [name for name in source if not names or name in names]
    groups = {
        str(name): source[name] for name in selected if not isinstance(source[name], xr.DataArray)
    }
    return {
        name: order_classes(node.to_dataset() if isinstance(node, xr.DataTree) else node, name)
        for name, node in groups.items()
    }


def get_variable(dataset: xr.Dataset | None, name: str) -> xr.DataArray | None:
    """Return a variable of a Dataset, or None; faster than ``.get``, which searches for similar names."""
    return dataset[name] if dataset is not None and name in dataset.data_vars else None


def psis(log_likelihood: xr.DataArray, effective_size: float) -> tuple[xr.DataArray, xr.DataArray]:
    """Estimate leave-one-out expected log predictive densities and Pareto k with the installed ArviZ.

    ``log_likelihood`` is over (chain, draw, term); ``effective_size`` is the effective sample size
    per draw.
    """
    import warnings

    az = import_arviz()
    container = to_container(
        {
            "posterior": log_likelihood.to_dataset(name="x"),
            "log_likelihood": log_likelihood.to_dataset(name="x"),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the caller checks these
        estimate = az.loo(container, var_name="x", pointwise=True, reff=effective_size)
    pointwise = estimate.loo_i if hasattr(estimate, "loo_i") else estimate.elpd_i
    return xr.DataArray(pointwise), xr.DataArray(estimate.pareto_k)


def smooth_weights(log_ratio: np.ndarray, effective_size: float) -> tuple[np.ndarray, float]:
    """Return Pareto-smoothed importance weights that sum to 1, and their Pareto k, by the installed ArviZ.

    ``effective_size`` is the effective sample size per draw.
    """
    import warnings

    if np.ptp(log_ratio) < 1e-12:
        return np.full(log_ratio.size, 1 / log_ratio.size), -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the caller checks k
        if _takes_trees():
            from arviz_stats.base import array_stats

            # It takes the log-likelihood of what is left out.
            log_weight, k = array_stats.psislw(-log_ratio, r_eff=effective_size)
        else:
            log_weight, k = import_arviz().psislw(log_ratio, reff=effective_size)
    weight = np.exp(np.asarray(log_weight) - np.max(log_weight))
    return weight / weight.sum(), float(k)


def pareto_k_threshold(draws: int) -> float:
    """Return the Pareto k above which importance sampling with this many draws is unreliable (Vehtari et al. 2024)."""
    return float(min(1 - 1 / np.log10(draws), 0.7))
