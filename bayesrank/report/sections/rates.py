"""Sensitivity and specificity of every entity side by side, and what they mean in counts per 1,000 cases."""

import numpy as np
import xarray as xr
from markupsafe import Markup
from scipy.special import betaincinv

from bayesrank._core import prose
from bayesrank._core.labels import cell_headings, select_names
from bayesrank._core.nouns import noun
from bayesrank.decisions import natural_frequencies
from bayesrank.decisions.frequencies import OUTCOMES
from bayesrank.exact import NoClosedForm, closed_form_of
from bayesrank.ranking import score_table
from bayesrank.report.page import Page, PageBlock, block, first_of, fold_rows, interval_rows

PLACE, ON_REQUEST = 10, False
NEEDS = "two classes of which one is the positive one"
#: Cases of the natural frequencies, and rows of their table.
CASES, ROWS = 1000, 12
RATES = ("tpr", "tnr")
TITLES = ("sensitivity", "specificity")


def make(page: Page) -> PageBlock | None:
    if page.two_classes is None:
        return None
    rates = rate_table(page)
    if not bool(rates["median"].notnull().any()):
        return None
    numbers = {
        name: select_names(rates, entity=name)[["median", "lower", "upper", "observed"]]
        .to_array()
        .T.values
        for name in page.order
    }
    has_observed = bool(rates["observed"].notnull().any())

    def draw(names: list) -> Markup:
        rows = [(name, numbers[name]) for name in names]
        return interval_rows(
            rows,
            TITLES,
            f"Sensitivity and specificity of each {noun()} with intervals, best first.",
        )

    caption = (
        f"Median and {page.percent} interval, in the order of the ranking"
        f"{', and observed rates (squares)' if has_observed else ''}."
    )
    defined = [name for name in page.order if np.isfinite(numbers[name][:, 0]).any()]
    html = block("rows", fold_rows(draw, defined, first_of(page)), caption) + _frequencies(
        page, numbers, defined
    )
    return PageBlock("Sensitivity and specificity", html, _describe_prevalence(page))


def rate_table(page: Page) -> xr.Dataset:
    """Return medians, intervals and observed values of both rates: without draws where they are Beta.

    Then entities with the same evidence have the same numbers, and those of a ranking by one of the
    rates.
    """
    table = score_table(page.posterior, list(RATES), prob=page.prob, kind=page.kind)
    names = table["entity"].values.tolist()
    conjugate = page.posterior.container is not None and page.about.sampler == "exact"
    try:
        closed_form = closed_form_of(page.posterior, None, {}) if conjugate else None
    except NoClosedForm:
        closed_form = None
    if (
        closed_form is None
        or closed_form.frame.dims != ("entity",)
        or closed_form.frame["entity"].values.tolist() != names
    ):
        return table
    cells = closed_form.concentration
    right = np.stack([cells[:, 1, 1], cells[:, 0, 0]], axis=-1)
    wrong = np.stack([cells[:, 1, 0], cells[:, 0, 1]], axis=-1)
    for name, level in (
        ("median", 0.5),
        ("lower", (1 - page.prob) / 2),
        ("upper", (1 + page.prob) / 2),
    ):
        exact = table[name].copy(data=betaincinv(right, wrong, level)).where(table["undefined"] < 1)
        closed = table[name].isin([0, 1]) & (name != "median")
        table[name] = table[name].where(closed, exact)
    return table


def _frequencies(page: Page, numbers: dict, known: list) -> Markup:
    share, where = prevalence_of(page)
    positives = CASES * share
    rows = []
    estimate = page.about.prevalence_estimate
    if estimate:
        counts = natural_frequencies(page.posterior, CASES, prob=page.prob, kind=page.kind)
        persons = counts[["mean", "lower", "upper"]].to_array()
        for name in known[:ROWS]:
            rows.append(
                [
                    str(name),
                    *map(
                        _count, select_names(persons, entity=name).transpose("outcome", ...).values
                    ),
                ]
            )
    for name in known[:ROWS] if not estimate else ():
        cells = []
        for (middle, low, high), size in zip(
            numbers[name][:, :3], (positives, CASES - positives), strict=True
        ):
            right, wrong = (middle, low, high), (1 - middle, 1 - high, 1 - low)
            cells.append([_count([size * x for x in part]) for part in (right, wrong)])
        (hits, missed), (cleared, alarms) = cells
        rows.append([str(name), hits, missed, alarms, cleared])
    header = [noun(), *(cell_headings(page.two_classes)[cell] for cell in OUTCOMES)]
    left_out = f" The first {ROWS} of {len(known)} are listed." if len(known) > ROWS else ""
    lines = [
        f"In {CASES:,} cases at {where}, {prose.number(positives, 0 if positives >= 10 else 1)} are positive. "
        f"The table has the expected numbers of right and wrong answers; their {page.percent} intervals come from the "
        f"rates{' and the prevalence' * bool(estimate)}.{left_out}"
    ]
    return (
        block("heading", f"Per {CASES:,} cases")
        + block("words", lines)
        + block("table", header, rows)
    )


def _describe_prevalence(page: Page) -> str:
    """Say at which prevalence the counts are, for the paragraph on methods, if the score does not depend on it."""
    if page.facts.depends_on_prevalence is not False:
        return ""
    set_by_hand = page.about.sets_prevalence and not page.about.prevalence_estimate
    source = ", set by the authors (state its source here)" * set_by_hand
    return f"Numbers per {CASES:,} cases are at {prevalence_of(page)[1]}{source}."


def _count(numbers: list[float]) -> str:
    """Return an expected count with its interval, to one decimal if it is small."""
    if not np.isfinite(numbers).all():
        return "–"
    digits = 1 if numbers[0] < 10 else 0
    middle, low, high = (prose.number(x, digits) for x in numbers)
    return f"{middle} ({low} to {high})"


def prevalence_of(page: Page) -> tuple[float, str]:
    """Return the share of positives, and where it comes from in words: stated, or the mean of the data."""
    assert page.two_classes is not None
    shares = page.two_classes.isel(actual=1).sum("predicted", skipna=False)
    low, high, middle = float(shares.min()), float(shares.max()), float(shares.mean())
    if high - low < 1e-9:
        return middle, f"a prevalence of {100 * middle:.3g}%"
    if estimate := page.about.prevalence_estimate:
        return (
            middle,
            f"a prevalence estimated from {estimate.replace('/', ' positives of ')} cases (mean {middle:.3g})",
        )
    return middle, f"the mean prevalence of these data, {100 * middle:.3g}% (no other was stated)"
