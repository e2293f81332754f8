"""What differs between the ArviZ generations: 0.23 wants an InferenceData, 1.x an xarray DataTree."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr


def import_arviz() -> Any:
    """ArviZ, without the announcement that 0.23 makes on import."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


def effective_sample_size(values: np.ndarray, draws: xr.DataArray) -> np.ndarray:
    """How many independent draws each column of ``values`` (draw, entity) is worth, at most their number.

    ``draws`` has the dims among ``chain`` and ``draw`` that the rows come from; NaN if it has neither.
    """
    number, size = values.shape
    if not draws.dims:
        return np.full(size, np.nan)
    shape = (draws.sizes.get("chain", 1), draws.sizes.get("draw", 1), size)
    if shape[1] < 4:
        return np.full(size, float(number))
    plain = xr.Dataset({"x": (("chain", "draw", "entity"), values.reshape(shape))})
    effective = import_arviz().ess(plain, method="mean")["x"].values
    # Draws that never move have no autocorrelation to measure.
    return np.where(np.isfinite(effective), np.minimum(effective, number), number)


def to_container(groups: Mapping[str, xr.Dataset]) -> Any:
    """Groups of Datasets as the container that the installed ArviZ works with."""
    az = import_arviz()
    tree = xr.DataTree.from_dict(dict(groups))
    return az.from_datatree(tree) if hasattr(az, "from_datatree") else tree


def is_container(source: Any) -> bool:
    """Whether ``source`` holds named groups of Datasets (an InferenceData or a DataTree with children)."""
    if isinstance(source, xr.DataTree):
        return True
    return type(source).__name__ == "InferenceData" and hasattr(source, "_groups_all")


def groups_of(source: Any) -> dict[str, xr.Dataset]:
    """The groups of either container, as plain Datasets."""
    return {str(name): _dataset(source[name]) for name in source if not isinstance(source[name], xr.DataArray)}


def _dataset(node: Any) -> xr.Dataset:
    return node.to_dataset() if isinstance(node, xr.DataTree) else node
