r"""Correlated folds: means of learners over the splits of cross-validation, whose training sets overlap.

On one data set, let :math:`x_{je}` be the score of learner e on split j of J, and :math:`\rho` the
ratio of test to training cases, which stands for the correlation that overlapping training sets
cause. Then the mean of the difference of two learners has the posterior

.. math::

    \frac{\delta - \bar d}{\sqrt{(1/J + \rho)\,\hat\sigma^2}} \sim t_{J-1},

with the sample variance :math:`\hat\sigma^2` of the differences. All learners together have the
multivariate t distribution with these margins.

On several data sets, their means over splits are a sample of data sets: J is the number of data
sets, and :math:`\rho = 0`. Variances between data sets include those of the splits.

References
----------
Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52:239-281.
Corani and Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on multiple
data sets, Machine Learning 100:285-304, equation 5.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_unique, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.notes import Note, notes_text
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank.models.parts.conjugate import check_proper_prior


def _check_scores(evidence: Any) -> None:
    """Raise an error unless evidence is scores of folds."""
    if not isinstance(evidence, xr.Dataset) or "fold_score" not in evidence:
        raise ArgumentTypeError(
            "evidence",
            "must contain scores of folds, as from br.from_folds",
            describe_value(evidence),
        )


class CorrelatedFolds:
    """Model mean scores of learners by a multivariate t distribution, over overlapping splits or over data sets.

    Parameters
    ----------
    evidence : xarray.Dataset
        Scores of the splits, as from :func:`bayesrank.from_folds`.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"tree": [0.8, 0.7, 0.9, 0.7], "forest": [0.9, 0.8, 0.8, 0.9]})
    >>> CorrelatedFolds(br.from_folds(scores, train=75, test=25)).factor
    0.5833333333333333
    """

    takes: ClassVar[str] = "folds"
    references: ClassVar[tuple[str, ...]] = (
        "Nadeau, Bengio (2003). Inference for the generalization error. Machine Learning 52:239-281.",
        "Corani, Benavoli (2015). A Bayesian approach for comparing cross-validated algorithms on multiple data sets. "
        "Machine Learning 100:285-304.",
    )
    words: ClassVar[str] = (
        "Mean scores of learners have a multivariate t distribution. On one data set, the variance of the splits is "
        "increased by the ratio of test to training cases, since training sets overlap; several data sets are a sample."
    )
    kind: ClassVar[str] = "observed"

    def __init__(self, evidence: xr.Dataset) -> None:
        _check_scores(evidence)
        self.names = evidence["entity"].values.tolist()
        check_unique("entity", self.names)
        values = evidence["fold_score"].transpose("split", "entity").values.astype(float)
        where = (
            evidence["dataset"].values.tolist()
            if "dataset" in evidence.coords
            else [""] * len(values)
        )
        self.datasets = list(dict.fromkeys(where))
        if len(self.datasets) > 1:
            code = np.array([self.datasets.index(name) for name in where])
            units = np.stack([values[code == i].mean(axis=0) for i in range(len(self.datasets))])
            ratio, repeats = 0.0, 0
        else:
            units = values
            ratio = float((evidence["test_cases"] / evidence["training_cases"]).mean())
            repetitions = evidence["repeat"].values.tolist() if "repeat" in evidence.coords else [0]
            repeats = len(set(repetitions))
        by_name = np.argsort(list(map(repr, self.names)))
        #: Scores (unit, entity); the units are splits or data sets, in an order without effect.
        self.units = units[np.lexsort(units[:, by_name].T)]
        #: The variance of a mean, as a multiple of the variance of the units.
        self.factor = 1 / len(self.units) + ratio
        note = Note("folds_of_datasets", {"datasets": len(self.datasets)})
        if len(self.datasets) == 1:
            note = Note("folds_of_one_dataset", {"splits": len(values), "ratio": ratio})
        # Splits of other runs are of the same cases, and add little to what is known of the
        # variance.
        freedom = len(self.units) / max(repeats, 1) - 1
        self.settings: dict[str, Any] = {
            "prior": "flat",
            "freedom_of_sets": freedom,
            "over": "datasets_like_these" if len(self.datasets) > 1 else "samples_like_this",
            **({"repeats": repeats} if repeats else {"datasets_of_learners": len(self.datasets)}),
            "mean_outcome_range": [-np.inf, np.inf],
            "notes": notes_text([note]),
        }

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the observed mean scores."""
        variables = {"mean_outcome": ("entity", self.units.mean(axis=0))}
        return {"observed_data": xr.Dataset(variables, {"entity": self.names})}

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        return {"entity": self.names}

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw one block of ``mean_outcome``: normal weights of the units, whose products have their covariance."""
        check_proper_prior(group != "prior")
        mean = self.units.mean(axis=0)
        rng = stream(
            root, group, "correlated_folds", fingerprint(np.array([len(self.units)])), *block.key
        )
        weights = rng.standard_normal((block.size, len(self.units)))
        chi = rng.chisquare(len(self.units) - 1, block.size)
        off = weights @ (self.units - mean) * np.sqrt(self.factor / chi)[:, None]
        return {"mean_outcome": xr.Variable(("draw", "entity"), mean + off)}

    def build(self) -> Any:
        """Return the PyMC model: ``mean_outcome`` (entity) with a flat prior, and multivariate t errors.

        Raises
        ------
        ArgumentError
            If there are not more splits, or data sets, than entities: the covariance of their
            scores is singular.
        """
        import pymc as pm

        units, entities = self.units.shape
        if units <= entities:
            raise ArgumentError(
                "evidence",
                f"must have more than {entities} splits or data sets for a PyMC model",
                f"{units} of them",
            )
        scale = self.factor * np.atleast_2d(np.cov(self.units.T))
        with pm.Model(coords=self.coords()) as model:
            centre = pm.Flat("mean_outcome", dims="entity", shape=entities)
            pm.MvStudentT(
                "observed_mean", units - 1, mu=centre, scale=scale, observed=self.units.mean(0)
            )
        return model

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return ``mean_outcome`` (chain, draw, entity)."""
        return sampled[["mean_outcome"]]
