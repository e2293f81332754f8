"""``bayesrank tile``: who is best under which preference."""

from typing import Any

import click

import bayesrank as br
from bayesrank import _format
from bayesrank.cli._analysis import analyse, analysing, progress
from bayesrank.cli._output import print_rows
from bayesrank.plots._style import short_names

EXAMPLES = """
\b
Examples:
  bayesrank tile breast_cancer
  bayesrank tile antibody_tests --credible --picture antibody_tile.png
"""


@click.command(epilog=EXAMPLES)
@analysing
@click.option("--credible", is_flag=True, help="Over the posterior, not the observed rates alone.")
@click.option("--resolution", default=51, show_default=True, help="Points along each axis of the credible Tile.")
@click.option("--picture", type=click.Path(dir_okay=False), help="Write the map (PNG, PDF or SVG by its ending).")
def tile(credible: bool, resolution: int, picture: str | None, prob: float, **how: Any) -> None:
    """Map who is best for every preference: the Tile of all canonical ranking scores.

    Across, a weighs true positives against true negatives; up, b weighs false negatives against false positives. The
    share of an entity is the area on which it is best.
    """
    with progress() as step:
        analysis = analyse(step, **how)
        step("mapping")
        if credible:
            found = br.tile.credible(analysis.performance, resolution, prob)
            share = found["share"]
        else:
            observed = br.as_performance(analysis.counts, kind="pooled" if "dataset" in analysis.counts.dims else None)
            found = br.tile.regions(observed)
            share = br.tile.shares(observed)
        if picture:
            step("drawing the map")
            draw = br.plots.credible_tile if credible else br.plots.winner_tile
            draw(found).figure.savefig(picture, dpi=150, bbox_inches="tight")
    order = share.sortby(-share)
    seen = order[order > 0.0005].dropna("entity")
    names = short_names(seen["entity"].values.tolist(), 60)
    header = ["entity", "share of the Tile"]
    rows = [[name, f"{100 * float(s):.1f}%"] for name, s in zip(names, seen, strict=True)]
    if credible:
        header.append(f"{100 * prob:g}% interval")
        limits = found[["share_lower", "share_upper"]].sel(entity=seen["entity"])
        for row, low, high in zip(rows, limits["share_lower"], limits["share_upper"], strict=True):
            row.append(f"{100 * float(low):.1f}% to {100 * float(high):.1f}%")
    print_rows(header, rows, numbers=True)
    rest = share.sizes["entity"] - len(rows)
    if rest:
        click.echo(f"{_format.count(rest, 'entity')} with a share below 0.05%.")
    if credible:
        click.echo(
            f"On {100 * float(found['undecided_area']):.0f}% of the Tile nobody is best with probability {prob:g}."
        )
    for line in analysis.note:
        click.echo(f"Note: {line}")
    if picture:
        click.echo(f"Picture: {picture}")
