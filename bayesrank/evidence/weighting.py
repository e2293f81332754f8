"""Numbers of cases: how many cases a row stands for, and how much a case counts under importance weights.

Weights multiply: a case of weight w counts as w times a random mass with mean 1, as in the weighted
Bayesian bootstrap. The sum of a cell has the mean Σw and the variance Σw², so evidence holds both:
sums of weights as its counts, and Σw²/Σw as the weight of one case.
"""

import json
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_numbers, check_repeats
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import factorize
from bayesrank._core.notes import Note

#: Binary digits of a scaled weight, so few that sums of many weights are exact in any order.
DIGITS = 24
#: The attr that marks evidence whose counts are sums of weights, which may be fractions.
WEIGHTED = "weighted"
#: The attr that marks weights computed from the sizes of the classes: their sums are no estimate of
#: a prevalence.
BALANCED = "weights_balance_classes"
#: The attr with the sums of the weights of each data set, by name, as JSON.
DATASET_SUMS = "dataset_weight_sums"
#: The coord with the weight of one case: of a pattern, or Σw²/Σw of a cell of counts.
UNIT_WEIGHT = "unit_weight"
#: The coords of counts with the weight of a case of the prior, and how many times the prior counts
#: ([dataset], actual).
PRIOR_WEIGHT, PRIOR_TIMES = "prior_weight", "prior_times"
#: What weighted counts hold beside their labels.
OF_WEIGHTS = (UNIT_WEIGHT, PRIOR_WEIGHT, PRIOR_TIMES)
#: A class with at most this many different weights has a prior for each of them, if each has this
#: many cases.
MOST_STRATA, FEWEST_IN_STRATUM = 5, 5
#: Weighted classes of equal size, up to this share, are balanced.
EQUAL = 1e-6


class Numbers(NamedTuple):
    """The number of cases in each row, and the importance weight of each; None where all cases are equal."""

    repeats: np.ndarray  # (row), whole numbers
    weight: np.ndarray | None  # (row)

    @property
    def counted(self) -> np.ndarray:
        """Return a mask of the rows that count."""
        return self.repeats > 0 if self.weight is None else (self.repeats > 0) & (self.weight > 0)

    def keep(self, rows: np.ndarray) -> "Numbers":
        """Return the numbers of some rows, by a mask or positions."""
        return Numbers(self.repeats[rows], None if self.weight is None else self.weight[rows])


class Weighted(NamedTuple):
    """Numbers of cases with their weights, and what evidence records about them."""

    number: (
        np.ndarray
    )  # (row), int64, or with unequal weights the sum of the weights of the row's cases
    each: np.ndarray | None  # (row), the weight of one case; None where all are equal
    attrs: dict[str, Any]
    notes: list[Note]


def check_numbers_of_cases(count: Any, weight: Any, size: int) -> Numbers:
    """Return the checked arguments ``count`` and ``weight`` of ``size`` rows."""
    counts = check_repeats(count, size)
    if weight is None:
        return Numbers(counts, None)
    weights = np.atleast_1d(check_numbers("weight", weight))
    if weights.shape != (size,):
        raise ArgumentError(
            "weight", f"must contain one number for each of the {size} cases", weights.shape
        )
    bad = weights[~np.isfinite(weights) | (weights < 0)]
    if bad.size:
        raise ArgumentError("weight", "must contain finite numbers, 0 or more", f"{bad[0]:g}")
    if not weights.any():
        raise ArgumentError("weight", "must be above 0 for at least one case", "none")
    return Numbers(counts, weights / weights.max())


def scale_weights(
    numbers: Numbers, datasets: list | None, classes: np.ndarray | None = None
) -> Weighted:
    """Scale the weights of each data set to sum to its effective number of cases, (Σw)² / Σw².

    Equal weights, some of them 0, leave whole numbers of cases.

    Parameters
    ----------
    numbers : Numbers
        Counts and weights (row).
    datasets : list or None
        The data set of each row.
    classes : numpy.ndarray, optional
        The class of each row, to recognise weights that make all classes equally large.

    Returns
    -------
    Weighted
        The sum of the weights of each row's cases, the weight of one, and the attrs and notes of
        the evidence.

    Examples
    --------
    >>> found = scale_weights(check_numbers_of_cases(None, [1.0, 1.0, 2.0], 3), None)
    >>> found.number.round(3).tolist(), float(found.number.sum().round(3))
    ([0.667, 0.667, 1.333], 2.667)
    """
    count, weight = numbers
    if weight is None:
        return Weighted(count, None, {}, [])
    where = np.zeros(count.size, int) if datasets is None else factorize(datasets)[0]
    attrs: dict[str, Any] = {} if datasets is None else _sums(count * weight, datasets)
    scaled, unequal = (weight > 0).astype(float), []
    for i in range(where.max(initial=-1) + 1):
        rows = (where == i) & numbers.counted
        if len(np.unique(weight[rows])) < 2:
            continue
        own = weight[rows] / weight[rows].max()
        scaled[rows] = _round(own * (count[rows] @ own) / (count[rows] @ own**2))
        unequal.append(rows)
    if not unequal:
        return Weighted(count * (weight > 0), None, attrs, [])
    cases, number = int(count[numbers.counted].sum()), count * scaled
    notes = [Note("weighted_cases", {"cases": cases, "effective": float(number.sum())})]
    attrs |= {WEIGHTED: 1}
    codes = None if classes is None or classes.min(initial=0) < 0 else classes
    if codes is not None and all(
        _are_balanced(number[rows], scaled[rows], codes[rows]) for rows in unequal
    ):
        attrs, notes = attrs | {BALANCED: 1}, [*notes, Note("weights_balance_classes")]
    return Weighted(number, scaled, attrs, notes)


def _sums(weight: np.ndarray, datasets: list) -> dict[str, Any]:
    """Return the sum of the weights of each data set as an attr, since weights are scaled within data sets."""
    where, names = factorize(datasets)
    sums = np.bincount(where, weight, len(names)).tolist()
    return {DATASET_SUMS: json.dumps(dict(zip(map(str, names), sums, strict=True)))}


def _round(values: np.ndarray) -> np.ndarray:
    part, exponent = np.frexp(values)
    return np.ldexp(np.round(part * 2.0**DIGITS), exponent - DIGITS)


def _are_balanced(number: np.ndarray, each: np.ndarray, classes: np.ndarray) -> bool:
    """Return whether each class has one weight, with which all classes have the same sum."""
    code = np.unique(classes, return_inverse=True)[1]
    sums = np.bincount(code, number)
    equal = all(np.ptp(each[code == c]) == 0 for c in range(len(sums)))
    return equal and len(sums) > 1 and bool(np.ptp(sums) <= EQUAL * sums.max())


def prior_weights(
    number: np.ndarray, each: np.ndarray | None, classes: np.ndarray, size: int
) -> np.ndarray:
    """Return the weights of the priors (prior, class), 0 where a class has fewer of them.

    A class of few different weights has a prior for each of them, as every stratum of weights has a
    rate of its own. Another class has one, of the weight Σw²/Σw of its cases. ``number`` is the sum
    of the weights of each row's cases.
    """
    of_class = [np.ones(1) for _ in range(size)]
    each = np.ones(len(number)) if each is None else each
    for c in np.unique(classes[number > 0]).tolist():
        in_class = (classes == c) & (number > 0)
        weights, code = np.unique(each[in_class], return_inverse=True)
        cases = np.bincount(code, number[in_class]) / weights
        strata = len(weights) <= MOST_STRATA and cases.min() > FEWEST_IN_STRATUM - 0.5
        of_class[c] = (
            weights
            if strata
            else np.array([number[in_class] @ each[in_class] / number[in_class].sum()])
        )
    result = np.zeros((max(map(len, of_class)), size))
    for c, weights in enumerate(of_class):
        result[: len(weights), c] = weights
    return result


def effective_cases(counts: xr.DataArray, *dims: str) -> np.ndarray:
    """Return the sum of counts over all other dims; of weighted ones, the effective number of cases (Σw)² / Σw²."""
    numbers = counts.variable.transpose(*dims, ...)
    others = tuple(range(len(dims), numbers.ndim))
    total = np.nansum(numbers.values, axis=others)
    if UNIT_WEIGHT not in counts.coords:
        return np.asarray(total)
    each = counts.coords.variables[UNIT_WEIGHT].transpose(*numbers.dims).values
    square = np.nansum(numbers.values * each, axis=others)
    return np.where(total > 0, total**2 / np.where(square > 0, square, 1.0), 0.0)


def unit_weight_of(counts: xr.DataArray) -> np.ndarray:
    """Return the weight of one case of each cell of counts, 1 where all are equal."""
    if UNIT_WEIGHT not in counts.coords:
        return np.ones(counts.shape)
    return counts[UNIT_WEIGHT].transpose(*counts.dims).values


def check_whole_cases(evidence: Any, argument: str, purpose: str) -> None:
    """Raise an error for evidence with unequal importance weights, whose numbers of cases are fractions."""
    if WEIGHTED in evidence.attrs:
        raise ArgumentError(
            argument,
            f"must contain whole numbers of cases {purpose}",
            "effective numbers of weighted cases",
            "leave out the weights, or select one data set and use 'paired', 'dirichlet_multinomial' or "
            "'beta_binomial'",
        )
