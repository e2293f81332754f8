"""The command ``bayesrank``: from a table of counts to a credible ranking, a Tile, outperformance scores, a report."""

import sys
from typing import Any

__all__ = ["main"]


def main() -> None:
    """Run the command; Ctrl-C ends it with one line and exit code 130, also while it is being loaded."""
    try:
        from bayesrank.cli._command import run

        run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("bayesrank: interrupted", file=sys.stderr)
        sys.exit(130)


def __getattr__(name: str) -> Any:
    if name == "cli":
        from bayesrank.cli._command import cli

        return cli
    raise AttributeError(f"module 'bayesrank.cli' has no attribute {name!r}")
