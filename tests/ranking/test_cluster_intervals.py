"""Intervals of cases in few clusters: the t interval of the clusters' means, in every result that has the interval."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank.claims.units import Units
from bayesrank.evidence.units import cluster_information
from tests.told import notes_in

CLUSTERS, CASES = 12, 5


def grades(clusters=CLUSTERS, cases=CASES, seed=3):
    """Return grades of two entities, and the cluster of each case; one entity is better in some clusters."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), cases)
    of_clusters = rng.normal(5, 1, (clusters, 2))
    frame = pd.DataFrame(
        of_clusters[cluster] + rng.normal(0, 1, (len(cluster), 2)), columns=["a", "b"]
    )
    return frame, cluster


def answers(rate, clusters, cases, seed=3):
    """Return right and wrong answers of two entities, and the cluster of each case."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), cases)
    rates = rng.beta(4 * rate, 4 * (1 - rate), clusters)[cluster, None]
    return pd.DataFrame((rng.random((len(cluster), 2)) < rates) * 1, columns=["a", "b"]), cluster


def draws_of(posterior):
    """Return the draws of the mean outcome."""
    return posterior["posterior"]["mean_outcome"].transpose("entity", ..., "chain", "draw")


def test_intervals_of_equal_clusters_are_t_intervals_of_their_means():
    means = np.linspace(-1, 1, CLUSTERS)
    other = means.reshape(2, -1)[:, ::-1].ravel()  # symmetric about 0, too
    means = pd.DataFrame({"a": 5 + means, "b": 4 + other})
    cluster = np.repeat(np.arange(CLUSTERS), CASES)
    frame = means.iloc[cluster] + np.tile(np.linspace(-1, 1, CASES), CLUSTERS)[:, None]
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=5000, seed=1)
    ranking = br.credible_ranking(posterior)
    assert ranking["difference"].sel(entity="a") == 0
    for of_clusters, ends in (
        (means["a"], ranking[["lower", "upper"]].sel(entity="a")),
        (means["b"], ranking[["lower", "upper"]].sel(entity="b")),
        (
            means["b"] - means["a"],
            ranking[["difference_lower", "difference_upper"]].sel(entity="b"),
        ),
    ):
        expected = stats.t.interval(0.95, CLUSTERS - 1, of_clusters.mean(), stats.sem(of_clusters))
        half = (expected[1] - expected[0]) / 2
        # A weighted mean of 12 clusters is not quite normal. Half an interval is shorter by 0.08
        # without the factor of the bootstrap, and by 0.11 without the t quantile.
        np.testing.assert_allclose(ends.to_array(), expected, rtol=0, atol=0.04 * half)


@pytest.mark.parametrize("prob", [0.8, 0.95])
def test_ends_are_farther_from_the_median_by_the_factor_of_the_clusters(prob):
    frame, cluster = grades(7)
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=200, seed=1)
    values = draws_of(posterior).stack(sample=("chain", "draw")).values
    factor = np.sqrt(8 / 6) * stats.t.ppf((1 + prob) / 2, 6) / stats.norm.ppf((1 + prob) / 2)
    tail = (1 - prob) / 2
    low, middle, high = np.quantile(values, [tail, 0.5, 1 - tail], axis=1)
    expected = middle + factor * (low - middle), middle + factor * (high - middle)
    ranking = br.credible_ranking(posterior, prob=prob)
    table = br.score_table(posterior, ["mean_outcome"], prob=prob).isel(score=0)
    for found in (ranking, table):
        np.testing.assert_allclose([found["lower"], found["upper"]], expected, rtol=1e-12)
        np.testing.assert_allclose(found["median"], middle, rtol=1e-12)
    row = int(np.flatnonzero(ranking["difference"].values != 0)[0])
    low, middle, high = np.quantile(values[row] - values[1 - row], [tail, 0.5, 1 - tail])
    np.testing.assert_allclose(
        [ranking["difference_lower"][row], ranking["difference_upper"][row]],
        [middle + factor * (low - middle), middle + factor * (high - middle)],
        rtol=1e-12,
    )


def test_clusters_of_unequal_sizes_have_fewer_degrees_of_freedom():
    frame, _ = grades(1, 50)
    sizes = np.array([20, 10, 8, 7, 5])
    cluster = np.repeat(np.arange(5), sizes)
    freedom, bootstrap = cluster_information([sizes.astype(float)], np.ones(1))
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=200, seed=1)
    table = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
    low, high = np.quantile(draws_of(posterior).sel(entity="a"), [0.025, 0.975])
    factor = bootstrap * stats.t.ppf(0.975, freedom) / stats.norm.ppf(0.975)
    assert freedom < 4
    width = float((table["upper"] - table["lower"]).sel(entity="a"))
    assert width / (high - low) == pytest.approx(factor, rel=1e-12)


def test_each_data_set_has_its_own_clusters():
    frame, cluster = grades(9)
    dataset = np.where(cluster < 5, "x", "y")
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster, dataset=dataset), draws=200, seed=1)
    values = draws_of(posterior)
    low, high = (values.quantile(share, ("chain", "draw")) for share in (0.025, 0.975))
    ranking = br.credible_ranking(posterior)
    table = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
    for name, number in (("x", 5), ("y", 4)):
        factor = np.sqrt((number + 1) / (number - 1)) * stats.t.ppf(0.975, number - 1)
        expected = factor / stats.norm.ppf(0.975) * (high - low).sel(dataset=name)
        for found in (ranking, table):
            here = found.sel(dataset=name)
            np.testing.assert_allclose(here["upper"] - here["lower"], expected, rtol=1e-12)


def test_intervals_stay_within_the_range_and_closed_ends_stay():
    frame, cluster = answers(0.9, 3, 8)
    frame["b"] = 1
    frame.loc[3, "b"] = 0  # one wrong answer: closed at 1
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=500, seed=1)
    ranking = br.credible_ranking(posterior)
    table = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
    for found in (ranking, table):
        assert found["lower"].min() >= 0
        assert found["upper"].max() == 1
        assert found["upper"].sel(entity="b") == 1
    largest = np.abs([ranking["difference_lower"], ranking["difference_upper"]]).max()
    assert largest <= 1


def test_an_interval_is_no_narrower_for_fewer_clusters():
    frame, _ = answers(0.5, 1, 60)
    widths = []
    for number in (1, 2, 3, 6, 12, 60):
        evidence = br.from_outcomes(frame, cluster=np.arange(60) % number)
        ranking = br.credible_ranking(br.fit(evidence, draws=500, seed=1))
        widths.append((ranking["upper"] - ranking["lower"]).mean().item())
    assert widths[0] == 1
    assert widths[0] >= widths[1] > 1.5 * widths[-1]


def test_a_single_cluster_shows_no_variance():
    frame, cluster = answers(0.5, 1, 40)
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=200, seed=1)
    table = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
    ranking = br.credible_ranking(posterior)
    for found in (ranking, table):
        assert found["lower"].values.tolist() == [0, 0]
        assert found["upper"].values.tolist() == [1, 1]
    far = np.abs([ranking["difference_lower"], ranking["difference_upper"]])
    assert sorted(far.ravel().tolist()) == [0, 0, 1, 1]
    assert "Only 1 cluster: how much clusters differ is unknown." in [
        *br.verdict(ranking),
        *br.notes(ranking),
    ]


def test_without_a_declared_range_a_single_cluster_has_that_of_the_outcomes():
    frame = pd.DataFrame(np.random.default_rng(1).normal(0, 3, (30, 2)), columns=list("ab"))
    posterior = br.fit(br.from_outcomes(frame, cluster=np.zeros(30)), draws=200, seed=1)
    found = br.credible_ranking(posterior)
    np.testing.assert_allclose(found["lower"], frame.min().min())
    np.testing.assert_allclose(found["upper"], frame.max().max())


def test_all_results_have_the_same_interval_of_a_rate():
    frame, cluster = answers(0.75, 9, 12, seed=5)
    truth = np.random.default_rng(1).integers(0, 2, len(cluster))
    guesses = {name: np.where(frame[name], truth, 1 - truth) for name in frame}
    posterior = br.fit(br.joint_outcomes(truth, guesses, cluster=cluster), draws=300, seed=1)
    ranking = br.credible_ranking(posterior, "tpr")
    table = br.score_table(posterior, ["accuracy", "tpr"]).sel(score="tpr")
    for end in ("lower", "upper"):
        np.testing.assert_array_equal(ranking[end], table[end])
    row = int(np.flatnonzero(ranking["difference"].values != 0)[0])
    leader = "ab"[1 - row]
    found = br.decisions.noninferiority(posterior, leader)
    for end in ("", "_lower", "_upper"):
        expected = ranking[f"difference{end}"].values[row]
        np.testing.assert_allclose(found[f"tpr_difference{end}"], [expected], rtol=1e-12)


def errors_in(clusters, per_cluster, of=25, cases=20):
    """Return right answers with some errors in the first clusters alone, and the cluster of each case."""
    right = np.ones((of, cases), int)
    right[:clusters, :per_cluster] = 0
    return right.ravel(), np.repeat(np.arange(of), cases)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("number", [0, 1, 3, 8])
def test_of_d_clusters_with_an_error_there_are_d_minus_1_degrees_of_freedom(number, turned):
    right, cluster = errors_in(number, 4)
    frame = pd.DataFrame({"a": 1 - right if turned else right})
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=500, seed=1)
    found = br.score_table(posterior, ["mean_outcome"]).isel(score=0, entity=0)
    ends = np.array([found["lower"], found["upper"]])
    low, middle, high = np.quantile(draws_of(posterior).sel(entity="a"), [0.025, 0.5, 0.975])
    share = frame["a"].mean()
    alike = stats.beta.ppf([0.025, 0.975], 25 * share + 0.5, 25 * (1 - share) + 0.5)
    far, at = (low, 0) if share > 0.5 else (high, 1)
    if number > 2:
        quantile = stats.t.ppf(0.975, number - 1) / stats.norm.ppf(0.975)
        expected = middle + np.sqrt(26 / 24) * quantile * (far - middle)
        assert abs(expected - middle) < abs(alike[at] - middle)
    else:  # the cases of a cluster might all have the same answer
        expected = alike[at]
    np.testing.assert_allclose(ends[at], expected, rtol=1e-9)
    assert number > 0 or ends[1 - at] == 1 - at


def test_scores_of_tables_and_differences_depend_on_few_clusters_alike():
    right, cluster = errors_in(1, 4)
    wide = (np.arange(len(right)) % 7 > 0) * 1
    truth = np.random.default_rng(1).integers(0, 2, len(right))
    guesses = {
        name: np.where(answer == 1, truth, 1 - truth)
        for name, answer in {"a": right, "b": np.ones_like(right), "c": wide}.items()
    }
    posterior = br.fit(br.joint_outcomes(truth, guesses, cluster=cluster), draws=500, seed=1)
    found = br.credible_ranking(posterior, "accuracy")
    alike = stats.beta.ppf(0.025, [25 * right.mean() + 0.5, 25.5], [25 * 0.008 + 0.5, 0.5])
    lower = found["lower"].sel(entity=["a", "b"]).values
    np.testing.assert_allclose(lower, alike, rtol=0.01)  # its clusters have nearly equal strengths
    assert found["lower"].sel(entity="c") > 0.8
    # On one cluster, a and b differ; on each cluster, b and c do.
    wide = found["difference_upper"] - found["difference_lower"]
    assert found["difference"].sel(entity="b") == 0
    assert wide.sel(entity="a") > 2.5 * wide.sel(entity="c")
    [note] = [each for each in notes_in(found) if each.code == "clusters_hardly_differ"]
    assert note.fields["entities"] == ["a", "b"]
    f1 = br.score_table(posterior, ["f1", "informedness"])["lower"].sel(entity="b").values
    assert f1[0] == pytest.approx(lower[1], rel=0.01)
    assert f1[1] == pytest.approx(2 * lower[1] - 1, abs=0.02)


def test_grades_that_all_differ_show_how_much_clusters_differ():
    frame, cluster = grades(7)
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=200, seed=1)
    assert "clusters_hardly_differ" not in [
        note.code for note in notes_in(br.credible_ranking(posterior))
    ]


def test_cases_without_clusters_keep_the_interval_of_their_draws():
    right, _ = errors_in(1, 4)
    posterior = br.fit(br.from_outcomes(pd.DataFrame({"a": right})), draws=200, seed=1)
    found = br.score_table(posterior, ["mean_outcome"]).isel(score=0, entity=0)
    assert found["lower"] == pytest.approx(np.quantile(draws_of(posterior), 0.025), rel=1e-12)


def factor_of(number, prob=0.95):
    """Return how many times wider than that of the draws the interval of equal clusters is."""
    tail = (1 + prob) / 2
    return (
        np.sqrt((number + 1) / (number - 1)) * stats.t.ppf(tail, number - 1) / stats.norm.ppf(tail)
    )


def widths(values):
    """Return the widths of the draws' intervals."""
    low, high = (values.quantile(share, ("chain", "draw")) for share in (0.025, 0.975))
    return (high - low).transpose("entity", ...).values


def predictions(clusters, cases=6, seed=4):
    """Return labels, predicted probabilities and clusters; each cluster has cases of both classes."""
    rng = np.random.default_rng(seed)
    truth = np.tile(np.arange(cases) % 2, clusters)
    logit = rng.normal(0, 1, (len(truth), 2)) + truth[:, None]
    return (
        truth,
        dict(zip("ab", (1 / (1 + np.exp(-logit))).T, strict=True)),
        np.arange(len(truth)) // cases,
    )


@pytest.mark.parametrize("score", ["brier", "auc_roc", "auc_gain"])
def test_areas_and_losses_allow_for_few_clusters(score):
    truth, probabilities, cluster = predictions(7)
    evidence = br.from_probabilities(truth, probabilities, cluster=cluster)
    posterior = br.fit(evidence, draws=300, seed=1)
    drawn = posterior["posterior"][score]
    expected = factor_of(7) * widths(drawn)
    ranking = br.credible_ranking(posterior, score)
    for found in (ranking, br.score_table(posterior, [score]).isel(score=0)):
        np.testing.assert_allclose(found["upper"] - found["lower"], expected, rtol=1e-9)
    row = int(np.flatnonzero(ranking["difference"].values != 0)[0])
    wide = float(ranking["difference_upper"][row] - ranking["difference_lower"][row])
    difference = drawn - drawn.isel(entity=1 - row, drop=True)
    assert wide == pytest.approx(factor_of(7) * widths(difference)[row], rel=1e-9)


def test_areas_have_the_clusters_of_the_class_with_fewer():
    truth, probabilities, cluster = predictions(9)
    truth = np.where(cluster < 6, truth, 0)  # positive cases are in six clusters
    evidence = br.from_probabilities(truth, probabilities, cluster=cluster)
    posterior = br.fit(evidence, draws=300, seed=1)
    for score, number in (("auc_roc", 6), ("brier", 9)):
        found = br.score_table(posterior, [score]).isel(score=0)
        ratio = (found["upper"] - found["lower"]).values / widths(posterior["posterior"][score])
        np.testing.assert_allclose(ratio, factor_of(number), rtol=1e-9)


def test_areas_of_data_sets_have_their_own_clusters():
    truth, probabilities, cluster = predictions(15)
    dataset = np.where(cluster < 9, "x", "y")
    evidence = br.from_probabilities(truth, probabilities, cluster=cluster, dataset=dataset)
    posterior = br.fit(evidence, draws=300, seed=1)
    drawn = widths(posterior["posterior"]["auc_roc"])
    found = br.score_table(posterior, ["auc_roc"]).isel(score=0).transpose("entity", ...)
    ratio = (found["upper"] - found["lower"]).values / drawn
    np.testing.assert_allclose(ratio, [[factor_of(9), factor_of(6)]] * 2, rtol=1e-9)


def test_predictions_without_clusters_keep_the_interval_of_their_draws():
    truth, probabilities, _ = predictions(7)
    posterior = br.fit(br.from_probabilities(truth, probabilities), draws=300, seed=1)
    found = br.score_table(posterior, ["brier"]).isel(score=0)
    drawn = widths(posterior["posterior"]["brier"])
    np.testing.assert_allclose(found["upper"] - found["lower"], drawn, rtol=1e-9)


def test_judged_outcomes_allow_for_few_clusters_of_labels():
    rng = np.random.default_rng(5)
    cluster = np.repeat(np.arange(9), 8)
    right = np.where(np.arange(72) % 4 < 2, 1, 0)  # each cluster has wrong labels
    known = (np.arange(72) % 8 < 4) & (cluster < 7)  # seven clusters have labels, four each
    frame = pd.DataFrame(
        {
            "judge": np.where(rng.random(72) < 0.8, right, 1 - right),
            "human": np.where(known, right, np.nan),
            "cluster": cluster,
        }
    )
    judged = br.from_judged(frame, judge="judge", truth="human", cluster="cluster")
    posterior = br.fit(judged, draws=300, seed=1)
    found = br.score_table(posterior, ["mean_outcome"]).isel(score=0)
    drawn = widths(posterior["posterior"]["mean_outcome"])
    np.testing.assert_allclose(found["upper"] - found["lower"], factor_of(7) * drawn, rtol=1e-9)
    # Without a wrong answer among the labels, they show no more than seven cases would.
    frame["human"] = np.where(known, 1, np.nan)
    judged = br.from_judged(frame, judge="judge", truth="human", cluster="cluster")
    found = br.score_table(br.fit(judged, draws=300, seed=1), ["mean_outcome"]).isel(score=0)
    assert found["lower"].item() <= stats.beta.ppf(0.025, 7.5, 0.5) + 1e-9


def test_mean_costs_allow_for_few_clusters():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "entity": np.repeat(["a", "b"], 42),
            "case": np.tile(np.arange(42), 2),
            "outcome": rng.integers(0, 2, 84),
            "usd": rng.uniform(1, 2, 84),
            "cluster": np.tile(np.arange(42) // 6, 2),
        }
    )
    for evidence, factor in (
        (br.from_frame(frame, cost="usd"), factor_of(7)),
        (br.from_frame(frame.drop(columns="cluster"), cost="usd"), 1.0),
    ):
        posterior = br.fit(evidence, draws=300, seed=1)
        front = br.decisions.pareto_front(posterior)
        drawn = widths(posterior["posterior"]["mean_cost"])
        np.testing.assert_allclose(front["cost_upper"] - front["cost_lower"], factor * drawn)


def test_scores_of_attempts_are_spread_once():
    """Draws of pass@k allow for few clusters by themselves, so that intervals must not do so again."""
    rng = np.random.default_rng(2)
    case, run = np.repeat(np.arange(60), 4), np.tile(np.arange(4), 60)
    rates = rng.beta(2, 2, 10)[case // 6]
    frame = pd.DataFrame({"case": case, "run": run, "a": (rng.random(240) < rates) * 1})
    evidence = br.from_outcomes(frame, case="case", run="run", cluster=case // 6)
    posterior = br.fit(evidence, draws=300, seed=1)
    score = br.scores.pass_at_k(2)
    ranking = br.credible_ranking(posterior, score)
    values = score(posterior)
    ends = [values.quantile(share, ("chain", "draw")).item() for share in (0.025, 0.975)]
    assert [ranking["lower"].item(), ranking["upper"].item()] == pytest.approx(ends, rel=1e-9)


@pytest.mark.parametrize(("lead", "clusters"), [(0.5, 5), (1.1, 5), (1.0, 12), (0.4, 40)])
def test_probabilities_are_those_of_the_t_distribution_of_clusters(lead, clusters):
    off = np.linspace(-1, 1, clusters)
    means = pd.DataFrame({"a": 5 + off, "b": 5 - 2 * lead * stats.sem(off)})
    posterior = br.fit(br.from_outcomes(means, cluster=np.arange(clusters)), draws=5000, seed=1)
    t = (means["a"] - means["b"]).mean() / stats.sem(means["a"] - means["b"])
    expected = stats.t.cdf(t, clusters - 1)
    ranking = br.credible_ranking(posterior)
    found = ranking["probability_best"].sel(entity="a").item()
    # 20,000 draws have an error of 0.003; draws of five clusters are not quite normal.
    assert found == pytest.approx(expected, abs=4 * 0.0035 + 0.03 / clusters)
    plain = draws_of(posterior).sel(entity="a") > draws_of(posterior).sel(entity="b")
    assert clusters > 12 or abs(plain.mean().item() - expected) > 0.015


def test_all_probabilities_are_of_the_same_draws():
    frame, cluster = grades(6)
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), draws=500, seed=1)
    ranking = br.credible_ranking(posterior, prob=0.8)
    first = ranking["probability_best"].sel(entity="a").item()
    assert br.probability(posterior, "a > b")["probability"] == pytest.approx(first, abs=1e-12)
    assert br.top_set(posterior, None, 1)["probability_top"].sel(entity="a") == pytest.approx(first)
    drawn = br.rank_draws(posterior)["posterior"]
    assert drawn["best"].sel(entity="a").mean() == pytest.approx(first, abs=1e-12)
    np.testing.assert_allclose(
        br.rank(posterior).mean(("chain", "draw")), ranking["expected_rank"], rtol=1e-12
    )
    outcomes = frame.to_numpy()
    values = drawn["mean_outcome"]
    assert outcomes.min() <= values.min()
    assert values.max() <= outcomes.max()


def test_draws_beyond_an_end_are_not_tied():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame((rng.random((60, 2)) < [0.99, 0.95]) * 1, columns=["a", "b"])
    posterior = br.fit(br.from_outcomes(frame, cluster=np.repeat(range(6), 10)), seed=1)
    both = sum(br.probability(posterior, text)["probability"] for text in ("a > b", "b > a"))
    assert both == pytest.approx(1, abs=1e-12)
    values = br.rank_draws(posterior)["posterior"]["mean_outcome"]
    assert (values == 1).any()
    assert values.max() <= 1
    # Of one cluster, any value is possible, and the loss is within the range.
    one = br.fit(br.from_outcomes(frame, cluster=[0] * 60), seed=1)
    ranking = br.credible_ranking(one)
    assert (ranking["expected_regret"] < 0.6).all()
    assert ranking["probability_best"].sum() == pytest.approx(1)


def test_a_tile_has_the_probabilities_of_its_scores_in_few_clusters():
    rng = np.random.default_rng(0)
    truth, cluster = rng.integers(0, 2, 160), np.repeat(np.arange(8), 20)
    right = rng.random((2, 160)) < (0.75 + rng.normal(0, 0.1, (2, 8)))[:, cluster]
    guesses = {name: np.where(own, truth, 1 - truth) for name, own in zip("ab", right, strict=True)}
    posterior = br.fit(br.joint_outcomes(truth, guesses, cluster=cluster, positive=1), seed=1)
    tile = br.tile.credible(posterior, 3, maps=())["probability_best"]
    for score, a, b in (("accuracy", 0.5, 0.5), ("f1", 1.0, 0.5)):
        best = br.credible_ranking(posterior, score)["probability_best"]
        place = tile.sel(a=a, b=b).transpose("entity")
        np.testing.assert_allclose(place, best, atol=0.01)
    outcomes = br.fit(br.from_outcomes(*answers(0.7, 8, 5)[:1], cluster=np.repeat(range(8), 5)))
    with pytest.raises(br.ArgumentError, match="outcomes have no classes"):
        br.tile.credible(outcomes, 3)
    assert abs((br.scores.accuracy(posterior).diff("entity") > 0).mean() - best[1]) > 0.02


def test_one_attempt_and_the_mean_have_the_same_probability_of_being_best_in_few_clusters():
    rng = np.random.default_rng(4)
    case, run = np.divmod(np.arange(240), 4)
    rate = rng.beta(1, 1, (60, 2)) * 0.4 + np.array([0.3, 0.3])
    frame = pd.DataFrame((rng.random((240, 2)) < rate[case]) * 1, columns=["a", "b"])
    evidence = br.from_outcomes(frame.assign(case=case, run=run), case="case", run="run", cluster=case % 8)  # fmt: skip
    posterior = br.fit(evidence, seed=1)
    found = [
        br.credible_ranking(posterior, score)["probability_best"].sel(entity="b").item()
        for score in ("mean_outcome", "pass@1")
    ]
    assert 0.7 < found[0] < 0.97
    assert found[0] == pytest.approx(found[1], abs=4 * np.sqrt(2 * 0.9 * 0.1 / 4000) + 0.01)


def test_ratios_without_an_upper_end_are_spread_as_their_logarithms():
    rng = np.random.default_rng(0)
    truth, cluster = rng.integers(0, 2, 80), np.repeat(np.arange(8), 10)
    guesses = {
        name: np.where(rng.random(80) < rate, truth, 1 - truth)
        for name, rate in (("a", 0.97), ("b", 0.9))
    }
    guesses["b"] = np.where(cluster < 3, guesses["a"], guesses["b"])
    posterior = br.fit(br.joint_outcomes(truth, guesses, cluster=cluster, positive=1), seed=1)
    drawn = br.rank_draws(posterior, "dor")["posterior"]

    def distances(values):
        """Return distances of logarithms of the best entity and of the difference of the other from the median."""
        log = np.log(values)
        both = log.sel(entity="a"), log.sel(entity="b") - log.sel(entity="a")
        return np.stack([(each - each.median(("chain", "draw"))).values.ravel() for each in both])

    plain = distances(br.scores.get("dor")(posterior))
    ratio = distances(drawn["diagnostic_odds_ratio"])[:, np.abs(plain).min(axis=0) > 1e-9]
    ratio = ratio / plain[:, np.abs(plain).min(axis=0) > 1e-9]
    assert len(np.unique(cluster[guesses["a"] != guesses["b"]])) == 5
    for own, freedom in zip(ratio, (7, 4), strict=True):
        square = 9 / 7 * freedom / stats.chi2.ppf([0.25, 0.5, 0.75], freedom)
        np.testing.assert_allclose(np.quantile(own**2, [0.75, 0.5, 0.25]), square, rtol=0.1)
    best = br.credible_ranking(posterior, "dor")["probability_best"]
    assert best.sel(entity="a").item() > 0.9
    assert drawn["best"].sel(entity="a").mean() == pytest.approx(best.sel(entity="a").item())


@pytest.mark.parametrize("lead", [-1.0, 1.0])
def test_a_difference_has_the_fewer_degrees_of_freedom_and_the_larger_factor(lead):
    values = np.random.default_rng(0).normal([0.0, lead], 0.1, (4000, 2))
    values = xr.DataArray(values, dims=("draw", "entity"))
    of_entities = (xr.DataArray(each, dims="entity") for each in ([4.0, 9.0], [1.2, 1.5]))
    units = Units(*of_entities, xr.full_like(values[:2].rename(draw="rival"), np.inf))
    far = units.spread_differences(values, (-np.inf, np.inf), 1)
    off, wide = (each.diff("entity") - each.diff("entity").median() for each in (values, far))
    square = np.quantile((wide / off) ** 2, [0.75, 0.5, 0.25])
    expected = 1.5**2 * 4 / stats.chi2.ppf([0.25, 0.5, 0.75], 4)
    np.testing.assert_allclose(square, expected, rtol=1e-3)


@pytest.mark.parametrize(
    ("differ", "best"), [(1, (0.5, 0.9)), (2, (0.75, 0.96)), (4, (0.9, 0.985))]
)
def test_a_pair_that_differs_in_few_clusters_is_no_sure_winner(differ, best):
    """Of d clusters, all in favour of one, the sign-flip test has a one-sided mid-p value of 2^-(d + 1)."""
    rng = np.random.default_rng(3)
    cluster, right = np.repeat(np.arange(60), 10), (rng.random(600) < 0.7) * 1
    behind, apart = right.copy(), np.isin(cluster, np.arange(differ))
    behind[apart & (rng.random(600) < 0.5)] = 0
    frame = pd.DataFrame({"a": np.where(apart, 1, right), "b": behind, "far": 1 - right})
    posterior = br.fit(br.from_outcomes(frame, cluster=cluster), seed=1)
    ranking = br.credible_ranking(posterior)["probability_best"]
    plain = draws_of(posterior).sel(entity="a") > draws_of(posterior).sel(entity="b")
    assert plain.mean() > 0.96
    assert best[0] < ranking.sel(entity="a").item() < best[1]
    # An entity that is far from both is as sure to be last.
    assert ranking.sel(entity="far").item() < 0.002
