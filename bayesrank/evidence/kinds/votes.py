"""Votes between two entities, of people and perhaps of a judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import xarray as xr
from scipy.special import ndtri, stdtrit

from bayesrank._core.notes import Note
from bayesrank._core.records import ModelRecord
from bayesrank.evidence.ballots import NOUNS, UNITS
from bayesrank.evidence.kinds.base import EvidenceKind, Parts, by_entity, names_of
from bayesrank.evidence.kinds.swaps import Fitted, swaps_of_votes
from bayesrank.evidence.pairings import Pairing, pairing_of


@dataclass(frozen=True, eq=False)
class SharedUnits:
    """What voters, or questions, are worth in which votes share a taste."""

    noun: str  #: What one of them is called, in the plural.
    number: np.ndarray  #: How many of them voted on each entity.
    freedom: np.ndarray  #: Degrees of freedom of each entity.
    excess: (
        np.ndarray
    )  #: Standard deviation of independent votes over that of units, at least 1 (entity, rival).
    on_pair: np.ndarray  #: How many units voted on each pair (entity, rival).


@dataclass(frozen=True, eq=False)
class VoteEvidence(EvidenceKind):
    """Votes, and how many of them are of people if the others are of a judge."""

    noun: ClassVar[str] = "votes"
    unit: ClassVar[str] = "votes"
    votes: np.ndarray  #: Votes in which an entity took part.
    wins: np.ndarray  #: (entity, rival)
    ties: np.ndarray  #: (entity, rival)
    pool: np.ndarray  #: Code of the connected pool of each entity.
    entities: list[Any]  #: Their names.
    labels: np.ndarray | None = None  #: Votes of people; None without a judge.
    units: SharedUnits | None = None  #: Voters, or questions; None for independent votes.

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the votes of a posterior, or None if it is of other evidence."""
        observed = parts.observed
        if not {"wins", "ties", "pool"} <= {*observed}:
            return None
        wins, ties = (
            observed[name].transpose("entity", "rival").values for name in ("wins", "ties")
        )
        labels = by_entity(observed, "labels") if "labels" in observed else None
        cases, pool = by_entity(observed, "cases"), observed["pool"].values
        return cls(cases, wins, ties, pool, names_of(observed), labels, _shared_units(observed))

    def why_no_performance(self, variables: list[str]) -> tuple[str, str] | None:
        """Return why there is no performance, and what to do instead."""
        got = "votes: their strengths compare entities, and are not performances"
        return got, "rank them by strength or win_probability"

    @property
    def clustered(self) -> bool:
        """Return whether votes share voters or questions."""
        return self.units is not None

    @property
    def independent_unit(self) -> str:
        """Return what is taken as independent: votes, voters or questions."""
        return self.unit if self.units is None else self.units.noun

    @cached_property
    def pairing(self) -> Pairing:
        """Return whether earlier votes may have chosen the pairs, by the units that voted on each pair."""
        wins, ties = self.wins, self.ties
        if self.units is not None:
            number = wins + wins.T + ties
            share = np.divide(
                self.units.on_pair, number, out=np.zeros(number.shape), where=number > 0
            )
            wins, ties = wins * share, ties * share
        return pairing_of(wins, ties, self.pool)

    def _quantile_factor(self, prob: float) -> np.ndarray:
        """Return the quantile of a t distribution over the normal one, for few voters or questions (entity)."""
        if self.units is None:
            return np.ones(1)
        tail = (1 - prob) / 2
        return np.asarray(stdtrit(np.maximum(self.units.freedom, 1.0), tail) / ndtri(tail))

    def columns(self, draws: xr.Dataset, leader: int | None) -> dict[str, np.ndarray]:
        """Return the observed share of won votes, and the expected one against the leader; ties are half a win."""
        won, number = (
            (self.wins + self.ties / 2).sum(axis=1),
            (self.wins + self.wins.T + self.ties).sum(axis=1),
        )
        result = {
            "win_rate": np.divide(won, number, out=np.full(len(won), np.nan), where=number > 0)
        }
        if leader is None or "strength" not in draws:
            return result
        strength = draws["strength"].transpose("chain", "draw", "entity").values
        nu = draws["nu"].transpose("chain", "draw").values[..., None] if "nu" in draws else 0.0
        up = np.exp((strength - strength[..., [leader]]) / 2)
        share = ((up + nu / 2) / (up + 1 / up + nu)).mean(axis=(0, 1))
        share[leader] = np.nan
        # Votes do not compare entities of pools that no vote connects.
        return result | {
            "win_against_leader": np.where(self.pool == self.pool[leader], share, np.nan)
        }

    def notes_on(self, draws: xr.Dataset, prob: float) -> list[Note]:
        """Return the coefficients of the covariates, with intervals that allow for few voters or questions."""
        if "coefficient" not in draws:
            return []
        wide, fields = float(self._quantile_factor(prob).max()), []
        for name in draws["covariate"].values.tolist():
            drawn = draws["coefficient"].sel(covariate=name).values.ravel()
            middle, low, high = np.quantile(drawn, [0.5, (1 - prob) / 2, (1 + prob) / 2])
            fields.append(
                [name, middle, middle + wide * (low - middle), middle + wide * (high - middle)]
            )
        return [Note("style_coefficients", {"coefficients": fields, "prob": prob})]

    def is_about(self, entities: Sequence[Any]) -> bool:
        """Return whether the evidence is about these entities, in this order."""
        return self.entities == list(entities)

    def needed(self, model: ModelRecord) -> str:
        """Return what would help most: votes, more voters or questions, or votes of people beside a judge."""
        if self.units is not None:
            return self.units.noun
        return "votes" if self.labels is None else "labels"

    def apart(self, entity: int, others: Sequence[int]) -> list[int]:
        """Return which of the others no chain of votes connects with an entity."""
        return [int(i) for i in others if self.pool[i] != self.pool[entity]]

    def unconnected(self, entities: list[str]) -> Note:
        """Return the cap on a ranking in which no chain of votes connects these entities with the leader."""
        return Note("pools_unconnected", {"entities": entities})

    def interchangeable(self, fitted: Fitted) -> list[np.ndarray]:
        """Return the groups of entities with equal votes; votes of judges distinguish entities, too."""
        alone = self.labels is None and self.units is None
        return swaps_of_votes(self.wins, self.ties) if alone else []


def _shared_units(observed: xr.Dataset) -> SharedUnits | None:
    if "unit_freedom" not in observed:
        return None
    excess, on_pair = (
        observed[name].transpose("entity", "rival").values
        for name in ("unit_excess", "units_on_pair")
    )
    noun = " and ".join(f"{NOUNS[role]}s" for role in UNITS if role in observed)
    number, freedom = (by_entity(observed, name) for name in ("unit_number", "unit_freedom"))
    return SharedUnits(noun, number, freedom, excess, on_pair)
