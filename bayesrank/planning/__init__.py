"""Planning: how many more cases are needed before a ranking is settled, and of which kind."""

from bayesrank.planning.plans import plan
from bayesrank.planning.updates import OVERLAP

__all__ = ["OVERLAP", "plan"]
