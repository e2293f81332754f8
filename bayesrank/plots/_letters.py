"""Letters that the chosen font lacks: another font on this machine may have them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any


def add_missing_fonts(picture: Any) -> Any:
    """Give every text of a figure or Axes whose font lacks letters the fonts that have them; returns the picture.

    Where no font has them Matplotlib says so when it draws, as it does for any text.
    """
    from matplotlib.text import Text

    figure = picture.figure if picture.figure is not None else picture
    for text in figure.findobj(Text):
        letters = "".join(sorted(set(text.get_text()) - {"\n", " "}))
        if letters.isascii():
            continue
        families = text.get_fontfamily()
        found = fallback(letters, tuple(families))
        if found:
            text.set_fontfamily([*families, *found])
    return picture


@lru_cache(maxsize=4096)
def fallback(letters: str, families: tuple[str, ...]) -> tuple[str, ...]:
    """Return font families that have the letters that ``families`` lack, as far as any font has them."""
    missing = set(letters) - set().union(*(_font_letters(path) for path in _paths(families)))
    found: list[str] = []
    while missing:
        have = {family: len(missing & set(_font_letters(path))) for family, path in _installed_fonts()}
        best = max(have, key=lambda family: (have[family], "Sans" in family or "Gothic" in family, family), default="")
        if not best or not have[best]:
            break
        found.append(best)
        missing -= set().union(*(_font_letters(path) for family, path in _installed_fonts() if family == best))
    return tuple(found)


def _paths(families: Sequence[str]) -> list[str]:
    """Return the files of the first font that each family stands for."""
    from matplotlib.font_manager import FontProperties, fontManager

    paths = []
    for family in families:
        try:
            paths.append(str(fontManager.findfont(FontProperties(family=[family]), fallback_to_default=False)))
        except ValueError:  # a family that is not there
            continue
    return paths


def _installed_fonts() -> list[tuple[str, str]]:
    """Return families and files of upright fonts of ordinary weight."""
    from matplotlib.font_manager import fontManager

    return [
        (entry.name, entry.fname)
        for entry in fontManager.ttflist
        if entry.style == "normal" and entry.weight in (400, "normal", "regular", "book")
        and "Last Resort" not in entry.name
    ]  # fmt: skip


@lru_cache(maxsize=512)
def _font_letters(path: str) -> frozenset[str]:
    """Return the letters of a font; none for a file that cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(path).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()
