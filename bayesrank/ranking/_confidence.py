"""Confidence sets for ranks: which ranks the data leave to each entity, whatever the true scores.

Of two entities the posterior gives the mean :math:`m_{ij}` and the standard deviation :math:`s_{ij}` of how far i is
ahead of j. That i is not ahead of j is one hypothesis for each ordered pair; it is given up where
:math:`m_{ij} > c\\,s_{ij}`, with the critical value c that the largest :math:`(d_{ij} - m_{ij}) / s_{ij}` of a draw,
over all pairs that may still err, exceeds with probability 1 - prob. A hypothesis that was given up errs no more: with
it left out, c is found again, until nothing changes (the stepdown). Its reverse stays.

If no hypothesis was given up wrongly, every true rank lies between 1 plus the number of those surely ahead and K minus
the number of those surely behind. With one c a standard deviation obeys the triangle inequality, so that who is surely
ahead of one who is surely ahead of a third is surely ahead of that.

Mogstad, Romano, Shaikh, Wilhelm (2024), Inference for ranks with applications to mobility across neighborhoods and
academic achievement across countries, Review of Economic Studies 91:476-518, with the posterior in place of the
bootstrap; the stepdown is that of Romano and Wolf (2005), Exact and approximate stepdown methods for multiple
hypothesis testing, Journal of the American Statistical Association 100:94-108.
"""

from typing import NamedTuple

import numpy as np

#: A spread below this share of the spreads that it is the difference of is what rounding left (of variances).
ROUNDING = 1e-12


class Sets(NamedTuple):
    """Ranks that are left to each entity, and the critical value that they were found with."""

    lower: np.ndarray
    upper: np.ndarray
    #: Infinite where the draws are too few to tell it.
    critical: float


def confidence_sets(y: np.ndarray, prob: float, worth: float) -> Sets:
    """Sets for the ranks of all entities, jointly at ``prob``, from values (draw, entity) of which higher is better.

    Parameters
    ----------
    y : ndarray
        NaN where undefined: such a draw says nothing of this entity's pairs.
    prob : float
        Confidence.
    worth : float
        Independent draws that the draws are worth; with fewer than 1 / (1 - prob), or NaN, nothing is sure.

    Examples
    --------
    >>> y = np.random.default_rng(1).normal([0.0, 0.1, 9.0], 1.0, (4000, 3))
    >>> lower, upper, critical = confidence_sets(y, 0.95, 4000)
    >>> lower.tolist(), upper.tolist()
    ([2, 2, 1], [3, 3, 1])
    """
    draws, size = y.shape
    beyond = int(np.floor((1 - prob) * (draws + 1) + 1e-9))
    if size < 2 or not worth * (1 - prob) >= 1 - 1e-9 or not beyond:
        return Sets(np.ones(size, int), np.full(size, size), np.inf)
    from bayesrank.ranking._kernel import largest

    lead, spread, rows = _moments(y)
    with np.errstate(divide="ignore"):
        weight = np.where(spread > 0, 1 / spread, 0).astype(rows.dtype)
    found = np.full(draws, np.inf, rows.dtype)
    stale = np.ones(draws, bool)
    largest(rows, weight, found)
    stale = np.zeros(draws, bool)
    sure = np.zeros((size, size), bool)
    while True:
        critical = _critical(rows, weight, found, stale, beyond)
        more = (lead > critical * spread) & ~sure
        if not more.any():
            break
        sure |= more
        weight[more] = 0
        stale[:] = True
    return Sets(1 + sure.sum(axis=0), size - sure.sum(axis=1), critical)


def _critical(rows: np.ndarray, weight: np.ndarray, found: np.ndarray, stale: np.ndarray, beyond: int) -> float:
    """The ``beyond``-largest of the draws' largest leads; those of ``stale`` draws are of more pairs than there are now.

    With fewer pairs a draw's largest lead can only fall, so that a draw has to be looked at again only if it is still
    among the largest.
    """
    from bayesrank.ranking._kernel import largest

    while True:
        top = np.argpartition(found, -beyond)[-beyond:]
        again = np.sort(top[stale[top]])
        if not len(again):
            return float(found[top].min())
        part = np.empty(len(again), rows.dtype)
        largest(np.ascontiguousarray(rows[:, again]), weight, part)
        found[again], stale[again] = part, False


def _moments(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and standard deviation (entity, rival) of how far one is ahead, and centred values (entity, draw).

    Of the draws in which both are defined; NaN where there are none.
    """
    defined = ~np.isnan(y)
    with np.errstate(invalid="ignore"):
        centre = np.nansum(y, axis=0) / defined.sum(axis=0)
    off = y - centre
    rows = np.array(off.T, np.float32, order="C")
    np.nan_to_num(off, copy=False, nan=0.0)
    square = off.T @ off
    own = np.diag(square)
    if defined.all():
        number = len(y)
        mean = centre[:, None] - centre
        variance = (own[:, None] + own - 2 * square) / number
        small = ROUNDING * (own[:, None] + own) / number
    else:
        both = defined.astype(float)
        number = both.T @ both
        number[number == 0] = np.nan
        total, own = off.T @ both, (off**2).T @ both  # of the entity's values, where the rival has one
        shift = (total - total.T) / number
        mean = centre[:, None] - centre + shift
        variance = (own + own.T - 2 * square) / number - shift**2
        small = ROUNDING * (own + own.T) / number
        # Leads are measured from ...
    variance[variance <= small] = 0.0
    mean[np.abs(mean) <= ROUNDING * (np.abs(centre)[:, None] + np.abs(centre))] = 0.0
    return mean, np.sqrt(variance), rows
