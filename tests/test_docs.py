"""Generated pages are up to date, and the first example prints what the README shows."""

import doctest
import importlib.util
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import bayesrank as br

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_of_scores_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_scores_page", DOCS / "make_scores_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (DOCS / "scores.md").read_text(encoding="utf-8") == module.page(), "run make docs"


def test_the_readme_prints_what_it_shows():
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    code, shown = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL).groups()
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(code, {})
    assert [line.rstrip() for line in printed.getvalue().splitlines()] == shown.splitlines()


@pytest.mark.parametrize(
    "page", ["cases", "command", "credible_ranking", "decisions", "hierarchical", "large", "models"]
)
def test_the_examples_of_a_page_run(page):
    text = re.sub(r"^```.*$", "", (DOCS / f"{page}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_links_between_pages_lead_somewhere():
    pages = [DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 10
    assert not [(page.name, link) for page, link in links if not (page.parent / link).exists()]


def test_the_page_of_the_papers_names_what_is_there():
    text = (DOCS / "papers.md").read_text(encoding="utf-8")
    names = set(re.findall(r"br((?:\.[a-z_0-9]+)+)", text))
    assert len(names) > 60
    for name in sorted(names):
        found = br
        for part in name[1:].split("."):
            if part == "interactive":
                importlib.import_module("bayesrank.plots.interactive")
            found = getattr(found, part)
    rows = re.findall(r"^\| .*? \|$", text, re.MULTILINE)
    missing = [row for row in rows if not row.endswith("|  |")]
    total, done, left = map(int, re.search(r"All (\d+) rows were tried; (\d+) .*?other\s+(\d+)", text, re.S).groups())
    heads = 4  # the words above the columns of each table
    assert (len(rows) - heads, len(missing) - heads, done + left) == (total, left, total)
    assert not [row for row in rows if re.search(r"\|  \| [^|]* \|$", row)]
