"""Ranking scores R_I = Σ I S P / Σ I P, for any task with finitely many outcomes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_cells,
    check_labelled_numbers,
    check_weights,
    describe_value,
)
from bayesrank._core.classes import by_class, order_classes
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import check_positive
from bayesrank._core.types import Container
from bayesrank.performance.arrays import (
    align_outcomes,
    counts_or_performance,
    outcome_dims,
    two_class_cells,
)
from bayesrank.performance.operations import check_importance, scaled_importance
from bayesrank.scores.families import CELLS, by_importance
from bayesrank.scores.score import Score, ratio

__all__ = ["canonical_score", "importance", "of_importance", "of_satisfaction", "ranking_score"]

FOUNDATIONS = "Piérard et al., Foundations of the theory of performance-based ranking"


@check_call
def importance(
    *, tn: float = 0.0, fp: float = 0.0, fn: float = 0.0, tp: float = 0.0
) -> xr.DataArray:
    """Return the importance of the four outcomes of two-class classification, as an array (actual, predicted).

    The numbers are non-negative and finite, not all 0 (else ValueError). Only their ratios matter
    (Piérard et al., Foundations of the theory of performance-based ranking, Section 3.6).

    Examples
    --------
    >>> importance(fp=1, fn=1, tp=2).sel(actual="positive", predicted="positive").item()
    2.0
    """
    weights = np.array(list(check_cells(tn=tn, fp=fp, fn=fn, tp=tp).values())).reshape(2, 2)
    coords = {dim: ["negative", "positive"] for dim in ("actual", "predicted")}
    return xr.DataArray(weights, coords, ("actual", "predicted"), "importance")


def of_importance(importance: xr.DataArray) -> Score:
    """Return the ranking score of an importance, for any number of classes.

    R_I(P) = Σ I(ω) P(ω) over the right outcomes / Σ I(ω) P(ω) over all (Piérard et al., Foundations
    of the theory of performance-based ranking, Section 4.3).

    Parameters
    ----------
    importance : xarray.DataArray
        Non-negative, over (``actual``, ``predicted``) as from :func:`bayesrank.importance`, or
        constant over a missing dim. Classes are matched by label; the labels negative and positive
        are matched by position.

    Raises
    ------
    TypeError, ValueError
        If the importance is not a DataArray over classes, is negative or not finite, or is all 0;
        or if only right or only wrong outcomes have importance, since the score is then the same
        for every performance.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=1, fn=3, tp=27)
    >>> of_importance(br.importance(fp=1, fn=1, tp=2))(counts).item(), br.scores.f1(counts).item()
    (0.931..., 0.931...)
    """
    if not isinstance(importance, xr.DataArray):
        raise ArgumentTypeError(
            "importance",
            "must be a DataArray over actual and predicted",
            describe_value(importance),
        )
    table, labels = _table_of(importance)
    table = scaled_importance(table)
    _refuse_constant(table)
    metadata: dict[str, Any] = {
        "symbol": "R_I",
        "domain": "where an outcome of some importance occurs",
        "reference": f"{FOUNDATIONS}, Section 4.3",
    }
    if table.shape == (2, 2) and labels in (None, ("negative", "positive")):
        weights = {cell: float(weight) for cell, weight in zip(CELLS, table.ravel(), strict=True)}
        formula = " + ".join(f"{weights[c]:g} {c.upper()}" for c in CELLS if weights[c])
        return by_importance(
            "ranking_score", **weights, formula=f"share of right outcomes in {formula}", **metadata
        )
    return Score(
        "ranking_score",
        None,
        matrix_function=OfTable(tuple(map(tuple, table.tolist()))),
        labels=labels or tuple(range(len(table))),
        formula="Σ I P of the right outcomes / Σ I P",
        **metadata,
    )


def of_satisfaction(satisfaction: xr.DataArray, importance: xr.DataArray | None = None) -> Score:
    """Return the ranking score of a satisfaction of the outcomes without classes: R_I(P) = Σ I S P / Σ I P.

    Without an importance it is the expected satisfaction (Piérard et al., Foundations of the theory
    of performance-based ranking, Sections 3.3 and 4.3).

    Parameters
    ----------
    satisfaction : xarray.DataArray
        Finite numbers over ``outcome``, with its labels.
    importance : xarray.DataArray, optional
        Non-negative numbers over the same outcomes.

    Raises
    ------
    TypeError, ValueError
        If an argument is not over labelled outcomes, or the satisfaction is the same for all
        outcomes of importance.

    Examples
    --------
    >>> good = xr.DataArray([-1.0, -0.5, 1.0], {"outcome": ["fp", "fn", "tp"]})
    >>> of_satisfaction(good)(xr.DataArray([0.2, 0.3, 0.5], good.coords)).item()
    0.15...
    """
    good = _over_outcomes("satisfaction", satisfaction)
    if not np.isfinite(good).all():
        raise ArgumentError("satisfaction", "must be finite", good.values.tolist())
    labels = tuple(good["outcome"].values.tolist())
    weights = np.ones(len(labels))
    if importance is not None:
        aligned = _over_outcomes("importance", importance)
        if set(aligned["outcome"].values.tolist()) != set(labels):
            raise ArgumentError(
                "importance",
                f"must have the outcomes {list(labels)}",
                aligned["outcome"].values.tolist(),
            )
        check_weights("importance", aligned)
        weights = aligned.sel(outcome=list(labels)).values
    values = good.values[weights > 0]
    if not values.size or values.min() == values.max():
        raise ArgumentError(
            "satisfaction",
            "must differ between outcomes with importance above 0",
            good.values.tolist(),
        )
    return Score(
        "expected_satisfaction" if importance is None else "ranking_score",
        None,
        symbol="R_I",
        formula="Σ I S P / Σ I P",
        range=(float(values.min()), float(values.max())),
        depends_on_prevalence=False,
        outcome_function=OfOutcomes(tuple(weights.tolist()), tuple(good.values.tolist())),
        labels=labels,
        domain="where an outcome of some importance occurs",
        reference=f"{FOUNDATIONS}, Section 4.3",
    )


def _over_outcomes(argument: str, values: Any) -> xr.DataArray:
    """Return numbers over labelled outcomes."""
    if (
        not isinstance(values, xr.DataArray)
        or values.dims != ("outcome",)
        or "outcome" not in values.coords
    ):
        raise ArgumentTypeError(
            argument, "must be a DataArray over outcome, with labels", describe_value(values)
        )
    return check_labelled_numbers(argument, values)


@dataclass(frozen=True)
class OfOutcomes:
    """The ranking score of importances and satisfactions, as a function of probabilities of labelled outcomes."""

    weights: tuple[float, ...]
    good: tuple[float, ...]

    def __call__(self, tables: np.ndarray, outcomes: Any) -> np.ndarray:
        weighed = tables * np.array(self.weights)
        return ratio(np.einsum("...i,i->...", weighed, np.array(self.good)), weighed.sum(axis=-1))


@dataclass(frozen=True)
class OfTable:
    """The ranking score of a table of importances, as a function of confusion matrices."""

    weights: tuple[tuple[float, ...], ...]

    def __call__(self, matrix: np.ndarray, present: Any) -> np.ndarray:
        weighed = matrix * np.array(self.weights)
        return ratio(np.trace(weighed, axis1=-2, axis2=-1), weighed.sum(axis=(-2, -1)))


@check_call
def ranking_score(
    source: Container,
    importance: xr.DataArray,
    satisfaction: xr.DataArray | None = None,
    *,
    kind: str | None = None,
) -> xr.DataArray:
    """Return the ranking score of an importance and a satisfaction, on any finite sample space.

    R_I(P) = Σ I(ω) S(ω) P(ω) / Σ I(ω) P(ω) (Piérard et al., Foundations of the theory of
    performance-based ranking, Section 4.3).

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performance or counts, over (``actual``, ``predicted``) with any number of classes, or over
        ``outcome``.
    importance : DataArray
        Non-negative, over the outcomes; constant over missing outcome dims. Further dims give one
        score each.
    satisfaction : DataArray, optional
        Real-valued, over the outcomes; default for classes: 1 where ``predicted`` is ``actual``,
        else 0. It may also vary by ``entity``, for example for the errors of regressors on test
        cases.
    kind : {"observed", "typical", "new"}, optional
        Which performance of a posterior over several data sets, as in
        :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.DataArray
        Scores without the outcome dims; NaN where no outcome with importance occurs. Lazy if the
        source is.

    Raises
    ------
    ValueError
        If an argument does not match the source, or the satisfaction is missing for outcomes that
        are not classes.

    Examples
    --------
    Three outcomes of a search, where a missed result is half as bad as a wrong one:

    >>> found = xr.DataArray([0.2, 0.3, 0.5], dims="outcome", coords={"outcome": ["fp", "fn", "tp"]})
    >>> good = xr.DataArray([-1.0, -0.5, 1.0], dims="outcome", coords={"outcome": ["fp", "fn", "tp"]})
    >>> ranking_score(found, xr.ones_like(good), good).item()
    0.15...
    """
    array = counts_or_performance(source, kind)  # the score does not depend on the total
    outcome = outcome_dims(array)
    weights = check_importance(importance, array)
    if satisfaction is None:
        satisfaction = _correct(array)
    good = align_outcomes(satisfaction, array, "satisfaction")
    if not np.isfinite(good).all():
        raise ArgumentError("satisfaction", "must be finite", "NaN or infinity")
    total = xr.dot(array, weights, dim=outcome)
    value = xr.dot(array, weights * good, dim=outcome) / total.where(total > 0)
    return _named(value, "ranking score", good.min().item(), good.max().item())


@check_call
def canonical_score(source: Container, a: Any, b: Any, *, kind: str | None = None) -> xr.DataArray:
    """Return the canonical ranking score at one or more points of the Tile (The Tile, Definition 1).

    R_ab = ((1 − a) tn + a tp) / ((1 − a) tn + a tp + (1 − b) fp + b fn).

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances or counts.
    a, b : float, sequence or DataArray
        In [0, 1]. a trades true positives against true negatives, b false negatives against false
        positives. A sequence adds a dim of that name, ``b`` before ``a``. DataArrays keep their
        dims; a shared dim gives paired points.
    kind : {"observed", "typical", "new"}, optional
        Which performance of a posterior over several data sets, as in
        :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.DataArray
        Scores without the outcome dims; NaN where undefined.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=1, fn=3, tp=27)
    >>> canonical_score(counts, 1.0, 0.5).item()
    0.931...
    """
    array = counts_or_performance(source, kind)
    table = two_class_cells(array)
    check_positive(array, "a place on the Tile")
    along_a, along_b = (
        check_labelled_numbers("a", a, 0.0, 1.0),
        check_labelled_numbers("b", b, 0.0, 1.0),
    )
    right = (1 - along_a) * table["tn"] + along_a * table["tp"]
    wrong = (1 - along_b) * table["fp"] + along_b * table["fn"]
    total = right + wrong
    value = right / total.where(total > 0)
    last = [dim for dim in (*along_b.dims, *along_a.dims) if dim not in table["tn"].dims]
    return _named(
        value.transpose(..., *dict.fromkeys(last)), "canonical ranking score", 0.0, 1.0
    ).rename("canonical_score")


def _named(values: xr.DataArray, name: str, low: float, high: float) -> xr.DataArray:
    """Return the values of a ranking score with their name and attrs."""
    attrs = {"long_name": name, "direction": "higher is better", "range": [low, high]}
    return values.rename("ranking_score").assign_attrs(attrs)


def _table_of(importance: xr.DataArray) -> tuple[np.ndarray, tuple[Any, ...] | None]:
    """Return importances as a square table, and the labels of the classes if there are any."""
    dims, importance = ("actual", "predicted"), by_class(importance)
    if not importance.dims or set(importance.dims) - set(dims):
        raise ArgumentError("importance", "must be over actual and predicted", importance.dims)
    values = order_classes(check_labelled_numbers("importance", importance), "importance")
    check_weights("importance", values)
    named = [tuple(values[dim].values.tolist()) for dim in dims if dim in values.coords]
    sizes = set(values.sizes.values())
    if len(sizes) > 1 or len(set(named)) > 1 or min(sizes) < 2:
        raise ArgumentError(
            "importance", "must be over the same classes on both dims", named or dict(values.sizes)
        )
    size = sizes.pop()
    square = values.drop_vars(dims, errors="ignore").broadcast_like(
        xr.DataArray(np.empty((size, size)), dims=dims)
    )
    return square.transpose(*dims).values, named[0] if named else None


def _refuse_constant(table: np.ndarray) -> None:
    """Raise an error for importances of right outcomes alone, or of wrong ones alone; costs are often given so."""
    right = np.trace(table)
    if 0 < right < table.sum():
        return
    always = "0, as no right outcome" if right == 0 else "1, as no wrong outcome"
    raise ArgumentError(
        "importance",
        "must be above 0 for a right and for a wrong outcome; otherwise every performance has the same score",
        f"a score that is always {always} has importance",
        "br.decisions.expected_utility(source, benefit={'tn': 0, 'fp': -1, 'fn': -10, 'tp': 0}, prevalence=0.1) ranks "
        "by costs and benefits; bayesrank decide DATA --benefit tn=0,fp=-1,fn=-10,tp=0 --prevalence 0.1 in a shell",
    )


def _correct(array: xr.DataArray) -> xr.DataArray:
    """Return 1 where the predicted class is the actual one, else 0."""
    if "outcome" in array.dims:
        raise ArgumentError("satisfaction", "must be given for a performance over outcome", "None")
    labels = {
        dim: array[dim].values.tolist() for dim in ("actual", "predicted") if dim in array.coords
    }
    if array.sizes["actual"] != array.sizes["predicted"] or (
        len(labels) == 2 and labels["actual"] != labels["predicted"]
    ):
        raise ArgumentError(
            "satisfaction",
            "must be given if predicted classes differ from the actual ones",
            labels or array.sizes,
        )
    return xr.DataArray(np.eye(array.sizes["actual"]), dims=("actual", "predicted"), coords=labels)
