"""The marginal posterior interval of a rank."""

import numpy as np

#: Differences of ranks and probabilities below this are rounding errors.
ROUNDING = 1e-12


def rank_intervals(probability: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the narrowest rank interval of each entity with at most ``tail`` beyond either end; NaN if unknown."""
    below = np.cumsum(probability, axis=1)
    above = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]
    lower = 1 + np.argmax(below > tail + ROUNDING, axis=1)
    upper = probability.shape[1] - np.argmax((above > tail + ROUNDING)[:, ::-1], axis=1)
    known = ~np.isnan(probability).any(axis=1)
    return with_gaps(lower, known), with_gaps(upper, known)


def with_gaps(whole: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return whole numbers, or floats with NaN where unknown."""
    return whole.astype(int) if known.all() else np.where(known, whole.astype(float), np.nan)
