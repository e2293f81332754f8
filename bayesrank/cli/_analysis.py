"""What all analysing commands share: reading the data, its options, and the posterior."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank.cli._table import read_counts
from bayesrank.counts import common_datasets
from bayesrank.models import names
from bayesrank.ranking._evidence import evidence_of
from bayesrank.scores import Score

OPTIONS = (
    click.option("-m", "--model", type=click.Choice(names()), help="How the counts arose. [default: the data's own]"),
    click.option(
        "--prior", default="four_cases", show_default=True, help="four_cases, uniform, jeffreys, haldane, or a number."
    ),
    click.option("--prevalence", help="sampled, observed, or the share of positives. [default: the model's]"),
    click.option("--dataset", help="One data set of several. [default: all, pooled]"),
    click.option(
        "--join",
        type=click.Choice(["exact", "inner"]),
        default="exact",
        show_default=True,
        help="Which data sets to pool: exact refuses where entities saw different ones, inner takes what all saw.",
    ),
    click.option(
        "--prob",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Credible probability of intervals and tiers.",
    ),
    click.option("--draws", default=1000, show_default=True, help="Draws of each of four chains."),
    click.option("--seed", default=1, show_default=True, help="Of all randomness."),
    click.option("--sampler", type=click.Choice(["auto", "exact", "nuts"]), default="auto", show_default=True),
)


@dataclass(frozen=True)
class Analysis:
    """The data, pooled or of one data set, what is known of them, how they were pooled, and their posterior."""

    counts: xr.DataArray
    about: dict[str, str]
    pooled: list[str]
    posterior: Any
    performance: xr.DataArray

    @property
    def remarks(self) -> list[str]:
        """How the data were put together, and which label is the positive one where that is not plain."""
        classes = [str(label) for label in self.counts["actual"].values]
        plain = len(classes) != 2 or classes == ["negative", "positive"]
        return [*self.pooled, *([] if plain else [f"Positive is {classes[1]!r}, negative is {classes[0]!r}."])]

    def notes(self, score: Score | None = None) -> list[str]:
        """What of the evidence a ranking would tell first, and the remarks."""
        values = self.performance if score is None else score(self.performance)
        return [*evidence_of(self.posterior, None, values, None).notes(score), *self.remarks]


def analysing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how to get from DATA to a posterior."""
    for option in reversed(OPTIONS):
        command = option(command)
    return click.argument("data")(command)


def analyse(
    step: Callable[[str], None],
    data: str,
    model: str | None,
    prior: str,
    prevalence: str | None,
    dataset: str | None,
    join: Any,
    draws: int,
    seed: int,
    sampler: Any,
) -> Analysis:
    """Read, choose or pool, and fit."""
    step("reading")
    counts, about = _read(data)
    counts, pooled = _one_table_each(counts, dataset, join)
    if not bool((counts > 0).any()):
        raise ValueError(f"DATA must hold at least one case; all counts are 0 in {data}")
    step("drawing")
    posterior = br.fit(
        counts,
        model or about.get("model", "dirichlet_multinomial"),
        prior=_number_or_word(prior),
        prevalence=None if prevalence is None else _number_or_word(prevalence),
        draws=draws,
        seed=seed,
        sampler=sampler,
        groups=() if _number_or_word(prior) in ("haldane", 0) else ("prior",),
    )
    return Analysis(counts, about, pooled, posterior, br.as_performance(posterior))


def check_classes(counts: xr.DataArray, score: Score, data: str) -> None:
    """Refuse a two-class score of data with more classes."""
    size = counts.sizes["actual"]
    if size > 2 and score.matrix_function is None:
        table = br.scores.catalog()
        fit = [str(name) for name in table.index if br.scores.get(str(name)).matrix_function is not None]
        raise ValueError(
            f"--score must be one of {', '.join(fit)}, or an average over classes such as macro_f1, for {size} classes "
            f"in {data}; got {score.name}"
        )


@contextmanager
def progress() -> Iterator[Any]:
    """A progress line on a terminal, silence in a pipe."""
    if not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting")
        yield lambda stage: progress.update(task, description=stage)


def _read(data: str) -> tuple[xr.DataArray, dict[str, str]]:
    """Counts, and what is known of them, from the name of a shipped data set or a CSV file."""
    if data in br.datasets.names():
        return br.datasets.load(data), br.datasets.describe(data)
    if not Path(data).exists() or Path(data).is_dir():
        raise ValueError(f"DATA must be a CSV file or one of {', '.join(br.datasets.names())}; got {data!r}")
    return read_counts(data), {"title": Path(data).name}


def _one_table_each(counts: xr.DataArray, dataset: str | None, join: Any) -> tuple[xr.DataArray, list[str]]:
    """One table an entity: of one data set, or of all together, with a word on what was pooled."""
    if "dataset" not in counts.dims:
        if dataset is not None:
            raise ValueError(f"--dataset must be left out for data without data sets; got {dataset!r}")
        return counts, []
    names = {str(name): name for name in counts["dataset"].values.tolist()}
    if dataset is None and len(names) > 1:
        return _pool(counts, join)
    if dataset is not None and dataset not in names:
        raise ValueError(f"--dataset must be one of {', '.join(names)}; got {dataset!r}")
    one = counts.sel(dataset=names[dataset] if dataset is not None else counts["dataset"].values[0], drop=True)
    return one.isel(entity=one["measured"].values).drop_vars("measured"), []


def _pool(counts: xr.DataArray, join: Any) -> tuple[xr.DataArray, list[str]]:
    """All data sets together, or those that every entity saw."""
    common, lacking = common_datasets(counts)
    many, all_of_them = _text.count(int(common.sum()), "data set"), common.size
    if not common.any():
        raise ValueError(f"--dataset must name one data set where none was seen by every entity; got {lacking}")
    if lacking and join == "exact":
        raise ValueError(
            f"--join must be inner (which keeps the {many} that every entity saw), or --dataset must name one, where "
            f"entities saw different data sets; got {lacking}"
        )
    which = f"{many} of {all_of_them}, those that every entity saw" if lacking else many
    return br.pool(counts, join=join), [f"Pooled over {which}; --dataset chooses one."]


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
