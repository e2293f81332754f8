"""Of three classes or more: how the classes are confused, and the recall of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank._core.draws import draw_dims
from bayesrank._core.labels import select_names
from bayesrank.plots.kit.colors import DISTINCT, place_colors
from bayesrank.plots.kit.page import apply_theme
from bayesrank.report.page import Page, PageBlock, bars, block
from bayesrank.report.pictures import Axis

PLACE, ON_REQUEST = 10, False
NEEDS = "three classes or more"
#: How much more strongly errors are shaded than right answers.
ERRORS = 4
#: Entities whose matrices and whose recalls are shown, and classes of a matrix; of more the largest
#: confusions.
MATRICES, COMPARED, CLASSES, PAIRS = 2, 3, 12, 12


def make(page: Page) -> PageBlock | None:
    performance = page.performance
    if (
        performance is None
        or performance.sizes.get("actual", 0) < 3
        or "dataset" in performance.dims
    ):
        return None
    names = page.order[:COMPARED]
    performance = select_names(performance, entity=names).transpose(
        *draw_dims(performance), "entity", "actual", "predicted"
    )
    rows = performance.sum("predicted")
    shares = performance / rows.where(rows > 0)
    means = shares.mean(draw_dims(performance)).values
    labels = [str(label) for label in performance["actual"].values]
    if len(labels) <= CLASSES:
        matrices = [
            _matrix(str(name), labels, table)
            for name, table in zip(names[:MATRICES], means, strict=False)
        ]
        words = (
            "Mean share of each actual class, in %. Cells below 0.5% are blank, and errors are shaded "
            f"{ERRORS} times as strongly as right answers."
        )
        html = Markup('<div class="matrices">{}</div>').format(Markup("").join(matrices)) + block(
            "words", [words]
        )
    else:
        html = _largest(names[0], labels, means[0])
    return PageBlock("Classes", html + _recalls(page, names, labels, shares))


def _matrix(name: str, labels: list[str], table: np.ndarray) -> Markup:
    """Return one entity's matrix, shaded by the shares."""
    cells = [
        [
            (
                round(100 * (x if i == j else min(ERRORS * x, 1))),
                f"{100 * x:.0f}" if x >= 0.005 else "",
                i == j,
            )
            for j, x in enumerate(row.tolist())
        ]
        for i, row in enumerate(np.nan_to_num(table))
    ]
    return block("matrix", name, labels, list(zip(labels, cells, strict=True)))


def _largest(name: Any, labels: list[str], table: np.ndarray) -> Markup:
    """Return the largest confusions of the first entity, of too many classes for a matrix."""
    wrong = np.where(np.eye(len(labels), dtype=bool), 0.0, np.nan_to_num(table))
    first = np.argsort(-wrong, axis=None, kind="stable")[:PAIRS]
    pairs = [np.unravel_index(k, wrong.shape) for k in first if wrong.ravel()[k] > 0]
    rows = [[labels[i], labels[j], f"{100 * wrong[i, j]:.1f}%"] for i, j in pairs]
    words = block("words", [f"The largest confusions of {name}: mean shares of the actual class."])
    return words + block("table", ["actual", "predicted", "share"], rows)


def _recalls(page: Page, names: Sequence[Any], labels: list[str], shares: xr.DataArray) -> Markup:
    """Return the recall of each class for the first entities, the class with the lowest one first."""
    right = np.moveaxis(np.diagonal(shares.values, axis1=-2, axis2=-1), (-2, -1), (0, 1))
    right = right.reshape(len(names), len(labels), -1)
    levels = [0.5, (1 - page.prob) / 2, (1 + page.prob) / 2]
    numbers = np.moveaxis(np.quantile(right, levels, axis=-1), 0, -1)
    axis = Axis.of(numbers, "recall (the share of a class that is found)")
    # Colours are those of places among all entities, if these can be distinguished.
    every, several = page.ranking["entity"].values.tolist(), len(names) > 1
    places = [every.index(name) for name in names] if len(every) <= DISTINCT else range(len(names))
    colors = [apply_theme(color) for color in place_colors(places)]
    order = np.argsort(np.nan_to_num(numbers[0, :, 0], nan=2.0), kind="stable")
    rows: list[dict[str, Any]] = []
    for k in order:
        marks = [
            axis.mark(numbers[i, k], color, 100 * (i + 0.5) / len(names))
            for i, color in enumerate(colors)
        ]
        rows.append({"name": labels[k], "tall": len(names), "panels": [marks]})
    caption = (
        f"Recall of each class: median and {page.percent} interval. The class that {names[0]} "
        "misses most is first."
    )
    content = bars([axis], rows, "The recall of each class with intervals; the lowest first.")
    legend = (
        block("legend", list(zip(colors, map(str, names), strict=True))) if several else Markup("")
    )
    return block("rows", legend + content, caption)
