"""What the prior implies for a score before any data, in words of the command and the report."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.draws import draw_dims
from bayesrank._core.labels import select_names
from bayesrank._core.percent import score_text
from bayesrank._core.source import groups_of
from bayesrank.ranking.values import score_values
from bayesrank.ranking.without_draws import prior_quantiles
from bayesrank.scores import Score

#: Standard errors within which draws of one prior lie, for however many entities.
SURE = 5
#: Exact quantiles that differ by less are the same.
SAME = 1e-6


def prior_scores(
    posterior: Any, score: Score | str, kind: str | None = None
) -> xr.DataArray | None:
    """Prior draws of a score, or of a variable by its name (chain, draw, entity); None without the group ``prior``.

    Scores of runs have no prior draws: the group has those of the mean outcome.
    """
    if isinstance(score, Score) and score.attempts is not None:
        return None
    groups = groups_of(posterior, "prior")
    if "prior" not in groups or (isinstance(score, str) and score not in groups["prior"]):
        return None
    return score_values(groups["prior"], score, True, kind).values


def implied_prior(
    values: xr.DataArray | None,
    prob: float,
    posterior: Any = None,
    score: Score | str | None = None,
) -> str | None:
    """Describe the score before any data: for two entities if the prior differs between entities.

    The quantiles are exact if the prior of this score has a closed form for this posterior, else
    those of the prior draws ``values``.
    """
    if values is None:
        return None
    values = values.isel(entity=values.notnull().any(draw_dims(values)).values)
    if not values.sizes["entity"]:
        return None
    levels = np.array([(1 - prob) / 2, 0.5, (1 + prob) / 2])
    exact = None if posterior is None else prior_quantiles(posterior, score, levels)
    if exact is not None and bool(
        select_names(exact, entity=values["entity"].values).notnull().all()
    ):
        ends = select_names(exact, entity=values["entity"].values).values
        same = bool(np.ptp(ends, axis=0).max() < SAME)
        together = ends[0]
    else:
        draws = values.transpose("entity", *draw_dims(values)).values.reshape(
            values.sizes["entity"], -1
        )
        together, ends = (
            np.nanquantile(draws, levels),
            np.nanquantile(draws, levels, axis=1).T,
        )
        # In one prior each entity's draws lie below the quantiles of all as often as chance
        # explains.
        number = (~np.isnan(draws)).sum(axis=1)[:, None]
        below = np.stack([(draws <= end).sum(axis=1) for end in together], axis=1) / number
        same = bool(
            (np.abs(below - levels) <= SURE * np.sqrt(levels * (1 - levels) / number)).all()
        )
    if same:
        return _in_words(together, prob)
    least, most = np.argmin(ends[:, 1]), np.argmax(ends[:, 1])
    if np.ptp(ends[:, 1]) < np.ptp(ends[:, 0]):  # priors of one middle differ in how sure they are
        least, most = np.argmin(ends[:, 0]), np.argmax(ends[:, 0])
    names = values["entity"].values
    return f"{_in_words(ends[least], prob)} ({names[least]}) up to a {_in_words(ends[most], prob)} ({names[most]})"


def _in_words(quantiles: np.ndarray, prob: float) -> str:
    low, middle, high = quantiles.tolist()
    return (
        f"median {score_text(prose.format_with_interval(middle, low, high))}, {100 * prob:g}% interval "
        f"{score_text(prose.interval(low, high))}"
    )
