"""Variance components of repeated runs: between cases, and between runs of a case."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_item_names, check_numbers
from bayesrank._labels import name_coord
from bayesrank.evidence._patterns import check_cases, numbers_of, without_columns

__all__ = ["variance_components"]

#: Ratios of standard errors for the advice: doubling the runs helps little below the first; above the second it helps
#: about as much as doubling the cases (the square root of 2).
LITTLE, MUCH = 1.1, 1.35


def variance_components(
    frame: pd.DataFrame, *, case: Any = None, run: Any = None, runs: Any = None, cluster: Any = None
) -> xr.Dataset:
    r"""Estimate how much outcomes vary between cases and between runs: are more cases or more runs needed?

    With :math:`\bar y_i` the mean and :math:`s_i^2` the variance of the :math:`r_i` runs of case :math:`i` of
    :math:`n`, the variance between runs is :math:`W = \frac1n \sum s_i^2`. The variance of the cases' true means is
    :math:`B = S^2 - \frac1n \sum s_i^2 / r_i`, where :math:`S^2` is the variance of the :math:`\bar y_i`. Both are
    unbiased, even if the variance between runs differs between cases. For equal :math:`r_i` they are those of a one-way
    analysis of variance, :math:`W = MS_w` and :math:`B = (MS_b - MS_w) / r`.

    Parameters
    ----------
    frame : pandas.DataFrame
        Outcomes, one column for each entity: one row for each run, with ``case``; or one row for each case with the
        share of right runs, with ``runs``.
    case : sequence or str, optional
        The case of each row, or a column.
    run : sequence or str, optional
        The run of each row, or a column; repeated runs raise an error.
    runs : int, sequence, str or array (case, entity), optional
        Number of runs behind a share: for all cases, for each case (also a column), or for each entry. Then
        :math:`s_i^2 = \bar y_i (1 - \bar y_i) r_i / (r_i - 1)`.
    cluster : sequence or str, optional
        The cluster (question, patient) of each case, or a column, if cases of a cluster resemble each other. Standard
        errors are then those of a mean of clusters, and more cases means more clusters.

    Returns
    -------
    xarray.Dataset
        Over ``entity``: ``mean`` (of the cases' means); ``between_cases``, 0 if the estimate is negative (``truncated``
        is True); ``between_runs``, averaged over cases with several runs; and standard errors of the mean:
        ``standard_error``, ``with_twice_the_cases``, ``with_twice_the_runs``. Units are those of the outcomes, squared
        for variances. NaN if no case has several runs. Attrs: ``cases``, ``fewest_runs``, ``most_runs``, ``clusters``
        (if any) and ``advice``, a sentence.

    Raises
    ------
    ValueError
        If no case has several runs, there are fewer than two cases or clusters, an outcome is missing, a run occurs
        twice, or an entry is not a share of its runs.
    TypeError
        If ``frame`` is not a DataFrame, or a column is not numeric.

    References
    ----------
    Searle, Casella, McCulloch (1992), Variance components, sections 3.1 to 3.6; of clusters Cochran (1977), Sampling
    techniques, section 9A.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"task": ["x", "x", "y", "y"], "agent": [4.0, 6.0, 9.0, 9.0]})
    >>> found = variance_components(frame, case="task")
    >>> found["between_runs"].item(), found["between_cases"].item(), found["standard_error"].item()
    (1.0, 7.5, 2.0)
    """
    outcomes, given = without_columns(frame, {"case": case, "run": run, "runs": runs, "cluster": cluster})
    values = numbers_of(outcomes)
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise ValueError(
            f"frame must hold an outcome of every entity in every row; got none in column "
            f"{outcomes.columns[column]!r}, row {outcomes.index[row]}"
        )
    if case is None and runs is None:
        raise ValueError("case must be given, or runs where rows are shares of runs; got neither")
    if run is not None and (case is None or runs is not None):
        raise ValueError("run must be None unless rows are runs of a case; got it without case, or beside runs")
    size = len(values)
    names = check_item_names("case", given["case"], size) if case is not None else list(range(size))
    clusters = check_item_names("cluster", given["cluster"], size) if cluster is not None else names
    if runs is None:
        if run is not None:
            check_cases(names, np.ones(size, int), None, check_item_names("run", given["run"], size))
        cases = _of_rows(values, names)
    else:
        if case is not None:
            check_cases(names, np.ones(size, int), None)
        cases = _of_shares(values, given["runs"])
    which, home = _codes(names), _codes(clusters)
    cluster_of = np.zeros(len(cases.mean), int)
    cluster_of[which] = home
    if (cluster_of[which] != home).any():
        wrong = int(np.flatnonzero(cluster_of[which] != home)[0])
        raise ValueError(f"cluster must be the same for all runs of a case; got several for {names[wrong]!r}")
    number = int(cluster_of.max()) + 1
    if number < 2:
        what = "cluster must name two clusters" if cluster is not None else "frame must hold two cases"
        raise ValueError(f"{what} at least, or nothing is known of their variance; got 1")
    if not (cases.runs > 1).any():
        raise ValueError(
            "frame must hold a case with several runs, or their variance is not known; got one run of each"
        )
    found = _components(cases, cluster_of)
    about = {"cases": len(cases.mean), "fewest_runs": int(cases.runs.min()), "most_runs": int(cases.runs.max())}
    about |= {} if cluster is None else {"clusters": number}
    return xr.Dataset(
        {name: ("entity", held) for name, held in found.items()},
        {"entity": name_coord(list(outcomes.columns))},
        about | {"advice": _advice(found, cluster is not None)},
    )


class _Cases(NamedTuple):
    """Mean, variance and number of runs of each case and entity."""

    mean: np.ndarray  # (case, entity)
    variance: np.ndarray  # (case, entity), NaN for a single run
    runs: np.ndarray  # (case, entity)


def _of_rows(values: np.ndarray, names: list) -> _Cases:
    """Return cases from rows that are runs."""
    which = _codes(names)
    runs = np.bincount(which)[:, None].astype(float)
    order = np.lexsort(np.vstack([values.T, which]))  # makes sums independent of the order of the rows
    which, values = which[order], values[order]

    def sums(of: np.ndarray) -> np.ndarray:
        return np.column_stack([np.bincount(which, column) for column in of.T])

    mean = sums(values) / runs
    squares = sums((values - mean[which]) ** 2)
    return _Cases(
        mean, np.where(runs > 1, squares / np.maximum(runs - 1, 1), np.nan), np.broadcast_to(runs, mean.shape)
    )


def _of_shares(values: np.ndarray, runs: Any) -> _Cases:
    """Return cases from shares of right runs."""
    each = check_numbers("runs", runs)
    each = each[:, None] if each.ndim == 1 else each
    if each.shape not in ((), (len(values), 1), values.shape):
        raise ValueError(f"runs must be one number, one for each of the {len(values)} cases, or one for each entry")
    each = np.broadcast_to(each, values.shape)
    good = np.isfinite(each) & (each >= 1) & (each == np.floor(each))
    if not good.all():
        raise ValueError(f"runs must be whole numbers, 1 or more; got {each[~good][0]:g}")
    right = values * each
    wrong = (values < 0) | (values > 1) | (np.abs(right - np.round(right)) > 1e-6)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"frame must hold shares of its runs, since each was right or wrong; got {values[i, j]:g} of "
            f"{each[i, j]:g} runs (rows that are runs, with case=, may hold any numbers)"
        )
    mean = np.round(right) / each
    return _Cases(mean, np.where(each > 1, mean * (1 - mean) * each / np.maximum(each - 1, 1), np.nan), each)


def _codes(names: list) -> np.ndarray:
    return pd.factorize(np.asarray(names, dtype=object))[0]


def _components(cases: _Cases, cluster: np.ndarray) -> dict[str, np.ndarray]:
    """Return all estimates for each entity."""
    size = len(cases.mean)
    several = ~np.isnan(cases.variance)
    with np.errstate(invalid="ignore"):  # an entity without a case of several runs
        within = np.where(several, cases.variance, 0.0).sum(axis=0) / several.sum(axis=0)
    # Cases with a single run are assumed to vary like the others.
    noise = (np.where(several, cases.variance, within) / cases.runs).mean(axis=0)
    mean = cases.mean.mean(axis=0)
    apart = cases.mean - mean
    sums = np.column_stack([np.bincount(cluster, column) for column in apart.T])
    number = len(sums)
    # With clusters of one case this is S² / n.
    square = number / (number - 1) * (sums**2).sum(axis=0) / size**2
    between = (apart**2).mean(axis=0) + square - noise
    # The variance of runs is a lower bound, which the estimate can miss by chance.
    least = np.fmax(square, noise / size)
    return {
        "mean": mean,
        "between_cases": np.maximum(between, 0.0),
        "between_runs": within,
        "truncated": between < 0,
        "standard_error": np.sqrt(least),
        "with_twice_the_cases": np.sqrt(least / 2),
        "with_twice_the_runs": np.sqrt(least - noise / size / 2),
    }


def _advice(found: dict[str, np.ndarray], clustered: bool) -> str:
    """Return a sentence on the effect of twice the cases and twice the runs on the standard errors."""
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = found["standard_error"] / found["with_twice_the_runs"]
    factor = factor[np.isfinite(factor)]
    if not factor.size:
        return "All cases have equal outcomes, so the effects of more runs and of more cases cannot be separated."
    low, high = factor.min(), factor.max()
    first = (
        "More cases, not more runs"
        if high < LITTLE
        else "More runs help about as much as more cases"
        if low > MUCH
        else "More cases help more than more runs"
    )
    by = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
    cases = "cases, in as many more clusters," if clustered else "cases"
    return f"{first}: twice the {cases} would divide the standard error by 1.41, twice the runs by about {by}."
