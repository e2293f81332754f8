"""The notebooks run, and what they say in print is what the code still says."""

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


QUICK = {"leaderboard", "paired_cases"}


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem not in QUICK)) for path in NOTEBOOKS],
)
def test_notebook_prints_what_it_shows(path):
    names: dict = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec("".join(cell["source"]), names)
        shown = "".join("".join(out["text"]) for out in cell["outputs"] if out["output_type"] == "stream")
        # Words hold exactly; NUTS differs between versions of PyMC, and has its own digits.
        assert re.sub(r"[\d.]+", "#", printed.getvalue()) == re.sub(r"[\d.]+", "#", shown)
        if "nuts" not in "".join(cell["source"]):
            assert printed.getvalue() == shown


def test_there_are_notebooks():
    assert NOTEBOOKS
