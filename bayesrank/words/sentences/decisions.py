"""Sentences about decisions, costs, and analyses with other assumptions."""

from bayesrank._core import prose
from bayesrank.words.caveats import Caveat, caveat


def few_costs(units: int, enough: int) -> str:
    reason = f"Only {units} cases or clusters: with fewer than about {enough}, intervals of mean costs are too narrow"
    return f"{reason}, and P(front) is too certain."


def costs_without_prior() -> str:
    return "Costs have no prior; they are paired with the outcomes of the same cases (Bayesian bootstrap)."


def few_discordant_at_threshold(
    threshold: float, first: str, rival: str, different: int, cases: int, others: int, enough: int
) -> str:
    at = f"at {prose.count(others, 'more threshold')}, the best and its closest rival"
    more = f" ({at} differ on fewer than {enough} cases)" if others else ""
    return (
        f"At the threshold {threshold:g}, {first} and {rival} differ on only {different} of {cases} cases: too few for "
        f"the Bayesian bootstrap, whose probabilities are too certain{more}."
    )


@caveat(Caveat.MODEL_CONTRADICTED)
def prior_contradicted(
    part: str,
    label: str | None,
    expected: float,
    table: str,
    observed: float,
    tail: float,
    tables: int,
) -> str:
    more = f" This holds for {tables} tables." if tables > 1 else ""
    return (
        f"The prior contradicts the data: it expects {expected:.3g} {_describe_check(part, label)}, and {table} has "
        f"{observed:.3g}; the prior probability of a share as extreme is "
        f"{f'{tail:.1g}' if tail >= 1e-10 else 'below 1e-10'}.{more}"
    )


def _describe_check(part: str, label: str | None) -> str:
    if part == "outcome":
        return f"of the cases with outcome {label}"
    if part == "right":
        return "of all cases right" if label is None else f"of the cases of class {label!r} right"
    return f"of the cases in class {label!r}"
