"""Scores by name: registration in the catalogue, and conversion of arguments to scores."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import signature
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import rename_argument
from bayesrank._core.classes import CELLS, by_class
from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.types import ScoreLike
from bayesrank.scores.attempts import majority_at_k, pass_at_k, pass_hat_k
from bayesrank.scores.averages import AVERAGES, average_of
from bayesrank.scores.families import canonical
from bayesrank.scores.metrics import is_metric, metric_name
from bayesrank.scores.ranking_scores import of_importance, of_satisfaction
from bayesrank.scores.score import SCORES, WORDS, CellFunction, OfClass, Score, ratio

INFINITY = float("inf")
# Sources and domains shared by many scores.
TILE = "Piérard et al., The Tile, Section 2.2"
METRICS = "Lovell et al., Never mind the metrics"
FOUNDATIONS = "Piérard et al., Foundations of the theory of performance-based ranking, Table 1"
BOTH_CLASSES = "TN + FP > 0 and FN + TP > 0"
BOTH_PREDICTED = "TN + FN > 0 and FP + TP > 0"
ALL_MARGINS = f"{BOTH_CLASSES} and {BOTH_PREDICTED}"
POSITIVES = "FN + TP > 0 and FP + TP > 0"

#: Aliases of catalogue scores, normalised by :func:`key`, and the score's name.
ALIASES: dict[str, str] = {}
#: Names and aliases, normalised by :func:`bare`, and the score's name.
FOUND: dict[str, str] = {}
#: Symbols, normalised by :func:`bare`, and the names of their scores.
SYMBOLS: dict[str, set[str]] = {}
#: Other functions of predicted probabilities.
OF_CASES = {"map", "ece", "calibrationerror", "expectedcalibrationerror", "gini"}
#: Columns of the catalogue.
COLUMNS = [
    "space", "symbol", "formula", "aliases", "range", "higher_is_better", "depends_on_prevalence", "may_rank",
    "importance", "domain", "reference",
]  # fmt: skip
#: Ambiguous names, and families that need a parameter, normalised by :func:`bare`, and what to
#: write instead.
SEVERAL = {
    "gmeasure": "one of ['fowlkes_mallows', 'g_mean', 'jaccard'], which all have this name",
    "wa": "a member of its family, br.scores.weighted_accuracy(weight)",
    "weightedaccuracy": "a member of its family, br.scores.weighted_accuracy(weight)",
    "fbeta": "a member of its family, br.scores.f_beta(beta)",
    "db": "a member of its family, br.scores.decision_benefit(weights), which takes the benefits of the outcomes",
    "nauc": "given to br.ops.of_value or br.ops.of_curve, as 'nauc_roc', 'nauc_pr' or 'nauc_lift'",
    "auclift": "given to br.ops.of_value or br.ops.of_curve, as 'auc_lift'",
    "tversky": "a member of its family, br.scores.tversky(alpha, beta)",
    "pass@k": "a member of its family, br.scores.pass_at_k(k), such as 'pass@4'",
    "passatk": "a member of its family, br.scores.pass_at_k(k), such as 'pass@4'",
    "pass^k": "a member of its family, br.scores.pass_hat_k(k), such as 'pass^4'",
    "passhatk": "a member of its family, br.scores.pass_hat_k(k), such as 'pass^4'",
    "netbenefit": "a member of its family, br.scores.net_benefit(threshold)",
}


def key(name: str) -> str:
    """Return the form in which aliases are listed: ``fall_out`` for "Fall-out", ``f0_5`` for "F0.5"."""
    return re.sub(r"(?<=\w)[ .-]+(?=\w)", "_", name.strip().lower())


def bare(name: str) -> str:
    """Return the form in which names are looked up: ``f1score`` for "F1-score", ``lr-`` for "LR −"."""
    text = unicodedata.normalize("NFKC", name).lower()
    text = re.sub("[‐‑‒–—−]", "-", re.sub("[′’]", "'", text)).replace("ø", "o")
    return re.sub(r"(?<=\w)[-']+(?=\w)", "", re.sub(r"[\s_.]", "", text))


def add(score: Score, **metadata: Any) -> Score:
    """Add a score to the catalogue with further metadata, and return it."""
    score = replace(score, **metadata)
    names = (score.name, *map(key, score.aliases))
    for name in names:
        if bare(name) in FOUND:
            raise ArgumentError(
                "names", "must each belong to one score", f"{name!r} for {score.name!r} as well"
            )
    SCORES[score.name] = score
    ALIASES.update(dict.fromkeys(names[1:], score.name))
    FOUND.update(dict.fromkeys(map(bare, names), score.name))
    if score.symbol:
        SYMBOLS.setdefault(bare(score.symbol), set()).add(score.name)
    return score


def score(
    symbol: str, formula: str, aliases: str = "", **metadata: Any
) -> Callable[[CellFunction], Score]:
    """Decorate a function of (tn, fp, fn, tp) to make it a score of the catalogue with its name; ``aliases`` are words.

    Functions are homogeneous of degree 0, ratios of sums of products of cells. Counts and
    probabilities therefore give the same value, and equal counts exactly equal values.
    """
    names = tuple(aliases.split())
    return lambda function: add(
        Score(function.__name__, function, symbol, formula, names, **metadata)
    )


def quotient(
    symbol: str, formula: str, aliases: str = "", **metadata: Any
) -> Callable[[Callable], Score]:
    """Decorate a function that returns numerator and denominator, whole numbers for counts, to make it a score.

    The mean of an unbounded quotient may be infinite.
    """

    def register(parts: Callable[..., tuple[Any, Any]]) -> Score:
        @wraps(parts)
        def function(*cells: Any) -> Any:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.true_divide(*parts(*cells))  # infinite where the denominator alone is 0

        known: dict[str, Any] = {
            "fraction": lambda *cells: (*parts(*cells), 1),
            "finite_mean": all(map(isfinite, metadata.get("range", ()))),
        }
        return score(symbol, formula, aliases, **known | metadata)(function)

    return register


def find(name: Any, symbols: bool = False) -> Score | None:
    """Return the score of that name or alias, or symbol, averages over classes included; None if there is none."""
    if not isinstance(name, str):
        return None
    base, mark, label = name.partition(":")
    if mark and label.strip():
        score = find(base, symbols)
        return None if score is None or score.function is None else of_class(score, label.strip())
    requested = bare(name)
    if of_majority := re.fullmatch(r"maj(?:ority)?(?:@|at)([1-9]\d{0,5})", requested):
        return majority_at_k(int(of_majority[1]))
    if of_attempts := re.fullmatch(r"pass(@|at|\^|hat)([1-9]\d{0,5})(ofthesecases)?", requested):
        family = pass_at_k if of_attempts[1] in ("@", "at") else pass_hat_k
        return family(int(of_attempts[2]), cases="these" if of_attempts[3] else "like these")
    # Papers write Youden's index where the name here is youden_index.
    for written in (
        requested,
        bare(re.sub("['′’]s?(?=\\s|$)", "", name)).replace("π", "pi").replace("κ", "kappa"),
    ):
        if written in FOUND:
            return SCORES[FOUND[written]]
    if symbols and len(SYMBOLS.get(requested, ())) == 1:
        return SCORES[min(SYMBOLS[requested])]
    if printed := re.fullmatch(
        r"(.+?)(\s*)\(([^()]+)\)", name.strip()
    ):  # AUC(ROC), or Odds Ratio (OR)
        return _of_two_names(printed[1], printed[3], bool(printed[2]))
    kind, inner = _average(requested, symbols)
    if inner is not None:
        return average_of(inner, kind) if _why_not(kind, inner) is None else None
    return _of_scikit_learn(requested, symbols)


def _of_two_names(first: str, second: str, apart: bool) -> Score | None:
    """Return the score of "AUC(ROC)", one name in two parts, or if ``apart`` of a name and its symbol, which agree."""
    together = find(f"{first} {second}")
    if together is not None or not apart:
        return together
    first_score, second_score = find(first), find(second, symbols=True)
    return first_score if second_score is None or first_score == second_score else None


def _of_scikit_learn(wanted: str, symbols: bool) -> Score | None:
    """Return the score of a normalised name of a metric or scorer of scikit-learn; None for other names."""
    stem = wanted.removesuffix("score")
    if stem != wanted and stem in FOUND:  # precision_score
        return SCORES[FOUND[stem]]
    if wanted.startswith("neg"):  # neg_log_loss ranks as log_loss does, for which lower is better
        score = find(wanted.removeprefix("neg"), symbols)
        return score if score is not None and score.higher_is_better is False else None
    turned = re.fullmatch("(.+)(macro|micro|weighted)", wanted)  # f1_macro
    return find(turned[2] + turned[1], symbols) if turned is not None else None


def of_class(score: Score, label: str) -> Score:
    """Return a two-class score of one class against all others, such as ``f1:cat``."""
    return Score(
        f"{score.name}:{label}",
        None,
        formula=f"{score.display} of the class {label} against all others",
        range=score.range,
        higher_is_better=score.higher_is_better,
        depends_on_prevalence=score.depends_on_prevalence,
        finite_mean=score.finite_mean,
        matrix_function=OfClass(score),
        domain=score.domain,
        reference=score.reference,
        display=f"{score.display} of {label}",
        one_class=label,
    )


def _average(wanted: str, symbols: bool) -> tuple[str, Score | None]:
    """Return the kind of average and the score in a normalised name, if it names an average."""
    kind = next((kind for kind in AVERAGES if wanted.startswith(kind)), "")
    return kind, find(wanted.removeprefix(kind), symbols) if kind else None


def _why_not(kind: str, score: Score) -> str | None:
    """Return the reason why an average has no name, or None if it has one."""
    if score.name in ("accuracy", "error_rate"):
        return (
            f"it has more than one meaning, the {kind} average of the recalls, {kind}_tpr, and that of the accuracies "
            f"of the classes, br.scores.average({score.name!r}, {kind!r})"
        )
    if score.function is None:
        return f"{score.name} is of {WORDS[score.space]} itself"
    if score.higher_is_better is None:
        return f"{score.name} has no direction"
    if kind in ("geometric", "harmonic") and score.range[0] < 0:
        return f"{score.name} may be negative"
    return None


def get(name: str) -> Score:
    """Return the score of a name, alias or symbol.

    Case, spaces, hyphens, underscores, full stops and kinds of minus signs are ignored. The
    prefixes ``macro_``, ``micro_``, ``weighted_``, ``geometric_``, ``harmonic_``, ``smallest_`` and
    ``largest_`` give the average of a two-class score over classes, also in scikit-learn's order
    (``f1_macro``). "f1:cat" is the score of the class "cat" against all others. scikit-learn's
    ``neg_log_loss`` is ``log_loss``, for which lower is better.

    Raises
    ------
    KeyError, TypeError
        If the name is unknown (the message suggests similar names), ambiguous, that of a family, or
        not a string.

    Examples
    --------
    >>> get("f1_weighted").name, get("recall:cat").display
    ('weighted_f1', 'sensitivity (TPR) of cat')
    >>> get("sensitivity").name, get("macro F1").name, get("LR −").name, get("κ").name
    ('tpr', 'macro_f1', 'negative_likelihood_ratio', 'cohen_kappa')
    """
    if not isinstance(name, str):
        raise ArgumentTypeError("score", "must be a name", type(name).__name__)
    if (result := find(name, symbols=True)) is not None:
        return result
    requested = re.sub("[()]", "", bare(name))
    if requested in SYMBOLS:
        raise ArgumentKeyError(
            "score", f"must be one of {sorted(SYMBOLS[requested])}", f"their symbol {name!r}"
        )
    if requested in SEVERAL:
        raise ArgumentKeyError("score", f"must be {SEVERAL[requested]}", f"{name!r}")
    kind, inner = _average(requested, symbols=True)
    if inner is not None:
        raise ArgumentKeyError(
            "score", "must be a score that has averages", f"{name!r}: {_why_not(kind, inner)}"
        )
    if requested in OF_CASES:
        raise ArgumentKeyError(
            "score",
            "must be one of br.scores.catalog()",
            f"{name!r}, a function of predicted probabilities that is not in it",
            "br.cases.weighted_metric takes functions, in Python; auc_roc, brier and log_loss are scores",
        )
    raise ArgumentKeyError(
        "score",
        "must be a name that 'bayesrank scores' or br.scores.catalog() lists",
        f"{name!r}{_hint(kind, requested)}",
    )


def _hint(kind: str, wanted: str) -> str:
    """Return a hint with names similar to a normalised one."""
    from difflib import get_close_matches

    prefix = f"{kind}_" if kind else ""
    names = {bare(name): name for name in (*SCORES, *ALIASES) if find(prefix + name) is not None}
    near = get_close_matches(wanted.removeprefix(kind), names, n=3, cutoff=0.5)
    return f"; did you mean {', '.join(prefix + names[one] for one in near)}?" if near else ""


def as_score(score: ScoreLike) -> Score:
    """Return a Score from a Score, name, alias, importance, Tile position, or function of (tn, fp, fn, tp).

    Parameters
    ----------
    score : Score, str, DataArray, pair of float, or callable
        A DataArray is an importance, as from :func:`bayesrank.importance`, or over ``outcome``
        without classes a satisfaction, whose expectation is the score; a pair (a, b) is a Tile
        position. A metric or scorer of scikit-learn is the score of its name. Another function maps
        four arrays of probabilities to an array; higher is better, and its mean may be infinite.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the name is unknown, or the argument is none of these.

    Examples
    --------
    >>> as_score("precision").name
    'ppv'
    >>> as_score((1.0, 0.5)).importance
    {'tn': 0.0, 'fp': 0.5, 'fn': 0.5, 'tp': 1.0}
    """
    if isinstance(score, Score):
        return score
    if isinstance(score, str):
        return get(score)
    if isinstance(score, xr.DataArray):
        if score.dims == ("outcome",) and by_class(score) is score:
            with rename_argument("score", "satisfaction"):
                return of_satisfaction(score)
        with rename_argument("score", "importance"):
            return of_importance(score)
    if isinstance(score, tuple):
        if len(score) != 2:
            raise ArgumentError(
                "score", "must be a pair (a, b) if it is a place on the Tile", f"{score!r}"
            )
        return canonical(*score)
    if is_metric(score):
        return get(metric_name(score))
    if callable(score):
        return _of_function(score)
    if isinstance(score, Mapping) and score and set(score) <= set(CELLS):
        cells = ", ".join(f"{cell}={value}" for cell, value in score.items())
        raise ArgumentTypeError(
            "score",
            "must say whether these are importances or benefits",
            f"the mapping {dict(score)!r}",
            f"br.importance({cells}) weighs outcomes; br.decisions.expected_utility takes benefits and costs",
        )
    raise ArgumentTypeError(
        "score",
        "must be a Score, a name, an importance as from br.importance(fn=5, ...), a place (a, b), or a function "
        "of (tn, fp, fn, tp)",
        type(score).__name__,
    )


def _of_function(function: Callable[..., Any]) -> Score:
    name = getattr(function, "__name__", "score")
    try:
        signature(function).bind(*"abcd")
    except TypeError as error:
        raise ArgumentTypeError(
            "score", "must be a function of (tn, fp, fn, tp)", f"{name!r}: {error}"
        ) from None
    except ValueError:  # built-in functions may have no signature
        pass
    name = "score" if name == "<lambda>" else name
    return Score(name, OfFunction(function), range=(-INFINITY, INFINITY), finite_mean=False)


@dataclass(frozen=True)
class OfFunction:
    """A plain function of probabilities, applied to normalised cells."""

    function: Callable[..., Any] = field(hash=False)  # may be unhashable

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        total = tn + fp + fn + tp
        try:
            return self.function(*(ratio(cell, total) for cell in (tn, fp, fn, tp)))
        except (TypeError, ValueError) as error:  # as `if tp > 0` and math.sqrt(tp) raise
            kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentError
            name = getattr(self.function, "__name__", "score")
            hint = "np.where for if, np.sqrt for math.sqrt"
            raise kind(
                "score", "must take arrays tn, fp, fn, tp", f"from {name!r}: {error}", hint
            ) from error


def catalog() -> pd.DataFrame:
    """Return all scores and their metadata as a DataFrame indexed by name, without averages over classes.

    ``may_rank`` is as of :attr:`bayesrank.scores.Score.may_rank`.

    Examples
    --------
    >>> catalog().loc["ppv", "formula"]
    'TP / (FP + TP)'
    """
    rows = {
        score.name: {column: getattr(score, column) for column in COLUMNS}
        for score in SCORES.values()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS).rename_axis("name")
