"""Evidence from single cases: true labels and the entities' predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    all_classes,
    check_by_entity,
    check_choice,
    check_class_labels,
    check_item_names,
    check_labels,
)
from bayesrank._core.errors import Advice, ArgumentError, InPython, Typed
from bayesrank._core.labels import (
    NO_ANSWER,
    arrange_classes,
    check_order,
    factorize,
    find_lookalike,
    is_ordered,
    name_coord,
    ordered_categories,
)
from bayesrank._core.notes import Note, add_notes
from bayesrank.evidence.alignment import align_cases
from bayesrank.evidence.columns import name_columns
from bayesrank.evidence.counts import (
    class_dims,
    count_weighted,
    mark_averaged,
    mark_classes_as,
    mark_positive,
)
from bayesrank.evidence.groups import groups_as_datasets, has_groups, name_groups_of, take_groups
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.evidence.ledger import Ledger, count_answers
from bayesrank.evidence.patterns import check_cases, common_note, keep_rows, name_groups, patterns
from bayesrank.evidence.weighting import (
    UNIT_WEIGHT,
    Numbers,
    check_numbers_of_cases,
    scale_weights,
)

#: The note on models of counts.
LACKING = InPython(
    " (fill in the label that it counts as, or keep the cases that all entities met, by missing='common' of "
    "br.joint_outcomes)"
)
#: The note on models that need the truth of all cases.
NO_TRUTH = InPython(" (br.joint_outcomes takes truths that are known in part)")


@check_call
def from_predictions(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    dataset: Any = None,
    group: Any = None,
    count: Any = None,
    weight: Any = None,
) -> xr.DataArray:
    """Return counts from the true and predicted label of every case.

    Parameters
    ----------
    y_true : sequence of labels
        The true label of each case, of any type.
    predictions : mapping, DataFrame, array or list
        For each entity (key or column), its predicted labels. Everything with an index is joined to
        ``y_true`` by its labels; lists and NumPy arrays are in the order of ``y_true``. A list may
        hold pairs (name, labels). Without names (one sequence, an array (case, entity), a list of
        sequences), entities are "entity 1", "entity 2", ....
    labels : sequence, optional
        The classes in order; with two classes, the negative one first. Classes without cases are
        kept: in averages over classes, draws have the recall that the model gives them. By default
        the categories of ``y_true``, else the sorted labels that occur. As in scikit-learn, other
        labels take no part in averages: their cases stay, and answers with them are wrong. Without
        ``labels`` or categories, a label that occurs in predictions alone is a wrong answer, and
        one more class in averages, with the value 0 (:func:`bayesrank.scores.average`).
    positive : label, optional
        The positive one of two classes. By default taken from ``labels``, an ordered categorical
        ``y_true``, or a standard pair (0/1, -1/1, False/True, negative/positive, no/yes, in any
        case). Otherwise it is unknown, and scores that depend on it raise an error.
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all cases.
    group : sequence, optional
        Instead of ``dataset``: the group of each case, such as a language or an age. Unused
        categories are empty groups, whose scores are NaN.
    count : sequence of int, optional
        Number of cases that each row stands for.
    weight : sequence of float, optional
        Importance weight of each case, such as a survey weight, on any scale. A weight multiplies
        the random mass of the case and counts no case twice. The weights of a data set are scaled
        to sum to its effective number of cases, (Σw)² / Σw² (Kish 1965, Survey sampling). If they
        make all classes equally large, as weights "balanced" of scikit-learn do, the prevalence is
        taken as set by them.

    Returns
    -------
    xarray.DataArray
        ``counts`` (entity, [dataset or group], actual, predicted), the positive class last: whole
        numbers, or with unequal weights their sums; the coord ``unit_weight`` is then Σw² / Σw of
        each cell, and ``prior_weight`` and ``prior_times`` are the weight of a case of the prior
        and the number of priors of each class. The coord ``positive`` names the positive class, if
        it is known and not named "positive". ``attrs["notes"]`` records how labels were joined and
        cases weighted.

    Raises
    ------
    ValueError, TypeError
        If lengths or indexes differ, a label is missing or misspelt, or fewer than two classes are
        known.

    Examples
    --------
    >>> counts = from_predictions([0, 0, 1, 1], {"always": [1, 1, 1, 1], "good": [0, 0, 1, 0]})
    >>> counts.sel(entity="good").values.tolist()
    [[2, 0], [1, 1]]
    """
    dataset, finish = take_groups(dataset, group)
    predictions = name_columns("predictions", predictions, _size(y_true))
    aligned, joined = align_cases(
        {
            "y_true": y_true,
            "predictions": predictions,
            "dataset": dataset,
            "count": count,
            "weight": weight,
        }
    )
    cases = _encode(aligned["y_true"], aligned["predictions"], labels, positive)
    size, dataset = cases.actual.size, aligned["dataset"]
    called = "dataset" if group is None else "group"
    where = None if dataset is None else check_item_names(called, dataset, size, broadcast=True)
    numbers = check_numbers_of_cases(aligned["count"], aligned["weight"], size)
    weighted = scale_weights(numbers, where, cases.actual)
    codes = [cases.actual[:, None], cases.predicted]
    counts = count_weighted(
        codes, weighted.number, weighted.each, cases.entities, where, class_dims(cases.classes)
    )
    counts = counts.assign_attrs(
        add_notes(weighted.attrs, [*joined, *cases.notes, *weighted.notes])
    )
    return finish(cases.mark(counts))


@check_call
def joint_outcomes(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    count: Any = None,
    weight: Any = None,
    dataset: Any = None,
    group: Any = None,
    cluster: Any = None,
    case: Any = None,
    run: Any = None,
    population: Any = None,
    missing: Literal["common"] | None = None,
) -> xr.Dataset:
    """Count how many cases have each pattern: a true label, and the prediction of every entity.

    Unlike the counts of each entity, the patterns show how often two entities err on the same
    cases.

    Parameters
    ----------
    y_true : sequence of labels
        The true label of each case; None or NaN where it is unknown, as of patients that were not
        verified. The model ``partial_truth`` takes such evidence. None instead of a sequence if no
        truth is known: the model ``latent_class`` takes such evidence, and truths that are known in
        part.
    predictions, labels, positive, count, weight
        As for :func:`from_predictions`.
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all cases. Patterns are counted within data sets.
    group : sequence, optional
        Instead of ``dataset``: the group of each case, as for :func:`from_predictions`.
    cluster : sequence, optional
        The cluster (patient, series) of each case, if cases of a cluster resemble each other.
        Patterns are counted within clusters; a name is the same cluster in every data set.
    case : sequence, optional
        The name of each case. A name that occurs twice, also in different data sets (overlapping
        folds), raises an error.
    run : sequence, optional
        The run (repetition, sample, seed) of the case. Runs are not additional cases: the runs of a
        case are its cluster, unless ``cluster`` is given.
    population : sequence, optional
        The population of each case, where truths are unknown: populations differ in prevalence,
        while the tests have the same sensitivity and specificity in each.
    missing : "common", optional
        Keep only the cases that all entities predicted. By default a missing prediction (None or
        NaN) raises an error.

    Returns
    -------
    xarray.Dataset
        Labels ``actual`` (pattern) and ``predicted`` (pattern, entity); ``count`` (pattern), above
        0, which with unequal weights is the sum of the weights, and the coord ``unit_weight``
        (pattern) the weight of one case; the coords ``label`` (all classes in order), ``positive``
        (if known and not named so), ``dataset`` or ``group``, and ``cluster`` (pattern, if given).
        Patterns are ordered by data set, cluster and class. If cases were dropped, the attrs are
        ``missing``, ``cases``, ``cases_left_out`` and the ``note`` that rankings print; ``notes``
        records how labels were joined and cases weighted.

    Raises
    ------
    ValueError, TypeError
        As for :func:`from_predictions`, or if a case occurs twice.

    Examples
    --------
    >>> joint = joint_outcomes([0, 0, 1, 1], {"always": [1, 1, 1, 1], "good": [0, 0, 1, 0]})
    >>> joint["predicted"].values.tolist(), joint["count"].values.tolist()
    ([[1, 0], [1, 0], [1, 1]], [2, 1, 1])
    """
    if missing is not None:
        square = "left out (a confusion matrix has no place for a missing prediction)"
        check_choice("missing", missing, ("common",), other=square)
    dataset, finish = take_groups(dataset, group)
    predictions = name_columns("predictions", predictions, _size(y_true))
    aligned, joined = align_cases(
        {
            "y_true": y_true,
            "predictions": predictions,
            "count": count,
            "weight": weight,
            "dataset": dataset,
            "cluster": cluster,
            "case": case,
            "run": run,
            "population": population,
        }
    )
    cases = _encode(
        aligned["y_true"], aligned["predictions"], labels, positive, missing == "common", part=True
    )
    classes, size = name_coord(cases.classes), cases.actual.size
    numbers = check_numbers_of_cases(aligned["count"], aligned["weight"], size)
    stratum = "dataset" if group is None else "group"
    named = name_groups(
        size,
        stratum,
        **{name: aligned[name] for name in ("dataset", "cluster", "case", "run", "population")},
    )
    if population is not None and (cases.actual >= 0).all():
        raise ArgumentError(
            "population",
            "must be None if all truths are known",
            "one",
            Advice(Typed("dataset"), " names the data set of each case"),
        )
    predicted = cases.predicted.min(axis=1) >= 0
    counted = numbers.counted
    retained = predicted & counted
    check_cases(keep_rows(named, counted), numbers.repeats[counted])
    if run is not None:
        named.setdefault("cluster", named["case"])
    if not retained.any() and counted.any():
        raise ArgumentError(
            "missing", "cannot be 'common': no case has predictions of all entities", "none"
        )
    ledger = _count_labels(cases, numbers, missing, named.get("dataset", ()), retained)
    codes = np.column_stack([cases.actual, cases.predicted])[retained]
    named = keep_rows(named, retained)
    weighted = scale_weights(numbers.keep(retained), named.get("dataset"), codes[:, 0])
    codes, counts, coords = patterns(codes, weighted.number, named, weighted.each)
    attrs = common_note(
        int(numbers.repeats[retained].sum()), int(numbers.repeats[counted & ~predicted].sum())
    )
    joint = xr.Dataset(
        {
            "actual": ("pattern", _known_labels(classes, codes[:, 0])),
            "predicted": (("pattern", "entity"), classes[codes[:, 1:]]),
            "count": ("pattern", counts),
        },
        {"entity": name_coord(cases.entities), "label": classes} | coords,
        add_notes(
            attrs | weighted.attrs | ledger.to_attrs(), [*joined, *cases.notes, *weighted.notes]
        ),
    )
    return finish(cases.mark(joint))


class _Cases(NamedTuple):
    """Cases with labels coded as positions among the classes; None for an unknown positive class."""

    actual: np.ndarray  # (case)
    predicted: np.ndarray  # (case, entity)
    entities: list
    classes: list
    positive: Any
    averaged: list[bool]  # whether each class takes part in averages over classes
    declared: bool  # whether the user named the classes
    notes: list[Note]

    def mark(self, evidence: Any) -> Any:
        """Return counts or joint outcomes of the cases with what is known of the classes."""
        return mark_averaged(mark_positive(evidence, self.positive), self.averaged, self.declared)


def _count_labels(
    cases: _Cases,
    numbers: Numbers,
    missing: Any,
    datasets: Sequence[Any],
    retained: np.ndarray,
) -> Ledger:
    """Return the ledger of the cases; of a truth that is known in part, also the number of known labels."""
    counted = numbers.counted
    ledger = count_answers(
        cases.entities,
        cases.predicted[counted] >= 0,
        numbers.repeats[counted],
        missing,
        classes=len(cases.classes),
        datasets=datasets,
        weight=None if numbers.weight is None else numbers.weight[counted],
    )
    if (cases.actual >= 0).all():
        return ledger
    labelled = int(numbers.repeats[retained & (cases.actual >= 0)].sum())
    return replace(ledger, labels=(labelled, labelled))


def _known_labels(classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the label of each code, None where it is unknown (-1)."""
    if (codes >= 0).all():
        return classes[codes]
    return np.array([*classes.tolist(), None], object)[codes]


def _without_floats(truth: np.ndarray) -> np.ndarray:
    """Return true labels that are whole numbers as such, since missing values make floats of them."""
    true_labels = truth[~pd.isna(truth)]
    if (
        true_labels.size == truth.size
        or true_labels.dtype.kind != "f"
        or (true_labels != np.floor(true_labels)).any()
    ):
        return truth
    return np.array([None if pd.isna(label) else int(label) for label in truth.tolist()], object)


def _check_guesses(
    name: Any, predicted: Any, truth: np.ndarray, named: list, may_lack: bool
) -> np.ndarray:
    """Return the predicted labels of an entity, one for each case and of the type of the true labels."""
    argument = f"predictions[{name!r}]"
    guess = check_labels(argument, predicted, may_lack=may_lack, hint=LACKING)
    if guess.size != truth.size:
        raise ArgumentError(
            argument,
            f"must contain one label for each of the {truth.size} cases of y_true",
            guess.size,
        )
    true_labels = truth[~pd.isna(truth)]
    if true_labels.size:
        _check_types(argument, guess, {*true_labels.tolist(), *named})
    return guess


def _encode(
    y_true: Any,
    predictions: Any,
    labels: Sequence[Any] | None,
    positive: Any,
    may_lack: bool = False,
    part: bool = False,
) -> _Cases:
    """Validate the cases and code their labels; an allowed missing prediction, or truth, has the code -1."""
    entities = check_by_entity("predictions", predictions, "predicted labels")
    if part and y_true is None:
        argument, answers_of_first = f"predictions[{entities[0]!r}]", predictions[entities[0]]
        truth = np.full(check_labels(argument, answers_of_first, may_lack=may_lack).size, None)
    else:
        truth = _without_floats(check_labels("y_true", y_true, may_lack=part, hint=NO_TRUTH))
    true_labels = truth[~pd.isna(truth)]
    named = [] if labels is None else check_class_labels(labels)
    guesses = {
        f"predictions[{name!r}]": _check_guesses(name, predictions[name], truth, named, may_lack)
        for name in entities
    }
    answers = [guess[~pd.isna(guess)] for guess in guesses.values()]
    classes = all_classes(named or ordered_categories(y_true), [true_labels, *answers])
    if labels is None and len(classes) > 2:
        classes = [label for label in classes if label != NO_ANSWER]
    if labels is not None and positive is None:
        check_order(classes)
    classes, chosen = arrange_classes(classes, positive, labels is not None or is_ordered(y_true))
    coded = {
        argument: factorize(values) for argument, values in {"y_true": truth, **guesses}.items()
    }
    others = _other_labels(
        {argument: seen for argument, (_, seen) in coded.items()}, classes, labels is not None
    )
    if others and positive is not None:
        arrange_classes([*classes, *others], positive)  # raises an error: more than two classes
    code = {label: i for i, label in enumerate([*classes, *others])}
    # The last code is that of missing labels.
    columns = [
        np.array([*(code[label] for label in seen), -1])[which] for which, seen in coded.values()
    ]
    averaged = [label in classes for label in code]
    declared = labels is not None or ordered_categories(y_true) is not None
    left_out = [str(label) for label in others if label != NO_ANSWER]
    notes = [Note("labels_outside_averages", {"labels": left_out})] if left_out else []
    chosen = None if others else chosen
    return _Cases(
        columns[0],
        np.column_stack(columns[1:]),
        entities,
        list(code),
        chosen,
        averaged,
        declared,
        notes,
    )


def _other_labels(labels_by_place: Mapping[str, list], classes: list, chosen: bool) -> list:
    """Return the labels that occur beside the classes, in order; an error unless the user has chosen the classes."""
    others = {
        label: argument
        for argument, labels in labels_by_place.items()
        for label in labels
        if label not in classes
    }
    for label, argument in others.items():
        alike = find_lookalike(label, classes)
        if label != NO_ANSWER and (alike or not chosen):
            raise ArgumentError(
                argument, f"holds the label {label!r}, not among labels {classes}", hint=alike
            )
    return sorted(others, key=str)


def _size(y_true: Any) -> int | None:
    """Return the number of cases, if true labels are given."""
    return len(y_true) if hasattr(y_true, "__len__") else None


def _check_types(argument: str, guess: np.ndarray, known: set) -> None:
    """Raise an error for probabilities, and for labels of another type: each would become a class of its own."""
    distinct = list(dict.fromkeys(guess[~pd.isna(guess)].tolist()))
    between = [v for v in distinct if isinstance(v, float) and 0 < v < 1 and v not in known]
    if between:
        raise ArgumentError(
            argument, "must contain labels, not probabilities (set a threshold)", f"{between[0]:g}"
        )
    spellings = {label.strip().lower(): label for label in known if isinstance(label, str)}
    spelt = [
        v
        for v in distinct
        if isinstance(v, str) and v not in known and v.strip().lower() in spellings
    ]
    if spelt:
        raise ArgumentError(
            argument,
            f"must spell labels as in y_true, such as {spellings[spelt[0].strip().lower()]!r}",
            f"{spelt[0]!r}",
            "correct blanks and capitals, or name both in labels= if they are two classes",
        )
    are_texts = {isinstance(label, str) for label in distinct}
    if (
        distinct
        and not known & set(distinct)
        and (are_texts == {True}) != all(isinstance(label, str) for label in known)
    ):
        raise ArgumentError(
            argument,
            f"must use the labels of y_true, such as {next(iter(known))!r}",
            f"{distinct[0]!r} of another type",
            "rename its labels to those of y_true",
        )


def counts_of(joint: xr.Dataset) -> xr.DataArray:
    """Return the counts of each entity, by data set or group, from joint outcomes, with their attrs.

    Right and wrong are always both present. Missing outcomes are not counted.
    """
    if has_groups(joint):
        return name_groups_of(counts_of(groups_as_datasets(joint)))
    _refuse_uncountable(joint)
    names, number = joint["entity"].values.tolist(), joint["count"].values
    weight = joint[UNIT_WEIGHT].values if UNIT_WEIGHT in joint.coords else None
    where = joint["dataset"].values.tolist() if "dataset" in joint.coords else None
    if "outcome" not in joint:
        labels = joint["label"].values.tolist()
        code = {label: i for i, label in enumerate(labels)}
        actual, predicted = (
            joint[name].transpose("pattern", ...).values for name in ("actual", "predicted")
        )
        codes = [
            np.vectorize(code.get, otypes=[int])(held) for held in (actual[:, None], predicted)
        ]
        counts = count_weighted(codes, number, weight, names, where, class_dims(labels))
        counts = mark_classes_as(counts, joint)
    else:
        outcome = joint["outcome"].transpose("pattern", "entity").values
        values = np.unique(outcome[~np.isnan(outcome)])
        values = np.array([0, 1]) if np.isin(values, [0, 1]).all() else values
        codes = [np.where(np.isnan(outcome), -1, np.searchsorted(values, outcome))]
        counts = count_weighted(codes, number, weight, names, where, {"outcome": values.tolist()})
        if where is not None:  # without outcomes on a data set, an entity is not measured there
            counts["measured"] = (counts > 0).any("outcome")
    if where is not None:
        # The attrs say whether these are groups, which may be equal.
        counts["dataset"].attrs |= joint["dataset"].attrs
    return counts.assign_attrs(add_notes(joint.attrs, [Note("cases_summed")]))


def _refuse_uncountable(joint: xr.Dataset) -> None:
    """Raise an error if some truths are unknown, or if cases are in clusters: counts would mislead."""
    if parse_given(joint).truth_in_part:
        raise ArgumentError(
            "model", "must be 'partial_truth' if the truth of some cases is unknown", "another one"
        )
    if "cluster" in joint.coords:
        raise ArgumentError(
            "model",
            "must be 'paired' for cases in clusters, since counts assume independent cases",
            hint=Advice(
                "with 'paired' each data set has an analysis of its own",
                InPython(", or br.pool puts them together"),
            ),
        )
