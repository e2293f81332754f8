"""Families of two-class scores: probabilities of events, ranking scores of an importance, F scores."""

from typing import Any

import numpy as np

from bayesrank.scores.score import Score, ratio

__all__ = ["f_beta", "probability", "ranking"]

TILE_PAPER = "Piérard et al., The Tile"
CELLS = ("tn", "fp", "fn", "tp")
WORDS = {"tn": "TN", "fp": "FP", "fn": "FN", "tp": "TP"}


def probability(name: str, event: str, given: str = "tn fp fn tp", **metadata: Any) -> Score:
    """The probabilistic score P(event | given), of two sets of cells (T Eq. 1 and 2).

    Parameters
    ----------
    name : str
        Name of the score.
    event, given : str
        Cells, separated by spaces; the event is a proper part of what is given.
    **metadata
        Further fields of :class:`Score`.

    Returns
    -------
    Score
        A ranking score where the event holds just the correct ones of the given cells (T Lemma 6).

    Examples
    --------
    >>> import bayesrank as br
    >>> probability("ppv", "tp", "fp tp")(br.from_counts(tn=80, fp=1, fn=3, tp=27)).item()
    0.9642...
    """
    inside, whole = set(event.split()), set(given.split())
    if not whole <= set(CELLS) or not inside or not inside < whole:
        raise ValueError(f"event must be a proper part of given, both of {CELLS}; got {event!r} given {given!r}")

    def function(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        cells = dict(zip(CELLS, (tn, fp, fn, tp), strict=True))
        return ratio(sum(cells[c] for c in CELLS if c in inside), sum(cells[c] for c in CELLS if c in whole))

    correct = whole & {"tn", "tp"}
    ranks = inside == correct and bool(whole & {"fp", "fn"})
    wrong = inside == whole & {"fp", "fn"} and bool(correct)
    fixed: dict[str, Any] = {
        "higher_is_better": True if ranks else False if wrong else None,
        "depends_on_prevalence": whole not in ({"tn", "fp"}, {"fn", "tp"}),
        "importance": {c: float(c in whole) for c in CELLS} if ranks else None,
        "formula": f"{_sum(inside)} / {_sum(whole, bracket=True)}",
        "domain": "everywhere" if len(whole) == 4 else f"{_sum(whole)} > 0",
        "reference": f"{TILE_PAPER}, {'Eq. 1' if len(whole) == 4 else 'Eq. 2'}",
    }
    return Score(name, function, **(fixed | metadata))


def ranking(name: str, *, tn: float = 0.0, fp: float = 0.0, fn: float = 0.0, tp: float = 0.0, **metadata: Any) -> Score:
    """The ranking score of an importance, with S(tn) = S(tp) = 1 and S(fp) = S(fn) = 0 (T Eq. 3).

    Examples
    --------
    >>> import bayesrank as br
    >>> ranking("cautious", tn=1, fp=1, fn=3, tp=1)(br.from_counts(tn=80, fp=1, fn=3, tp=27)).item()
    0.9145...
    """
    weights = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}

    def function(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        correct = weights["tn"] * tn + weights["tp"] * tp
        return ratio(correct, correct + weights["fp"] * fp + weights["fn"] * fn)

    return Score(name, function, importance=weights, **metadata)


def f_beta(beta: float) -> Score:
    """The F score, which weighs recall β² times as much as precision.

    Parameters
    ----------
    beta : float
        Non-negative; 1 gives F1.

    Returns
    -------
    Score
        (1 + β²) TP / ((1 + β²) TP + β² FN + FP): the ranking score of T Lemma 7.

    Raises
    ------
    ValueError
        If β is negative or not finite.

    Examples
    --------
    >>> import bayesrank as br
    >>> f_beta(2.0)(br.from_counts(tn=80, fp=1, fn=3, tp=27)).item()
    0.9121...
    """
    if isinstance(beta, bool) or not isinstance(beta, int | float | np.number):
        raise TypeError(f"beta must be a number; got {beta!r}")
    if not np.isfinite(beta) or beta < 0:
        raise ValueError(f"beta must be non-negative and finite; got {beta}")
    square = float(beta) ** 2
    return ranking(
        f"f{beta:g}".replace(".", "_"),
        fp=1,
        fn=square,
        tp=1 + square,
        aliases=("f1_score", "f_measure", "dice", "sorensen_dice") if beta == 1 else (),
        symbol=f"F{beta:g}",
        formula=f"{1 + square:g} TP / ({1 + square:g} TP + {square:g} FN + FP)",
        domain="TP + FP > 0" if beta == 0 else "TP + FP + FN > 0",
        reference=f"{TILE_PAPER}, Lemma 7; van Rijsbergen (1979)",
    )


def _sum(cells: set[str], bracket: bool = False) -> str:
    text = " + ".join(WORDS[c] for c in CELLS if c in cells)
    return f"({text})" if bracket and len(cells) > 1 else text
