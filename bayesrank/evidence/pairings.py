"""How much wider rank sets of votes, and intervals of shared votes, are if earlier votes may have chosen the pairs."""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, chdtri, expit, ndtr, ndtri

#: Below this probability by chance, numbers of votes on pairs are uneven, or depend on how close
#: the strengths are.
UNEVEN = 0.01
#: Steps of Newton's method, and 1 / variance of the prior of strengths.
STEPS, PRECISION = 20, 0.25


class Pairing(NamedTuple):
    """What the numbers of votes on pairs say about how these were chosen."""

    factor: float  #: Of critical values; 1 if chance explains the numbers.
    of_intervals: float  #: Of intervals of votes that share voters or questions.
    close: bool = False  #: Whether entities of close strengths met more often.
    fewest: int = 0  #: The smallest and the largest number of votes on a pair.
    most: int = 0


def looking_factor(pairs: int, growth: float, level: float = 0.05) -> float:
    """Return the factor by which a critical value grows, if it must hold while a sample grows.

    The sample has at last ``growth`` times its first size. A sampling rule that follows earlier
    results may stop where the error of one of ``pairs`` differences is largest. The probability
    that this standardised error ever exceeds c is about 2Φ(-c) + (c - 1/c) φ(c) log(growth).
    """
    alpha = level / pairs
    once = -ndtri(alpha / 2)

    def beyond(c: float) -> float:
        density = np.exp(-(c**2) / 2) / np.sqrt(2 * np.pi)
        return float(2 * ndtr(-c) + (c - 1 / c) * density * np.log(growth) - alpha)

    if growth <= 1:
        return 1.0
    from scipy.optimize import brentq  # takes longer to import than a small ranking

    return float(brentq(beyond, once, once + 10)) / once


def matching_factor(numbers: np.ndarray, level: float = 0.05, share: float = 0.5) -> float:
    """Return the factor by which a critical value grows, if votes were spent on entities that looked equal so far.

    ``numbers`` (entity, rival) are those of votes. Such a rule favours no single difference: where
    neighbours meet, the errors of their differences add up. The factor is that of the joint
    confidence region of all strengths (Scheffé), whose squared radius is larger by half the
    logarithm of the growth of its information, log(det V / det V₀). V are the votes, and V₀ the
    first ones, which nothing chose: as many on each pair as the pair with the fewest has, and at
    least one of each entity. A bound for every rule has the whole logarithm (Abbasi-Yadkori, Pál
    and Szepesvári 2011, theorem 1); half of it was enough in simulations (docs/measured/votes.md).
    ``share`` is the share of it that is taken.
    """
    entities = len(numbers)
    on_pairs = numbers[np.triu_indices(entities, 1)]
    first = entities * max(on_pairs.min(), 1 / (entities - 1))
    information = np.linalg.eigvalsh(np.diag(numbers.sum(axis=0)) - numbers)[1:]
    growth = np.log(np.maximum(information / first, 1.0)).sum()
    return float(
        np.sqrt(chdtri(entities - 1, level) + share * growth) / -ndtri(level / 2 / len(on_pairs))
    )


def uneven_factor(numbers: np.ndarray) -> float:
    """Return the factor of the critical value for uneven votes (entity, rival); 1 if chance explains them."""
    on_pairs = numbers[np.triu_indices(len(numbers), 1)]
    mean, free = on_pairs.mean(), len(on_pairs) - 1
    # The variance of one term of a chi-square of few votes, which are Poisson, is larger than 2.
    excess = (on_pairs.var() * len(on_pairs) / mean - free) / np.sqrt(1 + 1 / (2 * mean))
    if chdtrc(free, max(free + excess, 0.0)) > UNEVEN:
        return 1.0
    first = max((len(numbers) - 1) * on_pairs.min(), 1)
    return looking_factor(len(on_pairs), float(numbers.sum(axis=0).max() / first))


def close_strengths_met(numbers: np.ndarray, strength: np.ndarray) -> bool:
    """Return whether entities of close estimated strengths have more votes (entity, rival) than chance explains."""
    from scipy.stats import rankdata

    first, second = np.triu_indices(len(numbers), 1)
    on_pairs = numbers[first, second]
    # The ranks of the differences, as logarithms, have most weight where strengths are closest.
    near = -np.log(rankdata(np.abs(strength[first] - strength[second])))
    spread = near.std() * on_pairs.std()
    if not spread > 0:
        return False
    # A correlation of permuted numbers has mean 0 and variance 1 / (pairs - 1).
    correlation = ((near - near.mean()) * (on_pairs - on_pairs.mean())).mean() / spread
    return bool(correlation * np.sqrt(len(on_pairs) - 1) > -ndtri(UNEVEN))


def estimate_strengths(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Return strengths (entity) by Newton's method, finite for perfect records, too: ties are half wins."""
    numbers, won = wins + wins.T + ties, (wins + ties / 2).sum(axis=1)
    strength = np.zeros(len(wins))
    for _ in range(STEPS):
        share = expit(strength[:, None] - strength)
        weight = numbers * share * (1 - share)
        slope = won - (numbers * share).sum(axis=1) - PRECISION * strength
        information = np.diag(weight.sum(axis=1) + PRECISION) - weight
        strength += np.clip(np.linalg.solve(information, slope), -2, 2)
    return strength


def pairing_factor(wins: np.ndarray, ties: np.ndarray, share: float = 0.5) -> tuple[float, bool]:
    """Return the factor of the critical value, and whether close strengths met more often; 1 if votes seem random.

    ``wins`` and ``ties`` (entity, rival) are those of at least three entities. For ``share``, see
    :func:`matching_factor`.
    """
    numbers = wins + wins.T + ties
    factor = uneven_factor(numbers)
    if not close_strengths_met(numbers, estimate_strengths(wins, ties)):
        return factor, False
    return max(factor, matching_factor(numbers, share=share)), True


def pairing_of(wins: np.ndarray, ties: np.ndarray, pool: np.ndarray) -> Pairing:
    """Return the largest factors of the connected pools (entity) of votes (entity, rival).

    Intervals take the bound for every rule: half of it covers too little where votes share tastes.
    """
    result = Pairing(1.0, 1.0)
    for name in np.unique(pool):
        members = np.flatnonzero(pool == name)
        if len(members) < 3:
            continue
        among = np.ix_(members, members)
        factor, close = pairing_factor(wins[among], ties[among])
        if factor > result.factor:
            on_pairs = (wins + wins.T + ties)[among][np.triu_indices(len(members), 1)]
            of_intervals, _ = pairing_factor(wins[among], ties[among], share=1.0)
            result = Pairing(factor, of_intervals, close, int(on_pairs.min()), int(on_pairs.max()))
    return result
