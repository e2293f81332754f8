"""Performances (probabilities over the outcomes): their containers, and operations on them."""

from bayesrank._core.lazy import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
