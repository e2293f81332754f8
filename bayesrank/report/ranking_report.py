"""The report of one credible ranking, in the order of a newspaper: verdict and picture, table, sections, the rest."""

import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from markupsafe import Markup

from bayesrank._core import prose
from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_entities, check_result, describe_value
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import cell_headings, known_classes
from bayesrank._core.notes import notes_of
from bayesrank._core.nouns import noun, nouns, using_noun
from bayesrank._core.outputs import check_output, write_output
from bayesrank._core.percent import score_heading, score_text, using_words_of
from bayesrank._core.records import ModelRecord, RankingRecord
from bayesrank._core.source import Over, Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.evidence.counts import are_outcomes, names_test_sets, parts_of
from bayesrank.plots.kit.page import Html, colors_of, part
from bayesrank.plots.kit.style import is_ratio
from bayesrank.ranking import credible_ranking
from bayesrank.ranking.aggregates import mean_performance, scored
from bayesrank.ranking.claims import OF_LEADER
from bayesrank.ranking.evidence import sampling
from bayesrank.ranking.notes import positive_class_notes
from bayesrank.ranking.summary import best_texts, check_complete, is_exact
from bayesrank.ranking.values import ScoreValues
from bayesrank.report import sections as catalog
from bayesrank.report.methods import definition, facts_of_methods, methods
from bayesrank.report.page import Page, bars, first_of, fold_rows, render
from bayesrank.report.pictures import BAR, Axis
from bayesrank.report.words import implied_prior, prior_scores
from bayesrank.words.models import check_model, model_notes
from bayesrank.words.parts import evidence_cells, evidence_columns
from bayesrank.words.results import verdict_parts
from bayesrank.words.sentences import say

#: What a ranking must contain to be shown.
NEEDED = (
    *(
        "median",
        "lower",
        "upper",
        "observed",
        "rank_probability",
        "probability_best",
        "probability_best_error",
    ),
    *(
        "expected_rank",
        "expected_rank_error",
        "rank_lower",
        "rank_upper",
        "equivalence",
        "consensus_distance",
    ),
    *("consensus_lower_bound", "expected_regret"),
)
#: What can be known of data, as :func:`bayesrank.datasets.describe` tells it.
KNOWN = (
    "title",
    "noun",
    "question",
    "description",
    "citation",
    "licence",
    "caveats",
    "name",
    "model",
    "file",
    "found",
)
#: Rows of a table that is never folded, and the least and most that are seen of a folded one.
WHOLE, KEPT = 25, (10, 20)


@check_call
def ranking_report(
    source: Container,
    score: ScoreLike | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    ranking: xr.Dataset | None = None,
    kind: str | None = None,
    higher_is_better: bool | None = None,
    data: Mapping[str, str] | None = None,
    command: str | None = None,
    sections: Sequence[str] | None = None,
    results: Mapping[str, Any] | None = None,
) -> str:
    """Write the ranking of a posterior by one score as a self-contained HTML page.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        A source for :func:`bayesrank.credible_ranking`: a posterior (also your own), a performance,
        counts, or values of a score (chain, draw, entity). It has one data set, several pooled by
        :func:`bayesrank.pool`, or several with a hierarchical model. With the group ``prior`` the
        report shows the prior of the score.
    score : Score, str or callable, optional
        The score of the ranking, or the name of a variable of the posterior. It is optional for
        values of a score, and for outcomes without classes: the default is their mean.
    path : str or path, optional
        Also write the page to this .html file. It may replace an earlier report, but no other file.
    ranking : xarray.Dataset, optional
        The credible ranking, if it is not the default one.
    kind, higher_is_better : optional
        As for :func:`bayesrank.credible_ranking`.
    data : dict, optional
        Description of the data, with any of the keys of :func:`bayesrank.datasets.describe`.
    command : str, optional
        The command that reproduces the report.
    sections : sequence of str, optional
        Names of the sections between table and notes (``bayesrank.report.sections.names()``);
        "default" means all default sections. If a named section lacks its data, a note says so.
    results : dict, optional
        Results for sections, by name of the section, which is then shown: ``drift`` from
        :func:`bayesrank.ops.drift`, ``cases`` from :func:`bayesrank.cases.deciding_cases`,
        ``sensitivity`` from :func:`bayesrank.sensitivity`, ``planning`` from
        :func:`bayesrank.plan`, ``decisions`` from one or more of
        :func:`bayesrank.decisions.expected_utility`, :func:`bayesrank.decisions.noninferiority` and
        :func:`bayesrank.decisions.decision_curve`.

    Returns
    -------
    str
        HTML. Notebooks display it.

    Raises
    ------
    ValueError, TypeError
        If the source has several data sets and no hierarchical model, a section is unknown, a
        result does not fit its section, or ``path`` is an existing file other than a report.
    OSError
        If the file cannot be written; an earlier report is unchanged.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> html = ranking_report(br.fit(counts, seed=1, groups=["prior"]), "f1", sections=["default", "prior"])
    >>> html.startswith("<!doctype html>")
    True
    """
    if path is not None:
        check_output("path", path, "report")
    ranked = source if isinstance(source, Over) else parse_source(source)
    scores = _read(ranked, score, kind, higher_is_better)
    # The sections show the mean performance over groups; of other aggregates, what is known of the
    # groups.
    if isinstance(ranked, Over):
        mean = ranked.aggregate == "mean"
        source = parse_source(
            mean_performance(ranked, "a report") if mean else ranked.source.with_datasets()
        )
    else:
        source = ranked
    named = [] if sections is None else catalog.check_names("sections", sections)
    computed, facts = _check_results(results), _facts_of(data)
    if command is not None and not isinstance(command, str):
        raise ArgumentTypeError("command", "must be a text", describe_value(command))
    if ranking is None:
        # The score that was resolved, so that its values are computed once; the default score is
        # said to be that.
        resolved = (
            score if score is None or ranked is not source else scores.variable or scores.score
        )
        ranking = credible_ranking(
            ranked, resolved, kind=kind, higher_is_better=higher_is_better, method="auto"
        )
    else:
        _check_ranking(scores, ranking)
    scores = replace(scores, higher_is_better=bool(RankingRecord.of(ranking).higher_is_better))
    page = Page(
        source, score, kind, ranking, scores, check_model(source), computed, frozenset(named)
    )
    default = sections is None or catalog.DEFAULT in named
    with using_words_of(page.facts), using_noun(facts.get("noun")):
        made_page = _make_page(page, default, facts, command)
    if path is not None:
        write_output("path", path, "report", made_page)
    return made_page


def _make_page(page: Page, default: bool, facts: dict[str, str], command: str | None) -> Html:
    """Return the page with the sections that it names, and the default ones if ``default``."""
    source, kind, ranking, scores = page.posterior, page.kind, page.ranking, page.found
    counts, performance = page.counts, page.performance
    # The sections that are shown, and a note on each that was named and lacks its data.
    unasked = catalog.names(defaults=True) if default else []
    requested = {*page.named, *page.results, *unasked}
    made = {name: catalog.find(name).make(page) for name in catalog.names() if name in requested}
    missing = [
        catalog.lacking(name)
        for name, block in made.items()
        if block is None and name in page.named
    ]
    shown = [(name, block) for name, block in made.items() if block is not None]
    parts = None if counts is None else parts_of(counts)
    evidence, size = (
        _describe_evidence(ranking, counts, parts),
        prose.count(len(page.order), noun()),
    )
    labels = None if performance is None else dict(performance.sizes).get("actual")
    score_definition = definition(
        scores.name, scores.score, labels, page.facts.range or scores.range
    )
    stated = f"{size}{f' ({evidence})' if evidence else ''}"
    text, cited = methods(page.about, ranking, score_definition, stated, _versions(), [block for _, block in shown],
                          facts_of_methods(page, performance))  # fmt: skip
    verdict = verdict_parts(ranking, model_notes(page.check, source))
    classes = (
        []
        if performance is None
        else list(map(say, positive_class_notes(performance, scores.score)))
    )
    # The classes have a line of their own, under Data.
    notes = list(
        (
            verdict.without("positive_class", "positive_class_by_choice") if classes else verdict
        ).notes
    )
    notes += [facts[key] for key in ["caveats"] if key in facts]
    notes += ["The data sets are pooled: a data set counts by its number of cases."] * (
        parts is not None
    )
    cells, rows = _table(page)
    ranked_by = scores.variable or scores.score or scores.name
    implied = implied_prior(
        prior_scores(source, ranked_by, kind), page.prob, None if kind else source, ranked_by
    )
    html = str(
        render(
            part("ranking.html", "bayesrank.report"),
            title=facts.get("title", "Credible ranking"),
            facts=dict.fromkeys(KNOWN, "") | facts,
            classes=" ".join(classes),
            sections=shown,
            **_picture(page),
            cells=cells,
            rows=rows,
            differences=any(row["difference"] for row in rows),
            keep=_visible_rows(page.table["tier"]),
            definition=score_definition,
            paste=text,
            cited=cited,
            score_words=scores.display,
            score_column=score_heading(scores.display),
            page=page,
            size=size,
            evidence=evidence,
            origin=page.facts.evidence,
            verdict=verdict.sentences(),
            notes=[*notes, *missing],
            model=_describe_model(page.about),
            priors=" ".join(map(say, notes_of(page.about.priors))),
            implied=implied,
            computed=_describe_computation(page),
            versions=_versions(),
            command=command,
            style=Markup(part("page.css") + part("report.css", "bayesrank.report")),
            script=Markup(part("page.js")),
        )
    ).lstrip()
    return Html(html.replace("</style>", f"{colors_of(html)}\n</style>", 1))


def _read(
    source: Source | Over, score: Any, kind: str | None, higher_is_better: bool | None = None
) -> ScoreValues:
    """Return the values of the score of a source of one data set, or of its aggregate over groups."""
    result = scored(source, score, higher_is_better, kind).found
    if "dataset" in result.values.dims:
        raise ArgumentError(
            "source",
            "must have no dim dataset (fit br.pool(counts), or select one data set)",
            result.values.dims,
        )
    if set(result.values.dims) - {*draw_dims(result.values), "entity"} or not result.values.size:
        raise ArgumentError(
            "source",
            "must contain draws and entities, and no other dims (select one item of each)",
            dict(result.values.sizes),
        )
    if "entity" not in result.values.coords:
        raise ArgumentError(
            "source",
            "must have a coord that names each entity",
            f"coords {list(result.values.coords)}",
        )
    check_entities("source", result.values["entity"].values.tolist())
    return result


def _check_ranking(found: ScoreValues, ranking: Any) -> None:
    check_complete(ranking)
    check_result("br.credible_ranking", "ranking", ranking, NEEDED)
    if not is_exact(ranking):
        check_result("br.credible_ranking", "ranking", ranking, ("effective_sample_size",))
    differing = set(ranking["entity"].values.tolist()) ^ set(found.values["entity"].values.tolist())
    if differing:
        names = prose.list_names(sorted(map(str, differing)))
        raise ArgumentError(
            "ranking", "must have the entities of the posterior", f"{names} in only one of the two"
        )
    if (score := RankingRecord.of(ranking).score) != found.name:
        raise ArgumentError(
            "ranking", f"must be a ranking by the score {found.name}", f"one by {score}"
        )


def _facts_of(data: Any) -> dict[str, str]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise ArgumentTypeError(
            "data", f"must be a mapping from {', '.join(KNOWN)} to texts", describe_value(data)
        )
    for key, value in data.items():
        if not isinstance(key, str) or key not in KNOWN:
            raise ArgumentError(
                "data", f"must have only the keys {', '.join(KNOWN)}", describe_value(key)
            )
        if not isinstance(value, str):
            raise ArgumentTypeError("data", f"must give the {key} as a text", describe_value(value))
    return {
        key: "\n".join(" ".join(line.split()) for line in value.splitlines())
        for key, value in data.items()
    }


def _check_results(results: Any) -> dict[str, Any]:
    if results is None:
        return {}
    if not isinstance(results, Mapping):
        raise ArgumentTypeError(
            "results", "must be a mapping from sections to their results", describe_value(results)
        )
    computed = [name for name in catalog.names() if hasattr(catalog.find(name), "compute")]
    for name in results:
        if name not in computed:
            raise ArgumentError(
                "results", f"must be for the sections {', '.join(computed)}", describe_value(name)
            )
    return {name: result for name, result in results.items() if result is not None}


def _picture(page: Page) -> dict[str, Any]:
    """Return the picture of the leaders, the others folded below it, and its caption; none where nothing is defined."""
    table = page.table[page.table["median"].notna()]
    if table.empty:
        return {"intervals": None, "caption": ""}
    display, ratio = page.found.display, is_ratio(page.ranking)
    columns, leaders = ["median", "lower", "upper", "observed"], set(page.leaders)
    numbers, tiers = (
        dict(zip(table.index, table[columns].to_numpy(float), strict=True)),
        table["tier"],
    )

    def draw(names: list) -> Markup:
        axis = Axis.of([numbers[name] for name in names], score_heading(display), ratio)
        ticks = [(place, score_text(text)) for place, text in axis.ticks]
        axis = replace(axis, ticks=ticks)
        rows, before = [], None
        for name in names:
            tier = tiers[name]
            has_tier = not np.isnan(tier)
            marks = [axis.mark(numbers[name], BAR if name in leaders else "var(--edge)")]
            side = f"tier {tier:g}" if has_tier and tier != before else ""
            rows.append(
                {"name": name, "panels": [marks], "side": side, "band": has_tier and tier % 2}
            )
            before = tier
        return bars(
            [axis],
            rows,
            f"The {display} of {len(names)} {nouns()} with intervals; the table has the numbers.",
        )

    has_observed = bool(table["observed"].notna().any())
    caption = (
        f"Median and {page.percent} interval{', and the observed value (squares)' if has_observed else ''}. "
        f"{'Higher' if page.found.higher_is_better else 'Lower'} is better."
        f"{'' if leaders.issuperset(table.index) else ' Blue: not ruled out as the best.'} Bands are tiers."
        f"{' The axis is logarithmic.' if ratio else ''}"
    )
    return {"intervals": fold_rows(draw, table.index.tolist(), first_of(page)), "caption": caption}


def _table(page: Page) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the headings of the evidence, and the rows of the table in words."""
    ranking, counts = page.ranking, page.counts
    header = evidence_columns(page.table)
    undefined = ranking["unobserved"].to_series().to_dict()
    cells = {
        name: evidence_cells(row, header, undefined[name]) for name, row in page.table.iterrows()
    }
    if counts is not None and "dataset" not in counts.dims and counts.sizes.get("actual") == 2:
        header += cell_headings(counts).values()
        table = counts.transpose("entity", "actual", "predicted")
        for name, four in zip(
            table["entity"].values.tolist(), table.values.reshape(-1, 4).tolist(), strict=True
        ):
            cells[name] += four
    best = best_texts(ranking)
    columns = ["median", "lower", "probability_best", "rank_lower", "expected_rank", "difference"]
    return header, [
        {
            "entity": name,
            "cells": cells[name],
            "median": score_text(
                prose.format_with_interval(row["median"], row["lower"], row["upper"])
            ),
            "interval": score_text(prose.interval(row["lower"], row["upper"])),
            "best": best[name],
            "expected": prose.number(row["expected_rank"], 1),
            "ranks": prose.interval(row["rank_lower"], row["rank_upper"], 0),
            "difference": _difference(row, leads=name == page.table.index[0]),
            "tier": prose.number(row["tier"], 0),
            "sort": [f"{row[column]:.6g}" for column in columns],
        }
        for name, row in page.table.iterrows()
    ]


def _difference(row: pd.Series, leads: bool) -> str:
    """Return the difference of an entity from the leader with its interval; empty for the leader, or if undefined."""
    middle, low, high = (float(row[name]) for name in OF_LEADER)
    if leads or np.isnan([middle, low, high]).any():
        return ""
    return score_text(f"{prose.signed(middle, low, high)} ({prose.signed_interval(low, high)})")


def _visible_rows(tiers: pd.Series) -> int:
    """Return how many rows are seen of a folded table: the first tier, if it is neither small nor large; 0 for all."""
    return 0 if len(tiers) <= WHOLE else int(np.clip((tiers == 1).sum(), *KEPT))


def _describe_computation(page: Page) -> str:
    """Return what the numbers rest on: integrals or draws, and how the sampler did."""
    draws = page.facts.draws
    if is_exact(page.ranking):
        text = "The posterior is known in closed form: scores, intervals and probabilities are computed without draws."
        return (
            f"{text} Rank sets, tiers and other numbers rest on {draws:,} draws." if draws else text
        )
    text = "Every posterior draw is scored and ranked; probabilities are shares of these draws."
    if page.posterior.group("sample_stats") is None or not draws:
        return text
    sampler = sampling(page.posterior, page.found.values)
    return (
        f"{text} For the ranked score the largest R-hat is {sampler['rhat']:.3f}, the smallest effective sample size "
        f"{sampler['ess_bulk']:.0f}, with {prose.count(sampler['divergences'], 'divergence')}."
    )


def _describe_evidence(
    ranking: xr.Dataset, counts: xr.DataArray | None, parts: xr.DataArray | None
) -> str:
    """State the number of cases of each class, and the entities that share test sets."""
    words = [] if parts is None else [f"{prose.count(parts.sizes['dataset'], 'data set')}, pooled"]
    if counts is None or "dataset" in counts.dims:
        words = [] if counts is None else [prose.count(counts.sizes["dataset"], "data set")]
        cases = ranking["cases"].values if "cases" in ranking else np.array([np.nan])
        return "; ".join(
            words if np.isnan(cases).any() else [*words, _describe_cases(cases.astype(np.int64))]
        )
    if are_outcomes(counts):
        labels = [str(label) for label in counts["outcome"].values]
        words.append(_describe_cases(counts.sum("outcome").values))
        return "; ".join(
            [*words, f"outcomes {', '.join(labels[:6])}{' ...' if len(labels) > 6 else ''}"]
        )
    rows = counts.sum([d for d in counts.dims if d not in ("entity", "actual")]).transpose(
        "entity", "actual"
    )
    classes = [str(label) for label in rows["actual"].values]
    if bool((rows == rows[0]).all()):
        # 80 negative, but 80 of class 0.
        sizes = [f"{n:,} {f'of class {label}' if label[:1].isdigit() else label}"
                for n, label in zip(rows.values[0], classes, strict=True)]  # fmt: skip
        fits = len(classes) <= 3
        words.append(
            f"each {noun()} on {' + '.join(sizes) if fits else f'{int(rows[0].sum())} cases of {len(classes)} classes'}"
        )
    class_names = known_classes(counts)
    if class_names not in (None, ("negative", "positive")):
        words.append(f"positive is {str(class_names[1])!r}")
    if "test_set" in counts.coords and counts["test_set"].dims == ("entity",):
        sets = Counter(name for name in counts["test_set"].values.tolist() if name)
        inference = "" if names_test_sets(counts) else ", inferred from equal class sizes"
        listed = ", ".join(
            f"{name} ({prose.count(size, noun())})" for name, size in list(sets.items())[:6]
        )
        words.append(f"test sets{inference}: {listed}{' ...' if len(sets) > 6 else ''}")
    return "; ".join(words)


def _describe_cases(cases: np.ndarray) -> str:
    low, high = cases.min(), cases.max()
    return (
        f"each {noun()} on {low:,} cases"
        if low == high
        else f"each {noun()} on {low:,} to {high:,} cases"
    )


def _describe_model(model_record: ModelRecord) -> str:
    """Return the name of the model and its assumption."""
    name = (model_record.model or "not known: the draws were supplied").replace("_", "-")
    return ": ".join(filter(None, [name[:1].upper() + name[1:], model_record.words]))


def _versions() -> str:
    names = ("bayesrank", "numpy", "xarray", "arviz", "pymc")  # a browser lacks the last two
    versions = [
        f"{name} {each.version}"
        for name in names
        for each in list(metadata.distributions(name=name))[:1]
    ]
    return ", ".join([*versions, f"Python {platform.python_version()}"])
