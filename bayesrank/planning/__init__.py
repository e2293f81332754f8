"""Planning: how many more cases are needed before a ranking is settled, and of which kind."""

from bayesrank.planning.plans import cases_to_separate, plan

__all__ = ["cases_to_separate", "plan"]
