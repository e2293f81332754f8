"""Interactive pages: the uncertainty of matrices and scores for any observation, and contours with a movable point.

Each is one HTML file that needs no network, and shows in a notebook. Everything is computed here, exactly; in the
browser it is looked up, multiplied and summed. After Lovell et al., *Never mind the metrics*, Appendix D.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from html import escape
from typing import Any

import numpy as np

from bayesrank._checks import check_integer, check_sequence, describe_value, is_number
from bayesrank.evidence.counts import from_counts
from bayesrank.papers.interactive import SCALE, _short
from bayesrank.plots._colors import OKABE_ITO
from bayesrank.plots._contours import round_values, score_label, score_limits
from bayesrank.plots._page import Html, embed_json, page, part
from bayesrank.predictive import confusion_pmf
from bayesrank.predictive.scores import equal_runs, exact_ratio
from bayesrank.scores import Score, as_score
from bayesrank.scores.contours import contour_curve
from bayesrank.scores.lattice import lattice_values

__all__ = ["METRICS", "SIZES", "explore_contours", "explore_pmf"]

#: The scores of Lovell et al., Appendices B and C.
METRICS = (
    "mcc", "f1", "threat_score", "accuracy", "ppv", "npv", "markedness", "cohen_kappa", "fowlkes_mallows", "tpr", "tnr",
    "balanced_accuracy", "informedness", "g_mean", "prevalence_threshold", "balanced_mcc", "balanced_markedness",
    "balanced_f1", "balanced_fowlkes_mallows", "balanced_threat_score", "standardized_ppv", "standardized_npv",
)  # fmt: skip
#: Positives and negatives: the paper's, and totals of 20, 40 and 60 cases with 10% to 90% positives.
SIZES = ((20, 40), *((p, total - p) for total in (20, 40, 60) for p in range(total // 10, total, total // 10)))
MODELS = {"beta_binomial": "beta-binomial", "binomial": "binomial"}
#: Red for the first model, blue for the second, as in the paper.
COLORS = (OKABE_ITO[5], "var(--bar)")
#: Of matrices of one test set: circles that a browser still moves at once.
MOST = 10_000
BINS = 40
#: How far beyond the ROC square contours go.
EXTENT = (-0.5, 1.5)
#: Points nearer to the line between their neighbours are left out.
FINE = 5e-4


def explore_pmf(
    sizes: Sequence[tuple[int, int]] = SIZES,
    scores: Sequence[Any] = ("mcc", "balanced_accuracy", "f1"),
    observed: tuple[int, int] | None = None,
    prior: Any = None,
) -> Html:
    """Make a page of the next confusion matrix and its scores, for any observed matrix, by both models.

    The observed test set and the next one have the same class sizes. Joint pmf and margins by the beta-binomial and the
    binomial model, the pmf of each score with all its values, the number of matrices that share each, and a histogram;
    scales stay as they are when the observed matrix moves, so that pmfs can be compared.

    Parameters
    ----------
    sizes : sequence of pairs of int
        Positives and negatives: at least one case of each, at most 10,000 matrices. The sliders of N and p step through
        all of them, and start at the first.
    scores : sequence of Score, str or callable
        Whose pmfs to show.
    observed : pair of int, optional
        True positives and true negatives at first; by default 80% of each class of the first sizes.
    prior : optional
        Of the beta-binomial model, as for :func:`bayesrank.predictive.confusion_pmf`.

    Returns
    -------
    str
        The page, which a notebook shows, written to a file by :func:`bayesrank.papers.save`.

    Raises
    ------
    ValueError
        If there are no sizes, or they are too small or too large, or the observed matrix is none of the first sizes.

    References
    ----------
    Lovell et al., Never mind the metrics, Appendix D.5, Figures 3, 4, D.6 and E.1.

    Examples
    --------
    >>> text = explore_pmf([(5, 8)], ["f1"], observed=(4, 6))
    >>> text.count("<svg data-joint"), text.count("<svg data-score")
    (2, 1)
    """
    sizes = _sizes(sizes)
    found = [as_score(score) for score in check_sequence("scores", scores)]
    start = _start(sizes[0], observed)
    margins = cache(partial(_margins, prior=prior))
    data = {
        "models": list(MODELS.values()),
        "colors": COLORS,
        "bins": BINS,
        "start": start,
        "sizes": [_pmfs(*size, found, start if size == sizes[0] else _start(size), margins) for size in sizes],
    }
    joint = "".join(
        f'<div><svg data-joint viewBox="0 0 420 430" width="420" tabindex="0" role="application" '
        f'aria-label="Joint pmf by the {name} model; arrow keys move what was observed"></svg></div>'
        for name in MODELS.values()
    )
    panels = "".join(
        '<div><svg data-score viewBox="0 0 400 280" width="400" role="img" '
        f'aria-label="pmf of {escape(score_label(score))}">'
        '</svg><output aria-live="polite"></output></div>'
        for score in found
    )
    boxes = _boxes(("rug", "possible values"), ("counts", "matrices with each value"), ("bars", "histogram"))
    body = (
        "<p>A classifier was tested on some cases. What will its confusion matrix be on as many others? Crosses and "
        f"dashed lines mark the observed matrix. Drag it, or use the sliders or arrow keys.</p>{OBSERVED}"
        '<div class="row" hidden><div><label>Probabilities '
        '<input type="range" data-control="zoom" min="-3" max="5" step="0.5" value="0"></label> '
        f'<output data-control="zoom-said"></output></div><div>{boxes}</div></div>'
        f'<div class="row" hidden>{joint}</div><div class="row" hidden>{panels}</div>'
        f"<p>Areas of circles are proportional to probabilities. Histograms have {BINS} bins over the range of a "
        "score. Scales stay the same when the observed matrix moves; larger values are cut off.</p>"
    )
    return page("Uncertainty in confusion matrices and their scores", _explorer_page("pmf", data, body))


def explore_contours(
    sizes: Sequence[tuple[int, int]] = SIZES,
    scores: Sequence[Any] = METRICS,
    observed: tuple[int, int] | None = None,
) -> Html:
    """Make a page of score contours over all points of a test set, in ROC and precision-recall space.

    Parameters
    ----------
    sizes : sequence of pairs of int
        As for :func:`explore_pmf`.
    scores : sequence of Score, str or callable
        To choose from; the values of all at the point are listed.
    observed : pair of int, optional
        True positives and true negatives of the point at first; by default 80% of each class of the first sizes.

    Returns
    -------
    str
        The page, which a notebook shows, written to a file by :func:`bayesrank.papers.save`.

    Raises
    ------
    ValueError
        As for :func:`explore_pmf`.

    References
    ----------
    Lovell et al., Never mind the metrics, Appendices D.2 and D.3.

    Examples
    --------
    >>> text = explore_contours([(5, 8)], ["f1", "mcc"])
    >>> text.count("<svg data-square"), text.count("<td data-value")
    (2, 2)
    """
    sizes = _sizes(sizes)
    found = [as_score(score) for score in check_sequence("scores", scores)]
    if not found:
        raise ValueError("scores must hold a score at least; got none")
    start = _start(sizes[0], observed)
    limits = [score_limits(score) for score in found]
    shares = sorted({p / (p + n) for p, n in sizes})
    data = {
        "start": start,
        "extent": EXTENT,
        "scale": SCALE,
        "scores": [{"name": score_label(score), "low": low, "high": high}
                   for score, (low, high) in zip(found, limits, strict=True)],
        "lines": [[_contours(share, score) for score in found] for share in shares],
        "sizes": [{"p": p, "n": n, "share": shares.index(p / (p + n)),
                   "values": [[_short(value) for value in _values(p, n, score).tolist()] for score in found]}
                  for p, n in sizes],
    }  # fmt: skip
    choices = "".join(f'<option value="{k}">{escape(_score_title(score))}</option>' for k, score in enumerate(found))
    squares = "".join(
        f'<div><svg data-square viewBox="0 0 470 470" width="470" tabindex="0" role="application" '
        f'aria-label="Contours and points in {where}; arrow keys move the point"></svg></div>'
        for where in ("the ROC square", "precision-recall space")
    )
    rows = "".join(
        f'<tr><th scope="row">{escape(_score_title(score))}</th><td data-value></td></tr>' for score in found
    )
    boxes = _boxes(("beyond", "beyond the ROC square"), ("points", "points"), off=("beyond",))
    body = (
        "<p>Lines of equal score, from red (low) to blue (high), over all confusion matrices of N cases. The cross "
        "marks one matrix: drag it, or use the sliders or arrow keys.</p>"
        f'<p hidden><label>Lines of <select data-control="score">{choices}</select></label></p>'
        f'{OBSERVED}<p hidden>{boxes}</p><div class="row" hidden>{squares}</div>'
        f"<table hidden><caption>Scores of the cross</caption>{rows}</table>"
    )
    return page("Contours of scores", _explorer_page("contours", data, body))


#: The controls of the test set and of the observed matrix, with its table.
OBSERVED = (
    '<div class="row" hidden><div>'
    + "".join(
        f'<p><label>{words} <input type="range" data-control="{name}" min="0" step="1"></label> '
        f'<output data-control="{name}-said" aria-live="polite"></output></p>'
        for name, words in (
            ("total", "N, all cases"), ("positives", "p, positives"), ("tp", "true positives"), ("tn", "true negatives")
        )
    )
    + "</div><div><table><tr><td></td><th>positive</th><th>negative</th></tr>"
    "<tr><th>called positive</th><td data-cell></td><td data-cell></td></tr>"
    "<tr><th>called negative</th><td data-cell></td><td data-cell></td></tr></table></div></div>"
)  # fmt: skip


def _sizes(sizes: Any) -> list[tuple[int, int]]:
    """Return checked pairs of positives and negatives."""
    found = []
    for pair in check_sequence("sizes", sizes):
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise TypeError(f"sizes must hold pairs of positives and negatives; got {describe_value(pair)}")
        p, n = (check_integer("sizes", cases, 1) for cases in pair)
        if (p + 1) * (n + 1) > MOST:
            raise ValueError(f"sizes must have {MOST:,} matrices at most; got {(p + 1) * (n + 1):,} for {(p, n)}")
        found.append((p, n))
    if not found:
        raise ValueError("sizes must hold a pair at least; got none")
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
        raise ValueError(f"observed must be {wanted}; got {describe_value(observed)}")
    return [check_integer("observed", count) for count in seen]


def _margins(cell: str, cases: int, prior: Any) -> list[list[list[float]]]:
    """Return the pmf of the true positives or negatives of a class, by model and by their observed number."""
    other = "tn" if cell == "tp" else "tp"
    rows: list[list[list[float]]] = [[] for _ in MODELS]
    for seen in range(cases + 1):
        a, d, p, n = (seen, 1, cases, 1) if cell == "tp" else (1, seen, 1, cases)
        counts = from_counts(tn=d, fp=n - d, fn=p - a, tp=a)
        for row, model in zip(rows, MODELS, strict=True):
            pmf = confusion_pmf(counts, p, n, model, prior if model == "beta_binomial" else None)
            row.append([float(f"{mass:.6g}") if mass > 1e-12 else 0.0 for mass in pmf.sum(other).values.tolist()])
    return rows


def _pmfs(
    p: int, n: int, scores: Sequence[Score], start: Sequence[int], margins_of: Callable[[str, int], Any]
) -> dict[str, Any]:
    """Return margins for every possible matrix by model, the matrices of each value, and the scales."""
    margins = {"tp": margins_of("tp", p), "tn": margins_of("tn", n)}
    a, d = start
    joints = [np.outer(tp[a], tn[d]) for tp, tn in zip(margins["tp"], margins["tn"], strict=True)]
    edge = max(max(max(tp[a]), max(tn[d])) for tp, tn in zip(margins["tp"], margins["tn"], strict=True))
    shared = [_index_values(p, n, score, joints) for score in scores]
    return {"p": p, "n": n, **margins, "scores": shared, "largest": max(joint.max() for joint in joints), "edge": edge}


def _index_values(p: int, n: int, score: Score, joints: Sequence[np.ndarray]) -> dict[str, Any]:
    """Return the values of a score, and the index of the value of each matrix (tp, tn); -1 if undefined."""
    values = _values(p, n, score)

    def cells(at: np.ndarray) -> tuple[Any, Any, Any, Any]:
        tp, tn = np.divmod(at, n + 1)
        return tn, n - tn, p - tp, tp

    order, starts = equal_runs(values, cells, exact_ratio(score))
    group = np.full(values.size, -1)
    group[order] = np.repeat(np.arange(starts.size), np.diff(np.append(starts, order.size)))
    known = group >= 0
    masses = [np.bincount(group[known], joint.ravel()[known]) for joint in joints]
    low, high = score_limits(score)
    heights = [np.histogram(values[order[starts]], BINS, (low, high), weights=mass)[0] for mass in masses]
    return {
        "name": score_label(score),
        "low": low,
        "high": high,
        "values": [float(f"{value:.9g}") for value in values[order[starts]].tolist()],
        "group": group.tolist(),
        "count": np.bincount(group[known]).tolist(),
        "largest": max(mass.max() for mass in masses),
        "tallest": max(height.max() for height in heights),
    }


def _values(p: int, n: int, score: Score) -> np.ndarray:
    """Return the values of all matrices (tp, tn)."""
    return lattice_values(p, n, score).isel(fp=slice(None, None, -1)).transpose("tp", "fp").values.ravel()


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
    """Simplify a curve: drop points on the line between others (Ramer, 1972)."""
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


def _boxes(*named: tuple[str, str], off: Sequence[str] = ()) -> str:
    return " ".join(
        f'<label><input type="checkbox" data-control="{name}"{"" if name in off else " checked"}> {words}</label>'
        for name, words in named
    )


def _score_title(score: Score) -> str:
    plain = score.display
    return score_label(score) if score_label(score).lower() == plain.lower() else f"{score_label(score)}, {plain}"


def _explorer_page(kind: str, data: Any, body: str) -> str:
    """Return the page of an explorer, with its style sheet and script."""
    return (
        f"<style>\n{part('explore.css', 'bayesrank.papers')}</style>"
        f'<div class="explore" data-explore="{kind}">{embed_json(data)}{body}</div>'
        f"<script>\n{part('explore.js', 'bayesrank.papers')}</script>"
    )
