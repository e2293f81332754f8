"""Joint outcomes for the paired model: checks, observed counts and means, and notes."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import check_case_numbers, check_nested, check_unique, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.notes import Note
from bayesrank.evidence.weighting import WEIGHTED
from bayesrank.models.parts.dirichlet_process import Process

#: Number of units below which bootstrap intervals are too narrow (95% covered 0.85 at 19 cases of a
#: rate of 0.1).
FEW = 50
#: Number of units below which a note reports the influence of the prior, as for rankings of counts.
FEW_WITH_PRIOR = 10
VARIABLES = {
    "actual": {"pattern"},
    "predicted": {"pattern", "entity"},
    "outcome": {"pattern", "entity"},
    "count": {"pattern"},
    "label": {"label"},
}


def check_joint(evidence: Any) -> xr.Dataset:
    """Validate joint outcomes and drop patterns without cases."""
    if not isinstance(evidence, xr.Dataset):
        raise ArgumentTypeError(
            "evidence",
            "must be a Dataset of joint outcomes, as made by br.joint_outcomes or br.from_outcomes, for the "
            "model Paired: counts of each entity do not show which errors coincide",
            describe_value(evidence),
        )
    own = ["outcome"] if "outcome" in evidence else ["actual", "predicted", "label"]
    requested = [*own, "count", "entity"]
    missing = [name for name in requested if name not in evidence.variables]
    if missing:
        raise ArgumentError(
            "evidence", f"must contain {', '.join(requested)}", f"none of {missing}"
        )
    for name in requested[:-1]:
        if set(evidence[name].dims) != VARIABLES[name]:
            raise ArgumentError(
                "evidence",
                f"must have the dims {sorted(VARIABLES[name])} for {name}",
                evidence[name].dims,
            )
    joint = evidence.transpose("pattern", "entity", ...)
    check_unique("entity", joint["entity"].values.tolist())
    count = check_case_numbers("count", joint["count"].values, WEIGHTED in joint.attrs)
    if not (count > 0).any():
        raise ArgumentError("evidence", "must contain at least one case", "none")
    joint = joint.assign(count=("pattern", count)).isel(pattern=count > 0)
    if "outcome" in joint:
        _check_outcomes(joint["outcome"])
    if {"cluster", "dataset"} <= set(joint.coords):
        check_nested(joint["cluster"].values.tolist(), joint["dataset"].values.tolist())
    return joint


def _check_outcomes(outcome: xr.DataArray) -> None:
    """Raise an error unless outcomes are finite numbers, at least one for each entity; NaN is a missing one."""
    if outcome.dtype.kind not in "iuf" or np.isinf(outcome).any():
        raise ArgumentError(
            "outcome",
            "must contain finite numbers, or NaN for a missing outcome",
            "infinite ones",
        )
    if empty := outcome["entity"].values[outcome.isnull().all("pattern").values].tolist():
        raise ArgumentError(
            "outcome", "must contain at least one number for each entity", f"none of {empty}"
        )


def positions(values: np.ndarray, labels: list) -> np.ndarray:
    """Return labels as positions among all labels."""
    position = {label: i for i, label in enumerate(labels)}
    which, distinct = pd.factorize(values.ravel())
    unknown = [label for label in distinct.tolist() if label not in position]
    if unknown:
        raise ArgumentError(
            "actual and predicted", f"must contain labels among {labels}", f"{unknown[0]!r}"
        )
    return np.array([position[label] for label in distinct.tolist()])[which].reshape(values.shape)


def mean_outcome(
    joint: xr.Dataset, datasets: list, by_case: bool, name: str = "outcome"
) -> np.ndarray:
    """Return the observed means (entity, data set) of a variable over cases or clusters' means; NaN without cases."""
    weight = joint["count"].values.astype(float)
    if not by_case:
        cluster = pd.factorize(joint["cluster"].values)[0]
        weight /= np.bincount(cluster, weight)[cluster]
    size = max(len(datasets), 1)
    rows = (
        pd.factorize(joint["dataset"].values)[0]
        if datasets
        else np.zeros(joint.sizes["pattern"], int)
    )
    means = np.empty((joint.sizes["entity"], size))
    with np.errstate(invalid="ignore"):
        for mean, outcome in zip(means, joint[name].values.T, strict=True):
            own = np.where(np.isnan(outcome), 0.0, weight)
            mean[:] = np.bincount(rows, own * np.nan_to_num(outcome), size) / np.bincount(
                rows, own, size
            )
    return means


def check_one_value(values: xr.DataArray, message: str, what: str = "") -> None:
    """Raise an error with this message if values (actual, ...) differ between entities."""
    if "entity" not in values.dims:
        return
    rows, names = values.transpose("entity", ..., "actual").values, values["entity"].values.tolist()
    differ = np.argwhere(~np.isclose(rows, rows[0], rtol=1e-9, atol=0, equal_nan=True))
    if differ.size:
        class_position, *where = differ[0][:-1].tolist()
        raise ArgumentError(
            f"{message}, since they",
            "have the same cases",
            f"{what}{rows[0, *where].tolist()} for {names[0]!r} and "
            f"{rows[class_position, *where].tolist()} for {names[class_position]!r}",
        )


def units_notes(
    processes: list[Process],
    clustered: bool,
    fewest: int | None,
    centre: float | None,
    outcomes: bool,
) -> list[Note]:
    """Return the note on too few units: random weights of so few give intervals that are too narrow.

    ``fewest`` is the size of the smallest class, if each class has its own process; ``centre`` the
    prior mean, if the prior is on the ends of a range; ``outcomes`` whether there are no classes.
    """
    units = [process.fewest for process in processes]
    least = min([*units, *([] if fewest is None or clustered else [fewest])])
    if least >= FEW:
        return []
    mass = min(process.prior[0].sum() for process in processes)
    # A prior of less than one case is negligible.
    one_dataset = len(processes) > 1
    if clustered:
        where = {"one_class": least < min(units), "one_dataset": one_dataset}
        return [Note("few_clusters", {"units": least, **where})]
    if mass < 1:
        return few_units_notes(least, "case", one_class=least < min(units), one_dataset=one_dataset)
    if centre is not None:
        return [
            Note(
                "few_cases_and_prior_of_range",
                {"cases": least, "prior_cases": mass, "centre": centre},
            )
        ]
    # For classes, rankings report those with few cases.
    if not outcomes or least >= FEW_WITH_PRIOR:
        return []
    return [Note("few_cases_and_prior", {"cases": least, "one_dataset": one_dataset})]


def few_units_notes(
    units: int, unit: str, *, one_class: bool = False, one_dataset: bool = False
) -> list[Note]:
    """Return the note on few units (of one class, on one of the data sets) without a prior; none for enough units."""
    if units >= FEW:
        return []
    where = {"one_class": bool(one_class), "one_dataset": one_dataset}
    return [Note("few_units_without_prior", {"units": units, "unit": unit, **where, "enough": FEW})]


def own_cases_notes(joint: xr.Dataset) -> list[Note]:
    """Return the note for entities evaluated on their own cases."""
    lacking = joint["outcome"].isnull()
    if not bool(lacking.any()):
        return []
    cases = int(joint["count"].sum())
    numbers = (joint["count"] * ~lacking).sum("pattern").values.tolist()
    names = joint["entity"].values.tolist()
    # Ties are resolved by name, so that the order of the entities has no effect.
    fewest, _, entity = min(
        zip(numbers, map(repr, names), names, strict=True), key=lambda of: of[:2]
    )
    return [
        Note(
            "own_cases",
            {"fewest": fewest, "most": max(numbers), "total": cases, "entity": str(entity)},
        )
    ]
