"""The worked examples of docs/predictive.md are run as they stand."""

import doctest
from pathlib import Path


def test_page():
    page = Path(__file__).parents[2] / "docs" / "predictive.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0
