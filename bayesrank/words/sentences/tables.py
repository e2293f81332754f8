"""Sentences about how the columns and rows of a table were read."""

from collections.abc import Sequence

from bayesrank._core.nouns import nouns
from bayesrank._core.prose import list_names


def column_names_entities(column: str) -> str:
    return f"The column {column} names the {nouns()}."


def rows_selected(conditions: Sequence[str], rows: int, of: int) -> str:
    return f"{rows:,} of {of:,} rows are read: those with {' and '.join(conditions)}."


def low_may_be_good(name: str) -> str:
    return (
        f"High values of {name} rank first by default. If it is an error, a loss, a distance, a time, a cost or a "
        "rank, pass higher_is_better=False."
    )


def games_make_one_vote(left_out: int) -> str:
    lacking = f" {left_out:,} pairs without two results are left out." if left_out else ""
    return (
        f"Two games with sides changed make one vote: for the winner of both, else a tie.{lacking}"
    )


def counts_from_fractions(columns: Sequence[str]) -> str:
    return f"The fractions in {list_names(columns)} are read as counts."


def ends_of_intervals(columns: Sequence[str]) -> str:
    return f"{list_names(columns)} are assumed to be the ends of 95% intervals of normal distributions."


def probabilities_unused(columns: Sequence[str]) -> str:
    return (
        f"The predicted labels are ranked. The probabilities in {list_names(columns)} are not used: "
        "br.from_probabilities takes them."
    )


def column_names_cases(column: str) -> str:
    return f"The column {column} names the cases."


def column_holds_verdicts(column: str) -> str:
    return f"The column {column} holds the verdicts of the judge."


def ones_taken_as_right() -> str:
    return (
        "1 is assumed to mean right, and 0 wrong. If they are results of tests, add the truth as a column actual: to "
        "be often positive does not make a test good."
    )


def no_true_negatives() -> str:
    return (
        f"There are no true negatives, as in detection: only scores that need none rank the {nouns()}, such as F1, "
        "precision and recall."
    )


def numbers_taken_as_grades() -> str:
    return (
        "The numbers are assumed to be outcomes. If they are predicted labels, add the true label of each case as a "
        "column actual."
    )


def labels_never_true(labels: Sequence[str]) -> str:
    return (
        f"Predicted labels that are the true label of no case count as wrong: {list_names(labels)}."
    )


def labels_outside_averages(labels: Sequence[str]) -> str:
    return f"Averages over classes leave out the labels that were not chosen: {list_names(labels)}."


def positive_class_unknown(labels: Sequence[str], options: str) -> str:
    first, second = labels
    return f"None of the classes {first!r} and {second!r} is known as the positive one: {options} says which."


def case_names_shared(cases: int, if_pooled: bool) -> str:
    """Say that cases of one name in several data sets count as different ones; overlapping folds would not."""
    return (
        f"Several data sets have cases of the same name ({cases}), which count as different cases. If they are the "
        "same, as in overlapping folds, pooling counts them twice."
    )


def outcomes_are_means_over_runs(runs: str) -> str:
    return f"The outcome of a case is its mean over {runs} of one fitted model."


def runs_or_cases_would_help(advice: str) -> str:
    return advice
