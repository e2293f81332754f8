"""Scores of rates: sums, products and ratios of TPR, TNR, FPR and FNR, independent of prevalence."""

from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from bayesrank.scores.averages import Average
from bayesrank.scores.derived import logarithm
from bayesrank.scores.forms import Contour, corners, half_plane
from bayesrank.scores.formulas.probabilities import TPR
from bayesrank.scores.names import (
    BOTH_CLASSES,
    FOUNDATIONS,
    INFINITY,
    METRICS,
    TILE,
    add,
    quotient,
    score,
)
from bayesrank.scores.score import ratio

rate_score = partial(score, depends_on_prevalence=False)
rate_quotient = partial(quotient, depends_on_prevalence=False)


@rate_quotient(
    "BA",
    "(TPR + TNR) / 2",
    "bacc ba",
    matrix_function=Average("macro", TPR, cases_only=True),
    domain=BOTH_CLASSES,
    reference=TILE,
    contour=Contour(lambda k, x, p, n: 2 * k - 1 + x),
    area=lambda value, prevalence: half_plane(1.0, 1.0, 2 * value),
)
def balanced_accuracy(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * (tn + fp) + tn * (tp + fn), 2 * (tp + fn) * (tn + fp)


@rate_quotient(
    "J_Y",
    "TPR + TNR - 1",
    "bm delta_p_prime youden youden_j youden_index youden_j_statistic bookmaker_informedness peirce_skill_score "
    "true_skill_statistic tss balanced_kappa kappa_bal",
    range=(-1.0, 1.0),
    domain=BOTH_CLASSES,
    reference=f"{TILE}; Youden (1950)",
    contour=Contour(lambda k, x, p, n: k + x),
    area=lambda value, prevalence: half_plane(1.0, 1.0, 1 + value),
)
def informedness(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * tn - fp * fn, (tp + fn) * (tn + fp)


def _root_of_rates(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.sqrt(ratio(tp * tn, (tp + fn) * (tn + fp)))


def _g_mean_area(value: Any, prevalence: Any) -> Any:
    product = np.square(value)
    return product * (1 - np.log(np.maximum(product, 1e-300)))


@rate_score(
    "GM",
    "sqrt(TPR TNR)",
    "geometric_mean gm",
    matrix_function=Average("geometric", TPR),
    domain=BOTH_CLASSES,
    reference=TILE,
    contour=Contour(lambda k, x, p, n: np.where(k >= 0, k**2 / (1 - x), np.nan)),
    area=_g_mean_area,
)
def g_mean(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return _root_of_rates(tn, fp, fn, tp)


@score(
    "AGM",
    "(sqrt(TPR TNR) + π₋ TNR) / (1 + π₋), 0 where TPR = 0",
    "agm",
    domain=BOTH_CLASSES,
    reference="Batuwita and Palade (2009)",
)
def adjusted_g_mean(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    tpr, tnr, negatives = ratio(tp, fn + tp), ratio(tn, tn + fp), ratio(tn + fp, tn + fp + fn + tp)
    return np.where(
        tpr == 0, 0 * tnr, (_root_of_rates(tn, fp, fn, tp) + tnr * negatives) / (1 + negatives)
    )


@rate_quotient(
    "PLR",
    "TPR / FPR",
    "plr lr_plus lr+",
    range=(0.0, INFINITY),
    domain="FP > 0 and FN + TP > 0",
    reference=TILE,
    contour=Contour(lambda k, x, p, n: k * x, corners((0, 0))),
    area=lambda value, prevalence: half_plane(value, 1.0, value),
)
def positive_likelihood_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * (tn + fp), (tp + fn) * fp


@rate_quotient(
    "NLR",
    "FNR / TNR",
    "nlr lr_minus lr-",
    range=(0.0, INFINITY),
    higher_is_better=False,
    domain="TN > 0 and FN + TP > 0",
    reference=TILE,
    contour=Contour(lambda k, x, p, n: 1 - k * (1 - x), corners((1, 1))),
    area=lambda value, prevalence: half_plane(value, 1.0, 1.0),
)
def negative_likelihood_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return fn * (tn + fp), (tp + fn) * tn


def _odds_ratio_area(value: Any, prevalence: Any) -> Any:
    """Return ∫ v x / (1 + (v - 1) x) dx, by a power series near v = 1, where the logarithm cancels."""
    excess = value - 1
    near = np.abs(excess) < 0.1
    small = np.where(near, excess, 0.0)
    series = value * sum((-small) ** k / (k + 2) for k in range(16))
    far = np.where(near, 2.0, np.maximum(value, 1e-300))
    return np.where(near, series, far / (far - 1) - far * np.log(far) / (far - 1) ** 2)


@rate_quotient(
    "DOR",
    "TP TN / (FP FN)",
    "dor odds_ratio",
    range=(0.0, INFINITY),
    domain="FP > 0 and FN > 0",
    reference=f"{FOUNDATIONS}; Glas et al. (2003)",
    contour=Contour(lambda k, x, p, n: k * x / (k * x + 1 - x), corners((0, 0), (1, 1))),
    area=_odds_ratio_area,
)
def diagnostic_odds_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * tn, fp * fn


for _base, _name, _aliases in (
    (positive_likelihood_ratio, "log_positive_likelihood_ratio", ("log_plr",)),
    (negative_likelihood_ratio, "log_negative_likelihood_ratio", ("log_nlr",)),
    (diagnostic_odds_ratio, "log_diagnostic_odds_ratio", ("ldor", "log_dor", "log_odds_ratio")),
):
    add(
        logarithm(_base, _name),
        symbol=f"log {_base.symbol}",
        aliases=_aliases,
        reference=f"{METRICS}, Appendix C",
    )


@rate_score(
    "DP",
    "(sqrt(3) / π) log DOR",
    range=(-INFINITY, INFINITY),
    domain="TN TP > 0 and FP FN > 0",
    reference="Sokolova et al. (2006)",
)
def discriminant_power(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.sqrt(3) / np.pi * np.log(ratio(tp * tn, fp * fn))


@rate_quotient(
    "Q",
    "(DOR - 1) / (DOR + 1)",
    "odds_ratio_skill_score",
    range=(-1.0, 1.0),
    domain="TP TN + FP FN > 0",
    reference="Yule (1900)",
)
def yule_q(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * tn - fp * fn, tp * tn + fp * fn


@rate_score(
    "Y",
    "(√DOR - 1) / (√DOR + 1)",
    "coefficient_of_colligation",
    range=(-1.0, 1.0),
    domain="TP TN + FP FN > 0",
    reference="Yule (1912)",
)
def yule_y(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    right, wrong = tp * tn, fp * fn
    right, wrong = np.sqrt(ratio(right, right + wrong)), np.sqrt(ratio(wrong, right + wrong))
    return ratio(right - wrong, right + wrong)


@rate_score(
    "PT",
    "sqrt(FPR) / (sqrt(TPR) + sqrt(FPR))",
    "pt",
    higher_is_better=False,
    domain="both classes occur, and some case is called positive",
    reference="Balayla (2020)",
    contour=Contour(
        lambda k, x, p, n: np.where((k > 0) & (k <= 1) & (x >= 0), ((1 - k) / k) ** 2 * x, np.nan),
        corners((0, 0)),
    ),
    area=lambda value, prevalence: half_plane((1 - value) ** 2, value**2, (1 - value) ** 2),
)
def prevalence_threshold(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    root_fpr, root_tpr = np.sqrt(ratio(fp, tn + fp)), np.sqrt(ratio(tp, fn + tp))
    return ratio(root_fpr, root_tpr + root_fpr)


@rate_score(
    "d′",
    "Φ⁻¹(TPR) - Φ⁻¹(FPR)",
    "sensitivity_index",
    range=(-INFINITY, INFINITY),
    domain="TPR and FPR strictly between 0 and 1",
    reference=FOUNDATIONS,
)
def d_prime(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ndtri(ratio(tp, fn + tp)) - ndtri(ratio(fp, tn + fp))


@rate_score(
    "dInd",
    "sqrt(FNR² + FPR²)",
    "distance_to_perfect distance_index",
    range=(0.0, float(np.sqrt(2))),
    higher_is_better=False,
    domain=BOTH_CLASSES,
    reference="Perkins and Schisterman (2006)",
)
def roc_distance(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.hypot(ratio(fn, fn + tp), ratio(fp, tn + fp))


@rate_score(
    "EDI",
    "(log FPR - log TPR) / (log FPR + log TPR)",
    "edi",
    range=(-1.0, 1.0),
    domain="TP > 0 and FP > 0 and FN + TN > 0",
    reference="Ferro and Stephenson (2011)",
)
def extremal_dependence_index(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    log_tpr, log_fpr = np.log(ratio(tp, fn + tp)), np.log(ratio(fp, tn + fp))
    return ratio(log_fpr - log_tpr, log_fpr + log_tpr)


@score(
    "OP",
    "A - |TNR - TPR| / (TNR + TPR)",
    range=(-1.0, 1.0),
    domain=f"{BOTH_CLASSES} and TN + TP > 0",
    reference="Ranawana and Palade (2006)",
)
def optimized_precision(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    tpr, tnr = ratio(tp, fn + tp), ratio(tn, tn + fp)
    return ratio(tn + tp, tn + fp + fn + tp) - ratio(np.abs(tnr - tpr), tnr + tpr)


@rate_score(
    "IBA", "(1 + TPR - TNR) TPR TNR", "iba", domain=BOTH_CLASSES, reference="García et al. (2009)"
)
def index_of_balanced_accuracy(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    tpr, tnr = ratio(tp, fn + tp), ratio(tn, tn + fp)
    return (1 + tpr - tnr) * tpr * tnr


@rate_quotient(
    "PG",
    "(PPV - π₊) / (π₋ PPV) = 1 - FPR / TPR",
    "precg",
    range=(-INFINITY, 1.0),
    domain="TN + FP > 0 and TP > 0",
    reference="Flach and Kull (2015)",
    contour=Contour(lambda k, x, p, n: x / (1 - k), corners((0, 0))),
    area=lambda value, prevalence: half_plane(1.0, 1 - value, 1.0),
)
def precision_gain(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * (tn + fp) - fp * (fn + tp), tp * (tn + fp)
