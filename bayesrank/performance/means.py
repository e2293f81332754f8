"""Means over data sets with given weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_labelled_numbers,
    check_weights,
    describe_value,
)
from bayesrank._core.classes import order_classes
from bayesrank._core.compat import to_container
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import select_names
from bayesrank._core.notes import Note, add_notes, notes_of, notes_text
from bayesrank._core.records import EvidenceRecord, ModelRecord
from bayesrank._core.source import AGGREGATES, Over, parse_source
from bayesrank._core.types import Container
from bayesrank.models import model_for_datasets
from bayesrank.performance.arrays import as_performance

#: Notes on few units (cases or clusters) apply to the mean below 50 of them. Variance lost to a
#: split prior is reported if the standard error keeps less than this share.
FEW, KEPT = 50, 0.95
#: The codes of these notes on few units.
OF_FEW_UNITS = (
    "few_cases_and_prior_of_range",
    "few_cases_and_prior",
    "few_clusters",
    "few_units_without_prior",
)


@check_call
def aggregate_over(
    source: Container, over: str, aggregate: str = "mean", weights: Any = None
) -> Over:
    """Return a source whose scores are aggregated over groups, data sets or categories, in each draw.

    The result can replace the posterior in :func:`bayesrank.credible_ranking`,
    :func:`bayesrank.probability`, :func:`bayesrank.statements.probable_orders`,
    :func:`bayesrank.top_set`, :func:`bayesrank.plan`, :func:`bayesrank.decisions.gate`,
    :func:`bayesrank.decisions.expected_utility`, :func:`bayesrank.decisions.noninferiority`,
    :func:`bayesrank.tile.credible` and :func:`bayesrank.ranking_report`. If an aggregate has no
    meaning there, an error lists the aggregates that have one.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        A posterior, performances or values with the dim ``group`` or ``dataset``.
    over, aggregate, weights
        As for :func:`bayesrank.scores.aggregate_score`.

    Returns
    -------
    Over
        The source with its aggregate, which is computed when a score is known.

    Raises
    ------
    ValueError, TypeError
        If the aggregate is unknown. Other errors are raised where the result is used.

    Examples
    --------
    >>> posterior = br.fit(br.datasets.load("face_classifiers"), seed=1)
    >>> worst = br.performance.aggregate_over(posterior, "group", "worst")
    >>> br.top_set(worst, None, 1)["in_confidence_set"].to_series().to_dict()
    {'MSFT': True, 'Face++': False, 'IBM': False}
    """
    if isinstance(source, Over):
        raise ArgumentError("source", "is already an aggregate", f"an aggregate over {source.over}")
    if not isinstance(over, str):
        raise ArgumentTypeError("over", "must be the name of a dim or coord", describe_value(over))
    return Over(
        parse_source(source), over, check_choice("aggregate", aggregate, AGGREGATES), weights
    )


@check_call
def mean_over_datasets(source: Container, weights: Any = None) -> Any:
    """Average performances or values over data sets with given weights, for one ranking over all tasks.

    A mean performance is that of a random case of a random data set: data sets are drawn with these
    weights, whatever their sizes. For the mean of a score that is not a share of cases, such as F1,
    pass the values ``br.scores.f1(posterior)``.

    If each of many data sets has its own prior, their mean is biased towards the prior;
    ``fit(..., split_prior=True)`` divides one prior between them. For small data sets a split prior
    makes intervals too narrow: by the factor sqrt((n - 1) / (n + 1)) with n cases in each. 95%
    intervals cover about 0.85 with 3 cases and 0.94 with 20. Notes warn of both.

    Parameters
    ----------
    source : InferenceData, DataTree, Dataset or DataArray
        A posterior, or values, over ``entity`` and ``dataset`` (or ``group``).
    weights : mapping or DataArray, optional
        Non-negative weight of each data set, by name, normalised to sum 1; equal by default.

    Returns
    -------
    InferenceData, DataTree, Dataset or DataArray
        The type of ``source``, without the dim ``dataset``. A container keeps ``posterior``
        (means), ``observed_data`` (means, and unchanged ``counts``), ``constant_data`` and
        ``sample_stats``. Attrs of the posterior: ``datasets`` (names with positive weight),
        ``dataset_weights`` in their order, and the ``note`` that rankings print.

    Raises
    ------
    ValueError
        If an entity lacks a data set with positive weight.

    Examples
    --------
    >>> counts = br.from_counts(
    ...     tn=[8, 60], fp=[2, 40], fn=[1, 30], tp=[9, 70], entity=["a", "a"], dataset=["small", "large"]
    ... )
    >>> posterior = br.fit(counts, split_prior=True, seed=1)
    >>> ranking = br.credible_ranking(mean_over_datasets(posterior, {"small": 0.5, "large": 0.5}), "accuracy")
    >>> ranking["observed"].item()  # of 0.85 and 0.65
    0.75
    """
    parsed = parse_source(source)
    source, unit = parsed.with_datasets(), "group" if parsed.over_groups else "data set"
    if (array := source.array) is not None:
        weight = _weights(array, weights)
        return _mean(array, weight).assign_attrs(array.attrs | _weight_attrs(weight, unit))
    if source.dataset is not None:
        return _posterior(source.dataset, _weights(source.dataset, weights), unit, {})
    groups = source.groups
    if "posterior" not in groups:
        raise ArgumentError("source", "must have a posterior group", f"the groups {sorted(groups)}")
    weight = _weights(groups["posterior"], weights)
    retained = {
        name: group for name, group in groups.items() if name in ("constant_data", "sample_stats")
    }
    retained["posterior"] = _posterior(groups["posterior"], weight, unit, groups)
    if "observed_data" in groups:
        retained["observed_data"] = _observed_means(groups["observed_data"], weight)
    return to_container(retained)


def _weights(source: xr.DataArray | xr.Dataset, weights: Any) -> xr.DataArray:
    """Return the positive weights of data sets, with sum 1."""
    if not {"entity", "dataset"} <= set(source.dims):
        raise ArgumentError(
            "source", "must have the dims entity and dataset", tuple(map(str, source.dims))
        )
    names = (
        source["dataset"].values.tolist()
        if "dataset" in source.coords
        else list(range(source.sizes["dataset"]))
    )
    by_name = _weights_by_name(weights, names)
    if set(by_name) != set(names) or (
        isinstance(weights, xr.DataArray) and weights.size != len(names)
    ):
        lacking, unknown = (
            [n for n in names if n not in by_name],
            [n for n in by_name if n not in names],
        )
        raise ArgumentError(
            "weights", "must name every data set once", f"none for {lacking}, unknown {unknown}"
        )
    values = check_weights("weights", [by_name[name] for name in names])
    weight = xr.DataArray(
        values / values.sum(), {"dataset": names}, ["dataset"], name="dataset_weight"
    )
    return weight.isel(dataset=values > 0)


def _weights_by_name(weights: Any, names: list) -> dict[Any, Any]:
    """Return the weights by data set, equal ones if none are given."""
    if weights is None:
        return dict.fromkeys(names, 1.0)
    if isinstance(weights, Mapping):
        return dict(weights)
    if not isinstance(weights, xr.DataArray):
        raise ArgumentTypeError(
            "weights", "must be a mapping or a DataArray over dataset", describe_value(weights)
        )
    if weights.dims != ("dataset",) or "dataset" not in weights.coords:
        raise ArgumentError(
            "weights", "must be over dataset, and name them", describe_value(weights)
        )
    labelled = check_labelled_numbers("weights", weights)
    return dict(zip(labelled["dataset"].values.tolist(), labelled.values.tolist(), strict=True))


def _mean(values: xr.DataArray, weight: xr.DataArray) -> xr.DataArray:
    """Return the weighted mean over data sets; NaN if one of them is NaN."""
    labelled = (
        values
        if "dataset" in values.coords
        else values.assign_coords(dataset=range(values.sizes["dataset"]))
    )
    chosen = select_names(labelled, dataset=weight["dataset"].values)
    _check_all_there(chosen)
    # Coords of single data sets (test sets, ``measured``) do not apply to their mean.
    without_datasets = chosen.drop_vars(
        [name for name, coord in chosen.coords.items() if "dataset" in coord.dims]
    )
    mean = xr.dot(
        without_datasets.drop_vars("dataset", errors="ignore"),
        weight.drop_vars("dataset"),
        dim="dataset",
    )
    return mean.transpose(*[d for d in values.dims if d != "dataset"]).rename(values.name)


def _check_all_there(values: xr.DataArray) -> None:
    """Raise an error if an entity lacks a data set in all draws."""
    lacking = values.isnull().all([d for d in values.dims if d not in ("entity", "dataset")])
    lacking = lacking.transpose("entity", "dataset")
    if not bool(lacking.any()):
        return
    i, j = np.argwhere(lacking.values)[0]
    name = lacking["entity"].values.tolist()[i] if "entity" in lacking.coords else i
    more = int(lacking.any("dataset").sum()) - 1
    raise ArgumentError(
        "source",
        "must contain every entity on every data set of positive weight; otherwise the means are of different tasks",
        f"{name!r} without {lacking['dataset'].values.tolist()[j]!r}"
        + (f", and {more} more" if more else ""),
    )


def _posterior(
    posterior: xr.Dataset, weight: xr.DataArray, unit: str, groups: Mapping[str, xr.Dataset]
) -> xr.Dataset:
    """Return the posterior with means of the variables over entity and data set."""
    posterior = order_classes(posterior)
    # Rates supplement performances at a prevalence of 0; their mean does not belong to the mean
    # performance.
    retained = posterior.drop_vars("rate", errors="ignore")
    over = [
        name
        for name, array in retained.data_vars.items()
        if {"entity", "dataset"} <= set(array.dims)
    ]
    result = retained.drop_vars(over).assign(
        {name: _mean(posterior[name], weight) for name in over}
    )
    kind = {"kind": "observed"} if "performance" in over else {}
    prior = groups.get("constant_data", xr.Dataset()).get("prior_concentration")
    counts = groups.get("observed_data", xr.Dataset()).get("counts")
    record = posterior.attrs | _weight_attrs(weight, unit, posterior.attrs, prior)
    return result.assign_attrs(
        add_notes(record | kind, _lost_variance(ModelRecord.of(posterior), counts, weight))
    )


def _lost_variance(
    model_record: ModelRecord, counts: xr.DataArray | None, weight: xr.DataArray
) -> list[Note]:
    """Return a note if a prior split over small data sets loses variance of the mean.

    With n cases the expected posterior variance of a rate is (n - 1) / (n + 1) of the variance of
    its estimate, since observed rates are more extreme than true ones.
    """
    if (
        not model_record.split_prior
        or counts is None
        or not {"entity", "dataset"} <= set(counts.dims)
    ):
        return []
    if model_record.population or weight.size < 2:
        return []
    answers = "outcome" if "outcome" in counts.dims else "predicted"
    labelled = (
        counts
        if "dataset" in counts.coords
        else counts.assign_coords(dataset=range(counts.sizes["dataset"]))
    )
    cases = (
        select_names(labelled.sum(answers), dataset=weight["dataset"].values)
        .drop_vars("dataset")
        .astype(float)
    )
    cases = cases.where(cases > 0)
    squares = weight.drop_vars("dataset") ** 2 / cases
    retained = float(
        ((squares * (cases - 1) / (cases + 1)).sum("dataset") / squares.sum("dataset")).min() ** 0.5
    )
    if not retained < KEPT:
        return []
    lost = {
        "cases": int(cases.min()),
        "of_classes": answers == "predicted",
        "percent": 100 * (1 - retained),
    }
    return [Note("variance_lost", {**lost, "model": model_for_datasets(counts.sizes[answers])})]


def _observed_means(data: xr.Dataset, weight: xr.DataArray) -> xr.Dataset:
    """Return the observed means: of the performance, beside the counts, and of other values."""
    result = data
    if "counts" in data and {"entity", "dataset"} <= set(data["counts"].dims):
        observed = as_performance(
            data["counts"].drop_vars(["measured", "test_set"], errors="ignore")
        )
        result = result.assign(performance=_mean(observed, weight))
    for name, array in data.data_vars.items():
        if name != "counts" and {"entity", "dataset"} <= set(array.dims):
            result = result.assign({name: _mean(array, weight)})
    return result


def _weight_attrs(
    weight: xr.DataArray,
    unit: str,
    attrs: Mapping[Any, Any] | None = None,
    prior: xr.DataArray | None = None,
) -> dict[str, Any]:
    """Return attrs that record the weights, and the notes on the mean."""
    record = ModelRecord.from_attrs(attrs or {})
    names, values = [str(name) for name in weight["dataset"].values], weight.values
    shares = None
    if np.ptp(values) >= 1e-12:
        shares = [f"{name} {value:.3g}" for name, value in zip(names, values, strict=True)]
    earlier = notes_of(EvidenceRecord.from_attrs(attrs or {}).notes)
    limits = [note for note in earlier if note.code in OF_FEW_UNITS]
    notes = [note for note in earlier if note not in limits]
    if sum(record.units) < FEW:
        notes += limits
    if len(names) == 1:
        notes.append(Note("mean_of_one_dataset", {"dataset": names[0], "unit": unit}))
    else:
        notes.append(
            Note("means_over_datasets", {"datasets": len(names), "weights": shares, "unit": unit})
        )
    if record.split_prior is False and len(names) > 1:
        cases = np.nan  # a posterior without counts
        if prior is not None and "dataset" in prior.dims:
            cells = [d for d in prior.dims if d not in ("entity", "dataset")]
            cases = float(
                select_names(prior.sum(cells), dataset=weight["dataset"].values)
                .sum("dataset")
                .max()
            )
        if cases > 0 or (np.isnan(cases) and record.prior not in ("haldane", "0")):
            notes.append(Note("prior_repeated", {"cases": None if np.isnan(cases) else cases}))
    weights = ModelRecord(dataset_weights=tuple(values.tolist()), stratum=unit).to_attrs()
    return {"datasets": ", ".join(names), **weights, "notes": notes_text(notes)}
