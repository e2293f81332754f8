"""A ranking of each category, by the mean over categories, and by the worst category."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.notes import Note
from bayesrank._core.records import ModelRecord
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.draws import silence_samplers
from bayesrank.cli._analysis import CommandAnalysis, read_data
from bayesrank.evidence.ballots import STRATUM, results_of, votes_of_category
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.io.logs import Choices
from bayesrank.models import find_model, options_of
from bayesrank.ranking.claims import cap
from bayesrank.ranking.summary import effective_draws
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
    inputs = read_data(step, by=by, draws=fitted["draws"], seed=fitted["seed"], **how)
    evidence = inputs.evidence
    parsed = parse_given(evidence)
    if not parsed.by_category:
        hint = f"--dataset-column {by} says that it names data sets"
        raise ArgumentError("--by", f"cannot be used for {parsed.noun}", f"{by!r}", hint)
    score = choose_score(evidence, score)
    if not parsed.names_datasets:
        return _rank_votes(step, by, score, rope, prob, inputs, fitted)
    _check_categories(evidence, by)
    can_split = "split_prior" in options_of(find_model(inputs.model))
    splits: list[dict[str, Any]] = [{"split_prior": False}, {"split_prior": True}]
    splits = splits if can_split else [{}, {}]
    step("drawing")
    with silence_samplers():
        separate, split = (
            br.fit(evidence, inputs.model, **fitted, **inputs.options, **one) for one in splits
        )
    for posterior in (separate, split) if by != "dataset" else ():
        posterior["posterior"].attrs |= ModelRecord(stratum="category").to_attrs()
    cases = _cases_of(evidence)
    _check_met(cases, by, "found" in inputs.about and by in ("category", "dataset"))
    step("ranking")
    better = inputs.direction(score)
    options: dict[str, Any] = {"prob": prob, "rope": rope, "higher_is_better": better}
    mean = br.credible_ranking(split, score, over="dataset", **options)
    worst, lines = _worst(separate, score, options)
    observed = br.credible_ranking(separate, score, kind="observed", **options)
    sizes = cases.max("entity").to_series()
    # How many more cases would help depends on which categories they are of.
    words = replace(verdict_parts(mean), next_step="").sentences()
    title = f"Mean over {len(sizes)} categories, each weighing the same"
    rankings = [
        CategoryRanking(
            title,
            mean,
            [*words, *_lost_variance(sizes.to_numpy(), can_split), *inputs.say_remarks(score)],
        ),
        CategoryRanking("Worst category of each entity", worst, lines),
    ]
    for name in observed["dataset"].values.tolist():
        of_category = select_names(observed, dataset=name, drop=True)
        title = f"{by} {name} ({prose.count(int(sizes[name]), 'case')})"
        rankings.append(
            CategoryRanking(title, of_category, verdict_parts(of_category).sentences()[:1])
        )
    return rankings


def _check_categories(evidence: Any, by: str) -> None:
    """Raise an error unless there are several categories, and each cluster is in one of them."""
    if "dataset" not in evidence.coords or len(set(evidence["dataset"].values.tolist())) < 2:
        raise ArgumentError("--by", "must name a column with at least two categories", f"{by!r}")
    if "cluster" in evidence.coords:
        clusters, categories = (evidence[name].values.tolist() for name in ("cluster", "dataset"))
        if len(set(zip(clusters, categories, strict=True))) > len(set(clusters)):
            raise ArgumentError(
                "--cluster", f"must name groups within categories of {by}; a group is in several"
            )


def _rank_votes(
    step: Any,
    by: str,
    score: Score,
    rope: float,
    prob: float,
    inputs: CommandAnalysis,
    fitted: dict[str, Any],
) -> list[CategoryRanking]:
    """Return the ranking by all votes, and one of each category, whose strengths are relative to its own entities."""
    evidence = inputs.evidence
    assert isinstance(evidence, xr.Dataset)
    names, sizes = np.unique(evidence[STRATUM].values, return_inverse=True)
    sizes = np.rint(np.bincount(sizes, results_of(evidence).sum("result").values)).astype(int)
    if len(names) < 2:
        raise ArgumentError("--by", "must name a column with at least two categories", f"{by!r}")
    order = np.argsort(-sizes, kind="stable")
    parts = [("All votes", evidence.drop_vars(STRATUM))]
    for i in order.tolist():
        title = f"{by} {names[i]} ({prose.count(int(sizes[i]), 'vote')})"
        parts.append((title, votes_of_category(evidence, names[i])))
    step("drawing")
    rankings = []
    for title, votes in parts:
        with silence_samplers():
            posterior = br.fit(votes, inputs.model, **fitted, **inputs.options)
        ranking = br.credible_ranking(posterior, score, prob=prob, rope=rope)
        words = verdict_parts(ranking).sentences()
        rankings.append(
            CategoryRanking(title, ranking, words[: len(words) if title == "All votes" else 1])
        )
    return rankings


def _cases_of(evidence: Any) -> xr.DataArray:
    """Return the number of cases of each entity in each category (entity, dataset)."""
    if isinstance(evidence, xr.DataArray):
        return evidence.sum([dim for dim in evidence.dims if dim not in ("entity", "dataset")])
    measured = (
        evidence["outcome"].notnull()
        if "outcome" in evidence
        else xr.ones_like(evidence["predicted"], bool)
    )
    return (evidence["count"] * measured).groupby("dataset").sum("pattern")


def _check_met(cases: xr.DataArray, by: str, logs: bool) -> None:
    """Refuse categories that an entity did not meet, whose means would be of different tasks."""
    lacking = cases == 0
    if not bool(lacking.any()):
        return
    common = cases["dataset"].values[~lacking.any("entity").values].astype(str).tolist()
    name = cases["entity"].values[lacking.any("dataset").values][0]
    category = cases["dataset"].values[select_names(lacking, entity=name).values][0]
    typed = Choices(shell=True).say("only", common, by)
    remedy = f" ({typed} keeps the cases that all entities met)" if logs and len(common) > 1 else ""
    raise ArgumentError(
        "--by",
        f"must name categories in which every entity has outcomes; {name} has no outcome in {category}{remedy}",
    )


def _worst(posterior: Any, score: Score, options: dict[str, Any]) -> tuple[xr.Dataset, list[str]]:
    """Rank by the worst category of each draw, and say which category that is."""
    ranking = br.credible_ranking(posterior, score, over="dataset", aggregate="worst", **options)
    ranking = cap(ranking, [Note("not_measured", {"what": "the worst of several categories"})])
    table, size = br.ranking_table(ranking), effective_draws(ranking)
    best = prose.probability(table["probability_best"].iloc[0], size)
    lines = [f"{table.index[0]} leads by its worst category: P(best) = {best}."]
    for name in table.index:
        row = select_names(ranking, entity=name)
        share = prose.probability(float(row["worst_probability"]), size)
        lines.append(f"{name}: worst on {row['worst'].item()} with probability {share}.")
    return ranking, lines


def _lost_variance(cases: np.ndarray, split: bool) -> list[str]:
    """Say that the one prior that is spread over categories loses variance where these have few cases."""
    # Of n cases it keeps (n - 1) / (n + 1) of the variance.
    retained = np.sqrt(((cases - 1) / (cases + 1) / cases).sum() / (1 / cases).sum())
    if retained >= 0.95 or not split:  # less than 5% of the standard error is lost
        return []
    fewest = f"Categories have as few as {prose.count(int(cases.min()), 'case')}"
    if cases.min() < 2:
        return [
            f"{fewest}, which does not say how much cases vary: intervals of the mean are too narrow."
        ]
    return [f"{fewest}: intervals of the mean are too narrow by about {100 * (1 - retained):.0f}%."]
