r"""Normal means: only the mean outcome of each entity and its standard error are known.

With flat priors of the mean and of the logarithm of the spread, :math:`n_i` cases with the mean
:math:`m_i` and the standard error :math:`s_i` give the mean outcome of entity :math:`i` the
posterior

.. math::

    \frac{\mu_i - m_i}{s_i} \sim t_{n_i - 1},

independently for all entities: a mean and its error do not show which cases were hard for several
entities. Where the number of cases is not known, the standard error is taken as known, and the
posterior is normal. No range of the outcome is assumed, so that an interval may reach beyond the
best possible score.

In 200 simulated boards of five equal entities with right and wrong answers (truth 0.5), some entity
was called worse than the best in 2% with 8 cases each, 4% with 15 and 3% with 30; 95% intervals
covered 0.94, 0.98 and 0.97. Without the numbers of cases it would be 13%, 10% and 4%; therefore
every rank is then possible. Of exponential outcomes, which are skewed, 95% intervals covered 0.88
with 5 cases, 0.93 with 30 and 0.94 with 100; of normal outcomes they cover 0.95 with any number.

References
----------
Gelman et al. (2013), Bayesian Data Analysis, 3rd ed., sections 2.5 and 3.2.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_unique, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.notes import Note, notes_text
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank.models.parts.conjugate import check_proper_prior
from bayesrank.models.parts.joint import FEW


def _check_means(means: xr.Dataset, fewest: int | None) -> None:
    """Raise an error unless means are finite, with errors above 0 of at least two cases each."""
    values = np.array([means[name].values for name in ("mean_outcome", "standard_error")], float)
    if not np.isfinite(values).all() or (values[1] <= 0).any():
        raise ArgumentError(
            "evidence",
            "must contain finite means, and finite standard errors above 0",
            "missing or infinite numbers, or an error of 0",
        )
    if fewest is not None and fewest < 2:
        raise ArgumentError(
            "evidence", "must have at least 2 cases behind each standard error", fewest
        )


class NormalMeans:
    """Model mean outcomes with independent errors: t-distributed, or normal where the number of cases is not known.

    Parameters
    ----------
    evidence : xarray.Dataset
        ``mean_outcome`` (entity), ``standard_error`` (entity), above 0, and, if known, the number
        of ``cases`` (entity), at least 2.

    Examples
    --------
    >>> board = {"mean_outcome": ("entity", [0.71, 0.68]), "standard_error": ("entity", [0.01, 0.02])}
    >>> NormalMeans(xr.Dataset(board, {"entity": ["a", "b"]})).observed()["observed_data"]["mean_outcome"].item(0)
    0.71
    """

    takes: ClassVar[str] = "means"
    references: ClassVar[tuple[str, ...]] = (
        "Gelman et al. (2013). Bayesian Data Analysis, 3rd ed., sections 2.5 and 3.2. Chapman & Hall/CRC.",
    )
    words: ClassVar[str] = (
        "Only the mean outcome of each entity and its standard error are known; the errors of the means are "
        "independent between entities, and t-distributed if the number of cases is known, else normal."
    )
    kind: ClassVar[str] = "observed"

    def __init__(self, evidence: xr.Dataset) -> None:
        if not isinstance(evidence, xr.Dataset) or not {"mean_outcome", "standard_error"} <= set(
            evidence.data_vars
        ):
            raise ArgumentTypeError(
                "evidence",
                "must be a Dataset of mean_outcome and standard_error, as br.from_frame makes of a table with "
                "the columns entity, mean, se, for the model NormalMeans",
                describe_value(evidence),
            )
        self.means = evidence[
            [name for name in ("mean_outcome", "standard_error", "cases") if name in evidence]
        ]
        check_unique("entity", self.means["entity"].values.tolist())
        fewest = int(self.means["cases"].min()) if "cases" in self.means else None
        _check_means(self.means, fewest)
        #: Degrees of freedom of each mean; infinite if the number of cases is not known.
        self.freedom = (
            np.full(self.means.sizes["entity"], np.inf)
            if fewest is None
            else self.means["cases"].values - 1.0
        )
        notes = [Note("errors_normal" if fewest is None else "errors_t_distributed")]
        if fewest is not None and fewest < FEW:
            notes.append(Note("few_cases_of_means", {"cases": fewest}))
        notes.append(Note("means_unpaired"))
        self.settings: dict[str, Any] = {
            "prior": "flat",
            "mean_outcome_range": [-np.inf, np.inf],
            **({"errors_assumed": 1} if fewest is None else {}),
            "notes": notes_text(notes),
        }

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the observed means and their standard errors."""
        return {"observed_data": self.means.drop_attrs()}

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        return {"entity": self.means["entity"].values}

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw one block of ``mean_outcome``."""
        check_proper_prior(group != "prior")
        drawn = np.empty((block.size, self.means.sizes["entity"]))
        rows = (
            self.means[name].values.tolist()
            for name in ("entity", "mean_outcome", "standard_error")
        )
        for i, (name, mean, error) in enumerate(zip(*rows, strict=True)):
            key = fingerprint(np.array([mean, error, self.freedom[i]]))
            rng = stream(root, group, "normal_means", name, key, *block.key)
            known_variance = np.isinf(self.freedom[i])
            off = (
                rng.standard_normal(block.size)
                if known_variance
                else rng.standard_t(self.freedom[i], block.size)
            )
            drawn[:, i] = mean + error * off
        return {"mean_outcome": xr.Variable(("draw", "entity"), drawn)}

    def build(self) -> Any:
        """Return the PyMC model: ``mean_outcome`` (entity) with a flat prior, and t-distributed or normal errors."""
        import pymc as pm

        means, errors = self.means["mean_outcome"].values, self.means["standard_error"].values
        with pm.Model(coords=self.coords()) as model:
            centre = pm.Flat("mean_outcome", dims="entity", shape=means.shape)
            if np.isinf(self.freedom).all():
                pm.Normal("observed_mean", centre, errors, observed=means, dims="entity")
            else:
                pm.StudentT(
                    "observed_mean",
                    self.freedom,
                    mu=centre,
                    sigma=errors,
                    observed=means,
                    dims="entity",
                )
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return ``mean_outcome`` (chain, draw, entity)."""
        return sampled[["mean_outcome"]]
