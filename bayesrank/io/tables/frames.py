"""Evidence from data frames, by the same rules as the command reads files."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.errors import ArgumentError
from bayesrank._core.frames import as_pandas
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.nouns import noun_of_column
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.groups import name_groups_of
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.evidence.ledger import ledger_of
from bayesrank.io.tables.ballots import find_votes, read_votes
from bayesrank.io.tables.case_columns import OF_CASES
from bayesrank.io.tables.columns import squeeze
from bayesrank.io.tables.counting import read_counts, read_means
from bayesrank.io.tables.duels import with_winner
from bayesrank.io.tables.folds import are_folds, read_folds
from bayesrank.io.tables.forms import find_entity, find_form, is_one_classifier, is_one_test
from bayesrank.io.tables.fractions import with_counts
from bayesrank.io.tables.judgements import are_judged, read_judged
from bayesrank.io.tables.lacking import refuse_without_entity
from bayesrank.io.tables.long_cases import read_cases
from bayesrank.io.tables.named_roles import CASES, MEANS, SPREADS, NamedColumns, name_roles
from bayesrank.io.tables.probabilities import class_in, read_long
from bayesrank.io.tables.selection import low_outcome, select
from bayesrank.io.tables.table import Roles, Table, table_of
from bayesrank.io.tables.values import is_missing, is_percent, to_share
from bayesrank.io.tables.wide_cases import read_answers

#: The name of the only entity of a table that names none, as in br.from_counts.
ONE = "entity 1"

#: What the entities of submissions are called.
TEAMS = EvidenceRecord(noun="team").to_attrs()


@check_call
def from_frame(
    frame: pd.DataFrame,
    *,
    entity: Any = None,
    entities: Sequence[Any] | None = None,
    dataset: Any = None,
    case: Any = None,
    run: Any = None,
    cluster: Any = None,
    count: Any = None,
    weight: Any = None,
    positive: Any = None,
    missing: Any = None,
    cost: Any = None,
    tn: Any = None,
    fp: Any = None,
    fn: Any = None,
    tp: Any = None,
    judge: Any = None,
    truth: Any = None,
    training_seed: Any = None,
    group: Any = None,
    category: Any = None,
    covariates: Any = None,
    outcome: Any = None,
    predicted: Any = None,
    probability: Any = None,
    correct: Any = None,
    wrong: Any = None,
    total: Any = None,
    se: Any = None,
    lower: Any = None,
    upper: Any = None,
    a: Any = None,
    b: Any = None,
    winner: Any = None,
    fold: Any = None,
    repeat: Any = None,
    train: Any = None,
    test: Any = None,
    where: Any = None,
) -> xr.DataArray | xr.Dataset:
    """Return counts, means, votes or joint outcomes of cases from a table, as ``bayesrank`` on the shell reads files.

    The column names say what a row is. Case, order, and blanks, hyphens or underscores between
    words do not matter:

    - a confusion matrix: ``entity, tn, fp, fn, tp`` (or ``true negatives``, ...);
    - a cell of a matrix: ``entity, actual, predicted, count``;
    - right and wrong answers: ``entity, correct, wrong`` or ``entity, correct, total``;
    - the number of cases with an outcome: ``entity, outcome, count``;
    - a mean outcome and its standard error: ``entity, mean, se`` and, if known, ``n``; the
      comparison is then unpaired; or the ends of its 95% interval: ``entity, mean, lower, upper``;
    - a vote on two entities: ``model_a, model_b, winner``, as for :func:`bayesrank.from_votes`;
    - a case of one entity: ``entity, case, outcome`` (or ``correct``, ``is_correct``, ``score``) or
      ``entity, case, actual, predicted``;
    - a predicted probability of one entity: ``entity, case, actual, probability``;
    - one classifier without a name: ``actual, predicted`` with a row for each case, or ``actual,
      predicted, count``;
    - scores of cross-validation, with ``train`` and ``test``: one column for each learner, or
      ``entity, fold, score``;
    - a case of all entities, one column each: the outcomes; or, with ``actual`` (or ``y_true``),
      the predicted labels, or the predicted probabilities of the positive class.

    Outcomes are numbers, or words such as true/false, yes/no, pass/fail, C/I. All forms but the
    last ignore other columns; the last raises an error for a column unlike the others, such as row
    numbers, ids, costs or the truth. A table of submissions from :func:`bayesrank.read` is of the
    last form; its columns of the truth are no entities.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table. A named index is used as a column. With narwhals installed, frames of polars and
        tables of pyarrow work, too.
    entity : str or list of str, optional
        Column with the entities; by default ``entity``, or the only one of ``model``, ``team``,
        ``test`` and the like. Several columns, such as ``["model", "variant"]``, name an entity
        together.
    entities : list of str, optional
        Columns that are entities, if there is one column for each; all other columns are then
        ignored.
    dataset, case, run, cluster : str, optional
        Columns with the data set, the case, the run and the cluster of the case; by default the
        columns of these names.
        A column ``status`` beside them, such as of a run that was stopped at a limit, goes to the
        ledger; the outcome of its row counts.
    group : str, optional
        Column with the group of the cases, such as a language or an age, instead of ``dataset``.
    category : str, optional
        Column with the category of each data set or group, such as the skill that a task tests. It
        becomes a coord.
    covariates : str or list of str, optional
        Columns with numbers that may shift the rates of data sets, such as the threshold of each
        study. They become coords along ``dataset``, or along ``entity`` and ``dataset`` where they
        differ between the entities of a data set: ``br.fit(counts, covariates=["threshold"],
        at={"threshold": 0.5})``. For counts on several data sets.
    count, weight : str, optional
        Columns with the number of cases that a row stands for, and with the importance weight of
        the case, as for :func:`bayesrank.from_predictions`. No column is used as a weight by its
        name alone.
    outcome : str, optional
        Column with the outcomes of cases, with the scores of folds, or with means beside ``se``, of
        any name, such as ``"dice"``.
    predicted, probability : str, optional
        Columns with the predicted labels, or with the probability of the positive class, beside
        ``truth``; by default the columns with such headings.
    correct, wrong, total : str, optional
        Columns with the numbers of right, of wrong and of all answers; by default the columns with
        such headings.
    se, lower, upper : str, optional
        Columns with the standard error of each mean, or with both ends of its 95% interval; by
        default ``se``, ``lower`` and ``upper``.
    a, b, winner : str, optional
        Columns of votes, as for :func:`bayesrank.from_votes`; by default ``model_a``, ``model_b``
        and ``winner``.
    positive : label, optional
        The positive one of two classes, as for :func:`bayesrank.from_predictions`.
    missing : "common", "own" or number, optional
        How to treat missing answers, as for :func:`bayesrank.from_outcomes`; by default they raise
        an error.
    cost : str, optional
        Column with the cost of each answer, in a table with a row for each entity and case; see
        :func:`bayesrank.decisions.pareto_front`.
    tn, fp, fn, tp : str, optional
        Columns of a confusion matrix with other headings, such as ``fp="Falsos positivos"``.
    judge : str or list of str, optional
        Columns with verdicts of judges on all cases, as for :func:`bayesrank.from_judged`. It may
        be left out if only one column can hold verdicts.
    truth : str, optional
        Column with the truth, which is known for some cases. Beside verdicts of judges, its values
        say whether the answer is right; beside ``predicted`` or the columns ``entities``, they are
        true labels.
    training_seed : str, optional
        Column with the seed with which the answering model was trained, as for
        :func:`bayesrank.from_outcomes`; by default ``training_seed``.
    fold, repeat : str, optional
        Columns with the folds of a cross-validation and its repetitions; with ``train`` and
        ``test`` by default the columns of these names. In ``cv_results_`` of scikit-learn,
        ``repeat`` is the number of repetitions.
    train, test : int, float or str, optional
        Numbers or shares of training and of test cases of each split, or columns with them, as for
        :func:`bayesrank.from_folds`. They say that the values are scores of folds.
    where : dict, optional
        The rows to read, by column and value, such as ``{"metric": "dice"}``; a list of values
        keeps rows with any.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        Integer ``counts`` (entity, [dataset], actual, predicted) or (entity, [dataset], outcome);
        for single cases the result of :func:`bayesrank.joint_outcomes`,
        :func:`bayesrank.from_outcomes` or :func:`bayesrank.from_probabilities`; for means a Dataset
        of ``mean_outcome``, ``standard_error`` and, if known, ``cases`` (entity); for votes the
        result of :func:`bayesrank.from_votes`; for scores of folds the result of
        :func:`bayesrank.from_folds`. Cells and outcomes without a row are 0, and the outcomes 0 and
        1 are always both present. ``attrs["notes"]`` holds the inferred choices.

    Raises
    ------
    ValueError, TypeError
        If columns are missing or ambiguous, several metrics would be averaged, a row occurs twice,
        a rate or percentage stands for a count, or outcomes mix numbers and text. The message names
        the place and the fix.

    Examples
    --------
    >>> import pandas as pd
    >>> cases = pd.DataFrame({"qid": [1, 2, 3], "gpt": ["pass", "fail", "pass"], "llama": ["pass", "fail", "fail"]})
    >>> from_frame(cases, case="qid")["outcome"].values.tolist()
    [[0, 0], [1, 0], [1, 1]]

    >>> grades = pd.DataFrame({"case": [1, 1, 2, 2], "model": ["A", "B"] * 2, "dice": [0.8, 0.7, 0.9, 0.6]})
    >>> from_frame(grades, outcome="dice")["outcome"].values.tolist()
    [[0.8, 0.7], [0.9, 0.6]]
    """
    roles = Roles(
        entity,
        entities,
        dataset,
        case,
        run,
        cluster,
        positive,
        missing,
        cost,
        count,
        weight,
        tn,
        fp,
        fn,
        tp,
    )
    roles = replace(
        roles, judge=judge, truth=truth, training_seed=training_seed, group=group, category=category
    )
    roles = replace(roles, covariates=covariates, outcome=outcome, where=where)
    roles = replace(
        roles,
        predicted=predicted,
        probability=probability,
        correct=correct,
        wrong=wrong,
        total=total,
    )
    roles = replace(roles, se=se, lower=lower, upper=upper, a=a, b=b, winner=winner)
    roles = replace(roles, fold=fold, repeat=repeat, train=train, test=test)
    frame = as_pandas("frame", frame)
    table = table_of(frame)
    if "truth_columns" not in frame.attrs:
        return read_table(table, roles)
    evidence = read_table(table, of_submissions(frame, roles))
    return evidence.assign_attrs(add_notes(evidence.attrs, frame.attrs["remarks"]) | TEAMS)


def of_submissions(frame: pd.DataFrame, roles: Roles) -> Roles:
    """Return roles in which the columns of a table of submissions that are not of the truth are the entities."""
    record = {"case", "actual", *frame.attrs["truth_columns"]}
    teams = [name for name in frame if name not in record]
    return roles if roles.entities is not None else replace(roles, entities=teams)


def read_table(table: Table, roles: Roles) -> xr.DataArray | xr.Dataset:
    """Return counts, means with their standard errors, or joint outcomes if the table has single cases.

    The attr ``notes`` holds what was inferred; a note with the field ``if_pooled`` applies if data
    sets are pooled.
    """
    _refuse_lines_above(table)
    table, roles, selected = select(table, roles)
    table, joined = with_winner(table, roles)
    table, counted = with_counts(table, roles)
    selected = [*selected, *joined, *counted]
    evidence = _read_selected(table, roles)
    low = low_outcome(roles, selected) if "outcome" in parse_given(evidence).space else ""
    notes = [*selected, *([Note("low_may_be_good", {"name": low})] if low else [])]
    return evidence.assign_attrs(add_notes(evidence.attrs, notes)) if notes else evidence


def _refuse_lines_above(table: Table) -> None:
    """Raise an error where most columns have no name: the first line is a title, or there are several tables."""
    unnamed = [name for name in table.columns if str(name).startswith("Unnamed: ")]
    if len(unnamed) > 1 and 2 * len(unnamed) > len(table.columns):
        raise ArgumentError(
            f"the first line of {table.source}",
            "must be the heading, which names the columns",
            f"{len(unnamed)} of {len(table.columns)} columns without a name",
            "leave out what stands above the heading; of several tables, write one with a row for each",
        )


def _read_selected(table: Table, roles: Roles) -> xr.DataArray | xr.Dataset:
    """Return the evidence in a table of the rows that are read, with one column of entities at most."""
    if are_folds(roles):
        return read_folds(table, roles)
    judged = are_judged(table, roles)
    if (headings := find_votes(table, roles)) is not None:
        return read_votes(table, headings, roles)
    if judged:
        table.refuse(roles, "covariates", "for tables with judges")
        return read_judged(table, roles)
    named = name_roles(table, roles)
    if roles.category is not None and "dataset" not in named.by_role:
        raise ArgumentError(
            table.argument("category"),
            "cannot be used for a table without data sets or groups",
            f"{roles.category!r}",
        )
    entity = named.by_role.get("entity") or find_entity(table, named, roles)
    table.check_single([entity])
    if is_one_classifier(table, named, entity, roles):
        table, named, entity, roles = _name_classifier(table, named, roles)
    form = find_form(table, named, entity, roles)
    evidence = _read_form(table, named, entity, form, roles)
    names = evidence["entity"].values.tolist() if form is None else [entity]
    if "probability" in evidence and "label" in evidence["probability"].dims:
        names = [
            f"{name}: {label}" for name in names for label in evidence["label"].values.tolist()
        ]
    covariates = [name for role, name in named.by_role.items() if role.startswith("covariates ")]
    roles_read = (*(form or ()), *OF_CASES, "cost", "category", "status")
    roles_read += ("total",) if form in MEANS else ()
    used = {*names, *covariates}
    used |= {named.by_role[role] for role in roles_read if role in named.by_role}
    ignored = tuple(str(name) for name in table.columns if name not in used)
    if "category" in named.by_role and "dataset" in evidence.coords:
        evidence = _with_categories(
            evidence, table, named.by_role["dataset"], named.by_role["category"]
        )
    if covariates:
        evidence = _with_covariates(evidence, table, named, covariates)
    if roles.group is not None:
        if "dataset" not in evidence.coords:
            table.refuse(roles, "group", "for means and votes, which hold no cases")
        evidence = _with_groups(evidence, table.categories.get(named.by_role["dataset"]))
    # After the naming, since a ledger would count groups as data sets.
    if ignored:
        evidence = evidence.assign_attrs(replace(ledger_of(evidence), ignored=ignored).to_attrs())
    called = "" if form is None else noun_of_column(named.by_role.get("entity"))
    in_percent = table.in_percent or (
        form in MEANS and is_percent(table.columns[named.by_role["mean"]])
    )
    return evidence.assign_attrs(EvidenceRecord(noun=called, in_percent=in_percent).to_attrs())


def _with_groups(evidence: Any, dtype: Any) -> Any:
    """Return the evidence with its data sets as groups, in the order of their categories if they have one."""
    evidence = name_groups_of(evidence, () if dtype is None else dtype.categories.tolist())
    if (ledger := ledger_of(evidence)).datasets:
        evidence = evidence.assign_attrs(replace(ledger, datasets=0).to_attrs())
    return evidence


def _name_classifier(
    table: Table, named: NamedColumns, roles: Roles
) -> tuple[Table, NamedColumns, Any, Roles]:
    """Return a table that names its only classifier: in a column of entities of cells, else in its heading of labels.

    It has the name of the file, or is called predicted.
    """
    name, predicted = table.name or "predicted", named.by_role["predicted"]
    notes = list(named.notes)
    labels = {
        str(value) for value in table.distinct(named.by_role["actual"]) if not is_missing(value)
    }
    shares = [column for column in named.free(table) if _holds_shares(table, column, labels)]
    if shares or "probability" in named.by_role:
        shares = [
            *shares,
            *([named.by_role["probability"]] if "probability" in named.by_role else []),
        ]
        notes.append(Note("probabilities_unused", {"columns": list(map(str, shares))}))
    of = {role: column for role, column in named.by_role.items() if role != "probability"}
    if "count" in of:
        table = replace(table, columns={**table.columns, "entity": [name] * len(table.where)})
        return table, NamedColumns(of, notes), "entity", roles
    free = [word for word in (name, "predicted") if word not in table.columns]
    name = next(iter(free), predicted)
    columns = {
        name if column == predicted else column: held for column, held in table.columns.items()
    }
    categories = {
        name if column == predicted else column: held for column, held in table.categories.items()
    }
    of.pop("predicted")
    one_entity = replace(roles, entities=[name])
    return (
        replace(table, columns=columns, categories=categories),
        NamedColumns(of, notes),
        None,
        one_entity,
    )


def _holds_shares(table: Table, column: Any, labels: set[str]) -> bool:
    """Return whether a column holds the probabilities of a class that its heading names."""
    numbers = [to_share(value) for value in table.distinct(column)]
    full = all(number is not None and 0 <= number <= 1 for number in numbers)
    return full and class_in(column, sorted(labels)) is not None


def _with_categories(evidence: Any, table: Table, dataset: Any, category: Any) -> Any:
    """Return evidence with the category of each data set as a coord."""
    found: dict[Any, Any] = {}
    names = table.read_names(dataset, "dataset"), table.read_names(category, "category")
    for row, (name, label) in enumerate(zip(*names, strict=True)):
        if found.setdefault(name, label) != label:
            raise ArgumentError(
                f"{table.where[row]}: {category}",
                f"must be the same in all rows of {name!r}",
                f"{found[name]!r} and {label!r}",
            )
    dim = evidence["dataset"].dims
    return evidence.assign_coords(
        category=(dim, [found[name] for name in evidence["dataset"].values.tolist()])
    )


def _with_covariates(evidence: Any, table: Table, named: NamedColumns, names: list[Any]) -> Any:
    """Return counts with numbers of data sets, or of entities on data sets, as coords, which the ledger lists."""
    if not isinstance(evidence, xr.DataArray) or "dataset" not in evidence.dims:
        raise ArgumentError(
            table.argument("covariates"),
            "cannot be used for a table without counts on several data sets",
            f"{names[0]!r}",
            "write one row of counts for each entity and data set, with a column dataset",
        )
    labels = [(dim, table.read_names(named.by_role[dim], dim)) for dim in ("entity", "dataset")]
    at = [[evidence.indexes[dim].get_loc(label) for label in numbers] for dim, numbers in labels]
    ranges = []
    for name in names:
        numbers = np.full((evidence.sizes["entity"], evidence.sizes["dataset"]), np.nan)
        for row, (*position, value) in enumerate(zip(*at, table.read_numbers(name), strict=True)):
            if not np.isnan(numbers[*position]) and numbers[*position] != value:
                raise ArgumentError(
                    f"{table.where[row]}: {name}",
                    "must be the same in all rows of an entity on a data set",
                    f"{numbers[*position]:g} and {value:g}",
                )
            numbers[*position] = value
        low, high = np.nanmin(numbers, 0), np.nanmax(numbers, 0)
        coord = (("dataset",), low) if (low == high).all() else (("entity", "dataset"), numbers)
        evidence = evidence.assign_coords({str(name): coord})
        ranges.append((str(name), float(low.min()), float(high.max())))
    return evidence.assign_attrs(replace(ledger_of(evidence), covariates=tuple(ranges)).to_attrs())


def _read_form(
    table: Table, named: NamedColumns, entity: Any, form: tuple[str, ...] | None, roles: Roles
) -> xr.DataArray | xr.Dataset:
    for role in SPREADS if form not in MEANS else ():
        table.refuse(roles, role, "for a table without means, which has one row for each entity")
    if form is None:
        return read_answers(table, named, roles)
    table.refuse(roles, "entities", "for a table whose column entity names them")
    if entity is None and is_one_test(table, named, form):
        entity, size = "entity", len(table.where)
        table = replace(table, columns={**table.columns, entity: [ONE] * size})
        named.notes.append(Note("one_entity", {"datasets": size}))
    if entity is None:
        refuse_without_entity(table, named, form)
    named.by_role["entity"] = entity
    # A heading that names what is ranked needs no note.
    if squeeze(entity) != "entity" and roles.entity is None and not noun_of_column(entity):
        named.notes.append(Note("column_names_entities", {"column": str(entity)}))
    if table.index is not None:
        raise ArgumentError(
            "frame",
            f"must have its names in columns; its index without a name holds {table.index!r}. If pandas read "
            "rows that are longer than the heading, columns are shifted: give every column a name in the file. Else "
            "name the index (frame.rename_axis('entity')), or drop it (frame.reset_index(drop=True))",
        )
    if not len(table.where):
        raise ArgumentError(table.source, "must have at least one row", "none")
    if form in CASES and form[-1] == "probability":
        return read_long(table, named, roles)
    if form in CASES:
        if (status := named.status(table)) is not None:
            named.by_role["status"] = status
        return read_cases(table, named, form, roles)
    content, read = ("means", read_means) if form in MEANS else ("counts", read_counts)
    times = ("count",) if "times" in named.by_role else ()
    of_cases = ("cluster", "case", "run", "training_seed", "missing", "cost", "weight")
    for argument in (*of_cases, *times):
        table.refuse(roles, argument, f"for {content}, which hold no single cases")
    result = read(table, named, form, roles)
    return result.assign_attrs(add_notes(result.attrs, named.notes))
