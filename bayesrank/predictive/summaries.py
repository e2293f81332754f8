"""Summaries of the distribution of a future score, and distributions of differences.

All functions take the Dataset over ``value`` from :func:`bayesrank.predictive.score_pmf`. Moments, quantiles and
intervals are conditional on a defined score; :func:`summary` reports the probability of an undefined one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_prob, check_result
from bayesrank.predictive.scores import equal_runs

__all__ = ["difference", "summary"]

#: Number of pairs of values above which a difference is binned.
PAIRS = 2**24
#: Maximum rounding error of cumulative sums of masses.
ROUNDING = 1e-12


def mean(pmf: xr.Dataset) -> float:
    """Return the expectation of a score, given that it is defined."""
    value, mass = _defined_masses(pmf)
    return float(value @ mass)


def variance(pmf: xr.Dataset) -> float:
    """Return the variance of a score, given that it is defined."""
    value, mass = _defined_masses(pmf)
    return float((value - value @ mass) ** 2 @ mass)


def quantile(pmf: xr.Dataset, levels: Sequence[float]) -> np.ndarray:
    """Return the quantiles of a score at ``levels``, given that it is defined."""
    value, mass = _defined_masses(pmf)
    at = np.searchsorted(np.cumsum(mass), np.asarray(levels) - ROUNDING)
    return value[np.minimum(at, len(value) - 1)]


def hdi(pmf: xr.Dataset, prob: float) -> tuple[float, float]:
    """Return the ends of the narrowest interval with probability at least ``prob``, given that the score is defined.

    Ties are resolved by the larger probability, then the lower interval. The interval includes both ends.
    """
    value, mass = _defined_masses(pmf)
    upto = np.concatenate([[0.0], np.cumsum(mass)])
    last = np.searchsorted(upto[1:], upto[:-1] + prob - ROUNDING)
    last = last[last < len(value)]
    first = np.arange(len(last))
    width = value[last] - value[first]
    narrow = np.flatnonzero(width <= width.min() + 1e-12)
    best = narrow[np.argmax(upto[last[narrow] + 1] - upto[narrow])]
    return float(value[best]), float(value[last[best]])


def mode(pmf: xr.Dataset) -> float:
    """Return the most probable value, the lowest in case of ties."""
    value, mass = _defined_masses(pmf)
    return float(value[np.argmax(mass >= mass.max() * (1 - ROUNDING))])


def difference(pmf: xr.Dataset, other: xr.Dataset) -> xr.Dataset:
    """Return the distribution of the difference of two future scores on independent test sets.

    For entities on the same cases, see :func:`bayesrank.predictive.paired_difference`.

    Parameters
    ----------
    pmf, other : xarray.Dataset
        From :func:`score_pmf`.

    Returns
    -------
    xarray.Dataset
        As from :func:`score_pmf`, for ``pmf`` minus ``other``; undefined where either is. Above 1.6e7 pairs of values,
        neighbouring values are binned first, and ``value_error`` bounds the effect.

    Raises
    ------
    ValueError
        If an argument is not a pmf of a score.

    Examples
    --------
    >>> import bayesrank as br
    >>> a, b = (br.from_counts(tn=40 - fp, fp=fp, fn=4, tp=16) for fp in (8, 4))
    >>> a, b = (br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1") for counts in (a, b))
    >>> gap = difference(b, a)
    >>> round(gap["probability"].where(gap["value"] > 1e-9).sum().item(), 2)  # P(b scores higher)
    0.68
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


def summary(pmf: xr.Dataset | Mapping[Any, xr.Dataset], *, prob: float = 0.95) -> xr.Dataset:
    """Summarise the distribution of a score: mean, spread, mode, median, intervals, undefined share.

    Parameters
    ----------
    pmf : xarray.Dataset, or mapping from labels to such
        From :func:`score_pmf` or :func:`difference`; or from :func:`bayesrank.predictive.by_class`, which adds the dim
        ``label``.
    prob : float
        Probability of the intervals.

    Returns
    -------
    xarray.Dataset
        Scalars in units of the score: ``mean``, ``sd``, ``mode`` (the lowest in case of ties), ``median``, ``lower``
        and ``upper`` (equal tails), ``hdi_lower`` and ``hdi_upper``; and the probability ``undefined``. NaN if the
        score is never defined.

    Raises
    ------
    ValueError, TypeError
        If ``pmf`` is not a pmf of a score, or ``prob`` is not a number in (0, 1).

    Examples
    --------
    The probability of an interval is a sum over the pmf itself.

    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> found = summary(f1)
    >>> round(found["mean"].item(), 6), round(found["sd"].item(), 6), round(found["mode"].item(), 3)
    (0.702111, 0.096222, 0.667)
    >>> round(f1["probability"].where(f1["value"] <= 0.6).sum().item(), 6)
    0.148052
    """
    check_prob("prob", prob)
    if isinstance(pmf, Mapping) and not isinstance(pmf, xr.Dataset):
        if not pmf:
            raise ValueError("pmf must hold at least one distribution; got none")
        labels = xr.DataArray(list(pmf), dims="label", name="label")
        return xr.concat([summary(each, prob=prob) for each in pmf.values()], labels.assign_coords(label=labels))
    defined = float(_columns(pmf)["probability"].sum())
    names = ("mean", "sd", "mode", "lower", "median", "upper", "hdi_lower", "hdi_upper")
    values = np.full(len(names), np.nan)
    if defined > 0:
        cuts = quantile(pmf, [(1 - prob) / 2, 0.5, (1 + prob) / 2])
        values[:] = [mean(pmf), variance(pmf) ** 0.5, mode(pmf), *cuts, *hdi(pmf, prob)]
    undefined = 1 - defined / float(pmf["probability"].sum())
    return xr.Dataset(dict(zip(names, values, strict=True)) | {"undefined": undefined}, {"prob": prob})


def _defined_masses(pmf: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return the defined values and their masses, scaled to 1."""
    columns = _columns(pmf)
    total = columns["probability"].sum()
    if not total > 0:
        raise ValueError("pmf must have a value that is defined; got none")
    return columns["value"], columns["probability"] / total


def _columns(pmf: xr.Dataset, argument: str = "pmf") -> dict[str, np.ndarray]:
    check_result("br.predictive.score_pmf", argument, pmf, ("probability", "multiplicity"))
    if set(pmf.sizes) != {"value"}:
        raise ValueError(f"{argument} must be one distribution, over value; got the dims {tuple(pmf.sizes)}")
    defined = ~np.isnan(pmf["value"].values)
    columns = {name: pmf[name].values[defined] for name in ("value", "probability", "multiplicity")}
    error = pmf["value_error"].values[defined] if "value_error" in pmf else np.zeros(int(defined.sum()))
    return columns | {"value_error": error}


def _coarse(columns: dict[str, np.ndarray], bins: int) -> dict[str, np.ndarray]:
    """Merge neighbouring values to their mean, in at most ``bins`` bins of equal width."""
    value, mass = columns["value"], columns["probability"]
    if len(value) <= bins:
        return columns
    # Bins of equal width cover most of the mass; the far tails have bins of their own.
    upto = np.cumsum(mass)
    low, high = value[np.searchsorted(upto, [1e-9 * upto[-1], (1 - 1e-9) * upto[-1]])]
    bin_of = np.digitize(value, np.linspace(low, high, bins - 1))
    starts = np.flatnonzero(np.diff(bin_of, prepend=-1))
    sums = {name: np.add.reduceat(columns[name], starts) for name in ("probability", "multiplicity")}
    moment = np.add.reduceat(value * mass, starts)
    middle = np.divide(moment, sums["probability"], out=value[starts].copy(), where=sums["probability"] > 0)
    reach = np.abs(value - np.repeat(middle, np.diff(np.append(starts, len(value))))) + columns["value_error"]
    return sums | {"value": middle, "value_error": np.maximum.reduceat(reach, starts)}
