"""A suggested fix is tried before it is printed: it parses, and ranks what the heading says are entities."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

import bayesrank as br
from bayesrank.tables.columns import odd_columns
from tests.commands import invoke, refused

NAMES = ["Verdaderos Negativos", "Falsos Positivos", "Falsos Negativos", "Verdaderos Positivos"]
SPANISH = pd.DataFrame([["a", 70, 10, 9, 21], ["b", 75, 5, 6, 24], ["c", 61, 19, 3, 27]], columns=["Equipo", *NAMES])
rng = np.random.default_rng(3)
ANSWERS = pd.DataFrame(rng.integers(0, 2, (60, 2)), columns=["gpt", "llama"])


def suggested(said, option):
    """The words of a suggestion, from the option to where its meaning is said."""
    # Each suggestion follows a full stop, a semicolon or a comma.
    found = re.search(rf"(?<=[.;,] ){option} .*?(?= (?:says|ranks|leaves))", said)
    assert found is not None, said
    return shlex.split(found[0])


def test_headings_in_another_language_are_named_by_columns(tmp_path):
    file = tmp_path / "matrices.csv"
    SPANISH.to_csv(file, index=False)
    said = refused("rank", file)
    assert "--case" not in said
    assert "--ignore" not in said
    assert "--tn COLUMN --fp COLUMN --fn COLUMN --tp COLUMN" in said
    words = suggested(said, "--entity")
    for name in NAMES:
        words[words.index("COLUMN")] = name
    found = invoke("rank", file, *words, "--draws", 50, "--format", "csv")
    assert {line.split(",")[0] for line in found.splitlines()[1:]} == {"a", "b", "c"}
    cells = dict(zip(("tn", "fp", "fn", "tp"), NAMES, strict=True))
    expected = br.from_counts(**{cell: SPANISH[name] for cell, name in cells.items()}, entity=list("abc"))
    assert (br.from_frame(SPANISH, entity="Equipo", **cells) == expected).all()
    with pytest.raises(br.ArgumentError, match="entity='Equipo', tn=COLUMN, fp=COLUMN, fn=COLUMN, tp=COLUMN"):
        br.from_frame(SPANISH)


def test_few_categories_are_not_offered_as_clusters(tmp_path):
    file = tmp_path / "cases.csv"
    ANSWERS.assign(topic=np.repeat(["law", "art", "war"], 20)).to_csv(file, index=False)
    said = refused("rank", file)
    assert "--cluster" not in said
    assert "Mean over 3 categories" in invoke("rank", file, *suggested(said, "--by"), "--draws", 50)
    assert "gpt" in invoke("rank", file, *suggested(said, "--ignore"), "--draws", 50)
    assert "gpt" in invoke("rank", file, *suggested(said, "--entities"), "--draws", 50)


def test_many_small_groups_are_offered_as_clusters(tmp_path):
    file = tmp_path / "cases.csv"
    ANSWERS.assign(passage=[f"p{i // 2}" for i in range(60)]).to_csv(file, index=False)
    said = refused("rank", file)
    assert "--by" not in said
    assert "30 clusters" in invoke("rank", file, *suggested(said, "--cluster"), "--draws", 50)


def test_several_odd_columns_are_left_out_together(tmp_path):
    file = tmp_path / "cases.csv"
    ANSWERS.assign(topic=np.repeat(["law", "art", "war"], 20), seconds=rng.random(60)).to_csv(file, index=False)
    said = refused("rank", file)
    for option in ("--by", "--entities", "--ignore"):
        assert "llama" in invoke("rank", file, *suggested(said, option), "--draws", 50)


def test_results_of_a_cross_validation_are_no_entities(tmp_path):
    x, y = make_classification(60, random_state=1)
    grid = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3).fit(x, y)
    for results in (grid.cv_results_, cross_validate(LogisticRegression(), x, y, cv=4)):
        with pytest.raises(br.ArgumentError, match="folds of a cross-validation, which are no cases") as caught:
            br.from_frame(pd.DataFrame(results))
        assert "column actual" in str(caught.value)
        pd.DataFrame(results).to_csv(tmp_path / "results.csv", index=False)
        assert "--entities" not in refused("rank", tmp_path / "results.csv")


def test_scores_without_cases_get_no_function_that_lacks_a_size():
    with pytest.raises(br.ArgumentError, match="do not say of how many cases") as caught:
        br.from_frame(pd.DataFrame({"model": ["a", "b"], "accuracy": [0.8, 0.7]}))
    assert "from_rates" not in str(caught.value)


@pytest.mark.parametrize(("plain", "odd"), [(20, []), (19, ["b"])])
def test_partial_credit_is_mostly_0_and_1(plain, odd):
    """Half of 40 cases are 0 or 1, and the others have fractions of their own."""
    right, credit = np.tile([0.0, 1.0], 20), np.linspace(0.01, 0.99, 40)
    credit[:plain] = right[:plain]
    assert list(odd_columns({"a": right, "b": credit})) == odd


def test_two_columns_are_enough_for_one_to_be_odd():
    right, cost = np.tile([0.0, 1.0], 20), np.linspace(3, 900, 40)
    assert list(odd_columns({"a": right, "cost": cost})) == ["cost"]
    assert odd_columns({"cost": cost}) == {}
