"""Exact distributions of scores on a future test set: the summed probabilities of all matrices with equal values.

Matrices are sorted by their score; neighbours within a few units in the last place are merge
candidates. If the score is a ratio of integers or a signed root of one, candidates are compared as
n1 d2 = n2 d1 modulo 2^64, which is exact since they are so close. Other scores merge all
candidates.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer, check_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.memory import check_memory
from bayesrank._core.types import ScoreLike
from bayesrank.scores import Score, as_score
from bayesrank.scores.forms import ExactRatio

#: Number of points evaluated at a time, which stay in the cache, and of pairs compared at a time.
POINTS, BLOCK = 2**16, 2**20
#: Maximum difference of merge candidates, relative to the larger of 1 and the value.
CLOSE = 32 * np.finfo(float).eps

Cells = tuple[Any, Any, Any, Any]


@check_call
def score_pmf(pmf: xr.DataArray, score: ScoreLike, undefined: float | None = None) -> xr.Dataset:
    """Return the exact distribution of a score from that of the confusion matrix (Lovell et al., Section 8 and F).

    Equal values of catalogue scores and of ranking scores with plain weights are merged exactly.
    For other scores, values that differ by at most 7e-15 are merged.

    Parameters
    ----------
    pmf : xarray.DataArray
        From :func:`confusion_pmf`.
    score : Score, str or callable
    undefined : float, optional
        Value that receives the probability of matrices with an undefined score; by default NaN.

    Returns
    -------
    xarray.Dataset
        Over ``value``, increasing with NaN last: ``probability``, and ``multiplicity``, the number
        of kept matrices with this value; and the coord ``lost_mass`` of the pmf. A binned pmf adds
        ``value_error``, the maximum error of a value, and ``mean_error``, which bounds the error of
        the mean; both require a score that is monotone in TP and TN and, if ``positives`` are
        binned, in FN and FP.

    Examples
    --------
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> f1.sizes["value"], f1["multiplicity"].sel(value=2 / 3, method="nearest").item()
    (594, 11)
    """
    score = as_score(score)
    nowhere = None if undefined is None else check_number("undefined", undefined)
    lattice = _lattice(pmf)
    mass = lattice.mass
    values, error = _evaluate(lattice, score)
    ratio = exact_ratio(score)
    number = lattice.number if lattice.binned else None
    out = merge_values(values, mass, number, error, lambda at: _cells(*_points(lattice, at)), ratio)
    if nowhere is not None and np.isnan(out["value"][-1:]).any():
        _move_undefined(out, nowhere)
    coords = {"value": out.pop("value"), "lost_mass": float(pmf.coords.get("lost_mass", 0.0))}
    if error is not None:
        defined = ~np.isnan(values)
        coords["mean_error"] = float(
            (mass * error)[defined].sum() / max(mass[defined].sum(), np.finfo(float).tiny)
        )
    result = xr.Dataset({name: ("value", column) for name, column in out.items()}, coords)
    result["value"].attrs["long_name"] = score.display
    return result


@check_call
def multiplicity(positives: int, negatives: int, score: ScoreLike) -> xr.DataArray:
    """Count, for every matrix with these class sizes, the matrices that share its score value (Lovell et al., Figure
    F.3).

    Parameters
    ----------
    positives, negatives : int
        Cases of each class.
    score : Score, str or callable

    Returns
    -------
    xarray.DataArray
        ``multiplicity`` (tp, tn), 0 where the score is undefined.

    Examples
    --------
    >>> multiplicity(20, 40, "f1").sel(tp=15, tn=30).item()
    11
    """
    score = as_score(score)
    positives, negatives = (
        check_integer("positives", positives),
        check_integer("negatives", negatives),
    )
    shape = (10, positives + 1, negatives + 1)
    check_memory(
        "positives and negatives must be fewer",
        "the matrices",
        shape,
        f"{positives} and {negatives}",
    )
    values, group = group_values(positives, negatives, score)
    number = np.bincount(group[group >= 0], minlength=len(values))
    axes = {"tp": np.arange(positives + 1), "tn": np.arange(negatives + 1)}
    shared = np.append(number, 0)[group].reshape(positives + 1, negatives + 1)
    return xr.DataArray(shared, axes, ("tp", "tn"), "multiplicity")


def group_values(positives: int, negatives: int, score: Score) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct values of a score, and the index of the value of each matrix (tp, tn); -1 if undefined."""
    tp, tn = (x.ravel() for x in np.indices((positives + 1, negatives + 1)))
    cells = _cells(positives, negatives, tp, tn)
    values = score.of_cells(*cells)
    order, starts = equal_runs(
        values, lambda at: tuple(cell[at] for cell in cells), exact_ratio(score)
    )
    group = np.full(len(values), -1)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    return values[order[starts]], group


class _Lattice(NamedTuple):
    """The matrices of a pmf, in the order of its array."""

    mass: np.ndarray
    #: Number of matrices in each bin.
    number: np.ndarray
    #: Indices of these points in the array, where not every tp goes with all positives.
    where: np.ndarray
    shape: tuple[int, ...]
    total: int
    #: The "first" and "last" count of every bin, and the count "at" that represents it.
    positives: dict[str, np.ndarray]
    tp: dict[str, np.ndarray]
    tn: dict[str, np.ndarray]
    binned: bool


def _lattice(pmf: xr.DataArray) -> _Lattice:
    is_lattice = (
        isinstance(pmf, xr.DataArray)
        and {"tp", "tn"} <= set(pmf.dims)
        and {"tp", "tn"} <= set(pmf.coords)
    )
    if (
        not is_lattice
        or not {"positives", "negatives"} <= set(pmf.coords)
        or set(pmf.dims) - {"tp", "tn", "positives"}
    ):
        description = (
            (*pmf.dims, *pmf.coords) if isinstance(pmf, xr.DataArray) else type(pmf).__name__
        )
        raise ArgumentError("pmf", "must come from br.predictive.confusion_pmf", description)
    if "positives" not in pmf.dims:
        pmf = pmf.expand_dims("positives")
    pmf = pmf.transpose("positives", "tp", "tn")
    total = int((pmf["positives"] + pmf["negatives"]).values[0])
    positives, tp, tn = (
        {
            end: np.atleast_1d(pmf.coords.get(f"{name}_{end}", pmf[name]).values)
            for end in ("first", "last")
        }
        | {"at": pmf[name].values}
        for name in ("positives", "tp", "tn")
    )
    number = np.empty(pmf.shape)
    for i, (first, last) in enumerate(zip(positives["first"], positives["last"], strict=True)):
        p = np.arange(float(first), last + 1)[:, None]
        of_tp = np.maximum(np.minimum(tp["last"], p) - tp["first"] + 1, 0)
        of_tn = np.maximum(np.minimum(tn["last"], total - p) - tn["first"] + 1, 0)
        number[i] = of_tp.T @ of_tn
    where = np.flatnonzero(number)
    some: Any = where if len(where) < number.size else slice(None)  # all: without a copy
    mass, matrices = pmf.values.reshape(-1)[some], number.reshape(-1)[some].astype(np.int64)
    binned = any(f"{name}_first" in pmf.coords for name in ("positives", "tp", "tn"))
    return _Lattice(mass, matrices, where, pmf.shape, total, positives, tp, tn, binned)


def _sizes(
    lattice: _Lattice, i: np.ndarray, j: np.ndarray, k: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the fewest and the most positives of the matrices in a bin; tp and tn are at most the class sizes."""
    low = np.maximum(lattice.positives["first"][i], lattice.tp["first"][j])
    return low, np.minimum(lattice.positives["last"][i], lattice.total - lattice.tn["first"][k])


def _unravel(index: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Return the positions on three axes; NumPy divides by one number faster than ``unravel_index`` does."""
    row = index // shape[2]
    first = row // shape[1]
    return first, row - first * shape[1], index - row * shape[2]


def _points(lattice: _Lattice, at: np.ndarray) -> tuple[Any, ...]:
    """Return positives, negatives, tp and tn of the points; for a bin, of its representative."""
    i, j, k = _unravel(lattice.where[at], lattice.shape)
    if lattice.shape[0] == 1 and not lattice.binned:
        known = int(lattice.positives["at"][0])
        return known, lattice.total - known, lattice.tp["at"][j], lattice.tn["at"][k]
    positives = np.clip(lattice.positives["at"][i], *_sizes(lattice, i, j, k))
    negatives = lattice.total - positives
    return (
        positives,
        negatives,
        np.minimum(lattice.tp["at"][j], positives),
        np.minimum(lattice.tn["at"][k], negatives),
    )


def _corners(lattice: _Lattice, at: np.ndarray) -> Iterator[Cells]:
    """Yield the cells at the corners of bins, for all corners of the class sizes; one size alone may miss extremes."""
    i, j, k = _unravel(lattice.where[at], lattice.shape)
    sizes = _sizes(lattice, i, j, k)
    classes = product(sizes, sizes) if np.any(sizes[0] < sizes[1]) else [sizes]
    for (few, many), tp, tn in product(classes, ("first", "last"), ("first", "last")):
        right = (
            np.minimum(lattice.tp[tp][j], sizes[1]),
            np.minimum(lattice.tn[tn][k], lattice.total - sizes[0]),
        )
        yield _cells(np.maximum(few, right[0]), np.maximum(lattice.total - many, right[1]), *right)


def _cells(positives: Any, negatives: Any, tp: Any, tn: Any) -> tuple[Any, Any, Any, Any]:
    return tn, negatives - tn, positives - tp, tp


def _evaluate(lattice: _Lattice, score: Score) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the score at every point and, for bins, its maximum error."""
    size = len(lattice.mass)
    values = np.empty(size)
    error = np.zeros(size) if lattice.binned else None
    for start in range(0, size, POINTS):
        at = np.arange(start, min(start + POINTS, size))
        values[at] = score.of_cells(*_cells(*_points(lattice, at)))
        if error is None:
            continue
        for corner in _corners(lattice, at):
            reach = np.abs(score.of_cells(*corner) - values[at])
            unknown = np.isnan(reach) & ~np.isnan(values[at])
            error[at] = np.fmax(
                error[at], np.where(unknown, score.range[1] - score.range[0], reach)
            )
    return values, error


def merge_values(
    values: np.ndarray,
    mass: np.ndarray,
    number: np.ndarray | None,
    error: np.ndarray | None = None,
    cells_of: Callable[[np.ndarray], Cells] | None = None,
    ratio: ExactRatio | None = None,
) -> dict[str, np.ndarray]:
    """Return the columns of a pmf: equal values merged, in rising order, and the undefined ones last, as NaN.

    ``number`` is that of the matrices of each value, None where it is 1 for all.
    """
    order, starts = equal_runs(values, cells_of, ratio)
    lost = np.flatnonzero(np.isnan(values))
    if len(lost):
        order, starts = np.append(order, lost), np.append(starts, len(order))
    columns: dict[str, tuple[np.ufunc, np.ndarray]] = {"probability": (np.add, mass)}
    if number is not None:
        columns["multiplicity"] = (np.add, number)
    if error is not None:
        error = np.where(np.isnan(values), 0.0, error)
        columns["value_error"] = (np.maximum, error)
    out = {"value": values[order[starts]]} | {
        name: add.reduceat(column[order], starts) if len(starts) else column[:0]
        for name, (add, column) in columns.items()
    }
    return out if number is not None else out | {"multiplicity": np.diff(starts, append=len(order))}


def _move_undefined(out: dict[str, np.ndarray], value: float) -> None:
    """Move, in place, the undefined probability (the last entry) to ``value``, an existing or a new entry."""
    at = int(np.searchsorted(out["value"][:-1], value))
    present = at < len(out["value"]) - 1 and out["value"][at] == value
    for name, column in out.items():
        last = value if name == "value" else column[-1]
        if not present:
            out[name] = np.insert(column[:-1], at, last)
        else:
            out[name] = column[:-1]
            if name in ("probability", "multiplicity"):
                out[name][at] += last


def exact_ratio(score: Score) -> ExactRatio | None:
    """Return the function that gives the score as integers, or None if there is none."""
    if score.fraction is not None or score.importance is None:
        return score.fraction
    weights = {
        cell: Fraction(score.importance[cell]).limit_denominator(10_000)
        for cell in ("tn", "fp", "fn", "tp")
    }
    if any(
        abs(float(w) - score.importance[cell]) > 1e-15 * float(w) for cell, w in weights.items()
    ):
        return None
    scale = lcm(*(w.denominator for w in weights.values()))
    tn_, fp_, fn_, tp_ = (int(w * scale) for w in weights.values())

    def ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple[Any, Any, Any]:
        correct = tn_ * tn + tp_ * tp
        return correct, correct + fp_ * fp + fn_ * fn, 1

    return ratio


def equal_runs(
    values: np.ndarray, cells_of: Callable[[np.ndarray], Cells] | None, ratio: ExactRatio | None
) -> tuple[Any, Any]:
    """Return the order that sorts the defined values, and the start of each run of equal values in it.

    ``cells_of`` maps positions in ``values`` to integers tn, fp, fn, tp; ``ratio`` is from
    :func:`exact_ratio`, or None.
    """
    # Stable, so that the order of equal values, and the last bit of their sum, is the same everywhere.
    order = np.argsort(values, kind="stable")
    order = order[: len(order) - int(np.isnan(values).sum())]
    if not len(order):
        return order, order
    ordered = values[order]
    least = np.maximum(np.abs(ordered[1:]), 1.0)
    least *= CLOSE
    far = np.diff(ordered) > least
    if ratio is not None and cells_of is not None and not far.all():
        _split(order, ordered, far, cells_of, ratio)
    return order, np.concatenate([[0], np.flatnonzero(far) + 1])


def _split(
    order: np.ndarray,
    ordered: np.ndarray,
    far: np.ndarray,
    cells_of: Callable[[np.ndarray], Cells],
    ratio: ExactRatio,
) -> None:
    """Mark, in ``far``, the close neighbours that differ, and reorder those out of order; both in place."""
    close = np.flatnonzero(~far)
    differs = np.zeros(len(close), bool)
    for start in range(0, len(close), BLOCK):
        block = close[start : start + BLOCK]
        pair = [cells_of(order[block]), cells_of(order[block + 1])]
        tops, bottoms, factors = zip(
            *(ratio(*(cell.astype(float) for cell in side)) for side in pair), strict=True
        )
        top, bottom, factor = (float(np.max(np.abs(x))) for x in (tops, bottoms, factors))
        # Unequal ratios differ by at least 1 / (d1 d2), unequal roots by at least half of that.
        distance = 1 / (bottom * factor) if np.min(bottoms) == bottom else 1 / (bottom**2 * factor)
        if 4 * CLOSE * max(1.0, top / (bottom * factor)) < distance:
            continue
        if 4 * CLOSE * factor * bottom * max(bottom, top / factor) >= 2.0**62:
            continue  # too large for arithmetic modulo 2^64: keep the floating-point result
        with np.errstate(over="ignore"):
            n, d, _ = zip(
                *(ratio(*(cell.astype(np.uint64) for cell in side)) for side in pair), strict=True
            )
            differs[start : start + BLOCK] = n[0] * d[1] != n[1] * d[0]
    # Sort exactly each run of candidates that are not all equal. Such runs are rare.
    run = np.cumsum(far)
    for at in np.unique(run[close[differs]]):
        first, last = np.searchsorted(run, (at, at + 1)) + np.array([at > 0, 1])
        inside = order[first:last]
        tops, bottoms, _ = ratio(*(cell.astype(object) for cell in cells_of(inside)))
        sign = -1 if ordered[first] < 0 < np.min(tops) else 1  # a negative root of a positive ratio
        exact = [sign * Fraction(int(t), int(b)) for t, b in np.broadcast(tops, bottoms)]
        rank = sorted(range(len(exact)), key=exact.__getitem__)
        order[first:last] = inside[rank]
        far[first : last - 1] = [exact[i] != exact[j] for i, j in pairwise(rank)]
