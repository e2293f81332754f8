"""Plots of the best entity on the Tile: a is horizontal, b vertical, corners and well-known scores are labelled.

They draw what :mod:`bayesrank.tile` computes, on all of the Tile or in a window of it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_choice, check_integer, check_result
from bayesrank.plots._colors import check_colors, entity_colors, grey_shade, paper_color, place_colors
from bayesrank.plots._furniture import (
    draw_tile_axes,
    number_regions,
    share_colors,
    share_legend,
    shared_winners,
    window_of,
)
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import new_axes, plain_names
from bayesrank.plots.maps import value_tile

__all__ = ["credible_tile", "expected_rank_tile", "frontier_tile", "shares", "winner_tile"]

#: P(best) of which there is nothing to be seen.
UNSEEN = 0.01


def winner_tile(
    regions: xr.Dataset,
    ax: Any = None,
    prevalence: float | None = None,
    *,
    top: int = 12,
    prediction_rate: float | None = None,
    colors: Mapping[Any, Any] | None = None,
) -> Any:
    """Draw the entity with a given rank at each point of the Tile, with exact frontiers.

    Parameters
    ----------
    regions : xarray.Dataset
        The result of :func:`bayesrank.tile.regions`.
    ax : matplotlib Axes, optional
        Where to draw.
    top : int
        Number of entities in the legend, those with the largest shares first.
    prevalence : float, optional
        Draw the no-skill curve and the shifted grid of this prevalence.
    prediction_rate : float, optional
        Draw the no-skill curve of this share of positive predictions, dotted.
    colors : mapping, optional
        Colours by entity; the other entities are grey. By default the colour depends on the place among all entities;
        where colours repeat, regions are also numbered.

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
    from matplotlib.path import Path

    from bayesrank.tile.geometry import holders

    check_result("br.tile.regions", "regions", regions, ("entity", "first", "position", "tied", "area", "a", "b"))
    check_integer("top", top)
    ax = new_axes(ax, 7.4, 4.0)
    table = holders(regions)
    area, first, tied, places = (table[name].values.tolist() for name in ("area", "first", "tied", "position"))
    chosen = None if colors is None else {str(name): color for name, color in check_colors(colors).items()}
    found = share_colors(first, places, chosen)
    paints = {name: found[one] for name, one in zip(table["entity"].values.tolist(), first, strict=True)}
    window = regions.attrs.get("window", [0.0, 1.0, 0.0, 1.0])
    a, b = np.linspace(window[0], window[1], 81), np.linspace(window[2], window[3], 81)
    pixels = np.stack(np.meshgrid(a, b), -1).reshape(-1, 2)
    masks = {name: np.zeros((81, 81), bool) for name in paints}
    for i in range(regions.sizes["region"]):
        part = regions.isel(region=i)
        name = part["entity"].item()
        curve = np.column_stack([part["a"], part["b"]])
        curve = curve[~np.isnan(curve).any(1)]
        ax.fill(*curve.T, facecolor=paints[name], edgecolor=paper_color(ax), linewidth=0.8)
        masks[name] |= Path(curve).contains_points(pixels).reshape(81, 81)
    marks = number_regions(ax, places, list(masks.values())[:top], window)
    share_legend(
        ax, dict(zip(paints, area, strict=True)), paints, top, first=first, tied=tied, numbers=marks
    )  # fmt: skip
    draw_tile_axes(ax, prevalence, window=window, prediction_rate=prediction_rate)
    return add_missing_fonts(ax)


def frontier_tile(frontiers: xr.Dataset, ax: Any = None, prevalence: float | None = None, *, top: int = 12) -> Any:
    """Draw the curves on which two entities change order, for all pairs.

    Parameters
    ----------
    frontiers : xarray.Dataset
        The result of :func:`bayesrank.tile.frontiers`.
    ax : matplotlib Axes, optional
        Where to draw.
    prevalence : float, optional
        Draw the no-skill curve and the shifted grid of this prevalence.
    top : int
        Maximum number of pairs in the legend. If there are more pairs, all curves are grey, and there is no legend.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = frontier_tile(br.tile.frontiers(counts))
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['a, b']
    """
    check_result("br.tile.frontiers", "frontiers", frontiers, ("entity", "rival", "a", "b"))
    check_integer("top", top)
    ax = new_axes(ax, 6.4, 4.0)
    pairs = [f"{one}, {two}" for one, two in zip(frontiers["entity"].values, frontiers["rival"].values, strict=True)]
    few = len(pairs) <= top
    for i, name in enumerate(plain_names(pairs, 40)):
        curve = frontiers.isel(pair=i)
        color = place_colors([i])[0] if few else grey_shade(ax, 0.5)
        ax.plot(curve["a"], curve["b"], color=color, linewidth=1.6 if few else 0.7, label=name)
    if few and pairs:
        ax.legend(title="they swap on", frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    draw_tile_axes(ax, prevalence)
    return add_missing_fonts(ax)


def credible_tile(
    credible: xr.Dataset,
    ax: Any = None,
    prevalence: float | None = None,
    *,
    top: int = 12,
    prediction_rate: float | None = None,
    colors: Mapping[Any, Any] | None = None,
) -> Any:
    """Draw the most probable best entity at each point: saturation shows the probability, hatching undecided points.

    Parameters
    ----------
    credible : xarray.Dataset
        The result of :func:`bayesrank.tile.credible`.
    ax : matplotlib Axes, optional
        Where to draw.
    top : int
        Number of entities in the legend.
    prevalence : float, optional
        Draw the no-skill curve and the shifted grid of this prevalence.
    prediction_rate : float, optional
        Draw the no-skill curve of this share of positive predictions, dotted.
    colors : mapping, optional
        Colours by entity; the other entities are grey. By default as for :func:`winner_tile`.

    Returns
    -------
    matplotlib.axes.Axes
        In grey areas, several entities have the highest probability of being best, within three Monte-Carlo errors. The
        legend names them if they are the same in all grey areas.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = credible_tile(br.tile.credible(br.fit(counts, seed=1), resolution=21))
    >>> [text.get_text().split()[0] for text in axes.get_legend().get_texts()]
    ['b', 'a', 'several,', 'P(best)']
    """
    from matplotlib.colors import to_rgb

    from bayesrank.tile.posterior import leaders

    _check_credible(credible)
    check_integer("top", top)
    ax = new_axes(ax, 7.4, 4.0)
    credible = credible.transpose(..., "b", "a")
    probability = credible["winner_probability"].values
    leading = leaders(credible)
    winner, undecided = leading["leader"].values, leading["shared"].values
    group = leading["entity"].values[leading["among"].values].tolist()
    order = credible["share"].sortby(-credible["share"])["entity"].values
    seen = [name for name in order if (winner == name).any()]
    place = {name: i for i, name in enumerate(credible["entity"].values.tolist())}
    places = [place[name] for name in seen]
    paints = share_colors(seen, places, colors)
    n_entities = credible.sizes["entity"]
    chance = 1 / max(n_entities, 2)
    strength = np.clip((probability - chance) / (1 - chance), 0, 1)
    ground = np.array(to_rgb(paper_color(ax)))
    picture = np.where(undecided[..., None], np.array(to_rgb(shared_winners(ax))), ground)
    for name in seen:
        here = winner == name
        picture[here] = ground - (0.15 + 0.85 * strength[here, None]) * (ground - np.array(to_rgb(paints[name])))
    a, b = credible["a"].values, credible["b"].values
    window = window_of(credible)
    edges = [end + side * (axis[1] - axis[0]) / 2 for axis in (a, b) for side, end in ((-1, axis[0]), (1, axis[-1]))]
    ax.imshow(picture, origin="lower", extent=edges, interpolation="nearest", aspect="auto")
    prob = float(credible.attrs.get("prob", 0.95))
    unsure = np.where(np.isnan(probability), 0.0, (probability < prob).astype(float))
    line = grey_shade(ax, 0.5)
    if unsure.any() and not unsure.all():
        # The hatch stops at the level line of the probability itself.
        level = np.where(np.isnan(probability), 1.0, probability)
        hatched = ax.contourf(a, b, level, levels=[-1, prob], colors="none", hatches=["//"])
        hatched.set_edgecolor(line)
        hatched.set_linewidth(0)
    elif unsure.any():
        ax.fill(*np.array(window)[[[0, 1, 1, 0], [2, 2, 3, 3]]], facecolor="none", hatch="//", edgecolor=line, lw=0)
    share = credible["share"].fillna(0.0).to_series()
    group.sort(key=lambda name: -share[name])
    grey = (group, float(share[group].sum()), leading["exact"].item()) if undecided.any() else None
    rest = share.drop([*seen, *group])
    other = {_text.count(len(rest), "other"): rest.sum()} if rest.sum() >= 0.005 else {}
    whole_tile = window == [0.0, 1.0, 0.0, 1.0]
    note = f"P(best) < {prob:g} on\n{float(credible['undecided_area']):.0%} of the {'Tile' if whole_tile else 'window'}"
    marks = number_regions(ax, places, [winner == name for name in seen[:top]], window)
    # The map shows where each is most probably best; the numbers are another quantity, and are named.
    heading = f"Expected share of the {'Tile' if whole_tile else 'window'}\non which each is best"
    share_legend(
        ax, share[seen].to_dict(), paints, top, other=other, grey=grey, note=note, numbers=marks, heading=heading
    )
    draw_tile_axes(ax, prevalence, window=window, prediction_rate=prediction_rate)
    return add_missing_fonts(ax)


def _check_credible(credible: Any) -> xr.Dataset:
    """Return the credible Tile for any of its plots."""
    needed = ("winner_probability", "probability_best", "share", "share_lower", "a", "b", "entity")
    return check_result("br.tile.credible", "credible", credible, needed)


def expected_rank_tile(credible: xr.Dataset, entity: Any, ax: Any = None) -> Any:
    """Draw the expected rank of one entity; 1 is best.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = expected_rank_tile(br.tile.credible(br.fit(counts, seed=1), resolution=21), "a")
    >>> axes.get_title()
    'a'
    """
    check_choice("entity", entity, _check_credible(credible)["entity"].values.tolist(), KeyError)
    if "expected_rank" not in credible:
        raise ValueError("credible must hold the map expected_rank; got one whose maps left it out")
    part = credible["expected_rank"].sel(entity=entity).assign_attrs(entities=credible.sizes["entity"])
    ax = value_tile(part, ax)
    ax.set_title(plain_names([entity], 46)[0], fontsize=9)
    return add_missing_fonts(ax)


def shares(credible: xr.Dataset, ax: Any = None, *, top: int = 20, colors: Mapping[Any, Any] | None = None) -> Any:
    """Draw each entity's share of the Tile with its interval, largest first.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> axes = shares(br.tile.credible(br.fit(counts, seed=1), resolution=21))
    >>> len(axes.get_yticks())
    2
    """
    first = _check_credible(credible).sortby(-credible["share"]).isel(entity=slice(0, check_integer("top", top, 1)))
    ax = new_axes(ax, 6.4, 0.9 + 0.25 * first.sizes["entity"])
    place = np.arange(first.sizes["entity"])
    paints = entity_colors(credible["entity"].values.tolist(), colors)
    shown = [paints[name] for name in first["entity"].values.tolist()]
    ax.hlines(place, first["share_lower"], first["share_upper"], color=shown, linewidth=2)
    ax.scatter(first["share"], place, color=shown, s=18, zorder=3)
    ax.set_yticks(place, plain_names(first["entity"].values.tolist(), 40))
    ax.set_ylim(len(place) - 0.5, -0.5)
    ax.set_xlim(-0.01, 1.01)
    ax.set_xlabel(f"expected share of the {'window' if 'window' in credible.attrs else 'Tile'} on which it is best")
    left_out = credible.sizes["entity"] - len(place)
    if left_out:
        ax.set_title(f"{left_out} more with smaller shares", fontsize=8)
    return add_missing_fonts(ax)
