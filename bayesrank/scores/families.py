"""Families of scores with parameters: events, importances, Tile positions, weights and benefits."""

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from bayesrank._core.checks import (
    check_cells,
    check_number,
    check_numbers,
    check_text,
    describe_value,
)
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.keywords import arguments_of, check_keywords
from bayesrank.scores.score import Score, ratio

TILE_PAPER = "Piérard et al., The Tile"
CELLS = ("tn", "fp", "fn", "tp")

# Parameters are stored as data, so that scores with equal parameters are equal and can be pickled.


@dataclass(frozen=True)
class OfCells:
    """The ratio of two weighted sums of tn, fp, fn and tp."""

    top: tuple[float, ...]
    bottom: tuple[float, ...]

    def __call__(self, *cells: Any) -> Any:
        sums = []
        for weights in (self.top, self.bottom):
            parts = [c if w == 1 else w * c for w, c in zip(weights, cells, strict=True) if w]
            sums.append(reduce(add, parts) if parts else 0.0)
        return ratio(*sums)


@dataclass(frozen=True)
class OfRates:
    """The weighted mean of TPR and TNR."""

    weight: float

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        negative, positive = tn + fp, fn + tp
        return ratio(
            self.weight * tp * negative + (1 - self.weight) * tn * positive, positive * negative
        )


@dataclass(frozen=True)
class OfItself:
    """The value v that solves v = R(a, b), where a and b move linearly with v."""

    low: tuple[float, float]
    high: tuple[float, float]

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        (right, wrong), (above, below) = (
            ((1 - a) * tn + a * tp, (1 - b) * fp + b * fn) for a, b in (self.low, self.high)
        )
        # The odds t = v / (1 - v) solve right + t (above - wrong) = t² below: one positive root, by
        # Descartes' rule.
        root = np.sqrt((above - wrong) ** 2 + 4 * right * below)
        return ratio(2 * right, 2 * right + wrong - above + root)

    def importance(self, value: Any) -> dict[str, Any]:
        """Return the importance at a value."""
        a, b = (
            (1 - value) * first + value * last
            for first, last in zip(self.low, self.high, strict=True)
        )
        return {"tn": 1 - a, "fp": 1 - b, "fn": b, "tp": a}


def conditional_probability(
    name: str, event: str, given: str = "tn fp fn tp", **metadata: Any
) -> Score:
    """Return the probabilistic score P(event | given) of two sets of cells (The Tile, Eq. 1 and 2).

    ``event`` is a proper subset of ``given``, both cells separated by spaces; ``metadata`` are
    further fields of :class:`Score`. It is a ranking score if the event consists of the correct
    cells in ``given`` (The Tile, Lemma 6).

    Examples
    --------
    >>> conditional_probability("ppv", "tp", "fp tp")(br.from_counts(tn=80, fp=1, fn=3, tp=27)).item()
    0.9642...
    """
    check_keywords(metadata, arguments_of(Score), "br.scores.conditional_probability")
    inside, all_cells = (
        set(check_text(name, cells).split()) for name, cells in (("event", event), ("given", given))
    )
    if not all_cells <= set(CELLS) or not inside or not inside < all_cells:
        raise ArgumentError(
            "event",
            f"must be a proper subset of given; both name cells among {CELLS}",
            f"{event!r} given {given!r}",
        )

    correct = all_cells & {"tn", "tp"}
    ranks = inside == correct and bool(all_cells & {"fp", "fn"})
    wrong = inside == all_cells & {"fp", "fn"} and bool(correct)
    fixed: dict[str, Any] = {
        "higher_is_better": ranks if ranks or wrong else None,
        "depends_on_prevalence": all_cells not in ({"tn", "fp"}, {"fn", "tp"}),
        "importance": {c: float(c in all_cells) for c in CELLS} if ranks else None,
        "complement": conditional_probability(f"right_{name}", " ".join(correct), given)
        if wrong
        else None,
        "formula": f"{_sum(inside, bracket=True)} / {_sum(all_cells, bracket=True)}",
        "domain": "everywhere" if len(all_cells) == 4 else f"{_sum(all_cells)} > 0",
        "reference": f"{TILE_PAPER}, {'Eq. 1' if len(all_cells) == 4 else 'Eq. 2'}",
    }
    return Score(
        name,
        OfCells(*(tuple(float(c in part) for c in CELLS) for part in (inside, all_cells))),
        **(fixed | metadata),
    )


def by_importance(
    name: str,
    *,
    tn: float = 0.0,
    fp: float = 0.0,
    fn: float = 0.0,
    tp: float = 0.0,
    **metadata: Any,
) -> Score:
    """Return the ranking score of an importance, with S(tn) = S(tp) = 1 and S(fp) = S(fn) = 0 (The Tile, Eq. 3)."""
    weights = check_cells(tn=tn, fp=fp, fn=fn, tp=tp)
    bottom = tuple(weights[c] for c in CELLS)
    return Score(
        name,
        OfCells((weights["tn"], 0.0, 0.0, weights["tp"]), bottom),
        importance=weights,
        **metadata,
    )


def canonical(a: float, b: float) -> Score:
    """Return the canonical ranking score at a point of the Tile (The Tile, Definition 1).

    Both are between 0 and 1: a trades true positives against true negatives, b false negatives
    against false positives.

    Examples
    --------
    >>> canonical(1.0, 0.5)(br.from_counts(tn=80, fp=1, fn=3, tp=27)).item()
    0.931...
    """
    a, b = check_number("a", a, 0.0, 1.0), check_number("b", b, 0.0, 1.0)
    return by_importance(
        _name("canonical", a, b),
        tn=1 - a,
        fp=1 - b,
        fn=b,
        tp=a,
        symbol=f"R({a:g}, {b:g})",
        formula=f"s / (s + u), s = {1 - a:g} TN + {a:g} TP, u = {1 - b:g} FP + {b:g} FN",
        domain="s + u > 0",
        reference=f"{TILE_PAPER}, Definition 1",
    )


def implicit(low: tuple[float, float], high: tuple[float, float]) -> Score:
    """Return the score whose value v solves v = R(a, b), where the Tile position (a, b) depends on v.

    It is an implicit weighted utility, which satisfies the three axioms (Chew 1989, Axiomatic
    utility theories with the betweenness property; Dekel 1986, An axiomatic characterization of
    preferences under uncertainty). Unless ``low`` equals ``high``, it is not a ranking score and
    has no position on the Tile among all performances. At one prevalence it may have one, where its
    level lines are parallel or meet.

    Parameters
    ----------
    low, high : pair of float
        Points (a, b) of the Tile at values 0 and 1; a and b move linearly between them.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a pair of numbers between 0 and 1, or a moving coordinate reaches 0 or
        1.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=10, fn=3, tp=27)
    >>> score = implicit((0.35, 0.65), (0.65, 0.35))
    >>> value = score(counts).item()
    >>> round(value, 6) == round(br.canonical_score(counts, 0.35 + 0.3 * value, 0.65 - 0.3 * value).item(), 6)
    True
    """
    ends = []
    for name, position in (("low", low), ("high", high)):
        if not isinstance(position, tuple | list) or len(position) != 2:
            raise ArgumentTypeError(
                name, "must be a pair (a, b), as (0.35, 0.65)", describe_value(position)
            )
        ends.append(
            (
                check_number(f"{name}[0]", position[0], 0.0, 1.0),
                check_number(f"{name}[1]", position[1], 0.0, 1.0),
            )
        )
    for axis, first, last in zip("ab", *ends, strict=True):
        if first != last and not (0 < first < 1 and 0 < last < 1):
            raise ArgumentError(
                axis, "must stay strictly between 0 and 1", f"{first:g} to {last:g}"
            )
    (a, b), (c, d) = ends
    function = OfItself(*ends)
    return Score(
        _name("implicit", a, b, "to", c, d),
        function,
        "v",
        f"v = R(a, b), a = {a:g} + {c - a:g} v, b = {b:g} + {d - b:g} v",
        importance=function.importance(0.0) if ends[0] == ends[1] else None,
        domain="s + u > 0",
        reference="Chew (1989); Dekel (1986)",
    )


def f_beta(beta: float) -> Score:
    """Return the F score, which weighs recall β² times as much as precision.

    (1 + β²) TP / ((1 + β²) TP + β² FN + FP) is the ranking score of The Tile, Lemma 7; β is
    non-negative, and 1 gives F1.

    Examples
    --------
    >>> f_beta(2.0)(br.from_counts(tn=80, fp=1, fn=3, tp=27)).item()
    0.9121...
    """
    beta = check_number("beta", beta, 0.0, finite=True)
    square = beta**2
    misses = "FN" if square == 1 else f"{square:g} FN"
    return by_importance(
        f"f{beta:g}".replace(".", "_"),
        fp=1,
        fn=square,
        tp=1 + square,
        symbol=f"F{beta:g}",
        formula=f"{1 + square:g} TP / ({1 + square:g} TP + {misses} + FP)",
        domain="TP + FP > 0" if beta == 0 else "TP + FP + FN > 0",
        reference=f"{TILE_PAPER}, Lemma 7; van Rijsbergen (1979)",
    )


def weighted_accuracy(weight: float) -> Score:
    """Return the weighted mean of TPR and TNR, monotone in a ranking score at fixed prevalence (The Tile, Lemma 9).

    The weight of TPR is between 0 and 1; TNR has the rest. 1/2 gives balanced accuracy.

    Examples
    --------
    >>> weighted_accuracy(0.75)(br.from_counts(tn=80, fp=20, fn=3, tp=27)).item()
    0.875
    """
    weight = check_number("weight", weight, 0.0, 1.0)
    return Score(
        _name("weighted_accuracy", weight),
        OfRates(weight),
        "WA",
        f"{weight:g} TPR + {1 - weight:g} TNR",
        depends_on_prevalence=False,
        domain="TN + FP > 0 and FN + TP > 0",
        reference=f"{TILE_PAPER}, Lemma 9",
    )


def tversky(alpha: float, beta: float) -> Score:
    """Return the Tversky index TP / (TP + α FP + β FN), a ranking score, for non-negative weights α and β.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=1, fn=3, tp=27)
    >>> tversky(1, 1)(counts).item() == br.scores.jaccard(counts).item()
    True
    """
    alpha, beta = (
        check_number("alpha", alpha, 0.0, finite=True),
        check_number("beta", beta, 0.0, finite=True),
    )
    return by_importance(
        _name("tversky", alpha, beta),
        fp=alpha,
        fn=beta,
        tp=1.0,
        symbol="Tv",
        formula=f"TP / (TP + {alpha:g} FP + {beta:g} FN)",
        domain="its denominator > 0",
        reference="Tversky (1977)",
    )


def decision_benefit(benefit: Any) -> Score:
    """Return the mean benefit per case; it is linear in the performance.

    ``benefit`` (2, 2) holds the finite benefit of each outcome, in one unit; costs are negative.
    Rows are actual classes, columns predicted ones, and the negative class comes first (Lovell et
    al., Never mind the metrics, Appendix B.5).

    Examples
    --------
    >>> decision_benefit([[0, -1], [-10, 5]])(br.from_counts(tn=80, fp=10, fn=2, tp=8)).item()
    0.1
    """
    matrix = check_numbers("benefit", benefit)
    if matrix.shape != (2, 2) or not np.isfinite(matrix).all():
        raise ArgumentError(
            "benefit", "must be four finite numbers of shape (2, 2)", describe_value(benefit)
        )
    benefits = tuple(matrix.ravel().tolist())
    return Score(
        "decision_benefit",
        OfCells(benefits, (1.0,) * 4),
        "DB",
        " + ".join(f"({b:g}) P({c.upper()})" for b, c in zip(benefits, CELLS, strict=True)),
        range=(min(benefits), max(benefits)),
        reference="Lovell et al., Never mind the metrics, Appendix B.5",
    )


def net_benefit(threshold: float) -> Score:
    """Return the net benefit per case: true positives minus false positives at the threshold's odds.

    At the threshold, a probability strictly between 0 and 1, treatment and no treatment are equally
    good.

    Examples
    --------
    >>> net_benefit(0.2)(br.from_counts(tn=80, fp=8, fn=2, tp=10)).item()
    0.08
    """
    threshold = check_number("threshold", threshold, 0.0, 1.0, ends=False)
    odds = threshold / (1 - threshold)
    return Score(
        _name("net_benefit", threshold),
        OfCells((0.0, -odds, 0.0, 1.0), (1.0,) * 4),
        "NB",
        f"P(TP) - {odds:g} P(FP)",
        range=(-odds, 1.0),
        reference="Vickers and Elkin (2006)",
    )


def _name(family: str, *parameters: Any) -> str:
    """Return the name of a member of a family, such as tversky_0_5_1."""
    parts = [part if isinstance(part, str) else f"{part:g}" for part in (family, *parameters)]
    return "_".join(parts).replace(".", "_")


def _sum(cells: set[str], bracket: bool = False) -> str:
    text = " + ".join(c.upper() for c in CELLS if c in cells)
    return f"({text})" if bracket and len(cells) > 1 else text
