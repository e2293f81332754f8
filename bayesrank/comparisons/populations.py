"""The population of a hierarchical posterior: how much its members differ, and how much each is shrunk."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prob
from bayesrank._core.draws import draw_dims, median_and_interval
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.random import root_sequence
from bayesrank._core.records import ModelRecord, ResultRecord
from bayesrank._core.sampling import sample_counts, sample_outcomes
from bayesrank._core.source import Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.models import model_for_datasets
from bayesrank.performance.arrays import observed_counts, outcome_dims, posterior_of
from bayesrank.performance.operations import shift_prior
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import ScoreValues, score_values

__all__ = ["heterogeneity", "shrinkage"]

#: Number of posterior draws for which new test sets are simulated.
REPLICATES = 400


@check_call
def heterogeneity(
    posterior: Container, score: ScoreLike | None = None, *, prob: float = 0.95
) -> xr.Dataset:
    """Measure how much a score differs between data sets, beyond sampling error.

    Parameters
    ----------
    posterior : InferenceData, DataTree or Dataset
        Posterior of a hierarchical model over several data sets.
    score : Score, str or callable, optional
        A score, or the name of a posterior variable. The default for outcomes without classes is
        the mean outcome.
    prob : float
        Probability of the credible intervals (equal tails).

    Returns
    -------
    xarray.Dataset
        Results over ``entity``, in units of the score except ``share``. The first four are medians,
        with intervals in ``<name>_lower`` and ``<name>_upper``:

        - ``typical``, ``new``: the score on a typical and on a new data set, with the prediction
          interval;
        - ``between_sd``: the standard deviation of the true score between these data sets, s =
          √(Σ(S_d − S̄)²/(D − 1)), over the data sets with a defined score; NaN for fewer than two;
        - ``share``: the share of variance beyond sampling, I² = s²/(s² + v), where v is the mean
          squared sampling error of the observed scores;
        - ``sampling_sd``: √v. The sampling error is the difference between the true score of a data
          set and the observed score of a new sample of the same size; NaN without counts;
        - ``new_sd``: the root mean squared distance of a new data set from the typical one. For a
          mean over cases, it is the standard deviation in the population of data sets;
          ``between_sd`` is that of the measured data sets;
        - ``datasets``: number of data sets on which the entity was measured.

        ``attrs["typical"]`` says whether the typical data set is the "mean" or the "median" one in
        this model; ``attrs["prevalence"]`` is that of the model ("sampled" or a number), empty if
        the score does not depend on it.

    Raises
    ------
    ValueError, TypeError
        If ``posterior`` is not from a hierarchical model over several data sets.

    References
    ----------
    Gelman (2005), Annals of Statistics 33:1-53, for the standard deviation of the observed members;
    Higgins and Thompson (2002), Statistics in Medicine 21:1539-1558, for I².

    Examples
    --------
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
    prob, posterior = check_prob("prob", prob), parse_source(posterior, "posterior")
    own, typical, new = _kinds(posterior, score)
    dims = draw_dims(own.values)
    squares = ((own.values - own.values.mean("dataset")) ** 2).sum("dataset")
    number = own.values.count("dataset")
    between = (squares / (number - 1).where(number > 1)) ** 0.5
    error = _sampling_variance(posterior, own)
    share = between**2 / (between**2 + error)
    result: dict[str, xr.DataArray] = {}
    for name, draws in {
        "typical": typical.values,
        "new": new.values,
        "between_sd": between,
        "share": share,
    }.items():
        result |= median_and_interval(name, draws, prob)
    result["sampling_sd"] = error**0.5
    result["new_sd"] = ((new.values - typical.values) ** 2).mean(dims) ** 0.5
    result["datasets"] = own.values.notnull().any(dims).sum("dataset")
    record = ModelRecord.of(posterior_of(posterior))
    matters = own.score is not None and own.score.depends_on_prevalence
    at = (record.prevalence or "") if matters else ""
    return _result(result, own, prob, typical=record.typical or "", prevalence=at)


def shrinkage(
    posterior: Container, score: ScoreLike | None = None, *, prob: float = 0.95
) -> xr.Dataset:
    """Compare the observed score of each member of a population with its shrunk posterior.

    Parameters
    ----------
    posterior : InferenceData, DataTree or Dataset
        Posterior of a hierarchical model. The members are its data sets, or without data sets its
        entities.
    score : Score, str or callable, optional
        A score, or the name of a posterior variable; by default the mean of outcomes without
        classes.
    prob : float
        Probability of the credible intervals (equal tails).

    Returns
    -------
    xarray.Dataset
        Over (``entity``, [``dataset``]): ``observed``; ``median``, ``lower`` and ``upper`` of the
        posterior; ``cases``; NaN where they are unknown. Over ``entity``: ``typical``,
        ``new_lower``, ``new_upper``, and the interval of typical. In a population of entities these
        have no dims; typical is the mean, and new is undefined.

    Raises
    ------
    ValueError, TypeError
        If ``posterior`` is not from a hierarchical model.

    Examples
    --------
    >>> import pandas as pd
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
    prob, posterior = check_prob("prob", prob), parse_source(posterior, "posterior")
    own, typical, new = _kinds(posterior, score, entities=True)
    cuts = median_and_interval("median", own.values, prob)
    result = {name.removeprefix("median_"): cut for name, cut in cuts.items()}
    result |= median_and_interval(
        "typical", own.values.mean("entity") if typical is None else typical.values, prob
    )
    unknown = dict.fromkeys(("new_lower", "new_upper"), xr.full_like(result["typical"], np.nan))
    result |= unknown if new is None else median_and_interval("new", new.values, prob)
    result.pop("new", None)
    observed = evidence_of(posterior, own.variable, own.values, "observed").observed(own.score)
    counts = _counts(posterior)
    nothing = xr.full_like(result["median"], np.nan)
    result["observed"] = (
        nothing if observed is None else observed.where(np.isfinite(observed)).astype(float)
    )
    result["cases"] = nothing if counts is None else counts.sum(outcome_dims(counts)).astype(float)
    lower = own.score is not None and own.score.higher_is_better is False
    return _result(result, own, prob, higher_is_better=int(not lower))


def _result(
    by_name: dict[str, xr.DataArray], own: ScoreValues, prob: float, **about: Any
) -> xr.Dataset:
    variables = {name: held.reset_coords(drop=True).drop_attrs() for name, held in by_name.items()}
    record = ResultRecord(score=own.name, prob=prob, noun=own.noun, in_percent=own.in_percent)
    return xr.Dataset(variables, attrs=record.to_attrs() | about)


def _kinds(posterior: Source, score: Any, entities: bool = False) -> tuple[ScoreValues, Any, Any]:
    """Return the score of each member, of a typical and of a new one, which a population of entities may lack."""
    if posterior.array is not None:
        raise ArgumentTypeError(
            "posterior",
            "must be an InferenceData, a DataTree or a Dataset of a hierarchical model",
            "a DataArray",
        )
    group = posterior_of(posterior)
    if not {"draw", "sample"} & set(group.dims):
        raise ArgumentError(
            "posterior", "must contain draws", f"the dims {tuple(map(str, group.dims))}"
        )
    has_datasets = "dataset" in group.dims
    if entities and not has_datasets and ModelRecord.of(group).population == "entities":
        return score_values(posterior, score, True, "observed"), None, None
    kinds = ("typical", "new")
    lacking = [
        kind
        for kind in kinds
        if not any(str(name).endswith(f"_{kind}") for name in group.data_vars)
    ]
    if not has_datasets or lacking:
        what_lacks = f"nothing {' or '.join(lacking)}" if has_datasets else "no dim dataset"
        raise ArgumentError(
            "posterior",
            f"must come from a hierarchical model of several data sets (such as {model_for_datasets(2)!r})",
            f"one with {what_lacks}",
        )
    own, typical, new = (
        score_values(posterior, score, True, kind) for kind in ("observed", *kinds)
    )
    return own, typical, new


def _counts(posterior: Source) -> xr.DataArray | None:
    """Return the counts in a posterior."""
    counts = observed_counts(posterior)
    return None if counts is None else counts.drop_vars(["measured", "test_set"], errors="ignore")


def _sampling_variance(posterior: Source, own: ScoreValues) -> xr.DataArray:
    """Return the mean over data sets of the squared sampling error of observed scores (entity); NaN if unknown.

    Data sets without an observed score are omitted: a replicate may have one by chance, with an
    arbitrary value.
    """
    unknown = xr.full_like(
        own.values.isel(dict.fromkeys((*draw_dims(own.values), "dataset"), 0), drop=True), np.nan
    )
    counts = _counts(posterior)
    group = posterior_of(posterior)
    if (
        counts is None
        or "performance" not in group
        or own.score is None
        or own.variable is not None
    ):
        return unknown
    record = ModelRecord.of(group)
    # A subset of the draws, the same in every chain.
    *others, last = draw_dims(own.values)
    size = own.values.sizes[last] * np.prod([own.values.sizes[d] for d in others], dtype=int)
    some = {last: slice(None, None, max(int(size) // REPLICATES, 1))}
    table = group["performance"].isel(some).drop_vars(["test_set", "measured"], errors="ignore")
    true = own.values.isel(some).reset_coords(drop=True)
    root = root_sequence(0)
    variances = []
    # Entity by entity, to save memory.
    for i in range(table.sizes["entity"]):
        part, own_counts = table.isel(entity=[i]), counts.isel(entity=[i])
        if own.score.space == "outcomes":
            again = sample_outcomes(part, own_counts.sum("outcome"), root, "heterogeneity")
        else:
            again = sample_counts(
                part, own_counts, record.assumed_prevalence != "sampled", root, "heterogeneity"
            )
        try:
            again, observed = (
                own.score(
                    x
                    if record.assumed_prevalence == "sampled"
                    else shift_prior(x, record.prevalence_number)
                )
                for x in (again, own_counts)
            )
        except ValueError:  # draws of the prevalence, or of more than two classes
            return unknown
        squares = (again.reset_coords(drop=True) - true.isel(entity=[i])) ** 2
        variances.append(squares.where(observed.reset_coords(drop=True).notnull()))
    return xr.concat(variances, "entity").mean(draw_dims(true)).mean("dataset").drop_attrs()
