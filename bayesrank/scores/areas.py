"""Outperformance scores in closed form: the area of the square of the rates where a score is worse than a value."""

from bayesrank.scores._forms import Area, half_plane, ranking_area
from bayesrank.scores.score import Score

__all__ = ["closed_area", "half_plane", "ranking_area"]


def closed_area(score: Score) -> Area | None:
    """OPS of ``score`` as a function of (value, prevalence), or None where only quadrature serves.

    Examples
    --------
    >>> import bayesrank as br
    >>> closed_area(br.scores.tnr)(0.75, 0.3).round(9).item()  # whose TNR is uniform
    0.75
    >>> closed_area(br.scores.p4) is None
    True
    """
    importance = score.importance
    if importance is not None:
        return lambda value, prevalence: ranking_area(value, prevalence, **importance)
    if score.area is not None:
        return score.area
    # Less than v is more than 1 - v of the complement, and the better end of one is the worse of the other.
    plain = closed_area(score.complement) if score.complement is not None else None
    return None if plain is None else lambda value, prevalence: plain(1 - value, prevalence)
