"""The Tile: which entity is best under which preference, as a picture that answers to pointer and keyboard."""

from itertools import groupby
from typing import Any

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank._core import prose
from bayesrank._core.compiled import can_compile
from bayesrank._core.labels import select_names
from bayesrank._core.nouns import noun
from bayesrank._core.records import ResultRecord
from bayesrank.plots.kit.colors import place_colors
from bayesrank.plots.kit.furniture import MARKS, label_positions
from bayesrank.plots.kit.page import apply_theme, embed_json
from bayesrank.ranking.summary import effective_draws, is_exact
from bayesrank.report.page import Page, PageBlock, render
from bayesrank.scores import Score
from bayesrank.scores.placement import place
from bayesrank.tile.posterior import credible, leaders
from bayesrank.words.audits import capitalise
from bayesrank.words.tile import DECIDED_NOWHERE, format_share, weighting_sentence

PLACE, ON_REQUEST = 5, False
#: Without Numba (in a browser): the most entities, and the number of draws of which one is used.
MOST, THIN = 20, 4
NEEDS = "two entities and two classes" if can_compile() else f"two to {MOST} entities, two classes"
REFERENCE = (
    "Piérard, Halin, Cioppa, Deliège and Van Droogenbroeck (2024). The Tile: a 2D map of ranking scores for two-class "
    "classification. arXiv:2412.04309."
)
METHODS = "Other preferences were explored on the Tile, the map of all canonical ranking scores."
#: Points along each axis, as in the command: F0.5, F1 and F2 are among them, as b = 0.2, 0.5 and
#: 0.8.
RESOLUTION = 51
#: Largest distance of the prevalences of entities from their mean for one mark of a score that
#: depends on it.
NEAR = 0.02
#: Who is told of at a place.
LEADERS = 5
#: Steps of the colours' strength.
STEPS = 8
#: Entities that a legend names.
NAMED = 12
WORDS = {
    "TNR": "TNR (specificity)", "PPV": "PPV (precision)", "NPV": "NPV", "TPR": "TPR (sensitivity, recall)",
    "A": "accuracy", "F₁": "F1",
}  # fmt: skip
#: Labels on the map.
SHORT = {
    "A": "accuracy",
    "F₁": "F1",
    "TPR": "sensitivity",
    "TNR": "specificity",
    "PPV": "precision",
}


def make(page: Page) -> PageBlock | None:
    performance, score = page.two_classes, page.found.score
    if performance is None or score is None or performance.sizes["entity"] < 2:
        return None
    if not can_compile() and performance.sizes["entity"] > MOST:
        return None
    shares = performance.isel(actual=1).sum("predicted", skipna=False)
    low, high = float(shares.min()), float(shares.max())
    prevalence = (
        low if high - low < 1e-9 and 0 < low < 1 else None
    )  # where it is one number for all
    size = effective_draws(page.ranking)
    if not can_compile():
        performance, size = performance.isel(draw=slice(None, None, THIN)), size / THIN
    tile = map_of(performance, score, page.prob, size, prevalence, page.ranking)
    if prevalence is None and place(score) is None:  # the mark stands near the places of all draws
        tile["marks"] = _marks(score, _place_at_mean(score, shares))
    tile["chosen"] = any(own for *_, own in tile["marks"])
    if not tile["chosen"]:
        tile["here"] = f"{capitalise(score.display)} has no place on the Tile at these prevalences."
    name = page.found.display
    html = render(TEMPLATE, preferences=tile, score_words=name, prob=page.prob)
    return PageBlock("Does your preference change the winner?", html, METHODS, (REFERENCE,))


def map_of(
    performance: xr.DataArray,
    score: Score,
    prob: float,
    size: float,
    prevalence: float | None,
    ranking: xr.Dataset | None = None,
) -> dict[str, Any]:
    """Return the best entities under other preferences: text, a map, and data for the script of the page.

    The probabilities rest on ``size`` independent draws; P(best) of ``ranking`` stands at the place
    of its score, so that table and map show the same numbers. ``cells`` are (x, y, width, colour,
    strength), ``unsure`` is a path, ``numbers`` are those of the legend on the map, if there are
    several leaders; ``marks`` are named scores.
    """
    tile = credible(performance, RESOLUTION, prob=prob, maps=())
    share = tile["share"].sortby(-tile["share"])
    undecided = float(tile["undecided_area"])
    digits = 3 if size >= 2000 else 2
    probability = tile["probability_best"].transpose("b", "a", "entity").values
    leading = leaders(tile)
    names = tile["entity"].values.tolist()
    own = place(score, prevalence)
    ranked = ranking if own is not None and _on(own) else None
    i, j = _point(own or (0.5, 0.5))
    if ranked is not None:
        probability[j, i] = select_names(ranked["probability_best"], entity=names).values
    leader_positions, p = _leaders_at(probability)
    leader, shared = (
        leading[name].transpose("b", "a").values.copy() for name in ("leader", "shared")
    )
    if ranked is not None and is_exact(ranked) and leader_positions[j, i, 0] >= 0:
        leader[j, i], shared[j, i] = names[leader_positions[j, i, 0]], False
    places = _places(score, own, prevalence)
    listed = sorted({int(i) for i in leader_positions.ravel() if i >= 0})
    short = {entity: k for k, entity in enumerate(listed)}
    colors = [apply_theme(color) for color in place_colors(listed)]
    palette = {names[i]: color for i, color in zip(listed, colors, strict=True)}
    data = {
        "n": RESOLUTION,
        "most": leader_positions.shape[-1],
        "digits": digits,
        "size": min(float(size), ResultRecord.of(tile).draws),
        "prob": prob,
        "start": [i, j],
        "names": [str(names[i]) for i in listed],
        "colors": colors,
        "places": [{"name": name, "a": a, "b": b} for name, (a, b) in places],
        "who": [short.get(i, -1) for i in leader_positions.ravel().tolist()],
        "p": np.rint(np.nan_to_num(p) * 10**digits).astype(int).ravel().tolist(),
        "shared": "".join("01"[int(x)] for x in shared.ravel()),
    }
    top = np.where(leader_positions[..., 0] >= 0, p[..., 0], np.nan)
    first = [name for name in share["entity"].values.tolist() if (leader == name).any()][:NAMED]
    first = [name for name in first if name in palette]
    # Numbers distinguish regions for those who do not see the colours.
    again = len(first) > 1
    masks = [(leader == name) & ~shared for name in first]
    # Marks of scores must not hide a number.
    occupied = [
        own or (0.5, 0.5),
        *(near for _, at, _, sides in MARKS for near in (at, _label_place(at, sides))),
    ]
    at = label_positions(masks, (0.0, 1.0, 0.0, 1.0), occupied) if again else []
    nowhere = undecided >= DECIDED_NOWHERE
    legend = [
        (
            palette[name],
            k if again else None,
            str(name),
            f"expected share {format_share(float(select_names(share, entity=name)))}",
        )
        for k, name in enumerate(first, 1)
    ]
    return {
        "n": RESOLUTION,
        "words": _words(share, undecided, prob),
        "here": _describe_own(score, own, leader_positions[j, i], p[j, i], names, size),
        "cells": cells_of(leader, shared, top, palette, len(names)),
        # Hatching over all of the map would hide it.
        "unsure": "" if nowhere else _runs(np.nan_to_num(top, nan=1.0) < prob),
        "nowhere": nowhere,
        "marks": _marks(score, own),
        "legend": legend,
        "numbers": [
            (k, *(round(x * (RESOLUTION - 1), 3) for x in one))
            for k, one in enumerate(at, 1)
            if one
        ],
        "shared": bool(shared.any()),
        "rows": [
            _row(name, at, leader_positions, p, shared, names, size if at == own else data["size"])
            for name, at in places
            if _on(at)
        ],
        "data": Markup(embed_json(data)),
    }


def _label_place(at: tuple[float, float], sides: tuple[str, str]) -> tuple[float, float]:
    """Return about the middle of the label of a mark."""
    across, up = (
        0.12 if sides[0] == "left" else -0.12,
        {"bottom": 0.05, "top": -0.05}.get(sides[1], 0.0),
    )
    return at[0] + across, at[1] + up


def _place_at_mean(score: Score, shares: xr.DataArray) -> tuple[float, float] | None:
    """Return the place of a score at the mean prevalence, if that of no entity differs from it by more than NEAR."""
    of_entities = shares.mean([dim for dim in shares.dims if dim != "entity"])
    mean = float(of_entities.mean())
    near = bool((abs(of_entities - mean) <= NEAR).all()) and 0 < mean < 1
    return place(score, mean) if near else None


def _marks(score: Score, own: tuple[float, float] | None) -> list[tuple]:
    """Return named scores on the map (name, x, y, sides of the label, whether it is the chosen one)."""
    shown = score.display.partition(" (")[0]
    marks = []
    for name, at, _, sides in MARKS:
        chosen = own is not None and bool(np.allclose(at, own, rtol=0, atol=1e-9))
        words = shown if chosen else SHORT.get(name, name)
        marks.append((words, *(x * (RESOLUTION - 1) for x in at), sides, chosen))
    if own is not None and not any(chosen for *_, chosen in marks):
        sides = ("left" if own[0] < 0.5 else "right", "top" if own[1] < 0.5 else "bottom")
        marks.append((shown, *(x * (RESOLUTION - 1) for x in own), sides, True))
    return marks


def _describe_own(
    score: Score,
    own: tuple[float, float] | None,
    first: np.ndarray,
    p: np.ndarray,
    names: list[Any],
    size: float,
) -> str:
    """Say which entity is best by the chosen score; empty if it has no place."""
    if own is None or first[0] < 0 or not _on(own):
        return ""
    return f"By {score.display}, {names[first[0]]} is best with probability {prose.probability(float(p[0]), size)}."


def _leaders_at(probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the leaders at each point and their probabilities (b, a, place); -1 without a leader."""
    defined = np.nan_to_num(probability, nan=-1.0)
    order = np.argsort(-defined, axis=-1, kind="stable")[..., :LEADERS]
    p = np.take_along_axis(defined, order, -1)
    return np.where(p > 0, order, -1), np.where(p > 0, p, np.nan)


def _places(
    score: Score, own: tuple[float, float] | None, prevalence: float | None
) -> list[tuple[str, tuple[float, float]]]:
    """Scores with a place on the map, the six that have one at any prevalence first."""
    named_places = [(WORDS[name], at) for name, at, *_ in MARKS] + [
        ("F0.5", (1.0, 0.2)),
        ("F2", (1.0, 0.8)),
    ]
    at = None if prevalence is None else place("balanced_accuracy", prevalence)
    named_places += [("balanced accuracy", at)] if at else []
    if own is None:
        return named_places
    words = score.display
    near = [k for k, (_, at) in enumerate(named_places) if np.allclose(at, own, rtol=0, atol=1e-9)]
    if not near:
        return [*named_places, (words, own)]
    name, at = named_places[near[0]]
    if not any(
        known_as.lower() in name.lower() for known_as in (words, score.name.replace("_", " "))
    ):
        named_places[near[0]] = (f"{name}, which orders as {words}", at)
    return named_places


def _point(at: tuple[float, float]) -> tuple[int, int]:
    """Return the point of the map that is nearest to a place."""
    return round(at[0] * (RESOLUTION - 1)), round(at[1] * (RESOLUTION - 1))


def _on(at: tuple[float, float]) -> bool:
    """Return whether a place is one of the map's points."""
    return bool(np.allclose(np.multiply(at, RESOLUTION - 1), _point(at), rtol=0, atol=1e-9))


def _row(
    name: str, at: tuple[float, float], who: Any, p: Any, shared: Any, names: list[Any], size: float
) -> dict:
    """State the best entity at a point."""
    i, j = _point(at)
    best, chance = "–", "–"
    if who[j, i, 0] >= 0:
        best, chance = str(names[who[j, i, 0]]), prose.probability(float(p[j, i, 0]), size)
        best += " and others, too close to separate" if shared[j, i] else ""
    return {"place": name, "best": best, "p": chance, "at": f"{i} {j}"}


def _words(share: xr.DataArray, undecided: float, prob: float) -> str:
    text = weighting_sentence(share, undecided, prob)
    if not text:
        return f"No {noun()} has a defined score anywhere on the Tile."
    if undecided >= DECIDED_NOWHERE or not undecided:
        return text
    return (
        f"{text} On {format_share(undecided)} of it no {noun()} is best with probability {prob:g}."
    )


def cells_of(
    seen: np.ndarray, shared: np.ndarray, top: np.ndarray, colors: dict[Any, str], entities: int
) -> list[tuple]:
    """Return the map as runs of one colour and strength (x, y, width, colour, strength), from its upper left corner."""
    chance = 1 / max(entities, 2)
    strength = np.clip((np.nan_to_num(top) - chance) / (1 - chance), 0, 1)
    steps = 0.35 + 0.65 * np.rint(strength * STEPS) / STEPS

    def look(j: int, i: int) -> tuple[str, float]:
        if np.isnan(top[j, i]):
            return "", 0.0
        return (
            ("var(--edge)", 0.35)
            if shared[j, i]
            else (colors.get(seen[j, i], ""), round(float(steps[j, i]), 2))
        )

    runs = []
    for y, j in enumerate(reversed(range(len(seen)))):
        x = 0
        for (color, share), points in groupby(look(j, i) for i in range(seen.shape[1])):
            width = len(list(points))
            if color:
                runs.append((x, y, width, color, share))
            x += width
    return runs


def _runs(mask: np.ndarray) -> str:
    """Return a path over the points of a mask (b, a), from the upper left corner."""
    parts = []
    for y, row in enumerate(mask[::-1]):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(int), [0]])))
        parts += [
            f"M{low} {y}h{high - low}v1h{low - high}z"
            for low, high in edges.reshape(-1, 2).tolist()
        ]
    return "".join(parts)


#: What the section looks like.
TEMPLATE = """<p>{{ preferences.words | soft(24) }} {{ preferences.here | soft(24) }}</p>
<p>Each point of the Tile is one way to weigh outcomes; accuracy and F1 are two of them. Upwards a missed case (false negative) costs more, downwards a false alarm (false positive). To the right a found case (true positive) counts more, to the left a cleared one (true negative). Shares of the Tile count all points equally; your own preference is one point.</p>
<div class="tile" data-page="tile">
{{ preferences.data }}
<div>
<div class="board" aria-label="The Tile: arrow keys move the chosen preference, Home goes back" aria-describedby="answer"><span class="over">↑ a missed case costs more</span><span class="side">clearing a non-case counts more</span>
<svg viewBox="0 0 {{ preferences.n }} {{ preferences.n }}" role="img" aria-label="Which {{ noun() }} is most probably best under which preference; the table below names the best for well-known scores.">
<defs><pattern id="unsure" width="1" height="1" patternUnits="userSpaceOnUse"><path d="M0 1L1 0" stroke="var(--ink)" stroke-width=".12" opacity=".5"/></pattern></defs>
<g shape-rendering="crispEdges">{% for x, y, width, color, strength in preferences.cells %}<rect x="{{ x }}" y="{{ y }}" width="{{ width }}" height="1" fill="{{ color }}" opacity="{{ strength }}"/>{% endfor %}</g>
<path d="{{ preferences.unsure }}" fill="url(#unsure)"/>
{% for name, x, y, sides, own in preferences.marks %}{% if own %}<circle class="ring" cx="{{ x + 0.5 }}" cy="{{ preferences.n - y - 0.5 }}" r="1.5"/>{% endif %}<circle class="mark" cx="{{ x + 0.5 }}" cy="{{ preferences.n - y - 0.5 }}" r=".7"/><text{% if own %} class="own"{% endif %} x="{{ x + (1.9 if sides[0] == "left" else -0.9) }}" y="{{ preferences.n - y + (-1.6 if sides[1] == "bottom" else 1.6 if sides[1] == "top" else 0.1) }}" text-anchor="{{ "start" if sides[0] == "left" else "end" }}">{{ name | soft }}</text>{% endfor %}
{% for number, x, y in preferences.numbers %}<text class="number" x="{{ x + 0.5 }}" y="{{ preferences.n - y + 0.1 }}" text-anchor="middle">{{ number }}</text>{% endfor %}
<g class="chosen" hidden><circle r="1.1"/><circle r="1.1"/></g>
</svg><span class="side">finding a case counts more</span><span class="under">↓ a false alarm costs more</span></div>
<ul class="legend">{% for color, number, name, share in preferences.legend %}<li><i class="swatch" style="background:{{ color }}"></i>{% if number %}<b>{{ number }}</b> {% endif %}<bdi>{{ name | soft }}</bdi>: {{ share }}</li>{% endfor %}{% if preferences.shared %}<li><i class="swatch" style="background:var(--edge);opacity:.5"></i>several, too close to separate</li>{% endif %}<li>{% if preferences.legend %}The paler, the less sure. {% endif %}{% if preferences.nowhere %}Nowhere is {{ a_noun() }}{% else %}Hatched: no {{ noun() }} is{% endif %} best with probability {{ "%g" % prob }}.</li>{% if preferences.chosen %}<li>Ring: the chosen score.</li>{% endif %}</ul>
</div>
<div><div class="answer" id="answer" aria-live="polite" hidden></div>
<table class="words"><thead><tr><th scope="col">Preference</th><th scope="col">most probably best</th><th scope="col">P(best)</th></tr></thead><tbody>
{% for row in preferences.rows %}<tr><td><button type="button" data-place="{{ row.at }}" disabled>{{ row.place }}</button></td><td>{{ row.best | soft }}</td><td>{{ row.p }}</td></tr>{% endfor %}
</tbody></table></div>
</div>
"""  # noqa: E501
