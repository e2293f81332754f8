"""Pictures of predicted probabilities: ROC, precision-recall and calibration curves with simultaneous bands."""

from typing import Any

import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import ResultRecord
from bayesrank.evidence.probabilities import probabilities_of
from bayesrank.ops.bands import AXES, credible_curves
from bayesrank.plots.kit.colors import Colors, entity_colors, frequent_winners, grey_shade
from bayesrank.plots.kit.style import (
    band_words,
    draw_curves,
    finish_plot,
    label_curves,
    new_axes,
    plain_names,
    write_title,
)

#: With more entities, only entities that are highest somewhere have a name and a colour.
NAMED = 12
#: Labels of both axes.
LABELS = {
    "roc": ("false positive rate (1 - specificity)", "true positive rate (sensitivity)"),
    "precision_recall": ("recall (sensitivity)", "precision"),
    "calibration": ("predicted probability (mean of a bin)", "observed frequency (median)"),
}


@check_call
def roc_curve(curves: xr.Dataset, ax: Any = None, *, colors: Colors = None) -> Any:
    """Draw the ROC curve of each entity, with a band that holds the whole curve.

    Lines are medians of the draws. Of more than four entities, the four that are the highest most
    often have bands. If there are more than twelve entities, at most eight are named:
    entities with the highest median somewhere. The others are grey lines.

    Parameters
    ----------
    curves : xarray.Dataset
        The result of :func:`bayesrank.ops.credible_curves` of this curve; or evidence with
        probabilities, whose curves are computed.
    ax : matplotlib Axes, optional
    colors : mapping, optional
        Colours by entity (:func:`colors`).

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 0, 1, 1, 1] * 9, {"a": [0.1, 0.4, 0.6, 0.3, 0.7, 0.9] * 9})
    >>> roc_curve(br.ops.credible_curves(evidence, "roc", seed=1)).get_xlabel()
    'false positive rate (1 - specificity)'
    """
    return _draw(curves, "roc", ax, colors)


@check_call
def precision_recall_curve(curves: xr.Dataset, ax: Any = None, *, colors: Colors = None) -> Any:
    """Draw the precision-recall curve of each entity, with a band that holds the whole curve.

    Parameters
    ----------
    curves, ax, colors
        As for :func:`roc_curve`.

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 0, 1, 1, 1] * 9, {"a": [0.1, 0.4, 0.6, 0.3, 0.7, 0.9] * 9})
    >>> precision_recall_curve(br.ops.credible_curves(evidence, "precision_recall", seed=1)).get_xlabel()
    'recall (sensitivity)'
    """
    return _draw(curves, "precision_recall", ax, colors)


@check_call
def calibration_curve(curves: xr.Dataset, ax: Any = None, *, colors: Colors = None) -> Any:
    """Draw how often each predicted probability comes true, with a band that holds the frequencies of all bins.

    On the dotted line, predicted probabilities are calibrated. Of more than four entities, the four
    that are the closest to it most often have bands. Of more than twelve, only some are named: each
    is the closest to this line somewhere.

    Parameters
    ----------
    curves, ax, colors
        As for :func:`roc_curve`.

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 0, 1, 1, 1] * 9, {"a": [0.1, 0.4, 0.6, 0.3, 0.7, 0.9] * 9})
    >>> calibration_curve(br.ops.credible_curves(evidence, "calibration", seed=1)).get_xlabel()
    'predicted probability (mean of a bin)'
    """
    return _draw(curves, "calibration", ax, colors)


def _draw(curves: Any, curve: str, ax: Any, colors: Colors) -> Any:
    """Draw medians and bands of all entities, or of some that lead."""
    if (
        isinstance(curves, xr.Dataset)
        and "probability" in curves
        and "actual" in probabilities_of(curves).coords
    ):
        curves = credible_curves(probabilities_of(curves), curve, seed=0)
    maker, x = f"br.ops.credible_curves(..., curve={curve!r})", AXES[curve][0]
    check_result(
        maker, "curves", curves, (x, "median", "lower", "upper", "entity"), ("curve", "prob")
    )
    if curves.attrs["curve"] != curve:
        raise ArgumentError("curves", f"must come from {maker}", curves.attrs["curve"])
    ax = new_axes(ax, 7.4, 4.6)
    entities, bins = curves["entity"].values.tolist(), curve == "calibration"
    hidden = curves["lower"].isnull().all("point").values
    height = -abs(curves["median"] - curves[x]).fillna(1.0) if bins else curves["median"]
    shown = range(len(entities)) if len(entities) <= NAMED else frequent_winners(height.values)
    names = [
        text + "\n(no band: too few cases)" * bool(lacks)
        for text, lacks in zip(plain_names(entities, 34), hidden, strict=True)
    ]
    lines = [curves.isel(entity=i) for i in range(len(entities))]
    paints = list(entity_colors(entities, colors).values())
    variables, first = (x, "median", "lower", "upper"), frequent_winners(height.values)
    draw_curves(ax, lines, shown, names, paints, variables, marks=bins, banded=first)
    if curve != "precision_recall":
        ax.plot([0, 1], [0, 1], color=grey_shade(ax, 0.6), linewidth=1, linestyle=":")
    across, up = LABELS[curve]
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal", xlabel=across, ylabel=up)
    where = "closest to the dotted line" if bins else "highest"
    write_title(ax, band_words(shown, first, ResultRecord.of(curves).prob, where))
    label_curves(ax, ends=False)
    return finish_plot(ax)
