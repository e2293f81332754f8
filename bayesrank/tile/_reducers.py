"""Reducers of draws to maps of the Tile, block by block (see ``_draws``).

All threads share one map: each thread has its own columns, and each column sees the draws in order. Sums are therefore
independent of threads and chunks, and so is memory.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayesrank._draws import BLOCK, Batches, Block, error_of_squares, mean_error
from bayesrank._threads import ShareOut
from bayesrank.tile._grid import cells_of

#: Optional maps of a credible Tile.
OPTIONAL = ("expected_rank", "probability_skilled", "expected_regret")
#: Number of cells that a column of the Tile processes together: 2 MB.
TOGETHER = 2 * BLOCK


class Steps:
    """Counts of a compiled loop in each column of the Tile, (a, ..., b + 1), as differences along b."""

    def __init__(self, tally: Callable, points: np.ndarray, shape: tuple[int, ...], share_out: ShareOut) -> None:
        self.tally, self.points, self.share_out = tally, points, share_out
        self.steps = np.zeros((points.size, *shape, points.size + 1))

    def start(self, batches: Batches) -> None:
        pass

    def add(self, block: Block) -> None:
        cells = cells_of(block)

        def count(columns: slice) -> None:
            self.tally(cells, self.points[columns], self.points, self.steps[columns])

        self.share_out(count, self.points.size)

    def finish(self) -> np.ndarray:
        """Return the counts (a, ..., b)."""
        return np.cumsum(self.steps, -1, out=self.steps)[..., :-1]


@dataclass(frozen=True)
class Maps:
    """Means over the draws for each entity (entity, b, a), and errors from batch means, by name."""

    mean: dict[str, np.ndarray]
    error: dict[str, np.ndarray]
    undefined: np.ndarray
    areas: np.ndarray  #: On which each entity is best in each draw (draw, entity).
    areas_error: np.ndarray  #: Of their means over the draws.


class Credible:
    """The maps of :func:`bayesrank.tile.credible`; a complete batch is folded into sums.

    Blocks are buffered, so that each column of the Tile processes many draws at once.
    """

    def __init__(self, entities: int, points: np.ndarray, maps: Collection[str], share_out: ShareOut) -> None:
        self.points, self.share_out = points, share_out
        self.names = ["probability_best", *(name for name in OPTIONAL if name in maps)]
        self.counted = [name for name in self.names if name != "expected_regret"]
        n, size = entities, points.size
        self.undefined = np.zeros((size, size + 1, n))
        self.sums, self.squares = (np.zeros((len(self.names), size, size, n)) for _ in range(2))
        self.cells = np.empty((max(TOGETHER // (4 * n), 1), 4, n))
        self.blocks: list[Block] = []
        self.lengths: list[int] = []
        self.used = 0
        self.open: dict[int, tuple[np.ndarray, ...]] = {}
        self.empty: list[tuple[np.ndarray, ...]] = []

    def start(self, batches: Batches) -> None:
        self.batches = batches
        self.areas = np.empty((batches.number, self.cells.shape[-1]))

    def _maps(self) -> tuple[np.ndarray, ...]:
        if self.empty:
            return self.empty.pop()
        size, n = self.points.size, self.cells.shape[-1]
        held = n if "expected_regret" in self.names else 0
        return np.zeros((len(self.counted), size, size + 1, n)), np.zeros((size, held, size)), np.zeros((size, size))

    def add(self, block: Block) -> None:
        cells = cells_of(block)
        # An incomplete batch has maps of its own.
        apart = bool(self.blocks) and block.batch != self.blocks[-1].batch
        apart = apart and (block.batch in self.open or not self.blocks[-1].complete)
        if apart or self.used + len(cells) > len(self.cells):
            self._count()
        self.cells[self.used : self.used + len(cells)] = cells
        self.used += len(cells)
        self.blocks.append(replace(block, values=block.values[:0]))
        self.lengths.append(len(cells))

    def _count(self) -> None:
        """Count the buffered blocks in all columns; an incomplete last batch may wait."""
        from bayesrank.tile.kernels import _credible, _partition

        if not self.blocks:
            return
        cells, points, last = self.cells[: self.used], self.points, self.blocks[-1]
        ends = np.cumsum(self.lengths)
        sizes = [self.batches.sizes[block.batch] if block.complete else 0 for block in self.blocks]
        spans = np.stack([ends - self.lengths, ends, sizes], axis=1)
        held = self.open.pop(self.blocks[0].batch, None) or self._maps()
        steps, values, top = held
        areas = np.empty((self.used, cells.shape[-1]))
        asked = [name in self.names for name in OPTIONAL]

        def count(part: slice, rows: slice) -> None:
            _credible.tally(
                cells, spans, points[part], points, *asked, steps[:, part], self.undefined[part], values[part],
                top[part], self.sums[:, part], self.squares[:, part],
            )  # fmt: skip
            _partition.shares(cells[rows], areas[rows])

        self.share_out(count, points.size, self.used)
        for block, (start, end, _) in zip(self.blocks, spans.tolist(), strict=True):
            self.areas[block.start : block.start + end - start] = areas[start:end]
        if last.complete:
            self.empty.append(held)
        else:
            self.open[last.batch] = held
        self.blocks, self.lengths, self.used = [], [], 0

    def finish(self) -> Maps:
        self._count()
        self.empty.clear()
        number, filled = self.batches.number, int((self.batches.sizes > 0).sum())
        found: tuple[dict[str, np.ndarray], dict[str, np.ndarray]] = {}, {}
        for name, mean, error in zip(self.names, self.sums, self.squares, strict=True):
            mean /= number
            error /= number
            error[:] = error_of_squares(mean, error, filled)
            for held, plane in zip(found, (mean, error), strict=True):
                held[name] = _reorder_axes(plane, (2, 1, 0))
        undefined = np.cumsum(self.undefined, 1, out=self.undefined)[:, :-1].transpose(2, 1, 0) / number
        return Maps(*found, undefined=undefined, areas=self.areas, areas_error=self._areas_error())

    def _areas_error(self) -> np.ndarray:
        """Return the errors of the areas, among draws with a best entity."""
        starts = np.cumsum(self.batches.sizes) - self.batches.sizes
        known = ~np.isnan(self.areas[:, :1])
        some = self.batches.sizes > 0
        sums, sizes = np.zeros((2, len(starts), self.areas.shape[1]))
        sums[some] = np.add.reduceat(np.where(known, self.areas, 0.0), starts[some], axis=0)
        sizes[some] = np.add.reduceat(known.astype(float), starts[some], axis=0)
        return mean_error(sums, sizes)


def _reorder_axes(plane: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return a contiguous copy with reordered axes; large maps need memory of their own."""
    turned = np.ascontiguousarray(plane.transpose(axes))
    plane.reshape(-1)[:] = turned.reshape(-1)
    return plane.reshape(turned.shape)


class PreferenceRanks:
    """Weights of the ranks at points of the Tile, by entity, in all draws and in each batch."""

    def __init__(self, entities: int, a: np.ndarray, b: np.ndarray, weight: np.ndarray, share_out: ShareOut) -> None:
        self.a, self.b, self.weight, self.share_out = a, b, weight, share_out
        self.total = np.zeros((entities, entities))

    def start(self, batches: Batches) -> None:
        self.batches = batches
        #: Weight of the first rank, weight times mean rank, and weight with a defined rank.
        self.first, self.ranks, self.defined = (np.zeros((len(batches.sizes), len(self.total))) for _ in range(3))

    def add(self, block: Block) -> None:
        from bayesrank.tile.kernels import _tallies

        cells, order = cells_of(block), np.arange(1, len(self.total) + 1)
        found: dict[int, np.ndarray] = {}

        def count(part: slice) -> None:
            if part.start == part.stop:  # more threads than points
                return
            found[part.start] = out = np.zeros_like(self.total)
            _tallies.tally_ranks(cells, self.a[part], self.b[part], self.weight[part], out)

        self.share_out(count, self.a.size)
        for _, mass in sorted(found.items()):
            self.total += mass
            self.first[block.batch] += mass[:, 0]
            self.ranks[block.batch] += mass @ order
            self.defined[block.batch] += mass.sum(axis=1)

    def finish(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rank probabilities, and the batch-means errors of P(best) and of the mean ranks."""
        probability = self.total / self.batches.number
        return probability, mean_error(self.first, self.batches.sizes), mean_error(self.ranks, self.defined)


class Cells:
    """The cells of every draw, (4, entity, draw)."""

    def start(self, batches: Batches) -> None:
        self.number = batches.number
        self.cells: Any = None

    def add(self, block: Block) -> None:
        cells = cells_of(block)
        if self.cells is None:
            self.cells = np.empty((*cells.shape[1:], self.number))
        self.cells[..., block.start : block.start + len(cells)] = cells.transpose(1, 2, 0)

    def finish(self) -> np.ndarray:
        return self.cells
