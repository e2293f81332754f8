"""The table of bad calls: the words that the message must contain, the call, and the bad values that it is given.

A row without values is one call. ``tests/test_refusals.py`` runs the table.
"""

# One row a line, however long.
# ruff: noqa: E501
# fmt: off

import math
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import ops, papers, plots, predictive, scores, theory, tile
from bayesrank._core.source import groups_of
from bayesrank.cases.weights import check_case_weights
from bayesrank.papers import pages
from bayesrank.sensitivities.conflicts import prior_conflict

INF, NAN, BIG = math.inf, math.nan, 10**12
CELLS = {"tn": 8, "fp": 2, "fn": 1, "tp": 9}
COUNTS = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
ONE = COUNTS.sel(entity="a")
STUDIES = br.from_counts(tn=[7, 8, 9, 9], fp=[2, 1, 1, 2], fn=[9, 1, 1, 1], tp=[2, 9, 8, 9], entity=list("aabb"), dataset=list("xyxy"))
PARTIAL = br.from_counts(tn=[8, 9, 7], fp=[2] * 3, fn=[1] * 3, tp=[9] * 3, entity=["a", "a", "b"], dataset=["x", "y", "y"])
NO_POSITIVES = br.from_counts(tn=9, fp=2, fn=0, tp=0)
THREE = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")
RUN = {"draws": 5, "chains": 1, "seed": 1}
POSTERIOR = br.fit(COUNTS, draws=20, chains=1, seed=1)
PLANNED = br.fit(COUNTS, draws=50, seed=1)
DRAWS = br.as_performance(POSTERIOR)
POINT = br.as_performance(COUNTS)
F1 = scores.f1(POSTERIOR)
EACH = br.fit(STUDIES, **RUN)
POPULATION = br.fit(STUDIES, "hierarchical_beta_binomial", **RUN)
VALUES = xr.DataArray(np.arange(12.0).reshape(4, 3), {"entity": list("abc")}, ("draw", "entity"))
MANY = xr.DataArray(np.zeros((1, 2, 60_000)), dims=("chain", "draw", "entity"))
RANKING = br.credible_ranking(F1)
OTHERS = br.credible_ranking(F1.assign_coords(entity=["x", "y"]))

# Tables and cases
FRAME = pd.DataFrame({"entity": ["a", "b"], "tn": [8, 9], "fp": [2, 1], "fn": [1, 3], "tp": [9, 7]})
LONG = pd.DataFrame({"entity": "a", "actual": [0, 1], "predicted": [0, 1], "count": [3, 4]})
MEANS = pd.DataFrame({"model": ["a", "b"], "mean": [0.71, 0.7], "se": [0.01, 0.02]})
RIGHT = pd.DataFrame({"entity": ["a", "b", "c"], "correct": [170, 140, 20], "wrong": [30, 60, 0]})
GRADES = pd.DataFrame({"entity": list("aaabb"), "outcome": [1, 2, 5, 2, 5], "count": [10, 30, 20, 25, 35]})
ANSWERS = pd.DataFrame({"a": [0, 1] * 30, "b": [0, 0, 1] * 20})
NUMBERS = pd.DataFrame(np.random.default_rng(1).random((60, 2)), columns=["x", "y"])
RUNS = pd.DataFrame({"a": [0.5, 1, 0, 0.5], "q": list("xxyz")})
GUESSES = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
OUTCOMES = br.from_frame(RIGHT)
GRADED = br.fit(OUTCOMES, draws=20, seed=1)
WORDS = br.fit(br.from_frame(GRADES.assign(outcome=["bad", "fair", "good", "fair", "good"])), draws=9, seed=1)
JOINT = br.joint_outcomes([0, 1] * 4, {"a": [0, 1] * 4, "b": [1, 0, 0, 1] * 2})
CLUSTERED = br.joint_outcomes([0, 1], {"a": [0, 1], "b": [1, 1]}, cluster=[1, 2])
SPLIT = br.joint_outcomes([0, 1, 1, 0], GUESSES, cluster=[1, 2, 2, 3], dataset=list("nnss"))  # cluster 2 is in both
BETWEEN = br.from_outcomes(NUMBERS)
LABELS = ["cancer", "healthy"] * 4
UNKNOWN = br.from_predictions(LABELS, {"a": LABELS[::-1], "shy": LABELS})

# Weights, curves, predictions, pictures
TRUTH = np.arange(150) % 2
SCORES = {"good": np.linspace(-1, 2, 150)}
FEW = br.case_weights(TRUTH, seed=1, draws=5, chains=2)
TWO = br.case_weights(2, draws=2, seed=1)
Y, RISK = [0, 1] * 4, {"m": np.linspace(0.1, 0.9, 8)}
CURVE = ops.of_curve(Y, RISK, "precision_at_recall", at=[0.3, 0.6], draws=5, seed=1)
PERIODS = {"old": POINT, "new": POINT.isel(entity=[1, 0]).assign_coords(entity=["a", "b"])}
DRIFT = ops.drift({n: br.fit(COUNTS, draws=5, chains=1, seed=s) for n, s in (("old", 1), ("new", 2))}, "f1")
IMPORTANCE = br.importance(tn=1, fp=1, fn=1, tp=1)
BENEFIT = {"tn": 0, "fp": -1, "fn": -9, "tp": 0}
NOISE = [[0.9, 0.1], [0.2, 0.8]]
MATRIX_PMF = predictive.confusion_pmf(ONE, positives=5, negatives=6)
TOTAL_PMF = predictive.confusion_pmf(ONE, model="dirichlet_multinomial", total=9)
SCORE_PMF = predictive.score_pmf(MATRIX_PMF, "f1")
TILE = tile.value(POINT, 3)
NEAR = tile.around("f1")
STAR = [(0.5 + 0.4 * np.cos(t), 0.5 + 0.4 * np.sin(t)) for t in 4 * np.pi / 5 * np.arange(5)]


@cache
def credible():
    """A credible Tile, which compiles: when it is needed, not when tests are collected."""
    return tile.credible(POSTERIOR, 3)


def by_entity(values, names=None):
    return xr.DataArray(values, None if names is None else {"entity": names}, ["entity"])


def counts_like(values, entity=("a",), predicted=("n", "p")):
    return xr.DataArray(values, {"entity": list(entity), "actual": ["n", "p"], "predicted": list(predicted)}, ("entity", "actual", "predicted"))


def fit(model=None, evidence=COUNTS, **options):
    return br.fit(evidence, model, **RUN | options)


def paired(evidence=JOINT, **options):
    return br.fit(br.from_outcomes(evidence) if isinstance(evidence, pd.DataFrame) else evidence, "paired", **RUN | options)


def metric(name="auc_roc", **given):
    return br.cases.weighted_metric(name, **{"y_true": TRUTH, "predictions": SCORES, "weights": FEW} | given)


def utility(benefit=BENEFIT, source=COUNTS, **options):
    return br.decisions.expected_utility(source, benefit, **options)


def threshold(**given):
    return ops.best_threshold(**{"y_true": [0, 0, 0, 1, 1, 1], "y_score": [1, 2, 3, 4, 5, 2], "score": "f1", "draws": 2} | given)


def predictions(**given):
    return br.from_predictions(**{"y_true": [0, 1], "predictions": {"m": [0, 1]}} | given)


def figure_axes():
    return plt.figure().gca()


def score_of_ifs(tn, fp, fn, tp):
    return tp / (tp + fp) if tp > 0 else 0.0


#: Arrays compare item by item, a Dataset is like every word, and a list has no hash.
STRANGE = [np.zeros((2, 3)), xr.DataArray(np.ones((2, 2)), dims=("x", "y")), xr.Dataset({"q": ("z", [1.0])}), ["f1"], {}]
NO_SCORES = [lambda y_true, y_predicted: 1.0, score_of_ifs, lambda tn, fp, fn, tp: math.sqrt(tp), lambda tn, fp, fn, tp: None, lambda tn, fp, fn, tp: "a", lambda tn, fp, fn, tp: [1.0, 2.0, 3.0]]

#: What the signatures do not give away; tests/test_refusals.py takes the other bad values of single arguments from them.
KINDS = [
    ("^predictions must ", lambda x: br.from_predictions([0, 1], {x: [0, 1]}), None, NAN, ("a", 1)),
    ("^predictions must ", lambda x: br.joint_outcomes([0, 1], {x: [0, 1]}), None, NAN, ("a", 1)),
    ("^name must ", br.datasets.load, *STRANGE),
    ("^q must ", lambda x: br.score_posterior(COUNTS, "f1").quantile(x), "x", None, 1j, {}, [0.1, "x"], True),
    ("^value must ", lambda x: br.score_posterior(COUNTS, "f1").cdf(x), "x", None, 1j, {}, [0.1, "x"], True),
    ("^performance must ", lambda x: theory.relations(scores.f1(COUNTS), x), *STRANGE),
    ("^counts must ", prior_conflict, *STRANGE),
    ("^counts must ", lambda x: br.score_posterior(x, "f1"), None, "x", np.eye(2), COUNTS.to_dataset(name="counts"), POINT, COUNTS.astype(str)),
    (r"^score must (be a function of \(tn, fp, fn, tp\)|take arrays|give)", lambda x: x[0](x[1]), *((f, s) for f in (br.place, lambda s: scores.as_score(s)(POINT), lambda s: ops.of_value(s, 0.5, 0.3), lambda s: tile.correlation(s, 3, size=10)) for s in NO_SCORES)),
    ("^axes must .*Matplotlib|^axes must contain 2 Axes; got 1", lambda x: x(axes=figure_axes()), lambda axes: plots.ops_curve(CURVE, axes), lambda axes: papers.vertices(0.3, axes), lambda axes: papers.prior_grids([0.3, 0.4], axes)),
    (r"^judge must name .*gpt.*(frame\.assign\(judge=\.\.\.\)|'no')", lambda x: br.from_judged(pd.DataFrame({"gpt": [1, 0], "human": [1, None]}), judge=x, truth="human"), pd.Series([1, 0]), np.array([1, 0]), {1, 2}, "no", ["gpt", [1]]),
    (r"^a must name .*left.*(frame\.assign\(a=\.\.\.\)|'no'|3)", lambda x: br.from_votes(pd.DataFrame({"left": ["x"], "right": ["y"], "won": ["x"]}), a=x, b="right", winner="won"), pd.Series(["x"]), ["left"], np.array(["x"]), "no", 3),
    (r"^repeat must name .*tree.*(frame\.assign\(repeat=\.\.\.\)|'no')", lambda x: br.from_folds(pd.DataFrame({"tree": [0.1, 0.2], "r": [1, 2]}), train=9, test=9, repeat=x), [1, 2], pd.Series([1, 2]), np.arange(2), "no"),
    (r"^entity must (name a column|be the name of a column)", lambda x: br.from_frame(FRAME, entity=x), ["entity"], np.array(["a", "b"]), pd.Series(["a", "b"]), {"entity"}, "no", lambda: 1),
    (r"^(path|paths) must be a path", lambda x: x(), lambda: br.ranking_report(POSTERIOR, "f1", path=1), lambda: br.read(None), lambda: br.doctor(None), lambda: br.read([3]), lambda: br.doctor(b"x"), lambda: br.read("")),
    (r"^counts must be .*br\.from_matrix", lambda x: predictive.confusion_pmf(x), [[1, 2], [3, 4]], np.eye(2, dtype=int), None),
    ("^entities must ", lambda x: plots.shrinkage(POPULATION, "tpr", entities=x), "a", [], ["nobody"]),
    ("^spread must ", lambda x: fit(x[0], STUDIES, spread=x[1]), *((f"hierarchical_{m}", s) for m in ("beta_binomial", "dirichlet_multinomial", "classes") for s in (0, -1, NAN, "x")), ("hierarchical_logit_normal", 0), ("hierarchical_logit_normal", "wide")),
]

EVIDENCE = [
    # counts
    ("tn must .*(whole numbers|regular array)|the same length", lambda x: br.from_counts(**CELLS | {"tn": x}), -1, 0.5, NAN, INF, "8", True, None, 1j, 2**60, [1, [2, 3]], [1, 2]),
    ("tp must contain at least one count each", lambda: br.from_counts(tn=[], fp=[], fn=[], tp=[])),
    ("entity must .*(1 name|name every|scalar names)|dataset must .*1 name", lambda x: br.from_counts(**CELLS, **x), {"entity": ["a", "b"]}, {"entity": [None]}, {"entity": [("a", 1)]}, {"entity": [["a"]]}, {"dataset": ["x", "y"]}),
    ("entity must .*once.*'a'|entity and dataset must .*'a' on 'x'", lambda x: br.from_counts(tn=[1, 1], fp=[1, 1], fn=[1, 1], tp=[1, 1], entity=["a", "a"], dataset=x), None, ["x", "x"]),
    # predictions
    ("predictions must .*(mapping|at least one)", lambda x: predictions(predictions=x), 5, "ab", {}),
    (r"predictions\['m'\] must .*(not probabilities|2 cases|sequence|use the labels of y_true)", lambda x: predictions(predictions={"m": x}), [0.2, 1.0], [0], 3, ["no", "yes"], ["0", "1"]),
    (r"positive cannot be used for 3 classes|labels must .*once|labels must have the negative class first, \[0, 1\].*positive=0|count must .*(whole|2 cases)|dataset must .*2 names", lambda x: predictions(**x), {"predictions": {"m": [0, 2]}, "labels": [0, 1], "positive": 1}, {"labels": [0, 1, 1]}, {"labels": [1, 0]}, {"count": [1, 0.5]}, {"count": [1]}, {"dataset": ["x"]}),
    (r"predictions\['m'\] must use the labels of y_true", lambda: br.joint_outcomes(["a", "b"], {"m": [0, 1]})),
    ("y_true must (.*sequence|contain a label for every case)|labels must (.*at least two|be given)", lambda x: br.from_predictions(x, {"m": x}), [], ["a", NAN], [0, 0], [0, "x"]),
    # matrices
    ("matrix must .*(C, C|C >= 2|regular|counts, not rates|same order)|matrix must have the shape", lambda x: br.from_matrix(x, "actual_rows"), [[1, 2, 3], [3, 4, 5]], [[1]], [[1, 2], [3]], [[0.9, 0.1], [0.2, 0.8]], np.zeros((0, 2, 2), int), pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["b", "a"])),
    ("labels must .*2 classes", lambda: br.from_matrix([[1, 2], [3, 4]], "actual_rows", labels=["a"])),
    ("positive cannot be used for 3 classes", lambda: br.from_matrix(np.eye(3, dtype=int), "actual_rows", positive=1)),
    # frames
    ("frame must .*(DataFrame|without tp|at least one row)", lambda x: br.from_frame(x), [1, 2], FRAME.drop(columns="tp"), FRAME.iloc[:0]),
    ("entity must .*name of a column|dataset must name a column of frame.*'fold'", lambda x: br.from_frame(FRAME, **x), {"entity": ["entity"]}, {"dataset": "fold"}),
    ("entity must .*once.*'a'", lambda x: br.from_frame(x), FRAME.assign(entity="a"), RIGHT.assign(entity="a")),
    ("one row for each (cell|outcome; got outcome 1 of 'a')", lambda x: br.from_frame(pd.concat([x, x])), LONG, GRADES),
    ("entity must (name every item.*row 1|not be empty)|row 1: entity", lambda x: br.from_frame(x), LONG.assign(entity=["a", None]), RIGHT.assign(entity=["a", None, "c"])),
    ("actual must .*every case|predicted must .*categories", lambda x: br.from_frame(LONG.assign(**x)), {"actual": [0, None]}, {"actual": pd.Categorical([0, 1]), "predicted": [0, 2]}),
    (r"count must .*-4|row 1: (wrong|correct) must be a count, .*got (-1|0.5)|count must be a count", lambda x: br.from_frame(x), LONG.assign(count=[1, -4]), RIGHT.assign(wrong=[1, -1, 2]), RIGHT.assign(correct=[1, 0.5, 2]), GRADES.assign(count=-1)),
    ("columns entity, .*without|columns of one kind of table|must have each column once", lambda x: br.from_frame(x), RIGHT.drop(columns="wrong"), RIGHT.assign(tn=1, fp=1, fn=1, tp=1), GRADES.assign(actual=1, predicted=1), pd.DataFrame([["a", 1, 2, 3]], columns=["entity", "correct", "wrong", "wrong"])),
    (r"outcome must contain (at least two outcomes|numbers only, or text only|finite numbers|a label for every case)|outcome must contain whole numbers up to 2\*\*53.*got 9007199254740993", lambda x: br.from_frame(GRADES.assign(outcome=x)), 7, [1, "x", 2, 3, 4], [1, INF, 2, 3, 4], [1, NAN, 2, 3, 4], [2**53 + 1, 0, 1, 2**53 + 1, 0]),
    ("must name a column that", lambda x: br.from_frame(RIGHT, **x), {"entity": "correct"}, {"dataset": "entity"}),
    # must have the original classes, pools
    ("counts must .*(DataArray|same classes|not have the dim label|contain numbers|not be negative)", br.one_vs_rest, [[1, 2], [3, 4]], xr.DataArray(np.ones((2, 3)), dims=("actual", "predicted")), br.one_vs_rest(THREE), COUNTS.astype(str), -COUNTS),
    ("counts must be a DataArray with the dims actual and .*no classes", lambda: br.one_vs_rest(OUTCOMES)),
    ("counts must .*(dim dataset|DataArray)", br.pool, COUNTS, [[1, 0], [0, 1]]),
    # tables that would be read wrongly
    (r"entity must contain names without NUL characters.*'a\\x00'", lambda: br.from_frame(FRAME.assign(entity=["a\0", "b"]))),
    ("without NUL characters", lambda: br.from_frame(pd.DataFrame({"a\0": [1, 0], "b": [0, 1]}))),
    ("a number with separators: write '1234'", lambda x: br.from_frame(pd.DataFrame(x)), {"entity": ["a"], "correct": ["1,234"], "total": ["2,000"]}, {"a": ["1,234", "1,300", "2"], "b": ["2,000", "2,000", "1"]}),
    ("leaves it out", lambda: br.from_frame(pd.concat([FRAME, FRAME.sum().to_frame().T.assign(entity="Total")]))),
    ("'total' must not be a label of actual: its rows hold the sums of the other labels .delete these rows", lambda: br.from_frame(pd.DataFrame({"entity": "a", "actual": ["x", "y", "total"], "predicted": ["x", "y", "total"], "count": [1, 2, 3]}))),
    (r"entities=\['a', 'b'\] ranks these", lambda: br.from_frame(pd.DataFrame({"case": [1, 2, 3], "a": [1, 0, 1], "b": [1, 1, 0], "total": [2, 1, 1]}))),
    ("a row must be a case; its values are the sums", lambda: br.from_frame(pd.DataFrame({"case": ["1", "2", "3", "total"], "a": [1, 0, 1, 2], "b": [1, 1, 0, 2]}))),
    # means
    ("row 1: se must be (a standard error above 0; got (0 .*write counts|-0.1)|a finite number)", lambda x: br.from_frame(MEANS.assign(se=[0.1, x])), 0.0, -0.1, None),
    ("row 0: mean must be a finite number; got '0.71 ± 0.01'|row 1: entity must name each entity once; got 'a' in row 0 as well|cannot be pooled|must be a count", lambda x: br.from_frame(MEANS.assign(**x)), {"mean": ["0.71 ± 0.01", "0.7"]}, {"model": "a"}, {"dataset": ["x", "y"]}, {"n": [10.5, 3]}),
    ("at least 2 cases", lambda: br.fit(br.from_frame(MEANS.assign(n=[1, 9])))),
    ("model must be normal_means for means and standard errors", lambda x: br.fit(br.from_frame(MEANS), x), "paired", "beta_binomial"),
    ("columns entity, mean, se", lambda: br.fit(COUNTS, "normal_means")),
    ("nothing to vary|means and standard errors|improper", lambda x: x(br.from_frame(MEANS)), br.sensitivity, lambda m: br.plan(br.fit(m, seed=1), true_scores="population"), lambda m: br.fit(m, groups=["prior"])),
    # joint outcomes
    ("(cluster must contain 4 names; got 1|count must|labels must|dataset must)", lambda x: br.joint_outcomes([0, 0, 1, 1], {"a": [0, 0, 1, 1]}, **x), {"cluster": ["x"]}, {"cluster": "x"}, {"count": [1, 1, 1, 0.5]}, {"labels": [0]}, {"dataset": [None] * 4}),
    ("case must name each case once; got duplicate cases: 'x' in several rows.*run= of.*clus", lambda x: x(case=list("wxyx")), lambda **how: br.joint_outcomes(Y[:4], GUESSES, **how), lambda **how: br.from_outcomes(pd.DataFrame(GUESSES), **how)),
    ("case must name each case in one data set only; got duplicate cases: 'x' in 1 and in 2.*run= of.*cluster=|count must be 0 or 1 if cases have names.*got 3 for 'x'|case must (contain 4 names; got 3|name every item)|(run must name each run of a case once|case must be given with run=)", lambda x: br.joint_outcomes(Y[:4], GUESSES, **x), {"case": list("wxyx"), "dataset": [1, 1, 1, 2]}, {"case": list("wxyz"), "count": [1, 3, 1, 1]}, {"case": list("wxy")}, {"case": ["w", "x", "y", None]}, {"run": [1, 1, 1, 2], "case": list("uuvv")}, {"run": [1, 1, 1, 2], "case": None}),
    ("case must be given with run=", lambda: br.from_outcomes(pd.DataFrame(GUESSES), run=[1, 2, 1, 2])),
    ("run must name each run of a case once; got duplicate runs: 1 of 'x'|duplicate cases: 'x' in 1 and in 2|cluster must be the same for all runs of a case; got 1 and 2 for 'x'", lambda x: br.from_outcomes(pd.DataFrame(GUESSES), case=list("xxyy"), **{"run": [1, 2, 1, 2]} | x), {"run": [1, 1, 1, 2]}, {"dataset": [1, 2, 3, 3]}, {"cluster": [1, 2, 3, 3]}),
    ("frame must (be a pandas DataFrame|contain at least one case|contain each name once; got 'a'|contain numbers; got str 'x'|contain finite numbers|contain numbers up to 1e.100)", lambda x: br.from_outcomes(x), {"a": [1]}, ANSWERS.iloc[:0], ANSWERS[["a", "a"]], pd.DataFrame({"a": [1, 2], "b": [1, "x"]}), pd.DataFrame({"a": [1, INF]}), pd.DataFrame({"a": [1, -1e101]})),
    (r"none in column 'a', row \d+ \(missing='common'", lambda: br.from_outcomes(ANSWERS.astype(float).replace(1.0, NAN))),
    ("count must contain (one number for each of the 60 cases|non-negative whole numbers)|cluster must contain 60 names|missing must be one of .*, or None, or a finite number; got|cost must (be a pandas DataFrame|have the rows and the columns of the outcomes|contain at least one number for each entity|be 0 or more)", lambda x: br.from_outcomes(ANSWERS, **x), {"count": [1]}, {"count": [0.5] * 60}, {"cluster": "question"}, {"missing": "drop"}, {"missing": True}, {"missing": INF}, {"cost": 3}, {"cost": ANSWERS.iloc[:3]}, {"cost": ANSWERS * NAN}, {"cost": ANSWERS - 1}),
    (r"frame must contain whole numbers up to 2\*\*53; got 1152921504606846977", lambda: br.from_outcomes(pd.DataFrame({"a": [2**60, 2**60 + 1], "b": [1, 2]}))),
    ("missing cannot be 'common': no case", lambda x: x(missing="common"), lambda **how: br.from_outcomes(pd.DataFrame({"a": [1, None], "b": [None, 1]}), **how), lambda **how: br.joint_outcomes([0, 1], {"a": [0, None], "b": [None, 1]}, **how)),
    (r"at least one outcome for each entity; got none in the columns \['c'\]", lambda x: br.from_outcomes(ANSWERS.assign(c=NAN), missing=x), "common", "own", 0, None),
    (r"(predictions\['b'\] must contain a label (for every case; .*missing='common'|of at least one case)|missing must be one of .'common'., or left out .*confusion matrix.*; got|y_true must contain a label)", lambda x: br.joint_outcomes(x[0], {"a": [0, 1], "b": x[1]}, missing=x[2]), ([0, 1], [0, None], None), ([0, 1], [0, 1], "own"), ([0, 1], [None, None], "common")),
    (r"range must contain every outcome; got \(2, 4\) and 1", lambda: br.from_outcomes(pd.DataFrame({"x": [1, 5, 3], "y": 2}), range=(2, 4))),
    ("(usd must be|cost cannot be used for)", lambda x: br.from_frame(x, cost="usd"), pd.DataFrame({"entity": ["a", "b"], "case": 1, "outcome": 1, "usd": "cheap"}), ANSWERS.assign(usd=1.0)),
    # data sets
    ("name must .*tornado", lambda: br.datasets.describe("iris")),
    ("single cases", lambda x: x(), lambda: br.datasets.load_cases("tornado"), lambda: br.datasets.load_joint("imagenet_models")),
    # weights of cases
    ("cases must be (at least 1; got 0|a whole number|a sequence of labels)|cases must contain a label for every case|cases must be .* a Dataset", lambda x: br.case_weights(x), 0, True, 2.0, "ab", None, [], [1, None], xr.Dataset({"x": 1})),
    ("(count|dataset|cluster) cannot be used for joint outcomes", lambda x: br.case_weights(JOINT, **x), {"count": [1, 2]}, {"dataset": "x"}, {"cluster": [1, 2]}),
    ("count must contain non-neg", lambda: br.case_weights(JOINT.assign(count=JOINT["count"] * 0.3))),
    ("count must (contain one number for each of the 2|contain non-negative whole|be above 0 for at least one case)", lambda x: br.case_weights(2, count=x), [1, 2, 3], [0.5, 1], [0, 0]),
    ("weight must (contain finite numbers, 0 or more|be above 0 for at least one|contain one number for each of the 2|contain numbers)", lambda x: br.from_predictions([0, 1], {"a": [0, 1]}, weight=x), [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0], [1.0], ["a", "b"]),
    ("(cluster|dataset) must contain 3 names|(draws|chains|chunks) must be at least 1; got 0|cluster must name clusters|prevalence must be (one of .'sampled', 'observed'|'sampled' if the labels)", lambda x: br.case_weights(3, **x), {"cluster": [1, 2]}, {"cluster": "x"}, {"dataset": ["x"]}, {"draws": 0}, {"chains": 0}, {"chunks": 0}, {"cluster": [1, 1, 1], "dataset": list("xyy")}, {"prevalence": 0.2}, {"prevalence": "observed"}),
    ("weights must (be a DataArray|have the dims|contain)", check_case_weights, [1, 2], xr.DataArray([1.0], dims="case"), xr.DataArray([[1.0]], dims=("draw", "x")), xr.DataArray([[[1]]], dims=("a", "draw", "case")), xr.DataArray([["a"]], dims=("draw", "case")), xr.DataArray(np.ones((0, 2)), dims=("draw", "case"))),
    ("weights must have the 4 cases", lambda: check_case_weights(FEW, 4)),
    # variance components
    ("^(case must be given, or runs|run cannot be used with runs|frame must contain (a case with several runs|at least two cases)|cluster must (contain at least two clusters|be the same .* 'x'))", lambda x: br.cases.variance_components(RUNS[["a"]], **x), {}, {"run": [1, 2, 1, 2], "runs": 2}, {"case": list("wxyz")}, {"case": list("xxxx")}, {"case": list("xxyy"), "cluster": [1] * 4}, {"case": list("xxyy"), "cluster": [2, 1, 3, 3]}),
    ("duplicate (runs: 'x' of 'x'|cases: 'x')", lambda x: br.cases.variance_components(RUNS, **x), {"case": "q", "run": "q"}, {"case": "q", "runs": 2}),
    ("frame must (be a pandas DataFrame|contain the share of right runs.* got (0.5 of 3|2 of 2) runs|contain numbers; got str 'x')|every entity in every row.*'a', row 0", lambda x: br.cases.variance_components(x[0], runs=x[1]), ({"a": [1]}, 2), (RUNS[["a"]], 3), (RUNS[["a"]] * 2, 2), (RUNS[["q"]], 2), (RUNS[["a"]].replace(0.5, NAN), 2)),
    ("runs must (be whole numbers, 1 or more|be one number, one for each of the 4 cases|contain numbers)", lambda x: br.cases.variance_components(RUNS[["a"]], runs=x), INF, 0, [2, 2.5, 2, 2], [2, 2], "many"),
]

POSTERIORS = [
    # evidence
    ("evidence must .*(DataArray|dims|whole numbers|non-negative|at least one entity|names each entity)", br.fit, [1, 2], None, VALUES, COUNTS / 110, -COUNTS, COUNTS.isel(entity=[]), COUNTS.drop_vars("entity")),
    ("evidence must .*same classes", lambda: br.fit(counts_like(np.ones((1, 2, 2), int), predicted=("p", "q")))),
    ("(entity must .*'a'|dataset must .*'x')", br.fit, counts_like(np.ones((2, 2, 2), int), entity=("a", "a")), STUDIES.assign_coords(dataset=["x", "x"])),
    ("test_set must .*every entity", lambda: br.fit(COUNTS.assign_coords(test_set=("entity", ["", ""])))),
    ("test_set must name entities with the same cases; got 'north' for 'a'", lambda: br.fit(COUNTS + xr.DataArray([0, 1], dims="entity") * xr.ones_like(COUNTS).assign_coords(test_set=("entity", ["north", "north"])))),
    # model and sampler
    (r"model must .*lacks \['observed', 'build', 'performances'\]", lambda: fit(dict)),
    ("two classes", lambda x: fit(x, THREE), "beta_binomial", "hierarchical_beta_binomial", "hierarchical_logit_normal"),
    (r"nuts (must|cannot) .*(sampler='nuts'|mapping|\['draws'\])|options must .*\['tune'\].*nuts=|groups must .*(sequence|any of)|force must .*True or False", lambda x: fit(**x), {"nuts": {"tune": 100}}, {"nuts": 3}, {"sampler": "nuts", "nuts": {"draws": 5}}, {"tune": 100}, {"groups": "prior"}, {"groups": ["priors"]}, {"groups": 3}, {"groups": [["prior"]]}, {"force": "yes"}),
    (r"options must be among .*'prior'.*'piror'.*did you mean prior", lambda x: x(), lambda: fit(piror=2), lambda: fit(sampler="nuts", piror=2), lambda: fit("beta_binomial", piror=1), lambda: paired(piror=1), lambda: fit("hierarchical_beta_binomial", STUDIES, piror=1), lambda: fit("hierarchical_classes", STUDIES, piror=1), lambda: fit("hierarchical_dirichlet_multinomial", STUDIES, piror=1), lambda: fit("hierarchical_logit_normal", STUDIES, piror=1)),
    # prior
    ("prior must .*(non-negative|finite|a number|number|uniform|shape|every entity|2 values|numbers|dims among)", lambda x: fit(prior=x), -1, NAN, True, np.True_, "flat", [1, 2, 3], object(), {"a": 1}, {"a": 1, "b": 1, "c": 1}, by_entity([1.0], ["a"]), by_entity([1.0, 2.0, 3.0]), by_entity(["x", "y"]), VALUES, [["1", "2"], ["3", "4"]]),
    (r"prior must contain concentrations of at most 9e\+15; got 1", lambda x: fit(**x), {"prior": 1e308}, {"prior": [[1.0, 1.0], [1.0, 1e308]]}, {"prior": 2.0**54}, {"prior": 2.0**54, "model": "beta_binomial"}),
    ("groups cannot hold 'prior'.*improper|groups .*improper", lambda x: x(), lambda: fit(prior="haldane", groups=["prior"]), lambda: paired(prior="haldane", force=True, groups=["prior"]), lambda: fit(evidence=OUTCOMES, prior=0, force=True, groups=["prior"])),
    ("prior must be positive", lambda x: x(), lambda: fit(prior="haldane", sampler="nuts"), lambda: fit("hierarchical_beta_binomial", STUDIES, prior="haldane"), lambda: fit("hierarchical_logit_normal", STUDIES, prior="haldane"), lambda: fit("hierarchical_classes", STUDIES, prior="haldane"), lambda: fit(evidence=OUTCOMES, sampler="nuts", prior="haldane", force=True)),
    # prevalence
    ("prevalence must .*('observed'|between 0 and 1|DataArray|every entity|numbers|dims among|along draw|sum to 1)", lambda x: fit(prevalence=x), "known", 1.5, NAN, [0.1, 0.2], by_entity([0.1], ["a"]), by_entity(["x", "y"]), xr.DataArray([0.1], dims="fold"), xr.DataArray([0.1, 0.2], dims="draw"), xr.DataArray([0.3, 0.3], dims="actual")),
    ("prevalence must .*dim actual|positive must name", lambda x: fit(evidence=x[0], prevalence=x[1]), (THREE, 0.5), (UNKNOWN, 0.02)),
    # populations
    ("prevalence must be 'sampled', a number or a DataArray for a hierarchical", lambda x: fit(x, STUDIES, prevalence="observed"), "hierarchical_beta_binomial", "hierarchical_logit_normal"),
    ("prior must be the same for every dataset|prior must use the same row totals", lambda x: fit("hierarchical_beta_binomial", STUDIES, prior=x), STUDIES.astype(float), {"a": 1, "b": 2}),
    ("'paired' for cases in clusters", lambda: fit("hierarchical_beta_binomial", SPLIT)),
    # cases
    (r"prior must give every entity the same row totals.* \[2.0, 2.0\] for 'a'|(range|base) must be None if cases have classes|'log_prior' for Paired.*br\.sensitivity scales priors|(split_prior|force) must be True or False|sampler must be 'auto' or 'exact'|target must be None|prevalence must lie between 0 and 1|prevalence must be the same for all entities.* for 'a' and \[0\.7, 0\.3\] for", lambda x: paired(**x), {"prior": {"a": 1, "b": 2}}, {"range": (0, 1)}, {"base": {0: 1}}, {"groups": ["log_prior"]}, {"split_prior": 1}, {"force": 1}, {"sampler": "nuts"}, {"target": "case"}, {"prevalence": 2}, {"prevalence": by_entity([0.2, 0.3], ["a", "b"])}),
    ("prevalence must be None for outcomes|prior must (be one of|be one number or of shape|contain non-negative finite)", lambda x: paired(ANSWERS, **x), {"prevalence": 0.5}, {"prior": "flat"}, {"prior": [1, 2, 3]}, {"prior": -1}),
    ("prior must be 'haldane' for outcomes of more than 20 values|range must (contain every outcome|be two finite numbers)|prior must be (None, 'one_case' or 'haldane'|None with base)|base must (be non-negative|contain numbers|be a mapping|name finite values)", lambda x: paired(NUMBERS, **x), {"prior": 1}, {"range": (0, 0.2)}, {"range": (1, 0)}, {"range": (0, INF)}, {"range": 1}, {"range": "01"}, {"range": (0, 1, 2)}, {"prior": 2, "range": (0, 1)}, {"prior": 2, "base": {0: 1}}, {"base": {0: 0, 1: 0}}, {"base": {0: -1, 1: 2}}, {"base": {"x": 1}}, {"base": [1, 2]}, {"base": {NAN: 1}}),
    ("cluster must name clusters that each lie in one data set.* 'n' and 's'", lambda: paired(SPLIT)),
    ("target must be 'case' if answers are missing", lambda: paired(br.from_outcomes(ANSWERS.astype(float).replace(1.0, NAN), cluster=np.arange(60) // 3, missing="own"), target="cluster")),
    (r"target must be one of \['case', 'cluster'\]; got 'question'", lambda: paired(CLUSTERED, target="question")),
    ("evidence must (be a Dataset .*joint_outcomes|contain .*count|have the dims|contain at least one)|count must contain non-neg|entity must contain each name once|actual and predicted must contain labels among", paired, COUNTS, JOINT.drop_vars("count"), JOINT.isel(entity=0), JOINT.isel(pattern=[]), JOINT.assign(count=-JOINT["count"]), JOINT.isel(entity=[0, 0]), JOINT.assign_coords(label=("label", [1, 2]))),
    # outcomes
    ("evidence must have the dims .*dirichlet_multinomial", lambda: fit("beta_binomial", OUTCOMES)),
    (r"options must be among .*'force'\].*'prevalence'|prior must be (one number or of shape \(2,\)|one of)", lambda x: fit(evidence=OUTCOMES, **x), {"prevalence": "observed"}, {"prior": [1, 2, 3]}, {"prior": "flat"}),
    ("evidence must (contain at least one case of every entity|have at least two outcomes|have a coord that names each outcome|have the dims entity|contain non-negative whole numbers)|outcome must contain each name once", lambda x: fit(evidence=x), OUTCOMES * 0, OUTCOMES.isel(outcome=[1]), OUTCOMES.drop_vars("outcome"), OUTCOMES.rename(entity="model"), OUTCOMES / 3, OUTCOMES.assign_coords(outcome=[1, 1])),
    # chunks
    ("chunks must (be|name).*(multiples of|chain and draw|got 'many'|got True|got 2.5|got 0|a number of draws)", lambda x: br.fit(COUNTS, draws=2300, chains=2, chunks=x), 1500, 10, {"draw": (300, 2000)}, {"entity": 1}, "many", True, 2.5, 0, {"draw": (1000, 1000)}),
    ("chunks must be None(.*its sampler holds all draws| for HierarchicalLogitNormal.*no exact draws)", lambda x: br.fit(STUDIES, chunks=1000, **x), {"sampler": "nuts"}, {"model": "hierarchical_logit_normal"}),
    # what comes after
    ("size must .*(at least 1|whole|negative)", lambda x: br.posterior_predictive(POSTERIOR, size=x), 0, 10.5, {"x": 1}),
    ("size must be given", lambda x: br.posterior_predictive(br.as_performance(x)), POSTERIOR, GRADED),
    ("size must .*no classes|size must be a whole number for outcomes", lambda x: br.posterior_predictive(x, {0: 3, 1: 4}), xr.DataArray([0.2, 0.8], dims="outcome"), GRADED),
    ("positive prevalence for every class that has cases", lambda: br.posterior_predictive(br.as_performance(fit(prevalence=0.0)), size={"negative": 5, "positive": 5}, seed=1)),
    ("weights must (name every data set once|be non-negative|contain numbers|be a mapping or a DataArray|be over dataset)", lambda x: br.performance.mean_over_datasets(EACH, x), {"x": 1}, {"x": 1, "y": 1, "z": 1}, {"x": -1, "y": 1}, {"x": 0, "y": 0}, {"x": "a", "y": 1}, [1, 2], xr.DataArray([1, 2], dims="task")),
    ("source must (have the dims entity and dataset|contain every entity.* 'b' without 'x'|be a DataArray, a Dataset)", br.performance.mean_over_datasets, POSTERIOR, fit(evidence=PARTIAL), 3),
    ("posterior must (come from a hierarchical model|be an? |contain draws)", lambda x: x[0](x[1], "tpr"), *((f, s) for f in (br.heterogeneity, br.comparisons.shrinkage) for s in (EACH, STUDIES, None, xr.Dataset({"performance": br.as_performance(STUDIES)})))),
    ("performance_typical", lambda: br.performance.summary_points(POSTERIOR)),
    ("prevalence must|labels of the source|sum to 1", lambda x: br.at_prevalence(POSTERIOR, x), 1.5, "much", [0.1, 0.2], xr.DataArray([0.1] * 3, {"draw": range(3)}, ["draw"]), xr.DataArray([0.1, 0.2], {"actual": ["negative", "positive"]}, ["actual"])),
    ("source must be|must contain a performance", lambda x: br.at_prevalence(x, 0.1), "a", xr.Dataset({"x": 1})),
    ("(actual|must have classes).*outcomes have no classes", lambda x: x(), lambda: br.at_prevalence(OUTCOMES, 0.3), lambda: br.decisions.expected_utility(OUTCOMES, np.eye(2))),
    ("refit must", lambda: br.compare({"a": EACH}, refit="x")),
    ("posteriors must (contain at least one|map names to results of br.fit; got DataArray for 'a')", br.compare, {}, {"a": STUDIES}),
    ("evidence must be a mapping from names to posteriors", br.compare, [EACH], STUDIES),
    ("models must be a sequence", lambda: br.compare(STUDIES, "beta_binomial")),
]

PERFORMANCES = [
    ("prevalence has no direction|may be negative|is of classes itself|score must be a name that", scores.get, "macro_prevalence", "geometric_mcc", "harmonic κ", "macro_macro_f1", "macro_mean_absolute_error", "median_f1"),
    ("must have the original classes|the same classes on actual and predicted", scores.macro_f1, br.one_vs_rest(THREE), THREE.isel(predicted=[0, 1])),
    ("satisfaction must", lambda: br.ranking_score(POINT, IMPORTANCE, by_entity([1.0, 2.0], ["x", "y"]))),
    ("source must .*(DataArray|actual and predicted|sum to 1|no negative|numbers)", br.as_performance, [0.1, 0.9], VALUES, COUNTS * 1.0, POINT / 2, 0.5 - POINT, -COUNTS, COUNTS.astype(str)),
    ("source must contain probabilities, or NaN for all of (predicted|outcome)", br.as_performance, POINT.where(POINT > 0.06), xr.DataArray([0.2, NAN, 0.5], dims="outcome")),
    (r"source must .*performance_new", lambda: br.as_performance(POSTERIOR, kind="new")),
    ("source must .*'performance'", lambda: br.as_performance(COUNTS.to_dataset(name="counts"))),
    # scores
    ("score must be .*'macro_f1'.*f1:CLASS.*one_vs_rest first.*'accuracy', .* for 3 classes; got 'f1', a score of two", lambda: scores.f1(THREE)),
    ("score must .*(catalog|name)", scores.get, "f7", 7, 3),
    (r"fowlkes_mallows.*g_mean.*jaccard.*'G-measure'|weighted_accuracy\(weight\)", scores.get, "G-measure", "WA", "weighted_accuracy"),
    (r"more than one meaning.*_tpr.*br.scores.average", scores.get, "macro_accuracy", "weighted_error_rate", "Micro Error-rate", "macro A"),
    ("(score must be (a pair|over actual|a Score, a name)|b must be a number)", scores.as_score, (0.1, 0.2, 0.3), (0.1, "b"), xr.DataArray(1.0), 3),
    ("beta must (be at least 0|be a number|be at most 1.8e308)", scores.f_beta, -1, "2", INF, 10**400),
    ("weight must lie between 0 and 1|benefit must be four finite numbers|a must lie between 0 and 1|threshold must lie strictly between 0 and 1|event must be a proper subset", lambda x: x(), lambda: scores.weighted_accuracy(1.5), lambda: scores.decision_benefit([1, 2]), lambda: scores.canonical(1.5, 0), lambda: scores.net_benefit(1.0), lambda: scores.conditional_probability("x", "tp fp", "tp")),
    ("importance must be (a DataArray|non-negative|over actual)|not all 0", scores.of_importance, {"tp": 1}, -br.importance(tp=1), xr.zeros_like(IMPORTANCE), br.importance(tp=1).rename(actual="entity")),
    ("score must (be a score of two classes|not be negative|be a Score)", lambda x: x(), lambda: scores.average("macro_f1", "macro"), lambda: scores.average("mcc", "geometric"), lambda: scores.balanced(3, "name")),
    ("score must be one of|positives must be at least 3", lambda x: scores.scaled_log(*x), (scores.f1, 10, 10), (scores.diagnostic_odds_ratio, 1, 10)),
    (r"range must (be a tuple \(low, high\)|be a number|not be NaN)", lambda x: scores.Score("x", len, range=x), [0, 1], (0, 1, 2), (1, 0), (0, "1"), (0, NAN)),
    ("importance must be non-negative, finite and not all 0", lambda x: br.importance(**x), {}, {"tp": -1, "tn": 2}),
    ("importance must (be )?(non-negative|have the dims actual and predicted|a DataArray)|size 2 on actual|positive for some outcome|labels of source", lambda x: br.ranking_score(COUNTS, x), xr.DataArray([1.0, -1.0], dims="actual"), xr.DataArray([1.0, 1.0, 1.0], dims="actual"), xr.DataArray([0.0, 0.0], dims="actual"), xr.DataArray([1.0, 1.0], dims="outcome"), xr.DataArray([1.0, 1.0], dims="actual", coords={"actual": ["x", "y"]}), 1.0),
    ("importance must contain numbers|satisfaction must (be finite|contain numbers)", lambda x: br.ranking_score(POINT, *x), (IMPORTANCE.astype(str),), (IMPORTANCE, xr.DataArray(NAN)), (IMPORTANCE, IMPORTANCE.astype(complex))),
    ("satisfaction must be given", lambda: br.ranking_score(xr.DataArray([0.5, 0.5], dims="outcome"), xr.DataArray(1.0))),
    ("b must lie between 0 and 1", lambda: br.canonical_score(COUNTS, 0.5, [-0.1, 0.2])),
    ("source must contain no negative counts", lambda x: x(-COUNTS), lambda s: br.canonical_score(s, 0.5, 0.5), tile.regions),
    ("prediction_rate cannot be used", lambda: br.place("f1", 0.2, prediction_rate=0.3)),
    # exact posteriors
    ("monotone.*(optimized_precision|score)", lambda x: br.score_posterior(COUNTS, x, "beta_binomial"), "optimized_precision", lambda tn, fp, fn, tp: tp * fn),
    ("TPR and TNR both rise", lambda x: br.score_posterior(COUNTS, x), "prevalence", lambda tn, fp, fn, tp: (tp > 0.2) * 1.0, lambda tn, fp, fn, tp: 0 * tn, lambda tn, fp, fn, tp: np.minimum(tp / (tp + fn), 0.98)),
    ("value (and q must have the labels|must contain numbers)", br.score_posterior(COUNTS, "f1").cdf, xr.DataArray([0.5], {"entity": ["none"]}), xr.DataArray(["x"], dims="value")),
    (r"prior must be positive.* if a cell has no cases", lambda x: br.score_posterior(NO_POSITIVES, x[0], x[1], prior="haldane", prevalence=0.3, force=x[2]), *((s, m, f) for s in ("tpr", "mcc") for m in ("dirichlet_multinomial", "beta_binomial") for f in (False, True))),
    ("counts must have the dims .*dirichlet_multinomial", lambda: br.score_posterior(OUTCOMES, "f1")),
    # tables of scores
    (r"scores must (be a list of at least one score|name each score once; got \['tpr', 'tpr'\])|score must be a name|score must .*catalog", lambda x: br.score_table(POSTERIOR, x), "f1", [], ["recall", "tpr"], ["temperature"]),
    ("source must", lambda x: br.score_table(x, ["f1"]), 3, COUNTS.isel(actual=0, predicted=0) / 100),
    # outcomes have no classes
    ("(source|score) must .*no classes", lambda x: x(), lambda: tile.credible(br.as_performance(GRADED), 3), lambda: ops.of_draws(GRADED, "f1"), lambda: br.canonical_score(br.as_performance(OUTCOMES), 0.5, 0.5)),
    ("score must be 'mean_outcome' for outcomes, which have no classes; got '(f1|mcc|macro_f1)'", lambda x: x(GRADED), scores.f1, *(lambda s, x=x: br.credible_ranking(s, x) for x in ("f1", "mcc", "macro_f1"))),
    ("counts must have two classes .*no classes", lambda: predictive.confusion_pmf(OUTCOMES.sel(entity="a"))),
    (r"source must have numeric outcomes for mean_outcome; got \['bad'", lambda: br.credible_ranking(WORDS, "mean_outcome")),
    # the positive class
    ("positive='(healthy|cancer)' or positive='(healthy|cancer)'", lambda x: x(UNKNOWN), scores.f1, lambda s: br.rank(s, "tpr"), lambda s: br.credible_ranking(s, "ppv"), lambda s: br.score_table(s, ["accuracy", "npv"]), lambda s: tile.credible(br.fit(s, **RUN), 5), lambda s: br.canonical_score(s, 1.0, 0.5), lambda s: br.ranking_score(s, br.importance(tp=1, fn=1)), lambda s: br.rank(s, br.importance(tp=1, fn=1)), lambda s: br.rank(s, lambda tn, fp, fn, tp: tp), lambda s: utility(source=s), lambda s: br.decisions.noninferiority(s, "shy"), lambda s: br.at_prevalence(br.fit(s, **RUN), 0.1), lambda s: ops.of_draws(br.fit(s, **RUN), "f1")),
    ("positive must name", lambda x: x(UNKNOWN), lambda c: br.credible_ranking(c, "f1", method="exact"), lambda c: br.score_posterior(c, "f1"), lambda c: br.decisions.decision_curve(LABELS, {"a": np.linspace(0, 1, 8)}, [0.2])),
    ("same classes on actual and predicted|once|labels on predicted", scores.f1, *(s.assign_coords(c) for s in (POINT, COUNTS) for c in ({"predicted": ["p", "n"]}, {"predicted": ["positive", "positive"]}, {"actual": ["negative"] * 2, "predicted": ["negative"] * 2})), COUNTS.isel(actual=[1, 0]).drop_vars("predicted")),
]

RANKINGS = [
    # sensitivities, comparisons, decisions
    ("must be a sequence|prevalence must lie|prior must be|alternatives must (contain each name once|be )", lambda x: br.sensitivity(COUNTS, "f1", draws=20, **x), {"priors": "uniform"}, {"scores": "f1"}, {"prevalences": 0.5}, {"models": "beta_binomial"}, {"prevalences": [1.5]}, {"priors": ["flat"]}, {"scores": ["tpr", "recall"]}, {"alternatives": 1}, {"alternatives": "priors"}, {"alternatives": ["all"]}),
    ("evidence must be a DataArray", lambda: br.sensitivity([1], "f1")),
    ("score must be 'mean_outcome' for outcomes|prevalence must be None|prior must be", lambda x: br.sensitivity(br.from_outcomes(ANSWERS), draws=20, **x), {"score": "f1"}, {"scores": ["f1"]}, {"prevalences": [0.5]}, {"priors": ["flat"]}),
    ("model must be 'paired' for cases in clusters", lambda: br.sensitivity(br.from_outcomes(ANSWERS, cluster=np.arange(60) // 4), models=["dirichlet_multinomial"], draws=20)),
    ("level must lie strictly|model must be one of|options must be among", lambda x: prior_conflict(COUNTS, **x), {"level": 1.0}, {"model": "binomial"}, {"priors": 1}),
    (r"posteriors must be fitted to the same data.*(: the counts differ|only one has \['b'\])", lambda x: br.compare({"a": EACH, "b": fit(evidence=x)}), STUDIES + 1, STUDIES.sel(entity=["a"])),
    ("posteriors must all predict class sizes, or none; got 'a', which predicts them, and 'b'", lambda: br.compare({"a": EACH, "b": fit("beta_binomial", STUDIES)})),
    ("by must be 'table' or 'case' if there are no data sets", lambda: br.compare({"a": POSTERIOR}, by="dataset")),
    ("prior must be positive, since it predicts the cases", lambda: br.compare({"a": fit(evidence=STUDIES, prior="haldane", force=True)})),
    ("posteriors must come from counts with cases", lambda: br.compare({"a": fit("hierarchical_beta_binomial", 0 * STUDIES, force=True)})),
    ("posteriors must", lambda: br.compare({"a": paired()})),
    ("(tpr|tnr) must|source must contain a second entity", lambda x: br.decisions.noninferiority(*x[0], **x[1]), ((COUNTS, "a"), {"tpr": "x"}), ((COUNTS, "a"), {"tnr": -0.1}), ((COUNTS.isel(entity=[0]), "a"), {})),
    ("thresholds must (lie strictly between 0 and 1|contain each name once|be a sequence)", lambda x: br.decisions.decision_curve(Y, RISK, x), [0.0], [0.2, 0.2], []),
    ("y_true must have cases of two classes", lambda x: br.decisions.decision_curve(x, {"a": [0, 1, 1]}, [0.2]), [0, 1, 2], [1, 1, 1]),
    (r"predictions(\['a'\])? must (be a mapping|contain at least one|lie between|contain one|contain each name)", lambda x: br.decisions.decision_curve([0, 1], x, [0.2]), [0, 1], {}, {"a": [0, 1.5]}, {"a": [0, NAN]}, {"a": [0.5]}, {"treat all": [0.5, 0.1]}),
    ("prevalence must be a number or 4000 draws", lambda: br.decisions.decision_curve([0, 1], {"a": [0, 1]}, [0.2], prevalence=xr.DataArray([0.1], dims="draw"))),
    ("source must .*(DataArray|dim entity|numbers)", br.rank, [1, 2], VALUES.rename(entity="model"), VALUES.astype(str)),
    ("score.* must be given", br.rank, COUNTS, COUNTS.to_dataset(name="performance"), scores.fnr(COUNTS)),
    ("kind must .*None for score values", lambda: br.rank(VALUES, kind="observed")),
    ("higher_is_better must be (told|given)", lambda x: br.rank(*x), (COUNTS, "prevalence"), (scores.prevalence(COUNTS),)),
    ("score must .*be (fnr|positive_likelihood_ratio), as the values are named; got f1|whose name says", lambda x: br.credible_ranking(x(POSTERIOR), "f1"), scores.fnr, scores.positive_likelihood_ratio),
    ("prob must lie (between 1e-12|strictly between)", lambda x: br.credible_ranking(VALUES, prob=x), 1.0, 1e-18),
    ("source must .*(finite or NaN|once|at least one|must not|not have)", br.credible_ranking, VALUES.where(VALUES > 0, INF), VALUES.assign_coords(entity=["a", "a", "b"]), VALUES.isel(draw=[]), VALUES.isel(entity=[]), VALUES.expand_dims(rank=2)),
    ("sum to 1|no negative counts", lambda x: br.credible_ranking(x, "f1"), (2 * POINT).chunk(entity=1), (-COUNTS).chunk(entity=1)),
    ("cost must (be given for a source without the variable mean_cost|have the entities and the draws of the scores)", lambda x: br.decisions.pareto_front(paired(ANSWERS), cost=x), None, by_entity([1.0, 2.0], ["a", "z"])),
    ("kind must be left out, or 'observed'", lambda: br.credible_ranking(GRADED, "mean_outcome", kind="typical")),
    (r"reserved name.*rename it, for example to my_(rate|prevalence)", lambda x: br.credible_ranking(groups_of(POSTERIOR)["posterior"].assign({x: DRAWS.isel(actual=0, predicted=0, drop=True)}), "accuracy"), "rate", "prevalence"),
    ("ranking must be one ranking", lambda: br.verdict(br.credible_ranking(F1.expand_dims(dataset=["x", "y"])))),
    ("ranking must contain all", br.board, RANKING.isel(entity=[0])),
    ("ranking must contain (superiority|tier|consensus_position), .*joint=True", lambda x: x[0](RANKING.drop_vars(x[1])), *((f, v) for f in (br.verdict, br.board, plots.superiority) for v in ("superiority", "tier", "consensus_position"))),
    ("ranking must contain superiority, .*joint=True", lambda x: x(br.credible_ranking(POSTERIOR, "f1", joint=False)), br.verdict, br.board, plots.superiority, lambda r: br.ranking_report(POSTERIOR, "f1", ranking=r)),
    ("^order must be left out for joint=False", lambda: br.credible_ranking(POSTERIOR, "f1", joint=False, order="predictive")),
    ("^k must lie between 1 and 2; got 4", lambda: br.top_set(F1, None, 4)),
    ("^source must (be one ranking|have finite or NaN values)", lambda x: br.top_set(x, None, 1), F1.expand_dims("dataset"), F1.where(F1.min() < F1, INF)),
    # plans, exact rankings
    ("^(entity must be one of|k, width and rival are targets of their own|margin must come with|k must|sizes must be a sequence|target must|score must be given)", lambda x: br.plan(PLANNED, **{"score": "mcc"} | x), {"entity": "z"}, {"rival": "b", "k": 1}, {"margin": 0.1, "true_scores": "population"}, {"k": 2}, {"sizes": 5}, {"target": 1.5}, {"score": None}),
    ("^more must be .*(cases in clusters|means of several right or wrong runs)|^positives must .*two class sizes were set by design", lambda x: br.plan(PLANNED, "mcc", **x), {"more": "clusters"}, {"more": "runs"}, {"positives": 0.5}),
    (r"^posterior must come from br\.fit|^posterior must come from one data set", lambda x: br.plan(x, "mcc"), COUNTS, EACH),
    ("^rival='all' .*rename the entity", lambda: br.plan(br.fit(COUNTS.assign_coords(entity=["a", "all"]), draws=50, seed=1), "mcc", entity="a", rival="all")),
    (r"^plan must come from br\.plan", lambda: br.ranking_report(POSTERIOR, "mcc", results={"planning": COUNTS}, sections=[])),
    ("^(score must (be given|have a direction)|higher_is_better cannot be used|rope must|prob must|kind cannot be used|draws is not an argument of)", lambda x: br.credible_ranking(COUNTS, **{"score": "f1", "method": "exact"} | x), {"score": None}, {"score": "prevalence"}, {"higher_is_better": False}, {"rope": -1}, {"prob": 1}, {"kind": "typical"}, {"draws": 5}),
    (r"^(hdi_prob|credible_mass) is not an argument of br\.credible_ranking \(did you mean prob=\?\)", lambda x: br.credible_ranking(POSTERIOR, "f1", **x), {"hdi_prob": 0.9, "method": "exact"}, {"credible_mass": 0.9, "method": "auto"}),
    (r"^(dim is not .*(did you mean over=|rename)|rng is not .*seed= is an argument of br\.fit|agregate is not .*did you mean aggregate=|pos_label is not .*positive= is an argument of br\.from_frame)", lambda x: br.credible_ranking(POSTERIOR, "f1", **x), {"dim": "dataset"}, {"rng": 1}, {"agregate": "mean"}, {"pos_label": 1}),
    (r"^options must be among .*(did you mean chains=\?|did you mean draws=\?|positive= is an argument of br.from_frame)", lambda x: fit(**x), {"n_chain": 1}, {"num_samples": 9}, {"pos_label": 1}),
    (r"^options must be among .*seed", lambda x: x(), lambda: br.to_pymc(COUNTS, random_state=1), lambda: br.score_posterior(COUNTS, "f1", rng=1)),
    (r"^(random_seed|models) is not an argument of br\.(compare of posteriors|scores\.balanced)", lambda x: x(), lambda: br.compare({"x": POSTERIOR}, random_seed=1), lambda: scores.balanced("ppv", "p", models=1)),
    (r"^score must be .* a score of predicted probabilities \(fit predicted probabilities: br\.fit\(br\.from_probabilities\(y_true, probabilities\), 'bayesian_bootstrap'\)\)", lambda x: br.credible_ranking(x[0], x[1]), (POSTERIOR, "auc_roc"), (COUNTS, "log_loss"), (paired(), "brier"), (GRADED, "average_precision")),
    ("^(model and its options cannot be used|method must be one of)", lambda x: br.credible_ranking(POSTERIOR, "f1", **{"method": "exact"} | x), {"model": "beta_binomial"}, {"prior": 1}, {"method": "exakt"}, {"method": "draws", "model": "beta_binomial"}, {"method": "auto", "prior": 1}),
    ("^source must", lambda x: br.credible_ranking(x, "f1", method="exact"), DRAWS, "counts"),
    # statements
    ("^(source must be one ranking|top must|places must)", lambda x: br.statements.probable_orders(F1.expand_dims(x) if isinstance(x, str) else F1, **({} if isinstance(x, str) else x)), "dataset", {"top": 0}, {"places": 0}, {"top": True}, {"places": 1.5}),
    ("source must (have finite or NaN values|contain at least one entity and one draw|be a DataArray)", lambda x: x[0](x[1]), *((f, s) for f in (lambda s: br.probability(s, "a > b"), br.statements.probable_orders) for s in (F1.where(F1.min() < F1, INF), F1.isel(draw=[]), 1))),
    ("statement must be a str", lambda: br.probability(F1, 1)),
    # decisions and sensitivities
    ("^benefit must (contain tn, fp, fn and tp|be of shape|contain numbers|be finite|have the dims)", utility, {"tx": 1}, np.eye(3), "tp", [[0, INF], [0, 1]], xr.DataArray([1.0, 2.0], dims="actual")),
    ("^source must have the dims entity|^strategies must be True|^prevalence must (be a number or|contain 20 values along draw|sum to 1)", lambda x: utility(**x), {"source": ONE}, {"strategies": 1}, {"source": POSTERIOR, "prevalence": [0.1, 0.2]}, {"source": POSTERIOR, "prevalence": xr.DataArray([0.1, 0.2], dims="draw")}, {"source": POSTERIOR, "prevalence": xr.DataArray([0.1, 0.2], dims="actual")}),
    ("^prevalence must have the dim actual for 3", lambda: utility(np.eye(3), THREE, prevalence=0.2)),
    ("once", lambda: br.decisions.noninferiority(DRAWS.assign_coords(entity=["a", "a"]), "a")),
    ("must have the dims|once", lambda x: br.sensitivity(x, "f1", draws=20), COUNTS.expand_dims(fold=2), COUNTS.assign_coords(actual=["x", "x"], predicted=["x", "x"])),
    # metrics of weighted cases
    ("metric must be one of|metric must return a number", metric, "auc", 3, scores.get("f1"), lambda y, p, sample_weight: "x", lambda y, p, sample_weight: None, lambda y, p, sample_weight: sample_weight),
    (r"y_true must contain (one label for|two classes)|predictions must (contain at least one entity|contain strings|have the dims)|each name once|by name|predictions\['a'\] must contain (a value for each|numbers|one number for each|a number for every case)|weights must (be a DataArray|have the dims|contain non-negative finite numbers)", lambda x: metric(**x), {"y_true": TRUTH[:9]}, {"y_true": None}, {"y_true": TRUTH * 0}, {"predictions": {}}, {"predictions": {("a", 1): TRUTH}}, {"predictions": pd.DataFrame([[1, 2]] * 150, columns=["a", "a"])}, {"predictions": xr.DataArray(np.ones((150, 2)), dims=("case", "entity"))}, {"predictions": xr.DataArray(np.ones(150), dims="case")}, {"predictions": {"a": [1, 2]}}, {"predictions": {"a": 1}}, {"predictions": {"a": ["x"] * 150}}, {"predictions": {"a": np.ones((150, 2))}}, {"predictions": {"a": [NAN] * 150}}, {"weights": np.ones((3, 150))}, {"weights": FEW.isel(draw=0, chain=0)}, {"weights": FEW - 2}, {"weights": FEW.where(FEW < 1)}),
    ("y_true must be None for 'mean'|must contain finite numbers", lambda x: metric("mean", **x), {}, {"y_true": None, "predictions": [INF] * 150}),
    (r"predictions\['good'\] must lie between 0 and 1", metric, "brier", "log_loss"),
    ("wrong prediction.* got [01] for", lambda x: metric("log_loss", predictions={"a": x}), np.ones(150), np.zeros(150)),
    ("(seed|draws) cannot be used|weights must (have the 150 cases|come from one data|contain non-negative)", lambda x: ops.of_curve(TRUTH, SCORES, "auc_roc", **{"weights": FEW} | x), {"seed": 1}, {"draws": 10}, {"weights": FEW[..., 1:]}, {"weights": br.case_weights(150, dataset=["x"] * 50 + ["y"] * 100, draws=2)}, {"weights": -FEW}),
]

THEORY = [
    ("sum to 1|non-negative|'c'|labelled dim", lambda x: theory.mix(POINT, x), {"a": 0.5, "b": 0.6}, {"a": 1.5, "b": -0.5}, {"a": 0.5, "c": 0.5}, xr.DataArray([0.5, 0.5], dims="entity")),
    ("must have the dim 'dataset'", lambda: theory.mix(POINT, {"one": 1.0}, "dataset")),
    ("order must come from br.theory.relations", lambda: theory.rank_bounds(F1)),
    ("scores and prevalences must contain", lambda: theory.audit_table([])),
    ("prevalences must be a sequence", lambda: theory.audit_table(["f1"], 0.2)),
    ("dim entity", lambda: theory.relations(xr.DataArray([1.0], dims="draw"))),
    ("score and other must be defined for", lambda: theory.compare_orders("f1", lambda tn, fp, fn, tp: tp * NAN)),
    ("prediction_rate cannot be used", lambda: theory.compare_orders("f1", "f2", 0.2, prediction_rate=0.2)),
    ("must be defined for some", lambda: br.audit(lambda tn, fp, fn, tp: tn * NAN)),
    (r"whose rows sum to 1|of shape \(2, 2\)|operations must (contain names among|be a sequence)|prediction_rate cannot be used|prevalence cannot be used for 3 classes|score must be defined for more than two classes|classes must lie between 2 and 8", lambda x: br.audit("ppv", **x), {"operations": [NOISE, [[0.9, 0.2], [0.3, 0.7]]]}, {"operations": np.eye(3)}, {"operations": [["mix"]]}, {"operations": "noise"}, {"operations": []}, {"operations": 3}, {"prediction_rate": 0.2} | {"operations": NOISE}, {"prediction_rate": 0.2} | {"prevalence": 0.2}, {"prediction_rate": 0.2} | {"operations": "relabel"}, {"classes": 3, "prevalence": 0.2}, {"classes": 3}, {"classes": 9}),
]

TILES = [
    ("maps must (be one of .*expected_rank|be a sequence)", lambda x: tile.credible(DRAWS, 5, maps=x), ["rank"], "expected_rank"),
    ("credible must have the map expected_rank", lambda: plots.expected_rank_tile(tile.credible(DRAWS, 5, maps=()), "a")),
    ("source must contain at least one entity and one draw", lambda x: x(DRAWS.isel(draw=[])), lambda s: tile.credible(s, 3), lambda s: tile.probability_best(s, 3), lambda s: tile.rank_probability(s, 3), lambda s: tile.value_interval(s, 3), lambda s: tile.entity_rank(s, "a", 3), lambda s: tile.preference_ranking(s, 0.5, 0.5)),
    ("source must not be empty along entity", lambda x: x(POINT.isel(entity=[]), 3), tile.baseline, tile.state_of_the_art),
    ("rank must be a whole number|rank must lie between 1 and 2; got 3", lambda x: tile.entity(POINT, x, 3), True, 3),
    ("rank must lie between 1 and 2; got 3", lambda: tile.regions(POINT, 3)),
    ("no draws|draws", lambda x: x(DRAWS), tile.regions, lambda s: tile.robustness(s, 5)),
    ("a place on the Tile must contain numbers|place|radius", tile.around, ("x", 1), "mcc", (0.5, 1.5)),
    ("radius|prevalence must be given with 'balanced_accuracy'", lambda x: tile.around(*x), ("f1", 0), ("balanced_accuracy",)),
    ("points must be larger", lambda: tile.around("tpr", 0.1, points=1)),
    ("corners|convex", lambda x: tile.between(*x), ("f1",), ("tnr", "tpr", "ppv", "npv"), ((0, 0), (0.5, 0.5), (1, 1)), STAR),
    ("b must contain two", lambda: tile.beta_preferences((1, 1), (1, 0))),
    (r"weights must have the same length|a, b and weights|b and weights cannot be used with preferences|a must contain preferences: a, b and weight; got a Dataset of \['a', 'b'\]|source must have only the dims of draws.*\['dataset'\]", lambda x: tile.preference_ranking(*x), (POINT, 0.5, 0.5, [[1, 2]]), (COUNTS, NEAR, 0.5), (COUNTS, NEAR.drop_vars("weight")), (COUNTS.expand_dims(dataset=2), NEAR)),
    ("(a|b|prevalence) must (lie|be a number)", lambda x: tile.vertex(*x), (2, 0.5, 0.5), (0.5, NAN, 0.5), ([0.1, 0.2], 0.5, 0.5), (np.array([0.1, 0.2]), 0.5, 0.5), (0.5, 0.5, None)),
    ("prevalence must be a number|lines must be at least 2", lambda x: tile.prior_grid(*x), (by_entity([0.1, 0.2]),), (0.5, 1)),
    ("operation must be one of|(a|b|new) must (lie|be a number)|old and new must (be given)|old and new cannot be used", lambda x: tile.moved_place(*x), ("turn", 0.5, 0.5), ("swap_classes", 3, 0.5), ("swap_classes", 0.5, [0.5]), ("swap_classes", 0.5, 0.5, 0.1, 0.2), ("shift_prior", 0.5, 0.5, 0.1), ("shift_prior", 0.5, 0.5, 0.1, 1.2)),
    ("prevalence|prediction_rate|points", lambda x: tile.no_skill_curve(**x), {}, {"prevalence": 0.1, "prediction_rate": 0.1}, {"prevalence": 1.1}, {"prediction_rate": by_entity([0.1, 0.2])}, {"prevalence": "x"}, {"prevalence": 0.1, "points": 1}),
]

PREDICTIONS = [
    ("posterior must (come from several data sets|come from br.fit)", br.predictive.predictive_check, POSTERIOR, DRAWS),
    ("kind must be", lambda x: br.predictive.predictive_check(EACH, kind=x), "typical", "new"),
    ("pmf must (have the dims|be a DataArray of numbers over) tp and tn", lambda x: x(TOTAL_PMF), plots.matrix_pmf, plots.pr_pmf, lambda p: plots.pmf_over_contours(p, "f1")),
    ("(model|positives|negatives|total|prior) (must|cannot)", lambda x: predictive.confusion_pmf(ONE, **x), {"model": "poisson"}, {"positives": -1}, {"negatives": 1.5}, {"total": 5}, {"prior": (-1, 1)}),
    ("one entity|integers", predictive.confusion_pmf, COUNTS, COUNTS.astype(float)),
    ("must contain cases", lambda: predictive.confusion_pmf(NO_POSITIVES, positives=4, model="binomial")),
    ("positives must be at least 0", lambda: predictive.multiplicity(-1, 5, "f1")),
    ("pmf must (come from|contain at least one)", predictive.summary, MATRIX_PMF, {}),
    ("joint must", lambda x: predictive.paired_difference(x, "a", "b", "f1"), COUNTS, CLUSTERED),
    ("other must be", lambda x: predictive.paired_difference(JOINT, "a", x, "f1"), "a", "c"),
]

OPS = [
    ("y_true must contain two classes", lambda: ops.of_curve([1, 1, 1], [1, 2, 3], "auc_roc")),
    ("y_score( must (rank|contain no NaN|contain one number))?", lambda x: ops.of_curve([0, 1, 1], x, "auc_roc"), [2, 2, 2], [1, NAN, 2], [1, 2], ["a", "b", "c"]),
    ("at must (lie|be a whole number)|cannot be used for auc_roc|metric must be one of|draws", lambda x: ops.of_curve([0, 1, 1], [1, 2, 3], **x), {"metric": "lift_at_k", "at": 4}, {"metric": "lift_at_k"}, {"metric": "precision_at_recall", "at": 1.0}, {"metric": "auc_roc", "at": 0.5}, {"metric": "auc"}, {"metric": "auc_roc", "draws": -1}),
    ("at must lie between 1 and 100|cannot be used|prevalence", lambda x: ops.of_value(*x[:3], **x[3]), ("lift_at_k", 1.0, 0.2, {"at": 101, "size": 100}), ("f1", 0.5, 0.2, {"at": 0.5}), ("auc_pr", 0.5, 1.0, {})),
    ("reference|rise from 0 to 1", lambda x: ops.of_value("auc_roc", 0.5, 0.5, reference=x), ops.UNIFORM, xr.Dataset({n: (("sample", "point"), [[0.0, 0.6, 0.5, 1.0]]) for n in ("fpr", "tpr")})),
    ("weights must name|label", lambda x: ops.by_label(x[0], "f1", **x[1]), (br.one_vs_rest(THREE), {"weights": {"a": 1}}), (COUNTS, {})),
    ("(fpr|tpr|sampler)", lambda x: x(), lambda: ops.independent_betas((0, 1), (1, 1)), lambda: ops.independent_betas((1, 1), (0, 1)), lambda: ops.from_sampler(lambda rng, n: (rng.random(n) + 1, rng.random(n)))),
    ("source must (contain at least two periods|have the dim dataset|contain one data set)|at least two periods|same numbers of chains and draws", lambda x: ops.drift(x, "f1"), {}, COUNTS, br.as_performance(EACH).isel(dataset=[0]), {"a": DRAWS, "b": DRAWS.isel(draw=[0])}, {"a": br.as_performance(EACH)}),
    ("fpr must|the same length|exactly one of fpr and tnr must be given; got (neither|both)|same labels|entity must contain 2 names", lambda x: br.from_rates(**x), {"fpr": 1.2, "tpr": 0, "prevalence": 0.5}, {"fpr": 0.2, "tpr": [0.1, 0.2], "prevalence": [0.1, 0.2, 0.3]}, {"tpr": 0.2, "prevalence": 0.3}, {"tpr": 0.2, "fpr": 0.1, "tnr": 0.9, "prevalence": 0.3}, {"tpr": by_entity([0.1, 0.2], ["a", "b"]), "fpr": by_entity([0.1, 0.2], ["b", "a"]), "prevalence": 0.3}, {"tpr": by_entity([0.1, 0.2], ["a", "b"]), "fpr": 0.1, "prevalence": 0.3, "entity": ["x"]}),
    ("folds must|score must (have a direction|be defined)|y_true must contain at least two", lambda x: threshold(**x), {"folds": 1}, {"folds": 4}, {"score": "prevalence"}, {"score": lambda tn, fp, fn, tp: NAN * tp}, {"y_true": [0, 0, 0, 1], "y_score": [1, 2, 3, 4]}),
    ("value must lie between 0 and 1|between -0.2195.* at prevalence 0.1; got -0.9|prevalence must|value must contain numbers|score must have a direction|f_none", lambda x: ops.of_value(*x), ("f1", 1.2, 0.3), ("cohen_kappa", -0.9, 0.1), ("f1", 0.5, 0.0), ("tpr", 0.5, 1.0), ("f1", 0.5, NAN), ("f1", "high", 0.5), ("prevalence", 0.5, 0.5), ("f_none", 0.5, 0.5)),
    ("reference|at (must|cannot)", lambda x: ops.of_value("f1", 0.5, 0.5, **x), {"reference": "uniform"}, {"at": np.arange(2000)}),
    ("sampler('s fpr)? must", ops.from_sampler, 3, lambda rng, n: None, lambda rng, n: ("x", "y")),
    ("fpr_quantile must", lambda: ops.Distribution(None, lambda fpr, tpr: tpr)),
    ("(fpr|tpr|fpr and tpr) must", lambda x: ops.Sample(*x), (None, np.array([0.5])), ([0.5], [1.5]), ([0.5, 0.6], [0.5])),
    ("curve must", lambda x: ops.ideal_area(x, 0.3), np.arange(2000), "auc_roc"),
    ("ops must have the dims chain and draw", lambda: ops.summarize(ops.of_draws(COUNTS, "f1"))),
    ("orders must (have the same entities|come from br.theory.relations|contain)", lambda x: theory.dominance(*x), (theory.relations(scores.f1(COUNTS)), theory.relations(scores.f1(COUNTS[:1]))), (1,), ()),
    (r"a must stay strictly between 0 and 1; got 0 to 0.5|high\[1\] must|low must be a pair", lambda x: scores.implicit(*x), ((0.0, 0.5), (0.5, 0.5)), ((0.5, 0.5), (0.5, 1.2)), (0.5, (0.5, 0.5))),
    ("at must", lambda x: ops.of_curve(Y, RISK, "precision_at_recall", at=x), [], xr.Dataset()),
    ("^y_(true|score) must", lambda x: x([[1], [2, 3]]), lambda s: ops.of_curve(s, RISK, "auc_roc"), lambda s: ops.threshold_curves(Y, s)),
    ("must not have the dims a and b", lambda: ops.on_tile(DRAWS.rename(entity="a"), 3)),
]

PICTURES = [
    ("^(entities|top) must", lambda x: plots.colors(*x[0], **x[1]), ((["a", "a"],), {}), ((["a"],), {"top": 13}), ((xr.Dataset(),), {})),
    ("^size must|^scores must be ranking|^observed must be true positives up to 4", lambda x: x[0](**x[1]), *((make, how) for make in (pages.explore_pmf, pages.explore_contours) for how in ({"size": []}, {"size": (0, 4)}, {"size": (200_000, 200_000)}, {"scores": ["error_rate"]}, {"size": (4, 4), "observed": (5, 1)}))),
    ("^prevalence must|a third dim", lambda x: plots.value_tiles(*x), (TILE, [0.1, 0.2, 0.3]), (TILE[0],)),
    ("^lines must", lambda x: plots.value_tile(TILE[0], lines=x), "x", -1, 1.5, True),
    ("^a and b must", lambda: papers.roc_beside_tile(TILE[0], [0.1, 0.2], [0.1, 0.2, 0.3], 0.3)),
    (r"^result\['x'\] must|with a sequence at", plots.ops_curve, {"x": None}, ops.of_curve(Y, RISK, "auc_roc", draws=0)),
    ("^result must come from br.ops.drift of draws", lambda: plots.ops_drift(ops.drift(STUDIES, "f1"))),
    ("^source must have only the dims of", plots.roc_regions, STUDIES),
    ("^rope must be 0 for diagnostic_odds_ratio, .*; got 0.1", lambda: plots.score_differences(POSTERIOR, "a", 0.1, score="diagnostic_odds_ratio")),
    ("^cases must", plots.case_grid, None, BETWEEN),
    ("^check must", plots.predictive_check, None),
    ("^prevalences must", papers.prior_grids, [2.0], []),
    ("^ranking must", lambda x: x(OTHERS), lambda r: plots.roc_regions(POSTERIOR, r), lambda r: plots.score_differences(F1, ranking=r)),
    ("^values must", lambda x: plots.score_differences(*x), (3,), (None, "a"), (F1.isel(entity=[0]), "a")),
    ("^pmf must be a DataArray of numbers over tp and tn alone", lambda: plots.matrix_pmf(predictive.confusion_pmf(ONE, model="dirichlet_multinomial", total=5))),
    ("^observed must", lambda x: plots.matrix_pmf(MATRIX_PMF, observed=x), 3, COUNTS),
    ("^factors must", lambda: plots.effect_of_size(ONE, 3)),
    ("^values must", lambda: plots.pmf_over_contours(MATRIX_PMF, "f1", values=["x"])),
    ("^(observed|form|pmfs) must", lambda x: plots.score_pmfs(*x), *(({"x": SCORE_PMF}, *how) for how in (("forest", 3), ("forest", {"y": 0.5}), ("box",))), ({},)),
    ("^(values|extent) must", lambda x: papers.contours("f1", 0.3, **x), {"values": 3}, {"extent": 3}),
    ("^positives must", lambda: papers.count_ticks(figure_axes(), "x", 3)),
    ("^total must|^positives must lie between 1 and 9; got 10", lambda x: papers.animate_contours("f1", *x), ("x",), (10, [10])),
    ("^positives must", lambda: papers.confusion_simplex(10, 3, "f1")),
    ("^result must come from br.sensitivity", plots.sensitivity, xr.Dataset()),
    ("^curve must (come from br.decisions.decision_curve|have at least two thresholds)", plots.decision_curve, xr.Dataset(), br.decisions.decision_curve(Y, RISK, [0.3], draws=10, seed=1)),
    ("^positives must", lambda x: pages.turning_simplex(*x, "f1"), (10, 3), (20, [20])),
    ("^html must come from", lambda: pages.save("page", "x.html")),
    ("a must lie|prevalence must|prediction_rate must", lambda x: x(), lambda: papers.pencil(1.2, 0, 0.3), lambda: papers.pencil(1, 0, 0), lambda: papers.placement_tile(prediction_rate=1.0)),
]

CATEGORIES = "entity,case,category,half,dataset,outcome\n" + "".join(f"{e},{i},{'xy'[i % 2]},{i // 2 % 2},z,1\n" for e in "ab" for i in range(8))
#: What the command refuses: words, what is typed (or several such), and texts of FILE.
COMMANDS = [
    # rank, tile
    ("DATA must be a file that exists", "rank no_such_thing"),
    ("score must be a name that", ["rank tornado --score f7", "tile tornado --preference 'around f7'", "scores breast_cancer --score temperature", "sensitivity breast_cancer --other-score f7 --draws 20"]),
    ("must lie in a folder that exists", ["report tornado -o /no/such/folder/r.html", "tile tornado --picture /no/such/folder/map.png"]),
    ("; got 10 classes", ["tile mnist_folds", "report mnist_folds -o r.html --benefit tn=0,fp=-1,fn=-9,tp=0 --draws 9", "decide mnist_folds --benefit tn=0,fp=-1,fn=-10,tp=0 --draws 200", "scores mnist_folds --draws 5 --prevalence 2%"]),
    ("must end in .png, .pdf, .svg; got 'map.foo'", "tile tornado --picture map.foo"),
    ("--preference must be 'around", ["tile tornado --preference nonsense", "tile tornado --preference 'between f1'", "tile tornado --preference 'beta 1 1 1'"]),
    ("prevalence must lie between 0 and 1", ["rank tornado --prevalence 1.5", "decide breast_cancer --benefit tn=0,fp=-1,fn=-10,tp=0 --prevalence 2 --draws 200"]),
    ("--dataset must be one of", "rank tornado --dataset nowhere"),
    ("--score must have a direction to rank by; prevalence has none", "rank tornado --score prevalence"),
    ("with numbers", "tile tornado --preference 'around f1 wide'"),
    # the report
    ("--output must end in .html; got 'r.txt'", "report tornado -o r.txt"),
    ("--with must be among ", "report tornado -o r.html --with roc"),
    ("--with drift needs data sets of two classes as periods", "report tornado -o r.html --with drift --draws 9"),
    ("--benefit must be tn=NUMBER", ["report tornado -o r.html --benefit tn=1", "decide breast_cancer --benefit tn=0 --draws 200", "decide breast_cancer --benefit tn=0,fp=1,fn=1,tp=nan --draws 200", "decide breast_cancer --benefit tn=0,tn=0,fp=1,fn=1,tp=2 --draws 200"]),
    ("--reference must be one of ", ["report tornado -o r.html --reference x --draws 9", "decide breast_cancer --benefit tn=0,fp=-1,fn=-10,tp=0 --reference nobody --draws 200"]),
    # decide
    ("--benefit must be given, such as tn=0,fp=-1,fn=-10,tp=0", "decide breast_cancer --draws 200"),
    ("--margin-tpr needs --reference", "decide breast_cancer --benefit tn=0,fp=-1,fn=-10,tp=0 --margin-tpr 0.1 --draws 200"),
    ("2.0 is not in the range 0<=x<=1", "decide breast_cancer --benefit tn=0,fp=-1,fn=-10,tp=0 --reference lda --margin-tnr 2 --draws 200"),
    ("--prevalence must be given to compare with strategies", "decide small_studies --benefit tn=0,fp=-1,fn=-10,tp=0 --always --draws 200"),
    # scores
    ("DATA must be given for these options", "scores --score f1"),
    ("DATA must be given for these options", "scores --model beta_binomial"),
    ("--score must be an average over classes such as 'macro_ppv'", "scores mnist_folds --draws 5 --score ppv"),
    ("got 'mean_outcome', a score of outcomes without classes", "scores mnist_folds --draws 5 --score mean_outcome"),
    ("--score must be 'mean_outcome'", ["scores langchain_tool_use --draws 5 --score f1", "sensitivity langchain_tool_use --score f1 --draws 20"]),
    ("DATA must have two classes for --prevalence; got outcomes without classes", "scores langchain_tool_use --draws 5 --prevalence 2%"),
    ("--score must name each score once", "scores breast_cancer --draws 5 --score sens --score tpr"),
    # sensitivity
    ("--other-prevalence must be a share of positives", "sensitivity breast_cancer --other-prevalence 200% --draws 20"),
    ("cannot be used for a shipped data set", ["sensitivity breast_cancer --missing own --draws 20", "rank tornado --cluster x", "rank tornado --ignore x"]),
    # files
    ("its heading is entity, tn, fp, fn, without tp", "rank FILE", "entity,tn,fp,fn\na,1,2,3\n"),
    ("must have a heading that names its columns, those of counts, or one for each entity", "rank FILE", "a,1,2,3,4\nb,1,2,3,4\n"),
    ("more than once", "rank FILE --draws 9", "entity,tn,fp,fn,tp,tp\na,1,2,3,4,5\n", "gpt,gpt\n1,0\n"),
    ("must be a count, a non-negative whole number without separators or signs; got", "rank FILE", "entity,tn,fp,fn,tp\na,1,2,3,-4\n", "entity,tn,fp,fn,tp\na,\"1,002\",2,3,4\n", "entity,tn,fp,fn,tp\na,1,2,3,x\n", "entity,tn,fp,fn,tp\na,1,2,3,1e30\n"),
    ("line 3: tp must be a count", "rank FILE", "entity,tn,fp,fn,tp\na,1,2,3,4\nb,1,2,3,0.4\n"),
    ("line 2: fp must not be empty", "rank FILE", "entity,tn,fp,fn,tp\na,1,,3,4\n"),
    ("line 2: entity must not be empty", "rank FILE", "entity,tn,fp,fn,tp\n,1,2,3,4\n"),
    ("line 2: must have 5 fields; got 6", "rank FILE", "entity,tn,fp,fn,tp\na,1,2,3,4,5\n"),
    ("line 2: must close each quotation mark", "rank FILE", "entity,tn,fp,fn,tp\n\"a,1,2,3,4\n"),
    ("must be text in UTF-8", "rank FILE", "entity,tn,fp,fn,tp\né,1,2,3,4\n"),
    ("line 3: entity must name each entity once; got 'a' in line 2", "rank FILE", "entity,tn,fp,fn,tp\na,1,2,3,4\na,1,2,3,4\n"),
    ("at least one row", "rank FILE", "entity,tn,fp,fn,tp\n"),
    ("it is empty", "rank FILE", ""),
    ("DATA must contain at least one case", "rank FILE --draws 9", "entity,tn,fp,fn,tp\na,0,0,0,0\n", "entity,correct,wrong\na,0,0\n"),
    ("must have the columns entity, outcome, count; its heading is entity, correct, without count (other tables have entity and the columns tn, fp, fn, tp; or", "rank FILE --draws 9", "entity,correct\na,17\n"),
    ("its heading is entity, score, without", "rank FILE --draws 9", "entity,score\na,7\n"),
    ("must have a column case that names the cases, beside entity and score", "rank FILE --draws 9", "entity,score\na,1\na,0\n"),
    ("without entity", "rank FILE --draws 9", "correct,wrong\n1,2\n", "thing,outcome,count\na,1,2\n"),
    ("has those of tn, fp, fn, tp and of correct, wrong", "rank FILE --draws 9", "entity,correct,wrong,tn,fp,fn,tp\na,1,2,3,4,5,6\n"),
    ("has those of outcome, count and of case, outcome", "rank FILE --draws 9", "entity,case,outcome,count\na,1,1,2\n"),
    ("line 2: count must be a count", "rank FILE --draws 9", "entity,outcome,count\na,1,2.5\n"),
    ("one row for each outcome", "rank FILE --draws 9", "entity,outcome,count\na,1,2\na,1.0,3\n"),
    ("'question' is probably not an entity: named like an id, a group or a cost. --case question says that it names the cases", "rank FILE --draws 9", "gpt,question\n1,77\n"),
    ("--entities gpt ranks these alone; --ignore 'Unnamed: 1' leaves it out", "rank FILE --draws 9", "gpt,\n1,0\n"),
    ("must have a column for each entity; its heading is case", "rank FILE --draws 9", "case\n1\n"),
    ("line 4: llama must be an outcome, a number such as 1 for right and 0 for wrong; got 'x'", "rank FILE --draws 9", "gpt,llama\n1,1\n0,0\n1,x\n"),
    ("line 3: llama must be an outcome", "rank FILE --draws 9", "gpt,llama\n1,1\n0,inf\n", "gpt,llama\n1,1\n0,1_0\n"),
    ("line 2: llama must not be empty", "rank FILE --draws 9", "gpt,llama\n1,\n"),
    ("line 3: case must name each case once; got '1'", "rank FILE --draws 9", "case,gpt\n1,0\n1,1\n"),
    ("line 4: case must name each case once; got '1' (run '2') in line 3 as well", "rank FILE --draws 9", "case,run,gpt\n1,1,0\n1,2,1\n1,2,1\n"),
    ("got none for entity 'b' on case '1' (run '2') (--missing common, --missing own or --missing 0 says", "rank FILE --draws 9", "entity,case,run,outcome\na,1,1,1\na,1,2,0\nb,1,1,1\n"),
    ("must not have a column run without a column case", "rank FILE --draws 9", "run,gpt\n1,0\n"),
    ("must not have a column run beside actual: labels have no mean over runs", "rank FILE --draws 9", "case,run,actual,gpt\n1,1,0,0\n"),
    ("count must be 0 or 1 if cases have names", "rank FILE --draws 9 --count weight", "case,run,weight,gpt\n1,1,2,0\n1,2,2,1\n"),
    ("line 2: weight must be a count", "rank FILE --draws 9 --count weight", "gpt,weight\n1,0.5\n"),
    ("line 2: weight must be a number", "rank FILE --draws 9 --weight weight", "gpt,weight\n1,heavy\n"),
    ("weight must contain finite numbers, 0 or more; got -1", "rank FILE --draws 9 --weight weight", "gpt,weight\n1,-1\n0,2\n"),
    ("its heading has actual and y_true, both read as actual (--ignore y_true leaves one out)", "rank FILE --draws 9", "actual,y_true,gpt\n1,1,1\n"),
    ("must be one of auc_roc", "rank FILE --draws 9", "actual,gpt\n1,0.3\n0,0.1\n"),
    ("must contain at least two labels", "rank FILE --draws 9", "actual,gpt\n1,1\n1,1\n", "actual,a,b\n1,1,1\n"),
    ("for every entity on every case; got none for entity 'b' on case '2'", "rank FILE --draws 9", "entity,case,outcome\na,1,1\na,2,0\nb,1,1\n"),
    ("line 3: case must name each case once for each entity; got '1' of 'a' in line 2", "rank FILE --draws 9", "entity,case,outcome\na,1,1\na,1,0\n"),
    ("line 3: cluster must be the same for all entities on case '1'", "rank FILE --draws 9", "entity,case,outcome,cluster\na,1,1,x\nb,1,0,y\n"),
    ("line 3: actual must be the same for all entities on case '1'", "rank FILE --draws 9", "entity,case,actual,predicted\na,1,1,1\nb,1,0,1\n"),
    ("line 2: outcome must be an outcome", "rank FILE --draws 9", "entity,case,outcome\na,1,good\n"),
    ("DATA must have numbers as outcomes, which are ranked by their mean; got bad, good", "rank FILE --draws 9", "entity,outcome,count\na,good,3\na,bad,4\n"),
    # options beside files
    ("--only is for logs, and cannot be used for a table", "rank tornado --only metric=x"),
    ("at least two categories", "rank breast_cancer --by dataset"),
    ("at least two categories", "rank FILE --by dataset", CATEGORIES),
    ("--notes cannot be used with --by", "rank FILE --by category --notes", CATEGORIES),
    ("--cluster must name groups within categories", "rank FILE --by category --cluster half", CATEGORIES),
    ("--positive cannot be used for outcomes", "rank langchain_tool_use --positive 1"),
    ("--dataset cannot be used for data without data", "rank FILE --dataset x", "entity,tn,fp,fn,tp\na,9,1,2,8\n"),
    ("--rope must be a number with a decimal point; got '0,02' (write 0", "rank tornado --rope 0,02"),
    ("--score must be a name, weights tn=1,fp=1,fn=5,tp=1, or a place", "rank tornado -s a=x"),
    ("--prevalence must have a decimal point, 2.5%; got '2,5%'", "rank tornado --prevalence 2,5%"),
    ("--model must not be paired for counts, which do not show which errors", "rank FILE --model paired --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("--model must be dirichlet_multinomial for counts of outcomes", "rank FILE --model beta_binomial --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("--score must be 'mean_outcome' for outcomes, which have no classes", "rank FILE --score f1 --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("got 'mean_outcome', a score of outcomes without classes", "rank FILE --score mean_outcome --draws 9", "entity,tn,fp,fn,tp\na,1,2,3,4\n"),
    ("--model must be normal_means", "rank FILE --model paired", "model,mean,se\na,0.7,0.1\n"),
    ("--prior cannot be used", "rank FILE --prior uniform", "model,mean,se\na,0.7,0.1\n"),
    ("--prevalence cannot be used for outcomes", "rank FILE --prevalence 0.3 --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("--cluster must name a column that says what cases belong to", "rank FILE --cluster entity --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("--cluster must name a column of", "rank FILE --cluster q --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("--ignore must name a column of", "rank FILE --ignore q --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("--cluster cannot be used for counts", "rank FILE --cluster q --draws 9", "entity,correct,wrong,q\na,1,2,x\n"),
    ("--cluster cannot be used with a column cluster", "rank FILE --cluster q --draws 9", "gpt,q,cluster\n1,2,3\n"),
    ("--cluster must name a column of", "rank FILE --cluster q --ignore q --draws 9", "gpt,q\n1,2\n"),
    ("--cluster must name a column that says what", "rank FILE --cluster Case --draws 9", "entity,case,outcome\na,1,1\n"),
    ("DATA must have two classes for outperformance scores; got outcomes without classes", "ops FILE --draws 9", "entity,correct,wrong\na,17,3\nb,14,6\n"),
    ("got outcomes without classes ('bayesrank rank' ranks them)", "tile FILE --draws 9", "gpt,llama\n1,0\n0,0\n"),
]

#: What would not fit into memory is refused before the work.
HUGE = [
    ("resolution must be lower", lambda x: x(10**5), lambda n: tile.value(DRAWS, n), lambda n: tile.entity(POINT, resolution=n), lambda n: tile.entity_rank(POINT, "a", n), lambda n: tile.probability_best(DRAWS, n)),
    ("source must contain fewer entities", lambda x: br.credible_ranking(MANY, joint=x, higher_is_better=True), True, False),
    ("must be smaller", lambda: predictive.confusion_pmf(ONE, positives=10**10)),
    ("tn must", lambda: br.from_counts(**CELLS | {"tn": 10**400})),
    ("draws must be fewer for (1000 x 1000 draws|1 x 1000000000 draws of 2 means)", lambda x: x(), lambda: br.fit(br.from_matrix(2 * np.eye(1000, dtype=int), "actual_rows"), draws=1000, chains=1000), lambda: paired(ANSWERS, draws=10**9)),
    ("(prevalence|points|at) (must|cannot)", lambda x: ops.value_curves("f1", **x), {"prevalence": []}, {"prevalence": [0.3], "points": BIG}, {"prevalence": [0.3], "at": 0.2}),
    ("resolution must", lambda x: x(BIG), lambda n: ops.on_tile(COUNTS, n), lambda n: ops.on_tile(COUNTS, 1), lambda n: ops.square("f1", 0.5, 0.3, n)),
    ("draws must", lambda x: x(draws=BIG), lambda **d: ops.of_curve(Y, RISK, "auc_roc", **d), lambda **d: ops.best_threshold(Y, RISK, "f1", **d), lambda **d: br.decisions.decision_curve(Y, RISK, [0.3], **d)),
    ("depth", lambda x: ops.directed_binary_tree(**x), {"depth": 10**6 + 1}, {"depth": 30, "samples": 2**30}),
    ("samples must", lambda: ops.directed_binary_tree(samples=2**70)),
    ("size must", lambda: ops.from_sampler(lambda rng, n: (rng.random(n),) * 2, size=BIG)),
    ("^positives (must|and negatives must)", lambda x: papers.roc_points(*x, "f1"), ("x", 3), (10**6, 10**6)),
]

ROWS = KINDS + EVIDENCE + POSTERIORS + PERFORMANCES + RANKINGS + THEORY + TILES + PREDICTIONS + OPS + PICTURES
