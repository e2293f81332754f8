"""Rankings of posteriors for plots that take either."""

from typing import Any

import xarray as xr

from bayesrank._core.compat import is_container
from bayesrank.ranking import credible_ranking
from bayesrank.scores.score import Score


def rank_posterior(ranking: Any, ax: Any) -> tuple[xr.Dataset, Any]:
    """Return a ranking and its Axes. A posterior is ranked by the score that stands in place of the Axes."""
    if not is_container(ranking):
        return ranking, ax
    named = isinstance(ax, str | tuple | Score | xr.DataArray)
    return credible_ranking(ranking, ax if named else None), None if named else ax
