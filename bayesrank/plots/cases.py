"""Cases by entities: where they agree, and which cases decide."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_result
from bayesrank.plots._colors import paper_color
from bayesrank.plots._letters import legible
from bayesrank.plots._style import list_names, list_size, new_axes

__all__ = ["case_grid"]


def case_grid(cases: xr.Dataset, ax: Any = None) -> Any:
    """Draw what came of every case for every entity, the best entity on top, the easiest cases on the left.

    Cases on which all entities have the same outcome are pale: they tell nobody apart.

    Parameters
    ----------
    cases : xarray.Dataset
        Of :func:`bayesrank.cases.deciding_cases`.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If ``cases`` are not of :func:`bayesrank.cases.deciding_cases`.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.joint_outcomes([0, 0, 1, 1, 1], {"a": [0, 1, 1, 0, 0], "b": [0, 0, 1, 1, 0]})
    >>> case_grid(br.cases.deciding_cases(joint)).get_title("left")
    '2 of 5 cases decide; on the pale ones all are alike'
    """
    check_result("br.cases.deciding_cases", "cases", cases, ("decides", "outcome", "count", "entity"))
    import matplotlib
    from matplotlib.colors import Normalize, to_rgb
    from matplotlib.patches import Patch

    ax = new_axes(ax, *list_size(cases.sizes["entity"], 9))
    values = cases["outcome"].transpose("entity", "pattern").values
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    right_wrong = bool(np.isin(values[~np.isnan(values)], [0, 1]).all())
    norm = Normalize(0, 1) if right_wrong else Normalize(low, high)
    scale = matplotlib.colormaps["cividis_r"]
    colours = scale(norm(values))
    ground = np.array(to_rgb(paper_color(ax)))
    colours[np.isnan(values), :3] = ground
    pale = ~cases["decides"].values
    colours[:, pale, :3] = ground - 0.25 * (ground - colours[:, pale, :3])
    edges = np.concatenate([[0], np.cumsum(cases["count"].values)])
    mesh = ax.pcolormesh(edges, np.arange(cases.sizes["entity"] + 1) - 0.5, colours)
    mesh.set_rasterized(True)
    list_names(ax, cases["entity"].values.tolist())
    total, deciding = int(edges[-1]), int(cases["count"].values[~pale].sum())
    ax.set(xlabel="cases, those that most entities master first", xlim=(0, total))
    rest = "; on the pale ones all are alike" if pale.any() else ""
    ax.set_title(f"{deciding} of {total} cases decide{rest}", fontsize=10, loc="left")
    if right_wrong:
        keys = [Patch(color=scale(norm(value)), label=label) for value, label in ((1, "right"), (0, "wrong"))]
        ax.legend(handles=keys, ncols=2, frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))
    else:
        ax.figure.colorbar(matplotlib.cm.ScalarMappable(norm, scale), ax=ax, label="outcome", pad=0.01)
    return legible(ax)
