"""Pictures of numbers over the Tile: values, ranks, skill, robustness, each with the colours of its kind.

They draw what :mod:`bayesrank.tile` computes, on all of the Tile or in a window of it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import (
    check_array,
    check_bool,
    check_integer,
    check_number,
    check_numbers,
    check_prevalences,
    check_sequence,
)
from bayesrank.plots._colors import ink_color, paper_color
from bayesrank.plots._furniture import ACROSS, color_bar, draw_tile_axes, scale, title, window_of
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import new_axes, plain_names

__all__ = ["value_tile", "value_tiles"]

#: Largest number of isovalue lines in a map.
MOST = 1000


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
        Values (b, a) on the whole Tile or a window. Colour scales: ranks from 1 (brightest) to the number of entities;
        skill and correlations from -1 to 1, with an arrow if values lie outside; robustness up to its maximum. Other
        maps with negative values have a scale that diverges from 0.
    ax : matplotlib Axes, optional
        Where to draw.
    prevalence : float, optional
        Draw the curve of the scores that give all no-skill performances with this prevalence the same value, and a
        regular grid after a shift from balanced priors.
    label : str, optional
        Label of the colour bar; by default the name of ``tile``.
    lines : int or sequence of float
        Isovalue lines: about this number at round values, or lines at these values; none by default.
    prediction_rate : float, optional
        Draw the curve of the scores that give all no-skill performances with this share of positive predictions the
        same value.
    cmap : str or matplotlib Colormap, optional
        Colour map; the default depends on the kind of map.
    bar : bool
        Whether to draw the colour bar.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> axes = value_tile(br.tile.value(br.from_counts(tn=80, fp=0, fn=3, tp=27)).isel(entity=0), lines=5)
    >>> axes.get_xlabel()
    'a: true positives count more →'
    """
    check_array("tile", tile, ("b", "a"))
    ax = new_axes(ax, 4.8, 4.0)
    tile = tile.transpose("b", "a")
    if tile.name == "robustness" and bool(np.isposinf(tile).all()):
        ax.text(0.5, 0.25, "the order\nnever changes", transform=ax.transAxes, ha="center", va="center")
    else:
        colors = scale(tile) | ({} if cmap is None else {"cmap": cmap})
        image = ax.pcolormesh(tile["a"], tile["b"], tile.values, shading="nearest", rasterized=True, **colors)
        if check_bool("bar", bar):
            color_bar(image, ax, tile, label, 0.85)
        _isolines(ax, tile, lines)
    draw_tile_axes(ax, prevalence, window=window_of(tile), prediction_rate=prediction_rate)
    return ax


def _isolines(ax: Any, tile: xr.DataArray, lines: int | Sequence[float]) -> None:
    """Draw labelled isovalue lines that are visible on any colour."""
    from matplotlib.patheffects import withStroke

    single = not isinstance(lines, Iterable) or isinstance(lines, str)
    levels: Any = (
        check_integer("lines", lines, 0, MOST)
        if single
        else np.unique(check_numbers("lines", check_sequence("lines", lines)))
    )
    low, high = (float(end) for end in (tile.min(), tile.max()))
    if single:
        if not lines or not high - low > 1e-9:
            return
    else:
        levels = levels[(levels > low) & (levels < high)]  # elsewhere there is no line
        if not levels.size:
            return
    lines = ax.contour(tile["a"], tile["b"], tile.values, levels=levels, colors=[ink_color()], linewidths=0.8)
    for text in ax.clabel(lines, fontsize=7):
        text.set_path_effects([withStroke(linewidth=2, foreground=paper_color(ax))])


def value_tiles(
    tiles: xr.DataArray,
    prevalence: Any = None,
    label: str | None = None,
    columns: int = 3,
    high: float | None = None,
    *,
    lines: int | Sequence[float] = 0,
) -> Any:
    """Draw maps of one kind side by side, with one colour scale.

    Parameters
    ----------
    tiles : xarray.DataArray
        Dims (b, a) and one more, whose coordinate holds the titles.
    prevalence : float or sequence of float, optional
        As for :func:`value_tile`; one for all maps, or one for each.
    label : str, optional
        Label of the colour bar; by default the name of ``tiles``.
    columns : int
        Number of maps in a row.
    high : float, optional
        Upper end of the colour scale; the default depends on the kind of map, such as 1 for probabilities.
    lines : int or sequence of float
        As for :func:`value_tile`.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> figure = value_tiles(br.tile.value(counts, 11))
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['a', 'b']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    other = [dim for dim in getattr(tiles, "dims", ()) if dim not in ("b", "a")][:1] or ["one more dim"]
    check_array("tiles", tiles, ("b", "a", *other))
    tiles = tiles.transpose(*other, "b", "a")
    size, titles = len(tiles), plain_names(tiles[other[0]].values.tolist(), 36)
    columns = min(size, check_integer("columns", columns, 1))
    rows = -(-size // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(2.4 * columns + 1.0, 2.2 * rows + 0.7), squeeze=False, layout="constrained",
        sharex=True, sharey=True,
    )  # fmt: skip
    colored = scale(tiles)
    norm = Normalize(colored["vmin"], colored["vmax"] if high is None else check_number("high", high, finite=True))
    each = [None] if prevalence is None else np.ravel(check_prevalences(prevalence, ends=True)).tolist()
    if len(each) not in (1, size):
        raise ValueError(f"prevalence must be one number, or one for each of {size} maps; got {len(each)}")
    each = each * (size // len(each))
    for ax, part, name, prior in zip(grid.flat, tiles, titles, each, strict=False):
        ax.pcolormesh(
            part["a"], part["b"], part.values, shading="nearest", cmap=colored["cmap"], norm=norm, rasterized=True
        )
        ax.set_title(name, fontsize=8 if len(name) < 28 else 6.5)
        _isolines(ax, part, lines)
        draw_tile_axes(ax, prior, marks=False, window=window_of(tiles), small=True)
        ax.label_outer()
    for ax in grid.flat[size:]:
        ax.set_visible(False)
    for ax in grid.flat[max(size - columns, 0) : size]:  # the lowest of each column
        ax.tick_params(labelbottom=True)
        ax.set_xlabel(ACROSS, fontsize=8)
    color_bar(ScalarMappable(norm, colored["cmap"]), grid, tiles, label or title(tiles), 0.8)
    return add_missing_fonts(figure)
