"""Which model predicts better what it has not seen, and by how much more than chance."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._checks import check_bool, check_choice
from bayesrank._labels import name_coord
from bayesrank._text import count
from bayesrank.comparisons._compared import BY, Compared, check_alike, left_out_units, model_to_compare
from bayesrank.comparisons._left_out import (
    LeftOut,
    distinct_cases,
    expected_by_sampling,
    expected_closed_form,
    log_marginal,
    pareto_k_threshold,
)

__all__ = ["compare"]

#: A difference that is smaller, in nats or in its standard errors, is none to speak of (Sivula et al. 2020).
NATS, ERRORS = 4.0, 2.0
#: With fewer units the error of a difference is itself not known.
FEW = 20
#: Units whose values are named at most, and how they are called.
NOUNS = {"dataset": "data set", "table": "table", "case": "case"}


def compare(
    posteriors: Mapping[Any, Any],
    *,
    by: Literal["dataset", "table", "case"] | None = None,
    refit: bool = True,
) -> xr.Dataset:
    """How well models predict data sets, tables or cases that are left out in turn.

    Parameters
    ----------
    posteriors : mapping
        From names to what :func:`bayesrank.fit` returned, of the same data. Counts that were pooled
        (:func:`bayesrank.pool`) are compared by the data sets that they are of: a model of pooled counts predicts one
        from the others.
    by : {"dataset", "table", "case"}, optional
        What is left out: a data set with all its entities; the table of one entity on one data set; a single case. By
        default data sets, and tables where there are none. What a table, which is predicted given its class sizes, does
        not say are the class sizes of a test set: they are left out by themselves, once, whoever met it.
    refit : bool
        Whether to learn a model again without what importance sampling cannot leave out. A model that is sampled is
        sampled again for each of these.

    Returns
    -------
    xarray.Dataset
        Over ``model``, the best first:

        - ``elpd``: expected log predictive density, in nats, the sum over all units, and ``se``, its standard error;
        - ``elpd_diff``: how much less than the best's, and ``dse``, the standard error of that difference;
        - ``p``: effective number of parameters;
        - ``pareto_k``: the largest, NaN in closed form; ``refitted``: units predicted by a refit; ``unreliable``:
          units whose Pareto k is too large, without refit;
        - ``log_evidence``: the log probability of all data before any, in nats, of conjugate models and of
          ``"hierarchical_beta_binomial"`` (by quadrature), else NaN. Differences are logarithms of Bayes factors, and
          depend on the priors much more than ``elpd``;
        - ``method``: closed form, importance sampling, and refits;

        and over (``model``, ``unit``): ``unit_elpd``, ``unit_pareto_k``; ``cases`` (unit), how many cases a unit of
        ``by="case"`` stands for. ``attrs["verdict"]`` says it in words, ``attrs["by"]`` what was left out.

    Raises
    ------
    ValueError, TypeError
        If the models are of different data; if some predict class sizes and others are conditional on them; if there
        are no data sets to leave out; if a prior is improper, or a posterior holds no log-likelihood.

    Notes
    -----
    In conjugate models a table that is left out has a Dirichlet-multinomial probability, and a case
    (α + n − 1)/(A + N − 1). Of other models the log-likelihood of tables is weighed by Pareto-smoothed importance
    sampling, with the rates of a table integrated out.

    References
    ----------
    Vehtari, Gelman and Gabry (2017), Practical Bayesian model evaluation using leave-one-out cross-validation and WAIC,
    Statistics and Computing 27:1413-1432; Vehtari, Simpson, Gelman, Yao and Gabry (2024), Pareto smoothed importance
    sampling, JMLR 25(72); Sivula, Magnusson, Matamoros and Vehtari (2020), Uncertainty in Bayesian leave-one-out
    cross-validation based model comparison, arXiv:2008.10296.

    Examples
    --------
    >>> import bayesrank as br
    >>> studies = br.from_counts(
    ...     tn=[45, 38, 90, 27, 60], fp=[5, 12, 10, 3, 40], fn=[4, 9, 2, 3, 1], tp=[16, 11, 28, 7, 19],
    ...     entity=["A"] * 5, dataset=["Oslo", "Rome", "Lima", "Kyiv", "Bonn"],
    ... )
    >>> fits = {
    ...     "pooled": br.fit(br.pool(studies), seed=1),
    ...     "hierarchical": br.fit(studies, "hierarchical_beta_binomial", seed=1),
    ... }
    >>> found = compare(fits)
    >>> found["model"].values.tolist(), found["elpd_diff"].values.round().tolist()
    (['hierarchical', 'pooled'], [0.0, 18.0])
    """
    check_bool("refit", refit)
    if by is not None:
        check_choice("by", by, BY)
    if not isinstance(posteriors, Mapping):
        raise TypeError(f"posteriors must be a mapping from names to posteriors; got {type(posteriors).__name__}")
    if not posteriors:
        raise ValueError("posteriors must hold at least one; got none")
    models = [model_to_compare(str(name), posterior, parts=True) for name, posterior in posteriors.items()]
    # Where nobody tells data sets apart, pooled counts are what all of them saw.
    if by != "dataset" and any(not model.over_datasets for model in models):
        models = [model_to_compare(str(name), posterior, parts=False) for name, posterior in posteriors.items()]
    by = by or ("dataset" if models[0].over_datasets else "table")
    check_alike(models, by)
    if not models[0].tables.any():
        raise ValueError("posteriors must be of counts that hold cases, of which some can be left out; got none")
    found = [
        expected_closed_form(m, by) if hasattr(m.story, "conjugate") else expected_by_sampling(m, by, refit)
        for m in models
    ]
    return _result(models, found, by)


def _result(models: list[Compared], found: list[LeftOut], by: str) -> xr.Dataset:
    if by == "case":
        which = distinct_cases(models[0])
        times, labels = which.times, np.arange(which.times.size)
    else:
        labels = name_coord([name for name, _, _ in left_out_units(models[0], by)])
        times = np.ones(len(labels), np.int64)
    each = np.stack([one.elpd for one in found])
    total = each @ times
    order = np.argsort(-total, kind="stable")
    best = order[0]
    size = int(times.sum())
    behind = each[best] - each
    k = np.stack([one.pareto_k for one in found])
    draws = [m.posterior.sizes.get("chain", 1) * m.posterior.sizes.get("draw", 1) for m in models]
    refitted = np.stack([one.refitted for one in found])
    too_large = np.stack([row > pareto_k_threshold(n) for row, n in zip(k, draws, strict=True)]) & ~refitted
    with np.errstate(invalid="ignore"):
        worst = np.where(np.isnan(k).all(1), np.nan, np.fmax.reduce(k, axis=1))
    columns: dict[str, Any] = {
        "elpd": total,
        "se": _error(each, times),
        "elpd_diff": total[best] - total,
        "dse": _error(behind, times),
        "p": np.stack([one.loss for one in found]) @ times,
        "pareto_k": worst,
        "refitted": refitted @ times,
        "unreliable": too_large @ times,
        "log_evidence": np.array([log_marginal(m) for m in models]),
        "method": np.array([one.method for one in found]),
    }
    names = name_coord([models[i].name for i in order])
    result = xr.Dataset(
        {name: ("model", values[order]) for name, values in columns.items()}
        | {
            "unit_elpd": (("model", "unit"), each[order]),
            "unit_pareto_k": (("model", "unit"), k[order]),
            "cases": ("unit", times),
        },
        {"model": names, "unit": labels},
    )
    if by != "case":
        result = result.drop_vars("cases")
    tables = int((models[0].measured).sum()) if by == "table" else size
    return result.assign_attrs(by=by, units=size, verdict=_verdict(result, by, tables))


def _error(values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Standard error of a sum over units (model, unit), each of which stands for some alike."""
    size = times.sum()
    if size < 2:
        return np.full(len(values), np.nan)
    mean = values @ times / size
    return np.sqrt(size * ((values - mean[:, None]) ** 2 @ times) / (size - 1))


def _verdict(result: xr.Dataset, by: str, size: int) -> str:
    """What the comparison says, and what it cannot say."""
    left = count(size, NOUNS[by])
    names = result["model"].values.tolist()
    lines = []
    if len(names) == 1:
        lines.append(f"{names[0]} has an elpd of {float(result['elpd'][0]):.1f}, of {left} left out in turn.")
    behind, error = result["elpd_diff"].values, result["dse"].values
    apart = (behind > NATS) & (behind > ERRORS * error)
    for i in range(1, len(names)):
        what = f"{behind[i]:.1f} ± {error[i]:.1f}"
        if apart[i]:
            lines.append(f"{names[0]} predicts a {NOUNS[by]} left out better than {names[i]}, by {what} nats in all.")
        else:
            lines.append(
                f"{names[0]} and {names[i]} cannot be told apart by how they predict a {NOUNS[by]} left out: {what} "
                "nats in all."
            )
    if len(names) > 1 and size < FEW:
        lines.append(f"Only {left}: the errors of the differences are rough.")
    for name, bad in zip(names, result["unreliable"].values.tolist(), strict=True):
        if bad:
            lines.append(
                f"What is said of {name} is not to be relied on: Pareto k is too large for {bad} of the units, which "
                "only refits could mend."
            )
    return " ".join(lines)
