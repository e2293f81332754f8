"""Kinds of evidence and operations, whose every pair is an analysis of ``golden.py``.

``KINDS`` holds the function that makes the evidence of each kind, and ``OPERATIONS`` the function of each
operation. Where the two do not fit, the refusal is recorded. Each kind also meets each model of ``MODELS``.
"""

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank.ranking.facts import FACTS

DRAWS: dict[str, Any] = {"draws": 100, "chains": 2, "seed": 1}
#: NUTS samples the model that is left out: its draws depend on the versions of the compilers.
MODELS = [name for name in br.models.names() if name != "hierarchical_dirichlet_multinomial"]
BENEFIT = {"tn": 0, "fp": -1, "fn": -9, "tp": 0}
CELLS = {"tn": [70, 79, 60], "fp": [10, 1, 20], "fn": [9, 1, 9], "tp": [21, 29, 21]}
#: a and b in four studies, w to z.
STUDIES = pd.DataFrame(
    {
        "entity": list("aaaabbbb"),
        "dataset": list("wxyzwxyz"),
        "tn": [45, 38, 90, 27, 60, 41, 35, 92],
        "fp": [5, 12, 10, 3, 40, 9, 15, 8],
        "fn": [4, 9, 2, 3, 1, 6, 7, 1],
        "tp": [16, 11, 28, 7, 19, 14, 13, 29],
    }
)
GROUPS = STUDIES.rename(columns={"dataset": "group"})
CLASSES = [[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]]
VOTES = [
    ("a", "b", "a"),
    ("b", "c", "b"),
    ("a", "c", "tie"),
    ("a", "b", "b"),
    ("a", "c", "a"),
    ("b", "c", "c"),
]
CASES = np.arange(40)


# --- Data -----------------------------------------------------------------------------------------


def numbers(seed: int, *shape: int) -> np.ndarray:
    """Return numbers in (0, 1) from a bit generator whose stream NumPy promises to keep."""
    return (np.random.PCG64(seed).random_raw(int(np.prod(shape))) / 2**64).reshape(shape)


def right(cases: int = 40, **columns: Any) -> pd.DataFrame:
    """Return whether a and b are right on each case."""
    values = (numbers(3, cases, 2) < [0.85, 0.6]).astype(int)
    return pd.DataFrame(values, columns=["a", "b"]).assign(**columns)


def grades(**columns: Any) -> pd.DataFrame:
    values = np.round(4 * numbers(5, 40, 2) ** [0.5, 1.0])
    return pd.DataFrame(values, columns=["a", "b"]).assign(**columns)


def with_gaps() -> pd.DataFrame:
    return right().astype(float).mask(numbers(13, 40, 2) < 0.1)


def case_table(**columns: Any) -> pd.DataFrame:
    """Return a row for each case and entity."""
    rows = {
        "entity": ["a", "b"] * 40,
        "case": np.repeat(CASES, 2),
        "outcome": right().to_numpy().ravel(),
    }
    return pd.DataFrame(rows).assign(**columns)


def labels() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the true labels of 60 cases, and those that a and b predict."""
    truth = np.arange(60) % 3 // 2
    wrong = numbers(7, 60, 2) < [0.1, 0.25]
    return truth, {"a": truth ^ wrong[:, 0], "b": truth ^ wrong[:, 1]}


def three_labels() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    truth = np.arange(60) % 3
    return truth, {"a": truth, "b": (truth + (np.arange(60) % 4 == 0)) % 3}


def risks() -> tuple[np.ndarray, pd.DataFrame]:
    """Return the true labels of 60 cases, and the probabilities that a and b predict."""
    truth = labels()[0]
    values = 0.02 + 0.9 * (numbers(9, 60, 2) * [0.6, 0.9] + truth[:, None] * [0.4, 0.1])
    return truth, pd.DataFrame(values, columns=["a", "b"])


def verdicts() -> pd.DataFrame:
    """Return a judge's verdict on each answer, and a person's on every second one."""
    judge = (numbers(11, 80) < np.repeat([0.8, 0.6], 40)).astype(int)
    human = np.where(np.arange(80) % 40 < 20, judge ^ (np.arange(80) % 7 == 0), np.nan)
    return pd.DataFrame(
        {
            "case": np.tile(CASES, 2),
            "system": np.repeat(["a", "b"], 40),
            "gpt": judge,
            "human": human,
        }
    )


def fold_scores(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(0.7 + 0.2 * numbers(15, 10, 2) + [0.05, 0], columns=["a", "b"]).assign(
        **columns
    )


def battles(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(VOTES * 8, columns=["model_a", "model_b", "winner"]).assign(**columns)


def drawn(*entities: str) -> xr.DataArray:
    values = (
        numbers(17, 2, 50, 3)[..., : len(entities)] * 0.4
        + np.array([0.5, 0.4, 0.3])[: len(entities)]
    )
    return xr.DataArray(values, {"entity": list(entities)}, ("chain", "draw", "entity"))


# --- Evidence -------------------------------------------------------------------------------------


def counts(rows: Any = CELLS, **names: Any) -> xr.DataArray:
    return br.from_counts(**{cell: rows[cell] for cell in CELLS}, **names)


def studies(keep: str = "wxyz", table: pd.DataFrame = STUDIES) -> xr.DataArray:
    rows = table[table["dataset"].isin(list(keep))]
    return counts(rows, entity=rows["entity"], dataset=rows["dataset"])


def counts_of_two(tn: list[int], fp: list[int], fn: list[int], tp: list[int]) -> xr.DataArray:
    return br.from_counts(tn=tn, fp=fp, fn=fn, tp=tp, entity=["a", "b"])


def classes_datasets() -> xr.DataArray:
    tables = [
        br.from_matrix(CLASSES[::step], "actual_rows", entity=["a", "b"]) for step in (1, -1, 1)
    ]
    joined = xr.concat(tables, "dataset").assign_coords(dataset=["x", "y", "z"])
    return joined.transpose("entity", "dataset", "actual", "predicted")


def table(**columns: Any) -> Any:
    """Return the evidence of a table, which the columns determine."""
    return br.from_frame(pd.DataFrame(columns))


def votes(**options: Any) -> xr.Dataset:
    judge = battles()["winner"].where(np.arange(48) % 5 > 0, "tie")
    held = battles(n=np.arange(48) % 3 + 1, gpt=judge)
    return br.from_votes(held, a="model_a", b="model_b", winner="winner", **options)


def voted() -> xr.Dataset:
    """Return counted votes of twelve voters on four questions, with a covariate."""
    held = battles(
        n=np.arange(48) % 3 + 1,
        voter=np.arange(48) % 12,
        question=np.arange(48) // 12,
        longer=np.arange(48) % 7 - 3.0,
    )
    roles = {"cluster": "voter", "case": "question", "covariates": "longer", "count": "n"}
    return br.from_votes(held, a="model_a", b="model_b", winner="winner", **roles)


#: Evidence of each kind.
KINDS: dict[str, Callable[[], Any]] = {
    "counts": lambda: counts(entity=list("abc")),
    "counts_one_entity": lambda: br.from_counts(tn=70, fp=10, fn=9, tp=21, entity=["a"]),
    "counts_equal": lambda: counts_of_two([70, 70], [10, 10], [9, 9], [21, 21]),
    "counts_without_errors": lambda: counts_of_two([30, 25], [0, 5], [0, 0], [20, 20]),
    "counts_without_positives": lambda: counts_of_two([30, 25], [2, 7], [0, 0], [0, 0]),
    "datasets": studies,
    "datasets_two": lambda: studies("wx"),
    "datasets_missing": lambda: studies(table=STUDIES.drop(index=7)),
    "covariates": lambda: br.from_frame(
        STUDIES.assign(threshold=[1, 2, 3, 4] * 2), covariates=["threshold"]
    ),
    "groups": lambda: counts(GROUPS, entity=GROUPS["entity"], group=GROUPS["group"]),
    "groups_of_cases": lambda: br.from_outcomes(right(region=list("nnes") * 10), group="region"),
    "classes": lambda: br.from_matrix(
        CLASSES, "actual_rows", entity=["a", "b"], labels=["u", "v", "w"]
    ),
    "classes_datasets": classes_datasets,
    "right_wrong": lambda: table(entity=list("abc"), correct=[46, 39, 30], wrong=[4, 11, 20]),
    "grades_counted": lambda: table(
        entity=list("aaabb"), outcome=[1, 2, 5, 2, 5], count=[10, 30, 20, 25, 35]
    ),
    "words_counted": lambda: table(
        entity=list("aabb"), outcome=["bad", "good"] * 2, count=[10, 30, 25, 15]
    ),
    "means": lambda: table(entity=["a", "b"], mean=[0.71, 0.62], se=[0.01, 0.02]),
    "predictions": lambda: br.from_predictions(*labels()),
    "joint_labels": lambda: br.joint_outcomes(*labels()),
    "joint_classes": lambda: br.joint_outcomes(*three_labels()),
    "joint_patterns": lambda: br.joint_outcomes(
        [0, 0, 1, 1, 1], {"a": [0, 0, 1, 1, 0], "b": [0, 1, 1, 0, 0]}, count=[30, 8, 20, 6, 2]
    ),
    "joint_weights": lambda: br.joint_outcomes(*labels(), weight=0.5 + numbers(19, 60)),
    "joint_clusters": lambda: br.joint_outcomes(*labels(), cluster=np.arange(60) // 5),
    "outcomes": lambda: br.from_outcomes(right()),
    "outcomes_missing": lambda: br.from_outcomes(with_gaps(), missing="own"),
    "outcomes_weights": lambda: br.from_outcomes(right(w=0.5 + numbers(21, 40)), weight="w"),
    "outcomes_clusters": lambda: br.from_outcomes(right(q=CASES // 5), cluster="q"),
    "outcomes_few_clusters": lambda: br.from_outcomes(right(q=CASES // 14), cluster="q"),
    "outcomes_runs": lambda: br.from_outcomes(
        right(item=CASES // 2, run=CASES % 2), case="item", run="run"
    ),
    "outcomes_datasets": lambda: br.from_outcomes(right(task=CASES // 14), dataset="task"),
    "outcomes_costs": lambda: br.from_frame(case_table(usd=numbers(23, 80)), cost="usd"),
    "grades": lambda: br.from_outcomes(grades()),
    "grades_range": lambda: br.from_outcomes(grades(), range=(0, 4)),
    "grades_clusters": lambda: br.from_outcomes(grades(q=CASES // 5), cluster="q", range=(0, 4)),
    "seeds": lambda: br.from_outcomes(
        right(80, item=np.arange(80) % 20, seed=np.arange(80) // 20),
        case="item",
        training_seed="seed",
    ),
    "folds": lambda: br.from_folds(fold_scores(), train=90, test=10),
    "folds_repeated": lambda: br.from_folds(
        fold_scores(run=np.arange(10) // 5), train=80, test=20, repeat="run"
    ),
    "probabilities": lambda: br.from_probabilities(*risks()),
    "judged": lambda: br.from_judged(
        verdicts(), judge="gpt", truth="human", entity="system", case="case"
    ),
    "no_gold": lambda: br.datasets.load("myocardial_indicators"),
    "votes": votes,
    "votes_judge": lambda: votes(judge="gpt"),
    "votes_voters": voted,
    "rates": lambda: br.from_rates(
        tpr=[0.8, 0.9], fpr=[0.1, 0.3], prevalence=0.3, entity=["a", "b"]
    ),
    "draws": lambda: drawn("a", "b", "c"),
    "draws_of_rates": lambda: br.from_rates(
        tpr=drawn("a", "b"), fpr=drawn("a", "b") / 3, prevalence=0.3
    ),
}
#: Kinds that hold a performance or values already, so that no model is fitted.
FITTED = ("rates", "draws", "draws_of_rates")


# --- Operations -----------------------------------------------------------------------------------


class Cell:
    """Evidence of one kind with one model, and what its operations share, computed once."""

    def __init__(self, kind: str, model: str | None = None) -> None:
        self.kind, self.model = kind, model
        # Draws alone do not say which values are better.
        self.direction: dict[str, Any] = {"higher_is_better": True} if kind == "draws" else {}

    @cached_property
    def evidence(self) -> Any:
        return KINDS[self.kind]()

    @cached_property
    def first(self) -> str:
        return str(self.evidence["entity"].values[0])

    @cached_property
    def score(self) -> str | None:
        """Return a score of probabilities, of two classes or of more; outcomes and votes have a natural one."""
        if self.kind == "probabilities":
            return "auc_roc"
        sizes = [
            self.evidence.sizes[dim] for dim in ("actual", "label") if dim in self.evidence.sizes
        ]
        return {2: "f1"}.get(sizes[0], "macro_f1") if sizes else None

    @cached_property
    def scores(self) -> list[str]:
        """Return the scores of a table."""
        if self.kind.startswith("votes"):
            return ["strength", "win_probability"]
        if self.kind == "probabilities":
            return ["auc_roc", "log_loss"]
        return [self.score, "mcc"] if self.score else ["mean_outcome"]

    @cached_property
    def posterior(self) -> Any:
        is_fitted = self.kind in FITTED and self.model is None
        return self.evidence if is_fitted else br.fit(self.evidence, self.model, **DRAWS)

    @cached_property
    def ranking(self) -> xr.Dataset:
        return self.rank()

    def rank(self, **options: Any) -> xr.Dataset:
        return br.credible_ranking(self.posterior, self.score, **self.direction, **options)


#: The claim of a ranking, which a table prints.
CLAIM = (
    *(
        "median",
        "lower",
        "upper",
        "probability_best",
        "expected_rank",
        "rank_lower",
        "rank_upper",
        "in_best_set",
    ),
    *("tier", "headline", "sets", "caps"),
)


def claim(ranking: xr.Dataset, *more: str) -> dict[str, Any]:
    """Return the claim and the words of a ranking, for analyses that differ little from another one."""
    facts = {name: ranking.attrs[name] for name in FACTS if name in ranking.attrs}
    whole = ranking.assign(facts).rename(cap_notes="caps")
    return {"claim": whole[[*CLAIM, *more]].drop_attrs(), "verdict": br.verdict(ranking)}


def fit_and_rank(c: Cell) -> dict[str, Any]:
    """Return the means of the posterior, and the claim of its ranking."""
    variables = c.posterior["posterior"].data_vars.items()
    means = {str(name): float(held.mean()) for name, held in variables if held.dtype.kind == "f"}
    return {"means": means, "claim": claim(c.ranking)["claim"]}


def board(c: Cell) -> dict[str, Any]:
    """Return what a board adds to a ranking."""
    said = ("definitions", "notes", "verdict")
    return {
        name: held for name, held in json.loads(br.board(c.ranking)).items() if name not in said
    }


def statements(c: Cell) -> dict[str, Any]:
    last = str(c.evidence["entity"].values[-1])
    texts = (f"{c.first} > {last}", f"{last} in top 1", f"not {c.first} > {last}")
    return {
        text: br.probability(c.posterior, text, c.score, **c.direction)["probability"].values
        for text in texts
    }


def utility(c: Cell) -> dict[str, Any]:
    found = br.decisions.expected_utility(c.posterior, BENEFIT, prevalence=0.1)
    return claim(
        found, "mean", "choice", "value_of_perfect_information", "value_of_prevalence_information"
    )


#: What can be done with evidence, by the default model where one is needed.
OPERATIONS: dict[str, Callable[[Cell], Any]] = {
    "evidence": lambda c: c.evidence,
    "fit": lambda c: c.posterior,
    "performance": lambda c: br.as_performance(c.posterior),
    "ranking": lambda c: c.ranking,
    "table": lambda c: br.ranking_table(c.ranking),
    "board": board,
    "exact": lambda c: claim(
        br.credible_ranking(c.evidence, c.score, method="exact", **c.direction)
    ),
    "auto": lambda c: claim(c.rank(method="auto")),
    "rope": lambda c: claim(c.rank(rope=0.05)),
    "new": lambda c: claim(c.rank(kind="new")),
    "mean over datasets": lambda c: claim(c.rank(over="dataset", aggregate="mean")),
    "borda over datasets": lambda c: claim(c.rank(over="dataset", aggregate="borda")),
    "worst group": lambda c: claim(c.rank(over="group", aggregate="worst")),
    "gap of groups": lambda c: claim(c.rank(over="group", aggregate="gap")),
    "rank": lambda c: br.rank(c.evidence, c.score, **c.direction),
    "rank_draws": lambda c: br.rank_draws(c.posterior, c.score, **c.direction),
    "statements": statements,
    "probable_orders": lambda c: br.statements.probable_orders(c.posterior, c.score, **c.direction),
    "top_set": lambda c: br.top_set(c.posterior, c.score, 1, **c.direction),
    "plan": lambda c: br.plan(
        c.posterior, c.score, sizes=[20, 200], futures=20, seed=1, **c.direction
    ),
    "utility": utility,
    "gate": lambda c: br.decisions.gate(c.posterior, c.first, c.score, margin=0.02, **c.direction),
    "noninferiority": lambda c: br.decisions.noninferiority(c.posterior, c.first),
    "frequencies": lambda c: br.decisions.natural_frequencies(c.posterior, 1000),
    "pareto_front": lambda c: br.decisions.pareto_front(c.posterior, c.score, **c.direction),
    "sensitivity": lambda c: br.sensitivity(
        c.evidence, c.score, alternatives=("priors", "weights"), draws=50, seed=1, **c.direction
    ),
    "compare": lambda c: br.compare(
        c.evidence,
        ["dirichlet_multinomial", "beta_binomial"],
        prevalence="sampled",
        refit=False,
        **DRAWS,
    ),
    "heterogeneity": lambda c: br.heterogeneity(c.posterior, c.score),
    "shrinkage": lambda c: br.comparisons.shrinkage(c.posterior, c.score),
    "judge_errors": lambda c: br.judge_errors(c.posterior),
    "tile": lambda c: br.tile.credible(c.posterior, 5),
    "ops": lambda c: br.ops.summarize(br.ops.of_draws(c.posterior, "f1")),
    "drift": lambda c: br.ops.drift(c.posterior, c.score or "accuracy"),
    "predictive": lambda c: br.posterior_predictive(c.posterior, seed=1),
    "predictive_check": lambda c: br.predictive.predictive_check(c.posterior, seed=1),
    "confusion_pmf": lambda c: br.predictive.confusion_pmf(c.evidence.isel(entity=0)),
    "score_table": lambda c: br.score_table(c.posterior, c.scores),
    "score_posterior": lambda c: br.score_posterior(c.evidence, c.score or "mean_outcome").quantile(
        [0.05, 0.5]
    ),
    "aggregate_score": lambda c: br.scores.aggregate_score(
        c.posterior, c.score, over="dataset", aggregate="worst"
    ),
    "pool": lambda c: br.pool(c.evidence),
    "one_vs_rest": lambda c: br.one_vs_rest(c.evidence),
    "at_prevalence": lambda c: br.scores.ppv(br.at_prevalence(c.posterior, 0.05)),
    "deciding_cases": lambda c: br.cases.deciding_cases(c.evidence),
    "summary_points": lambda c: br.performance.summary_points(c.posterior),
    "mean_over_datasets": lambda c: br.scores.accuracy(
        br.performance.mean_over_datasets(c.posterior)
    ),
    "credible_curves": lambda c: br.ops.credible_curves(c.evidence, draws=20, chains=2, seed=1),
    "apply_threshold": lambda c: br.ops.apply_threshold(c.evidence, [0.3, 0.6]),
}
