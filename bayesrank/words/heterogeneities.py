"""The verdict on a heterogeneity: how much a score differs between data sets."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result
from bayesrank._core.nouns import noun
from bayesrank._core.percent import score_text
from bayesrank._core.prose import few_names
from bayesrank._core.records import RankingRecord, ResultRecord
from bayesrank.ranking.summary import score_name
from bayesrank.words.parts import Verdict, compose
from bayesrank.words.sentences.ranking import TYPICAL

NEEDED = {
    "datasets",
    *(
        f"{name}{end}"
        for name in ("between_sd", "share", "new", "typical")
        for end in ("", "_lower", "_upper")
    ),
}


def verdict_of_heterogeneity(result: xr.Dataset) -> Verdict:
    """Return the verdict on a heterogeneity, of :func:`bayesrank.heterogeneity`, or of some of its entities."""
    check_result("br.heterogeneity", "result", result, NEEDED, ("score", "prob"))
    table = result if "entity" in result.dims else result.expand_dims("entity")
    spread = table["between_sd"].values
    defined = np.flatnonzero(~np.isnan(spread))
    notes: list[str] = []
    lacking = np.isnan(spread) & table["new"].notnull().values
    if lacking.any():
        names = few_names([str(name) for name in table["entity"].values[lacking]])
        notes.append(
            f"Differences between data sets are unknown with fewer than two data sets: {names}."
        )
    if not len(defined):
        return compose(
            "heterogeneity",
            f"No {noun()} has two data sets or more: nothing is known of differences.",
            notes,
        )
    extreme = defined if len(defined) <= 2 else [np.nanargmax(spread), np.nanargmin(spread)]
    first, *second = [table.isel(entity=int(i)) for i in extreme]
    notes += [line for i in defined for line in _describe(table.isel(entity=int(i)), result)]
    more = (
        f"For {second[0]['entity'].item()} it is {_estimate(second[0], 'between_sd')}."
        if second
        else ""
    )
    deviation = _estimate(first, "between_sd", f"{ResultRecord.of(result).percent} interval ")
    headline = (
        f"Between its {int(first['datasets'])} data sets the {score_name(result)} of {first['entity'].item()} has a "
        f"standard deviation of {deviation}."
    )
    return compose("heterogeneity", headline, notes, more)


def _estimate(one: xr.Dataset, key: str, what: str = "") -> str:
    value, low, high = (float(one[f"{key}{end}"]) for end in ("", "_lower", "_upper"))
    return f"{score_text(prose.number(value))} ({what}{score_text(prose.interval(low, high))})"


def describe_typical(result: xr.Dataset) -> str:
    """Return what a typical data set is, and the prevalence that its score is for; empty if unknown."""
    record = RankingRecord.of(result)
    at = record.prevalence
    prevalence = "at their mean prevalence" if at == "sampled" else f"prevalence {at}"
    return ", ".join(
        filter(
            None,
            [TYPICAL.get(record.typical, "").format(unit="data set"), prevalence if at else ""],
        )
    )


def _describe(one: xr.Dataset, result: xr.Dataset) -> list[str]:
    """State the share of the observed variance, and the score on a typical and on a new data set."""
    name, typical = one["entity"].item(), describe_typical(result)
    population = f" ({typical})" if typical else ""
    share, low, high = (100 * float(one[f"share{end}"]) for end in ("", "_lower", "_upper"))
    account = f"{share:.0f}% ({low:.0f}% to {high:.0f}%) of the observed variance"
    typical, new = (_estimate(one, key) for key in ("typical", "new"))
    lines = [
        f"{name}: differences between data sets account for {account}.",
        f"{name}: the {score_name(result)} of a typical data set{population} is {typical}, of a new data set {new}.",
    ]
    return lines[1:] if np.isnan(share) else lines
