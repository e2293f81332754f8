"""Plots of computed results. Each takes ``ax=``, ``axes=`` or ``figure=``, and returns what it drew on.

An entity has the same colour in all plots: by its place among all entities, or from ``colors=``, in
which entities without a colour are grey (:func:`colors`). A list of ranked entities is blue where
an entity could be best, and grey elsewhere. All other elements follow Matplotlib's style, including
dark styles.
"""

from bayesrank._core.lazy import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
