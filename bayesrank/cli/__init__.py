"""The command ``bayesrank``: from a table of counts to a credible ranking, a Tile, outperformance scores, a report."""

import os
import sys

import click

import bayesrank as br
from bayesrank.cli._errors import in_options, shortened
from bayesrank.cli._output import print_text
from bayesrank.cli.decide import decide
from bayesrank.cli.doctor import convert, doctor
from bayesrank.cli.ops import ops
from bayesrank.cli.rank import EXAMPLES, rank
from bayesrank.cli.scores import scores
from bayesrank.cli.sensitivity import sensitivity
from bayesrank.cli.tile import tile

__all__ = ["main"]


@click.group(epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(br.__version__, prog_name="bayesrank")
def cli() -> None:
    """Credible rankings of classifiers, diagnostic tests and detectors."""


for command in (rank, scores, tile, ops, decide, sensitivity, doctor, convert):
    cli.add_command(command)


@cli.command()
def datasets() -> None:
    """List the data sets that ship with the package."""
    print_text(
        ["name", "title", "licence"],
        [
            [name, br.datasets.describe(name)["title"], br.datasets.describe(name)["licence"]]
            for name in br.datasets.names()
        ],
    )


def main() -> None:
    """Run the command; bad input ends with exit code 2 and one line on what is wrong."""
    if sys.stderr is None:  # closed by the shell
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        _fail("standard output must be open; it is closed (> file keeps what is printed)")
    try:
        cli.main(sys.argv[1:] or ["--help"], prog_name="bayesrank", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        sys.exit(130)
    except click.ClickException as error:
        _fail(error.format_message())
    except KeyError as error:
        _fail(in_options(str(error.args[0])))
    except MemoryError as error:
        _fail(f"the memory is too small: {error or 'no more can be had'} (fewer --draws, or a coarser --resolution)")
    except (ValueError, TypeError, OSError, UnicodeError) as error:
        _fail(in_options(str(error)))


def _fail(message: str) -> None:
    click.echo(f"bayesrank: {shortened(' '.join(message.split()))}", err=True)
    sys.exit(2)
