"""Generated pages are up to date, and the first example prints what the README shows."""

import doctest
import importlib.util
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("page", ["cases", "command", "credible_ranking", "decisions", "hierarchical", "models"])
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
