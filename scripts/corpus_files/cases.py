"""Files of outcomes of cases, with a row or a column for each entity."""

import numpy as np
import pandas as pd
from corpus_files.writing import PANDAS, R, entry, rng

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
