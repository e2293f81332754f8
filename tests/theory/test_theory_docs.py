"""The worked examples of docs/theory are run as they stand."""

import doctest
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "theory").glob("*.md"))
PAGES = [page for page in PAGES if page.stem != "index"]


def test_there_are_pages():
    assert {page.stem for page in PAGES} >= {"any-task", "audit", "averages", "order"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > 0
    assert result.attempted > 0
    assert result.failed == 0
