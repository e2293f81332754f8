"""Scores of ordered classes, from the distance between predicted and actual class."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesrank.scores.names import INFINITY, add
from bayesrank.scores.score import Score, ratio

GAUDETTE = "Gaudette and Japkowicz (2009)"


def _mean(loss: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray, Any], np.ndarray]:
    """Return the mean over the cases of a function of predicted minus actual position."""

    def function(matrix: np.ndarray, present: Any) -> np.ndarray:
        place = np.arange(matrix.shape[-1])
        off = loss(place - place[:, None])
        return ratio((off * matrix).sum(axis=(-2, -1)), matrix.sum(axis=(-2, -1)))

    return function


_squared = _mean(np.square)

add(
    Score(
        "adjacent_accuracy",
        None,
        symbol="AA",
        formula="P(|d| <= 1), d the predicted less the actual class, in their order",
        aliases=("accuracy_within_one", "off_by_one_accuracy"),
        matrix_function=_mean(lambda off: (np.abs(off) <= 1).astype(float)),
        reference=GAUDETTE,
    )
)
add(
    Score(
        "mean_absolute_error",
        None,
        symbol="MAE",
        formula="E|d|, d the predicted less the actual class, in their order",
        aliases=("mae",),
        range=(0.0, INFINITY),
        higher_is_better=False,
        matrix_function=_mean(np.abs),
        reference=GAUDETTE,
    )
)
add(
    Score(
        "mean_squared_error",
        None,
        symbol="MSE",
        formula="E d², d the predicted less the actual class, in their order",
        aliases=("mse",),
        range=(0.0, INFINITY),
        higher_is_better=False,
        matrix_function=_squared,
        reference=GAUDETTE,
    )
)
add(
    Score(
        "root_mean_squared_error",
        None,
        symbol="RMSE",
        formula="sqrt(E d²), d the predicted less the actual class, in their order",
        aliases=("rmse",),
        range=(0.0, INFINITY),
        higher_is_better=False,
        matrix_function=lambda matrix, present: np.sqrt(_squared(matrix, present)),
        reference=GAUDETTE,
    )
)
add(
    Score(
        "mean_signed_error",
        None,
        symbol="ME",
        formula="E d, d the predicted less the actual class, in their order",
        aliases=("mean_error", "signed_error"),
        range=(-INFINITY, INFINITY),
        higher_is_better=None,
        matrix_function=_mean(lambda off: off),
        reference="Wilks (2011)",
    )
)
