"""Counts of outcomes without classes (right and wrong, grades): multinomials with Dirichlet priors."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._checks import check_bool, label_values
from bayesrank._random import Block
from bayesrank._sampling import sample_outcomes
from bayesrank.evidence.counts import check_outcomes
from bayesrank.models._conjugate import Conjugate
from bayesrank.models._priors import DEFAULT, concentration, in_words, split
from bayesrank.models._product_multinomial import check_proper, multinomial, row_totals, test_sets


class Outcomes:
    """Model random cases with one of several outcomes each.

    Counts are (entity, [dataset], outcome). The options are ``prior``, ``split_prior`` and ``force``, as for
    :func:`bayesrank.fit`; the default prior spreads four cases over all outcomes: Beta(2, 2) for right and wrong.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesrank as br
    >>> counts = br.from_frame(pd.DataFrame({"entity": ["a"], "correct": [17], "wrong": [3]}))
    >>> Outcomes(counts).conjugate().posterior.values.tolist()
    [[5.0, 19.0]]
    """

    words: ClassVar[str] = "The cases are a random sample, and each has one of several outcomes."
    kind: ClassVar[str] = "observed"

    def __init__(
        self, counts: xr.DataArray, *, prior: Any = None, split_prior: bool = False, force: bool = False
    ) -> None:
        check_bool("split_prior", split_prior)
        check_bool("force", force)
        self.counts = check_outcomes(counts, "evidence")
        self.concentration = concentration(self.counts, prior)
        if split_prior:
            self.concentration = split(self.concentration, self.counts)
        if not force:
            check_proper(self.counts, self.concentration)
        self.values = label_values(self.counts["outcome"].values)
        self.test_set, self.key = test_sets(self.counts, xr.zeros_like(row_totals(self.counts)), True)
        self.settings: dict[str, Any] = {"prior": in_words(prior, DEFAULT), "split_prior": int(split_prior)}
        if self.values is not None:
            self.settings["mean_outcome_range"] = [float(self.values.min()), float(self.values.max())]

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the observed data, with the mean of numeric outcomes, and the prior."""
        found = observed_data(self.counts, self.test_set, self.values)
        return {"observed_data": found, "constant_data": self.concentration.to_dataset()}

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws, those of the counts."""
        return {str(name): coord for name, coord in self.counts.coords.items() if name != "test_set"}

    def conjugate(self) -> Conjugate:
        """Return the closed-form posterior: Dirichlet with α + n."""
        posterior = (self.concentration + self.counts).transpose(*self.counts.dims).rename("concentration")
        plain = posterior.drop_vars(["measured", "test_set"], errors="ignore")
        return Conjugate(self.concentration, plain, None, self.test_set, self.key)

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw one block of the prior or the posterior."""
        return self.draws(group, [block], root)

    def draws(self, group: str, blocks: Sequence[Block], root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw consecutive blocks of the prior or the posterior."""
        performance = self.conjugate().draws(group, blocks, root)["performance"]
        if self.values is None:
            return {"performance": performance}
        mean = xr.Variable(performance.dims[:-1], performance.values @ self.values)
        return {"performance": performance, "mean_outcome": mean}

    def build(self) -> Any:
        """Return the PyMC model: one multinomial for each entity and data set."""
        import pymc as pm

        if float(self.concentration.min()) <= 0:
            raise ValueError("prior must be positive for sampler='nuts'; got a concentration of 0")
        dims = list(map(str, self.counts.dims))
        alpha = self.concentration.values
        with pm.Model(coords={d: self.counts[d].values for d in dims}) as model:
            # shape= besides dims=: PyMC 6 does not compile a dim of length 1 whose length comes from coords only.
            share = pm.Dirichlet("performance", a=alpha, dims=dims, shape=alpha.shape)
            pm.Multinomial("counts", n=self.counts.values.sum(-1), p=share, observed=self.counts.values, dims=dims)
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return the posterior group from the sampled variables."""
        found = sampled[["performance"]].where(self.test_set.drop_attrs() != "").drop_vars("test_set", errors="ignore")
        if self.values is not None:
            found["mean_outcome"] = found["performance"].dot(xr.DataArray(self.values, dims="outcome"), dim="outcome")
        return found

    def replicate(self, group: xr.Dataset, root: np.random.SeedSequence, purpose: str) -> xr.Dataset:
        """Draw counts like the observed ones, one for each draw."""
        return sample_outcomes(group["performance"], self.counts.sum("outcome"), root, purpose).to_dataset()

    def log_prior(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log prior density ``performance`` (entity, [dataset]) of shares over their log odds."""
        share, alpha = posterior["performance"], self.concentration.reset_coords(drop=True)
        log = xr.where(alpha > 0, alpha * np.log(share), 0.0).sum("outcome", skipna=False).fillna(0.0)
        return xr.Dataset({"performance": log.transpose("chain", "draw", ...)})

    def log_likelihood(self, posterior: xr.Dataset) -> xr.Dataset:
        """Return the log probability ``counts`` (entity, [dataset]) of each entity's counts given their total."""
        found = multinomial(self.counts, posterior["performance"], "outcome")
        return xr.Dataset({"counts": found.transpose("chain", "draw", ...)})


def observed_data(counts: xr.DataArray, test_set: xr.DataArray, values: np.ndarray | None) -> xr.Dataset:
    """Return counts with their test sets and, for numeric outcomes with these ``values``, the observed mean."""
    found = counts.assign_coords(test_set=test_set).rename("counts").to_dataset()
    if values is not None:
        total = counts.sum("outcome")
        mean = xr.dot(counts, xr.DataArray(values, dims="outcome"), dim="outcome")
        found["mean_outcome"] = mean / total.where(total > 0)
    return found
