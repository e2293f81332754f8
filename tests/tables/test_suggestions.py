"""A suggested fix is tried before it is printed: it parses, and ranks what the heading says are entities."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

import bayesrank as br
from bayesrank.io.tables.columns import odd_columns
from tests.commands import invoke, refused, run

NAMES = ["Verdaderos Negativos", "Falsos Positivos", "Falsos Negativos", "Verdaderos Positivos"]
SPANISH = pd.DataFrame(
    [["a", 70, 10, 9, 21], ["b", 75, 5, 6, 24], ["c", 61, 19, 3, 27]], columns=["Equipo", *NAMES]
)
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
    expected = br.from_counts(
        **{cell: SPANISH[name] for cell, name in cells.items()}, entity=list("abc")
    )
    assert (br.from_frame(SPANISH, entity="Equipo", **cells) == expected).all()
    with pytest.raises(
        br.ArgumentError, match="entity='Equipo', tn=COLUMN, fp=COLUMN, fn=COLUMN, tp=COLUMN"
    ):
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
    ANSWERS.assign(topic=np.repeat(["law", "art", "war"], 20), seconds=rng.random(60)).to_csv(
        file, index=False
    )
    said = refused("rank", file)
    for option in ("--by", "--entities", "--ignore"):
        assert "llama" in invoke("rank", file, *suggested(said, option), "--draws", 50)


def test_results_of_a_cross_validation_are_no_entities(tmp_path):
    x, y = make_classification(60, random_state=1)
    grid = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3).fit(x, y)
    for results in (grid.cv_results_, cross_validate(LogisticRegression(), x, y, cv=4)):
        with pytest.raises(br.ArgumentError, match="folds of a cross-validation") as caught:
            br.from_frame(pd.DataFrame(results))
        assert "column actual" in str(caught.value) or "train=0.6667, test=0.3333" in str(
            caught.value
        )
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


def lines(*rows):
    return "\n".join(rows) + "\n"


FOLDS = [
    [0.603, 0.625, 0.588],
    [0.684, 0.699, 0.669],
    [0.632, 0.691, 0.61],
    [0.596, 0.698, 0.595],
    [0.61, 0.684, 0.61],
]
FOLD_ROWS = [",".join(map(str, row)) for row in FOLDS]
NAMED_FOLDS = [f"{i},{row}" for i, row in enumerate(FOLD_ROWS)]
PATTERNS = [
    "0,0,0,155",
    "0,0,1,22",
    "0,1,0,53",
    "0,1,1,31",
    "1,0,0,32",
    "1,0,1,22",
    "1,1,0,78",
    "1,1,1,319",
]
JUDGED = [f"{i},pass,pass,pass" for i in range(1, 9)] + ["9,pass,pass,fail", "10,fail,pass,fail"]
BATTLES = ["1,a,b,x,1,0,0", "2,a,b,x,0,0,1", "3,b,c,x,0,1,0", "4,c,a,x,1,0,0"]
LEARNERS, AB, AB2 = (
    {("adaboost,bagging,tree", "mean outcome")},
    {("a,b", "mean outcome")},
    [*enumerate("ab")],
)
#: Files in forms that people have, and the sets of entities that a ranking of them may have, each with its score.
FORMS = {
    "patterns of two tests and the truth": (lines("d,y1,y2,Freq", *PATTERNS), {("y1,y2", "informedness")}),
    "patterns with a biopsy": (lines("biopsy,mri,pet,n_patients", *PATTERNS), {("mri,pet", "informedness")}),
    "patterns without a truth": (lines("y0,y1,y2,frequency", *PATTERNS), {("y0,y1,y2", "mean outcome")}),
    "a table of R": (
        lines("Prediction,Reference,Freq", "high,high,50", "low,high,6", "high,low,8", "low,low,124"),
        {("table", "informedness")},
    ),
    "predictions of tidymodels": (
        lines(
            "truth,.pred_Class1,.pred_Class2,.pred_class", "Class2,0.00359,0.99641,Class2", "Class1,0.67,0.33,Class1",
            "Class2,0.11,0.89,Class2", "Class1,0.7,0.3,Class1", "Class1,0.42,0.58,Class2", "Class2,0.61,0.39,Class1",
        ),
        {("table", "informedness")},
    ),
    "folds": (lines("adaboost,bagging,tree", *FOLD_ROWS), LEARNERS),
    "folds with a number": (lines("fold,adaboost,bagging,tree", *NAMED_FOLDS), LEARNERS),
    "folds with an index": (lines(",adaboost,bagging,tree", *NAMED_FOLDS), LEARNERS),
    "folds of cv_results_": (lines("model,split0_test_score,split1_test_score", "a,0.61,0.68", "b,0.7,0.71"), set()),
    "folds below one another": (lines("model,fold,accuracy", "a,1,0.6", "a,2,0.7", "b,1,0.7", "b,2,0.8"), AB),
    "grades of any name": (
        lines("case,model,dice,hd95", *(f"{i},{m},0.{i + 2 * k + 1},{9 - i}.5" for i in range(5) for k, m in AB2)), AB
    ),
    "metrics in rows": (
        lines("case,model,metric,value", *(
            f"{i},{m},{of},0.{i + 2 * k + 1}" for of in ("dice", "iou") for i in range(5) for k, m in AB2
        )), AB,
    ),
    "counts called n": (lines("entity,outcome,n", "a,0,18", "a,1,41", "b,0,48", "b,1,32"), AB),
    "numbers of patients": (
        lines("model,actual,predicted,n_patients", *(
            f"{m},{t},{p},{9 + 5 * k + 20 * (t == p)}" for k, m in AB2 for t in (0, 1) for p in (0, 1)
        )), {("a,b", "informedness")},
    ),
    "judges beside an actual verdict": (
        lines("case,actual,judge1,judge2", *JUDGED), {("judge1,judge2", "informedness")}
    ),
    "judges beside a human": (lines("case,human,judge1,judge2", *JUDGED), {("judge1,judge2", "informedness")}),
    "a leaderboard with an index": (
        lines(",win_rate,standard_error,n_total,avg_length", "a,50.00,0.00,805,1982", "b,46.21,1.52,805,2049"), set()
    ),
    "a leaderboard of totals": (lines("name,win_rate,n_total", "a,50.00,805", "b,46.21,805", "c,31.8,805"), set()),
    "one-hot votes": (
        lines("id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie", *BATTLES), {("a,b,c", "strength")}
    ),
    "percentages": (
        lines("actual,A,B", "1,90%,40%", "1,80%,85%", "0,30%,45%", "0,10%,20%", "1,70%,60%", "0,35%,55%"),
        {("A,B", name) for name in ("AUC", "average precision", "Brier score", "log loss")},
    ),
    "one test in six studies": (
        lines("TP,FN,FP,TN", "47,9,101,738", "126,51,272,1543", "19,10,12,192"),
        {("entity 1", "informedness"), ("row 1,row 2,row 3", "informedness")},
    ),
    "a code of missing answers": (
        lines("id,A,B", *(f"q{i},{i % 3 % 2},{-1 if i == 5 else i % 2}" for i in range(12))), set()
    ),
    "probabilities by class": (
        lines("actual,sick,well", *(f"{'sick' if i % 2 else 'well'},0.{i + 1},0.{8 - i}" for i in range(8))), set()
    ),
}  # fmt: skip
PLACEHOLDERS = ("FIELD", "COLUMN", "NAME", "MODEL")


def remedies(message):
    """All runs of options with their values that a message tells to type."""
    quoted = r"(?:'[^']*'|[^\s,;)]+(?:,[^\s,;)]+)*)"
    found = re.findall(rf"--[a-z-]+ {quoted}(?: --[a-z-]+ {quoted})*", message)
    return [shlex.split(text) for text in found if not any(word in text for word in PLACEHOLDERS)]


def rankings(file, options=(), depth=3):
    """The entities and the score of all rankings that follow from the remedies, typed one after the other."""
    result = run("rank", file, *options, "--draws", 20, "--format", "json")
    if result.exit_code == 0:
        held = json.loads(result.stdout)
        return {(",".join(sorted(row["entity"] for row in held["ranking"])), held["score"])}
    assert isinstance(result.exception, br.ArgumentError), result.exception
    typed = remedies(str(result.exception)) if depth else []
    return set().union(*(rankings(file, (*options, *words), depth - 1) for words in typed))


@pytest.mark.parametrize("form", FORMS)
def test_no_remedy_that_is_printed_leads_to_a_false_ranking(form, tmp_path):
    text, right = FORMS[form]
    file = tmp_path / "table.csv"
    file.write_text(text)
    found = rankings(file)
    for words in remedies(run("doctor", file).output):
        found |= rankings(file, words)
    assert {(names, score_words(score)) for names, score in found} <= right
    assert bool(found) == bool(right)


def score_words(name):
    return {
        "auc_roc": "AUC",
        "mean_outcome": "mean outcome",
        "brier": "Brier score",
        "log_loss": "log loss",
    }.get(name, name.replace("_", " "))


def test_remedies_are_found_in_messages():
    said = (
        "must say (--count Freq --truth d if so, else --ignore 'a b'; --map case=FIELD; list "
        "them with --entities; x)"
    )
    assert remedies(said) == [["--count", "Freq", "--truth", "d"], ["--ignore", "a b"]]
