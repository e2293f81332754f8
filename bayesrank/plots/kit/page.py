"""Pages of one HTML file: the one style sheet and the one script that the report and the interactive pictures share."""

import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from bayesrank._core.escape import escape_invisible
from bayesrank.plots.kit.colors import PALETTE

#: Places of colours in the palette.
PLACES = {color.lower(): k for k, color in enumerate(PALETTE)}
#: What greys in a picture are in a dark page: so much of its ink on its paper.
DARK_INK, DARK_PAPER = (0xE6, 0xE9, 0xEC), (0x14, 0x18, 0x1C)
GREY = re.compile(r"#([0-9a-f]{2})\1\1(?![0-9a-f])")
COLOR = re.compile("|".join(PALETTE), re.IGNORECASE)
#: Where long words may be broken: after separators, before brackets and within camelCase; not in
#: numbers.
SEAM = re.compile(r"(?<=[_/@:+=])(?=\w)|(?<=[.-])(?=[^\W\d])|(?<=\w)(?=\()|(?<=[a-z]{3})(?=[A-Z])")


class Html(str):
    """The text of a page; a notebook shows it in a frame of its own."""

    def __new__(cls, text: str) -> "Html":
        return super().__new__(cls, escape_invisible(text, keep="\n\t"))

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self)}" title="bayesrank" width="100%" height="{800}"></iframe>'


def page(title: str, body: str) -> Html:
    """Return a page of one heading, with the style sheet and the script."""
    return Html(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="bayesrank">\n'
        f"<title>{escape(title)}</title>\n<style>\n{part('page.css')}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n<script>\n{part('page.js')}</script>\n</body>\n</html>\n"
    )


@cache
def part(name: str, package: str = "bayesrank.plots.kit") -> str:
    """Return a style sheet or a script of a package, as it is written into pages."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def embed_json(data: Any) -> str:
    """Return data as an element of a page, safe for any name."""
    text = json.dumps(_visible(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


def _visible(data: Any) -> Any:
    """Return data whose texts show control characters instead of obeying them."""
    if isinstance(data, str):
        return escape_invisible(data)
    if isinstance(data, dict):
        return {_visible(key): _visible(value) for key, value in data.items()}
    return [_visible(item) for item in data] if isinstance(data, list | tuple) else data


def break_words(text: str, fits: int = 10) -> str:
    """Return text for a page in which words longer than ``fits``, such as names of models, break at their seams."""
    words = (SEAM.split(word) if len(word) > fits else [word] for word in str(text).split(" "))
    return " ".join("<wbr>".join(map(escape, parts)) for parts in words)


def apply_theme(svg: str) -> str:
    """Return a picture, or a colour, with variables for greys and for colours of entities, which follow the page."""
    svg = COLOR.sub(lambda found: f"var(--e{PLACES[found[0].lower()]})", svg)
    return GREY.sub(lambda found: f"var(--g{found[1]})", svg)


def colors_of(html: str) -> str:
    """Return the style of all variables of :func:`apply_theme` in a page: as they are, and for the dark."""
    levels = sorted(set(re.findall(r"var\(--g([0-9a-f]{2})\)", html)))
    places = sorted(set(map(int, re.findall(r"var\(--e(\d+)\)", html))))
    light = [f"--g{level}:#{level * 3}" for level in levels] + [
        f"--e{k}:{PALETTE[k]}" for k in places
    ]
    dark = [f"--g{level}:{_mix(DARK_INK, DARK_PAPER, int(level, 16) / 255)}" for level in levels]
    dark += [f"--e{k}:{_mix(bytes.fromhex(PALETTE[k][1:]), (255,) * 3, 0.3)}" for k in places]
    return f":root{{{';'.join(light)}}}@media screen and (prefers-color-scheme:dark){{:root{{{';'.join(dark)}}}}}"


def _mix(color: Sequence[int], other: Sequence[int], share: float) -> str:
    return "#" + "".join(
        f"{round(x + share * (y - x)):02x}" for x, y in zip(color, other, strict=True)
    )
