"""Probabilities of single claims, read from an exact ranking without draws."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.statements._parser import Beats, Not, Place, Statement, parse

__all__ = ["exact_probability"]


def exact_probability(ranking: xr.Dataset, statement: str) -> xr.Dataset | None:
    """Return the probability of one claim, as :func:`bayesrank.probability` does, from an exact ranking and its ROPE.

    Several claims need draws: return None.
    """
    found = _of_claim(parse(statement, [str(name) for name in ranking["entity"].values]), ranking)
    if found is None:
        return None
    probability, error, entities = found
    undefined = float(ranking["undefined"].values[entities].max())
    variables: dict[str, Any] = {"probability": probability, "probability_error": error, "undefined": undefined}
    kept = ("score", "display", "higher_is_better", "range", "finite_mean", "depends_on_prevalence", "rope")
    facts = {name: ranking.attrs[name] for name in kept if name in ranking.attrs}
    return xr.Dataset(variables, attrs=facts | {"statement": statement, "method": "exact"})


def _of_claim(claim: Statement, ranking: xr.Dataset) -> tuple[float, float, list[int]] | None:
    """Return probability, error and the entities of one claim or its negation."""
    match claim:
        case Not(inner):
            found = _of_claim(inner, ranking)
            return None if found is None else (1 - found[0], *found[1:])
        case Place(entity, number, bottom):
            ranked = int((ranking["undefined"] < 1).sum())
            rank = np.arange(1, ranking.sizes["rank"] + 1)
            here = (ranked + 1 - rank if bottom else rank) <= number
            p, error = (
                ranking[name].values[entity, here].sum() for name in ("rank_probability", "rank_probability_error")
            )
            return min(float(p), 1.0), float(error), [entity]
        case Beats(entity, sign, rival):
            if ranking["undefined"].values[[entity, rival]].any():
                return 0.0, 0.0, [entity, rival]
            above, below = (ranking["superiority"].values[pair] for pair in ((entity, rival), (rival, entity)))
            errors = ranking["superiority_error"].values
            p = above if sign == ">" else 1 - below if sign == ">=" else ranking["equivalence"].values[entity, rival]
            used = errors[entity, rival] * (sign != ">=") + errors[rival, entity] * (sign != ">")
            return float(p), float(used), [entity, rival]
    return None
