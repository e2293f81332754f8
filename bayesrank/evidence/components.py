"""Variance components of repeated runs: between cases, and between runs of a case."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import check_numbers
from bayesrank._core.errors import Advice, ArgumentError, Typed
from bayesrank._core.labels import factorize, name_coord
from bayesrank.evidence.alignment import align_cases
from bayesrank.evidence.patterns import check_cases, name_groups, numbers_of, without_columns

#: Ratios of standard errors for the advice: doubling the runs helps little below the first; above
#: the second it helps about as much as doubling the cases (the square root of 2).
LITTLE, MUCH = 1.1, 1.35


def variance_components(
    frame: pd.DataFrame, *, case: Any = None, run: Any = None, runs: Any = None, cluster: Any = None
) -> xr.Dataset:
    r"""Estimate how much outcomes vary between cases and between runs: are more cases or more runs needed?

    Let :math:`\bar y_i` be the mean and :math:`s_i^2` the variance of the :math:`r_i` runs of case
    :math:`i` of :math:`n`. The variance between runs is :math:`W = \frac1n \sum s_i^2`. The
    variance between the true means of cases is :math:`B = S^2 - \frac1n \sum s_i^2 / r_i`, where
    :math:`S^2` is the variance of the :math:`\bar y_i`. Both estimates are unbiased, even if the
    variance between runs differs between cases.

    Parameters
    ----------
    frame : pandas.DataFrame
        Outcomes, one column for each entity. Either one row for each run (pass ``case``), or one
        row for each case, with the share of right runs (pass ``runs``).
    case, run : sequence or str, optional
        The case and the run of each row, or the name of a column; repeated runs raise an error.
    runs : int, sequence, str or array (case, entity), optional
        Number of runs behind a share: for all cases, for each case (also a column), or for each
        entry. Then :math:`s_i^2 = \bar y_i (1 - \bar y_i) r_i / (r_i - 1)`.
    cluster : sequence or str, optional
        The cluster (question, patient) of each case, or a column. Standard errors are then those of
        a mean of clusters, and more cases means more clusters.

    Returns
    -------
    xarray.Dataset
        Over ``entity``: ``mean`` (of the cases' means); ``between_cases``, 0 if the estimate is
        negative (``truncated`` is True); ``between_runs``, averaged over cases with several runs;
        and standard errors of the mean: ``standard_error``, ``with_twice_the_cases``,
        ``with_twice_the_runs``. Units are those of the outcomes, squared for variances. NaN for an
        entity without a case of several runs. Attrs: ``cases``, ``fewest_runs``, ``most_runs``,
        ``clusters`` (if any) and ``advice``, a sentence.

    Raises
    ------
    ValueError, TypeError
        If no case has several runs, there are fewer than two cases or clusters, an outcome is
        missing or no number, a run occurs twice, or an entry is not a share of its runs.

    References
    ----------
    Searle, Casella, McCulloch (1992), Variance components, sections 3.1 to 3.6; of clusters Cochran
    (1977), Sampling techniques, section 9A.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"task": ["x", "x", "y", "y"], "agent": [4.0, 6.0, 9.0, 9.0]})
    >>> found = variance_components(frame, case="task")
    >>> found["between_runs"].item(), found["between_cases"].item(), found["standard_error"].item()
    (1.0, 7.5, 2.0)
    """
    outcomes, roles = without_columns(
        frame, {"case": case, "run": run, "runs": runs, "cluster": cluster}
    )
    roles = align_cases({"frame": outcomes, **roles})[0]
    values = _check_complete(outcomes)
    if case is None and runs is None:
        raise ArgumentError("case", "must be given, or runs if rows are shares of runs", "neither")
    if run is not None and runs is not None:
        raise ArgumentError("run", "cannot be used with runs=", "both run and runs")
    size = len(values)
    groups = name_groups(size, **{group: roles[group] for group in ("case", "run", "cluster")})
    names = groups.get("case", list(range(size)))
    clusters = groups.pop("cluster", names)
    if run is not None or runs is not None:
        check_cases(groups, np.ones(size, int))
    (which, _), (home, _) = factorize(names), factorize(clusters)
    if runs is None:
        cases = pd.DataFrame(values).groupby(which)
        mean, variance, times = (
            column.to_numpy() for column in (cases.mean(), cases.var(), cases.count())
        )
    else:
        mean, variance, times = _of_shares(values, roles["runs"])
    cluster_of = _clusters_of_cases(which, home, list(names))
    number = int(cluster_of.max()) + 1
    argument, unit = ("frame", "cases") if cluster is None else ("cluster", "clusters")
    _refuse_unknown_variance(argument, unit, number, times)
    components = _components(mean, variance, times, cluster_of)
    record = {"cases": len(mean), "fewest_runs": int(times.min()), "most_runs": int(times.max())}
    record |= {} if cluster is None else {"clusters": number}
    return xr.Dataset(
        {name: ("entity", held) for name, held in components.items()},
        {"entity": name_coord(list(outcomes.columns))},
        record | {"advice": _advice(components, cluster is not None)},
    )


def _check_complete(outcomes: pd.DataFrame) -> np.ndarray:
    """Return the outcomes (row, entity) as numbers; raise an error if one is missing."""
    values = numbers_of(outcomes)
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise ArgumentError(
            "frame",
            "must contain an outcome of every entity in every row",
            f"none in column {outcomes.columns[column]!r}, row {outcomes.index[row]}",
        )
    return values


def _clusters_of_cases(case: np.ndarray, cluster: np.ndarray, names: list) -> np.ndarray:
    """Return the cluster of each case from the codes of the rows; raise an error if a case has several."""
    cluster_of = np.zeros(case.max() + 1, int)
    cluster_of[case] = cluster
    if (cluster_of[case] != cluster).any():
        wrong = int(np.flatnonzero(cluster_of[case] != cluster)[0])
        raise ArgumentError(
            "cluster", "must be the same for all runs of a case", f"several for {names[wrong]!r}"
        )
    return cluster_of


def _refuse_unknown_variance(argument: str, unit: str, number: int, runs: np.ndarray) -> None:
    """Raise an error if there is one unit, or one run of each case: their variance is unknown."""
    if number < 2:
        requirement = f"must contain at least two {unit}; otherwise their variance is unknown"
        raise ArgumentError(argument, requirement, "1")
    if not (runs > 1).any():
        raise ArgumentError(
            "frame",
            "must contain a case with several runs; otherwise their variance is unknown",
            "one run of each",
        )


def _of_shares(values: np.ndarray, runs: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean, variance and number of runs (case, entity) from shares of right runs."""
    numbers = check_numbers("runs", runs)
    numbers = numbers[:, None] if numbers.ndim == 1 else numbers
    if numbers.shape not in ((), (len(values), 1), values.shape):
        raise ArgumentError(
            "runs",
            f"must be one number, one for each of the {len(values)} cases, or one for each entry",
        )
    numbers = np.broadcast_to(numbers, values.shape)
    good = np.isfinite(numbers) & (numbers >= 1) & (numbers == np.floor(numbers))
    if not good.all():
        raise ArgumentError("runs", "must be whole numbers, 1 or more", f"{numbers[~good][0]:g}")
    right = np.round(values * numbers)
    wrong = (values < 0) | (values > 1) | (np.abs(values * numbers - right) > 1e-6)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ArgumentError(
            "frame",
            "must contain the share of right runs of each case, a number of runs divided by all runs",
            f"{values[i, j]:g} of {numbers[i, j]:g} runs",
            Advice("rows that are runs, with ", Typed("case"), ", may hold any numbers"),
        )
    mean = right / numbers
    return (
        mean,
        np.where(numbers > 1, mean * (1 - mean) * numbers / np.maximum(numbers - 1, 1), np.nan),
        numbers,
    )


def _components(
    means: np.ndarray, variance: np.ndarray, runs: np.ndarray, cluster: np.ndarray
) -> dict[str, np.ndarray]:
    size = len(means)
    several = ~np.isnan(variance)
    with np.errstate(invalid="ignore"):  # an entity without a case of several runs
        within = np.where(several, variance, 0.0).sum(axis=0) / several.sum(axis=0)
    # Cases with a single run are assumed to vary like the others.
    noise = (np.where(several, variance, within) / runs).mean(axis=0)
    deviations = means - means.mean(axis=0)
    sums = pd.DataFrame(deviations).groupby(cluster).sum().to_numpy()
    number = len(sums)
    # With clusters of one case this is S² / n.
    square = number / (number - 1) * (sums**2).sum(axis=0) / size**2
    between = (deviations**2).mean(axis=0) + square - noise
    # The variance of runs is a lower bound, which the estimate can miss by chance.
    least = np.fmax(square, noise / size)
    return {
        "mean": means.mean(axis=0),
        "between_cases": np.maximum(between, 0.0),
        "between_runs": within,
        "truncated": between < 0,
        "standard_error": np.sqrt(least),
        "with_twice_the_cases": np.sqrt(least / 2),
        "with_twice_the_runs": np.sqrt(least - noise / size / 2),
    }


def _advice(components: dict[str, np.ndarray], clustered: bool) -> str:
    """Return a sentence on the effect of twice the cases and twice the runs on the standard errors."""
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = components["standard_error"] / components["with_twice_the_runs"]
    factor = factor[np.isfinite(factor)]
    if not factor.size:
        return "All cases have equal outcomes, so the effects of more runs and of more cases cannot be separated."
    low, high = factor.min(), factor.max()
    first = "More cases help more than more runs"
    if high < LITTLE:
        first = "More cases, not more runs"
    elif low > MUCH:
        first = "More runs help about as much as more cases"
    by = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
    cases = "cases, in as many more clusters," if clustered else "cases"
    return f"{first}: twice the {cases} would divide the standard error by 1.41, twice the runs by about {by}."
