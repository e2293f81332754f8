"""Quantiles of draws, and the marginal posterior interval of a rank."""

from typing import Any

import numpy as np

#: Differences of ranks and probabilities below this are rounding errors.
ROUNDING = 1e-12


def quantiles_of(x: np.ndarray, tail: float) -> tuple[np.ndarray, ...]:
    """Return median, lower and upper end, mean and number of the defined draws of each column, by blocks of columns."""
    out = np.full((5, x.shape[1]), np.nan)
    columns = max(min(32, 2**21 // max(len(x), 1)), 1)  # 16 MB are sorted together
    for start in range(0, x.shape[1], columns):
        part = np.array(x[:, start : start + columns].T, order="C")  # a copy, as it will be sorted
        out[4, start : start + columns] = defined = (~np.isnan(part)).sum(axis=1)
        some, total = (
            defined > 0,
            part.sum(axis=1) if defined.min() == len(x) else np.nansum(part, axis=1),
        )
        np.divide(total, defined, out=out[3, start : start + columns], where=some)
        # Sorting each column, undefined values last, is faster than separate quantiles.
        part.sort(axis=1)
        for k, share in enumerate((0.5, tail, 1 - tail)):
            position = np.maximum(share * (defined - 1), 0.0)
            below = np.floor(position).astype(int)
            low, high = (
                part[np.arange(len(part)), at]
                for at in (below, np.minimum(below + 1, np.maximum(defined, 1) - 1))
            )
            out[k, start : start + columns] = low + (high - low) * (position - below)
    return tuple(out)


def rank_intervals(probability: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the narrowest rank interval of each entity with at most ``tail`` beyond either end; NaN if unknown."""
    below = np.cumsum(probability, axis=1)
    above = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]
    lower = 1 + np.argmax(below > tail + ROUNDING, axis=1)
    upper = probability.shape[1] - np.argmax((above > tail + ROUNDING)[:, ::-1], axis=1)
    ranked = ~np.isnan(probability).any(axis=1)
    return with_gaps(lower, ranked), with_gaps(upper, ranked)


def with_gaps(whole: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return whole numbers, or floats with NaN where unknown."""
    return whole.astype(int) if known.all() else np.where(known, whole.astype(float), np.nan)


def order_name(ranking: Any) -> str:
    """Return by which order a ranking is listed: "predictive" where it was asked for, else "consensus"."""
    return "predictive" if "predictive_position" in ranking else "consensus"


def position_of(ranking: Any) -> Any:
    """Return the positions of the entities in the order by which one ranking is listed.

    Of the entities that could be best, the first is the leader. Its position is 0.
    """
    position = ranking[f"{order_name(ranking)}_position"]
    best = np.asarray(ranking.get("in_best_set", False))
    if not best.any():
        return position
    return position * (np.asarray(position) != np.asarray(position)[best].min())
