"""Draw Dirichlet variables, and the counts of a test set given a performance."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.draws import DRAW_DIMS, Batches, draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.random import BLOCK, blocks_between, fingerprint, stream

#: Concentration below which a row is drawn by logarithms of gamma variables.
SMALL = 0.1
#: Minimum positive concentration; smaller ones are raised to it.
TINY = 1e-290
#: Seed of generators whose state is set before they are used.
ANY = np.random.SeedSequence(0)
#: Number of words discarded at the start of a stream, to decorrelate similar states.
FORGOTTEN = 12
#: Number of variables of small shape that are drawn at a time, so that they stay in the cache.
CACHED = 1 << 15
#: Minimum logarithm, below which the exponential loses digits or underflows.
FLOOR = -600.0


def dirichlet(rng: np.random.Generator, concentration: np.ndarray, size: int) -> np.ndarray:
    """Return Dirichlet draws of shape (size, *concentration.shape), summing to 1 over the last axis.

    A component has probability 0 only if its concentration is 0, so that ratios stay defined; a row
    of zeros gives NaN. A larger ``size`` starts with the draws of a smaller one.
    """
    with np.errstate(over="ignore"):
        sound = (concentration >= 0).all() and np.isfinite(concentration.sum(axis=-1)).all()
    if not sound:
        worst = [
            *concentration[~((concentration >= 0) & (concentration < np.inf))].tolist(),
            concentration.max(),
        ][0]
        raise ArgumentError("concentration", "must be non-negative with finite sums of rows", worst)
    out = np.empty((size, 1, int(np.prod(concentration.shape[:-1])), concentration.shape[-1]))
    table = concentration.reshape(1, *out.shape[2:])
    fill_tables(
        out, np.zeros(1, int), table, rng.integers(2**64, size=(1, 2), dtype=np.uint64), (0, 0)
    )
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
    """Fill the tables ``which`` of an array (draw, table, row, answer) with Dirichlet draws, as :func:`dirichlet`.

    Concentrations are not checked here: models have checked counts and prior.

    ``seeds`` holds two words for each table, from :func:`bayesrank._core.random.seed_words`; with
    ``place``, the chain and block of the draws, they are the key of the table's stream. Rows are
    multiplied by ``share`` (draw, set, row); ``of`` is the set of each table.
    """
    gamma = np.empty((len(which), len(out), *concentration.shape[1:]))
    bits = np.random.SFC64(ANY)
    for own, table in zip(gamma, which.tolist(), strict=True):
        _fill_gamma(own, concentration[table], bits, [*seeds[table], (place[0] << 32) + place[1]])
    total = _sum_last(gamma)
    total[total == 0] = np.nan
    gamma /= total[..., None]
    if share is not None and of is not None:
        gamma *= np.moveaxis(share[:, of[which]], 1, 0)[..., None]
    out[:, which] = np.moveaxis(gamma, 0, 1)


def _fill_gamma(out: np.ndarray, alpha: np.ndarray, bits: np.random.SFC64, key: list) -> None:
    """Fill an array (draw, row, answer) with gamma variables, each row up to a factor, from the stream of a key."""
    rng = np.random.Generator(bits)
    _set_stream(bits, [*key, 1])
    if not (alpha < SMALL).any():
        rng.standard_gamma(
            alpha.ravel(), out=out.reshape(len(out), -1)
        )  # faster than with three axes
        return
    # Gamma variables of small shape underflow; the logarithm of G(a) = G(a + 1) U^(1 / a) does not.
    uniform = np.random.SFC64(ANY)
    _set_stream(uniform, [*key, 2])
    exponential, none = np.random.Generator(uniform), alpha == 0
    step = max(1, CACHED // alpha.size)
    for log in (out[start : start + step] for start in range(0, len(out), step)):
        np.log(rng.standard_gamma(alpha + 1, log.shape), out=log)
        log -= exponential.standard_exponential(log.shape) / np.maximum(alpha, TINY)
        log[:, none] = -np.inf
        with np.errstate(invalid="ignore"):
            log -= log.max(axis=-1, keepdims=True)
        # Compress logarithms below FLOOR, in the same order, so that no exponential is 0.
        beyond = np.maximum(FLOOR - log, 0.0)
        beyond[:, none] = 0.0
        np.maximum(log, FLOOR, out=log)
        log -= 100 * beyond / (beyond + 1e4)
        np.exp(log, out=log)
        log[:, none] = 0.0


def _set_stream(bits: np.random.SFC64, words: list) -> None:
    """Set the state of a generator to four words; faster than a new one, which needs a SeedSequence."""
    state = np.array(words, np.uint64)
    bits.state = {
        "bit_generator": "SFC64",
        "state": {"state": state},
        "has_uint32": 0,
        "uinteger": 0,
    }
    bits.random_raw(FORGOTTEN)  # with output=False it takes ten times as long


def _sum_last(values: np.ndarray) -> np.ndarray:
    """Return sums over the last axis, addend by addend if it is short: NumPy's sum takes long for each of many rows."""
    if values.shape[-1] > 16:
        return values.sum(axis=-1)
    total = values[..., 0].copy()
    for k in range(1, values.shape[-1]):
        total += values[..., k]
    return total


def dirichlet_of_each(rng: np.random.Generator, concentration: np.ndarray) -> np.ndarray:
    """Draw one Dirichlet variable for each row of concentrations; it sums to 1 over the last axis and is never 0.

    Uses log G(a) = log G(a + 1) + log(U) / a with uniform U. Rows use the stream in order, so that
    a longer array starts with the draws of a shorter one.
    """
    uniform, gamma = rng.spawn(2)
    with np.errstate(divide="ignore"):
        log = np.log(gamma.standard_gamma(concentration + 1)) - uniform.standard_exponential(
            concentration.shape
        ) / np.maximum(concentration, TINY)
    log -= log.max(-1, keepdims=True)
    result = np.exp(np.maximum(log, FLOOR))
    return result / result.sum(-1, keepdims=True)


def outcome_order(outcomes: np.ndarray) -> np.ndarray:
    """Return the order of outcomes that sorts numbers by value and others by name."""
    return np.argsort(
        outcomes if outcomes.dtype.kind in "biuf" else [repr(name) for name in outcomes.tolist()]
    )


def sample_outcomes(
    performance: xr.DataArray, totals: xr.DataArray, root: np.random.SeedSequence, purpose: str
) -> xr.DataArray:
    """Draw counts of ``totals`` cases for each draw of a performance over ``outcome``."""
    order: Any = (
        outcome_order(performance["outcome"].values)
        if "outcome" in performance.coords
        else slice(None)
    )

    def sample(
        place: tuple[int, int], name: list, cases: np.ndarray, table: np.ndarray
    ) -> np.ndarray:
        p, known = _measured_tables(table[..., order], 1)
        rng = stream(root, purpose, "outcomes", *name, *place, fingerprint(np.round(p, 6)))
        out = np.empty(p.shape, np.int64)
        out[..., order] = rng.multinomial(np.where(known, cases, 0), p / p.sum(-1, keepdims=True))
        return out

    return _sample_tables(sample, performance, totals, ["outcome"])


def sample_counts(
    performance: xr.DataArray,
    counts: xr.DataArray,
    known: bool,
    root: np.random.SeedSequence,
    purpose: str,
    rate: xr.DataArray | None = None,
) -> xr.DataArray:
    """Draw counts for each draw of a performance, with the row totals of ``counts`` if ``known``, else random ones.

    ``rate`` holds the rows of the performance if a class can have a share of 0.
    """
    cells = [str(dim) for dim in performance.dims if dim not in (*DRAW_DIMS, "actual", "predicted")]

    def sample(
        place: tuple[int, int],
        name: list,
        cases: np.ndarray,
        table: np.ndarray,
        row: np.ndarray | None = None,
    ) -> np.ndarray:
        p, measured = _measured_tables(table, 2)
        share = p.sum(-1)
        # The key is the prevalence draws, so that entities with the same draws share the test set.
        # It is rounded so coarsely that differences in the last bit do not change it.
        if known:
            sizes = np.where(measured[:, None], cases, 0)
        else:
            others = (n for d, n in zip(cells, name, strict=True) if d != "entity")
            rng = stream(root, purpose, "cases", *others, *place, fingerprint(np.round(share, 6)))
            sizes = rng.multinomial(
                np.where(measured, cases.sum(), 0), share / share.sum(-1, keepdims=True)
            )
        if row is None:
            if (sizes > 0)[share == 0].any():
                raise ArgumentError(
                    "performance",
                    "must have a positive prevalence for every class that has cases",
                    f"0 for {dict(zip(cells, name, strict=True))}",
                )
            with np.errstate(invalid="ignore"):
                row = np.where(share[..., None] > 0, p / share[..., None], 1 / p.shape[-1])
        else:
            row, _ = _measured_tables(row, 2)
        rng = stream(root, purpose, "answers", *name, *place, fingerprint(np.round(p, 6)))
        return rng.multinomial(sizes, row / row.sum(-1, keepdims=True))

    cases = counts.sum("predicted") if "predicted" in counts.dims else counts
    return _sample_tables(
        sample, performance, cases, ["actual", "predicted"], *([] if rate is None else [rate])
    )


def _measured_tables(tables: np.ndarray, dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the tables, with 1 in all cells of tables without measurements, and a mask of the measured tables."""
    measured = ~np.isnan(tables).any(axis=tuple(range(-dims, 0)))
    return np.where(measured[(..., *[None] * dims)], tables, 1.0), measured


def _sample_tables(
    sample: Callable[..., np.ndarray],
    performance: xr.DataArray,
    cases: xr.DataArray,
    outcome: list[str],
    *more: Any,
) -> xr.DataArray:
    """Draw counts with the dims of a performance, lazily if it is lazy, by ``sample`` on every block of each table.

    ``sample`` receives the chain, the number of the block (see ``_core/random.py``), the table's names, its
    ``cases`` and draws, and those of ``more`` arrays.
    """
    draws = draw_dims(performance)
    cells = [dim for dim in performance.dims if dim not in (*draws, *outcome)]
    ordered = performance.transpose(*draws, *cells, *outcome)
    tables = []
    for position in np.ndindex(*(ordered.sizes[d] for d in cells)):
        where = dict(zip(cells, position, strict=True))
        name = [ordered[d].values[i] if d in ordered.coords else i for d, i in where.items()]
        tables.append(
            (position, name, cases.isel({d: i for d, i in where.items() if d in cases.dims}).values)
        )
    batches = Batches.of(ordered)
    shape = batches.chains, batches.draws

    def fill(*parts: np.ndarray, block_info: Any = None) -> np.ndarray:
        chain, start = (
            (first for first, _ in block_info[0]["array-location"][:2]) if block_info else (0, 0)
        )
        out: np.ndarray = np.empty(parts[0].shape, np.int64)
        for block in blocks_between(
            chain, chain + out.shape[0], start, start + out.shape[1], shape
        ):
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

        # Each block has one random stream, so chunks end where blocks do and hold whole tables.
        ends = {-(-end // BLOCK) * BLOCK for end in np.cumsum(arrays[0].chunks[1]).tolist()}
        edges = [0, *sorted(min(end, shape[1]) for end in ends)]
        chunks = (
            arrays[0].chunks[0],
            tuple(np.diff(sorted(set(edges))).tolist()),
            *ordered.shape[len(draws) :],
        )
        arrays = [da.asarray(array).rechunk(chunks) for array in arrays]
        found = da.map_blocks(
            fill, *arrays, dtype=np.int64, meta=np.empty((0,) * arrays[0].ndim, np.int64)
        )
    return (
        ordered.copy(data=found.reshape(ordered.shape))
        .transpose(*performance.dims)
        .rename("counts")
    )
