"""The 50 probabilistic scores P(event | given), 14 of them unconditional, named as usual (The Tile, Eq. 1 and 2).

Those without a usual name are called after their cells: ``p_tn_tp_given_tn_fn_tp``.
"""

from itertools import combinations
from typing import Any

import numpy as np

from bayesrank.scores.families import CELLS, conditional_probability
from bayesrank.scores.names import SCORES, add
from bayesrank.scores.score import ratio


def _right(matrix: np.ndarray, present: Any) -> np.ndarray:
    """Share of correct cases of any number of classes."""
    return ratio(np.trace(matrix, axis1=-2, axis2=-1), matrix.sum(axis=(-2, -1)))


#: Name, symbol and aliases of (event, given).
USUAL = {
    ("tn tp", "tn fp fn tp"): (
        "accuracy", "A",
        # rand_index: with a pair of cases as the case
        "acc matching_coefficient simple_matching proportion_correct observed_agreement rand_index"
    ),
    ("fp fn", "tn fp fn tp"): ("error_rate", "ER", "misclassification_rate zero_one_loss hamming_loss"),
    ("tn", "tn fp fn tp"): ("true_negative_probability", "PTN", "rejection_rate"),
    ("fp", "tn fp fn tp"): ("false_positive_probability", "PFP", ""),
    ("fn", "tn fp fn tp"): ("false_negative_probability", "PFN", ""),
    ("tp", "tn fp fn tp"): ("true_positive_probability", "PTP", "detection_rate russell_rao"),
    ("fn tp", "tn fp fn tp"): ("prevalence", "π₊", "positive_prior base_rate prev"),
    ("tn fp", "tn fp fn tp"): ("negative_prior", "π₋", ""),
    ("fp tp", "tn fp fn tp"): (
        "positive_prediction_rate", "τ₊", "predicted_positive_rate rate_of_positive_predictions"
    ),
    ("tn fn", "tn fp fn tp"): (
        "negative_prediction_rate", "τ₋", "predicted_negative_rate rate_of_negative_predictions"
    ),
    ("tp", "fn tp"): (
        "tpr", "TPR", "recall rec sensitivity sens true_positive_rate hit_rate probability_of_detection pod"
    ),
    ("tn", "tn fp"): ("tnr", "TNR", "specificity spec selectivity true_negative_rate inverse_recall"),
    ("fp", "tn fp"): (
        "fpr", "FPR", "false_positive_rate fall_out false_alarm_rate probability_of_false_detection pofd "
        "type_i_error type_1_error"
    ),
    ("fn", "fn tp"): ("fnr", "FNR", "false_negative_rate miss_rate type_ii_error type_2_error"),
    ("tp", "fp tp"): ("ppv", "PPV", "precision prec positive_predictive_value success_ratio"),
    ("tn", "tn fn"): ("npv", "NPV", "negative_predictive_value inverse_precision"),
    ("fp", "fp tp"): ("false_discovery_rate", "FDR", "fdr false_alarm_ratio"),
    ("fn", "tn fn"): ("false_omission_rate", "FOR", "for"),
    ("tp", "fp fn tp"): (
        "jaccard", "J₊",
        "jaccard_positive ji critical_success_index csi threat_score tanimoto tanimoto_coefficient similarity "
        "intersection_over_union iou ts"
    ),
    ("tn", "tn fp fn"): ("jaccard_negative", "J₋", ""),
    ("fp fn", "fp fn tp"): ("jaccard_distance", "", "jaccard_distance_positive"),
    ("fp fn", "tn fp fn"): ("jaccard_distance_negative", "", ""),
}  # fmt: skip
#: What the rule of :func:`conditional_probability` does not know.
MORE: dict[str, dict[str, Any]] = {
    "accuracy": {"matrix_function": _right},
    "error_rate": {"matrix_function": lambda matrix, present: 1 - _right(matrix, present)},
    "true_negative_probability": {"higher_is_better": True},
    "false_positive_probability": {"higher_is_better": False},
    "false_negative_probability": {"higher_is_better": False},
    "true_positive_probability": {"higher_is_better": True},
}

for _given in (_cells for _size in (4, 2, 3) for _cells in combinations(CELLS, _size)):
    for _event in (
        _cells for _part in range(1, len(_given)) for _cells in combinations(_given, _part)
    ):
        _names = " ".join(_event), " ".join(_given)
        _rule = ("p_{}" if len(_given) == 4 else "p_{}_given_{}").format(*_names).replace(" ", "_")
        _name, _symbol, _aliases = USUAL.get(_names, (_rule, "", ""))
        _metadata = {"symbol": _symbol, "aliases": tuple(_aliases.split()), **MORE.get(_name, {})}
        add(conditional_probability(_name, *_names, **_metadata))

TPR, PPV, NPV, JACCARD = (SCORES[_name] for _name in ("tpr", "ppv", "npv", "jaccard"))
