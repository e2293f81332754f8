"""The draws that probabilities are of: as uncertain as few units, such as clusters or voters, make them."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.special import gammaincinv

from bayesrank._core.draws import draw_dims, load_arrays
from bayesrank.claims.effective import LEAST_FREEDOM, Information
from bayesrank.claims.information import information_by_part
from bayesrank.claims.observed import Observed
from bayesrank.scores import Score

#: The largest factor of the spread of draws, which leaves the whole range of a score.
WHOLE_RANGE = 1e6
#: By how much of its distance a draw stays beyond a limit, so that no two draws are tied there.
BEYOND = 1e-9
#: With more degrees of freedom, a t distribution is taken as normal.
MANY_UNITS = 1e6


@dataclass(frozen=True)
class Units:
    """How many units, such as clusters or voters, are behind the draws of a score (entity, [other dims])."""

    freedom: xr.DataArray  #: Degrees of freedom of the variance between units; infinite for cases.
    factor: xr.DataArray  #: By what the standard deviation of the draws is too small.

    @classmethod
    def of(cls, observed: Observed, score: Score | None, values: xr.DataArray) -> "Units":
        """Return the units behind draws of a score."""
        if not observed.behind.clustered:
            return cls(xr.DataArray(np.inf), xr.DataArray(1.0))
        found = information_by_part(
            observed, score, values, lambda one: xr.Dataset(vars(cls.behind(one)))
        )
        return cls(found["freedom"], found["factor"])

    @classmethod
    def behind(cls, information: Information) -> "Units":
        """Return the units that one ranking has (entity)."""
        size = len(information.cases)
        held = information.freedom_of_interval, information.factor_of_interval
        return cls(*(xr.DataArray(np.broadcast_to(each, size), dims="entity") for each in held))

    def spread(self, values: xr.DataArray, limits: tuple[float, float]) -> xr.DataArray:
        """Return draws that probabilities are of: further from their median where units are few, within the limits.

        The weights of few units vary less than the mean of as many new ones, and the variance
        between units is uncertain. The distance of each draw from the median is multiplied by the
        factor and by the root of ν / χ²: normal draws then have a t distribution with ν degrees of
        freedom. All entities have the same quantile of χ² in a draw, so that this also holds for
        their differences. Distances of scores with one finite end are logarithmic.
        """
        if (self.factor == 1).all() and np.isinf(self.freedom).all():
            return values
        dims, (low, high) = draw_dims(values), limits
        shape = [values.sizes[dim] for dim in dims]
        number = int(np.prod(shape))
        level = (np.random.default_rng(0).permutation(number).reshape(shape) + 0.5) / number
        freedom = self.freedom.clip(LEAST_FREEDOM, MANY_UNITS)
        square = 2 * xr.apply_ufunc(gammaincinv, freedom / 2, xr.DataArray(level, dims=dims))
        scale = np.minimum(self.factor * np.sqrt(freedom / square), WHOLE_RANGE)
        half = np.isfinite(low) and np.isinf(high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            on_scale = values.copy(data=np.log(values.data - low)) if half else values
            centre = load_arrays(on_scale)[0].median(dims)
            off = on_scale - centre
            far = (centre + xr.where(np.isfinite(off), scale * off, off)).transpose(*values.dims)
            if half:
                return low + np.exp(far)
        within = far.clip(*limits)
        return within + BEYOND * (far - within)
