"""The Tile: all canonical ranking scores of two-class performances on one map (Piérard et al., The Tile)."""

from bayesrank._core.lazy import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
