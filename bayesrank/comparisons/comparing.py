"""Comparison of models by predictions for omitted data, with standard errors."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_bool,
    check_choice,
    check_sequence,
    describe_value,
    rename_argument,
)
from bayesrank._core.compat import pareto_k_threshold
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.keywords import arguments_of, check_keywords
from bayesrank._core.labels import name_coord
from bayesrank._core.prose import count
from bayesrank._core.types import ModelName
from bayesrank.comparisons._compared import (
    BY,
    Compared,
    check_same_data,
    left_out_units,
    model_to_compare,
)
from bayesrank.comparisons._left_out import (
    LeftOut,
    distinct_cases,
    expected_by_sampling,
    expected_closed_form,
    log_marginal,
)
from bayesrank.inference import fit
from bayesrank.models import find_model

#: Smaller differences, in nats or in standard errors, are not reported as differences (Sivula et
#: al. 2020).
NATS, ERRORS = 4.0, 2.0
#: With fewer units the error of a difference is unreliable.
FEW = 20
#: Largest number of units that a message names, and the names of their kinds.
NOUNS = {"dataset": "data set", "table": "table", "case": "case"}


@check_call
def compare(
    evidence: xr.DataArray | xr.Dataset | Mapping[Any, Any],
    models: Iterable[ModelName] | None = None,
    *,
    by: Literal["dataset", "table", "case"] | None = None,
    refit: bool = True,
    **options: Any,
) -> xr.Dataset:
    """Compare how well models predict data sets, tables or cases that are left out in turn.

    Parameters
    ----------
    evidence : DataArray, Dataset or mapping
        Counts to which each of ``models`` is fitted; or posteriors of :func:`bayesrank.fit` by
        name, from the same data. For pooled counts (:func:`bayesrank.pool`) the units are the
        original data sets; the model predicts each of them from the sum of the others.
    models : sequence of str or type, optional
        Names or classes of models, if ``evidence`` is counts.
    by : {"dataset", "table", "case"}, optional
        The unit that is left out: a data set with all its entities; the table of one entity on one
        data set; or a single case, for models with closed forms. The default is data sets, or
        tables if there are none. A table is predicted given its class sizes. The class sizes are
        predicted as separate units, once per test set.
    refit : bool
        Whether to fit a model again for each unit for which importance sampling is unreliable.
    **options
        Arguments of :func:`bayesrank.fit`, such as ``seed``, if ``models`` are given.

    Returns
    -------
    xarray.Dataset
        Results over ``model``, the best first:

        - ``elpd``: expected log predictive density, in nats, the sum over all units, and ``se``,
          its standard error;
        - ``elpd_diff``: the difference from the best model, and ``dse``, its standard error;
        - ``p``: effective number of parameters;
        - ``pareto_k``: the largest Pareto k of a unit, NaN in closed form; ``refitted``: the number
          of units predicted by a refit; ``unreliable``: the number of units with too large a Pareto
          k and no refit;
        - ``log_evidence``: the log marginal likelihood, in nats, where it is known, else NaN. It
          depends on the priors much more than ``elpd``;
        - ``method``: closed form, importance sampling, or refits;

        and over (``model``, ``unit``): ``unit_elpd``, ``unit_pareto_k``; ``cases`` (unit), the
        number of equal cases in a unit of ``by="case"``. ``attrs["verdict"]`` states the result,
        and ``attrs["by"]`` the kind of unit.

    Raises
    ------
    ValueError, TypeError
        If the posteriors come from different data, if only some models predict class sizes, if
        there are no data sets to leave out, if a prior is improper, or if a posterior has no
        log-likelihood.

    Notes
    -----
    In conjugate models an omitted table has a Dirichlet-multinomial probability, and an omitted
    case the probability (α + n − 1)/(A + N − 1). Other models use Pareto-smoothed importance
    sampling of the log-likelihood of tables.

    References
    ----------
    Vehtari, Gelman and Gabry (2017), Statistics and Computing 27:1413-1432; Vehtari, Simpson,
    Gelman, Yao and Gabry (2024), JMLR 25(72); Sivula, Magnusson, Matamoros and Vehtari (2020),
    arXiv:2008.10296.

    Examples
    --------
    >>> studies = br.from_counts(
    ...     tn=[45, 38, 90, 27, 60], fp=[5, 12, 10, 3, 40], fn=[4, 9, 2, 3, 1], tp=[16, 11, 28, 7, 19],
    ...     entity=["A"] * 5, dataset=["Oslo", "Rome", "Lima", "Kyiv", "Bonn"],
    ... )
    >>> found = compare(studies, ["dirichlet_multinomial", "hierarchical_beta_binomial"], seed=1)
    >>> found["model"].values.tolist()
    ['hierarchical_beta_binomial', 'dirichlet_multinomial']
    """
    check_bool("refit", refit)
    if by is not None:
        check_choice("by", by, BY)
    posteriors = _fits(evidence, models, options)
    if not posteriors:
        raise ArgumentError("posteriors", "must contain at least one", "none")
    compared = [
        model_to_compare(str(name), posterior, parts=True) for name, posterior in posteriors.items()
    ]
    # If no posterior has separate data sets, compare by the pooled counts.
    if by != "dataset" and any(not model.over_datasets for model in compared):
        compared = [
            model_to_compare(str(name), posterior, parts=False)
            for name, posterior in posteriors.items()
        ]
    by = by or ("dataset" if compared[0].over_datasets else "table")
    check_same_data(compared, by)
    if not compared[0].tables.any():
        raise ArgumentError("posteriors", "must come from counts with cases", "none")
    if by == "case":
        _check_closed_forms(compared)
    result = [
        expected_closed_form(m, by)
        if hasattr(m.instance, "conjugate")
        else expected_by_sampling(m, by, refit)
        for m in compared
    ]
    return _result(compared, result, by)


def _check_closed_forms(models: list[Compared]) -> None:
    """Raise an error unless each model predicts single cases in closed form."""
    for model in models:
        if not hasattr(model.instance, "conjugate"):
            raise ArgumentError(
                "by",
                f"must be 'dataset' or 'table' for models without a closed form, as {model.name!r}",
                "'case'",
            )


def _fits(
    evidence: Any, models: Iterable[ModelName] | None, options: dict[str, Any]
) -> Mapping[Any, Any]:
    """Return posteriors by name: the given ones, or a fit of each model."""
    if models is None:
        check_keywords(options, arguments_of(compare), "br.compare of posteriors")
        if isinstance(evidence, xr.Dataset) or not isinstance(evidence, Mapping):
            raise ArgumentTypeError(
                "evidence",
                "must be a mapping from names to posteriors, or counts with models=['beta_binomial', ...]",
                describe_value(evidence),
            )
        return evidence
    if isinstance(evidence, Mapping) and not isinstance(evidence, xr.Dataset):
        raise ArgumentError(
            "models",
            "cannot be used for posteriors, which are fitted",
            f"{list(evidence)} as evidence",
            "counts as evidence are fitted with each model",
        )
    models = check_sequence("models", models)
    with rename_argument("models", "model"):
        models = [m for m in models if find_model(m)]
    if not models:
        raise ArgumentError("models", "must name at least one model", "none")
    return {m if isinstance(m, str) else m.__name__: fit(evidence, m, **options) for m in models}


def _result(models: list[Compared], left_out: list[LeftOut], by: str) -> xr.Dataset:
    if by == "case":
        which = distinct_cases(models[0])
        times, labels = which.times, np.arange(which.times.size)
    else:
        labels = name_coord([name for name, _, _ in left_out_units(models[0], by)])
        times = np.ones(len(labels), np.int64)
    densities, loss, k, refitted = (
        np.stack(part) for part in zip(*(one[:4] for one in left_out), strict=True)
    )
    total = densities @ times
    order = np.argsort(-total, kind="stable")
    best = order[0]
    size = int(times.sum())
    behind = densities[best] - densities
    draws = [m.posterior.sizes.get("chain", 1) * m.posterior.sizes.get("draw", 1) for m in models]
    too_large = (
        np.stack([row > pareto_k_threshold(n) for row, n in zip(k, draws, strict=True)]) & ~refitted
    )
    with np.errstate(invalid="ignore"):
        worst = np.fmax.reduce(k, axis=1)
    columns: dict[str, Any] = {
        "elpd": total,
        "se": _error(densities, times),
        "elpd_diff": total[best] - total,
        "dse": _error(behind, times),
        "p": loss @ times,
        "pareto_k": worst,
        "refitted": refitted @ times,
        "unreliable": too_large @ times,
        "log_evidence": np.array([log_marginal(m) for m in models]),
        "method": np.array([one.method for one in left_out]),
    }
    result = xr.Dataset(
        {name: ("model", values[order]) for name, values in columns.items()},
        {"model": name_coord([models[i].name for i in order]), "unit": labels},
    )
    result["unit_elpd"], result["unit_pareto_k"] = (
        (("model", "unit"), densities[order]),
        (("model", "unit"), k[order]),
    )
    if by == "case":
        result["cases"] = ("unit", times)
    tables = int(models[0].measured.sum()) if by == "table" else size
    return result.assign_attrs(by=by, units=size, verdict=_verdict(result, by, tables))


def _error(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the standard error of a sum over units (model, unit), each with a number of equal cases."""
    size = times.sum()
    if size < 2:
        return np.full(len(values), np.nan)
    mean = values @ times / size
    return np.sqrt(size * ((values - mean[:, None]) ** 2 @ times) / (size - 1))


def _verdict(result: xr.Dataset, by: str, size: int) -> str:
    """Return the verdict on the comparison, and its caveats."""
    omitted = count(size, NOUNS[by])
    names = result["model"].values.tolist()
    lines = []
    if len(names) == 1:
        lines.append(
            f"{names[0]} has an elpd of {float(result['elpd'][0]):.1f}, of {omitted} left out in turn."
        )
    behind, error = result["elpd_diff"].values, result["dse"].values
    separated = (behind > NATS) & (behind > ERRORS * error)
    for i in range(1, len(names)):
        distance = f"{behind[i]:.1f} ± {error[i]:.1f}"
        if separated[i]:
            lines.append(
                f"{names[0]} predicts a {NOUNS[by]} left out better than {names[i]}, by {distance} nats in total."
            )
        else:
            lines.append(
                f"{names[0]} and {names[i]} are not separated: their predictions of a {NOUNS[by]} left out differ by "
                f"{distance} nats in total."
            )
    if len(names) > 1 and size < FEW:
        lines.append(f"Only {omitted}: the errors of the differences are rough.")
    for name, bad in zip(names, result["unreliable"].values.tolist(), strict=True):
        if bad:
            lines.append(
                f"The result for {name} is unreliable: Pareto k is too large for {bad} of the units (refit=True fits "
                "again without each of them)."
            )
    return " ".join(lines)
