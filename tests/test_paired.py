"""The paired model: the marginals of the unpaired one, and the dependence that the cases tell."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.models.parts import dirichlet_process as _dirichlet_process
from bayesrank.models.parts.priors import of_shape
from tests.strategies import LEVEL, assert_beta_marginals
from tests.told import codes_in, fields_of

RNG = np.random.default_rng(7)
TRUTH = np.repeat([0, 1], [80, 40])
EASY = RNG.random(120)
#: b errs where a does, and on some more cases; c on others.
GUESSES = {
    "a": np.where(EASY < 0.15, 1 - TRUTH, TRUTH),
    "b": np.where((EASY < 0.12) | (EASY > 0.97), 1 - TRUTH, TRUTH),
    "c": np.where((EASY > 0.5) & (EASY < 0.7), 1 - TRUTH, TRUTH),
}
JOINT = br.joint_outcomes(TRUTH, GUESSES)
FOUR = np.arange(120) % 4
FOUR_GUESSES = {"a": np.where(EASY < 0.3, 0, FOUR), "b": np.where(EASY < 0.5, (FOUR + 1) % 4, FOUR)}


def values(posterior, score, entity):
    return br.scores.get(score)(posterior).sel(entity=entity).values.ravel()


# --- Marginals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", ["four_cases", 30.0, 0.01, "haldane"])
def test_marginals_of_two_classes_are_those_of_the_unpaired_model(prior):
    alpha = {"four_cases": 1.0, "haldane": 0.0}.get(prior, prior)
    posterior = br.fit(JOINT, "paired", prior=prior, seed=3)
    counts = br.from_predictions(TRUTH, GUESSES)
    xr.testing.assert_equal(
        groups_of(posterior)["observed_data"]["counts"].drop_vars("test_set"), counts
    )
    for entity in GUESSES:
        assert_beta_marginals(posterior, entity, counts.sel(entity=entity).values + alpha)


def test_marginals_of_four_classes():
    posterior = br.fit(br.joint_outcomes(FOUR, FOUR_GUESSES), "paired", seed=3)
    performance = br.as_performance(posterior)
    for entity in FOUR_GUESSES:
        table = br.from_predictions(FOUR, FOUR_GUESSES).sel(entity=entity).values + of_shape(
            "one_case", (4, 4)
        )
        drawn = performance.sel(entity=entity).values.reshape(-1, 4, 4)
        for i in range(4):
            rows, columns = drawn[:, i].sum(-1), drawn[:, :, i].sum(-1)
            row, column = table[i].sum(), table[:, i].sum()
            assert stats.kstest(rows, stats.beta(row, table.sum() - row).cdf).pvalue > LEVEL
            assert (
                stats.kstest(columns, stats.beta(column, table.sum() - column).cdf).pvalue > LEVEL
            )
            for j in range(4):
                cell = stats.beta(table[i, j], row - table[i, j])
                assert stats.kstest(drawn[:, i, j] / rows, cell.cdf).pvalue > LEVEL, (entity, i, j)
        right = np.trace(table)
        accuracy = values(posterior, "accuracy", entity)
        assert stats.kstest(accuracy, stats.beta(right, table.sum() - right).cdf).pvalue > LEVEL


def test_priors_of_their_own_share_the_row_totals():
    own = {"a": [[3.0, 1.0], [2.0, 2.0]], "b": [[2.0, 2.0], [3.0, 1.0]], "c": 2}
    posterior = br.fit(JOINT, "paired", prior=own, seed=3)
    counts = br.from_predictions(TRUTH, GUESSES)
    for entity, alpha in own.items():
        assert_beta_marginals(
            posterior, entity, counts.sel(entity=entity).values + np.asarray(alpha)
        )


def test_the_prior_is_the_unpaired_models():
    prior = groups_of(br.fit(JOINT, "paired", prior=2, seed=1, groups=["prior"]))["prior"]
    assert_beta_marginals(prior, "b", np.full((2, 2), 2.0))


def test_a_class_without_cases_keeps_its_rates():
    joint = br.joint_outcomes([0] * 20, {"a": [0] * 20, "b": [0] * 19 + [1]}, labels=[0, 1])
    posterior = br.fit(joint, "paired", prior=0.02, seed=1)
    tpr = values(posterior, "tpr", "a")
    # Next to 1 a double has no room for this distribution; next to 0 it has.
    assert (
        stats.kstest(tpr[tpr < 0.5], lambda x: stats.beta(0.02, 0.02).cdf(x) / 0.5).pvalue > LEVEL
    )
    assert abs((tpr < 0.5).mean() - 0.5) < 5 * 0.5 / np.sqrt(tpr.size)


def test_a_class_may_have_no_prior():
    posterior = br.fit(JOINT, "paired", prior=[[0, 0], [1, 3]], seed=1)
    counts = br.from_predictions(TRUTH, GUESSES).sel(entity="c")
    assert_beta_marginals(posterior, "c", counts.values + np.array([[0, 0], [1, 3]]))
    empty = br.joint_outcomes([0, 0, 0], {"a": [0, 1, 0]}, labels=[0, 1])
    assert np.isnan(
        values(br.fit(empty, "paired", prior="haldane", force=True, seed=1), "tpr", "a")
    ).all()


@pytest.mark.parametrize("sticks", [1, 1000])
def test_a_cut_stick_leaves_marginals_and_covariances(sticks, monkeypatch):
    """Of a strong prior: Cov of accuracies is that of the class's mean accuracies under H, over c + 1."""
    monkeypatch.setattr(_dirichlet_process, "STICKS", sticks)
    prior = {
        "a": [[3.0, 1.0], [1.0, 1.0]],
        "b": [[1.0, 3.0], [0.2, 1.8]],
        "c": [[3.0, 1.0], [1.0, 1.0]],
    }
    drawn = groups_of(br.fit(JOINT, "paired", prior=prior, seed=1, draws=5000, groups=["prior"]))[
        "prior"
    ]
    a, b, c = (values(drawn, "accuracy", entity) for entity in "abc")
    assert stats.kstest(a, stats.beta(4, 2).cdf).pvalue > LEVEL
    # Class 0 has 2/3: accuracies 3/4 and 1/2 of a and of c, 1/4 and 9/10 of b.
    for other, apart in ((b, 1 / 4 - 9 / 10), (c, 3 / 4 - 1 / 2)):
        covariance = 2 / 9 * (3 / 4 - 1 / 2) * apart / 7
        error = a.std() * other.std() / np.sqrt(a.size)
        assert abs(np.cov(a, other)[0, 1] - covariance) < 5 * error < abs(covariance)


# --- Dependence ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("prior", "alpha"), [("four_cases", 1.0), (3.0, 3.0), ("haldane", 0.0)])
def test_differences_have_their_closed_form_and_are_narrower_than_unpaired(prior, alpha):
    """Var G(f) = Var_base(f) / (c + N + 1) for a Dirichlet process whose base mixes the prior with the cases.

    Haldane's prior makes it the Bayesian bootstrap.
    """
    c, n = 4 * alpha, TRUTH.size
    right = {name: (guess == TRUTH).astype(float) for name, guess in GUESSES.items()}
    options = {"prior": prior, "seed": 5, "draws": 2500}
    paired = br.scores.accuracy(br.fit(JOINT, "paired", **options))
    apart = br.scores.accuracy(br.fit(br.from_predictions(TRUTH, GUESSES), **options))
    for a, b in (("a", "b"), ("a", "c")):
        d = right[a] - right[b]
        # A priori half of all answers are right, independently: d is -1, 0, 1 with 1/4, 1/2, 1/4.
        mean, square = d.sum() / (c + n), ((d**2).sum() + c / 2) / (c + n)
        variance = (square - mean**2) / (c + n + 1)
        drawn = (paired.sel(entity=a) - paired.sel(entity=b)).values.ravel()
        assert abs(drawn.mean() - mean) < 5 * np.sqrt(variance / drawn.size)
        assert abs(drawn.var() / variance - 1) < 5 * np.sqrt(2 / drawn.size)
        if (a, b) == ("a", "b"):
            assert drawn.std() < 0.7 * float((apart.sel(entity=a) - apart.sel(entity=b)).std())


def test_discordant_pairs_decide():
    """McNemar: with Haldane, P(a beats b) is P(Beta(a alone right, b alone right) > 1/2), whatever they agree on."""
    for agree in (10, 1000):
        truth = [0, 1] * (agree // 2) + [1] * 20
        guesses = {"a": truth[:agree] + [1] * 14 + [0] * 6, "b": truth[:agree] + [0] * 14 + [1] * 6}
        posterior = br.fit(
            br.joint_outcomes(truth, guesses), "paired", prior="haldane", force=True, seed=2
        )
        ranking = br.credible_ranking(posterior, "accuracy")
        wanted = stats.beta(14, 6).sf(0.5)
        found = float(ranking["superiority"].sel(entity="a", rival="b"))
        assert abs(found - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / 4000)


def test_entities_that_answer_the_same_differ_by_the_prior_alone():
    twins = br.joint_outcomes(TRUTH, {"a": GUESSES["a"], "b": GUESSES["a"]})
    tpr = br.scores.tpr(br.fit(twins, "paired", prior="haldane", seed=1))
    np.testing.assert_allclose(tpr.sel(entity="a"), tpr.sel(entity="b"), rtol=1e-12)


def test_positives_and_negatives_by_design():
    """One process a class: rows Dirichlet, independent of each other; the variance of a difference of TPRs is exact."""
    posterior = br.fit(JOINT, "paired", prevalence="observed", seed=3, draws=2500)
    performance = br.as_performance(posterior)
    np.testing.assert_allclose(performance.sum("predicted").sel(actual=1), 1 / 3)
    counts = br.from_predictions(TRUTH, GUESSES)
    for entity in GUESSES:
        (tn, fp), (fn, tp) = counts.sel(entity=entity).values + 0.5
        tpr, tnr = values(posterior, "tpr", entity), values(posterior, "tnr", entity)
        assert stats.kstest(tpr, stats.beta(tp, fn).cdf).pvalue > LEVEL
        assert stats.kstest(tnr, stats.beta(tn, fp).cdf).pvalue > LEVEL
        assert abs(np.corrcoef(tpr, tnr)[0, 1]) < 5 / np.sqrt(tpr.size)
    d = (GUESSES["a"].astype(float) - GUESSES["b"])[TRUTH == 1]
    mean, square = d.sum() / 41, ((d**2).sum() + 0.5) / 41  # 40 cases and one of the prior
    drawn = values(posterior, "tpr", "a") - values(posterior, "tpr", "b")
    assert abs(drawn.var() / ((square - mean**2) / 42) - 1) < 5 * np.sqrt(2 / drawn.size)
    given = br.fit(JOINT, "paired", prevalence=0.05, seed=3, draws=2500)
    np.testing.assert_allclose(br.as_performance(given).sum("predicted").sel(actual=1), 0.05)
    np.testing.assert_allclose(values(given, "tpr", "a"), values(posterior, "tpr", "a"), rtol=1e-9)
    # A class of no share keeps its rates.
    none = groups_of(br.fit(JOINT, "paired", prevalence=0.0, seed=3))["posterior"]
    assert (none["rate"].sum("predicted") > 0.999).all()
    assert (none["performance"].sel(actual=1) == 0).all()


# --- Order, names, data sets --------------------------------------------------------------------------------------


def test_patterns_may_stand_more_than_once():
    single = br.joint_outcomes(TRUTH, GUESSES, cluster=range(120)).drop_vars(
        "cluster"
    )  # patterns more than once
    xr.testing.assert_equal(
        *(br.as_performance(br.fit(joint, "paired", seed=9)) for joint in (single, JOINT))
    )


def test_runs_are_not_coupled_and_know_no_other_entity():
    more = br.joint_outcomes([*TRUTH, 1], {name: [*guess, 1] for name, guess in GUESSES.items()})
    coupled = np.corrcoef(
        *(values(br.fit(joint, "paired", seed=1), "tpr", "a") for joint in (JOINT, more))
    )[0, 1]
    assert abs(coupled) < 5 / np.sqrt(4000)
    alone = br.fit(JOINT.isel(entity=[0]), "paired", seed=1)
    assert (
        stats.ks_2samp(
            values(alone, "mcc", "a"), values(br.fit(JOINT, "paired", seed=1), "mcc", "a")
        ).pvalue
        > LEVEL
    )


def test_data_sets_are_apart():
    where = np.where(np.arange(120) % 3 == 0, "north", "south")
    joint = br.joint_outcomes(TRUTH, GUESSES, dataset=where)
    posterior = br.fit(joint, "paired", seed=1)
    assert br.as_performance(posterior).dims == (
        "chain",
        "draw",
        "entity",
        "dataset",
        "actual",
        "predicted",
    )
    counts = br.from_predictions(TRUTH, GUESSES, dataset=where)
    for dataset in ("north", "south"):
        part = br.as_performance(posterior).sel(dataset=dataset)
        assert_beta_marginals(part, "a", counts.sel(entity="a", dataset=dataset).values + 0.5)
    twice = br.joint_outcomes(
        [*TRUTH, *TRUTH], {"a": [*GUESSES["a"]] * 2}, dataset=["x"] * 120 + ["y"] * 120
    )
    tpr = br.scores.tpr(br.fit(twice, "paired", seed=1)).isel(entity=0)
    assert abs(np.corrcoef(*(tpr.sel(dataset=d).values.ravel() for d in "xy"))[0, 1]) < 5 / np.sqrt(
        4000
    )


# --- Outcomes without classes -------------------------------------------------------------------------------------

GRADES = pd.DataFrame({"x": RNG.integers(1, 6, 90), "y": RNG.integers(1, 6, 90)}).assign(
    z=lambda f: (f.x + f.y) // 2
)
COSTS = pd.DataFrame(RNG.gamma(2, size=(60, 2)), columns=["x", "y"]).assign(
    z=lambda f: f.x + 0.1 * f.y
)


@pytest.mark.parametrize("frame", [GRADES, COSTS])
def test_numbers_are_bootstrapped(frame):
    """Mean v-bar and variance sum (v - v-bar)² / n / (n + 1), of values and of differences."""
    posterior = groups_of(br.fit(br.from_outcomes(frame), "paired", seed=1, draws=2500))[
        "posterior"
    ]
    assert ("performance" in posterior) == (frame is GRADES)
    mean, n = posterior["mean_outcome"], len(frame)
    for v, drawn in (
        (frame["x"], mean.sel(entity="x")),
        (frame["z"] - frame["x"], mean.sel(entity="z") - mean.sel(entity="x")),
    ):
        variance = ((v - v.mean()) ** 2).sum() / n / (n + 1)
        assert abs(float(drawn.mean()) - v.mean()) < 5 * np.sqrt(variance / drawn.size)
        # The fourth moment of a weighted mean of gammas is within a twentieth of the normal one.
        assert abs(float(drawn.var()) / variance - 1) < 5 * np.sqrt(2.1 / drawn.size)


def test_outcomes_are_ranked():
    posterior = br.fit(br.from_outcomes(GRADES), "paired", seed=1)
    ranking = br.credible_ranking(posterior, "mean_outcome")
    np.testing.assert_allclose(ranking["observed"], GRADES.mean())
    assert "few_units_without_prior" not in codes_in(ranking)
    few = br.credible_ranking(
        br.fit(br.from_outcomes(GRADES[:30]), "paired", seed=1), "mean_outcome"
    )
    fields = {"units": 30, "unit": "case", "one_class": False, "one_dataset": False, "enough": 50}
    assert fields_of(few, "few_units_without_prior") == fields
    grade = posterior["posterior"]["outcome"]
    passed = br.ranking_score(
        posterior, xr.ones_like(grade, dtype=float), (grade >= 3).astype(float)
    )
    np.testing.assert_allclose(
        passed, br.as_performance(posterior).sel(outcome=[3, 4, 5]).sum("outcome")
    )


def test_outcomes_of_data_sets():
    frame = GRADES.assign(where=["n", "s", "s"] * 30, times=2)
    posterior = br.fit(br.from_outcomes(frame, dataset="where", count="times"), "paired", seed=1)
    observed = groups_of(posterior)["observed_data"]["mean_outcome"]
    assert observed.dims == ("entity", "dataset")
    np.testing.assert_allclose(observed.sel(dataset="s"), GRADES[frame["where"] == "s"].mean())
    drawn = posterior["posterior"]["mean_outcome"].sel(entity="x", dataset="n")
    v = GRADES["x"][frame["where"] == "n"]
    error = float(drawn.std()) / np.sqrt(4000)
    assert abs(float(drawn.mean()) - v.mean()) < 5 * error


# --- Clusters -----------------------------------------------------------------------------------------------------

#: Forty questions of one to five cases, on some of which a is right throughout.
QUESTION = np.repeat(np.arange(40), np.arange(40) % 5 + 1)
EASE = RNG.random(40)[QUESTION]
TRUE = RNG.integers(0, 2, 120)
ANSWERS = {
    "a": np.where(EASE < 0.7, TRUE, 1 - TRUE),
    "b": np.where(RNG.random(120) < EASE, TRUE, 1 - TRUE),
}


def weighed(prior, by_case):
    """Draws of the accuracy and the TPR of a, by weights of the questions: the definition, word by word."""
    rng, tables = np.random.default_rng(3), []
    size = np.bincount(QUESTION)
    for q in range(40):
        here = q == QUESTION
        table = np.histogram2d(TRUE[here], ANSWERS["a"][here], bins=2, range=[[0, 1], [0, 1]])[0]
        tables.append(table if by_case else table / size[q] * size.mean())
    total = np.einsum("dq,qij->dij", rng.standard_exponential((4000, 40)), np.stack(tables))
    total += rng.standard_gamma(prior, total.shape) if prior else 0
    return {
        "accuracy": (total[:, 0, 0] + total[:, 1, 1]) / total.sum((1, 2)),
        "tpr": total[:, 1, 1] / total[:, 1].sum(-1),
        "prevalence": total[:, 1].sum(-1) / total.sum((1, 2)),
    }


@pytest.mark.parametrize("prior", [0.0, 1.0])
@pytest.mark.parametrize("target", ["case", "cluster"])
def test_clusters_against_weights_by_hand(prior, target):
    joint = br.joint_outcomes(TRUE, ANSWERS, cluster=QUESTION)
    posterior = br.fit(joint, "paired", prior=prior, target=target, seed=1)
    for score, wanted in weighed(prior, target == "case").items():
        assert stats.ks_2samp(values(posterior, score, "a"), wanted).pvalue > LEVEL, score
    share = br.as_performance(posterior).sum("predicted")
    np.testing.assert_allclose(share.sel(entity="a"), share.sel(entity="b"))
    known = br.fit(joint, "paired", prior=prior, target=target, seed=1, prevalence="observed")
    np.testing.assert_allclose(values(known, "tpr", "a"), values(posterior, "tpr", "a"))


def test_means_of_clusters_are_bootstrapped():
    """Each question counts once: v are their means, with the closed form of the bootstrap."""
    frame = pd.DataFrame({name: (guess == TRUE).astype(int) for name, guess in ANSWERS.items()})
    outcomes = br.from_outcomes(frame.assign(question=QUESTION), cluster="question")
    posterior = br.fit(outcomes, "paired", prior="haldane", target="cluster", seed=1, draws=2500)
    v = frame.groupby(QUESTION).mean()
    np.testing.assert_allclose(groups_of(posterior)["observed_data"]["mean_outcome"], v.mean())
    mean = posterior["posterior"]["mean_outcome"]
    for d, drawn in (
        (v["a"], mean.sel(entity="a")),
        (v["a"] - v["b"], mean.sel(entity="a") - mean.sel(entity="b")),
    ):
        variance = ((d - d.mean()) ** 2).sum() / 40 / 41
        assert abs(float(drawn.mean()) - d.mean()) < 5 * np.sqrt(variance / drawn.size)
        assert abs(float(drawn.var()) / variance - 1) < 5 * np.sqrt(2.1 / drawn.size)
    few = fields_of(br.credible_ranking(posterior, "mean_outcome"), "few_clusters")
    assert few["units"] == 40


@pytest.mark.parametrize("target", ["case", "cluster"])
def test_clusters_of_one_case_are_cases(target):
    joint = br.joint_outcomes(TRUTH, GUESSES, cluster=[f"patient {i}" for i in range(120)])
    one, two = br.fit(JOINT, "paired", seed=1), br.fit(joint, "paired", target=target, seed=1)
    xr.testing.assert_allclose(br.as_performance(two), br.as_performance(one), rtol=1e-12)
    one = br.fit(br.from_outcomes(COSTS), "paired", seed=1)["posterior"]["mean_outcome"]
    two = br.fit(br.from_outcomes(COSTS, cluster=range(60)), "paired", target=target, seed=1)
    xr.testing.assert_allclose(two["posterior"]["mean_outcome"], one, rtol=1e-12)


def test_counts_are_observed_of_cases_only():
    joint = br.joint_outcomes(TRUE, ANSWERS, cluster=QUESTION)
    by_case = br.credible_ranking(br.fit(joint, "paired", seed=1), "accuracy")
    np.testing.assert_allclose(by_case["observed"].sel(entity="a"), (ANSWERS["a"] == TRUE).mean())
    assert (
        br.credible_ranking(br.fit(joint, "paired", target="cluster", seed=1), "accuracy")[
            "observed"
        ]
        .isnull()
        .all()
    )


# --- What comes after ---------------------------------------------------------------------------------------------


def test_means_have_the_range_of_their_outcomes():
    """The interval of an observed 1 is closed, and 1 contradicts nothing; within a range there is a regret."""
    answers = pd.DataFrame({"perfect": [1] * 20, "good": [1] * 18 + [0] * 2})
    ranking = br.credible_ranking(
        br.fit(br.from_outcomes(answers), "paired", seed=1), "mean_outcome"
    )
    assert ranking.attrs["range"] == [0.0, 1.0]
    assert (
        float(ranking["upper"].sel(entity="perfect"))
        == 1
        > float(ranking["upper"].sel(entity="good"))
    )
    assert "outside" not in " ".join(br.verdict(ranking))
    assert (ranking["expected_regret"] > 0).all()
    costs = br.credible_ranking(br.fit(br.from_outcomes(COSTS), "paired", seed=1), "mean_outcome")
    assert costs.attrs["range"] == [COSTS.min().min(), COSTS.max().max()]


def test_many_patterns_have_weights_of_their_own():
    """A thousand patterns share a stream; were it one for all, a wave of that length would vary twice as much."""
    frame = pd.DataFrame(
        {"order": np.arange(2000) / 2, "wave": np.sin(np.arange(2000) * 2 * np.pi / 1000)}
    )
    mean = br.fit(br.from_outcomes(frame), "paired", seed=1)["posterior"]["mean_outcome"].sel(
        entity="wave"
    )
    variance = (frame["wave"] ** 2).sum() / 2000 / 2001
    assert abs(float(mean.var()) / variance - 1) < 5 * np.sqrt(2 / mean.size)


def test_the_prevalence_of_many_data_sets_has_their_names():
    """More than nine: sorted as text, test set 10 would come before test set 2."""
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(12), 200)
    y = (rng.random(2400) < (which + 1) / 14).astype(int)
    joint = br.joint_outcomes(y, {"a": y, "b": y}, dataset=[f"d{i:02d}" for i in which])
    groups = groups_of(br.fit(joint, "paired", seed=1, draws=50))
    share = groups["posterior"]["performance"].sum("predicted")
    names = groups["observed_data"]["counts"]["test_set"]
    told = groups["posterior"]["prevalence"].sel(test_set=names)
    np.testing.assert_allclose(told.transpose(*share.dims), share, rtol=1e-12)


def test_few_cases_of_a_class_are_few_where_each_class_is_a_process():
    y = [0] * 60 + [1] * 3
    joint = br.joint_outcomes(y, {"a": [0] * 60 + [1, 1, 0], "b": [0] * 50 + [1] * 10 + [1, 0, 0]})
    for prior in ("haldane", 1e-9):
        fit = br.fit(
            joint, "paired", prior=prior, force=True, prevalence="observed", seed=1, draws=50
        )
        few = fields_of(br.credible_ranking(fit, "tpr"), "few_units_without_prior")
        assert (few["units"], few["unit"], few["one_class"]) == (3, "case", True)


@pytest.mark.parametrize(
    ("outcomes", "shares"),
    [
        ([0.0, 1.0, 0.1, 0.8, 0.3], True),
        # The runs of one case of eight, of another of three.
        ([0.0, 1.0, 0.1, 0.125, 1 / 3], True),
        ([0.0, 1.0, 0.1, 0.98, 0.3], False),
        # Two ends are no evidence of a range: grades divided by the largest one reach it, too.
        ([0.0, 1.0, 0.11, 0.23, 0.47], False),
        ([0.0, 1.5, 0.5, 1.0, 0.5], False),
    ],
)
def test_fractions_of_at_most_ten_runs_are_shares_of_right_runs(outcomes, shares):
    posterior = br.fit(
        br.from_outcomes(pd.DataFrame({"a": outcomes, "b": outcomes[::-1]})), draws=10, seed=1
    )["posterior"]
    assert (posterior.attrs["prior"] != "haldane") == shares
    # Without runs, the range is that of the outcomes that were seen.
    np.testing.assert_array_equal(posterior.attrs["mean_outcome_range"], [0, max(outcomes)])
