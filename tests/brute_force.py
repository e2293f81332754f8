"""The distribution of a score by brute force: a sum over one rate, and a search for the other one."""

import numpy as np
from scipy import special

import bayesrank as br


def logits(a, b, size):
    """Log odds of a Beta variable in equal steps, and their weights."""
    x = np.linspace(
        special.logit(special.betaincinv(a, b, 1e-16)),
        -special.logit(special.betaincinv(b, a, 1e-16)),
        size,
    )
    log = a * special.log_expit(x) + b * special.log_expit(-x)
    weight = np.exp(log - log.max())
    return x, weight / weight.sum()


def probability_below(score, value, tpr, tnr, share, size=2_001):
    """P(score <= value), for the Beta parameters (right, wrong) of both rates and a prevalence.

    The sum is over the rate that moves the score less, on whose scale the probability of the other one changes slowly.
    """
    score = br.scores.as_score(score)

    def value_at(tpr, tnr):
        right, wrong = special.expit(tnr), special.expit(-tnr)
        hit, miss = special.expit(tpr), special.expit(-tpr)
        values = score.of_cells((1 - share) * right, (1 - share) * wrong, share * miss, share * hit)
        return values if score.higher_is_better else -values

    (y, tpr_weight), (z, tnr_weight) = logits(*tpr, size), logits(*tnr, size)
    low, middle, high = size // 3, size // 2, -(size // 3)
    moved = [
        np.ptp(value_at(y[[low, high]], z[middle])),
        np.ptp(value_at(y[middle], z[[low, high]])),
    ]
    over_tpr = moved[0] < moved[1]
    x, weight, other = (y, tpr_weight, tnr) if over_tpr else (z, tnr_weight, tpr)
    low, high = np.full(size, -60.0), np.full(size, 60.0)
    for _ in range(60):
        middle = (low + high) / 2
        worse = value_at(*((x, middle) if over_tpr else (middle, x))) <= (
            value if score.higher_is_better else -value
        )
        low, high = np.where(worse, middle, low), np.where(worse, high, middle)
    below = weight @ special.betainc(*other, special.expit(high))
    return below if score.higher_is_better else 1 - below
