"""The worked examples of docs/ops.md are run as they stand."""

import doctest
from pathlib import Path


def test_examples_run():
    page = Path(__file__).parents[2] / "docs" / "ops.md"
    failed, run = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE, encoding="utf-8"
    )
    assert run >= 15
    assert failed == 0
