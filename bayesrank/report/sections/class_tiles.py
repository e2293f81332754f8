"""Of three classes or more: the Tile of each class against the others, and of their mean, side by side."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.compiled import can_compile
from bayesrank._core.draws import draw_dims
from bayesrank._core.escape import escape_invisible
from bayesrank._core.nouns import noun
from bayesrank.plots.kit.colors import place_colors
from bayesrank.plots.kit.furniture import label_positions
from bayesrank.plots.kit.page import apply_theme
from bayesrank.report.page import Page, PageBlock, render
from bayesrank.report.sections.tile import REFERENCE, cells_of
from bayesrank.tile.posterior import MEAN, credible_by_class, leaders
from bayesrank.words.tile import format_share, weighting_sentence

PLACE, ON_REQUEST = 11, False
#: The most classes, and the most classes times entities of a page that did not ask for the section.
CLASSES, MOST = 12, 300
NEEDS = f"two entities or more and 3 to {CLASSES} classes" + (
    "" if can_compile() else ", and Numba"
)
#: Points along each axis of a small map, and its draws.
RESOLUTION, DRAWS = 21, 1000
#: Entities in the legend.
NAMED = 12
METHODS = "Each class was also ranked against the others on a Tile, the map of all canonical ranking scores."


def make(page: Page) -> PageBlock | None:
    performance = page.performance
    if (
        performance is None
        or "dataset" in performance.dims
        or performance.sizes["entity"] < 2
        or not can_compile()
    ):
        return None
    classes = performance.sizes.get("actual", 0)
    large = classes * performance.sizes["entity"] > MOST and "class_tiles" not in page.named
    if not 3 <= classes <= CLASSES or large or MEAN in performance["actual"].values.tolist():
        return None
    tiles = credible_by_class(_thinned(performance), RESOLUTION, prob=page.prob)
    html = render(
        TEMPLATE, maps=_maps(tiles), prob=page.prob, n=RESOLUTION, **_words(tiles, page.prob)
    )
    return PageBlock(f"Which {noun()} is best for which class?", html, METHODS, (REFERENCE,))


def _thinned(performance: xr.DataArray) -> xr.DataArray:
    """Return a performance with at most about ``DRAWS`` of its draws, evenly spaced."""
    dims = draw_dims(performance)
    size = int(np.prod([performance.sizes[dim] for dim in dims]))
    return (
        performance
        if size <= DRAWS
        else performance.isel({dims[-1]: slice(None, None, -(-size // DRAWS))})
    )


def _maps(tiles: xr.Dataset) -> dict[str, Any]:
    """Return the maps, the mean over classes first, each with its cells and numbers, and the legend they share."""
    names = tiles["entity"].values.tolist()
    labels = [MEAN, *(label for label in tiles["label"].values.tolist() if label != MEAN)]
    tile_of_label = [(label, tiles.sel(label=label, drop=True)) for label in labels]
    leading = [leaders(tile) for _, tile in tile_of_label]
    share = tiles["share"].sel(label=MEAN).fillna(0.0)
    order = [names[i] for i in np.argsort(-share.values, kind="stable")]
    visible = [name for name in order if any((one["leader"] == name).any() for one in leading)]
    shown = visible[:NAMED]
    palette = dict(zip(names, map(apply_theme, place_colors(range(len(names)))), strict=True))
    numbers = {name: k for k, name in enumerate(shown, 1)} if len(shown) > 1 else {}
    maps = []
    for (label, tile), one in zip(tile_of_label, leading, strict=True):
        leader, shared = (one[name].transpose("b", "a").values for name in ("leader", "shared"))
        top = tile["winner_probability"].transpose("b", "a").values
        masks = [(leader == name) & ~shared for name in numbers]
        at = label_positions(masks, (0.0, 1.0, 0.0, 1.0)) if masks else []
        marks = [
            (k, *(min(max(x * (RESOLUTION - 1), 1.0), RESOLUTION - 2.0) for x in position))
            for k, position in zip(numbers.values(), at, strict=True)
            if position is not None
        ]
        cells = cells_of(leader, shared, top, palette, len(names))
        maps.append({"label": str(label), "best": _best(tile), "cells": cells, "numbers": marks})
    legend = [(palette[name], numbers.get(name), str(name)) for name in shown]
    shared_somewhere = any(bool(one["shared"].any()) for one in leading)
    return {
        "maps": maps,
        "legend": legend,
        "others": len(visible) - len(shown),
        "shared": shared_somewhere,
    }


def _best(tile: xr.Dataset) -> str:
    """Return the entity with the largest expected share of a Tile, and the share."""
    share = tile["share"].dropna("entity")
    if not share.size:
        return "no score"
    largest = share.isel(entity=int(share.values.argmax()))
    return f"{escape_invisible(str(largest['entity'].item()))} {format_share(float(largest))}"


def _words(tiles: xr.Dataset, prob: float) -> dict[str, Any]:
    """Return the sentences above the maps: the mean over classes, and how many classes agree with it."""
    mean = tiles.sel(label=MEAN, drop=True)
    text = weighting_sentence(mean["share"], float(mean["undecided_area"]), prob)
    single = tiles.sel(label=[label for label in tiles["label"].values.tolist() if label != MEAN])
    names = tiles["entity"].values
    table = single["share"].transpose("label", "entity").fillna(-1.0).values
    full = mean["share"].fillna(-1.0).values
    has_leader = (table >= 0).any(axis=1)
    if (full >= 0).any() and has_leader.any():
        leader = int(full.argmax())
        same = int((table[has_leader].argmax(axis=1) == leader).sum())
        leader_name = escape_invisible(str(names[leader]))
        text += (
            f" {leader_name} has the largest share for {same} of {int(has_leader.sum())} classes."
        )
    return {"said": text.replace("By the weighting of errors:", "By the mean over classes:")}


#: What the section looks like.
TEMPLATE = """<p>{{ said | soft(24) }}</p>
<p>Each small Tile takes one class as positive and all others as negative; the first is the mean over classes. Upwards a missed case of the class costs more, downwards a false alarm. To the right a found case counts more, to the left a cleared one. Below each: the {{ noun() }} with the largest expected share.</p>
<div class="tiles">
{% for map in maps.maps %}<figure><figcaption><b>{{ map.label | soft }}</b></figcaption>
<svg viewBox="0 0 {{ n }} {{ n }}" role="img" aria-label="{{ map.label }}: {{ map.best }} of the Tile"><g shape-rendering="crispEdges">{% for x, y, width, color, strength in map.cells %}<rect x="{{ x }}" y="{{ y }}" width="{{ width }}" height="1" fill="{{ color }}" opacity="{{ strength }}"/>{% endfor %}</g>{% for number, x, y in map.numbers %}<text x="{{ x + 0.5 }}" y="{{ n - y + 0.3 }}" text-anchor="middle">{{ number }}</text>{% endfor %}</svg>
<figcaption>{{ map.best | soft }}</figcaption></figure>
{% endfor %}</div>
<ul class="legend inline">{% for color, number, name in maps.legend %}<li><i class="swatch" style="background:{{ color }}"></i>{% if number %}<b>{{ number }}</b> {% endif %}<bdi>{{ name | soft }}</bdi></li>{% endfor %}{% if maps.others %}<li>and {{ maps.others }} more</li>{% endif %}{% if maps.shared %}<li><i class="swatch" style="background:var(--edge);opacity:.5"></i>several, too close to separate</li>{% endif %}<li>The paler, the less sure.</li></ul>
"""  # noqa: E501
