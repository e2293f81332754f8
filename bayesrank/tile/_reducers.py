"""The reducer of draws to the maps of a credible Tile, batch by batch (see ``_core/draws.py``).

All threads share one map: each thread has its own columns, and each column sees the draws in order.
Sums are therefore independent of threads and chunks, and so is memory.
"""

from collections.abc import Collection

import numpy as np

from bayesrank._core.draws import (
    BLOCK,
    Batches,
    BatchSums,
    DrawBlock,
    error_of_squares,
    mean_error,
    reduce,
)
from bayesrank._core.threads import ShareOut
from bayesrank.tile.grid import TOLERANCE, area_weights, cells_of, parts

#: Optional maps of a credible Tile.
OPTIONAL = ("expected_rank", "probability_skilled", "expected_regret")
#: Number of cells that a column of the Tile processes together: 2 MB.
TOGETHER = 2 * BLOCK


class Credible:
    """The maps of :func:`bayesrank.tile.credible`. Complete batches wait until a column can process many at once.

    At the end, ``mean`` and ``error`` hold the maps (entity, b, a) by name, over the draws and from
    batch means; ``undefined`` is another, ``areas`` (draw, entity) are those on which an entity is
    best.
    """

    def __init__(
        self,
        entities: int,
        points: np.ndarray,
        maps: Collection[str],
        share_out: ShareOut,
        areas: bool = True,
    ) -> None:
        self.points, self.share_out, self.with_areas = points, share_out, areas
        self.names = ["probability_best", *(name for name in OPTIONAL if name in maps)]
        size = points.size
        self.undefined = np.zeros((size, size + 1, entities))
        # Columns first: those of a thread are contiguous, for which alone the kernel is compiled.
        self.sums, self.squares = np.zeros((2, size, len(self.names), size, entities))

    def start(self, batches: Batches) -> None:
        self.batches = batches
        self.areas = (
            np.empty((batches.number, self.undefined.shape[-1])) if self.with_areas else None
        )
        #: Starts and cells of the blocks of each batch.
        self.incomplete: dict[int, list[tuple[int, np.ndarray]]] = {}
        self.complete: list[list[tuple[int, np.ndarray]]] = []

    def add(self, block: DrawBlock) -> None:
        # A copy, so that the chunk is freed.
        self.incomplete.setdefault(block.batch, []).append((block.start, cells_of(block).copy()))
        if block.complete:
            self.complete.append(self.incomplete.pop(block.batch))
            if sum(cells.size for batch in self.complete for _, cells in batch) >= TOGETHER:
                self._count()

    def _count(self) -> None:
        """Count the complete batches in all columns."""
        from bayesrank.tile.kernels import _credible, _partition

        blocks = [block for batch in self.complete for block in batch]
        cells = np.concatenate([part for _, part in blocks])
        ends = np.cumsum([sum(len(part) for _, part in batch) for batch in self.complete])
        areas = np.empty((len(cells), cells.shape[-1]))
        requested = [name in self.names for name in OPTIONAL]

        def count(part: slice, rows: slice) -> None:
            maps = self.undefined[part], self.sums[part], self.squares[part]
            _credible.tally(cells, ends, self.points[part], self.points, *requested, *maps)
            if self.areas is not None:
                _partition.shares(cells[rows], areas[rows])

        self.share_out(count, self.points.size, len(cells))
        at = 0
        if self.areas is not None:
            for start, part in blocks:
                self.areas[start : start + len(part)] = areas[at : at + len(part)]
                at += len(part)
        self.complete = []

    def finish(self) -> "Credible":
        if self.complete:
            self._count()
        number, filled = self.batches.number, int((self.batches.sizes > 0).sum())
        self.mean, self.error = {}, {}
        maps = self.sums.swapaxes(0, 1), self.squares.swapaxes(0, 1)
        for name, mean, error in zip(self.names, *maps, strict=True):
            mean /= number
            error /= number
            error[:] = error_of_squares(mean, error, filled)
            self.mean[name], self.error[name] = mean.transpose(2, 1, 0), error.transpose(2, 1, 0)
        self.undefined = (
            np.cumsum(self.undefined, 1, out=self.undefined)[:, :-1].transpose(2, 1, 0) / number
        )
        if self.areas is not None:  # means over the draws with a best entity
            [sums] = reduce(self.areas, BatchSums(), batches=self.batches)
            [sizes] = reduce(~np.isnan(self.areas) * 1.0, BatchSums(), batches=self.batches)
            self.areas_error = mean_error(sums, sizes)
        return self


class WorstOfGroups(Credible):
    """P(best) and areas by the worst of several groups at each point of the Tile, on a grid.

    The cells have a column for each group of each entity, in this order. An entity is undefined
    where a group is.
    """

    @staticmethod
    def best(
        cells: np.ndarray, a: np.ndarray, b: float, entities: int
    ) -> tuple[np.ndarray, np.ndarray]:
        return best_of_worst(cells, a, b, entities)

    def _count(self) -> None:
        size, entities = self.points.size, self.undefined.shape[-1]
        weight = area_weights(size).values
        for batch in self.complete:
            total, at_stake = (
                np.zeros((size, size, entities)),
                sum(len(cells) for _, cells in batch),
            )
            for start, cells in batch:
                areas = np.zeros((len(cells), entities))
                full = np.zeros(len(cells))
                for j, b in enumerate(self.points):
                    first, defined = self.best(cells, self.points, b, entities)
                    total[:, j] += first.sum(axis=1)
                    missing = (~defined).sum(axis=1)
                    self.undefined[:, j] += missing
                    self.undefined[:, j + 1] -= missing
                    areas += np.einsum("ade,a->de", first, weight[j])
                    full += weight[j] @ defined.any(axis=-1)
                if self.areas is not None:
                    measured = np.where(full > 0, full, np.nan)
                    self.areas[start : start + len(cells)] = areas / measured[:, None]
            self.sums[:, 0] += total
            self.squares[:, 0] += total**2 / at_stake
        self.complete = []


class MeanOfGroups(WorstOfGroups):
    """P(best) and areas by the mean score over several groups at each point of the Tile, on a grid."""

    @staticmethod
    def best(
        cells: np.ndarray, a: np.ndarray, b: float, entities: int
    ) -> tuple[np.ndarray, np.ndarray]:
        return best_of_mean(cells, a, b, entities)


def best_of_mean(
    cells: np.ndarray, a: np.ndarray, b: float, entities: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return what :func:`best_of_worst` does, by the mean over groups."""
    tn, fp, fn, tp = cells.transpose(1, 0, 2)
    gain, loss = parts(tn, fp, fn, tp, a[:, None, None], b)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = gain / (gain + loss)
    return share_first(value.reshape(*value.shape[:2], entities, -1).mean(axis=-1))


def best_of_worst(
    cells: np.ndarray, a: np.ndarray, b: float, entities: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return shares of the first place (a, draw, entity) by the worst group, and which entities are defined."""
    tn, fp, fn, tp = cells.transpose(1, 0, 2)
    gain, loss = parts(tn, fp, fn, tp, a[:, None, None], b)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = gain / np.broadcast_to(loss, gain.shape)
    return share_first(odds.reshape(*odds.shape[:2], entities, -1).min(axis=-1))


def share_first(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shares of the first place by positive values (..., entity), and which entities have one."""
    defined = ~np.isnan(values)
    top = np.where(defined, values, -np.inf).max(axis=-1, keepdims=True)
    first = (defined & (values >= top * (1 - TOLERANCE))).astype(float)
    return first / np.maximum(first.sum(axis=-1, keepdims=True), 1.0), defined
