"""Scores by name: how a formula enters the catalogue, and how whatever stands for a score is found."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import pandas as pd
import xarray as xr

from bayesrank.scores.averages import AVERAGES, average_of
from bayesrank.scores.families import canonical
from bayesrank.scores.ranking_scores import ranking
from bayesrank.scores.score import SCORES, CellFunction, ExactRatio, Score, ratio

__all__ = ["ALIASES", "SCORES", "add", "as_score", "catalog", "find", "get", "quotient", "score"]

INFINITY = float("inf")

#: Every other name of a score of the catalogue, as :func:`key` writes it, and its name.
ALIASES: dict[str, str] = {}


def key(name: str) -> str:
    """How names are looked up: lower-case, with _ for spaces, full stops and hyphens within.

    Examples
    --------
    >>> key("Fall-out"), key("LR-"), key("F0.5")
    ('fall_out', 'lr-', 'f0_5')
    """
    return re.sub(r"(?<=\w)[ .-]+(?=\w)", "_", name.strip().lower())


def add(score: Score, **metadata: Any) -> Score:
    """The score, entered into the catalogue with what else is known of it."""
    score = replace(score, **metadata)
    for name in (score.name, *map(key, score.aliases)):
        if name in SCORES or name in ALIASES:
            raise ValueError(f"names must be of one score each; got {name!r} for {score.name!r} as well")
    SCORES[score.name] = score
    ALIASES.update(dict.fromkeys(map(key, score.aliases), score.name))
    return score


def score(**metadata: Any) -> Callable[[CellFunction], Score]:
    """The score of a formula of (tn, fp, fn, tp), by the formula's name: a decorator.

    Formulas are homogeneous of degree 0, ratios of sums of products of the cells, so that counts and probabilities give
    the same number and equal counts give exactly equal values.
    """
    return lambda formula: add(Score(formula.__name__, formula, **metadata))


def quotient(**metadata: Any) -> Callable[[Callable[..., tuple[Any, Any]]], Score]:
    """The same of a formula that gives numerator and denominator: a decorator. On counts both are whole numbers."""

    def register(parts: Callable[..., tuple[Any, Any]]) -> Score:
        fraction: ExactRatio = lambda *cells: (*parts(*cells), 1)  # noqa: E731
        return add(Score(parts.__name__, lambda *cells: ratio(*parts(*cells)), **({"fraction": fraction} | metadata)))

    return register


def find(name: Any) -> Score | None:
    """The score of that name or alias, averages over classes included; None if there is none.

    Examples
    --------
    >>> find("macro_recall").name, find("temperature")
    ('macro_tpr', None)
    """
    if not isinstance(name, str):
        return None
    wanted = key(name)
    wanted = ALIASES.get(wanted, wanted)
    if wanted in SCORES:
        return SCORES[wanted]
    kind, _, rest = wanted.partition("_")
    inner = find(rest) if kind in AVERAGES else None
    # "Macro accuracy" is the mean recall to some and the mean accuracy of the classes to others: it has no name here.
    if inner is None or inner.function is None or inner.higher_is_better is None or inner.name in AMBIGUOUS:
        return None
    if kind in ("geometric", "harmonic") and inner.range[0] < 0:
        return None
    return average_of(inner, kind)


AMBIGUOUS = ("accuracy", "error_rate")


def get(name: str) -> Score:
    """The score of that name or alias.

    Parameters
    ----------
    name : str
        Case, spaces and hyphens do not matter. ``macro_``, ``micro_``, ``weighted_``, ``geometric_``, ``harmonic_``,
        ``smallest_`` and ``largest_`` before the name of a two-class score give its average over classes.

    Returns
    -------
    Score

    Raises
    ------
    KeyError
        If no score has that name; the message names near ones.
    TypeError
        If ``name`` is no string.

    Examples
    --------
    >>> get("sensitivity").name, get("macro F1").name
    ('tpr', 'macro_f1')
    """
    if not isinstance(name, str):
        raise TypeError(f"score must be a name; got {type(name).__name__}")
    found = find(name)
    if found is not None:
        return found
    from difflib import get_close_matches

    kind, _, rest = key(name).partition("_")
    if kind in AVERAGES and getattr(find(rest), "name", None) in AMBIGUOUS:
        raise KeyError(
            f"score must have one meaning; got {name!r}, which may be the {kind} average of the recalls, {kind}_tpr, "
            f"or of the accuracies of the classes, br.scores.average({rest!r}, {kind!r})"
        )
    prefix, wanted = (f"{kind}_", rest) if kind in AVERAGES else ("", key(name))
    near = get_close_matches(wanted, [*SCORES, *ALIASES], n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(prefix + one for one in near)}?" if near else ""
    raise KeyError(f"score must be one of those in br.scores.catalog(); got {name!r}{hint}")


def as_score(score: Any) -> Score:
    """A Score from a Score, a name or alias, an importance, a place on the Tile, or a function of (tn, fp, fn, tp).

    Parameters
    ----------
    score : Score, str, DataArray, pair of float, or callable
        A DataArray is an importance, as of :func:`bayesrank.importance`; a pair (a, b) is a place on the Tile. A
        function takes four arrays of probabilities and gives an array of numbers; higher is better, and its mean is
        not known to be finite.

    Returns
    -------
    Score

    Raises
    ------
    KeyError
        If no score has that name.
    TypeError, ValueError
        If it is none of these, no importance, no place, or a function of other arguments.

    Examples
    --------
    >>> as_score("precision").name
    'ppv'
    >>> as_score((1.0, 0.5)).importance
    {'tn': 0.0, 'fp': 0.5, 'fn': 0.5, 'tp': 1.0}
    >>> as_score(lambda tn, fp, fn, tp: tp + tn).name
    'score'
    """
    if isinstance(score, Score):
        return score
    if isinstance(score, str):
        return get(score)
    if isinstance(score, xr.DataArray):
        return ranking(score)
    if isinstance(score, tuple):
        if len(score) != 2:
            raise ValueError(f"score must be a pair (a, b) if it is a place on the Tile; got {score!r}")
        return canonical(*score)
    if callable(score):
        return _of_function(score)
    raise TypeError(
        "score must be a Score, a name, an importance, a place (a, b), or a function of (tn, fp, fn, tp); "
        f"got {type(score).__name__}"
    )


def _of_function(function: Callable[..., Any]) -> Score:
    name = getattr(function, "__name__", "score")
    try:
        signature(function).bind(*"abcd")
    except TypeError as error:
        raise TypeError(f"score must be a function of (tn, fp, fn, tp); got {name!r}: {error}") from None
    except ValueError:  # built-in functions may not tell
        pass

    return Score(
        "score" if name == "<lambda>" else name, OfFunction(function), range=(-INFINITY, INFINITY), finite_mean=False
    )


@dataclass(frozen=True)
class OfFunction:
    """A plain function of probabilities, whatever the cells hold."""

    function: Callable[..., Any] = field(hash=False)  # which need not have one

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        total = tn + fp + fn + tp
        try:
            return self.function(*(ratio(cell, total) for cell in (tn, fp, fn, tp)))
        except (TypeError, ValueError) as error:  # as `if tp > 0` and math.sqrt(tp) raise
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(
                "score must take arrays tn, fp, fn, tp (np.where for if, np.sqrt for math.sqrt); "
                f"{getattr(self.function, '__name__', 'score')!r} got them and said: {error}"
            ) from error


def catalog() -> pd.DataFrame:
    """All scores and what is known of them, one row a score; averages over classes are not listed.

    Returns
    -------
    pandas.DataFrame
        Indexed by name.

    Examples
    --------
    >>> catalog().loc["ppv", "formula"]
    'TP / (FP + TP)'
    """
    columns = (
        "symbol", "formula", "aliases", "range", "higher_is_better", "depends_on_prevalence", "importance",
        "domain", "reference",
    )  # fmt: skip
    rows = {score.name: {c: getattr(score, c) for c in columns} for score in SCORES.values()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(columns)).rename_axis("name")
