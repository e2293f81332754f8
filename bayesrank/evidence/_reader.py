"""Evidence from tables: counts, means with their errors, or joint outcomes; no choice that matters is guessed."""

import xarray as xr

from bayesrank.evidence._cases import read_answers, read_cases, with_remarks
from bayesrank.evidence._columns import squeeze
from bayesrank.evidence._counting import read_counts, read_means
from bayesrank.evidence._forms import CASES, MEANS, find_entity, find_form, name_roles, refuse_without_entity
from bayesrank.evidence._table import Roles, Table


def read_table(table: Table, roles: Roles) -> xr.DataArray | xr.Dataset:
    """Return counts, means with their standard errors, or joint outcomes if the table has single cases.

    The attr ``remarks`` lists what was inferred, ``remarks_pooled`` what applies if data sets are pooled, one sentence
    a line.
    """
    known = name_roles(table, roles)
    entity = known.of.get("entity") or find_entity(table, known, roles)
    form = find_form(table, known, entity)
    if form is None:
        return read_answers(table, known, roles)
    table.refuse(roles, "entities", "of a table whose column entity names them")
    if entity is None:
        refuse_without_entity(table, known, form)
    known.of["entity"] = entity
    if squeeze(entity) != "entity" and roles.entity is None:
        known.remarks.append(f"The column {entity} names the entities.")
    if table.index is not None:
        raise ValueError(
            f"frame must have its names in columns; its index without a name holds {table.index!r}. If pandas read "
            "rows that are longer than the heading, columns are shifted: give every column a name in the file. Else "
            "name the index (frame.rename_axis('entity')), or drop it (frame.reset_index(drop=True))"
        )
    if not len(table.where):
        raise ValueError(f"{table.source} must have at least one row; got none")
    if form in CASES:
        return read_cases(table, known, form, roles)
    what, read = ("means", read_means) if form in MEANS else ("counts", read_counts)
    for argument in ("cluster", "case", "run", "missing", "cost"):
        table.refuse(roles, argument, f"of {what}, which hold no single cases")
    return with_remarks(read(table, known, form, roles), known.remarks)
