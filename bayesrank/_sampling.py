"""Draws: Dirichlet variables, and the counts of a test set given a performance."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._random import stream


def dirichlet(rng: np.random.Generator, concentration: np.ndarray, size: int) -> np.ndarray:
    """Draws of a Dirichlet: shape (size, *concentration.shape), summing to 1 over the last axis.

    A component of concentration 0 has probability 0; a row of zeros has no distribution and gives NaN. Below 0.1
    gamma variables underflow, so there the draw is made in logarithms: log G(a) = log G(a + 1) + log(U) / a.
    """
    shape = (size, *concentration.shape)
    if concentration.min() >= 0.1:
        gamma = rng.standard_gamma(np.broadcast_to(concentration, shape))
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(rng.standard_gamma(np.broadcast_to(concentration + 1, shape)))
            log += np.log(rng.random(shape)) / concentration
            gamma = np.exp(log - log.max(axis=-1, keepdims=True))
    with np.errstate(invalid="ignore"):
        return gamma / gamma.sum(axis=-1, keepdims=True)


def sample_counts(
    performance: xr.DataArray, counts: xr.DataArray, totals: Any, root: np.random.SeedSequence, purpose: str
) -> xr.DataArray:
    """Counts for each draw of a performance; row totals random if ``totals`` is "sampled", else those of ``counts``."""
    draws = [d for d in ("chain", "draw") if d in performance.dims]
    cells = [d for d in performance.dims if d not in (*draws, "actual", "predicted")]
    ordered = performance.transpose(*draws, *cells, "actual", "predicted")
    values = ordered.values
    cases = counts.sum("predicted") if "predicted" in counts.dims else counts
    known = not (isinstance(totals, str) and totals == "sampled")
    out = np.zeros(values.shape, np.int64)
    for position in np.ndindex(*(ordered.sizes[d] for d in cells)):
        where = dict(zip(cells, position, strict=True))
        p = values[(slice(None),) * len(draws) + position]
        if np.isnan(p).any():  # not measured: no case, as in the counts
            continue
        n = cases.isel({d: i for d, i in where.items() if d in cases.dims})
        share = p.sum(-1)
        name = [ordered[d].values[i] if d in ordered.coords else i for d, i in where.items()]
        if known:
            sizes = np.broadcast_to(n.values, share.shape)
        else:
            # Keyed by the prevalence draws, so that entities that share them share the test set; rounded so coarsely
            # that none of thousands of draws falls on two sides of a digit by its last bit.
            key = np.round(share, 6).tobytes().hex()
            rng = stream(root, purpose, "cases", *(n for d, n in zip(cells, name, strict=True) if d != "entity"), key)
            sizes = rng.multinomial(int(n.sum()), share / share.sum(-1, keepdims=True))
        if (np.asarray(sizes) > 0)[share == 0].any():
            raise ValueError(
                "performance must have positive prevalence for every class with cases, or its rates are lost; "
                f"got 0 for {dict(zip(cells, name, strict=True))}"
            )
        with np.errstate(invalid="ignore"):
            rate = np.where(share[..., None] > 0, p / share[..., None], 1 / p.shape[-1])
        rng = stream(root, purpose, "answers", *name)
        out[(slice(None),) * len(draws) + position] = rng.multinomial(sizes, rate / rate.sum(-1, keepdims=True))
    return ordered.copy(data=out).transpose(*performance.dims).rename("counts")
