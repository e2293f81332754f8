"""One analysis for the command and for Python: what a user gets who names no model, score or method."""

from bayesrank.analysis.analyzing import Analysis, analyze

__all__ = ["Analysis", "analyze"]
