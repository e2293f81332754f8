"""What all pictures share: colours, names, sizes. Matplotlib is imported on first use."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

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
    """Names cut to ``width`` characters in the middle, still unique.

    Where that would make different names look alike, what they differ in is shown instead of their ends.
    """
    texts = [" ".join(str(name).split()) for name in names]
    cuts = [_cut(text, width) for text in texts]
    alike: dict[str, list[str]] = {}
    for text, cut in zip(texts, cuts, strict=True):
        alike.setdefault(cut, []).append(text)
    out: list[str] = []
    for text, cut in zip(texts, cuts, strict=True):
        if len(set(alike[cut])) > 1:
            cut = _cut_to_difference(text, alike[cut], width)
        number, unique = 2, cut
        while unique in out:
            unique, number = f"{cut} ({number})", number + 1
        out.append(unique)
    return out


def plain_names(names: Sequence[Any], width: int) -> list[str]:
    """Names cut to a width; a dollar sign is no formula, a leading underscore does not hide a name from a legend."""
    texts = [name.replace("$", r"\$") for name in short_names(names, width)]
    return [f" {text}" if text.startswith("_") else text for text in texts]


def _cut(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    end = len(text) - (width - 1) // 2
    # A number is kept whole: 106 must not read as 6.
    while text[end - 1].isdigit() and text[end].isdigit() and len(text) - end < 2 * width // 3:
        end -= 1
    return f"{text[: width - 1 - len(text) + end].rstrip()}…{text[end:].lstrip()}"


def _cut_to_difference(text: str, alike: Sequence[str], width: int) -> str:
    """The beginning of a name, then what follows from the word on in which names differ."""
    differ = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*alike, strict=False)))
    word = text.rfind(" ", 0, differ) + 1
    # A long word is entered just before the difference.
    start = word if differ - word < width // 3 else differ - 1
    head = text[: min(width // 3, start)].rstrip()
    rest = text[start:]
    room = width - len(head) - 1
    return f"{head}…{rest if len(rest) <= room else rest[: room - 1].rstrip() + '…'}"


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
