"""Scores of predicted probabilities, which the model of the cases computes: areas under curves, and losses."""

from typing import Any

from bayesrank.scores.names import INFINITY, add
from bayesrank.scores.score import Score

HANLEY = "Hanley and McNeil (1982), Radiology 143:29-36"
#: Name, symbol, formula, aliases, and what differs from an area that depends on the prevalence.
AREAS = (
    (
        "auc_roc",
        "AUC",
        "P(a positive case scores higher than a negative one), ties as one half",
        "auc auroc roc_auc roc_auc_score roc_auc_ovr auc_roc_score area_under_the_curve c_statistic",
        {"depends_on_prevalence": False, "reference": HANLEY},
    ),
    (
        "average_precision",
        "AP",
        "mean over positive cases of the precision at their score",
        "average_precision_score ap auc_pr auprc pr_auc auc_prc",
        {"reference": "Davis and Goadrich (2006), ICML, 233-240"},
    ),
    (
        "auc_gain",
        "",
        "area under recall over the share of cases called positive",
        "cumulative_gain_area",
        {"reference": "Zhao et al., Table 3"},
    ),
)
LOSSES = (
    (
        "brier",
        "BS",
        "mean squared difference of probability and truth; summed over more than two classes",
        "brier_score brier_score_loss neg_brier_score",
        {"reference": "Brier (1950), Monthly Weather Review 78:1-3"},
    ),
    (
        "log_loss",
        "",
        "mean of minus the logarithm of the probability of the true class",
        "neg_log_loss cross_entropy logarithmic_loss",
        {
            "range": (0.0, INFINITY),
            "reference": "Good (1952), Journal of the Royal Statistical Society B 14:107-114",
        },
    ),
)

for _name, _symbol, _formula, _aliases, _more in (*AREAS, *LOSSES):
    _known: dict[str, Any] = {
        "formula": _formula,
        "aliases": tuple(_aliases.split()),
        "domain": "predicted probabilities of cases",
    }
    if _name in ("brier", "log_loss"):
        _known["higher_is_better"] = False
    add(Score(_name, None, _symbol, only_of="cases", **_known | _more))
