"""Reduce draws block by block in one pass, and estimate Monte-Carlo errors.

**One pass.** A reducer sees every draw once, in blocks of consecutive draws:

    class Mean:
        def start(self, batches): self.total = 0.0            # called once, with the sizes, before
        the first block def add(self, block): self.total += block.values.sum(axis=0)    #
        block.values is (draws, ...) def finish(self): return self.total

    [mean] = reduce(array, Mean())

The array is a labelled one with the dims chain and draw, or sample, or neither (a single draw); or
a plain one with the draws first. A Dask array is computed chunk by chunk, each chunk once, and
freed after the reducers have seen it. Each chain is seen in order; blocks of other chains may lie
between its blocks.

**Batches.** Draws are grouped into about 40 batches of neighbours. The spread of the batch means
gives the Monte-Carlo error, including autocorrelation and disagreement between chains. A draw's
batch depends on its chain, its index and the sizes, not on chunks, and a block lies within one
batch. Results are therefore the same for all chunks and threads: exactly for counts, to the last
digits for sums of floats. The first half of each chain's batches forms half 0 of the draws, the
rest half 1: a quantity tuned on one half is evaluated on the other.

**Errors.** The error of a share is that of its batch means, and at least that of as many
independent draws. A share that is constant or nearly so does not show its autocorrelation. Its
error then uses the ``efficiency`` of the numbers that it compares (:func:`share_error`).
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.random import BLOCK as STREAM

#: The dims that draws may have.
DRAW_DIMS = ("chain", "draw", "sample")
#: The attr "method" of Monte-Carlo standard errors.
ERROR = "Monte-Carlo standard error, from batch means"
#: Target number of batches over all chains.
BATCHES = 40
#: Minimum number of draws in a batch, unless a chain has fewer than twice as many.
FEW = 4
#: Maximum number of values in a block: 1 MB, which fits into a processor's cache.
BLOCK = 2**17
#: Number of multiplications up to which a matrix product runs in one thread.
ALONE = 2**17
#: Minimum number of independent draws on the rarer side of a share for its batch means to be
#: sufficient.
RARE = 5


def draw_dims(array: xr.DataArray) -> list[str]:
    """Return the dims of the draws: chain and draw, or sample if these were stacked."""
    return [dim for dim in DRAW_DIMS if dim in array.dims]


def check_size(values: xr.DataArray) -> None:
    """Raise an error if there is no entity or no draw."""
    if not values.size:
        raise ArgumentError(
            "source",
            "must contain at least one entity and one draw",
            f"the sizes {dict(values.sizes)}",
        )


@dataclass(frozen=True)
class Batches:
    """Assign draws to batches."""

    chains: int
    draws: int
    #: False for a single point (no dim of draws), which has no known error.
    sampled: bool = True

    @classmethod
    def of(cls, array: Any) -> "Batches":
        """Return the batches of a labelled array, or of a plain array (draws, ...), which is one chain."""
        if not isinstance(array, xr.DataArray):
            return cls(1, array.shape[0])
        dims = draw_dims(array)
        draws = array.sizes.get("draw", 1) * array.sizes.get("sample", 1)
        return cls(array.sizes.get("chain", 1), draws, sampled=bool(dims))

    @property
    def number(self) -> int:
        """Return the number of draws over all chains."""
        return self.chains * self.draws

    @cached_property
    def each(self) -> int:
        """Return the number of batches in each chain, an even number."""
        return 2 * min(max(self.draws // (2 * FEW), 1), max(BATCHES // (2 * self.chains), 1))

    @cached_property
    def edges(self) -> np.ndarray:
        """Return the start of each batch within a chain, followed by the end of the last one."""
        return -(-np.arange(self.each + 1) * self.draws // self.each)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Return the number of draws in each batch; some are empty if chains have one draw."""
        return np.tile(np.diff(self.edges), self.chains)

    @cached_property
    def ends(self) -> np.ndarray:
        """Return the end of each batch over all chains, one after the other."""
        return np.cumsum(self.sizes)

    def within(self, start: int, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the batches of consecutive draws over all chains, and where each one begins among them (0 first)."""
        starts = self.ends - self.sizes
        some = (starts < start + number) & (self.ends > start) & (self.sizes > 0)
        which = np.flatnonzero(some)
        return which, np.maximum(starts[which] - start, 0)

    def half(self, batch: Any) -> Any:
        """Return 0 for batches in the first half of their chain, 1 in the second."""
        return batch % self.each * 2 // self.each


@dataclass(frozen=True)
class DrawBlock:
    """Consecutive draws of one batch: ``values`` (draws, ...), starting at draw ``start`` over all chains.

    If blocks may span batches, each chain counts as one batch.
    """

    values: np.ndarray
    start: int
    batch: int
    #: Whether this block completes its batch.
    complete: bool


def reduce(
    array: Any, *reducers: Any, batches: Batches | None = None, across: bool = False
) -> list[Any]:
    """Pass all draws once through the reducers and return their results.

    ``batches`` describes a plain array of several chains, one after the other. With ``across``,
    blocks may span batches: fewer and larger blocks, for reducers that estimate no error.
    """
    batches = batches or Batches.of(array)
    for reducer in reducers:
        reducer.start(batches)
    for block in iterate_blocks(array, batches, across):
        for reducer in reducers:
            reducer.add(block)
    return [reducer.finish() for reducer in reducers]


def iterate_blocks(
    array: Any, batches: Batches | None = None, across: bool = False
) -> Iterator[DrawBlock]:
    """Yield every draw once, in blocks within a chunk and a batch, or within a chunk and a chain."""
    batches = batches or Batches.of(array)
    data = array
    if isinstance(array, xr.DataArray):
        dims = draw_dims(array)
        data = array.transpose(*dims, ...).data
        data = data.reshape(batches.chains, batches.draws, *data.shape[len(dims) :])
    else:
        data = data.reshape(batches.chains, batches.draws, *data.shape[1:])
    chains, draws = getattr(data, "chunks", ((batches.chains,), (batches.draws,)))[:2]
    most = max(BLOCK // max(int(np.prod(data.shape[2:])), 1), 1)
    edges = np.array([0, batches.draws]) if across else batches.edges
    chunks = len(edges) - 1
    # Blocks also begin where random streams do, so chunks of whole streams give the same sums as
    # arrays in memory.
    cuts = np.union1d(edges, np.arange(0, batches.draws, STREAM))
    spans = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    batch_of = np.searchsorted(edges, cuts[:-1], side="right") - 1
    for chain, chain_end in spans_of(chains):
        for draw, draw_end in spans_of(draws):
            part = np.asarray(data[chain:chain_end, draw:draw_end])
            for c in range(chain, chain_end):
                for (first, last), batch in zip(spans, batch_of.tolist(), strict=True):
                    end = min(last, draw_end)
                    for at in range(max(first, draw), end, most):
                        stop = min(at + most, end)
                        yield DrawBlock(
                            part[c - chain, at - draw : stop - draw],
                            c * batches.draws + at,
                            c * chunks + batch,
                            bool(stop == edges[batch + 1]),
                        )


def load_arrays(*arrays: xr.DataArray) -> list[xr.DataArray]:
    """Load lazy arrays into memory, all together: a lazy posterior behind several scores is drawn once, not held."""
    if all(array.chunks is None for array in arrays):
        return list(arrays)
    import dask

    return list(dask.compute(*arrays))


class BatchSums:
    """Sum each batch (batch, ...); NaN counts as 0."""

    def start(self, batches: Batches) -> None:
        self.sums: Any = None
        self.count = len(batches.sizes)

    def add(self, block: DrawBlock) -> None:
        total = np.nansum(block.values, axis=0)
        if self.sums is None:
            self.sums = np.zeros((self.count, *total.shape))
        self.sums[block.batch] += total

    def finish(self) -> np.ndarray:
        return self.sums


class Moments:
    """Accumulate covariances of draws and of batch means about a ``centre`` (number) near the means.

    With ``pairs=False``, accumulate variances only, equal to the last bit. NaN counts as the
    centre. Use :func:`efficiency` to convert the result to effective draws.
    """

    def __init__(self, centre: np.ndarray, pairs: bool = True) -> None:
        self.centre = np.where(np.isnan(centre), 0.0, centre)
        self.pairs = pairs

    def start(self, batches: Batches) -> None:
        self.sizes = batches.sizes
        self.squares = np.zeros(len(self.centre))
        self.products = np.zeros((len(self.centre),) * (1 + self.pairs))
        self.sums = np.zeros((len(self.sizes), len(self.centre)))
        self.waiting: list[np.ndarray] = []

    def add(self, block: DrawBlock) -> None:
        off = block.values - self.centre
        total = off.sum(axis=0)
        if np.isnan(total).any():
            np.nan_to_num(off, copy=False, nan=0.0)
            total = off.sum(axis=0)
        self.sums[block.batch] += total
        self.squares += np.einsum("ij,ij->j", off, off)
        if not self.pairs:
            return
        # Starting threads costs more than a small product: use many small products for few numbers,
        # which stay in one thread, and few large products for many numbers.
        self.waiting.append(off)
        fits = len(off) * off.shape[1] ** 2 <= ALONE
        if fits or sum(part.size for part in self.waiting) >= 4 * BLOCK:
            self._multiply()

    def _multiply(self) -> None:
        rows = np.concatenate(self.waiting) if self.waiting else np.zeros((0, len(self.centre)))
        self.products += rows.T @ rows
        self.waiting.clear()

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the (co)variance of a draw, and of a batch mean times the batch size; equal for independent draws."""
        number = self.sizes.sum()
        mean = self.sums.sum(axis=0) / number
        some = self.sizes > 0
        off = (self.sums[some] - np.outer(self.sizes[some], mean)) / np.sqrt(self.sizes[some])[
            :, None
        ]
        free = max(int(some.sum()) - 1, 1)
        own = self.squares / number - mean**2, np.einsum("ij,ij->j", off, off) / free
        if not self.pairs:
            return own
        self._multiply()
        both = self.products / number - np.outer(mean, mean), off.T @ off / free
        for table, diagonal in zip(both, own, strict=True):
            np.fill_diagonal(table, diagonal)
        return both


class EffectiveDraws:
    """Estimate the effective sample size of each number (...) separately; NaN counts as the first draw, or 0."""

    def start(self, batches: Batches) -> None:
        self.batches = batches
        self.moments: Moments | None = None

    def add(self, block: DrawBlock) -> None:
        if self.moments is None:
            self.shape = block.values.shape[1:]
            self.moments = Moments(block.values[0].ravel(), pairs=False)
            self.moments.start(self.batches)
        self.moments.add(replace(block, values=block.values.reshape(len(block.values), -1)))

    def finish(self) -> np.ndarray:
        assert self.moments is not None
        return self.batches.number * efficiency(*self.moments.finish()).reshape(self.shape)


def product_of(rows: np.ndarray, centre: np.ndarray | float = 0.0) -> np.ndarray:
    """Return off.T @ off for off = rows - centre; products of few columns are split so that no threads start."""
    together = ALONE // max(rows.shape[1] ** 2, 1)
    together = together if together >= 8 else max(len(rows), 1)
    total = np.zeros((rows.shape[1],) * 2)
    for start in range(0, len(rows), together):
        off = rows[start : start + together] - centre
        total += off.T @ off
    return total


def finite_rows(rows: np.ndarray) -> np.ndarray:
    """Return the rows whose numbers are all finite, without a copy if all are."""
    finite = np.isfinite(rows).all(axis=1)
    return rows if finite.all() else rows[finite]


def covariance_of(rows: np.ndarray) -> np.ndarray:
    """Return the sample covariance of the columns of rows (draw, column), as :func:`numpy.cov`, without threads."""
    return product_of(rows, rows.mean(axis=0)) / (len(rows) - 1)


def efficiency(within: np.ndarray, between: np.ndarray) -> np.ndarray:
    """Return the effective sample size per draw, at most 1, from the variances of :class:`Moments`.

    Constant draws count as independent, since they show no autocorrelation.
    """
    return np.divide(
        within, between, out=np.ones_like(within), where=between > np.maximum(within, 0.0)
    )


def mean_error(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the standard error of Σ sums / Σ sizes from batches (batch, ...); NaN if fewer than two have draws."""
    sums = np.asarray(sums, float)
    sizes = np.broadcast_to(
        np.reshape(sizes, np.shape(sizes) + (1,) * (sums.ndim - np.ndim(sizes))), sums.shape
    )
    total = sizes.sum(axis=0)
    some = np.where(total > 0, total, np.nan)
    weight = np.where(sizes > 0, sizes, np.nan)
    squares = np.nansum((sums - weight * (sums.sum(axis=0) / some)) ** 2 / weight, axis=0) / some
    return error_of_squares(0.0, squares, (sizes > 0).sum(axis=0))


def error_of_squares(mean: Any, squares: Any, batches: Any) -> np.ndarray:
    """Return the error of :func:`mean_error` from Σ sums² / sizes / Σ sizes, without the sums of every batch."""
    free = np.where(np.asarray(batches) > 1, np.asarray(batches) - 1.0, np.nan)
    return np.sqrt(np.maximum(squares - mean**2, 0.0) / free)


def share_error(share: Any, error: Any, number: Any, effective_size: Any) -> np.ndarray:
    """Return the Monte-Carlo standard error of a share of ``number`` draws; never 0.

    ``error`` is that from batch means, NaN if unknown. ``effective_size`` is that of the numbers
    which the share compares: a share near 0 or 1 does not show its own autocorrelation.
    """
    at_least = np.fmax(error, proportion_error(share, number))
    rare = np.minimum(share, 1 - share) * effective_size < RARE
    return np.where(rare, np.fmax(at_least, proportion_error(share, effective_size)), at_least)


def part_error(part: Any, error: Any, effective_size: Any) -> np.ndarray:
    """Return the Monte-Carlo standard error of a mean of numbers in [0, 1], given their effective sample size; never 0.

    The bounds are those of :func:`share_error`; a share, a mean of zeros and ones, has the largest
    variance.
    """
    part = np.asarray(part)
    rare = np.minimum(part, 1 - part) * effective_size < RARE
    return np.fmax(error, proportion_error(np.where(rare, part, 0.0), effective_size)) + 0 * part


def proportion_error(share: Any, size: Any) -> Any:
    """Return the standard error of a share of ``size`` independent draws from its Jeffreys posterior; never 0."""
    smooth = (share * size + 0.5) / (size + 1)
    return np.sqrt(smooth * (1 - smooth) / (size + 2))


def median_and_interval(name: str, values: xr.DataArray, prob: float) -> dict[str, xr.DataArray]:
    """Return the median ``name`` over draws, and ``<name>_lower`` and ``<name>_upper``, equal tails at ``prob``."""
    dims, tail = draw_dims(values), (1 - prob) / 2
    if not dims:
        return {f"{name}{end}": values for end in ("", "_lower", "_upper")}
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "All-NaN", RuntimeWarning
        )  # a value that is undefined in all draws
        cuts = values.quantile([0.5, tail, 1 - tail], dims, skipna=True).drop_vars("quantile")
    return {f"{name}{end}": cuts.isel(quantile=i) for i, end in enumerate(("", "_lower", "_upper"))}


def spans_of(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the start and the end of each chunk of these sizes."""
    return list(pairwise(np.cumsum([0, *sizes]).tolist()))
