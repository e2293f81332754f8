"""What kind of function of TNR and TPR a score is: a ratio, a correlation, or one of either rate alone."""

from typing import Any

import numpy as np
from scipy import special

from bayesrank.ranking._board import Scale
from bayesrank.scores.score import Score

__all__ = ["DECIMALS", "LOGITS", "SAME", "fixed", "is_correlation", "is_defined", "needs", "ratio_of", "value_at"]

#: Values that differ by less, and in as many decimals, are one.
SAME, DECIMALS = 1e-12, 12
#: Singular values of a score's values that are 0 but for rounding, and that are not; coefficients that are 0.
NONE, SOME, ROUNDED = 1e-13, 1e-10, 1e-12
#: Scores so near to an end of their range are rounded.
TOLD = 14.0
#: Logits at which closed contours are tried.
LOGITS = np.array([-30.0, -15.0, -5.0, -1.0, 0.5, 3.0, 10.0, 25.0])


def value_at(score: Score, zeta: Any, eta: Any, share: Any) -> np.ndarray:
    """The score, higher is better, where TNR and TPR have these logits.

    Examples
    --------
    >>> from bayesrank.scores import as_score
    >>> value_at(as_score("informedness"), 0.0, np.inf, 0.5).item()
    0.5
    """
    right, wrong = special.expit(zeta), special.expit(-np.asarray(zeta))
    hit, miss = special.expit(eta), special.expit(-np.asarray(eta))
    values = score.unclipped((1 - share) * right, (1 - share) * wrong, share * miss, share * hit)
    return values if score.higher_is_better else -values


def ratio_of(score: Score, scale: Scale, share: float) -> np.ndarray | None:
    """Two bilinear functions of TNR and TPR that are in the ratio of the score's distances from the ends of its range.

    As their values in the corners (side, TNR, TPR). An end at infinity is as far as 1, or less, far away. Most
    scores are ratios of bilinear functions, which follow from a few values, and are tried at others; else None.

    Examples
    --------
    >>> from bayesrank.scores import as_score
    >>> ratio = ratio_of(as_score("jaccard"), Scale(0.0, 1.0), 0.5)
    >>> (ratio / ratio[0, 1, 1]).round(9).tolist()  # TPR, and 1 - TPR + FPR
    [[[0.0, 1.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 0.0]]]
    """
    x, y = np.random.default_rng(1).uniform(0.1, 0.9, (2, 24))
    seen = value_at(score, special.logit(x), special.logit(y), share)
    for terms in (np.stack([0 * x + 1, x, y], 1), np.stack([0 * x + 1, x, y, x * y], 1)):
        _, size, vectors = np.linalg.svd(np.hstack([terms, -seen[:, None] * terms]))
        if not size[-1] < NONE * size[0] or not size[-2] > SOME * size[0]:
            continue
        over, under = vectors[-1].reshape(2, -1)
        below = terms @ under
        if not (below > 0).all() and not (below < 0).all():
            continue
        corners = np.array([[[1, i, j, i * j] for j in (0, 1)] for i in (0, 1)])[..., : terms.shape[1]]
        over, under = corners @ over * np.sign(below[0]), corners @ under * np.sign(below[0])
        ends = (
            over - scale.low * under if scale.low > -np.inf else under if scale.high < np.inf else over,
            scale.high * under - over if scale.high < np.inf else under,
        )
        ratio = np.stack(ends)
        ratio[np.abs(ratio) < ROUNDED * np.abs(np.stack([over, under])).max()] = 0.0
        return ratio if _is_ratio(score, scale, share, ratio) else None
    return None


def _is_ratio(score: Score, scale: Scale, share: float, ratio: np.ndarray) -> bool:
    """Whether the score is that everywhere, as far as it can be told."""
    wanted = scale.x(value_at(score, LOGITS[:, None], LOGITS, share))
    rates = np.stack([special.expit(-LOGITS), special.expit(LOGITS)])
    up, down = np.einsum("kij,ia,jb->kab", ratio, rates, rates)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _are_same(up / down if np.isinf([scale.low, scale.high]).all() else np.log(up / down), wanted)


def _are_same(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Where scores can be told from the ends of their range; near to these they are rounded."""
    told = np.abs(wanted) < TOLD
    return bool(told.any() and (np.abs(found - wanted)[told] < 1e-6 * (1 + np.abs(wanted[told]))).all())


def is_correlation(score: Score, scale: Scale, share: float) -> bool:
    """Whether a score is MCC, as far as it can be told at a few values.

    Examples
    --------
    >>> from bayesrank.scores import as_score
    >>> [is_correlation(as_score(name), Scale(-1.0, 1.0), 0.3) for name in ("mcc", "markedness", "informedness")]
    [True, False, False]
    """
    if (scale.low, scale.high) != (-1.0, 1.0) or not score.higher_is_better or not 0.0 < share < 1.0:
        return False
    zeta, eta = LOGITS[:, None], LOGITS
    wanted, m, a = scale.x(value_at(score, zeta, eta, share)), (zeta + eta) / 2, np.exp((zeta - eta) / 2)
    rest = (share * a + (1 - share) / a) * np.exp(m) + 2 + (share / a + (1 - share) * a) * np.exp(-m)
    return _are_same(2 * np.arcsinh(2 * np.sqrt(share * (1 - share) / rest) * np.sinh(m)), wanted)


def is_defined(score: Score, tnr: np.ndarray, tpr: np.ndarray, share: float) -> bool:
    """Whether the score of an entity with these Beta parameters has a value.

    Examples
    --------
    >>> from bayesrank.scores import as_score
    >>> [is_defined(as_score(name), np.array([9.0, 0.0]), np.array([5.0, 2.0]), 0.5) for name in ("tpr", "lr+")]
    [True, False]
    """
    zeta, eta = (
        np.nan if not rate.any() else np.nan_to_num(fixed(rate), posinf=np.inf, neginf=-np.inf) for rate in (tnr, tpr)
    )
    return bool(np.isfinite(value_at(score, zeta, eta, share)))


def needs(score: Score, share: float) -> tuple[bool, bool]:
    """Whether a score depends on TNR, and on TPR.

    Examples
    --------
    >>> from bayesrank.scores import as_score
    >>> [needs(as_score(name), 0.3) for name in ("tpr", "fpr", "mcc", "prevalence")]
    [(False, True), (True, False), (True, True), (False, False)]
    """
    seen = value_at(score, LOGITS[:, None], LOGITS, share)
    slack = SAME * max(np.abs(seen).max(), 1)
    return tuple(bool((np.ptp(seen, axis=axis) > slack).any()) for axis in (0, 1))  # type: ignore[return-value]


def fixed(rate: np.ndarray) -> float:
    """The logit of a rate that is 0 or 1; NaN where it may be anything."""
    right, wrong = rate
    return np.inf if wrong <= 0 else -np.inf if right <= 0 else np.nan
