"""The command ``bayesrank``: from tables or evaluation logs to a credible ranking, a Tile, a decision or a report."""

import atexit
import gc
import os
import pkgutil
import signal
import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from bayesrank import __version__
from bayesrank._core.errors import Advice, ArgumentError, InPython, Typed
from bayesrank._core.escape import escape_invisible, quote_word
from bayesrank.cli._sink import STAGE, print_error

__all__ = ["main"]

#: Arguments of the package that hold the data.
DATA = ("data", "evidence", "counts", "frame", "source")
#: What needs less memory, by the name of the option.
REMEDIES = {"draws": "fewer --draws", "resolution": "a coarser --resolution"}
#: The longest word of a message, such as a name of the file, and the longest message.
LONGEST_WORD, LONGEST_MESSAGE = 300, 2400
EXAMPLES = """
\b
Examples:
  bayesrank rank antibody_tests --score informedness
  bayesrank rank counts.csv --score f1 --rope 0.01
  bayesrank rank breast_cancer --ask "logreg > knn5" --ask "rf in top 3"
  bayesrank COMMAND --help
"""


class Commands(click.Group):
    """Commands found by the names of their modules, each imported only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [
            found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        return getattr(import_module(f"bayesrank.cli.{cmd_name}"), cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        commands = self.list_commands(ctx)
        if args and args[0] not in commands and not args[0].startswith("-"):
            near = get_close_matches(args[0], commands, n=1)
            hint = (
                f"Did you mean {near[0]!r}?" if near else f"The commands are {', '.join(commands)}."
            )
            raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary_of(name)) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ArgumentError as error:
            command = self.get_command(ctx, str(ctx.invoked_subcommand))
            if command is None:
                raise
            raise in_options(error, command) from error
        except MemoryError as error:
            command = self.get_command(ctx, str(ctx.invoked_subcommand))
            options = {one.name for one in command.params} if command is not None else set()
            remedies = [
                words
                for name, words in REMEDIES.items()
                if name in options and ctx.meta.get(STAGE) != "reading"
            ]
            remedies += [
                "fewer cases or entities in DATA, or the counts of their outcomes instead of single cases"
            ]
            raise MemoryError(
                f"{str(error) or 'no more can be had'} ({', or '.join(remedies)})"
            ) from None


def _summary_of(command: str) -> str:
    """Return what a command does: the first line of its module's docstring, behind the colon."""
    with (Path(__file__).parent / f"{command}.py").open(encoding="utf-8") as source:
        text = source.readline().partition(": ")[2].strip().rstrip('"')
    return text[:1].upper() + text[1:]


def in_options(error: ArgumentError, command: click.Command) -> ArgumentError:
    """Return an error as the command prints it: arguments are options, and advice for Python is left out.

    The options of ``command`` have the names of the arguments that they set.
    """
    options = dict.fromkeys(DATA, "DATA")
    options |= {
        str(one.name): one.opts[-1] for one in command.params if isinstance(one, click.Option)
    }
    options.setdefault(
        "paths", "PATHS" if any(one.name == "paths" for one in command.params) else "DATA"
    )
    # One of several values is called by the singular.
    for name in [one.name for one in command.params if getattr(one, "multiple", False)]:
        options.setdefault(str(name).removesuffix("s"), options[str(name)])
    translated = (_translate(text, options) for text in (error.wanted, error.got, error.hint))
    return ArgumentError(options.get(error.argument, error.argument), *translated)


def _translate(text: str, options: dict[str, str]) -> str:
    """Return words with options instead of the arguments that the package wrote; names of users stay as they are."""
    if not isinstance(text, Advice):
        return "" if isinstance(text, InPython) else text
    return "".join(_translate_part(part, options) for part in text.parts)


def _translate_part(part: str | Typed, options: dict[str, str]) -> str:
    if isinstance(part, Typed):
        if part.name not in options:
            return str(part)
        return (
            options[part.name]
            if part.value is None
            else f"{options[part.name]} {quote_word(str(part.value))}"
        )
    return "" if isinstance(part, InPython) else part


def shorten(message: str) -> str:
    """Return a message on one line that cuts long quotations."""
    words = (
        f"{word[:LONGEST_WORD]}..." if len(word) > LONGEST_WORD + 3 else word
        for word in message.split(" ")
    )
    return _cut_middle(escape_invisible(" ".join(words)), LONGEST_MESSAGE)


def _cut_middle(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size // 2]} ... {text[-size // 2 :]}"


@click.command(
    cls=Commands,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="bayesrank")
def cli() -> None:
    """Credible rankings of classifiers, diagnostic tests and detectors."""


def main() -> None:
    """Run the command. The package's refusals end with exit code 2 and one line, Ctrl-C with exit code 130.

    A signal to end or to hang up ends with exit code 143 or 129.

    Any other exception is a bug: it ends with exit code 70, its traceback, and a request to report
    it.
    """
    if sys.stderr is None:  # closed by the shell
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        _fail("standard output must be open; it is closed (> file keeps what is printed)")
    if "xarray" not in sys.modules:
        # The command computes in memory; where Dask is installed, xarray would import it with the
        # first array.
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]
    # A command lives for seconds: what it imports is not searched for garbage again and again, nor at the end.
    usual = gc.get_threshold()
    gc.set_threshold(1_000_000)
    atexit.register(gc.freeze)
    for name in ("SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    try:
        status = cli.main(sys.argv[1:] or ["--help"], prog_name="bayesrank", standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        print_error("bayesrank: interrupted")
        sys.exit(130)
    except click.ClickException as error:
        _fail(" ".join(error.format_message().split()))
    except MemoryError as error:
        _fail(f"the memory is too small: {error}")
    except ArgumentError as error:
        _fail(str(error))
    except Exception as error:
        if sys.platform == "emscripten" and isinstance(error, ModuleNotFoundError):
            _fail(
                f"a browser has no {error.name}, which this needs: use an installed package (pip install .)"
            )
        print_error(traceback.format_exc())
        print_error(
            f"bayesrank {__version__}: this is a bug; please report it with the command and the lines above"
        )
        sys.exit(70)
    finally:
        gc.set_threshold(*usual)
    if isinstance(status, int):  # of a command with a result for programs
        sys.exit(status)


def _end(number: int, frame: Any) -> None:
    """End by the exit code of a signal, after temporary folders are removed."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _fail(message: str) -> None:
    print_error(f"bayesrank: {shorten(message)}")
    sys.exit(2)
