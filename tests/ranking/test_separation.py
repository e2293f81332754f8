"""How many more cases separate two entities, and the learned population behind the difference."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import integrate, stats

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank.ranking.shrinkage import EQUAL, SPREAD, SPREADS, learn_population
from tests.commands import invoke

README = br.from_counts(
    tn=[73, 76, 70], fp=[7, 4, 10], fn=[6, 9, 2], tp=[24, 21, 28], entity=["A", "B", "C"]
)


def fact(ranking):
    [note] = notes_of(ranking.attrs["separation"])
    return note.fields


def test_the_posterior_of_a_population_by_quadrature():
    """Two unequal and one correlated error: means by integrals over the spread and the population mean."""
    rng = np.random.default_rng(1)
    y = np.array([0.1, 0.5, -0.3])
    half = rng.normal(size=(3, 3)) / 4
    errors = half @ half.T + np.diag([0.02, 0.05, 0.03])
    # Outcomes without a range: the unit of the spread is half the standard deviation of a case.
    cases = np.full(3, 50.0)
    found = learn_population(y, errors, (-np.inf, np.inf), cases)
    unit = 0.5 * np.median(np.sqrt(np.diag(errors) * 50))
    width = np.exp(-(SPREADS**2) / 2) * np.gradient(SPREADS)
    prior = np.append(EQUAL, (1 - EQUAL) * width / width.sum())
    m = np.linspace(-8, 8, 4001)
    total, mean = 0.0, np.zeros(3)
    for p, tau in zip(prior, unit * np.append(0, SPREADS), strict=True):
        v = errors + tau**2 * np.eye(3)
        likelihood = stats.multivariate_normal.pdf(y - m[:, None], np.zeros(3), v)
        each = m[:, None] + (tau**2 * np.linalg.solve(v, (y - m[:, None]).T)).T
        total += p * integrate.trapezoid(likelihood, m)
        mean += p * integrate.trapezoid(likelihood[:, None] * each, m, axis=0)
    np.testing.assert_allclose(found.means(), mean / total, atol=1e-6)
    drawn = found.redraw(rng.multivariate_normal(y, errors, 40_000), rng)
    np.testing.assert_allclose(drawn.mean(0), mean / total, atol=0.01)


@pytest.mark.parametrize("ends", [(2.0, np.inf), (-np.inf, -2.0)])
def test_scores_with_one_end_are_learned_on_a_logarithmic_scale(ends):
    """Estimates that hardly err stay; with large errors they move towards each other, inside of the range."""
    distance, side = np.array([1.0, 2.0, 6.0]), 1 if np.isfinite(ends[0]) else -1
    mean = 2.0 * side + side * distance
    np.testing.assert_allclose(
        learn_population(mean, 1e-8 * distance**2, ends).means(), mean, rtol=0.01
    )
    moved = side * (learn_population(mean, distance**2, ends).means() - 2.0 * side)
    assert (moved > 0).all()
    assert np.ptp(np.log(moved)) < np.ptp(np.log(distance)) / 2


def test_a_population_of_rates_is_calibrated_over_its_own_prior():
    """The expected overestimate of the leader is its mean overestimate, over boards from the prior."""
    rng, off = np.random.default_rng(3), []
    density = np.exp(-(SPREADS**2) / 2) * np.gradient(SPREADS)
    spreads, n = SPREAD * np.append(0, SPREADS), 60
    weights = np.append(EQUAL, (1 - EQUAL) * density / density.sum())
    for _ in range(1500):
        truth = (
            np.sin(rng.uniform(0.7, 1.1) + rng.choice(spreads, p=weights) * rng.normal(size=5)) ** 2
        )
        right = rng.binomial(n, truth)
        mean = (right + 2) / (n + 4)
        variance = np.diag(mean * (1 - mean) / (n + 5))
        found = learn_population(
            mean, variance, (0.0, 1.0), np.full(5, n), np.full(5, 4.0), right / n
        )
        first = int(np.argmax(right + 1e-6 * rng.random(5)))
        off.append((mean - found.means())[first] - (mean - truth)[first])
    assert abs(np.mean(off)) < 0.005 + 3 * np.std(off) / np.sqrt(len(off))


def test_two_tables_need_what_the_normal_formula_says():
    """Two entities of one test set at a known difference, without past data to speak of."""
    counts = br.from_counts(tn=[0, 0], fp=[0, 0], fn=[8, 9], tp=[32, 31], entity=["a", "b"])
    posterior = br.fit(counts, "beta_binomial", seed=1)
    ranking = br.credible_ranking(posterior, "recall", rope=0.04)
    needed = fact(ranking)["needed"]
    p = np.array([33, 32]) / 42  # the prior counts as two cases
    c = stats.norm.ppf(1 - (1 - 0.9525) / 2)
    wanted = (p * (1 - p)).sum() * ((c + stats.norm.ppf(0.8)) / 0.04) ** 2
    assert needed == pytest.approx(wanted - 42, rel=0.05)
    half, double = (
        fact(br.credible_ranking(posterior, "recall", rope=rope))["needed"] for rope in (0.03, 0.08)
    )
    assert half > needed > double
    assert (half + 42) / (needed + 42) == pytest.approx(16 / 9, rel=0.05)


@pytest.mark.slow
def test_the_number_holds_in_simulated_futures():
    """Past data are kept; new cases have the assumed difference; the share of rankings that separate is 0.8."""
    posterior = br.fit(README, "beta_binomial", seed=1)
    known = fact(br.credible_ranking(posterior, "informedness", rope=0.1))
    n, rng, table = int(known["needed"]), np.random.default_rng(1), README.values
    rates = (table + 1) / (table + 1).sum(-1, keepdims=True)
    value = rates[:, 0, 0] + rates[:, 1, 1] - 1
    move = (value[2] + value[0]) / 2 + np.array([-0.05, 0, 0.05]) - value
    move[1] = 0
    rates[:, [0, 1], [0, 1]] += move[:, None] / 2
    tn = table[:, 0, 0] + rng.binomial(n * 80 // 110, rates[:, 0, 0], (150, 3))
    tp = table[:, 1, 1] + rng.binomial(n * 30 // 110, rates[:, 1, 1], (150, 3))
    hits = []
    for one, two in zip(tn, tp, strict=True):
        counts = br.from_counts(
            tn=one, fp=80 + n * 80 // 110 - one, fn=30 + n * 30 // 110 - two, tp=two
        )
        best = br.credible_ranking(
            br.fit(counts, "beta_binomial", seed=1, draws=250), "informedness"
        )["in_best_set"]
        hits.append(bool(best[2] and not best[0]))
    assert abs(np.mean(hits) - 0.8) < 3 * np.sqrt(0.16 / 150)


@pytest.mark.parametrize(
    ("name", "score", "joint", "rope"),
    [("breast_cancer", "mcc", False, 0.0), ("breast_cancer", "mcc", False, 0.05), ("breast_cancer", "mcc", True, 0.0),
     ("langchain_tool_use", None, True, 0.0), ("langchain_tool_use", None, True, 0.05),
     ("antibody_tests", "informedness", False, 0.0)],
)  # fmt: skip
def test_one_number_everywhere(name, score, joint, rope):
    evidence = (br.datasets.load_joint if joint else br.datasets.load)(name)
    posterior = br.fit(evidence, seed=1, draws=100)
    ranking, planned = (
        br.credible_ranking(posterior, score, rope=rope),
        br.plan(posterior, score, rope=rope),
    )
    assert br.verdict(ranking)[2] == br.verdict(planned)[0]
    assert (known := fact(ranking).get("needed")) is None or planned["needed"].item() == known
    if not rope:
        page = br.ranking_report(
            posterior, score, results={"planning": planned}, sections=["planning"]
        )
        said = (
            "truly differ by" if "truly" in br.verdict(planned)[0] else "difference between these 9"
        )
        assert page.count(said) >= 2


def test_the_commands_print_one_number(tmp_path):
    path = tmp_path / "counts.csv"
    pd.DataFrame({"entity": ["A", "B", "C"], "tn": [73, 76, 70], "fp": [7, 4, 10], "fn": [6, 9, 2],
                  "tp": [24, 21, 28]}).to_csv(path, index=False)  # fmt: skip
    each = [
        invoke(name, path, "--score", "informedness", "--draws", 250) for name in ("rank", "plan")
    ]
    lines = {line for text in each for line in text.splitlines() if "truly differ" in line}
    assert len(lines) == 1


def test_what_has_no_number_says_what_would_lift_it():
    clusters = np.repeat(range(3), 20)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.integers(0, 2, 60) for name in "ab"}).assign(group=clusters)
    posterior = br.fit(br.from_outcomes(frame, cluster="group"), seed=1)
    ranking, planned = br.credible_ranking(posterior), br.plan(posterior)
    assert fact_or_none(ranking) is None
    lift = (
        "At least 5 effective clusters instead of 3 are needed before any entity can be ruled out."
    )
    assert lift in br.verdict(ranking)
    assert br.verdict(planned) == [lift]
    assert (planned.attrs["reason"], np.isnan(planned["needed"].item())) == ("cap", True)
    equal = br.from_counts(tn=[80, 80], fp=[20, 20], fn=[15, 15], tp=[35, 35], entity=["a", "b"])
    posterior = br.fit(equal, seed=1)
    assert br.verdict(br.plan(posterior, "mcc"))[0].startswith(
        "The data show no difference between a and b."
    )
    assert br.plan(posterior, "mcc", margin=0.1)["needed"].item() > 100


def fact_or_none(ranking):
    return json.loads(ranking.attrs["separation"]) or None


@pytest.mark.parametrize(
    ("prevalence", "known"),
    [
        (1e-5, True),
        (xr.DataArray([0.02, 0.02], {"entity": ["a", "b"]}, "entity"), True),
        (
            xr.DataArray(
                np.random.default_rng(1).beta(12.5, 588.5, (4, 1000)), dims=("chain", "draw")
            ),
            False,
        ),
    ],
)
def test_new_cases_tell_no_more_of_a_prevalence_with_draws(prevalence, known):
    counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    posterior = br.fit(counts, seed=1, prevalence=prevalence)
    assert bool(notes_of(br.credible_ranking(posterior, "ppv").attrs["separation"])) == known
    assert bool(notes_of(br.credible_ranking(posterior, "informedness").attrs["separation"]))


def test_rare_positives_are_offered_by_design():
    """At 1:10,000 only positives inform on recall: a share of 25% needs 2,500 times fewer cases."""
    counts = br.from_counts(tn=[99_000] * 2, fp=[990] * 2, fn=[3, 2], tp=[7, 8], entity=["a", "b"])
    known = fact(br.credible_ranking(br.fit(counts, "beta_binomial", seed=1), "recall", rope=0.2))
    share = 10 / 100_000
    assert known["designed"] * known["positives"] == pytest.approx(
        known["needed"] * share, rel=0.02
    )
    posterior = br.fit(README, "beta_binomial", seed=1)
    assert fact(br.credible_ranking(posterior, "informedness"))["designed"] is None


@pytest.mark.parametrize(
    ("right", "wrong", "width"), [(40, 10, 0.12), (30, 30, 0.15), (85, 15, 0.08)]
)
def test_the_width_of_one_proportion_needs_the_exact_number(right, wrong, width):
    posterior = br.fit(
        br.from_frame(pd.DataFrame({"entity": ["a"], "correct": [right], "wrong": [wrong]})), seed=1
    )
    found = br.plan(posterior, width=width, seed=1)["needed"].item()

    def success(n):
        x = np.arange(n + 1)
        low, high = (
            stats.beta.ppf(q, right + 0.5 + x, wrong + 0.5 + n - x) for q in (0.025, 0.975)
        )
        return stats.betabinom.pmf(x, n, right + 0.5, wrong + 0.5)[high - low <= width].sum()

    low, high = 1, 5000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if success(middle) >= 0.8 else (middle, high)
    assert found == pytest.approx(high, rel=0.03)


def test_critical_values_of_entities_with_the_same_draws():
    """A difference that is 0 in every draw has no error, and leaves the critical value of the others."""
    from bayesrank.ranking.separation import _critical_values

    y = np.random.default_rng(1).standard_normal((2000, 2))
    alone = _critical_values(y, np.arange(2), 0.95)
    np.testing.assert_array_equal(
        _critical_values(y, np.array([0, 0, 1]), 0.95)[2:], [0.0, alone[2]]
    )


def test_a_plan_for_two_entities_behind_the_leader_is_that_without_the_leader():
    counts = br.from_counts(
        tp=[950, 600, 560], fn=[50, 400, 440], tn=[9] * 3, fp=[1] * 3, entity=["a", "b", "c"]
    )
    needed = [
        br.plan(br.fit(some, "beta_binomial", seed=1), "tpr", entity="b", rival="c", margin=0.04)[
            "needed"
        ].item()
        for some in (counts, counts.sel(entity=["b", "c"]))
    ]
    assert needed[0] == pytest.approx(needed[1], rel=0.01)


def test_a_number_of_further_cases_is_that_of_the_leader():
    """Of few draws another entity is the leader than by the exact probabilities."""
    tp, tn = (
        np.array([84, 85, 85, 83, 84, 84, 85, 82]),
        np.array([821, 824, 821, 821, 825, 821, 825, 825]),
    )
    counts = br.from_counts(tn=tn, fp=900 - tn, fn=100 - tp, tp=tp, entity=list("ABCDEFGH"))
    posterior = br.fit(counts, seed=41, draws=20)
    assert fact(br.credible_ranking(posterior, "informedness"))
    assert fact_or_none(br.credible_ranking(posterior, "informedness", method="auto")) is None
    assert fact(br.credible_ranking(br.fit(counts, seed=41), "informedness", method="auto"))


def test_no_number_of_cases_separates_an_entity_without_an_observed_score():
    """X has no positive calls."""
    counts = br.from_counts(
        tn=[50, 40, 41], fp=[0, 10, 9], fn=[20, 5, 5], tp=[0, 15, 15], entity=list("XBC")
    )
    posterior = br.fit(counts, seed=1)
    ranking = br.credible_ranking(posterior, "mcc")
    assert ranking["unobserved"].values.tolist() == [True, False, False]
    assert {fact(ranking)["entity"], fact(ranking)["rival"]} == {"B", "C"}
    pair = br.credible_ranking(br.fit(counts.sel(entity=["X", "B"]), seed=1), "ppv")
    assert br.verdict(pair)[0].startswith("B is ahead")
    assert fact_or_none(pair) is None
