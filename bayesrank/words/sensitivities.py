"""The verdict on a sensitivity: the conclusions of a ranking that hold under every alternative."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result, describe_value
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nouns import noun
from bayesrank._core.prose import few_names
from bayesrank._core.records import ResultRecord
from bayesrank.ranking.summary import score_name
from bayesrank.sensitivities.analysis import NEEDED
from bayesrank.words.parts import NAMED, Verdict, compose


def verdict_of_sensitivity(result: xr.Dataset) -> Verdict:
    """Return the verdict on a sensitivity from :func:`bayesrank.sensitivity`."""
    check_result("br.sensitivity", "result", result, NEEDED, ("score", "prob", "effective_draws"))
    if not result.sizes["alternative"]:
        raise ArgumentError("result", "must come from br.sensitivity", describe_value(result))
    without = _without(result)
    notes: list[Note | str] = [*notes_of(result["notes"]), *without]
    score = score_name(result)
    if result["base_leader_probability_best"].isnull()[0]:
        return compose("none", f"Nothing to rank: no {noun()} has a defined {score}.", notes)
    if result.sizes["entity"] == 1:
        only = result["entity"].values[0]
        return compose("none", f"Nothing to rank: {only} is the only {noun()}.", notes)
    number = result.sizes["alternative"] - 1
    if not number:
        lines = without or ["Nothing was changed: there is no alternative."]
        return compose("no alternative", lines[0], notes)
    others = result.isel(alternative=slice(1, None))
    retained = others["survives"].all("alternative").values
    names = [str(name) for name in result["conclusion"].values]
    under = {1: "the one alternative", 2: "both alternatives"}.get(
        number, f"all {number} alternatives"
    )
    size = prose.count(len(names), "conclusion")
    verb = "holds" if retained.sum() <= 1 else "hold"
    everything = "Both" if len(names) == 2 else "All"
    which = everything
    if not retained.all():
        which = f"{retained.sum()} of" if retained.any() else "None of"
    if which == "Both":
        size = "conclusions"
    headline = f"{which} {size} of the base analysis by {score} {verb} under {under}."
    if len(names) == 1 and retained.all():
        headline = (
            f"The conclusion of the base analysis by {score} holds under {under}: {names[0]}."
        )
    fallen = [_fallen(others, int(i)) for i in np.flatnonzero(~retained)[: NAMED + 1]]
    more = int((~retained).sum()) - len(fallen)
    if more > 0:
        notes.append(
            f"{prose.count(more, 'more conclusion')} {'does' if more == 1 else 'do'} not hold everywhere."
        )
    kept_names = [f'"{name}"' for name, ok in zip(names, retained, strict=True) if ok]
    notes += fallen[1:]
    notes += (
        [f"Conclusions that hold under {under}: {few_names(kept_names)}."] if kept_names else []
    )
    if pairs := int(result["pairs"]):
        least, turned = int(others["pairs_kept"].min()), int(others["pairs_turned"].max())
        prob = ResultRecord.of(result).prob
        separated = (
            f"The base analysis separates {prose.count(pairs, 'pair')} with probability {prob:g}"
        )
        survival = "some alternative keeps none of these orders"
        if least:
            share = "all these orders" if least == pairs else f"at least {least} of these orders"
            survival = f"every alternative keeps {share}"
        reverse = f"; at most {turned} {'is' if turned == 1 else 'are'} reversed" if turned else ""
        notes.append(f"{separated}; {survival}{reverse}.")
    first = fallen[0] if fallen else _moves(result)
    second = _moves(result) if fallen else ""
    return compose("sensitivity", headline, notes, first, second)


def _fallen(others: xr.Dataset, i: int) -> str:
    name = str(others["conclusion"].values[i])
    where = [
        f'"{a}"'
        for a in others["alternative"].values[~others["survives"].isel(conclusion=i).values]
    ]
    return f'The conclusion "{name}" fails under {few_names(where)}.'


def _without(result: xr.Dataset) -> list[str]:
    """State whether the tiers of the others depend on one entity, if each was left out in turn."""
    if "changed_without" not in result:
        return []
    names = [
        str(name) for name in result["left_out"].values[(result["changed_without"] > 0).values]
    ]
    if not names:
        return [f"Leaving out one {noun()} never changes the tiers of the others."]
    return [f"The tiers of the others change where one of these is left out: {few_names(names)}."]


def _moves(result: xr.Dataset) -> str:
    """State the range of P(best) of the base leader."""
    best, size = (
        result["base_leader_probability_best"].values,
        ResultRecord.of(result).effective_draws,
    )
    low, high, base = (
        prose.probability(float(p), size)
        for p in (np.nanmin(best[1:]), np.nanmax(best[1:]), best[0])
    )
    leader = result["leader"].values[0]
    if low == high == base:
        return f"P({leader} is best) is {base} under all alternatives, as in the base analysis."
    if low == high:
        return (
            f"P({leader} is best) is {low} under the alternatives; the base analysis gives {base}."
        )
    return f"P({leader} is best) lies between {low} and {high} under the alternatives; the base analysis gives {base}."
