"""The report of one credible ranking."""

import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import metadata, resources
from typing import Any

import pandas as pd
import xarray as xr
from rich.cells import cell_len

from bayesrank import _text
from bayesrank._draws import draw_dims
from bayesrank._labels import has_positive_class
from bayesrank._outputs import check_output, write_output
from bayesrank.evidence.counts import are_outcomes, parts_of
from bayesrank.performance import as_performance, observed_counts, outcome_dims
from bayesrank.plots._page import Html, breakable, greys, part
from bayesrank.plots._style import is_ratio
from bayesrank.ranking import credible_ranking, ranking_table
from bayesrank.ranking._notes import positive_class_notes
from bayesrank.ranking.evidence import sampling
from bayesrank.ranking.summary import effective_draws, is_exact
from bayesrank.ranking.values import ScoreValues
from bayesrank.report.arguments import facts_of, ranking_of, read, text_or_none
from bayesrank.report.datasets import datasets_section
from bayesrank.report.given import cases_section, decisions_section, drift_section, sensitivity_section
from bayesrank.report.methods import definition, methods
from bayesrank.report.pictures import inline_svg, interval_rows, paints, rank_rows, shown_first
from bayesrank.report.plans import plan_section
from bayesrank.report.preferences import preferences_section
from bayesrank.report.sections import (
    LACKING,
    SECTIONS,
    check_sections,
    ops_section,
    paired_section,
    predictive_section,
)
from bayesrank.report.words import implied_prior, prior_scores
from bayesrank.scores._display import display_name
from bayesrank.words.results import verdict_parts

__all__ = ["ranking_report"]

#: What the page calls a section, where that is another name.
FOUND = {"tile": "preferences", "hierarchical": "members"}
#: Rows of a table that is never folded, and those that are seen of a folded one.
WHOLE, KEPT = 25, (10, 20)


def ranking_report(
    posterior: Any,
    score: Any = None,
    ranking: xr.Dataset | None = None,
    *,
    kind: str | None = None,
    higher_is_better: bool | None = None,
    data: dict[str, str] | None = None,
    command: str | None = None,
    sections: Sequence[str] | None = None,
    decisions: xr.Dataset | Sequence[xr.Dataset] | None = None,
    drift: xr.Dataset | None = None,
    cases: xr.Dataset | None = None,
    sensitivity: xr.Dataset | None = None,
    plan: xr.Dataset | None = None,
    path: str | os.PathLike[str] | None = None,
) -> str:
    """The ranking of a posterior by one score, as a self-contained HTML page.

    Parameters
    ----------
    posterior : DataArray, Dataset, InferenceData or DataTree
        Whatever :func:`bayesrank.credible_ranking` ranks: a posterior, a user's own too, a performance, counts, or
        values of a score (chain, draw, entity). Of one data set, or of several pooled by :func:`bayesrank.pool`. With
        the group ``prior`` the report says what the prior implies on the score.
    score : Score, str or callable, optional
        What to rank by, or the name of a variable of the posterior; values of a score need none.
    ranking : xarray.Dataset, optional
        The credible ranking, if it is not the default one.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    higher_is_better : bool, optional
        Overrides the direction of the score, as for :func:`bayesrank.credible_ranking`.
    data : dict, optional
        What is known of the data, with any of the keys of :func:`bayesrank.datasets.describe`.
    command : str, optional
        What reproduces the report.
    sections : sequence of {"tile", "ops", "paired", "hierarchical", "predictive"}, optional
        Which sections to have beside those that are always there, where the posterior supports them. By default all
        that take no long time: who is best under other preferences, with two classes; outperformance scores, too; what
        pairing adds, of the model "paired"; how much data sets differ, of a hierarchical model; a posterior predictive
        check, of several data sets. decisions : Dataset or sequence of Dataset, optional
        Of :func:`bayesrank.decisions.expected_utility`, :func:`bayesrank.decisions.noninferiority` and
        :func:`bayesrank.decisions.decision_curve`, for a section on them.
    drift : Dataset, optional
        Of :func:`bayesrank.ops.drift`, with draws, for a section on it.
    cases : Dataset, optional
        Of :func:`bayesrank.cases.deciding_cases`, for a section on which cases tell entities apart.
    sensitivity : Dataset, optional
        Of :func:`bayesrank.sensitivity`, for a section on it.
    plan : Dataset, optional
        Of :func:`bayesrank.plan`, for a section on it.
    path : path-like, optional
        A file ending in .html to write the page to, too. It replaces an earlier report, and no other file.

    Returns
    -------
    str
        HTML, which a notebook shows.

    Raises
    ------
    ValueError, TypeError
        If the posterior is over several data sets, ``sections`` holds others, or ``decisions``, ``drift``, ``cases``,
        ``sensitivity`` or ``plan`` is no such result; or if ``path`` leads to another file than an earlier report.
    OSError
        If the file cannot be written; an earlier report is as it was.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> html = ranking_report(br.fit(counts, seed=1, groups=["prior"]), "f1")
    >>> html.startswith("<!doctype html>")
    True
    """
    if path is not None:
        check_output("path", path, "report")
    groups, found = read(posterior, score, kind, higher_is_better)
    asked = check_sections(sections)
    facts = facts_of(data)
    text_or_none("command", command)
    if ranking is None:
        ranking = credible_ranking(posterior, score, kind=kind, higher_is_better=higher_is_better, method="auto")
    else:
        ranking_of(found, ranking)
    found = replace(found, higher_is_better=bool(ranking.attrs["higher_is_better"]))
    table = ranking_table(ranking)
    given = {
        "decisions": decisions_section(decisions),
        "drift": drift_section(drift, table.index.tolist()),
        "grid": cases_section(cases, table.index.tolist()),
        "sensitivity": sensitivity_section(sensitivity),
        "plan": plan_section(plan),
    }
    prob, about = ranking.attrs["prob"], groups["posterior"].attrs
    counts = observed_counts(posterior)
    parts = None if counts is None else parts_of(counts)
    values = isinstance(posterior, xr.DataArray) and not outcome_dims(posterior)
    performance = as_performance(posterior, kind) if found.variable is None and not values else None
    labels = None if performance is None else dict(performance.sizes).get("actual")
    tables = None if counts is None or "dataset" in counts.dims or counts.sizes.get("actual") != 2 else counts
    prior_values = prior_scores(posterior, found.variable or found.score or found.name, kind)
    two = labels == 2 and performance is not None and has_positive_class(performance)
    shown = _sections(posterior, score, found, ranking, performance if two else None, asked, about)
    ops, tile = shown["ops"], shown["preferences"] is not None
    rows = _rows(ranking, tables, None if ops is None else ops["median"].to_dict())
    evidence, size = None if counts is None else _evidence(counts, parts), _text.count(len(rows), "entity")
    what = definition(found.name, found.score, labels, tuple(ranking.attrs["range"]))
    told = f"{size}{f' ({evidence})' if evidence else ''}"
    text, cited = methods(about, ranking, what, told, _versions(), tile, ops is not None)
    predictive = shown["predictive"]
    parts_of_verdict = verdict_parts(ranking, [] if predictive is None else predictive["caveat"])
    lacking = [LACKING[name] for name in asked or () if shown[FOUND.get(name, name)] is None]
    classes = [] if performance is None else positive_class_notes(performance, found.score)
    page = _filled(
        **shown | {"ops": ops is not None} | given,
        **_pictures(ranking, table, ops),
        title=facts.get("title", "Credible ranking"),
        facts=facts,
        classes=" ".join(classes),
        definition=what,
        paste=text,
        cited=cited,
        higher_is_better=found.higher_is_better,
        score_words=found.facts()["display"],
        prob=prob,
        percent=f"{100 * prob:g}%",
        rope=ranking.attrs["rope"],
        exact=is_exact(ranking),
        drawn=ranking.attrs.get("draws"),
        on_draws=_on_draws(ops is not None, tile),
        size=size,
        evidence=evidence,
        origin=ranking.attrs.get("evidence"),
        verdict=parts_of_verdict.sentences(),
        # The classes have a line of their own, under Data.
        notes=[line for line in (*parts_of_verdict.notes, *_caveats(facts, parts), *lacking) if line not in classes],
        rows=rows,
        keep=_kept(table["tier"]),
        defined=bool(table["median"].notna().any()),
        seen=bool(table["observed"].notna().any()),
        tables=tables is not None,
        cases=bool(rows[0]["cells"]),
        model=_model(about),
        about=about,
        implied=implied_prior(
            prior_values, prob, None if kind else posterior, found.variable or found.score or found.name
        ),
        before=_before(found.values, ranking, prior_values),
        diagnostics=_diagnostics(groups, ranking, found.values),
        versions=_versions(),
        command=command,
    )
    if path is not None:
        write_output("path", path, "report", page)
    return page


def _sections(
    posterior: Any,
    score: Any,
    found: ScoreValues,
    ranking: xr.Dataset,
    performance: xr.DataArray | None,
    asked: Sequence[str] | None,
    about: Mapping[Any, Any],
) -> dict[str, Any]:
    """What can be left out, of a performance of two classes if there is one; None where it was, or is not to be had."""
    prob, wanted = ranking.attrs["prob"], SECTIONS if asked is None else asked
    shown: dict[str, Any] = dict.fromkeys(("preferences", "ops", "paired", "members", "predictive"))
    # OPS is about the score's own direction.
    directed = found.score is not None and found.score.higher_is_better == found.higher_is_better
    if performance is not None and draw_dims(performance) and directed and "ops" in wanted:
        shown["ops"] = ops_section(performance, found, prob)
    if performance is not None and found.score is not None and "tile" in wanted:
        size, prevalence = effective_draws(ranking), _prevalence(performance)
        shown["preferences"] = preferences_section(performance, found.score, prob, size, prevalence, ranking)
    if "paired" in wanted:
        shown["paired"] = paired_section(found, ranking, about)
    if "hierarchical" in wanted and not isinstance(posterior, xr.DataArray):
        shown["members"] = datasets_section(posterior, score, ranking)
    if "predictive" in wanted:
        shown["predictive"] = predictive_section(posterior, asked is not None)
    return shown


def _pictures(ranking: xr.Dataset, table: pd.DataFrame, ops: pd.DataFrame | None) -> dict[str, Any]:
    """Rows of the pictures of intervals, of ranks and of OPS, for the first entities."""
    names, left_out = shown_first(ranking)
    ratio = is_ratio(ranking.attrs)
    colors = paints(ranking["entity"].values.tolist())
    return {
        "intervals": interval_rows(table.loc[names], colors, ratio),
        "ratio": ratio,
        "ranks": rank_rows(ranking, names),
        "ops_rows": None if ops is None else interval_rows(ops.loc[names], colors),
        "left_out": left_out,
        "names_width": f"--names: {max(cell_len(str(name)) for name in names) + 1}ch",
    }


def _rows(ranking: xr.Dataset, tables: xr.DataArray | None, ops: dict[Any, float] | None) -> list[dict[str, Any]]:
    """The table of the ranking, one row an entity, in words; with its cells and its OPS where there are some."""
    cases = ranking["cases"] if "cases" in ranking and bool(ranking["cases"].notnull().any()) else None
    cells: dict[Any, list[Any]] = {name: [] for name in ranking["entity"].values.tolist()}
    if tables is not None:
        found = tables.transpose("entity", "actual", "predicted")
        cells = dict(zip(found["entity"].values.tolist(), found.values.reshape(-1, 4).tolist(), strict=True))
    elif cases is not None:
        numbers = cases.values.astype(float)
        cells = {name: [_text.number(n, 0)] for name, n in zip(cells, numbers.tolist(), strict=True)}
    size = effective_draws(ranking)
    columns = ["median", "lower", "probability_best", "rank_lower", "expected_rank"]
    return [
        {
            "entity": name,
            "cells": cells[name],
            "median": _text.format_with_interval(row["median"], row["lower"], row["upper"]),
            "interval": _text.interval(row["lower"], row["upper"]),
            # Who never has a score is not improbable to be best, but out of the question.
            "best": "–" if row["undefined"] >= 1 else _text.probability(row["probability_best"], size),
            "expected": _text.number(row["expected_rank"], 1),
            "ranks": _text.interval(row["rank_lower"], row["rank_upper"], 0),
            "tier": _text.number(row["tier"], 0),
            "ops": "" if ops is None else _text.number(ops[name]),
            "sort": [f"{row[column]:.6g}" for column in columns],
        }
        for name, row in ranking_table(ranking).iterrows()
    ]


def _kept(tiers: pd.Series) -> int:
    """Rows that are seen of a folded table: those of the first tier, if these are neither few nor many; 0 for all."""
    if len(tiers) <= WHOLE:
        return 0
    return min(max(int((tiers == 1).sum()), KEPT[0]), KEPT[1])


def _on_draws(ops: bool, tile: bool) -> str:
    """What rests on draws, also where the ranking does not."""
    what = ["Confidence sets", "simultaneous intervals", *["OPS"] * ops, *["what is said of other preferences"] * tile]
    return f"{', '.join(what[:-1])} and {what[-1]}"


def _prevalence(performance: xr.DataArray) -> float | None:
    """The prevalence, where it is one number for all entities and draws."""
    shares = performance.isel(actual=1).sum("predicted", skipna=False)
    low, high = float(shares.min()), float(shares.max())
    return low if high - low < 1e-9 else None


def _filled(**values: Any) -> Html:
    """The page, its template filled with what is to be told, and with the style of the greys that are in it."""
    from jinja2 import Environment
    from markupsafe import Markup

    def read(name: str) -> str:
        return resources.files("bayesrank.report").joinpath(name).read_text(encoding="utf-8")

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["capitalised"] = lambda text: text[:1].upper() + text[1:]
    environment.filters["soft"] = lambda text, fits=10: Markup(breakable(text, fits))
    for name in ("preferences", "members"):  # elements for the script, and pictures
        if values[name] and "data" in values[name]:
            values[name]["data"] = Markup(values[name]["data"])
    style = Markup(part("page.css") + read("report.css"))
    template = environment.from_string(read("ranking.html"))
    html = template.render(**values, style=style, script=Markup(part("page.js"))).lstrip()
    return Html(html.replace("</style>", f"{greys(html)}\n</style>", 1))


def _evidence(counts: xr.DataArray, parts: xr.DataArray | None) -> str:
    """How many cases of which classes, and which entities met the same ones."""
    if are_outcomes(counts):
        return _outcomes(counts, parts)
    rows = counts.sum([d for d in counts.dims if d not in ("entity", "actual")]).transpose("entity", "actual")
    classes = [str(label) for label in rows["actual"].values]
    words = [] if parts is None else [f"{_text.count(parts.sizes['dataset'], 'data set')}, pooled"]
    if bool((rows == rows[0]).all()):
        few = len(classes) <= 3
        sizes = " + ".join(f"{n} {label}" for n, label in zip(rows.values[0], classes, strict=True))
        words.append(f"each on {sizes if few else f'{int(rows[0].sum())} cases of {len(classes)} classes'}")
    if len(classes) == 2 and classes != ["negative", "positive"]:
        words.append(f"positive is {classes[1]!r}")
    if "test_set" in counts.coords and counts["test_set"].dims == ("entity",):
        sets = Counter(name for name in counts["test_set"].values.tolist() if name)
        how = "named" if counts["test_set"].attrs.get("named") else "inferred from equal class sizes"
        listed = ", ".join(f"{name} ({_text.count(size, 'entity')})" for name, size in list(sets.items())[:6])
        words.append(f"test sets, {how}: {listed}{' ...' if len(sets) > 6 else ''}")
    return "; ".join(words)


def _outcomes(counts: xr.DataArray, parts: xr.DataArray | None) -> str:
    """How many cases, and which outcomes they may have."""
    cases, labels = counts.sum("outcome").values, [str(label) for label in counts["outcome"].values]
    words = [] if parts is None else [f"{_text.count(parts.sizes['dataset'], 'data set')}, pooled"]
    same = cases.min() == cases.max()
    words.append(f"each on {cases.min()} cases" if same else f"on {cases.min()} to {cases.max()} cases")
    words.append(f"outcomes {', '.join(labels[:6])}{' ...' if len(labels) > 6 else ''}")
    return "; ".join(words)


def _model(about: dict[str, Any]) -> str:
    """The model's name and its story."""
    name = str(about.get("model", "not known, the draws were given")).replace("_", "-")
    return ": ".join(filter(None, [name[:1].upper() + name[1:], about.get("words", "")]))


def _diagnostics(groups: dict[str, xr.Dataset], ranking: xr.Dataset, values: xr.DataArray) -> list[str]:
    of_best, of_rank = (float(ranking[f"{name}_error"].max()) for name in ("probability_best", "expected_rank"))
    exact, draws = is_exact(ranking), ranking.attrs.get("draws")
    if exact:
        lines = [
            "Ranks and probabilities are integrals, not shares of draws; with fewer nodes P(best) moves by at most "
            f"{of_best:.1g}, an expected rank by {of_rank:.1g}."
        ]
    else:
        lines = [
            f"{draws} posterior draws; the largest Monte-Carlo standard error of P(best) is "
            f"{of_best:.4f}, of an expected rank {of_rank:.2f}."
        ]
    if "rank_simultaneous_probability" in ranking:
        held = 100 * float(ranking["rank_simultaneous_probability"])
        lines.append(
            f"The simultaneous rank intervals hold all ranks in {'at least ' * exact}{held:.1f}% of the {draws} draws."
        )
    gap = float(ranking["consensus_distance"] - ranking["consensus_lower_bound"])
    lines.append(
        f"The consensus order disagrees with {'the truth' if exact else 'a draw'} on "
        f"{float(ranking['consensus_distance']):.1f} pairs on average"
        f"{'; no order could do better.' if gap < 1e-9 else f'; no order could do better by more than {gap:.3f}.'}"
    )
    if draws is None:
        return lines
    if "sample_stats" not in groups:
        free = groups["posterior"].attrs.get("sampler") == "exact"
        return [*lines, "The draws are exact and independent: there is no sampler to diagnose."] if free else lines
    found = sampling(groups, values)
    return [
        *lines,
        f"The sampler, of what is ranked: largest R-hat {found['rhat']:.3f}, smallest effective sample size "
        f"{found['effective']:.0f}, {_text.count(found['divergences'], 'divergence')}.",
    ]


def _caveats(facts: dict[str, str], parts: xr.DataArray | None) -> list[str]:
    """Return the caveats of the data set, and how it was pooled."""
    lines = [facts["caveats"]] if "caveats" in facts else []
    if parts is not None:
        lines.append("The data sets are pooled: a data set counts by its number of cases.")
    return lines


def _before(values: xr.DataArray, ranking: xr.Dataset, prior_values: xr.DataArray | None) -> dict[str, Any] | None:
    """The posterior over the prior, where there is one and there are few entities."""
    if prior_values is None or values.sizes["entity"] > 30 or not bool(values.notnull().any()):
        return None
    from bayesrank.plots import posterior_against_prior
    from bayesrank.plots._style import list_size

    names = values["entity"].values.tolist()
    name = display_name(values.name) if isinstance(values.name, str) else "score"
    return {
        "caption": f"What was believed of the {name} before and after the data.",
        "svg": inline_svg(
            lambda ax: posterior_against_prior(values, prior_values, ax=ax, ranking=ranking),
            list_size(len(names), 4.2 + 0.05 * min(max(cell_len(str(name)) for name in names), 46)),
        ),
    }


def _versions() -> str:
    packages = ["bayesrank", "numpy", "xarray", "arviz", "pymc"]
    found = [f"{name} {metadata.version(name)}" for name in packages]
    return ", ".join([*found, f"Python {platform.python_version()}"])
