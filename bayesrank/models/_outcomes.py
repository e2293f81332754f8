"""Counts of outcomes without classes (right and wrong, grades): multinomials with Dirichlet priors."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._random import Block
from bayesrank._sampling import sample_outcomes
from bayesrank.evidence.counts import check_outcomes
from bayesrank.models._product_multinomial import DirichletRows, multinomial


class Outcomes(DirichletRows):
    """Model random cases with one of several outcomes each.

    Counts are (entity, [dataset], outcome). The default prior spreads four cases over all outcomes: Beta(2, 2) for
    right and wrong.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesrank as br
    >>> counts = br.from_frame(pd.DataFrame({"entity": ["a"], "correct": [17], "wrong": [3]}))
    >>> Outcomes(counts).conjugate().posterior.values.tolist()
    [[5.0, 19.0]]
    """

    words: ClassVar[str] = "The cases are a random sample, and each has one of several outcomes."
    check = staticmethod(check_outcomes)

    def draws(self, group: str, blocks: Sequence[Block], root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        found = super().draws(group, blocks, root)
        if self.values is not None:
            performance = found["performance"]
            found["mean_outcome"] = xr.Variable(performance.dims[:-1], performance.values @ self.values)
        return found

    def build(self) -> Any:
        import pymc as pm

        alpha, dims = self._positive_prior(), list(map(str, self.counts.dims))
        with pm.Model(coords={d: self.counts[d].values for d in dims}) as model:
            # shape= besides dims=: PyMC 6 does not compile a dim of length 1 whose length comes from coords only.
            share = pm.Dirichlet("performance", a=alpha, dims=dims, shape=alpha.shape)
            pm.Multinomial("counts", n=self.counts.values.sum(-1), p=share, observed=self.counts.values, dims=dims)
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        found = sampled[["performance"]].where(self.test_set.drop_attrs() != "").drop_vars("test_set", errors="ignore")
        if self.values is not None:
            found["mean_outcome"] = found["performance"].dot(xr.DataArray(self.values, dims="outcome"), dim="outcome")
        return found

    def replicate(self, group: xr.Dataset, root: np.random.SeedSequence, purpose: str) -> xr.Dataset:
        return sample_outcomes(group["performance"], self.counts.sum("outcome"), root, purpose).to_dataset()

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        share, alpha = posterior["performance"], self.concentration.reset_coords(drop=True)
        log = xr.where(alpha > 0, alpha * np.log(share), 0.0).sum("outcome", skipna=False).fillna(0.0)
        return xr.Dataset({"performance": log.transpose("chain", "draw", ...)})

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        found = multinomial(self.counts, posterior["performance"], "outcome")
        return xr.Dataset({"counts": found.transpose("chain", "draw", ...)})
