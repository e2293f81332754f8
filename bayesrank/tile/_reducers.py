"""What maps of the Tile keep of the draws, block by block (see ``_draws``).

A map is one for all threads: each thread has columns of its own, and every column sees the draws in their order. So
sums depend on threads no more than on chunks, and memory does not grow with either.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesrank._draws import Batches, Block, error_of_squares, mean_error
from bayesrank.tile._grid import ShareOut, cells_of


class Steps:
    """What a compiled loop counts in each column of the Tile, (a, ..., b + 1) with differences along b."""

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
        """The counts (a, ..., b)."""
        return np.cumsum(self.steps, -1, out=self.steps)[..., :-1]


@dataclass(frozen=True)
class Maps:
    """Of every entity (entity, b, a), over the draws; means, and their errors from batch means."""

    best: np.ndarray
    best_error: np.ndarray
    rank: np.ndarray
    rank_error: np.ndarray
    skilled: np.ndarray
    skilled_error: np.ndarray
    regret: np.ndarray
    regret_error: np.ndarray
    undefined: np.ndarray
    areas: np.ndarray  #: On which each entity is best in each draw (draw, entity).
    areas_error: np.ndarray  #: Of their means over the draws.


class Credible:
    """The maps of :func:`bayesrank.tile.credible`; those of a batch are folded when it is complete."""

    COUNTED = ("best", "rank", "skilled")

    def __init__(self, entities: int, points: np.ndarray, share_out: ShareOut) -> None:
        self.points, self.share_out = points, share_out
        n, size = entities, points.size
        self.undefined = np.zeros((size, n, size + 1))
        # Columns (a, entity, b), and rows of losses (b, entity, a).
        self.sums, self.squares = (np.zeros((len(self.COUNTED) + 1, size, n, size)) for _ in range(2))
        self.open: dict[int, tuple[np.ndarray, ...]] = {}
        self.empty: list[tuple[np.ndarray, ...]] = []

    def start(self, batches: Batches) -> None:
        self.batches = batches
        self.areas = np.empty((batches.number, self.sums.shape[2]))

    def _maps(self) -> tuple[np.ndarray, ...]:
        if self.empty:
            return self.empty.pop()
        _, size, n, _ = self.sums.shape
        return np.zeros((len(self.COUNTED), size, n, size + 1)), np.zeros((size, n, size)), np.zeros((size, size))

    def add(self, block: Block) -> None:
        from bayesrank.tile.kernels import _partition, _tallies

        cells, points = cells_of(block), self.points
        areas = self.areas[block.start : block.start + len(cells)]
        if block.batch not in self.open:
            self.open[block.batch] = self._maps()
        steps, values, top = self.open[block.batch]
        draws = self.batches.sizes[block.batch]

        def count(part: slice, rows: slice) -> None:
            sums, squares = self.sums[:, part], self.squares[:, part]
            own, undefined = steps[:, part], self.undefined[part]
            _tallies.tally(cells, points[part], points, own, undefined, block.complete, draws, sums, squares)
            _tallies.sum_values(cells, points, points[part], values[part], top[part])
            _partition.shares(cells[rows], areas[rows])
            if block.complete:
                _tallies.fold_losses(values[part], top[part], draws, sums[-1], squares[-1])

        self.share_out(count, points.size, len(cells))
        if block.complete:
            self.empty.append(self.open.pop(block.batch))

    def finish(self) -> Maps:
        self.empty.clear()
        number, filled = self.batches.number, int((self.batches.sizes > 0).sum())
        turn = [(1, 2, 0)] * len(self.COUNTED) + [(1, 0, 2)]
        maps: dict[str, Any] = {}
        for name, axes, mean, error in zip((*self.COUNTED, "regret"), turn, self.sums, self.squares, strict=True):
            mean /= number
            error /= number
            error[:] = error_of_squares(mean, error, filled)
            maps[name], maps[f"{name}_error"] = _turned(mean, axes), _turned(error, axes)
        undefined = np.cumsum(self.undefined, -1, out=self.undefined)[..., :-1].transpose(1, 2, 0) / number
        return Maps(**maps, undefined=undefined, areas=self.areas, areas_error=self._areas_error())

    def _areas_error(self) -> np.ndarray:
        """Among the draws in which somebody is best."""
        starts = np.cumsum(self.batches.sizes) - self.batches.sizes
        known = ~np.isnan(self.areas[:, :1])
        some = self.batches.sizes > 0
        sums, sizes = np.zeros((2, len(starts), self.areas.shape[1]))
        sums[some] = np.add.reduceat(np.where(known, self.areas, 0.0), starts[some], axis=0)
        sizes[some] = np.add.reduceat(known.astype(float), starts[some], axis=0)
        return mean_error(sums, sizes)


def _turned(plane: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """A contiguous array with its axes in another order, in its own memory: of many entities maps are large."""
    turned = np.ascontiguousarray(plane.transpose(axes))
    plane.reshape(-1)[:] = turned.reshape(-1)
    return plane.reshape(turned.shape)


class PreferenceRanks:
    """Weights of the ranks at points of the Tile, of each entity in all draws and in each batch."""

    def __init__(self, entities: int, a: np.ndarray, b: np.ndarray, weight: np.ndarray, share_out: ShareOut) -> None:
        self.a, self.b, self.weight, self.share_out = a, b, weight, share_out
        self.total = np.zeros((entities, entities))

    def start(self, batches: Batches) -> None:
        self.batches = batches
        #: Weight of the first rank, mean rank times the weight in which there is one, and that weight.
        self.first, self.ranks, self.defined = (np.zeros((len(batches.sizes), len(self.total))) for _ in range(3))

    def add(self, block: Block) -> None:
        from bayesrank.tile.kernels import _tallies

        cells, order = cells_of(block), np.arange(1, len(self.total) + 1)
        found: dict[int, np.ndarray] = {}

        def count(part: slice) -> None:
            if part.start == part.stop:  # more threads than points: the next part starts there, too
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
        """Rank probabilities, and the errors of those of the first rank and of the mean ranks, from batch means."""
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
