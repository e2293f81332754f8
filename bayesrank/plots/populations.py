"""Plots of shrinkage: the observed and the posterior score of each member of a population."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import populations
from bayesrank._checks import check_entities, check_sequence
from bayesrank._types import Container, ScoreLike
from bayesrank.plots._colors import grey_shade, ink_color
from bayesrank.plots._letters import add_missing_fonts
from bayesrank.plots._style import (
    OKABE_ITO,
    list_names,
    list_size,
    log_axis,
    names_ratio,
    new_panels,
    plain_names,
    strip,
)
from bayesrank.scores._display import display_name

__all__ = ["shrinkage"]

#: Default number of entities side by side, and largest number of rows; longer lists show their first and last rows.
PANELS, ROWS = 3, 60
#: Area in square points of the mark of the largest and the smallest number of cases.
LARGEST, SMALLEST = 90.0, 8.0
OBSERVED, OWN = OKABE_ITO[5], OKABE_ITO[0]


def shrinkage(
    posterior: Container,
    score: ScoreLike | None = None,
    *,
    entities: Sequence[Any] | None = None,
    prob: float = 0.95,
    axes: Any = None,
) -> Any:
    """Draw the observed score and the shrunk posterior of each data set, one column per entity.

    Hollow circles are observed scores; their size grows with the number of cases. Filled circles with a line are
    posterior medians and intervals. The vertical line is the typical data set with its interval, the wide band the
    interval of a new data set. For a population of entities, the rows are the entities, and the line is the mean of
    all.

    Parameters
    ----------
    posterior : InferenceData, DataTree or Dataset
        Posterior of a hierarchical model.
    score : Score, str or callable, optional
        A score, or the name of a posterior variable; for outcomes without classes, the default is their mean.
    entities : sequence, optional
        The entities to draw, in order; by default the three best on the typical data set, or all of a population of
        entities. Rows are in the order of the first entity's posterior.
    prob : float
        Credible probability of the intervals (equal tails).
    axes : sequence of matplotlib.axes.Axes, optional
        Where to draw: one for each entity, or a single one for a population of entities.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the model of the posterior is not hierarchical, or the number of ``axes`` is wrong.
    KeyError
        If an entity is unknown.

    Examples
    --------
    >>> import bayesrank as br
    >>> studies = br.from_counts(
    ...     tn=[45, 38, 90, 27], fp=[5, 12, 10, 3], fn=[4, 9, 2, 3], tp=[16, 11, 28, 7], entity=["A"] * 4,
    ...     dataset=["Oslo", "Rome", "Lima", "Kyiv"],
    ... )
    >>> axes = shrinkage(br.fit(studies, "hierarchical_beta_binomial", seed=1), "tpr")
    >>> [label.get_text() for label in axes[0].get_yticklabels()]
    ['Lima', 'Oslo', 'Kyiv', 'Rome']
    """
    found = populations.shrinkage(posterior, score, prob=prob)
    sign = 1 if found.attrs["higher_is_better"] else -1
    names = found["entity"].values.tolist()
    chosen = names if entities is None else check_entities("entities", check_sequence("entities", entities))
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise KeyError(f"entities must be among {names[:5]}{' ...' * (len(names) > 5)}; got {unknown[:5]}")
    over = "dataset" if "dataset" in found.dims else "entity"
    if over == "dataset" and entities is None:
        order = np.argsort(-sign * found["typical"].values, kind="stable")[:PANELS]
        chosen = [names[i] for i in order]
    columns = [found.sel(entity=name) for name in chosen] if over == "dataset" else [found.sel(entity=chosen)]
    members, left_out = _rows(columns[0], over, sign)
    size = list_size(len(members), 3.2 + (3.6 if len(columns) > 1 else 4.8) * len(columns))
    axes = new_panels(axes, 1, len(columns), *size, sharey=True, sharex=True)
    most = float(np.nanmax([1.0, *(float(column["cases"].max()) for column in columns)]))
    for i, (ax, column) in enumerate(zip(axes, columns, strict=True)):
        _column(ax, column.sel({over: members}), over, most)
        if over == "dataset":
            ax.set_title(plain_names(chosen, 34)[i], fontsize=10, pad=22 if len(members) > 40 else 6)
    labels = plain_names(members, 34) if len(columns) > 1 else members
    list_names(axes[0], labels)
    ratio = names_ratio(found.attrs["score"])
    gap = "\n" if len(columns) > 1 else " "  # labels of panels must not touch
    what = (
        f"{display_name(str(found.attrs['score']))}{gap}(median and {100 * found.attrs['prob']:g}% interval"
        f"{', log scale' * ratio})"
    )
    fewer = over == "dataset" and entities is None and len(chosen) < len(names)
    more = f";{gap}first {len(chosen)} of {len(names)} entities" * fewer
    more += f";{gap}{left_out} in the middle left out" if left_out else ""
    for ax in axes:
        if ratio:
            log_axis(ax)
        strip(ax)
        ax.tick_params(axis="x", labeltop=len(members) > 40)
        ax.set_xlabel(what + more, fontsize=9)
        if left_out:
            ax.axhline(ROWS // 2 - 0.5, color=grey_shade(ax, 0.5), linewidth=0.8, linestyle=":")
    handles, texts = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(
        handles, texts, loc="outside upper center", ncols=4, frameon=False, fontsize=8, labelcolor=ink_color()
    )
    add_missing_fonts(axes[0])
    return axes


def _rows(column: xr.Dataset, over: str, sign: int) -> tuple[list, int]:
    """Return the members sorted by posterior, unknown ones last, and how many in the middle are omitted."""
    order = np.argsort(np.nan_to_num(-sign * column["median"].values, nan=np.inf), kind="stable")
    members = column[over].values[order].tolist()
    if len(members) <= ROWS:
        return members, 0
    return members[: ROWS // 2] + members[-ROWS // 2 :], len(members) - ROWS


def _column(ax: Any, column: xr.Dataset, over: str, most: float) -> None:
    """Draw the data sets of one entity, or all entities."""
    y = np.arange(column.sizes[over])
    if bool(column["new_lower"].notnull()):
        ax.axvspan(
            float(column["new_lower"]), float(column["new_upper"]), color=grey_shade(ax, 0.08), label="new data set"
        )
    middle = "typical data set" if over == "dataset" else "mean of all"
    ax.axvspan(float(column["typical_lower"]), float(column["typical_upper"]), color=grey_shade(ax, 0.18), linewidth=0)
    ax.axvline(float(column["typical"]), color=grey_shade(ax, 0.65), linewidth=1.2, label=middle)
    observed, median = column["observed"].values, column["median"].values
    ax.hlines(y, observed, median, color=OBSERVED, linewidth=0.8, zorder=2)
    ax.hlines(y, column["lower"], column["upper"], color=OWN, linewidth=1.6, zorder=3)
    ax.plot(median, y, "o", color=OWN, markersize=3.5, linestyle="none", zorder=4, label="posterior")
    cases = np.nan_to_num(column["cases"].values, nan=most)
    ax.scatter(
        observed, y, np.maximum(LARGEST * cases / most, SMALLEST), facecolor="none", edgecolor=OBSERVED,
        linewidth=1.0, zorder=5, label="observed, by cases",
    )  # fmt: skip
