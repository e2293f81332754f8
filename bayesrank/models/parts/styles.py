"""Votes on cells: pairs of entities with equal covariates, such as a difference in length."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._labels import factorize
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
        place = {name: i for i, name in enumerate(names)}
        code, known = factorize(evidence["side"].values.ravel())
        side = np.array([place.get(name, -1) for name in known])[code].reshape(-1, 2)
        kept = (side >= 0).all(axis=1)
        results = evidence["results"].transpose("battle", "result").values[kept].astype(float)
        side = side[kept]
        turned = side[:, 0] > side[:, 1]
        results = np.where(turned[:, None], results[:, [1, 0, 2]], results)
        first, second = np.sort(side, axis=1).T
        names_of = covariates_of(evidence)
        values = np.stack(
            [evidence[f"covariate_{name}"].values[kept] for name in names_of] or [np.zeros(0)], axis=1
        ) if names_of else np.zeros((len(side), 0))
        values = np.where(turned[:, None], -values, values)
        number = results.sum(axis=1)
        scale = np.sqrt(number @ values**2 / number.sum())
        scale = np.where(scale > 0, scale, 1.0)
        keys = pd.DataFrame(np.column_stack([first, second, values]))
        # Sorted by content, so that the order of rows has no effect.
        cell = keys.groupby(list(keys.columns)).ngroup().to_numpy()
        where = np.unique(cell, return_index=True)[1]
        votes = np.stack([np.bincount(cell, column, len(where)) for column in results.T])
        shift = values[where] / scale / 2 if names_of else None
        pairs = Pairs(
            len(names), first[where], second[where], *votes, precision, shift, no_ties=not votes[2].any()
        )
        codes = {role: _sorted_codes(evidence[role].values[kept]) for role in UNITS if role in evidence.variables}
        scales = dict(zip(names_of, scale.tolist(), strict=True))
        return cls(pairs, cell, results, codes, scales)

    @cached_property
    def shared(self) -> SharedVotes:
        """Return the votes by the units that share a taste."""
        return SharedVotes(self.pairs, self.cell, self.results, self.units)


def _sorted_codes(names: np.ndarray) -> np.ndarray:
    """Return codes of names in the order of their names, so that the order of rows has no effect."""
    code, known = factorize(names)
    place = np.empty(len(known), np.int64)
    place[sorted(range(len(known)), key=lambda i: repr(known[i]))] = np.arange(len(known))
    return place[code]
