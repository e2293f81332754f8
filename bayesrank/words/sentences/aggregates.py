"""Sentences on aggregates over groups, data sets or categories."""

from bayesrank._core import prose
from bayesrank._core.nouns import a_noun, nouns

OF = {
    "mean": "the mean over",
    "worst": "the worst of",
    "gap": "the difference between the largest and the smallest score of",
    "borda": "the mean number of rivals that it beats, over",
    "win_rate": "the mean share of rivals that it beats, over",
}


def aggregated(
    aggregate: str, number: int, unit: str, weights: list[str] | None, categories: bool
) -> str:
    within = ", each the mean of its data sets or groups" if categories else ""
    text = f" The weights are {prose.list_names(weights, 6)}." if weights else ""
    return f"In each draw, the value of {a_noun()} is {OF[aggregate]} {prose.count(number, unit)}{within}.{text}"


def points_of_tasks(number: int, unit: str) -> str:
    return (
        f"The results on each of {prose.count(number, unit)} are one observation, so the ranking is for "
        f"{prose.plural(unit)} like these, with the same rivals."
    )


def worst_of_each(worst: list[list], draws: int, unit: str) -> str:
    shown = [
        f"{name} for {entity} (probability {prose.probability(p, draws)})"
        for entity, name, p in worst[:5]
    ]
    more = f" and {len(worst) - 5:,} more" if len(worst) > 5 else ""
    return f"Most probable worst {unit}: {', '.join(shown)}{more}."


def groups_without_cases(groups: list[str]) -> str:
    return f"{prose.list_names(groups, 5)} {'has' if len(groups) == 1 else 'have'} no cases and no scores."


def entities_lack_groups(entities: list[str], lacking: list[str], unit: str) -> str:
    subject = f"{prose.list_names(entities, 3)} {'is' if len(entities) == 1 else 'are'}"
    return (
        f"{subject} not ranked: {entities[0]} has no cases of {prose.list_names(lacking, 3)}, and an aggregate without "
        f"these cases answers another question. A weight of 0 leaves a {unit} out."
    )


def groups_independent(cases: int, unit: str) -> str:
    units = prose.count(2, unit).split(" ", 1)[1]
    return (
        f"The {units} have independent priors, and the smallest has {prose.count(cases, 'case')}: chance alone makes "
        "medians and probabilities of the gap and the worst score too extreme. Intervals and possible ranks allow for "
        "this. For two classes or outcomes, the model 'hierarchical_beta_binomial' corrects it."
    )


def pair_reversed_by_absence(one: str, other: str, absent: str) -> str:
    return (
        f"By the observed scores, {one} is above {other}, but below it without {absent}: this aggregate depends on the "
        f"compared {nouns()}."
    )
