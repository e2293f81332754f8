"""Checks of keyword arguments, with the argument that an unknown one probably means."""

from collections.abc import (
    Callable,
    Iterable,
)
from difflib import get_close_matches
from inspect import signature
from typing import Any

from bayesrank._core.errors import ArgumentTypeError

#: Arguments of other packages, and the arguments of this one that mean the same, or one of them.
OF_OTHERS = {
    **dict.fromkeys(
        ("ci_prob", "hdi_prob", "ci_level", "credible_mass", "confidence_level", "level"), "prob"
    ),
    **dict.fromkeys(("confidence", "alpha", "ci", "hdi"), "prob"),
    **dict.fromkeys(("y_pred", "preds", "y_preds"), "predictions"),
    **dict.fromkeys(("sensitivity", "recall"), "tpr"),
    **dict.fromkeys(("specificity",), "tnr"),
    **dict.fromkeys(("prev", "pi", "base_rate"), "prevalence"),
    **dict.fromkeys(("filename", "file", "fname", "output", "to"), "path"),
    **dict.fromkeys(("ids", "id", "item", "items", "question"), "case"),
    **dict.fromkeys(("left", "model_a", "player_a"), "a"),
    **dict.fromkeys(("right", "model_b", "player_b"), "b"),
    **dict.fromkeys(("ascending", "lower_is_better", "minimize"), "higher_is_better"),
    **dict.fromkeys(("ties",), "method"),
    **dict.fromkeys(("margin", "delta"), "margins"),
    **dict.fromkeys(("res", "grid", "n_points", "steps"), "resolution"),
    **dict.fromkeys(("n", "top_n", "topk"), "k top size"),
    **dict.fromkeys(("score", "value", "values", "result"), "outcome"),
    **dict.fromkeys(("cores", "tune", "target_accept", "progressbar"), "nuts"),
    **dict.fromkeys(("random_seed", "random_state", "rng"), "seed"),
    **dict.fromkeys(("n_samples", "num_samples", "samples", "n_draws"), "draws"),
    **dict.fromkeys(("n_chains", "num_chains"), "chains"),
    **dict.fromkeys(("pos_label", "positive_class", "positive_label"), "positive"),
    **dict.fromkeys(("groupby", "by"), "over"),
    "sample_weight": "weight",
    **dict.fromkeys(("metric", "scoring"), "score"),
    **dict.fromkeys(("names", "models", "model_names", "index", "model", "name"), "entity"),
    "greater_is_better": "higher_is_better",
}
#: A function that takes such an argument.
TAKES = {
    **dict.fromkeys(("seed", "draws", "chains", "nuts"), "br.fit"),
    "prevalence": "br.at_prevalence",
    "resolution": "br.tile.credible",
    "path": "br.ranking_report",
    "case": "br.from_frame and of br.joint_outcomes",
    "outcome": "br.from_frame",
    "entity": "br.from_frame and of br.from_counts",
    **dict.fromkeys(("positive", "weight"), "br.from_frame and of br.from_predictions"),
    **dict.fromkeys(("prob", "over", "score", "higher_is_better"), "br.credible_ranking"),
}
#: The largest number of arguments that a message lists if none has a similar name.
MOST_ARGUMENTS = 12


def suggest_argument(unknown: str, known: Iterable[str]) -> str:
    """Return which argument an unknown keyword probably means, and of what; empty if none is near."""
    names = list(known)
    lower = unknown.lower()
    if lower == "dim" and lower not in names:
        return "source.rename(model='entity') names the dim of what is ranked"
    meant = OF_OTHERS.get(lower, "")
    exact = [name for name in names if name == lower] or [
        name for name in meant.split() if name in names
    ]
    near = exact or (
        [] if meant or lower in TAKES else get_close_matches(lower, names, n=1, cutoff=0.7)
    )
    if not near and not meant and lower not in TAKES:
        near = [
            OF_OTHERS[other]
            for other in get_close_matches(lower, OF_OTHERS, n=1)
            if OF_OTHERS[other] in names
        ]
    if near:
        return f"did you mean {near[0]}=?"
    for word in (lower, meant):
        if word in TAKES:
            return f"{word}= is an argument of {TAKES[word]}"
    return f"its arguments are {', '.join(names)}" if 0 < len(names) <= MOST_ARGUMENTS else ""


def check_keywords(given: Iterable[str], known: Iterable[str], function: str) -> None:
    """Raise an error for a keyword that a function does not take."""
    names = list(known)
    for name in sorted(set(given) - set(names)):
        raise ArgumentTypeError(
            name, f"is not an argument of {function}", "", suggest_argument(name, names)
        )


def arguments_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's arguments, without those of ``**options``."""
    parameters = signature(function).parameters.values()
    return [p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
