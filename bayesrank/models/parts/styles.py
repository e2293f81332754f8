"""Votes on cells: pairs of entities with equal covariates, such as a difference in length."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.labels import factorize
from bayesrank.evidence.ballots import UNITS, covariates_of
from bayesrank.models.parts.pairs import Pairs
from bayesrank.models.parts.voters import SharedVotes


@dataclass(frozen=True)
class Cells:
    """The votes on each cell, and the cell of each battle."""

    pairs: Pairs
    cell: np.ndarray
    results: np.ndarray  #: (battle, result)
    units: dict[str, np.ndarray]  #: Codes of voters and questions (battle).
    scales: dict[str, float]  #: Root mean squares of the covariates, by name.

    @classmethod
    def of(cls, evidence: xr.Dataset, names: list, precision: float) -> "Cells":
        """Return the votes between the entities ``names``, in this order."""
        position = {name: i for i, name in enumerate(names)}
        code, names_of_sides = factorize(evidence["side"].values.ravel())
        side = np.array([position.get(name, -1) for name in names_of_sides])[code].reshape(-1, 2)
        retained = (side >= 0).all(axis=1)
        results = evidence["results"].transpose("battle", "result").values[retained].astype(float)
        side = side[retained]
        turned = side[:, 0] > side[:, 1]
        results = np.where(turned[:, None], results[:, [1, 0, 2]], results)
        first, second = np.sort(side, axis=1).T
        covariates = covariates_of(evidence)
        values = np.empty((len(side), len(covariates)))
        for k, name in enumerate(covariates):
            values[:, k] = np.where(turned, -1, 1) * evidence[f"covariate_{name}"].values[retained]
        codes = [
            sorted_codes(evidence[role].values[retained])
            for role in UNITS
            if role in evidence.variables
        ]
        # Sorted by content, so that the order of rows has no effect.
        order = np.lexsort([*codes[::-1], *values.T[::-1], second, first])
        first, second, values, results = first[order], second[order], values[order], results[order]
        number = results.sum(axis=1)
        scale = np.sqrt(number @ values**2 / number.sum())
        scale = np.where(scale > 0, scale, 1.0)
        keys = pd.DataFrame(np.column_stack([first, second, values]))
        cell = keys.groupby(list(keys.columns)).ngroup().to_numpy()
        where = np.unique(cell, return_index=True)[1]
        votes = np.stack([np.bincount(cell, column, len(where)) for column in results.T])
        shift = values[where] / scale / 2 if covariates else None
        wins, losses, ties = votes
        ends = first[where], second[where]
        pairs = Pairs(
            len(names), *ends, wins, losses, ties, precision, shift, no_ties=not ties.any()
        )
        roles = [role for role in UNITS if role in evidence.variables]
        units = {role: code[order] for role, code in zip(roles, codes, strict=True)}
        return cls(pairs, cell, results, units, dict(zip(covariates, scale.tolist(), strict=True)))

    @cached_property
    def shared(self) -> SharedVotes:
        """Return the votes by the units that share a taste."""
        return SharedVotes(self.pairs, self.cell, self.results, self.units)


def sorted_codes(names: np.ndarray) -> np.ndarray:
    """Return codes of names in the order of their names, so that the order of rows has no effect."""
    code, distinct = factorize(names)
    position = np.empty(len(distinct), np.int64)
    position[sorted(range(len(distinct)), key=lambda i: repr(distinct[i]))] = np.arange(
        len(distinct)
    )
    return position[code]
