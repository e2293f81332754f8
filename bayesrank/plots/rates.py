"""Plots of entities in the ROC square: their rates with credible regions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_bool, check_integer
from bayesrank._types import Container
from bayesrank.plots._colors import entity_colors, grey_shade, ink_color, marks_and_dashes
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import new_axes, plain_names, rows_of
from bayesrank.scores.draws import rate_regions

__all__ = ["roc_regions"]


def roc_regions(
    source: Container,
    ranking: xr.Dataset | None = None,
    ax: Any = None,
    *,
    top: int = 8,
    prob: float = 0.95,
    square: bool = False,
    colors: Mapping[Any, Any] | None = None,
    kind: str | None = None,
) -> Any:
    """Draw entities in the ROC square: medians of their rates, and joint regions with probability ``prob``.

    Where marks would overlap, later marks are drawn around earlier ones.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    ranking : xarray.Dataset, optional
        The ranking whose first entities are named; by default the entities furthest above the diagonal are named.
    top : int
        Number of entities with a name, a colour and a region; the others are grey points.
    prob : float
        Credible probability of each entity's region.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    square : bool
        Whether to draw the whole ROC square; by default only the part that contains the entities.
    colors : mapping, optional
        Colours by entity; the other entities are grey. By default the colour depends on the place among all entities.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError, TypeError
        If the source has other dims (data sets, say) or more classes, or an argument is out of range.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = roc_regions(br.fit(counts, seed=1))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['b', 'a']
    """
    check_integer("top", top)
    check_bool("square", square)
    found = rate_regions(source, prob=prob, kind=kind)
    entities = found["entity"].values.tolist()
    fpr, tpr = found["fpr"].values, found["tpr"].values
    if ranking is None:
        order = np.argsort(fpr - tpr, kind="stable").tolist()  # undefined ones last
    else:
        order = rows_of(ranking, entities)
    chosen = [i for i in order if not np.isnan(fpr[i])][:top]
    paints = list(entity_colors(entities, colors).values())
    texts = plain_names([entities[i] for i in chosen], 34)
    ax = new_axes(ax, 7.4, 4.6)
    rest = sorted(set(range(len(entities))) - set(chosen))
    if rest:
        label = f"{len(rest)} more" if chosen else None
        ax.plot(fpr[rest], tpr[rest], ".", color=grey_shade(ax, 0.35), markersize=4, zorder=1, label=label)
    around = False
    for i, text, (mark, dash) in zip(chosen, texts, marks_and_dashes(range(len(chosen))), strict=True):
        if "region_fpr" in found:
            x, y = found["region_fpr"].values[i], found["region_tpr"].values[i]
            ax.fill(x, y, color=paints[i], alpha=0.08, linewidth=0)
            ax.plot(x, y, color=paints[i], linewidth=1.2, linestyle=dash)
        rings = _before(fpr[chosen], tpr[chosen], chosen.index(i))
        look = {"color": paints[i], "markeredgecolor": ink_color(), "markeredgewidth": 0.5, "zorder": 4}
        if rings:  # around those that are at the same place
            look = {"fillstyle": "none", "color": paints[i], "markeredgewidth": 1.5, "zorder": 4 - 0.1 * rings}
        ax.plot(fpr[i], tpr[i], mark, markersize=6 + 4 * rings, linestyle="none", label=text, clip_on=False, **look)
        around = around or rings > 0
    if square:
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    else:
        for limits, setter in ((ax.get_xlim(), ax.set_xlim), (ax.get_ylim(), ax.set_ylim)):
            pad = 0.02 * (limits[1] - limits[0])
            setter(max(limits[0], -pad), min(limits[1], 1 + pad))
    ax.plot([0, 1], [0, 1], color=grey_shade(ax, 0.6), linewidth=1, linestyle=":", scalex=False, scaley=False)
    words = ["medians"] if "region_fpr" in found else []
    words += [f"regions hold both with probability {prob:g}"] if words and chosen else []
    words += ["marks around others: at the same place"] if around else []
    words += ["dotted: no skill"] if ax.get_xlim()[1] > ax.get_ylim()[0] else []
    ax.set_title("\n".join(filter(None, ("; ".join(words[:2]), "; ".join(words[2:])))), fontsize=9)
    ax.set(xlabel="false positive rate (1 - specificity)", ylabel="true positive rate (sensitivity)")
    ax.spines[["top", "right"]].set_visible(False)
    if chosen:
        handles, labels = ax.get_legend_handles_labels()
        last = 1 if rest else 0  # the grey ones were drawn first
        ax.legend(
            handles[last:] + handles[:last], labels[last:] + labels[:last], frameon=False, fontsize=8,
            loc="upper left", bbox_to_anchor=(1.0, 1.0),
        )  # fmt: skip
    return add_missing_fonts(ax)


def _before(x: np.ndarray, y: np.ndarray, place: int) -> int:
    """Return how many earlier points lie at the same place, as far as can be seen."""
    widths = [max(float(np.ptp(z)), 0.02) for z in (x, y)]
    apart = np.hypot((x[:place] - x[place]) / widths[0], (y[:place] - y[place]) / widths[1])
    return int((apart < 0.02).sum())
