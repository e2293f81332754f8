"""Build the source distribution and the wheel, and rank with the wheel in an empty environment of each Python.

Run: python scripts/check_wheel.py [--python python3.11 --python python3.13] [-o dist]

Without --python, the running Python is used. The script fails if a step fails, if the two ways to the wheel differ, or
if the first ranking takes more than a minute. Installing needs a package index.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Seconds that the first ranking may take.
LIMIT = 60
#: Arguments of the command: the ranking that the page on installing shows.
JOB = ("rank", "antibody_tests", "--score", "informedness", "--top", "5")
#: What the wheel must do in Python: import no test, and know its entry points.
PYTHON = """
import importlib.metadata, importlib.util, bayesrank
assert bayesrank.__version__ == importlib.metadata.version("bayesrank")
found = {(point.group, point.name) for point in importlib.metadata.distribution("bayesrank").entry_points}
assert found == {("console_scripts", "bayesrank"), ("inspect_ai", "bayesrank"), ("pytest11", "bayesrank")}, found
assert importlib.util.find_spec("tests") is None
"""


def run(*command: str | Path, folder: Path | None = None) -> str:
    """Run a command and return what it prints; exit with its output if it fails."""
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path, output: Path) -> tuple[Path, Path]:
    """Build both distributions, and the wheel also from the source distribution; return their paths."""
    tools = folder / "tools"
    venv.create(tools, with_pip=True)
    python = tools / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "hatchling>=1.27")
    run(python, "-m", "hatchling", "build", "-d", output, folder=ROOT)
    [source], [wheel] = output.glob("bayesrank-*.tar.gz"), output.glob("bayesrank-*.whl")
    run(
        python,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder / "again",
        source,
    )
    [again] = (folder / "again").glob("*.whl")
    if (first := contents(wheel)) != (second := contents(again)):
        sys.exit(
            f"The wheel of the source distribution differs: {sorted(set(first.items()) ^ set(second.items()))[:9]}"
        )
    return source, wheel


def contents(wheel: Path) -> dict[str, int]:
    """Return the checksum of each file of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename: info.CRC for info in archive.infolist()}


def check_metadata(wheel: Path) -> None:
    """Check what a package index shows of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        about = message_from_string(archive.read(name).decode())
        lost = [
            file
            for file in about.get_all("License-File", [])
            if not any(file in held for held in archive.namelist())
        ]
    for key in (
        "Name",
        "Version",
        "Summary",
        "License-Expression",
        "Requires-Python",
        "Description-Content-Type",
    ):
        if not about[key]:
            sys.exit(f"The wheel has no {key}.")
    if lost:
        sys.exit(f"The wheel lacks the licence files {lost}.")


def rank(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment of a Python, and rank there."""
    place = folder / f"env-{Path(python).name}"
    run(python, "-m", "venv", place)
    began = time.monotonic()
    run(place / "bin" / "python", "-m", "pip", "install", "--quiet", wheel)
    installed = time.monotonic()
    printed = run(place / "bin" / "bayesrank", *JOB, folder=folder)
    ranked = time.monotonic()
    if "P(best)" not in printed:
        sys.exit(f"No ranking:\n{printed}")
    run(place / "bin" / "python", "-c", PYTHON, folder=folder)
    named = run(place / "bin" / "python", "--version").strip()
    print(
        f"{named}: installed in {installed - began:.0f} s, first ranking in {ranked - installed:.0f} s."
    )
    if ranked - installed > LIMIT:
        sys.exit(f"The first ranking took more than {LIMIT} s.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--python", action="append", help="A Python to install the wheel into; may be repeated."
    )
    parser.add_argument(
        "-o", "--output", type=Path, help="The folder of the distributions; it must be empty."
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        output = (given.output or folder / "dist").resolve()
        output.mkdir(parents=True, exist_ok=True)
        if any(output.iterdir()):
            sys.exit(f"{output} is not empty.")
        source, wheel = build(folder, output)
        check_metadata(wheel)
        for path in (source, wheel):
            print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
        for python in given.python or [sys.executable]:
            rank(python, wheel, folder)


if __name__ == "__main__":
    main()
