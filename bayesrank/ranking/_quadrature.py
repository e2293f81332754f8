"""What quadrature says of a plan: probabilities, ranks and intervals of its entities, with their errors."""

from typing import Any

import numpy as np

from bayesrank import _text
from bayesrank.ranking._beta_tables import FAR
from bayesrank.ranking._board import NoClosedForm, Panels
from bayesrank.ranking._conjugates import Plan
from bayesrank.ranking._hierarchy import poth_of
from bayesrank.ranking._intervals import rank_intervals
from bayesrank.ranking._measures import Measures, measure, quantiles
from bayesrank.ranking.consensus import best_set, consensus_of
from bayesrank.ranking.summary import UNRESOLVED
from bayesrank.scores import Score

__all__ = ["accuracy", "summary_of"]

#: Nodes of a panel, nodes of a panel along a contour, and prevalences, step by step; each is compared with the last.
STEPS = ((14, 10, 5), (18, 12, 8), (19, 13, 13), (20, 14, 20))
#: Steps are taken until no probability, and no end of an interval as a share of its width, moves by more.
WANTED = 1e-6
#: What is left of cdfs beyond their pieces, and of sums of rounded numbers, may be in probabilities.
ROUNDING = 1e-10
#: Errors of probabilities that nobody wants.
USELESS = 0.01


def summary_of(plan: Plan, labels: np.ndarray, score: Score, prob: float, rope: float) -> dict[str, Any]:
    """All that follows from the distributions, with the names that the result has for it."""
    size, defined = len(labels), plan.item >= 0
    tail = (1 - prob) / 2
    sign = 1 if score.higher_is_better else -1
    levels = np.array([tail, 0.5, 1 - tail])
    if defined.any():
        found, at = _step(plan, STEPS[0], rope, score.finite_mean, levels)
        for step in STEPS[1 : None if plan.averaged else 2]:
            (other, before), (found, at) = (found, at), _step(plan, step, rope, score.finite_mean, levels)
            if max(found.moved(other), np.nan_to_num(_moved(at, before)).max()) < WANTED:
                break
        at = sign * at[:, ::sign]
    else:
        none = np.zeros((1, 1))
        found = other = Measures(none[:, :0], (none, none), (none, none), none[0], none, 0.0)
        at = np.zeros((1, 3))
    ends = np.where(defined[:, None], at[plan.item], np.nan)
    ends[_out_of_sight(ends, score)] = np.nan
    best, less = _of_entities(plan, found), _of_entities(plan, other)
    error = {name: np.abs(best[name] - less[name]) + best["unresolved"] + ROUNDING for name in best}
    probability = best["rank"]
    lower, upper = rank_intervals(np.where(defined[:, None], probability, np.nan), tail)
    superiority = best["superior"]
    equivalence = np.clip(1 - superiority - superiority.T, 0.0, 1.0)
    np.fill_diagonal(equivalence, np.where(defined, 1.0, np.nan))
    preference = np.nan_to_num(best["before"], nan=0.5)
    preference_error = np.nan_to_num(error["before"])
    regret = best["regret"] if score.finite_mean else np.full(size, np.nan)
    return {
        "median": ends[:, 1],
        "lower": ends[:, 0],
        "upper": ends[:, 2],
        "rank_probability": probability,
        "rank_probability_error": error["rank"],
        "probability_best": probability[:, 0],
        "probability_best_error": error["rank"][:, 0],
        "expected_rank": best["expected"],
        "expected_rank_error": error["expected"],
        "rank_lower": lower,
        "rank_upper": upper,
        "superiority": superiority,
        "superiority_error": error["superior"],
        "equivalence": equivalence,
        **_hierarchy(best["expected"], less["expected"], error["expected"]),
        **consensus_of(labels, best["expected"], preference, preference_error, superiority, defined, prob),
        "in_best_set": best_set(probability[:, 0], prob),
        "expected_regret": regret,
        "expected_regret_error": np.where(np.isnan(regret), np.nan, error["regret"]),
        "undefined": 1.0 - defined,
    }


def _step(
    plan: Plan, nodes: tuple[int, int, int], rope: float, regret: bool, levels: np.ndarray
) -> tuple[Measures, np.ndarray]:
    """What a board says with these numbers of nodes, and its quantiles."""
    groups = plan.build(*nodes[1:])
    panels = Panels.resolving(groups, plan.scale, rope)
    found = measure(groups, panels, nodes[0], rope, regret)
    return found, quantiles(groups, panels, found.cdf, levels)


def _out_of_sight(ends: np.ndarray, score: Score) -> np.ndarray:
    """Who has a median or an end of the interval (entity, quantile) where quadrature does not look: next to odds of
    exp(150), which a prior close to nothing gives to ratios of somebody without faults.
    """
    if np.isfinite(score.range).all():
        return np.zeros(len(ends), bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.abs(np.log(np.abs(ends)))
        return ((far > FAR - 5) & np.isfinite(far)).any(axis=1)  # who is certain may well be at 0


def _moved(at: np.ndarray, before: np.ndarray) -> np.ndarray:
    """By which share of its width an interval moved."""
    width = at[:, -1:] - at[:, :1]
    return np.abs(at - before) / np.where(width > 0, width, np.inf)


def _hierarchy(expected: np.ndarray, before: np.ndarray, error: np.ndarray) -> dict[str, Any]:
    """How settled the order is by the expected ranks, and by how much that moves from those before."""
    size = int((~np.isnan(expected)).sum())
    if size < 2:
        unknown = np.full(len(expected), np.nan)
        return {"sucra": unknown, "sucra_error": unknown, "poth": np.nan, "poth_error": np.nan}
    sucra, old = ((size - ranks) / (size - 1) for ranks in (expected, before))
    # Sorted, so that the order of input is forgotten.
    poth, moved = (poth_of(np.sort(each[~np.isnan(each)])) for each in (sucra, old))
    return {
        "sucra": sucra,
        "sucra_error": error / (size - 1),
        "poth": poth,
        "poth_error": abs(poth - moved) + ROUNDING,
    }


def accuracy(result: dict[str, Any]) -> list[str]:
    """Whether intervals go beyond what nodes reach, and nodes tell three digits; where they tell no two, an error."""
    lines = []
    unseen = int((np.isnan(result["median"]) & (result["undefined"] == 0)).sum())
    if unseen:
        lines = [
            f"Of {_text.count(unseen, 'entity')} no interval is told, only the rank: it goes beyond what quadrature "
            "looks at, since next to nothing but the prior says how often something happens that was never seen."
        ]
    off = max(float(np.nanmax(result[f"{name}_error"], initial=0.0)) for name in ("rank_probability", "superiority"))
    if off < UNRESOLVED:
        return lines
    why = (
        "the score bends sharply, or ends at values that depend on the prevalence, or a concentration is near 0, and "
        "quadrature follows that badly"
    )
    if off > USELESS:
        raise NoClosedForm(
            f"source and score must be such that quadrature tells probabilities to 0.01; got an error of {off:.1g}: "
            f"{why} (br.credible_ranking takes draws)"
        )
    return [*lines, f"Probabilities may be off by up to {off:.1g}: {why} (draws follow it better)."]


def _of_entities(plan: Plan, found: Measures) -> dict[str, Any]:
    """What a board says of its items, entity by entity; NaN of those without a value."""
    defined = plan.item >= 0
    size, ranked = len(defined), int(defined.sum())
    pair = defined[:, None] & defined
    together = plan.group[:, None] == plan.group

    def of_pairs(same: np.ndarray, two: np.ndarray, own: float) -> np.ndarray:
        out = np.where(together, *(part[np.ix_(plan.item, plan.item)] for part in (same, two)))
        np.fill_diagonal(out, own)
        return np.where(pair, np.clip(out, 0.0, 1.0), np.nan)

    rank = np.zeros((size, size))
    rank[defined, :ranked] = found.rank[plan.item[defined]]
    before = of_pairs(*found.before, 0.5)
    # 1 + Σ P(another is before it), less the own 1/2; sorted, so that the order of input is forgotten.
    expected = 0.5 + np.nansum(np.sort(before, axis=0), axis=0)
    return {
        "rank": rank,
        "before": before,
        "expected": np.where(defined, expected, np.nan),
        "superior": of_pairs(*found.superior, 0.0),
        "regret": np.where(defined, found.regret[plan.item], np.nan),
        "unresolved": found.unresolved,
    }
