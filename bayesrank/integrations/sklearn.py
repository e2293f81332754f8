"""For users of scikit-learn: fitted estimators compared in one call, and displays with credible bands.

The functions take estimators, features and labels as scikit-learn's displays do. scikit-learn
itself is imported only for ``cv``.
"""

from typing import Any, Literal, Self

import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.errors import ArgumentError
from bayesrank._core.random import Seed
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.types import ScoreLike
from bayesrank.analysis import Analysis
from bayesrank.analysis.analyzing import analyze_evidence
from bayesrank.analysis.sources import Given
from bayesrank.evidence.estimators import from_estimators
from bayesrank.evidence.predictions import joint_outcomes
from bayesrank.evidence.probabilities import from_probabilities, probabilities_of
from bayesrank.ops.bands import credible_curves
from bayesrank.scores.metrics import split_metric

__all__ = [
    "CredibleCalibrationDisplay",
    "CredibleRocDisplay",
    "RankingDisplay",
    "compare_estimators",
]

#: What estimators are called.
MODEL = EvidenceRecord(noun="model").to_attrs()


@check_call
def compare_estimators(
    estimators: Any,
    X: Any,
    y: Any,
    score: ScoreLike | None = None,
    *,
    cv: Any = None,
    positive: Any = None,
    weight: Any = None,
    prob: float = 0.95,
    rope: float = 0.0,
    seed: Seed = 1,
) -> Analysis:
    """Compare estimators on the same cases: which is best, by how much, and how certain that is.

    Parameters
    ----------
    estimators : mapping, list or estimator
        By name, as for :func:`bayesrank.from_estimators`: fitted on other cases than ``X``, unless
        ``cv`` is given.
    X, y : array or DataFrame, sequence of labels
        The features and the true label of each case.
    score : Score, str or callable, optional
        A score of this package, or a metric, a scorer or the name of a scorer of scikit-learn. The
        default is that of :func:`bayesrank.analyze`. A scorer's ``pos_label`` is the positive
        class.
    cv : int or splitter, optional
        Fit clones and predict each case out of fold, as for :func:`bayesrank.from_estimators`.
    positive : label, optional
        The positive one of two classes, unless a standard pair of labels (0/1, no/yes, ...) says
        which.
    weight : sequence of float, optional
        Importance weight of each case.
    prob, rope, seed : optional
        As for :func:`bayesrank.analyze`.

    Returns
    -------
    bayesrank.analysis.Analysis
        With the attributes ``verdict``, ``differences``, ``table``, ``ranking``, ``posterior`` and
        ``notes``, and the methods ``plot`` and ``report``.

    Raises
    ------
    ArgumentError
        If an estimator is not fitted or cannot predict, the score needs probabilities that an
        estimator lacks, or the positive class is unknown.

    Examples
    --------
    >>> from bayesrank.integrations.sklearn import compare_estimators
    >>> class Threshold:
    ...     def __init__(self, at):
    ...         self.at = at
    ...     def predict(self, X):
    ...         return [int(row[0] > self.at) for row in X]
    >>> X, y = [[i / 200] for i in range(200)], [int(i > 120) for i in range(200)]
    >>> found = compare_estimators({"old": Threshold(0.4), "new": Threshold(0.6)}, X, y, "f1")
    >>> found.verdict[0]
    'new is best: P(best) > 0.999.'
    """
    score, positive = split_metric(score, positive)
    evidence = from_estimators(estimators, X, y, cv=cv, positive=positive, weight=weight)
    return analyze_evidence(evidence, Given(), score, prob=prob, rope=rope, seed=seed)


class RankingDisplay:
    """Picture of a ranking of estimators: medians and credible intervals of a score, tiers, and observed values.

    Attributes
    ----------
    analysis : bayesrank.analysis.Analysis
        The analysis that is drawn.
    ax_, figure_ : matplotlib Axes and Figure
        What :meth:`plot` drew on.

    Examples
    --------
    >>> from bayesrank.integrations.sklearn import RankingDisplay
    >>> y = [0] * 60 + [1] * 40
    >>> predictions = {"old": [0] * 50 + [1] * 50, "new": [0] * 60 + [1] * 40}
    >>> RankingDisplay.from_predictions(y, predictions, score="f1").ax_.get_yticklabels()[0].get_text()
    'new'
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    @classmethod
    @check_call
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,
        y: Any,
        *,
        score: ScoreLike | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Compare estimators by :func:`compare_estimators`, which takes the options, and draw the ranking."""
        return cls(compare_estimators(estimators, X, y, score, **options)).plot(ax)

    @classmethod
    @check_call
    def from_predictions(
        cls,
        y_true: Any,
        predictions: Any,
        *,
        score: ScoreLike | None = None,
        positive: Any = None,
        weight: Any = None,
        ax: Any = None,
        prob: float = 0.95,
        seed: Seed = 1,
    ) -> Self:
        """Rank predicted labels, as :func:`bayesrank.joint_outcomes` takes them, and draw the ranking."""
        score, positive = split_metric(score, positive)
        evidence = joint_outcomes(
            y_true, predictions, positive=positive, weight=weight
        ).assign_attrs(MODEL)
        return cls(analyze_evidence(evidence, Given(), score, prob=prob, seed=seed)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the ranking with :func:`bayesrank.plots.forest`."""
        self.ax_ = self.analysis.plot(ax)
        self.figure_ = self.ax_.figure
        return self


class _CurveDisplay:
    """A display of the curves of predicted probabilities, with bands that hold whole curves."""

    curve: Literal["roc", "calibration"]

    def __init__(self, curves: xr.Dataset) -> None:
        self.curves = curves

    @classmethod
    def _draw(cls, evidence: Any, ax: Any, **options: Any) -> Self:
        probabilities = probabilities_of(evidence)
        if "probability" not in probabilities:
            raise ArgumentError(
                "estimators",
                "must all have predict_proba or decision_function",
                "predicted labels only",
                "RankingDisplay ranks by predicted labels",
            )
        return cls(credible_curves(probabilities, cls.curve, **options)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the median of each curve, and its band."""
        from bayesrank.plots import calibration_curve, roc_curve

        self.ax_ = (roc_curve if self.curve == "roc" else calibration_curve)(self.curves, ax)
        self.figure_ = self.ax_.figure
        return self


class CredibleRocDisplay(_CurveDisplay):
    """ROC curves of estimators, each with a band that holds the whole curve.

    Attributes
    ----------
    curves : xarray.Dataset
        The result of :func:`bayesrank.ops.credible_curves`.
    ax_, figure_ : matplotlib Axes and Figure
        What :meth:`plot` drew on.

    Examples
    --------
    >>> from bayesrank.integrations.sklearn import CredibleRocDisplay
    >>> y, p = [0, 0, 0, 1, 1, 1] * 9, {"old": [0.1, 0.4, 0.6, 0.3, 0.7, 0.9] * 9}
    >>> CredibleRocDisplay.from_predictions(y, p).ax_.get_xlabel()
    'false positive rate (1 - specificity)'
    """

    curve = "roc"

    @classmethod
    @check_call
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,
        y: Any,
        *,
        cv: Any = None,
        positive: Any = None,
        weight: Any = None,
        prob: float = 0.95,
        seed: Seed = 1,
        ax: Any = None,
    ) -> Self:
        """Predict with estimators, as :func:`bayesrank.from_estimators` does, and draw their curves."""
        evidence = from_estimators(estimators, X, y, cv=cv, positive=positive, weight=weight)
        return cls._draw(evidence, ax, prob=prob, seed=seed)

    @classmethod
    @check_call
    def from_predictions(
        cls,
        y_true: Any,
        probabilities: Any,
        *,
        positive: Any = None,
        weight: Any = None,
        prob: float = 0.95,
        seed: Seed = 1,
        ax: Any = None,
    ) -> Self:
        """Draw the curves of probabilities or decision values, as :func:`bayesrank.from_probabilities` takes them."""
        evidence = from_probabilities(y_true, probabilities, positive=positive, weight=weight)
        return cls._draw(evidence, ax, prob=prob, seed=seed)


class CredibleCalibrationDisplay(_CurveDisplay):
    """Calibration curves of estimators: how often each predicted probability comes true, with a band.

    Attributes
    ----------
    curves : xarray.Dataset
        The result of :func:`bayesrank.ops.credible_curves`.
    ax_, figure_ : matplotlib Axes and Figure
        What :meth:`plot` drew on.

    Examples
    --------
    >>> from bayesrank.integrations.sklearn import CredibleCalibrationDisplay
    >>> y, p = [0, 0, 0, 1, 1, 1] * 9, {"old": [0.1, 0.4, 0.6, 0.3, 0.7, 0.9] * 9}
    >>> found = CredibleCalibrationDisplay.from_predictions(y, p, strategy="uniform")
    >>> found.curves["cases"].values.tolist()
    [[9.0, 9.0, 9.0, 9.0, 9.0, 9.0, nan, nan, nan, nan]]
    """

    curve = "calibration"

    @classmethod
    @check_call
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,
        y: Any,
        *,
        cv: Any = None,
        positive: Any = None,
        weight: Any = None,
        strategy: Literal["quantile", "uniform"] = "quantile",
        prob: float = 0.95,
        seed: Seed = 1,
        ax: Any = None,
    ) -> Self:
        """Predict with estimators, and draw their curves; bins have equal numbers of cases, or equal widths."""
        evidence = from_estimators(estimators, X, y, cv=cv, positive=positive, weight=weight)
        return cls._draw(evidence, ax, strategy=strategy, prob=prob, seed=seed)

    @classmethod
    @check_call
    def from_predictions(
        cls,
        y_true: Any,
        probabilities: Any,
        *,
        positive: Any = None,
        weight: Any = None,
        strategy: Literal["quantile", "uniform"] = "quantile",
        prob: float = 0.95,
        seed: Seed = 1,
        ax: Any = None,
    ) -> Self:
        """Draw the curves of probabilities; bins have equal numbers of cases, or equal widths."""
        evidence = from_probabilities(y_true, probabilities, positive=positive, weight=weight)
        return cls._draw(evidence, ax, strategy=strategy, prob=prob, seed=seed)
