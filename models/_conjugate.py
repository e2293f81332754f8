"""What conjugate models of tables know in closed form, and the exact draws that follow from it.

Whoever can do better than draws (exact scores, exact rankings, predictive lattices) asks a model for this record
instead of knowing the model's name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import gammaln

from bayesrank._random import Block, fingerprint, stream
from bayesrank._sampling import dirichlet, dirichlet_parts, in_order
from bayesrank._threads import in_threads


@dataclass(frozen=True)
class Conjugate:
    """Rows are Dirichlet; row totals are known, or Dirichlet and shared by the entities of a test set.

    Outcomes without classes are one row, of which the total is no random quantity.

    Parameters
    ----------
    prior, posterior : xarray.DataArray
        Concentration of every cell (entity, [dataset], actual, predicted), or of every outcome (entity, [dataset],
        outcome).
    totals : xarray.DataArray or None
        Known class shares (actual, and any of chain, draw, entity, dataset); None where they are sampled, with the
        sums of the rows' concentrations as theirs.
    test_set : xarray.DataArray
        The name of each table's test set (entity, [dataset]); "" where nothing was measured.
    key : xarray.DataArray
        What the row totals of each table are keyed by, besides the data set: equal for all tables of a test set.
    """

    prior: xr.DataArray
    posterior: xr.DataArray
    totals: xr.DataArray | None
    test_set: xr.DataArray
    key: xr.DataArray

    @cached_property
    def test_sets(self) -> list[str]:
        """The names of the test sets, in order of first appearance."""
        return list(dict.fromkeys(name for name in self.test_set.values.ravel().tolist() if name))

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Exact draws of one block of the prior or the posterior, the dim ``draw`` first: :meth:`draws` of it alone."""
        return self.draws(group, [block], root)

    def draws(self, group: str, blocks: Sequence[Block], root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Exact draws of blocks of the prior or the posterior, one block after the other, the dim ``draw`` first.

        ``performance``; ``prevalence`` (test_set, actual) where there are row totals that are sampled; and ``rate``,
        the rows, where a class may have a share of 0 and the performance would lose them.

        Each table of each block has a stream of its own, and is drawn in whichever thread is free.
        """
        if group == "prior":
            check_proper_prior(not bool((self.prior <= 0).any()))
        alpha = (self.prior if group == "prior" else self.posterior).values
        dims, names = ("draw", *map(str, self.prior.dims)), self.test_set.values
        starts = np.cumsum([0, *(block.size for block in blocks)])
        found, share_of, lost = self._shares(alpha, group, blocks, root)
        arrays = {name: np.empty((starts[-1], *alpha.shape)) for name in ("performance", "rate")[: 1 + lost]}
        outcomes = "outcome" in dims
        order = self._order()
        keys = self._row_keys(order)

        def fill(piece: tuple[tuple[int, ...], int]) -> None:
            position, number = piece
            here: tuple[Any, ...] = (slice(starts[number], starts[number + 1]), *position)
            out = {name: array[here] for name, array in arrays.items()}
            if names[position] == "":
                for array in out.values():
                    array[:] = np.nan
                return
            rng = stream(root, group, "row", *keys[position], *blocks[number].key)
            share = share_of(position, number)[..., None]
            for rows, part in dirichlet_parts(rng, alpha[position][order], blocks[number].size):
                if outcomes:
                    out["performance"][rows, order] = part
                    continue
                np.multiply(part, share[rows], out=out["performance"][rows])
                if lost:
                    out["rate"][rows] = part

        in_threads(fill, product(np.ndindex(names.shape), range(len(blocks))), arrays["performance"].size)
        return {name: xr.Variable(dims, array) for name, array in arrays.items()} | found

    def _order(self) -> Any:
        """Outcomes are the same evidence in whatever order they are told; the order of classes says more."""
        return in_order(self.prior["outcome"].values) if "outcome" in self.prior.dims else slice(None)

    def _row_keys(self, order: Any) -> dict[tuple[int, ...], list]:
        """What the stream of each table's rows is keyed by: the names of the table, and its evidence."""
        names = [self.prior[d].values for d in self.test_set.dims]
        prior, posterior = self.prior.values, self.posterior.values
        return {
            position: [
                *(held[i] for held, i in zip(names, position, strict=True)),
                fingerprint(prior[position][order], posterior[position][order]),
            ]
            for position in np.ndindex(self.test_set.shape)
        }

    def _shares(
        self, alpha: np.ndarray, group: str, blocks: Sequence[Block], root: np.random.SeedSequence
    ) -> tuple[dict[str, xr.Variable], Callable[[tuple[int, ...], int], np.ndarray], bool]:
        """Row totals: those of every test set if they are sampled; those of a table in a block (draw, actual).

        And whether any of them is 0, so that the rows are lost. Outcomes have no rows: theirs are 1 (draw).
        """
        if "outcome" in self.prior.dims:
            return {}, lambda position, number: np.ones(blocks[number].size), False
        if self.totals is not None:
            known = [self.known_shares(block) for block in blocks]
            return {}, lambda position, number: known[number][:, *position], any((part == 0).any() for part in known)
        names, keys, row = self.test_set.values, self.key.values, alpha.sum(-1)
        first = {name: tuple(np.argwhere(names == name)[0]) for name in self.test_sets}
        starts = np.cumsum([0, *(block.size for block in blocks)])
        each = np.empty((starts[-1], len(first), row.shape[-1]))

        def fill(piece: tuple[int, int]) -> None:
            i, number = piece
            at = first[self.test_sets[i]]
            rng = stream(root, group, "row totals", keys[at], *blocks[number].key)
            each[starts[number] : starts[number + 1], i] = dirichlet(rng, row[at], blocks[number].size)

        in_threads(fill, product(range(len(first)), range(len(blocks))), each.size)
        of = dict(zip(self.test_sets, range(len(first)), strict=True))
        prevalence = {"prevalence": xr.Variable(("draw", "test_set", "actual"), each)}
        return (
            prevalence,
            lambda position, number: each[starts[number] : starts[number + 1], of[names[position]]],
            False,
        )

    def row_totals(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, np.ndarray]:
        """``shares`` of every table (draw, ..., actual); ``prevalence`` of every test set, where it is sampled."""
        alpha = (self.prior if group == "prior" else self.posterior).values
        found, share_of, _ = self._shares(alpha, group, [block], root)
        shares = np.full((block.size, *alpha.shape[:-1]), np.nan)
        for position in np.argwhere(self.test_set.values != ""):
            shares[:, *position] = share_of(tuple(position), 0)
        return {"shares": shares} | {name: held.values for name, held in found.items()}

    def known_shares(self, block: Block) -> np.ndarray:
        """The known row totals of a block's draws, for every table: (draw, entity, [dataset], actual)."""
        dims = ("draw", *map(str, self.prior.dims[:-1]))
        totals = self.totals
        assert totals is not None
        for dim, size in zip(("chain", "draw"), block.shape, strict=True):
            if dim in totals.dims and totals.sizes[dim] != size:
                raise ValueError(f"prevalence must hold {size} along {dim}; got {totals.sizes[dim]}")
        part = totals.isel({"chain": block.chain, "draw": slice(block.start, block.stop)}, missing_dims="ignore")
        shape = (block.size, *self.prior.shape[:-1])
        return np.broadcast_to(part.variable.set_dims(_sizes(part, dims, shape)).transpose(*dims).data, shape)


def _sizes(array: xr.DataArray, dims: tuple[str, ...], shape: tuple[int, ...]) -> dict[str, int]:
    """All dims, those that the array lacks with the length that they have elsewhere."""
    return {dim: array.sizes.get(dim, size) for dim, size in zip(dims, shape, strict=True)}


def log_evidence(counts: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Log probability of cases in the order in which they came (..., answer), before any: a ratio of Betas.

    Examples
    --------
    >>> float(np.exp(log_evidence(np.array([1, 1]), np.ones(2))).round(4))  # of one right, then one wrong
    0.1667
    """
    each = (gammaln(alpha + counts) - gammaln(alpha)).sum(-1)
    return each - gammaln((alpha + counts).sum(-1)) + gammaln(alpha.sum(-1))


def check_proper_prior(proper: bool) -> None:
    """Raise where a prior is to be drawn that is none.

    Examples
    --------
    >>> check_proper_prior(False)
    Traceback (most recent call last):
    ValueError: groups cannot hold 'prior' where the prior is improper; got a concentration of 0
    """
    if not proper:
        raise ValueError("groups cannot hold 'prior' where the prior is improper; got a concentration of 0")
