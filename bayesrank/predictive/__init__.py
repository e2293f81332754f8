"""Future test sets: their counts and scores, sampled or with exact probabilities, and posterior predictive checks."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
