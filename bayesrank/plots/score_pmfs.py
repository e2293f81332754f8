"""Pictures of the scores of future test sets, after Lovell et al., *Never mind the metrics*."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_array, check_choice, check_integer, check_number, describe_value, rename_argument
from bayesrank._types import ScoreLike
from bayesrank.plots._colors import OKABE_ITO, grey_shade, ink_color, paper_color, place_colors, scale_on
from bayesrank.plots._contours import score_label
from bayesrank.plots._style import finish_list, new_axes
from bayesrank.predictive.scores import matrix_values
from bayesrank.predictive.scores import score_pmf as values_pmf
from bayesrank.predictive.summaries import mean, quantile, variance

__all__ = ["score_pmf", "score_pmf_by_tpr", "score_pmfs"]

KINDS = ("forest", "histogram", "violin")
BINS = 40
#: Largest number of bins in a plot.
MOST = 10_000
#: The colour of numbers of matrices.
MATRICES = OKABE_ITO[2]


def score_pmf(
    pmfs: Mapping[str, xr.Dataset] | xr.Dataset, observed: float | None = None, ax: Any = None, *, bins: int = 0
) -> Any:
    """Draw the values of a future score with probabilities and numbers of matrices (Lovell et al., Figure 4).

    Parameters
    ----------
    pmfs : Dataset, or mapping from names to Datasets
        Results of :func:`bayesrank.predictive.score_pmf` for one or more models. Ticks along the bottom are the
        possible values; second Axes show the numbers of matrices, both of the first pmf.
    observed : float, optional
        A value to mark.
    bins : int
        Number of bins of the histograms above the plot; 0 for no histograms.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> score_pmf({"beta-binomial": f1}).get_legend_handles_labels()[1][0]
    'beta-binomial'
    """
    by_name = _defined_pmfs({"": pmfs} if isinstance(pmfs, xr.Dataset) else pmfs)
    if observed is not None:
        check_number("observed", observed, finite=True)
    ax = new_axes(ax, 6.0, 4.4 if check_integer("bins", bins, 0, MOST) else 3.6)
    distributions, paints = list(by_name.values()), _colors(len(by_name))
    first = distributions[0]
    _count_matrices(ax, first)
    for (name, pmf), paint in zip(by_name.items(), paints, strict=True):
        ax.plot(pmf["value"], pmf["probability"], ".", color=paint, markersize=4, label=name or None)
    ax.plot(
        first["value"], np.full(first.sizes["value"], 0.012), "|", color=grey_shade(ax, 0.5), markersize=5,
        markeredgewidth=0.4, transform=ax.get_xaxis_transform(), label="_rug", zorder=1,
    )  # fmt: skip
    marked = [ax]
    if bins:
        above = ax.inset_axes((0.0, 1.03, 1.0, 0.3))
        values = np.concatenate([pmf["value"] for pmf in distributions])
        for pmf, paint in zip(distributions, paints, strict=True):
            mass, edges = np.histogram(pmf["value"], bins, (values.min(), values.max()), weights=pmf["probability"])
            above.stairs(mass, edges, color=paint, fill=True, alpha=0.25)
            above.stairs(mass, edges, color=paint, linewidth=1.2)
        above.set(xlim=ax.get_xlim(), ylim=(0, None), ylabel=f"in {bins} bins")
        above.tick_params(labelbottom=False)
        above.set_title(" ", fontsize=4)  # the layout leaves an inset too little room
        marked.append(above)
    if observed is not None:
        for one in marked:
            one.axvline(observed, color=grey_shade(ax, 0.7), linewidth=1, linestyle="--")
    ax.set(xlabel=first["value"].attrs.get("long_name", "value"), ylabel="probability", ylim=(0, None))
    if "" not in by_name:
        ax.legend(frameon=False, loc="upper left")
    return ax


def score_pmfs(
    pmfs: Mapping[str, xr.Dataset], form: str = "forest", observed: Mapping[str, float] | None = None, ax: Any = None
) -> Any:
    """Draw pmfs of one or several scores, one below the other, each with a colour (Lovell et al., Sections 8 and 9).

    Parameters
    ----------
    pmfs : mapping from names to Datasets
        Results of :func:`bayesrank.predictive.score_pmf`, for example for several models, classes, scores or rivals.
    form : {"forest", "histogram", "violin"}
        ``"forest"``: the median with the central 50% and 95%. ``"histogram"`` adds the mass in 40 bins, with the rarest
        0.1% in the outermost bins; ``"violin"`` the mass smoothed by a normal kernel of a quarter of the standard
        deviation. Heights and areas are proportional to mass, at one scale for all rows.
    observed : mapping, optional
        The values to mark, by name.

    Examples
    --------
    >>> import bayesrank as br
    >>> pmf = br.predictive.confusion_pmf(br.from_counts(tn=9, fp=2, fn=1, tp=5))
    >>> ax = score_pmfs({name: br.predictive.score_pmf(pmf, name) for name in ("f1", "mcc")}, "violin")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['f1', 'mcc']
    """
    check_choice("form", form, KINDS)
    by_name = _defined_pmfs(pmfs)
    marked = {} if observed is None else observed
    if not isinstance(marked, Mapping):
        raise TypeError(f"observed must be a mapping from names to values; got {describe_value(observed)}")
    for name, value in marked.items():
        check_choice("observed", name, by_name)
        check_number(f"observed[{name!r}]", value, finite=True)
    names, distributions = list(by_name), list(by_name.values())
    ax = new_axes(ax, 6.4, 1.2 + (0.4 if form == "forest" else 0.8) * len(names))
    tails = np.array([quantile(one, [0.0005, 0.9995]) for one in distributions])
    outlines = [_outline(one, form, (tails[:, 0].min(), tails[:, 1].max())) for one in distributions]
    highest = max((height.max() for _, height in outlines if height.size), default=1.0)
    for row, (one, paint, (x, height)) in enumerate(zip(distributions, _colors(len(names)), outlines, strict=True)):
        middle, half = float(row), 0.42 * height / highest
        if form == "histogram":
            middle = row + 0.42
            ax.fill_between(x, middle - 2 * half, middle, color=paint, alpha=0.35, linewidth=0, step="post")
        elif form == "violin":
            ax.fill_between(x, row - half, row + half, color=paint, alpha=0.35, linewidth=0)
        ends = quantile(one, [0.025, 0.25, 0.5, 0.75, 0.975])
        ax.hlines(middle, ends[0], ends[4], color=paint, linewidth=1.4)
        ax.hlines(middle, ends[1], ends[3], color=paint, linewidth=4.5)
        ax.plot(ends[2], middle, "o", color=paper_color(ax), markeredgecolor=paint, markersize=6)
    for name, value in marked.items():
        row = names.index(name)
        ax.vlines(value, row - 0.42, row + 0.42, color=ink_color(), linewidth=1.2, linestyle="--")
    labels = {one["value"].attrs.get("long_name", "value") for one in distributions}
    return finish_list(ax, names, labels.pop() if len(labels) == 1 else "value")


def _outline(pmf: xr.Dataset, form: str, ends: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the outline of a row and its height; empty for a forest."""
    value, mass = pmf["value"].values, pmf["probability"].values
    if form == "forest":
        return np.empty(0), np.empty(0)
    if form == "histogram":
        height, edges = np.histogram(np.clip(value, *ends), BINS, ends, weights=mass)
        return edges, np.append(height, height[-1])
    width = max(variance(pmf) ** 0.5 / 4, (ends[1] - ends[0]) / 1000, 1e-9)
    x = np.linspace(max(value.min(), ends[0]), min(value.max(), ends[1]), 241)
    return x, np.exp(-(((x[:, None] - value) / width) ** 2) / 2) @ mass / width


def _defined_pmfs(pmfs: Any) -> dict[str, xr.Dataset]:
    """Return the defined values of pmfs of scores by name, after a check."""
    if not isinstance(pmfs, Mapping) or isinstance(pmfs, xr.Dataset):
        raise TypeError(
            f"pmfs must be a mapping from names to pmfs of br.predictive.score_pmf; got {describe_value(pmfs)}"
        )
    if not pmfs:
        raise ValueError("pmfs must hold a pmf at least; got none")
    for name, one in pmfs.items():
        with rename_argument(f"pmfs[{name!r}]" if name else "pmfs", "pmf"):
            mean(one)  # refuses what is no pmf of a score, or has no value
    return {name: one.isel(value=one["value"].notnull().values) for name, one in pmfs.items()}


def score_pmf_by_tpr(pmf: xr.DataArray, score: ScoreLike, ax: Any = None) -> Any:
    """Draw the values of a future score and their probabilities, connected at equal TPR (Lovell et al., F.2).

    Matrices with the same value share one point, at the probability of the value. Second Axes show the numbers of
    matrices.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(score_pmf_by_tpr(br.predictive.confusion_pmf(counts), "f1").lines)
    7
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    check_array("pmf", pmf, ("tp", "tn"), " (br.predictive.confusion_pmf gives one, of both class sizes)")
    value, found = matrix_values(pmf, score).values, values_pmf(pmf, score)
    found = found.isel(value=found["value"].notnull().values)
    ax = new_axes(ax, 6.0, 3.6)
    scale = ScalarMappable(Normalize(0, 1), scale_on(ax, "viridis"))
    _count_matrices(ax, found)
    for row, color in zip(value, scale.cmap(np.linspace(0, 1, len(value))), strict=True):
        defined = row[~np.isnan(row)]
        shared = found["probability"].sel(value=defined, method="nearest")
        ax.plot(defined, shared, ".-", color=color, linewidth=0.7, markersize=3)
    ax.figure.colorbar(scale, ax=ax, label="TPR", pad=0.14)
    ax.set(xlabel=score_label(score), ylabel="probability of the value", ylim=(0, None))
    return ax


def _count_matrices(ax: Any, pmf: xr.Dataset) -> None:
    """Draw how many matrices have each value, as dots with an axis of their own."""
    count = ax.twinx()
    count.plot(pmf["value"], pmf["multiplicity"], ".", color=MATRICES, markersize=3, alpha=0.5, label="matrices")
    count.set_ylim(0, 2.2 * float(pmf["multiplicity"].max()))
    count.set_ylabel("matrices with this value", color=MATRICES)
    count.yaxis.get_major_locator().set_params(integer=True)
    ax.set_zorder(count.get_zorder() + 1)
    ax.patch.set_visible(False)


def _colors(size: int) -> list[str]:
    """Return distinct colours, without the colour of the numbers of matrices."""
    free = [OKABE_ITO[k] for k in (5, 0, 1, 4, 3)]
    return [*free, *place_colors(range(6, size + 1))][:size]
