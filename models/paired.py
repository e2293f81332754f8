r"""Paired: all entities met the same cases, and the joint outcomes of the cases tell how their errors go together.

The story. A case :math:`(y, \hat y_1, \ldots, \hat y_K)` has a class, and an answer of each of the :math:`K` entities.
The cases were drawn from a distribution :math:`G` of which nothing is assumed but a prior worth :math:`c` cases:

.. math::

    G \sim \mathrm{DP}(c, H), \qquad (y, \hat y_1, \ldots, \hat y_K) \sim G.

Under the base measure :math:`H` the class has the shares of the row totals of :math:`\alpha`, and the entities answer
independently given the class, each with its rows of :math:`\alpha`; :math:`c = \sum \alpha`. Whatever sets of patterns
one asks for have Dirichlet probabilities, so the table of each entity is
:math:`\mathrm{Dirichlet}(\alpha + n)`, exactly as in the model ``dirichlet_multinomial``: the two differ in nothing but
the dependence between entities. A posteriori

.. math::

    G = w_0 G_0 + (1 - w_0) \sum_p w_p \delta_p, \qquad
    w_0 \sim \mathrm{Beta}(c, N), \quad w \sim \mathrm{Dirichlet}(n_p), \quad G_0 \sim \mathrm{DP}(c, H),

with the :math:`n_p` cases of each observed pattern :math:`p`. With :math:`c = 0` it is the Bayesian bootstrap.

Where the numbers of cases of each class were set by design there is one process a class, and the shares are known:
the same draws, of which only the rows are kept.

References
----------
Ferguson (1973), A Bayesian analysis of some nonparametric problems, Annals of Statistics 1:209-230. Rubin (1981), The
Bayesian bootstrap, Annals of Statistics 9:130-134.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._evidence import in_words as held_words
from bayesrank._evidence import unique_names, whole_numbers
from bayesrank._random import Block, fingerprint, stream
from bayesrank.counts import arrange
from bayesrank.models._conjugate import Conjugate
from bayesrank.models._dirichlet_process import Process, gather
from bayesrank.models._priors import DEFAULT, concentration, in_words
from bayesrank.models._product_multinomial import check_observed, check_proper, known_totals


class Paired:
    """All entities met the same cases, and the joint outcomes of the cases tell how their errors go together.

    An entity's draws depend on the joint outcomes, so that they change when another entity is added; their
    distribution does not. The order of entities and cases changes nothing.

    Parameters
    ----------
    evidence : xarray.Dataset
        Joint outcomes, as from :func:`bayesrank.joint_outcomes`.
    prior : number, str, array_like, mapping or DataArray, optional
        Concentration of each cell, as for the models of counts. Entities may differ, but share the row totals.
    prevalence : "sampled", "observed", number or DataArray, optional
        Where the class shares come from, as for the models of counts: by default they are drawn with the cases.
    force : bool
        Accept a cell with neither prior nor cases.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.joint_outcomes([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, weight=[8, 2, 3, 7])
    >>> Paired(joint).counts.sel(entity="b").values.tolist()
    [[8, 2], [3, 7]]
    """

    words: ClassVar[str] = (
        "All entities met the same cases, and the joint outcomes of the cases tell how their errors go together."
    )
    kind: ClassVar[str] = "observed"

    def __init__(
        self,
        evidence: xr.Dataset,
        *,
        prior: Any = None,
        prevalence: Any = None,
        force: bool = False,
    ) -> None:
        if not isinstance(force, bool | np.bool_):
            raise TypeError(f"force must be True or False; got {force!r}")
        self.joint = _checked(evidence)
        self.counts = _counts(self.joint)
        self.concentration = concentration(self.counts, prior)
        self.totals = known_totals(self.counts, "sampled" if prevalence is None else prevalence)
        if not force:
            check_proper(self.counts, self.concentration)
            check_observed(self.counts, self.totals)
        _check_row_totals(self.concentration)
        # By name, so that the order of the entities changes nothing.
        self.order = np.argsort([repr(name) for name in self.counts["entity"].values.tolist()], kind="stable")
        self.processes = [self._process(i) for i in range(self.counts.sizes.get("dataset", 1))]
        self.settings: dict[str, Any] = {
            "prior": in_words(prior, DEFAULT),
            "prevalence": in_words(prevalence, "sampled"),
            "paired": 1,
            "remainder": max(process.rest for process in self.processes),
        }

    def observed(self) -> dict[str, xr.Dataset]:
        """The counts of each entity and the joint patterns, and the prior that was used."""
        patterns = self.joint.reset_coords().drop_vars(["entity", "label"], errors="ignore")
        named = patterns.rename({name: f"pattern_{name}" for name in patterns.data_vars})
        counts = self.counts.assign_coords(test_set=self._test_set())
        return {
            "observed_data": xr.merge([counts.rename("counts").to_dataset(), named]),
            "constant_data": self.concentration.to_dataset(),
        }

    def coords(self) -> dict[str, Any]:
        """Coords of the draws: those of the counts, and the test sets."""
        found: dict[str, Any] = {str(name): coord for name, coord in self.counts.coords.items()}
        return found | ({} if self.totals is not None else {"test_set": np.unique(self._test_set())})

    def build(self) -> Any:
        """There is no PyMC model: a Dirichlet process is drawn exactly."""
        raise ValueError("sampler must be 'auto' or 'exact' for the model Paired; got 'nuts'")

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """What was drawn is what is wanted."""
        return sampled

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Exact draws of one block: ``performance``, ``prevalence`` where it is sampled, ``rate`` where it is lost."""
        if group == "prior" and float(self.concentration.min()) <= 0:
            raise ValueError("groups cannot hold 'prior' where the prior is improper; got a concentration of 0")
        table = np.stack([self._draw(i, group, block, root) for i in range(len(self.processes))], axis=2)
        dims = ("draw", *map(str, self.counts.dims))
        with np.errstate(invalid="ignore"):  # a rate of which nothing is known
            if self.totals is None:
                table /= table.sum((-2, -1), keepdims=True)
                share = table[:, 0].sum(-1)
                found = {"prevalence": xr.Variable(("draw", "test_set", "actual"), share)}
            else:
                table /= table.sum(-1, keepdims=True)
        table = table.reshape(block.size, *self.counts.shape)
        if self.totals is not None:
            margins = Conjugate(self.concentration, self.concentration, self.totals, self._test_set(), self._test_set())
            shares = margins.known_shares(block)
            found = {"rate": xr.Variable(dims, table)} if (shares == 0).any() else {}
            table = table * shares[..., None]
        return {"performance": xr.Variable(dims, table)} | found

    def _draw(self, i: int, group: str, block: Block, root: np.random.SeedSequence) -> np.ndarray:
        """Tables on one data set, not normalised: (draw, entity, actual, predicted)."""
        process = self.processes[i]
        dataset = self.counts["dataset"].values[i] if "dataset" in self.counts.dims else ""
        evidence = fingerprint(process.prior, process.codes, process.unit, process.size, process.count)

        def of(*purpose: Any) -> np.random.Generator:
            return stream(root, group, "paired", *purpose, dataset, evidence, *block.key)

        names = self.counts["entity"].values[self.order].tolist()
        draw = process.unseen if group == "prior" else process.draw
        found = draw(of, names, block.size)
        return found[:, np.argsort(self.order)]

    def _process(self, i: int) -> Process:
        prior = self.concentration.values
        joint = self.joint
        if "dataset" in self.counts.dims:
            prior = prior[:, i]
            joint = joint.isel(pattern=joint["dataset"].values == self.counts["dataset"].values[i])
        codes = _codes(joint)[:, [0, *(1 + self.order)]]
        codes, unit, size, count = gather(codes, joint["count"].values, None)
        return Process(prior[self.order], codes, unit, size, count, np.eye(prior.shape[-1]))

    def _test_set(self) -> xr.DataArray:
        """All entities met the same cases: of each data set, or one set of them."""
        like = self.counts.isel(actual=0, predicted=0, drop=True)
        names = np.array([f"test set {i + 1}" for i in range(like.sizes.get("dataset", 1))])
        values = np.broadcast_to(names if "dataset" in like.dims else names[0], like.shape).copy()
        return xr.DataArray(
            values, like.drop_vars("measured", errors="ignore").coords, like.dims, "test_set"
        ).assign_attrs(named=1)


def _checked(evidence: Any) -> xr.Dataset:
    """Joint outcomes as every function expects them, each pattern at least once."""
    if not isinstance(evidence, xr.Dataset):
        raise TypeError(
            "evidence must be a Dataset of joint outcomes, as made by br.joint_outcomes, for the model Paired: counts "
            f"of each entity do not tell which errors coincide; got {held_words(evidence)}"
        )
    wanted = {"actual": ("pattern",), "predicted": ("pattern", "entity"), "count": ("pattern",), "label": ("label",)}
    missing = [name for name in (*wanted, "entity") if name not in evidence.variables]
    if missing:
        raise ValueError(f"evidence must hold {', '.join(wanted)} and entity; got none of {missing}")
    for name, dims in wanted.items():
        if set(evidence[name].dims) != set(dims):
            raise ValueError(f"evidence must have the dims {dims} for {name}; got {evidence[name].dims}")
    if "cluster" in evidence.coords:
        raise ValueError("evidence must hold single cases; got clusters of them")
    joint = evidence.transpose("pattern", "entity", "label")
    unique_names("entity", joint["entity"].values.tolist())
    count = whole_numbers("count", joint["count"].values)
    if not (count > 0).any():
        raise ValueError("evidence must hold at least one case; got none")
    joint = joint.assign(count=("pattern", count)).isel(pattern=count > 0)
    labels = joint["label"].values.tolist()
    for name in ("actual", "predicted"):
        unknown = set(joint[name].values.ravel().tolist()) - set(labels)
        if unknown:
            raise ValueError(f"{name} must hold labels among {labels}; got {unknown.pop()!r}")
    return joint


def _codes(joint: xr.Dataset) -> np.ndarray:
    """Labels as positions: (pattern, 1 + entity), the class first."""
    place = {label: i for i, label in enumerate(joint["label"].values.tolist())}
    labels, inverse = np.unique(
        np.column_stack([joint["actual"].values, joint["predicted"].values]), return_inverse=True
    )
    codes = np.array([place[label] for label in labels.tolist()], dtype=np.int64)
    return codes[inverse].reshape(joint.sizes["pattern"], -1)


def _counts(joint: xr.Dataset) -> xr.DataArray:
    """The counts of each entity."""
    codes, count = _codes(joint), joint["count"].values
    entities, classes = joint["entity"].values.tolist(), joint["label"].values.tolist()
    where = joint["dataset"].values.tolist() if "dataset" in joint.coords else [None] * count.size
    datasets = list(dict.fromkeys(where))
    place = {name: i for i, name in enumerate(datasets)}
    rows = np.array([place[name] for name in where])
    tables = np.zeros((len(entities), len(datasets), len(classes), len(classes)), np.int64)
    for table, predicted in zip(tables, codes[:, 1:].T, strict=True):
        np.add.at(table, (rows, codes[:, 0], predicted), count)
    if "dataset" not in joint.coords:
        return arrange(tables[:, 0], entities, None, classes)
    pairs = [(entity, dataset) for entity in entities for dataset in datasets]
    return arrange(
        tables.reshape(-1, len(classes), len(classes)), [e for e, _ in pairs], [d for _, d in pairs], classes
    )


def _check_row_totals(alpha: xr.DataArray) -> None:
    rows = alpha.sum("predicted").transpose("entity", ..., "actual").values
    apart = np.argwhere(~np.isclose(rows, rows[0], rtol=1e-9, atol=0))
    if apart.size:
        other, *where = apart[0][:-1]
        names = alpha["entity"].values.tolist()
        raise ValueError(
            "prior must give every entity the same row totals, since they met the same cases; got "
            f"{rows[0, *where].tolist()} for {names[0]!r} and {rows[other, *where].tolist()} for {names[other]!r}"
        )
