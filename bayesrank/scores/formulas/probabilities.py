"""The 50 probabilistic scores P(event | given), 14 of them unconditional (T Eq. 1 and 2), under their usual names.

Those without a usual name are called after their cells: ``p_tn_tp_given_tn_fn_tp``.
"""

from itertools import combinations
from typing import Any

import numpy as np

from bayesrank.scores.families import CELLS, conditional_probability
from bayesrank.scores.names import SCORES, add
from bayesrank.scores.score import ratio

__all__ = ["JACCARD", "PPV", "NPV", "TPR"]


def _right(matrix: np.ndarray, present: Any) -> np.ndarray:
    """Share of correct cases of any number of classes."""
    return ratio(np.trace(matrix, axis1=-2, axis2=-1), matrix.sum(axis=(-2, -1)))


#: (event, given) to name, aliases and what the rule of :func:`probability` does not know.
USUAL: dict[tuple[str, str], dict[str, Any]] = {
    ("tn tp", "tn fp fn tp"): {
        "name": "accuracy",
        "symbol": "A",
        "matrix_function": _right,
        "aliases": (
            "acc",
            "matching_coefficient",
            "simple_matching",
            "proportion_correct",
            "observed_agreement",
            "rand_index",  # with a pair of cases as the case
        ),
    },
    ("fp fn", "tn fp fn tp"): {
        "name": "error_rate",
        "symbol": "ER",
        "matrix_function": lambda matrix, present: 1 - _right(matrix, present),
        "aliases": ("misclassification_rate", "zero_one_loss", "hamming_loss"),
    },
    ("tn", "tn fp fn tp"): {
        "name": "true_negative_probability",
        "symbol": "PTN",
        "aliases": ("rejection_rate",),
        "higher_is_better": True,
    },
    ("fp", "tn fp fn tp"): {"name": "false_positive_probability", "symbol": "PFP", "higher_is_better": False},
    ("fn", "tn fp fn tp"): {"name": "false_negative_probability", "symbol": "PFN", "higher_is_better": False},
    ("tp", "tn fp fn tp"): {
        "name": "true_positive_probability",
        "symbol": "PTP",
        "aliases": ("detection_rate", "russell_rao"),
        "higher_is_better": True,
    },
    ("fn tp", "tn fp fn tp"): {
        "name": "prevalence",
        "symbol": "π₊",
        "aliases": ("positive_prior", "base_rate"),
    },
    ("tn fp", "tn fp fn tp"): {"name": "negative_prior", "symbol": "π₋"},
    ("fp tp", "tn fp fn tp"): {
        "name": "positive_prediction_rate",
        "symbol": "τ₊",
        "aliases": ("predicted_positive_rate", "rate_of_positive_predictions"),
    },
    ("tn fn", "tn fp fn tp"): {
        "name": "negative_prediction_rate",
        "symbol": "τ₋",
        "aliases": ("predicted_negative_rate", "rate_of_negative_predictions"),
    },
    ("tp", "fn tp"): {
        "name": "tpr",
        "symbol": "TPR",
        "aliases": (
            "recall",
            "rec",
            "sensitivity",
            "sens",
            "true_positive_rate",
            "hit_rate",
            "probability_of_detection",
            "pod",
        ),
    },
    ("tn", "tn fp"): {
        "name": "tnr",
        "symbol": "TNR",
        "aliases": ("specificity", "spec", "selectivity", "true_negative_rate", "inverse_recall"),
    },
    ("fp", "tn fp"): {
        "name": "fpr",
        "symbol": "FPR",
        "aliases": ("false_positive_rate", "fall_out", "false_alarm_rate", "probability_of_false_detection", "pofd"),
    },
    ("fn", "fn tp"): {"name": "fnr", "symbol": "FNR", "aliases": ("false_negative_rate", "miss_rate")},
    ("tp", "fp tp"): {
        "name": "ppv",
        "symbol": "PPV",
        "aliases": ("precision", "prec", "positive_predictive_value", "success_ratio"),
    },
    ("tn", "tn fn"): {
        "name": "npv",
        "symbol": "NPV",
        "aliases": ("negative_predictive_value", "inverse_precision"),
    },
    ("fp", "fp tp"): {"name": "false_discovery_rate", "symbol": "FDR", "aliases": ("fdr", "false_alarm_ratio")},
    ("fn", "tn fn"): {"name": "false_omission_rate", "symbol": "FOR", "aliases": ("for",)},
    ("tp", "fp fn tp"): {
        "name": "jaccard",
        "symbol": "J₊",
        "aliases": (
            "jaccard_positive",
            "ji",
            "critical_success_index",
            "csi",
            "threat_score",
            "tanimoto",
            "tanimoto_coefficient",
            "similarity",
            "intersection_over_union",
            "iou",
        ),
    },
    ("tn", "tn fp fn"): {"name": "jaccard_negative", "symbol": "J₋"},
    ("fp fn", "fp fn tp"): {"name": "jaccard_distance", "aliases": ("jaccard_distance_positive",)},
    ("fp fn", "tn fp fn"): {"name": "jaccard_distance_negative"},
}


for _given in (_cells for _size in (4, 2, 3) for _cells in combinations(CELLS, _size)):
    for _event in (_cells for _part in range(1, len(_given)) for _cells in combinations(_given, _part)):
        _names = " ".join(_event), " ".join(_given)
        _known = dict(USUAL.get(_names, {}))
        _rule = "p_{}" if len(_given) == 4 else "p_{}_given_{}"
        add(conditional_probability(_known.pop("name", _rule.format(*_names).replace(" ", "_")), *_names, **_known))

TPR, PPV, NPV, JACCARD = (SCORES[_name] for _name in ("tpr", "ppv", "npv", "jaccard"))
