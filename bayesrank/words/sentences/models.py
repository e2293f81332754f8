"""Sentences about models, their priors, their samplers, and the means of their draws."""

from typing import Any

from bayesrank._core import prose
from bayesrank._core.nouns import a_noun, noun, nouns
from bayesrank._core.nuts import (
    say_chains_to_agree,
    say_fewer_divergences,
    say_more_draws,
    say_unreliable,
)
from bayesrank.words.caveats import Caveat, caveat

#: What varies between data sets in models of logits.
TERMS_IN_WORDS = {
    "difficulty": "the difficulty of data sets",
    "deviations": "the deviations of {nouns}",
}


def own_cases(fewest: int, most: int, total: int, entity: str) -> str:
    return (
        f"Answers are missing, so that {nouns()} have different cases, from {fewest} of {total} ({entity}) to "
        f"{most}: the ranking assumes that answers are missing at random."
    )


@caveat(Caveat.FEW_UNITS)
def few_cases_and_prior_of_range(cases: int, prior_cases: float, centre: float) -> str:
    prior = f"{prior_cases:g} {'case' if prior_cases == 1 else 'cases'}"
    return (
        f"Only {prose.count(cases, 'case')}, and a prior of {prior} at the ends of the range: means are shrunk towards "
        f"{centre:g}."
    )


@caveat(Caveat.FEW_UNITS)
def few_cases_and_prior(cases: int, one_dataset: bool) -> str:
    where = " on one of the data sets" if one_dataset else ""
    return f"Only {prose.count(cases, 'case')}{where}: the result depends on the prior."


@caveat(Caveat.FEW_UNITS)
def few_clusters(units: int, one_class: bool, one_dataset: bool) -> str:
    if units == 1:
        return (
            f"Only 1 cluster{_where(one_class, one_dataset)}: how much clusters differ is unknown."
        )
    return (
        f"Only {prose.count(units, 'cluster')}{_where(one_class, one_dataset)}: intervals are wider to allow for few "
        "clusters."
    )


def _where(one_class: bool, one_dataset: bool) -> str:
    """Return words on the part of the data that has few units, if it is a part."""
    return " of a class" * one_class + " on one of the data sets" * one_dataset


@caveat(Caveat.FEW_UNITS)
def few_units_without_prior(
    units: int, unit: str, one_class: bool, one_dataset: bool, enough: int
) -> str:
    where = _where(one_class, one_dataset)
    prior = "with almost no prior, " if unit == "case" else ""
    return f"Only {prose.count(units, unit)}{where}: {prior}intervals from fewer than about {enough} are too narrow."


def prior_of_cells(right: float | None, wrong: float | None, answers: int, outcomes: bool) -> str:
    if right is None or wrong is None:
        return "The answers have Dirichlet priors with the supplied concentrations."
    if outcomes:
        return f"The probabilities of the outcomes have a Dirichlet prior with the concentration {right:g} for each."
    if answers == 2:
        return f"The rate of right answers of each class has the prior Beta({right:g}, {wrong:g})."
    return (
        f"The answers to cases of a class have a Dirichlet prior with the concentration {right:.3g} for the right "
        f"answer and {wrong:.3g} for each other one."
    )


def prior_of_shares(each: float | None, spread: float | None = None) -> str:
    concentration = (
        "the supplied concentrations"
        if each is None
        else f"the concentration {each:g} for each class"
    )
    if spread is None:
        return f"The class shares have a Dirichlet prior with {concentration}."
    return (
        f"The mean class shares over data sets have a Dirichlet prior with {concentration}. For their spread s, "
        f"the prior of s/√(1 − s²) is half-Student-t with 3 degrees of freedom and scale {spread:g}."
    )


def prior_of_population(
    right: float | None, wrong: float | None, answers: int, outcomes: bool, spread: float
) -> str:
    mean = (
        "the supplied concentrations"
        if right is None or wrong is None
        else f"the concentrations {right:g}"
    )
    if right != wrong and right is not None and wrong is not None:
        mean += f" (right answer) and {wrong:.3g} (each other one)"
    return (
        f"The mean rates of a population have a Dirichlet prior with {mean}. Their spread s is the standard "
        "deviation of the rates as a share of the largest possible one. The prior of s/√(1 − s²) is half-Student-t "
        f"with 3 degrees of freedom and scale {spread:g}."
    )


def prior_of_classes(right: float | None, wrong: float | None, spread: float) -> str:
    mean = (
        "a supplied prior"
        if right is None or wrong is None
        else f"the prior Beta({right:g}, {wrong:g})"
    )
    return (
        f"The mean recall of {a_noun()}'s classes has {mean}. The prior of s/√(1 − s²) is half-Student-t with 3 "
        "degrees "
        f"of freedom and scale {spread:g}, where s is the standard deviation of the recalls as a share of the largest "
        "possible one. Errors on a class are Dirichlet over the other classes, with a spread that all classes share; "
        "its prior is uniform."
    )


def prior_of_size_slope(scale: float) -> str:
    return (
        "Class sizes differ by more than chance, so the log odds of the mean recall are linear in the log size of "
        f"the class. The prior of the slope is normal with mean 0 and standard deviation {scale:g}."
    )


def prior_of_class_shares() -> str:
    return "The class shares have a Dirichlet prior with equal means, and a spread whose prior is uniform."


def prior_of_equal_groups(probability: float) -> str:
    return (
        f"With prior probability {probability:g} all groups of {a_noun()} have the same rate in a class; otherwise "
        "their rates come from a population. The results are averaged over both possibilities."
    )


def prior_of_logits(
    right: float | None,
    wrong: float | None,
    answers: int,
    outcomes: bool,
    scales: dict[str, float],
    both: bool,
    contrasts: float | None,
    correlation: float,
) -> str:
    beta = "a Beta prior with the supplied concentrations"
    if right is not None and wrong is not None:
        beta = f"the prior Beta({right:g}, {wrong:g})"
    rate = "rate of right answers in the median data set"
    parts = [
        f"For each {noun()}, the {rate} has {beta}."
        if contrasts is None
        else f"The common level of all {nouns()}, as a {rate}, has {beta}."
    ]
    if contrasts is not None:
        parts.append(
            f"The median logits of the {nouns()} are normal around this level, with standard deviation {contrasts:g}."
        )
    if scales:
        scales_text = " and ".join(
            f"scale {scale:g} for {TERMS_IN_WORDS[term].format(nouns=nouns())}"
            for term, scale in scales.items()
        )
        parts.append(
            f"The standard deviations, in logits, have half-normal priors, with {scales_text}"
            + (
                f"; the correlation of both classes has the prior 2 Beta({correlation:g}, {correlation:g}) − 1."
                if both
                else "."
            )
        )
    return " ".join(parts)


def prior_of_presence(columns: int, sd: float) -> str:
    which = "the difference" if columns == 1 else f"each of {columns} orthogonal contrasts"
    return (
        f"Data sets with different {nouns()} may differ in mean difficulty: in logits, {which} between them has a "
        f"normal prior around 0 with standard deviation {sd:g}. A typical data set is the average of the observed ones."
    )


def prior_of_slopes(names: list[str], common: float, apart: float, at: list[float]) -> str:
    values = ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, at, strict=True))
    return (
        f"The slope of a covariate, in logits for each of its standard deviations, is normal around 0 with standard "
        f"deviation {common:g}; slopes of {nouns()} differ with a half-normal standard deviation of scale {apart:g}. "
        f"Typical data sets are predicted at {values}."
    )


def over_retrained(fewest: int, most: int) -> str:
    number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return (
        f"The ranking is over retrained models: the {number} training seeds of each {noun()} are a sample, crossed "
        f"with the cases. Seeds of different {nouns()} are independent."
    )


def for_fitted_models() -> str:
    return (
        "The ranking is for these fitted models, averaged over training seeds; nothing is "
        "claimed about retrained ones."
    )


def folds_of_one_dataset(splits: int, ratio: float) -> str:
    return (
        f"The ranking is of learners trained on samples like this data set: the variance of {splits} splits is "
        f"increased for overlapping training sets (test to training cases {ratio:.2g})."
    )


def folds_of_datasets(datasets: int) -> str:
    return f"The ranking is of learners on data sets like these {datasets}, of which each is one observation."


def errors_t_distributed() -> str:
    return "Errors of the means are t-distributed; no range of the outcome is assumed."


def errors_normal() -> str:
    return (
        "Errors of the means are assumed to be normal and of known size: with about 30 cases or fewer, intervals are "
        "too narrow. No range of the outcome is assumed."
    )


@caveat(Caveat.FEW_UNITS)
def few_cases_of_means(cases: int) -> str:
    return f"Only {prose.count(cases, 'case')}: intervals of skewed outcomes are too narrow."


@caveat(Caveat.FEW_UNITS)
def means_unpaired() -> str:
    hidden = f"which cases were hard for several {nouns()}"
    return f"The comparison is unpaired: means and standard errors do not show {hidden}."


def means_over_datasets(datasets: int, weights: list[str] | None, unit: str) -> str:
    weighting = (
        "with equal weights"
        if weights is None
        else f"with the weights {prose.list_names(weights, 6)}"
    )
    return (
        f"Means over {datasets} {unit}s, {weighting}: they describe these {unit}s, not a new one."
    )


def mean_of_one_dataset(dataset: str, unit: str) -> str:
    return f"Means over {unit}s, with all the weight on {dataset}."


def prior_repeated(cases: float | None) -> str:
    much = "" if cases is None else f" and counts as {cases:g} cases in all"
    return f"The prior is repeated on each data set{much}: split_prior=True divides one prior among them."


@caveat(Caveat.FEW_UNITS)
def variance_lost(cases: int, of_classes: bool, percent: float, model: str) -> str:
    of = " of a class" if of_classes else ""
    return (
        f"Data sets have as few as {cases} cases{of}, and a split prior loses variance there: intervals of the mean "
        f"are too narrow by up to {percent:.0f}%. The model {model!r} avoids this."
    )


@caveat(Caveat.NOT_CONVERGED)
def chains_unreliable(divergences: int, rhat: float | None, effective: float | None) -> str:
    return say_unreliable(divergences, rhat, effective)


def fewer_divergences(target_accept: float) -> str:
    return say_fewer_divergences(target_accept)


def chains_to_agree(tune: int | None) -> str:
    return say_chains_to_agree(tune)


def more_draws(times: int) -> str:
    return say_more_draws(times)


@caveat(Caveat.MODEL_CONTRADICTED)
def datasets_not_replicated(share: float, draws: int) -> str:
    p_value = f"p {prose.probability(share, draws)}"
    return f"Data sets differ more than the model predicts (predictive check, {p_value})."


def model_that_learns_differences(model: str) -> str:
    return f"The model {model!r} learns how data sets differ (br.predictive.predictive_check checks it)."


def design_complete(entities: int, datasets: int) -> str:
    number, sets = prose.count(entities, noun()), prose.count(datasets, "data set")
    return f"The design is complete: {number} met all {sets}, and {nouns()} are compared within data sets."


def at_covariates(names: list[str], at: list[float]) -> str:
    values = " and ".join(f"{name} = {value:.4g}" for name, value in zip(names, at, strict=True))
    return f"Rates of a typical or new data set are for {values}."


def design_incomplete(kind: str, missing: int, total: int, through_others: list[list[str]]) -> str:
    parts = [
        f"The design is {kind}: {missing} of {total} results {'is' if missing == 1 else 'are'} missing.",
        f"{nouns().capitalize()} are compared within data sets.",
        "The model does not correct for results that are missing because they were bad.",
    ]
    if through_others:
        pairs = _pairs(through_others)
        parts.insert(
            2,
            f"Pairs without a common data set are compared only through other {nouns()}: {pairs}.",
        )
    return " ".join(parts)


@caveat(Caveat.DATASETS_DIFFER)
def entities_unconnected(pairs: list[list[str]], instead: str) -> str:
    return (
        f"No data set connects {_pairs(pairs)}: the prior alone separates their rates from the difficulty of the data "
        f"sets. The model {instead!r} compares them if their data sets are samples of one population."
    )


def difficulty_ignored(instead: str | None) -> str:
    return f"The model ignores that a hard data set is hard for all {nouns()}{_with(instead)}."


@caveat(Caveat.DATASETS_DIFFER)
def easy_datasets_credited(instead: str | None, lacking: list[str]) -> str:
    verb = "lacks" if len(lacking) == 1 else "lack"
    return (
        f"{prose.list_names(lacking, 3)} {verb} data sets, and the model ignores that these may be harder or easier "
        f"for all {nouns()}{_with(instead)}."
    )


def datasets_missing_at_random(instead: str | None, lacking: list[str]) -> str:
    verb = "lacks" if len(lacking) == 1 else "lack"
    return (
        f"{prose.list_names(lacking, 3)} {verb} data sets, and the model takes these as missing at random"
        f"{_with(instead)}."
    )


@caveat(Caveat.DATASETS_DIFFER)
def votes_unconnected(pools: list[list[str]]) -> str:
    named = [f"({prose.list_names(pool, 4)})" for pool in pools]
    return f"No vote connects {len(pools)} pools of {nouns()}, {prose.list_names(named, 3)}: compare within pools only."


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def votes_one_sided() -> str:
    return f"Some {nouns()} never lost, or never won, against the rest: how far they are apart depends on the prior."


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def votes_all_ties() -> str:
    return f"All votes are ties: how far {nouns()} may be apart depends on the prior."


def votes_without_ties() -> str:
    return "No vote is a tie, so ties are left out of the model."


def votes_relative(independent: str) -> str:
    return (
        f"A strength is relative to the other {nouns()}: the order of two {nouns()} also depends on their votes "
        f"against others. {independent.capitalize()} are assumed independent."
    )


def votes_by_result(decided: float, **others: float) -> str:
    """Say how many votes have a winner; ``others`` are ties, and votes that call both bad."""
    ties, bad = others["tie"], others["both bad"]
    parts = [f"{decided:,.0f} have a winner"] + [f"{ties:,.0f} are ties"] * (ties > 0)
    parts += [f"{bad:,.0f} call both bad"] * (bad > 0)
    alike = " Both bad counts as a tie." if bad else ""
    return (
        f"Of {decided + ties + bad:,.0f} votes, {prose.few_names(parts)}.{alike} A tie is evidence that two "
        "strengths are close; it says nothing about how good either answer is."
    )


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def votes_perfect(won: list[str], lost: list[str]) -> str:
    parts = [
        f"{prose.few_names(names)} {verb} every vote"
        for names, verb in ((won, "won"), (lost, "lost"))
        if names
    ]
    return (
        f"{' and '.join(parts)}. The votes bound {'these strengths' if len(won + lost) > 1 else 'this strength'} from "
        "one side only; the prior bounds the other side."
    )


def style_coefficients(coefficients: list[list[Any]], prob: float) -> str:
    """Say how much each covariate sways a vote; each has a name, a median, and the ends of its interval."""
    text = [
        f"{name} {middle:.3g} ({100 * prob:g}% interval {low:.3g} to {high:.3g})".replace("-", "−")
        for name, middle, low, high in coefficients
    ]
    return f"Effect on the log-odds of a win, for each unit of the covariate: {prose.list_names(text, 6)}."


def votes_at_equal_style(covariates: list[str]) -> str:
    return (
        f"Strengths are for answers with equal {prose.few_names(covariates)}. Rank without the covariates to see "
        "what they change."
    )


def orders_merged(battles: int, decided: int, first: int, lower: float, upper: float) -> str:
    """Say that both orders of a battle are one vote, and how often the first answer won there."""
    shown = (
        "none of them has a winner"
        if not decided
        else (
            f"the {noun()} named first won {first:,} of their {decided:,} votes with a winner "
            f"({100 * first / decided:.0f}%, 95% interval {100 * lower:.0f}% to {100 * upper:.0f}%; 50% without an "
            "effect of the order)"
        )
    )
    return f"Both orders of {prose.count(battles, 'battle')} were judged, and count as one vote each; {shown}."


def votes_judged(judges: list[str], labels: int, votes: int) -> str:
    return (
        f"The votes of people are known for {labels:,} of {votes:,}. Each draw fills in the others from the votes of "
        f"{prose.list_names(judges, 3)}, whose errors may differ between {nouns()}. Among equal votes on the same "
        "pair, "
        "those with a known vote of a person are assumed to be a random sample. The order in which the two were shown "
        "is not used."
    )


def truth_known_in_part(
    fewest: int, most: int, cases: int, by_verdict: bool, of: list[str], entities: int
) -> str:
    labels = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    suffix = f" for each {noun()}" if entities > 1 else ""
    dependence = "The share of cases with a known truth does not visibly depend on the verdict."
    if by_verdict:
        named = f"For {prose.list_names(of, 3)}, the" if entities > 1 else "The"
        dependence = f"{named} share of cases with a known truth depends on the verdict, for which the model corrects."
    return (
        f"The truth is known for {labels} of {cases:,} cases{suffix}. {dependence} Among cases with equal verdicts, "
        "those with a known truth are assumed to be a random sample."
    )


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def entities_without_labels(entities: list[str]) -> str:
    return f"No truth is known for {prose.list_names(entities, 3)}: the verdicts alone say nothing about the truth."


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def strata_without_labels(strata: int, share: float, entity: str, verdict: str) -> str:
    whose = f" of {entity}" if entity else ""
    more = f" (and {prose.count(strata - 1, 'other group')} of cases)" if strata > 1 else ""
    return (
        f"No truth is known for the {share:.0%} of cases{whose} with the verdict {verdict}{more}: their rate is taken "
        "from the other cases and the prior."
    )


def truth_missing_not_at_random(
    leader: str, rival: str, odds: float | None, most: float, positive: str
) -> str:
    event = f"that {leader} is right" if not positive else f"of {positive}"
    if odds is None:
        return (
            f"{leader} stays first if, among cases with equal verdicts, the odds {event} differ by a factor of at most "
            f"{most:,.0f} between cases with a known truth and the others."
        )
    factor = f"{odds:.2g} times as" if odds >= 1 else f"1/{1 / odds:.2g} as"
    return (
        f"{rival} would come before {leader} if the odds {event} were {factor} high in cases with a known truth as in "
        "other cases with the same verdict."
    )


def _with(model: str | None) -> str:
    """Return the name of a model that does not ignore it."""
    return "" if model is None else f" (the model {model!r} does not)"


def _pairs(pairs: list[list[str]]) -> str:
    """Return the first of some pairs of entities."""
    return prose.list_names([f"{one} and {other}" for one, other in pairs], 3)


def losses_need_probabilities() -> str:
    return (
        "Values are not all between 0 and 1: the Brier score and the log loss, which need "
        "probabilities, are left out."
    )


def log_loss_infinite(entities: list[str]) -> str:
    return (
        f"The log loss is left out: it is infinite for {prose.list_names(entities, 3)}, with probability 0 for a true "
        "class."
    )


@caveat(Caveat.FEW_UNITS)
def intervals_withheld(entities: list[str]) -> str:
    return (
        f"No interval is shown for {prose.list_names(entities, 3)}: with few cases of the rarer class and an "
        "almost perfect order, the data do not bound the area. More cases of that class would help."
    )


def out_of_fold(folds: int) -> str:
    return (
        f"Labels are out-of-fold predictions; all {nouns()} have the same {folds} folds. Each {noun()} is {folds} "
        "fitted "
        "models, whose training sets overlap. The ranking is of these fitted models; br.from_folds ranks learners."
    )


def probabilities_lacking(entities: list[str]) -> str:
    return f"Probabilities are left out, since {prose.list_names(entities, 3)} has none."
