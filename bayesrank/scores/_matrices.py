"""Scores of any number of classes, on confusion matrices (..., actual, predicted) of counts or probabilities."""

from collections.abc import Callable

import numpy as np

from bayesrank.scores.score import ratio


def accuracy(matrix: np.ndarray) -> np.ndarray:
    """Share of correct cases."""
    return ratio(np.trace(matrix, axis1=-2, axis2=-1), matrix.sum(axis=(-2, -1)))


def mcc(matrix: np.ndarray) -> np.ndarray:
    """Correlation of the actual and the predicted class (Gorodkin 2004)."""
    matrix = np.asarray(matrix, dtype=float)
    actual, predicted = matrix.sum(axis=-1), matrix.sum(axis=-2)
    total = actual.sum(axis=-1)
    covariance = np.trace(matrix, axis1=-2, axis2=-1) * total - (actual * predicted).sum(axis=-1)
    spread = [total**2 - (margin**2).sum(axis=-1) for margin in (actual, predicted)]
    return ratio(covariance, np.sqrt(np.maximum(spread[0], 0)) * np.sqrt(np.maximum(spread[1], 0)))


def cohen_kappa(power: int) -> Callable[[np.ndarray], np.ndarray]:
    """Chance-corrected agreement; a disagreement weighs the distance of the classes to ``power`` (Cohen 1968)."""

    def function(matrix: np.ndarray) -> np.ndarray:
        matrix = np.asarray(matrix, dtype=float)
        place = np.arange(matrix.shape[-1])
        distance = np.abs(place[:, None] - place)
        weight = distance**power if power else (distance > 0).astype(float)
        actual, predicted = matrix.sum(axis=-1), matrix.sum(axis=-2)
        chance = actual[..., :, None] * predicted[..., None, :]
        observed = (weight * matrix).sum(axis=(-2, -1)) * matrix.sum(axis=(-2, -1))
        expected = (weight * chance).sum(axis=(-2, -1))
        return ratio(expected - observed, expected)

    return function
