"""Generated pages are up to date, and the first example prints what the README shows."""

import doctest
import importlib.util
import inspect
import io
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank import ranking, report
from bayesrank.cli import cli

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


def test_the_first_tier_of_the_readme_is_that_of_its_command():
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    told = re.search(r"^(\d+) of the (\d+) tests form the first tier", text, re.MULTILINE).groups()
    counts = br.datasets.load("antibody_tests")
    tier = br.credible_ranking(counts, "informedness", model="beta_binomial", method="exact")["tier"]
    assert [int(number) for number in told] == [int((tier == 1).sum()), tier.size]


PAGES = [
    "cases",
    "command",
    "credible_ranking",
    "decisions",
    "hierarchical",
    "large",
    "models",
    "ops",
    "predictive",
    "tile",
]
PAGES += [f"theory/{page.stem}" for page in sorted((DOCS / "theory").glob("*.md")) if page.stem != "index"]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(page):
    text = re.sub(r"^```.*$", "", (DOCS / f"{page}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(test).failed == 0


def test_the_commands_of_the_tile_page_print_what_it_shows():
    text = (DOCS / "tile.md").read_text(encoding="utf-8")
    [(command, shown)] = re.findall(r"^```\n\$ bayesrank (.*?)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    result = CliRunner().invoke(cli, shlex.split(command), catch_exceptions=False)
    printed = [line.rstrip() for line in result.output.splitlines()]
    expected = [line.rstrip() for line in shown.splitlines() if line.strip() not in ("", "...")]
    assert len(expected) > 4
    assert [line for line in printed if line in expected] == expected
    figures = re.findall(r"\((figures/.*?\.png)\)", text)
    assert figures
    assert all(0 < (DOCS / figure).stat().st_size < 150_000 for figure in figures)


def test_links_between_pages_lead_somewhere():
    pages = [DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 10
    assert not [(page.name, link) for page, link in links if not (page.parent / link).exists()]


def rows_of_the_papers():
    """The cells of the rows of docs/papers.md."""
    text = (DOCS / "papers.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| where")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_the_page_of_the_papers_names_what_is_there():
    text = (DOCS / "papers.md").read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"br(?:\.[a-z_0-9]+)+", text)))
    assert len(names) > 60
    # In a fresh interpreter, the deepest names first: another one may have loaded what they need.
    script = "import sys\nimport bayesrank as br\nfor name in sys.argv[1:]:\n    eval(name)"
    names.sort(key=lambda name: -name.count("."))
    subprocess.run([sys.executable, "-c", script, *names], check=True)


def test_each_row_of_the_papers_has_its_status():
    rows = rows_of_the_papers()
    assert {len(row) for row in rows} == {5}
    assert len(rows) == 235
    assert {row[-1] for row in rows} == {"works"}
    assert not re.search("all .{0,20}answered", (DOCS / "papers.md").read_text(encoding="utf-8"), re.IGNORECASE)


def test_every_row_of_the_papers_has_a_figure_or_a_test():
    figures = (DOCS / "paper_figures.py").read_text(encoding="utf-8")
    named = set(re.findall(r'@figure\(\s*"(\w+)"', figures)) | {f"U{part}{k}" for part in "BC" for k in range(1, 16)}
    for where, what, here, shown, _ in rows_of_the_papers():
        found = re.fullmatch(r"`([\w./]+)`", shown)
        assert found, (where, what)
        if not found[1].endswith(".py"):
            assert found[1] in named, (where, what)
            continue
        text = (DOCS.parent / "tests" / found[1]).read_text(encoding="utf-8")
        # The test speaks of one of the calls of its row; br.scores may be all of the catalogue.
        calls = {name.split(".")[-1] for name in re.findall(r"br((?:\.[a-z_0-9]+)+)", here)} or {"main"}
        calls |= {"SCORES"} if "br.scores" in here else set()
        assert any(re.search(rf"\b{call}\b", text) for call in calls), (where, what)


PUBLIC = [br, br.datasets, br.ops, br.performance, br.plots, br.predictive, br.scores, br.tile, ranking, report]


def public():
    """What users call: functions by name, and the methods of what they get."""
    for module in PUBLIC:
        for name in module.__all__:
            if inspect.isfunction(found := getattr(module, name)):
                yield f"{module.__name__}.{name}", found
    for kind in (br.scores.Score, type(br.score_posterior(br.from_counts(tn=1, fp=1, fn=1, tp=1), "f1"))):
        for name in ("of_cells", "of_tables", "cdf", "pdf", "quantile"):
            if hasattr(kind, name):
                yield f"{kind.__name__}.{name}", getattr(kind, name)


def test_whatever_users_call_has_an_example():
    found = dict(public())
    assert len(found) > 130
    assert [name for name, function in found.items() if ">>>" not in inspect.getdoc(function)] == []
