"""Write the reports of the Start pages and of leaderboards by the commands on these pages, into a folder of the site.

Run: python scripts/make_reports.py [PAGE ...]
"""

import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from bayesrank.cli import cli

ROOT = Path(__file__).parents[1]
PAGES, FOLDER = ROOT / "docs" / "start", ROOT / "docs" / "_build" / "extra" / "reports"
BOARDS = ROOT / "docs" / "learn" / "leaderboards.md"
#: A leaderboard: its picture and its command, if it has one without a Markov chain, which would take minutes.
BOARD = re.compile(
    r"/leaderboard_(\w+)\.png\)[^!]*?^bayesrank rank ((?!.*crossed)[^\n]*)$", re.MULTILINE
)
#: Options of "bayesrank rank" that a report does not have, with their value.
NOT_IN_REPORTS = re.compile(r" --(?:top|digits|columns|format) \S+| --notes")
sys.path.insert(0, str(ROOT))
from tests import pages  # noqa: E402


def report_of(text: str, path: Path) -> bool:
    """Write the files of a page into the working directory, and its report; return whether it has a command for one."""
    names: dict = {}
    if not (
        found := re.search(
            r"^\$ bayesrank rank ([^\n]*)$|br\.ranking_report\(.*?```",
            text,
            re.DOTALL | re.MULTILINE,
        )
    ):
        return False
    end = found.end() if found[1] is None else found.start()
    for kind, file, source in pages.blocks(text[:end]):
        if kind == "csv":
            Path(file).write_text(source, encoding="utf-8")
        elif kind.endswith("python") and ">>>" in source:
            names = pages.run_doctest(source, names, path, sampled=True)
    if found[1] is None:  # the page itself writes a report
        shutil.copy("report.html", path)
        return True
    write(found[1], path)
    return True


def write(options: str, path: Path) -> None:
    """Write the report of the options of "bayesrank rank"."""
    arguments = shlex.split(NOT_IN_REPORTS.sub("", options))
    result = CliRunner().invoke(
        cli, ["report", *arguments, "-o", str(path)], catch_exceptions=False
    )
    assert result.exit_code == 0, (options, result.output)


def main(only: tuple[str, ...] = ()) -> None:
    """Write the report of each page and leaderboard, or of some."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for page in sorted(PAGES.glob("*.md")):
        if not only or page.stem in only:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                Path("examples").symlink_to(
                    ROOT / "examples"
                )  # data that a page names by its path in the checkout
                report_of(page.read_text(encoding="utf-8"), FOLDER / f"{page.stem}.html")
                os.chdir(ROOT)
    for name, options in BOARD.findall(BOARDS.read_text(encoding="utf-8")):
        if not only or f"leaderboard_{name}" in only:
            write(options, FOLDER / f"leaderboard_{name}.html")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
