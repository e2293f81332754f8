"""The simplex of confusion matrices to turn, on a page of one HTML file that needs no network, or in a notebook.

After Lovell et al., *Never mind the metrics*.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

from bayesrank._checks import check_integer, describe_value
from bayesrank._outputs import write_output
from bayesrank._types import ScoreLike
from bayesrank.papers.roc import _lattice
from bayesrank.papers.simplex import SIDE as SIDE_SEEN
from bayesrank.papers.simplex import check_positive_count
from bayesrank.plots._contours import score_label, score_limits
from bayesrank.plots._page import Html, embed_json, page
from bayesrank.scores import as_score
from bayesrank.scores.lattice import lattice_values, simplex_corners

__all__ = ["save", "turning_simplex"]

#: From the lowest value to the highest; seen on white and on black.
SCALE = ((212, 74, 58), (150, 130, 150), (58, 134, 214))


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
        "view": _page_angles(*SIDE_SEEN),
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


def _page_angles(elevation: float, azimuth: float) -> list[float]:
    """Turn and tilt of the page for a side in degrees."""
    up, around = np.radians([elevation, azimuth])
    return [float(np.arctan2(-np.cos(around), -np.sin(around))), float(-up)]


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
