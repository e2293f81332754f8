"""The Tile: all canonical ranking scores of two-class performances on one map (Piérard et al., The Tile)."""

from bayesrank.tile.flavours import (
    baseline,
    entity,
    no_skill,
    ranking,
    relative_skill,
    robustness,
    state_of_the_art,
    value,
)
from bayesrank.tile.geometry import frontier, regions, shares
from bayesrank.tile.posterior import credible, rank_probability, value_interval
from bayesrank.tile.volumes import volume

__all__ = [
    "baseline",
    "credible",
    "entity",
    "frontier",
    "no_skill",
    "rank_probability",
    "ranking",
    "regions",
    "relative_skill",
    "robustness",
    "shares",
    "state_of_the_art",
    "value",
    "value_interval",
    "volume",
]
