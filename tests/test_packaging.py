"""What is shipped: one version, and a notice of the licence of every data set."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import bayesrank as br

ROOT = Path(__file__).parents[1]
DATA = Path(br.datasets.__file__).parent / "data"


def test_the_version_is_written_once():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in about["project"]
    assert about["tool"]["hatch"]["version"]["path"] == "bayesrank/__init__.py"
    assert f"\nversion: {br.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


@pytest.mark.parametrize("file", sorted(path.name for path in DATA.glob("*.csv*")))
def test_each_file_has_a_notice_of_its_licence(file):
    rows = [line for line in (DATA / "NOTICE.md").read_text("utf-8").splitlines() if line.startswith(f"| {file} |")]
    assert len(rows) == 1
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["license"].split(" AND ")
    licence = rows[0].split("|")[3].strip().split(",")[0]
    assert licence in (*declared, "public domain", "published facts", "unlimited (work of the U.S. government)")


def test_the_notices_are_in_the_distribution():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert about["project"]["license-files"] == ["LICENSE", "bayesrank/datasets/data/NOTICE.md"]
    assert "MIT License" in (DATA / "NOTICE.md").read_text("utf-8")


def test_a_browser_installs_nothing_that_does_not_exist_there():
    """Pyodide has no Numba and no PyMC; without a marker, its installer would refuse the package."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = [Requirement(text) for text in about["project"]["dependencies"]]
    left_out = {
        each.name for each in needed if each.marker and not each.marker.evaluate({"sys_platform": "emscripten"})
    }
    assert left_out == {"arviz", "numba", "pymc"}
    assert all(each.marker is None or each.marker.evaluate({"sys_platform": "linux"}) for each in needed)
