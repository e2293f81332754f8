"""Audits of scores by the axioms of performance-based ranking."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer, check_result, check_sequence
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.types import ScoreLike
from bayesrank.scores.names import as_score
from bayesrank.scores.placement import (
    FixedRate,
    canonical_values,
    fixed_rate,
    place,
    places,
    swap_roles,
)
from bayesrank.scores.score import Score, cells_at
from bayesrank.theory.axioms import (
    FAR,
    HIGHER,
    OPERATIONS,
    ROUNDING,
    as_far_as_found,
    counterexamples,
    lattice,
    searched_pairs,
)
from bayesrank.theory.posteriors import audit_order

TESTS = ("axiom_2", "axiom_3_upper", "axiom_3_lower")
# Performances for the correlations in Foundations, Section 5.2: 6,545 and 6,561 points.
SIMPLEX_STEPS, ROC_STEPS = 32, 80
# Nineteenths, then thirds of thirds: these avoid the halves and fifths, where lattices have
# accidental ties.
GRID, ZOOMS = 20, 5
#: Largest number of cases that shows a counterexample in whole numbers.
MOST_CASES = 10_000
#: Share of a class below which positions around (π₋, π₋) are searched, too.
RARE = 0.1
#: Prevalences at which a score that fails in general may rank.
FIXED = (0.2, 0.5, 0.8)


#: The scores of Foundations, Table 1.
TABLE_1: tuple[str, ...] = (
    "accuracy", "f0_5", "f1", "f2", "npv", "ppv", "tnr", "tpr", "balanced_accuracy", "cohen_kappa", "informedness",
    "positive_likelihood_ratio", "true_negative_probability", "true_positive_probability", "chance_agreement",
    "error_rate", "false_discovery_rate", "fnr", "false_omission_rate", "fpr", "g_mean", "markedness", "mcc",
    "negative_likelihood_ratio", "diagnostic_odds_ratio", "positive_prediction_rate", "d_prime",
)  # fmt: skip


@check_call
def audit(
    score: ScoreLike,
    prevalence: float | None = None,
    *,
    prediction_rate: float | None = None,
    classes: int = 2,
    operations: Any = "mix",
    order: str | None = None,
) -> xr.Dataset:
    """Test whether a score may be used for ranking, and for which preferences (Foundations, 3.4, 4.1, 5.2 and A.2.1).

    The function itself is tested, and higher values count as better, whatever the direction of the
    score. Infinite and NaN count as undefined. Axiom 2 cannot fail there; a mixture that is
    undefined, though its parts are not, fails axiom 3. If the function returns a number for 0/0,
    that number is tested too. For example, precision with 0/0 = 0 violates axiom 2: in a population
    without positives, a performance that calls nothing positive is perfect, and would be ranked
    last.

    A failure is shown by its counterexample, which holds up to rounding. Counterexamples that
    vanish where rounding moves the cells do not count. A pass means that none was found among
    470,000 pairs of a lattice (1,400,000 at a fixed prevalence). It is a theorem for scores of the
    catalogue, and of an importance over negative and positive, that have a position (``place``).
    For others, and for operations other than mixtures, only lattices were searched, and the verdict
    says so; this also holds for ``order="mean"`` unless the curvature follows from an importance.

    Parameters
    ----------
    score : Score, str or callable
        The score to test; a function of (tn, fp, fn, tp), or for more classes of matrices.
    prevalence : float, optional
        Compare only performances with this prevalence.
    prediction_rate : float, optional
        Compare only performances with this share of positive predictions instead.
    classes : int
        Number of classes, 2 to 8. For more than two, only the axioms are tested, on pairs of up to
        2,500 performances. With four or more, each of these has a class without cases; a score must
        be defined there.
    operations : str, matrix, or iterable of such
        Operations in axiom 3 (Φ of the paper): ``"mix"``, choose one of two entities at random for
        each case; ``"relabel"``, change the labels of predictions; ``"shuffle"``, permute half of
        the predictions; or a matrix (given, new) of transition probabilities. For operations other
        than ``"mix"``, a failed upper test means that the operation improves a performance, a
        failed lower test that it degrades one, and both fail where it makes the score undefined.
        Few scores pass all.
    order : str, optional
        Audit an order of posteriors by the score instead: ``"predictive"`` (the score of the
        posterior mean performance), ``"mean"``, ``"median"``, ``"expected_rank"``,
        ``"probability_best"``, ``"pairwise"`` (A before B if P(A beats B) > 1/2) or
        ``"consensus"``, for two classes and mixtures.

    Returns
    -------
    xarray.Dataset
        ``axiom_2``, ``axiom_3_upper``, ``axiom_3_lower``: whether each held, as far as was found.
        ``counterexample`` (``test``, ``role``, ``actual``, ``predicted``) and
        ``counterexample_value`` (``test``, ``role``), NaN if the test held: for axiom 2, a
        ``first`` performance that is surely no more satisfying than the ``second`` but scores
        higher; for axiom 3, two performances and their even mixture. For operations other than
        ``"mix"``, the two performances are the same, and the third is the result of the operation.
        ``counterexample_cases``: the same in whole numbers of cases, equally many in each role; NaN
        where that takes more than 10,000. ``tau_min``, ``tau_max``: the extremes of Kendall's tau-b
        with a canonical ranking score, at ``tau_min_a``, ``tau_min_b``, ``tau_max_a``,
        ``tau_max_b`` on the Tile, over 6,545 performances (6,561 at a fixed prevalence); 0 for a
        constant score. ``tau_min_tied``, ``tau_max_tied``: the same extremes over the positions of
        named scores, such as (½, ½), and of the score itself. Accidental ties there make them up to
        0.016 more extreme than ``tau_min`` and ``tau_max`` for the scores of Table 1. ``verdict``:
        the result in words. If a ranking score has the same order, also on performances whose
        values differ by rounding errors, ``verdict`` also says whether the score is defined for
        more or for fewer performances than that one. ``attrs["pairs"]``: the number of pairs of
        performances that were mixed.

        With ``order``, for posteriors in which the score is defined with probability 1:
        ``axiom_1``, ``axiom_2``, ``axiom_3_upper``, ``axiom_3_lower``; ``proof`` (``test``): why
        the axiom holds, or the numbers of the counterexample; ``counterexample`` (``test``,
        ``role``, ``actual``, ``predicted``); and ``verdict``. Most counterexamples are counts of
        cases, at prevalence 1/2 if none is given. They give the rate ``attrs["rate"]`` a Beta
        posterior under a uniform prior. The other rate (FPR beside ``"tpr"``, TPR beside ``"tnr"``)
        is known: its value is ``attrs["other_rate"]``, and its counts are NaN. They are proofs for
        scores that strictly rise, or strictly fall, with that rate; own functions are tested at
        19,999 values from 0.00005 to 0.99995. Other counterexamples hold two performances, each
        with probability 1/2, or, where the score breaks the axiom for known performances, two of
        these and, for axiom 3, their even mixture (role C). For the mean, curvature below 1e-12 of
        the values counts as rounding, and so do relative differences below 1e-12 of importances, or
        of their products. Where an importance implies curvature, and no example was found, it is
        NaN. Orders other than ``"predictive"`` and ``"mean"`` need a score that is strictly
        monotone in a rate (else ValueError).

    Examples
    --------
    >>> row = audit("balanced_accuracy")
    >>> row["axiom_2"].item(), row["axiom_3_upper"].item(), round(row["tau_min"].item(), 3)
    (True, False, 0.486)
    >>> audit("macro_f1", classes=3)["axiom_3_upper"].item()
    False
    >>> audit("f1", order="median")["verdict"].item()
    'the order of posteriors by median of f1 breaks axiom 3'
    """
    fixed = fixed_rate(prevalence, prediction_rate)
    result = as_score(score)
    allowed = _operations(operations, check_integer("classes", classes, 2, 8))
    only_mixtures = all(isinstance(one, str) and one == "mix" for one in allowed)
    if order is not None:
        if classes > 2 or fixed.predicted or not only_mixtures:
            raise ArgumentError(
                "order", "cannot be used with classes, operations or prediction_rate", f"{order!r}"
            )
        return audit_order(result, order, fixed.share)
    if classes > 2:
        return _audit_of_classes(result, fixed, classes, allowed)
    if fixed.predicted and any(not isinstance(one, str) or one == "relabel" for one in allowed):
        raise ArgumentError(
            "prediction_rate",
            "cannot be used if an operation relabels predictions, which changes it",
        )
    far = as_far_as_found(result, **{fixed.name: fixed.share})
    asked = swap_roles(result) if fixed.predicted else result
    evidence = counterexamples(asked, fixed.share, operations=allowed)
    taus, at = _correlations(asked, fixed.share, exactly=not far)
    words = {extreme: _in_words(asked, fixed, *where) for extreme, where in at.items()}
    # With a value for 0/0, the reverse order may break the axioms too.
    if "tau_min" in words and not _passes(_reversed(asked), fixed.share, allowed):
        del words["tau_min"]
    evidence = evidence.reshape(3, 3, 2, 2)
    if fixed.predicted:
        evidence = np.swapaxes(evidence, 2, 3)
        taus = {name: ((), 1 - x if name.endswith("_b") else x) for name, (_, x) in taus.items()}
    row = _row(result, evidence, taus, fixed, ["negative", "positive"])
    at_fixed = HIGHER if result.higher_is_better is False else ""
    if not fixed.words() and all(_own_place(result, share) is not None for share in FIXED):
        better, worse = (
            result.of_cells(*cells_at(*rates, 0.5)) for rates in ((0.2, 0.8), (0.4, 0.6))
        )
        direction = "" if better > worse else ", if lower is better"
        ranked = result if better > worse else _reversed(result)
        extent = as_far_as_found(result, 0.5) if only_mixtures else FAR
        if not extent or all(_passes(ranked, share, allowed) for share in FIXED):
            at_fixed += f" (it may while the prevalence is fixed{direction}{extent})"
    far = far if only_mixtures else FAR
    placed = _own_place(asked, fixed.share) is not None
    turned = (
        not row["axiom_2"]
        and "tau_min" not in words
        and _passes(_reversed(asked), fixed.share, allowed)
    )
    return row.assign(verdict=_verdict(row, words, at_fixed, fixed.words(), far, placed, turned))


def _passes(score: Score, prevalence: float | None, operations: list[Any]) -> bool:
    return bool(np.isnan(counterexamples(score, prevalence, operations=operations)).all())


@lru_cache(maxsize=64)  # the same function each time, whose place is known after the first
def _reversed(score: Score) -> Score:
    return replace(score, function=lambda *cells: -score.of_cells(*cells))


def _own_place(score: Score, prevalence: float | None) -> tuple[float, float] | None:
    """Return the place of a score, or of the reverse order: the function itself does not say which is meant."""
    position = place(score, prevalence)
    return place(_reversed(score), prevalence) if position is None else position


def _row(
    score: Score, evidence: np.ndarray, taus: dict[str, Any], fixed: FixedRate, labels: list[Any]
) -> xr.Dataset:
    """Return a row without its verdict; ``evidence`` is (test, role, actual, predicted)."""
    missing = np.isnan(evidence)
    values = np.where(missing[..., 0, 0], np.nan, score.of_tables(np.where(missing, 0.0, evidence)))
    row = xr.Dataset(
        {
            **{test: ((), bool(missing[i].all())) for i, test in enumerate(TESTS)},
            **taus,
            "verdict": ((), ""),
            "counterexample": (("test", "role", "actual", "predicted"), evidence),
            "counterexample_value": (("test", "role"), values),
            "counterexample_cases": (("test", "role", "actual", "predicted"), in_cases(evidence)),
        },
        coords={
            "score": score.name,
            "prevalence": np.nan if fixed.share is None or fixed.predicted else fixed.share,
            "test": list(TESTS),
            "role": ["first", "second", "mixture"],
            "actual": labels,
            "predicted": labels,
        },
    )
    row.attrs["pairs"] = searched_pairs(fixed.share, len(labels))
    return row.assign_coords(prediction_rate=fixed.share) if fixed.predicted else row


def in_cases(examples: np.ndarray) -> np.ndarray:
    """Return performances (test, role, ...) as the fewest cases, equally many in each role; NaN if that takes many."""
    result = np.full(examples.shape, np.nan)
    for test, example in enumerate(examples):
        if np.isnan(example).all():
            continue
        exact = [
            Fraction(cell).limit_denominator(MOST_CASES)
            for cell in np.nan_to_num(example).ravel().tolist()
        ]
        size = lcm(*(cell.denominator for cell in exact))
        if size <= MOST_CASES and np.allclose(
            [float(cell) for cell in exact], np.nan_to_num(example).ravel(), 1e-9, 0
        ):
            full = np.array([float(cell * size) for cell in exact]).reshape(example.shape)
            result[test] = np.where(np.isnan(example), np.nan, full)
    return result


def _audit_of_classes(
    score: Score, fixed: FixedRate, classes: int, operations: list[Any]
) -> xr.Dataset:
    if fixed.share is not None:
        raise ArgumentError(
            fixed.name,
            f"cannot be used for {classes} classes, which have more than one prediction rate",
            fixed.share,
        )
    if score.matrix_function is None:
        raise ArgumentTypeError(
            "score",
            f"must be defined for more than two classes for classes={classes}, as br.scores.average makes them",
            f"{score.name!r}",
        )
    labels = list(range(classes)) if score.labels is None else list(score.labels)
    if len(labels) != classes:
        raise ArgumentError(
            "classes",
            f"must be {len(labels)} for {score.name!r}, a score of the classes {labels}",
            classes,
        )
    evidence = counterexamples(score, None, classes, operations).reshape(3, 3, classes, classes)
    row = _row(score, evidence, {}, fixed, labels)
    fixable = HIGHER if score.higher_is_better is False else ""
    return row.assign(verdict=_verdict(row, {}, fixable, f" {classes} classes"))


def _operations(operations: Any, classes: int) -> list[Any]:
    """Return the operations of axiom 3, as names and matrices of noise."""
    single = isinstance(operations, str) or np.ndim(_numeric(operations)) == 2
    as_list = [operations] if single else check_sequence("operations", operations)
    if not as_list:
        raise ArgumentError(
            "operations",
            f"must contain names among {list(OPERATIONS)}, or matrices of noise",
            f"{operations!r}",
        )
    return [
        one if isinstance(one, str) and one in OPERATIONS else _noise(one, classes)
        for one in as_list
    ]


def _noise(matrix: Any, classes: int) -> np.ndarray:
    """Return checked transition probabilities (given, new) of predictions."""
    result = _numeric(matrix)
    if result is None or isinstance(matrix, str):
        raise ArgumentError(
            "operations",
            f"must contain names among {list(OPERATIONS)}, or matrices of noise",
            f"{matrix!r}",
        )
    if (
        result.shape != (classes, classes)
        or not (result >= 0).all()
        or not np.allclose(result.sum(axis=1), 1)
    ):
        raise ArgumentError(
            "operations",
            f"must be of shape {(classes, classes)}, probabilities whose rows sum to 1",
            result.tolist(),
        )
    return result / result.sum(axis=1, keepdims=True)


def _numeric(values: Any) -> Any:
    """Return values as a numeric array, or None if they are not numeric."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None


@check_call
def audit_table(
    scores: Iterable[Any] = TABLE_1, prevalences: Iterable[float | None] = (None, 0.2, 0.5)
) -> xr.Dataset:
    """Audit many scores, without constraint and at fixed prevalences.

    Parameters
    ----------
    scores : iterable of Score, str or callable
        Default: the 27 scores of Foundations, Table 1.
    prevalences : iterable of float or None
        Fixed prevalences. None stands for all performances, and is NaN in the coord.

    Returns
    -------
    xarray.Dataset
        As from :func:`audit`, over (``score``, ``prevalence``, ...).

    Examples
    --------
    >>> table = audit_table(["f1", "mcc"], [0.2])
    >>> table["axiom_3_upper"].values.tolist()
    [[True], [False]]
    """
    scores, constraints = (
        check_sequence("scores", scores),
        check_sequence("prevalences", prevalences),
    )
    if not scores or not constraints:
        raise ArgumentError(
            "scores and prevalences", "must contain at least one", f"{scores} and {constraints}"
        )
    rows = [xr.concat([audit(score, p) for p in constraints], dim="prevalence") for score in scores]
    return xr.concat(rows, dim="score")


@check_call
def audit_frame(table: xr.Dataset) -> pd.DataFrame:
    """Return audits as Foundations, Table 1 prints them: three tests, and the extremes of Kendall's tau.

    Parameters
    ----------
    table : xarray.Dataset
        From :func:`audit_table`.

    Returns
    -------
    pandas.DataFrame
        Over the scores. The columns are, for each prevalence (NaN: all performances), ``tests`` (✓
        for a test that held, ✗ for one that failed: axiom 2, axiom 3 upper, axiom 3 lower),
        ``tau_min`` and ``tau_max``.

    Examples
    --------
    >>> frame = br.theory.audit_frame(br.theory.audit_table(["f1", "mcc"], [0.2]))
    >>> frame.round(3)
    prevalence   0.2
               tests tau_min tau_max
    score
    f1           ✓✓✓   0.352   1.000
    mcc          ✓✗✗   0.458   0.944
    """
    check_result("br.theory.audit_table", "table", table, (*TESTS, "tau_min", "tau_max"))
    marks: dict[Any, list[Any]] = {}
    for i, share in enumerate(table["prevalence"].values.tolist()):
        at_share = table.isel(prevalence=i)
        passed = np.stack([at_share[test].values for test in TESTS], axis=-1)
        marks[share, "tests"] = ["".join("✓" if one else "✗" for one in row) for row in passed]
        marks |= {(share, name): at_share[name].values.tolist() for name in ("tau_min", "tau_max")}
    columns = pd.MultiIndex.from_tuples(marks, names=["prevalence", None])
    index = pd.Index(table["score"].values, name="score")
    return pd.DataFrame(dict(enumerate(marks.values())), index=index).set_axis(columns, axis=1)


def _correlations(
    score: Score, prevalence: float | None, *, exactly: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the extremes of Kendall's tau over the Tile, and the positions with perfect agreement.

    ``exactly``: the place of the score is a theorem, so tau there is 1 or -1, whatever rounding
    does to ties.
    """
    from bayesrank._core.kendall import tau_b

    points = _correlation_points(prevalence)
    values = score.of_cells(*points)
    positions = np.array(places(prevalence)).T
    own = _own_place(score, prevalence)
    if own is not None:
        positions = np.column_stack([own, positions])
    at_known = tau_b(values, _ranks(points, *positions))
    if own is not None and exactly:
        at_known[0] = np.sign(at_known[0])
    start = _starts(prevalence)
    coarse = tau_b(values, _grid_ranks(prevalence))
    result: dict[str, Any] = {}
    perfect: dict[str, Any] = {}
    for name, sign in (("tau_min", -1.0), ("tau_max", 1.0)):
        tied = at_known[np.argmax(sign * at_known)]
        if own is not None and _follows(sign * values, _ranks(points, *positions[:, :1])[0]):
            best, (a, b) = sign if sign * at_known[0] > 1 - ROUNDING else at_known[0], own
            perfect[name] = own
        elif sign * tied > 1 - ROUNDING:
            a, b = positions[:, np.argmax(sign * at_known)]
            best, perfect[name] = sign, (a, b)
        else:
            best, a, b = _zoom(values, points, start, coarse, sign)
        result |= {
            name: ((), best),
            f"{name}_a": ((), a),
            f"{name}_b": ((), b),
            f"{name}_tied": ((), tied),
        }
    return result, perfect


def _follows(values: np.ndarray, ranks: np.ndarray) -> bool:
    """Return whether values are equal, up to rounding, where ranks are, and rise with them by however little."""
    from bayesrank._core.kendall import dense_ranks

    both = (ranks >= 0) & ~np.isnan(values)
    rank, own, tied = ranks[both], values[both], dense_ranks(values[None])[0][both]
    order = np.lexsort((own, rank))
    same = np.diff(rank[order]) == 0
    return bool(
        np.where(same, np.diff(tied[order]) == 0, np.diff(own[order]) > 0).all() and not same.all()
    )


def _zoom(
    values: np.ndarray, points: np.ndarray, start: np.ndarray, taus: np.ndarray, sign: float
) -> tuple[float, float, float]:
    """Return the extreme of tau from successively finer grids around the best position (Foundations, A.7.2)."""
    from bayesrank._core.kendall import tau_b

    i = np.argmax(sign * taus)
    best, (a, b) = taus[i], start[:, i]
    step = 1 / (GRID - 1)
    for _ in range(ZOOMS):
        step /= 3
        around = np.arange(-2, 3) * step
        candidates = _square(*(np.unique(np.clip(center + around, 0, 1)) for center in (a, b)))
        taus = tau_b(values, _ranks(points, *candidates))
        i = np.argmax(sign * taus)
        if sign * taus[i] > sign * best:
            best, (a, b) = taus[i], candidates[:, i]
    return float(best), float(a), float(b)


def _ranks(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ranks of the points by canonical scores, one row per position; -1 where undefined."""
    from bayesrank._core.kendall import dense_ranks

    return dense_ranks(canonical_values(points, a[:, None], b[:, None]))


@lru_cache(maxsize=4)
def _grid_ranks(prevalence: float | None) -> np.ndarray:
    return _ranks(_correlation_points(prevalence), *_starts(prevalence))


def _starts(prevalence: float | None) -> np.ndarray:
    """Return the positions from which the extremes are searched: if a class is rare, also around (π₋, π₋)."""
    grid = np.linspace(0.0, 1.0, GRID)
    if prevalence is None or min(prevalence, 1 - prevalence) >= RARE:
        return _square(grid, grid)
    moved = grid * (1 - prevalence) / (grid * (1 - prevalence) + (1 - grid) * prevalence)
    return np.hstack([_square(grid, grid), _square(moved, moved)])


def _square(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(np.meshgrid(a, b)).reshape(2, -1)


def _correlation_points(prevalence: float | None) -> np.ndarray:
    return lattice(SIMPLEX_STEPS if prevalence is None else ROC_STEPS, prevalence)


def _in_words(score: Score, fixed: FixedRate, a: float, b: float) -> str:
    """Describe a ranking score by its position, and differences between the domains of scores with its order."""
    points = _correlation_points(fixed.share)
    own, defined_canonical = (
        ~np.isnan(values) for values in (score.of_cells(*points), canonical_values(points, a, b))
    )
    differences = [
        words
        for words, differs in (
            (
                "it also ranks performances outside of that score's domain",
                (own & ~defined_canonical).any(),
            ),
            ("it leaves out some of that score's domain", (defined_canonical & ~own).any()),
        )
        if differs
    ]
    shown = a, 1 - b if fixed.predicted else b
    at = ", ".join(prose.below_one(number, 4) for number in shown)
    weights = score.importance or {}
    rounded = any(
        share in (0, 1) and min(weights.get(one, 0), weights.get(other, 0)) > 0
        for share, one, other in zip(shown, ("tn", "fp"), ("tp", "fn"), strict=True)
    )
    return "; ".join(
        [f"the ranking score {'next to' if rounded else 'at'} (a, b) = ({at})", *differences]
    )


def _verdict(
    row: xr.Dataset,
    perfect: dict[str, str],
    fixable: str,
    where: str,
    far: str = "",
    placed: bool = True,
    turned: bool = False,
) -> str:
    """Return the result in words; ``turned`` says that the reverse order passes all tests."""
    on_lattice = "" if placed else "on a lattice "
    passed = bool(row["axiom_2"] and row["axiom_3_upper"] and row["axiom_3_lower"])
    if passed and "tau_max" in perfect:
        return f"may rank{where}{far}: {on_lattice}it orders as {perfect['tau_max']}"
    if "tau_min" in perfect:
        return f"may rank{where} if lower is better{far}: {on_lattice}it orders against {perfect['tau_min']}"
    # Of more classes no place was sought: accuracy is a ranking score of them, too.
    nowhere = "" if placed else ", and no place on the Tile was found"
    if passed:
        if "tau_min" in row and row["tau_min"] == row["tau_max"] == 0:
            return f"ranks nothing{where}{far}: it is constant, so all are equivalent"
        return f"may rank{where}{FAR}: no counterexample to the axioms{nowhere}"
    if turned:
        return f"may rank{where} if lower is better{FAR}: no counterexample to the axioms{nowhere}"
    faults = {
        "axiom_2": "a performance that is surely no more satisfying can score higher",
        "axiom_3_upper": f"a {_describe_mix(row, 1)} can score higher than all its parts",
        "axiom_3_lower": f"a {_describe_mix(row, 2)} can score lower than all its parts",
    }
    for test in ("axiom_3_upper", "axiom_3_lower"):
        if np.isnan(row["counterexample_value"].sel(test=test, role="mixture")):
            faults[test] = (
                f"a {_describe_mix(row, TESTS.index(test))} of parts with values can be undefined"
            )
    fault_text = "; ".join(dict.fromkeys(text for test, text in faults.items() if not row[test]))
    return f"should not rank{where}{fixable}: {fault_text}"


def _describe_mix(row: xr.Dataset, test: int) -> str:
    """Describe how the third performance of a counterexample was made from the first two."""
    first, second = (row["counterexample"].values[test, role] for role in (0, 1))
    return "changed copy" if np.array_equal(first, second) else "mixture"
