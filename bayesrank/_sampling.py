"""Draws: Dirichlet variables, and the counts of a test set given a performance."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._draws import DRAW_DIMS, Batches, draw_dims
from bayesrank._random import BLOCK, blocks_between, fingerprint, stream

#: Rows with a smaller concentration are drawn by the logarithms of gamma variables.
SMALL = 0.1
#: The smallest concentration that is drawn from; a smaller positive one counts as this.
TINY = 1e-290
#: Words that a stream forgets before its first, so that similar states have nothing in common.
FORGOTTEN = 12
#: The exponential of less loses digits, then is 0.
FLOOR = -600.0


def dirichlet(rng: np.random.Generator, concentration: np.ndarray, size: int) -> np.ndarray:
    """Return draws of a Dirichlet, shape (size, *concentration.shape), summing to 1 over the last axis.

    A component of concentration 0 has probability 0; a row of zeros has no distribution and gives NaN. A component of
    positive concentration is never 0, however small: a ratio of it would look undefined. The first draws of a larger
    ``size`` are those of a smaller one.
    """
    out = np.empty((size, 1, int(np.prod(concentration.shape[:-1])), concentration.shape[-1]))
    table = concentration.reshape(1, *out.shape[2:])
    fill_tables(out, np.zeros(1, int), table, rng.integers(2**64, size=(1, 2), dtype=np.uint64), (0, 0))
    return out.reshape(size, *concentration.shape)


def fill_tables(
    out: np.ndarray,
    which: np.ndarray,
    concentration: np.ndarray,
    seeds: np.ndarray,
    place: tuple[int, int],
    share: np.ndarray | None = None,
    of: np.ndarray | None = None,
) -> None:
    """Fill some tables of an array (draw, table, row, answer) with rows of Dirichlet draws, as :func:`dirichlet`.

    Parameters
    ----------
    out : ndarray
        The array to fill.
    which : ndarray of int
        The tables to fill.
    concentration : ndarray
        Of all tables (table, row, answer).
    seeds : ndarray
        Two words for each table (table, 2), from :func:`bayesrank._random.seed_words`.
    place : tuple of int
        Chain and block of the draws: with the seeds, the key of each table's stream.
    share : ndarray, optional
        What the rows are multiplied with (draw, set, row); 1 if left out.
    of : ndarray of int, optional
        The set of each table (table).

    Raises
    ------
    ValueError
        If a concentration is negative or no number, or the sum of a row is infinite: there is no such distribution.
    """
    asked = concentration[which]
    with np.errstate(over="ignore"):
        sound = (asked >= 0).all() and np.isfinite(asked.sum(axis=-1)).all()
    if not sound:
        worst = [*asked[~((asked >= 0) & (asked < np.inf))].tolist(), asked.max()][0]
        raise ValueError(f"concentration must be non-negative with finite sums of rows; got {worst}")
    for table in which.tolist():
        rows = _dirichlet_rows(concentration[table], len(out), seeds[table], (place[0] << 32) + place[1])
        if share is not None and of is not None:
            rows *= share[:, of[table], :, None]
        out[:, table] = rows


def _dirichlet_rows(alpha: np.ndarray, draws: int, seeds: np.ndarray, place: int) -> np.ndarray:
    """Draw rows (draw, row, answer) of Dirichlet variables from the stream of two seeds and a place."""
    shape = (draws, *alpha.shape)
    gamma = _stream_of(seeds, place, 1).standard_gamma
    small = (alpha < SMALL).any(axis=-1)
    if not small.any():
        found = gamma(alpha, shape)
    else:
        # Gamma variables of small shape underflow; G(a) = G(a + 1) U^(1 / a) has a logarithm that does not.
        with np.errstate(divide="ignore"):
            below = _stream_of(seeds, place, 2).standard_exponential(shape) / np.maximum(alpha, TINY)
            log = np.where(alpha > 0, np.log(gamma(alpha + 1, shape)) - below, -np.inf)
        top = log.max(axis=-1, keepdims=True)
        beyond = np.maximum(FLOOR - (log - np.where(np.isfinite(top), top, 0.0)), 0.0)
        # Compressed below FLOOR, in the same order, so that the exponential of no component is 0.
        with np.errstate(invalid="ignore"):
            lowered = np.where(beyond > 0, FLOOR - 100 * beyond / (beyond + 1e4), log - top)
        found = np.where(alpha > 0, np.exp(lowered), 0.0)
    total = found.sum(axis=-1, keepdims=True)
    total[total == 0] = np.nan
    found /= total
    return found


def _stream_of(seeds: np.ndarray, place: int, counter: int) -> np.random.Generator:
    """Return SFC64 with these words as its state: a third of the time that a SeedSequence takes to spread them."""
    bits = np.random.SFC64(0)
    bits.state = bits.state | {"state": {"state": np.array([*seeds, place, counter], np.uint64)}}
    bits.random_raw(FORGOTTEN, output=False)
    return np.random.Generator(bits)


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


def outcome_order(outcomes: np.ndarray) -> np.ndarray:
    """Where each of the outcomes stands that are told in another order: numbers by their value, others by name.

    Examples
    --------
    >>> outcome_order(np.array([10, 9, 1])).tolist(), outcome_order(np.array(["b", "a"])).tolist()
    ([2, 1, 0], [1, 0])
    """
    return np.argsort(outcomes if outcomes.dtype.kind in "biuf" else [repr(name) for name in outcomes.tolist()])


def sample_outcomes(
    performance: xr.DataArray, totals: xr.DataArray, root: np.random.SeedSequence, purpose: str
) -> xr.DataArray:
    """Counts for each draw of a performance over ``outcome``, of as many cases as ``totals`` says."""
    order: Any = outcome_order(performance["outcome"].values) if "outcome" in performance.coords else slice(None)

    def sample(place: tuple[int, int], name: list, cases: np.ndarray, table: np.ndarray) -> np.ndarray:
        p, known = _known(table[..., order], 1)
        rng = stream(root, purpose, "outcomes", *name, *place, fingerprint(np.round(p, 6)))
        out = np.empty(p.shape, np.int64)
        out[..., order] = rng.multinomial(np.where(known, cases, 0), p / p.sum(-1, keepdims=True))
        return out

    return _of_each(sample, performance, totals, ["outcome"])


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
    cells = [str(dim) for dim in performance.dims if dim not in (*DRAW_DIMS, "actual", "predicted")]

    def sample(
        place: tuple[int, int], name: list, cases: np.ndarray, table: np.ndarray, row: np.ndarray | None = None
    ) -> np.ndarray:
        p, measured = _known(table, 2)
        share = p.sum(-1)
        # Keyed by the draws, so that entities that share those of the prevalence share the test set; rounded so
        # coarsely that none of thousands of draws falls on two sides of a digit by its last bit.
        if known:
            sizes = np.where(measured[:, None], cases, 0)
        else:
            others = (n for d, n in zip(cells, name, strict=True) if d != "entity")
            rng = stream(root, purpose, "cases", *others, *place, fingerprint(np.round(share, 6)))
            sizes = rng.multinomial(np.where(measured, cases.sum(), 0), share / share.sum(-1, keepdims=True))
        if row is None:
            if (sizes > 0)[share == 0].any():
                raise ValueError(
                    "performance must have positive prevalence for every class with cases, or its rates are lost; "
                    f"got 0 for {dict(zip(cells, name, strict=True))}"
                )
            with np.errstate(invalid="ignore"):
                row = np.where(share[..., None] > 0, p / share[..., None], 1 / p.shape[-1])
        else:
            row, _ = _known(row, 2)
        rng = stream(root, purpose, "answers", *name, *place, fingerprint(np.round(p, 6)))
        return rng.multinomial(sizes, row / row.sum(-1, keepdims=True))

    cases = counts.sum("predicted") if "predicted" in counts.dims else counts
    return _of_each(sample, performance, cases, ["actual", "predicted"], *([] if rate is None else [rate]))


def _known(tables: np.ndarray, dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Tables of draws, ones instead of those not measured, in which there is no case; and which were."""
    measured = ~np.isnan(tables).any(axis=tuple(range(-dims, 0)))
    return np.where(measured[(..., *[None] * dims)], tables, 1.0), measured


def _of_each(
    sample: Callable[..., np.ndarray], performance: xr.DataArray, cases: xr.DataArray, outcome: list[str], *more: Any
) -> xr.DataArray:
    """Counts like a performance, lazy if it is: what ``sample`` makes of every block of draws of each table of it.

    It is told the chain and the number of the block (see ``_random``), the table's names, its ``cases`` and its draws,
    and those of ``more`` arrays like the performance.
    """
    draws = draw_dims(performance)
    cells = [dim for dim in performance.dims if dim not in (*draws, *outcome)]
    ordered = performance.transpose(*draws, *cells, *outcome)
    tables = []
    for position in np.ndindex(*(ordered.sizes[d] for d in cells)):
        where = dict(zip(cells, position, strict=True))
        name = [ordered[d].values[i] if d in ordered.coords else i for d, i in where.items()]
        tables.append((position, name, cases.isel({d: i for d, i in where.items() if d in cases.dims}).values))
    batches = Batches.of(ordered)
    shape = batches.chains, batches.draws

    def fill(*parts: np.ndarray, block_info: Any = None) -> np.ndarray:
        chain, start = (first for first, _ in block_info[0]["array-location"][:2]) if block_info else (0, 0)
        out: np.ndarray = np.empty(parts[0].shape, np.int64)
        for block in blocks_between(chain, chain + out.shape[0], start, start + out.shape[1], shape):
            at = block.chain - chain, slice(block.start - start, block.stop - start)
            for position, name, own in tables:
                each = (*at, *position)
                out[each] = sample(block.key, name, own, *(part[each] for part in parts))
        return out

    arrays = [array.transpose(*ordered.dims).data.reshape(*shape, *ordered.shape[len(draws) :])
              for array in (ordered, *more)]  # fmt: skip
    if ordered.chunks is None:
        found = fill(*(np.asarray(array) for array in arrays))
    else:
        import dask.array as da

        # A block comes from one stream: chunks end where blocks do, and hold whole tables.
        ends = {-(-end // BLOCK) * BLOCK for end in np.cumsum(arrays[0].chunks[1]).tolist()}
        edges = [0, *sorted(min(end, shape[1]) for end in ends)]
        chunks = (arrays[0].chunks[0], tuple(np.diff(sorted(set(edges))).tolist()), *ordered.shape[len(draws) :])
        arrays = [da.asarray(array).rechunk(chunks) for array in arrays]
        found = da.map_blocks(fill, *arrays, dtype=np.int64, meta=np.empty((0,) * arrays[0].ndim, np.int64))
    return ordered.copy(data=found.reshape(ordered.shape)).transpose(*performance.dims).rename("counts")
