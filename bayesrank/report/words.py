"""What the command and the report both say of a prior."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._compat import groups_of, is_container
from bayesrank._draws import draw_dims
from bayesrank.scores import Score

__all__ = ["implied_prior", "prior_scores"]

#: Medians or ends of intervals that differ by no more look the same, and may differ by Monte-Carlo error alone.
ALIKE = 0.05


def prior_scores(posterior: Any, score: Score) -> xr.DataArray | None:
    """Prior draws of a score (chain, draw, entity); None without the group ``prior``.

    Examples
    --------
    >>> import bayesrank as br
    >>> posterior = br.fit(br.from_counts(tn=8, fp=2, fn=1, tp=9), seed=1, groups=["prior"])
    >>> prior_scores(posterior, br.scores.f1).dims
    ('chain', 'draw', 'entity')
    """
    groups = groups_of(posterior) if is_container(posterior) else {}
    if "prior" not in groups:
        return None
    return score(groups["prior"])


def implied_prior(values: xr.DataArray | None, prob: float) -> str | None:
    """What the prior says of a score before any data; of two entities where it is not the same for all.

    Examples
    --------
    >>> import xarray as xr
    >>> implied_prior(xr.DataArray([[[0.1], [0.5], [0.9]]], dims=("chain", "draw", "entity")), 0.9)
    'median 0.500, 90% interval 0.140 to 0.860'
    """
    if values is None:
        return None
    values = values.isel(entity=values.notnull().any(draw_dims(values)).values)
    if not values.sizes["entity"]:
        return None
    levels = [(1 - prob) / 2, 0.5, (1 + prob) / 2]
    each = values.quantile(levels, draw_dims(values), skipna=True).transpose("entity", "quantile").values
    words = [f"median {_text.number(m)}, {100 * prob:g}% interval {_text.interval(low, high)}" for low, m, high in each]
    if np.ptp(each, axis=0).max() <= ALIKE:
        return words[0]
    least, most = np.argmin(each[:, 1]), np.argmax(each[:, 1])
    if least == most:
        least, most = np.argmin(each[:, 0]), np.argmax(each[:, 0])
    names = values["entity"].values
    return f"{words[least]} ({names[least]}) up to a {words[most]} ({names[most]})"
