"""Future test sets: what counts and scores to expect next time, sampled or exactly.

:func:`posterior_predictive` samples counts from posterior draws. The others are exact: :func:`confusion_pmf` gives
the probability of every confusion matrix, :func:`score_pmf` that of every value of a score, and a distribution is
read by :func:`mean`, :func:`variance`, :func:`quantile`, :func:`hdi`, :func:`mode`, :func:`interval_probability`,
:func:`difference` and :func:`summary`. :func:`paired_difference` is for entities that will meet the same cases,
:func:`by_class` for one class against all others. :func:`predictive_check` asks whether the model could have produced
the data.
"""

from bayesrank.predictive.checks import predictive_check
from bayesrank.predictive.confusion import confusion_pmf
from bayesrank.predictive.paired import by_class, paired_difference
from bayesrank.predictive.sampled import posterior_predictive
from bayesrank.predictive.scores import multiplicity, score_pmf
from bayesrank.predictive.summaries import (
    difference,
    hdi,
    interval_probability,
    mean,
    mode,
    quantile,
    summary,
    variance,
)

__all__ = [
    "by_class",
    "confusion_pmf",
    "difference",
    "hdi",
    "interval_probability",
    "mean",
    "mode",
    "multiplicity",
    "paired_difference",
    "posterior_predictive",
    "predictive_check",
    "quantile",
    "score_pmf",
    "summary",
    "variance",
]
