"""Files that the command reads, and their help text. The reader of evidence interprets the columns."""

import textwrap
from collections.abc import Sequence
from typing import Any

import xarray as xr

from bayesrank.cli._table import read_csv
from bayesrank.evidence._columns import squeeze
from bayesrank.evidence._forms import FORMS
from bayesrank.evidence._reader import read_table
from bayesrank.evidence._table import Roles

#: Columns and their meanings, in lines of a terminal.
HELP = "\n".join(
    textwrap.fill(words, 80, initial_indent=f"  {'entity, ' + ', '.join(form):34}", subsequent_indent=" " * 36)
    for form, words in FORMS.items()
)


def read_evidence(path: str, ignore: Sequence[str] = (), **roles: Any) -> xr.DataArray | xr.Dataset:
    """Return counts from a file of counts, joint outcomes from one of single cases, as ``br.from_frame`` does.

    ``roles`` are the arguments of ``br.from_frame``.
    """
    roles_of_columns = Roles(**roles)
    for role, column in roles_of_columns.columns().items():
        if squeeze(column) in map(squeeze, ignore):
            raise ValueError(f"--{role} must name a column that --ignore does not leave out; got {column!r} in both")
    return read_table(read_csv(path, ignore), roles_of_columns)
