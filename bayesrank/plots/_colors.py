"""Colours of entities, the same in every plot; and the other colours, which follow Matplotlib's style."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bayesrank._checks import describe_value

#: Okabe and Ito's eight colours, which remain distinct under common colour blindness.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
#: Colours of entities. After Okabe and Ito's first six, each is as far as can be from all before it and from grey, in
#: OKLab as seen with and without the three kinds of colour blindness, among those that are seen on white and on black.
PALETTE = (
    *OKABE_ITO[:6], "#884455", "#7700FF", "#8877FF", "#BB1100", "#CC0099", "#99BB77",
)  # fmt: skip
#: After so many entities colours come again, lighter or darker, so that marks, dashes or numbers must tell them apart.
DISTINCT = len(PALETTE)
MARKS = "os^vDPX"
DASHES = ("-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1)))
#: Of entities to whom ``colors=`` gives none: seen on white and on black, and far from all of the palette.
GREY = "#707070"
#: Contrast that lines and dots need at least.
SEEN = 2.0


def colors(entities: Any, *, top: int = 8) -> dict[Any, Any]:
    """Choose colours for ``colors=`` of all plots: one for each of the first entities, grey for the others.

    Without ``colors=`` an entity has the colour of its place among all entities of the posterior, and after the twelfth
    colours come again in other shades.

    Parameters
    ----------
    entities : xarray.Dataset or sequence
        A ranking, for its consensus order, or names.
    top : int
        How many get a colour, 12 or fewer.

    Returns
    -------
    dict
        From each of the first ``top`` entities to its colour.

    Raises
    ------
    TypeError, ValueError
        If ``top`` is no such number, ``entities`` is a Dataset that is no ranking, or a name occurs twice.

    Examples
    --------
    >>> colors(["b", "a", "c"], top=2)
    {'b': '#0072B2', 'a': '#E69F00'}
    """
    import xarray as xr

    from bayesrank._checks import check_integer, check_names, check_sequence, check_unique, rename_argument
    from bayesrank.ranking.summary import ranking_table

    check_integer("top", top, 0, DISTINCT)
    ranked = isinstance(entities, xr.Dataset)
    with rename_argument("entities", "ranking"):
        names = list(ranking_table(entities).index) if ranked else check_sequence("entities", entities)
    check_names("entities", names)
    return dict(zip(check_unique("entities", names), PALETTE[:top], strict=False))


def place_colors(places: Sequence[int]) -> list[str]:
    """Return colours by position among the entities of a posterior."""
    from matplotlib.colors import to_rgb

    found = []
    for place in places:
        cycle, color = place // DISTINCT, np.array(to_rgb(PALETTE[place % DISTINCT]))
        # Lighter, darker, lighter still, ...: never near white or black.
        toward = 1.0 if cycle % 2 else 0.0
        step = (0.65 if toward else 0.4) * (1 - 1 / (1 + (cycle + 1) // 2))
        # What is light already is lightened less.
        step *= 1 - light(color) if toward else 1.0
        found.append(_hex((1 - step) * color + step * toward) if cycle else PALETTE[place % DISTINCT])
    return found


def entity_colors(entities: Sequence[Any], colors: Mapping[Any, Any] | None = None) -> dict[Any, Any]:
    """Return one colour per entity, the same in all plots: by position in ``entities`` or by ``colors``."""
    if colors is None:
        return dict(zip(entities, place_colors(range(len(entities))), strict=True))
    told = check_colors(colors)
    return {name: told.get(name, GREY) for name in entities}


def check_colors(colors: Any) -> dict[Any, Any]:
    """Check the argument ``colors=``; it may name entities that a plot does not show."""
    from matplotlib.colors import is_color_like

    if not isinstance(colors, Mapping):
        raise TypeError(f"colors must be a mapping from entities to colours; got {describe_value(colors)}")
    wrong = {name: color for name, color in colors.items() if not is_color_like(color)}
    if wrong:
        name, color = next(iter(wrong.items()))
        raise ValueError(f"colors must hold colours that Matplotlib knows; got {color!r} for {name!r}")
    return dict(colors)


def list_colors(ax: Any, entities: Sequence[Any], colors: Mapping[Any, Any] | None = None) -> dict[Any, Any]:
    """Return colours of labelled rows: one colour for all if there are too many to distinguish."""
    if colors is None and len(entities) > DISTINCT:
        return dict.fromkeys(entities, grey_shade(ax, 0.65))
    return entity_colors(entities, colors)


def frequent_winners(table: np.ndarray, most: int = 8) -> list[int]:
    """Rows that are the highest in some column, those that are so most often first; at most so many.

    If more rows share the highest value, none of them is included.

    Examples
    --------
    >>> frequent_winners(np.array([[1, 1, 1], [2, 0, 0], [0, 3, 3]]))
    [2, 1]
    """
    known = table[:, ~np.isnan(table).all(axis=0)]
    highest = known == np.nanmax(known, axis=0) if known.size else known == 0
    times = highest[:, highest.sum(axis=0) <= most].sum(axis=1)
    return [int(i) for i in np.argsort(-times, kind="stable")[:most] if times[i]]


def ink_color() -> Any:
    """Return the colour of lines and letters without an entity: black, or white in a dark style."""
    import matplotlib

    return matplotlib.rcParams["text.color"]


def paper_color(ax: Any) -> Any:
    """The colour behind all: white, or black in a dark style."""
    import matplotlib
    from matplotlib.colors import to_hex, to_rgba

    for color in (ax.get_facecolor(), ax.figure.get_facecolor(), matplotlib.rcParams["figure.facecolor"]):
        if to_rgba(color)[3] > 0:
            return to_hex(color)
    return "white"


def grey_shade(ax: Any, share: float) -> str:
    """So much ink on paper: 0.1 is a light grey, or a dark one in a dark style."""
    return mix_colors(paper_color(ax), ink_color(), share)


def fading(ax: Any) -> Any:
    """Probabilities from none, which is paper, by blue to much."""
    from matplotlib.colors import LinearSegmentedColormap

    middle = ["#56B4E9", "#0072B2"] if contrasting(paper_color(ax)) == "black" else ["#0072B2", "#56B4E9"]
    return LinearSegmentedColormap.from_list(
        "fading", [paper_color(ax), *middle, mix_colors(middle[1], ink_color(), 0.6)]
    )


def mix_colors(color: Any, other: Any, share: float) -> str:
    """A colour with so much of another."""
    from matplotlib.colors import to_rgb

    return _hex((1 - share) * np.array(to_rgb(color)) + share * np.array(to_rgb(other)))


def _hex(rgb: np.ndarray) -> str:
    from matplotlib.colors import to_hex

    red, green, blue = rgb.tolist()
    return str(to_hex((red, green, blue)))


def light(color: Any) -> float:
    """How light a colour is, from 0, black, to 1, white: its relative luminance.

    Examples
    --------
    >>> round(light("white"), 3), round(light("#808080"), 3)
    (1.0, 0.216)
    """
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(color: Any, other: Any) -> float:
    """Of two colours, from 1, none, to 21, black on white (WCAG).

    Examples
    --------
    >>> round(contrast("black", "white"), 9)
    21.0
    """
    high, low = sorted((light(color), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def contrasting(color: Any) -> str:
    """Return black or white, by the better contrast on a colour."""
    return "black" if light(color) > 0.18 else "white"


def scale_on(ax: Any, name: str) -> Any:
    """A colour scale of Matplotlib for lines and dots on paper: with as much ink in each colour as makes it seen."""
    import matplotlib
    from matplotlib.colors import ListedColormap

    ground, found = paper_color(ax), []
    for color in matplotlib.colormaps[name](np.linspace(0, 1, 256))[:, :3]:
        shares = (mix_colors(color, ink_color(), share) for share in np.linspace(0, 1, 41))
        found.append(
            next(one for one in shares if contrast(one, ground) >= SEEN or one == mix_colors(color, ink_color(), 1))
        )
    return ListedColormap(found, name)


def halo(ax: Any, width: float = 3.0) -> list[Any]:
    """An edge of paper around a line of ink, so that it is seen on any map; unbroken, also where the line is dashed."""
    from matplotlib.patheffects import Normal, Stroke

    solid = {"dash_offset": 0, "dash_list": None}
    return [Stroke(linewidth=width, foreground=paper_color(ax), dashes=solid), Normal()]


def marks_and_dashes(places: Sequence[int]) -> Iterator[tuple[str, Any]]:
    """Return markers and dashes by position among entities, which distinguish entities without colours."""
    for place in places:
        yield MARKS[place % len(MARKS)], DASHES[place % len(DASHES)]
