"""A population: several data sets with rates of their own, or, without data sets, the entities themselves."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank._core import prose
from bayesrank._core.labels import cell_headings, select_names
from bayesrank._core.nouns import noun, nouns
from bayesrank.comparisons.populations import heterogeneity
from bayesrank.performance.arrays import posterior_of
from bayesrank.plots.kit.style import list_size
from bayesrank.ranking import score_table
from bayesrank.report.page import Page, PageBlock, block, fold_rows, interval_rows, picture
from bayesrank.report.sections.rates import RATES, TITLES
from bayesrank.scores.display import display_name
from bayesrank.words.heterogeneities import describe_typical
from bayesrank.words.models import population_words

PLACE, ON_REQUEST = 20, False
NEEDS = "a model that learns from several data sets"
#: Entities whose data sets are drawn, rows of a picture, data sets that are seen at once.
DRAWN, ROWS, SEEN = 3, 60, 20
COLUMNS = ("typical", "new", "between_sd", "share")
HEADER = [
    "data sets",
    "typical data set",
    "new data set",
    "standard deviation",
    "share beyond sampling",
]


def make(page: Page) -> PageBlock | None:
    if page.posterior.array is not None:
        return None
    group = posterior_of(page.posterior)
    words = population_words(page.posterior)
    if words is not None:
        caption = _caption(page, "The vertical line is the mean of all.")
        html = block("words", [words])
        return PageBlock(
            f"{nouns().capitalize()} as a population",
            html + _shrinkage(page, None, len(page.order), caption),
        )
    if not {"performance", "performance_typical", "performance_new"} <= set(group.data_vars):
        return None
    if "dataset" not in group["performance"].dims:
        return None
    spread = heterogeneity(page.posterior, page.score, prob=page.prob)
    size = group.sizes["dataset"]
    typical = describe_typical(spread)
    typical = f" Typical here means {typical}." if typical else ""
    words = (
        f"Each {noun()} has rates of its own on each of the {size} data sets. The model estimates the rates on a "
        "typical "
        f"data set and the differences between data sets.{typical} The standard deviation is that of the true "
        f"{display_name(page.found.name)} between data sets. The share is the part of the observed "
        "variance that these true differences explain; the rest is sampling error. "
        "The interval of a new data set is for the score on one more data set like these."
    )
    rows = [[str(name), *_cells(select_names(spread, entity=name))] for name in page.order]
    # Only entities with a rank are drawn, unless none has one.
    first = [
        name
        for name in page.order
        if not np.isnan(float(select_names(spread["typical"], entity=name)))
    ][:DRAWN]
    first = first or page.order[:DRAWN]
    html = block("words", [words]) + block("table", HEADER, rows)
    more = (
        f" The first {len(first)} of {len(page.order)} {nouns()}."
        if len(page.order) > len(first)
        else ""
    )
    if page.two_classes is not None:
        return PageBlock(
            "Data sets",
            html + _forests(page, first, more) + _roc(page, first, more) + _tables(page),
        )
    caption = _caption(
        page,
        "The vertical line is the typical data set; the wide band is the interval of a new one.",
    )
    return PageBlock("Data sets", html + _shrinkage(page, first, size, caption + more))


def _cells(one: xr.Dataset) -> list[str]:
    numbers = {str(name): float(value) for name, value in one.data_vars.items()}
    estimates = [
        prose.estimate(numbers[name], numbers[f"{name}_lower"], numbers[f"{name}_upper"])
        for name in COLUMNS
    ]
    return [f"{numbers['datasets']:.0f}", *estimates]


def _forests(page: Page, first: Sequence[Any], more: str) -> Markup:
    """Return the forest of each entity's studies: both rates on each data set, on a typical and on a new one."""
    numbers = {}
    for kind in ("observed", "typical", "new"):
        table = score_table(page.posterior, list(RATES), prob=page.prob, kind=kind)
        columns = ["median", "lower", "upper", *["observed"] * (kind == "observed")]
        numbers[kind] = table[columns].to_array().transpose(..., "score", "variable")
    html = Markup("")
    for entity in first:
        own = select_names(numbers["observed"], entity=entity).transpose("dataset", ...).values
        measured = np.flatnonzero(np.isfinite(own[..., 3]).any(axis=-1))
        measured = measured[np.argsort(-np.nan_to_num(own[measured, 0, 0]), kind="stable")]
        names = numbers["observed"]["dataset"].values[measured].tolist()
        rows = dict(zip(names, own[measured], strict=True))
        last = [
            (f"{kind} data set", select_names(numbers[kind], entity=entity).values)
            for kind in ("typical", "new")
        ]

        def draw(shown: list, rows: dict = rows, last: list = last) -> Markup:
            label = "Sensitivity and specificity on each data set with intervals."
            return interval_rows(
                [(str(name), rows[name]) for name in shown], TITLES, label, "var(--soft)", last
            )

        caption = (
            f"Each data set's rates, estimated from all data sets together: median and {page.percent} interval; "
            f"squares are observed. The rows on the band are the typical data set and the prediction for a new "
            f"one.{more}"
        )
        forest = fold_rows(draw, names, len(names) if len(names) <= SEEN else SEEN - 8)
        html += block("heading", str(entity)) + block(
            "rows", forest, caption if entity == first[-1] else ""
        )
    return html


def _roc(page: Page, first: Sequence[Any], more: str) -> Markup:
    from bayesrank.performance import summary_points
    from bayesrank.plots import summary_roc

    # Colours are those of places among all entities.
    points = summary_points(page.posterior, prob=page.prob)
    if points["fpr"].isnull().all():
        return Markup("")
    caption = (
        "Summary ROC. Circles are data sets; larger circles have more cases. Marks are typical data sets. With "
        f"probability {page.prob:g}, a filled region contains the typical data set, and a dashed one a new data "
        f"set.{more}"
    )
    names = [name for name in points["entity"].values.tolist() if name in first]
    shown = select_names(points, entity=names)
    return picture(
        lambda figure: summary_roc(shown, figure.subplots(), prob=page.prob), (7.8, 4.8), caption
    )


def _tables(page: Page) -> Markup:
    """Return the 2 × 2 table of each entity on each data set, folded; nothing if the posterior has no counts."""
    observed = page.posterior.group("observed_data")
    if observed is None or not {"dataset", "actual", "predicted"} <= set(
        observed.get("counts", xr.DataArray()).dims
    ):
        return Markup("")
    counts = observed["counts"].transpose("entity", "dataset", "actual", "predicted")
    rows = []
    for name in page.order:
        for table in select_names(counts, entity=name):
            if table.sum() > 0:
                cells = [f"{n:,.0f}" for n in table.values.ravel()]
                rows.append([str(name), str(table["dataset"].item()), *cells])
    headings = cell_headings(counts).values()
    return block("fold", "The 2 × 2 tables", block("table", [noun(), "data set", *headings], rows))


def _caption(page: Page, end: str) -> str:
    return (
        "Circles are observed values; larger circles have more cases. Points with a line are estimates that also use "
        f"the others: median and {page.percent} interval. {end}"
    )


def _shrinkage(page: Page, entities: list | None, rows: int, caption: str) -> Markup:
    """Return observed values and what they were drawn to."""
    from bayesrank.plots import shrinkage

    columns = 1 if entities is None else len(entities)

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, columns, sharex=True, sharey=True, squeeze=False)[0]
        shrinkage(page.posterior, page.score, entities=entities, prob=page.prob, axes=axes)

    size = list_size(min(rows, ROWS), 3.2 + (2.6 if columns > 1 else 4.8) * columns)
    return picture(draw, size, caption)
