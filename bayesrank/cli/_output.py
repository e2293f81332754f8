"""How commands print: tables for people, without a width in a pipe."""


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
