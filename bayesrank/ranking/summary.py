"""A credible ranking as a table, and checks of rankings."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_result, describe_value
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import index_of
from bayesrank._core.notes import Note
from bayesrank._core.prose import probability
from bayesrank._core.records import RankingRecord, ResultRecord
from bayesrank.ranking.intervals import position_of
from bayesrank.ranking.values import SCHEMA
from bayesrank.scores.display import display_name

#: Variables of every ranking, and those missing without pairwise comparisons.
NEEDED = {
    *("median", "lower", "upper", "observed", "contradicted", "undefined", "cases"),
    *(
        "expected_rank",
        "rank_marginal_lower",
        "rank_marginal_upper",
        "probability_best",
        "probability_best_error",
    ),
    "expected_regret",
}
OF_PAIRS = (
    *(
        "superiority",
        "equivalence",
        "consensus_position",
        "consensus_rank",
        "rank_lower",
        "rank_upper",
        "in_best_set",
    ),
    *(
        "surely_above",
        "tier",
        "difference",
        "rank_alone_lower",
        "rank_alone_upper",
    ),
)
#: Columns of a table, if available.
COLUMNS = (
    *(
        "median",
        "lower",
        "upper",
        "observed",
        "cases",
        "probability_best",
        "expected_rank",
        "rank_lower",
        "rank_upper",
    ),
    *("difference", "difference_lower", "difference_upper"),
    *("predictive", "predictive_rank", "consensus_rank", "tier", "expected_regret", "undefined"),
    *("win_rate", "win_against_leader"),
)
#: The columns of a table that hold the evidence of each entity.
EVIDENCE = ("observed", "cases")


@check_call
def ranking_table(ranking: xr.Dataset) -> pd.DataFrame:
    """Return a ranking as a table, best first.

    Parameters
    ----------
    ranking : xarray.Dataset
        The result of :func:`bayesrank.credible_ranking`.

    Returns
    -------
    pandas.DataFrame
        Indexed by entity, by tier and then in consensus order, or in predictive order if the
        ranking was made with ``order="predictive"`` (by expected rank if ``joint=False``). Columns,
        as far as the ranking has them: ``median``, ``lower``, ``upper``, ``observed``, ``cases``,
        ``probability_best``, ``expected_rank``, ``rank_lower``, ``rank_upper``, ``difference``
        (from the leader), ``difference_lower``, ``difference_upper``, ``predictive``,
        ``predictive_rank``, ``consensus_rank``, ``tier``, ``expected_regret``, ``undefined``; of
        votes also ``win_rate`` and ``win_against_leader``.

    Raises
    ------
    ValueError
        If ``ranking`` is not one ranking.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ranking_table(br.credible_ranking(br.fit(counts, seed=1), "f1")).index.tolist()
    ['b', 'a']
    """
    _check_ranking(ranking)
    columns = {column: ranking[column].values for column in COLUMNS if column in ranking}
    frame = pd.DataFrame(columns, index_of(ranking["entity"].values, "entity"))
    # Entities without a rank come last, by name.
    names = np.array([str(name) for name in frame.index])
    if "tier" not in ranking:
        return frame.iloc[np.lexsort((names, ranking["expected_rank"].values))]
    return frame.iloc[np.lexsort((names, position_of(ranking).values, ranking["tier"].values))]


def first_of_order(ranking: xr.Dataset, top: int | None) -> pd.DataFrame:
    """Return the rows of the table of the leader and the first entities of the order, ``top`` in all; None for all."""
    table = ranking_table(ranking)
    if top is None or "consensus_position" not in ranking:
        return table[:top]
    position = position_of(ranking).to_series().reindex(table.index).to_numpy()
    chosen = np.argsort(np.nan_to_num(position, nan=np.inf), kind="stable")[:top]
    return table.iloc[np.sort(chosen)]


def check_complete(ranking: xr.Dataset) -> None:
    """Raise if the argument is not a ranking, or lacks its pairs or some of its entities."""
    check_pairs(ranking)
    if ranking.sizes["rival"] != ranking.sizes["entity"]:
        raise ArgumentError(
            "ranking",
            f"must contain all of its {ranking.sizes['rival']} entities",
            f"{ranking.sizes['entity']} of them",
            "rank only those entities to describe a part",
        )


def check_pairs(ranking: xr.Dataset) -> None:
    """Raise if the argument is not a ranking, or was made without comparing all pairs."""
    _check_ranking(ranking)
    for name in OF_PAIRS:
        if name not in ranking:
            raise ArgumentError(
                "ranking",
                f"must contain {name}, as from br.credible_ranking(..., joint=True)",
                "none",
            )


def is_exact(ranking: xr.Dataset) -> bool:
    """Return whether the probabilities of a ranking were computed without draws."""
    return RankingRecord.of(ranking).method == "exact"


def effective_draws(ranking: xr.Dataset) -> float:
    """Return the smallest effective sample size over the entities of a ranking; infinite without draws."""
    if is_exact(ranking):
        return np.inf
    ranked = ~np.isnan(ranking["tier"].values)
    size = ranking["effective_sample_size"].values[ranked] / (
        1 - ranking["undefined"].values[ranked]
    )
    size = size[~np.isnan(size)]
    return float(size.min()) if size.size else float(RankingRecord.of(ranking).draws)


def best_texts(ranking: xr.Dataset) -> dict[Any, str]:
    """Return P(best) of each entity for people; a dash without a rank or without a rival."""
    size, ranked = effective_draws(ranking), ranking["expected_rank"].values > 0
    chances = np.where(ranked & (ranked.sum() > 1), ranking["probability_best"].values, np.nan)
    return {
        name: probability(p, size)
        for name, p in zip(ranking["entity"].values.tolist(), chances.tolist(), strict=True)
    }


def score_name(ranking: xr.Dataset) -> str:
    """Return the display name of the score that a result is about."""
    record = ResultRecord.of(ranking)
    return record.display or display_name(record.score)


def outside_interval(ranking: xr.Dataset) -> list[Note]:
    """Return a caveat on observed values outside their own interval."""
    outside = np.flatnonzero(ranking["contradicted"].values)
    if not outside.size:
        return []
    names = ranking["entity"].values
    # The first by name, so that the order of the entities does not matter.
    first = min(outside, key=lambda i: str(names[i]))
    observed, low, high = (
        float(ranking[name].values[first]) for name in ("observed", "lower", "upper")
    )
    values = {
        "observed": observed,
        "lower": low,
        "upper": high,
        "prob": RankingRecord.of(ranking).prob,
    }
    fields = {"score": score_name(ranking), "entity": str(names[first]), "others": outside.size - 1}
    return [Note("observed_outside_interval", {**fields, **values})]


def _check_ranking(ranking: xr.Dataset) -> None:
    drawn = isinstance(ranking, xr.Dataset) and not is_exact(ranking)
    needed = NEEDED | ({"effective_sample_size"} if drawn else set())
    attrs = {"prob", "rope", "score", "method", "higher_is_better", "range"} | (
        {"draws"} if drawn else set()
    )
    check_result("br.credible_ranking", "ranking", ranking, needed, attrs)
    if ranking.attrs.get("schema") != SCHEMA:
        raise ArgumentError(
            "ranking",
            f"must have the schema {SCHEMA} of its variables",
            f"schema {ranking.attrs.get('schema', 1)}, saved by an older version",
            "rank again with br.credible_ranking",
        )
    if not ranking.sizes["entity"]:
        raise ArgumentError(
            "ranking", "must come from br.credible_ranking", describe_value(ranking)
        )
    dims = ranking["median"].dims
    if dims != ("entity",):
        raise ArgumentError(
            "ranking", "must be one ranking (select it with .isel)", f"the dims {dims}"
        )
