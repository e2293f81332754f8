"""Files as people have them: each is read rightly, or refused with a message whose remedy works when it is typed.

Separators, quotes, line ends and words for right and wrong are those of test_mangled_files.
"""

import io
import shlex
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.io.tables.files import read_evidence
from tests.commands import refused, run

MATRIX = br.from_counts(
    tn=[70, 75, 60], fp=[10, 5, 20], fn=[9, 6, 3], tp=[21, 24, 27], entity=["a", "b", "c"]
)
RIGHT = xr.DataArray(
    [[3, 17], [6, 14]], {"entity": ["a", "b"], "outcome": [0, 1]}, ("entity", "outcome")
)
ANSWERS = {
    "A": [1, 1, 0, 1, 0, 1, 1, 0],
    "B": [1, 0, 0, 1, 0, 0, 1, 0],
    "C": [0, 1, 1, 1, 1, 1, 0, 0],
}
CASES = pd.DataFrame(ANSWERS)
SCORES = pd.DataFrame({"A": [0.31, 2.25, 1.5, 0.72], "B": [0.45, 1.25, 1.75, 0.32]})
TRUTH = ["no", "yes", "yes", "no", "yes", "no"]
SAID = {"A": ["no", "yes", "no", "no", "yes", "yes"], "B": ["no", "no", "yes", "no", "yes", "no"]}
SICK = {"no": "healthy", "yes": "cancer"}


def rows(header, *lines, sep=","):
    return "\n".join([header, *lines]).replace(",", sep) + "\n"


def cells(header="entity,tn,fp,fn,tp", end=""):
    return rows(header, f"a,70,10,9,21{end}", f"b,75,5,6,24{end}", f"c,60,20,3,27{end}")


def wide(frame=CASES, **more):
    return frame.assign(**more).to_csv(index=False)


def long(value="outcome", words=(0, 1), entity="entity", case="case", frame=CASES, **more):
    table = frame.assign(**{case: range(1, len(frame) + 1)}, **more)
    table = table.melt([case, *more], list(frame.columns), entity, value)
    return table.assign(
        **{value: [words[int(v)] if isinstance(v, int | np.integer) else v for v in table[value]]}
    ).to_csv(index=False)


def labels(actual="actual", name=lambda label: label, **more):
    frame = pd.DataFrame({actual: TRUTH, **SAID}).map(name)
    return frame.assign(**more).to_csv(index=False)


def joint(positive=None, name=lambda label: label):
    told = {entity: list(map(name, said)) for entity, said in SAID.items()}
    return br.joint_outcomes(list(map(name, TRUTH)), told, positive=positive)


@dataclass(frozen=True)
class File:
    """A file, what is to be read from it, and, if it is refused, words of the message and what it says to type."""

    text: str
    expected: object = None
    words: str = ""
    remedy: str = ""  # options that the message prints
    edit: tuple[str, str] | None = None  # what the message says to write instead
    pandas: dict = field(default_factory=dict)


OUTCOMES = br.from_outcomes(CASES)
NAMES = [
    "Team",
    "Test",
    "Name",
    "Center",
    "Classifier",
    "system",
    "detector",
    "algorithm",
    "method",
]
LABELS = joint()
FILES = {
    # Counts, as organisers, clinicians and leaderboards have them
    "plain": File(cells(), MATRIX),
    "other names of cells": File(cells("Model,True Negatives,false_positives,False-Negative,TruePositive"), MATRIX),
    **{name: File(cells(f"{name},TN,FP,FN,TP"), MATRIX) for name in NAMES},
    "team and test": File(
        cells("Team,TN,FP,FN,TP,Test", ",x"), MATRIX, "its heading has Team and Test", "--entity Team"
    ),
    "a model beside entity": File(cells("entity,tn,fp,fn,tp,model", ",x"), MATRIX),
    "an unknown name": File(cells("Kiste,tn,fp,fn,tp"), MATRIX, "--entity Kiste", "--entity Kiste"),
    "an index without a name": File(cells(",tn,fp,fn,tp"), MATRIX, "without entity", "--entity 'Unnamed: 0'"),
    "sep= of Excel": File("sep=;\n" + cells().replace(",", ";"), MATRIX, pandas={"sep": ";", "skiprows": 1}),
    "trailing blanks": File(cells().replace("\n", "  \n").replace("b,", " b ,"), MATRIX),
    "trailing separators": File(cells("entity,tn,fp,fn,tp,", ","), MATRIX),
    "blank lines": File(cells().replace("b,", "\n\nb,"), MATRIX),
    "an index column": File(
        rows(",model,tn,fp,fn,tp", "0,a,70,10,9,21", "1,b,75,5,6,24", "2,c,60,20,3,27"), MATRIX
    ),
    "metadata beside counts": File(
        cells("entity,tn,fp,fn,tp,accuracy,n,license,latency_ms", ",0.81,110,MIT,3.5"), MATRIX
    ),
    "whole floats": File(cells().replace("70", "70.0").replace("75", "75.0").replace("60", "60.0"), MATRIX),
    "thousands": File(cells().replace("a,70", 'a,"1,070"'), None, "tn must be a count", edit=('"1,070"', "1070")),
    "a totals row": File(
        cells() + "Total,205,35,18,72\n", MATRIX, "'Total' must not be a row", edit=("Total,205,35,18,72\n", "")
    ),
    "a duplicate name": File(
        cells().replace("c,60", "a,60"), MATRIX, "line 4: entity must name each entity once; got 'a' in line 2",
        edit=("a,60", "c,60"),
    ),
    "folds": File(
        cells("entity,tn,fp,fn,tp,fold", ",x") + cells("entity,tn,fp,fn,tp,fold", ",y").split("\n", 1)[1],
        MATRIX * 2, "if fold names data sets", "--dataset-column fold",
    ),
    "a rate in a cell": File(cells().replace("70", "0.7"), MATRIX, "got '0.7' (a rate: write", edit=("0.7,", "70,")),
    "a percentage in a cell": File(cells().replace("70", "70%"), MATRIX, "a percentage: write", edit=("70%", "70")),
    "an empty cell": File(cells().replace(",3,", ",,"), None, "write 0 if there were none", edit=(",,", ",0,")),
    "cells in rows": File(
        rows("entity,actual,predicted,count", *(
            f"{e},{a},{p},{int(MATRIX.sel(entity=e, actual=a, predicted=p))}"
            for e in "abc" for a in ("negative", "positive") for p in ("negative", "positive")
        )), MATRIX,
    ),
    "turned": File(
        rows("cell,a,b,c", "tn,70,75,60", "fp,10,5,20", "fn,9,6,3", "tp,21,24,27"), None, "turn rows and columns"
    ),
    "a confusion matrix": File(rows(",cat,dog", "cat,5,1", "dog,2,7"), None, 'br.from_matrix(frame, "actual_rows")'),
    # Right and wrong
    "right and wrong": File(rows("Team,Correct,Incorrect", "a,17,3", "b,14,6"), RIGHT),
    "names like numbers": File(
        rows("entity,correct,WRONG", "01,17,3", "1,14,6"), RIGHT.assign_coords(entity=["01", "1"]),
        pandas={"dtype": str},
    ),
    "right of all": File(rows("model,n_correct,total", "a,17,20", "b,14,20"), RIGHT),
    "right of fewer": File(
        rows("model,correct,n", "a,17,20", "b,24,20"), RIGHT, "line 3: correct must be at most n; got 24 of 20",
        edit=("24", "14"),
    ),
    "pass and fail": File(
        rows("entity,outcome,count", "a,pass,17", "a,fail,3", "b,pass,14", "b,fail,6"), RIGHT
    ),
    "a leaderboard of rates": File(
        rows("Model,Accuracy,F1", "a,0.85,0.8", "b,0.7,0.75"), None, "Accuracy, F1 contain scores, such as 0.85"
    ),
    "a leaderboard of percentages": File(rows("Model,MMLU", "a,85.0%", "b,70.0%"), None, "MMLU contains scores"),
    "means and errors": File(rows("Model,Bench", "a,0.85 ± 0.02", "b,0.70 ± 0.03"), None, "Bench contains scores"),
    "correct as a share": File(
        rows("entity,correct,wrong", "a,0.85,0.15", "b,0.7,0.3"), None, "a rate: write how many cases, such as 45 of 50"
    ),
    # Answers: one column an entity
    "answers": File(wide(), OUTCOMES),
    "names that could be headings": File(
        wide(CASES.set_axis(["model", "system", "team"], axis=1)),
        br.from_outcomes(CASES.set_axis(["model", "system", "team"], axis=1)),
    ),
    "cases with names": File(wide(Case=[f"q{i}" for i in range(8)]), OUTCOMES),
    **{
        f"{column}, {remedy}": File(
            wide(**{column: values}), OUTCOMES, f"{column!r} is probably not an entity", f"--{remedy}"
        )
        for column, values, remedy in (
            ("question_id", range(8), "case question_id"),
            ("doc_id", range(100, 108), "ignore doc_id"),
            ("Unnamed: 0", range(8), "ignore 'Unnamed: 0'"),
            ("latency", np.linspace(0.2, 3, 8), "entities A,B,C"),
            ("topic", list("aabbccdd"), "ignore topic"),
            ("position", range(8), "ignore position"),
            ("cost_usd", 0.01, "ignore cost_usd"),
            ("batch", [1, 2] * 4, "ignore batch"),
            ("weights", [0.37, 0.5, 0.41, 0.2, 0.9, 0.8, 0.7, 0.6], "ignore weights"),
        )
    },
    "an odd column": File(
        wide(seq=range(10, 90, 10)), OUTCOMES, "values from 10 to 80 beside columns of 0 and 1", "--entities A,B,C"
    ),
    "a continuous column": File(
        wide(helper=np.linspace(0.11, 0.87, 8)), OUTCOMES, "fractions from 0.11 to 0.87 beside", "--entities A,B,C"
    ),
    "costs": File(wide(SCORES), br.from_outcomes(SCORES)),
    "costs and a row number": File(
        wide(SCORES, step_no=range(1, 5)), br.from_outcomes(SCORES), "whole numbers from 1 to 4, each once",
        "--entities A,B",
    ),
    "constant answers": File(wide(C=1), br.from_outcomes(CASES.assign(C=1))),
    "decimal commas": File(
        SCORES.to_csv(index=False, sep=";", decimal=","), br.from_outcomes(SCORES), pandas={"sep": ";"}
    ),
    "a missing answer": File(
        wide().replace("1,0,1\n", "1,,1\n", 1), None, "line 3: B must not be empty", "--missing 0"
    ),
    "a missing label": File(
        labels().replace("no,yes,no", "no,NA,no", 1), None, "A must not be empty", "--missing common"
    ),
    "a wrong answer": File(wide().replace("1,0,1", "1,oops,1", 1), OUTCOMES, "got 'oops'", edit=("oops", "0")),
    # Cases: one row an entity and a case
    "long": File(long(), OUTCOMES),
    "long, is_correct": File(long("is_correct", (False, True), "model", "question_id"), OUTCOMES),
    "long, correct in words": File(long("correct", ("no", "yes"), "Model", "Item"), OUTCOMES),
    "long, score": File(long("score", (0, 1), "system", "task_id", weight=1), OUTCOMES),
    "long, with metadata": File(long(remark="x", latency=np.linspace(0.1, 2, 8)), OUTCOMES),
    "long, an unknown case": File(
        long(case="Vorgang", entity="model"), OUTCOMES, "must have a column case", "--case Vorgang"
    ),
    "long, twice": File(
        long() + "1 ,A,1\n", OUTCOMES, "got '1' of 'A' in line 2 as well", edit=("1 ,A,1\n", "")
    ),
    # Labels
    "no and yes": File(labels(), LABELS),
    "y_true": File(labels("Y_true", str.upper), joint(name=str.upper)),
    "0 and 1": File(labels(name=lambda x: int(x == "yes")), joint(name=lambda x: int(x == "yes"))),
    "cancer": File(labels(name=SICK.get), joint(name=SICK.get)),
    "labels and an id": File(
        labels(sample_id=range(6)), LABELS, "'sample_id' is probably not an entity", "--case sample_id"
    ),
    "labels and a split": File(labels(part="test"), LABELS, "none of the true labels", "--entities A,B"),
    "spelled in two ways": File(
        labels(name=SICK.get).replace("cancer", "Cancer", 1), joint(name=SICK.get), "'Cancer' and 'cancer'",
        edit=("Cancer", "cancer"),
    ),
    "predictions of another type": File(
        rows("actual,A", "0,no", "1,no", "1,no"), None, "A must use the labels of actual", edit=("no", "0")
    ),
}  # fmt: skip
DRAWS = 40


def command(path, *options):
    return run("rank", path, "--draws", DRAWS, *options)


def kwargs(options):
    """What is typed in Python for the options of the command, and columns to drop."""
    found, dropped = {}, []
    words = shlex.split(options)
    for option, value in zip(words[::2], words[1::2], strict=True):
        name = {"dataset-column": "dataset"}.get(option.lstrip("-"), option.lstrip("-"))
        if name == "ignore":
            dropped.append(value)
        else:
            found[name] = (
                value.split(",") if name == "entities" else float(value) if value == "0" else value
            )
    return found, dropped


def by_command(path, options):
    roles, dropped = kwargs(options)
    return read_evidence(str(path), dropped, **roles)


def in_python(text, options, **how):
    roles, dropped = kwargs(options)
    return br.from_frame(
        pd.read_csv(io.BytesIO(text.encode()), **how).drop(columns=dropped), **roles
    )


def same_evidence(found, expected):
    if isinstance(expected, xr.DataArray):
        found, expected = (
            one.sum("dataset") if "dataset" in one.dims else one for one in (found, expected)
        )
        wanted = expected.sel(entity=found["entity"].values)
        np.testing.assert_array_equal(found.values, wanted.values)
        return
    assert set(found["entity"].values.tolist()) == set(expected["entity"].values.tolist())
    found = found.sel(entity=expected["entity"].values)
    names = [name for name in ("actual", "outcome", "predicted") if name in expected]
    for name in names:
        assert name in found

    def patterns(joint):
        rows = zip(
            *(joint[name].transpose("pattern", ...).values.tolist() for name in names), strict=True
        )
        total = {}
        for row, count in zip(rows, joint["count"].values.tolist(), strict=True):
            total[repr(row)] = total.get(repr(row), 0) + count
        return total

    assert patterns(found) == patterns(expected)
    positive = [
        joint.coords["positive"].item() if "positive" in joint.coords else None
        for joint in (found, expected)
    ]
    assert positive[0] == positive[1]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_rightly_or_refused_with_a_remedy_that_works(name, tmp_path):
    file = FILES[name]
    text, path, options = file.text, tmp_path / "file.csv", file.remedy
    path.write_bytes(text.encode())
    if file.words:
        with pytest.raises((ValueError, TypeError)) as by_shell:
            by_command(path, "")
        with pytest.raises((ValueError, TypeError)) as by_python:
            in_python(text, "", **file.pandas)
        message = str(by_shell.value)
        assert file.words in message
        assert file.remedy in message
        assert "\n" not in message
        for value in shlex.split(file.remedy)[1:]:
            assert value.split(",")[0] in str(by_python.value)
        if not (file.edit or file.remedy):
            return
        text = text.replace(*file.edit) if file.edit else text
        path.write_bytes(text.encode())
    found, evidence = by_command(path, options), in_python(text, options, **file.pandas)
    same_evidence(found, evidence)
    if file.expected is not None:
        same_evidence(evidence, file.expected)


@pytest.mark.parametrize(
    ("name", "options", "score"),
    [
        ("plain", "", "informedness"),
        ("folds", "--dataset-column fold", "informedness"),
        ("right and wrong", "", "mean_outcome"),
        ("costs", "", "mean_outcome"),
        ("long", "", "mean_outcome"),
        ("cancer", "--positive cancer", "f1"),
        ("cancer", "", "mcc"),
    ],
)
def test_the_command_ranks_a_file_as_python_does(name, options, score, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(FILES[name].text, encoding="utf-8")
    if options:
        assert options in refused("rank", path, "-s", score)
    result = command(
        path,
        *shlex.split(options),
        *(() if score == "informedness" else ("-s", score)),
        "--format",
        "csv",
    )
    assert result.exit_code == 0, result.exception
    evidence = in_python(FILES[name].text, options)
    evidence = br.pool(evidence) if "dataset" in evidence.dims else evidence
    table = br.ranking_table(
        br.credible_ranking(br.fit(evidence, draws=DRAWS, seed=1), score, method="auto")
    )
    found = pd.read_csv(io.StringIO(result.output), index_col=0)
    assert found.index.tolist() == table.index.tolist()
    np.testing.assert_allclose(
        found[table.columns].to_numpy(float), table.to_numpy(float), rtol=1e-12
    )


def test_clusters_may_cross_data_sets_that_are_pooled(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(wide(cluster=list("ppqqppqq"), dataset=list("xxxxyyyy")), encoding="utf-8")
    pooled = command(path, "--format", "csv")
    assert pooled.exit_code == 0, pooled.exception
    path.write_text(wide(cluster=list("ppqqppqq")), encoding="utf-8")
    one = command(path, "--format", "csv").output
    found = [pd.read_csv(io.StringIO(text), dtype=str) for text in (pooled.output, one)]
    said = "Cases come in 2 clusters, each counted as one unit."
    assert [set(table.pop("evidence")) for table in found] == [
        {f"Pooled over 2 data sets: x, y. {said}"},
        {said},
    ]
    pd.testing.assert_frame_equal(*found)


def test_a_study_names_data_sets_and_no_entities(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(
        "Study,Test,TP,FP,FN,TN\nOslo,a,21,10,9,70\nOslo,b,24,5,6,75\nRome,a,21,10,9,70\nRome,b,24,5,6,75\n",
        encoding="utf-8",
    )
    found = by_command(path, "")
    counts = br.from_counts(tn=[140, 150], fp=[20, 10], fn=[18, 12], tp=[42, 48], entity=["a", "b"])
    xr.testing.assert_equal(br.pool(found), counts)
    xr.testing.assert_equal(by_command(path, "--entity Test --dataset-column Study"), found)
    assert found.attrs["noun"] == "test"


def test_rows_longer_than_the_heading_are_refused():
    text = "entity,tn,fp,fn,tp\na,70,10,9,21,3\nb,71,12,8,20,3\n"
    with pytest.raises(
        ValueError, match=r"index without a name holds 'a'.*longer than the heading"
    ):
        br.from_frame(pd.read_csv(io.StringIO(text)))
    repaired = pd.read_csv(io.StringIO(text.replace("tp\n", "tp,extra\n")))
    assert br.from_frame(repaired).sel(entity="a").sum() == 110
    frame = pd.DataFrame({"tn": [1, 2], "fp": [1, 2], "fn": [1, 2], "tp": [1, 2]}, index=["a", "b"])
    assert br.from_frame(frame.rename_axis("entity"))["entity"].values.tolist() == ["a", "b"]
    assert br.from_frame(pd.read_csv(io.StringIO(cells()), index_col="entity")).identical(MATRIX)
    # Names of cases in the index of a table with one column per entity change nothing.
    assert (
        br.from_frame(pd.DataFrame({"a": [1, 0], "b": [0, 0]}, index=["x", "y"]))["count"].sum()
        == 2
    )
