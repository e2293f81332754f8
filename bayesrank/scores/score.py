"""A score: a number for a performance, as a function of the four cells and what is known about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._evidence import in_words
from bayesrank.performance import as_performance, two_class_cells

__all__ = ["Score", "ratio"]

CellFunction = Callable[[Any, Any, Any, Any], Any]


@dataclass(frozen=True)
class Score:
    """A score of two classes, and where it has a natural form of more.

    Call it with whatever holds a performance to get its value, draw by draw, entity by entity.

    Parameters
    ----------
    name : str
        Lower-case snake case of the standard term.
    function : callable
        Of (tn, fp, fn, tp), as arrays or numbers: probabilities, or counts, which must give the same number.
        Undefined values are NaN.
    symbol : str
        As in formulas.
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
        For more than two classes: of the confusion matrix (..., actual, predicted), counts or probabilities.
    domain : str
        Where it is defined.
    reference : str
        Where it comes from.

    Examples
    --------
    >>> import bayesrank as br
    >>> misses = br.scores.Score("misses", lambda tn, fp, fn, tp: fn / (tn + fp + fn + tp), higher_is_better=False)
    >>> misses(br.from_counts(tn=80, fp=0, fn=3, tp=27)).item()
    0.02727...
    """

    name: str
    function: CellFunction = field(repr=False)
    symbol: str = ""
    formula: str = ""
    aliases: tuple[str, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool | None = True
    depends_on_prevalence: bool = True
    importance: Mapping[str, float] | None = field(default=None, hash=False)
    finite_mean: bool = True
    matrix_function: Callable[[np.ndarray], np.ndarray] | None = field(default=None, repr=False)
    domain: str = "everywhere"
    reference: str = ""

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Scores of the catalogue are copied and pickled by name: some are functions within functions."""
        from bayesrank.scores.catalog import SCORES, get

        return (get, (self.name,)) if SCORES.get(self.name) is self else super().__reduce_ex__(protocol)

    def __call__(self, source: Any) -> xr.DataArray:
        """The score's value, without the outcome dims, all others kept; lazy if the source is."""
        # Counts are used as they are: exact integers keep exact ties.
        counts = isinstance(source, xr.DataArray) and source.dtype.kind in "iu"
        performance = as_performance(source)  # which checks counts, too
        array = source if counts else performance
        lazily: dict[str, Any] = {"dask": "parallelized", "output_dtypes": [np.float64]}
        if self.matrix_function is not None and array.sizes.get("actual", 2) > 2:
            values = xr.apply_ufunc(self.matrix_function, array, input_core_dims=[["actual", "predicted"]], **lazily)
        else:
            values = xr.apply_ufunc(self.of_cells, *two_class_cells(array).values(), **lazily)
        return values.rename(self.name).assign_attrs(self.attrs())

    def of_cells(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        """The value for four arrays or numbers; NaN where it is undefined or infinite."""
        values = self.unclipped(tn, fp, fn, tp)
        defined = np.isfinite(values)
        values[~defined] = np.nan
        return values

    def unclipped(self, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
        """What the function gives for four arrays or numbers, infinities included."""
        cells = np.broadcast_arrays(*(np.asarray(cell, dtype=float) for cell in (tn, fp, fn, tp)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found = self.function(*cells)
        values, shape = np.asarray(found), cells[0].shape
        if values.dtype.kind not in "biuf":
            raise TypeError(f"score must give numbers; {self.name!r} gave {in_words(found)}")
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
            "long_name": self.name.replace("_", " "),
            "direction": direction,
            "range": list(self.range),
            "finite_mean": int(self.finite_mean),
        }


def ratio(numerator: Any, denominator: Any) -> Any:
    """Quotient, NaN where the denominator is 0.

    Examples
    --------
    >>> ratio([1.0, 1.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0)
