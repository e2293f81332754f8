"""Numbers that tell a distribution of a score: its mean, spread, intervals, and its difference from another.

All take the Dataset over ``value`` that :func:`bayesrank.predictive.score_pmf` gives. Undefined mass has no place on
the line: moments, quantiles and intervals are given that the score is defined, and :func:`summary` tells the share
that is not; an interval's probability counts it as outside.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import credibility, in_words, number, numbers, result_of
from bayesrank.predictive.scores import equal_runs

__all__ = ["difference", "hdi", "interval_probability", "mean", "mode", "quantile", "summary", "variance"]

#: Pairs of values beyond which a difference is binned.
PAIRS = 2**24
#: Cumulative sums of masses are off by no more.
ROUNDING = 1e-12


def mean(pmf: xr.Dataset) -> float:
    """The expectation of a score, given that it is defined.

    Parameters
    ----------
    pmf : xarray.Dataset
        From :func:`score_pmf`.

    Returns
    -------
    float
        In units of the score.

    Raises
    ------
    ValueError
        If the pmf is none of a score, or the score is never defined.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> round(mean(f1), 6)
    0.702111
    """
    value, mass = _defined(pmf)
    return float(value @ mass)


def variance(pmf: xr.Dataset) -> float:
    """The variance of a score, given that it is defined.

    Parameters
    ----------
    pmf : xarray.Dataset
        From :func:`score_pmf`.

    Returns
    -------
    float
        In squared units of the score.

    Raises
    ------
    ValueError
        If the pmf is none of a score, or the score is never defined.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> round(variance(f1) ** 0.5, 6)
    0.096222
    """
    value, mass = _defined(pmf)
    return float((value - value @ mass) ** 2 @ mass)


def quantile(pmf: xr.Dataset, q: Any) -> xr.DataArray:
    """The smallest values at or below which a score is with probabilities ``q``, given that it is defined.

    Parameters
    ----------
    pmf : xarray.Dataset
        From :func:`score_pmf`.
    q : float or sequence of float
        Between 0 and 1.

    Returns
    -------
    xarray.DataArray
        With the dim ``quantile`` where ``q`` is a sequence.

    Raises
    ------
    ValueError
        If the pmf is none of a score, or the score is never defined.
    TypeError, ValueError
        If ``q`` holds anything but probabilities.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> quantile(f1, [0.05, 0.95]).values.round(3).tolist()
    [0.533, 0.85]
    """
    levels = numbers("q", q)
    if levels.ndim > 1 or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(f"q must hold probabilities between 0 and 1; got {in_words(q)}")
    value, mass = _defined(pmf)
    at = np.searchsorted(np.cumsum(mass), levels - ROUNDING)
    return xr.DataArray(
        value[np.minimum(at, len(value) - 1)], {"quantile": levels}, ("quantile",)[: levels.ndim], "value"
    )


def hdi(pmf: xr.Dataset, prob: float = 0.95) -> xr.DataArray:
    """The narrowest interval that holds a score with probability at least ``prob``, given that it is defined.

    Of equally narrow ones that with the larger probability, then the lower one. Both ends belong to it.

    Parameters
    ----------
    pmf : xarray.Dataset
        From :func:`score_pmf`.
    prob : float
        Between 0 and 1.

    Returns
    -------
    xarray.DataArray
        Over ``bound``: "lower" and "upper".

    Raises
    ------
    ValueError
        If the pmf is none of a score, or the score is never defined.
    TypeError, ValueError
        If ``prob`` is no number between 0 and 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> hdi(f1, 0.9).sel(bound="lower").item() < 2 / 3
    True
    """
    credibility("prob", prob)
    value, mass = _defined(pmf)
    upto = np.concatenate([[0.0], np.cumsum(mass)])
    last = np.searchsorted(upto[1:], upto[:-1] + prob - ROUNDING)
    last = last[last < len(value)]
    first = np.arange(len(last))
    width = value[last] - value[first]
    narrow = np.flatnonzero(width <= width.min() + 1e-12)
    best = narrow[np.argmax(upto[last[narrow] + 1] - upto[narrow])]
    return xr.DataArray([value[best], value[last[best]]], {"bound": ["lower", "upper"]}, ("bound",), "hdi")


def mode(pmf: xr.Dataset) -> xr.DataArray:
    """The most probable values: one, or all that share the largest probability.

    Parameters
    ----------
    pmf : xarray.Dataset
        From :func:`score_pmf`.

    Returns
    -------
    xarray.DataArray
        Values along ``mode``, in increasing order.

    Raises
    ------
    ValueError
        If the pmf is none of a score, or the score is never defined.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> mode(f1).values
    array([0.666...])
    """
    value, mass = _defined(pmf)
    return xr.DataArray(value[mass >= mass.max() * (1 - ROUNDING)], dims=("mode",), name="value")


def interval_probability(pmf: xr.Dataset, lower: float = -np.inf, upper: float = np.inf) -> float:
    """The probability that a score is defined and from ``lower`` to ``upper``, both ends in.

    Parameters
    ----------
    pmf : xarray.Dataset
        From :func:`score_pmf`.
    lower, upper : float
        In units of the score; no bound by default.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError
        If the pmf is none of a score, a bound is no number, or ``lower`` is above ``upper``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> round(interval_probability(f1, upper=0.6), 6)
    0.148052
    """
    if number("lower", lower) > number("upper", upper):
        raise ValueError(f"lower must not be above upper; got {lower} and {upper}")
    _columns(pmf)  # which checks it
    value = pmf["value"].values
    return float(pmf["probability"].values[(value >= lower) & (value <= upper)].sum())


def difference(pmf: xr.Dataset, other: xr.Dataset) -> xr.Dataset:
    """The distribution of the difference of two entities' future scores on independent test sets.

    For entities that will meet the same cases see :func:`bayesrank.predictive.paired_difference`.

    Parameters
    ----------
    pmf, other : xarray.Dataset
        From :func:`score_pmf`.

    Returns
    -------
    xarray.Dataset
        As from :func:`score_pmf`, of the first score minus the second; undefined where one of them is. With more than
        1.6e7 pairs of values neighbouring values are put together first, and ``value_error`` tells how far.

    Raises
    ------
    ValueError
        If one of the two is no pmf of a score.

    Examples
    --------
    >>> import bayesrank as br
    >>> a, b = (br.from_counts(tn=40 - fp, fp=fp, fn=4, tp=16) for fp in (8, 4))
    >>> a, b = (br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1") for counts in (a, b))
    >>> bool(abs(mean(difference(b, a)) - (mean(b) - mean(a))) < 1e-12)
    True
    """
    sides = [_columns(pmf), _columns(other, "other")]
    if len(sides[0]["value"]) * len(sides[1]["value"]) > PAIRS:
        sides = [_coarse(side, int(PAIRS**0.5)) for side in sides]
    a, b = sides
    values = np.subtract.outer(a["value"], b["value"]).reshape(-1)
    order, starts = equal_runs(values, lambda at: (at, at, at, at), None)
    out = {"value": values[order][starts]}
    for name in ("probability", "multiplicity"):
        out[name] = np.add.reduceat(np.multiply.outer(a[name], b[name]).reshape(-1)[order], starts)
    error = np.add.outer(a["value_error"], b["value_error"]).reshape(-1)
    coords: dict[str, Any] = {}
    if error.any():
        out["value_error"] = np.maximum.reduceat(error[order], starts)
        coords["mean_error"] = float(
            sum((side["probability"] / side["probability"].sum()) @ side["value_error"] for side in sides)
        )
    whole = [float(side["probability"].sum()) for side in (pmf, other)]
    undefined = whole[0] * whole[1] - float(out["probability"].sum())
    if undefined > ROUNDING:
        matrices = [int(side["multiplicity"].sum()) for side in (pmf, other)]
        extra = {"value": np.nan, "probability": undefined, "value_error": 0.0}
        extra["multiplicity"] = matrices[0] * matrices[1] - int(out["multiplicity"].sum())
        out = {name: np.append(column, extra[name]) for name, column in out.items()}
    lost = sum(float(side.coords.get("lost_mass", 0.0)) for side in (pmf, other))
    coords |= {"value": out.pop("value"), "lost_mass": lost}
    return xr.Dataset({name: ("value", column) for name, column in out.items()}, coords)


def summary(pmf: xr.Dataset | Mapping[Any, xr.Dataset], prob: float = 0.95) -> xr.Dataset:
    """Mean, standard deviation, quantiles, HDI and undefined share of a score.

    Parameters
    ----------
    pmf : xarray.Dataset, or mapping from labels to such
        From :func:`score_pmf`; or from :func:`bayesrank.predictive.by_class`, which adds the dim ``label``.
    prob : float
        Probability of the intervals.

    Returns
    -------
    xarray.Dataset
        Scalars ``mean``, ``sd``, ``median``, ``lower``, ``upper`` (equal tails), ``hdi_lower``, ``hdi_upper``,
        ``undefined``; NaN where the score is never defined.

    Raises
    ------
    ValueError, TypeError
        If the pmf is none of a score, or ``prob`` is no number between 0 and 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> mcc = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "mcc", undefined=0)
    >>> round(summary(mcc)["sd"].item(), 6)
    0.150519
    """
    credibility("prob", prob)
    if isinstance(pmf, Mapping) and not isinstance(pmf, xr.Dataset):
        if not pmf:
            raise ValueError("pmf must hold at least one distribution; got none")
        labels = xr.DataArray(list(pmf), dims="label", name="label")
        return xr.concat([summary(each, prob) for each in pmf.values()], labels.assign_coords(label=labels))
    defined = interval_probability(pmf)
    names = ("mean", "sd", "lower", "median", "upper", "hdi_lower", "hdi_upper")
    numbers = np.full(len(names), np.nan)
    if defined > 0:
        cuts = quantile(pmf, [(1 - prob) / 2, 0.5, (1 + prob) / 2]).values
        numbers[:] = [mean(pmf), variance(pmf) ** 0.5, *cuts, *hdi(pmf, prob).values]
    undefined = 1 - defined / float(pmf["probability"].sum())
    return xr.Dataset(dict(zip(names, numbers, strict=True)) | {"undefined": undefined}, {"prob": prob})


def _defined(pmf: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The defined values, and their masses scaled to 1."""
    columns = _columns(pmf)
    total = columns["probability"].sum()
    if not total > 0:
        raise ValueError("pmf must have a value that is defined; got none")
    return columns["value"], columns["probability"] / total


def _columns(pmf: xr.Dataset, argument: str = "pmf") -> dict[str, np.ndarray]:
    result_of("br.predictive.score_pmf", argument, pmf, ("probability", "multiplicity"))
    if set(pmf.sizes) != {"value"}:
        raise ValueError(f"{argument} must be one distribution, over value; got the dims {tuple(pmf.sizes)}")
    defined = ~np.isnan(pmf["value"].values)
    columns = {name: pmf[name].values[defined] for name in ("value", "probability", "multiplicity")}
    error = pmf["value_error"].values[defined] if "value_error" in pmf else np.zeros(int(defined.sum()))
    return columns | {"value_error": error}


def _coarse(columns: dict[str, np.ndarray], bins: int) -> dict[str, np.ndarray]:
    """Neighbouring values put together at their mean, in at most ``bins`` bins of equal width."""
    value, mass = columns["value"], columns["probability"]
    if len(value) <= bins:
        return columns
    # Equal widths where the mass is; the far tails have bins of their own.
    upto = np.cumsum(mass)
    low, high = value[np.searchsorted(upto, [1e-9 * upto[-1], (1 - 1e-9) * upto[-1]])]
    bin_of = np.digitize(value, np.linspace(low, high, bins - 1))
    starts = np.flatnonzero(np.diff(bin_of, prepend=-1))
    sums = {name: np.add.reduceat(columns[name], starts) for name in ("probability", "multiplicity")}
    moment = np.add.reduceat(value * mass, starts)
    middle = np.divide(moment, sums["probability"], out=value[starts].copy(), where=sums["probability"] > 0)
    reach = np.abs(value - np.repeat(middle, np.diff(np.append(starts, len(value))))) + columns["value_error"]
    return sums | {"value": middle, "value_error": np.maximum.reduceat(reach, starts)}
