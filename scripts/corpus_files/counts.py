"""Files of counts, and of means."""

import gzip
import json

import numpy as np
import pandas as pd
from corpus_files.writing import CSV, PANDAS, R, entry, rows_text

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
        asks="Bench contains scores",
    )
