"""Configuration of the site: ``make docs`` builds it into docs/_build/html."""

import os
import re
import shutil
import sys
import tomllib
import zlib
from pathlib import Path

from pygments.lexers import TextLexer

import bayesrank

DOCS = Path(__file__).parent
BUILD = DOCS / "_build"
sys.path.insert(0, str(DOCS / "_ext"))

project = "bayesrank"
author = "The bayesrank developers"
copyright = f"2026, {author}"
version = release = bayesrank.__version__

extensions = [
    "browser",
    "connected",
    "generated",
    "pictures",
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_ext", "_templates"]
default_role = "code"
smartquotes = False  # commands have two hyphens
nitpicky = False

# Notebooks are stored executed, and tests/test_examples.py runs them.
nb_execution_mode = "off"
myst_enable_extensions = ["attrs_inline", "dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "myst.xref_ambiguous"]

autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
# Words of docstrings that are no names of an API, or that numpydoc would link to inventories which are not here.
numpydoc_xref_ignore = {
    *(
        "optional",
        "default",
        "of",
        "or",
        "type",
        "pairs",
        "pair",
        "counts",
        "number",
        "numbers",
        "label",
        "labels",
        "class",
    ),
    *(
        "sequence",
        "iterable",
        "array_like",
        "array",
        "mapping",
        "callable",
        "hashable",
        "scalar",
        "Batches",
    ),
    *(
        "bool",
        "int",
        "float",
        "str",
        "dict",
        "list",
        "tuple",
        "set",
        "object",
        "None",
        "True",
        "False",
    ),
    *(
        "SeedSequence",
        "Generator",
        "ndarray",
        "numpy.ndarray",
        "matplotlib",
        "common",
        "own",
        "typical",
        "new",
    ),
}
numpydoc_xref_aliases = {
    "DataArray": "xarray.DataArray",
    "Dataset": "xarray.Dataset",
    "DataTree": "xarray.DataTree",
    "InferenceData": "arviz.InferenceData",
    "DataFrame": "pandas.DataFrame",
    "Series": "pandas.Series",
    "Axes": "matplotlib.axes.Axes",
    "Figure": "matplotlib.figure.Figure",
    "Score": "bayesrank.scores.Score",
    **{word: word for word in numpydoc_xref_ignore},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# What the page start/browser.md loads, of the version that it was tried with; the variable names a copy for tries.
pyodide = os.environ.get("PYODIDE", "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/")

html_theme = "pydata_sphinx_theme"
html_title = f"bayesrank {version}"
html_static_path = ["_static"]
html_extra_path = ["_build/extra"]
html_css_files = ["site.css"]
html_search_scorer = str(DOCS / "_static" / "scorer.js")
html_show_sourcelink = False
html_sidebars = {"index": [], "gallery/index": []}
html_theme_options = {
    "logo": {"text": "bayesrank"},
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "use_edit_page_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def write_inventories() -> dict[str, tuple[str, str]]:
    """Write the inventories of other projects from inventories.toml, since a build fetches nothing."""
    (BUILD / "inventories").mkdir(parents=True, exist_ok=True)
    found = {}
    for name, entry in tomllib.loads(
        (DOCS / "inventories.toml").read_text(encoding="utf-8")
    ).items():
        head = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n# Compressed by zlib from here on.\n"
        lines = [
            f"{thing} py:{kind} 1 {entry['page'].format(name=thing)}#$ -\n"
            for kind, things in entry["objects"].items()
            for thing in things
        ]
        path = BUILD / "inventories" / f"{name}.inv"
        path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
        found[name] = (entry["url"], str(path))
    return found


def copy_notebooks() -> None:
    """Copy the executed notebooks of examples/ to where the section Learn lists them."""
    folder = DOCS / "learn" / "notebooks"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        DOCS.parent / "examples",
        folder,
        ignore=shutil.ignore_patterns("*.py", "__pycache__", "data"),
    )


def prepare(app, docname, source):
    """Let links between docs/ and examples/ lead to pages; drop the empty lines that end a doctest."""
    source[0] = re.sub(
        r"(^```python\n.*?)\n+```$", r"\1\n```", source[0], flags=re.DOTALL | re.MULTILINE
    )
    source[0] = re.sub(
        r"\]\((?:\.\./)+examples/(\w+\.ipynb)\)", r"](/learn/notebooks/\1)", source[0]
    )
    if docname.startswith("learn/notebooks/"):
        source[0] = source[0].replace("](../docs/", "](/")


(BUILD / "extra").mkdir(parents=True, exist_ok=True)
intersphinx_mapping = write_inventories()
copy_notebooks()


def setup(app):
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", prepare)
