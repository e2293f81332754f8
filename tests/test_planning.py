"""Plans: closed forms, the example of a limit, calibration by refitted futures, and what has no number."""

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.errors import ArgumentError
from bayesrank.planning import OVERLAP
from bayesrank.planning._goals import Goal, pair_probability
from bayesrank.planning.futures import NormalScores, _between
from bayesrank.planning.plans import _crossing, _skewness
from bayesrank.planning.preposterior import read_source
from bayesrank.planning.updates.joint import JointOutcomes, PairedPatterns
from bayesrank.planning.updates.tables import FutureTables, overlapping_noise
from bayesrank.ranking.aggregates import scored
from tests.commands import invoke
from tests.scripts import load_script
from tests.strategies import right_of

COUNTS = br.from_counts(
    tn=[50, 53, 48], fp=[10, 7, 12], fn=[6, 5, 4], tp=[24, 25, 26], entity=["a", "b", "c"]
)
POSTERIOR = br.fit(COUNTS, seed=1)
OLD = {"true_scores": "posterior"}
AB = {"entity": "a", "rival": "b"} | OLD


def pairs(a_only, b_only, both, neither, **more):
    """Joint outcomes of two entities, 0 and 1."""
    rows = [(1, 0)] * a_only + [(0, 1)] * b_only + [(1, 1)] * both + [(0, 0)] * neither
    return br.from_outcomes(pd.DataFrame(rows, columns=["a", "b"]), **more)


# Closed forms


@pytest.mark.parametrize("width", [0.205, 0.225])
def test_the_interval_of_one_proportion_has_a_closed_form(width):
    right, wrong, n = 8, 2, 30
    posterior = br.fit(
        br.from_frame(pd.DataFrame({"entity": ["a"], "correct": [right], "wrong": [wrong]})), seed=1
    )
    found = br.plan(posterior, width=width, target=0.9, sizes=[n], futures=2000, seed=1)
    x = np.arange(n + 1)
    low, high = (stats.beta.ppf(q, right + 0.5 + x, wrong + 0.5 + n - x) for q in (0.05, 0.95))
    mass = stats.betabinom.pmf(x, n, right + 0.5, wrong + 0.5)
    # Normal intervals are as wide as those of a Beta within two percent.
    least, most = (mass[high - low <= factor * width].sum() for factor in (0.98, 1.02))
    assert 0.05 < least <= most < 0.95
    assert least - 0.03 < found["success"].item() < most + 0.03


def test_two_proportions_have_a_closed_form():
    # One data set each: P(a beats b) of two independent Betas, summed over all future counts.
    frame = pd.DataFrame({"entity": ["a", "b"], "correct": [20, 14], "wrong": [10, 16]})
    found = br.plan(br.fit(br.from_frame(frame), seed=1), **AB, sizes=[20], futures=2000, seed=1)
    x = np.arange(21)
    a, b = stats.betabinom.pmf(x, 20, 20.5, 10.5), stats.betabinom.pmf(x, 20, 14.5, 16.5)
    nodes = (np.arange(2000) + 0.5) / 2000
    pdf = stats.beta.pdf(nodes[:, None], 20.5 + x, 30.5 - x) / 2000
    cdf = stats.beta.cdf(nodes[:, None], 14.5 + x, 36.5 - x)
    p = pdf.T @ cdf  # (x of a, x of b)
    exact = (np.outer(a, b) * (p >= 0.95)).sum()
    assert abs(found["success"].item() - exact) < 0.03
    assert abs(found["now"].item() - 0.9) < 0.1


def test_the_example_of_the_limit():
    # 0.82 today: 0.37, 0.67, 0.77 and 0.80 at four sizes, and never more than 0.82.
    posterior = br.fit(pairs(11, 6, 20, 10), seed=1)
    sizes = [50, 500, 5000, 50000]
    found = br.plan(posterior, **AB, sizes=sizes, futures=2000, seed=1)
    assert abs(found["now"].item() - 0.85) < 0.05
    assert found["limit"].item() == pytest.approx(found["now"].item())
    z, total = stats.norm.ppf(found["now"].item()), 51
    share = np.array(sizes) / (np.array(sizes) + total)
    normal = stats.norm.cdf((z - stats.norm.ppf(0.95) * np.sqrt(1 - share)) / np.sqrt(share))
    np.testing.assert_allclose(found["success"], normal, atol=0.03)
    assert (found["success"] <= found["limit"] + 0.02).all()
    assert (found["success"] * 0.95 <= found["now"] + 0.02).all()  # the bound for ever reaching it


def test_normal_scores_keep_today_s_moments():
    rng = np.random.default_rng(1)
    draws = rng.multivariate_normal([0.3, 0.5], [[0.04, 0.02], [0.02, 0.03]], 4000)
    whole = np.cov(draws.T)
    updates = NormalScores(draws, whole - 0.005 * np.eye(2), np.array([10.0, 10.0]), 4000, rng)
    updates.extend(30)
    mean, covariance = updates.moments()
    np.testing.assert_allclose(np.cov(mean.T) + covariance[0], whole, atol=0.003)
    # What the mean shows of the truth is what it is the mean of.
    np.testing.assert_allclose(
        np.cov(np.hstack([mean, updates.truth]).T)[:2, 2:], np.cov(mean.T), atol=0.003
    )
    np.testing.assert_allclose(
        covariance[0], 0.005 * np.eye(2) + (whole - 0.005 * np.eye(2)) / 4, atol=1e-12
    )


def test_variances_of_dirichlet_tables_have_a_closed_form():
    """Accuracy is a sum of independent Betas with known shares of the classes, and one Beta where these are sampled."""
    alpha = np.array([[[30.0, 10.0], [8.0, 24.0]], [[35.0, 5.0], [16.0, 16.0]]])
    size = alpha.sum(-1)
    rates = alpha / size[..., None]

    def accuracy(tables):
        return tables[..., 0, 0] + tables[..., 1, 1]

    right, shares = np.stack([rates[:, 0, 0], rates[:, 1, 1]], axis=1), np.array([[0.3, 0.7]] * 2)
    wanted = (shares**2 * right * (1 - right) / (size + 1)).sum(1)
    known = FutureTables(
        accuracy, alpha, shares, shares, np.arange(2), 3, np.random.default_rng(1)
    ).moments()[1]
    np.testing.assert_allclose(
        known, np.broadcast_to(np.diag(wanted), (3, 2, 2)), rtol=1e-6, atol=1e-12
    )
    total = size.sum(-1)
    mean = (alpha[:, 0, 0] + alpha[:, 1, 1]) / total
    sampled = FutureTables(
        accuracy, alpha, None, None, np.arange(2), 3, np.random.default_rng(1)
    ).moments()[1]
    # All cells together are Dirichlet, so that accuracy is Beta; the update's formula is of first order.
    np.testing.assert_allclose(np.diagonal(sampled[0]), mean * (1 - mean) / (total + 1), rtol=0.02)
    # The share of a class alone is Beta, exactly, and the same for the entities of a test set.
    share = size[0, 1] / total[0]

    def positives(tables):
        return tables[..., 1, :].sum(-1)

    together = FutureTables(
        positives,
        alpha[:1].repeat(2, axis=0),
        None,
        None,
        np.zeros(2, int),
        3,
        np.random.default_rng(1),
    )
    wanted = np.full((2, 2), share * (1 - share) / (total[0] + 1))
    np.testing.assert_allclose(together.moments()[1][0], wanted, rtol=1e-6)


def test_a_score_of_outcomes_may_be_of_one_s_own():
    # A rising function of the mean orders entities alike: its futures separate them alike.
    posterior = br.fit(right_of([[20], [14]], 30).isel(dataset=0), seed=1)
    mean = br.scores.mean_outcome
    square = br.scores.Score(
        "square", None, outcome_function=lambda p, x: mean.outcome_function(p, x) ** 2
    )
    plans = [
        br.plan(posterior, score, sizes=[40, 400], futures=2000, seed=1, **OLD)
        for score in (None, mean, square)
    ]
    xr.testing.assert_identical(plans[0], plans[1])
    np.testing.assert_allclose(plans[2]["success"], plans[0]["success"], atol=0.03)
    with pytest.raises(
        ValueError, match="score must be 'mean_outcome' for joint outcomes; got 'square'"
    ):
        br.plan(br.fit(pairs(11, 6, 20, 10), seed=1, draws=200), square, **OLD)


# Calibration


def draw_tables(rng, alpha, size):
    """Rates and class shares of tables (entity, class, answer) on one test set."""
    rows = rng.standard_gamma(alpha, (size, *alpha.shape))
    return rows / rows.sum(-1, keepdims=True), rng.dirichlet(alpha[0].sum(-1), size)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tables", "paired", "clustered", "hierarchical"])
def test_the_assurance_is_the_share_of_refitted_futures(name):
    module = load_script("scripts/measure_planning.py")
    design, n = module.DESIGNS[name]
    stated, error, share, other = module.compare(design, n, {}, 300)
    assert abs(stated - share) < 3.5 * np.hypot(error, other) + 0.02


# What has a number, and what has none


def test_a_target_that_is_met_needs_no_case():
    found = br.plan(br.fit(pairs(60, 5, 20, 10), seed=1), seed=1)
    assert found["needed"].item() == 0
    assert br.verdict(found)[0].startswith("No more cases are needed")


def test_no_number_of_cases_lifts_the_limit():
    found = br.plan(POSTERIOR, "mcc", entity="a", seed=1, futures=200, **OLD)
    assert np.isnan(found["needed"].item())
    assert found.attrs["reason"] == "limit"
    assert found["limit"].item() == pytest.approx(found["now"].item(), abs=0.02)
    assert br.verdict(found)[0].startswith("No number of cases is enough: P(a is best)")


def test_more_cases_of_the_same_data_sets_do_not_settle_it():
    rng = np.random.default_rng(2)
    means = np.array([0.70, 0.71])[:, None]
    posterior = br.fit(
        right_of(rng.binomial(2000, rng.beta(means * 15, (1 - means) * 15, (2, 8))), 2000),
        MODEL,
        seed=1,
    )
    cases = br.plan(posterior, more="cases", seed=1, futures=400)
    assert (cases.attrs["reason"], cases.attrs["fixed"]) == ("fixed", "data sets")
    assert "since the data sets stay the same" in br.verdict(cases)[0]
    more = br.plan(posterior, seed=1, futures=400)
    assert more.attrs["unit"] == "data sets"
    assert more["limit"].item() > 0.99
    assert cases["limit"].item() < more["limit"].item()
    new = br.plan(posterior, kind="new", seed=1, futures=400)
    assert new.attrs["reason"] == "fixed"  # the next data set stays unknown


MODEL = "hierarchical_beta_binomial"


def test_more_cases_of_the_same_clusters_do_not_settle_it():
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(12), 20)
    easy = rng.normal(size=12)[cluster] * 2
    rows = {name: (easy + shift + rng.normal(size=(12))[cluster] + 0.3 * rng.normal(size=240) > 0).astype(int)
            for name, shift in (("a", 0.0), ("b", 0.05))}  # fmt: skip
    posterior = br.fit(br.from_outcomes(pd.DataFrame(rows), cluster=cluster.tolist()), seed=1)
    cases, clusters = (
        br.plan(posterior, more=more, seed=1, futures=300) for more in ("cases", None)
    )
    assert (cases.attrs["fixed"], clusters.attrs["unit"]) == ("clusters", "clusters")
    assert cases.attrs["reason"] == "fixed"
    assert cases["limit"].item() < 0.8 < clusters["limit"].item()
    assert clusters["cases_each"].item() == 20


def test_more_runs_of_the_same_cases_do_not_settle_it():
    rng = np.random.default_rng(4)
    ability = rng.beta(2, 2, 40)
    each = np.repeat(ability, 4)
    runs = {name: rng.binomial(1, np.clip(each + d, 0, 1)) for name, d in (("a", 0.0), ("b", 0.03))}
    case, run = np.repeat(np.arange(40), 4).tolist(), np.tile(np.arange(4), 40).tolist()
    posterior = br.fit(br.from_outcomes(pd.DataFrame(runs), case=case, run=run), seed=1)
    runs = br.plan(posterior, more="runs", seed=1, futures=300, alternatives=True, **OLD)
    assert runs.attrs["fixed"] == "cases"
    assert runs["alternative"].values.tolist()[:2] == ["more cases", "more runs of the same cases"]
    assert runs["limit"].item() < runs["alternative_limit"].sel(alternative="more cases").item()


@pytest.mark.parametrize(("outcome", "runs"), [((0, 1), 2), ((0.3, 0.8), 0)])
def test_runs_of_right_and_wrong_answers_are_told_from_graded_ones(outcome, runs):
    rng = np.random.default_rng(3)
    answers = pd.DataFrame({name: rng.choice(outcome, 80) for name in "ab"})
    case, run = np.repeat(np.arange(40), 2).tolist(), np.tile([0, 1], 40).tolist()
    posterior = br.fit(br.from_outcomes(answers, case=case, run=run), seed=1)
    assert read_source(scored(posterior, None, None, None), None, None, 1, {}).evidence.runs == runs


def test_pairing_and_positives_change_what_is_needed():
    joint = pairs(30, 20, 200, 50)
    found = br.plan(br.fit(joint, seed=1), assurance=0.6, alternatives=True, seed=1)
    needed = (
        found["alternative_needed"]
        .sel(alternative=["more cases", "without pairing (tables alone)"])
        .values
    )
    assert needed[0] < needed[1] or np.isnan(needed[1])
    counts = br.from_counts(tn=[90, 90], fp=[10, 10], fn=[5, 3], tp=[5, 7], entity=["a", "b"])
    posterior = br.fit(counts, "beta_binomial", seed=1)
    at = {
        s: br.plan(posterior, "tpr", positives=s, sizes=[200], futures=2000, seed=1)
        for s in (0.1, 0.9)
    }
    assert at[0.9]["success"].item() > at[0.1]["success"].item() + 0.1


@pytest.mark.parametrize("goal", [{}, {"rival": "all"}, {"k": 1}, {"k": 2}, {"rope": 0.01}])
def test_more_cases_help_and_the_limit_is_one(goal):
    found = br.plan(POSTERIOR, "f1", seed=1, futures=400, **goal, **OLD)
    assert (np.diff(found["success"]) > -0.06).all()
    assert (np.diff(found["expected_loss"]) < 0.002).all()
    assert found["limit"].item() > (0.8 if "rope" in goal else 0.99)


@pytest.mark.parametrize("target", [{"k": 1}, {"width": 0.1}])
def test_a_target_that_needs_no_margin_refuses_one(target):
    with pytest.raises(ValueError, match=f"^margin cannot be used with {next(iter(target))}, "):
        br.plan(POSTERIOR, "accuracy", margin=0.1, **target)


def test_noninferiority_needs_less_than_superiority():
    wanted = AB | {"sizes": [300], "seed": 1}
    margin, plain = (
        br.plan(POSTERIOR, "accuracy", **wanted, **more) for more in ({"margin": 0.1}, {})
    )
    assert margin["success"].item() > plain["success"].item() + 0.3


# Kinds of evidence


def test_entities_with_the_same_outcomes_have_no_number():
    # Only the prior could separate a from b; c is worse.
    a = [0, 1, 1] * 40
    posterior = br.fit(
        br.from_outcomes(pd.DataFrame({"a": a, "b": a, "c": [0, 0, 1] * 40})), seed=1
    )
    step = br.verdict(br.credible_ranking(posterior, "mean_outcome"))[2]
    assert step.startswith("No number of cases like these is expected to separate ")
    assert step.endswith(": they had the same outcome on every case.")
    found = br.plan(posterior, seed=1, futures=100, alternatives=True)
    assert (found["limit"].item(), found.attrs["alike"]) == (0, ["a", "b"])
    assert found["alternative_limit"].values.tolist() == [0, 0]
    assert br.verdict(found)[0].startswith(
        "No number of cases is enough, since a and b had the same outcome on every"
    )
    equal = br.plan(posterior, **AB, margin=0.01, seed=1, futures=100)
    assert (equal["now"].item(), equal["needed"].item()) == (1, 0)
    other = br.plan(posterior, **AB | {"rival": "c"}, seed=1, futures=100)
    assert other["limit"].item() > 0.9
    frame = pd.DataFrame({"a": a, "b": a})
    unsure = br.plan(
        br.fit(br.from_outcomes(frame), prior="haldane", seed=1), seed=1, futures=100, **OLD
    )
    assert (unsure["limit"].item(), unsure["success"].max().item()) == (0, 0)


def test_errors_that_overlap_as_far_as_they_can():
    # Accuracy: a and b differ on |d| of the cases of a class, all in one direction.
    score = lambda t: t[..., 0, 0] + t[..., 1, 1]  # noqa: E731
    counts = np.array([[[80, 20], [15, 35]], [[90, 10], [20, 30]]])
    rates = counts / counts.sum(-1, keepdims=True)
    share = np.array([2 / 3, 1 / 3])
    d = np.diagonal(rates[0] - rates[1])
    for new in (None, share, 1 - share):
        shares = None if new is None else np.stack([new, new])
        noise = overlapping_noise(
            score, rates * share[:, None], new is not None, shares, np.zeros(2, int)
        )
        if new is None:
            expected = (share * abs(d)).sum() - (share * d).sum() ** 2
        else:
            expected = (share**2 / new * (abs(d) - d**2)).sum()
        assert noise[0, 0] + noise[1, 1] - 2 * noise[0, 1] == pytest.approx(expected, abs=1e-9)
        apart = overlapping_noise(
            score, rates * share[:, None], new is not None, shares, np.arange(2)
        )
        np.testing.assert_allclose(apart, noise * np.eye(2), atol=1e-15)
    # Entities share the classes of their cases only if they have one test set.
    alone = FutureTables(
        score, counts + 1.0, None, None, np.arange(2), 3, np.random.default_rng(1)
    ).moments()[1]
    assert (alone[:, 0, 1] == 0).all()


@pytest.mark.parametrize("prevalence", ["sampled", 0.3])
def test_errors_overlap_at_the_mean_table(monkeypatch, prevalence):
    tables = []

    def record(score, mean, *more):
        tables.append(mean)
        return overlapping_noise(score, mean, *more)

    monkeypatch.setattr("bayesrank.planning.updates.tables.overlapping_noise", record)
    posterior = br.fit(COUNTS, prior=1, prevalence=prevalence, seed=1)
    br.plan(posterior, "mcc", alternatives=True, futures=50, seed=1, **OLD)
    mean = (
        br.as_performance(posterior)
        .mean(["chain", "draw"])
        .transpose("entity", "actual", "predicted")
    )
    assert tables
    for table in tables:
        np.testing.assert_allclose(table, mean.values, atol=0.005)


def test_per_case_data_have_a_bound():
    found = br.plan(POSTERIOR, "mcc", alternatives=True, seed=1, **OLD)
    least = found["alternative_cases"].sel(alternative=OVERLAP).item()
    assert least < found["needed"].item() / 2
    assert br.verdict(found)[2].startswith("Per-case data would need between ")
    apart = COUNTS.assign_coords(test_set=("entity", ["x", "y", "z"]))
    assert (
        OVERLAP
        not in br.plan(br.fit(apart, seed=1), "mcc", alternatives=True, futures=50)["alternative"]
    )


def test_a_perfect_entity_and_one_without_a_score():
    counts = br.from_counts(
        tn=[40, 36, 0], fp=[0, 4, 0], fn=[0, 3, 0], tp=[20, 17, 0], entity=["p", "q", "none"]
    )
    posterior = br.fit(counts, prior={"p": 1.0, "q": 1.0, "none": 0.0}, force=True, seed=1)
    found = br.plan(posterior, "f1", target=0.999, seed=1, futures=200, **OLD)
    assert found.attrs["entities"] == 2
    assert found["success"].isel(n=-1).item() > 0.9


def test_ten_classes_and_a_hundred_entities():
    rng = np.random.default_rng(5)
    tables = rng.multinomial(300, np.where(np.eye(10), 0.08, 0.02 / 9).ravel(), 3).reshape(
        3, 10, 10
    )
    counts = br.from_matrix(tables, "actual_rows")
    assert (
        br.plan(br.fit(counts, seed=1), "macro_f1", sizes=[1000], futures=50, seed=1, **OLD)[
            "limit"
        ].item()
        > 0.99
    )
    right = rng.binomial(200, 0.8, 100)
    frame = pd.DataFrame(
        {"entity": [f"e{i}" for i in range(100)], "correct": right, "wrong": 200 - right}
    )
    found = br.plan(br.fit(br.from_frame(frame), seed=1), sizes=[10000], futures=50, seed=1, **OLD)
    assert 10 < found.attrs["entities"] < 100  # those that can be best


def test_missing_outcomes_and_a_known_prevalence():
    frame = pd.DataFrame({"a": [1, 0, np.nan] * 20, "b": [1, np.nan, 0] * 20})
    joint = br.from_outcomes(frame, missing="own")
    assert np.isfinite(br.plan(br.fit(joint, seed=1), seed=1, futures=100)["success"]).all()
    cases = br.joint_outcomes([0] * 30 + [1] * 30, {"a": [0, 1] * 30, "b": [0] * 30 + [1] * 30})
    posterior = br.fit(cases, "paired", prevalence=0.02, seed=1)
    found = br.plan(posterior, "f1", positives=0.5, seed=1, futures=100)
    assert found["needed"].item() == 0
    assert found["now"].item() > 0.95


def test_the_answer_does_not_depend_on_the_sizes_tried():
    # Bisection refines it, so that it hardly depends on the curve; futures of other sizes are others.
    found = [
        br.plan(POSTERIOR, "mcc", sizes=sizes, seed=1, futures=2000, **OLD)
        for sizes in ([10, 10**6], None)
    ]
    assert found[0]["needed"].item() == pytest.approx(found[1]["needed"].item(), rel=0.05)


def test_a_part_of_a_covariance_has_the_unit_of_the_whole():
    part, whole = np.array([[2.0, 1.5], [1.5, 1.0]]), np.array([[1.0, 0.2], [0.2, 3.0]])
    found = _between(part, whole)
    for left in (found, whole - found):
        assert np.linalg.eigvalsh(left).min() > -1e-12
    for unit in (1e-9, 1e9):
        np.testing.assert_allclose(_between(unit * part, unit * whole), unit * found, rtol=1e-9)


# In words, as a picture, on the shell


def test_the_picture_and_the_report_show_the_plan():
    found = br.plan(POSTERIOR, "mcc", seed=1, futures=50, **OLD)
    xr.testing.assert_identical(found, br.plan(POSTERIOR, "mcc", seed=1, futures=50, **OLD))
    labels = [text.get_text() for text in br.plots.plan(found).get_legend().get_texts()]
    assert labels[2].startswith("limit ")
    assert labels[3] == "assurance 0.8"
    page = br.ranking_report(POSTERIOR, "mcc", results={"planning": found}, sections=[])
    assert "More cases" in page
    assert "With unlimited cases" in page


@pytest.mark.parametrize(
    "line",
    [
        "plan breast_cancer --score mcc --target 0.95 --assurance 0.8 --draws 200",
        "plan breast_cancer --score mcc --model paired --draws 100 --format json",
        "plan utah_trees --positive present --score f1 --model hierarchical_beta_binomial --notes --draws 50",
        "plan langchain_tool_use --choose claude-2.1 --draws 200 --format csv",
    ],
)
def test_the_command_plans_on_shipped_data(line):
    shown = invoke(*line.split())
    assert "success" in shown or " separate " in shown or "enough" in shown


def test_one_more_case_moves_a_score_by_its_distance_from_it():
    """The mean of n values x moves by (x - mean)/n with another x, and not at all where the value is missing."""
    values = np.array([0.0, 0.25, 1.0, np.nan])
    codes = np.array([[0, 0, 2], [0, 1, 3], [0, 2, 1]])  # class, answers of two entities
    count, prior = np.array([3.0, 2.0, 5.0]), np.zeros((2, 1, 4))
    patterns = PairedPatterns(
        lambda tables: tables.sum((-2, -1)), codes, count, None, prior, values
    )
    joint = JointOutcomes(patterns, None, 1, np.random.default_rng(0))
    means = [(2 * 0.25 + 5 * 1.0) / 10, (3 * 1.0 + 5 * 0.25) / 8]
    wanted = [
        [(0 - means[0]) / 10, (1 - means[1]) / 8],
        [(0.25 - means[0]) / 10, 0],
        [(1 - means[0]) / 10, 0],
    ]
    wanted[2][1] = (0.25 - means[1]) / 8
    np.testing.assert_allclose(joint.moves(), wanted, rtol=1e-6, atol=1e-12)


def test_an_unconditional_plan_of_a_mean_over_data_sets_is_refused():
    counts = br.from_counts(
        tn=[8, 60, 9, 50],
        fp=[2, 40, 1, 50],
        fn=[1, 30, 2, 20],
        tp=[9, 70, 8, 80],
        entity=list("aabb"),
        dataset=list("xyxy"),
    )
    mean = br.performance.mean_over_datasets(
        br.fit(counts, "dirichlet_multinomial", split_prior=True, seed=1)
    )
    with pytest.raises(ArgumentError, match="a mean over 2 data sets"):
        br.plan(mean, "accuracy", true_scores="population", seed=1)


def test_the_skewness_of_differences_is_that_of_scipy():
    draws = np.random.default_rng(1).gamma([0.5, 2.0, 5.0], size=(4000, 3))
    found = _skewness(draws, np.cov(draws.T))
    for i, j in itertools.permutations(range(3), 2):
        assert found[i, j] == pytest.approx(stats.skew(draws[:, i] - draws[:, j]), rel=1e-3)
    assert (np.diag(found) == 0).all()


@pytest.mark.parametrize("z", [-2.0, -0.5, 0.0, 0.7, 2.2])
def test_pairs_with_a_skewed_difference_are_those_of_a_gamma_distribution(z):
    shape = 25.0  # the skewness of a gamma distribution is 2 / sqrt(shape)
    exact = stats.gamma(shape).sf(shape - z * shape**0.5)
    skewness = np.array([[0.0, 2 / shape**0.5], [-2 / shape**0.5, 0.0]])
    covariance = np.array([[[1.0, 0.0], [0.0, 0.0]]])
    found = pair_probability(np.array([[z, 0.0]]), covariance, skewness, np.array([[0]]), 0.0)
    # The next term of the expansion is of the order 1 / shape; a wrong sign would be off by 0.05 at 0.
    assert found[0, 0, 1] == pytest.approx(exact, abs=0.004)
    mirrored = pair_probability(np.array([[z, 0.0]]), covariance, skewness, np.array([[1]]), 0.0)
    assert mirrored[0, 0, 0] == pytest.approx(1 - exact, abs=0.004)


def test_a_plan_against_one_rival_is_of_a_known_difference():
    counts = br.from_counts(
        tn=[80, 84, 70], fp=[20, 16, 30], fn=[15, 14, 15], tp=[35, 36, 35], entity=list("abc")
    )
    found = br.plan(br.fit(counts, seed=1), "mcc", entity="b", rival="a", margin=0.1)
    assert found.attrs["true_scores"] == "difference"
    assert found["difference"].item() == 0.1


@pytest.mark.parametrize(("success", "size"), [
    ([0.2, 0.5, 0.8], 40),
    ([0.8, 0.9, 1.0], 10),
    ([0.2, 0.75, 0.85], 29),  # halfway in logarithms: 20 √2
    ([0.2, 0.5, 0.79], np.nan),
    ([0.8, 0.7, 0.85], 29),  # smoothed to 0.75, 0.75, 0.85
])  # fmt: skip
def test_the_number_is_where_the_curve_reaches_the_level(success, size):
    assert _crossing(np.array([10.0, 20.0, 40.0]), np.array(success), 0.8) == pytest.approx(
        size, nan_ok=True
    )


def test_skewness_falls_with_the_root_of_what_is_left_of_the_evidence(monkeypatch):
    """As that of a mean: 100 cases and a prior of 4 are a quarter of 4 times as many."""
    seen, met = [], Goal.met

    def record(goal, mean, covariance, skewness):
        seen.append(skewness[0, 1])
        return met(goal, mean, covariance, skewness)

    monkeypatch.setattr(Goal, "met", record)
    counts = br.from_counts(tp=[45, 40], fn=[5, 10], tn=[50, 50], fp=[0, 0], entity=["a", "b"])
    posterior = br.fit(counts, "beta_binomial", prior="uniform", seed=1)
    br.plan(posterior, "tpr", entity="a", rival="b", sizes=[4, 328], futures=100, seed=1, **OLD)
    assert seen[1] / seen[0] == pytest.approx(0.5)


@pytest.mark.parametrize(("correlation", "each", "met"), [
    (0.0, 0.96, False),  # 0.96⁵ = 0.815
    (0.0, 0.985, False),  # 0.927
    (0.99, 0.97, True),
    (0.9, 0.98, True),
])  # fmt: skip
def test_the_joint_probability_decides_where_each_pair_has_enough(correlation, each, met):
    """The leader is known to have 0; five rivals below it have the variance 1."""
    mean = np.append(0.0, np.full(5, -stats.norm.ppf(each)))[None]
    covariance = np.zeros((1, 6, 6))
    covariance[0, 1:, 1:] = np.where(np.eye(5), 1.0, correlation)
    joint = stats.multivariate_normal(mean[0, 1:], covariance[0, 1:, 1:]).cdf(np.zeros(5))
    assert bool(joint >= 0.95) == met
    assert Goal("best", 0.95, entity=0).met(mean, covariance, np.zeros((6, 6))).tolist() == [met]
