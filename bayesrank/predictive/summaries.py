"""Summaries of the distribution of a future score, given that it is defined, and distributions of differences."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prob, check_result
from bayesrank._core.errors import ArgumentError
from bayesrank.predictive.scores import merge_values

#: Number of pairs of values above which a difference is binned.
PAIRS = 2**24
#: Distance, in standard deviations, within which probability counts for the mode.
NEAR = 0.1
#: Maximum rounding error of cumulative sums of masses.
ROUNDING = 1e-12


def mean(pmf: xr.Dataset) -> float:
    """Return the expectation of a score."""
    value, mass = _defined_masses(pmf)
    return float(value @ mass)


def variance(pmf: xr.Dataset) -> float:
    """Return the variance of a score."""
    value, mass = _defined_masses(pmf)
    return float((value - value @ mass) ** 2 @ mass)


def quantile(pmf: xr.Dataset, levels: Sequence[float]) -> np.ndarray:
    """Return the quantiles of a score at ``levels``."""
    value, mass = _defined_masses(pmf)
    at = np.searchsorted(np.cumsum(mass), np.asarray(levels) - ROUNDING)
    return value[np.minimum(at, len(value) - 1)]


def hdi(pmf: xr.Dataset, prob: float) -> tuple[float, float]:
    """Return the ends of the narrowest interval with probability at least ``prob``; of ties the most probable."""
    value, mass = _defined_masses(pmf)
    upto = np.concatenate([[0.0], np.cumsum(mass)])
    last = np.searchsorted(upto[1:], upto[:-1] + prob - ROUNDING)
    last = last[last < len(value)]
    first = np.arange(len(last))
    width = value[last] - value[first]
    narrow = np.flatnonzero(width <= width.min() + 1e-12)
    best = narrow[np.argmax(upto[last[narrow] + 1] - upto[narrow])]
    return float(value[best]), float(value[last[best]])


@check_call
def difference(pmf: xr.Dataset, other: xr.Dataset) -> xr.Dataset:
    """Return the distribution of the difference of two future scores on independent test sets.

    Parameters
    ----------
    pmf, other : xarray.Dataset
        From :func:`score_pmf`. The result has the same form, for ``pmf`` minus ``other``. Above
        1.6e7 pairs of values, neighbouring values are binned first, and ``value_error`` bounds the
        error from this.

    Examples
    --------
    >>> tables = (br.from_counts(tn=40 - fp, fp=fp, fn=4, tp=16) for fp in (8, 4))
    >>> a, b = (br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1") for counts in tables)
    >>> round(summary(difference(b, a))["mean"].item(), 2)
    0.07
    """
    a, b = _columns(pmf), _columns(other, "other")
    if len(a["value"]) * len(b["value"]) > PAIRS:
        a, b = (_coarse(side, int(PAIRS**0.5)) for side in (a, b))
    values = np.subtract.outer(a["value"], b["value"]).reshape(-1)
    mass, number = (
        np.multiply.outer(a[name], b[name]).reshape(-1) for name in ("probability", "multiplicity")
    )
    error = np.add.outer(a["value_error"], b["value_error"]).reshape(-1)
    out = merge_values(values, mass, number, error if error.any() else None)
    coords: dict[str, Any] = {}
    if error.any():
        coords["mean_error"] = sum(
            (side["probability"] / side["probability"].sum() @ side["value_error"]).item()
            for side in (a, b)
        )
    undefined: dict[str, Any] = {"value": np.nan, "value_error": 0.0}
    for name in ("probability", "multiplicity"):
        undefined[name] = pmf[name].sum().item() * other[name].sum().item() - out[name].sum()
    if undefined["probability"] > ROUNDING:
        out = {name: np.append(column, undefined[name]) for name, column in out.items()}
    lost = sum(float(side.coords.get("lost_mass", 0.0)) for side in (pmf, other))
    coords |= {"value": out.pop("value"), "lost_mass": lost}
    return xr.Dataset({name: ("value", column) for name, column in out.items()}, coords)


@check_call
def summary(pmf: xr.Dataset | Mapping[Any, xr.Dataset], *, prob: float = 0.95) -> xr.Dataset:
    """Summarise the distribution of a score: mean, spread, mode, median, intervals, undefined share.

    Parameters
    ----------
    pmf : xarray.Dataset, or mapping from labels to such
        From :func:`score_pmf` or :func:`difference`; or from :func:`by_class`, which adds the dim
        ``label``.
    prob : float

    Returns
    -------
    xarray.Dataset
        Over matrices with a defined score: ``mean``, ``sd``, ``mode``, ``median``, ``lower`` and
        ``upper`` (equal tails), ``hdi_lower`` and ``hdi_upper``; NaN if the score is always
        undefined. The mode is the value with the most probability within 0.1 standard deviations,
        the lowest of equals. The most probable single value may be far from all others: an MCC of 0
        belongs to more matrices than any other value. ``undefined`` is the probability that the
        score is undefined.

    Examples
    --------
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> pmf = br.predictive.confusion_pmf(counts, prior="uniform")
    >>> found = summary(br.predictive.score_pmf(pmf, "f1"))
    >>> round(found["mean"].item(), 6), round(found["sd"].item(), 6), round(found["mode"].item(), 3)
    (0.702111, 0.096222, 0.718)
    """
    check_prob("prob", prob)
    if isinstance(pmf, Mapping) and not isinstance(pmf, xr.Dataset):
        if not pmf:
            raise ArgumentError("pmf", "must contain at least one distribution", "none")
        labels = xr.DataArray(list(pmf), dims="label", name="label")
        return xr.concat(
            [summary(each, prob=prob) for each in pmf.values()], labels.assign_coords(label=labels)
        )
    defined = float(_columns(pmf)["probability"].sum())
    names = ("mean", "sd", "mode", "lower", "median", "upper", "hdi_lower", "hdi_upper")
    values = np.full(len(names), np.nan)
    if defined > 0:
        value, mass = _defined_masses(pmf)
        cuts = quantile(pmf, [(1 - prob) / 2, 0.5, (1 + prob) / 2])
        values[:] = [mean(pmf), variance(pmf) ** 0.5, _mode(value, mass), *cuts, *hdi(pmf, prob)]
    undefined = 1 - defined / float(pmf["probability"].sum())
    return xr.Dataset(
        dict(zip(names, values, strict=True)) | {"undefined": undefined}, {"prob": prob}
    )


def _mode(value: np.ndarray, mass: np.ndarray) -> float:
    """Return the value with the most probability near it; among equals the most probable, then the lowest."""
    spread = ((value - value @ mass) ** 2 @ mass) ** 0.5
    width, upto = NEAR * spread + ROUNDING, np.concatenate([[0.0], np.cumsum(mass)])
    near = (
        upto[np.searchsorted(value, value + width, "right")]
        - upto[np.searchsorted(value, value - width)]
    )
    best = near >= near.max() - ROUNDING
    return float(value[best][np.argmax(mass[best] >= mass[best].max() * (1 - ROUNDING))])


def _defined_masses(pmf: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return the defined values and their masses, scaled to 1."""
    columns = _columns(pmf)
    total = columns["probability"].sum()
    if not total > 0:
        raise ArgumentError("pmf", "must have a value that is defined", "none")
    return columns["value"], columns["probability"] / total


def _columns(pmf: xr.Dataset, argument: str = "pmf") -> dict[str, np.ndarray]:
    check_result("br.predictive.score_pmf", argument, pmf, ("probability", "multiplicity"))
    if set(pmf.sizes) != {"value"}:
        raise ArgumentError(
            argument, "must be one distribution, over value", f"the dims {tuple(pmf.sizes)}"
        )
    defined = ~np.isnan(pmf["value"].values)
    columns = {name: pmf[name].values[defined] for name in ("value", "probability", "multiplicity")}
    error = (
        pmf["value_error"].values[defined] if "value_error" in pmf else np.zeros(int(defined.sum()))
    )
    return columns | {"value_error": error}


def _coarse(columns: dict[str, np.ndarray], bins: int) -> dict[str, np.ndarray]:
    """Merge neighbouring values to their mean, in at most ``bins`` bins of equal width."""
    value, mass = columns["value"], columns["probability"]
    starts = np.unique(
        np.searchsorted(value, np.linspace(value[0], value[-1], bins, endpoint=False))
    )
    sums = {
        name: np.add.reduceat(columns[name], starts) for name in ("probability", "multiplicity")
    }
    moment = np.add.reduceat(value * mass, starts)
    middle = np.divide(
        moment, sums["probability"], out=value[starts].copy(), where=sums["probability"] > 0
    )
    reach = (
        np.abs(value - np.repeat(middle, np.diff(np.append(starts, len(value)))))
        + columns["value_error"]
    )
    return sums | {"value": middle, "value_error": np.maximum.reduceat(reach, starts)}
