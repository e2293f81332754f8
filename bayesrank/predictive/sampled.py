"""Sampled counts of future test sets."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer, rename_argument
from bayesrank._core.compat import get_variable
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.random import Seed, root_sequence
from bayesrank._core.records import ModelRecord
from bayesrank._core.sampling import sample_counts, sample_outcomes
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.performance.arrays import as_performance, observed_counts, posterior_of


@check_call
def posterior_predictive(
    posterior: Container, size: Any = None, *, kind: str | None = None, seed: Seed = None
) -> xr.DataArray:
    """Draw the counts of a future test set, one for each posterior draw.

    Parameters
    ----------
    posterior, kind
        As for :func:`bayesrank.as_performance`, with draws.
    size : int or mapping, optional
        Cases of the future test set: a total, with random class sizes, or a mapping from every
        class to its size. By default as observed, with fixed class sizes if the model treats them
        as fixed by design.
    seed : int, SeedSequence or Generator, optional
        Seed of all random numbers.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` with the dims of the performance. Entities with the same draws of the
        prevalence have the same future test set.

    Raises
    ------
    ValueError
        If the posterior is paired and has several entities: its draws do not contain the dependence
        of their answers.

    Examples
    --------
    >>> posterior = br.fit(br.from_counts(tn=80, fp=0, fn=3, tp=27), seed=1)
    >>> bool((br.posterior_predictive(posterior, size=50).sum(["actual", "predicted"]) == 50).all())
    True
    """
    posterior = parse_source(posterior, "posterior")
    with rename_argument("posterior", "source"):
        performance = as_performance(posterior, kind)
    held = None if posterior.array is not None else posterior_of(posterior)
    names = performance["entity"].values.tolist() if "entity" in performance.coords else []
    if held is not None and ModelRecord.of(held).paired and len(names) > 1:
        raise ArgumentError(
            "posterior",
            "must not be paired: its entities have the same future cases, and draws contain the table of each entity, "
            "not which answers they share",
            f"{len(names)} entities",
            "br.as_performance(posterior).sel(entity="
            f"[{names[0]!r}]) takes one; br.predictive.paired_difference is of two",
        )
    classes = performance["actual"].values.tolist() if "actual" in performance.dims else None
    if size is None:
        seen = observed_counts(posterior)
        if seen is None or set(seen.dims) - set(performance.dims):
            raise ArgumentError(
                "size", "must be given if the performance has no observed counts", "None"
            )
        if seen.dtype.kind == "f":
            raise ArgumentError(
                "size", "must be given if cases are weighted, as a whole number", "None"
            )
        counts = seen if classes else seen.sum("outcome")
        known = held is not None and ModelRecord.of(held).assumed_prevalence != "sampled"
    elif isinstance(size, Mapping):
        if classes is None:
            raise ArgumentTypeError(
                "size", "must be a whole number for outcomes, which have no classes", f"{size!r}"
            )
        if set(size) != set(classes):
            raise ArgumentError("size", f"must name the classes {classes}", list(size))
        counts = xr.DataArray(
            [check_integer("size", size[c], 1) for c in classes], {"actual": classes}, ("actual",)
        )
        known = True
    else:
        counts, known = xr.DataArray(check_integer("size", size, 1)), False
    root, purpose = root_sequence(seed), "posterior_predictive"
    if classes is None:
        return sample_outcomes(performance, counts, root, purpose)
    rate = None if held is None else get_variable(held, "rate")
    return sample_counts(performance, counts, known, root, purpose, rate)
