"""How much a ranking depends on the prior, the model, and single data sets, cases or entities."""

from bayesrank.sensitivities.analysis import sensitivity
from bayesrank.sensitivities.conflicts import prior_conflict
from bayesrank.sensitivities.leaving_out import stability

__all__ = ["prior_conflict", "sensitivity", "stability"]
