r"""Retrained models: outcomes of several training seeds on the same cases, for entities that are ways of training.

The mean outcome of entity e over cases and over retrained models is :math:`\mu_e`. Of its
:math:`R_e` fitted models, the means over all cases are normal about :math:`\mu_e` with variance
:math:`\sigma_e^2`. The observed means have the variance :math:`\tau_e^2 = \sigma_e^2 + c_e`, where
:math:`c_e` is the known part that comes from a finite number of cases, each of which a seed may
change. With a prior on :math:`\log\tau_e` that is flat for :math:`\tau_e^2 \ge c_e`, the sample
variance :math:`s_e^2` of the means gives

.. math::

    \tau_e^2 \sim \frac{(R_e - 1) s_e^2}{\chi^2_{R_e - 1}} \text{, truncated below at } c_e, \qquad
    \mu_e = m_e + \mathcal N\!\left(0, \frac{\tau_e^2 - c_e}{R_e}\right).

Here :math:`m_e` is a draw of the mean outcome of these fitted models, from the paired model of the
outcomes averaged over seeds: it has the dependence between entities, and the part :math:`c_e / R_e`
of their seeds. So cases and seeds are crossed, and no part counts twice. A mean outcome stays
within its range.

References
----------
Bouthillier et al. (2021), Accounting for variance in machine learning benchmarks, Proceedings of
Machine Learning and Systems 3:747-769.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.special import gammainc, gammaincinv, ndtr, ndtri

from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank.models.paired import Paired

#: Below this quantile of χ² the distribution function is its first term.
SMALL = 1e-10


class Retrained(Paired):
    """Model mean outcomes over cases and retrained models: training seeds are crossed with the cases.

    The evidence is from :func:`bayesrank.from_outcomes` with ``training_seed``; the options are
    those of :class:`~bayesrank.models.paired.Paired`, the model for these fitted models.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"case": [1, 1, 2, 2], "seed": [1, 2, 1, 2], "a": [1, 0, 1, 1], "b": [1, 1, 0, 1]})
    >>> Retrained(br.from_outcomes(frame, case="case", training_seed="seed")).seeds.tolist()
    [2, 2]
    """

    references: ClassVar[tuple[str, ...]] = (
        *Paired.references,
        "Bouthillier et al. (2021). Accounting for variance in machine learning benchmarks. Proceedings of Machine "
        "Learning and Systems 3:747-769.",
    )
    words: ClassVar[str] = (
        "The entities saw the same cases, and each was trained with several seeds; means of its fitted models are "
        "normal with a variance of its own, and the ranking is over retrained models."
    )

    def __init__(self, evidence: xr.Dataset, **options: Any) -> None:
        if not isinstance(evidence, xr.Dataset) or "seed_mean" not in evidence:
            raise ArgumentError(
                "evidence",
                "must have training seeds, as from br.from_outcomes(frame, case=, training_seed=)",
            )
        self.trained = evidence[["seed_mean", "seed_noise"]].transpose("entity", ...).drop_attrs()
        super().__init__(evidence.drop_vars([*self.trained.data_vars, "training_seed"]), **options)
        means = self.trained["seed_mean"].values
        #: Numbers of seeds (entity), and the variance of the means over them.
        self.seeds = (~np.isnan(means)).sum(axis=1)
        self.variance = np.nanvar(means, axis=1, ddof=1)
        fewest, most = int(self.seeds.min()), int(self.seeds.max())
        note = Note("over_retrained", {"fewest": fewest, "most": most})
        self.settings = add_notes(self.settings, [note]) | {"seeds": fewest, "over": "retrained"}

    def observed(self) -> dict[str, xr.Dataset]:
        own = super().observed()
        return own | {"observed_data": own["observed_data"].assign(self.trained)}

    def coords(self) -> dict[str, Any]:
        return {name: held for name, held in super().coords().items() if name != "outcome"}

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw one block of ``mean_outcome``; the prior is that of these fitted models."""
        drawn = super().draw(group, block, root)
        drawn.pop("performance", None)
        if group == "prior":
            return drawn
        mean = drawn["mean_outcome"].values
        low, high = self.settings["mean_outcome_range"]
        names, noise = self.trained["entity"].values.tolist(), self.trained["seed_noise"].values
        for i, name in enumerate(names):
            facts = float(self.variance[i]), float(noise[i]), int(self.seeds[i])
            # Sums in another order differ in their last digits.
            key = fingerprint(np.array([float(f"{fact:.10g}") for fact in facts]))
            rng = stream(root, group, "retrained", name, key, *block.key)
            error = np.sqrt(variances(*facts, rng.random(block.size)) / facts[2])
            mean[:, i] = within(mean[:, i], error, low, high, rng.random(block.size))
        return drawn | {"mean_outcome": xr.Variable(drawn["mean_outcome"].dims, mean)}


def variances(spread: float, noise: float, seeds: int, chance: np.ndarray) -> np.ndarray:
    """Return draws of the variance of fitted models, net of the noise of cases, at uniform numbers ``chance``."""
    half, total = (seeds - 1) / 2, (seeds - 1) * spread
    if total == 0 and noise == 0:
        return np.zeros_like(chance)
    largest = np.inf if noise == 0 else total / noise
    if largest < SMALL:
        return noise * (chance ** (-1 / half) - 1)
    quantile = 2 * gammaincinv(half, chance * gammainc(half, largest / 2))
    return np.maximum(total / np.maximum(quantile, 1e-300) - noise, 0.0)


def within(
    mean: np.ndarray, error: np.ndarray, low: float, high: float, chance: np.ndarray
) -> np.ndarray:
    """Return normal values about ``mean`` with these standard deviations, truncated to the range."""
    scale = np.maximum(error, 1e-300)
    first, last = ndtr((low - mean) / scale), ndtr((high - mean) / scale)
    moved = mean + scale * ndtri(first + chance * (last - first))
    return np.where(error > 0, np.clip(moved, low, high), mean)
