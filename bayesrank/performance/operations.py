"""Operations on performances: relabel, swap classes, shift the prior, remove the skill, move to another prevalence."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_labelled_numbers,
    check_labelled_prevalence,
    check_number,
    check_prevalence,
    class_shares,
)
from bayesrank._core.classes import order_classes
from bayesrank._core.compat import to_container
from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.evidence.counts import NO_CLASSES, TWO_CLASSES, class_dims, entity_names
from bayesrank.models.parts.priors import in_words
from bayesrank.performance.arrays import (
    KINDS,
    OUTCOME_DIMS,
    align_outcomes,
    as_performance,
    only_two_classes,
    outcome_dims,
    posterior_of,
)

#: Order of the outcomes after each operation (The Tile, Lemmas 1 to 4); :func:`relabel` has one
#: more.
REVERSED = slice(None, None, -1)
#: Binary exponent of the greatest importance from which importances are rescaled.
LARGE = 900
OPERATIONS: dict[str, dict[str, slice]] = {
    "change_predicted": {"predicted": REVERSED},
    "change_actual": {"actual": REVERSED},
    "swap_actual_predicted": {},
    "swap_classes": {"actual": REVERSED, "predicted": REVERSED},
}


@check_call
def relabel(source: Container, operation: str) -> xr.DataArray:
    """Return the performance after truth or predictions are relabelled.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (..., actual, predicted), with or without draws. The result has its
        dims, and is lazy if the source is.
    operation : {"change_predicted", "change_actual", "swap_actual_predicted", "swap_classes"}
        Change every prediction, or every true class, to the other class; exchange truth and
        prediction, or the two classes.

    References
    ----------
    Piérard et al., The Tile, Lemmas 1 to 4.

    Examples
    --------
    >>> relabel(br.from_counts(tn=4, fp=3, fn=2, tp=1), "swap_classes").values.tolist()
    [[[0.1, 0.2], [0.3, 0.4]]]
    """
    order = OPERATIONS[check_choice("operation", operation, OPERATIONS, ArgumentKeyError)]
    array = _two_classes(source)
    labels = {dim: array[dim] for dim in OUTCOME_DIMS if dim in array.coords}
    moved = array.drop_vars(OUTCOME_DIMS, errors="ignore").isel(order)
    if operation == "swap_actual_predicted":
        moved = moved.rename(actual="predicted", predicted="actual")
    return moved.transpose(*array.dims).assign_coords(labels).copy()


@check_call
def shift_prior(source: Container, prevalence: Any) -> xr.DataArray:
    """Return the performance at another prevalence, with unchanged rates (The Tile, Section 3.2 and Property 1).

    Parameters
    ----------
    source
        As for :func:`relabel`; the result has its dims. :func:`bayesrank.at_prevalence` changes a
        whole posterior.
    prevalence : number or DataArray
        New share of the positive class. Rows of a class that had a share of 0 are NaN, if the new
        share is above 0.

    Examples
    --------
    >>> shift_prior(br.from_counts(tn=40, fp=10, fn=10, tp=40), 0.1).values.round(6).tolist()
    [[[0.72, 0.18], [0.02, 0.08]]]
    """
    table = _two_classes(source)
    share = check_labelled_prevalence(prevalence, may_lack=True)  # NaN if nothing was observed
    return move_rates(table, rates_of(table), class_shares(share, table))


@check_call
def from_cells(*, tn: Any, fp: Any, fn: Any, tp: Any, entity: Any = None) -> xr.DataArray:
    """Return a two-class performance from the probabilities of its four outcomes.

    :func:`bayesrank.from_counts` takes numbers of cases instead.

    Parameters
    ----------
    tn, fp, fn, tp : float or sequence of float
        Probabilities, which sum to 1: scalars, or sequences of equal length.
    entity : hashable or sequence, optional
        Name of each performance; "entity 1", "entity 2", ... by default.

    Returns
    -------
    xarray.DataArray
        ``performance`` (entity, actual, predicted).

    Raises
    ------
    ValueError, TypeError
        If the numbers are no probabilities that sum to 1, or lengths differ.

    Examples
    --------
    >>> performance = br.performance.from_cells(tn=0.4, fp=0.1, fn=0.1, tp=0.4)
    >>> br.scores.f1(performance).item()
    0.8
    >>> br.performance.from_cells(**{"tn": 0.7, "fp": 0.1, "fn": 0.1, "tp": 0.1}, entity="A").sizes["entity"]
    1
    """
    by_name, hint = (
        {"tn": tn, "fp": fp, "fn": fn, "tp": tp},
        "br.from_counts takes numbers of cases",
    )
    cells = [
        np.atleast_1d(check_labelled_numbers(name, value).values) for name, value in by_name.items()
    ]
    shapes = {texts.shape for texts in cells}
    if len(shapes) > 1 or cells[0].ndim != 1 or not cells[0].size:
        texts = ", ".join(f"{name} {each.shape}" for name, each in zip(by_name, cells, strict=True))
        raise ArgumentError(
            "tn, fp, fn, tp", "must be scalars or sequences of the same length", f"shapes {texts}"
        )
    table = np.stack(cells, axis=-1)
    if outside := [
        name
        for name, texts in zip(by_name, cells, strict=True)
        if not ((texts >= 0) & (texts <= 1)).all()
    ]:
        raise ArgumentError(
            outside[0], "must lie between 0 and 1", f"{by_name[outside[0]]!r}", hint
        )
    total = table.sum(axis=-1)
    if (off := ~(np.abs(total - 1) <= 1e-6)).any():
        raise ArgumentError(
            "tn, fp, fn, tp", "must be probabilities that sum to 1", f"{total[off][0]:.6g}", hint
        )
    coords = {"entity": entity_names(entity, len(table)), **class_dims(TWO_CLASSES)}
    values = table.reshape(-1, 2, 2)
    return xr.DataArray(values, coords, ("entity", "actual", "predicted"), "performance")


@check_call
def shift_importance(importance: xr.DataArray, prevalence: float, new: float) -> xr.DataArray:
    """Return the importance I' that has, at one prevalence, the scores of I after a shift of the prior (Property 1).

    The ranking score of I for ``shift_prior(P, new)`` is that of I' for P, a performance of this
    ``prevalence``: I' = I π'/π, class by class (Piérard et al., The Tile, Property 1).

    Parameters
    ----------
    importance : DataArray
        Over ``actual`` and ``predicted`` of two classes, as from :func:`bayesrank.importance`.
    prevalence, new : float
        The prevalence of the performances, strictly between 0 and 1, and the one after the shift.

    Examples
    --------
    >>> performance = br.performance.from_cells(tn=0.4, fp=0.1, fn=0.1, tp=0.4)
    >>> weights = br.importance(tn=1, fp=1, fn=1, tp=1)
    >>> round(br.ranking_score(br.performance.shift_prior(performance, 0.2), weights).item(), 6)
    0.8
    >>> round(br.ranking_score(performance, br.performance.shift_importance(weights, 0.5, 0.2)).item(), 6)
    0.8
    """
    if not isinstance(importance, xr.DataArray) or set(OUTCOME_DIMS) - set(importance.dims):
        raise ArgumentTypeError(
            "importance", "must be a DataArray over actual and predicted, as of br.importance"
        )
    only_two_classes(importance := order_classes(importance, "importance"), "importance")
    check_prevalence(prevalence)
    check_number("new", new, 0.0, 1.0)
    factor = xr.DataArray([(1 - new) / (1 - prevalence), new / prevalence], dims="actual")
    return (importance * factor).transpose(*importance.dims)


@check_call
def at_prevalence(source: Container, prevalence: Any) -> Any:
    """Return performances at a target prevalence, with unchanged rates.

    This assumes that the rates apply to the target population, whose cases must be as hard as those
    of the source.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performances over ``actual`` and ``predicted``; in a posterior, all kinds of performance are
        changed.
    prevalence : number or DataArray
        Share of the positive class, or of all classes (dim ``actual``); labelled draws of it
        (``chain``, ``draw``) propagate its uncertainty.

    Returns
    -------
    DataArray, Dataset, InferenceData or DataTree
        The type of ``source``. Rows of classes that had a share of 0 are NaN, unless the posterior
        has the variable ``rate``. The attr ``prevalence`` of a posterior records the change.

    Examples
    --------
    >>> posterior = br.fit(br.from_counts(tn=45, fp=5, fn=10, tp=40), seed=1)
    >>> for share in (0.5, 0.02):
    ...     print(round(float(br.scores.ppv(at_prevalence(posterior, share)).median()), 2))
    0.88
    0.14
    """
    source = parse_source(source)
    if source.array is not None:
        return _transport(as_performance(source), None, prevalence)
    groups, group = source.groups, posterior_of(source)
    kinds = {kind: name for kind, name in KINDS.items() if name in group}
    if not kinds:
        raise ArgumentError(
            "source", "must contain a performance", sorted(map(str, group.data_vars))
        )
    moved = {
        name: _transport(
            as_performance(group, kind),
            group.get("rate") if kind == "observed" else None,
            prevalence,
        )
        for kind, name in kinds.items()
    }
    text = in_words(prevalence, "")
    no_longer_apply = ["rate", "prevalence", "mean_prevalence", "spread_of_prevalence", "test_set"]
    rescaled = (
        group.drop_vars(no_longer_apply, errors="ignore")
        .assign(moved)
        .assign_attrs(prevalence=text)
    )
    return to_container(groups | {"posterior": rescaled}) if groups else rescaled


@check_call
def no_skill_twin(source: Container) -> xr.DataArray:
    """Return the performance with the same prevalence and prediction rate, but prediction independent of truth.

    This is the operation no-skill of The Tile, Sections 2.1 and 2.2.

    Parameters
    ----------
    source
        As for :func:`relabel`, with its result.

    Examples
    --------
    >>> no_skill_twin(br.from_counts(tn=40, fp=10, fn=10, tp=40)).values.round(6).tolist()
    [[[0.25, 0.25], [0.25, 0.25]]]
    """
    array = _two_classes(source)
    twin = array.sum("predicted", skipna=False) * array.sum("actual", skipna=False)
    return twin.transpose(..., *OUTCOME_DIMS).rename("performance")


def check_importance(importance: Any, array: xr.DataArray) -> xr.DataArray:
    """Validate an importance and align it with the outcomes of ``array``."""
    weights = align_outcomes(importance, array, "importance")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ArgumentError(
            "importance", "must be non-negative and finite", weights.values.tolist()
        )
    if not (weights > 0).any([dim for dim in outcome_dims(array) if dim in weights.dims]).all():
        raise ArgumentError("importance", "must be positive for some outcome", "0 for all")
    outcomes = [dim for dim in outcome_dims(array) if dim in weights.dims]
    return weights.copy(data=scaled_importance(weights.values, weights.get_axis_num(outcomes)))


def scaled_importance(weights: np.ndarray, axis: Any = None) -> np.ndarray:
    """Multiply importances by a power of two if the greatest along ``axis`` is too large or too small for sums."""
    exponent = np.frexp(weights.max(axis=axis, keepdims=True))[1]
    return np.ldexp(weights, np.where(np.abs(exponent) > LARGE, -exponent, 0))


def _two_classes(source: Any) -> xr.DataArray:
    array = as_performance(source)
    only_two_classes(array)
    return array.transpose(..., *OUTCOME_DIMS)


def _transport(table: xr.DataArray, rate: xr.DataArray | None, prevalence: Any) -> xr.DataArray:
    if "actual" not in table.dims:
        hint = f" ({NO_CLASSES})" if "outcome" in table.dims else ""
        raise ArgumentError(
            "source", "must contain a performance over actual and predicted", f"{table.dims}{hint}"
        )
    share = class_shares(check_labelled_prevalence(prevalence), table)
    if set(share.dims) - set(table.dims):
        raise ArgumentError("prevalence", f"must have dims among {table.dims}", share.dims)
    try:
        xr.align(share, table, join="exact")
    except ValueError:
        raise ArgumentError(
            "prevalence", "must have the labels of the source on all dims", "different labels"
        ) from None
    return move_rates(table, rates_of(table) if rate is None else rate, share)


def rates_of(table: xr.DataArray) -> xr.DataArray:
    """Return the rates of each class, NaN for classes with a share of 0."""
    total = table.variable.sum("predicted", skipna=False)
    return table.copy(data=(table.variable / total.where(total > 0)).transpose(*table.dims).data)


def move_rates(table: xr.DataArray, rate: xr.DataArray, share: xr.DataArray) -> xr.DataArray:
    """Return a performance with the labels of ``table``, class shares ``share`` and rates ``rate``, all aligned."""
    # Variables need no alignment, which would take most of the time.
    own, new = rate.variable, share.variable
    # With a target share of 0, an unknown rate does not matter.
    moved = (own.where(new > 0, 0.0) * new).where(table.variable.notnull())
    return table.copy(data=moved.transpose(*table.dims).data).drop_attrs().rename("performance")
