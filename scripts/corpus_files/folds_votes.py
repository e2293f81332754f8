"""Files of folds, votes and judges."""

import numpy as np
import pandas as pd
from corpus_files.writing import PANDAS, SKLEARN, entry
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier


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
