"""Credible rankings of classifiers, diagnostic tests, detectors and language models from their results on cases."""

from bayesrank._core.lazy import attach as _attach

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
