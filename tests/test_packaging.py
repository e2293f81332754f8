"""What is shipped: one version, and a notice of the licence of every data set."""

import re
import subprocess
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
    rows = [
        line
        for line in (DATA / "NOTICE.md").read_text("utf-8").splitlines()
        if line.startswith(f"| {file} |")
    ]
    assert len(rows) == 1


def test_the_notices_are_in_the_distribution():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert about["project"]["license-files"] == ["LICENSE", "bayesrank/datasets/data/NOTICE.md"]
    assert "MIT License" in (DATA / "NOTICE.md").read_text("utf-8")


#: Licences of the notice that ask for nothing.
FREE = ("public domain", "published facts", "unlimited (work of the U.S. government)")


def test_the_wheel_has_the_licences_that_it_declares_and_no_share_alike():
    """Each file of the wheel is code, or has a row in the notice; every licence of these is declared, and no other."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    declared = about["project"]["license"].split(" AND ")
    assert [
        licence for licence in declared if "-SA" in licence or "GPL" in licence or "-NC" in licence
    ] == []
    assert about["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": ["bayesrank"]}
    rows = re.findall(
        r"^\| (\S+) \| .* \| ([^|]+) \|$", (DATA / "NOTICE.md").read_text("utf-8"), re.MULTILINE
    )
    noticed = {file: licence.split(",")[0] for file, licence in rows if file != "file"}
    shipped = {path.name for path in DATA.iterdir()} - {"NOTICE.md", "index.toml"}
    assert set(noticed) == shipped
    assert {"Apache-2.0", *noticed.values()} - set(FREE) == set(declared)
    code = {".py", ".pyi", ".typed", ".html", ".css", ".js", ".json"}
    package = [
        path
        for path in (ROOT / "bayesrank").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert {
        path.name for path in package if path.suffix not in code and path.name != "py.typed"
    } - shipped == {
        "NOTICE.md",
        "index.toml",
    }


def test_data_outside_of_the_wheel_are_in_no_distribution():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert about["tool"]["hatch"]["build"]["targets"]["sdist"]["exclude"] == ["examples/data"]
    text = (ROOT / "examples" / "data" / "README.md").read_text("utf-8")
    files = {path.name for path in (ROOT / "examples" / "data").iterdir()} - {"README.md"}
    assert files == set(re.findall(r"^\| (\S+\.csv) \|", text, re.MULTILINE))


def test_nothing_is_installed_from_an_index_that_does_not_have_it():
    """No page, message or workflow installs a package of this name, which anybody could register."""
    command = re.compile(
        r"(?:pip3?|pipx|uv|uvx|conda|mamba|micropip|piplite)\b[^\n]{0,40}?\b(?:install|add|run|tool)\b[^\n]{0,40}?"
        r"[\s\"'(]bayesrank\b(?!/)|\buvx\s+bayesrank\b"
    )
    for bad in ('pip install bayesrank', 'pip install "bayesrank[zarr]"', 'await micropip.install("bayesrank")',
                "uv add bayesrank", "uvx bayesrank rank", "python -m pip install -q bayesrank"):  # fmt: skip
        assert command.search(bad), bad
    assert not command.search("pip install .")
    ends = {
        ".md",
        ".rst",
        ".py",
        ".ipynb",
        ".toml",
        ".yml",
        ".yaml",
        ".html",
        ".js",
        ".json",
        ".cff",
        "",
    }
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name] or list(
        (ROOT / "docs").rglob("*.md")
    )
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in paths
        if path.suffix in ends and path.is_file() and path != Path(__file__)
        for line in path.read_text("utf-8").splitlines()
        if len(line) < 2000 and command.search(line)
    ]
    assert found == []


def test_a_browser_installs_nothing_that_does_not_exist_there():
    """Pyodide has no Numba and no PyMC; without a marker, its installer would refuse the package."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = [Requirement(text) for text in about["project"]["dependencies"]]
    left_out = {
        each.name
        for each in needed
        if each.marker and not each.marker.evaluate({"sys_platform": "emscripten"})
    }
    assert left_out == {"arviz", "numba", "pymc"}
    assert all(
        each.marker is None or each.marker.evaluate({"sys_platform": "linux"}) for each in needed
    )
