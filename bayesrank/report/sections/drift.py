"""How OPS changed from period to period, and whether prevalence or rates changed it."""

from functools import partial
from typing import Any

import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.records import ResultRecord
from bayesrank.evidence.predictions import counts_of
from bayesrank.inference import fit
from bayesrank.models import in_closed_form
from bayesrank.ops import drift
from bayesrank.performance.arrays import as_performance
from bayesrank.plots.kit.style import plain_names
from bayesrank.report.page import Page, PageBlock, PageRequest, block, picture
from bayesrank.scores.display import display_name
from bayesrank.words.drift import name_alarms
from bayesrank.words.results import verdict_parts

PLACE, ON_REQUEST = 65, True
NEEDS = "results={'drift': br.ops.drift(...)}"
#: Entities whose changes are drawn.
DRAWN = 3


def compute(request: PageRequest) -> xr.Dataset:
    evidence = request.evidence
    cases = isinstance(evidence, xr.Dataset) and {"predicted", "actual"} <= set(evidence.variables)
    counts = counts_of(evidence) if cases else evidence
    periods = (
        isinstance(counts, xr.DataArray)
        and "dataset" in counts.dims
        and counts.sizes["dataset"] > 1
    )
    if not periods or counts.sizes.get("actual") != 2:
        raise ArgumentError(
            "--with drift",
            "needs data sets of two classes as periods, two or more, without --dataset",
            request.title,
        )
    posterior = request.posterior
    if "dataset" not in as_performance(posterior).dims:
        # A model that a data set can have for itself alone.
        single = request.model if request.model in in_closed_form() else in_closed_form()[0]
        posterior = fit(counts, single, draws=request.draws, seed=request.seed, **request.options)
    return drift(posterior, request.score, prob=request.prob)


def make(page: Page) -> PageBlock | None:
    result = page.results.get("drift")
    if result is None:
        return None
    if not isinstance(result, xr.Dataset) or not {
        "alarm",
        "degraded_since_baseline",
        "change_mean",
    } <= set(result):
        raise ArgumentError("drift", "must come from br.ops.drift of draws", describe_value(result))
    if "entity" not in result["ops_mean"].dims:
        result = result.expand_dims(entity=page.order[:1])
    entities = result["entity"].values.tolist()
    names = [name for name in page.order if name in entities]
    if not names:
        raise ArgumentError(
            "drift", "must contain only entities of the posterior", f"{entities[0]!r}"
        )
    [dim] = (str(dim) for dim in result["ops_mean"].dims if dim != "entity")
    periods, record, shown = result[dim].values.tolist(), ResultRecord.of(result), names[:DRAWN]
    rows = [
        [str(name), str(period), *_cells(select_names(result, entity=name).isel({dim: i}))]
        for name in shown
        for i, period in enumerate(periods)
    ]
    parts = verdict_parts(result)
    words = (
        f"The OPS of {display_name(record.score)} in each of {len(periods)} periods, compared with "
        f"the one before: a change by prevalence says that the cases changed, a change by rates that the {noun()} did. "
        "Near an OPS of 1, a large change of the rates changes it little: see the rates beside it, and the probability "
        f"that they got worse since {record.baseline}. Means and {record.percent} intervals."
    )
    words += f" The first {DRAWN} of {len(names)} {nouns()}." if len(names) > DRAWN else ""

    size = (max(6.4, min(1.5 + 0.8 * len(periods), 6.4) * len(shown)), 5.6)
    changes = "and below it the changes by prevalence and by rates"
    caption = f"OPS over the periods, {changes}: means and {record.percent} intervals."
    header = [noun(), dim, display_name(record.score), "TPR", "FPR", "OPS", "by prevalence"]
    header += ["by rates", "P(rates got worse)", f"since {record.baseline}", "alarm"]
    html = (
        block("words", [" ".join(parts.sentences()), words, *parts.notes])
        + block("table", header, rows)
        + picture(partial(_draw, result, shown), size, caption)
    )
    return PageBlock("Changes of OPS", html)


def _draw(result: xr.Dataset, shown: list[Any], figure: Any) -> None:
    """Draw the changes of each entity in a column of a figure."""
    from bayesrank.plots import ops_drift

    grid = figure.subplots(2, len(shown), sharex=True, squeeze=False)
    for title, name, column in zip(plain_names(shown, 34), shown, grid.T, strict=True):
        ops_drift(result, name, column)
        if len(shown) > 1:
            column[0].set_title(title, fontsize=9)
        if name != shown[0]:
            column[0].set_ylabel("")
            column[1].set(ylabel="", title="")


def _cells(here: xr.Dataset) -> list[str]:
    """Return the values of one period, the changes of OPS, the probabilities that rates got worse, and alarms."""
    cells = {name: [here] for name in ("score", "tpr", "fpr", "ops")}
    parts = cells | {"change": [here.sel(part="prevalence"), here.sel(part="rates")]}
    means = [
        prose.estimate(*(float(one[f"{name}_{what}"]) for what in ("mean", "lower", "upper")))
        for name, ones in parts.items()
        for one in ones
    ]
    worse = [
        prose.format_probability_with_error(float(here[name]), float(here[f"{name}_error"]))
        for name in ("degraded", "degraded_since_baseline")
    ]
    return [*means, *worse, name_alarms(here["alarm"])]
