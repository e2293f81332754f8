"""Credible rankings of classifiers, diagnostic tests and detectors from confusion-matrix counts."""

import lazy_loader as _lazy

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
