"""Reducers of draws for a credible ranking: ranks and losses block by block, and comparisons of pairs."""

from dataclasses import dataclass

import numpy as np

from bayesrank._draws import Batches, Block, error_of_squares, mean_error
from bayesrank.ranking._loops import compare_pairs, fold_ranks, tally_ranks


@dataclass(frozen=True)
class Ranks:
    """Summaries of the ranks of each entity, over the draws."""

    defined: np.ndarray  #: Draws with a value.
    expected: np.ndarray
    expected_spread: np.ndarray  #: Standard deviation of the rank over the draws.
    expected_error: np.ndarray
    regret: np.ndarray
    regret_spread: np.ndarray
    regret_error: np.ndarray


@dataclass(frozen=True)
class Mass:
    """Tables (entity, rank), which are large."""

    draws: np.ndarray  #: Draws at each rank (half, entity, rank).
    share_error: np.ndarray  #: Of their share of all draws, from batch means (entity, rank).


class RankReducer:
    """Ranks and losses of values (draw, entity), highest best after multiplication by ``sign``."""

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def start(self, batches: Batches) -> None:
        self.batches = batches

    def _begin(self, size: int) -> None:
        batches, number = len(self.batches.sizes), self.batches.number
        self.mass = np.zeros((2, size, size))
        self.squares = np.zeros((size, size))
        self.open: dict[int, np.ndarray] = {}
        self.twice = np.zeros((number, size), np.int32)
        self.defined, self.ranks, self.losses = (np.zeros((batches, size)) for _ in range(3))
        self.rank_squares, self.loss_squares = np.zeros(size), np.zeros(size)

    def add(self, block: Block) -> None:
        x = self.sign * block.values
        size = x.shape[1]
        if not hasattr(self, "mass"):
            self._begin(size)
        steps = self.open.setdefault(block.batch, np.zeros((size, size + 1)))
        defined, ranks, losses = (held[block.batch] for held in (self.defined, self.ranks, self.losses))
        twice = self.twice[block.start : block.start + len(x)]
        order = np.argsort(-x, axis=1)  # undefined last
        tally_ranks(x, order, twice, steps, defined, ranks, self.rank_squares, losses, self.loss_squares)
        if block.complete:
            half, draws = self.batches.half(block.batch), self.batches.sizes[block.batch]
            fold_ranks(self.open.pop(block.batch), draws, self.mass[half], self.squares)

    def finish(self) -> tuple[Ranks, Mass, np.ndarray]:
        """Return summaries, tables, and twice the average rank of each draw (draw, entity), 0 where undefined."""
        number, filled = self.batches.number, (self.batches.sizes > 0).sum()
        defined = self.defined.sum(axis=0)
        some = np.where(defined > 0, defined, np.nan)
        expected, regret = self.ranks.sum(axis=0) / some, self.losses.sum(axis=0) / some
        ranks = Ranks(
            defined=defined,
            expected=expected,
            expected_spread=np.sqrt(np.maximum(self.rank_squares / some - expected**2, 0.0)),
            expected_error=mean_error(self.ranks, self.defined),
            regret=regret,
            regret_spread=np.sqrt(np.maximum(self.loss_squares / some - regret**2, 0.0)),
            regret_error=mean_error(self.losses, self.defined),
        )
        error = error_of_squares(self.mass.sum(axis=0) / number, self.squares / number, filled)
        return ranks, Mass(self.mass, error), self.twice


@dataclass(frozen=True)
class Pairs:
    """Comparisons of each pair (entity, rival), over draws with both defined; NaN if there are none."""

    joint: np.ndarray  #: Draws in which both are defined.
    superiority: np.ndarray  #: Share in which the entity beats the rival by more than the ROPE.
    superiority_error: np.ndarray  #: From batch means.
    preference: np.ndarray  #: Share in which it is before the rival, ties as halves; no ROPE.
    preference_error: np.ndarray


def compare(x: np.ndarray, sign: int, twice: np.ndarray, batches: Batches, rope: float) -> Pairs:
    """Compare pairs of values (draw, entity), highest best after ``sign``; ``twice`` are their ranks, doubled."""
    if rope > 0:
        rows = np.array(x.T, order="C")
        np.multiply(rows, sign, out=rows)
    else:
        # Ranks order the values with half the memory.
        rows = np.array(twice.T, np.float32, order="C")
        rows[rows == 0] = np.nan
        np.negative(rows, out=rows)
    edges = np.concatenate([[0], np.cumsum(batches.sizes)])
    kinds = (np.int32, np.int32, float, float, float, float)
    tables = [np.zeros((len(rows), len(rows)), kind) for kind in kinds]
    compare_pairs(rows, ~np.isnan(rows).any(axis=1), edges, rope, *tables)
    del rows
    joint, groups, won, won_squares, before, before_squares = tables
    some = np.where(joint > 0, joint, np.nan)
    for table in tables[2:]:
        table /= some
    return Pairs(
        joint,
        won,
        error_of_squares(won, won_squares, groups),
        before,
        error_of_squares(before, before_squares, groups),
    )
