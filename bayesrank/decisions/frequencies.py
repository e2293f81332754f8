"""Natural frequencies: how many of 1,000 tested persons get each right and wrong answer."""

from typing import Any

import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_number, check_prob
from bayesrank._core.draws import draw_dims
from bayesrank._core.labels import cell_headings
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.performance import as_performance, at_prevalence
from bayesrank.performance.arrays import OUTCOME_DIMS, only_two_classes
from bayesrank.ranking.tables import score_table

#: Outcomes in the order in which a clinic asks for them, with their (actual, predicted) class.
OUTCOMES = {"tp": (1, 1), "fn": (1, 0), "fp": (0, 1), "tn": (0, 0)}


@check_call
def natural_frequencies(
    source: Container,
    persons: float = 1000,
    *,
    prevalence: Any = None,
    prob: float = 0.95,
    kind: str | None = None,
) -> xr.Dataset:
    """Return how many of 1,000 tested persons are found, missed, alarmed and cleared by each test.

    These are expected numbers: the next 1,000 persons also vary by chance
    (:func:`bayesrank.posterior_predictive`). The format is that of Gigerenzer and Hoffrage (1995),
    Psychological Review 102:684-704.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performances of two classes.
    persons : float
        Number of tested persons.
    prevalence : number or DataArray, optional
        Prevalence of the target population, as for :func:`bayesrank.at_prevalence`; by default that
        of the source. Draws from :func:`bayesrank.performance.prevalence_draws` include its
        uncertainty.
    prob : float
        Probability of the credible intervals (equal tails).
    kind : str, optional
        Which performance of the posterior, as for :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``lower`` and ``upper`` number of persons (entity, outcome), with the outcomes
        ``tp`` (found), ``fn`` (missed), ``fp`` (false alarms) and ``tn`` (cleared), whose means sum
        to ``persons``; ``ppv`` and ``npv``, the medians of the predictive values, with ``_lower``
        and ``_upper`` (entity). NaN where a rate is unknown. The coord ``heading`` (outcome) names
        the class of the persons. The attrs have ``persons``, ``prob`` and, if given,
        ``prevalence``.

    Raises
    ------
    ValueError, TypeError
        If there are more than two classes, ``persons`` is not above 0, or ``prob`` or a prevalence
        is not between 0 and 1.

    Examples
    --------
    >>> kit = br.from_rates(tpr=0.9, fpr=0.1, prevalence=0.5, entity=["kit"])
    >>> found = natural_frequencies(kit, prevalence=0.02)
    >>> found["mean"].sel(entity="kit").to_series().round(1).to_dict()
    {'tp': 18.0, 'fn': 2.0, 'fp': 98.0, 'tn': 882.0}
    >>> found["ppv"].round(3).values.tolist()
    [0.155]
    """
    size, prob = (
        check_number("persons", persons, 0.0, ends=False, finite=True),
        check_prob("prob", prob),
    )
    source = parse_source(source)
    only_two_classes(as_performance(source, kind))
    values = score_table(source, ["ppv", "npv"], prob=prob, prevalence=prevalence, kind=kind)
    moved = source if prevalence is None else parse_source(at_prevalence(source, prevalence))
    table = as_performance(moved, kind).transpose(..., *OUTCOME_DIMS)
    cells = [table.isel(actual=i, predicted=j, drop=True) for i, j in OUTCOMES.values()]
    counts = size * xr.concat(
        cells, xr.Variable("outcome", list(OUTCOMES)), coords="minimal", compat="override"
    )
    dims = draw_dims(counts)
    low, high = ((1 - prob) / 2, (1 + prob) / 2)
    summaries = {"mean": counts.mean(dims, skipna=False)}
    for name, level in (("lower", low), ("upper", high)):
        summaries[name] = (
            counts.quantile(level, dims, skipna=False).drop_vars("quantile") if dims else counts
        )
    for name in ("ppv", "npv"):
        for end, column in (("", "median"), ("_lower", "lower"), ("_upper", "upper")):
            summaries[name + end] = values[column].sel(score=name, drop=True)
    retained = {
        name: array.reset_coords(drop=True).transpose("entity", ...)
        for name, array in summaries.items()
    }
    headings = cell_headings(as_performance(source, kind))
    names = {"heading": ("outcome", [headings[cell] for cell in OUTCOMES])}
    return xr.Dataset(retained, attrs={"persons": size, **values.attrs}).assign_coords(names)
