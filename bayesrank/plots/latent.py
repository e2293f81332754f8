"""Picture of tests without a gold standard: their rates under each dependence, side by side."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prob, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import select_names
from bayesrank._core.source import groups_of
from bayesrank._core.types import Container
from bayesrank.models.latent_class import LEAST_CONTRACTION, RATES
from bayesrank.plots.kit.colors import PALETTE, paper_color
from bayesrank.plots.kit.style import figure_legend, finish_list, list_size, new_panels


@check_call
def latent_rates(
    posteriors: Mapping[str, Container], axes: Any = None, *, prob: float = 0.95
) -> Any:
    """Draw sensitivity and specificity of each test under several analyses, such as kinds of dependence, side by side.

    Marks are medians. A mark is hollow where the cases hardly inform the rate: its variance is
    smaller than that of the prior by less than a quarter.

    Parameters
    ----------
    posteriors : mapping from str to container
        Posteriors of the model ``latent_class`` on the same tests, by the name of the analysis.
    axes : sequence of two matplotlib Axes, optional
    prob : float
        Probability of the credible intervals (equal tails).

    Examples
    --------
    >>> hearts = br.datasets.load("myocardial_indicators")
    >>> kinds = {kind: br.fit(hearts, dependence=kind, seed=1, draws=100, chains=2) for kind in ("none", "common")}
    >>> [ax.get_xlabel() for ax in latent_rates(kinds)]
    ['sensitivity', 'specificity']
    """
    if not isinstance(posteriors, Mapping) or not posteriors:
        raise ArgumentTypeError(
            "posteriors", "must be a mapping from name to posterior", describe_value(posteriors)
        )
    prob = check_prob("prob", prob)
    by_analysis = _posteriors_by_analysis(posteriors)
    first = next(iter(by_analysis.values()))
    tests, number = first["entity"].values.tolist(), len(by_analysis)
    width, height = list_size(len(tests) * -(-number // 2))
    axes = new_panels(axes, 1, 2, width, height)
    for panel, (ax, rate) in enumerate(zip(axes, RATES[1:], strict=True)):
        for k, (name, each) in enumerate(by_analysis.items()):
            drawn = (
                select_names(each[rate], entity=tests).transpose("chain", "draw", "entity").values
            )
            low, middle, high = np.quantile(
                drawn, [(1 - prob) / 2, 0.5, (1 + prob) / 2], axis=(0, 1)
            )
            learned = dict(zip(each.attrs["parameters"], each.attrs["contraction"], strict=True))
            hollow = np.array([learned[f"{rate} of {test}"] < LEAST_CONTRACTION for test in tests])
            color, y = (
                PALETTE[k % len(PALETTE)],
                np.arange(len(tests)) + 0.7 * ((k + 0.5) / number - 0.5),
            )
            ax.hlines(y, low, high, color=color, linewidth=2, label=name)
            fill = [paper_color(ax) if empty else color for empty in hollow]
            ax.scatter(middle, y, s=22, c=fill, edgecolors=color, zorder=3)
        finish_list(ax, tests, rate)
        ax.tick_params(axis="y", labelleft=panel == 0)
        ax.set_xlim(-0.02, 1.02)
    figure_legend(axes[0], "lower", min(number, 4))
    words = f"median and {100 * prob:.3g}% interval; hollow: hardly informed by the cases"
    axes[0].figure.suptitle(words, fontsize=9)
    return axes


def _posteriors_by_analysis(posteriors: Mapping[str, Container]) -> dict[str, xr.Dataset]:
    """Return the draws of each analysis; raise an error unless all are of the same tests."""
    by_analysis: dict[str, xr.Dataset] = {}
    for name, each in posteriors.items():
        posterior = groups_of(each, "posterior", argument=f"posteriors[{name!r}]").get("posterior")
        if posterior is None or not {"contraction", "parameters"} <= set(posterior.attrs):
            raise ArgumentError(
                "posteriors",
                "must contain posteriors of tests without a gold standard",
                describe_value(name),
            )
        by_analysis[str(name)] = posterior
        if len({frozenset(one["entity"].values.tolist()) for one in by_analysis.values()}) > 1:
            raise ArgumentError("posteriors", "must have the same tests", describe_value(name))
    return by_analysis
