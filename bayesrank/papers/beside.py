"""The Tile beside ROC space: selected scores in both (The Tile, Figure 1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_numbers, check_prevalence
from bayesrank._types import Container
from bayesrank.plots._colors import OKABE_ITO, entity_colors, grey_shade, ink_color, paper_color, scale_on
from bayesrank.plots._furniture import SEQUENTIAL
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import plain_names
from bayesrank.plots.maps import value_tile

__all__ = ["roc_beside_tile"]

#: Pictures of ROC beside a Tile.
MOST = 12
#: Entities whose points have names.
NAMED = 12


def roc_beside_tile(
    tile: xr.DataArray,
    a: Any,
    b: Any,
    prevalence: float,
    source: Container | None = None,
    *,
    colors: Mapping[Any, Any] | None = None,
) -> Any:
    """Draw a Tile with selected scores, and ROC space with the iso-performance lines of each score.

    Parameters
    ----------
    tile : xarray.DataArray
        A map of numbers (b, a) to draw.
    a, b : float or sequence of float
        The chosen score, or up to twelve: they are numbered on the Tile, and have a picture of ROC each.
    prevalence : float
        Of the ROC space.
    source : DataArray, optional
        Performances (entity, actual, predicted) to mark as points of ROC, named if there are twelve or fewer.
    colors : mapping, optional
        Colours by entity; the other entities are grey. By default the colour depends on the place among all entities.

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Piérard et al., The Tile, Figure 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27)
    >>> tile = br.tile.value(counts).isel(entity=0)
    >>> len(roc_beside_tile(tile, a=0.9, b=0.4, prevalence=0.25).axes)  # with colour bars
    4
    """
    import matplotlib
    import matplotlib.pyplot as plt

    from bayesrank.tile import isoperformance

    prevalence = check_prevalence(prevalence)
    places = [np.atleast_1d(check_numbers(name, given, 0.0, 1.0)) for name, given in (("a", a), ("b", b))]
    sizes = sorted({one.size for one in places} - {1}) or [1]
    if any(one.ndim > 1 for one in places) or len(sizes) > 1 or not 1 <= sizes[0] <= MOST:
        raise ValueError(
            f"a and b must be numbers, or as many of each, {MOST} at most; got {[p.shape for p in places]}"
        )
    across, up = np.broadcast_arrays(*places)
    number = across.size
    room = 2.4 if 0 < getattr(source, "sizes", {}).get("entity", 0) <= NAMED else 0.0
    figure, axes = plt.subplots(1, 1 + number, figsize=(5.0 + 4.4 * number + room, 4), layout="constrained")
    left, *squares = axes
    value_tile(tile, ax=left, prevalence=prevalence)
    scale = scale_on(left, SEQUENTIAL)
    for k, (right, x, y) in enumerate(zip(squares, across.tolist(), up.tolist(), strict=True)):
        mark = str(k + 1) if number > 1 else ""
        size = 12 if mark else 9
        left.plot(
            x, y, "o", color=OKABE_ITO[5], markeredgecolor=paper_color(left), markersize=size, clip_on=False, zorder=5
        )
        left.annotate(mark, (x, y), color="white", fontsize=8, ha="center", va="center", zorder=6)
        for level in np.linspace(0, 1, 11):
            line = isoperformance(x, y, float(level), prevalence, points=201)
            right.plot(line["fpr"], line["tpr"], color=scale(level), linewidth=1.5)
        right.plot([0, 1], [0, 1], color=grey_shade(right, 0.6), linewidth=1, linestyle=":")
        if source is not None:
            _roc_points(right, source, colors)
        right.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="FPR", ylabel="TPR", aspect="equal")
        right.set_title(f"{mark}{': ' if mark else 'the score at '}a = {x:g}, b = {y:g}", fontsize=9)
    left.set_title(f"prevalence {prevalence:g}; beside it, lines of 0, 0.1, …, 1", fontsize=9)
    named = squares[-1].get_legend_handles_labels()[0]
    if named:
        squares[-1].legend(handles=named, frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.colorbar(
        matplotlib.cm.ScalarMappable(cmap=scale), ax=squares, label="value of the score", shrink=0.85, location="right"
    )
    add_missing_fonts(squares[-1])
    return figure


def _roc_points(ax: Any, source: Any, colors: Mapping[Any, Any] | None) -> None:
    """Draw performances as points in ROC space, with names if they are few."""
    from bayesrank.scores import fpr, tpr

    across, up = fpr(source), tpr(source)
    names = across["entity"].values.tolist() if across.dims == ("entity",) else []
    if not 0 < len(names) <= NAMED:
        ax.plot(across.values.ravel(), up.values.ravel(), ".", color=ink_color(), markersize=5)
        return
    paints = entity_colors(names, colors)
    for name, words, x, y in zip(names, plain_names(names, 28), across.values, up.values, strict=True):
        ax.plot(
            x,
            y,
            "o",
            color=paints[name],
            markeredgecolor=paper_color(ax),
            markersize=7,
            clip_on=False,
            zorder=4,
            label=words,
        )
