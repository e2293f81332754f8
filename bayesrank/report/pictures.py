"""Places in pictures of rows, which fit any screen and paper, and Matplotlib's pictures in the page's colours."""

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from bayesrank._core import prose
from bayesrank.plots.kit.page import apply_theme
from bayesrank.plots.kit.style import log_ticks

#: The colour of whatever needs no colour of its own.
BAR = "var(--bar)"


@dataclass(frozen=True)
class Axis:
    """An axis of a picture of rows: numbers have places in percent of its width.

    ``ratio`` makes it logarithmic, so that half and twice as much are equally far; 0 then has no
    place.
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
        axis = cls(low, high, [], title, ratio)
        marks = (
            [(x, f"{x:g}") for x in log_ticks(10**low, 10**high)] if ratio else _marks(low, high)
        )
        axis.ticks.extend((axis.place(value) or 0.0, text) for value, text in marks)
        return axis

    def place(self, value: float) -> float | None:
        """Return a place in percent of the width, with room at both ends; None of what is not drawn."""
        if self.ratio:
            value = float(np.log10(value)) if value > 0 else np.nan
        if not np.isfinite(value):
            return None
        return round(float(3 + 94 * (value - self.low) / (self.high - self.low)), 2)

    def mark(self, numbers: Sequence[float], color: str = BAR, y: float = 50.0) -> dict[str, Any]:
        """Return an interval with its median, from ``(median, lower, upper)`` and, where known, ``observed``."""
        middle, low, high, observed = (self.place(float(x)) for x in (*numbers, np.nan)[:4])
        return {
            "middle": middle,
            "low": low,
            "high": high,
            "seen": observed,
            "color": color,
            "y": y,
        }


def inline_svg(draw: Callable[[Any], Any], size: tuple[float, float]) -> Markup:
    """Return what ``draw`` draws on a Figure of that size in inches, as an SVG element without a ground of its own.

    Its text is kept as text, and its colours are those of the page.
    """
    from matplotlib import style
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    text_as_text = {
        "svg.fonttype": "none",
        "svg.hashsalt": "bayesrank",
        "font.family": "sans-serif",
    }
    clear = {"figure.facecolor": "white", "axes.facecolor": "none", "savefig.facecolor": "none"}
    # The page has its own light and dark; the user's style does not matter.
    with style.context(["default", text_as_text | clear]):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        buffer = io.StringIO()
        with warnings.catch_warnings():
            # Text stays text in the SVG: the reader's fonts draw it, whatever ours lack.
            warnings.filterwarnings("ignore", "Glyph .* missing")
            figure.savefig(buffer, format="svg", dpi=100, metadata={"Date": None})
    text = buffer.getvalue()
    # On a narrow screen it shrinks as long as its letters can be read, to 0.7 of its size, and is
    # scrolled then.
    narrow = f'<svg style="min-width:{0.7 * 96 * size[0]:.0f}px"'
    return Markup(apply_theme(text[text.index("<svg") :].replace("<svg", narrow, 1)))


def _marks(low: float, high: float) -> list[tuple[float, str]]:
    """Return a few round values, and how they are written."""
    rough = (high - low) / 5
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(unit * n for n in (1, 2, 2.5, 5, 10) if unit * n >= 0.999 * rough)
    inside = [
        float(k * step)
        for k in range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)
    ]
    digits = next(
        (d for d in range(9) if all(abs(round(x, d) - x) < 1e-12 + 1e-9 * abs(x) for x in inside)),
        9,
    )
    return [(value, prose.number(value, digits)) for value in inside]
