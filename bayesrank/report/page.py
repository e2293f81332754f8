"""What a section of the report sees, and the blocks that it is made of: words, tables, rows of intervals, pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from markupsafe import Markup
from rich.cells import cell_len

from bayesrank._core.draws import draw_dims
from bayesrank._core.labels import has_positive_class
from bayesrank._core.nouns import a_noun, noun, nouns
from bayesrank._core.records import ModelRecord, RankingRecord
from bayesrank._core.source import Source
from bayesrank.performance.arrays import as_performance, observed_counts, outcome_dims
from bayesrank.plots.kit.page import break_words
from bayesrank.ranking import ranking_table
from bayesrank.ranking.intervals import position_of
from bayesrank.ranking.values import ScoreValues
from bayesrank.report.pictures import BAR, Axis, inline_svg
from bayesrank.words.standing import Standing

#: Rows of a picture that are seen at once, and rows that open with it.
SEEN, LISTED = 12, 40
#: What a row of a picture is unless it says otherwise.
ROW = MappingProxyType({"band": False, "tall": 0, "plain": False, "side": ""})


@dataclass(frozen=True)
class PageRequest:
    """What the command knows when a section is asked for: enough to compute the section's result.

    ``evidence`` has its data sets apart; ``options`` are those of the model; ``categories`` are
    rankings of categories.
    """

    posterior: Any
    evidence: Any
    title: str
    model: str
    options: Mapping[str, Any]
    score: Any
    kind: str | None
    join: Literal["exact", "inner"]
    prob: float
    rope: float
    draws: int
    seed: int
    benefit: Mapping[str, float] | None = None
    reference: str | None = None
    categories: Sequence[Any] = ()


@dataclass(frozen=True)
class PageBlock:
    """A section as the page shows it: its heading, HTML, and what the paragraph on methods says and cites of it."""

    title: str
    html: Markup
    methods: str = ""
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """The ranking that a report is about, and what it came from.

    ``results`` are those given to the report, by the names of their sections; ``named`` are the
    sections that the user asked for by name.
    """

    posterior: Source
    score: Any
    kind: str | None
    ranking: xr.Dataset
    found: ScoreValues
    check: xr.Dataset | None = None
    results: Mapping[str, Any] = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    @property
    def about(self) -> ModelRecord:
        """Return what the posterior says of its model."""
        return self.posterior.model

    @cached_property
    def counts(self) -> xr.DataArray | None:
        """Return the observed counts; None if they are not known."""
        return observed_counts(self.posterior)

    @cached_property
    def performance(self) -> xr.DataArray | None:
        """Return the performance of a score of classes; None for values, variables and outcomes."""
        score, array = self.found.score, self.posterior.array
        bare = array is not None and not outcome_dims(array)
        if bare or score is None or self.found.variable is not None or score.space == "outcomes":
            return None
        return as_performance(self.posterior, self.kind)

    @cached_property
    def facts(self) -> RankingRecord:
        """Return what the ranking says of itself."""
        return RankingRecord.of(self.ranking)

    @property
    def prob(self) -> float:
        return self.facts.prob

    @property
    def percent(self) -> str:
        return f"{100 * self.prob:g}%"

    @cached_property
    def table(self) -> pd.DataFrame:
        return ranking_table(self.ranking)

    @property
    def order(self) -> list[Any]:
        return self.table.index.tolist()

    @cached_property
    def two_classes(self) -> xr.DataArray | None:
        """Return the performance of two classes, if the positive class is known."""
        performance = self.performance
        two = (
            performance is not None
            and performance.sizes.get("actual") == 2
            and has_positive_class(performance)
        )
        return performance if two else None

    @property
    def has_draws(self) -> bool:
        return bool(draw_dims(self.found.values))

    @cached_property
    def leaders(self) -> list[Any]:
        """Entities that the headline does not rule out as best, best first."""
        order = position_of(self.ranking).where(self.ranking["tier"].notnull())
        standing = Standing(self.ranking, order.values)
        if not len(standing.places):
            return []
        return [self.ranking["entity"].values[i] for i in standing.places[standing.could_be_best]]


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("bayesrank.report", "")
    environment = Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"noun": noun, "nouns": nouns, "a_noun": a_noun}
    environment.filters["capitalised"] = lambda text: text[:1].upper() + text[1:]
    environment.filters["soft"] = lambda text, fits=10: Markup(break_words(text, fits))
    return environment


def render(template: str, **values: Any) -> Markup:
    """Return a template filled with values, which it escapes."""
    return Markup(_environment().from_string(template).render(**values))


def block(macro: str, *values: Any) -> Markup:
    """Return a block of the page by its name in ``blocks.html``: words, table, matrix, legend, heading, rows, fold."""
    return Markup(getattr(_environment().get_template("blocks.html").module, macro)(*values))


def bars(axes: Sequence[Axis], rows: Sequence[Mapping[str, Any]], label: str) -> Markup:
    """Return rows of intervals or of shares under their axes, which fit any screen; ``label`` says what is seen."""
    width = max((cell_len(str(row["name"])) for row in rows), default=0) + 1
    return block("bars", axes, [{**ROW, **row} for row in rows], label, width)


def interval_rows(
    rows: Sequence[tuple[Any, Any]],
    titles: Sequence[str],
    label: str,
    color: str = BAR,
    last: Sequence[Any] = (),
) -> Markup:
    """Return rows of intervals, each a name and numbers (panel, median to observed); the ``last`` are in a band."""
    axes = [
        Axis.of([x for _, numbers in [*rows, *last] for x in numbers[k]], title)
        for k, title in enumerate(titles)
    ]
    shown = [
        {
            "name": name,
            "band": band,
            "panels": [[axis.mark(numbers[k], paint)] for k, axis in enumerate(axes)],
        }
        for some, band, paint in ((rows, False, color), (last, True, BAR))
        for name, numbers in some
    ]
    return bars(axes, shown, label)


def picture(draw: Callable[[Any], Any], size: tuple[float, float], caption: str) -> Markup:
    """Return what ``draw`` draws on a Figure of that size in inches, with its caption."""
    return block("picture", inline_svg(draw, size), caption)


def fold_rows(draw: Callable[[list[Any]], Markup], names: Sequence[Any], seen: int) -> Markup:
    """Return the picture of the first names, and folded below it that of more of them."""
    listed = list(names[:LISTED])
    if seen >= len(names):
        return draw(listed)
    which = (
        f"the first {len(listed)} of {len(names):,}"
        if len(names) > len(listed)
        else f"all {len(names)}"
    )
    return draw(listed[:seen]) + block("fold", f"Show {which}", draw(listed))


def first_of(page: Page) -> int:
    """Return how many entities pictures show at once: all of a few, else the leaders, at least five."""
    retained = min(max(len(page.leaders), 5), SEEN)
    ends = page.table[["lower", "upper"]].to_numpy(float)

    def width(rows: np.ndarray) -> float:
        numbers = rows[np.isfinite(rows)]
        return float(np.ptp(numbers)) if numbers.size else 0.0

    # All are shown at once if their axis is not much wider than that of the leaders.
    is_narrow = len(ends) <= SEEN and width(ends) <= 3 * width(ends[:retained])
    return len(ends) if is_narrow or len(ends) <= retained + 1 else retained
