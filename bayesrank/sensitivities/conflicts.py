"""Prior-data conflict: whether the data are extreme under the prior predictive distribution, in closed form.

Tails, not densities, are checked, so that a prior with two peaks is not contradicted by values
between them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import betainc

from bayesrank._core.checks import check_prob, rename_argument
from bayesrank._core.notes import Note, notes_text
from bayesrank.models import conjugate_posterior
from bayesrank.predictive.confusion import beta_binomial

#: Up to this many cases, sums over classes are convolved count by count. For more cases, this many
#: bins of the share are convolved. This changes tail probabilities by less than 1% of their value
#: or 1e-4.
EXACT, BINS = 2**17, 2**13
#: Settings of the trapezoidal rule.
NODES = 4001
#: Masses below this are rounding errors of a convolution.
ROUNDING = 1e-15
#: A prior that moves the posterior by fewer standard deviations does no harm.
PULL = 2.0
RESULTS = ("observed", "expected", "tail_probability", "pull")


def prior_conflict(
    counts: xr.DataArray, model: Any = None, *, level: float = 0.01, **options: Any
) -> xr.Dataset:
    """Check whether the data contradict the prior, by prior predictive checks: see ``br.sensitivity``.

    The checks are over (``entity``, [``dataset``], ``check``). ``attrs["bound"]`` is ``level``, the
    probability of any alarm if the prior is right, divided by the number of checks. ``notes`` holds
    the conflicts, the worst first.
    """
    level = check_prob("level", level)
    with rename_argument("counts", "evidence"):
        closed_form = conjugate_posterior(model, counts, options)
    table = (closed_form.posterior - closed_form.prior).transpose(*closed_form.prior.dims)
    cells = list(map(str, closed_form.test_set.dims))
    sizes = closed_form.totals is None
    if "outcome" in closed_form.prior.dims:
        outcomes = closed_form.prior["outcome"].values.tolist()
        parts: list[tuple[str, str | None]] = [
            ("outcome", str(label)) for label in _without_redundant(outcomes)
        ]
    else:
        labels = closed_form.prior["actual"].values.tolist()
        parts = [*(("right", str(label)) for label in labels), ("right", None)]
        parts += [("cases", str(label)) for label in _without_redundant(labels)] if sizes else []
    names = [_name_check(*part) for part in parts]
    values = np.full((*closed_form.test_set.shape, len(names), len(RESULTS)), np.nan)
    for position in zip(*np.nonzero(closed_form.test_set.values != ""), strict=True):
        values[position] = _checks(
            np.rint(table.values[position]).astype(int), closed_form.prior.values[position], sizes
        )
    coords = {dim: closed_form.prior[dim].values for dim in cells} | {"check": names}
    result = xr.Dataset(
        {name: ((*cells, "check"), values[..., i]) for i, name in enumerate(RESULTS)}, coords
    )
    bound = level / max(int(result["tail_probability"].notnull().sum()), 1)
    result["conflict"] = (result["tail_probability"] <= bound) & (np.abs(result["pull"]) > PULL)
    return result.assign(notes=notes_text(_conflicts(result, cells, parts))).assign_attrs(
        level=level, bound=bound
    )


def _name_check(part: str, label: str | None) -> str:
    """Return the name of the check of a part: "outcome 1", "right of a", "right of all", "cases of a"."""
    return (
        f"outcome {label}"
        if part == "outcome"
        else f"{part} of {'all' if label is None else label}"
    )


def _checks(table: np.ndarray, alpha: np.ndarray, sizes: bool) -> list:
    """Return observed and expected share, tail and pull of every check of one table or row of outcomes (check, 4)."""
    cases, weights, result = table, alpha, []
    if table.ndim > 1:
        cases, weights = table.sum(-1), alpha.sum(-1)
        class_rows = list(
            zip(
                *(x.tolist() for x in (np.diagonal(table), cases, np.diagonal(alpha), weights)),
                strict=True,
            )
        )
        result = [_check_sum([x]) for x in class_rows] + [_check_sum(class_rows)]
    if sizes or table.ndim == 1:
        rows = zip(cases.tolist(), weights.tolist(), strict=True)
        of_all = [(n, int(cases.sum()), w, float(weights.sum())) for n, w in rows]
        result += [_check_sum([x]) for x in _without_redundant(of_all)]
    return result


def _without_redundant(each: list) -> list:
    """Drop the second of two classes or outcomes, since the first determines it."""
    return each[1:] if len(each) == 2 else each


def _check_sum(rows: list[tuple[int, int, float, float]]) -> tuple[float, ...]:
    """Return the check of a sum of beta-binomial counts: number, cases, concentration, and that of all answers.

    NaN without cases or with an improper prior.
    """
    rows = [row for row in rows if row[1]]
    if not rows or any(min(weight, full - weight) <= 0 for _, _, weight, full in rows):
        return (np.nan,) * 4
    k, n, a, w = np.array(rows, float).T
    rate = (a + k) / (w + n)
    successes, number = sum(row[0] for row in rows), sum(row[1] for row in rows)
    pull = ((n * rate).sum() - successes) / np.sqrt((n**2 * rate * (1 - rate) / (w + n + 1)).sum())
    return successes / number, (n * a / w).sum() / number, _tail(rows, successes, number), pull


def _tail(rows: list[tuple[int, int, float, float]], observed: int, number: int) -> float:
    """Return twice the smaller tail probability, including the observed value."""
    from scipy.signal import fftconvolve

    if len(rows) == 1:
        [(_, n, a, w)] = rows
        return min(1.0, 2 * min(beta_binomial_tails(observed, n, a, w - a)))
    width = -(-number // BINS) if number > EXACT else 1
    masses = np.ones(1)
    for _, n, a, w in rows:
        bin_masses = beta_binomial(n, a, w - a) if width == 1 else _bin_masses(n, a, w - a, width)
        masses = fftconvolve(masses, bin_masses) if len(masses) > 1 else bin_masses
    masses = np.where(masses > ROUNDING, masses, 0.0)
    # Each bin represents its middle, so the sum is about this many bins from the start.
    at = (
        observed
        if width == 1
        else int(np.clip(round(observed / width - len(rows) / 2), 0, len(masses) - 1))
    )
    return float(min(1.0, 2 * min(masses[: at + 1].sum(), masses[at:].sum())))


def beta_binomial_tails(observed: int, size: int, alpha: float, beta: float) -> tuple[float, float]:
    """Return P(K <= seen) and P(K >= seen) of a beta-binomial count, in constant time.

    For a rate R ~ Beta(alpha, beta) and X ~ Beta(k + 1, size - k), P(K <= k | R) = P(X > R). So P(K
    <= k) is the mean of the distribution function of R over X, which the trapezoidal rule gives
    over the logit of X to ten digits.
    """
    low = (
        1.0
        if observed == size
        else _mean_over(lambda x, y: betainc(alpha, beta, x), observed + 1, size - observed)
    )
    high = (
        1.0
        if observed == 0
        else _mean_over(lambda x, y: betainc(beta, alpha, y), observed, size - observed + 1)
    )
    return low, high


def _mean_over(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], right: float, wrong: float
) -> float:
    """Return the mean of a function of x and 1 - x over x ~ Beta(right, wrong)."""
    middle, spread = np.log(right / wrong), np.sqrt(1 / right + 1 / wrong)
    z = np.linspace(middle - 12 * spread - 40 / right, middle + 12 * spread + 40 / wrong, NODES)
    log_x, log_y = -np.logaddexp(0.0, -z), -np.logaddexp(0.0, z)
    # Relative to the mode, so that large exponents multiply small differences.
    at_mode = -np.logaddexp(0.0, -middle), -np.logaddexp(0.0, middle)
    weight = np.exp(right * (log_x - at_mode[0]) + wrong * (log_y - at_mode[1]))
    return float((weight * function(np.exp(log_x), np.exp(log_y))).sum() / weight.sum())


def _bin_masses(size: int, alpha: float, beta: float, width: int) -> np.ndarray:
    """Return the bin masses of the share of a beta-binomial count, which has nearly the distribution of the rate."""
    edges = np.minimum(np.arange(width, size + width, width), size)
    # A Beta with the mean and the variance of the share, which has 1 / size more variance than the
    # rate.
    factor = (size * (alpha + beta + 1) / (alpha + beta + size) - 1) / (alpha + beta)
    below = betainc(alpha * factor, beta * factor, edges / size)
    return np.diff(below, prepend=0.0)


def _conflicts(result: xr.Dataset, cells: list, parts: list[tuple[str, str | None]]) -> list[Note]:
    """Return a note on the worst conflict of each check; ``parts`` are the parts of the tables that are checked."""
    notes = []
    tails = result["tail_probability"].where(result["conflict"]).transpose("check", *cells)
    for i in np.argsort(tails.fillna(2.0).min(cells).values, kind="stable"):
        tail = tails.isel(check=int(i))
        if not bool(tail.notnull().any()):
            break
        at = np.unravel_index(np.nanargmin(tail.values), tail.shape)
        cell = result.isel({"check": int(i)} | dict(zip(cells, map(int, at), strict=True)))
        part, label = parts[int(i)]
        numbers = {"expected": float(cell["expected"]), "observed": float(cell["observed"])}
        numbers |= {"tail": float(cell["tail_probability"]), "tables": int(tail.notnull().sum())}
        table = " on ".join(str(result[dim].values[k]) for dim, k in zip(cells, at, strict=True))
        notes.append(
            Note("prior_contradicted", {"part": part, "label": label, "table": table, **numbers})
        )
    return notes
