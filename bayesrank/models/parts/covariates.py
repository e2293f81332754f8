"""Covariates of tables: numbers of data sets, or of entities on data sets, that shift the logits of rates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import describe_value, is_number
from bayesrank._core.errors import ArgumentError, ArgumentKeyError

__all__ = ["SD_OF_SLOPE", "SD_OF_DIFFERENCES", "Covariates", "covariates_of"]

#: Prior standard deviation of the common slope, in logits for one standard deviation of a
#: covariate.
SD_OF_SLOPE = 1.0
#: Scale of the half-normal prior of the standard deviation of slopes between entities.
SD_OF_DIFFERENCES = 0.5


@dataclass(frozen=True)
class Covariates:
    """Standardised covariates of the tables with cases, and the values at which typical data sets are predicted."""

    names: list[str]
    #: Standardised values (table, covariate).
    values: np.ndarray
    #: Mean and standard deviation over the tables, in the units of the covariates.
    centre: np.ndarray
    scale: np.ndarray
    #: The values of a typical and of a new data set, in the units of the covariates.
    at: np.ndarray

    @property
    def standard_at(self) -> np.ndarray:
        """Return the values of a typical data set, standardised."""
        return (self.at - self.centre) / self.scale


def covariates_of(
    counts: xr.DataArray,
    names: str | Sequence[str],
    at: Mapping[str, float] | Sequence[float] | None,
    pairs: np.ndarray,
) -> Covariates | None:
    """Return the covariates with these names among the coords of counts; None without names.

    ``pairs`` (table, 2) holds the positions of entity and data set of each table. ``at`` has values
    by name, or in the order of the names; the default is the mean over the tables.
    """
    requested = [names] if isinstance(names, str) else list(names)
    if not requested:
        if at is not None:
            raise ArgumentError("at", "must be None without covariates", describe_value(at))
        return None
    values = np.stack([_values_of(counts, name, pairs) for name in requested], axis=1)
    centre, scale = values.mean(0), values.std(0)
    for name, column in zip(requested, values.T, strict=True):
        within = [np.ptp(column[pairs[:, 0] == entity]) for entity in np.unique(pairs[:, 0])]
        if not max(within) > 0:
            raise ArgumentError(
                "covariates",
                "must vary between the data sets of an entity, since each entity has a level of its own",
                f"{name!r}, which does not",
            )
    position = centre.copy()
    centre_of = (
        at
        if isinstance(at, Mapping)
        else dict(zip(requested, [] if at is None else at, strict=at is not None))
    )
    if unknown := sorted(set(centre_of) - set(requested)):
        raise ArgumentKeyError("at", f"must give values for the covariates {requested}", unknown)
    for i, name in enumerate(requested):
        if name in centre_of:
            if not is_number(centre_of[name]):
                raise ArgumentError(
                    "at", f"must be a number for {name!r}", describe_value(centre_of[name])
                )
            position[i] = centre_of[name]
    return Covariates(requested, (values - centre) / scale, centre, scale, position)


def _values_of(counts: xr.DataArray, name: Any, pairs: np.ndarray) -> np.ndarray:
    """Return the values of one covariate on each table."""
    coord = counts.coords.get(name)
    own = {*counts.dims, "measured", "test_set"}
    available = sorted(
        str(n) for n, c in counts.coords.items() if "dataset" in c.dims and n not in own
    )
    if coord is None or "dataset" not in coord.dims or set(coord.dims) - {"entity", "dataset"}:
        raise ArgumentKeyError(
            "covariates",
            f"must be among the coords of counts along dataset, {available}",
            repr(name),
            f"counts.assign_coords({name}=('dataset', [...])) adds one",
        )
    table = coord.broadcast_like(
        counts.isel({d: 0 for d in counts.dims if d not in ("entity", "dataset")}, drop=True)
    )
    values = table.transpose("entity", "dataset").values[tuple(pairs.T)]
    if values.dtype.kind not in "iufb" or not np.isfinite(values.astype(float)).all():
        where = (
            "numbers"
            if values.dtype.kind not in "iufb"
            else "a finite number for each measured table"
        )
        raise ArgumentError("covariates", f"must contain {where}", f"other values in {name!r}")
    return np.asarray(values, float)
