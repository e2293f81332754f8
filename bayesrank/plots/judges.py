"""Pictures of judges: ranks by their verdicts alone, beside ranks that labels correct."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, check_result
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank.plots.kit.colors import OKABE_ITO, grey_shade, ink_color
from bayesrank.plots.kit.style import finish_list, list_size, new_axes, rank_ticks


@check_call
def judge_ranks(
    errors: xr.Dataset, judge: Any = None, ax: Any = None, *, top: int | None = None
) -> Any:
    """Draw the rank of each entity by a judge's verdicts alone, beside its corrected ranks.

    Bars are the possible ranks, dots the order of the draws; a diamond is the rank by the judge,
    filled where it is none of the possible ranks.

    Parameters
    ----------
    errors : xarray.Dataset
        The result of :func:`bayesrank.judge_errors`.
    judge : str, optional
        The judge; by default the only one.
    ax : matplotlib Axes, optional
    top : int, optional
        Number of entities to draw, from the first; all by default.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"system": ["a", "b"] * 60, "gpt": [1, 1, 0, 1, 0, 1] * 20, "human": [1, 0] * 60})
    >>> judged = br.from_judged(frame, judge="gpt", truth="human", entity="system")
    >>> judge_ranks(br.judge_errors(br.fit(judged, seed=1))).get_xlabel()
    'rank: corrected (bar and dot) and by gpt alone (diamond)'
    """
    check_result(
        "br.judge_errors",
        "errors",
        errors,
        ("judge_rank", "rank_lower", "rank_upper", "consensus_position"),
    )
    judges = errors["judge"].values.tolist()
    if judge is None and len(judges) > 1:
        raise ArgumentError("judge", f"must be one of {judges}", "none")
    judge = judges[0] if judge is None else check_choice("judge", judge, judges)
    top = None if top is None else check_integer("top", top, 1)
    size = errors.sizes["entity"]
    rows = select_names(errors, judge=judge).isel(
        entity=np.argsort(errors["consensus_position"].values)[:top]
    )
    shown = rows.sizes["entity"]
    ax = new_axes(ax, *list_size(shown))
    y = np.arange(shown)
    low, high, mark = (rows[name].values for name in ("rank_lower", "rank_upper", "judge_rank"))
    ax.hlines(y, low - 0.25, high + 0.25, color=grey_shade(ax, 0.35), linewidth=5)
    ax.plot(
        rows["consensus_rank"].values, y, "o", color=ink_color(), markersize=4, linestyle="none"
    )
    outside, color = (mark < low) | (mark > high), OKABE_ITO[5]
    look = {"s": 40, "marker": "D", "edgecolor": color, "linewidth": 1.4, "zorder": 3}
    for rows_alike, fill in ((outside, color), (~outside, "none")):
        ax.scatter(mark[rows_alike], y[rows_alike], facecolor=fill, **look)
    left_out = f"\nthe first {shown} of {size}" if shown < size else ""
    label = f"rank: corrected (bar and dot) and by {judge} alone (diamond){left_out}"
    finish_list(ax, rows["entity"].values.tolist(), label, False)
    ax.set_xlim(0.5, size + 0.5)
    rank_ticks(ax.xaxis, size)
    return ax
