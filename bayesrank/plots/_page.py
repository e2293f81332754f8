"""Pages of one HTML file: the one style sheet and the one script that the report and the interactive pictures share."""

import json
import re
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

__all__ = ["Page", "embedded", "part", "themed"]

#: What greys in a picture are in a dark page: so much of its ink on its paper.
DARK_INK, DARK_PAPER = (0xE6, 0xE9, 0xEC), (0x14, 0x18, 0x1C)
GREY = re.compile(r"#([0-9a-f]{2})\1\1(?![0-9a-f])")


@dataclass(frozen=True)
class Page:
    """A page to save, or to see in a notebook, where it stands in a frame of its own.

    Examples
    --------
    >>> page = Page("A title", "<p>Words</p>", height=100)
    >>> page.html().startswith("<!doctype html>"), page._repr_html_().startswith("<iframe")
    (True, True)
    """

    title: str
    body: str
    #: Of the frame, in pixels.
    height: int = 800

    def html(self) -> str:
        """All of the page."""
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{part('page.css')}</style>\n</head>\n<body>\n"
            f"<h1>{escape(self.title)}</h1>\n{self.body}\n<script>\n{part('page.js')}</script>\n</body>\n</html>\n"
        )

    def _repr_html_(self) -> str:
        held = escape(self.html())
        return f'<iframe srcdoc="{held}" title="{escape(self.title)}" width="100%" height="{self.height}"></iframe>'

    def save(self, path: str | Path) -> Path:
        """Writes the page to one file."""
        path = Path(path)
        path.write_text(self.html(), encoding="utf-8")
        return path


@cache
def part(name: str) -> str:
    """The style sheet or the script, as it is written into pages.

    Examples
    --------
    >>> "http" in part("page.js"), "</" in part("page.js")
    (False, False)
    """
    return resources.files("bayesrank.plots").joinpath(name).read_text(encoding="utf-8")


def embedded(data: Any) -> str:
    """Data as an element of a page, whatever names are in it.

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '<script type="application/json">{"name":"\\\\u003c/script>"}</script>'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


def themed(svg: str) -> str:
    """A picture whose greys, from ink to paper, follow the page: with variables for them, in its own style.

    Examples
    --------
    >>> themed('<svg><path style="fill: #ffffff; stroke: #0072b2"/></svg>').count("var(--gff")
    1
    """
    return GREY.sub(lambda found: f"var(--g{found[1]})", svg)


def greys(html: str) -> str:
    """Style of all greys in a page: as they are, or in the dark so much ink on paper; on paper as they are.

    Examples
    --------
    >>> greys("var(--gff)")
    ':root{--gff:#ffffff}@media screen and (prefers-color-scheme:dark){:root{--gff:#14181c}}'
    """
    levels = sorted(set(re.findall(r"var\(--g([0-9a-f]{2})\)", html)))
    light = ";".join(f"--g{level}:#{level * 3}" for level in levels)
    dark = ";".join(f"--g{level}:{_on_dark(int(level, 16) / 255)}" for level in levels)
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _on_dark(light: float) -> str:
    mixed = (round(ink + light * (paper - ink)) for ink, paper in zip(DARK_INK, DARK_PAPER, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)
