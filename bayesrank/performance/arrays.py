"""A performance: probabilities over the outcomes, as labelled arrays, from any container that holds one."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_labelled_numbers
from bayesrank._core.classes import order_classes
from bayesrank._core.compat import get_variable
from bayesrank._core.draws import DRAW_DIMS, draw_dims
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.labels import check_positive, select_names
from bayesrank._core.source import Source, parse_source
from bayesrank._core.threads import in_threads, pieces
from bayesrank._core.types import Container
from bayesrank.evidence.counts import NO_CLASSES, with_parts
from bayesrank.evidence.kinds import parse_evidence
from bayesrank.evidence.weighting import OF_WEIGHTS, WEIGHTED
from bayesrank.models import RESERVED

KINDS = {"observed": "performance", "typical": "performance_typical", "new": "performance_new"}
OUTCOME_DIMS = ("actual", "predicted")
#: Prefix of the names of Dask arrays whose blocks are checked.
CHECKED = "checked-performance-"
#: Number of cells checked together: with more, a product uses all threads of BLAS, which mostly wait.
TOGETHER = 2**18


@check_call
def as_performance(source: Container, kind: str | None = None) -> xr.DataArray:
    """Return the performance in a container, as validated probabilities.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Probabilities over (``actual``, ``predicted``) or ``outcome``; other dims (``chain``,
        ``draw``, ``entity``, ...) stay. Integer counts are converted to relative frequencies.
    kind : {"observed", "typical", "new"}, optional
        Which performance of a posterior over several data sets: on the observed data sets, or
        (hierarchical models) on a typical or a new one. The default is the model's own kind, or
        "observed" if it has none.

    Returns
    -------
    xarray.DataArray
        Named "performance"; sums to 1 over the outcomes, or NaN where nothing was observed.
        ``predicted`` has the class order of ``actual``; in a standard pair (no/yes, 0/1,
        false/true, -1/1, negative/positive, upper or lower case) the negative class comes first.
        Lazy arrays are checked block by block when computed.

    Raises
    ------
    ValueError
        If the values are not probabilities, or ``actual`` and ``predicted`` differ in labels.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27)
    >>> as_performance(counts).sel(actual="positive").sum().item()
    0.2727...
    """
    source = parse_source(source)
    kind = performance_kind(source, kind)

    def divide_counts() -> xr.DataArray:
        array = counts_or_performance(source, kind)
        if are_counts(array):
            total = array.sum(outcome_dims(array))
            array = array / total.where(total > 0)
        return array.rename("performance")

    return source.once(("performance", kind), divide_counts)


def performance_kind(source: Source, kind: str | None) -> str:
    """Return the kind of performance that is meant: the given one, else the model's own, else "observed"."""
    if kind is not None:
        return str(check_choice("kind", kind, KINDS))
    return source.model.kind or "observed"


def counts_or_performance(source: Container, kind: str | None = None) -> xr.DataArray:
    """Return checked counts unchanged, else the performance; scores of integers detect ties exactly."""
    source = parse_source(source)
    kind = performance_kind(source, kind)
    return source.once(("checked", kind), lambda: _check_array(_find(source, kind)))


def _check_array(array: xr.DataArray) -> xr.DataArray:
    """Return an array of probabilities or counts that were checked; lazy ones are checked when computed."""
    outcome = outcome_dims(array)
    if outcome not in [list(OUTCOME_DIMS), ["outcome"]]:
        raise ArgumentError(
            "source", "must have the dims actual and predicted, or outcome", array.dims
        )
    if not are_counts(array) and array.dtype.kind != "f":
        raise ArgumentTypeError("source", "must contain numbers", f"dtype {array.dtype}")
    if array.chunks is not None:
        return _check_when_computed(array, outcome)
    _check(array, outcome)
    return array


def _check_when_computed(array: xr.DataArray, outcome: list[str]) -> xr.DataArray:
    """Return the lazy array, whose blocks are checked when they are computed."""
    from dask.base import tokenize

    if array.data.name.startswith(CHECKED):
        return array
    full = array.chunk(dict.fromkeys(outcome, -1))  # the check sums over all outcomes
    axes = tuple(full.dims.index(dim) for dim in outcome)
    name = CHECKED + tokenize(full.data.name, axes)
    return full.copy(
        data=full.data.map_blocks(
            _checked_block, axes, outcome, name=name, dtype=full.dtype, meta=full.data._meta
        )
    )


def _checked_block(values: np.ndarray, axes: tuple[int, ...], outcome: list[str]) -> np.ndarray:
    _check_some(np.moveaxis(values, axes, range(-len(axes), 0)), outcome)
    return values


def are_counts(array: xr.DataArray) -> bool:
    """Return whether an array holds numbers of cases: whole ones, or effective ones of weighted cases."""
    return bool(array.dtype.kind in "iu") or WEIGHTED in array.attrs


def observed_counts(source: Container) -> xr.DataArray | None:
    """Return the counts of ``source``: itself, or the observed counts of a posterior; None if unknown."""
    source = parse_source(source)
    return source.once("counts", lambda: _find_counts(source))


def _find_counts(source: Source) -> xr.DataArray | None:
    array = source.array
    if array is not None:
        # Counts with draws are predictions, not evidence.
        is_evidence = are_counts(array) and outcome_dims(array) and not draw_dims(array)
        return array.compute() if is_evidence else None
    return with_parts(source.observed) if "counts" in source.observed.data_vars else None


def entities_without_posterior(source: Container) -> list[str]:
    """Return the entities with cases of a class, or any outcomes, whose draws are undefined: a cell had no prior."""
    source = parse_source(source)
    posterior, counts = source.group("posterior"), observed_counts(source)
    performance = None if posterior is None else get_variable(posterior, "performance")
    if performance is None or counts is None or set(counts.dims) - set(performance.dims):
        return []
    prior = get_variable(source.group("constant_data"), "prior_concentration")
    if prior is not None and bool((prior.values > 0).all()):
        return []
    first = performance.isel(dict.fromkeys(draw_dims(performance), 0), drop=True).drop_vars(
        "test_set", errors="ignore"
    )
    answers = str(counts.dims[-1])
    lacking = first.isnull().any(answers) & (counts.sum(answers) > 0)
    lacking = lacking.any([dim for dim in lacking.dims if dim != "entity"])
    return sorted(str(name) for name in lacking["entity"].values[lacking.values])


def two_class_cells(array: xr.DataArray, argument: str = "source") -> dict[str, xr.DataArray]:
    only_two_classes(array, argument)
    places = {"tn": (0, 0), "fp": (0, 1), "fn": (1, 0), "tp": (1, 1)}
    return {cell: array.isel(actual=i, predicted=j, drop=True) for cell, (i, j) in places.items()}


def only_two_classes(array: xr.DataArray, argument: str = "source") -> None:
    if "outcome" in array.dims:
        raise ArgumentError(
            argument, "must have two classes on actual and predicted", array.dims, NO_CLASSES
        )
    sizes = {dim: array.sizes.get(dim) for dim in OUTCOME_DIMS}
    if set(sizes.values()) != {2}:
        raise ArgumentError(
            argument,
            "must have two classes on actual and predicted for a two-class score",
            sizes,
            InPython("br.one_vs_rest makes two-class tables of more classes"),
        )


def two_class_performance(
    source: Container, kind: str | None, purpose: str, dim: str | None = None
) -> xr.DataArray:
    """Return the two-class performance; allow only the dims of draws, entities and outcomes, and ``dim``."""
    array = as_performance(source, kind)
    only_two_classes(array)
    check_positive(array, purpose)
    extra_dims = set(array.dims) - {*DRAW_DIMS, "entity", "actual", "predicted", dim}
    if extra_dims:
        raise ArgumentError(
            "source",
            "must have only the dims of draws, entity, actual and predicted",
            sorted(map(str, extra_dims)),
            Advice("select one", InPython(", or br.pool(counts) before fitting")),
        )
    return array


def name_entities(array: xr.DataArray) -> xr.DataArray:
    """Return the array with a labelled dim ``entity``, even for one entity."""
    if "entity" not in array.dims:
        name = array["entity"].item() if "entity" in array.coords else "entity 1"
        array = array.drop_vars("entity", errors="ignore").expand_dims(entity=[name])
    if "entity" not in array.coords:
        array = array.assign_coords(
            entity=[f"entity {i + 1}" for i in range(array.sizes["entity"])]
        )
    return array


def outcome_dims(array: xr.DataArray) -> list[str]:
    """Return the dims of the sample space: actual and predicted, or outcome."""
    return [dim for dim in (*OUTCOME_DIMS, "outcome") if dim in array.dims]


def align_outcomes(values: Any, array: xr.DataArray, argument: str) -> xr.DataArray:
    """Align a function on the sample space with the labels of a performance.

    Labels are matched by name; the labels negative and positive are matched by position, since
    every two-class performance has the negative class first.
    """
    if not isinstance(values, xr.DataArray):
        raise ArgumentTypeError(
            argument, "must be a DataArray over the outcomes", type(values).__name__
        )
    values = order_classes(check_labelled_numbers(argument, values), argument)
    dims = outcome_dims(array)
    if set(outcome_dims(values)) - set(dims):
        raise ArgumentError(
            argument, f"must have the dims {' and '.join(dims)} of source", values.dims
        )
    for dim in [dim for dim in values.dims if dim in array.dims]:
        if values.sizes[dim] != array.sizes[dim]:
            raise ArgumentError(
                argument, f"must have size {array.sizes[dim]} on {dim}", values.sizes[dim]
            )
        if dim not in array.coords:
            continue
        requested = array[dim].values.tolist()
        got = values[dim].values.tolist() if dim in values.coords else requested
        if dim in dims and got != requested:
            if set(got) == set(requested):
                values = select_names(values, {dim: requested})
            elif got == ["negative", "positive"]:
                check_positive(array, f"{argument} of the classes negative and positive")
                got = requested
        if set(got) != set(requested) or (dim not in dims and got != requested):
            raise ArgumentError(
                argument, f"must have the labels of source on {dim}, {requested}", got
            )
        if dim in dims:
            values = values.assign_coords({dim: array[dim]})
    return values


def posterior_of(source: Container) -> xr.Dataset:
    """Return the posterior group of a container, or a Dataset unchanged."""
    source = parse_source(source)
    if source.dataset is not None:
        return source.dataset
    if source.container is None:
        raise ArgumentTypeError(
            "source", "must be a Dataset, or an ArviZ InferenceData or DataTree", "a DataArray"
        )
    if (posterior := source.group("posterior")) is None:
        raise ArgumentError(
            "source", "must have a posterior group", f"the groups {sorted(source.names)}"
        )
    return posterior


def _find(source: Source, kind: str) -> xr.DataArray:
    if source.array is not None:
        if kind != "observed":
            raise ArgumentError("source", f"must be a posterior for kind {kind!r}", "a DataArray")
        return source.array
    posterior = posterior_of(source)
    check_reserved(posterior)
    variable = KINDS.get(kind, "performance")
    if variable not in posterior:
        why = parse_evidence(source).why_no_performance(list(map(str, posterior.data_vars)))
        if why is not None:
            raise ArgumentError(
                "source",
                "must contain a performance, the probabilities of all outcomes of a case",
                *why,
            )
    if variable not in posterior:
        hint = (
            Advice(Typed("kind", kind), " needs a hierarchical model")
            if variable != "performance"
            else ""
        )
        raise ArgumentError(
            "source",
            f"must contain a variable {variable!r}",
            sorted(map(str, posterior.data_vars)),
            hint,
        )
    return describe_items(source, posterior[variable])


def check_reserved(posterior: xr.Dataset) -> None:
    """Raise an error if a posterior variable has a reserved name but not its dims."""
    for name, dims in RESERVED.items():
        variable = get_variable(posterior, name)
        if variable is not None and not dims <= set(variable.dims):
            raise ArgumentError(
                f"{name} is a reserved name: a variable of a posterior with this name",
                f"must have the dims {', '.join(sorted(dims))}",
                variable.dims,
                f"rename it, for example to my_{name}",
            )


def describe_items(source: Source, array: xr.DataArray) -> xr.DataArray:
    """Add the coords of the observed data that describe entities and data sets to a posterior variable.

    A fitted posterior group lacks them, since ArviZ cannot summarise coords that only some
    variables have. ``test_set`` is omitted: it is a dim of the prevalence, and its generated names
    depend on the other entities.
    """
    observed, added = source.observed, {}
    known_coords, own = observed.coords.variables, array.coords.variables
    for name, coord in known_coords.items():
        if (
            name in (*observed.dims, *own, "test_set", *OF_WEIGHTS)
            or not coord.dims
            or set(coord.dims) - set(array.dims)
        ):
            continue
        if all(
            dim in known_coords
            and dim in own
            and known_coords[dim].values.tolist() == own[dim].values.tolist()
            for dim in coord.dims
        ):
            added[name] = coord
    return array.assign_coords(added) if added else array


def _check(array: xr.DataArray, outcome: list[str]) -> None:
    """Check probabilities or counts block by block; classes without observations may be NaN."""
    if WEIGHTED in array.attrs:  # effective numbers of cases, which are fractions
        if (array < 0).any():
            raise ArgumentError("source", "must contain no negative counts", array.min().item())
        return
    values = array.variable.transpose(
        ..., *outcome
    ).data  # unlabelled: labels would cost more time than the checks
    lead, size = values.shape[: -len(outcome)], int(np.prod(values.shape[-len(outcome) :]))
    in_threads(
        lambda piece: _check_some(values[piece], outcome),
        pieces(lead, max(TOGETHER // max(size, 1), 1)),
    )


def _check_some(values: np.ndarray, outcome: list[str]) -> None:
    """Raise an error unless counts are 0 or more, or probabilities sum to 1."""
    if values.dtype.kind in "iu":
        if values.min(initial=0) < 0:
            raise ArgumentError("source", "must contain no negative counts", values.min())
        return
    lead = values.shape[: values.ndim - len(outcome)]
    # A product with ones is five times faster than sums of a few cells each.
    total = values.reshape(int(np.prod(lead)), -1) @ np.ones(
        int(np.prod(values.shape[len(lead) :]))
    )
    total = total.reshape(lead)
    with np.errstate(invalid="ignore"):
        off = np.abs(total - 1).max(initial=0.0)
        if off <= 1e-6 and values.min(initial=0.0) >= -1e-9:
            return
    if np.isnan(total).any():
        # A whole table or class may be NaN; single NaN cells are an error.
        unknown = np.isnan(values)
        if (unknown.any(-1) != unknown.all(-1)).any():
            raise ArgumentError(
                "source",
                f"must contain probabilities, or NaN for all of {outcome[-1]} where nothing was observed",
                "NaN beside numbers",
            )
    negative, unequal = (values < -1e-9).any(), np.abs(total - 1) > 1e-6
    if negative or (values > 1 + 1e-6).any() or unequal.any():
        if negative:
            worst = np.nanmin(values)
        else:
            worst = total[unequal].max() if unequal.any() else np.nanmax(values)
        raise ArgumentError(
            "source",
            f"must contain probabilities that sum to 1 over {' and '.join(outcome)} "
            "(or whole-number counts of integer type)",
            f"{worst:.6g}",
        )
