"""Pictures to turn and to slide, each in one HTML file that needs no network: with the extra ``interactive`` (plotly).

The frames under a slider are computed here, not in the browser. After Lovell et al., *Never mind the metrics*.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._style import OKABE_ITO
from bayesrank.plots.roc import _limits, _name, _steps
from bayesrank.predictive import confusion_pmf
from bayesrank.scores import as_score
from bayesrank.scores.contours import contour_curve
from bayesrank.scores.lattice import lattice_values, simplex_corners, simplex_slice

__all__ = ["pmf_slider", "save", "turning_simplex"]

SCALE = "RdBu"


def turning_simplex(total: int, positives: Sequence[int], score: Any) -> Any:
    """Slices of the simplex of confusion matrices, to turn; clicks in the legend hide some (Lovell et al., App. D.1).

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
    plotly.graph_objects.Figure
        Written to a file by :func:`save`.

    Examples
    --------
    >>> len(turning_simplex(20, [5, 10], "mcc").data) >= 2
    True
    """
    go = _plotly()
    score = as_score(score)
    corners = simplex_corners(total)
    ends, words = corners.values, [f"{cell.item()} = {total}" for cell in corners["cell"]]
    path = ends[[0, 1, 2, 0, 3, 1, 2, 3]]  # every edge once at least
    figure = go.Figure(
        [
            go.Scatter3d(
                x=path[:, 0], y=path[:, 1], z=path[:, 2], mode="lines", line={"color": "grey"},
                showlegend=False, hoverinfo="skip",
            ),
            go.Scatter3d(
                x=ends[:, 0], y=ends[:, 1], z=ends[:, 2], mode="text", text=words,
                showlegend=False, hoverinfo="skip",
            ),
        ]
    )  # fmt: skip
    low, high = _limits(score)
    for p in positives:
        points = simplex_slice(p, total - p)
        tp, fp = (x.ravel() for x in np.meshgrid(points["tp"], points["fp"], indexing="ij"))
        value = lattice_values(p, total - p, score).values.ravel()
        each = [f"TP {t}, FP {f}, FN {p - t}, TN {total - p - f}<br>{_name(score)} {v:.3g}"
                 for t, f, v in zip(tp, fp, value, strict=True)]  # fmt: skip
        x, y, z = points.values.reshape(-1, 3).T
        marker = {"size": 2, "color": value, "colorscale": SCALE, "cmin": low, "cmax": high}
        marker |= {"showscale": p == positives[0], "colorbar": {"title": _name(score), "x": -0.1}}
        figure.add_scatter3d(x=x, y=y, z=z, mode="markers", marker=marker, text=each, hoverinfo="text",
                             name=f"{p} positives")  # fmt: skip
    hidden = {key: {"visible": False} for key in ("xaxis", "yaxis", "zaxis")}
    figure.update_layout(scene=hidden | {"aspectmode": "data"}, title=f"Confusion matrices of {total} cases")
    return figure


def pmf_slider(
    counts: xr.DataArray,
    score: Any,
    sizes: Sequence[tuple[int, int]],
    model: str = "beta_binomial",
    prior: Any = None,
) -> Any:
    """The pmf of the next confusion matrix over a score's contours, as its class sizes move under a slider.

    Parameters
    ----------
    counts : xarray.DataArray
        Of one entity.
    score : Score, str or callable
        Whose contours to draw.
    sizes : sequence of pairs of int
        Positives and negatives of the next test set, one frame each. Areas are proportional to masses in a frame.
    model, prior
        As for :func:`bayesrank.predictive.confusion_pmf`.

    Returns
    -------
    plotly.graph_objects.Figure
        Written to a file by :func:`save`.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(pmf_slider(counts, "f1", [(4, 6), (8, 12)]).frames)
    2
    """
    go = _plotly()
    score = as_score(score)
    values = _steps(*_limits(score))
    frames = []
    for p, n in sizes:
        if p < 1 or n < 1:
            raise ValueError(f"sizes must hold cases of both classes; got {(p, n)}")
        curves = contour_curve(score, values, p / (p + n), points=101)
        lines = [
            go.Scatter(x=curves["fpr"].values[i], y=curves["tpr"].values[i], mode="lines", showlegend=False,
                       line={"width": 1, "color": colour}, name=f"{_name(score)} = {value:g}", hoverinfo="name")
            for i, (value, colour) in enumerate(zip(values, _colours(len(values)), strict=True))
        ]  # fmt: skip
        dots = _dots(confusion_pmf(counts, p, n, model, prior))
        frames.append(go.Frame(data=[*lines, dots], name=f"{p} + {n}"))
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    steps = [
        {"label": frame.name, "method": "animate", "args": [[frame.name], at_once]}
        for frame in frames
    ]  # fmt: skip
    figure = go.Figure(frames[0].data, frames=frames)
    figure.update_layout(
        sliders=[{"steps": steps, "currentvalue": {"prefix": "positives + negatives: "}, "pad": {"t": 45}}],
        xaxis={"title": "FPR", "range": [-0.02, 1.02], "constrain": "domain"},
        yaxis={"title": "TPR", "range": [-0.02, 1.02], "scaleanchor": "x"},
        width=720, height=760, template="plotly_white", title=f"The next confusion matrix and {_name(score)}",
    )  # fmt: skip
    return figure


def save(figure: Any, path: str | Path) -> Path:
    """Writes a figure of this module to one HTML file that needs no network.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(turning_simplex(4, [2], "mcc"), f"{folder}/simplex.html")
    ...     "plotly" in path.read_text(encoding="utf-8")
    True
    """
    path = Path(path)
    figure.write_html(path, include_plotlyjs=True, full_html=True, auto_play=False)
    return path


def _dots(pmf: xr.DataArray) -> Any:
    go = _plotly()
    mass = pmf.values.ravel()
    seen = np.flatnonzero(mass > mass.max() * 1e-4)
    tp, tn = (x.ravel()[seen] for x in np.meshgrid(pmf["tp"], pmf["tn"], indexing="ij"))
    p, n = pmf["positives"].item(), pmf["negatives"].item()
    # Plotly's "area" mode makes areas proportional to the sizes given.
    marker = {"size": mass[seen], "sizemode": "area", "sizeref": mass.max() / 220, "color": OKABE_ITO[0]}
    words = [f"TP {t}, FP {n - d}: {m:.3g}" for t, d, m in zip(tp, tn, mass[seen], strict=True)]
    return go.Scatter(x=1 - tn / n, y=tp / p, mode="markers", marker=marker, text=words, hoverinfo="text",
                      showlegend=False)  # fmt: skip


def _colours(number: int) -> list[str]:
    from plotly.colors import sample_colorscale

    return sample_colorscale("Bluered_r", list(np.linspace(0, 1, number)))


def _plotly() -> Any:
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise ImportError("interactive pictures need plotly: install bayesrank[interactive]") from None
    return go
