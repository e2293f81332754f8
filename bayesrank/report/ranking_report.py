"""The report of one credible ranking."""

import io
import platform
import warnings
from collections import Counter
from collections.abc import Callable
from importlib import metadata, resources
from typing import Any

import xarray as xr

from bayesrank import _text
from bayesrank._checks import in_words
from bayesrank._compat import groups_of, is_container
from bayesrank.counts import are_outcomes, parts_of
from bayesrank.ops import of_draws, summarize
from bayesrank.performance import as_performance, observed_counts, posterior_of
from bayesrank.ranking import full_ranking, ranking_table, verdict
from bayesrank.ranking._evidence import sampling
from bayesrank.ranking._source import scored
from bayesrank.ranking.summary import is_exact, worth
from bayesrank.report.datasets import datasets_section
from bayesrank.report.words import implied_prior, prior_scores
from bayesrank.tile import credible

__all__ = ["ranking_report"]

#: Enough for a picture of half a page, and fast for many entities.
TILE_RESOLUTION = 41


def ranking_report(
    posterior: Any,
    score: Any,
    ranking: xr.Dataset | None = None,
    *,
    kind: str | None = None,
    data: dict[str, str] | None = None,
    command: str | None = None,
) -> str:
    """The ranking of a posterior by one score, as a self-contained HTML page.

    Parameters
    ----------
    posterior : InferenceData or DataTree
        Of :func:`bayesrank.fit`; with the group ``prior`` the report says what the prior implies on the score.
        Of one data set, or of several pooled by :func:`bayesrank.pool`.
    score : Score, str or callable
        What to rank by.
    ranking : xarray.Dataset, optional
        The credible ranking, if it is not the default one.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    data : dict, optional
        What is known of the data, with any of the keys of :func:`bayesrank.datasets.describe`.
    command : str, optional
        What reproduces the report.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    ValueError
        If the posterior is over several data sets.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> html = ranking_report(br.fit(counts, seed=1, groups=["prior"]), "f1")
    >>> html.startswith("<!doctype html>")
    True
    """
    if isinstance(posterior, xr.DataArray):
        raise TypeError(
            f"posterior must be an InferenceData, a DataTree or a Dataset of draws; got {in_words(posterior)} (br.fit "
            "makes one of counts)"
        )
    groups = groups_of(posterior) if is_container(posterior) else {"posterior": posterior_of(posterior)}
    found = scored(posterior, score, None, kind)
    if "dataset" in found.values.dims:
        raise ValueError(
            f"posterior must have no dim dataset (fit br.pool(counts), or select one data set); got {found.values.dims}"
        )
    ranking = full_ranking(posterior, score, kind=kind) if ranking is None else ranking
    prob, about = ranking.attrs["prob"], groups["posterior"].attrs
    counts = observed_counts(posterior)
    parts = None if counts is None else parts_of(counts)
    performance = as_performance(posterior, kind) if found.variable is None else None
    if performance is not None and dict(performance.sizes).get("actual") != 2:
        performance = None  # what follows is of two classes
    prior_values = prior_scores(posterior, found.variable or found.score or found.name, kind)
    tables = None if counts is None or "dataset" in counts.dims or counts.sizes.get("actual") != 2 else counts
    comparable = None if performance is None else summarize(of_draws(performance, found.score), prob)["mean"]
    rows = _rows(ranking, tables, comparable)
    facts = {key: _scalar(value) for key, value in (data or {}).items()}
    return _filled(
        title=facts.get("title", "Credible ranking"),
        facts=facts,
        score=None if performance is None else found.score,
        higher_is_better=found.higher_is_better,
        score_words=found.name.replace("_", " "),
        prob=prob,
        rope=ranking.attrs["rope"],
        exact=is_exact(ranking),
        drawn=ranking.attrs.get("draws"),
        size=_text.count(len(rows), "entity"),
        evidence=None if counts is None else _evidence(counts, parts),
        verdict=verdict(ranking),
        rows=rows,
        tables=tables is not None,
        ops=comparable is not None,
        members=datasets_section(posterior, score, ranking),
        preferences=None if performance is None else _preferences(performance, prob),
        model=_model(about),
        about=about,
        implied=implied_prior(prior_values, prob),
        diagnostics=_diagnostics(groups, ranking, found.values),
        caveats=_caveats(facts, ranking, parts),
        pictures=_pictures(found.values, ranking, prior_values),
        versions=_versions(),
        command=command,
    )


def _rows(ranking: xr.Dataset, tables: xr.DataArray | None, comparable: xr.DataArray | None) -> list[dict[str, Any]]:
    """The table of the ranking, one row an entity, in words; with its cells and its OPS where there are some."""
    return [
        {
            "entity": name,
            "cells": [] if tables is None else tables.sel(entity=name).values.ravel().tolist(),
            "median": _text.number(row["median"]),
            "interval": _text.interval(row["lower"], row["upper"]),
            "best": _text.probability(row["probability_best"], worth(ranking)),
            "expected": _text.number(row["expected_rank"], 1),
            "ranks": _text.interval(row["rank_lower"], row["rank_upper"], 0),
            "tier": _text.number(row["tier"], 0),
            "ops": "" if comparable is None else _text.number(float(comparable.sel(entity=name))),
            "sort": [row["median"], row["lower"], row["probability_best"], row["expected_rank"], row["rank_lower"]],
        }
        for name, row in ranking_table(ranking).iterrows()
    ]


def _filled(**values: Any) -> str:
    """The page, its template filled with what is to be told."""
    from jinja2 import Environment

    template = resources.files("bayesrank.report").joinpath("ranking.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(**values)


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
        how = "named" if counts["test_set"].attrs.get("named") else "told by equal class sizes"
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
    name = str(about.get("model", "a model of your own")).replace("_", "-")
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


def _caveats(facts: dict[str, str], ranking: xr.Dataset, parts: xr.DataArray | None) -> list[str]:
    lines = list(filter(None, str(ranking["notes"].item()).split("\n")))
    lines += [facts["caveats"]] if "caveats" in facts else []
    if parts is not None:
        lines.append("The data sets are pooled: a data set counts by its number of cases.")
    lines.append(
        "A tier is a comparison with its first entity. It does not say that all of its members are equally good."
    )
    return lines


def _pictures(values: xr.DataArray, ranking: xr.Dataset, prior_values: xr.DataArray | None) -> list[dict[str, Any]]:
    """Captions and pictures as inline SVG."""
    from bayesrank.plots import forest, posterior_against_prior, rank_heatmap
    from bayesrank.plots._style import list_size

    size, seen = list_size(values.sizes["entity"]), bool(ranking["observed"].notnull().any())
    name = values.name.replace("_", " ") if isinstance(values.name, str) else "score"
    pictures = [
        {
            "caption": f"The {name} of every entity, best first: posterior median, {100 * ranking.attrs['prob']:g}% "
            f"interval{', and what was observed' * seen}. Bands are tiers.",
            "svg": inline_svg(lambda ax: forest(ranking, ax=ax), size),
        },
        {
            "caption": "How probable each rank is for each entity.",
            "svg": inline_svg(lambda ax: rank_heatmap(ranking, ax=ax), size),
        },
    ]
    if prior_values is not None and values.sizes["entity"] <= 30 and bool(values.notnull().any()):
        pictures.append(
            {
                "caption": f"What was believed of the {name} before and after the data.",
                "svg": inline_svg(
                    lambda ax: posterior_against_prior(values, prior_values, ax=ax, ranking=ranking), size
                ),
            }
        )
    return pictures


def _preferences(performance: xr.DataArray, prob: float) -> dict[str, Any]:
    """Who is best under other preferences: the Tile of the posterior, as a picture and in words."""
    from bayesrank.plots import credible_tile

    found = credible(performance, TILE_RESOLUTION, prob)
    order = found["share"].sortby(-found["share"])
    shares = [f"{name} on {100 * float(order.sel(entity=name)):.0f}%" for name in order["entity"].values[:3]]
    undecided = float(found["undecided_area"])
    return {
        "words": f"Best on average: {', '.join(shares)} of the Tile. On {100 * undecided:.0f}% of it nobody is best "
        f"with probability {prob:g}. That all parts of the Tile count alike in these shares is a convention: weigh "
        "them by your own preference.",
        "svg": inline_svg(lambda ax: credible_tile(found, ax=ax), (8.0, 4.4)),
    }


def inline_svg(draw: Callable[[Any], Any], size: tuple[float, float]) -> Any:
    """What ``draw`` draws on an Axes of that size in inches, as an SVG element with its text kept as text.

    Examples
    --------
    >>> str(inline_svg(lambda ax: ax.set_title("ROC"), (2, 2))).startswith("<svg")
    True
    """
    import matplotlib
    from markupsafe import Markup
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bayesrank", "font.family": "sans-serif"}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.add_subplot())
        buffer = io.StringIO()
        with warnings.catch_warnings():
            # Text stays text in the SVG: the reader's fonts draw it, whatever ours lack.
            warnings.filterwarnings("ignore", "Glyph .* missing")
            figure.savefig(buffer, format="svg", dpi=100, metadata={"Date": None})
    text = buffer.getvalue()
    return Markup(text[text.index("<svg") :])


def _versions() -> str:
    packages = ["bayesrank", "numpy", "xarray", "arviz", "pymc"]
    found = [f"{name} {metadata.version(name)}" for name in packages]
    return ", ".join([*found, f"Python {platform.python_version()}"])


def _scalar(value: Any) -> str:
    return " ".join(str(value).split())
