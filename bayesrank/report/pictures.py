"""Pictures of the report, in the page's colours: lists of rows that fit any screen and paper, and Matplotlib's."""

import io
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank.plots._colors import DISTINCT, entity_colors
from bayesrank.plots._page import themed
from bayesrank.plots._style import log_ticks
from bayesrank.ranking import ranking_table

__all__ = ["MOST", "inline_svg", "interval_rows", "paints", "rank_rows", "shown_first"]

#: Rows of a picture: a page or two.
MOST = 40
#: Columns of a picture of ranks; of more ranks several share one.
COLUMNS = 60
#: Share of their size to which pictures shrink.
NARROW = 0.7
#: Probabilities that are not drawn.
UNSEEN = 0.001


def paints(names: list[Any]) -> dict[Any, str]:
    """Colours of entities, by their places among all; one for all where there are too many to tell apart.

    Examples
    --------
    >>> paints(["a", "b"])
    {'a': '#0072B2', 'b': '#E69F00'}
    """
    return dict.fromkeys(names, "var(--bar)") if len(names) > DISTINCT else entity_colors(names)


def shown_first(ranking: xr.Dataset) -> tuple[list[Any], str]:
    """Whom pictures show, best first, and how many that leaves out, in words.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> shown_first(br.credible_ranking(counts, "f1", method="exact"))
    (['b', 'a'], '')
    """
    order = ranking_table(ranking).index.tolist()
    left_out = f" The first {MOST} of {len(order):,} are shown; the table has all." if len(order) > MOST else ""
    return order[:MOST], left_out


def interval_rows(table: Any, colors: dict[Any, str], ratio: bool = False) -> list[dict[str, Any]]:
    """Rows of a picture of intervals, with places in percent of its width; the first row is the axis.

    Parameters
    ----------
    table : pandas.DataFrame
        ``median``, ``lower``, ``upper`` and, where known, ``observed`` and ``tier``, by entity.
    colors : dict
        Of the entities.
    ratio : bool
        Whether half and twice as much are equally far: places are those of a logarithmic axis, which has none for 0.

    Examples
    --------
    >>> import pandas as pd
    >>> axis, row = interval_rows(pd.DataFrame({"median": [0.5], "lower": 0.2, "upper": 0.7}, ["a"]), {"a": "red"})
    >>> 0 < row["low"] < row["middle"] < row["high"] < 100
    True
    """
    kept = [name for name in ("median", "lower", "upper", "observed") if name in table]
    table = _logarithms(table, kept) if ratio else table
    values = table[kept].to_numpy(float)
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    marks = _log_ticks(low, high) if ratio else _ticks(low, high)
    axis = {"ticks": [(_percent(tick, low, high), text) for tick, text in marks]}
    rows, before = [], None
    for name, row in table.iterrows():
        seen, tier = row.get("observed", np.nan), row.get("tier", np.nan)
        rows.append(
            {
                "entity": name,
                "color": colors[name],
                **{
                    key: _percent(row[column], low, high)
                    for key, column in (("low", "lower"), ("middle", "median"), ("high", "upper"))
                },
                "seen": _percent(seen, low, high),
                "tier": "" if np.isnan(tier) else f"{tier:g}",
                "new": before is None or tier != before,
            }
        )
        before = tier
    return [axis, *rows]


def rank_rows(ranking: xr.Dataset, names: list[Any]) -> list[dict[str, Any]]:
    """Rows of a picture of rank probabilities: where each rank lies, in percent of the width, and how dark it is.

    Of many ranks, those that the shown entities hold, several to a column.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> axis, first, second = rank_rows(br.credible_ranking(counts, "f1", method="exact"), ["b", "a"])
    >>> axis["ticks"], [part[0] for part in second["parts"]]
    ([(25.0, '1'), (75.0, '2')], [50.0])
    """
    mass = ranking["rank_probability"].transpose("entity", "rank").sel(entity=names).fillna(0.0).values
    held = np.flatnonzero((mass > UNSEEN).any(0))
    last = int(held[-1]) + 1 if len(held) else mass.shape[1]
    # Columns of equally many ranks, and each of what a rank of it has on average, lest wide ones look more probable.
    edges = np.unique([*range(0, last, -(-last // COLUMNS)), last])
    columns = np.add.reduceat(mass[:, :last], edges[:-1], axis=1) / np.diff(edges)
    size, highest = len(edges) - 1, max(columns.max(), 1e-9)
    step = next(n for n in (1, 2, 5, 10, 20, size) if size <= 8 * n)
    words = [f"{low + 1}" if high - low == 1 else f"{low + 1}–{high}" for low, high in pairwise(edges.tolist())]
    axis = {"ticks": [(round(100 * (k + 0.5) / size, 2), words[k]) for k in range(0, size, step)]}
    rows = [
        {
            "entity": name,
            # The square root, so that small probabilities are seen.
            "parts": [
                (round(100 * k / size, 2), round(100 / size, 2), round(float(np.sqrt(p / highest)), 2))
                for k, p in enumerate(one)
                if p > UNSEEN
            ],
        }
        for name, one in zip(names, columns, strict=True)
    ]
    return [axis, *rows]


def inline_svg(draw: Callable[[Any], Any], size: tuple[float, float]) -> Any:
    """What ``draw`` draws on an Axes of that size in inches, as an SVG element without a ground of its own.

    Its text is kept as text, and its greys are those of the page.

    Examples
    --------
    >>> str(inline_svg(lambda ax: ax.set_title("ROC"), (2, 2))).startswith("<svg")
    True
    """
    from markupsafe import Markup
    from matplotlib import style
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    text_as_text = {"svg.fonttype": "none", "svg.hashsalt": "bayesrank", "font.family": "sans-serif"}
    clear = {"figure.facecolor": "white", "axes.facecolor": "none", "savefig.facecolor": "none"}
    # The page has its own light and dark; the style at hand is of no account.
    with style.context(["default", text_as_text | clear]):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        buffer = io.StringIO()
        with warnings.catch_warnings():
            # Text stays text in the SVG: the reader's fonts draw it, whatever ours lack.
            warnings.filterwarnings("ignore", "Glyph .* missing")
            figure.savefig(buffer, format="svg", dpi=100, metadata={"Date": None})
    text = buffer.getvalue()
    # On a narrow screen it shrinks as long as its letters can be read, and is scrolled then.
    narrow = f'<svg style="min-width:{NARROW * 96 * size[0]:.0f}px"'
    return Markup(themed(text[text.index("<svg") :].replace("<svg", narrow, 1)))


def _percent(value: float, low: float, high: float) -> float | None:
    """A place in percent of the width, with room at both ends; None of what is not to be drawn."""
    return round(float(3 + 94 * (value - low) / (high - low)), 2) if np.isfinite(value) else None


def _logarithms(table: Any, columns: list[str]) -> Any:
    """A table whose numbers are logarithms; undefined where they are not positive."""
    return table.assign(**{name: np.log10(table[name].where(table[name] > 0)) for name in columns})


def _log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """A few round values between two logarithms, at theirs."""
    return [(float(np.log10(value)), f"{value:g}") for value in log_ticks(float(10**low), float(10**high))]


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """A few round values, and how they are written."""
    from matplotlib.ticker import MaxNLocator

    values = [float(value) for value in MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)]
    inside = [value for value in values if low <= value <= high]
    digits = next((d for d in range(9) if all(abs(round(x, d) - x) < 1e-12 + 1e-9 * abs(x) for x in inside)), 9)
    return [(value, _text.number(value, digits)) for value in inside]
