"""Discordant cases: cases on which two entities differ, which alone say which of the two is better."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank import _text
from bayesrank._compat import groups_of, is_container
from bayesrank._notes import Caveat, Note
from bayesrank.ranking._notes import some_of
from bayesrank.ranking._tails import LIMIT, skewness_ratio

__all__ = ["Patterns", "discordance_notes", "patterns_of"]

#: Below so many discordant cases a conclusion about a pair rests on few observations, even with a prior.
FEW = 10
#: The same without a prior, where nothing stands beside the observed differences.
FEW_WITHOUT_PRIOR = 50


class Patterns(NamedTuple):
    """The observed cases of a paired analysis: answers (pattern, entity), how often each occurred, its cluster."""

    answers: np.ndarray
    times: np.ndarray
    cluster: np.ndarray | None

    @property
    def unit(self) -> str:
        return "case" if self.cluster is None else "cluster"

    @property
    def units(self) -> int:
        """Return the number of cases, or of clusters where cases come in clusters."""
        return int(self.times.sum()) if self.cluster is None else int(self.cluster.max(initial=-1)) + 1

    def discordant(self, first: int) -> np.ndarray:
        """Return the number of cases, or clusters, on which each entity differs from the ``first`` one.

        Examples
        --------
        >>> patterns = Patterns(np.array([[1.0, 1.0], [1.0, 0.0], [np.nan, 0.0]]), np.array([50, 3, 7]), None)
        >>> patterns.discordant(0).tolist()
        [0, 3]
        """
        own = self.answers[:, [first]]
        both = ~np.isnan(own) & ~np.isnan(self.answers)
        differ = both & (self.answers != own)
        if self.cluster is None:
            return self.times @ differ
        table = np.zeros((self.units, differ.shape[1]), bool)
        np.logical_or.at(table, self.cluster, differ)
        return table.sum(axis=0)


def patterns_of(source: Any) -> Patterns | None:
    """Return the observed cases of a paired posterior; None of any other source.

    Examples
    --------
    >>> import pandas as pd
    >>> import bayesrank as br
    >>> frame = pd.DataFrame({"a": [1] * 60, "b": [1] * 58 + [0] * 2})
    >>> patterns_of(br.fit(br.from_outcomes(frame), "paired", seed=1)).discordant(0).tolist()
    [0, 2]
    """
    seen = groups_of(source).get("observed_data", xr.Dataset()) if is_container(source) else xr.Dataset()
    name = next((name for name in ("pattern_outcome", "pattern_predicted") if name in seen), None)
    if name is None or "pattern_count" not in seen:
        return None
    held = seen[name].transpose("pattern", "entity").values
    answers = held if held.dtype.kind in "iuf" else pd.factorize(held.ravel())[0].reshape(held.shape)
    cluster = pd.factorize(seen["pattern_cluster"].values)[0] if "pattern_cluster" in seen else None
    return Patterns(answers.astype(float), seen["pattern_count"].values, cluster)


def _heavy_tails(patterns: Patterns, names: Any) -> list[str]:
    """Return a caveat where outcomes are so skewed that bootstrap intervals of their mean are too narrow."""
    ratio = skewness_ratio(patterns.answers, patterns.times)
    heavy = sorted(str(name) for name, value in zip(names, ratio, strict=True) if value > LIMIT)
    if not heavy:
        return []
    text = f"Outcomes of {some_of(heavy)} have heavy tails for so few cases: intervals of the mean are too narrow."
    return [Note(text, Caveat.FEW_UNITS)]


def discordance_notes(
    patterns: Patterns | None, about: Mapping[Any, Any], names: Any, order: np.ndarray, claimed: np.ndarray
) -> list[str]:
    """Return notes on how few cases separate the first entity from its rivals.

    Parameters
    ----------
    patterns : Patterns, optional
        The observed cases; without them there is nothing to count.
    about : mapping
        Attrs of the posterior.
    names : sequence or ndarray
        Of the entities.
    order : ndarray
        Place of each entity in the consensus order; NaN where it is not ranked.
    claimed : ndarray
        Whether the first entity beats each rival with the required probability (entity).

    Examples
    --------
    >>> patterns = Patterns(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([59, 1]), None)
    >>> discordance_notes(patterns, {"prior": "four_cases"}, ["a", "b"], np.array([1, 2]), np.array([False, True]))
    ['a and b differ on only 1 of 60 cases: the comparison rests on these and on the prior.']
    """
    if patterns is None or np.isnan(order).all() or len(names) < 2:
        return []
    first = int(np.nanargmin(order))
    different = patterns.discordant(first)
    bootstrap = about.get("prior") == "haldane"
    few = claimed & (different < (FEW_WITHOUT_PRIOR if bootstrap else FEW))
    few[first] = False
    lines: list[str] = []
    if few.any():
        rival = min(np.flatnonzero(few), key=lambda i: (different[i], str(names[i])))
        rests = "too few for the Bayesian bootstrap" if bootstrap else "the comparison rests on these and on the prior"
        units = f"{different[rival]} of {_text.count(patterns.units, patterns.unit)}"
        lines.append(Note(f"{names[first]} and {names[rival]} differ on only {units}: {rests}.", Caveat.FEW_UNITS))
    if bootstrap:
        lines += _heavy_tails(patterns, names)
        lines.append(
            "Intervals come from the Bayesian bootstrap: without a prior, only observed outcomes count "
            "(range=(low, high) adds a prior)."
        )
    return lines
