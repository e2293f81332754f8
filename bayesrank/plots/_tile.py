"""What the pictures of Tiles share: axes and marks, colours of shares, legends, scales of numbers."""

from collections.abc import Sequence
from typing import Any

import xarray as xr

from bayesrank.plots._style import OKABE_ITO, plain_names

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
