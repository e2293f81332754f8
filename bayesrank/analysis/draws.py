"""Draws and the ranking of an analysis."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.analysis.setup import Setup
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.inference import draw_groups
from bayesrank.models.parts.margins import are_shares
from bayesrank.ranking import credible_ranking
from bayesrank.scores import Score


def draw(
    setup: Setup, *, draws: int, seed: Any, sampler: Any = "auto", prior: bool = False
) -> xr.DataTree:
    """Draw from the posterior; ``prior`` adds draws of the prior, if there is one."""
    groups = ("prior",) if prior and setup.aim is None and _has_prior(setup) else ()
    with silence_samplers():
        drawn_groups = draw_groups(
            setup.evidence,
            setup.model,
            draws=draws,
            seed=seed,
            sampler=sampler,
            groups=groups,
            **setup.options,
        )
    return xr.DataTree.from_dict(drawn_groups)


def _has_prior(setup: Setup) -> bool:
    """Return whether there is a prior to draw from; means have none, and graded outcomes only a given one."""
    evidence, prior = setup.evidence, setup.options.get("prior")
    if parse_given(evidence).summary:
        return False
    if prior is None and isinstance(evidence, xr.Dataset) and "outcome" in evidence:
        outcomes = np.unique(evidence["outcome"].values)
        outcomes = outcomes[~np.isnan(outcomes)]
        return bool(np.isin(outcomes, [0, 1]).all()) or are_shares(outcomes, evidence)
    return prior not in ("haldane", 0)


@contextmanager
def silence_samplers() -> Iterator[None]:
    """Keep from the terminal what samplers log and warn of; what matters of it the rankings say themselves."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        logging.disable(before)


def rank_posterior(
    setup: Setup, posterior: Any, score: Score, *, prob: float, rope: float, kind: str | None
) -> xr.Dataset:
    """Rank by the method of the analysis: exactly within limits of work and error, else from draws."""
    better = setup.direction(score)
    source = setup.source_of(posterior)
    return credible_ranking(
        source, score, prob=prob, rope=rope, higher_is_better=better, kind=kind, method="auto"
    )
