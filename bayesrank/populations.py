"""The population of a hierarchical posterior: how much its members differ, and how much each is shrunk.

Members are the data sets of an entity, or without data sets all entities.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._checks import check_prob, describe_value
from bayesrank._compat import groups_of, is_container
from bayesrank._draws import draw_dims
from bayesrank._random import root_sequence
from bayesrank._sampling import sample_counts, sample_outcomes
from bayesrank._types import Container, ScoreLike
from bayesrank.models import model_for_datasets
from bayesrank.performance import observed_counts, outcome_dims, posterior_of, shift_prior
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import ScoreValues, score_values

__all__ = ["heterogeneity", "shrinkage"]

#: Number of posterior draws for which new test sets are simulated.
REPLICATES = 400
#: Largest number of cells of one replicate of all data sets.
CELLS = 2**22
RESULTS = ("typical", "new", "between_sd", "share")


def heterogeneity(posterior: Container, score: ScoreLike | None = None, *, prob: float = 0.95) -> xr.Dataset:
    """Measure how much a score differs between data sets, beyond sampling error.

    Parameters
    ----------
    posterior : InferenceData, DataTree or Dataset
        Posterior of a hierarchical model over several data sets.
    score : Score, str or callable, optional
        A score, or the name of a posterior variable. The default for outcomes without classes is the mean outcome.
    prob : float
        Credible probability of the intervals (equal tails).

    Returns
    -------
    xarray.Dataset
        Results over ``entity``, in units of the score except ``share``. The first four are medians, with intervals in
        ``<name>_lower`` and ``<name>_upper``:

        - ``typical``, ``new``: the score on a typical and on a new data set. The interval of ``new`` is the prediction
          interval;
        - ``between_sd``: the standard deviation of the true score between these data sets, s = √(Σ(S_d − S̄)²/(D − 1)),
          in each draw over the data sets with a defined score of the entity; NaN for fewer than two;
        - ``share``: the share of variance beyond sampling, I² = s²/(s² + v), where v is the mean of the squared
          sampling error of the observed score over the data sets with an observed score, and s as above;
        - ``sampling_sd``: √v. The sampling error of a data set is the difference between its true score and the
          observed score of a new sample of the same size; NaN without counts;
        - ``new_sd``: the root mean squared distance of a new data set from the typical one. For a score that is a mean
          over cases it is the standard deviation in the population of data sets (``between_sd``: in this sample);
        - ``datasets``: number of data sets on which the entity was measured.

        ``attrs["what"]`` defines typical in this model, and the prevalence.

    Raises
    ------
    ValueError
        If the posterior has no data sets, or no typical or new performance.
    TypeError
        If it is no posterior.

    References
    ----------
    Gelman (2005), Analysis of variance: why it is more important than ever, Annals of Statistics 33:1-53, for the
    standard deviation of the observed members; Higgins and Thompson (2002), Quantifying heterogeneity in a
    meta-analysis, Statistics in Medicine 21:1539-1558, for I².

    Examples
    --------
    >>> import bayesrank as br
    >>> studies = br.from_counts(
    ...     tn=[45, 38, 90, 27], fp=[5, 12, 10, 3], fn=[4, 9, 2, 3], tp=[16, 11, 28, 7], entity=["A"] * 4,
    ...     dataset=["Oslo", "Rome", "Lima", "Kyiv"],
    ... )
    >>> found = heterogeneity(br.fit(studies, "hierarchical_beta_binomial", seed=1), "tpr")
    >>> found[["between_sd", "new_lower", "new_upper"]].to_dataframe().round(1)
            between_sd  new_lower  new_upper
    entity
    A              0.1        0.4        1.0
    """
    tail = (1 - check_prob("prob", prob)) / 2
    own, typical, new = _kinds(posterior, score)
    levels = [0.5, tail, 1 - tail]
    dims = draw_dims(own.values)
    between = _deviation(own.values.transpose(..., "dataset"))
    error = _sampling_variance(posterior, own)
    share = between**2 / (between**2 + error)
    found: dict[str, xr.DataArray] = {}
    for name, draws in zip(RESULTS, (typical.values, new.values, between, share), strict=True):
        middle, low, high = _quantiles(draws, levels)
        found |= {name: middle, f"{name}_lower": low, f"{name}_upper": high}
    found["sampling_sd"] = error**0.5
    found["new_sd"] = ((new.values - typical.values) ** 2).mean(dims) ** 0.5
    found["datasets"] = own.values.notnull().any(dims).sum("dataset")
    plain = {name: held.reset_coords(drop=True).drop_attrs() for name, held in found.items()}
    return xr.Dataset(plain, attrs={"score": own.name, "prob": float(prob), "what": _describe_typical(posterior, own)})


def _describe_typical(posterior: Any, own: ScoreValues) -> str:
    """Return the meaning of typical in a model, and the prevalence at which the score is computed."""
    about = posterior_of(posterior).attrs
    depends = own.score is not None and own.score.depends_on_prevalence and "prevalence" in about
    given = f"prevalence {about['prevalence']}" if depends else ""
    at = "at their mean prevalence" if depends and about["prevalence"] == "sampled" else given
    return ", ".join(filter(None, [str(about.get("typical", "")), at]))


def shrinkage(posterior: Container, score: ScoreLike | None = None, *, prob: float = 0.95) -> xr.Dataset:
    """Compare the observed score of each member of a population with its shrunk posterior.

    Parameters
    ----------
    posterior : InferenceData, DataTree or Dataset
        Posterior of a hierarchical model. The members are its data sets, or without data sets its entities.
    score : Score, str or callable, optional
        A score, or the name of a posterior variable; by default the mean of outcomes without classes.
    prob : float
        Credible probability of the intervals (equal tails).

    Returns
    -------
    xarray.Dataset
        Over (``entity``, [``dataset``]): ``observed``; ``median``, ``lower`` and ``upper`` of the posterior; ``cases``.
        ``observed`` and ``cases`` are NaN where they are unknown. Over ``entity``: ``typical``, ``typical_lower``,
        ``typical_upper``, ``new_lower`` and ``new_upper``. In a population of entities these have no dims; typical is
        the mean of all entities, and new is undefined.

    Raises
    ------
    ValueError
        If the posterior is not of a hierarchical model.
    TypeError
        If it is no posterior.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesrank as br
    >>> frame = pd.DataFrame({"entity": list("abcd"), "correct": [3, 88, 83, 91], "wrong": [0, 12, 17, 9]})
    >>> posterior = br.fit(br.from_frame(frame), "hierarchical_beta_binomial", seed=1)
    >>> shrinkage(posterior)[["observed", "median"]].to_dataframe().round(1)
            observed  median
    entity
    a            1.0     0.9
    b            0.9     0.9
    c            0.8     0.9
    d            0.9     0.9
    """
    tail = (1 - check_prob("prob", prob)) / 2
    levels = [0.5, tail, 1 - tail]
    own, typical, new = _kinds(posterior, score, entities=True)
    found = dict(zip(("median", "lower", "upper"), _quantiles(own.values, levels), strict=True))
    middle = own.values.mean("entity") if typical is None else typical.values
    names = ("typical", "typical_lower", "typical_upper")
    found |= dict(zip(names, _quantiles(middle, levels), strict=True))
    ends = (xr.full_like(found["typical"], np.nan),) * 3 if new is None else _quantiles(new.values, levels)
    found |= {"new_lower": ends[1], "new_upper": ends[2]}
    observed = evidence_of(posterior, own.variable, own.values, "observed").observed(own.score)
    counts = _counts(posterior)
    nothing = xr.full_like(found["median"], np.nan)
    found["observed"] = nothing if observed is None else observed.astype(float)
    found["cases"] = nothing if counts is None else counts.sum(outcome_dims(counts)).astype(float)
    plain = {name: held.reset_coords(drop=True).drop_attrs() for name, held in found.items()}
    lower = own.score is not None and own.score.higher_is_better is False
    return xr.Dataset(plain, attrs={"score": own.name, "prob": float(prob), "higher_is_better": int(not lower)})


class _Kinds(NamedTuple):
    """Return a score on each member, on a typical member and on a new one."""

    own: ScoreValues
    typical: Any
    new: Any


def _kinds(posterior: Any, score: Any, entities: bool = False) -> _Kinds:
    """Return the score of all kinds; a population of entities may lack the typical and the new one."""
    if isinstance(posterior, xr.DataArray) or not (isinstance(posterior, xr.Dataset) or is_container(posterior)):
        raise TypeError(
            "posterior must be an InferenceData, a DataTree or a Dataset of a hierarchical model; got "
            f"{describe_value(posterior)}"
        )
    group = posterior_of(posterior)
    if not {"draw", "sample"} & set(group.dims):
        raise ValueError(f"posterior must hold draws; got the dims {tuple(map(str, group.dims))}")
    many = "dataset" in group.dims
    if entities and not many and group.attrs.get("population") == "entities":
        return _Kinds(score_values(posterior, score, True, "observed"), None, None)
    kinds = ("typical", "new")
    lacking = [kind for kind in kinds if not any(str(name).endswith(f"_{kind}") for name in group.data_vars)]
    if not many or lacking:
        what = f"nothing {' or '.join(lacking)}" if many else "no dim dataset"
        raise ValueError(
            f"posterior must be of a hierarchical model over several data sets (such as {model_for_datasets(2)!r}); "
            f"got one with {what}"
        )
    return _Kinds(*(score_values(posterior, score, True, kind) for kind in ("observed", *kinds)))


def _counts(posterior: Any) -> xr.DataArray | None:
    """Return the counts in a posterior."""
    if isinstance(posterior, xr.Dataset) or "observed_data" not in groups_of(posterior):
        return None
    counts = observed_counts(posterior)
    return None if counts is None else counts.drop_vars(["measured", "test_set"], errors="ignore")


def _sampling_variance(posterior: Any, own: ScoreValues) -> xr.DataArray:
    """Return the mean over data sets of the squared sampling error of observed scores (entity); NaN if unknown.

    The mean is over data sets with an observed score. A data set without positives, say, is omitted, because a
    replicate may contain one by chance, with an arbitrary score.
    """
    unknown = xr.full_like(own.values.isel(dict.fromkeys((*draw_dims(own.values), "dataset"), 0), drop=True), np.nan)
    counts = _counts(posterior)
    group = posterior_of(posterior)
    if counts is None or "performance" not in group or own.score is None or own.variable is not None:
        return unknown
    given = group.attrs.get("prevalence", "sampled")
    # A subset of the draws, the same in every chain.
    *others, last = draw_dims(own.values)
    many = own.values.sizes[last] * np.prod([own.values.sizes[d] for d in others], dtype=int)
    some = {last: slice(None, None, max(int(many) // REPLICATES, 1))}
    table = group["performance"].isel(some).drop_vars(["test_set", "measured"], errors="ignore")
    true = own.values.isel(some).reset_coords(drop=True)
    root = root_sequence(0)
    each = []
    for entities in _entity_blocks(table):
        part, seen = table.isel(entity=entities), counts.isel(entity=entities)
        if own.score.space == "outcomes":
            again = sample_outcomes(part, seen.sum("outcome"), root, "heterogeneity")
        else:
            again = sample_counts(part, seen, given != "sampled", root, "heterogeneity")
        try:
            again, observed = (
                own.score(x if given == "sampled" else shift_prior(x, float(given))) for x in (again, seen)
            )
        except ValueError:  # draws of the prevalence, or of more than two classes
            return unknown
        squares = (again.reset_coords(drop=True) - true.isel(entity=entities)) ** 2
        each.append(squares.where(observed.reset_coords(drop=True).notnull()))
    return xr.concat(each, "entity").mean(draw_dims(true)).mean("dataset").drop_attrs()


def _entity_blocks(table: xr.DataArray) -> Iterable[slice]:
    """Yield blocks of entities that fit into memory."""
    size = table.sizes["entity"]
    step = max(1, CELLS * size // max(table.size, 1))
    return (slice(start, start + step) for start in range(0, size, step))


def _deviation(values: xr.DataArray) -> xr.DataArray:
    """Return the standard deviation of the defined values over the last dim; NaN for fewer than two."""
    held = values.values
    number = np.sum(~np.isnan(held), -1)
    mean = np.nansum(held, -1) / np.maximum(number, 1)
    square = np.nansum((held - mean[..., None]) ** 2, -1)
    found = np.where(number > 1, np.sqrt(square / np.maximum(number - 1, 1)), np.nan)
    return xr.DataArray(found, {d: values[d] for d in values.dims[:-1] if d in values.coords}, values.dims[:-1])


def _quantiles(values: xr.DataArray, levels: list[float]) -> list[xr.DataArray]:
    """Return quantiles over the draws with a defined value; NaN if there is none."""
    dims = draw_dims(values)
    some = values.notnull().any(dims)
    found = values.where(some, 0.0).quantile(levels, dims, skipna=True).where(some)
    return [found.isel(quantile=i, drop=True) for i in range(len(levels))]
