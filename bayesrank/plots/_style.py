"""What pictures share: names, sizes, axes and legends. Matplotlib is imported on first use."""

from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import bidirectional

import numpy as np
import xarray as xr

from bayesrank._checks import describe_value
from bayesrank._escape import mathtext
from bayesrank._names import short_names
from bayesrank.plots._colors import OKABE_ITO, entity_colors, grey_shade, ink_color

__all__ = [
    "OKABE_ITO", "entity_colors", "is_ratio", "list_legend", "list_names", "list_size", "log_axis", "log_ticks",
    "matrix_size", "names_ratio", "new_axes", "new_figure", "new_panels", "plain_names", "rank_ticks", "rows_of",
    "strip",
]  # fmt: skip


def plain_names(names: Sequence[Any], width: int) -> list[str]:
    """Return names cut to a width, in which a dollar sign or a leading underscore has no special meaning.

    Around names written from right to left are marks, so that numbers beside them stay where they are.
    """
    texts = [mathtext(name) for name in short_names(names, width)]
    texts = [f" {text}" if text.startswith("_") else text for text in texts]
    return [f"\u200e{text}\u200e" if any(bidirectional(c) in ("R", "AL") for c in text) else text for text in texts]


def new_axes(ax: Any, width: float, height: float) -> Any:
    """Return the Axes given, or a new one of that size in inches."""
    if ax is not None:
        from matplotlib.axes import Axes

        if not isinstance(ax, Axes):
            raise TypeError(f"ax must be a Matplotlib Axes; got {describe_value(ax)}")
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def new_panels(
    axes: Any, rows: int, columns: int, width: float, height: float, sharex: bool = False, sharey: bool = False
) -> np.ndarray:
    """Return the Axes given, one for each panel, or new ones in rows and columns, of that size in inches in all."""
    if axes is None:
        import matplotlib.pyplot as plt

        size = (width, height)
        return plt.subplots(
            rows, columns, figsize=size, layout="constrained", squeeze=False, sharex=sharex, sharey=sharey
        )[1].ravel()
    from matplotlib.axes import Axes

    given = axes.ravel().tolist() if isinstance(axes, np.ndarray) else axes
    given = list(given) if isinstance(given, Sequence) else [given]
    if not all(isinstance(one, Axes) for one in given):
        raise TypeError(f"axes must hold Matplotlib Axes; got {describe_value(axes)}")
    if len(given) != rows * columns:
        raise ValueError(f"axes must hold {rows * columns} Axes; got {len(given)}")
    return np.array(given, dtype=object)


def new_figure(figure: Any, width: float, height: float) -> Any:
    """Return the Figure or SubFigure given, or a new one of that size in inches."""
    if figure is not None:
        from matplotlib.figure import FigureBase

        if not isinstance(figure, FigureBase):
            raise TypeError(f"figure must be a Matplotlib Figure or SubFigure; got {describe_value(figure)}")
        return figure
    import matplotlib.pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained")


def rows_of(ranking: xr.Dataset, names: Sequence[Any]) -> list[int]:
    """Return places among these names of the entities of a ranking, in its order."""
    from bayesrank.ranking.summary import ranking_table

    place = {name: i for i, name in enumerate(names)}
    found = [place[name] for name in ranking_table(ranking).index if name in place]
    if not found:
        entities = ranking["entity"].values.tolist()
        raise ValueError(f"ranking must be of some of the entities {list(names)[:5]}; got one of {entities[:5]}")
    return found


def list_size(size: int, width: float = 8.0) -> tuple[float, float]:
    """Return width and height in inches of a picture with one row an entity."""
    return width, 1.6 + (0.3 if size <= 30 else 0.17 if size <= 120 else 0.11) * size


def matrix_size(size: int, cell: float = 0.3, width: float | None = None) -> tuple[float, float]:
    """Return width and height in inches of a picture with one row and one column an entity, of one screen at most."""
    side = 3.0 + min(cell * size if size <= 30 else 0.11 * size, 11.0)
    return side + 1.0 if width is None else width, side - (0.0 if width is None else 1.4)


def list_names(ax: Any, entities: Sequence[Any], axis: str = "y") -> None:
    """Entity names along an axis, the first at the top or left, in letters that fit their number.

    Where even the smallest do not fit, only some get their place and name: 1, 6, 11, ...
    """
    size = len(entities)
    box = ax.get_window_extent()
    # What the other axis' labels take of a new Axes is not known before it is drawn.
    room = 72 / ax.figure.dpi * (box.height if axis == "y" else 0.85 * box.width) / max(size, 1)
    names, every, font = plain_names(entities, 46 if axis == "y" else 28), 1, min(max(0.8 * room, SMALLEST), 9.0)
    if room < SMALLEST:
        every = next((n for n in (2, 5, 10, 20, 25, 50, 100, 200, 500) if n * room >= 1.6 * SMALLEST), size)
        font = 1.3 * SMALLEST
        names = [f"{i + 1}  {name}" for i, name in enumerate(names)]
    shown = range(0, size, every)
    if axis == "y":
        ax.set_yticks(shown, [names[i] for i in shown], fontsize=font)
        ax.set_ylim(size - 0.5, -0.5)
    else:
        ax.set_xticks(shown, [names[i] for i in shown], fontsize=font, rotation=90)


#: Letters in points that can still be read.
SMALLEST = 5.0


def rank_ticks(axis: Any, size: int) -> None:
    """Label an axis with integer ranks, from 1 on."""
    step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, size) if size <= 12 * n)
    axis.set_ticks([1, *range(max(step, 2), size + 1, step)] if size > 1 else [1])


def is_ratio(about: Mapping[Any, Any]) -> bool:
    """Return whether attrs are those of a ratio, such as an odds ratio: from 0 on, without end and without a mean.

    Half and twice as much are equally far from 1 on a logarithmic axis only.
    """
    low, high = about.get("range", (0.0, 1.0))
    # Attrs from files are NumPy numbers, whose comparisons are not Python bools.
    return bool(low == 0 and high == np.inf and not about.get("finite_mean", 1))


def names_ratio(name: str) -> bool:
    """Return whether a score is one of the catalogue's ratios, by its name; one's own is not known by name."""
    from bayesrank.scores import get

    try:
        score = get(name)
    except KeyError:
        return False
    return is_ratio({"range": score.range, "finite_mean": score.finite_mean})


def log_ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers between two positive ones, for a logarithmic axis: 1, 2, 5, or whole powers of ten."""
    from matplotlib.ticker import MaxNLocator

    first, last = int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))
    for marks, step in (((1, 2, 5), 1), ((1,), 1), ((1,), 2), ((1,), 3), ((1,), 5), ((1,), 10)):
        powers = [power for power in range(first, last + 1) if power % step == 0]
        ticks = [float(f"{mark}e{power}") for power in powers for mark in marks]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= 7:
            # For a narrow range, use any round numbers.
            if len(inside) < 2:
                inside = [float(tick) for tick in MaxNLocator(4).tick_values(low, high) if low <= tick <= high]
            return inside
    return inside


def log_axis(ax: Any) -> None:
    """Make the horizontal axis logarithmic, with plain numbers; call it after drawing."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(log_ticks(*ax.get_xlim())))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_locator(NullLocator())


def strip(ax: Any) -> None:
    """Keep what a list of intervals needs: the lower spine and a faint grid; numbers above a long list, too."""
    ax.grid(axis="x", color=grey_shade(ax, 0.1))
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labeltop=len(ax.get_yticks()) > 40)


def list_legend(ax: Any, columns: int) -> None:
    """Draw a legend above a list and the numbers above it."""
    pad = 3.0 if len(ax.get_yticks()) > 40 else 0.5
    ax.legend(
        frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, fontsize=8, borderaxespad=pad,
        labelcolor=ink_color(),
    )  # fmt: skip
