"""What draws of OPS say: means, intervals, and probabilities of a fall with their Monte-Carlo errors."""

import numpy as np
import xarray as xr

from bayesrank._arguments import credibility
from bayesrank._monte_carlo import effective_sample_size, proportion_error
from bayesrank.performance import draw_dims

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
        differences, with its Monte-Carlo standard error ``negative_mcse``. NaN where half the draws or more are
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
    } | dict(zip(("negative", "negative_mcse"), below_zero(ops), strict=True))
    return xr.Dataset({name: values.where(known) for name, values in result.items()}).assign_attrs(prob=prob)


def below_zero(values: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Probability of a value below 0 among the defined draws, and its Monte-Carlo standard error."""
    draws = draw_dims(values)
    defined = values.notnull().sum(draws)
    probability = (values < 0).sum(draws) / defined.where(defined > 0)

    def effective(x: np.ndarray) -> np.ndarray:
        """Independent draws that the draws of each item are worth; an undefined one counts as its mean."""
        rows = x.reshape(-1, np.prod(x.shape[x.ndim - len(draws) :], dtype=int)).T
        some = np.isfinite(rows).any(axis=0)
        centre = np.nanmean(np.where(some, rows, 0.0), axis=0)
        filled = np.where(np.isnan(rows), centre, rows)
        like = xr.DataArray(np.empty(x.shape[x.ndim - len(draws) :]), dims=draws)
        return effective_sample_size(filled, like).reshape(x.shape[: x.ndim - len(draws)])

    chunked = values if values.chunks is None else values.chunk(dict.fromkeys(draws, -1))
    worth = xr.apply_ufunc(effective, chunked, input_core_dims=[draws], dask="parallelized", output_dtypes=[np.float64])
    error = xr.apply_ufunc(proportion_error, probability, worth, dask="parallelized", output_dtypes=[np.float64])
    return probability, error
