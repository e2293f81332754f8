"""The verdict on a plan: how many more cases, with which assurance, and which other cases need fewer."""

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.checks import check_result
from bayesrank._core.notes import notes_of
from bayesrank._core.nouns import nouns
from bayesrank._core.prose import few_names, join_names
from bayesrank._core.records import PlanRecord
from bayesrank.planning import OVERLAP
from bayesrank.ranking.summary import score_name
from bayesrank.words.parts import Verdict, compose
from bayesrank.words.sentences import say
from bayesrank.words.standing import lift_of

#: Variables that a plan has.
NEEDED = {"success", "needed", "limit", "now", "n"}
#: Where the true scores of an unconditional plan come from.
TRUTHS = {
    "population": "a learned population of {nouns}",
    "posterior": "today's posterior under independent priors",
}
#: Units that stay as observed, and how the verdict says so.
FIXED = {
    "data sets": "the data sets stay the same, and they differ",
    "new": "data sets differ, and the next one is not known",
    "clusters": "the clusters stay the same, and they differ",
    "cases": "the cases stay the same",
    "verdicts": "the judged cases stay the same",
}


def verdict_of_plan(plan: xr.Dataset) -> Verdict:
    """Return the verdict on a plan, of :func:`bayesrank.plan`."""
    check_result("br.plan", "plan", plan, NEEDED, ("goal", "target", "assurance", "unit", "reason"))
    if plan.attrs["goal"] == "separation":
        return _verdict_of_separation(plan)
    record, goal = PlanRecord.of(plan), goal_words(plan)
    unit, needed, at = record.unit, float(plan["needed"]), float(plan["n"].max())
    assured, below = (
        f"{100 * record.assurance:g}% unconditional assurance",
        f"below the {record.assurance:g} wanted",
    )
    if record.reason == "met":
        return compose("met", f"No more {unit} are needed: today {goal}.", _notes(plan))
    if not np.isnan(needed):
        kind, at = "planned", needed
        number, cases_each = prose.round_up(needed), float(plan["cases_each"])
        cases = f" ({prose.round_up(number * cases_each):,} cases)" if cases_each > 1 else ""
        more = f"{unit.removesuffix('s') if number == 1 else unit}{' of each case' if unit == 'runs' else cases}"
        if record.contenders:
            more += f" on each of {few_names(record.contenders)}"
        headline = f"About {number:,} more {more} are enough: with {assured}, {goal} then."
    elif record.reason == "size":
        success = prose.number(float(plan["success"].isel(n=-1)), 2)
        kind, headline = (
            "beyond",
            f"{at:,.0f} more {unit} are not enough: {goal} with probability {success}, {below}.",
        )
    else:
        why = f", since {FIXED[record.fixed]}" if record.reason == "fixed" else ""
        if record.alike and float(plan["now"]) == 0:
            why = f", since {join_names(record.alike)} had the same outcome on every case"
        limit = prose.number(float(plan["limit"]), 2)
        kind, headline = (
            "no number",
            f"No number of {unit} is enough{why}: {goal} with probability {limit} at most, {below}.",
        )
    loss = ""
    if plan["expected_loss"].notnull().any():
        value = float(np.interp(np.log(at), np.log(plan["n"].values), plan["expected_loss"].values))
        loss = f"Expected loss from choosing the leader after them: {prose.significant(value)} in {score_name(plan)}."
    return compose(kind, headline, _notes(plan), loss, _cheaper(plan))


def _verdict_of_separation(plan: xr.Dataset) -> Verdict:
    """Return the verdict on a conditional plan, in the words of the ranking's verdict."""
    record, caps = plan.attrs, notes_of(plan["caps"])
    if caps:
        return compose(
            "cap", lift_of(caps[0], record["leader"], score_name(plan)) or say(caps[0]), []
        )
    [fact] = notes_of(plan["separation"])
    now, share = (
        prose.number(float(plan["now"]), 3),
        f"{100 * record['assurance']:g}% of simulated futures",
    )
    notes = [
        f"Today P({record['entity']} beats {record['rival']}) is {now}.",
        f"With that number, only one of the two remains in the set of possible best {nouns()} (level "
        f"{record['target']:g}) in {share}.",
        "The number assumes this true difference; true_scores='population' (--true-scores population) averages over "
        "plausible differences.",
    ]
    if record["reason"] == "met":
        text = (
            f"No more {record['unit']} are needed: only one of {record['entity']} and "
            f"{record['rival']} could be best."
        )
        return compose("met", text, notes[:1])
    return compose(record["reason"] or "planned", say(fact), notes)


def goal_words(plan: xr.Dataset) -> str:
    """Return the target of a plan as a clause."""
    record = PlanRecord.of(plan)
    entity, rival, target = record.entity, record.rival, f"{record.target:g}"
    name = entity or "the leader"
    by = f" by more than {record.margin:g}" if record.margin > 0 else ""
    if record.goal == "interval":
        width = f"{record.width:g} {score_name(plan)}"
        return f"the {100 * record.target:g}% interval of {name} is at most {width} wide"
    if record.goal == "top":
        return f"P(the leading {record.k} are the true top {record.k}{by}) reaches {target}"
    if record.goal == "each":
        return f"P({name} beats a rival{by}) reaches {target} for each rival"
    if record.goal == "rival" and record.margin < 0:
        return f"P({name} is less than {-record.margin:g} worse than {rival}) reaches {target}"
    if record.goal == "rival":
        return f"P({name} beats {rival}{by}) reaches {target}"
    if entity:
        return f"P({entity} is best{by}) reaches {target}"
    return f"P(best{by}) reaches {target} for the leader"


def _cheaper(plan: xr.Dataset) -> str:
    """Return the sentence on the cheapest other kind of cases; empty if none was planned or none is cheaper."""
    if "alternative_cases" not in plan:
        return ""
    cases = plan["alternative_cases"].values
    own = np.nan_to_num(float(plan["needed"]) * float(plan["cases_each"]), nan=np.inf)
    alternatives = zip(plan["alternative"].values.tolist(), cases.tolist(), strict=True)
    cheaper = {name: n for name, n in alternatives if n < own / 1.05}
    least, lines = cheaper.pop(OVERLAP, None), []
    if cheaper:
        name = min(cheaper, key=cheaper.__getitem__)
        lines.append(f"Cheapest: {name}, about {prose.round_up(cheaper[name]):,} cases.")
    if least is not None:
        most = f" and {prose.round_up(own):,}" if np.isfinite(own) else ""
        lines.append(
            f"Per-case data would need {'between' if most else 'at least'} {prose.round_up(least):,}{most} cases."
        )
    return " ".join(lines)


def _notes(plan: xr.Dataset) -> list[str]:
    record = PlanRecord.of(plan)
    lines = []
    if record.alike:
        lines.append(
            f"{join_names(record.alike)} had the same outcome on every case; the plan takes them as equal."
        )
    if record.contenders and record.others:
        they = "it is" if record.others == 1 else "they are"
        lines.append(
            f"Labels on {prose.count(record.others, 'other entity')} change nothing: {they} first in no draw."
        )
    now = f"is {prose.number(float(plan['now']), 3)}"
    today = f"interval {now} wide" if record.goal == "interval" else f"target probability {now}"
    lines.append(f"Today the {today}.")
    low, high = float(plan["needed_lower"]), float(plan["needed_upper"])
    if not np.isnan(float(plan["needed"])) and record.reason != "met" and not np.isnan(low):
        end = "more than tried" if np.isnan(high) else f"{prose.round_up(high):,}"
        lines.append(
            f"By Monte-Carlo error alone the number lies between {prose.round_up(low):,} and {end}."
        )
    if record.reason not in ("fixed", "met"):
        limit = prose.number(float(plan["limit"]), 3)
        lines.append(f"With unlimited {record.unit} the target is met with probability {limit}.")
    if "alternative_needed" in plan:
        for i, name in enumerate(plan["alternative"].values.tolist()):
            how_many = _cases_of_alternative(plan.isel(alternative=i), record.assurance)
            lines.append(f"{name[0].upper()}{name[1:]}: {how_many}.")
    lines.append(
        f"The assurance is unconditional: true scores come from {TRUTHS[record.true_scores].format(nouns=nouns())}."
    )
    lines.append(
        "The plan assumes that today's model and prior are right, and that you rank again only once, at the end. "
        "If you look earlier, false winners are too frequent (bayesrank gate allows repeated looks)."
    )
    return lines


def _cases_of_alternative(plan: xr.Dataset, assurance: float) -> str:
    """Return how many cases another kind of evidence needs, as text."""
    cases, bound = float(plan["alternative_cases"]), float(plan["alternative_limit"])
    if not np.isnan(cases):
        return f"about {prose.round_up(cases):,} cases"
    if bound < assurance:
        return f"no number is enough (at most {prose.number(bound, 2)})"
    return "more than 100 times today's"
