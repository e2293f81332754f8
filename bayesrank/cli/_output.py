"""How commands print: tables for people, without a width in a pipe."""

from typing import Any

from bayesrank import _format


def print_rows(header: list[str], rows: list[list[str]], numbers: bool = False) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, name in enumerate(header):
        table.add_column(name, justify="right" if numbers and i else "left", overflow="fold", no_wrap=numbers)
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False)
    # In a pipe there is no width to fit.
    Console(highlight=False, markup=False, width=console.width if console.is_terminal else 160).print(table)


def rank_header(prob: float) -> list[str]:
    """Headings of :func:`rank_cells`."""
    return ["P(best)", "E(rank)", f"{100 * prob:g}% ranks"]


def rank_cells(row: Any, size: float) -> list[str]:
    """What a ranking from draws worth ``size`` independent ones says of an entity's place: a row of its table."""
    return [
        _format.probability(row["probability_best"], size),
        _format.number(row["expected_rank"], 1),
        _format.interval(row["rank_lower"], row["rank_upper"], 0),
    ]
