"""Write the files of tests/corpus and the manifest with their right answers. Usage: python scripts/make_corpus.py

A file is written as a tool writes it: by pandas, scikit-learn, the csv module, or in the layout of R, Excel or a
leaderboard, which ``by`` names with its version. The right answer is computed here from the numbers that the file is
made of, without bayesrank, or it is a published number. The reader never sees these numbers but in the file.
"""

import gzip
import io
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

FOLDER = Path(__file__).parent.parent / "tests" / "corpus"
PANDAS, SKLEARN = f"pandas {pd.__version__}", f"scikit-learn {sklearn.__version__}"
CSV = f"csv of Python {platform.python_version()}"
R = "layout of R 4.4 (write.table, as.data.frame)"
HAND = "scripts/make_corpus.py"
ENTRIES: list[dict[str, Any]] = []
rng = np.random.default_rng(20261130)


def put(name: str, text: str | bytes) -> None:
    path = FOLDER / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def entry(
    name: str,
    text: str | bytes | pd.DataFrame,
    score: str,
    observed: dict[str, float],
    *,
    by: str = PANDAS,
    options: str = "",
    asks: str = "",
    remedies: dict[str, dict[str, Any] | None] | None = None,
    mutate: bool = True,
) -> None:
    """Write a file with its answer: the observed value of each entity, after ``options``.

    A file that must stop has in ``asks`` words of the question, and in ``remedies`` what each printed remedy promises;
    None means that it stops again.
    """
    put(name, text.to_csv(index=False) if isinstance(text, pd.DataFrame) else text)
    ENTRIES.append(
        {
            "file": name,
            "by": by,
            "score": score,
            "observed": {str(k): float(v) for k, v in observed.items()},
        }
        | ({"options": options} if options else {})
        | ({"asks": asks} if asks else {})
        | ({"remedies": remedies} if remedies else {})
        | ({} if mutate else {"mutate": False})
    )


def rows_text(*rows: str) -> str:
    return "\n".join(rows) + "\n"


# --- Counts -----------------------------------------------------------------------------------------------------------

CELLS = pd.DataFrame(
    {
        "entity": ["a", "b", "c"],
        "tn": [70, 75, 61],
        "fp": [10, 5, 19],
        "fn": [9, 6, 3],
        "tp": [21, 24, 27],
    }
)
INFORMEDNESS = {
    row.entity: row.tp / (row.tp + row.fn) + row.tn / (row.tn + row.fp) - 1
    for row in CELLS.itertuples()
}
F1 = {row.entity: 2 * row.tp / (2 * row.tp + row.fp + row.fn) for row in CELLS.itertuples()}


def counts() -> None:
    entry("counts.csv", CELLS, "informedness", INFORMEDNESS)
    entry("counts_f1.csv", CELLS, "f1", F1)
    names = {
        "tn": "True Negatives",
        "fp": "False Positives",
        "fn": "False Negatives",
        "tp": "True Positives",
    }
    entry(
        "counts_long_names.csv",
        CELLS.rename(columns=names | {"entity": "Model"}),
        "informedness",
        INFORMEDNESS,
    )
    for title in ("Team", "test", "Classifier", "algorithm", "detector_name", "system"):
        frame = CELLS.rename(columns={"entity": title})
        entry(f"counts_{title.lower()}.csv", frame, "informedness", INFORMEDNESS)
    spanish = [
        "Equipo",
        "Verdaderos Negativos",
        "Falsos Positivos",
        "Falsos Negativos",
        "Verdaderos Positivos",
    ]
    cells = " ".join(
        f"--{c} '{n}'" for c, n in zip(("tn", "fp", "fn", "tp"), spanish[1:], strict=True)
    )
    entry(
        "counts_spanish.csv",
        CELLS.set_axis(spanish, axis=1),
        "informedness",
        INFORMEDNESS,
        options=f"--entity Equipo {cells}",
    )
    entry(
        "counts_blanks.txt",
        CELLS.to_string(index=False),
        "informedness",
        INFORMEDNESS,
        by=f"{PANDAS} to_string",
    )
    r_table = "\n".join(
        [
            '"tn" "fp" "fn" "tp"',
            *(f'"{r.entity}" {r.tn} {r.fp} {r.fn} {r.tp}' for r in CELLS.itertuples()),
        ]
    )
    entry(
        "counts_r_write_table.txt",
        r_table + "\n",
        "informedness",
        INFORMEDNESS,
        by=R,
        options="--entity 'Unnamed: 0'",
        mutate=False,
    )
    for mark, what in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        entry(
            f"counts_{what}.csv", CELLS.to_csv(index=False, sep=mark), "informedness", INFORMEDNESS
        )
    entry(
        "counts_excel.csv",
        b"\xef\xbb\xbfsep=;\r\n"
        + CELLS.to_csv(index=False, sep=";").replace("\n", "\r\n").encode(),
        "informedness",
        INFORMEDNESS,
        by="layout of Excel 365 (CSV UTF-8 with sep=)",
        mutate=False,
    )
    entry(
        "counts_utf16.csv",
        CELLS.replace({"entity": {"a": "é"}}).to_csv(index=False, sep="\t").encode("utf-16"),
        "informedness",
        {"é": INFORMEDNESS["a"], "b": INFORMEDNESS["b"], "c": INFORMEDNESS["c"]},
        by="layout of Excel 365 (Unicode text)",
        mutate=False,
    )
    entry(
        "counts.csv.gz",
        gzip.compress(CELLS.to_csv(index=False).encode(), mtime=0),
        "informedness",
        INFORMEDNESS,
        by=f"{PANDAS}, gzip",
        mutate=False,
    )
    for orient in ("records", "columns"):
        text = CELLS.to_json(orient=orient)
        entry(
            f"counts_{orient}.json",
            text,
            "informedness",
            INFORMEDNESS,
            by=f"{PANDAS} to_json",
            mutate=False,
        )
    lines = CELLS.to_json(orient="records", lines=True)
    entry(
        "counts.jsonl",
        lines,
        "informedness",
        INFORMEDNESS,
        by=f"{PANDAS} to_json(lines=True)",
        mutate=False,
    )
    entry(
        "counts_list.json",
        json.dumps(CELLS.to_dict("list")),
        "informedness",
        INFORMEDNESS,
        by=CSV,
        mutate=False,
    )
    extra = CELLS.assign(accuracy=0.5, license="MIT", latency_ms=[3.5, 2.5, 9.0])
    entry("counts_beside_others.csv", extra, "informedness", INFORMEDNESS)
    index = CELLS.set_index("entity")
    entry("counts_named_index.csv", index.to_csv(), "informedness", INFORMEDNESS)
    entry(
        "counts_numbers_as_index.csv",
        CELLS.to_csv(),
        "informedness",
        INFORMEDNESS,
        by=f"{PANDAS} to_csv with an index",
    )
    studies = pd.concat([CELLS.assign(study="x"), CELLS.assign(study="y", tp=CELLS["tp"] + 5)])
    entry(
        "counts_two_studies.csv",
        studies,
        "informedness",
        _pooled(studies),
        options="--model dirichlet_multinomial",
    )
    suites = pd.concat([CELLS.assign(suite=s, task=t) for s in "xy" for t in ("1", "2")])
    entry(
        "counts_suite_and_task.csv",
        suites,
        "informedness",
        INFORMEDNESS,
        options="--dataset-column suite,task --model dirichlet_multinomial",
    )
    total = pd.concat(
        [CELLS, pd.DataFrame([["Total", *CELLS.iloc[:, 1:].sum()]], columns=CELLS.columns)]
    )
    entry(
        "counts_total_row.csv",
        total,
        "informedness",
        INFORMEDNESS,
        asks="'Total' must not be a row",
    )
    entry(
        "counts_without_entity.csv",
        rows_text("TP,FN,FP,TN", "47,9,101,738", "126,51,272,1543", "19,10,12,192"),
        "informedness",
        {},
        by="data AuditC of the R package mada 0.5.11, first three studies",
        asks="must have a column entity",
        remedies={
            "--entity @row": {
                "row 1": 47 / 56 + 738 / 839 - 1,
                "row 2": 126 / 177 + 1543 / 1815 - 1,
                "row 3": 19 / 29 + 192 / 204 - 1,
            },
            "--dataset-column @row": {"entity 1": 192 / 262 + 2473 / 2858 - 1},
        },
    )


def detection() -> None:
    boxes = CELLS.drop(columns="tn")
    entry("detection.csv", boxes, "f1", F1, by="layout of an object detection board")
    entry(
        "detection_empty_tn.csv",
        boxes.assign(tn=""),
        "f1",
        F1,
        by="layout of an object detection board",
    )
    jaccard = {row.entity: row.tp / (row.tp + row.fp + row.fn) for row in CELLS.itertuples()}
    zero = boxes.assign(tn=0).rename(columns={"entity": "detector"})
    entry(
        "detection_zero_tn.csv", zero, "jaccard", jaccard, by="layout of an object detection board"
    )


def _pooled(frame: pd.DataFrame) -> dict[str, float]:
    sums = frame.groupby(frame.columns[0])[["tn", "fp", "fn", "tp"]].sum()
    return dict(sums["tp"] / (sums["tp"] + sums["fn"]) + sums["tn"] / (sums["tn"] + sums["fp"]) - 1)


def cells_in_rows() -> None:
    long = CELLS.melt("entity", var_name="cell", value_name="count")
    classes = {"tn": (0, 0), "fp": (0, 1), "fn": (1, 0), "tp": (1, 1)}
    long["actual"], long["predicted"] = zip(*long["cell"].map(classes), strict=True)
    long = long[["entity", "actual", "predicted", "count"]]
    entry("cells.csv", long, "informedness", INFORMEDNESS)
    entry(
        "cells_n.csv",
        long.rename(columns={"entity": "model", "count": "n"}),
        "informedness",
        INFORMEDNESS,
    )
    entry(
        "cells_n_patients.csv",
        long.rename(columns={"count": "n_patients"}),
        "informedness",
        INFORMEDNESS,
        asks="must say what its column n_patients holds",
        remedies={"--count n_patients": INFORMEDNESS},
    )
    words = long.assign(**{c: long[c].map({0: "no", 1: "yes"}) for c in ("actual", "predicted")})
    entry(
        "cells_of_r.csv",
        words.rename(columns={"actual": "Reference", "predicted": "Prediction", "count": "Freq"}),
        "informedness",
        INFORMEDNESS,
        by=R,
    )
    three = np.array([[50, 6, 14], [8, 124, 20], [3, 9, 60]])
    names = ["high", "low", "moderate"]
    freq = pd.DataFrame(
        [(names[p], names[a], three[a, p]) for a in range(3) for p in range(3)],
        columns=["Prediction", "Reference", "Freq"],
    )
    value = {"cells_of_r_three_classes": np.trace(three) / three.sum()}
    entry("cells_of_r_three_classes.csv", freq, "accuracy", value, by=R)
    entry(
        "caret_table.csv",
        "Prediction,Reference,Freq\nhigh,high,50\nlow,high,6\nmoderate,high,14\n"
        "high,low,20\nlow,low,124\nmoderate,low,18\nhigh,moderate,8\nlow,moderate,32\nmoderate,moderate,22\n",
        "accuracy",
        {"caret_table": 196 / 294},
        by="caret issue 1020, as.data.frame(table(...)) of R",
    )
    crossed = pd.crosstab(
        pd.Series([0, 0, 1, 1, 1, 0], name="actual"),
        pd.Series([0, 1, 1, 1, 0, 0], name="predicted"),
    )
    frame = crossed.stack().rename("count").reset_index()
    entry("crosstab.csv", frame, "accuracy", {"crosstab": 4 / 6}, by=f"{PANDAS} crosstab, stacked")


def right_and_wrong() -> None:
    rate = {"a": 17 / 20, "b": 14 / 20, "c": 9 / 20}
    right, names = [17, 14, 9], list("abc")
    frame = pd.DataFrame({"entity": names, "correct": right, "wrong": [3, 6, 11]})
    entry("right_wrong.csv", frame, "mean_outcome", rate)
    entry(
        "right_incorrect.csv",
        frame.set_axis(["Team", "Correct", "Incorrect"], axis=1),
        "mean_outcome",
        rate,
    )
    for total in ("total", "n", "n_total", "trials"):
        held = pd.DataFrame({"model": names, "n_correct": right, total: 20})
        entry(f"right_of_{total}.csv", held, "mean_outcome", rate)
    entry(
        "right_of_count.csv",
        pd.DataFrame({"entity": names, "correct": right, "count": 20}),
        "mean_outcome",
        rate,
        asks="must say what its column count holds",
        remedies={"--count count": {"a": 17.0, "b": 14.0, "c": 9.0}},
    )
    long = pd.DataFrame(
        {
            "entity": np.repeat(names, 2),
            "outcome": ["pass", "fail"] * 3,
            "count": [17, 3, 14, 6, 9, 11],
        }
    )
    entry("outcome_words_count.csv", long, "mean_outcome", rate)
    entry("outcome_01_count.csv", long.assign(outcome=[1, 0] * 3), "mean_outcome", rate)
    grades = pd.DataFrame(
        {"model": ["a"] * 3 + ["b"] * 3, "grade": [1, 3, 5] * 2, "freq": [2, 5, 3, 6, 3, 1]}
    )
    entry("grades_freq.csv", grades, "mean_outcome", {"a": 32 / 10, "b": 20 / 10})
    entry(
        "outcome_n.csv",
        long.assign(outcome=[1, 0] * 3).rename(columns={"count": "n"}),
        "mean_outcome",
        rate,
        asks="must say what its column n holds",
        remedies={"--count n": rate},
    )


def means() -> None:
    board = pd.DataFrame(
        {"model": list("abc"), "mean": [0.71, 0.70, 0.66], "se": [0.012, 0.02, 0.015]}
    )
    value = dict(zip("abc", board["mean"], strict=True))
    entry("means.csv", board, "mean_outcome", value)
    entry("means_n.csv", board.assign(n=[1400, 500, 900]), "mean_outcome", value)
    entry(
        "means_score_stderr.csv",
        board.set_axis(["model", "score", "stderr"], axis=1),
        "mean_outcome",
        value,
    )
    ends = pd.DataFrame(
        {
            "model": list("abc"),
            "score": board["mean"],
            "lower": board["mean"] - 0.03,
            "upper": board["mean"] + 0.04,
        }
    ).round(4)
    entry("means_lower_upper.csv", ends, "mean_outcome", value)
    entry(
        "means_ci_lower.csv",
        ends.set_axis(["model", "mean", "ci_lower", "ci_upper"], axis=1),
        "mean_outcome",
        value,
    )
    percent = ends.set_index("model").map(lambda v: f"{100 * v:.1f}%").reset_index()
    entry("means_percent.csv", percent, "mean_outcome", value)
    entry(
        "means_acc_stderr.csv",
        board.set_axis(["model", "acc", "acc_stderr"], axis=1),
        "mean_outcome",
        value,
        by="layout of lm-evaluation-harness 0.4 (results, acc and acc_stderr)",
        asks="must say which column holds the means",
        remedies={"--outcome acc --se acc_stderr": value},
    )
    entry(
        "leaderboard_percent_ends.csv",
        rows_text("Model,Accuracy,CI_lower,CI_upper", "a,80.1%,75.0%,85.2%", "b,70%,65%,75%"),
        "mean_outcome",
        {"a": 0.801, "b": 0.7},
        by="layout of a leaderboard",
        asks="must say which column holds the means",
        remedies={"--outcome Accuracy": {"a": 0.801, "b": 0.7}},
    )
    entry(
        "leaderboard_index_heading.csv",
        rows_text(
            ",win_rate,standard_error,n_total,avg_length",
            "model-a,50.00,0.00,805,1982",
            "model-b,46.21,1.52,805,2049",
            "model-c,31.80,1.45,805,1240",
        ),
        "mean_outcome",
        {"model-b": 46.21, "model-c": 31.8},
        by="layout of alpaca_eval's leaderboards (pandas, index)",
        asks="must say which column holds the means",
        remedies={
            "--outcome win_rate --entity 'Unnamed: 0' --where 'Unnamed: 0=model-b' --where 'Unnamed: 0=model-c'": {
                "model-b": 46.21,
                "model-c": 31.8,
            },
        },
    )
    entry(
        "leaderboard_rates.csv",
        rows_text("Model,Accuracy,F1", "a,0.85,0.8", "b,0.7,0.75"),
        "",
        {},
        by="layout of a leaderboard",
        asks="do not say of how many cases",
    )
    entry(
        "leaderboard_plus_minus.csv",
        rows_text("Model,Bench", "a,0.85 ± 0.02", "b,0.70 ± 0.03"),
        "",
        {},
        by="layout of a leaderboard",
        asks="Bench holds scores",
    )


# --- Outcomes of cases ------------------------------------------------------------------------------------------------

RIGHT = pd.DataFrame(rng.integers(0, 2, (16, 3)), columns=["gpt", "llama", "qwen"])
SHARE = dict(RIGHT.mean())
GRADES = pd.DataFrame(rng.integers(1, 6, (16, 3)), columns=["gpt", "llama", "qwen"])


def long_of(
    wide: pd.DataFrame, entity: str = "entity", case: str = "case", value: str = "outcome"
) -> pd.DataFrame:
    table = wide.assign(**{case: [f"q{i}" for i in range(len(wide))]})
    return table.melt(case, var_name=entity, value_name=value)


def cases_in_rows() -> None:
    entry("cases.csv", long_of(RIGHT), "mean_outcome", SHARE)
    entry(
        "cases_question_id.csv",
        long_of(RIGHT, "model", "question_id", "score"),
        "mean_outcome",
        SHARE,
    )
    entry(
        "cases_is_correct.csv",
        long_of(RIGHT, "Model", "Case ID", "is_correct"),
        "mean_outcome",
        SHARE,
    )
    for zero, one, name in (("fail", "pass", "pass_fail"), ("False", "True", "true_false"), ("I", "C", "inspect"),
                            ("incorrect", "correct", "correct_words"), ("No", "Yes", "yes_no")):  # fmt: skip
        table = long_of(RIGHT)
        entry(
            f"cases_{name}.csv",
            table.assign(outcome=table["outcome"].map({0: zero, 1: one})),
            "mean_outcome",
            SHARE,
        )
    entry("cases_grades.csv", long_of(GRADES), "mean_outcome", dict(GRADES.mean()))
    entry(
        "cases.json",
        long_of(RIGHT).to_json(orient="records"),
        "mean_outcome",
        SHARE,
        by=f"{PANDAS} to_json",
        mutate=False,
    )
    entry(
        "cases.jsonl",
        long_of(RIGHT).to_json(orient="records", lines=True),
        "mean_outcome",
        SHARE,
        by=f"{PANDAS} to_json(lines=True)",
        mutate=False,
    )
    runs = pd.concat([long_of(RIGHT).assign(run=1), long_of(1 - RIGHT).assign(run=2)])
    entry("cases_runs.csv", runs, "mean_outcome", dict.fromkeys(RIGHT, 0.5))
    clustered = long_of(RIGHT)
    clustered["cluster"] = clustered["case"].str[1:].astype(int) // 2
    entry("cases_clusters.csv", clustered, "mean_outcome", SHARE)
    entry(
        "cases_passage.csv",
        clustered.rename(columns={"cluster": "passage"}),
        "mean_outcome",
        SHARE,
        options="--cluster passage",
    )
    dice = (RIGHT * 0.3 + 0.5 + rng.uniform(0, 0.19, RIGHT.shape)).round(3)
    table = long_of(dice, "model", "case", "dice")
    entry(
        "segmentation_dice.csv",
        table,
        "mean_outcome",
        dict(dice.mean()),
        asks="must say which column holds the outcomes",
        remedies={"--outcome dice": dict(dice.mean())},
        by="layout of a challenge host",
    )
    far = (20 * (1 - dice)).round(2)
    both = table.assign(hd95=long_of(far)["outcome"])
    entry(
        "segmentation_two.csv",
        both,
        "mean_outcome",
        dict(dice.mean()),
        options="--outcome dice",
        by="layout of a challenge host",
    )
    metrics = pd.concat(
        [
            table.rename(columns={"dice": "value"}).assign(metric="dice"),
            long_of(far, "model", "case", "value").assign(metric="hd95"),
        ]
    )
    entry(
        "metrics_in_rows.csv",
        metrics,
        "mean_outcome",
        dict(dice.mean()),
        options="--where metric=dice --outcome value",
        by="layout of seaborn's long form",
    )
    ranker = table.set_axis(["case", "alg_name", "value"], axis=1).assign(task="T1")
    entry(
        "challenger.csv",
        ranker,
        "mean_outcome",
        dict(dice.mean()),
        options="--outcome value",
        by="layout of the R package challengeR 1.0 (as.challenge)",
    )
    tasks = pd.concat([ranker.assign(task=task) for task in ("c_ideal", "c_random")])
    entry(
        "challenger_tasks.csv",
        tasks,
        "mean_outcome",
        dict(dice.mean()),
        asks="must say which column holds the outcomes",
        remedies={"--outcome value --dataset-column task": dict(dice.mean())},
        by="layout of the R package challengeR 1.0 (as.challenge, several tasks)",
    )
    variants = pd.concat(
        [
            long_of(RIGHT, "model").assign(variant="base"),
            long_of(1 - RIGHT, "model").assign(variant="tuned"),
        ]
    )
    value = {f"{name}, base": v for name, v in SHARE.items()} | {
        f"{name}, tuned": 1 - v for name, v in SHARE.items()
    }
    entry(
        "model_and_variant.csv", variants, "mean_outcome", value, options="--entity model,variant"
    )
    splits = pd.concat(
        [long_of(RIGHT).assign(split="test"), long_of(1 - RIGHT).assign(split="dev")]
    )
    entry("splits.csv", splits, "mean_outcome", SHARE, options="--where split=test")
    entry(
        "cases_missing_row.csv",
        long_of(RIGHT)[:-1],
        "mean_outcome",
        SHARE,
        asks="must have a row for every entity on every case",
    )
    code = long_of(RIGHT)
    code.loc[3, "outcome"] = -1
    entry(
        "cases_minus_one.csv",
        code,
        "mean_outcome",
        SHARE,
        asks="must say what -1 means",
        remedies={"--outcome outcome": None},
    )
    sentinel = long_of(GRADES)
    sentinel.loc[3, "outcome"] = 999
    entry("cases_999.csv", sentinel, "mean_outcome", {}, asks="must say what 999 means")


def cases_in_columns() -> None:
    entry("answers.csv", RIGHT, "mean_outcome", SHARE)
    entry("answers_words.csv", RIGHT.replace({0: "fail", 1: "pass"}), "mean_outcome", SHARE)
    entry("answers_bool.csv", RIGHT.astype(bool), "mean_outcome", SHARE)
    entry("answers_case.csv", RIGHT.assign(case=range(16)), "mean_outcome", SHARE)
    entry("answers_floats.csv", RIGHT.astype(float), "mean_outcome", SHARE)
    entry("answers_grades.csv", GRADES.assign(case=range(16)), "mean_outcome", dict(GRADES.mean()))
    halves = GRADES / 2 + 0.25
    entry(
        "answers_decimal_commas.csv",
        halves.assign(case=range(16)).to_csv(index=False, sep=";", decimal=","),
        "mean_outcome",
        dict(halves.mean()),
        by=f"{PANDAS} to_csv(decimal=',')",
        mutate=False,
    )
    entry(
        "answers_question.csv",
        RIGHT.assign(question=[f"q{i}" for i in range(16)]),
        "mean_outcome",
        SHARE,
        asks="'question' is probably not an entity",
        remedies={
            "--case question": SHARE,
            "--ignore question": SHARE,
            "--entities gpt,llama,qwen": SHARE,
        },
    )
    units = RIGHT.assign(patient=np.repeat(range(8), 2))
    entry(
        "answers_patients.csv",
        units,
        "mean_outcome",
        SHARE,
        asks="'patient' is probably not an entity",
    )
    entry(
        "answers_r_index.csv",
        RIGHT.to_csv(),
        "mean_outcome",
        SHARE,
        by=f"{PANDAS} to_csv with an index",
        asks="'Unnamed: 0' is probably not an entity",
    )
    weights = RIGHT.assign(weight=1.0)
    entry("answers_weight.csv", weights, "mean_outcome", SHARE, options="--weight weight")
    code = GRADES.assign(case=range(16))
    code.loc[2, "gpt"] = -1
    entry("answers_minus_one.csv", code, "mean_outcome", {}, asks="must say what -1 means")
    counted = RIGHT.groupby(list(RIGHT), as_index=False).size().rename(columns={"size": "Freq"})
    entry(
        "answers_counted.csv",
        counted,
        "mean_outcome",
        SHARE,
        options="--count Freq --entities gpt,llama,qwen",
        by=R,
    )
    entry(
        "answers_counted_open.csv",
        counted,
        "mean_outcome",
        SHARE,
        asks="must say what its values mean",
        options="--count Freq",
        remedies={"--entities gpt,llama,qwen": SHARE},
        by=R,
    )


# --- Labels and probabilities -----------------------------------------------------------------------------------------

TRUTH = rng.integers(0, 2, 30)
SAID = pd.DataFrame(
    {
        name: np.where(rng.random(30) < error, 1 - TRUTH, TRUTH)
        for name, error in (("CT", 0.1), ("MRI", 0.25), ("PET", 0.35))
    }
)
YOUDEN = {name: held[TRUTH == 1].mean() - held[TRUTH == 0].mean() for name, held in SAID.items()}


def labels() -> None:
    entry("labels.csv", SAID.assign(actual=TRUTH), "informedness", YOUDEN)
    entry("labels_y_true.csv", SAID.assign(y_true=TRUTH), "informedness", YOUDEN)
    entry("labels_ground_truth.csv", SAID.assign(**{"Ground Truth": TRUTH}), "informedness", YOUDEN)
    entry(
        "labels_words.csv",
        SAID.assign(actual=TRUTH).replace({0: "negative", 1: "positive"}),
        "informedness",
        YOUDEN,
    )
    entry(
        "labels_named.csv",
        SAID.assign(actual=TRUTH).replace({0: "benign", 1: "malignant"}),
        "informedness",
        YOUDEN,
        options="--positive malignant",
    )
    for name in (
        "d",
        "disease",
        "biopsy",
        "final_diagnosis",
        "cancer",
        "gold",
        "target",
        "label",
        "human",
        "ref_std",
    ):
        frame = SAID.assign(**{name: TRUTH})
        if name == "gold":
            entry("labels_gold.csv", frame, "informedness", YOUDEN)
            continue
        entry(
            f"labels_{name}.csv",
            frame,
            "informedness",
            YOUDEN,
            asks="named like the truth",
            remedies={f"--truth {name} --entities CT,MRI,PET": YOUDEN},
        )
    numbered = SAID.set_axis(["y1", "y2", "y3"], axis=1).assign(stone=TRUTH)
    value = dict(zip(("y1", "y2", "y3"), YOUDEN.values(), strict=True))
    means = dict(numbered.mean())
    entry(
        "labels_stone.csv",
        numbered,
        "informedness",
        value,
        asks="which is not numbered like y1",
        remedies={"--truth stone --entities y1,y2,y3": value, "--entities y1,y2,y3,stone": means},
    )
    long = SAID.assign(case=range(30), actual=TRUTH).melt(
        ["case", "actual"], var_name="reader", value_name="predicted"
    )
    entry("labels_long.csv", long, "informedness", YOUDEN)
    three, said = (
        rng.integers(1, 5, 40),
        pd.DataFrame(rng.integers(1, 5, (40, 2)), columns=["A", "B"]),
    )
    said["A"] = np.where(rng.random(40) < 0.6, three, said["A"])
    entry(
        "labels_1_to_4.csv",
        said.assign(actual=three),
        "accuracy",
        {n: (said[n] == three).mean() for n in said},
    )
    unseen = said.copy()
    unseen.loc[39, "B"] = 6
    entry(
        "labels_unseen_last.csv",
        unseen.assign(actual=three),
        "accuracy",
        {n: (unseen[n] == three).mean() for n in said},
    )
    paired = pd.DataFrame(
        [(d, a, b) for d in (0, 1) for a in (0, 1) for b in (0, 1)], columns=["d", "y1", "y2"]
    )
    paired["Freq"] = [155, 22, 53, 31, 32, 22, 78, 319]
    published = {"y1": 397 / 451 + 177 / 261 - 1, "y2": 341 / 451 + 208 / 261 - 1}
    entry(
        "paired_tests_truth_d.csv",
        paired,
        "informedness",
        published,
        by="data Paired1 of the R package DTComPair 1.2",
        options="--count Freq",
        asks="named like the truth",
        remedies={"--truth d --entities y1,y2": published},
    )
    entry(
        "paired_tests_stone.csv",
        paired.rename(columns={"d": "stone"}),
        "informedness",
        published,
        by="data Paired1 of the R package DTComPair 1.2",
        options="--count Freq",
        asks="which is not numbered like y1, y2",
        remedies={
            "--truth stone --entities y1,y2": published,
            "--entities stone,y1,y2": {"stone": 451 / 712, "y1": 481 / 712, "y2": 394 / 712},
        },
    )
    judges = pd.read_csv(
        io.StringIO(
            rows_text(
                "case,actual,judge1,judge2",
                *(f"{i},pass,pass,pass" for i in range(1, 9)),
                "9,pass,pass,fail",
                "10,fail,pass,fail",
            )
        )
    )
    agreement = {"judge1": 0.9, "judge2": 0.9}
    entry("judges_actual.csv", judges, "accuracy", agreement, options="--positive pass")
    entry(
        "judges_human.csv",
        judges.rename(columns={"actual": "human"}),
        "accuracy",
        agreement,
        asks="named like the truth",
        remedies={"--truth human --entities judge1,judge2": agreement},
    )


def one_classifier() -> None:
    said = SAID["CT"].to_numpy()
    value = YOUDEN["CT"]
    for name, truth, guess in (("y_true_y_pred", "y_true", "y_pred"), ("actual_predicted", "actual", "predicted"),
                               ("truth_prediction", "truth", "prediction"), ("obs_pred", "obs", "pred")):  # fmt: skip
        entry(
            f"{name}.csv", pd.DataFrame({truth: TRUTH, guess: said}), "informedness", {name: value}
        )
    caret = pd.DataFrame({"pred": said, "obs": TRUTH, "rowIndex": range(1, 31)}).replace(
        {0: "no", 1: "yes"}
    )
    caret["rowIndex"] = range(1, 31)
    entry(
        "caret_row_index.csv",
        caret,
        "informedness",
        {"caret_row_index": value},
        by="layout of R caret 6.0 (train()$pred)",
    )
    share = np.where(said == 1, 0.8, 0.2)
    yard = pd.DataFrame(
        {"truth": TRUTH, ".pred_no": 1 - share, ".pred_yes": share, ".pred_class": said}
    )
    yard[["truth", ".pred_class"]] = yard[["truth", ".pred_class"]].replace({0: "no", 1: "yes"})
    entry(
        "tidymodels.csv",
        yard,
        "informedness",
        {"tidymodels": value},
        by="layout of R yardstick 1.3 (augment())",
    )
    folds = pd.DataFrame(
        {"obs": TRUTH, "pred": said, "Resample": [f"Fold{i % 5 + 1:02d}" for i in range(30)]}
    )
    entry(
        "yardstick_folds.csv",
        folds,
        "informedness",
        {"yardstick_folds": value},
        by="layout of yardstick's hpc_cv",
        asks="names folds",
        remedies={"--ignore Resample": {"yardstick_folds": value}},
    )
    patients = pd.DataFrame(
        {"actual": TRUTH, "predicted": said, "patient": np.repeat(range(15), 2)}
    )
    entry(
        "patients.csv",
        patients,
        "informedness",
        {"patients": value},
        asks="must say what its column patient holds",
        remedies={
            "--cluster patient": {"patients": value},
            "--ignore patient": {"patients": value},
        },
    )


def probabilities() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    rows = rng.choice(len(y), 60, replace=False)
    models = {
        "logreg": make_pipeline(StandardScaler(), LogisticRegression()),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=1),
        "bayes": GaussianNB(),
    }
    held = {
        name: cross_val_predict(m, x, y, cv=5, method="predict_proba")[rows, 1].round(4)
        for name, m in models.items()
    }
    frame = pd.DataFrame(held).assign(actual=y[rows])
    auc = {name: roc_auc_score(y[rows], p) for name, p in held.items()}
    by = f"{SKLEARN} cross_val_predict(method='predict_proba')"
    entry("probabilities.csv", frame, "auc_roc", auc, by=by)
    entry(
        "probabilities_y_true.csv",
        frame.rename(columns={"actual": "y_true"}),
        "auc_roc",
        auc,
        by=by,
    )
    percent = frame.assign(**{n: [f"{100 * v:.2f}%" for v in frame[n]] for n in held})
    entry("probabilities_percent.csv", percent, "auc_roc", auc, by=by)
    by_class = pd.DataFrame({"actual": np.where(y[rows], "benign", "malignant")})
    for name, p in held.items():
        by_class[f"{name}: benign"], by_class[f"{name}: malignant"] = p, (1 - p).round(4)
    entry(
        "probabilities_by_class.csv", by_class, "auc_roc", auc, by=by, options="--positive benign"
    )
    long = frame.assign(case=range(60)).melt(
        ["case", "actual"], var_name="model", value_name="probability"
    )
    entry("probabilities_long.csv", long, "auc_roc", auc, by=by)
    said = pd.DataFrame({n: (p >= 0.5).astype(int) for n, p in held.items()}).assign(y_test=y[rows])
    entry("sklearn_labels.csv", said, "f1", {n: f1_score(y[rows], said[n]) for n in held}, by=by)
    wine_x, wine_y = load_wine(return_X_y=True)
    wine = pd.DataFrame({n: cross_val_predict(m, wine_x, wine_y, cv=5) for n, m in models.items()})
    take = rng.choice(len(wine_y), 70, replace=False)
    wine = wine.iloc[take].assign(actual=wine_y[take])
    entry(
        "sklearn_three_classes.csv",
        wine,
        "accuracy",
        {n: accuracy_score(wine["actual"], wine[n]) for n in models},
        by=f"{SKLEARN} cross_val_predict",
    )
    entry(
        "sklearn_target.csv",
        wine.rename(columns={"actual": "target"}),
        "accuracy",
        {n: accuracy_score(wine["actual"], wine[n]) for n in models},
        by=f"{SKLEARN} cross_val_predict",
        asks="named like the truth",
        remedies={
            "--truth target --entities logreg,tree,bayes": {
                n: accuracy_score(wine["actual"], wine[n]) for n in models
            }
        },
    )


# --- Folds, votes, judges ---------------------------------------------------------------------------------------------


def folds() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    models = {
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(random_state=1),
        "stump": DecisionTreeClassifier(max_depth=1, random_state=1),
    }
    found = {n: cross_validate(m, x, y, cv=10)["test_score"] for n, m in models.items()}
    wide = pd.DataFrame(found)
    value, by = dict(wide.mean()), f"{SKLEARN} cross_validate(cv=10)"
    sized = "--train 0.9 --test 0.1"
    entry(
        "folds_wide.csv",
        wide,
        "mean_outcome",
        value,
        by=by,
        asks="must say what its rows are",
        remedies={sized: value, "--entities bayes,tree,stump": value},
    )
    entry(
        "folds_percent.csv",
        (100 * wide).round(2),
        "mean_outcome",
        dict((100 * wide).round(2).mean().items()),
        by=by,
        asks="must say what its rows are",
    )
    entry("folds_sized.csv", wide, "mean_outcome", value, by=by, options="--train 512 --test 57")
    entry(
        "folds_numbered.csv",
        wide.assign(fold=range(10)),
        "mean_outcome",
        value,
        by=by,
        asks="one row for each fold",
        remedies={f"--fold fold {sized}": value},
    )
    long = wide.assign(fold=range(10)).melt("fold", var_name="model", value_name="accuracy")
    entry(
        "folds_long.csv",
        long,
        "mean_outcome",
        value,
        by=by,
        asks="one row for each model and fold",
        remedies={f"--fold fold --outcome accuracy {sized}": value},
    )
    twice = pd.concat(
        [long.assign(repeat=r, accuracy=(long["accuracy"] - 0.01 * r).round(4)) for r in (0, 1)]
    )
    entry(
        "folds_repeated.csv",
        twice,
        "mean_outcome",
        twice.groupby("model")["accuracy"].mean().to_dict(),
        by=by,
        options=f"--fold fold --repeat repeat --outcome accuracy {sized}",
    )
    grid = GridSearchCV(DecisionTreeClassifier(random_state=1), {"max_depth": [1, 3]}, cv=5).fit(
        x, y
    )
    results = pd.DataFrame(grid.cv_results_)
    # Times differ from run to run, and nothing is ranked by them.
    results[[c for c in results if c.endswith("_time")]] = 0.01
    mean = results[[c for c in results if c.startswith("split")]].mean(axis=1)
    value = {"max_depth=1": mean[0], "max_depth=3": mean[1]}
    entry(
        "cv_results.csv",
        results,
        "mean_outcome",
        value,
        by=f"{SKLEARN} GridSearchCV.cv_results_",
        asks="scores of the folds of a cross-validation",
        remedies={"--train 0.8 --test 0.2": value},
        mutate=False,
    )


VOTES = pd.DataFrame(
    {
        "model_a": list("aabbcc") * 5,
        "model_b": list("bccaab") * 5,
        "winner": ["model_a", "model_b", "tie", "model_a", "model_b", "model_a"] * 5,
    }
)


def votes() -> None:
    won = {"a": 0.0, "b": 0.0, "c": 0.0}
    for row in VOTES.itertuples():
        for name, side in ((row.model_a, "model_a"), (row.model_b, "model_b")):
            won[name] += 1.0 if row.winner == side else 0.5 if row.winner == "tie" else 0.0
    named = VOTES.assign(
        winner=[r[r["winner"]] if r["winner"] != "tie" else "tie" for _, r in VOTES.iterrows()]
    )
    entry("votes.csv", VOTES, "strength", won, by="layout of Chatbot Arena's battles")
    entry("votes_named.csv", named, "strength", won)
    entry(
        "votes_player.csv",
        named.set_axis(["player_1", "player_2", "winner"], axis=1),
        "strength",
        won,
    )
    entry(
        "votes_left_right.csv",
        named.set_axis(["left", "right", "choice"], axis=1),
        "strength",
        won,
        asks="must say which columns hold the entities of each vote",
        remedies={"--a left --b right --winner choice": won},
    )
    counted = VOTES.groupby(list(VOTES), as_index=False).size().rename(columns={"size": "count"})
    entry("votes_counted.csv", counted, "strength", won, options="--count count")
    hot = pd.DataFrame({"id": range(30), "model_a": VOTES["model_a"], "model_b": VOTES["model_b"]})
    for side in ("model_a", "model_b", "tie"):
        hot[f"winner_{side}"] = (VOTES["winner"] == side).astype(int)
    entry("votes_one_hot.csv", hot, "strength", won, by="layout of Kaggle's LMSYS competition")
    for orient, name, lines in (("records", "votes.json", False), ("records", "votes.jsonl", True)):
        entry(
            name,
            VOTES.to_json(orient=orient, lines=lines),
            "strength",
            won,
            by=f"{PANDAS} to_json",
            mutate=False,
        )
    decided = VOTES[VOTES["winner"] != "tie"]
    first = decided["winner"] == "model_a"
    winners = pd.DataFrame(
        {
            "winner": np.where(first, decided["model_a"], decided["model_b"]),
            "loser": np.where(first, decided["model_b"], decided["model_a"]),
        }
    )
    alone = {name: float((winners["winner"] == name).sum()) for name in won}
    entry("votes_winner_loser.csv", winners, "strength", alone)
    games = pd.DataFrame(
        {
            "question_id": range(30),
            "model_1": VOTES["model_a"],
            "model_2": VOTES["model_b"],
            "g1_winner": VOTES["winner"].replace({"model_a": "model_1", "model_b": "model_2"}),
        }
    )
    games["g2_winner"] = games["g1_winner"].where(games.index % 3 != 0, "tie")
    final = VOTES["winner"].where((games["g1_winner"] == games["g2_winner"]), "tie")
    twice = dict.fromkeys(won, 0.0)
    for row, winner in zip(VOTES.itertuples(), final, strict=True):
        for name, side in ((row.model_a, "model_a"), (row.model_b, "model_b")):
            twice[name] += 1.0 if winner == side else 0.5 if winner == "tie" else 0.0
    entry(
        "mt_bench_pair.jsonl",
        games.to_json(orient="records", lines=True),
        "strength",
        twice,
        by="layout of FastChat's gpt-4_pair.jsonl",
        mutate=False,
    )


# --- Other tools ------------------------------------------------------------------------------------------------------

#: Counts of three tests: name, tp, fp, fn, tn.
MARKERS = [("CRP", 90, 15, 10, 185), ("PCT", 80, 8, 20, 192), ("IL6", 85, 30, 15, 170)]


def clinicians() -> None:
    """Write tables of tests as spreadsheets and study forms export them."""
    own = np.random.default_rng(20261201)
    found = {name: tp / (tp + fn) + tn / (tn + fp) - 1 for name, tp, fp, fn, tn in MARKERS}
    excel = "layout of a spreadsheet (Excel 365)"

    def table(heading: str, row: str, *more: str, mark: str = ",") -> str:
        rows = [row.format(n=n, tp=tp, fp=fp, fn=fn, tn=tn, p=tp + fn, q=tn + fp, se=100 * tp / (tp + fn),
                           sp=100 * tn / (tn + fp)) for n, tp, fp, fn, tn in MARKERS]  # fmt: skip
        return rows_text(heading, *rows, *more)

    cells = "{n},{tp},{fp},{fn},{tn}"
    for name, heading in (
        ("sheet_true_pos.csv", "Index test,True pos.,False pos.,False neg.,True neg."),
        ("sheet_tp_n.csv", "Index test,TP (n),FP (n),FN (n),TN (n)"),
        ("sheet_number_sign.csv", "Assay,# TP,# FP,# FN,# TN"),
    ):
        entry(name, table(heading, cells), "informedness", found, by=excel)
    shares = "{n},{tp}/{p},{tn}/{q}"
    entry(
        "sheet_fractions.csv",
        table("Test,Sensitivity,Specificity", shares),
        "informedness",
        found,
        by=excel,
    )
    percent = "{n},{se:.0f}% ({tp}/{p}),{sp:.1f}% ({tn}/{q})"
    entry(
        "sheet_percent_fractions.csv",
        table("Test,Sens,Spec", percent),
        "informedness",
        found,
        by=excel,
    )
    keep = " ".join(f"--where Marker={name}" for name in found)
    sums = "Summe;{};{};{};{}".format(*(sum(row[i] for row in MARKERS) for i in range(1, 5)))
    entry(
        "sheet_summe.csv",
        "\ufeff" + table("Marker;TP;FP;FN;TN", cells.replace(",", ";"), sums),
        "informedness",
        found,
        by=excel,
        asks="holds the sums of the other rows",
        remedies={keep: found},
        mutate=False,
    )
    first = MARKERS[0]
    entry(
        "sheet_two_by_two.csv",
        rows_text(
            ",Disease +,Disease -,Total",
            "Test +,90,15,105",
            "Test -,10,185,195",
            "Total,100,200,300",
        ),
        "informedness",
        {first[0]: found[first[0]]},
        by=excel,
        asks="a cross table with totals",
        mutate=False,
    )
    entry(
        "sheet_blocks.csv",
        rows_text("CRP,,,", ",Disease,No disease,Total", "Test +,90,15,105", "Test -,10,185,195"),
        "informedness",
        {first[0]: found[first[0]]},
        by=excel,
        asks="must be the heading",
        mutate=False,
    )
    truth = own.integers(0, 2, 60)
    tests = {
        name: np.where(own.random(60) < q, truth, 1 - truth)
        for name, q in (("MRI", 0.85), ("CT", 0.7))
    }
    rates = {
        name: float(held[truth == 1].mean() - held[truth == 0].mean())
        for name, held in tests.items()
    }
    signs = {name: np.where(held == 1, "pos", "neg") for name, held in tests.items()}
    patients = pd.DataFrame(
        {
            "Patient ID": [f"P{i:02d}" for i in range(60)],
            "Age": own.integers(40, 80, 60),
            "Sex": own.choice(["M", "F"], 60),
        }
    ).assign(Biopsy=np.where(truth == 1, "pos", "neg"), **signs)
    entry(
        "patients_age_sex_biopsy.csv",
        patients,
        "informedness",
        rates,
        by=excel,
        asks="'Biopsy' is probably not an entity",
        remedies={"--truth Biopsy --entities MRI,CT": rates},
        mutate=False,
    )
    long = pd.DataFrame(
        {"Reader": np.repeat(list(tests), 60), "CaseID": [*range(60)] * 2, "Truth": [*truth] * 2}
    ).assign(Rating=np.concatenate([*tests.values()]))
    entry(
        "readers_long.csv",
        long,
        "informedness",
        rates,
        by="layout of a study of readers (one row for each reader and case)",
        asks="must say which column holds the predictions",
        remedies={"--predicted Rating": rates},
        mutate=False,
    )
    studies = rows_text("Author,Year,TP,FP,FN,TN", "Smith,2001,40,3,5,90", "Jones,2005,30,5,8,70")
    one = {"entity 1": 70 / 83 + 160 / 168 - 1}
    each = {"Smith": 40 / 45 + 90 / 93 - 1, "Jones": 30 / 38 + 70 / 75 - 1}
    entry(
        "studies_author_year.csv",
        studies,
        "informedness",
        one,
        by="layout of mada and RevMan",
        asks="says that rows are data sets of one entity",
        remedies={"--entity Author": each, "--dataset-column Author": one},
        mutate=False,
    )


def other_learners() -> None:
    """Write tables of R's tidymodels, caret and mlr3, of Weka, MATLAB, RapidMiner and Orange."""
    own = np.random.default_rng(20261202)
    folds = [f"Fold{i:02d}" for i in range(1, 11)]
    shares = "--train 0.9 --test 0.1"
    rows = [
        (
            flow,
            "Preprocessor1_Model1",
            model,
            fold,
            "binary",
            round(float(own.normal(mean, 0.02)), 5),
        )
        for flow, model, mean in (
            ("none_glm", "logistic_reg", 0.85),
            ("none_cart", "decision_tree", 0.8),
        )
        for fold in folds
    ]
    names = ["wflow_id", ".config", "model", "id", ".estimator", ".estimate"]
    raw = pd.DataFrame(rows, columns=names).assign(**{".metric": "accuracy"})
    means = {str(flow): float(part[".estimate"].mean()) for flow, part in raw.groupby("wflow_id")}
    tune = "layout of tidymodels (collect_metrics of a workflow set)"
    entry(
        "tidymodels_folds.csv",
        raw,
        "mean_outcome",
        means,
        by=tune,
        asks="its values are scores of folds",
        remedies={f"--fold id --outcome .estimate {shares}": means},
        mutate=False,
    )
    over = raw.groupby(["wflow_id", ".config", ".metric", ".estimator"])[".estimate"].agg(
        ["mean", "count", "sem"]
    )
    over = over.reset_index().rename(columns={"count": "n", "sem": "std_err"})
    entry(
        "tidymodels_means.csv",
        over,
        "mean_outcome",
        means,
        by=tune,
        options="--se std_err",
        asks="collect_metrics(summarize = FALSE)",
        mutate=False,
    )
    truth = own.integers(0, 2, 60)
    answers = {
        name: np.where(own.random(60) < q, truth, 1 - truth)
        for name, q in (("glm", 0.85), ("cart", 0.7))
    }
    rates = {
        name: float(held[truth == 1].mean() - held[truth == 0].mean())
        for name, held in answers.items()
    }
    words = np.array(["no", "yes"])
    predictions = pd.DataFrame(
        {"wflow_id": np.repeat(list(answers), 60), "model": np.repeat(["logistic_reg", "decision_tree"], 60)}
    ).assign(**{"id": [folds[i % 10] for i in range(60)] * 2, ".row": [*range(60)] * 2, "truth": [*words[truth]] * 2,
                ".pred_class": words[np.concatenate([*answers.values()])]})  # fmt: skip
    entry(
        "tidymodels_predictions.csv",
        predictions,
        "informedness",
        rates,
        by="layout of tidymodels (collect_predictions)",
    )
    held = {f"{m}~{q}": own.normal(mean, 0.01, 10).round(4) for m, mean in (("rf", 0.92), ("svm", 0.9))
            for q in ("Accuracy", "Kappa")}  # fmt: skip
    resamples = pd.DataFrame({"Resample": folds, **held})
    of = {
        q: {n: float(v.mean()) for n, v in held.items() if n.endswith(q)}
        for q in ("Accuracy", "Kappa")
    }
    entry(
        "caret_resamples.csv",
        resamples,
        "mean_outcome",
        of["Accuracy"],
        by="layout of caret (resamples()$values)",
        asks="scores of folds by Accuracy, Kappa",
        remedies={f"--fold Resample --entities rf~{q},svm~{q} {shares}": of[q] for q in of},
        mutate=False,
    )
    keys = [(s, r, f) for s in ("trees.J48", "rules.ZeroR") for r in (1, 2) for f in range(1, 11)]
    weka = pd.DataFrame(keys, columns=["Key_Scheme", "Key_Run", "Key_Fold"]).assign(
        Key_Dataset="iris"
    )
    weka["Number_of_testing_instances"] = 15
    weka["Percent_correct"] = own.normal(
        np.where(weka["Key_Scheme"] == "trees.J48", 94, 33), 2
    ).round(4)
    schemes = {
        str(name): float(part["Percent_correct"].mean())
        for name, part in weka.groupby("Key_Scheme")
    }
    entry(
        "weka_experimenter.csv",
        weka,
        "mean_outcome",
        schemes,
        by="layout of Weka 3.9 (Experimenter, CSV)",
        asks="its values are scores of folds",
        remedies={f"--fold Key_Fold --repeat Key_Run --outcome Percent_correct {shares}": schemes},
        mutate=False,
    )
    entry(
        "matlab_confusion.csv",
        rows_text("Var1,Var2", "50,5", "3,42"),
        "mean_outcome",
        {"Var1": 26.5, "Var2": 23.5},
        by="layout of MATLAB (writetable of a confusion matrix)",
        asks="which name nothing",
        remedies={"--entities Var1,Var2": {"Var1": 26.5, "Var2": 23.5}},
        mutate=False,
    )
    rapid = pd.DataFrame(
        {"id": range(1, 61), "label": words[truth], "prediction(label)": words[answers["glm"]]}
    )
    entry(
        "rapidminer.csv",
        rapid,
        "informedness",
        {"rapidminer": rates["glm"]},
        by="layout of RapidMiner (Write CSV)",
        asks="must say which column holds the true labels",
        remedies={"--truth label": {"rapidminer": rates["glm"]}},
        mutate=False,
    )
    orange = pd.DataFrame(
        {"Logistic Regression": words[answers["glm"]], "Tree": words[answers["cart"]]}
    )
    orange = orange.assign(Fold=np.arange(60) % 10 + 1, diagnosis=words[truth])
    both = {"Logistic Regression": rates["glm"], "Tree": rates["cart"]}
    entry(
        "orange_predictions.csv",
        orange,
        "informedness",
        both,
        by="layout of Orange (Predictions)",
        asks="'diagnosis' is probably not an entity",
        remedies={"--truth diagnosis --entities 'Logistic Regression,Tree'": both},
        mutate=False,
    )
    scores = rows_text("model_id,auc,logloss,rmse", "GBM_1,0.79,0.55,0.43", "GLM_1,0.78,0.56,0.44")
    entry(
        "h2o_leaderboard.csv", scores, "mean_outcome", {}, by="layout of H2O AutoML",
        asks="do not say of how many cases",
        mutate=False,
    )  # fmt: skip
    report = rows_text(
        ",precision,recall,f1-score,support", "no,0.9,0.85,0.87,100", "yes,0.8,0.86,0.83,70"
    )
    entry(
        "classification_report.csv", report, "mean_outcome", {}, by=f"{SKLEARN} classification_report",
        asks="which are scores and no entities", mutate=False,
    )  # fmt: skip


def hosts_and_evaluators() -> None:
    """Write tables of challenges, and of evaluators of language models."""
    own = np.random.default_rng(20261203)
    dice = {
        name: own.beta(b, 2, 12).round(4)
        for name, b in (("unetA", 12), ("unetB", 8), ("trans", 10))
    }
    means = {name: float(held.mean()) for name, held in dice.items()}
    cases = [f"case_{i:03d}" for i in range(12)]
    wide = pd.DataFrame(
        {
            "team": np.repeat(list(dice), 12),
            "subject_id": cases * 3,
            "DSC": np.concatenate([*dice.values()]),
        }
    )
    wide["HD95"] = (10 - 10 * wide["DSC"]).round(3)
    far = {str(name): float(part["HD95"].mean()) for name, part in wide.groupby("team")}
    host = "layout of a challenge's per-case results"
    entry(
        "challenge_two_metrics.csv",
        wide,
        "mean_outcome",
        means,
        by=host,
        asks="must say which column holds the outcomes",
        remedies={"--outcome DSC": means, "--outcome HD95": far},
        mutate=False,
    )
    matrix = pd.DataFrame({"subject_id": cases, **dice})
    matrix.loc[len(matrix)] = ["Mean", *(round(held.mean(), 4) for held in dice.values())]
    matrix.loc[len(matrix)] = [
        "StdDev",
        *(round(float(held.std(ddof=1)), 4) for held in dice.values()),
    ]
    entry(
        "challenge_mean_and_std.csv",
        matrix,
        "mean_outcome",
        means,
        by=host,
        options="--case subject_id",
        asks="its values are the means of the rows above",
        mutate=False,
    )
    board = rows_text(
        "Rank,Participant team,Accuracy (↑),F1 (↑)", "1,alpha,71.2,0.61", "2,beta,70.4,0.60"
    )
    entry(
        "evalai_leaderboard.csv", board, "mean_outcome", {}, by="layout of EvalAI", mutate=False,
        asks="which are scores and no entities",
    )  # fmt: skip
    right = {
        name: (own.random(40) < q).astype(int) for name, q in (("gpt-4o", 0.8), ("llama-3-8b", 0.6))
    }
    shares = {name: float(held.mean()) for name, held in right.items()}
    models, outcomes = np.repeat(list(right), 40), np.concatenate([*right.values()])
    questions = [f"q{i}" for i in range(40)] * 2
    samples = pd.DataFrame(
        {"sample_id": [f"s{i}" for i in range(80)], "id": questions, "model": models}
    )
    samples = samples.assign(
        input="?", target="A", score_match=np.where(outcomes == 1, "C", "I"), total_tokens=range(80)
    )
    entry(
        "inspect_samples.csv",
        samples,
        "mean_outcome",
        shares,
        by="layout of Inspect (samples_df)",
        asks="must say which column holds the outcomes",
        remedies={"--outcome score_match": shares},
        mutate=False,
    )
    smith = pd.DataFrame(
        {"id": [f"r{i}" for i in range(80)], "example_id": questions, "experiment": models}
    )
    smith = smith.assign(
        inputs="?", outputs=[f"answer {i}" for i in range(80)], correctness=outcomes
    )
    entry(
        "langsmith.csv",
        smith,
        "mean_outcome",
        shares,
        by="layout of LangSmith (experiments)",
        asks="must say which column holds the outcomes",
        remedies={"--outcome correctness": shares},
        mutate=False,
    )
    fuse = pd.DataFrame(
        {"traceId": [f"t{i}" for i in range(80)], "datasetItemId": questions, "runName": models}
    )
    entry(
        "langfuse_scores.csv",
        fuse.assign(name="correctness", value=outcomes, source="API"),
        "mean_outcome",
        shares,
        by="layout of Langfuse (scores)",
        asks="must say which columns hold the entities, the cases and the outcomes",
        remedies={"--case datasetItemId --entity runName --outcome value": shares},
        mutate=False,
    )
    graded = pd.DataFrame(
        {
            "name": questions,
            "model": models,
            "success": outcomes == 1,
            "score": own.random(80).round(2),
        }
    )
    entry(
        "deepeval_test_runs.csv",
        graded,
        "mean_outcome",
        shares,
        by="layout of DeepEval (test runs)",
        options="--entity model --case name",
        asks="both read as outcome",
        remedies={
            "--outcome success": shares,
            "--outcome score": {
                str(n): float(part["score"].mean()) for n, part in graded.groupby("model")
            },
        },
        mutate=False,
    )
    rag = pd.DataFrame(
        {"user_input": [f"q{i}" for i in range(40)], "response": [f"answer {i}" for i in range(40)]}
    )
    rag = rag.assign(
        **{name: own.random(40).round(3) for name in ("faithfulness", "answer_relevancy")}
    )
    entry(
        "ragas.csv", rag, "mean_outcome", {}, by="layout of ragas (to_pandas)", mutate=False,
        asks="which are scores and no entities",
    )  # fmt: skip
    hit = pd.DataFrame(
        {
            "index": range(40),
            "question": [f"what is {i}" for i in range(40)],
            "answer": list("AB") * 20,
        }
    )
    hit["prediction"] = np.where(
        right["gpt-4o"] == 1, hit["answer"], np.where(hit["answer"] == "A", "B", "A")
    )
    entry(
        "vlmevalkit.csv",
        hit,
        "accuracy",
        {"vlmevalkit": shares["gpt-4o"]},
        by="layout of VLMEvalKit",
        asks="must say which column holds the true labels",
        remedies={"--truth answer": {"vlmevalkit": shares["gpt-4o"]}},
        mutate=False,
    )
    judged = pd.DataFrame(
        {
            "system": np.repeat(["sysA", "sysB"], 20),
            "seg_id": [f"seg{i // 2}" for i in range(20)] * 2,
        }
    )
    judged = judged.assign(annotator=["ann1", "ann2"] * 20, score=own.integers(0, 101, 40))
    entry(
        "wmt_two_annotators.csv",
        judged,
        "mean_outcome",
        {str(name): float(part["score"].mean()) for name, part in judged.groupby("system")},
        by="layout of WMT's direct assessments",
        options="--entity system --case seg_id --run annotator",
        mutate=False,
    )


def main() -> None:
    for old in FOLDER.iterdir():
        old.unlink()
    for make in (counts, detection, cells_in_rows, right_and_wrong, means, cases_in_rows, cases_in_columns, labels,
                 one_classifier,
                 probabilities, folds, votes, clinicians, other_learners, hosts_and_evaluators):  # fmt: skip
        make()
    for one in ENTRIES:
        one["source"] = HAND
    put("manifest.json", json.dumps(ENTRIES, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(ENTRIES)} files, {sum(path.stat().st_size for path in FOLDER.iterdir()):,} bytes")


if __name__ == "__main__":
    main()
