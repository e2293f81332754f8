"""Exact distributions of a future confusion matrix, as labelled arrays over the lattice of all matrices.

A large lattice is cut to a window that loses a mass below 1e-12. A window that is too large itself
(few past, very many future cases) is binned, and :func:`bayesrank.predictive.score_pmf` bounds the
effect on a score.
"""

from collections.abc import Callable
from math import comb, prod
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer, describe_value
from bayesrank._core.classes import order_classes
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import check_positive
from bayesrank._core.memory import check_memory
from bayesrank.models import conjugate_posterior
from bayesrank.performance.arrays import two_class_cells

#: One axis of a lattice: the first and last count of every bin, and the count that represents it.
Axis = tuple[np.ndarray, np.ndarray, np.ndarray]
#: Lattices up to this size are never cut.
WHOLE = 10**6
#: Larger windows are binned, to about this many bins, to limit memory.
LARGEST = 2**24
BINS = 2**22
#: Maximum mass lost outside a window.
LOSS = 9e-13
#: Target number of bins if only the total is known (about half hold no matrix), and of values of
#: ``positives``.
TOTAL_BINS = 2**23
POSITIVES = 2**8


@check_call
def confusion_pmf(
    counts: xr.DataArray,
    positives: int | None = None,
    negatives: int | None = None,
    model: str = "beta_binomial",
    prior: Any = None,
    *,
    total: int | None = None,
) -> xr.DataArray:
    """Return the exact distribution of an entity's confusion matrix on its next test set (Lovell et al., Eq. 2-6).

    Parameters
    ----------
    counts : xarray.DataArray
        Integer two-class counts of one entity (actual, predicted; other dims of length 1 are
        dropped).
    positives, negatives : int, optional
        Number of cases of each class in the next test set; by default the observed numbers.
    model : str or class
        ``"beta_binomial"``, ``"dirichlet_multinomial"``, a conjugate model class, or
        ``"binomial"``: rates fixed at the observed ones, without prior.
    prior : optional
        Concentration of each cell, as for :func:`bayesrank.fit`.
    total : int, optional
        For the Dirichlet-multinomial without class sizes: number of cases of the next test set; by
        default the observed number.

    Returns
    -------
    xarray.DataArray
        ``probability`` (tp, tn), or (positives, tp, tn) if only the total is known. Coords:
        ``positives`` and ``negatives``; ``lost_mass``, an upper bound of the mass of omitted
        matrices; 0 if there are at most 10^6 matrices; and, if binned, the first and last count of
        each bin, such as ``tp_first`` and ``tp_last``.

    Examples
    --------
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> pmf = br.predictive.confusion_pmf(counts, prior="uniform")
    >>> pmf.sizes["tp"], pmf.sizes["tn"], round(pmf.sel(tp=16, tn=32).item(), 9)
    (21, 41, 0.017361347)
    """
    table = _one_table(counts)
    check_positive(table, "the pmf of tn, fp, fn and tp")
    cells = {name: int(cell) for name, cell in two_class_cells(table, "counts").items()}
    # Observed rates as true rates ignore uncertainty, but are a common way to predict.
    plug_in = isinstance(model, str) and model == "binomial"
    alpha, random_totals = ({}, False) if plug_in else _concentrations(table, model, prior)
    if random_totals and positives is None and negatives is None:
        return _with_total(
            alpha, sum(cells.values()) if total is None else check_integer("total", total)
        )
    if total is not None:
        raise ArgumentError(
            "total",
            "cannot be used unless the model is Dirichlet-multinomial without positives and negatives",
            describe_value(total),
        )
    sizes = (
        cells["fn"] + cells["tp"] if positives is None else check_integer("positives", positives),
        cells["tn"] + cells["fp"] if negatives is None else check_integer("negatives", negatives),
    )
    parameters: dict[str, Any] = cells if plug_in else alpha
    masses = [
        _class_masses(size, parameters[right], parameters[wrong], plug_in)
        for size, right, wrong in ((sizes[0], "tp", "fn"), (sizes[1], "tn", "fp"))
    ]
    windows = [(0, size, 0.0) for size in sizes]
    if (sizes[0] + 1) * (sizes[1] + 1) > WHOLE:
        windows = [kept_range(mass, LOSS / 4) for mass in masses]
    axes = _axes(masses, windows, LARGEST, BINS)
    values = np.multiply.outer(
        *(_binned_masses(mass, axis) for mass, axis in zip(masses, axes, strict=True))
    )
    coords = _coords(dict(zip(("tp", "tn"), axes, strict=True))) | {
        "positives": sizes[0],
        "negatives": sizes[1],
        "lost_mass": sum(window[2] for window in windows),
    }
    return xr.DataArray(values, coords, ("tp", "tn"), "probability")


def _with_total(alpha: dict[str, float], total: int) -> xr.DataArray:
    """Return the Dirichlet-multinomial pmf of a total: its split into classes, then both classes."""
    mass = sum(alpha.values())
    alphas = (alpha["fn"] + alpha["tp"], alpha["tp"], alpha["tn"])
    masses = [_class_masses(total, a, mass - a, plug_in=False) for a in alphas]
    windows = [(0, total, 0.0)] * 3
    if comb(total + 3, 3) > WHOLE:
        windows = [kept_range(mass, LOSS / 6) for mass in masses]
    points = prod(high - low + 1 for low, high, _ in windows)
    low, high, _ = windows[0]
    positives = bin_masses(masses[0], low, high, POSITIVES if points > LARGEST else total + 1)
    most = (LARGEST if points <= LARGEST else TOTAL_BINS) // len(positives[0])
    tp, tn = axes = _axes(masses[1:], windows[1:], most, most)
    values = np.zeros([len(axis[0]) for axis in (positives, *axes)])
    for i, (first, last) in enumerate(zip(*positives[:2], strict=True)):
        # Given the number of positives, tp and tn are independent.
        true = (
            masses[0][first : last + 1, None]
            * _fewer_and_fewer(first, last, tp, alpha["tp"], alpha["fn"])[::-1]
        )
        both = true.T @ _fewer_and_fewer(total - last, total - first, tn, alpha["tn"], alpha["fp"])
        values[i, : both.shape[0], : both.shape[1]] = both
    coords = _coords({"positives": positives, "tp": tp, "tn": tn}) | {
        "negatives": ("positives", total - positives[2]),
        "lost_mass": sum(window[2] for window in windows),
    }
    return xr.DataArray(values, coords, ("positives", "tp", "tn"), "probability")


def _fewer_and_fewer(fewest: int, most: int, axis: Axis, right: float, wrong: float) -> np.ndarray:
    """Return beta-binomial masses over the bins of an axis for ``most``, ..., ``fewest`` cases.

    In Pólya's urn, one more case raises the number right from k to k + 1 with probability (right +
    k) / (right + wrong + cases). A bin thus changes only by the flow across its two ends.
    """
    begun = axis[0] <= most
    first, last, middle = (counts[begun] for counts in axis)
    size = np.arange(most, fewest - 1, -1)[:, None]
    if not len(first):
        return np.zeros((len(size), 0))
    if right == 0 or wrong == 0:  # probability 0 or 1
        sure = size if wrong == 0 else 0 * size
        return ((first <= sure) & (sure <= last)).astype(float)
    masses = np.append(beta_binomial(most, right, wrong), np.zeros(max(int(last[-1]) - most, 0)))
    ends = np.append(first[0] - 1, last)
    more = size[:-1]
    steps: np.ndarray = np.empty((len(size), len(ends)))
    steps[0] = np.where(ends < 0, 0.0, masses[ends])
    # P(k | cases - 1) / P(k | cases); 0 if k equals the number of cases
    steps[1:] = np.maximum(more - ends, 0) * (right + wrong + more - 1)
    steps[1:] /= more * (wrong + np.maximum(more - 1 - ends, 0))
    with np.errstate(under="ignore"):
        flow = np.cumprod(steps, axis=0)[1:] * (right + ends) / (right + wrong + more - 1)
    binned = np.concatenate(
        [_binned_masses(masses, (first, last, middle))[None], np.diff(flow, axis=1)]
    )
    return np.where(first > size, 0.0, np.maximum(np.cumsum(binned, axis=0), 0.0))


def _class_masses(size: int, right: float, wrong: float, plug_in: bool) -> np.ndarray:
    """Return the masses of the number right in ``size`` cases: binomial if ``plug_in``, else beta-binomial."""
    if size > 0 and right + wrong == 0:
        raise ArgumentError(
            "counts",
            f"must contain cases of each class, or have a prior, to predict {size} more of it",
            "none",
        )
    if size == 0:
        return np.ones(1)
    return binomial(size, right / (right + wrong)) if plug_in else beta_binomial(size, right, wrong)


def _axes(
    masses: list[np.ndarray], windows: list[tuple[int, int, float]], largest: int, most: int
) -> list[Axis]:
    """Return both axes of the lattice, binned to about ``most`` points if there are more than ``largest``."""
    sizes = [high - low + 1 for low, high, _ in windows]
    bins = sizes
    if sizes[0] * sizes[1] > largest:
        side = max(int(most**0.5), 8)
        bins = [max(side, most // sizes[1 - i]) for i in (0, 1)]
    return [
        bin_masses(mass, low, high, n)
        for mass, (low, high, _), n in zip(masses, windows, bins, strict=True)
    ]


def _binned_masses(masses: np.ndarray, axis: Axis) -> np.ndarray:
    first, last, _ = axis
    return np.add.reduceat(masses[: last[-1] + 1], first)


def _coords(axes: dict[str, Axis]) -> dict[str, Any]:
    coords: dict[str, Any] = {}
    for name, (first, last, middle) in axes.items():
        coords[name] = middle
        if len(middle) < last[-1] - first[0] + 1:
            coords |= {f"{name}_first": (name, first), f"{name}_last": (name, last)}
    return coords


def _one_table(counts: xr.DataArray) -> xr.DataArray:
    if not isinstance(counts, xr.DataArray) or counts.dtype.kind not in "iu":
        description = (
            f"dtype {counts.dtype}" if isinstance(counts, xr.DataArray) else describe_value(counts)
        )
        hint = (
            "br.from_counts(tn=, fp=, fn=, tp=) or br.from_matrix(matrix, orientation) makes them"
        )
        raise ArgumentTypeError("counts", "must be a DataArray of integers", description, hint)
    others = {
        dim: size
        for dim, size in counts.sizes.items()
        if dim not in ("actual", "predicted", "outcome")
    }
    if any(size != 1 for size in others.values()):
        raise ArgumentError("counts", "must have one entity (select it with .sel)", others)
    table = order_classes(counts.isel(dict.fromkeys(others, 0), drop=True), "counts")
    if set(table.dims) == {"actual", "predicted"} and bool((table < 0).any()):
        raise ArgumentError("counts", "must not be negative", int(table.min()))
    return table


def _concentrations(table: xr.DataArray, model: Any, prior: Any) -> tuple[dict[str, float], bool]:
    """Return the posterior concentration of each cell, and whether the model treats row totals as random."""
    # Classes without cases are checked where their masses are computed.
    closed_form = conjugate_posterior(
        model, table.expand_dims(entity=["entity"]), {"prior": prior, "force": True}
    )
    cells = two_class_cells(closed_form.posterior.isel(entity=0), "counts")
    return {name: float(cell) for name, cell in cells.items()}, closed_form.totals is None


def beta_binomial(size: int, alpha: float, beta: float) -> np.ndarray:
    """Return the masses of 0, ..., size successes with a Beta(alpha, beta) rate; alpha or beta may be 0 (U Eq. 4)."""
    return _from_ratios(
        size,
        lambda a: (size - a) * (alpha + a),
        lambda a: (a + 1) * (beta + (size - 1 - a)),
        alpha,
        beta,
    )


def binomial(size: int, rate: float) -> np.ndarray:
    """Return the binomial masses of 0, ..., size successes at this rate (U Eq. 3)."""
    return _from_ratios(
        size, lambda a: (size - a) * rate, lambda a: (a + 1) * (1 - rate), rate, 1 - rate
    )


def _from_ratios(size: int, above: Callable, below: Callable, up: float, down: float) -> np.ndarray:
    """Return masses from P(a + 1) / P(a) = above(a) / below(a), starting at the largest mass.

    This loses a few units in the last place; differences of log-gamma functions of large numbers
    lose ten digits.
    """
    check_memory(
        "positives, negatives and total must be smaller",
        f"masses of 0 to {size} cases",
        (8, size),
        str(size),
    )
    masses = np.zeros(size + 1)
    if up == 0 or down == 0:  # probability 0 or 1
        masses[0 if up == 0 else -1] = 1.0
        return masses
    a = np.arange(size, dtype=float)
    numerator, denominator = above(a), below(a)
    start = int(np.argmax(np.concatenate([[0.0], np.cumsum(np.log(numerator / denominator))])))
    masses[start] = 1.0
    with np.errstate(under="ignore"):
        masses[start + 1 :] = np.cumprod(numerator[start:] / denominator[start:])
        masses[:start] = np.cumprod((denominator[:start] / numerator[:start])[::-1])[::-1]
    return masses / masses.sum()


def kept_range(masses: np.ndarray, tail: float) -> tuple[int, int, float]:
    """Return the first and last count to keep, and the lost mass, where each tail loses at most ``tail``."""
    left, right = np.cumsum(masses), np.cumsum(masses[::-1])
    low = int(np.searchsorted(left, tail, side="right"))
    high = len(masses) - 1 - int(np.searchsorted(right, tail, side="right"))
    lost = (left[low - 1] if low > 0 else 0.0) + (
        right[len(masses) - 2 - high] if high < len(masses) - 1 else 0.0
    )
    return low, high, float(lost)


def bin_masses(masses: np.ndarray, low: int, high: int, bins: int) -> Axis:
    """Group the counts low, ..., high into at most ``bins`` bins, each represented by its rounded mean.

    The counts at both ends, where scores may be undefined, keep bins of their own.
    """
    points = high - low + 1
    if points <= bins:
        every = np.arange(low, high + 1)
        return every, every, every
    width = -(-(points - 2) // (bins - 2))
    first = np.concatenate([[low], np.arange(low + 1, high, width), [high]])
    last = np.append(first[1:] - 1, high)
    inside = masses[low : high + 1]
    mass = np.add.reduceat(inside, first - low)
    moment = np.add.reduceat(inside * np.arange(low, high + 1), first - low)
    middle = (first + last) / 2
    mean = np.divide(moment, mass, out=middle, where=mass > 0)
    return first, last, np.clip(np.rint(mean), first, last).astype(int)
