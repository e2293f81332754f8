"""Scores of the overlap of positives and positive calls, mostly without true negatives, and their means."""

from typing import Any

import numpy as np

from bayesrank.scores.derived import balanced
from bayesrank.scores.families import by_importance, f_beta
from bayesrank.scores.forms import Contour, Turning, corners, half_plane
from bayesrank.scores.formulas.probabilities import JACCARD, NPV, PPV
from bayesrank.scores.names import (
    ALL_MARGINS,
    BOTH_CLASSES,
    INFINITY,
    METRICS,
    POSITIVES,
    TILE,
    add,
    quotient,
    score,
)
from bayesrank.scores.score import ratio

GOWER = "Gower and Legendre (1986); The Tile, Section 4.2"

f1 = add(
    f_beta(1.0),
    aliases=(
        "f1_score", "f_measure", "f_score", "dice", "dice_coefficient", "sorensen_dice", "dice_sorensen",
        "dice_sorensen_coefficient", "dsc", "f_one", "zijdenbos", "zijdenbos_similarity_index", "czekanowski",
        "czekanowski_index"
    ),
)  # fmt: skip
add(f_beta(2.0))
add(f_beta(0.5))


def _fowlkes_mallows_area(value: Any, prevalence: Any) -> Any:
    """Return the area where FM < v: FPR > TPR (TPR - v²) π₊ / (v² π₋), a parabola integrated over TPR."""
    square, odds = np.maximum(np.square(value), 1e-300), prevalence / (1 - prevalence)
    top = np.minimum((square + np.sqrt(square**2 + 4 * square / odds)) / 2, 1.0)
    # ∫ y (y - v²) dy from v² to top, in the width top - v² so that nothing cancels
    width = np.maximum(top - square, 0.0)
    return top - odds * (width**2 / square) * (width / 3 + square / 2)


@score(
    "FM",
    "sqrt(PPV TPR)",
    "fm fowlkes_mallows_index fmi cosine_similarity ochiai",
    domain=POSITIVES,
    reference="Fowlkes and Mallows (1983)",
    contour=Contour(
        lambda k, x, p, n: np.where(
            k >= 0, (np.sqrt(k**2 * p * (4 * n * x + k**2 * p)) + k**2 * p) / (2 * p), np.nan
        ),
        corners((0, 0)),
        Turning(
            lambda k, t, p, n: (np.where(k > 0, p * (t**2 / k**2 - t) / n, np.nan), t),
            lambda x, y, p, n: y,
        ),
    ),
    area=_fowlkes_mallows_area,
    fraction=lambda tn, fp, fn, tp: (tp * tp, (tp + fp) * (tp + fn), 1),
)
def fowlkes_mallows(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.sqrt(ratio(tp * tp, (tp + fp) * (tp + fn)))


for _base, _name, _equation, _others in (
    (f1, "f1", 35, ""),
    (JACCARD, "threat_score", 37, "ts_bal balanced_ts"),
    (fowlkes_mallows, "fowlkes_mallows", 43, "balanced_fm"),
):
    _reference = f"{METRICS}, Eq. {_equation}; Luque et al. (2019)"
    add(
        balanced(_base, f"balanced_{_name}"),
        symbol=f"{_base.symbol}_bal",
        aliases=tuple(_others.split()),
        reference=_reference,
    )

for _base, _symbol, _formula, _aliases in (
    (
        PPV,
        "SPPV",
        "TPR / (TPR + FPR)",
        ("balanced_ppv", "ppv_bal", "standardized_positive_predictive_value"),
    ),
    (
        NPV,
        "SNPV",
        "TNR / (TNR + FNR)",
        ("balanced_npv", "npv_bal", "standardized_negative_predictive_value"),
    ),
):
    add(
        balanced(_base, f"standardized_{_base.name}"),
        symbol=_symbol,
        formula=_formula,
        aliases=_aliases,
        domain=f"{BOTH_CLASSES} and {_base.domain}",
        reference=f"{TILE}; Heston (2011)",
    )


@score(
    "P4",
    "4 TP TN / (4 TP TN + (TP + TN) (FP + FN))",
    domain=ALL_MARGINS,
    reference=TILE,
    fraction=lambda tn, fp, fn, tp: (4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn), 1),
)
def p4(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    margins = (tn + fp) * (fn + tp) * (tn + fn) * (fp + tp)
    # The harmonic mean is 0 where no answer is right.
    mean = np.where(tn + tp > 0, ratio(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn)), 0.0)
    return np.where(margins > 0, mean, np.nan)


@score(
    "ACP",
    "(TPR + TNR + PPV + NPV) / 4",
    "average_conditional_probability",
    domain=ALL_MARGINS,
    reference=TILE,
)
def acp(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return (ratio(tp, fn + tp) + ratio(tn, tn + fp) + ratio(tp, fp + tp) + ratio(tn, tn + fn)) / 4


@quotient(
    "ICSI",
    "PPV + TPR - 1",
    "icsi individual_classification_success_index",
    range=(-1.0, 1.0),
    domain=POSITIVES,
    reference="Labatut and Cherifi (2011)",
)
def classification_success_index(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * tp - fp * fn, (tp + fp) * (tp + fn)


@quotient(
    "L",
    "PPV / π₊",
    "gain forbes",
    range=(0.0, INFINITY),
    domain=POSITIVES,
    reference="Zhao et al., Outperformance score, Section 2",
)
def lift(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * (tn + fp + fn + tp), (fp + tp) * (fn + tp)


@score(
    "IS",
    "log2(PPV / π₊)",
    range=(-INFINITY, INFINITY),
    domain="TP > 0",
    reference="Kononenko and Bratko (1991)",
)
def information_score(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.log2(ratio(tp * (tn + fp + fn + tp), (tp + fp) * (tp + fn)))


@quotient(
    "RR",
    "PPV / FOR",
    "risk_ratio",
    range=(0.0, INFINITY),
    domain="FN > 0 and FP + TP > 0",
    reference="Cornfield (1951)",
)
def relative_risk(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * (tn + fn), (tp + fp) * fn


@quotient(
    "RG",
    "(TPR - π₊) / (π₋ TPR)",
    "recg",
    range=(-INFINITY, 1.0),
    domain="TN + FP > 0 and TP > 0",
    reference="Flach and Kull (2015)",
    contour=Contour(lambda k, x, p, n: p / (p + n * (1 - k)) + 0 * x),
    area=lambda value, prevalence: prevalence / (prevalence + (1 - prevalence) * (1 - value)),
)
def recall_gain(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * (tn + fp) - fn * (fn + tp), tp * (tn + fp)


@quotient(
    "FG1",
    "(F1 - π₊) / (π₋ F1), the mean of precision gain and recall gain",
    "f_gain fg1",
    range=(-INFINITY, 1.0),
    domain="TN + FP > 0 and TP > 0",
    reference="Flach and Kull (2015)",
    contour=Contour(
        lambda k, x, p, n: (n * x + p) / (2 * n * (1 - k) + p), lambda p: ((-p / (1 - p), 0.0),)
    ),
    area=lambda value, prevalence: half_plane(
        1 - prevalence, 2 * (1 - prevalence) * (1 - value) + prevalence, 1.0
    ),
)
def f1_gain(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return 2 * tp * (tn + fp) - (fp + fn) * (fn + tp), 2 * tp * (tn + fp)


@score("BB", "min(TPR, PPV)", domain="FP + FN + TP > 0", reference="Braun-Blanquet (1932)")
def braun_blanquet(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp, tp + np.maximum(fp, fn))


@score("SS", "max(TPR, PPV)", "overlap_coefficient", domain=POSITIVES, reference="Simpson (1943)")
def simpson(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    defined = ((fp + tp) > 0) & ((fn + tp) > 0)
    return np.where(defined, ratio(tp, tp + np.minimum(fp, fn)), np.nan)


@score("K", "(TPR + PPV) / 2", domain=POSITIVES, reference="Kulczyński (1927)")
def kulczynski(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return (ratio(tp, fp + tp) + ratio(tp, fn + tp)) / 2


for _name, _symbol, _weights, _formula in (
    (
        "sokal_sneath_1",
        "SS1",
        {"tn": 2, "fp": 1, "fn": 1, "tp": 2},
        "2 (TN + TP) / (2 (TN + TP) + FP + FN)",
    ),
    (
        "rogers_tanimoto",
        "RT",
        {"tn": 1, "fp": 2, "fn": 2, "tp": 1},
        "(TN + TP) / (TN + TP + 2 (FP + FN))",
    ),
    ("sokal_sneath_2", "SS2", {"fp": 2, "fn": 2, "tp": 1}, "TP / (TP + 2 (FP + FN))"),
):
    _domain = "everywhere" if "tn" in _weights else "FP + FN + TP > 0"
    add(
        by_importance(
            _name, **_weights, symbol=_symbol, formula=_formula, domain=_domain, reference=GOWER
        )
    )
