"""Closed-form posteriors of conjugate models of tables, and exact draws from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import gammaln

from bayesrank._random import BLOCK, Block, fingerprint, seed_words
from bayesrank._sampling import fill_tables, outcome_order
from bayesrank._threads import LITTLE, in_threads


@dataclass(frozen=True)
class Conjugate:
    """Dirichlet rows, and row totals that are known, or Dirichlet and shared by the entities of a test set.

    Outcomes without classes are one row, whose total is not random.
    """

    #: Concentrations (entity, [dataset], actual, predicted) or (entity, [dataset], outcome).
    prior: xr.DataArray
    posterior: xr.DataArray
    #: Known class shares (actual, and any of chain, draw, entity, dataset). None if they are sampled: the sums of the
    #: rows' concentrations are then their concentrations.
    totals: xr.DataArray | None
    #: The name of each table's test set (entity, [dataset]); "" if not measured.
    test_set: xr.DataArray
    #: Key, besides the data set, of the stream of each table's row totals; equal for all tables of a test set.
    key: xr.DataArray

    def draws(self, group: str, blocks: Sequence[Block], root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw consecutive blocks of the prior or the posterior, with the dim ``draw`` first.

        The variables are ``performance``; ``prevalence`` (test_set, actual) if row totals are sampled; and ``rate``,
        the rows, if a class may have a share of 0. Each table of each block has its own stream.
        """
        if group == "prior":
            check_proper_prior(not bool((self.prior <= 0).any()))
        alpha = (self.prior if group == "prior" else self.posterior).values
        dims, starts = ("draw", *map(str, self.prior.dims)), np.cumsum([0, *(block.size for block in blocks)])
        found, shares, of = self._shares(alpha, group, blocks, root)
        kept = ("performance", "rate") if loses_rows(self.totals) else ("performance",)
        arrays = {name: np.empty((starts[-1], *alpha.shape)) for name in kept}
        # The order of outcomes is no evidence; classes have theirs.
        outcomes = "outcome" in self.prior.dims
        order: Any = outcome_order(self.prior["outcome"].values) if outcomes else slice(None)
        tables = alpha[..., order].reshape(self.test_set.size, -1, alpha.shape[-1])
        measured = np.flatnonzero(self.test_set.values.ravel() != "")
        seeds = np.zeros((len(tables), 2), np.uint64)
        for i in measured.tolist():
            at = np.unravel_index(i, self.test_set.shape)
            names = [self.prior[d].values[k] for d, k in zip(self.test_set.dims, at, strict=True)]
            evidence = fingerprint(self.prior.values[at][order], self.posterior.values[at][order])
            seeds[i] = seed_words(root, group, "row", *names, evidence)

        def fill(piece: tuple[int, np.ndarray]) -> None:
            number, which = piece
            here = slice(starts[number], starts[number + 1])
            for name, array in arrays.items():
                out = array[here].reshape(-1, *tables.shape)
                share = shares[number] if name == "performance" else None
                fill_tables(out, which, tables, seeds, blocks[number].key, share, of)
                if not isinstance(order, slice):
                    out[:, which] = out[:, which][..., np.argsort(order)]

        together = max(LITTLE // (BLOCK * tables[0].size), 1)
        parts = [measured[k : k + together] for k in range(0, len(measured), together)]
        in_threads(fill, product(range(len(blocks)), parts), starts[-1] * alpha.size)
        for array in arrays.values() if len(measured) < len(tables) else ():
            array[:, self.test_set.values == ""] = np.nan
        return {name: xr.Variable(dims, array) for name, array in arrays.items()} | found

    def _shares(
        self, alpha: np.ndarray, group: str, blocks: Sequence[Block], root: np.random.SeedSequence
    ) -> tuple[dict[str, xr.Variable], list[np.ndarray], np.ndarray]:
        """Draw sampled row totals; return also the shares (draw, set, actual) of each block, and the set of each table.

        Outcomes without classes have row totals of 1.
        """
        names, row = self.test_set.values, alpha.sum(-1)
        if "outcome" in self.prior.dims:
            return {}, [np.ones((block.size, 1, 1)) for block in blocks], np.zeros(names.size, int)
        if self.totals is not None:
            known = [known_shares(self.totals, self.prior, block) for block in blocks]
            return {}, [each.reshape(len(each), names.size, -1) for each in known], np.arange(names.size)
        keys = self.key.values
        sets = list(dict.fromkeys(filter(None, names.ravel().tolist())))
        first = [tuple(np.argwhere(names == name)[0]) for name in sets]
        starts = np.cumsum([0, *(block.size for block in blocks)])
        each = np.empty((starts[-1], len(first), row.shape[-1]))
        tables = np.array([row[at] for at in first]).reshape(len(first), 1, -1)
        seeds = np.array([seed_words(root, group, "row totals", keys[at]) for at in first]).reshape(-1, 2)

        def fill(number: int) -> None:
            out = each[starts[number] : starts[number + 1], :, None]
            fill_tables(out, np.arange(len(first)), tables, seeds, blocks[number].key)

        in_threads(fill, range(len(blocks)), each.size)
        place = dict(zip(sets, range(len(first)), strict=True))
        of = np.array([place.get(name, 0) for name in names.ravel().tolist()])
        prevalence = {"prevalence": xr.Variable(("draw", "test_set", "actual"), each)}
        return prevalence, [each[start:stop] for start, stop in pairwise(starts)], of

    def row_totals(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, np.ndarray]:
        """Draw ``shares`` of every table (draw, ..., actual), and ``prevalence`` of every test set if sampled."""
        alpha = (self.prior if group == "prior" else self.posterior).values
        found, [each], of = self._shares(alpha, group, [block], root)
        shares = each[:, of].reshape(block.size, *alpha.shape[:-1])
        shares[:, self.test_set.values == ""] = np.nan
        return {"shares": shares} | {name: held.values for name, held in found.items()}


def known_shares(totals: xr.DataArray, tables: xr.DataArray, block: Block) -> np.ndarray:
    """Return the known row totals of a block for every table: (draw, entity, [dataset], actual)."""
    dims = ("draw", *map(str, tables.dims[:-1]))
    for dim, size in zip(("chain", "draw"), block.shape, strict=True):
        if dim in totals.dims and totals.sizes[dim] != size:
            raise ValueError(f"prevalence must hold {size} along {dim}; got {totals.sizes[dim]}")
    part = totals.isel({"chain": block.chain, "draw": slice(block.start, block.stop)}, missing_dims="ignore")
    shape = (block.size, *tables.shape[:-1])
    sizes = {dim: part.sizes.get(dim, size) for dim, size in zip(dims, shape, strict=True)}
    return np.broadcast_to(part.variable.set_dims(sizes).transpose(*dims).data, shape)


def loses_rows(totals: xr.DataArray | None) -> bool:
    """Return whether a class has a share of 0 in any draw, so that a performance does not determine its rates."""
    return totals is not None and bool((totals == 0).any())


def log_evidence(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return the log marginal likelihood of cases (..., answer) in their order: a ratio of Beta functions."""
    each = (gammaln(alpha + counts) - gammaln(alpha)).sum(-1)
    return each - gammaln((alpha + counts).sum(-1)) + gammaln(alpha.sum(-1))


def check_proper_prior(proper: bool) -> None:
    """Raise an error if draws are wanted from an improper prior."""
    if not proper:
        raise ValueError("groups cannot hold 'prior' where the prior is improper; got a concentration of 0")
