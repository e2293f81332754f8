"""Families of two-class scores: of events, of an importance, of a weight, of a benefit, of other scores."""

from typing import Any

import numpy as np

from bayesrank._arguments import numbers
from bayesrank.scores.score import Score, ratio

__all__ = [
    "balanced",
    "decision_benefit",
    "f_beta",
    "log",
    "net_benefit",
    "probability",
    "ranking",
    "scaled_log",
    "tversky",
    "weighted_accuracy",
]

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
        "formula": f"{_sum(inside, bracket=True)} / {_sum(whole, bracket=True)}",
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
    beta = _number("beta", beta)
    square = beta**2
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


def weighted_accuracy(weight: float) -> Score:
    """The weighted mean of TPR and TNR.

    Parameters
    ----------
    weight : float
        Of TPR, between 0 and 1; TNR has the rest. 1/2 gives the balanced accuracy.

    Returns
    -------
    Score
        Monotone in a ranking score while the prevalence is fixed (T Lemma 9).

    Raises
    ------
    ValueError, TypeError
        If the weight is no number between 0 and 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> weighted_accuracy(0.75)(br.from_counts(tn=80, fp=20, fn=3, tp=27)).item()
    0.875
    """
    weight = _number("weight", weight, 0.0, 1.0)

    def function(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        negative, positive = tn + fp, fn + tp
        return ratio(weight * tp * negative + (1 - weight) * tn * positive, positive * negative)

    return Score(
        f"weighted_accuracy_{weight:g}".replace(".", "_"),
        function,
        symbol="WA",
        formula=f"{weight:g} TPR + {1 - weight:g} TNR",
        depends_on_prevalence=False,
        domain="TN + FP > 0 and FN + TP > 0",
        reference=f"{TILE_PAPER}, Lemma 9",
    )


def tversky(alpha: float, beta: float) -> Score:
    """The Tversky index TP / (TP + α FP + β FN): a ranking score.

    Parameters
    ----------
    alpha, beta : float
        Weights of false positives and false negatives, not negative.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=1, fn=3, tp=27)
    >>> tversky(1, 1)(counts).item() == br.scores.jaccard(counts).item()
    True
    """
    alpha, beta = _number("alpha", alpha), _number("beta", beta)
    return ranking(
        f"tversky_{alpha:g}_{beta:g}".replace(".", "_"),
        fp=alpha,
        fn=beta,
        tp=1.0,
        symbol="Tv",
        formula=f"TP / (TP + {alpha:g} FP + {beta:g} FN)",
        domain="its denominator > 0",
        reference="Tversky (1977)",
    )


def decision_benefit(benefit: Any) -> Score:
    """The mean benefit of a case, by the user's own benefit of each outcome.

    Parameters
    ----------
    benefit : array_like
        Benefits of shape (2, 2) in any one unit: rows are the actual class, columns the predicted one, negative
        first. Costs are negative.

    Returns
    -------
    Score
        In the unit of the benefits; linear in the performance.

    Raises
    ------
    ValueError
        If ``benefit`` is not of shape (2, 2) or not finite.

    References
    ----------
    Lovell et al., Never mind the metrics, Appendix B.5.

    Examples
    --------
    >>> import bayesrank as br
    >>> decision_benefit([[0, -1], [-10, 5]])(br.from_counts(tn=80, fp=10, fn=2, tp=8)).item()
    0.1
    """
    matrix = numbers("benefit", benefit)
    if matrix.shape != (2, 2) or not np.isfinite(matrix).all():
        raise ValueError(f"benefit must be four finite numbers of shape (2, 2); got {benefit!r}")

    def function(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        cells = (tn, fp, fn, tp)
        return ratio(sum(b * c for b, c in zip(matrix.ravel(), cells, strict=True)), sum(cells))

    return Score(
        "decision_benefit",
        function,
        symbol="DB",
        formula=" + ".join(f"({b:g}) P({c})" for b, c in zip(matrix.ravel(), WORDS.values(), strict=True)),
        range=(float(matrix.min()), float(matrix.max())),
        reference="Lovell et al., Never mind the metrics, Appendix B.5",
    )


def net_benefit(threshold: float) -> Score:
    """Net benefit of decision curves: true positives less false positives at the threshold's odds, per case.

    Parameters
    ----------
    threshold : float
        Probability at which one is indifferent to treating, strictly between 0 and 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> net_benefit(0.2)(br.from_counts(tn=80, fp=8, fn=2, tp=10)).item()
    0.08
    """
    threshold = _number("threshold", threshold, 0.0, 1.0)
    if threshold in (0.0, 1.0):
        raise ValueError(f"threshold must be strictly between 0 and 1; got {threshold}")
    odds = threshold / (1 - threshold)
    return Score(
        f"net_benefit_{threshold:g}".replace(".", "_"),
        lambda tn, fp, fn, tp: ratio(tp - odds * fp, tn + fp + fn + tp),
        symbol="NB",
        formula=f"P(TP) - {odds:g} P(FP)",
        range=(-odds, 1.0),
        reference="Vickers and Elkin (2006)",
    )


def balanced(score: Score, name: str, **metadata: Any) -> Score:
    """The same score at equal class sizes: of the rates alone, whatever the prevalence.

    Parameters
    ----------
    score : Score
        Any two-class score.
    name : str
        Of the new score.
    **metadata
        Whatever else :class:`Score` takes.

    Returns
    -------
    Score

    Raises
    ------
    TypeError
        If ``score`` is no Score.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=180, fp=20, fn=3, tp=27)
    >>> balanced(br.scores.ppv, "balanced_ppv")(counts).item()
    0.9
    """
    if not isinstance(score, Score):
        raise TypeError(f"score must be a Score, as br.scores.get gives it; got {type(score).__name__}")

    def function(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        # Each class is weighed by the size of the other, which makes them equal and keeps counts whole.
        negative, positive = tn + fp, fn + tp
        return score.function(tn * positive, fp * positive, fn * negative, tp * negative)

    fixed: dict[str, Any] = {
        "range": score.range,
        "higher_is_better": score.higher_is_better,
        "depends_on_prevalence": False,
        "formula": f"{score.symbol or score.name} at prevalence 1/2",
        "domain": f"TN + FP > 0 and FN + TP > 0 and ({score.domain})",
    }
    return Score(name, function, **(fixed | metadata))


def scaled_log(score: Score, positives: int, negatives: int) -> Score:
    """The logarithm of a likelihood or odds ratio over the largest finite one, in size, of a test set.

    Parameters
    ----------
    score : Score
        ``positive_likelihood_ratio``, ``negative_likelihood_ratio`` or ``diagnostic_odds_ratio``.
    positives, negatives : int
        Cases of each class in the test set, at least 3.

    Returns
    -------
    Score
        Between -1 and 1 on the tables of that test set for which it is defined.

    References
    ----------
    Lovell et al., Never mind the metrics, Eq. 20 to 22.

    Examples
    --------
    >>> import bayesrank as br
    >>> scaled_log(br.scores.diagnostic_odds_ratio, 20, 40)(br.from_counts(tn=39, fp=1, fn=1, tp=19)).item()
    1.0
    """
    p, n = _number("positives", positives, 3.0), _number("negatives", negatives, 3.0)
    # Likelihood ratios lie between 1/p and n, both met. (The paper's n(p-1)/p and pn/(n-1) are not their largest.)
    largest = {
        "positive_likelihood_ratio": max(n, p),
        "negative_likelihood_ratio": max(n, p),
        "diagnostic_odds_ratio": (p - 1) * (n - 1),
    }
    if score.name not in largest:
        raise ValueError(f"score must be one of {list(largest)}; got {score.name!r}")
    scale = np.log(largest[score.name])
    return Score(
        f"scaled_log_{score.name}",
        lambda tn, fp, fn, tp: log(score.function(tn, fp, fn, tp)) / scale,
        symbol=f"s{score.symbol}",
        formula=f"log({score.symbol}) / {scale:.6g}",
        range=(-1.0, 1.0),
        higher_is_better=score.higher_is_better,
        depends_on_prevalence=False,
        domain=f"{score.domain}, and {score.symbol} > 0",
        reference="Lovell et al., Never mind the metrics, Eq. 20 to 22",
    )


def log(values: Any) -> Any:
    """Natural logarithm, NaN where there is none.

    Examples
    --------
    >>> log([1.0, 0.0]).tolist()
    [0.0, nan]
    """
    values = np.asarray(values, dtype=float)
    return np.log(values, out=np.full(values.shape, np.nan), where=values > 0)


def _number(argument: str, value: Any, low: float = 0.0, high: float = np.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError(f"{argument} must be a number; got {value!r}")
    if not (low <= value <= high and np.isfinite(value)):
        bound = f"at least {low:g}" if high == np.inf else f"between {low:g} and {high:g}"
        raise ValueError(f"{argument} must be {bound} and finite; got {value}")
    return float(value)


def _sum(cells: set[str], bracket: bool = False) -> str:
    text = " + ".join(WORDS[c] for c in CELLS if c in cells)
    return f"({text})" if bracket and len(cells) > 1 else text
