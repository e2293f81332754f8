"""Draws: Dirichlet variables, and the counts of a test set given a performance."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._random import fingerprint, stream

#: Below this gamma variables are drawn by their logarithms: plain ones lose digits, then underflow.
SMALL = 0.1
#: Less is no concentration that can be drawn from: all or nothing.
TINY = 1e-290
#: exp of less would be 0 (or lose digits).
FLOOR = -600.0
#: Numbers that are drawn together: half a megabyte, which stays in a processor's cache.
PART = 2**16


def dirichlet(rng: np.random.Generator, concentration: np.ndarray, size: int) -> np.ndarray:
    """Draws of a Dirichlet: shape (size, *concentration.shape), summing to 1 over the last axis.

    A component of concentration 0 has probability 0; a row of zeros has no distribution and gives NaN. A component of
    positive concentration never is 0, however small: a ratio of it would look undefined. The first draws of a larger
    ``size`` are those of a smaller one.
    """
    found = np.empty((size, *concentration.shape))
    for rows, part in dirichlet_parts(rng, concentration, size):
        found[rows] = part
    return found


def dirichlet_parts(
    rng: np.random.Generator, concentration: np.ndarray, size: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """The draws of :func:`dirichlet`, a few at a time: which they are, and they, in memory that is used again."""
    small = concentration < SMALL
    alone = small.all(axis=-1)
    # log G(a) = log G(a + 1) + log(U) / a, where U is uniform: from a stream of its own, that of the gammas goes on.
    logs = rng.spawn(1)[0] if small.any() else None
    most = min(max(PART // max(concentration.size, 1), 1), size)
    # From a plain array of parameters, into memory that is there: the quickest loop that NumPy has.
    parameter = np.empty((most, *concentration.shape))
    parameter[:] = np.where(small, concentration + 1, concentration)
    held = np.empty_like(parameter)
    for start in range(0, size, most):
        gamma = held[: min(most, size - start)]
        rng.standard_gamma(parameter[: len(gamma)].reshape(-1), out=gamma.reshape(-1))
        with np.errstate(divide="ignore", invalid="ignore"):
            if logs is not None:
                exponential = logs.standard_exponential((len(gamma), int(small.sum())))
                log = np.log(gamma[:, small]) - exponential / concentration[small]
                # Rows without a large component have no scale but their own largest.
                whole = np.full(gamma.shape, -np.inf)
                whole[:, small] = log
                top = np.where(alone, whole.max(axis=-1), 0.0)
                gamma[:, small] = np.exp(_lifted(log - np.broadcast_to(top[..., None], gamma.shape)[:, small]))
            # A sum of two is the same either way, and a plain addition much the quicker.
            two = gamma.shape[-1] == 2
            gamma /= gamma[..., :1] + gamma[..., 1:] if two else gamma.sum(axis=-1, keepdims=True)
        yield slice(start, start + len(gamma)), gamma


def dirichlet_of_each(rng: np.random.Generator, concentration: np.ndarray) -> np.ndarray:
    """One draw of a Dirichlet for each row of concentrations, summing to 1 over the last axis, none of it 0.

    By logarithms: log G(a) = log G(a + 1) + log(U) / a, where U is uniform. Each row takes its share of the stream, so
    that the first rows of a longer array are those of a shorter one.
    """
    uniform, gamma = rng.spawn(2)
    with np.errstate(divide="ignore"):
        log = np.log(gamma.standard_gamma(concentration + 1)) - uniform.standard_exponential(
            concentration.shape
        ) / np.maximum(concentration, TINY)
    log -= log.max(-1, keepdims=True)
    found = np.exp(np.maximum(log, FLOOR))
    return found / found.sum(-1, keepdims=True)


def _lifted(log: np.ndarray) -> np.ndarray:
    """Logarithms whose exponential does not underflow, in the same order; what is -inf stays so."""
    beyond = np.maximum(FLOOR - log, 0.0)
    return np.where(np.isneginf(log), log, np.maximum(log, FLOOR) - 100 * beyond / (beyond + 1e4))


def in_order(outcomes: np.ndarray) -> np.ndarray:
    """Where each of the outcomes stands that are told in another order: numbers by their value, others by name.

    Examples
    --------
    >>> in_order(np.array([10, 9, 1])).tolist(), in_order(np.array(["b", "a"])).tolist()
    ([2, 1, 0], [1, 0])
    """
    return np.argsort(outcomes if outcomes.dtype.kind in "biuf" else [repr(name) for name in outcomes.tolist()])


def sample_outcomes(
    performance: xr.DataArray, totals: xr.DataArray, root: np.random.SeedSequence, purpose: str
) -> xr.DataArray:
    """Counts for each draw of a performance over ``outcome``, of as many cases as ``totals`` says."""
    draws = [d for d in ("chain", "draw", "sample") if d in performance.dims]
    cells = [d for d in performance.dims if d not in (*draws, "outcome")]
    ordered = performance.transpose(*draws, *cells, "outcome")
    values, out = ordered.values, np.zeros(ordered.shape, np.int64)
    order: Any = in_order(ordered["outcome"].values) if "outcome" in ordered.coords else slice(None)
    for position in np.ndindex(*(ordered.sizes[d] for d in cells)):
        at = (slice(None),) * len(draws) + position
        p = values[at]
        if np.isnan(p).any():  # not measured: no case, as in the counts
            continue
        where = dict(zip(cells, position, strict=True))
        name = [ordered[d].values[i] if d in ordered.coords else i for d, i in where.items()]
        n = int(totals.isel({d: i for d, i in where.items() if d in totals.dims}))
        p = p[..., order]
        rng = stream(root, purpose, "outcomes", *name, fingerprint(np.round(p, 6)))
        out[at][..., order] = rng.multinomial(n, p / p.sum(-1, keepdims=True))
    return ordered.copy(data=out).transpose(*performance.dims).rename("counts")


def sample_counts(
    performance: xr.DataArray,
    counts: xr.DataArray,
    known: bool,
    root: np.random.SeedSequence,
    purpose: str,
    rate: xr.DataArray | None = None,
) -> xr.DataArray:
    """Counts for each draw of a performance; row totals are those of ``counts`` if ``known``, else random.

    ``rate`` has the rows of the performance where some class has a share of 0, and loses them.
    """
    draws = [d for d in ("chain", "draw", "sample") if d in performance.dims]
    cells = [d for d in performance.dims if d not in (*draws, "actual", "predicted")]
    ordered = performance.transpose(*draws, *cells, "actual", "predicted")
    values = ordered.values
    rows = None if rate is None else rate.transpose(*ordered.dims).values
    cases = counts.sum("predicted") if "predicted" in counts.dims else counts
    out = np.zeros(values.shape, np.int64)
    for position in np.ndindex(*(ordered.sizes[d] for d in cells)):
        where = dict(zip(cells, position, strict=True))
        at = (slice(None),) * len(draws) + position
        p = values[at]
        if np.isnan(p).any():  # not measured: no case, as in the counts
            continue
        n = cases.isel({d: i for d, i in where.items() if d in cases.dims})
        share = p.sum(-1)
        name = [ordered[d].values[i] if d in ordered.coords else i for d, i in where.items()]
        # Keyed by the draws, so that entities that share those of the prevalence share the test set; rounded so
        # coarsely that none of thousands of draws falls on two sides of a digit by its last bit.
        if known:
            sizes = np.broadcast_to(n.values, share.shape)
        else:
            key = fingerprint(np.round(share, 6))
            rng = stream(root, purpose, "cases", *(n for d, n in zip(cells, name, strict=True) if d != "entity"), key)
            sizes = rng.multinomial(int(n.sum()), share / share.sum(-1, keepdims=True))
        if rows is not None:
            row = rows[at]
        else:
            if (np.asarray(sizes) > 0)[share == 0].any():
                raise ValueError(
                    "performance must have positive prevalence for every class with cases, or its rates are lost; "
                    f"got 0 for {dict(zip(cells, name, strict=True))}"
                )
            with np.errstate(invalid="ignore"):
                row = np.where(share[..., None] > 0, p / share[..., None], 1 / p.shape[-1])
        rng = stream(root, purpose, "answers", *name, fingerprint(np.round(p, 6)))
        out[at] = rng.multinomial(sizes, row / row.sum(-1, keepdims=True))
    return ordered.copy(data=out).transpose(*performance.dims).rename("counts")
