"""Pictures of the scores of future test sets, after Lovell et al., *Never mind the metrics*."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_array, check_choice, check_integer, check_number, describe_value, rename_argument
from bayesrank._types import ScoreLike
from bayesrank.plots._colors import grey_shade, ink_color, paper_color, place_colors, scale_on
from bayesrank.plots._contours import score_label
from bayesrank.plots._style import OKABE_ITO, list_names, new_axes, strip
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
        possible values; the numbers of matrices are from the first pmf.
    observed : float, optional
        A value to mark.
    ax : matplotlib Axes, optional
    bins : int
        Number of bins of the histograms above the plot; 0 for no histograms.

    Returns
    -------
    matplotlib Axes
        The Axes of the probabilities; a second one shows the numbers of matrices.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> score_pmf({"beta-binomial": f1}).get_legend_handles_labels()[1][0]
    'beta-binomial'
    """
    by_name = {"": pmfs} if isinstance(pmfs, xr.Dataset) else pmfs
    distributions = _pmfs_by_name(by_name)
    if observed is not None:
        check_number("observed", observed, finite=True)
    ax = new_axes(ax, 6.0, 4.4 if check_integer("bins", bins, 0, MOST) else 3.6)
    first = distributions[0]
    _count_matrices(ax, first)
    paints = _colors(len(by_name))
    for name, pmf, paint in zip(by_name, distributions, paints, strict=True):
        ax.plot(pmf["value"], pmf["probability"], ".", color=paint, markersize=4, label=name or None)
    bottom = ax.get_xaxis_transform()
    ax.plot(
        first["value"], np.full(first.sizes["value"], 0.012), "|", color=grey_shade(ax, 0.5), markersize=5,
        markeredgewidth=0.4, transform=bottom, label="_rug", zorder=1,
    )  # fmt: skip
    marked = [ax]
    if bins:
        above = ax.inset_axes((0.0, 1.03, 1.0, 0.3))
        for pmf, paint in zip(distributions, paints, strict=True):
            mass, edges = np.histogram(pmf["value"], bins, _ends(distributions), weights=pmf["probability"])
            above.stairs(mass, edges, color=paint, fill=True, alpha=0.25)
            above.stairs(mass, edges, color=paint, linewidth=1.2)
        above.set(xlim=ax.get_xlim(), ylim=(0, None), ylabel=f"in {bins} bins")
        above.tick_params(labelbottom=False)
        above.set_title(" ", fontsize=4)  # the layout leaves an inset too little room
        marked.append(above)
    if observed is not None:
        for one in marked:
            one.axvline(observed, color=grey_shade(ax, 0.7), linewidth=1, linestyle="--")
    label = first["value"].attrs.get("long_name", "value")
    ax.set(xlabel=label, ylabel="probability", ylim=(0, None))
    if "" not in by_name:
        ax.legend(frameon=False, loc="upper left")
    return ax


def score_pmfs(
    pmfs: Mapping[str, xr.Dataset], form: str = "forest", observed: Mapping[str, float] | None = None, ax: Any = None
) -> Any:
    """Draw pmfs of one or several scores, one below the other, each with a colour.

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
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If the form is unknown, or there is nothing to draw.

    References
    ----------
    Lovell et al., Never mind the metrics, Sections 8 and 9.

    Examples
    --------
    >>> import bayesrank as br
    >>> pmf = br.predictive.confusion_pmf(br.from_counts(tn=9, fp=2, fn=1, tp=5))
    >>> ax = score_pmfs({name: br.predictive.score_pmf(pmf, name) for name in ("f1", "mcc")}, "violin")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['f1', 'mcc']
    """
    check_choice("form", form, KINDS)
    distributions = _pmfs_by_name(pmfs)
    marked = {} if observed is None else observed
    if not isinstance(marked, Mapping):
        raise TypeError(f"observed must be a mapping from names to values; got {describe_value(observed)}")
    for name, value in marked.items():
        check_choice("observed", name, pmfs)
        check_number(f"observed[{name!r}]", value, finite=True)
    ax = new_axes(ax, 6.4, 1.2 + (0.4 if form == "forest" else 0.8) * len(pmfs))
    paints = _colors(len(distributions))
    tails = [quantile(one, [0.0005, 0.9995]) for one in distributions]
    outlines = [_outline(one, form, (min(t[0] for t in tails), max(t[1] for t in tails))) for one in distributions]
    highest = max((height.max() for _, height in outlines if height.size), default=1.0)
    for row, (one, paint, (x, height)) in enumerate(zip(distributions, paints, outlines, strict=True)):
        up = row - 0.42 * height / highest if form == "violin" else row + 0.42 - 0.84 * height / highest
        down = row + 0.42 * height / highest if form == "violin" else np.full(x.shape, row + 0.42)
        step = "post" if form == "histogram" else None
        ax.fill_between(x, up, down, color=paint, alpha=0.35, linewidth=0, step=step)
        middle = row if form != "histogram" else row + 0.42
        ends = quantile(one, [0.025, 0.25, 0.5, 0.75, 0.975])
        ax.hlines(middle, ends[0], ends[4], color=paint, linewidth=1.4)
        ax.hlines(middle, ends[1], ends[3], color=paint, linewidth=4.5)
        ax.plot(ends[2], middle, "o", color=paper_color(ax), markeredgecolor=paint, markersize=6)
    for name, value in marked.items():
        row = list(pmfs).index(name)
        ax.vlines(value, row - 0.42, row + 0.42, color=ink_color(), linewidth=1.2, linestyle="--")
    list_names(ax, list(pmfs))
    strip(ax)
    labels = {one["value"].attrs.get("long_name", "value") for one in distributions}
    ax.set_xlabel(labels.pop() if len(labels) == 1 else "value")
    return ax


def _outline(pmf: xr.Dataset, form: str, ends: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the outline of a row and its height."""
    value, mass = pmf["value"].values, pmf["probability"].values
    if form == "forest":
        return np.empty(0), np.empty(0)
    if form == "histogram":
        height, edges = np.histogram(np.clip(value, *ends), BINS, ends, weights=mass)
        return edges, np.append(height, height[-1])
    width = max(variance(pmf) ** 0.5 / 4, (ends[1] - ends[0]) / 1000, 1e-9)
    x = np.linspace(max(value.min(), ends[0]), min(value.max(), ends[1]), 241)
    return x, np.exp(-(((x[:, None] - value) / width) ** 2) / 2) @ mass / width


def _pmfs_by_name(pmfs: Any) -> list[xr.Dataset]:
    """Return the defined values of pmfs of scores, each by name."""
    if not isinstance(pmfs, Mapping) or isinstance(pmfs, xr.Dataset):
        raise TypeError(
            f"pmfs must be a mapping from names to pmfs of br.predictive.score_pmf; got {describe_value(pmfs)}"
        )
    if not pmfs:
        raise ValueError("pmfs must hold a pmf at least; got none")
    for name, one in pmfs.items():
        with rename_argument(f"pmfs[{name!r}]" if name else "pmfs", "pmf"):
            mean(one)  # refuses what is no pmf of a score, or has no value
    return [_defined_values(one) for one in pmfs.values()]


def _defined_values(pmf: xr.Dataset) -> xr.Dataset:
    return pmf.isel(value=pmf["value"].notnull().values)


def _ends(pmfs: Sequence[xr.Dataset]) -> tuple[float, float]:
    return min(one["value"].min().item() for one in pmfs), max(one["value"].max().item() for one in pmfs)


def score_pmf_by_tpr(pmf: xr.DataArray, score: ScoreLike, ax: Any = None) -> Any:
    """Draw the values of a future score and their probabilities, connected at equal TPR (Lovell et al., F.2).

    Returns
    -------
    matplotlib Axes
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
    value, found = matrix_values(pmf, score).values, _defined_values(values_pmf(pmf, score))
    ax = new_axes(ax, 6.0, 3.6)
    scale = ScalarMappable(Normalize(0, 1), scale_on(ax, "viridis"))
    _count_matrices(ax, found)
    for i in range(len(value)):
        defined = value[i][~np.isnan(value[i])]
        shared = found["probability"].sel(value=defined, method="nearest")
        color = scale.cmap(i / max(len(value) - 1, 1))
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
