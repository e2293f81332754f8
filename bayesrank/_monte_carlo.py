"""Monte-Carlo error: what draws are worth, and how far a share of them may be off."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._compat import import_arviz


def effective_sample_size(values: np.ndarray, draws: xr.DataArray) -> np.ndarray:
    """How many independent draws each column of ``values`` (draw, entity) is worth, at most their number.

    ``draws`` has the dims that the rows come from, among them ``chain`` if there are several; NaN if it has none.
    """
    number, size = values.shape
    if not draws.dims:
        return np.full(size, np.nan)
    chains = draws.sizes.get("chain", 1)
    shape = (chains, number // chains, size)
    if shape[1] < 4:
        return np.full(size, float(number))
    plain = xr.Dataset({"x": (("chain", "draw", "entity"), values.reshape(shape))})
    effective = import_arviz().ess(plain, method="mean")["x"].values
    # Draws that never move have no autocorrelation to measure.
    return np.where(np.isfinite(effective), np.minimum(effective, number), number)


def proportion_error(share: Any, size: Any) -> Any:
    """Standard error of a share of ``size`` independent draws, from its Jeffreys posterior: never 0."""
    smooth = (share * size + 0.5) / (size + 1)
    return np.sqrt(smooth * (1 - smooth) / (size + 2))
