"""Scores derived from other scores: at equal class sizes, as logarithms, averaged over classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesrank._core.checks import check_choice, check_integer
from bayesrank._core.errors import ArgumentError
from bayesrank._core.keywords import arguments_of, check_keywords
from bayesrank._core.types import ScoreLike
from bayesrank.scores.averages import AVERAGES, average_of
from bayesrank.scores.names import as_score
from bayesrank.scores.score import Score, log


@dataclass(frozen=True)
class Balanced:
    """A score at equal class sizes, as a function of cells."""

    score: Score

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        # Weighting each class by the size of the other makes them equal and keeps counts whole.
        negative, positive = tn + fp, fn + tp
        return self.score.unclipped(tn * positive, fp * positive, fn * negative, tp * negative)


@dataclass(frozen=True)
class Logarithm:
    """The logarithm of a score, divided by a scale, as a function of cells."""

    score: Score
    scale: float

    def __call__(self, *cells: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(self.score.unclipped(*cells)) / self.scale  # of 0 it is infinite


def average(score: ScoreLike, how: str) -> Score:
    """Return the average of a two-class score over the classes, each class against all others.

    Averages of catalogue scores have names, such as ``br.scores.macro_f1``. Classes without cases
    are ignored where the counts are known (counts, or the result of :func:`bayesrank.fit`); for a
    bare performance all classes count.

    Macro and weighted averages of precision, recall, F and Jaccard equal those of scikit-learn. A
    label that occurs in the answers of an entity and never in the truth is one more class for this
    entity. It counts 0, in each draw, too, since no case truly has it. An undefined value, such as
    the precision of a class that is never answered, counts 0. ``labels=`` of
    :func:`bayesrank.from_predictions` restricts averages to these labels, and names the classes: a
    named class that happens to have no case is a class in draws, with the recall that the model
    gives it, while observed averages stay those of scikit-learn.

    An average is a summary, not a ranking score. It may violate the axioms: a mixture of two
    entities may beat both (Piérard et al., Foundations of the theory of performance-based ranking,
    A.2.1). With one label per case, micro averages equal accuracy or an increasing function of it.

    Parameters
    ----------
    score : Score, str or callable
        A two-class score. Other averages are NaN where it is undefined for a class with cases.
    how : {"macro", "micro", "weighted", "geometric", "harmonic", "smallest", "largest"}
        Mean over classes; score of the summed tables; mean weighted by the cases of each class;
        geometric or harmonic mean; smallest or largest value.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the score or average is unknown, the score is not of two classes, or may be negative
        where ``how`` is geometric or harmonic.

    Examples
    --------
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")
    >>> average("tpr", "macro")(counts).item(), br.scores.macro_recall(counts).item()
    (0.8444..., 0.8444...)
    """
    return average_of(as_score(score), check_choice("how", how, AVERAGES))


def balanced(score: ScoreLike, name: str, **metadata: Any) -> Score:
    """Return a two-class score at equal class sizes: a function of the rates, independent of prevalence.

    ``name`` and ``metadata`` are fields of the new :class:`Score`.

    Examples
    --------
    >>> counts = br.from_counts(tn=180, fp=20, fn=3, tp=27)
    >>> balanced(br.scores.ppv, "balanced_ppv")(counts).item()
    0.9
    """
    score = as_score(score)
    check_keywords(metadata, arguments_of(Score), "br.scores.balanced")
    fixed: dict[str, Any] = {
        "range": score.range,
        "higher_is_better": score.higher_is_better,
        "depends_on_prevalence": False,
        "finite_mean": score.finite_mean,
        "formula": f"{score.symbol or score.name} at prevalence 1/2",
        "domain": f"TN + FP > 0 and FN + TP > 0 and ({score.domain})",
    }
    return Score(name, Balanced(score), **(fixed | metadata))


def scaled_log(score: ScoreLike, positives: int, negatives: int) -> Score:
    """Return the logarithm of a likelihood or odds ratio, divided by its largest finite value on a test set.

    The test set has at least 3 ``positives`` and 3 ``negatives``. On its tables a defined value is
    between -1 and 1. The score is ``positive_likelihood_ratio``, ``negative_likelihood_ratio`` or
    ``diagnostic_odds_ratio`` (Lovell et al., Never mind the metrics, Eq. 20 to 22).

    Examples
    --------
    >>> scaled_log(br.scores.diagnostic_odds_ratio, 20, 40)(br.from_counts(tn=39, fp=1, fn=1, tp=19)).item()
    1.0
    """
    score, p, n = (
        as_score(score),
        check_integer("positives", positives, 3),
        check_integer("negatives", negatives, 3),
    )
    if score.range != (0.0, np.inf) or score.depends_on_prevalence:
        raise ArgumentError(
            "score", "must be one of the likelihood and odds ratios", f"{score.name!r}"
        )
    # The largest values have a rate at an end or one case from it: likelihood ratios lie between
    # 1/p and n, odds ratios within (p-1)(n-1) and its inverse. (The paper's n(p-1)/p and pn/(n-1)
    # are not the largest likelihood ratios.)
    tp, fp = np.meshgrid([0, 1, p - 1, p], [0, 1, n - 1, n])
    scale = float(np.nanmax(np.abs(log(score.of_cells(n - fp, fp, p - tp, tp)))))
    return logarithm(
        score,
        f"scaled_log_{score.name}",
        scale,
        symbol=f"s{score.symbol}",
        formula=f"log({score.symbol}) / {scale:.6g}",
        range=(-1.0, 1.0),
        reference="Lovell et al., Never mind the metrics, Eq. 20 to 22",
    )


def logarithm(score: Score, name: str, scale: float = 1.0, **metadata: Any) -> Score:
    """Return the natural logarithm of a score, divided by a scale; undefined where the score is 0."""
    fixed: dict[str, Any] = {
        "formula": f"log({score.symbol})",
        "range": (-np.inf, np.inf),
        "higher_is_better": score.higher_is_better,
        "depends_on_prevalence": score.depends_on_prevalence,
        "domain": f"{score.domain}, and {score.symbol} > 0",
    }
    return Score(name, Logarithm(score, scale), **(fixed | metadata))
