"""What draws of a score say: how far entities are from one of them, and how the data moved them from the prior."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import credibility, number
from bayesrank._draws import draw_dims

__all__ = ["differences", "histograms"]


def differences(values: xr.DataArray, to: Any, rope: float = 0.0, prob: float = 0.95) -> xr.Dataset:
    """Every entity's difference to one of them: median, interval, and whether it is of practical importance.

    Parameters
    ----------
    values : xarray.DataArray
        Draws of a score (chain, draw, entity).
    to : hashable
        The entity to compare with.
    rope : float
        Half-width of the region of practical equivalence, in units of the score.
    prob : float
        Credible probability of the intervals (equal tails).

    Returns
    -------
    xarray.Dataset
        ``median``, ``lower``, ``upper`` (entity), in units of the score, of the draws where both are defined, largest
        medians first; and ``verdict`` (entity): "above" or "below" where the interval lies beyond the region of
        practical equivalence, else "undecided", or "" where nothing is defined.

    Raises
    ------
    KeyError
        If there is no such entity.
    ValueError, TypeError
        If there is no other, or ``rope`` or ``prob`` is no such number.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> differences(br.scores.f1(br.fit(counts, seed=1)), to="a", rope=0.02)["verdict"].values.tolist()
    ['above']
    """
    names = values["entity"].values.tolist()
    if to not in names:
        raise KeyError(f"to must be one of the entities {names[:5]}...; got {to!r}")
    if len(names) < 2:
        raise ValueError(f"values must hold another entity to compare with {to!r}; got no other")
    rope, tail = number("rope", rope, 0.0, finite=True), (1 - credibility("prob", prob)) / 2
    others = values.sel(entity=[name for name in names if name != to]) - values.sel(entity=to, drop=True)
    low, middle, high = _quantiles(others, [tail, 0.5, 1 - tail])
    order = np.argsort(-middle)
    low, middle, high = low[order], middle[order], high[order]
    verdict = np.select([low > rope, high < -rope, ~np.isnan(middle)], ["above", "below", "undecided"], "")
    columns = {"median": middle, "lower": low, "upper": high, "verdict": verdict}
    coords = {"entity": others["entity"].values[order]}
    return xr.Dataset({name: ("entity", column) for name, column in columns.items()}, coords)


def histograms(values: xr.DataArray, prior: xr.DataArray, bins: int = 80) -> xr.Dataset:
    """Numbers of posterior and prior draws of a score, in bins from the 0.1% to the 99.9% quantile of all of them.

    Parameters
    ----------
    values, prior : xarray.DataArray
        Posterior and prior draws of a score (chain, draw, entity).
    bins : int
        Of equal width.

    Returns
    -------
    xarray.Dataset
        ``posterior`` and ``prior`` (entity, bin), numbers of draws, with the coords ``left`` and ``right`` (bin) in
        units of the score; entities by their posterior median, highest first.

    Examples
    --------
    >>> import bayesrank as br
    >>> posterior = br.fit(br.from_counts(tn=70, fp=10, fn=9, tp=21), draws=500, seed=1, groups=["prior"])
    >>> found = histograms(br.scores.f1(posterior), br.scores.f1(posterior["prior"]))
    >>> bool(found["posterior"].max() > found["prior"].max())  # the data narrowed it
    True
    """
    names = values["entity"].values
    both = {
        name: np.asarray(x.transpose("entity", ...).values).reshape(len(names), -1)
        for name, x in (("posterior", values), ("prior", prior))
    }
    # Beyond the extreme tails of either there is nothing to see.
    low, high = np.nanquantile(np.concatenate([x.ravel() for x in both.values()]), [0.001, 0.999])
    middle, reach = (low + high) / 2, max((high - low) / 2, 1e-3)  # equal draws, too, have a width
    edges = np.linspace(middle - reach, middle + reach, bins + 1)
    order = np.argsort(-_quantiles(values, [0.5])[0])
    return xr.Dataset(
        {name: (("entity", "bin"), [np.histogram(x[i], edges)[0] for i in order]) for name, x in both.items()},
        {"entity": names[order], "left": ("bin", edges[:-1]), "right": ("bin", edges[1:])},
    )


def _quantiles(values: xr.DataArray, levels: list[float]) -> np.ndarray:
    """Quantiles (level, entity) of the defined draws; NaN, without a warning, where there are none."""
    dims = draw_dims(values)
    known = values.notnull().any(dims)
    found = values.where(known, 0.0).quantile(levels, dims, skipna=True).where(known)
    return found.transpose("quantile", "entity").values
