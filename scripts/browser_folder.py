"""Write the page that ranks in the browser as a folder of files, which any web server can serve.

Run: python scripts/browser_folder.py -o FOLDER [--pyodide PYODIDE]

PYODIDE is an unpacked distribution of Pyodide, of the version in docs/conf.py. Its files are copied as far as the page
needs them, each one checked against the checksum in its lock file; the page then loads nothing from elsewhere. Without
it, the page loads Pyodide from its public address. To try the page: python -m http.server -d FOLDER
"""

import argparse
import hashlib
import json
import re
import shutil
import sys
from html import escape
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
#: What Python itself needs; pyodide-lock.json lists the packages.
RUNTIME = (
    "pyodide.js",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="bayesrank">
<title>Rank a table</title>
<style>
{style}
</style>
</head>
<body>
<main>
<h1>Rank a table</h1>
<p>Drop a file with the counts of your models or tests, or paste them, and choose a score. Python runs inside your
browser: your data stay on this page, and nothing is sent.</p>
{form}
</main>
<script src="static/browser.js" data-pyodide="{pyodide}"></script>
</body>
</html>
"""
#: The colours that site.css takes from the theme of the site, and the frame of the page.
STYLE = """:root { color-scheme: light dark; --pst-color-text-base: #1b1f24; --pst-color-text-muted: #56616b;
  --pst-color-surface: #f5f7f9; --pst-color-border: #d9dee3; --pst-color-primary: #0069a6;
  --pst-color-primary-text: #fff; --pst-color-danger: #b3261e; --paper: #fff;
  --pst-font-family-monospace: ui-monospace, monospace; }
@media (prefers-color-scheme: dark) { :root { --pst-color-text-base: #e6e9ec; --pst-color-text-muted: #a8b2bc;
  --pst-color-surface: #1d262e; --pst-color-border: #363e46; --pst-color-primary: #6bbdf2;
  --pst-color-primary-text: #14181c; --pst-color-danger: #ff8a80; --paper: #14181c; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: var(--pst-color-text-base); background: var(--paper); }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
pre { overflow-x: auto; }"""


def load_extension() -> ModuleType:
    """Return the extension of the site that writes the archive of the package."""
    spec = spec_from_file_location("browser", DOCS / "_ext" / "browser.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_settings() -> tuple[str, list[str]]:
    """Return the address of Pyodide in docs/conf.py, and the packages that the script loads from it."""
    [address] = re.findall(r'"(https://\S*/v[\d.]+/full/)"', (DOCS / "conf.py").read_text("utf-8"))
    [needed] = re.findall(
        r"const NEEDED = (\[.*?\]);", (DOCS / "_static" / "browser.js").read_text("utf-8")
    )
    return address, json.loads(needed)


def packages_of(lock: dict[str, Any], wanted: list[str]) -> dict[str, str]:
    """Return the files of packages and of all that they depend on, with their checksums."""
    found: dict[str, str] = {}
    left = list(wanted)
    while left:
        about = lock["packages"][left.pop()]
        if about["file_name"] not in found:
            found[about["file_name"]] = about["sha256"]
            left += about["depends"]
    return found


def copy_pyodide(source: Path, target: Path, version: str, wanted: list[str]) -> None:
    """Copy what the page needs of a distribution of Pyodide; exit if a file is not the one of its lock file."""
    missing = [name for name in RUNTIME if not (source / name).is_file()]
    if missing:
        sys.exit(
            f"{source} must contain an unpacked distribution of Pyodide; it has no {missing[0]}."
        )
    lock = json.loads((source / "pyodide-lock.json").read_text("utf-8"))
    if lock["info"]["version"] != version:
        sys.exit(
            f"{source} must be of version {version}, with which the page was tried; it is {lock['info']['version']}."
        )
    files = packages_of(lock, wanted)
    target.mkdir()
    for name in (*RUNTIME, *files):
        if not (source / name).is_file():
            sys.exit(f"{source} lacks the package {name}; the full distribution has it.")
        shutil.copyfile(source / name, target / name)
        if (
            name in files
            and hashlib.sha256((target / name).read_bytes()).hexdigest() != files[name]
        ):
            sys.exit(f"{source / name} has another checksum than the one in pyodide-lock.json.")


def make_folder(folder: Path, pyodide: Path | None = None) -> None:
    """Write the page, its script, the package, and Pyodide if a copy is given."""
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty.")
    folder.mkdir(parents=True, exist_ok=True)
    address, needed = read_settings()
    if pyodide is not None:
        version = re.findall(r"/v([\d.]+)/", address)[0]
        copy_pyodide(pyodide, folder / "pyodide", version, needed)
    (folder / "static").mkdir()
    shutil.copyfile(DOCS / "_static" / "browser.js", folder / "static" / "browser.js")
    load_extension().write_archive(folder / "browser.zip")
    [form] = re.findall(
        r"<form.*?</form>", (DOCS / "start" / "browser.md").read_text("utf-8"), re.DOTALL
    )
    rules = [
        line
        for line in (DOCS / "_static" / "site.css").read_text("utf-8").splitlines()
        if line[:8] == ".browser"
    ]
    page = PAGE.format(
        style="\n".join([STYLE, *rules]),
        form=form,
        pyodide=escape(address if pyodide is None else "pyodide/"),
    )
    (folder / "index.html").write_text(page, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="The folder to write; it must be empty."
    )
    parser.add_argument("--pyodide", type=Path, help="An unpacked distribution of Pyodide.")
    given = parser.parse_args()
    make_folder(given.output, given.pyodide)
    size = sum(path.stat().st_size for path in given.output.rglob("*") if path.is_file()) / 1e6
    print(f"{given.output}: {size:.0f} MB. Try it: python -m http.server -d {given.output}")


if __name__ == "__main__":
    main()
