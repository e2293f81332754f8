"""Reference distributions of performances, or of whole curves, for outperformance scores.

A reference of performances has one method, ``below(score, value, prevalence)``: the probability
that a performance drawn from it is worse. A reference of curves is a Dataset with ``fpr`` and
``tpr`` (sample, point).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_beta_parameters,
    check_callable,
    check_integer,
    check_numbers,
    describe_value,
)
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.memory import check_memory
from bayesrank._core.random import Seed, root_sequence, stream
from bayesrank.scores import Score
from bayesrank.scores.contour_area import probability_worse
from bayesrank.scores.contours import closed_area
from bayesrank.scores.score import cells_at


@dataclass(frozen=True)
class Distribution:
    """A reference given by the distribution of TPR and FPR.

    Parameters
    ----------
    fpr_quantile : callable
        Quantile function of the FPR: maps arrays of probabilities to rates.
    tpr_below : callable
        Conditional distribution: maps arrays (fpr, tpr) to the probability of a lower TPR at that
        FPR.

    Examples
    --------
    >>> cautious = br.ops.Distribution(lambda u: u**2, lambda fpr, tpr: tpr)
    >>> round(br.ops.of_value("tnr", 0.75, 0.3, reference=cautious).item(), 6)
    0.5
    """

    fpr_quantile: Callable[[np.ndarray], np.ndarray]
    tpr_below: Callable[[np.ndarray, np.ndarray], np.ndarray]

    size = None

    def __post_init__(self) -> None:
        check_callable("fpr_quantile", self.fpr_quantile)
        check_callable("tpr_below", self.tpr_below)

    def below(self, score: Score, value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
        """Return the probability of a performance worse than ``value``, for flat arrays of values and prevalences."""
        form = closed_area(score) if self is UNIFORM else None
        if form is not None:
            return np.clip(form(value, prevalence), 0.0, 1.0)
        return probability_worse(score, value, prevalence, self.fpr_quantile, self.tpr_below)


@dataclass(frozen=True, eq=False)
class Sample:
    """A reference given by a sample of TPR and FPR.

    Parameters
    ----------
    fpr, tpr : numpy.ndarray
        The rates of each sampled performance, of equal length.

    Examples
    --------
    >>> import numpy as np
    >>> rivals = br.ops.Sample(fpr=np.array([0.1, 0.2, 0.3]), tpr=np.array([0.7, 0.8, 0.9]))
    >>> br.ops.of_value("tpr", 0.85, 0.3, reference=rivals).round(3).item()
    0.667
    """

    fpr: np.ndarray
    tpr: np.ndarray

    def __post_init__(self) -> None:
        for name in ("fpr", "tpr"):
            object.__setattr__(self, name, check_numbers(name, getattr(self, name), 0.0, 1.0))
        if self.fpr.ndim != 1 or self.fpr.shape != self.tpr.shape or not self.fpr.size:
            raise ArgumentError(
                "fpr and tpr",
                "must be non-empty sequences of the same length",
                f"shapes {self.fpr.shape} and {self.tpr.shape}",
            )

    @property
    def size(self) -> int:
        """Return the number of sampled performances."""
        return self.fpr.size

    def below(self, score: Score, value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
        """Return the share of sampled performances with a score worse than ``value``, among those defined."""
        sign = 1.0 if score.higher_is_better else -1.0
        # Rounding must not let a performance outperform itself.
        asked = sign * value - 1e-12 * np.maximum(1.0, np.abs(value))
        out = np.empty(value.shape)
        if not score.depends_on_prevalence:
            prevalence = np.full(value.shape, 0.5)
        shares, member = np.unique(prevalence, return_inverse=True)
        order = np.argsort(member, kind="stable")
        groups = np.split(order, np.searchsorted(member[order], np.arange(1, shares.size)))
        step = max(1, 2_000_000 // self.size)
        for start in range(0, shares.size, step):
            block = shares[start : start + step]
            rival = np.sort(
                sign * score.of_cells(*cells_at(self.fpr, self.tpr, block[:, None])), axis=1
            )
            for row, where in zip(rival, groups[start : start + step], strict=True):
                defined = row[: row.size - np.count_nonzero(np.isnan(row))]  # NaN sorts last
                worse = np.searchsorted(defined, asked[where], side="left")
                out[where] = worse / defined.size if defined.size else np.nan
        return out


Reference = Distribution | Sample

#: All pairs of rates are equally likely (Zhao et al., Outperformance Score, Eq. 6).
UNIFORM = Distribution(lambda u: u, lambda fpr, tpr: tpr)


@check_call
def independent_betas(fpr: tuple[float, float], tpr: tuple[float, float]) -> Distribution:
    """Return a reference with independent Beta distributions of the two rates.

    Parameters
    ----------
    fpr, tpr : pair of float
        The parameters of each distribution, positive and finite.

    Examples
    --------
    >>> br.ops.of_value("tpr", 0.5, 0.3, reference=independent_betas(fpr=(1, 4), tpr=(4, 1))).round(6).item()
    0.0625
    """
    from scipy import special

    for name, pair in (("fpr", fpr), ("tpr", tpr)):
        check_beta_parameters(name, pair)
    return Distribution(
        lambda u: special.betaincinv(*fpr, u), lambda x, y: special.betainc(*tpr, np.clip(y, 0, 1))
    )


@check_call
def better_than_chance() -> Distribution:
    """Return the uniform reference over performances with TPR > FPR, the upper triangle of the ROC square.

    Examples
    --------
    >>> br.ops.of_value("informedness", 0.0, 0.3, reference=better_than_chance()).round(9).item()
    0.0
    """
    return Distribution(
        lambda u: 1 - np.sqrt(1 - u), lambda fpr, tpr: np.maximum(tpr - fpr, 0.0) / (1 - fpr)
    )


@check_call
def from_sampler(
    sampler: Callable[[np.random.Generator, int], Any], size: int = 40_000, *, seed: Seed = 0
) -> Sample:
    """Return a reference from a user-defined sampler of the two rates.

    Parameters
    ----------
    sampler : callable
        Called with a NumPy Generator and a size; returns (fpr, tpr), two arrays of that size.
    size : int
        Number of samples; with 40,000 the standard error of OPS is below 0.0025.
    seed : int, SeedSequence or Generator, optional

    Examples
    --------
    >>> from_sampler(lambda rng, n: (rng.beta(1, 3, n), rng.beta(3, 1, n))).size
    40000
    """
    size = check_integer("size", size, 1)
    check_memory("size must be smaller", f"{size} pairs of rates", (2, size), str(size))
    if isinstance(sampler, type):
        raise ArgumentTypeError("sampler", "must be a function", describe_value(sampler))
    rates = check_callable("sampler", sampler)(stream(root_sequence(seed), "reference"), size)
    if not isinstance(rates, tuple | list | np.ndarray) or len(rates) != 2:
        raise ArgumentTypeError(
            "sampler", "must return two arrays, fpr and tpr", describe_value(rates)
        )
    fpr, tpr = (
        check_numbers(f"sampler's {name}", rate, 0, 1)
        for name, rate in zip(("fpr", "tpr"), rates, strict=True)
    )
    if fpr.shape != (size,) or tpr.shape != (size,):
        raise ArgumentError(
            "sampler",
            f"must return {size} rates of each kind",
            f"shapes {fpr.shape} and {tpr.shape}",
        )
    return Sample(fpr, tpr)


#: Levels of a tree from a Sobol sequence, and its number of binary digits, which limits samples and
#: depth.
SOBOL_LEVELS, SOBOL_BITS = 3, 30


@check_call
def directed_binary_tree(depth: int = 7, samples: int = 32_768, seed: Seed = 0) -> xr.Dataset:
    """Sample ROC curves from the directed binary tree distribution.

    The first point of a curve is uniform on the square. It leaves a rectangle to its lower left and
    one to its upper right; each gets a uniform point, and so on. A scrambled Sobol sequence gives
    the first levels, which about halves the error. Source: Zhao et al., Outperformance score,
    Section 3.3 and Figure 2 (depth 3).

    Parameters
    ----------
    depth : int
        Levels below the first point, at most 30: a curve has 2^(depth + 1) - 1 points, and the ends
        (0, 0) and (1, 1).
    samples : int
        Number of curves; with 32,768 the standard error of OPS is below 0.0028.
    seed : int, SeedSequence or Generator, optional

    Returns
    -------
    xarray.Dataset
        ``fpr`` and ``tpr`` (sample, point), single precision, not decreasing along ``point``.

    Examples
    --------
    >>> dict(directed_binary_tree(depth=3, samples=5).sizes)
    {'sample': 5, 'point': 17}
    """
    depth = check_integer("depth", depth, 0, SOBOL_BITS)
    samples = check_integer("samples", samples, 1, 2**SOBOL_BITS)
    # Memory for the curves and the last level before them, in single precision.
    needed = (samples, 2 ** (depth + 1) + 1, 2)
    check_memory(
        "depth or samples must be smaller",
        f"{samples} curves",
        needed,
        f"depth={depth}, samples={samples}",
    )
    from scipy.stats import qmc

    rng = stream(root_sequence(seed), "directed_binary_tree")
    levels = min(depth + 1, SOBOL_LEVELS)
    sobol = qmc.Sobol(2 * (2**levels - 1), seed=rng).random_base2(int(np.ceil(np.log2(samples))))[
        :samples
    ]
    curve = np.zeros((2, samples, 2), np.float32)
    curve[..., 1] = 1
    for level in range(depth + 1):
        pieces = 2**level
        if level < levels:
            first = 2 * (pieces - 1)
            u = np.moveaxis(
                sobol[:, first : first + 2 * pieces].reshape(samples, 2, pieces), 1, 0
            ).astype(np.float32)
        else:
            u = rng.random((2, samples, pieces), np.float32)
        finer = np.empty((2, samples, 2 * pieces + 1), np.float32)
        finer[..., ::2] = curve
        # Rounding must not move a point past its neighbour.
        finer[..., 1::2] = np.minimum(curve[..., :-1] + u * np.diff(curve), curve[..., 1:])
        curve = finer
    return xr.Dataset(
        {"fpr": (("sample", "point"), curve[0]), "tpr": (("sample", "point"), curve[1])}
    )


_default_tree = cache(directed_binary_tree)


def check_curves(reference: Any) -> xr.Dataset:
    """Return the curves after a check, or the default tree if none are given."""
    if reference is None:
        return _default_tree()
    if not isinstance(reference, xr.Dataset) or not {"fpr", "tpr"} <= set(reference.data_vars):
        raise ArgumentTypeError(
            "reference", "must be a Dataset with fpr and tpr for curves", describe_value(reference)
        )
    for name in ("fpr", "tpr"):
        rate = reference[name]
        if set(rate.dims) != {"sample", "point"}:
            raise ArgumentError(
                "reference", "must have the dims sample and point", f"{rate.dims} for {name}"
            )
        if rate.dtype.kind != "f" or not rate.sizes["sample"] or rate.sizes["point"] < 2:
            raise ArgumentError(
                "reference",
                "must contain at least one curve, each with at least two points",
                f"{dict(rate.sizes)} and dtype {rate.dtype} for {name}",
            )
        values = rate.transpose("point", "sample").values
        if not (
            (np.diff(values, axis=0) >= 0).all()
            and (values[0] == 0).all()
            and (values[-1] == 1).all()
        ):
            raise ArgumentError(
                "reference", f"must contain curves that rise from 0 to 1; the curve {name} does not"
            )
    return reference


def check_reference(reference: Any) -> Reference:
    """Return the reference after a check, or the uniform one if none is given."""
    if reference is None:
        return UNIFORM
    if isinstance(reference, type) or not callable(getattr(reference, "below", None)):
        raise ArgumentTypeError(
            "reference",
            "must have the method below, like br.ops.Distribution",
            describe_value(reference),
        )
    return reference


def below(
    reference: Reference, score: Score, value: np.ndarray, prevalence: np.ndarray
) -> np.ndarray:
    """Return OPS for arrays of any shape; NaN where the value is NaN or infinite, or a class is missing."""
    value, prevalence = np.broadcast_arrays(np.asarray(value, float), np.asarray(prevalence, float))
    defined = np.isfinite(value) & (prevalence > 0) & (prevalence < 1)
    out = np.full(value.shape, np.nan)
    out[defined] = reference.below(score, value[defined], prevalence[defined])
    return out
