"""Metrics of weighted cases: beside scikit-learn draw by draw, exact variances of areas, and rankings of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics as peers

import bayesrank as br
from bayesrank._core.notes import Note
from bayesrank._core.source import groups_of
from bayesrank.cases.metrics import CASE_METRICS
from bayesrank.ops._areas import area, bootstrap_rates
from tests.told import fields_of, notes_in

RNG = np.random.default_rng(5)
SIZE = 150
TRUTH = (RNG.random(SIZE) < 0.4).astype(int)
COMMON = RNG.normal(size=SIZE)
SCORES = {
    "good": 1.5 * TRUTH + COMMON + 0.5 * RNG.normal(size=SIZE),
    "fair": np.round(1.0 * TRUTH + COMMON + 0.5 * RNG.normal(size=SIZE), 1),
    "ties": np.round(TRUTH + RNG.normal(size=SIZE)),
}
WEIGHTS = br.case_weights(TRUTH, seed=1)
FEW = br.case_weights(TRUTH, seed=1, draws=3, chains=2)
PROBABILITIES = {name: np.round(1 / (1 + np.exp(-score)), 3) for name, score in SCORES.items()}
AREAS = ("auc_roc", "auc_pr", "auc_lift", "auc_gain")


def draws(metric, weights=WEIGHTS, truth=TRUTH, predictions=SCORES, **given):
    found = groups_of(br.cases.weighted_metric(metric, truth, predictions, weights, **given))
    [(name, values)] = found["posterior"].data_vars.items()
    assert found["observed_data"][name].dims == tuple(
        d for d in values.dims if d not in ("chain", "draw")
    )
    return values


def observed(metric, weights=FEW, truth=TRUTH, predictions=SCORES, **given):
    found = groups_of(br.cases.weighted_metric(metric, truth, predictions, weights, **given))
    [values] = found["observed_data"].data_vars.values()
    return values


def about(*given, **named):
    return groups_of(br.cases.weighted_metric(*given, **named))["posterior"].attrs


# --- Beside others ------------------------------------------------------------------------------------------------

PEERS = {
    "auc_roc": peers.roc_auc_score,
    "auc_pr": peers.average_precision_score,
    "brier": peers.brier_score_loss,
    "log_loss": peers.log_loss,
}


@pytest.mark.parametrize("metric", PEERS)
def test_named_metrics_are_those_of_scikit_learn(metric):
    ours = draws(metric, FEW, predictions=PROBABILITIES)
    theirs = draws(PEERS[metric], FEW, predictions=PROBABILITIES)
    assert ours.dims == theirs.dims == ("chain", "draw", "entity")
    assert (ours.name, theirs.name) == (metric, PEERS[metric].__name__)
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-12)
    np.testing.assert_allclose(
        observed(metric, predictions=PROBABILITIES),
        [PEERS[metric](TRUTH, PROBABILITIES[name]) for name in PROBABILITIES],
        rtol=1e-12,
    )


@settings(max_examples=50)
@given(
    st.data(),
    st.lists(st.booleans(), min_size=2, max_size=12).filter(
        lambda cases: 0 < sum(cases) < len(cases)
    ),
)
def test_areas_of_any_few_cases(data, cases):
    """Ties of every kind, weights of 0, infinite scores: beside the sum over pairs, scikit-learn and the OPS."""
    size, truth = len(cases), np.array(cases)
    score = data.draw(
        hnp.arrays(float, size, elements=st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf]))
    )
    weight = data.draw(hnp.arrays(float, size, elements=st.sampled_from([0.0, 0.1, 1.0, 2.5])))
    with np.errstate(invalid="ignore"):
        found = {
            m: CASE_METRICS[m](truth, score)(weight[:, None]).item()
            for m in CASE_METRICS
            if m.startswith("auc")
        }
    if not weight[truth].any() or not weight[~truth].any():
        assert np.isnan(list(found.values())).all()
        return
    pairs = np.outer(weight[truth], weight[~truth])
    above = np.where(
        score[truth][:, None] == score[~truth], 0.5, score[truth][:, None] > score[~truth]
    )
    assert found["auc_roc"] == pytest.approx((pairs * above).sum() / pairs.sum(), rel=1e-12)
    assert found["auc_pr"] == pytest.approx(
        peers.average_precision_score(truth, np.nan_to_num(score), sample_weight=weight), rel=1e-12
    )
    fpr, tpr = bootstrap_rates(truth, np.nan_to_num(score), weight[None])
    prevalence = weight[truth].sum(keepdims=True) / weight.sum()
    for curve in ("lift", "gain"):
        assert found[f"auc_{curve}"] == pytest.approx(
            area(curve, fpr, tpr, prevalence).item(), rel=1e-12
        )


def test_a_mean_of_anything():
    costs = {"a": RNG.normal(size=150), "b": np.arange(150) % 3, "c": np.arange(150) % 2 == 0}
    found = draws("mean", FEW, None, costs)
    for name, cost in costs.items():
        np.testing.assert_allclose(found.sel(entity=name), (FEW * cost).mean("case"), rtol=1e-12)
    assert about("mean", None, costs, FEW)["mean_range"] == [
        min(costs["a"].min(), 0),
        max(costs["a"].max(), 2),
    ]
    outcomes = br.from_outcomes(pd.DataFrame({"x": [0, 1, 2, 2], "y": [1, 1, 0, 0]}))
    weights = br.case_weights(outcomes, draws=3, seed=1)
    found = br.cases.weighted_metric("mean", None, outcomes["outcome"], weights)
    assert groups_of(found)["observed_data"]["mean"].values.tolist() == [1.25, 0.5]


# --- Exact variances ----------------------------------------------------------------------------------------------


def parts(of):
    """Variance of (positive, negative): between positives, between negatives, and of their interaction."""
    rows, columns = of.mean(1), of.mean(0)
    rest = of - rows[:, None] - columns + of.mean()
    return rows.var(), columns.var(), (rest**2).mean()


def above(score):
    gap = score[TRUTH == 1][:, None] - score[TRUTH == 0]
    return (gap > 0) + (gap == 0) / 2


@pytest.mark.parametrize("prevalence", ["sampled", "observed"])
def test_areas_and_their_differences_have_their_known_posterior(prevalence):
    """The Bayesian bootstrap of a sum over pairs, whose weights are two independent Dirichlet variables."""
    weights = br.case_weights(TRUTH, seed=2, draws=3000, prevalence=prevalence)
    found = draws("auc_roc", weights)
    positives = int(TRUTH.sum())
    negatives = TRUTH.size - positives
    good, fair, ties = (above(score) for score in SCORES.values())
    for of, values in (
        (good, found.sel(entity="good")),
        (ties, found.sel(entity="ties")),
        (good - fair, found.sel(entity="good") - found.sel(entity="fair")),
        (good - ties, found.sel(entity="good") - found.sel(entity="ties")),
    ):
        values = values.values.ravel()
        between, within, rest = parts(of)
        variance = (
            between / (positives + 1)
            + within / (negatives + 1)
            + rest / (positives + 1) / (negatives + 1)
        )
        assert abs(values.mean() - of.mean()) < 5 * np.sqrt(variance / values.size)
        off = values - values.mean()
        error = np.sqrt((np.mean(off**4) - np.mean(off**2) ** 2) / values.size)
        assert abs(values.var() - variance) < 5 * error
        assert error < 0.02 * variance
        # DeLong's variance has one case less where this one has one more, and no interaction.
        delong = of.mean(1).var(ddof=1) / positives + of.mean(0).var(ddof=1) / negatives
        low = (min(positives, negatives) - 1) / (min(positives, negatives) + 1)
        assert low * delong < variance < delong + rest / (positives + 1) / (negatives + 1)


# --- What does not matter -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", CASE_METRICS)
def test_order_of_cases_and_entities_does_not_matter(metric):
    order = np.random.default_rng(1).permutation(150)
    truth = None if metric == "mean" else TRUTH
    one = draws(metric, FEW, truth, PROBABILITIES)
    names = list(PROBABILITIES)[::-1]
    other = draws(
        metric,
        FEW.isel(case=order),
        None if truth is None else TRUTH[order],
        pd.DataFrame(PROBABILITIES).iloc[order][names],
    )
    np.testing.assert_allclose(one.values, other.values[..., ::-1], rtol=1e-12)
    # Who else is there changes nothing at all.
    alone = draws(metric, FEW, truth, {"fair": PROBABILITIES["fair"]})
    np.testing.assert_array_equal(alone.sel(entity="fair"), one.sel(entity="fair"))


def test_orders_that_differ_in_nothing_that_counts_tie():
    """Negatives between the same positives, positives before all negatives: equal to the last digit."""
    truth = np.array([1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0])
    one, other = -np.arange(13.0), -np.arange(13.0)
    for swapped in ([0, 1, 2], [3, 4, 5], [7, 8], [10, 11, 12]):
        other[swapped] = other[swapped[::-1]]
    other[[0, 1]] = other[[1, 0]]
    weights = br.case_weights(truth, seed=1)
    for metric in ("auc_roc", "auc_pr"):
        found = draws(metric, weights, truth, {"one": one, "other": other})
        np.testing.assert_array_equal(found[..., 0], found[..., 1])


def test_blocks_of_draws_do_not_matter(monkeypatch):
    found = draws("auc_pr", FEW)
    monkeypatch.setattr("bayesrank._core.draws.BLOCK", 400)
    np.testing.assert_allclose(draws("auc_pr", FEW), found, rtol=1e-14)
    samples = FEW.stack(sample=("chain", "draw")).drop_vars(("sample", "chain", "draw"))
    stacked = groups_of(br.cases.weighted_metric("auc_pr", TRUTH, SCORES, samples))["posterior"][
        "auc_pr"
    ]
    assert stacked.dims == ("sample", "entity")
    np.testing.assert_allclose(stacked, found.values.reshape(-1, 3), rtol=1e-12)


# --- Data sets ----------------------------------------------------------------------------------------------------


def test_each_data_set_has_its_own_value():
    names = np.array(["x", "y", "z"])[np.arange(150) % 3]
    truth = np.where(names == "z", 1, TRUTH)  # z has no negative
    weights = br.case_weights(truth, dataset=names, seed=1, draws=5)
    found = groups_of(br.cases.weighted_metric("auc_roc", truth, SCORES, weights))
    values, seen = found["posterior"]["auc_roc"], found["observed_data"]["auc_roc"]
    assert values.dims == ("chain", "draw", "entity", "dataset")
    assert values["dataset"].values.tolist() == ["x", "y", "z"]
    assert np.isnan(values.sel(dataset="z")).all()
    assert np.isnan(seen.sel(dataset="z")).all()
    for name in ("x", "y"):
        here = np.flatnonzero(names == name)
        alone = draws(
            "auc_roc", weights.isel(case=here), truth[here], pd.DataFrame(SCORES).iloc[here]
        )
        np.testing.assert_array_equal(alone.sel(dataset=name), values.sel(dataset=name))
    for metric in ("auc_pr", "auc_lift", "auc_gain"):
        assert np.isnan(draws(metric, weights, truth).sel(dataset="z")).all()
    found = draws(peers.accuracy_score, weights, truth, {"one": np.ones(150, int)})
    assert (found.sel(dataset="z") == 1).all()
    assert fields_of(about("auc_roc", truth, SCORES, weights), "few_units_without_prior")[
        "one_dataset"
    ]


def test_patterns_count_as_often_as_they_occurred():
    truth, answers = [0, 0, 1, 1, 1, 0], {"a": [0, 1, 1, 1, 0, 0], "b": [0, 0, 1, 0, 1, 0]}
    joint = br.joint_outcomes(truth * 5, {name: held * 5 for name, held in answers.items()})
    weights = br.case_weights(joint, draws=3, seed=1)
    found = groups_of(
        br.cases.weighted_metric("auc_roc", joint["actual"], joint["predicted"], weights)
    )
    expected = [peers.roc_auc_score(truth, held) for held in answers.values()]
    np.testing.assert_allclose(found["observed_data"]["auc_roc"], expected)


# --- Functions of one's own ---------------------------------------------------------------------------------------


def test_a_function_gets_labels_prediction_and_weights_of_every_draw():
    seen = []

    def count(y_true, prediction, sample_weight):
        seen.append((y_true, prediction, sample_weight.copy()))
        sample_weight[:] = 0  # does no harm
        return np.array(1.0)

    found = draws(
        count, FEW, np.array(["n", "p"])[TRUTH], {"a": np.ones((150, 3)), "b": ["x"] * 150}
    )
    assert (found == 1).all()
    assert len(seen) == 2 * (6 + 1)
    assert all(y.tolist() == np.array(["n", "p"])[TRUTH].tolist() for y, _, _ in seen)
    assert {p.shape for _, p, _ in seen} == {(150, 3), (150,)}
    for dims in (1, 2):
        drawn = np.array([w for _, p, w in seen if p.ndim == dims])
        np.testing.assert_array_equal(drawn[:6], FEW.values.reshape(6, SIZE))
        assert (drawn[6] == 1).all()


# --- Rankings -----------------------------------------------------------------------------------------------------


def test_a_ranking_knows_what_was_observed():
    found = br.cases.weighted_metric("auc_roc", TRUTH, SCORES, WEIGHTS)
    ranking = br.credible_ranking(found, "auc_roc")
    expected = [peers.roc_auc_score(TRUTH, score) for score in SCORES.values()]
    np.testing.assert_allclose(ranking["observed"], expected)
    assert not ranking["contradicted"].any()
    assert ranking["expected_regret"].notnull().all()
    assert ranking.attrs["range"] == [0, 1]
    assert notes_in(ranking) == []
    better = (draws("auc_roc").sel(entity="good") > draws("auc_roc").sel(entity="ties")).mean()
    assert ranking["superiority"].sel(entity="good", rival="ties").item() == pytest.approx(
        float(better)
    )
    br.verdict(ranking)
    alike = br.cases.weighted_metric("auc_roc", TRUTH, PERFECT, FEW)
    assert notes_in(br.credible_ranking(alike, "auc_roc")) == [Note(*EQUAL)]


def regret_loss(y_true, prediction, sample_weight):
    return float(sample_weight @ np.abs(y_true - prediction) ** 1.5)


@pytest.mark.parametrize("metric", [regret_loss])
def test_losses_need_a_direction(metric):
    found = br.cases.weighted_metric(metric, TRUTH, PROBABILITIES, FEW)
    name = metric if isinstance(metric, str) else metric.__name__
    with pytest.raises(ValueError, match=r"higher_is_better must be given .* lower is better"):
        br.credible_ranking(found, name)
    ranking = br.credible_ranking(found, name, higher_is_better=False)
    assert not ranking["expected_regret"].notnull().any()


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
def test_known_losses_have_their_direction(metric):
    found = br.cases.weighted_metric(metric, TRUTH, PROBABILITIES, FEW)
    ranking = br.credible_ranking(found, metric)
    assert not ranking.attrs["higher_is_better"]
    assert ranking["expected_regret"].notnull().all()


def test_ranges_hold_what_was_drawn():
    for metric in (*AREAS, "brier", "log_loss"):
        values = draws(metric, predictions=PROBABILITIES)
        low, high = about(metric, TRUTH, PROBABILITIES, FEW)[f"{metric}_range"]
        assert low <= values.min()
        assert values.max() <= high
        assert high == 1 or metric in ("auc_lift", "log_loss")


# --- OPS ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", AREAS)
def test_ops_of_curves_take_the_same_weights(metric):
    few = FEW.isel(chain=[1])
    found = br.ops.of_curve(
        TRUTH, {"good": SCORES["good"], "ties": SCORES["ties"]}, metric, weights=few
    )
    values = draws(metric, few).sel(entity=["good", "ties"])
    assert found["value_draws"].dims == found["ops_draws"].dims == ("chain", "draw", "entity")
    np.testing.assert_allclose(found["value_draws"], values, rtol=1e-12)
    np.testing.assert_allclose(
        found["value"], observed(metric).sel(entity=["good", "ties"]), rtol=1e-12
    )
    np.testing.assert_allclose(found["prevalence_draws"], (few * TRUTH).mean("case"), rtol=1e-12)
    # Interpolated between prevalences 0.25 apart in log-odds: the curvature costs less than 0.002.
    one = {"chain": 0, "draw": 2}
    of = br.ops.of_value(metric, values.isel(one), found["prevalence_draws"].isel(one))
    np.testing.assert_allclose(found["ops_draws"].isel(one), of, atol=2e-3)
    assert (found["ops_lower"] < found["ops_upper"]).all()


def test_ops_of_cases_that_count_several_times_at_a_prevalence_set_by_design():
    often = 1 + np.arange(SIZE) % 3
    weights = br.case_weights(TRUTH, count=often, prevalence="observed", draws=3, seed=1)
    scores = {"good": SCORES["good"]}
    found = br.ops.of_curve(TRUTH, scores, "auc_gain", weights=weights)
    repeated = br.ops.of_curve(
        np.repeat(TRUTH, often), {"good": np.repeat(SCORES["good"], often)}, "auc_gain", draws=0
    )
    for name in ("value", "ops", "prevalence"):
        np.testing.assert_allclose(found[name], repeated[name], rtol=1e-12)
    prevalence = found["prevalence"].item()
    np.testing.assert_allclose(found["prevalence_draws"], prevalence, rtol=1e-12)
    # No interpolation is needed.
    of = br.ops.of_value("auc_gain", found["value_draws"], prevalence)
    np.testing.assert_allclose(found["ops_draws"].values, of.values, rtol=1e-12)


# --- Bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (ValueError("bad input"), ValueError),
        (TypeError("no"), TypeError),
        (KeyError("k"), ValueError),
    ],
)
def test_errors_of_a_metric_name_the_argument(raised, kind):
    def broken(y_true, prediction, sample_weight):
        raise raised

    with pytest.raises(
        kind,
        match=f"metric must take y_true, predictions.'a'. and .* got {type(raised).__name__} from it",
    ):
        br.cases.weighted_metric(
            broken, [0, 1, 1], {"a": [1, 2, 3]}, br.case_weights([0, 1, 1], draws=2, seed=1)
        )


# --- Notes --------------------------------------------------------------------------------------------------------

RARE = (np.arange(SIZE) < 30).astype(int)
PAIRS = br.case_weights(TRUTH, cluster=np.repeat(np.arange(75), 2), draws=2, seed=1)
DOUBLE = br.case_weights(40, count=[2] * 40, draws=2, seed=1)
BY_DESIGN = br.case_weights(TRUTH, prevalence="observed", draws=3, seed=1)
PERFECT = {"a": TRUTH, "b": 2 * TRUTH, "c": np.ones(150), "d": SCORES["good"]}
EQUAL = ("draws_equal", {"entities": ["a", "b"]})
#: Metric, true labels, predictions, weights, and the code of the note with some of its fields; None without a note.
NOTES = [
    (
        "auc_roc",
        RARE,
        SCORES,
        FEW,
        ("few_units_without_prior", {"units": 30, "unit": "case", "one_class": True}),
    ),
    (
        "auc_roc",
        1 - RARE,
        SCORES,
        FEW,
        ("few_units_without_prior", {"units": 30, "unit": "case", "one_class": True}),
    ),
    ("brier", RARE, PROBABILITIES, FEW, None),
    (
        "auc_pr",
        RARE,
        SCORES,
        PAIRS,
        ("few_units_without_prior", {"units": 15, "unit": "cluster", "one_class": True}),
    ),
    (
        "auc_roc",
        np.arange(40) % 2,
        {"a": np.arange(40)},
        DOUBLE,
        ("few_units_without_prior", {"units": 40, "one_dataset": False}),
    ),
    ("auc_roc", TRUTH, PERFECT, FEW, EQUAL),
    (
        "auc_roc",
        TRUTH,
        {f"e{i}": TRUTH for i in range(5)},
        FEW,
        ("draws_equal", {"entities": [f"e{i}" for i in range(5)]}),
    ),
    ("mean", None, {"x": np.ones(150)}, FEW, ("draws_equal", {"entities": ["x"]})),
    ("auc_roc", TRUTH, SCORES, FEW, None),
    ("auc_roc", TRUTH, PERFECT, br.case_weights(TRUTH, draws=1, chains=1, seed=1), None),
    (lambda y, p, sample_weight: np.inf, TRUTH, SCORES, FEW, None),
    (
        "auc_pr",
        TRUTH,
        PROBABILITIES,
        BY_DESIGN,
        ("metric_prevalence_by_design", {"metric": "auc_pr"}),
    ),
    (
        "brier",
        TRUTH,
        PROBABILITIES,
        BY_DESIGN,
        ("metric_prevalence_by_design", {"metric": "brier"}),
    ),
    *(
        (metric, TRUTH, PROBABILITIES, BY_DESIGN, None)
        for metric in ("auc_roc", peers.roc_auc_score)
    ),
    ("auc_pr", TRUTH, PROBABILITIES, FEW, None),
]


@pytest.mark.parametrize(("metric", "truth", "predictions", "weights", "note"), NOTES)
def test_a_note_says_what_the_cases_cannot_show(metric, truth, predictions, weights, note):
    found = about(metric, truth, predictions, weights)
    if note is None:
        assert "notes" not in found
        return
    code, fields = note
    assert fields.items() <= fields_of(found, code).items()
    assert code != "metric_prevalence_by_design" or found["prevalence"] == "observed"
