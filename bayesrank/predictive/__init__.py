"""Future test sets: which counts and scores to expect next time, sampled or exactly.

:func:`posterior_predictive` samples counts from posterior draws. The other functions are exact: :func:`confusion_pmf`
returns the probability of every confusion matrix, :func:`score_pmf` that of every value of a score, and :func:`summary`
and :func:`difference` read such a distribution. :func:`paired_difference` is for entities that will see the same cases,
:func:`by_class` for one class against all others. :func:`predictive_check` asks whether the model could have produced
the data.
"""

from bayesrank.predictive.checks import predictive_check
from bayesrank.predictive.confusion import confusion_pmf
from bayesrank.predictive.paired import by_class, paired_difference
from bayesrank.predictive.sampled import posterior_predictive
from bayesrank.predictive.scores import multiplicity, score_pmf
from bayesrank.predictive.summaries import difference, summary

__all__ = [
    "by_class",
    "confusion_pmf",
    "difference",
    "multiplicity",
    "paired_difference",
    "posterior_predictive",
    "predictive_check",
    "score_pmf",
    "summary",
]
