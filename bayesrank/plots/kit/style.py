"""What pictures share: names, letters, sizes, axes, curves and legends. Matplotlib is imported on first use."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from textwrap import wrap
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
from bayesrank.plots.kit.colors import grey_shade, ink_color, mark_and_dash, mix_colors

#: Letters in points that can still be read.
SMALLEST = 5.0
#: Width in inches below which a figure has its legends below, and less in its tables.
NARROW = 5.0
#: The most curves of one picture that have bands.
BANDS = 4


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

    own_axes = object_array(check_order_of("axes", axes, "Axes")).ravel()
    if not all(isinstance(one, Axes) for one in own_axes):
        raise ArgumentTypeError("axes", "must contain Matplotlib Axes", describe_value(axes))
    if own_axes.size != rows * columns:
        raise ArgumentError("axes", f"must contain {rows * columns} Axes", own_axes.size)
    return own_axes


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
    row = next((row for most, row in ((30, 0.3), (120, 0.17)) if size <= most), 0.11)
    return width, 1.6 + row * size


def list_names(ax: Any, entities: Sequence[Any], numbered: bool = False) -> None:
    """Write the entities' names beside the rows, the first at the top, in letters that fit the rows.

    Where even the smallest letters do not fit, only some rows have a name: 1, 6, 11, ... These
    names, or with ``numbered`` all names, begin with the number of the row.
    """
    size = len(entities)
    room = 72 / ax.figure.dpi * ax.get_window_extent().height / max(size, 1)
    every, font = 1, min(max(0.8 * room, SMALLEST), 9.0)
    if room < SMALLEST:
        steps = (2, 5, 10, 20, 25, 50, 100, 200, 500)
        every = next((n for n in steps if n * room >= 1.6 * SMALLEST), size)
        font, numbered = 1.3 * SMALLEST, True
    names = plain_names(entities, name_width(ax, font))
    if numbered:
        names = [f"{i}  {name}" for i, name in enumerate(names, 1)]
    shown = range(0, size, every)
    ax.set_yticks(shown, [names[i] for i in shown], fontsize=font)
    ax.set_ylim(size - 0.5, -0.5)


def name_width(ax: Any, font: float) -> int:
    """Return how many letters of a font size fit 40% of a figure's width: 8 at least, 46 at most."""
    points = 72 * ax.figure.bbox.width / ax.figure.dpi
    return int(np.clip(0.4 * points / (0.58 * font), 8, 46))


def fit_text(ax: Any, text: str, font: float = 10.0) -> str:
    """Break lines of a text that are wider than the room between the names of the rows and the right edge."""
    points = 72 / ax.figure.dpi
    names = [len(label.get_text()) * 0.5 * label.get_fontsize() for label in ax.get_yticklabels()]
    room = min(1.2 * points * ax.bbox.width, points * ax.figure.bbox.width - max(names, default=0))
    letters = max(int(room / (0.56 * font)), 12)
    return "\n".join(part for line in text.split("\n") for part in wrap(line, letters) or [""])


def rank_ticks(axis: Any, size: int) -> None:
    """Label an axis with integer ranks, from 1 on."""
    most = 6 if is_narrow(axis) else 12
    step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, size) if size <= most * n)
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
    ax.set_xlabel(fit_text(ax, label))
    ax.grid(axis="x", color=grey_shade(ax, 0.1))
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    long = len(ax.get_yticks()) > 40
    ax.tick_params(axis="x", labeltop=long)
    if is_narrow(ax) and not log:
        ax.locator_params(axis="x", nbins=4)
    if columns and ax.get_legend_handles_labels()[0]:
        ax.legend(
            frameon=False,
            fontsize=8,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=1 if is_narrow(ax) else columns,
            borderaxespad=3.0 if long else 0.5,
        )
    return add_missing_fonts(ax)


def finish_plot(ax: Any) -> Any:
    """Draw a faint grid behind the data, and no spines at the top and on the right."""
    ax.grid(color=grey_shade(ax, 0.1))
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return add_missing_fonts(ax)


def is_narrow(ax: Any) -> bool:
    """Return whether the figure of an Axes or axis is as narrow as a phone: without room beside the Axes."""
    return bool(ax.figure.bbox.width / ax.figure.dpi < NARROW)


def side_legend(ax: Any, under: float = 0.0, **options: Any) -> None:
    """Draw a legend on the right of the Axes, from its top on, or elsewhere; in a narrow figure below the Axes.

    There it is also below what is ``under`` the Axes, a share of its height.
    """
    position: dict[str, Any] = {
        "loc": "upper left",
        "bbox_to_anchor": (1.01, 1.0),
        "borderaxespad": 0,
    }
    ax.legend(**{"frameon": False, "fontsize": 8, **position, **options, **_below(ax, under)})


def _below(ax: Any, under: float) -> dict[str, Any]:
    """Return the place of a legend below the Axes and its label, in a narrow figure."""
    from matplotlib.transforms import ScaledTranslation

    if not is_narrow(ax):
        return {}
    ax.set_anchor("N")  # of an Axes with a fixed aspect, the free room is below it
    down = ScaledTranslation(0, -42 / 72, ax.figure.dpi_scale_trans)
    return {
        "loc": "upper center",
        "bbox_to_anchor": (0.4, -under),
        "bbox_transform": ax.transAxes + down,
        "ncols": 1,
        "borderaxespad": 0,
    }


def write_title(ax: Any, text: str, size: float = 9.0, **options: Any) -> None:
    """Write a title in lines that fit the figure."""
    ax.set_title(fit_text(ax, text, size), fontsize=size, **options)


def split_axes(ax: Any, middle: float, above: float = 0, below: float = 0) -> list[Any]:
    """Make room above and below the Axes, within its place, for Axes with the same horizontal axis.

    The numbers are relative heights. Returns three Axes; those of height 0 are None.
    """
    heights = [above, middle, below]
    used = [height for height in heights if height]
    if ax.get_subplotspec() is None:
        left, low, right, high = ax.get_position().extents
        ax.set_subplotspec(ax.figure.add_gridspec(1, 1, left, low, right, high)[0])
    rows = iter(ax.get_subplotspec().subgridspec(len(used), 1, height_ratios=used))
    result = []
    for height, at in zip(heights, (-1, 0, 1), strict=True):
        row = next(rows) if height else None
        if at == 0:
            ax.set_subplotspec(row)
        result.append(ax if at == 0 else row and ax.figure.add_subplot(row, sharex=ax))
    for one in (result[0], result[2]):
        if one is not None:
            one.tick_params(labelbottom=False)
    return result


def write_key(ax: Any, key: Mapping[str, Any], left: bool = True) -> None:
    """Write names, each in its colour, in an upper corner of the Axes, one below the other."""
    x, side = (0.0, 4) if left else (1.0, -4)
    for row, (name, paint) in enumerate(zip(plain_names(list(key), 34), key.values(), strict=True)):
        ax.annotate(
            name, (x, 1.0), (side, -2 - 11 * row), "axes fraction", textcoords="offset points",
            color=mix_colors(paint, ink_color(), 0.25), fontsize=8.5, ha="left" if left else "right", va="top",
        )  # fmt: skip


def figure_legend(ax: Any, where: str, columns: int) -> None:
    """Draw the legend of one Axes for all of its figure, unless there is one."""
    if not ax.figure.legends:
        ax.figure.legend(
            *ax.get_legend_handles_labels(),
            loc=f"outside {where} center",
            ncols=1 if is_narrow(ax) else columns,
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
    banded: Sequence[int] | None = None,
) -> None:
    """Draw the curves in places ``shown`` with bands, and the others as grey lines.

    ``variables`` are the names of x, y and the ends of the band, which a curve may lack. Of more
    curves than can have bands, the first in ``banded`` have some.
    """
    x, y, low, high = variables
    thin = {"color": grey_shade(ax, 0.3), "linewidth": 0.7}
    chosen = shown if banded is None or len(shown) <= BANDS else banded[:BANDS]
    for i in shown:
        curve, color, (mark, dash) = curves[i], paints[i], mark_and_dash(i)
        if low in curve and i in chosen:
            alpha = min(0.15, 0.5 / len(chosen))
            ax.fill_between(
                curve[x], curve[low], curve[high], color=color, alpha=alpha, linewidth=0
            )
        look = {"marker": mark, "markersize": 3, "linewidth": 1.5} if marks else {"linewidth": 1.8}
        ax.plot(curve[x], curve[y], color=color, linestyle=dash, label=names[i], **look)
    rest = sorted(set(range(len(curves))) - set(shown))
    for i in rest:
        ax.plot(curves[i][x], curves[i][y], zorder=1.5, **thin)
    if rest:
        ax.plot([], [], label=f"{len(rest)} more", **thin)


def band_words(shown: Sequence[int], banded: Sequence[int], prob: float, where: str) -> str:
    """Return the sentence on bands: of all curves that are shown, or of the first ones by ``where``."""
    if len(shown) <= BANDS:
        return f"a band holds the whole curve of its entity\nwith probability {prob:g}"
    size = len(banded[:BANDS])
    whose = f"bands of the {size} that are" if size > 1 else "band of the curve that is"
    pronoun = "each" if size > 1 else "it"
    return f"{whose} most often {where};\n{pronoun} holds its whole curve with probability {prob:g}"


def label_curves(ax: Any, ends: bool = True, title: str = "", under: float = 0.0) -> None:
    """Write the name of each labelled line in its colour on the right, without overlaps.

    With ``ends``, a thin line joins each name to the end of its curve. Without, since the curves
    end at one point, names are in the order of the mean heights, each beside a piece of its line. A
    narrow figure has them below the Axes, and below what is ``under`` it, a share of its height.
    """
    font = 8.0
    lines = [one for one in ax.lines if not str(one.get_label()).startswith("_")]
    if is_narrow(ax) or not lines:
        look = {"title": title, "title_fontsize": font} if title else {}
        side_legend(ax, under, fontsize=font, labelspacing=0.25, **look)
        return
    ax.apply_aspect()
    room = 72 / ax.figure.dpi * ax.get_window_extent().height
    last, means = (np.array(each) for each in zip(*map(_heights, lines), strict=True))
    rows = np.array([1 + str(one.get_label()).count("\n") for one in lines]) * 1.25 * font / room
    heights = np.where(np.isnan(last), -np.inf, last if ends else means)
    order = np.argsort(-heights, kind="stable")
    places = np.nan_to_num(heights, neginf=0.0)[order] if ends else np.ones(len(lines))
    middles = _spread(places, rows[order])
    for i, middle in zip(order, middles, strict=True):
        _label_curve(ax, lines[i], float(middle), ends, font)
    if title:
        top = float(middles[0] + rows[order[0]] / 2)
        where: Any = {"textcoords": "offset points", "annotation_clip": False}
        ax.annotate(title, (1.0, top), (8, 3), "axes fraction", fontsize=font, **where)


def _heights(line: Any) -> tuple[float, float]:
    """Return the height of a line's right end and its mean height, as shares of the Axes, NaN without points."""
    x, y = (np.asarray(one, float) for one in line.get_data())
    defined = np.isfinite(x) & np.isfinite(y)
    if not defined.any():
        return np.nan, np.nan
    points = line.axes.transLimits.transform(np.column_stack([x, y])[defined])
    heights = np.clip(points[:, 1], 0.0, 1.0)
    return float(heights[points[:, 0].argmax()]), float(heights.mean())


def _spread(wanted: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return middles of labels in descending order, near the wanted ones and without overlaps."""
    tops = np.cumsum(sizes) - sizes / 2
    # Labels that would overlap share the mean of their places: isotonic regression of the places
    # that the first would have.
    blocks: list[list[float]] = []
    for value in wanted + tops:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (low, n), (high, m) = blocks.pop(), blocks.pop()
            blocks.append([(low * n + high * m) / (n + m), n + m])
    firsts = np.concatenate([[mean] * int(n) for mean, n in blocks])
    # More labels than there is room for are in the middle, and overlap the margins.
    total = float(sizes.sum())
    lowest = total if total < 1 else 0.5 + total / 2
    return np.asarray(np.clip(firsts, lowest, max(1.0 + sizes[0] / 2, lowest)) - tops)


def _label_curve(ax: Any, line: Any, middle: float, joined: bool, font: float) -> None:
    """Write the name of a line right of the Axes, with a line from its end, or beside a piece of it."""
    color = line.get_color()
    where: dict[str, Any] = {"va": "center", "annotation_clip": False}
    look: dict[str, Any] = {"arrowstyle": "-", "color": color, "shrinkA": 0, "shrinkB": 0}
    x, y = (np.asarray(one, float) for one in line.get_data())
    defined = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if not joined:
        look |= {"linestyle": line.get_linestyle(), "linewidth": line.get_linewidth()}
        side = {"textcoords": "offset points", "arrowprops": look, **where}
        ax.annotate("", (1.0, middle), (24, 0), "axes fraction", **side)
    elif defined.size:
        end = defined[x[defined].argmax()]
        start = (x[end], float(np.clip(y[end], *sorted(ax.get_ylim()))))
        side = {"textcoords": _beside(ax, 10), "arrowprops": look | {"linewidth": 0.7}, **where}
        ax.annotate("", start, (1.0, middle), "data", **side)
    ink = mix_colors(color, ink_color(), 0.3)
    at = _beside(ax, 12 if joined else 28)
    ax.annotate(
        line.get_label(), (1.0, middle), xycoords=at, fontsize=font, ha="left", color=ink, **where
    )


def _beside(ax: Any, points: float) -> Any:
    """Return the transform of shares of the Axes, moved to the right by points."""
    from matplotlib.transforms import ScaledTranslation

    return ax.transAxes + ScaledTranslation(points / 72, 0, ax.figure.dpi_scale_trans)


def add_missing_fonts(picture: Any) -> Any:
    """Give every text of a figure or Axes whose font lacks letters the fonts that have them; returns the picture."""
    from matplotlib.text import Text

    figure = picture.figure if picture.figure is not None else picture
    for text in figure.findobj(Text):
        letters = "".join(sorted(set(text.get_text()) - {"\n", " "}))
        families = text.get_fontfamily()
        fonts = () if letters.isascii() else fallback(letters, tuple(families))
        if fonts:
            text.set_fontfamily([*families, *fonts])
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
