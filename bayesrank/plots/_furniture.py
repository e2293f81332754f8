"""The furniture of Tiles: axes in words, places of scores, scales of colours, and the legend of shares."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._colors import (
    DISTINCT,
    GREY,
    check_colors,
    draw_halo,
    grey_shade,
    ink_color,
    paper_color,
    place_colors,
)
from bayesrank.plots._style import plain_names

#: What the axes mean: R(a, b) weighs the four outcomes by 1-a (TN), 1-b (FP), b (FN) and a (TP).
ACROSS, UP = "a: true positives count more →", "b: false negatives count more →"

#: Scores whose place on the Tile is the same at all priors: name, (a, b), where its label goes
#: (Piérard et al., The Tile, Figure 3).
MARKS = (
    ("TNR", (0.0, 0.0), (5, 5), ("left", "bottom")),
    ("PPV", (1.0, 0.0), (-5, 5), ("right", "bottom")),
    ("NPV", (0.0, 1.0), (5, -5), ("left", "top")),
    ("TPR", (1.0, 1.0), (-5, -5), ("right", "top")),
    ("A", (0.5, 0.5), (4, 4), ("left", "bottom")),
    ("F₁", (1.0, 0.5), (-5, 0), ("right", "center")),
)
SEQUENTIAL = "viridis"


def window_of(tile: xr.DataArray | xr.Dataset) -> list[float]:
    """Return the ends of a map (a, a, b, b): the whole Tile or a window of it."""
    return [float(tile[axis].values[end]) for axis in "ab" for end in (0, -1)]


def draw_tile_axes(
    ax: Any,
    prevalence: float | None,
    marks: bool = True,
    window: Sequence[float] = (0.0, 1.0, 0.0, 1.0),
    small: bool = False,
    prediction_rate: float | None = None,
) -> None:
    """Draw axes, labels of scores, and on request the no-skill curves and the shifted grid."""
    left, right, low, high = window
    ax.set(xlim=(left, right), ylim=(low, high), aspect=(right - left) / (high - low))
    ax.set_xlabel(ACROSS, fontsize=8 if small else None)
    ax.set_ylabel(UP, fontsize=8 if small else None)
    for axis, ends in ((ax.xaxis, (left, right)), (ax.yaxis, (low, high))):
        if ends == (0.0, 1.0):
            axis.set_ticks([0, 0.5, 1], ["0", "½", "1"])
        else:
            axis.set_major_locator(_few_ticks())
    if prevalence is not None:
        from bayesrank.tile import no_skill_curve, prior_grid

        grid = prior_grid(prevalence)
        for position in grid.values[1:-1]:
            ax.axvline(position, color=paper_color(ax), linewidth=0.4, alpha=0.6)
            ax.axhline(position, color=paper_color(ax), linewidth=0.4, alpha=0.6)
        curve = no_skill_curve(prevalence=prevalence)
        # In no entity's colour, and seen on any.
        ax.plot(
            curve["a"],
            curve["b"],
            color=ink_color(),
            linewidth=1.6,
            linestyle=(0, (4, 1.2)),
            path_effects=draw_halo(ax, 3.2),
        )
    if prediction_rate is not None:
        from bayesrank.tile import no_skill_curve

        curve = no_skill_curve(prediction_rate=prediction_rate)
        ax.plot(
            curve["a"],
            curve["b"],
            color=ink_color(),
            linewidth=2.2,
            linestyle=(0, (1, 0.9)),
            path_effects=draw_halo(ax, 3.8),
        )
    if not marks:
        return
    for name, (a, b), offset, (horizontal, vertical) in MARKS:
        if not (left <= a <= right and low <= b <= high):
            continue
        ax.plot(a, b, "o", color=ink_color(), markeredgecolor=paper_color(ax), markersize=5, clip_on=False, zorder=4)
        ax.annotate(
            name, (a, b), offset, textcoords="offset points", ha=horizontal, va=vertical, fontsize=8, zorder=4,
            bbox={"boxstyle": "round,pad=0.1", "facecolor": paper_color(ax), "alpha": 0.75, "linewidth": 0},
        )  # fmt: skip


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)


def share_colors(names: Sequence[Any], places: Sequence[int], colors: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """Return the colours of entities that are best somewhere, by position among all entities or by ``colors``."""
    if colors is None:
        return dict(zip(names, place_colors(places), strict=True))
    chosen = check_colors(colors)
    return {name: chosen.get(name, GREY) for name in names}


def share_legend(
    ax: Any,
    share: dict[Any, float],
    colors: dict[Any, Any],
    most: int,
    first: Sequence[Any] | None = None,
    tied: Sequence[int] | None = None,
    other: dict[str, float] | None = None,
    grey: tuple[list[Any], float, bool] | None = None,
    note: str | None = None,
    numbers: Sequence[str] | None = None,
    heading: str | None = None,
) -> None:
    """Return names of entities that are best somewhere, largest shares first, with one name for identical entities.

    ``grey`` contains the names that share the grey area (may be empty), their share, and whether the tie is exact.
    """
    from matplotlib.patches import Patch

    shown = list(share)[:most]
    # Names are cut alone, so that the share stays readable.
    texts = plain_names(list(share if first is None else first)[:most], 34)
    ties = [""] * len(shown) if tied is None else [f"\nand {n - 1} more, tied" if n > 1 else "" for n in tied[:most]]
    handles = [
        Patch(facecolor=colors[name], label=f"{number}{text}{tie}  {percent(share[name])}")
        for name, text, tie, number in zip(shown, texts, ties, (numbers or [""] * most)[: len(shown)], strict=True)
    ]
    if grey:
        group, together, ties_exactly = grey
        how = "tied" if ties_exactly else "too close to separate"
        names = (
            f"{plain_names(group[:1], 34)[0]}\nand {len(group) - 1} more, {how}  {percent(together)}" if group else ""
        )
        handles.append(Patch(facecolor=shared_winners(ax), label=names or f"several, {how}"))
    rest = list(share)[most:]
    further = {f"{len(rest)} more, together": sum(share[n] for n in rest)} if rest else {}
    for text, part in (further | (other or {})).items():
        handles.append(Patch(facecolor="none", edgecolor="none", label=f"{text}  {percent(part)}"))
    if note:
        handles.append(Patch(facecolor="none", edgecolor=grey_shade(ax, 0.5), hatch="//", label=note))
    ax.legend(
        handles=handles, loc="center left", bbox_to_anchor=(1.03, 0.5), fontsize=7.5, frameon=False,
        labelcolor=ink_color(),
        title=heading, title_fontsize=7.5, alignment="left",
    )  # fmt: skip


def shared_winners(ax: Any) -> str:
    """Mark the points where no single entity is the most probable best."""
    return grey_shade(ax, 0.15)


def number_regions(ax: Any, places: Sequence[int], masks: Sequence[np.ndarray], window: Sequence[float]) -> list[str]:
    """Numbers in the regions and for the legend, where colours come again; else none.

    ``masks`` are the regions of entities in the legend, as rows of pixels from the lowest b on; regions too small
    for a number have none.
    """
    if not colors_repeat(places):
        return [""] * len(places)
    for number, at in enumerate(label_positions(masks, window), 1):
        if at is not None:
            ax.text(
                *at, number, ha="center", va="center", fontsize=8, color=ink_color(), zorder=3,
                bbox={"boxstyle": "circle,pad=0.15", "facecolor": paper_color(ax), "alpha": 0.75, "linewidth": 0},
            )  # fmt: skip
    return [f"{number}  " for number in range(1, len(places) + 1)]


def colors_repeat(places: Sequence[int]) -> bool:
    """Return whether colours of entities at these places may be alike, so that regions need numbers."""
    return max(places, default=0) >= DISTINCT and len(places) > 1


def label_positions(
    masks: Sequence[np.ndarray], window: Sequence[float], avoid: Sequence[tuple[float, float]] = ()
) -> list[tuple[float, float] | None]:
    """Return the middle of each region as (a, b), off the names of scores and off places to ``avoid``; None of a region
    that is too small.
    """
    from scipy.ndimage import distance_transform_edt

    left, right, low, high = window
    rows, columns = masks[0].shape
    b, a = np.meshgrid(np.linspace(low, high, rows), np.linspace(left, right, columns), indexing="ij")
    free = np.full((rows, columns), True)
    for x, y in [*(at for _, at, *_ in MARKS), *avoid]:
        free &= np.hypot((a - x) / (right - left), (b - y) / (high - low)) > 0.1
    found: list[tuple[float, float] | None] = []
    for mask in masks:
        inside = distance_transform_edt(np.pad(mask & free, 1))[1:-1, 1:-1]
        at = np.unravel_index(inside.argmax(), mask.shape)
        found.append(None if inside.max() < 0.03 * rows else (float(a[at]), float(b[at])))
    return found


def scale(tile: xr.DataArray) -> dict[str, Any]:
    """Return the colours of a map, by what it shows: ``cmap``, ``vmin``, ``vmax``.

    Ranks from 1, brightest, to the number of entities; skill and correlations from -1 to 1; other signed numbers from 0
    both ways; probabilities and scores from 0 to 1; the rest, such as robustness, from 0 to its maximum.
    """
    name = str(tile.name or "")
    finite = tile.values[np.isfinite(tile.values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if name in ("rank", "expected_rank"):
        most = float(tile.attrs["entities"]) if "entities" in tile.attrs else float(np.ceil(high))
        return {"cmap": f"{SEQUENTIAL}_r", "vmin": 1.0, "vmax": max(most, 2.0)}
    if name.endswith("correlation") or name in ("relative_skill", "chance_corrected"):
        return {"cmap": "RdBu", "vmin": -1.0, "vmax": 1.0}
    if low < 0:
        reach = max(-low, high)
        return {"cmap": "RdBu", "vmin": -reach, "vmax": reach}
    if name == "robustness" or high > 1:
        return {"cmap": SEQUENTIAL, "vmin": 0.0, "vmax": high or 1.0}
    return {"cmap": SEQUENTIAL, "vmin": 0.0, "vmax": 1.0}


def color_bar(mappable: Any, ax: Any, tile: xr.DataArray, label: str | None, shrink: float) -> Any:
    """Draw the colour bar of a map: rank 1 on top, arrows where the range continues."""
    finite = tile.values[np.isfinite(tile.values)]
    low, high = float(mappable.norm.vmin), float(mappable.norm.vmax)
    beyond = (bool((finite < low - 1e-9).any()), bool((finite > high + 1e-9).any()))
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(beyond, "neither")
    figure = np.ravel(np.asarray(ax, dtype=object))[0].figure
    bar = figure.colorbar(mappable, ax=ax, label=label or title(tile), shrink=shrink, extend=extend)
    if tile.name in ("rank", "expected_rank"):
        from bayesrank.plots._style import rank_ticks

        rank_ticks(bar.ax.yaxis, int(high))
        bar.ax.invert_yaxis()
    return bar


def title(tile: xr.DataArray) -> str:
    """Return a description of a map."""
    name = str(tile.name or "").replace("_", " ")
    return {
        "robustness": "distance to the nearest change of the order",
        "rank": "rank (1 is best)",
        "expected rank": "expected rank (1 is best)",
        "relative skill": "skill (1: perfect, 0: none)",
        "chance corrected": "score corrected for chance (1: perfect, 0: chance)",
    }.get(name, name)


def percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
