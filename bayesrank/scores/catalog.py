"""The catalogue of two-class scores.

Formulas are ratios of sums of products of the cells, homogeneous of degree 0, so that counts and probabilities give
the same number and equal counts give exactly equal values.
"""

from typing import Any

import numpy as np
import pandas as pd

from bayesrank.scores.families import f_beta, probability
from bayesrank.scores.score import Score, ratio

__all__ = ["ALIASES", "SCORES", "as_score", "catalog", "get"]

TILE = "Piérard et al., The Tile, Section 2.2"
FOUNDATIONS = "Piérard et al., Foundations of the theory of performance-based ranking, Table 1"
BOTH_CLASSES = "TN + FP > 0 and FN + TP > 0"
BOTH_PREDICTED = "TN + FN > 0 and FP + TP > 0"
ALL_MARGINS = f"{BOTH_CLASSES} and {BOTH_PREDICTED}"
INFINITY = float("inf")


def _balanced_accuracy(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * (tn + fp) + tn * (tp + fn), 2 * (tp + fn) * (tn + fp))


def _informedness(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, (tp + fn) * (tn + fp))


def _markedness(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, (tp + fp) * (tn + fn))


def _mcc(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn)))


def _cohen_kappa(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def _bias_index(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(fp - fn, tn + fp + fn + tp)


def _g_mean(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.sqrt(ratio(tp * tn, (tp + fn) * (tn + fp)))


def _fowlkes_mallows(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return np.sqrt(ratio(tp * tp, (tp + fp) * (tp + fn)))


def _p4(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    margins = (tn + fp) * (fn + tp) * (tn + fn) * (fp + tp)
    return np.where(margins > 0, ratio(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn)), np.nan)


def _positive_likelihood_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * (tn + fp), (tp + fn) * fp)


def _negative_likelihood_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(fn * (tn + fp), (tp + fn) * tn)


def _diagnostic_odds_ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return ratio(tp * tn, fp * fn)


def _prevalence_threshold(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    root_fpr, root_tpr = np.sqrt(ratio(fp, tn + fp)), np.sqrt(ratio(tp, fn + tp))
    return ratio(root_fpr, root_tpr + root_fpr)


SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        probability(
            "accuracy",
            "tn tp",
            symbol="A",
            aliases=("acc", "matching_coefficient", "proportion_correct", "observed_agreement"),
        ),
        probability("error_rate", "fp fn", symbol="ER", aliases=("misclassification_rate", "zero_one_loss")),
        probability(
            "tpr",
            "tp",
            "fn tp",
            symbol="TPR",
            aliases=("recall", "sensitivity", "true_positive_rate", "hit_rate", "probability_of_detection"),
        ),
        probability(
            "tnr",
            "tn",
            "tn fp",
            symbol="TNR",
            aliases=("specificity", "selectivity", "true_negative_rate", "inverse_recall"),
        ),
        probability(
            "fpr",
            "fp",
            "tn fp",
            symbol="FPR",
            aliases=("false_positive_rate", "fall_out", "false_alarm_rate", "probability_of_false_detection"),
        ),
        probability("fnr", "fn", "fn tp", symbol="FNR", aliases=("false_negative_rate", "miss_rate")),
        probability(
            "ppv",
            "tp",
            "fp tp",
            symbol="PPV",
            aliases=("precision", "positive_predictive_value", "success_ratio"),
        ),
        probability("npv", "tn", "tn fn", symbol="NPV", aliases=("negative_predictive_value", "inverse_precision")),
        probability("false_discovery_rate", "fp", "fp tp", symbol="FDR", aliases=("fdr", "false_alarm_ratio")),
        probability("false_omission_rate", "fn", "tn fn", symbol="FOR", aliases=("for",)),
        probability("prevalence", "fn tp", symbol="π₊", aliases=("positive_prior", "base_rate")),
        probability(
            "positive_prediction_rate",
            "fp tp",
            symbol="τ₊",
            aliases=("predicted_positive_rate", "rate_of_positive_predictions"),
        ),
        probability(
            "jaccard",
            "tp",
            "fp fn tp",
            symbol="J₊",
            aliases=(
                "jaccard_positive",
                "critical_success_index",
                "threat_score",
                "tanimoto",
                "intersection_over_union",
                "iou",
            ),
        ),
        probability("jaccard_negative", "tn", "tn fp fn", symbol="J₋"),
        f_beta(1.0),
        f_beta(2.0),
        f_beta(0.5),
        Score(
            "balanced_accuracy",
            _balanced_accuracy,
            symbol="BA",
            formula="(TPR + TNR) / 2",
            aliases=("bacc",),
            depends_on_prevalence=False,
            domain=BOTH_CLASSES,
            reference=TILE,
        ),
        Score(
            "informedness",
            _informedness,
            symbol="J_Y",
            formula="TPR + TNR - 1",
            aliases=("youden_j", "youden_index", "bookmaker_informedness", "peirce_skill_score"),
            range=(-1.0, 1.0),
            depends_on_prevalence=False,
            domain=BOTH_CLASSES,
            reference=f"{TILE}; Youden (1950)",
        ),
        Score(
            "markedness",
            _markedness,
            symbol="MK",
            formula="PPV + NPV - 1",
            aliases=("delta_p", "clayton_skill_score"),
            range=(-1.0, 1.0),
            domain=BOTH_PREDICTED,
            reference=TILE,
        ),
        Score(
            "mcc",
            _mcc,
            symbol="MCC",
            formula="(TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN))",
            aliases=("matthews_correlation_coefficient", "phi_coefficient", "matthews_corrcoef"),
            range=(-1.0, 1.0),
            domain=ALL_MARGINS,
            reference=f"{FOUNDATIONS}; Matthews (1975)",
        ),
        Score(
            "cohen_kappa",
            _cohen_kappa,
            symbol="κ",
            formula="2 (TP TN - FP FN) / ((TP + FP) (FP + TN) + (TP + FN) (FN + TN))",
            aliases=("kappa", "heidke_skill_score", "cohens_kappa"),
            range=(-1.0, 1.0),
            domain="not all cases in one of TN, TP",
            reference=f"{TILE}; Cohen (1960)",
        ),
        Score(
            "g_mean",
            _g_mean,
            symbol="GM",
            formula="sqrt(TPR TNR)",
            aliases=("geometric_mean",),
            depends_on_prevalence=False,
            domain=BOTH_CLASSES,
            reference=TILE,
        ),
        Score(
            "fowlkes_mallows",
            _fowlkes_mallows,
            symbol="FM",
            formula="sqrt(PPV TPR)",
            aliases=("fowlkes_mallows_index", "cosine_similarity", "ochiai"),
            domain="FN + TP > 0 and FP + TP > 0",
            reference="Fowlkes and Mallows (1983)",
        ),
        Score(
            "p4",
            _p4,
            symbol="P4",
            formula="4 TP TN / (4 TP TN + (TP + TN) (FP + FN))",
            domain=ALL_MARGINS,
            reference=TILE,
        ),
        Score(
            "positive_likelihood_ratio",
            _positive_likelihood_ratio,
            symbol="PLR",
            formula="TPR / FPR",
            aliases=("plr", "lr_plus"),
            range=(0.0, INFINITY),
            depends_on_prevalence=False,
            domain="FP > 0 and FN + TP > 0",
            reference=TILE,
        ),
        Score(
            "negative_likelihood_ratio",
            _negative_likelihood_ratio,
            symbol="NLR",
            formula="FNR / TNR",
            aliases=("nlr", "lr_minus"),
            range=(0.0, INFINITY),
            higher_is_better=False,
            depends_on_prevalence=False,
            domain="TN > 0 and FN + TP > 0",
            reference=TILE,
        ),
        Score(
            "diagnostic_odds_ratio",
            _diagnostic_odds_ratio,
            symbol="DOR",
            formula="TP TN / (FP FN)",
            aliases=("dor", "odds_ratio"),
            range=(0.0, INFINITY),
            depends_on_prevalence=False,
            domain="FP > 0 and FN > 0",
            reference=f"{FOUNDATIONS}; Glas et al. (2003)",
        ),
        Score(
            "prevalence_threshold",
            _prevalence_threshold,
            symbol="PT",
            formula="sqrt(FPR) / (sqrt(TPR) + sqrt(FPR))",
            higher_is_better=False,
            depends_on_prevalence=False,
            domain="both classes occur, and some case is called positive",
            reference="Balayla (2020)",
        ),
        Score(
            "bias_index",
            _bias_index,
            symbol="BI",
            formula="(FP - FN) / (TN + FP + FN + TP)",
            aliases=("bias",),
            range=(-1.0, 1.0),
            higher_is_better=None,
            reference=TILE,
        ),
    )
}

ALIASES: dict[str, str] = {alias: score.name for score in SCORES.values() for alias in score.aliases}


def get(name: str) -> Score:
    """The score of that name or alias.

    Parameters
    ----------
    name : str
        Case, spaces and hyphens do not matter.

    Returns
    -------
    Score

    Raises
    ------
    KeyError
        If no score has that name; the message names near ones.
    TypeError
        If ``name`` is no string.

    Examples
    --------
    >>> get("sensitivity").name
    'tpr'
    """
    if not isinstance(name, str):
        raise TypeError(f"score must be a name; got {type(name).__name__}")
    key = name.strip().lower().replace(" ", "_").replace("-", "_")
    key = ALIASES.get(key, key)
    if key not in SCORES:
        from difflib import get_close_matches

        near = get_close_matches(key, [*SCORES, *ALIASES], n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise KeyError(f"score must be one of those in br.scores.catalog(); got {name!r}{hint}")
    return SCORES[key]


def as_score(score: Any) -> Score:
    """A Score from a Score, a name or alias, or a plain function of (tn, fp, fn, tp).

    Examples
    --------
    >>> as_score("precision").name
    'ppv'
    >>> as_score(lambda tn, fp, fn, tp: tp + tn).name
    'score'
    """
    if isinstance(score, Score):
        return score
    if isinstance(score, str):
        return get(score)
    if callable(score):
        name = getattr(score, "__name__", "score")

        def of_probabilities(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
            total = tn + fp + fn + tp
            return score(*(ratio(cell, total) for cell in (tn, fp, fn, tp)))

        return Score("score" if name == "<lambda>" else name, of_probabilities, range=(-INFINITY, INFINITY))
    raise TypeError(f"score must be a Score, a name, or a function of (tn, fp, fn, tp); got {type(score).__name__}")


def catalog() -> pd.DataFrame:
    """All scores and what is known of them, one row a score.

    Returns
    -------
    pandas.DataFrame
        Indexed by name.

    Examples
    --------
    >>> catalog().loc["ppv", "formula"]
    'TP / (FP + TP)'
    """
    columns = (
        "symbol", "formula", "aliases", "range", "higher_is_better", "depends_on_prevalence", "importance",
        "domain", "reference",
    )  # fmt: skip
    rows = {score.name: {c: getattr(score, c) for c in columns} for score in SCORES.values()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(columns)).rename_axis("name")
