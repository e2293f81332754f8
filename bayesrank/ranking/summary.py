"""A credible ranking as a table and in words."""

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank import _format
from bayesrank._evidence import in_words

__all__ = ["ranking_table", "verdict", "worth"]

#: Members of the best set that a sentence can list.
NAMED = 5


def ranking_table(ranking: xr.Dataset) -> pd.DataFrame:
    """The table that a person reads, best first.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of :func:`bayesrank.credible_ranking`.

    Returns
    -------
    pandas.DataFrame
        Indexed by entity, in consensus order. Columns: ``median``, ``lower`` and ``upper`` of the score (equal
        tails at the ranking's ``prob``), ``observed``, ``probability_best``, ``expected_rank``, ``rank_lower``,
        ``rank_upper``, ``consensus_rank``, ``tier``, ``expected_regret``, ``undefined``.

    Raises
    ------
    ValueError
        If ``ranking`` is none, or holds several rankings.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ranking_table(br.credible_ranking(br.fit(counts, seed=1), "f1")).index.tolist()
    ['b', 'a']
    """
    _check_ranking(ranking)
    columns = [
        "median", "lower", "upper", "observed", "probability_best", "expected_rank", "rank_lower", "rank_upper",
        "consensus_rank", "tier", "expected_regret", "undefined",
    ]  # fmt: skip
    frame = pd.DataFrame(
        {column: ranking[column].values for column in columns}, pd.Index(ranking["entity"].values, name="entity")
    )
    return frame.sort_values(["consensus_rank", "expected_rank"], kind="stable", na_position="last")


def verdict(ranking: xr.Dataset) -> list[str]:
    """The ranking in words: one sentence an item.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of one ranking.

    Returns
    -------
    list of str
        The ranking's notes, and what the draws support: the leader, the first tier, the smallest set that
        holds the best, the tiers, and what is undefined.

    Raises
    ------
    ValueError
        If ``ranking`` is none, or holds several rankings.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> verdict(br.credible_ranking(br.fit(counts, seed=1), "f1"))[0]
    'b is the most probable best by f1: P(best) > 0.999.'
    """
    _check_ranking(ranking)
    prob, score = ranking.attrs["prob"], ranking.attrs["score"]
    size = ranking.sizes["entity"]
    if not bool((ranking["undefined"] < 1).any()):
        return [f"No entity has a defined {score} in any draw: there is nothing to rank."]
    if bool(ranking["tier"].isnull().all()):
        return [f"No entity has a defined {score} in half of the draws: there is nothing to rank."]
    if size == 1:
        return [f"{ranking['entity'].values[0]} is the only entity: there is nothing to rank it against."]
    sentences = [*ranking.attrs["notes"], _leaders(ranking)]
    first = int((ranking["tier"] == 1).sum())
    tiers = int(np.nanmax(ranking["tier"].values)) if first else 0
    if first == 1:
        sentences.append(f"The first tier holds one entity: it beats every other with probability at least {prob:g}.")
    else:
        sentences.append(
            f"The first tier holds {first} of {_format.count(size, 'entity')}: its first one beats none of the others "
            f"in it with probability {prob:g}."
        )
    sentences.append(_best_set(ranking))
    if tiers > 1:
        sentences.append(f"The data support {tiers} tiers among {_format.count(size, 'entity')}.")
    else:
        sentences.append("The data do not separate the entities: there is a single tier.")
    lacking = int((ranking["lacks"] != "").sum()) if "lacks" in ranking.coords else 0
    if lacking:
        sentences.append(
            f"{_format.count(lacking, 'entity')} {'lacks' if lacking == 1 else 'lack'} some of the data sets."
        )
    sentences += _unranked(ranking)
    undefined = int(((ranking["undefined"] > 0) & ranking["tier"].notnull()).sum())
    if undefined:
        sentences.append(
            f"{_format.count(undefined, 'entity')} had no defined {score} in some draws; "
            "ranks are among the defined ones."
        )
    return sentences


def worth(ranking: xr.Dataset) -> float:
    """Independent draws that a ranking's draws are worth, by its stickiest entity: what a printed probability rests on.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> worth(br.credible_ranking(counts, "f1"))
    1.0
    """
    draws = ranking.attrs["draws"]
    share = ranking["effective_sample_size"] / (draws * (1 - ranking["undefined"]))
    return float(draws * share.where(ranking["tier"].notnull()).min().fillna(1.0))


def _unranked(ranking: xr.Dataset) -> list[str]:
    """Who is not ranked, by name."""
    lines = []
    for word, here in (("Never with", ranking["undefined"] == 1), ("Mostly without", ranking["undefined"] < 1)):
        names = ranking["entity"].values[(here & ranking["tier"].isnull()).values]
        if len(names):
            lines.append(f"{word} a defined {ranking.attrs['score']}, not ranked: {', '.join(map(str, names))}.")
    return lines


def _check_ranking(ranking: xr.Dataset) -> None:
    if not isinstance(ranking, xr.Dataset) or not {"prob", "score", "draws"} <= set(ranking.attrs):
        raise ValueError(f"ranking must come from br.credible_ranking; got {in_words(ranking)}")
    if ranking["tier"].dims != ("entity",):
        raise ValueError(f"ranking must be one ranking (select it with .isel); got the dims {ranking['tier'].dims}")


def _leaders(ranking: xr.Dataset) -> str:
    """Who is most probably the best; all whose P(best) differs from the highest by less than Monte-Carlo error."""
    best, error = (
        ranking["probability_best"].where(ranking["tier"].notnull(), 0.0).values,
        ranking["probability_best_error"].fillna(0.0).values,
    )
    highest = int(np.argmax(best))
    top = np.flatnonzero(best >= best[highest] - 2 * np.hypot(error, error[highest]))
    names = [str(ranking["entity"].values[i]) for i in top]
    p = _format.probability(float(best[top].mean()), worth(ranking))
    score = ranking.attrs["score"]
    if len(top) == 1:
        relation = f"{p[0]} {p[1:]}" if p[0] in "<>" else f"= {p}"
        return f"{names[0]} is the most probable best by {score}: P(best) {relation}."
    listed = " and ".join(names) if len(names) == 2 else f"{names[0]}, {names[1]} and {len(names) - 2} more"
    return f"{listed} share the highest probability of being best by {score}, {p} each, within Monte-Carlo error."


def _best_set(ranking: xr.Dataset) -> str:
    """The smallest set that holds the best; few members are named, the most probable first."""
    held = ranking.isel(entity=np.flatnonzero(ranking["in_best_set"].values))
    names = [str(name) for name in held["entity"].values[np.argsort(-held["probability_best"].values, kind="stable")]]
    listed = f": {' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}" if len(names) <= NAMED else ""
    return (
        f"The smallest set that holds the best entity with probability {ranking.attrs['prob']:g} has "
        f"{_format.count(len(names), 'member')}{listed}."
    )
