"""Files as other tools and hosts write them."""

import numpy as np
import pandas as pd
from corpus_files.writing import SKLEARN, entry, rows_text

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
