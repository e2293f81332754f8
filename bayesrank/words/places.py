"""A place of the Tile in words."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result
from bayesrank._core.prose import join_names
from bayesrank.scores.display import display_name
from bayesrank.scores.placement import AT_ONE_PREVALENCE
from bayesrank.words.parts import Verdict, compose

#: Scores with the order of a canonical score, but with other values.
ORDER_ONLY = ("jaccard_negative", "cohen_kappa")
NEEDED = {
    "right_ratio",
    "wrong_ratio",
    "neutral_prevalence",
    "distance",
    "always_negative",
    "always_positive",
}


def verdict_of_place(described: xr.Dataset) -> Verdict:
    """Return the description of a place of the Tile, from :func:`bayesrank.tile.describe_place`."""
    check_result("br.tile.describe_place", "result", described, NEEDED, ("a", "b"))
    right = _compare("true positive", "true negative", float(described["right_ratio"]))
    wrong = _compare("false negative", "false positive", float(described["wrong_ratio"]))
    headline = f"{right[0].upper()}{right[1:]}; {wrong}."
    neutral, share = float(described["neutral_prevalence"]), float(described["prevalence"])
    if np.isnan(neutral):
        chance = "At every prevalence, all classifiers without skill that have a value have the same one."
    elif neutral in (0.0, 1.0):
        chance = (
            "At no prevalence between 0 and 1 do all classifiers without skill have the same value."
        )
    else:
        only = prose.below_one(neutral, 3)
        record = "" if abs(float(only) - neutral) <= 1e-9 * min(neutral, 1 - neutral) else "about "
        chance = f"Classifiers without skill all have the same value at prevalence {record}{only}, and only there."
    notes, at = [], f"at prevalence {prose.below_one(share, 6)}"
    if not np.isnan(share):
        negative, positive = (
            _value(float(described[f"always_{name}"])) for name in ("negative", "positive")
        )
        notes.append(
            f"{at.capitalize()}, always negative has {negative}, and always positive {positive}."
        )
    near = [
        f"{display_name(str(name))} (distance {distance:.2g})"
        for name, distance in zip(
            described["score"].values, described["distance"].values, strict=True
        )
    ]
    first = str(described["score"].values[0])
    nearest = f"Nearest scores{'' if np.isnan(share) else f' {at}'}: {join_names(near)}."
    if float(described["distance"][0]) == 0:
        it = f"{at.capitalize()}, it" if first in AT_ONE_PREVALENCE else "It"
        nearest = f"{it} {'orders as' if first in ORDER_ONLY else 'is'} {display_name(first)}."
    return compose("place", headline, notes, chance, nearest)


def _value(value: float) -> str:
    return "no value" if np.isnan(value) else f"the value {prose.below_one(value, 3)}"


def _compare(one: str, other: str, ratio: float) -> str:
    """Return how much two outcomes count, relative to each other."""
    if ratio in (0, np.inf):
        return f"only {one if ratio else other}s count, and no {other if ratio else one}s"
    if ratio == 1:
        return f"{one}s and {other}s count equally"
    first, second = (one, other) if ratio > 1 else (other, one)
    times = prose.significant(max(ratio, 1 / ratio), 3)
    return f"a {first} counts {'slightly more than' if times == '1' else f'{times} times as much as'} a {second}"
