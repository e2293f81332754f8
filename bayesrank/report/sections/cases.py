"""Which cases decide: those on which entities have different outcomes."""

from typing import Any

import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.nouns import noun, nouns
from bayesrank.cases import deciding_cases
from bayesrank.plots.kit.style import list_size
from bayesrank.report.page import LISTED, Page, PageBlock, PageRequest, block, picture

PLACE, ON_REQUEST = 55, True
NEEDS = "results={'cases': br.cases.deciding_cases(...)}"


def compute(request: PageRequest) -> xr.Dataset:
    if not isinstance(request.evidence, xr.Dataset):
        raise ArgumentError(
            "--with cases",
            "cannot be used unless there is one row for each case and a model of per-case data",
            f"{request.title} with the model {request.model}",
        )
    return deciding_cases(request.evidence)


def make(page: Page) -> PageBlock | None:
    result: Any = page.results.get("cases")
    if result is None:
        return None
    check_result(
        "br.cases.deciding_cases", "cases", result, ("decides", "outcome", "count", "entity")
    )
    entities, order = result["entity"].values.tolist(), page.order
    if set(entities) != set(order):
        differing = prose.list_names(sorted(map(str, set(entities) ^ set(order))))
        raise ArgumentError(
            "cases",
            "must have the entities of the posterior",
            f"{differing} in only one of the two",
        )
    names, total = order[:LISTED], int(result["count"].sum())
    deciding = int(result["count"].where(result["decides"]).sum())
    rest = (
        f"on the others all {nouns()} have the same outcome"
        if deciding < total
        else f"{nouns()} differ on each"
    )
    words = f"{deciding} of {total:,} cases decide: {rest}."
    if len(entities) > LISTED:
        words += f" The first {LISTED} of {len(entities):,} {nouns()} are drawn."
    html = block("words", [words])
    if deciding:
        from bayesrank.plots import case_grid

        caption = (
            f"The outcome of each deciding case for each {noun()}, best first. Cases that most {nouns()} got right "
            "are on the left."
        )
        shown = select_names(result, entity=names)
        html += picture(
            lambda figure: case_grid(shown, figure.subplots()), list_size(len(names), 9), caption
        )
    return PageBlock("Which cases decide", html)
