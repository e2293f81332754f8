"""How much a ranking depends on the prior, the model, and single data sets or entities."""

from bayesrank.sensitivities.analysis import sensitivity

__all__ = ["sensitivity"]
