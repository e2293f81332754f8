"""The data sets or groups that an aggregate is over: their labels and weights."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_weights, describe_value
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.source import Over, Source


@dataclass(frozen=True)
class Strata:
    """The data sets (or groups) that an aggregate is over, and their labels.

    ``weight`` of each data set sums to 1. ``place`` is the position of its label; without
    categories, each data set has its own label. ``unit`` is what a label is called.
    """

    names: list[Any]
    weight: np.ndarray
    place: np.ndarray
    labels: list[Any]
    unit: str

    @property
    def mapping(self) -> dict[Any, float]:
        return dict(zip(self.names, self.weight.tolist(), strict=True))

    def within(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted mean of each label (..., label) from values (..., data set) of positive weight."""
        share = np.zeros((len(self.names), len(self.labels)))
        share[np.arange(len(self.names)), self.place] = self.weight
        share /= share.sum(axis=0)
        if len(self.labels) == len(self.names):
            return values[..., np.argsort(self.place)]
        if not np.isinf(values).any():
            return values @ share
        with np.errstate(
            invalid="ignore"
        ):  # 0 times an infinite value is NaN: other labels take no part
            return np.where(share > 0, values[..., None] * share, 0.0).sum(axis=-2)

    def weight_of_labels(self) -> np.ndarray:
        return np.bincount(self.place, self.weight, len(self.labels))


def strata_of(aim: Over, values: xr.DataArray, cases: xr.DataArray | None) -> Strata:
    """Return the data sets of ``values`` with their labels and weights."""
    over, source = aim.over, aim.source.with_datasets()
    dim = dim_of(aim)
    if "dataset" not in values.dims:
        raise ArgumentError(
            "over", "cannot be used for a source without groups or data sets", f"{over!r}"
        )
    names = (
        values["dataset"].values.tolist()
        if "dataset" in values.coords
        else list(range(values.sizes["dataset"]))
    )
    labels = names if over == dim else _labels(source, values, over, dim)
    distinct = list(dict.fromkeys(labels))
    position = np.array([distinct.index(label) for label in labels])
    unit = source.model.stratum if over == "dataset" else over.replace("_", " ")
    return Strata(
        names,
        _weights(aim, values, cases, names, distinct, position, dim),
        position,
        distinct,
        unit,
    )


def _labels(
    source: Source, values: xr.DataArray, over: str, dim: str, argument: str = "over"
) -> list[Any]:
    """Return the label of each data set in a coord that an argument names."""
    for held in (values, source.array, source.observed, source.dataset):
        coord = None if held is None else held.coords.get(over)
        if coord is not None and coord.dims == ("dataset",):
            return coord.values.tolist()
    coords = {
        str(n)
        for held in (values, source.observed)
        for n, c in held.coords.items()
        if c.dims == ("dataset",)
    }
    coords_text = ", ".join([dim, *sorted(coords - {"dataset"})])
    raise ArgumentError(
        argument,
        f"must be {coords_text}",
        f"{over!r}",
        Advice(Typed("category"), InPython(" of br.from_frame"), " adds categories"),
    )


def _weights(
    aim: Over,
    values: xr.DataArray,
    cases: xr.DataArray | None,
    names: list[Any],
    labels: list[Any],
    place: np.ndarray,
    dim: str,
) -> np.ndarray:
    """Return the weight of each data set, with sum 1."""
    weights, source = aim.weights, aim.source.with_datasets()
    size = np.bincount(place)
    if weights is None:  # labels weigh the same, and the data sets of each
        return 1 / size[place] / len(labels)
    if isinstance(weights, str) and weights == "cases":
        if cases is None or "dataset" not in cases.dims:
            raise ArgumentError(
                "weights", "must be a mapping for a source without numbers of cases", "'cases'"
            )
        total = cases.sum("entity").values.astype(float)
        if sums := source.assembled.dataset_weight_sums:
            total = np.array([json.loads(sums)[str(name)] for name in names])
        return total / total.sum()
    if isinstance(weights, str):
        weights = dict(zip(names, _labels(source, values, weights, dim, "weights"), strict=True))
    if isinstance(weights, xr.DataArray):
        weights = _by_label(weights, dim)
    if not isinstance(weights, Mapping) or not weights:
        raise ArgumentTypeError(
            "weights", f"must be 'cases', a coord, or a mapping from {dim}", describe_value(weights)
        )
    if any(isinstance(held, Mapping | list | tuple) for held in weights.values()):
        return _nested(weights, names, dim)
    if all(isinstance(held, str) for held in weights.values()):
        by_category: dict[Any, list[Any]] = {}
        for name, category in weights.items():
            by_category.setdefault(category, []).append(name)
        return _nested(by_category, names, dim)
    if labels != names and set(weights) == set(labels):
        checked = check_weights("weights", [weights[label] for label in labels])
        return (checked / checked.sum())[place] / size[place]
    _check_named(weights, names, dim)
    checked = check_weights("weights", [weights[name] for name in names])
    return checked / checked.sum()


def _by_label(weights: xr.DataArray, dim: str) -> dict[Any, Any]:
    """Return the weights of an array by the labels of its only dim."""
    if (
        weights.ndim != 1
        or str(weights.dims[0]) not in (dim, "dataset")
        or weights.dims[0] not in weights.coords
    ):
        raise ArgumentError(
            "weights", f"must be over {dim}, and name them", describe_value(weights)
        )
    labels = weights[weights.dims[0]].values.tolist()
    return dict(zip(labels, weights.values.tolist(), strict=True))


def _nested(weights: Mapping[Any, Any], names: list[Any], dim: str) -> np.ndarray:
    """Return weights of data sets in categories that weigh the same."""
    found: dict[Any, float] = {}
    for category, held in weights.items():
        if not isinstance(held, Mapping | list | tuple) or not held:
            raise ArgumentTypeError(
                "weights",
                f"must be mappings or lists for all categories, such as {category!r}",
                describe_value(held),
            )
        own = dict(held) if isinstance(held, Mapping) else dict.fromkeys(held, 1.0)
        own_weights = check_weights("weights", list(own.values()))
        for name, weight in zip(own, own_weights / own_weights.sum() / len(weights), strict=True):
            if name in found:
                raise ArgumentError(
                    "weights", f"must have each {dim} in one category", f"{name!r} in several"
                )
            found[name] = float(weight)
    _check_named(found, names, dim)
    return np.array([found[name] for name in names])


def _check_named(given: Mapping[Any, Any], names: list[Any], dim: str) -> None:
    if set(given) != set(names):
        lacking, unknown = (
            [n for n in names if n not in given],
            [n for n in given if n not in names],
        )
        raise ArgumentError(
            "weights", f"must name every {dim} once", f"none for {lacking}, unknown {unknown}"
        )


def keep_strata(strata: Strata, used: np.ndarray, aim: Over) -> Strata:
    """Return the strata of the used data sets, with their labels and weights."""
    if not used.any():
        raise ArgumentError(
            "source", "must have cases in a group or data set of positive weight", "none"
        )
    position, weight = strata.place[used], strata.weight[used]
    retained = sorted(set(position.tolist()))
    labels = [strata.labels[i] for i in retained]
    result = Strata(
        [name for name, use in zip(strata.names, used, strict=True) if use],
        weight / weight.sum(),
        np.array([retained.index(i) for i in position.tolist()]),
        labels,
        strata.unit,
    )
    label_weights = result.weight_of_labels()
    if (
        aim.aggregate in ("worst", "gap")
        and aim.weights is not None
        and np.ptp(label_weights) > 1e-9
    ):
        raise ArgumentError(
            "weights",
            f"must be equal for the aggregate {aim.aggregate!r}, or 0 for a {strata.unit} to ignore",
            "different weights",
        )
    return result


def dim_of(aim: Over) -> str:
    """Return what the user calls the dim of groups or data sets."""
    return "group" if aim.source.over_groups else "dataset"
