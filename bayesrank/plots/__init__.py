"""Pictures of results. They draw and compute nothing; each takes ``ax=`` and returns the Axes."""

from bayesrank.plots.forest import forest

__all__ = ["forest"]
