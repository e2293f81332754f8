"""Sentences about rankings and the evidence behind them."""

from bayesrank._core import prose
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.percent import score_text
from bayesrank.scores.display import display_name
from bayesrank.words.audits import capitalise, describe_fault, nearest_sentence
from bayesrank.words.caveats import Caveat, caveat

#: What a model takes as a typical data set, by the attr ``typical`` of its posterior.
TYPICAL = {"mean": "means of the rates over {unit}s", "median": "rates of the median {unit}"}


def default_score(score: str, low: float | None, high: float | None, higher_is_better: bool) -> str:
    ends = "" if low is None else f", of outcomes from {low:g} to {high:g}"
    return (
        f"No score was given: the ranking is by {score}{ends}; "
        f"{'higher' if higher_is_better else 'lower'} is better."
    )


def positive_class(positive: str, negative: str) -> str:
    return f"The positive class is {positive!r}, the negative one {negative!r}."


@caveat(Caveat.POSITIVE_LABEL)
def positive_class_by_choice(positive: str, negative: str) -> str:
    return positive_class(positive, negative)


@caveat(Caveat.FEW_UNITS)
def few_discordant(
    first: str, rival: str, different: float, cases: float | None, clusters: bool, bootstrap: bool
) -> str:
    rests = (
        "too few for the Bayesian bootstrap"
        if bootstrap
        else "the comparison rests on these and on the prior"
    )
    if clusters:
        units = prose.count(int(different), "cluster")
    elif cases is None:
        units = prose.count(int(different), "case")
    else:
        units = f"{different:.0f} of {cases:.0f} cases"
    return f"{first} beats {rival} (pairwise), but they differ on only {units}: {rests}."


@caveat(Caveat.PREVALENCES_DIFFER)
def prevalences_differ(
    label: str | None,
    lowest: float,
    lowest_entity: str,
    highest: float,
    highest_entity: str,
    score: str,
) -> str:
    return (
        f"{_range_of_prevalences(label, lowest, lowest_entity, highest, highest_entity)} {score} depends on it, so "
        f"part of the order may come from the test sets. {_remedy(label)}"
    )


@caveat(Caveat.PREVALENCES_DIFFER)
def prevalences_checked(
    label: str | None,
    lowest: float,
    lowest_entity: str,
    highest: float,
    highest_entity: str,
    score: str,
) -> str:
    return (
        f"{_range_of_prevalences(label, lowest, lowest_entity, highest, highest_entity)} {score} depends on it. The "
        "claims hold at the prevalences of the test sets and at common ones."
    )


def ranks_at_one_prevalence(
    label: str | None,
    lowest: float,
    lowest_entity: str,
    highest: float,
    highest_entity: str,
    score: str,
    fault: str = "above",
    nearest: str | None = None,
    tau: float | None = None,
    at: float | None = None,
) -> str:
    quantity = "prevalence" if label is None else "share of each class"
    differ = _range_of_prevalences(label, lowest, lowest_entity, highest, highest_entity)
    rule = f"{capitalise(score)} may rank only while the {quantity} is fixed: otherwise"
    why = describe_fault(fault, score)
    return f"{differ} {rule} {why}. {_remedy(label)}{nearest_sentence(nearest, tau, at)}"


@caveat(Caveat.SHOULD_NOT_RANK)
def score_should_not_rank(
    score: str, fault: str, nearest: str | None, tau: float | None, at: float | None
) -> str:
    return f"{capitalise(score)} should not rank: {describe_fault(fault, score)}.{nearest_sentence(nearest, tau, at)}"


def _range_of_prevalences(
    label: str | None, lowest: float, lowest_entity: str, highest: float, highest_entity: str
) -> str:
    quantity = "prevalence" if label is None else f"share of the class {label!r}"
    ends = f"from {lowest:.3g} ({lowest_entity}) to {highest:.3g} ({highest_entity})"
    return f"The {quantity} differs between {nouns()}, {ends}."


def _remedy(label: str | None) -> str:
    rates = "TPR and TNR separately" if label is None else "the recall of each class separately"
    return f"Compare them at one prevalence (br.at_prevalence, --prevalence), or by {rates}."


@caveat(Caveat.PREVALENCE_SET)
def prevalence_set(score: str, by_design: bool, estimate: str = "") -> str:
    origin = "set by the design of the study" if by_design else "set by hand"
    if estimate:
        origin = f"estimated from a sample ({estimate.replace('/', ' of ')} cases were positive)"
    return capitalise(
        f"{score} depends on the prevalence, which was {origin}: at another one the ranking may differ."
    )


def same_cases(
    sharing: int, entities: int, test_sets: int, one: bool, of_outcomes: bool, named: bool
) -> str:
    shared, evidence = (
        f"{sharing} of {prose.count(entities, noun())}",
        "outcomes" if of_outcomes else "errors",
    )
    subject = (
        f"All {nouns()} met the same cases"
        if one
        else f"{shared} share a test set with another ({prose.count(test_sets, 'shared test set')})"
    )
    if of_outcomes and not named:
        equality = "have equally many cases" if one else "have as many cases as another"
        subject = f"{'All entities' if one else shared} {equality} and may have met the same cases"
    elif not named:
        subject += " (inferred from equal class sizes)"
    return f"{subject}; {evidence} are assumed independent between {nouns()} (per-case data allow the paired model)."


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def class_without_cases(
    labels: list[str], classes: int, entities: list[str], population: str | None
) -> str:
    quoted = [repr(label) for label in labels]
    which, rates = (
        f"{len(labels)} of {classes} classes ({prose.list_names(quoted, 3)})",
        "rates of these classes",
    )
    if len(labels) == 1:
        which, rates = f"the class {quoted[0]}", "rate of that class"
    only = (
        f"only the prior and the other {population} determine"
        if population
        else "only the prior determines"
    )
    return f"No case of {which} for {prose.list_names(entities, 3)}: {only} the {rates}."


def named_class_counts_zero(labels: list[str], score: str) -> str:
    quoted = prose.list_names([repr(label) for label in labels], 3)
    is_single = len(labels) == 1
    return (
        f"{quoted} {'has' if is_single else 'have'} answers and no case: the observed {score} counts "
        f"{'it' if is_single else 'them'} as 0, as scikit-learn does, and its interval takes "
        f"{'the recall of this class' if is_single else 'the recalls of these classes'} from the model."
    )


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def few_cases_of_class(
    entities: int, fewest: int, entity: str, label: str, population: str | None, enough: int
) -> str:
    prior = f"the prior and the other {population}" if population else "the prior"
    return (
        f"{prose.count(entities, noun())} {_have(entities)} fewer than {enough} cases of a class ({entity} has "
        f"{fewest} of {label!r}): rates of such a class depend strongly on {prior}."
    )


@caveat(Caveat.FEW_UNITS)
def few_cases(entities: int, fewest: int, entity: str, enough: int) -> str:
    return (
        f"{prose.count(entities, noun())} {_have(entities)} fewer than {enough} cases ({entity} has {fewest}): "
        "such a mean depends strongly on the prior."
    )


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def prior_shifts_average(entities: int, score: str, enough: int) -> str:
    return (
        f"For {prose.count(entities, noun())} at least half of the classes have fewer than {enough} cases: the "
        f"prior on each class shifts {score}, whose intervals may be too narrow."
    )


def model_that_learns_classes(model: str) -> str:
    return f"The model {model!r} learns from all classes how their recalls differ."


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def without_cases(entities: list[str]) -> str:
    subject = f"{prose.list_names(entities, 3)} {_have(len(entities))}"
    return f"{subject} no data: the prior alone determines the printed values."


def no_posterior(entities: list[str]) -> str:
    subject = f"{prose.list_names(entities, 3)} {_have(len(entities))}"
    return (
        f"{subject} a cell with no cases and no prior: the scores that depend on its class are undefined "
        "(prior='jeffreys', --prior jeffreys, defines them)."
    )


def for_new_dataset(unit: str) -> str:
    return f"The ranking is for one new {unit}; its intervals include how much {unit}s differ."


def for_typical_dataset(typical: str, mean_prevalence: bool, unit: str) -> str:
    at = ", at their mean prevalence" if mean_prevalence else ""
    return f"The ranking is for a typical {unit}: {TYPICAL[typical].format(unit=unit)}{at}."


@caveat(Caveat.FEW_UNITS)
def few_datasets(datasets: int, kind: str, enough: int, unit: str) -> str:
    return (
        f"At least one {noun()} was measured on only {prose.count(datasets, unit)}. With fewer than {enough}, "
        f"intervals for a {kind} {unit} depend on the prior on the differences between {unit}s."
    )


@caveat(Caveat.FEW_UNITS)
def heavy_tails(entities: list[str]) -> str:
    tails = f"Outcomes of {prose.list_names(entities, 3)} have heavy tails for so few cases"
    return f"{tails}: intervals of the mean are too narrow."


@caveat(Caveat.UNSEEN_VALUES)
def bayesian_bootstrap() -> str:
    return (
        "Intervals and claims hold unless rare extreme values exist that no case shows (Bayesian bootstrap without a "
        "prior). range=(low, high) adds a prior for them."
    )


def order_reversed_by_pool(score: str, pairs: list[list[str]]) -> str:
    listed = prose.list_names((f"{better} above {worse}" for better, worse in pairs), 3)
    return (
        f"By {score}, pooling reverses the order of {prose.count(len(pairs), 'pair')} (Simpson's paradox). Every data "
        f"set on which both have a score ranks {listed}; the pool ranks the opposite."
    )


@caveat(Caveat.DATASETS_DIFFER)
def pooled_datasets_differ(
    datasets: int,
    different: int,
    entities: int,
    entity: str,
    part: str,
    label: str,
    p: float,
    model: str | None,
) -> str:
    subject = entity if entities == 1 else f"{different} of {entities} {nouns()}, most for {entity}"
    where = f"in the {part} of {label!r}" if label else f"in the {part}"
    level = f"= {p:.0e}".replace("e-0", "e-") if p < 1e-3 else f"= {p:.2g}"
    level = "< 1e-300" if p < 1e-300 else level
    remedy = "rank each data set (--dataset NAME, in Python br.fit before br.pool)"
    if model is not None:
        remedy = f"use --model {model}, in Python br.fit(evidence, '{model}') instead of br.pool"
    return f"The {datasets} pooled data sets differ for {subject} ({where}, adjusted p {level}): {remedy}."


@caveat(Caveat.OUTSIDE_INTERVAL)
def observed_outside_interval(
    score: str, entity: str, prob: float, observed: float, lower: float, upper: float, others: int
) -> str:
    more = f" (also for {prose.count(others, 'more entity')})" if others else ""
    value, ends = score_text(f"{observed:.3f}"), score_text(prose.interval(lower, upper))
    return (
        f"The observed {score} of {entity} is outside its {100 * prob:g}% interval ({value}, interval {ends}): the "
        f"prior or the model contradicts the data{more}."
    )


def interval_closed(entities: list[str], score: str, end: float) -> str:
    whose = "interval" if len(entities) == 1 else "intervals"
    verb = "includes" if len(entities) == 1 else "include"
    return (
        f"The {whose} of {prose.list_names(entities)} {verb} {score_text(f'{end:g}')}, the end of the range: at most "
        f"one case separates the observed {score} from it."
    )


def score_undefined(score: str, entities: list[str], lacking: str) -> str:
    return f"The observed {score} of {prose.list_names(entities)} is undefined, because there are no {lacking}."


def interval_missing(entities: int) -> str:
    return (
        f"The interval of {prose.count(entities, noun())} is missing; only the rank is known. Its odds are beyond "
        "the range of the quadrature: if no error was observed, the prior alone determines the error rate."
    )


def quadrature_error(error: float, reason: str) -> str:
    return f"Probabilities may be off by up to {error:.1g}: {reason} (method='draws' is an alternative)."


def metric_prevalence_by_design(metric: str) -> str:
    return (
        f"The metric {display_name(metric)} depends on the prevalence, which was not learned from the cases but set by "
        "the design of the study: at another prevalence the ranking may differ."
    )


def draws_equal(entities: list[str]) -> str:
    return (
        f"All draws of {prose.list_names(entities, 3)} are equal, since all observed cases agree; unobserved cases may "
        "differ."
    )


def _have(number: int) -> str:
    return "has" if number == 1 else "have"
