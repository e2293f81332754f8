"""What differs between the ArviZ generations: 0.23 wants an InferenceData, 1.x an xarray DataTree."""

from collections.abc import Mapping
from typing import Any

import xarray as xr


def import_arviz() -> Any:
    """ArviZ, without the announcement that 0.23 makes on import."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


def to_container(groups: Mapping[str, xr.Dataset]) -> Any:
    """Groups of Datasets as the container that the installed ArviZ works with."""
    az = import_arviz()
    # ArviZ 0.23 makes its own of a tree; without the detour over one, it takes no time.
    return az.InferenceData(**groups) if hasattr(az, "from_datatree") else xr.DataTree.from_dict(dict(groups))


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
