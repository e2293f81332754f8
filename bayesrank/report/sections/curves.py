"""ROC, precision-recall and calibration curves of predicted probabilities, with bands that hold whole curves."""

from collections.abc import Sequence
from typing import Any

import xarray as xr
from markupsafe import Markup

from bayesrank._core.checks import check_result
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.nouns import noun
from bayesrank.evidence.probabilities import are_probabilities, probabilities_of
from bayesrank.ops.bands import credible_curves
from bayesrank.report.page import LISTED, Page, PageBlock, PageRequest, picture

PLACE, ON_REQUEST = 45, True
NEEDS = "results={'curves': br.ops.credible_curves(...)}"
TITLES = {
    "roc": "ROC curve",
    "precision_recall": "Precision-recall curve",
    "calibration": "Calibration",
}


def compute(request: PageRequest) -> list[xr.Dataset]:
    evidence = probabilities_of(request.evidence)
    if not isinstance(evidence, xr.Dataset) or "probability" not in evidence:
        raise ArgumentError(
            "--with curves",
            "cannot be used for data without predicted probabilities",
            request.title,
        )
    requested = ["roc", "precision_recall", *["calibration"] * are_probabilities(evidence)]
    return [
        credible_curves(evidence, curve, prob=request.prob, seed=request.seed)
        for curve in requested
    ]


def make(page: Page) -> PageBlock | None:
    given: Any = page.results.get("curves")
    if given is None:
        return None
    results = (
        [given] if isinstance(given, xr.Dataset | str) or not isinstance(given, Sequence) else given
    )
    return PageBlock("Curves", Markup("").join(_draw(one, page.order) for one in results))


def _draw(curves: Any, order: list[Any]) -> Markup:
    from bayesrank import plots

    check_result(
        "br.ops.credible_curves", "curves", curves, ("median", "lower", "entity"), ("curve", "prob")
    )
    if set(curves["entity"].values.tolist()) != set(order):
        raise ArgumentError(
            "curves",
            "must have the entities of the posterior",
            curves["entity"].values.tolist()[:5],
        )
    kind, shown = curves.attrs["curve"], select_names(curves, entity=order[:LISTED])
    draw, chance = getattr(plots, f"{kind}_curve"), f"{curves.attrs['prob']:g}"
    caption = f"{TITLES[kind]}: medians; a band holds the whole curve of its {noun()} with probability {chance}."
    return picture(lambda figure: draw(shown, figure.subplots()), (7.4, 4.6), caption)
