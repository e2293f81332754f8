"""Sentences call an entity what the data call it."""

import re

import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core import nouns as _nouns
from tests.commands import invoke

COUNTS = pd.DataFrame({"model": ["a", "b", "c"], "tn": [70, 79, 70], "fp": [10, 1, 10], "fn": [9, 1, 8],
                       "tp": [21, 29, 22]})  # fmt: skip
#: The word as it may not be printed; "entity" is the name of an argument.
PLAIN = re.compile(r"\b[Ee]ntit(y|ies)\b")


def test_words():
    assert (_nouns.noun(), _nouns.nouns(), _nouns.a_noun()) == ("entity", "entities", "an entity")
    with _nouns.using_noun("test"), _nouns.using_noun(""):
        assert (_nouns.noun(), _nouns.nouns(), _nouns.a_noun()) == ("test", "tests", "a test")
    assert _nouns.noun() == "entity"


@pytest.mark.parametrize("column", ["model", "Model", "team"])
def test_a_column_names_them(column):
    evidence = br.from_frame(COUNTS.rename(columns={"model": column}))
    assert evidence.attrs["noun"] == column.lower()
    assert "noun" not in br.from_frame(COUNTS.rename(columns={"model": "entity"})).attrs
    assert (
        "noun" not in br.from_frame(COUNTS.rename(columns={"model": "site"}), entity="site").attrs
    )


def test_each_form_of_table_says_the_noun():
    cases = pd.DataFrame(
        {"model": ["a", "b"] * 3, "case": [1, 1, 2, 2, 3, 3], "correct": [1, 0, 1, 1, 0, 1]}
    )
    assert br.from_frame(cases, outcome="correct").attrs["noun"] == "model"
    votes = pd.DataFrame({"model_a": ["a", "a"], "model_b": ["b", "b"], "winner": ["a", "b"]})
    assert br.from_frame(votes).attrs["noun"] == "model"
    assert br.from_votes(votes, a="model_a", b="model_b", winner="winner").attrs["noun"] == "model"
    folds = pd.DataFrame(
        {"model": ["a", "a", "b", "b"], "fold": [1, 2, 1, 2], "accuracy": [0.8, 0.9, 0.7, 0.8]}
    )
    assert br.from_frame(folds, train=90, test=10, fold="fold").attrs["noun"] == "model"


@pytest.mark.parametrize("name", br.datasets.names())
def test_each_shipped_data_set_says_the_noun(name):
    assert (
        br.datasets.load(name).attrs["noun"] == br.datasets.describe(name)["noun"] in _nouns.NOUNS
    )


def test_everything_said_of_a_ranking_has_the_noun(tmp_path):
    evidence = br.from_frame(COUNTS)
    posterior = br.fit(evidence, draws=200, seed=1)
    ranking = br.credible_ranking(posterior, "mcc")
    said = " ".join([*br.verdict(ranking), *br.notes(ranking)])
    assert "models" in said
    assert not PLAIN.search(said)
    ranking.to_netcdf(tmp_path / "ranking.nc")
    assert br.notes(xr.load_dataset(tmp_path / "ranking.nc")) == br.notes(ranking)
    html = br.ranking_report(posterior, "mcc", ranking=ranking)
    text = re.sub(r"<(style|script)>.*?</\1>|<[^>]*>", " ", html, flags=re.DOTALL)
    assert "models" in text
    assert not PLAIN.search(text)
    found = br.analyze(evidence, "mcc", draws=200)
    assert not PLAIN.search(repr(found) + found._repr_html_() + " ".join(found.notes))
    plan = br.plan(posterior, "mcc")
    assert not PLAIN.search(" ".join([*br.verdict(plan), *br.notes(plan)]))


def test_the_command_has_the_noun_of_the_column_and_forgets_it(tmp_path):
    COUNTS.to_csv(tmp_path / "counts.csv", index=False)
    found = invoke("rank", tmp_path / "counts.csv", "--draws", 50, "--notes", "--score", "f1")
    assert not PLAIN.search(found)
    assert "models" in found
    COUNTS.rename(columns={"model": "entity"}).to_csv(tmp_path / "counts.csv", index=False)
    assert "of 3 entities" in invoke(
        "rank", tmp_path / "counts.csv", "--draws", 50, "--notes", "--score", "f1"
    )
    assert _nouns.noun() == "entity"


def test_names_of_entities_are_not_changed():
    named = br.from_frame(COUNTS.assign(model=["entity", "entities", "an entity"]))
    ranking = br.credible_ranking(br.fit(named, draws=200, seed=1), "f1")
    assert br.verdict(ranking)[0].startswith("entities is best")
