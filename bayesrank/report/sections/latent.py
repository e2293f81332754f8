"""Tests without a gold standard: what the cases identify, what would, and rates under each dependence side by side."""

from typing import Any

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank._core import prose
from bayesrank._core.labels import select_names
from bayesrank._core.notes import notes_of
from bayesrank._core.prose import few_names
from bayesrank.models.latent_class import RATES
from bayesrank.performance.arrays import posterior_of
from bayesrank.report.page import Page, PageBlock, block
from bayesrank.scores.display import display_name
from bayesrank.words.sentences import say
from bayesrank.words.sentences.latent import DEPENDENCES

PLACE, ON_REQUEST = 12, False
NEEDS = "tests without a gold standard"
#: Rows of a table that are seen at once.
SEEN = 15


def make(page: Page) -> PageBlock | None:
    if page.posterior.array is not None or not {"contraction", "parameters"} <= set(
        page.posterior.attrs
    ):
        return None
    text = [note for note in notes_of(page.posterior.attrs["notes"]) if "identified" in note.code]
    html = block("words", map(say, text)) + _parameters(page)
    observed = page.posterior.observed
    if "dependence" in observed.dims:
        html += block("heading", "Dependence of the tests within a class") + _fits(page, observed)
    return PageBlock("Without a gold standard", html)


def _parameters(page: Page) -> Markup:
    """Return the table of estimates, and of how much the cases say of each."""
    record, group = page.posterior.attrs, posterior_of(page.posterior)
    learned = dict(zip(record["parameters"], record["contraction"], strict=True))
    ends = [0.5, (1 - page.prob) / 2, (1 + page.prob) / 2]
    drawn = group[["prevalence_of", *RATES[1:]]].quantile(ends, ("chain", "draw"))
    rows = []
    for rate, variable, dim in zip(
        RATES, ("prevalence_of", *RATES[1:]), ("population", *["entity"] * 2), strict=True
    ):
        for label in page.order if dim == "entity" else drawn[dim].values.tolist():
            name = next(name for name in (f"{rate} of {label}", rate) if name in learned)
            share = f"{max(learned[name], 0.0):.0%}" if np.isfinite(learned[name]) else "–"
            rows.append(
                [name, prose.estimate(*select_names(drawn[variable], {dim: label}).values), share]
            )
    lines = [
        f"Median and {page.percent} interval, and the share by which the variance is smaller than that of the prior: "
        "near 0% the prior decides, near 100% the cases do."
    ]
    if record["jacobian_rank"] < len(learned):
        lines.append(
            "Where several values have the same likelihood, the prior decides between them, however small the variance."
        )
    return block("words", lines) + _table(["parameter", "estimate", "variance smaller by"], rows)


def _fits(page: Page, observed: xr.Dataset) -> Markup:
    """Return fits and estimates of the largest likelihood under each dependence, and whether the first test changes."""
    kinds = observed["dependence"].values.tolist()
    chosen = page.posterior.attrs["dependence"]
    first = {kind: _first(page, observed.sel(dependence=kind)) for kind in kinds}
    rows: list[list[str]] = []
    for kind in kinds:
        fit = observed.sel(dependence=kind)
        shares = fit["prevalence_estimate"].values
        ends = dict.fromkeys(
            prose.number(float(share), 3) for share in (shares.min(), shares.max())
        )
        name = f"{DEPENDENCES[kind]}{' (chosen)' if kind == chosen else ''}"
        numbers = [f"{float(fit['g2']):.2f}", str(int(fit["freedom"])), " to ".join(ends)]
        rows.append([name, *numbers, first[kind]])
    score = display_name(page.found.name)
    header = ["dependence", "G²", "degrees of freedom", "prevalence", f"first by {score}"]
    lines = [
        "Maximum-likelihood estimates under each dependence that the cases identify. A small G² means a good fit."
    ]
    first_names = {name for name in first.values() if name != "–"}
    if len(first_names) > 1:
        lines.append(f"The first test by {score} depends on the dependence.")
    elif first_names and len(kinds) > 1:
        lines.append(f"The first test by {score} is {first_names.pop()} under each.")
    else:
        lines += ["The cases identify no other dependence."] * (len(kinds) == 1)
    html = block("words", lines) + block("table", header, rows)
    for rate in RATES[1:] if len(kinds) > 1 else ():
        values = observed[f"{rate}_estimate"].transpose("dependence", "entity", ...)
        shown = [
            [str(name), *(prose.number(float(x), 3) for x in select_names(values, entity=name))]
            for name in page.order
        ]
        html += block("heading", rate.capitalize()) + _table(
            ["test", *map(DEPENDENCES.get, kinds)], shown
        )
    return html


def _first(page: Page, one: xr.Dataset) -> str:
    """Return the tests with the best score at the estimates of one dependence."""
    if page.found.score is None or page.two_classes is None:
        return "–"
    values = select_names(page.found.score(one["performance_estimate"]), entity=page.order)
    values = values if page.found.higher_is_better else -values
    best = [
        name
        for name, value in zip(page.order, values.values, strict=True)
        if value > float(values.max()) - 1e-6
    ]
    return few_names([str(name) for name in best]) if best else "–"


def _table(header: list[Any], rows: list[list[str]]) -> Markup:
    """Return a table, the rest of a long one folded."""
    if len(rows) <= SEEN:
        return block("table", header, rows)
    return block("table", header, rows[:SEEN]) + block(
        "fold", f"Show all {len(rows)}", block("table", header, rows)
    )
