"""What draws of OPS say: means, intervals, and probabilities of a fall with their Monte-Carlo errors."""

import numpy as np
import xarray as xr

from bayesrank._checks import credibility
from bayesrank._draws import ERROR, Batches, BatchSums, draw_dims, efficiency, mean_error, reduce, share_error

__all__ = ["below_zero", "summarize"]


def summarize(ops: xr.DataArray, prob: float = 0.95) -> xr.Dataset:
    """Posterior mean, standard deviation and equal-tailed credible interval of OPS, or of a difference of two.

    Parameters
    ----------
    ops : xarray.DataArray
        With the dims ``chain`` and ``draw``.
    prob : float
        Probability of the interval.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``sd``, ``lower``, ``upper``, and ``negative``, the probability of a value below 0, of use for
        differences, with its Monte-Carlo standard error ``negative_error``. NaN where half the draws or more are
        undefined; else of the defined ones.

    Raises
    ------
    ValueError
        If there are no draws, or ``prob`` is not between 0 and 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> spring = br.fit(br.from_counts(tn=880, fp=20, fn=40, tp=60), seed=1)
    >>> autumn = br.fit(br.from_counts(tn=600, fp=100, fn=120, tp=180), seed=2)
    >>> change = summarize(br.ops.of_draws(autumn, "f1") - br.ops.of_draws(spring, "f1"))
    >>> bool((change.upper < 0).all())
    True
    """
    if not isinstance(ops, xr.DataArray):
        raise TypeError(f"ops must be a DataArray; got {type(ops).__name__}")
    draws = draw_dims(ops)
    if not draws:
        raise ValueError(f"ops must have the dims chain and draw, or sample; got {ops.dims}")
    prob = credibility("prob", prob)
    if ops.chunks is not None:
        ops = ops.chunk(dict.fromkeys(draws, -1))  # a quantile needs all draws of an entity at once
    known = ops.notnull().mean(draws) > 0.5
    tail = (1 - prob) / 2
    some = ops.where(known, 0.0)  # no warning for what becomes NaN below
    ends = some.quantile([tail, 1 - tail], draws)
    result = {
        "mean": some.mean(draws),
        "sd": some.std(draws),
        "lower": ends.isel(quantile=0, drop=True),
        "upper": ends.isel(quantile=1, drop=True),
    } | dict(zip(("negative", "negative_error"), below_zero(ops), strict=True))
    return xr.Dataset({name: values.where(known) for name, values in result.items()}).assign_attrs(prob=prob)


def below_zero(values: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Probability of a value below 0 among the defined draws, and its Monte-Carlo standard error.

    Examples
    --------
    >>> draws = xr.DataArray(np.tile([-1.0, 1.0, 1.0, 1.0], 250), dims="draw")
    >>> probability, error = below_zero(draws)
    >>> probability.item(), bool(0 < error < 0.05)
    (0.25, True)
    """
    draws = draw_dims(values)
    batches = Batches.of(values)

    def share(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = x.reshape(-1, batches.number).T
        defined = ~np.isnan(rows)
        number = defined.sum(axis=0).astype(float)
        number[number == 0] = np.nan
        off = rows - np.where(defined, rows, 0.0).sum(axis=0) / number
        below, sizes, sums = (
            reduce(each, BatchSums(), batches=batches)[0] for each in (1.0 * (rows < 0), 1.0 * defined, off)
        )
        probability = below.sum(axis=0) / number
        variance = np.where(defined, off**2, 0.0).sum(axis=0) / number
        worth = number * efficiency(variance, number * mean_error(sums, sizes) ** 2)
        error = share_error(probability, mean_error(below, sizes), number, worth)
        shape = x.shape[: x.ndim - len(draws)]
        return probability.reshape(shape), error.reshape(shape)

    chunked = values if values.chunks is None else values.chunk(dict.fromkeys(draws, -1))
    probability, error = xr.apply_ufunc(
        share, chunked, input_core_dims=[draws], output_core_dims=[[], []], dask="parallelized",
        output_dtypes=[np.float64, np.float64],
    )  # fmt: skip
    return probability, error.assign_attrs(method=ERROR)
