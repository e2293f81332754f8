"""Picture of cases by entities: where entities agree, and which cases decide."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.ticker import MaxNLocator

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result
from bayesrank.plots.kit.colors import blue_on, grey_shade, paper_color
from bayesrank.plots.kit.style import (
    add_missing_fonts,
    fit_text,
    list_names,
    list_size,
    new_axes,
    write_title,
)


@check_call
def case_grid(cases: xr.Dataset, ax: Any = None) -> Any:
    """Draw the outcome of every deciding case for every entity.

    The best entity is on top, the easiest cases are on the left. Cases on which all entities have
    the same outcome do not affect the order, and are not drawn.

    Parameters
    ----------
    cases : xarray.Dataset
        The result of :func:`bayesrank.cases.deciding_cases`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> joint = br.joint_outcomes([0, 0, 1, 1, 1], {"a": [0, 1, 1, 0, 0], "b": [0, 0, 1, 1, 0]})
    >>> case_grid(br.cases.deciding_cases(joint)).get_title("left")
    '2 of 5 cases decide (blue: right, grey: wrong)'
    """
    check_result(
        "br.cases.deciding_cases", "cases", cases, ("decides", "outcome", "count", "entity")
    )

    size, total = cases.sizes["entity"], int(cases["count"].sum())
    ax = new_axes(ax, *list_size(size, 9))
    cases = cases.isel(pattern=cases["decides"].values)
    values = cases["outcome"].transpose("entity", "pattern").values
    right_wrong = bool(np.isin(values, [0, 1]).all(where=~np.isnan(values)))
    defined = values[~np.isnan(values)]
    right, wrong = blue_on(ax), grey_shade(ax, 0.16)
    scale: Any = LinearSegmentedColormap.from_list("wrong_right", [wrong, right])
    scale = scale.with_extremes(bad=paper_color(ax))
    norm = Normalize(0, 1) if right_wrong else Normalize(defined.min(), defined.max())
    edges = np.concatenate([[0], np.cumsum(cases["count"].values)])
    if cases.sizes["pattern"]:
        ax.pcolormesh(
            edges, np.arange(size + 1) - 0.5, values, cmap=scale, norm=norm, rasterized=True
        )
    list_names(ax, cases["entity"].values.tolist())
    deciding = int(edges[-1])
    ax.set_xlabel(fit_text(ax, "deciding cases, the most often right first"))
    ax.set(xlim=(0, max(deciding, 1)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    key = " (blue: right, grey: wrong)" * right_wrong
    write_title(ax, f"{deciding} of {total} cases decide{key}", 10, loc="left")
    if not right_wrong:
        ax.figure.colorbar(ScalarMappable(norm, scale), ax=ax, label="outcome", pad=0.01)
    return add_missing_fonts(ax)
