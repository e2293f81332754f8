r"""Normal means: only the mean outcome of each entity and its standard error are known.

With a flat prior, and a standard error :math:`s_i` that is taken as known, the mean outcome of entity :math:`i` has the
posterior

.. math::

    \mu_i \mid m_i \sim \mathrm{Normal}(m_i, s_i^2),

independently for all entities: a mean and its error do not show which cases were hard for several entities. The
probability that entity :math:`i` beats :math:`j` is :math:`\Phi((m_i - m_j) / \sqrt{s_i^2 + s_j^2})`. No range of the
outcome is assumed, so that an interval may reach beyond the best possible score.

In simulated boards of right and wrong answers with equal truths, 95% intervals covered 0.93 to 0.97 at a truth of 0.5
with 100 cases, and 0.90 at 0.97. Boards of five equal entities called an entity worse in 5% with 100 or 30 cases, and
in 13% with 15 cases, since the standard error is then uncertain itself; boards of twenty with 100 cases did so in 10%.

References
----------
Gelman et al. (2013), Bayesian Data Analysis, 3rd ed., section 2.5.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._checks import check_unique, describe_value
from bayesrank._random import Block, fingerprint, stream
from bayesrank.models._conjugate import check_proper_prior
from bayesrank.models._joint import too_narrow


class NormalMeans:
    """Model mean outcomes whose estimates have independent normal errors of known size.

    Parameters
    ----------
    evidence : xarray.Dataset
        ``mean_outcome`` (entity), ``standard_error`` (entity), above 0, and, if known, the number of ``cases``
        (entity).

    Examples
    --------
    >>> board = {"mean_outcome": ("entity", [0.71, 0.68]), "standard_error": ("entity", [0.01, 0.02])}
    >>> NormalMeans(xr.Dataset(board, {"entity": ["a", "b"]})).observed()["observed_data"]["mean_outcome"].item(0)
    0.71
    """

    takes: ClassVar[str] = "means"
    references: ClassVar[tuple[str, ...]] = (
        "Gelman et al. (2013). Bayesian Data Analysis, 3rd ed., section 2.5. Chapman & Hall/CRC.",
    )
    words: ClassVar[str] = (
        "Only the mean outcome of each entity and its standard error are known; the errors of the means are normal and "
        "independent between entities."
    )
    kind: ClassVar[str] = "observed"

    def __init__(self, evidence: xr.Dataset) -> None:
        if not isinstance(evidence, xr.Dataset) or not {"mean_outcome", "standard_error"} <= set(evidence.data_vars):
            raise TypeError(
                "evidence must be a Dataset of mean_outcome and standard_error, as br.from_frame makes of a table with "
                f"the columns entity, mean, se, for the model NormalMeans; got {describe_value(evidence)}"
            )
        self.means = evidence[[name for name in ("mean_outcome", "standard_error", "cases") if name in evidence]]
        check_unique("entity", self.means["entity"].values.tolist())
        values = np.array([self.means[name].values for name in ("mean_outcome", "standard_error")], float)
        if not np.isfinite(values).all() or (values[1] <= 0).any():
            raise ValueError("evidence must hold finite means, and finite standard errors above 0; got others")
        fewest = int(self.means["cases"].min()) if "cases" in self.means else None
        few = "" if fewest is None else too_narrow(fewest, "case")
        plain = "Errors of the means are taken as normal and of known size; no range of the outcome is assumed."
        self.settings: dict[str, Any] = {
            "prior": "flat",
            "unpaired": 1,
            "mean_outcome_range": [-np.inf, np.inf],
            "caveat": "The comparison is unpaired: means and standard errors do not show which cases were hard for "
            "several entities.",
            "note": "\n".join(filter(None, [plain, few])),
            **({"note_few": few} if few else {}),
        }

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the observed means and their standard errors."""
        return {"observed_data": self.means.drop_attrs()}

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        return {"entity": self.means["entity"].values}

    def build(self) -> Any:
        """Return the PyMC model: a normal likelihood of each mean."""
        import pymc as pm

        with pm.Model(coords={"entity": self.means["entity"].values}) as model:
            mean = pm.Flat("mean_outcome", dims="entity")
            held = self.means["mean_outcome"].values.astype(float)
            pm.Normal("observed_mean", mean, self.means["standard_error"].values, observed=held, dims="entity")
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return the draws of the means."""
        return sampled[["mean_outcome"]]

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw one block of ``mean_outcome``."""
        check_proper_prior(group != "prior")
        drawn = np.empty((block.size, self.means.sizes["entity"]))
        rows = (self.means[name].values.tolist() for name in ("entity", "mean_outcome", "standard_error"))
        for i, (name, mean, error) in enumerate(zip(*rows, strict=True)):
            key = fingerprint(np.array([mean, error], float))
            drawn[:, i] = stream(root, group, "normal_means", name, key, *block.key).normal(mean, error, block.size)
        return {"mean_outcome": xr.Variable(("draw", "entity"), drawn)}
