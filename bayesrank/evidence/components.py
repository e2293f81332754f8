"""What repeated runs tell: how much of an uncertain mean lies between cases, and how much between runs of a case."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_item_names, check_numbers
from bayesrank._labels import name_coord
from bayesrank.evidence._patterns import check_cases, numbers_of, without_columns

__all__ = ["variance_components"]

#: Twice the runs are worth little if they divide the standard error by less, and as much as twice the cases, which
#: divide it by the square root of 2, if by more.
LITTLE, MUCH = 1.1, 1.35


def variance_components(
    frame: pd.DataFrame, *, case: Any = None, run: Any = None, runs: Any = None, cluster: Any = None
) -> xr.Dataset:
    r"""More runs or more cases? How much the outcomes of each entity vary between cases and between runs of a case.

    With :math:`\bar y_i` the mean of the :math:`r_i` runs of case :math:`i` of :math:`n`, and :math:`s_i^2` their
    variance, the variance of runs is :math:`W = \frac1n \sum s_i^2`, and that of the cases' true means is
    :math:`B = S^2 - \frac1n \sum s_i^2 / r_i`, where :math:`S^2` is the variance of the :math:`\bar y_i`: both without
    bias, whether or not runs vary alike on all cases. For equal :math:`r_i` these are the mean squares of a one-way
    analysis of variance, :math:`W = MS_w` and :math:`B = (MS_b - MS_w) / r`.

    Parameters
    ----------
    frame : pandas.DataFrame
        One column an entity, the outcome as value. One row a run, with ``case`` to tell whose; or one row a case,
        with ``runs`` and the share of them that were right.
    case : sequence or str, optional
        The name of each row's case, or the column that holds it.
    run : sequence or str, optional
        Which run of its case a row is, or the column that says so, so that none counts twice.
    runs : int, sequence, str or array (case, entity), optional
        How many runs, each right or wrong, an entry is the share of: for all, for each case, a column that says so, or
        for each entry. Then :math:`s_i^2 = \bar y_i (1 - \bar y_i) r_i / (r_i - 1)`.
    cluster : sequence or str, optional
        What each case belongs to (a question, a patient), where cases of one cluster resemble each other, or the
        column that says so. Standard errors are then those of a mean of clusters, and more cases are more clusters.

    Returns
    -------
    xarray.Dataset
        Over ``entity``: ``mean`` (of the cases' means); ``between_cases``, set to 0 where the estimate is negative,
        which ``truncated`` (bool) tells; ``between_runs``, on average over cases with several runs; and the standard
        errors of the mean, as a sample of cases: ``standard_error`` as it stands, ``with_twice_the_cases`` and
        ``with_twice_the_runs``. Units are those of the outcomes, squared for variances. Undefined (NaN) without a case
        of several runs. Attrs: ``cases``, ``fewest_runs``, ``most_runs``, ``clusters`` where there are some, and
        ``advice``, one sentence.

    Raises
    ------
    ValueError
        If no case has several runs, there are less than two cases or clusters, an outcome is missing, a run occurs
        twice, or an entry is no share of its runs.
    TypeError
        If ``frame`` is no DataFrame, or a column does not hold numbers.

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
    """The runs of each case, of each entity."""

    mean: np.ndarray  # (case, entity)
    variance: np.ndarray  # (case, entity), NaN of a single run
    runs: np.ndarray  # (case, entity)


def _of_rows(values: np.ndarray, names: list) -> _Cases:
    """Cases from rows that are runs."""
    which = _codes(names)
    runs = np.bincount(which)[:, None].astype(float)
    order = np.lexsort(np.vstack([values.T, which]))  # sums do not depend on the order of the rows
    which, values = which[order], values[order]

    def sums(of: np.ndarray) -> np.ndarray:
        return np.column_stack([np.bincount(which, column) for column in of.T])

    mean = sums(values) / runs
    squares = sums((values - mean[which]) ** 2)
    return _Cases(
        mean, np.where(runs > 1, squares / np.maximum(runs - 1, 1), np.nan), np.broadcast_to(runs, mean.shape)
    )


def _of_shares(values: np.ndarray, runs: Any) -> _Cases:
    """Cases from shares of runs that were right."""
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
    """All that is told of each entity."""
    size = len(cases.mean)
    several = ~np.isnan(cases.variance)
    with np.errstate(invalid="ignore"):  # an entity without a case of several runs
        within = np.where(several, cases.variance, 0.0).sum(axis=0) / several.sum(axis=0)
    # Cases of a single run are taken to vary as the others do.
    noise = (np.where(several, cases.variance, within) / cases.runs).mean(axis=0)
    mean = cases.mean.mean(axis=0)
    apart = cases.mean - mean
    sums = np.column_stack([np.bincount(cluster, column) for column in apart.T])
    number = len(sums)
    # Of clusters of one this is S² / n.
    square = number / (number - 1) * (sums**2).sum(axis=0) / size**2
    between = (apart**2).mean(axis=0) + square - noise
    # Runs alone leave so much uncertain: less was observed by chance.
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
    """One sentence: what twice the cases, and twice the runs, would do to the standard errors."""
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = found["standard_error"] / found["with_twice_the_runs"]
    factor = factor[np.isfinite(factor)]
    if not factor.size:
        return "All cases came out alike in all runs, so that more runs cannot be told from more cases."
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
