"""``bayesrank drift``: whether a classifier got worse since a baseline, as an exit status."""

from collections.abc import Callable
from typing import Any

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.draws import silence_samplers
from bayesrank.cli._analysis import CommandAnalysis, read_data
from bayesrank.cli._export import DIGITS, Export, Sheet, format_option
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import DATA, SCORE, adding, asking
from bayesrank.cli._sink import progress
from bayesrank.cli._typed import output_file
from bayesrank.evidence.predictions import counts_of
from bayesrank.models import in_closed_form
from bayesrank.scores import Score
from bayesrank.words.drift import name_alarms
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank drift months.csv --score f1
  bayesrank drift months.csv --baseline January --looks 12
  bayesrank drift cases.csv --dataset-column month --format markdown
  bayesrank drift cases.csv --dataset-column month --cluster patient
\b
Exit status: 0, 1 if a rate got worse (an alarm), 2 for wrong use.
"""
#: The exit status of an alarm.
ALARM = 1
MEANS = ("score", "ops", "tpr", "fpr")


@click.command(cls=Grouped, epilog=EXAMPLES)
@DATA
@adding(
    click.option(
        "--baseline", metavar="PERIOD", help="The period to compare with. [default: the first]"
    ),
    click.option(
        "--looks",
        type=click.IntRange(1),
        default=24,
        help="The number of successive looks in which a false alarm has at most the probability 1 minus --prob.",
    ),
    SCORE,
    asking,
    format_option(),
    click.option(
        "--picture",
        type=output_file("picture"),
        help="Also write a picture (PNG, PDF or SVG by the suffix).",
    ),
)
def drift(
    score: Score | None,
    baseline: str | None,
    looks: int,
    prob: float,
    draws: int,
    seed: int,
    format: str,
    picture: str | None,
    **how: Any,
) -> None:
    """Compare the periods of DATA with a baseline and with one another, and raise an alarm if a rate got worse.

    The periods are the data sets of DATA, in the order of the file. A fall of sensitivity or a rise
    of the false positive rate raises an alarm, of a look or the last three looks together against
    the baseline, or of a look against the one before. The outperformance score (OPS) of --score
    shows beside them.
    """
    export = Export(format, picture=picture)
    with progress() as step:
        evidence, model, options = _periods(step, draws, seed, how)
        if picture is not None and evidence.sizes["entity"] > 1:
            raise ArgumentError(
                "--picture",
                "cannot be used for a file with several entities",
                evidence.sizes["entity"],
            )
        used = choose_score(evidence, score)
        first = _find_baseline(baseline, evidence["dataset"].values.tolist())
        step("drawing")
        with silence_samplers():
            posterior = br.fit(evidence, model, draws=draws, seed=seed, **options)
        step("comparing")
        drifts = br.ops.drift(posterior, used, baseline=first, looks=looks, prob=prob)
    parts = verdict_parts(drifts)
    frame = _table(drifts)
    several = drifts.sizes["entity"] > 1
    cells = {
        **{
            title: _cell(name)
            for name, title in zip(MEANS, (used.display, "OPS", "TPR", "FPR"), strict=True)
        },
        f"P(worse since {drifts.attrs['baseline']})": _probability,
        "alarm": lambda row: str(row["alarm"]),
    }
    export.draw("ops_drift", drifts)
    since = drifts.attrs["baseline"]
    record: dict[str, Any] = {"verdict": parts.kind, "sentences": parts.sentences()}
    record |= {"notes": list(parts.notes), "score": used.name, "baseline": since}
    record |= {"looks": looks, "prob": prob}
    rows = [
        [
            f"{period}, {row['entity']}" if several else str(period),
            *(cell(row) for cell in cells.values()),
        ]
        for period, row in frame.iterrows()
    ]
    header = ["period, entity" if several else "period", *cells]
    export.show(
        Sheet(header, rows, list(parts.notes), frame, record, "periods", heading=parts.sentences())
    )
    if parts.kind == "alarm":
        click.get_current_context().exit(ALARM)


def _find_baseline(baseline: str | None, periods: list[Any]) -> Any:
    """Return the period that ``--baseline`` names; None if it is not given."""
    names = {str(name): name for name in periods}
    if baseline is not None and baseline not in names:
        raise ArgumentError(
            "--baseline", f"must be one of {prose.list_names(names)}", f"{baseline!r}"
        )
    return None if baseline is None else names[baseline]


def _periods(
    step: Callable[[str], None], draws: int, seed: int, how: dict[str, Any]
) -> tuple[xr.DataArray | xr.Dataset, str, dict[str, Any]]:
    """Return the counts or clustered cases of each period, the model of a period on its own, and its options."""
    if how["dataset"] is not None:
        raise ArgumentError(
            "--dataset",
            "cannot be used for drift, which compares all periods",
            f"{how['dataset']!r}",
        )
    if how["model"] not in (None, *in_closed_form()):
        alone = " or ".join(in_closed_form())
        raise ArgumentError(
            "--model", f"must be {alone}, which fit each period on its own", how["model"]
        )
    analysis: CommandAnalysis = read_data(step, draws=draws, seed=seed, over="dataset", **how)
    analysis.check_two_classes("drift")
    evidence = analysis.evidence
    if "dataset" not in evidence.coords or len(set(evidence["dataset"].values.tolist())) < 2:
        hint = "--dataset-column names the column of the periods"
        raise ArgumentError("DATA", "must have at least two periods as data sets", "one", hint)
    if "cluster" in evidence.coords:
        return evidence, "paired", analysis.options
    counts = counts_of(evidence) if isinstance(evidence, xr.Dataset) else evidence
    return counts, how["model"] or in_closed_form()[0], analysis.options


def _table(drift_result: xr.Dataset) -> pd.DataFrame:
    """Return all numbers of each entity and period, in the order of the periods."""
    rows = []
    for period in drift_result["dataset"].values.tolist():
        for name in drift_result["entity"].values.tolist():
            change = drift_result.sel(dataset=period, entity=name)
            row = {"period": period, "entity": name}
            row |= {
                f"{each}_{what}": float(change[f"{each}_{what}"])
                for each in MEANS
                for what in ("mean", "lower", "upper")
            }
            for part in change["part"].values.tolist():
                row |= {
                    f"{since}_{part}": float(change[f"{since}_mean"].sel(part=part))
                    for since in ("change", "since_baseline")
                }
            for since in ("degraded", "degraded_since_baseline"):
                row |= {each: float(change[each]) for each in (since, f"{since}_error")}
            for rate in change["rate"].values.tolist():
                for against in change["against"].values.tolist():
                    row[f"p_worse_{rate}_{against}"] = float(
                        change["p_worse"].sel(rate=rate, against=against)
                    )
            rows.append(row | {"alarm": name_alarms(change["alarm"])})
    return pd.DataFrame(rows).set_index("period")


def _cell(name: str) -> Callable[[Any], str]:
    return lambda row: prose.format_with_interval(
        row[f"{name}_mean"], row[f"{name}_lower"], row[f"{name}_upper"], DIGITS
    )


def _probability(row: Any) -> str:
    worse, error = row["degraded_since_baseline"], row["degraded_since_baseline_error"]
    return "–" if pd.isna(worse) else prose.format_probability_with_error(worse, error)
