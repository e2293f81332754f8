"""Distribution functions of a board as piecewise polynomials, each over its own support."""

import numpy as np

from bayesrank.exact._grid import NOTHING, Extent, Function, make_grid
from bayesrank.scores.distributions import Rates

#: Positions in a support at which its ends are looked for.
PROBES = np.linspace(0.0, 1.0, 17)
#: The longest panel, as a share of a support.
LONGEST = 0.25


def tabulate(rates: Rates) -> tuple[Function, Extent, float]:
    """Return distribution functions that are fast, where they vary, and their largest remainder."""
    low, high, varies = *rates.support, np.isnan(rates.atom)
    first, last, rows = np.zeros(len(low)), np.ones(len(low)), np.flatnonzero(varies)
    places = low[rows, None] + (high[rows] - low[rows])[:, None] * PROBES
    places[:, -1] = high[rows]
    probed = rates.cdf(np.repeat(rows, len(PROBES)), places.ravel()).reshape(places.shape)
    # The last probe that leaves nothing below it, and the first one that leaves nothing above it.
    start = np.maximum((probed < NOTHING).sum(axis=1) - 1, 0)
    stop = np.minimum((probed <= 1 - NOTHING).sum(axis=1), len(PROBES) - 1)
    at = np.arange(len(rows))
    low[rows], high[rows] = places[at, start], places[at, stop]
    first[rows], last[rows] = probed[at, start], probed[at, stop]
    first[first < NOTHING], last[last > 1 - NOTHING] = 0.0, 1.0
    extent = Extent(low, high, first, last, rates.atom)
    if rates.rate >= 0:  # fast as it is
        return rates.cdf, extent, 0.0
    span = np.subtract(high, low, out=np.ones(len(low)), where=varies & (high > low))
    unit = extent._replace(low=np.zeros(len(low)), high=np.ones(len(low)))
    grid = make_grid(lambda row, x: rates.cdf(row, low[row] + span[row] * x), unit, longest=LONGEST)
    return lambda row, place: grid.cdf(row, (place - low[row]) / span[row]), extent, grid.rest
