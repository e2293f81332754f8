"""Averages of a two-class score over the classes of a larger problem.

They are popular, and they have pitfalls: an average of ranking scores is in general not a ranking score. Entities
ranked by a macro or micro average may break the axioms of performance-based ranking, so that mixing two of them gives
one that is better than both (Piérard et al., Foundations of the theory of performance-based ranking, A.2.1). To rank
classifiers of more than two classes, use a ranking score of the whole matrix, such as the accuracy or
:func:`bayesrank.ranking_score` with importances of your own; read averages as summaries.
"""

from typing import Any

import xarray as xr

from bayesrank.counts import one_vs_rest
from bayesrank.performance import as_performance, observed_counts
from bayesrank.scores.catalog import as_score
from bayesrank.scores.score import Score

__all__ = ["macro_average", "micro_average", "weighted_average"]


def macro_average(source: Any, score: Any) -> xr.DataArray:
    """The plain mean over the classes of a two-class score, each class against all others.

    A summary, not a ranking score: entities ranked by it may break the axioms, so that a mixture of two beats both
    (Piérard et al., Foundations, A.2.1; the documentation shows counterexamples as numbers).

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Counts or a performance (..., actual, predicted) of C >= 2 classes. Where its counts are known (counts, or the
        container that :func:`bayesrank.fit` makes), classes without cases are left out: only the prior speaks of them.
    score : Score, str or callable
        A two-class score.

    Returns
    -------
    xarray.DataArray
        Without ``actual`` and ``predicted``; NaN where the score is undefined for a class with cases.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the source holds no classes, has been put one against the rest before, or there is no such score.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")
    >>> macro_average(counts, "tpr").item()
    0.8444...
    """
    each, present, score = _each(source, score)
    total = score(each).where(present, 0.0).sum("label", skipna=False)
    return _named(total / present.sum("label"), "macro", score)


def micro_average(source: Any, score: Any) -> xr.DataArray:
    """A two-class score of the sum over the classes of their one-vs-rest tables.

    The micro averages of precision, recall and F1 all equal the accuracy, and with one label a case any other is an
    increasing function of it; with a class left out they may break the axioms (Piérard et al., Foundations, A.2.1; the
    documentation shows counterexamples as numbers).

    Parameters
    ----------
    source, score
        As for :func:`macro_average`.

    Returns
    -------
    xarray.DataArray
        Without ``actual`` and ``predicted``.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the source holds no classes, has been put one against the rest before, or there is no such score.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")
    >>> micro_average(counts, "f1").item() == br.scores.accuracy(counts).item() == 0.8
    True
    """
    each, present, score = _each(source, score)
    pooled = each.where(present, 0).sum("label", skipna=False)
    # The mean of probabilities is a probability; the sum of counts keeps them whole.
    pooled = pooled.astype(each.dtype) if each.dtype.kind in "iu" else pooled / present.sum("label")
    return _named(score(pooled), "micro", score)


def weighted_average(source: Any, score: Any) -> xr.DataArray:
    """The mean over the classes of a two-class score, weighted by the classes' prevalence.

    A summary, not a ranking score: entities ranked by it may break the axioms, so that a mixture of two beats both
    (Piérard et al., Foundations, A.2.1; the documentation shows counterexamples as numbers).

    Parameters
    ----------
    source, score
        As for :func:`macro_average`.

    Returns
    -------
    xarray.DataArray
        Without ``actual`` and ``predicted``; NaN where the score is undefined for a class that occurs.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the source holds no classes, has been put one against the rest before, or there is no such score.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")
    >>> weighted_average(counts, "tpr").item() == br.scores.accuracy(counts).item()
    True
    """
    each, present, score = _each(source, score)
    weight = each.sel(actual="positive").sum("predicted", skipna=False).where(present, 0)
    share = weight / weight.sum("label", skipna=False)
    # A class without cases weighs nothing, defined or not.
    average = (score(each) * share).where(share != 0, 0.0).sum("label", skipna=False)
    return _named(average, "weighted", score)


def _each(source: Any, score: Any) -> tuple[xr.DataArray, xr.DataArray, Score]:
    """One table a class, and which classes have cases: of the others only the prior speaks."""
    counts = observed_counts(source)
    # Counts are used as they are: exact integers keep exact ties.
    each = one_vs_rest(counts if counts is not None and counts is source else as_performance(source))
    if counts is None:
        present = xr.ones_like(each["label"], dtype=bool)
    else:
        present = (counts.sum("predicted") > 0).rename(actual="label").reset_coords(drop=True)
    return each, present, as_score(score)


def _named(values: xr.DataArray, kind: str, score: Any) -> xr.DataArray:
    attrs = score.attrs() | {"long_name": f"{kind} average of {score.name.replace('_', ' ')}"}
    return values.rename(f"{kind}_{score.name}").drop_attrs().assign_attrs(attrs)
