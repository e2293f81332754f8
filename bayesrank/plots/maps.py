"""Pictures of numbers over the Tile: values, ranks, skill, robustness, each with the colours of its kind."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.patheffects import withStroke

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_array,
    check_bool,
    check_integer,
    check_numbers,
    check_prevalences,
    check_sequence,
    check_text,
    describe_value,
)
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import TileRecord
from bayesrank.plots.kit.colors import ink_color, paper_color
from bayesrank.plots.kit.furniture import ACROSS, SEQUENTIAL, draw_tile_axes, window_of
from bayesrank.plots.kit.style import (
    add_missing_fonts,
    new_axes,
    new_panels,
    plain_names,
    rank_ticks,
)

#: What the colour bars of some maps say.
TITLES = {
    "robustness": "distance to the nearest change of the order",
    "rank": "rank (1 is best)",
    "expected rank": "expected rank (1 is best)",
    "relative skill": "skill (1: perfect, 0: none)",
    "chance corrected": "score corrected for chance (1: perfect, 0: chance)",
}


@check_call
def value_tile(
    tile: xr.DataArray,
    ax: Any = None,
    prevalence: float | None = None,
    label: str | None = None,
    *,
    lines: int | Sequence[float] = 0,
    prediction_rate: float | None = None,
    cmap: Any = None,
    bar: bool = True,
) -> Any:
    """Draw a map of numbers (b, a): values, ranks, skill, robustness or correlations, each with its colour scale.

    Parameters
    ----------
    tile : xarray.DataArray
        Values (b, a) on the whole Tile or a window. Colour scales: ranks from 1 (brightest) to the
        number of entities; skill and correlations from -1 to 1, with an arrow if values lie
        outside; robustness up to its maximum. Other maps with negative values have a scale that
        diverges from 0.
    prevalence : float, optional
        Draw the curve of the scores that give all no-skill performances with this prevalence the
        same value. Also draw where a shift from balanced classes to this prevalence moves the lines
        of a regular grid.
    label : str, optional
        Label of the colour bar; by default the name of ``tile``.
    lines : int or sequence of float
        Isovalue lines: about this number at round values, or lines at these values; none by
        default.
    prediction_rate : float, optional
        Draw the same curve for this share of positive predictions.
    ax, cmap, bar : optional
        Matplotlib Axes; another colour map; False for no colour bar.

    Examples
    --------
    >>> axes = value_tile(br.tile.value(br.from_counts(tn=80, fp=0, fn=3, tp=27)).isel(entity=0), lines=5)
    >>> axes.get_xlabel()
    'a: finding a case counts more →'
    """
    check_array("tile", tile, ("b", "a"))
    ax = new_axes(ax, 4.8, 4.0)
    tile = tile.transpose("b", "a")
    if tile.name == "robustness" and bool(np.isposinf(tile).all()):
        ax.text(
            0.5, 0.25, "the order\nnever changes", transform=ax.transAxes, ha="center", va="center"
        )
    else:
        image = _draw_map(
            ax, tile, _scale(tile) | ({} if cmap is None else {"cmap": _check_cmap(cmap)}), lines
        )
        if check_bool("bar", bar):
            _color_bar(image, ax, tile, label, 0.85)
    draw_tile_axes(ax, prevalence, window=window_of(tile), prediction_rate=prediction_rate)
    return ax


def _check_cmap(cmap: Any) -> Any:
    """Return a colour map of Matplotlib, or the name of one."""
    from matplotlib import colormaps
    from matplotlib.colors import Colormap

    if not isinstance(cmap, Colormap) and not (isinstance(cmap, str) and cmap in colormaps):
        raise ArgumentError(
            "cmap", "must be a colour map of Matplotlib, or the name of one", describe_value(cmap)
        )
    return cmap


def _draw_map(
    ax: Any, tile: xr.DataArray, colors: dict[str, Any], lines: int | Sequence[float]
) -> Any:
    """Draw a map with labelled isovalue lines that are visible on any colour."""
    single, low, high = (
        not isinstance(lines, Iterable) or isinstance(lines, str),
        float(tile.min()),
        float(tile.max()),
    )
    levels: Any = (
        check_integer("lines", lines, 0, 1000)
        if single
        else check_numbers("lines", check_sequence("lines", lines))
    )
    if single:
        requested = bool(levels and high - low > 1e-9)
    else:
        levels = np.unique(levels)
        levels = levels[(levels > low) & (levels < high)]  # elsewhere there is no line
        requested = bool(levels.size)
    a, b = tile["a"], tile["b"]
    image = ax.pcolormesh(a, b, tile.values, shading="nearest", rasterized=True, **colors)
    if requested:
        contours = ax.contour(
            a, b, tile.values, levels=levels, colors=[ink_color()], linewidths=0.8
        )
        for text in ax.clabel(contours, fontsize=7):
            text.set_path_effects([withStroke(linewidth=2, foreground=paper_color(ax))])
    return image


@check_call
def value_tiles(
    tiles: xr.DataArray,
    prevalence: Any = None,
    label: str | None = None,
    *,
    lines: int | Sequence[float] = 0,
) -> Any:
    """Draw maps of one kind side by side, with one colour scale; returns their figure.

    Parameters
    ----------
    tiles : xarray.DataArray
        Values (b, a) over one more dim, whose coordinate holds the titles.
    prevalence : float or sequence, optional
        As for :func:`value_tile`: one number, or one for each map.
    label, lines : optional
        As for :func:`value_tile`.

    Examples
    --------
    >>> figure = value_tiles(br.tile.value(br.datasets.load("breast_cancer"), 11))
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['logreg', 'lda']
    """
    panel_dim = [dim for dim in getattr(tiles, "dims", ()) if dim not in ("b", "a")][:1]
    if isinstance(tiles, xr.DataArray) and not panel_dim:
        requirement = "must have a third dim beside b and a, along which the maps are"
        raise ArgumentError("tiles", requirement, f"the dims {tiles.dims}")
    check_array("tiles", tiles, ("b", "a", *(panel_dim or ["maps"])))
    tiles = tiles.transpose(*panel_dim, "b", "a")
    size, titles = len(tiles), plain_names(tiles[panel_dim[0]].values.tolist(), 26)
    prevalences = _prevalence_of_each(prevalence, size)
    columns = 2 if size == 4 else min(size, 3)
    rows = -(-size // columns)
    grid = new_panels(
        None, rows, columns, 2.4 * columns + 1.0, 2.2 * rows + 0.7, sharex=True, sharey=True
    )
    for ax, part, name, prior in zip(grid, tiles, titles, prevalences, strict=False):
        image = _draw_map(ax, part, _scale(tiles), lines)
        ax.set_title(name, fontsize=8)
        draw_tile_axes(ax, prior, marks=False, window=window_of(tiles), small=True)
        ax.label_outer()
    for ax in grid[size:]:
        ax.set_visible(False)
    for ax in grid[max(size - columns, 0) : size]:  # the lowest of each column
        ax.tick_params(labelbottom=True)
        ax.set_xlabel(ACROSS, fontsize=8)
    _color_bar(image, grid, tiles, label, 0.8)
    return add_missing_fonts(grid[0].figure)


def _prevalence_of_each(prevalence: Any, maps: int) -> list[float | None]:
    """Return the prevalence of each map, from one for all or one for each; None if there is none."""
    if prevalence is None:
        return [None] * maps
    prevalences = np.ravel(check_prevalences(prevalence, ends=True)).tolist()
    if len(prevalences) not in (1, maps):
        raise ArgumentError(
            "prevalence", f"must be one number, or one for each of {maps} maps", len(prevalences)
        )
    return prevalences * (maps // len(prevalences))


def _scale(tile: xr.DataArray) -> dict[str, Any]:
    """Return the colours of a map, by what it shows: ``cmap``, ``vmin``, ``vmax``.

    Ranks from 1, brightest, to the number of entities; skill and correlations from -1 to 1; other
    signed numbers from 0 both ways; probabilities and scores from 0 to 1; the rest, such as
    robustness, from 0 to its maximum.
    """
    name = str(tile.name or "")
    finite = tile.values[np.isfinite(tile.values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if name in ("rank", "expected_rank"):
        most = float(TileRecord.of(tile).entities or np.ceil(high))
        return {"cmap": f"{SEQUENTIAL}_r", "vmin": 1.0, "vmax": max(most, 2.0)}
    bounded = name.endswith("correlation") or name in ("relative_skill", "chance_corrected")
    if bounded or low < 0:
        reach = 1.0 if bounded else max(-low, high)
        return {"cmap": "RdBu", "vmin": -reach, "vmax": reach}
    top = (high or 1.0) if name == "robustness" or high > 1 else 1.0
    return {"cmap": SEQUENTIAL, "vmin": 0.0, "vmax": top}


def _color_bar(image: Any, ax: Any, tile: xr.DataArray, label: str | None, shrink: float) -> None:
    """Draw the colour bar of one or several maps: rank 1 on top, arrows where the range continues."""
    label = None if label is None else check_text("label", label)
    finite = tile.values[np.isfinite(tile.values)]
    below, above = (finite < image.norm.vmin - 1e-9).any(), (finite > image.norm.vmax + 1e-9).any()
    extend = {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        (below, above), "neither"
    )
    name = str(tile.name or "").replace("_", " ")
    bar = image.figure.colorbar(
        image, ax=ax, label=label or TITLES.get(name, name), shrink=shrink, extend=extend
    )
    if name in ("rank", "expected rank"):
        rank_ticks(bar.ax.yaxis, int(image.norm.vmax))
        bar.ax.invert_yaxis()
