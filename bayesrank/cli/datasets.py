"""``bayesrank datasets``: list the data sets that ship with the package."""

import click

import bayesrank as br
from bayesrank.cli._help import Grouped
from bayesrank.cli._output import print_text


@click.command(cls=Grouped)
def datasets() -> None:
    """List the data sets that ship with the package."""
    print_text(
        ["name", "title", "licence"],
        [
            [name, br.datasets.describe(name)["title"], br.datasets.describe(name)["licence"]]
            for name in br.datasets.names()
        ],
    )
