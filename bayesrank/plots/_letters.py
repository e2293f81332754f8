"""Letters that the chosen font lacks: another font on this machine may have them."""

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
    found: list[str] = []
    while missing:
        # Upright fonts of ordinary weight.
        have = {
            font.name: missing & _font_letters(font.fname)
            for font in fontManager.ttflist
            if font.style == "normal" and font.weight in (400, "normal", "regular", "book")
            and "Last Resort" not in font.name
        }  # fmt: skip
        best = max(have, key=lambda name: (len(have[name]), "Sans" in name or "Gothic" in name, name), default="")
        if not best or not have[best]:
            break
        found.append(best)
        missing -= have[best]
    return tuple(found)


@lru_cache(maxsize=512)
def _font_letters(path: str) -> frozenset[str]:
    """Return the letters of a font; none for a file that cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(path).get_charmap()))
    except (OSError, RuntimeError):
        return frozenset()
