"""A decision in words."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import in_words, named, result_of
from bayesrank._escape import visible_sentences
from bayesrank.ranking.summary import check_whole, contradictions, worth

__all__ = ["check_decision", "decision_verdict"]

#: What makes a Dataset a decision.
NEEDED = {
    *("mean", "mean_error", "choice", "lower", "upper", "superiority", "superiority_error", "expected_regret"),
    *("probability_best", "probability_best_error", "effective_sample_size", "contradicted", "notes"),
    *(f"value_of_{what}_information{end}" for what in ("perfect", "prevalence") for end in ("", "_error")),
}


@visible_sentences
def decision_verdict(decision: xr.Dataset) -> list[str]:
    r"""An expected utility in words: one sentence an item.

    Parameters
    ----------
    decision : xarray.Dataset
        Of :func:`bayesrank.expected_utility`, of one decision.

    Returns
    -------
    list of str
        What has to be known of the evidence first. Then who has the highest expected utility, how probable it is that
        nobody is better and how far that may be off, whether it beats giving every case the same answer, and what
        knowing more would be worth at most.

    Raises
    ------
    ValueError
        If ``decision`` is none, or holds several decisions.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[700, 790], fp=[100, 10], fn=[1, 90], tp=[299, 210], entity=["eager", "shy"])
    >>> decision = br.expected_utility(br.fit(counts, "beta_binomial", seed=1), [[0, -1], [-20, 0]], prevalence=0.02)
    >>> for line in decision_verdict(decision)[1:]:
    ...     print(line)
    eager has the highest expected utility, -0.126 a case (95% interval -0.149 to -0.104).
    It is the best choice with probability 0.690 (Monte-Carlo error 0.0079).
    Not knowing which is best costs 0.0032 a case (Monte-Carlo error 0.0001), in the unit of the benefits: to know more
    of them is worth no more than that.
    """
    check_decision("decision", decision)
    first = [*contradictions(decision), *filter(None, str(decision["notes"].item()).split("\n"))]
    ranked = decision.isel(entity=np.flatnonzero(decision["tier"].notnull().values))
    lost = [str(name) for name in decision["entity"].values[decision["tier"].isnull().values]]
    last = [f"Without a defined utility in most draws, not compared: {', '.join(lost)}."] if lost else []
    if not ranked.sizes["entity"]:
        return [*first, *last]
    name = decision["choice"].item()
    best = ranked.isel(entity=ranked["entity"].values.tolist().index(name))
    lines = [
        f"{name} has the highest expected utility, {_number(best['mean'])} a case ({100 * decision.attrs['prob']:g}% "
        f"interval {_number(best['lower'])} to {_number(best['upper'])})."
    ]
    if np.isnan(float(best["mean_error"])):
        return [*first, *lines, "A point estimate does not say how sure that is.", *last]
    alike = _alike(ranked, best)
    if alike:
        lines.append(f"Within Monte-Carlo error so {'has' if len(alike) == 1 else 'have'} {_some(alike)}.")
    if ranked.sizes["entity"] > 1:
        lines += [_sure(best, worth(decision)), *_strategies(ranked, best, worth(decision)), *_perfect(decision)]
    return [*first, *lines, *last]


def check_decision(argument: str, decision: Any) -> None:
    """Raise unless something is one expected utility, of all its entities.

    Examples
    --------
    >>> check_decision("decision", xr.Dataset())
    Traceback (most recent call last):
    ValueError: decision must come from br.expected_utility; got a Dataset of []
    """
    result_of("br.expected_utility", argument, decision, NEEDED)
    if decision["choice"].ndim:
        raise ValueError(
            f"{argument} must be one decision (select it with .isel); got the dims {decision['choice'].dims}"
        )
    known = decision["entity"].values.tolist() if "entity" in decision.coords else []
    if "benefit" not in decision.attrs or not known:
        raise ValueError(f"{argument} must come from br.expected_utility; got {in_words(decision)}")
    with named(argument, "ranking"):
        check_whole(decision)
    if decision["choice"].item() not in [*known, ""]:
        raise ValueError(f"{argument} must choose one of its entities; got {decision['choice'].item()!r}")


def _alike(ranked: xr.Dataset, best: xr.Dataset) -> list[str]:
    """Others whose mean differs from the highest by less than Monte-Carlo error."""
    error = np.hypot(ranked["mean_error"], best["mean_error"])
    close = (best["mean"] - ranked["mean"] <= 2 * error) & (ranked["entity"] != best["entity"])
    return [str(name) for name in ranked["entity"].values[close.values]]


def _sure(best: xr.Dataset, size: float) -> str:
    error = f"(Monte-Carlo error {float(best['probability_best_error']):.2g})"
    return f"It is the best choice with probability {_text.probability(float(best['probability_best']), size)} {error}."


def _strategies(ranked: xr.Dataset, best: xr.Dataset, size: float) -> list[str]:
    """How the choice does beside the best of giving every case the same answer."""
    if "strategy" not in ranked.coords:
        return []
    if bool(best["strategy"]):
        return ["No entity is expected to do better than giving every case that answer."]
    rivals = ranked.isel(entity=ranked["strategy"].values)
    rival = str(rivals["entity"].values[rivals["mean"].values.argmax()])
    p = float(best["superiority"].sel(rival=rival))
    error = float(best["superiority_error"].sel(rival=rival))
    return [
        f"It beats {rival!r}, the best of giving every case the same answer, with probability "
        f"{_text.probability(p, size)} (Monte-Carlo error {error:.2g})."
    ]


def _perfect(decision: xr.Dataset) -> list[str]:
    value, error = (float(decision[f"value_of_perfect_information{end}"]) for end in ("", "_error"))
    if value == 0:
        return ["In no draw is another one better: these draws show nothing to gain from knowing more."]
    lines = [
        f"Not knowing which is best costs {value:.2g} a case (Monte-Carlo error {error:.2g}), in the unit of the "
        "benefits: to know more of them is worth no more than that."
    ]
    part = float(decision["value_of_prevalence_information"])
    if part > 0:
        error = float(decision["value_of_prevalence_information_error"])
        lines.append(f"To know only the prevalence is worth {part:.2g} a case (Monte-Carlo error {error:.2g}).")
    return lines


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _number(value: xr.DataArray) -> str:
    return f"{float(value) + 0.0:.3g}"
