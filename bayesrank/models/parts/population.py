"""Rates of a population: mean and spread learned from the members' counts by quadrature.

A member's rate is Beta(mκ, (1 - m)κ), integrated out. The spread is s = 1/√(κ + 1); its square is
the intraclass correlation. The prior of 1/√κ is half-Student-t with 3 degrees of freedom. It falls
to 0 at s = 1, where near-perfect members would be explained as single coin tosses, whatever their
number of cases.

With a covariate x of the members, the log odds of their means are log(m / (1 - m)) + bx, with a
slope b that is normal around 0.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, betaln, gammaln, xlogy

#: Grid cells of the spread, and of the mean within each: for the search, and for the draws.
CELLS = ((48, 24), (128, 64))
#: Grid cells of the spread of Dirichlet rows with a known mean.
CELLS_OF_ROWS = 256
#: These cells for one slope, and the number of slopes, if means depend on a covariate.
CELLS_WITH_SLOPE, SLOPES = ((24, 12), (24, 16)), 20
#: Log density below the maximum at which the mass is negligible; for a slope, whose cells are few.
NOTHING, NOTHING_OF_SLOPE = 25.0, 10.0
#: Standard deviation of the normal prior of a slope, and the range of its cells in these.
SLOPE, RANGE_OF_SLOPE = 1.0, 5.0
#: Scale of the half-Student-t prior of 1/sqrt(kappa), and its degrees of freedom.
SPREAD, DEGREES = 0.25, 3
#: From here on Stirling's series is exact to the last digits.
STIRLING = 50.0
#: Terms of a sum of logarithms that take as long as one ratio of gamma functions by Stirling's
#: series.
FEW_TERMS = 8
#: Concentrations of the Beta whose quantiles are the cells of the mean; smaller if those of the
#: prior are.
EVEN = 0.5
#: Maximum factor of additional cells, since the mean then varies by orders of magnitude within one.
MORE = 8
#: Lower limit of quantiles, which would underflow.
TINY = 1e-250
#: Cells are equidistant in the cube root of the spread, which may vary by orders of magnitude.
POWER = 3


class Population(NamedTuple):
    """The posterior of a population's mean and spread, in cells of the spread and of a level within each.

    The spread is the cube of ``root``, the edges of its cells. The mean is the quantile at the
    level of a Beta with concentrations ``ends``; ``level`` holds the first edge and the width of
    the levels (cell, 2). ``mass`` is cumulative over levels within spreads.
    """

    root: np.ndarray
    level: np.ndarray
    ends: np.ndarray
    mass: np.ndarray
    log_evidence: float

    def draw(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw mean and spread; a longer run starts with the draws of a shorter one."""
        return self.at(rng.random((size, 3)))

    def at(self, uniform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and spread by three uniform numbers (..., 3)."""
        cell = np.searchsorted(self.mass, uniform[:, 0] * self.mass[-1], side="right").clip(
            max=self.mass.size - 1
        )
        i, j = divmod(cell, self.mass.size // len(self.level))
        root = self.root[i] + uniform[:, 1] * (self.root[1] - self.root[0])
        level = self.level[i, 0] + (j + uniform[:, 2]) * self.level[i, 1]
        return _mean(level, self.ends)[0], root**POWER


class SlopedPopulation(NamedTuple):
    """The posterior of a population whose means depend on a covariate: one for each cell of the slope.

    ``slope`` holds the edges of the cells; ``mass`` is cumulative.
    """

    slope: np.ndarray
    populations: tuple[Population, ...]
    mass: np.ndarray

    def draw(
        self, rng: np.random.Generator, size: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw mean, spread and slope; a longer run starts with the draws of a shorter one."""
        uniform = rng.random((size, 5))
        cell = np.searchsorted(self.mass, uniform[:, 3] * self.mass[-1], side="right").clip(
            max=self.mass.size - 1
        )
        mean, spread = np.empty((2, size))
        for i in np.unique(cell):
            in_cell = cell == i
            mean[in_cell], spread[in_cell] = self.populations[i].at(uniform[in_cell, :3])
        return mean, spread, self.slope[cell] + uniform[:, 4] * (self.slope[1] - self.slope[0])


def with_shift(mean: Any, rest: Any, shift: Any) -> tuple[Any, Any]:
    """Return means whose log odds are shifted, and 1 minus them, from means and 1 minus them."""
    grown = mean * np.exp(shift)
    return grown / (grown + rest), rest / (grown + rest)


def log_prior_of_spread(spread: np.ndarray, scale: float) -> np.ndarray:
    """Return the log density of a spread s in (0, 1) if s / sqrt(1 - s²) is half-Student-t with this scale."""
    rest = 1 - np.square(spread)
    constant = np.log(4 / (np.pi * np.sqrt(DEGREES) * scale))
    return constant + 0.5 * np.log(rest) - 2 * np.log(rest + np.square(spread / scale) / DEGREES)


def spread_variable(name: str, scale: float, shape: tuple[int, ...] = ()) -> Any:
    """Add a spread with this prior to the PyMC model in context, and return it."""
    import pymc as pm

    relative = pm.HalfStudentT(f"{name}_odds", nu=DEGREES, sigma=scale, shape=shape)
    return pm.Deterministic(name, relative / pm.math.sqrt(1 + relative**2))


def dirichlet_by_uniforms(name: str, alpha: Any, shape: tuple[int, ...]) -> Any:
    """Return Dirichlet variables of this shape, as functions of uniform ones that are added to the PyMC model.

    Nothing that is observed may depend on them. A sampler then takes the same steps however narrow
    they are.
    """
    import pymc as pm
    import pytensor.tensor as pt

    uniform = pm.Uniform(f"uniform_{name}", shape=(*shape[:-1], shape[-1] - 1))
    parts, remaining = [], 1.0
    for k in range(shape[-1] - 1):  # each answer takes a Beta share of what the earlier ones left
        share = pt.betaincinv(alpha[..., k], alpha[..., k + 1 :].sum(-1), uniform[..., k])
        parts.append(remaining * share)
        remaining *= 1 - share
    return pt.stack([*parts, remaining], axis=-1)


def learn(
    right: np.ndarray,
    cases: np.ndarray,
    prior: np.ndarray,
    scale: float = SPREAD,
    shift: np.ndarray | None = None,
    cells: tuple[tuple[int, int], tuple[int, int]] = CELLS,
) -> Population:
    """Return the posterior of mean and spread, from the right answers and the cases of each member.

    ``prior`` holds the Beta concentrations of right and wrong of the mean. ``shift`` is added to
    the log odds of the mean of each member. Members without cases are ignored.
    """
    has_cases = cases > 0
    ends = np.minimum(prior, EVEN)
    shift = np.zeros(cases.shape) if shift is None else shift
    # Members with equal counts share a term.
    (right, cases, shift), times = np.unique(
        [right[has_cases], cases[has_cases], shift[has_cases]], axis=1, return_counts=True
    )
    members = _Members(right, cases, times, prior, ends, scale, shift)
    search, cells_of_draws = cells
    edges = np.linspace(0, 1, search[0] + 1)
    _, density, width = _levels(edges, search[1], members)
    along = np.exp(density - density.max()).sum(1) * width
    inside = np.flatnonzero(along > along.max() * np.exp(-NOTHING))
    edges = np.linspace(
        edges[max(inside[0] - 1, 0)],
        edges[min(inside[-1] + 2, search[0])],
        cells_of_draws[0] + 1,
    )
    low, density, width = _levels(
        edges, cells_of_draws[1] * min(int(np.ceil(EVEN / ends.min())), MORE), members
    )
    top = density.max()
    mass = np.cumsum(np.exp(density - top) * width[:, None])
    constant = betaln(*prior) - betaln(*ends) - np.log(POWER) - np.log(edges[1] - edges[0])
    return Population(
        edges, np.stack([low, width], 1), ends, mass, float(np.log(mass[-1]) + top - constant)
    )


def learn_slope(
    right: np.ndarray,
    cases: np.ndarray,
    prior: np.ndarray,
    covariate: np.ndarray,
    scale: float = SPREAD,
) -> SlopedPopulation:
    """Return the posterior of mean, spread and slope; for the other arguments, see :func:`learn`."""
    low, high = -RANGE_OF_SLOPE * SLOPE, RANGE_OF_SLOPE * SLOPE
    while True:
        edges = np.linspace(low, high, SLOPES + 1)
        middle = (edges[1:] + edges[:-1]) / 2
        populations = tuple(
            learn(right, cases, prior, scale, b * covariate, CELLS_WITH_SLOPE)
            for b in middle.tolist()
        )
        density = np.array([one.log_evidence for one in populations])
        density -= np.square(middle / SLOPE) / 2
        inside = np.flatnonzero(density > density.max() - NOTHING_OF_SLOPE)
        first, last = max(inside[0] - 1, 0), min(inside[-1] + 2, SLOPES)
        if last - first > 0.8 * SLOPES:
            return SlopedPopulation(edges, populations, np.cumsum(np.exp(density - density.max())))
        low, high = edges[first], edges[last]


def draw_spread(
    counts: np.ndarray, mean: np.ndarray, rng: np.random.Generator, size: int
) -> np.ndarray:
    """Draw the spread of rows of counts (row, answer) whose probabilities have the known ``mean`` (row, answer).

    Its prior is uniform from 0 to 1. It is drawn from cells of equal width, by quadrature, first
    over the whole range. A longer run starts with the draws of a shorter one.
    """
    edges = np.linspace(0, 1, CELLS_OF_ROWS + 1)
    for last in (False, True):
        density = _density_of_rows((edges[1:] + edges[:-1]) / 2, counts, mean)
        mass = np.exp(density - density.max())
        if not last:
            inside = np.flatnonzero(density > density.max() - NOTHING)
            low, high = edges[max(inside[0] - 1, 0)], edges[min(inside[-1] + 2, CELLS_OF_ROWS)]
            edges = np.linspace(low, high, CELLS_OF_ROWS + 1)
    uniform, total = rng.random((size, 2)), np.cumsum(mass)
    cell = np.searchsorted(total, uniform[:, 0] * total[-1], side="right").clip(
        max=CELLS_OF_ROWS - 1
    )
    return np.asarray(edges[cell] + uniform[:, 1] * (edges[1] - edges[0]))


def _density_of_rows(spread: np.ndarray, counts: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return the Dirichlet-multinomial log likelihood of a spread, without constants."""
    kappa, total = 1 / spread**2 - 1, counts.sum(-1)
    result = -_sum_rising(kappa, total, np.ones(len(total)))
    for share in np.unique(mean[counts > 0]).tolist():
        own = counts[(mean == share) & (counts > 0)]
        result += _sum_rising(share * kappa, own, np.ones(len(own)))
    return result


def log_likelihood(counts: np.ndarray, mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the Dirichlet-multinomial log probability of counts (..., answer) given their total and the population."""
    kappa = 1 / np.square(spread) - 1
    total = counts.sum(-1)
    choose = gammaln(total + 1) - gammaln(counts + 1).sum(-1)
    return (
        choose
        + (xlogy(counts, mean) + _rising(mean * kappa[..., None], counts)).sum(-1)
        - _rising(kappa, total)
    )


class _Members(NamedTuple):
    """Right answers and cases of the members of a population, each row as many ``times``, and the priors."""

    right: np.ndarray
    cases: np.ndarray
    times: np.ndarray
    #: Beta concentrations of right and wrong of the mean, and the part of them that its levels are
    #: quantiles of.
    prior: np.ndarray
    ends: np.ndarray
    #: The scale of the prior of the spread.
    scale: float
    #: What is added to the log odds of the mean of each member.
    shift: np.ndarray


def _levels(
    edges: np.ndarray, cells: int, members: _Members
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return first edge, log density (spread, level) and width of the level's range in each cell of the spread.

    Smaller spreads have narrower ranges. Each is cut until at most half of it is empty.
    """
    root = (edges[1:] + edges[:-1]) / 2
    low, high = np.zeros(root.size), np.ones(root.size)
    while True:
        width = (high - low) / cells
        density = _density(
            root[:, None], low[:, None] + (np.arange(cells) + 0.5) * width[:, None], members
        )
        inside = density > density.max(1, keepdims=True) - NOTHING
        first, last = inside.argmax(1), cells - 1 - inside[:, ::-1].argmax(1)
        if ((last - first + 3) > cells / 2).all():
            return low, density, width
        low, high = (
            np.maximum(low + (first - 1) * width, low),
            np.minimum(low + (last + 2) * width, high),
        )


def _mean(level: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean at a level, a Beta quantile, and 1 minus it; sin² of an angle for concentrations of 1/2.

    A prior below 1/2 is unbounded at its end, with mass closer to it than equidistant angles
    resolve.
    """
    if (ends == EVEN).all():
        return np.sin(level * np.pi / 2) ** 2, np.cos(level * np.pi / 2) ** 2
    return np.maximum(betaincinv(*ends, level), TINY), np.maximum(
        betaincinv(*ends[::-1], 1 - level), TINY
    )


def _density(root: np.ndarray, level: np.ndarray, members: _Members) -> np.ndarray:
    """Return the log density of the cube root of the spread and of the level, without the prior's constants."""
    right, cases, times, prior, ends, scale, shift = members
    spread, (mean, rest) = root**POWER, _mean(level, ends)
    kappa = 1 / spread**2 - 1
    result = xlogy(prior[0] - ends[0], mean) + xlogy(prior[1] - ends[1], rest)
    result = result + log_prior_of_spread(spread, scale) + (POWER - 1) * np.log(root)
    result -= _sum_rising(kappa, cases, times)
    if shift.any():
        own, complement = with_shift(mean[..., None], rest[..., None], shift)
        for share, counts in ((own, right), (complement, cases - right)):
            densities = xlogy(counts, share) + _rising(share * kappa[..., None], counts)
            result += (times * densities).sum(-1)
        return result
    for share, counts in ((mean, right), (rest, cases - right)):
        result += xlogy((times * counts).sum(), share)
        result += _sum_rising(share * kappa, counts, times)
    return result


def _sum_rising(a: np.ndarray, counts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the sum of ``_rising`` over counts, each as many ``times``.

    Log Γ(a + n) - log Γ(a) - n log(a) is the sum of log(1 + k / a) over k below n, which is fast
    for small counts.
    """
    most, unique = int(counts.max(initial=0)), np.unique(counts)
    if most > FEW_TERMS * unique.size or (counts != np.rint(counts)).any():
        return np.sum([times[counts == n].sum() * _rising(a, n) for n in unique], axis=0)
    result = np.zeros(a.shape)
    with np.errstate(divide="ignore", over="ignore"):  # a level at an end
        for k in range(1, most):
            result += times[counts > k].sum() * np.log1p(k / a)
    return result


def _rising(a: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return log Γ(a + n) - log Γ(a) - n log(a), without cancellation for large a."""
    a, n = np.broadcast_arrays(np.asarray(a, float), n)
    result, large = np.empty(a.shape), a > STIRLING
    big, number = a[large], n[large]
    series = (big + number - 0.5) * np.log1p(number / big) - number
    for sign, inverse in ((1, 1 / (big + number)), (-1, 1 / big)):
        square = inverse * inverse
        series += sign * inverse * (1 / 12 - square * (1 / 360 - square / 1260))
    result[large] = series
    rest, number = a[~large], n[~large]
    with np.errstate(divide="ignore"):  # a level at an end
        result[~large] = gammaln(rest + number) - gammaln(rest) - number * np.log(rest)
    return result
