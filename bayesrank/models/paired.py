"""Paired: all entities saw the same cases, and their joint outcomes show how errors depend on each other.

The distribution of the cases (class, answers) is a Dirichlet process, under whose base measure the
entities answer independently given the class. So the table of each entity is Dirichlet(α + n), as
in ``dirichlet_multinomial``; only the dependence between entities differs. If class sizes are set
by design, each class has its own process. With clusters, the atoms of the process are clusters
instead of cases; those of the prior are single cases. If answers are missing at random, the sums of
an entity run over its own cases, with the weights that all entities share.
"""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import check_bool, check_choice
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.weighting import UNIT_WEIGHT, prior_weights
from bayesrank.models.parts.conjugate import check_proper_prior
from bayesrank.models.parts.dirichlet_process import Process, gather
from bayesrank.models.parts.joint import VARIABLES, check_joint, own_cases_notes, units_notes
from bayesrank.models.parts.margins import OutcomeMargins, TableMargins

TARGETS = ("case", "cluster")


def _refuse_measures_of_outcomes(range: Any, base: Any) -> None:
    """Raise an error if a prior of outcomes that are numbers is given for cases with classes."""
    for argument, value in (("base", base), ("range", range)):
        if value is not None:
            raise ArgumentError(
                argument,
                "must be None if cases have classes, not outcomes that are numbers",
                f"{value!r}",
            )


class Paired:
    """Model the joint outcomes of entities on the same cases by a Dirichlet process.

    The draws depend on the joint outcomes. If an entity is added, the draws of the others change,
    but not their distribution. The order of entities and cases has no effect.

    The evidence is joint outcomes, as from :func:`bayesrank.joint_outcomes` or
    :func:`bayesrank.from_outcomes`. The options are those of :func:`bayesrank.fit`: ``prior``,
    ``prevalence``, ``range``, ``base``, ``target``, ``split_prior`` and ``force``. All entities
    have the same prior row totals and the same prevalence.

    The default prior is ``"one_case"`` for tables, outcomes 0 and 1, and means over runs of these;
    else ``"haldane"``, the Bayesian bootstrap. Outcomes that are all fractions k/m from 0 to 1 are
    taken as means of m runs, with ``range=(0, 1)``. Each outcome may have its own m, at most 10,
    unless :func:`bayesrank.from_outcomes` was given runs. With a ``range`` the prior counts as half
    a case at each bound. No other base measure with this mean is wider. So the prior is
    conservative for differences, and shrinks means that are near a bound.

    Examples
    --------
    >>> joint = br.joint_outcomes([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, count=[8, 2, 3, 7])
    >>> Paired(joint).observed()["observed_data"]["counts"].sel(entity="b").values.tolist()
    [[8, 2], [3, 7]]
    """

    takes: ClassVar[str] = "cases"
    references: ClassVar[tuple[str, ...]] = (
        "Ferguson (1973). A Bayesian analysis of some nonparametric problems. Annals of Statistics 1:209-230.",
        "Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9:130-134.",
    )
    # Not "all cases", since answers may be missing.
    words: ClassVar[str] = (
        "The entities saw the same cases; the joint outcomes show how their errors are correlated."
    )
    kind: ClassVar[str] = "observed"

    def __init__(
        self,
        evidence: xr.Dataset,
        *,
        prior: Any = None,
        prevalence: Any = None,
        range: Any = None,
        base: Any = None,
        target: str | None = None,
        split_prior: bool = False,
        force: bool = False,
    ) -> None:
        check_bool("split_prior", split_prior)
        check_bool("force", force)
        self.joint = joint = check_joint(evidence)
        clustered = "cluster" in joint.coords
        if target is not None and not clustered:
            raise ArgumentError(
                "target", "must be None if cases do not come in clusters", f"{target!r}"
            )
        if target is not None:
            check_choice("target", target, TARGETS)
        self.by_case = target != "cluster"
        self.datasets = (
            list(dict.fromkeys(joint["dataset"].values.tolist()))
            if "dataset" in joint.coords
            else []
        )
        self.margins: TableMargins | OutcomeMargins
        if "outcome" in joint:
            self.margins = OutcomeMargins(
                joint, self.datasets, prior, prevalence, split_prior, self.by_case, range, base
            )
        else:
            _refuse_measures_of_outcomes(range, base)
            self.margins = TableMargins(
                joint,
                self.datasets,
                prior=prior,
                prevalence=prevalence,
                split_prior=split_prior,
                force=force,
            )
        # Sorted by name, so that the order of the entities has no effect.
        self.order = np.argsort(
            [repr(name) for name in joint["entity"].values.tolist()], kind="stable"
        )
        self.processes = [self._process(i) for i, _ in enumerate(self.datasets or [None])]
        record, outcomes = self.margins, "outcome" in joint
        notes = notes_of(EvidenceRecord.of(joint).notes)
        notes += own_cases_notes(joint) if outcomes else []
        notes += units_notes(self.processes, clustered, record.fewest, record.centre, outcomes)
        fitted = "seed_mean" in joint
        notes += [Note("for_fitted_models")] if fitted else []
        if isinstance(self.margins, TableMargins):
            #: Every prior, for reports.
            self.priors = self.margins.priors
        self.settings: dict[str, Any] = {
            **self.margins.settings,
            "paired": 1,
            "split_prior": int(split_prior),
            "remainder": max(process.rest for process in self.processes),
            "units": [int(process.count.sum()) for process in self.processes],
            **({"target": target or TARGETS[0]} if clustered else {}),
            **({"over": "fitted"} if fitted else {}),
            **EvidenceRecord(missing=EvidenceRecord.of(joint).missing).to_attrs(),
            **({"notes": notes_text(notes)} if notes else {}),
        }

    def observed(self) -> dict[str, xr.Dataset]:
        variables = self.joint.reset_coords()
        names = [
            name
            for name in (
                *VARIABLES,
                "runs",
                "answers",
                "cost_right",
                "cost_wrong",
                "dataset",
                "cluster",
                UNIT_WEIGHT,
            )
            if name in variables and "pattern" in variables[name].dims
        ]
        named = variables[names].rename({name: f"pattern_{name}" for name in names})
        flickering = [name for name in ("flickering_right", "flickering_runs") if name in variables]
        own = self.margins.observed()
        if (
            not self.by_case
        ):  # with equal weights of clusters, counts of cases are not the observed performance
            own["observed_data"] = own["observed_data"].drop_vars("counts", errors="ignore")
        return own | {
            "observed_data": xr.merge(
                [own["observed_data"], named, self.joint[flickering]], compat="no_conflicts"
            )
        }

    def coords(self) -> dict[str, Any]:
        return self.margins.coords()

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        """Draw one block of ``performance`` or ``mean_outcome``, with ``prevalence`` or ``rate`` where needed.

        Without classes, ``performance`` is drawn too if there are few values, and ``mean_cost`` if
        cases have costs.
        """
        if group == "prior":
            check_proper_prior(self.margins.proper)
        tables = [self._draw(i, group, block, root) for i in range(len(self.processes))]
        return self.margins.variables(np.stack(tables, axis=2), block)

    def _draw(self, i: int, group: str, block: Block, root: np.random.SeedSequence) -> np.ndarray:
        """Draw unnormalised sums (draw, entity, class, feature) on data set ``i``."""
        process = self.processes[i]
        dataset = self.datasets[i] if self.datasets else ""
        evidence = fingerprint(
            process.prior, process.codes, process.unit, process.size, process.count
        )

        def of(*purpose: Any) -> np.random.Generator:
            return stream(root, group, "paired", *purpose, dataset, evidence, *block.key)

        names = self.joint["entity"].values[self.order].tolist()
        if group == "prior":
            drawn = process.featured(process.unseen(of, names, block.size))
        else:
            drawn = process.draw(of, names, block.size)
        return drawn[:, np.argsort(self._columns()[: drawn.shape[1]])]

    def _columns(self) -> np.ndarray:
        """Return the order of the answers of all entities, followed by their costs if there are any."""
        parts = (self.margins.codes.shape[1] - 1) // len(self.order)
        return np.concatenate([self.order + i * len(self.order) for i in range(parts)])

    def _process(self, i: int) -> Process:
        in_dataset = (
            self.joint["dataset"].values == self.datasets[i] if self.datasets else slice(None)
        )
        joint = self.joint.isel(pattern=in_dataset)
        codes = self.margins.codes[in_dataset][:, [0, *(1 + self._columns())]]
        cluster = pd.factorize(joint["cluster"].values)[0] if "cluster" in joint.coords else None
        number, weight = (
            joint["count"].values,
            joint[UNIT_WEIGHT].values if UNIT_WEIGHT in joint.coords else None,
        )
        units = gather(codes, number, cluster, self.by_case, weight)
        alpha = self.margins.alpha[self.order, i]
        priors = prior_weights(number, weight, codes[:, 0], alpha.shape[1])
        return Process(alpha, *units, self.margins.features, self.margins.base, priors)
