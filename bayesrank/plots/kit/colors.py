"""Colours of entities, the same in every plot; and the other colours, which follow Matplotlib's style."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from bayesrank._core.calls import check_call
from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError

#: Okabe and Ito's eight colours, which remain distinct under common colour blindness.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
#: Colours of entities. After Okabe and Ito's first six, each is as far as can be from all before it
#: and from grey, in OKLab as seen with and without the three kinds of colour blindness, among those
#: that are seen on white and on black.
PALETTE = (
    *OKABE_ITO[:6], "#884455", "#7700FF", "#8877FF", "#BB1100", "#CC0099", "#99BB77",
)  # fmt: skip
#: After this number of entities colours repeat, lighter or darker; marks, dashes or numbers then
#: distinguish them.
DISTINCT = len(PALETTE)
MARKS = "os^vDPX"
DASHES = ("-", (0, (5, 1.5)), (0, (3, 1, 1, 1)), (0, (1, 1)))
#: The colour of entities without one in ``colors=``: seen on white and on black, and far from all
#: of the palette.
GREY = "#707070"
#: The argument ``colors=`` of pictures.
Colors: TypeAlias = Mapping[Any, Any] | None


@check_call
def colors(entities: Any, *, top: int = 8) -> dict[Any, Any]:
    """Choose colours for ``colors=`` of all plots: one for each of the first entities, grey for the others.

    Without ``colors=``, the colour of an entity depends on its place among all entities of the
    posterior; after the twelfth, colours repeat in other shades.

    Parameters
    ----------
    entities : xarray.Dataset or sequence
        A ranking, whose consensus order is used, or names.
    top : int
        Number of entities with a colour, at most 12.

    Examples
    --------
    >>> colors(["b", "a", "c"], top=2)
    {'b': '#0072B2', 'a': '#E69F00'}
    """
    import xarray as xr

    from bayesrank._core.checks import (
        check_integer,
        check_names,
        check_sequence,
        check_unique,
        rename_argument,
    )
    from bayesrank.ranking.summary import ranking_table

    check_integer("top", top, 0, DISTINCT)
    with rename_argument("entities", "ranking"):
        names = (
            entities
            if not isinstance(entities, xr.Dataset)
            else ranking_table(entities).index.tolist()
        )
    names = check_sequence("entities", names)
    check_names("entities", names)
    return dict(zip(check_unique("entities", names), PALETTE[:top], strict=False))


def place_colors(places: Sequence[int]) -> list[str]:
    """Return colours by position among the entities of a posterior."""
    result = []
    for position in places:
        cycle, name = position // DISTINCT, PALETTE[position % DISTINCT]
        color = np.array(list(bytes.fromhex(name[1:]))) / 255  # reports need no Matplotlib
        # Lighter, darker, lighter still, ...: never near white or black. What is light already is
        # lightened less.
        toward = cycle % 2
        step = (0.65 * (1 - _luminance(color)) if toward else 0.4) * (
            1 - 1 / (1 + (cycle + 1) // 2)
        )
        mixed = np.rint(255 * ((1 - step) * color + step * toward)).astype(int).tolist()
        result.append("#{:02x}{:02x}{:02x}".format(*mixed) if cycle else name)
    return result


def entity_colors(
    entities: Sequence[Any], colors: Colors = None, places: Sequence[int] | None = None
) -> dict[Any, Any]:
    """Return one colour per entity, the same in all plots: by position in ``entities`` or by ``colors``.

    ``places`` are the positions of ``entities`` among all, if these are not all.
    """
    if colors is None:
        return dict(
            zip(
                entities,
                place_colors(range(len(entities)) if places is None else places),
                strict=True,
            )
        )
    chosen = check_colors(colors)
    return {name: chosen.get(name, GREY) for name in entities}


def check_colors(colors: Any) -> dict[Any, Any]:
    """Check the argument ``colors=``; it may name entities that a plot does not show."""
    from matplotlib.colors import is_color_like

    if not isinstance(colors, Mapping):
        raise ArgumentTypeError(
            "colors", "must be a mapping from entities to colours", describe_value(colors)
        )
    wrong = {name: color for name, color in colors.items() if not is_color_like(color)}
    if wrong:
        name, color = next(iter(wrong.items()))
        raise ArgumentError(
            "colors", "must contain colours that Matplotlib knows", f"{color!r} for {name!r}"
        )
    return dict(colors)


def list_colors(
    ax: Any, entities: Sequence[Any], colors: Colors = None, ranking: Any = None
) -> dict[Any, Any]:
    """Return colours of labelled rows: blue where the entity could be best, else grey; blue without a ranking."""
    if colors is not None:
        return entity_colors(entities, colors)
    if ranking is None:
        return dict.fromkeys(entities, blue_on(ax))
    names, could_be_best = ranking["entity"].values.tolist(), ranking["in_best_set"].values
    first = dict(zip(names, could_be_best, strict=True))
    blue, grey = blue_on(ax), grey_shade(ax, 0.42)  # lighter than blue in print without colours
    return {name: blue if first.get(name, False) else grey for name in entities}


def frequent_winners(table: np.ndarray) -> list[int]:
    """Return at most eight rows that are the highest in some column, beside few others, the most frequent first."""
    most = 8
    defined = table[:, ~np.isnan(table).all(axis=0)]
    highest = defined == np.nanmax(defined, axis=0) if defined.size else defined == 0
    times = highest[:, highest.sum(axis=0) <= most].sum(axis=1)
    return [int(i) for i in np.argsort(-times, kind="stable")[:most] if times[i]]


def ink_color() -> Any:
    """Return the colour of lines and letters without an entity: black, or white in a dark style."""
    import matplotlib

    return matplotlib.rcParams["text.color"]


def paper_color(ax: Any) -> Any:
    """Return the background colour: white, or black in a dark style."""
    import matplotlib
    from matplotlib.colors import to_hex, to_rgba

    grounds = (
        ax.get_facecolor(),
        ax.figure.get_facecolor(),
        matplotlib.rcParams["figure.facecolor"],
    )
    return next((to_hex(color) for color in grounds if to_rgba(color)[3] > 0), "white")


def grey_shade(ax: Any, share: float) -> str:
    """Return grey with this share of ink: 0.1 is light, or dark in a dark style."""
    return mix_colors(paper_color(ax), ink_color(), share)


def blue_on(ax: Any) -> str:
    """Return the blue of what could be best or is ahead, lighter on a dark ground."""
    return OKABE_ITO[0] if choose_text_color(paper_color(ax)) == "black" else OKABE_ITO[4]


def fade_colors(ax: Any) -> Any:
    """Return a colour map of probabilities from the background colour through blue."""
    from matplotlib.colors import LinearSegmentedColormap

    middle = (
        ["#56B4E9", "#0072B2"]
        if choose_text_color(paper_color(ax)) == "black"
        else ["#0072B2", "#56B4E9"]
    )
    return LinearSegmentedColormap.from_list(
        "fading", [paper_color(ax), *middle, mix_colors(middle[1], ink_color(), 0.6)]
    )


def mix_colors(color: Any, other: Any, share: float) -> str:
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (
        (1 - share) * np.array(to_rgb(color)) + share * np.array(to_rgb(other))
    ).tolist()
    return str(to_hex((red, green, blue)))


def light(color: Any) -> float:
    """Return the relative luminance of a colour, from 0 (black) to 1 (white; WCAG)."""
    from matplotlib.colors import to_rgb

    return _luminance(to_rgb(color))


def _luminance(rgb: Sequence[float] | np.ndarray) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def choose_text_color(color: Any) -> str:
    """Return black or white, by the better contrast on a colour."""
    return "black" if light(color) > 0.18 else "white"


def scale_on(ax: Any, name: str) -> Any:
    """Return a Matplotlib colour scale, darkened where lines and dots have a contrast below 2."""
    import matplotlib
    from matplotlib.colors import ListedColormap

    ground, ink, result = light(paper_color(ax)), ink_color(), []
    for color in matplotlib.colormaps[name](np.linspace(0, 1, 256))[:, :3]:
        for share in np.linspace(0, 1, 41):
            shade = mix_colors(color, ink, share)
            low, high = sorted((ground, light(shade)))
            if (high + 0.05) / (low + 0.05) >= 2.0:
                break
        result.append(shade)
    return ListedColormap(result, name)


def draw_halo(ax: Any, width: float = 3.0) -> list[Any]:
    """Return path effects that give a line an unbroken edge in the background colour, so that any map shows it."""
    from matplotlib.patheffects import Normal, Stroke

    solid = {"dash_offset": 0, "dash_list": None}
    return [Stroke(linewidth=width, foreground=paper_color(ax), dashes=solid), Normal()]


def mark_and_dash(place: int) -> tuple[str, Any]:
    return MARKS[place % len(MARKS)], DASHES[place % len(DASHES)]
