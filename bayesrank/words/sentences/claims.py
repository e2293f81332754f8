"""Sentences on what limits the headline of a ranking."""

from bayesrank._core import prose
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.percent import score_text, score_unit

#: What a verdict adds where it invites more cases.
WITH_ROPE = (
    "Pass the smallest difference that matters (rope=, --rope): the verdict then says how many more cases would show "
    "a difference of that size."
)
LOOKING = "Rank again only when all new data are collected (bayesrank gate allows repeated looks)."


def clusters_vary_less(pairs: int, of: int, unit: str = "clusters") -> str:
    which = f"the pair of {nouns()}" if of == 1 else f"{pairs:,} of {of:,} pairs of {nouns()}"
    cases = "cases" if unit == "clusters" else "votes"
    return (
        f"For {which}, {unit} vary less than independent {cases} would. A lead must also be large enough for "
        f"independent {cases}, which is conservative."
    )


def votes_uneven(fewest: int, most: int, percent: float, intervals: float | None) -> str:
    return (
        f"Pairs have {fewest:,} to {most:,} votes, which differ by more than chance. Earlier votes may have chosen "
        f"the pairs, so {_widened(percent, intervals)}."
    )


def close_strengths_met(percent: float, intervals: float | None) -> str:
    return (
        f"{nouns().capitalize()} of similar strength met more often than chance explains. Earlier votes may have "
        f"matched them, so {_widened(percent, intervals)}."
    )


def _widened(percent: float, intervals: float | None) -> str:
    ranks = f"the possible ranks allow for errors that are {percent:.0f}% larger"
    return ranks if intervals is None else f"{ranks}, and intervals are {intervals:.0f}% wider"


def probability_below(rival: str | None, p: float, prob: float, rope: float) -> str:
    margin = f" by more than {rope:g}" if rope else ""
    subject = (
        "P(best) of the leader"
        if rival is None
        else f"The probability that the leader beats {rival}{margin}"
    )
    return f"{subject} is {p:.2f}, below {prob:g}."


def more_to_separate(
    entity: str,
    rival: str,
    difference: float,
    score: str,
    unit: str,
    needed: float | None,
    most: int,
    cases_each: float,
    designed: float | None,
    positives: float | None,
    per_case: bool,
    paired: bool,
    assurance: float,
) -> str:
    differ = f"if they truly differ by {score_text(f'{difference:g}')} {score_unit(score, 'in')}"
    if needed is None:
        pair = f"separate {entity} from {rival}"
        return f"More than {most} times as many {unit} as today would be needed to {pair} {differ}."
    additions = []
    if cases_each > 1:
        additions.append(f"{prose.round_up(needed * cases_each):,} cases")
    if designed is not None and positives is not None:
        additions.append(
            f"or {prose.round_up(designed):,} with {100 * positives:g}% positives, ranked with prevalence="
        )
    if per_case:
        additions.append("per-case data may need fewer")
    aside = f" ({'; '.join(additions)})" if additions else ""
    kind = f"{unit.removesuffix('s') if needed == 1 else unit}{'' if paired else f' per {noun()}'}"
    return (
        f"To separate {entity} from {rival}, collect about {prose.round_up(needed):,} more {kind}{aside}: "
        f"{100 * assurance:g}% power {differ}."
    )


def no_difference(entity: str, rival: str, ahead: int) -> str:
    them = f"these {ahead} {nouns()}" if ahead > 2 else f"{entity} and {rival}"
    return f"The data show no difference between {them}. {WITH_ROPE}"
