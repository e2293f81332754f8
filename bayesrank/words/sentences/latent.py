"""Sentences about latent classes: tests without a gold standard."""

from typing import Any

from bayesrank._core import prose
from bayesrank.words.caveats import Caveat, caveat
from bayesrank.words.identification import why_and_remedy

#: The kinds of dependence in words.
DEPENDENCES = {
    "none": "independence",
    "pairs": "dependent pairs",
    "common": "a common random effect",
    "by_class": "a random effect by class",
}


def latent_class_named(anchor: str, chosen: bool, known: int, cases: int) -> str:
    truth = (
        "No truth is known" if not known else f"The truth is known for {known:,} of {cases:,} cases"
    )
    if not anchor:
        return f"{truth}; these cases define the positive class."
    why = "" if chosen else " (anchor= chooses another test)"
    return f"{truth}. The positive class is the one in which {anchor} is more often positive{why}."


def latent_dependences(rows: list[list[Any]], chosen: str) -> str:
    parts = [
        f"{DEPENDENCES[kind]}{' (chosen)' if kind == chosen else ''}, G² {g2:.2f} on {freedom} degrees of freedom, "
        f"prevalence {_between(low, high)}"
        for kind, g2, freedom, low, high in rows
    ]
    return f"Maximum-likelihood fits under each assumed dependence of the tests within a class: {'; '.join(parts)}."


def latent_populations(populations: int) -> str:
    return (
        f"There are {populations} populations; scores that depend on the prevalence use the prevalence of all cases "
        "together (br.at_prevalence chooses another)."
    )


@caveat(Caveat.MODEL_CONTRADICTED)
def latent_fit_poor(dependence: str, g2: float, freedom: int) -> str:
    return (
        f"The data contradict {DEPENDENCES[dependence]} of the tests within a class (G² {g2:.2f} on {freedom} degrees "
        "of freedom): try another dependence=."
    )


@caveat(Caveat.MODEL_CONTRADICTED)
def latent_fit_unchecked(dependence: str) -> str:
    return (
        f"The model assumes {DEPENDENCES[dependence]} of the tests within a class, which these cases cannot check. "
        "More tests or verified cases could check it."
    )


@caveat(Caveat.MODEL_CONTRADICTED)
def latent_first_depends(rows: list[list[Any]], chosen: str) -> str:
    parts = [
        f"{prose.list_names(names, 3)} under {DEPENDENCES[kind]}{' (chosen)' if kind == chosen else ''}"
        for kind, names in rows
    ]
    return (
        "Which test comes first depends on the assumed dependence of the tests within a class, and the other "
        f"kinds of dependence fit no worse: {'; '.join(parts)}."
    )


def latent_identified(
    rank: int, parameters: int, smallest: float, contraction: float, least: str
) -> str:
    least = least.replace("prevalence of ", "prevalence in population ")
    return (
        f"All {parameters} parameters are identified (smallest singular value {smallest:.2g}). The variance of {least} "
        f"shrinks least from prior to posterior: by {contraction:.1%}."
    )


@caveat(Caveat.PRIOR_OUTWEIGHS_DATA)
def not_identified(
    rank: int,
    parameters: int,
    smallest: float,
    contraction: float,
    least: str,
    structural: int,
    weak: list[str],
    tests: int,
    populations: int,
    dependence: str,
) -> str:
    why, step = why_and_remedy(rank, structural, parameters, weak, tests, populations, dependence)
    return f"{why[:1].upper()}{why[1:]} (smallest singular value {smallest:.2g}). {step}"


def _between(low: float, high: float) -> str:
    return (
        f"{low:.3f}"
        if f"{low:.3f}" == f"{high:.3f}"
        else f"{low:.3f} to {high:.3f} over the populations"
    )
