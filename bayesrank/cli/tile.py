"""``bayesrank tile``: which entity is best for each weighting of the errors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click
import xarray as xr
from click.core import ParameterSource

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import ResultRecord
from bayesrank.cli._analysis import analyse
from bayesrank.cli._export import Export, Sheet, exporting, sheet_of
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import DATA, analysing, over_groups
from bayesrank.cli._output import probability_cell
from bayesrank.cli._sink import progress
from bayesrank.cli._typed import FORMS, read_preferences
from bayesrank.ranking.performances import mean_performance
from bayesrank.tile.geometry import holders
from bayesrank.tile.preferences import REGIONS
from bayesrank.words.cells import rank_header

#: Options that the Tile of observed rates does not use, and why.
OF_POSTERIORS = {
    "resolution": "whose regions are exact",
    "prob": "which has no probabilities",
    **dict.fromkeys(("model", "prior", "draws", "seed", "sampler"), "which has no posterior"),
}
#: Options that only the map uses.
OF_MAPS = {"resolution": "which draws no map"}
EXAMPLES = f"""
\b
Examples:
  bayesrank tile breast_cancer
  bayesrank tile antibody_tests --picture antibody_tile.png
  bayesrank tile antibody_tests --observed
  bayesrank tile anomaly_detectors --preference "around f1 0.2"
  bayesrank tile anomaly_detectors --preference "between ppv and tpr"
  bayesrank tile anomaly_detectors --preference "over upper half"
  bayesrank tile anomaly_detectors --preference "beta 1 1 4 1"

A preference is a distribution of weightings. It is uniform around a score (within RADIUS, by default 0.1; the side of
the Tile is 1), on the line between two scores, in the polygon between three or more scores, or over a named region. Or
it has a Beta distribution on each axis: a ~ Beta(A1, A2), b ~ Beta(B1, B2). A SCORE is a name, or a position such as
(0.5, 1).

\b
A REGION is one of
{chr(10).join(f"  {name:21}{words}" for name, (words, _) in REGIONS.items())}
"""


@click.command(cls=Grouped, epilog=EXAMPLES)
@DATA
@analysing
@over_groups
@click.option("--observed", is_flag=True, help="Use the observed rates instead of the posterior.")
@click.option(
    "--preference", help=f"Rank under an uncertain weighting (a preference): {FORMS}; see below."
)
@click.option(
    "--resolution",
    type=click.IntRange(
        2, 501
    ),  # at 501 a map of 100 entities has 200 MB, and some of them are held
    default=51,
    help="Points along each axis of the credible Tile.",
)
@exporting()
def tile(
    observed: bool, preference: str | None, resolution: int, prob: float, export: Export, **how: Any
) -> None:
    """Map the best entity for every weighting of the four outcomes: the Tile.

    Each point (a, b) of the Tile is a score, such as accuracy at (0.5, 0.5) and F1 at (1, 0.5).

    To the right, true positives count more than true negatives (a). Upwards, false negatives cost
    more than false positives (b). The share of an entity is the expected share of the Tile on which
    it is best. With --preference, the weighting is uncertain, too: the table then ranks the
    entities over the posterior and the weightings together.
    """
    with progress() as step:
        share = how["prevalence"] if isinstance(how["prevalence"], float) else None
        if preference is not None:
            _check_preference_options(observed, export)
            points, line = read_preferences(preference, share)
        if observed:
            _refuse_typed("with --observed", OF_POSTERIORS)
        if preference is not None and not export.picture:
            _refuse_typed("for --preference without --picture", OF_MAPS)
        analysis = analyse(step, **how)
        analysis.check_two_classes("a Tile")
        worst = analysis.aim is not None and analysis.aim["aggregate"] == "worst"
        for option, value in (
            (("--observed", observed), ("--preference", preference)) if worst else ()
        ):
            if value:
                raise ArgumentError(option, "cannot be used with --aggregate worst", f"{value!r}")
        source = analysis.source
        if analysis.aim is not None and not worst:
            analysis = replace(analysis, posterior=mean_performance(source, "a Tile"))
            source = analysis.posterior
        step("mapping")
        if preference is not None:
            ranking = br.tile.preference_ranking(analysis.performance, points, prob=prob)
            sheet = _ranking(ranking, line)
        if preference is None or export.picture:
            if observed:
                rates = br.as_performance(analysis.counts)
                if share is not None:
                    rates = br.performance.shift_prior(rates, share)
                regions, shares = br.tile.regions(rates), br.tile.shares(rates)
            else:
                regions = br.tile.credible(source, resolution, prob=prob, maps=())
                shares = regions["share"]
            if preference is None:
                sheet = _shares(regions, shares, 1 if export.digits is None else export.digits)
            export.draw("credible_tile" if "share" in regions else "winner_tile", regions)
    sheet.lines.extend(f"Note: {line}" for line in analysis.notes())
    sheet.about.update(analysis.labels)
    export.show(sheet)


def _check_preference_options(observed: bool, export: Export) -> None:
    """Raise an error for an option that a ranking over preferences does not use."""
    if observed:
        raise ArgumentError(
            "--observed", "cannot be used for --preference, which ranks by the posterior"
        )
    if export.digits is not None:
        raise ArgumentError(
            "--digits", "cannot be used for --preference, which prints ranks only", export.digits
        )


def _refuse_typed(what: str, reasons: Mapping[str, str]) -> None:
    """Raise an error if an option is typed that would be ignored; ``reasons`` are by its name."""
    context = click.get_current_context()
    for name, why in reasons.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            requirement = f"cannot be used {what}, {why}"
            raise ArgumentError(f"--{name}", requirement, f"{context.params[name]}")


def _shares(found: xr.Dataset, share: xr.DataArray, digits: int) -> Sheet:
    """Return the share of the Tile on which each entity is best, the largest first."""
    credible = "share_lower" in found
    columns = ["share", "share_lower", "share_upper"] if credible else ["share"]
    shares = found if credible else share.rename("share").to_dataset()
    frame = shares[columns].reset_coords(drop=True).to_dataframe().sort_index()
    frame = frame.loc[frame["share"].round(12).sort_values(ascending=False, kind="stable").index]
    visible, nowhere = frame[frame["share"] > 0.0005], int(frame["share"].isna().sum())
    rest = len(frame) - len(visible) - nowhere
    lines = [f"{prose.count(rest, 'entity')} with a share below 0.05%."] if rest else []
    lines += (
        [f"{prose.count(nowhere, 'entity')} without a score anywhere on the Tile."]
        if nowhere
        else []
    )
    percent = f"{{:.{digits}%}}".format
    cells = {"share of the Tile": lambda row: percent(row["share"])}
    record: dict[str, Any] = {"credible": credible}
    if credible:
        record["prob"] = prob = ResultRecord.of(found).prob
        cells[f"{100 * prob:g}% interval"] = lambda row: (
            f"{percent(row['share_lower'])} to {percent(row['share_upper'])}"
        )
        undecided = float(found["undecided_area"])
        lines.append(f"On {undecided:.0%} of the Tile no entity is best with probability {prob:g}.")
    else:
        groups = holders(found)[["tied", "area"]].to_dataframe().sort_index()
        lines += [
            f"{tied} entities with equal rates tie everywhere; together they are best on {area:.1%}."
            for tied, area in groups[(groups["tied"] > 1) & (groups["area"] > 0.0005)].itertuples(
                index=False
            )
        ]
    return replace(sheet_of(visible, cells, lines=lines, about=record), frame=frame)


def _ranking(ranking: xr.Dataset, preferences: str) -> Sheet:
    """Return the entities by expected rank under the described preferences; equal ones by name."""
    table = ranking.drop_dims("rank").to_dataframe()
    table = table.sort_index(key=lambda names: names.astype(str))
    table = table.loc[
        table["expected_rank"].round(9).sort_values(kind="stable", na_position="last").index
    ]
    partly = int((ranking["undefined"] > 1e-9).sum())
    words = (
        f"{prose.count(partly, 'entity')} had no score in some draws or under some "
        "preferences; ranks are among the "
    )
    lines = [*([f"{words}defined ones."] if partly else []), preferences]
    record = ResultRecord.of(ranking)
    best, places = rank_header(record.prob)
    cells = {
        best: lambda row: probability_cell(row, record.draws),
        "E(rank)": lambda row: prose.number(row["expected_rank"], 1),
        places: lambda row: prose.interval(
            row["rank_marginal_lower"], row["rank_marginal_upper"], 0
        ),
    }
    return sheet_of(table, cells, lines=lines, about={"prob": record.prob}, least=("E(rank)",))
