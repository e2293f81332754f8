"""Future test sets: their counts and scores, sampled or with exact probabilities, and posterior predictive checks."""

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
