"""A score: a number for a performance, and what is known about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_interval, describe_value
from bayesrank._checks import label_values as numbers_of
from bayesrank._labels import check_positive
from bayesrank._threads import in_threads, pieces
from bayesrank.performance import counts_or_performance, observed_counts, only_two_classes
from bayesrank.scores._against_rest import against_rest
from bayesrank.scores._display import display_name
from bayesrank.scores._forms import Area, Contour, ExactRatio

__all__ = ["SCORES", "Score", "cells_at", "log", "ratio", "values_of"]

CellFunction = Callable[[Any, Any, Any, Any], Any]
MatrixFunction = Callable[[np.ndarray, Any], np.ndarray]
OutcomeFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: The catalogue by name; :mod:`bayesrank.scores.names` fills it and finds in it.
SCORES: dict[str, "Score"] = {}
#: Numbers of tables that are scored together: 1 MB, which stays in a processor's cache; of tables of many classes, of
#: which little is left after the first step, twice as much, or they would be few.
TABLES, MANY = 2**17, 10
#: Tables of probabilities and of small counts, and the same with the classes swapped.
_SOME = np.random.default_rng(1).dirichlet([1.0] * 4, 60).reshape(-1, 2, 2)
MIRRORED = np.stack([_SOME, _SOME[:, ::-1, ::-1]])
#: Of the many scores of two classes those that a message names, and how it calls what a score is of.
USUAL = ("f1", "mcc", "informedness", "accuracy")
WORDS = {"binary": "two classes", "classes": "classes", "outcomes": "outcomes without classes"}
EVERY = xr.DataArray(np.ones(2, dtype=bool), dims="actual")


@dataclass(frozen=True)
class Score:
    """A score of two classes, of any number of classes, or of outcomes without classes.

    Call it with whatever holds a performance to get its value, draw by draw, entity by entity.

    Parameters
    ----------
    name : str
        Lower-case snake case of the standard term.
    function : callable, optional
        Of (tn, fp, fn, tp), as arrays or numbers: probabilities, or counts, which must give the same number.
        Undefined values are NaN. None: the ``matrix_function`` serves two classes as well, or there are none.
    symbol : str
        As in formulas.
    display : str
        As text and axes write it, such as "F1" or "sensitivity (TPR)"; by default it follows from the name.
    formula : str
        For people to read.
    aliases : tuple of str
        Other names.
    range : tuple of float
        Smallest and largest value; may be infinite.
    higher_is_better : bool or None
        None if the score has no direction.
    depends_on_prevalence : bool
        False if a function of TPR and TNR alone.
    importance : mapping, optional
        Importance of tn, fp, fn, tp if it is a ranking score (F Section 4.3).
    finite_mean : bool
        False for ratios whose posterior mean may be infinite: summaries use medians, and regret is undefined.
    matrix_function : callable, optional
        For more than two classes: of the confusion matrix (..., actual, predicted), counts or probabilities, and of
        which classes have cases (..., class), or True if all have; only averages over classes ask.
    outcome_function : callable, optional
        Of outcomes without classes: of counts or probabilities (..., outcome) and of the outcomes as numbers (outcome).
        It must lie between the smallest and the largest outcome.
    labels : tuple, optional
        The classes in the order that ``matrix_function`` takes them, where it treats them differently by name.
    domain : str
        Where it is defined.
    reference : str
        Where it comes from.
    complement : Score, optional
        The score that it is 1 minus.
    contour : Contour, optional
        Its contours in closed form. Those of ranking scores follow from the importance, as does what follows here.
    area : callable, optional
        Its outperformance score of a value and a prevalence (uniform reference) in closed form.
    fraction : callable, optional
        Its value, or the square of that, as a fraction of whole numbers: n, d and m of (tn, fp, fn, tp) such that it is
        n / (d m), and m is the same for all tables given.

    Examples
    --------
    >>> import bayesrank as br
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
    _forms_of: CellFunction | None = field(default=None, repr=False, compare=False)
    _display_of: str | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a string; got {describe_value(self.name)}")
        check_interval("range", self.range)
        # Closed forms are of one function: dataclasses.replace(score, function=...) must not keep them.
        stale = self._forms_of is not None and self._forms_of is not self.function
        for name in ("complement", "contour", "area", "fraction") if stale else ():
            object.__setattr__(self, name, None)
        object.__setattr__(self, "_forms_of", self.function)
        # A display name that followed from another name must not stay with dataclasses.replace(score, name=...).
        renamed = self._display_of not in (None, self.name) and self.display == display_name(str(self._display_of))
        if not self.display or renamed:
            object.__setattr__(self, "display", display_name(self.name))
        object.__setattr__(self, "_display_of", self.name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Scores of the catalogue are copied and pickled by name: some are functions within functions."""
        return (_by_name, (self.name,)) if SCORES.get(self.name) is self else super().__reduce_ex__(protocol)

    @property
    def space(self) -> str:
        """What it is a score of: ``"binary"`` (two classes), ``"classes"`` (two or more) or ``"outcomes"``."""
        if self.outcome_function is not None:
            return "outcomes"
        return "binary" if self.matrix_function is None else "classes"

    def check_space(self, sizes: Mapping[Any, int]) -> None:
        """Raise if evidence of these ``sizes`` is of another sample space than the score, and name scores that fit.

        Examples
        --------
        >>> import bayesrank as br
        >>> br.scores.f1.check_space({"entity": 3, "outcome": 2})
        Traceback (most recent call last):
        ValueError: score must be 'mean_outcome' for outcomes, which have no classes; got 'f1'...
        """
        if "outcome" in sizes:
            fit, what = ["outcomes"], "outcomes, which have no classes"
        else:
            classes = sizes.get("actual", 2)
            fit, what = ["classes"] + ["binary"] * (classes == 2), f"{classes} classes"
        if self.space in fit:
            return
        names = USUAL if "binary" in fit else [name for name, score in SCORES.items() if score.space in fit]
        some = ", ".join(map(repr, names)) + " or another of br.scores.catalog()" * ("binary" in fit)
        averages = " (or an average over classes such as 'macro_f1', or br.one_vs_rest first)" * (fit == ["classes"])
        raise ValueError(
            f"score must be {some}{averages} for {what}; got {self.name!r}, a score of {WORDS[self.space]}"
        )

    def __call__(self, source: Any, kind: str | None = None) -> xr.DataArray:
        """The score's value, without the outcome dims, all others kept; lazy if the source is.

        ``kind`` says which performance of a posterior over several data sets, as in :func:`bayesrank.as_performance`.
        """
        return values_of([self], source, kind)[0]

    def of_tables(self, tables: np.ndarray, present: Any = True) -> np.ndarray:
        """The value of each of many tables (..., actual, predicted), some at a time; NaN where it is undefined.

        ``present`` says of matrices which classes (..., class) take part in an average; True means all.

        Examples
        --------
        >>> import bayesrank as br
        >>> br.scores.macro_f1.of_tables(np.array([[[5, 1, 0], [2, 7, 1], [0, 0, 4]]])).round(4).tolist()
        [0.812]
        """
        return _of_tables([self], tables, present)[0]

    def of_cells(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        """The value for four arrays or numbers; NaN where it is undefined or infinite.

        Examples
        --------
        >>> import bayesrank as br
        >>> br.scores.ppv.of_cells(tn=[70, 80], fp=[10, 0], fn=[9, 30], tp=[21, 0]).round(4).tolist()
        [0.6774, nan]
        """
        return _finite(self.unclipped(tn, fp, fn, tp))

    def unclipped(self, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
        """What the function gives for four arrays or numbers, infinities included."""
        cells = np.broadcast_arrays(*(np.asarray(cell, dtype=float) for cell in (tn, fp, fn, tp)))
        shape = cells[0].shape
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.function is not None:
                found = self.function(*cells)
            elif self.space == "outcomes":
                raise ValueError(
                    f"score must be of two classes here; got {self.name!r}, a score of {WORDS[self.space]}"
                )
            elif self.labels is not None and len(self.labels) != 2:
                raise ValueError(f"score must be of two classes here; got {self.name!r} of {list(self.labels)}")
            else:
                matrix = np.stack(cells, axis=-1).reshape(*shape, 2, 2)
                found = self._of_matrix(shape, lambda: matrix, True, partial(against_rest, matrix))
        values = np.asarray(found)
        if values.dtype.kind not in "biuf":
            raise TypeError(f"score must give numbers; {self.name!r} gave {describe_value(found)}")
        if values.shape not in ((), shape):
            raise ValueError(
                f"score must give one number for each table, shape {shape}; {self.name!r} gave {values.shape}"
            )
        # A copy: a constant would be a read-only view, and a function that gives a cell back would hand out its source.
        return np.array(np.broadcast_to(values, shape), dtype=float)

    def attrs(self) -> dict[str, Any]:
        """What values of the score carry with them: its long name, direction, range, whether its mean is finite."""
        direction = {True: "higher is better", False: "lower is better", None: "none"}[self.higher_is_better]
        return {
            "long_name": self.display,
            "direction": direction,
            "range": list(self.range),
            "finite_mean": int(self.finite_mean),
        }

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether the value does not change when two classes are swapped, so that neither has to be the positive one.

        Found by computing it of tables and of their mirror images. A score that finds its classes by name needs none.

        Examples
        --------
        >>> import bayesrank as br
        >>> br.scores.mcc.is_symmetric, br.scores.f1.is_symmetric, br.scores.macro_f1.is_symmetric
        (True, False, True)
        """
        if self.labels is not None or self.space == "outcomes":
            return True
        values = self.of_tables(MIRRORED)
        return bool(np.allclose(values[0], values[1], rtol=1e-9, atol=1e-12, equal_nan=True))

    def check_classes(self, array: xr.DataArray) -> None:
        """Raise if the score changes when the classes are swapped, and none of two is known to be the positive one."""
        if array.sizes.get("actual") == 2 and not self.is_symmetric:
            check_positive(array, self.name)

    def _takes_matrix(self, classes: int) -> bool:
        return self.matrix_function is not None and (classes > 2 or self.function is None)

    def _of_matrix(
        self, shape: tuple[int, ...], matrix: Callable[[], np.ndarray], present: Any, rest: Callable[[bool], Any]
    ) -> np.ndarray:
        """Of tables (..., actual, predicted) of a ``shape`` (...), told as they are or, by ``rest``, class by class."""
        function: Any = self.matrix_function
        if function is None:
            raise TypeError(f"score must have a function of cells or of matrices; {self.name!r} has none")
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if hasattr(function, "of_rest"):
                found = np.array(function.of_rest(rest(function.needs_tn), present), dtype=float)
            else:
                found = np.array(function(matrix(), present), dtype=float)
        if found.shape != shape:
            raise ValueError(
                f"score must give one number for each table, shape {shape}; {self.name!r} gave {found.shape}"
            )
        return _finite(found)


def values_of(scores: Sequence[Score], source: Any, kind: str | None = None) -> list[xr.DataArray]:
    """The values of scores of one source, which is found, checked and gone through once: see ``Score.__call__``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27)
    >>> [values.item() for values in values_of([br.scores.tpr, br.scores.tnr], counts)]
    [0.9, 1.0]
    """
    array = counts_or_performance(source, kind)
    for score in scores:
        score.check_space(array.sizes)
    if "outcome" in array.dims:
        return [_of_outcomes(score, array) for score in scores]
    groups: dict[Any, tuple[xr.DataArray, list[int]]] = {}
    for i, score in enumerate(scores):
        score.check_classes(array)
        matrix = score._takes_matrix(array.sizes.get("actual", 2))
        if not matrix:
            only_two_classes(array)
        here = _with_classes(array, score) if matrix else array
        groups.setdefault((matrix, matrix and score.labels), (here, []))[1].append(i)
    found: list[Any] = [None] * len(scores)
    for (matrix, _), (here, places) in groups.items():
        present = _classes_with_cases(source, here) if matrix else EVERY
        lazy, some = here.chunks is not None, [scores[i] for i in places]
        if lazy:
            here = here.chunk({"actual": -1, "predicted": -1})  # a table is scored as a whole
        if not lazy and _has_labels_of(present, here):
            values = _in_memory(some, here, present)
        else:
            dims = [["actual", "predicted"], ["actual"]]
            lazily: dict[str, Any] = {"dask": "parallelized", "output_dtypes": [np.float64]}
            values = [xr.apply_ufunc(score.of_tables, here, present, input_core_dims=dims, **lazily) for score in some]
        for i, score, own in zip(places, some, values, strict=True):
            own.name, found[i] = score.name, own
            own.attrs = own.attrs | score.attrs()
    return found


def _of_outcomes(score: Score, array: xr.DataArray) -> xr.DataArray:
    """The value of a score of outcomes, which are the labels of ``outcome``; its range is that of these outcomes."""
    numbers = numbers_of(array["outcome"].values) if "outcome" in array.coords else None
    if numbers is None:
        held = array["outcome"].values.tolist() if "outcome" in array.coords else "no labels"
        raise ValueError(f"source must have outcomes that are numbers for {score.name}; got {held}")
    function: Any = score.outcome_function
    array = array if array.chunks is None else array.chunk({"outcome": -1})
    lazily: dict[str, Any] = {"dask": "parallelized", "output_dtypes": [np.float64]}
    found = xr.apply_ufunc(
        lambda tables: function(tables, numbers), array, input_core_dims=[["outcome"]], **lazily
    ).rename(score.name)
    return found.assign_attrs(score.attrs() | {"range": [float(numbers.min()), float(numbers.max())], "finite_mean": 1})


def _in_memory(scores: Sequence[Score], array: xr.DataArray, present: xr.DataArray) -> list[xr.DataArray]:
    """Values of scores of an array in memory: the labels once, at the end, or they take longer than the numbers."""
    tables = array.variable.transpose(..., "actual", "predicted")
    classes = present.variable.set_dims({d: tables.sizes[d] for d in (*tables.dims[:-2], "actual")})
    frame = array.isel(actual=0, predicted=0, drop=True)
    return [frame.copy(deep=False, data=values) for values in _of_tables(scores, tables.data, classes.data)]


def _of_tables(scores: Sequence[Score], tables: np.ndarray, present: Any) -> list[np.ndarray]:
    """The values of scores, all of which take a matrix or none does; what they have in common is computed once."""
    matrix = scores[0]._takes_matrix(tables.shape[-1])
    lead = tables.shape[:-2]
    found = [np.empty(lead) for _ in scores]
    present = np.broadcast_to(present, (*lead, tables.shape[-1]))

    def fill(piece: tuple[slice, ...]) -> None:
        part = tables[piece]

        @cache
        def by_cell() -> np.ndarray:
            """Cell by cell, so that every step of a formula runs along many tables."""
            return np.ascontiguousarray(np.moveaxis(part, (-2, -1), (0, 1)))

        def whole() -> np.ndarray:
            return np.moveaxis(by_cell(), (0, 1), (-2, -1))

        rest = cache(partial(against_rest, part))
        for values, score in zip(found, scores, strict=True):
            if matrix:
                values[piece] = score._of_matrix(part.shape[:-2], whole, present[piece], rest)
            else:
                cells = by_cell()
                values[piece] = score.of_cells(cells[0, 0], cells[0, 1], cells[1, 0], cells[1, 1])

    together = TABLES * (1 + (tables.shape[-1] >= MANY))
    in_threads(fill, pieces(lead, max(together // max(tables.shape[-1] ** 2, 1), 1)))
    return found


def ratio(numerator: Any, denominator: Any) -> Any:
    """Quotient, NaN where the denominator is 0.

    Examples
    --------
    >>> ratio([1.0, 1.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0)


def log(values: Any) -> Any:
    """Natural logarithm, NaN where there is none.

    Examples
    --------
    >>> log([1.0, 0.0]).tolist()
    [0.0, nan]
    """
    values = np.asarray(values, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(values)  # of all, which is quicker than of some
    return np.where(values > 0, found, np.nan)


def cells_at(fpr: Any, tpr: Any, prevalence: Any) -> tuple[Any, Any, Any, Any]:
    """Probabilities of tn, fp, fn, tp at rates and a prevalence.

    Examples
    --------
    >>> cells_at(0.25, 0.5, 0.5)
    (0.375, 0.125, 0.25, 0.25)
    """
    return (1 - prevalence) * (1 - fpr), (1 - prevalence) * fpr, prevalence * (1 - tpr), prevalence * tpr


def _by_name(name: str) -> Score:
    return SCORES[name]


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _with_classes(array: xr.DataArray, score: Score) -> xr.DataArray:
    """The array after a check of its classes, which are put in the score's order if it has one."""
    sizes = {dim: array.sizes.get(dim) for dim in ("actual", "predicted")}
    if sizes["actual"] != sizes["predicted"]:
        raise ValueError(f"source must have the same classes on actual and predicted for {score.name}; got {sizes}")
    if "label" in array.dims and score.function is None:
        raise ValueError(
            f"source must not have been put one class against the rest for {score.name}, which does so itself; "
            f"got the dims {array.dims}"
        )
    labels = {dim: array[dim].values.tolist() for dim in sizes if dim in array.coords}
    if len({tuple(names) for names in labels.values()}) > 1:
        raise ValueError(f"source must have the same classes on actual and predicted for {score.name}; got {labels}")
    if score.labels is None:
        return array
    for dim, size in sizes.items():
        wanted = list(score.labels)
        if size != len(wanted) or set(labels.get(dim, wanted)) != set(wanted):
            raise ValueError(f"source must have the classes of the score on {dim}, {wanted}; got {labels or size}")
        array = array.sel({dim: wanted}) if dim in labels else array
    return array


def _classes_with_cases(source: Any, array: xr.DataArray) -> xr.DataArray:
    """Which classes have cases (..., actual), where that is known; of the others only a prior speaks."""
    counts = observed_counts(source)
    if counts is None:
        return xr.DataArray(np.ones(array.sizes["actual"], dtype=bool), dims="actual")
    if "actual" in counts.coords and "actual" in array.coords:
        wanted = array["actual"].values
        if counts["actual"].values.tolist() != wanted.tolist():
            counts = counts.sel(actual=wanted)
    # Of a performance without the dim of the data sets, a class is that occurs in any of them.
    cases = counts.sum(["predicted", *(dim for dim in counts.dims if dim not in array.dims)])
    return (cases > 0).reset_coords(drop=True)


def _has_labels_of(present: xr.DataArray, array: xr.DataArray) -> bool:
    """Whether dims and labels are those of the array, so that they need not be aligned."""
    return all(
        present.sizes[d] == array.sizes.get(d)
        and (d not in present.coords or d not in array.coords or bool((present[d].values == array[d].values).all()))
        for d in present.dims
    )
