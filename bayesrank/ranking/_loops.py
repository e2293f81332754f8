"""Loops over draws × entities × entities: NumPy for small problems, compiled code for large ones.

Both add the same numbers in the same order, so results agree to the last bit. Importing numba takes longer than ranking
a small problem.
"""

from itertools import pairwise

import numpy as np

from bayesrank._draws import BLOCK

__all__ = ["compare_pairs", "fold_ranks", "largest", "tally_ranks"]

#: Problem size (pairs times draws, or entities times draws) up to which NumPy is used.
SMALL_PAIRS, SMALL_RANKS = 2**22, 2**18


def compare_pairs(
    values: np.ndarray, whole: np.ndarray, edges: np.ndarray, rope: float, joint: np.ndarray, batches: np.ndarray,
    won: np.ndarray, won_squares: np.ndarray, before: np.ndarray, before_squares: np.ndarray,
) -> None:  # fmt: skip
    """Fill tables (entity, rival) from values (entity, draw), with batches of draws between ``edges``.

    ``joint``: number of draws with both defined (all, for entities in ``whole``), in ``batches`` batches; ``won``:
    draws in which the entity beats the rival by more than ``rope``; ``before``: by any margin, with ties as halves.
    ``*_squares`` are sums over batches of squares divided by the joint draws of the batch.
    """
    size, draws = values.shape
    if size * size * draws > SMALL_PAIRS:
        from bayesrank.ranking import _kernel

        _kernel.compare_pairs(values, whole, edges, rope, joint, batches, won, won_squares, before, before_squares)
        return
    defined = ~np.isnan(values)
    for low, high in pairwise(edges):
        part, seen = values[:, low:high], defined[:, low:high].astype(np.int32)
        both = seen @ seen.T
        above = (part[:, None] > part[None]).sum(axis=-1)
        half = (both + above - above.T) / 2
        up = (part[:, None] > part[None] + rope).sum(axis=-1) if rope > 0 else above
        some = np.maximum(both, 1)
        joint += both
        batches += both > 0
        won += up
        won_squares += up * up / some
        before += half
        before_squares += half * half / some


def fold_ranks(steps: np.ndarray, draws: int, mass: np.ndarray, squares: np.ndarray) -> None:
    """Add a complete batch's draws at each rank (entity, rank), and their squares over the number of draws.

    ``steps`` (entity, rank + 1) rise at the first position of a tied group and fall after its last; their running sum
    is the mass.
    """
    total = np.add.accumulate(steps[:, :-1], axis=1)
    total[total <= 1e-9] = 0.0  # shares of ties may not cancel to the last digit
    mass += total
    squares += total * total / draws


def tally_ranks(
    x: np.ndarray, order: np.ndarray, twice: np.ndarray, steps: np.ndarray, defined: np.ndarray, ranks: np.ndarray,
    rank_squares: np.ndarray, losses: np.ndarray, loss_squares: np.ndarray,
) -> None:  # fmt: skip
    """Rank values (draw, entity), higher is better, given an ``order`` (draw, place) from best to undefined.

    Write twice the average rank to ``twice`` (draw, entity), unchanged where undefined, and the input of
    :func:`fold_ranks` to ``steps`` (entity, rank + 1), with ties spread evenly. Add each entity's number of draws,
    ranks, losses against the best of the draw, and their squares.
    """
    if x.size > SMALL_RANKS:
        from bayesrank.ranking import _kernel

        _kernel.tally_ranks(x, order, twice, steps, defined, ranks, rank_squares, losses, loss_squares)
        return
    draws, size = x.shape
    ordered = np.take_along_axis(x, order, axis=1)
    here = np.arange(size)
    starts = np.ones((draws, size), bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(starts, here, 0), axis=1)
    ends = np.ones((draws, size), bool)
    ends[:, :-1] = starts[:, 1:]
    last = np.minimum.accumulate(np.where(ends, here, size)[:, ::-1], axis=1)[:, ::-1]
    seen = ordered == ordered
    place = order[seen]
    share = 1.0 / (last - first + 1)[seen]
    where = np.stack([place * (size + 1) + first[seen], place * (size + 1) + last[seen] + 1], axis=-1)
    np.add.at(steps.reshape(-1), where.ravel(), np.stack([share, -share], axis=-1).ravel())
    both = np.zeros_like(order)
    np.put_along_axis(both, order, np.where(seen, first + last + 2, 0), axis=1)
    known = both > 0
    twice[known] = both[known]
    loss = np.where(known, ordered[:, :1] - x, 0.0)
    defined += known.sum(axis=0)
    for total, more in (
        (ranks, both / 2), (rank_squares, both * both / 4), (losses, loss), (loss_squares, loss * loss)
    ):  # fmt: skip
        # Draw by draw, in the summation order of the compiled loop.
        total[:] = np.add.accumulate(np.vstack([total, more]), axis=0)[-1]


def largest(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray, found: np.ndarray) -> None:
    """Write the largest weighted lead of one entity over another, at least 0, to ``found`` (draw).

    ``rows`` is (entity, draw). Leads are reduced by ``shift`` and multiplied by ``weight`` (entity, rival); leads of
    undefined values are ignored.
    """
    size, draws = rows.shape
    if size * size * draws > SMALL_PAIRS:
        from bayesrank.ranking import _kernel

        _kernel.largest(rows, shift, weight, found)
        return
    found[:] = 0
    few = max(BLOCK // rows.size, 1)  # rivals at once: many arrays of few draws would take longer
    for start in range(0, size, few):
        rivals = slice(start, start + few)
        lead = rows[:, None] - rows[rivals]
        lead -= shift[:, rivals, None]
        lead *= weight[:, rivals, None]
        np.fmax(found, np.fmax.reduce(lead.reshape(-1, draws), axis=0), out=found)
