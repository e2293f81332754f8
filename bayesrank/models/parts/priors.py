"""Priors of models of tables: names and values that a user may give, and their concentrations."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import (
    check_choice,
    check_labelled_numbers,
    check_numbers,
    describe_value,
)
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import select_names
from bayesrank.evidence.weighting import OF_WEIGHTS

#: Concentrations of every cell by name.
FLAT = {"uniform": 1.0, "jeffreys": 0.5, "haldane": 0.0}
#: Default: one case, half of it right and half wrong, so that a rate is Beta(1/2, 1/2). Each of two
#: classes has this prior; of more classes the table has it. See docs/measured/ends.md.
DEFAULT = "one_case"
#: Four cases in all: the accuracy is Beta(2, 2) for any number of classes.
FOUR = "four_cases"
#: One case of each class. Default prior of the mean of a population, whose unit of information is
#: one member.
OF_MEANS = "unit"
#: Maximum concentration; larger floats lose counts in rounding.
LARGEST = 2.0**53
NAMES = (DEFAULT, FOUR, *FLAT, OF_MEANS)
OUTCOME = ("actual", "predicted")


def concentration(counts: xr.DataArray, prior: Any = None) -> xr.DataArray:
    """Return the prior concentration (float, not negative) of every cell, with the dims of ``counts``.

    ``prior`` is as for :func:`bayesrank.fit`; of outcomes without classes, "four_cases" spreads 4,
    "one_case" and "unit" spread 1.
    """
    entities = counts["entity"].values.tolist()
    if isinstance(prior, Mapping):
        if set(prior) != set(entities):
            missing, extra = set(entities) - set(prior), set(prior) - set(entities)
            raise ArgumentError(
                "prior",
                "must name every entity",
                f"none for {missing or '{}'}, unknown {extra or '{}'}",
            )
        by_entity = [
            concentration(select_names(counts, entity=[name]), prior[name]) for name in entities
        ]
        return xr.concat(by_entity, "entity")
    if isinstance(prior, xr.DataArray):
        values = align("prior", prior, counts, counts.dims).variable
    else:
        dims = ("outcome",) if "outcome" in counts.dims else OUTCOME
        values = xr.Variable(dims, of_shape(prior, tuple(counts.sizes[dim] for dim in dims)))
    _check(values.values)
    # In C order: sums are keys of random streams, and their last bit depends on the memory layout.
    spread = np.array(
        values.set_dims(counts.sizes).transpose(*counts.dims).data, dtype=float, order="C"
    )
    others = ("measured", "test_set", *OF_WEIGHTS)
    coords = {name: held for name, held in counts.coords.variables.items() if name not in others}
    return xr.DataArray(spread, coords, counts.dims, "prior_concentration")


def split(prior: xr.DataArray, counts: xr.DataArray) -> xr.DataArray:
    """Divide the prior by the number of data sets that each entity has."""
    if "dataset" not in counts.dims:
        return prior
    measured = (
        counts["measured"].sum("dataset")
        if "measured" in counts.coords
        else counts.sizes["dataset"]
    )
    return (prior / np.maximum(measured, 1)).transpose(*prior.dims).rename(prior.name)


def align(
    argument: str, values: xr.DataArray, counts: xr.DataArray, dims: Sequence[Any]
) -> xr.DataArray:
    """Align a labelled argument with ``counts``; its labels must be the same."""
    values = check_labelled_numbers(argument, values)
    if set(values.dims) - set(dims):
        raise ArgumentError(
            argument, f"must have dims among {', '.join(map(str, dims))}", values.dims
        )
    for dim in set(values.dims) & set(counts.dims):
        requested = counts[dim].values.tolist()
        if dim in values.coords:
            labels = values[dim].values.tolist()
            # Compare by equality: 1 equals 1.0, the type of outcomes if some are missing.
            if len(labels) != len(requested) or set(labels) != set(requested):
                raise ArgumentError(
                    argument, f"must name every {dim} of counts once, {requested}", labels
                )
            values = select_names(values, {dim: requested})
        elif values.sizes[dim] != len(requested):
            raise ArgumentError(
                argument, f"must contain {len(requested)} values along {dim}", values.sizes[dim]
            )
    return values


def in_words(value: Any, default: str) -> str:
    """Return the text of a prior or a prevalence for reports."""
    if value is None or isinstance(value, str):
        return value or default
    if (
        isinstance(value, xr.DataArray) and "estimate" in value.attrs
    ):  # from br.performance.prevalence_draws
        return str(value.attrs["estimate"])
    return (
        f"{float(value):g}"
        if np.ndim(value) == 0 and not isinstance(value, Mapping)
        else "given as an array"
    )


def of_shape(prior: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return concentrations (outcome) or (actual, predicted) from a number, a name or an array."""
    if prior is None:
        prior = DEFAULT
    if isinstance(prior, str):
        check_choice("prior", prior, NAMES, other="a number (or, in Python, an array)")
        if prior in FLAT:
            prior = FLAT[prior]
        elif len(shape) == 1:
            prior = (4 if prior == FOUR else 1) / shape[0]
        else:
            # Half of the cases on the diagonal. One case a cell would outweigh data of ten classes.
            size = shape[0]
            half = {FOUR: 2.0, OF_MEANS: size / 2, DEFAULT: 1.0 if size == 2 else 0.5}[prior]
            prior = np.where(np.eye(size, dtype=bool), half / size, half / (size * (size - 1)))
    try:
        values = check_numbers("prior", prior)
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            "prior", "must be a number, a name, an array or a mapping", f"{prior!r:.80}"
        ) from None
    if values.shape not in ((), shape):
        raise ArgumentError(
            "prior", f"must be one number or of shape {shape}", describe_value(prior)
        )
    _check(values)
    return np.broadcast_to(values, shape)


def _check(values: np.ndarray) -> None:
    bad = values[~((values >= 0) & (values < np.inf))]
    if bad.size:
        raise ArgumentError(
            "prior", "must contain non-negative finite concentrations for every cell", float(bad[0])
        )
    if values.max(initial=0.0) > LARGEST:
        raise ArgumentError(
            "prior",
            f"must contain concentrations of at most {LARGEST:.0e}",
            f"{values.max():g}",
        )
