"""Closed-form posteriors of conjugate models of tables, and what other models share with them."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.special import gammaln

from bayesrank._core.errors import ArgumentError
from bayesrank._core.random import Block


class NoClosedForm(ArgumentError):
    """The posterior of the score is not known in closed form, or quadrature cannot resolve it."""


@dataclass(frozen=True)
class Conjugate:
    """Dirichlet rows; row totals are known, or are Dirichlet and shared by the entities of a test set.

    Outcomes without classes are one row, whose total is not random.
    """

    #: Concentrations (entity, [dataset], actual, predicted) or (entity, [dataset], outcome).
    prior: xr.DataArray
    posterior: xr.DataArray
    #: Known class shares (actual, and any of chain, draw, entity, dataset). None if they are
    #: sampled: the sums of the rows' concentrations are then their concentrations.
    totals: xr.DataArray | None
    #: The name of each table's test set (entity, [dataset]); "" if not measured.
    test_set: xr.DataArray


def known_shares(totals: xr.DataArray, tables: xr.DataArray, block: Block) -> np.ndarray:
    """Return the known row totals of a block for every table: (draw, entity, [dataset], actual)."""
    dims = ("draw", *map(str, tables.dims[:-1]))
    for dim, size in zip(("chain", "draw"), block.shape, strict=True):
        if dim in totals.dims and totals.sizes[dim] != size:
            raise ArgumentError("prevalence", f"must contain {size} along {dim}", totals.sizes[dim])
    part = totals.isel(
        {"chain": block.chain, "draw": slice(block.start, block.stop)}, missing_dims="ignore"
    )
    shape = (block.size, *tables.shape[:-1])
    sizes = {dim: part.sizes.get(dim, size) for dim, size in zip(dims, shape, strict=True)}
    return np.broadcast_to(part.variable.set_dims(sizes).transpose(*dims).data, shape)


def constant_shares(totals: xr.DataArray, tables: xr.DataArray) -> np.ndarray | None:
    """Return the known row totals of every table (entity, [dataset], actual); None if they have draws."""
    return (
        None
        if {"chain", "draw"} & set(totals.dims)
        else known_shares(totals, tables, Block(0, 0, 1, (1, 1)))[0]
    )


def loses_rows(totals: xr.DataArray | None) -> bool:
    """Return whether a class has a share of 0 in any draw, so that a performance does not determine its rates."""
    return totals is not None and bool((totals == 0).any())


def log_evidence(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the log marginal likelihood of cases (..., answer) in their order: a ratio of Beta functions."""
    by_row = (gammaln(alpha + counts) - gammaln(alpha)).sum(-1)
    return by_row - gammaln((alpha + counts).sum(-1)) + gammaln(alpha.sum(-1))


def check_proper_prior(proper: bool) -> None:
    """Raise an error if draws are wanted from an improper prior."""
    if not proper:
        raise ArgumentError(
            "groups", "cannot include 'prior' if the prior is improper", "a concentration of 0"
        )
