"""Picture of cases by entities: where entities agree, and which cases decide."""

from typing import Any

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result
from bayesrank.plots.kit.colors import paper_color
from bayesrank.plots.kit.style import add_missing_fonts, list_names, list_size, new_axes


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
    '2 of 5 cases decide'
    """
    check_result(
        "br.cases.deciding_cases", "cases", cases, ("decides", "outcome", "count", "entity")
    )

    size, total = cases.sizes["entity"], int(cases["count"].sum())
    ax = new_axes(ax, *list_size(size, 9))
    cases = cases.isel(pattern=cases["decides"].values)
    values = cases["outcome"].transpose("entity", "pattern").values
    right_wrong = bool(np.isin(values, [0, 1]).all(where=~np.isnan(values)))
    known = values[~np.isnan(values)]
    scale = matplotlib.colormaps["cividis_r"].with_extremes(bad=paper_color(ax))
    paint: Any = ScalarMappable(
        Normalize(0, 1) if right_wrong else Normalize(known.min(), known.max()), scale
    )
    edges = np.concatenate([[0], np.cumsum(cases["count"].values)])
    if cases.sizes["pattern"]:
        ax.pcolormesh(
            edges, np.arange(size + 1) - 0.5, values, cmap=scale, norm=paint.norm, rasterized=True
        )
    list_names(ax, cases["entity"].values.tolist())
    deciding = int(edges[-1])
    ax.set(xlabel="deciding cases, the most often right first", xlim=(0, max(deciding, 1)))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_title(f"{deciding} of {total} cases decide", fontsize=10, loc="left")
    if right_wrong:
        keys = [
            Patch(color=paint.to_rgba(value), label=label)
            for value, label in ((1.0, "right"), (0.0, "wrong"))
        ]
        ax.legend(
            handles=keys,
            ncols=2,
            frameon=False,
            fontsize=8,
            loc="lower right",
            bbox_to_anchor=(1, 1),
        )
    else:
        ax.figure.colorbar(paint, ax=ax, label="outcome", pad=0.01)
    return add_missing_fonts(ax)
