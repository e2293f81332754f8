"""What pictures share: colours, names, sizes, and the furniture of Tiles. Matplotlib is imported on first use."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count, takewhile
from typing import Any
from unicodedata import normalize

import xarray as xr
from rich.cells import cell_len

#: Okabe and Ito's eight colours, which people with any common colour blindness can tell apart.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")


def entity_colors(entities: Sequence[Any]) -> dict[Any, Any]:
    """One colour per entity, the same in every picture of a report: by position in ``entities``."""
    if len(entities) <= len(OKABE_ITO):
        return dict(zip(entities, OKABE_ITO, strict=False))
    import matplotlib

    scale = matplotlib.colormaps["cividis"]
    return {name: scale(i / (len(entities) - 1)) for i, name in enumerate(entities)}


def short_names(names: Sequence[Any], width: int = 32) -> list[str]:
    """Names cut in the middle to ``width`` cells of a terminal, still unique: most letters take up one cell, East Asian
    ones two, combining marks none.

    Where that would make different names look alike, what they differ in is shown instead of their ends.
    """
    # A letter and its accent look the same in one character and in two.
    texts = [normalize("NFC", " ".join(str(name).split())) for name in names]
    cuts = [_cut(text, width) for text in texts]
    alike: dict[str, list[str]] = {}
    for text, cut in zip(texts, cuts, strict=True):
        alike.setdefault(cut, []).append(text)
    unique: dict[str, None] = {}
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(2))
    for text, cut in zip(texts, cuts, strict=True):
        if len(set(alike[cut])) > 1:
            cut = _cut_to_difference(text, alike[cut], width)
        numbered = (f"{_beginning(cut, width - len(mark))}{mark}" for mark in map(" ({})".format, numbers[cut]))
        name = next(name for name in chain([cut], numbered) if name not in unique)
        unique[name] = None
    return list(unique)


def plain_names(names: Sequence[Any], width: int) -> list[str]:
    """Names cut to a width; a dollar sign is no formula, a leading underscore does not hide a name from a legend."""
    texts = [name.replace("$", r"\$") for name in short_names(names, width)]
    return [f" {text}" if text.startswith("_") else text for text in texts]


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    end = len(text) - len(_end(text, (width - 1) // 2))
    # A number is kept whole: 106 must not read as 6.
    while text[end - 1].isdigit() and text[end : end + 1].isdigit() and cell_len(text[end:]) < 2 * width // 3:
        end -= 1
    return f"{_beginning(text, width - 1 - cell_len(text[end:]))}…{text[end:].lstrip()}"


def _cut_to_difference(text: str, alike: Sequence[str], width: int) -> str:
    """The beginning of a name, then what follows from the word on in which names differ."""
    differ = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*alike, strict=False)))
    word = text.rfind(" ", 0, differ) + 1
    # A long word is entered just before the difference; a mark needs its letter.
    start = word if differ - word < width // 3 else differ - 1
    while start > 0 and cell_len(text[start]) == 0:
        start -= 1
    head = _beginning(text[:start], width // 3)
    rest = text[start:]
    room = width - cell_len(head) - 1
    return f"{head}…{rest if cell_len(rest) <= room else _beginning(rest, room - 1) + '…'}"


def _beginning(text: str, width: int) -> str:
    """As much of a text as ``width`` cells hold."""
    return text[: bisect_right(range(1, len(text) + 1), width, key=lambda size: cell_len(text[:size]))].rstrip()


def _end(text: str, width: int) -> str:
    """As much of the end of a text as ``width`` cells hold; a mark without its letter is left out."""
    start = bisect_left(range(len(text)), -width, key=lambda start: -cell_len(text[start:]))
    return text[start:].lstrip("".join(letter for letter in set(text[start:]) if cell_len(letter) == 0))


def new_axes(ax: Any, width: float, height: float) -> Any:
    """The Axes given, or a new one of that size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def list_size(size: int, width: float = 8.0) -> tuple[float, float]:
    """Width and height in inches of a picture with one row an entity."""
    return width, 1.6 + (0.3 if size <= 30 else 0.17) * size


def list_names(ax: Any, entities: Sequence[Any], axis: str = "y") -> None:
    """Entity names along an axis, the first at the top or left, small enough for their number."""
    size = len(entities)
    font = 9 if size <= 30 else 6.5
    names = plain_names(entities, 46 if axis == "y" else 28)
    if axis == "y":
        ax.set_yticks(range(size), names, fontsize=font)
        ax.set_ylim(size - 0.5, -0.5)
    else:
        ax.set_xticks(range(size), names, fontsize=font, rotation=90)


def rank_ticks(axis: Any, size: int) -> None:
    """Whole ranks along an axis, from 1 on."""
    step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, size) if size <= 12 * n)
    axis.set_ticks([1, *range(max(step, 2), size + 1, step)] if size > 1 else [1])


def strip(ax: Any) -> None:
    """Only what a list of intervals needs: the lower spine and a faint grid; numbers above a long list, too."""
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labeltop=len(ax.get_yticks()) > 40)


def list_legend(ax: Any, columns: int) -> None:
    """A legend above a list, and above the numbers there."""
    pad = 3.0 if len(ax.get_yticks()) > 40 else 0.5
    ax.legend(
        frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, fontsize=8, borderaxespad=pad
    )


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
#: Where no single entity is the likeliest best.
SHARED = "0.85"


def furnish(ax: Any, prevalence: float | None, marks: bool = True) -> None:
    """Axes, labels of scores, and on request the no-skill curve and the shifted grid."""
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="a", ylabel="b")
    ax.set_xticks([0, 0.5, 1], ["0", "½", "1"])
    ax.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    if prevalence is not None:
        from bayesrank.tile import no_skill_curve, prior_grid

        grid = prior_grid(prevalence)
        for position in grid.values[1:-1]:
            ax.axvline(position, color="white", linewidth=0.4, alpha=0.6)
            ax.axhline(position, color="white", linewidth=0.4, alpha=0.6)
        curve = no_skill_curve(prevalence=prevalence)
        ax.plot(curve["a"], curve["b"], color="#CC79A7", linewidth=1.6)
    if not marks:
        return
    for name, place, offset, (horizontal, vertical) in MARKS:
        ax.plot(*place, "o", color="black", markeredgecolor="white", markersize=5, clip_on=False, zorder=4)
        ax.annotate(
            name, place, offset, textcoords="offset points", ha=horizontal, va=vertical, fontsize=8, zorder=4,
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.75, "linewidth": 0},
        )  # fmt: skip


def share_colors(names: Sequence[Any]) -> dict[Any, Any]:
    """Colours by share: the named ones differ clearly, the many small ones come from a long scale."""
    import matplotlib

    first = [*OKABE_ITO[:7], "#882255", "#44AA99", "#999933", "#661100", "#888888"]
    scale = matplotlib.colormaps["tab20c"]
    more = max(len(names) - len(first), 1)
    return {name: first[i] if i < len(first) else scale((i - len(first)) / more) for i, name in enumerate(names)}


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
) -> None:
    """Names of those that are best somewhere, largest shares first; of identical ones the first stands for all.

    ``grey`` says who shares the grey area (nobody in particular, if empty), their share, and whether they tie exactly.
    """
    from matplotlib.patches import Patch

    shown = list(share)[:most]
    # Names are cut alone, so that the share stays readable.
    texts = plain_names(list(share if first is None else first)[:most], 34)
    ties = [""] * len(shown) if tied is None else [f"\nand {n - 1} more, tied" if n > 1 else "" for n in tied[:most]]
    handles = [
        Patch(facecolor=colors[name], label=f"{text}{tie}  {percent(share[name])}")
        for name, text, tie in zip(shown, texts, ties, strict=True)
    ]
    if grey:
        group, together, ties_exactly = grey
        how = "tied" if ties_exactly else "too close to tell apart"
        names = (
            f"{plain_names(group[:1], 34)[0]}\nand {len(group) - 1} more, {how}  {percent(together)}" if group else ""
        )
        handles.append(Patch(facecolor=SHARED, label=names or f"several, {how}"))
    rest = list(share)[most:]
    further = {f"{len(rest)} more, together": sum(share[n] for n in rest)} if rest else {}
    for text, part in (further | (other or {})).items():
        handles.append(Patch(facecolor="none", label=f"{text}  {percent(part)}"))
    if note:
        handles.append(Patch(facecolor="none", edgecolor="0.35", hatch="//", label=note))
    ax.legend(handles=handles, loc="center left", bbox_to_anchor=(1.03, 0.5), fontsize=7.5, frameon=False)


def scale(tile: xr.DataArray) -> dict[str, Any]:
    """Colours of a map: correlations from -1 to 1, other signed numbers from 0 both ways, the rest upwards."""
    low, high = float(tile.min()), float(tile.max())
    if str(tile.name or "").endswith("correlation"):
        return {"cmap": "RdBu", "vmin": -1, "vmax": 1}
    if low < 0:
        reach = max(-low, high)
        return {"cmap": "RdBu", "vmin": -reach, "vmax": reach}
    return {"cmap": SEQUENTIAL, "vmin": 0 if high <= 1 else low, "vmax": 1 if high <= 1 else high}


def title(tile: xr.DataArray) -> str:
    return str(tile.name or "").replace("_", " ")


def percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
