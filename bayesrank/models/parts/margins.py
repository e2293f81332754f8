"""Marginal parts of the paired model: counts or mean of each entity, its prior, and the variables of its draws."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_numbers, check_weights, describe_value
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.labels import name_coord
from bayesrank._core.random import Block
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.counts import class_dims, count_weighted, mark_classes_as
from bayesrank.evidence.outcomes import check_range
from bayesrank.evidence.weighting import BALANCED, UNIT_WEIGHT, WEIGHTED
from bayesrank.models.dirichlet_multinomial import DirichletMultinomial
from bayesrank.models.parts.conjugate import known_shares, loses_rows
from bayesrank.models.parts.joint import check_one_value, mean_outcome, positions
from bayesrank.models.parts.priors import DEFAULT, in_words, of_shape

#: Maximum number of values that have a probability each; with more values only the mean is drawn.
VALUES = 20
#: Prior cases at each end of a declared range; Beta(1/2, 1/2) for right and wrong.
END = 0.5
#: Maximum number of runs that is inferred from outcomes: costs and seconds may be multiples of
#: smaller steps.
RUNS = 10


class TableMargins(DirichletMultinomial):
    """A confusion matrix of each entity: classes and answers with the same labels."""

    centre: float | None = None

    def __init__(self, joint: xr.Dataset, datasets: list, **options: Any) -> None:
        names, classes = (joint[name].values.tolist() for name in ("entity", "label"))
        self.codes = positions(
            np.column_stack([joint["actual"].values, joint["predicted"].values]), classes
        )
        columns, where = (
            [self.codes[:, :1], self.codes[:, 1:]],
            joint["dataset"].values.tolist() if datasets else None,
        )
        weight = joint[UNIT_WEIGHT].values if UNIT_WEIGHT in joint.coords else None
        counts = count_weighted(
            columns, joint["count"].values, weight, names, where, class_dims(classes)
        )
        counts = counts.assign_attrs(
            {name: 1 for name in (WEIGHTED, BALANCED) if name in joint.attrs}
        )
        sets = [f"test set {i + 1}" for i in range(max(len(datasets), 1))]
        counts = counts.assign_coords(
            test_set=("dataset", sets) if datasets else ("entity", sets * len(names))
        )
        own = {
            name: columns
            for name, columns in joint.coords.items()
            if columns.dims == ("entity",) and name != "entity"
        }
        super().__init__(mark_classes_as(counts.assign_coords(own), joint), **options)
        check_one_value(
            self.concentration.sum("predicted"), "prior must give every entity the same row totals"
        )
        if self.totals is not None:
            check_one_value(
                self.totals, "prevalence must be the same for all entities", "the class shares "
            )
        self.proper = float(self.concentration.min()) > 0
        self.alpha = self.concentration.values.reshape(len(names), len(sets), *counts.shape[-2:])
        self.features = self.base = np.eye(len(classes))

    @staticmethod
    def check(counts: Any, argument: str = "counts") -> xr.DataArray:
        return counts  # counted here, from checked cases

    @property
    def fewest(self) -> int | None:
        """Return the size of the smallest class with cases, if each class has its own process."""
        cases = self.counts.sum("predicted").values
        return None if self.totals is None else int(cases[cases > 0].min(initial=np.iinfo(int).max))

    def variables(self, table: np.ndarray, block: Block) -> dict[str, xr.Variable]:
        dims = ("draw", *map(str, self.counts.dims))
        shape = (block.size, *self.counts.shape)
        with np.errstate(invalid="ignore"):  # a rate without information
            if self.totals is None:
                table /= table.sum((-2, -1), keepdims=True)
                share = xr.Variable(("draw", "test_set", "actual"), table[:, 0].sum(-1))
                return {"performance": xr.Variable(dims, table.reshape(shape)), "prevalence": share}
            rows = (table / table.sum(-1, keepdims=True)).reshape(shape)
        shares = known_shares(self.totals, self.concentration, block)
        lost = {"rate": xr.Variable(dims, rows)} if loses_rows(self.totals) else {}
        return {"performance": xr.Variable(dims, rows * shares[..., None])} | lost


class OutcomeMargins:
    """Numeric answers to cases of one class: a mean of each entity, and probabilities of a few values."""

    def __init__(
        self,
        joint: xr.Dataset,
        datasets: list,
        prior: Any,
        prevalence: Any,
        split_prior: bool,
        by_case: bool,
        declared: Any,
        base: Any,
    ) -> None:
        if prevalence is not None:
            raise ArgumentError(
                "prevalence", "must be None for outcomes, which have no classes", f"{prevalence!r}"
            )
        outcome = joint["outcome"].values
        missing = np.isnan(outcome)
        if missing.any() and not by_case:
            raise ArgumentError(
                "target",
                "must be 'case' if answers are missing, since the cases of a cluster then differ between entities",
                "'cluster'",
                Advice(
                    *(Typed("missing", "common"), InPython(" of br.from_outcomes")),
                    " keeps the cases that all entities have",
                ),
            )
        observed = np.unique(outcome[~missing])
        declared = EvidenceRecord.of(joint).range if declared is None else declared
        if declared is None and base is None and prior is None and are_shares(observed, joint):
            declared = (0, 1)
        mass, ends, text = _base_measure(observed, prior, declared, base)
        self.values = np.union1d(observed, sorted(mass))
        self.few = self.values.size <= VALUES
        # The code of a missing answer adds nothing to a sum or its weight.
        self.codes = np.insert(np.searchsorted(self.values, outcome), 0, 0, axis=1)
        self.codes[:, 1:][missing] = self.values.size
        names = {"entity": joint["entity"].values} | (
            {"dataset": name_coord(datasets)} if datasets else {}
        )
        self.dims = ("draw", *names)
        shape = [len(held) for held in names.values()]
        means = mean_outcome(joint, datasets, by_case).reshape(shape)
        self.mean = xr.DataArray(means, names, list(names), name="mean_outcome")
        # Of many values, only those with prior mass matter.
        points = self.values if self.few else np.array(sorted(mass), float)
        masses = np.array([mass.get(point, 0.0) for point in points.tolist()])
        masses /= max(len(datasets), 1) if split_prior else 1
        none = xr.zeros_like(self.mean)
        priors = (
            none + xr.DataArray(masses, {"outcome": points}, ["outcome"]) if points.size else none
        )
        self.concentration = priors.rename("prior_concentration")
        self.proper = bool(masses.any())
        self.alpha = self.concentration.values.reshape(
            joint.sizes["entity"], max(len(datasets), 1), 1, -1
        )
        self.base = self._features(points) if points.size else np.zeros((1, 2))
        self.features = np.vstack([self._features(self.values), np.zeros(self.base.shape[1])])
        self.mean_cost = None
        if "cost" in joint:
            self._add_costs(joint["cost"].values)
            means = mean_outcome(joint, datasets, by_case, "cost").reshape(self.mean.shape)
            self.mean_cost = self.mean.copy(data=means).rename("mean_cost")
        self.fewest = None
        between = declared is not None and base is None and not np.isin(observed, ends).all()
        self.centre = sum(ends) / 2 if between else None
        self.settings = {"prior": text, "mean_outcome_range": list(ends)}

    def _features(self, points: np.ndarray) -> np.ndarray:
        """Return the summands of each value: an indicator, or for many values the value and the weight."""
        return np.eye(points.size) if self.few else np.column_stack([np.ones(points.size), points])

    def _add_costs(self, cost: np.ndarray) -> None:
        """Add codes for the cost of each case (pattern, entity), whose features are a weight and the cost."""
        missing = np.isnan(cost)
        amounts = np.unique(cost[~missing])
        codes = np.where(
            missing, self.values.size, self.features.shape[0] + np.searchsorted(amounts, cost)
        )
        self.codes = np.hstack([self.codes, codes])
        self.features, self.base = (
            np.pad(array, [(0, 0), (0, 2)]) for array in (self.features, self.base)
        )
        paid = np.zeros((amounts.size, self.features.shape[1]))
        paid[:, -2:] = np.column_stack([np.ones(amounts.size), amounts])
        self.features = np.vstack([self.features, paid])

    def observed(self) -> dict[str, xr.Dataset]:
        merged = xr.merge([self.mean, *([] if self.mean_cost is None else [self.mean_cost])])
        return {"observed_data": merged, "constant_data": self.concentration.to_dataset()}

    def coords(self) -> dict[str, Any]:
        names = {str(name): coord for name, coord in self.mean.coords.items()}
        return names | ({"outcome": self.values} if self.few else {})

    def variables(self, table: np.ndarray, block: Block) -> dict[str, xr.Variable]:
        size, result = self.mean.sizes["entity"], {}
        if self.mean_cost is not None:
            if table.shape[1] > size:  # the prior has no costs
                cost = table[:, size:].reshape(block.size, *self.mean.shape, -1)
                with np.errstate(invalid="ignore"):
                    result["mean_cost"] = xr.Variable(self.dims, cost[..., -1] / cost[..., -2])
            table = table[:, :size, ..., :-2]
        sums = table.reshape(block.size, *self.mean.shape, -1)
        sums[:, self.mean.isnull().values] = np.nan  # no cases of an entity on a data set
        if not self.few:
            return {"mean_outcome": xr.Variable(self.dims, sums[..., 1] / sums[..., 0])} | result
        sums /= sums.sum(-1, keepdims=True)
        mean = xr.Variable(self.dims, sums @ self.values)
        return {
            "performance": xr.Variable((*self.dims, "outcome"), sums),
            "mean_outcome": mean,
        } | result


def are_shares(outcomes: np.ndarray, evidence: xr.Dataset) -> bool:
    """Return whether outcomes, not all 0 or 1, are means over runs that are right or wrong.

    The attr ``right_or_wrong_runs`` decides; without it, whether each is k/m for some m up to 10.
    The number of runs m may differ between outcomes, since some runs of a case may have failed.
    """
    if np.isin(outcomes, [0, 1]).all() or outcomes.min() < 0 or outcomes.max() > 1:
        return False
    record = EvidenceRecord.of(evidence)
    if record.fewest_runs is not None:
        return record.right_or_wrong_runs
    right = outcomes[:, None] * np.arange(2, RUNS + 1)
    return bool((np.abs(right - np.round(right)).min(axis=1) < 1e-9).all())


def _measure_of_values(
    outcomes: np.ndarray, prior: Any
) -> tuple[dict[float, float], tuple[float, float], str]:
    """Return the prior mass of each observed value, their bounds, and the prior's name."""
    right_wrong = bool(np.isin(outcomes, [0, 1]).all())
    values = np.array([0, 1]) if right_wrong else outcomes
    default = DEFAULT if right_wrong else "haldane"
    masses = of_shape(default if prior is None else prior, (values.size,))
    if masses.any() and values.size > VALUES:
        raise ArgumentError(
            "prior",
            f"must be 'haldane' for outcomes of more than {VALUES} values (range= declares their range, "
            "base= a base measure)",
            f"{prior!r}",
        )
    few = values.size <= VALUES
    mass = dict(zip(values.tolist(), masses.tolist(), strict=True)) if few else {}
    return mass, (float(values[0]), float(values[-1])), in_words(prior, default)


def _check_base(base: Any, prior: Any) -> dict[float, float]:
    """Return the mass of each value of a base measure, which takes the place of a prior."""
    if prior is not None:
        raise ArgumentError(
            "prior", "must be None with base, which gives the mass of each value", f"{prior!r}"
        )
    if not isinstance(base, Mapping):
        requirement = "a mapping from values to the cases that they count as"
        raise ArgumentTypeError("base", f"must be {requirement}", describe_value(base))
    values = np.asarray(check_numbers("base", list(base)))
    if not np.isfinite(values).all():
        raise ArgumentError("base", "must name finite values", list(base))
    masses = check_weights("base", list(base.values()))
    return dict(zip(values.tolist(), masses.tolist(), strict=True))


def _base_measure(
    outcomes: np.ndarray, prior: Any, declared: Any, base: Any
) -> tuple[dict[float, float], tuple[float, float], str]:
    """Return the prior mass of each value, the bounds of outcomes, and the prior's name, from the user's options."""
    if declared is None and base is None:
        return _measure_of_values(outcomes, prior)
    ends = None if declared is None else check_range(declared)
    named = prior if prior is None or isinstance(prior, str) else ""
    if base is not None:
        mass, text = _check_base(base, prior), "given as a base measure"
    elif named == "haldane":
        mass, _, text = _measure_of_values(outcomes, prior)
    elif ends is not None and named in (None, DEFAULT):
        mass, text = dict.fromkeys(ends, END), DEFAULT
    else:
        raise ArgumentError(
            "prior",
            f"must be None, {DEFAULT!r} or 'haldane' with range (base= gives masses of values)",
            f"{prior!r}",
        )
    points_all = np.union1d(outcomes, sorted(mass))
    if (
        ends is not None
        and (outside := points_all[(points_all < ends[0]) | (points_all > ends[1])]).size
    ):
        raise ArgumentError(
            "range",
            "must contain every outcome, and every value of base",
            f"{ends} and {outside[0]:g}",
        )
    return mass, ends or (float(points_all[0]), float(points_all[-1])), text
