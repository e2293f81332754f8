"""A decision as headings and rows of text, for the command and the report; and the check of one."""

import math
from typing import Any

import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result, describe_value, rename_argument
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import ResultRecord
from bayesrank.ranking.summary import best_texts, check_complete

#: Variables that every decision has.
NEEDED = {
    *(
        "mean",
        "mean_error",
        "choice",
        "lower",
        "upper",
        "superiority",
        "superiority_error",
        "expected_regret",
    ),
    *(
        "probability_best",
        "probability_best_error",
        "effective_sample_size",
        "contradicted",
    ),
    *(
        f"value_of_{what}_information{end}"
        for what in ("perfect", "prevalence")
        for end in ("", "_error")
    ),
}
COLUMNS = ("noninferior", "superior", "equivalent", "tpr_noninferior", "tnr_noninferior")


def check_decision(argument: str, decision: Any) -> None:
    """Raise unless the argument is one expected utility with all its entities."""
    check_result("br.decisions.expected_utility", argument, decision, NEEDED)
    if decision["choice"].ndim:
        raise ArgumentError(
            argument,
            "must be one decision (select it with .isel)",
            f"the dims {decision['choice'].dims}",
        )
    names = decision["entity"].values.tolist() if "entity" in decision.coords else []
    if not ResultRecord.of(decision).benefit or not names:
        raise ArgumentError(
            argument, "must come from br.decisions.expected_utility", describe_value(decision)
        )
    with rename_argument(argument, "ranking"):
        check_complete(decision)
    if decision["choice"].item() not in [*names, ""]:
        raise ArgumentError(
            argument, "must choose one of its entities", f"{decision['choice'].item()!r}"
        )


def by_utility(decision: xr.Dataset) -> xr.Dataset:
    """Return the order of the entities: highest expected utility first, ties by name."""
    names = [str(name) for name in decision["entity"].values]
    mean = decision["mean"].fillna(-math.inf).round(12).values
    return decision.isel(entity=sorted(range(len(names)), key=lambda i: (-mean[i], names[i])))


def utility_table(
    decision: xr.Dataset, digits: int | None = None
) -> tuple[list[str], list[list[str]]]:
    """Return the table of expected utilities, the highest first; by default the intervals determine the digits."""
    best, ordered = best_texts(decision), by_utility(decision)
    if digits is None:
        width = float((ordered["upper"] - ordered["lower"]).where(lambda x: x > 0).median())
        digits = 3 if math.isnan(width) else min(max(2 - math.floor(math.log10(width)), 0), 9)
    rows = []
    columns = ("mean", "lower", "upper", "expected_regret")
    for name, *numbers in zip(
        ordered["entity"].values, *(ordered[column].values for column in columns), strict=True
    ):
        mean, lower, upper, regret = map(float, numbers)
        rows.append(
            [
                str(name),
                prose.number(mean, digits),
                prose.interval(lower, upper, digits),
                best[name.item() if hasattr(name, "item") else name],
                prose.number(regret, digits + 1),
            ]
        )
    level = f"{ResultRecord.of(decision).percent} interval"
    return ["entity", "expected utility", level, "P(best)", "regret"], rows


def comparison_table(compared: xr.Dataset) -> tuple[list[str], list[list[str]]]:
    """Return the table of comparisons with the reference."""
    record = ResultRecord.of(compared)
    rows = [
        [
            str(compared["entity"].values[i]),
            str(compared["verdict"].values[i]),
            *(
                prose.probability(float(compared[name][i]), record.effective_draws)
                for name in COLUMNS
            ),
        ]
        for i in range(compared.sizes["entity"])
    ]
    return [
        f"against {record.reference}",
        "verdict",
        "no worse",
        "superior",
        "equivalent",
        "TPR",
        "TNR",
    ], rows


def comparison_words(compared: xr.Dataset) -> str:
    """Return explanations of the columns of :func:`comparison_table`."""
    tpr, tnr, reference = (compared.attrs[name] for name in ("tpr", "tnr", "reference"))
    error = max(float(compared[f"{name}_error"].max()) for name in COLUMNS)
    return (
        f"No worse: TPR at most {tpr:g} below that of {reference}, and TNR at most {tnr:g} below; the columns TPR and "
        "TNR show the probability of each separately. Equivalent: both within these margins. A verdict needs the "
        f"probability {ResultRecord.of(compared).prob:g}; Monte-Carlo errors are at most {error:.2g}."
    )
