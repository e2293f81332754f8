"""Interactive pages of one HTML file, in which a browser looks up exact results; after Lovell et al., Appendix D."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_integer, check_sequence, describe_value, is_number
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.outputs import write_output
from bayesrank._core.types import ScoreLike
from bayesrank.papers.lattices import SIDE, check_slices
from bayesrank.plots.kit.colors import OKABE_ITO
from bayesrank.plots.kit.contours import round_values, score_label, score_limits
from bayesrank.plots.kit.page import Html, embed_json, page, part
from bayesrank.scores import Score, as_score
from bayesrank.scores.lattice import lattice_values, simplex_corners

#: The scores of Lovell et al., Appendices B and C.
METRICS = (
    "mcc", "f1", "threat_score", "accuracy", "ppv", "npv", "markedness", "cohen_kappa", "fowlkes_mallows", "tpr", "tnr",
    "balanced_accuracy", "informedness", "g_mean", "prevalence_threshold", "balanced_mcc", "balanced_markedness",
    "balanced_f1", "balanced_fowlkes_mallows", "balanced_threat_score", "standardized_ppv", "standardized_npv",
)  # fmt: skip
MODELS = ("beta-binomial", "binomial")
#: Colours of the models, as in the paper: red and blue.
COLORS = (OKABE_ITO[5], "var(--bar)")
#: Colours from the lowest to the highest value, visible on white and on black.
SCALE = ((212, 74, 58), (150, 130, 150), (58, 134, 214))
#: Maximum number of matrices of a test set, so that a browser moves all circles at once; of
#: contours, where beyond the former no points are drawn.
MOST, MOST_CONTOURS = 10_000, 1_000_000_000
BINS = 40
#: Range of contours on both axes of ROC space.
EXTENT = (-0.5, 1.5)


@check_call
def explore_pmf(
    size: Sequence[int] = (20, 40),
    scores: Sequence[Any] = ("mcc", "balanced_accuracy", "f1"),
    observed: Sequence[int] | None = None,
) -> Html:
    """Make a page of the next confusion matrix and its scores, for any observed matrix (Lovell et al., Appendix D.5).

    The reader types the numbers of positives and negatives, with at most 10,000 matrices. The next
    test set has the same numbers; the models are the beta-binomial with the default prior, and the
    binomial. Scales do not change with the observed matrix, so that pmfs can be compared.

    Parameters
    ----------
    size : pair of int
        Initial numbers of positives and negatives, each at least 1.
    scores : sequence of Score or str
        Ranking scores, or scores of Lovell et al., Appendices B and C; the page has the formulas of
        these only.
    observed : pair of int, optional
        Initial true positives and true negatives; by default 80% of each class.

    Examples
    --------
    >>> text = explore_pmf((5, 8), ["f1"], observed=(4, 6))
    >>> text.count("<svg data-joint"), text.count("<svg data-score")
    (2, 1)
    """
    checked = _check_scores(scores)
    data = {
        "models": MODELS,
        "colors": COLORS,
        "bins": BINS,
        "scores": [_describe(score) for score in checked],
    }
    names = [score_label(score) for score in checked]
    start = _check_start(size, observed, MOST)
    return _explorer(
        "Uncertainty in confusion matrices and their scores",
        "pmf",
        data | start,
        MODELS,
        names,
        BINS,
    )


@check_call
def explore_contours(
    size: Sequence[int] = (20, 40),
    scores: Sequence[Any] = METRICS,
    observed: Sequence[int] | None = None,
) -> Html:
    """Make a page of score contours over all points of a test set, with a movable point (Lovell et al., D.2 and D.3).

    The reader types the numbers of positives and negatives, and with them the prevalence. Points
    are drawn for at most 10,000 matrices.

    Parameters
    ----------
    size, scores, observed
        As for :func:`explore_pmf`; at least one score. The page lists all scores of the movable
        point.

    Examples
    --------
    >>> text = explore_contours((5, 8), ["f1", "mcc"])
    >>> text.count("<svg data-square"), text.count("<td data-value")
    (2, 2)
    """
    checked = _check_scores(scores)
    if not checked:
        raise ArgumentError("scores", "must contain at least one score", "none")
    parts = [
        _describe(score) | {"levels": round_values(*score_limits(score)).tolist()}
        for score in checked
    ]
    data = {"extent": EXTENT, "scale": SCALE, "most_points": MOST, "scores": parts}
    start = _check_start(size, observed, MOST_CONTOURS)
    return _explorer(
        "Contours of scores", "contours", data | start, [_score_title(score) for score in checked]
    )


@check_call
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
            {
                "positives": p,
                "values": _short(lattice_values(p, total - p, score).transpose("tp", "fp").values),
            }
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


@check_call
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
        raise ArgumentTypeError(
            "html", "must come from a function that makes a page", describe_value(html)
        )
    write_output("path", path, "page", html)
    return Path(path)


def _check_scores(scores: Any) -> list[Score]:
    result = [as_score(score) for score in check_sequence("scores", scores)]
    allowed = [as_score(name) for name in METRICS]
    for score in result:
        if score.importance is None and score not in allowed:
            requirement = (
                "must be ranking scores or scores of Lovell et al.; the page has no other formulas"
            )
            raise ArgumentError("scores", requirement, score.name)
    return result


def _describe(score: Score) -> dict[str, Any]:
    """Return what the page computes a score by, and its range."""
    weights = score.importance
    low, high = score_limits(score)
    return {
        "name": score_label(score),
        "key": score.name,
        "importance": weights and [float(weights[cell]) for cell in ("tn", "fp", "fn", "tp")],
        "low": low,
        "high": high,
    }


def _check_start(size: Any, observed: Any, most: int) -> dict[str, Any]:
    """Return the initial class sizes, true positives and true negatives, and the maximum number of matrices."""
    pair = check_sequence("size", size)
    if len(pair) != 2:
        raise ArgumentError(
            "size", "must be a number of positives and one of negatives", describe_value(size)
        )
    p, n = (check_integer("size", cases, 1) for cases in pair)
    if (p + 1) * (n + 1) > most:
        raise ArgumentError(
            "size", f"must have at most {most:,} matrices", f"{(p + 1) * (n + 1):,} for {(p, n)}"
        )
    start = [round(0.8 * cases) for cases in (p, n)]
    if observed is not None:
        cells = check_sequence("observed", observed)
        if len(cells) != 2 or not all(
            is_number(k) and 0 <= k <= cases for k, cases in zip(cells, (p, n), strict=True)
        ):
            requirement = f"true positives up to {p} and true negatives up to {n}"
            raise ArgumentError("observed", f"must be {requirement}", describe_value(observed))
        start = [check_integer("observed", count) for count in cells]
    return {"size": [p, n], "start": start, "most": most}


def _short(values: np.ndarray) -> list[float | None]:
    """Return numbers with four digits; None where undefined."""
    return [
        float(f"{value:.4g}") if np.isfinite(value) else None for value in values.ravel().tolist()
    ]


def _score_title(score: Score) -> str:
    label = score_label(score)
    return label if label.lower() == score.display.lower() else f"{label}, {score.display}"


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bayesrank.papers", ""),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
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
