"""Votes with their voters, questions and style: what a table of votes holds beside its totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import betaincinv

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import factorize, name_coord
from bayesrank._core.notes import Note

#: The roles of columns whose values share a taste: voters, and questions.
UNITS = ("cluster", "case")
#: The coord with the category of each battle.
STRATUM = "stratum"
#: The voter of a vote of judges alone, which stands for a voter of its own for each vote.
ABSENT = ""
#: What sentences call one such unit.
NOUNS = {"cluster": "voter", "case": "question"}


@dataclass(frozen=True)
class Ballots:
    """Votes on pairs (vote): the entity with the smaller code comes first."""

    first: np.ndarray
    second: np.ndarray
    turned: np.ndarray  #: Whether the table named the two in the other order.
    result: np.ndarray  #: 0 for the first, 1 for the second, 2 for a tie.
    number: np.ndarray  #: How many votes a row stands for.
    units: dict[
        str, np.ndarray
    ]  #: Codes of the voter ("cluster"), of the question ("case"), and of the category.
    names: dict[str, list[Any]]  #: The names of these codes, and those of categories.
    covariates: dict[str, np.ndarray]  #: First minus second.

    @classmethod
    def of(
        cls,
        first: np.ndarray,
        second: np.ndarray,
        sides: np.ndarray,
        number: np.ndarray,
        units: Mapping[str, list[Any]],
        covariates: Mapping[str, np.ndarray],
    ) -> "Ballots":
        """Return the votes of rows whose entities stand in the order of the table."""
        turned = first > second
        result = np.where(turned & (sides < 2), 1 - sides, sides)
        codes = {role: factorize(column) for role, column in units.items()}
        return cls(
            np.minimum(first, second),
            np.maximum(first, second),
            turned,
            result,
            number.astype(float),
            {role: np.asarray(code) for role, (code, _) in codes.items()},
            {role: list(names) for role, (_, names) in codes.items()},
            {name: np.where(turned, -held, held) for name, held in covariates.items()},
        )

    def where(self, kept: np.ndarray) -> "Ballots":
        """Return the votes of some rows."""
        names = ("first", "second", "turned", "result", "number")
        arrays = {name: getattr(self, name)[kept] for name in names}
        units = {role: code[kept] for role, code in self.units.items()}
        covariates = {name: held[kept] for name, held in self.covariates.items()}
        return replace(self, **arrays, units=units, covariates=covariates)

    def _group(self, *columns: np.ndarray) -> np.ndarray:
        """Return codes of the rows with equal pairs and equal values of further columns."""
        code = pd.factorize(
            self.first.astype(np.int64) * (int(self.second.max()) + 1) + self.second
        )[0]
        for column in columns:
            values = pd.factorize(column)[0]
            code = pd.factorize(code.astype(np.int64) * (int(values.max()) + 1) + values)[0]
        return code

    def merge_orders(self) -> tuple[np.ndarray, list[Note]]:
        """Return the number of votes of each row if both orders of a battle are one vote, and a note on the order.

        A battle is a pair on one question, by one voter if voters are known.
        """
        if "case" not in self.units:
            return self.number, []
        battle = self._group(*self.units.values())
        size = int(battle.max()) + 1
        straight, turned = (
            np.bincount(battle, self.number * here, size) for here in (~self.turned, self.turned)
        )
        both = np.minimum(straight, turned)
        if not both.any():
            return self.number, []
        total = straight + turned
        share = np.divide(total - both, total, out=np.ones(size), where=total > 0)
        both_seen = both[battle] > 0
        shown_first = (
            self.result == self.turned
        )  # the vote is for the entity that the table names first
        decided = both_seen & (self.result < 2)
        ahead, number = self.number[decided & shown_first].sum(), self.number[decided].sum()
        low, high = (betaincinv(ahead + 0.5, number - ahead + 0.5, q) for q in (0.025, 0.975))
        fields = {"battles": int(both.sum()), "decided": int(number), "first": int(ahead)}
        return self.number * share[battle], [
            Note("orders_merged", fields | {"lower": float(low), "upper": float(high)})
        ]

    def to_variables(self, entities: list[Any], number: np.ndarray) -> dict[str, Any]:
        """Return variables and coords of the battles: rows with the same pair, units and covariates."""
        battle = self._group(*self.units.values(), *self.covariates.values())
        size = int(battle.max()) + 1
        where = np.zeros(size, np.int64)
        where[battle[::-1]] = np.arange(len(battle))[::-1]  # the first row of each battle
        results = np.zeros((size, 3))
        np.add.at(results, (battle, self.result), number)
        names = name_coord(entities)
        sides = np.stack([self.first[where], self.second[where]], axis=1)
        result: dict[str, Any] = {
            "side": (("battle", "place"), names[sides]),
            "results": (("battle", "result"), results),
        }
        for role, code in self.units.items():
            result[role] = ("battle", np.asarray(name_coord(self.names[role]))[code[where]])
        for name, held in self.covariates.items():
            result[f"covariate_{name}"] = ("battle", held[where])
        return result


def read_covariates(
    columns: Mapping[Any, list[Any]], where: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return numbers of votes, such as differences in length, by the name of their column."""
    result = {}
    for name, column in columns.items():
        numbers = pd.to_numeric(pd.Series(column, dtype=object), errors="coerce").to_numpy(float)
        if not np.isfinite(numbers).all():
            i = int((~np.isfinite(numbers)).argmax())
            raise ArgumentError(
                f"{where[i]}: {name}",
                "must be a number, the value of the first entity minus that of the second",
                f"{column[i]!r}",
            )
        if not numbers.any():
            raise ArgumentError(
                str(name), "must differ from 0 in some row to be a covariate", "0 in all rows"
            )
        result[str(name)] = numbers
    return result


def covariates_of(evidence: xr.Dataset) -> list[str]:
    """Return the names of the covariates of votes."""
    return [
        str(name).removeprefix("covariate_")
        for name in evidence.variables
        if str(name).startswith("covariate_")
    ]


def votes_of_category(evidence: xr.Dataset, name: Any) -> xr.Dataset:
    """Return the votes of one category, on the entities that have votes there."""
    retained = evidence.isel(battle=np.flatnonzero(evidence[STRATUM].values == name)).drop_vars(
        STRATUM
    )
    side, results = retained["side"].values, results_of(retained).values
    code, names = factorize(side.ravel())
    first, second = code.reshape(-1, 2).T
    wins, ties = np.zeros((2, len(names), len(names)))
    np.add.at(wins, (first, second), results[:, 0])
    np.add.at(wins, (second, first), results[:, 1])
    np.add.at(ties, (first, second), results[:, 2])
    ties += ties.T
    cases = np.rint(np.bincount(code, np.repeat(results.sum(axis=1), 2), len(names)))
    variables = {
        "wins": (("entity", "rival"), wins),
        "ties": (("entity", "rival"), ties),
        "cases": ("entity", cases.astype(np.int64)),
    }
    if "judge_vote" in evidence:
        variables["labels"] = ("entity", (wins + wins.T + ties).sum(axis=1))
    rest = retained.drop_vars([*variables, "entity", "rival"], errors="ignore").drop_attrs()
    return xr.Dataset(variables, {"entity": name_coord(names), "rival": name_coord(names)}).merge(
        rest
    )


def results_of(evidence: xr.Dataset) -> xr.DataArray:
    """Return the votes of each battle for the first, the second, ties and, beside judges, not cast (battle, result)."""
    name = "human_votes" if "human_votes" in evidence else "results"
    return evidence[name].transpose("battle", "result")
