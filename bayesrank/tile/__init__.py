"""The Tile: all canonical ranking scores of two-class performances on one map (Piérard et al., The Tile)."""

from bayesrank.tile.correlations import best_consistency, correlation, performance_grid, sample_performances
from bayesrank.tile.entities import entity, entity_rank, rank_probability, robustness
from bayesrank.tile.flavours import baseline, chance_corrected, no_skill, relative_skill, state_of_the_art, value
from bayesrank.tile.geometry import frontier, frontiers, isovalue, regions, shares, volume, zone
from bayesrank.tile.posterior import credible, probability_best, value_interval
from bayesrank.tile.preferences import around, beta_preferences, between, over, preference_ranking
from bayesrank.tile.roc import (
    chance_corrected_place,
    isoperformance,
    moved_place,
    no_skill_curve,
    prior_grid,
    vertex,
)

__all__ = [
    "around",
    "baseline",
    "best_consistency",
    "beta_preferences",
    "between",
    "chance_corrected",
    "chance_corrected_place",
    "correlation",
    "credible",
    "entity",
    "entity_rank",
    "frontier",
    "frontiers",
    "isoperformance",
    "isovalue",
    "moved_place",
    "no_skill",
    "no_skill_curve",
    "over",
    "performance_grid",
    "preference_ranking",
    "prior_grid",
    "probability_best",
    "rank_probability",
    "regions",
    "relative_skill",
    "robustness",
    "sample_performances",
    "shares",
    "state_of_the_art",
    "value",
    "value_interval",
    "vertex",
    "volume",
    "zone",
]
