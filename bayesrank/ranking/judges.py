"""What judges get wrong: their errors on each entity, and the ranks that their verdicts alone would give."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prob
from bayesrank._core.errors import ArgumentError, InPython
from bayesrank._core.source import groups_of
from bayesrank._core.types import Container
from bayesrank.ranking.credible import credible_ranking

#: Names of the two errors by the true outcome.
ERRORS = {0: "accepts_wrong", 1: "rejects_right"}


@check_call
def judge_errors(posterior: Container, *, prob: float = 0.95) -> xr.Dataset:
    """Return how often each judge errs on each entity, and its ranks beside those corrected by labels.

    Parameters
    ----------
    posterior : InferenceData or DataTree
        The posterior of the model ``partial_truth`` on judged outcomes, of one data set.
    prob : float
        Probability of the intervals and of the rank sets.

    Returns
    -------
    xarray.Dataset
        Over (``entity``, ``judge``): ``accepts_wrong``, the median probability that the judge calls
        a wrong answer right, and ``rejects_right``, that it calls a right one wrong, with
        ``_lower`` and ``_upper``; ``judge_mean``, the share of answers that it calls right; and
        ``judge_rank`` by this share, ties sharing their mean rank. Over ``entity``:
        ``mean_outcome``, its posterior median, and ``rank_lower``, ``rank_upper``,
        ``consensus_rank`` of :func:`bayesrank.credible_ranking`. Judges whose verdicts are classes
        are left out.

    Raises
    ------
    ValueError
        If the posterior is of other evidence, or of several data sets.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gpt": [1, 1, 0, 1, 0, 1] * 20, "human": [1, 0, 0, None, None, None] * 20})
    >>> posterior = br.fit(br.from_judged(frame, judge="gpt", truth="human"), seed=1)
    >>> br.judge_errors(posterior)["accepts_wrong"].round(1).item()
    0.5
    """
    prob = check_prob("prob", prob)
    groups = groups_of(posterior, "posterior", "observed_data", argument="posterior")
    posterior_group = groups.get("posterior", xr.Dataset())
    if "judge_error" not in posterior_group:
        raise ArgumentError(
            "posterior",
            "must come from verdicts, right or wrong, as from br.from_judged",
            "another one",
        )
    if "dataset" in posterior_group["judge_error"].dims:
        raise ArgumentError(
            "posterior",
            "must be of one data set",
            "several",
            InPython("br.pool pools the evidence"),
        )
    from scipy.stats import rankdata

    ranking = credible_ranking(posterior, "mean_outcome", prob=prob)
    levels = [0.5, (1 - prob) / 2, (1 + prob) / 2]
    ends = posterior_group["judge_error"].quantile(levels, ("chain", "draw"))
    found: dict[str, Any] = {
        f"{name}{end}": ends.sel(outcome=outcome).isel(quantile=i, drop=True).drop_vars("outcome")
        for outcome, name in ERRORS.items()
        for i, end in enumerate(("", "_lower", "_upper"))
    }
    mean = groups["observed_data"]["judge_mean"].transpose("entity", "judge")
    found["judge_mean"] = mean
    found["judge_rank"] = mean.copy(data=rankdata(-mean.values, axis=0, nan_policy="omit"))
    found["mean_outcome"] = ranking["median"]
    found |= {
        name: ranking[name]
        for name in ("rank_lower", "rank_upper", "consensus_rank", "consensus_position")
    }
    retained = {name: array.reset_coords(drop=True).drop_attrs() for name, array in found.items()}
    return xr.Dataset(
        retained, attrs={"prob": prob, "labels": np.int64(groups["observed_data"]["labels"].max())}
    )
