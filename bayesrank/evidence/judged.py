"""Evidence whose truth is known in part: verdicts of judges for all cases, true outcomes for some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_column,
    check_column_names,
    check_item_names,
    describe_value,
    is_hashable,
    is_number,
)
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.labels import factorize, find_repeat, name_coord
from bayesrank._core.notes import add_notes
from bayesrank._core.prose import list_names
from bayesrank.evidence.ledger import Entry, Ledger
from bayesrank.evidence.patterns import keep_rows, patterns
from bayesrank.evidence.weighting import Numbers, check_numbers_of_cases, scale_weights

#: More different verdicts of one judge are a score, which has to be cut into classes first.
VERDICTS = 20
#: The verdict of a judge that gave none on a case that another judge judged.
ABSTAINED = "no verdict"
#: Words for wrong and right.
WRONG, RIGHT = (
    ("0", "false", "no", "fail", "failed", "incorrect", "wrong"),
    ("1", "true", "yes", "pass", "passed", "correct", "right"),
)
NAME = "all cases"
#: Headings of columns that probably name the entities.
OF_ENTITIES = ("model", "system", "classifier", "method", "algorithm", "team", "agent", "llm")


@check_call
def from_judged(
    frame: pd.DataFrame,
    *,
    judge: Any,
    truth: Any,
    entity: Any = None,
    case: Any = None,
    cluster: Any = None,
    dataset: Any = None,
    count: Any = None,
    weight: Any = None,
) -> xr.Dataset:
    """Return judged outcomes: the verdict of a judge on every case, and the true outcome of some cases.

    Parameters
    ----------
    frame : pandas.DataFrame
        Long: one row for each entity and case. Wide: one row for each case, with columns of each
        entity.
    judge : str, list of str, or mapping
        Column with the judge's verdict, or one column for each judge. A wide frame needs a mapping
        from each entity to its column or columns. A verdict may be anything with a few values (0
        and 1, classes, "unsure"). Where one of several judges gave no verdict, its abstention is a
        verdict of its own.
    truth : str or mapping
        Column with the true outcome: 1 for right, 0 for wrong, empty where it is unknown. The words
        true/false, yes/no, pass/fail and correct/incorrect are accepted too. A wide frame needs a
        mapping from each entity to its column.
    entity : str, optional
        Column with the entities of a long frame; by default ``entity``. Without it there is one
        entity, "all cases".
    case : str, optional
        Column with the name of the case; by default ``case``. Entities with common cases are
        compared on them. Without it, each row of a long frame is a case of its own; the rows of a
        wide frame always are the cases.
    cluster : str, optional
        Column with the cluster of the case, if cases of a cluster resemble each other; by default
        ``cluster``.
    dataset : str, optional
        Column with the data set of the case; by default ``dataset``.
    count : str, optional
        Column with the number of equal cases that a row stands for, where cases have no names.
    weight : str, optional
        Column with the importance weight of the case, on any scale, as for
        :func:`bayesrank.joint_outcomes`: a weight multiplies the random mass of the case and counts
        no case twice.

    Returns
    -------
    xarray.Dataset
        ``truth`` (pattern, entity): 0, 1, or NaN where unknown; ``verdict`` (pattern, entity,
        judge): positions in the coord ``verdict_label``, -1 where the entity did not meet the case;
        ``count`` (pattern): the number of cases, or under unequal weights their sum, with the coord
        ``unit_weight`` (pattern), the weight of one case; ``labels`` (entity): the number of cases
        with a known truth. Coords ``cluster`` and ``dataset`` (pattern) if given. The model
        ``partial_truth`` takes it.

    Raises
    ------
    ValueError, TypeError, KeyError
        If a column is missing, a case occurs twice, a truth has no verdict (the label then belongs
        to another case), a verdict is missing, or a truth is neither right nor wrong.

    References
    ----------
    Begg and Greenes (1983), Assessment of diagnostic tests when disease verification is subject to
    selection bias, Biometrics 39:207-215.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gpt": [1, 1, 0, 1, 0, 1], "human": [1, 0, 0, None, None, None]})
    >>> judged = br.from_judged(frame, judge="gpt", truth="human")
    >>> judged["labels"].item(), judged["count"].sum().item()
    (3, 6)
    """
    if not isinstance(frame, pd.DataFrame):
        raise ArgumentTypeError("frame", "must be a pandas DataFrame", describe_value(frame))
    if not len(frame):
        raise ArgumentError("frame", "must have at least one row", "no row")
    wide = isinstance(judge, Mapping) or isinstance(truth, Mapping)
    roles = {"entity": entity, "case": case, "cluster": cluster, "dataset": dataset}
    roles = _with_headings(frame, roles, [judge, truth, weight, count], wide)
    for role, name in roles.items():
        if name is not None:
            check_column(role, name, frame.columns)
    for role, name in (("count", count), ("weight", weight)):
        if name is not None:
            check_column(role, name, frame.columns)
    judged, names, judges = (
        _read_wide(frame, judge, truth, roles) if wide else _read_long(frame, judge, truth, roles)
    )
    times = len(names) if wide else 1
    repeats, weights = (None if name is None else frame[name].tolist() for name in (count, weight))
    numbers = check_numbers_of_cases(repeats, weights, len(frame))
    _check_named(numbers.repeats, case is not None)
    where = [f"frame, row {label}" for label in frame.index.tolist()] * times
    return _assemble(
        judged, names, judges, where, numbers.keep(np.tile(np.arange(len(frame)), times))
    )


def collect_judged(
    columns: Mapping[str, list],
    verdicts: list[list],
    truth: list,
    judges: list,
    where: Sequence[str],
) -> xr.Dataset:
    """Return judged outcomes of columns by role; ``where`` is the place of each row in messages."""
    size = len(truth)
    entity, names = (
        factorize(columns["entity"]) if "entity" in columns else (np.zeros(size, int), [NAME])
    )
    groups = {role: columns[role] for role in ("case", "cluster", "dataset") if role in columns}
    groups.setdefault("case", list(range(size)))
    numbers = check_numbers_of_cases(columns.get("count"), columns.get("weight"), size)
    _check_named(numbers.repeats, "case" in columns)
    rows = _Rows(np.asarray(entity), verdicts, truth, groups, np.zeros(size, bool))
    return _assemble(rows, names, judges, where, numbers)


def outcome_of_verdicts(judged: xr.Dataset) -> xr.DataArray:
    """Return verdicts as outcomes (pattern, entity, judge): 1 for right, 0 for wrong, NaN for others and abstentions.

    A judge with verdicts other than these, such as classes, has no outcomes.
    """
    meaning = meanings_of_verdicts(judged)
    verdict = judged["verdict"].transpose("pattern", "entity", "judge")
    recognised = np.isfinite(meaning) | np.isin(
        np.append(judged["verdict_label"].values, ""), (ABSTAINED, "")
    )
    of_judge = recognised[verdict.values].all(axis=(0, 1))
    return verdict.copy(data=np.where(of_judge, meaning[verdict.values], np.nan))


def meanings_of_verdicts(judged: xr.Dataset) -> np.ndarray:
    """Return 1 for right, 0 for wrong and NaN for others, by the position of the verdict; the last one is for none."""
    meaning = dict.fromkeys(RIGHT, 1.0) | dict.fromkeys(WRONG, 0.0)
    words = map(str.lower, judged["verdict_label"].values.tolist())
    return np.array([*(meaning.get(word, np.nan) for word in words), np.nan])


@dataclass(frozen=True)
class _Rows:
    """Rows of one entity and case each: codes of entity, and columns of verdicts, truth, and names by role."""

    entity: np.ndarray
    verdicts: list[list]
    truth: list
    names: dict[str, list]
    #: Rows of a wide frame on cases that the entity did not meet.
    absent: np.ndarray


def _with_headings(
    frame: pd.DataFrame, roles: dict[str, Any], used: list[Any], wide: bool
) -> dict[str, Any]:
    """Return the roles, with columns of standard headings; raise an error for a heading that may be of entities."""
    used_columns = [*used, *roles.values()]
    used_columns = [
        name
        for held in used_columns
        for name in (held if isinstance(held, list | tuple) else [held])
    ]
    free = (
        {}
        if wide
        else {
            str(name).strip().lower(): name
            for name in frame.columns
            if not _is_in(name, used_columns)
        }
    )
    roles = {role: free.get(role) if name is None else name for role, name in roles.items()}
    if roles["entity"] is None and (kin := [free[word] for word in OF_ENTITIES if word in free]):
        raise ArgumentError(
            "entity",
            f"must say what the column {kin[0]!r} holds",
            "none",
            Advice(
                *(Typed("entity", kin[0]), " if it names the entities, "),
                *(
                    Typed("ignore", kin[0], f"frame.drop(columns={kin[0]!r})"),
                    " if all rows are of one",
                ),
            ),
        )
    if "count" in free and used[-1] is None:
        _refuse_unnamed_count(free["count"])
    return roles


def _refuse_unnamed_count(name: Any) -> NoReturn:
    """Raise an error that asks what a column called count holds."""
    raise ArgumentError(
        "count",
        f"must say what the column {name!r} holds",
        "none",
        Advice(
            *(Typed("count", name), " if a row stands for that many cases, else "),
            Typed("ignore", name, f"frame.drop(columns={name!r})"),
        ),
    )


def _is_in(name: Any, columns: list[Any]) -> bool:
    return any(
        isinstance(other, type(name)) and is_hashable(other) and other == name for other in columns
    )


def _read_long(
    frame: pd.DataFrame, judge: Any, truth: Any, roles: dict[str, Any]
) -> tuple[_Rows, list, list]:
    judges = [
        check_column("judge", name, frame.columns)
        for name in check_column_names("judge", judge, frame.columns)
    ]
    check_column("truth", truth, frame.columns)
    used = [*judges, truth, *(name for name in roles.values() if name is not None)]
    if (twice := find_repeat(used)) is not None:
        raise ArgumentError(
            "judge", "must name columns that have no other role", f"{used[twice[0]]!r} twice"
        )
    groups = {
        role: check_item_names(role, frame[name].tolist(), len(frame))
        for role, name in roles.items()
        if name is not None
    }
    entity, names = (
        factorize(groups.pop("entity"))
        if "entity" in groups
        else (np.zeros(len(frame), int), [NAME])
    )
    groups.setdefault("case", list(range(len(frame))))
    none = np.zeros(len(frame), bool)
    return (
        _Rows(
            entity, [frame[name].tolist() for name in judges], frame[truth].tolist(), groups, none
        ),
        names,
        judges,
    )


def _check_mappings(judge: Any, truth: Any, entity: Any) -> None:
    """Raise an error unless judge and truth of a wide frame are mappings from the same entities."""
    for role, given in (("judge", judge), ("truth", truth)):
        if not isinstance(given, Mapping) or not given:
            raise ArgumentError(
                role,
                "must be a mapping from each entity to its column, as judge and truth both are",
                describe_value(given),
            )
    if entity is not None:
        raise ArgumentError(
            "entity", "must be None for a wide frame, whose mappings name the entities"
        )
    if set(judge) != set(truth):
        odd = sorted(map(str, set(judge) ^ set(truth)))
        raise ArgumentError(
            "truth",
            "must have the entities of judge",
            f"{list_names(odd, 3)} in only one of the two",
        )


def _columns_of_verdicts(
    frame: pd.DataFrame, judge: Mapping[Any, Any], truth: Mapping[Any, Any]
) -> dict[Any, list]:
    """Return the columns with the verdicts on each entity, as many for each; no column has two roles."""
    columns = {name: [held] if isinstance(held, str) or not isinstance(held, list | tuple) else list(held)
               for name, held in judge.items()}  # fmt: skip
    sizes = {name: len(held) for name, held in columns.items()}
    if len(set(sizes.values())) != 1 or 0 in sizes.values():
        raise ArgumentError("judge", "must name the same number of columns for each entity", sizes)
    for name, held in columns.items():
        for column in held:
            check_column(f"judge[{name!r}]", column, frame.columns)
        check_column(f"truth[{name!r}]", truth[name], frame.columns)
    used = [*(column for held in columns.values() for column in held), *truth.values()]
    if (twice := find_repeat(used)) is not None:
        raise ArgumentError(
            "judge", "must name columns that have no other role", f"{used[twice[0]]!r} twice"
        )
    return columns


def _read_wide(
    frame: pd.DataFrame, judge: Any, truth: Any, roles: dict[str, Any]
) -> tuple[_Rows, list, list]:
    _check_mappings(judge, truth, roles["entity"])
    columns = _columns_of_verdicts(frame, judge, truth)
    names = list(columns)
    size, entities = len(frame), len(names)
    number = len(columns[names[0]])
    judges = (
        columns[names[0]]
        if entities == 1
        else [f"judge {i + 1}" if number > 1 else "judge" for i in range(number)]
    )
    verdicts = [
        [v for name in names for v in frame[columns[name][i]].tolist()] for i in range(number)
    ]
    groups = {
        role: check_item_names(role, frame[name].tolist(), size) * entities
        for role, name in roles.items()
        if name is not None
    }
    groups.setdefault("case", list(range(size)) * entities)
    entity = np.repeat(np.arange(entities), size)
    truths = [v for name in names for v in frame[truth[name]].tolist()]
    # An entity that did not meet a case has neither verdict nor truth there.
    absent = np.array([pd.isna(column) for column in verdicts]).all(axis=0) & pd.isna(
        np.array(truths, object)
    )
    absent &= entities > 1
    if lacking := [str(name) for i, name in enumerate(names) if absent[entity == i].all()]:
        raise ArgumentError(
            "judge", "must contain a verdict on each entity", f"none on {list_names(lacking, 3)}"
        )
    return _Rows(entity, verdicts, truths, groups, absent), names, judges


def _assemble(
    rows: _Rows, names: list, judges: list, where: Sequence[str], numbers: Numbers
) -> xr.Dataset:
    absent = rows.absent
    truth = _right_or_wrong(rows.truth, where)
    verdict, levels = _verdict_codes(rows.verdicts, judges)
    _refuse_unjudged((verdict == -1).all(axis=1) & ~absent, ~np.isnan(truth), where)
    if (verdict[~absent] == -1).any():
        levels = [*levels, ABSTAINED]
        verdict = np.where((verdict == -1) & ~absent[:, None], len(levels) - 1, verdict)
    code, cases = factorize(rows.names["case"])
    _refuse_repeated_cases(rows, names, code, len(cases))
    case_numbers = _numbers_by_case(numbers, code, cases)
    times = case_numbers.repeats
    shape = (len(cases), len(names))
    truths, verdicts = np.full(shape, np.nan), np.full((*shape, len(judges)), -1)
    retained = ~absent
    truths[code[retained], rows.entity[retained]] = truth[retained]
    verdicts[code[retained], rows.entity[retained]] = verdict[retained]
    groups: dict[str, list] = {
        role: _of_cases(role, rows.names[role], code, cases)
        for role in ("cluster", "dataset")
        if role in rows.names
    }
    has_truth = ~np.isnan(truths)
    if not has_truth.any():
        raise ArgumentError("truth", "must be known for at least one case", "none")
    codes = np.column_stack(
        [verdicts.reshape(len(cases), -1), np.where(has_truth, truths, -1).astype(int)]
    )
    counted = times > 0
    groups = keep_rows(groups, counted)
    weighted = scale_weights(case_numbers.keep(counted), groups.get("dataset"))
    distinct, count, coords = patterns(codes[counted], weighted.number, groups, weighted.each)
    judged, total = times @ (verdicts >= 0).any(axis=2), int(times.sum())
    labels = times @ has_truth
    ledger = Ledger(
        tuple(Entry(str(n), int(k), int(total - k)) for n, k in zip(names, judged, strict=True)),
        total,
        datasets=len(set(groups.get("dataset", ()))),
        missing="own" if (judged < total).any() else "",
        labels=(int(labels.min()), int(labels.max())),
    )
    variables = _pattern_variables(distinct, len(names)) | {
        "count": ("pattern", count),
        "labels": ("entity", labels),
    }
    described: dict[str, Any] = {
        "entity": name_coord(names),
        "judge": [str(name) for name in judges],
    }
    described |= {"verdict_label": levels, **coords}
    return xr.Dataset(
        variables, described, add_notes(weighted.attrs | ledger.to_attrs(), weighted.notes)
    )


def _refuse_repeated_cases(rows: _Rows, names: list, code: np.ndarray, cases: int) -> None:
    """Raise an error if an entity has a case twice."""
    pairs = rows.entity * cases + code
    if len(np.unique(pairs)) < len(pairs) and (twice := find_repeat(pairs.tolist())) is not None:
        repeated = rows.names["case"][twice[0]]
        raise ArgumentError(
            "case",
            "must name each case of an entity once",
            f"{repeated!r} twice for {names[rows.entity[twice[0]]]!r}",
        )


def _numbers_by_case(numbers: Numbers, code: np.ndarray, cases: list) -> Numbers:
    """Return the number and the weight of each case from those of the rows."""
    times = np.ones(len(cases), np.int64)
    times[code] = numbers.repeats
    if numbers.weight is None:
        return Numbers(times, None)
    weight = np.array(_of_cases("weight", numbers.weight.tolist(), code, cases))
    times[weight == 0] = 0
    return Numbers(times, weight)


def _pattern_variables(distinct: np.ndarray, entities: int) -> dict[str, Any]:
    """Return verdicts and truths from distinct rows of codes, which have the truths last."""
    truths, verdicts = distinct[:, -entities:], distinct[:, :-entities]
    return {
        "truth": (("pattern", "entity"), np.where(truths < 0, np.nan, truths)),
        "verdict": (
            ("pattern", "entity", "judge"),
            verdicts.reshape(len(distinct), entities, -1),
        ),
    }


def _refuse_unjudged(none: np.ndarray, has_truth: np.ndarray, where: Sequence[str]) -> None:
    """Raise an error for a row without a verdict, first for one with a truth."""
    if not none.any():
        return
    labelled = none & has_truth
    if labelled.any():
        raise ArgumentError(
            where[int(labelled.argmax())],
            "must have a verdict wherever the truth is known: labels of other cases do not show how the judge errs",
            "a truth without a verdict",
            "let the judge judge these cases too, or leave the rows out",
        )
    remedy = "write 'abstained' if the judge gave none"
    raise ArgumentError(where[int(none.argmax())], "must have a verdict", "none", remedy)


def _check_named(numbers: np.ndarray, named: bool) -> None:
    if named and (numbers > 1).any():
        raise ArgumentError(
            "count",
            "must be 0 or 1 if cases have names: a case that counts twice is not new evidence",
            numbers.max(),
        )


def _right_or_wrong(values: list, where: Sequence[str]) -> np.ndarray:
    """Return outcomes 0 and 1, NaN where unknown."""
    codes, words = _factorize_words(values)
    meaning = [
        float(word.lower() in RIGHT) if word.lower() in (*WRONG, *RIGHT) else np.nan
        for word in words
    ]
    result = np.array([*meaning, np.nan])[codes]
    odd = np.isnan(result) & (codes >= 0)
    if odd.any():
        i = int(odd.argmax())
        raise ArgumentError(
            f"{where[i]}: truth",
            "must be 1 or 0 (right or wrong), or empty where unknown",
            f"{values[i]!r}",
            InPython(
                "for classes, br.joint_outcomes(y_true, predictions) takes missing true labels"
            ),
        )
    return result


def _factorize_words(values: list) -> tuple[np.ndarray, list[str]]:
    """Return the position of each value among the different values as text, -1 where there is none."""
    codes, distinct = factorize(values)
    written = ["" if pd.isna(value) else _write(value) for value in distinct]
    words = list(dict.fromkeys(word for word in written if word))
    position = np.array([*(words.index(word) if word else -1 for word in written), -1])
    return position[codes], words


def _write(value: Any) -> str:
    """Return a verdict or truth as text: 1, 1.0, True and "1" are "1"."""
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if is_number(value):
        return f"{float(value):.15g}"
    return " ".join(str(value).split())


def _verdict_codes(columns: list[list], judges: list) -> tuple[np.ndarray, list[str]]:
    """Return verdicts as positions (row, judge) among the sorted levels; -1 where there is none."""
    factorized = [_factorize_words(column) for column in columns]
    for name, (_, words) in zip(judges, factorized, strict=True):
        if len(words) > VERDICTS:
            raise ArgumentError(
                f"judge {name!r}",
                f"must contain at most {VERDICTS} different verdicts",
                f"{len(words)}",
                "cut a judge's score into a few classes first, as pandas.cut does",
            )
    levels = sorted({word for _, words in factorized for word in words})
    places = [
        np.array([*(levels.index(word) for word in words), -1])[codes]
        for codes, words in factorized
    ]
    return np.column_stack(places), levels


def _of_cases(role: str, names: list, code: np.ndarray, cases: list) -> list:
    """Return the cluster or data set of each case, which all entities must agree on."""
    result: list[Any] = [None] * len(cases)
    for position, name in zip(code.tolist(), names, strict=True):
        if result[position] is not None and result[position] != name:
            raise ArgumentError(
                role,
                "must be the same for all rows of a case",
                f"{result[position]!r} and {name!r} for {cases[position]!r}",
            )
        result[position] = name
    return result
