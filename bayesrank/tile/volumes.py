"""The volume under the Tile: the mean of all canonical scores."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.performance import two_class_cells
from bayesrank.scores import vut
from bayesrank.tile._grid import two_class

__all__ = ["volume"]


def volume(source: Any, *, kind: str | None = None) -> xr.DataArray:
    """The mean of all canonical scores, the volume under the Tile.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws; either is kept.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.DataArray
        Volumes between 0 and 1. Lazy if the source is.

    Raises
    ------
    ValueError, TypeError
        If the source has other dims (data sets, say) or more classes.

    Notes
    -----
    As a score it is ``br.scores.vut``.

    The order that the volume induces does not satisfy axiom 3, so it is a summary and no ranking score.

    References
    ----------
    Piérard et al., The Tile, Eq. 9 to 15.

    Examples
    --------
    >>> import bayesrank as br
    >>> round(volume(br.from_counts(tn=45, fp=5, fn=5, tp=45, entity="a")).item(), 12)
    0.9
    """
    cells = two_class_cells(two_class(source, kind)).values()
    return xr.apply_ufunc(vut.of_cells, *cells, dask="parallelized", output_dtypes=[np.float64]).rename("volume")
