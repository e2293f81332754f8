"""Forest plot: every entity's score with its credible interval, best first, coloured by tier."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.plots._style import OKABE_ITO, list_legend, list_names, list_size, new_axes, strip

__all__ = ["forest"]


def forest(ranking: xr.Dataset, ax: Any = None) -> Any:
    """Draw each entity's median and interval, in consensus order, coloured by tier; diamonds are what was observed.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of :func:`bayesrank.credible_ranking`, whose ``prob`` the intervals have.
    ax : matplotlib.axes.Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ax = forest(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a']
    """
    from bayesrank.ranking.summary import ranking_table

    table = ranking_table(ranking)
    size = len(table)
    ax = new_axes(ax, *list_size(size))
    y = np.arange(size)
    tiers = table["tier"].to_numpy(dtype=float)
    for tier in sorted(set(tiers[~np.isnan(tiers)])):
        here = tiers == tier
        color = OKABE_ITO[(int(tier) - 1) % 6]
        ax.hlines(y[here], table["lower"][here], table["upper"][here], color=color, linewidth=2)
        # Marks tell apart what colours alone do not: to some people, or after the sixth.
        mark = "os^vD"[(int(tier) - 1) % 5]
        ax.plot(table["median"][here], y[here], mark, color=color, markersize=4.5, label=f"tier {tier:g}")
    unranked = np.isnan(tiers) & table["median"].notna().to_numpy()
    if unranked.any():
        ax.hlines(y[unranked], table["lower"][unranked], table["upper"][unranked], color="0.6", linewidth=2)
        ax.plot(table["median"][unranked], y[unranked], "x", color="0.6", markersize=4.5, label="not ranked")
    if table["observed"].notna().any():
        ax.plot(
            table["observed"], y, "D", color="black", fillstyle="none", markersize=4, linestyle="none", label="observed"
        )
    list_names(ax, table.index.tolist())
    ax.set_xlabel(f"{ranking.attrs['score'].replace('_', ' ')} (median and {100 * ranking.attrs['prob']:g}% interval)")
    strip(ax)
    list_legend(ax, 6)
    return ax
