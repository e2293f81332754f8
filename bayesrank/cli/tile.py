"""``bayesrank tile``: who is best under which preference, and under an uncertain one."""

import warnings
from pathlib import Path
from typing import Any

import click
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank.cli._analysis import Analysis, analyse, analysing, progress
from bayesrank.cli._output import print_numbers, rank_cells, rank_header
from bayesrank.cli._preferences import FORMS, fixed_prevalence, read_preferences
from bayesrank.tile.preferences import REGIONS

EXAMPLES = f"""
\b
Examples:
  bayesrank tile breast_cancer
  bayesrank tile antibody_tests --credible --picture antibody_tile.png
  bayesrank tile anomaly_detectors --preference "around f1 0.2"
  bayesrank tile anomaly_detectors --preference "between ppv and tpr"
  bayesrank tile anomaly_detectors --preference "over upper half"
  bayesrank tile anomaly_detectors --preference "beta 1 1 4 1"

An uncertain preference is uniform around a score (within RADIUS, 0.1 if left out, where the Tile's side is 1), on the
line between two scores, in the region between more, or over a region with a name; or it has a Beta distribution on
each axis: a ~ Beta(A1, A2), b ~ Beta(B1, B2). A SCORE is a name, or a place such as (0.5, 1).

\b
A REGION is one of
{chr(10).join(f"  {name:21}{words}" for name, (words, _) in REGIONS.items())}
"""
ENDINGS = (".png", ".pdf", ".svg")


def _writable(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    """A path for a picture that can be written to: better known before the work than after it."""
    if path is not None and Path(path).suffix.lower() not in ENDINGS:
        raise click.BadParameter(f"must end in {', '.join(ENDINGS)}; got {path!r}", context, option)
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise click.BadParameter(f"must lie in a folder that exists; got {path!r}", context, option)
    return path


@click.command(epilog=EXAMPLES, short_help="Who is best under which preference?")
@analysing
@click.option("--credible", is_flag=True, help="Over the posterior, not the observed rates alone.")
@click.option("--preference", help=f"Rank under an uncertain preference: {FORMS}; see below.")
@click.option(
    "--resolution",
    type=click.IntRange(2, 501),  # at 501, 100 entities take some 4 GB
    default=51,
    show_default=True,
    help="Points along each axis of the credible Tile.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False),
    callback=_writable,
    help="Write the map (PNG, PDF or SVG by its ending).",
)
def tile(credible: bool, preference: str | None, resolution: int, picture: str | None, prob: float, **how: Any) -> None:
    """Map who is best for every preference: the Tile of all canonical ranking scores.

    Across, a weighs true positives against true negatives; up, b weighs false negatives against false positives. The
    share of an entity is the area on which it is best. With --preference, the entities are instead ranked over the
    posterior and that preference at once, and the map is that of the posterior.
    """
    with progress() as step:
        chosen = None if preference is None else read_preferences(preference, how["prevalence"])
        analysis = analyse(step, **how)
        analysis.tables("a Tile", how["data"])
        step("mapping")
        if chosen is not None:
            ranking = br.tile.preference_ranking(analysis.performance, chosen[0], prob=prob)
        over_draws = credible or chosen is not None
        if picture or chosen is None:
            found, share = _map(analysis, over_draws, resolution, prob, fixed_prevalence(how["prevalence"]))
        if picture:
            step("drawing the map")
            draw = br.plots.credible_tile if over_draws else br.plots.winner_tile
            legible = _save(draw(found).figure, picture)
    if chosen is not None:
        _print_ranking(ranking)
        click.echo(chosen[1])
    else:
        _print_shares(found, share)
    for line in analysis.notes():
        click.echo(f"Note: {line}")
    if picture:
        click.echo(f"Picture: {picture}{'' if legible else ' (its font lacks some letters of the names)'}")


def _save(figure: Any, path: str) -> bool:
    """Write a picture; whether its font has all the letters."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(path, dpi=150, bbox_inches="tight")
    return not any(str(warning.message).startswith("Glyph") for warning in caught)


def _map(
    analysis: Analysis, credible: bool, resolution: int, prob: float, prevalence: float | None
) -> tuple[xr.Dataset, xr.DataArray]:
    """The Tile of the posterior or of the observed rates, and the shares of the entities."""
    if credible:
        found = br.tile.credible(analysis.performance, resolution, prob)
        return found, found["share"]
    observed = br.as_performance(analysis.tables("a Tile", "DATA"))
    if prevalence is not None:
        observed = br.performance.shift_prior(observed, prevalence)
    return br.tile.regions(observed), br.tile.shares(observed)


def _print_shares(found: xr.Dataset, share: xr.DataArray) -> None:
    order = share.sortby("entity").sortby(-share.sortby("entity").round(12))
    seen = order[order > 0.0005].dropna("entity")
    header = ["entity", "share of the Tile"]
    rows = [[str(name), f"{100 * float(s):.1f}%"] for name, s in zip(seen["entity"].values.tolist(), seen, strict=True)]
    credible = "share_lower" in found
    if credible:
        header.append(f"{100 * found.attrs['prob']:g}% interval")
        limits = found[["share_lower", "share_upper"]].sel(entity=seen["entity"])
        for row, low, high in zip(rows, limits["share_lower"], limits["share_upper"], strict=True):
            row.append(f"{100 * float(low):.1f}% to {100 * float(high):.1f}%")
    print_numbers(header, rows)
    rest = share.sizes["entity"] - len(rows)
    if rest:
        click.echo(f"{_text.count(rest, 'entity')} with a share below 0.05%.")
    if credible:
        click.echo(
            f"On {100 * float(found['undecided_area']):.0f}% of the Tile nobody is best with probability "
            f"{found.attrs['prob']:g}."
        )
        return
    held = found[["entity", "tied", "area"]].to_dataframe().groupby("entity").agg({"tied": "first", "area": "sum"})
    for tied, area in held[(held["tied"] > 1) & (held["area"] > 0.0005)].itertuples(index=False):
        click.echo(f"{tied} entities with equal rates tie everywhere; together they are best on {100 * area:.1f}%.")


def _print_ranking(ranking: xr.Dataset) -> None:
    """The entities by expected rank; equal ones by name."""
    table = ranking.drop_dims("rank").to_dataframe()
    table = table.sort_index(key=lambda names: names.astype(str))
    table = table.loc[table["expected_rank"].round(9).sort_values(kind="stable", na_position="last").index]
    rows = [[str(name), *rank_cells(row, ranking.attrs["draws"])] for name, row in table.iterrows()]
    print_numbers(["entity", *rank_header(ranking.attrs["prob"])], rows, least="E(rank)")
    partly = int((ranking["undefined"] > 1e-9).sum())
    if partly:
        click.echo(
            f"{_text.count(partly, 'entity')} had no score in some draws or under some preferences; ranks are among "
            "the defined ones."
        )
