"""Move the long tables of a page to CSV files beside it: a page is read, and a table is looked up.

``python scripts/page_tables.py docs/measured/votes.md`` does so for a page that was edited by hand; the scripts that
write pages call ``write_page``.
"""

import csv
import re
import sys
from pathlib import Path

TABLE = re.compile(r"(?:^\|[^\n]*\|\n)+", re.MULTILINE)
LINKED = re.compile(r"^:file: (tables/\S+\.csv)$", re.MULTILINE)
CELL = re.compile(r"(?<!\\)\|")
#: Tables with more rows move to a file.
SHORT = 5


def cells(line: str) -> list[str]:
    """Return the cells of a row of a Markdown table."""
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(line.strip()[1:-1])]


def write_page(path: Path, text: str) -> None:
    """Write a page whose long tables are CSV files in the folder ``tables`` beside it."""
    folder = path.parent / "tables"
    kept = set(LINKED.findall(text))

    def move(match: re.Match[str]) -> str:
        head, _, *rows = match[0].splitlines()
        if len(rows) <= SHORT:
            return match[0]
        number = next(n for n in range(1, 100) if f"tables/{path.stem}_{n}.csv" not in kept)
        name = f"{path.stem}_{number}.csv"
        kept.add(f"tables/{name}")
        folder.mkdir(exist_ok=True)
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(cells(line) for line in [head, *rows])
        return f"```{{csv-table}}\n:file: tables/{name}\n:header-rows: 1\n```\n"

    path.write_text(TABLE.sub(move, text), encoding="utf-8")
    for old in folder.glob(f"{path.stem}_[0-9]*.csv"):
        if f"tables/{old.name}" not in kept:
            old.unlink()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_page(Path(name), Path(name).read_text(encoding="utf-8"))
