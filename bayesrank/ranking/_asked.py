"""What an exact ranking says of a statement: of a place, or of a pair, it knows the probability without draws."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.ranking._parser import parse
from bayesrank.ranking._statement import Beats, Not, Place, Statement, text_of
from bayesrank.ranking._truth import compared

__all__ = ["told"]


def told(ranking: xr.Dataset, statement: str) -> xr.Dataset | None:
    """What :func:`bayesrank.probability` returns of a statement, by the numbers of an exact ranking that tell it.

    One claim on the rank of one entity, or on who of two is better by more than the ranking's ROPE, and its negation;
    None for what joins several, or states a margin or a value of the score: these need draws.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ranking = br.credible_ranking(counts, "f1", method="exact")
    >>> bool(told(ranking, "b is best")["probability"] == ranking["probability_best"][1])
    True
    >>> told(ranking, "b > a and b is best") is None
    True
    """
    names = [str(name) for name in ranking["entity"].values]
    read = parse(statement, names, ranking.attrs["higher_is_better"])
    found = _known(read, ranking)
    if found is None:
        return None
    probability, error, entities = found
    undefined = float(ranking["undefined"].values[entities].max())
    variables: dict[str, Any] = {"probability": probability, "probability_error": error, "undefined": undefined}
    about = {name: ranking.attrs[name] for name in ("score", "higher_is_better", "range", "finite_mean", "rope")}
    return xr.Dataset(variables, attrs=about | {"statement": text_of(read, names), "method": "exact"})


def _known(read: Statement, ranking: xr.Dataset) -> tuple[float, float, list[int]] | None:
    """Probability, error and the entities it is about."""
    match read:
        case Not(inner):
            found = _known(inner, ranking)
            return None if found is None else (1 - found[0], *found[1:])
        case Place(entity):
            number = int((ranking["undefined"] < 1).sum())
            rank = np.arange(1, ranking.sizes["rank"] + 1)
            place = number + 1 - rank if read.bottom else rank
            here = compared(place, read.sign, np.asarray(read.number))
            p, error = (
                ranking[name].values[entity, here].sum() for name in ("rank_probability", "rank_probability_error")
            )
            return min(float(p), 1.0), float(error), [entity]
        case Beats(entity, sign, rival, None):
            if ranking["undefined"].values[[entity, rival]].any():
                return 0.0, 0.0, [entity, rival]
            above, below = (ranking["superiority"].values[pair] for pair in ((entity, rival), (rival, entity)))
            errors = ranking["superiority_error"].values
            p = above if sign == ">" else 1 - below if sign == ">=" else ranking["equivalence"].values[entity, rival]
            used = errors[entity, rival] * (sign != ">=") + errors[rival, entity] * (sign != ">")
            return float(p), float(used), [entity, rival]
    return None
