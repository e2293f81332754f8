"""What differs between the ArviZ generations: 0.23 wants an InferenceData, 1.x an xarray DataTree."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

import xarray as xr

from bayesrank._classes import order_classes


def import_arviz() -> Any:
    """ArviZ, without the announcement that 0.23 makes on import."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


def to_container(groups: Mapping[str, xr.Dataset]) -> Any:
    """Groups of Datasets as the container that the installed ArviZ works with."""
    if _takes_trees():  # which need no ArviZ, whose import takes longer than most fits
        return xr.DataTree.from_dict(dict(groups))
    # ArviZ 0.23 makes its own of a tree; without the detour over one, it takes no time.
    return import_arviz().InferenceData(**groups)


@cache
def _takes_trees() -> bool:
    """Whether the ArviZ that is installed is 1.0 or later."""
    return int(version("arviz").split(".")[0]) >= 1


def is_container(source: Any) -> bool:
    """Whether ``source`` holds named groups of Datasets (an InferenceData or a DataTree with children)."""
    if isinstance(source, xr.DataTree):
        return True
    return type(source).__name__ == "InferenceData" and hasattr(source, "_groups_all")


def groups_of(source: Any) -> dict[str, xr.Dataset]:
    """The groups of either container, as plain Datasets whose classes are in order by label."""
    return {
        str(name): order_classes(_dataset(source[name]), str(name))
        for name in source
        if not isinstance(source[name], xr.DataArray)
    }


def _dataset(node: Any) -> xr.Dataset:
    return node.to_dataset() if isinstance(node, xr.DataTree) else node


def get_variable(dataset: xr.Dataset | None, name: str) -> xr.DataArray | None:
    """A variable of a Dataset, None if there is none of either: ``.get`` takes long to look for names like it.

    Examples
    --------
    >>> get_variable(xr.Dataset({"counts": 3}), "counts").item(), get_variable(None, "counts")
    (3, None)
    """
    return dataset[name] if dataset is not None and name in dataset.data_vars else None


def psis(log_likelihood: xr.DataArray, worth: float) -> tuple[xr.DataArray, xr.DataArray]:
    """Expected log predictive densities of terms left out in turn, and Pareto k, by the ArviZ that is there.

    Parameters
    ----------
    log_likelihood : xarray.DataArray
        Over (chain, draw, term).
    worth : float
        What a draw is worth, of independent ones.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.random.default_rng(1).beta(8, 4, (4, 1000, 1))  # of a rate with 7 of 10 right, of Beta(1, 1)
    >>> elpd, k = psis(xr.DataArray(np.log(draws), dims=("chain", "draw", "term")), 1.0)
    >>> bool(abs(elpd[0] - np.log(7 / 11)) < 0.02), bool(k[0] < 0.5)
    (True, True)
    """
    import warnings

    az = import_arviz()
    held = to_container(
        {"posterior": log_likelihood.to_dataset(name="x"), "log_likelihood": log_likelihood.to_dataset(name="x")}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the caller looks at
        found = az.loo(held, var_name="x", pointwise=True, reff=worth)
    pointwise = found.loo_i if hasattr(found, "loo_i") else found.elpd_i
    return xr.DataArray(pointwise), xr.DataArray(found.pareto_k)
