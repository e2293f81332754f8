"""The figures of the four papers; ``docs/papers.md`` lists them with their calls."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
