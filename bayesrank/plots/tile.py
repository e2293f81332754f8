"""Pictures of the best entity on the Tile: a is horizontal, b vertical, corners and well-known scores are labelled."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.path import Path

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, check_result
from bayesrank._core.compat import is_container
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import select_names
from bayesrank._core.records import TileRecord
from bayesrank.plots.kit.colors import (
    Colors,
    check_colors,
    draw_halo,
    entity_colors,
    grey_shade,
    ink_color,
    paper_color,
    place_colors,
)
from bayesrank.plots.kit.furniture import (
    NAMED,
    PIXELS,
    draw_tile_axes,
    label_positions,
    name_regions,
    percent,
    share_entries,
    share_legend,
    share_texts,
    window_of,
)
from bayesrank.plots.kit.style import (
    NARROW,
    add_missing_fonts,
    finish_list,
    new_axes,
    new_figure,
    plain_names,
    side_legend,
    write_title,
)
from bayesrank.plots.maps import value_tile
from bayesrank.tile.geometry import holders
from bayesrank.tile.posterior import leaders
from bayesrank.words.tile import DECIDED_NOWHERE


@check_call
def winner_tile(
    regions: xr.Dataset, ax: Any = None, prevalence: float | None = None, *, colors: Colors = None
) -> Any:
    """Draw the entity with a given rank at each point of the Tile, exactly.

    Each region is labelled with its entity and share. Entities whose region is too small for that
    are listed beside the Tile, at most twelve in all.

    Parameters
    ----------
    regions : xarray.Dataset
        The result of :func:`bayesrank.tile.regions`.
    ax : matplotlib Axes, optional
    prevalence : float, optional
        Draw the no-skill curve and the shifted grid of this prevalence.
    colors : mapping, optional
        Colours by entity (:func:`colors`).

    Examples
    --------
    >>> axes = winner_tile(br.tile.regions(br.datasets.load("breast_cancer")))
    >>> [text.get_text() for text in axes.texts if "%" in text.get_text()]
    ['logreg\\n88%', 'lda\\n11%']
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['majority  1%']
    """
    if is_container(regions):
        hint = "br.plots.credible_tile(br.tile.credible(posterior)) draws a posterior"
        raise ArgumentError("regions", "must come from br.tile.regions", "a posterior", hint)
    check_result(
        "br.tile.regions",
        "regions",
        regions,
        ("entity", "first", "position", "tied", "area", "a", "b"),
    )
    ax = new_axes(ax, 7.0, 4.0)
    table = holders(regions)
    area, first, tied, places = (
        table[name].values.tolist() for name in ("area", "first", "tied", "position")
    )
    chosen = None
    if colors is not None:
        chosen = {str(name): color for name, color in check_colors(colors).items()}
    color_of, names = entity_colors(first, chosen, places), table["entity"].values.tolist()
    paints = {name: color_of[one] for name, one in zip(names, first, strict=True)}
    window = left, right, low, high = TileRecord.of(regions).window or (0.0, 1.0, 0.0, 1.0)
    grid = np.meshgrid(np.linspace(left, right, PIXELS), np.linspace(low, high, PIXELS))
    pixels = np.stack(grid, -1).reshape(-1, 2)
    masks = {name: np.zeros((PIXELS, PIXELS), bool) for name in paints}
    for i, name in enumerate(regions["entity"].values.tolist()):
        curve = regions[["a", "b"]].isel(region=i).to_array().values.T
        curve = curve[~np.isnan(curve).any(1)]
        ax.fill(*curve.T, facecolor=paints[name], edgecolor=paper_color(ax), linewidth=0.8)
        masks[name] |= Path(curve).contains_points(pixels).reshape(PIXELS, PIXELS)
    draw_tile_axes(ax, prevalence, window=window)
    ties = [f"\nand {n - 1} more, tied" if n > 1 else "" for n in tied]
    texts, drawn = share_texts(first, area, ties), list(masks.values())[:NAMED]
    numbers = name_regions(ax, texts, drawn, window, places)
    share_legend(ax, share_entries(first, area, list(paints.values()), ties, numbers))
    return add_missing_fonts(ax)


@check_call
def frontier_tile(frontiers: xr.Dataset, ax: Any = None, prevalence: float | None = None) -> Any:
    """Draw the curves on which two entities change order; more than twelve are grey.

    Parameters
    ----------
    frontiers : xarray.Dataset
        The result of :func:`bayesrank.tile.frontiers`.
    ax, prevalence : optional
        As for :func:`winner_tile`.

    Examples
    --------
    >>> axes = frontier_tile(br.tile.frontiers(br.datasets.load("breast_cancer")[:2]))
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['logreg, lda']
    """
    check_result("br.tile.frontiers", "frontiers", frontiers, ("entity", "rival", "a", "b"))
    can_color = frontiers.sizes["pair"] <= NAMED
    ax = new_axes(ax, 7.0 if can_color else 4.4, 4.0)
    pairs = [
        f"{one}, {two}"
        for one, two in zip(frontiers["entity"].values, frontiers["rival"].values, strict=True)
    ]
    for i, name in enumerate(plain_names(pairs, 34)):
        curve = frontiers.isel(pair=i)
        color = place_colors([i])[0] if can_color else grey_shade(ax, 0.7)
        thin: Any = {"linewidth": 0.7, "alpha": min(1.0, (60 / len(pairs)) ** 0.5)}
        look = {"linewidth": 1.6} if can_color else thin
        ax.plot(curve["a"], curve["b"], color=color, label=name, **look)
    if can_color and pairs:
        side_legend(ax, title="equal scores of")
    draw_tile_axes(ax, prevalence)
    return add_missing_fonts(ax)


@check_call
def neutral_tile(band: xr.Dataset, ax: Any = None) -> Any:
    """Draw where canonical scores are neutral to chance under an uncertain prevalence, with its band.

    Parameters
    ----------
    band : xarray.Dataset
        The result of :func:`bayesrank.tile.neutral_band`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> axes = neutral_tile(br.tile.neutral_band((30, 70), points=21))
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['95% band', 'median prevalence', 'least expected range', 'least, with a = b']
    """
    check_result(
        "br.tile.neutral_band",
        "band",
        band,
        ("lower", "upper", "median", "least", "diagonal"),
        ("prob",),
    )
    ax = new_axes(ax, 7.0, 4.0)
    color, second_color = place_colors([0, 1])
    a = band["a"].values
    ax.fill_between(a, band["lower"], band["upper"], color=color, alpha=0.25, linewidth=0,
                    label=f"{100 * band.attrs['prob']:g}% band")  # fmt: skip
    ax.plot(a, band["median"], color=color, linewidth=1.6, label="median prevalence")
    # As points: the least place can jump from one a to the next, and is nowhere between.
    ax.plot(a, band["least"], ".", color=second_color, markersize=3, label="least expected range")
    position = float(band["diagonal"])
    ax.plot(
        position,
        position,
        "D",
        color=second_color,
        markersize=7,
        zorder=5,
        label="least, with a = b",
    )
    side_legend(ax)
    draw_tile_axes(ax, None)
    return add_missing_fonts(ax)


@check_call
def credible_tile(
    credible: xr.Dataset, ax: Any = None, prevalence: float | None = None, *, colors: Colors = None
) -> Any:
    """Draw the most probable best entity at each point of the Tile.

    Saturation shows the probability; undecided points are hatched, unless these are all. In grey
    areas, several entities have the highest probability of being best, within three Monte-Carlo
    errors. They are named beside the Tile if they are the same in all grey areas. Each region is
    labelled with its entity and the expected share of the Tile on which it is best; entities whose
    region is too small for that are listed beside the Tile.

    Parameters
    ----------
    credible : xarray.Dataset
        The result of :func:`bayesrank.tile.credible`.
    ax, prevalence, colors : optional
        As for :func:`winner_tile`.

    Examples
    --------
    >>> axes = credible_tile(br.tile.credible(br.fit(br.datasets.load("breast_cancer")[:2], seed=1), resolution=21))
    >>> [text.get_text() for text in axes.texts if "%" in text.get_text()]
    ['logreg\\n86%', 'lda\\n14%']
    >>> [text.get_text().split()[0] for text in axes.get_legend().get_texts()]
    ['several,', 'P(best)']
    """
    _check_credible(credible)
    ax = new_axes(ax, 7.0, 4.0)
    credible = credible.transpose(..., "b", "a")
    a, b, probability = (credible[name].values for name in ("a", "b", "winner_probability"))
    leading, share = leaders(credible), credible["share"].fillna(0.0).to_series()
    winner, shared = leading["leader"].values, leading["shared"].values
    group = leading["entity"].values[leading["among"].values].tolist()
    order = credible["share"].sortby(-credible["share"])["entity"].values
    shown_names = [name for name in order if (winner == name).any()]
    places = [credible["entity"].values.tolist().index(name) for name in shown_names]
    paints = entity_colors(shown_names, colors, places)
    grey = _paint_leaders(ax, credible, winner, shared, paints, probability)
    window, line = window_of(credible), grey_shade(ax, 0.5)
    prob = TileRecord.of(credible).prob
    unsure = probability < prob
    nowhere = (
        float(credible["undecided_area"]) >= DECIDED_NOWHERE
    )  # a hatch over all of the map would hide it
    if unsure.any() and not nowhere:
        # The hatch stops at the level line of the probability itself.
        level = np.where(np.isnan(probability), 1.0, probability)
        hatched = ax.contourf(a, b, level, levels=[-1, prob], colors="none", hatches=["//"])
        hatched.set(edgecolor=line, linewidth=0)
    draw_tile_axes(ax, prevalence, window=window)
    shares_seen, no_labels = share[shown_names].tolist(), [""] * len(shown_names)
    masks = [winner == name for name in shown_names[:NAMED]]
    numbers = name_regions(
        ax, share_texts(shown_names, shares_seen, no_labels), masks, window, places
    )
    entries = share_entries(shown_names, shares_seen, list(paints.values()), no_labels, numbers)
    if shared.any():
        group.sort(key=lambda name: -share[name])
        reason = "tied" if leading["exact"].item() else "too close to separate"
        text = f"several, {reason}"
        if group:
            together = percent(float(share[group].sum()))
            text = (
                f"{plain_names(group[:1], 34)[0]}\nand {len(group) - 1} more, {reason}  {together}"
            )
        entries.append((grey, text))
    rest = share.drop([*shown_names, *group])
    if rest.sum() >= 0.005:
        entries.append(("none", f"{prose.count(len(rest), 'other')}  {percent(rest.sum())}"))
    full = "Tile" if window == [0.0, 1.0, 0.0, 1.0] else "window"
    note = f"P(best) < {prob:g} on\n{float(credible['undecided_area']):.0%} of the {full}"
    # The map shows where each is most probably best; the numbers are another quantity, and are
    # named.
    write_title(ax, f"expected share of the {full} on which each is best", 8)
    if nowhere:
        share_legend(ax, [*entries, ("none", f"P(best) < {prob:g} on\nall of the {full}")])
    else:
        hatched = {"label": note, "edgecolor": line} if unsure.any() else {}
        share_legend(ax, entries, **hatched)
    return add_missing_fonts(ax)


@check_call
def class_tiles(tiles: xr.Dataset, figure: Any = None, *, colors: Colors = None) -> Any:
    """Draw the Tiles of all classes, and of their mean, side by side; returns their figure.

    Parameters
    ----------
    tiles : xarray.Dataset
        The result of :func:`bayesrank.tile.credible_by_class`.
    figure : matplotlib Figure or SubFigure, optional
        In a narrow one, such as for a phone, the Tiles are one below the other.
    colors : optional
        As for :func:`winner_tile`.

    Examples
    --------
    >>> counts = br.from_matrix([[[50, 1, 0], [2, 70, 9], [0, 8, 4]], [[48, 3, 0], [5, 71, 5], [0, 3, 9]]],
    ...                         "actual_rows", labels=["a", "b", "c"], entity=["u", "v"])
    >>> figure = class_tiles(br.tile.credible_by_class(counts, 9))
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['a', 'b', 'c', 'mean over classes']
    """
    check_result(
        "br.tile.credible_by_class",
        "tiles",
        tiles,
        ("label", "probability_best", "winner_probability", "share"),
    )
    if "label" not in tiles.dims:
        raise ArgumentError(
            "tiles",
            "must come from br.tile.credible_by_class, with the dim label",
            tuple(tiles.dims),
        )
    labels = tiles["label"].values.tolist()
    size = min(len(labels), 2), -(-len(labels) // 2)
    figure = new_figure(figure, 6.4 * size[0], 3.9 * size[1])
    columns = 1 if figure.bbox.width / figure.dpi < NARROW else size[0]
    axes = figure.subplots(-(-len(labels) // columns), columns, squeeze=False).ravel()
    for ax, label, title in zip(
        axes,
        labels,
        plain_names(labels, 40 if columns > 1 or len(labels) == 1 else 28),
        strict=False,
    ):
        credible_tile(tiles.sel(label=label, drop=True), ax, colors=colors)
        ax.set_title("")
        ax.set_title(title, loc="left")
    for ax in axes[len(labels) :]:
        ax.remove()
    figure.suptitle("expected share of each Tile on which an entity is best", fontsize=9)
    return figure


@check_call
def threshold_tile(
    credible: xr.Dataset, ax: Any = None, prevalence: float | None = None, *, colors: Colors = None
) -> Any:
    """Draw which entity, at which threshold, is most probably best at each point of the Tile.

    Each region is labelled with its entity and threshold, if there is room. Colours are those of
    :func:`credible_tile`: an entity is best where it is best at one of its thresholds. The
    stronger the colour, the more probably this entity at this threshold is best. In grey areas
    several entities are too close to separate.

    Parameters
    ----------
    credible : xarray.Dataset
        The result of :func:`bayesrank.tile.credible` with ``by="classifier"``, for labels from
        :func:`bayesrank.ops.apply_threshold`.
    ax, prevalence, colors : optional
        As for :func:`winner_tile`.

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 1, 1] * 9, {"a": [0.1, 0.6, 0.4, 0.8] * 9})
    >>> posterior = br.fit(br.ops.apply_threshold(evidence, [0.3, 0.7]), seed=1)
    >>> ax = threshold_tile(br.tile.credible(posterior, resolution=21, by="classifier"))
    >>> [text.get_text() for text in ax.texts if "at" in text.get_text()]
    ['a\\nat 0.3', 'a\\nat 0.7']
    """
    needed = ("threshold", "member", "member_probability")
    check_result("br.tile.credible(..., by='classifier')", "credible", credible, needed)
    _check_credible(credible)
    ax = new_axes(ax, 4.8, 4.8)
    credible = credible.transpose(..., "b", "a")
    leading, entities = leaders(credible), credible["entity"].values.tolist()
    winner, shared = leading["leader"].values, leading["shared"].values
    threshold = credible["threshold"].values
    paints = entity_colors(entities, colors)
    _paint_leaders(ax, credible, winner, shared, paints, credible["member_probability"].values)
    pairs = sorted({(name, float(t)) for name, t in zip(winner.flat, threshold.flat, strict=True) if name != ""},
                   key=lambda pair: (entities.index(pair[0]), pair[1]))  # fmt: skip
    masks = {pair: (winner == pair[0]) & (threshold == pair[1]) for pair in pairs}
    names = dict(zip(entities, plain_names(entities, 18), strict=True))
    labels = {f"{names[name]}\nat {t:.3g}": mask for (name, t), mask in masks.items()}
    if shared.any():
        labels["too close\nto separate"] = shared
    regions = np.full(winner.shape, -1)
    for i, mask in enumerate(masks.values()):
        regions[mask] = i
    _draw_borders(ax, credible, regions)
    window = window_of(credible)
    middles = label_positions(list(labels.values()), window, margin=(0.16, 0.06)) if labels else []
    for text, at in zip(labels, middles, strict=True):
        if at is not None:
            ax.text(
                *at,
                text,
                ha="center",
                va="center",
                fontsize=8,
                color=ink_color(),
                path_effects=draw_halo(ax),
            )
    draw_tile_axes(ax, prevalence, window=window)
    write_title(ax, "most probably best, at which threshold (stronger colour: more surely)", 8)
    return add_missing_fonts(ax)


def _paint_leaders(
    ax: Any,
    credible: xr.Dataset,
    winner: np.ndarray,
    shared: np.ndarray,
    paints: dict[Any, str],
    probability: np.ndarray,
) -> str:
    """Colour a map by its winners, the stronger the more probable; return the grey of shared places."""
    chance = 1 / max(credible.sizes["entity"], 2)
    strength = 0.35 + 0.65 * np.clip((probability - chance) / (1 - chance), 0, 1)
    ground, grey = np.array(to_rgb(paper_color(ax))), grey_shade(ax, 0.15)
    picture = np.where(shared[..., None], np.array(to_rgb(grey)), ground)
    for name, paint in paints.items():
        leads = winner == name
        picture[leads] = ground - strength[leads, None] * (ground - np.array(to_rgb(paint)))
    edges = [
        end + side * (axis[1] - axis[0]) / 2
        for axis in (credible["a"].values, credible["b"].values)
        for side, end in ((-1, axis[0]), (1, axis[-1]))
    ]
    ax.imshow(picture, origin="lower", extent=edges, interpolation="nearest", aspect="auto")
    return grey


def _draw_borders(ax: Any, credible: xr.Dataset, regions: np.ndarray) -> None:
    """Draw lines between the regions of a map, along the edges of its points."""
    a, b = (
        np.append(axis - step / 2, axis[-1] + step / 2)
        for axis, step in (
            (one, np.diff(one).mean()) for one in (credible["a"].values, credible["b"].values)
        )
    )
    rows, columns = np.nonzero(np.diff(regions, axis=1))
    lines = [[(a[j + 1], b[i]), (a[j + 1], b[i + 1])] for i, j in zip(rows, columns, strict=True)]
    rows, columns = np.nonzero(np.diff(regions, axis=0))
    lines += [[(a[j], b[i + 1]), (a[j + 1], b[i + 1])] for i, j in zip(rows, columns, strict=True)]
    ax.add_collection(LineCollection(lines, colors=[paper_color(ax)], linewidths=1), autolim=False)


def _check_credible(credible: Any) -> xr.Dataset:
    needed = ("winner_probability", "probability_best", "share", "share_lower", "a", "b", "entity")
    return check_result("br.tile.credible", "credible", credible, needed)


@check_call
def expected_rank_tile(credible: xr.Dataset, entity: Any, ax: Any = None) -> Any:
    """Draw the expected rank of one entity; 1 is best.

    Parameters
    ----------
    credible, ax
        As for :func:`credible_tile`.
    entity : hashable
        The entity whose rank is drawn.

    Examples
    --------
    >>> expected_rank_tile(br.tile.credible(br.fit(br.datasets.load("breast_cancer"), seed=1), 21), "lda").get_title()
    'lda'
    """
    check_choice(
        "entity", entity, _check_credible(credible)["entity"].values.tolist(), ArgumentKeyError
    )
    if "expected_rank" not in credible:
        raise ArgumentError(
            "credible",
            "must have the map expected_rank (maps=['expected_rank'])",
            "a Tile without this map",
        )
    part = select_names(credible["expected_rank"], entity=entity).assign_attrs(
        entities=credible.sizes["entity"]
    )
    ax = value_tile(part, ax)
    ax.set_title(plain_names([entity], 46)[0], fontsize=9)
    return add_missing_fonts(ax)


@check_call
def shares(credible: xr.Dataset, ax: Any = None, *, top: int = 20, colors: Colors = None) -> Any:
    """Draw each entity's share of the Tile with its interval, largest first.

    Parameters
    ----------
    credible, ax, colors
        As for :func:`credible_tile`.
    top : int
        Number of entities to draw.

    Examples
    --------
    >>> len(shares(br.tile.credible(br.fit(br.datasets.load("breast_cancer"), seed=1), resolution=21)).get_yticks())
    9
    """
    first = (
        _check_credible(credible)
        .sortby(-credible["share"])
        .isel(entity=slice(0, check_integer("top", top, 1)))
    )
    names = first["entity"].values.tolist()
    ax = new_axes(ax, 6.4, 0.9 + 0.25 * len(names))
    position, paints = (
        np.arange(len(names)),
        entity_colors(credible["entity"].values.tolist(), colors),
    )
    shown = [paints[name] for name in names]
    ax.hlines(position, first["share_lower"], first["share_upper"], color=shown, linewidth=2)
    ax.scatter(first["share"], position, color=shown, s=18, zorder=3)
    ax.set_xlim(-0.01, 1.01)
    left_out = credible.sizes["entity"] - len(names)
    if left_out:
        ax.set_title(f"{left_out} more with smaller shares", fontsize=8)
    label = f"expected share of the {'window' if TileRecord.of(credible).window else 'Tile'} on which it is best"
    return finish_list(ax, names, label)
