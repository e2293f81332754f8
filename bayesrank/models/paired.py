r"""Paired: all entities saw the same cases, and their joint outcomes show how errors depend on each other.

A case :math:`(y, \hat y_1, \ldots, \hat y_K)` has a class and an answer of each of the :math:`K` entities. The
distribution :math:`G` of the cases is nonparametric, with a prior of :math:`c` cases:

.. math::

    G \sim \mathrm{DP}(c, H), \qquad (y, \hat y_1, \ldots, \hat y_K) \sim G.

Under the base measure :math:`H` the class shares are the row totals of :math:`\alpha`, and given the class the entities
answer independently, each with its rows of :math:`\alpha`; :math:`c = \sum \alpha`. Any partition of the patterns has
Dirichlet probabilities, so the table of each entity is :math:`\mathrm{Dirichlet}(\alpha + n)`, exactly as in the model
``dirichlet_multinomial``. Only the dependence between entities differs. The posterior is

.. math::

    G = w_0 G_0 + (1 - w_0) \sum_p w_p \delta_p, \qquad w_0 \sim \mathrm{Beta}(c, N), \quad w \sim
    \mathrm{Dirichlet}(n_p), \quad G_0 \sim \mathrm{DP}(c, H),

with :math:`n_p` cases of each observed pattern :math:`p`. With :math:`c = 0` it is the Bayesian bootstrap.

If class sizes were set by design, each class has its own process and the shares are known: the draws are the same, and
only the rows are kept. Outcomes without classes (right or wrong, grades, numbers) are cases of one class.

Cases of a cluster are not independent. The process then puts its mass on whole clusters, and that of the prior on
single cases. A table is the weighted sum of the clusters' tables, divided by its total: the performance on a random
case or, with equal weights of clusters, on a random case of a random cluster.

Costs of cases have no prior: the mean cost of an entity has the weights of the observed cases, as in the Bayesian
bootstrap, and shares them with the outcomes.

If an entity lacks outcomes of some cases, its sums run over its own cases, with the weights that all entities share.
The weights are independent gamma variables, so its probabilities remain :math:`\mathrm{Dirichlet}(\alpha + n)` of its
own cases. This assumes that answers are missing at random.

References
----------
Ferguson (1973), A Bayesian analysis of some nonparametric problems, Annals of Statistics 1:209-230. Rubin (1981), The
Bayesian bootstrap, Annals of Statistics 9:130-134.
"""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_bool, check_choice
from bayesrank._random import Block, fingerprint, stream
from bayesrank.models._conjugate import check_proper_prior
from bayesrank.models._dirichlet_process import Process, gather
from bayesrank.models._joint import VARIABLES, check_joint, own_cases_note, units_note
from bayesrank.models._margins import Outcomes, Tables

TARGETS = ("case", "cluster")


class Paired:
    """Model the joint outcomes of entities on the same cases by a Dirichlet process.

    Another entity changes the draws of all entities, since they depend on the joint outcomes, but not their
    distribution. The order of entities and cases has no effect.

    The evidence is joint outcomes, as from :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`. The
    options are those of :func:`bayesrank.fit`: ``prior``, ``prevalence``, ``range``, ``base``, ``target``,
    ``split_prior`` and ``force``. All entities have the same prior row totals and the same prevalence.

    The default prior is ``"four_cases"`` for tables, outcomes 0 and 1, and means over runs of these; else
    ``"haldane"``, the Bayesian bootstrap. Outcomes on the grid 0, 1/m, ..., 1 are means of m runs with ``range=(0,
    1)``; m is at most 10, unless :func:`bayesrank.from_outcomes` was given runs. With a ``range`` the prior counts as
    two cases at each bound, the widest base measure with its mean: conservative for differences, with shrinkage of
    means near a bound.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.joint_outcomes([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, weight=[8, 2, 3, 7])
    >>> Paired(joint).observed()["observed_data"]["counts"].sel(entity="b").values.tolist()
    [[8, 2], [3, 7]]
    """

    takes: ClassVar[str] = "cases"
    references: ClassVar[tuple[str, ...]] = (
        "Ferguson (1973). A Bayesian analysis of some nonparametric problems. Annals of Statistics 1:209-230.",
        "Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9:130-134.",
    )
    # Not "all cases", since answers may be missing.
    words: ClassVar[str] = "The entities saw the same cases; the joint outcomes show how their errors depend."
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
            raise ValueError(f"target must be None where cases do not come in clusters; got {target!r}")
        if target is not None:
            check_choice("target", target, TARGETS)
        self.by_case = target != "cluster"
        self.datasets = list(dict.fromkeys(joint["dataset"].values.tolist())) if "dataset" in joint.coords else []
        self.margins: Tables | Outcomes
        if "outcome" in joint:
            self.margins = Outcomes(joint, self.datasets, prior, prevalence, split_prior, self.by_case, range, base)
        elif range is None and base is None:
            self.margins = Tables(joint, self.datasets, prior, prevalence, split_prior, force)
        else:
            argument, got = ("range", range) if base is None else ("base", base)
            raise ValueError(
                f"{argument} must be None where cases have classes, not outcomes that are numbers; got {got!r}"
            )
        # Sorted by name, so that the order of the entities has no effect.
        self.order = np.argsort([repr(name) for name in joint["entity"].values.tolist()], kind="stable")
        self.processes = [self._process(i) for i, _ in enumerate(self.datasets or [None])]
        few = units_note(self.processes, clustered, self.margins.fewest, self.margins.centre, "outcome" in joint)
        notes = [joint.attrs.get("note", ""), own_cases_note(joint) if "outcome" in joint else "", few]
        self.settings: dict[str, Any] = {
            **self.margins.settings,
            "paired": 1,
            "split_prior": int(split_prior),
            "remainder": max(process.rest for process in self.processes),
            "units": [int(process.count.sum()) for process in self.processes],
            **({"target": target or TARGETS[0]} if clustered else {}),
            **({"missing": joint.attrs["missing"]} if "missing" in joint.attrs else {}),
            **({"note": "\n".join(filter(None, notes))} if any(notes) else {}),
            **({"note_few": few} if few else {}),
        }

    def observed(self) -> dict[str, xr.Dataset]:
        """Return the observed data of each entity, the joint patterns, and the prior."""
        held = self.joint.reset_coords()
        names = [name for name in (*VARIABLES, "dataset", "cluster") if name in held and "pattern" in held[name].dims]
        named = held[names].rename({name: f"pattern_{name}" for name in names})
        own = self.margins.observed(self.by_case)
        return {"observed_data": xr.merge([own, named]), "constant_data": self.margins.prior.to_dataset()}

    def coords(self) -> dict[str, Any]:
        """Return the coords of the draws."""
        return self.margins.coords()

    def build(self) -> Any:
        """Raise an error: a Dirichlet process is drawn exactly, without a PyMC model."""
        raise ValueError("sampler must be 'auto' or 'exact' for the model Paired; got 'nuts'")

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """Return the draws unchanged."""
        return sampled

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw one block of ``performance`` or ``mean_outcome``, with ``prevalence`` or ``rate`` where needed.

        Without classes, ``performance`` is drawn too if there are few values, and ``mean_cost`` if cases have costs.
        """
        if group == "prior":
            check_proper_prior(self.margins.proper)
        tables = [self._draw(i, group, block, root) for i in range(len(self.processes))]
        return self.margins.variables(np.stack(tables, axis=2), block)

    def _draw(self, i: int, group: str, block: Block, root: np.random.SeedSequence) -> np.ndarray:
        """Draw unnormalised sums (draw, entity, class, feature) on data set ``i``."""
        process = self.processes[i]
        dataset = self.datasets[i] if self.datasets else ""
        evidence = fingerprint(process.prior, process.codes, process.unit, process.size, process.count)

        def of(*purpose: Any) -> np.random.Generator:
            return stream(root, group, "paired", *purpose, dataset, evidence, *block.key)

        names = self.joint["entity"].values[self.order].tolist()
        if group == "prior":
            drawn = process.unseen(of, names, block.size) @ process.base
        else:
            drawn = process.draw(of, names, block.size)
        return drawn[:, np.argsort(self._columns()[: drawn.shape[1]])]

    def _columns(self) -> np.ndarray:
        """Return the order of the answers of all entities, followed by their costs if there are any."""
        parts = (self.margins.codes.shape[1] - 1) // len(self.order)
        return np.concatenate([self.order + i * len(self.order) for i in range(parts)])

    def _process(self, i: int) -> Process:
        here = self.joint["dataset"].values == self.datasets[i] if self.datasets else slice(None)
        joint = self.joint.isel(pattern=here)
        codes = self.margins.codes[here][:, [0, *(1 + self._columns())]]
        cluster = pd.factorize(joint["cluster"].values)[0] if "cluster" in joint.coords else None
        units = gather(codes, joint["count"].values, cluster, self.by_case)
        return Process(self.margins.alpha[self.order, i], *units, self.margins.features, self.margins.base)
