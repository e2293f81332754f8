"""Chance-corrected scores on the Tile, zones where some entities are ahead, and a summary in words."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_choice, check_integer
from bayesrank._escape import escape_lines
from bayesrank._types import Container
from bayesrank.performance import no_skill_twin
from bayesrank.scores.placement import canonical_values
from bayesrank.tile._grid import axis, canonical_cells, label_map, point_cells, two_class
from bayesrank.tile.geometry import holders, regions

__all__ = ["chance_corrected", "in_words", "zone"]

#: Scores with the same position on the Tile at all class priors.
NAMED = {
    "TNR": (0.0, 0.0),
    "PPV": (1.0, 0.0),
    "accuracy": (0.5, 0.5),
    "F1": (1.0, 0.5),
    "NPV": (0.0, 1.0),
    "TPR": (1.0, 1.0),
}
#: Smallest difference between unequal values.
ROUNDING = 1e-12


def chance_corrected(source: Container, resolution: int = 101, *, kind: str | None = None) -> xr.DataArray:
    """Return every canonical score, corrected for chance as Cohen's κ corrects accuracy.

    Parameters
    ----------
    source, resolution, kind
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        (R - R₀) / (1 - R₀), dims (..., b, a), with R₀ of the no-skill performance with equal prevalence and prediction
        rate: 1 if perfect, 0 without skill; NaN where R₀ is 1 or R is undefined.

    See Also
    --------
    relative_skill : Compare with the best no-skill performance at the prevalence.
    chance_corrected_place : Return the canonical score with the same order.

    References
    ----------
    Piérard et al., The Tile, Section 4.4.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=70, fp=10, fn=4, tp=16, entity="a")
    >>> chance_corrected(counts, resolution=3).sel(a=0.5, b=0.5).item(), br.scores.cohen_kappa(counts).item()
    (0.606..., 0.606...)
    """
    array, points = two_class(source, kind), axis(resolution)
    chance = canonical_cells(no_skill_twin(array), points)
    room = 1 - chance
    skill = (canonical_cells(array, points) - chance) / room.where(room > ROUNDING)
    return label_map(skill, array, points, "chance_corrected")


def zone(source: Container, entities: Any, rivals: Any, points: int = 201, *, kind: str | None = None) -> xr.Dataset:
    """Return the zone of the Tile where each of the entities is better than or equivalent to every rival.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws.
    entities, rivals : hashable or list of hashable
        Names of the entities, and of their rivals.
    points : int
        Number of values of a, at least 2.
    kind : str, optional
        As for :func:`value`.

    Returns
    -------
    xarray.Dataset
        ``lower`` and ``upper`` (a): the exact range of b in the zone; NaN where it is empty. ``area``: its share of the
        Tile, by the trapezoidal rule over 4,001 values of a. An undefined score (0/0) counts as equivalent.

    Raises
    ------
    KeyError, ValueError
        If an entity is unknown, or either list is empty; for sources as :func:`frontier`.

    References
    ----------
    Piérard et al., The Tile, A.4.1 with Eq. 6 to 8 (equal priors, for which the zone is a convex polygon).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50, 40], fp=[30, 50, 60], fn=[30, 20, 25], tp=[70, 80, 75], entity=list("abc"))
    >>> found = zone(counts, "a", ["b", "c"], points=3)
    >>> found["lower"].values.tolist(), found["upper"].values.round(3).tolist(), round(found["area"].item(), 3)
    ([0.0, 0.0, 0.0], [0.952, 0.738, 0.524], 0.738)
    """
    check_integer("points", points, 2)
    cells, names = point_cells(source, kind)
    chosen = []
    for argument, given in (("entities", entities), ("rivals", rivals)):
        wanted = list(given) if isinstance(given, list | tuple | np.ndarray) else [given]
        if not wanted:
            raise ValueError(f"{argument} must name at least one entity; got none")
        for name in wanted:
            check_choice(argument, name, names, KeyError)
        chosen.append(cells[:, [names.index(name) for name in wanted]])
    a = np.linspace(0.0, 1.0, points)
    low, high = _borders(chosen[0], chosen[1], a)
    fine = np.linspace(0.0, 1.0, 4001)
    below, above = _borders(chosen[0], chosen[1], fine)
    height = np.maximum(above - below, 0.0)
    area = np.sum((height[1:] + height[:-1]) / 2) / (fine.size - 1)
    empty = ~(low <= high)  # also where NaN
    found = {"lower": ("a", np.where(empty, np.nan, low)), "upper": ("a", np.where(empty, np.nan, high))}
    return xr.Dataset({**found, "area": ((), float(area))}, {"a": a})


def _borders(ones: np.ndarray, others: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest b at which all ``ones`` are ahead, for each a; lower > upper if there is none.

    An entity is ahead of a rival where s u' - s' u >= 0, which is linear in b.
    """
    low, high = np.zeros_like(a), np.ones_like(a)
    for tn, fp, fn, tp in ones.T:
        for tn_, fp_, fn_, tp_ in others.T:
            s, s_ = (1 - a) * tn + a * tp, (1 - a) * tn_ + a * tp_
            ends = []
            for wrong, wrong_ in ((fp, fp_), (fn, fn_)):
                gain, loss = s * wrong_, s_ * wrong
                ends.append(np.where(np.abs(gain - loss) <= ROUNDING * (gain + loss), 0.0, gain - loss))
            at_0, at_1 = ends
            swaps = at_0 * at_1 < 0
            b = np.where(swaps, at_0 / np.where(swaps, at_0 - at_1, 1.0), 0.0)
            # A difference of at least 0 at an end means ahead; a tie at one end alone is a single point.
            low = np.maximum(low, np.where(at_0 >= 0, 0.0, np.where(at_1 > 0, b, np.where(at_1 == 0, 1.0, np.inf))))
            high = np.minimum(high, np.where(at_1 >= 0, 1.0, np.where(at_0 > 0, b, np.where(at_0 == 0, 0.0, -np.inf))))
    known = not (np.isnan(ones).any() or np.isnan(others).any())
    return (low, high) if known else (np.full_like(a, np.nan), np.full_like(a, np.nan))


def in_words(source: Container, *, kind: str | None = None) -> str:
    """Summarise the Tile in sentences: the best entity by share of the scores, and by named scores.

    Parameters
    ----------
    source, kind
        As for :func:`frontier`, with its errors; for a posterior see :func:`credible`.

    Returns
    -------
    str
        The summary; shares below half a percent are added up.

    References
    ----------
    Piérard et al., The Tile, Section 4.3.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[30, 20], tp=[70, 80], entity=["a", "b"])
    >>> print(in_words(counts))
    Of these performances, a is best by 74% of the canonical ranking scores, b by 26%.
    By name: a has the highest TNR, PPV, accuracy, F1; b has the highest NPV, TPR.
    """
    cells, names = point_cells(source, kind)
    held = holders(regions(source, kind=kind))
    shares = dict(zip(held["entity"].values.tolist(), held["area"].values.tolist(), strict=True))
    shown = {name: share for name, share in shares.items() if share >= 0.005}
    first, *others = shown
    parts = [f"{first} is best by {_percent(shown[first])} of the canonical ranking scores"]
    parts += [f"{name} by {_percent(shown[name])}" for name in others]
    if len(shown) < len(shares):
        rest = sum(shares.values()) - sum(shown.values())
        parts.append(f"{_text.count(len(shares) - len(shown), 'other')} by {_percent(rest)}")
    lines = [f"Of these performances, {', '.join(parts)}."]
    best: dict[tuple[str, ...], list[str]] = {}
    for score, (a, b) in NAMED.items():
        leaders = _leaders(cells, names, a, b)
        if leaders:
            best.setdefault(tuple(leaders), []).append(score)
    sentences = [
        f"{' and '.join(leaders)} {'has' if len(leaders) == 1 else 'have'} the highest {', '.join(scores)}"
        for leaders, scores in best.items()
    ]
    lines.append(f"By name: {'; '.join(sentences)}.")
    unknown = [str(name) for name, known in zip(names, ~np.isnan(cells).any(0), strict=True) if not known]
    if unknown:
        lines.append(f"Without a performance: {', '.join(unknown)}.")
    return "\n".join(escape_lines(lines))


def _leaders(cells: np.ndarray, names: Iterable[Any], a: float, b: float) -> list[str]:
    """Return the entities with the highest score at (a, b); none if it is undefined for all."""
    score = canonical_values(cells, a, b)
    if np.isnan(score).all():
        return []
    return [str(name) for name, value in zip(names, score, strict=True) if value >= np.nanmax(score) - ROUNDING]


def _percent(share: float) -> str:
    """Format a share so that only exact values print as 0% or 100%."""
    if 0 < share < 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 - 1e-9 else f"{share:.0%}"
