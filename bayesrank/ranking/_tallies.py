"""Tallies over the draws for a credible ranking: ranks and losses block by block, and comparisons of pairs."""

from typing import Any

import numpy as np

from bayesrank._core.draws import (
    BLOCK,
    RARE,
    Batches,
    error_of_squares,
    iterate_blocks,
    mean_error,
    share_error,
)
from bayesrank.ranking._loops import compare_pairs, tied_groups


def tally_ranks(
    x: np.ndarray, sign: int, batches: Batches, effective_size: float
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Rank values (draw, entity) in each draw, highest best after multiplication by ``sign``.

    Return rank probabilities, expected ranks and regrets with their errors, by the variable names
    of the result; and twice the average rank (draw, entity), 0 where undefined.
    """
    size, number = x.shape[1], len(batches.sizes)
    (mass, squares, counts), steps = np.zeros((3, size, size)), np.zeros((size, size + 1))
    twice = np.zeros(x.shape, np.int32)
    defined, ranks, losses = np.zeros((3, number, size))
    rank_squares, loss_squares = np.zeros((2, size))
    for block in iterate_blocks(x, batches, across=True):
        y = sign * block.values
        order = np.argsort(-y, axis=1)  # undefined last
        drawn = slice(block.start, block.start + len(y))
        own = twice[drawn]
        position = (
            order + size * np.arange(len(y))[:, None]
        ).ravel()  # faster than take_along_axis
        ordered = y.reshape(-1)[position].reshape(y.shape)
        first, last = tied_groups(ordered)
        seen = ordered == ordered
        own.reshape(-1)[position] = np.where(seen, first + last + 2, 0).ravel()
        alone = seen & (first == last)
        tied = seen & ~alone
        rank, loss = own / 2, np.where(own > 0, ordered[:, :1] - y, 0.0)
        rank_squares += np.square(rank).sum(axis=0)
        loss_squares += np.square(loss).sum(axis=0)
        place = order * size + first
        which, firsts = batches.within(block.start, len(y))
        for i, low, high in zip(which, firsts, [*firsts[1:], len(y)], strict=True):
            part = slice(low, high)
            counts += np.bincount(place[part][alone[part]], minlength=size * size).reshape(
                size, size
            )
            if tied[part].any():
                # The mass of a tie steps up at the first position of the tied group, and down
                # after the last one.
                of_tied = tied[part]
                start = order[part][of_tied] * (size + 1)
                begin, end = first[part][of_tied], last[part][of_tied]
                share = 1.0 / (end - begin + 1)
                where = np.stack([start + begin, start + end + 1], axis=-1)
                np.add.at(
                    steps.reshape(-1), where.ravel(), np.stack([share, -share], axis=-1).ravel()
                )
            defined[i] += (own[part] > 0).sum(axis=0)
            ranks[i] += rank[part].sum(axis=0)
            losses[i] += loss[part].sum(axis=0)
            if batches.ends[i] <= drawn.stop:  # the batch is complete
                total = np.add.accumulate(steps[:, :-1], axis=1)
                total[total <= 1e-9] = 0.0  # shares of ties may not cancel to the last digit
                total += counts
                mass += total
                squares += total * total / batches.sizes[i]
                counts[:] = steps[:] = 0.0
    probability = mass / batches.number
    error = error_of_squares(probability, squares / batches.number, (batches.sizes > 0).sum())
    error = share_error(probability, error, batches.number + 0 * effective_size, effective_size)
    best = probability[:, 0]
    # A rank that is constant over n draws may change in the next: assume one success in n more
    # draws.
    expected, _, expected_error = mean_of_batches(ranks, rank_squares, defined, effective_size, 1.0)
    regret, spread, regret_error = mean_of_batches(
        losses, loss_squares, defined, effective_size, 0.0
    )
    # A regret that is nearly always, or never, 0 counts as rare.
    rare = np.minimum(best, 1 - best) * effective_size < RARE
    regret_error = np.where(
        rare, np.fmax(regret_error, spread / np.sqrt(effective_size)), regret_error
    )
    result = {
        "rank_probability": probability,
        "rank_probability_error": error,
        "probability_best": best,
        "probability_best_error": error[:, 0],
        "expected_rank": expected,
        "expected_rank_error": expected_error,
        "expected_regret": regret,
        "expected_regret_error": regret_error,
    }
    return result, twice


def compare_draws(
    x: np.ndarray,
    sign: int,
    twice: np.ndarray,
    batches: Batches,
    rope: float,
    efficiencies: Any,
    effective_size: float,
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Compare pairs of values (draw, entity), highest best after ``sign``; ``twice`` are their ranks, doubled.

    Return superiority by more than the ROPE and equivalence, by the variable names of the result,
    and P(i before j), ties as halves and without ROPE, with its error. ``efficiencies`` are the
    effective draws per draw of each pair.
    """
    if rope > 0:
        rows = np.array(x.T, order="C")
        np.multiply(rows, sign, out=rows)
    else:
        # Ranks order the values with half the memory.
        rows = np.array(twice.T, np.float32, order="C")
        rows[rows == 0] = np.nan
        np.negative(rows, out=rows)
    edges = np.concatenate([[0], np.cumsum(batches.sizes)])
    joint, groups, *tables = compare_pairs(rows, edges, rope, ever_tied(twice))
    del rows
    some = positive(joint)
    for table in tables:
        table /= some
    superiority, won_squares, preference, before_squares = tables
    number = some + 0 * effective_size
    superiority_error, preference_error = (
        share_error(share, error_of_squares(share, squares, groups), number, efficiencies * number)
        for share, squares in ((superiority, won_squares), (preference, before_squares))
    )
    equivalence = 1 - superiority - superiority.T
    np.fill_diagonal(equivalence, np.where(np.diag(joint) > 0, 1.0, np.nan))
    result = {
        "superiority": superiority,
        "superiority_error": superiority_error,
        "equivalence": equivalence,
    }
    return result, np.nan_to_num(preference, copy=False, nan=0.5), np.nan_to_num(preference_error)


def ever_tied(twice: np.ndarray) -> np.ndarray:
    """Return which entities share a rank in any draw, from doubled ranks (draw, entity), 0 where undefined."""
    draws, size = twice.shape
    result, few = np.zeros(size, bool), max(BLOCK // size, 1)
    for start in range(0, draws, few):
        part = twice[start : start + few]
        place = part + np.arange(len(part))[:, None] * (2 * size + 1)
        result |= ((np.bincount(place.ravel())[place] > 1) & (part > 0)).any(axis=0)
    return result


def mean_of_batches(
    sums: np.ndarray, squares: Any, numbers: np.ndarray, effective_size: float, step: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mean, standard deviation and error from sums and numbers of batches (batch, ...) and a sum of squares.

    The error is at least that of independent draws, and that of one ``step`` in the effective
    draws.
    """
    number = positive(numbers.sum(axis=0))
    mean = sums.sum(axis=0) / number
    spread = np.maximum(np.sqrt(np.maximum(squares / number - mean**2, 0.0)), np.finfo(float).eps)
    least = np.maximum(spread / np.sqrt(number), step / effective_size)
    return (
        mean,
        spread,
        np.where(np.isnan(least), np.nan, np.fmax(mean_error(sums, numbers), least)),
    )


def positive(number: np.ndarray) -> np.ndarray:
    """Return numbers of draws, NaN instead of 0."""
    return np.where(number > 0, number, np.nan)
