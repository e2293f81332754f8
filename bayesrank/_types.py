"""Types of arguments that many public functions take."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias

import xarray as xr

__all__ = ["Container", "ModelName", "ScoreLike"]


class InferenceData(Protocol):
    """What is asked of an InferenceData of ArviZ 0.23, which ArviZ 1 does not have."""

    def __iter__(self) -> Iterator[Any]: ...

    def __getitem__(self, name: str) -> Any: ...


#: Whatever holds a performance, or values of a score.
Container: TypeAlias = xr.DataArray | xr.Dataset | xr.DataTree | InferenceData
#: A Score (which is a function of a source), a name or alias, an importance, a place (a, b), or a function of cells.
ScoreLike: TypeAlias = str | xr.DataArray | tuple[float, float] | Callable[..., Any]
#: The name of a model in the folder of models, or a class of one's own.
ModelName: TypeAlias = str | type
