"""The worked examples of docs/tile.md are run as they stand, and its figures are there."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tile.md"


def test_examples_run():
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) >= 12
    assert doctest.DocTestRunner().run(test).failed == 0


def test_figures_are_there_and_small():
    figures = re.findall(r"\((figures/.*?\.png)\)", PAGE.read_text(encoding="utf-8"))
    assert len(figures) == 6
    assert all(0 < (PAGE.parent / figure).stat().st_size < 150_000 for figure in figures)
