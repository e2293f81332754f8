"""Pictures of future confusion matrices and scores (Lovell et al., *Never mind the metrics*), and of checks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import scores
from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_array,
    check_bool,
    check_choice,
    check_integer,
    check_number,
    check_numbers,
    check_result,
    check_sequence,
    describe_value,
    rename_argument,
)
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.records import ResultRecord
from bayesrank._core.types import ScoreLike
from bayesrank.plots.kit.colors import (
    OKABE_ITO,
    blue_on,
    draw_halo,
    fade_colors,
    grey_shade,
    ink_color,
    paper_color,
    place_colors,
    scale_on,
)
from bayesrank.plots.kit.contours import count_ticks, draw_contours
from bayesrank.plots.kit.style import (
    figure_legend,
    finish_list,
    finish_plot,
    log_axis,
    new_axes,
    new_figure,
    new_panels,
    split_axes,
    write_key,
)
from bayesrank.predictive import confusion_pmf
from bayesrank.predictive.scores import score_pmf as values_pmf
from bayesrank.predictive.summaries import mean, quantile, variance
from bayesrank.scores import as_score
from bayesrank.scores.contours import contour_curve

#: Names of the statistics of a predictive check.
LABELS = {
    "difficulty": "difficulty: spread of data-set means",
    "overdispersion": "overdispersion: spread of each entity's answers",
}


@check_call
def matrix_pmf(
    pmf: xr.DataArray | Mapping[str, xr.DataArray],
    observed: xr.DataArray | None = None,
    figure: Any = None,
) -> Any:
    """Draw a future confusion matrix: joint pmf in the ROC square and margins (Lovell et al., Figures 3 and E.1).

    Parameters
    ----------
    pmf : xarray.DataArray, or mapping from names to such
        From :func:`bayesrank.predictive.confusion_pmf`, with both class sizes known. Areas are
        proportional to masses; several are drawn side by side, at one scale.
    observed : xarray.DataArray, optional
        Counts of one entity; the plot marks their rates.
    figure : matplotlib Figure or SubFigure, optional

    Examples
    --------
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> len(matrix_pmf(br.predictive.confusion_pmf(counts), observed=counts).axes)
    4
    """
    pmfs = {"": pmf} if not isinstance(pmf, Mapping) or isinstance(pmf, xr.Dataset) else dict(pmf)
    if not pmfs:
        raise ArgumentError("pmf", "must contain at least one pmf", "none")
    rates = [_rates(one, f"pmf[{name!r}]" if name else "pmf") for name, one in pmfs.items()]
    observed_rates = None if observed is None else _rates_of(observed)
    figure = new_figure(figure, 6.4 * len(pmfs), 5.2)
    parts = [figure] if len(pmfs) == 1 else figure.subfigures(1, len(pmfs))
    largest, *tops = (
        max(one.sum(over).max().item() for one in pmfs.values()) for over in ((), "tp", "tn")
    )
    for part, (name, one), (fpr, tpr) in zip(parts, pmfs.items(), rates, strict=True):
        (above, corner), (joint, right_panel) = part.subplots(
            2, 2, width_ratios=(3, 1), height_ratios=(1, 2.2)
        )
        corner.set_axis_off()
        _draw_points(joint, fpr, tpr, one, largest)
        if observed_rates is not None:
            _mark_observed(joint, *observed_rates)
        joint.set(xlabel="FPR", ylabel="TPR", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        across, up = one.sum("tp"), one.sum("tn")
        above.vlines(fpr, 0, across, color=OKABE_ITO[0], linewidth=1)
        above.plot(fpr, across, "o", color=OKABE_ITO[0], markersize=3 if len(fpr) <= 100 else 0)
        right_panel.hlines(tpr, 0, up, color=OKABE_ITO[0], linewidth=1)
        right_panel.plot(up, tpr, "o", color=OKABE_ITO[0], markersize=3 if len(tpr) <= 100 else 0)
        above.set(xlim=joint.get_xlim(), ylabel="probability", ylim=(0, 1.05 * tops[0]), title=name)
        right_panel.set(ylim=joint.get_ylim(), xlabel="probability", xlim=(0, 1.05 * tops[1]))
        for ax in (above, right_panel):
            ax.spines[["top", "right"]].set_visible(False)
        above.tick_params(labelbottom=False)
        right_panel.tick_params(labelleft=False)
    return figure


@check_call
def pr_pmf(pmf: xr.DataArray, observed: xr.DataArray | None = None, ax: Any = None) -> Any:
    """Draw a future confusion matrix in the precision-recall square; areas are proportional to masses.

    Without positive calls the precision is undefined; the title states the probability of this
    (Lovell et al., Section 7 and Eq. 113).

    Parameters
    ----------
    pmf, observed : xarray.DataArray
        As for :func:`matrix_pmf`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> pr_pmf(br.predictive.confusion_pmf(counts), observed=counts).get_ylabel()
    'precision'
    """
    _rates(pmf)
    observed_point = (
        None if observed is None else (_rates_of(observed)[1], scores.ppv(observed).item())
    )
    ax = new_axes(ax, 4.8, 4.6)
    tp, fp = xr.broadcast(pmf["tp"], pmf["negatives"].item() - pmf["tn"])
    called = tp + fp
    precision = (tp / called.where(called > 0)).transpose("tp", "tn").values
    recall = (tp / pmf["positives"].item()).transpose("tp", "tn").values
    _draw_points(ax, recall, precision, pmf, pmf.values.max())
    if observed_point is not None:
        _mark_observed(ax, *observed_point)
    without = pmf.values[np.isnan(precision)].sum()
    ax.set(
        xlabel="recall", ylabel="precision", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal"
    )
    ax.set_title(f"nothing called positive: probability {without:.2g}", fontsize=9)
    return ax


@check_call
def effect_of_size(
    counts: xr.DataArray, factors: Sequence[int] = (1, 4, 16), axes: Any = None
) -> Any:
    """Draw pmfs of the next test set after increasing amounts of the same evidence (Lovell et al., Figure 5).

    Parameters
    ----------
    counts : xarray.DataArray
        Counts of one entity.
    factors : sequence of int
        Factors of the counts, one for each panel.
    axes : sequence of matplotlib Axes, optional

    Examples
    --------
    >>> len(effect_of_size(br.from_counts(tn=9, fp=2, fn=1, tp=5), factors=(1, 4)).axes)
    2
    """
    times = [check_integer("factors", factor, 1) for factor in check_sequence("factors", factors)]
    if not times:
        raise ArgumentError("factors", "must contain at least one whole number", "none")
    confusion_pmf(counts)  # refuses what is no counts of one entity
    pmfs = [confusion_pmf(counts * factor) for factor in times]
    axes = new_panels(axes, 1, len(times), 3.4 * len(times), 3.5)
    for pmf, ax in zip(pmfs, axes, strict=True):
        fpr, tpr = _rates(pmf)
        levels = pmf.values.max() * np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9])
        ax.contour(
            fpr, tpr, pmf.values, levels=levels, cmap=scale_on(ax, "viridis"), linewidths=1.5
        )
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        sizes = pmf["positives"].item(), pmf["negatives"].item()
        count_ticks(ax, *sizes)
        ax.set_title(f"{sum(sizes):,} cases")
    return axes[0].figure


@check_call
def pmf_over_contours(
    pmf: xr.DataArray,
    score: ScoreLike,
    values: Sequence[float] = (),
    ridges: bool = False,
    ax: Any = None,
) -> Any:
    """Draw the joint pmf over the contours of a score, in circles or in ridge lines (Lovell et al., Figure F.1).

    Parameters
    ----------
    pmf : xarray.DataArray
        From :func:`bayesrank.predictive.confusion_pmf`, with both class sizes known.
    score : Score, str or callable
        Score whose contours are drawn.
    values : sequence of float
        Contours to draw in black.
    ridges : bool
        Instead of circles, draw one line for each number of true positives, raised by the
        probability mass.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> pmf = br.predictive.confusion_pmf(br.from_counts(tn=9, fp=2, fn=1, tp=5))
    >>> pmf_over_contours(pmf, "f1").get_xlabel()
    'FPR'
    """
    check_bool("ridges", ridges)
    score, (fpr, tpr) = as_score(score), _rates(pmf)
    marked = check_numbers("values", check_sequence("values", values)).ravel().tolist()
    ax = new_axes(ax, 5.4, 4.6)
    prevalence = pmf["positives"].item() / (pmf["positives"].item() + pmf["negatives"].item())
    draw_contours(ax, score, prevalence, None, (0.0, 1.0), bar=True)
    for value in marked:
        curve = contour_curve(score, [value], prevalence).isel(value=0)
        ax.plot(curve["fpr"], curve["tpr"], color=ink_color(), linewidth=1.4)
    if ridges:
        height = 2.5 * np.min(np.diff(tpr)) / pmf.values.max()
        for i in range(len(tpr))[::-1]:
            line = tpr[i] + height * pmf.values[i]
            ax.fill_between(
                fpr,
                tpr[i],
                line,
                color=paper_color(ax),
                alpha=0.7,
                zorder=3 + (len(tpr) - i) / 1000,
            )
            ax.plot(
                fpr,
                line,
                color=grey_shade(ax, 0.75),
                linewidth=0.8,
                zorder=3 + (len(tpr) - i + 0.5) / 1000,
            )
    else:
        _draw_points(ax, fpr, tpr, pmf, pmf.values.max())
    ax.set(xlabel="FPR", ylabel="TPR", xlim=(-0.02, 1.02), ylim=(-0.02, 1.12 if ridges else 1.02))
    return ax


@check_call
def score_pmf(
    pmfs: Mapping[str, xr.Dataset] | xr.Dataset,
    observed: float | None = None,
    ax: Any = None,
    *,
    bins: int = 0,
) -> Any:
    """Draw each value of a future score: its probability and its number of matrices (Lovell et al., Figure 4).

    Parameters
    ----------
    pmfs : Dataset, or mapping from names to Datasets
        Results of :func:`bayesrank.predictive.score_pmf` for one or more models. The strip below
        shows how many matrices have each value of the first pmf.
    observed : float, optional
        A value to mark.
    bins : int
        Number of bins of the histograms above the plot; 0 for no histograms.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> counts = br.from_counts(tn=9, fp=2, fn=1, tp=5)
    >>> f1 = br.predictive.score_pmf(br.predictive.confusion_pmf(counts), "f1")
    >>> [text.get_text() for text in score_pmf({"beta-binomial": f1}, observed=0.77).texts]
    ['beta-binomial', 'observed']
    """
    by_name = _defined_pmfs({"": pmfs} if isinstance(pmfs, xr.Dataset) else pmfs)
    if observed is not None:
        check_number("observed", observed, finite=True)
    ax = new_axes(ax, 6.0, 5.2 if check_integer("bins", bins, 0, 10_000) else 4.0)
    above, ax, strip = split_axes(ax, 3, above=1.3 if bins else 0, below=1)
    distributions, paints = list(by_name.values()), place_colors(range(len(by_name)))
    can_show = max(one.sizes["value"] for one in distributions) <= 100
    for pmf, paint in zip(distributions, paints, strict=True):
        if len(distributions) == 1:  # stems of several would hide each other
            ax.vlines(pmf["value"], 0, pmf["probability"], color=paint, linewidth=0.8)
        ax.plot(pmf["value"], pmf["probability"], ".", color=paint, markersize=5 if can_show else 3)
    highest = max(float(one["probability"].max()) for one in distributions)
    _zoom(ax, _span(distributions), observed)
    ax.set(ylabel="probability", ylim=(0, 1.08 * highest))
    marked = [ax]
    if bins:
        for pmf, paint in zip(distributions, paints, strict=True):
            mass, edges = np.histogram(
                pmf["value"], bins, _span(distributions), weights=pmf["probability"]
            )
            above.stairs(mass, edges, color=paint, fill=True, alpha=0.25)
            above.stairs(mass, edges, color=paint, linewidth=1.2)
        above.set(ylim=(0, None), ylabel=f"mass in\n{bins} bins")
        marked.append(finish_plot(above))
    key = {name: paint for name, paint in zip(by_name, paints, strict=True) if name}
    if observed is not None:
        for one in marked:
            one.axvline(observed, color=ink_color(), linewidth=1, linestyle="--")
        key["observed"] = ink_color()
    middle = float(np.mean([mean(one) for one in distributions]))
    write_key(ax, key, left=middle > np.mean(ax.get_xlim()))
    _count_matrices(strip, ax, distributions[0])
    return finish_plot(ax)


@check_call
def score_pmfs(
    pmfs: Mapping[str, xr.Dataset],
    form: str = "forest",
    observed: Mapping[str, float] | None = None,
    ax: Any = None,
) -> Any:
    """Draw pmfs of one or several scores, one below the other (Lovell et al., Sections 8 and 9).

    Parameters
    ----------
    pmfs : mapping from names to Datasets
        Results of :func:`bayesrank.predictive.score_pmf`, for example for several models, classes,
        scores or rivals.
    form : {"forest", "histogram", "violin"}
        ``"forest"``: the median with the central 50% and 95%. ``"histogram"`` adds the mass in 40
        bins, with the rarest 0.1% in the outermost bins; ``"violin"`` the mass smoothed by a normal
        kernel of a quarter of the standard deviation. Heights and areas are proportional to mass,
        at one scale for all rows.
    observed : mapping, optional
        The values to mark, by name.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> pmf = br.predictive.confusion_pmf(br.from_counts(tn=9, fp=2, fn=1, tp=5))
    >>> ax = score_pmfs({name: br.predictive.score_pmf(pmf, name) for name in ("f1", "mcc")}, "violin")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['f1', 'mcc']
    """
    check_choice("form", form, ("forest", "histogram", "violin"))
    by_name = _defined_pmfs(pmfs)
    marked = {} if observed is None else observed
    _check_observed(marked, list(by_name))
    names, distributions = list(by_name), list(by_name.values())
    ax = new_axes(ax, 6.4, 1.2 + (0.4 if form == "forest" else 0.8) * len(names))
    tails = np.array([quantile(one, [0.0005, 0.9995]) for one in distributions])
    outlines = [
        _outline(one, form, (tails[:, 0].min(), tails[:, 1].max())) for one in distributions
    ]
    highest = max((height.max() for _, height in outlines if height.size), default=1.0)
    paint = blue_on(ax)
    for row, (one, (x, height)) in enumerate(zip(distributions, outlines, strict=True)):
        middle, half = float(row), 0.42 * height / highest
        if form == "histogram":
            middle = row + 0.42
            ax.fill_between(
                x, middle - 2 * half, middle, color=paint, alpha=0.35, linewidth=0, step="post"
            )
        elif form == "violin":
            ax.fill_between(x, row - half, row + half, color=paint, alpha=0.35, linewidth=0)
        ends = quantile(one, [0.025, 0.25, 0.5, 0.75, 0.975])
        ax.hlines(middle, ends[0], ends[4], color=paint, linewidth=1.4)
        ax.hlines(middle, ends[1], ends[3], color=paint, linewidth=4.5)
        ax.plot(ends[2], middle, "o", color=paper_color(ax), markeredgecolor=paint, markersize=6)
    for name, value in marked.items():
        row = names.index(name)
        ax.vlines(value, row - 0.42, row + 0.42, color=ink_color(), linewidth=1.2, linestyle="--")
    labels = {ResultRecord.of(one["value"]).long_name or "value" for one in distributions}
    return finish_list(ax, names, labels.pop() if len(labels) == 1 else "value")


def _check_observed(observed: Any, names: list[str]) -> None:
    """Raise an error unless observed values are finite numbers by the names of their pmfs."""
    if not isinstance(observed, Mapping):
        raise ArgumentTypeError(
            "observed", "must be a mapping from names to values", describe_value(observed)
        )
    for name, value in observed.items():
        check_choice("observed", name, names)
        check_number(f"observed[{name!r}]", value, finite=True)


def _outline(
    pmf: xr.Dataset, form: str, ends: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the outline of a row and its height; empty for a forest."""
    value, mass = pmf["value"].values, pmf["probability"].values
    if form == "forest":
        return np.empty(0), np.empty(0)
    if form == "histogram":
        height, edges = np.histogram(np.clip(value, *ends), 40, ends, weights=mass)
        return edges, np.append(height, height[-1])
    width = max(variance(pmf) ** 0.5 / 4, (ends[1] - ends[0]) / 1000, 1e-9)
    x = np.linspace(max(value.min(), ends[0]), min(value.max(), ends[1]), 241)
    return x, np.exp(-(((x[:, None] - value) / width) ** 2) / 2) @ mass / width


def _defined_pmfs(pmfs: Any) -> dict[str, xr.Dataset]:
    """Return the defined values of pmfs of scores by name, after a check."""
    if not isinstance(pmfs, Mapping) or isinstance(pmfs, xr.Dataset):
        raise ArgumentTypeError(
            "pmfs",
            "must be a mapping from names to pmfs of br.predictive.score_pmf",
            describe_value(pmfs),
        )
    if not pmfs:
        raise ArgumentError("pmfs", "must contain at least one pmf", "none")
    for name, one in pmfs.items():
        with rename_argument(f"pmfs[{name!r}]" if name else "pmfs", "pmf"):
            mean(one)  # refuses what is no pmf of a score, or has no value
    return {name: one.isel(value=one["value"].notnull().values) for name, one in pmfs.items()}


@check_call
def score_pmf_by_tpr(pmf: xr.DataArray, score: ScoreLike, ax: Any = None) -> Any:
    """Draw the values of a future score and their probabilities, connected at equal TPR (Lovell et al., F.2).

    Matrices with the same value share one point, at the probability of the value. The darker a
    line, the higher its TPR. The strip below shows how many matrices have each value.

    Parameters
    ----------
    pmf, score
        As for :func:`pmf_over_contours`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> pmf = br.predictive.confusion_pmf(br.from_counts(tn=9, fp=2, fn=1, tp=5))
    >>> len(score_pmf_by_tpr(pmf, "f1").lines)
    7
    """
    check_array(
        "pmf", pmf, ("tp", "tn"), " (br.predictive.confusion_pmf gives one, of both class sizes)"
    )
    tp, tn = np.meshgrid(pmf["tp"], pmf["tn"], indexing="ij")
    positives = pmf["positives"].item()
    value = as_score(score).of_cells(tn, pmf["negatives"].item() - tn, positives - tp, tp)
    masses = values_pmf(pmf, score)
    masses = masses.isel(value=masses["value"].notnull().values)
    ax = new_axes(ax, 6.0, 4.2)
    ax, strip = split_axes(ax, 3, below=1)[1:]
    shades = fade_colors(ax)(np.linspace(0.3, 0.95, len(value)))
    for row, color in zip(value, shades, strict=True):
        defined = row[~np.isnan(row)]
        shared = masses["probability"].sel(value=defined, method="nearest")
        ax.plot(defined, shared, ".-", color=color, linewidth=0.9, markersize=4)
    _zoom(ax, _span([masses]))
    ends = dict.fromkeys([0, len(value) // 2, len(value) - 1])
    key = {f"TPR {pmf['tp'].values[i] / max(positives, 1):.2g}": shades[i] for i in ends}
    ax.set(ylabel="probability", ylim=(0, None))
    write_key(ax, key, left=mean(masses) > np.mean(ax.get_xlim()))
    _count_matrices(strip, ax, masses)
    return finish_plot(ax)


def _span(pmfs: Sequence[xr.Dataset]) -> tuple[float, float]:
    """Return the ends of all values; if most of them are improbable, of all but a share of 0.0002."""
    low, high = (float(f([f(one["value"]) for one in pmfs])) for f in (np.min, np.max))
    tails = np.array([quantile(one, [0.0001, 0.9999]) for one in pmfs])
    first, last = float(tails[:, 0].min()), float(tails[:, 1].max())
    return (first, last) if 0 < last - first < 0.5 * (high - low) else (low, high)


def _zoom(ax: Any, span: tuple[float, float], *marked: float | None) -> None:
    """Limit the horizontal axis to the span and the marked values, with a margin."""
    ends = [*span, *(value for value in marked if value is not None)]
    margin = 0.04 * (max(ends) - min(ends)) or 0.05
    ax.set_xlim(min(ends) - margin, max(ends) + margin)


def _count_matrices(strip: Any, ax: Any, pmf: xr.Dataset) -> None:
    """Draw how many matrices have each value, in the strip below the Axes, and label both."""
    ax.set_xlabel(ResultRecord.of(pmf["value"]).long_name or "value")
    strip.vlines(pmf["value"], 0, pmf["multiplicity"], color=grey_shade(ax, 0.5), linewidth=1)
    strip.set(ylabel="matrices\nper value", ylim=(0, None))
    strip.yaxis.get_major_locator().set_params(integer=True, nbins=3)
    finish_plot(strip)


@check_call
def predictive_check(check: xr.Dataset, figure: Any = None) -> Any:
    """Draw the histogram of each statistic's replicates, and its observed value as a line; 1 is expected by chance.

    Parameters
    ----------
    check : xarray.Dataset
        The result of :func:`bayesrank.predictive.predictive_check`.
    figure : matplotlib Figure or SubFigure, optional

    Examples
    --------
    >>> check = br.predictive.predictive_check(br.fit(br.pool(br.datasets.load("ascus_hc2_repc")), seed=1), seed=1)
    >>> len(predictive_check(check).axes)
    2
    """
    check_result(
        "br.predictive.predictive_check",
        "check",
        check,
        ("observed", "replicated", "p_value", "statistic"),
    )
    names = check["statistic"].values.tolist()
    figure = new_figure(figure, 8.6, 3.2)
    axes = figure.subplots(1, len(names), squeeze=False)[0]
    for ax, name in zip(axes, names, strict=True):
        _draw_statistic(ax, check.sel(statistic=name))
        ax.set(xlabel=LABELS.get(name, name), yticks=[])
    axes[0].set_ylabel("replicates")
    figure_legend(axes[-1], "lower", 3)
    return figure


def _draw_statistic(ax: Any, statistic: xr.Dataset) -> None:
    """Draw the replicates of a statistic, its observed value, and 1, which chance alone gives."""
    replicated, observed = statistic["replicated"].values.ravel(), float(statistic["observed"])
    replicated = replicated[np.isfinite(replicated)]
    # Spreads are compared by their ratios: on this axis twice as much and half as much are equally
    # far.
    positive = replicated[replicated > 0]
    ends = [
        1.0,
        *[observed] * (observed > 0),
        *(np.quantile(positive, [0.001, 0.999]) if positive.size else []),
    ]
    edges = np.geomspace(min(ends) / 1.1, max(ends) * 1.1, 60)
    ax.hist(replicated, edges, histtype="stepfilled", color=OKABE_ITO[4], label="replicated")
    # Lines end below the title.
    chance = {"color": grey_shade(ax, 0.6), "linewidth": 1, "linestyle": ":"}
    ax.axvline(1, ymax=0.94, **chance, label="chance alone")
    ax.axvline(observed, ymax=0.94, color=OKABE_ITO[5], linewidth=2, label="observed")
    ax.set_xlim(*edges[[0, -1]])
    log_axis(ax)
    p = prose.probability(float(statistic["p_value"]), replicated.size)
    ax.set_title(f"share as large or larger: {p}", fontsize=10)
    ax.spines[["top", "left", "right"]].set_visible(False)


def _rates(pmf: Any, argument: str = "pmf") -> tuple[np.ndarray, np.ndarray]:
    """Return FPR and TPR along the axes of a pmf, after a check."""
    check_array(
        argument, pmf, ("tp", "tn"), " (br.predictive.confusion_pmf gives one, of both class sizes)"
    )
    if (
        not {"positives", "negatives"} <= set(pmf.coords)
        or min(pmf["positives"], pmf["negatives"]) < 1
    ):
        raise ArgumentError(argument, "must have cases of both classes", describe_value(pmf))
    return 1 - pmf["tn"].values / pmf["negatives"].item(), pmf["tp"].values / pmf[
        "positives"
    ].item()


def _draw_points(ax: Any, x: np.ndarray, y: np.ndarray, pmf: xr.DataArray, largest: float) -> None:
    """Draw the points of the lattice, and circles with areas proportional to the masses that can be seen."""
    if x.ndim == 1:
        x, y = np.meshgrid(x, y)
    if pmf.size <= 20_000:
        ax.plot(x.ravel(), y.ravel(), ".", color=grey_shade(ax, 0.25), markersize=1, zorder=2)
    area = 90 * pmf.values / largest
    visible = (area > 0.01) & ~np.isnan(x + y)
    ax.scatter(
        x[visible], y[visible], s=area[visible], color=OKABE_ITO[0], edgecolors="none", zorder=3
    )


def _rates_of(observed: xr.DataArray) -> tuple[float, float]:
    """Return FPR and TPR of the counts of one entity, after a check."""
    with rename_argument("observed", "source"):
        rates = scores.fpr(observed), scores.tpr(observed)
    if rates[0].size != 1:
        raise ArgumentError("observed", "must be counts of one entity", dict(rates[0].sizes))
    return rates[0].item(), rates[1].item()


def _mark_observed(ax: Any, x: float, y: float) -> None:
    ax.plot(
        x,
        y,
        "x",
        color=OKABE_ITO[5],
        markersize=9,
        markeredgewidth=2,
        path_effects=draw_halo(ax),
        zorder=5,
    )
