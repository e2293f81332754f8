"""What the page "Try it without installing" loads: its script, and the package with its pure-Python dependencies.

Python itself and the compiled packages come from the address of Pyodide in conf.py.
"""

import zipfile
from importlib.metadata import files
from pathlib import Path

import bayesrank

PAGE = "start/browser"
#: Distributions that the command loads to rank a table, and that need no compiler.
PURE = ("xarray", "packaging", "click", "jinja2", "markupsafe", "rich", "lazy-loader")

COMPILED, LEFT_OUT = (".so", ".pyd"), {"..", "__pycache__", "tests"}


def write_archive(path: Path) -> None:
    """Write the package and its pure-Python dependencies, with their licences, without tests."""
    package = Path(bayesrank.__file__).parent
    found = {
        file.relative_to(package.parent): file for file in package.rglob("*") if file.is_file()
    }
    for name in ("bayesrank", *PURE):
        held = {Path(file): file.locate() for file in files(name) or ()}
        # The package may be installed as a link to its source, which then lists only its description.
        found.update(
            {
                file: path
                for file, path in held.items()
                if name in PURE or ".dist-info" in file.parts[0]
            }
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(found):
            if file.suffix not in COMPILED and not LEFT_OUT & set(file.parts):
                archive.write(found[file], file)


def prepare_archive(app):
    write_archive(Path(app.confdir) / "_build" / "extra" / "browser.zip")


def add_script(app, page, template, context, tree):
    """Give the page its script, which reads the address of Pyodide from its own element."""
    if page == PAGE:
        app.add_js_file(
            "browser.js", loading_method="defer", **{"data-pyodide": app.config.pyodide}
        )


def setup(app):
    app.add_config_value("pyodide", "", "html", str)
    app.connect("builder-inited", prepare_archive)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
