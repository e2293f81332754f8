"""Plots of results. They draw computed results; each takes ``ax=`` and returns the Axes.

An entity has one colour in all of them: that of its place among all entities, or that of ``colors=``. All else follows
Matplotlib's style, dark ones too.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
