"""Types of arguments that many public functions take."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

import xarray as xr

if TYPE_CHECKING:
    from bayesrank._core.source import Over, Source


class InferenceData(Protocol):
    """The interface of ArviZ 0.23's InferenceData, which ArviZ 1 does not have."""

    def __iter__(self) -> Iterator[Any]: ...

    def __getitem__(self, name: str) -> Any: ...


#: Evidence as users hold it: counts, or a Dataset of another kind.
Evidence: TypeAlias = xr.DataArray | xr.Dataset
#: Any container of a performance, or of values of a score; or one that was parsed, or aggregated
#: over groups.
Container: TypeAlias = Union[xr.DataArray, xr.Dataset, xr.DataTree, InferenceData, "Source", "Over"]
#: A Score (which is a function of a source), a name or alias, an importance, a place (a, b), or a
#: function of cells.
ScoreLike: TypeAlias = str | xr.DataArray | tuple[float, float] | Callable[..., Any]
#: The name of a model, or a model class.
ModelName: TypeAlias = str | type
