"""Draws: Dirichlet variables, and the counts of a test set given a performance."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._random import fingerprint, stream

#: Less is no concentration that can be drawn from: all or nothing.
TINY = 1e-290
#: exp of less would be 0 (or lose digits).
FLOOR = -600.0


def dirichlet(rng: np.random.Generator, concentration: np.ndarray, size: int) -> np.ndarray:
    """Draws of a Dirichlet: shape (size, *concentration.shape), summing to 1 over the last axis.

    A component of concentration 0 has probability 0; a row of zeros has no distribution and gives NaN. A component of
    positive concentration never is 0, however small: a ratio of it would look undefined. The first draws of a larger
    ``size`` are those of a smaller one.
    """
    found = np.empty((size, *concentration.shape))
    table = concentration.reshape(1, -1, concentration.shape[-1])
    out = found.reshape(size, *table.shape)
    fill_tables(out, np.zeros(1, int), table, rng.integers(2**64, size=(1, 2), dtype=np.uint64), (0, 0))
    return found


def fill_tables(
    out: np.ndarray,
    which: np.ndarray,
    concentration: np.ndarray,
    seeds: np.ndarray,
    place: tuple[int, int],
    share: np.ndarray | None = None,
    of: np.ndarray | None = None,
) -> None:
    """Fill some tables of an array (draw, table, row, answer) with rows of Dirichlet draws, as of :func:`dirichlet`.

    Parameters
    ----------
    out : ndarray
        What is filled, in plain order.
    which : ndarray
        The tables that are.
    concentration : ndarray
        Of all tables (table, row, answer).
    seeds : ndarray
        Two words for each table (table, 2), from :func:`bayesrank._random.words`.
    place : tuple of int
        Chain and block of the draws: with the seeds, the key of each table's stream.
    share : ndarray, optional
        What the rows are multiplied with (draw, set, row); 1 if left out.
    of : ndarray, optional
        The set of each table (table); all of one if left out.

    Raises
    ------
    ValueError
        If a concentration is negative or no number, or the sum of a row is infinite: there is no such distribution.
    """
    from bayesrank._dirichlet_kernel import fill

    asked = concentration[which]
    with np.errstate(over="ignore"):
        sound = (asked >= 0).all() and np.isfinite(asked.sum(axis=-1)).all()
    if not sound:
        worst = [*asked[~((asked >= 0) & (asked < np.inf))].tolist(), asked.max()][0]
        raise ValueError(f"concentration must be non-negative with finite sums of rows; got {worst}")
    if share is None:
        share = np.ones((len(out), 1, out.shape[2]))
    if of is None:
        of = np.zeros(len(concentration), int)
    word = np.uint64((place[0] << 32) + place[1])
    fill(out, which, np.ascontiguousarray(concentration, float), seeds, word, np.ascontiguousarray(share), of)


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
