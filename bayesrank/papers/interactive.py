"""Pictures to turn and to slide, each on a page of one HTML file that needs no network, or in a notebook.

The frames under a slider are computed here, not in the browser. After Lovell et al., *Never mind the metrics*.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_integer, check_sequence, describe_value
from bayesrank._outputs import write_output
from bayesrank._types import ScoreLike
from bayesrank.papers.roc import _lattice
from bayesrank.papers.simplex import SIDE as SIDE_SEEN
from bayesrank.papers.simplex import check_positive_count
from bayesrank.plots._contours import round_values, score_label, score_limits
from bayesrank.plots._page import Html, embed_json, page
from bayesrank.predictive import confusion_pmf
from bayesrank.scores import as_score
from bayesrank.scores.contours import contour_curve
from bayesrank.scores.lattice import lattice_values, simplex_corners

__all__ = ["pmf_slider", "save", "turning_simplex"]

#: From the lowest value to the highest; seen on white and on black.
SCALE = ((212, 74, 58), (150, 130, 150), (58, 134, 214))
#: Of the square of ROC space on the page: its lower left corner, and its side.
LEFT, BOTTOM, SIDE = 56, 520, 500
#: The radius of the most probable matrix.
LARGEST = 13
#: Masses that are so much smaller than the largest are not seen.
UNSEEN = 1e-4


def turning_simplex(total: int, positives: Sequence[int], score: ScoreLike) -> Html:
    """Make a page of slices of the simplex of confusion matrices, which turn by pointer or arrow keys.

    Parameters
    ----------
    total : int
        Cases.
    positives : sequence of int
        One slice for each number of positives.
    score : Score, str or callable
        Colour.

    Returns
    -------
    str
        The page, which a notebook shows, written to a file by :func:`save`.

    Raises
    ------
    ValueError
        If a number of positives is not between 1 and ``total`` less 1.

    References
    ----------
    Lovell et al., Never mind the metrics, Appendix D.1.

    Examples
    --------
    >>> "<title>Confusion matrices of 20 cases</title>" in turning_simplex(20, [5, 10], "mcc")
    True
    """
    score, shown = as_score(score), check_positive_count(positives, check_integer("total", total, 2))
    for p in shown:
        _lattice(p, total - p)  # refuses what is too large to be drawn
    corners = simplex_corners(total)
    low, high = score_limits(score)
    slices = []
    for p in shown:
        values = lattice_values(p, total - p, score).transpose("tp", "fp").values.ravel()
        slices.append({"positives": int(p), "values": [_short(value) for value in values.tolist()]})
    data = {
        "total": int(total),
        "corners": corners.values.tolist(),
        "names": corners["cell"].values.tolist(),
        "slices": slices,
        "score": score_label(score),
        "low": low,
        "high": high,
        "scale": SCALE,
        "view": _turned(*SIDE_SEEN),
    }
    boxes = " ".join(
        f'<label><input type="checkbox" checked> {one["positives"]} positives</label>' for one in slices
    )  # fmt: skip
    words = (
        f"All confusion matrices of {total} cases with the shown numbers of positives, coloured by {score_label(score)}"
    )
    body = (
        f'<div class="solid" data-page="solid">{embed_json(data)}<p>{boxes}</p>'
        f'<canvas width="720" height="720" tabindex="0" role="img" aria-label="{escape(words)}; arrow keys turn it">'
        f'</canvas><p><output aria-live="polite"></output></p>{_key([low, (low + high) / 2, high], low, high)}'
        f"<p>{escape(words)}. Drag it, or use the arrow keys, to turn it.</p></div>"
    )
    return page(f"Confusion matrices of {total} cases", body)


def pmf_slider(
    counts: xr.DataArray,
    score: ScoreLike,
    sizes: Sequence[tuple[int, int]],
    model: str = "beta_binomial",
    prior: Any = None,
) -> Html:
    """Make a page of the pmf of the next confusion matrix over score contours, with a slider of class sizes.

    Areas are proportional to masses, at one scale in all frames; :func:`bayesrank.papers.explorers.explore_pmf` moves
    what was observed.

    Parameters
    ----------
    counts : xarray.DataArray
        Of one entity.
    score : Score, str or callable
        Whose contours to draw.
    sizes : sequence of pairs of int
        Positives and negatives of the next test set, one frame each.
    model, prior
        As for :func:`bayesrank.predictive.confusion_pmf`.

    Returns
    -------
    str
        The page, which a notebook shows, written to a file by :func:`save`.

    Raises
    ------
    ValueError
        If there are no sizes, or one is without cases of a class.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> pmf_slider(counts, "f1", [(4, 6), (8, 12)]).count("<g data-frame=")
    2
    """
    score = as_score(score)
    sizes = check_sizes(sizes)
    low, high = score_limits(score)
    values = round_values(low, high)
    frames = []
    pmfs = [confusion_pmf(counts, p, n, model, prior) for p, n in sizes]
    largest = max(pmf.max().item() for pmf in pmfs)
    for place, (p, n) in enumerate(sizes):
        curves = contour_curve(score, values, p / (p + n), points=101)
        across, up = curves["fpr"].values, curves["tpr"].values
        lines = "".join(
            _line(across[i], up[i], _color(value, low, high), f"{score_label(score)} = {value:g}")
            for i, value in enumerate(values.tolist())
        )
        dots = _dots(pmfs[place], largest)
        hidden = ' style="display:none"' if place else ""
        frames.append(f'<g data-frame="{p} + {n}"{hidden}>{lines}{dots}</g>')
    title = f"The next confusion matrix and {score_label(score)}"
    slider = (
        '<p hidden><label>positives + negatives: <input type="range" min="0" max="0" step="1" value="0"></label> '
        '<output aria-live="polite"></output></p>'
    )
    body = (
        f'<div class="frames" data-page="frames">{slider}<svg viewBox="0 0 580 570" width="720" role="img" '
        f'aria-label="{escape(title)}: dots are confusion matrices, their areas proportional to probability, over '
        f'lines of equal {escape(score_label(score))}">{_axes()}{"".join(frames)}</svg>'
        f"{_key(values.tolist(), low, high)}</div>"
    )
    return page(title, body)


def check_sizes(sizes: Any) -> list[tuple[int, int]]:
    """Pairs of positives and negatives, one or more, with cases of both classes.

    Examples
    --------
    >>> check_sizes([(2, 3)])
    [(2, 3)]
    """
    found = []
    for pair in check_sequence("sizes", sizes):
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise TypeError(f"sizes must hold pairs of positives and negatives; got {describe_value(pair)}")
        p, n = (check_integer("sizes", cases, 1) for cases in pair)
        found.append((p, n))
    if not found:
        raise ValueError("sizes must hold a pair at least; got none")
    return found


def save(html: str, path: str | Path) -> Path:
    """Write a page of this module to one HTML file that needs no network.

    The file must end in .html. It replaces an earlier page of this package, and no other file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(turning_simplex(4, [2], "mcc"), f"{folder}/simplex.html")
    ...     "<canvas" in path.read_text(encoding="utf-8")
    True
    """
    if not isinstance(html, Html):
        raise TypeError(f"html must come from a function that makes a page; got {describe_value(html)}")
    write_output("path", path, "page", html)
    return Path(path)


def _turned(elevation: float, azimuth: float) -> list[float]:
    """Turn and tilt of the page for a side in degrees."""
    up, around = np.radians([elevation, azimuth])
    return [float(np.arctan2(-np.cos(around), -np.sin(around))), float(-up)]


def _dots(pmf: xr.DataArray, largest: float) -> str:
    """Circles with areas proportional to masses, each with its matrix and mass in words."""
    mass = pmf.transpose("tp", "tn").values
    p, n = int(pmf["positives"]), int(pmf["negatives"])
    tp, tn = (pmf[name].values for name in ("tp", "tn"))
    parts = []
    for i, j in np.argwhere(mass > UNSEEN * largest).tolist():
        x, y, radius = _x(1 - tn[j] / n), _y(tp[i] / p), LARGEST * np.sqrt(mass[i, j] / largest)
        words = f"TP {tp[i]}, FP {n - tn[j]}: {mass[i, j]:.3g}"
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius:.3f}"><title>{words}</title></circle>')
    return f'<g fill="var(--bar)" fill-opacity=".75">{"".join(parts)}</g>'


def _line(fpr: np.ndarray, tpr: np.ndarray, color: str, words: str) -> str:
    """A curve in ROC space, with gaps where it is not."""
    inside = ~(np.isnan(fpr) | np.isnan(tpr))
    parts, down = [], False
    for x, y, here in zip(fpr.tolist(), tpr.tolist(), inside.tolist(), strict=True):
        if here:
            parts.append(f"{'L' if down else 'M'}{_x(x)} {_y(y)}")
        down = here
    title = f"<title>{escape(words)}</title>"
    return f'<path d="{"".join(parts)}" fill="none" stroke="{color}" stroke-width="1.3">{title}</path>' if parts else ""


def _axes() -> str:
    """The square, its ticks, and what is along it."""
    ticks = "".join(
        f'<text x="{_x(t)}" y="{BOTTOM + 20}" text-anchor="middle">{t:g}</text>'
        f'<text x="{LEFT - 8}" y="{_y(t) + 5}" text-anchor="end">{t:g}</text>'
        for t in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    middle = LEFT + SIDE / 2
    return (
        f'<g font-size="14"><rect x="{LEFT}" y="{BOTTOM - SIDE}" width="{SIDE}" height="{SIDE}" fill="none" '
        f'stroke="var(--edge)"/>{ticks}<text x="{middle}" y="{BOTTOM + 42}" text-anchor="middle">FPR</text>'
        f'<text x="14" y="{BOTTOM - SIDE / 2}" transform="rotate(-90 14 {BOTTOM - SIDE / 2})" text-anchor="middle">TPR'
        "</text></g>"
    )


def _key(values: Sequence[float], low: float, high: float) -> str:
    """Return the names of colours of values."""
    parts = (
        f'<span style="white-space:nowrap"><b style="color:{_color(value, low, high)}" aria-hidden="true">■</b> '
        f"{value:g}</span>"
        for value in values
    )
    return f"<p>{' '.join(parts)}</p>"


def _color(value: float, low: float, high: float) -> str:
    """The scale's colour at a value."""
    at = np.clip((value - low) / (high - low), 0, 1) * (len(SCALE) - 1)
    mixed = (np.interp(at, range(len(SCALE)), [color[c] for color in SCALE]) for c in range(3))
    return f"#{''.join(f'{round(part):02x}' for part in mixed)}"


def _short(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None


def _x(fpr: float) -> float:
    return round(LEFT + SIDE * float(fpr), 2)


def _y(tpr: float) -> float:
    return round(BOTTOM - SIDE * float(tpr), 2)
