"""The verdict on a plan: how many more cases, with which assurance, and which other cases need fewer."""

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._checks import check_result
from bayesrank._notes import notes_of
from bayesrank._nouns import nouns
from bayesrank._records import PlanRecord
from bayesrank._text import few_names, join_names
from bayesrank.planning import OVERLAP
from bayesrank.ranking.summary import score_name
from bayesrank.words.parts import Verdict, compose
from bayesrank.words.sentences import say
from bayesrank.words.standing import lift_of

#: Variables that a plan has.
NEEDED = {"success", "needed", "limit", "now", "n"}
#: Where the true scores of an unconditional plan come from.
TRUTHS = {"population": "a learned population of {nouns}", "posterior": "today's posterior under independent priors"}
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
    about, goal = PlanRecord.of(plan), goal_words(plan)
    unit, needed, at = about.unit, float(plan["needed"]), float(plan["n"].max())
    assured, below = f"{100 * about.assurance:g}% unconditional assurance", f"below the {about.assurance:g} wanted"
    if about.reason == "met":
        return compose("met", f"No more {unit} are needed: today {goal}.", _notes(plan))
    if not np.isnan(needed):
        kind, at = "planned", needed
        many, each = _text.round_up(needed), float(plan["cases_each"])
        cases = f" ({_text.round_up(many * each):,} cases)" if each > 1 else ""
        more = f"{unit.removesuffix('s') if many == 1 else unit}{' of each case' if unit == 'runs' else cases}"
        if about.contenders:
            more += f" on each of {few_names(about.contenders)}"
        headline = f"About {many:,} more {more} are enough: with {assured}, {goal} then."
    elif about.reason == "size":
        success = _text.number(float(plan["success"].isel(n=-1)), 2)
        kind, headline = "beyond", f"{at:,.0f} more {unit} are not enough: {goal} with probability {success}, {below}."
    else:
        why = f", since {FIXED[about.fixed]}" if about.reason == "fixed" else ""
        if about.alike and float(plan["now"]) == 0:
            why = f", since {join_names(about.alike)} had the same outcome on every case"
        limit = _text.number(float(plan["limit"]), 2)
        kind, headline = (
            "no number",
            f"No number of {unit} is enough{why}: {goal} with probability {limit} at most, {below}.",
        )
    loss = ""
    if plan["expected_loss"].notnull().any():
        value = float(np.interp(np.log(at), np.log(plan["n"].values), plan["expected_loss"].values))
        loss = f"Expected loss from choosing the leader after them: {_text.significant(value)} in {score_name(plan)}."
    return compose(kind, headline, _notes(plan), loss, _cheaper(plan))


def _verdict_of_separation(plan: xr.Dataset) -> Verdict:
    """Return the verdict on a conditional plan, in the words of the ranking's verdict."""
    about, caps = plan.attrs, notes_of(plan["caps"])
    if caps:
        return compose("cap", lift_of(caps[0], about["leader"], score_name(plan)) or say(caps[0]), [])
    [fact] = notes_of(plan["separation"])
    now, many = _text.number(float(plan["now"]), 3), f"{100 * about['assurance']:g}% of simulated futures"
    notes = [
        f"Today P({about['entity']} beats {about['rival']}) is {now}.",
        f"With that number, only one of the two remains in the set of possible best {nouns()} (level "
        f"{about['target']:g}) in {many}.",
        "The number assumes this true difference; true_scores='population' (--true-scores population) averages over "
        "plausible differences.",
    ]
    if about["reason"] == "met":
        text = f"No more {about['unit']} are needed: only one of {about['entity']} and {about['rival']} could be best."
        return compose("met", text, notes[:1])
    return compose(about["reason"] or "planned", say(fact), notes)


def goal_words(plan: xr.Dataset) -> str:
    """Return the target of a plan as a clause."""
    about = PlanRecord.of(plan)
    entity, rival, target = about.entity, about.rival, f"{about.target:g}"
    who = entity or "the leader"
    by = f" by more than {about.margin:g}" if about.margin > 0 else ""
    if about.goal == "interval":
        width = f"{about.width:g} {score_name(plan)}"
        return f"the {100 * about.target:g}% interval of {who} is at most {width} wide"
    if about.goal == "top":
        return f"P(the leading {about.k} are the true top {about.k}{by}) reaches {target}"
    if about.goal == "each":
        return f"P({who} beats a rival{by}) reaches {target} for each rival"
    if about.goal == "rival" and about.margin < 0:
        return f"P({who} is less than {-about.margin:g} worse than {rival}) reaches {target}"
    if about.goal == "rival":
        return f"P({who} beats {rival}{by}) reaches {target}"
    if entity:
        return f"P({entity} is best{by}) reaches {target}"
    return f"P(best{by}) reaches {target} for the leader"


def _cheaper(plan: xr.Dataset) -> str:
    """Return the sentence on the cheapest other kind of cases; empty if none was planned or none is cheaper."""
    if "alternative_cases" not in plan:
        return ""
    cases = plan["alternative_cases"].values
    own = np.nan_to_num(float(plan["needed"]) * float(plan["cases_each"]), nan=np.inf)
    each = zip(plan["alternative"].values.tolist(), cases.tolist(), strict=True)
    found = {name: n for name, n in each if n < own / 1.05}
    least, lines = found.pop(OVERLAP, None), []
    if found:
        name = min(found, key=found.__getitem__)
        lines.append(f"Cheapest: {name}, about {_text.round_up(found[name]):,} cases.")
    if least is not None:
        most = f" and {_text.round_up(own):,}" if np.isfinite(own) else ""
        lines.append(
            f"Per-case data would need {'between' if most else 'at least'} {_text.round_up(least):,}{most} cases."
        )
    return " ".join(lines)


def _notes(plan: xr.Dataset) -> list[str]:
    about = PlanRecord.of(plan)
    lines = []
    if about.alike:
        lines.append(f"{join_names(about.alike)} had the same outcome on every case; the plan takes them as equal.")
    if about.contenders and about.others:
        they = "it is" if about.others == 1 else "they are"
        lines.append(f"Labels on {_text.count(about.others, 'other entity')} change nothing: {they} first in no draw.")
    now = f"is {_text.number(float(plan['now']), 3)}"
    today = f"interval {now} wide" if about.goal == "interval" else f"target probability {now}"
    lines.append(f"Today the {today}.")
    low, high = float(plan["needed_lower"]), float(plan["needed_upper"])
    if not np.isnan(float(plan["needed"])) and about.reason != "met" and not np.isnan(low):
        end = "more than tried" if np.isnan(high) else f"{_text.round_up(high):,}"
        lines.append(f"By Monte-Carlo error alone the number lies between {_text.round_up(low):,} and {end}.")
    if about.reason not in ("fixed", "met"):
        limit = _text.number(float(plan["limit"]), 3)
        lines.append(f"With unlimited {about.unit} the target is met with probability {limit}.")
    if "alternative_needed" in plan:
        for i, name in enumerate(plan["alternative"].values.tolist()):
            one = plan.isel(alternative=i)
            cases, bound = float(one["alternative_cases"]), float(one["alternative_limit"])
            how_many = "more than 100 times today's"
            if cases == cases:
                how_many = f"about {_text.round_up(cases):,} cases"
            elif bound < about.assurance:
                how_many = f"no number is enough (at most {_text.number(bound, 2)})"
            lines.append(f"{name[0].upper()}{name[1:]}: {how_many}.")
    lines.append(
        f"The assurance is unconditional: true scores come from {TRUTHS[about.true_scores].format(nouns=nouns())}."
    )
    lines.append(
        "The plan assumes that today's model and prior are right, and that you rank again only once, at the end. "
        "Earlier looks claim winners too often (bayesrank gate allows repeated looks)."
    )
    return lines
