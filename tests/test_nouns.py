"""What a report calls entities and data sets: by the columns of the user's table."""

import pandas as pd
import pytest

import bayesrank as br
from bayesrank._nouns import rename_in_page, renaming
from bayesrank.evidence.ledger import ledger_of
from tests.report.test_sections import text_of

ROWS = [
    ("CT", "x", 45, 5, 4, 16), ("CT", "y", 38, 12, 9, 11), ("MR", "x", 90, 10, 2, 28), ("MR", "y", 27, 3, 3, 7),
]  # fmt: skip


def table(entity, dataset):
    return pd.DataFrame(ROWS, columns=[entity, dataset, "tn", "fp", "fn", "tp"])


@pytest.mark.parametrize(
    ("entity", "dataset", "nouns"),
    [
        ("Test", "study", ("test", "study")),
        ("model", "dataset", ("model", "data set")),
        ("kit", "where", ("entity", "data set")),
    ],
)
def test_the_columns_of_a_table_name_entities_and_data_sets(entity, dataset, nouns):
    counts = br.from_frame(table(entity, dataset), entity=entity, dataset=dataset)
    assert ledger_of(counts).nouns == nouns


def test_groups_keep_their_noun():
    counts = br.from_frame(table("test", "site"), entity="test", group="site")
    assert ledger_of(counts).nouns == ("test", "data set")


def test_a_report_uses_the_nouns_of_the_columns():
    counts = br.pool(br.from_frame(table("test", "study"), entity="test", dataset="study"))
    text = text_of(br.ranking_report(br.fit(counts, draws=50, seed=1), "f1"))
    assert "2 tests (2 studies, pooled" in text
    assert "Tests are listed by tier" in text
    assert "The studies are pooled: a study counts by its number of cases." in text
    assert "entit" not in text
    assert "data set" not in text


def test_texts_of_the_user_keep_their_words():
    counts = br.from_frame(table("test", "study"), entity="test", dataset="study").isel(dataset=0)
    facts = {"title": "One data set", "caveats": "An entity is a kit."}
    text = text_of(br.ranking_report(br.fit(counts, draws=50, seed=1), "f1", data=facts))
    assert all(words in text for words in facts.values())


def test_articles_plurals_and_capitals_follow_the_noun():
    rename = renaming(("algorithm", "study"), ["a"])
    assert rename("Each entity of a data set; An entity; Entities; Data sets") == (
        "Each algorithm of a study; An algorithm; Algorithms; Studies"
    )
    assert rename("(entity= and --entity, dataset)") == "(entity= and --entity, dataset)"


def test_names_do_not_change():
    assert renaming(("test", "study"), ["entity 1"])("entity 1 is an entity") == "entity 1 is an entity"


def test_cells_and_scripts_of_a_page_do_not_change():
    rename = renaming(("test", "study"), [])
    html = '<p aria-label="An entity">entities</p><td>entity</td><script>entity</script>'
    assert rename_in_page(html, rename) == ('<p aria-label="A test">tests</p><td>entity</td><script>entity</script>')
