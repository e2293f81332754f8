"""Further scores that well-known packages offer: pycm, and those of epidemiology and forecast verification."""

from typing import Any

import numpy as np

from bayesrank.scores import _formulas
from bayesrank.scores.score import Score, ratio

__all__ = ["PEERS"]

INFINITY = float("inf")
BOTH_CLASSES = "TN + FP > 0 and FN + TP > 0"
POSITIVES = "FN + TP > 0 and FP + TP > 0"


def _adjusted_g_mean(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    tpr, tnr, negatives = ratio(tp, fn + tp), ratio(tn, tn + fp), ratio(tn + fp, tn + fp + fn + tp)
    return np.where(tpr == 0, 0 * tnr, (_formulas.g_mean(tn, fp, fn, tp) + tnr * negatives) / (1 + negatives))


def _extremal_dependence(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    log_tpr, log_fpr = np.log(ratio(tp, fn + tp)), np.log(ratio(fp, tn + fp))
    return ratio(log_fpr - log_tpr, log_fpr + log_tpr)


PEERS: tuple[Score, ...] = (
    Score(
        "adjusted_g_mean",
        _adjusted_g_mean,
        symbol="AGM",
        formula="(sqrt(TPR TNR) + π₋ TNR) / (1 + π₋), 0 where TPR = 0",
        aliases=("agm",),
        domain=BOTH_CLASSES,
        reference="Batuwita and Palade (2009)",
    ),
    Score(
        "classification_success_index",
        lambda tn, fp, fn, tp: ratio(tp * tp - fp * fn, (tp + fp) * (tp + fn)),
        symbol="ICSI",
        formula="PPV + TPR - 1",
        aliases=("icsi", "individual_classification_success_index"),
        range=(-1.0, 1.0),
        domain=POSITIVES,
        reference="Labatut and Cherifi (2011)",
    ),
    Score(
        "prevalence_index",
        lambda tn, fp, fn, tp: ratio(tp - tn, tn + fp + fn + tp),
        symbol="PI",
        formula="(TP - TN) / (TN + FP + FN + TP)",
        range=(-1.0, 1.0),
        higher_is_better=None,
        reference="Byrt et al. (1993)",
    ),
    Score(
        "discriminant_power",
        lambda tn, fp, fn, tp: np.sqrt(3) / np.pi * np.log(ratio(tp * tn, fp * fn)),
        symbol="DP",
        formula="(sqrt(3) / π) log DOR",
        range=(-INFINITY, INFINITY),
        depends_on_prevalence=False,
        domain="TN TP > 0 and FP FN > 0",
        reference="Sokolova et al. (2006)",
    ),
    Score(
        "roc_distance",
        lambda tn, fp, fn, tp: np.hypot(ratio(fn, fn + tp), ratio(fp, tn + fp)),
        symbol="dInd",
        formula="sqrt(FNR² + FPR²)",
        aliases=("distance_to_perfect", "distance_index"),
        range=(0.0, float(np.sqrt(2))),
        higher_is_better=False,
        depends_on_prevalence=False,
        domain=BOTH_CLASSES,
        reference="Perkins and Schisterman (2006)",
    ),
    Score(
        "information_score",
        lambda tn, fp, fn, tp: np.log2(ratio(tp * (tn + fp + fn + tp), (tp + fp) * (tp + fn))),
        symbol="IS",
        formula="log2(PPV / π₊)",
        range=(-INFINITY, INFINITY),
        domain="TP > 0",
        reference="Kononenko and Bratko (1991)",
    ),
    Score(
        "relative_risk",
        lambda tn, fp, fn, tp: ratio(tp * (tn + fn), (tp + fp) * fn),
        symbol="RR",
        formula="PPV / FOR",
        aliases=("risk_ratio",),
        range=(0.0, INFINITY),
        domain="FN > 0 and FP + TP > 0",
        reference="Cornfield (1951)",
        finite_mean=False,
    ),
    Score(
        "extremal_dependence_index",
        _extremal_dependence,
        symbol="EDI",
        formula="(log FPR - log TPR) / (log FPR + log TPR)",
        aliases=("edi",),
        range=(-1.0, 1.0),
        depends_on_prevalence=False,
        domain="TP > 0 and FP > 0 and FN + TN > 0",
        reference="Ferro and Stephenson (2011)",
    ),
)
