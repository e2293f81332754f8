"""Scores: functions of performances, with their metadata."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_interval, describe_value
from bayesrank._core.checks import label_values as numbers_of
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython
from bayesrank._core.labels import (
    AVERAGED,
    check_positive,
    classes_in_averages,
    names_classes,
    over_other_dims,
    select_names,
)
from bayesrank._core.notes import notes_of
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.source import Source, parse_source
from bayesrank._core.threads import in_threads, pieces
from bayesrank.evidence.attempts import Attempts
from bayesrank.models.parts.attempts import AttemptsPosterior
from bayesrank.performance.arrays import counts_or_performance, observed_counts, only_two_classes
from bayesrank.scores._against_rest import against_rest, mark_chosen, mark_classes
from bayesrank.scores.display import display_name
from bayesrank.scores.forms import Area, Contour, ExactRatio

__all__ = ["SCORES", "Score", "cells_at", "log", "ratio", "values_of", "values_of_tables"]

CellFunction = Callable[[Any, Any, Any, Any], Any]
MatrixFunction = Callable[[np.ndarray, Any], np.ndarray]
OutcomeFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: The catalogue by name, filled and searched by :mod:`bayesrank.scores.names`.
SCORES: dict[str, "Score"] = {}
#: Number of cells scored together: 2 MB, near the size of a processor's cache; smaller parts make
#: threads wait for Python's lock. Tables of many classes shrink in the first step, so twice as
#: many.
TABLES, MANY = 2**18, 10
#: Tables of probabilities and of small counts, and the same tables with the classes swapped.
_SOME = np.random.default_rng(1).dirichlet([1.0] * 4, 60).reshape(-1, 2, 2)
MIRRORED = np.stack([_SOME, _SOME[:, ::-1, ::-1]])
#: Two-class scores suggested in messages, and the words for each sample space.
USUAL = ("f1", "mcc", "informedness", "accuracy")
WORDS = {"binary": "two classes", "classes": "classes", "outcomes": "outcomes without classes"}
WORDS |= {"votes": "votes", "cases": "predicted probabilities", "runs": "several runs of each case"}
#: The code of the note of evidence without true negatives, and scores that need none.
NO_TRUE_NEGATIVES = "no_true_negatives"
WITHOUT_TRUE_NEGATIVES = ("f1", "precision", "recall", "jaccard")
#: What scores that no performance has are of, and what its evidence lacks.
NO_PERFORMANCE = {
    "votes": "votes, which give strengths but no performance",
    "cases": "probabilities, which have no confusion matrix before a threshold is chosen",
}
EVERY = xr.DataArray(np.ones(2, dtype=bool), dims="actual")


@dataclass(frozen=True)
class Score:
    """A score of two classes, of any number of classes, or of outcomes without classes.

    Call it with a source of performances to get its values, for each draw and entity. Undefined
    values are NaN.

    Parameters
    ----------
    name, symbol, display, formula, aliases, domain, reference : str (aliases: tuple of str)
        The standard term in lower snake case; the symbol in formulas; the name in text and on axes,
        by default from ``name``; the formula; other names; where the score is defined; and the
        source of the definition.
    function : callable, optional
        Function of (tn, fp, fn, tp), as arrays or numbers; probabilities and counts must give the
        same value. If None, ``matrix_function`` is used for two classes too.
    range : tuple of float
        Smallest and largest value; may be infinite.
    higher_is_better : bool or None
        None if the score has no direction.
    depends_on_prevalence : bool
        False for functions of TPR and TNR alone.
    importance : mapping, optional
        Importance of tn, fp, fn, tp, for ranking scores (Foundations, Section 4.3).
    finite_mean : bool
        False for ratios with a possibly infinite posterior mean; they are summarised by medians,
        without regret.
    matrix_function : callable, optional
        Function of two arguments: confusion matrices (..., actual, predicted) of more classes, and
        marks (..., class): 1 for a class with cases, 2 for a class in answers alone, 0 for others;
        or True for all with cases. Only averages over classes use the marks.
    outcome_function : callable, optional
        Function of counts or probabilities (..., outcome) and of the numeric outcomes. Its value
        must lie between the smallest and largest outcome.
    labels : tuple, optional
        Classes in the order of ``matrix_function``, if it treats them differently by name; or the
        outcomes of ``outcome_function`` in its order, if they are labels and not numbers.
    complement : Score, optional
        The score that equals 1 minus this score.
    contour, area : optional
        Contours, and the outperformance score of a value and a prevalence (uniform reference), in
        closed form. Those of ranking scores follow from the importance.
    only_of : str
        ``"votes"``, ``"cases"`` (predicted probabilities) or ``"runs"`` (of cases) for a score that
        only a model of these computes, since it is no function of a performance.
    attempts : Attempts, optional
        Of a score of runs: the number of attempts, and whether one or all of them must succeed.
    one_class : str
        The label of the class that is positive, all others being negative; "" for other scores.
        ``matrix_function`` is then an :class:`OfClass`.
    fraction : callable, optional
        Returns whole numbers n, d and m for (tn, fp, fn, tp): the value, or its square, is n / (d
        m). The number m is the same for all given tables.

    Examples
    --------
    >>> misses = br.scores.Score("misses", lambda tn, fp, fn, tp: fn / (tn + fp + fn + tp), higher_is_better=False)
    >>> misses(br.from_counts(tn=80, fp=0, fn=3, tp=27)).item()
    0.02727...
    """

    name: str
    function: CellFunction | None = field(repr=False)
    symbol: str = ""
    formula: str = ""
    aliases: tuple[str, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool | None = True
    depends_on_prevalence: bool = True
    importance: Mapping[str, float] | None = field(default=None, hash=False)
    finite_mean: bool = True
    matrix_function: MatrixFunction | None = field(default=None, repr=False)
    outcome_function: OutcomeFunction | None = field(default=None, repr=False)
    labels: tuple[Any, ...] | None = None
    domain: str = "everywhere"
    reference: str = ""
    complement: "Score | None" = field(default=None, repr=False)
    contour: Contour | None = field(default=None, repr=False)
    area: Area | None = field(default=None, repr=False)
    fraction: ExactRatio | None = field(default=None, repr=False)
    display: str = ""
    only_of: str = ""
    attempts: Attempts | None = None
    one_class: str = ""
    _forms_of: CellFunction | None = field(default=None, repr=False, compare=False)
    _display_of: str | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ArgumentTypeError("name", "must be a string", describe_value(self.name))
        check_interval("range", self.range)
        # These belong to one function: dataclasses.replace(score, function=...) must not keep them.
        stale = self._forms_of is not None and self._forms_of is not self.function
        for name in ("complement", "contour", "area", "fraction", "importance") if stale else ():
            object.__setattr__(self, name, None)
        object.__setattr__(self, "_forms_of", self.function)
        # A derived display name must not survive dataclasses.replace(score, name=...).
        renamed = self._display_of not in (None, self.name) and self.display == display_name(
            str(self._display_of)
        )
        if not self.display or renamed:
            object.__setattr__(self, "display", display_name(self.name))
        object.__setattr__(self, "_display_of", self.name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copy and pickle scores of the catalogue by name, as some are local functions."""
        return (
            (_by_name, (self.name,))
            if SCORES.get(self.name) is self
            else super().__reduce_ex__(protocol)
        )

    @property
    def space(self) -> str:
        """Return the sample space: ``"binary"`` (of two classes), "classes", "outcomes", "votes", "cases" or "runs"."""
        if self.only_of:
            return self.only_of
        if self.outcome_function is not None:
            return "outcomes"
        return "binary" if self.matrix_function is None else "classes"

    @property
    def may_rank(self) -> str:
        """Return whether an order of two-class performances by the score keeps the axioms of ranking.

        The verdict is "yes"; "at one prevalence", if all performances must have the same
        prevalence; "no", if a mixture of two entities can be better, or worse, than both; or "" for
        scores without direction, and those outside of the catalogue. :func:`bayesrank.audit` shows
        the counterexample.

        Examples
        --------
        >>> br.scores.f1.may_rank, br.scores.informedness.may_rank, br.scores.mcc.may_rank
        ('yes', 'at one prevalence', 'no')
        """
        from bayesrank.scores.verdicts import verdict_on

        return verdict_on(self).may_rank

    @property
    def is_mean(self) -> bool:
        """Return whether the score is the mean outcome, of the cases or of estimates from their runs."""
        return self.outcome_function is mean_of_outcomes

    def check_space(self, sizes: Mapping[Any, int]) -> None:
        """Raise if evidence of these ``sizes`` has another sample space than the score; suggest matching scores."""
        if special := next((name for name in NO_PERFORMANCE if name in sizes), None):
            fit, forms = [special], NO_PERFORMANCE[special]
        elif "outcome" in sizes:
            fit, forms = ["outcomes"], "outcomes, which have no classes"
        else:
            classes = sizes.get("actual", 2)
            fit, forms = ["classes"] + ["binary"] * (classes == 2), f"{classes} classes"
        if self.space in fit or self.space in sizes:
            return
        names = (
            USUAL
            if "binary" in fit
            else [name for name, score in SCORES.items() if score.space in fit]
        )
        some = ", ".join(map(repr, names)) + " or another of br.scores.catalog()" * (
            "binary" in fit
        )
        if self.space == "binary" and fit == ["classes"] and self.higher_is_better is not None:
            name = self.name
            raise ArgumentError(
                "score",
                Advice(
                    f"must be an average over classes such as 'macro_{name}' or 'weighted_{name}', or {name}:CLASS ",
                    "for one class",
                    InPython(" (or br.one_vs_rest first)"),
                    f", or one of {some}, for {forms}",
                ),
                f"{name!r}, a score of {WORDS[self.space]}",
            )
        averages = [
            " (or an average over classes such as 'macro_f1'",
            InPython(", or br.one_vs_rest first"),
            ")",
        ]
        requested = Advice(
            f"must be {some}", *(averages if fit == ["classes"] else []), f" for {forms}"
        )
        hint = Advice()
        if self.space == "cases":
            fitted = "br.fit(br.from_probabilities(y_true, probabilities), 'bayesian_bootstrap')"
            hint = Advice("fit predicted probabilities", InPython(f": {fitted}"))
        if self.space == "runs":
            made = "br.fit(br.from_outcomes(frame, case=..., run=...))"
            hint = Advice("it needs the runs of each case, right or wrong", InPython(f": {made}"))
        raise ArgumentError(
            "score", requested, f"{self.name!r}, a score of {WORDS[self.space]}", hint
        )

    def __call__(self, source: Any, kind: str | None = None) -> xr.DataArray:
        """Return the values, without the outcome dims; lazy if the source is.

        ``kind`` selects a performance of a posterior over several data sets, as in
        :func:`bayesrank.as_performance`.
        """
        return values_of([self], source, kind)[0]

    def of_tables(self, tables: np.ndarray, present: Any = True) -> np.ndarray:
        """Return the value of each table (..., actual, predicted), in blocks; NaN where undefined.

        ``present`` are the classes (..., class) that take part in an average; True means all, 2 a
        class that occurs in answers alone, 3 a named class without cases in the sample, and -1 a
        class that the user leaves out of averages.

        Examples
        --------
        >>> br.scores.accuracy.of_tables(np.array([[0.5, 0.1], [0.1, 0.3]])).item()
        0.8
        """
        return _of_tables([self], tables, present)[0]

    def of_cells(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        """Return the value for four arrays or numbers; NaN where undefined or infinite.

        Examples
        --------
        >>> br.scores.ppv.of_cells(tn=[70, 80], fp=[10, 0], fn=[9, 30], tp=[21, 0]).round(4).tolist()
        [0.6774, nan]
        """
        return _finite(self.unclipped(tn, fp, fn, tp))

    def unclipped(self, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
        """Return the value of the function for four arrays or numbers, infinities included."""
        cells = np.broadcast_arrays(*(np.asarray(cell, dtype=float) for cell in (tn, fp, fn, tp)))
        if self.function is None:
            if self.only_of or self.space == "outcomes" or len(self.labels or "12") != 2:
                description = (
                    f" of {list(self.labels)}"
                    if self.labels
                    else f", a score of {WORDS[self.space]}"
                )
                raise ArgumentError(
                    "score", "must be a score of two classes", f"{self.name!r}{description}"
                )
            matrix = np.stack(cells, axis=-1).reshape(*cells[0].shape, 2, 2)
            return self._of_matrix(matrix, True, partial(against_rest, matrix))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scored = self.function(*cells)
        values = np.asarray(scored)
        if values.dtype.kind not in "biuf":
            raise ArgumentTypeError(
                "score", f"must give numbers; {self.name!r} gave {describe_value(scored)}"
            )
        self._check_shape(values.shape or cells[0].shape, cells[0].shape)
        # Copy: a constant would be a read-only view, and a function may return one of its inputs.
        return np.array(np.broadcast_to(values, cells[0].shape), dtype=float)

    def for_classes(self, array: xr.DataArray) -> "Score":
        """Return the score with its one class as an index into the classes of an array; other scores are unchanged."""
        if not self.one_class:
            return self
        labels = (
            [str(label) for label in array["actual"].values.tolist()]
            if "actual" in array.coords
            else []
        )
        if self.one_class not in labels:
            raise ArgumentError("score", f"must name one of the classes {labels}", f"{self.name!r}")
        assert isinstance(self.matrix_function, OfClass)
        return replace(
            self,
            matrix_function=replace(self.matrix_function, position=labels.index(self.one_class)),
        )

    def position_in(self, array: xr.DataArray) -> int | None:
        """Return the position of the score's one class among the classes of an array; None for other scores."""
        function = self.for_classes(array).matrix_function
        return function.position if isinstance(function, OfClass) else None

    def attrs(self) -> dict[str, Any]:
        """Return the attrs of the values: long name, direction, range, and whether the mean is finite."""
        return {
            "long_name": self.display,
            "direction": {True: "higher is better", False: "lower is better", None: "none"}[
                self.higher_is_better
            ],
            "range": list(self.range),
            "finite_mean": int(self.finite_mean),
        }

    @cached_property
    def is_symmetric(self) -> bool:
        """Return whether swapping two classes leaves the value unchanged, so that neither has to be positive.

        This is tested on tables and their mirror images. A score that finds classes by name is
        symmetric.
        """
        if self.labels is not None or self.one_class or self.only_of or self.space == "outcomes":
            return True
        values = self.of_tables(MIRRORED)
        return bool(np.allclose(values[0], values[1], rtol=1e-9, atol=1e-12, equal_nan=True))

    def check_classes(self, array: xr.DataArray) -> None:
        """Raise if the score depends on which of two classes is positive, and this is unknown."""
        if array.sizes.get("actual") == 2 and not self.is_symmetric:
            check_positive(array, self.name)

    def _takes_matrix(self, classes: int) -> bool:
        return self.matrix_function is not None and (classes > 2 or self.function is None)

    def _of_matrix(
        self, matrix: np.ndarray, present: Any, rest: Callable[[bool], Any]
    ) -> np.ndarray:
        """Score tables (..., actual, predicted), as matrices or, by ``rest``, class by class."""
        function: Any = self.matrix_function
        if function is None:
            raise ArgumentTypeError(
                "score", f"must have a function of cells or of matrices; {self.name!r} has none"
            )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            by_class = hasattr(function, "of_rest")
            scored = (
                function.of_rest(rest(function.needs_tn), present)
                if by_class
                else function(matrix, present)
            )
        values = np.array(scored, dtype=float)
        self._check_shape(values.shape, matrix.shape[:-2])
        return values

    def _check_shape(self, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        if shape != wanted:
            raise ArgumentError(
                "score",
                f"must give one number for each table, shape {wanted}; {self.name!r} gave {shape}",
            )


@dataclass(frozen=True)
class OfClass:
    """A function of confusion matrices: a two-class score of one class against all others."""

    score: Score
    position: int | None = None

    def __call__(self, matrix: np.ndarray, present: Any) -> np.ndarray:
        """Return the score of the class at the position."""
        if self.position is None:
            raise ArgumentError("source", "must have class labels for a score of one class", "none")
        return self.score.unclipped(*(cell[..., self.position] for cell in against_rest(matrix)))


def values_of(
    scores: Sequence[Score], source: Any, kind: str | None = None, infinite: bool = False
) -> list[xr.DataArray]:
    """Return the values of several scores of one source, which is checked and read once.

    Infinite values are NaN unless ``infinite``.
    """
    source = parse_source(source)
    if any(score.attempts is not None for score in scores):
        return [
            values_of([score], source, kind, infinite)[0]
            if score.attempts is None
            else _of_attempts(score, source)
            for score in scores
        ]
    array = counts_or_performance(source, kind)
    for score in scores:
        score.check_space(array.sizes)
    _refuse_true_negatives(source, scores)
    scores = [score.for_classes(array) for score in scores]
    if "outcome" in array.dims:
        return [_of_outcomes(score, array) for score in scores]
    groups: dict[Any, tuple[xr.DataArray, list[int]]] = {}
    for i, score in enumerate(scores):
        score.check_classes(array)
        matrix = score._takes_matrix(array.sizes.get("actual", 2))
        if not matrix:
            only_two_classes(array)
        of_classes = _with_classes(array, score) if matrix else array
        groups.setdefault((matrix, matrix and score.labels), (of_classes, []))[1].append(i)
    result: list[Any] = [None] * len(scores)
    for (matrix, _), (of_classes, places) in groups.items():
        present = _classes_that_occur(source, of_classes) if matrix else EVERY
        some = [scores[i] for i in places]
        function = partial(_of_tables, some, infinite=infinite)
        values = _apply(
            function, of_classes, present, dims=["actual", "predicted"], outputs=len(some)
        )
        for i, score, own in zip(places, some, values, strict=True):
            result[i] = _named(own, score.name, score.attrs())
    return result


def values_of_tables(score: Score, tables: np.ndarray, counts: xr.DataArray) -> np.ndarray:
    """Return the score of tables of counts (..., actual, predicted) with the classes of ``counts``.

    The tables have no labels, so that nothing is checked or aligned again: the score must have passed
    the checks on ``counts``.
    """
    if not score._takes_matrix(tables.shape[-1]):
        return score.of_tables(tables)
    averaged = classes_in_averages(counts, counts)
    if score.labels is not None and "actual" in counts.coords:
        names = counts.coords.variables["actual"].values.tolist()
        places = np.array([names.index(label) for label in score.labels])
        tables, averaged = tables[..., places[:, None], places], averaged[places]
    marks = mark_classes(tables.sum(axis=-1), tables.sum(axis=-2))
    marks = mark_chosen(marks, averaged, names_classes(counts))
    return score.for_classes(counts).of_tables(tables, marks)


def _refuse_true_negatives(source: Source, scores: Sequence[Score]) -> None:
    """Raise an error for scores that need true negatives, of evidence that has none, as that of detection."""
    notes = (
        source.assembled.notes if source.array is None else EvidenceRecord.of(source.array).notes
    )
    if not any(note.code == NO_TRUE_NEGATIVES for note in notes_of(notes)):
        return
    for score in scores:
        if score.space not in ("binary", "classes") or _is_without_true_negatives(score):
            continue
        raise ArgumentError(
            "score",
            "cannot be used because it needs true negatives and the evidence has none "
            f"(use {', '.join(WITHOUT_TRUE_NEGATIVES)})",
            f"{score.name!r}",
        )


def _is_without_true_negatives(score: Score) -> bool:
    """Return whether a score is the same for any number of true negatives."""
    first, second = (np.array([tn, 2.0, 3.0, 4.0]) / (tn + 9) for tn in (1.0, 50.0))
    return bool(np.isclose(score.of_cells(*first), score.of_cells(*second)))


def with_attempts(source: Source, score: Any) -> tuple[Source, Any]:
    """Return the posterior of a score of runs, and the score as the mean outcome there; others are unchanged."""
    if not isinstance(score, Score) or score.attempts is None:
        return source, score
    event, name, posterior = score.attempts, score.name, source.group("posterior")
    if posterior is not None and name in posterior:  # it is the posterior of this score
        return source, mean_of_estimates(score)

    def compute() -> Source:
        return AttemptsPosterior.of(source, event.k, score.display, event.these).posterior(
            event, name
        )

    return source.once(("attempts", event), compute), mean_of_estimates(score)


def mean_of_estimates(score: Score) -> Score:
    """Return a score of runs as the mean outcome of the posterior whose outcomes are the estimates of the cases."""
    return replace(score, only_of="", outcome_function=mean_of_outcomes)


def _of_attempts(score: Score, source: Source) -> xr.DataArray:
    posterior = with_attempts(source, score)[0].group("posterior")
    assert posterior is not None
    return _named(posterior[score.name], score.name, score.attrs())


def mean_of_outcomes(tables: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """Return the mean of numeric outcomes with these counts or probabilities (..., outcome)."""
    # A product of matrices would sum equal rows in different orders.
    return np.asarray(ratio(np.einsum("...i,i->...", tables, outcomes), tables.sum(axis=-1)))


def _named(values: xr.DataArray, name: str, attrs: Mapping[str, Any]) -> xr.DataArray:
    """Name new values and add attrs, without the copy of all coords that ``assign_attrs`` makes."""
    result = values.rename(name)
    result.attrs = result.attrs | dict(attrs)
    return result


def _apply(
    function: Callable,
    array: xr.DataArray,
    *others: xr.DataArray,
    dims: list[str],
    outputs: int = 1,
) -> Any:
    """Apply a function of outcomes (``dims``), which returns a list of arrays, to an array, which may be lazy."""
    if array.chunks is None and all(other.dims == ("actual",) for other in others):
        return _apply_in_memory(function, array, *others, dims=dims)
    if array.chunks is not None:
        array = array.chunk(dict.fromkeys(dims, -1))  # scoring needs whole tables
    values = xr.apply_ufunc(
        lambda *arrays: tuple(function(*arrays)) if outputs > 1 else function(*arrays)[0],
        array,
        *others,
        input_core_dims=[dims, *[["actual"]] * len(others)],
        output_core_dims=[[]] * outputs,
        keep_attrs=True,
        dask="parallelized",
        output_dtypes=[np.float64] * outputs,
    )
    return values if outputs > 1 else (values,)


def _apply_in_memory(
    function: Callable, array: xr.DataArray, *others: xr.DataArray, dims: list[str]
) -> list[xr.DataArray]:
    """Apply a function as ``_apply`` does, where no labels have to be aligned, which takes half of its time."""
    tables = array.variable.transpose(..., *dims).values
    first, *rest = function(tables, *(other.values for other in others))
    result = over_other_dims(array, dims, first)
    result.attrs = array.attrs
    return [result, *(result.copy(deep=False, data=values) for values in rest)]


def _of_outcomes(score: Score, array: xr.DataArray) -> xr.DataArray:
    """Return the value of a score of outcomes (labels of ``outcome``), with their range."""
    if score.labels is not None:
        outcomes = array["outcome"].values.tolist() if "outcome" in array.coords else []
        if set(outcomes) != set(score.labels):
            raise ArgumentError(
                "source", f"must have the outcomes {list(score.labels)} for {score.name}", outcomes
            )
        array = select_names(array, outcome=list(score.labels))
        of_labels: Any = score.outcome_function
        [result] = _apply(lambda tables: [of_labels(tables, score.labels)], array, dims=["outcome"])
        return _named(result, score.name, score.attrs())
    numbers = numbers_of(array["outcome"].values) if "outcome" in array.coords else None
    if numbers is None:
        outcomes = array["outcome"].values.tolist() if "outcome" in array.coords else "no labels"
        raise ArgumentError("source", f"must have numeric outcomes for {score.name}", outcomes)
    function: Any = score.outcome_function
    [result] = _apply(lambda tables: [function(tables, numbers)], array, dims=["outcome"])
    limits = {"range": [float(numbers.min()), float(numbers.max())], "finite_mean": 1}
    return _named(result, score.name, score.attrs() | limits)


def _of_tables(
    scores: Sequence[Score], tables: np.ndarray, present: Any, infinite: bool = False
) -> list[np.ndarray]:
    """Return the values of scores, either all or none of matrices; shared parts are computed once.

    Infinite values are NaN unless ``infinite``.
    """
    matrix = scores[0]._takes_matrix(tables.shape[-1])
    lead = tables.shape[:-2]
    result = [np.empty(lead) for _ in scores]
    present = np.broadcast_to(present, (*lead, tables.shape[-1]))

    def fill(piece: tuple[slice, ...]) -> None:
        # Cells as contiguous arrays, so that formulas run along many tables.
        cells = np.ascontiguousarray(np.moveaxis(tables[piece], (-2, -1), (0, 1)))
        part = np.moveaxis(cells, (0, 1), (-2, -1))
        rest = cache(partial(against_rest, part))
        for values, score in zip(result, scores, strict=True):
            if matrix:
                own = score._of_matrix(part, present[piece], rest)
            else:
                own = score.unclipped(*cells.reshape(4, *part.shape[:-2]))
            values[piece] = own if infinite else _finite(own)

    together = TABLES * (1 + (tables.shape[-1] >= MANY))
    in_threads(fill, pieces(lead, max(together // max(tables.shape[-1] ** 2, 1), 1)))
    return result


def ratio(numerator: Any, denominator: Any) -> Any:
    """Return the quotient, NaN where the denominator is 0."""
    if object in (np.asarray(numerator).dtype, np.asarray(denominator).dtype):  # exact numbers
        return np.where(np.equal(denominator, 0), np.nan, np.true_divide(numerator, denominator))
    numerator, denominator = np.broadcast_arrays(
        np.asarray(numerator, float), np.asarray(denominator, float)
    )
    return np.divide(
        numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0
    )


def log(values: Any) -> Any:
    values = np.asarray(values, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.log(values)  # for all values, which is faster than for some
    return np.where(values > 0, logarithms, np.nan)


def cells_at(fpr: Any, tpr: Any, prevalence: Any) -> tuple[Any, Any, Any, Any]:
    """Return the probabilities of tn, fp, fn, tp at given rates and prevalence."""
    return (
        (1 - prevalence) * (1 - fpr),
        (1 - prevalence) * fpr,
        prevalence * (1 - tpr),
        prevalence * tpr,
    )


def _by_name(name: str) -> Score:
    return SCORES[name]


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _with_classes(array: xr.DataArray, score: Score) -> xr.DataArray:
    """Check the classes of the array, and put them in the order of the score."""
    sizes = {dim: array.sizes.get(dim) for dim in ("actual", "predicted")}
    labels = {dim: array[dim].values.tolist() for dim in sizes if dim in array.coords}
    if (
        sizes["actual"] != sizes["predicted"]
        or len({tuple(names) for names in labels.values()}) > 1
    ):
        raise ArgumentError(
            "source",
            f"must have the same classes on actual and predicted for {score.name}",
            labels or sizes,
        )
    if "label" in array.dims and score.function is None:
        raise ArgumentError(
            "source",
            f"must have the original classes for {score.name}, which compares each class with the remaining ones",
            f"the dims {array.dims}",
        )
    requested = list(score.labels or ())
    for dim, size in sizes.items():
        if requested and (
            size != len(requested) or set(labels.get(dim, requested)) != set(requested)
        ):
            raise ArgumentError(
                "source",
                f"must have the classes of the score on {dim}, {requested}",
                labels or size,
            )
        array = select_names(array, {dim: requested}) if requested and dim in labels else array
    return array


def _classes_that_occur(source: Source, array: xr.DataArray) -> xr.DataArray:
    """Return the mark of each class (..., actual): by its cases and the user's choice, or 1 if both are unknown."""
    counts = observed_counts(source)
    if counts is None:
        cases = array if AVERAGED in array.coords else source.observed
        unknown = np.full(array.sizes["actual"], int(not names_classes(cases)))
        return _with_choice(cases, array, xr.DataArray(unknown, dims="actual"))
    if "actual" in counts.coords and "actual" in array.coords:
        requested = array["actual"].values
        if counts["actual"].values.tolist() != requested.tolist():
            counts = select_names(counts, actual=requested)
    cases = counts
    # For a performance without the dim of the data sets, a class is present if any of them has it.
    counts = counts.sum([dim for dim in counts.dims if dim not in array.dims]).reset_coords(
        drop=True
    )
    answers = counts.sum("actual").rename(predicted="actual")
    if "actual" in counts.coords:
        answers = answers.assign_coords(actual=counts["actual"])
    marks = xr.apply_ufunc(mark_classes, counts.sum("predicted"), answers)
    return _with_choice(cases, array, marks)


def _with_choice(counts: Any, array: xr.DataArray, marks: xr.DataArray) -> xr.DataArray:
    """Return the marks (..., actual) by the choice of classes that ``counts`` has, if any."""
    averaged = xr.DataArray(classes_in_averages(counts, array), dims="actual")
    return xr.apply_ufunc(mark_chosen, marks, averaged, names_classes(counts))
