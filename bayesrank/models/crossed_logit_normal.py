"""Crossed logit-normal: entities compared within data sets, whose difficulty they share; the default for many sets.

The logit of the rate of right answers of entity e on data set d is μ_e - β_d + γ_ed, for each class
(true negatives and true positives) or for right and wrong. Deviations γ are exchangeable. In a
complete design the difficulty β_d has mean 0. Otherwise its mean depends on which entities met the
data set, since the missing data sets may be the hard ones: β_d = Σ_e x_ed δ_e + a normal rest. Here
x_ed is 1 / (number of entities) if e met d, else 0, less its mean over the data sets. Differences
of data sets with different entities then say nothing about the entities (Mundlak 1978, Econometrica
46:69-85), and a typical data set is the average of the observed ones.

The prior of the rate is that of one level, whose logit is the mean of μ over the entities;
distances from it are normal with a standard deviation of 2. With a separate prior for each μ, the
priors of many entities together would dominate the level, which only the data sets can show.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank.models.hierarchical_logit_normal import HierarchicalLogitNormal
from bayesrank.models.parts.designs import Design, basis_of_presence, describe_design
from bayesrank.models.parts.priors import OF_MEANS

#: Prior standard deviation of the coefficients of the means of the difficulties, in multiples of
#: ``spread``.
SCALE = 2.0


class CrossedLogitNormal(HierarchicalLogitNormal):
    """Compare entities within data sets: logits have a difficulty that entities share, and deviations of each.

    The evidence is counts of two classes or two outcomes on several data sets. Options of
    :class:`~bayesrank.models.parts.hierarchical.Hierarchical` apply, and:

    Parameters
    ----------
    spread : number
        Scale, in logits, of the half-normal prior of the standard deviation of the deviations. That
        of the difficulty is twice as large. In an incomplete design, the option also scales the
        prior of the mean difficulty of data sets with different entities.
    terms : str, optional
        Terms that vary between data sets, as in the attr ``terms`` of a posterior; by default
        difficulty and deviations if there are several entities.
    covariates, at : optional
        As for :class:`~bayesrank.models.hierarchical_logit_normal.HierarchicalLogitNormal`.

    Raises
    ------
    ArgumentError
        If there are no data sets, or more than two classes or outcomes.

    Notes
    -----
    The attr ``design`` of a posterior is "complete" if every entity met every data set. It is
    "connected" if a chain of entities links any two, in which neighbours have a data set in common.
    Otherwise it is "unconnected".

    Examples
    --------
    B was not on the hardest data set, which gives it no credit:

    >>> counts = br.from_counts(
    ...     tn=[18, 19, 8, 18, 19], fp=[2, 1, 12, 2, 1], fn=[2, 1, 11, 2, 1], tp=[18, 19, 9, 18, 19],
    ...     entity=list("AAABB"), dataset=list("xyzxy"),
    ... )
    >>> CrossedLogitNormal(counts).design.kind
    'connected'
    """

    words: ClassVar[str] = (
        "In logits, a rate is the sum of a level of the entity, a difficulty of the data set that all entities share, "
        "and a deviation of the entity on this data set."
    )
    sd_of_contrasts: ClassVar[float] = 2.0
    scale_of_difficulty: ClassVar[float] = 2.0
    #: Of one case: four would pull the level of few data sets away from rates near 0 and 1.
    default_prior: ClassVar[str] = OF_MEANS
    references: ClassVar[tuple[str, ...]] = (
        *HierarchicalLogitNormal.references,
        "Mundlak (1978). On the pooling of time series and cross section data. Econometrica 46:69-85.",
    )
    #: Another model of the same evidence, for sensitivity analyses.
    alternative: ClassVar[str] = "hierarchical_beta_binomial"
    first_thin: ClassVar[int] = 8
    target_draws: ClassVar[int] = 500
    largest_rhat: ClassVar[float] = 1.01

    def __init__(self, counts: xr.DataArray, **options: Any) -> None:
        if "dataset" not in counts.dims:
            raise ArgumentError(
                "counts", "must have several data sets", list(map(str, counts.dims))
            )
        super().__init__(counts, **options)
        #: Which entities met which data sets.
        self.met = np.zeros((len(self.members), self.members.shape[2]), bool)
        self.met[tuple(self.pairs.T)] = True
        self.design: Design = describe_design(self.met, self.names)
        if "difficulty" in self.terms:
            # In the order of the names, on which the columns of equal data sets depend.
            rows = np.argsort(np.argsort(np.array([repr(name) for name in self.names])))
            measured = self.met[np.argsort(rows)][:, self.order]
            columns = basis_of_presence(measured)
            self.basis = np.empty_like(columns)
            self.basis[self.order] = SCALE * self.spread * columns
        self.settings["design"] = self.design.kind
        if len(self.members) > 1:
            others = [note for note in self.notes if note.code != "datasets_missing_at_random"]
            self.notes = others + _notes_of_design(self.design, *self.met.shape)

    def priors(self) -> list[Note]:
        """Return every prior, for reports."""
        result = super().priors()
        if "difficulty" in self.terms and self.basis.shape[1]:
            fields = {"columns": self.basis.shape[1], "sd": SCALE * self.spread}
            result.insert(1, Note("prior_of_presence", fields))
        return result

    def _terms_of_design(self, pairs: np.ndarray) -> tuple[str, ...]:
        """Return difficulty and deviations for several entities on several data sets, else what is identified."""
        if min(len(set(column)) for column in pairs.T) > 1:
            return ("difficulty", "deviations")
        return super()._terms_of_design(pairs)


def _notes_of_design(design: Design, entities: int, datasets: int) -> list[Note]:
    """Return notes on the design, and on pairs of entities that no data set compares."""
    if design.kind == "complete":
        return [Note("design_complete", {"entities": entities, "datasets": datasets})]
    fields = {
        "missing": design.missing,
        "total": design.total,
        "through_others": design.through_others,
    }
    notes = [Note("design_incomplete", {"kind": design.kind, **fields})]
    fields_apart = {"pairs": design.apart, "instead": "hierarchical_logit_normal"}
    return [*notes, *([Note("entities_unconnected", fields_apart)] if design.apart else [])]
