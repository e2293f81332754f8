"""Alarms: which rates got worse since a baseline and since the last look, with one error for all looks.

Each look makes three comparisons of each rate: with the baseline by itself and together with the
two looks before, and with the look before. A p-value is the posterior probability that the rate did
not get worse, after a quarter of a case was moved against the alarm: halfway between the posterior
of the prior and Fisher's exact test (Altham 1969).

The levels are those of normal looks (Dunnett 1955): comparisons with one baseline, and overlapping
means of looks, are dependent, so that they need less than the sum of their errors.
"""

from functools import cache

import numpy as np
import xarray as xr
from scipy.special import betainc, betaincinv, ndtr, ndtri, stdtr

from bayesrank._core.draws import draw_dims
from bayesrank.ops.clusters import ClusterCases

#: Looks that are compared with the baseline together; the share of the level of a comparison with
#: the look before.
RECENT, PREVIOUS = 3, 0.1
#: Simulated series of looks, the numbers of all their looks, and the fewest alarms that determine a
#: level.
SERIES, NUMBERS, FEWEST = 100_000, 5_000_000, 200
#: Cases that are moved against the alarm.
MOVED, TINY = 0.25, 1e-9
#: The smallest p-value that is told from 0.
SMALLEST = 1e-300
#: Standard normal points at which the distribution of a rate is evaluated; the largest number of
#: cases.
POINTS, LARGEST = np.linspace(-9, 9, 121), 1e9


def probability_not_fallen(
    a0: np.ndarray, b0: np.ndarray, a1: np.ndarray, b1: np.ndarray
) -> np.ndarray:
    """Return the probability that a rate with the distribution Beta(a1, b1) is at least one with Beta(a0, b0)."""
    a0, b0, a1, b1 = (np.asarray(x, float)[..., None] for x in (a0, b0, a1, b1))
    missed = betaincinv(b1, a1, ndtr(-POINTS))  # 1 minus the rate, exact near 0
    density = np.exp(-(POINTS**2) / 2) / np.sqrt(2 * np.pi)
    return ((1 - betainc(b0, a0, missed)) * density).sum(-1) * (POINTS[1] - POINTS[0])


@cache
def comparison_level(looks: int, error: float, ratio: float) -> float:
    """Return the level of comparisons of a rate with the baseline, for any false alarm in this number of looks.

    ``ratio`` is the number of cases in the baseline over that in a look. A comparison with the look
    before has a tenth of the level.
    """
    series = min(SERIES, NUMBERS // (looks + 1))
    if error * series < FEWEST:
        return error / ((2 + PREVIOUS) * looks)
    z = np.random.default_rng(1).standard_normal((series, looks + 1))
    z[:, 0] /= np.sqrt(ratio)
    total = z[:, 1:].cumsum(1)
    size = np.minimum(np.arange(1, looks + 1), RECENT)
    before = np.zeros_like(total)
    before[:, RECENT:] = total[:, :-RECENT]
    recent = (z[:, :1] - (total - before) / size) / np.sqrt(1 / ratio + 1 / size)
    alone = (z[:, :1] - z[:, 1:]) / np.sqrt(1 / ratio + 1)
    smallest = ndtr(-np.maximum(recent.max(1), alone.max(1)))
    if looks > 1:
        smallest = np.minimum(
            smallest, ndtr(-((z[:, 1:-1] - z[:, 2:]) / np.sqrt(2)).max(1)) / PREVIOUS
        )
    return float(np.quantile(smallest, error))


def find_alarms(
    rates: xr.Dataset, baseline: int, looks: int, error: float, clusters: ClusterCases | None = None
) -> xr.Dataset:
    """Return p-values that rates got worse, adjusted for all comparisons of the looks, and the alarms.

    ``rates`` has draws of ``tpr`` and ``fpr`` over ``dataset``; ``baseline`` is a position. Cases
    in ``clusters`` have these effective numbers; else the draws show how many cases there are.
    """
    draws = draw_dims(rates["tpr"])
    right = xr.concat([rates["tpr"], 1 - rates["fpr"]], "rate").assign_coords(rate=["tpr", "fpr"])
    mean, spread = (
        each.where(right.notnull().mean(draws) > 0.5)
        for each in (right.mean(draws), right.var(draws))
    )
    cases = (mean * (1 - mean) / spread - 1).clip(2 * MOVED, LARGEST).fillna(0)
    entities = mean.size // (2 * mean.sizes["dataset"])
    freedom = xr.full_like(cases, np.inf)
    if clusters is not None:
        cases, freedom = (
            like.copy(
                data=xr.DataArray(held, dims=("rate", "entity", "dataset"))
                .transpose(*like.dims)
                .values
            )
            for like, held in ((cases, clusters.cases), (freedom, clusters.freedom))
        )

    def compare(mean: np.ndarray, cases: np.ndarray, freedom: np.ndarray) -> np.ndarray:
        return compare_looks(mean, cases, baseline, looks, error / 2 / entities, freedom)

    full = [
        each if each.chunks is None else each.chunk(dataset=-1) for each in (mean, cases, freedom)
    ]
    p_worse = xr.apply_ufunc(
        compare, *full, input_core_dims=[["dataset"]] * 3, output_core_dims=[["dataset", "against"]], vectorize=True,
        dask="parallelized", output_dtypes=[float], dask_gufunc_kwargs={"output_sizes": {"against": 2}},
    )  # fmt: skip
    p_worse = (p_worse * error).clip(max=1.0).assign_coords(against=["baseline", "previous"])
    p_worse = p_worse.transpose(..., "dataset", "rate", "against").drop_attrs()
    return xr.Dataset({"p_worse": p_worse, "alarm": p_worse <= error})


def compare_looks(
    mean: np.ndarray,
    cases: np.ndarray,
    baseline: int,
    looks: int,
    error: float,
    freedom: np.ndarray | None = None,
) -> np.ndarray:
    """Return p-values that a rate fell, over their levels (dataset, against); NaN for periods without a comparison.

    ``freedom`` (dataset) are the degrees of freedom of the numbers of cases, infinite by default.
    """
    p = np.full((len(mean), 2), np.nan)
    after = [i for i in range(baseline + 1, len(mean)) if cases[i] > 0]
    if not cases[baseline] > 0 or not after:
        return p
    ratio = cases[baseline] / np.median(cases[after])
    level = comparison_level(looks, error, float(1.25 ** np.round(np.log(ratio) / np.log(1.25))))

    counts = np.stack([mean * cases, (1 - mean) * cases])  # right and wrong
    groups, at = [], []  # before and now; the look, against what, and the level
    for position, i in enumerate(after):
        groups += [
            ([baseline], [i]),
            ([baseline], after[max(0, position + 1 - RECENT) : position + 1]),
        ]
        at += [(i, 0, level)] * 2
        if position:
            groups.append(([after[position - 1]], [i]))
            at.append((i, 1, PREVIOUS * level))
    (a0, b0), (a1, b1) = (
        np.array([counts[:, group].sum(1) for group in side]).T
        for side in zip(*groups, strict=True)
    )
    # A rate of 0 or 1 may have no case to move.
    probability = probability_not_fallen(
        np.maximum(a0 - MOVED, TINY), b0 + MOVED, a1 + MOVED, np.maximum(b1 - MOVED, TINY)
    )
    if freedom is not None:  # normal deviates become those of a t distribution
        of_pair = np.array([freedom[before + now].sum() for before, now in groups])
        probability = stdtr(of_pair, ndtri(np.clip(probability, SMALLEST, 1 - 1e-16)))
    for (i, against, share), one in zip(at, probability.tolist(), strict=True):
        p[i, against] = np.fmin(p[i, against], one / share)
    return p
