"""Picture of entities in the ROC square: their rates with credible regions."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer
from bayesrank._core.types import Container
from bayesrank.plots.kit.colors import Colors, entity_colors, grey_shade, ink_color, mark_and_dash
from bayesrank.plots.kit.style import (
    add_missing_fonts,
    new_axes,
    plain_names,
    rows_of,
    side_legend,
    write_title,
)
from bayesrank.scores.draws import rate_regions


@check_call
def roc_regions(
    source: Container,
    ranking: xr.Dataset | None = None,
    ax: Any = None,
    *,
    top: int = 8,
    prob: float = 0.95,
    colors: Colors = None,
    kind: str | None = None,
) -> Any:
    """Draw entities in the ROC square: medians of their rates, and joint regions with probability ``prob``.

    Only the part of the square that contains the entities is drawn. Where marks would overlap,
    later marks are drawn around earlier ones.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    ranking : xarray.Dataset, optional
        The ranking whose first entities are named; by default the entities furthest above the
        diagonal are named.
    top : int
        Number of entities with a name, a colour and a region; the others are grey points.
    prob : float
        Probability of each entity's region.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    ax, colors : optional
        As for :func:`forest`.

    Examples
    --------
    >>> ax = roc_regions(br.fit(br.datasets.load("breast_cancer"), seed=1), top=2)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['logreg', 'svm_rbf', '7 more']
    """
    check_integer("top", top)
    computed = rate_regions(source, prob=prob, kind=kind)
    entities, regions = computed["entity"].values.tolist(), "region_fpr" in computed
    fpr, tpr = computed["fpr"].values, computed["tpr"].values
    # Undefined ones come last.
    order = (
        np.argsort(fpr - tpr, kind="stable").tolist()
        if ranking is None
        else rows_of(ranking, entities)
    )
    chosen = [i for i in order if not np.isnan(fpr[i])][:top]
    rest = sorted(set(range(len(entities))) - set(chosen))
    paints = list(entity_colors(entities, colors).values())
    texts = plain_names([entities[i] for i in chosen], 34)
    rings = [_count_before(fpr[chosen], tpr[chosen], position) for position in range(len(chosen))]
    ax = new_axes(ax, 7.4, 4.6)
    for position, (i, text, ring) in enumerate(zip(chosen, texts, rings, strict=True)):
        mark, dash = mark_and_dash(position)
        if regions:
            x, y = computed["region_fpr"].values[i], computed["region_tpr"].values[i]
            ax.fill(x, y, color=paints[i], alpha=0.08, linewidth=0)
            ax.plot(x, y, color=paints[i], linewidth=1.2, linestyle=dash)
        look: dict = {
            "markeredgecolor": ink_color(),
            "markeredgewidth": 0.5,
            "zorder": 4,
            "markersize": 6,
        }
        if ring:
            look = {
                "fillstyle": "none",
                "markeredgewidth": 1.5,
                "zorder": 4 - 0.1 * ring,
                "markersize": 6 + 4 * ring,
            }
        ax.plot(
            fpr[i],
            tpr[i],
            mark,
            color=paints[i],
            linestyle="none",
            label=text,
            clip_on=False,
            **look,
        )
    if rest:
        label = f"{len(rest)} more" if chosen else None
        ax.plot(
            fpr[rest],
            tpr[rest],
            ".",
            color=grey_shade(ax, 0.35),
            markersize=4,
            zorder=1,
            label=label,
        )
    for (low, high), set_limits in ((ax.get_xlim(), ax.set_xlim), (ax.get_ylim(), ax.set_ylim)):
        pad = 0.02 * (high - low)
        set_limits(max(low, -pad), min(high, 1 + pad))
    ax.plot(
        [0, 1],
        [0, 1],
        color=grey_shade(ax, 0.6),
        linewidth=1,
        linestyle=":",
        scalex=False,
        scaley=False,
    )
    words = ["medians"] if regions else []
    words += [f"regions hold both with probability {prob:g}"] if regions and chosen else []
    words += ["marks around others: at the same place"] if any(rings) else []
    words += ["dotted: no skill"] if ax.get_xlim()[1] > ax.get_ylim()[0] else []
    write_title(ax, "\n".join(filter(None, ("; ".join(words[:2]), "; ".join(words[2:])))))
    ax.set(
        xlabel="false positive rate (1 - specificity)", ylabel="true positive rate (sensitivity)"
    )
    ax.spines[["top", "right"]].set_visible(False)
    if chosen:
        side_legend(ax)
    return add_missing_fonts(ax)


def _count_before(x: np.ndarray, y: np.ndarray, place: int) -> int:
    """Return how many earlier points lie at the same place, as far as can be seen."""
    widths = [max(float(np.ptp(z)), 0.02) for z in (x, y)]
    distance = np.hypot((x[:place] - x[place]) / widths[0], (y[:place] - y[place]) / widths[1])
    return int((distance < 0.02).sum())
