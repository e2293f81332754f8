"""The Tile: all canonical ranking scores of two-class performances on one map (Piérard et al., The Tile)."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
