"""Checks that an argument is an expected utility."""

from typing import Any

from bayesrank._checks import check_result, describe_value, rename_argument
from bayesrank.ranking.summary import check_complete

__all__ = ["NEEDED", "check_decision"]

#: Variables that every decision has.
NEEDED = {
    *("mean", "mean_error", "choice", "lower", "upper", "superiority", "superiority_error", "expected_regret"),
    *("probability_best", "probability_best_error", "effective_sample_size", "contradicted", "notes"),
    *(f"value_of_{what}_information{end}" for what in ("perfect", "prevalence") for end in ("", "_error")),
}


def check_decision(argument: str, decision: Any) -> None:
    """Raise unless the argument is one expected utility with all its entities.

    Examples
    --------
    >>> import xarray as xr
    >>> check_decision("decision", xr.Dataset())
    Traceback (most recent call last):
    ValueError: decision must come from br.decisions.expected_utility; got a Dataset of []
    """
    check_result("br.decisions.expected_utility", argument, decision, NEEDED)
    if decision["choice"].ndim:
        raise ValueError(
            f"{argument} must be one decision (select it with .isel); got the dims {decision['choice'].dims}"
        )
    known = decision["entity"].values.tolist() if "entity" in decision.coords else []
    if "benefit" not in decision.attrs or not known:
        raise ValueError(f"{argument} must come from br.decisions.expected_utility; got {describe_value(decision)}")
    with rename_argument(argument, "ranking"):
        check_complete(decision)
    if decision["choice"].item() not in [*known, ""]:
        raise ValueError(f"{argument} must choose one of its entities; got {decision['choice'].item()!r}")
