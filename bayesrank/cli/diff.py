"""``bayesrank diff``: what changed between two boards, and whether the rank sets support it."""

import click
import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import STDIN, guard, read_unpacked
from bayesrank.cli._export import Export, Sheet, format_option
from bayesrank.cli._help import Grouped
from bayesrank.words.changes import Changes, compare_boards, parse_board

EXAMPLES = """
\b
Example:
  bayesrank rank may.csv --format board > may.json
  bayesrank rank june.csv --format board > june.json
  bayesrank diff may.json june.json
"""

ENDS = ("old", "new")


@click.command(cls=Grouped, epilog=EXAMPLES)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@format_option()
def diff(old: str, new: str, format: str) -> None:
    """Compare two boards of 'bayesrank rank --format board': entities, cases and ranks that changed.

    Ranks are compared among the entities of both boards. A change of an entity's
    rank is supported if its old and its new rank set do not overlap.
    """
    changes = compare_boards(*(parse_board(_read(path), path) for path in (old, new)))
    frame = changes.table.convert_dtypes()
    record = {"sentences": changes.sentences}
    Export(format).show(Sheet(*_cells(changes), changes.sentences, frame, record, name="entities"))


def _read(path: str) -> str:
    name = STDIN if path == "-" else path
    with guard(name):
        try:
            return read_unpacked(path).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ArgumentError(name, "must be text in UTF-8") from None


def _cells(changes: Changes) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows; ranks among the entities of both boards stand apart where the boards hold others."""
    rows = []
    alike = not changes.table["change"].isin(["added", "removed"]).any()
    for name, row in changes.table.iterrows():
        ranks = [
            "" if pd.isna(row[f"rank_{end}"]) else f"{row[f'rank_{end}']:.0f} ({row[f'rank_lower_{end}']:.0f} to "
            f"{row[f'rank_upper_{end}']:.0f})" for end in ENDS
        ]  # fmt: skip
        supported = "" if row["supported"] is None else "yes" if row["supported"] else "no"
        cases = [
            "" if pd.isna(row[f"cases_{end}"]) else f"{row[f'cases_{end}']:,.0f}" for end in ENDS
        ]
        common = [
            "" if pd.isna(row[f"common_rank_{end}"]) else f"{row[f'common_rank_{end}']:.0f}"
            for end in ENDS
        ]
        rows.append(
            [str(name), str(row["change"]), supported, *([] if alike else common), *ranks, *cases]
        )
    among = [] if alike else ["old rank among both", "new rank among both"]
    header = [
        "entity",
        "change",
        "supported",
        *among,
        "old rank (set)",
        "new rank (set)",
        "old cases",
        "new cases",
    ]
    return header, rows
