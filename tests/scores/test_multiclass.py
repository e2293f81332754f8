"""Scores of more than two classes, against scikit-learn, brute force and themselves at two classes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from sklearn import metrics

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.scores.averages import Average
from bayesrank.scores.names import SCORES

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 4, 300)
GUESS = np.where(RNG.random(300) < 0.6, TRUTH, RNG.integers(0, 4, 300))
COUNTS = br.from_predictions(TRUTH, {"it": GUESS})
RECALLS = metrics.recall_score(TRUTH, GUESS, average=None)
THEIRS = {
    "cohen_kappa": metrics.cohen_kappa_score(TRUTH, GUESS),
    "cohen_kappa_linear": metrics.cohen_kappa_score(TRUTH, GUESS, weights="linear"),
    "cohen_kappa_quadratic": metrics.cohen_kappa_score(TRUTH, GUESS, weights="quadratic"),
    "accuracy": metrics.accuracy_score(TRUTH, GUESS),
    "error_rate": metrics.zero_one_loss(TRUTH, GUESS),
    "mcc": metrics.matthews_corrcoef(TRUTH, GUESS),
    "adjacent_accuracy": np.mean(np.abs(TRUTH - GUESS) <= 1),
    "mean_absolute_error": metrics.mean_absolute_error(TRUTH, GUESS),
    "mean_squared_error": metrics.mean_squared_error(TRUTH, GUESS),
    "root_mean_squared_error": metrics.root_mean_squared_error(TRUTH, GUESS),
    "mean_signed_error": np.mean(GUESS - TRUTH),
    "balanced_accuracy": metrics.balanced_accuracy_score(TRUTH, GUESS),
    "g_mean": stats.gmean(RECALLS),
}
for average in ("macro", "micro", "weighted"):
    THEIRS[f"{average}_precision"] = metrics.precision_score(TRUTH, GUESS, average=average)
    THEIRS[f"{average}_recall"] = metrics.recall_score(TRUTH, GUESS, average=average)
    THEIRS[f"{average}_f1"] = metrics.f1_score(TRUTH, GUESS, average=average)
    THEIRS[f"{average}_jaccard"] = metrics.jaccard_score(TRUTH, GUESS, average=average)


def test_scikit_learn_agrees():
    for name, theirs in THEIRS.items():
        ours = br.scores.get(name)
        assert ours is getattr(br.scores, name)
        for source in (COUNTS, br.as_performance(COUNTS)):
            assert ours(source).item() == pytest.approx(theirs), name
    theirs = metrics.fbeta_score(TRUTH, GUESS, beta=3, average="macro")
    assert br.scores.average(br.scores.f_beta(3.0), "macro")(COUNTS).item() == pytest.approx(theirs)


#: Scores without true negatives, whose macro and weighted means are those of scikit-learn: what undefined values count.
WORST = {"tpr": 0, "ppv": 0, "f1": 0, "jaccard": 0, "fnr": 1}


PEERS = {
    f"{average}_{name}": (function, average)
    for average in ("macro", "weighted")
    for name, function in (
        ("f1", metrics.f1_score),
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("jaccard", metrics.jaccard_score),
    )
}


def cases_of(truth, answers):
    """The four ways to the same counts: predictions, joint outcomes, a table with a row for each case, a matrix."""
    labels = sorted({*truth, *answers})
    guess = {"it": answers, "other": truth}
    yield br.from_predictions(truth, guess)
    frame = pd.DataFrame({"case": range(len(truth)), "actual": truth, **guess})
    for joint in (br.joint_outcomes(truth, guess), br.from_frame(frame, entities=list(guess))):
        yield groups_of(br.fit(joint, draws=2, seed=1))["observed_data"]["counts"]
    matrix = metrics.confusion_matrix(truth, answers, labels=labels)
    yield br.from_matrix(matrix[None], "actual_rows", labels=labels, entity=["it"])


@pytest.mark.parametrize(
    "invented", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))]
)
@pytest.mark.filterwarnings("ignore:y_pred contains classes")
def test_labels_that_are_no_class_count_as_in_scikit_learn(invented):
    """A label that occurs in answers alone is one more class, with the value 0; so is a class never answered."""
    rng, checked = np.random.default_rng(20 + invented), 0
    for classes in (2, 4):
        for size in (8, 40):
            names = np.array([*"abcd"[:classes], "invalid", "none of these"])
            truth = names[rng.integers(0, classes, size)]
            guess = np.where(rng.random(size) < 0.5, truth, names[rng.integers(0, classes, size)])
            if invented:
                strange = names[classes + rng.integers(0, invented, size)]
                guess = np.where(rng.random(size) < 0.3, strange, guess)
            if len({*truth}) < 2 or len({*truth, *guess}) < 3:
                continue
            for counts in cases_of(truth.tolist(), guess.tolist()):
                for name, (function, average) in PEERS.items():
                    theirs = function(truth, guess, average=average, zero_division=0)
                    assert br.scores.get(name)(counts).sel(entity="it").item() == pytest.approx(
                        theirs, abs=1e-12
                    ), name
                    checked += 1
                theirs = metrics.balanced_accuracy_score(truth, guess)
                assert br.scores.balanced_accuracy(counts).sel(entity="it").item() == pytest.approx(
                    theirs
                )
    assert checked > 60


def test_inventing_a_label_does_not_win():
    """One model says "invalid" for its errors, the other guesses: scikit-learn's macro F1 decides."""
    rng = np.random.default_rng(4)
    truth = rng.choice([*"abc"], 200)
    right = rng.random(200) < 0.8
    guess = {
        "invents": np.where(right, truth, "invalid"),
        "guesses": np.where(right | (rng.random(200) < 0.1), truth, rng.permutation(truth)),
    }
    posterior = br.fit(br.from_predictions(truth, guess), seed=1)
    for name, function in (
        ("macro_f1", metrics.f1_score),
        ("macro_precision", metrics.precision_score),
    ):
        theirs = [
            function(truth, answers, average="macro", zero_division=0) for answers in guess.values()
        ]
        ranking = br.credible_ranking(posterior, name)
        np.testing.assert_allclose(ranking["observed"], theirs)
        assert theirs[0] < theirs[1]
        assert ranking["probability_best"].sel(entity="guesses") > 0.95
        # In each draw the invented class counts 0, too: at most three quarters are possible.
        assert 0.63 < ranking["upper"].sel(entity="invents") < 0.75
        assert not ranking["contradicted"].any()


def one_by_one(kind, score, matrix, present):
    """The average of one table by loops over the classes that take part."""
    tables, values, weights = [], [], []
    worst = WORST.get(score.name) if kind in ("macro", "weighted") else None
    occurs = matrix.sum(axis=1) + matrix.sum(axis=0) > 0
    for c in np.flatnonzero((present if worst is None else occurs) | (kind == "micro")):
        rest = np.arange(len(matrix)) != c
        cells = (
            matrix[rest][:, rest].sum(),
            matrix[rest, c].sum(),
            matrix[c, rest].sum(),
            matrix[c, c],
        )
        tables.append(cells)
        value = float(score.of_cells(*cells))
        values.append(worst if worst is not None and np.isnan(value) else value)
        weights.append(cells[2] + cells[3])
    if not tables:
        return np.nan
    if kind == "micro":  # wrong answers of a class without cases are wrong all the same
        return float(score.of_cells(*np.sum(tables, axis=0)))
    if np.isnan([v for v, w in zip(values, weights, strict=True) if w or kind != "weighted"]).any():
        return np.nan
    if kind == "weighted":
        used = np.array(weights) > 0
        return (
            np.average(np.array(values)[used], weights=np.array(weights)[used])
            if used.any()
            else np.nan
        )
    means = {"macro": np.mean, "geometric": stats.gmean, "smallest": min, "largest": max}
    if kind == "harmonic":
        return 0.0 if min(values) == 0 else stats.hmean(values)
    return means[kind](values)


KINDS = ("macro", "micro", "weighted", "geometric", "harmonic", "smallest", "largest")
AVERAGED = (
    "tpr",
    "ppv",
    "f1",
    "jaccard",
    "tnr",
    "npv",
    "balanced_accuracy",
    "fnr",
    "mcc",
    "positive_likelihood_ratio",
)


#: Means that take roots or inverses are not of values that may be negative.
PAIRS = [
    (n, k) for n in AVERAGED for k in KINDS if not (n == "mcc" and k in ("geometric", "harmonic"))
]


@pytest.mark.parametrize("classes", [3, 5])
@pytest.mark.parametrize(("name", "kind"), PAIRS)
@pytest.mark.filterwarnings("error")
def test_averages_one_table_at_a_time(kind, name, classes):
    """Tables with empty rows, columns and classes; in counts these have their own rules."""
    rng = np.random.default_rng(classes)
    tables = rng.integers(0, 6, (24, classes, classes)) * (rng.random((24, classes, classes)) < 0.6)
    tables[:8, 0] = 0
    tables[4:12, :, -1] = 0
    tables[0] = 0
    score, ours = br.scores.get(name), br.scores.get(f"{kind}_{name}")
    entity = [f"e{i}" for i in range(len(tables))]
    counts = br.from_matrix(tables[1:], "actual_rows", entity=entity[1:])
    expected = [one_by_one(kind, score, table, table.sum(axis=1) > 0) for table in tables[1:]]
    np.testing.assert_allclose(ours(counts), expected, rtol=1e-12, atol=1e-14)
    assert np.isfinite(expected).sum() > 5 or name == "positive_likelihood_ratio"
    # Nobody knows of a bare performance which classes have cases: all count.
    expected = [one_by_one(kind, score, table, np.ones(classes, bool)) for table in tables[1:]]
    np.testing.assert_allclose(ours(br.as_performance(counts)), expected, rtol=1e-9, atol=1e-14)


def test_two_classes_are_the_special_case():
    tables = np.random.default_rng(1).integers(0, 5, (200, 2, 2))
    for score in SCORES.values():
        if score.matrix_function is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                matrices = score.matrix_function(tables, True)
            cells = score.of_cells(*(tables[:, i, j] for i in (0, 1) for j in (0, 1)))
            np.testing.assert_allclose(matrices, cells, rtol=1e-9, atol=1e-12, err_msg=score.name)


def test_averages_work_wherever_a_score_does():
    posterior = br.fit(br.from_matrix([COUNTS[0], COUNTS[0].T], "actual_rows"), draws=200, seed=1)
    ranking = br.credible_ranking(posterior, "macro_f1")
    assert ranking.attrs["score"] == "macro_f1"
    np.testing.assert_allclose(
        ranking["observed"][0], metrics.f1_score(TRUTH, GUESS, average="macro")
    )
    worst = br.credible_ranking(posterior, "largest_fnr")  # the order of the smallest recalls
    best = br.credible_ranking(posterior, "smallest_tpr")
    np.testing.assert_allclose(worst["probability_best"], best["probability_best"])
    assert br.place("macro_tpr", 0.2) == pytest.approx(br.place("balanced_accuracy", 0.2))
    assert bool(br.audit("macro_f1")["axiom_3_upper"]) is False


def test_rankings_know_which_classes_have_cases():
    posterior = br.fit(
        br.from_matrix([[[5, 1, 0], [2, 7, 1], [0, 0, 0]]] * 2, "actual_rows"), draws=100, seed=1
    )
    values = br.scores.macro_tpr(posterior)
    ranking = br.credible_ranking(posterior, "macro_tpr")
    # Both have the same matrix: their medians are averaged.
    np.testing.assert_allclose(ranking["median"], [values.median(["chain", "draw"]).mean()] * 2)
    np.testing.assert_allclose(ranking["observed"], (5 / 6 + 7 / 10) / 3)
    xr.testing.assert_allclose(
        br.rank(posterior, "macro_tpr").drop_attrs(), br.rank(values).drop_attrs()
    )


def test_averages_of_a_posterior_are_over_the_classes_with_cases_of_each_entity():
    """Of the other classes only the prior speaks; of a bare performance all count."""
    tables = [[[5, 1, 0], [2, 7, 0], [0, 0, 0]], [[4, 1, 1], [0, 0, 0], [1, 1, 2]]]
    posterior = br.fit(br.from_matrix(tables, "actual_rows"), draws=50, seed=1)
    each = br.scores.tpr(br.one_vs_rest(br.as_performance(posterior)))
    for name in ("macro_tpr", "balanced_accuracy"):
        found = br.scores.get(name)(posterior)
        for entity, labels in enumerate(([0, 1], [0, 2])):
            # The second entity answers the class without cases, whose recall counts 0 in the macro mean.
            classes = 3 if name == "macro_tpr" and entity == 1 else 2
            expected = each[..., entity, labels].sum("label") / classes
            np.testing.assert_allclose(found[..., entity], expected, rtol=1e-12)
        assert not np.allclose(br.scores.get(name)(br.as_performance(posterior)), found)


def test_a_class_that_occurs_in_some_data_set_takes_part_in_the_typical_one():
    tables = np.array([[[5, 1, 0], [2, 7, 1], [0, 0, 0]], [[4, 1, 1], [0, 0, 0], [1, 1, 2]]])
    counts = (
        br.from_matrix(tables, "actual_rows").rename(entity="dataset").expand_dims(entity=["a"])
    )
    performance = xr.DataArray(np.full((1, 3, 3), 1 / 9), dims=("entity", "actual", "predicted"))
    posterior = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"performance_typical": performance}),
            "observed_data": xr.Dataset({"counts": counts}),
        }
    )
    typical = br.scores.macro_tpr(posterior, kind="typical")
    assert (typical.dims, typical.item()) == (("entity",), pytest.approx(1 / 3))


def test_importances_of_many_classes_are_matched_by_label():
    counts = br.from_matrix(
        [[5, 1, 0], [2, 7, 1], [0, 3, 4]], "actual_rows", labels=["a", "b", "c"]
    )
    importance = xr.DataArray(
        np.random.default_rng(1).random((3, 3)),
        {"actual": ["c", "a", "b"], "predicted": ["c", "a", "b"]},
        ("actual", "predicted"),
    )
    score = br.scores.as_score(importance)
    posterior = br.fit(counts, draws=20, seed=1)
    xr.testing.assert_allclose(
        score(posterior), br.ranking_score(posterior, importance).drop_attrs()
    )
    np.testing.assert_allclose(score(counts), br.ranking_score(counts, importance), rtol=1e-12)
    by_row = br.scores.of_importance(importance[:, 0].drop_vars("predicted"))
    np.testing.assert_allclose(
        by_row(counts), br.ranking_score(counts, importance[:, 0].drop_vars("predicted"))
    )
    with pytest.raises(ValueError, match="source must have the classes of the score"):
        score(COUNTS)
    with pytest.raises(ValueError, match="score must be a score of two classes"):
        br.place(score)


def test_one_vs_rest_is_exact_where_cells_are_nearly_empty():
    draws = np.random.default_rng(0).dirichlet([0.02] * 9, 20_000).reshape(-1, 3, 3)
    performance = xr.DataArray(
        draws, {"actual": list("abc"), "predicted": list("abc")}, ("draw", "actual", "predicted")
    )
    tables = br.one_vs_rest(performance).sel(label="b")
    keep = np.array([0, 2])
    tn, fn = draws[:, keep[:, None], keep].sum((1, 2)), draws[:, 1, keep].sum(1)
    np.testing.assert_allclose(tables[:, 0, 0], tn, rtol=1e-12)
    np.testing.assert_allclose(tables[:, 1, 0], fn, rtol=1e-12)
    np.testing.assert_allclose(br.scores.npv(tables), tn / (tn + fn), rtol=1e-12)
    cells = br.scores.averages.against_rest(draws)
    np.testing.assert_allclose(cells[0][:, 1], tn, rtol=1e-12)
    np.testing.assert_allclose(cells[2][:, 1], fn, rtol=1e-12)


@pytest.mark.parametrize("kind", ["macro", "micro", "weighted", "smallest"])
def test_true_negatives_without_weight_are_not_missed(kind):
    """Of the catalogue they are not even summed; of a score of one's own they are, whatever it says of its weights."""
    tables = np.random.default_rng(1).integers(0, 9, (40, 4, 4)).astype(float)
    without = 0
    for score in SCORES.values():
        if score.function is None or score.importance is None:
            continue
        own = replace(score, name="mine")
        average, asked = Average(kind, score), Average(kind, own)
        assert asked.needs_tn
        without += not average.needs_tn
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(
                average(tables, True), asked(tables, True), err_msg=score.name
            )
    assert without >= 4
