"""The cells of tables of rankings, for the terminal and for notebooks."""

import math

import pandas as pd
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.nouns import noun
from bayesrank._core.percent import score_heading, score_text
from bayesrank._core.records import RankingRecord
from bayesrank.ranking.summary import best_texts, effective_draws, score_name
from bayesrank.words.parts import evidence_cells, evidence_columns

#: Headings of the columns of votes.
OF_VOTES = {"win_rate": "win rate", "win_against_leader": "against first"}


def interval_cells(middle: float, low: float, high: float, digits: int) -> list[str]:
    """Format a median and its interval, with fewer decimals the larger they are."""
    if math.isnan(low):
        return ["–", "–"]
    return [
        prose.format_with_interval(middle, low, high, digits),
        prose.interval_digits(low, high, digits),
    ]


def rank_header(prob: float) -> list[str]:
    return ["P(best)", f"{100 * prob:g}% ranks"]


def ranking_cells(
    ranking: xr.Dataset, table: pd.DataFrame, columns: list[str], digits: int
) -> tuple[list[str], list[list[str]]]:
    """Return the heading and the cells of a ranking table, with further columns by name."""
    record, size = RankingRecord.of(ranking), effective_draws(ranking)
    level = f"{record.percent} interval"
    costs, evidence = "mean_cost" in table, evidence_columns(table)
    header = [
        noun(),
        score_heading(score_name(ranking)),
        level,
        *evidence,
        *rank_header(record.prob),
        "tier",
    ]
    header += ["mean cost", level, "P(front)"] * costs
    columns = [*[name for name in OF_VOTES if name in table], *columns]
    columns = list(dict.fromkeys(name for name in columns if name not in evidence))
    rows, undefined, best = [], ranking["unobserved"].to_series().to_dict(), best_texts(ranking)
    for name, row in table.iterrows():
        scores = interval_cells(row["median"], row["lower"], row["upper"], digits)
        cells = [str(name), *map(score_text, scores)]
        cells += evidence_cells(row, evidence, undefined[name], digits)
        cells += [
            best[name],
            prose.interval(row["rank_lower"], row["rank_upper"], 0),
            prose.number(row["tier"], 0),
        ]
        if costs:
            cells += interval_cells(
                row["mean_cost"], row["mean_cost_lower"], row["mean_cost_upper"], digits
            )
            cells.append(prose.probability(row["probability_front"], size))
        rows.append([*cells, *(prose.number(row[column], digits) for column in columns)])
    return [*header, *(OF_VOTES.get(name, name) for name in columns)], rows
