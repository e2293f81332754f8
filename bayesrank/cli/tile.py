"""``bayesrank tile``: which entity is best under which preference."""

from dataclasses import replace
from typing import Any

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank.cli._analysis import Analysis, analyse, analysing, progress
from bayesrank.cli._formats import Sheet, check_digits, exporting, save, show
from bayesrank.cli._output import rank_cells, rank_header
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

An uncertain preference is uniform around a score (within RADIUS, by default 0.1; the side of the Tile is 1), on the
line between two scores, in the polygon between three or more scores, or over a named region. Or it has a Beta
distribution on each axis: a ~ Beta(A1, A2), b ~ Beta(B1, B2). A SCORE is a name, or a position such as (0.5, 1).

\b
A REGION is one of
{chr(10).join(f"  {name:21}{words}" for name, (words, _) in REGIONS.items())}
"""
#: Decimals of a share, which is printed in percent.
PERCENT = 1


@click.command(epilog=EXAMPLES)
@analysing
@click.option("--credible", is_flag=True, help="Use the posterior instead of the observed rates.")
@click.option("--preference", help=f"Rank under an uncertain preference: {FORMS}; see below.")
@click.option(
    "--resolution",
    type=click.IntRange(2, 501),  # at 501 a map of 100 entities has 200 MB, and some of them are held
    default=51,
    show_default=True,
    help="Points along each axis of the credible Tile.",
)
@exporting()
def tile(
    credible: bool,
    preference: str | None,
    resolution: int,
    prob: float,
    output: str,
    top: int | None,
    digits: int | None,
    picture: str | None,
    **how: Any,
) -> None:
    """Map the best entity for every preference: the Tile of all canonical ranking scores.

    To the right, true positives count more than true negatives (a). Upwards, false negatives cost more than false
    positives (b). The share of an entity is the area on which it is best. With --preference, the table instead ranks
    the entities over the posterior and the preference together, and the map shows the posterior.
    """
    with progress() as step:
        check_digits(digits, output)
        if digits is not None and preference is not None:
            raise ValueError(f"--digits must be left out of --preference, which has ranks alone; got {digits}")
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
            saved_to = save(draw(found), picture)
    if chosen is not None:
        sheet, words = _ranking(ranking), [chosen[1]]
    else:
        sheet, words = _shares(found, share, PERCENT if digits is None else digits), []
    notes = [f"Note: {line}" for line in analysis.notes()] + ([saved_to] if picture and output == "table" else [])
    sheet = replace(sheet, about=sheet.about | analysis.inputs.labels)
    show(replace(sheet, lines=[*sheet.lines, *words, *notes]), output, top)


def _map(
    analysis: Analysis, credible: bool, resolution: int, prob: float, prevalence: float | None
) -> tuple[xr.Dataset, xr.DataArray]:
    """Return the Tile of the posterior or of the observed rates, and the shares of the entities."""
    if credible:
        found = br.tile.credible(analysis.performance, resolution, prob=prob, maps=())
        return found, found["share"]
    observed = br.as_performance(analysis.tables("a Tile", "DATA"))
    if prevalence is not None:
        observed = br.performance.shift_prior(observed, prevalence)
    return br.tile.regions(observed), br.tile.shares(observed)


def _shares(found: xr.Dataset, share: xr.DataArray, digits: int) -> Sheet:
    order = share.sortby("entity").sortby(-share.sortby("entity").round(12))
    seen = order[order > 0.0005].dropna("entity")
    header = ["entity", "share of the Tile"]
    rows = [
        [str(name), f"{100 * float(s):.{digits}f}%"]
        for name, s in zip(seen["entity"].values.tolist(), seen, strict=True)
    ]
    credible = "share_lower" in found
    columns = {"share": order.values}
    if credible:
        header.append(f"{100 * found.attrs['prob']:g}% interval")
        limits = found[["share_lower", "share_upper"]].sel(entity=order["entity"])
        columns |= {str(name): limits[name].values for name in limits}
        for row, low, high in zip(rows, limits["share_lower"].values, limits["share_upper"].values, strict=False):
            row.append(f"{100 * low:.{digits}f}% to {100 * high:.{digits}f}%")
    nowhere = int(share.isnull().sum())
    rest = share.sizes["entity"] - len(rows) - nowhere
    lines = [f"{_text.count(rest, 'entity')} with a share below 0.05%."] if rest else []
    lines += [f"{_text.count(nowhere, 'entity')} without a score anywhere on the Tile."] if nowhere else []
    if credible:
        lines.append(
            f"On {100 * float(found['undecided_area']):.0f}% of the Tile no entity is best with probability "
            f"{found.attrs['prob']:g}."
        )
    else:
        regions = found[["entity", "tied", "area"]].to_dataframe()
        groups = regions.groupby("entity").agg({"tied": "first", "area": "sum"})
        lines += [
            f"{tied} entities with equal rates tie everywhere; together they are best on {100 * area:.1f}%."
            for tied, area in groups[(groups["tied"] > 1) & (groups["area"] > 0.0005)].itertuples(index=False)
        ]
    frame = pd.DataFrame(columns, pd.Index(order["entity"].values, name="entity"))
    about: dict[str, Any] = {"credible": credible} | ({"prob": found.attrs["prob"]} if credible else {})
    return Sheet(header, rows, lines, frame, about)


def _ranking(ranking: xr.Dataset) -> Sheet:
    """Return the entities by expected rank; equal ones by name."""
    table = ranking.drop_dims("rank").to_dataframe()
    table = table.sort_index(key=lambda names: names.astype(str))
    table = table.loc[table["expected_rank"].round(9).sort_values(kind="stable", na_position="last").index]
    rows = [
        [str(name), best, _text.number(row["expected_rank"], 1), places]
        for name, row in table.iterrows()
        for best, places in [rank_cells(row, ranking.attrs["draws"])]
    ]
    partly = int((ranking["undefined"] > 1e-9).sum())
    lines = (
        [
            f"{_text.count(partly, 'entity')} had no score in some draws or under some preferences; ranks are among "
            "the defined ones."
        ]
        if partly
        else []
    )
    best, places = rank_header(ranking.attrs["prob"])
    header = ["entity", best, "E(rank)", places]
    return Sheet(header, rows, lines, table, {"prob": ranking.attrs["prob"]}, least="E(rank)")
