"""Sentences of the command on the members of a population: data sets, or the entities themselves."""

from typing import Any

import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._compat import groups_of
from bayesrank.words.models import population_words


def dataset_lines(posterior: Any, score: Any, ranking: xr.Dataset) -> list[str]:
    """State how much data sets differ for the leader, with its typical and new performance, and for the others.

    Of a population of entities, that it is one. Nothing of other models.
    """
    words = population_words(posterior)
    if words is not None:
        return [words]
    if not _of_datasets(posterior):
        return []
    found = br.heterogeneity(posterior, score, prob=ranking.attrs["prob"])
    first = br.ranking_table(ranking).index[0]
    lines = [*br.verdict(one := found.sel(entity=[first])), *br.notes(one)]
    rest = found["between_sd"].sel(entity=[name for name in found["entity"].values.tolist() if name != first])
    rest = rest.isel(entity=rest.notnull().values).sortby(rest.isel(entity=rest.notnull().values))
    if rest.sizes["entity"]:
        ends = [rest.isel(entity=i) for i in sorted({0, rest.sizes["entity"] - 1})]
        values = " to ".join(f"{float(end):.3f} ({end['entity'].item()})" for end in ends)
        lines.append(f"Of the other{'s' * (len(ends) > 1)} the standard deviation between data sets is {values}.")
    return lines


def with_populations(table: pd.DataFrame, posterior: Any, score: Any, prob: float) -> pd.DataFrame:
    """Return the table of a ranking, with the heterogeneity between data sets if the model estimates it."""
    if not _of_datasets(posterior):
        return table
    found = br.heterogeneity(posterior, score, prob=prob)
    return table.join(found.drop_vars([name for name in found.coords if name != "entity"]).to_dataframe())


def _of_datasets(posterior: Any) -> bool:
    """Return whether the posterior knows a typical data set and a new one."""
    group = groups_of(posterior)["posterior"]
    return "dataset" in group.dims and {"performance_typical", "performance_new"} <= set(group.data_vars)
