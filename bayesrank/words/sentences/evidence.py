"""Sentences about how evidence was read, joined and counted."""

from collections.abc import Sequence

from bayesrank._core import prose
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.prose import list_names


def answers_of_all_kept(kept: int, total: int) -> str:
    return f"Answers are missing: {kept} of {total} cases are kept; all {nouns()} met these."


def missing_answers_counted(value: float, missing: int, total: int, most: int, entity: str) -> str:
    counted = f"Missing answers count as {value:g}"
    return f"{counted}: {missing} of {total}, at most {most} of one {noun()} ({entity})."


def cases_summed() -> str:
    return (
        f"Per-case data were summed to counts, which do not show the cases that {nouns()} share: pairing is not used "
        "(the model 'paired' uses it)."
    )


def joined_by_label(arguments: list[str], by: str) -> str:
    """Say that labels of cases put arguments into one order."""
    verb = "was" if len(arguments) == 1 else "were"
    return f"Cases are joined by label: {list_names(arguments)} {verb} put in the order of {by}."


def joined_by_position(arguments: list[str], by: str) -> str:
    """Say that cases are matched by position, since an index is the default one."""
    verb = "has" if len(arguments) == 1 else "have"
    return f"Cases are matched by position: {list_names(arguments)} {verb} other labels than {by}."


def weighted_cases(cases: int, effective: float) -> str:
    """Say how many cases unequal weights leave."""
    return (
        f"The weights of {cases:,} cases are unequal: they count as {effective:,.1f} cases "
        "(Kish's effective number)."
    )


def weighted_votes(votes: int, effective: float) -> str:
    """Say how many votes unequal weights leave."""
    return (
        f"The weights of {votes:,} votes are unequal: they count as {effective:,.1f} votes "
        "(Kish's effective number)."
    )


def weights_balance_classes() -> str:
    """Say that weights computed from class sizes are no evidence of a prevalence."""
    return (
        "The weights make all classes equally large, so they were computed from the class sizes: the prevalence is "
        "taken as set by them, without an uncertainty of its own."
    )


def one_entity(datasets: int) -> str:
    """Say that a table without a column of entities has one row for each data set."""
    return f"No column names {nouns()}: the {datasets} rows are data sets of one."


def attempts_of_these_cases(k: int, every: bool) -> str:
    """Say what a score of attempts at the observed cases is."""
    success = _success(k, every)
    return (
        f"The score is the probability that {success}, as a mean over these cases. Only their runs vary; it does not "
        "speak of other cases."
    )


def _success(k: int, every: bool) -> str:
    event = f"all of {k} attempts succeed" if every else f"at least one of {k} attempts succeeds"
    return event if k > 1 else "one attempt succeeds"


def attempts_of_cases_like_these(k: int, every: bool, majority: bool = False) -> str:
    """Say what a score of attempts is, and which cases it is about."""
    most = f"the most frequent answer of {k} attempts is right"
    success = most if majority and k > 1 else _success(k, every)
    return f"The score is the probability that {success} at a case like these; it does not speak of these cases alone."


def cases_with_few_runs(least: int, used: int, total: int) -> str:
    """Say how many cases have too few runs for a number of attempts."""
    return (
        f"{used} of {total} cases have at least {least} runs of every {noun()} that met them; "
        "the others are left out."
    )


def cost_of_attempts(k: int, costs: dict[str, float]) -> str:
    """Say what attempts that stop at a success cost each entity."""
    amounts = [f"{name} {prose.significant(cost, 3)}" for name, cost in costs.items()]
    attempts = (
        f"Up to {k} attempts at a case that stop at a success" if k > 1 else "One attempt at a case"
    )
    return f"{attempts} cost{'s' * (k == 1)} on average: {prose.few_names(amounts)}."


def curve_ends(k: int, entities: Sequence[str]) -> str:
    """Say which entities have too few runs for more attempts."""
    have = "has" if len(entities) == 1 else "have"
    return f"The curve ends at {k} attempts, since {prose.few_names(entities)} {have} no more runs of some case."


def curve_of_cases(k: int, prob: float, these: bool) -> str:
    """Say which cases the curve of attempts is over, and what its claims hold for."""
    only_runs = "The scores are probabilities for these cases, of which only the runs vary, not for other cases."
    cases = (
        only_runs
        if these
        else "The scores are probabilities for cases like these, not for these cases alone."
    )
    return (
        f"{cases} Bands and claims hold for 1 to {k} attempts together, with probability {prob:g}."
    )
