"""The marginal posterior interval of a rank."""

from typing import Any

import numpy as np

#: Differences of ranks and probabilities below this are rounding errors.
ROUNDING = 1e-12


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
