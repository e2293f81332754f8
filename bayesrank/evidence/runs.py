"""Rows of outcomes, and the outcomes of cases as means over their runs."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import factorize
from bayesrank.evidence.attempts import describe_answers
from bayesrank.evidence.patterns import keep_rows
from bayesrank.evidence.training import SeedMeans, means_of_seeds
from bayesrank.evidence.weighting import Numbers


@dataclass(frozen=True)
class OutcomeRows:
    """Rows of cases, or of runs of cases."""

    outcomes: pd.DataFrame
    values: np.ndarray  #: (row, entity), NaN if missing
    costs: np.ndarray  #: (row, entity), or without columns
    answers: np.ndarray  #: (row, entity), codes of texts, or without columns
    numbers: Numbers
    groups: dict[str, list]

    def keep(self, rows: np.ndarray) -> "OutcomeRows":
        """Return some rows, by a mask."""
        return OutcomeRows(
            self.outcomes[rows],
            self.values[rows],
            self.costs[rows],
            self.answers[rows],
            self.numbers.keep(rows),
            keep_rows(self.groups, rows),
        )


@dataclass(frozen=True)
class CaseOutcomes:
    """The outcomes of cases; those with runs are means, with the number of runs where each is right or wrong."""

    values: np.ndarray  #: (case, entity), NaN if missing
    costs: np.ndarray  #: (case, entity), then those of ``cost_names``
    numbers: Numbers
    groups: dict[str, list]
    runs: np.ndarray | None = None  #: (case, entity)
    #: Texts with the number of runs that gave each answer (case, entity), or without columns.
    answers: np.ndarray = field(default_factory=lambda: np.empty((0, 0), str))
    #: Further costs: of the right and of the wrong runs.
    cost_names: tuple[str, ...] = ()
    #: Variables of the cases with right and wrong runs, and their names.
    flickering: dict[str, Any] = field(default_factory=dict)
    flickering_cases: list[str] = field(default_factory=list)
    #: Attrs on the number of runs.
    record: dict[str, Any] = field(default_factory=dict)


def are_right_or_wrong(values: np.ndarray) -> bool:
    """Return whether all outcomes that are not missing are 0 or 1."""
    return bool((np.isin(values, [0, 1]) | np.isnan(values)).all())


def average_runs_of_seeds(rows: OutcomeRows) -> OutcomeRows:
    """Return one row for each case and training seed: the mean over its runs."""
    _refuse_empty(rows.values)
    pairs = list(zip(rows.groups["case"], rows.groups["training_seed"], strict=True))
    numbers = _numbers_of_cases(rows.numbers, pairs)
    means, groups, _ = _means(np.hstack([rows.values, rows.costs]), rows.groups | {"case": pairs})
    values, costs = np.split(means, [rows.values.shape[1]], axis=1)
    groups["case"] = [name for name, _ in groups["case"]]
    return replace(rows, values=values, costs=costs, numbers=numbers, groups=groups)


def average_cases(rows: OutcomeRows) -> SeedMeans:
    """Return the means over cases of each training seed, or of each run."""
    _refuse_empty(rows.values)
    groups = rows.groups
    levels = groups["training_seed"] if "training_seed" in groups else groups.get("run", [])
    return means_of_seeds(
        rows.values, groups["case"], levels, rows.numbers.weight, groups.get("cluster")
    )


def average_runs(rows: OutcomeRows, right_or_wrong: bool, seeded: bool) -> CaseOutcomes:
    """Return the outcomes of cases as means over their runs, or over training seeds."""
    values, costs, case = rows.values, rows.costs, rows.groups["case"]
    groups = {name: labels for name, labels in rows.groups.items() if name != "training_seed"}
    numbers = _numbers_of_cases(rows.numbers, case)
    counts_right = right_or_wrong and not seeded
    cost_names: tuple[str, ...] = ()
    if counts_right and costs.shape[1]:  # right and wrong runs may cost differently
        cost_names = ("cost_right", "cost_wrong")
        costs = np.hstack([costs, *(np.where(values == end, costs, np.nan) for end in (1, 0))])
    answers = np.empty((0, 0), str)
    if rows.answers.shape[1]:
        answers = _answers_by_case(rows.answers, values, case)
    size = values.shape[1]
    means, groups, made = _means(np.hstack([values, costs]), groups)
    values, costs = np.split(means, [size], axis=1)
    made = made[:, :size]
    flickering, names = _flickering(values, made, groups) if counts_right else ({}, [])
    record = {
        "fewest_runs": int(made[made > 0].min()),
        "most_runs": int(made.max()),
        "right_or_wrong_runs": int(right_or_wrong),
    }
    return CaseOutcomes(
        values,
        costs,
        numbers,
        groups,
        runs=made if counts_right else None,
        answers=answers,
        cost_names=cost_names,
        flickering=flickering,
        flickering_cases=names,
        record=record,
    )


def _refuse_empty(values: np.ndarray) -> None:
    if np.isnan(values).all():
        raise ArgumentError("frame", "must have the outcome of at least one case", "none")


def _numbers_of_cases(numbers: Numbers, cases: list) -> Numbers:
    """Return the numbers of cases from those of their runs, whose weights must agree."""
    which, names = factorize(cases)
    first = np.unique(which, return_index=True)[1]
    if numbers.weight is not None:
        differ = np.flatnonzero(numbers.weight != numbers.weight[first[which]])
        if differ.size:
            raise ArgumentError(
                "weight",
                "must be the same for all runs of a case",
                f"several for {names[which[differ[0]]]!r}",
            )
    return numbers.keep(first)


def _answers_by_case(answers: np.ndarray, values: np.ndarray, case: list) -> np.ndarray:
    """Return how often each answer was given, as text (case, entity)."""
    which = factorize(case)[0]
    order = np.argsort(which, kind="stable")
    starts = np.flatnonzero(np.diff(which[order], prepend=-1))
    counted = []
    for rows in np.split(order, starts[1:]):
        own, right = answers[rows], values[rows]
        retained = ~np.isnan(right)
        counted.append(
            [
                describe_answers(a[k], r[k])
                for a, r, k in zip(own.T, right.T, retained.T, strict=True)
            ]
        )
    return np.array(counted)


def _flickering(
    values: np.ndarray, made: np.ndarray, groups: dict[str, list]
) -> tuple[dict[str, Any], list[str]]:
    """Return right runs and all runs of the cases with right and wrong runs of an entity, and the names of these."""
    right = np.round(np.nan_to_num(values) * made).astype(int)
    some = ((right > 0) & (right < made)).any(axis=1)
    dims = ("flickering_case", "entity")
    variables = {"flickering_right": (dims, right[some]), "flickering_runs": (dims, made[some])}
    names = [str(name) for name, retained in zip(groups["case"], some, strict=True) if retained]
    return (variables, names) if names else ({}, names)


def _means(
    values: np.ndarray, groups: dict[str, list]
) -> tuple[np.ndarray, dict[str, list], np.ndarray]:
    """Return the mean outcome of each case over its available runs, its groups, and these runs (case, column)."""
    which, names = factorize(groups["case"])
    first = np.unique(which, return_index=True)[1]
    clusters = groups.get("cluster", groups["case"])
    for name, i in zip(clusters, which, strict=True):
        if name != clusters[first[i]]:
            raise ArgumentError(
                "cluster",
                "must be the same for all runs of a case",
                f"{clusters[first[i]]!r} and {name!r} for {names[i]!r}",
            )
    means = np.empty((first.size, values.shape[1]))
    with np.errstate(invalid="ignore"):
        for mean, column in zip(means.T, values.T, strict=True):
            order = np.argsort(
                column, kind="stable"
            )  # makes sums independent of the order of the rows
            order = order[~np.isnan(column[order])]
            mean[:] = np.bincount(which[order], column[order], first.size) / np.bincount(
                which[order], None, first.size
            )
    retained = {group: [held[i] for i in first] for group, held in groups.items() if group != "run"}
    made = np.column_stack(
        [np.bincount(which, ~np.isnan(column), first.size) for column in values.T]
    )
    return means, retained, made.astype(int)
