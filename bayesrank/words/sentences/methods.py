"""Sentences of the paragraph on methods of a report: target, prevalence, reference standard, sets and convergence."""

from bayesrank._core import prose
from bayesrank._core.nouns import noun, nouns


def ranked_performance(kind: str, typical: str) -> str:
    if kind == "new":
        return "Scores are those of one more data set of the population, with the differences between data sets."
    if typical == "median":
        text = "the rates at the median logits, which meta-analyses call the summary point; they are not mean rates"
    else:
        text = "the mean rates over data sets"
    return f"Scores are those of a typical data set: {text}."


def datasets_of_each(fewest: int, most: int) -> str:
    return f"Each {noun()} was measured on {fewest} to {prose.count(most, 'data set')}."


def unequal_cases(unequal: int, shared: int) -> str:
    return (
        f"In {unequal} of {prose.count(shared, 'data set')} with several {nouns()}, the {nouns()} have different "
        "numbers of cases."
    )


def answers_independent() -> str:
    return (
        f"Given the rates on a data set, answers of different {nouns()} to the same case are "
        "assumed to be independent."
    )


def prevalence_source(source: str, depends: bool) -> str:
    if not depends:
        return "The score does not depend on the prevalence."
    if source == "sampled":
        return "The prevalence was learned from the class sizes, since the cases are assumed to be a random sample."
    if source == "observed":
        return "The prevalence is that of the cases, assumed to be fixed by design."
    if "/" in source:
        sample = source.replace("/", " positives of ")
        return (
            f"The prevalence was estimated from a separate sample ({sample} cases, Jeffreys' prior), and its "
            "uncertainty is part of every interval."
        )
    if source == "given as an array":
        return "The prevalence was supplied as numbers or draws (state their source here)."
    return f"The prevalence was set to {source} by the authors, without uncertainty (state its source here)."


def reference_standard(known: bool) -> str:
    if known:
        return "The reference standard is assumed to be free of error."
    return "Errors or gaps of the reference standard are part of the model."


def ranks_withheld() -> str:
    return (
        "No ranks are excluded: the evidence does not justify rank sets at the stated probability."
    )


def chains_converged(chains: int, draws: int, rhat: float, ess: float, divergences: int) -> str:
    return (
        f"{prose.count(chains, 'chain')} of {draws:,} draws: the largest R-hat of the score is {rhat:.3f}, the "
        f"smallest effective sample size {ess:,.0f}, with {prose.count(divergences, 'divergence')}."
    )
