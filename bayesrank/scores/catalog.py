"""The catalogue: every two-class score by its name.

Formulas are ratios of sums of products of the cells, homogeneous of degree 0, so that counts and probabilities give
the same number and equal counts give exactly equal values.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import pandas as pd

from bayesrank.scores.combined import COMBINED
from bayesrank.scores.peers import PEERS
from bayesrank.scores.probabilistic import PROBABILISTIC
from bayesrank.scores.score import Score, ratio

__all__ = ["ALIASES", "SCORES", "as_score", "catalog", "get"]

INFINITY = float("inf")

SCORES: dict[str, Score] = {score.name: score for score in (*PROBABILISTIC, *COMBINED, *PEERS)}

ALIASES: dict[str, str] = {alias: score.name for score in SCORES.values() for alias in score.aliases}


def get(name: str) -> Score:
    """The score of that name or alias.

    Parameters
    ----------
    name : str
        Case, spaces and hyphens do not matter.

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
    >>> get("sensitivity").name
    'tpr'
    """
    if not isinstance(name, str):
        raise TypeError(f"score must be a name; got {type(name).__name__}")
    key = name.strip().lower().replace(" ", "_").replace("-", "_")
    key = ALIASES.get(key, key)
    if key not in SCORES:
        from difflib import get_close_matches

        near = get_close_matches(key, [*SCORES, *ALIASES], n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise KeyError(f"score must be one of those in br.scores.catalog(); got {name!r}{hint}")
    return SCORES[key]


def as_score(score: Any) -> Score:
    """A Score from a Score, a name or alias, or a plain function of (tn, fp, fn, tp).

    Parameters
    ----------
    score : Score, str or callable
        A function takes four arrays of probabilities and gives an array of numbers; higher is better, and its mean
        is not known to be finite.

    Returns
    -------
    Score

    Raises
    ------
    KeyError
        If no score has that name.
    TypeError
        If it is none of these, or a function of other arguments.

    Examples
    --------
    >>> as_score("precision").name
    'ppv'
    >>> as_score(lambda tn, fp, fn, tp: tp + tn).name
    'score'
    """
    if isinstance(score, Score):
        return score
    if isinstance(score, str):
        return get(score)
    if callable(score):
        name = getattr(score, "__name__", "score")
        _check_signature(score, name)

        def of_probabilities(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
            total = tn + fp + fn + tp
            try:
                return score(*(ratio(cell, total) for cell in (tn, fp, fn, tp)))
            except (TypeError, ValueError) as error:  # as `if tp > 0` and math.sqrt(tp) raise
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(
                    f"score must take arrays tn, fp, fn, tp (np.where for if, np.sqrt for math.sqrt); {name!r} got "
                    f"them and said: {error}"
                ) from error

        return Score(
            "score" if name == "<lambda>" else name, of_probabilities, range=(-INFINITY, INFINITY), finite_mean=False
        )
    raise TypeError(f"score must be a Score, a name, or a function of (tn, fp, fn, tp); got {type(score).__name__}")


def _check_signature(score: Callable[..., Any], name: str) -> None:
    try:
        signature(score).bind(*"abcd")
    except TypeError as error:
        raise TypeError(f"score must be a function of (tn, fp, fn, tp); got {name!r}: {error}") from None
    except ValueError:  # built-in functions may not tell
        pass


def catalog() -> pd.DataFrame:
    """All scores and what is known of them, one row a score.

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
