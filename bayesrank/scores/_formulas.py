"""Formulas of two-class scores on the four cells, homogeneous of degree 0: ratios of sums of products."""

from typing import Any

import numpy as np
from scipy.special import ndtri

from bayesrank.scores.score import ratio


def balanced_accuracy(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * (tn + fp) + tn * (tp + fn), 2 * (tp + fn) * (tn + fp))


def informedness(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, (tp + fn) * (tn + fp))


def markedness(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, (tp + fp) * (tn + fn))


def mcc(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    # Through informedness and markedness (U Eq. 40): single ratios, so that proportional counts tie exactly.
    root = np.sqrt(informedness(tn, fp, fn, tp) * markedness(tn, fp, fn, tp))
    return np.sign(tp * tn - fp * fn) * root


def cohen_kappa(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def bias_index(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(fp - fn, tn + fp + fn + tp)


def g_mean(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.sqrt(ratio(tp * tn, (tp + fn) * (tn + fp)))


def fowlkes_mallows(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.sqrt(ratio(tp * tp, (tp + fp) * (tp + fn)))


def p4(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    margins = (tn + fp) * (fn + tp) * (tn + fn) * (fp + tp)
    # The harmonic mean of four zeros, where no answer is right, is 0.
    mean = np.where(tn + tp > 0, ratio(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn)), 0.0)
    return np.where(margins > 0, mean, np.nan)


def positive_likelihood_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * (tn + fp), (tp + fn) * fp)


def negative_likelihood_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(fn * (tn + fp), (tp + fn) * tn)


def diagnostic_odds_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn, fp * fn)


def prevalence_threshold(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    root_fpr, root_tpr = np.sqrt(ratio(fp, tn + fp)), np.sqrt(ratio(tp, fn + tp))
    return ratio(root_fpr, root_tpr + root_fpr)


def scott_pi(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    wrong = fp + fn
    return ratio(4 * tp * tn - wrong * wrong, (2 * tp + wrong) * (2 * tn + wrong))


def gwet_ac1(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    total, wrong = tn + fp + fn + tp, fp + fn
    chance = (2 * tp + wrong) * (2 * tn + wrong)  # times 2 · total²
    return ratio(2 * total * (tn + tp) - chance, 2 * total * total - chance)


def chance_agreement(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio((tn + fp) * (tn + fn) + (fn + tp) * (fp + tp), (tn + fp + fn + tp) ** 2)


def bennett_s(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tn + tp - fp - fn, tn + fp + fn + tp)


def determinant(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, (tn + fp + fn + tp) ** 2)


def acp(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return (ratio(tp, fn + tp) + ratio(tn, tn + fp) + ratio(tp, fp + tp) + ratio(tn, tn + fn)) / 4


def d_prime(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ndtri(ratio(tp, fn + tp)) - ndtri(ratio(fp, tn + fp))


def standardized_ppv(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * (tn + fp), tp * (tn + fp) + fp * (fn + tp))


def standardized_npv(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tn * (fn + tp), tn * (fn + tp) + fn * (tn + fp))


def lift(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * (tn + fp + fn + tp), (fp + tp) * (fn + tp))


def frequency_bias(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(fp + tp, fn + tp)


def gilbert_skill_score(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, (tn + fp + fn + tp) * (fp + fn + tp) - (fp + tp) * (fn + tp))


def doolittle_skill_score(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio((tp * tn - fp * fn) ** 2, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def yule_q(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, tp * tn + fp * fn)


def yule_y(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    right, wrong = tp * tn, fp * fn
    right, wrong = np.sqrt(ratio(right, right + wrong)), np.sqrt(ratio(wrong, right + wrong))
    return ratio(right - wrong, right + wrong)


def optimized_precision(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    tpr, tnr = ratio(tp, fn + tp), ratio(tn, tn + fp)
    return ratio(tn + tp, tn + fp + fn + tp) - ratio(np.abs(tnr - tpr), tnr + tpr)


def index_of_balanced_accuracy(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    tpr, tnr = ratio(tp, fn + tp), ratio(tn, tn + fp)
    return (1 + tpr - tnr) * tpr * tnr


def braun_blanquet(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp, tp + np.maximum(fp, fn))


def simpson(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    defined = ((fp + tp) > 0) & ((fn + tp) > 0)
    return np.where(defined, ratio(tp, tp + np.minimum(fp, fn)), np.nan)


def kulczynski(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return (ratio(tp, fp + tp) + ratio(tp, fn + tp)) / 2
