"""The furniture of Tiles: axes in words, places of scores, numbers of regions, and the legend of shares."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from rich.cells import cell_len

from bayesrank.plots.kit.colors import DISTINCT, draw_halo, ink_color, paper_color
from bayesrank.plots.kit.style import plain_names, side_legend

#: What the axes mean: R(a, b) weighs the four outcomes by 1-a (TN), 1-b (FP), b (FN) and a (TP).
ACROSS, UP = "a: finding a case counts more →", "b: a missed case costs more →"

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
#: Points along each axis by which texts are placed in regions.
PIXELS = 81
#: Entities that a map names, in their regions or beside it.
NAMED = 12


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
    from matplotlib.ticker import MaxNLocator

    from bayesrank.tile import no_skill_curve, prior_grid

    left, right, low, high = window
    ax.set(xlim=(left, right), ylim=(low, high), aspect=(right - left) / (high - low))
    ax.set_xlabel(ACROSS, fontsize=8 if small else None)
    ax.set_ylabel(UP, fontsize=8 if small else None)
    for axis, ends in ((ax.xaxis, (left, right)), (ax.yaxis, (low, high))):
        if ends == (0.0, 1.0):
            axis.set_ticks([0, 0.5, 1], ["0", "½", "1"])
        else:
            axis.set_major_locator(MaxNLocator(4))
    if prevalence is not None:
        for position in prior_grid(prevalence).values[1:-1]:
            ax.axvline(position, color=paper_color(ax), linewidth=0.4, alpha=0.6)
            ax.axhline(position, color=paper_color(ax), linewidth=0.4, alpha=0.6)
        _draw_no_skill(ax, no_skill_curve(prevalence=prevalence), 1.6, (4, 1.2))
    if prediction_rate is not None:
        _draw_no_skill(ax, no_skill_curve(prediction_rate=prediction_rate), 2.2, (1, 0.9))
    if marks:
        _mark_scores(ax, window)


def _mark_scores(ax: Any, window: Sequence[float]) -> None:
    """Draw the places of well-known scores that lie in the window, with their names."""
    left, right, low, high = window
    paper = paper_color(ax)
    dot = {"color": ink_color(), "markeredgecolor": paper, "markersize": 5, "clip_on": False}
    box = {"boxstyle": "round,pad=0.1", "facecolor": paper, "alpha": 0.75, "linewidth": 0}
    for name, (a, b), offset, (horizontal, vertical) in MARKS:
        if not (left <= a <= right and low <= b <= high):
            continue
        ax.plot(a, b, "o", **dot, zorder=4)
        ax.annotate(
            name, (a, b), offset, textcoords="offset points", ha=horizontal, va=vertical, fontsize=8, zorder=4,
            bbox=box,
        )  # fmt: skip


def _draw_no_skill(ax: Any, curve: xr.Dataset, width: float, dashes: tuple[float, float]) -> None:
    """Draw a no-skill curve, in no entity's colour and seen on any."""
    halo = draw_halo(ax, width + 1.6)
    ax.plot(
        curve["a"],
        curve["b"],
        color=ink_color(),
        linewidth=width,
        linestyle=(0, dashes),
        path_effects=halo,
    )


def share_texts(names: Sequence[Any], shares: Sequence[float], notes: Sequence[str]) -> list[str]:
    """Return the texts of the regions of the first entities, with their shares: names are cut, shares are not."""
    rows = zip(plain_names(names[:NAMED], 20), notes, shares, strict=False)
    return [f"{name.strip()}{note}\n{percent(share)}" for name, note, share in rows]


def share_entries(
    names: Sequence[Any],
    shares: Sequence[float],
    colors: Sequence[str],
    notes: Sequence[str],
    numbers: Sequence[str | None],
) -> list[tuple[str, str]]:
    """Return a colour and words for each entity that its region does not name, and for all after the first together."""
    texts = plain_names(names[:NAMED], 34)  # cut alone, so that the shares stay readable
    rows = zip(colors, numbers, texts, notes, shares, strict=False)
    entries = [
        (color, f"{number}{text}{note}  {percent(share)}")
        for color, number, text, note, share in rows
        if number is not None
    ]
    if len(names) > NAMED:
        entries.append(
            ("none", f"{len(names) - NAMED} more, together  {percent(sum(shares[NAMED:]))}")
        )
    return entries


def share_legend(
    ax: Any, entries: Sequence[tuple[str, str]], heading: str | None = None, **hatched: Any
) -> None:
    """Draw the legend of shares beside a Tile, with a hatched entry if it has a ``label``."""
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=color, label=text) for color, text in entries]
    if hatched:
        handles.append(Patch(facecolor="none", hatch="//", **hatched))
    if not handles:
        return
    side_legend(
        ax, handles=handles, loc="center left", bbox_to_anchor=(1.03, 0.5), fontsize=7.5, title=heading,
        title_fontsize=7.5, alignment="left",
    )  # fmt: skip


def name_regions(
    ax: Any,
    texts: Sequence[str],
    masks: Sequence[np.ndarray],
    window: Sequence[float],
    places: Sequence[int],
) -> list[str | None]:
    """Write the text of each region where it lies within it; return None for these, else the number of the region.

    ``masks`` are the regions as rows of pixels from the lowest b on. Where colours repeat, regions
    without room for their text are numbered; else their number is empty.
    """
    ax.apply_aspect()
    box, font = ax.get_window_extent(), 8.0
    points = 72 / ax.figure.dpi * np.array([box.width, box.height])
    result: list[str | None] = []
    for text, mask in zip(texts, masks, strict=True):
        placed = False
        for words in (text, text.replace("\n", "  ")):  # in one line, if lines do not fit
            lines = words.split("\n")
            letters = max(map(cell_len, lines))
            size = np.array([0.62 * font * letters, 1.3 * font * len(lines)]) / points
            at = place_text(mask, window, (float(size[0]), float(size[1])))
            if at is not None:
                ax.text(
                    *at, words, ha="center", va="center", fontsize=font, color=ink_color(), zorder=3,
                    path_effects=draw_halo(ax),
                )  # fmt: skip
                placed = True
                break
        result.append(None if placed else "")
    rest = [i for i, number in enumerate(result) if number is not None]
    if rest and colors_repeat(places):
        middles = label_positions([masks[i] for i in rest], window, margin=(0.04, 0.04))
        for number, (i, at) in enumerate(zip(rest, middles, strict=True), 1):
            result[i] = f"{number}  "
            if at is not None:
                ax.text(
                    *at, number, ha="center", va="center", fontsize=8, color=ink_color(), zorder=3,
                    bbox={"boxstyle": "circle,pad=0.15", "facecolor": paper_color(ax), "alpha": 0.75, "linewidth": 0},
                )  # fmt: skip
    return result


def place_text(
    mask: np.ndarray, window: Sequence[float], size: tuple[float, float]
) -> tuple[float, float] | None:
    """Return where a text of this size, in shares of the window, lies in a region and off names of scores, or None."""
    from scipy.ndimage import distance_transform_edt, minimum_filter

    left, right, low, high = window
    fine = np.kron(mask, np.ones((max(-(-PIXELS // mask.shape[0]), 1),) * 2, bool))
    rows, columns = fine.shape
    b, a = np.meshgrid(
        np.linspace(low, high, rows), np.linspace(left, right, columns), indexing="ij"
    )
    for _, (x, y), _, (side, level) in MARKS:
        across, up = (a - x) / (right - left), (b - y) / (high - low)
        inner = {"left": across, "right": -across, "center": abs(across)}[side]
        above = {"bottom": up, "top": -up, "center": abs(up)}[level]
        fine &= ~((inner > -0.05) & (inner < 0.12) & (above > -0.05) & (above < 0.1))
    shape = (int(np.ceil(size[1] * rows)) + 1, int(np.ceil(size[0] * columns)) + 1)
    if shape[0] >= rows or shape[1] >= columns:
        return None
    free = minimum_filter(fine.astype(np.uint8), shape, mode="constant", cval=0).astype(bool)
    if not free.any():
        return None
    inside = distance_transform_edt(np.pad(free, 1))[1:-1, 1:-1]
    wide = inside >= 0.9 * inside.max()
    away = np.hypot(a - a[wide].mean(), b - b[wide].mean())
    at = np.unravel_index(np.where(wide, away, np.inf).argmin(), fine.shape)
    return float(a[at]), float(b[at])


def colors_repeat(places: Sequence[int]) -> bool:
    """Return whether colours of entities at these places may be alike, so that regions need numbers."""
    return max(places, default=0) >= DISTINCT and len(places) > 1


def label_positions(
    masks: Sequence[np.ndarray],
    window: Sequence[float],
    avoid: Sequence[tuple[float, float]] = (),
    margin: tuple[float, float] = (0.0, 0.0),
) -> list[tuple[float, float] | None]:
    """Return the middle of each region as (a, b), off names of scores and places to ``avoid``; None of small ones.

    Middles keep a distance ``margin`` from the edges of the window, in shares of its width and height.
    """
    from scipy.ndimage import distance_transform_edt

    left, right, low, high = window
    rows, columns = masks[0].shape
    b, a = np.meshgrid(
        np.linspace(low, high, rows), np.linspace(left, right, columns), indexing="ij"
    )
    free = np.full((rows, columns), True)
    for x, y in [*(at for _, at, *_ in MARKS), *avoid]:
        free &= np.hypot((a - x) / (right - left), (b - y) / (high - low)) > 0.1
    for axis, (first, last), share in ((a, (left, right), margin[0]), (b, (low, high), margin[1])):
        free &= np.abs(axis - (first + last) / 2) <= (0.5 - share) * (last - first) + 1e-9
    result: list[tuple[float, float] | None] = []
    for mask in masks:
        inside = distance_transform_edt(np.pad(mask & free, 1))[1:-1, 1:-1]
        wide = inside >= max(0.9 * inside.max(), 0.03 * rows)
        # The middle of the widest places: of a band, not its end.
        away = np.hypot(a - a[wide].mean(), b - b[wide].mean()) if wide.any() else np.array([[0.0]])
        at = np.unravel_index(np.where(wide, away, np.inf).argmin(), mask.shape)
        result.append((float(a[at]), float(b[at])) if wide.any() else None)
    return result


def percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
