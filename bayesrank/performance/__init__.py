"""Performances (probabilities over the outcomes): their containers, and operations on them."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
