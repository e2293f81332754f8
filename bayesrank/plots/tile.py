"""Pictures of the Tile: a is horizontal, b vertical, corners and well-known scores are labelled.

They draw what :mod:`bayesrank.tile` computes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._style import OKABE_ITO, new_axes, short_names

__all__ = [
    "credible_tile",
    "expected_rank_tile",
    "probability_best_tiles",
    "roc_beside_tile",
    "shares",
    "value_tile",
    "winner_tile",
]

#: Scores whose place on the Tile is the same at all priors: name, (a, b), where its label goes (T Figure 3).
MARKS = (
    ("TNR", (0.0, 0.0), (5, 5), ("left", "bottom")),
    ("PPV", (1.0, 0.0), (-5, 5), ("right", "bottom")),
    ("NPV", (0.0, 1.0), (5, -5), ("left", "top")),
    ("TPR", (1.0, 1.0), (-5, -5), ("right", "top")),
    ("A", (0.5, 0.5), (4, 4), ("left", "bottom")),
    ("F₁", (1.0, 0.5), (-5, 0), ("right", "center")),
)
SEQUENTIAL = "viridis"


def value_tile(tile: xr.DataArray, ax: Any = None, prevalence: float | None = None, label: str | None = None) -> Any:
    """A map of numbers (b, a): values, ranks, correlations.

    Parameters
    ----------
    tile : xarray.DataArray
        Dims (b, a). If it takes negative values, colours diverge from 0.
    ax : matplotlib Axes, optional
        Where to draw.
    prevalence : float, optional
        Draw the curve of scores that put all no-skill performances on one footing, and the grid that a shift from
        balanced priors would bend.
    label : str, optional
        Of the colour bar; the name of ``tile`` by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> axes = value_tile(br.tile.value(br.from_counts(tn=80, fp=0, fn=3, tp=27)).isel(entity=0))
    >>> axes.get_xlabel()
    'a'
    """
    ax = new_axes(ax, 4.6, 3.9)
    tile = tile.transpose("b", "a")
    numbers = tile.values.astype(float)
    signed = bool(np.nanmin(numbers) < 0)
    reach = float(np.nanmax(np.abs(numbers)))
    unit = not signed and reach <= 1
    image = ax.pcolormesh(
        tile["a"], tile["b"], numbers, shading="nearest", rasterized=True,
        cmap="RdBu" if signed else SEQUENTIAL,
        vmin=-reach if signed else (0 if unit else None), vmax=reach if signed else (1 if unit else None),
    )  # fmt: skip
    ax.figure.colorbar(image, ax=ax, label=label or str(tile.name or "").replace("_", " "), shrink=0.85)
    _furnish(ax, prevalence)
    return ax


def winner_tile(regions: xr.Dataset, ax: Any = None, names: int = 12, prevalence: float | None = None) -> Any:
    """Who holds a rank where, with the exact frontiers.

    Parameters
    ----------
    regions : xarray.Dataset
        As :func:`bayesrank.tile.regions` gives it.
    ax : matplotlib Axes, optional
        Where to draw.
    names : int
        How many entities the legend names, those with the largest shares first.
    prevalence : float, optional
        Draw the no-skill curve and the shifted grid of this prevalence.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = winner_tile(br.tile.regions(counts))
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['b  63%', 'a  37%']
    """
    ax = new_axes(ax, 6.8, 3.9)
    share = regions[["entity", "area"]].to_dataframe().groupby("entity")["area"].sum()
    share = share.sort_values(ascending=False, kind="stable")
    colors = _colors(list(share.index))
    for i in range(regions.sizes["region"]):
        part = regions.isel(region=i)
        curve = np.column_stack([part["a"], part["b"]])
        curve = curve[~np.isnan(curve).any(1)]
        ax.fill(*curve.T, facecolor=colors[part["entity"].item()], edgecolor="white", linewidth=0.8)
    _legend(ax, share.to_dict(), colors, names)
    _furnish(ax, prevalence)
    return ax


def credible_tile(credible: xr.Dataset, ax: Any = None, names: int = 12, prevalence: float | None = None) -> Any:
    """Who is probably best where: confidence as saturation, undecided points hatched.

    Parameters
    ----------
    credible : xarray.Dataset
        As :func:`bayesrank.tile.credible` gives it.
    ax : matplotlib Axes, optional
        Where to draw.
    names : int
        How many entities the legend names.
    prevalence : float, optional
        Draw the no-skill curve and the shifted grid of this prevalence.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = credible_tile(br.tile.credible(br.fit(counts, seed=1), resolution=21))
    >>> len(axes.get_legend().get_texts())
    3
    """
    from matplotlib.colors import to_rgb

    ax = new_axes(ax, 6.8, 3.9)
    winner, confidence = credible["winner"].values, credible["confidence"].values
    order = credible["share"].sortby(-credible["share"])["entity"].values
    seen = [name for name in order if (winner == name).any()]
    colors = _colors(seen)
    n_entities = credible.sizes["entity"]
    chance = 1 / max(n_entities, 2)
    strength = np.clip((confidence - chance) / (1 - chance), 0, 1)
    picture = np.full((*winner.shape, 3), 0.85)
    for name in seen:
        here = winner == name
        picture[here] = 1 - (0.15 + 0.85 * strength[here, None]) * (1 - np.array(to_rgb(colors[name])))
    a, b = credible["a"].values, credible["b"].values
    half = (a[1] - a[0]) / 2
    ax.imshow(
        picture, origin="lower", extent=(-half, 1 + half, -half, 1 + half), interpolation="nearest", aspect="equal"
    )
    prob = float(credible.attrs.get("prob", 0.95))
    unsure = np.where(np.isnan(confidence), 0.0, (confidence < prob).astype(float))
    if unsure.any() and not unsure.all():
        # The hatch stops at the level line of the confidence itself.
        level = np.where(np.isnan(confidence), 1.0, confidence)
        hatched = ax.contourf(a, b, level, levels=[-1, prob], colors="none", hatches=["//"])
        hatched.set_edgecolor("0.35")
        hatched.set_linewidth(0)
    elif unsure.any():
        ax.fill([0, 1, 1, 0], [0, 0, 1, 1], facecolor="none", hatch="//", edgecolor="0.35", linewidth=0)
    share = {name: float(credible["share"].sel(entity=name)) for name in seen}
    note = f"P(best) < {prob:g} on\n{float(credible['undecided_area']):.0%} of the Tile"
    _legend(ax, share, colors, names, note=note)
    _furnish(ax, prevalence)
    return ax


def probability_best_tiles(credible: xr.Dataset, most: int = 9) -> Any:
    """P(best) of the entities with the largest shares, side by side.

    Parameters
    ----------
    credible : xarray.Dataset
        As :func:`bayesrank.tile.credible` gives it.
    most : int
        How many entities to show.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> figure = probability_best_tiles(br.tile.credible(br.fit(counts, seed=1), resolution=21))
    >>> len(figure.axes)  # two Tiles and a colour bar
    3
    """
    import matplotlib.pyplot as plt
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    order = credible["share"].sortby(-credible["share"])["entity"].values[:most]
    columns = min(len(order), 3)
    rows = -(-len(order) // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(2.3 * columns + 0.9, 2.5 * rows), squeeze=False, layout="constrained",
        sharex=True, sharey=True,
    )  # fmt: skip
    titles = short_names(order.tolist(), 36)
    for ax, name, title in zip(grid.flat, order, titles, strict=False):
        part = credible["probability_best"].sel(entity=name)
        ax.pcolormesh(part["a"], part["b"], part.values, shading="nearest", vmin=0, vmax=1, cmap=SEQUENTIAL)
        ax.set_title(title, fontsize=6.5)
        _furnish(ax, None, marks=False)
        ax.label_outer()
    for ax in grid.flat[len(order) :]:
        ax.set_visible(False)
    figure.colorbar(ScalarMappable(Normalize(0, 1), SEQUENTIAL), ax=grid, label="P(best)", shrink=0.8)
    return figure


def expected_rank_tile(credible: xr.Dataset, entity: Any, ax: Any = None) -> Any:
    """The expected rank of one entity; 1 is best.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = expected_rank_tile(br.tile.credible(br.fit(counts, seed=1), resolution=21), "a")
    >>> axes.get_title()
    'a'
    """
    ax = new_axes(ax, 4.6, 3.9)
    part = credible["expected_rank"].sel(entity=entity)
    image = ax.pcolormesh(
        part["a"], part["b"], part.values, shading="nearest", cmap=f"{SEQUENTIAL}_r", vmin=1,
        vmax=max(credible.sizes["entity"], 2), rasterized=True,
    )  # fmt: skip
    ax.figure.colorbar(image, ax=ax, label="expected rank", shrink=0.85).ax.invert_yaxis()
    ax.set_title(short_names([entity])[0], fontsize=9)
    _furnish(ax, None)
    return ax


def shares(credible: xr.Dataset, ax: Any = None, most: int = 20) -> Any:
    """Each entity's share of the Tile with its interval, largest first.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = shares(br.tile.credible(br.fit(counts, seed=1), resolution=21))
    >>> len(axes.get_yticks())
    2
    """
    top = credible.sortby(-credible["share"]).isel(entity=slice(0, most))
    ax = new_axes(ax, 5.0, 0.9 + 0.25 * top.sizes["entity"])
    place = np.arange(top.sizes["entity"])
    ax.hlines(place, top["share_lower"], top["share_upper"], color=OKABE_ITO[0], linewidth=2)
    ax.plot(top["share"], place, "o", color=OKABE_ITO[0], markersize=4)
    ax.set_yticks(place, short_names(top["entity"].values.tolist()))
    ax.invert_yaxis()
    ax.set_xlim(-0.01, 1.01)
    ax.set_xlabel("share of the Tile on which it is best")
    left_out = credible.sizes["entity"] - len(place)
    if left_out:
        ax.set_title(f"{left_out} more with smaller shares", fontsize=8)
    return ax


def roc_beside_tile(tile: xr.DataArray, a: float, b: float, prevalence: float, source: Any = None) -> Any:
    """A Tile with a chosen score, beside ROC with the pencil of its iso-performance lines.

    Parameters
    ----------
    tile : xarray.DataArray
        A map of numbers (b, a) to draw.
    a, b : float
        The chosen score.
    prevalence : float
        Of the ROC space.
    source : DataArray, optional
        Performances (entity, actual, predicted) to mark as points of ROC.

    Returns
    -------
    matplotlib.figure.Figure

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

    from bayesrank.scores import fpr, tpr
    from bayesrank.tile import isoperformance

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    value_tile(tile, ax=left, prevalence=prevalence)
    left.plot(a, b, "o", color="#D55E00", markeredgecolor="white", markersize=9, clip_on=False, zorder=5)
    left.set_title(f"the score at a = {a:g}, b = {b:g}", fontsize=9)
    x = np.linspace(0, 1, 201)
    scale = matplotlib.colormaps[SEQUENTIAL]
    for level in np.linspace(0, 1, 11):
        line = isoperformance(a, b, float(level), prevalence, points=201)
        right.plot(line["fpr"], line["tpr"], color=scale(level), linewidth=1.5)
    right.plot(x, x, color="0.6", linewidth=0.8, linestyle=":")
    if source is not None:
        right.plot(fpr(source).values.ravel(), tpr(source).values.ravel(), "k.", markersize=5)
    right.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="FPR", ylabel="TPR", aspect="equal")
    right.set_title(f"equal values 0, 0.1, …, 1 at prevalence {prevalence:g}", fontsize=9)
    figure.colorbar(matplotlib.cm.ScalarMappable(cmap=scale), ax=right, label="value of the score", shrink=0.85)
    return figure


def _furnish(ax: Any, prevalence: float | None, marks: bool = True) -> None:
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


def _colors(names: Sequence[Any]) -> dict[Any, Any]:
    """Colours by share: the named ones differ clearly, the many small ones come from a long scale."""
    import matplotlib

    first = [*OKABE_ITO[:7], "#882255", "#44AA99", "#999933", "#661100", "#888888"]
    scale = matplotlib.colormaps["tab20c"]
    more = max(len(names) - len(first), 1)
    return {name: first[i] if i < len(first) else scale((i - len(first)) / more) for i, name in enumerate(names)}


def _legend(ax: Any, share: dict[Any, float], colors: dict[Any, Any], most: int, note: str | None = None) -> None:
    """Names of those that are best somewhere, largest shares first."""
    from matplotlib.patches import Patch

    shown = list(share)[:most]
    # Names are cut alone, so that the share stays readable.
    handles = [
        Patch(facecolor=colors[name], label=f"{text}  {_percent(share[name])}")
        for name, text in zip(shown, short_names(shown, 28), strict=True)
    ]
    rest = list(share)[most:]
    if rest:
        handles.append(
            Patch(facecolor="none", label=f"{len(rest)} more, together {_percent(sum(share[n] for n in rest))}")
        )
    if note:
        handles.append(Patch(facecolor="none", edgecolor="0.35", hatch="//", label=note))
    ax.legend(handles=handles, loc="center left", bbox_to_anchor=(1.03, 0.5), fontsize=7.5, frameon=False)


def _percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
