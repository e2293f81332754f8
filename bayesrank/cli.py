"""The command ``bayesrank``: from a table of counts to a credible ranking and a report."""

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _format
from bayesrank.inference import MODELS
from bayesrank.plots._style import short_names
from bayesrank.scores import as_score

__all__ = ["main"]

EXAMPLES = """
\b
Examples:
  bayesrank rank antibody_tests --score informedness
  bayesrank rank counts.csv --score f1 --rope 0.01 --report counts.html
  bayesrank rank anomaly_detectors --dataset art_daily_jumpsup --score mcc
  bayesrank datasets
  bayesrank scores
"""


@click.group(epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(br.__version__, prog_name="bayesrank")
def cli() -> None:
    """Credible rankings of classifiers, diagnostic tests and detectors."""


@cli.command(epilog=EXAMPLES)
@click.argument("data")
@click.option("-s", "--score", default="informedness", show_default=True, help="Name or alias; see 'bayesrank scores'.")
@click.option("-m", "--model", type=click.Choice(list(MODELS)), help="How the counts arose. [default: the data's own]")
@click.option("--prior", default="uniform", show_default=True, help="uniform, jeffreys, haldane, or a number.")
@click.option("--prevalence", help="sampled, observed, or the share of positives. [default: the model's]")
@click.option("--dataset", help="One data set of several. [default: all, pooled]")
@click.option("--prob", default=0.95, show_default=True, help="Credible probability of intervals and tiers.")
@click.option("--rope", default=0.0, show_default=True, help="Differences up to this do not count.")
@click.option("--draws", default=1000, show_default=True, help="Draws of each of four chains.")
@click.option("--seed", default=1, show_default=True, help="Of all randomness.")
@click.option("--sampler", type=click.Choice(["auto", "exact", "nuts"]), default="auto", show_default=True)
@click.option("--format", "output", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@click.option("--report", type=click.Path(dir_okay=False), help="Write a self-contained HTML report.")
def rank(
    data: str,
    score: str,
    model: str | None,
    prior: str,
    prevalence: str | None,
    dataset: str | None,
    prob: float,
    rope: float,
    draws: int,
    seed: int,
    sampler: Any,
    output: str,
    report: str | None,
) -> None:
    """Rank the entities of DATA: a shipped data set, or a CSV file.

    The file has a column entity and the columns tn, fp, fn, tp (or actual, predicted, count), and a column dataset
    where entities were measured on several.
    """
    with _progress() as step:
        step("reading")
        counts, about = _read(data)
        counts = _choose(counts, dataset)
        the_score = as_score(score)
        step("drawing")
        posterior = br.fit(
            counts,
            model or (about or {}).get("model", "dirichlet_multinomial"),
            prior=_number_or_word(prior),
            prevalence=None if prevalence is None else _number_or_word(prevalence),
            draws=draws,
            seed=seed,
            sampler=sampler,
            groups=() if prior in ("haldane", "0") else ("prior",),
        )
        step("ranking")
        pooled = "dataset" in counts.dims
        values = the_score(br.as_performance(posterior, kind="pooled" if pooled else None))
        ranking = br.credible_ranking(values, prob, rope)
        if report:
            step("reporting")
            from bayesrank.report import ranking_report

            html = ranking_report(posterior, the_score, ranking, data=about or {"title": data}, command=_command())
            Path(report).write_text(html, encoding="utf-8")
    if output == "csv":
        click.echo(br.ranking_table(values, ranking).to_csv(), nl=False)
    elif output == "json":
        click.echo(_json(values, ranking))
    else:
        _print_table(values, ranking)
        from bayesrank.report.words import implied_prior, prevalence_caveat, prior_scores

        implied = implied_prior(prior_scores(posterior, the_score), prob)
        if implied:
            click.echo(f"Before any data, the {prior} prior gives {the_score.name} a {implied}.")
        for caveat in prevalence_caveat(the_score, posterior["posterior"].attrs):
            click.echo(f"Note: {caveat}")
        if pooled:
            click.echo(f"Pooled over {_format.count(counts.sizes['dataset'], 'data set')}; --dataset chooses one.")
        if report:
            click.echo(f"Report: {report}")


@cli.command()
def datasets() -> None:
    """List the data sets that ship with the package."""
    _print_rows(
        ["name", "title", "licence"],
        [
            [name, br.datasets.describe(name)["title"], br.datasets.describe(name)["licence"]]
            for name in br.datasets.names()
        ],
    )


@cli.command()
def scores() -> None:
    """List the scores, their aliases and formulas."""
    table = br.scores.catalog()
    better = {True: "higher", False: "lower", None: "–"}
    _print_rows(
        ["name", "formula", "better", "aliases"],
        [
            [str(name), row["formula"], better[row["higher_is_better"]], ", ".join(row["aliases"])]
            for name, row in table.iterrows()
        ],
    )


def main() -> None:
    """Run the command; bad input ends with exit code 2 and one line on what is wrong."""
    try:
        cli.main(sys.argv[1:] or ["--help"], prog_name="bayesrank", standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        _fail(error.format_message())
    except KeyError as error:
        _fail(str(error.args[0]))
    except (ValueError, TypeError, OSError, UnicodeError) as error:
        _fail(str(error))


def _fail(message: str) -> None:
    click.echo(f"bayesrank: {' '.join(message.split())}", err=True)
    sys.exit(2)


def _read(data: str) -> tuple[xr.DataArray, dict[str, str] | None]:
    """Counts, and what is known of them, from the name of a shipped data set or a CSV file."""
    if data in br.datasets.names():
        return br.datasets.load(data), br.datasets.describe(data)
    if not Path(data).is_file():
        raise ValueError(f"DATA must be a CSV file or one of {', '.join(br.datasets.names())}; got {data!r}")
    # An entity may be called "null" or "NA": only an empty field is a missing value.
    frame = pd.read_csv(data, keep_default_na=False, na_values=[""])
    return br.from_frame(frame, dataset="dataset" if "dataset" in frame.columns else None), None


def _choose(counts: xr.DataArray, dataset: str | None) -> xr.DataArray:
    """One data set of the counts, or all of them."""
    if "dataset" not in counts.dims:
        if dataset is not None:
            raise ValueError(f"--dataset must be left out for data without data sets; got {dataset!r}")
        return counts
    names = {str(name): name for name in counts["dataset"].values.tolist()}
    if dataset is None and len(names) > 1:
        return counts
    if dataset is not None and dataset not in names:
        raise ValueError(f"--dataset must be one of {', '.join(names)}; got {dataset!r}")
    one = counts.sel(dataset=names[dataset] if dataset is not None else counts["dataset"].values[0], drop=True)
    return one.isel(entity=one["measured"].values).drop_vars("measured")


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _command() -> str:
    return shlex.join(["bayesrank", *sys.argv[1:]])


@contextmanager
def _progress() -> Iterator[Any]:
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


def _print_table(values: xr.DataArray, ranking: xr.Dataset) -> None:
    table = br.ranking_table(values, ranking)
    n = ranking.attrs["draws"]
    rows = [
        [
            name,
            _format.number(row["median"]),
            _format.interval(row["lower"], row["upper"]),
            _format.probability(row["probability_best"], n),
            _format.number(row["expected_rank"], 1),
            _format.interval(row["rank_lower"], row["rank_upper"], 0),
            _format.number(row["tier"], 0),
        ]
        for name, (_, row) in zip(short_names(table.index.tolist(), 60), table.iterrows(), strict=True)
    ]
    level = f"{100 * ranking.attrs['prob']:g}%"
    score = ranking.attrs["score"].replace("_", " ")
    _print_rows(
        ["entity", score, f"{level} interval", "P(best)", "E(rank)", f"{level} ranks", "tier"], rows, numbers=True
    )
    for sentence in br.verdict(ranking):
        click.echo(sentence)


def _print_rows(header: list[str], rows: list[list[str]], numbers: bool = False) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(header):
        table.add_column(name, justify="right" if numbers and i else "left", overflow="fold", no_wrap=numbers)
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False)
    # In a pipe there is no width to fit.
    Console(highlight=False, markup=False, width=console.width if console.is_terminal else 160).print(table)


def _json(values: xr.DataArray, ranking: xr.Dataset) -> str:
    table = br.ranking_table(values, ranking).reset_index()
    return json.dumps(
        {
            "score": ranking.attrs["score"],
            "prob": ranking.attrs["prob"],
            "rope": ranking.attrs["rope"],
            "verdict": br.verdict(ranking),
            "ranking": json.loads(table.to_json(orient="records")),
        },
        ensure_ascii=False,
        indent=2,
    )
