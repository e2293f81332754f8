"""Scores as text: a name, an importance of the four cells, a point of the Tile, or an F score with any beta."""

import math
import re
from dataclasses import replace

import bayesrank as br
from bayesrank.scores import Score, as_score, f_beta

__all__ = ["read_score"]

CELLS = ("tn", "fp", "fn", "tp")


def read_score(text: str) -> Score:
    """Return the score that was typed as --score."""
    if "=" in text:
        return _of_numbers(text)
    beta = re.fullmatch(r"\s*f[\s_-]?(\d*\.?\d+)(?:[\s_-]?score)?\s*", text, re.I)
    if beta is not None and "." in beta[1]:
        return f_beta(float(beta[1]))
    return as_score(text)


def _of_numbers(text: str) -> Score:
    """Return an importance of the four cells, or a place (a, b)."""
    wanted = (
        f"--score must be a name, an importance tn=1,fp=1,fn=5,tp=1, or a place a=0.3,b=0.7, with decimal points; got "
        f"{text!r}"
    )
    found = read_numbers(text, wanted)
    if set(found) == {"a", "b"}:
        score = as_score((found["a"], found["b"]))
        return replace(score, display=f"ranking score (a={found['a']:g}, b={found['b']:g})")
    if not found or not set(found) <= set(CELLS):
        raise ValueError(wanted)
    typed = [f"{cell}={found.get(cell, 0):g}" for cell in CELLS]
    return replace(
        as_score(br.importance(**found)), name=",".join(typed), display=f"ranking score ({', '.join(typed)})"
    )


def read_numbers(text: str, wanted: str) -> dict[str, float]:
    """Parse NAME=NUMBER,...; an error says what is wanted."""
    found: dict[str, float] = {}
    for part in re.split(r"[,;\s]+(?=[a-z])", text.strip().lower()):
        name, _, value = (word.strip() for word in part.partition("="))
        try:
            number = float(value)
        except ValueError:
            raise ValueError(wanted) from None
        if name in found or not math.isfinite(number):
            raise ValueError(wanted)
        found[name] = number
    return found
