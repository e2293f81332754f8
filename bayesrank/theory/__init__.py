"""Preorders, dominance, axioms and audits of scores (Piérard et al., Foundations of performance-based ranking)."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
