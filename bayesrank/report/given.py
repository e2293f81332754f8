"""Sections of the report on results that it is given: other analyses, decisions, and changes over time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_result, describe_value, rename_argument
from bayesrank.decisions.checks import check_decision
from bayesrank.decisions.tables import comparison_table, comparison_words, utility_table
from bayesrank.plots._style import list_size, plain_names
from bayesrank.report.pictures import MOST, inline_svg
from bayesrank.scores._display import display_name
from bayesrank.sensitivities.analysis import NEEDED
from bayesrank.words.results import verdict_parts

__all__ = ["cases_section", "decisions_section", "drift_section", "sensitivity_section"]

#: Rows of a table, and entities whose changes are drawn.
ROWS, DRAWN = 20, 3


def sensitivity_section(result: Any) -> dict[str, Any] | None:
    """What other priors, models and data would say, from a result of :func:`bayesrank.sensitivity`.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> sensitivity_section(br.sensitivity(counts, "f1", seed=1))["rows"][0][:2]
    ['base', 'b']
    """
    if result is None:
        return None
    check_result("br.sensitivity", "sensitivity", result, NEEDED)
    with rename_argument("sensitivity", "result"):
        lines = _lines(result)
    size = float(result.attrs.get("worth", np.inf))
    rows = []
    for i, name in enumerate(result["alternative"].values.tolist()):
        one = result.isel(alternative=i)
        rows.append(
            [
                str(name),
                str(one["leader"].item()) or "–",
                _text.probability(float(one["base_leader_probability_best"]), size),
                _text.number(float(one["kendall_tau"]), 2),
                f"{int(one['survives'].sum())} of {one.sizes['conclusion']}",
            ]
        )
    return {"lines": lines, "rows": rows}


def _lines(result: Any) -> list[str]:
    """The verdict on a result and its notes."""
    parts = verdict_parts(result)
    return [*parts.sentences(), *parts.notes]


def decisions_section(results: Any) -> list[dict[str, Any]] | None:
    """What the entities are worth to a user: each part with a title, sentences, and a table or a picture.

    Parameters
    ----------
    results : Dataset or sequence of Dataset, optional
        Of :func:`bayesrank.decisions.expected_utility`, :func:`bayesrank.decisions.noninferiority` and
        :func:`bayesrank.decisions.decision_curve`.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> posterior = br.fit(counts, seed=1)
    >>> utility = br.decisions.expected_utility(posterior, [[0, -1], [-5, 0]])
    >>> results = [utility, br.decisions.noninferiority(posterior, "a")]
    >>> [part["title"] for part in decisions_section(results)]
    ['Expected utility', 'No worse than a?']
    """
    if results is None:
        return None
    if isinstance(results, xr.Dataset | str) or not isinstance(results, Sequence):
        results = [results]
    return [_decision(one) for one in results] or None


def _decision(result: Any) -> dict[str, Any]:
    held = set(result.variables) if isinstance(result, xr.Dataset) else set()
    if {"choice", "value_of_perfect_information"} & held:
        check_decision("decisions", result)
        header, rows = utility_table(result)
        at = f", at a prevalence of {result.attrs['prevalence']:g}" if "prevalence" in result.attrs else ""
        worth = f"Benefit of each outcome of a case: {result.attrs['benefit']}{at}."
        return _table("Expected utility", [worth, *_lines(result)], header, rows)
    if {"noninferior", "equivalent", "verdict"} <= held:
        header, rows = comparison_table(result)
        notes = list(filter(None, str(result["notes"].item()).split("\n")))
        return _table(f"No worse than {result.attrs['reference']}?", [*notes, comparison_words(result)], header, rows)
    if {"mean", "strategy", "threshold"} <= held:
        from bayesrank.plots import decision_curve

        notes = list(filter(None, [str(result["notes"].item())]))
        return {
            "title": "Decision curve",
            "lines": notes,
            "svg": inline_svg(lambda ax: decision_curve(result, ax), (8.6, 4.4)),
            "caption": "Net benefit of treating from a predicted probability on: mean and "
            f"{100 * result.attrs['prob']:g}% interval, in true positives per case.",
        }
    raise ValueError(
        "decisions must come from br.decisions.expected_utility, br.decisions.noninferiority or "
        f"br.decisions.decision_curve; got {describe_value(result)}"
    )


def _table(title: str, lines: list[str], header: list[str], rows: list[list[str]]) -> dict[str, Any]:
    left_out = len(rows) - ROWS
    lines = [*lines, f"The first {ROWS} of {len(rows):,} are shown."] if left_out > 0 else lines
    return {"title": title, "lines": lines, "header": header, "rows": rows[:ROWS]}


def drift_section(result: Any, order: Sequence[Any]) -> dict[str, Any] | None:
    """How OPS changed from period to period, and by what, of the first entities of an order.

    Parameters
    ----------
    result : Dataset, optional
        Of :func:`bayesrank.ops.drift`, with draws.
    order : sequence
        Of the entities.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[80, 170], fp=[20, 30], fn=[10, 9], tp=[90, 71], entity=["m", "m"],
    ...                         dataset=["May", "June"])
    >>> section = drift_section(br.ops.drift(br.fit(counts, seed=1), "f1"), ["m"])
    >>> [row[:2] for row in section["rows"]]
    [['m', 'May'], ['m', 'June']]
    """
    if result is None:
        return None
    if not isinstance(result, xr.Dataset) or not {"degraded", "change_mean", "ops_mean"} <= set(result.data_vars):
        raise ValueError(f"drift must come from br.ops.drift of draws; got {describe_value(result)}")
    if "entity" not in result["ops_mean"].dims:
        result = result.expand_dims(entity=list(order[:1]))
    known = result["entity"].values.tolist()
    names = [name for name in order if name in known]
    if not names:
        raise ValueError(f"drift must be of entities of the posterior; got {known[0]!r}")
    [dim] = (str(dim) for dim in result["ops_mean"].dims if dim != "entity")
    periods, prob, shown = result[dim].values.tolist(), 100 * result.attrs["prob"], names[:DRAWN]
    rows = []
    for name in shown:
        one = result.sel(entity=name)
        for i, period in enumerate(periods):
            here = one.isel({dim: i})
            fell, error = float(here["degraded"]), float(here["degraded_error"])
            changes = [_of(here, "change", part) for part in ("prevalence", "rates")]
            rows.append(
                [str(name), str(period), _of(here, "ops"), *changes, _text.format_probability_with_error(fell, error)]
            )
    since = "the one before" if result.attrs["baseline"] == "previous" else result.attrs["baseline"]
    words = (
        f"The OPS of {display_name(str(result.attrs['score']))} in each of {len(periods)} periods, compared with "
        f"{since}: a change by prevalence says that the cases became others, a change by rates that the entity did. "
        f"Means and {prob:g}% intervals."
    )
    words += f" The first {DRAWN} of {len(names)} entities." if len(names) > DRAWN else ""

    def draw(ax: Any) -> None:
        from bayesrank.plots import ops_drift

        figure = ax.figure
        ax.remove()
        grid = figure.subplots(2, len(shown), sharex=True, squeeze=False)
        for title, name, column in zip(plain_names(shown, 34), shown, grid.T, strict=True):
            ops_drift(result, name, column)
            if len(shown) > 1:
                column[0].set_title(title, fontsize=9)
            if name != shown[0]:
                column[0].set_ylabel("")
                column[1].set(ylabel="", title="")

    return {
        "words": words,
        "header": ["entity", dim, "OPS", "by prevalence", "by rates", "P(rates got worse)"],
        "rows": rows,
        "svg": inline_svg(draw, (max(6.4, min(1.5 + 0.8 * len(periods), 6.4) * len(shown)), 5.6)),
        "caption": f"OPS over the periods, and below it what prevalence and rates did to it, {prob:g}% intervals.",
    }


def cases_section(result: Any, order: Sequence[Any]) -> dict[str, Any] | None:
    """What came of every case for the first entities of an order, and how many cases tell entities apart.

    Parameters
    ----------
    result : Dataset, optional
        Of :func:`bayesrank.cases.deciding_cases`.
    order : sequence
        Of the entities.

    Examples
    --------
    >>> import bayesrank as br
    >>> joint = br.joint_outcomes([0, 0, 1, 1, 1], {"a": [0, 1, 1, 0, 0], "b": [0, 0, 1, 1, 0]})
    >>> cases_section(br.cases.deciding_cases(joint), ["b", "a"])["words"][:42]
    '2 of 5 cases decide: on the others all ent'
    """
    if result is None:
        return None
    check_result("br.cases.deciding_cases", "cases", result, ("decides", "outcome", "count", "entity"))
    known = result["entity"].values.tolist()
    if set(known) != set(order):
        other = _text.format_names(sorted(map(str, set(known) ^ set(order))))
        raise ValueError(f"cases must be of the entities of the posterior; got {other} in one alone")
    names = [name for name in order if name in known][:MOST]
    total = int(result["count"].sum())
    words = (
        f"{int(result['count'].where(result['decides']).sum())} of {total:,} cases decide: on the others all entities "
        "have the same outcome, which tells nobody apart."
    )
    words += f" The first {MOST} of {len(known):,} entities are drawn." if len(known) > MOST else ""
    shown = result.sel(entity=names)

    from bayesrank.plots import case_grid

    return {
        "words": words,
        "svg": inline_svg(lambda ax: case_grid(shown, ax), list_size(len(names), 9)),
        "caption": "What came of every case for each entity, best first: the cases that most entities master on the "
        "left, and pale those on which all are alike.",
    }


def _of(one: xr.Dataset, name: str, part: str | None = None) -> str:
    """A mean and its interval."""
    mean, low, high = (
        float(one[f"{name}_{what}"] if part is None else one[f"{name}_{what}"].sel(part=part))
        for what in ("mean", "lower", "upper")
    )
    return _text.estimate(mean, low, high)
