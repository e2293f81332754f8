"""The picture of Table 1 of Foundations: which tests scores pass, and how they correlate with ranking scores."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result
from bayesrank.plots.kit.colors import OKABE_ITO, grey_shade, ink_color
from bayesrank.plots.kit.style import new_panels
from bayesrank.scores.display import display_name
from bayesrank.theory.audits import TESTS

#: Headings of the tests; a mark and a colour for a test that a score passes, and for one that it
#: fails.
HEADINGS = {"axiom_2": "A2", "axiom_3_upper": "A3 ≤ max", "axiom_3_lower": "A3 ≥ min"}
PASSED, FAILED = (OKABE_ITO[0], "o"), (OKABE_ITO[5], "X")


@check_call
def audit_grid(table: xr.Dataset, axes: Any = None) -> np.ndarray:
    """Draw the tests of scores and their rank correlations with ranking scores (Piérard et al., Foundations, Table 1).

    A blue dot is a test that the score passes, an orange cross one that it fails. A bar runs from
    the lowest to the highest Kendall's tau with any ranking score.

    Parameters
    ----------
    table : xarray.Dataset
        From :func:`bayesrank.theory.audit_table`.
    axes : sequence of matplotlib Axes, optional
        Two for each prevalence: tests and correlations.

    Returns
    -------
    numpy.ndarray
        The Axes.

    Examples
    --------
    >>> axes = audit_grid(br.theory.audit_table(["f1", "mcc"], [0.2]))
    >>> [label.get_text() for label in axes[0].get_yticklabels()]
    ['F1', 'MCC']
    """
    check_result("br.theory.audit_table", "table", table, (*TESTS, "tau_min", "tau_max"))
    shares, names = table["prevalence"].values.tolist(), table["score"].values.tolist()
    height = 1.3 + 0.25 * len(names)
    axes = new_panels(axes, 1, 2 * len(shares), 2.6 + 3.4 * len(shares), height, sharey=True)
    rows = np.arange(len(names))
    for i, share in enumerate(shares):
        at_prevalence = table.isel(prevalence=i)
        tests, correlations = axes[2 * i : 2 * i + 2]
        for column, test in enumerate(HEADINGS):
            holds = at_prevalence[test].values.astype(bool)
            for passed, (color, mark) in ((True, PASSED), (False, FAILED)):
                tests.plot(
                    np.full((holds == passed).sum(), column),
                    rows[holds == passed],
                    mark,
                    color=color,
                    markersize=8,
                )
        tests.set_xticks(range(len(HEADINGS)), list(HEADINGS.values()), rotation=90)
        tests.set(xlim=(-0.6, len(HEADINGS) - 0.4))
        tests.xaxis.tick_top()
        tests.set_title(
            "all performances" if np.isnan(share) else f"prevalence {share:g}",
            fontsize=10,
            loc="left",
        )
        low, high = at_prevalence["tau_min"].values, at_prevalence["tau_max"].values
        correlations.hlines(rows, low, high, color=grey_shade(correlations, 0.35), linewidth=5)
        correlations.plot(high, rows, "|", color=ink_color(), markersize=9, markeredgewidth=1.6)
        correlations.axvline(0, color=ink_color(), linewidth=0.6)
        correlations.set(xlim=(-1.05, 1.05), xlabel="Kendall's τ")
        for ax in (tests, correlations):
            ax.set_yticks(rows, [display_name(name) for name in names])
            ax.set_ylim(len(names) - 0.5, -0.5)
            ax.grid(axis="y", color=grey_shade(ax, 0.1))
            ax.set_axisbelow(True)
    return axes
