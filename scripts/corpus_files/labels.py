"""Files of labels and of probabilities."""

import io

import numpy as np
import pandas as pd
from corpus_files.writing import SKLEARN, entry, rng, rows_text
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

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
