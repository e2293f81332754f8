"""What pictures share: names, letters, sizes, axes, curves and legends. Matplotlib is imported on first use."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from unicodedata import bidirectional

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_order_of, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.escape import mathtext
from bayesrank._core.labels import object_array
from bayesrank._core.names import short_names
from bayesrank._core.records import ResultRecord
from bayesrank.plots.kit.colors import grey_shade, mark_and_dash

#: Letters in points that can still be read.
SMALLEST = 5.0


def plain_names(names: Sequence[Any], width: int) -> list[str]:
    """Return names cut to a width, in which a dollar sign or a leading underscore has no special meaning."""
    texts = [mathtext(name) for name in short_names(names, width)]
    texts = [f" {text}" if text.startswith("_") else text for text in texts]
    # Numbers beside names written from right to left stay where they are.
    return [
        f"\u200e{text}\u200e" if any(bidirectional(c) in ("R", "AL") for c in text) else text
        for text in texts
    ]


def new_axes(ax: Any, width: float, height: float) -> Any:
    """Return the Axes given, or a new one of that size in inches."""
    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(width, height), layout="constrained")[1]
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise ArgumentTypeError("ax", "must be a Matplotlib Axes", describe_value(ax))
    return ax


def new_panels(
    axes: Any,
    rows: int,
    columns: int,
    width: float,
    height: float,
    sharex: bool = False,
    sharey: bool = False,
) -> np.ndarray:
    """Return the Axes given, one for each panel, or new ones in rows and columns, of that size in inches in all."""
    if axes is None:
        import matplotlib.pyplot as plt

        shared: Any = {"sharex": sharex, "sharey": sharey, "squeeze": False}
        return plt.subplots(rows, columns, figsize=(width, height), layout="constrained", **shared)[
            1
        ].ravel()
    from matplotlib.axes import Axes

    given = object_array(check_order_of("axes", axes, "Axes")).ravel()
    if not all(isinstance(one, Axes) for one in given):
        raise ArgumentTypeError("axes", "must hold Matplotlib Axes", describe_value(axes))
    if given.size != rows * columns:
        raise ArgumentError("axes", f"must hold {rows * columns} Axes", given.size)
    return given


def new_figure(figure: Any, width: float, height: float) -> Any:
    """Return the Figure or SubFigure given, or a new one of that size in inches."""
    if figure is None:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=(width, height), layout="constrained")
    from matplotlib.figure import FigureBase

    if not isinstance(figure, FigureBase):
        raise ArgumentTypeError(
            "figure", "must be a Matplotlib Figure or SubFigure", describe_value(figure)
        )
    return figure


def rows_of(ranking: xr.Dataset, names: Sequence[Any]) -> list[int]:
    """Return places among these names of the entities of a ranking, in its order."""
    from bayesrank.ranking.summary import ranking_table

    position = {name: i for i, name in enumerate(names)}
    result = [position[name] for name in ranking_table(ranking).index if name in position]
    if not result:
        entities = ranking["entity"].values.tolist()
        raise ArgumentError(
            "ranking",
            f"must contain some of the entities {list(names)[:5]}",
            f"one of {entities[:5]}",
        )
    return result


def first_rows(rows: Any, top: int | None) -> tuple[Any, str]:
    """Return the first rows of a sequence or table, and words on the others for a label."""
    from bayesrank._core.checks import check_integer

    shown = rows if top is None else rows[: check_integer("top", top, 1)]
    rest = len(rows) - len(shown)
    return shown, f"\n{rest} more are not shown" if rest else ""


def list_size(size: int, width: float = 8.0) -> tuple[float, float]:
    """Return width and height in inches of a picture with one row an entity."""
    return width, 1.6 + (0.3 if size <= 30 else 0.17 if size <= 120 else 0.11) * size


def list_names(ax: Any, entities: Sequence[Any], axis: str = "y") -> None:
    """Entity names along an axis, the first at the top or left, in letters that fit their number.

    Where even the smallest do not fit, only some get their place and name: 1, 6, 11, ...
    """
    size = len(entities)
    box = ax.get_window_extent()
    # What the other axis' labels take of a new Axes is not known before it is drawn.
    room = 72 / ax.figure.dpi * (box.height if axis == "y" else 0.85 * box.width) / max(size, 1)
    names, every, font = (
        plain_names(entities, 46 if axis == "y" else 28),
        1,
        min(max(0.8 * room, SMALLEST), 9.0),
    )
    if room < SMALLEST:
        every = next(
            (n for n in (2, 5, 10, 20, 25, 50, 100, 200, 500) if n * room >= 1.6 * SMALLEST), size
        )
        font = 1.3 * SMALLEST
        names = [f"{i + 1}  {name}" for i, name in enumerate(names)]
    shown = range(0, size, every)
    if axis == "y":
        ax.set_yticks(shown, [names[i] for i in shown], fontsize=font)
        ax.set_ylim(size - 0.5, -0.5)
    else:
        ax.set_xticks(shown, [names[i] for i in shown], fontsize=font, rotation=90)


def rank_ticks(axis: Any, size: int) -> None:
    """Label an axis with integer ranks, from 1 on."""
    step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, size) if size <= 12 * n)
    axis.set_ticks([1, *range(max(step, 2), size + 1, step)] if size > 1 else [1])


def is_ratio(values: xr.DataArray | xr.Dataset) -> bool:
    """Return whether values are of a ratio, such as an odds ratio: from 0 on, without end and without a mean."""
    record = ResultRecord.of(values)
    return record.range == (0, np.inf) and record.finite_mean is False


def names_ratio(name: str) -> bool:
    """Return whether a score is one of the catalogue's ratios, by its name; one's own is not known by name."""
    from bayesrank.scores.names import find

    score = find(name, symbols=True)
    return score is not None and score.range == (0, np.inf) and not score.finite_mean


def interval_label(name: str, prob: float, log: bool, gap: str = " ") -> str:
    return f"{name}{gap}(median and {100 * prob:g}% interval{', log scale' * log})"


def log_ticks(low: float, high: float) -> list[float]:
    """Return a few round numbers between two positive ones, for a logarithmic axis: 1, 2, 5, or whole powers of ten."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    for locator in (LogLocator(subs=(1, 2, 5)), LogLocator(numticks=7)):
        ticks = [float(tick) for tick in locator.tick_values(low, high) if low <= tick <= high]
        if 2 <= len(ticks) <= 7:
            return ticks
    return [
        float(tick) for tick in MaxNLocator(4).tick_values(low, high) if low <= tick <= high
    ]  # for a narrow range


def log_axis(ax: Any) -> None:
    """Make the horizontal axis logarithmic, with plain numbers; call it after drawing."""
    ax.set_xscale("log")
    ax.set_xticks(log_ticks(*ax.get_xlim()))
    ax.set_xticks([], minor=True)
    ax.xaxis.set_major_formatter("{x:g}")


def finish_list(
    ax: Any, names: Sequence[Any] | None, label: str, log: bool = False, columns: int = 0
) -> Any:
    """Name the rows of a list and its axis, and keep the lower spine, a faint grid and a legend in columns."""
    if names is not None:
        list_names(ax, names)
    if log:
        log_axis(ax)
    ax.set_xlabel(label)
    ax.grid(axis="x", color=grey_shade(ax, 0.1))
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    long = len(ax.get_yticks()) > 40
    ax.tick_params(axis="x", labeltop=long)
    if columns and ax.get_legend_handles_labels()[0]:
        side_legend(
            ax,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=columns,
            borderaxespad=3.0 if long else 0.5,
        )
    return add_missing_fonts(ax)


def finish_plot(ax: Any) -> Any:
    """Draw a faint grid behind the data, and no spines at the top and on the right."""
    ax.grid(color=grey_shade(ax, 0.1))
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return add_missing_fonts(ax)


def side_legend(ax: Any, **options: Any) -> None:
    """Draw a legend on the right of the Axes, from its top on, or elsewhere."""
    position = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0}
    ax.legend(**{"frameon": False, "fontsize": 8, **position, **options})


def figure_legend(ax: Any, where: str, columns: int) -> None:
    """Draw the legend of one Axes for all of its figure, unless there is one."""
    if not ax.figure.legends:
        ax.figure.legend(
            *ax.get_legend_handles_labels(),
            loc=f"outside {where} center",
            ncols=columns,
            frameon=False,
            fontsize=9,
        )


def draw_curves(
    ax: Any,
    curves: Sequence[xr.Dataset],
    shown: Sequence[int],
    names: Sequence[str],
    paints: Sequence[Any],
    variables: tuple[str, str, str, str],
    marks: bool = False,
) -> None:
    """Draw the curves in places ``shown`` with bands, and the others as grey lines.

    ``variables`` are the names of x, y and the ends of the band, which a curve may lack.
    """
    x, y, low, high = variables
    thin = {"color": grey_shade(ax, 0.3), "linewidth": 0.7}
    for i in shown:
        one, color, (mark, dash) = curves[i], paints[i], mark_and_dash(i)
        if low in one:
            alpha = min(0.15, 0.5 / len(shown))
            ax.fill_between(one[x], one[low], one[high], color=color, alpha=alpha, linewidth=0)
        look = {"marker": mark, "markersize": 3, "linewidth": 1.5} if marks else {"linewidth": 1.8}
        ax.plot(one[x], one[y], color=color, linestyle=dash, label=names[i], **look)
    rest = sorted(set(range(len(curves))) - set(shown))
    for i in rest:
        ax.plot(curves[i][x], curves[i][y], zorder=1.5, **thin)
    if rest:
        ax.plot([], [], label=f"{len(rest)} more", **thin)


def add_missing_fonts(picture: Any) -> Any:
    """Give every text of a figure or Axes whose font lacks letters the fonts that have them; returns the picture."""
    from matplotlib.text import Text

    figure = picture.figure if picture.figure is not None else picture
    for text in figure.findobj(Text):
        letters = "".join(sorted(set(text.get_text()) - {"\n", " "}))
        families = text.get_fontfamily()
        found = () if letters.isascii() else fallback(letters, tuple(families))
        if found:
            text.set_fontfamily([*families, *found])
    return picture


@lru_cache(maxsize=4096)
def fallback(letters: str, families: tuple[str, ...]) -> tuple[str, ...]:
    """Return font families that have the letters that ``families`` lack, as far as any font has them."""
    from matplotlib.font_manager import FontProperties, fontManager

    missing = set(letters)
    for family in families:
        try:
            path = fontManager.findfont(FontProperties(family=[family]), fallback_to_default=False)
        except ValueError:  # a family that is not there
            continue
        missing -= _font_letters(str(path))
    result: list[str] = []
    while missing:
        # Upright fonts of ordinary weight.
        have = {
            font.name: missing & _font_letters(font.fname)
            for font in fontManager.ttflist
            if font.style == "normal" and font.weight in (400, "normal", "regular", "book")
            and "Last Resort" not in font.name
        }  # fmt: skip
        best = max(
            have,
            key=lambda name: (len(have[name]), "Sans" in name or "Gothic" in name, name),
            default="",
        )
        if not best or not have[best]:
            break
        result.append(best)
        missing -= have[best]
    return tuple(result)


@lru_cache(maxsize=512)
def _font_letters(path: str) -> frozenset[str]:
    """Return the letters of a font; none for a file that cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(path).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()
