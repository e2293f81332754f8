"""A ranking of each category, by the mean over categories, and by the worst category."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._errors import ArgumentError
from bayesrank._notes import Note
from bayesrank._source import groups_of
from bayesrank.cli._analysis import ask, chosen_score, quiet
from bayesrank.logs import Choices
from bayesrank.ranking.claims import cap
from bayesrank.ranking.summary import effective_draws
from bayesrank.ranking.values import score_values
from bayesrank.scores import Score
from bayesrank.words.results import verdict_parts


@dataclass(frozen=True)
class CategoryRanking:
    """A ranking, what it is of, and sentences on it."""

    title: str
    ranking: xr.Dataset
    lines: list[str]


def rank_categories(
    step: Any, by: str, score: Score | None, rope: float, prob: float, how: dict[str, Any]
) -> list[CategoryRanking]:
    """Return the rankings by the mean over categories and by the worst category, and one of each category."""
    fitted = {name: how.pop(name) for name in ("draws", "seed", "sampler")}
    inputs = ask(step, by=by, **how)
    evidence = inputs.evidence
    score = chosen_score(evidence, score)
    if score.space != "outcomes" or not isinstance(evidence, xr.Dataset):
        raise ArgumentError("--by", f"must be left out of {score.name}; it takes outcomes of single cases")
    if "dataset" not in evidence.coords or len(set(evidence["dataset"].values.tolist())) < 2:
        raise ArgumentError("--by", "must name a column with at least two categories", f"{by!r}")
    if "cluster" in evidence.coords:
        pairs = set(zip(evidence["cluster"].values.tolist(), evidence["dataset"].values.tolist(), strict=True))
        if len(pairs) > len({cluster for cluster, _ in pairs}):
            raise ArgumentError("--cluster", f"must name groups within categories of {by}; a group is in several")
    step("drawing")
    with quiet():
        apart, split = (
            br.fit(evidence, inputs.model, **fitted, **inputs.options, split_prior=split) for split in (False, True)
        )
    observed = groups_of(apart)["observed_data"]["mean_outcome"]
    _check_met(observed, by, "found" in inputs.about and by in ("category", "dataset"))
    step("ranking")
    options: dict[str, Any] = {"prob": prob, "rope": rope, "higher_is_better": inputs.direction(score)}
    mean = br.credible_ranking(br.performance.mean_over_datasets(split), score, **options)
    values = score_values(apart, score, options["higher_is_better"], None)
    worst, lines = _worst(values.values, values.sign, observed, options)
    each = br.credible_ranking(apart, score, **options)
    sizes = evidence["count"].groupby(evidence["dataset"]).sum().to_series()
    # How many more cases would help depends on which categories they are of.
    words = replace(verdict_parts(mean), next_step="").sentences()
    title = f"Mean over {len(sizes)} categories, each weighing the same"
    rankings = [
        CategoryRanking(title, mean, [*words, *_lost_variance(sizes.to_numpy()), *inputs.stated(score)]),
        CategoryRanking("Worst category of each entity", worst, lines),
    ]
    for name in each["dataset"].values.tolist():
        one = each.sel(dataset=name, drop=True)
        title = f"{by} {name} ({_text.count(int(sizes[name]), 'case')})"
        rankings.append(CategoryRanking(title, one, verdict_parts(one).sentences()[:1]))
    return rankings


def _check_met(observed: xr.DataArray, by: str, logs: bool) -> None:
    """Refuse categories that an entity did not meet, whose means would be of different tasks."""
    lacking = observed.isnull()
    if not bool(lacking.any()):
        return
    common = observed["dataset"].values[~lacking.any("entity").values].astype(str).tolist()
    name = observed["entity"].values[lacking.any("dataset").values][0]
    category = observed["dataset"].values[lacking.sel(entity=name).values][0]
    typed = Choices(shell=True).say("only", common, by)
    remedy = f" ({typed} keeps the cases that all entities met)" if logs and len(common) > 1 else ""
    raise ArgumentError(
        "--by", f"must name categories that every entity met; {name} has no outcome in {category}{remedy}"
    )


def _worst(
    values: xr.DataArray, sign: int, observed: xr.DataArray, options: dict[str, Any]
) -> tuple[xr.Dataset, list[str]]:
    """Rank by the worst category of each draw, and say which category that is."""
    ranking = br.credible_ranking(sign * (sign * values).min("dataset"), "mean_outcome", **options)
    ranking = cap(ranking, [Note("not_measured", {"what": "the worst of several categories"})])
    ranking["observed"] = sign * (sign * observed).min("dataset").sel(entity=ranking["entity"])
    table = br.ranking_table(ranking)
    first = table.index[0]
    best = _text.probability(table["probability_best"].iloc[0], effective_draws(ranking))
    lines = [f"{first} leads by its worst category: P(best) = {best}."]
    found = (sign * values).idxmin("dataset")
    for name in table.index:
        categories, often = np.unique(found.sel(entity=name).values.astype(str), return_counts=True)
        share = _text.probability(often.max() / often.sum(), effective_draws(ranking))
        lines.append(f"{name}: worst on {categories[often.argmax()]} with probability {share}.")
    return ranking, lines


def _lost_variance(cases: np.ndarray) -> list[str]:
    """Say that the one prior that is spread over categories loses variance where these have few cases."""
    # Of n cases it keeps (n - 1) / (n + 1) of the variance.
    kept = np.sqrt(((cases - 1) / (cases + 1) / cases).sum() / (1 / cases).sum())
    if kept >= 0.95:  # less than 5% of the standard error is lost
        return []
    few = f"Categories have as few as {_text.count(int(cases.min()), 'case')}"
    if cases.min() < 2:
        return [f"{few}, which does not say how much cases vary: intervals of the mean are too narrow."]
    return [f"{few}: intervals of the mean are too narrow by about {100 * (1 - kept):.0f}%."]
