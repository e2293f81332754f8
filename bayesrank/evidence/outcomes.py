"""Outcomes without classes: right or wrong, a grade or a number, for every entity and case."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    EXACT,
    check_absent,
    check_choice,
    check_finite,
    describe_value,
    is_number,
)
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.labels import factorize, name_coord
from bayesrank._core.notes import Note, add_notes, notes_text
from bayesrank.evidence.alignment import align_cases
from bayesrank.evidence.attempts import refuse_stopped_runs
from bayesrank.evidence.groups import take_groups
from bayesrank.evidence.ledger import count_answers, find_common
from bayesrank.evidence.patterns import (
    check_cases,
    common_note,
    name_groups,
    numbers_of,
    patterns,
    without_columns,
)
from bayesrank.evidence.runs import (
    CaseOutcomes,
    OutcomeRows,
    are_right_or_wrong,
    average_cases,
    average_runs,
    average_runs_of_seeds,
)
from bayesrank.evidence.training import check_runs, check_seeds, untrained
from bayesrank.evidence.weighting import Weighted, check_numbers_of_cases, scale_weights

#: Numbers up to the second with at most the first number of levels may be grades; others are no outcomes beside
#: 0 and 1.
LEVELS, HIGHEST = 12, 10

#: Headings of columns that describe cases; they are given as arguments of these names.
OF_CASES = ("case", "run", "training_seed", "cluster", "dataset", "group", "count", "weight")
OTHER_NAMES = ("id", "n", "fold", "seed", "split", "index")
#: With fewer rows, the outcomes of an entity may be 1, 2, 3 by chance.
FEWEST_NUMBERED = 6


@check_call
def from_outcomes(
    frame: pd.DataFrame,
    *,
    count: Any = None,
    weight: Any = None,
    dataset: Any = None,
    group: Any = None,
    cluster: Any = None,
    case: Any = None,
    run: Any = None,
    training_seed: Any = None,
    missing: Any = None,
    range: tuple[float, float] | None = None,
    cost: pd.DataFrame | None = None,
    answers: pd.DataFrame | None = None,
) -> xr.Dataset:
    """Count how many cases have each pattern of outcomes; a pattern holds one outcome for every entity.

    Use it for evaluations without a confusion matrix: benchmarks of language models, grades, costs,
    errors.

    Parameters
    ----------
    frame : pandas.DataFrame
        Outcomes as numbers (0/1 or False/True for wrong and right): one row for each case, or each
        run with ``run``, and one column for each entity.
    count, weight, dataset, group, cluster, case : sequence or str, optional
        As for :func:`bayesrank.joint_outcomes`, or the name of a column. The weight of a case is
        the same in all runs. Everything with an index is joined to the frame by its labels.
    run : sequence or str, optional
        The run (repetition, sample) of the case, or the name of a column. The outcome of a case is
        its mean over runs, which are not additional cases. Their number may vary, but must not
        depend on their outcomes: runs that stop at the first success, or failure, raise an error.
        Runs are of one fitted model: if their means differ more than their cases allow (p < 0.001),
        as those of retrained models do, they raise an error.
    training_seed : sequence or str, optional
        The seed with which the answering model was trained, or the name of a column. It needs
        ``case``. Every case has an outcome for each seed of an entity, and an entity has at least
        two seeds. ``run`` distinguishes several outcomes of a case and seed. The outcome of a case
        is its mean over seeds. The model ``"retrained"`` ranks the entities over retrained models;
        ``"paired"`` ranks these fitted models. Seeds of different entities are independent.
    missing : "common", "own" or number, optional
        ``"common"`` keeps the cases that all entities have, with all their runs. ``"own"``
        evaluates each entity on its own cases, valid if answers are missing at random. A number
        replaces missing outcomes, such as 0 for wrong. By default they raise an error.
    range : (low, high), optional
        Bounds of the outcomes, such as (1, 5) for grades. The prior of model ``"paired"`` then has
        two cases at each bound, as with ``range`` of :func:`bayesrank.fit`.
    cost : pandas.DataFrame, optional
        The cost of each answer, in the same rows and columns as the outcomes. The mean cost of an
        entity is over its known costs; its posterior, ``mean_cost``, has no prior. See
        :func:`bayesrank.decisions.pareto_front`.
    answers : pandas.DataFrame, optional
        The answer of each run, in the same rows and columns as the outcomes, which are right or
        wrong: for :func:`bayesrank.scores.majority_at_k`. Answers are equal if their values are.

    Returns
    -------
    xarray.Dataset
        For the model ``"paired"``: ``outcome`` (pattern, entity), NaN if missing; ``count``
        (pattern), above 0, which with unequal weights is their sum, beside the coord
        ``unit_weight`` (pattern); with runs that are right or wrong, ``runs`` (pattern, entity),
        the number behind each mean, 0 if missing, and ``flickering_right`` and ``flickering_runs``
        (flickering_case, entity) of the cases with right and wrong runs; and, if given, ``cost``
        (pattern, entity), beside right or wrong runs also ``cost_right`` and ``cost_wrong``, the
        mean costs of the right and of the wrong runs of a case; and the coords ``dataset`` or
        ``group``, and ``cluster`` (pattern). Attrs: with missing answers ``missing``, the ``note``
        that rankings print and, for ``"common"``, ``cases`` and ``cases_left_out``; with runs
        ``fewest_runs`` and ``most_runs`` of a case, and ``right_or_wrong_runs``, whether all runs
        are 0 or 1; ``notes`` on joined labels and weights; and ``ledger``, a text with the cases
        and runs of each entity. With training seeds ``seed_mean`` (entity, training_seed), NaN
        where an entity has no such seed, and ``seed_noise`` (entity), the part of the variance of
        these means that comes from their cases.

    Raises
    ------
    ValueError, TypeError
        If an outcome is missing, not finite or above 1e100 in size; an entity has no outcomes; a
        column, case or run occurs twice; lengths or indexes differ; some columns have only 0 and 1
        and another has other numbers; runs stop at an outcome; or the means of runs differ more
        than their cases allow.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gpt": [1, 1, 0, 1], "llama": [1, 0, 0, 1]})
    >>> from_outcomes(frame)["outcome"].values.tolist()
    [[0, 0], [1, 0], [1, 1]]
    >>> runs = frame.assign(task=["x", "x", "y", "y"], seed=[1, 2, 1, 2])
    >>> from_outcomes(runs, case="task", run="seed")["outcome"].values.tolist()
    [[0.5, 0.5], [1.0, 0.5]]
    """
    arguments = {
        "count": count,
        "weight": weight,
        "dataset": dataset,
        "cluster": cluster,
        "case": case,
        "run": run,
    }
    arguments |= {"training_seed": training_seed}
    return count_outcomes(
        frame, arguments, group, missing=missing, range=range, cost=cost, answers=answers
    )


def count_outcomes(
    frame: pd.DataFrame,
    given: Mapping[str, Any],
    group: Any = None,
    *,
    missing: Any = None,
    range: tuple[float, float] | None = None,
    cost: pd.DataFrame | None = None,
    answers: pd.DataFrame | None = None,
    named: bool = False,
) -> xr.Dataset:
    """Return the evidence of :func:`from_outcomes`; ``given`` are its arguments on cases, by name.

    If the columns are ``named`` as entities by the user, their headings may be any, such as "run".
    """
    if isinstance(group, str) and isinstance(frame, pd.DataFrame) and group in frame:
        frame, group = frame.drop(columns=group), frame[group]
    if given.get("training_seed") is not None:
        check_absent("group", group, "with training_seed=, which needs the cases of one evaluation")
    dataset, finish = take_groups(given.get("dataset"), group)
    run, training_seed = given.get("run"), given.get("training_seed")
    outcomes, given = without_columns(frame, {**given, "dataset": dataset})
    given, joined = align_cases({"frame": outcomes, **given, "cost": cost, "answers": answers})
    given.pop("frame")
    cost, answers = given.pop("cost"), given.pop("answers")
    if missing is not None and not (
        is_number(missing) and np.isfinite(check_finite("missing", missing))
    ):
        check_choice("missing", missing, ("common", "own"), other="None, or a finite number")
    numbers = check_numbers_of_cases(
        given.pop("count", None), given.pop("weight", None), len(frame)
    )
    groups = name_groups(len(frame), "dataset" if group is None else "group", **given)
    seeded = training_seed is not None
    if seeded:
        groups = _name_fits(groups)
    if not named:
        _refuse_names_of_cases(outcomes)
    values = numbers_of(outcomes)
    if range is None:
        _check_one_scale(values, list(outcomes.columns), named)
    none = np.empty((len(frame), 0))
    costs = none if cost is None else _check_costs(cost, outcomes)
    codes = none.astype(int)
    if answers is not None:
        codes = _code_answers(answers, outcomes, values, groups)
    record: dict[str, Any] = {} if range is None else {"range": list(check_range(range, values))}
    rows = OutcomeRows(outcomes, values, costs, codes, numbers, groups).keep(numbers.counted)
    check_cases(rows.groups, rows.numbers.repeats)
    rows, more = _treat_missing(rows, missing, seeded)
    record |= more
    trained, doubts = xr.Dataset(), list[Note]()
    cases = CaseOutcomes(rows.values, rows.costs, rows.numbers, rows.groups)
    if "run" in rows.groups:
        right_or_wrong = are_right_or_wrong(rows.values)
        if seeded and run is not None:
            rows = average_runs_of_seeds(rows)
        names = outcomes.columns.tolist()
        seed_means = average_cases(rows)
        if seeded:
            check_seeds(seed_means, rows.values, rows.groups["case"], names)
            trained = seed_means.to_dataset(name_coord(names))
        else:
            doubts = check_runs(seed_means, run, names)
        cases = average_runs(rows, right_or_wrong, seeded)
        record |= cases.record
    variables, coords, weighted = _count_patterns(cases, cost is not None)
    attrs = add_notes(record | weighted.attrs, [*joined, *weighted.notes, *doubts])
    entities = {"entity": name_coord(list(outcomes.columns))}
    return finish(xr.Dataset(variables, entities | coords, attrs).assign(trained))


def _treat_missing(
    rows: OutcomeRows, missing: Any, seeded: bool
) -> tuple[OutcomeRows, dict[str, Any]]:
    """Return the rows after ``missing`` was applied, and attrs that record it, with the ledger."""
    values, groups, repeats = rows.values.copy(), rows.groups, rows.numbers.repeats
    case_of_runs = groups["case"] if "run" in groups else None
    never = untrained(values, groups["training_seed"]) if seeded else np.zeros(values.shape, bool)
    if "run" in groups and not seeded and are_right_or_wrong(values):
        refuse_stopped_runs(values, groups["case"], groups["run"], list(rows.outcomes.columns))
    ledger = count_answers(
        rows.outcomes.columns,
        ~np.isnan(values),
        repeats,
        missing,
        case_of_runs,
        datasets=groups.get("dataset", ()),
        weight=rows.numbers.weight,
    )
    record: dict[str, Any] = {}
    values[never] = 0.0  # a seed that an entity was not trained with is no missing answer
    if np.isnan(values).any():
        if seeded and missing == "common":  # a case that lacks one seed of an entity is not common
            which = factorize(groups["case"])[0]
            values[np.isin(which, which[np.isnan(values).any(axis=1)])] = np.nan
        values, retained, record = _fill_missing(
            values, repeats, rows.outcomes, missing, case_of_runs
        )
        values, never, rows = values[retained], never[retained], rows.keep(retained)
    values[never] = np.nan
    return replace(rows, values=values), record | ledger.to_attrs()


def _count_patterns(
    cases: CaseOutcomes, has_costs: bool
) -> tuple[dict[str, Any], dict[str, Any], Weighted]:
    """Return the variables and coords of the patterns of cases, and their scaled weights."""
    values, costs, runs = cases.values, cases.costs, cases.runs
    if (values == np.floor(values)).all() and np.abs(values).max(initial=0) < EXACT:
        values = values.astype(np.int64)
    # Equal numbers have equal codes, so that rows can be compared as integers.
    distinct, codes = np.unique(values, return_inverse=True)
    amounts, cost_codes = np.unique(costs, return_inverse=True)
    texts, text_codes = np.unique(cases.answers, return_inverse=True)
    parts: list[np.ndarray] = [codes.reshape(values.shape), cost_codes.reshape(costs.shape)]
    parts += [] if runs is None else [runs]
    parts.append(text_codes.reshape(len(values), cases.answers.shape[1]))
    weighted = scale_weights(cases.numbers, cases.groups.get("dataset"))
    rows, counts, coords = patterns(np.hstack(parts), weighted.number, cases.groups, weighted.each)
    sizes = [values.shape[1], costs.shape[1], 0 if runs is None else runs.shape[1]]
    outcome, spent, made, answer = np.split(rows, np.cumsum(sizes), axis=1)
    dims = ("pattern", "entity")
    variables = {"outcome": (dims, distinct[outcome]), "count": ("pattern", counts)}
    if runs is not None:
        variables["runs"] = (dims, made)
        variables |= cases.flickering
        variables |= {"answers": (dims, texts[answer])} if answer.shape[1] else {}
        coords |= {"flickering_case": cases.flickering_cases} if cases.flickering else {}
    if has_costs:
        names = ["cost", *cases.cost_names]
        columns = np.split(amounts[spent], len(names), axis=1)
        variables |= {name: (dims, column) for name, column in zip(names, columns, strict=True)}
    return variables, coords, weighted


def _name_fits(groups: dict[str, list]) -> dict[str, list]:
    """Return the groups of rows whose runs are those of fitted models, each of one training seed."""
    if "case" not in groups:
        raise ArgumentError(
            "case", "must be given with training_seed=, to match the cases of the seeds", "None"
        )
    if len(set(groups.get("dataset", ()))) > 1:
        raise ArgumentError(
            "dataset",
            "must have only one value if there are training seeds: a seed has a different effect on each data set",
            f"{len(set(groups['dataset']))} data sets",
            "rank each alone, or keep the rows of one",
        )
    runs = groups["training_seed"]
    if "run" in groups:
        runs = list(zip(runs, groups["run"], strict=True))
    return {group: names for group, names in groups.items() if group != "dataset"} | {"run": runs}


def _are_grades(column: np.ndarray) -> bool:
    """Return whether numbers are a few levels of a short scale."""
    numbers = column[~np.isnan(column)]
    return bool(
        np.unique(numbers).size <= LEVELS and numbers.min() >= 0 and numbers.max() <= HIGHEST
    )


def _refuse_names_of_cases(outcomes: pd.DataFrame) -> None:
    """Raise an error for a column that describes cases, by its heading or as the numbers of the rows."""
    for name, column in outcomes.items():
        heading = str(name).lower()
        # The numbers of the rows, from 0 or 1 on, are no outcomes.
        numbered = (
            column.dtype.kind in "iu"
            and len(column) >= FEWEST_NUMBERED
            and column.iloc[0] in (0, 1)
        )
        numbered = numbered and bool((np.diff(column.to_numpy()) == 1).all())
        if heading in (*OF_CASES, *OTHER_NAMES) or numbered:
            roles = [heading] if heading in OF_CASES else ["case"] * (heading == "id" or numbered)
            roles = ["weight", "count"] if heading in ("weight", "count") else roles
            says = [part for role in roles for part in (" or ", Typed(role, name))][1:]
            raise ArgumentError(
                "frame",
                f"must have one column for each entity, and {name!r} is probably not an entity",
                "a column that describes cases",
                Advice(*says, " says so, " * bool(roles), _ignored(name), " leaves it out"),
            )


def _ignored(name: Any) -> Typed:
    """Return how to leave out a column."""
    return Typed("ignore", name, f"frame.drop(columns={name!r})")


def _check_one_scale(values: np.ndarray, names: list, named: bool) -> None:
    """Raise an error for a column of numbers beside columns of 0 and 1, which is probably no entity."""
    with np.errstate(invalid="ignore"):
        binary = [set(np.unique(column[~np.isnan(column)])) == {0.0, 1.0} for column in values.T]
        beyond = [
            bool(((column < 0) | (column > 1)).any()) and not _are_grades(column)
            for column in values.T
        ]
    if not any(binary) or not any(beyond):
        return
    odd = beyond.index(True)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    name = names[odd]
    if named:
        raise ArgumentError(
            "frame",
            "must use the same scale of outcomes for all entities",
            f"values from {np.nanmin(values[:, odd]):g} to {np.nanmax(values[:, odd]):g} of {name!r}, but 0 and 1 of "
            f"{names[binary.index(True)]!r}",
            "divide outcomes in percent by 100",
        )
    raise ArgumentError(
        "frame",
        f"must have one column for each entity, and {name!r} is probably not an entity",
        f"values from {np.nanmin(values[:, odd]):g} to {np.nanmax(values[:, odd]):g} beside columns of 0 and 1",
        Advice(
            *(Typed("weight", name), ", ", Typed("count", name), ", ", Typed("case", name), " or "),
            *(Typed("cluster", name), " says what it is, ", _ignored(name), " leaves it out"),
            InPython(f", range=({low:g}, {high:g}) takes all columns as outcomes"),
        ),
    )


def _check_frame_like(argument: str, frame: Any, outcomes: pd.DataFrame) -> None:
    """Check that a frame has the rows and the columns of the outcomes."""
    if not isinstance(frame, pd.DataFrame):
        raise ArgumentTypeError(argument, "must be a pandas DataFrame", describe_value(frame))
    if len(frame) != len(outcomes) or set(frame.columns) != set(outcomes.columns):
        raise ArgumentError(
            argument,
            f"must have the rows and the columns of the outcomes, {len(outcomes)} and {list(outcomes.columns)}",
            f"{len(frame)} and {list(frame.columns)}",
        )


def _check_costs(cost: Any, outcomes: pd.DataFrame) -> np.ndarray:
    """Return the costs (row, entity), NaN if unknown."""
    _check_frame_like("cost", cost, outcomes)
    # Names of columns may be booleans, of which a list is a mask.
    costs = numbers_of(cost.iloc[:, cost.columns.get_indexer(outcomes.columns)])
    if (costs < 0).any():
        raise ArgumentError(
            "cost",
            "must be 0 or more",
            f"{np.nanmin(costs):g}",
            "leave a field empty if it is unknown",
        )
    unknown = [
        name
        for name, none in zip(outcomes.columns, np.isnan(costs).all(axis=0), strict=True)
        if none
    ]
    if unknown:
        raise ArgumentError(
            "cost", "must contain at least one number for each entity", f"none of {unknown}"
        )
    return costs


def check_range(bounds: Any, values: Any = ()) -> tuple[float, float]:
    """Return the bounds of outcomes; raise if they are no bounds, or if a value is outside."""
    pair = (
        list(bounds)
        if isinstance(bounds, Sequence | np.ndarray) and not isinstance(bounds, str)
        else []
    )
    if (
        len(pair) != 2
        or not all(is_number(end) and np.isfinite(end) for end in pair)
        or not pair[0] < pair[1]
    ):
        raise ArgumentError(
            "range", "must be two finite numbers, the lower one first", describe_value(bounds)
        )
    outside = [value for value in np.ravel(values).tolist() if value < pair[0] or value > pair[1]]
    if outside:
        raise ArgumentError(
            "range", "must contain every outcome", f"{tuple(pair)} and {outside[0]:g}"
        )
    return float(pair[0]), float(pair[1])


#: The values of ``missing=``, and what each does.
WAYS_TO_TREAT_MISSING = Advice(
    *(Typed("missing", "common"), " keeps the cases that all entities met, "),
    *(Typed("missing", "own"), " leaves each entity on its own cases, "),
    *(Typed("missing", 0), " counts a missing answer as 0, or wrong"),
)


def _keep_common(
    lacking: np.ndarray, count: np.ndarray, case: Sequence[Hashable] | None
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return a mask of the rows of cases that every entity answered, and attrs with their number."""
    which, retained = find_common(~lacking, case)
    if not retained.any():
        raise ArgumentError(
            "missing", "cannot be 'common': no case has predictions of all entities", "none"
        )
    has_rows = count if case is None else np.bincount(which) > 0
    of_cases = retained if case is None else np.bincount(which, retained) > 0
    return retained, common_note(int(has_rows[of_cases].sum()), int(has_rows[~of_cases].sum()))


def _fill_missing(
    values: np.ndarray,
    count: np.ndarray,
    outcomes: pd.DataFrame,
    missing: Any,
    case: Sequence[Hashable] | None,
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Apply ``missing``: return the values, a mask of the kept rows, and attrs that record it.

    ``case`` names the case of each row if rows are runs.
    """
    lacking, names = np.isnan(values), list(outcomes.columns)
    empty = [name for name, none in zip(names, lacking.all(axis=0), strict=True) if none]
    if empty:
        raise ArgumentError(
            "frame",
            "must contain at least one outcome for each entity",
            f"none in the columns {empty}",
        )
    if missing is None:
        row, column = np.argwhere(lacking)[0]
        raise ArgumentError(
            "frame",
            "must contain an outcome of every entity on every case",
            f"none in column {names[column]!r}, row {outcomes.index[row]}",
            WAYS_TO_TREAT_MISSING,
        )
    if missing == "common":
        return values, *_keep_common(lacking, count, case)
    all_rows = np.ones(len(values), bool)
    if missing == "own":
        # The ledger holds the numbers of runs; a run that was never made is no missing run.
        return values, all_rows, {"missing": "own"}
    times = (count @ lacking).tolist()
    # Ties are resolved by name, so that the order of the columns has no effect.
    most, _, worst = max(zip(times, map(repr, names), names, strict=True))
    counted = {
        "value": float(missing),
        "missing": sum(times),
        "total": int(count.sum()) * len(names),
    }
    note = Note("missing_answers_counted", {**counted, "most": most, "entity": str(worst)})
    return (
        np.where(lacking, float(missing), values),
        all_rows,
        {"missing": f"{missing:g}", "notes": notes_text([note])},
    )


def _code_answers(
    answers: Any, outcomes: pd.DataFrame, values: np.ndarray, groups: Mapping[str, list]
) -> np.ndarray:
    """Return codes of the answers (row, entity), negative where there is no outcome."""
    _check_frame_like("answers", answers, outcomes)
    has_outcome = ~np.isnan(values)
    if (
        "run" not in groups
        or "training_seed" in groups
        or not np.isin(values[has_outcome], (0, 1)).all()
    ):
        raise ArgumentError(
            "answers", "need right or wrong runs of each case (run=)", "other outcomes"
        )
    texts = answers.iloc[:, answers.columns.get_indexer(outcomes.columns)].to_numpy(object)
    codes = pd.factorize(texts.ravel())[0].reshape(texts.shape)
    if (codes[has_outcome] < 0).any():
        row, column = np.argwhere(has_outcome & (codes < 0))[0]
        where = f"none in column {outcomes.columns[column]!r}, row {outcomes.index[row]}"
        raise ArgumentError("answers", "must contain an answer for each outcome", where)
    return codes
