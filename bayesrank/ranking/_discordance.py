"""Notes on discordant cases: cases on which two entities differ, the only ones that separate the two."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayesrank import _text
from bayesrank._notes import Caveat, Note
from bayesrank.ranking._information import Information, least

__all__ = ["discordance_notes", "first_two_agree"]

#: With fewer discordant cases a conclusion on a pair rests on few observations, even with a prior.
FEW = 10
#: The same limit without a prior.
FEW_WITHOUT_PRIOR = 50


def discordance_notes(
    information: Information, about: Mapping[Any, Any], names: Any, order: np.ndarray, claimed: np.ndarray
) -> list[str]:
    """Return a caveat where few cases separate the first entity from a rival that it beats.

    Parameters
    ----------
    information : Information
        The effective counts.
    about : mapping
        Attrs of the posterior.
    names : sequence or ndarray
        Names of the entities.
    order : ndarray
        Position of each entity in the consensus order; NaN if not ranked.
    claimed : ndarray
        Whether the first entity beats each rival with the required probability (entity).

    Examples
    --------
    >>> unknown = np.full(2, np.nan)
    >>> information = Information(np.array([60.0, 60.0]), unknown, unknown, np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> discordance_notes(information, {"prior": "four_cases"}, ["a", "b"], np.array([1, 2]), np.array([False, True]))
    ['a and b differ on only 1 of 60 cases: the comparison rests on these and on the prior.']
    """
    if information.discordant is None or np.isnan(order).all() or len(names) < 2:
        return []
    first = int(np.nanargmin(order))
    different = information.discordant[first]
    bootstrap = about.get("prior") == "haldane"
    few = claimed & (different < (FEW_WITHOUT_PRIOR if bootstrap else FEW))
    few[first] = False
    if not few.any():
        return []
    rival = int(min(np.flatnonzero(few), key=lambda i: (different[i], str(names[i]))))
    rests = "too few for the Bayesian bootstrap" if bootstrap else "the comparison rests on these and on the prior"
    cases = least(information.cases)
    if "target" in about:  # cases in clusters
        units = f"{different[rival]:.0f} clusters"
    else:
        number = _text.count(int(different[rival]), "case")
        units = f"{different[rival]:.0f} of {cases:.0f} cases" if np.isfinite(cases) else number
    return [Note(f"{names[first]} and {names[rival]} differ on only {units}: {rests}.", Caveat.FEW_UNITS)]


def first_two_agree(information: Information, order: np.ndarray, superiority: np.ndarray) -> bool:
    """Return whether the first entity and its closest rival had the same outcome on every case."""
    if information.discordant is None or np.isnan(order).all():
        return False
    first = int(np.nanargmin(order))
    rivals = np.flatnonzero(~np.isnan(order) & ~np.isnan(superiority[first]))
    rivals = rivals[rivals != first]
    if not rivals.size:
        return False
    return bool(information.discordant[first, rivals[superiority[first, rivals].argmin()]] == 0)
