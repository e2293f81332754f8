"""The code blocks, commands, links and lists of README and site are right."""

import csv
import importlib
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

import bayesrank as br
from bayesrank import ranking, report
from bayesrank.claims.caps import CAPS
from bayesrank.cli import cli
from bayesrank.io import formats
from bayesrank.io.tables import forms
from bayesrank.words import standing
from bayesrank.words.sentences import sentences
from tests.scripts import load_script

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SCRIPTS = ROOT / "scripts"
README = ROOT / "README.md"

pages = load_script("tests/pages.py")
PAGES = pages.pages_of(ROOT)


def test_the_page_of_scores_is_up_to_date():
    page = load_script("scripts/make_scores_page.py").page()
    assert (DOCS / "reference" / "scores.md").read_text(encoding="utf-8") == page, "run make docs"


def test_the_page_of_formats_lists_all_of_them():
    page = (DOCS / "reference" / "formats.md").read_text(encoding="utf-8")
    assert "<!-- formats -->" in page
    listed = load_script("docs/_ext/generated.py").list_formats()
    for name in formats.names():
        assert f"### {formats.load(name).TITLE}\n\n" in listed
    table = (DOCS / "reference" / "tables" / "formats_1.csv").read_text(encoding="utf-8")
    for columns, row in forms.FORMS.items():
        assert re.search(
            f'^"?`{", ".join(["entity", *columns])}`"?,"?{re.escape(row)}"?$', table, re.MULTILINE
        ), columns


def rows(path, heading):
    """Return the codes in backticks of the first cells of the first table after a heading or a sentence of a page."""
    text = path.read_text(encoding="utf-8")
    table = re.search(r"(?:^\|[^\n]*\n)+|^:file: (\S+)$", text[text.index(heading) :], re.MULTILINE)
    if table[1]:
        with (path.parent / table[1]).open(encoding="utf-8", newline="") as file:
            first = [row[0] for row in list(csv.reader(file))[1:]]
    else:
        first = [line.split("|")[1] for line in table.group().splitlines()[2:]]
    return [code for cell in first for code in re.findall(r"`(\w+)`", cell)]


def test_the_page_of_the_command_lists_all_commands_sections_and_formats():
    page = DOCS / "howto" / "command.md"
    assert set(
        re.findall(
            r"^bayesrank (\w+)(?: +[A-Z]+ {2,}| {2,})",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ) == set(cli.list_commands(None))
    defaults, everything = report.sections.names(defaults=True), report.sections.names()
    assert sorted(rows(page, "## The report")) == sorted(defaults)
    assert sorted(rows(page, "`--with` adds sections")) == sorted(set(everything) - set(defaults))
    options = {
        name: option for option in cli.get_command(None, "rank").params for name in option.opts
    }
    assert rows(page, "## Formats") == list(options["--format"].type.choices)


def test_the_page_of_the_headline_lists_all_caps_and_populations():
    page = DOCS / "understand" / "rank_sets.md"
    caps, populations = rows(page, '`attrs["caps"]` has the codes'), rows(page, "**Over what.**")
    assert set(caps) == set(CAPS)
    assert set(populations) == {*standing.POPULATIONS, "these_datasets"}
    assert all(entry.sentence or entry.code in sentences() for entry in CAPS.values())


def test_the_reference_lists_all_functions():
    page = (DOCS / "reference" / "bayesrank.rst").read_text(encoding="utf-8")
    spaces = (DOCS / "reference" / "namespaces.rst").read_text(encoding="utf-8")
    for name in br.__all__:
        listed = spaces if inspect.ismodule(getattr(br, name)) else page
        assert f"   bayesrank.{name}\n" in listed


def test_the_names_of_other_projects_exist():
    for entry in tomllib.loads((DOCS / "inventories.toml").read_text(encoding="utf-8")).values():
        for name in (name for names in entry["objects"].values() for name in names):
            module, _, attribute = name.rpartition(".")
            # ArviZ 1 has DataTree of xarray instead of InferenceData.
            assert (
                hasattr(importlib.import_module(module), attribute) or name == "arviz.InferenceData"
            )


def test_the_gallery_shows_every_plot_once():
    text = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    examples = load_script("scripts/make_gallery.py").examples(text)[1]
    assert sorted(examples) == sorted(br.plots.__all__)
    assert all(f"br.plots.{name}(" in code for name, code in examples.items())
    for name in examples:
        label = f"(gallery-{name.replace('_', '-')})="
        assert re.search(
            rf"^{re.escape(label)}\n### [A-Z].*\?\n\n`br\.plots\.{name}`", text, re.MULTILINE
        ), name


@pytest.mark.slow
def test_the_code_of_the_gallery_runs(tmp_path):
    assert len(load_script("scripts/make_gallery.py").draw(tmp_path)) == len(br.plots.__all__)


def test_the_readme_prints_what_it_shows():
    script = pages.script_with_output(README.read_text(encoding="utf-8"))
    assert pages.run_script(script["code"]) == script["shown"]


#: Pages whose code takes longest; CI runs it too.
LONG = {
    "audit",
    "betweenness",
    "decisions",
    "foundations",
    "groups",
    "large",
    "many_data_sets",
    "metrics",
    "models",
    "no_gold_standard",
    "ops",
    "own",
    "planning",
    "predictive",
    "probabilities",
    "rank_sets",
    "relabelling",
    "sensitivity",
    "the_tile",
    "tile",
    "tutorial",
    "uncertainty",
    "votes",
}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path, id=str(path.relative_to(ROOT)), marks=[pytest.mark.slow] * (path.stem in LONG)
        )
        for path in PAGES
        if pages.has_code(path.read_text(encoding="utf-8"))
    ],
)
def test_the_code_of_a_page_runs(path, tmp_path, monkeypatch):
    # Pages are read from the top of a checkout.
    (tmp_path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    assert pages.run_page(path, path.read_text(encoding="utf-8"))


def test_numbers_of_a_sampler_may_differ_by_their_error_and_words_may_not():
    shown = "P(best) = 0.991, ranks 1 to 2"
    assert pages.agree(shown, shown, sampled=False)
    assert pages.agree(shown, shown.replace("0.991", "0.985"), sampled=True)
    assert pages.agree("0.71 to 0.88", "0.70 to 0.88", sampled=True)
    assert not pages.agree("0.001", "0.02", sampled=True)
    for wrong in (
        shown.replace("0.991", "0.955"),
        shown.replace("2", "3"),
        shown.replace("ranks", "rank"),
    ):
        assert not pages.agree(shown, wrong, sampled=True)


def test_code_that_is_not_run_compiles():
    compiled = 0
    for path in PAGES:
        for kind, _, source in pages.blocks(path.read_text(encoding="utf-8")):
            if kind == "python" and ">>>" not in source:
                compile(source, str(path), "exec")
                compiled += 1
    assert compiled


def command_lines():
    """Yield (page, command) of each command in a code block or in backticks."""
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for line in re.findall(
            r"^bayesrank [a-z].*$|(?<=`)bayesrank [a-z][^`]*(?=`)", text, re.MULTILINE
        ):
            if not re.search(r"DATA|PATHS|\.\.\.|^bayesrank [a-z]+( [A-Z]+)?$", line):
                yield path, line


def test_the_options_of_commands_exist(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = list(command_lines())
    assert len(lines) > 25
    for path, line in lines:
        _, name, *arguments = shlex.split(re.split(r"\s[|>]\s", line)[0], comments=True)
        command = cli.get_command(None, name)
        assert command, (path.name, line)
        # Only the parser: files of the examples do not exist, and their values are checked by other tests.
        parser = command.make_parser(click.Context(command))
        parser.parse_args(arguments)


def test_links_between_pages_lead_somewhere():
    links = [
        (page, link)
        for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not re.search(
            "figures/(gallery|measured|papers|tutorial)/", link
        )  # drawn when the site is built
    ]
    assert len(links) > 10
    assert not [(page.name, link) for page, link in links if not (page.parent / link).exists()]


def test_names_in_backticks_exist():
    found = 0
    for path in [*PAGES, *DOCS.rglob("tables/*.csv")]:
        for name in re.findall(
            r"(?<![\w`])`br((?:\.[a-z_A-Z]\w*)+)", path.read_text(encoding="utf-8")
        ):
            place = br
            for part in name.strip(".").split("."):
                place = getattr(place, part, None)
                if not inspect.ismodule(place):
                    break
            assert place is not None, (path.name, name)
            found += 1
    assert found > 500


def test_pictures_say_what_is_seen():
    pictures = [
        found
        for path in PAGES
        for found in re.findall(r"!\[(.*?)\]\(", path.read_text(encoding="utf-8"))
    ]
    assert len(pictures) > 50
    assert [alt for alt in pictures if len(alt.split()) < 4] == []


#: Words that people search for, and the pages on which they must find them.
SEARCHED = {
    "multiclass": ["understand/glossary.md", "reference/scores.md", "howto/hierarchical.md"],
    "gold standard": ["start/no_gold_standard.md", "understand/glossary.md", "start/judged.md"],
    "Bradley-Terry": ["start/votes.md", "understand/glossary.md", "reference/models.md"],
    "McNemar": ["start/right_and_wrong.md", "understand/glossary.md", "measured/peers.md"],
    "DeLong": ["start/probabilities.md", "understand/glossary.md", "measured/areas.md"],
    "AUC": ["start/probabilities.md", "howto/cases.md", "understand/glossary.md"],
    "kappa": ["reference/scores.md", "understand/glossary.md", "understand/faq.md"],
    "Friedman": ["start/many_data_sets.md", "understand/glossary.md", "understand/which_tool.md"],
    "Wilcoxon": ["start/cross_validation.md", "start/many_data_sets.md", "understand/glossary.md"],
    "Elo": ["start/votes.md", "understand/glossary.md"],
    "bootstrap": ["howto/cases.md", "understand/glossary.md", "reference/models.md"],
    "LLM as a judge": ["start/judged.md", "understand/glossary.md"],
    "imbalanced": ["understand/glossary.md"],
    "subgroup": ["understand/glossary.md"],
}


#: Pages that scripts write, and fenced blocks whose content is read as prose.
WRITTEN = {
    "reference/scores.md",
    "reference/what_works.md",
    "learn/leaderboards.md",
    "measured/benchmarks.md",
}
CODE = re.compile(r"^(`{3,})(?!\{(?:glossary|eval-rst)\})[^\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)


def count_words(text):
    """Return the number of words to read on a page: no code, output, tables in files, targets of links or alt texts."""
    text = re.sub(r"!\[[^\]]*\]|\]\([^)]*\)", "]", CODE.sub("", text))
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def test_the_site_can_be_read():
    words = {
        path.relative_to(DOCS).as_posix(): count_words(path.read_text(encoding="utf-8"))
        for path in PAGES
        if path != README
    }
    assert sum(count for name, count in words.items() if name not in WRITTEN) <= 60_000


def test_each_table_in_a_file_is_shown_once():
    shown = [
        path.parent / name
        for path in PAGES
        for name in re.findall(r"^:file: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(shown) == sorted(DOCS.rglob("tables/*.csv"))


@pytest.mark.parametrize("word", SEARCHED)
def test_the_words_that_people_search_for_are_on_their_pages(word):
    for page in SEARCHED[word]:
        assert word in (DOCS / page).read_text(encoding="utf-8"), page


def test_each_page_on_evidence_has_a_report():
    for path in sorted((DOCS / "start").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        no_evidence = path.stem in ("index", "install", "browser")
        assert no_evidence or re.search(r"^\$ bayesrank rank |br\.ranking_report\(", text, re.M)


def test_the_page_on_reading_a_ranking_is_short():
    text = (DOCS / "understand" / "credible_ranking.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1200
    assert "figures/annotated_ranking.png" in text


def test_long_guides_have_pictures():
    pages = [
        path for folder in ("howto", "start", "understand") for path in (DOCS / folder).glob("*.md")
    ]
    for path in [*pages, DOCS / "harness.md", DOCS / "planning.md"]:
        text = path.read_text(encoding="utf-8")
        words = len(
            re.sub(r"^```.*?^```$|^\|[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE).split()
        )
        assert words <= 1200 or "![" in text or path.stem == "misprints", (path.name, words)


def rows_of_the_papers():
    """The cells of the rows of the tables of docs/papers.md."""
    found = []
    for path in sorted((DOCS / "tables").glob("papers_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            found += list(csv.reader(file))[1:]
    return found


def test_the_page_of_the_papers_names_what_is_there():
    names = sorted(
        {
            name
            for row in rows_of_the_papers()
            for name in re.findall(r"br(?:\.[a-z_0-9]+)+", " ".join(row))
        }
    )
    assert len(names) > 60
    # In a fresh interpreter, the deepest names first: another one may have loaded what they need.
    script = "import sys\nimport bayesrank as br\nfor name in sys.argv[1:]:\n    eval(name)"
    names.sort(key=lambda name: -name.count("."))
    subprocess.run([sys.executable, "-c", script, *names], check=True)


#: Printed figures and tables of each paper, by the name of its page.
OF_PAPERS = {
    "foundations": ["1", "A.7.1", "Table 1"],
    "the_tile": [*map(str, range(1, 10)), "Table 1", "Table 2"],
    "outperformance": [*map(str, range(1, 8)), *(f"Table {k}" for k in range(1, 10))],
    "metrics": [
        *map(str, range(1, 6)), *(f"B.{k}" for k in range(1, 16)), *(f"C.{k}" for k in range(1, 16)),
        *(f"D.{k}" for k in range(1, 7)), "E.1", *(f"F.{k}" for k in range(1, 4)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", OF_PAPERS)
def test_the_page_of_a_paper_has_all_figures_and_tables(name):
    text = (DOCS / "papers" / f"{name}.md").read_text(encoding="utf-8")
    found = set()
    for kind, numbers in re.findall(
        r"^## (Figure|Table|Section|Appendix)s? ([^:]+):", text, re.MULTILINE
    ):
        for part in re.split(r",? and |, ", numbers):
            first, _, last = part.partition(" to ")
            letter, number = first[:-1].rstrip("0123456789"), first.rsplit(".", 1)[-1]
            ends = int(number), int(last.rsplit(".", 1)[-1] if last else number)
            each = (
                [f"{letter}{k}" for k in range(ends[0], ends[1] + 1)]
                if number.isdigit()
                else [first]
            )
            found |= {f"Table {one}" if kind == "Table" else one for one in each}
    assert set(OF_PAPERS[name]) <= found
    pictures = set(re.findall(r"figures/papers/(\w+)\.png", text))
    assert pictures
    assert pictures <= set(load_script("scripts/paper_figures.py").FIGURES)


def test_every_row_of_the_papers_has_a_figure_or_a_test():
    figures = (SCRIPTS / "paper_figures.py").read_text(encoding="utf-8")
    named = set(re.findall(r'@figure\(\s*"(\w+)"', figures)) | {
        f"U{part}{k}" for part in "BC" for k in range(1, 16)
    }
    rows = rows_of_the_papers()
    assert len(rows) == 247
    for where, what, here, shown in rows:
        found = re.fullmatch(r"`([\w./]+)`", shown)
        assert found, (where, what)
        if not found[1].endswith(".py"):
            assert found[1] in named, (where, what)
            continue
        text = (ROOT / "tests" / found[1]).read_text(encoding="utf-8")
        # The test speaks of one of the calls of its row; br.scores may be all of the catalogue.
        calls = {name.split(".")[-1] for name in re.findall(r"br((?:\.[a-z_0-9]+)+)", here)} or {
            "main"
        }
        calls |= {"SCORES"} if "br.scores" in here else set()
        assert any(re.search(rf"\b{call}\b", text) for call in calls), (where, what)


PUBLIC = [
    br,
    br.datasets,
    br.ops,
    br.performance,
    br.plots,
    br.predictive,
    br.scores,
    br.tile,
    ranking,
    report,
]


def examples():
    """What users call, and the text that holds its example: its own, or that of the class of a method."""
    for module in PUBLIC:
        for name in module.__all__:
            if inspect.isfunction(found := getattr(module, name)):
                yield f"{module.__name__}.{name}", inspect.getdoc(found)
    for kind in (
        br.scores.Score,
        type(br.score_posterior(br.from_counts(tn=1, fp=1, fn=1, tp=1), "f1")),
    ):
        for name in {"of_cells", "of_tables", "cdf", "pdf", "quantile"} & set(dir(kind)):
            own, whole = inspect.getdoc(getattr(kind, name)), inspect.getdoc(kind)
            yield (
                f"{kind.__name__}.{name}",
                own if ">>>" in own or f".{name}(" not in whole else whole,
            )


def test_whatever_users_call_has_an_example():
    found = dict(examples())
    assert len(found) > 130
    assert [name for name, text in found.items() if ">>>" not in text] == []
