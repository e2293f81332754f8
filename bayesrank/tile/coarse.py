"""The share of the Tile on which each entity is best: some of the draws on a coarse grid, without compiled code."""

import numpy as np
import xarray as xr

from bayesrank._core.draws import draw_dims
from bayesrank.tile.grid import area_weights

#: Points along each axis, the most draws, and the most draws times entities, unless these are fewer
#: than 100 draws.
RESOLUTION, DRAWS, MOST = 21, 1000, 40_000
#: Values that differ by less are equal.
TIED = 1e-12


def coarse_shares(performance: xr.DataArray, prob: float) -> tuple[xr.DataArray, float]:
    """Return the expected share of each entity (entity), and the share where no entity is best with ``prob``.

    Entities that tie in a draw share it. Entities without a score anywhere have NaN.
    """
    dims = draw_dims(performance)
    table = performance.transpose(*dims, "entity", "actual", "predicted").values
    table = table.reshape(-1, *table.shape[-3:])
    number = min(max(MOST // table.shape[1], 100), DRAWS)
    table = table[:: max(len(table) // number, 1)]
    # Draws last: reductions over a short last axis are slow.
    tn, fp, fn, tp = np.ascontiguousarray(table.reshape(*table.shape[:2], 4).T)
    grid, area = (
        np.linspace(0.0, 1.0, RESOLUTION),
        area_weights(RESOLUTION).transpose("b", "a").values,
    )
    wrong = [(1 - b) * fp + b * fn for b in grid.tolist()]
    share, undecided = np.zeros(len(tn)), 0.0
    for i, a in enumerate(grid.tolist()):
        right = (1 - a) * tn + a * tp
        for j in range(RESOLUTION):
            total = right + wrong[j]
            values = np.divide(right, total, out=np.full_like(total, -1.0), where=total > 0)
            top = values.max(axis=0)
            best = ((values >= top - TIED) & (top >= 0)).astype(float)
            chance = best @ (1 / np.maximum(best.sum(axis=0), 1)) / len(top)
            share += area[j, i] * chance
            undecided += area[j, i] * bool(chance.max() < prob)
    defined = (tn + fp + fn + tp > 0).any(axis=1)
    labelled = xr.DataArray(
        np.where(defined, share, np.nan), {"entity": performance["entity"].values}, ("entity",)
    )
    return labelled, float(undecided)
