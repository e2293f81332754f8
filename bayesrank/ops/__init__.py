"""Outperformance scores (OPS): the share of reference performances, at one prevalence, that a performance beats."""

from bayesrank._core.lazy import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
