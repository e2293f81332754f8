"""Places in pictures of rows, which fit any screen and paper, and Matplotlib's pictures in the page's colours."""

import io
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank.plots._colors import DISTINCT, entity_colors
from bayesrank.plots._page import apply_theme
from bayesrank.plots._style import log_ticks

__all__ = ["Axis", "inline_svg", "paints", "rank_rows"]

#: Columns of a picture of ranks; of more ranks several share one.
COLUMNS = 60
#: Share of their size to which pictures shrink.
NARROW = 0.7
#: Probabilities that are not drawn.
UNSEEN = 0.001
#: The colour of whatever needs no colour of its own.
BAR = "var(--bar)"


def paints(names: list[Any]) -> dict[Any, str]:
    """Return colours of entities, by their places among all; one for all of too many to distinguish."""
    if len(names) > DISTINCT:
        return dict.fromkeys(names, BAR)
    return {name: apply_theme(color) for name, color in entity_colors(names).items()}


@dataclass(frozen=True)
class Axis:
    """An axis of a picture of rows: numbers have places in percent of its width.

    ``ratio`` makes it logarithmic, so that half and twice as much are equally far; 0 then has no place.
    """

    low: float
    high: float
    ticks: list[tuple[float, str]]
    title: str = ""
    ratio: bool = False

    @classmethod
    def of(cls, values: Any, title: str = "", ratio: bool = False) -> "Axis":
        """Return the axis on which all of these values have a place."""
        numbers = np.asarray(values, dtype=float).ravel()
        numbers = numbers[np.isfinite(numbers) & ((numbers > 0) | (not ratio))]
        numbers = np.log10(numbers) if ratio else numbers
        low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
        if high - low < 1e-9:
            low, high = low - 0.5, high + 0.5
        bare = cls(low, high, [], title, ratio)
        marks = _log_marks(low, high) if ratio else _marks(low, high)
        return cls(low, high, [(bare.place(value) or 0.0, text) for value, text in marks], title, ratio)

    def place(self, value: float) -> float | None:
        """Return a place in percent of the width, with room at both ends; None of what is not drawn."""
        if self.ratio:
            value = float(np.log10(value)) if value > 0 else np.nan
        if not np.isfinite(value):
            return None
        return round(float(3 + 94 * (value - self.low) / (self.high - self.low)), 2)

    def mark(self, numbers: Sequence[float], color: str = BAR, y: float = 50.0) -> dict[str, Any]:
        """Return an interval with its median, from ``(median, lower, upper)`` and, where known, ``observed``."""
        middle, low, high, seen = (self.place(float(x)) for x in (*numbers, np.nan)[:4])
        return {"middle": middle, "low": low, "high": high, "seen": seen, "color": color, "y": y}


def rank_rows(ranking: xr.Dataset, names: list[Any]) -> tuple[Axis, list[dict[str, Any]]]:
    """Return the axis and rows of a picture of rank probabilities: where each rank lies, and how dark it is.

    Of many ranks, those that the shown entities hold, several to a column.
    """
    mass = ranking["rank_probability"].transpose("entity", "rank").sel(entity=names).fillna(0.0).values
    ranks = np.flatnonzero((mass > UNSEEN).any(0))
    last = int(ranks[-1]) + 1 if len(ranks) else mass.shape[1]
    # Columns of equally many ranks, each with the mean of its ranks, so that wide ones do not look more probable.
    edges = np.unique([*range(0, last, -(-last // COLUMNS)), last])
    columns = np.add.reduceat(mass[:, :last], edges[:-1], axis=1) / np.diff(edges)
    size, highest = len(edges) - 1, max(columns.max(), 1e-9)
    step = next(n for n in (1, 2, 5, 10, 20, size) if size <= 8 * n)
    words = [f"{low + 1}" if high - low == 1 else f"{low + 1}–{high}" for low, high in pairwise(edges.tolist())]
    ticks = [(round(100 * (k + 0.5) / size, 2), words[k]) for k in range(0, size, step)]
    rows = [
        {
            "name": name,
            "plain": True,
            # The square root, so that small probabilities are seen.
            "panels": [
                [
                    {
                        "x": round(100 * k / size, 2),
                        "width": round(100 / size, 2),
                        "dark": round((p / highest) ** 0.5, 2),
                    }
                    for k, p in enumerate(one.tolist())
                    if p > UNSEEN
                ]
            ],
        }
        for name, one in zip(names, columns, strict=True)
    ]
    return Axis(0.0, float(last), ticks, "rank (1 is best)"), rows


def inline_svg(draw: Callable[[Any], Any], size: tuple[float, float]) -> Any:
    """Return what ``draw`` draws on an Axes of that size in inches, as an SVG element without a ground of its own.

    Its text is kept as text, and its colours are those of the page.
    """
    from markupsafe import Markup
    from matplotlib import style
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    text_as_text = {"svg.fonttype": "none", "svg.hashsalt": "bayesrank", "font.family": "sans-serif"}
    clear = {"figure.facecolor": "white", "axes.facecolor": "none", "savefig.facecolor": "none"}
    # The page has its own light and dark; the user's style does not matter.
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
    return Markup(apply_theme(text[text.index("<svg") :].replace("<svg", narrow, 1)))


def _log_marks(low: float, high: float) -> Iterable[tuple[float, str]]:
    """Return a few round values between two logarithms."""
    return [(float(value), f"{value:g}") for value in log_ticks(float(10**low), float(10**high))]


def _marks(low: float, high: float) -> Iterable[tuple[float, str]]:
    """Return a few round values, and how they are written."""
    rough = (high - low) / 5
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(unit * n for n in (1, 2, 2.5, 5, 10) if unit * n >= 0.999 * rough)
    inside = [float(k * step) for k in range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)]
    digits = next((d for d in range(9) if all(abs(round(x, d) - x) < 1e-12 + 1e-9 * abs(x) for x in inside)), 9)
    return [(value, _text.number(value, digits)) for value in inside]
