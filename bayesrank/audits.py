"""May this score rank? The axioms of performance-based ranking put to any two-class score.

``bayesrank.audit`` takes a score as a raw function, higher counted as better, and looks for performances that show it
unfit: one that is surely no more satisfying and yet scores higher (axiom 2), a mixture of two that scores higher than
both (axiom 3, upper), or lower than both (axiom 3, lower). It also looks for the ranking scores that agree with it
most and least, by Kendall's tau. ``python -m bayesrank.audits`` prints the audit of 27 common scores.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import one_prevalence
from bayesrank.scores.names import as_score
from bayesrank.scores.placement import canonical_values, place, places
from bayesrank.scores.score import Score

__all__ = ["TABLE_1", "audit", "audit_table"]

TESTS = ("axiom_2", "axiom_3_upper", "axiom_3_lower")
ROLES = ("first", "second", "mixture")
ROUNDING = 1e-9
# Steps of the lattices searched for counterexamples, coarse first: what a person checks should have few digits.
STEPS = {False: (2, 4, 8, 16), True: (2, 4, 10, 20, 40)}
# The performances that Foundations, Section 5.2 correlates over: 6,545 and 6,561 points.
SIMPLEX_STEPS, ROC_STEPS = 32, 80
# Nineteenths, then thirds of thirds: such points are never the halves and fifths where lattices tie by accident.
GRID, ZOOMS = 20, 5


TABLE_1: tuple[str, ...] = (
    "accuracy",
    "f0_5",
    "f1",
    "f2",
    "npv",
    "ppv",
    "tnr",
    "tpr",
    "balanced_accuracy",
    "cohen_kappa",
    "informedness",
    "positive_likelihood_ratio",
    "true_negative_probability",
    "true_positive_probability",
    "chance_agreement",
    "error_rate",
    "false_discovery_rate",
    "fnr",
    "false_omission_rate",
    "fpr",
    "g_mean",
    "markedness",
    "mcc",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
    "positive_prediction_rate",
    "d_prime",
)


def audit(score: Any, prevalence: float | None = None) -> xr.Dataset:
    """Whether a score may rank, and by what preferences: one row of a table of scores.

    The raw function is taken, higher counted as better, whatever the score's direction; where it is infinite or NaN
    it is undefined. What lies outside the domain is comparable with nothing (Foundations, Theorem 1), so that no axiom
    can fail there; a function that gives 0/0 a number is judged by that number: a precision that takes it for 0 ranks
    the faultless performance without a positive call below all others, against axiom 2.

    A failure is proved by the performances shown. Passing means that no counterexample was found among the pairs of a
    lattice (470,000, or 1,400,000 at a fixed prevalence), which has performances with every set of cells empty; it is
    a theorem only where ``place`` knows the score.

    Parameters
    ----------
    score : Score, str or callable
    prevalence : float, optional
        Audit the score for performances of that prevalence only.

    Returns
    -------
    xarray.Dataset
        ``axiom_2``, ``axiom_3_upper``, ``axiom_3_lower``: whether each held. ``counterexample`` (``test``, ``role``,
        ``actual``, ``predicted``) and ``counterexample_value`` (``test``, ``role``): for axiom 2 a ``first``
        performance that is surely no more satisfying than the ``second`` but scores higher; for axiom 3 two
        performances and their even mixture; NaN where the test held.
        ``tau_min``, ``tau_max``: the lowest and highest Kendall's tau-b with a canonical ranking score, at the
        places ``tau_min_a``, ``tau_min_b``, ``tau_max_a``, ``tau_max_b`` of the Tile, over a lattice of 6,545
        performances (6,561 at a fixed prevalence). ``tau_min_tied``, ``tau_max_tied``: the same at the places
        where orders of known scores lie, such as (½, ½). There the lattice ties by accident, and tau-b is apart
        from its value nearby by up to 0.015. tau is 0 for a score that is constant, where tau-b is 0/0.
        Performances outside either domain are left out. ``verdict``: in words; where the score orders as a ranking
        score, it says whether their domains differ.

    Raises
    ------
    ValueError
        If the prevalence is not strictly between 0 and 1, or the score is defined nowhere.

    References
    ----------
    Piérard et al., Foundations of the theory of performance-based ranking, Sections 4.1 and 5.2, Table 1.

    Examples
    --------
    >>> row = audit("balanced_accuracy")
    >>> row["axiom_2"].item(), row["axiom_3_upper"].item(), round(row["tau_min"].item(), 3)
    (True, False, 0.486)
    >>> audit("balanced_accuracy", prevalence=0.2)["tau_max"].item()
    1.0
    """
    prevalence = None if prevalence is None else one_prevalence(prevalence)
    found = as_score(score)
    evidence = _tests(found, prevalence)
    taus, at = _correlations(found, prevalence)
    labels = ["negative", "positive"]
    row = xr.Dataset(
        {
            **{test: ((), bool(np.isnan(evidence[i]).all())) for i, test in enumerate(TESTS)},
            **taus,
            "verdict": ((), ""),
            "counterexample": (("test", "role", "actual", "predicted"), evidence.reshape(3, 3, 2, 2)),
        },
        coords={
            "score": found.name,
            "prevalence": np.nan if prevalence is None else prevalence,
            "test": list(TESTS),
            "role": list(ROLES),
            "actual": labels,
            "predicted": labels,
        },
    )
    values = found.of_cells(*np.moveaxis(evidence, -1, 0))
    row["counterexample_value"] = (("test", "role"), values)
    perfect = {extreme: _in_words(found, prevalence, *where) for extreme, where in at.items()}
    if "tau_min" in perfect:  # where 0/0 is given a number, the reverse order may break the axioms as well
        reverse = replace(found, function=lambda *cells: -found.of_cells(*cells))
        if not np.isnan(_tests(reverse, prevalence)).all():
            del perfect["tau_min"]
    return row.assign(verdict=_verdict(row, perfect, place(found, 0.5) is not None))


def audit_table(scores: Iterable[Any] = TABLE_1, prevalences: Iterable[float | None] = (None, 0.2, 0.5)) -> xr.Dataset:
    """The audits of many scores, without constraint and at fixed prevalences.

    Parameters
    ----------
    scores : iterable of Score, str or callable
        Default: the 27 scores of Foundations, Table 1.
    prevalences : iterable of float or None
        None for all performances, which the coord shows as NaN.

    Returns
    -------
    xarray.Dataset
        As from :func:`audit`, over (``score``, ``prevalence``, ...).

    Raises
    ------
    ValueError, TypeError
        As :func:`audit`; or if there is no score or no prevalence.

    Examples
    --------
    >>> table = audit_table(["f1", "mcc"], [0.2])
    >>> table["axiom_3_upper"].values.tolist()
    [[True], [False]]
    """
    for argument, given in (("scores", scores), ("prevalences", prevalences)):
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise TypeError(f"{argument} must be a sequence; got {given!r}")
    scores, constraints = list(scores), list(prevalences)
    if not scores or not constraints:
        raise ValueError(f"scores and prevalences must hold one or more; got {scores} and {constraints}")
    rows = [xr.concat([audit(score, p) for p in constraints], dim="prevalence") for score in scores]
    return xr.concat(rows, dim="score")


def _tests(score: Score, prevalence: float | None) -> np.ndarray:
    """Counterexamples over (test, role, cell); NaN where a test found none."""
    found = np.full((3, 3, 4), np.nan)
    for steps in STEPS[prevalence is not None]:
        points = _lattice(steps, prevalence)
        values = score.of_cells(*points)
        if np.isnan(found[0]).all():
            found[0, :2] = _axiom_2(points, values, prevalence)
        if np.isnan(found[1:, 0]).any():
            pairs = _axiom_3(score, points, values)
            for test in (1, 2):
                if np.isnan(found[test]).all():
                    found[test] = pairs[test - 1]
    if np.isnan(values).all():
        raise ValueError(f"score must be defined for some performances; {score.name!r} is for none")
    return found


def _axiom_2(points: np.ndarray, values: np.ndarray, prevalence: float | None) -> np.ndarray:
    """A performance that is surely wrong and beats another, or is beaten though surely right."""
    tn, fp, fn, tp = points
    all_wrong, all_right = tn + tp == 0, fp + fn == 0
    result = np.full((2, 4), np.nan)
    worst_gap = 0.0
    for low, high in ((all_wrong, np.ones_like(all_wrong)), (np.ones_like(all_wrong), all_right)):
        low_values, high_values = np.where(low, values, np.nan), np.where(high, values, np.nan)
        if np.isnan(low_values).all() or np.isnan(high_values).all():
            continue
        first, second = np.nanargmax(low_values), np.nanargmin(high_values)
        gap = values[first] - values[second]
        if gap > worst_gap + ROUNDING * np.nanmean(np.abs(values)):
            result, worst_gap = points[:, [first, second]].T, gap
    return result


def _axiom_3(score: Score, points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Two performances whose even mixture beats both, and two whose mixture both beat, over (2, role, cell)."""
    result = np.full((2, 3, 4), np.nan)
    points, values = points[:, ~np.isnan(values)], values[~np.isnan(values)]
    if values.size == 0:
        return result
    gaps = [0.0, 0.0]
    size = np.abs(values).mean()
    for block in np.array_split(np.arange(values.size), max(1, values.size // 200)):
        rest = slice(block[0], None)  # a pair is looked at once
        middle = (points[:, block, None] + points[:, None, rest]) / 2
        mixed = score.of_cells(*middle)
        high = np.maximum(values[block, None], values[rest])
        low = np.minimum(values[block, None], values[rest])
        slack = ROUNDING * (np.maximum(np.abs(high), np.abs(low)) + size)
        for side, excess in enumerate((mixed - high - slack, low - mixed - slack)):
            # A mixture outside the domain of the score is comparable with neither part: both tests fail.
            excess = np.where(np.isnan(mixed), np.inf, excess)
            i, j = np.unravel_index(np.argmax(excess), excess.shape)
            if excess[i, j] > gaps[side]:
                gaps[side] = excess[i, j]
                result[side] = points[:, block[i]], points[:, block[0] + j], middle[:, i, j]
    return result


def _correlations(score: Score, prevalence: float | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Extremes of Kendall's tau over the Tile, and the places where the agreement is perfect."""
    from bayesrank._kendall import tau_b

    points = _correlated(prevalence)
    values = score.of_cells(*points)
    known = np.array(places(prevalence)).T
    own = place(score, prevalence)
    if own is not None:
        known = np.column_stack([own, known])
    at_known = tau_b(values, _ranks(points, *known))
    start = _square(np.linspace(0.0, 1.0, GRID), np.linspace(0.0, 1.0, GRID))
    coarse = tau_b(values, _grid_ranks(prevalence))
    result: dict[str, Any] = {}
    perfect: dict[str, Any] = {}
    for name, sign in (("tau_min", -1.0), ("tau_max", 1.0)):
        tied = at_known[np.argmax(sign * at_known)]
        if sign * tied > 1 - ROUNDING:
            a, b = known[:, np.argmax(sign * at_known)]
            best, perfect[name] = sign, (a, b)
        else:
            best, a, b = _zoom(values, points, start, coarse, sign)
        result |= {name: ((), best), f"{name}_a": ((), a), f"{name}_b": ((), b), f"{name}_tied": ((), tied)}
    return result, perfect


def _zoom(
    values: np.ndarray, points: np.ndarray, start: np.ndarray, taus: np.ndarray, sign: float
) -> tuple[float, float, float]:
    """The extreme of tau by ever finer grids around the best place so far (Foundations, A.7.2)."""
    from bayesrank._kendall import tau_b

    i = np.argmax(sign * taus)
    best, (a, b) = taus[i], start[:, i]
    step = 1 / (GRID - 1)
    for _ in range(ZOOMS):
        step /= 3
        around = np.arange(-2, 3) * step
        candidates = _square(np.clip(a + around, 0, 1), np.clip(b + around, 0, 1))
        taus = tau_b(values, _ranks(points, *candidates))
        i = np.argmax(sign * taus)
        if sign * taus[i] > sign * best:
            best, (a, b) = taus[i], candidates[:, i]
    return float(best), float(a), float(b)


def _ranks(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Ranks of the points by the canonical scores at places of the Tile, one row a place; -1 where undefined."""
    from bayesrank._kendall import dense_ranks

    return dense_ranks(canonical_values(points, a[:, None], b[:, None]))


@lru_cache(maxsize=4)
def _grid_ranks(prevalence: float | None) -> np.ndarray:
    """The ranks on the coarse grid, which all scores share."""
    grid = np.linspace(0.0, 1.0, GRID)
    return _ranks(_correlated(prevalence), *_square(grid, grid))


def _square(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(np.meshgrid(a, b)).reshape(2, -1)


def _correlated(prevalence: float | None) -> np.ndarray:
    return _lattice(SIMPLEX_STEPS if prevalence is None else ROC_STEPS, prevalence)


def _lattice(steps: int, prevalence: float | None) -> np.ndarray:
    """Performances (cell, point): the simplex, or the ROC square of a prevalence, cut into equal steps."""
    if prevalence is None:
        grid = np.indices((steps + 1,) * 3).reshape(3, -1)
        grid = grid[:, grid.sum(axis=0) <= steps]
        return np.vstack([grid, steps - grid.sum(axis=0)])[[3, 0, 1, 2]] / steps
    fpr, tpr = np.indices((steps + 1,) * 2).reshape(2, -1)
    negative, positive = (1 - prevalence) / steps, prevalence / steps
    return np.array([negative * (steps - fpr), negative * fpr, positive * (steps - tpr), positive * tpr])


def _in_words(score: Score, prevalence: float | None, a: float, b: float) -> str:
    """A ranking score by its place, and how the domain of a score that orders alike differs from its own."""
    points = _correlated(prevalence)
    own, other = (~np.isnan(values) for values in (score.of_cells(*points), canonical_values(points, a, b)))
    differences = [
        words
        for words, differs in (
            ("it also ranks performances outside of that score's domain", (own & ~other).any()),
            ("it leaves out some of that score's domain", (other & ~own).any()),
        )
        if differs
    ]
    return "; ".join([f"the ranking score at (a, b) = ({a:.4g}, {b:.4g})", *differences])


def _verdict(row: xr.Dataset, perfect: dict[str, str], at_fixed_prevalence: bool) -> str:
    """What the audit found, in words."""
    where = "" if np.isnan(row["prevalence"]) else f" at prevalence {row['prevalence'].item():g}"
    if row["axiom_2"] and row["axiom_3_upper"] and row["axiom_3_lower"]:
        if "tau_max" in perfect:
            return f"may rank{where}: it orders as {perfect['tau_max']}"
        if row["tau_min"] == row["tau_max"] == 0:
            return f"ranks nothing{where}: it is constant, so all are equivalent"
        return f"may rank{where}, as far as was found: no counterexample to the axioms"
    if "tau_min" in perfect:
        return f"may rank{where} if lower is better: it orders against {perfect['tau_min']}"
    faults = {
        "axiom_2": "a performance that is surely no more satisfying can score higher",
        "axiom_3_upper": "a mixture can score higher than all its parts",
        "axiom_3_lower": "a mixture can score lower than all its parts",
    }
    found = "; ".join(text for test, text in faults.items() if not row[test])
    fixable = " (it may while the prevalence is fixed)" if not where and at_fixed_prevalence else ""
    return f"should not rank{where}{fixable}: {found}"


def _main() -> None:
    """Print the audits of the 27 scores."""
    table = audit_table()
    marks = {True: "yes", False: "no"}
    for prevalence in table["prevalence"].values:
        part = table.sel(prevalence=prevalence)
        print("\nall performances" if np.isnan(prevalence) else f"\nprevalence {prevalence:g}")
        print(f"{'score':28}{'axiom 2':>9}{'3 upper':>9}{'3 lower':>9}{'tau min':>9}{'tau max':>9}")
        for name in part["score"].values:
            row = part.sel(score=name)
            tests = "".join(f"{marks[bool(row[test])]:>9}" for test in TESTS)
            print(f"{name:28}{tests}{row['tau_min'].item():9.3f}{row['tau_max'].item():9.3f}")


if __name__ == "__main__":
    _main()
