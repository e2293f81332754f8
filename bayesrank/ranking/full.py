"""A full ranking: without draws what can be told without them, and from draws the rest."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._compat import groups_of, is_container
from bayesrank._draws import draw_dims
from bayesrank.counts import are_outcomes
from bayesrank.ranking._board import NoClosedForm
from bayesrank.ranking._source import scored
from bayesrank.ranking.credible import credible_ranking
from bayesrank.ranking.exact import MEAN, applies, exact_ranking
from bayesrank.ranking.summary import UNRESOLVED
from bayesrank.scores import as_score

__all__ = ["full_ranking"]

#: Standard errors by which the share of draws below a known median differs from a half: never by chance.
SURE = 6


def full_ranking(
    source: Any,
    score: Any = None,
    *,
    prob: float = 0.95,
    rope: float = 0.0,
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """The exact ranking where there is one, with what needs joint draws from the draws; else a credible ranking.

    What the command and the report show. Every number comes from one route: those that :func:`bayesrank.exact_ranking`
    has are its own, and the draws tell the others, which are named in ``attrs["drawn"]``.

    Parameters
    ----------
    source, score, prob, rope, higher_is_better, kind
        As for :func:`bayesrank.credible_ranking`.

    Returns
    -------
    xarray.Dataset
        What :func:`bayesrank.credible_ranking` returns. Where ``source`` is a posterior that :func:`bayesrank.fit` made
        of counts with a conjugate model, its draws being those of that posterior and its score having one that is
        known, and where quadrature neither takes long (which the counts alone decide) nor errs by more than 5e-4,
        ``attrs["method"]`` is "exact". Then
        the simultaneous rank intervals, the confidence sets and the effective sample size are of the draws, and
        named in ``attrs["drawn"]``; all else is by quadrature, with its errors. Simultaneous intervals hold the exact
        ones of single entities, too. Else ``attrs["method"]`` is "draws".

    Raises
    ------
    ValueError, TypeError
        Naming the argument, what it held and what it should hold.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ranking = full_ranking(br.fit(counts, seed=1), "f1")
    >>> ranking.attrs["method"], ranking.attrs["drawn"][:2]
    ('exact', ['rank_simultaneous_lower', 'rank_simultaneous_upper'])
    """
    given = {"prob": prob, "rope": rope, "higher_is_better": higher_is_better, "kind": kind}
    drawn = credible_ranking(source, score, **given)  # type: ignore[arg-type]
    if kind is not None or not _conjugate(source, score) or drawn["tier"].dims != ("entity",):
        return drawn
    better = True if score == MEAN else as_score(score).higher_is_better
    if drawn.attrs["higher_is_better"] != better or not applies(source, score, quickly=True):
        return drawn
    try:
        exact = exact_ranking(source, score, prob=prob, rope=rope)
    except NoClosedForm:
        return drawn
    if (
        exact["tier"].dims != ("entity",)
        or exact["rank_probability_error"].max() > UNRESOLVED
        or not _are_draws_of(scored(source, score, None, None).values, exact["median"])
    ):
        return drawn
    rest = {str(name): held for name, held in drawn.items() if name not in exact}
    for name, wider in (("lower", np.fmin), ("upper", np.fmax)):
        together = rest[f"rank_simultaneous_{name}"]
        held = wider(together.values, exact[f"rank_{name}"].values)
        rest[f"rank_simultaneous_{name}"] = together.copy(data=np.where(together.isnull(), np.nan, held))
    about = {"draws": drawn.attrs["draws"], "drawn": list(rest), "confidence_sets": drawn.attrs["confidence_sets"]}
    return exact.assign(rest).assign_attrs(about)


def _are_draws_of(values: xr.DataArray, median: xr.DataArray) -> bool:
    """Whether draws of scores are such as have these medians; those of a posterior may have been replaced by others."""
    dims = draw_dims(values)
    slack = 1e-9 * (1 + np.abs(median))
    allowed = SURE / 2 / np.sqrt(float(np.prod([values.sizes[dim] for dim in dims])))
    less, more = ((values < median - slack).mean(dims), (values > median + slack).mean(dims))
    return bool((np.maximum(less, more) <= 0.5 + allowed).all())


def _conjugate(source: Any, score: Any) -> bool:
    """Whether a posterior has draws of its own model, and is to be ranked by a score."""
    if score is None or not is_container(source):
        return False
    posterior = groups_of(source).get("posterior", xr.Dataset())
    variable = isinstance(score, str) and score in posterior
    # The mean of counts of outcomes follows from them; other variables are what somebody made of the draws.
    outcomes = score == MEAN and are_outcomes(groups_of(source).get("observed_data", xr.Dataset()).get("counts"))
    return posterior.attrs.get("sampler") == "exact" and (outcomes or not variable)
