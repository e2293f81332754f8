"""Outperformance scores (OPS): the share of reference performances, at one prevalence, that a performance beats."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
