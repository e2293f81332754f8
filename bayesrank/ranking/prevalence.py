"""Claims across test sets of different prevalence: the same draws of a score at prevalences that all entities share.

Prevalence is no property of a classifier. By a score that depends on it, two equal classifiers
differ if their test sets do. So a claim must hold at the test sets' own prevalences and at common
ones.
"""

import xarray as xr

from bayesrank._core.draws import DRAW_DIMS, draw_dims
from bayesrank._core.source import Source
from bayesrank.performance.arrays import as_performance, outcome_dims
from bayesrank.performance.operations import move_rates, rates_of
from bayesrank.scores import Score

#: Shares of a class that differ by less are rounding errors.
ROUNDING = 1e-9
#: The entities whose prevalence is tried, as quantiles of the share of the class that varies most.
QUANTILES = (0.0, 0.5, 1.0)


def values_at_common(
    source: Source | None, score: Score | None, kind: str | None, counts: xr.DataArray | None = None
) -> list[xr.DataArray]:
    """Return draws of a score at prevalences that all entities share: their mean, and observed ones.

    The list is empty if the score does not depend on the prevalence, or if the prevalences of all
    entities are equal, as those of entities with equal ``counts`` of each class.
    """
    if (
        source is None
        or score is None
        or not score.depends_on_prevalence
        or not _holds_performance(source)
    ):
        return []
    if counts is not None and _have_equal_classes(counts):
        return []
    performance = as_performance(source, kind)
    if not {"entity", "actual"} <= set(performance.dims) or not draw_dims(performance):
        return []
    rate = rates_of(performance)
    return [
        score(move_rates(performance, rate, each))
        for each in _common_prevalences(performance, counts)
    ]


def _have_equal_classes(counts: xr.DataArray) -> bool:
    """Return whether all entities have the same number of cases of each class, in each data set."""
    if not {"entity", "actual", "predicted"} <= set(counts.dims):
        return False
    cases = counts.variable.transpose("entity", ..., "predicted").values.sum(axis=-1)
    return bool((cases == cases[:1]).all())


def _holds_performance(source: Source) -> bool:
    """Return whether a source has performances, not only values of a score."""
    if source.array is not None:
        return bool(outcome_dims(source.array))
    group = source.dataset if source.container is None else source.group("posterior")
    return group is not None and "performance" in group


def _common_prevalences(
    performance: xr.DataArray, counts: xr.DataArray | None
) -> list[xr.DataArray]:
    """Return class shares (..., actual) that all entities could have; none if they already share theirs.

    The shares of the entities are observed ones, or without ``counts`` the means over draws.
    """
    if counts is not None and set(performance.dims) - set(DRAW_DIMS) == set(counts.dims):
        cases = counts.sum("predicted")
        share = cases / cases.sum("actual").where(cases.sum("actual") > 0)
    else:
        share = performance.sum("predicted", skipna=False).mean(draw_dims(performance))
    share = share.compute().drop_vars([name for name in share.coords if name not in share.dims])
    if not float((share.max("entity") - share.min("entity")).max()) > ROUNDING:
        return []
    # One choice of entities for each item of the other dims, such as data sets.
    position = (share.max("entity") - share.min("entity")).argmax("actual")
    varying = share.isel(actual=position, drop=True)
    entities_with_shares, positions = varying.count("entity"), _positions(varying)
    common = [share.mean("entity")]
    for quantile in QUANTILES:
        chosen = positions == (quantile * (entities_with_shares - 1)).round()
        common.append(share.where(chosen).max("entity"))
    return [each.fillna(1 / each.sizes["actual"]) for each in common]


def _positions(values: xr.DataArray) -> xr.DataArray:
    """Return the position of each entity by its value, from 0; undefined values come last."""
    axis = values.get_axis_num("entity")
    filled = values.fillna(2.0).values
    return values.copy(
        data=filled.argsort(axis=axis, kind="stable").argsort(axis=axis, kind="stable")
    )
