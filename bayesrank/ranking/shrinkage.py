"""A learned population of entities: true scores are m + τ z on one scale, and the spread τ is averaged over.

An estimate of τ near 0 is chosen by the data that make it so; the mean over all τ is not. The scale
is the arcsine of the root for scores with two finite ends, on which rates have errors that do not
depend on the rate; the logarithm of the distance from one finite end; or the score itself.
"""

from typing import NamedTuple

import numpy as np

from bayesrank._core.draws import BLOCK, covariance_of, finite_rows
from bayesrank.claims.effective import Information

#: The prior of τ: equal entities with this probability, else half-normal with this standard
#: deviation. On the scale of rates it is about one logit; on others it is the same multiple of the
#: standard deviation of one case.
EQUAL, SPREAD, OF_CASE = 0.25, 0.25, 0.5
#: Cases behind a standard error, if they are not known.
CASES = 100.0
#: The values of τ beside 0, in units of SPREAD.
SPREADS = np.geomspace(0.02, 4.5, 32)
#: With more entities, errors are taken as independent between them, apart from the common part.
MOST_JOINT = 300
#: Nodes and weights of integrals over a normal distribution.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(9)


class MeanPopulation(NamedTuple):
    """The posterior of the true scores, in directions (entity, axis) in which errors are independent."""

    low: float
    high: float
    centre: np.ndarray  #: Estimates on the scale (entity).
    axes: np.ndarray  #: (entity, axis)
    errors: np.ndarray  #: Error variances (axis).
    spread: np.ndarray  #: Values of τ.
    weight: np.ndarray  #: Their posterior probabilities.
    pull: np.ndarray  #: By how much the estimates exceed the shrunken ones (τ, axis).
    common: (
        np.ndarray
    )  #: How far the population mean moves them, in its standard deviations (τ, axis).

    def means(self) -> np.ndarray:
        """Return the expected true scores (entity)."""
        middle = self.centre - self.pull @ self.axes.T
        variance = self._kept() @ np.square(self.axes).T + np.square(self.common @ self.axes.T)
        values = _invert(
            middle[..., None] + np.sqrt(variance)[..., None] * NODES, self.low, self.high
        )
        return np.asarray(self.weight @ (values @ WEIGHTS) / WEIGHTS.sum())

    def redraw(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return draws of the true scores (draw, entity), coupled with draws ``x`` from a model without population."""
        on_scale = _transform(x, self.low, self.high)
        off = (on_scale - on_scale.mean(axis=0)) @ self.axes
        off /= np.maximum(off.std(axis=0), 1e-300)
        level = (rng.permutation(len(x)) + 0.5) / len(x)
        which = np.searchsorted(np.cumsum(self.weight) / self.weight.sum(), level).clip(
            max=len(self.weight) - 1
        )
        moved = np.sqrt(self._kept()[which]) * off + self.common[which] * rng.standard_normal(
            (len(x), 1)
        )
        return _invert(self.centre + (moved - self.pull[which]) @ self.axes.T, self.low, self.high)

    def _kept(self) -> np.ndarray:
        """Return the variances at a known population mean (τ, axis)."""
        square = np.square(self.spread)[:, None]
        return self.errors * square / np.maximum(self.errors + square, 1e-300)


def learn_population(
    mean: np.ndarray,
    covariance: np.ndarray,
    ends: tuple[float, float],
    cases: np.ndarray | None = None,
    prior: np.ndarray | None = None,
    observed: np.ndarray | None = None,
) -> MeanPopulation | None:
    """Return the posterior of the true scores given estimates with errors; None if an error is 0 or not finite.

    ``mean`` and ``covariance`` (entity, entity) or variances (entity) are moments of the posterior
    under independent priors. A prior counts as ``prior`` cases (entity). Where ``observed`` scores
    are known, they replace the means, and the prior is taken out of the errors.
    """
    size, (low, high) = len(mean), ends
    slope = _slope(mean, low, high)
    full = covariance.ndim == 2
    centre, known = _transform(mean, low, high), np.full(size, CASES) if cases is None else cases
    with np.errstate(divide="ignore", invalid="ignore"):  # slopes at an end are infinite
        errors = covariance * (slope[:, None] * slope if full else np.square(slope))
        if observed is not None and cases is not None and prior is not None:
            # A prior that outweighs the cases is knowledge, and stays.
            own = np.isfinite(observed) & (cases > 0) & (prior <= cases)
            wider = np.sqrt(np.where(own, (cases + prior) / np.where(own, cases, 1.0), 1.0))
            errors = errors * (wider[:, None] * wider if full else np.square(wider))
            centre = np.where(
                own, _observed(observed, np.diag(errors) if full else errors, low, high), centre
            )
            centre = np.where(np.isfinite(centre), centre, _transform(mean, low, high))
    variance = np.diag(errors) if full else errors
    if not np.isfinite(centre).all() or not np.isfinite(errors).all() or not (variance > 0).all():
        return None
    unit = (
        SPREAD
        if np.isfinite(low) and np.isfinite(high)
        else OF_CASE * np.median(np.sqrt(variance * known))
    )
    # Entities with the same outcomes have no error between them.
    values, axes = np.linalg.eigh(errors) if full else (errors, np.eye(size))
    values = np.maximum(values, 1e-9 * values.max())
    spread = np.append(0.0, unit * SPREADS)
    width = np.gradient(SPREADS)
    density = np.exp(-np.square(SPREADS) / 2) * width
    logs = np.log(np.append(EQUAL, (1 - EQUAL) * density / density.sum()))
    along, ones = centre @ axes, axes.sum(axis=0)
    weight = 1 / (values + np.square(spread)[:, None])
    precision = (weight * ones**2).sum(axis=1)
    middle = (weight * ones * along).sum(axis=1) / precision
    off = along - middle[:, None] * ones
    logs += (np.log(weight).sum(axis=1) - np.log(precision) - (weight * off**2).sum(axis=1)) / 2
    shares = np.exp(logs - logs.max())
    common = values * weight * ones / np.sqrt(precision)[:, None]
    return MeanPopulation(
        low,
        high,
        centre,
        axes,
        values,
        spread,
        shares / shares.sum(),
        values * weight * off,
        common,
    )


def population_of(
    x: np.ndarray,
    who: np.ndarray,
    ends: tuple[float, float],
    information: Information,
    prior: np.ndarray,
) -> MeanPopulation | None:
    """Return the population of the entities ``who`` of draws ``x`` (draw, entity); ``prior`` is over all entities."""
    cases, observed = information.cases, information.observed
    if len(who) < 2 or len(x) < 2:
        return None
    if len(who) > MOST_JOINT:
        mean, spread = mean_and_own_variance(x, who)
        spread = spread * len(who) / (len(who) - 1)
    else:
        values = finite_rows(x[:, who])
        if len(values) < 2:
            return None
        mean, spread = values.mean(axis=0), covariance_of(values)
    wider = np.broadcast_to(information.inflation, x.shape[1])[who]
    if not np.isfinite(wider).all():  # a single case shows no variance
        return None
    spread = spread * (wider[:, None] * wider if spread.ndim == 2 else np.square(wider))
    known = None if np.isnan(cases[who]).any() else cases[who]
    return learn_population(
        mean, spread, ends, known, prior[who], None if observed is None else observed[who]
    )


def mean_and_own_variance(x: np.ndarray, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means of draws, and variances of the distance from the mean of all entities in the draw (entity)."""
    sums = np.zeros((4, len(who)))
    start, few = None, max(BLOCK // len(who), 1)
    for first in range(0, len(x), few):
        part = x[first : first + few, who]
        known = ~np.isnan(part)
        some = np.maximum(known.sum(axis=1, keepdims=True), 1)
        off = part - part.sum(axis=1, keepdims=True, where=known) / some
        if start is None:  # near the mean, so that squares keep their digits
            start = off.sum(axis=0, where=known) / np.maximum(known.sum(axis=0), 1)
        off -= start
        np.nan_to_num(off, copy=False, nan=0.0)
        sums += (
            known.sum(axis=0),
            part.sum(axis=0, where=known),
            off.sum(axis=0),
            np.square(off).sum(axis=0),
        )
    number, total, first_power, second_power = sums
    return total / number, second_power / number - np.square(first_power / number)


def _share(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return where values lie between two finite ends, from 0 to 1."""
    return ((x - low) / (high - low)).clip(0.0, 1.0)


def _transform(x: np.ndarray, low: float, high: float) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        if np.isfinite(low) and np.isfinite(high):
            return np.arcsin(np.sqrt(_share(x, low, high)))
        if np.isfinite(low):
            return np.log(x - low)
        return -np.log(high - x) if np.isfinite(high) else np.asarray(x, float)


def _invert(y: np.ndarray, low: float, high: float) -> np.ndarray:
    if np.isfinite(low) and np.isfinite(high):
        return np.asarray(low + (high - low) * np.square(np.sin(y)))
    if np.isfinite(low):
        return low + np.exp(y)
    return high - np.exp(-y) if np.isfinite(high) else y


def _slope(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return the derivative of the scale; for a Beta distribution it gives the variance of the arcsine."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if np.isfinite(low) and np.isfinite(high):
            share = _share(x, low, high)
            return 1 / (2 * np.sqrt(share * (1 - share)) * (high - low))
        if np.isfinite(low):
            return 1 / (x - low)
        return 1 / (high - x) if np.isfinite(high) else np.ones_like(x)


def _observed(observed: np.ndarray, variance: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return observed scores on the scale; between two ends as Anscombe (1948), Biometrika 35:246-254, does."""
    if not (np.isfinite(low) and np.isfinite(high)):
        return _transform(observed, low, high)
    number = 1 / (4 * variance)
    return np.arcsin(np.sqrt((number * _share(observed, low, high) + 0.375) / (number + 0.75)))
