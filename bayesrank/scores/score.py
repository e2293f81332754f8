"""A score: a number for a performance, as a function of the four cells and what is known about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.performance import as_performance, two_class_cells

__all__ = ["Score", "ratio"]

CellFunction = Callable[[Any, Any, Any, Any], Any]


@dataclass(frozen=True)
class Score:
    """A two-class score.

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
    importance: Mapping[str, float] | None = None
    domain: str = "everywhere"
    reference: str = ""

    def __call__(self, source: Any) -> xr.DataArray:
        """The score's value, without the outcome dims, all others kept; lazy if the source is."""
        # Counts are used as they are: exact integers keep exact ties.
        counts = isinstance(source, xr.DataArray) and source.dtype.kind in "iu"
        cells = two_class_cells(source if counts else as_performance(source))
        values = xr.apply_ufunc(
            self.of_cells,
            *cells.values(),
            dask="parallelized",
            output_dtypes=[np.float64],
        )
        return values.rename(self.name).assign_attrs(self._attrs())

    def of_cells(self, tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
        """The value for four arrays or numbers; NaN where it is undefined or infinite."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            cells = np.broadcast_arrays(*(np.asarray(cell, dtype=float) for cell in (tn, fp, fn, tp)))
            values = np.asarray(self.function(*cells), dtype=float)
        values = np.broadcast_to(values, cells[0].shape)
        defined = np.isfinite(values)
        return values if defined.all() else np.where(defined, values, np.nan)

    def _attrs(self) -> dict[str, Any]:
        direction = {True: "higher is better", False: "lower is better", None: "none"}[self.higher_is_better]
        return {"long_name": self.name.replace("_", " "), "direction": direction, "range": list(self.range)}


def ratio(numerator: Any, denominator: Any) -> Any:
    """Quotient, NaN where the denominator is 0.

    Examples
    --------
    >>> ratio([1.0, 1.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0)
