"""Votes of judges and people that share voters, questions or both: draws of strengths from random weights of these.

Each draw gives every voter, or question, a random weight. The votes of people, so weighted, have a
mode of the model that predicts them from the votes of judges. There, each vote that is unknown has
an expected result. The draw is the mode of the strengths given all votes, so completed and weighted
(:mod:`bayesrank.models.parts.voters`). So both the votes of people, from which the errors of the
judges are learned, and the votes that are completed vary between units. A vote of judges alone
without a voter has a weight of its own.

The first-order deviation of the strengths by one vote is its slope at the mode. To a known vote,
its effect on the expected results of the unknown ones is added. From these, the variances between
voters and questions follow as those without judges do. Their degrees of freedom, and the correction
for their number, are those of the units with a vote of a person, if these are fewer.

Where the errors of the judges are learned, the votes of one unit on one pair together weigh as much
as one vote against the prior.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.random import fingerprint
from bayesrank.evidence.ballots import ABSENT, UNITS
from bayesrank.models.parts.battles import SPREADS, Battles
from bayesrank.models.parts.pairs import Pairs
from bayesrank.models.parts.styles import sorted_codes
from bayesrank.models.parts.voters import (
    SharedVotes,
    draw_prior,
    modes_of,
    slopes_of_votes,
)


@dataclass(frozen=True)
class CompletedVotes(SharedVotes):
    """Votes of people and judges on rows (pairs with equal votes of judges) by the units that they share."""

    battles: Battles
    row: np.ndarray  #: The row of each battle.
    own: np.ndarray  #: Whether each vote of a battle has a voter of its own (battle).

    @classmethod
    def of_judged(cls, evidence: xr.Dataset, names: list, precision: float) -> "CompletedVotes":
        """Return the votes between the entities ``names``, in this order."""
        battles, row, results, retained = Battles.with_rows(evidence, names, precision)
        units, own = {}, np.zeros(len(row), bool)
        for role in UNITS:
            if role in evidence.variables:
                units[role] = sorted_codes(evidence[role].values[retained])
        # Sorted by content, so that the order of rows has no effect.
        order = np.lexsort([*results.T[::-1], *list(units.values())[::-1], row])
        row, results = row[order], results[order].astype(float)
        units = {role: code[order] for role, code in units.items()}
        if "cluster" in units:
            own = evidence["cluster"].values[retained][order].astype(str) == ABSENT
            units["cluster"] = _name_apart(units["cluster"], own)
        people = results[:, :3].sum(axis=1)
        battles = replace(battles, repeats=_votes_of_a_unit(battles, row, people, units))
        _, cell = battles.cells
        return cls(battles.expected(), cell[row], results, units, battles, row, own)

    @cached_property
    def key(self) -> str:
        return fingerprint(self.battles.key, self.row, self.results, *self.units.values())

    @cached_property
    def people(self) -> np.ndarray:
        """Return the votes of people on each battle."""
        return np.asarray(self.results[:, :3].sum(axis=1))

    @cached_property
    def sizes(self) -> list[Any]:
        """Return the votes of each unit on each entity, first all by the kind of unit, then those of people."""
        from scipy.sparse import csr_array

        result: list[Any] = []
        for number in (self.results.sum(axis=1) * ~self.own, self.people):
            for code in self.codes[: len(self.units)]:
                with_votes = np.flatnonzero(number)
                cell = self.cell[with_votes]
                ends = np.concatenate([self.pairs.first[cell], self.pairs.second[cell]])
                where = (np.tile(code[with_votes], 2), ends)
                shape = (int(code.max()) + 1, self.pairs.entities)
                result.append(csr_array((np.tile(number[with_votes], 2), where), shape=shape))
        return result

    @cached_property
    def corrections(self) -> list[float]:
        return np.reshape(super().corrections, (2, -1)).max(axis=0).tolist()

    @cached_property
    def prior_weight(self) -> float:
        number = self.results.sum(axis=1)
        shared = _votes_of_a_unit(self.battles, self.row, number * ~self.own, self.units)
        alone = float(number[self.own].sum() / number.sum())
        return alone + (1 - alone) * shared

    @cached_property
    def on_pairs(self) -> np.ndarray:
        """Return how many units with a vote of a person voted on each pair, by the kind that has fewer."""
        has_people = self.people > 0
        by_people = replace(
            self,
            cell=self.cell[has_people],
            results=self.results[has_people],
            row=self.row[has_people],
            own=self.own[has_people],
            units={role: code[has_people] for role, code in self.units.items()},
        )
        return SharedVotes.on_pairs.func(by_people)  # type: ignore[attr-defined]

    @cached_property
    def predicted(self) -> Pairs:
        """Return the votes of people given those of judges, at the most probable error of these."""
        return self.battles.given_judges(SPREADS[int(np.argmax(self.battles.posterior_of_spread))])

    @cached_property
    def mode_of_predicted(self) -> np.ndarray:
        return self.predicted.mode()

    @cached_property
    def _inverse_of_predicted(self) -> np.ndarray:
        root = self.predicted.whiten(self.mode_of_predicted)
        return np.asarray(root.T @ root)

    @cached_property
    def _shares(self) -> np.ndarray:
        """Return the expected results of an unknown vote (result, row)."""
        return np.stack(
            [
                held[:, 0]
                for held in self.battles.shares(self.predicted, self.mode_of_predicted[None])
            ]
        )

    @cached_property
    def _influence(self) -> np.ndarray:
        """Return the change of the slope of the strengths by the parameters that predict votes (p, q)."""
        _, cell = self.battles.cells
        unknown = self.battles.human[:, 3]
        weights = (unknown * self._shares)[..., None]
        ours, theirs = (
            slopes_of_votes(pairs, mode)
            for pairs, mode in ((self.pairs, self.mode), (self.predicted, self.mode_of_predicted))
        )
        moved = sum(
            (own[cell] * weight).T @ other
            for own, other, weight in zip(ours, theirs, weights, strict=True)
        )
        return np.asarray(moved @ self._inverse_of_predicted)

    def _slopes(self) -> np.ndarray:
        """Return the slope of one vote, with its effect on unknown ones (result and row, parameter)."""
        _, cell = self.battles.cells
        ours = [held[cell] for held in slopes_of_votes(self.pairs, self.mode)]
        theirs = slopes_of_votes(self.predicted, self.mode_of_predicted)
        slopes_of_people = [
            own + other @ self._influence.T / self.battles.repeats
            for own, other in zip(ours, theirs, strict=True)
        ]
        unknown = sum(own * share[:, None] for own, share in zip(ours, self._shares, strict=True))
        return np.concatenate([*slopes_of_people, unknown])

    def _sums(self, code: np.ndarray) -> np.ndarray:
        sums = np.asarray(self._votes_by(code).T @ self._slopes())
        if self.own.any() and code is not self.units.get("case"):
            number = self.results.sum(axis=1)
            sums[code[self.own]] /= np.sqrt(number[self.own])[:, None]
        return sums

    def _prior(self) -> np.ndarray:
        precision = np.broadcast_to(self.predicted.precision, len(self._inverse_of_predicted))
        moved = self.inverse @ self._influence * np.sqrt(precision)
        return super()._prior() + moved @ moved.T

    @property
    def alone(self) -> np.ndarray:
        number = self.battles.human.T.ravel()
        moved = (self._slopes() * np.sqrt(number)[:, None]) @ self.inverse
        return np.asarray(moved.T @ moved + self._prior())

    @property
    def _places(self) -> tuple[np.ndarray, int]:
        return self.row, len(self.battles.first)

    @cached_property
    def _gather(self) -> Any:
        return self._votes_by(np.arange(len(self.row)))

    @property
    def _iterates(self) -> bool:
        return True

    def _sample(self, draws: int, rng: np.random.Generator) -> np.ndarray:
        unit_weights = np.ones((len(self.row), draws))
        for role, code in self.units.items():
            if role == "cluster" and self.own.any():
                number = self.results.sum(axis=1)[self.own, None]
                alone = rng.standard_gamma(number, (len(number), draws)) / number
                unit_weights[self.own] *= alone
            weights = rng.standard_exponential((int(code.max()) + 1, draws))
            shared = ~self.own if role == "cluster" else slice(None)
            unit_weights[shared] *= weights[code[shared]]
        of_people, unknown = np.split(self._gather @ unit_weights, [3 * len(self.battles.first)])
        results = [
            own + unknown * share
            for own, share in zip(
                np.split(of_people, 3), self._draw_shares(of_people, draws, rng), strict=True
            )
        ]
        drawn = replace(self.battles.of_cells(results), precision=self.weighted.precision)
        drawn = replace(drawn, no_ties=self.pairs.no_ties)
        centre = draw_prior(self.pairs.precision, len(self.mode), draws, rng)
        start = np.tile(self.mode, (draws, 1))
        modes = modes_of(drawn, centre, start, self.inverse)
        return np.asarray(self.mode + (modes - self.mode) @ self.spreading)

    def _draw_shares(
        self, known: np.ndarray, draws: int, rng: np.random.Generator
    ) -> list[np.ndarray]:
        """Return the expected results of unknown votes (row, draw), given weighted votes of people (row, draw)."""
        expected = [np.empty((len(self.battles.first), draws)) for _ in range(3)]
        spread = rng.choice(len(SPREADS), draws, p=self.battles.posterior_of_spread)
        for i in np.unique(spread):
            in_group = np.flatnonzero(spread == i)
            pairs, mode = self.battles.given_judges(SPREADS[i]), self.battles.modes[i]
            root = pairs.whiten(mode)
            wins, losses, ties = np.split(known[:, in_group] / self.battles.repeats, 3)
            weighted = replace(pairs, wins=wins, losses=losses, ties=ties)
            centre = draw_prior(pairs.precision, len(mode), len(in_group), rng)
            start = np.tile(mode, (len(in_group), 1))
            theta = modes_of(weighted, centre, start, root.T @ root)
            for own, share in zip(expected, self.battles.shares(pairs, theta), strict=True):
                own[:, in_group] = share
        return expected


def _name_apart(code: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return the codes of the voters, and further ones of the battles whose votes have voters of their own."""
    voters = np.unique(code[~own], return_inverse=True)[1]
    result = np.empty(len(code), np.int64)
    result[~own] = voters.ravel()
    result[own] = int(voters.max(initial=-1)) + 1 + np.arange(own.sum())
    return result


def _votes_of_a_unit(
    battles: Battles, row: np.ndarray, number: np.ndarray, units: dict[str, np.ndarray]
) -> float:
    """Return the votes of a unit on one pair, as a mean over votes (battle), at least 1."""
    pair, means = battles.first[row] * battles.entities + battles.second[row], [1.0]
    for code in units.values() if number.any() else ():
        votes = np.bincount(pd.factorize(pair * (int(code.max()) + 1) + code)[0], number)
        means.append(float((votes**2).sum() / votes.sum()))
    return max(means)
