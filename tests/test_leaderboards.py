"""The page of six leaderboards: its text is that of its numbers, and its numbers are those of the package."""

import json
import sys
from pathlib import Path

import pytest

from tests.scripts import load_script

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(SCRIPTS))  # the script imports its neighbour
    try:
        yield load_script("scripts/make_leaderboards_page.py")
    finally:
        sys.path.remove(str(SCRIPTS))


def test_the_page_is_made_of_the_numbers(script):
    found = json.loads(script.NUMBERS.read_text(encoding="utf-8"))
    assert list(found) == list(script.BOARDS)
    assert script.PAGE.read_text(encoding="utf-8") == script.page(found)
    for name in found:
        assert (script.FIGURES / f"leaderboard_{name}.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "name",
    [
        "tools",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("antibody", "arena", "livecodebench")
        ),
    ],
)
def test_the_numbers_are_those_of_the_package(script, name):
    found = json.loads(script.NUMBERS.read_text(encoding="utf-8"))[name]
    assert script.numbers_of(script.BOARDS[name], script.BOARDS[name].rank()) == found
