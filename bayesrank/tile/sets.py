"""Zones of the Tile where some entities are ahead of others."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_entities, check_integer
from bayesrank._types import Container
from bayesrank.scores.score import ratio
from bayesrank.tile._grid import TOLERANCE, point_cells

__all__ = ["zone"]


def zone(source: Container, entities: Any, rivals: Any, points: int = 201, *, kind: str | None = None) -> xr.Dataset:
    """Return the zone of the Tile where each of the entities is better than or equivalent to every rival.

    Source: Piérard et al., The Tile, A.4.1 with Eq. 6 to 8 (equal priors, for which the zone is a convex polygon).

    Parameters
    ----------
    source, kind
        As for :func:`frontier`, with its errors.
    entities, rivals : hashable or list of hashable
        Names of the entities, and of their rivals, each once.
    points : int
        Number of values of a, at least 2.

    Returns
    -------
    xarray.Dataset
        ``lower`` and ``upper`` (a): the exact range of b in the zone; NaN where it is empty. ``area``: its share of the
        Tile, by the trapezoidal rule over 4,001 values of a. An undefined score (0/0) counts as equivalent.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50, 40], fp=[30, 50, 60], fn=[30, 20, 25], tp=[70, 80, 75], entity=list("abc"))
    >>> found = zone(counts, "a", ["b", "c"], points=3)
    >>> found["lower"].values.tolist(), found["upper"].values.round(3).tolist(), round(found["area"].item(), 3)
    ([0.0, 0.0, 0.0], [0.952, 0.738, 0.524], 0.738)
    """
    check_integer("points", points, 2)
    cells, names = point_cells(source, kind)
    chosen = []
    for argument, given in (("entities", entities), ("rivals", rivals)):
        wanted = list(given) if isinstance(given, list | tuple | np.ndarray) else [given]
        for name in check_entities(argument, wanted):
            check_choice(argument, name, names, KeyError)
        chosen.append([names.index(name) for name in wanted])
    pairs = [cells[:, each.ravel()] for each in np.meshgrid(*chosen)]
    a = np.linspace(0.0, 1.0, points)
    low, high = _borders(*pairs, a)
    below, above = _borders(*pairs, np.linspace(0.0, 1.0, 4001))
    found = {"lower": ("a", np.where(low <= high, low, np.nan)), "upper": ("a", np.where(low <= high, high, np.nan))}
    area = np.trapezoid(np.maximum(above - below, 0.0)) / 4000
    return xr.Dataset({**found, "area": ((), float(area))}, {"a": a})


def _borders(ones: np.ndarray, others: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest b at which the first of each pair (cell, pair) is ahead, for each a.

    The smallest is above the largest if there is none. An entity is ahead of a rival where s u' - s' u >= 0, which is
    linear in b.
    """
    (tn, fp, fn, tp), (tn_, fp_, fn_, tp_) = ones[..., None], others[..., None]
    s, s_ = (1 - a) * tn + a * tp, (1 - a) * tn_ + a * tp_
    ends = []
    for wrong, wrong_ in ((fp, fp_), (fn, fn_)):
        gain, loss = s * wrong_, s_ * wrong
        ends.append(np.where(np.abs(gain - loss) <= TOLERANCE * (gain + loss), 0.0, gain - loss))
    at_0, at_1 = ends
    b = ratio(at_0, at_0 - at_1)
    # A difference of at least 0 at an end means ahead; a tie at one end alone is a single point.
    low = np.select([at_0 >= 0, at_1 == 0, at_1 < 0], [0.0, 1.0, np.inf], b)
    high = np.select([at_1 >= 0, at_0 == 0, at_0 < 0], [1.0, 0.0, -np.inf], b)
    return low.max(axis=0), high.min(axis=0)
