"""Loops over draws × entities × entities: NumPy for small problems, compiled code for large ones.

Both add the same numbers in the same order, so results agree to the last bit. Importing numba takes longer than ranking
a small problem; without numba (in a browser), NumPy does all.
"""

from itertools import pairwise

import numpy as np

from bayesrank._compiled import can_compile
from bayesrank._draws import BLOCK

#: Number of pairs times draws up to which NumPy is used.
SMALL_PAIRS = 2**22


def compare_pairs(values: np.ndarray, edges: np.ndarray, rope: float) -> list[np.ndarray]:
    """Return tables (entity, rival) from values (entity, draw), with batches of draws between ``edges``.

    Number of draws with both defined, and of batches with such draws; draws in which the entity beats the rival by more
    than ``rope``, and the sum over batches of their squares divided by the joint draws of the batch; and the same for
    draws in which it is before by any margin, with ties as halves.
    """
    size, draws = values.shape
    tables = [np.zeros((size, size), kind) for kind in (np.int32, np.int32, float, float, float, float)]
    defined = ~np.isnan(values)
    if size * size * draws > SMALL_PAIRS and can_compile():
        from bayesrank.ranking import _kernel

        _kernel.compare_pairs(values, defined.all(axis=1), edges, rope, *tables)
        return tables
    joint, batches, won, won_squares, before, before_squares = tables
    for low, high in pairwise(edges):
        part, seen = values[:, low:high], defined[:, low:high].astype(float)  # products of integers take longer
        both = (seen @ seen.T).astype(np.int32)
        above = (part[:, None] > part[None]).sum(axis=-1, dtype=np.int32)
        half = (both + above - above.T) / 2
        up = (part[:, None] > part[None] + rope).sum(axis=-1, dtype=np.int32) if rope > 0 else above
        some = np.maximum(both, 1)
        joint += both
        batches += both > 0
        won += up
        won_squares += np.square(up, dtype=float) / some
        before += half
        before_squares += half * half / some
    return tables


def tied_groups(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and last position (from 0) of each value's tied group, in values sorted along the last axis."""
    index = np.arange(ordered.shape[-1], dtype=np.int32)
    starts = np.ones(ordered.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    if starts.all():
        alone = np.broadcast_to(index, ordered.shape)
        return alone, alone
    ends = np.ones(ordered.shape, bool)
    ends[..., :-1] = starts[..., 1:]
    first = np.maximum.accumulate(np.where(starts, index, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, index, ordered.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def largest(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the largest weighted lead of one entity over another, at least 0 (draw).

    ``rows`` is (entity, draw). Leads are reduced by ``shift`` and multiplied by ``weight`` (entity, rival); leads of
    undefined values are ignored.
    """
    size, draws = rows.shape
    if size * size * draws > SMALL_PAIRS and can_compile():
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
