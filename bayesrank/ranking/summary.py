"""A credible ranking as a table and in words."""

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank import _text
from bayesrank._checks import in_words, result_of

__all__ = ["contradictions", "ranking_table", "verdict", "worth"]

#: What makes a Dataset a ranking; and what one lacks that was made without comparing all pairs.
NEEDED = {"median", "expected_rank", "rank_lower", "undefined", "contradicted", "notes"}
OF_PAIRS = ("superiority", "equivalence", "consensus_position", "consensus_rank", "tier")

#: Independent draws that a probability of 0.95 can be read off: 1 of all of fewer may well be less.
FEWEST = 60
#: A mean shortfall below which nobody needs to know it.
LEAST = 1e-9
#: Errors of quadrature that let no probability be told to three digits.
UNRESOLVED = 5e-4
#: Names that a sentence can list.
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
        Indexed by entity, in consensus order; of a ranking with ``joint=False``, in the order of the expected ranks.
        Columns, as far as the ranking has them: ``median``, ``lower`` and ``upper`` of the score (equal tails at the
        ranking's ``prob``), ``observed``, ``probability_best``, ``expected_rank``, ``rank_lower``, ``rank_upper``,
        ``rank_confidence_lower``, ``rank_confidence_upper``, ``consensus_rank``, ``tier``, ``expected_regret``,
        ``undefined``.

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
        "rank_confidence_lower", "rank_confidence_upper", "consensus_rank", "tier", "expected_regret", "undefined",
    ]  # fmt: skip
    found = {column: ranking[column].values for column in columns if column in ranking}
    frame = pd.DataFrame(found, pd.Index(ranking["entity"].values, name="entity"))
    # Who is not ranked comes last, by name.
    names = np.array([str(name) for name in frame.index])
    known = ranking.get("consensus_position", ranking["expected_rank"].where(ranking["rank_lower"].notnull()))
    return frame.iloc[np.lexsort((names, known.values))]


def verdict(ranking: xr.Dataset) -> list[str]:
    r"""The ranking in words: one sentence an item.

    Parameters
    ----------
    ranking : xarray.Dataset
        Of one ranking.

    Returns
    -------
    list of str
        What has to be known first: observed values outside of their own intervals, then the ranking's notes. Then who
        is probably best and how sure that is, who may be as good, who is worse, to whom the confidence sets leave the
        first place, what choosing the first costs on average, who could not be ranked, and whether the draws are too
        few.

    Raises
    ------
    ValueError
        If ``ranking`` is none, holds several rankings, or was made with ``joint=False``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 779], fp=[10, 21], fn=[9, 21], tp=[21, 279], entity=["a", "b"])
    >>> ranking = br.credible_ranking(br.fit(counts, seed=1), "informedness")
    >>> print(*verdict(ranking), sep="\n")
    b is the most probable best by informedness: P(best) > 0.999.
    b beats a with probability >0.999.
    In no draw does choosing b cost anything.
    """
    check_whole(ranking)
    score, size = ranking.attrs["score"].replace("_", " "), ranking.sizes["entity"]
    exact = is_exact(ranking)
    if not bool((ranking["undefined"] < 1).any()):
        return [f"No entity has a defined {score}{'' if exact else ' in any draw'}: there is nothing to rank."]
    if bool(ranking["tier"].isnull().all()):
        return [f"No entity has a defined {score} in half of the draws: there is nothing to rank."]
    first = [*contradictions(ranking), *filter(None, str(ranking["notes"].item()).split("\n"))]
    if size == 1:
        return [*first, f"{ranking['entity'].values[0]} is the only entity: there is nothing to rank it against."]
    point = not exact and bool(ranking["effective_sample_size"].isnull().all())
    if point or worth(ranking) < FEWEST:
        table = ranking_table(ranking)
        names = [str(name) for name in table.index[table["consensus_rank"] == 1]]
        why = "A point estimate does" if point else f"Draws worth {worth(ranking):.0f} independent ones do"
        comes = "comes" if len(names) == 1 else "come"
        return [*first, f"{_few(names)} {comes} first by {score}. {why} not say how sure that is.", *_unranked(ranking)]
    last = [*_unranked(ranking), *_too_few_draws(ranking)]
    return [*first, _leaders(ranking), *_comparisons(ranking), *_surely(ranking), *_cost(ranking), *last]


def check_whole(ranking: xr.Dataset) -> None:
    """Raise if something is no ranking, or lacks its pairs or some of its entities.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> check_whole(br.credible_ranking(counts, "f1").isel(entity=[0]))
    Traceback (most recent call last):
    ValueError: ranking must be whole, of 2 entities; got 1 of them (rank those alone to speak of them alone)
    """
    check_pairs(ranking)
    if ranking.sizes["rival"] != ranking.sizes["entity"]:
        raise ValueError(
            f"ranking must be whole, of {ranking.sizes['rival']} entities; got {ranking.sizes['entity']} of them (rank "
            "those alone to speak of them alone)"
        )


def check_pairs(ranking: xr.Dataset) -> None:
    """Raise if something is no ranking, or one that was made without comparing all pairs.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> check_pairs(br.credible_ranking(counts, "f1", joint=False))
    Traceback (most recent call last):
    ValueError: ranking must hold superiority, as br.credible_ranking(..., joint=True) gives it; got none of it
    """
    _check_ranking(ranking)
    for name in OF_PAIRS:
        if name not in ranking:
            raise ValueError(
                f"ranking must hold {name}, as br.credible_ranking(..., joint=True) gives it; got none of it"
            )


def is_exact(ranking: xr.Dataset) -> bool:
    """Whether the probabilities of a ranking rest on no draws.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> is_exact(br.credible_ranking(counts, "f1", method="exact"))
    True
    """
    return ranking.attrs.get("method") == "exact"


def worth(ranking: xr.Dataset) -> float:
    """Independent draws that a ranking's draws are worth, by its stickiest entity: what a printed probability rests on.

    Infinitely many where no draws were needed.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> worth(br.credible_ranking(counts, "f1"))
    1.0
    """
    if is_exact(ranking):
        return np.inf
    draws = ranking.attrs["draws"]
    share = ranking["effective_sample_size"] / (draws * (1 - ranking["undefined"]))
    return float(draws * share.where(ranking["tier"].notnull()).min().fillna(1.0))


def contradictions(ranking: xr.Dataset) -> list[str]:
    """Observed values outside of their own interval; one at an end of the score's range is outside of any.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> contradictions(br.credible_ranking(br.fit(counts, seed=1), "f1"))
    []
    """
    outside = ranking["contradicted"]
    if not bool(outside.any()):
        return []
    one = ranking.isel(entity=int(np.argmax(outside.values)))
    return [
        f"What was observed lies outside of its own {100 * ranking.attrs['prob']:g}% interval for "
        f"{int(outside.sum())} of {_text.count(ranking.sizes['entity'], 'entity')} ({one['entity'].item()}: "
        f"{float(one['observed']):.3f}, outside of {_text.interval(float(one['lower']), float(one['upper']))}): the "
        "prior or the model contradicts the data."
    ]


def _leaders(ranking: xr.Dataset) -> str:
    """Who is most probably the best; all whose P(best) differs from the highest by less than Monte-Carlo error."""
    best = ranking["probability_best"].where(ranking["tier"].notnull(), 0.0).values
    error = ranking["probability_best_error"].fillna(0.0).values
    highest = int(np.argmax(best))
    # Shares of the same draws: where one gains, the other loses, so that their difference varies more.
    of_difference = np.sqrt(error**2 + error[highest] ** 2 + 2 * best * best[highest] / worth(ranking))
    top = np.flatnonzero(best >= best[highest] - 2 * of_difference)
    top = top[best[top] > 0] if best[highest] > 0 else top
    names = [str(ranking["entity"].values[i]) for i in top]
    p = _text.probability(float(best[top].mean()), worth(ranking))
    score = ranking.attrs["score"].replace("_", " ")
    if len(top) == 1:
        relation = f"{p[0]} {p[1:]}" if p[0] in "<>" else f"= {p}"
        return f"{names[0]} is the most probable best by {score}: P(best) {relation}."
    listed = _listed(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"
    if is_exact(ranking) and error[top].max() >= UNRESOLVED:
        return f"Quadrature does not tell who of {listed} is the most probable best by {score}: draws may."
    within = "" if is_exact(ranking) else ", within Monte-Carlo error"
    return f"{listed} share the highest probability of being best by {score}, {p} each{within}."


def _comparisons(ranking: xr.Dataset) -> list[str]:
    """Who may be as good as the first, who holds the best, who is worse; all of it pair by pair."""
    prob, rope = ranking.attrs["prob"], ranking.attrs["rope"]
    by = f" by more than {rope:g}" if rope else ""
    table = ranking_table(ranking).dropna(subset=["tier"])
    names = [str(name) for name in table.index]
    alike = [str(name) for name in table.index[1:][table["tier"].to_numpy()[1:] == 1]]
    worse = [str(name) for name in table.index[table["tier"] > 1]]
    if len(names) < 2:
        return []
    if len(names) == 2:
        i, j = (list(ranking["entity"].values).index(name) for name in table.index)
        p, tie = (float(ranking[name].values[i, j]) for name in ("superiority", "equivalence"))
        if tie >= prob:
            how = f"differ by at most {rope:g}" if rope else "tie"
            return [f"{names[0]} and {names[1]} {how} with probability {_text.probability(tie, worth(ranking))}."]
        if np.isnan(p):
            return [f"{names[0]} and {names[1]} never have a value in the same draw, and cannot be compared."]
        return [f"{names[0]} beats {names[1]}{by} with probability {_text.probability(p, worth(ranking))}."]
    lines = _ties(ranking, table)
    if alike:
        who = _listed(alike) if len(alike) <= NAMED else f"{len(alike)} of the other {len(names) - 1}"
        none = "it" if len(alike) == 1 else "any of them"
        lines.append(f"{who} may be as good: {names[0]} does not beat {none}{by} with probability {prob:g}.")
        lines.append(_best_set(ranking))
    if worse:
        who = (
            "Each of the others is"
            if not alike
            else f"The other {len(worse)} are"
            if len(worse) > 1
            else "The other is"
        )
        each = "it" if alike and len(worse) == 1 else "each of them"
        tiers = int(table["tier"].max())
        more = f" Going on like this from the top makes {tiers} tiers." if tiers > 2 else ""
        lines.append(
            f"{who} worse: {names[0]} beats {each}{by} with probability at least {prob:g}, taken singly.{more}"
        )
        lines += _out_of_step(table, prob, by)
    else:
        lines.append(_separated(ranking, by))
    return lines


def _out_of_step(table: pd.DataFrame, prob: float, by: str) -> list[str]:
    """Who stands before somebody of a better tier: a tier compares with its first entity alone, whatever the order."""
    tier = table["tier"].to_numpy()
    best_after = np.minimum.accumulate(tier[::-1])[::-1]
    late = np.flatnonzero(tier > best_after)
    if not len(late):
        return []
    i = int(late[0])
    j = i + 1 + int(np.argmax(tier[i + 1 :] < tier[i]))
    anchor = table.index[int(np.argmax(tier == tier[j]))]
    return [
        f"Tiers and order differ for {_text.count(len(late), 'entity')}: {table.index[i]} (tier {tier[i]:g}) stands "
        f"before {table.index[j]} (tier {tier[j]:g}), since {anchor} beats the former{by} with probability {prob:g}, "
        "but not the latter."
    ]


def _ties(ranking: xr.Dataset, table: pd.DataFrame) -> list[str]:
    """Who is as good as the first one, not just possibly so."""
    prob, rope = ranking.attrs["prob"], ranking.attrs["rope"]
    first, *others = table.index
    equal = ranking["equivalence"].sel(entity=first).to_series()
    tied = [str(name) for name in others if equal[name] >= prob]
    if not tied:
        return []
    who = _listed(tied) if len(tied) <= NAMED else f"{len(tied)} of the other {len(others)}"
    verb = (
        ("differs from {} by at most {}" if rope else "ties with {}")
        if len(tied) == 1
        else ("differ from {} by at most {}" if rope else "tie with {}")
    )
    each = "" if len(tied) == 1 else ", taken singly"
    return [f"{who} {verb.format(first, f'{rope:g}')} with probability at least {prob:g}{each}."]


def _separated(ranking: xr.Dataset, by: str) -> str:
    """Whether any pair is told apart where the first one beats nobody."""
    prob, names = ranking.attrs["prob"], ranking["entity"].values
    ranked = ranking["tier"].notnull().values
    pairs = np.argwhere((ranking["superiority"].values >= prob) & ranked & ranked[:, None])
    if not len(pairs):
        return f"No two of them are told apart{by} with probability {prob:g}."
    i, j = pairs[0]
    return (
        f"Of the others {_text.count(len(pairs), 'pair')} {'is' if len(pairs) == 1 else 'are'} told apart{by} with "
        f"probability {prob:g}, such as {names[i]} above {names[j]}."
    )


def _best_set(ranking: xr.Dataset) -> str:
    """The smallest set that holds the best; few members are named, the most probable first."""
    held = ranking.isel(entity=np.flatnonzero(ranking["in_best_set"].values))
    names = [str(name) for name in held["entity"].values[np.argsort(-held["probability_best"].values, kind="stable")]]
    listed = f": {_listed(names)}" if len(names) <= NAMED else ""
    return (
        f"The smallest set that holds the best entity with probability {ranking.attrs['prob']:g} has "
        f"{_text.count(len(names), 'member')}{listed}."
    )


def _surely(ranking: xr.Dataset) -> list[str]:
    """Who may be best whatever the true scores, if that leaves anybody out; of two, the pair was told."""
    ranked = ranking["tier"].notnull().values
    if "rank_confidence_lower" not in ranking or ranked.sum() < 3:
        return []
    first = ranking["rank_confidence_lower"].values
    may = ranked & ((first == 1) | np.isnan(first))  # who has no set, for want of draws, is not left out by one
    if may.sum() == ranked.sum():
        return []
    names = sorted(str(name) for name in ranking["entity"].values[may])
    who = f": {_listed(names)}" if len(names) <= NAMED else ""
    return [
        f"The confidence sets of all ranks (jointly at {ranking.attrs['prob']:g}, whatever the true scores) leave the "
        f"first place to {len(names)} of {ranked.sum()}{who}."
    ]


def _cost(ranking: xr.Dataset) -> list[str]:
    """What choosing the first gives away on average."""
    table = ranking_table(ranking)
    regret, first = table["expected_regret"].iloc[0], table.index[0]
    if np.isnan(regret) or ranking["tier"].notnull().sum() < 2:
        return []
    score = ranking.attrs["score"].replace("_", " ")
    if is_exact(ranking) and regret < LEAST:
        return [f"Choosing {first} costs less than {LEAST:g} of {score} on average, against knowing who is best."]
    if regret == 0:
        return [f"In no draw does choosing {first} cost anything."]
    return [f"Choosing {first} costs {regret:.2g} of {score} on average, against knowing who is best."]


def _unranked(ranking: xr.Dataset) -> list[str]:
    """Who is not ranked, by name, and who was not ranked in some draws."""
    score = ranking.attrs["score"].replace("_", " ")
    lines = []
    for word, here in (("Never with", ranking["undefined"] == 1), ("Mostly without", ranking["undefined"] < 1)):
        names = ranking["entity"].values[(here & ranking["tier"].isnull()).values]
        if len(names):
            lines.append(f"{word} a defined {score}, not ranked: {_few([str(name) for name in names])}.")
    partly = int(((ranking["undefined"] > 0) & ranking["tier"].notnull()).sum())
    if partly:
        lines.append(
            f"{_text.count(partly, 'entity')} had no defined {score} in some draws; ranks are among the defined ones."
        )
    return lines


def _too_few_draws(ranking: xr.Dataset) -> list[str]:
    """Whether joint rank intervals had to go to the ends of the draws, or beyond."""
    if "rank_simultaneous_level" not in ranking or not float(ranking["rank_simultaneous_level"]) <= 0:
        return []
    size = int(ranking["tier"].notnull().sum())
    return [
        f"{ranking.attrs['draws']} draws are few for intervals that hold the ranks of all {size} entities at once: the "
        "simultaneous ones go to the ends of the draws or beyond."
    ]


def _check_ranking(ranking: xr.Dataset) -> None:
    result_of("br.credible_ranking", "ranking", ranking, NEEDED)
    if not {"prob", "score", "method"} <= set(ranking.attrs) or not ranking.sizes["entity"]:
        raise ValueError(f"ranking must come from br.credible_ranking; got {in_words(ranking)}")
    dims = ranking["median"].dims
    if dims != ("entity",):
        raise ValueError(f"ranking must be one ranking (select it with .isel); got the dims {dims}")


def _few(names: list[str]) -> str:
    """All names, or the first few of many."""
    return _listed(names) if len(names) <= NAMED else f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"


def _listed(names: list[str]) -> str:
    """a; a and b; a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
