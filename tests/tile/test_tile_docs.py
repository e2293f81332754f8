"""The worked examples of docs/tile.md are run as they stand, its commands too, and its figures are there."""

import doctest
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from bayesrank.cli import cli

PAGE = Path(__file__).parents[2] / "docs" / "tile.md"


def test_examples_run():
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) >= 12
    assert doctest.DocTestRunner().run(test).failed == 0


def test_commands_print_what_the_page_shows():
    blocks = re.findall(
        r"^```\n\$ bayesrank (.*?)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(blocks) == 1
    for command, shown in blocks:
        result = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
        printed = [line.rstrip() for line in result.output.splitlines()]
        expected = [line.rstrip() for line in shown.splitlines() if line.strip() not in ("", "...")]
        assert len(expected) > 4
        assert [line for line in printed if line in expected] == expected


def test_figures_are_there_and_small():
    figures = re.findall(r"\((figures/.*?\.png)\)", PAGE.read_text(encoding="utf-8"))
    assert len(figures) == 6
    assert all(0 < (PAGE.parent / figure).stat().st_size < 150_000 for figure in figures)
