"""What conjugate models of tables know in closed form, and the exact draws that follow from it.

Whoever can do better than draws (exact scores, exact rankings, predictive lattices) asks a model for this record
instead of knowing the model's name.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import gammaln

from bayesrank._random import Block, fingerprint, stream
from bayesrank._sampling import dirichlet, in_order


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

    @property
    def test_sets(self) -> list[str]:
        """The names of the test sets, in order of first appearance."""
        return list(dict.fromkeys(name for name in self.test_set.values.ravel().tolist() if name))

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Exact draws of one block of the prior or the posterior, the dim ``draw`` first.

        ``performance``; ``prevalence`` (test_set, actual) where there are row totals that are sampled; and ``rate``,
        the rows, where a class may have a share of 0 and the performance would lose them.
        """
        concentration = self.prior if group == "prior" else self.posterior
        dims = ("draw", *map(str, concentration.dims))
        rows = self._rows(concentration, group, block, root)
        if "outcome" in dims:
            rows[:, self.test_set.values == ""] = np.nan
            return {"performance": xr.Variable(dims, rows)}
        totals = self.row_totals(concentration, group, block, root)
        shares = totals["shares"]
        if self.totals is not None:
            found = {"rate": xr.Variable(dims, rows.copy())} if (shares == 0).any() else {}
        else:
            found = {"prevalence": xr.Variable(("draw", "test_set", "actual"), totals["prevalence"])}
        rows *= shares[..., None]
        found = {"performance": xr.Variable(dims, rows)} | found
        for name in {"performance", "rate"} & set(found):
            found[name].data[:, self.test_set.values == ""] = np.nan
        return found

    def _rows(self, concentration: xr.DataArray, group: str, block: Block, root: np.random.SeedSequence) -> np.ndarray:
        cells = self.test_set.dims
        rows = np.empty((block.size, *concentration.shape))
        names = [concentration[d].values for d in cells]
        prior, posterior, alpha = self.prior.values, self.posterior.values, concentration.values
        order: Any = slice(None)
        if "outcome" in concentration.dims:
            # In whatever order outcomes are told, they are the same evidence; the order of classes says more.
            order = in_order(concentration["outcome"].values)
        for position in np.ndindex(concentration.shape[: len(cells)]):
            name = [held[i] for held, i in zip(names, position, strict=True)]
            evidence = fingerprint(prior[position][order], posterior[position][order])
            rng = stream(root, group, "row", *name, evidence, *block.key)
            rows[:, *position][..., order] = dirichlet(rng, alpha[position][order], block.size)
        return rows

    def row_totals(
        self, concentration: xr.DataArray, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, np.ndarray]:
        """``shares`` of every table (draw, ..., actual); ``prevalence`` of every test set, where it is sampled."""
        if self.totals is not None:
            return {"shares": self.known_shares(block)}
        alpha = concentration.values.sum(-1)
        names, keys = self.test_set.values, self.key.values
        each = np.empty((block.size, len(self.test_sets), alpha.shape[-1]))
        shares = np.full((block.size, *alpha.shape), np.nan)
        for i, name in enumerate(self.test_sets):
            here = names == name
            rng = stream(root, group, "row totals", keys[here][0], *block.key)
            each[:, i] = dirichlet(rng, alpha[here][0], block.size)
            shares[:, here] = each[:, i, None]
        return {"shares": shares, "prevalence": each}

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
