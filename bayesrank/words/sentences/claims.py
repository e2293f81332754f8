"""Sentences on what limits the headline of a ranking."""

from bayesrank import _text

#: What a verdict adds where it invites more cases.
LOOKING = "Rank again only when all new data are collected (bayesrank gate allows repeated looks)."


def clusters_too_few(clusters: float, enough: int) -> str:
    return (
        f"Every rank is possible: rank sets need {enough} effective clusters, and there are {clusters:.2g}. More "
        "clusters of about equal size would help; more cases of the same clusters would not."
    )


def clusters_vary_less(pairs: int, of: int) -> str:
    which = "the pair of entities" if of == 1 else f"{pairs:,} of {of:,} pairs of entities"
    return (
        f"For {which}, clusters vary less than independent cases would. Rank sets use the larger variance with the "
        "degrees of freedom of the clusters, which is conservative."
    )


def votes_uneven(fewest: int, most: int, percent: float) -> str:
    return (
        f"Pairs have {fewest:,} to {most:,} votes, which differ by more than chance. Earlier votes may have chosen "
        f"the pairs, so the possible ranks allow for errors that are {percent:.0f}% larger."
    )


def close_strengths_met(percent: float) -> str:
    return (
        "Entities of similar strength met more often than chance explains. Earlier votes may have matched them, so the "
        f"possible ranks allow for errors that are {percent:.0f}% larger."
    )


def means_without_n() -> str:
    return (
        "Every rank is possible: standard errors of few cases are themselves uncertain, and the numbers of cases are "
        "not known. Add them as the column n."
    )


def one_run_of_folds() -> str:
    return (
        "Every rank is possible: one run of cross-validation does not show how much scores of learners vary. Repeat it "
        "with other splits (repeat=), or add data sets (dataset=)."
    )


def seeds_too_few(seeds: int, enough: int) -> str:
    return (
        f"Every rank is possible: over retrained models, rank sets need {enough} training seeds of each entity, and "
        f"there are {seeds}."
    )


def runs_differ(entity: str, low: float, high: float, runs: int, p: float) -> str:
    return (
        f"The means of {runs} runs of {entity} lie between {low:.3f} and {high:.3f}, further apart than their cases "
        f"explain (p = {p:.1g}). If runs are retrained models, name their column as training seeds (training_seed=, "
        "--training-seed)."
    )


def datasets_too_few(datasets: int, enough: int) -> str:
    return f"Every rank is possible: rank sets of learners need {enough} data sets, and there are {datasets}."


def cases_too_few(cases: float, enough: int) -> str:
    return f"Every rank is possible: without a prior, rank sets need {enough} cases, and there are {cases:g}."


def cases_of_class_too_few(enough: int) -> str:
    return f"Every rank is possible: rank sets need {enough} cases of each class in each data set of the mean."


def sets_need_draws() -> str:
    return "Every rank is possible, since rank sets need draws (method='auto' has draws and exact probabilities)."


def not_measured(what: str) -> str:
    return f"Every rank is possible: the error rate of rank sets for {what} was not measured."


def pooled_datasets(datasets: int, unit: str) -> str:
    these = _text.count(datasets, unit)
    others = these.split(" ", 1)[1]
    return (
        f"Ranks, tiers and probabilities are for these {these} together; nothing is claimed about other {others} like "
        "these."
    )


def observed_undefined() -> str:
    return "The observed score of the leader is undefined: its rank comes from the prior alone."


def model_contradicted() -> str:
    return "An observed value of an entity that could be best is outside its interval, so no entity is called best."


def pairs_unconnected(entities: list[str]) -> str:
    return (
        f"The leader shares no data set or case with {_text.list_names(entities, 3)}: the comparison includes "
        "differences between the data sets."
    )


def pools_unconnected(entities: list[str]) -> str:
    return f"No chain of votes connects the leader with {_text.list_names(entities, 3)}: they cannot be compared."


def probability_below(rival: str | None, p: float, prob: float, rope: float) -> str:
    margin = f" by more than {rope:g}" if rope else ""
    what = "P(best) of the leader" if rival is None else f"The probability that the leader beats {rival}{margin}"
    return f"{what} is {p:.2f}, below {prob:g}."


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
    differ = f"if they truly differ by {difference:g} in {score}"
    if needed is None:
        pair = f"separate {entity} from {rival}"
        return f"More than {most} times as many {unit} as today would be needed to {pair} {differ}."
    also = []
    if cases_each > 1:
        also.append(f"{_text.round_up(needed * cases_each):,} cases")
    if designed is not None and positives is not None:
        also.append(f"or {_text.round_up(designed):,} with {100 * positives:g}% positives")
    if per_case:
        also.append("per-case data may need fewer")
    aside = f" ({'; '.join(also)})" if also else ""
    kind = f"{unit.removesuffix('s') if needed == 1 else unit}{'' if paired else ' per entity'}"
    return (
        f"About {_text.round_up(needed):,} more {kind}{aside} would separate {entity} from {rival} with probability "
        f"{assurance:g} {differ}. {LOOKING}"
    )


def no_difference(entity: str, rival: str) -> str:
    return (
        f"The data show no difference between {entity} and {rival}. Pass the smallest difference that matters (rope=, "
        "--rope): the verdict then says how many more cases would show a difference of that size."
    )
