"""Scores of ordered classes, from the distance between predicted and actual class."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesrank.scores.names import INFINITY, add
from bayesrank.scores.score import Score, ratio

GAUDETTE = "Gaudette and Japkowicz (2009)"


def _mean(
    loss: Callable[[np.ndarray], np.ndarray], power: float = 1.0
) -> Callable[[np.ndarray, Any], np.ndarray]:
    """Return a power of the mean over the cases of a function of predicted minus actual position."""

    def function(matrix: np.ndarray, present: Any) -> np.ndarray:
        position = np.arange(matrix.shape[-1])
        weighed = loss(position - position[:, None]) * matrix
        return ratio(weighed.sum(axis=(-2, -1)), matrix.sum(axis=(-2, -1))) ** power

    return function


def _add(
    name: str,
    symbol: str,
    formula: str,
    function: Callable[[np.ndarray, Any], np.ndarray],
    **more: Any,
) -> None:
    """Add a score of the distance d between predicted and actual class; by default an error, from 0 on."""
    formula = f"{formula}, d the predicted less the actual class, in their order"
    fixed: dict[str, Any] = {
        "range": (0.0, INFINITY),
        "higher_is_better": False,
        "reference": GAUDETTE,
    }
    add(
        Score(
            name, None, symbol=symbol, formula=formula, matrix_function=function, **(fixed | more)
        )
    )


_add(
    "adjacent_accuracy",
    "AA",
    "P(|d| <= 1)",
    _mean(lambda off: (np.abs(off) <= 1).astype(float)),
    aliases=("accuracy_within_one", "off_by_one_accuracy"),
    range=(0.0, 1.0),
    higher_is_better=True,
)
_add("mean_absolute_error", "MAE", "E|d|", _mean(np.abs), aliases=("mae",))
_add("mean_squared_error", "MSE", "E d²", _mean(np.square), aliases=("mse",))
_add("root_mean_squared_error", "RMSE", "sqrt(E d²)", _mean(np.square, 0.5), aliases=("rmse",))
_add(
    "mean_signed_error",
    "ME",
    "E d",
    _mean(lambda off: off),
    aliases=("mean_error", "signed_error"),
    range=(-INFINITY, INFINITY),
    higher_is_better=None,
    reference="Wilks (2011)",
)
