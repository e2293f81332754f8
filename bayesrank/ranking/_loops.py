"""Loops over draws × entities × entities: NumPy for small problems, compiled code for large ones.

Both add the same numbers in the same order, so results agree to the last bit. Importing numba takes longer than ranking
a small problem.
"""

from itertools import pairwise

import numpy as np

from bayesrank._draws import BLOCK

#: Problem size (pairs times draws, or entities times draws) up to which NumPy is used.
SMALL_PAIRS, SMALL_RANKS = 2**22, 2**18


def compare_pairs(values: np.ndarray, edges: np.ndarray, rope: float) -> list[np.ndarray]:
    """Return tables (entity, rival) from values (entity, draw), with batches of draws between ``edges``.

    Number of draws with both defined, and of batches with such draws; draws in which the entity beats the rival by more
    than ``rope``, and the sum over batches of their squares divided by the joint draws of the batch; and the same for
    draws in which it is before by any margin, with ties as halves.
    """
    size, draws = values.shape
    tables = [np.zeros((size, size), kind) for kind in (np.int32, np.int32, float, float, float, float)]
    defined = ~np.isnan(values)
    if size * size * draws > SMALL_PAIRS:
        from bayesrank.ranking import _kernel

        _kernel.compare_pairs(values, defined.all(axis=1), edges, rope, *tables)
        return tables
    joint, batches, won, won_squares, before, before_squares = tables
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
    return tables


def tied_groups(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last position (from 0) of each value's tied group, in values sorted along the last axis."""
    index = np.arange(ordered.shape[-1], dtype=np.int32)
    starts = np.ones(ordered.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(ordered.shape, bool)
    ends[..., :-1] = starts[..., 1:]
    first = np.maximum.accumulate(np.where(starts, index, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, index, ordered.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def tally_ranks(
    x: np.ndarray, order: np.ndarray, twice: np.ndarray, steps: np.ndarray, defined: np.ndarray, ranks: np.ndarray,
    rank_squares: np.ndarray, losses: np.ndarray, loss_squares: np.ndarray,
) -> None:  # fmt: skip
    """Rank values (draw, entity), higher is better, given an ``order`` (draw, place) from best to undefined.

    Write twice the average rank to ``twice`` (draw, entity), unchanged where undefined. Add the steps of each entity's
    mass over the ranks to ``steps`` (entity, rank + 1), with ties spread evenly, and its number of draws, ranks, losses
    against the best of the draw, and their squares.
    """
    if x.size > SMALL_RANKS:
        from bayesrank.ranking import _kernel

        _kernel.tally_ranks(x, order, twice, steps, defined, ranks, rank_squares, losses, loss_squares)
        return
    size = x.shape[1]
    ordered = np.take_along_axis(x, order, axis=1)
    first, last = tied_groups(ordered)
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


def largest(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the largest weighted lead of one entity over another, at least 0 (draw).

    ``rows`` is (entity, draw). Leads are reduced by ``shift`` and multiplied by ``weight`` (entity, rival); leads of
    undefined values are ignored.
    """
    size, draws = rows.shape
    if size * size * draws > SMALL_PAIRS:
        from bayesrank.ranking import _kernel

        return _kernel.largest(rows, shift, weight)
    found = np.zeros(draws, rows.dtype)
    few = max(BLOCK // rows.size, 1)  # rivals at once: many arrays of few draws would take longer
    for start in range(0, size, few):
        rivals = slice(start, start + few)
        lead = rows[:, None] - rows[rivals]
        lead -= shift[:, rivals, None]
        lead *= weight[:, rivals, None]
        np.fmax(found, np.fmax.reduce(lead.reshape(-1, draws), axis=0), out=found)
    return found
