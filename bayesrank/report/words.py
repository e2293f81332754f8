"""What the command and the report both say of a prior and of a prevalence."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from bayesrank import _format
from bayesrank._compat import groups_of
from bayesrank.scores import Score

__all__ = ["class_notes", "implied_prior", "prevalence_caveat", "prior_scores"]


def prior_scores(posterior: Any, score: Score) -> xr.DataArray | None:
    """Prior draws of a score (chain, draw, entity); None without the group ``prior``.

    Examples
    --------
    >>> import bayesrank as br
    >>> posterior = br.fit(br.from_counts(tn=8, fp=2, fn=1, tp=9), seed=1, groups=["prior"])
    >>> prior_scores(posterior, br.scores.f1).dims
    ('chain', 'draw', 'entity')
    """
    groups = groups_of(posterior)
    if "prior" not in groups:
        return None
    return score(groups["prior"])


def implied_prior(values: xr.DataArray | None, prob: float) -> str | None:
    """What the prior says of a score before any data, of the first entity.

    Examples
    --------
    >>> import xarray as xr
    >>> implied_prior(xr.DataArray([[[0.1], [0.5], [0.9]]], dims=("chain", "draw", "entity")), 0.9)
    'median 0.500, 90% interval 0.140 to 0.860'
    """
    if values is None or not bool(values.isel(entity=0).notnull().any()):
        return None
    low, middle, high = values.isel(entity=0).quantile([(1 - prob) / 2, 0.5, (1 + prob) / 2], skipna=True).values
    return f"median {_format.number(middle)}, {100 * prob:g}% interval {_format.interval(low, high)}"


def prevalence_caveat(score: Score, about: Mapping[Any, Any]) -> list[str]:
    """A warning, if the score depends on a prevalence that the data do not tell.

    Parameters
    ----------
    score : Score
        What is ranked by.
    about : mapping
        The attrs of the posterior group.

    Examples
    --------
    >>> import bayesrank as br
    >>> prevalence_caveat(br.scores.tpr, {"prevalence": "observed"})
    []
    >>> len(prevalence_caveat(br.scores.f1, {"prevalence": "observed"}))
    1
    """
    if not score.depends_on_prevalence or about.get("prevalence", "sampled") == "sampled":
        return []
    how = "the design of the study" if about["prevalence"] == "observed" else "the analyst"
    return [
        f"{score.name} depends on the prevalence, which was not learned from the cases but set by {how}. At another "
        "prevalence the ranking may differ."
    ]


def class_notes(counts: xr.DataArray) -> list[str]:
    """Which label is the positive one, where that is not plain, and which classes nobody tested an entity on.

    Parameters
    ----------
    counts : DataArray
        (entity, actual, predicted).

    Examples
    --------
    >>> import bayesrank as br
    >>> class_notes(br.from_counts(tn=[8, 9], fp=[2, 1], fn=[1, 0], tp=[9, 0], entity=["a", "b"]))
    ["No case of the class 'positive', so only the prior says how it is told: b."]
    """
    lines = []
    classes = [str(label) for label in counts["actual"].values]
    if len(classes) == 2 and classes != ["negative", "positive"]:
        lines.append(f"Positive is {classes[1]!r}, negative is {classes[0]!r}.")
    totals = counts.sum("predicted")
    for i, label in enumerate(classes):
        without = [str(name) for name in totals["entity"].values[totals.isel(actual=i).values == 0]]
        if without:
            who = ", ".join(without[:3]) + (f" and {len(without) - 3} more" if len(without) > 3 else "")
            lines.append(f"No case of the class {label!r}, so only the prior says how it is told: {who}.")
    return lines
