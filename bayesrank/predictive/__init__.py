"""Future test sets: their counts and scores, sampled or with exact probabilities, and posterior predictive checks."""

from bayesrank._core.lazy import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
