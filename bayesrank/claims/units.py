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
    #: On how many units two entities differ (entity, rival); infinite where unknown.
    differing: xr.DataArray

    @classmethod
    def of(cls, observed: Observed, score: Score | None, values: xr.DataArray) -> "Units":
        """Return the units behind draws of a score."""
        if not observed.behind.clustered:
            return cls(*map(xr.DataArray, (np.inf, 1.0, np.inf)))
        found = information_by_part(
            observed, score, values, lambda one: xr.Dataset(vars(cls.behind(one)))
        )
        return cls(found["freedom"], found["factor"], found["differing"])

    @classmethod
    def behind(cls, information: Information) -> "Units":
        """Return the units that one ranking has (entity)."""
        size = len(information.cases)
        freedom, factor, varying = (
            np.broadcast_to(each, size)
            for each in (
                information.freedom_of_interval,
                information.factor_of_interval,
                information.varying,
            )
        )
        differing = varying[:, None] + varying
        if information.discordant is not None:
            differing = np.minimum(differing, information.discordant)
        return cls(
            xr.DataArray(freedom, dims="entity"),
            xr.DataArray(factor, dims="entity"),
            xr.DataArray(differing, dims=("entity", "rival")),
        )

    @property
    def few(self) -> bool:
        """Return whether any draws are less uncertain than units make them."""
        return bool((self.factor.values != 1).any() or np.isfinite(self.freedom.values).any())

    def spread(self, values: xr.DataArray, limits: tuple[float, float]) -> xr.DataArray:
        """Return draws further from their median, within the limits, where units are few.

        The weights of few units vary less than the mean of as many new ones, and the variance
        between units is uncertain. The distance of each draw from the median is multiplied by the
        factor and by the root of ν / χ²: normal draws then have a t distribution with ν degrees of
        freedom. All entities have the same quantile of χ² in a draw.
        """
        if not self.few:
            return values
        return _within(_stretch(values, _scale_of(values, self.freedom, self.factor)), limits)

    def spread_differences(
        self, values: xr.DataArray, limits: tuple[float, float], sign: int
    ) -> xr.DataArray:
        """Return draws that probabilities are of: those whose differences from the best entity are spread.

        The best entity has the best median. If two entities differ on d units, these alone show how
        uncertain their difference is, so that ν is at most d - 1, but at least 1. Distances of
        scores with one finite end are logarithmic.
        """
        if not self.few:
            return values
        low, high = limits
        half, dims = np.isfinite(low) and np.isinf(high), draw_dims(values)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            logs = values.copy(data=np.log(values.data - low)) if half else values
            on_scale = load_arrays(logs)[0]
            middle = on_scale.median(dims)
            best = (sign * middle).fillna(-np.inf).argmax("entity")
            at_best = on_scale.isel(entity=best, drop=True)
            at_best = xr.where(np.isfinite(at_best), at_best, middle.isel(entity=best, drop=True))
            freedom, factor, *of_differences = self._beside(best)
            far = _stretch(at_best, _scale_of(values, freedom, factor))
            far = far + _stretch(on_scale - at_best, _scale_of(values, *of_differences))
            far = far.transpose(*values.dims)
            return xr.DataArray(low + np.exp(far)) if half else _within(far, limits)

    def _beside(self, best: xr.DataArray) -> tuple[xr.DataArray, ...]:
        """Return degrees of freedom and factor of the best entity, and of the difference of each one from it."""
        beside = self.differing.isel(rival=best, drop=True)
        both = [each.broadcast_like(beside) for each in (self.freedom, self.factor)]
        freedom, factor = (each.isel(entity=best, drop=True) for each in both)
        fewest = xr.apply_ufunc(np.minimum, both[0], freedom).clip(max=(beside - 1).clip(1))
        return freedom, factor, fewest, xr.apply_ufunc(np.maximum, both[1], factor)


def _scale_of(values: xr.DataArray, freedom: xr.DataArray, factor: xr.DataArray) -> xr.DataArray:
    """Return by what the distance of each draw from its median is multiplied."""
    dims = draw_dims(values)
    shape = [values.sizes[dim] for dim in dims]
    number = int(np.prod(shape))
    level = (np.random.default_rng(0).permutation(number).reshape(shape) + 0.5) / number
    freedom = freedom.clip(LEAST_FREEDOM, MANY_UNITS)
    square = 2 * xr.apply_ufunc(gammaincinv, freedom / 2, xr.DataArray(level, dims=dims))
    return np.minimum(factor * np.sqrt(freedom / square), WHOLE_RANGE)


def _stretch(values: xr.DataArray, scale: xr.DataArray) -> xr.DataArray:
    """Return draws whose distance from their median is multiplied; infinite ones stay."""
    with np.errstate(invalid="ignore", over="ignore"):
        centre = load_arrays(values)[0].median(draw_dims(values))
        off = values - centre
        return (centre + xr.where(np.isfinite(off), scale * off, off)).transpose(*values.dims)


def _within(values: xr.DataArray, limits: tuple[float, float]) -> xr.DataArray:
    """Return draws within the limits, where their order remains."""
    within = values.clip(*limits)
    return within + BEYOND * (values - within)
