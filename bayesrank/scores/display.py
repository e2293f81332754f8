"""Display names of scores, for text and axes, as in the literature."""

__all__ = ["display_name"]

#: Display names that differ from the name with spaces for underscores.
NAMES = {
    "acp": "ACP",
    "adjusted_g_mean": "adjusted G-mean",
    "auc_gain": "area under the gain curve",
    "auc_roc": "AUC",
    "bennett_s": "Bennett's S",
    "brier": "Brier score",
    "cohen_kappa": "Cohen's kappa",
    "cohen_kappa_linear": "Cohen's kappa (linear weights)",
    "cohen_kappa_quadratic": "Cohen's kappa (quadratic weights)",
    "d_prime": "d'",
    "f0_5": "F0.5",
    "f1": "F1",
    "f1_gain": "F1 gain",
    "f2": "F2",
    "false_discovery_rate": "false discovery rate (FDR)",
    "false_omission_rate": "false omission rate (FOR)",
    "fnr": "false negative rate (FNR)",
    "fowlkes_mallows": "Fowlkes-Mallows index",
    "fpr": "false positive rate (FPR)",
    "g_mean": "G-mean",
    "gilbert_skill_score": "Gilbert skill score",
    "doolittle_skill_score": "Doolittle skill score",
    "gwet_ac1": "Gwet's AC1",
    "informedness": "informedness (Youden's J)",
    "jaccard": "Jaccard index",
    "jaccard_distance": "Jaccard distance",
    "jaccard_distance_negative": "Jaccard distance of the negative class",
    "jaccard_negative": "Jaccard index of the negative class",
    "mcc": "MCC",
    "npv": "NPV",
    "p4": "P4",
    "ppv": "precision (PPV)",
    "roc_distance": "ROC distance",
    "rogers_tanimoto": "Rogers-Tanimoto similarity",
    "scott_pi": "Scott's pi",
    "sokal_sneath_1": "Sokal-Sneath similarity 1",
    "sokal_sneath_2": "Sokal-Sneath similarity 2",
    "standardized_npv": "standardized NPV",
    "standardized_ppv": "standardized PPV",
    "tnr": "specificity (TNR)",
    "tpr": "sensitivity (TPR)",
    "vut": "volume under the Tile (VUT)",
    "yule_q": "Yule's Q",
    "yule_y": "Yule's Y",
}
#: Prefixes of names derived from another score's name.
PREFIXES = (
    "macro",
    "micro",
    "weighted",
    "geometric",
    "harmonic",
    "smallest",
    "largest",
    "balanced",
    "log",
)


def display_name(name: str) -> str:
    """Return the display name of a score; an unknown name gets spaces for underscores.

    Examples
    --------
    >>> [display_name(name) for name in ("f1", "macro_f1", "tpr", "informedness", "my_cost")]
    ['F1', 'macro F1', 'sensitivity (TPR)', "informedness (Youden's J)", 'my cost']
    """
    if name in NAMES:
        return NAMES[name]
    first, _, rest = name.partition("_")
    if first in PREFIXES and rest:
        return f"{first} {display_name(rest)}"
    return name.replace("_", " ")
