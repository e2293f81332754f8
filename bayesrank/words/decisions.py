"""The verdicts on a decision, and on a Pareto front of a score and a cost."""

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_result
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.prose import few_names
from bayesrank._core.records import ResultRecord
from bayesrank.decisions.tables import check_decision
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.summary import outside_interval, score_name
from bayesrank.words.parts import Verdict, compose
from bayesrank.words.rankings import common_notes, loss_of, next_step
from bayesrank.words.sentences.claims import LOOKING
from bayesrank.words.standing import Standing, headline_text, relation


def verdict_of_decision(decision: xr.Dataset) -> Verdict:
    """Return the verdict on one expected utility from :func:`bayesrank.decisions.expected_utility`."""
    check_decision("decision", decision)
    notes: list[Note | str] = [*outside_interval(decision), *notes_of(get_fact(decision, "notes"))]
    standing = Standing(decision, _order(decision))
    if not len(standing.places):
        return compose("none", f"Nothing to decide: no {noun()} has a defined utility.", notes)
    position = int(standing.places[0])
    mean = float(decision["mean"].values[position])
    low, high = (float(decision[end].values[position]) for end in ("lower", "upper"))
    ends = f"{ResultRecord.of(decision).percent} interval {low + 0:.3g} to {high + 0:.3g}"
    name, much = standing.leader, f"{mean + 0:.3g} per case"
    if len(standing.places) == 1:
        text = f"Nothing to decide: {name} is the only {noun()} with a defined utility, {much} ({ends})."
        return compose("none", text, notes)
    if np.isnan(float(decision["mean_error"].values[position])):
        text = f"No ranking: {name} has the highest utility, {much}, but a point estimate has no probabilities."
        return compose("none", text, notes, next_step="A model gives probabilities (br.fit).")
    lead = f"{name} has the highest expected utility ({much}, {standing.best()})"
    headline = headline_text(standing, lead, f"{name} is best: {standing.best()}")
    notes += [
        f"The expected utility of {name} is {much} ({ends}).",
        *common_notes(standing, "utility"),
    ]
    notes += [*_close(standing), *_strategies(standing), *_information(decision)]
    loss = loss_of(decision, name, position, "per case (in the unit of the benefits)")
    if standing.headline == "best":
        return compose(standing.headline, headline, notes, loss)
    step, looks_again = next_step(decision, standing)
    return compose(
        standing.headline, headline, [*notes, LOOKING] if looks_again else notes, loss, step
    )


def verdict_of_front(front: xr.Dataset) -> Verdict:
    """Return the verdict on a front, of :func:`bayesrank.decisions.pareto_front`."""
    check_result(
        "br.decisions.pareto_front", "result", front, ("probability_front", "score", "cost")
    )
    share, prob = front["probability_front"].values, ResultRecord.of(front).prob
    names = [str(name) for name in front["entity"].values.tolist()]
    groups = {
        "": share >= prob,
        "undecided": (share > 1 - prob) & (share < prob),
        "not on it": share <= 1 - prob,
    }
    listed = {
        what: few_names([names[i] for i in sorted(np.flatnonzero(held), key=lambda i: -share[i])])
        for what, held in groups.items()
        if held.any()
    }
    if not listed:
        return compose(
            "front",
            f"Nothing is known of the Pareto front: no {noun()} has a score and a cost.",
            [],
        )
    sure = (
        ""
        if np.isnan(front["probability_front_error"].values).all()
        else f" with probability at least {prob:g}"
    )
    text = listed.pop("", f"no {noun()}")
    rest = "".join(f"; {what}: {who}" for what, who in listed.items())
    headline = f"On the Pareto front of {score_name(front)} and cost{sure}: {text}{rest}."
    return compose("front", headline, notes_of(front["notes"]) if "notes" in front else [])


def _order(decision: xr.Dataset) -> np.ndarray:
    """Return the position of each ranked entity by mean utility, the choice first; NaN for the others."""
    names = [str(name) for name in decision["entity"].values]
    mean = decision["mean"].values.round(12)
    ranked = decision["tier"].notnull().values
    chosen = str(decision["choice"].item())
    order = sorted(np.flatnonzero(ranked), key=lambda i: (names[i] != chosen, -mean[i], names[i]))
    result = np.full(len(names), np.nan)
    result[order] = np.arange(1, len(order) + 1)
    return result


def _close(standing: Standing) -> list[str]:
    """Note the entities whose mean utility is within Monte-Carlo error of the highest."""
    decision, places = standing.ranking, standing.places
    mean, error = (decision[name].values[places] for name in ("mean", "mean_error"))
    near = mean[0] - mean <= 2 * np.hypot(error, error[0])
    near[0] = False
    if not near.any():
        return []
    rivals = few_names(standing.named(near))
    return [f"The expected utility of {rivals} is equal to the highest within Monte-Carlo error."]


def _strategies(standing: Standing) -> list[str]:
    """Note how the choice compares with the best strategy that gives every case the same answer."""
    decision = standing.ranking
    if "strategy" not in decision.coords:
        return []
    always = decision["strategy"].values[standing.places].astype(bool)
    if always[0]:
        strategy = f"{standing.leader}, which gives every case the same answer"
        return [f"No {noun()} has a higher expected utility than {strategy}."]
    if not always.any():
        return []
    i = int(np.flatnonzero(always)[0])
    p = relation(float(standing.superiority[i]), standing.draws)
    constant = standing.names[i]
    strategy = f"{constant} is the best strategy that gives every case the same answer"
    return [f"P({standing.leader} beats {constant}) {p}; {strategy}."]


def _information(decision: xr.Dataset) -> list[str]:
    """Note the values of perfect information and of knowing the prevalence, with their errors."""
    lines = []
    for of, what, more in (
        ("perfect", "Perfect information", f": no study of these {nouns()} is worth more"),
        ("prevalence", "Knowing only the prevalence", ""),
    ):
        value, error = (
            float(decision[f"value_of_{of}_information{end}"]) for end in ("", "_error")
        )
        if value > 0:
            lines.append(
                f"{what} would be worth {value:.2g} per case (Monte-Carlo error {error:.2g}){more}."
            )
    return lines
