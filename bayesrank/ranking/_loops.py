"""Loops over draws × entities × entities: NumPy for small problems, compiled code for large ones.

Both add the same numbers, in the same order unless their sum is in single precision. Importing
numba takes longer than ranking a small problem; without numba (in a browser), NumPy does all.
"""

from itertools import pairwise

import numpy as np

from bayesrank._core.compiled import can_compile
from bayesrank._core.draws import BLOCK

#: Number of pairs times draws up to which NumPy is used.
SMALL_PAIRS = 2**22


def compare_pairs(
    values: np.ndarray, edges: np.ndarray, rope: float, tied: np.ndarray
) -> list[np.ndarray]:
    """Return tables (entity, rival) from values (entity, draw), with batches of draws between ``edges``.

    Two entities have equal values only if both are ``tied`` (entity).

    Number of draws with both defined, and of batches with such draws; draws in which the entity
    beats the rival by more than ``rope``, and the sum over batches of their squares divided by the
    joint draws of the batch; and the same for draws in which it is before by any margin, with ties
    as halves.
    """
    size, draws = values.shape
    tables = [
        np.zeros((size, size), kind) for kind in (np.int32, np.int32, float, float, float, float)
    ]
    defined = ~np.isnan(values)
    if size * size * draws > SMALL_PAIRS and can_compile():
        from bayesrank.ranking import _kernel

        _kernel.compare_pairs(values, defined.all(axis=1), tied, edges, rope, *tables)
        return tables
    joint, batches, won, won_squares, before, before_squares = tables
    for low, high in pairwise(edges):
        part, seen = (
            values[:, low:high],
            defined[:, low:high].astype(float),
        )  # products of integers take longer
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
    last = np.minimum.accumulate(np.where(ends, index, ordered.shape[-1])[..., ::-1], axis=-1)[
        ..., ::-1
    ]
    return first, last


def positions(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first and last position (from 0) of each value's tied group on the last axis, highest first, NaN last."""
    order = np.argsort(-values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    out = np.empty((2, *values.shape), np.int32)
    for group, position in zip(tied_groups(ordered), out, strict=True):
        np.put_along_axis(position, order, group, axis=-1)
    return out[0], out[1]


def largest(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the largest weighted lead of one entity over another, at least 0 (draw).

    ``rows`` is (entity, draw). Leads are reduced by ``shift`` and multiplied by ``weight`` (entity,
    rival); leads of undefined values are ignored.
    """
    size, draws = rows.shape
    if size * size * draws > SMALL_PAIRS and can_compile():
        from bayesrank.ranking import _kernel

        return _kernel.largest(rows, shift, weight)
    result = np.zeros(draws, rows.dtype)
    few = max(
        BLOCK // max(rows.size, 1), 1
    )  # rivals at once: many arrays of few draws would take longer
    for start in range(0, size, few):
        rivals = slice(start, start + few)
        lead = rows[:, None] - rows[rivals]
        lead -= shift[:, rivals, None]
        lead *= weight[:, rivals, None]
        np.fmax(result, np.fmax.reduce(lead.reshape(-1, draws), axis=0), out=result)
    return result


def largest_of_each(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the largest weighted lead of each entity over another, or of another over it (entity, draw).

    It is at least 0. The largest one over all entities is that of :func:`largest`.
    """
    size, draws = rows.shape
    if size * size * draws > SMALL_PAIRS and can_compile():
        from bayesrank.ranking import _kernel

        return _kernel.largest_of_each(rows, shift, weight)
    result = np.zeros_like(rows)
    for i in range(size - 1):
        lead = rows[i] - rows[i + 1 :]
        if shift.any():
            lead -= shift[i, i + 1 :, None]
        largest_of_two = lead * weight[i, i + 1 :, None]
        np.fmax(
            largest_of_two,
            np.multiply(lead, -weight[i + 1 :, i, None], out=lead),
            out=largest_of_two,
        )
        np.fmax(result[i], np.fmax.reduce(largest_of_two, axis=0), out=result[i])
        np.fmax(result[i + 1 :], largest_of_two, out=result[i + 1 :])
    return result


def lower_spreads(rows: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return the root mean square of the negative draws of each lead (entity, rival), of centred leads.

    Draws in which one of the two is undefined do not count. It is the standard deviation if the
    lead is symmetric.
    """
    size, draws = rows.shape
    squares, below = np.zeros((size, size)), np.zeros((size, size))
    if size * size * draws > SMALL_PAIRS and can_compile():
        from bayesrank.ranking import _kernel

        _kernel.lower_squares(rows, shift, squares, below)
    else:
        full = not np.isnan(rows).any()
        for i in range(size - 1):
            lead = rows[i] - rows[i + 1 :]
            if shift.any():
                lead -= shift[i, i + 1 :, None]
            if not full:
                np.nan_to_num(lead, copy=False)
            # Row by row, as a sum of booleans along an axis takes five times as long.
            below[i, i + 1 :] = [np.count_nonzero(row) for row in lead < 0]
            below[i + 1 :, i] = [np.count_nonzero(row) for row in lead > 0]
            low = np.minimum(lead, 0)
            less, all_squares = (np.einsum("jd,jd->j", part, part) for part in (low, lead))
            squares[i, i + 1 :], squares[i + 1 :, i] = less, np.maximum(all_squares - less, 0.0)
    return np.sqrt(squares / np.maximum(below, 1.0))


def lower_spreads_of(
    rows: np.ndarray, shift: np.ndarray, one: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """Return the spreads of :func:`lower_spreads` for the leads of some entities over others (pair)."""
    squares, below, less = np.zeros(len(one)), np.zeros(len(one)), shift[one, other]
    if len(one) * rows.shape[1] > SMALL_PAIRS and can_compile():
        from bayesrank.ranking import _kernel

        _kernel.lower_squares_of(rows, one, other, less, squares, below)
    else:
        few = max(BLOCK // rows.shape[1], 1)
        for start in range(0, len(one), few):
            part = slice(start, start + few)
            lead = rows[one[part]] - rows[other[part]]
            lead -= less[part, None]
            below[part] = (lead < 0).sum(axis=1)
            low = np.fmin(lead, 0)  # 0 where undefined
            squares[part] = np.einsum("pd,pd->p", low, low)
    return np.sqrt(squares / np.maximum(below, 1.0))
