"""Questions about the order: the probability of a statement such as "A > B and C in top 3", and probable orders."""

from bayesrank.statements.probabilities import probability, probable_orders

__all__ = ["probability", "probable_orders"]
