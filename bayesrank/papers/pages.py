"""Interactive pages of one HTML file, in which a browser looks up exact results; after Lovell et al., Appendix D."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bayesrank._checks import check_integer, check_sequence, describe_value, is_number
from bayesrank._errors import ArgumentError, ArgumentTypeError
from bayesrank._outputs import write_output
from bayesrank._types import ScoreLike
from bayesrank.papers.lattices import SIDE, check_slices
from bayesrank.plots.kit.colors import OKABE_ITO
from bayesrank.plots.kit.contours import round_values, score_label, score_limits
from bayesrank.plots.kit.page import Html, embed_json, page, part
from bayesrank.predictive.confusion import beta_binomial, binomial
from bayesrank.predictive.scores import group_values
from bayesrank.scores import Score, as_score
from bayesrank.scores.contours import contour_curve
from bayesrank.scores.lattice import lattice_values, simplex_corners

#: The scores of Lovell et al., Appendices B and C.
METRICS = (
    "mcc", "f1", "threat_score", "accuracy", "ppv", "npv", "markedness", "cohen_kappa", "fowlkes_mallows", "tpr", "tnr",
    "balanced_accuracy", "informedness", "g_mean", "prevalence_threshold", "balanced_mcc", "balanced_markedness",
    "balanced_f1", "balanced_fowlkes_mallows", "balanced_threat_score", "standardized_ppv", "standardized_npv",
)  # fmt: skip
#: Positives and negatives: the paper's, and totals of 20, 40 and 60 cases with 10% to 90% positives.
SIZES = ((20, 40), *((p, total - p) for total in (20, 40, 60) for p in range(total // 10, total, total // 10)))
MODELS = ("beta-binomial", "binomial")
#: Colours of the models, as in the paper: red and blue.
COLORS = (OKABE_ITO[5], "var(--bar)")
#: Colours from the lowest to the highest value, visible on white and on black.
SCALE = ((212, 74, 58), (150, 130, 150), (58, 134, 214))
#: Maximum number of matrices of a test set, so that a browser moves all circles at once.
MOST = 10_000
BINS = 40
#: Range of contours on both axes of ROC space.
EXTENT = (-0.5, 1.5)
#: Points nearer than this to the line between their neighbours are left out.
FINE = 5e-4


def explore_pmf(
    sizes: Sequence[tuple[int, int]] = SIZES,
    scores: Sequence[Any] = ("mcc", "balanced_accuracy", "f1"),
    observed: tuple[int, int] | None = None,
) -> Html:
    """Make a page of the next confusion matrix and its scores, for any observed matrix (Lovell et al., Appendix D.5).

    The next test set has the observed class sizes; the models are the beta-binomial with the default prior, and the
    binomial. Scales do not change with the observed matrix, so that pmfs can be compared.

    Parameters
    ----------
    sizes : sequence of pairs of int
        Numbers of positives and negatives, at least 1, with at most 10,000 matrices. Sliders step through all of them.
    scores : sequence of Score, str or callable
    observed : pair of int, optional
        Initial true positives and true negatives; by default 80% of each class of the first sizes.

    Examples
    --------
    >>> text = explore_pmf([(5, 8)], ["f1"], observed=(4, 6))
    >>> text.count("<svg data-joint"), text.count("<svg data-score")
    (2, 1)
    """
    sizes = _check_sizes(sizes)
    found = [as_score(score) for score in check_sequence("scores", scores)]
    start = _start(sizes[0], observed)
    data = {
        "models": MODELS,
        "colors": COLORS,
        "bins": BINS,
        "start": start,
        "sizes": [_pmfs(*size, found, start if size == sizes[0] else _start(size)) for size in sizes],
    }
    names = [score_label(score) for score in found]
    return _explorer("Uncertainty in confusion matrices and their scores", "pmf", data, MODELS, names, BINS)


def explore_contours(
    sizes: Sequence[tuple[int, int]] = SIZES, scores: Sequence[Any] = METRICS, observed: tuple[int, int] | None = None
) -> Html:
    """Make a page of score contours over all points of a test set, with a movable point (Lovell et al., D.2 and D.3).

    Parameters
    ----------
    sizes, scores, observed
        As for :func:`explore_pmf`; at least one score. The page lists all scores of the movable point.

    Examples
    --------
    >>> text = explore_contours([(5, 8)], ["f1", "mcc"])
    >>> text.count("<svg data-square"), text.count("<td data-value")
    (2, 2)
    """
    sizes = _check_sizes(sizes)
    found = [as_score(score) for score in check_sequence("scores", scores)]
    if not found:
        raise ArgumentError("scores", "must hold a score at least", "none")
    shares = sorted({p / (p + n) for p, n in sizes})
    limits = [score_limits(score) for score in found]
    data = {
        "start": _start(sizes[0], observed),
        "extent": EXTENT,
        "scale": SCALE,
        "scores": [{"name": score_label(score), "low": low, "high": high}
                   for score, (low, high) in zip(found, limits, strict=True)],
        "lines": [[_contours(share, score) for score in found] for share in shares],
        "sizes": [{"p": p, "n": n, "share": shares.index(p / (p + n)),
                   "values": [_short(_values(p, n, score)) for score in found]} for p, n in sizes],
    }  # fmt: skip
    return _explorer("Contours of scores", "contours", data, [_score_title(score) for score in found])


def turning_simplex(total: int, positives: Sequence[int], score: ScoreLike) -> Html:
    """Make a page that shows :func:`bayesrank.papers.confusion_simplex` and turns it (Lovell et al., Appendix D.1).

    Parameters
    ----------
    total, positives, score
        As for :func:`bayesrank.papers.confusion_simplex`.

    Examples
    --------
    >>> "<title>Confusion matrices of 20 cases</title>" in turning_simplex(20, [5, 10], "mcc")
    True
    """
    score, slices = as_score(score), check_slices(positives, check_integer("total", total, 2))
    corners = simplex_corners(total)
    low, high = score_limits(score)
    up, around = np.radians(SIDE).tolist()
    data = {
        "total": int(total),
        "corners": corners.values.tolist(),
        "names": corners["cell"].values.tolist(),
        "slices": [
            {"positives": p, "values": _short(lattice_values(p, total - p, score).transpose("tp", "fp").values)}
            for p in slices
        ],
        "score": score_label(score),
        "low": low,
        "high": high,
        "scale": SCALE,
        "view": [float(np.arctan2(-np.cos(around), -np.sin(around))), -up],
    }
    label = score_label(score)
    words = f"All confusion matrices of {total} cases with the shown numbers of positives, coloured by {label}"
    colors = ", ".join(f"rgb{color}" for color in SCALE)
    body = _template().solid(embed_json(data), slices, words, colors, f"{low:g}", f"{high:g}")
    return page(f"Confusion matrices of {total} cases", body)


def save(html: str, path: str | Path) -> Path:
    """Write a page of this module to one HTML file that needs no network.

    Parameters
    ----------
    html : str
        The page.
    path : path
        The file, ending in .html. An earlier page of this package is replaced, no other file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(turning_simplex(4, [2], "mcc"), f"{folder}/simplex.html")
    ...     "<canvas" in path.read_text(encoding="utf-8")
    True
    """
    if not isinstance(html, Html):
        raise ArgumentTypeError("html", "must come from a function that makes a page", describe_value(html))
    write_output("path", path, "page", html)
    return Path(path)


def _check_sizes(sizes: Any) -> list[tuple[int, int]]:
    found = []
    for pair in check_sequence("sizes", sizes):
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise ArgumentTypeError("sizes", "must hold pairs of positives and negatives", describe_value(pair))
        p, n = (check_integer("sizes", cases, 1) for cases in pair)
        if (p + 1) * (n + 1) > MOST:
            raise ArgumentError("sizes", f"must have {MOST:,} matrices at most", f"{(p + 1) * (n + 1):,} for {(p, n)}")
        found.append((p, n))
    if not found:
        raise ArgumentError("sizes", "must hold a pair at least", "none")
    return found


def _start(size: tuple[int, int], observed: Any = None) -> list[int]:
    """Return the initial true positives and true negatives."""
    if observed is None:
        return [round(0.8 * cases) for cases in size]
    seen = check_sequence("observed", observed)
    if len(seen) != 2 or not all(
        is_number(count) and 0 <= count <= cases for count, cases in zip(seen, size, strict=True)
    ):
        wanted = f"true positives up to {size[0]} and true negatives up to {size[1]}"
        raise ArgumentError("observed", f"must be {wanted}", describe_value(observed))
    return [check_integer("observed", count) for count in seen]


@cache
def _margins(cases: int) -> list[list[list[float]]]:
    """Return pmfs of the correct calls in a class, by model and by their observed number."""
    rows = [
        # The default prior has one case in each cell.
        [beta_binomial(cases, 1 + seen, 1 + cases - seen) for seen in range(cases + 1)],
        [binomial(cases, seen / cases) for seen in range(cases + 1)],
    ]
    return [[[float(f"{p:.6g}") if p > 1e-12 else 0.0 for p in pmf.tolist()] for pmf in row] for row in rows]


def _pmfs(p: int, n: int, scores: Sequence[Score], start: Sequence[int]) -> dict[str, Any]:
    """Return margins for every possible matrix by model, the matrices of each value, and the scales."""
    tp, tn = _margins(p), _margins(n)
    pairs = [(of_tp[start[0]], of_tn[start[1]]) for of_tp, of_tn in zip(tp, tn, strict=True)]
    joints = [np.outer(*pair) for pair in pairs]
    return {
        "p": p,
        "n": n,
        "tp": tp,
        "tn": tn,
        "scores": [_index_values(p, n, score, joints) for score in scores],
        "largest": max(joint.max() for joint in joints),
        "edge": max(max(margin) for pair in pairs for margin in pair),
    }


def _index_values(p: int, n: int, score: Score, joints: Sequence[np.ndarray]) -> dict[str, Any]:
    """Return the values of a score, and the index of the value of each matrix (tp, tn); -1 if undefined."""
    values, group = group_values(p, n, score)
    known = group >= 0
    masses = [np.bincount(group[known], joint.ravel()[known]) for joint in joints]
    low, high = score_limits(score)
    heights = [np.histogram(values, BINS, (low, high), weights=mass)[0] for mass in masses]
    return {
        "name": score_label(score),
        "low": low,
        "high": high,
        "values": [float(f"{value:.9g}") for value in values.tolist()],
        "group": group.tolist(),
        "count": np.bincount(group[known]).tolist(),
        "largest": np.max(masses),
        "tallest": np.max(heights),
    }


def _values(p: int, n: int, score: Score) -> np.ndarray:
    return lattice_values(p, n, score).isel(fp=slice(None, None, -1)).transpose("tp", "fp").values.ravel()


def _short(values: np.ndarray) -> list[float | None]:
    """Return numbers with four digits; None where undefined."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values.ravel().tolist()]


def _contours(prevalence: float, score: Score) -> list[dict[str, Any]]:
    """Return lines of equal values, beyond the ROC square where their form is known."""
    steps = round_values(*score_limits(score))
    curves = contour_curve(score, steps, prevalence, EXTENT, points=401)
    lines = []
    for k, value in enumerate(steps.tolist()):
        points = np.column_stack([curves["fpr"].values[k], curves["tpr"].values[k]])
        gaps = np.flatnonzero(np.isnan(points).any(axis=1))
        pieces = (piece[~np.isnan(piece).any(axis=1)] for piece in np.split(points, gaps))
        parts = [np.round(_simplify_curve(piece), 4).tolist() for piece in pieces if len(piece) > 1]
        lines.append({"at": value, "parts": parts})
    return lines


def _simplify_curve(points: np.ndarray) -> np.ndarray:
    """Drop points of a curve that are close to the line between others (Ramer, 1972)."""
    if len(points) < 3:
        return points
    start, end = points[0], points[-1]
    along = end - start
    length = np.hypot(*along)
    off = points - start
    far = np.abs(off @ [along[1], -along[0]]) / length if length > FINE else np.hypot(*off.T)
    at = int(np.argmax(far))
    if far[at] <= FINE:
        return points[[0, -1]]
    return np.concatenate([_simplify_curve(points[: at + 1])[:-1], _simplify_curve(points[at:])])


def _score_title(score: Score) -> str:
    label = score_label(score)
    return label if label.lower() == score.display.lower() else f"{label}, {score.display}"


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("bayesrank.papers", ""), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("explore.html").module


def _explorer(title: str, kind: str, data: Any, *values: Any) -> Html:
    """Return a page with the style sheet, the script and the body of a macro in ``explore.html``."""
    body = getattr(_template(), kind)(*values)
    return page(
        title,
        f"<style>\n{part('explore.css', 'bayesrank.papers')}</style>"
        f'<div class="explore" data-explore="{kind}">{embed_json(data)}{body}</div>'
        f"<script>\n{part('explore.js', 'bayesrank.papers')}</script>",
    )
