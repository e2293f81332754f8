"""Prior-data conflict: whether what was observed is far out in what the prior predicted, in closed form.

In the conjugate models of tables the number of right answers to the cases of a class is beta-binomial before any data,
and so is a class size where the cases were drawn at random. How far out in these distributions the data lie needs no
draws. Tails are told, not densities: a prior with two peaks, at always right and always wrong, is not contradicted by
what lies between them.
"""

from typing import Any

import numpy as np
import xarray as xr
from scipy.signal import fftconvolve

from bayesrank._checks import credibility
from bayesrank.models import conjugate
from bayesrank.predictive._marginal import beta_binomial

__all__ = ["prior_conflict"]

#: Masses below this are what rounding leaves of a sum of distributions.
ROUNDING = 1e-15


def prior_conflict(
    counts: xr.DataArray, model: Any = "dirichlet_multinomial", *, level: float = 0.01, **options: Any
) -> xr.Dataset:
    """Whether the data contradict the prior: prior predictive checks in closed form.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts (entity, [dataset], actual, predicted).
    model : str or class
        As for :func:`bayesrank.fit`; one whose posterior is known in closed form.
    level : float
        The probability of any alarm at all, over all entities and checks, if the prior is right.
    **options
        The model's own, as for :func:`bayesrank.fit`: ``prior``, ``prevalence``, ...

    Returns
    -------
    xarray.Dataset
        Over (``entity``, [``dataset``], ``check``). The checks are the right answers to the cases of each class, of
        all classes together, given the class sizes, and, where prevalences are sampled, the size of each class:

        - ``observed``: the share that was observed; ``expected``: its mean before any data;
        - ``tail``: twice the smaller prior predictive probability of as much or less, and of as much or more, at most
          1; NaN where there are no cases, or the prior is improper;
        - ``conflict``: whether the tail is at most ``level`` divided by the number of checks that could be made
          (Bonferroni), which is ``attrs["bound"]``.

        ``notes`` tells conflicts in words, one a line, the worst first.

    Raises
    ------
    TypeError, ValueError, KeyError
        As :func:`bayesrank.fit`; or if ``level`` is not strictly between 0 and 1.

    References
    ----------
    Box (1980), Sampling and Bayes' inference in scientific modelling and robustness, J. R. Stat. Soc. A 143:383-430;
    Evans and Moshonov (2006), Checking for prior-data conflict, Bayesian Analysis 1:893-914.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[58, 91], fp=[42, 9], fn=[41, 8], tp=[59, 92], entity=["a", "b"])
    >>> sure = [[90, 10], [10, 90]]  # a prior worth two hundred cases, nine in ten right
    >>> found = prior_conflict(counts, "beta_binomial", prior=sure)
    >>> found["conflict"].any("check").values.tolist()
    [True, False]
    >>> bool(prior_conflict(counts, "beta_binomial")["conflict"].any())
    False
    """
    level = credibility("level", level)
    known = conjugate(model, counts, options)
    table = (known.posterior - known.prior).transpose(*known.prior.dims)
    shape = known.prior.shape[:-2]
    labels = known.prior["actual"].values.tolist()
    sizes = known.totals is None
    rows = {
        position: _checks(np.rint(table.values[position]).astype(int), known.prior.values[position], sizes)
        for position in np.ndindex(*shape)
        if known.test_set.values[position] != ""
    }
    names = [*(f"right of {label}" for label in labels), "right of all"]
    # Of two classes the size of one is that of the other.
    names += [f"cases of {label}" for label in (labels[1:] if len(labels) == 2 else labels)] if sizes else []
    values = np.full((*shape, len(names), 3), np.nan)
    for position, found in rows.items():
        values[position] = found
    cells = [dim for dim in known.prior.dims if dim not in ("actual", "predicted")]
    coords = {dim: known.prior[dim].values for dim in cells} | {"check": names}
    result = xr.Dataset(
        {name: ((*cells, "check"), values[..., i]) for i, name in enumerate(("observed", "expected", "tail"))}, coords
    )
    bound = level / max(int(result["tail"].notnull().sum()), 1)
    result["conflict"] = result["tail"] <= bound
    return result.assign(notes=_notes(result, cells)).assign_attrs(level=level, bound=bound)


def _checks(table: np.ndarray, alpha: np.ndarray, sizes: bool) -> np.ndarray:
    """Observed and expected share and the tail of every check of one table (check, 3)."""
    cases, weights = table.sum(-1), alpha.sum(-1)
    right, right_weight = np.diagonal(table), np.diagonal(alpha)
    found = [_one(*x) for x in zip(right, cases, right_weight, weights, strict=True)]
    proper = all(min(a, w - a) > 0 for a, w, n in zip(right_weight, weights, cases, strict=True) if n)
    total = np.ones(1)
    expected = 0.0
    for n, a, w in zip(cases.tolist(), right_weight, weights, strict=True):
        if proper and n:
            masses = beta_binomial(n, a, w - a)
            total = fftconvolve(total, masses) if len(total) > 1 else masses
            expected += n * a / w
    number = int(cases.sum())
    if proper and number:
        found.append((right.sum() / number, expected / number, _tail(total, int(right.sum()))))
    else:
        found.append((np.nan,) * 3)
    if sizes:
        each = [_one(n, number, w, weights.sum()) for n, w in zip(cases, weights, strict=True)]
        found += each[1:] if len(each) == 2 else each
    return np.array(found)


def _one(seen: int, number: int, weight: float, whole: float) -> tuple[float, float, float]:
    """Of a beta-binomial count; undefined without cases, and of a prior that has no distribution."""
    if not number or min(weight, whole - weight) <= 0:
        return (np.nan,) * 3
    masses = beta_binomial(int(number), float(weight), float(whole - weight))
    return float(seen / number), float(weight / whole), _tail(masses, int(seen))


def _tail(masses: np.ndarray, seen: int) -> float:
    """Twice the smaller tail, what was seen included."""
    masses = np.where(masses > ROUNDING, masses, 0.0)
    return float(min(1.0, 2 * min(masses[: seen + 1].sum(), masses[seen:].sum())))


def _notes(result: xr.Dataset, cells: list) -> str:
    """The worst conflict of each check, in words."""
    lines = []
    tails = result["tail"].where(result["conflict"]).transpose("check", *cells)
    for i in np.argsort(tails.fillna(2.0).min(cells).values, kind="stable"):
        one = tails.isel(check=int(i))
        if not bool(one.notnull().any()):
            break
        at = np.unravel_index(np.nanargmin(one.values), one.shape)
        who = " on ".join(str(result[dim].values[k]) for dim, k in zip(cells, at, strict=True))
        here = result.isel({"check": int(i)} | dict(zip(cells, map(int, at), strict=True)))
        many = int(one.notnull().sum())
        more = f" It is so of {many}." if many > 1 else ""
        lines.append(
            f"The prior contradicts the data: it expects {float(here['expected']):.3g} "
            f"{_what(str(here['check'].item()))}, and {who} has {float(here['observed']):.3g}, as far out with prior "
            f"probability {_small(float(here['tail']))}.{more}"
        )
    return "\n".join(lines)


def _what(check: str) -> str:
    kind, _, label = check.partition(" of ")
    of = "all cases" if check == "right of all" else f"the cases of class {label!r}"
    return f"of {of} right" if kind == "right" else f"of the cases in class {label!r}"


def _small(p: float) -> str:
    return f"{p:.1g}" if p >= 1e-10 else "below 1e-10"
