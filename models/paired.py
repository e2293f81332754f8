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
the same draws, of which only the rows are kept. Outcomes without classes (right or wrong, grades, numbers) are cases of
one class.

Cases that come in clusters are no independent evidence. The process then puts its mass on whole clusters, the prior's
being single cases, and a table is the sum over clusters of weight times content, divided by its total: the
performance on a random case, or, where clusters weigh the same whatever their size, on a random case of a random
cluster.

References
----------
Ferguson (1973), A Bayesian analysis of some nonparametric problems, Annals of Statistics 1:209-230. Rubin (1981), The
Bayesian bootstrap, Annals of Statistics 9:130-134.
"""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import flag, name_coord, nested, unique_names, whole_numbers
from bayesrank._checks import in_words as held_words
from bayesrank._random import Block, fingerprint, stream
from bayesrank.counts import arrange
from bayesrank.models._conjugate import Conjugate
from bayesrank.models._dirichlet_process import Process, gather
from bayesrank.models._priors import DEFAULT, FLAT, concentration, in_words
from bayesrank.models._product_multinomial import check_observed, check_proper, known_totals

TARGETS = ("case", "cluster")
#: Outcomes of more values have a mean, and no probability each.
VALUES = 20
#: Below so many units the bootstrap is too sure of itself (0.85 covered at 19 cases of a rate of 0.1, 0.95 wanted).
FEW = 50
VARIABLES = {
    "actual": {"pattern"},
    "predicted": {"pattern", "entity"},
    "outcome": {"pattern", "entity"},
    "count": {"pattern"},
    "label": {"label"},
}


class Paired:
    """All entities met the same cases, and the joint outcomes of the cases tell how their errors go together.

    An entity's draws depend on the joint outcomes, so that they change when another entity is added (and which
    outcomes there are, if it brings new ones); their
    distribution does not. The order of entities and cases changes nothing.

    Parameters
    ----------
    evidence : xarray.Dataset
        Joint outcomes, as from :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`.
    prior : number, str, array_like, mapping or DataArray, optional
        Concentration of each cell, as for the models of counts; entities may differ, but share the row totals. Of
        outcomes: that of each value, as a number, a name or an array; by default ``"four_cases"`` where they are 0
        and 1, so that the mean is Beta(2, 2), else ``"haldane"``, the Bayesian bootstrap.
    prevalence : "sampled", "observed", number or DataArray, optional
        Where the class shares come from, as for the models of counts: by default they are drawn with the cases.
    target : "case" or "cluster", optional
        Of cases in clusters: whether all cases weigh the same (the default), or all clusters.
    force : bool
        Accept a cell with neither prior nor cases.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.joint_outcomes([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, weight=[8, 2, 3, 7])
    >>> Paired(joint).observed()["observed_data"]["counts"].sel(entity="b").values.tolist()
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
        target: str | None = None,
        force: bool = False,
    ) -> None:
        flag("force", force)
        self.joint = joint = _checked(evidence)
        clustered = "cluster" in joint.coords
        if target is not None and (target not in TARGETS or not clustered):
            wanted = f"one of {TARGETS}" if clustered else "None where cases do not come in clusters"
            raise ValueError(f"target must be {wanted}; got {target!r}")
        self.by_case = target != "cluster"
        self.datasets = list(dict.fromkeys(joint["dataset"].values.tolist())) if "dataset" in joint.coords else []
        self.margins: _Tables | _Outcomes
        if "outcome" in joint:
            self.margins = _Outcomes(joint, self.datasets, prior, prevalence, self.by_case)
        else:
            self.margins = _Tables(joint, self.datasets, prior, prevalence, bool(force))
        # By name, so that the order of the entities changes nothing.
        self.order = np.argsort([repr(name) for name in joint["entity"].values.tolist()], kind="stable")
        self.processes = [self._process(i) for i in range(max(len(self.datasets), 1))]
        self.settings: dict[str, Any] = {
            **self.margins.settings,
            "paired": 1,
            "remainder": max(process.rest for process in self.processes),
            **({"target": target or TARGETS[0]} if clustered else {}),
            **_note(self.processes, clustered, self.margins.fewest),
        }

    def observed(self) -> dict[str, xr.Dataset]:
        """What was observed of each entity, the joint patterns, and the prior that was used."""
        held = self.joint.reset_coords()
        names = [name for name in (*VARIABLES, "dataset", "cluster") if name in held and "pattern" in held[name].dims]
        named = held[names].rename({name: f"pattern_{name}" for name in names})
        own = self.margins.observed(self.by_case)
        return {"observed_data": xr.merge([own, named]), "constant_data": self.margins.prior.to_dataset()}

    def coords(self) -> dict[str, Any]:
        """Coords of the draws."""
        return self.margins.coords()

    def build(self) -> Any:
        """There is no PyMC model: a Dirichlet process is drawn exactly."""
        raise ValueError("sampler must be 'auto' or 'exact' for the model Paired; got 'nuts'")

    def performances(self, sampled: xr.Dataset, root: np.random.SeedSequence) -> xr.Dataset:
        """What was drawn is what is wanted."""
        return sampled

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Exact draws of one block: ``performance``, ``prevalence`` where it is sampled, ``rate`` where it is lost.

        Of outcomes ``mean_outcome``, and ``performance`` where they have few values.
        """
        if group == "prior" and float(self.margins.prior.min()) <= 0:
            raise ValueError("groups cannot hold 'prior' where the prior is improper; got a concentration of 0")
        tables = [self._draw(i, group, block, root) for i in range(len(self.processes))]
        return self.margins.variables(np.stack(tables, axis=2), block)

    def _draw(self, i: int, group: str, block: Block, root: np.random.SeedSequence) -> np.ndarray:
        """Sums on one data set, not normalised: (draw, entity, class, feature)."""
        process = self.processes[i]
        dataset = self.datasets[i] if self.datasets else ""
        evidence = fingerprint(process.prior, process.codes, process.unit, process.size, process.count)

        def of(*purpose: Any) -> np.random.Generator:
            return stream(root, group, "paired", *purpose, dataset, evidence, *block.key)

        names = self.joint["entity"].values[self.order].tolist()
        draw = process.unseen if group == "prior" else process.draw
        return draw(of, names, block.size)[:, np.argsort(self.order)]

    def _process(self, i: int) -> Process:
        here = self.joint["dataset"].values == self.datasets[i] if self.datasets else slice(None)
        joint = self.joint.isel(pattern=here)
        codes = self.margins.codes[here][:, [0, *(1 + self.order)]]
        cluster = pd.factorize(joint["cluster"].values)[0] if "cluster" in joint.coords else None
        units = gather(codes, joint["count"].values, cluster, self.by_case)
        return Process(self.margins.alpha[self.order, i], *units, self.margins.features)


class _Tables:
    """Classes and answers of the same labels: a confusion matrix of each entity."""

    def __init__(self, joint: xr.Dataset, datasets: list, prior: Any, prevalence: Any, force: bool) -> None:
        self.codes = _positions(
            np.column_stack([joint["actual"].values, joint["predicted"].values]), joint["label"].values.tolist()
        )
        self.counts = _counts(joint, self.codes, datasets)
        self.prior = concentration(self.counts, prior)
        self.totals = known_totals(self.counts, "sampled" if prevalence is None else prevalence)
        if not force:
            check_proper(self.counts, self.prior)
            check_observed(self.counts, self.totals)
        _check_row_totals(self.prior)
        self.alpha = self.prior.values.reshape(joint.sizes["entity"], max(len(datasets), 1), *self.prior.shape[-2:])
        self.features = np.eye(joint.sizes["label"])
        self.test_set = _test_sets(self.counts.isel(actual=0, predicted=0, drop=True))
        self.settings = {"prior": in_words(prior, DEFAULT), "prevalence": in_words(prevalence, "sampled")}

    def observed(self, by_case: bool) -> xr.Dataset:
        # Where clusters weigh the same, counts of cases are not what was observed of the target.
        counts = self.counts.assign_coords(test_set=self.test_set).rename("counts").to_dataset()
        return counts if by_case else counts.drop_vars("counts")

    def coords(self) -> dict[str, Any]:
        found: dict[str, Any] = {str(name): coord for name, coord in self.counts.coords.items()}
        names = list(dict.fromkeys(self.test_set.values.ravel().tolist()))
        return found | ({} if self.totals is not None else {"test_set": names})

    @property
    def fewest(self) -> int | None:
        """Cases of the smallest class that has some, where each class is a process of its own."""
        cases = self.counts.sum("predicted").values
        return None if self.totals is None else int(cases[cases > 0].min(initial=np.iinfo(int).max))

    def variables(self, table: np.ndarray, block: Block) -> dict[str, xr.Variable]:
        dims = ("draw", *map(str, self.counts.dims))
        shape = (block.size, *self.counts.shape)
        with np.errstate(invalid="ignore"):  # a rate of which nothing is known
            if self.totals is None:
                table /= table.sum((-2, -1), keepdims=True)
                share = xr.Variable(("draw", "test_set", "actual"), table[:, 0].sum(-1))
                return {"performance": xr.Variable(dims, table.reshape(shape)), "prevalence": share}
            rows = (table / table.sum(-1, keepdims=True)).reshape(shape)
        shares = Conjugate(self.prior, self.prior, self.totals, self.test_set, self.test_set).known_shares(block)
        lost = {"rate": xr.Variable(dims, rows)} if (shares == 0).any() else {}
        return {"performance": xr.Variable(dims, rows * shares[..., None])} | lost


class _Outcomes:
    """Answers that are numbers, of cases of one class: a mean of each entity, and probabilities of a few values."""

    def __init__(self, joint: xr.Dataset, datasets: list, prior: Any, prevalence: Any, by_case: bool) -> None:
        if prevalence is not None:
            raise ValueError(f"prevalence must be None for outcomes, which have no classes; got {prevalence!r}")
        outcome = joint["outcome"].values
        seen = np.unique(outcome)
        right_wrong = bool(np.isin(seen, [0, 1]).all())
        self.values = np.array([0, 1]) if right_wrong else seen
        self.few = self.values.size <= VALUES
        self.codes = np.insert(np.searchsorted(self.values, outcome), 0, 0, axis=1)
        default = DEFAULT if right_wrong else "haldane"
        each = _of_values(default if prior is None else prior, self.values.size)
        if each.any() and not self.few:
            raise ValueError(f"prior must be 'haldane' for outcomes of more than {VALUES} values; got {prior!r}")
        names = {"entity": joint["entity"].values} | ({"dataset": name_coord(datasets)} if datasets else {})
        self.dims = ("draw", *names)
        self.mean = xr.DataArray(
            _mean_outcome(joint, datasets, by_case).reshape([len(held) for held in names.values()]),
            names,
            list(names),
            name="mean_outcome",
        )
        none = xr.zeros_like(self.mean).rename("prior_concentration")
        few = none + xr.DataArray(each, {"outcome": self.values}, ["outcome"])
        self.prior = few.rename("prior_concentration") if self.few else none
        self.alpha = self.prior.values.reshape(joint.sizes["entity"], max(len(datasets), 1), 1, -1)
        # Of many values the mean is summed itself, beside the weights.
        many = np.column_stack([np.ones(self.values.size), self.values])
        self.features = np.eye(self.values.size) if self.few else many
        self.fewest = None
        self.settings = {
            "prior": in_words(prior, default),
            "mean_outcome_range": [float(self.values[0]), float(self.values[-1])],
        }

    def observed(self, by_case: bool) -> xr.Dataset:
        return self.mean.to_dataset()

    def coords(self) -> dict[str, Any]:
        return {str(name): coord for name, coord in self.prior.coords.items()}

    def variables(self, table: np.ndarray, block: Block) -> dict[str, xr.Variable]:
        sums = table.reshape(block.size, *self.mean.shape, -1)
        if not self.few:
            return {"mean_outcome": xr.Variable(self.dims, sums[..., 1] / sums[..., 0])}
        sums /= sums.sum(-1, keepdims=True)
        mean = xr.Variable(self.dims, sums @ self.values)
        return {"performance": xr.Variable((*self.dims, "outcome"), sums), "mean_outcome": mean}


def _checked(evidence: Any) -> xr.Dataset:
    """Joint outcomes as every function expects them, each pattern at least once."""
    if not isinstance(evidence, xr.Dataset):
        raise TypeError(
            "evidence must be a Dataset of joint outcomes, as made by br.joint_outcomes or br.from_outcomes, for the "
            f"model Paired: counts of each entity do not tell which errors coincide; got {held_words(evidence)}"
        )
    own = ["outcome"] if "outcome" in evidence else ["actual", "predicted", "label"]
    wanted = [*own, "count", "entity"]
    missing = [name for name in wanted if name not in evidence.variables]
    if missing:
        raise ValueError(f"evidence must hold {', '.join(wanted)}; got none of {missing}")
    for name in wanted[:-1]:
        if set(evidence[name].dims) != VARIABLES[name]:
            raise ValueError(
                f"evidence must have the dims {sorted(VARIABLES[name])} for {name}; got {evidence[name].dims}"
            )
    joint = evidence.transpose("pattern", "entity", ...)
    unique_names("entity", joint["entity"].values.tolist())
    count = whole_numbers("count", joint["count"].values)
    if not (count > 0).any():
        raise ValueError("evidence must hold at least one case; got none")
    joint = joint.assign(count=("pattern", count)).isel(pattern=count > 0)
    if "outcome" in joint and not (joint["outcome"].dtype.kind in "iuf" and np.isfinite(joint["outcome"]).all()):
        raise ValueError("outcome must hold finite numbers; got others")
    if {"cluster", "dataset"} <= set(joint.coords):
        nested(joint["cluster"].values.tolist(), joint["dataset"].values.tolist())
    return joint


def _positions(values: np.ndarray, labels: list) -> np.ndarray:
    """Labels as positions among all of them."""
    place = {label: i for i, label in enumerate(labels)}
    which, seen = pd.factorize(values.ravel())
    unknown = [label for label in seen.tolist() if label not in place]
    if unknown:
        raise ValueError(f"actual and predicted must hold labels among {labels}; got {unknown[0]!r}")
    return np.array([place[label] for label in seen.tolist()])[which].reshape(values.shape)


def _rows(joint: xr.Dataset, datasets: list) -> np.ndarray:
    """Which data set each pattern belongs to."""
    return _positions(joint["dataset"].values, datasets) if datasets else np.zeros(joint.sizes["pattern"], int)


def _counts(joint: xr.Dataset, codes: np.ndarray, datasets: list) -> xr.DataArray:
    """The counts of each entity."""
    entities, classes = joint["entity"].values.tolist(), joint["label"].values.tolist()
    rows = _rows(joint, datasets)
    tables = np.zeros((len(entities), max(len(datasets), 1), len(classes), len(classes)), np.int64)
    for table, predicted in zip(tables, codes[:, 1:].T, strict=True):
        np.add.at(table, (rows, codes[:, 0], predicted), joint["count"].values)
    if not datasets:
        return arrange(tables[:, 0], entities, None, classes)
    pairs = [(entity, dataset) for entity in entities for dataset in datasets]
    return arrange(
        tables.reshape(-1, len(classes), len(classes)), [e for e, _ in pairs], [d for _, d in pairs], classes
    )


def _mean_outcome(joint: xr.Dataset, datasets: list, by_case: bool) -> np.ndarray:
    """The observed means (entity, data set), of cases or of clusters' means."""
    weight = joint["count"].values.astype(float)
    if not by_case:
        cluster = pd.factorize(joint["cluster"].values)[0]
        weight /= np.bincount(cluster, weight)[cluster]
    rows = _rows(joint, datasets)
    sums = [np.bincount(rows, weight * outcome) for outcome in joint["outcome"].values.T]
    return np.stack(sums) / np.bincount(rows, weight)


def _of_values(prior: Any, size: int) -> np.ndarray:
    """Concentrations of the values of an outcome."""
    if isinstance(prior, str):
        if prior not in (DEFAULT, *FLAT):
            raise ValueError(f"prior must be a number, an array or one of {[DEFAULT, *FLAT]}; got {prior!r}")
        prior = FLAT.get(prior, 4 / size)
    try:
        each = np.asarray(prior, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"prior must be a number, a name or an array; got {held_words(prior)}") from None
    if isinstance(prior, bool) or each.shape not in ((), (size,)):
        raise ValueError(f"prior must be one number or one for each of the {size} values; got {prior!r}")
    if not ((each >= 0) & (each < np.inf)).all():
        raise ValueError(f"prior must hold non-negative finite concentrations; got {prior!r}")
    return np.broadcast_to(each, (size,))


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


def _test_sets(like: xr.DataArray) -> xr.DataArray:
    """All entities met the same cases: those of each data set, or of all."""
    names = np.array([f"test set {i + 1}" for i in range(like.sizes.get("dataset", 1))])
    values = np.broadcast_to(names if "dataset" in like.dims else names[0], like.shape).copy()
    plain = like.drop_vars("measured", errors="ignore")
    return xr.DataArray(values, plain.coords, plain.dims, "test_set", {"named": 1})


def _note(processes: list[Process], clustered: bool, fewest: int | None) -> dict[str, str]:
    """What a reader must know of few units: their weights alone do not tell what else there might be.

    ``fewest`` is the number of cases of the smallest class, where each class has a process of its own.
    """
    units = [int(process.count.sum()) for process in processes]
    fewest = min([*units, *([] if fewest is None or clustered else [fewest])])
    # A prior worth less than a case is none.
    if fewest >= FEW or not (clustered or any(process.prior[0].sum() < 1 for process in processes)):
        return {}
    what = "clusters" if clustered else "cases" + " of a class" * (fewest < min(units)) + ", and no prior to speak of"
    where = " on one of the data sets" if len(processes) > 1 else ""
    return {"note": f"Only {fewest} {what}{where}: intervals from fewer than some {FEW} are too narrow."}
