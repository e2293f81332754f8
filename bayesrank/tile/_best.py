"""P(best) at each point of the Tile in plain NumPy, where compiling the kernels would take longer than the work."""

import numpy as np
import xarray as xr

from bayesrank._draws import Batches, EffectiveDraws, mean_error, reduce, share_error
from bayesrank._types import Container
from bayesrank.tile._grid import axis, on_the_tile, with_entity
from bayesrank.tile.posterior import credible

__all__ = ["best_on_grid"]

#: Number of scores (draws, entities and points) up to which NumPy is fast: half a second.
FEW = 10**8
#: Relative difference of odds below which entities tie, as in the kernels.
TOLERANCE = 1e-12
#: Cells below this could underflow in products; the kernels then use logarithms.
TINY = 1e-100


def best_on_grid(source: Container, resolution: int, prob: float = 0.95) -> xr.Dataset:
    """Return P(best) and its error at each point of the Tile, as :func:`bayesrank.tile.credible` does without maps.

    Large problems, and cells too small for products, use the kernels.

    Returns
    -------
    xarray.Dataset
        ``probability_best`` and ``probability_best_error`` (entity, b, a); the attr ``draws``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> best_on_grid(counts, 3)["probability_best"].sel(entity="a", a=1).values.tolist()
    [0.0, 0.5, 1.0]
    """
    array = on_the_tile(with_entity(source, None))
    if array.size // 4 * resolution**2 > FEW or bool(((array > 0) & (array < TINY)).any()):
        return credible(source, resolution, prob=prob, maps=())[["probability_best", "probability_best_error"]]
    points, batches = axis(resolution), Batches.of(array)
    sizes = batches.sizes[batches.sizes > 0]
    cells = array.values.reshape(batches.number, 4, -1).transpose(1, 2, 0)
    wins = np.empty((len(sizes), cells.shape[1], points.size, points.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        for batch, (tn, fp, fn, tp) in enumerate(np.split(cells[..., None], np.cumsum(sizes)[:-1], axis=2)):
            wrong = (1 - points) * fp + points * fn
            for i, a in enumerate(points.tolist()):
                odds = wrong / ((1 - a) * tn + a * tp)
                first = odds <= np.fmin.reduce(odds, axis=0) / (1 - TOLERANCE)
                number = np.add.reduce(first, axis=0, dtype=np.uint16)
                shared = first / np.maximum(number, 1) if number.max() > 1 else first  # tied entities share a win
                wins[batch, ..., i] = shared.sum(axis=1)
    mean = wins.sum(axis=0) / batches.number
    mean[:, mean.sum(axis=0) == 0] = np.nan
    [worth] = reduce(array, EffectiveDraws())
    known = 1.0 if batches.sampled else np.nan  # a single performance has no measurable error
    error = share_error(mean, mean_error(wins, sizes), known * batches.number, known * worth.min())
    dims = ("entity", "b", "a")
    return xr.Dataset(
        {"probability_best": (dims, mean), "probability_best_error": (dims, error)},
        {"entity": array["entity"].values, "b": points, "a": points},
        {"draws": batches.number, "prob": prob},
    )
