"""Certainty of the whole order: the SUCRA of each entity (Salanti, Ades and Ioannidis 2011), and the POTH.

The SUCRA is the mean probability of ranking before a rival, over draws with both defined. The
precision of treatment hierarchy (Wigle et al., arXiv:2501.11596) is the variance of the SUCRAs
relative to that of a certain order.
"""

from typing import Any

import numpy as np

from bayesrank._core.draws import Batches, iterate_blocks
from bayesrank.ranking._loops import positions
from bayesrank.ranking._tallies import mean_of_batches


def poth_of(sucra: np.ndarray) -> float:
    """Return the precision of an order from the SUCRAs of its entities: 0 if all are equal, 1 if it is certain."""
    return float(_scale(len(sucra)) * ((sucra - 0.5) ** 2).sum()) if len(sucra) > 1 else np.nan


def hierarchy(
    preference: np.ndarray,
    twice: np.ndarray,
    ranked: np.ndarray,
    batches: Batches,
    effective_size: float,
) -> dict[str, Any]:
    """Return SUCRAs, NaN if not ranked, and POTH from P(i before j), ties as halves, with errors from batch means.

    ``twice`` is twice the average rank of each draw (draw, entity), 0 where undefined. The error of
    the POTH, a sum of squares, combines its linear part with the effect of the errors of the SUCRAs
    on a hierarchy of equal entities.
    """
    size, full = int(ranked.sum()), np.full((2, len(ranked)), np.nan)
    if size < 2:
        return {"sucra": full[0], "sucra_error": full[1], "poth": np.nan, "poth_error": np.nan}
    before = preference[np.ix_(ranked, ranked)]
    sucra = (before.sum(axis=1) - np.diag(before)) / (size - 1)
    slope = 2 * _scale(size) * (sucra - 0.5)
    sums, numbers = np.zeros((2, len(batches.sizes), size))
    pulls = np.zeros(len(batches.sizes))
    squares, pull_squares = np.zeros(size), 0.0
    whole_table = bool(ranked.all()) and bool((twice > 0).all())
    for block in iterate_blocks(twice, batches):
        if whole_table:
            part = (2 * size - block.values) / (2 * (size - 1))
            numbers[block.batch] += len(part)
            pull = (part - sucra) @ slope
        else:
            part = _beaten(block.values, ranked)
            known = ~np.isnan(part)
            part = np.where(known, part, 0.0)
            numbers[block.batch] += known.sum(axis=0)
            pull = np.einsum("ij,ij,j->i", part - sucra, known, slope)
        sums[block.batch] += part.sum(axis=0)
        squares += (part**2).sum(axis=0)
        pulls[block.batch] += pull.sum()
        pull_squares += (pull**2).sum()
    # An order that is constant over n draws may change in the next: assume one swap of two
    # neighbours.
    _, _, error = mean_of_batches(sums, squares, numbers, effective_size, 1 / (size - 1))
    step = np.sqrt(2 * (slope**2).sum()) / (size - 1)
    _, _, linear = mean_of_batches(pulls, pull_squares, batches.sizes, effective_size, step)
    full[:, ranked] = sucra, error
    poth_error = float(np.hypot(linear, _scale(size) * (error**2).sum()))
    return {
        "sucra": full[0],
        "sucra_error": full[1],
        "poth": poth_of(sucra),
        "poth_error": poth_error,
    }


def _scale(size: int) -> float:
    """Return the factor from a sum of squared differences from 1/2 to a POTH."""
    return 12 * (size - 1) / (size + 1) / size


def _beaten(twice: np.ndarray, ranked: np.ndarray) -> np.ndarray:
    """Return, for each draw, the share of the other ranked and defined entities that each one is before."""
    part = twice[:, ranked]
    defined = part > 0
    number = defined.sum(axis=1, keepdims=True)
    if not ranked.all():
        first, last = positions(np.where(defined, -part.astype(float), np.nan))
        part = first + last + 2
    return np.divide(
        2 * number - part,
        2 * (number - 1),
        out=np.full(part.shape, np.nan),
        where=defined & (number > 1),
    )
