"""Data frames of other packages, such as polars and pyarrow, as pandas data frames."""

from typing import Any

import pandas as pd

from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentTypeError


def as_pandas(argument: str, frame: Any) -> pd.DataFrame:
    """Return a data frame of pandas with the values of ``frame``: of polars, also lazy, of pyarrow, and the like.

    Categories of other packages become text. Raises TypeError if it is no data frame, or if
    narwhals is not installed.
    """
    if isinstance(frame, pd.DataFrame):
        return frame
    if not hasattr(frame, "columns"):
        raise ArgumentTypeError(argument, "must be a pandas DataFrame", describe_value(frame))
    try:
        import narwhals as nw
    except ImportError:
        raise ArgumentTypeError(
            argument,
            "must be a pandas DataFrame unless narwhals is installed",
            describe_value(frame),
            "'pip install narwhals', or frame.to_pandas()",
        ) from None
    wrapped = nw.from_native(frame, pass_through=True)
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect()
    if not isinstance(wrapped, nw.DataFrame):
        raise ArgumentTypeError(argument, "must be a pandas DataFrame", describe_value(frame))
    return pd.DataFrame(
        {
            name: pd.Series(held, dtype=object)
            for name, held in wrapped.to_dict(as_series=False).items()
        }
    )
