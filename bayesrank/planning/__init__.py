"""Planning: how many more cases are needed before a ranking is settled, and of which kind."""

from bayesrank.planning._evidence import OVERLAP
from bayesrank.planning.plans import plan

__all__ = ["OVERLAP", "plan"]
