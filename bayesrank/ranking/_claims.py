"""What a ranking may claim about the truth: who is not best, who could be, and whether there is a clear winner.

Probabilities of a posterior are pairwise and hold on average over its prior. With many equal entities some pair nearly
always looks decided, because the leader was chosen by its luck. So a sentence that calls an entity worse, or one
entity the winner, rests on the confidence sets, which hold jointly at fixed truths. Where these are withheld, nobody
is called worse, and a winner is one by posterior probabilities only.
"""

import numpy as np
import xarray as xr

__all__ = ["clear_winner", "could_be_best", "sets_given", "surely_worse", "why_withheld"]


def sets_given(ranking: xr.Dataset) -> bool:
    """Whether a ranking has confidence sets, for at least one entity.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> sets_given(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    True
    """
    return "in_best_confidence_set" in ranking and bool(ranking["in_best_confidence_set"].notnull().any())


def why_withheld(ranking: xr.Dataset) -> str:
    """Return why a ranking has no confidence sets, in a few words; empty where it has them.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> why_withheld(br.credible_ranking(br.fit(counts, "hierarchical_beta_binomial", seed=1), "f1"))
    'population prior'
    """
    if sets_given(ranking):
        return ""
    reason = str(ranking.attrs.get("confidence_sets", ""))
    return reason if reason not in ("", "joint") else "not computed"


def could_be_best(ranking: xr.Dataset) -> list[str]:
    """Return the names of the entities that could be truly best, sorted; where sets are withheld, of all ranked ones.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> could_be_best(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    ['b']
    """
    ranked = ranking["rank_lower"].notnull().values
    kept = ranking["in_best_confidence_set"].values == 1 if sets_given(ranking) else ranked
    return sorted(str(name) for name in ranking["entity"].values[kept])


def surely_worse(ranking: xr.Dataset) -> list[str]:
    """Return the names of the entities that are surely not best, sorted; none where sets are withheld.

    At most about 1 - prob of repeated experiments name one that is truly best, ties included.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> surely_worse(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    ['a']
    """
    if not sets_given(ranking):
        return []
    return sorted(str(name) for name in ranking["entity"].values[ranking["in_best_confidence_set"].values == 0])


def clear_winner(ranking: xr.Dataset) -> str | None:
    """Return the name of the clear winner, or None.

    It is the one entity that the confidence set for the best holds, is best with probability at least ``prob``, and
    beats every rival with at least that. Where sets are withheld the two posterior conditions decide alone, and a
    sentence has to say so.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> clear_winner(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    'b'
    """
    prob, ranked = ranking.attrs["prob"], ranking["rank_lower"].notnull().values
    if ranked.sum() < 2:
        return None
    best = np.where(ranked, ranking["probability_best"].values, 0.0)
    first = int(np.argmax(best))
    rivals = ranked & (np.arange(len(ranked)) != first)
    alone = not sets_given(ranking) or could_be_best(ranking) == [str(ranking["entity"].values[first])]
    beats = bool((ranking["superiority"].values[first, rivals] >= prob).all())
    return str(ranking["entity"].values[first]) if alone and beats and best[first] >= prob else None
